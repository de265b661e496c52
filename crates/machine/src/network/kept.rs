//! Keeps what communication takes, beside the machine's ceilings.

use super::Network;
use crate::cache::{VERSION, keyed_file, own_folder, store, stored};
use crate::{Error, Machine};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The content of a file.
#[derive(Serialize, Deserialize)]
struct Stored {
    version: u32,
    processor: String,
    network: Network,
}

/// Launchers bind ranks to different CPUs from run to run: unlike ceilings, these figures are those of the machine with any of them.
fn key(machine: &Machine) -> String {
    let of = &machine.processor;
    let hypervisor = machine.hypervisor.as_deref().unwrap_or("none");
    format!("{} {} {:?}/{:?}/{:?} on {hypervisor}", of.vendor, of.name, of.family, of.model, of.stepping)
}

/// What was measured on this machine, if it was. A file that is damaged or of another machine gives none.
pub fn load_network(machine: &Machine) -> Option<Network> {
    let key = key(machine);
    let stored: Stored = stored(&keyed_file(&own_folder().ok()?, "network", &key)).ok()??;
    (stored.processor == key).then_some(stored.network)
}

/// Keeps what was measured on this machine; returns the file.
///
/// # Errors
/// When the file cannot be written.
pub fn store_network(machine: &Machine, network: &Network) -> Result<PathBuf, Error> {
    let key = key(machine);
    let path = keyed_file(&own_folder()?, "network", &key);
    store(&path, &Stored { version: VERSION, processor: key, network: network.clone() })?;
    Ok(path)
}
