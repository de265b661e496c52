//! Which compilation units to ask the compiler about again: those that hold hot loops.

use crate::model::Analysis;
use loopwright_experiment::Facts;
use std::collections::BTreeMap;

/// A unit worth asking about.
#[derive(Clone, Debug, PartialEq)]
pub struct WantedUnit {
    /// Path of the module.
    pub module: String,
    /// Source file as recorded.
    pub file: String,
    /// Compilation directory.
    pub directory: String,
    /// Compiler and flags as recorded.
    pub producer: Option<String>,
    /// Share of the self time in the hot loops of the unit's functions.
    pub share: f64,
}

/// The units, and how many hot loops belong to none.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Wanted {
    /// Units, each once.
    pub units: Vec<WantedUnit>,
    /// Loops whose unit is not known: no debug information.
    pub without_unit: usize,
}

/// Units of loops with at least this self share, the share of their group counted.
pub fn wanted_units(facts: &Facts, analysis: &Analysis, smallest_share: f64) -> Wanted {
    let hot: BTreeMap<u32, f64> = analysis
        .loops
        .iter()
        .filter(|l| l.group_share >= smallest_share)
        .map(|l| (l.id, l.self_share))
        .collect();
    let mut units: BTreeMap<(String, String), WantedUnit> = BTreeMap::new();
    let mut without_unit = 0;
    for (survey, module) in facts.surveys.iter().flat_map(|s| s.code.iter().map(move |module| (s, module))) {
        let Some(path) = survey.facts.modules.get(module.position as usize).map(|m| &m.path) else {
            continue;
        };
        for stored in module.functions.iter() {
            let mut shares = stored.loop_ids.iter().filter_map(|id| hot.get(id)).peekable();
            if shares.peek().is_none() {
                continue;
            }
            let share: f64 = shares.sum();
            let Some(unit) = &stored.code.unit else {
                without_unit += 1;
                continue;
            };
            let wanted = WantedUnit {
                module: path.clone(),
                file: unit.name.clone(),
                directory: unit.directory.clone(),
                producer: stored.code.producer.clone(),
                share: 0.0,
            };
            let unit = units.entry((wanted.directory.clone(), wanted.file.clone())).or_insert(wanted);
            unit.share += share;
        }
    }
    Wanted { units: units.into_values().collect(), without_unit }
}
