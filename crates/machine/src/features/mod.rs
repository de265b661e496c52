//! Processor features: their purpose, whether the processor has them, and whether programs may use them.
//!
//! CPUID states the presence (Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2A, CPUID;
//! AMD64 Architecture Programmer's Manual, volume 3, appendix E). Use also needs the operating system: saved
//! register state (XCR0), a permission (AMX), a driver (processor trace), a mounted file system (resctrl).
//! The list itself is [`table`]: one row per feature.

mod cpuid;
mod permission;
mod row;
mod table;

use crate::processor::CpuInfo;
use crate::tree::Tree;
use permission::Host;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use table::TABLE;

/// One feature of the processor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Feature {
    /// Stable name, lower case ("avx512_vnni").
    pub id: String,
    /// Name as manuals print it.
    pub name: String,
    /// Its group ("vector", "bit manipulation", ...).
    pub group: String,
    /// Its purpose, in one line.
    pub purpose: String,
    /// The processor has it.
    pub present: bool,
    /// The operating system lets programs use it; a feature for the system only (the note says so) is used by
    /// the system. Only meaningful when present.
    pub enabled: bool,
    /// Why it is not enabled and the remedy, or another note.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub note: Option<String>,
}

impl Feature {
    /// The processor has it and programs may use it.
    pub fn usable(&self) -> bool {
        self.present && self.enabled
    }
}

/// Every feature of the table, as this machine has it.
pub(crate) fn read(tree: &Tree, info: &CpuInfo) -> Vec<Feature> {
    let host = Host::read(tree, info);
    TABLE
        .iter()
        .map(|row| {
            let present = cpuid::present(row, tree, info);
            let permission = if present { row.needs.check(row, &host) } else { Ok(None) };
            Feature {
                id: row.id.to_owned(),
                name: row.name.to_owned(),
                group: row.group.name().to_owned(),
                purpose: row.purpose.to_owned(),
                present,
                enabled: present && permission.is_ok(),
                note: match permission {
                    Ok(note) => note,
                    Err(reason) => Some(reason),
                },
            }
        })
        .collect()
}

#[cfg(test)]
mod tests;
