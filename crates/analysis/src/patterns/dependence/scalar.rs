//! Scalars in memory: counters and reductions, which unoptimised code keeps in its frame and optimised code behind
//! pointers, and temporaries that could be private.
//!
//! A scalar is a place that dependences meet at; the operands that meet there belong together. It is a counter or a
//! reduction when the code says so of every instruction that writes it, and nothing reads a reduction's partial value but
//! the reduction itself.

use super::super::Traced;
use super::Lifted;
use loopwright_binary::facts::{CarriedKind, CarriedValue};
use loopwright_patterns::facts::{AccessKind, DependenceKind, SitePattern};
use loopwright_stats::saturating_sum;
use std::collections::BTreeSet;

/// What a dependence is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// A counter or pointer in memory that advances by a constant.
    Counter,
    /// A reduction in memory.
    Reduction,
    /// A temporary: each iteration could have its own.
    Private,
    /// Not carried at all.
    Within,
    /// A dependence.
    Plain,
}

/// The role of each dependence.
pub(super) fn roles(traced: &Traced, lifted: &[Lifted]) -> Vec<Role> {
    let places = places(lifted);
    let roles: Vec<Role> = places.iter().map(|place| of_place(traced, lifted, place)).collect();
    let role = |at: usize, of: &Lifted| {
        if of.nearest().is_none() {
            return Role::Within;
        }
        let place = places.iter().position(|place| place.contains(&at));
        match place.map(|place| roles[place]) {
            Some(role) if role != Role::Plain => role,
            _ if is_over(traced, of) => Role::Within,
            _ if private(traced, lifted, at) => Role::Private,
            _ if followed(traced, of) => Role::Within,
            _ => Role::Plain,
        }
    };
    lifted.iter().enumerate().map(|(at, of)| role(at, of)).collect()
}

/// What the code knows of the place that an instruction of the loop's function writes: in this loop, else in an inner
/// one.
pub(super) fn value<'a>(traced: &Traced<'a>, writer: &SitePattern) -> Option<&'a CarriedValue> {
    if (writer.module, writer.function) != (traced.seen.module, traced.seen.function) {
        return None;
    }
    let mut of_loop = traced.code.carried.iter().flatten();
    of_loop.find(|value| value.memory && value.writers.contains(&writer.address))
}

/// Both ends are variables of the frame that the code's analysis follows like registers (spilled ones are), and it found
/// that nothing is carried there which an iteration could not make itself.
fn followed(traced: &Traced, of: &Lifted) -> bool {
    let known = |site: &SitePattern| {
        site.frame
            && (site.module, site.function) == (traced.seen.module, traced.seen.function)
            && traced.code.followed.contains(&site.address)
    };
    let carried = |site: &SitePattern| {
        let mut values = traced.code.carried.iter().flatten().filter(|value| value.memory);
        let matters = |value: &CarriedValue| {
            !matches!(value.kind, CarriedKind::Induction) && value.touched_by(site.address)
        };
        values.any(matters)
    };
    traced.code.carried.is_some()
        && known(of.source)
        && known(of.sink)
        && !carried(of.source)
        && !carried(of.sink)
}

/// Scalars, each as the dependences (indices) that meet there.
fn places(lifted: &[Lifted]) -> Vec<BTreeSet<usize>> {
    let mut places: Vec<(BTreeSet<u32>, BTreeSet<usize>)> = Vec::new();
    for (at, of) in lifted.iter().enumerate().filter(|(_, of)| of.seen.scalar) {
        let mut sites: BTreeSet<u32> = [of.seen.source, of.seen.sink].into();
        let mut members: BTreeSet<usize> = [at].into();
        places.retain(|(known, all)| {
            let apart = known.is_disjoint(&sites);
            if !apart {
                sites.extend(known);
                members.extend(all);
            }
            apart
        });
        places.push((sites, members));
    }
    places.into_iter().map(|(_, members)| members).collect()
}

fn of_place(traced: &Traced, lifted: &[Lifted], place: &BTreeSet<usize>) -> Role {
    let members = || place.iter().map(|&at| &lifted[at]);
    let flows = || members().filter(|of| of.seen.kind == DependenceKind::Flow);
    let mut carried = flows().filter(|of| of.nearest().is_some());
    let Some(first) = carried.next() else {
        return if stored_sum(traced, lifted, place) { Role::Reduction } else { Role::Plain };
    };
    if counter(traced, members()) {
        return Role::Counter;
    }
    let Some(value) = value(traced, first.source) else { return Role::Plain };
    let own = |site: &SitePattern| (site.module, site.function) == (traced.seen.module, traced.seen.function);
    let all_writers = members().flat_map(|of| [of.source, of.sink]).filter(|site| site.kind.writes());
    if !all_writers.clone().all(|site| own(site) && value.writers.contains(&site.address)) {
        return Role::Plain;
    }
    match value.kind {
        CarriedKind::Induction => Role::Counter,
        CarriedKind::Reduction
            if flows().all(|of| own(of.sink) && value.readers.contains(&of.sink.address)) =>
        {
            Role::Reduction
        }
        _ => Role::Plain,
    }
}

/// All that is written there is the value of a counter, which a called function reads by its address.
fn counter<'a>(traced: &Traced, mut members: impl Iterator<Item = &'a Lifted<'a>>) -> bool {
    members.all(|of| {
        [of.source, of.sink].into_iter().filter(|site| site.kind.writes()).all(|site| {
            (site.module, site.function) == (traced.seen.module, traced.seen.function)
                && traced.code.counter_stores.contains(&site.address)
        })
    })
}

/// All that is written there is the partial value of a reduction in a register: the compiler was not free to keep the
/// store for the end.
fn stored_sum(traced: &Traced, lifted: &[Lifted], place: &BTreeSet<usize>) -> bool {
    let own = |site: &SitePattern| (site.module, site.function) == (traced.seen.module, traced.seen.function);
    let sum = |address: u64| {
        let mut values = traced.code.carried.iter().flatten();
        values.any(|v| v.kind == CarriedKind::Reduction && v.readers.contains(&address))
    };
    let sites = place.iter().flat_map(|&at| [lifted[at].source, lifted[at].sink]);
    sites.clone().all(|site| own(site) && site.kind == AccessKind::Store && sum(site.address))
}

/// Both ends are in frames of called functions, which are gone when the iteration ends: what a later call finds there is
/// left over and has no meaning (a structure's padding, copied with it).
fn is_over(traced: &Traced, of: &Lifted) -> bool {
    of.seen.callee_frame && traced.code.keeps_stack
}

/// WAR or WAW at places that no iteration reads before it writes them, and through which nothing flows.
fn private(traced: &Traced, lifted: &[Lifted], at: usize) -> bool {
    let of = &lifted[at];
    let here = [of.seen.source, of.seen.sink];
    let flows = || {
        lifted.iter().any(|other| {
            other.seen.kind == DependenceKind::Flow
                && other.nearest().is_some()
                && !is_over(traced, other)
                && (other.seen.scalar || of.seen.callee_frame == other.seen.callee_frame)
                && (here.contains(&other.seen.source) || here.contains(&other.seen.sink))
        })
    };
    // What the sink writes anew in every iteration, no earlier write outlives.
    let refilled = || refills(traced, lifted, of.seen.sink, of.sink);
    of.seen.kind != DependenceKind::Flow
        && of.seen.exposed == 0
        && (of.seen.scalar || of.seen.callee_frame || refilled())
        && !flows()
}

/// Nearly every execution of the operand overwrites what the iteration before wrote there, itself or another operand: a
/// scratch array, which each iteration fills or clears anew.
fn refills(traced: &Traced, lifted: &[Lifted], index: u32, site: &SitePattern) -> bool {
    let Some(checked) = traced.seen.checked.as_ref().filter(|c| c.iterations > 0) else { return false };
    let repeated = checked.iterations.saturating_sub(checked.entries) as f64 / checked.iterations as f64;
    let mut again = 0u64;
    for of in lifted.iter().filter(|of| of.seen.kind == DependenceKind::Output && of.seen.sink == index) {
        if of.seen.exposed > 0 || of.seen.others > 0 || of.seen.edges.iter().any(|e| e.distance > 1) {
            return false;
        }
        let next = of.seen.edges.iter().filter(|e| e.distance == 1).map(|e| e.count);
        again = again.saturating_add(saturating_sum(next));
    }
    site.kind.writes() && repeated > 0.0 && again as f64 >= 0.9 * repeated * site.executions as f64
}
