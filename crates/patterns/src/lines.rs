//! The facts about each cache line: a table with fast access for consecutive addresses.
//!
//! Lines are kept in blocks of eight neighbours. Each operand remembers the block that it used last, so that a walk
//! through memory searches the table once in eight lines, and an operand with a fixed address never does.

use rustc_hash::FxHashMap;

/// Bytes that an analysis may still take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room(u64);

impl Room {
    /// Room for this many bytes.
    pub fn new(bytes: u64) -> Self {
        Self(bytes)
    }

    /// Reserves bytes; false when there are not enough.
    pub fn take(&mut self, bytes: u64) -> bool {
        let left = self.0.checked_sub(bytes);
        self.0 = left.unwrap_or(self.0);
        left.is_some()
    }

    /// Returns bytes.
    pub fn give(&mut self, bytes: u64) {
        self.0 = self.0.saturating_add(bytes);
    }
}

const BLOCK_BITS: u32 = 3;
const BLOCK: usize = 1 << BLOCK_BITS;

/// The block that an operand used last.
#[derive(Clone, Copy, Debug, Default)]
pub struct Hint {
    /// Its number plus one; 0 for none.
    block: u64,
    at: u32,
}

/// Values by line.
#[derive(Clone, Debug)]
pub struct Lines<T> {
    index: FxHashMap<u64, u32>,
    blocks: Vec<(u64, [T; BLOCK])>,
}

impl<T> Default for Lines<T> {
    fn default() -> Self {
        Self { index: FxHashMap::default(), blocks: Vec::new() }
    }
}

impl<T: Copy + Default> Lines<T> {
    /// Bytes of one block, with its place in the index.
    pub const BLOCK_BYTES: u64 = (size_of::<(u64, [T; BLOCK])>() + 2 * size_of::<(u64, u32)>()) as u64;

    /// The value of a line; absent when there is no room for it.
    #[inline]
    pub fn at(&mut self, hint: &mut Hint, line: u64, room: &mut Room) -> Option<&mut T> {
        let block = line >> BLOCK_BITS;
        if hint.block != block + 1 {
            let at = match self.index.get(&block) {
                Some(&at) => at,
                None => self.add(block, room)?,
            };
            *hint = Hint { block: block + 1, at };
        }
        self.blocks.get_mut(hint.at as usize).map(|known| &mut known.1[line as usize % BLOCK])
    }

    fn add(&mut self, block: u64, room: &mut Room) -> Option<u32> {
        let at = u32::try_from(self.blocks.len()).ok()?;
        if !room.take(Self::BLOCK_BYTES) {
            return None;
        }
        self.blocks.push((block, [T::default(); BLOCK]));
        self.index.insert(block, at);
        Some(at)
    }

    /// All lines of all blocks, also those that were never requested.
    pub fn iter(&self) -> impl Iterator<Item = (u64, &T)> {
        self.blocks.iter().flat_map(|(block, lines)| {
            lines.iter().zip(0u64..).map(move |(line, at)| (block << BLOCK_BITS | at, line))
        })
    }

    /// Bytes that it has reserved.
    pub fn bytes(&self) -> u64 {
        Self::BLOCK_BYTES * self.blocks.len() as u64
    }

    /// Drops everything; hints must be dropped, too.
    pub fn clear(&mut self, room: &mut Room) {
        room.give(self.bytes());
        self.index.clear();
        self.blocks.clear();
    }
}

/// Calls `part` with the bytes of an access, line by line: line number and a bit for each byte. `line_bits`
/// is 6 at most.
#[inline]
pub fn bytes_by_line(address: u64, size: u32, line_bits: u32, mut part: impl FnMut(u64, u64)) {
    let last = address.saturating_add(u64::from(size.max(1) - 1));
    let (first_line, last_line) = (address >> line_bits, last >> line_bits);
    let within = (1u64 << line_bits) - 1;
    let bits = |from: u64, to: u64| (u64::MAX >> (63 - (to - from))) << from;
    if first_line == last_line {
        // Nearly all accesses are within one line.
        part(first_line, bits(address & within, last & within));
        return;
    }
    part(first_line, bits(address & within, within));
    for line in first_line + 1..last_line {
        part(line, bits(0, within));
    }
    part(last_line, bits(0, last & within));
}

/// The logarithm of the bytes of a line as these analyses count them: a bit for each byte fits a word.
pub fn line_bits(line_bytes: u32) -> u32 {
    line_bytes.clamp(16, 64).ilog2()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_split_at_lines() {
        let parts = |address, size| {
            let mut parts = Vec::new();
            bytes_by_line(address, size, 6, |line, bytes| parts.push((line, bytes)));
            parts
        };
        assert_eq!(parts(0x40, 1), [(1, 1)]);
        assert_eq!(parts(0x40, 64), [(1, u64::MAX)]);
        assert_eq!(parts(0x7c, 8), [(1, 0xf << 60), (2, 0xf)]);
        assert_eq!(parts(0x78, 200).iter().map(|p| p.1.count_ones()).collect::<Vec<_>>(), [8, 64, 64, 64]);
        assert_eq!(parts(u64::MAX - 1, 8).len(), 1, "the end of the address space");
    }

    #[test]
    fn lines_are_found_again_and_room_is_kept_to() {
        let mut lines: Lines<u32> = Lines::default();
        let mut room = Room::new(2 * Lines::<u32>::BLOCK_BYTES);
        let mut hint = Hint::default();
        for line in [3, 4, 100, 3] {
            *lines.at(&mut hint, line, &mut room).unwrap() += 1;
        }
        assert_eq!(lines.at(&mut hint, 5000, &mut room), None);
        assert_eq!(lines.at(&mut hint, 3, &mut room), Some(&mut 2));
        assert_eq!(lines.iter().filter(|l| *l.1 > 0).count(), 3);
        lines.clear(&mut room);
        assert_eq!(room, Room::new(2 * Lines::<u32>::BLOCK_BYTES));
    }
}
