//! Vectors of 128 bits; ends are loaded and stored element by element.

use super::lanes::{Lanes, entries, instructions};
use std::arch::x86_64::*;

entries!("sse4.2,ssse3,popcnt", __m128, __m128d);

/// Loads and stores of less than a vector.
macro_rules! ends {
    ($element:ty, $lanes:literal) => {
        #[inline(always)]
        unsafe fn load_first(source: *const $element, count: usize) -> Self {
            let mut elements: [$element; $lanes] = [0.0; $lanes];
            for (i, element) in elements.iter_mut().enumerate().take(count) {
                // SAFETY: the caller has `count` elements there.
                *element = unsafe { *source.add(i) };
            }
            // SAFETY: the array is a vector.
            unsafe { Self::load(elements.as_ptr()) }
        }
        #[inline(always)]
        unsafe fn store_first(self, destination: *mut $element, count: usize) {
            let mut elements: [$element; $lanes] = [0.0; $lanes];
            // SAFETY: the array is a vector.
            unsafe { self.store(elements.as_mut_ptr()) };
            for (i, element) in elements.into_iter().enumerate().take(count) {
                // SAFETY: the caller has `count` elements there.
                unsafe { *destination.add(i) = element };
            }
        }
    };
}

impl Lanes for __m128 {
    instructions!(f32, 4, _mm_set1_ps _mm_loadu_ps _mm_storeu_ps _mm_stream_ps _mm_add_ps _mm_mul_ps);
    ends!(f32, 4);
}

impl Lanes for __m128d {
    instructions!(f64, 2, _mm_set1_pd _mm_loadu_pd _mm_storeu_pd _mm_stream_pd _mm_add_pd _mm_mul_pd);
    ends!(f64, 2);
}
