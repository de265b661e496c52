//! From records to events.
//!
//! Records name the blocks that ran; loops are followed from block to block, frame by frame. Where this order
//! is broken (a `longjmp`, an exception, a handler that ran in between), the stack pointers in the records of
//! calls and entries correct it: a frame below the newest one is dead.

use super::operands::{Form, mask_words};
use super::plan::RecordKind;
use super::registry::{Known, RecordedSite, TracedBlock, TracedBranch, TracedFunction};
use iced_x86::Register;
use loopwright_patterns::event::{Access, Event, Outcome};
use std::sync::Arc;

/// Follows the records of one thread.
#[derive(Debug, Default)]
pub struct Decoder {
    frames: Vec<Frame>,
    /// A call of which it is not known yet whether its callee records.
    pending: Option<Pending>,
    /// Function and conditional branch at the end of the last record: the next one shows where it led to.
    undecided: Option<(usize, TracedBranch)>,
    /// Outcomes of branches between the events of the last calls; whoever takes the events empties it.
    pub outcomes: Vec<Outcome>,
    /// Words of records by share.
    pub seen: Vec<u64>,
    share: Option<u32>,
    /// Operands whose address is missing: a signal handler came in between.
    pub lost: u64,
}

#[derive(Clone, Copy, Debug)]
struct Pending {
    call: u32,
    arguments: [u64; 3],
    /// The function that the call names.
    target: Option<u64>,
}

#[derive(Debug)]
struct Frame {
    function: usize,
    stack: u64,
    /// Active loops, outermost first.
    loops: Vec<u32>,
    /// The block that ran last.
    last: Option<usize>,
    /// The code that ran before in this frame is not known.
    joined: bool,
}

/// Most frames that are followed.
const DEEPEST: usize = 4096;

impl Decoder {
    /// A burst begins: nothing before it is known.
    pub fn cut(&mut self, functions: &[Arc<TracedFunction>], out: &mut Vec<Event>) {
        self.finish(functions, out);
        out.push(Event::Gap);
    }

    /// The stream ends. That the last loops were left is not recorded; the block that ran last decides
    /// whether their last pass was an iteration.
    pub fn finish(&mut self, functions: &[Arc<TracedFunction>], out: &mut Vec<Event>) {
        self.flush_call(out);
        self.undecided = None;
        self.unwind(0, functions, out);
        self.share = None;
    }

    /// Turns records into events.
    pub fn decode(&mut self, mut words: &[u64], functions: &[Arc<TracedFunction>], out: &mut Vec<Event>) {
        while let Some(&id) = words.first() {
            let Some((f, b, kind)) = Known::find(functions, id) else { return };
            let block = &functions[f].blocks[b];
            let length = match kind {
                RecordKind::Block => block.words,
                other => other.words(),
            } as usize;
            let Some(record) = words.get(..length) else { return };
            words = &words[length..];
            if kind != RecordKind::Left {
                self.count(block, length);
            }
            self.decide(f, b, kind, out.len());
            let word = |k: usize| record.get(k).copied().unwrap_or(0);
            match kind {
                RecordKind::Called => {
                    // Code that is not traced called back another function than the named one.
                    let callee = functions[f].address;
                    if self.pending.is_some_and(|p| p.target.is_none_or(|t| t == callee)) {
                        self.pending = None;
                    }
                    self.flush_call(out);
                    self.push(f, word(1), false, functions, out);
                    if let Some(call) = functions[f].incomplete {
                        out.push(Event::Call { call, arguments: [0; 3] });
                    }
                }
                RecordKind::Entered | RecordKind::Joined => {
                    self.flush_call(out);
                    if word(2) == 0 {
                        self.unwind(0, functions, out);
                        if kind == RecordKind::Joined && out.last() != Some(&Event::Gap) {
                            // It has run without being recorded.
                            out.push(Event::Gap);
                        }
                    }
                    self.arrive(f, word(1), kind == RecordKind::Joined, functions, out);
                }
                RecordKind::Left => {
                    self.flush_call(out);
                    self.leave_for(f, block, functions, out);
                }
                RecordKind::Passed | RecordKind::Block => {
                    self.flush_call(out);
                    self.run(f, b, functions, out);
                    if kind == RecordKind::Block {
                        self.accesses(block, record, out);
                        self.undecided = block.branch.map(|branch| (f, branch));
                        self.end(block, record, functions, out);
                    }
                }
            }
        }
    }

    /// A frame of a called function.
    fn push(
        &mut self,
        function: usize,
        stack: u64,
        joined: bool,
        functions: &[Arc<TracedFunction>],
        out: &mut Vec<Event>,
    ) {
        // The stack grows down: frames that are not above have ended.
        let alive = self.frames.iter().rposition(|f| f.stack > stack).map_or(0, |k| k + 1);
        self.unwind(alive, functions, out);
        if self.frames.len() < DEEPEST {
            self.frames.push(Frame { function, stack, loops: Vec::new(), last: None, joined });
        }
    }

    /// A nest of a function begins, or is found running.
    fn arrive(
        &mut self,
        function: usize,
        stack: u64,
        joined: bool,
        functions: &[Arc<TracedFunction>],
        out: &mut Vec<Event>,
    ) {
        let same = self.frames.last().is_some_and(|f| f.function == function && f.stack >= stack);
        if !same {
            return self.push(function, stack, joined, functions, out);
        }
        if let Some(frame) = self.frames.last_mut() {
            leave(frame, 0, functions, out);
            frame.joined = joined;
            frame.stack = stack;
        }
    }

    /// Ends frames until `keep` remain.
    fn unwind(&mut self, keep: usize, functions: &[Arc<TracedFunction>], out: &mut Vec<Event>) {
        while self.frames.len() > keep {
            if let Some(mut frame) = self.frames.pop() {
                leave(&mut frame, 0, functions, out);
            }
        }
    }

    /// Loops of a frame were left for a block, which may have no records itself.
    fn leave_for(
        &mut self,
        f: usize,
        block: &TracedBlock,
        functions: &[Arc<TracedFunction>],
        out: &mut Vec<Event>,
    ) {
        let Some(k) = self.frames.iter().rposition(|frame| frame.function == f) else { return };
        self.unwind(k + 1, functions, out);
        if let Some(frame) = self.frames.last_mut() {
            let common = frame.loops.iter().zip(&block.loops).take_while(|(a, b)| a == b).count();
            leave(frame, common, functions, out);
        }
    }

    /// A block runs.
    fn run(&mut self, f: usize, b: usize, functions: &[Arc<TracedFunction>], out: &mut Vec<Event>) {
        match self.frames.iter().rposition(|frame| frame.function == f) {
            Some(k) => self.unwind(k + 1, functions, out),
            None => {
                self.frames.push(Frame { function: f, stack: 0, loops: Vec::new(), last: None, joined: true })
            }
        }
        let Some(frame) = self.frames.last_mut() else { return };
        let block = &functions[f].blocks[b];
        let common = frame.loops.iter().zip(&block.loops).take_while(|(a, b)| a == b).count();
        leave(frame, common, functions, out);
        let stack = frame.stack;
        for (k, &loop_) in block.loops.iter().enumerate().skip(common) {
            let begins = block.header && k + 1 == block.loops.len();
            out.push(if frame.joined || !begins {
                Event::Join { loop_, stack }
            } else {
                Event::Enter { loop_, stack }
            });
            frame.loops.push(loop_);
        }
        frame.joined = false;
        frame.last = Some(b);
        if let (true, Some(&loop_)) = (block.header, block.loops.last()) {
            out.push(Event::Pass { loop_ });
        }
    }

    /// The part of a record after a block's operands: a call, or the end of the function.
    fn end(
        &mut self,
        block: &TracedBlock,
        record: &[u64],
        functions: &[Arc<TracedFunction>],
        out: &mut Vec<Event>,
    ) {
        if let Some(made) = block.call {
            let at = |k: usize| record.get(made.word as usize + k).copied().unwrap_or(0);
            let arguments = [at(0), at(1), at(2)];
            if made.foreign {
                out.push(Event::Call { call: made.call, arguments });
            } else {
                self.pending = Some(Pending { call: made.call, arguments, target: made.target });
            }
        }
        if block.returns {
            let keep = self.frames.len().saturating_sub(1);
            self.unwind(keep, functions, out);
        }
    }

    /// The record after a conditional branch, `after` that many events. Another one than those of the two blocks that it leads to is of a signal
    /// handler, or of code that ran after some that did not record: then the outcome is not known.
    fn decide(&mut self, f: usize, b: usize, kind: RecordKind, after: usize) {
        let Some((_, TracedBranch { branch, taken, fall })) =
            self.undecided.take().filter(|(function, _)| *function == f)
        else {
            return;
        };
        let arrives = !matches!(kind, RecordKind::Called | RecordKind::Joined);
        if arrives && (b == taken || b == fall) {
            self.outcomes.push(Outcome { after: after as u32, branch, taken: b == taken });
        }
    }

    fn flush_call(&mut self, out: &mut Vec<Event>) {
        if let Some(Pending { call, arguments, .. }) = self.pending.take() {
            out.push(Event::Call { call, arguments });
        }
    }

    fn accesses(&mut self, block: &TracedBlock, record: &[u64], out: &mut Vec<Event>) {
        for recorded in &block.operands {
            let Some(words) = record.get(recorded.word as usize..) else { return };
            let Some(&address) = words.first() else { return };
            let gathers = matches!(recorded.operand.form, Form::Gathered { .. });
            if address == 0 && !gathers {
                // Zero repetitions have no address.
                self.lost += u64::from(!matches!(recorded.operand.form, Form::Repeated { .. }));
                continue;
            }
            expand(recorded, words, out);
        }
    }

    /// Words are counted for the share of their block; functions called from there count for it, too.
    fn count(&mut self, block: &TracedBlock, words: usize) {
        self.share = block.share.or(self.share);
        let Some(share) = self.share.map(|s| s as usize) else { return };
        if self.seen.len() <= share {
            self.seen.resize(share + 1, 0);
        }
        self.seen[share] += words as u64;
    }
}

/// Leaves loops of a frame until `keep` remain.
fn leave(frame: &mut Frame, keep: usize, functions: &[Arc<TracedFunction>], out: &mut Vec<Event>) {
    let tests = frame.last.and_then(|b| functions.get(frame.function)?.blocks.get(b)?.tests);
    while frame.loops.len() > keep {
        if let Some(loop_) = frame.loops.pop() {
            out.push(Event::Leave { loop_, tested: tests == Some(loop_) });
        }
    }
}

/// The accesses of one operand.
fn expand(recorded: &RecordedSite, words: &[u64], out: &mut Vec<Event>) {
    let RecordedSite { site, operand, .. } = *recorded;
    let element = operand.element;
    let address = words.first().copied().unwrap_or(0);
    match operand.form {
        Form::Plain => out.push(Event::Access(Access { site, address, size: operand.size, lane: 0 })),
        Form::Repeated { repeats, .. } => {
            let count = if repeats { words.get(1).copied().unwrap_or(0) } else { 1 };
            let size = u32::try_from(count.saturating_mul(u64::from(element))).unwrap_or(u32::MAX);
            if size > 0 {
                out.push(Event::Access(Access { site, address, size, lane: 0 }));
            }
        }
        Form::Masked { .. } => {
            let bits = words.get(1).copied().unwrap_or(0);
            runs(site, address, element, operand.size / element.max(1), |lane| bits >> lane & 1 == 1, out);
        }
        Form::VectorMasked { .. } => {
            let mask = words.get(1..).unwrap_or(&[]);
            let on = |lane: u32| sign(mask, lane, element);
            runs(site, address, element, operand.size / element.max(1), on, out);
        }
        Form::Gathered { mask, index_bytes, scale } => {
            let index_words = recorded.index.size() / 8;
            let indices = words.get(1..).unwrap_or(&[]);
            let masks = words.get(1 + index_words..).unwrap_or(&[]);
            for lane in 0..operand.lanes {
                let on = match mask {
                    Register::None => true,
                    k if k.is_k() => masks.first().is_some_and(|bits| bits >> lane & 1 == 1),
                    _ => sign(masks.get(..mask_words(mask) as usize).unwrap_or(masks), lane, element),
                };
                let Some(index) = signed(indices, lane, index_bytes).filter(|_| on) else { continue };
                let address = address.wrapping_add_signed(index.wrapping_mul(i64::from(scale)));
                out.push(Event::Access(Access { site, address, size: element, lane: lane as u16 }));
            }
        }
    }
}

/// One access for each run of lanes that are switched on.
fn runs(site: u32, address: u64, element: u32, lanes: u32, on: impl Fn(u32) -> bool, out: &mut Vec<Event>) {
    let mut lane = 0;
    while lane < lanes {
        let first = lane;
        while lane < lanes && on(lane) {
            lane += 1;
        }
        if lane > first {
            let address = address + u64::from(first * element);
            out.push(Event::Access(Access {
                site,
                address,
                size: (lane - first) * element,
                lane: first as u16,
            }));
        }
        lane += 1;
    }
}

/// The highest bit of an element.
fn sign(words: &[u64], lane: u32, element: u32) -> bool {
    signed(words, lane, element).is_some_and(|v| v < 0)
}

/// An element of 4 or 8 bytes.
fn signed(words: &[u64], lane: u32, bytes: u32) -> Option<i64> {
    if bytes == 8 {
        return words.get(lane as usize).map(|w| *w as i64);
    }
    let word = words.get(lane as usize / 2)?;
    Some(i64::from((word >> (32 * (lane % 2))) as u32 as i32))
}

#[cfg(test)]
mod tests;
