//! Iterations of a loop whose head gives the number of each entry as constants.
//!
//! However it was compiled, `for (i = 0; i < 400; i++)` does 400 iterations each time it is entered, unless something else
//! leaves it. How often it is entered is counted where one piece does all entries: as many as the function has calls, or
//! the loop around it iterations; and in a nest, where several iterations of the outer loop may have been put together,
//! only if its work shows that it does one of them at a time.

use super::{Inferred, Loops, STRAIGHT};

impl Loops<'_, '_> {
    /// Iterations of each entry, where nothing else leaves the loop.
    pub(super) fn trips(&self) -> Option<u64> {
        let (nest, written) = self.written?;
        nest.trips(written).filter(|&trips| trips > 0 && nest.runs_out(written))
    }

    /// The iterations, where the number of entries is certain.
    pub(super) fn by_trips(&self) -> Option<Inferred> {
        let (pieces, trips) = (self.question.pieces, self.trips()?);
        let (nest, written) = self.written?;
        let iterations: Vec<u64> = pieces.iter().map(|piece| piece.iterations()).collect::<Option<_>>()?;
        let mut ran = (0..pieces.len()).filter(|&at| iterations[at] > 0);
        let (at, None) = (ran.next()?, ran.next()) else { return None };
        let (piece, code) = (&pieces[at], pieces[at].code);
        let entries = piece.tally?.entries.filter(|&entries| entries > 0)?;
        // A loop around that has no machine loop was unrolled: its copies are entered each.
        if !code.inlined_from.is_empty() || nest.depth(written) + 1 != code.depth as usize {
            return None;
        }
        let total = entries.checked_mul(trips)?;
        let beside = match self.beside() {
            Ok(beside) => !beside.is_empty(),
            Err(_) => true,
        };
        let whole = total.is_multiple_of(iterations[at]).then(|| total / iterations[at]).filter(|_| !beside);
        let mut inferred =
            Inferred { factors: vec![None; pieces.len()], inferred: true, ..Inferred::default() };
        if piece.passes != Some(entries) && beside {
            return None;
        }
        if code.parent.is_some() {
            // A loop that is left amid copies of its body iterates once more than whole.
            let (factor, profile) = (total.div_ceil(iterations[at]), &self.profiles[at]);
            let shown = match whole {
                Some(factor) => self.is_enough(code, profile, factor) && self.is_shown(code, profile, factor),
                None => self.moves_by(code, profile, factor),
            };
            if !shown {
                return None;
            }
        }
        inferred.factors[at] = whole.and_then(|factor| u32::try_from(factor).ok());
        inferred.iterations = vec![0; pieces.len()];
        inferred.iterations[at] = total;
        inferred.total = Some(total);
        inferred.inferred = inferred.factors[at] != Some(1);
        Some(inferred)
    }

    /// The total is that of whole entries.
    pub(super) fn is_whole(&self, total: u64) -> Result<u64, &'static str> {
        match self.trips() {
            Some(trips) if !total.is_multiple_of(trips) => Err(STRAIGHT),
            _ => Ok(total),
        }
    }
}
