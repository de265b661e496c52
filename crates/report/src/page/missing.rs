//! What a fuller picture needs: which facts are missing, why they would matter here, and the command that provides them.
//!
//! The page and the screen after a run take their next steps from here. What spoils results that *are* there is said by
//! the analysis' warnings; the two overlap where a run can mend it.

use crate::names::printable;
use crate::quantity::{count, counted, share, time};
use loopwright_advise::facts::Facts;
use loopwright_analysis::model::{Analysis, LoopFacts, ModuleSummary, Warning};
use loopwright_analysis::place::base_name;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::Path;

/// Below this number of samples a share of a half is uncertain by 10 points (95 % of a binomial distribution).
const FEW_SAMPLES: u64 = 100;
/// A survey that is worth making again should bring as many samples as leave 3 points.
const ENOUGH_SAMPLES: f64 = 1000.0;
/// The highest rate that `--rate` takes.
const HIGHEST_RATE: f64 = 20_000.0;
/// Lost samples beyond this share may hide something.
const LOST: f64 = 0.02;
/// A loop is worth a run, or a word, from this share of the time on: half as much as advice needs is noise.
const HOT: f64 = 0.02;
/// A module is worth a rebuild from this share on.
const HOT_MODULE: f64 = 0.10;
/// Time in code without a name is worth a word from this share on.
const NAMELESS: f64 = 0.05;
/// Loops that one tracing run is asked for; as many as `map` takes by itself.
const TRACED_AT_ONCE: usize = 5;
/// Files named as examples.
const NAMED: usize = 3;

/// A fact that is missing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Missing {
    /// What: a few words.
    pub what: String,
    /// Why it is missing and what it would show, in a sentence.
    pub why: String,
    /// The command that provides it; absent where no command of loopwright does.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub command: Option<String>,
}

/// What the analysis does not know of itself.
#[derive(Clone, Copy, Debug, Default)]
pub struct Surroundings<'a> {
    /// The experiment, where it is not the one that commands use by themselves.
    pub experiment: Option<&'a Path>,
    /// Source files of hot loops whose text is neither kept nor readable.
    pub unreadable: &'a [String],
}

/// Everything missing, the most valuable first: what else rests on comes before what refines it.
pub fn missing(analysis: &Analysis, surroundings: &Surroundings<'_>) -> Vec<Missing> {
    let view = View { analysis, surroundings };
    // Of a part of the run these are left out, whether they were collected or not.
    let whole = !analysis.warnings.iter().any(|warning| matches!(warning, Warning::Excerpt(_)));
    let found = [
        view.samples(),
        view.ranks(),
        view.lines_of_the_program(),
        view.counts().filter(|_| whole),
        view.ceilings(),
        view.remarks(),
        view.traces().filter(|_| whole),
        view.dependences().filter(|_| whole),
        view.call_stacks(),
        view.lost_samples(),
        view.names(),
        view.lines_of_libraries(),
        view.sources(),
    ];
    found.into_iter().flatten().collect()
}

struct View<'a> {
    analysis: &'a Analysis,
    surroundings: &'a Surroundings<'a>,
}

impl View<'_> {
    fn missing(&self, what: &str, why: String, command: Option<String>) -> Option<Missing> {
        Some(Missing { what: what.to_owned(), why, command })
    }

    /// `loopwright -e FILE VERB`.
    fn own(&self, verb: &str) -> Option<String> {
        let experiment = match self.surroundings.experiment {
            Some(path) => format!("-e {} ", quoted(path.to_str()?)?),
            None => String::new(),
        };
        Some(format!("loopwright {experiment}{verb}"))
    }

    /// The same that runs the program again; nothing where its command cannot be typed.
    fn again(&self, verb: &str) -> Option<String> {
        let words = &self.analysis.program.command;
        if words.is_empty() {
            return None;
        }
        let words: Option<Vec<String>> = words.iter().map(|word| quoted(word)).collect();
        Some(format!("{} -- {}", self.own(verb)?, words?.join(" ")))
    }

    /// What to know of a run that is started again as a parallel job.
    fn launcher(&self) -> &'static str {
        match self.analysis.program.ranks_started {
            Some(_) => "; start it by the same launcher",
            None => "",
        }
    }

    fn samples(&self) -> Option<Missing> {
        let program = &self.analysis.program;
        if program.sampler.is_empty() {
            let why = format!("nothing was sampled in this state, so no time is known{}", self.launcher());
            return self.missing("times", why, self.again("survey"));
        }
        if program.samples >= FEW_SAMPLES {
            return None;
        }
        let cpu = program.cpu_seconds.max(program.user_seconds + program.system_seconds);
        let taken = match program.samples {
            0 => "no samples were taken".to_owned(),
            few => format!("only {} were taken", counted(few, "sample", "samples")),
        };
        let needed = ENOUGH_SAMPLES / cpu;
        let (way, command) = if needed <= HIGHEST_RATE {
            // A round number, upwards, and never lower than what was tried.
            let rate = ((needed / 1000.0).ceil() * 1000.0).clamp(2000.0, HIGHEST_RATE);
            ("sample it more often, or give it more work", self.again(&format!("survey --rate {rate}")))
        } else {
            ("give the program more work", None)
        };
        let why = format!(
            "{taken} in {} of CPU time: shares are uncertain by 10 points and more; {way}{}",
            time(cpu),
            self.launcher()
        );
        self.missing("more samples", why, command)
    }

    fn ranks(&self) -> Option<Missing> {
        let program = &self.analysis.program;
        let started = program.ranks_started.filter(|&started| started > program.ranks)?;
        let why = format!(
            "the job had {started} ranks and this state has {} of them: imbalance between ranks is not seen; put loopwright \
             after the launcher, so that every rank writes its part into one folder (mpirun -n {started} loopwright ...)",
            program.ranks
        );
        self.missing("the other ranks", why, None)
    }

    /// Loops worth a run, one of each source loop, the hottest first.
    fn hot(&self) -> impl Iterator<Item = &LoopFacts> {
        let mut groups = BTreeSet::new();
        let hot = self.analysis.loops.iter().filter(|each| each.group_share >= HOT);
        hot.filter(move |each| groups.insert(each.group))
    }

    /// Pieces of one source loop.
    fn any_piece(&self, of: &LoopFacts, known: impl Fn(&LoopFacts) -> bool) -> bool {
        self.analysis.loops.iter().any(|each| each.group == of.group && known(each))
    }

    fn counts(&self) -> Option<Missing> {
        const WHAT: &str = "trip counts and work";
        if self.analysis.loops.is_empty() {
            return None;
        }
        if self.analysis.counts.is_none() {
            let why = format!(
                "no counting run is in this state: how often loops iterate, what they execute and how far they are from \
                 the machine's ceilings is not known{}",
                self.launcher()
            );
            return self.missing(WHAT, why, self.again("tripcounts"));
        }
        // Loops that could not be counted say why; asking again does not help.
        let uncounted = |each: &&LoopFacts| {
            !self.any_piece(each, |piece| piece.work.is_some() || piece.not_counted.is_some())
        };
        let ids: Vec<u32> = self.hot().filter(uncounted).map(|each| each.id).collect();
        if ids.is_empty() {
            return None;
        }
        let why = format!("{} not counted by the counting run of this state{}", were(&ids), self.launcher());
        self.missing(WHAT, why, self.again(&format!("tripcounts --loops {}", list(&ids))))
    }

    fn ceilings(&self) -> Option<Missing> {
        let machine = self.analysis.machine.as_ref()?;
        if machine.ceilings.is_some() {
            return None;
        }
        let why = "this machine was not measured, so what is possible on it is not known; it takes 30 s, once, and holds \
                   for every program; collect again afterwards"
            .to_owned();
        self.missing("ceilings of the machine", why, self.own("machine --measure"))
    }

    fn remarks(&self) -> Option<Missing> {
        let silent = |each: &&LoopFacts| {
            let said = |piece: &LoopFacts| {
                piece.why_not.iter().any(|why| why.compiler.is_some()) || !piece.compilers.is_empty()
            };
            let vectorized = |piece: &LoopFacts| piece.vectorized;
            each.main_module
                && each.idiom.is_none()
                && !self.any_piece(each, vectorized)
                && !self.any_piece(each, said)
        };
        let mut hottest = self.hot().filter(silent);
        let first = hottest.next()?;
        let others = match hottest.count() {
            0 => String::new(),
            more => format!(" and {} more", counted(more as u64, "loop", "loops")),
        };
        let why = format!(
            "no compiler said why the loop at {}{others} is scalar ({} of the time); put loopwright before the build's \
             command, it adds -fopt-info or its like to what is compiled",
            printable(&first.place()),
            share(first.group_share),
        );
        // The same command that recommendations name; none where it asks no compiler.
        let build = Facts::new(self.analysis).build()?;
        self.missing("compilers' remarks", why, self.own(build.strip_prefix("loopwright ").unwrap_or(build)))
    }

    fn traces(&self) -> Option<Missing> {
        let known = |piece: &LoopFacts| {
            piece.memory.is_some() || !piece.access.is_empty() || piece.not_traced.is_some()
        };
        self.untraced(
            "map",
            "memory access patterns",
            "strides, used parts of cache lines, footprints and cache misses are not known",
            |each| !self.any_piece(each, known),
        )
    }

    fn dependences(&self) -> Option<Missing> {
        let known = |piece: &LoopFacts| piece.dependence.is_some() || piece.not_traced.is_some();
        self.untraced(
            "dependencies",
            "dependences",
            "whether vectors or threads would be safe is not known",
            |each| !self.any_piece(each, |piece| piece.vectorized) && !self.any_piece(each, known),
        )
    }

    fn untraced(
        &self,
        verb: &str,
        what: &str,
        unknown: &str,
        lacks: impl Fn(&LoopFacts) -> bool,
    ) -> Option<Missing> {
        let ids: Vec<u32> =
            self.hot().filter(|each| lacks(each)).take(TRACED_AT_ONCE).map(|each| each.id).collect();
        if ids.is_empty() {
            return None;
        }
        let why = format!("{} not traced: {unknown}{}", were(&ids), self.launcher());
        self.missing(what, why, self.again(&format!("{verb} --loops {}", list(&ids))))
    }

    fn call_stacks(&self) -> Option<Missing> {
        let program = &self.analysis.program;
        if program.samples == 0 || !program.no_call_stacks {
            return None;
        }
        let why = format!(
            "the survey took no call stacks: total times, callers and the time that loops spend in what they call are not \
             known{}",
            self.launcher()
        );
        self.missing("call stacks", why, self.again("survey"))
    }

    fn lost_samples(&self) -> Option<Missing> {
        let program = &self.analysis.program;
        let seen = program.samples + program.lost_samples;
        let lost = program.lost_samples as f64 / seen.max(1) as f64;
        if lost <= LOST || program.cpu_seconds <= 0.0 {
            return None;
        }
        let rate = (program.samples as f64 / program.cpu_seconds / 2.0 / 10.0).ceil() * 10.0;
        let why = format!(
            "{} of the samples ({}) were lost, and nothing says that the others are like them{}",
            share(lost),
            count(program.lost_samples),
            self.launcher()
        );
        self.missing("lost samples", why, self.again(&format!("survey --rate {}", rate.max(10.0))))
    }

    fn names(&self) -> Option<Missing> {
        let part = self.analysis.program.unresolved_share;
        if part <= NAMELESS {
            return None;
        }
        let why = format!(
            "{} of the time belongs to no known function: code made at run time (let its maker write a perf map, such as \
             PYTHONPERFSUPPORT=1 does), or a file that was removed",
            share(part)
        );
        self.missing("names of functions", why, None)
    }

    fn bare(&self, main: bool) -> Vec<&ModuleSummary> {
        let hot = |module: &&ModuleSummary| {
            module.self_share >= HOT_MODULE && !module.path.starts_with('[') && !module.has_lines
        };
        self.analysis.modules.iter().filter(|m| m.main_module == main).filter(hot).collect()
    }

    fn lines_of_the_program(&self) -> Option<Missing> {
        let module = self.bare(true).into_iter().next()?;
        let (lack, way) = if module.has_symbols {
            ("line tables", "compile it with -g (beside the same optimisation: -O2 -g)")
        } else {
            ("symbols and no line tables", "compile it with -g and do not strip it (no -s)")
        };
        let why = format!(
            "{} takes {} of the time and has no {lack}: loops are named by address and compilers cannot be asked about \
             them; {way}",
            printable(base_name(&module.path)),
            share(module.self_share)
        );
        let what = if module.has_symbols { "source lines" } else { "symbols and source lines" };
        self.missing(what, why, None)
    }

    fn lines_of_libraries(&self) -> Option<Missing> {
        let modules = self.bare(false);
        let first = modules.first()?;
        let names: Vec<String> = modules
            .iter()
            .take(NAMED)
            .map(|m| format!("{} ({})", printable(base_name(&m.path)), share(m.self_share)))
            .collect();
        let what = if first.has_symbols { "source lines of libraries" } else { "symbols of libraries" };
        let why = format!(
            "{} of the time {} in code without line tables; install the debug symbols, or say where they are with \
             --debug-dir{}",
            names.join(", "),
            if modules.len() == 1 { "is" } else { "are" },
            self.launcher()
        );
        self.missing(what, why, None)
    }

    fn sources(&self) -> Option<Missing> {
        let files = self.surroundings.unreadable;
        if files.is_empty() {
            return None;
        }
        let named: Vec<String> = files.iter().take(NAMED).map(|file| printable(file).into_owned()).collect();
        let more = match files.len() - named.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let why = format!(
            "{}{more} cannot be read here, so code is shown without its source; show the report where the sources are, or \
             survey there: their text is kept",
            named.join(", ")
        );
        self.missing("source texts", why, None)
    }
}

/// A word as a shell reads it; nothing where no shell can (a NUL).
fn quoted(word: &str) -> Option<String> {
    shlex::try_quote(word).ok().map(|word| word.into_owned())
}

fn list(ids: &[u32]) -> String {
    ids.iter().map(u32::to_string).collect::<Vec<_>>().join(",")
}

fn were(ids: &[u32]) -> String {
    match ids {
        [only] => format!("loop {only} was"),
        _ => format!("loops {} were", list(ids).replace(',', ", ")),
    }
}

#[cfg(test)]
mod tests;
