//! Counters of perf's drivers `power` (sockets) and `power_core` (cores of AMD's processors).

use super::counter::{Counter, Source};
use super::measured::{Domain, Interface};
use super::missing::{Missing, Why, of_error, readable};
use crate::perf_event::{self, Of};
use crate::topology::Topology;
use crate::tree::Tree;
use std::fs::File;

const DEVICES: &str = "/sys/bus/event_source/devices";

/// A driver, its event, and what this covers on a socket.
type Known = (&'static str, &'static str, fn(u32) -> Domain);

const EVENTS: [Known; 6] = [
    ("power", "energy-pkg", |socket| Domain::Package { socket }),
    ("power", "energy-ram", |socket| Domain::Memory { socket }),
    ("power", "energy-cores", |socket| Domain::Cores { socket }),
    ("power", "energy-gpu", |socket| Domain::Graphics { socket }),
    ("power", "energy-psys", |_| Domain::Platform),
    ("power_core", "energy-core", |socket| Domain::Cores { socket }),
];

/// An event as its driver describes it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Event {
    pub domain: Domain,
    pub kind: u32,
    pub number: u64,
    pub cpu: usize,
    pub unit: f64,
}

/// The events of this machine, one for each CPU that counts them.
pub(super) fn events(tree: &Tree, topology: &Topology) -> Vec<Event> {
    let mut events = Vec::new();
    for (driver, name, domain) in EVENTS {
        let file = |file: &str| format!("{DEVICES}/{driver}/{file}");
        let described = || {
            let kind = tree.number(&file("type"))?;
            let number = number(&tree.text(&file(&format!("events/{name}")))?)?;
            // Another unit would be another quantity.
            let unit = tree.text(&file(&format!("events/{name}.unit")))?;
            let scale: f64 = tree.number(&file(&format!("events/{name}.scale")))?;
            let cpus = tree.list(&file("cpumask"))?;
            (unit == "Joules" && scale.is_finite() && scale > 0.0).then_some((kind, number, scale, cpus))
        };
        let Some((kind, number, unit, cpus)) = described() else { continue };
        for cpu in cpus {
            let socket = topology.cpus.iter().find(|one| one.id == cpu).map_or(0, |one| one.socket as u32);
            events.push(Event { domain: domain(socket), kind, number, cpu, unit });
        }
    }
    events
}

/// The number in `event=0x02`.
fn number(text: &str) -> Option<u64> {
    let number = text.strip_prefix("event=")?;
    match number.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => number.parse().ok(),
    }
}

pub(super) fn counters(tree: &Tree, topology: &Topology) -> Result<Vec<Counter>, Missing> {
    let missing = |why| Missing { interface: Interface::Perf, why };
    let events = events(tree, topology);
    if !events.iter().any(|event| matches!(event.domain, Domain::Package { .. })) {
        return Err(missing(Why::Absent));
    }
    if !tree.is_live() {
        return Err(missing(Why::Recorded));
    }
    let mut counters = Vec::new();
    for event in events {
        match perf_event::open(event.kind, event.number, Of::Cpu(event.cpu)) {
            Ok(opened) => counters.push(Counter {
                domain: event.domain,
                source: Source::Event(File::from(opened)),
                unit: event.unit,
                modulus: None,
            }),
            Err(error) if matches!(event.domain, Domain::Package { .. }) => {
                return Err(missing(of_error(&error)));
            }
            Err(_) => (),
        }
    }
    readable(counters).map_err(missing)
}
