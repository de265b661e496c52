//! NUMA nodes: their CPUs, memory and distances.

use crate::tree::Tree;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Memory and the CPUs next to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NumaNode {
    /// The kernel's number.
    pub id: usize,
    /// Its CPUs (none for memory-only nodes).
    pub cpus: Vec<usize>,
    /// Its memory in bytes (absent where the kernel does not state it).
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub memory_bytes: Option<u64>,
    /// Its free memory in bytes at the time of reading.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub free_bytes: Option<u64>,
    /// Distance to each node in the order of nodes (ACPI SLIT: 10 = local).
    pub distances: Vec<u32>,
}

const NODES: &str = "/sys/devices/system/node";

/// The nodes; one with every CPU where the kernel has no NUMA support.
pub(crate) fn nodes(tree: &Tree, online: &[usize]) -> Vec<NumaNode> {
    let mut nodes: Vec<NumaNode> = tree
        .numbered(NODES, "node")
        .into_iter()
        .map(|id| {
            let file = |name: &str| format!("{NODES}/node{id}/{name}");
            let memory = tree.text(&file("meminfo")).unwrap_or_default();
            NumaNode {
                id,
                cpus: tree.list(&file("cpulist")).unwrap_or_default(),
                memory_bytes: node_kilobytes(&memory, "MemTotal:"),
                free_bytes: node_kilobytes(&memory, "MemFree:"),
                distances: tree
                    .text(&file("distance"))
                    .unwrap_or_default()
                    .split_whitespace()
                    .filter_map(|d| d.parse().ok())
                    .collect(),
            }
        })
        .collect();
    if nodes.is_empty() {
        nodes.push(NumaNode {
            id: 0,
            cpus: online.to_vec(),
            memory_bytes: memory_total(tree),
            free_bytes: None,
            distances: vec![10],
        });
    }
    nodes
}

/// A line of a node's meminfo: `Node 0 MemTotal:       24684480 kB`.
fn node_kilobytes(text: &str, key: &str) -> Option<u64> {
    text.lines().find_map(|line| {
        let mut words = line.split_whitespace().skip_while(|word| *word != key);
        words.next()?;
        words.next()?.parse::<u64>().ok()?.checked_mul(1024)
    })
}

fn meminfo(tree: &Tree, key: &str) -> Option<u64> {
    let value = tree.field("/proc/meminfo", key)?;
    value.split_whitespace().next()?.parse::<u64>().ok()?.checked_mul(1024)
}

/// Memory of the machine in bytes.
pub(crate) fn memory_total(tree: &Tree) -> Option<u64> {
    meminfo(tree, "MemTotal")
}

/// Memory in bytes that is still available to programs without swapping.
pub(crate) fn memory_available(tree: &Tree) -> Option<u64> {
    meminfo(tree, "MemAvailable").or_else(|| meminfo(tree, "MemFree"))
}
