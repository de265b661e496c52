//! The model of the process tree that a sampler fills: processes, threads, mappings, samples.
//!
//! Both samplers report events in the order of time; this module turns run-time addresses into (module, ELF
//! virtual address), walks stacks and interns the result. From the kernel it needs only the content of mapped
//! files.

use std::cell::OnceCell;
use std::path::Path;
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::address_space::{AddressSpace, Mapping};
use crate::clocks::Clocks;
use crate::clocks::kernel_side::KernelSide;
use crate::clocks::timeline::Timeline;
use crate::image::is_32_bit;
use crate::modules::{Mapped, kind_of, local_address, place, without_deleted};
use crate::perf::records::Registers;
use crate::perf_map::PerfMap;
use crate::recording::{Module, ModuleKind, Process, Recording, Sample, Thread};
use crate::remote_memory::LivePages;
use crate::stacks::{Samples, Stacks};
use crate::unwind::{StackCopy, StackWalker};
use crate::warning::Warning;

/// One sample, as a sampler saw it.
#[derive(Clone, Copy, Debug)]
pub struct Observation<'a> {
    /// Process id.
    pub pid: u32,
    /// Thread id.
    pub tid: u32,
    /// `CLOCK_MONOTONIC`.
    pub time_ns: u64,
    /// Number of the CPU.
    pub cpu: u32,
    /// CPU time that it represents, in nanoseconds.
    pub weight_ns: u32,
    /// The CPU was in the kernel.
    pub kernel: bool,
    /// The sampled address (kernel or user).
    pub ip: u64,
    /// User registers.
    pub registers: Option<Registers>,
    /// The system call that the thread was in, where the sampler knows it.
    pub call: Option<u32>,
    /// The stack, as far as the sampler read it.
    pub stack: StackEvidence<'a>,
}

/// How the callers of a sample are found.
#[derive(Clone, Copy, Debug)]
pub enum StackEvidence<'a> {
    /// Not requested.
    None,
    /// Return addresses, innermost first.
    Callers(&'a [u64]),
    /// The stack's memory from the stack pointer upwards.
    Copy(&'a [u8]),
}

/// The process tree under survey.
pub struct Tree {
    root: u32,
    start_ns: u64,
    processes: Vec<Process>,
    process_index: FxHashMap<u32, usize>,
    threads: Vec<Thread>,
    thread_index: FxHashMap<(u32, u32), u32>,
    alive: FxHashMap<u32, FxHashSet<u32>>,
    ended: Vec<u32>,
    awaiting_executable: FxHashSet<u32>,
    spaces: FxHashMap<u32, Rc<AddressSpace>>,
    modules: Vec<Mapped>,
    module_index: FxHashMap<(String, Option<String>), u32>,
    kernel_module: Option<u32>,
    stacks: Stacks,
    samples: Samples,
    walker: StackWalker,
    live: LivePages,
    with_unwind_tables: bool,
    walked: u64,
    truncated: u64,
    addresses: Vec<u64>,
    frames: Vec<u32>,
    timeline: Timeline,
    kernel_side: KernelSide,
}

impl Tree {
    /// A tree that consists of its root, which has not executed the program yet.
    pub fn new(root: u32, start_ns: u64, max_samples: usize, with_unwind_tables: bool) -> Self {
        let mut tree = Self {
            root,
            start_ns,
            processes: Vec::new(),
            process_index: FxHashMap::default(),
            threads: Vec::new(),
            thread_index: FxHashMap::default(),
            alive: FxHashMap::default(),
            ended: Vec::new(),
            awaiting_executable: FxHashSet::default(),
            spaces: FxHashMap::default(),
            modules: Vec::new(),
            module_index: FxHashMap::default(),
            kernel_module: None,
            stacks: Stacks::default(),
            samples: Samples::new(max_samples),
            walker: StackWalker::default(),
            live: LivePages::default(),
            with_unwind_tables,
            walked: 0,
            truncated: 0,
            addresses: Vec::new(),
            frames: Vec::new(),
            timeline: Timeline::default(),
            kernel_side: KernelSide::default(),
        };
        let thread = tree.thread(root, root);
        tree.timeline.born(thread, 0);
        tree
    }

    /// Notes which samples are directly after a system call: where the kernel cannot be sampled they are the
    /// only evidence of which stack called it.
    pub fn watch_boundaries(&mut self) {
        self.kernel_side.watch_boundaries();
    }

    fn since_start(&self, time_ns: u64) -> u64 {
        time_ns.saturating_sub(self.start_ns)
    }

    /// Number of a known thread.
    pub fn thread_of(&self, pid: u32, tid: u32) -> Option<u32> {
        self.thread_index.get(&(pid, tid)).copied()
    }

    /// Processes and threads that are alive, as far as was reported.
    pub fn living(&self) -> Vec<(u32, u32)> {
        self.alive.iter().flat_map(|(&pid, threads)| threads.iter().map(move |&tid| (pid, tid))).collect()
    }

    /// A thread was switched onto or off a CPU.
    pub fn switched(&mut self, (pid, tid): (u32, u32), time_ns: u64, cpu: u32, out: bool, preempted: bool) {
        let time = self.since_start(time_ns);
        let thread = self.thread(pid, tid);
        self.timeline.switched(thread, cpu, time, out, preempted);
    }

    /// The stack of a thread that does not run, for a wait.
    pub fn stack_of(&mut self, pid: u32, registers: Registers, bytes: &[u8]) -> Option<u32> {
        let space = self.spaces.get(&pid).cloned().unwrap_or_default();
        self.walk(pid, &space, registers, bytes);
        self.intern(pid, &space)
    }

    fn process(&mut self, pid: u32, parent: Option<u32>) -> &mut Process {
        let index = match self.process_index.get(&pid) {
            Some(&index) => index,
            None => {
                self.processes.push(Process { pid, parent, executable: String::new(), name: String::new() });
                self.process_index.insert(pid, self.processes.len() - 1);
                self.processes.len() - 1
            }
        };
        &mut self.processes[index]
    }

    fn thread(&mut self, pid: u32, tid: u32) -> u32 {
        if let Some(&index) = self.thread_index.get(&(pid, tid)) {
            return index;
        }
        let name = self.process(pid, None).name.clone();
        let index = self.threads.len() as u32;
        self.threads.push(Thread { pid, tid, name });
        self.thread_index.insert((pid, tid), index);
        self.alive.entry(pid).or_default().insert(tid);
        index
    }

    /// A stack whose only known address is the innermost.
    pub fn leaf_of(&mut self, pid: u32, ip: u64) -> Option<u32> {
        let space = self.spaces.get(&pid).cloned().unwrap_or_default();
        self.addresses.clear();
        self.addresses.push(ip);
        self.intern(pid, &space)
    }

    /// A thread or process was created.
    pub fn forked(&mut self, pid: u32, parent: u32, tid: u32, time_ns: u64) {
        if pid != parent {
            // A reused process id is a new process.
            if !self.alive.contains_key(&pid) && self.process_index.remove(&pid).is_some() {
                self.thread_index.retain(|(process, _), _| *process != pid);
            }
            let of_parent = self.process_index.get(&parent).map(|&index| self.processes[index].clone());
            let process = self.process(pid, Some(parent));
            if let Some(of_parent) = of_parent {
                process.executable = of_parent.executable;
                process.name = of_parent.name;
            }
            if let Some(space) = self.spaces.get(&parent).cloned() {
                self.spaces.insert(pid, space);
            }
        }
        self.thread_index.remove(&(pid, tid));
        let thread = self.thread(pid, tid);
        let time = self.since_start(time_ns);
        self.timeline.born(thread, time);
    }

    /// A thread ended.
    pub fn exited(&mut self, pid: u32, tid: u32, time_ns: u64) {
        if let Some(thread) = self.thread_of(pid, tid) {
            let time = self.since_start(time_ns);
            self.timeline.ended(thread, time);
        }
        if let Some(threads) = self.alive.get_mut(&pid) {
            threads.remove(&tid);
            if threads.is_empty() {
                self.alive.remove(&pid);
                self.spaces.remove(&pid);
                self.ended.push(pid);
            }
        }
    }

    /// A thread was named; by exec the process also got an empty address space and lost its other threads.
    pub fn named(&mut self, pid: u32, tid: u32, name: String, exec: bool) {
        if exec {
            self.spaces.insert(pid, Rc::default());
            self.awaiting_executable.insert(pid);
            self.alive.insert(pid, FxHashSet::from_iter([pid]));
        }
        let thread = self.thread(pid, tid) as usize;
        if pid == tid {
            self.process(pid, None).name.clone_from(&name);
        }
        self.threads[thread].name = name;
    }

    /// A thread is on a CPU, for another reason than a switch or a sample.
    pub fn runs(&mut self, pid: u32, tid: u32, cpu: u32, time_ns: u64) {
        let time = self.since_start(time_ns);
        let thread = self.thread(pid, tid);
        self.timeline.runs(thread, cpu, time);
    }

    /// A file (or nameless memory) was mapped executable.
    pub fn mapped(
        &mut self,
        pid: u32,
        start: u64,
        length: u64,
        offset: u64,
        path: &str,
        build_id: Option<String>,
    ) {
        let Some(end) = start.checked_add(length) else { return };
        let kind = kind_of(path);
        if kind == ModuleKind::File && self.awaiting_executable.remove(&pid) {
            self.process(pid, None).executable = without_deleted(path).to_owned();
        }
        let name = match kind {
            ModuleKind::Anonymous if path.starts_with('[') && path != "[heap]" && path != "[stack]" => {
                path.to_owned()
            }
            ModuleKind::Anonymous => format!("[generated code of process {pid}]"),
            _ => path.to_owned(),
        };
        let generated_by = (kind == ModuleKind::Anonymous && !name.starts_with("[vs")).then_some(pid);
        let key = (name, build_id);
        let module = match self.module_index.get(&key) {
            Some(&module) => module,
            None => {
                let module = self.modules.len() as u32;
                self.modules.push(Mapped {
                    module: Module { path: key.0.clone(), kind, build_id: key.1.clone() },
                    generated_by,
                    image: OnceCell::new(),
                });
                self.module_index.insert(key, module);
                module
            }
        };
        Rc::make_mut(self.spaces.entry(pid).or_default()).map(Mapping { start, end, offset, module });
    }

    /// Drops a process's mappings; the caller reports them again.
    pub fn unmap_all(&mut self, pid: u32) {
        self.spaces.remove(&pid);
    }

    /// Whether a mapping at `address` is known.
    pub fn knows(&self, pid: u32, address: u64) -> bool {
        self.spaces.get(&pid).is_some_and(|space| space.find(address).is_some())
    }

    /// The program that a process runs, where the sampler knows it better than from the order of mappings.
    pub fn set_executable(&mut self, pid: u32, path: &str) {
        self.awaiting_executable.remove(&pid);
        self.process(pid, None).executable = without_deleted(path).to_owned();
    }

    /// A sample was taken. `false` when its stack was cut.
    pub fn sampled(&mut self, observation: &Observation<'_>) -> bool {
        let pid = observation.pid;
        let thread = self.thread(pid, observation.tid);
        let time = self.since_start(observation.time_ns);
        self.timeline.runs(thread, observation.cpu, time);
        let ip = match observation.registers {
            Some(registers) => registers.ip,
            None if observation.kernel => {
                let module = self.kernel_module();
                let frame = self.stacks.frame(Some(module), observation.ip);
                if let Some(stack) = self.stacks.stack(&[frame]) {
                    self.push(observation, thread, stack);
                }
                return true;
            }
            None => observation.ip,
        };
        let space = self.spaces.get(&pid).cloned().unwrap_or_default();
        let mut complete = true;
        match (observation.stack, observation.registers) {
            (StackEvidence::Callers(callers), _) => {
                self.addresses.clear();
                self.addresses.push(ip);
                self.addresses
                    .extend(callers.iter().filter(|&&address| address > 1).map(|address| address - 1));
            }
            (StackEvidence::Copy(bytes), Some(registers)) => {
                complete = self.walk(pid, &space, registers, bytes);
                self.walked += 1;
                self.truncated += u64::from(!complete);
            }
            _ => {
                self.addresses.clear();
                self.addresses.push(ip);
            }
        }
        if let Some(stack) = self.intern(pid, &space) {
            self.push(observation, thread, stack);
            let leaf = (self.stacks.innermost(stack), ip);
            let live = &mut self.live;
            self.kernel_side.note(observation, stack, leaf, || live.follows_syscall(pid, ip));
        }
        complete
    }

    /// Fills `addresses` with a stack: its innermost address and those of the calls. Returns whether the walk
    /// reached the end.
    fn walk(&mut self, pid: u32, space: &AddressSpace, registers: Registers, bytes: &[u8]) -> bool {
        self.addresses.clear();
        self.addresses.push(registers.ip);
        let (modules, tables, addresses) = (&self.modules, self.with_unwind_tables, &mut self.addresses);
        let live = &mut self.live;
        self.walker.walk(
            registers,
            StackCopy { start: registers.sp, bytes },
            |address| place(space, modules, tables, pid, address),
            |address| live.word(pid, address),
            |caller| addresses.push(caller),
        )
    }

    /// Interns the stack in `addresses`.
    fn intern(&mut self, pid: u32, space: &AddressSpace) -> Option<u32> {
        self.frames.clear();
        for &address in &self.addresses {
            let (module, address) = match space.find(address) {
                Some(mapping) => (
                    Some(mapping.module),
                    local_address(mapping, &self.modules, self.with_unwind_tables, pid, address),
                ),
                None => (None, address),
            };
            let frame = self.stacks.frame(module, address);
            self.frames.push(frame);
        }
        self.stacks.stack(&self.frames)
    }

    fn push(&mut self, observation: &Observation<'_>, thread: u32, stack: u32) {
        self.samples.push(Sample {
            time_ns: observation.time_ns.saturating_sub(self.start_ns),
            thread,
            cpu: observation.cpu,
            stack,
            weight_ns: observation.weight_ns,
            kernel: observation.kernel,
        });
    }

    fn kernel_module(&mut self) -> u32 {
        *self.kernel_module.get_or_insert_with(|| {
            self.modules.push(Mapped {
                module: Module { path: "[kernel]".to_owned(), kind: ModuleKind::Kernel, build_id: None },
                generated_by: None,
                image: OnceCell::from(None),
            });
            (self.modules.len() - 1) as u32
        })
    }

    /// Drops what was read of live memory, which may have changed.
    pub fn new_round(&mut self) {
        self.live.forget();
    }

    /// Samples kept so far.
    pub fn sample_count(&self) -> u64 {
        self.samples.len() as u64
    }

    /// Samples beyond the bound.
    pub fn refused(&self) -> u64 {
        self.samples.refused
    }

    /// Processes and threads alive, as far as was reported.
    pub fn population(&self) -> (u32, u32) {
        (self.alive.len() as u32, self.alive.values().map(|threads| threads.len() as u32).sum())
    }

    /// Processes alive, but for the root.
    pub fn descendants(&self) -> impl Iterator<Item = u32> + '_ {
        self.alive.keys().copied().filter(|&pid| pid != self.root)
    }

    /// Removes a process that no longer exists.
    pub fn gone(&mut self, pid: u32) {
        self.alive.remove(&pid);
        self.spaces.remove(&pid);
    }

    /// Every process seen, but for the root.
    pub fn all_descendants(&self) -> impl Iterator<Item = u32> + '_ {
        self.processes.iter().map(|process| process.pid).filter(|&pid| pid != self.root)
    }

    /// Processes that ended since the last call.
    pub fn take_ended(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.ended)
    }

    /// Name of a process.
    pub fn name_of(&self, pid: u32) -> &str {
        self.process_index.get(&pid).map_or("", |&index| self.processes[index].name.as_str())
    }

    /// The times of the threads and of the kernel, from samples and switches; the run ended at `end_ns`.
    fn clocks(&mut self, end_ns: u64) -> Clocks {
        let end = self.since_start(end_ns);
        let running = self.timeline.running(end);
        let threads =
            (0..self.threads.len() as u32).map(|thread| self.timeline.thread(thread, end)).collect();
        let kernel = &self.kernel_side;
        Clocks {
            running,
            threads,
            kernel: kernel.functions(),
            boundaries: kernel.boundaries(),
            calls: kernel.calls(),
            ..Clocks::default()
        }
    }

    /// Writes everything into `recording`, with one sentence for each thing that limits it. The run ended at `end_ns`.
    pub fn finish(mut self, recording: &mut Recording, end_ns: u64) {
        recording.clocks = self.clocks(end_ns);
        let mut maps: FxHashMap<u32, Option<PerfMap>> = FxHashMap::default();
        for frame in self.stacks.frames_mut() {
            let generated_by =
                frame.module.and_then(|module| self.modules.get(module as usize)?.generated_by);
            if let Some(pid) = generated_by {
                let map = maps.entry(pid).or_insert_with(|| PerfMap::of_process(pid));
                frame.symbol = map.as_ref().and_then(|map| map.name(frame.address)).map(str::to_owned);
            }
        }
        let executable = self
            .process_index
            .get(&self.root)
            .map(|&index| self.processes[index].executable.clone())
            .unwrap_or_default();
        let mut unread = Vec::new();
        for mapped in &mut self.modules {
            let is_main =
                mapped.module.kind == ModuleKind::File && without_deleted(&mapped.module.path) == executable;
            if is_main {
                mapped.module.kind = ModuleKind::Main;
            }
            match mapped.image.get() {
                Some(Some(image)) if mapped.module.build_id.is_none() => {
                    mapped.module.build_id.clone_from(&image.build_id);
                }
                // A file for another processor is intact; the analysis reports that it cannot be used.
                Some(None)
                    if matches!(mapped.module.kind, ModuleKind::Main | ModuleKind::File)
                        && !is_32_bit(Path::new(without_deleted(&mapped.module.path))) =>
                {
                    unread.push(mapped.module.path.as_str());
                }
                _ => {}
            }
        }
        if let Some(first) = unread.first() {
            let first = (*first).to_owned();
            recording.sampler.warnings.push(Warning::UnreadFiles { files: unread.len(), first });
        }
        if self.samples.refused > 0 {
            let (dropped, kept) = (self.samples.refused, self.samples.len());
            recording.sampler.warnings.push(Warning::SamplesDropped { dropped, kept });
        }
        if !executable.is_empty() {
            recording.target.executable = executable;
        }
        recording.sampler.truncated_share =
            if self.walked == 0 { 0.0 } else { self.truncated as f64 / self.walked as f64 };
        if recording.sampler.truncated_share > 0.1 {
            let share = recording.sampler.truncated_share;
            recording.sampler.warnings.push(Warning::StacksCut { share });
        }
        recording.processes = self.processes;
        recording.threads = self.threads;
        recording.modules = self.modules.into_iter().map(|mapped| mapped.module).collect();
        (recording.frames, recording.stacks) = self.stacks.into_parts();
        recording.samples = self.samples.into_sorted();
    }
}
