//! Verifies a case's variants, then times them in turn.
//!
//! The variants run interleaved, so that other load on the machine affects all of them alike. Each run changes the
//! conditions of the next (the clock lowered by wide vectors, the contents of the caches), so over the rounds each
//! variant follows each other one equally often (a Williams design). A round's times are compared with each other only:
//! the median of the rounds' ratios is the result, with its 95 % bootstrap interval.

use crate::case::{Case, Clock, Role, Variant, Work};
use crate::peers::Peers;
use crate::record::{CaseRecord, Comparison, VariantRecord};
use crate::upper::use_upper_halves;
use anyhow::bail;
use loopwright_stats::{bootstrap_median, median, paired_ratio};
use loopwright_vocabulary::MemoryLevel;
use rustix::time::{ClockId, clock_gettime};
use std::time::Duration;

/// Duration of a measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// Rounds; at least one.
    pub rounds: usize,
    /// Shortest time of a sample: faster work is repeated within it.
    pub sample: Duration,
}

impl Effort {
    /// For published figures.
    pub const FULL: Effort = Effort { rounds: 11, sample: Duration::from_millis(4) };
    /// Only checks that everything runs and agrees.
    pub const SMOKE: Effort = Effort { rounds: 2, sample: Duration::ZERO };
}

/// Verifies and times the variants of `case`. `level_of` names the level of the memory hierarchy that holds a
/// working set. A peer with a wrong result is reported with the peers and left out; a wrong variant of ours
/// is an error that names it, and nothing is timed.
pub fn measure(
    kernel: &str,
    case: Case,
    peers: &mut Peers,
    effort: Effort,
    level_of: &dyn Fn(u64) -> Option<MemoryLevel>,
) -> anyhow::Result<CaseRecord> {
    let Case { operation, shape, work, working_set_bytes, clock, prepare } = case;
    let mut variants = Vec::new();
    for mut variant in prepare(peers) {
        if let Err(difference) = variant.run.verify() {
            let name = &variant.name;
            let sentence = format!(
                "{kernel}, {operation}, {shape}: {name} computes something else than the reference: {difference}"
            );
            if variant.role != Role::Peer {
                bail!(sentence);
            }
            peers.disagree(sentence);
            continue;
        }
        variants.push(variant);
    }
    let mut passes = interleave(&mut variants, true, clock, effort);
    // The last pass is the automatic variant's with upper halves in use, where there is one.
    let in_use = passes.split_off(variants.len()).pop();
    let seconds = passes;
    let records: Vec<VariantRecord> = variants
        .iter()
        .zip(&seconds)
        .filter_map(|(variant, seconds)| {
            let time = bootstrap_median(seconds)?;
            let level = match variant.role {
                Role::Level(isa) => Some(isa.name().to_owned()),
                _ => None,
            };
            Some(VariantRecord {
                name: variant.name.clone(),
                role: variant.role.name().to_owned(),
                level,
                seconds: time.estimate,
                seconds_low: time.low,
                seconds_high: time.high,
                gbytes_per_second: match work {
                    Work::Bytes(bytes) => Some(bytes as f64 / time.estimate * 1e-9),
                    Work::Once => None,
                },
            })
        })
        .collect();

    let ours = variants.iter().position(|v| v.role == Role::Automatic);
    // The strongest peer is the fastest, the bound that applies is the slowest.
    let extreme = |role: Role, sign: f64| {
        let of_role = (0..seconds.len()).filter(|&i| variants[i].role == role);
        of_role.min_by(|&a, &b| {
            let key = |i: usize| sign * median(&seconds[i]).unwrap_or(f64::INFINITY);
            key(a).total_cmp(&key(b))
        })
    };
    let compare = |other: Option<usize>| {
        let (ours, other) = (ours?, other?);
        let ratio = paired_ratio(&seconds[other], &seconds[ours])?;
        Some(Comparison::of(&variants[other].name, ratio))
    };
    Ok(CaseRecord {
        kernel: kernel.to_owned(),
        operation,
        shape,
        work_bytes: match work {
            Work::Bytes(bytes) => Some(bytes),
            Work::Once => None,
        },
        working_set_bytes,
        memory_level: level_of(working_set_bytes),
        speedup: compare(extreme(Role::Peer, 1.0)),
        faster_level: faster_level(&variants, &seconds, ours),
        upper_halves_in_use: ours.zip(in_use).and_then(|(ours, in_use)| {
            let ratio = paired_ratio(&in_use, &seconds[ours])?;
            Some(Comparison::of("upper halves in use", ratio))
        }),
        share_of_bound: compare(extreme(Role::Bound, -1.0)),
        variants: records,
    })
}

/// The fastest level that is faster than the automatic variant by more than [`DIFFERENT`], beyond doubt: another choice would have
/// been better.
fn faster_level(variants: &[Variant], seconds: &[Vec<f64>], ours: Option<usize>) -> Option<Comparison> {
    let ours = ours?;
    let levels = (0..variants.len()).filter(|&index| matches!(variants[index].role, Role::Level(_)));
    let ratio = |index: usize| Some((index, paired_ratio(&seconds[index], &seconds[ours])?));
    let (index, ratio) = levels.filter_map(ratio).min_by(|a, b| a.1.estimate.total_cmp(&b.1.estimate))?;
    (ratio.high < 1.0 - DIFFERENT).then(|| Comparison::of(&variants[index].name, ratio))
}

/// What two ways differ by that are the same code, on shared machines.
const DIFFERENT: f64 = 0.03;

/// Seconds per run of each variant in each round. With `upper`, automatic variants also run with the upper halves of vectors in
/// use before each run, as further rows.
pub(crate) fn interleave(
    variants: &mut [Variant],
    upper: bool,
    clock: Clock,
    effort: Effort,
) -> Vec<Vec<f64>> {
    let automatic = variants.iter().enumerate().filter(|(_, v)| upper && v.role == Role::Automatic);
    let passes: Vec<(usize, bool)> = (0..variants.len())
        .map(|index| (index, false))
        .chain(automatic.map(|(index, _)| (index, true)))
        .collect();
    let count = passes.len();
    let repeats: Vec<u32> =
        variants.iter_mut().map(|v| repeats(clock, effort.sample, &mut || v.run.run())).collect();
    let mut seconds = vec![Vec::with_capacity(effort.rounds); count];
    for round in 0..effort.rounds.max(1) {
        for index in order(count, round) {
            let (of, in_use) = passes[index];
            let variant = &mut variants[of];
            variant.run.warm_up();
            let begin = now(clock);
            for _ in 0..repeats[of] {
                if in_use {
                    use_upper_halves();
                }
                variant.run.run();
            }
            let took = now(clock).saturating_sub(begin);
            // A clock too coarse for the work reads zero; a nanosecond keeps ratios finite.
            seconds[index].push(took.as_secs_f64().max(1e-9) / f64::from(repeats[of]));
        }
    }
    seconds
}

/// The order of a round: that of a Williams design (0, 1, n-1, 2, n-2, .., each round one further). With an even number
/// each variant follows each other one once in as many rounds; with an odd one that takes every other round backwards.
///
/// Source: E. J. Williams, Australian Journal of Scientific Research A 2 (1949), 149-168.
fn order(count: usize, round: usize) -> impl Iterator<Item = usize> {
    let backwards = count % 2 == 1 && round % 2 == 1;
    let shift = if count % 2 == 1 { round / 2 } else { round };
    (0..count).map(move |turn| {
        let turn = if backwards { count - 1 - turn } else { turn };
        let zigzag = if turn % 2 == 1 { turn.div_ceil(2) } else { count - turn / 2 };
        (zigzag + shift) % count
    })
}

/// How often to repeat work within a sample of at least `sample`.
fn repeats(clock: Clock, sample: Duration, run: &mut dyn FnMut()) -> u32 {
    let mut repeats: u32 = 1;
    while !sample.is_zero() {
        let begin = now(clock);
        for _ in 0..repeats {
            run();
        }
        let took = now(clock).saturating_sub(begin);
        if took >= sample / 2 {
            let more = (sample.as_secs_f64() / took.as_secs_f64()).ceil();
            return repeats.saturating_mul(more.clamp(1.0, 2.0) as u32);
        }
        repeats = repeats.saturating_mul(2);
    }
    repeats
}

fn now(clock: Clock) -> Duration {
    let time = clock_gettime(match clock {
        Clock::Thread => ClockId::ThreadCPUTime,
        Clock::Wall => ClockId::Monotonic,
    });
    Duration::new(time.tv_sec.try_into().unwrap_or(0), time.tv_nsec.try_into().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;
    use std::rc::Rc;

    fn case(variants: Vec<Variant>) -> Case {
        Case {
            operation: "sum".into(),
            shape: "8 B".into(),
            work: Work::Bytes(8),
            working_set_bytes: 8,
            clock: Clock::Thread,
            prepare: Box::new(|_| variants),
        }
    }

    fn spin(turns: u64) -> u64 {
        (0..turns).fold(0, |sum, i| std::hint::black_box(sum + i))
    }

    #[test]
    fn a_wrong_variant_of_ours_stops_before_anything_is_timed() {
        let case = case(vec![
            Variant::returning("auto", Role::Automatic, 1, || 2),
            Variant::returning("theirs", Role::Peer, 1, || 1),
        ]);
        let error = measure("k", case, &mut Peers::new(), Effort::SMOKE, &|_| None).unwrap_err().to_string();
        assert!(error.starts_with("k, sum, 8 B: auto computes something else than the reference"), "{error}");
    }

    #[test]
    fn a_wrong_peer_is_told_and_the_others_are_timed() {
        let case = case(vec![
            Variant::returning("auto", Role::Automatic, 1, || 1),
            Variant::returning("wrong", Role::Peer, 1, || 2),
            Variant::returning("right", Role::Peer, 1, || 1),
        ]);
        let mut peers = Peers::new();
        let record = measure("k", case, &mut peers, Effort::SMOKE, &|_| None).unwrap();
        let names: Vec<&str> = record.variants.iter().map(|v| v.name.as_str()).collect();
        assert_eq!(names, ["auto", "right"]);
        let [sentence] = peers.disagreements() else { panic!("{:?}", peers.disagreements()) };
        assert!(sentence.starts_with("k, sum, 8 B: wrong computes something else"), "{sentence}");
    }

    #[test]
    fn each_follows_each_other_one_equally_often() {
        for count in 1..=9 {
            let rounds = if count % 2 == 1 { 2 * count } else { count };
            let mut follows = vec![vec![0; count]; count];
            for round in 0..rounds {
                let order: Vec<usize> = order(count, round).collect();
                assert!((0..count).all(|index| order.contains(&index)), "{count} variants: {order:?}");
                order.windows(2).for_each(|pair| follows[pair[0]][pair[1]] += 1);
            }
            let times = rounds / count;
            for (index, row) in follows.iter().enumerate() {
                let even =
                    row.iter().enumerate().all(|(next, &seen)| seen == if next == index { 0 } else { times });
                assert!(even, "{count} variants: {follows:?}");
            }
        }
    }

    #[test]
    fn rounds_take_turns() {
        let order = Rc::new(RefCell::new(Vec::new()));
        let named = |name: &'static str| {
            let order = order.clone();
            Variant::bound(name, move || order.borrow_mut().push(name))
        };
        let seconds = interleave(
            &mut [named("a"), named("b"), named("c")],
            true,
            Clock::Thread,
            Effort { rounds: 3, sample: Duration::ZERO },
        );
        assert_eq!(order.borrow().concat(), "abccbabca");
        assert!(seconds.iter().all(|rounds| rounds.len() == 3));
    }

    #[test]
    fn ratios_are_to_the_fastest_peer_and_the_slowest_bound() {
        // The work differs by factors, so that no disturbance changes the order.
        let run = |name: &str, role: Role, turns: u64| {
            Variant::returning(name, role, (), move || {
                spin(turns);
            })
        };
        let case = case(vec![
            run("auto", Role::Automatic, 40_000),
            run("slow peer", Role::Peer, 4_000_000),
            run("fast peer", Role::Peer, 400_000),
            run("loads", Role::Bound, 100),
            run("adds", Role::Bound, 4_000),
        ]);
        let effort = Effort { rounds: 5, sample: Duration::ZERO };
        let record = measure("k", case, &mut Peers::new(), effort, &|_| None).unwrap();
        let (speedup, share) = (record.speedup.unwrap(), record.share_of_bound.unwrap());
        assert_eq!((speedup.with.as_str(), share.with.as_str()), ("fast peer", "adds"));
        assert!(speedup.ratio > 1.0 && share.ratio < 1.0);
        assert!(speedup.ratio_low <= speedup.ratio && speedup.ratio <= speedup.ratio_high);
    }

    #[test]
    fn short_work_is_repeated() {
        let sample = Duration::from_millis(1);
        assert!(repeats(Clock::Wall, sample, &mut || _ = spin(10)) > 100);
        assert_eq!(repeats(Clock::Wall, Duration::ZERO, &mut || {}), 1);
    }
}
