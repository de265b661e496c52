//! Compilers' remarks in the store: runs of their own without a command; later analyses use them.

use crate::pieces::{Pieces, Stored};
use crate::{Collected, Error, Experiment, RunId};
use loopwright_remarks::remark::Remark;

impl Collected for Vec<Remark> {
    const KIND: &'static str = "remarks";
    const FORM: u32 = 1;

    fn pack(&self, pieces: &mut Pieces) {
        pieces.json("remarks", 0, self);
    }

    fn unpack(stored: &Stored<'_>) -> Result<Self, Error> {
        stored.json("remarks")
    }

    fn modules(&self) -> impl Iterator<Item = (&str, Option<&str>)> {
        std::iter::empty()
    }
}

impl Experiment {
    /// Remarks of the given runs, oldest first.
    pub fn remarks(&self, runs: &[RunId]) -> Result<Vec<Remark>, Error> {
        let mut remarks = Vec::new();
        for run in runs {
            remarks.append(&mut self.collected(*run)?);
        }
        Ok(remarks)
    }
}
