//! What binds a loop: the shares of an iteration's time that each cause takes by itself.
//!
//! Ports and front end are measured: where enough operations are injected that the loop waits for the resource alone, an
//! iteration takes `t = own + operations * cost`, and `own / t0` is the share in which the loop itself keeps it busy. Latencies
//! and bandwidths cannot be injected away. Their shares are modelled from what else is known: the latency of the loop's chains,
//! the bytes that its traced accesses move between the levels of memory, and the measured bandwidths. A loop that leaves every
//! resource idle waits for something: then the largest modelled share is the answer, or the latency of memory where lines come
//! from a distant level and no bandwidth explains the time.

mod around;
mod causes;
mod curve;
mod memory;

pub(crate) use around::Around;

use crate::counts::Builds;
use crate::model::{Bottleneck, Cause, CauseKind, Provenance, ResourceFacts, Uninjected};
use crate::resolve::Entities;
use causes::{BINDS, EXPLAINS, MISSES, TOGETHER};
use loopwright_experiment::Facts;
use loopwright_instrument::injected::{Injected, InjectedLoop};
use loopwright_vocabulary::Resource;
use std::collections::HashMap;

/// What all runs with injected operations say.
#[derive(Default)]
pub(crate) struct Bottlenecks<'a> {
    /// By index into [`Entities::loops`].
    measured: HashMap<u32, (&'a Injected, &'a InjectedLoop)>,
    left: HashMap<u32, Uninjected>,
}

impl<'a> Bottlenecks<'a> {
    /// Joins all runs with the loops; later ones replace what they measured again. Those of other builds are left out.
    pub fn new(facts: &'a Facts, entities: &Entities, builds: &Builds) -> Self {
        let mut this = Self::default();
        let headers = entities.headers();
        for (number, run) in facts.injected.iter().enumerate() {
            for l in run.facts.loops.iter().filter(|l| builds.injected.holds(number, l.module as usize)) {
                let path = run.facts.modules.get(l.module as usize).map_or("", |m| m.path.as_str());
                if let Some(&index) = headers.get(&(path, l.header)) {
                    this.left.remove(&index);
                    this.measured.insert(index, (&run.facts, l));
                }
            }
            for l in &run.facts.left {
                if let Some(&index) = headers.get(&(l.module.as_str(), l.header))
                    && !this.measured.contains_key(&index)
                {
                    this.left.insert(index, l.reason.clone().into());
                }
            }
        }
        this
    }

    /// Whether a loop was asked for.
    pub fn asked(&self, index: u32) -> bool {
        self.measured.contains_key(&index) || self.left.contains_key(&index)
    }

    /// Why nothing was injected into a loop.
    pub fn left(&self, index: u32) -> Option<Uninjected> {
        self.left.get(&index).cloned()
    }

    /// What binds a loop.
    pub fn of_loop(&self, index: u32, entities: &Entities, around: &Around<'_>) -> Option<Bottleneck> {
        let (run, measured) = self.measured.get(&index).copied()?;
        let changed_at = (measured.unit != measured.header).then(|| {
            let nest = entities.nest(Some(index)).skip(1);
            let mut units = nest.filter(|&l| entities.loops[l as usize].code.header == measured.unit);
            units.next().map(|l| entities.loops[l as usize].id)
        });
        Some(bottleneck(run, measured, around, changed_at.flatten()))
    }
}

/// A resource that is this busy binds where nothing else takes half as much: what else an instruction of the loop occupies (an
/// access over two lines, say) is not in the cost of an operation.
const LONE: f64 = 0.55;
/// The same of bandwidths: nothing reaches the best measured rate of a level while others use it, too.
const AT_BEST: f64 = 0.50;
/// An iteration that calls other code and takes this many times the sampled time is not the program's any more: leaving and
/// returning to versions takes it. (Other jobs lengthen iterations of shared machines by less.)
const LENGTHENED: f64 = 1.6;
/// So is one of which leaving and returning takes a tenth or more: about 2 ns for a call (measured on Zen 3 and Zen 4), most of it for
/// taken branches, which hide behind a chain and come on top of everything else.
const SHORTEST_WITH_CALLS: f64 = 20.0;

fn bottleneck(
    run: &Injected,
    measured: &InjectedLoop,
    around: &Around<'_>,
    changed_at: Option<u32>,
) -> Bottleneck {
    let ticks = measured.plain.median;
    let seconds = ticks / run.ticks_per_second;
    // One multiplication starts in each cycle of all cores with a table (uops.info: `IMUL r64, r64, i8`).
    let cycles = causes::cost(measured, Resource::Multiply).map(|ticks_per_cycle| ticks / ticks_per_cycle);
    let far = memory::far_share(around, cycles);
    let late = memory::waits_for_lines(around, far);
    let resources: Vec<ResourceFacts> =
        Resource::ALL.into_iter().filter_map(|r| causes::resource_facts(measured, r, late)).collect();
    let missed = cycles.and_then(|cycles| causes::missed_share(around.branches, cycles));
    let serial = causes::serial_share(measured, &resources, around, missed, far);
    let mut causes = causes::measured_causes(measured, &resources, around, serial);
    causes.extend(causes::serial_cause(measured, &resources, around, serial, missed, far));
    if let Some(cycles) = cycles {
        causes.extend(causes::chain_cause(around, cycles, far));
        causes.extend(causes::division_cause(around, cycles));
    }
    causes.extend(memory::bandwidth_causes(measured, &resources, around, seconds));
    let units = causes::units_at_most(measured, &resources, around, cycles);
    causes.extend(memory::latency_cause(around, &causes, units, far));
    if !measured.calls || serial == 0.0 {
        causes.extend(causes::eliminated(around, &causes, missed, units, far));
    }
    causes.sort_by(|a, b| b.share.total_cmp(&a.share));
    let mut seen = Vec::new();
    causes.retain(|c| {
        !seen.contains(&c.kind) && {
            seen.push(c.kind);
            true
        }
    });
    farthest_first(&mut causes);
    let nanoseconds = seconds * 1e9;
    let changed = |sampled: &f64| nanoseconds > LENGTHENED * sampled || nanoseconds < SHORTEST_WITH_CALLS;
    let sampled_ns = around.sampled_ns.filter(|sampled| measured.calls && changed(sampled));
    Bottleneck {
        iteration_ns: nanoseconds,
        iteration_cycles: cycles,
        sampled_ns,
        core_shared: measured.core_shared,
        serial_share: (serial > 0.0).then_some(serial),
        verdict: if sampled_ns.is_none() { verdict(&causes) } else { Vec::new() },
        causes,
        resources,
        changed_at,
        counted_in_memory: measured.counted_in_memory,
        windows: measured.windows,
        disturbed: measured.dropped,
    }
}

/// Lines of a distant level pass the nearer ones, too: of bandwidths that take about as much the farthest one is the cause.
fn farthest_first(causes: &mut [Cause]) {
    let Some(first) = causes.iter().position(|c| c.kind.level().is_some()) else { return };
    let about = causes[first].share - TOGETHER;
    let farthest = (first..causes.len())
        .filter(|&k| causes[k].kind.level().is_some() && causes[k].share >= about)
        .max_by_key(|&k| causes[k].kind.level());
    if let Some(farthest) = farthest {
        causes[first..=farthest].rotate_right(1);
    }
}

/// The causes that bind: the first of them and what is as large.
fn verdict(causes: &[Cause]) -> Vec<Cause> {
    let enough = |c: &Cause| match (c.kind, c.provenance) {
        (CauseKind::BranchMisses, _) => c.share >= MISSES,
        (_, Provenance::Measured) => {
            let others = causes.iter().filter(|o| o.kind != c.kind).map(|o| o.share).fold(0.0, f64::max);
            c.share >= BINDS || c.share >= LONE && others < c.share / 2.0
        }
        (CauseKind::BandwidthL2 | CauseKind::BandwidthL3 | CauseKind::BandwidthMemory, _) => {
            c.share >= AT_BEST
        }
        _ => c.share >= EXPLAINS,
    };
    let Some(first) = causes.iter().find(|c| enough(c)) else { return Vec::new() };
    causes.iter().filter(|c| enough(c) && c.share >= first.share - TOGETHER).copied().collect()
}

#[cfg(test)]
mod tests;
