//! From the tables in the threads' areas to the calls of a run.

use super::functions::FUNCTIONS;
use crate::hooks::layout::mpi::{peer, site, word};
use crate::hooks::layout::word as every;
use crate::hooks::sites::{self, Mapped, Place};
use crate::messages::{CallSite, LostCalls, Peer};
use crate::runtime::shared_memory::Shared;
use std::collections::{BTreeMap, BTreeSet};

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
    let mut sites: BTreeMap<Place, CallSite> = BTreeMap::new();
    let mut peers: BTreeMap<u32, Peer> = BTreeMap::new();
    for area in shared.areas().iter().filter(|a| !a.is_unowned()) {
        let read = |index: u64| sites::read(area, index);
        out.threads += u32::from(sites::each(area, mapped, |place, row| {
            let Some(function) = FUNCTIONS.get(place.2) else { return };
            let entry = sites.entry(place).or_insert_with_key(|place| CallSite {
                called: sites::called(function.name, place),
                class: function.class(),
                waiting_seconds: 0.0,
            });
            sites::add(&mut entry.called, area, row, rate);
            entry.waiting_seconds += read(row + site::WAITING) as f64 / rate;
        }));
        for k in 0..peer::ROWS {
            let row = peer::TABLE + k * peer::WORDS;
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
            (&mut lost.calls, every::SITES_LOST),
            (&mut lost.messages, word::PEERS_LOST),
            (&mut lost.starts, word::STARTS_LOST),
            (&mut lost.torn, every::TORN),
            (&mut lost.foreign, word::FOREIGN),
        ] {
            *sum = sum.saturating_add(read(at));
        }
    }
    out.sites = sites.into_values().collect();
    out.peers = peers.into_values().collect();
    out
}
