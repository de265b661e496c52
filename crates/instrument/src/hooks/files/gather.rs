//! From the tables in the threads' areas to the transfers of a run.

use super::functions::FUNCTIONS;
use crate::hooks::layout::files::{file, site, unnamed, word};
use crate::hooks::layout::word as every;
use crate::hooks::sites::{self, Mapped, Place};
use crate::input_output::{FileName, FileUse, IoSite, LostTransfers};
use crate::runtime::shared_memory::{Area, Shared};
use std::collections::BTreeMap;

/// What all threads of a run moved.
#[derive(Debug, Default, PartialEq)]
pub struct Gathered {
    pub sites: Vec<IoSite>,
    pub files: Vec<FileUse>,
    pub lost: LostTransfers,
    /// Threads that called.
    pub threads: u32,
}

/// Reads all areas; `rate` is the clock's ticks in a second.
pub fn gather(shared: &Shared, mapped: &[Mapped], rate: f64) -> Gathered {
    let mut out = Gathered::default();
    let mut sites: BTreeMap<Place, IoSite> = BTreeMap::new();
    let mut files: BTreeMap<u64, FileUse> = BTreeMap::new();
    for area in shared.areas().iter().filter(|a| !a.is_unowned()) {
        let read = |index: u64| sites::read(area, index);
        out.threads += u32::from(sites::each(area, mapped, |place, row| {
            let Some(function) = FUNCTIONS.get(place.2) else { return };
            let entry = sites.entry(place).or_insert_with_key(|place| IoSite {
                called: sites::called(function.name.trim_end_matches("_chk"), place),
                class: function.class,
                ..IoSite::default()
            });
            sites::add(&mut entry.called, area, row, rate);
            for (sum, at) in [
                (&mut entry.failed, site::FAILED),
                (&mut entry.transfers, site::TRANSFERS),
                (&mut entry.moved, site::MOVED),
            ] {
                *sum = sum.saturating_add(read(row + at));
            }
        }));
        for k in 0..file::ROWS {
            let row = file::TABLE + k * file::WORDS;
            let key = read(row + file::KEY);
            if key != 0 {
                let unused = || FileUse { name: named(key), ..FileUse::default() };
                add(files.entry(key).or_insert_with(unused), area, row, rate);
            }
        }
        let lost = &mut out.lost;
        for (sum, at) in [
            (&mut lost.calls, every::SITES_LOST),
            (&mut lost.files, word::FILES_LOST),
            (&mut lost.torn, every::TORN),
            (&mut lost.nested, word::NESTED),
        ] {
            *sum = sum.saturating_add(read(at));
        }
    }
    out.sites = sites.into_values().collect();
    // Different keys of one name: the descriptors of a folder differ.
    let mut by_name: BTreeMap<FileName, FileUse> = BTreeMap::new();
    for file in files.into_values() {
        let name = file.name.clone();
        by_name.entry(name.clone()).or_insert(FileUse { name, ..FileUse::default() }).join(&file);
    }
    out.files = by_name.into_values().collect();
    out
}

/// What a key without a path is.
fn named(key: u64) -> FileName {
    match key {
        unnamed::OTHERS => FileName::Others,
        unnamed::UNOPENED => FileName::Unopened,
        unnamed::STANDARD => FileName::Input,
        k if k == unnamed::STANDARD + 1 => FileName::Output,
        k if k == unnamed::STANDARD + 2 => FileName::Error,
        _ => FileName::Lost,
    }
}

fn add(to: &mut FileUse, area: &Area, row: u64, rate: f64) {
    let read = |at: u64| sites::read(area, row + at);
    let seconds = |at: u64| read(at) as f64 / rate;
    let length = read(file::LENGTH);
    if length > 0 && to.name == FileName::Lost {
        let kept = length.min(file::KEPT) as usize;
        let mut bytes: Vec<u8> =
            (0..file::KEPT / 8).flat_map(|k| read(file::PATH + k).to_le_bytes()).collect();
        bytes.truncate(kept);
        to.name = FileName::Path {
            path: String::from_utf8_lossy(&bytes).into_owned(),
            cut: length > file::KEPT,
            in_folder: read(file::IN_FOLDER) != 0,
        };
    }
    let mut own = FileUse {
        name: to.name.clone(),
        opens: read(file::OPENS),
        reads: read(file::READS),
        writes: read(file::WRITES),
        read_bytes: read(file::READ_BYTES),
        written_bytes: read(file::WRITTEN_BYTES),
        mapped_bytes: read(file::MAPPED),
        read_seconds: seconds(file::READ_TICKS),
        write_seconds: seconds(file::WRITE_TICKS),
        other_seconds: seconds(file::OTHER_TICKS),
        longest_seconds: seconds(file::LONGEST),
        seeks: read(file::SEEKS),
        syncs: read(file::SYNCS),
        consecutive: read(file::CONSECUTIVE),
        forward: read(file::FORWARD),
        backward: read(file::BACKWARD),
        unaligned: read(file::UNALIGNED),
        switches: read(file::SWITCHES),
        ..FileUse::default()
    };
    sites::bins(&mut own.read_bins, area, row + file::READ_BINS);
    sites::bins(&mut own.write_bins, area, row + file::WRITE_BINS);
    to.join(&own);
}
