//! Where the slots of the processor's pipelines went, counted by the processor, beside what injected operations showed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Shares of the slots in which the cores could have accepted instructions of the program, over the whole run: used, or lost and
/// why. The four of the first level add up to 1 nearly.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TopDownFacts {
    /// Used by instructions that retired.
    pub retiring: f64,
    /// Lost to wrong speculation.
    pub bad_speculation: f64,
    /// Not filled by the front end.
    pub front_end: f64,
    /// Not accepted by the back end.
    pub back_end: f64,
    /// Of the back end's: it waited for memory. Absent where the processor, or perf, counts one level only.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub memory: Option<f64>,
    /// Of the back end's: it waited for its own units.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub core: Option<f64>,
    /// Of wrong speculation's: mispredicted branches.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub mispredicts: Option<f64>,
    /// Taken by the other hardware thread of the core.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub other_thread: Option<f64>,
    /// Parts of the lowest known level that are at or above their thresholds, the largest first: where the program loses most, or
    /// that it loses little (`retiring`).
    pub binds: Vec<TopDownPart>,
    /// The kind of cores, of processors that have several.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub cores: Option<String>,
    /// Least share of the time in which one of these numbers was counted, where it is not all of it: counters took turns, or the
    /// program ran on cores of another kind.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub counted_share: Option<f64>,
    /// Only user code was counted.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub user_only: bool,
    /// The processor.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub processor: Option<String>,
    /// Version of perf.
    pub perf: String,
    /// What it was asked for: groups of metrics, or the kernel's `topdown-*` events.
    pub asked: String,
    /// Comparison with what injected operations showed; absent where no loop has a verdict.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub comparison: Option<TopDownComparison>,
}

/// A part of the slots with its share.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TopDownPart {
    /// Which.
    pub part: SlotPart,
    /// Its share.
    pub share: f64,
}

/// A part of the slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SlotPart {
    /// Used by instructions that retired.
    Retiring,
    /// Lost to wrong speculation.
    BadSpeculation,
    /// Not filled by the front end.
    FrontEnd,
    /// Not accepted by the back end, where it is not known why.
    BackEnd,
    /// Not accepted by the back end, which waited for memory.
    Memory,
    /// Not accepted by the back end, which waited for its own units.
    Core,
}

impl SlotPart {
    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Self::Retiring => "retiring",
            Self::BadSpeculation => "bad speculation",
            Self::FrontEnd => "front end",
            Self::BackEnd => "back end",
            Self::Memory => "back end, memory",
            Self::Core => "back end, core",
        }
    }
}

/// Verdicts of injected operations, and what the counters say of the whole program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TopDownComparison {
    /// What they say together.
    pub agreement: Agreement,
    /// Share of the program's time of the loops that have a verdict.
    pub measured_share: f64,
    /// Share of that time whose cause is a part of `binds`.
    pub confirmed_share: f64,
    /// The causes of that time as parts of the slots, as shares of the program's time, the largest first.
    pub expected: Vec<TopDownPart>,
    /// The largest part of `binds`, where it is a loss that belongs to no cause and is larger than what was not measured.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub unexplained: Option<SlotPart>,
}

/// Whether two methods say the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Agreement {
    /// Causes of at least half of the measured time are at or above their thresholds, and the largest loss, if it is more than
    /// what retires, has one.
    Agrees,
    /// They are not, or it has none.
    Differs,
    /// Loops with a verdict take less than half of the program's time.
    TooLittle,
}
