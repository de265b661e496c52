//! The machine and the operating system.

use super::words::percent;
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt;

/// The machine and the operating system.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[schemars(rename = "MachineEvidence")]
pub enum Machine {
    /// Nothing is known about the machine.
    MachineUnknown,
    /// Vector registers of the machine.
    MachineRegisters {
        /// Bits of a register that programs may use.
        bits: u32,
        /// Fused multiply-adds are worth naming, and the machine has them.
        fused: bool,
    },
    /// The machine has fused multiply-adds.
    MachineHasFma {
        /// Its processor; empty where that is not known.
        processor: String,
    },
    /// Registers and instructions of a library's hottest loop.
    LibraryKernel {
        /// Function of the loop.
        function: String,
        /// Bits of a register.
        bits: u32,
        /// It has fused multiply-adds.
        fused: bool,
    },
    /// Bandwidth of memory from one core to all.
    MemoryScaling {
        /// Factor.
        factor: f64,
    },
    /// Loops that share the bandwidth of main memory.
    SharedBandwidth {
        /// Their share of the CPU time.
        share: f64,
    },
    /// A benchmark with non-temporal stores.
    StreamingStores {
        /// How many times as fast as with plain ones.
        times: f64,
    },
    /// Time in the kernel.
    SystemTime {
        /// Seconds in the kernel.
        seconds: f64,
        /// Seconds of CPU time in all.
        cpu_seconds: f64,
    },
    /// Page faults that need no disk.
    MinorFaults {
        /// Faults.
        faults: u64,
        /// Seconds of CPU time in all.
        cpu_seconds: f64,
    },
    /// Faults against the pages that were ever resident.
    FaultsPerPage {
        /// Pages resident at the peak.
        pages: u64,
        /// How many times as many faults.
        times: f64,
        /// Memory that went back to the system is touched anew, again and again.
        again: bool,
    },
    /// What a fault costs.
    FaultTime {
        /// Seconds, at least and at most.
        seconds: (f64, f64),
    },
}

/// Up to here two numbers of pages are about the same.
const ABOUT: f64 = 1.15;

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MachineUnknown => write!(f, "no gain is predicted without facts about the machine"),
            Self::MachineRegisters { bits, fused } => write!(
                f,
                "this machine has {bits}-bit registers that programs may use{}",
                if *fused { ", and fused multiply-adds" } else { "" }
            ),
            Self::MachineHasFma { processor } => {
                write!(f, "{} has FMA", if processor.is_empty() { "this machine" } else { processor })
            }
            Self::LibraryKernel { function, bits, fused } => write!(
                f,
                "its hottest loop, in {function}, uses {bits}-bit registers with {}",
                if *fused { "fused multiply-adds" } else { "separate multiplications and additions" }
            ),
            Self::MemoryScaling { factor } => {
                write!(f, "memory bandwidth grows by a factor of {factor:.1} from one core to all")
            }
            Self::SharedBandwidth { share } => write!(
                f,
                "loops with {} of the CPU time run at the bandwidth of main memory, which all cores share",
                percent(*share)
            ),
            Self::StreamingStores { times } => write!(
                f,
                "this machine's benchmark of that kind runs {times:.2} times as fast with non-temporal stores"
            ),
            Self::SystemTime { seconds, cpu_seconds } => write!(
                f,
                "{seconds:.2} s of {cpu_seconds:.2} s CPU time are system time ({})",
                percent(seconds / cpu_seconds)
            ),
            Self::MinorFaults { faults, cpu_seconds } => write!(
                f,
                "{faults} minor page faults, {:.0} per second of CPU time",
                *faults as f64 / cpu_seconds
            ),
            Self::FaultsPerPage { pages, times, again: true } => write!(
                f,
                "that is {times:.1} times the {pages} pages ever resident: memory goes back and forth"
            ),
            Self::FaultsPerPage { pages, times, .. } if *times > ABOUT => write!(
                f,
                "that is {times:.1} times the {pages} pages resident at the peak: these are touched for the first time, and the rest is \
                 memory that went back to the system in between"
            ),
            Self::FaultsPerPage { pages, .. } => write!(
                f,
                "about as many as the {pages} pages resident at the peak: each is touched for the first time"
            ),
            Self::FaultTime { seconds } => {
                write!(f, "a fault costs {:.2} to {:.1} µs", seconds.0 * 1e6, seconds.1 * 1e6)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::tests::hold;

    #[test]
    fn in_words() {
        let registers = |fused| Machine::MachineRegisters { bits: 256, fused };
        let kernel = |fused| Machine::LibraryKernel { function: "dgemm".into(), bits: 128, fused };
        hold(&[
            (Machine::MachineUnknown, "no gain is predicted without facts about the machine"),
            (registers(false), "this machine has 256-bit registers that programs may use"),
            (
                registers(true),
                "this machine has 256-bit registers that programs may use, and fused multiply-adds",
            ),
            (Machine::MachineHasFma { processor: "EPYC".into() }, "EPYC has FMA"),
            (Machine::MachineHasFma { processor: String::new() }, "this machine has FMA"),
            (kernel(true), "its hottest loop, in dgemm, uses 128-bit registers with fused multiply-adds"),
            (
                kernel(false),
                "its hottest loop, in dgemm, uses 128-bit registers with separate multiplications and additions",
            ),
            (
                Machine::MemoryScaling { factor: 2.5 },
                "memory bandwidth grows by a factor of 2.5 from one core to all",
            ),
            (
                Machine::SharedBandwidth { share: 0.4 },
                "loops with 40.0 % of the CPU time run at the bandwidth of main memory, which all cores share",
            ),
            (
                Machine::StreamingStores { times: 1.4 },
                "this machine's benchmark of that kind runs 1.40 times as fast with non-temporal stores",
            ),
            (
                Machine::SystemTime { seconds: 0.5, cpu_seconds: 2.0 },
                "0.50 s of 2.00 s CPU time are system time (25.0 %)",
            ),
            (
                Machine::MinorFaults { faults: 5000, cpu_seconds: 2.0 },
                "5000 minor page faults, 2500 per second of CPU time",
            ),
            (
                Machine::FaultsPerPage { pages: 100, times: 50.0, again: true },
                "that is 50.0 times the 100 pages ever resident: memory goes back and forth",
            ),
            (
                Machine::FaultsPerPage { pages: 100, times: 1.5, again: false },
                "that is 1.5 times the 100 pages resident at the peak: these are touched for the first time, and the rest is memory that \
                 went back to the system in between",
            ),
            (
                Machine::FaultsPerPage { pages: 100, times: 1.04, again: false },
                "about as many as the 100 pages resident at the peak: each is touched for the first time",
            ),
            (Machine::FaultTime { seconds: (0.25e-6, 2.5e-6) }, "a fault costs 0.25 to 2.5 µs"),
        ]);
    }
}
