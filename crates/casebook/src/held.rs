//! Compares what was advised, or found by a search, with the stages that come from it.

use crate::record::{Advice, Ladder, Measured, Rung, Search};

/// Compares the advice for the stage before with a rung.
pub fn rung(expected: &[String], advice: &Advice, measured: Option<&Measured>) -> Rung {
    let found = advice.recommendations.iter().enumerate().find(|(_, fired)| fired.is_one_of(expected));
    let Some((index, fired)) = found else {
        return Rung { id: None, rank: None, predicted: None, came_true: None };
    };
    let gain = measured.and_then(|m| m.program_gain);
    let came_true = fired.program_gain.zip(gain).map(|([low, high], gain)| {
        // A range is met when the measured interval overlaps it: a difference within the noise is not a miss.
        gain.high >= low && gain.low <= high
    });
    Rung { id: Some(fired.id.clone()), rank: Some(index + 1), predicted: fired.program_gain, came_true }
}

/// What a search says of the stage that it leads to: it measures its gain and predicts none.
fn searched(search: &Search) -> Rung {
    let hit = search.hit.then(|| search.verb.clone());
    Rung { rank: hit.is_some().then_some(1), id: hit, predicted: search.gain, came_true: None }
}

/// Compares the advice of each stage with the stages that come from it.
pub(crate) fn hold(ladders: &mut [Ladder]) {
    for ladder in ladders {
        for index in 0..ladder.stages.len() {
            let stage = &ladder.stages[index];
            let usable = stage.left_out.is_none() && stage.wrong.is_none() && stage.because.is_none();
            if let Some(search) = stage.search.as_ref().filter(|_| usable) {
                ladder.stages[index].rung = Some(searched(search));
                continue;
            }
            let advice = stage.from.filter(|_| usable).and_then(|from| ladder.stages[from].advice.as_ref());
            let held = advice.map(|advice| rung(&stage.expected, advice, stage.measured.as_ref()));
            ladder.stages[index].rung = held;
        }
    }
}
