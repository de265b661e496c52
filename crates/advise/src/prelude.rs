//! What every rule needs: `use crate::prelude::*`.

pub use crate::evidence::words::percent;
pub use crate::facts::Facts;
pub use crate::gain;
pub(crate) use crate::page::how;
pub use crate::recommendation::{Confidence, How, Recommendation};
pub use crate::rule::{Check, Doc, Rule};
pub use loopwright_analysis::model::{LoopFacts, Provenance};
pub use loopwright_costs::{self as costs, Gain, estimates};
