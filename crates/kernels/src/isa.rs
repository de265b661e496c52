//! Instruction-set levels: which code of a kernel runs.
//!
//! The levels are those of the x86-64 psABI (System V Application Binary Interface, AMD64 supplement, section
//! 3.1.1, micro-architecture levels v2, v3 and v4), as far as kernels use them. Instructions that processors of one
//! level have and others lack (SHA, VAES, VBMI ..) are an [`Extra`](crate::Extra), asked for beside the level. What a
//! kernel does at a level is left to the kernel.

use crate::error::IsaError;
use std::fmt;
use std::str::FromStr;
use std::sync::OnceLock;

/// The variable that overrides the choice of a level: `scalar`, `sse42`, `avx2` or `avx512`.
pub const VARIABLE: &str = "LOOPWRIGHT_ISA";

/// A level of instruction sets, lowest first. A level includes those below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Isa {
    /// What every processor of the architecture has; on x86-64 the compiler may use SSE2.
    Scalar,
    /// SSE4.2, SSSE3 and POPCNT (x86-64-v2): vectors of 128 bits.
    Sse42,
    /// AVX2, FMA, BMI1, BMI2, LZCNT, F16C and MOVBE (x86-64-v3): vectors of 256 bits.
    Avx2,
    /// AVX-512 F, BW, CD, DQ and VL (x86-64-v4): vectors of 512 bits and masks.
    Avx512,
}

impl Isa {
    /// Every level, lowest first.
    pub const ALL: [Isa; 4] = [Isa::Scalar, Isa::Sse42, Isa::Avx2, Isa::Avx512];

    /// The level's name, as [`VARIABLE`] takes it.
    pub const fn name(self) -> &'static str {
        match self {
            Isa::Scalar => "scalar",
            Isa::Sse42 => "sse42",
            Isa::Avx2 => "avx2",
            Isa::Avx512 => "avx512",
        }
    }

    /// Whether this processor and operating system can run the level.
    // Inlined like what it calls: kernels ask for every call, also for the shortest input.
    #[inline]
    pub fn is_available(self) -> bool {
        self <= detected()
    }

    /// The level itself, or an error when it cannot run here: the first line of every `.._with` function.
    pub fn require(self) -> Result<Isa, IsaError> {
        if self.is_available() {
            Ok(self)
        } else {
            Err(IsaError::Unavailable { wanted: self, best: detected() })
        }
    }

    /// The levels that can run here, lowest first.
    pub fn available() -> impl DoubleEndedIterator<Item = Isa> {
        Isa::ALL.into_iter().filter(|isa| isa.is_available())
    }

    /// The highest level that functions without `_with` use: the one [`VARIABLE`] names, else the best there is. Found once
    /// per process; [`override_error`] returns whether the variable was refused. Without the variable a function runs a lower
    /// level where that is faster ([`crate::Routine::level`]).
    pub fn best() -> Isa {
        choice().0
    }
}

impl fmt::Display for Isa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Isa {
    type Err = IsaError;

    fn from_str(text: &str) -> Result<Isa, IsaError> {
        let found = Isa::ALL.into_iter().find(|isa| isa.name().eq_ignore_ascii_case(text.trim()));
        found.ok_or_else(|| IsaError::Unknown { text: text.to_owned() })
    }
}

/// Why the value of [`VARIABLE`] is not used, when it is not. A command prints it once; the kernels run on the best
/// available level meanwhile.
pub fn override_error() -> Option<&'static IsaError> {
    choice().1.as_ref()
}

fn choice() -> &'static (Isa, Option<IsaError>) {
    static CHOICE: OnceLock<(Isa, Option<IsaError>)> = OnceLock::new();
    CHOICE.get_or_init(|| {
        let value = std::env::var_os(VARIABLE).map(|value| value.to_string_lossy().into_owned());
        choose(value.as_deref(), detected())
    })
}

/// The level for a value of the variable on a processor whose best level is `best`. An empty value is none.
fn choose(value: Option<&str>, best: Isa) -> (Isa, Option<IsaError>) {
    let wanted = match value.map(str::trim) {
        None | Some("") => return (best, None),
        Some(text) => text.parse::<Isa>(),
    };
    let cause = match wanted {
        Ok(wanted) if wanted <= best => return (wanted, None),
        Ok(wanted) => IsaError::Unavailable { wanted, best },
        Err(unknown) => unknown,
    };
    (best, Some(IsaError::Variable { cause: Box::new(cause) }))
}

/// Of levels, lowest first, with what they cost: the highest one, unless a lower one takes less by more than a factor of `margin`.
pub(crate) fn fastest(levels: impl DoubleEndedIterator<Item = (Isa, f64)>, margin: f64) -> Option<Isa> {
    let better = |kept: (Isa, f64), lower: (Isa, f64)| if lower.1 * margin < kept.1 { lower } else { kept };
    levels.rev().reduce(better).map(|(isa, _)| isa)
}

/// Whether [`VARIABLE`] names the level that [`Isa::best`] is.
pub(crate) fn is_named() -> bool {
    let value = std::env::var_os(VARIABLE);
    value.is_some_and(|value| !value.to_string_lossy().trim().is_empty()) && override_error().is_none()
}

/// Clears the upper halves of the vectors, where the processor has any: callers may have left something in them, for which
/// instructions in two-operand form (SSE's and the SHA extensions') would wait. Assembly code does; on some processors they
/// then take twice as long, on others each change between the forms takes dozens of cycles (Intel, Optimization Reference
/// Manual, section 11.3).
#[inline]
pub(crate) fn clear_upper_halves() {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx")]
        fn clear() {
            std::arch::x86_64::_mm256_zeroupper();
        }
        if is_x86_feature_detected!("avx") {
            // SAFETY: the processor has AVX, and the operating system saves its registers.
            unsafe { clear() };
        }
    }
}

/// The best level of this processor under this operating system, the variable aside.
#[inline]
fn detected() -> Isa {
    static DETECTED: OnceLock<Isa> = OnceLock::new();
    *DETECTED.get_or_init(detect)
}

// The standard library asks CPUID, and XGETBV for the registers that the operating system saves.
#[cfg(target_arch = "x86_64")]
fn detect() -> Isa {
    macro_rules! all {
        ($($feature:tt),+) => { $(is_x86_feature_detected!($feature))&&+ };
    }
    if !all!("sse3", "ssse3", "sse4.1", "sse4.2", "popcnt") {
        Isa::Scalar
    } else if !all!("avx", "avx2", "fma", "bmi1", "bmi2", "lzcnt", "f16c", "movbe") {
        Isa::Sse42
    } else if !all!("avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl") {
        Isa::Avx2
    } else {
        Isa::Avx512
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn detect() -> Isa {
    Isa::Scalar
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extra::Extra;

    #[test]
    fn names_round_trip() {
        for isa in Isa::ALL {
            assert_eq!(isa.name().parse(), Ok(isa));
            assert_eq!(format!(" {} ", isa.name().to_uppercase()).parse(), Ok(isa));
        }
        let refused = "avx".parse::<Isa>().unwrap_err();
        assert_eq!(
            refused.to_string(),
            "\"avx\" is no instruction-set level; use one of: scalar, sse42, avx2, avx512"
        );
    }

    #[test]
    fn the_variable_chooses_what_is_there() {
        assert_eq!(choose(None, Isa::Avx2), (Isa::Avx2, None));
        assert_eq!(choose(Some(""), Isa::Avx2), (Isa::Avx2, None));
        assert_eq!(choose(Some("scalar"), Isa::Avx512), (Isa::Scalar, None));
        assert_eq!(choose(Some("avx2"), Isa::Avx2), (Isa::Avx2, None));
    }

    #[test]
    fn a_refused_variable_leaves_the_best_level_and_says_why() {
        let (isa, error) = choose(Some("avx512"), Isa::Avx2);
        assert_eq!(isa, Isa::Avx2);
        assert_eq!(
            error.unwrap().to_string(),
            "LOOPWRIGHT_ISA is ignored: this processor cannot run the level avx512; use avx2 or a lower one"
        );
        let (isa, error) = choose(Some("fast"), Isa::Sse42);
        assert_eq!(isa, Isa::Sse42);
        assert!(error.unwrap().to_string().starts_with("LOOPWRIGHT_ISA is ignored: \"fast\" is no "));
    }

    #[test]
    fn a_lower_level_wins_by_more_than_the_margin() {
        let of = |costs: &[f64]| fastest(Isa::ALL.into_iter().zip(costs.iter().copied()), 1.03);
        assert_eq!(of(&[8.0, 4.0, 2.0, 1.0]), Some(Isa::Avx512));
        assert_eq!(of(&[8.0, 4.0, 1.0, 1.02]), Some(Isa::Avx512));
        assert_eq!(of(&[8.0, 4.0, 1.0, 1.04]), Some(Isa::Avx2));
        assert_eq!(of(&[1.0, 4.0, 2.0, 3.0]), Some(Isa::Scalar));
        assert_eq!(of(&[1.0]), Some(Isa::Scalar));
        assert_eq!(of(&[]), None);
    }

    #[test]
    fn levels_are_available_from_the_bottom_up() {
        let available: Vec<Isa> = Isa::available().collect();
        assert_eq!(available, Isa::ALL[..available.len()]);
        assert_eq!(available.first(), Some(&Isa::Scalar));
        assert_eq!(available.last(), Some(&detected()));
        for isa in Isa::ALL {
            let expected = match available.contains(&isa) {
                true => Ok(isa),
                false => Err(IsaError::Unavailable { wanted: isa, best: detected() }),
            };
            assert_eq!(isa.require(), expected);
        }
    }

    #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
    #[test]
    fn levels_and_extras_agree_with_the_kernels_flags() {
        if std::env::var_os("LOOPWRIGHT_EMULATED").is_some_and(|value| value == "1") {
            // An emulator passes the host's file on, but not the host's CPUID.
            println!("skipped: /proc/cpuinfo is not that of the emulated processor");
            return;
        }
        let text = std::fs::read_to_string("/proc/cpuinfo").unwrap();
        let line = text.lines().find(|line| line.starts_with("flags")).unwrap();
        let flags: Vec<&str> = line.split_whitespace().collect();
        let has = |flag: &str| flags.contains(&flag);
        assert_eq!(Isa::Sse42.is_available(), has("sse4_2") && has("popcnt"));
        assert_eq!(Isa::Avx512.is_available(), has("avx512f") && has("avx512bw") && has("avx512vl"));
        for extra in Extra::ALL {
            assert!(!extra.is_available(Isa::Scalar));
            assert_eq!(extra.is_detected(), has(extra.name()));
        }
    }
}
