//! Caches: from `/sys/devices/system/cpu/cpuN/cache`, or from CPUID where the kernel does not show them.

use super::online;
use crate::tree::{Tree, parse_list};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The content of a cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CacheKind {
    /// Data only.
    Data,
    /// Instructions only.
    Instruction,
    /// Data and instructions.
    Unified,
}

/// One cache.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Cache {
    /// 1 is nearest to the core.
    pub level: u32,
    /// Its content.
    pub kind: CacheKind,
    /// Capacity in bytes.
    pub size_bytes: u64,
    /// Line in bytes.
    pub line_bytes: u32,
    /// Lines per set (0: not known, or fully associative).
    pub ways: u32,
    /// Number of sets (0: not known).
    pub sets: u32,
    /// Logical CPUs that share it.
    pub cpus: Vec<usize>,
}

/// Every cache once, by level and kind, then by its CPUs.
pub(crate) fn caches(tree: &Tree) -> Vec<Cache> {
    let online = online(tree);
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    for &cpu in &online {
        let folder = format!("/sys/devices/system/cpu/cpu{cpu}/cache");
        for index in tree.numbered(&folder, "index") {
            let Some(cache) = read(tree, &format!("{folder}/index{index}"), cpu) else { continue };
            if seen.insert((cache.level, cache.kind, cache.cpus.clone())) {
                found.push(cache);
            }
        }
    }
    #[cfg(target_arch = "x86_64")]
    if found.is_empty() && tree.is_live() {
        found = from_cpuid(&online);
    }
    found.sort_by(|a, b| (a.level, a.kind, &a.cpus).cmp(&(b.level, b.kind, &b.cpus)));
    found
}

fn read(tree: &Tree, folder: &str, cpu: usize) -> Option<Cache> {
    let kind = match tree.text(&format!("{folder}/type"))?.as_str() {
        "Data" => CacheKind::Data,
        "Instruction" => CacheKind::Instruction,
        "Unified" => CacheKind::Unified,
        _ => return None,
    };
    let cpus = tree.text(&format!("{folder}/shared_cpu_list")).map(|list| parse_list(&list));
    Some(Cache {
        level: tree.number(&format!("{folder}/level"))?,
        kind,
        size_bytes: size(&tree.text(&format!("{folder}/size"))?)?,
        line_bytes: tree.number(&format!("{folder}/coherency_line_size")).unwrap_or(0),
        ways: tree.number(&format!("{folder}/ways_of_associativity")).unwrap_or(0),
        sets: tree.number(&format!("{folder}/number_of_sets")).unwrap_or(0),
        cpus: cpus.filter(|list| list.contains(&cpu)).unwrap_or_else(|| vec![cpu]),
    })
}

/// `32K`, `2048K`, `36M`; zero, which some virtual machines print, is not a size.
fn size(text: &str) -> Option<u64> {
    let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
    let unit: u64 = match text.get(digits.len()..)? {
        "" => 1,
        "K" => 1 << 10,
        "M" => 1 << 20,
        "G" => 1 << 30,
        _ => return None,
    };
    digits.parse::<u64>().ok()?.checked_mul(unit).filter(|&bytes| bytes > 0)
}

/// Deterministic cache parameters (CPUID leaf 4; AMD leaf 8000001Dh). CPUs that share a cache are assumed
/// to have consecutive numbers.
#[cfg(target_arch = "x86_64")]
fn from_cpuid(online: &[usize]) -> Vec<Cache> {
    let cpuid = raw_cpuid::CpuId::new();
    let Some(parameters) = cpuid.get_cache_parameters() else { return Vec::new() };
    let mut found = Vec::new();
    for parameter in parameters {
        let kind = match parameter.cache_type() {
            raw_cpuid::CacheType::Data => CacheKind::Data,
            raw_cpuid::CacheType::Instruction => CacheKind::Instruction,
            raw_cpuid::CacheType::Unified => CacheKind::Unified,
            _ => continue,
        };
        let (line, ways) = (parameter.coherency_line_size(), parameter.associativity());
        let sharing = parameter.max_cores_for_cache().max(1);
        for cpus in online.chunks(sharing) {
            found.push(Cache {
                level: u32::from(parameter.level()),
                kind,
                size_bytes: (line * ways * parameter.physical_line_partitions() * parameter.sets()) as u64,
                line_bytes: line as u32,
                ways: ways as u32,
                sets: parameter.sets() as u32,
                cpus: cpus.to_vec(),
            });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        assert_eq!(size("32K"), Some(32 << 10));
        assert_eq!(size("36M"), Some(36 << 20));
        assert_eq!(size("512"), Some(512));
        for bad in ["", "K", "0K", "12T", "99999999999999999999K", "é"] {
            assert_eq!(size(bad), None, "{bad}");
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn cpuid_describes_a_first_level_data_cache() {
        let found = from_cpuid(&[0, 1]);
        if found.is_empty() {
            eprintln!("skipped: this hypervisor hides the cache leaves");
            return;
        }
        let first = found.iter().find(|c| c.level == 1 && c.kind == CacheKind::Data).unwrap();
        assert!(first.size_bytes >= 8 << 10 && first.line_bytes >= 32, "{first:?}");
    }
}
