//! From the tables in the threads' areas to the allocations of a run.

use super::functions::FUNCTIONS;
use crate::heap::{HeapSite, LostAllocations};
use crate::hooks::layout::heap::{site, word};
use crate::hooks::layout::word as every;
use crate::hooks::sites::{self, Mapped, Place};
use crate::runtime::shared_memory::Shared;
use std::collections::BTreeMap;

/// What all threads of a run allocated.
#[derive(Debug, Default, PartialEq)]
pub struct Gathered {
    pub sites: Vec<HeapSite>,
    /// Highest live bytes of a process.
    pub peak_bytes: u64,
    pub lost: LostAllocations,
    /// Threads that allocated.
    pub threads: u32,
}

/// Reads all areas.
pub fn gather(shared: &Shared, mapped: &[Mapped]) -> Gathered {
    let mut out = Gathered::default();
    // By process: what a child of fork frees may be of its parent.
    let mut live: BTreeMap<(Place, u32), (u64, u64)> = BTreeMap::new();
    let mut sites: BTreeMap<Place, HeapSite> = BTreeMap::new();
    for area in shared.areas().iter().filter(|a| !a.is_unowned()) {
        let read = |index: u64| sites::read(area, index);
        let process = area.identity().0;
        out.threads += u32::from(sites::each(area, mapped, |place, row| {
            let Some(function) = FUNCTIONS.get(place.2) else { return };
            let sums = live.entry((place.clone(), process)).or_default();
            sums.0 = sums.0.saturating_add(read(row + site::SAMPLED));
            sums.1 = sums.1.saturating_add(read(row + site::FREED));
            let entry = sites.entry(place).or_insert_with_key(|place| HeapSite {
                called: sites::called(function.name, place),
                ..HeapSite::default()
            });
            // No clock is read.
            sites::add(&mut entry.called, area, row, f64::INFINITY);
            entry.peak_bytes = entry.peak_bytes.max(read(row + site::PEAK));
        }));
        out.peak_bytes = out.peak_bytes.max(read(word::PEAK));
        let lost = &mut out.lost;
        for (sum, at) in [(&mut lost.calls, every::SITES_LOST), (&mut lost.samples, word::SAMPLES_LOST)] {
            *sum = sum.saturating_add(read(at));
        }
    }
    for ((place, _), (sampled, freed)) in live {
        if let Some(site) = sites.get_mut(&place) {
            site.live_bytes = site.live_bytes.saturating_add(sampled.saturating_sub(freed));
        }
    }
    // A thread that only frees has rows without calls.
    out.sites = sites.into_values().filter(|site| site.called.calls > 0).collect();
    out
}
