//! Which counts, traces and other runs beside the survey are of the builds that are shown: a program may have been rebuilt between survey and later runs.
//!
//! The survey decides; without one the newest counting or tracing run does. Builds are distinguished by their build id, and where a
//! module has none by the identity under which its code is stored.

use loopwright_experiment::{CodeModule, Collected, Facts, Run};
use std::collections::{BTreeSet, HashMap};

/// What distinguishes two builds of one path.
#[derive(Clone, Debug, Default)]
struct Build<'a> {
    id: Option<&'a str>,
    /// The number of any stored function: equal builds share them.
    function: Option<i64>,
}

impl Build<'_> {
    fn differs(&self, other: &Build) -> bool {
        match (self.id, other.id) {
            (Some(a), Some(b)) => a != b,
            _ => self.function.zip(other.function).is_some_and(|(a, b)| a != b),
        }
    }
}

fn first_function(code: Option<&CodeModule>) -> Option<i64> {
    code.and_then(|module| module.functions.first()).map(|stored| stored.id)
}

/// For each run beside the survey and module: its facts are of the build that is shown.
#[derive(Clone, Debug, Default)]
pub struct Builds {
    /// Of counting runs.
    pub counts: Current,
    /// Of tracing runs.
    pub traces: Current,
    /// Of runs with injected operations.
    pub injected: Current,
    /// Of runs under the processor's counters.
    pub top_down: Current,
}

/// Which modules of the runs of one kind are of the builds that are shown.
#[derive(Clone, Debug, Default)]
pub struct Current {
    runs: Vec<Vec<bool>>,
    /// Paths of modules that no run has of the shown build.
    pub stale: BTreeSet<String>,
}

impl Current {
    /// The facts about this module of this run are to be used.
    pub fn holds(&self, run: usize, module: usize) -> bool {
        self.runs.get(run).and_then(|modules| modules.get(module)).copied().unwrap_or(false)
    }
}

/// Path and build of each module of a run.
fn modules<T: Collected>(run: &Run<T>) -> Vec<(&str, Build<'_>)> {
    let with_code =
        |(position, (path, id))| (path, Build { id, function: first_function(code_at(&run.code, position)) });
    run.facts.modules().enumerate().map(with_code).collect()
}

impl Builds {
    /// Compares all runs beside the surveys with these and with each other.
    pub fn of(facts: &Facts) -> Self {
        let mut shown: HashMap<&str, Build> = HashMap::new();
        for survey in &facts.surveys {
            for (position, (path, mut build)) in modules(survey).into_iter().enumerate() {
                let described = || code_at(&survey.code, position)?.facts.build_id.as_deref();
                build.id = build.id.or_else(described);
                shown.entry(path).or_insert(build);
            }
        }
        // Runs are numbered in the order in which they were made.
        let counts = facts.counts.iter().enumerate().map(|(index, run)| (run.id, 0, index, modules(run)));
        let traces = facts.traced.iter().enumerate().map(|(index, run)| (run.id, 1, index, modules(run)));
        let injected = facts.injected.iter().enumerate().map(|(index, run)| (run.id, 2, index, modules(run)));
        let top_down = facts.top_down.iter().enumerate().map(|(index, run)| (run.id, 3, index, modules(run)));
        let mut runs: Vec<_> = counts.chain(traces).chain(injected).chain(top_down).collect();
        runs.sort_unstable_by_key(|(id, kind, index, _)| (*id, *kind, *index));
        let numbers = [facts.counts.len(), facts.traced.len(), facts.injected.len(), facts.top_down.len()];
        let mut current = numbers.map(|n| vec![Vec::new(); n]);
        // Paths of which some run is of the shown build, and of which some run is not.
        let (mut known, mut other) = ([const { BTreeSet::new() }; 4], [const { BTreeSet::new() }; 4]);
        for (_, kind, index, modules) in runs.into_iter().rev() {
            for (path, build) in modules {
                let is_current = !build.differs(shown.entry(path).or_insert_with(|| build.clone()));
                current[kind][index].push(is_current);
                let seen = if is_current { &mut known } else { &mut other };
                seen[kind].insert(path);
            }
        }
        let stale =
            |kind: usize| other[kind].difference(&known[kind]).map(|path| (*path).to_owned()).collect();
        let [counts, traces, injected, top_down] = current;
        Self {
            counts: Current { runs: counts, stale: stale(0) },
            traces: Current { runs: traces, stale: stale(1) },
            injected: Current { runs: injected, stale: stale(2) },
            top_down: Current { runs: top_down, stale: stale(3) },
        }
    }
}

/// The described code of a module of a run.
pub fn code_at(code: &[CodeModule], position: usize) -> Option<&CodeModule> {
    code.iter().find(|code| code.position as usize == position)
}
