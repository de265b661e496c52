//! The casebook: its list, the ladder of a case, how the advice did, throughput, and the chapter of the docs.

mod advice;
mod chapter;
#[cfg(test)]
mod described;
mod document;
mod ladder;
mod listing;
mod throughput;

pub use advice::advice;
pub use chapter::{Chapter, chapter, contents};
pub use document::CasebookDocument;
pub use ladder::ladders;
pub use listing::{CaseSummary, case, list};
pub use throughput::throughput;

use loopwright_casebook::record::HitRate;

/// How often the advice was right, in a sentence.
fn hit_rate(rate: &HitRate) -> String {
    let share = |part: usize, all: usize| {
        if all == 0 { String::new() } else { format!(" ({:.0} %)", 100.0 * part as f64 / all as f64) }
    };
    format!(
        "{} of {} rungs{} have the expected recommendation among the first three of the stage before; {} of {} \
         measured gains{} are in the predicted range",
        rate.recommended,
        rate.rungs,
        share(rate.recommended, rate.rungs),
        rate.came_true,
        rate.predicted,
        share(rate.came_true, rate.predicted),
    )
}
