//! Maps shared memory into the program: at its start, for each thread that needs an area, and when there are
//! more counters.

use super::{ProgramImage, Session, Waiting};
use crate::runtime::areas::{GROUP, LAYER, OWNER, PAGE, SPAN};
use crate::runtime::askers::Asked;
use crate::runtime::askers::{Askers, Mapped};
use crate::runtime::cache::Mapper;
use crate::runtime::control::{CONTROL, block};
use crate::runtime::instance::Allocation;
use crate::runtime::process;
use crate::runtime::shared_memory::Group;
use crate::runtime::tracee::Tracee;
use crate::warning::Warning;
use std::io;

/// Addresses of shared memory in a process.
pub(super) struct Places {
    /// The page of requests.
    pub control: u64,
    /// The first group of areas.
    pub areas: u64,
    /// The trace; 0 without one.
    pub pool: u64,
}

/// Maps a segment, at an address or where the kernel chooses (0).
fn attach(mapper: &dyn Mapper, id: i32, at: u64, length: u64) -> io::Result<u64> {
    let at = mapper.call(libc::SYS_shmat, [id as u64, at, 0, 0, 0, 0])?;
    // It is not included in core dumps.
    mapper.call(libc::SYS_madvise, [at, length, libc::MADV_DONTDUMP as u64, 0, 0, 0])?;
    Ok(at)
}

/// Maps the layer of owners of a group, which is private to each process.
fn map_owners(mapper: &dyn Mapper, at: u64) -> io::Result<()> {
    mapper.map(at, LAYER, libc::PROT_READ | libc::PROT_WRITE)?;
    mapper.call(libc::SYS_madvise, [at, LAYER, libc::MADV_WIPEONFORK as u64, 0, 0, 0])?;
    Ok(())
}

/// Maps the pieces of a group that are `needed` and not mapped yet.
fn map_pieces(
    mapper: &dyn Mapper,
    group: &Group,
    at: u64,
    needed: &[usize],
    mapped: &mut Mapped,
) -> io::Result<()> {
    for (k, piece, _) in group.pieces().filter(|p| needed.contains(&p.0)) {
        let id = group.segment(k)?;
        if !mapped.segments.contains(&id) {
            attach(mapper, id, at + piece.from, piece.to - piece.from)?;
            mapped.segments.insert(id);
        }
    }
    Ok(())
}

impl ProgramImage {
    fn group_at(&self, group: usize) -> u64 {
        self.areas_at - group as u64 * SPAN
    }
}

impl Session {
    /// Maps what is needed from the start into a stopped process and points its GS base to the shared area
    /// for threads without their own.
    pub(super) fn share_memory(&self, tracee: &Tracee) -> io::Result<(Places, Mapped)> {
        if !process::shares_segments(tracee.thread) {
            return Err(io::Error::other("it is in another namespace of System V objects"));
        }
        let maps = process::mappings(tracee.thread)?;
        let areas = process::place_for_areas(&maps).ok_or_else(|| io::Error::other("no free addresses"))?;
        let mut mapped = Mapped::default();
        let shared = &self.shared;
        let control = attach(tracee, shared.control.id(), 0, CONTROL)?;
        let pool = match &shared.pool {
            Some(pool) => attach(tracee, pool.id, 0, pool.length)?,
            None => 0,
        };
        map_owners(tracee, areas)?;
        let needed = Allocation::default().pieces();
        map_pieces(tracee, &*shared.group(0)?, areas, &needed, &mut mapped)?;
        // No thread has this FS base.
        tracee.memory().write(areas.wrapping_add_signed(i64::from(OWNER)), &u64::MAX.to_le_bytes())?;
        let mut registers = tracee.registers()?;
        registers.gs_base = areas;
        tracee.set_registers(&registers)?;
        Ok((Places { control, areas, pool }, mapped))
    }

    /// Maps what the counters in use by an image need, in all groups that a process has.
    pub(super) fn extend(&self, image: u32, mapped: &mut Mapped, mapper: &dyn Mapper) -> io::Result<()> {
        let Some(image) = self.images.get(image as usize) else { return Ok(()) };
        let needed = image.allocation.pieces();
        if mapped.pieces >= needed.len() {
            return Ok(());
        }
        for k in 0..self.shared.group_count() {
            let group = self.shared.group(k)?;
            let first = group.pieces().next().and_then(|(_, _, id)| id);
            if mapped.has(first) {
                map_pieces(mapper, &group, image.group_at(k), &needed, mapped)?;
            }
        }
        mapped.pieces = needed.len();
        Ok(())
    }

    /// Gives the requesting thread an area. Where that is not possible, it counts in the shared one.
    pub(super) fn give_area(&mut self, asked: &Asked) {
        let Some(waiting) = self.waiting(asked) else { return };
        let base = match self.area_for(asked, &waiting) {
            Ok(Some(base)) => base,
            Ok(None) => {
                self.crowded = true;
                0
            }
            Err(e) => {
                let image = self.images.get(asked.image as usize);
                let program = image.map_or_else(String::new, |i| i.program.clone());
                let error = e.to_string();
                self.warn_of(asked.process, Warning::ThreadsNotCounted { program, error });
                0
            }
        };
        let write = |at: u64, value: u64| waiting.memory.write(at, &value.to_le_bytes()).is_ok();
        let owned = base != 0 && write(base.wrapping_add_signed(i64::from(OWNER)), asked.owner);
        // The address where the thread finds the answer; the results of orders were written there, too.
        write(asked.posted.address + block::RESULT as u64, if owned { base } else { 0 });
    }

    fn area_for(&mut self, asked: &Asked, waiting: &Waiting) -> io::Result<Option<u64>> {
        let key = (asked.process, asked.image, asked.owner);
        let known = self.owners.get(&key).and_then(|k| self.shared.area(*k));
        let area = match known {
            Some(area) => area,
            None => match self.shared.give()? {
                Some(area) => area,
                None => return Ok(None),
            },
        };
        let image = self.images.get(asked.image as usize);
        let image = image.ok_or_else(|| io::Error::other("of an unknown program"))?;
        let number = (area.index() / GROUP) as usize;
        let (group, at) = (self.shared.group(number)?, image.group_at(number));
        let mut mapped = self.askers.mapped(asked.process);
        let first = group.pieces().next().and_then(|(_, _, id)| id);
        let mut result = Ok(());
        if !mapped.has(first) {
            result = if process::shares_segments(asked.process) {
                let needed = image.allocation.pieces();
                map_owners(waiting, at).and_then(|()| map_pieces(waiting, &group, at, &needed, &mut mapped))
            } else {
                Err(io::Error::other("it is in another namespace of System V objects"))
            };
        }
        if result.is_ok() {
            // A fork of a process that has called more functions meanwhile has the mappings of its parent at the fork.
            result = self.extend(asked.image, &mut mapped, waiting);
        }
        self.askers.keep(asked.process, mapped);
        result?;
        let thread = Askers::thread(asked).map_or(0, |t| t.1);
        area.identify(asked.process, thread, asked.image);
        self.owners.insert(key, area.index());
        Ok(Some(at + area.index() % GROUP * PAGE))
    }
}
