//! The model's own promises.

use super::*;
use crate::fixtures::{ceilings, chain, machine, scalar_loop, stride, vector_loop};
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

#[test]
fn a_plain_loop_gains_up_to_its_lanes_and_a_strided_one_less() {
    let plain = vectorise(&scalar_loop(|_| ()), &machine()).unwrap();
    assert_eq!(plain.length, 4);
    assert!((plain.gain.high() - 4.0 * BEST_EFFICIENCY).abs() < 1e-12);
    let strided = vectorise(&scalar_loop(|l| l.strides = vec![stride(24, 8, false); 3]), &machine()).unwrap();
    assert!(strided.gain.high() < 2.5, "{strided:?}");
    let dividing = vectorise(
        &scalar_loop(|l| (l.instruction_mix.fp_scalar, l.instruction_mix.divide) = (3, 1)),
        &machine(),
    )
    .unwrap();
    assert!(dividing.gain.high() < plain.gain.high());
}

#[test]
fn ceilings_lower_the_low_end_to_what_memory_allows() {
    let mut with = machine();
    with.ceilings = Some(ceilings());
    let streaming = vectorise(&scalar_loop(|_| ()), &with).unwrap().gain;
    assert_eq!(streaming.low(), 1.0, "24 bytes per 2 FLOP from memory: bandwidth alone");
    // A long chain makes the scalar loop slower than memory; breaking it pays even then.
    let chained =
        vectorise(&scalar_loop(|l| l.chains = vec![chain(ChainKind::InOrderSum, "xmm0", 12)]), &with)
            .unwrap()
            .gain;
    assert!(chained.low() > 1.0 || chained.high() > streaming.high());
}

#[test]
fn no_vectors_no_estimate() {
    let mut none = machine();
    none.vector_bits = 0;
    assert_eq!(vectorise(&scalar_loop(|_| ()), &none), None);
    none.vector_bits = 64;
    assert_eq!(vectorise(&scalar_loop(|_| ()), &none), None, "one f64 is no vector");
    assert_eq!(wider(&vector_loop(|_| ()), &machine(), 256, 256), Gain::NONE);
}
