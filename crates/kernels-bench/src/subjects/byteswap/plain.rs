//! The loops of a program without a library, as the compiler compiles them.

use crate::subjects::compiled::compiled;

/// The loops of one width.
macro_rules! width {
    ($word:ty, $bytes:literal, $into:ident, $in_place:ident) => {
        compiled! {
            /// Word by word to another array.
            $into(source: &[u8], destination: &mut [u8]) {
                let words = source.as_chunks::<$bytes>().0;
                for (to, from) in destination.as_chunks_mut::<$bytes>().0.iter_mut().zip(words) {
                    *to = <$word>::from_be_bytes(*from).to_le_bytes();
                }
            }
        }
        compiled! {
            /// Word by word in place.
            $in_place(bytes: &mut [u8]) {
                for word in bytes.as_chunks_mut::<$bytes>().0 {
                    *word = <$word>::from_be_bytes(*word).to_le_bytes();
                }
            }
        }
    };
}
width!(u16, 2, into16, in_place16);
width!(u32, 4, into32, in_place32);
width!(u64, 8, into64, in_place64);
