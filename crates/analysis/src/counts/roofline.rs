//! The cache-aware roofline of a loop: what its arithmetic and its traffic could reach on this machine.
//!
//! Model: S. Williams, A. Waterman, D. Patterson, "Roofline", CACM 52(4), 2009, in the cache-aware form of A. Ilic,
//! F. Pratas, L. Sousa, IEEE Computer Architecture Letters 13(1), 2014: intensity counts the bytes that the core asks for,
//! and every memory level has a roof. A loop without floating point is placed on an axis of integer operations, one that
//! only moves data on an axis of bytes.
//!
//! - **Achieved**: own work / self time x cores. Self time adds up over threads, so work / time is the rate of one core.
//! - **Compute roof**: the time that this mixture would take at the measured peaks of its instruction-set level, type, and
//!   FMA or not; so the harmonic mean of the peaks, weighted with the shares. The FMA share is taken to be the same in
//!   packed and in scalar operations.
//! - **Memory roofs**: bandwidth x intensity, of the benchmark whose share of stores is nearest to the loop's.
//! - **The roof that binds** is the lower of the compute roof and of one memory roof: that of the slowest level which
//!   is still above what was achieved, because a loop that is faster than memory must be served by a cache.
//!   Levels beyond the one that holds all of the program's memory are left out.
//! - Where this machine's caches were simulated, the traffic of each level chooses instead: see [`levels`].
//! - **Cores**: peaks are measured on one core and on all; between, one core's times the number, at most that of all.

mod levels;

use crate::model::{Ceilings, Provenance, Roof, RoofKind, RooflineKind, RooflinePoint};
pub use levels::{Traffic, refine};
use loopwright_binary::facts::ElementType;
use loopwright_binary::work::Work;
use loopwright_vocabulary::{MemoryLevel, VectorWidth};

/// With fewer samples a rate would be uncertain by a third and more.
const FEWEST_SAMPLES: u64 = 10;
/// Without a measured compute roof, and where caches were simulated, memory is called the limit when the traffic reaches this part of its bandwidth.
const NEAR: f64 = 0.5;
/// What holds a loop back that no roof does.
const NO_ROOF: &str = "instructions or latency";

/// Time of a loop.
#[derive(Clone, Copy, Debug)]
pub struct Time {
    /// Self time over all threads.
    pub seconds: f64,
    pub samples: u64,
    /// Cores that ran it at the same time.
    pub cores: u32,
    /// Hosts that they are on.
    pub hosts: u32,
    /// The cache that is as large as everything the program holds in memory: slower levels cannot limit the loop.
    pub fits: Option<MemoryLevel>,
}

/// The place of a loop with this own work. `vector_bits` is the width of its packed arithmetic.
pub fn point(
    work: &Work,
    vector_bits: Option<u32>,
    time: Option<Time>,
    ceilings: Option<&Ceilings>,
) -> RooflinePoint {
    let row = super::work::row(work);
    let kind = kind(work);
    let intensity = match kind {
        RooflineKind::Flop => row.intensity,
        RooflineKind::Integer => row.int_intensity,
        RooflineKind::Bytes => None,
    };
    let mut point =
        RooflinePoint { kind, intensity, provenance: Some(Provenance::Counted), ..RooflinePoint::default() };
    let Some(time) = time.filter(|time| time.seconds > 0.0) else {
        point.how =
            "no time: run `loopwright survey` on the same command for rates and the binding ceiling".into();
        return point;
    };
    if time.samples < FEWEST_SAMPLES {
        point.how = format!("only {} samples: too few for a rate", time.samples);
        return point;
    }
    let rate = |n: u64| (n > 0).then(|| n as f64 / time.seconds * f64::from(time.cores) / 1e9);
    point.gflops = rate(row.flop);
    point.gintops = rate(row.int_ops);
    point.gbytes_per_second = rate(row.bytes());
    point.ginstructions = rate(row.instructions);
    point.cores = Some(time.cores);
    point.provenance = Some(Provenance::Modelled);
    let Some(ceilings) = ceilings else {
        point.how = "no ceilings: run `loopwright machine --measure` before the survey".into();
        return point;
    };
    let scale = Scale { cores: time.cores.max(1), hosts: time.hosts.clamp(1, time.cores.max(1)) };
    let compute =
        (kind == RooflineKind::Flop).then(|| compute_roof(work, vector_bits, ceilings, scale)).flatten();
    let peak = (kind == RooflineKind::Flop).then(|| machine_peak(work, ceilings, scale)).flatten();
    let memory = memory_roofs(work, kind, intensity, ceilings, scale);
    bind(&mut point, compute.as_ref(), within(&memory, time.fits));
    point.roofs = compute.into_iter().chain(peak).chain(memory).collect();
    point
}

/// The axis: the operations that there are most of.
fn kind(work: &Work) -> RooflineKind {
    let flop = work.total_flop();
    if flop == 0 && work.integer_operations == 0 {
        RooflineKind::Bytes
    } else if flop >= work.integer_operations {
        RooflineKind::Flop
    } else {
        RooflineKind::Integer
    }
}

#[derive(Clone, Copy)]
struct Scale {
    cores: u32,
    hosts: u32,
}

impl Scale {
    /// A ceiling for these cores from those that were measured: `(cores, value)`.
    fn of(self, measured: &[(u32, f64)]) -> Option<(f64, Provenance)> {
        let per_host = self.cores.div_ceil(self.hosts);
        let hosts = f64::from(self.hosts);
        let exact = measured.iter().find(|(cores, _)| *cores == per_host);
        if let Some(&(_, value)) = exact {
            let provenance = if self.hosts == 1 { Provenance::Measured } else { Provenance::Modelled };
            return Some((value * hosts, provenance));
        }
        let below = measured.iter().filter(|(cores, _)| *cores < per_host && *cores > 0).max_by_key(|m| m.0);
        let above = measured.iter().filter(|(cores, _)| *cores > per_host).min_by_key(|m| m.0);
        let value = match (below, above) {
            (Some(&(cores, low)), Some(&(_, high))) => {
                (low * f64::from(per_host) / f64::from(cores)).min(high)
            }
            // More threads than cores were measured: they cannot do more than all cores.
            (Some(&(_, low)), None) => low,
            (None, Some(&(cores, high))) => high * f64::from(per_host) / f64::from(cores),
            (None, None) => return None,
        };
        Some((value * hosts, Provenance::Modelled))
    }
}

fn flop_ceiling(
    ceilings: &Ceilings,
    level: VectorWidth,
    element: ElementType,
    fma: bool,
    scale: Scale,
) -> Option<(f64, Provenance)> {
    let of = |fma: bool| -> Vec<(u32, f64)> {
        let matching =
            ceilings.flops.iter().filter(|f| f.level == level && f.element == element && f.fma == fma);
        matching.filter(|f| f.gflops > 0.0).map(|f| (f.cores, f.gflops)).collect()
    };
    scale.of(&of(fma)).or_else(|| scale.of(&of(!fma)))
}

/// Single and double precision are what peaks are measured for; half precision and x87 are left out.
fn measured_types(work: &Work) -> Vec<(ElementType, u64)> {
    let of = |element| work.flop.get(&element).copied().filter(|&n| n > 0).map(|n| (element, n));
    let mut types: Vec<_> = [ElementType::F64, ElementType::F32].into_iter().filter_map(of).collect();
    types.sort_by_key(|&(_, n)| std::cmp::Reverse(n));
    types
}

fn compute_roof(work: &Work, vector_bits: Option<u32>, ceilings: &Ceilings, scale: Scale) -> Option<Roof> {
    let types = measured_types(work);
    let flop = work.total_flop();
    let known: u64 = types.iter().map(|(_, n)| n).fold(0, |sum, n| sum.saturating_add(*n));
    if flop == 0 || (known as f64) < 0.5 * flop as f64 {
        return None;
    }
    let part = |n: u64| (n as f64 / flop as f64).min(1.0);
    let (packed, fused) = (part(work.packed_flop), part(work.fma_flop));
    let bits = vector_bits.unwrap_or(128);
    let level =
        VectorWidth::VECTORS.into_iter().rfind(|width| width.bits() <= bits).unwrap_or(VectorWidth::Bits128);
    let mut provenance = Provenance::Measured;
    let mut parts = 0;
    // Time for one FLOP of this mixture, in units of 1e-9 s.
    let mut time = 0.0;
    for &(element, n) in &types {
        let of_type = n as f64 / known as f64;
        for (level, of_level) in [(level, packed), (VectorWidth::Scalar, 1.0 - packed)] {
            for (fma, of_fma) in [(true, fused), (false, 1.0 - fused)] {
                let share = of_type * of_level * of_fma;
                if share < 1e-6 {
                    continue;
                }
                let (value, how) = flop_ceiling(ceilings, level, element, fma, scale)?;
                time += share / value;
                parts += 1;
                if how == Provenance::Modelled {
                    provenance = Provenance::Modelled;
                }
            }
        }
    }
    let (element, _) = types.first()?;
    let mut name = title(if packed >= 0.5 { level } else { VectorWidth::Scalar }, *element, fused >= 0.5);
    if parts > 1 {
        name.push_str(" mix");
        provenance = Provenance::Modelled;
    }
    Some(Roof { name, kind: RoofKind::Compute, value: 1.0 / time, kernel: None, gbytes: None, provenance })
}

fn title(level: VectorWidth, element: ElementType, fma: bool) -> String {
    let element = if element == ElementType::F32 { "f32" } else { "f64" };
    format!("{} {element}{}", level.name(), if fma { " FMA" } else { "" })
}

/// The most that this machine does with the loop's main type.
fn machine_peak(work: &Work, ceilings: &Ceilings, scale: Scale) -> Option<Roof> {
    let element = measured_types(work).first()?.0;
    let best = VectorWidth::ALL
        .into_iter()
        .flat_map(|level| [true, false].map(|fma| (level, fma)))
        .filter_map(|(level, fma)| {
            let here =
                ceilings.flops.iter().any(|f| f.level == level && f.element == element && f.fma == fma);
            let (value, provenance) =
                here.then(|| flop_ceiling(ceilings, level, element, fma, scale)).flatten()?;
            Some((value, provenance, title(level, element, fma)))
        });
    let (value, provenance, name) = best.max_by(|a, b| a.0.total_cmp(&b.0))?;
    let name = format!("peak ({name})");
    Some(Roof { name, kind: RoofKind::Compute, value, kernel: None, gbytes: None, provenance })
}

/// Share of the bytes that a bandwidth benchmark stores.
fn store_share(kernel: &str) -> Option<(f64, bool)> {
    let (base, streamed) = match kernel.strip_suffix("-nt") {
        Some(base) => (base, true),
        None => (kernel, false),
    };
    let share = match base {
        "load" => 0.0,
        "triad" => 1.0 / 3.0,
        "copy" => 0.5,
        "store" => 1.0,
        // String instructions and whatever else is measured are no loops.
        _ => return None,
    };
    Some((share, streamed))
}

fn memory_roofs(
    work: &Work,
    kind: RooflineKind,
    intensity: Option<f64>,
    ceilings: &Ceilings,
    scale: Scale,
) -> Vec<Roof> {
    let bytes = work.bytes_loaded.saturating_add(work.bytes_stored);
    let factor = if kind == RooflineKind::Bytes { (bytes > 0).then_some(1.0) } else { intensity };
    let Some(factor) = factor else { return Vec::new() };
    let stores = work.bytes_stored as f64 / bytes.max(1) as f64;
    let streams = work.bytes_streamed > work.bytes_stored / 2;
    let mut levels: Vec<MemoryLevel> = Vec::new();
    for bandwidth in &ceilings.bandwidths {
        if !levels.contains(&bandwidth.level) {
            levels.push(bandwidth.level);
        }
    }
    let mut roofs: Vec<Roof> = Vec::new();
    for level in levels {
        let fitting =
            ceilings.bandwidths.iter().filter(|b| b.level == level && b.gbytes > 0.0).filter_map(|b| {
                let (share, streamed) = store_share(&b.kernel)?;
                (streamed == streams).then(|| ((share - stores).abs(), b.kernel.as_str()))
            });
        let Some((_, kernel)) = fitting.min_by(|a, b| a.0.total_cmp(&b.0)) else { continue };
        let measured: Vec<(u32, f64)> = (ceilings.bandwidths.iter())
            .filter(|b| b.level == level && b.kernel == kernel && b.gbytes > 0.0)
            .map(|b| (b.cores, b.gbytes))
            .collect();
        let Some((gbytes, provenance)) = scale.of(&measured) else { continue };
        roofs.push(Roof {
            name: level.to_string(),
            kind: RoofKind::Memory,
            value: gbytes * factor,
            kernel: Some(kernel.to_owned()),
            gbytes: Some(gbytes),
            provenance,
        });
    }
    roofs.sort_by(|a, b| b.value.total_cmp(&a.value));
    roofs
}

/// The memory roofs down to a level; all when it has none.
fn within(memory: &[Roof], farthest: Option<MemoryLevel>) -> &[Roof] {
    let last = farthest.and_then(|level| memory.iter().position(|roof| roof.memory() == Some(level)));
    last.map_or(memory, |last| &memory[..=last])
}

/// Chooses the roof that binds, and says how.
fn bind(point: &mut RooflinePoint, compute: Option<&Roof>, memory: &[Roof]) {
    let Some(achieved) = point.achieved().filter(|&rate| rate > 0.0) else {
        point.how = "this loop neither computes nor moves data".into();
        return;
    };
    // Fastest first: the last one above is the slowest level that can serve this rate.
    let level = memory.iter().rfind(|roof| roof.value >= achieved).or(memory.first());
    let why = |level: &Roof| {
        if level.value < achieved {
            format!(
                "faster than {} was measured to be: the caches' scatter or reuse in registers",
                level.name
            )
        } else if memory.last().is_some_and(|slowest| slowest.name == level.name) {
            format!("{} could serve its traffic", level.name)
        } else {
            format!("faster than the level below {} could serve it", level.name)
        }
    };
    let binding = match (compute, level) {
        (Some(compute), Some(level)) if compute.value <= level.value => {
            point.how = format!("its own arithmetic is a lower ceiling than {}", level.name);
            compute
        }
        (_, Some(level)) if compute.is_none() && level.value >= achieved && achieved < NEAR * level.value => {
            point.bound = Some(NO_ROOF.into());
            point.how = format!(
                "its traffic is {:.0} % of what {} delivers, and no ceiling of its arithmetic is measured",
                100.0 * achieved / level.value,
                level.name
            );
            return;
        }
        (_, Some(level)) => {
            point.how = why(level);
            level
        }
        (Some(compute), None) => {
            point.how = "no bandwidth was measured or no bytes are moved".into();
            compute
        }
        (None, None) => {
            point.how = "no ceiling for this loop was measured; run `loopwright machine --measure`".into();
            return;
        }
    };
    point.bound = Some(binding.name.clone());
    point.bound_kind = Some(binding.kind);
    point.ceiling = Some(binding.value);
    point.headroom = Some(binding.value / achieved);
}

#[cfg(test)]
mod tests;
