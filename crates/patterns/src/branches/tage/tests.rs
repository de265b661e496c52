//! Streams whose best prediction is known.

use super::*;

/// Outcomes of which the misses are counted, after as many to learn from.
const COUNTED: usize = 20_000;

/// Numbers that no history predicts (S. Vigna's SplitMix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }
}

/// The rate of misses of the branch at `of`, in a stream of branches and outcomes.
fn miss_rate(of: u64, mut stream: impl FnMut(&mut Vec<(u64, bool)>)) -> f64 {
    let mut tage = Tage::new();
    let (mut executed, mut missed) = (0usize, 0usize);
    let mut outcomes = Vec::new();
    while executed < 2 * COUNTED {
        outcomes.clear();
        stream(&mut outcomes);
        for &(address, taken) in &outcomes {
            let right = tage.predict(address, taken);
            if address == of {
                executed += 1;
                missed += usize::from(!right && executed > COUNTED);
            }
        }
    }
    missed as f64 / (executed - COUNTED) as f64
}

const A: u64 = 0x40_1136;
const B: u64 = 0x40_1149;
const BACK: u64 = 0x40_115d;

#[test]
fn its_size_is_the_stated_one() {
    assert_eq!(BITS, 128 << 10);
    assert_eq!(3 + 2 + TAG_BITS, 16, "bits of an entry");
}

#[test]
fn constant_alternating_and_periodic_outcomes_are_learned() {
    assert_eq!(miss_rate(A, |out| out.push((A, true))), 0.0);
    assert_eq!(miss_rate(A, |out| out.push((A, false))), 0.0);
    let mut n = 0u64;
    let rate = miss_rate(A, |out| {
        n += 1;
        out.push((A, n.is_multiple_of(2)));
    });
    assert_eq!(rate, 0.0);
    let pattern = [true, true, false, true, false, false, true];
    let mut n = 0;
    let rate = miss_rate(A, |out| {
        n += 1;
        out.push((A, pattern[n % pattern.len()]));
    });
    assert_eq!(rate, 0.0);
}

fn loop_exits(mut trips: impl FnMut() -> u64) -> f64 {
    miss_rate(BACK, |out| {
        let n = trips();
        out.extend((0..n).map(|k| (BACK, k + 1 < n)));
    })
}

#[test]
fn the_exit_of_a_loop_is_known_when_the_history_reaches_its_beginning() {
    assert!(loop_exits(|| 3) < 0.001);
    assert!(loop_exits(|| 20) < 0.001);
    // The exit, and the iterations that look as the last one did.
    let long = loop_exits(|| 500);
    assert!((1.0 / 500.0..3.0 / 500.0).contains(&long), "{long}");
    // From 1 to 15 trips: the exit is one of 8 outcomes on average.
    let mut random = Random(7);
    let uneven = loop_exits(|| 1 + random.below(15));
    assert!((0.07..0.2).contains(&uneven), "{uneven}");
}

#[test]
fn chance_is_missed_as_often_as_the_rarer_outcome() {
    for (percent, least, most) in [(50, 0.46, 0.54), (10, 0.09, 0.14), (1, 0.008, 0.02)] {
        let mut random = Random(percent);
        let rate = miss_rate(A, |out| out.push((A, random.below(100) < percent)));
        assert!((least..most).contains(&rate), "{percent} %: {rate}");
    }
}

#[test]
fn an_earlier_branch_tells_a_later_one() {
    let mut random = Random(1);
    let rate = miss_rate(B, |out| {
        let chance = random.below(2) == 0;
        out.extend([(A, chance), (B, !chance)]);
    });
    assert!(rate < 0.01, "{rate}");
    // Five branches in between that always go the same way.
    let rate = miss_rate(B, |out| {
        let chance = random.below(2) == 0;
        out.push((A, chance));
        out.extend((0..5).map(|k| (BACK + 6 * k, true)));
        out.push((B, chance));
    });
    assert!(rate < 0.02, "{rate}");
}

#[test]
fn the_same_stream_has_the_same_misses() {
    let run = || {
        let mut random = Random(3);
        miss_rate(A, |out| out.push((A + 16 * random.below(9), random.below(3) == 0)))
    };
    assert_eq!(run(), run());
}

/// What came before a gap is not the history of what comes after it.
#[test]
fn a_forgotten_history_is_not_used_until_it_is_known_again() {
    let mut tage = Tage::new();
    assert!(tage.knows_history());
    tage.forget_history();
    for _ in 0..LONGEST {
        assert!(!tage.knows_history());
        tage.predict(A, true);
    }
    assert!(tage.knows_history());
}

/// Folding by steps is folding of the whole history.
#[test]
fn folded_histories_are_those_of_the_last_outcomes() {
    let mut random = Random(9);
    let outcomes: Vec<bool> = (0..400).map(|_| random.below(2) == 0).collect();
    let mut tage = Tage::new();
    outcomes.iter().for_each(|&taken| tage.push(0, taken));
    let whole = |length: usize, bits: u32| {
        let last = outcomes.iter().rev().take(length);
        last.enumerate().fold(0, |sum, (age, &taken)| sum ^ u32::from(taken) << (age as u32 % bits))
    };
    assert_eq!(tage.index.0, LENGTHS.map(|length| whole(length, INDEX_BITS)));
    assert_eq!(tage.tags.0.0, LENGTHS.map(|length| whole(length, TAG_BITS)));
    assert_eq!(tage.tags.1.0, LENGTHS.map(|length| whole(length, TAG_BITS - 1)));
}
