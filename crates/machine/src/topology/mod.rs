//! Sockets, cores, logical CPUs, NUMA nodes and caches, as the kernel describes them in `/sys`.
//!
//! Source: Documentation/admin-guide/cputopology.rst and Documentation/ABI/stable/sysfs-devices-node of the
//! Linux kernel.

mod caches;
mod numa;
mod translation;

use crate::tree::Tree;
pub(crate) use caches::caches;
pub use caches::{Cache, CacheKind};
pub use numa::NumaNode;
use numa::nodes;
pub(crate) use numa::{memory_available, memory_total};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
pub use translation::Tlb;

/// One logical CPU.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LogicalCpu {
    /// The kernel's number.
    pub id: usize,
    /// Socket (physical package).
    pub socket: usize,
    /// Core within its socket; numbers may have gaps.
    pub core: usize,
    /// Logical CPUs of the same core, itself included.
    pub siblings: Vec<usize>,
}

/// How the CPUs are arranged.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Topology {
    /// Sockets with an online CPU.
    pub sockets: usize,
    /// Physical cores with an online CPU.
    pub cores: usize,
    /// Online logical CPUs.
    pub cpus: Vec<LogicalCpu>,
    /// Logical CPUs that this process may use.
    pub allowed: Vec<usize>,
    /// Several logical CPUs share a core.
    pub smt: bool,
    /// NUMA nodes.
    pub nodes: Vec<NumaNode>,
    /// Caches, each instance once, by level.
    pub caches: Vec<Cache>,
    /// TLBs for data of one core, by level; empty where the processor (or a hypervisor) does not describe them.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub tlbs: Vec<Tlb>,
}

const CPUS: &str = "/sys/devices/system/cpu";

impl Topology {
    pub(crate) fn read(tree: &Tree) -> Topology {
        let online = online(tree);
        let cpus: Vec<LogicalCpu> = online
            .iter()
            .map(|&id| {
                let file = |name: &str| format!("{CPUS}/cpu{id}/topology/{name}");
                // The kernel prints -1 where the firmware says nothing: one socket, one core per CPU.
                let siblings = tree
                    .list(&file("thread_siblings_list"))
                    .filter(|list| list.contains(&id))
                    .unwrap_or_else(|| vec![id]);
                LogicalCpu {
                    id,
                    socket: tree.number(&file("physical_package_id")).unwrap_or(0),
                    core: tree.number(&file("core_id")).unwrap_or(id),
                    siblings,
                }
            })
            .collect();
        let sockets: BTreeSet<usize> = cpus.iter().map(|c| c.socket).collect();
        // A core is identified by its siblings; core numbers repeat per die on some machines.
        let cores: BTreeSet<&[usize]> = cpus.iter().map(|c| c.siblings.as_slice()).collect();
        Topology {
            sockets: sockets.len().max(1),
            cores: cores.len().max(1),
            smt: cpus.iter().any(|c| c.siblings.iter().filter(|s| online.contains(s)).count() > 1),
            allowed: allowed(tree, &online),
            nodes: nodes(tree, &online),
            caches: caches(tree),
            // CPUID describes the running machine only.
            tlbs: if tree.is_live() { translation::tlbs() } else { Vec::new() },
            cpus,
        }
    }

    /// Size in bytes of the smallest data or unified cache of a level.
    pub fn cache_bytes(&self, level: u32) -> Option<u64> {
        self.caches
            .iter()
            .filter(|c| c.level == level && c.kind != CacheKind::Instruction)
            .map(|c| c.size_bytes)
            .min()
    }

    /// Sizes in bytes of the data caches of one CPU, level 1 first.
    pub fn cache_sizes(&self) -> Vec<u64> {
        let levels: BTreeSet<u32> = self.caches.iter().map(|c| c.level).collect();
        levels.into_iter().filter_map(|level| self.cache_bytes(level)).collect()
    }

    /// Length of a cache line in bytes (64 where the kernel does not state it).
    pub fn line_bytes(&self) -> u32 {
        self.caches.iter().map(|c| c.line_bytes).find(|&bytes| bytes > 0).unwrap_or(64)
    }
}

/// Online CPUs; from `/proc/cpuinfo` where `/sys` is not mounted.
fn online(tree: &Tree) -> Vec<usize> {
    let listed = tree.list(&format!("{CPUS}/online")).filter(|list| !list.is_empty());
    listed.unwrap_or_else(|| {
        let text = tree.text("/proc/cpuinfo").unwrap_or_default();
        text.lines()
            .filter_map(|line| {
                let (key, value) = line.split_once(':')?;
                (key.trim() == "processor").then(|| value.trim().parse().ok())?
            })
            .collect()
    })
}

fn allowed(tree: &Tree, online: &[usize]) -> Vec<usize> {
    let listed = tree.field("/proc/self/status", "Cpus_allowed_list");
    match listed.map(|list| crate::tree::parse_list(&list)) {
        Some(list) => list.into_iter().filter(|cpu| online.contains(cpu)).collect(),
        None => online.to_vec(),
    }
}
