//! The bounds of work that reads arrays and writes one: loops that only load and store.
//!
//! They run at the best level that the processor has. Whether stores that bypass the caches are faster is
//! tested with the given arrays, so that the bound is valid on either side of any switch-over size.

use loopwright_kernels::Isa;
#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::*;
use std::time::{Duration, Instant};

/// The kind of stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Plain stores.
    Plain,
    /// Stores that bypass the caches.
    Streamed,
}

/// Combines `sources` (by OR; without any, a constant) into `destination`, over the whole 256 bytes that all have.
pub fn transfer(way: Way, destination: &mut [u8], sources: &[&[u8]]) {
    let bytes = sources.iter().map(|source| source.len()).fold(destination.len(), usize::min) / 256 * 256;
    let a = destination.as_mut_ptr();
    let source = |index: usize| sources.get(index).map_or(a.cast_const(), |source| source.as_ptr());
    // SAFETY: `bytes` is within every slice.
    unsafe { dispatch(way, sources.len().min(2), a, source(0), source(1), bytes) }
}

/// Reads and writes `array` in place.
pub fn update(array: &mut [u8]) {
    let (a, bytes) = (array.as_mut_ptr(), array.len() / 256 * 256);
    // SAFETY: `bytes` is within the slice, and one array may be both.
    unsafe { dispatch(Way::Plain, 1, a, a, a, bytes) }
}

/// Bytes that a sample writes at least: some ten microseconds.
const SAMPLE: usize = 1 << 20;

/// The faster way for these arrays; tries both a few times.
pub fn faster(destination: &mut [u8], sources: &[&[u8]]) -> Way {
    // Short runs are repeated: the clock does not resolve one, and stores past the caches end after it.
    let repeats = SAMPLE / destination.len().max(1) + 1;
    let mut least = [Duration::MAX; 2];
    // In turn, so that a disturbance meets both. The first sample of each finds the caches as the other way left them.
    for _ in 0..6 {
        for (way, least) in [Way::Plain, Way::Streamed].into_iter().zip(&mut least) {
            for sample in 0..2 {
                let begin = Instant::now();
                (0..repeats).for_each(|_| transfer(way, destination, sources));
                if sample == 1 {
                    *least = begin.elapsed().min(*least);
                }
            }
        }
    }
    if least[1] < least[0] { Way::Streamed } else { Way::Plain }
}

/// # Safety
/// `a` can be written, and the first `sources` of `b` and `c` read, for `bytes` bytes, a multiple of 256.
unsafe fn dispatch(way: Way, sources: usize, a: *mut u8, b: *const u8, c: *const u8, bytes: usize) {
    // Streaming stores need aligned arrays.
    let streamed = way == Way::Streamed && a.addr().is_multiple_of(64);
    // SAFETY: the levels are available; the rest is the caller's promise.
    unsafe {
        match Isa::available().next_back() {
            #[cfg(target_arch = "x86_64")]
            Some(Isa::Avx512) => match (sources, streamed) {
                (0, false) => avx512::<0, false>(a, b, c, bytes),
                (0, true) => avx512::<0, true>(a, b, c, bytes),
                (1, false) => avx512::<1, false>(a, b, c, bytes),
                (1, true) => avx512::<1, true>(a, b, c, bytes),
                (_, false) => avx512::<2, false>(a, b, c, bytes),
                (_, true) => avx512::<2, true>(a, b, c, bytes),
            },
            #[cfg(target_arch = "x86_64")]
            Some(Isa::Avx2) => match (sources, streamed) {
                (0, false) => avx2::<0, false>(a, b, c, bytes),
                (0, true) => avx2::<0, true>(a, b, c, bytes),
                (1, false) => avx2::<1, false>(a, b, c, bytes),
                (1, true) => avx2::<1, true>(a, b, c, bytes),
                (_, false) => avx2::<2, false>(a, b, c, bytes),
                (_, true) => avx2::<2, true>(a, b, c, bytes),
            },
            _ => {
                for at in (0..bytes).step_by(8) {
                    let word = |from: *const u8| from.add(at).cast::<u64>().read_unaligned();
                    let value = match sources {
                        0 => 1,
                        1 => word(b),
                        _ => word(b) | word(c),
                    };
                    a.add(at).cast::<u64>().write_unaligned(value);
                }
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
macro_rules! level {
    (
        $name:ident, $feature:literal, $bytes:literal, $kind:ty,
        $load:ident $store:ident $stream:ident $or:ident $set:expr
    ) => {
        /// # Safety
        /// As for [`dispatch`]; with `STREAMED`, `a` is aligned to 64.
        #[target_feature(enable = $feature)]
        unsafe fn $name<const SOURCES: usize, const STREAMED: bool>(
            a: *mut u8,
            b: *const u8,
            c: *const u8,
            bytes: usize,
        ) {
            let value = |at: usize| -> $kind {
                // SAFETY: the caller's promises.
                unsafe {
                    match SOURCES {
                        0 => $set,
                        1 => $load(b.add(at).cast()),
                        _ => $or($load(b.add(at).cast()), $load(c.add(at).cast())),
                    }
                }
            };
            for at in (0..bytes).step_by(4 * $bytes) {
                let values = [value(at), value(at + $bytes), value(at + 2 * $bytes), value(at + 3 * $bytes)];
                for (k, value) in values.into_iter().enumerate() {
                    // SAFETY: the caller's promises.
                    unsafe {
                        let to = a.add(at + k * $bytes);
                        if STREAMED { $stream(to.cast(), value) } else { $store(to.cast(), value) }
                    }
                }
            }
            if STREAMED {
                _mm_sfence();
            }
        }
    };
}
#[cfg(target_arch = "x86_64")]
level!(avx2, "avx2", 32, __m256i,
    _mm256_loadu_si256 _mm256_storeu_si256 _mm256_stream_si256 _mm256_or_si256 _mm256_set1_epi8(1));
#[cfg(target_arch = "x86_64")]
level!(avx512, "avx512f,avx512bw", 64, __m512i,
    _mm512_loadu_si512 _mm512_storeu_si512 _mm512_stream_si512 _mm512_or_si512 _mm512_set1_epi8(1));

#[cfg(test)]
mod tests {
    use super::*;
    use crate::buffers::Buffer;

    #[test]
    fn everything_is_read_and_written() {
        let (b, c) = (Buffer::random(4096, 1), Buffer::random(4096, 2));
        for way in [Way::Plain, Way::Streamed] {
            let mut a = Buffer::zeroed(4096);
            transfer(way, &mut a, &[]);
            assert!(a.iter().all(|&byte| byte != 0));
            transfer(way, &mut a, &[&b]);
            assert_eq!(*a, *b);
            transfer(way, &mut a, &[&b, &c]);
            assert!(a.iter().zip(b.iter().zip(c.iter())).all(|(a, (b, c))| *a == b | c));
            update(&mut a);
        }
    }
}
