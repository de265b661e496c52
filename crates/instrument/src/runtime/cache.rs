//! The code cache of a module: blocks of executable memory near it, added as they are needed.
//!
//! Address space belongs to the program: it may be limited (`RLIMIT_AS`), and programs read their own size.
//! So the first block holds the stubs and little more, and each further one as much as all before.

use super::process::{Mapping, gap_near};
use crate::obstacle::Obstacle;
use std::io;

/// Makes system calls in the target.
pub trait Mapper {
    /// Makes one call; negative results are returned as errors.
    fn call(&self, number: i64, arguments: [u64; 6]) -> io::Result<u64>;

    /// Maps private anonymous memory at exactly `at`; `EEXIST` when another mapping is there.
    fn map(&self, at: u64, length: u64, protection: i32) -> io::Result<u64> {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED_NOREPLACE;
        self.call(libc::SYS_mmap, [at, length, protection as u64, flags as u64, u64::MAX, 0])
    }
}

/// Maps a stretch within reach of all parts of a module, which `reach` spans. Gaps in the module's own span
/// are not used: unmapping the module would unmap them, too.
pub fn map_near(
    mapper: &dyn Mapper,
    maps: &[Mapping],
    (module, reach): ((u64, u64), (u64, u64)),
    length: u64,
    protection: i32,
    reserved: &mut Vec<(u64, u64)>,
) -> Result<u64, Obstacle> {
    reserved.push(module);
    for _ in 0..64 {
        let Some(at) = gap_near(maps, reach.0, reach.1, length, reserved) else {
            return Err(Obstacle::NoAddresses { kib: length >> 10 });
        };
        reserved.push((at, at + length));
        match mapper.map(at, length, protection) {
            Ok(at) => return Ok(at),
            // Another mapping was made meanwhile, or the list of mappings is old.
            Err(e) if e.raw_os_error() == Some(libc::EEXIST) => {}
            Err(e) => return Err(Obstacle::CacheUnmapped(e.to_string())),
        }
    }
    Err(Obstacle::NoPlace)
}

/// Bytes for copies in the first block.
const FIRST: u64 = 256 << 10;
/// Bytes of the largest block.
const LARGEST: u64 = 64 << 20;
/// Most bytes of all blocks of a module together: everything must be within 2 GiB.
const MOST: u64 = 1 << 30;

/// The blocks of a module.
#[derive(Debug)]
pub struct Cache {
    blocks: Vec<(u64, u64)>,
    /// Address of the next copy, in the last block.
    next: u64,
    module: (u64, u64),
    /// The module and all blocks, which a further block must reach.
    span: (u64, u64),
}

impl Cache {
    /// Maps the first block, whose first `taken` bytes are in use.
    pub fn new(
        mapper: &dyn Mapper,
        maps: &[Mapping],
        module: (u64, u64),
        taken: u64,
        reserved: &mut Vec<(u64, u64)>,
    ) -> Result<Self, Obstacle> {
        let length = (taken + FIRST).next_multiple_of(1 << 16);
        let at = map_near(mapper, maps, (module, module), length, EXECUTABLE, reserved)?;
        let span = (module.0.min(at), module.1.max(at + length));
        Ok(Self { blocks: vec![(at, at + length)], next: at + taken, module, span })
    }

    /// Adds a block with room for a copy of at least this size.
    pub fn grow(&mut self, mapper: &dyn Mapper, maps: &[Mapping], least: u64) -> Result<(), Obstacle> {
        let all: u64 = self.blocks.iter().map(|b| b.1 - b.0).sum();
        let length = all.min(LARGEST).max(least).next_multiple_of(1 << 16);
        if all + length > MOST {
            return Err(Obstacle::CacheFull);
        }
        let at = map_near(mapper, maps, (self.module, self.span), length, EXECUTABLE, &mut Vec::new())?;
        self.span = (self.span.0.min(at), self.span.1.max(at + length));
        self.blocks.push((at, at + length));
        self.next = at;
        Ok(())
    }

    /// Address of the routines and stubs.
    pub fn start(&self) -> u64 {
        self.blocks[0].0
    }

    /// Free bytes of the last block.
    pub fn room(&self) -> (u64, u64) {
        (self.next, self.blocks[self.blocks.len() - 1].1)
    }

    /// Takes bytes from the beginning of the free room.
    pub fn take(&mut self, length: u64) {
        self.next = (self.next + length).next_multiple_of(64);
    }

    /// The block that holds an address.
    pub fn block_of(&self, address: u64) -> Option<(u64, u64)> {
        self.blocks.iter().copied().find(|b| b.0 <= address && address < b.1)
    }
}

/// Protection of the blocks: never writable.
pub const EXECUTABLE: i32 = libc::PROT_READ | libc::PROT_EXEC;

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    /// Records the mappings made.
    #[derive(Default)]
    struct Taken(RefCell<Vec<(u64, u64)>>);

    impl Mapper for Taken {
        fn call(&self, number: i64, arguments: [u64; 6]) -> io::Result<u64> {
            assert_eq!(number, libc::SYS_mmap);
            self.0.borrow_mut().push((arguments[0], arguments[0] + arguments[1]));
            Ok(arguments[0])
        }
    }

    #[test]
    fn blocks_are_added_where_everything_reaches_everything() {
        let mapper = Taken::default();
        let module = (0x7f00_0000_0000, 0x7f00_0010_0000);
        let mut maps = vec![Mapping {
            start: module.0,
            end: module.1,
            offset: 0,
            executable: true,
            inode: 0,
            path: "/lib".to_owned(),
        }];
        let mut cache = Cache::new(&mapper, &maps, module, 10_000, &mut Vec::new()).unwrap();
        let mut lengths = Vec::new();
        for _ in 0..8 {
            let (start, end) = *mapper.0.borrow().last().unwrap();
            lengths.push(end - start);
            maps.push(Mapping { start, end, path: String::new(), ..maps[0].clone() });
            maps.sort_by_key(|m| m.start);
            cache.take(end - start);
            cache.grow(&mapper, &maps, 5_000_000).unwrap();
            assert!(cache.room().1 - cache.room().0 >= 5_000_000);
        }
        assert!(lengths[0] < 512 << 10, "{lengths:?}");
        let (low, high) = cache.span;
        assert!(high - low < 1 << 31);
        assert!(maps.iter().skip(1).all(|m| m.path == "/lib" || cache.block_of(m.start).is_some()));
    }

    /// A program at a fixed address has little room below it, and its heap above: its first further block is
    /// placed as far away as can be reached, and all others between that and the heap.
    #[test]
    fn a_program_at_a_fixed_address_gets_many_blocks() {
        let mapper = Taken::default();
        let mapping = |start, end, path: &str| Mapping {
            start,
            end,
            offset: 0,
            executable: true,
            inode: 0,
            path: path.to_owned(),
        };
        let module = (0x40_0000, 0xb0_0000);
        let heap = (0x200_0000, 0x300_0000);
        let mut maps = vec![mapping(module.0, module.1, "/bin/a"), mapping(heap.0, heap.1, "[heap]")];
        let mut cache = Cache::new(&mapper, &maps, module, 700_000, &mut Vec::new()).unwrap();
        for _ in 0..10 {
            let (start, end) = *mapper.0.borrow().last().unwrap();
            assert!(end <= heap.0 || start >= heap.1 + (256 << 20), "{start:#x} leaves the heap room");
            maps.push(mapping(start, end, ""));
            maps.sort_by_key(|m| m.start);
            cache.grow(&mapper, &maps, 100_000).unwrap();
        }
        assert!(maps.windows(2).all(|m| m[0].end <= m[1].start), "{maps:x?}");
        assert!(cache.span.1 - cache.span.0 < 1 << 31);
    }

    /// A library's segments have gaps between them that belong to it.
    #[test]
    fn gaps_within_a_module_stay_free() {
        let mapper = Taken::default();
        let mapping = |start, end| Mapping {
            start,
            end,
            offset: 0,
            executable: true,
            inode: 0,
            path: "/lib".to_owned(),
        };
        let module = (0x7f00_0000_0000, 0x7f00_4000_0000);
        let maps = [mapping(module.0, module.0 + 0x1000), mapping(module.1 - 0x1000, module.1)];
        let mut cache = Cache::new(&mapper, &maps, module, 10_000, &mut Vec::new()).unwrap();
        for _ in 0..3 {
            cache.grow(&mapper, &maps, 1 << 20).unwrap();
        }
        for (start, end) in mapper.0.borrow().iter() {
            assert!(*end <= module.0 || *start >= module.1, "{start:#x}");
        }
    }
}
