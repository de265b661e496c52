//! One survey from start to end: start the program, let a sampler follow it, wait for its end, and sum up its
//! resources.
//!
//! This module contains what is the same for both samplers: interruption, processes that outlive the program,
//! reaping, and the facts about the target. Nothing that was collected is lost however the program ends.

use std::ffi::OsString;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use loopwright_launch::{Interruptions, StartOptions};

use crate::accounting::{Usage, cpus_allowed, has_ended, monotonic_ns, own_cpu_seconds, wait4};
use crate::clocks::ThreadClock;
use crate::clocks::load::Snapshot;
use crate::clocks::watch::Watch;
use crate::error::Error;
use crate::options::{Observer, SurveyOptions, SurveyStatus};
use crate::perf::event::Source;
use crate::perf::sampler::{PerfSampler, call_stacks};
use crate::recording::{CallStacks, Outcome, Recording, SamplerKind, Target};
use crate::tree::Tree;
use crate::warning::Warning;
use crate::{rank, timer};

/// Length of a round when no buffer fills up.
const ROUND: Duration = Duration::from_millis(100);

/// Runs `command` and samples it and all its descendants until they have ended.
///
/// `interrupted` is set by the caller's SIGINT handler: the first time, the program is given time to end (it
/// got the terminal's SIGINT too, else it is sent one); the second time, it is killed. The recording is
/// returned in either case. Errors mean that the program was not started.
pub fn survey(
    command: &[OsString],
    options: &SurveyOptions,
    observer: &mut dyn Observer,
    interrupted: &AtomicBool,
) -> Result<Recording, Error> {
    let mut recording =
        Recording { target: describe_target(command, &options.start), ..Recording::default() };
    let _subreaper = Subreaper::enter();
    let held = loopwright_launch::hold(command, &options.start)?;
    let (stacks, _) = call_stacks(options.call_stacks);
    recording.sampler.call_stacks = stacks;
    let refusal = if options.force_timer {
        Some("it was asked for".to_owned())
    } else {
        match PerfSampler::open(held.pid, options) {
            Ok(sampler) => {
                return with_perf_event(held, sampler, options, observer, interrupted, recording);
            }
            Err(reason) => Some(reason),
        }
    };
    timer::survey(held, refusal.unwrap_or_default(), options, observer, interrupted, recording)
}

/// The facts about a command before it runs; the caller that runs it adds how it ended.
pub fn describe_target(command: &[OsString], start: &StartOptions) -> Target {
    let directory = match &start.directory {
        Some(path) => std::fs::canonicalize(path).ok(),
        None => std::env::current_dir().ok(),
    };
    Target {
        command: command.iter().map(|word| word.to_string_lossy().into_owned()).collect(),
        host: std::fs::read_to_string("/proc/sys/kernel/hostname")
            .map(|name| name.trim().to_owned())
            .unwrap_or_default(),
        directory: directory.map(|path| path.to_string_lossy().into_owned()).unwrap_or_default(),
        started_unix: SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |time| time.as_secs_f64()),
        cpus_allowed: cpus_allowed(),
        rank: rank::of(&start.environment),
        ..Target::default()
    }
}

/// A run in progress, for either sampler.
pub struct Run<'a> {
    /// The program's process.
    pub root: libc::pid_t,
    /// The process tree.
    pub tree: Tree,
    /// Examines the threads from time to time, independently of samples.
    pub watch: Watch,
    /// The result so far.
    pub recording: Recording,
    /// The machine's counters at the start.
    load: Option<Snapshot>,
    load_at_end: Option<Snapshot>,
    options: &'a SurveyOptions,
    observer: &'a mut dyn Observer,
    interruptions: Interruptions<'a>,
    started: Instant,
    own_cpu_at_start: f64,
    usage: Usage,
    root_ended: Option<Instant>,
}

impl<'a> Run<'a> {
    /// A run that begins now.
    pub fn new(
        root: libc::pid_t,
        options: &'a SurveyOptions,
        observer: &'a mut dyn Observer,
        interrupted: &'a AtomicBool,
        recording: Recording,
    ) -> Self {
        let with_tables = recording.sampler.call_stacks == CallStacks::Dwarf;
        Self {
            root,
            tree: Tree::new(root as u32, monotonic_ns(), options.max_samples, with_tables),
            watch: Watch::default(),
            recording,
            load: Snapshot::now(),
            load_at_end: None,
            options,
            observer,
            interruptions: Interruptions::new(Some(interrupted), root),
            started: Instant::now(),
            own_cpu_at_start: own_cpu_seconds(),
            usage: Usage::default(),
            root_ended: None,
        }
    }

    /// Reports the start to the observer.
    pub fn tell_started(&mut self) {
        self.observer.started(self.root as u32);
    }

    /// Reports the progress to the observer.
    pub fn tell(&mut self, lost: u64) {
        let (processes, threads) = self.tree.population();
        self.observer.tick(&SurveyStatus {
            elapsed: self.started.elapsed(),
            samples: self.tree.sample_count(),
            lost,
            processes,
            threads,
        });
    }

    /// The main process has been reaped.
    pub fn root_has_ended(&mut self, status: libc::c_int, usage: &libc::rusage) {
        self.observer.ended();
        self.usage.add(usage);
        self.recording.target.outcome = if libc::WIFSIGNALED(status) {
            Outcome::Signalled(libc::WTERMSIG(status))
        } else {
            Outcome::Exited(libc::WEXITSTATUS(status))
        };
        self.recording.target.elapsed_seconds = self.started.elapsed().as_secs_f64();
        self.recording.sampler.collector_seconds = own_cpu_seconds() - self.own_cpu_at_start;
        self.load_at_end = Snapshot::now();
        self.root_ended = Some(Instant::now());
    }

    /// Whether the main process has ended.
    pub fn is_root_ended(&self) -> bool {
        self.root_ended.is_some()
    }

    /// Reaps the main process if it has ended.
    fn reap_root(&mut self) {
        if self.root_ended.is_none() {
            // A process that has ended keeps its clocks until it is reaped.
            if has_ended(self.root) {
                self.watch.last_look(&self.tree, self.root as u32);
            }
            match wait4(self.root, libc::WNOHANG | libc::__WALL) {
                Ok(Some(waited)) if libc::WIFEXITED(waited.status) || libc::WIFSIGNALED(waited.status) => {
                    self.root_has_ended(waited.status, &waited.usage);
                }
                Err(error) if error.raw_os_error() == Some(libc::ECHILD) => {
                    // Another part of this process waited for all children. The run is over all the same.
                    self.root_ended = Some(Instant::now());
                    self.recording.target.elapsed_seconds = self.started.elapsed().as_secs_f64();
                }
                _ => {}
            }
        }
    }

    /// Adds the resources of an orphan that became the collector's child.
    pub fn orphan_has_ended(&mut self, usage: &libc::rusage) {
        self.usage.add(usage);
    }

    /// Reaps these processes where they have become the collector's children and ended.
    fn reap_orphans(&mut self, processes: &[u32]) {
        for &pid in processes {
            if pid as libc::pid_t != self.root
                && let Ok(Some(waited)) = wait4(pid as libc::pid_t, libc::WNOHANG | libc::__WALL)
            {
                self.usage.add(&waited.usage);
            }
        }
    }

    /// Examines the program's threads, if it is time to.
    pub fn look(&mut self) {
        if self.root_ended.is_none() {
            self.watch.look(&mut self.tree);
        }
    }

    /// Handles the caller's interruptions.
    pub fn heed_interruptions(&mut self) {
        self.interruptions.heed(|| self.tree.descendants().map(|pid| pid as libc::pid_t));
    }

    /// Whether there is nothing more to follow: the program and its descendants have ended, or the grace
    /// period is over.
    pub fn is_over(&mut self) -> bool {
        let Some(ended) = self.root_ended else { return false };
        let ended_processes = self.tree.take_ended();
        self.reap_orphans(&ended_processes);
        let left: Vec<u32> = self.tree.descendants().collect();
        for &pid in &left {
            if !exists(pid) {
                self.tree.gone(pid);
            }
        }
        let left: Vec<u32> = self.tree.descendants().collect();
        if left.is_empty() {
            return true;
        }
        if ended.elapsed() < self.options.grace {
            return false;
        }
        let mut names: Vec<String> = left.iter().map(|&pid| self.tree.name_of(pid).to_owned()).collect();
        names.sort_unstable();
        names.dedup();
        self.recording.sampler.warnings.push(Warning::Outlived {
            processes: left.len(),
            names,
            followed_seconds: self.options.grace.as_secs_f64(),
        });
        true
    }

    /// Completes the recording.
    pub fn finish(mut self) -> Recording {
        let ended = self.tree.take_ended();
        self.reap_orphans(&ended);
        let rest: Vec<u32> = self.tree.all_descendants().collect();
        self.reap_orphans(&rest);
        self.usage.store(&mut self.recording.target);
        if self.interruptions.any() {
            self.recording.target.outcome = Outcome::Interrupted;
        }
        let started_ns = monotonic_ns().saturating_sub(self.started.elapsed().as_nanos() as u64);
        let elapsed_ns = (self.recording.target.elapsed_seconds * 1e9) as u64;
        self.tree.finish(&mut self.recording, started_ns + elapsed_ns);
        let (looked, waits, together) = self.watch.finish();
        let clocks = &mut self.recording.clocks;
        for (thread, clock) in looked {
            if let Some(known) = clocks.threads.get_mut(thread as usize) {
                *known = combined(*known, clock);
            }
        }
        (clocks.waits, clocks.together) = (waits, together);
        clocks.load = self.load.zip(self.load_at_end).map(|(start, end)| start.until(&end));
        let cycles = self.recording.sampler.kind == SamplerKind::HardwareCycles;
        if cycles {
            let kernel = if self.recording.sampler.kernel { self.usage.system_seconds() } else { 0.0 };
            scale_cycles(&mut self.recording, self.usage.user_seconds() + kernel);
        }
        self.recording
    }
}

/// One thread's clock from its context switches, completed by the kernel's accounts of its last look.
fn combined(switches: ThreadClock, accounts: ThreadClock) -> ThreadClock {
    let ran_ns = switches.ran_ns.max(accounts.ran_ns);
    // The time after the last look is split in the same proportion as before it.
    let seen = accounts.user_ns.zip(accounts.system_ns).map_or(0, |(user, system)| user + system);
    let scaled = |part: Option<u64>| {
        let whole = ran_ns.filter(|&ran| ran > seen && seen > 0);
        part.map(|part| whole.map_or(part, |ran| (part as f64 / seen as f64 * ran as f64) as u64))
    };
    ThreadClock {
        lifetime_ns: switches.lifetime_ns,
        ran_ns,
        user_ns: scaled(accounts.user_ns),
        system_ns: scaled(accounts.system_ns),
        // Both are lower bounds: one knows what happened after the last look, the other delays after a wake-up.
        delayed_ns: switches.delayed_ns.max(accounts.delayed_ns),
    }
}

/// Turns the cycles of each sample into nanoseconds, so that all samples together are the CPU time used.
/// A thread's clock frequency varies little against another's, so that the shares stay right.
fn scale_cycles(recording: &mut Recording, cpu_seconds: f64) {
    let cycles: f64 = recording.samples.iter().map(|sample| f64::from(sample.weight_ns)).sum();
    if cycles <= 0.0 || cpu_seconds <= 0.0 {
        let nominal = 1_000_000_000 / recording.sampler.frequency_hz.max(1);
        for sample in &mut recording.samples {
            sample.weight_ns = nominal;
        }
        return;
    }
    let nanoseconds_per_cycle = cpu_seconds * 1e9 / cycles;
    for sample in &mut recording.samples {
        sample.weight_ns = (f64::from(sample.weight_ns) * nanoseconds_per_cycle).round() as u32;
    }
}

fn with_perf_event(
    held: loopwright_launch::Held,
    mut sampler: PerfSampler,
    options: &SurveyOptions,
    observer: &mut dyn Observer,
    interrupted: &AtomicBool,
    mut recording: Recording,
) -> Result<Recording, Error> {
    recording.sampler.kind = match sampler.plan.source {
        Source::Cycles => SamplerKind::HardwareCycles,
        Source::CpuClock => SamplerKind::CpuClock,
    };
    recording.sampler.kernel = sampler.plan.kernel;
    recording.sampler.frequency_hz = sampler.plan.frequency_hz;
    recording.sampler.warnings.append(&mut sampler.warnings);
    recording.target.executable = held.program.to_string_lossy().into_owned();
    let mut run = Run::new(held.pid, options, observer, interrupted, recording);
    if !run.recording.sampler.kernel {
        run.tree.watch_boundaries();
    }
    let ends = open_pidfd(held.pid);
    held.release(options.start.directory.as_deref())?;
    run.tell_started();
    let mut waits: Vec<libc::pollfd> = sampler
        .descriptors()
        .chain(ends.as_ref().map(std::os::fd::AsRawFd::as_raw_fd))
        .map(|fd| libc::pollfd { fd, events: libc::POLLIN, revents: 0 })
        .collect();
    let mut last_tell = Instant::now();
    loop {
        let patience = if run.is_root_ended() { ROUND / 5 } else { ROUND.min(run.watch.due_in()) };
        // SAFETY: `waits` is a valid array of its length. An interrupting signal only ends the wait.
        unsafe {
            // Up to the next whole millisecond: a look is not due before.
            let milliseconds = patience.as_micros().div_ceil(1000) as libc::c_int;
            libc::poll(waits.as_mut_ptr(), waits.len() as libc::nfds_t, milliseconds);
        }
        for wait in &mut waits {
            if wait.revents & (libc::POLLHUP | libc::POLLERR | libc::POLLNVAL) != 0 {
                wait.fd = -1; // every task of this event has ended; there is nothing more to wait for
            }
            wait.revents = 0;
        }
        // The status first: then the buffers hold everything that the program did before it ended.
        run.reap_root();
        if run.is_root_ended()
            && let Some(last) = waits.last_mut().filter(|_| ends.is_some())
        {
            last.fd = -1;
        }
        sampler.drain(&mut run.tree, false);
        run.look();
        run.heed_interruptions();
        if !run.is_root_ended() {
            let ended = run.tree.take_ended();
            run.reap_orphans(&ended);
        } else if run.is_over() {
            break;
        }
        if last_tell.elapsed() >= ROUND {
            last_tell = Instant::now();
            run.tell(sampler.lost);
        }
    }
    sampler.disable();
    sampler.drain(&mut run.tree, true);
    run.recording.sampler.lost = sampler.lost + run.tree.refused();
    run.recording.sampler.throttled = sampler.throttled;
    Ok(run.finish())
}

/// A descriptor that becomes readable when the process ends; `None` before Linux 5.3.
fn open_pidfd(pid: libc::pid_t) -> Option<std::os::fd::OwnedFd> {
    use std::os::fd::FromRawFd;
    // SAFETY: the call takes two numbers and has no other preconditions.
    let fd = unsafe { libc::syscall(libc::SYS_pidfd_open, pid, 0) };
    let fd = libc::c_int::try_from(fd).ok().filter(|&fd| fd >= 0)?;
    // SAFETY: the descriptor was just created and has no other owner.
    Some(unsafe { std::os::fd::OwnedFd::from_raw_fd(fd) })
}

/// Whether a process still runs (a zombie does not).
fn exists(pid: u32) -> bool {
    let Ok(stat) = std::fs::read_to_string(format!("/proc/{pid}/stat")) else { return false };
    // The name, in parentheses, may hold anything; the state follows the last one.
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with(['Z', 'X']))
}

/// While any survey runs, orphans of the program become children of this process instead of init, so that
/// their resources are counted (`PR_SET_CHILD_SUBREAPER`).
struct Subreaper;

/// Surveys in progress, and whether the process was a subreaper before the first.
static SUBREAPER: Mutex<(usize, bool)> = Mutex::new((0, false));

impl Subreaper {
    fn enter() -> Self {
        let mut state = SUBREAPER.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if state.0 == 0 {
            let mut before: libc::c_int = 0;
            // SAFETY: the out-pointer is valid for the call; the second call takes plain numbers.
            unsafe {
                libc::prctl(libc::PR_GET_CHILD_SUBREAPER, &raw mut before, 0, 0, 0);
                libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
            }
            state.1 = before != 0;
        }
        state.0 += 1;
        Self
    }
}

impl Drop for Subreaper {
    fn drop(&mut self) {
        let mut state = SUBREAPER.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        state.0 -= 1;
        if state.0 == 0 && !state.1 {
            // SAFETY: the call takes plain numbers.
            unsafe {
                libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0);
            }
        }
    }
}
