//! The source position of a loop.
//!
//! A loop statement has no instruction of its own; its line is where its control is. GCC gives a loop the
//! position of its exit condition, Clang that of the statement's keyword, to which it also attributes the
//! branch. So the position is taken from the branch that leaves the loop, else from the comparison before it,
//! else from the update of the variable that it compares. Where the control was inlined (iterators), the
//! position is the call site through which most of the loop's code was inlined.
//!
//! GNU Fortran gives the control of a `do` loop the position of its last statement; there the `do` line is
//! that of the guard before the loop, which skips it when the count is zero. (The guard of an array
//! expression is on the expression's own line.)

use super::blocks::Graph;
use super::body::Body;
use super::chains::Chain;
use super::nest::Nest;
use super::source::CodeSource;
use crate::facts::{ChainKind, InlineFrame, SourceLocation, SourcePlace};
use iced_x86::FlowControl;
use rustc_hash::FxHashMap as HashMap;
use std::collections::{BTreeSet, VecDeque};

/// Share of a loop's instructions, without control, that must be in an inlined function for the loop to count
/// as part of it.
const MAJORITY: f64 = 0.5;

/// Blocks before a Fortran loop that are searched for its guard.
const SET_UP_BLOCKS: usize = 12;

/// A position with its parts as numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Position {
    /// Index into [`Places::files`].
    pub file: u32,
    /// Line; 0 when unknown.
    pub line: u32,
    /// Column; 0 when unknown.
    pub column: u32,
}

/// The place of one instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Spot {
    /// Position in the innermost inlined function.
    pub position: Option<Position>,
    /// Index into the inlining chains.
    chain: u32,
}

/// Source places of all instructions of a function, each distinct text stored once.
#[derive(Debug, Default)]
pub struct Places {
    /// File names.
    pub files: Vec<String>,
    file_numbers: HashMap<String, u32>,
    frames: Vec<InlineFrame>,
    frame_numbers: HashMap<InlineFrame, u32>,
    /// Frames from the outermost inwards.
    chains: Vec<Vec<u32>>,
    chain_numbers: HashMap<Vec<u32>, u32>,
    /// One per instruction of the graph.
    pub spots: Vec<Spot>,
}

/// Where a loop is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// Position of the loop statement.
    pub position: Option<Position>,
    /// Frames from the outermost inwards.
    pub chain: Vec<u32>,
    /// First position of own instructions in that file.
    pub first: Option<Position>,
    /// Lines spanned in the position's file.
    pub lines: Option<(u32, u32)>,
    /// Columns of instructions other than the control on the loop's own line; they distinguish loops on one line.
    pub columns: BTreeSet<u32>,
}

impl Places {
    /// Looks up every instruction of the function.
    pub fn new(source: &dyn CodeSource, graph: &Graph) -> Self {
        let mut places = Self::default();
        for i in &graph.instructions {
            let place = source.place(i.ip());
            let position = place.location.filter(|l| l.line > 0).map(|l| places.position(l));
            let frames: Vec<u32> = place.inlined.into_iter().rev().map(|f| places.frame(f)).collect();
            let next = places.chains.len() as u32;
            let chain = *places.chain_numbers.entry(frames.clone()).or_insert(next);
            if chain == next {
                places.chains.push(frames);
            }
            places.spots.push(Spot { position, chain });
        }
        places
    }

    /// Position and inlining of an instruction, for comparing.
    pub fn key(&self, at: usize) -> Option<(u32, Position)> {
        let spot = self.spots.get(at)?;
        Some((spot.chain, spot.position?))
    }

    /// The place of an instruction with its inlining, in the form of the facts.
    pub fn source(&self, at: usize) -> Option<SourcePlace> {
        let (chain, Position { file, line, column }) = self.key(at)?;
        let depth = self.chains.get(chain as usize).map_or(0, Vec::len) as u32;
        Some(SourcePlace { file, line, column, chain, depth })
    }

    fn position(&mut self, l: SourceLocation) -> Position {
        let file = match self.file_numbers.get(&l.file) {
            Some(&n) => n,
            None => {
                let n = self.files.len() as u32;
                self.files.push(l.file.clone());
                self.file_numbers.insert(l.file, n);
                n
            }
        };
        Position { file, line: l.line, column: l.column }
    }

    fn frame(&mut self, frame: InlineFrame) -> u32 {
        if let Some(&n) = self.frame_numbers.get(&frame) {
            return n;
        }
        let n = self.frames.len() as u32;
        self.frames.push(frame.clone());
        self.frame_numbers.insert(frame, n);
        n
    }

    /// Numbers of the frames that an instruction was inlined through, from the outermost inwards.
    pub fn chain(&self, at: usize) -> &[u32] {
        self.spots.get(at).and_then(|s| self.chains.get(s.chain as usize)).map_or(&[], Vec::as_slice)
    }

    /// The position of instruction `at` as seen from the inlining level `prefix`.
    pub fn seen_from(&mut self, at: usize, prefix: &[u32]) -> Option<Position> {
        let chain = self.chain(at);
        if !chain.starts_with(prefix) {
            return None;
        }
        match chain.get(prefix.len()) {
            None => self.spots.get(at)?.position,
            Some(&frame) => {
                let site = self.frames.get(frame as usize)?.call_site.clone().filter(|s| s.line > 0)?;
                Some(self.position(site))
            }
        }
    }

    /// The frames of a chain in the form of the facts, innermost first.
    pub fn inlined(&self, chain: &[u32]) -> Vec<InlineFrame> {
        chain.iter().rev().filter_map(|&f| self.frames.get(f as usize).cloned()).collect()
    }

    /// A position in the form of the facts.
    pub fn location(&self, p: Position) -> SourceLocation {
        let file = self.files.get(p.file as usize).cloned().unwrap_or_default();
        SourceLocation { file, line: p.line, column: p.column }
    }

    /// Finds the loop's place. `outlined`: the function is a compiler-made body of a parallel region.
    pub fn origin(
        &mut self,
        outlined: bool,
        graph: &Graph,
        nest: &Nest,
        index: u32,
        body: &Body,
        chains: &[Chain],
    ) -> Origin {
        let control = control(graph, nest, index, body, chains);
        let chain = self.common_chain(body, &control);
        let mut position = control.iter().find_map(|&at| self.seen_from(at, &chain));
        let own: Vec<Position> = {
            let steps: Vec<usize> = body.steps.iter().map(|s| s.at).collect();
            steps.into_iter().filter_map(|at| self.seen_from(at, &chain)).collect()
        };
        if position.is_none() {
            position = own.iter().min().copied();
        }
        let Some(mut p) = position else { return Origin { chain, ..Origin::default() } };
        if outlined {
            // Work-shared loops that GCC outlines have no position for their control.
            p = own.iter().filter(|o| o.file == p.file).min().copied().unwrap_or(p);
        } else if self.is_fortran(p)
            && let Some(first) = own.iter().filter(|o| o.file == p.file).map(|o| o.line).min()
            && first == p.line
            && let Some(set_up) = self.set_up(graph, nest, index, &chain, p)
        {
            p = set_up;
        }
        let lines = own.iter().filter(|o| o.file == p.file).map(|o| o.line);
        let span = lines.clone().min().zip(lines.max());
        let first = own.iter().filter(|o| o.file == p.file).min().copied();
        let steps: Vec<usize> = body.steps.iter().map(|s| s.at).filter(|at| !control.contains(at)).collect();
        let columns = steps
            .into_iter()
            .filter_map(|at| self.seen_from(at, &chain))
            .filter(|o| o.file == p.file && o.line == p.line && o.column > 0)
            .map(|o| o.column)
            .collect();
        Origin {
            position: Some(p),
            first,
            chain,
            lines: span.map(|(a, b)| (a.min(p.line), b.max(p.line))),
            columns,
        }
    }

    fn is_fortran(&self, p: Position) -> bool {
        let extension = self.files.get(p.file as usize).and_then(|f| f.rsplit('.').next());
        extension.is_some_and(|e| {
            matches!(e.to_ascii_lowercase().as_str(), "f" | "for" | "ftn" | "f90" | "f95" | "f03" | "f08")
        })
    }

    /// The position of the nearest guard before the loop, when that is on a line before `body`.
    fn set_up(
        &mut self,
        graph: &Graph,
        nest: &Nest,
        index: u32,
        chain: &[u32],
        body: Position,
    ) -> Option<Position> {
        let l = &nest.loops[index as usize];
        // Not through other loops, and not out of the enclosing one: their guards are not this loop's.
        let enclosing = l.parent.and_then(|p| nest.loops.get(p as usize)).map(|p| p.header);
        let outside = |b: &u32| {
            l.body.binary_search(b).is_err() && nest.innermost.get(*b as usize).copied().flatten() == l.parent
        };
        let header = &graph.blocks[l.header as usize];
        let mut work: VecDeque<u32> = header.predecessors.iter().copied().filter(outside).collect();
        let mut seen: BTreeSet<u32> = BTreeSet::new();
        while let Some(b) = work.pop_front() {
            if seen.len() >= SET_UP_BLOCKS || !seen.insert(b) {
                continue;
            }
            let block = &graph.blocks[b as usize];
            let last = block.instructions.1.saturating_sub(1) as usize;
            let guards = block.successors.len() > 1;
            if guards
                && let Some(p) = self.seen_from(last, chain)
                && p.file == body.file
                && p.line <= body.line
            {
                return (p.line < body.line).then_some(p);
            }
            if Some(b) != enclosing {
                work.extend(block.predecessors.iter().copied().filter(outside));
            }
        }
        None
    }

    /// The inlining level that the loop belongs to.
    fn common_chain(&self, body: &Body, control: &[usize]) -> Vec<u32> {
        let mut prefix: Vec<u32> = Vec::new();
        // The arithmetic decides: an iterator's own code controls the loop, but the loop is its caller's.
        let chains = |works: &dyn Fn(usize) -> bool| -> Vec<&[u32]> {
            let located =
                body.steps.iter().filter(|s| self.spots.get(s.at).is_some_and(|s| s.position.is_some()));
            located.filter(|s| works(s.at)).map(|s| self.chain(s.at)).collect()
        };
        let mut located = chains(&|at| !control.contains(&at));
        if located.is_empty() {
            located = chains(&|_| true);
        }
        loop {
            let depth = prefix.len();
            let mut frames = control
                .iter()
                .filter(|&&at| self.spots.get(at).is_some_and(|s| s.position.is_some()))
                .map(|&at| self.chain(at).get(depth).copied());
            let Some(Some(next)) = frames.next() else { return prefix };
            if frames.any(|f| f != Some(next)) {
                return prefix;
            }
            let inside =
                located.iter().filter(|c| c.starts_with(&prefix) && c.get(depth) == Some(&next)).count();
            if (inside as f64) < MAJORITY * located.len() as f64 {
                return prefix;
            }
            prefix.push(next);
        }
    }
}

/// Instructions that control the loop, the most reliable position first: the leaving branch, its comparison,
/// the update of the compared variable. Indices into the graph's instructions.
fn control(graph: &Graph, nest: &Nest, index: u32, body: &Body, chains: &[Chain]) -> Vec<usize> {
    let l = &nest.loops[index as usize];
    let leaves =
        |b: u32| graph.blocks[b as usize].successors.iter().any(|s| l.body.binary_search(s).is_err());
    let conditional = |k: usize| {
        let last = body.code(k).last();
        last.is_some_and(|s| s.instruction.flow_control() == FlowControl::ConditionalBranch)
    };
    // The latch first (rotated loops), then the header (tests at the top), then others from the end.
    let mut order: Vec<usize> = (0..body.blocks.len()).filter(|&k| body.blocks[k].latch).collect();
    order.push(0);
    order.extend((1..body.blocks.len()).rev().filter(|&k| body.blocks[k].always && !body.blocks[k].latch));
    let mut exit =
        order.iter().copied().find(|&k| k < body.blocks.len() && conditional(k) && leaves(body.blocks[k].id));
    if exit.is_none() {
        exit = order.first().copied().filter(|&k| k < body.blocks.len());
    }
    let Some(exit) = exit else { return Vec::new() };
    let range = body.blocks[exit].steps;
    let mut out = Vec::new();
    let Some(jump) = body.steps[range.0..range.1].last() else { return out };
    out.push(jump.at);
    let flags = (range.0..range.1 - 1).rev().find(|&s| body.steps[s].instruction.rflags_modified() != 0);
    if let Some(test) = flags.filter(|_| conditional(exit)) {
        let step = &body.steps[test];
        out.push(step.at);
        let compared = |c: &&Chain| {
            let reads = step.reads.contains(&c.slot) || step.memory.and_then(|m| m.slot) == Some(c.slot);
            c.kind == ChainKind::Induction && reads
        };
        let updates = chains.iter().filter(compared).flat_map(|c| c.steps.iter());
        out.extend(updates.map(|&s| body.steps[s].at));
    }
    out.dedup();
    out
}
