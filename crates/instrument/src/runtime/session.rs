//! A counting run: prepares each program image and answers its requests.

mod announce;
mod follow;
mod ready;

use super::control::{Asked, Request, Shared};
use super::instance::{self, Allocation, Instance, Mapper};
use super::process::{self, Mapping, is_loader, modules_of};
use super::stubs::Process;
use super::tracee::{Memory, Stop, Tracee};
use crate::module::{Module, Selection};
use crate::options::{Choice, Modules};
use crate::tracing::registry::Registry;
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

/// Why a program image could not be prepared.
#[derive(Debug, thiserror::Error)]
pub enum Unready {
    /// Its code is not that of 64-bit x86.
    #[error("it is a 32-bit program")]
    ThirtyTwoBit,
    /// Anything else, in words.
    #[error("{0}")]
    Failed(String),
}

impl From<String> for Unready {
    fn from(reason: String) -> Self {
        Self::Failed(reason)
    }
}

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
    pub shared: Arc<Shared>,
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
    tracing: Option<Arc<Registry>>,
    read: HashMap<(String, u64, u64), Result<Arc<Module>, String>>,
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
    pub fn new(shared: Shared, choice: Choice, counting: bool, tracing: Option<Arc<Registry>>) -> Self {
        Self {
            shared: Arc::new(shared),
            images: Vec::new(),
            instances: Vec::new(),
            warnings: Vec::new(),
            waiting: Duration::ZERO,
            choice,
            counting,
            tracing,
            read: HashMap::new(),
            ours: HashSet::new(),
        }
    }

    /// Prepares the program that a thread has just executed and stopped at, and lets it go. On failure the
    /// thread is still traced and stopped (or gone).
    pub fn prepare(&mut self, tracee: &mut Tracee) -> Result<(), Unready> {
        let failed = |what: &'static str| move |e: io::Error| format!("{what} ({e})");
        tracee.reopen_memory().map_err(failed("its memory cannot be written"))?;
        let registers = tracee.registers().map_err(failed("its registers cannot be read"))?;
        /// The code segment of 64-bit programs.
        const USER64: u64 = 0x33;
        if registers.cs != USER64 {
            return Err(Unready::ThirtyTwoBit);
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
                    .to_owned()
                    .into(),
            );
        }
        let base = self
            .share_memory(tracee)
            .map_err(failed("the counters' memory cannot be mapped into it; raise `ulimit -v`"))?;
        let image = self.images.len() as u32;
        let check = instance::thread_check(dynamic);
        let process = Process { base, areas: self.shared.area_count(), image, has_fsgsbase, check };
        self.images.push(ProgramImage { program, process, allocation: Allocation::default() });
        if dynamic {
            let ready = ready::run_to_ready(tracee).map_err(failed("its loader cannot be followed"))?;
            if !ready {
                return Ok(()); // It ended in its loader; the exit status tells.
            }
        }
        let maps = process::mappings(id).map_err(failed("its mappings cannot be read"))?;
        let memory = Memory::of(id).map_err(failed("its memory cannot be written"))?;
        self.count_modules(image, &maps, tracee, &memory);
        self.hook(image, &maps, tracee, &memory);
        Ok(tracee.detach(0).map_err(failed("it cannot be let go"))?)
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
            Modules::Only(names) => names.iter().any(|n| same_file(n, path)),
        };
        let whole = match &self.tracing {
            // What no chosen loop calls runs as it is.
            Some(registry) => Selection::Reach(registry.functions_in(path)),
            None => Selection::All,
        };
        wanted.then_some(whole)
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
        let tracing = self.tracing.clone();
        let made =
            Instance::new(number, &module, &process, &mut state.allocation, &place, self.counting, tracing)?;
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

    /// Whether libraries that are opened later could be among the chosen.
    fn may_open_libraries(&self) -> bool {
        self.choice.functions.is_some() || !matches!(self.choice.modules, Modules::Program)
    }

    /// Says so when a thread found no place for what is "counted" or "traced".
    pub fn crowded(&self, done: &str) -> Option<String> {
        let most = self.shared.area_count();
        self.shared.ran_out_of_areas().then(|| {
            format!("the program had more than {most} threads and processes over time: those beyond were not {done}")
        })
    }

    /// Where the shared memory is in the processes of an image.
    pub fn shared_at(&self, image: u32) -> Option<u64> {
        self.images.get(image as usize).map(|i| i.process.base)
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
                let seized = self.may_follow(asked).then(|| Tracee::seize(asked.thread));
                self.shared.release();
                match seized {
                    Some(Ok(tracee)) => self.follow(tracee),
                    Some(Err(e)) => self.warnings.push(format!(
                        "a program executed by process {} is not counted: it cannot be traced ({e})",
                        asked.process
                    )),
                    None => {}
                }
            }
            // Room is given by whoever keeps the trace.
            Request::ExecFailed | Request::Room => self.shared.release(),
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
        let shared = Arc::clone(&self.shared);
        let mapper = Waiting { shared: &shared, process: asked.process };
        self.count_modules(asked.image, maps, &mapper, memory);
    }

    /// From the exec event to the program's first instruction, then prepares it.
    pub fn arrive(&mut self, tracee: &mut Tracee) -> Result<(), Unready> {
        tracee.resume_to_system_call(0).map_err(|e| e.to_string())?;
        loop {
            match tracee.wait(true).map_err(|e| e.to_string())? {
                Some(Stop::SystemCall) => break,
                Some(Stop::Gone) => return Err("it ended at once".to_owned().into()),
                Some(Stop::Signal(s)) => drop(tracee.resume_to_system_call(s)),
                _ => drop(tracee.resume_to_system_call(0)),
            }
        }
        self.prepare(tracee)
    }
}

/// Whether a path, as given, names a mapped file.
pub fn same_file(a: &Path, b: &str) -> bool {
    a == Path::new(b) || std::fs::canonicalize(a).is_ok_and(|a| a == Path::new(b))
}
