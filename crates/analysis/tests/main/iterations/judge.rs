//! Claims against the truth.

use crate::iterations::programs::Program;
use loopwright_analysis::model::{Analysis, LoopFacts, TripCount};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Loops by what was said of them, without those of which no machine loop remains.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    right: usize,
    /// What each of the others looks like.
    pub unclaimed: Vec<String>,
    pub wrong: Vec<String>,
}

impl Tally {
    pub fn add(&mut self, other: &Self) {
        self.right += other.right;
        self.unclaimed.extend_from_slice(&other.unclaimed);
        self.wrong.extend_from_slice(&other.wrong);
    }

    fn loops(&self) -> usize {
        self.right + self.unclaimed.len() + self.wrong.len()
    }

    /// Share of the loops that iterations were claimed of.
    pub fn claimed(&self) -> f64 {
        (self.right + self.wrong.len()) as f64 / self.loops().max(1) as f64
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (unclaimed, wrong) = (self.unclaimed.len(), self.wrong.len());
        write!(f, "{:>6} {:>6} {unclaimed:>9} {wrong:>6}", self.loops(), self.right)
    }
}

/// Judges every marked loop.
pub fn judge(analysis: &Analysis, program: &Program, truth: &BTreeMap<u32, u64>) -> Tally {
    let source = program.source();
    let text = std::fs::read_to_string(&source).unwrap();
    let mut tally = Tally::default();
    for (&line, &iterations) in truth {
        let here = |l: &&LoopFacts| {
            l.line == Some(line) && l.file.as_deref().is_some_and(|f| f.ends_with(program.file))
        };
        let pieces: Vec<(&LoopFacts, &TripCount)> =
            analysis.loops.iter().filter(here).filter_map(|l| Some((l, l.trip_count.as_ref()?))).collect();
        if pieces.iter().all(|(_, trips)| trips.iterations == 0) {
            continue;
        }
        let said = groups(&pieces);
        let what = || {
            let pieces: Vec<String> = pieces
                .iter()
                .map(|(l, t)| {
                    let why = t.source_unknown.as_deref().unwrap_or_default();
                    format!("{}:{:?} x{:?} {why}", l.id, t.iterations, t.source_factor)
                })
                .collect();
            let shown = text.lines().nth(line as usize - 1).unwrap_or_default().trim();
            format!("{line}: {iterations}, said {said:?} ({}) {shown}", pieces.join(", "))
        };
        match said {
            None => tally.unclaimed.push(what()),
            Some(said) if said == iterations => tally.right += 1,
            Some(_) => tally.wrong.push(what()),
        }
    }
    tally
}

/// Iterations of all groups on a line; the pieces of one must agree and add up.
fn groups(pieces: &[(&LoopFacts, &TripCount)]) -> Option<u64> {
    let numbers: BTreeSet<(String, u32)> =
        pieces.iter().map(|(l, _)| (l.function.clone(), l.group)).collect();
    let mut total = 0;
    for number in numbers {
        let of_group = || pieces.iter().filter(|(l, _)| (l.function.clone(), l.group) == number);
        let said: BTreeSet<Option<u64>> = of_group().map(|(_, trips)| trips.group_iterations).collect();
        assert_eq!(said.len(), 1, "pieces of one loop disagree: {said:?}");
        total += said.into_iter().next().flatten()?;
    }
    Some(total)
}
