//! Messages to hash: their number and lengths, one after the other in one buffer.

use crate::buffers::Buffer;
use crate::case::{Extent, size_text};
use std::fmt;
use std::ops::Range;
use std::rc::Rc;

/// The number of messages, and their lengths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// That number of messages of one length.
    Equal(usize, usize),
    /// That number of messages from the first length to the second, equally many in every octave, in mixed order.
    Mixed(usize, usize, usize),
}

impl Shape {
    /// The measured shapes.
    pub fn all(extent: Extent) -> Vec<Shape> {
        match extent {
            Extent::Smoke => vec![Shape::Equal(1, 1000), Shape::Equal(3, 300), Shape::Mixed(40, 50, 4096)],
            Extent::Full => {
                let equal = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32].map(|count| Shape::Equal(count, 64 << 10));
                let others = [
                    Shape::Mixed(8, 256, 1 << 20),
                    Shape::Mixed(32, 256, 1 << 20),
                    Shape::Mixed(1000, 64, 16 << 10),
                    Shape::Equal(32, 1500),
                    Shape::Equal(1000, 300),
                    Shape::Equal(1000, 20),
                ];
                equal.into_iter().chain(others).collect()
            }
        }
    }

    /// The lengths in bytes.
    pub fn lengths(self) -> Vec<usize> {
        match self {
            Shape::Equal(count, length) => vec![length; count],
            Shape::Mixed(count, from, to) => {
                let octaves = (to as f64 / from as f64).log2();
                let length = |index: usize| {
                    // Steps of the golden section visit every part of an interval equally often.
                    let place = (0.5 + index as f64 * 0.618_033_988_749_895).fract();
                    (from as f64 * (octaves * place).exp2()) as usize
                };
                (0..count).map(length).collect()
            }
        }
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Shape::Equal(count, length) => write!(f, "{count} x {}", size_text(*length as u64)),
            Shape::Mixed(count, from, to) => {
                write!(f, "{count} of {} to {}", size_text(*from as u64), size_text(*to as u64))
            }
        }
    }
}

/// A message: a part of a buffer that holds several.
#[derive(Clone, Debug)]
pub struct Message {
    buffer: Rc<Buffer>,
    range: Range<usize>,
}

impl AsRef<[u8]> for Message {
    fn as_ref(&self) -> &[u8] {
        &self.buffer[self.range.clone()]
    }
}

/// Messages of a shape.
pub fn messages(shape: Shape) -> Vec<Message> {
    let lengths = shape.lengths();
    let buffer = Rc::new(Buffer::random(lengths.iter().sum(), lengths.len() as u64));
    let mut end = 0;
    let message = |length: usize| {
        end += length;
        Message { buffer: buffer.clone(), range: end - length..end }
    };
    lengths.into_iter().map(message).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_spread_over_the_octaves() {
        let lengths = Shape::Mixed(100, 256, 1 << 20).lengths();
        assert!(lengths.iter().all(|&length| (256..1 << 20).contains(&length)));
        let below = |limit| lengths.iter().filter(|&&length| length < limit).count();
        assert!((48..=52).contains(&below(1 << 14)), "{}", below(1 << 14));
    }

    #[test]
    fn messages_have_their_lengths_and_do_not_overlap() {
        let found = messages(Shape::Equal(3, 10));
        assert_eq!(found.iter().map(|m| m.range.clone()).collect::<Vec<_>>(), [0..10, 10..20, 20..30]);
    }
}
