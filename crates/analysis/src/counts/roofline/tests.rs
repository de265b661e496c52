use super::*;
use crate::model::{BandwidthCeiling, FlopCeiling};

/// One core: scalar 6 / 8 (FMA), AVX2 24 / 32 GFLOP/s f64; L1 200 / 300, L2 100, DRAM 10 / 12 GB/s load / triad.
/// Four cores: four times the arithmetic, DRAM 30 / 36.
fn ceilings() -> Ceilings {
    let flop =
        |level, fma, cores, gflops| FlopCeiling { level, element: ElementType::F64, fma, cores, gflops };
    let band = |level: &str, kernel: &str, cores, gbytes| BandwidthCeiling {
        level: level.parse().unwrap(),
        kernel: kernel.into(),
        cores,
        gbytes,
    };
    Ceilings {
        flops: vec![
            flop(VectorWidth::Scalar, false, 1, 6.0),
            flop(VectorWidth::Scalar, true, 1, 8.0),
            flop(VectorWidth::Bits256, false, 1, 24.0),
            flop(VectorWidth::Bits256, true, 1, 32.0),
            flop(VectorWidth::Bits256, true, 4, 128.0),
        ],
        bandwidths: vec![
            band("DRAM", "load", 1, 10.0),
            band("DRAM", "triad", 1, 12.0),
            band("DRAM", "triad-nt", 1, 16.0),
            band("DRAM", "store-rep", 1, 99.0),
            band("DRAM", "triad", 4, 36.0),
            band("L2", "load", 1, 100.0),
            band("L1", "load", 1, 200.0),
            band("L1", "triad", 1, 300.0),
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

fn seconds(seconds: f64) -> Option<Time> {
    Some(Time { seconds, samples: 1000, cores: 1, hosts: 1, fits: None })
}

fn near(a: Option<f64>, b: f64) -> bool {
    a.is_some_and(|a| (a - b).abs() < 1e-9 * b.abs())
}

fn roof<'a>(point: &'a RooflinePoint, name: &str) -> &'a Roof {
    point.roofs.iter().find(|roof| roof.name == name).unwrap_or_else(|| panic!("{name}: {:?}", point.roofs))
}

#[test]
fn a_triad_from_memory_is_bound_by_memory() {
    // 400 million elements in 1 s: 0.8 GFLOP/s, 9.6 GB/s; intensity 1/12, DRAM triad 12 GB/s = 1 GFLOP/s.
    let point = point(&triad(400_000_000), Some(256), seconds(1.0), Some(&ceilings()));
    assert!(
        near(point.intensity, 1.0 / 12.0) && near(point.gflops, 0.8) && near(point.gbytes_per_second, 9.6)
    );
    assert!(near(point.ginstructions, 0.4) && point.gintops.is_none());
    assert_eq!((point.bound.as_deref(), point.bound_kind), (Some("DRAM"), Some(RoofKind::Memory)));
    assert!(near(point.ceiling, 1.0) && near(point.headroom, 1.25), "{point:?}");
    assert_eq!(roof(&point, "DRAM").kernel.as_deref(), Some("triad"));
    assert!(near(Some(roof(&point, "AVX2 f64 FMA").value), 32.0));
    assert!(near(Some(roof(&point, "peak (AVX2 f64 FMA)").value), 32.0));
    assert_eq!((point.kind, point.provenance), (RooflineKind::Flop, Some(Provenance::Modelled)));
    let names: Vec<&str> = point.roofs.iter().map(|roof| roof.name.as_str()).collect();
    assert_eq!(names, ["AVX2 f64 FMA", "peak (AVX2 f64 FMA)", "L1", "L2", "DRAM"]);
}

#[test]
fn a_loop_faster_than_memory_is_held_against_the_cache() {
    // Ten times as fast: 8 GFLOP/s, 96 GB/s. DRAM (1) is below, L2 (100 / 12 = 8.33) above.
    let point = point(&triad(400_000_000), Some(256), seconds(0.1), Some(&ceilings()));
    assert_eq!(point.bound.as_deref(), Some("L2"));
    assert!(near(point.headroom, 100.0 / 96.0), "{point:?}");
    assert!(point.how.contains("faster than the level below L2"), "{}", point.how);
    // Faster than everything measured.
    let fastest = super::point(&triad(400_000_000), Some(256), seconds(0.03), Some(&ceilings()));
    assert_eq!(fastest.bound.as_deref(), Some("L1"));
    assert!(fastest.headroom.unwrap() < 1.0 && fastest.how.contains("faster than L1"), "{fastest:?}");
}

#[test]
fn a_matmul_in_scalar_code_is_bound_by_its_arithmetic() {
    // 16 FLOP per byte, nothing packed, no FMA: 6 GFLOP/s, and DRAM would allow 160.
    let work = Work {
        instructions: 100,
        flop: [(ElementType::F64, 16_000_000_000)].into(),
        bytes_loaded: 1_000_000_000,
        ..Work::default()
    };
    let point = point(&work, None, seconds(4.0), Some(&ceilings()));
    assert_eq!((point.bound.as_deref(), point.bound_kind), (Some("scalar f64"), Some(RoofKind::Compute)));
    assert!(near(point.ceiling, 6.0) && near(point.headroom, 1.5), "{point:?}");
    assert_eq!(roof(&point, "DRAM").kernel.as_deref(), Some("load"));
    assert_eq!(roof(&point, "scalar f64").provenance, Provenance::Measured);
}

#[test]
fn a_mixture_takes_the_sum_of_its_times() {
    // Half packed, half of all FLOP fused: 1 / (1/4/32 + 1/4/24 + 1/4/8 + 1/4/6).
    let work =
        Work { packed_flop: 50, fma_flop: 50, flop: [(ElementType::F64, 100)].into(), ..Work::default() };
    let roof = compute_roof(&work, Some(256), &ceilings(), Scale { cores: 1, hosts: 1 }).unwrap();
    let time = 0.25 / 32.0 + 0.25 / 24.0 + 0.25 / 8.0 + 0.25 / 6.0;
    assert!(near(Some(roof.value), 1.0 / time), "{roof:?}");
    assert_eq!((roof.name.as_str(), roof.provenance), ("AVX2 f64 FMA mix", Provenance::Modelled));
    // Types without a measured peak leave no roof.
    let x87 = Work { flop: [(ElementType::F80, 100)].into(), ..Work::default() };
    assert_eq!(compute_roof(&x87, None, &ceilings(), Scale { cores: 1, hosts: 1 }), None);
}

#[test]
fn ceilings_follow_the_cores() {
    let scale = |cores, hosts| Scale { cores, hosts };
    let measured = [(1, 10.0), (4, 30.0)];
    assert_eq!(scale(1, 1).of(&measured), Some((10.0, Provenance::Measured)));
    assert_eq!(scale(4, 1).of(&measured), Some((30.0, Provenance::Measured)));
    assert_eq!(scale(2, 1).of(&measured), Some((20.0, Provenance::Modelled)));
    assert_eq!(scale(3, 1).of(&measured), Some((30.0, Provenance::Modelled)), "no more than all cores");
    assert_eq!(scale(9, 1).of(&measured), Some((30.0, Provenance::Modelled)));
    assert_eq!(scale(8, 2).of(&measured), Some((60.0, Provenance::Modelled)), "two hosts of four");
    assert_eq!(scale(1, 1).of(&[]), None);
    // Four cores at work: the rate is four times work / CPU time.
    let time = Time { seconds: 4.0, samples: 100, cores: 4, hosts: 1, fits: None };
    let point = point(&triad(400_000_000), Some(256), Some(time), Some(&ceilings()));
    assert!(near(point.gflops, 0.8) && near(point.ceiling, 3.0), "{point:?}");
    assert_eq!(point.cores, Some(4));
}

#[test]
fn integer_loops_and_copies_have_their_own_axes() {
    let hash = Work {
        instructions: 5000,
        integer_operations: 4_000_000_000,
        flop: [(ElementType::F64, 5)].into(),
        bytes_loaded: 1_000_000_000,
        ..Work::default()
    };
    let point = point(&hash, None, seconds(1.0), Some(&ceilings()));
    assert_eq!(point.kind, RooflineKind::Integer);
    assert!(near(point.intensity, 4.0) && near(point.gintops, 4.0));
    // 1 GB/s of DRAM's 10: memory is not what holds it back, and nothing else was measured.
    assert_eq!((point.bound.as_deref(), point.headroom), (Some("instructions or latency"), None));
    assert!(point.how.contains("10 %"), "{}", point.how);
    assert!(near(Some(roof(&point, "DRAM").value), 40.0));

    let copy =
        Work { instructions: 9, bytes_loaded: 6_000_000_000, bytes_stored: 3_000_000_000, ..Work::default() };
    let point = super::point(&copy, None, seconds(1.0), Some(&ceilings()));
    assert_eq!((point.kind, point.intensity, point.gflops), (RooflineKind::Bytes, None, None));
    assert!(near(point.ceiling, 12.0) && near(point.headroom, 12.0 / 9.0), "{point:?}");

    let streamed = Work { bytes_streamed: 3_000_000_000, ..copy };
    let point = super::point(&streamed, None, seconds(1.0), Some(&ceilings()));
    assert_eq!(roof(&point, "DRAM").kernel.as_deref(), Some("triad-nt"));
    assert!(near(point.ceiling, 16.0));
}

#[test]
fn what_is_missing_is_said() {
    let counted = point(&triad(10), Some(256), None, Some(&ceilings()));
    assert!(counted.intensity.is_some() && counted.gflops.is_none() && counted.bound.is_none());
    assert_eq!(counted.provenance, Some(Provenance::Counted));
    assert!(counted.how.contains("loopwright survey"), "{}", counted.how);
    let rate = point(&triad(400_000_000), Some(256), seconds(1.0), None);
    assert!(near(rate.gflops, 0.8) && rate.bound.is_none() && rate.how.contains("machine --measure"));
    let few = Time { samples: 9, ..seconds(1.0).unwrap() };
    assert!(point(&triad(9), None, Some(few), None).how.contains("only 9 samples"));
    let nothing = point(&Work::default(), None, seconds(1.0), Some(&ceilings()));
    assert!(nothing.bound.is_none() && nothing.how.contains("neither computes nor moves"), "{nothing:?}");
    let registers = Work { flop: [(ElementType::F64, 100)].into(), ..Work::default() };
    let point = point(&registers, None, seconds(1e-8), Some(&ceilings()));
    assert_eq!((point.bound.as_deref(), point.intensity), (Some("scalar f64"), None));
}

#[test]
fn what_holds_the_whole_program_is_the_farthest_level_that_binds() {
    let slow = || seconds(8.0);
    let anywhere = point(&triad(400_000_000), Some(256), slow(), Some(&ceilings()));
    assert_eq!(anywhere.bound.as_deref(), Some("DRAM"));
    let small = slow().map(|time| Time { fits: Some(MemoryLevel::L2), ..time });
    let small = point(&triad(400_000_000), Some(256), small, Some(&ceilings()));
    assert_eq!(small.bound.as_deref(), Some("L2"));
    assert!(small.headroom > anywhere.headroom);
}
