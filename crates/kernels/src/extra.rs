//! Instructions beside the levels.

use crate::isa::Isa;
use crate::processor::Profile;

/// Instructions beside the levels, which some processors of a level have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Extra {
    /// AES rounds on 128-bit vectors.
    AesNi,
    /// Carry-less multiplication on 128-bit vectors.
    Pclmulqdq,
    /// SHA-1 and SHA-256 rounds (the SHA extensions).
    ShaNi,
    /// AES rounds on wider vectors: 256 bits from [`Isa::Avx2`], 512 bits at [`Isa::Avx512`].
    Vaes,
    /// Carry-less multiplication on wider vectors.
    Vpclmulqdq,
    /// Affine transforms of bytes over GF(2).
    Gfni,
    /// AVX-512 VBMI: permutes of bytes across a vector.
    Avx512Vbmi,
    /// AVX-512 VBMI2: compress and expand of bytes and words.
    Avx512Vbmi2,
    /// AVX-512 IFMA: 52-bit multiply and add.
    Avx512Ifma,
    /// AVX-512 VNNI: dot products of bytes and words.
    Avx512Vnni,
}

impl Extra {
    /// Every extra.
    pub const ALL: [Extra; 10] = [
        Extra::AesNi,
        Extra::Pclmulqdq,
        Extra::ShaNi,
        Extra::Vaes,
        Extra::Vpclmulqdq,
        Extra::Gfni,
        Extra::Avx512Vbmi,
        Extra::Avx512Vbmi2,
        Extra::Avx512Ifma,
        Extra::Avx512Vnni,
    ];

    /// The extra's name, as the operating system's list of processor flags writes it.
    pub const fn name(self) -> &'static str {
        match self {
            Extra::AesNi => "aes",
            Extra::Pclmulqdq => "pclmulqdq",
            Extra::ShaNi => "sha_ni",
            Extra::Vaes => "vaes",
            Extra::Vpclmulqdq => "vpclmulqdq",
            Extra::Gfni => "gfni",
            Extra::Avx512Vbmi => "avx512vbmi",
            Extra::Avx512Vbmi2 => "avx512_vbmi2",
            Extra::Avx512Ifma => "avx512ifma",
            Extra::Avx512Vnni => "avx512_vnni",
        }
    }

    /// The lowest level whose code may use it: with a lower level chosen, the extra counts as absent, so that a
    /// level means the same on every processor.
    pub const fn level(self) -> Isa {
        match self {
            Extra::AesNi | Extra::Pclmulqdq | Extra::ShaNi | Extra::Gfni => Isa::Sse42,
            Extra::Vaes | Extra::Vpclmulqdq => Isa::Avx2,
            Extra::Avx512Vbmi | Extra::Avx512Vbmi2 | Extra::Avx512Ifma | Extra::Avx512Vnni => Isa::Avx512,
        }
    }

    /// Whether code of the level `isa` may use it here: the processor has it, and so has the profile that is chosen
    /// for ([`Profile::active`]).
    pub fn is_available(self, isa: Isa) -> bool {
        isa.is_available() && isa >= self.level() && self.is_detected() && Profile::active().has(self)
    }

    #[cfg(target_arch = "x86_64")]
    pub(crate) fn is_detected(self) -> bool {
        match self {
            Extra::AesNi => is_x86_feature_detected!("aes"),
            Extra::Pclmulqdq => is_x86_feature_detected!("pclmulqdq"),
            Extra::ShaNi => is_x86_feature_detected!("sha"),
            Extra::Vaes => is_x86_feature_detected!("vaes"),
            Extra::Vpclmulqdq => is_x86_feature_detected!("vpclmulqdq"),
            Extra::Gfni => is_x86_feature_detected!("gfni"),
            Extra::Avx512Vbmi => is_x86_feature_detected!("avx512vbmi"),
            Extra::Avx512Vbmi2 => is_x86_feature_detected!("avx512vbmi2"),
            Extra::Avx512Ifma => is_x86_feature_detected!("avx512ifma"),
            Extra::Avx512Vnni => is_x86_feature_detected!("avx512vnni"),
        }
    }

    #[cfg(not(target_arch = "x86_64"))]
    pub(crate) fn is_detected(self) -> bool {
        false
    }
}
