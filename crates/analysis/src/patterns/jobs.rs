//! Tracing runs by job: the ranks of one job did different parts of one computation, their facts are united.
//!
//! A run alone is used as it is. Modules of ranks are matched by path, and those of another build than the shown one are
//! left out.

use crate::counts::Builds;
use crate::resolve::Entities;
use loopwright_experiment::{CodeModule, Facts, Run};
use loopwright_instrument::reason::Reason;
use loopwright_instrument::traced::Patterns;
use loopwright_patterns::unite::unite;
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

/// A run's traces with what the binaries say.
pub(crate) type TracedRun = Run<Patterns>;

/// One job, its loops found among the entities.
pub(super) struct Job<'a> {
    /// The run; of several ranks, their union.
    pub run: Cow<'a, TracedRun>,
    /// Index into [`Entities::functions`] by module and entry address.
    pub functions: HashMap<(u32, u64), u32>,
    /// By index into [`Entities::loops`]: index into the run's loops.
    pub loops: BTreeMap<u32, usize>,
    /// Loops that were asked for and not traced, with the reason.
    pub untraced: BTreeMap<u32, Reason>,
}

impl<'a> Job<'a> {
    /// Unites the runs (indices into [`Facts::traced`]) of one job.
    pub fn new(facts: &'a Facts, entities: &Entities, builds: &Builds, runs: &[usize]) -> Self {
        let (run, functions) = match runs {
            [run] => (Cow::Borrowed(&facts.traced[*run]), entities.traced[*run].clone()),
            _ => united(facts, entities, builds, runs),
        };
        let loop_at: HashMap<(u32, u64), u32> = (entities.loops.iter().zip(0..))
            .map(|(entity, index)| ((entity.function, entity.code.header), index))
            .collect();
        let mut loops = BTreeMap::new();
        for (position, seen) in run.facts.loops.iter().enumerate() {
            let function = functions.get(&(seen.module, seen.function));
            if let Some(&index) = function.and_then(|&f| loop_at.get(&(f, seen.header))) {
                loops.insert(index, position);
            }
        }
        let mut untraced = BTreeMap::new();
        for loop_ in &run.facts.untraced {
            let mut of_module = functions.iter().filter(|((module, _), _)| {
                run.facts.modules.get(*module as usize).is_some_and(|m| m.path == loop_.module)
            });
            if let Some(&index) = of_module.find_map(|(_, &f)| loop_at.get(&(f, loop_.header)))
                && !loops.contains_key(&index)
            {
                untraced.insert(index, loop_.reason.clone());
            }
        }
        Self { run, functions, loops, untraced }
    }
}

/// All runs of a job as one.
fn united<'a>(
    facts: &'a Facts,
    entities: &Entities,
    builds: &Builds,
    runs: &[usize],
) -> (Cow<'a, TracedRun>, HashMap<(u32, u64), u32>) {
    let mut all: Option<TracedRun> = None;
    let mut functions = HashMap::new();
    let mut at: HashMap<(u32, u64, u64), usize> = HashMap::new();
    // The lowest rank first: its order of operands is kept.
    for &run in runs.iter().rev() {
        let from = &facts.traced[run];
        let all = all.get_or_insert_with(|| Run {
            facts: Patterns {
                modules: Vec::new(),
                loops: Vec::new(),
                untraced: Vec::new(),
                warnings: Vec::new(),
                bursts: 0,
                accesses: 0,
                trace_bytes: 0,
                threads: 0,
                analysis_seconds: 0.0,
                ..from.facts.clone()
            },
            code: Vec::new(),
            ..from.clone()
        });
        let into = &mut all.facts;
        let mut moved: Vec<u32> = Vec::with_capacity(from.facts.modules.len());
        for (module, position) in from.facts.modules.iter().zip(0..) {
            let place = into.modules.iter().position(|known| known.path == module.path);
            let place = place.unwrap_or_else(|| {
                into.modules.push(module.clone());
                into.modules.len() - 1
            }) as u32;
            // Addresses of data are united, too: they identify variables only where the ranks agree.
            let known = &mut into.modules[place as usize];
            if known.bias != module.bias {
                known.bias = None;
            }
            moved.push(place);
            let own = from.code.iter().find(|code| code.position == position);
            if let Some(code) = own.filter(|_| all.code.iter().all(|code| code.position != place)) {
                all.code.push(CodeModule { position: place, ..code.clone() });
            }
        }
        let module = |index: u32| moved.get(index as usize).copied().unwrap_or(u32::MAX);
        functions.extend(entities.traced[run].iter().map(|(&(m, address), &f)| ((module(m), address), f)));
        for seen in &from.facts.loops {
            if !builds.traces.holds(run, seen.module as usize) {
                continue;
            }
            let key = (module(seen.module), seen.function, seen.header);
            let position = *at.entry(key).or_insert_with(|| {
                into.loops.push(loopwright_patterns::facts::LoopPatterns {
                    module: key.0,
                    function: key.1,
                    header: key.2,
                    ..Default::default()
                });
                into.loops.len() - 1
            });
            unite(&mut into.loops[position], seen, &module);
        }
        for untraced in &from.facts.untraced {
            if !into.untraced.contains(untraced) {
                into.untraced.push(untraced.clone());
            }
        }
        for warning in &from.facts.warnings {
            if !into.warnings.contains(warning) {
                into.warnings.push(warning.clone());
            }
        }
        into.exhaustive &= from.facts.exhaustive;
        into.strides |= from.facts.strides;
        into.dependences |= from.facts.dependences;
        into.predictor = into.predictor.or(from.facts.predictor);
        into.bursts = into.bursts.saturating_add(from.facts.bursts);
        into.accesses = into.accesses.saturating_add(from.facts.accesses);
        into.trace_bytes = into.trace_bytes.saturating_add(from.facts.trace_bytes);
        into.threads = into.threads.saturating_add(from.facts.threads);
        into.interrupted |= from.facts.interrupted;
        into.nodes = into.nodes.max(from.facts.nodes);
        into.elapsed_seconds = into.elapsed_seconds.max(from.facts.elapsed_seconds);
        into.analysis_seconds += from.facts.analysis_seconds;
    }
    (Cow::Owned(all.expect("a job has runs")), functions)
}
