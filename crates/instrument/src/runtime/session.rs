//! A counting run: prepares each program image, answers its requests, waits for the end.

use super::areas::{AREAS, CONTROL, OWNER, STRIDE, TOTAL};
use super::control::{Asked, Request, Shared};
use super::instance::{self, Allocation, Instance, Mapper};
use super::process::{self, Mapping};
use super::stubs::{self, Process};
use super::tracee::{Memory, Stop, Tracee};
use crate::module::{Module, Selection};
use crate::options::{Choice, Modules};
use iced_x86::{Code, Decoder, DecoderOptions, FlowControl, Instruction, Mnemonic};
use loopwright_binary::image::{DebugSearch, Image};
use std::collections::{HashMap, HashSet};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

const AT_ENTRY: u64 = 9;
const AT_BASE: u64 = 7;
const AT_HWCAP2: u64 = 26;
/// `rdfsbase` and its like may be used (kernel documentation, x86 "Using FS and GS segments").
const HWCAP2_FSGSBASE: u64 = 1 << 1;

/// One program image: what a process runs between two execs; its forks run it, too.
#[derive(Debug)]
pub struct ProgramImage {
    /// Path of the program.
    pub program: String,
    process: Process,
    allocation: Allocation,
}

/// The state of a run.
#[derive(Debug)]
pub struct Session {
    /// Memory shared with the program.
    pub shared: Shared,
    /// Images, by number.
    pub images: Vec<ProgramImage>,
    /// Modules in them.
    pub instances: Vec<Instance>,
    /// What went wrong, a line each.
    pub warnings: Vec<String>,
    /// Time in which a thread of the program waited for an answer.
    pub waiting: Duration,
    choice: Choice,
    counting: bool,
    read: HashMap<(String, u64, u64), Result<Arc<Module>, String>>,
    /// A thread that is being followed into another program.
    following: Option<Tracee>,
    /// Processes that are known to have the shared memory.
    ours: HashSet<i32>,
}

impl Mapper for Tracee {
    fn map(&self, at: u64, length: u64, protection: i32) -> io::Result<u64> {
        self.call(libc::SYS_mmap, map_arguments(at, length, protection))
    }
}

fn map_arguments(at: u64, length: u64, protection: i32) -> [u64; 6] {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED_NOREPLACE;
    [at, length, protection as u64, flags as u64, u64::MAX, 0]
}

/// Has the thread that waits for us make the call.
struct Waiting<'a> {
    shared: &'a Shared,
    process: i32,
}

impl Mapper for Waiting<'_> {
    fn map(&self, at: u64, length: u64, protection: i32) -> io::Result<u64> {
        let answer = self.shared.call(self.process, libc::SYS_mmap, map_arguments(at, length, protection));
        match answer {
            Some(e) if (-4095..0).contains(&e) => Err(io::Error::from_raw_os_error(-e as i32)),
            Some(at) => Ok(at as u64),
            None => Err(io::Error::other("the program ended")),
        }
    }
}

impl Session {
    /// A session without programs.
    pub fn new(shared: Shared, choice: Choice, counting: bool) -> Self {
        Self {
            shared,
            images: Vec::new(),
            instances: Vec::new(),
            warnings: Vec::new(),
            waiting: Duration::ZERO,
            choice,
            counting,
            read: HashMap::new(),
            following: None,
            ours: HashSet::new(),
        }
    }

    /// Prepares the program that a thread has just executed and stopped at, and lets it go. On failure the
    /// thread is still traced and stopped (or gone).
    pub fn prepare(&mut self, tracee: &mut Tracee) -> Result<(), String> {
        let failed = |what: &'static str| move |e: io::Error| format!("{what} ({e})");
        tracee.reopen_memory().map_err(failed("its memory cannot be written"))?;
        let registers = tracee.registers().map_err(failed("its registers cannot be read"))?;
        /// The code segment of 64-bit programs.
        const USER64: u64 = 0x33;
        if registers.cs != USER64 {
            return Err("it is a 32-bit program".to_owned());
        }
        let id = tracee.thread;
        let program = process::program(id).map_err(failed("its path cannot be read"))?;
        let program = program.to_string_lossy().into_owned();
        let dynamic = process::auxiliary(id, AT_BASE).is_some_and(|base| base != 0);
        let hwcap2 = process::auxiliary(id, AT_HWCAP2).unwrap_or(0);
        let has_fsgsbase = hwcap2 & HWCAP2_FSGSBASE != 0;
        if !dynamic && !has_fsgsbase {
            return Err(
                "a static program needs the FSGSBASE instructions (Linux 5.9 on a processor since 2012)"
                    .to_owned(),
            );
        }
        let base =
            self.share_memory(tracee).map_err(failed("the counters' memory cannot be mapped into it"))?;
        let image = self.images.len() as u32;
        let check = instance::thread_check(dynamic);
        let process = Process { base, image, has_fsgsbase, check };
        self.images.push(ProgramImage { program, process, allocation: Allocation::default() });
        if dynamic {
            let ready = run_to_ready(tracee).map_err(failed("its loader cannot be followed"))?;
            if !ready {
                return Ok(()); // It ended in its loader; the exit status tells.
            }
        }
        let maps = process::mappings(id).map_err(failed("its mappings cannot be read"))?;
        let memory = Memory::of(id).map_err(failed("its memory cannot be written"))?;
        self.count_modules(image, &maps, tracee, &memory);
        self.hook(image, &maps, tracee, &memory);
        tracee.detach(0).map_err(failed("it cannot be let go"))
    }

    /// Maps the shared memory into a stopped process and points its GS base to the area for nobody.
    fn share_memory(&self, tracee: &Tracee) -> io::Result<u64> {
        let registers = tracee.registers()?;
        let mut path = self.shared.path().into_bytes();
        path.push(0);
        // Nothing lives below the stack pointer of a program that has not begun.
        let scratch = registers.rsp - 4096;
        tracee.memory().write(scratch, &path)?;
        let open = [libc::AT_FDCWD as u64, scratch, (libc::O_RDWR | libc::O_CLOEXEC) as u64, 0, 0, 0];
        let descriptor = tracee.call(libc::SYS_openat, open)?;
        let protection = (libc::PROT_READ | libc::PROT_WRITE) as u64;
        let flags = (libc::MAP_SHARED | libc::MAP_NORESERVE) as u64;
        let mapped = tracee.call(libc::SYS_mmap, [0, TOTAL, protection, flags, descriptor, 0]);
        tracee.call(libc::SYS_close, [descriptor, 0, 0, 0, 0, 0])?;
        let base = mapped?;
        // The areas have no place in core dumps, which would be as large as they look.
        let advice = [base, TOTAL, libc::MADV_DONTDUMP as u64, 0, 0, 0];
        tracee.call(libc::SYS_madvise, advice)?;
        let nobody = base + CONTROL + AREAS * STRIDE;
        // No thread has this FS base.
        tracee.memory().write(nobody.wrapping_add_signed(i64::from(OWNER)), &u64::MAX.to_le_bytes())?;
        let mut registers = tracee.registers()?;
        registers.gs_base = nobody;
        tracee.set_registers(&registers)?;
        Ok(base)
    }

    /// Which code of a module is to be counted.
    fn selection(&self, path: &str, image: u32) -> Option<Selection> {
        if !path.starts_with('/') || path.ends_with(" (deleted)") || is_loader(path) {
            return None;
        }
        let is_program = self.images.get(image as usize).is_some_and(|i| i.program == path);
        if let Some(functions) = &self.choice.functions {
            let mine = functions.iter().filter(|(p, _)| same_file(p, path)).map(|f| f.1);
            let mine: Vec<u64> = mine.collect();
            return (!mine.is_empty()).then_some(Selection::At(mine));
        }
        let wanted = match &self.choice.modules {
            Modules::All => true,
            Modules::Program => is_program,
            Modules::Named(names) => is_program || names.iter().any(|n| same_file(n, path)),
        };
        wanted.then_some(Selection::All)
    }

    /// Writes all chosen modules of an image that are not there yet.
    fn count_modules(&mut self, image: u32, maps: &[Mapping], mapper: &dyn Mapper, memory: &Memory) {
        for (path, low, high) in modules_of(maps) {
            let known = self.instances.iter().find(|i| {
                let cache = |m: &Mapping| m.start <= i.cache.0 && i.cache.0 < m.end && m.path.is_empty();
                i.image == image && i.base == low && i.module.path == path && maps.iter().any(cache)
            });
            if let Some(known) = known {
                if !known.is_turned(memory)
                    && let Err(e) = known.turn_again(memory)
                {
                    self.warnings.push(format!("{path}: was mapped again and is not counted any more ({e})"));
                }
                continue;
            }
            let Some(selection) = self.selection(&path, image) else { continue };
            if let Err(reason) =
                self.count_module(&path, (low, high), &selection, image, maps, mapper, memory)
            {
                self.warnings.push(format!("{path}: not counted: {reason}"));
            }
        }
    }

    #[allow(clippy::too_many_arguments, reason = "one call, of what only the caller knows")]
    fn count_module(
        &mut self,
        path: &str,
        span: (u64, u64),
        selection: &Selection,
        image: u32,
        maps: &[Mapping],
        mapper: &dyn Mapper,
        memory: &Memory,
    ) -> Result<(), String> {
        let module = self.module(path, selection)?;
        let bias =
            if module.image.facts().pie { span.0.wrapping_sub(module.image.lowest_address()) } else { 0 };
        let number = self.instances.len() as u32;
        let state = self.images.get_mut(image as usize).ok_or("of an unknown program")?;
        let place = instance::Place { bias, span, maps, mapper, memory };
        let process = state.process;
        let made = Instance::new(number, &module, &process, &mut state.allocation, &place, self.counting)?;
        self.instances.push(made);
        Ok(())
    }

    /// Reads a module, once per file.
    fn module(&mut self, path: &str, selection: &Selection) -> Result<Arc<Module>, String> {
        let meta = std::fs::metadata(path).map_err(|e| e.to_string())?;
        let key = (path.to_owned(), meta.ino(), meta.mtime_nsec() as u64 ^ meta.size());
        let read = || {
            let image = Image::open(Path::new(path), &DebugSearch::none()).map_err(|e| e.to_string())?;
            Ok(Arc::new(Module::read(path, image, selection)))
        };
        self.read.entry(key).or_insert_with(read).clone()
    }

    /// Asks to be told of libraries opened later and of programs executed.
    fn hook(&mut self, image: u32, maps: &[Mapping], mapper: &dyn Mapper, memory: &Memory) {
        for (path, low, high) in modules_of(maps) {
            let name = path.rsplit('/').next().unwrap_or("");
            let is_program = self.images.get(image as usize).is_some_and(|i| i.program == path);
            let libc = name.starts_with("libc.so") || name.starts_with("libc-2");
            if !is_loader(&path) && !libc && !is_program {
                continue;
            }
            if let Err(reason) = self.hook_module(&path, (low, high), image, maps, mapper, memory) {
                self.warnings.push(format!("{path}: {reason}"));
            }
        }
    }

    fn hook_module(
        &self,
        path: &str,
        span: (u64, u64),
        image: u32,
        maps: &[Mapping],
        mapper: &dyn Mapper,
        memory: &Memory,
    ) -> Result<(), String> {
        let file = Image::open(Path::new(path), &DebugSearch::none()).map_err(|e| e.to_string())?;
        let bias = if file.facts().pie { span.0.wrapping_sub(file.lowest_address()) } else { 0 };
        let at = |name: &str| file.symbol_address(name).map(|a| a.wrapping_add(bias));
        let notice = at("_dl_debug_state").filter(|_| is_loader(path) && self.may_open_libraries());
        let exec = at("execve").filter(|_| !is_loader(path));
        if notice.is_none() && exec.is_none() {
            return Ok(());
        }
        let state = self.images.get(image as usize).ok_or("of an unknown program")?;
        let failed = |e: io::Error| e.to_string();
        let executable = libc::PROT_READ | libc::PROT_EXEC;
        let cache = instance::map_near(mapper, maps, span, 4096, executable, &mut Vec::new())?;
        let process = &state.process;
        let argument = iced_x86::code_asm::rdi;
        let mut patches = Vec::new();
        let write = |at: u64, code: Result<Vec<u8>, iced_x86::IcedError>| -> Result<(), String> {
            let code = code.map_err(|e| e.to_string())?;
            memory.write(at, &code).map_err(failed)
        };
        if let Some(notice) = notice {
            let bytes = memory.read(notice, 16).map_err(failed)?;
            if !returns_at_once(&bytes) {
                return Err(
                    "this loader's notice of new libraries is not known: libraries that the program \
                            opens later are not counted"
                        .to_owned(),
                );
            }
            let (ask, hook) = (cache, cache + ROOM);
            write(ask, stubs::ask(ask, process, Request::Modules, argument))?;
            write(hook, stubs::modules_hook(hook, ask))?;
            patches.push((notice, hook));
        }
        if let Some(exec) = exec {
            let bytes = memory.read(exec, 32).map_err(failed)?;
            let Some((original, rest)) = movable(&bytes, exec) else {
                return Err(
                    "this C library's execve is not known: programs that it executes are not counted"
                        .to_owned(),
                );
            };
            let ask = cache + PART;
            let failure = ask + ROOM;
            let hook = failure + ROOM;
            write(ask, stubs::ask(ask, process, Request::Exec, argument))?;
            write(failure, stubs::ask(failure, process, Request::ExecFailed, argument))?;
            write(hook, stubs::exec_hook(hook, ask, failure, &original, rest))?;
            patches.push((exec, hook));
        }
        for (from, to) in patches {
            let distance = i32::try_from(to.wrapping_sub(from + 5) as i64).map_err(|e| e.to_string())?;
            let mut jump = vec![0xe9];
            jump.extend(distance.to_le_bytes());
            memory.write(from, &jump).map_err(failed)?;
        }
        Ok(())
    }

    /// Whether libraries that are opened later could be among the chosen.
    fn may_open_libraries(&self) -> bool {
        self.choice.functions.is_some() || !matches!(self.choice.modules, Modules::Program)
    }

    /// Answers a request of the program.
    pub fn answer(&mut self, asked: Asked) {
        let begin = Instant::now();
        self.serve(asked);
        self.waiting += begin.elapsed();
    }

    fn serve(&mut self, asked: Asked) {
        match asked.request {
            Request::Modules => {
                if self.is_ours(asked.process)
                    && let Ok(maps) = process::mappings(asked.process)
                    && let Ok(memory) = Memory::of(asked.process)
                {
                    self.count_later(asked, &maps, &memory);
                }
                self.shared.release();
            }
            Request::Exec => {
                if self.may_follow(asked) {
                    match Tracee::seize(asked.thread) {
                        Ok(tracee) => self.following = Some(tracee),
                        Err(e) => self.warnings.push(format!(
                            "a program executed by process {} is not counted: it cannot be traced ({e})",
                            asked.process
                        )),
                    }
                }
                self.shared.release();
                self.follow();
            }
            Request::ExecFailed => self.shared.release(),
            Request::Function => {
                let (instance, index) = ((asked.argument >> 32) as usize, asked.argument as u32 as usize);
                if self.is_ours(asked.process)
                    && let Some(instance) = self.instances.get_mut(instance)
                    && let Some(image) = self.images.get_mut(instance.image as usize)
                    && let Ok(memory) = Memory::of(asked.process)
                {
                    let alone = process::threads(asked.process) == Some(1);
                    let done = instance.first_call(index, &mut image.allocation, &memory, alone);
                    if let Err(e) = done {
                        let path = &instance.module.path;
                        self.warnings.push(format!("{path}: a function is not counted ({e})"));
                    }
                }
                self.shared.release();
            }
        }
    }

    /// Whether a process id that was written down is that of a process with our memory: in a process
    /// namespace of its own it would mean another one here.
    fn is_ours(&mut self, process: i32) -> bool {
        if self.ours.contains(&process) {
            return true;
        }
        let maps = std::fs::read_to_string(format!("/proc/{process}/maps")).unwrap_or_default();
        let ours = maps.contains("memfd:loopwright-counts");
        if ours {
            self.ours.insert(process);
        }
        ours
    }

    fn count_later(&mut self, asked: Asked, maps: &[Mapping], memory: &Memory) {
        // The mapper borrows the shared memory, which `count_modules` leaves alone.
        let shared = std::ptr::from_ref(&self.shared);
        // SAFETY: `shared` points into `self`, which outlives this call; nothing moves or replaces
        // `self.shared` meanwhile, and `Shared` is only used through shared references.
        let mapper = Waiting { shared: unsafe { &*shared }, process: asked.process };
        self.count_modules(asked.image, maps, &mapper, memory);
    }

    /// Whether the program about to be executed may be traced: tracing would take away the rights that a
    /// set-user-id file gives.
    fn may_follow(&self, asked: Asked) -> bool {
        let path = Memory::of(asked.process).ok().and_then(|m| read_string(&m, asked.argument));
        let Some(path) = path else { return false };
        let seen = if path.starts_with('/') { path } else { format!("/proc/{}/cwd/{path}", asked.process) };
        let Ok(meta) = std::fs::metadata(&seen) else { return false };
        meta.mode() & 0o6000 == 0 && !has_capabilities(&seen)
    }

    /// Follows a thread through its exec; returns when it runs the new program, or did not get there.
    fn follow(&mut self) {
        let Some(mut tracee) = self.following.take() else { return };
        loop {
            match tracee.wait(false) {
                Ok(Some(Stop::Exec)) => {
                    if let Err(reason) = self.arrive(&mut tracee) {
                        self.warnings.push(format!("a child program is not counted: {reason}"));
                        let _ = tracee.detach(0);
                    }
                    return;
                }
                Ok(Some(Stop::Gone)) | Err(_) => return reap(&tracee),
                Ok(Some(Stop::Signal(signal))) => drop(tracee.resume(signal)),
                Ok(Some(_)) => drop(tracee.resume(0)),
                Ok(None) => {
                    if let Some(asked) = self.shared.next_request(1) {
                        if asked.request == Request::ExecFailed && asked.thread == tracee.thread {
                            let_go(&tracee);
                            self.shared.release();
                            return;
                        }
                        self.answer(asked);
                    }
                }
            }
        }
    }

    /// From the exec event to the program's first instruction, then prepares it.
    pub fn arrive(&mut self, tracee: &mut Tracee) -> Result<(), String> {
        tracee.resume_to_system_call(0).map_err(|e| e.to_string())?;
        loop {
            match tracee.wait(true).map_err(|e| e.to_string())? {
                Some(Stop::SystemCall) => break,
                Some(Stop::Gone) => return Err("it ended at once".to_owned()),
                Some(Stop::Signal(s)) => drop(tracee.resume_to_system_call(s)),
                _ => drop(tracee.resume_to_system_call(0)),
            }
        }
        self.prepare(tracee)
    }
}

/// Bytes of room for one routine.
const ROOM: u64 = 512;
/// Where the second set of routines begins in the page.
const PART: u64 = 2048;

/// Detaches from a running thread.
fn let_go(tracee: &Tracee) {
    if tracee.interrupt().is_err() {
        return;
    }
    let signal = match tracee.wait(true) {
        Ok(Some(Stop::Gone)) | Err(_) => return reap(tracee),
        Ok(Some(Stop::Signal(signal))) => signal,
        Ok(_) => 0,
    };
    // It may have been killed meanwhile; then there is nobody to let go.
    let _ = tracee.detach(signal);
}

/// Takes the exit status of a traced process that is not our child, so that its parent can.
fn reap(tracee: &Tracee) {
    let mut status = 0;
    let parent = std::fs::read_to_string(format!("/proc/{}/stat", tracee.thread)).ok().and_then(|s| {
        let rest = s.rsplit_once(')')?.1;
        rest.split_whitespace().nth(1)?.parse::<u32>().ok()
    });
    if parent != Some(std::process::id()) {
        // SAFETY: waits without blocking for a thread that we trace.
        unsafe { libc::waitpid(tracee.thread, &raw mut status, libc::__WALL | libc::WNOHANG) };
    }
}

/// Runs a dynamically linked program until its loader has mapped and relocated everything, before any
/// constructor; else to its entry point. False when it ended before.
fn run_to_ready(tracee: &Tracee) -> io::Result<bool> {
    let id = tracee.thread;
    let Some(entry) = process::auxiliary(id, AT_ENTRY) else {
        return Err(io::Error::other("no entry point in the auxiliary vector"));
    };
    let maps = process::mappings(id)?;
    let base = process::auxiliary(id, AT_BASE).unwrap_or(0);
    let loader = maps.iter().find(|m| m.start == base).map(|m| m.path.clone()).unwrap_or_default();
    let file = Image::open(Path::new(&loader), &DebugSearch::none()).ok();
    let find = |name: &str| {
        let file = file.as_ref()?;
        Some(file.symbol_address(name)?.wrapping_sub(file.lowest_address()).wrapping_add(base))
    };
    let (notice, state) = (find("_dl_debug_state"), find("_r_debug"));
    let stops: Vec<u64> = notice.iter().copied().chain([entry]).collect();
    loop {
        match tracee.run_to(&stops)? {
            None => return Ok(false),
            Some(at) if at == entry => return Ok(true),
            Some(_) => {
                /// Offset of `r_state` in `struct r_debug` (link.h); 0 is `RT_CONSISTENT`.
                const R_STATE: u64 = 24;
                let consistent =
                    state.and_then(|a| tracee.memory().word(a + R_STATE).ok()).map(|s| s as u32 == 0);
                if consistent == Some(true) {
                    return Ok(true);
                }
                // Past the notice: it does nothing but return.
                step_over_notice(tracee)?;
            }
        }
    }
}

/// The breakpoint is at the notice's first instruction, which would be hit again: returns for it.
fn step_over_notice(tracee: &Tracee) -> io::Result<()> {
    let mut r = tracee.registers()?;
    r.rip = tracee.memory().word(r.rsp)?;
    r.rsp += 8;
    tracee.set_registers(&r)
}

/// Whether the function only returns and has room for a jump.
fn returns_at_once(bytes: &[u8]) -> bool {
    let mut decoder = Decoder::with_ip(64, bytes, 0, DecoderOptions::NONE);
    let mut returned = false;
    while decoder.position() < 5 && decoder.can_decode() {
        let i = decoder.decode();
        match i.mnemonic() {
            Mnemonic::Endbr64 | Mnemonic::Nop => {}
            Mnemonic::Ret if !returned => returned = true,
            Mnemonic::Int3 if returned => {}
            _ => return false,
        }
    }
    returned
}

/// The instructions that a jump at `address` overwrites, if they can run elsewhere, and what follows.
fn movable(bytes: &[u8], address: u64) -> Option<(Vec<Instruction>, u64)> {
    let mut decoder = Decoder::with_ip(64, bytes, address, DecoderOptions::NONE);
    let mut original = Vec::new();
    while decoder.ip() < address + 5 {
        let i = decoder.decode();
        let plain = i.flow_control() == FlowControl::Next
            && !i.is_ip_rel_memory_operand()
            && i.code() != Code::INVALID;
        if !plain {
            return None;
        }
        original.push(i);
    }
    Some((original, decoder.ip()))
}

/// Files mapped with executable code: path, lowest and highest address.
fn modules_of(maps: &[Mapping]) -> Vec<(String, u64, u64)> {
    let mut found: Vec<(String, u64, u64)> = Vec::new();
    for m in maps.iter().filter(|m| m.path.starts_with('/')) {
        match found.last_mut() {
            Some((path, _, high)) if *path == m.path && m.offset > 0 => *high = m.end,
            _ => found.push((m.path.clone(), m.start, m.end)),
        }
    }
    let executable =
        |f: &(String, u64, u64)| maps.iter().any(|m| m.executable && m.start >= f.1 && m.end <= f.2);
    found.retain(executable);
    found
}

fn is_loader(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or("");
    name.starts_with("ld-linux") || name.starts_with("ld-musl") || name.starts_with("ld-2") || name == "ld.so"
}

fn same_file(a: &Path, b: &str) -> bool {
    a == Path::new(b) || std::fs::canonicalize(a).is_ok_and(|a| a == Path::new(b))
}

fn read_string(memory: &Memory, address: u64) -> Option<String> {
    let mut text = Vec::new();
    while text.len() < 4096 {
        let at = address + text.len() as u64;
        // Not beyond the page, which may be the last one mapped.
        let chunk = memory.read(at, (64 - (at % 64)) as usize).ok()?;
        match chunk.iter().position(|b| *b == 0) {
            Some(end) => {
                text.extend_from_slice(&chunk[..end]);
                return String::from_utf8(text).ok();
            }
            None => text.extend_from_slice(&chunk),
        }
    }
    None
}

/// Whether the file gives capabilities (capabilities(7), "File capabilities").
fn has_capabilities(path: &str) -> bool {
    let Ok(path) = std::ffi::CString::new(path) else { return true };
    // SAFETY: both strings end with NUL; no buffer is passed, only the size is asked for.
    let size =
        unsafe { libc::getxattr(path.as_ptr(), c"security.capability".as_ptr(), std::ptr::null_mut(), 0) };
    size > 0
}
