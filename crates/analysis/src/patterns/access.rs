//! Memory operands as source accesses.
//!
//! Strides of the machine's loop become those of the loop as written by the number of source iterations that one machine
//! iteration does.

use super::Traced;
use crate::model::{AccessFacts, GatherFacts, OuterStride, StridePattern};
use loopwright_patterns::facts::{LevelStrides, SitePattern};

/// From this share of the steps on, a stride is the operand's stride.
pub(super) const DOMINANT: f64 = 0.99;

/// The accesses of a loop, in the order of their operands.
pub(super) fn access(traced: &Traced) -> Vec<AccessFacts> {
    traced.seen.sites.iter().zip(0..).map(|(site, index)| of_site(traced, site, index)).collect()
}

fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// The stride that nearly all steps have.
fn dominant(level: &LevelStrides) -> Option<i64> {
    let &(bytes, count) = level.values.first()?;
    (share(count, level.steps) >= DOMINANT).then_some(bytes)
}

fn pattern(stride: Option<i64>, element: u32) -> StridePattern {
    match stride {
        Some(0) => StridePattern::Uniform,
        Some(bytes) if bytes.unsigned_abs() == u64::from(element) => StridePattern::Unit,
        Some(_) => StridePattern::Constant,
        None => StridePattern::Variable,
    }
}

fn whole(bytes: i64, element: u32) -> Option<i64> {
    (element > 0 && bytes % i64::from(element) == 0).then(|| bytes / i64::from(element))
}

fn of_site(traced: &Traced, site: &SitePattern, index: u32) -> AccessFacts {
    let spot = traced.spot(site.module, site.function, site.address);
    let level = site
        .strides
        .iter()
        .position(|level| (level.module, level.header) == (traced.seen.module, traced.seen.header));
    let own = level.map(|level| &site.strides[level]);
    let machine = own.and_then(dominant);
    let factor = traced.factor.max(1);
    let stride =
        machine.filter(|bytes| bytes % i64::from(factor) == 0).map(|bytes| bytes / i64::from(factor));
    let arrays: Vec<usize> = (traced.seen.footprint.arrays.iter().enumerate())
        .filter(|(_, array)| array.sites.contains(&index))
        .map(|(at, _)| at)
        .collect();
    let sum = |part: fn(&loopwright_patterns::facts::Array) -> u64| {
        arrays.iter().map(|&at| part(&traced.seen.footprint.arrays[at])).sum::<u64>()
    };
    let (lines, bytes) = (sum(|array| array.lines), sum(|array| array.bytes));
    let line_bytes = u64::from(traced.seen.footprint.line_bytes);
    AccessFacts {
        file: spot.file,
        line: spot.line,
        operand: None,
        function: spot.function,
        addresses: vec![format!("{:#x}", site.address)],
        kind: site.kind,
        element_bytes: site.element,
        operand_bytes: site.size,
        lanes: site.lanes,
        pattern: pattern(stride, site.element),
        stride_bytes: stride,
        stride_elements: stride.and_then(|bytes| whole(bytes, site.element)),
        machine_stride_bytes: machine,
        machine_stride_elements: machine.and_then(|bytes| whole(bytes, site.element)),
        source_factor: factor,
        distribution: own.map_or(Vec::new(), |level| {
            level.values.iter().map(|&(bytes, count)| (bytes, share(count, level.steps))).collect()
        }),
        other_share: own.map_or(0.0, |level| share(level.others, level.steps)),
        ascending_share: own.map_or(0.0, |level| share(level.ascending, level.steps)),
        same_line_share: own.map_or(0.0, |level| share(level.same_line, level.steps)),
        same_page_share: own.map_or(0.0, |level| share(level.same_page, level.steps)),
        outer: level.map_or(Vec::new(), |level| {
            let outer = |level: &LevelStrides| {
                let (loop_id, place) = traced.loop_named(level.module, level.header);
                let stride = dominant(level);
                OuterStride { loop_id, place, pattern: pattern(stride, site.element), stride_bytes: stride }
            };
            site.strides[level + 1..].iter().filter(|level| level.steps > 0).map(outer).collect()
        }),
        executions: site.executions,
        unaligned_share: share(site.misaligned, site.executions),
        line_split_share: share(site.line_splits, site.executions),
        page_split_share: share(site.page_splits, site.executions),
        utilisation: (lines * line_bytes > 0).then(|| share(bytes, lines * line_bytes)),
        footprint_bytes: (!arrays.is_empty()).then_some(bytes),
        array: arrays.first().map(|&at| at as u32),
        offset_bytes: site.offset.map(|(_, bytes)| bytes),
        gather: site.lane_steps.as_ref().map(|lanes| {
            let steps = lanes.values.iter().map(|value| value.1).sum::<u64>() + lanes.others;
            GatherFacts {
                lane_stride_bytes: lanes
                    .values
                    .first()
                    .filter(|value| share(value.1, steps) >= DOMINANT)
                    .map(|value| value.0),
                affine_share: share(lanes.affine, site.executions),
                ascending_share: share(lanes.ascending, site.executions),
                lines_per_execution: share(lanes.lines, site.executions),
                active_lanes: share(lanes.active, site.executions),
            }
        }),
        streaming: site.streaming,
        atomic: site.atomic,
        frame: site.frame,
    }
}
