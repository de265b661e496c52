//! A dry run: plans and encodes a whole file without a process, and reports what would be counted.

use crate::emit::body::{self, Setting, ThreadCheck, Tracing};
use crate::emit::encode;
use crate::facts::LeftAlone;
use crate::injection::WalkBytes;
use crate::module::{FunctionPlan, Module, Readiness, Selection, in_parallel};
use crate::reason::{Reason, Unencodable};
use crate::region::Plan;
use crate::runtime::areas::Layout;
use crate::tracing::plan::TracePlan;
use loopwright_binary::image::Image;
use std::sync::Arc;

/// Statistics of the planned code of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DryRun {
    /// Number of functions.
    pub functions: usize,
    /// Functions that move as a whole.
    pub whole: usize,
    /// Functions that wait for their first call.
    pub armed: usize,
    /// Loops in code that was planned.
    pub loops: usize,
    /// Loops that would be counted.
    pub counted_loops: usize,
    /// Instructions that would run from copies.
    pub instructions: usize,
    /// Bytes of the copies.
    pub copy_bytes: usize,
    /// Bytes of the copies, each with a second one that records.
    pub traced_bytes: usize,
    /// The functions and loops that are not instrumented.
    pub left_alone: Vec<LeftAlone>,
}

/// Plans and encodes every function of a file, as if all of them ran.
pub fn dry_run(image: Image) -> DryRun {
    let module = Module::read("", Arc::new(image), &Selection::All);
    let mut out = DryRun { left_alone: module.left_alone.clone(), ..DryRun::default() };
    out.functions = module.readiness.len();
    out.armed = module.readiness.iter().filter(|r| matches!(r, Readiness::Armed(_))).count();
    let chosen: Vec<usize> =
        (0..out.functions).filter(|&k| module.readiness[k] != Readiness::Untouched).collect();
    let lowest = module.image.lowest_address();
    let parts = in_parallel(&chosen, |&k| {
        let (plan, left_alone) = module.plan(k);
        let mut part = DryRun { left_alone, ..DryRun::default() };
        let Some(f) = plan else { return part };
        part.loops = f.flow.loops.len();
        for plan in &f.plans {
            let checked = |_| true;
            let setting = Setting {
                layout: Layout { counters: 0, histograms: 0 },
                claim: lowest.wrapping_add(0x1000),
                check: ThreadCheck::SelfPointer,
                checked_callee: &checked,
                counting: true,
                tracing: None,
                units: &[],
                unit_slots: 0,
                walks: (0, WalkBytes::default()),
                hook: None,
            };
            let copy = body::write(&f.flow, &f.live, plan, &setting);
            match traced(&f, plan, &setting, lowest) {
                Ok(bytes) => part.traced_bytes += bytes,
                Err(why) => part.left_alone.push(LeftAlone {
                    address: f.address,
                    reason: Reason::Refused(why.into()),
                    ..LeftAlone::default()
                }),
            }
            match encode::encode(&copy.writer, lowest.wrapping_sub(0x0100_0000)) {
                Ok(encoded) => {
                    part.copy_bytes += encoded.bytes.len();
                    part.whole += usize::from(plan.region.whole);
                    part.counted_loops += plan.loops.len();
                    let length = |b: &usize| f.flow.instructions(*b).len();
                    part.instructions += plan.region.blocks.iter().map(length).sum::<usize>();
                }
                Err(why) => part.left_alone.push(LeftAlone {
                    address: f.address,
                    reason: Reason::Refused(why.into()),
                    ..LeftAlone::default()
                }),
            }
        }
        part
    });
    for part in parts {
        out.whole += part.whole;
        out.loops += part.loops;
        out.counted_loops += part.counted_loops;
        out.instructions += part.instructions;
        out.copy_bytes += part.copy_bytes;
        out.traced_bytes += part.traced_bytes;
        out.left_alone.extend(part.left_alone);
    }
    out
}

/// Bytes of a region's copies when all of its loops are traced.
fn traced(f: &FunctionPlan, plan: &Plan, setting: &Setting, lowest: u64) -> Result<usize, Unencodable> {
    let headers = f.flow.loops.iter().map(|l| f.flow.blocks[l.header].start).collect();
    let recorded = TracePlan::new(&f.flow, &f.plans, &headers);
    let shares: Vec<Option<u32>> = (0..recorded.shares.len() as u32).map(Some).collect();
    let tracing = Tracing {
        plan: &recorded,
        first: 0,
        shares: &shares,
        room: lowest.wrapping_add(0x1100),
        exhaustive: true,
        wide_masks: true,
    };
    let setting = Setting { counting: false, tracing: Some(&tracing), ..*setting };
    let copies = body::write(&f.flow, &f.live, plan, &setting);
    encode::encode(&copies.writer, lowest.wrapping_sub(0x0100_0000)).map(|encoded| encoded.bytes.len())
}
