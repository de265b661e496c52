//! Executes an operation and reports which of the program's functions and instructions ran.
//!
//! All of the program's code is overwritten with breakpoints (`int3`, Intel SDM volume 2). The processor
//! traps where it arrives for the first time, and the tracer restores the instructions up to the next branch,
//! which all execute then: the restored code is the executed code, and loops run at full speed. Only the
//! program's own file is observed: the C library chooses levels of its own.

use iced_x86::{CpuidFeature, Decoder, DecoderOptions, EncodingKind, FlowControl, Instruction};
use loopwright_kernels::{Isa, Profile, processor, tuning};
use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::sys::ptrace;
use nix::sys::signal::Signal;
use nix::sys::wait::{WaitStatus, waitpid};
use nix::unistd::Pid;
use object::{Object, ObjectSection, ObjectSymbol, SymbolKind};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

/// The code that ran between the stops.
pub struct Executed {
    /// Demangled names of the functions.
    pub functions: BTreeSet<String>,
    /// The highest level that an instruction needs, and its place.
    pub highest: Option<(Isa, String)>,
}

/// The program: its code and its functions.
pub struct Program {
    path: &'static str,
    code_address: u64,
    code: Vec<u8>,
    /// End and name of the functions by address.
    functions: BTreeMap<u64, (u64, String)>,
}

/// One-byte breakpoint.
const INT3: u8 = 0xcc;

impl Program {
    pub fn read(path: &'static str) -> Program {
        let bytes = std::fs::read(path).unwrap();
        let file = object::File::parse(&*bytes).unwrap();
        let text = file.section_by_name(".text").unwrap();
        let function = |symbol: object::Symbol| {
            let name = format!("{:#}", rustc_demangle::demangle(symbol.name().ok()?));
            Some((symbol.address(), (symbol.address() + symbol.size(), name)))
        };
        Program {
            path,
            code_address: text.address(),
            code: text.data().unwrap().to_vec(),
            functions: file.symbols().filter(|s| s.kind() == SymbolKind::Text).filter_map(function).collect(),
        }
    }

    /// Runs an operation. An error states why processes cannot be traced here.
    pub fn execute(
        &self,
        kernel: &str,
        operation: &str,
        variable: Option<Isa>,
        with: Option<Isa>,
        profile: &Profile,
    ) -> Result<Executed, String> {
        let mut command = Command::new(self.path);
        command.args(["exercise", kernel, operation, "--stops"]).env_remove("LOOPWRIGHT_ISA");
        // Neither the present processor nor calibrated constants decide which code runs.
        command.env(processor::VARIABLE, &profile.name).env(tuning::VARIABLE, "none");
        if let Some(isa) = variable {
            command.env("LOOPWRIGHT_ISA", isa.name());
        }
        if let Some(isa) = with {
            command.args(["--with", isa.name()]);
        }
        command.stdin(Stdio::null()).stdout(Stdio::null());
        // SAFETY: the request to be traced is a system call, which is allowed between fork and exec.
        unsafe { command.pre_exec(|| ptrace::traceme().map_err(std::io::Error::from)) };
        let mut child = command.spawn().map_err(|e| format!("processes cannot be traced here: {e}"))?;
        let addresses = self.traced(&child);
        // After an error the child is still stopped at a breakpoint. The tracer may have waited for its end already.
        let _ = (child.kill(), child.wait());
        let addresses = addresses.unwrap_or_else(|e| panic!("{kernel} {operation}: {e}"));
        Ok(self.explain(&addresses))
    }

    /// Addresses within the file of the code that ran between the stops.
    fn traced(&self, child: &Child) -> Result<BTreeSet<u64>, String> {
        let pid = Pid::from_raw(child.id().try_into().map_err(|e| format!("{e}"))?);
        let wait = || waitpid(pid, None).map_err(|e| format!("waitpid: {e}"));
        let go_on = || ptrace::cont(pid, None).map_err(|e| format!("ptrace: {e}"));
        // Skips stops that are not the program's own: the start by exec.
        let until_stopped = || loop {
            match wait()? {
                WaitStatus::Stopped(_, Signal::SIGSTOP) => return Ok(()),
                WaitStatus::Stopped(_, Signal::SIGTRAP) => {}
                WaitStatus::Stopped(_, signal) => return Err(format!("was stopped by {signal}")),
                other => return Err(format!("ended before it stopped: {other:?}")),
            }
            go_on()?;
        };
        until_stopped()?;
        let base = self.base(pid)?;
        let memory =
            File::options().write(true).open(format!("/proc/{pid}/mem")).map_err(|e| e.to_string())?;
        let write = |bytes: &[u8], address: u64| {
            memory.write_all_at(bytes, base + address).map_err(|e| format!("/proc/{pid}/mem: {e}"))
        };
        // Compilers put no data between the instructions of x86-64, so that only execution meets the breakpoints.
        write(&vec![INT3; self.code.len()], self.code_address)?;
        let mut addresses = BTreeSet::new();
        loop {
            go_on()?;
            match wait()? {
                WaitStatus::Stopped(_, Signal::SIGTRAP) => {}
                WaitStatus::Stopped(_, Signal::SIGSTOP) => break,
                other => return Err(format!("ended within the operation: {other:?}")),
            }
            // The processor traps after the breakpoint.
            let mut registers = ptrace::getregs(pid).map_err(|e| format!("ptrace: {e}"))?;
            registers.rip -= 1;
            let address = registers.rip.wrapping_sub(base);
            let code =
                self.code_at(address).ok_or_else(|| format!("a trap at {address:#x} is not one of ours"))?;
            if addresses.contains(&address) {
                return Err(format!("{address:#x} trapped twice"));
            }
            let run = straight_run(code, address, &mut addresses);
            write(&code[..run], address)?;
            ptrace::setregs(pid, registers).map_err(|e| format!("ptrace: {e}"))?;
        }
        write(&self.code, self.code_address)?;
        go_on()?;
        match wait()? {
            WaitStatus::Exited(_, 0) => Ok(addresses),
            other => Err(format!("failed: {other:?}")),
        }
    }

    /// The code from an address within the file.
    fn code_at(&self, address: u64) -> Option<&[u8]> {
        let offset = usize::try_from(address.checked_sub(self.code_address)?).ok()?;
        self.code.get(offset..).filter(|code| !code.is_empty())
    }

    /// The address of the file's first byte in the process.
    fn base(&self, pid: Pid) -> Result<u64, String> {
        let maps = std::fs::read_to_string(format!("/proc/{pid}/maps")).map_err(|e| e.to_string())?;
        let path = std::fs::canonicalize(self.path).map_err(|e| e.to_string())?;
        let line = maps.lines().find(|line| line.ends_with(&*path.to_string_lossy()));
        let start = line.and_then(|line| line.split('-').next());
        let start = start.ok_or("the program's file is not mapped")?;
        u64::from_str_radix(start, 16).map_err(|e| e.to_string())
    }

    fn explain(&self, addresses: &BTreeSet<u64>) -> Executed {
        let mut executed = Executed { functions: BTreeSet::new(), highest: None };
        for &address in addresses {
            let function =
                self.functions.range(..=address).next_back().filter(|(_, (end, _))| address < *end);
            let name = function.map_or("no function", |(_, (_, name))| name.as_str());
            executed.functions.insert(name.to_owned());
            let instruction = instruction(self.code_at(address).expect("it trapped there"), address);
            let level = level(&instruction);
            if executed.highest.as_ref().is_none_or(|(highest, _)| level > *highest) {
                executed.highest = Some((level, format!("{:?} in {name}", instruction.code())));
            }
        }
        executed
    }
}

/// Adds the addresses that execute without a branch from `address` on to the executed ones, up to an already
/// executed one; returns the length in bytes. One trap for all of them instead of one for each instruction.
fn straight_run(code: &[u8], address: u64, executed: &mut BTreeSet<u64>) -> usize {
    let mut length = 0;
    while length < code.len() && executed.insert(address + length as u64) {
        let next = instruction(&code[length..], address + length as u64);
        length += next.len();
        if next.is_invalid() || next.flow_control() != FlowControl::Next {
            break;
        }
    }
    length.min(code.len())
}

/// The first instruction of some code.
fn instruction(code: &[u8], address: u64) -> Instruction {
    Decoder::with_ip(64, code, address, DecoderOptions::NONE).decode()
}

/// Keeps this thread, and the programs that it starts, on one CPU: a trap is then a switch between two
/// processes there, several times as fast as waking another CPU.
pub fn pin(which: usize) {
    let here = Pid::from_raw(0);
    let Ok(allowed) = sched_getaffinity(here) else { return };
    let cpus: Vec<usize> = (0..CpuSet::count()).filter(|&cpu| allowed.is_set(cpu).unwrap_or(false)).collect();
    let mut one = CpuSet::new();
    if let Some(&cpu) = cpus.get(which % cpus.len().max(1)) {
        // Without it the test is slower, not wrong.
        let _ = one.set(cpu).and_then(|()| sched_setaffinity(here, &one));
    }
}

/// The lowest level whose processors, or whose extras, have the instruction.
fn level(instruction: &Instruction) -> Isa {
    match instruction.code().encoding() {
        EncodingKind::EVEX => return Isa::Avx512,
        EncodingKind::VEX | EncodingKind::XOP => return Isa::Avx2,
        _ => {}
    }
    let of = |feature: &CpuidFeature| match feature {
        CpuidFeature::SSE3
        | CpuidFeature::SSSE3
        | CpuidFeature::SSE4_1
        | CpuidFeature::SSE4_2
        | CpuidFeature::POPCNT
        | CpuidFeature::AES
        | CpuidFeature::PCLMULQDQ
        | CpuidFeature::SHA
        | CpuidFeature::GFNI => Isa::Sse42,
        CpuidFeature::BMI1
        | CpuidFeature::BMI2
        | CpuidFeature::LZCNT
        | CpuidFeature::MOVBE
        | CpuidFeature::ADX => Isa::Avx2,
        _ => Isa::Scalar,
    };
    instruction.cpuid_features().iter().map(of).max().unwrap_or(Isa::Scalar)
}
