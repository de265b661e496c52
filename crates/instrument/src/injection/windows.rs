//! The windows that threads recorded, and which of them say something of the loop.
//!
//! The ratio of a window to the plain windows of its round and the rounds beside it is what counts, not the time itself: the
//! program's data, the clock of the core and its neighbours change during a run, and change all versions alike. A thread on the same
//! core does not: it takes slots and ports, and windows beside it are not used where there are others.

use super::Chosen;
use super::control::{self as word, CONTROL, PROBE, WINDOW};
use super::operation::Encoding;
use super::order::{rests_before, version_at};
use super::plan::{Rest, Versioned};
use crate::runtime::areas;
use crate::runtime::shared_memory::Area;
use loopwright_stats::median;
use loopwright_vocabulary::Resource;

/// Rounds of all versions that are needed: with fewer a median has no useful interval.
pub(super) const ROUNDS: u64 = 5;
/// A window this many times as long as the median of its version was disturbed.
const DISTURBED: f64 = 2.0;
/// A probe this many times as long as it takes alone was disturbed: two threads that both decode and rename take about twice as long
/// (1.6 to 2.0 times on Zen 3), and a probe that finds its code in no cache a tenth longer.
pub(super) const SHARED: f64 = 1.3;
/// Share of the windows whose probes are shorter than any disturbance makes them, where the calibration is not known to be quiet.
const QUIETEST: f64 = 0.05;

/// A window of a thread.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    /// Ticks of an iteration; none where nothing was counted.
    ticks: Option<f64>,
    /// Ticks of the probe at its end.
    probe: f64,
}

/// The windows of a thread, in their order.
pub(super) type Windows = Vec<Window>;

/// The windows of a thread.
pub(super) fn read(area: &Area, unit: &Versioned, first: u32) -> Windows {
    let control = unit.control_index(first);
    let at = |index: u32| area.counter(areas::counter_at(index));
    let recorded = at(control + word::POSITION).min(u64::from(unit.windows)) as u32;
    (0..recorded)
        .map(|k| {
            let words = control + CONTROL + WINDOW * k;
            let (ticks, left, probe) = (at(words), at(words + 1), at(words + 2));
            let iterations = unit.iterations(left) as i64;
            let ticks = (iterations > 0 && ticks > 0).then(|| ticks as f64 / iterations as f64);
            Window { ticks, probe: probe as f64 }
        })
        .collect()
}

/// Ticks of a probe by the calibrated cost of its instructions.
pub(super) fn probe_calibrated(chosen: &Chosen) -> Option<f64> {
    let cost = chosen.cost(Resource::FrontEnd, Encoding::Legacy);
    cost.map(|ticks| ticks * f64::from(PROBE.0 * PROBE.1))
}

/// Ticks of a probe while nothing else uses the core: as calibrated, or what the quietest windows show, where these are quicker.
pub(super) fn probe_alone(threads: &[&Windows], chosen: &Chosen) -> Option<f64> {
    let mut probes = probes(threads);
    probes.sort_by(f64::total_cmp);
    let quietest = probes.get((probes.len() as f64 * QUIETEST) as usize).copied();
    probe_calibrated(chosen).into_iter().chain(quietest).reduce(f64::min)
}

/// Ticks of a probe in the middle one of all windows.
pub(super) fn probe_median(threads: &[&Windows]) -> Option<f64> {
    median(&probes(threads))
}

fn probes(threads: &[&Windows]) -> Vec<f64> {
    let all = threads.iter().flat_map(|t| t.iter().map(|w| w.probe));
    all.filter(|ticks| *ticks > 0.0).collect()
}

/// The times of the windows that are used.
pub(super) struct Timed {
    /// Ticks of an iteration of the plain versions.
    pub plain: Vec<f64>,
    /// By version: the time as a multiple of the plain one.
    pub ratios: Vec<Vec<f64>>,
    /// Windows that were disturbed.
    pub lost: u32,
}

impl Timed {
    /// There are enough of each version.
    pub fn suffices(&self, unit: &Versioned) -> bool {
        let enough = |times: &Vec<f64>| times.len() as u64 >= ROUNDS;
        let mut versions = unit.versions.iter().zip(&self.ratios);
        enough(&self.plain) && versions.all(|(version, ratios)| version.resource.is_none() || enough(ratios))
    }
}

/// The times of all threads, without windows whose probes take longer than `longest`.
pub(super) fn timed(threads: &[&Windows], unit: &Versioned, longest: Option<f64>) -> Timed {
    let versions = unit.versions.len() as u64;
    let mut found = Timed { plain: Vec::new(), ratios: vec![Vec::new(); unit.versions.len()], lost: 0 };
    for thread in threads {
        let (used, lost) = undisturbed(thread, versions, longest);
        found.lost += lost;
        let local = local_plain(&used, unit);
        for (position, ticks) in used.iter().enumerate() {
            let Some(ticks) = ticks else { continue };
            let version = version_at(position as u64, versions) as usize;
            if unit.versions[version].resource.is_none() {
                found.plain.push(*ticks);
            } else if let Some(base) = local[position / unit.versions.len()] {
                found.ratios[version].push(ticks / base);
            }
        }
    }
    found
}

/// The windows' ticks without those that something disturbed: a probe at its beginning or end took longer than `longest`, or it is
/// much longer than the others of its version. And the number of those.
fn undisturbed(windows: &Windows, versions: u64, longest: Option<f64>) -> (Vec<Option<f64>>, u32) {
    let too_long = |at: usize| longest.is_some_and(|most| windows[at].probe > most);
    let quiet: Vec<Option<f64>> = (0..windows.len())
        .map(|at| windows[at].ticks.filter(|_| !too_long(at) && !too_long(at.saturating_sub(1))))
        .collect();
    let mut of_each: Vec<Vec<f64>> = vec![Vec::new(); versions as usize];
    for (position, ticks) in quiet.iter().enumerate() {
        of_each[version_at(position as u64, versions) as usize].extend(*ticks);
    }
    let medians: Vec<f64> = of_each.iter().map(|t| median(t).unwrap_or(f64::INFINITY)).collect();
    let kept = quiet.iter().enumerate().map(|(position, ticks)| {
        let most = DISTURBED * medians[version_at(position as u64, versions) as usize];
        ticks.filter(|t| *t <= most)
    });
    let kept: Vec<Option<f64>> = kept.collect();
    let lost = windows.iter().filter(|w| w.ticks.is_some()).count() - kept.iter().flatten().count();
    (kept, lost as u32)
}

/// By round: the median of the plain windows of that round and of those beside it, as far as no rest lies between.
fn local_plain(windows: &[Option<f64>], unit: &Versioned) -> Vec<Option<f64>> {
    let count = unit.versions.len();
    let rounds: Vec<Vec<f64>> = windows
        .chunks(count)
        .enumerate()
        .map(|(round, chunk)| {
            let of_round = chunk.iter().enumerate().filter(|(k, _)| {
                let version = version_at((round * count + k) as u64, count as u64);
                unit.versions[version as usize].resource.is_none()
            });
            of_round.filter_map(|(_, ticks)| *ticks).collect()
        })
        .collect();
    let rests = |round: usize| unit.rest != Rest::None && rests_before(round as u64, count as u64);
    (0..rounds.len())
        .map(|round| {
            let first = if rests(round) { round } else { round.saturating_sub(1) };
            let end = if rests(round + 1) { round + 1 } else { (round + 2).min(rounds.len()) };
            median(&rounds[first..end].concat())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Windows of three versions in the order in which they take turns, of which each takes its number and 10 ticks.
    fn windows(rounds: u64, change: impl Fn(u64, Window) -> Window) -> Windows {
        let of = |at: u64| Window { ticks: Some(10.0 + version_at(at, 3) as f64), probe: 600.0 };
        (0..3 * rounds).map(|at| change(at, of(at))).collect()
    }

    #[test]
    fn windows_beside_another_thread_are_not_used() {
        // It came in window 4 and left in window 7: the fourth begins alone.
        let beside = |at: u64| (4..7).contains(&at);
        let slow = |at: u64, w: Window| match beside(at) {
            true => Window { ticks: w.ticks.map(|t| 1.6 * t), probe: 1150.0 },
            false => w,
        };
        let (used, lost) = undisturbed(&windows(8, slow), 3, Some(600.0 * SHARED));
        let unused: Vec<usize> = (0..used.len()).filter(|&at| used[at].is_none()).collect();
        assert_eq!((unused, lost), (vec![4, 5, 6, 7], 4), "the seventh begins beside it");
        let (used, lost) = undisturbed(&windows(8, slow), 3, None);
        assert_eq!((used.iter().flatten().count(), lost), (24, 0), "less than twice as long");
    }

    #[test]
    fn a_window_that_was_interrupted_is_not_used() {
        let long =
            |at: u64, w: Window| Window { ticks: w.ticks.map(|t| if at == 9 { 3.0 * t } else { t }), ..w };
        let (used, lost) = undisturbed(&windows(8, long), 3, Some(600.0 * SHARED));
        assert_eq!((used[9], lost), (None, 1));
        let none = |at: u64, w: Window| if at == 2 { Window { ticks: None, ..w } } else { w };
        let (used, lost) = undisturbed(&windows(8, none), 3, None);
        assert_eq!((used[2], lost), (None, 0), "nothing was counted in it");
    }
}
