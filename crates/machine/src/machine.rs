//! The facts about the machine that need no measurement.

use crate::conditions::{self, Condition};
use crate::features::{self, Feature};
use crate::processor::{self, CpuInfo, Processor};
use crate::topology::{self, Topology};
use crate::tree::Tree;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The machine: plain data, read once.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Machine {
    /// Processor.
    pub processor: Processor,
    /// Sockets, cores, CPUs, NUMA nodes, caches.
    pub topology: Topology,
    /// Every feature known to this program, present or not.
    pub features: Vec<Feature>,
    /// Conditions that disturb or explain a measurement.
    pub conditions: Vec<Condition>,
    /// Hypervisor, when this is a virtual machine.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub hypervisor: Option<String>,
    /// Operating-system kernel release.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub kernel: Option<String>,
    /// Memory in bytes.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub memory_bytes: Option<u64>,
    /// Memory that is still available to programs, in bytes.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub memory_available_bytes: Option<u64>,
}

/// The facts about a machine that other crates need.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    /// Processor name.
    pub name: String,
    /// Logical CPUs online.
    pub cpus: u32,
    /// Logical CPUs that this process may use.
    pub allowed_cpus: u32,
    /// Best vector instruction set that programs may use ("AVX512F", "AVX2", "AVX", "SSE4.2", ...; absent off
    /// x86).
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub isa: Option<String>,
    /// FMA is usable.
    pub fma: bool,
    /// Widest usable vector in bits (0: unknown).
    pub vector_bits: u32,
    /// Cache sizes in bytes, L1d first.
    pub cache_bytes: Vec<u64>,
    /// Cache line in bytes.
    pub line_bytes: u32,
}

impl Machine {
    /// Reads the running machine. Never fails: values that cannot be read are absent.
    pub fn detect() -> Machine {
        Machine::read(&Tree::live())
    }

    /// Reads a recorded machine: `/proc` and `/sys` below `root`. Features then come from the kernel's flags,
    /// because CPUID describes the running machine only.
    pub fn detect_in(root: &Path) -> Machine {
        Machine::read(&Tree::at(root))
    }

    fn read(tree: &Tree) -> Machine {
        let info = CpuInfo::read(tree);
        let topology = Topology::read(tree);
        let hypervisor = processor::hypervisor(tree, &info);
        Machine {
            processor: Processor::read(tree, &info),
            features: features::read(tree, &info),
            conditions: conditions::read(tree, &topology, hypervisor.as_deref()),
            hypervisor,
            kernel: tree.text("/proc/sys/kernel/osrelease"),
            memory_bytes: topology::memory_total(tree),
            memory_available_bytes: topology::memory_available(tree),
            topology,
        }
    }

    /// The feature with this id.
    pub fn feature(&self, id: &str) -> Option<&Feature> {
        self.features.iter().find(|f| f.id == id)
    }

    /// Whether programs may use the feature with this id.
    pub fn usable(&self, id: &str) -> bool {
        self.feature(id).is_some_and(Feature::usable)
    }

    /// The condition with this id.
    pub fn condition(&self, id: &str) -> Option<&Condition> {
        self.conditions.iter().find(|c| c.id == id)
    }

    /// The facts that other crates need.
    pub fn summary(&self) -> Summary {
        // Best first: feature, its name in instruction listings, vector bits.
        let levels = [
            ("avx512f", "AVX512F", 512),
            ("avx2", "AVX2", 256),
            ("avx", "AVX", 256),
            ("sse4_2", "SSE4.2", 128),
            ("sse4_1", "SSE4.1", 128),
            ("ssse3", "SSSE3", 128),
            ("sse3", "SSE3", 128),
            ("sse2", "SSE2", 128),
        ];
        let best = levels.iter().find(|(id, ..)| self.usable(id));
        Summary {
            name: self.processor.name.clone(),
            cpus: self.topology.cpus.len() as u32,
            allowed_cpus: self.topology.allowed.len() as u32,
            isa: best.map(|(_, name, _)| (*name).to_owned()),
            fma: self.usable("fma"),
            vector_bits: best.map_or(0, |(.., bits)| *bits),
            cache_bytes: self.topology.cache_sizes(),
            line_bytes: self.topology.line_bytes(),
        }
    }
}

#[cfg(test)]
pub(crate) mod tests;
