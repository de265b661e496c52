//! From the tables in the threads' areas to the calls of a run.

use super::functions::FUNCTIONS;
use super::layout::{BINS, peer, site, table, word};
use crate::messages::{CallSite, LostCalls, Peer};
use crate::runtime::areas::counter_at;
use crate::runtime::shared_memory::{Area, Shared};
use std::collections::{BTreeMap, BTreeSet};

/// A module where calls come from: program image, path, first address, end, and run-time address minus ELF address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mapped {
    pub image: u32,
    pub path: String,
    pub start: u64,
    pub end: u64,
    pub bias: u64,
}

/// What all threads of a run called.
#[derive(Debug, Default, PartialEq)]
pub struct Gathered {
    pub sites: Vec<CallSite>,
    pub peers: Vec<Peer>,
    /// Ranks in `MPI_COMM_WORLD` of the processes that called.
    pub ranks: BTreeSet<u32>,
    /// Their number.
    pub size: Option<u32>,
    pub lost: LostCalls,
    /// Threads that called.
    pub threads: u32,
}

/// Reads all areas; `rate` is the clock's ticks in a second.
pub fn gather(shared: &Shared, mapped: &[Mapped], rate: f64) -> Gathered {
    let mut out = Gathered::default();
    let mut sites: BTreeMap<(String, u64, usize), CallSite> = BTreeMap::new();
    let mut peers: BTreeMap<u32, Peer> = BTreeMap::new();
    for area in shared.areas().iter().filter(|a| !a.is_unowned()) {
        let read = |index: u64| area.counter(counter_at(index as u32));
        let image = area.identity().2;
        out.threads += u32::from(read_sites(area, |row| {
            let (function, place) =
                (read(row + site::FUNCTION).wrapping_sub(1) as usize, read(row + site::PLACE));
            let Some(name) = FUNCTIONS.get(function) else { return };
            let module = mapped.iter().rev().find(|m| m.image == image && (m.start..m.end).contains(&place));
            let path = module.map_or_else(String::new, |m| m.path.clone());
            let address = place.wrapping_sub(module.map_or(0, |m| m.bias));
            let entry =
                sites.entry((path, address, function)).or_insert_with_key(|(path, address, _)| CallSite {
                    function: name.name.to_owned(),
                    class: name.class(),
                    module: path.clone(),
                    address: *address,
                    ..CallSite::default()
                });
            add(entry, row, &read, rate);
        }));
        for k in 0..peer::ROWS {
            let row = table::PEERS + k * peer::WORDS;
            let Some(rank) = read(row + peer::RANK).checked_sub(1).and_then(|r| u32::try_from(r).ok()) else {
                continue;
            };
            let entry = peers.entry(rank).or_insert(Peer { rank, ..Peer::default() });
            entry.messages = entry.messages.saturating_add(read(row + peer::MESSAGES));
            entry.bytes = entry.bytes.saturating_add(read(row + peer::BYTES));
        }
        out.ranks.extend(read(word::RANK).checked_sub(1).and_then(|r| u32::try_from(r).ok()));
        out.size = out.size.max(u32::try_from(read(word::SIZE)).ok().filter(|n| *n > 0));
        let lost = &mut out.lost;
        for (sum, at) in [
            (&mut lost.calls, word::SITES_LOST),
            (&mut lost.messages, word::PEERS_LOST),
            (&mut lost.starts, word::STARTS_LOST),
            (&mut lost.torn, word::TORN),
            (&mut lost.foreign, word::FOREIGN),
        ] {
            *sum = sum.saturating_add(read(at));
        }
    }
    out.sites = sites.into_values().collect();
    out.peers = peers.into_values().collect();
    out
}

/// Calls `with` for each row in use; whether there is one.
fn read_sites(area: &Area, mut with: impl FnMut(u64)) -> bool {
    let mut any = false;
    for k in 0..site::ROWS {
        let row = table::SITES + k * site::WORDS;
        if area.counter(counter_at((row + site::PLACE) as u32)) != 0 {
            any = true;
            with(row);
        }
    }
    any
}

fn add(entry: &mut CallSite, row: u64, read: &impl Fn(u64) -> u64, rate: f64) {
    let seconds = |at: u64| read(row + at) as f64 / rate;
    entry.calls = entry.calls.saturating_add(read(row + site::CALLS));
    entry.bytes = entry.bytes.saturating_add(read(row + site::BYTES));
    entry.without_bytes = entry.without_bytes.saturating_add(read(row + site::UNKNOWN));
    entry.seconds += seconds(site::TICKS);
    entry.waiting_seconds += seconds(site::WAITING);
    entry.longest_seconds = entry.longest_seconds.max(seconds(site::LONGEST));
    for (k, bin) in (0..=BINS.len() as u64).zip(&mut entry.bins) {
        *bin = bin.saturating_add(read(row + site::BINS + k));
    }
}
