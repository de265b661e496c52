//! The CPUID bits of features, and how they are read.

use super::row::{Bit, Presence, Register, Row};
use crate::processor::CpuInfo;
use crate::tree::Tree;

/// Whether the processor has the feature.
pub(super) fn present(row: &Row, tree: &Tree, info: &CpuInfo) -> bool {
    let flagged = || row.flags.iter().any(|flag| info.flags.contains(*flag));
    match row.presence {
        Presence::VmxFlag => row.flags.iter().any(|flag| info.vmx_flags.contains(*flag)),
        Presence::Bit(bit) if tree.is_live() => ask(bit).unwrap_or_else(flagged),
        Presence::Either(one, other) if tree.is_live() => match (ask(one), ask(other)) {
            (None, None) => flagged(),
            (a, b) => a == Some(true) || b == Some(true),
        },
        Presence::Bit(_) | Presence::Either(..) => flagged(),
    }
}

/// The bit's value on the running processor; `None` when this architecture has no CPUID.
#[cfg(target_arch = "x86_64")]
pub(super) fn ask(bit: Bit) -> Option<bool> {
    let highest = raw_cpuid::cpuid!(bit.leaf & 0x8000_0000).eax;
    if bit.leaf > highest {
        return Some(false);
    }
    // Leaf 7 states its number of subleaves; above them Intel returns zero.
    if bit.leaf == 7 && bit.subleaf > raw_cpuid::cpuid!(7, 0).eax {
        return Some(false);
    }
    let answer = raw_cpuid::cpuid!(bit.leaf, bit.subleaf);
    let register = match bit.register {
        Register::Eax => answer.eax,
        Register::Ebx => answer.ebx,
        Register::Ecx => answer.ecx,
        Register::Edx => answer.edx,
    };
    Some(register >> bit.bit & 1 == 1)
}

#[cfg(not(target_arch = "x86_64"))]
pub(super) fn ask(_bit: Bit) -> Option<bool> {
    None
}
