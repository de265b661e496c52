//! Upper halves of vectors that are in use when a kernel is called.
//!
//! Compilers clear them at the end of functions that use wide vectors (VZEROUPPER), assembly code often does not. Instructions in
//! two-operand form, such as SSE's, then keep the upper halves, for which they wait or change the processor's state (Intel,
//! Optimization Reference Manual, section 11.3).

/// Puts something into the upper halves of all vectors, where the processor has any.
pub fn use_upper_halves() {
    #[cfg(target_arch = "x86_64")]
    if std::is_x86_feature_detected!("avx") {
        macro_rules! fill {
            ($($xmm:tt $ymm:tt)+) => {
                // SAFETY: the processor has AVX; the registers that are written are declared.
                unsafe {
                    std::arch::asm!(
                        $(concat!("vcmpps ", $ymm, ", ", $ymm, ", ", $ymm, ", 15"),)+
                        $(out($xmm) _,)+
                        options(nomem, nostack, preserves_flags),
                    );
                }
            };
        }
        fill!(
            "xmm0" "ymm0" "xmm1" "ymm1" "xmm2" "ymm2" "xmm3" "ymm3" "xmm4" "ymm4" "xmm5" "ymm5" "xmm6" "ymm6"
            "xmm7" "ymm7" "xmm8" "ymm8" "xmm9" "ymm9" "xmm10" "ymm10" "xmm11" "ymm11" "xmm12" "ymm12"
            "xmm13" "ymm13" "xmm14" "ymm14" "xmm15" "ymm15"
        );
    }
}
