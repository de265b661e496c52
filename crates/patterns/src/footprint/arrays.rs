//! Which operands access the same array.
//!
//! A trace has no allocations, only addresses. Two operands count as accesses to the same array when their
//! address ranges overlap, and
//!
//! * the lines that both used are at least a quarter of the lines of the one that used fewer: elements,
//!   neighbours and fields of structures; or
//! * one stride of at least a line makes up nearly all steps of both, and the ranges overlap by more than
//!   half of the shorter one: columns of a matrix, which share no line.
//!
//! Arrays that are adjacent have separate ranges, even where one ends and the other begins on the same line;
//! lists whose nodes alternate in memory overlap and share few lines. Memory that is freed and used again
//! while the loop is traced makes one array of two.

use super::Touches;
use crate::collect::Collector;
use crate::facts::{Array, SitePattern};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// The shared part of the lines must be at least one in this number.
const SHARED: u64 = 4;
/// Least share of its steps that a regular stride must have.
const REGULAR: f64 = 0.9;
/// Sets with more members are linked member by member only.
const PAIRS: usize = 64;

struct Operand {
    site: u32,
    low: u64,
    high: u64,
    lines: u64,
    stride: Option<i64>,
}

impl Operand {
    fn overlap(&self, other: &Self) -> u64 {
        self.high.min(other.high).saturating_sub(self.low.max(other.low))
    }
}

/// Links of operands to arrays (union-find).
struct Links(Vec<usize>);

impl Links {
    fn root(&mut self, mut at: usize) -> usize {
        while self.0[at] != at {
            self.0[at] = self.0[self.0[at]];
            at = self.0[at];
        }
        at
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.0[a.max(b)] = a.min(b);
    }
}

/// The stride over the innermost loop that nearly all steps have.
fn regular_stride(site: &SitePattern) -> Option<i64> {
    let level = site.strides.first()?;
    let &(bytes, count) = level.values.first()?;
    (count as f64 >= REGULAR * level.steps as f64).then_some(bytes)
}

/// The arrays of a loop, in the order of their first operands.
pub fn arrays(touches: &Touches, line_bits: u32, loop_: u32, into: &mut Collector) -> Vec<Array> {
    let mut operands: Vec<Operand> = Vec::new();
    for (user, site) in touches.users.iter().zip(0..).filter(|(user, _)| user.high > 0) {
        let stride = regular_stride(into.pattern(loop_, site));
        operands.push(Operand { site, low: user.low, high: user.high, lines: 0, stride });
    }
    operands.sort_by_key(|operand| into.site(loop_, operand.site));
    let place: FxHashMap<u32, usize> =
        operands.iter().zip(0..).map(|(operand, at)| (operand.site, at)).collect();
    let mut lines_of: BTreeMap<u32, u64> = BTreeMap::new();
    for (_, line) in touches.lines.iter().filter(|line| line.1.all != 0) {
        *lines_of.entry(line.set).or_default() += 1;
    }
    let members: BTreeMap<u32, Vec<usize>> = (lines_of.keys())
        .map(|&set| {
            (set, touches.sets.members(set).iter().filter_map(|site| place.get(site).copied()).collect())
        })
        .collect();
    let mut shared: BTreeMap<(usize, usize), u64> = BTreeMap::new();
    for (set, &lines) in &lines_of {
        let members = &members[set];
        for (at, &a) in members.iter().enumerate() {
            operands[a].lines += lines;
            let others = if members.len() > PAIRS { at + 2 } else { members.len() };
            for &b in &members[at + 1..others.min(members.len())] {
                *shared.entry((a.min(b), a.max(b))).or_default() += lines;
            }
        }
    }
    let mut links = Links((0..operands.len()).collect());
    for (&(a, b), &lines) in &shared {
        let (one, other) = (&operands[a], &operands[b]);
        if lines * SHARED >= one.lines.min(other.lines) && one.overlap(other) > 0 {
            links.join(a, b);
        }
    }
    let mut by_low: Vec<usize> = (0..operands.len()).collect();
    by_low.sort_by_key(|&at| operands[at].low);
    for (n, &a) in by_low.iter().enumerate() {
        let one = &operands[a];
        let Some(stride) = one.stride.filter(|bytes| bytes.unsigned_abs() >= 1 << line_bits) else {
            continue;
        };
        for &b in by_low[n + 1..].iter().take_while(|&&b| operands[b].low < one.high) {
            let other = &operands[b];
            let shorter = (one.high - one.low).min(other.high - other.low);
            if other.stride == Some(stride) && one.overlap(other) > shorter / 2 {
                links.join(a, b);
            }
        }
    }
    let mut arrays: BTreeMap<usize, Array> = BTreeMap::new();
    for (at, operand) in operands.iter().enumerate() {
        let array = arrays.entry(links.root(at)).or_insert_with(|| Array {
            low: operand.low,
            high: operand.high,
            ..Array::default()
        });
        array.low = array.low.min(operand.low);
        array.high = array.high.max(operand.high);
        array.sites.push(into.site(loop_, operand.site));
    }
    let roots: BTreeMap<u32, Vec<usize>> = (members.iter())
        .map(|(&set, members)| {
            let mut roots: Vec<usize> = members.iter().map(|&at| links.root(at)).collect();
            roots.sort_unstable();
            roots.dedup();
            (set, roots)
        })
        .collect();
    for (number, line) in touches.lines.iter().filter(|line| line.1.all != 0) {
        let roots = roots.get(&line.set).map_or(&[][..], Vec::as_slice);
        for root in roots {
            let Some(array) = arrays.get_mut(root) else { continue };
            // Where two arrays share a line, each has its own bytes.
            let bytes = if roots.len() == 1 {
                line.all
            } else {
                line.all & within(number << line_bits, array.low, array.high)
            };
            array.lines += u64::from(bytes != 0);
            array.bytes += u64::from(bytes.count_ones());
        }
    }
    arrays.into_values().collect()
}

/// The bytes of the line at `start` that are in `low..high`, as bits.
fn within(start: u64, low: u64, high: u64) -> u64 {
    let from = low.saturating_sub(start).min(64);
    let to = high.saturating_sub(start).min(64);
    if from >= to {
        return 0;
    }
    (u64::MAX >> (64 - (to - from))) << from
}
