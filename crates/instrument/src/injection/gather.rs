//! From recorded windows to facts.
//!
//! The ratio of a window to the plain windows of its round and the rounds beside it is what counts, not the time itself: the
//! program's data, the clock of the core and its neighbours change during a run, and change all versions alike.

use super::Chosen;
use super::control::{self as word, CONTROL};
use super::order::version_at;
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

/// Ticks of an iteration in each window of a thread, in their order; none where nothing was counted.
type Windows = Vec<Option<f64>>;

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
            let (ticks, left) = (at(control + CONTROL + 2 * k), at(control + CONTROL + 2 * k + 1));
            let iterations = unit.iterations(left) as i64;
            (iterations > 0 && ticks > 0).then(|| ticks as f64 / iterations as f64)
        })
        .collect()
}

type Judged = Result<(TracedModule, InjectedLoop), NotInjected>;

fn judged(unit: &Versioned, place: &Place, threads: &[Windows], chosen: &Chosen) -> Judged {
    let versions = unit.versions.len() as u64;
    let windows: usize = threads.iter().map(Vec::len).sum();
    let mut dropped = 0;
    let mut plain = Vec::new();
    let mut ratios: Vec<Vec<f64>> = vec![Vec::new(); unit.versions.len()];
    for thread in threads.iter().filter(|t| t.len() as u64 >= versions * ROUNDS) {
        let (undisturbed, lost) = undisturbed(thread, versions);
        dropped += lost;
        let local = local_plain(&undisturbed, unit);
        for (position, ticks) in undisturbed.iter().enumerate() {
            let Some(ticks) = ticks else { continue };
            let version = version_at(position as u64, versions) as usize;
            let round = position / unit.versions.len();
            if unit.versions[version].resource.is_none() {
                plain.push(*ticks);
            } else if let Some(base) = local.get(round).copied().flatten() {
                ratios[version].push(ticks / base);
            }
        }
    }
    let needed = (versions * ROUNDS) as u32;
    if plain.is_empty() {
        return Err(NotInjected::TooBrief { windows: windows as u32, needed });
    }
    let timed = |(version, ratios): (&super::plan::Version, &Vec<f64>)| {
        let ratio = timing(ratios)?;
        Some(VersionTiming { resource: version.resource?, count: version.count, ratio })
    };
    let encoding = unit.registers.vector.map(|v| v.encoding);
    let costs = Resource::ALL.into_iter().filter_map(|resource| {
        let encoding = encoding.unwrap_or(super::operation::Encoding::Legacy);
        let ticks = chosen.cost(resource, encoding)?;
        Some(OperationCost { resource, width: encoding.width(), ticks })
    });
    let facts = InjectedLoop {
        module: 0,
        function: place.function,
        header: place.header,
        unit: place.unit,
        threads: threads.len() as u32,
        calls: unit.calls,
        places: unit.sites.len() as u32,
        counted_in_memory: unit.registers.countdown.is_none(),
        windows: windows as u32,
        dropped,
        plain: timing(&plain).unwrap_or_default(),
        versions: unit.versions.iter().zip(&ratios).filter_map(timed).collect(),
        multiplications: unit.multiplications,
        used: unit.used.clone(),
        costs: costs.collect(),
    };
    Ok((place.module.clone(), facts))
}

/// Removes windows that are much longer than the others of their version; their number.
fn undisturbed(windows: &Windows, versions: u64) -> (Windows, u32) {
    let mut of_each: Vec<Vec<f64>> = vec![Vec::new(); versions as usize];
    for (position, ticks) in windows.iter().enumerate() {
        of_each[version_at(position as u64, versions) as usize].extend(*ticks);
    }
    let medians: Vec<f64> = of_each.iter().map(|t| median(t).unwrap_or(f64::INFINITY)).collect();
    let mut lost = 0;
    let kept = windows.iter().enumerate().map(|(position, ticks)| {
        let most = DISTURBED * medians[version_at(position as u64, versions) as usize];
        let kept = ticks.filter(|t| *t <= most);
        lost += u32::from(ticks.is_some() && kept.is_none());
        kept
    });
    let kept = kept.collect();
    (kept, lost)
}

/// By round: the median of the plain windows of that round and of those beside it.
fn local_plain(windows: &Windows, unit: &Versioned) -> Vec<Option<f64>> {
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
    (0..rounds.len())
        .map(|round| {
            let beside = &rounds[round.saturating_sub(1)..(round + 2).min(rounds.len())];
            median(&beside.concat())
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
