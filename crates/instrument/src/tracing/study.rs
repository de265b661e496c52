//! The tool's own thread that turns records into facts while the program runs.

use super::decode::Decoder;
use super::lending::Taken;
use super::nodes::Nodes;
use super::registry::{Registry, TracedFunction};
use loopwright_patterns::event::Event;
use loopwright_patterns::facts::LoopPatterns;
use loopwright_patterns::shape::Shape;
use loopwright_patterns::{Options, Run};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The final results.
#[derive(Debug, Default)]
pub struct Found {
    /// Facts of the loops that were seen.
    pub loops: Vec<LoopPatterns>,
    /// Number of accesses.
    pub accesses: u64,
    /// Number of threads.
    pub threads: u32,
    /// Number of addresses that are missing.
    pub lost: u64,
    /// CPU seconds of the analysis.
    pub seconds: f64,
    /// Words of records by share.
    pub seen: Vec<u64>,
}

/// Progress of the thread.
#[derive(Debug, Default)]
struct Progress {
    /// CPU time of the analysis, in nanoseconds.
    spent: AtomicU64,
    /// Number of bursts that wait or are in work.
    waiting: AtomicU64,
    /// Number of words in them.
    backlog: AtomicU64,
    accesses: AtomicU64,
    loops: AtomicU64,
    /// Words of records by share.
    seen: Mutex<Vec<u64>>,
}

/// The handle of the thread.
#[derive(Debug)]
pub struct Study {
    sender: Option<SyncSender<Taken>>,
    thread: Option<JoinHandle<Found>>,
    progress: Arc<Progress>,
}

/// Most bursts that may wait where the program waits, too: their content takes memory.
const QUEUE: usize = 8;
/// Most bursts that may wait where it does not: there the words are limited ([`Study::is_behind`]), and this
/// is more than the limit allows.
const LONG_QUEUE: usize = 4096;
/// With this many bytes to read, no more is recorded for single loops: about a tenth of a second's work.
const MOST_BACKLOG_BYTES: u64 = 16 << 20;

impl Study {
    /// Starts the thread.
    pub fn begin(registry: Arc<Registry>, options: Options, nodes: u32) -> Self {
        let (sender, receiver) = sync_channel(if registry.exhaustive { QUEUE } else { LONG_QUEUE });
        let progress = Arc::new(Progress::default());
        let mine = Arc::clone(&progress);
        let thread = std::thread::spawn(move || {
            let desk = Desk {
                run: Run::new(options),
                shape: Shape::default(),
                functions: Vec::new(),
                threads: BTreeMap::new(),
                loops: BTreeSet::new(),
                nodes: Nodes::new(nodes),
                accesses: 0,
                registry,
                progress: mine,
            };
            desk.work(&receiver)
        });
        Self { sender: Some(sender), thread: Some(thread), progress }
    }

    /// Passes a taken chunk to it; waits while too many are waiting.
    pub fn take(&self, taken: Taken) {
        if taken.words.is_empty() {
            return;
        }
        self.progress.waiting.fetch_add(1, Ordering::Relaxed);
        self.progress.backlog.fetch_add(taken.words.len() as u64, Ordering::Relaxed);
        if let Some(sender) = &self.sender {
            // It ends before its sender only by a panic, which `finish` passes on.
            let _ = sender.send(taken);
        }
    }

    /// Whether a burst waits.
    pub fn is_busy(&self) -> bool {
        self.progress.waiting.load(Ordering::Relaxed) > 0
    }

    /// Whether as many words wait as may.
    pub fn is_behind(&self) -> bool {
        self.progress.backlog.load(Ordering::Relaxed) * 8 >= MOST_BACKLOG_BYTES
    }

    /// CPU time that it has used.
    pub fn spent(&self) -> Duration {
        Duration::from_nanos(self.progress.spent.load(Ordering::Relaxed))
    }

    /// Words of records by share.
    pub fn seen(&self) -> Vec<u64> {
        self.progress.seen.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Chosen loops that were seen, and number of accesses.
    pub fn progress(&self) -> (u32, u64) {
        let loops = self.progress.loops.load(Ordering::Relaxed) as u32;
        (loops, self.progress.accesses.load(Ordering::Relaxed))
    }

    /// Lets it finish the waiting bursts.
    pub fn finish(mut self) -> Found {
        drop(self.sender.take());
        match self.thread.take().map(JoinHandle::join) {
            Some(Ok(found)) => found,
            Some(Err(panic)) => std::panic::resume_unwind(panic),
            None => Found::default(),
        }
    }
}

struct Desk {
    run: Run,
    shape: Shape,
    functions: Vec<Arc<TracedFunction>>,
    threads: BTreeMap<u64, Decoder>,
    loops: BTreeSet<u32>,
    nodes: Nodes,
    accesses: u64,
    registry: Arc<Registry>,
    progress: Arc<Progress>,
}

impl Desk {
    fn work(mut self, receiver: &Receiver<Taken>) -> Found {
        let mut events = Vec::new();
        for taken in receiver {
            let begin = Instant::now();
            self.learn();
            events.clear();
            let decoder = self.threads.entry(taken.area).or_default();
            decoder.outcomes.clear();
            if taken.fresh {
                decoder.cut(&self.functions, &mut events);
            }
            decoder.decode(&taken.words, &self.functions, &mut events);
            self.run.feed(taken.area as u32, taken.window, &self.shape, &events, &decoder.outcomes);
            self.note(&taken, &events);
            self.progress.spent.fetch_add(begin.elapsed().as_nanos() as u64, Ordering::Relaxed);
            self.progress.backlog.fetch_sub(taken.words.len() as u64, Ordering::Relaxed);
            self.progress.waiting.fetch_sub(1, Ordering::Relaxed);
        }
        let begin = Instant::now();
        for (area, decoder) in &mut self.threads {
            events.clear();
            decoder.finish(&self.functions, &mut events);
            self.run.feed(*area as u32, 0, &self.shape, &events, &[]);
        }
        let seen = self.seen();
        let mut loops = self.run.finish(&self.shape);
        self.nodes.finish(&self.shape, &mut loops);
        let spent = self.progress.spent.load(Ordering::Relaxed) as f64 / 1e9;
        Found {
            loops,
            accesses: self.accesses,
            threads: self.threads.len() as u32,
            lost: self.threads.values().map(|d| d.lost).sum(),
            seen,
            seconds: spent + begin.elapsed().as_secs_f64(),
        }
    }

    /// Adds what has been registered meanwhile.
    fn learn(&mut self) {
        let known = self.registry.known();
        catch_up(&mut self.shape.loops, &known.shape.loops);
        catch_up(&mut self.shape.sites, &known.shape.sites);
        catch_up(&mut self.shape.calls, &known.shape.calls);
        catch_up(&mut self.shape.branches, &known.shape.branches);
        catch_up(&mut self.functions, &known.functions);
    }

    fn note(&mut self, taken: &Taken, events: &[Event]) {
        let mut accesses = 0;
        for event in events {
            match event {
                Event::Access(_) => accesses += 1,
                Event::Enter { loop_, .. } | Event::Join { loop_, .. }
                    if self.shape.loops.get(*loop_ as usize).is_some_and(|l| l.chosen) =>
                {
                    self.loops.insert(*loop_);
                }
                _ => {}
            }
        }
        self.nodes.look(taken.identity, &self.shape, events);
        self.accesses += accesses;
        self.progress.accesses.store(self.accesses, Ordering::Relaxed);
        self.progress.loops.store(self.loops.len() as u64, Ordering::Relaxed);
        *self.progress.seen.lock().unwrap_or_else(PoisonError::into_inner) = self.seen();
    }

    /// Words of records by share, of all threads.
    fn seen(&self) -> Vec<u64> {
        let mut sum: Vec<u64> = Vec::new();
        for seen in self.threads.values().map(|d| &d.seen) {
            sum.resize(sum.len().max(seen.len()), 0);
            for (total, one) in sum.iter_mut().zip(seen) {
                *total += one;
            }
        }
        sum
    }
}

/// Appends the new elements of a list; lists only grow.
fn catch_up<T: Clone>(have: &mut Vec<T>, all: &[T]) {
    have.extend_from_slice(all.get(have.len()..).unwrap_or(&[]));
}
