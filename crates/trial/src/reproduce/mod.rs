//! A call of `reproduce`: which part of a program gives another answer in one build than in another one, and what keeps the answer.
//!
//! First it is found out whether the answer depends on the run, on the number of threads or on the machine's library: no build is to
//! blame for that. Then sources are mixed: some compiled as in one build, the others as in the other one, until those are known whose
//! options change the answer ([`mod@culprits`]); of these the options ([`elements`]) and the functions ([`exchange`]). At last what keeps the
//! answer is measured beside both builds.

mod assembly;
mod code;
mod conditions;
mod culprits;
mod elements;
mod exchange;
mod functions;
mod repairs;
mod sides;

use crate::answer::{Judge, keep_worse};
use crate::asked::{Asked, Error};
use crate::budget;
use crate::builder::{Builder, Made};
use crate::fault::Fault;
use crate::line::{Line, Work};
use crate::rebuild::Workshop;
use crate::runner::{Ran, Runner};
use crate::session::{Commands, Ready, ready};
use crate::unchanged::starts;
use culprits::{Found, culprits};
use elements::Elements;
pub use loopwright_experiment::reproduction::Side;
use loopwright_experiment::reproduction::{Halted, Reproduction, Unit};
use loopwright_experiment::trials::{Answer, End, Unsteady, Verdict, Why};
use loopwright_remarks::compiler::identify;
use loopwright_remarks::remark::Family;
use sides::Sides;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Builds and runs of a search, about, for the time that it may take.
const TYPICAL: (u32, u32) = (12, 90);
/// Part of the time that is kept for measuring what keeps the answer.
const FOR_REPAIRS: f64 = 0.3;
/// Most sources whose functions are searched.
const MOST_FILES: usize = 8;
/// What culprits are searched among last.
const FUNCTIONS: &str = "functions";

/// What is compared.
pub struct How {
    /// The build whose answer counts; where there is none, one without options that change digits.
    pub good: Option<Side>,
    /// The build that is compared with it; where there is none, that of the project.
    pub bad: Option<Side>,
}

/// What is being done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage<'a> {
    /// The first build is made and run.
    Good,
    /// The time that the search may take.
    Planned(Duration),
    /// The first build runs under other conditions.
    Conditions,
    /// The second build is made and run.
    Bad,
    /// Culprits are searched: among what, and the number of runs so far.
    Searching(&'a str, u32),
    /// What keeps the answer is measured: the round.
    Measuring(usize),
}

/// Compares the answers of two builds.
///
/// # Errors
/// When the first build cannot be made, run or judged.
pub fn reproduce(
    asked: &Asked,
    how: &How,
    commands: &Commands,
    progress: &dyn Fn(Stage),
) -> Result<Reproduction, Error> {
    let commands = commands.apart();
    let ready = ready(asked, &commands)?;
    let start = Instant::now();
    progress(Stage::Good);
    let Ready { lines, called, builder } = ready;
    let program = called.started.program.clone();
    let Builder::Commands(mut workshop) = builder else {
        return Err(Error::NoOptions { program: program.display().to_string() });
    };
    workshop.limits.time = budget::at_first(asked);
    let mut compile: Vec<&Line> =
        lines.behind(&program).into_iter().filter(|line| line.sources.len() == 1).collect();
    if compile.is_empty() {
        let why = Why::NotOfThisBuild { file: program.display().to_string() };
        return Err(Error::NotBuilt { why: why.to_string() });
    }
    compile.sort_by(|a, b| a.sources[0].path.cmp(&b.sources[0].path));
    let link = lines.making(&program).filter(|line| line.work == Work::Link);
    let sides = Sides::new(how.good.clone(), how.bad.clone(), compile, link)?;
    let mut runner = Runner::new(asked, called)?;
    let began = Instant::now();
    let good = workshop.build(&sides.parts(&[], None))?;
    let build = began.elapsed();
    let (seconds, own) = runner.settle(&good)?;
    starts(&mut runner, &good)?;
    let run = Duration::from_secs_f64(seconds);
    let whole = budget::whole(asked.budget, build * TYPICAL.0 + run * TYPICAL.1);
    progress(Stage::Planned(whole));
    let mut search = Search {
        workshop,
        runner,
        good,
        found: Reproduction {
            good: sides.good.clone(),
            bad: sides.bad.clone(),
            outputs: asked.outputs.iter().map(|path| path.to_string_lossy().into_owned()).collect(),
            unsteady: Vec::new(),
            probes: Vec::new(),
            end: End::Ran,
            answer: None,
            unsteady_bad: Vec::new(),
            culprits: Vec::new(),
            files: Vec::new(),
            options: Vec::new(),
            halted: None,
            itself: Vec::new(),
            repairs: Vec::new(),
            builds: 1,
            runs: 0,
        },
        known: BTreeMap::new(),
        repaired: Vec::new(),
        until: start + whole.mul_f64(1.0 - FOR_REPAIRS),
        deadline: start + whole,
        run,
        progress,
        sides,
    };
    search.conditions(own.after.cpu / own.after.elapsed.max(1e-9))?;
    search.all()?;
    search.found.unsteady = search.runner.not_compared();
    search.found.runs = search.runner.runs;
    Ok(search.found)
}

/// Of what differs in one build what does not differ in the other one.
fn beside(mut one: Unsteady, known: &[Unsteady]) -> Option<Unsteady> {
    let Some(other) = known.iter().find(|other| other.output == one.output) else { return Some(one) };
    if other.lines.is_empty() || one.lines.is_empty() {
        return None;
    }
    one.lines.retain(|line| !other.lines.contains(line));
    (!one.lines.is_empty()).then_some(one)
}

/// Why a test has no result.
enum Halt {
    Halted(Halted),
    Error(Error),
}

impl Halt {
    /// Why the search ends here; an error ends all of it.
    fn halted(self) -> Result<Option<Halted>, Error> {
        match self {
            Self::Halted(halted) => Ok(Some(halted)),
            Self::Error(error) => Err(error),
        }
    }
}

impl From<Error> for Halt {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

impl From<std::io::Error> for Halt {
    fn from(cause: std::io::Error) -> Self {
        Self::Error(cause.into())
    }
}

impl From<Fault> for Halt {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::NotBuilt(error) => Self::Halted(Halted::NotBuilt { error }),
            Fault::Slow(name, seconds) => {
                Self::Halted(Halted::NotBuilt { error: crate::fault::too_slow(&name, seconds) })
            }
            Fault::Why(why) => Self::Halted(Halted::NotBuilt { error: why.to_string() }),
            Fault::Stopped => Self::Halted(Halted::Stopped),
            Fault::Io(cause) => Self::Error(cause.into()),
        }
    }
}

/// What was found, and why the search ended before the rest.
fn kept(found: Found<Halt>) -> Result<(Vec<Vec<usize>>, Option<Halted>), Error> {
    Ok((found.sets, found.halted.map_or(Ok(None), Halt::halted)?))
}

/// A comparison.
struct Search<'a, 'p> {
    workshop: Workshop<'a>,
    runner: Runner<'a>,
    sides: Sides<'a>,
    /// The first build.
    good: PathBuf,
    found: Reproduction,
    /// Answers of versions, by their programs: whether they differ.
    known: BTreeMap<PathBuf, bool>,
    /// Options of the second build without those that change the answer: the first that keeps it is taken.
    repaired: Vec<Vec<String>>,
    /// When the search ends, and when everything does.
    until: Instant,
    deadline: Instant,
    /// The time of a run of the first build.
    run: Duration,
    progress: &'p dyn Fn(Stage),
}

impl Search<'_, '_> {
    fn is_stopped(&self) -> bool {
        self.runner.asked.stop.load(Ordering::SeqCst)
    }

    /// The second build, and where it differs all that follows.
    fn all(&mut self) -> Result<(), Error> {
        if self.is_stopped() {
            self.found.halted = Some(Halted::Stopped);
            return Ok(());
        }
        (self.progress)(Stage::Bad);
        let all = self.sides.all();
        let bad = match Made::of(self.workshop.build(&self.sides.parts(&all, None)))? {
            Made::Version(bad) => bad,
            Made::Ended(end) => {
                self.found.end = end;
                return Ok(());
            }
            Made::Stopped => {
                self.found.halted = Some(Halted::Stopped);
                return Ok(());
            }
        };
        self.found.builds += 1;
        if !self.settle_bad(&bad)? {
            return Ok(());
        }
        self.found.halted = self.search()?;
        if !self.is_stopped() {
            self.repairs(&bad)?;
        }
        Ok(())
    }

    /// Runs the second build twice: whether it differs.
    fn settle_bad(&mut self, bad: &Path) -> Result<bool, Error> {
        let mut given = Vec::new();
        for _ in 0..2 {
            match self.runner.run(bad, &[])? {
                Ran::Well(_, answer) => {
                    given.push(self.runner.given()?);
                    let answer = self.judged(answer)?;
                    keep_worse(&mut self.found.answer, answer);
                }
                Ran::Badly(end) => {
                    self.found.end = end;
                    self.known.insert(bad.to_path_buf(), true);
                    return Ok(true);
                }
                Ran::Stopped => {
                    self.found.halted = Some(Halted::Stopped);
                    return Ok(false);
                }
            }
        }
        if let [first, second] = &given[..] {
            let judge = Judge::new(self.runner.asked.check, first.clone(), second);
            let of_good = self.runner.judge.as_ref().map(Judge::unsteady).unwrap_or_default();
            self.found.unsteady_bad =
                judge.unsteady().into_iter().filter_map(|one| beside(one, &of_good)).collect();
        }
        let differs = self.found.answer.as_ref().is_some_and(|answer| answer.verdict == Verdict::Different);
        self.known.insert(bad.to_path_buf(), differs);
        Ok(differs)
    }

    /// The answer of the last run; where it is another one, the first build has run again.
    fn judged(&mut self, answer: Answer) -> Result<Answer, Error> {
        if answer.verdict != Verdict::Different || self.runner.is_steady() {
            return Ok(answer);
        }
        let given = self.runner.given()?;
        let good = self.good.clone();
        Ok(self.runner.excused(&given, &good)?.unwrap_or(answer))
    }

    /// Sources, then options, then functions.
    fn search(&mut self) -> Result<Option<Halted>, Error> {
        let found = culprits(self.sides.units.len(), |on| {
            let parts = self.sides.parts(on, None);
            self.differs("sources", |workshop| workshop.build(&parts))
        });
        let (sets, mut halted) = kept(found)?;
        let units = |set: &Vec<usize>| set.iter().map(|one| self.sides.units[*one].clone()).collect();
        self.found.culprits = sets.iter().map(units).collect();
        let of_files: BTreeSet<usize> = sets
            .iter()
            .flatten()
            .copied()
            .filter(|one| matches!(self.sides.units[*one], Unit::File { .. }))
            .collect();
        let files: Vec<usize> = of_files.into_iter().collect();
        if sets.iter().any(|set| set.iter().all(|one| self.sides.units[*one] == Unit::Link)) {
            self.found.options.push(self.sides.link_words().to_vec());
        }
        if files.is_empty() {
            return Ok(halted);
        }
        let of_options = self.options(&files).or_else(Halt::halted)?;
        halted = halted.or(of_options);
        for number in files.iter().take(MOST_FILES) {
            if self.is_stopped() {
                return Ok(halted.or(Some(Halted::Stopped)));
            }
            let Unit::File { file } = self.sides.units[*number].clone() else { continue };
            let of_file = self.functions(&file)?;
            self.found.files.push(of_file);
        }
        Ok(halted)
    }

    /// The sets of options that change the answer in these sources.
    fn options(&mut self, files: &[usize]) -> Result<Option<Halted>, Halt> {
        let elements = self.elements(files);
        let every: Vec<usize> = (0..elements.all.len()).collect();
        if !self.test_options(files, &elements.options(&every))? {
            return Ok(Some(Halted::NotTakenApart));
        }
        // Another compiler may be the cause by itself.
        if self.test_options(files, &elements.options(&[]))? {
            self.found.options.extend(self.sides.bad.compiler.clone().map(|compiler| vec![compiler]));
            return Ok(None);
        }
        let found = culprits(elements.all.len(), |on| self.test_options(files, &elements.options(on)));
        let (sets, halted) = kept(found)?;
        let names = |set: &Vec<usize>| set.iter().map(|one| elements.all[*one].name.clone()).collect();
        self.found.options.extend(sets.iter().map(names));
        let cheapest: Vec<usize> = sets.iter().filter_map(|set| elements.cheapest(set)).collect();
        // Where that does not keep the answer, all of them are turned off.
        let every: Vec<usize> = sets.iter().flatten().copied().collect();
        self.repaired = vec![elements.without(&cheapest), elements.without(&every)];
        self.repaired.dedup();
        Ok(halted)
    }

    fn test_options(&mut self, files: &[usize], options: &[String]) -> Result<bool, Halt> {
        let parts = self.sides.parts(&[], Some((files, options)));
        self.differs("options", |workshop| workshop.build(&parts))
    }

    /// The options of both builds, as elements for the compiler of these sources.
    fn elements(&self, files: &[usize]) -> Elements {
        let first = files.iter().find_map(|one| match &self.sides.units[*one] {
            Unit::File { file } => self.sides.lines_of(file).first().copied(),
            Unit::Link => None,
        });
        let arguments = first.map(|line| line.step.arguments.as_slice()).unwrap_or_default();
        let compiler = first.and_then(|line| {
            let file = line.sources[0].path.to_string_lossy();
            let own = arguments.first().map(String::as_str);
            self.sides.compiler(true, &file).map(|(compiler, _)| compiler).or(own)
        });
        let family =
            compiler.and_then(|name| identify(Path::new(name))).map_or(Family::Gcc, |one| one.family);
        // GCC fuses in GNU C, C++ and Fortran, not in ISO C and C++ (its manual, `-ffp-contract`).
        let standard = arguments.iter().rev().find_map(|word| word.strip_prefix("-std="));
        let is_iso = standard.is_some_and(|name| name.starts_with('c') || name.starts_with("iso"));
        let says_so = arguments.iter().any(|word| word.starts_with("-ffp-contract"));
        let contracts = (family != Family::Gcc || !is_iso) && !says_so;
        // Where the second build is the project's own, its options are those of the command.
        let own = first.filter(|_| self.sides.bad == Side::default()).map(sides::own_options);
        let bad = own.as_ref().unwrap_or(&self.sides.bad.options);
        Elements::of(&self.sides.good.options, bad, family, contracts)
    }

    /// Whether a version gives another answer.
    fn differs(
        &mut self,
        what: &str,
        build: impl FnOnce(&mut Workshop) -> Result<PathBuf, Fault>,
    ) -> Result<bool, Halt> {
        (self.progress)(Stage::Searching(what, self.runner.runs));
        if self.is_stopped() {
            return Err(Halt::Halted(Halted::Stopped));
        }
        if Instant::now() + self.run > self.until {
            return Err(Halt::Halted(Halted::Time));
        }
        let version = build(&mut self.workshop)?;
        if let Some(differs) = self.known.get(&version) {
            return Ok(*differs);
        }
        self.found.builds += 1;
        let differs = match self.runner.run(&version, &[])? {
            Ran::Well(_, answer) => self.judged(answer)?.verdict == Verdict::Different,
            // A program that ends otherwise than both builds is not made of them: no function is to blame.
            Ran::Badly(_) if what == FUNCTIONS && self.found.end == End::Ran => {
                let reason = "a program with functions of both builds does not end as they do".to_owned();
                return Err(Halt::Halted(Halted::NotExchanged { reason }));
            }
            Ran::Badly(_) => true,
            Ran::Stopped => return Err(Halt::Halted(Halted::Stopped)),
        };
        self.known.insert(version, differs);
        Ok(differs)
    }
}

#[cfg(test)]
mod tests;
