//! The instructions of one loop, with what each reads and writes.
//!
//! What a single instruction reads and writes is in [`super::step`].

use super::blocks::{BlockId, Graph};
use super::callees::Callees;
use super::nest::Nest;
use super::operation::Class;
use super::step::{
    CARRY, FRAME_POINTER, MEMORY, Memory, Places, STACK, Slot, Step, clobbered_by_call, is_call, slot_of,
    step, writes,
};
use iced_x86::InstructionInfoFactory;
use rustc_hash::FxHashMap as HashMap;

/// A block of the loop.
#[derive(Clone, Debug)]
pub struct BodyBlock {
    /// Its number in the graph.
    pub id: BlockId,
    /// Its instructions in [`Body::steps`].
    pub steps: (usize, usize),
    /// Preceding own blocks, as indices into [`Body::blocks`]; back edges of this loop left out.
    pub before: Vec<usize>,
    /// It runs in every iteration.
    pub always: bool,
    /// Source of a back edge.
    pub latch: bool,
}

/// The function that a loop belongs to.
pub struct Function<'a> {
    /// Its blocks.
    pub graph: &'a Graph,
    /// Its loops.
    pub nest: &'a Nest,
    /// Place of each block in reverse postorder.
    pub rank: Vec<u32>,
    /// What it calls.
    pub callees: Callees<'a>,
    /// Its instructions; empty when it has no loops.
    pub steps: Vec<Step>,
}

/// The own instructions of a loop in execution order (reverse postorder).
#[derive(Clone, Debug, Default)]
pub struct Body {
    /// Blocks, the header first.
    pub blocks: Vec<BodyBlock>,
    /// Instructions of all blocks.
    pub steps: Vec<Step>,
    /// How often each place is written by own instructions.
    pub writes: HashMap<Slot, u32>,
    /// Places that inner loops write.
    pub inner: Places,
    /// The number of invariant memory operands that the loop stores to.
    pub slots: u16,
}

/// Invariant memory operands of one loop that are tracked; more are ignored.
const MOST_SLOTS: usize = 62;

impl Body {
    /// Whether the loop (inner loops included) writes `slot`.
    pub fn changes(&self, slot: Slot) -> bool {
        self.writes.contains_key(&slot) || self.inner.contains(slot)
    }

    /// The body of loop `index`. `written` holds what each block writes.
    pub fn new(function: &Function, index: u32, written: &[Places]) -> Self {
        Self::of(function, index, written, function.nest.loops[index as usize].own.clone(), &Step::clone)
    }

    /// The same with the blocks of inner loops, and calls write what their functions write.
    pub fn whole(function: &Function, index: u32) -> Self {
        let nest = function.nest;
        let describe = |step: &Step| function.callees.step(step);
        let mut body = Self::of(function, index, &[], nest.loops[index as usize].body.clone(), &describe);
        for block in &mut body.blocks {
            // Inner loops may run once or a hundred times.
            block.always &= nest.innermost[block.id as usize] == Some(index);
        }
        body.find_slots_behind_pointers();
        body
    }

    /// Unoptimised code loads a pointer from the frame for each use: the memory it points to is an invariant
    /// operand, too, when the loop does not store to the pointer's place.
    fn find_slots_behind_pointers(&mut self) {
        type Key = (Option<Slot>, u64, u64);
        let mut keys: Vec<(usize, Key)> = Vec::new();
        for block in &self.blocks {
            for at in block.steps.0..block.steps.1 {
                let Some(m) = self.steps[at].memory.filter(|m| m.slot.is_none() && !m.indexed) else {
                    continue;
                };
                let (Some(base), None) = (m.base, m.index) else { continue };
                let before = &self.steps[block.steps.0..at];
                let Some(pointer) = before.iter().rev().find(|s| s.writes.contains(&base)) else { continue };
                let place = pointer.memory.filter(|p| p.load && p.on_stack() && p.slot.is_none());
                if let Some(p) = place.filter(|_| pointer.operation.class == Class::Move) {
                    keys.push((at, (p.base, p.displacement, m.displacement)));
                }
            }
        }
        let mut slots: HashMap<Key, (bool, bool)> = HashMap::default();
        for &(at, key) in &keys {
            let entry = slots.entry(key).or_default();
            entry.0 |= self.steps[at].memory.is_some_and(|m| m.load);
            entry.1 |= self.steps[at].memory.is_some_and(|m| m.store);
        }
        let mut both: Vec<Key> =
            slots.into_iter().filter(|(_, (l, s))| *l && *s).map(|(key, _)| key).collect();
        both.sort_unstable();
        both.truncate(MOST_SLOTS.saturating_sub(usize::from(self.slots)));
        for (at, key) in keys {
            let Ok(number) = both.binary_search(&key) else { continue };
            let slot = MEMORY + self.slots + number as Slot;
            if let Some(m) = &mut self.steps[at].memory {
                m.slot = Some(slot);
                if m.store {
                    *self.writes.entry(slot).or_default() += 1;
                }
            }
        }
        self.slots += both.len() as u16;
    }

    fn of(
        function: &Function,
        index: u32,
        written: &[Places],
        mut order: Vec<BlockId>,
        describe: &dyn Fn(&Step) -> Step,
    ) -> Self {
        let Function { graph, nest, rank, steps, .. } = function;
        let l = &nest.loops[index as usize];
        let mut body = Self::default();
        order.sort_by_key(|&b| rank[b as usize]);
        let position: HashMap<BlockId, usize> = order.iter().enumerate().map(|(k, &b)| (b, k)).collect();
        for &b in &l.body {
            if nest.innermost[b as usize] != Some(index)
                && let Some(places) = written.get(b as usize)
            {
                body.inner.0 |= places.0;
            }
        }
        for (k, &b) in order.iter().enumerate() {
            let start = body.steps.len();
            let range = graph.blocks[b as usize].instructions;
            body.steps.extend(steps[range.0 as usize..range.1 as usize].iter().map(describe));
            let before = graph.blocks[b as usize].predecessors.iter();
            let before = before.filter_map(|p| position.get(p).copied()).filter(|&p| p < k).collect();
            body.blocks.push(BodyBlock {
                id: b,
                steps: (start, body.steps.len()),
                before,
                always: l.latches.iter().all(|&t| nest.dominators.dominates(b, t)),
                latch: l.latches.contains(&b),
            });
        }
        body.fix_x87_stack();
        for s in &body.steps {
            for &w in &s.writes {
                *body.writes.entry(w).or_default() += 1;
            }
        }
        body.find_slots();
        body
    }

    /// `st(i)` counts from the top of the x87 stack, which pushes and pops move: turns it into a number
    /// that means the same register throughout the loop.
    fn fix_x87_stack(&mut self) {
        let x87 = |s: &Slot| (STACK..CARRY).contains(s);
        if !self.steps.iter().any(|s| s.reads.iter().chain(&s.writes).any(x87)) {
            return;
        }
        let mut ends: Vec<i32> = Vec::with_capacity(self.blocks.len());
        for block in &self.blocks {
            let mut top = block.before.first().and_then(|&p| ends.get(p)).copied().unwrap_or(0);
            for step in &mut self.steps[block.steps.0..block.steps.1] {
                let increment = step.instruction.fpu_stack_increment_info().increment();
                let fixed = |slot: Slot, top: i32| {
                    if step.instruction.op0_register().is_mm() || !x87(&slot) {
                        return slot;
                    }
                    STACK + ((i32::from(slot - STACK) + top) & 7) as Slot
                };
                let reads = step.reads.iter().map(|&r| fixed(r, top)).collect();
                // A push writes to the new top, a pop to the old numbering.
                let after = top + increment.min(0);
                let writes = step.writes.iter().map(|&w| fixed(w, after)).collect();
                (step.reads, step.writes) = (reads, writes);
                top += increment;
            }
            ends.push(top);
        }
    }

    /// Names the memory operands whose address is invariant and that the loop both stores and loads.
    fn find_slots(&mut self) {
        type Key = (Option<Slot>, Option<Slot>, i64, u64);
        let key = |m: &Memory| -> Key { (m.base, m.index, m.scale, m.displacement) };
        let mut seen: HashMap<Key, (bool, bool)> = HashMap::default();
        for s in &self.steps {
            let Some(m) = s.memory.filter(|m| !m.indexed) else { continue };
            if s.address.iter().all(|&a| !self.changes(a)) {
                let entry = seen.entry(key(&m)).or_default();
                entry.0 |= m.load;
                entry.1 |= m.store;
            }
        }
        let mut keys: Vec<Key> =
            seen.into_iter().filter(|(_, (load, store))| *load && *store).map(|(k, _)| k).collect();
        keys.sort_unstable();
        keys.truncate(MOST_SLOTS);
        let number: HashMap<Key, Slot> =
            keys.iter().enumerate().map(|(k, &key)| (key, MEMORY + k as Slot)).collect();
        self.slots = number.len() as u16;
        for s in &mut self.steps {
            let Some(m) = &mut s.memory else { continue };
            m.slot = if m.indexed { None } else { number.get(&key(m)).copied() };
            if let Some(slot) = m.slot.filter(|_| m.store) {
                *self.writes.entry(slot).or_default() += 1;
            }
        }
    }

    /// The steps of block `k`.
    pub fn code(&self, k: usize) -> &[Step] {
        let range = self.blocks[k].steps;
        &self.steps[range.0..range.1]
    }
}

/// All instructions of a function.
pub fn steps(graph: &Graph) -> Vec<Step> {
    let mut factory = InstructionInfoFactory::new();
    let mut steps: Vec<Step> =
        graph.instructions.iter().enumerate().map(|(at, i)| step(i, at, &mut factory)).collect();
    if graph.has_frame_pointer() {
        for memory in steps.iter_mut().filter_map(|s| s.memory.as_mut()) {
            memory.frame |= memory.base == Some(FRAME_POINTER);
        }
    }
    steps
}

/// Everything that a block writes, for all blocks of a function.
pub fn written_by_blocks(graph: &Graph, nest: &Nest) -> Vec<Places> {
    let mut factory = InstructionInfoFactory::new();
    let mut out = vec![Places::default(); graph.blocks.len()];
    for (b, places) in out.iter_mut().enumerate() {
        if nest.innermost[b].is_none() {
            continue;
        }
        for i in graph.code(b as BlockId) {
            for used in factory.info(i).used_registers() {
                if writes(used.access())
                    && let Some(slot) = slot_of(used.register())
                {
                    places.insert(slot);
                }
            }
            if is_call(i) {
                places.0 |= clobbered_by_call().0;
            }
        }
    }
    out
}
