//! Counters in the registers of the processor (`msr(4)`).
//!
//! Intel: MSR_RAPL_POWER_UNIT and MSR_*_ENERGY_STATUS (*Software Developer's Manual* vol. 4). AMD, from family 17h: MSRC001_0299 to
//! MSRC001_029B (*Processor Programming Reference*). Each counter has 32 bits.

use super::counter::{Counter, Source, register_at};
use super::measured::{Domain, Interface};
use super::missing::{Missing, Why, of_error, readable};
use crate::processor::Processor;
use crate::topology::Topology;
use crate::tree::Tree;
use std::collections::BTreeMap;
use std::fs::File;

/// Registers of one vendor.
struct Registers {
    /// Bits 12 to 8: the unit is a joule over two to the power of this number.
    unit: u64,
    package: u64,
    /// The cores of a socket, where one register has all of them.
    cores: Option<u64>,
    /// One core.
    core: Option<u64>,
    memory: Option<u64>,
}

const INTEL: Registers =
    Registers { unit: 0x606, package: 0x611, cores: Some(0x639), core: None, memory: Some(0x619) };
const AMD: Registers =
    Registers { unit: 0xc001_0299, package: 0xc001_029b, cores: None, core: Some(0xc001_029a), memory: None };

const MODULUS: u64 = 1 << 32;

/// Models of Intel's family 6 whose memory counts in 2^-16 J whatever the unit says (`arch/x86/events/rapl.c`,
/// RAPL_UNIT_QUIRK_INTEL_HSW and RAPL_UNIT_QUIRK_INTEL_SPR; numbers from `arch/x86/include/asm/intel-family.h`).
const MEMORY_IN_2_16: [u32; 12] = [
    0x3f, // Haswell, servers
    0x4f, 0x56, // Broadwell, servers
    0x55, // Skylake, servers, and their successors of this model
    0x57, 0x85, // Knights Landing, Knights Mill
    0x6a, 0x6c, // Ice Lake, servers
    0x8f, 0xcf, // Sapphire Rapids, Emerald Rapids
    0xad, 0xae, // Granite Rapids
];
/// Family 6 of Intel, the first of AMD that has these registers.
const INTEL_FAMILY: u32 = 6;
const AMD_FAMILY: u32 = 0x17;

/// The registers of a processor, and whether its memory counts in a unit of its own.
fn registers(processor: &Processor) -> Option<(&'static Registers, bool)> {
    let (family, model) = (processor.family?, processor.model?);
    match processor.vendor.as_str() {
        "GenuineIntel" if family == INTEL_FAMILY => Some((&INTEL, MEMORY_IN_2_16.contains(&model))),
        "AuthenticAMD" | "HygonGenuine" if family >= AMD_FAMILY => Some((&AMD, false)),
        _ => None,
    }
}

pub(super) fn counters(
    tree: &Tree,
    topology: &Topology,
    processor: &Processor,
) -> Result<Vec<Counter>, Missing> {
    let missing = |why| Missing { interface: Interface::Msr, why };
    let Some((registers, is_special)) = registers(processor) else { return Err(missing(Why::Absent)) };
    let file = |cpu: usize| format!("/dev/cpu/{cpu}/msr");
    // The place of a register in the file is its number (msr(4)). In a plain file neighbours would overlap, so that recorded ones have
    // eight bytes for each.
    let place = |register: u64| if tree.is_live() { register } else { register * 8 };
    // The first CPU of each socket.
    let mut first: BTreeMap<usize, usize> = BTreeMap::new();
    for cpu in &topology.cpus {
        first.entry(cpu.socket).or_insert(cpu.id);
    }
    if first.is_empty() || !first.values().all(|&cpu| tree.exists(&file(cpu))) {
        return Err(missing(Why::Absent));
    }
    let open = |cpu: usize| File::open(tree.path(&file(cpu)));
    let mut counters = Vec::new();
    for (&socket, &cpu) in &first {
        let opened = open(cpu).map_err(|error| missing(of_error(&error)))?;
        let power = register_at(&opened, place(registers.unit)).map_err(|error| missing(of_error(&error)))?;
        let unit = 0.5_f64.powi((power >> 8 & 0x1f) as i32);
        let socket = socket as u32;
        let of_memory = if is_special { 0.5_f64.powi(16) } else { unit };
        let whole = [
            (Some(registers.package), Domain::Package { socket }, unit),
            (registers.cores, Domain::Cores { socket }, unit),
            (registers.memory, Domain::Memory { socket }, of_memory),
        ];
        for (register, domain, unit) in whole {
            let Some(register) = register else { continue };
            // Many processors lack the counters of parts: reading one fails then, or gives nothing but zero.
            let there = register_at(&opened, place(register)).is_ok_and(|value| value != 0);
            if there || matches!(domain, Domain::Package { .. }) {
                let file = opened.try_clone().map_err(|error| missing(of_error(&error)))?;
                counters.push(Counter {
                    domain,
                    source: Source::Register(file, place(register)),
                    unit,
                    modulus: Some(MODULUS),
                });
            }
        }
        let Some(register) = registers.core else { continue };
        // One CPU of each core.
        let cores = topology.cpus.iter().filter(|one| one.socket as u32 == socket);
        for one in cores.filter(|one| one.siblings.iter().min().is_none_or(|&least| least == one.id)) {
            let Ok(opened) = open(one.id) else { continue };
            counters.push(Counter {
                domain: Domain::Cores { socket },
                source: Source::Register(opened, place(register)),
                unit,
                modulus: Some(MODULUS),
            });
        }
    }
    readable(counters).map_err(missing)
}
