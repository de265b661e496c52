//! Top-down analysis by the processor's counters, beside the verdicts of injected operations.
//!
//! The two have different scopes: counters count slots of the whole process, verdicts are of hot loops, in shares of an iteration's
//! time that overlap. So no numbers are compared. Each cause belongs to a part of the slots; the counters confirm it where that part
//! is at or above the threshold at which the method itself says "look here". Both agree where causes of most of the measured
//! time are confirmed, and the largest part that the counters mark is no loss, has a cause among the verdicts, or fits into the
//! time that was not measured.

use crate::counts::Builds;
use crate::model::{Agreement, CauseKind, LoopFacts, SlotPart, TopDownComparison, TopDownFacts, TopDownPart};
use loopwright_experiment::Facts;
use loopwright_sample::top_down::Slots;
use std::collections::BTreeMap;

/// A part is where to look from this share on. Source: `MetricThreshold` of `tma_retiring`, `tma_bad_speculation`,
/// `tma_frontend_bound`, `tma_backend_bound`, `tma_memory_bound` and `tma_core_bound` in Intel's metrics (github.com/intel/perfmon;
/// `tools/perf/pmu-events/arch/x86/sapphirerapids/spr-metrics.json`). AMD gives none, and means the same parts.
fn threshold(part: SlotPart) -> f64 {
    match part {
        SlotPart::Retiring => 0.70,
        SlotPart::BadSpeculation | SlotPart::FrontEnd => 0.15,
        SlotPart::BackEnd | SlotPart::Memory => 0.20,
        SlotPart::Core => 0.10,
    }
}

/// The same source asks this of the back end before it looks at its two halves.
const BACK_END: f64 = 0.20;

/// Loops with a verdict must take most of the program's time: counters cannot leave the rest out.
const MEASURED: f64 = 0.5;
/// Causes of most of the measured time must be confirmed.
const CONFIRMED: f64 = 0.5;

/// The newest run under counters, if it is of the build that is shown and says something.
pub(crate) fn facts(facts: &Facts, builds: &Builds, loops: &[LoopFacts]) -> Option<TopDownFacts> {
    let current = facts.top_down.iter().enumerate().rfind(|(number, _)| builds.top_down.holds(*number, 0));
    let (_, run) = current?;
    let slots = run.facts.slots()?;
    let binds = binds(&slots);
    Some(TopDownFacts {
        retiring: slots.retiring,
        bad_speculation: slots.bad_speculation,
        front_end: slots.front_end,
        back_end: slots.back_end,
        memory: slots.memory,
        core: slots.core,
        mispredicts: slots.mispredicts,
        other_thread: slots.other_thread,
        comparison: compare(&binds, &loops.iter().flat_map(causes).collect::<Vec<_>>()),
        binds,
        cores: slots.cores,
        counted_share: slots.counted.filter(|counted| *counted < 0.995),
        user_only: run.facts.user_only,
        processor: run.machine.as_ref().map(|record| record.machine.summary().name),
        perf: run.facts.perf_version.clone(),
        asked: run.facts.asked.name().to_owned(),
    })
}

/// The parts at or above their thresholds, the largest first.
fn binds(slots: &Slots) -> Vec<TopDownPart> {
    let halves = [(SlotPart::Memory, slots.memory), (SlotPart::Core, slots.core)];
    let halves = halves.into_iter().filter_map(|(part, share)| Some((part, share?)));
    let mut back_end: Vec<(SlotPart, f64)> = halves.filter(|_| slots.back_end >= BACK_END).collect();
    if slots.memory.is_none() && slots.core.is_none() {
        back_end.push((SlotPart::BackEnd, slots.back_end));
    }
    let first = [
        (SlotPart::Retiring, slots.retiring),
        (SlotPart::BadSpeculation, slots.bad_speculation),
        (SlotPart::FrontEnd, slots.front_end),
    ];
    let all = first.into_iter().chain(back_end).map(|(part, share)| TopDownPart { part, share });
    let mut parts: Vec<TopDownPart> = all.filter(|p| p.share >= threshold(p.part)).collect();
    parts.sort_by(|a, b| b.share.total_cmp(&a.share));
    parts
}

/// The parts in which the method counts a cause, the usual one first.
///
/// - A loop that keeps ports or the front end full also retires: where it does so in most slots, the parts of what is lost are small.
/// - Loads that wait for a port and stores for a place in the buffer are `L1_Bound` and `Store_Bound`, which Intel counts as memory.
/// - After a mispredicted branch the front end has to begin anew, which Intel counts as fetch latency (`Mispredicts_Resteers`).
fn parts(kind: CauseKind) -> &'static [SlotPart] {
    match kind {
        CauseKind::ChainLatency | CauseKind::Divider => &[SlotPart::Core],
        CauseKind::FloatPorts | CauseKind::IntegerPorts | CauseKind::Multiplier => {
            &[SlotPart::Core, SlotPart::Retiring]
        }
        CauseKind::LoadPorts | CauseKind::StorePorts => {
            &[SlotPart::Core, SlotPart::Memory, SlotPart::Retiring]
        }
        CauseKind::MemoryLatency
        | CauseKind::BandwidthL2
        | CauseKind::BandwidthL3
        | CauseKind::BandwidthMemory => &[SlotPart::Memory],
        CauseKind::FrontEnd => &[SlotPart::FrontEnd, SlotPart::Retiring],
        CauseKind::BranchMisses => &[SlotPart::BadSpeculation, SlotPart::FrontEnd],
    }
}

/// Whether a part in which a cause is counted is one that the counters know: without a second level both halves are the back end.
fn is(part: SlotPart, known: SlotPart) -> bool {
    part == known || known == SlotPart::BackEnd && matches!(part, SlotPart::Memory | SlotPart::Core)
}

/// The causes of a loop's verdict with their parts of the program's time: its own, so that no time counts twice in a nest.
fn causes(this: &LoopFacts) -> Vec<(CauseKind, f64)> {
    let verdict = this.bottleneck.as_ref().map_or(&[][..], |known| &known.verdict);
    let all: f64 = verdict.iter().map(|cause| cause.share).sum();
    verdict
        .iter()
        .map(|cause| (cause.kind, this.self_share * cause.share / all.max(f64::MIN_POSITIVE)))
        .collect()
}

/// `causes` with their parts of the program's time.
fn compare(binds: &[TopDownPart], causes: &[(CauseKind, f64)]) -> Option<TopDownComparison> {
    let measured_share: f64 = causes.iter().map(|(_, share)| share).sum();
    if measured_share <= 0.0 {
        return None;
    }
    let counted = |kind: CauseKind, known: SlotPart| parts(kind).iter().any(|part| is(*part, known));
    let confirmed = |kind: CauseKind| binds.iter().any(|bound| counted(kind, bound.part));
    let confirmed_share =
        causes.iter().filter(|(kind, _)| confirmed(*kind)).map(|(_, share)| share).sum::<f64>()
            / measured_share;
    let mut expected: BTreeMap<SlotPart, f64> = BTreeMap::new();
    for (kind, share) in causes {
        *expected.entry(parts(*kind)[0]).or_default() += share;
    }
    let mut expected: Vec<TopDownPart> =
        expected.into_iter().map(|(part, share)| TopDownPart { part, share }).collect();
    expected.sort_by(|a, b| b.share.total_cmp(&a.share));
    // Where most slots retire, what is lost is small.
    let lost = binds.first().filter(|bound| bound.part != SlotPart::Retiring);
    let unexplained = lost.filter(|lost| {
        let has_cause = causes.iter().any(|(kind, _)| counted(*kind, lost.part));
        !has_cause && lost.share > 1.0 - measured_share
    });
    let agreement = if measured_share < MEASURED {
        Agreement::TooLittle
    } else if confirmed_share >= CONFIRMED && unexplained.is_none() {
        Agreement::Agrees
    } else {
        Agreement::Differs
    };
    let unexplained = unexplained.map(|lost| lost.part).filter(|_| agreement == Agreement::Differs);
    Some(TopDownComparison { agreement, measured_share, confirmed_share, expected, unexplained })
}

#[cfg(test)]
mod tests;
