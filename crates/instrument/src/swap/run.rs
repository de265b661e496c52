//! One run of the unchanged program with a function in two versions.

use super::dispatch::{self, Between, Blocks, STATES, sums};
use super::link::Plan;
use super::program::Program;
use super::refused::NotSwapped;
use super::registers;
use super::unit::{Kind, Names, Unit};
use crate::injection::calibrate::ticks_per_second;
use crate::runtime::cache::{EXECUTABLE, Mapper, map_near};
use crate::runtime::process::{self, Mapping};
use crate::runtime::segment::Segment;
use crate::runtime::session::run_to_ready;
use crate::runtime::tracee::{Stop, Tracee};
use crate::runtime::traps::Traps;
use iced_x86::{Decoder, DecoderOptions};
use loopwright_binary::image::{Images, demangle};
use loopwright_launch::{Held, StartOptions};
use object::read::{Object, ObjectSymbol};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Seconds that a block of calls takes at least: a hundred times what reading the clock takes.
const BLOCK: f64 = 5e-6;
/// Room for the code between.
const CODE: u64 = 8192;
/// Bytes of a jump over up to 2 GiB.
const JUMP: u64 = 5;
/// Largest program that is read.
const LARGEST: u64 = 1 << 30;

/// What is exchanged and how the program runs.
#[derive(Clone, Debug)]
pub struct SwapOptions<'a> {
    /// How the program is started.
    pub start: StartOptions,
    /// The object of the unchanged source.
    pub before: &'a [u8],
    /// The object of the changed source, or of the source compiled otherwise.
    pub after: &'a [u8],
    /// The function's name in the table of symbols.
    pub function: &'a str,
    /// Chooses the sequence of versions.
    pub seed: u64,
    /// The other version at each place of that sequence.
    pub opposite: bool,
    /// Calls of a block, as in a run before; absent: as many as the clock needs.
    pub calls: Option<u32>,
    /// The program is ended after this time.
    pub limit: Duration,
    /// Most bytes of each file that it writes.
    pub file: u64,
    /// Set when the user stops.
    pub stop: &'a AtomicBool,
}

/// Ticks of both versions over blocks of as many calls, interleaved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interleaved {
    /// Of the unchanged function.
    pub before: u64,
    /// Of the changed one.
    pub after: u64,
    /// Calls of each block; each version has eight blocks.
    pub calls: u64,
    /// Number of the thread.
    pub thread: u64,
}

/// How the run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// By itself.
    Exited(i32),
    /// By a signal.
    Killed(i32),
    /// It took too long.
    Hung,
    /// The user stopped.
    Stopped,
}

/// What a run showed.
#[derive(Clone, Debug, PartialEq)]
pub struct Swapped {
    /// Timed calls of the unchanged and of the changed version.
    pub calls: [u64; 2],
    /// Their seconds.
    pub seconds: [f64; 2],
    /// Interleaved sums.
    pub units: Vec<Interleaved>,
    /// Ticks in a second.
    pub ticks_per_second: f64,
    /// CPU seconds of the process.
    pub cpu: f64,
    /// Seconds from its start to its end.
    pub elapsed: f64,
    /// How it ended.
    pub ended: Ended,
}

/// Why there was no run.
#[derive(Debug, thiserror::Error)]
pub enum SwapError {
    /// The program could not be started.
    #[error(transparent)]
    Start(#[from] loopwright_launch::Error),
    /// The function is not exchanged.
    #[error(transparent)]
    Refused(#[from] NotSwapped),
    /// The system failed.
    #[error(transparent)]
    System(#[from] io::Error),
}

/// The name that an object has for a function which a survey shows as `shown`: names of C++, Rust and Fortran are shown as
/// programmers write them. The name as it is shown where the object has none, or several.
///
/// # Errors
/// When the object cannot be read.
pub fn symbol_of(object: &[u8], shown: &str) -> Result<String, NotSwapped> {
    let unit = Unit::read(object)?;
    let functions = unit.symbols.values().filter(|s| s.names == Names::Function && s.section.is_some());
    let mut found: Vec<&str> = Vec::new();
    for symbol in functions {
        // A copy of the function under another name is found by that of the function.
        let stem = symbol.name.split('.').next().unwrap_or(&symbol.name);
        if symbol.name == shown {
            return Ok(shown.to_owned());
        }
        if demangle(stem) == shown && !found.contains(&stem) {
            found.push(stem);
        }
    }
    Ok(match found[..] {
        [one] => one.to_owned(),
        _ => shown.to_owned(),
    })
}

/// Names of the functions of the object, as a survey shows them, that come along with one, itself included.
///
/// # Errors
/// The reason why it cannot be exchanged, as far as the objects say.
pub fn companions(before: &[u8], after: &[u8], function: &str) -> Result<BTreeSet<String>, NotSwapped> {
    let both = Both(Unit::read(before)?, Unit::read(after)?);
    let [old, new] = both.plans(function)?;
    Ok(old.functions().chain(new.functions()).map(demangle).collect())
}

impl Swapped {
    /// Seconds of the unchanged and of the changed version for the same calls: those of a run with those of the run that had the
    /// other version at each place. Where threads share work otherwise in each run, the calls are only about the same.
    pub fn paired(&self, opposite: &Self) -> Vec<(f64, f64)> {
        let mut others: BTreeMap<u64, VecDeque<&Interleaved>> = BTreeMap::new();
        for unit in &opposite.units {
            others.entry(unit.thread).or_default().push_back(unit);
        }
        let seconds =
            |a: u64, b: u64| a as f64 / self.ticks_per_second + b as f64 / opposite.ticks_per_second;
        let pair = |unit: &Interleaved| {
            let other = others.get_mut(&unit.thread)?.pop_front()?;
            (unit.calls == other.calls)
                .then(|| (seconds(unit.before, other.before), seconds(unit.after, other.after)))
        };
        self.units.iter().filter_map(pair).collect()
    }

    /// Calls of a block that most units had.
    pub fn usual_calls(&self) -> Option<u32> {
        let calls: Vec<f64> = self.units.iter().map(|unit| unit.calls as f64).collect();
        loopwright_stats::median(&calls).map(|calls| calls as u32)
    }
}

/// Both objects.
struct Both(Unit, Unit);

impl Both {
    fn read(options: &SwapOptions<'_>) -> Result<Self, NotSwapped> {
        Ok(Self(Unit::read(options.before)?, Unit::read(options.after)?))
    }

    fn plans(&self, function: &str) -> Result<[Plan<'_>; 2], NotSwapped> {
        for unit in [&self.0, &self.1] {
            if let Some(clone) = unit.clone_of(function) {
                return Err(NotSwapped::Cloned { function: function.to_owned(), clone: clone.to_owned() });
            }
            let is_local = unit.function(function).is_some_and(|(_, symbol)| symbol.local);
            if unit.clang && is_local {
                return Err(NotSwapped::Local { function: function.to_owned() });
            }
        }
        Ok([Plan::new(&self.0, function)?, Plan::new(&self.1, function)?])
    }
}

/// Runs a command to its end, calls of one of its functions alternating between two versions.
///
/// # Errors
/// When the function is refused, or the program cannot be started or prepared.
pub fn swap(command: &[OsString], options: &SwapOptions<'_>) -> Result<Swapped, SwapError> {
    let both = Both::read(options)?;
    let plans = both.plans(options.function)?;
    let shared = Segment::new(sums::ALL)?;
    let held = loopwright_launch::hold(command, &options.start)?;
    // SAFETY: makes our own held child the leader of a group; no memory is involved.
    unsafe { libc::setpgid(held.pid, held.pid) };
    let give_up = |error: SwapError| {
        end(held.pid);
        held.reap();
        error
    };
    let limit = libc::rlimit { rlim_cur: options.file, rlim_max: options.file };
    // SAFETY: `limit` lives through the call, the old one is not asked for, and the process is our own child.
    unsafe { libc::prlimit(held.pid, libc::RLIMIT_FSIZE, &raw const limit, std::ptr::null_mut()) };
    let rate = ticks_per_second();
    let begin = Instant::now();
    prepare(&held, &plans, &both.0, options, (&shared, rate)).map_err(give_up)?;
    let (ended, cpu) = wait(held.pid, begin, options)?;
    let word = |at: u64| shared.long(at).load(Ordering::Relaxed);
    let count = word(sums::UNITS).min(sums::MOST);
    let units = (0..count).map(|k| sums::FIRST + k * sums::UNIT).map(|at| Interleaved {
        before: word(at),
        after: word(at + 8),
        calls: word(at + 16),
        thread: word(at + 24),
    });
    Ok(Swapped {
        calls: [word(sums::CALLS), word(sums::CALLS + 8)],
        seconds: [word(sums::TICKS) as f64 / rate, word(sums::TICKS + 8) as f64 / rate],
        units: units.filter(|unit| unit.before > 0 && unit.after > 0).collect(),
        ticks_per_second: rate,
        cpu,
        elapsed: begin.elapsed().as_secs_f64(),
        ended,
    })
}

/// Ends a process and its group.
fn end(pid: i32) {
    // SAFETY: signals to our own unreaped child and its group; no memory is involved.
    unsafe {
        libc::kill(pid, libc::SIGKILL);
        libc::kill(-pid, libc::SIGKILL);
    }
}

/// Lets the child execute the program, and changes the function's entry before its first instruction.
fn prepare(
    held: &Held,
    plans: &[Plan<'_>; 2],
    before: &Unit,
    options: &SwapOptions<'_>,
    shared: (&Segment, f64),
) -> Result<(), SwapError> {
    let failed = |what: String| SwapError::Refused(NotSwapped::Process { what });
    let mut tracee = Tracee::seize(held.pid).map_err(|e| failed(e.to_string()))?;
    held.open_gate();
    loop {
        match tracee.wait(true)? {
            Some(Stop::Exec) => break,
            Some(Stop::Gone) => {
                return Err(held
                    .failure(options.start.directory.as_deref())
                    .map_or_else(|| failed("it ended before it began".to_owned()), SwapError::Start));
            }
            Some(Stop::Signal(signal)) => tracee.resume(signal)?,
            _ => tracee.resume(0)?,
        }
    }
    tracee.reopen_memory()?;
    if !process::shares_segments(held.pid) {
        return Err(failed("it is in another namespace of System V objects".to_owned()));
    }
    let traps = Traps::allow(&tracee)?;
    if !run_to_ready(&tracee, &Images::default())? {
        return Err(failed("it ended before it began".to_owned()));
    }
    install(&tracee, plans, before, options, shared)?;
    traps.restore(&tracee)?;
    tracee.detach(0)?;
    Ok(())
}

fn install(
    tracee: &Tracee,
    plans: &[Plan<'_>; 2],
    before: &Unit,
    options: &SwapOptions<'_>,
    (shared, rate): (&Segment, f64),
) -> Result<(), SwapError> {
    let failed = |what: String| SwapError::Refused(NotSwapped::Process { what });
    let name = options.function;
    let maps = process::mappings(tracee.thread)?;
    let path = std::fs::read_link(format!("/proc/{}/exe", tracee.thread))?;
    let shown = path.to_string_lossy().into_owned();
    let of: Vec<&Mapping> = maps.iter().filter(|map| map.path == shown).collect();
    let span = of.iter().map(|m| m.start).min().zip(of.iter().map(|m| m.end).max());
    let span = span.ok_or_else(|| failed("its file is not mapped".to_owned()))?;
    let bytes = loopwright_files::regular::read(&path, LARGEST).map_err(|e| failed(e.to_string()))?;
    let program = Program::read(&bytes, span.0)?;
    let [old, new] = plans;
    if let Some(name) = program.leaves(old.calls || new.calls) {
        return Err(NotSwapped::Leaves { name: name.to_owned() }.into());
    }
    let no_function = || NotSwapped::NoFunction { function: name.to_owned() };
    let (_, symbol) = before.function(name).ok_or_else(no_function)?;
    let found = program.find(name, super::unit::Names::Function, symbol.local, before.file.as_deref());
    let place = found.ok_or_else(no_function)?;
    if place.size != symbol.size || place.size < JUMP {
        return Err(NotSwapped::OtherCode { function: name.to_owned() }.into());
    }
    let callers = registers::width(all_instructions(before));
    let kept = registers::kept(old, new, callers)?;
    let size = CODE + old.size + new.size;
    let at = map_near(tracee, &maps, (span, span), size, EXECUTABLE, &mut Vec::new())
        .map_err(|obstacle| failed(obstacle.to_string()))?;
    let anonymous = (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS) as u64;
    let writable = (libc::PROT_READ | libc::PROT_WRITE) as u64;
    let states = Mapper::call(tracee, libc::SYS_mmap, [0, STATES, writable, anonymous, u64::MAX, 0])?;
    // What was started must not go on without this process.
    let death = [libc::PR_SET_PDEATHSIG as u64, libc::SIGKILL as u64, 0, 0, 0, 0];
    Mapper::call(tracee, libc::SYS_prctl, death)?;
    let sums = Mapper::call(tracee, libc::SYS_shmat, [shared.id as u64, 0, 0, 0, 0, 0])?;
    let libraries = Libraries { maps: &maps, program: &shown };
    let library = |name: &str| libraries.find(name);
    let first = old.link(at + CODE, &program, &library)?;
    let second = new.link(at + CODE + old.size, &program, &library)?;
    let between = Between {
        versions: [first.entry, second.entry],
        states,
        sums,
        calls: old.calls,
        kept,
        blocks: options.calls.map_or(Blocks::Ticks((BLOCK * rate) as u32), Blocks::Calls),
        seed: options.seed,
        opposite: options.opposite,
    };
    let code = dispatch::code(at, &between).map_err(|e| failed(e.to_string()))?;
    if code.len() as u64 > CODE {
        return Err(failed("the code between the versions is too long".to_owned()));
    }
    let memory = tracee.memory();
    memory.write(at, &code)?;
    memory.write(at + CODE, &first.bytes)?;
    memory.write(at + CODE + old.size, &second.bytes)?;
    let distance = at.wrapping_sub(place.address + JUMP) as i64;
    let distance = i32::try_from(distance).map_err(|e| failed(e.to_string()))?;
    let mut jump = vec![0xe9];
    jump.extend(distance.to_le_bytes());
    memory.write(place.address, &jump)?;
    Ok(())
}

/// Every instruction of an object.
fn all_instructions(unit: &Unit) -> impl Iterator<Item = iced_x86::Instruction> + '_ {
    let code = unit.sections.values().filter(|section| section.kind == Kind::Code);
    code.flat_map(|section| Decoder::new(64, &section.bytes, DecoderOptions::NONE).into_iter())
}

/// The libraries of the process.
struct Libraries<'a> {
    maps: &'a [Mapping],
    program: &'a str,
}

impl Libraries<'_> {
    /// The address of a function that one library exports, in the order in which they are mapped; none where several do, or
    /// where the library chooses when it starts.
    fn find(&self, name: &str) -> Option<u64> {
        let mut found = None;
        let mut seen: Vec<&str> = Vec::new();
        for map in self.maps.iter().filter(|map| map.path.starts_with('/') && map.path != self.program) {
            if seen.contains(&map.path.as_str()) {
                continue;
            }
            seen.push(&map.path);
            let Ok(bytes) = loopwright_files::regular::read(Path::new(&map.path), LARGEST) else { continue };
            let Ok(file) = object::File::parse(&*bytes) else { continue };
            let is = |s: &object::Symbol<'_, '_>| s.is_definition() && s.name() == Ok(name);
            let Some(symbol) = file.dynamic_symbols().find(is) else { continue };
            let object::SymbolFlags::Elf { st_info, .. } = symbol.flags() else { return None };
            let is_function = super::unit::names(st_info.0) == super::unit::Names::Function;
            if !is_function || found.is_some() {
                return None;
            }
            found = Some(symbol.address().wrapping_add(map.start));
        }
        found
    }
}

/// Waits for the program within the limits.
fn wait(pid: i32, begin: Instant, options: &SwapOptions<'_>) -> io::Result<(Ended, f64)> {
    /// Pause between two looks: it bounds how late an end is seen.
    const NAP: Duration = Duration::from_millis(1);
    let mut why = None;
    loop {
        let mut status = 0;
        // SAFETY: an all-zero rusage is a valid value of that plain structure.
        let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
        let flags = if why.is_some() { 0 } else { libc::WNOHANG } | libc::__WALL;
        // SAFETY: both places are valid for writing; `pid` is our own child, which only this function reaps.
        match unsafe { libc::wait4(pid, &raw mut status, flags, &raw mut usage) } {
            0 => {}
            -1 => match io::Error::last_os_error() {
                e if e.raw_os_error() == Some(libc::EINTR) => continue,
                e => return Err(e),
            },
            _ => {
                // SAFETY: a signal to the group that our child led; it may be empty.
                unsafe { libc::kill(-pid, libc::SIGKILL) };
                let seconds = |t: libc::timeval| t.tv_sec as f64 + t.tv_usec as f64 / 1e6;
                let ended = if libc::WIFSIGNALED(status) {
                    Ended::Killed(libc::WTERMSIG(status))
                } else {
                    Ended::Exited(libc::WEXITSTATUS(status))
                };
                return Ok((why.unwrap_or(ended), seconds(usage.ru_utime) + seconds(usage.ru_stime)));
            }
        }
        if options.stop.load(Ordering::SeqCst) {
            why = Some(Ended::Stopped);
        } else if begin.elapsed() > options.limit {
            why = Some(Ended::Hung);
        }
        if why.is_some() {
            end(pid);
        } else {
            std::thread::sleep(NAP);
        }
    }
}
