//! The shares that causes take of an iteration's time, except those of memory.

use super::around::Around;
use super::curve::{absorbs_beyond, busy, contradicts, is_saturated, room};
use crate::model::{BranchFacts, Cause, CauseKind, CurvePoint, Provenance, ResourceFacts};
use loopwright_binary::facts::ChainKind;
use loopwright_costs::estimates::INTEGER_DIVISIONS_APART;
use loopwright_instrument::injected::InjectedLoop;
use loopwright_vocabulary::Resource;

/// A loop keeps a resource busy enough to be bound by it: schedulers do not reach all of it.
pub(super) const BINDS: f64 = 0.70;
/// Causes within this distance of the first bind together.
pub(super) const TOGETHER: f64 = 0.15;
/// A modelled share that explains the time of a loop which leaves every resource idle.
pub(super) const EXPLAINS: f64 = 0.60;

/// Share of the simulated mispredictions from which on they explain why operations cannot overlap.
const MISSED: f64 = 0.15;
/// Lines from elsewhere that take less of the time explain nothing.
const NEAR: f64 = 0.2;

/// A share of mispredictions that binds: the penalty of the tables is the least that one costs, more where the condition is late.
pub(super) const MISSES: f64 = 0.40;

/// Ticks of an operation that waits for its own kind alone.
pub(super) fn cost(measured: &InjectedLoop, resource: Resource) -> Option<f64> {
    measured.costs.iter().find(|c| c.resource == resource).map(|c| c.ticks)
}

/// What the curve of a resource says, of a loop that may wait for one line after the other (`late`).
pub(super) fn resource_facts(
    measured: &InjectedLoop,
    resource: Resource,
    late: bool,
) -> Option<ResourceFacts> {
    let curve: Vec<CurvePoint> = measured
        .versions
        .iter()
        .filter(|v| v.resource == resource)
        .map(|v| CurvePoint {
            operations: v.count,
            ratio: v.ratio.median,
            low: v.ratio.low,
            high: v.ratio.high,
        })
        .collect();
    let cost = cost(measured, resource)?;
    let slot = self::cost(measured, Resource::FrontEnd).unwrap_or(0.0);
    let busy = busy(&curve, cost, slot, measured.plain.median, resource.is_memory());
    // Behind a late load the core is full, so that a few operations come on top whatever their resource does.
    let busy = busy.filter(|_| !late || is_saturated(&curve));
    if curve.is_empty() {
        return None;
    }
    let (room, room_is_bound) = room(&curve);
    Some(ResourceFacts { resource, room, room_is_bound, busy, curve })
}

/// The share in which the loop's own instructions keep a resource busy. What looks busier than they can make it waits for something
/// else in the buffers of the core, as stores do whose lines are late.
fn own_share(measured: &InjectedLoop, r: &ResourceFacts, around: &Around<'_>) -> Option<f64> {
    /// Accesses over two lines take two, and those that meet in one bank of the cache take turns; few instructions between taken
    /// jumps are fetched at a time; half of the ports of vectors execute some of their operations.
    const SPLIT: f64 = 2.0;
    /// The same of stores whose addresses were traced: costs are known to about this much.
    const KNOWN: f64 = 1.25;
    /// Some instructions take two slots in the front end. More is what another thread on the core takes.
    const SLOTS: f64 = 1.2;
    if r.resource == Resource::FrontEnd && is_long(around) {
        return r.busy;
    }
    let split = match r.resource {
        Resource::FrontEnd if measured.core_shared.is_some() => SLOTS,
        Resource::Stores | Resource::VectorStores => {
            around.split_stores().map_or(SPLIT, |over_two_lines| KNOWN * (1.0 + over_two_lines))
        }
        _ => SPLIT,
    };
    let times =
        measured.uses.iter().find(|(used, _)| *used == r.resource).map(|(_, times)| f64::from(*times));
    let cost = cost(measured, r.resource).unwrap_or(0.0);
    let most = times.map_or(1.0, |times| split * times * cost / measured.plain.median);
    r.busy.map(|share| share.min(most))
}

/// The cause that a busy resource is. Jumps are shown, but not judged: what they cost depends on where they are.
pub(super) fn cause_of(resource: Resource) -> Option<CauseKind> {
    Some(match resource {
        Resource::FrontEnd => CauseKind::FrontEnd,
        // Waiting for scattered lines is latency, which is judged by itself.
        Resource::TakenBranches | Resource::ScatteredLines => return None,
        Resource::Integer | Resource::Shift => CauseKind::IntegerPorts,
        Resource::Multiply => CauseKind::Multiplier,
        Resource::Loads => CauseKind::LoadPorts,
        Resource::Stores | Resource::VectorStores => CauseKind::StorePorts,
        Resource::FloatAdd | Resource::FloatMultiply => CauseKind::FloatPorts,
        Resource::FloatDivide => CauseKind::Divider,
        Resource::L2Lines => CauseKind::BandwidthL2,
        Resource::L3Lines => CauseKind::BandwidthL3,
        Resource::MemoryLines => CauseKind::BandwidthMemory,
    })
}

/// A unit of the core that is judged.
fn is_unit(resource: Resource) -> bool {
    !resource.is_memory() && cause_of(resource).is_some()
}

/// The share in which operations cannot overlap with anything: that in which resources look busy that the loop does not use. What
/// follows a mispredicted branch starts anew, and after a late load the core is full, so that operations come on top. What a
/// callee uses is not known, but nothing keeps all units busy at once.
///
/// Another thread on the core takes half of the slots in which instructions are decoded and renamed, which each operation needs, so
/// that all units look busy, too: where nothing else explains a share, there is none.
pub(super) fn serial_share(
    measured: &InjectedLoop,
    resources: &[ResourceFacts],
    around: &Around<'_>,
    missed: Option<f64>,
    far: f64,
) -> f64 {
    /// Less is what schedulers do not reach.
    const LEAST: f64 = 0.35;
    let explained = mispredicts_or_waits(missed, far) || is_long(around);
    if measured.core_shared.is_some() && !explained {
        return 0.0;
    }
    // The multiplier is one of the integer ports, which all loops use, and stores beside others look dearer than they are.
    let several = measured.calls || is_long(around);
    let apart = [Resource::Loads, Resource::FloatAdd, Resource::FloatMultiply];
    let absorbed = |r: &ResourceFacts, own: f64| {
        let cost = cost(measured, r.resource).unwrap_or(0.0);
        absorbs_beyond(&r.curve, cost, measured.plain.median, own)
    };
    let share = |r: &ResourceFacts| r.busy.map(|own| if absorbed(r, own) { 0.0 } else { own });
    let shares = |used: bool| -> Vec<f64> {
        let wanted = |r: &&ResourceFacts| used || !measured.used.contains(&r.resource);
        resources.iter().filter(|r| apart.contains(&r.resource)).filter(wanted).filter_map(share).collect()
    };
    let unused = shares(false);
    // Of units that are used one alone may be full.
    let shares = if several && (measured.calls || unused.len() < 2) { shares(true) } else { unused };
    let enough = !several || shares.len() > 1;
    // Where the trace knows no reason, what overlaps with nothing shows in every curve. (Stores leave the core also while it begins
    // anew after a mispredicted branch, or waits for a line.)
    let traced = around.memory.is_some() && !measured.calls && !measured.jumps;
    let least = if traced && !explained {
        resources.iter().filter(|r| is_unit(r.resource)).filter_map(|r| r.busy).fold(1.0, f64::min)
    } else {
        1.0
    };
    let share = shares.into_iter().reduce(f64::min).map(|share| share.min(least));
    share.filter(|share| enough && *share >= LEAST).unwrap_or(0.0)
}

/// Instructions that need nothing but a slot in the front end lengthen an iteration by much more than these take: where they are they
/// disturb something else, fetching or the prediction of branches, and so do all others.
fn nops_disturb(measured: &InjectedLoop, resources: &[ResourceFacts]) -> bool {
    front_end(measured, resources)
        .is_some_and(|(front, slot)| is_saturated(&front.curve) && contradicts(&front.curve, slot))
}

/// What its curve says, and the part of an iteration that a slot takes.
fn front_end<'r>(
    measured: &InjectedLoop,
    resources: &'r [ResourceFacts],
) -> Option<(&'r ResourceFacts, f64)> {
    let front = resources.iter().find(|r| r.resource == Resource::FrontEnd)?;
    Some((front, cost(measured, Resource::FrontEnd)? / measured.plain.median))
}

/// The units of the core that the loop uses. Lines of memory are judged together with what the loop itself moves.
pub(super) fn measured_causes(
    measured: &InjectedLoop,
    resources: &[ResourceFacts],
    around: &Around<'_>,
    serial: f64,
) -> Vec<Cause> {
    let mut causes: Vec<Cause> = Vec::new();
    if !is_long(around) && nops_disturb(measured, resources) {
        return causes;
    }
    for r in resources.iter().filter(|r| !r.resource.is_memory() && measured.used.contains(&r.resource)) {
        let Some((share, kind)) = own_share(measured, r, around).zip(cause_of(r.resource)) else { continue };
        let share = (share - serial).max(0.0);
        match causes.iter_mut().find(|c| c.kind == kind) {
            Some(known) => known.share = known.share.max(share),
            None => causes.push(Cause { kind, share, provenance: Provenance::Measured }),
        }
    }
    // The multiplier is one of the integer ports. A core gives operations to its ports in turn, so that all look full where one is;
    // the loop's own multiplications decide which it is.
    let multiplied =
        cost(measured, Resource::Multiply).map(|cost| f64::from(measured.multiplications) * cost);
    if multiplied.is_some_and(|ticks| ticks >= EXPLAINS * measured.plain.median) {
        let multiplier = causes.iter().find(|c| c.kind == CauseKind::Multiplier).map_or(0.0, |c| c.share);
        causes.retain(|c| c.kind != CauseKind::IntegerPorts || c.share > multiplier + TOGETHER);
        return causes;
    }
    let integer = causes.iter().find(|c| c.kind == CauseKind::IntegerPorts).map_or(0.0, |c| c.share);
    causes.retain(|c| c.kind != CauseKind::Multiplier || integer < BINDS || c.share > integer);
    causes
}

/// Share of the time that the simulated mispredictions take; none where no branch was judged.
pub(super) fn missed_share(branches: &[BranchFacts], cycles: f64) -> Option<f64> {
    let lost = branches.iter().filter_map(|b| b.cycles_per_iteration).reduce(|a, b| a + b)?;
    Some(lost / cycles)
}

/// The cache of decoded instructions does not hold the loop: it is filled in pieces of some instructions, about two thirds of
/// each (AMD 56665 and Intel 248966, on the cache of micro-operations).
fn is_long(around: &Around<'_>) -> bool {
    const FILLED: f64 = 0.65;
    f64::from(around.instructions) > FILLED * around.core.decoded
}

/// Mispredicted branches or lines from elsewhere explain why operations cannot overlap.
fn mispredicts_or_waits(missed: Option<f64>, far: f64) -> bool {
    missed.is_some_and(|missed| missed >= MISSED) || far >= NEAR
}

/// What is left of an iteration after the instructions that pass the front end for nothing, where further ones come on top of it.
fn on_top(measured: &InjectedLoop, resources: &[ResourceFacts]) -> Option<f64> {
    /// Less is the noise.
    const NOTABLE: f64 = 0.15;
    let (front, slot) = front_end(measured, resources)?;
    let last = front.curve.last()?;
    let alone = f64::from(last.operations) * slot;
    (last.ratio - 1.0 >= alone.max(NOTABLE)).then(|| (1.0 - front.room * slot).max(0.0))
}

/// Why operations overlap with nothing: mispredicted branches (the penalty of the tables is the least that one costs), or code
/// that the cache of decoded instructions does not hold, so that each instruction lengthens the iteration.
pub(super) fn serial_cause(
    measured: &InjectedLoop,
    resources: &[ResourceFacts],
    around: &Around<'_>,
    serial: f64,
    missed: Option<f64>,
    far: f64,
) -> Option<Cause> {
    if serial > 0.0 && is_long(around) {
        return modelled(CauseKind::FrontEnd, serial);
    }
    if is_long(around) && !mispredicts_or_waits(missed, far) {
        return on_top(measured, resources).and_then(|share| modelled(CauseKind::FrontEnd, share));
    }
    // Where a call or a computed jump leads is not simulated: of a loop that waits for no lines, nothing else is left.
    let unknown = measured.calls && serial >= EXPLAINS || measured.jumps && serial >= MISSES;
    let elsewhere = unknown && is_near(around, far);
    let share = match missed {
        Some(missed) if missed >= MISSED => missed.min(1.0).max(serial),
        _ if elsewhere => serial,
        missed => missed?.min(1.0),
    };
    modelled(CauseKind::BranchMisses, share)
}

/// A modelled share. Where the model takes more time than there was, the loop shows that it does not hold here.
pub(super) fn modelled(kind: CauseKind, share: f64) -> Option<Cause> {
    /// Ceilings and clocks vary by this much from run to run on shared machines.
    const TOLERATED: f64 = 1.35;
    let cause = Cause { kind, share: share.min(1.0), provenance: Provenance::Modelled };
    (share <= TOLERATED).then_some(cause)
}

/// The latency of the longest chain through the iterations; of one whose loads lead to the next address, where they hit the first
/// level, as those of a table do.
pub(super) fn chain_cause(around: &Around<'_>, cycles: f64, far: f64) -> Option<Cause> {
    /// Instructions that a core works on at the same time: 224 on Skylake, 320 on Zen 4, 512 on Golden Cove (their manuals).
    const BUFFER: f64 = 224.0;
    let longest = around.chains.iter().filter(|c| c.kind != ChainKind::PointerChase || is_near(around, far));
    let latency = longest.map(|c| c.latency_cycles).max()?;
    // The chain of the next entry does not wait for this one's: a core works on as many entries as its buffer holds.
    let entry = around.trips.map_or(f64::INFINITY, |trips| trips * f64::from(around.instructions));
    let alone = (entry / BUFFER).min(1.0);
    modelled(CauseKind::ChainLatency, alone * f64::from(latency) / cycles)
}

/// Integer divisions, which are not injected: they need registers of their own.
pub(super) fn division_cause(around: &Around<'_>, cycles: f64) -> Option<Cause> {
    let divisions = Some(around.integer_divisions).filter(|n| *n > 0)?;
    let share = f64::from(divisions) * around.core.integer_division * INTEGER_DIVISIONS_APART / cycles;
    modelled(CauseKind::Divider, share)
}

/// The most that any unit which the loop uses can take of its time, where it is not known: by the operations that were absorbed
/// beside it, and by one cycle for each instruction.
pub(super) fn units_at_most(
    measured: &InjectedLoop,
    resources: &[ResourceFacts],
    around: &Around<'_>,
    cycles: Option<f64>,
) -> f64 {
    // Those of callees are not known.
    let cycles = cycles.filter(|_| !measured.calls);
    let by_instructions = cycles.map_or(1.0, |cycles| f64::from(around.instructions) / cycles);
    let judged = |r: Resource| is_unit(r) && measured.used.contains(&r);
    let used = resources.iter().filter(|r| judged(r.resource));
    let most = used.map(|r| {
        let cost = cost(measured, r.resource).unwrap_or(0.0);
        let left = |p: &CurvePoint| p.ratio - f64::from(p.operations) * cost / measured.plain.median;
        let by_room = r.curve.iter().map(left).fold(1.0, f64::min);
        own_share(measured, r, around).unwrap_or_else(|| by_room.min(by_instructions))
    });
    most.fold(0.0, f64::max)
}

/// The trace knows that hardly any line comes from below the first level.
fn is_near(around: &Around<'_>, far: f64) -> bool {
    around.memory.is_some() && far < NEAR
}

/// A loop that leaves every resource idle, misses no cache and cannot mispredict waits for a result of an iteration before:
/// through memory, where the code does not show the chain.
pub(super) fn eliminated(
    around: &Around<'_>,
    others: &[Cause],
    missed: Option<f64>,
    units: f64,
    far: f64,
) -> Option<Cause> {
    /// Mispredictions that take less of the time are no explanation.
    const HARDLY: f64 = 0.1;
    let operands = around.operands;
    let plain = operands.data_tests == 0 && operands.position_tests == 0;
    let steady = missed.map_or(plain, |share| share < HARDLY);
    let known = others.iter().any(|c| c.kind == CauseKind::ChainLatency && c.share >= EXPLAINS);
    let others = others.iter().filter(|c| c.kind != CauseKind::ChainLatency);
    let busiest = others.map(|c| c.share).fold(units, f64::max);
    // The chain of a chase is its loads: other jobs may leave it fewer lines in the caches than the trace found there.
    let kind = if around.chases() && far > 0.0 { CauseKind::MemoryLatency } else { CauseKind::ChainLatency };
    (steady && is_near(around, far) && !known && busiest < EXPLAINS)
        .then(|| modelled(kind, 1.0 - busiest))
        .flatten()
}
