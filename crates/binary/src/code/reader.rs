//! The bytes of a function, with one reusable decoder per range.
//!
//! Asking a binary for the bytes of each instruction, and creating a decoder for it, takes longer than
//! decoding it; here both are done once for each range of the function.

use super::marks::Areas;
use super::source::CodeSource;
use iced_x86::{Decoder, DecoderOptions};

/// Reads the code of one function.
pub struct Reader<'a> {
    /// Start and bytes of its ranges, sorted by address.
    pub code: Vec<(u64, &'a [u8])>,
    /// The order of its bytes.
    pub areas: Areas,
    decoders: Vec<Decoder<'a>>,
}

impl<'a> Reader<'a> {
    /// Reads `ranges`, as [`disjoint`] returns them.
    pub fn new(source: &'a dyn CodeSource, ranges: &[(u64, u64)]) -> Self {
        let code: Vec<(u64, &[u8])> = ranges.iter().map(|r| (r.0, readable(source, r.0, r.1))).collect();
        let areas = Areas::new(code.iter().map(|(start, bytes)| (*start, bytes.len())));
        let decoder =
            |(start, bytes): &(u64, &'a [u8])| Decoder::with_ip(64, bytes, *start, DecoderOptions::NONE);
        let decoders = code.iter().map(decoder).collect();
        Self { code, areas, decoders }
    }

    /// The decoder of the range that holds `address`, set to it, and the bit of the range's first byte.
    pub fn seek(&mut self, address: u64) -> Option<(&mut Decoder<'a>, usize)> {
        let (area, offset) = self.areas.locate(address)?;
        let decoder = self.decoders.get_mut(area)?;
        decoder.set_position(offset).ok()?;
        decoder.set_ip(address);
        Some((decoder, self.areas.first_bit(area)))
    }
}

/// Address ranges sorted, those that overlap made one.
pub fn disjoint(mut ranges: Vec<(u64, u64)>) -> Vec<(u64, u64)> {
    ranges.retain(|r| r.0 < r.1);
    ranges.sort_unstable();
    ranges.dedup_by(|next, kept| {
        let overlap = next.0 < kept.1;
        if overlap {
            kept.1 = kept.1.max(next.1);
        }
        overlap
    });
    ranges
}

/// The part of `[start, end)` that exists.
fn readable(source: &dyn CodeSource, start: u64, end: u64) -> &[u8] {
    if let Some(bytes) = source.code(start, end) {
        return bytes;
    }
    // Damaged files claim more bytes than they have.
    let (mut bytes, mut most): (&[u8], u64) = (&[], end.saturating_sub(start));
    while let length = bytes.len() as u64
        && most.saturating_sub(length) > 1
    {
        let middle = length + (most - length) / 2;
        match source.code(start, start + middle) {
            Some(more) if more.len() as u64 == middle => bytes = more,
            _ => most = middle,
        }
    }
    bytes
}

/// Whether one of the sorted, disjoint `ranges` holds `address`.
pub fn contains(ranges: &[(u64, u64)], address: u64) -> bool {
    let after = ranges.partition_point(|r| r.0 <= address);
    after.checked_sub(1).and_then(|i| ranges.get(i)).is_some_and(|r| address < r.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Bytes(Vec<u8>);

    impl CodeSource for Bytes {
        fn code(&self, start: u64, end: u64) -> Option<&[u8]> {
            self.0.get(start.checked_sub(100)? as usize..end.checked_sub(100)? as usize)
        }
        fn data(&self, _: u64, _: usize) -> Option<&[u8]> {
            None
        }
        fn is_read_only(&self, _: u64) -> bool {
            true
        }
    }

    #[test]
    fn what_a_file_lacks_is_left_out() {
        for length in 0..40u64 {
            let source = Bytes(vec![0x90; length as usize]);
            assert_eq!(readable(&source, 100, u64::MAX).len() as u64, length);
            assert_eq!(readable(&source, 100, 110).len() as u64, length.min(10));
        }
        assert!(readable(&Bytes(vec![0x90; 9]), 90, 105).is_empty());
    }

    #[test]
    fn ranges_become_disjoint_and_sorted() {
        let found = disjoint(vec![(20, 30), (5, 5), (0, 10), (25, 40), (10, 12), (0, 10), (9, 3)]);
        assert_eq!(found, [(0, 10), (10, 12), (20, 40)]);
    }

    #[test]
    fn decoders_move_within_and_between_ranges() {
        let source = Bytes(vec![0x90, 0x48, 0x89, 0xc3, 0xc3, 0x0f]);
        let mut reader = Reader::new(&source, &[(100, 104), (104, 106)]);
        for (address, length) in [(101, 3), (100, 1), (104, 1), (102, 2), (101, 3)] {
            let (decoder, first_bit) = reader.seek(address).unwrap();
            let instruction = decoder.decode();
            assert_eq!((instruction.ip(), instruction.len()), (address, length));
            assert_eq!(first_bit, if address < 104 { 0 } else { 4 });
        }
        // Cut off by the end of its range.
        assert!(reader.seek(105).unwrap().0.decode().is_invalid());
        assert!(reader.seek(106).is_none() && reader.seek(99).is_none());
    }
}
