//! The parts of several changes as those of one.

use loopwright_experiment::trials::{Part, Trial};

/// The parts of several trials, the best first; of two that change the same lines or the same variable the first one stays.
pub(crate) fn merged(trials: &[Trial]) -> Vec<Part> {
    let mut all: Vec<Part> = Vec::new();
    for trial in trials {
        if trial.parts.iter().all(|part| all.iter().all(|known| agree(known, part))) {
            let new: Vec<Part> = trial.parts.iter().filter(|part| !all.contains(part)).cloned().collect();
            all.extend(new);
        }
    }
    all
}

/// Both can be made.
fn agree(a: &Part, b: &Part) -> bool {
    match (a, b) {
        (Part::Edit { file, line, before, .. }, Part::Edit { file: other, line: at, before: text, .. }) => {
            let end = |line: u32, text: &str| line as usize + text.lines().count();
            a == b || file != other || end(*line, before) <= *at as usize || end(*at, text) <= *line as usize
        }
        (Part::Variable { name, value }, Part::Variable { name: other, value: new }) => {
            name != other || value == new
        }
        _ => true,
    }
}
