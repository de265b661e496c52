//! Which core a processor has: by vendor, family and model, because virtual machines often give no better name than "AMD EPYC".
//!
//! Models are those of the Linux kernel's `arch/x86/include/asm/intel-family.h` and `arch/x86/kernel/cpu/amd.c`. Cores that are not
//! listed (newer, smaller or other ones) have careful figures.

use crate::core::Core;
use crate::tables;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A microarchitecture with a table of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Microarchitecture {
    /// Intel, 2013.
    Haswell,
    /// Intel, 2014.
    Broadwell,
    /// Intel, 2015, with Skylake-X, Cascade Lake and the client cores up to Comet Lake.
    Skylake,
    /// Intel, 2019, with Tiger Lake and Rocket Lake.
    IceLake,
    /// Intel, 2021: Alder Lake, Raptor Lake, Sapphire Rapids, Emerald Rapids.
    GoldenCove,
    /// AMD, 2017, with Zen+.
    Zen,
    /// AMD, 2019.
    Zen2,
    /// AMD, 2020.
    Zen3,
    /// AMD, 2022.
    Zen4,
}

impl Microarchitecture {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::Haswell,
        Self::Broadwell,
        Self::Skylake,
        Self::IceLake,
        Self::GoldenCove,
        Self::Zen,
        Self::Zen2,
        Self::Zen3,
        Self::Zen4,
    ];

    /// The one of a processor, from its CPUID vendor, family and model (extended ones added).
    pub fn of(vendor: &str, family: u32, model: u32) -> Option<Self> {
        match (vendor, family, model) {
            ("GenuineIntel", 6, 0x3c | 0x3f | 0x45 | 0x46) => Some(Self::Haswell),
            ("GenuineIntel", 6, 0x3d | 0x47 | 0x4f | 0x56) => Some(Self::Broadwell),
            ("GenuineIntel", 6, 0x4e | 0x55 | 0x5e | 0x8e | 0x9e | 0xa5 | 0xa6) => Some(Self::Skylake),
            ("GenuineIntel", 6, 0x6a | 0x6c | 0x7d | 0x7e | 0x8c | 0x8d | 0xa7) => Some(Self::IceLake),
            ("GenuineIntel", 6, 0x8f | 0x97 | 0x9a | 0xb7 | 0xba | 0xbf | 0xcf) => Some(Self::GoldenCove),
            ("AuthenticAMD", 0x17, 0x00..=0x2f) | ("HygonGenuine", 0x18, _) => Some(Self::Zen),
            ("AuthenticAMD", 0x17, _) => Some(Self::Zen2),
            ("AuthenticAMD", 0x19, 0x10..=0x1f | 0x60..=0x7f | 0xa0..=0xaf) => Some(Self::Zen4),
            ("AuthenticAMD", 0x19, 0x00..=0x0f | 0x20..=0x5f) => Some(Self::Zen3),
            _ => None,
        }
    }

    /// Its figures.
    pub fn core(self) -> &'static Core {
        match self {
            Self::Haswell => &tables::HASWELL,
            Self::Broadwell => &tables::BROADWELL,
            Self::Skylake => &tables::SKYLAKE,
            Self::IceLake => &tables::ICE_LAKE,
            Self::GoldenCove => &tables::GOLDEN_COVE,
            Self::Zen => &tables::ZEN,
            Self::Zen2 => &tables::ZEN2,
            Self::Zen3 => &tables::ZEN3,
            Self::Zen4 => &tables::ZEN4,
        }
    }
}

impl Core {
    /// The figures of a microarchitecture, careful ones where it is not known.
    pub fn of(known: Option<Microarchitecture>) -> &'static Self {
        known.map_or(&tables::GENERIC, Microarchitecture::core)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processors_are_known_by_their_numbers() {
        let of = Microarchitecture::of;
        assert_eq!(of("AuthenticAMD", 25, 17), Some(Microarchitecture::Zen4), "Genoa");
        assert_eq!(of("AuthenticAMD", 25, 1), Some(Microarchitecture::Zen3), "Milan");
        assert_eq!(of("AuthenticAMD", 23, 49), Some(Microarchitecture::Zen2), "Rome");
        assert_eq!(of("AuthenticAMD", 23, 1), Some(Microarchitecture::Zen), "Naples");
        assert_eq!(of("GenuineIntel", 6, 85), Some(Microarchitecture::Skylake), "Skylake-X, Cascade Lake");
        assert_eq!(of("GenuineIntel", 6, 143), Some(Microarchitecture::GoldenCove), "Sapphire Rapids");
        assert_eq!(of("AuthenticAMD", 26, 2), None, "Zen 5 has no table yet");
        assert_eq!(of("0x41", 8, 1), None);
        assert_eq!(Core::of(None).name, "generic x86-64");
    }
}
