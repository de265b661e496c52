//! Whether a source loop is still the same: what its code does, at any address, and what it was seen to execute.
//!
//! Addresses, registers and lines move with every build; classes of instructions, vectors, strides and latencies do not.

use loopwright_analysis::compare::{LoopChange, Verdict};
use loopwright_analysis::model::{AccessFacts, Analysis, LoopFacts};
use loopwright_binary::facts::{ChainKind, ElementType, Idiom, InstructionMix, Isa, LoopRole, Trait};

/// Counts that differ by less come from what surrounds a loop (alignment checks, environment), not from its code.
const SAME_COUNT: f64 = 0.001;

/// What a piece of code does, without its address.
#[derive(PartialEq)]
struct Piece<'a> {
    role: LoopRole,
    vectorized: bool,
    vector: Option<(Isa, u32, u32, u32)>,
    types: &'a [ElementType],
    traits: &'a [Trait],
    mix: &'a InstructionMix,
    instructions: u32,
    calls: Vec<Option<&'a str>>,
    exits: u32,
    chains: Vec<(ChainKind, u32)>,
    strides: Vec<(i64, u32, bool)>,
    constant_trips: Option<u64>,
    bytes: (u32, u32),
    flop: Vec<(&'a ElementType, &'a u32)>,
    idiom: Option<Idiom>,
}

impl<'a> Piece<'a> {
    fn of(of: &'a LoopFacts) -> Self {
        let mut strides: Vec<_> = of.strides.iter().map(|s| (s.bytes, s.size, s.store)).collect();
        strides.sort_unstable();
        let mut calls: Vec<_> = of.calls.iter().map(|call| call.target.as_deref()).collect();
        calls.sort_unstable();
        Self {
            role: of.role,
            vectorized: of.vectorized,
            vector: of.vector.as_ref().map(|v| (v.isa, v.bits, v.length, v.unroll)),
            types: &of.types,
            traits: &of.traits,
            mix: &of.instruction_mix,
            instructions: of.instructions,
            calls,
            exits: of.exits,
            chains: of.chains.iter().map(|chain| (chain.kind, chain.latency_cycles)).collect(),
            strides,
            constant_trips: of.constant_trips,
            bytes: (of.bytes_loaded_per_iteration, of.bytes_stored_per_iteration),
            flop: of.flop_per_iteration.iter().collect(),
            idiom: of.idiom,
        }
    }
}

fn pieces<'a>((analysis, group): (&'a Analysis, u32)) -> impl Iterator<Item = Piece<'a>> {
    analysis.loops.iter().filter(move |each| each.group == group).map(Piece::of)
}

/// Both source loops consist of the same pieces, in whatever order.
fn same_pieces(before: (&Analysis, u32), after: (&Analysis, u32)) -> bool {
    let mut left: Vec<Piece<'_>> = pieces(after).collect();
    for piece in pieces(before) {
        match left.iter().position(|other| *other == piece) {
            Some(found) => drop(left.swap_remove(found)),
            None => return false,
        }
    }
    left.is_empty()
}

/// The loop's code is another one, or it was seen to do something else.
pub(super) fn changed(change: &LoopChange, before: &Analysis, after: &Analysis) -> bool {
    let (Some(old), Some(new)) = (&change.before, &change.after) else { return true };
    matches!(change.verdict, Verdict::NowVectorized | Verdict::NoLongerVectorized)
        || !same_pieces((before, old.group), (after, new.group))
        // Another piece runs: the run-time check chose another version.
        || (old.role, old.vectorized) != (new.role, new.vectorized)
        || change.counted.iter().any(|count| count.relative().is_none_or(|part| part.abs() > SAME_COUNT))
        || accesses_differ(&old.access, &new.access)
}

/// Traced in both states, with other patterns.
fn accesses_differ(before: &[AccessFacts], after: &[AccessFacts]) -> bool {
    let shape = |accesses: &[AccessFacts]| {
        let mut shape: Vec<_> = accesses
            .iter()
            .map(|a| {
                (
                    format!("{:?}", a.kind),
                    format!("{:?}", a.pattern),
                    a.stride_bytes,
                    a.element_bytes,
                    a.lanes,
                )
            })
            .collect();
        shape.sort_unstable();
        shape
    };
    !before.is_empty() && !after.is_empty() && shape(before) != shape(after)
}
