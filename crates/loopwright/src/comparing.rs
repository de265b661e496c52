//! Two states side by side, with what became of the earlier one's predictions: for every verb that shows it.

use crate::state::Loaded;
use loopwright_advise::{Prediction, Side, predictions};
use loopwright_analysis::compare::{Comparison, compare};

/// A state and the name that it was asked for by.
pub type Named<'a> = (&'a str, &'a Loaded);

/// Two states side by side.
pub struct Compared {
    pub comparison: Comparison,
    /// The earlier state's recommendations, compared with what changed.
    pub predictions: Vec<Prediction>,
}

impl Compared {
    pub fn of((before_name, before): Named<'_>, (after_name, after): Named<'_>) -> Self {
        let comparison = compare((before_name, &before.analysis), (after_name, &after.analysis));
        let predictions = predictions(
            Side { analysis: &before.analysis, recommendations: before.recommendations() },
            Side { analysis: &after.analysis, recommendations: after.recommendations() },
            &comparison,
        );
        Self { comparison, predictions }
    }
}
