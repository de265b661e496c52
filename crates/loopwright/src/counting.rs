//! The counting run: chooses what is counted, runs the program, stores the counts, then what the binaries say.

use crate::args::{Cli, TripcountsArgs};
use crate::collect::{self, Collection, Ran};
use crate::failure::Failure;
use crate::gathering::LATEST;
use crate::interrupt;
use crate::output::Output;
use crate::sampling::Surveyed;
use crate::state::{self, Beside, Loaded};
use crate::terminal::{Console, LateProgress};
use loopwright_binary::image::{Image, Images};
use loopwright_experiment::describe::{Described, Extent, Selected, select};
use loopwright_experiment::{MachineRecord, Phase, Wanted};
use loopwright_instrument::facts::Counts;
use loopwright_instrument::warning::Warning;
use loopwright_instrument::{Choice, CountOptions, CountStatus, Modules, Observer};
use loopwright_sample::recording::Outcome;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// What a counting run left in the experiment.
pub struct Counted {
    pub ran: Ran,
    /// What the binaries say of the counted functions, those of `How::before` left out.
    pub described: Vec<Described>,
    /// False when it did not do what the run before did, and was not stored.
    pub used: bool,
}

/// What the run did to whose time the counts are to be joined.
#[derive(Clone, Copy)]
pub struct Before {
    /// How it ended.
    pub outcome: Outcome,
    /// What it wrote.
    pub output: Output,
}

/// How a program is counted.
pub struct How<'a> {
    /// What is counted.
    pub choice: Choice,
    /// Which counted functions are described.
    pub extent: Extent,
    /// What runs before have described.
    pub before: &'a [&'a Described],
    /// The files that the command has read.
    pub images: &'a Images,
}

impl<'a> How<'a> {
    /// All that is chosen, described in full.
    pub fn full(choice: Choice, images: &'a Images) -> Self {
        Self { choice, extent: Extent::All, before: &[], images }
    }
}

/// Counts `command` into the experiment and says how it ended.
pub fn count(
    cli: &Cli,
    how: How<'_>,
    command: &[OsString],
    machine: &MachineRecord,
    before: Option<Before>,
    console: &Console,
) -> Result<Counted, Failure> {
    let How { choice, extent, before: known, images } = how;
    let collection = Collection::begin(cli, machine, images, console, Phase::Choose)?;
    let written = Output::now();
    let stop = Arc::new(AtomicBool::new(false));
    let options = CountOptions {
        choice,
        stop: Some(Arc::clone(&stop)),
        images: images.clone(),
        ..CountOptions::default()
    };
    let mut target = loopwright_sample::describe_target(command, &options.start);
    let progress = LateProgress::now(console, "preparing to count");
    let mut observer = Watcher { console, progress, stop };
    let result = loopwright_instrument::count(command, &options, &mut observer);
    observer.progress.finish();
    let (mut collection, mut counts) = collection.with(result)?;
    let partial = in_part(&options.choice, &counts);
    let phases = [Phase::PrepareCounting, Phase::Counted, Phase::CollectCounts];
    console.costs.end_run(phases, counts.setup_seconds, counts.elapsed_seconds, counts.waiting_seconds);
    (target.outcome, target.elapsed_seconds) =
        (collect::outcome(counts.interrupted, counts.signal, counts.exit_status), counts.elapsed_seconds);
    let otherwise = |before: Before| {
        let interrupted = target.outcome == Outcome::Interrupted;
        !interrupted
            && (before.outcome != target.outcome || before.output.differs(Output::now().since(written)))
    };
    if before.is_some_and(otherwise) {
        let ran = Ran { target, reports: true, state: LATEST.to_owned() };
        return Ok(Counted { ran, described: Vec::new(), used: false });
    }
    let selected = select(&counts, extent);
    counts.warnings.extend(omitted(&selected));
    counts.warnings.extend(partial);
    let run = collection.add(&counts, &target)?;
    let described = collection.describe(run, Wanted::of_counts(&counts, &selected), known)?;
    Ok(Counted { ran: collection.end(target)?, described, used: true })
}

/// What is counted and not described.
fn omitted(selected: &Selected) -> Option<Warning> {
    (selected.omitted_loops > 0).then_some(Warning::LeftOut {
        loops: selected.omitted_loops,
        functions: selected.omitted,
        share: selected.omitted_share,
    })
}

/// What the options of `tripcounts` choose; by default the program and the modules in which the newest survey of this
/// command saw time.
pub fn chosen(cli: &Cli, args: &TripcountsArgs) -> Result<Choice, Failure> {
    if args.all {
        return Ok(Choice { modules: Modules::All, ..Choice::default() });
    }
    let known = || state::newest_survey(cli, &args.command);
    if !args.loops.is_empty() {
        let functions = functions_of(&args.loops, &known()?.map_or_else(|| state::load(cli, "latest"), Ok)?)?;
        return Ok(Choice { functions: Some(functions), ..Choice::default() });
    }
    let surveyed = known()?;
    if args.module.is_empty() {
        return Ok(surveyed.as_ref().map(hot_modules).unwrap_or_default());
    }
    let named = args.module.iter().map(|name| module_path(name, surveyed.as_ref()));
    Ok(Choice { modules: Modules::Named(named.collect::<Result<_, _>>()?), ..Choice::default() })
}

/// What is counted by default.
pub fn usual(cli: &Cli, command: &[OsString]) -> Result<Choice, Failure> {
    let surveyed = state::newest_survey_with(cli, command, Beside::Nothing)?;
    Ok(surveyed.as_ref().map(hot_modules).unwrap_or_default())
}

/// The program, and the libraries in which the survey saw time.
pub fn hot_modules(loaded: &Loaded) -> Choice {
    let hot =
        loaded.analysis.modules.iter().filter(|module| !module.main_module && module.self_seconds > 0.0);
    let files: Vec<PathBuf> =
        hot.map(|module| PathBuf::from(&module.path)).filter(|path| path.is_absolute()).collect();
    let modules = if files.is_empty() { Modules::Program } else { Modules::Named(files) };
    Choice { modules, ..Choice::default() }
}

/// Bytes of code beyond which a module is too large to be counted whole while somebody waits for advice: an interpreter
/// or a numerical library has 2 to 8 MB of it, a compiler or a virtual machine 15 to 80.
const LARGEST_WHOLE: f64 = 10e6;

/// Bytes of code up to which a library is always counted whole: the C and C++ libraries have 1 to 1.4 MB of it.
const SMALL_LIBRARY: f64 = 2e6;

/// The same of larger ones, for each second that the program runs. Whoever calls a function there for the first time
/// waits for its code to be rewritten: about 0.25 s for each MB of an interpreter (measured on Zen 4), a quarter of such
/// a run.
const LIBRARY_PER_SECOND: f64 = 1e6;

/// Of modules that are large for the time that the program runs, only the functions in which the survey saw time, in
/// themselves or in what they call.
pub fn where_time_was_seen(choice: Choice, surveyed: &Surveyed, images: &Images) -> Choice {
    let target = &surveyed.ran.target;
    let large = |module: &&Described| {
        let code = |image: Arc<Image>| {
            image.code_stretches().iter().map(|(start, end)| end - start).sum::<u64>() as f64
        };
        let its_own = module.facts.path == target.executable;
        let of_library = (LIBRARY_PER_SECOND * target.elapsed_seconds).max(SMALL_LIBRARY);
        let most = if its_own { LARGEST_WHOLE } else { LARGEST_WHOLE.min(of_library) };
        images.open(Path::new(&module.facts.path)).is_ok_and(|image| code(image) > most)
    };
    let addresses = |module: &Described| module.functions.iter().map(|f| f.function.address).collect();
    let partly = surveyed.described.iter().filter(large);
    let partly = partly.map(|module| (PathBuf::from(&module.facts.path), addresses(module))).collect();
    Choice { partly, ..choice }
}

/// The modules that were counted in part.
fn in_part(choice: &Choice, counts: &Counts) -> Option<Warning> {
    let counted = |path: &Path| counts.modules.iter().any(|module| Path::new(&module.path) == path);
    let partly = choice.partly.iter().filter(|(path, _)| counted(path));
    let modules: Vec<String> = partly
        .map(|(path, _)| path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into())
        .collect();
    (!modules.is_empty()).then_some(Warning::InPart { modules })
}

/// A library by its path, or by the name of its file among those that the survey knows.
fn module_path(name: &str, surveyed: Option<&Loaded>) -> Result<PathBuf, Failure> {
    let path = Path::new(name);
    if path.is_file() {
        return Ok(path.canonicalize().unwrap_or_else(|_| path.to_owned()));
    }
    let known = surveyed.map_or(&[][..], |loaded| &loaded.analysis.modules);
    let fits = |path: &str| {
        Path::new(path).file_name().and_then(|file| file.to_str()).is_some_and(|file| {
            // `libm` and `libm.so` mean libm.so.6.
            file == name || file.strip_prefix(name).is_some_and(|rest| rest.starts_with('.'))
        })
    };
    known.iter().find(|module| fits(&module.path)).map(|module| PathBuf::from(&module.path)).ok_or_else(|| {
        Failure::misuse(format!(
            "{name} is neither a file nor a module that the survey saw; give its path, or count all modules with --all"
        ))
    })
}

/// Functions that hold the pieces of these loops' source loops.
fn functions_of(ids: &[u32], loaded: &Loaded) -> Result<Vec<(PathBuf, u64)>, Failure> {
    let analysis = &loaded.analysis;
    let mut functions = Vec::new();
    for &id in ids {
        let group = analysis.loops.iter().find(|each| each.id == id).map(|each| each.group);
        let pieces = analysis.loops.iter().filter(|each| Some(each.group) == group).map(|each| each.id);
        let wanted: Vec<u32> = std::iter::once(id).chain(pieces).collect();
        let holds = |ids: &[u32]| ids.iter().any(|known| wanted.contains(known));
        let mut known = false;
        for module in loaded.facts.code() {
            for function in module.functions.iter().filter(|function| holds(&function.loop_ids)) {
                known = true;
                state::must_be_unchanged(&module.facts)?;
                functions.push((PathBuf::from(&module.facts.path), function.code.function.address));
            }
        }
        if !known {
            return Err(state::unknown_loop(id));
        }
    }
    functions.sort();
    functions.dedup();
    Ok(functions)
}

struct Watcher<'a> {
    console: &'a Console,
    progress: LateProgress,
    stop: Arc<AtomicBool>,
}

impl Observer for Watcher<'_> {
    // From here on the program owns the terminal, as in a survey.
    fn started(&mut self, _pid: u32) {
        self.progress.finish();
    }

    fn tick(&mut self, status: &CountStatus) {
        interrupt::pass_on(&self.stop);
        self.progress.show(self.console, status.elapsed, || {
            format!(
                "counting: {:.0} s, {} functions of {} modules",
                status.elapsed.as_secs_f64(),
                status.functions,
                status.modules
            )
        });
    }
}
