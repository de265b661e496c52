//! Counters in `/sys/class/powercap` (Documentation/power/powercap/powercap.rst).

use super::counter::{Counter, Source};
use super::measured::{Domain, Interface};
use super::missing::{Missing, Why, readable};
use crate::tree::Tree;
use std::collections::BTreeSet;

const FOLDER: &str = "/sys/class/powercap";
/// Joules of a microjoule.
const UNIT: f64 = 1e-6;

/// Folders of zones with a counter: sockets (`intel-rapl:0`) and their parts (`intel-rapl:0:1`). AMD's have the same names.
pub(crate) fn zones(tree: &Tree) -> Vec<String> {
    // On some machines a second driver (`intel-rapl-mmio`) shows the same sockets again.
    let of = |driver: &str| -> Vec<String> {
        let prefix = format!("{driver}:");
        let names = tree.names(FOLDER).into_iter().filter(|name| name.starts_with(&prefix));
        names.filter(|name| tree.exists(&file(name, "energy_uj"))).collect()
    };
    ["intel-rapl", "intel-rapl-mmio"].into_iter().map(of).find(|zones| !zones.is_empty()).unwrap_or_default()
}

/// Whether a zone is a socket, or the board, rather than a part of one.
pub(crate) fn is_outer(zone: &str) -> bool {
    zone.matches(':').count() == 1
}

/// The name of a file of a zone.
pub(crate) fn file(zone: &str, name: &str) -> String {
    format!("{FOLDER}/{zone}/{name}")
}

pub(super) fn counters(tree: &Tree) -> Result<Vec<Counter>, Missing> {
    let missing = |why| Missing { interface: Interface::Powercap, why };
    let zones = zones(tree);
    if zones.is_empty() {
        return Err(missing(Why::Absent));
    }
    let mut counters: Vec<Counter> = Vec::new();
    for zone in zones {
        let Some(domain) = domain(tree, &zone) else { continue };
        let source = Source::Text(tree.path(&file(&zone, "energy_uj")));
        // The last value before it begins at zero.
        let modulus =
            tree.number::<u64>(&file(&zone, "max_energy_range_uj")).map(|last| last.saturating_add(1));
        counters.push(Counter { domain, source, unit: UNIT, modulus });
    }
    readable(counters).map_err(missing)
}

/// What a zone covers, by its name: `package-0`, `package-0-die-1`, `dram`, `core`, `uncore`, `psys`.
fn domain(tree: &Tree, zone: &str) -> Option<Domain> {
    let name = |zone: &str| tree.text(&file(zone, "name"));
    let own = name(zone)?;
    if own == "psys" {
        return Some(Domain::Platform);
    }
    let outer: String = zone.split(':').take(2).collect::<Vec<_>>().join(":");
    let socket = socket(&name(&outer)?)?;
    match own.as_str() {
        _ if is_outer(zone) => Some(Domain::Package { socket }),
        "dram" => Some(Domain::Memory { socket }),
        "core" => Some(Domain::Cores { socket }),
        // What is outside the cores is the graphics unit on the processors that have this counter.
        "uncore" => Some(Domain::Graphics { socket }),
        _ => None,
    }
}

/// The socket of `package-0` and `package-0-die-1`.
fn socket(name: &str) -> Option<u32> {
    let number = name.strip_prefix("package-")?;
    number.split('-').next()?.parse().ok()
}

/// The zones of sockets.
pub(crate) fn sockets(tree: &Tree) -> BTreeSet<String> {
    zones(tree).into_iter().filter(|zone| is_outer(zone)).collect()
}
