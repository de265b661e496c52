//! The facts of one state, as loaded: what every analysis starts from.

use crate::communication::Messages;
use crate::energy::Energy;
use crate::heap::HeapUse;
use crate::input_output::InputOutput;
use crate::reproduction::Reproduction;
use crate::trials::Trials;
use crate::tuning::Tuning;
use crate::{
    CodeModule, Collected, Cost, Error, Experiment, Listing, MachineRecord, ReadModules, Run, RunId, State,
};
use loopwright_binary::code::latency;
use loopwright_binary::facts::{CarriedChain, ChainKind, LoopCode, Trait};
use loopwright_instrument::facts::Counts;
use loopwright_instrument::injected::Injected;
use loopwright_instrument::traced::Patterns;
use loopwright_remarks::remark::Remark;
use loopwright_sample::recording::Recording;
use loopwright_sample::top_down::TopDown;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Everything that is analysed together: all ranks of a job, counts of the same command, and the compilers' remarks.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// One per rank; exactly one without MPI; none when there are only counts.
    pub surveys: Vec<Run<Recording>>,
    /// Counting runs, oldest first.
    pub counts: Vec<Run<Counts>>,
    /// Tracing runs, oldest first.
    pub traced: Vec<Run<Patterns>>,
    /// Runs under the processor's counters, oldest first.
    pub top_down: Vec<Run<TopDown>>,
    /// Runs with injected operations, oldest first.
    pub injected: Vec<Run<Injected>>,
    /// Trials of advice, oldest first.
    pub trials: Vec<Run<Trials>>,
    /// Searches for the best build, oldest first.
    pub tuning: Vec<Run<Tuning>>,
    /// Comparisons of the answers of two builds, oldest first.
    pub reproductions: Vec<Run<Reproduction>>,
    /// Energy of runs, oldest first.
    pub energy: Vec<Run<Energy>>,
    /// Calls of MPI, oldest first; one for each rank of a job.
    pub communication: Vec<Run<Messages>>,
    /// Input and output, oldest first; one for each rank of a job.
    pub input_output: Vec<Run<InputOutput>>,
    /// Allocations, oldest first; one for each rank of a job.
    pub heap: Vec<Run<HeapUse>>,
    /// Text of the stored source files of counted and traced code, by path as the binary names them.
    pub sources: BTreeMap<String, String>,
    /// Listings of functions by [`crate::StoredFunction::id`]: of those that tracing runs name, where they give the source line of
    /// an operand, and of those whose loops have chains or conversions of floating-point numbers, whose instructions they name.
    pub listings: BTreeMap<i64, Listing>,
    /// The compilers' remarks about the program's sources.
    pub remarks: Vec<Remark>,
    /// What the tool itself took.
    pub costs: Vec<Cost>,
}

impl Facts {
    /// Loads a state.
    pub fn load(experiment: &Experiment, state: &State) -> Result<Self, Error> {
        let mut read = ReadModules::default();
        let mut sources = BTreeMap::new();
        for &run in state.of::<Counts>().iter().chain(state.of::<Patterns>()) {
            for path in experiment.sources(run)? {
                // Of a file that changed between two runs, the later text is kept.
                if let Some(text) = experiment.source(&[run], &path)? {
                    sources.insert(path, text);
                }
            }
        }
        let surveys = runs(experiment, state, &mut read)?;
        let counts = runs(experiment, state, &mut read)?;
        let traced = runs(experiment, state, &mut read)?;
        let top_down = runs(experiment, state, &mut read)?;
        let injected = runs(experiment, state, &mut read)?;
        let trials = runs(experiment, state, &mut read)?;
        let tuning = runs(experiment, state, &mut read)?;
        let reproductions = runs(experiment, state, &mut read)?;
        let energy = runs(experiment, state, &mut read)?;
        let communication = runs(experiment, state, &mut read)?;
        let input_output = runs(experiment, state, &mut read)?;
        let heap = runs(experiment, state, &mut read)?;
        Ok(Self {
            listings: listings(experiment, &surveys, &traced)?,
            surveys,
            counts,
            traced,
            top_down,
            injected,
            trials,
            tuning,
            reproductions,
            energy,
            communication,
            input_output,
            heap,
            sources,
            remarks: experiment.remarks(state.of::<Vec<Remark>>())?,
            costs: experiment.costs(&state.collections())?,
        })
    }

    /// The machine of the survey, else of the newest counting run, else of the newest tracing run; one with ceilings is
    /// preferred.
    pub fn machine(&self) -> Option<&MachineRecord> {
        let records = || {
            let surveys = self.surveys.iter().filter_map(|run| run.machine.as_deref());
            let counts = self.counts.iter().rev().filter_map(|run| run.machine.as_deref());
            surveys.chain(counts).chain(self.traced.iter().rev().filter_map(|run| run.machine.as_deref()))
        };
        records().find(|record| record.ceilings.is_some()).or_else(|| records().next())
    }

    /// The machines of all runs.
    pub fn machines_mut(&mut self) -> impl Iterator<Item = &mut MachineRecord> {
        let surveys = self.surveys.iter_mut().map(|run| &mut run.machine);
        let counts = self.counts.iter_mut().map(|run| &mut run.machine);
        let all = surveys.chain(counts).chain(self.traced.iter_mut().map(|run| &mut run.machine));
        all.flatten().map(Arc::make_mut)
    }

    /// All described modules of all runs.
    pub fn code(&self) -> impl Iterator<Item = &CodeModule> {
        let counts = self.counts.iter().flat_map(|run| &run.code);
        let traced = self.traced.iter().flat_map(|run| &run.code);
        self.surveys.iter().flat_map(|run| &run.code).chain(counts).chain(traced)
    }
}

/// Fewer runs are loaded by one thread: each further one has to open the file.
const FEWEST_FOR_THREADS: usize = 64;

/// The runs of one kind, those of many ranks by all CPUs.
fn runs<T: Collected + Send>(
    experiment: &Experiment,
    state: &State,
    read: &mut ReadModules,
) -> Result<Vec<Run<T>>, Error> {
    let runs = state.of::<T>();
    let cpus = std::thread::available_parallelism().map_or(1, usize::from);
    let share = runs.len().div_ceil(cpus).max(FEWEST_FOR_THREADS);
    let (mine, others) = runs.split_at(share.min(runs.len()));
    // What the first run needs, most others need, too: they share it.
    let (first, mine) = mine.split_at(mine.len().min(1));
    let mut all = load(experiment, first, read)?;
    let (known, path) = (read.clone(), experiment.path().to_owned());
    let work = |part: &[RunId]| load(&Experiment::open(&path)?, part, &mut known.clone());
    let work = &work;
    let (mine, theirs) = std::thread::scope(|scope| {
        let workers: Vec<_> = others.chunks(share).map(|part| scope.spawn(move || work(part))).collect();
        let mine = load(experiment, mine, read);
        let join = |worker: std::thread::ScopedJoinHandle<'_, _>| {
            worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        (mine, workers.into_iter().map(join).collect::<Vec<Result<Vec<Run<T>>, Error>>>())
    });
    all.append(&mut mine?);
    for part in theirs {
        all.append(&mut part?);
    }
    Ok(all)
}

fn load<T: Collected>(
    experiment: &Experiment,
    runs: &[RunId],
    read: &mut ReadModules,
) -> Result<Vec<Run<T>>, Error> {
    runs.iter().map(|&run| experiment.run(run, read)).collect()
}

/// The listing shows more of a loop's chains or conversions than its facts.
fn is_open(code: &LoopCode) -> bool {
    let several = |chain: &CarriedChain| {
        matches!(chain.kind, ChainKind::InOrderSum | ChainKind::VectorReduction | ChainKind::Recurrence)
            && chain.latency_cycles >= latency::ARITHMETIC
    };
    code.traits.contains(&Trait::FloatWidthConversion) || code.chains.iter().any(several)
}

/// Listings of the functions that contain traced operands, branches and loops, or surveyed loops whose facts leave something open.
fn listings(
    experiment: &Experiment,
    surveys: &[Run<Recording>],
    runs: &[Run<Patterns>],
) -> Result<BTreeMap<i64, Listing>, Error> {
    let mut listings = BTreeMap::new();
    for stored in surveys.iter().flat_map(|run| &run.code).flat_map(|module| module.functions.iter()) {
        if stored.code.loops.iter().any(is_open) && !listings.contains_key(&stored.id) {
            listings.extend(experiment.listing(stored.id)?.map(|listing| (stored.id, listing)));
        }
    }
    for run in runs {
        let mut named: BTreeSet<(u32, u64)> = BTreeSet::new();
        for seen in &run.facts.loops {
            named.extend(seen.functions());
        }
        for module in &run.code {
            for stored in module.functions.iter() {
                let is_named = named.contains(&(module.position, stored.code.function.address));
                if is_named && !listings.contains_key(&stored.id) {
                    listings.extend(experiment.listing(stored.id)?.map(|listing| (stored.id, listing)));
                }
            }
        }
    }
    Ok(listings)
}

#[cfg(test)]
mod tests {
    use super::*;
    use loopwright_instrument::traced::TracedModule;
    use loopwright_patterns::facts::LoopPatterns;
    use loopwright_sample::recording::Target;

    #[test]
    fn traces_come_with_their_code_and_with_the_latest_text_of_their_sources() {
        let folder = tempfile::tempdir().unwrap();
        let mut experiment = Experiment::create_or_open(&folder.path().join("x.lw")).unwrap();
        let target = Target { command: vec!["./a".into()], ..Target::default() };
        let patterns = Patterns {
            modules: vec![TracedModule { path: "/bin/a".into(), build_id: None, bias: None }],
            loops: vec![LoopPatterns { header: 0x1010, iterations: 9, ..LoopPatterns::default() }],
            ..Patterns::default()
        };
        for text in ["first", "second"] {
            let run = experiment.add(&patterns, Some(&target), None).unwrap();
            let module =
                loopwright_binary::facts::ModuleFacts { path: "/bin/a".into(), ..Default::default() };
            experiment.add_code(run, 0, "ab", &module, &[]).unwrap();
            experiment.add_source(run, "/home/u/a.c", text).unwrap();
        }
        let facts = Facts::load(&experiment, &experiment.latest().unwrap()).unwrap();
        assert_eq!(facts.traced.len(), 2);
        assert!(facts.traced.iter().all(|run| run.facts == patterns && run.target == target));
        assert_eq!(facts.code().map(|module| module.facts.path.as_str()).collect::<Vec<_>>(), ["/bin/a"; 2]);
        assert_eq!(facts.sources, BTreeMap::from([("/home/u/a.c".to_owned(), "second".to_owned())]));
    }
}
