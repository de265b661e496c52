//! The fallback where perf_event is forbidden: a `ptrace(2)` sampler.
//!
//! A timer ticks at the sampling rate; at each tick every thread whose CPU time has advanced and that is
//! running is stopped, its registers and stack are copied, and it is resumed. A sample's weight is the CPU
//! time of its thread since its last sample. Threads that waited for a CPU at the tick give none. That works for any program (static, stripped, many threads,
//! forks, exec) without loading anything into it. Rejected: a preloaded library with per-thread timers, which
//! is cheaper per sample but misses static programs and children that clean their environment, and changes
//! the program's signals.
//!
//! Limits: a stop costs the program some ten microseconds, so that the rate is bounded ([`MOST_HZ`]); programs
//! that trace others (debuggers) and set-user-id programs do not work under ptrace. Only running threads are
//! stopped, since a stop would make some blocked calls (`epoll_wait`, see `signal(7)`) fail with EINTR.

mod maps;
mod slice;
mod ticker;
mod tracee;

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use loopwright_launch::Held;
use rustc_hash::FxHashMap;

use self::slice::ShortSlices;
use self::ticker::Ticker;
use self::tracee::{Event, Thread, classify};
use crate::accounting::{Waited, monotonic_ns, wait4};
use crate::error::Error;
use crate::options::{Observer, SurveyOptions};
use crate::perf::sampler::call_stacks;
use crate::recording::{CallStacks, Recording, Sample, SamplerKind};
use crate::remote_memory::read_memory;
use crate::survey::Run;
use crate::tree::{Observation, StackEvidence};
use crate::warning::Warning;

/// The highest rate of this sampler: at 251 Hz (a prime) and 15 to 25 us a stop the program loses about 0.5 %.
pub const MOST_HZ: u32 = 251;

/// Bytes of stack copied where frame pointers are followed.
const FRAME_POINTER_STACK_BYTES: u32 = 64 * 1024;

/// Mappings are read again after this time, because ptrace does not report `dlopen`.
const MAPS_AGE: Duration = Duration::from_secs(1);

/// ... and after this time for the stacks of blocked threads.
const MAPS_AGE_FOR_LOOKS: Duration = Duration::from_millis(100);

/// ... and after this time when an address was not found in them.
const MAPS_AGE_AFTER_MISS: Duration = Duration::from_millis(5);

/// Surveys the held child. `refusal` states why perf_event is not used.
pub fn survey(
    held: Held,
    refusal: String,
    options: &SurveyOptions,
    observer: &mut dyn Observer,
    interrupted: &AtomicBool,
    mut recording: Recording,
) -> Result<Recording, Error> {
    if let Err(ptrace) = tracee::seize(held.pid) {
        held.abandon();
        return Err(Error::Forbidden { perf: refusal, ptrace });
    }
    let frequency_hz = options.frequency_hz.clamp(1, MOST_HZ);
    recording.sampler.kind = SamplerKind::Timer;
    recording.sampler.kernel = true;
    recording.sampler.frequency_hz = frequency_hz;
    recording.sampler.warnings.push(Warning::TimerUsed { refusal, rate_hz: frequency_hz });
    recording.target.executable = held.program.to_string_lossy().into_owned();
    // The ticker inherits them.
    let _slices = ShortSlices::begin();
    let ticker = match Ticker::start(frequency_hz) {
        Ok(ticker) => ticker,
        Err(error) => {
            held.abandon();
            return Err(error);
        }
    };
    let root = held.pid;
    let mut session = Session {
        run: Run::new(root, options, observer, interrupted, recording),
        threads: FxHashMap::default(),
        maps_read: FxHashMap::default(),
        stack_bytes: 0,
        stack: Vec::new(),
        executed: false,
        reported: Instant::now(),
        late_ticks: 0,
    };
    let (kind, format) = call_stacks(options.call_stacks);
    session.stack_bytes = match kind {
        CallStacks::Dwarf => format.stack_bytes,
        CallStacks::FramePointer => FRAME_POINTER_STACK_BYTES,
        CallStacks::None => 0,
    } as usize;
    session.adopt(root);
    held.open_gate();
    let mut held = Some(held);
    loop {
        let waited = match wait4(-1, libc::__WALL | libc::__WNOTHREAD | libc::WUNTRACED) {
            Ok(Some(waited)) => waited,
            Err(error) if error.raw_os_error() == Some(libc::EINTR) => {
                session.run.heed_interruptions();
                continue;
            }
            _ => break,
        };
        if waited.pid == ticker.pid() {
            session.tick(ticker.due_ns());
            if session.run.is_root_ended() && session.run.is_over() {
                break;
            }
            if !ticker.resume() {
                break;
            }
            continue;
        }
        session.handle(&waited);
        if session.executed {
            if held.take().is_some() {
                session.run.tell_started();
            }
        } else if session.run.is_root_ended() {
            // Ended without having become the program.
            if let Some(error) =
                held.as_ref().and_then(|held| held.failure(options.start.directory.as_deref()))
            {
                return Err(error.into());
            }
            break;
        }
    }
    drop(ticker);
    session.let_go();
    session.run.recording.sampler.lost = session.run.tree.refused();
    let mut recording = session.run.finish();
    even_out(&mut recording.samples);
    Ok(recording)
}

/// Shares each thread's CPU time evenly among samples that follow each other. Ticks do not depend on what the program does, so that
/// samples stand for equal times; the time since the last one is longer where a thread gave none between, which, if it is
/// often preempted at the same place, depends on what it does.
fn even_out(samples: &mut [Sample]) {
    /// Samples among which time is shared: a thirtieth of a second of CPU time.
    const TOGETHER: usize = 8;
    let mut of_threads: FxHashMap<u32, Vec<usize>> = FxHashMap::default();
    for (at, sample) in samples.iter().enumerate() {
        of_threads.entry(sample.thread).or_default().push(at);
    }
    for together in of_threads.values().flat_map(|all| all.chunks(TOGETHER)) {
        let total: u64 = together.iter().map(|&at| u64::from(samples[at].weight_ns)).sum();
        for (done, &at) in (0..).zip(together) {
            let part = |until: u64| total * until / together.len() as u64;
            samples[at].weight_ns = u32::try_from(part(done + 1) - part(done)).unwrap_or(u32::MAX);
        }
    }
}

struct Session<'a> {
    run: Run<'a>,
    threads: FxHashMap<libc::pid_t, Thread>,
    maps_read: FxHashMap<u32, Instant>,
    stack_bytes: usize,
    stack: Vec<u8>,
    executed: bool,
    reported: Instant,
    /// Ticks in a row that came late.
    late_ticks: u32,
}

impl Session<'_> {
    /// Registers a traced thread, and its process if it is new.
    fn adopt(&mut self, tid: libc::pid_t) {
        if self.threads.contains_key(&tid) {
            return;
        }
        let Some(thread) = Thread::open(tid) else { return };
        if tid != self.run.root {
            let parent = if thread.process == tid as u32 { thread.parent } else { thread.process };
            self.run.tree.forked(thread.process, parent, tid as u32, monotonic_ns());
        }
        self.threads.insert(tid, thread);
    }

    fn handle(&mut self, waited: &Waited) {
        let tid = waited.pid;
        match classify(waited.status) {
            Event::Ended => {
                let thread = self.threads.remove(&tid);
                if let Some(thread) = &thread {
                    self.run.tree.exited(thread.process, tid as u32, monotonic_ns());
                }
                if tid == self.run.root {
                    self.run.root_has_ended(waited.status, &waited.usage);
                } else if thread.is_some_and(|thread| thread.fell_to_us) {
                    self.run.orphan_has_ended(&waited.usage);
                }
            }
            Event::Created => {
                if let Some(created) = tracee::message(tid) {
                    self.adopt(created);
                }
                tracee::resume(tid, 0);
            }
            Event::Executed => {
                if let Some(former) = tracee::message(tid).filter(|&former| former != tid) {
                    self.threads.remove(&former);
                }
                self.threads.retain(|&other, thread| other == tid || thread.process != tid as u32);
                self.threads.remove(&tid);
                self.run.tree.named(tid as u32, tid as u32, maps::name(tid), true);
                self.adopt(tid);
                self.maps_read.remove(&(tid as u32));
                self.executed |= tid == self.run.root;
                self.read_maps(tid as u32, Duration::ZERO);
                // The loader has yet to map the libraries: the first sample reads again.
                self.maps_read.remove(&(tid as u32));
                tracee::resume(tid, 0);
            }
            Event::Exiting => {
                self.adopt(tid);
                let name = maps::name(tid);
                if let Some(thread) = self.threads.get_mut(&tid) {
                    thread.note_parent();
                    let process = thread.process;
                    self.run.tree.named(process, tid as u32, name, false);
                    self.run.watch.thread_ends(&self.run.tree, process, tid as u32);
                }
                tracee::resume(tid, 0);
            }
            Event::Trapped => {
                self.adopt(tid);
                let stopped_ns = monotonic_ns();
                if self.threads.get_mut(&tid).is_some_and(|thread| thread.shows_its_place(stopped_ns)) {
                    self.sample(tid, stopped_ns);
                } else {
                    tracee::resume(tid, 0);
                }
            }
            Event::GroupStopped => tracee::listen(tid),
            Event::Signalled(signal) => {
                self.adopt(tid);
                tracee::resume(tid, signal);
            }
            Event::Other => {}
        }
    }

    /// Requests a stop of each thread that used CPU time and is running, for the samples that were due at this time.
    fn tick(&mut self, due_ns: u64) {
        /// A sampler that is later waited for a CPU itself, and got it where a thread was preempted, which is not at any place alike.
        /// Waking two processes takes a tenth of that; the slices of schedulers are some milliseconds.
        const PROMPT_NS: u64 = 500_000;
        /// On a machine where every tick is late, that many are passed over before one is used all the same.
        const MOST_LATE: u32 = 3;
        self.run.tree.new_round();
        let late = monotonic_ns().saturating_sub(due_ns) > PROMPT_NS && self.late_ticks < MOST_LATE;
        self.late_ticks = if late { self.late_ticks + 1 } else { 0 };
        if !late {
            for thread in self.threads.values_mut() {
                thread.ask(due_ns);
            }
        }
        // New mappings are not reported, and a program that waits is not sampled.
        if self.run.watch.due_in().is_zero() {
            let processes: Vec<u32> = self.threads.values().map(|thread| thread.process).collect();
            for process in processes {
                self.read_maps(process, MAPS_AGE_FOR_LOOKS);
            }
        }
        self.run.look();
        self.run.heed_interruptions();
        if self.reported.elapsed() >= Duration::from_millis(100) {
            self.reported = Instant::now();
            self.run.tell(0);
        }
    }

    /// Copies what a stopped thread's sample needs, resumes it, and records the sample.
    fn sample(&mut self, tid: libc::pid_t, time_ns: u64) {
        let registers = tracee::registers(tid);
        self.stack.clear();
        if let Some((registers, _)) = registers.filter(|_| self.stack_bytes > 0) {
            read_memory(tid, registers.sp, self.stack_bytes, &mut self.stack);
        }
        let Some(thread) = self.threads.get_mut(&tid) else {
            tracee::resume(tid, 0);
            return;
        };
        let weight_ns = thread.take_cpu_time();
        let (process, cpu) = (thread.process, thread.cpu);
        tracee::resume(tid, 0);
        let Some((registers, call)) = registers else { return };
        let age = if self.run.tree.knows(process, registers.ip) { MAPS_AGE } else { MAPS_AGE_AFTER_MISS };
        self.read_maps(process, age);
        let complete = self.run.tree.sampled(&Observation {
            pid: process,
            tid: tid as u32,
            time_ns,
            cpu,
            weight_ns,
            kernel: call.is_some(),
            ip: registers.ip,
            registers: Some(registers),
            call,
            stack: if self.stack_bytes > 0 { StackEvidence::Copy(&self.stack) } else { StackEvidence::None },
        });
        if !complete {
            self.read_maps(process, MAPS_AGE_AFTER_MISS);
        }
    }

    /// Reads a process's mappings unless they were read within `age`.
    fn read_maps(&mut self, process: u32, age: Duration) {
        if self.maps_read.get(&process).is_some_and(|read| read.elapsed() < age) {
            return;
        }
        self.maps_read.insert(process, Instant::now());
        let Some(found) = maps::executable_mappings(process) else { return };
        self.run.tree.unmap_all(process);
        for map in found {
            self.run.tree.mapped(process, map.start, map.length, map.offset, &map.path, None);
        }
        if let Ok(path) = std::fs::read_link(format!("/proc/{process}/exe")) {
            self.run.tree.set_executable(process, &path.to_string_lossy());
        }
    }

    /// Detaches from threads that still run.
    fn let_go(&mut self) {
        for &tid in self.threads.keys() {
            tracee::interrupt(tid);
        }
        let patience = Instant::now();
        while !self.threads.is_empty() && patience.elapsed() < Duration::from_secs(1) {
            let tids: Vec<libc::pid_t> = self.threads.keys().copied().collect();
            for tid in tids {
                match wait4(tid, libc::__WALL | libc::WNOHANG) {
                    Ok(Some(waited)) => {
                        let signal = match classify(waited.status) {
                            Event::Signalled(signal) => signal,
                            _ => 0,
                        };
                        tracee::detach(tid, signal);
                        self.threads.remove(&tid);
                    }
                    Ok(None) => {}
                    Err(_) => {
                        self.threads.remove(&tid);
                    }
                }
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_is_shared_among_samples_of_one_thread_and_none_is_lost() {
        let of =
            |thread, weight_ns| Sample { time_ns: 0, thread, cpu: 0, stack: 0, weight_ns, kernel: false };
        let mut samples: Vec<Sample> = (0..8).map(|k| of(0, 3 * k)).collect();
        samples.insert(3, of(1, 1000));
        // The ninth of the first thread begins the next share.
        samples.push(of(0, 7));
        even_out(&mut samples);
        let weights = |thread| -> Vec<u32> {
            samples.iter().filter(|sample| sample.thread == thread).map(|sample| sample.weight_ns).collect()
        };
        assert_eq!(weights(0), [10, 11, 10, 11, 10, 11, 10, 11, 7]);
        assert_eq!(weights(1), [1000]);
    }
}
