//! Parts of facts about memory: operands, their strides, and over what they were seen.

use super::words::{count_in_words, listed};
use loopwright_analysis::model::AccessFacts;
use loopwright_analysis::place::base_name;
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt;

/// Operands named in a sentence; the rest is counted.
const MOST_NAMED: usize = 3;

/// How much of a loop a trace saw.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "TracedExtent")]
pub struct Extent {
    /// All of its iterations.
    pub complete: bool,
    /// Iterations that were traced; 0 where that is not known.
    pub iterations: u64,
}

impl fmt::Display for Extent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.complete, self.iterations) {
            (true, _) => write!(f, "in all of its iterations"),
            (false, 0) => write!(f, "while it was traced"),
            (false, n) => write!(f, "in {} traced iterations", count_in_words(n)),
        }
    }
}

/// A memory operand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Operand {
    /// As the source has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operand: Option<String>,
    /// Its line, or the address of its instruction, where the source is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
}

impl Operand {
    /// The operand of an access.
    pub fn of(access: &AccessFacts) -> Self {
        if access.operand.is_some() {
            return Self { operand: access.operand.clone(), place: None };
        }
        let line =
            access.file.as_deref().zip(access.line).map(|(f, line)| format!("{}:{line}", base_name(f)));
        Self { operand: None, place: line.or_else(|| access.addresses.first().cloned()) }
    }

    /// The operands of accesses, one for each.
    pub fn of_all<'l>(accesses: impl IntoIterator<Item = &'l AccessFacts>) -> Vec<Self> {
        accesses.into_iter().map(Self::of).collect()
    }
}

impl fmt::Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.operand, &self.place) {
            (Some(operand), _) => write!(f, "`{operand}`"),
            (None, Some(place)) => write!(f, "the access at {place}"),
            (None, None) => write!(f, "an access"),
        }
    }
}

/// The first operands of a list, each once.
pub(super) fn named(operands: &[Operand]) -> String {
    let mut names: Vec<String> = Vec::new();
    for name in operands.iter().map(Operand::to_string) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let more = names.len().saturating_sub(MOST_NAMED);
    if more > 0 {
        names.truncate(MOST_NAMED);
        names.push(format!("{more} more"));
    }
    listed(&names)
}

/// `moves` of one operand, `move` of several.
pub(super) fn moves(operands: &[Operand]) -> &'static str {
    if operands.len() == 1 { "moves" } else { "move" }
}

/// How an operand moves from iteration to iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "OperandStride")]
pub struct Stride {
    /// Bytes per iteration as the source has it; between lanes where `between_lanes`.
    pub bytes: i64,
    /// Elements per iteration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elements: Option<i64>,
    /// Bytes of an element.
    pub element_bytes: u32,
    /// Elements per machine iteration, where that is another number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub machine_elements: Option<i64>,
    /// It is the distance between the lanes of a gather.
    pub between_lanes: bool,
    /// It is that of most iterations, and not of all.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub mostly: bool,
}

impl Stride {
    /// The stride of an access over the loop.
    pub fn of(access: &AccessFacts) -> Self {
        let other = |n: &i64| access.source_factor > 1 && Some(*n) != access.stride_elements;
        Self {
            bytes: access.stride_bytes.unwrap_or(0),
            elements: access.stride_elements,
            element_bytes: access.element_bytes,
            machine_elements: access.machine_stride_elements.filter(other),
            between_lanes: false,
            mostly: false,
        }
    }

    /// The stride of most iterations, where callers or borders make others.
    pub fn usual(access: &AccessFacts, bytes: i64) -> Self {
        let element = i64::from(access.element_bytes.max(1));
        let elements = (bytes % element == 0).then_some(bytes / element);
        Self {
            bytes,
            elements,
            element_bytes: access.element_bytes,
            machine_elements: None,
            between_lanes: false,
            mostly: true,
        }
    }

    /// The stride between the lanes of a gather, or over the loop where that is not known.
    pub fn of_lanes(access: &AccessFacts) -> Self {
        let own = Self::of(access);
        match access.gather.as_ref().and_then(|g| g.lane_stride_bytes) {
            Some(bytes) => Self { bytes, elements: None, machine_elements: None, between_lanes: true, ..own },
            None => own,
        }
    }
}

impl fmt::Display for Stride {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.between_lanes {
            return write!(f, "{} bytes from lane to lane of a gather", self.bytes);
        }
        match self.elements {
            Some(1) => write!(f, "one element of {} bytes per iteration", self.element_bytes)?,
            Some(n) => write!(f, "{n} elements of {} bytes per iteration", self.element_bytes)?,
            None => write!(f, "{} bytes per iteration", self.bytes)?,
        }
        if self.mostly {
            f.write_str(", as a rule")?;
        }
        self.machine_elements.map_or(Ok(()), |n| write!(f, ", {n} per machine iteration"))
    }
}

/// How an operand moves over a loop around.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct OuterMove {
    /// Place of the loop around.
    pub place: String,
    /// Bytes per iteration of it; absent where they are not regular.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<i64>,
    /// They are one element.
    pub one_element: bool,
}

impl fmt::Display for OuterMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.bytes {
            Some(_) if self.one_element => write!(f, "one element"),
            Some(bytes) => write!(f, "{bytes} bytes"),
            None => write!(f, "nothing regular"),
        }
    }
}

/// The order of elements that are accessed through indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "ElementOrder")]
pub enum Order {
    /// One after another.
    Consecutive,
    /// One after another, backwards.
    Reversed,
    /// The same element.
    Same,
    /// Ascending, on one or two cache lines.
    Sorted,
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Consecutive => "are consecutive",
            Self::Reversed => "are consecutive, backwards",
            Self::Same => "are the same element",
            Self::Sorted => "ascend, and are on one or two cache lines",
        })
    }
}

/// What a pass over data is one run of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PassUnit {
    /// An entry of the loop itself.
    Entry,
    /// An iteration of the loop around.
    IterationAround,
    /// An entry of a loop around.
    EntryAround,
}

/// Bytes that leave the caches before anything can come back to them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "DataPass")]
pub struct Pass {
    /// Bytes of one pass, of all cores that share the last-level cache.
    pub bytes: u64,
    /// What one pass is.
    pub per: PassUnit,
    /// Place of the loop around that it is a pass of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub around: Option<String>,
}

impl Pass {
    /// It is one entry of the loop itself, so that these are distinct bytes.
    pub fn of_loop(&self) -> bool {
        self.per == PassUnit::Entry
    }

    /// What one pass is, in words.
    pub(super) fn over(&self) -> String {
        let around = self.around.as_deref().unwrap_or_default();
        match self.per {
            PassUnit::Entry => "per entry".to_owned(),
            PassUnit::IterationAround => format!("in each iteration of the loop around it at {around}"),
            PassUnit::EntryAround => format!("while the loop around it at {around} runs once"),
        }
    }
}
