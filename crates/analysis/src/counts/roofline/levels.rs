//! The hierarchical roofline: intensity and ceiling of each memory level, from the simulated traffic of this
//! machine's caches.
//!
//! Yang, Kurth, Williams, *Hierarchical Roofline analysis for GPUs*, CCPE 2020, and Koskela et al., *A Novel Multi-Level
//! Integrated Roofline Model Approach for Performance Characterization*, ISC 2018: a loop is bound by the lowest of
//! its arithmetic and of bandwidth x intensity of every level, each with the bytes that this level moves.
//!
//! Bandwidths are measured in bytes that a program reads and writes. Beyond the first level caches move lines: one that is
//! stored to is fetched first, unless the stores go past the caches. So the bandwidth of a benchmark is
//! taken here times the lines that it moves for each that it names, and the benchmark is the one whose share of lines
//! that leave is nearest to the loop's.
//!
//! A simulation that began with unknown contents leaves a range of traffic, and an estimate within it. A level's ceiling
//! is that of the estimate as long as it is above what was achieved; else the upper one of the range. A level whose upper
//! ceiling is below what was achieved is left out: what was simulated is then not what ran.
//!
//! A level binds only when it is near: when its bandwidth is used to less than [`NEAR`], the loop waits for something
//! else, as without the simulation.

use super::{NEAR, Scale, Time, store_share};
use crate::model::{
    BandwidthCeiling, CacheFacts, Ceilings, Provenance, RoofKind, RooflineKind, RooflineLevel, RooflinePoint,
    WorkRow,
};
use loopwright_vocabulary::MemoryLevel;

/// A rate this much above a ceiling is within the noise of both.
const SLACK: f64 = 1.1;

/// What is known of a loop's simulated traffic.
pub struct Traffic<'a> {
    /// Simulated data caches of this machine with their levels, nearest first.
    pub caches: Vec<(MemoryLevel, &'a CacheFacts)>,
    /// Work that the simulation saw, in the whole run.
    pub work: &'a WorkRow,
    /// Machine iterations in the whole run.
    pub iterations: u64,
    /// Bytes per iteration of one line in all that was simulated: traffic that is perhaps none is taken for this much.
    pub least: f64,
}

/// Adds the levels, and chooses the ceiling that binds by them.
pub fn refine(point: &mut RooflinePoint, traffic: &Traffic, time: Option<Time>, ceilings: Option<&Ceilings>) {
    let Some(&(nearest, _)) = traffic.caches.first().filter(|_| traffic.iterations > 0) else { return };
    let work = traffic.work;
    let operations = match point.kind {
        RooflineKind::Flop => work.flop,
        RooflineKind::Integer => work.int_ops,
        RooflineKind::Bytes => work.bytes(),
    };
    let scale =
        time.map(|time| Scale { cores: time.cores.max(1), hosts: time.hosts.clamp(1, time.cores.max(1)) });
    let measured = ceilings.zip(scale);
    let streams = work.bytes_streamed > work.bytes_stored / 2;
    let per_iteration = operations as f64 / traffic.iterations as f64;
    let core_bytes = work.bytes() as f64 / traffic.iterations as f64;
    let mut levels = vec![level(
        nearest,
        per_iteration,
        (core_bytes, core_bytes, core_bytes),
        traffic.least,
        measured.and_then(|(ceilings, scale)| {
            let stores = work.bytes_stored as f64 / work.bytes().max(1) as f64;
            bandwidth(nearest, ceilings, scale, |kernel, streamed| {
                (streamed == streams).then_some(((kernel - stores).abs(), 1.0))
            })
        }),
    )];
    for (at, (_, cache)) in traffic.caches.iter().enumerate() {
        let serving = traffic.caches.get(at + 1).map_or(MemoryLevel::Dram, |(next, _)| *next);
        let out = cache.bytes_out_per_iteration;
        let (low, high) = cache.bytes_in_per_iteration;
        let estimated = cache.estimated_bytes_in_per_iteration + cache.estimated_bytes_out_per_iteration;
        let bytes = (low + out, estimated, high + out);
        let out = cache.estimated_bytes_out_per_iteration;
        let leaving = if estimated > 0.0 { out / estimated } else { 0.0 };
        // Streaming stores only meet memory.
        let streams = streams && serving == MemoryLevel::Dram;
        let measured = measured.and_then(|(ceilings, scale)| {
            bandwidth(serving, ceilings, scale, |stores, streamed| {
                // Lines moved for each that the benchmark names, and the share of those that leave.
                let moved = if streamed { 1.0 } else { 1.0 + stores };
                (streamed == streams).then_some(((stores / moved - leaving).abs(), moved))
            })
        });
        levels.push(level(serving, per_iteration, bytes, traffic.least, measured));
    }
    point.levels = levels;
    bind(point, time);
}

fn level(
    name: MemoryLevel,
    operations: f64,
    bytes: (f64, f64, f64),
    least: f64,
    bandwidth: Option<(f64, String)>,
) -> RooflineLevel {
    let (fewest, estimated, most) = bytes;
    let intensity = (most > 0.0 && operations > 0.0)
        .then(|| (operations / most, operations / fewest.max(least).min(most)));
    let estimated_intensity = (estimated > 0.0 && operations > 0.0).then(|| operations / estimated);
    let (gbytes, kernel) = bandwidth.map_or((None, None), |(gbytes, kernel)| (Some(gbytes), Some(kernel)));
    let ceiling = intensity.zip(gbytes).map(|((low, high), gbytes)| (low * gbytes, high * gbytes));
    RooflineLevel {
        name,
        intensity,
        estimated_intensity,
        gbytes,
        kernel,
        ceiling,
        estimated_ceiling: estimated_intensity.zip(gbytes).map(|(intensity, gbytes)| intensity * gbytes),
        provenance: Some(Provenance::Modelled),
    }
}

/// The bandwidth of a level in GB/s of lines, and its benchmark. `fitting` computes from a benchmark's share of stores, and
/// whether it streams, how far it is from the loop, and what to multiply its bandwidth with.
fn bandwidth(
    level: MemoryLevel,
    ceilings: &Ceilings,
    scale: Scale,
    fitting: impl Fn(f64, bool) -> Option<(f64, f64)>,
) -> Option<(f64, String)> {
    let of_level = || ceilings.bandwidths.iter().filter(|b| b.level == level && b.gbytes > 0.0);
    let best = of_level()
        .filter_map(|b: &BandwidthCeiling| {
            let (stores, streamed) = store_share(&b.kernel)?;
            fitting(stores, streamed).map(|(distance, factor)| (distance, factor, b.kernel.as_str()))
        })
        .min_by(|a, b| a.0.total_cmp(&b.0))?;
    let (_, factor, kernel) = best;
    let measured: Vec<(u32, f64)> =
        of_level().filter(|b| b.kernel == kernel).map(|b| (b.cores, b.gbytes)).collect();
    let (gbytes, _) = scale.of(&measured)?;
    Some((gbytes * factor, kernel.to_owned()))
}

/// The lowest ceiling binds, when it is near.
fn bind(point: &mut RooflinePoint, time: Option<Time>) {
    let Some(achieved) = point.achieved().filter(|&rate| rate > 0.0) else { return };
    let fits = time.and_then(|time| time.fits);
    let last = fits.and_then(|fits| point.levels.iter().position(|level| level.name == fits));
    let within = &point.levels[..last.map_or(point.levels.len(), |last| last + 1)];
    let mut left_out = Vec::new();
    let mut lowest: Option<(MemoryLevel, f64, bool)> = None;
    for level in within {
        let Some((low, high)) = level.ceiling else { continue };
        if high * SLACK < achieved {
            left_out.push(level.name.to_string());
            continue;
        }
        // What the estimate does not move is no limit.
        let Some(estimated) = level.estimated_ceiling else { continue };
        let (value, sure) =
            if estimated * SLACK >= achieved { (estimated, low == high) } else { (high, true) };
        if lowest.is_none_or(|known| value < known.1) {
            lowest = Some((level.name, value, sure));
        }
    }
    let Some((name, value, sure)) = lowest else { return };
    let compute = point
        .roofs
        .iter()
        .find(|roof| roof.kind == RoofKind::Compute && !roof.name.starts_with("peak"))
        .filter(|roof| roof.value <= value);
    let mut how = match compute {
        Some(_) => "its own arithmetic is a lower ceiling than the simulated traffic of any level".to_owned(),
        None if sure => format!("the simulated traffic of {name} gives the lowest ceiling"),
        None => format!(
            "the estimated traffic of {name} gives the lowest ceiling: what earlier bursts left in the caches is taken to \
             have stayed there"
        ),
    };
    if !left_out.is_empty() {
        how +=
            &format!("; {} left out: it ran faster than the simulated traffic allows", left_out.join(", "));
    }
    if compute.is_none() && achieved < NEAR * value {
        point.bound = Some(super::NO_ROOF.into());
        (point.bound_kind, point.ceiling, point.headroom) = (None, None, None);
        point.how = format!(
            "no ceiling is near: the lowest, {name} by its simulated traffic, would allow {:.1} times as much",
            value / achieved
        );
        return;
    }
    let (bound, kind, ceiling) = match compute {
        Some(roof) => (roof.name.clone(), RoofKind::Compute, roof.value),
        None => (name.to_string(), RoofKind::Memory, value),
    };
    point.bound = Some(bound);
    point.bound_kind = Some(kind);
    point.ceiling = Some(ceiling);
    point.headroom = Some(ceiling / achieved);
    point.how = how;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::FlopCeiling;
    use loopwright_binary::facts::ElementType;
    use loopwright_binary::work::Work;
    use loopwright_vocabulary::VectorWidth;

    /// One core: 32 GFLOP/s; L1 triad 300, L2 load 100, L3 load 50, DRAM load 10 / triad 12 / triad-nt 16 GB/s.
    fn ceilings() -> Ceilings {
        let band = |level: &str, kernel: &str, gbytes| BandwidthCeiling {
            level: level.parse().unwrap(),
            kernel: kernel.into(),
            cores: 1,
            gbytes,
        };
        Ceilings {
            flops: vec![FlopCeiling {
                level: VectorWidth::Bits256,
                element: ElementType::F64,
                fma: true,
                cores: 1,
                gflops: 32.0,
            }],
            bandwidths: vec![
                band("L1", "triad", 300.0),
                band("L2", "load", 100.0),
                band("L3", "load", 50.0),
                band("DRAM", "load", 10.0),
                band("DRAM", "triad", 12.0),
                band("DRAM", "triad-nt", 16.0),
                band("DRAM", "store-rep", 99.0),
            ],
            disturbed: None,
        }
    }

    fn triad(elements: u64) -> Work {
        Work {
            instructions: elements,
            flop: [(ElementType::F64, 2 * elements)].into(),
            fma_flop: 2 * elements,
            packed_flop: 2 * elements,
            bytes_loaded: 16 * elements,
            bytes_stored: 8 * elements,
            ..Work::default()
        }
    }

    fn cache(name: &str, bytes_in: (f64, f64), bytes_out: f64) -> CacheFacts {
        CacheFacts {
            name: name.into(),
            bytes_in_per_iteration: bytes_in,
            bytes_out_per_iteration: bytes_out,
            // Nothing came again: the most.
            estimated_bytes_in_per_iteration: bytes_in.1,
            estimated_bytes_out_per_iteration: bytes_out,
            ..CacheFacts::default()
        }
    }

    fn of_levels(caches: &[CacheFacts]) -> Vec<(MemoryLevel, &CacheFacts)> {
        caches.iter().map(|cache| (cache.level().unwrap(), cache)).collect()
    }

    /// A triad of 4 elements per iteration, 400 million elements, in `seconds` seconds.
    fn refined(
        seconds: f64,
        caches: &[CacheFacts],
        fits: Option<MemoryLevel>,
        streamed: u64,
    ) -> RooflinePoint {
        let work = Work { bytes_streamed: streamed, ..triad(400_000_000) };
        let time = Some(Time { seconds, samples: 1000, cores: 1, hosts: 1, fits });
        let mut point = super::super::point(&work, Some(256), time, Some(&ceilings()));
        let row = super::super::super::work::row(&work);
        let traffic =
            Traffic { caches: of_levels(caches), work: &row, iterations: 100_000_000, least: 0.064 };
        refine(&mut point, &traffic, time, Some(&ceilings()));
        point
    }

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() <= 1e-9 * b.abs()
    }

    /// Everything from memory: per iteration 3 x 32 bytes come in, 32 leave, 8 FLOP: 1/16 FLOP per byte everywhere. The
    /// triad's 12 GB/s are 16 GB/s of lines, which allow 1 GFLOP/s, just as without the simulation.
    #[test]
    fn a_stream_has_the_same_ceiling_with_and_without_its_fetched_lines() {
        let all = [("L1", 96.0), ("L2", 96.0), ("L3", 96.0)].map(|(n, b)| cache(n, (b, b), 32.0));
        let point = refined(1.0, &all, None, 0);
        let names: Vec<String> = point.levels.iter().map(|l| l.name.to_string()).collect();
        assert_eq!(names, ["L1", "L2", "L3", "DRAM"]);
        let dram = &point.levels[3];
        assert_eq!((dram.kernel.as_deref(), dram.provenance), (Some("triad"), Some(Provenance::Modelled)));
        assert!(near(dram.gbytes.unwrap(), 16.0) && near(dram.intensity.unwrap().0, 1.0 / 16.0));
        assert!(near(dram.ceiling.unwrap().0, 1.0) && near(point.levels[0].intensity.unwrap().0, 1.0 / 12.0));
        assert!(near(point.levels[0].ceiling.unwrap().0, 25.0));
        assert_eq!((point.bound.as_deref(), point.bound_kind), (Some("DRAM"), Some(RoofKind::Memory)));
        assert!(near(point.ceiling.unwrap(), 1.0) && near(point.headroom.unwrap(), 1.25), "{point:?}");
        // Streaming stores: 64 bytes come, 32 leave past the caches, with the bandwidth of such a benchmark.
        let past = [("L1", 64.0, 0.0), ("L2", 64.0, 0.0), ("L3", 64.0, 32.0)];
        let past = past.map(|(n, bytes, out)| cache(n, (bytes, bytes), out));
        let point = refined(1.0, &past, None, 3_200_000_000);
        let dram = &point.levels[3];
        assert_eq!(dram.kernel.as_deref(), Some("triad-nt"));
        assert!(near(dram.ceiling.unwrap().0, 16.0 / 12.0), "{dram:?}");
        assert_eq!(point.levels[1].kernel.as_deref(), Some("load"), "the caches see loads only");
    }

    /// Blocked: an eighth of the traffic reaches memory. The cache-aware roofline cannot see it.
    #[test]
    fn reuse_in_a_cache_moves_the_bound() {
        let blocked =
            [cache("L1", (96.0, 96.0), 32.0), cache("L2", (96.0, 96.0), 32.0), cache("L3", (2.0, 2.0), 0.0)];
        let point = refined(0.4, &blocked, None, 0);
        // L2 100 x 8/128 = 6.25; L3 50 x 8/128 = 3.125; DRAM 10 x 8/2 = 40.
        assert!(near(point.levels[1].ceiling.unwrap().0, 6.25));
        assert!(near(point.levels[3].ceiling.unwrap().0, 40.0));
        assert_eq!(point.bound.as_deref(), Some("L3"));
        assert!(near(point.ceiling.unwrap(), 3.125), "{point:?}");
        assert!(point.how.contains("simulated traffic of L3"), "{}", point.how);
        // All of the program's memory fits in the second level: slower levels cannot bind.
        assert_eq!(refined(0.2, &blocked, Some(MemoryLevel::L2), 0).bound.as_deref(), Some("L2"));
        // Nothing leaves the first level: arithmetic binds, or the first level (25 GFLOP/s).
        let resident = [cache("L1", (0.0, 0.0), 0.0)];
        let point = refined(0.05, &resident, None, 0);
        assert_eq!((point.bound.as_deref(), point.levels[1].intensity), (Some("L1"), None));
    }

    #[test]
    fn unknown_lines_leave_a_range() {
        // A burst too short to fill L3: between nothing and everything comes from memory.
        let open =
            [cache("L1", (96.0, 96.0), 0.0), cache("L2", (96.0, 96.0), 0.0), cache("L3", (0.0, 96.0), 0.0)];
        let point = refined(1.0, &open, None, 0);
        // DRAM 10 x 8/96 = 0.83 at least, and 0.8 was achieved: it may be memory.
        let (low, high) = point.levels[3].ceiling.unwrap();
        assert!(near(low, 10.0 * 8.0 / 96.0) && near(high, 10.0 * 8.0 / 0.064), "one line");
        assert_eq!(point.bound.as_deref(), Some("DRAM"));
        assert!(point.how.contains("estimated traffic of DRAM"), "{}", point.how);
        // The estimate finds all of it in L3: DRAM is no limit, and that of L3 (4.2 GFLOP/s) is not near.
        let mut kept = open.clone();
        kept[2].estimated_bytes_in_per_iteration = 0.0;
        let point = refined(1.0, &kept, None, 0);
        assert_eq!((point.bound.as_deref(), point.headroom), (Some("instructions or latency"), None));
        assert!(point.how.contains("L3 by its simulated traffic, would allow 5.2 times"), "{}", point.how);
        assert_eq!((point.levels[3].estimated_intensity, point.levels[3].estimated_ceiling), (None, None));
        assert_eq!(refined(0.25, &kept, None, 0).bound.as_deref(), Some("L3"));
        // Four times as fast: it cannot be.
        let point = refined(0.25, &open, None, 0);
        assert_eq!(point.bound.as_deref(), Some("L3"));
        // Faster than the simulated traffic of L3 allows: that level is left out.
        let point = refined(0.1, &open, None, 0);
        assert_eq!(point.bound.as_deref(), Some("L2"));
        assert!(point.how.contains("L3 left out"), "{}", point.how);
    }

    #[test]
    fn intensities_need_no_time_and_no_ceilings() {
        let work = triad(400);
        let mut point = super::super::point(&work, None, None, None);
        let before = point.clone();
        let row = super::super::super::work::row(&work);
        let caches = [cache("L1", (96.0, 96.0), 32.0)];
        let traffic =
            |iterations| Traffic { caches: of_levels(&caches), work: &row, iterations, least: 0.064 };
        refine(&mut point, &traffic(0), None, None);
        assert_eq!(point, before, "nothing was counted");
        refine(&mut point, &traffic(100), None, None);
        assert_eq!(point.levels[1].name, MemoryLevel::Dram);
        assert!(near(point.levels[1].intensity.unwrap().0, 1.0 / 16.0));
        assert_eq!((point.levels[1].ceiling, &point.bound, &point.how), (None, &None, &before.how));
    }
}
