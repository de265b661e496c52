//! From recorded windows to facts.
//!
//! The ratio of a window to the plain windows of its round and the rounds beside it is what counts, not the time itself: the
//! program's data, the clock of the core and its neighbours change during a run, and change all versions alike.

use super::Chosen;
use super::control::{self as word, CONTROL, PROBE, WINDOW};
use super::order::{rests_before, version_at};
use super::plan::Versioned;
use crate::injected::{Injected, InjectedLoop, LeftLoop, NotInjected, OperationCost, Timing, VersionTiming};
use crate::options::same_file;
use crate::reason::Reason;
use crate::runtime::areas;
use crate::runtime::instance::{self, Instance, Written};
use crate::runtime::shared_memory::{Area, Shared};
use crate::traced::TracedModule;
use loopwright_stats::{bootstrap_median, median};
use loopwright_vocabulary::Resource;
use std::collections::BTreeMap;

/// Rounds of all versions that are needed: with fewer a median has no useful interval.
const ROUNDS: u64 = 5;
/// A window this many times as long as the median of its version was disturbed.
const DISTURBED: f64 = 2.0;
/// A probe this many times as long as it takes alone was disturbed: two threads that both decode and rename take about twice as long
/// (1.6 to 2.0 times on Zen 3), and a probe that finds its code in no cache a tenth longer.
const SHARED: f64 = 1.3;
/// Share of the windows whose probes are shorter than any disturbance makes them, where the calibration is not known to be quiet.
const QUIETEST: f64 = 0.05;

/// A window of a thread.
#[derive(Clone, Copy, Debug)]
struct Window {
    /// Ticks of an iteration; none where nothing was counted.
    ticks: Option<f64>,
    /// Ticks of the probe at its end.
    probe: f64,
}

/// The windows of a thread, in their order.
type Windows = Vec<Window>;

/// Reads the windows of all threads into `injected`.
pub fn gather(shared: &Shared, instances: &[Instance], chosen: &Chosen, injected: &mut Injected) {
    let areas = shared.areas();
    let mut found: BTreeMap<usize, (Versioned, Place, Vec<Windows>)> = BTreeMap::new();
    for instance in instances {
        for area in areas.iter().filter(|a| !a.is_unowned() && a.identity().2 == instance.image) {
            for written in instance.functions.values() {
                for (unit, first) in units(written) {
                    let windows = read(area, unit, first);
                    if !windows.is_empty() {
                        let place = Place::of(instance, written, unit);
                        let entry = found.entry(unit.choice);
                        entry.or_insert_with(|| (unit.clone(), place, Vec::new())).2.push(windows);
                    }
                }
            }
        }
    }
    for (choice, wanted) in chosen.loops.iter().enumerate() {
        let seen =
            found.remove(&choice).map(|(unit, place, threads)| judged(&unit, &place, &threads, chosen));
        let why = match seen {
            Some(Ok((path, mut facts))) => {
                facts.module = number(&mut injected.modules, path);
                injected.loops.push(facts);
                continue;
            }
            Some(Err(why)) => why,
            None => reason(instances, chosen, choice),
        };
        let module = wanted.at.module.to_string_lossy().into_owned();
        injected.left.push(LeftLoop { module, header: wanted.at.header, reason: why });
    }
}

/// The units of a function, each with the index of the first counter of its region's units.
fn units(written: &Written) -> impl Iterator<Item = (&Versioned, u32)> {
    let regions = written.units.iter().zip(&written.layouts).zip(&written.plan.plans);
    regions.flat_map(|((units, layout), plan)| {
        let first = layout.as_ref().map(|l| l.counters + plan.slots);
        units.iter().filter_map(move |unit| Some((unit, first?)))
    })
}

/// Where a unit is.
struct Place {
    module: TracedModule,
    function: u64,
    header: u64,
    unit: u64,
}

impl Place {
    fn of(instance: &Instance, written: &Written, unit: &Versioned) -> Self {
        let flow = &written.plan.flow;
        let header = |l: usize| flow.blocks[flow.loops[l].header].start;
        Self {
            module: TracedModule {
                path: instance.module.path.clone(),
                build_id: instance.module.image.facts().build_id.clone(),
                bias: None,
            },
            function: written.plan.address,
            header: header(unit.injected),
            unit: header(unit.unit),
        }
    }
}

fn number(modules: &mut Vec<TracedModule>, module: TracedModule) -> u32 {
    let known = modules.iter().position(|m| *m == module);
    known.unwrap_or_else(|| {
        modules.push(module);
        modules.len() - 1
    }) as u32
}

/// The windows of a thread.
fn read(area: &Area, unit: &Versioned, first: u32) -> Windows {
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

type Judged = Result<(TracedModule, InjectedLoop), NotInjected>;

fn judged(unit: &Versioned, place: &Place, threads: &[Windows], chosen: &Chosen) -> Judged {
    let versions = unit.versions.len() as u64;
    let windows: usize = threads.iter().map(Vec::len).sum();
    let enough: Vec<&Windows> = threads.iter().filter(|t| t.len() as u64 >= versions * ROUNDS).collect();
    let alone = probe_alone(&enough, chosen);
    let quiet = timed(&enough, unit, alone.map(|ticks| ticks * SHARED));
    let shared = !quiet.suffices();
    let Timed { plain, ratios, lost: dropped } = if shared { timed(&enough, unit, None) } else { quiet };
    let core_shared = alone.filter(|_| shared).and_then(|alone| {
        let probes: Vec<f64> = enough.iter().flat_map(|t| t.iter().map(|w| w.probe)).collect();
        Some(median(&probes)? / alone).filter(|times| *times >= SHARED)
    });
    let needed = (versions * ROUNDS) as u32;
    if plain.is_empty() {
        return Err(NotInjected::TooBrief { windows: windows as u32, needed });
    }
    let version_timing = |(version, ratios): (&super::plan::Version, &Vec<f64>)| {
        let ratio = timing(ratios)?;
        Some(VersionTiming { resource: version.resource?, count: version.count, ratio })
    };
    // Where all of the calibration had a neighbour on the core, operations of the core look dearer than they are.
    let quicker = alone.zip(probe_calibrated(chosen)).map_or(1.0, |(alone, calibrated)| alone / calibrated);
    let quicker = if quicker * SHARED < 1.0 { quicker } else { 1.0 };
    let encoding = unit.registers.vector.map(|v| v.encoding);
    let costs = Resource::ALL.into_iter().filter_map(|resource| {
        let encoding = encoding.unwrap_or(super::operation::Encoding::Legacy);
        let ticks = chosen.cost(resource, encoding)? * if resource.is_memory() { 1.0 } else { quicker };
        Some(OperationCost { resource, width: encoding.width(), ticks })
    });
    let facts = InjectedLoop {
        module: 0,
        function: place.function,
        header: place.header,
        unit: place.unit,
        threads: threads.len() as u32,
        calls: unit.calls,
        jumps: unit.jumps,
        places: unit.sites.len() as u32,
        counted_in_memory: unit.registers.countdown.is_none(),
        windows: windows as u32,
        dropped,
        core_shared,
        plain: timing(&plain).unwrap_or_default(),
        versions: unit.versions.iter().zip(&ratios).filter_map(version_timing).collect(),
        multiplications: unit.multiplications,
        used: unit.used.clone(),
        uses: unit.uses.clone(),
        costs: costs.collect(),
    };
    Ok((place.module.clone(), facts))
}

/// Ticks of a probe by the calibrated cost of its instructions.
fn probe_calibrated(chosen: &Chosen) -> Option<f64> {
    let cost = chosen.cost(Resource::FrontEnd, super::operation::Encoding::Legacy);
    cost.map(|ticks| ticks * f64::from(PROBE.0 * PROBE.1))
}

/// Ticks of a probe while nothing else uses the core: as calibrated, or what the quietest windows show, where these are quicker.
fn probe_alone(threads: &[&Windows], chosen: &Chosen) -> Option<f64> {
    let mut probes: Vec<f64> = threads.iter().flat_map(|t| t.iter().map(|w| w.probe)).collect();
    probes.retain(|ticks| *ticks > 0.0);
    probes.sort_by(f64::total_cmp);
    let quietest = probes.get((probes.len() as f64 * QUIETEST) as usize).copied();
    probe_calibrated(chosen).into_iter().chain(quietest).reduce(f64::min)
}

/// The times of the windows that are used.
struct Timed {
    /// Ticks of an iteration of the plain versions.
    plain: Vec<f64>,
    /// By version: the time as a multiple of the plain one.
    ratios: Vec<Vec<f64>>,
    /// Windows that were disturbed.
    lost: u32,
}

impl Timed {
    /// There are enough of each version.
    fn suffices(&self) -> bool {
        let of_plain = self.plain.len() as u64;
        self.ratios.iter().map(|r| r.len() as u64).all(|n| n == 0 || n >= ROUNDS) && of_plain >= ROUNDS
    }
}

/// The times of all threads, without windows whose probes take longer than `longest`.
fn timed(threads: &[&Windows], unit: &Versioned, longest: Option<f64>) -> Timed {
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
    let rests = |round: usize| unit.rest > 0 && rests_before(round as u64, count as u64);
    (0..rounds.len())
        .map(|round| {
            let first = if rests(round) { round } else { round.saturating_sub(1) };
            let end = if rests(round + 1) { round + 1 } else { (round + 2).min(rounds.len()) };
            median(&rounds[first..end].concat())
        })
        .collect()
}

fn timing(values: &[f64]) -> Option<Timing> {
    let interval = bootstrap_median(values)?;
    Some(Timing {
        low: interval.low,
        median: median(values)?,
        high: interval.high,
        windows: values.len() as u32,
    })
}

/// Why a chosen loop recorded no window.
fn reason(instances: &[Instance], chosen: &Chosen, choice: usize) -> NotInjected {
    let wanted = &chosen.loops[choice].at;
    let refused = instances.iter().flat_map(|i| &i.refused).find(|r| r.0 == choice);
    if let Some((_, why)) = refused {
        return why.clone();
    }
    if let Some(why) = instance::why_absent(instances, wanted) {
        return NotInjected::Left(why);
    }
    let mine = instances.iter().filter(|i| same_file(&wanted.module, &i.module.path));
    let called = mine.flat_map(|i| i.functions.values()).any(|w| w.plan.address == wanted.function);
    if called {
        NotInjected::TooBrief { windows: 0, needed: 1 }
    } else {
        NotInjected::Left(Reason::NotCalled)
    }
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
