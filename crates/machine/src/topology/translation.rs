//! TLBs for data, from CPUID: the kernel does not show them.
//!
//! Sources: Intel SDM volume 2A, CPUID leaf 18h (deterministic address translation parameters) and, before
//! it, the descriptors of leaf 2 (table 3-12); AMD APM volume 3, functions 8000_0005h, 8000_0006h and
//! 8000_0019h. Hypervisors often hide leaf 18h; then the list is empty.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One level of translation of data addresses for some sizes of pages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Tlb {
    /// 1 is searched first.
    pub level: u32,
    /// Sizes of the pages that its entries hold, in bytes.
    pub page_bytes: Vec<u64>,
    /// Number of entries.
    pub entries: u32,
    /// Entries of a set; equal to `entries` when fully associative.
    pub ways: u32,
}

const KILO4: u64 = 4 << 10;
const MEGA2: u64 = 2 << 20;
const GIGA1: u64 = 1 << 30;

/// Largest TLB that is accepted, in entries: a thousand times the largest of real processors, against wrong
/// values of a hypervisor.
#[cfg(target_arch = "x86_64")]
const MOST_ENTRIES: u32 = 1 << 20;

/// TLBs of the running processor, by level and smallest page.
#[cfg(target_arch = "x86_64")]
pub(crate) fn tlbs() -> Vec<Tlb> {
    // Only processors that have the instruction run this program.
    read(bounded(|leaf, subleaf| raw_cpuid::cpuid!(leaf, subleaf)))
}

/// The answers of a processor, with a bounded number of subleaves of leaf 18h, so that reading them is fast
/// whatever a hypervisor answers.
#[cfg(target_arch = "x86_64")]
fn bounded(
    answer: impl Fn(u32, u32) -> raw_cpuid::CpuIdResult + Clone,
) -> impl Fn(u32, u32) -> raw_cpuid::CpuIdResult + Clone {
    move |leaf, subleaf| {
        let mut registers = answer(leaf, subleaf);
        if (leaf, subleaf) == (0x18, 0) {
            registers.eax = registers.eax.min(63);
        }
        registers
    }
}

/// TLBs are known on x86 only.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn tlbs() -> Vec<Tlb> {
    Vec::new()
}

#[cfg(target_arch = "x86_64")]
fn read(answer: impl Fn(u32, u32) -> raw_cpuid::CpuIdResult + Clone) -> Vec<Tlb> {
    let cpuid = raw_cpuid::CpuId::with_cpuid_fn(answer.clone());
    let mut found = deterministic(&cpuid);
    if found.is_empty() {
        found = amd(&cpuid);
    }
    if found.is_empty() && answer(0, 0).eax >= 2 {
        found = descriptors(answer(2, 0));
    }
    found.retain(|tlb| {
        (1..=MOST_ENTRIES).contains(&tlb.entries)
            && tlb.ways > 0
            && tlb.entries.is_multiple_of(tlb.ways)
            && !tlb.page_bytes.is_empty()
    });
    found.sort_by(|a, b| (a.level, &a.page_bytes).cmp(&(b.level, &b.page_bytes)));
    found.dedup();
    found
}

#[cfg(target_arch = "x86_64")]
fn deterministic<R: raw_cpuid::CpuIdReader>(cpuid: &raw_cpuid::CpuId<R>) -> Vec<Tlb> {
    use raw_cpuid::DatType;
    let Some(all) = cpuid.get_deterministic_address_translation_info() else { return Vec::new() };
    let mut found = Vec::new();
    for one in all {
        // Processors with separate arrays for stores have fewer entries there; the latency of loads matters more.
        if !matches!(one.cache_type(), DatType::DataTLB | DatType::UnifiedTLB | DatType::LoadOnly) {
            continue;
        }
        let sizes = [
            (one.has_4k_entries(), KILO4),
            (one.has_2mb_entries(), MEGA2),
            (one.has_4mb_entries(), 2 * MEGA2),
            (one.has_1gb_entries(), GIGA1),
        ];
        let entries = u32::from(one.ways()).saturating_mul(one.sets());
        found.push(Tlb {
            level: u32::from(one.cache_level()),
            page_bytes: sizes.iter().filter(|(has, _)| *has).map(|&(_, bytes)| bytes).collect(),
            entries,
            ways: if one.is_fully_associative() { entries } else { u32::from(one.ways()) },
        });
    }
    found
}

#[cfg(target_arch = "x86_64")]
fn amd<R: raw_cpuid::CpuIdReader>(cpuid: &raw_cpuid::CpuId<R>) -> Vec<Tlb> {
    let mut found = Vec::new();
    let mut add = |level, page: u64, entries: u32, associativity| {
        if let Some(ways) = ways(entries, associativity) {
            found.push(Tlb { level, page_bytes: vec![page], entries, ways });
        }
    };
    // The numbers for 4 MiB pages are half of those for 2 MiB: such a page takes two entries.
    let Some(first) = cpuid.get_l1_cache_and_tlb_info() else { return Vec::new() };
    add(1, KILO4, first.dtlb_4k_size().into(), first.dtlb_4k_associativity());
    add(1, MEGA2, first.dtlb_2m_4m_size().into(), first.dtlb_2m_4m_associativity());
    if let Some(second) = cpuid.get_l2_l3_cache_and_tlb_info() {
        add(2, KILO4, second.dtlb_4k_size().into(), second.dtlb_4k_associativity());
        add(2, MEGA2, second.dtlb_2m_4m_size().into(), second.dtlb_2m_4m_associativity());
    }
    if let Some(giga) = cpuid.get_tlb_1gb_page_info() {
        add(1, GIGA1, giga.dtlb_l1_1gb_size().into(), giga.dtlb_l1_1gb_associativity());
        add(2, GIGA1, giga.dtlb_l2_1gb_size().into(), giga.dtlb_l2_1gb_associativity());
    }
    found
}

/// Ways from AMD's code. For the second level it names the lowest of a range (8 is 8 to 15): the result is
/// the number in the range that makes the number of sets a power of two, else the lowest that divides.
#[cfg(target_arch = "x86_64")]
fn ways(entries: u32, associativity: raw_cpuid::Associativity) -> Option<u32> {
    use raw_cpuid::Associativity;
    if entries == 0 {
        return None;
    }
    let lowest = match associativity {
        Associativity::FullyAssociative => return Some(entries),
        Associativity::DirectMapped => return Some(1),
        Associativity::NWay(ways) => u32::from(ways),
        Associativity::Disabled | Associativity::Unknown => return None,
    };
    // Ranges end before the next code: 2, 3, 4, 6, 8, 16, 32, 48, 64, 96, 128.
    let next = [2, 3, 4, 6, 8, 16, 32, 48, 64, 96, 128].into_iter().find(|&code| code > lowest);
    let range = lowest..next.unwrap_or(lowest + 1);
    let divides = |ways: &u32| *ways > 0 && entries.is_multiple_of(*ways);
    range
        .clone()
        .filter(divides)
        .find(|ways| (entries / ways).is_power_of_two())
        .or_else(|| range.clone().find(divides))
}

/// Leaf 2: `(descriptor, level, pages, entries, ways)`; 0 ways is fully associative. Descriptors whose ways
/// the manual does not state are left out.
#[cfg(target_arch = "x86_64")]
const DESCRIPTORS: [(u8, u32, &[u64], u32, u32); 17] = [
    (0x03, 1, &[KILO4], 64, 4),
    (0x57, 1, &[KILO4], 16, 4),
    (0x59, 1, &[KILO4], 16, 0),
    (0x5a, 1, &[MEGA2], 32, 4),
    (0x63, 1, &[MEGA2], 32, 4),
    (0x64, 1, &[KILO4], 512, 4),
    (0x6b, 1, &[KILO4], 256, 8),
    (0x6c, 1, &[MEGA2], 128, 8),
    (0xa0, 1, &[KILO4], 32, 0),
    (0xb3, 1, &[KILO4], 128, 4),
    (0xb4, 1, &[KILO4], 256, 4),
    (0xba, 1, &[KILO4], 64, 4),
    (0xc1, 2, &[KILO4, MEGA2], 1024, 8),
    (0xc2, 1, &[MEGA2], 16, 4),
    (0xc3, 2, &[KILO4, MEGA2], 1536, 6),
    (0xc4, 1, &[MEGA2], 32, 4),
    (0xca, 2, &[KILO4], 512, 4),
];

/// Leaf 2 has a descriptor in each byte, except the lowest and registers whose highest bit is set. (The
/// iterator of `raw-cpuid` ends at the first unknown descriptor.)
#[cfg(target_arch = "x86_64")]
fn descriptors(registers: raw_cpuid::CpuIdResult) -> Vec<Tlb> {
    let registers = [registers.eax & !0xff, registers.ebx, registers.ecx, registers.edx];
    let valid = registers.into_iter().filter(|register| register >> 31 == 0);
    valid
        .flat_map(u32::to_le_bytes)
        .filter_map(|descriptor| {
            let &(_, level, pages, entries, ways) = DESCRIPTORS.iter().find(|row| row.0 == descriptor)?;
            let ways = if ways == 0 { entries } else { ways };
            Some(Tlb { level, page_bytes: pages.to_vec(), entries, ways })
        })
        .collect()
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;
    use raw_cpuid::CpuIdResult;

    /// Recorded answers: `(leaf, subleaf, eax, ebx, ecx, edx)`; zero elsewhere.
    type Recorded = &'static [(u32, u32, u32, u32, u32, u32)];

    fn recorded(answers: Recorded) -> Vec<Tlb> {
        let answer = move |leaf: u32, subleaf: u32| {
            let row = answers.iter().find(|a| (a.0, a.1) == (leaf, subleaf));
            let row = row.copied().unwrap_or_default();
            CpuIdResult { eax: row.2, ebx: row.3, ecx: row.4, edx: row.5 }
        };
        read(bounded(answer))
    }

    const INTEL: (u32, u32, u32) = (0x756e_6547, 0x6c65_746e, 0x4965_6e69);
    const AMD: (u32, u32, u32) = (0x6874_7541, 0x444d_4163, 0x6974_6e65);

    fn rows(tlbs: &[Tlb]) -> Vec<(u32, u64, u32, u32)> {
        tlbs.iter().map(|t| (t.level, t.page_bytes[0], t.entries, t.ways)).collect()
    }

    /// An EPYC of the fourth generation, as a virtual machine sees it.
    #[test]
    fn an_amd_processor_tells_by_its_own_leaves() {
        let tlbs = recorded(&[
            (0, 0, 0x1c, AMD.0, AMD.1, AMD.2),
            (0x8000_0000, 0, 0x8000_0021, AMD.0, AMD.1, AMD.2),
            (0x8000_0005, 0, 0xff48_ff40, 0xff48_ff40, 0x2008_0140, 0x2008_0140),
            (0x8000_0006, 0, 0x5c00_2200, 0x6c00_4200, 0x0400_6140, 0x0a00_9140),
        ]);
        // Code 6 is 8 to 15 ways, and 12 of them make 256 sets; code 5 is 6 or 7, and 6 make 512.
        let expected = [(1, KILO4, 72, 72), (1, MEGA2, 72, 72), (2, KILO4, 3072, 12), (2, MEGA2, 3072, 6)];
        assert_eq!(rows(&tlbs), expected);
    }

    /// Leaf 18h with the geometry of Intel's Golden Cove (*Optimization Reference Manual*, table "TLB Parameters"):
    /// loads 96 entries for 4 KiB, fully associative, stores 16, second level 2048 of 16 ways.
    #[test]
    fn an_intel_processor_tells_by_leaf_18() {
        let tlbs = recorded(&[
            (0, 0, 0x20, INTEL.0, INTEL.1, INTEL.2),
            (0x18, 0, 5, 0, 0, 0),
            (0x18, 1, 0, 8 << 16 | 1, 32, 0),
            (0x18, 2, 0, 96 << 16 | 1, 1, 1 << 8 | 1 << 5 | 4),
            (0x18, 3, 0, 16 << 16 | 0xf, 1, 1 << 8 | 1 << 5 | 5),
            (0x18, 4, 0, 8 << 16 | 6, 4, 1 << 5 | 4),
            (0x18, 5, 0, 16 << 16 | 7, 128, 2 << 5 | 3),
        ]);
        assert_eq!(rows(&tlbs), [(1, KILO4, 96, 96), (1, MEGA2, 32, 8), (2, KILO4, 2048, 16)]);
        assert_eq!(tlbs[2].page_bytes, [KILO4, MEGA2, 2 * MEGA2]);
    }

    /// The descriptors of a Skylake server: 63h 03h B5h (code) C3h, and FFh (caches by leaf 4).
    #[test]
    fn an_older_intel_processor_tells_by_descriptors() {
        let tlbs = recorded(&[
            (0, 0, 0x16, INTEL.0, INTEL.1, INTEL.2),
            (2, 0, 0x7603_6301, 0x00f0_b5ff, 0, 0x00c3_0000),
        ]);
        assert_eq!(rows(&tlbs), [(1, KILO4, 64, 4), (1, MEGA2, 32, 4), (2, KILO4, 1536, 6)]);
    }

    #[test]
    fn hidden_or_absurd_leaves_tell_nothing() {
        assert_eq!(recorded(&[(0, 0, 0x20, INTEL.0, INTEL.1, INTEL.2)]), []);
        assert_eq!(recorded(&[]), []);
        let absurd = recorded(&[
            (0, 0, 0x20, INTEL.0, INTEL.1, INTEL.2),
            (0x18, 0, u32::MAX, 0xffff_0001, u32::MAX, 1),
        ]);
        assert_eq!(absurd, []);
        for tlb in tlbs() {
            assert!(tlb.entries.is_multiple_of(tlb.ways), "{tlb:?}");
        }
    }

    #[test]
    fn ways_of_a_range_fit_the_sets() {
        use raw_cpuid::Associativity::{DirectMapped, Disabled, FullyAssociative, NWay, Unknown};
        assert_eq!(ways(1536, NWay(6)), Some(6));
        assert_eq!(ways(2048, NWay(16)), Some(16));
        assert_eq!(ways(64, FullyAssociative), Some(64));
        assert_eq!(ways(64, DirectMapped), Some(1));
        assert_eq!(ways(100, NWay(8)), Some(10), "no power of two fits");
        assert_eq!((ways(64, Disabled), ways(64, Unknown), ways(0, NWay(4))), (None, None, None));
    }
}
