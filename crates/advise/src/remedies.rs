//! Which recommendation follows from which reason of a compiler.
//!
//! The reasons themselves (meaning, examples, what to type) are the table of `loopwright_remarks::reasons`; this module has
//! only what that table leaves to advice: the id that cases and `compare` refer to, a title that says what to do, what
//! may be promised, and the run that would show more. A test holds both tables together.

use crate::recommendation::Confidence;
use loopwright_analysis::model::{LoopFacts, WhyNot};
use loopwright_remarks::reasons::{self, Reason};

/// Id of the recommendation to break a recurrence.
pub const BREAK_RECURRENCE: &str = "break-recurrence";

/// What may be promised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Promise {
    /// The vector model's range: the reason goes away, and no other obstacle is known.
    Vector,
    /// From nothing to the model's upper end: whether the change is legal, or pays, is not known yet.
    Perhaps,
    /// No number: the change is one of algorithm.
    Nothing,
}

/// A row.
#[derive(Clone, Copy, Debug)]
pub struct Remedy {
    /// Reason id.
    pub reason: &'static str,
    /// Recommendation id.
    pub id: &'static str,
    /// What to do.
    pub title: &'static str,
    /// What may be promised.
    pub promise: Promise,
    /// How sure, when a compiler said so.
    pub confidence: Confidence,
    /// Collection that would show more: `dependencies`, `map`, `tripcounts`.
    pub collection: Option<&'static str>,
}

const fn row(
    reason: &'static str,
    id: &'static str,
    title: &'static str,
    promise: Promise,
    confidence: Confidence,
    collection: Option<&'static str>,
) -> Remedy {
    Remedy { reason, id, title, promise, confidence, collection }
}

use Confidence::{High, Low, Medium};
use Promise::{Nothing, Perhaps, Vector};

const DEPENDENCIES: Option<&str> = Some("dependencies");
const MAP: Option<&str> = Some("map");
const COUNTS: Option<&str> = Some("tripcounts");

/// One row per reason that is not benign.
pub const REMEDIES: &[Remedy] = &[
    row(
        "loop-carried-dependence",
        "check-dependence",
        "Find out whether the dependence is real; if it is not, say so",
        Perhaps,
        Medium,
        DEPENDENCIES,
    ),
    row(
        "store-forwarding",
        "change-dependence-distance",
        "Change the distance between store and load, or split the loop",
        Perhaps,
        Medium,
        DEPENDENCIES,
    ),
    row(
        "alias-checks",
        "promise-no-alias",
        "Tell the compiler that these arrays do not overlap",
        Vector,
        High,
        DEPENDENCIES,
    ),
    row(
        "unknown-bounds",
        "promise-no-alias",
        "Tell the compiler that these accesses do not overlap",
        Perhaps,
        Medium,
        DEPENDENCIES,
    ),
    row("histogram", "privatise-histogram", "Count into several private tables", Perhaps, Medium, MAP),
    row(
        "fp-reduction-order",
        "reorder-fp-sum",
        "Let the compiler add this floating-point sum in another order",
        Vector,
        High,
        None,
    ),
    row(
        "recurrence",
        BREAK_RECURRENCE,
        "Break or overlap the recurrence that keeps this loop scalar",
        Nothing,
        Low,
        DEPENDENCIES,
    ),
    row(
        "live-out-value",
        "two-pass-search",
        "Make two passes: a reduction for the value, a search for its place",
        Perhaps,
        Medium,
        None,
    ),
    row(
        "reduction-operator",
        "plain-reduction",
        "Write the reduction as one that vectorisers know",
        Vector,
        Medium,
        None,
    ),
    row(
        "opaque-call",
        "inline-call",
        "Let the compiler see into the function that this loop calls",
        Perhaps,
        Medium,
        None,
    ),
    row(
        "indirect-call",
        "devirtualise-call",
        "Decide once, outside the loop, which function it calls",
        Perhaps,
        Low,
        None,
    ),
    row(
        "math-library-call",
        "vector-math-library",
        "Use vector versions of the mathematics functions",
        Vector,
        High,
        None,
    ),
    row(
        "sqrt-errno",
        "no-math-errno",
        "Compile with -fno-math-errno: the square root then is one instruction",
        Vector,
        High,
        None,
    ),
    row(
        "no-simd-variant",
        "declare-simd",
        "Declare a vector variant of the called function",
        Vector,
        Medium,
        None,
    ),
    row("early-exit", "split-search", "Take the early exit out of the loop", Perhaps, Medium, COUNTS),
    row("faulting-early-exit", "split-search", "Search in blocks of fixed size", Perhaps, Medium, COUNTS),
    row(
        "uncountable-loop",
        "countable-loop",
        "Make the number of iterations known before the loop starts",
        Perhaps,
        Medium,
        None,
    ),
    row(
        "bad-induction",
        "canonical-induction",
        "Count with a plain counter as wide as a pointer",
        Vector,
        Medium,
        None,
    ),
    row(
        "switch-in-loop",
        "branch-free-switch",
        "Replace the switch by a table, or by one loop per case",
        Perhaps,
        Medium,
        None,
    ),
    row(
        "complex-control-flow",
        "branch-free-body",
        "Turn the branches of the loop into selects",
        Perhaps,
        Medium,
        None,
    ),
    row(
        "conditional-store",
        "store-always",
        "Store in every iteration, or allow masked stores",
        Vector,
        Medium,
        None,
    ),
    row("goto-in-loop", "branch-free-body", "Structure the loop without jumps", Perhaps, Medium, None),
    row("exceptions", "no-exceptions-in-loop", "Keep exceptions out of the loop", Vector, Medium, None),
    row(
        "volatile-access",
        "copy-volatile",
        "Work on a plain copy of the volatile data",
        Perhaps,
        Medium,
        None,
    ),
    row(
        "atomic-operation",
        "privatise-atomic",
        "Take the atomic operation out of this hot loop",
        Perhaps,
        Medium,
        None,
    ),
    row(
        "inline-assembly",
        "replace-assembly",
        "Replace the inline assembly by intrinsics or plain code",
        Perhaps,
        Medium,
        None,
    ),
    row(
        "bit-field",
        "unpack-bit-fields",
        "Give the bit-fields that the loop touches bytes of their own",
        Vector,
        Medium,
        None,
    ),
    row("unsupported-type", "narrower-type", "Use a type that vectors have", Perhaps, Medium, None),
    row(
        "unsupported-operation",
        "wider-instruction-set",
        "Compile for this machine, whose instruction set has the operation",
        Perhaps,
        Medium,
        None,
    ),
    row("mixed-width-conversion", "one-element-width", "Stay in one element width", Perhaps, Medium, None),
    row("gather-scatter", "pack-gathered-data", "Give the loop consecutive elements", Perhaps, Medium, MAP),
    row(
        "strided-access",
        "array-of-structures",
        "Give the loop unit strides: structure of arrays",
        Perhaps,
        Medium,
        MAP,
    ),
    row(
        "invariant-store",
        "local-accumulator",
        "Accumulate in a local variable and store it after the loop",
        Vector,
        High,
        None,
    ),
    row(
        "complicated-access",
        "split-off-access",
        "Split the access that cannot be vectorised off from the rest of the loop",
        Perhaps,
        Low,
        DEPENDENCIES,
    ),
    row(
        "work-after-exit-test",
        "canonical-loop",
        "Give the loop one exit at its end, and keep what does not change in local variables",
        Perhaps,
        Medium,
        DEPENDENCIES,
    ),
    row(
        "non-affine-subscript",
        "linear-subscripts",
        "Use linear subscripts into one flat array",
        Perhaps,
        Medium,
        MAP,
    ),
    row(
        "loop-nest-shape",
        "reshape-nest",
        "Vectorise the outer loop, or exchange the two",
        Perhaps,
        Low,
        COUNTS,
    ),
    row(
        "very-cheap-cost-model",
        "optimise-for-vectors",
        "Compile at -O3: this loop only needs a remainder",
        Vector,
        High,
        None,
    ),
    row(
        "cost-model",
        "force-and-measure",
        "Force the vectorisation of this loop and measure it",
        Perhaps,
        Medium,
        COUNTS,
    ),
    row(
        "short-trip-count",
        "pad-short-loop",
        "Pad this short loop to whole vectors",
        Perhaps,
        Medium,
        COUNTS,
    ),
    row("code-size", "optimise-for-speed", "Compile this file for speed, not for size", Vector, High, None),
    row(
        "compiler-limits",
        "split-loop",
        "Split the loop or function into smaller ones",
        Perhaps,
        Medium,
        None,
    ),
    row("disabled", "enable-vectorisation", "Switch vectorisation on again", Vector, High, None),
];

/// The row of a reason.
pub fn of(reason: &str) -> Option<&'static Remedy> {
    REMEDIES.iter().find(|r| r.reason == reason)
}

/// The first reason that something can be done about; the list begins with the most specific one.
pub fn usable_reason(facts: &LoopFacts) -> Option<(&WhyNot, &'static Reason, &'static Remedy)> {
    facts.why_not.iter().find_map(|why| {
        let reason = reasons::find(&why.reason).filter(|r| !r.benign)?;
        Some((why, reason, of(reason.id)?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use loopwright_remarks::reasons;
    use std::collections::BTreeSet;

    #[test]
    fn every_reason_that_is_not_benign_has_a_row_and_every_row_a_reason() {
        let known: BTreeSet<&str> =
            reasons::all().filter(|r| !r.benign && r.id != reasons::NOT_STATED).map(|r| r.id).collect();
        let rows: BTreeSet<&str> = REMEDIES.iter().map(|r| r.reason).collect();
        assert_eq!(rows, known);
        assert_eq!(rows.len(), REMEDIES.len(), "a reason has two rows");
    }

    #[test]
    fn collections_are_verbs_of_the_command() {
        for remedy in REMEDIES {
            assert!(
                matches!(remedy.collection, None | Some("dependencies" | "map" | "tripcounts")),
                "{}",
                remedy.reason
            );
            assert!(!remedy.title.ends_with('.') && !remedy.id.contains(' '), "{}", remedy.reason);
        }
    }
}
