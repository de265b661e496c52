//! From iterations of the machine's loop to those of the loop as written.
//!
//! A machine loop that is unrolled or vectorised does `factor` source iterations in one of its own. Which of them an
//! operand's byte belongs to is its *position*: the copies of one source operand are one source stride apart, so that
//! the position follows from the byte's distance to the first copy. The distance of a dependence in source
//! iterations is then
//!
//! ```text
//! machine distance * factor + position of the sink - position of the source
//! ```
//!
//! Copies may be missing where the compiler had their values in a register (`gaps` finds out which). Operands whose copies
//! cannot be distinguished have a range of positions instead. Then the nearest distance that is possible counts.

mod gaps;

use super::super::Traced;
use super::super::access::dominant;
use crate::model::AccessFacts;
use loopwright_patterns::facts::{AccessKind, Edge, SitePattern};
use std::collections::{BTreeMap, BTreeSet};

/// Elements of one edge that are looked at.
const MOST_ELEMENTS: u32 = 64;

/// Where the bytes of an operand belong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Position {
    /// `(first byte + byte of the operand) / stride`, counted from the other end when it descends; up to `slack` more,
    /// where copies are missing.
    Strided { first: i64, stride: i64, slack: i64 },
    /// Lane by lane from this position on.
    Lanes { first: i64, element: u32 },
    /// Any source iteration of the machine iteration.
    Any,
}

/// Positions of all operands of a loop.
pub(super) struct Positions {
    factor: i64,
    of: Vec<Position>,
    /// Lowest address of an operand's copies.
    first: Vec<u64>,
    /// Strides of the machine's loop, where they are constant.
    strides: Vec<Option<i64>>,
}

/// What operands that are copies of one source operand have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Copies {
    /// The access as written, by its index.
    Of(usize),
    /// Line and column.
    At(u32, u32),
}

/// Operands that are copies of one source operand: kind, what they have in common, stride, operand that their distances
/// are measured from.
type Family = (AccessKind, Copies, Option<i64>, Option<u32>);

impl Positions {
    pub fn new(traced: &Traced, access: &[AccessFacts]) -> Self {
        let sites = &traced.seen.sites;
        // An outer loop's iterations are its own; its inner loops are unrolled for themselves.
        let factor = if traced.code.innermost { i64::from(factor(traced, access)) } else { 1 };
        let mut of = vec![Position::Any; sites.len()];
        let mut first: Vec<u64> = sites.iter().map(|site| site.address).collect();
        let mut families: BTreeMap<Family, Vec<usize>> = BTreeMap::new();
        for (at, site) in sites.iter().enumerate() {
            if (site.module, site.function) != (traced.seen.module, traced.seen.function) {
                continue;
            }
            let text = format!("{:#x}", site.address);
            let copies = access.iter().position(|a| a.function.is_none() && a.addresses.contains(&text));
            let Some(copies) = copies else { continue };
            let stride = machine_stride(traced, site);
            let moves = stride.is_some_and(|bytes| bytes != 0);
            let leader = moves.then(|| site.offset.map_or(at as u32, |(leader, _)| leader));
            let spot = traced.spot(site.module, site.function, site.address);
            // Operands that keep no distances are copies of one when they are at one place.
            let copies = match spot.line.zip(spot.column).filter(|_| !moves && factor > 1) {
                Some((line, column)) => Copies::At(line, column),
                None => Copies::Of(copies),
            };
            families.entry((site.kind, copies, stride, leader)).or_default().push(at);
        }
        for ((.., stride, _), members) in families {
            note_first(sites, &members, &mut first);
            // What runs under a condition may be anywhere: the order of instructions shows nothing.
            let always = || members.iter().all(|&at| sites[at].executions >= traced.seen.iterations);
            if factor > 1 && (stride.is_some_and(|bytes| bytes != 0) || always()) {
                place(sites, &members, stride, factor, &mut of);
            }
        }
        if factor > 1 {
            incomplete(traced, factor, &mut of, &mut first);
        }
        let strides = sites.iter().map(|site| machine_stride(traced, site)).collect();
        Self { factor, of, first, strides }
    }

    /// Lowest address of an operand's copies.
    pub fn first_copy(&self, site: u32) -> u64 {
        self.first.get(site as usize).copied().unwrap_or_default()
    }

    /// Source iterations that one machine iteration does.
    pub fn factor(&self) -> u64 {
        self.factor.unsigned_abs()
    }

    /// Distances in source iterations that an edge represents; 0 within one.
    pub fn distances(
        &self,
        edge: &Edge,
        source: (usize, &SitePattern),
        sink: (usize, &SitePattern),
    ) -> Vec<u64> {
        if self.factor == 1 {
            return vec![edge.distance];
        }
        let element = source.1.element.min(sink.1.element).max(1);
        let elements = edge.length.div_ceil(element).clamp(1, MOST_ELEMENTS);
        let mut out: Vec<u64> = Vec::new();
        for byte in (0..elements).map(|k| k * element) {
            let (_, late) = self.range(source.0, edge.source_offset + byte);
            let (first, _) = self.range(sink.0, edge.sink_offset + byte);
            let machine = i64::try_from(edge.distance).unwrap_or(i64::MAX).saturating_mul(self.factor);
            let nearest = machine.saturating_add(first - late);
            let distance = if edge.distance > 0 {
                nearest.max(1)
            } else {
                // Where it is not known which copies these are: the same iteration, unless that is impossible. What is
                // carried from one copy to the next is also carried from the last copy to the next machine iteration.
                nearest.max(0)
            };
            out.push(distance.unsigned_abs());
        }
        out.sort_unstable();
        out.dedup();
        out
    }

    /// The operand's place among its copies is known.
    pub fn is_placed(&self, site: usize) -> bool {
        self.factor == 1
            || !matches!(self.of.get(site), None | Some(Position::Any | Position::Strided { slack: 1.., .. }))
    }

    /// Two operands move alike: where they meet once, they meet in every iteration.
    pub fn move_alike(&self, a: u32, b: u32) -> bool {
        let stride = |site: u32| self.strides.get(site as usize).copied().flatten();
        stride(a).is_some() && stride(a) == stride(b)
    }

    /// Lowest and highest position of a byte of an operand.
    fn range(&self, site: usize, byte: u32) -> (i64, i64) {
        let last = self.factor - 1;
        let (low, high) = match self.of.get(site) {
            Some(&Position::Strided { first, stride, slack }) => {
                let steps = (first + i64::from(byte)) / stride.abs();
                if stride > 0 { (steps, steps + slack) } else { (last - steps - slack, last - steps) }
            }
            Some(&Position::Lanes { first, element }) => {
                let at = first + i64::from(byte / element.max(1));
                (at, at)
            }
            Some(Position::Any) | None => return (0, last),
        };
        (low.clamp(0, last), high.clamp(0, last))
    }
}

/// Source iterations of a machine iteration: as the strides of the loop's accesses show, else as its code does.
fn factor(traced: &Traced, access: &[AccessFacts]) -> u32 {
    let own =
        access.iter().filter(|a| a.function.is_none() && a.machine_stride_bytes.is_some_and(|b| b != 0));
    own.map(|a| a.source_factor).max().unwrap_or(traced.factor).max(1)
}

/// The stride of the machine's loop that nearly all steps have, else the one in the code.
fn machine_stride(traced: &Traced, site: &SitePattern) -> Option<i64> {
    let seen = &traced.seen;
    let level = site.strides.iter().find(|level| (level.module, level.header) == (seen.module, seen.header));
    match level.filter(|level| level.steps > 0) {
        Some(level) => dominant(level),
        None => traced.code.strides.iter().find(|stride| stride.address == site.address).map(|s| s.bytes),
    }
}

/// Gives the members of a family their positions, if together they are one access in each source iteration.
fn place(sites: &[SitePattern], members: &[usize], stride: Option<i64>, factor: i64, of: &mut [Position]) {
    if let Some(machine) = stride.filter(|&bytes| bytes != 0 && bytes % factor == 0) {
        let start = |at: usize| sites[at].offset.map_or(0, |(_, bytes)| bytes);
        let low = members.iter().map(|&at| start(at)).min().unwrap_or(0);
        let high = members.iter().map(|&at| start(at) + i64::from(sites[at].size)).max().unwrap_or(0);
        let stride = machine / factor;
        let span = high - low;
        if span <= machine.abs() && span > machine.abs() - stride.abs() {
            for &at in members {
                of[at] = Position::Strided { first: start(at) - low, stride, slack: 0 };
            }
        }
        return;
    }
    // Without a stride, copies follow each other in the code.
    let lanes = |at: usize| i64::from(sites[at].lanes.max(1));
    if members.iter().map(|&at| lanes(at)).sum::<i64>() != factor {
        return;
    }
    let mut order = members.to_vec();
    order.sort_by_key(|&at| (sites[at].address, sites[at].operand));
    let mut first = 0;
    for at in order {
        let element = if sites[at].lanes > 1 { sites[at].element } else { u32::MAX };
        of[at] = Position::Lanes { first, element };
        first += lanes(at);
    }
}

/// Notes the lowest address of copies for each of them.
fn note_first(sites: &[SitePattern], members: &[usize], first: &mut [u64]) {
    let lowest = members.iter().map(|&at| sites[at].address).min();
    for &at in members {
        first[at] = lowest.unwrap_or(sites[at].address);
    }
}

/// Operands that could be copies of one: kind, stride, operand that their distances are measured from.
type Moving = (AccessKind, i64, u32);

/// Operands of one kind that move together, by their place.
#[derive(Default)]
struct Places {
    /// By line and column.
    at: BTreeMap<(u32, u32), Vec<usize>>,
    /// What the compiler moved has lost its place, or shows that of the operand of another kind before it.
    strays: Vec<usize>,
    /// Line and column that strays show.
    shown: BTreeMap<(u32, u32), Vec<usize>>,
}

/// Places copies of which some are missing: those that are at one place in the source, which only copies of one operand
/// do when the compiler gives operands a column each.
fn incomplete(traced: &Traced, factor: i64, of: &mut [Position], first: &mut [u64]) {
    let seen = traced.seen;
    let own = |site: &SitePattern| (site.module, site.function) == (seen.module, seen.function);
    let place = |site: &SitePattern| {
        let spot = traced.spot(site.module, site.function, site.address);
        spot.line.zip(spot.column)
    };
    let mut kinds: BTreeMap<(u32, u32), BTreeSet<AccessKind>> = BTreeMap::new();
    for site in seen.sites.iter().filter(|site| own(site)) {
        if let Some(at) = place(site) {
            kinds.entry(at).or_default().insert(site.kind);
        }
    }
    let mut families: BTreeMap<Moving, Places> = BTreeMap::new();
    for (at, site) in seen.sites.iter().enumerate().filter(|(_, site)| own(site)) {
        let stride = machine_stride(traced, site).filter(|&bytes| bytes != 0 && bytes % factor == 0);
        let Some(stride) = stride.filter(|_| of[at] == Position::Any) else { continue };
        let leader = site.offset.map_or(at as u32, |(leader, _)| leader);
        let places = families.entry((site.kind, stride, leader)).or_default();
        match place(site) {
            Some(here) if kinds.get(&here).is_some_and(|kinds| kinds.len() == 1) => {
                places.at.entry(here).or_default().push(at);
            }
            shown => {
                places.strays.push(at);
                if let Some(here) = shown {
                    places.shown.entry(here).or_default().push(at);
                }
            }
        }
    }
    for ((_, machine, leader), places) in families {
        let mut settle = |members: &[usize]| settle(traced, members, (machine, leader), factor, of, first);
        // Strays are copies of the one operand that is there, if together they can be.
        if let (1, Some(members)) = (places.at.len(), places.at.values().next())
            && !places.strays.is_empty()
            && settle(&[members.as_slice(), &places.strays].concat())
        {
            continue;
        }
        for members in places.at.values().chain(places.shown.values()) {
            settle(members);
        }
    }
}

/// Gives copies of one operand their positions, if it is certain which are missing.
fn settle(
    traced: &Traced,
    members: &[usize],
    (machine, leader): (i64, u32),
    factor: i64,
    of: &mut [Position],
    first: &mut [u64],
) -> bool {
    let seen = traced.seen;
    let extent = |at: usize| {
        let start = seen.sites[at].offset.map_or(0, |(_, bytes)| bytes);
        (start, start.saturating_add(i64::from(seen.sites[at].size)))
    };
    let same = |at: usize| {
        let site = &seen.sites[at];
        (site.module, site.function) == (seen.module, seen.function)
            && site.offset.map_or(at as u32, |(leader, _)| leader) == leader
            && machine_stride(traced, site) == Some(machine)
    };
    let copies: Vec<_> = members.iter().map(|&at| extent(at)).collect();
    let others = (0..seen.sites.len()).filter(|at| same(*at) && !members.contains(at));
    let others: Vec<_> = others.map(extent).collect();
    let Some((base, slack)) = gaps::window(&copies, &others, machine, factor) else { return false };
    note_first(&seen.sites, members, first);
    for &at in members {
        of[at] = Position::Strided { first: extent(at).0 - base, stride: machine / factor, slack };
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site(offset: i64, size: u32, element: u32) -> SitePattern {
        SitePattern { size, element, lanes: 1, offset: Some((0, offset)), ..SitePattern::default() }
    }

    fn edge(distance: u64, source_offset: u32, sink_offset: u32, length: u32) -> Edge {
        Edge { distance, source_offset, sink_offset, length, count: 1 }
    }

    /// Positions of one family of loads and one of stores.
    fn positions(sites: &[SitePattern], families: &[&[usize]], stride: i64, factor: i64) -> Positions {
        let mut of = vec![Position::Any; sites.len()];
        for members in families {
            place(sites, members, Some(stride), factor, &mut of);
        }
        Positions { factor, of, first: Vec::new(), strides: Vec::new() }
    }

    #[test]
    fn copies_of_an_unrolled_loop_are_told_apart() {
        // a[i + 3] = a[i], four copies of 8 bytes: loads 0..4, stores 4..8.
        let sites: Vec<_> = (0..8).map(|k| site(8 * (k % 4) + 24 * (k / 4), 8, 8)).collect();
        let p = positions(&sites, &[&[0, 1, 2, 3], &[4, 5, 6, 7]], 32, 4);
        let between = |e: Edge, a: usize, b: usize| p.distances(&e, (a, &sites[a]), (b, &sites[b]));
        // Copy 0 stores what copy 3 loads in the same pass; copy 1 what copy 0 of the next one loads.
        assert_eq!(between(edge(0, 0, 0, 8), 4, 3), [3]);
        assert_eq!(between(edge(1, 0, 0, 8), 5, 0), [3]);
        assert_eq!(between(edge(1, 0, 0, 8), 7, 2), [3]);
    }

    #[test]
    fn lanes_of_vectors_have_positions() {
        // a[i + 8] = a[i] with vectors of eight floats: always the same lane, one pass later.
        let sites = [site(0, 32, 4), site(32, 32, 4)];
        let p = positions(&sites, &[&[0], &[1]], 32, 8);
        assert_eq!(p.distances(&edge(1, 0, 0, 32), (1, &sites[1]), (0, &sites[0])), [8]);
        // a[i] = a[i + 1]: a lane reads what the next one writes.
        let p = Positions { factor: 8, of: vec![p.of[0], p.of[0]], first: Vec::new(), strides: Vec::new() };
        assert_eq!(p.distances(&edge(0, 0, 4, 28), (0, &sites[0]), (1, &sites[1])), [1]);
        assert_eq!(p.distances(&edge(1, 28, 0, 4), (0, &sites[0]), (1, &sites[1])), [1]);
    }

    #[test]
    fn descending_loops_count_from_the_other_end() {
        // a[i] = a[i + 1] while i descends: a recurrence of distance 1.
        let sites = [site(8, 32, 8), site(0, 32, 8)];
        let p = positions(&sites, &[&[0], &[1]], -32, 4);
        assert_eq!(p.distances(&edge(0, 8, 0, 8), (1, &sites[1]), (0, &sites[0])), [1]);
        assert_eq!(p.range(1, 0), (3, 3));
        assert_eq!(p.range(1, 24), (0, 0));
        assert_eq!(p.distances(&edge(1, 0, 24, 8), (1, &sites[1]), (0, &sites[0])), [1]);
    }

    #[test]
    fn what_cannot_be_told_apart_is_as_near_as_it_can_be() {
        // One load for four source iterations.
        let sites = [site(0, 8, 8), site(0, 8, 8)];
        let p = positions(&sites, &[&[0], &[1]], 32, 4);
        assert_eq!(p.of, [Position::Any; 2]);
        assert_eq!(p.distances(&edge(1, 0, 0, 8), (0, &sites[0]), (1, &sites[1])), [1]);
        assert_eq!(p.distances(&edge(3, 0, 0, 8), (0, &sites[0]), (1, &sites[1])), [9]);
        assert_eq!(p.distances(&edge(0, 0, 0, 8), (0, &sites[0]), (1, &sites[1])), [0]);
    }
}
