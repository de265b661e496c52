//! Which compilation units to ask the compiler about again: those that hold hot loops.

use crate::facts::Facts;
use crate::model::Analysis;
use std::collections::{BTreeMap, BTreeSet};

/// A unit worth asking about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct WantedUnit {
    /// Path of the module.
    pub module: String,
    /// Source file as recorded.
    pub file: String,
    /// Compilation directory.
    pub directory: String,
    /// Compiler and flags as recorded.
    pub producer: Option<String>,
}

/// The units, and how many hot loops belong to none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Units, each once.
    pub units: Vec<WantedUnit>,
    /// Loops whose unit is not known: no debug information.
    pub without_unit: usize,
}

/// Units of loops with at least this self share, the share of their group counted.
pub fn wanted_units(facts: &Facts, analysis: &Analysis, smallest_share: f64) -> Wanted {
    let hot: BTreeSet<u32> =
        analysis.loops.iter().filter(|l| l.group_share >= smallest_share).map(|l| l.id).collect();
    let mut units: BTreeMap<(String, String), WantedUnit> = BTreeMap::new();
    let mut without_unit = 0;
    for (survey, module) in facts.surveys.iter().flat_map(|s| s.code.iter().map(move |module| (s, module))) {
        let Some(path) = survey.recording.modules.get(module.position as usize).map(|m| &m.path) else {
            continue;
        };
        for stored in &module.functions {
            let holds_hot = stored.loop_ids.iter().any(|id| hot.contains(id));
            if !holds_hot {
                continue;
            }
            let Some(unit) = &stored.code.unit else {
                without_unit += 1;
                continue;
            };
            let wanted = WantedUnit {
                module: path.clone(),
                file: unit.name.clone(),
                directory: unit.directory.clone(),
                producer: stored.code.producer.clone(),
            };
            units.entry((wanted.directory.clone(), wanted.file.clone())).or_insert(wanted);
        }
    }
    Wanted { units: units.into_values().collect(), without_unit }
}
