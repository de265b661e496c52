//! The operations as a program without a library writes them, as the compiler compiles them.

use crate::subjects::compiled::compiled;

/// The loops of one type.
macro_rules! element {
    ($element:ident, $copy:ident $fill:ident $scale:ident $add:ident $triad:ident) => {
        compiled! {
            /// `a = b`: the C library's `memcpy`.
            $copy(a: &mut [$element], b: &[$element], _c: &[$element], _s: $element) {
                a.copy_from_slice(b);
            }
        }
        compiled! {
            /// `a = s`
            $fill(a: &mut [$element], _b: &[$element], _c: &[$element], s: $element) {
                a.fill(s);
            }
        }
        compiled! {
            /// `a = s b`
            $scale(a: &mut [$element], b: &[$element], _c: &[$element], s: $element) {
                a.iter_mut().zip(b).for_each(|(a, b)| *a = s * b);
            }
        }
        compiled! {
            /// `a = b + c`
            $add(a: &mut [$element], b: &[$element], c: &[$element], _s: $element) {
                a.iter_mut().zip(b.iter().zip(c)).for_each(|(a, (b, c))| *a = b + c);
            }
        }
        compiled! {
            /// `a = b + s c`
            $triad(a: &mut [$element], b: &[$element], c: &[$element], s: $element) {
                a.iter_mut().zip(b.iter().zip(c)).for_each(|(a, (b, c))| *a = b + s * c);
            }
        }
    };
}
element!(f32, copy32 fill32 scale32 add32 triad32);
element!(f64, copy64 fill64 scale64 add64 triad64);
