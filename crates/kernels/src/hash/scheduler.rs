//! Messages that come one by one: jobs wait until there are enough of them for the lanes.

use super::HashError;
use super::algorithm::Algorithm;
use super::context::Context;
use super::engine::Plan;
use super::many::arrange;
use super::slots::{Jobs, Piece, Slots};
use crate::isa::Isa;
use std::collections::VecDeque;
use std::fmt;

/// Hashes messages, whole or in pieces, as they are submitted, several at a time.
///
/// A job is a piece of a message with the message's [`Context`] and a tag of the caller's. Jobs of different messages
/// run at the same time; a message's own follow each other, because its context is only there again when the job
/// before is done: two jobs can never be at odds over one message. Nothing is copied: pieces are borrowed for `'d`.
///
/// [`submit`](Self::submit), [`update`](Self::update) and [`finish`](Self::finish) may do work, or leave it until more
/// jobs are there. [`flush`](Self::flush) does all that is left. [`completed`](Self::completed) hands out what is done,
/// in the order in which it was.
pub struct Scheduler<'d, A: Algorithm, T> {
    plan: &'static Plan<A::Word>,
    isa: Isa,
    slots: Slots<'d, A>,
    jobs: Vec<Option<Job<'d, A, T>>>,
    free: Vec<usize>,
    waiting: Vec<usize>,
    done: VecDeque<Done<A, T>>,
}

struct Job<'d, A: Algorithm, T> {
    tag: T,
    context: Context<A>,
    bytes: &'d [u8],
    last: bool,
}

/// A job that is done.
#[derive(Debug)]
pub struct Done<A: Algorithm, T> {
    /// The tag it was submitted with.
    pub tag: T,
    /// The job's outcome.
    pub outcome: Outcome<A>,
}

/// What comes of a job.
#[derive(Debug)]
pub enum Outcome<A: Algorithm> {
    /// The piece is hashed: the context, for the message's next piece.
    Hashed(Context<A>),
    /// The message is finished: its digest.
    Finished(A::Digest),
}

impl<A: Algorithm, T> Default for Scheduler<'_, A, T> {
    fn default() -> Self {
        Scheduler::at(Isa::best())
    }
}

impl<A: Algorithm, T> fmt::Debug for Scheduler<'_, A, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (waiting, live, done) = (self.waiting.len(), self.slots.live(), self.done.len());
        write!(f, "{} at {}: {waiting} jobs waiting, {live} in work, {done} done", A::NAME, self.isa)
    }
}

impl<'d, A: Algorithm, T> Scheduler<'d, A, T> {
    /// A scheduler without jobs.
    pub fn new() -> Self {
        Scheduler::default()
    }

    /// [`Scheduler::new`] for the level `isa`.
    pub fn new_with(isa: Isa) -> Result<Self, HashError> {
        Ok(Scheduler::at(isa.require()?))
    }

    fn at(isa: Isa) -> Self {
        Scheduler {
            plan: A::plan(isa),
            isa,
            slots: Slots::new(),
            jobs: Vec::new(),
            free: Vec::new(),
            waiting: Vec::new(),
            done: VecDeque::new(),
        }
    }

    /// Submits a whole message.
    pub fn submit(&mut self, tag: T, message: &'d [u8]) {
        self.finish(tag, Context::new(), message);
    }

    /// Submits a piece of a message that goes on.
    pub fn update(&mut self, tag: T, mut context: Context<A>, piece: &'d [u8]) {
        if context.only_keeps(piece) {
            context.update(piece);
            self.done.push_back(Done { tag, outcome: Outcome::Hashed(context) });
        } else {
            self.enqueue(Job { tag, context, bytes: piece, last: false });
        }
    }

    /// Submits the last piece of a message; it may be empty.
    pub fn finish(&mut self, tag: T, context: Context<A>, piece: &'d [u8]) {
        self.enqueue(Job { tag, context, bytes: piece, last: true });
    }

    fn enqueue(&mut self, job: Job<'d, A, T>) {
        let index = match self.free.pop() {
            Some(index) => {
                self.jobs[index] = Some(job);
                index
            }
            None => {
                self.jobs.push(Some(job));
                self.jobs.len() - 1
            }
        };
        self.waiting.push(index);
        // Twice as many as there are lanes: enough to take the longest first, few enough to stay in the caches.
        if self.waiting.len() >= 2 * self.plan.width {
            self.work(true);
        }
    }

    /// Does all that was submitted.
    pub fn flush(&mut self) {
        self.work(false);
    }

    /// Jobs that are not done.
    pub fn pending(&self) -> usize {
        self.waiting.len() + self.slots.live()
    }

    /// The next job that is done.
    pub fn completed(&mut self) -> Option<Done<A, T>> {
        self.done.pop_front()
    }

    /// Works on what waits: as long as no lane runs dry with `keep`, else until nothing is left.
    fn work(&mut self, keep: bool) {
        let Scheduler { plan, slots, jobs, free, waiting, done, .. } = self;
        let lengths = waiting.iter().map(|&index| jobs[index].as_ref().map_or(0, |job| job.bytes.len()));
        let (order, mut width) = arrange::<A>(plan, lengths);
        if keep || slots.live() > 0 {
            width = plan.width;
        }
        let queue = match order {
            Some(order) => order.into_iter().map(|at| waiting[at as usize]).collect(),
            None => std::mem::take(waiting),
        };
        waiting.clear();
        slots.drive(plan, width, keep, &mut Queue { queue: queue.into_iter(), jobs, free, done });
    }
}

/// The scheduler's jobs as the slots take them up.
struct Queue<'s, 'd, A: Algorithm, T> {
    queue: std::vec::IntoIter<usize>,
    jobs: &'s mut Vec<Option<Job<'d, A, T>>>,
    free: &'s mut Vec<usize>,
    done: &'s mut VecDeque<Done<A, T>>,
}

impl<'d, A: Algorithm, T> Jobs<'d, A::Word> for Queue<'_, 'd, A, T> {
    fn next(&mut self) -> Option<(usize, Piece<'_, 'd, A::Word>)> {
        let index = self.queue.next()?;
        let job = self.jobs.get(index)?.as_ref()?;
        Some((index, job.context.piece(job.bytes, job.last)))
    }

    fn done(&mut self, index: usize, state: [A::Word; 8]) {
        let Some(Job { tag, mut context, bytes, last }) = self.jobs[index].take() else { return };
        self.free.push(index);
        let outcome = if last {
            Outcome::Finished(A::digest(state))
        } else {
            context.advance(state, bytes);
            Outcome::Hashed(context)
        };
        self.done.push_back(Done { tag, outcome });
    }
}
