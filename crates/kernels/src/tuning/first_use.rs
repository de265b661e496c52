//! What the ways to do the same work cost on this processor, measured when a choice between them is first needed.
//!
//! The level of instruction sets does not say which of two ways is faster: wide vectors run in halves on some processors,
//! the SHA instructions take half as long on others. So a choice runs each way for some microseconds, in turn, and takes
//! the shortest time of each: others only ever add to it. All choices of a process together take at most [`BUDGET`]; what
//! they found is kept beside the calibration file ([`super::costs_path`]), by processor, so that the next process only reads.
//!
//! Where nothing is measured (see [`super::self_calibration`]) the caller's own figures decide. What is computed never
//! depends on the choice.

use super::costs_file::{self, Table};
use crate::processor::Profile;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// The longest time that measuring may take in a process, all choices together.
pub const BUDGET: Duration = Duration::from_millis(50);

/// The longest time that one choice may take of it: many choices share it.
const SHARE: Duration = Duration::from_millis(5);

/// The shortest sample that the clock resolves to a percent: it takes some 30 ns to read, on virtual machines up to 100.
const SAMPLE: Duration = Duration::from_micros(4);

/// Rounds that suffice: the least of seven is within a percent or two of the least of many (measured on a shared machine).
const ROUNDS: usize = 7;

/// Fewer do not decide.
const FEWEST_ROUNDS: usize = 3;

/// How long all ways run in turn before anything is timed, where there are vectors of 512 bits: a core that begins to use them asks for
/// the power first, may wait up to 500 us for it at a part of its speed, and keeps it for two thirds of a millisecond after the last use
/// (Intel 64 and IA-32 Architectures Optimization Reference Manual, *Skylake Server Power Management*). Timed before, they looked slower
/// than vectors of half the width, which they beat by a third on Emerald Rapids.
const WAKE: Duration = Duration::from_micros(600);

/// Most repetitions within a sample, so that work that takes no time ends.
const MOST_REPEATS: u32 = 1 << 12;

/// One way to do the same work: does it once.
pub type Way<'w> = Box<dyn FnMut() + 'w>;

/// Nanoseconds that each of `ways` takes, in their order; `None` where the caller's own figures have to decide. `table` is
/// the choice's name in the file and `names` those of the ways; `ways` is called only where something has to be measured.
pub fn costs<'w>(table: &str, names: &[&str], ways: impl FnOnce() -> Vec<Way<'w>>) -> Option<Vec<f64>> {
    if names.len() < 2 || !super::self_calibrates() {
        return None;
    }
    let mut state = STATE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let state = state.get_or_insert_with(|| State { kept: costs_file::load(), left: BUDGET });
    let processor = Profile::active().name.as_str();
    if let Some(kept) = state.kept.of(processor, table, names) {
        return Some(kept);
    }
    let begin = Instant::now();
    let found = measure(&mut ways(), state.left.min(SHARE));
    state.left = state.left.saturating_sub(begin.elapsed());
    let found = found?;
    let costs = names.iter().zip(&found).map(|(name, cost)| ((*name).to_owned(), *cost)).collect::<Table>();
    state.kept.put(processor, table, costs.clone());
    costs_file::store(processor, table, costs);
    Some(found)
}

/// What the process has read and may still spend.
struct State {
    kept: costs_file::Costs,
    left: Duration,
}

static STATE: Mutex<Option<State>> = Mutex::new(None);

/// The least nanoseconds of each way; `None` where the time does not suffice for a decision.
fn measure(ways: &mut [Way<'_>], limit: Duration) -> Option<Vec<f64>> {
    let begin = Instant::now();
    if has_widest_vectors() {
        while begin.elapsed() < WAKE.min(limit) {
            ways.iter_mut().for_each(|way| way());
        }
    }
    let mut repeats = Vec::with_capacity(ways.len());
    for way in &mut *ways {
        // The first run meets cold code and data.
        way();
        let mut count = 1;
        while sample(way, count) < SAMPLE && count < MOST_REPEATS {
            count *= 2;
            if begin.elapsed() > limit {
                return None;
            }
        }
        repeats.push(count);
    }
    if begin.elapsed() > limit {
        return None;
    }
    let mut least = vec![f64::INFINITY; ways.len()];
    for round in 0..ROUNDS {
        if round >= FEWEST_ROUNDS && begin.elapsed() > limit {
            break;
        }
        for (way, (&count, least)) in ways.iter_mut().zip(repeats.iter().zip(&mut least)) {
            *least = least.min(sample(way, count).as_secs_f64() * 1e9 / f64::from(count));
        }
    }
    least.iter().all(|cost| cost.is_finite() && *cost > 0.0).then_some(least)
}

fn has_widest_vectors() -> bool {
    #[cfg(target_arch = "x86_64")]
    return std::arch::is_x86_feature_detected!("avx512f");
    #[cfg(not(target_arch = "x86_64"))]
    false
}

fn sample(way: &mut Way<'_>, repeats: u32) -> Duration {
    let begin = Instant::now();
    (0..repeats).for_each(|_| way());
    begin.elapsed()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::hint::black_box;

    fn spins(turns: u64) -> Way<'static> {
        Box::new(move || _ = black_box((0..turns).fold(0, |sum, turn| black_box(sum + turn))))
    }

    #[test]
    fn more_work_costs_more() {
        // Factors apart, so that no disturbance changes the order.
        let mut ways = [spins(40_000), spins(400), spins(0)];
        let found = measure(&mut ways, Duration::from_secs(60)).unwrap();
        assert!(found[0] > 10.0 * found[1] && found[1] > found[2], "{found:?}");
    }

    #[test]
    fn without_time_nothing_is_decided() {
        assert_eq!(measure(&mut [spins(1), spins(1)], Duration::ZERO), None);
        assert_eq!(measure(&mut [spins(100_000), spins(100_000)], Duration::ZERO), None);
    }
}
