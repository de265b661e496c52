//! Marks on the bytes of a function: which begin an instruction, which belong to one.
//!
//! One bit per byte and kind of mark: half a byte of memory per byte of code, however large a function a
//! damaged file claims, since only bytes that exist are marked. The number of set bits before an address is
//! the index of its instruction (the rank of a succinct bit vector; Jacobson, "Space-efficient Static Trees
//! and Graphs", 1989), so that a list in address order needs no tree.

/// One bit for each byte of the code.
#[derive(Clone, Debug, Default)]
pub struct Bits {
    words: Vec<u64>,
}

impl Bits {
    /// None of `length` bits is set.
    pub fn new(length: usize) -> Self {
        Self { words: vec![0; length.div_ceil(64)] }
    }

    /// Whether the bit is set.
    pub fn get(&self, bit: usize) -> bool {
        self.words.get(bit / 64).is_some_and(|word| word >> (bit % 64) & 1 == 1)
    }

    /// Sets a bit.
    pub fn set(&mut self, bit: usize) {
        if let Some(word) = self.words.get_mut(bit / 64) {
            *word |= 1 << (bit % 64);
        }
    }

    /// Sets `length` bits (at most 64) from `bit` on; whether one of them was set before.
    pub fn cover(&mut self, bit: usize, length: usize) -> bool {
        let ones = if length < 64 { (1u64 << length) - 1 } else { u64::MAX };
        let shift = bit % 64;
        let mut met = false;
        let low = ones << shift;
        let high = if shift == 0 { 0 } else { ones >> (64 - shift) };
        for (at, mask) in [(bit / 64, low), (bit / 64 + 1, high)] {
            if mask != 0
                && let Some(word) = self.words.get_mut(at)
            {
                met |= *word & mask != 0;
                *word |= mask;
            }
        }
        met
    }

    /// The first bit in `[from, end)` whose value is `value`.
    pub fn find(&self, value: bool, from: usize, end: usize) -> Option<usize> {
        let mut at = from / 64;
        let mut keep = u64::MAX << (from % 64);
        while at * 64 < end {
            let word = *self.words.get(at)?;
            let found = (if value { word } else { !word }) & keep;
            if found != 0 {
                let bit = at * 64 + found.trailing_zeros() as usize;
                return (bit < end).then_some(bit);
            }
            keep = u64::MAX;
            at += 1;
        }
        None
    }
}

/// A stretch of code whose bytes are known.
#[derive(Clone, Copy, Debug)]
struct Area {
    start: u64,
    length: usize,
    /// Bit of its first byte.
    bit: usize,
}

/// The stretches of a function's code, placed end to end.
#[derive(Clone, Debug, Default)]
pub struct Areas {
    /// Sorted by address, disjoint.
    areas: Vec<Area>,
}

impl Areas {
    /// From start and length of each stretch; they must be disjoint and sorted by address.
    pub fn new(stretches: impl Iterator<Item = (u64, usize)>) -> Self {
        let mut areas = Vec::new();
        let mut bit = 0;
        for (start, length) in stretches {
            areas.push(Area { start, length, bit });
            bit += length;
        }
        Self { areas }
    }

    /// Number of bytes.
    pub fn bytes(&self) -> usize {
        self.areas.last().map_or(0, |a| a.bit + a.length)
    }

    /// Stretch and offset in it of a byte of code.
    pub fn locate(&self, address: u64) -> Option<(usize, usize)> {
        let k = self.area_before(address)?;
        let area = self.areas.get(k)?;
        let offset = usize::try_from(address - area.start).ok()?;
        (offset < area.length).then_some((k, offset))
    }

    /// The last stretch that starts at or before `address`.
    fn area_before(&self, address: u64) -> Option<usize> {
        match self.areas.as_slice() {
            [only] => (only.start <= address).then_some(0),
            areas => areas.partition_point(|a| a.start <= address).checked_sub(1),
        }
    }

    /// Bit of the first byte of a stretch.
    pub fn first_bit(&self, area: usize) -> usize {
        self.areas.get(area).map_or(0, |a| a.bit)
    }

    /// The bit of a byte of code.
    pub fn bit(&self, address: u64) -> Option<usize> {
        self.locate(address).map(|(area, offset)| self.first_bit(area) + offset)
    }

    /// The bit of the first byte at or above `address`.
    fn bit_from(&self, address: u64) -> usize {
        let Some(area) = self.area_before(address).and_then(|k| self.areas.get(k)) else { return 0 };
        area.bit + usize::try_from(address - area.start).map_or(area.length, |o| o.min(area.length))
    }
}

/// All marks of one function.
#[derive(Clone, Debug, Default)]
pub struct Marks {
    /// Which bit belongs to which byte.
    pub areas: Areas,
    /// First bytes of instructions.
    pub starts: Bits,
    /// All bytes of instructions.
    pub covered: Bits,
    /// First bytes of blocks.
    pub leaders: Bits,
    /// First bytes of calls that do not return.
    pub noreturn: Bits,
    /// Instructions before each word of `starts`, once counted.
    before: Vec<u32>,
}

impl Marks {
    /// No marks.
    pub fn new(areas: Areas) -> Self {
        let bits = || Bits::new(areas.bytes());
        Self { starts: bits(), covered: bits(), leaders: bits(), noreturn: bits(), before: Vec::new(), areas }
    }

    /// Whether `bits`, which are marks of this function, hold `address`.
    pub fn has(&self, bits: &Bits, address: u64) -> bool {
        self.areas.bit(address).is_some_and(|bit| bits.get(bit))
    }

    /// Counts the instructions, for [`Self::rank`]; their number.
    pub fn count(&mut self) -> usize {
        self.before.clear();
        let mut sum = 0u32;
        for word in &self.starts.words {
            self.before.push(sum);
            sum += word.count_ones();
        }
        sum as usize
    }

    /// Instructions that start below `address`, as of the last count.
    pub fn rank(&self, address: u64) -> usize {
        let bit = self.areas.bit_from(address);
        match (self.before.get(bit / 64), self.starts.words.get(bit / 64)) {
            (Some(before), Some(word)) => {
                *before as usize + (word & ((1 << (bit % 64)) - 1)).count_ones() as usize
            }
            // After the last word.
            _ => match (self.before.last(), self.starts.words.last()) {
                (Some(before), Some(word)) => *before as usize + word.count_ones() as usize,
                _ => 0,
            },
        }
    }

    /// Stretches of an area's bytes, as offsets, that belong to no instruction.
    pub fn uncovered(&self, area: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
        let (first, end) = self.areas.areas.get(area).map_or((0, 0), |a| (a.bit, a.bit + a.length));
        let mut at = first;
        std::iter::from_fn(move || {
            let from = self.covered.find(false, at, end)?;
            let to = self.covered.find(true, from, end).unwrap_or(end);
            at = to;
            Some((from - first, to - first))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn marks_agree_with_sets(
            lengths in proptest::collection::vec((0u64..20, 1usize..150), 1..4),
            instructions in proptest::collection::vec((0u64..400, 1usize..16), 0..60),
        ) {
            let mut next = 100;
            let areas: Vec<(u64, usize)> = lengths.iter().map(|&(gap, length)| {
                let start = next + gap;
                next = start + length as u64;
                (start, length)
            }).collect();
            let mut marks = Marks::new(Areas::new(areas.iter().copied()));
            let (mut starts, mut covered) = (BTreeSet::new(), BTreeSet::new());
            for (address, length) in instructions {
                let Some((area, offset)) = marks.areas.locate(address) else {
                    prop_assert!(!areas.iter().any(|a| a.0 <= address && address < a.0 + a.1 as u64));
                    continue;
                };
                let length = length.min(areas[area].1 - offset);
                let bit = marks.areas.first_bit(area) + offset;
                let bytes = address..address + length as u64;
                let met = bytes.clone().any(|b| covered.contains(&b));
                prop_assert_eq!(marks.covered.cover(bit, length), met);
                marks.starts.set(bit);
                starts.insert(address);
                covered.extend(bytes);
            }
            prop_assert_eq!(marks.count(), starts.len());
            for address in 90..next + 10 {
                prop_assert_eq!(marks.has(&marks.starts, address), starts.contains(&address));
                prop_assert_eq!(marks.has(&marks.covered, address), covered.contains(&address));
                prop_assert_eq!(marks.rank(address), starts.range(..address).count());
            }
            for (k, &(start, length)) in areas.iter().enumerate() {
                let free: BTreeSet<u64> = marks.uncovered(k)
                    .flat_map(|(from, to)| start + from as u64..start + to as u64).collect();
                let expected: BTreeSet<u64> =
                    (start..start + length as u64).filter(|b| !covered.contains(b)).collect();
                prop_assert_eq!(free, expected);
                prop_assert!(marks.uncovered(k).zip(marks.uncovered(k).skip(1)).all(|(a, b)| a.1 < b.0));
            }
        }
    }
}
