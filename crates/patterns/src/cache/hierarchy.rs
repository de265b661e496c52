//! Several caches in a row: the requests of an access to each level, and the lines that leave it.
//!
//! Write-back, write-allocate, non-inclusive: a line that no level holds enters all of them; a line evicted from a near
//! level stays in the far ones; a changed one is passed to the next level and enters it if it is not there. A victim
//! level (the third-level cache of AMD's Zen processors; *Software Optimization Guide for the AMD EPYC 7003
//! Processors*, 56665, section 2.6) takes the lines that the level before it evicts, and returns a line when it is
//! requested. Streaming stores bypass all levels and remove their lines from them (Intel SDM volume 1, section
//! 10.4.6.2); stores to a line that is still in one of [`COMBINING`] write-combining buffers make one transfer.
//!
//! Not modelled: prefetching, other threads, virtual against physical addresses (all levels are indexed by virtual
//! addresses), line fills in flight.

use super::set::{Cache, Gone};
use crate::facts::{CacheGeometry, Hierarchy, LevelUse};
use rustc_hash::FxHashSet;

/// Write-combining buffers: the ten line fill buffers of Intel's cores since Nehalem (*Optimization Reference
/// Manual*, "Write Combining"); their number matters only to stores that return to a line late.
const COMBINING: usize = 10;
/// Most lines that a simulation which keeps its contents over gaps records as used; later lines count as used before.
const MOST_SEEN: usize = 1 << 22;

/// A hierarchy with its counts so far.
#[derive(Debug)]
pub(super) struct Simulator {
    data: Vec<Level>,
    pages: Vec<Level>,
    /// Counts, by level of the hierarchy.
    sums: Vec<LevelUse>,
    /// Line numbers of streaming stores plus one; 0 is free.
    combining: [u64; COMBINING],
    next_combining: usize,
    /// Line of the first level that was used last and is its youngest, and whether it is changed.
    last: Option<(u64, bool)>,
    last_page: Option<u64>,
    /// Known to be empty at the start, and not disturbed between bursts.
    cold: bool,
    /// Lines and pages that were ever used, where first uses are counted.
    seen: Option<(FxHashSet<u64>, FxHashSet<u64>)>,
}

#[derive(Debug)]
struct Level {
    cache: Cache,
    shift: u32,
    /// Index in [`Simulator::sums`].
    index: usize,
    victim: bool,
    /// A second use of the same line in a row changes nothing.
    idempotent: bool,
}

impl Simulator {
    pub fn new(hierarchy: &Hierarchy, cold: bool) -> Self {
        let levels = |translation: bool| -> Vec<Level> {
            let these = hierarchy.levels.iter().enumerate().filter(|(_, g)| g.translation == translation);
            these.map(|(index, geometry)| Level::new(index, geometry, cold)).collect()
        };
        Self {
            data: levels(false),
            pages: levels(true),
            sums: vec![LevelUse::default(); hierarchy.levels.len()],
            combining: [0; COMBINING],
            next_combining: 0,
            last: None,
            last_page: None,
            cold,
            seen: None,
        }
    }

    /// A hierarchy whose contents stay over gaps, and which counts first uses.
    pub fn carried(hierarchy: &Hierarchy) -> Self {
        Self { seen: Some(Default::default()), ..Self::new(hierarchy, true) }
    }

    /// Counts so far, by level.
    pub fn sums(&self) -> &[LevelUse] {
        &self.sums
    }

    /// A gap begins: the code that ran meanwhile is not known.
    pub fn gap(&mut self) {
        if self.cold {
            return;
        }
        for level in self.data.iter_mut().chain(&mut self.pages) {
            level.cache.forget();
        }
        self.combining = [0; COMBINING];
        self.last = None;
        self.last_page = None;
    }

    /// An access to an operand's bytes.
    #[inline]
    pub fn access(&mut self, address: u64, size: u32, write: bool, streaming: bool) {
        let end = address.saturating_add(u64::from(size.max(1)) - 1);
        if let Some(first) = self.data.first() {
            for line in address >> first.shift..=end >> first.shift {
                if streaming && write {
                    self.stream(line);
                } else if self.last.is_some_and(|(last, changed)| last == line && (changed || !write)) {
                    self.sums[self.data[0].index].accesses += 1;
                } else {
                    self.use_line(line, write);
                }
            }
        }
        if let Some(first) = self.pages.first() {
            for page in address >> first.shift..=end >> first.shift {
                if self.last_page == Some(page) {
                    self.sums[self.pages[0].index].accesses += 1;
                } else {
                    let idempotent = first_use_repeats(&self.pages);
                    let seen = self.seen.as_mut().map(|seen| &mut seen.1);
                    request(&mut self.pages, &mut self.sums, page, false, seen);
                    self.last_page = idempotent.then_some(page);
                }
            }
        }
    }

    fn use_line(&mut self, line: u64, write: bool) {
        let idempotent = first_use_repeats(&self.data);
        let seen = self.seen.as_mut().map(|seen| &mut seen.0);
        request(&mut self.data, &mut self.sums, line, write, seen);
        self.last = idempotent.then_some((line, write));
    }

    fn stream(&mut self, line: u64) {
        let Some(first) = self.data.first() else { return };
        self.sums[first.index].accesses += 1;
        self.last = None;
        let shift = first.shift;
        let mut changed = false;
        for level in &mut self.data {
            changed |= level.cache.remove(line << shift >> level.shift).is_some_and(|gone| gone.changed);
            // Its changes go to memory first, through every later level.
            self.sums[level.index].write_backs += u64::from(changed);
        }
        if !self.combining.contains(&line.wrapping_add(1)) {
            self.combining[self.next_combining] = line.wrapping_add(1);
            self.next_combining = (self.next_combining + 1) % COMBINING;
            for level in &self.data {
                self.sums[level.index].streamed += 1;
            }
        }
    }
}

impl Level {
    fn new(index: usize, geometry: &CacheGeometry, cold: bool) -> Self {
        Self {
            cache: Cache::new(geometry, cold),
            shift: geometry.line_bytes.max(1).ilog2(),
            index,
            victim: geometry.victim,
            idempotent: geometry.policy != crate::facts::Replacement::Srrip,
        }
    }
}

/// Whether a second use of the line used last changes nothing in any level.
fn first_use_repeats(levels: &[Level]) -> bool {
    levels.first().is_some_and(|first| first.idempotent)
}

/// Requests a line (number of the first level) from the levels, nearest first, until one has it; fills it
/// into those before.
#[inline]
fn request(
    levels: &mut [Level],
    sums: &mut [LevelUse],
    line: u64,
    write: bool,
    mut seen: Option<&mut FxHashSet<u64>>,
) {
    let base = levels[0].shift;
    // Whether the real level surely got the request.
    let mut certain = true;
    let mut depth = 0;
    let mut asked_certainly = [true; super::MOST_LEVELS];
    let mut changed = false;
    let mut first = None;
    while depth < levels.len() {
        let level = &mut levels[depth];
        let sum = &mut sums[level.index];
        let wanted = line << base >> level.shift;
        asked_certainly[depth.min(super::MOST_LEVELS - 1)] = certain;
        sum.accesses += 1;
        let found = if level.victim {
            let gone = level.cache.remove(wanted);
            changed |= gone.is_some_and(|gone| gone.changed);
            gone.is_some()
        } else {
            level.cache.touch(wanted, write && depth == 0)
        };
        if found {
            break;
        }
        certain = certain && level.cache.knows(wanted);
        if let Some(seen) = &mut seen {
            let first = *first.get_or_insert_with(|| seen.len() < MOST_SEEN && seen.insert(line));
            sum.first_uses += u64::from(first);
        }
        if certain {
            sum.misses += 1;
        } else {
            sum.unknown += 1;
        }
        depth += 1;
    }
    // Farthest first. A victim level is filled by the evictions of the level before it.
    for at in (0..depth.min(levels.len())).rev() {
        if levels[at].victim {
            continue;
        }
        // A changed line that a victim level returned stays changed in the level that takes it.
        let takes_change = std::mem::take(&mut changed);
        let wanted = line << base >> levels[at].shift;
        let sure = asked_certainly[at.min(super::MOST_LEVELS - 1)];
        if let Some(gone) = levels[at].cache.fill(wanted, takes_change || (write && at == 0), sure) {
            drop_line(levels, sums, at, gone);
        }
    }
}

/// A line was evicted from a level: passes it to the next.
fn drop_line(levels: &mut [Level], sums: &mut [LevelUse], from: usize, gone: Gone) {
    let mut gone = Some(gone);
    let mut from = from;
    while let Some(line) = gone.take() {
        sums[levels[from].index].write_backs += u64::from(line.changed);
        let shift = levels[from].shift;
        from += 1;
        let Some(next) = levels.get_mut(from) else { return };
        if !next.victim && !line.changed {
            return;
        }
        let number = line.line << shift >> next.shift;
        let known = if line.changed { next.cache.change(number) } else { next.cache.holds(number) };
        if !known {
            gone = next.cache.fill(number, line.changed, true);
        }
    }
}
