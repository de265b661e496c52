//! Plain loops compiled for the best level: the code of a program without a library.

/// Compiles `$body` for the levels; the function calls the best one's.
macro_rules! compiled {
    ($(#[$doc:meta])* $name:ident($($argument:ident: $kind:ty),*) $body:block) => {
        $(#[$doc])*
        pub fn $name($($argument: $kind),*) {
            #[inline(always)]
            fn plain($($argument: $kind),*) $body

            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,movbe")]
            fn avx2($($argument: $kind),*) {
                plain($($argument),*)
            }
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,fma,bmi1,bmi2,lzcnt,movbe")]
            fn avx512($($argument: $kind),*) {
                plain($($argument),*)
            }
            match loopwright_kernels::Isa::available().next_back() {
                // SAFETY: the level is available.
                #[cfg(target_arch = "x86_64")]
                Some(loopwright_kernels::Isa::Avx512) => unsafe { avx512($($argument),*) },
                // SAFETY: the level is available.
                #[cfg(target_arch = "x86_64")]
                Some(loopwright_kernels::Isa::Avx2) => unsafe { avx2($($argument),*) },
                _ => plain($($argument),*),
            }
        }
    };
}
pub(crate) use compiled;
