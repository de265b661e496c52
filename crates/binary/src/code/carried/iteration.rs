//! One iteration of a loop as formulas, and what its places held before the first iteration.
//!
//! From the two follows what a later iteration gets from an earlier one: when the code before the loop
//! computed a value as the iteration before the first would have computed it (`a[i - 1]`, kept from one
//! iteration to the next), the value does not restrict the order, since every iteration can compute it
//! itself. Any other start value makes a chain of the iterations: a scalar that wraps around (M. Wolfe, *High
//! Performance Compilers for Parallel Computing*, "wrap-around variables").

use super::super::blocks::{BlockId, Graph};
use super::super::body::{Body, Function};
use super::super::callees::Callees;
use super::super::chains::is_immediate;
use super::super::nest::{NaturalLoop, Nest};
use super::super::step::{self, Memory, STACK_POINTER, Slot};
use super::evaluate::{EITHER, State, in_frame, wide};
use super::formula::{Formula, Formulas, Id};
use iced_x86::{Instruction, Mnemonic, OpKind};
use rustc_hash::FxHashMap as HashMap;
use std::borrow::Cow;
use std::cell::RefCell;

/// Most blocks before a loop that are followed backwards.
const MOST_BEFORE: usize = 32;
/// Most iterations back that are searched for a start value: registers that a value rotates through.
const MOST_BACK: u32 = 8;

/// A loop's iteration.
pub struct Iteration<'a> {
    pub formulas: Formulas,
    body: &'a Body,
    /// State at the end of an iteration.
    end: State,
    /// The flags at the end of each block.
    pub flags: HashMap<BlockId, Id>,
    /// Addresses of memory operands, by step.
    pub addresses: HashMap<usize, Id>,
    /// State before the first iteration, for each path into the loop, and whether it was followed back to the
    /// function's entry.
    entries: Vec<(State, bool)>,
}

impl<'a> Iteration<'a> {
    /// Evaluates a loop's blocks once, and those that lead to it; `None` where its flow is irreducible.
    pub fn new(function: &Function, l: &NaturalLoop, body: &'a Body) -> Option<Self> {
        let Function { graph, nest, callees, ref steps, .. } = *function;
        let inside = |b: &BlockId| l.body.binary_search(b).is_ok();
        if nest.irreducible.iter().any(|(_, blocks)| blocks.iter().any(inside)) {
            return None;
        }
        let mut this = Self {
            formulas: Formulas::new(graph.has_frame_pointer()),
            body,
            end: State::default(),
            flags: HashMap::default(),
            addresses: HashMap::default(),
            entries: Vec::new(),
        };
        this.run(graph, callees, nest, l);
        if graph.roots.contains(&l.header) {
            // The function begins with the loop.
            this.entries.push((State::default(), true));
        }
        for &before in graph.blocks[l.header as usize].predecessors.iter().filter(|b| !inside(b)) {
            let entry = this.before(callees, graph, steps, before);
            this.entries.push(entry);
        }
        Some(this)
    }

    fn run(&mut self, graph: &Graph, callees: Callees, nest: &Nest, l: &NaturalLoop) {
        let body = self.body;
        let mut ends: Vec<State> = Vec::with_capacity(body.blocks.len());
        let mut end: Option<State> = None;
        for (k, block) in body.blocks.iter().enumerate() {
            let mut state: Option<State> = (k == 0).then(State::default);
            if k > 0 {
                for &p in &block.before {
                    let Some(end) = ends.get(p) else { continue };
                    let mut from = Cow::Borrowed(end);
                    if let Some(equal) = self.equality(graph, (body.blocks[p].id, block.id)) {
                        from.to_mut().equal.push(equal);
                    }
                    match &mut state {
                        None => state = Some(from.into_owned()),
                        Some(state) => state.join(&mut self.formulas, &from),
                    }
                }
            }
            let mut state = state.unwrap_or_default();
            let inner = nest.loops.iter().find(|inner| inner.header == block.id && inner.header != l.header);
            if let Some(inner) = inner {
                self.forget(&mut state, inner);
            }
            for at in block.steps.0..block.steps.1 {
                let step = &body.steps[at];
                if step.memory.is_some() {
                    let address = state.address(&mut self.formulas, &step.instruction);
                    self.addresses.insert(at, address);
                }
                state.step(&mut self.formulas, step, callees.returns_first(&step.instruction));
            }
            let flags = state.flags;
            let flags = flags.unwrap_or_else(|| self.formulas.unknown());
            self.flags.insert(block.id, flags);
            if block.latch {
                match &mut end {
                    None => end = Some(state.clone()),
                    Some(end) => end.join(&mut self.formulas, &state),
                }
            }
            ends.push(state);
        }
        self.end = end.unwrap_or_default();
    }

    /// What the branch from one block to another says: a register that was compared with a number is that number.
    fn equality(&self, graph: &Graph, (from, to): (BlockId, BlockId)) -> Option<(Id, i64)> {
        let branch = graph.terminator(from)?;
        let taken = branch.near_branch_target() == graph.blocks[to as usize].start;
        let equal = match branch.mnemonic() {
            Mnemonic::Je => taken,
            Mnemonic::Jne => !taken,
            _ => false,
        };
        let block = self.body.blocks.iter().find(|block| block.id == from)?;
        let steps = &self.body.steps[block.steps.0..block.steps.1];
        let compared = steps.iter().rev().find(|step| step.instruction.rflags_modified() != 0)?;
        let number = compares_with(&compared.instruction).filter(|_| equal)?;
        let Formula::Operator(_, _, operands) = self.formulas.get(*self.flags.get(&from)?) else {
            return None;
        };
        match self.formulas.terms(*operands.first()?) {
            (terms, plus) if terms.len() == 1 && terms[0].1 == 1 => {
                Some((terms[0].0, number.wrapping_sub(plus)))
            }
            _ => None,
        }
    }

    /// An inner loop begins: the values of what it writes are dropped.
    fn forget(&mut self, state: &mut State, inner: &NaturalLoop) {
        let body = self.body;
        let blocks = body.blocks.iter().filter(|b| inner.body.binary_search(&b.id).is_ok());
        for step in blocks.flat_map(|b| &body.steps[b.steps.0..b.steps.1]) {
            for &place in step.writes.iter().filter(|&&place| place != STACK_POINTER) {
                let unclear = self.formulas.unclear();
                state.places.insert(place, unclear);
            }
            if let Some(memory) = step.memory.filter(|m| m.store) {
                let address = state.address(&mut self.formulas, &step.instruction);
                if in_frame(&self.formulas, address) {
                    let unclear = self.formulas.unclear();
                    state.frame.insert(address, (unclear, memory.size));
                }
            }
        }
        state.flags = Some(self.formulas.unclear());
        state.count_store();
    }

    /// State at the end of a block before the loop, relative to the values at the nearest join before it.
    fn before(
        &mut self,
        callees: Callees,
        graph: &Graph,
        steps: &[step::Step],
        last: BlockId,
    ) -> (State, bool) {
        let mut chain = vec![last];
        while chain.len() < MOST_BEFORE {
            let first = chain[chain.len() - 1];
            match graph.blocks[first as usize].predecessors.as_slice() {
                [one] if !chain.contains(one) => chain.push(*one),
                _ => break,
            }
        }
        let first = chain[chain.len() - 1];
        let whole = graph.blocks[first as usize].predecessors.is_empty();
        chain.reverse();
        let range = |&b: &BlockId| graph.blocks[b as usize].instructions;
        let ranges: Vec<(u32, u32)> = chain.iter().map(range).collect();
        // Stores are counted back from the loop: a load after the last one yields what the loop finds.
        let mut stores = 0u32;
        for _ in 0..2 {
            let mut state = State { stores: Some(0u32.wrapping_sub(stores)), ..State::default() };
            for step in ranges.iter().flat_map(|&(first, end)| &steps[first as usize..end as usize]) {
                state.step(&mut self.formulas, step, callees.returns_first(&step.instruction));
            }
            match state.stores {
                Some(0) | None => return (state, whole),
                Some(count) => stores = count,
            }
        }
        (State::default(), false)
    }

    /// The value of a register, or of a variable in the frame, at the end of an iteration.
    pub fn end(&mut self, place: Slot) -> Option<Id> {
        if place < step::MEMORY {
            return Some(self.end.register(&mut self.formulas, place));
        }
        let address = self.frame_address(place)?;
        self.end.frame.get(&address).map(|known| known.0)
    }

    /// The value of a variable of the frame at the end of an iteration, where the code before the loop left there what the iteration
    /// before the first would have left: otherwise the variable wraps around.
    pub fn left_in_frame(&mut self, address: Id) -> Option<Id> {
        let &(end, size) = self.end.frame.get(&address)?;
        let entries = std::mem::take(&mut self.entries);
        let same = entries.iter().all(|(entry, _)| {
            let at = self.resolved(entry, address, 0);
            let start = entry.load(&mut self.formulas, at, size);
            let made = self.resolved(entry, end, 1);
            made == start && !self.formulas.is_unclear(made) && entry.frame.contains_key(&at)
        });
        let known = !entries.is_empty() && same;
        self.entries = entries;
        known.then_some(end)
    }

    /// The address of an invariant operand in the frame.
    fn frame_address(&mut self, place: Slot) -> Option<Id> {
        let operand = |m: Memory| m.slot == Some(place) && m.on_stack();
        let step = self.body.steps.iter().find(|s| s.memory.is_some_and(operand))?;
        let address = State::default().address(&mut self.formulas, &step.instruction);
        in_frame(&self.formulas, address).then_some(address)
    }

    /// Instructions that access variables of the frame whose values are followed as places.
    pub fn followed(&mut self) -> Vec<u64> {
        let body = self.body;
        let places = (0..body.slots).map(|k| step::MEMORY + k);
        let in_frame: Vec<Slot> = places.filter(|&place| self.frame_address(place).is_some()).collect();
        let follows = |step: &&step::Step| {
            step.memory.and_then(|m| m.slot).is_some_and(|place| in_frame.contains(&place))
        };
        body.steps.iter().filter(follows).map(|step| step.instruction.ip()).collect()
    }

    /// The stack pointer is the same after each iteration as before it.
    pub fn keeps_stack(&mut self) -> bool {
        self.end.register(&mut self.formulas, STACK_POINTER) == self.formulas.start(STACK_POINTER)
    }

    /// A register or variable of the frame that advances by the same amount on every path through the loop.
    pub fn advances(&mut self, place: Slot) -> bool {
        if place < step::MEMORY {
            let start = self.formulas.start(place);
            return self.advance(start).is_some();
        }
        let Some(address) = self.frame_address(place) else { return false };
        let Some(&(_, size)) = self.end.frame.get(&address) else { return false };
        let start = self.formulas.intern(Formula::Load(address, size, 0));
        self.advance(start).is_some()
    }

    /// The code before the loop left in the place what the iteration before the first would have left there;
    /// `None` when the code does not show it.
    pub fn is_made_anew(&mut self, place: Slot) -> Option<bool> {
        let Some(end) = self.end(place) else { return Some(false) };
        if self.formulas.is_left_over(end) {
            return Some(true);
        }
        let mut unclear = false;
        let address = if place >= step::MEMORY { self.frame_address(place) } else { None };
        let entries = std::mem::take(&mut self.entries);
        let same = entries.iter().all(|(entry, whole)| {
            let mut passed_by = false;
            let start = match address {
                None => {
                    passed_by = !whole && entry.places.get(place).is_none();
                    entry.register(&mut self.formulas, place)
                }
                Some(address) => {
                    let size = self.end.frame.get(&address).map_or(8, |known| known.1);
                    let at = self.resolved(entry, address, 0);
                    entry.load(&mut self.formulas, at, size)
                }
            };
            if self.stays(entry, place, end, start) {
                return true;
            }
            let made = self.resolved(entry, end, 1);
            // Where several paths join before the loop, what was computed before the join is not known.
            unclear |= passed_by || self.formulas.is_unclear(made) || self.formulas.is_unclear(start);
            made == start
        });
        let known = !entries.is_empty();
        self.entries = entries;
        if unclear { None } else { Some(known && same) }
    }

    /// On every path the place keeps its value, or gets again the value that it had before the loop:
    /// constants and invariants that are loaded again after a call. (The memory trace finds stores to the
    /// address they are loaded from.)
    fn stays(&mut self, entry: &State, place: Slot, end: Id, first: Id) -> bool {
        match self.formulas.get(end).clone() {
            Formula::Operator(EITHER, _, ways) => {
                ways.into_iter().all(|way| self.stays(entry, place, way, first))
            }
            Formula::Start(own) if own == place => true,
            Formula::Load(address, ..)
                if !in_frame(&self.formulas, address)
                    && is_steady(&mut self.formulas, &self.end, address) =>
            {
                self.resolved(entry, end, 0) == first
            }
            _ => is_steady(&mut self.formulas, &self.end, end) && self.resolved(entry, end, 0) == first,
        }
    }

    /// A formula of an iteration in terms of what held before the loop, `back` iterations before the first one.
    fn resolved(&mut self, entry: &State, id: Id, back: u32) -> Id {
        let mut formulas = std::mem::take(&mut self.formulas);
        let resolver = Resolver { end: &self.end, entry, done: RefCell::default() };
        let out = resolver.formula(&mut formulas, id, back);
        self.formulas = formulas;
        out
    }

    /// A formula in terms of what held before the loop, where there is one path into it.
    pub fn at_entry(&mut self, id: Id) -> Id {
        let entries = std::mem::take(&mut self.entries);
        let out = match entries.as_slice() {
            [(one, _)] => self.resolved(one, id, 0),
            _ => id,
        };
        self.entries = entries;
        out
    }

    /// By how much a register or variable of the frame advances in each iteration, when that is the same every time.
    pub fn advance(&mut self, start: Id) -> Option<Id> {
        let end = match self.formulas.get(start).clone() {
            Formula::Start(place) => self.end.register(&mut self.formulas, place),
            Formula::Load(address, size, _) => self.end.frame.get(&address).filter(|k| k.1 == size)?.0,
            _ => return None,
        };
        advance(&mut self.formulas, &self.end, start, end)
    }

    /// What a register or a variable of the frame holds at the end of an iteration; itself where that is what it held.
    pub fn end_of(&mut self, start: Id) -> Id {
        match self.formulas.get(start).clone() {
            Formula::Start(place) => self.end.register(&mut self.formulas, place),
            Formula::Load(address, ..) if in_frame(&self.formulas, address) => {
                self.end.frame.get(&address).map_or(start, |known| known.0)
            }
            _ => start,
        }
    }
}

/// Substitutes values of earlier iterations, and of the code before the loop, into formulas.
struct Resolver<'a> {
    end: &'a State,
    entry: &'a State,
    /// What was resolved, by formula and iterations back.
    done: RefCell<HashMap<(Id, u32), Id>>,
}

impl Resolver<'_> {
    fn formula(&self, formulas: &mut Formulas, id: Id, back: u32) -> Id {
        if let Some(&known) = self.done.borrow().get(&(id, back)) {
            return known;
        }
        let out = formulas.rewrite(id, &mut |formulas, id| match formulas.get(id).clone() {
            Formula::Start(place) => {
                let first = self.entry.register(formulas, place);
                let end = self.end.register(formulas, place);
                Some(self.earlier(formulas, id, first, end, back))
            }
            Formula::Load(address, size, _) if in_frame(formulas, address) => {
                let at = self.formula(formulas, address, 0);
                let first = self.entry.load(formulas, at, size);
                let end = self.end.frame.get(&address).map_or(id, |known| known.0);
                Some(self.earlier(formulas, id, first, end, back))
            }
            _ => None,
        });
        self.done.borrow_mut().insert((id, back), out);
        out
    }

    /// The value of `start` that number of iterations before the first, where it holds `first`.
    fn earlier(&self, formulas: &mut Formulas, start: Id, first: Id, end: Id, back: u32) -> Id {
        if end == start || back == 0 {
            return first;
        }
        if let Some(by) = advance(formulas, self.end, start, end) {
            let by = self.formula(formulas, by, 0);
            return formulas.sum(&[(first, 1), (by, -i64::from(back))], 0);
        }
        if back >= MOST_BACK {
            return formulas.unclear();
        }
        self.formula(formulas, end, back + 1)
    }
}

/// `end - start`, when nothing in it changes from one iteration to the next.
fn advance(formulas: &mut Formulas, state: &State, start: Id, end: Id) -> Option<Id> {
    let by = formulas.sum(&[(end, 1), (start, -1)], 0);
    is_steady(formulas, state, by).then_some(by)
}

/// Consists of numbers, and of values that the loop does not change.
fn is_steady(formulas: &mut Formulas, end: &State, id: Id) -> bool {
    if let Some(&known) = formulas.steady.get(&id) {
        return known;
    }
    let steady = match formulas.get(id).clone() {
        Formula::Start(place) => end.register(formulas, place) == id,
        Formula::Sum(terms, _) => terms.into_iter().all(|(t, _)| is_steady(formulas, end, t)),
        Formula::Load(address, ..) => in_frame(formulas, address) && !end.frame.contains_key(&address),
        Formula::Operator(EITHER, ..) => false,
        Formula::Operator(_, _, operands) => operands.into_iter().all(|o| is_steady(formulas, end, o)),
        Formula::Unknown(_) => false,
    };
    formulas.steady.insert(id, steady);
    steady
}

/// The number with which an instruction compares a whole register (`test` of a register with itself: zero).
fn compares_with(i: &Instruction) -> Option<i64> {
    let first = (i.op0_kind() == OpKind::Register).then(|| i.op0_register()).filter(|&r| wide(r))?;
    match i.mnemonic() {
        Mnemonic::Cmp if is_immediate(i.op1_kind()) => Some(i.immediate(1) as i64),
        Mnemonic::Test if i.op1_kind() == OpKind::Register && i.op1_register() == first => Some(0),
        _ => None,
    }
}
