//! Memory operands as source accesses.
//!
//! The compiler makes several machine operands of one access as written, and several source iterations one of the
//! machine's. Here the operands are put together again ([`copies`]) and their strides divided by the number of source
//! iterations ([`factor`]): a loop over `a[3*i]` has stride 3 in its scalar form and 12 when four iterations make one, and both
//! are reported as stride 3.

mod copies;
mod factor;
mod moved;
mod naming;
mod operand;

#[cfg(test)]
mod tests;

use super::Traced;
use crate::model::{AccessFacts, GatherFacts, OuterStride, StridePattern};
use factor::Factor;
use loopwright_binary::facts::{LoopCode, Trait};
use loopwright_patterns::facts::{Array, LaneSteps, LevelStrides, SitePattern};
pub(super) use operand::dominant;
use operand::{Operand, most_frequent};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// From this share of the steps on, a stride is the operand's stride; the rest is what bursts and conditions leave.
const DOMINANT: f64 = 0.99;
/// From this share on it is the usual one: borders and conditions make the others.
const USUAL: f64 = 0.75;

/// The accesses of a loop, in the order of their first operands. What never ran is left out, unless a dependence is
/// about it: operands of functions that are known by their arguments.
pub(super) fn access(traced: &Traced) -> Vec<AccessFacts> {
    let mut operands = Operand::all(traced);
    let factor = factor::factor(traced, &operands);
    let copied = moved::gathered(&operands).filter(|_| traced.code.types.is_empty());
    for operand in &mut operands {
        operand.element = written_element(traced.code, operand, factor, copied);
    }
    let groups = copies::copies(&operands, factor.iterations);
    let groups: Vec<Vec<&Operand>> =
        groups.iter().map(|group| group.iter().map(|&at| &operands[at]).collect()).collect();
    let names = naming::names(traced, &groups);
    // The first access of each array and stride: the others show how far they are from it.
    let mut firsts: BTreeMap<(u32, Option<u32>, Option<i64>), i64> = BTreeMap::new();
    let mut list = Vec::with_capacity(groups.len());
    let depends = |operand: &Operand| {
        let dependences = &traced.seen.dependences;
        dependences.iter().any(|found| [found.source, found.sink].contains(&operand.index))
    };
    for (members, name) in groups.iter().zip(names) {
        if members.iter().all(|operand| operand.site.executions == 0 && !depends(operand)) {
            continue;
        }
        let Some((family, bytes)) = members.iter().map(|operand| operand.family).min_by_key(|f| f.1) else {
            continue;
        };
        let mut access = lift(traced, members, factor);
        access.operand = name;
        match firsts.entry((family, members[0].array, members[0].stride)) {
            Entry::Vacant(first) => drop(first.insert(bytes)),
            Entry::Occupied(first) => access.offset_bytes = Some(bytes.wrapping_sub(*first.get())),
        }
        list.push(access);
    }
    list
}

fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// Stored numbers may be anything.
fn total(numbers: impl Iterator<Item = u64>) -> u64 {
    numbers.fold(0, u64::saturating_add)
}

/// Bytes of an element as written. Instructions that move whole vectors are the same for all types, and compilers take the
/// shortest: the arithmetic shows the type, unless a source iteration has no room for one.
fn written_element(code: &LoopCode, operand: &Operand, factor: Factor, copied: Option<u32>) -> u32 {
    let Factor { iterations: factor, lanes_elsewhere } = factor;
    let machine = operand.site.element;
    if let Some(bytes) = copied.filter(|_| operand.is_packed() && operand.is_regular())
        && operand.stride.is_some_and(|moves| moves.unsigned_abs() == u64::from(bytes) * u64::from(factor))
    {
        return bytes;
    }
    if !operand.is_packed() || code.traits.contains(&Trait::Conversion) && machine > 1 {
        return room(operand, factor, machine);
    }
    let whole = operand.site.size;
    if factor == 1
        && !lanes_elsewhere
        && operand.stride.is_some_and(|bytes| bytes.unsigned_abs() == u64::from(whole))
    {
        // A structure (a complex number) in one register, the next one in the next iteration.
        return whole;
    }
    let mut bytes = code.types.iter().map(|element| element.bits() / 8);
    let Some(first) = bytes.next().filter(|&first| bytes.all(|other| other == first)) else {
        return room(operand, factor, machine);
    };
    if first == 0 || !whole.is_multiple_of(first) {
        return room(operand, factor, machine);
    }
    room(operand, factor, first)
}

/// The element, or what a source iteration has room for.
fn room(operand: &Operand, factor: u32, element: u32) -> u32 {
    let moves = operand.stride.filter(|_| operand.is_regular()).unwrap_or(0).unsigned_abs();
    match u32::try_from(moves / u64::from(factor.max(1))) {
        Ok(bytes) if bytes > 0 && bytes < element && operand.is_packed() => bytes,
        _ => element,
    }
}

fn pattern(stride: Option<i64>, element: u32) -> StridePattern {
    match stride {
        Some(0) => StridePattern::Uniform,
        Some(bytes) if bytes.unsigned_abs() == u64::from(element) => StridePattern::Unit,
        Some(_) => StridePattern::Constant,
        None => StridePattern::Variable,
    }
}

fn elements(bytes: i64, element: u32) -> Option<i64> {
    (element > 0 && bytes % i64::from(element) == 0).then(|| bytes / i64::from(element))
}

/// The stride of the loop as written.
fn source_stride(operand: &Operand, factor: u32) -> Option<i64> {
    let machine = operand.stride?;
    let factor = i64::from(factor.max(1));
    let stride = (machine % factor == 0).then(|| machine / factor)?;
    match &operand.site.lane_steps {
        // Lanes are source iterations: only when they are as far apart is the stride that of each.
        Some(lanes) if operand.is_gather() && stride != 0 => {
            (lane_stride(lanes) == Some(stride) && is_affine(operand.site, lanes)).then_some(stride)
        }
        _ => Some(stride),
    }
}

fn lane_stride(lanes: &LaneSteps) -> Option<i64> {
    let steps = total(lanes.values.iter().map(|value| value.1).chain([lanes.others]));
    lanes.values.first().filter(|value| share(value.1, steps) >= DOMINANT).map(|value| value.0)
}

fn is_affine(site: &SitePattern, lanes: &LaneSteps) -> bool {
    share(lanes.affine, site.executions) >= DOMINANT
}

/// One source access from its machine operands.
fn lift(traced: &Traced, members: &[&Operand], factor: Factor) -> AccessFacts {
    let first = members[0];
    let site = first.site;
    // Inner loops' and callees' operands have the stride of the traced loop, too; it is the outer one of them.
    let elsewhere = factor.lanes_elsewhere;
    let factor = if first.level == Some(0) || first.level.is_none() {
        factor.iterations
    } else {
        traced.factor.max(1)
    };
    let stride = source_stride(first, factor);
    let element = first.element;
    let levels: Vec<&LevelStrides> = members.iter().filter_map(|operand| operand.own()).collect();
    let steps: u64 = total(levels.iter().map(|level| level.steps));
    let level_share =
        |part: fn(&LevelStrides) -> u64| share(total(levels.iter().map(|level| part(level))), steps);
    let mut distribution: BTreeMap<i64, u64> = BTreeMap::new();
    for &(bytes, count) in levels.iter().flat_map(|level| &level.values) {
        let known = distribution.entry(bytes).or_default();
        *known = known.saturating_add(count);
    }
    let mut distribution: Vec<(i64, f64)> =
        distribution.into_iter().map(|(bytes, count)| (bytes, share(count, steps))).collect();
    distribution.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let executions: u64 = total(members.iter().map(|operand| operand.site.executions));
    let site_share = |part: fn(&SitePattern) -> u64| {
        share(total(members.iter().map(|operand| part(operand.site))), executions)
    };
    let mut addresses: Vec<u64> = members.iter().map(|operand| operand.site.address).collect();
    addresses.sort_unstable();
    addresses.dedup();
    let array = first.array.and_then(|at| traced.seen.footprint.arrays.get(at as usize));
    AccessFacts {
        file: first.spot.file.clone(),
        line: first.spot.line,
        operand: None,
        function: first.spot.function.clone(),
        addresses: addresses.into_iter().map(|address| format!("{address:#x}")).collect(),
        kind: site.kind,
        element_bytes: element,
        operand_bytes: site.size,
        lanes: site.lanes,
        pattern: pattern(stride, element),
        stride_bytes: stride,
        stride_elements: stride.and_then(|bytes| elements(bytes, element)),
        machine_stride_bytes: first.stride,
        machine_stride_elements: first.stride.and_then(|bytes| elements(bytes, element)),
        source_factor: factor,
        distribution,
        other_share: level_share(|level| level.others),
        ascending_share: level_share(|level| level.ascending),
        same_line_share: level_share(|level| level.same_line),
        same_page_share: level_share(|level| level.same_page),
        outer: first.level.map_or(Vec::new(), |level| outer(traced, first, level, elsewhere)),
        executions,
        unaligned_share: site_share(|site| site.misaligned),
        line_split_share: site_share(|site| site.line_splits),
        page_split_share: site_share(|site| site.page_splits),
        utilisation: array.and_then(|array| utilisation(traced, array)),
        footprint_bytes: array.map(|array| array.bytes),
        array: first.array,
        offset_bytes: None,
        gather: site.lane_steps.as_ref().map(|lanes| gather(site, lanes)),
        streaming: site.streaming,
        atomic: site.atomic,
        frame: site.frame,
    }
}

/// Strides over the loops around, as the machine runs them; where the lanes are iterations of one of these, a vector
/// moves on by as much as it holds there, and the stride as written is an element.
fn outer(traced: &Traced, operand: &Operand, level: usize, lanes_elsewhere: bool) -> Vec<OuterStride> {
    let (site, element) = (operand.site, operand.element);
    let one = |level: &LevelStrides| {
        let (loop_id, place) = traced.loop_named(level.module, level.header);
        let vector = |bytes: &i64| bytes.unsigned_abs() == u64::from(site.size);
        let stride = match dominant(level) {
            Some(bytes) if lanes_elsewhere && operand.is_packed() && vector(&bytes) => {
                Some(bytes.signum() * i64::from(element))
            }
            stride => stride,
        };
        let usual_bytes = if stride.is_none() { most_frequent(level, USUAL) } else { None };
        OuterStride { loop_id, place, pattern: pattern(stride, element), stride_bytes: stride, usual_bytes }
    };
    site.strides[level + 1..].iter().filter(|level| level.steps > 0).map(one).collect()
}

/// Bytes used of those in the lines touched; not for single variables, which use what they are.
fn utilisation(traced: &Traced, array: &Array) -> Option<f64> {
    let sites = array.sites.iter().filter_map(|&site| traced.seen.sites.get(site as usize));
    let moves =
        |site: &SitePattern| site.high.saturating_sub(site.low) > u64::from(site.size.max(site.element));
    let fetched = array.lines.checked_mul(u64::from(traced.seen.footprint.line_bytes))?;
    (fetched > 0 && sites.into_iter().any(moves)).then(|| share(array.bytes, fetched))
}

fn gather(site: &SitePattern, lanes: &LaneSteps) -> GatherFacts {
    GatherFacts {
        lane_stride_bytes: lane_stride(lanes),
        affine_share: share(lanes.affine, site.executions),
        ascending_share: share(lanes.ascending, site.executions),
        lines_per_execution: share(lanes.lines, site.executions),
        active_lanes: share(lanes.active, site.executions),
    }
}
