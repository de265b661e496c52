//! The definition word by word. It is the portable level, too: compilers turn it into their best loop.

/// Swaps `bytes` bytes of words of `WIDTH` bytes from `source` to `destination`.
///
/// # Safety
/// Both have `bytes` bytes, a multiple of `WIDTH`, and are the same or disjoint. Any alignment.
#[inline(always)]
pub unsafe fn swap<const WIDTH: usize>(source: *const u8, destination: *mut u8, bytes: usize) {
    for at in (0..bytes).step_by(WIDTH) {
        // SAFETY: a word at `at` is within both, as the caller vouches.
        unsafe {
            let mut word = source.add(at).cast::<[u8; WIDTH]>().read();
            word.reverse();
            destination.add(at).cast::<[u8; WIDTH]>().write(word);
        }
    }
}
