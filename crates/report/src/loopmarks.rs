//! The loops of a source file as marks beside its lines: from where to where, side by side where they nest, and what was
//! made of each, in letters.
//!
//! This is what the margins of `show source` and of the report's source page are drawn from.

use loopwright_binary::facts::{LoopCode, LoopRole};
use schemars::JsonSchema;
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// What the letters mean, as both margins explain them.
pub(crate) const LEGEND: &str = "V vectorised   s scalar   r unrolled   p with peel or remainder loops   c calls functions   I inlined here";

/// A source loop in the margin, as in loopmark listings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct Mark {
    /// First line.
    pub(crate) from: u32,
    /// Last line.
    pub(crate) to: u32,
    /// `V` vectorised, `s` scalar, `r` unrolled, `p` with peel or remainder loops, `c` calls functions, `I` inlined here.
    pub(crate) letters: String,
    /// Place beside others that nest with it, from the left: 0 for the outermost.
    pub(crate) slot: usize,
    /// Ids of the machine loops that were made of it, in `analysis`.
    pub(crate) loops: Vec<u32>,
}

/// First and last line to show: the loop's own.
pub(crate) fn extent(this: &LoopCode, line: u32) -> (u32, u32) {
    let (from, to) = this.lines.unwrap_or((line, line));
    (from.min(line).max(1), to.max(line).max(1))
}

/// The machine loops at one place.
#[derive(Default)]
struct Pieces<'a> {
    code: Vec<&'a LoopCode>,
    ids: Vec<u32>,
}

/// The marks of one file; `loops` with their numbers, where they are to be named.
pub(crate) fn marks<'a>(
    loops: impl IntoIterator<Item = (Option<u32>, &'a LoopCode)>,
    file: &str,
) -> Vec<Mark> {
    // Outer before inner: by first line, then by descending last line.
    let mut extents: BTreeMap<(u32, Reverse<u32>), Pieces> = BTreeMap::new();
    for (id, each) in loops {
        let here = each.location.as_ref().filter(|location| location.file == file && location.line > 0);
        let Some(location) = here else { continue };
        let (from, to) = extent(each, location.line);
        let here = extents.entry((from, Reverse(to))).or_default();
        here.code.push(each);
        here.ids.extend(id);
    }
    let mut marks: Vec<Mark> = Vec::with_capacity(extents.len());
    // Marks that still run where the next one begins, with their slots.
    let mut open: Vec<(u32, usize)> = Vec::new();
    for ((from, Reverse(to)), mut pieces) in extents {
        open.retain(|(end, _)| *end >= from);
        let slot = open.iter().map(|(_, slot)| slot + 1).max().unwrap_or(0);
        open.push((to, slot));
        pieces.ids.sort_unstable();
        pieces.ids.dedup();
        marks.push(Mark { from, to, letters: letters(&pieces.code), slot, loops: pieces.ids });
    }
    marks
}

/// What the pieces at one place are: `Vrp`, `sc`, ...
fn letters(pieces: &[&LoopCode]) -> String {
    let main = pieces.iter().find(|piece| piece.role == LoopRole::Body).or_else(|| pieces.first());
    let Some(main) = main else { return String::new() };
    let vectorized = pieces.iter().any(|piece| piece.vectorized && piece.role != LoopRole::Version);
    let mut letters = String::from(if vectorized { "V" } else { "s" });
    if main.vector.as_ref().is_some_and(|vector| vector.unroll > 1) {
        letters.push('r');
    }
    if pieces.iter().any(|piece| matches!(piece.role, LoopRole::Peel | LoopRole::Remainder)) {
        letters.push('p');
    }
    if !main.calls.is_empty() {
        letters.push('c');
    }
    if !main.inlined_from.is_empty() {
        letters.push('I');
    }
    letters
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::code::{self, FILE};

    fn shape(marks: &[Mark]) -> Vec<(u32, u32, &str, usize, &[u32])> {
        marks
            .iter()
            .map(|mark| (mark.from, mark.to, mark.letters.as_str(), mark.slot, mark.loops.as_slice()))
            .collect()
    }

    #[test]
    fn nested_loops_stand_side_by_side_and_pieces_together() {
        let function = code::function();
        let mut remainder = function.loops[1].clone();
        remainder.role = LoopRole::Remainder;
        remainder.vectorized = false;
        let loops = [(Some(8), &function.loops[1]), (Some(7), &function.loops[0]), (Some(9), &remainder)];
        assert_eq!(shape(&marks(loops, FILE)), [(3, 8, "s", 0, &[7][..]), (5, 7, "Vrp", 1, &[8, 9])]);
        assert!(marks(loops, "/other.c").is_empty());
    }

    #[test]
    fn slots_are_used_again_below_a_loop() {
        let function = code::function();
        let at = |from: u32, to: u32| {
            let mut each = function.loops[0].clone();
            each.lines = Some((from, to));
            each.location.as_mut().unwrap().line = from;
            each
        };
        let loops = [at(1, 10), at(2, 4), at(5, 9), at(6, 7), at(11, 12)];
        let slots: Vec<usize> =
            marks(loops.iter().map(|each| (None, each)), FILE).iter().map(|mark| mark.slot).collect();
        assert_eq!(slots, [0, 1, 1, 2, 0]);
    }
}
