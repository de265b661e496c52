//! Why code has no counts or no traces although a run was made, and the one place where that becomes a sentence.

use crate::outcome::End;
use crate::sentence::sentence;
use loopwright_instrument::reason::Reason;

/// Why a loop, or a part of a function, has no counts or no traces.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Unmeasured {
    /// The collector's reason.
    #[error(transparent)]
    Collector(#[from] Reason),
    /// The same of one loop of a function.
    #[error("the loop at {place}: {reason}")]
    Loop {
        /// `file:line`, else the address.
        place: String,
        /// The collector's reason.
        reason: Reason,
    },
    /// The counts are of another build.
    #[error("its module was rebuilt since it was counted; run `loopwright tripcounts` again")]
    Rebuilt,
    /// The counting run ended early.
    #[error("it did not run before the counting run ended ({0})")]
    CutShort(End),
    /// Only other loops of its function have counts.
    #[error("it did not run in the counting run, or only other loops of its function were chosen")]
    OtherLoops,
    /// Nothing of its function has counts.
    #[error("its function did not run in the counting run, or was not chosen; `--all` counts every loop")]
    OtherFunctions,
    /// The sentence of a document that was read back.
    #[error("{0}")]
    Said(String),
}

sentence!(Unmeasured);

/// What an entry without a reason has.
impl Default for Unmeasured {
    fn default() -> Self {
        Self::Said(String::new())
    }
}
