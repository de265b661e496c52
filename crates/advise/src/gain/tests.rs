//! The model's own promises.

use super::*;
use crate::fixtures::{ceilings, chain, machine, scalar_loop, stride, vector_loop};
use loopwright_binary::facts::ChainKind;
use proptest::prelude::*;

#[test]
fn amdahl_known_values() {
    assert_eq!(amdahl(0.0, 8.0), 1.0);
    assert_eq!(amdahl(1.0, 8.0), 8.0);
    assert!((amdahl(0.5, 2.0) - 4.0 / 3.0).abs() < 1e-12);
}

#[test]
fn the_clock_is_told_by_the_fused_peak() {
    let mut with = machine();
    assert_eq!(clock_ghz(&with), None);
    let mut measured = ceilings();
    with.ceilings = Some(measured.clone());
    assert_eq!(clock_ghz(&with), Some(3.0), "no fused peak: an addition and a multiplication per cycle");
    // Four separate operations per cycle: 3 GHz as well.
    measured.flops[0].gflops = 12.0;
    let mut fused = measured.flops[0].clone();
    (fused.fma, fused.gflops) = (true, 12.0);
    measured.flops.push(fused);
    with.ceilings = Some(measured);
    assert_eq!(clock_ghz(&with), Some(3.0));
}

#[test]
fn parts_compose_instead_of_adding() {
    let half = Gain::new(2.0, 2.0);
    let both = together(&[(0.5, half), (0.5, half)]);
    assert!((both.high() - 2.0).abs() < 1e-12, "all of the program twice as fast, not three or four times");
}

#[test]
fn nineteen_iterations_on_four_lanes() {
    let (with_remainder, padded) = trips(19, 4).unwrap();
    assert!((with_remainder - 19.0 / 7.0).abs() < 1e-12);
    assert!((padded - 19.0 / 5.0).abs() < 1e-12);
    assert_eq!(trips(0, 4), None);
    assert_eq!(trips(4, 0), None);
}

#[test]
fn a_counted_distribution_is_worth_the_sum_of_its_entries() {
    assert_eq!(trips_of(&[(19, 19, 100)], 4), trips(19, 4));
    // 100 entries of 7 (4 passes, padded 2) and 10 of 64 (16 passes): 1340 iterations.
    let (with_remainder, padded) = trips_of(&[(7, 7, 100), (64, 64, 10)], 4).unwrap();
    assert!((with_remainder - 1340.0 / 560.0).abs() < 1e-12, "{with_remainder}");
    assert!((padded - 1340.0 / 360.0).abs() < 1e-12, "{padded}");
    assert_eq!(trips_of(&[(0, 0, 5)], 4), None, "loops that never ran gain nothing");
    assert_eq!(trips_of(&[], 4), None);
    assert_eq!(trips_of(&[(3, 3, 1)], 0), None);
    let (rough, _) = trips_of(&[(20, 23, 10)], 4).unwrap();
    assert!(rough > 1.0 && rough < 4.0);
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

#[test]
fn odd_numbers_become_no_gain() {
    for bad in [f64::NAN, f64::NEG_INFINITY, -3.0, 0.0] {
        assert_eq!(Gain::new(bad, bad), Gain::NONE);
    }
    assert_eq!(Gain::new(f64::INFINITY, 2.0), Gain::new(2.0, LARGEST_GAIN));
}

#[test]
fn a_gain_is_a_pair_in_json() {
    assert_eq!(serde_json::to_string(&Gain::new(7.5, 2.0)).unwrap(), "[2.0,7.5]");
    assert_eq!(serde_json::from_str::<Gain>("[2.0,7.5]").unwrap(), Gain::new(2.0, 7.5));
}

proptest! {
    #[test]
    fn any_distribution_gains_between_nothing_and_the_lanes(
        steps in prop::collection::vec((any::<u32>(), 0u64..1000, any::<u32>()), 0..8), length in 1u32..64,
    ) {
        let steps: Vec<_> = steps.into_iter().map(|(low, more, n)| (low.into(), u64::from(low) + more, n.into())).collect();
        if let Some((with_remainder, padded)) = trips_of(&steps, length) {
            prop_assert!(with_remainder >= 1.0 - 1e-9 && with_remainder <= f64::from(length) + 1e-9);
            prop_assert!(padded + 1e-9 >= 1.0 && padded <= f64::from(length) + 1e-9);
        }
    }

    #[test]
    fn amdahl_is_monotone_and_bounded(share in 0.0..=1.0f64, gain in 1.0..=64.0f64, more in 0.0..10.0f64) {
        let program = amdahl(share, gain);
        prop_assert!(program >= 1.0 - 1e-12 && program <= gain + 1e-9);
        prop_assert!(amdahl(share, gain + more) + 1e-12 >= program);
    }

    #[test]
    fn composition_never_exceeds_the_best_part(parts in prop::collection::vec((0.0..=1.0f64, 1.0..=64.0f64), 0..6)) {
        let parts: Vec<(f64, Gain)> = parts.into_iter().map(|(s, g)| (s, Gain::new(1.0, g))).collect();
        let all = together(&parts);
        let best = parts.iter().map(|p| p.1.high()).fold(1.0, f64::max);
        prop_assert!(all.low() >= 1.0 && all.high() <= best + 1e-9);
    }

    #[test]
    fn removing_a_remainder_gains_at_most_its_share(share in 0.0..=1.0f64, length in 0u32..64, k in prop::option::of(0u64..64)) {
        let gain = without_remainder(share, length, k);
        prop_assert!(gain.high() <= (1.0 / (1.0 - share)).min(LARGEST_GAIN) + 1e-9);
    }
}
