//! Conditional branches: how often each runs, which way it goes, and how often a predictor would be wrong.
//!
//! The predictor is [`tage`]; each thread has one for itself, and only the traced code uses it. Counts go to every chosen loop
//! that is active at a branch (once, however often it is active).
//!
//! **What a burst cannot know.** The processor's predictor knows the outcomes before a burst, this one does not. Its tables
//! keep what earlier bursts taught them, but after a gap the history is empty: the first [`tage::LONGEST`] outcomes are
//! learned and not judged, and neither are the first [`LEARNED`] of each branch of a thread. With
//! [`crate::run::Options::cold`] all outcomes were seen: then all are judged.

mod tage;

use crate::active::{Active, Turn};
use crate::collect::Collector;
use crate::event::{Event, Outcome};
use crate::facts::{BranchUse, Predictor, PredictorKind};
use crate::shape::Shape;
use std::collections::{BTreeMap, HashMap};
use tage::Tage;

/// Outcomes of a branch that a thread sees before it judges one: an entry of a table has learned a branch after some four,
/// and it may take one for each of the tables until that is the right entry.
const LEARNED: u32 = 32;

/// The predictor that predicts the branches.
pub fn predictor() -> Predictor {
    Predictor {
        kind: PredictorKind::Tage,
        bits: tage::BITS,
        tables: tage::TABLES as u32,
        longest_history: tage::LONGEST as u32,
    }
}

/// Sums by loop and branch: indices in the shape.
pub type Sums = BTreeMap<(u32, u32), Counts>;

/// What was seen of a branch while the same loops were active.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    executed: u64,
    taken: u64,
    predicted: u64,
    mispredicted: u64,
}

/// The branches of one thread.
#[derive(Debug, Default)]
pub struct Branches {
    cold: bool,
    /// None until the thread meets a branch.
    tage: Option<Box<Tage>>,
    active: Active,
    /// Sets of chosen loops that were active together, by their places.
    together: HashMap<Vec<u32>, u32>,
    /// The present one; none when no chosen loop is active.
    now: Option<u32>,
    /// By index in the shape.
    known: Vec<Known>,
    /// Set, branch, counts.
    sums: Vec<(u32, u32, Counts)>,
    at: HashMap<(u32, u32), u32>,
}

/// What is known of a branch.
#[derive(Clone, Copy, Debug, Default)]
struct Known {
    /// Outcomes, up to [`LEARNED`].
    learned: u32,
    /// Index of the sum that counted it last, plus one; 0 when there is none.
    last: u32,
}

impl Branches {
    /// No events yet; `cold` as in [`crate::run::Options::cold`].
    pub fn new(cold: bool) -> Self {
        Self { cold, ..Self::default() }
    }

    /// Adds events of the thread, and the outcomes between them.
    pub fn feed(&mut self, shape: &Shape, events: &[Event], outcomes: &[Outcome]) {
        let mut rest = events;
        let mut done = 0;
        for outcome in outcomes {
            let until = (outcome.after as usize).clamp(done, events.len());
            let (before, after) = rest.split_at(until - done);
            self.follow(shape, before);
            self.branch(shape, outcome.branch, outcome.taken);
            (rest, done) = (after, until);
        }
        self.follow(shape, rest);
    }

    #[inline]
    fn follow(&mut self, shape: &Shape, events: &[Event]) {
        for event in events {
            if matches!(event, Event::Access(_) | Event::Call { .. } | Event::Pass { .. }) {
                continue;
            }
            if *event == Event::Gap
                && !self.cold
                && let Some(tage) = &mut self.tage
            {
                tage.forget_history();
            }
            if self.active.follow(shape, event) != Turn::None {
                self.turn();
            }
        }
    }

    /// Other chosen loops are active than before.
    fn turn(&mut self) {
        let places: Vec<u32> = self.active.now().collect();
        let next = self.together.len() as u32;
        self.now = (!places.is_empty()).then(|| *self.together.entry(places).or_insert(next));
    }

    fn branch(&mut self, shape: &Shape, branch: u32, taken: bool) {
        let Some(at) = shape.branches.get(branch as usize) else { return };
        let cold = self.cold;
        let tage = self.tage.get_or_insert_with(|| {
            let mut tage = Tage::new();
            if !cold {
                tage.forget_history();
            }
            Box::new(tage)
        });
        let knows_history = tage.knows_history();
        // The same address in two modules is two branches.
        let right = tage.predict(at.address ^ u64::from(at.module) << 40, taken);
        if self.known.len() <= branch as usize {
            self.known.resize(branch as usize + 1, Known::default());
        }
        let known = &mut self.known[branch as usize];
        let judged = cold || (knows_history && known.learned >= LEARNED);
        known.learned = (known.learned + 1).min(LEARNED);
        let Some(now) = self.now else { return };
        let last = known.last.checked_sub(1).filter(|&last| self.sums[last as usize].0 == now);
        let index = last.unwrap_or_else(|| {
            let next = self.sums.len() as u32;
            let index = *self.at.entry((now, branch)).or_insert(next);
            if index == next {
                self.sums.push((now, branch, Counts::default()));
            }
            index
        });
        known.last = index + 1;
        let sum = &mut self.sums[index as usize].2;
        sum.executed += 1;
        sum.taken += u64::from(taken);
        sum.predicted += u64::from(judged);
        sum.mispredicted += u64::from(judged && !right);
    }

    /// Adds the thread's sums to those of all.
    pub fn finish(self, into: &mut Sums) {
        let loops: BTreeMap<u32, u32> = self.active.places().map(|(loop_, place)| (place, loop_)).collect();
        let mut places: Vec<Vec<u32>> = vec![Vec::new(); self.together.len()];
        for (together, number) in self.together {
            places[number as usize] = together;
        }
        for (together, branch, counts) in self.sums {
            for loop_ in places[together as usize].iter().filter_map(|place| loops.get(place)) {
                let sum = into.entry((*loop_, branch)).or_default();
                sum.executed += counts.executed;
                sum.taken += counts.taken;
                sum.predicted += counts.predicted;
                sum.mispredicted += counts.mispredicted;
            }
        }
    }
}

/// Adds the sums of all threads to the facts.
pub fn write(sums: Sums, into: &mut Collector) {
    for ((loop_, branch), sum) in sums {
        let Some(at) = into.shape.branches.get(branch as usize) else { continue };
        let seen = BranchUse {
            module: at.module,
            function: at.function,
            address: at.address,
            executed: sum.executed,
            taken: sum.taken,
            predicted: sum.predicted,
            mispredicted: sum.mispredicted,
        };
        into.of(loop_).branches.push(seen);
    }
}

#[cfg(test)]
mod tests;
