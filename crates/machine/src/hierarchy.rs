//! The machine's caches and TLBs in the form of the cache simulation.
//!
//! Geometry is the kernel's (`/sys/.../cache`) and CPUID's; what no interface states is defined here: replacement is
//! assumed to be LRU (vendors do not publish theirs; `--cache` sets others), and the third level of AMD's Zen and of
//! Intel's server cores since Skylake is a victim cache (AMD *Software Optimization Guide for the AMD EPYC 7003
//! Processors*, 56665, section 2.6.4; Intel *Optimization Reference Manual*, "Skylake Server Microarchitecture": a line
//! from memory goes to the second level, and enters the third when it leaves it).

use crate::{Cache, CacheKind, Machine};
use loopwright_patterns::facts::{CacheGeometry, Hierarchy, Replacement};
use loopwright_patterns::warning::{BadGeometry, CacheLimit};
use loopwright_vocabulary::MemoryLevel;

/// Largest cache that is simulated, in lines: the simulation's own limit.
const MOST_LINES: u64 = 1 << 24;

/// Name of the hierarchy.
pub const THIS_MACHINE: &str = "this machine";

impl Machine {
    /// Its data caches and TLBs (for 4 KiB pages), nearest first, and what is left out or
    /// assumed. `threads` is the number of threads of the program that use a shared cache at the same
    /// time: each gets its part of the caches that more than one core shares.
    pub fn cache_hierarchy(&self, threads: u32) -> (Hierarchy, Vec<CacheLimit>) {
        let mut limits = Vec::new();
        let mut levels: Vec<CacheGeometry> = Vec::new();
        for number in 1..=8 {
            let Some(cache) = self.data_cache(number) else { continue };
            match geometry(cache) {
                Ok(mut level) => {
                    self.share(cache, &mut level, threads, &mut limits);
                    level.victim = number == 3
                        && self.third_level_is_victim()
                        && levels.last().is_some_and(|nearer| nearer.line_bytes == level.line_bytes);
                    levels.push(level);
                }
                Err(why) => limits.push(CacheLimit::NotSimulated { level: number, why }),
            }
        }
        if levels.is_empty() {
            limits.push(CacheLimit::NoDataCache);
        }
        let before = levels.len();
        for (level, name) in [(1, "DTLB"), (2, "STLB")] {
            let tlbs = self.topology.tlbs.iter().filter(|t| t.level == level);
            let Some(tlb) = tlbs.into_iter().find(|t| t.page_bytes.contains(&4096)) else { continue };
            levels.push(CacheGeometry {
                name: name.to_owned(),
                lines: tlb.entries.into(),
                line_bytes: 4096,
                ways: tlb.ways,
                policy: Replacement::Lru,
                victim: false,
                translation: true,
            });
        }
        if levels.len() == before {
            limits.push(CacheLimit::NoTlb);
        }
        (Hierarchy { name: THIS_MACHINE.to_owned(), levels }, limits)
    }

    /// The data cache of a level, for the first CPU that programs may use.
    fn data_cache(&self, level: u32) -> Option<&Cache> {
        let topology = &self.topology;
        let of_level =
            || topology.caches.iter().filter(|c| c.level == level && c.kind != CacheKind::Instruction);
        let cpu = topology.allowed.first();
        cpu.and_then(|cpu| of_level().find(|c| c.cpus.contains(cpu))).or_else(|| of_level().next())
    }

    /// Gives a thread its part of a cache that several cores share.
    fn share(&self, cache: &Cache, level: &mut CacheGeometry, threads: u32, limits: &mut Vec<CacheLimit>) {
        let same_core = |cpu: &usize| {
            let own = self.topology.cpus.iter().find(|c| Some(&c.id) == cache.cpus.first());
            own.is_some_and(|own| own.siblings.contains(cpu))
        };
        let cores_share = cache.cpus.iter().any(|cpu| !same_core(cpu));
        let users = u64::from(threads).min(cache.cpus.len() as u64);
        if !cores_share || users <= 1 {
            return;
        }
        let ways = u64::from(level.ways);
        level.lines = (level.lines / ways / users).max(1) * ways;
        limits.push(CacheLimit::Shared { cache: level.name.clone(), threads: users });
    }

    fn third_level_is_victim(&self) -> bool {
        let processor = &self.processor;
        let (family, model) = (processor.family.unwrap_or(0), processor.model.unwrap_or(0));
        match processor.vendor.as_str() {
            "AuthenticAMD" | "HygonGenuine" => family >= 0x17,
            // Skylake, Cascade Lake and Cooper Lake; Ice Lake; Sapphire and Emerald Rapids; Granite Rapids.
            "GenuineIntel" => family == 6 && matches!(model, 0x55 | 0x6a | 0x6c | 0x8f | 0xcf | 0xad | 0xae),
            _ => false,
        }
    }
}

fn geometry(cache: &Cache) -> Result<CacheGeometry, BadGeometry> {
    let line = u64::from(if cache.line_bytes == 0 { 64 } else { cache.line_bytes });
    if !line.is_power_of_two() || line < 16 || !cache.size_bytes.is_multiple_of(line) {
        return Err(BadGeometry::Size { bytes: cache.size_bytes, line });
    }
    let lines = cache.size_bytes / line;
    // The kernel prints 0 ways both for "not stated" and for fully associative caches, which have one set.
    let ways = match (u64::from(cache.ways), u64::from(cache.sets)) {
        (0, 1) => lines,
        (0, 0) => return Err(BadGeometry::UnknownWays),
        (0, sets) => lines / sets,
        (ways, _) => ways,
    };
    if lines == 0 || lines > MOST_LINES || ways == 0 || ways > lines || !lines.is_multiple_of(ways) {
        return Err(BadGeometry::Sets { lines, ways });
    }
    Ok(CacheGeometry {
        name: MemoryLevel::Cache(cache.level).to_string(),
        lines,
        line_bytes: line as u32,
        ways: ways as u32,
        policy: Replacement::Lru,
        victim: false,
        translation: false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Tlb;
    use crate::machine::tests::recorded;
    use loopwright_patterns::cache;

    #[test]
    fn a_server_has_three_levels_and_the_last_is_shared() {
        let mut machine = recorded("two-socket-xeon");
        assert_eq!(machine.topology.tlbs, [], "a recording has no CPUID");
        let (hierarchy, limits) = machine.cache_hierarchy(1);
        assert_eq!(hierarchy.name, "this machine");
        assert_eq!(cache::text(&hierarchy.levels), "768x64:12+32768x64:16+1720320x64:15:victim");
        assert_eq!(limits, [CacheLimit::NoTlb]);

        let tlb = |level, page, entries, ways| Tlb { level, page_bytes: vec![page], entries, ways };
        machine.topology.tlbs = vec![tlb(1, 4096, 96, 96), tlb(1, 2 << 20, 32, 8), tlb(2, 4096, 2048, 16)];
        let (hierarchy, limits) = machine.cache_hierarchy(4);
        assert_eq!(
            cache::text(&hierarchy.levels),
            "768x64:12+32768x64:16+430080x64:15:victim+96x4096:full:tlb+2048x4096:16:tlb"
        );
        assert_eq!(limits, [CacheLimit::Shared { cache: "L3".to_owned(), threads: 4 }]);
        // The command line must accept the hierarchy, as the simulation does.
        assert_eq!(cache::parse(&cache::text(&hierarchy.levels)).unwrap().levels, hierarchy.levels);
    }

    #[test]
    fn what_is_not_known_is_left_away() {
        let mut machine = recorded("two-socket-xeon");
        for cache in machine.topology.caches.iter_mut().filter(|c| c.level == 2) {
            (cache.ways, cache.sets) = (0, 0);
        }
        let (hierarchy, limits) = machine.cache_hierarchy(1);
        let names: Vec<&str> = hierarchy.levels.iter().map(|l| l.name.as_str()).collect();
        assert_eq!(names, ["L1", "L3"]);
        assert_eq!(limits[0], CacheLimit::NotSimulated { level: 2, why: BadGeometry::UnknownWays });
        machine.topology.caches.clear();
        let (hierarchy, limits) = machine.cache_hierarchy(1);
        assert!(hierarchy.levels.is_empty() && limits[0] == CacheLimit::NoDataCache, "{limits:?}");
    }

    #[test]
    fn the_running_machine_makes_a_hierarchy_that_can_be_stated() {
        let (hierarchy, _) = Machine::detect().cache_hierarchy(2);
        if !hierarchy.levels.is_empty() {
            let text = cache::text(&hierarchy.levels);
            assert_eq!(cache::parse(&text).unwrap().levels, hierarchy.levels, "{text}");
        }
    }

    #[test]
    fn absurd_caches_are_refused() {
        let cache = |size_bytes, line_bytes, ways, sets| Cache {
            level: 1,
            kind: CacheKind::Data,
            size_bytes,
            line_bytes,
            ways,
            sets,
            cpus: vec![0],
        };
        assert_eq!(geometry(&cache(32 << 10, 64, 0, 1)).unwrap().ways, 512);
        assert_eq!(geometry(&cache(32 << 10, 64, 0, 64)).unwrap().ways, 8);
        assert_eq!(geometry(&cache(32 << 10, 0, 8, 64)).unwrap().line_bytes, 64);
        for bad in [cache(100, 64, 8, 1), cache(32 << 10, 48, 8, 1), cache(32 << 10, 64, 7, 1)] {
            assert!(geometry(&bad).is_err(), "{bad:?}");
        }
        assert!(geometry(&cache(u64::MAX / 64 * 64, 64, 1, 0)).is_err());
    }
}
