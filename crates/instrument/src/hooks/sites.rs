//! From the tables of sites in the threads' areas to places of calls.

use super::layout::{BINS, site};
use crate::calls::Called;
use crate::runtime::areas::counter_at;
use crate::runtime::shared_memory::Area;

/// A module where calls come from: program image, path, first address, end, and run-time address minus ELF address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mapped {
    pub image: u32,
    pub path: String,
    pub start: u64,
    pub end: u64,
    pub bias: u64,
}

/// A place that calls a function: module, address in it, number of the function.
pub type Place = (String, u64, usize);

/// A counter of an area by its index.
pub fn read(area: &Area, index: u64) -> u64 {
    area.counter(counter_at(index as u32))
}

/// Calls `with` for each row in use, with its place and first word; whether there is one.
pub fn each(area: &Area, mapped: &[Mapped], mut with: impl FnMut(Place, u64)) -> bool {
    let image = area.identity().2;
    let mut any = false;
    for k in 0..site::ROWS {
        let row = site::TABLE + k * site::WORDS;
        let place = read(area, row + site::PLACE);
        if place == 0 {
            continue;
        }
        any = true;
        let module = mapped.iter().rev().find(|m| m.image == image && (m.start..m.end).contains(&place));
        let path = module.map_or_else(String::new, |m| m.path.clone());
        let function = read(area, row + site::FUNCTION).wrapping_sub(1) as usize;
        with((path, place.wrapping_sub(module.map_or(0, |m| m.bias)), function), row);
    }
    any
}

/// A place without calls.
pub fn called(function: &str, (module, address, _): &Place) -> Called {
    Called { function: function.to_owned(), module: module.clone(), address: *address, ..Called::default() }
}

/// Adds a row; `rate` is the clock's ticks in a second.
pub fn add(to: &mut Called, area: &Area, row: u64, rate: f64) {
    let read = |at: u64| read(area, row + at);
    to.calls = to.calls.saturating_add(read(site::CALLS));
    to.bytes = to.bytes.saturating_add(read(site::BYTES));
    to.without_bytes = to.without_bytes.saturating_add(read(site::UNKNOWN));
    to.seconds += read(site::TICKS) as f64 / rate;
    to.longest_seconds = to.longest_seconds.max(read(site::LONGEST) as f64 / rate);
    bins(&mut to.bins, area, row + site::BINS);
}

/// Adds transfers by their bytes.
pub fn bins(to: &mut [u64; BINS.len() + 1], area: &Area, first: u64) {
    for (k, bin) in (0..).zip(to) {
        *bin = bin.saturating_add(read(area, first + k));
    }
}
