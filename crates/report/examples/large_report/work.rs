//! What a counting run says of a loop: trip counts, work, its place under the roofs, its threads.

use crate::random::Random;
use loopwright_analysis::model::*;
use loopwright_binary::facts::{ElementType, LoopCode};
use loopwright_binary::work::WorkMix;
use loopwright_vocabulary::MemoryLevel;

/// Bandwidths in GB/s.
pub const LEVELS: [(MemoryLevel, f64); 4] =
    [(MemoryLevel::L1, 312.7), (MemoryLevel::L2, 118.4), (MemoryLevel::L3, 41.3), (MemoryLevel::Dram, 12.9)];

/// Trip counts that fit the loop's time: a loop without a sample executed less than a sample's worth of instructions.
pub fn trips(random: &mut Random, code: &LoopCode, own_ns: u64) -> TripCount {
    // Two or three instructions in a nanosecond; cold loops mostly ran once, at the start.
    let instructions =
        if own_ns > 0 { own_ns * random.between(20, 30) / 10 } else { 1 << random.between(7, 20) };
    let about = (instructions / u64::from(code.instructions)).max(1);
    let constant = code.constant_trips.is_some() || random.chance(0.4);
    let min = code.constant_trips.unwrap_or_else(|| random.between(1, about.clamp(1, 2000)));
    let max = if constant { min } else { min + random.below(min + 2) };
    let entries = (about / ((min + max) / 2).max(1)).max(1);
    let iterations = entries * min + if max > min { random.below(entries * (max - min) + 1) } else { 0 };
    let width = max - min;
    let factor = code.vector.as_ref().map_or(1, |vector| vector.length * vector.unroll);
    let source = iterations * u64::from(factor);
    let middle = min + width / 2;
    TripCount {
        entries: Some(entries),
        iterations,
        min: Some(min),
        median: Some(middle),
        mean: Some(iterations as f64 / entries as f64),
        max: Some(max),
        histogram: if width == 0 {
            vec![(min, max, entries)]
        } else {
            vec![(min, middle, entries / 3), (middle + 1, max, entries - entries / 3)]
        },
        source_factor: Some(factor),
        source_iterations: Some(source),
        source_share: Some(1.0),
        group_iterations: Some(source),
        source_entries: Some(entries),
        source_mean: Some(source as f64 / entries as f64),
        group_complete: true,
        source_provenance: Some(if factor > 1 { Provenance::Inferred } else { Provenance::Counted }),
        ..TripCount::default()
    }
}

/// Work of `iterations` iterations.
pub fn work(code: &LoopCode, iterations: u64) -> WorkRow {
    let times = |count: u32| u64::from(count) * iterations;
    let flop = times(code.flop.get(&ElementType::F64).copied().unwrap_or(0));
    let (loaded, stored) = (times(code.bytes_loaded), times(code.bytes_stored));
    let bytes = (loaded + stored).max(1) as f64;
    let int_ops = times(code.mix.integer);
    WorkRow {
        instructions: times(code.instructions),
        flop,
        flop_f64: flop,
        fma_share: (flop > 0).then_some(0.25),
        packed_share: (flop > 0).then(|| code.vector.as_ref().map_or(0.0, |vector| vector.packed_share)),
        int_ops,
        packed_int_share: Some(0.0),
        bytes_loaded: loaded,
        bytes_stored: stored,
        intensity: (flop > 0).then(|| flop as f64 / bytes),
        int_intensity: Some(int_ops as f64 / bytes),
        mix: WorkMix {
            fp_scalar: times(code.mix.fp_scalar),
            fp_vector: times(code.mix.fp_vector),
            integer: int_ops,
            load: times(code.mix.load),
            store: times(code.mix.store),
            branch: times(code.mix.branch),
            moves: times(code.mix.moves),
            ..WorkMix::default()
        },
        ..WorkRow::default()
    }
}

/// The loop under the roofs.
pub fn roofline(work: &WorkRow, seconds: f64) -> Option<RooflinePoint> {
    let intensity = work.intensity?;
    let timed = seconds > 0.0;
    let rate = |amount: u64| timed.then(|| amount as f64 / seconds / 1e9);
    let gflops = rate(work.flop);
    let mut roofs = vec![
        Roof {
            name: "scalar f64".into(),
            kind: RoofKind::Compute,
            value: 7.4,
            kernel: None,
            gbytes: None,
            provenance: Provenance::Measured,
        },
        Roof {
            name: "AVX-512 f64 FMA".into(),
            kind: RoofKind::Compute,
            value: 96.0,
            kernel: None,
            gbytes: None,
            provenance: Provenance::Measured,
        },
    ];
    roofs.extend(LEVELS.map(|(name, gbytes)| Roof {
        name: name.into(),
        kind: RoofKind::Memory,
        value: gbytes * intensity,
        kernel: Some("triad".into()),
        gbytes: Some(gbytes),
        provenance: Provenance::Measured,
    }));
    let above = |roof: &&Roof| gflops.is_some_and(|gflops| roof.value >= gflops);
    let binding = roofs.iter().filter(above).min_by(|a, b| a.value.total_cmp(&b.value)).cloned();
    Some(RooflinePoint {
        intensity: Some(intensity),
        gflops,
        gintops: rate(work.int_ops),
        gbytes_per_second: rate(work.bytes()),
        ginstructions: rate(work.instructions),
        cores: timed.then_some(8),
        ceiling: binding.as_ref().map(|roof| roof.value),
        headroom: binding.as_ref().zip(gflops).map(|(roof, gflops)| roof.value / gflops),
        bound_kind: binding.as_ref().map(|roof| roof.kind),
        how: binding.as_ref().map_or_else(
            || "no measured ceiling is near".to_owned(),
            |roof| format!("{} is the lowest ceiling above what the loop achieves", roof.name),
        ),
        bound: binding.map(|roof| roof.name),
        roofs,
        provenance: Some(if timed { Provenance::Modelled } else { Provenance::Counted }),
        ..RooflinePoint::default()
    })
}

/// Eight threads that share the work unevenly.
pub fn by_thread(random: &mut Random, seconds: f64, work: &WorkRow, trips: &TripCount) -> ByThread {
    let parts: Vec<f64> = (0..8).map(|_| 0.5 + random.share()).collect();
    let whole: f64 = parts.iter().sum();
    let of = |amount: u64, part: f64| (amount as f64 * part / whole) as u64;
    let imbalance = |whole: f64| {
        let (max, mean) =
            (whole * parts.iter().copied().fold(0.0, f64::max) / parts.iter().sum::<f64>(), whole / 8.0);
        Imbalance { threads: 8, max, mean, excess: max - mean, share: (max - mean) / max * 8.0 / 7.0 }
    };
    let threads = || parts.iter().zip(100..);
    ByThread {
        sampled: threads()
            .map(|(part, tid)| ThreadSeconds { rank: None, pid: 100, tid, seconds: seconds * part / whole })
            .collect(),
        counted: threads()
            .map(|(part, tid)| ThreadCounts {
                rank: None,
                pid: 900,
                tid: tid + 800,
                instructions: of(work.instructions, *part),
                flop: of(work.flop, *part),
                iterations: Some(of(trips.iterations, *part)),
                entries: trips.entries.map(|entries| of(entries, *part)),
            })
            .collect(),
        time_imbalance: Some(imbalance(seconds)),
        instruction_imbalance: Some(imbalance(work.instructions as f64)),
    }
}
