//! Which counts and traces are of the builds that are shown: a program may have been rebuilt between survey and later runs.
//!
//! The survey decides; without one the newest counting or tracing run does. Builds are told apart by their build id, and where a
//! module has none by the identity under which its code is stored.

use crate::facts::{CountedRun, Facts, TracedRun};
use loopwright_experiment::{CodeModule, RunId};
use std::collections::{BTreeSet, HashMap};

/// What tells two builds of one path apart.
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

/// For each counting and tracing run and module: its facts are of the build that is shown.
#[derive(Clone, Debug, Default)]
pub struct Builds {
    current: Vec<Vec<bool>>,
    traced: Vec<Vec<bool>>,
    /// Paths of modules all of whose counts are of another build.
    pub stale: BTreeSet<String>,
    /// The same of traces.
    pub stale_traces: BTreeSet<String>,
}

/// A module of a counting or tracing run.
struct Used<'a> {
    path: &'a str,
    build: Build<'a>,
}

fn counted(run: &CountedRun) -> impl Iterator<Item = Used<'_>> {
    run.counts.modules.iter().enumerate().map(|(position, module)| {
        let function = first_function(code_at(&run.code, position));
        Used { path: &module.path, build: Build { id: module.build_id.as_deref(), function } }
    })
}

fn traced(run: &TracedRun) -> impl Iterator<Item = Used<'_>> {
    run.patterns.modules.iter().enumerate().map(|(position, module)| {
        let function = first_function(code_at(&run.code, position));
        Used { path: &module.path, build: Build { id: module.build_id.as_deref(), function } }
    })
}

/// Paths of which some run is of the shown build, and of which some run is not.
#[derive(Default)]
struct Paths<'a> {
    known: BTreeSet<&'a str>,
    other: BTreeSet<&'a str>,
}

impl<'a> Paths<'a> {
    fn note(&mut self, path: &'a str, current: bool) {
        if current { &mut self.known } else { &mut self.other }.insert(path);
    }

    fn stale(&self) -> BTreeSet<String> {
        self.other.difference(&self.known).map(|path| (*path).to_owned()).collect()
    }
}

impl Builds {
    /// Compares all counting and tracing runs with the surveys and with each other.
    pub fn of(facts: &Facts) -> Self {
        let mut shown: HashMap<&str, Build> = HashMap::new();
        for survey in &facts.surveys {
            for (position, module) in survey.recording.modules.iter().enumerate() {
                let code = code_at(&survey.code, position);
                let described = code.and_then(|code| code.facts.build_id.as_deref());
                let id = module.build_id.as_deref().or(described);
                shown.entry(&module.path).or_insert(Build { id, function: first_function(code) });
            }
        }
        // Runs are numbered in the order in which they were made.
        let mut runs: Vec<(RunId, bool, usize)> = (facts.counts.iter().enumerate())
            .map(|(index, run)| (run.run, false, index))
            .chain(facts.traced.iter().enumerate().map(|(index, run)| (run.run, true, index)))
            .collect();
        runs.sort_unstable();
        let mut builds = Self {
            current: vec![Vec::new(); facts.counts.len()],
            traced: vec![Vec::new(); facts.traced.len()],
            ..Self::default()
        };
        let (mut counts, mut traces) = (Paths::default(), Paths::default());
        for (_, is_trace, index) in runs.into_iter().rev() {
            let modules: Vec<Used> = match is_trace {
                false => counted(&facts.counts[index]).collect(),
                true => traced(&facts.traced[index]).collect(),
            };
            let (flags, paths) = match is_trace {
                false => (&mut builds.current[index], &mut counts),
                true => (&mut builds.traced[index], &mut traces),
            };
            for module in modules {
                let expected = shown.entry(module.path).or_insert_with(|| module.build.clone());
                let current = !module.build.differs(expected);
                flags.push(current);
                paths.note(module.path, current);
            }
        }
        builds.stale = counts.stale();
        builds.stale_traces = traces.stale();
        builds
    }

    /// The counts of this module of this run are to be used.
    pub fn is_current(&self, run: usize, module: usize) -> bool {
        self.current.get(run).and_then(|modules| modules.get(module)).copied().unwrap_or(false)
    }

    /// The same of what was traced.
    pub fn is_traced(&self, run: usize, module: usize) -> bool {
        self.traced.get(run).and_then(|modules| modules.get(module)).copied().unwrap_or(false)
    }
}

/// The described code of a module of a run.
pub fn code_at(code: &[CodeModule], position: usize) -> Option<&CodeModule> {
    code.iter().find(|code| code.position as usize == position)
}
