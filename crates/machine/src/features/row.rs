//! A feature: its names, the bit that shows it, and what it needs of the operating system.

/// The group of a feature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Group {
    Vector,
    Avx512,
    Matrix,
    Bits,
    Cryptography,
    Memory,
    Synchronisation,
    Quality,
    Tracing,
    System,
}

impl Group {
    pub fn name(self) -> &'static str {
        match self {
            Group::Vector => "vector",
            Group::Avx512 => "AVX-512",
            Group::Matrix => "matrix",
            Group::Bits => "integer and bits",
            Group::Cryptography => "cryptography and random numbers",
            Group::Memory => "memory and cache",
            Group::Synchronisation => "synchronisation and waiting",
            Group::Quality => "cache and bandwidth monitoring and allocation",
            Group::Tracing => "time and tracing",
            Group::System => "protection and virtualisation",
        }
    }
}

/// One feature.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    pub id: &'static str,
    pub name: &'static str,
    pub group: Group,
    pub purpose: &'static str,
    pub flags: &'static [&'static str],
    pub presence: Presence,
    pub needs: Needs,
}

/// The output registers of CPUID.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Register {
    Eax,
    Ebx,
    Ecx,
    Edx,
}

/// One bit of CPUID's answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Bit {
    pub leaf: u32,
    pub subleaf: u32,
    pub register: Register,
    pub bit: u32,
}

/// How the presence of a feature is determined.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Presence {
    /// A CPUID bit; the kernel's flag when CPUID cannot be read.
    Bit(Bit),
    /// Any of two bits (Intel and AMD differ).
    Either(Bit, Bit),
    /// The kernel's `vmx flags`: the processor shows them to privileged code only.
    VmxFlag,
}

/// The requirement of a feature on the operating system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Needs {
    /// Nothing: the instruction works at every privilege level and uses only registers that are always saved.
    Nothing,
    /// Register state that the kernel saves at a switch: these bits of XCR0 (SDM volume 1, chapter 13).
    State(u64),
    /// Tile state, and the permission that a process requests (Documentation/arch/x86/xstate.rst).
    Tiles,
    /// The kernel must have enabled it; it then lists the row's flag in `/proc/cpuinfo`.
    Kernel,
    /// Transactions, which microcode and the kernel disable against side channels.
    Transactions,
    /// A file below a mounted resctrl file system (Documentation/filesystems/resctrl.rst).
    Resctrl(&'static str),
    /// A line in resctrl's list of monitored events.
    ResctrlEvent(&'static str),
    /// The perf driver of this name.
    PerfDriver(&'static str),
    /// Usable by the operating system only; programs profit indirectly.
    Privileged,
    /// The kernel's virtual-machine module must use it (its parameter of this name).
    VirtualMachines(&'static str),
}
