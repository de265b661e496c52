//! An oracle that needs no other tool: runs a program one instruction at a time and records the addresses.
//!
//! Slow (a few microseconds a step) and therefore for programs of at most some millions of steps, but with
//! little room for errors: the processor itself traps after each instruction (Intel SDM volume 3, section
//! 18.3.1.4, the TF flag). Steps outside of the program's own file are skipped, and library functions that
//! are known to call nothing back run at full speed.

use iced_x86::{Decoder, DecoderOptions, FlowControl, Instruction, Mnemonic, OpKind, Register};
use loopwright_binary::image::Image;
use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::sys::ptrace;
use nix::sys::signal::Signal;
use nix::sys::wait::{WaitStatus, waitpid};
use nix::unistd::Pid;
use std::collections::HashMap;
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Recorded for code outside of the program's file.
pub const ELSEWHERE: u64 = 0;

/// More steps than this are an error of the test.
const MOST_STEPS: usize = 12_000_000;

/// Library functions that return to their caller and call nothing of the program.
const CALL_NOTHING: &[&str] = &[
    "printf",
    "fprintf",
    "puts",
    "putchar",
    "malloc",
    "calloc",
    "free",
    "memcpy",
    "memmove",
    "memset",
    "memcmp",
    "bcmp",
    "strcmp",
    "strtol",
    "fopen",
    "fwrite",
    "fclose",
    "__printf_chk",
    "__fprintf_chk",
];

/// The record of a run.
pub struct Trace {
    /// ELF addresses of the executed instructions in order; a stretch outside is one [`ELSEWHERE`].
    pub steps: Vec<u64>,
    /// What the program printed.
    pub stdout: Vec<u8>,
    /// Its exit status as a shell shows it.
    pub status: i32,
    /// Accesses of instructions with one plain memory operand, by ELF address.
    pub accessed: HashMap<u64, Accessed>,
}

/// The accesses of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Accessed {
    pub executions: u64,
    /// Lowest address.
    pub low: u64,
    /// Highest address.
    pub high: u64,
}

/// Number of programs stepped so far: each takes the next processor.
static NEXT: AtomicUsize = AtomicUsize::new(0);

/// Runs the program of this image to its end, step by step from its entry point.
pub fn trace(image: &Image, program: &Path, arguments: &[String], folder: &Path) -> Trace {
    // Tracer and program run in turn: on one processor each hands over directly, several times faster. In a
    // thread of its own, because every process that it starts inherits the choice.
    std::thread::scope(|scope| {
        let stepping = scope.spawn(|| {
            let mut here = CpuSet::new();
            let allowed = sched_getaffinity(Pid::from_raw(0)).unwrap();
            let cpus = || (0..CpuSet::count()).filter(|&k| allowed.is_set(k).unwrap_or(false));
            let turn = NEXT.fetch_add(1, Ordering::Relaxed) % cpus().count().max(1);
            here.set(cpus().nth(turn).unwrap()).unwrap();
            sched_setaffinity(Pid::from_raw(0), &here).unwrap();
            steps_of(image, program, arguments, folder)
        });
        stepping.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

fn steps_of(image: &Image, program: &Path, arguments: &[String], folder: &Path) -> Trace {
    let output = tempfile::tempfile().unwrap();
    let mut command = Command::new(program);
    command.args(arguments).current_dir(folder).stdin(Stdio::null()).stderr(Stdio::null());
    command.stdout(output.try_clone().unwrap());
    // Library functions are entered without first calling the loader.
    command.env("LD_BIND_NOW", "1");
    // SAFETY: the closure runs between fork and exec and makes one system call; it allocates nothing.
    unsafe { command.pre_exec(|| ptrace::traceme().map_err(std::io::Error::from)) };
    #[expect(clippy::zombie_processes, reason = "waited for through its process id")]
    let child = command.spawn().unwrap();
    let pid = Pid::from_raw(child.id() as i32);
    assert_eq!(waitpid(pid, None).unwrap(), WaitStatus::Stopped(pid, Signal::SIGTRAP), "stops at exec");
    ptrace::setoptions(pid, ptrace::Options::PTRACE_O_EXITKILL).unwrap();

    let space = Space::of(pid, program);
    run_to(pid, space.base + space.entry);
    let mut steps = Vec::new();
    let mut harmless: HashMap<u64, bool> = HashMap::new();
    let mut pending = None;
    let mut last = ELSEWHERE;
    let mut operands: HashMap<u64, Option<Instruction>> = HashMap::new();
    let mut accessed = HashMap::new();
    let status = loop {
        let registers = ptrace::getregs(pid).unwrap();
        let at = registers.rip;
        if space.holds(at) {
            // The trap comes after each repetition of a string instruction: still the same execution.
            let address = at - space.base;
            if !(address == last && space.repeats(address)) {
                steps.push(address);
                let plain = operands.entry(address).or_insert_with(|| plain_operand(image, address));
                if let Some(i) = plain {
                    note(accessed.entry(address).or_insert(NOTHING), address_of(i, &registers, space.base));
                }
            }
            last = address;
        } else {
            if last != ELSEWHERE {
                steps.push(ELSEWHERE);
                if *harmless.entry(last).or_insert_with(|| calls_nothing(image, last)) {
                    let stack = ptrace::getregs(pid).unwrap().rsp;
                    let back = ptrace::read(pid, stack as ptrace::AddressType).unwrap() as u64;
                    if space.holds(back) {
                        run_to(pid, back);
                        last = ELSEWHERE;
                        continue;
                    }
                }
            }
            last = ELSEWHERE;
        }
        assert!(steps.len() < MOST_STEPS, "{}: too many steps", program.display());
        ptrace::step(pid, pending.take()).unwrap();
        match waitpid(pid, None).unwrap() {
            WaitStatus::Stopped(_, Signal::SIGTRAP) => {}
            WaitStatus::Stopped(_, signal) => pending = Some(signal),
            WaitStatus::Exited(_, status) => break status,
            WaitStatus::Signaled(_, signal, _) => break 128 + signal as i32,
            other => panic!("{}: {other:?}", program.display()),
        }
    };
    let mut stdout = Vec::new();
    let mut output = output;
    std::io::Seek::rewind(&mut output).unwrap();
    output.read_to_end(&mut stdout).unwrap();
    Trace { steps, stdout, status, accessed }
}

const NOTHING: Accessed = Accessed { executions: 0, low: u64::MAX, high: 0 };

fn note(seen: &mut Accessed, address: u64) {
    seen.executions += 1;
    seen.low = seen.low.min(address);
    seen.high = seen.high.max(address);
}

/// The instruction at this ELF address, if it accesses memory through one explicit operand, all of it.
fn plain_operand(image: &Image, address: u64) -> Option<Instruction> {
    const LONGEST: u64 = 15;
    let code = (1..=LONGEST).rev().find_map(|n| image.code(address, address + n))?;
    let i = Decoder::with_ip(64, code, address, DecoderOptions::NONE).decode();
    let explicit = (0..i.op_count()).any(|k| i.op_kind(k) == OpKind::Memory);
    let masked = i.op_mask() != Register::None || format!("{:?}", i.mnemonic()).contains("mask");
    let names_only = matches!(i.mnemonic(), Mnemonic::Lea | Mnemonic::Nop);
    // Calls execute in place: the operand that holds their target is not recorded.
    let calls = i.flow_control() == FlowControl::IndirectCall;
    let plain = explicit && !masked && !names_only && !calls;
    (plain && !i.is_vsib() && !i.is_string_instruction()).then_some(i)
}

fn address_of(i: &Instruction, registers: &libc::user_regs_struct, base: u64) -> u64 {
    let value = |register: Register| match register {
        Register::FS => registers.fs_base,
        Register::RAX => registers.rax,
        Register::RCX => registers.rcx,
        Register::RDX => registers.rdx,
        Register::RBX => registers.rbx,
        Register::RSP => registers.rsp,
        Register::RBP => registers.rbp,
        Register::RSI => registers.rsi,
        Register::RDI => registers.rdi,
        Register::R8 => registers.r8,
        Register::R9 => registers.r9,
        Register::R10 => registers.r10,
        Register::R11 => registers.r11,
        Register::R12 => registers.r12,
        Register::R13 => registers.r13,
        Register::R14 => registers.r14,
        Register::R15 => registers.r15,
        // The other segments begin at 0.
        _ => 0,
    };
    let operand = (0..i.op_count()).find(|&k| i.op_kind(k) == OpKind::Memory).unwrap();
    let address = i.virtual_address(operand, 0, |register, _, _| Some(value(register))).unwrap();
    if i.is_ip_rel_memory_operand() { address.wrapping_add(base) } else { address }
}

/// Whether control left the program here for a library function of [`CALL_NOTHING`].
fn calls_nothing(image: &Image, last: u64) -> bool {
    let Some(name) = image.name_at(last) else { return false };
    let name = name.trim_end_matches("@plt");
    CALL_NOTHING.contains(&name) || name.starts_with("_gfortran_")
}

/// The program's file in memory.
struct Space {
    base: u64,
    entry: u64,
    code: Vec<(u64, u64)>,
    bytes: Vec<u8>,
    segments: Vec<(u64, u64, u64)>,
}

impl Space {
    fn of(pid: Pid, program: &Path) -> Self {
        let bytes = std::fs::read(program).unwrap();
        let word = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
        let half = |at: usize| u64::from(u16::from_le_bytes(bytes[at..at + 2].try_into().unwrap()));
        let entry = word(24);
        let auxv = std::fs::read(format!("/proc/{pid}/auxv")).unwrap();
        let mut pairs = auxv.chunks_exact(16).map(|pair| {
            let word = |at: usize| u64::from_le_bytes(pair[at..at + 8].try_into().unwrap());
            (word(0), word(8))
        });
        const AT_ENTRY: u64 = 9;
        let loaded_entry = pairs.find(|&(key, _)| key == AT_ENTRY).unwrap().1;
        let canonical = program.canonicalize().unwrap();
        let maps = std::fs::read_to_string(format!("/proc/{pid}/maps")).unwrap();
        let mut code = Vec::new();
        for line in maps.lines() {
            let mut words = line.split_whitespace();
            let (range, mode) = (words.next().unwrap(), words.next().unwrap());
            if mode.contains('x') && line.ends_with(canonical.to_str().unwrap()) {
                let (start, end) = range.split_once('-').unwrap();
                code.push((u64::from_str_radix(start, 16).unwrap(), u64::from_str_radix(end, 16).unwrap()));
            }
        }
        assert!(!code.is_empty(), "no code of {} in\n{maps}", canonical.display());
        // Program headers (System V ABI, chapter 5): e_phoff, e_phentsize, e_phnum.
        let (table, size, count) = (word(32), half(54), half(56));
        let segments = (0..count)
            .map(|k| (table + k * size) as usize)
            .filter(|&at| bytes[at..at + 4] == [1, 0, 0, 0])
            .map(|at| (word(at + 16), word(at + 8), word(at + 32)))
            .collect();
        Self { base: loaded_entry - entry, entry, code, bytes, segments }
    }

    fn holds(&self, address: u64) -> bool {
        self.code.iter().any(|&(start, end)| start <= address && address < end)
    }

    /// Whether the instruction at this ELF address is a string instruction with a repeat prefix.
    fn repeats(&self, address: u64) -> bool {
        let Some(&(start, offset, _)) =
            self.segments.iter().find(|(start, _, size)| (*start..start + size).contains(&address))
        else {
            return false;
        };
        let code = self.bytes.get((address - start + offset) as usize..).unwrap_or_default();
        let prefixes =
            code.iter().take_while(|b| matches!(b, 0xf2 | 0xf3 | 0x66 | 0x67 | 0x40..=0x4f)).count();
        let repeat = code.iter().take(prefixes).any(|b| matches!(b, 0xf2 | 0xf3));
        repeat && code.get(prefixes).is_some_and(|b| matches!(b, 0xa4..=0xa7 | 0xaa..=0xaf))
    }
}

/// Lets the child run until it is about to execute this address.
fn run_to(pid: Pid, address: u64) {
    let at = address as ptrace::AddressType;
    let word = ptrace::read(pid, at).unwrap();
    ptrace::write(pid, at, (word & !0xff) | 0xcc).unwrap();
    ptrace::cont(pid, None).unwrap();
    assert_eq!(waitpid(pid, None).unwrap(), WaitStatus::Stopped(pid, Signal::SIGTRAP), "no breakpoint");
    ptrace::write(pid, at, word).unwrap();
    let mut registers = ptrace::getregs(pid).unwrap();
    assert_eq!(registers.rip, address + 1);
    registers.rip = address;
    ptrace::setregs(pid, registers).unwrap();
}
