//! The tracing run: chooses loops, runs the program, stores what was seen, then what the binaries say.

use crate::args::{Cli, Sampling, Tracing};
use crate::collect::{self, Collection, Ran};
use crate::failure::Failure;
use crate::input::Input;
use crate::interrupt;
use crate::sampling::{self, Around};
use crate::state::{self, Loaded};
use crate::terminal::{Console, LateProgress};
use loopwright_analysis::model::{Analysis, LoopFacts};
use loopwright_binary::image::Images;
use loopwright_experiment::describe::Described;
use loopwright_experiment::{MachineRecord, Phase, Wanted};
use loopwright_instrument::warning::Warning;
use loopwright_instrument::{LoopChoice, TraceObserver, TraceOptions, TraceStatus};
use loopwright_launch::StartOptions;
use loopwright_patterns::facts::Hierarchy;
use loopwright_sample::recording::Outcome;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// What a trace looks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Aim {
    /// Strides, footprints, caches, sharing, branches.
    pub strides: bool,
    pub dependences: bool,
}

/// Loops to trace: their numbers, and where their pieces are.
pub struct Chosen {
    /// Numbers of the loops that represent their source loops.
    pub ids: Vec<u32>,
    /// Threads that spent time in one of them.
    threads: u32,
    pieces: Vec<LoopChoice>,
}

impl Chosen {
    /// Where the pieces of the loops are.
    pub fn pieces(&self) -> &[LoopChoice] {
        &self.pieces
    }
}

/// How a trace is made.
pub struct How<'a> {
    /// What it looks for.
    pub aim: Aim,
    /// Caches to simulate beside the machine's own.
    pub caches: &'a [Hierarchy],
    /// Everything, not bursts.
    pub exhaustive: bool,
    /// Most bytes of trace.
    pub memory: u64,
    /// The files that the command has read.
    pub images: &'a Images,
    /// What runs before have described.
    pub before: &'a [&'a Described],
    /// Of these modules, only these functions and those of the loops are followed.
    pub partly: &'a [(PathBuf, Vec<u64>)],
    /// Where and with what the program runs, if not as from the user's shell.
    pub apart: Option<StartOptions>,
}

impl<'a> How<'a> {
    /// As the options say.
    pub fn of(options: &'a Tracing, aim: Aim, caches: &'a [Hierarchy], images: &'a Images) -> Self {
        Self {
            aim,
            caches,
            exhaustive: options.exhaustive,
            memory: options.trace_memory,
            images,
            before: &[],
            partly: &[],
            apart: None,
        }
    }

    /// In bursts, for `advise --deep`.
    pub fn usual(images: &'a Images, before: &'a [&'a Described], partly: &'a [(PathBuf, Vec<u64>)]) -> Self {
        let memory = TraceOptions::default().memory;
        let aim = Aim { strides: true, dependences: true };
        Self { aim, caches: &[], exhaustive: false, memory, images, before, partly, apart: None }
    }
}

/// Traces the chosen loops of `command` into the experiment and says how it ended.
pub fn trace(
    cli: &Cli,
    chosen: &Chosen,
    how: &How<'_>,
    command: &[OsString],
    machine: &MachineRecord,
    console: &Console,
) -> Result<Ran, Failure> {
    if how.exhaustive {
        console.note(
            "everything that the loops execute is traced: the program may take many times as long (Ctrl-C keeps what \
             was traced until then)",
        );
    }
    let collection = Collection::begin(cli, machine, how.images, console, Phase::Choose)?;
    let stop = Arc::new(AtomicBool::new(false));
    let known = machine.machine.summary();
    let (mut hierarchies, mut limits) = (Vec::new(), Vec::new());
    if how.aim.strides {
        // Threads that wait for a CPU do not share a cache with those that run.
        let (own, simulated) =
            machine.machine.cache_hierarchy(chosen.threads.clamp(1, known.allowed_cpus.max(1)));
        hierarchies.extend(Some(own).filter(|own| !own.levels.is_empty()));
        hierarchies.extend_from_slice(how.caches);
        limits = simulated;
    }
    let defaults = TraceOptions::default();
    // The target stays the user's command, by which the survey is found.
    let mut target = loopwright_sample::describe_target(command, &defaults.start);
    let command = if how.apart.is_some() { from_anywhere(command) } else { command.to_vec() };
    let options = TraceOptions {
        start: how.apart.clone().unwrap_or_default(),
        loops: chosen.pieces.clone(),
        strides: how.aim.strides,
        dependences: how.aim.dependences,
        hierarchies,
        line_bytes: if known.line_bytes > 0 { known.line_bytes } else { defaults.line_bytes },
        exhaustive: how.exhaustive,
        memory: how.memory,
        stop: Some(Arc::clone(&stop)),
        images: how.images.clone(),
        partly: how.partly.to_vec(),
        ..defaults
    };
    let progress = LateProgress::now(console, "preparing to trace");
    let mut observer = Watcher { console, progress, stop };
    let result = loopwright_instrument::trace(&command, &options, &mut observer);
    observer.progress.finish();
    let (mut collection, mut patterns) = collection.with(result)?;
    let phases = [Phase::PrepareTracing, Phase::Traced, Phase::CollectTraces];
    console.costs.end_run(phases, patterns.setup_seconds, patterns.elapsed_seconds, patterns.waiting_seconds);
    patterns.warnings.extend(limits.into_iter().map(Warning::Caches));
    (target.outcome, target.elapsed_seconds) = (
        collect::outcome(patterns.interrupted, patterns.signal, patterns.exit_status),
        patterns.elapsed_seconds,
    );
    let run = collection.add(&patterns, &target)?;
    collection.describe(run, Wanted::of_patterns(&patterns), how.before)?;
    collection.end(target)
}

/// A command whose program is found from any folder.
fn from_anywhere(command: &[OsString]) -> Vec<OsString> {
    let mut command = command.to_vec();
    if let Some(program) = command.first_mut().filter(|program| program.as_encoded_bytes().contains(&b'/'))
        && let Ok(real) = PathBuf::from(&*program).canonicalize()
    {
        *program = real.into();
    }
    command
}

/// What `map` and `dependencies` found out before they trace.
pub enum Ready {
    /// These loops can be traced.
    Trace(Chosen),
    /// Only the survey could be made: how the program ended.
    Ended(Outcome),
}

/// Chooses loops as the options say; without a survey of the command that still holds, makes it first.
pub fn ready(
    cli: &Cli,
    options: &Tracing,
    images: &Images,
    machine: &MachineRecord,
    console: &Console,
) -> Result<Ready, Failure> {
    let command = &options.command;
    let known = state::newest_survey(cli, command)?;
    if !options.loops.is_empty() {
        let loaded = known.map_or_else(|| state::load(cli, "latest"), Ok)?;
        return Ok(Ready::Trace(pieces(&loaded, &options.loops)?));
    }
    if let Some(loaded) = known.filter(state::is_current) {
        return Ok(Ready::Trace(hot(&loaded, options.hot)?));
    }
    let mut input = Input::own();
    let sampling = Sampling::usual(&options.debug_dir);
    let why =
        "no survey of this command shows its hot loops yet: it is sampled now, then run again and traced";
    let around = Around { announcement: Some(why), ..Around::default() };
    let survey = sampling::survey(cli, &sampling, command, images, machine, around, console)?;
    let outcome = survey.ran.target.outcome;
    if crate::ranks::own().is_some() {
        if survey.ran.reports {
            console.note("a rank can join its job only once: the same command again traces");
        }
        return Ok(Ready::Ended(outcome));
    }
    if outcome == Outcome::Interrupted {
        console.note("nothing is traced after an interruption");
        return Ok(Ready::Ended(outcome));
    }
    if !input.again() {
        console.note("standard input can be read only once: the same command again traces");
        return Ok(Ready::Ended(outcome));
    }
    let Some(loaded) = state::newest_survey(cli, command)? else { return Ok(Ready::Ended(outcome)) };
    Ok(Ready::Trace(hot(&loaded, options.hot)?))
}

/// The hottest source loops of a survey.
pub fn hot(loaded: &Loaded, most: u32) -> Result<Chosen, Failure> {
    hot_and(loaded, most, &[])
}

/// The hottest source loops of a survey, and others.
pub fn hot_and(loaded: &Loaded, most: u32, others: &[u32]) -> Result<Chosen, Failure> {
    let mut ids = hottest(&loaded.analysis, most as usize);
    ids.extend(others.iter().filter(|id| !ids.contains(id)).copied().collect::<Vec<_>>());
    if ids.is_empty() {
        return Err(Failure::Failed(anyhow::anyhow!(
            "no loop of this program was sampled, so there is nothing to trace; give the program more work, or count it \
             first (`loopwright tripcounts`)"
        )));
    }
    pieces(loaded, &ids)
}

/// One loop of each of the source loops with most self time, all pieces together; of those without time, with most
/// counted instructions.
fn hottest(analysis: &Analysis, most: usize) -> Vec<u32> {
    let work = |each: &LoopFacts| each.work.as_ref().map_or(0, |work| work.instructions);
    let mut groups: BTreeMap<u32, (f64, u64, &LoopFacts)> = BTreeMap::new();
    for each in &analysis.loops {
        let group = groups.entry(each.group).or_insert((0.0, 0, each));
        group.0 += each.self_seconds;
        group.1 = group.1.saturating_add(work(each));
        if (each.self_seconds, work(each)) > (group.2.self_seconds, work(group.2)) {
            group.2 = each;
        }
    }
    let mut groups: Vec<_> = groups.into_values().filter(|group| group.0 > 0.0 || group.1 > 0).collect();
    groups.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.cmp(&a.1)).then(a.2.id.cmp(&b.2.id)));
    groups.into_iter().take(most).map(|group| group.2.id).collect()
}

/// Where all pieces of these loops' source loops are.
pub fn pieces(loaded: &Loaded, ids: &[u32]) -> Result<Chosen, Failure> {
    let analysis = &loaded.analysis;
    let mut pieces = Vec::new();
    let mut threads = 1;
    for &id in ids {
        let group = analysis.loops.iter().find(|each| each.id == id).map(|each| each.group);
        let others = || analysis.loops.iter().filter(|each| Some(each.group) == group);
        threads = others().map(|each| each.threads).fold(threads, u32::max);
        let wanted: Vec<u32> = std::iter::once(id).chain(others().map(|each| each.id)).collect();
        let mut known = false;
        for module in loaded.facts.code() {
            for function in module.functions.iter() {
                let loops = function.loop_ids.iter().zip(&function.code.loops);
                for (_, code) in loops.filter(|(id, _)| wanted.contains(id)) {
                    if !known {
                        state::must_be_unchanged(&module.facts)?;
                    }
                    known = true;
                    pieces.push(LoopChoice {
                        module: PathBuf::from(&module.facts.path),
                        function: function.code.function.address,
                        header: code.header,
                    });
                }
            }
        }
        if !known {
            return Err(state::unknown_loop(id));
        }
    }
    pieces.sort_by(|a, b| (&a.module, a.function, a.header).cmp(&(&b.module, b.function, b.header)));
    pieces.dedup_by(|a, b| (&a.module, a.header) == (&b.module, b.header));
    Ok(Chosen { ids: ids.to_vec(), threads, pieces })
}

struct Watcher<'a> {
    console: &'a Console,
    progress: LateProgress,
    stop: Arc<AtomicBool>,
}

impl TraceObserver for Watcher<'_> {
    // From here on the program owns the terminal, as in a survey.
    fn started(&mut self, _pid: u32) {
        self.progress.finish();
    }

    fn tick(&mut self, status: &TraceStatus) {
        interrupt::pass_on(&self.stop);
        self.progress.show(self.console, status.elapsed, || {
            format!(
                "tracing: {:.0} s, {} bursts, {} accesses, {} of {} loops seen",
                status.elapsed.as_secs_f64(),
                status.bursts,
                status.accesses,
                status.loops_seen,
                status.loops_chosen
            )
        });
    }
}
