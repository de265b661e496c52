//! One message in the words of the processor: the portable level, and the code for a single message where no SHA
//! instructions are. The levels from `avx2` on compile it for their rotations (RORX).

use super::lanes;

/// The functions of an engine: each compresses blocks as [`super::engine::Run`] says. `LEVEL:` compiles them for
/// a level, and a list of features for those, whose functions take no level.
macro_rules! entries {
    ($($name:ident($word:ty) = $function:path;)+) => {
        $($crate::hash::scalar::entries!(@one $name($word) = $function);)+
    };
    ($level:ident: $($name:ident($word:ty) = $function:path;)+) => {
        $($crate::vector::for_level! {
            $level
            /// # Safety
            /// As for [`Run`](crate::hash::engine::Run).
            pub unsafe fn $name(state: *mut $word, rows: *const *const u8, blocks: usize) {
                // SAFETY: the caller's duties are the same; the processor has the level.
                unsafe { $function($crate::vector::Proof::assume(), state, rows, blocks) }
            }
        })+
    };
    ($features:literal: $($name:ident($word:ty) = $function:path;)+) => {
        $(
            #[target_feature(enable = $features)]
            /// # Safety
            /// As for [`Run`](crate::hash::engine::Run); the processor has the features.
            pub unsafe fn $name(state: *mut $word, rows: *const *const u8, blocks: usize) {
                // SAFETY: the caller's duties are the same.
                unsafe { $function(state, rows, blocks) }
            }
        )+
    };
    (@one $name:ident($word:ty) = $function:path) => {
        /// # Safety
        /// As for [`Run`](crate::hash::engine::Run).
        pub unsafe fn $name(state: *mut $word, rows: *const *const u8, blocks: usize) {
            // SAFETY: the caller's duties are the same.
            unsafe { $function((), state, rows, blocks) }
        }
    };
}
pub(super) use entries;

entries! {
    md5(u32) = lanes::md5::<u32, 1>;
    md5_2(u32) = lanes::md5::<u32, 2>;
    sha1(u32) = lanes::sha1::<u32>;
    sha256(u32) = lanes::sha256::<u32>;
    sha512(u64) = lanes::sha512::<u64>;
}
