//! Which counts are of the builds that are shown: a program may have been rebuilt between survey and counting run.
//!
//! The survey decides; without one the newest counting run does. Builds are told apart by their build id, and where a
//! module has none by the identity under which its code is stored.

use crate::facts::{CountedRun, Facts};
use loopwright_experiment::CodeModule;
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

/// For each counting run and module: its counts are of the build that is shown.
#[derive(Clone, Debug, Default)]
pub struct Builds {
    current: Vec<Vec<bool>>,
    /// Paths of modules all of whose counts are of another build.
    pub stale: BTreeSet<String>,
}

impl Builds {
    /// Compares all counting runs with the surveys and with each other.
    pub fn of(facts: &Facts) -> Self {
        let mut shown: HashMap<&str, Build> = HashMap::new();
        for survey in &facts.surveys {
            for (position, module) in survey.recording.modules.iter().enumerate() {
                let code = survey.code.iter().find(|code| code.position as usize == position);
                let described = code.and_then(|code| code.facts.build_id.as_deref());
                let id = module.build_id.as_deref().or(described);
                shown.entry(&module.path).or_insert(Build { id, function: first_function(code) });
            }
        }
        let mut current: Vec<Vec<bool>> =
            facts.counts.iter().map(|run| vec![true; run.counts.modules.len()]).collect();
        let mut known = BTreeSet::new();
        let mut stale = BTreeSet::new();
        for (run, current) in facts.counts.iter().zip(&mut current).rev() {
            for (position, (module, current)) in run.counts.modules.iter().zip(current).enumerate() {
                let function = first_function(code_of(run, position));
                let build = Build { id: module.build_id.as_deref(), function };
                let expected = shown.entry(&module.path).or_insert_with(|| build.clone());
                *current = !build.differs(expected);
                if *current {
                    known.insert(&module.path)
                } else {
                    stale.insert(&module.path)
                };
            }
        }
        let stale = stale.difference(&known).map(|path| (*path).clone()).collect();
        Self { current, stale }
    }

    /// The counts of this module of this run are to be used.
    pub fn is_current(&self, run: usize, module: usize) -> bool {
        self.current.get(run).and_then(|modules| modules.get(module)).copied().unwrap_or(false)
    }
}

/// The described code of a module of a counting run.
pub fn code_of(run: &CountedRun, position: usize) -> Option<&CodeModule> {
    run.code.iter().find(|code| code.position as usize == position)
}
