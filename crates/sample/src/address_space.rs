//! Which file is mapped where in one process.

/// An executable mapping.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mapping {
    /// First address.
    pub start: u64,
    /// One past the last address.
    pub end: u64,
    /// Offset in the file of `start`.
    pub offset: u64,
    /// Index into the modules.
    pub module: u32,
}

/// The executable mappings of a process, by address, without overlaps.
#[derive(Clone, Debug, Default)]
pub struct AddressSpace {
    mappings: Vec<Mapping>,
}

impl AddressSpace {
    /// Adds a mapping. It replaces the parts of older ones that it covers, as with `mmap(MAP_FIXED)`.
    pub fn map(&mut self, new: Mapping) {
        if new.end <= new.start {
            return;
        }
        let first = self.mappings.partition_point(|mapping| mapping.end <= new.start);
        let last = self.mappings.partition_point(|mapping| mapping.start < new.end);
        let mut pieces = Vec::with_capacity(3);
        if let Some(before) = self.mappings.get(first).filter(|_| first < last)
            && before.start < new.start
        {
            pieces.push(Mapping { end: new.start, ..*before });
        }
        pieces.push(new);
        if let Some(after) =
            last.checked_sub(1).and_then(|index| self.mappings.get(index)).filter(|_| first < last)
            && after.end > new.end
        {
            let cut = new.end - after.start;
            pieces.push(Mapping { start: new.end, offset: after.offset.wrapping_add(cut), ..*after });
        }
        let last = last.max(first);
        self.mappings.splice(first..last, pieces);
    }

    /// The mapping that holds `address`.
    pub fn find(&self, address: u64) -> Option<&Mapping> {
        let index = self.mappings.partition_point(|mapping| mapping.end <= address);
        self.mappings.get(index).filter(|mapping| mapping.start <= address)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn mapping(start: u64, end: u64, module: u32) -> Mapping {
        Mapping { start, end, offset: start, module }
    }

    #[test]
    fn a_mapping_in_the_middle_of_another_splits_it() {
        let mut space = AddressSpace::default();
        space.map(mapping(100, 200, 1));
        space.map(mapping(140, 160, 2));
        assert_eq!(space.find(120).map(|found| found.module), Some(1));
        assert_eq!(space.find(150).map(|found| found.module), Some(2));
        let rest = space.find(160).unwrap();
        assert_eq!((rest.module, rest.start, rest.offset), (1, 160, 160));
        assert_eq!(space.find(200), None);
        assert_eq!(space.find(99), None);
    }

    proptest! {
        /// Against the plainest model: the last mapping that covers an address owns it.
        #[test]
        fn the_newest_mapping_wins(maps in proptest::collection::vec((0_u64..64, 0_u64..16), 0..24)) {
            let mut space = AddressSpace::default();
            let mut owner = [None; 80];
            for (index, (start, length)) in maps.into_iter().enumerate() {
                space.map(mapping(start, start + length, index as u32));
                for slot in &mut owner[start as usize..(start + length) as usize] {
                    *slot = Some(index as u32);
                }
            }
            for (address, expected) in owner.iter().enumerate() {
                let found = space.find(address as u64);
                prop_assert_eq!(found.map(|found| found.module), *expected);
                if let Some(found) = found {
                    prop_assert_eq!(found.offset, found.start);
                }
            }
        }
    }
}
