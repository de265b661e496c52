//! Examines every thread of the program from time to time: its run and waiting times, and where it is blocked.
//!
//! Sources: `proc(5)` (schedstat, stat, syscall, fd). Nothing stops or disturbs the program; the stack of a
//! blocked thread is read from outside, and used only if the thread is still in the same call afterwards.
//! What a thread does between two looks is not seen, but counted: the scheduler's account of its run time and
//! its waiting for a CPU is exact, and the rest of the interval is blocked time.

use super::call::{self, Doing};
use super::load::ticks_per_second;
use super::{ThreadClock, Together, Wait, WaitKind};
use crate::accounting::{monotonic_ns, own_cpu_seconds};
use crate::perf::records::Registers;
use crate::remote_memory::read_memory;
use crate::tree::Tree;
use rustc_hash::FxHashMap;
use std::fs::File;
use std::io::Read;
use std::time::Duration;

/// Shortest time between two looks, and the same at the beginning, for programs that end soon. A blocked time
/// of a second is then known to a few per cent.
const SHORTEST: (Duration, Duration) = (Duration::from_millis(11), Duration::from_millis(2));
/// Share of one CPU that looking may take; more at the beginning, which adds some milliseconds at most.
const AFFORDABLE: (f64, f64) = (0.004, 0.02);
/// Length of the beginning.
const BEGINNING: Duration = Duration::from_millis(400);
/// Longest time between two looks, whatever they cost.
const LONGEST: Duration = Duration::from_secs(5);
/// The same at the beginning, where a program with few threads may end before it was examined often enough.
const LONGEST_AT_FIRST: Duration = Duration::from_millis(7);
/// Most threads for [`LONGEST_AT_FIRST`].
const FEW_THREADS: usize = 64;
/// The split into user and system time changes slowly, and reading it is expensive.
const SPLIT_AGE_NS: u64 = 40_000_000;
/// Bytes of a blocked thread's stack that are copied; frames further out are read one by one.
const STACK_BYTES: usize = 8 * 1024;

/// A call in which a thread was seen.
type Key = (u32, Option<u32>, Option<u32>, WaitKind);

/// What is known of one thread.
#[derive(Clone, Copy, Debug, Default)]
struct Known {
    looked_ns: u64,
    ran_ns: u64,
    delayed_ns: Option<u64>,
    user_ns: u64,
    system_ns: u64,
    /// When the split into the two was read.
    split_ns: u64,
    /// Where it was blocked, and its run time then: while its run time has not changed it is still there.
    blocked: Option<Key>,
}

/// Time in one call.
#[derive(Clone, Copy, Debug, Default)]
struct Spent {
    blocked_ns: u64,
    seen: u32,
    held_up_ns: u64,
}

/// Results of the looks so far.
#[derive(Debug, Default)]
pub struct Watch {
    threads: FxHashMap<(u32, u32), Known>,
    /// The latest clock of each of the tree's threads, ended ones included.
    clocks: FxHashMap<u32, ThreadClock>,
    waits: FxHashMap<Key, Spent>,
    together: Together,
    begun_ns: Option<u64>,
    last_ns: Option<u64>,
    due_ns: u64,
    text: Vec<u8>,
    stack: Vec<u8>,
}

impl Watch {
    /// Time until the next look.
    pub fn due_in(&self) -> Duration {
        Duration::from_nanos(self.due_ns.saturating_sub(monotonic_ns()))
    }

    /// Examines every thread of the tree, if it is time to.
    pub fn look(&mut self, tree: &mut Tree) {
        let now = monotonic_ns();
        if now < self.due_ns {
            return;
        }
        let begun = *self.begun_ns.get_or_insert(now);
        let own = own_cpu_seconds();
        self.look_now(tree, now);
        let cost = Duration::from_secs_f64((own_cpu_seconds() - own).max(0.0));
        let late = now.saturating_sub(begun) > BEGINNING.as_nanos() as u64;
        let (shortest, affordable) =
            if late { (SHORTEST.0, AFFORDABLE.0) } else { (SHORTEST.1, AFFORDABLE.1) };
        let longest = if late || self.threads.len() > FEW_THREADS { LONGEST } else { LONGEST_AT_FIRST };
        // Not in step with activity of the program every 10 ms.
        let jitter = shortest.mul_f64((now / 1000 % 1000) as f64 / 2500.0);
        let pause = cost.div_f64(affordable).clamp(shortest, longest) + jitter;
        self.due_ns = now + pause.as_nanos() as u64;
    }

    /// Examines a process that has ended and is not reaped yet, for the times of its first thread.
    pub fn last_look(&mut self, tree: &Tree, pid: u32) {
        self.thread_ends(tree, pid, pid);
    }

    /// Examines a thread for the last time.
    pub fn thread_ends(&mut self, tree: &Tree, pid: u32, tid: u32) {
        if let Some(thread) = tree.thread_of(pid, tid) {
            self.clock((pid, tid), thread, monotonic_ns(), true);
        }
    }

    fn look_now(&mut self, tree: &mut Tree, now: u64) {
        let interval = self.last_ns.map_or(0, |last| now.saturating_sub(last));
        self.last_ns = Some(now);
        tree.new_round();
        let mut blocked: Vec<Key> = Vec::new();
        let mut ready = false;
        let mut any = false;
        for (pid, tid) in tree.living() {
            let Some(thread) = tree.thread_of(pid, tid) else { continue };
            let before = self.threads.get(&(pid, tid)).copied();
            let Some(known) = self.clock((pid, tid), thread, now, false) else { continue };
            any = true;
            let still = before.filter(|before| before.ran_ns == known.ran_ns).and_then(|known| known.blocked);
            let at = self.blocked_at(tree, pid, tid, thread, still);
            if let Some(known) = self.threads.get_mut(&(pid, tid)) {
                known.blocked = at;
            }
            let Some(key) = at else {
                ready = true;
                continue;
            };
            blocked.push(key);
            let spent = self.waits.entry(key).or_default();
            spent.seen += 1;
            if let Some(before) = before {
                let passed = known.looked_ns.saturating_sub(before.looked_ns);
                let ran = known.ran_ns.saturating_sub(before.ran_ns);
                let delayed = known.delayed_ns.zip(before.delayed_ns).map_or(0, |(a, b)| a.saturating_sub(b));
                spent.blocked_ns += passed.saturating_sub(ran).saturating_sub(delayed);
            }
        }
        if !any {
            return;
        }
        self.together.looks += 1;
        self.together.seen_ns += interval;
        if !ready && let Some(cause) = blocked.iter().min_by_key(|key| (call::distance(key.3), key.0)) {
            self.together.all_blocked_ns += interval;
            self.waits.entry(*cause).or_default().held_up_ns += interval;
        }
    }

    /// Reads the scheduler's account of a thread.
    fn clock(&mut self, (pid, tid): (u32, u32), thread: u32, now: u64, last: bool) -> Option<Known> {
        let scheduler = self.read(&format!("/proc/{pid}/task/{tid}/schedstat"));
        let scheduler = scheduler.and_then(|text| {
            let mut words = text.split_whitespace().map_while(|word| word.parse::<u64>().ok());
            Some((words.next()?, words.next()?))
        });
        let before = self.threads.get(&(pid, tid)).copied();
        let mut known = before.unwrap_or_default();
        known.looked_ns = now;
        // A thread that has not run since has not changed its other times either.
        let unchanged = scheduler.is_some_and(|(ran, _)| {
            before.is_some_and(|before| {
                before.ran_ns == ran || (!last && now.saturating_sub(before.split_ns) < SPLIT_AGE_NS)
            })
        });
        if !unchanged {
            known.split_ns = now;
            let stat = self.read(&format!("/proc/{pid}/task/{tid}/stat"))?;
            let tick = 1_000_000_000 / ticks_per_second();
            let rest = stat.rsplit_once(") ")?.1;
            let mut fields = rest.split_whitespace().skip(11).map_while(|word| word.parse::<u64>().ok());
            (known.user_ns, known.system_ns) = (fields.next()? * tick, fields.next()? * tick);
            known.ran_ns = known.user_ns + known.system_ns;
        }
        if let Some((ran, delayed)) = scheduler {
            (known.ran_ns, known.delayed_ns) = (ran, Some(delayed));
        }
        self.threads.insert((pid, tid), known);
        self.clocks.insert(
            thread,
            ThreadClock {
                lifetime_ns: 0,
                ran_ns: Some(known.ran_ns),
                user_ns: Some(known.user_ns),
                system_ns: Some(known.system_ns),
                delayed_ns: known.delayed_ns,
            },
        );
        Some(known)
    }

    /// Where a thread is blocked; `None` when it runs or is ready to. `still` is where it was, if it has not run since.
    fn blocked_at(
        &mut self,
        tree: &mut Tree,
        pid: u32,
        tid: u32,
        thread: u32,
        still: Option<Key>,
    ) -> Option<Key> {
        let path = format!("/proc/{pid}/task/{tid}/syscall");
        let Some(doing) = self.read(&path).and_then(|text| call::parse(&text)) else {
            // The call is not visible to us; whether the thread is blocked is.
            let stat = self.read(&format!("/proc/{pid}/task/{tid}/stat"))?;
            let blocked = stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with(['S', 'D']));
            return blocked.then_some((thread, None, None, WaitKind::Other));
        };
        let Doing::Blocked { call, sp, ip } = doing else { return None };
        if still.is_some() {
            return still;
        }
        self.stack.clear();
        read_memory(tid as libc::pid_t, sp, STACK_BYTES, &mut self.stack);
        let kind = call::kind(call, |descriptor| {
            let link = std::fs::read_link(format!("/proc/{pid}/fd/{descriptor}")).ok()?;
            Some(link.to_string_lossy().into_owned())
        });
        // If it has run meanwhile, the stack is not that of one moment; where it was blocked is known all the same.
        let stack = if self.read(&path).and_then(|text| call::parse(&text)) == Some(doing) {
            tree.stack_of(pid, Registers { ip, sp, bp: 0 }, &self.stack)
        } else {
            tree.leaf_of(pid, ip)
        };
        Some((thread, stack, call.map(|(number, _)| number), kind))
    }

    fn read(&mut self, path: &str) -> Option<String> {
        self.text.clear();
        File::open(path).and_then(|file| file.take(4096).read_to_end(&mut self.text)).ok()?;
        Some(String::from_utf8_lossy(&self.text).into_owned())
    }

    /// The results: clocks by the tree's thread numbers, and waits.
    pub fn finish(self) -> (FxHashMap<u32, ThreadClock>, Vec<Wait>, Together) {
        let mut waits: Vec<Wait> = self
            .waits
            .iter()
            .map(|(&(thread, stack, call, kind), spent)| Wait {
                thread,
                stack,
                call,
                kind,
                blocked_ns: spent.blocked_ns,
                seen: spent.seen,
                held_up_ns: spent.held_up_ns,
            })
            .collect();
        waits.sort_by_key(|wait| (std::cmp::Reverse(wait.blocked_ns), wait.thread, wait.stack, wait.call));
        (self.clocks, waits, self.together)
    }
}
