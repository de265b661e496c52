//! The model's own promises.

use super::*;
use crate::fixtures::{
    ceilings, chain, count, machine, measured, scalar_loop, stride, vector_loop, with_loops,
};
use loopwright_binary::facts::ChainKind;

#[test]
fn the_clock_is_told_by_the_fused_peak() {
    let mut with = machine();
    assert_eq!(with.clock_ghz(), None);
    let mut measured = ceilings();
    with.ceilings = Some(measured.clone());
    assert_eq!(with.clock_ghz(), Some(3.0), "no fused peak: an addition and a multiplication per cycle");
    // Four separate operations per cycle: 3 GHz as well.
    measured.flops[0].gflops = 12.0;
    let mut fused = measured.flops[0].clone();
    (fused.fma, fused.gflops) = (true, 12.0);
    measured.flops.push(fused);
    with.ceilings = Some(measured);
    assert_eq!(with.clock_ghz(), Some(3.0));
}

fn estimated(of: LoopFacts) -> VectorEstimate {
    let analysis = with_loops(vec![of]);
    vectorise(&Facts::new(&analysis), &analysis.loops[0]).unwrap()
}

#[test]
fn a_plain_loop_gains_up_to_its_lanes_and_a_strided_one_less() {
    let plain = estimated(scalar_loop(|_| ()));
    assert_eq!(plain.length, 4);
    assert!(plain.gain.high() <= 4.4 && plain.gain.likely() > 2.5, "{plain:?}");
    let strided = estimated(scalar_loop(|l| l.strides = vec![stride(40, 8, false); 3]));
    assert!(strided.gain.likely() < 1.1, "{strided:?}");
    let members = estimated(scalar_loop(|l| l.strides = vec![stride(24, 8, false); 3]));
    assert!(members.gain.likely() > strided.gain.likely() && members.gain.likely() < plain.gain.likely());
    let dividing =
        estimated(scalar_loop(|l| (l.instruction_mix.fp_scalar, l.instruction_mix.divide) = (3, 1)));
    assert!(dividing.gain.likely() < plain.gain.likely());
}

/// 10^9 iterations in entries of `each` that take `nanoseconds` each.
fn timed(each: u64, nanoseconds: f64, change: impl FnOnce(&mut LoopFacts)) -> Gain {
    let analysis = measured(vec![scalar_loop(|l| {
        change(l);
        count(l, 1_000_000_000 / each, each);
        l.self_seconds = nanoseconds;
        l.total_seconds = nanoseconds;
    })]);
    vectorise(&Facts::new(&analysis), &analysis.loops[0]).unwrap().gain
}

#[test]
fn counted_entries_decide() {
    // Six instructions at four per cycle of 3 GHz.
    let of = |each| timed(each, 0.5, |_| ());
    let (long, short, shortest) = (of(10_000), of(12), of(5));
    assert!(long.likely() > 1.7 && long.high() <= 4.4, "{long:?}");
    assert!(
        short.likely() < 2.0 && shortest.likely() < 1.0 && shortest.low() < 0.9,
        "{short:?} {shortest:?}"
    );
}

#[test]
fn what_memory_delivers_no_vector_shortens() {
    // 24 bytes at 12 GB/s: the loop may already wait for memory, as far as is known without a trace.
    let open = timed(1_000_000, 2.2, |_| ());
    assert!(open.low() < 1.1 && open.high() > 2.0, "{open:?}");
    let near = timed(1_000_000, 0.5, |_| ());
    assert!(near.low() > 1.5, "memory is slower than that: {near:?}");
}

#[test]
fn a_sum_gains_its_lanes_until_a_unit_is_full() {
    let gain = |instructions: u32, flop: u32| {
        let sum = scalar_loop(|l| {
            (l.instruction_mix.store, l.bytes_stored_per_iteration) = (0, 0);
            l.strides.truncate(2);
            l.chains.push(chain(ChainKind::InOrderSum, "xmm0", 4));
            (l.instructions, l.instruction_mix.fp_scalar) = (instructions, flop);
            l.flop_per_iteration = [(ElementType::F64, flop)].into();
        });
        let analysis = with_loops(vec![sum]);
        vectorise_sum(&Facts::new(&analysis), &analysis.loops[0], 1.0).unwrap().gain
    };
    let (light, heavy) = (gain(5, 2), gain(44, 40));
    assert!(light.likely() > 3.5 && light.high() <= 4.4, "{light:?}");
    assert!(heavy.likely() < light.likely() + 1e-9 && heavy.likely() > 1.5, "{heavy:?}");
}

#[test]
fn no_vectors_no_estimate() {
    let of = |bits: u32| {
        let mut analysis = with_loops(vec![scalar_loop(|_| ()), vector_loop(|_| ())]);
        analysis.machine.as_mut().unwrap().vector_bits = bits;
        vectorise(&Facts::new(&analysis), &analysis.loops[0]).is_some()
    };
    assert!(!of(0) && !of(64), "one f64 is no vector");
    assert!(of(128));
    let analysis = with_loops(vec![vector_loop(|_| ())]);
    assert_eq!(wider(&Facts::new(&analysis), &analysis.loops[0], 256, 256), Gain::NONE);
}
