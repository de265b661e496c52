//! A counting run: prepares each program image and answers its requests.

mod announce;
mod first_calls;
mod follow;
mod ready;
mod sharing;

use super::areas::MOST_AREAS;
use super::askers::{Asked, Askers, Mapped};
use super::cache::Mapper;
use super::control::Request;
use super::instance::{self, Allocation, Instance, Purpose};
use super::process::{self, Mapping, is_loader, modules_of};
use super::shared_memory::Shared;
use super::stubs::Process;
use super::tracee::{Memory, Tracee};
use super::traps::Traps;
use crate::hooks::Hooks;
use crate::hooks::mpi::OPEN_MPI_WORLD;
use crate::hooks::sites;
use crate::hooks::table::Hooked;
use crate::module::{Module, Selection};
use crate::obstacle::{Obstacle, Step, Unready};
use crate::options::{Choice, Modules, same_file};
use crate::warning::Warning;
use follow::Following;
use loopwright_binary::image::Images;
pub use ready::run_to_ready;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

const AT_ENTRY: u64 = 9;
const AT_BASE: u64 = 7;
const AT_HWCAP2: u64 = 26;
/// `rdfsbase` and similar instructions may be used (kernel documentation, x86 "Using FS and GS segments").
const HWCAP2_FSGSBASE: u64 = 1 << 1;

/// One program image: the program that a process runs between two execs; its forks run it, too.
#[derive(Debug)]
pub struct ProgramImage {
    /// Path of the program.
    pub program: String,
    process: Process,
    allocation: Allocation,
    /// Address of the first group of areas; the others are below.
    areas_at: u64,
    /// Address of the trace.
    pool_at: u64,
    /// Addresses of the tables in which the `mprotect` hooks look up code whose changes must be announced.
    watched_at: Vec<u64>,
    /// Memory that the hooks of all threads share, 0 where they need none; or why there is none. It is mapped before the program
    /// begins: each process that is forked off has a copy, at the same address.
    shared_at: Result<u64, String>,
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
    /// Problems, each once.
    pub warnings: Vec<Warning>,
    /// Time in which a thread of the program waited for an answer.
    pub waiting: Duration,
    choice: Choice,
    purpose: Purpose,
    /// Files that are open already.
    files: Images,
    read: HashMap<(String, u64, u64), Result<Arc<Module>, Obstacle>>,
    askers: Askers,
    /// Areas by process, image and FS base of the thread.
    owners: HashMap<(i32, u32, u64), u64>,
    /// Threads that are about to execute a program.
    following: Vec<Following>,
    /// A thread found no free area.
    crowded: bool,
    /// Files that were searched for system calls.
    searched: HashSet<String>,
    /// Functions to be hooked, by file.
    hooked: HashMap<String, Arc<Hooked>>,
    /// Modules that calls of hooked functions come from, in the order in which they appeared.
    pub mapped: Vec<sites::Mapped>,
}

impl Mapper for Tracee {
    fn call(&self, number: i64, arguments: [u64; 6]) -> io::Result<u64> {
        Tracee::call(self, number, arguments)
    }
}

/// Makes the waiting thread execute system calls.
struct Waiting {
    shared: Arc<Shared>,
    asked: Asked,
    memory: Memory,
}

impl Mapper for Waiting {
    fn call(&self, number: i64, arguments: [u64; 6]) -> io::Result<u64> {
        let control = &self.shared.control;
        if control.is_in_doubt() && process::is_restricted(self.asked.process) {
            return Err(io::Error::other("it is under seccomp"));
        }
        match control.order(&self.asked.posted, &self.memory, number, arguments) {
            Some(e) if (-4095..0).contains(&e) => Err(io::Error::from_raw_os_error(-e as i32)),
            Some(result) => Ok(result as u64),
            None => Err(io::Error::other("it does not answer")),
        }
    }
}

/// Maps the memory that the hooks of all threads of a process share, where they need some.
fn memory_of_hooks(hooks: Option<Hooks>, mapper: &dyn Mapper) -> Result<u64, String> {
    let bytes = hooks.map_or(0, Hooks::shared_bytes);
    if bytes == 0 {
        return Ok(0);
    }
    let (protection, kind) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
    let arguments = [0, bytes, protection as u64, kind as u64, u64::MAX, 0];
    mapper.call(libc::SYS_mmap, arguments).map_err(|e| e.to_string())
}

impl Session {
    /// A session without programs.
    pub fn new(shared: Shared, choice: Choice, purpose: Purpose, files: Images) -> Self {
        Self {
            shared: Arc::new(shared),
            images: Vec::new(),
            instances: Vec::new(),
            warnings: Vec::new(),
            waiting: Duration::ZERO,
            choice,
            purpose,
            files,
            read: HashMap::new(),
            askers: Askers::default(),
            owners: HashMap::new(),
            following: Vec::new(),
            crowded: false,
            searched: HashSet::new(),
            hooked: HashMap::new(),
            mapped: Vec::new(),
        }
    }

    /// Reports once why a part of a process is not counted, however often it happens; reports nothing where
    /// the process has ended meanwhile, which is then the reason.
    fn warn_of(&mut self, process: i32, warning: Warning) {
        if process::is_running(process) && !self.warnings.contains(&warning) {
            self.warnings.push(warning);
        }
    }

    /// Prepares the program that a thread has just executed and stopped at, and lets it run. On failure the
    /// thread is still traced and stopped (or has ended).
    pub fn prepare(&mut self, tracee: &mut Tracee) -> Result<(), Unready> {
        let failed = |step: Step| move |e: io::Error| step.failed(&e);
        tracee.reopen_memory().map_err(failed(Step::Memory))?;
        let registers = tracee.registers().map_err(failed(Step::Registers))?;
        /// The code segment of 64-bit programs.
        const USER64: u64 = 0x33;
        if registers.cs != USER64 {
            return Err(Unready::ThirtyTwoBit);
        }
        let id = tracee.thread;
        let program = process::program(id).map_err(failed(Step::Path))?;
        let program = program.to_string_lossy().into_owned();
        let dynamic = process::auxiliary(id, AT_BASE).is_some_and(|base| base != 0);
        let hwcap2 = process::auxiliary(id, AT_HWCAP2).unwrap_or(0);
        let has_fsgsbase = hwcap2 & HWCAP2_FSGSBASE != 0;
        if !dynamic && !has_fsgsbase {
            return Err(Unready::NoFsgsbase);
        }
        if process::is_restricted(id) {
            return Err(Unready::Seccomp);
        }
        let image = self.images.len() as u32;
        let check = instance::thread_check(dynamic);
        let traps = Traps::allow(tracee).map_err(failed(Step::Signals))?;
        let (places, mut mapped) = self.share_memory(tracee).map_err(failed(Step::SharedMemory))?;
        let process = Process { control: places.control, unowned: places.areas, image, has_fsgsbase, check };
        self.images.push(ProgramImage {
            program,
            process,
            allocation: Allocation::new(self.purpose.hooks),
            areas_at: places.areas,
            pool_at: places.pool,
            watched_at: Vec::new(),
            shared_at: memory_of_hooks(self.purpose.hooks, tracee),
        });
        if dynamic {
            let ready = ready::run_to_ready(tracee, &self.files).map_err(failed(Step::Loader))?;
            if !ready {
                return Ok(()); // It ended in its loader; the exit status reports it.
            }
        }
        traps.restore(tracee).map_err(failed(Step::RestoreSignals))?;
        let maps = process::mappings(id).map_err(failed(Step::Mappings))?;
        let memory = Memory::of(id).map_err(failed(Step::Memory))?;
        self.count_modules(id, image, &maps, tracee, &memory, &mut mapped);
        self.hook(id, image, &maps, tracee, &memory);
        tracee.detach(0).map_err(failed(Step::Detach))
    }

    /// The functions of a module that are counted.
    fn selection(&self, path: &str, image: u32) -> Option<Selection> {
        if !path.starts_with('/') || path.ends_with(" (deleted)") || is_loader(path) {
            return None;
        }
        if self.purpose.hooks.is_some() {
            let hooked = self.hooked.get(path).filter(|hooked| !hooked.is_empty())?;
            return Some(Selection::At(hooked.addresses()));
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
        let whole = match &self.purpose.tracing {
            // Code that no chosen loop calls is not instrumented.
            Some(registry) => Selection::Reach(registry.functions_in(path)),
            None => Selection::All,
        };
        let part = self.choice.partly.iter().find(|(p, _)| same_file(p, path)).map(|(_, at)| {
            let chosen = self.purpose.tracing.iter().flat_map(|registry| registry.functions_in(path));
            at.iter().copied().chain(chosen).collect()
        });
        wanted.then_some(part.map_or(whole, Selection::At))
    }

    /// Writes all chosen modules of an image that are not there yet.
    fn count_modules(
        &mut self,
        process: i32,
        image: u32,
        maps: &[Mapping],
        mapper: &dyn Mapper,
        memory: &Memory,
        mapped: &mut Mapped,
    ) {
        for (path, low, high) in modules_of(maps) {
            let known = self.instances.iter().find(|i| {
                let at = i.cache.start();
                let cache = |m: &Mapping| m.start <= at && at < m.end && m.path.is_empty();
                i.image == image && i.base == low && i.module.path == path && maps.iter().any(cache)
            });
            if let Some(known) = known {
                if !known.is_turned(memory)
                    && let Err(e) = known.turn_again(memory)
                {
                    let error = e.to_string();
                    self.warn_of(process, Warning::MappedAgain { module: path, error });
                }
                continue;
            }
            if self.purpose.hooks.is_some() {
                self.note_callers(&path, (low, high), image);
            }
            let Some(selection) = self.selection(&path, image) else { continue };
            if let Err(why) =
                self.count_module(&path, (low, high), &selection, image, maps, mapper, memory, mapped)
            {
                self.warn_of(process, Warning::NotCounted { module: path, why });
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
        mapped: &mut Mapped,
    ) -> Result<(), Obstacle> {
        let module = self.module(path, selection)?;
        let bias = module.image.bias(span.0);
        let number = self.instances.len() as u32;
        let world = if self.hooked.contains_key(path) { self.world(maps, image, path) } else { None };
        let state = self.images.get_mut(image as usize).ok_or(Obstacle::UnknownProgram)?;
        let hooked = self.hooked.get(path).cloned();
        let place = instance::Place {
            bias,
            span,
            maps,
            mapper,
            memory,
            pool: state.pool_at,
            hooked: hooked.as_deref(),
            world,
            shared: state.shared_at.clone().map_err(Obstacle::CountersUnmapped)?,
        };
        let process = state.process;
        let made = Instance::new(number, &module, &process, &mut state.allocation, &place, &self.purpose)?;
        self.extend(image, mapped, mapper).map_err(|e| Obstacle::CountersUnmapped(e.to_string()))?;
        made.turn(memory).map_err(|e| Obstacle::CodeUnwritable(e.to_string()))?;
        self.instances.push(made);
        Ok(())
    }

    /// Remembers where a file is mapped, and which of its functions are to be hooked.
    fn note_callers(&mut self, path: &str, (start, end): (u64, u64), image: u32) {
        let Ok(file) = self.files.code(Path::new(path)) else { return };
        let mapped = sites::Mapped { image, path: path.to_owned(), start, end, bias: file.bias(start) };
        if !self.mapped.contains(&mapped) {
            self.mapped.push(mapped);
        }
        let Some(hooks) = self.purpose.hooks else { return };
        self.hooked.entry(path.to_owned()).or_insert_with(|| Arc::new(Hooked::of(&file, path, hooks)));
    }

    /// Address of Open MPI's world, where the process has one: the program may hold a copy of the library's variable, which then
    /// is the one that all use.
    fn world(&self, maps: &[Mapping], image: u32, library: &str) -> Option<u64> {
        let program = self.images.get(image as usize).map(|i| i.program.as_str());
        let find = |path: &str| {
            let (_, low, _) = modules_of(maps).into_iter().find(|(p, ..)| p == path)?;
            let file = self.files.code(Path::new(path)).ok()?;
            let [found] = file.symbol_addresses([OPEN_MPI_WORLD]);
            Some(found?.wrapping_add(file.bias(low)))
        };
        program.and_then(find).or_else(|| find(library))
    }

    /// Reads a module, once per file.
    fn module(&mut self, path: &str, selection: &Selection) -> Result<Arc<Module>, Obstacle> {
        let meta = std::fs::metadata(path)?;
        let key = (path.to_owned(), meta.ino(), meta.mtime_nsec() as u64 ^ meta.size());
        let read = || {
            let image = self.files.code(Path::new(path)).map_err(|e| Obstacle::System(e.to_string()))?;
            Ok(Arc::new(Module::read(path, image, selection)))
        };
        self.read.entry(key).or_insert_with(read).clone()
    }

    /// Whether libraries that are opened later could be among the chosen ones.
    fn may_open_libraries(&self) -> bool {
        self.choice.functions.is_some() || !matches!(self.choice.modules, Modules::Program)
    }

    /// The warnings that are known once the program has ended: of threads that found no free area, and of functions that were
    /// given back.
    pub fn warnings_at_end(&self) -> Vec<Warning> {
        let traced = self.purpose.tracing.is_some();
        let crowded = self.crowded.then_some(Warning::Crowded { most: MOST_AREAS, traced });
        let mut lost: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for instance in &self.instances {
            for function in instance.given_back().filter_map(|k| instance.module.image.function(k)) {
                lost.entry(&instance.module.path).or_default().insert(&function.name);
            }
        }
        let lost = lost.into_iter().map(|(module, functions)| Warning::MadeWritable {
            module: module.to_owned(),
            functions: functions.into_iter().map(str::to_owned).collect(),
        });
        crowded.into_iter().chain(lost).collect()
    }

    /// Where the trace is in the processes of an image.
    pub fn pool_at(&self, image: u32) -> Option<u64> {
        self.images.get(image as usize).map(|i| i.pool_at)
    }

    /// Waits up to `milliseconds` for a request, and finds the process that made it. If it is found in no
    /// process, its process has died, or may not be read: its thread continues without an answer.
    pub fn next_request(&mut self, milliseconds: u32) -> Option<Asked> {
        let posted = self.shared.control.next(milliseconds)?;
        let area = self.shared.area(posted.number).filter(|a| !a.is_unowned());
        let hint = area.map(|a| a.identity().0 as i32).filter(|p| *p > 0);
        let Some((process, block)) = self.askers.find(&posted, hint) else {
            self.shared.control.answer(&posted);
            return None;
        };
        Some(Asked {
            request: block.request,
            process,
            thread: block.thread,
            image: block.image,
            argument: block.argument,
            second: block.second,
            owner: block.owner,
            posted,
        })
    }

    /// Ends the answering: the program continues without the tool.
    pub fn close(&mut self) {
        self.shared.control.close();
        self.let_all_go();
    }

    /// Lets the requesting thread continue.
    pub fn release(&self, asked: &Asked) {
        self.shared.control.answer(&asked.posted);
    }

    /// Answers a request of the program.
    pub fn answer(&mut self, asked: Asked) {
        let begin = Instant::now();
        match asked.request {
            Request::Modules => self.count_later(&asked),
            Request::Exec => self.begin_following(&asked),
            Request::ExecFailed => self.end_following(&asked),
            Request::Function => self.first_call(&asked),
            Request::Area => self.give_area(&asked),
            Request::Writable => self.give_back(&asked),
            // The trace's owner answers requests for room.
            Request::Room => {}
        }
        self.release(&asked);
        self.waiting += begin.elapsed();
    }

    fn waiting(&self, asked: &Asked) -> Option<Waiting> {
        let memory = self.askers.memory(asked.process)?;
        Some(Waiting { shared: Arc::clone(&self.shared), asked: *asked, memory })
    }

    fn count_later(&mut self, asked: &Asked) {
        let (Ok(maps), Some(waiting)) = (process::mappings(asked.process), self.waiting(asked)) else {
            return;
        };
        let Ok(memory) = waiting.memory.again() else { return };
        let mut mapped = self.askers.mapped(asked.process);
        self.count_modules(asked.process, asked.image, &maps, &waiting, &memory, &mut mapped);
        self.askers.keep(asked.process, mapped);
        self.watch(asked.image, &memory);
    }
}
