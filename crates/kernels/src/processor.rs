//! What the choice of a kernel's code depends on beside the level: which further instructions the processor has, how it
//! executes wide vectors, how large its last cache is.
//!
//! A [`Profile`] holds these facts. By default it is that of the processor at hand, as CPUID reports it. The variable
//! [`VARIABLE`] names another one, which the kernels then choose for: so that what is chosen on one kind of processor can
//! be run, measured and tested on another. A profile takes instructions away, never adds any: what the processor lacks
//! is not used, whatever the profile says. What is computed never depends on the profile.

use crate::extra::Extra;
use std::sync::OnceLock;
use thiserror::Error;

/// The variable that names the profile to choose for: the name of one of [`Profile::NAMED`].
pub const VARIABLE: &str = "LOOPWRIGHT_KERNELS_PROCESSOR";

/// How a processor executes vectors of 512 bits: it decides which way of hashing is the fastest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WideVectors {
    /// As a whole.
    Whole,
    /// In halves, so that they bring little over 256 bits.
    Halves,
}

impl WideVectors {
    /// AMD's processors before family 1Ah execute vectors of 512 bits in halves (Software Optimization Guide for the AMD
    /// Zen4 Microarchitecture, publication 57647, section 2.11; the one for Zen5, 58455, section 2.11).
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
    fn of(vendor: &str, family: u32) -> WideVectors {
        if vendor == "AuthenticAMD" && family < 0x1a { WideVectors::Halves } else { WideVectors::Whole }
    }
}

/// A kind of processor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    /// Its name: one of [`Profile::NAMED`], or for the processor at hand what CPUID calls it.
    pub name: String,
    /// The further instructions that it has.
    pub extras: Vec<Extra>,
    /// How it executes vectors of 512 bits.
    pub wide: WideVectors,
    /// Bytes of its last cache; `None` when unknown.
    pub last_cache_bytes: Option<u64>,
}

/// A row of [`Profile::NAMED`].
type Row = (&'static str, &'static [Extra], WideVectors, u64);

impl Profile {
    /// Kinds of processors that differ in what is chosen. Names and instructions are those of GCC's `-march` (GCC manual,
    /// "x86 Options"); the last cache is that of a usual model: Core i7-920, Xeon Gold 6130, Xeon Platinum 8480+, EPYC
    /// 7002 and EPYC 9004 (of one core complex).
    pub const NAMED: [Row; 5] = [
        ("nehalem", &[], WideVectors::Whole, 8 << 20),
        ("skylake-avx512", &[Extra::AesNi, Extra::Pclmulqdq], WideVectors::Whole, 22 << 20),
        ("sapphirerapids", &Extra::ALL, WideVectors::Whole, 105 << 20),
        ("znver2", &[Extra::AesNi, Extra::Pclmulqdq, Extra::ShaNi], WideVectors::Halves, 16 << 20),
        ("znver4", &Extra::ALL, WideVectors::Halves, 32 << 20),
    ];

    /// The named profiles.
    pub fn all() -> impl Iterator<Item = Profile> {
        Profile::NAMED.iter().map(|&(name, extras, wide, bytes)| Profile {
            name: name.to_owned(),
            extras: extras.to_vec(),
            wide,
            last_cache_bytes: Some(bytes),
        })
    }

    /// The profile that kernels choose for: the one that [`VARIABLE`] names, else that of the processor at hand. Found
    /// once per process; [`override_error`] returns why the variable is not used.
    pub fn active() -> &'static Profile {
        &choice().0
    }

    /// The processor that this process runs on.
    pub fn own() -> Profile {
        Profile {
            name: ask::name(),
            extras: Extra::ALL.into_iter().filter(|extra| extra.is_detected()).collect(),
            wide: ask::wide(),
            last_cache_bytes: ask::last_cache_bytes(),
        }
    }

    /// Whether it has these instructions.
    pub fn has(&self, extra: Extra) -> bool {
        self.extras.contains(&extra)
    }

    /// Whether the processor at hand has all instructions of the profile, so that it runs what the profile chooses.
    pub fn runs_here(&self) -> bool {
        self.extras.iter().all(|extra| extra.is_detected())
    }
}

/// The variable names no profile.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{VARIABLE} is ignored: there is no processor profile {text:?}; use one of: {}", names())]
pub struct UnknownProfile {
    /// What was given.
    pub text: String,
}

fn names() -> String {
    Profile::NAMED.map(|(name, ..)| name).join(", ")
}

/// Why the value of [`VARIABLE`] is not used, when it is not. A command prints it once.
pub fn override_error() -> Option<&'static UnknownProfile> {
    choice().1.as_ref()
}

/// Whether the kernels choose for a processor that the variable names, not for the one at hand.
pub(crate) fn is_named() -> bool {
    Profile::NAMED.iter().any(|(name, ..)| *name == Profile::active().name)
}

fn choice() -> &'static (Profile, Option<UnknownProfile>) {
    static CHOICE: OnceLock<(Profile, Option<UnknownProfile>)> = OnceLock::new();
    CHOICE.get_or_init(|| {
        let value = std::env::var_os(VARIABLE).map(|value| value.to_string_lossy().into_owned());
        choose(value.as_deref(), Profile::own)
    })
}

/// The profile for a value of the variable. An empty value is none.
fn choose(value: Option<&str>, own: impl Fn() -> Profile) -> (Profile, Option<UnknownProfile>) {
    let text = value.map_or("", str::trim);
    if text.is_empty() {
        return (own(), None);
    }
    match Profile::all().find(|profile| profile.name.eq_ignore_ascii_case(text)) {
        Some(named) => (named, None),
        None => (own(), Some(UnknownProfile { text: text.to_owned() })),
    }
}

/// What CPUID reports.
#[cfg(target_arch = "x86_64")]
mod ask {
    use super::WideVectors;
    use raw_cpuid::{CacheParameter, CacheType, CpuId};

    pub fn name() -> String {
        let cpuid = CpuId::new();
        let brand = cpuid.get_processor_brand_string();
        // Virtual machines on different processors may have the same name.
        let model = cpuid.get_feature_info().map(|info| {
            format!("family {} model {} stepping {}", info.family_id(), info.model_id(), info.stepping_id())
        });
        let brand = brand.as_ref().map_or("x86-64", |brand| brand.as_str().trim());
        format!("{brand}, {}", model.unwrap_or_default())
    }

    pub fn wide() -> WideVectors {
        let cpuid = CpuId::new();
        let vendor = cpuid.get_vendor_info();
        let family = cpuid.get_feature_info().map_or(0, |info| u32::from(info.family_id()));
        WideVectors::of(vendor.as_ref().map_or("", |vendor| vendor.as_str()), family)
    }

    pub fn last_cache_bytes() -> Option<u64> {
        let cpuid = CpuId::new();
        let caches = cpuid.get_cache_parameters().into_iter().flatten();
        let data = caches.filter(|cache| matches!(cache.cache_type(), CacheType::Data | CacheType::Unified));
        let bytes = |cache: CacheParameter| {
            cache.associativity()
                * cache.physical_line_partitions()
                * cache.coherency_line_size()
                * cache.sets()
        };
        let last = data.max_by_key(|cache| cache.level());
        last.map(|cache| bytes(cache) as u64).filter(|&bytes| bytes > 0)
    }
}

#[cfg(not(target_arch = "x86_64"))]
mod ask {
    use super::WideVectors;

    pub fn name() -> String {
        std::env::consts::ARCH.to_owned()
    }

    pub fn wide() -> WideVectors {
        WideVectors::Whole
    }

    pub fn last_cache_bytes() -> Option<u64> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
    #[test]
    fn the_last_cache_agrees_with_the_kernels_list() {
        let folder = std::path::Path::new("/sys/devices/system/cpu/cpu0/cache");
        let mut listed = (0..8).filter_map(|index| {
            let text = std::fs::read_to_string(folder.join(format!("index{index}/size"))).ok()?;
            Some(text.trim().strip_suffix('K')?.parse::<u64>().ok()? << 10)
        });
        // An emulator passes the host's list on, but not the host's CPUID.
        let emulated = std::env::var_os("LOOPWRIGHT_EMULATED").is_some_and(|value| value == "1");
        match listed.next_back().filter(|_| !emulated) {
            Some(bytes) => assert_eq!(Profile::own().last_cache_bytes, Some(bytes)),
            None => println!("skipped: {} lists no caches of this processor", folder.display()),
        }
        assert!(!Profile::own().name.is_empty());
    }

    #[test]
    fn vectors_of_512_bits_by_vendor_and_family() {
        for (vendor, family, wide) in [
            ("AuthenticAMD", 0x17, WideVectors::Halves),
            ("AuthenticAMD", 0x19, WideVectors::Halves),
            ("AuthenticAMD", 0x1a, WideVectors::Whole),
            ("GenuineIntel", 6, WideVectors::Whole),
        ] {
            assert_eq!(WideVectors::of(vendor, family), wide, "{vendor} {family:#x}");
        }
    }

    #[test]
    fn the_variable_names_a_profile() {
        let own = || Profile { name: "own".to_owned(), ..Profile::own() };
        assert_eq!(choose(None, own), (own(), None));
        assert_eq!(choose(Some(" "), own), (own(), None));
        for profile in Profile::all() {
            assert_eq!(choose(Some(&format!(" {} ", profile.name.to_uppercase())), own), (profile, None));
        }
        let (kept, error) = choose(Some("z80"), own);
        assert_eq!(kept, own());
        assert_eq!(
            error.unwrap().to_string(),
            "LOOPWRIGHT_KERNELS_PROCESSOR is ignored: there is no processor profile \"z80\"; use one of: nehalem, \
             skylake-avx512, sapphirerapids, znver2, znver4"
        );
    }

    #[test]
    fn what_is_used_is_in_the_profile_and_on_the_processor() {
        for extra in Extra::ALL {
            let used = extra.is_available(crate::Isa::Avx512);
            assert!(!used || Profile::active().has(extra) && Profile::own().has(extra), "{}", extra.name());
        }
    }
}
