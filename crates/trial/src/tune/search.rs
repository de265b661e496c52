//! The search: which of several candidates is the fastest, in few runs of the program.
//!
//! Successive halving: all candidates run once, in rounds with the unchanged program; the slower half is given up, the others run
//! again. A round compares versions under the same load of the machine, so that what is compared is the ratio to the unchanged program in
//! the same round. On recorded runs of 35 builds halving lost 0.3 to 0.4 % to the best in 100 runs, five runs of each 0.8 to 0.9 % in
//! 175. Whoever wins was partly lucky: what is claimed is measured again, on runs of its own.

use loopwright_stats::median;

/// Rounds that the last candidates have.
const ENOUGH: usize = 5;
/// Above this number of candidates one round decides which half goes on.
const MANY: usize = 4;
/// Candidates between which the last rounds decide.
const LAST: usize = 2;

/// What runs candidates.
pub(crate) trait Rounds {
    type Error;

    /// Whether there are time and runs for a round of this many candidates.
    fn has_time(&self, candidates: usize) -> bool;

    /// Runs each of them once, and says how much faster than the unchanged program it was: the logarithm of the speed-up. Nothing for one
    /// that cannot go on: it failed, or gave another answer.
    fn round(&mut self, candidates: &[usize]) -> Result<Vec<Option<f64>>, Self::Error>;
}

/// A candidate, with the logarithms of its speed-ups so far.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Placed {
    pub candidate: usize,
    pub logarithms: Vec<f64>,
}

impl Placed {
    pub fn new(candidate: usize) -> Self {
        Self { candidate, logarithms: Vec::new() }
    }

    /// The median of its logarithms; the least of all where it never ran.
    pub fn median(&self) -> f64 {
        median(&self.logarithms).unwrap_or(f64::NEG_INFINITY)
    }
}

/// Runs candidates, those that may have run before among them, and orders them: the best first. Those that cannot go on are left out.
pub(crate) fn halve<R: Rounds>(rounds: &mut R, from: Vec<Placed>) -> Result<Vec<Placed>, R::Error> {
    let (mut alive, mut beaten) = (from, Vec::new());
    while !alive.is_empty() {
        let wanted = match alive.len() {
            ..=LAST => alive.iter().map(|one| ENOUGH.saturating_sub(one.logarithms.len())).max().unwrap_or(0),
            n if n <= MANY => 2,
            _ => 1,
        };
        let mut is_out_of_time = false;
        for _ in 0..wanted {
            if !rounds.has_time(alive.len()) {
                is_out_of_time = true;
                break;
            }
            let candidates: Vec<usize> = alive.iter().map(|one| one.candidate).collect();
            let ran = rounds.round(&candidates)?;
            let mut ran = ran.into_iter();
            alive.retain_mut(|one| {
                let logarithm = ran.next().flatten();
                one.logarithms.extend(logarithm);
                logarithm.is_some()
            });
        }
        alive.sort_by(|a, b| b.median().total_cmp(&a.median()));
        if is_out_of_time || alive.len() <= LAST {
            break;
        }
        beaten.splice(0..0, alive.split_off(alive.len().div_ceil(2)));
    }
    // One without a run is no result.
    Ok(alive.into_iter().chain(beaten).filter(|one| !one.logarithms.is_empty()).collect())
}

#[cfg(test)]
mod tests;
