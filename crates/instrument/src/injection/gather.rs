//! From recorded windows to facts.

use super::Chosen;
use super::operation::Encoding;
use super::plan::{Version, Versioned};
use super::windows::{
    ROUNDS, SHARED, Timed, Windows, probe_alone, probe_calibrated, probe_median, read, timed,
};
use crate::injected::{Injected, InjectedLoop, LeftLoop, NotInjected, OperationCost, Timing, VersionTiming};
use crate::options::same_file;
use crate::reason::Reason;
use crate::runtime::instance::{self, Instance, Written};
use crate::runtime::shared_memory::Shared;
use crate::traced::TracedModule;
use loopwright_stats::{bootstrap_median, median};
use loopwright_vocabulary::Resource;
use std::collections::BTreeMap;

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

type Judged = Result<(TracedModule, InjectedLoop), NotInjected>;

fn judged(unit: &Versioned, place: &Place, threads: &[Windows], chosen: &Chosen) -> Judged {
    let versions = unit.versions.len() as u64;
    let windows: usize = threads.iter().map(Vec::len).sum();
    let enough: Vec<&Windows> = threads.iter().filter(|t| t.len() as u64 >= versions * ROUNDS).collect();
    let alone = probe_alone(&enough, chosen);
    let quiet = timed(&enough, unit, alone.map(|ticks| ticks * SHARED));
    let shared = !quiet.suffices(unit);
    let Timed { plain, ratios, lost: dropped } = if shared { timed(&enough, unit, None) } else { quiet };
    let core_shared = alone.filter(|_| shared).and_then(|alone| Some(probe_median(&enough)? / alone));
    let core_shared = core_shared.filter(|times| *times >= SHARED);
    let needed = (versions * ROUNDS) as u32;
    if plain.is_empty() {
        return Err(NotInjected::TooBrief { windows: windows as u32, needed });
    }
    let version_timing = |(version, ratios): (&Version, &Vec<f64>)| {
        let ratio = timing(ratios)?;
        Some(VersionTiming { resource: version.resource?, count: version.count, ratio })
    };
    // Where all of the calibration had a neighbour on the core, operations of the core look dearer than they are.
    let quicker = alone.zip(probe_calibrated(chosen)).map_or(1.0, |(alone, calibrated)| alone / calibrated);
    let quicker = if quicker * SHARED < 1.0 { quicker } else { 1.0 };
    let encoding = unit.registers.vector.map(|v| v.encoding);
    let costs = Resource::ALL.into_iter().filter_map(|resource| {
        let encoding = encoding.unwrap_or(Encoding::Legacy);
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
