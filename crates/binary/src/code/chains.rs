//! Loop-carried dependence chains through registers and invariant memory.
//!
//! For each place that the loop rewrites, the longest data path from its value at the start of an iteration
//! to its value at the end is followed through the instructions in execution order. Where branches meet, the
//! shorter path that really computes something is kept: the chain cannot be faster than that when the branch
//! is taken. The kind of the chain follows from the path's instructions.

use super::body::Body;
use super::lanes::Lanes;
use super::latency;
use super::operation::{Class, repeats};
use super::step::{MEMORY, Slot, Step, name_of};
use crate::facts::{CarriedChain, Carrier, ChainKind};
use iced_x86::{Mnemonic, OpKind, RflagsBits};
use rustc_hash::FxHashMap as HashMap;

/// Product of carried places and instructions beyond which a loop's chains are not followed: such loops
/// are interpreters or machine-generated dispatchers, whose time does not go into one chain.
const MOST_WORK: usize = 4_000_000;

/// Longest cycle through several registers that is searched for.
const LONGEST_ROTATION: usize = 4;

/// A chain, with the facts that other analyses need.
#[derive(Clone, Debug, PartialEq)]
pub struct Chain {
    /// The carried place.
    pub slot: Slot,
    /// Steps of the chain in execution order.
    pub steps: Vec<usize>,
    /// Cycles per machine iteration.
    pub latency: u32,
    pub kind: ChainKind,
    /// Advance per iteration, for inductions by a constant.
    pub advance: Option<i64>,
}

impl Chain {
    /// The chain in the form of the facts.
    pub fn fact(&self, body: &Body) -> CarriedChain {
        let carrier = match body.steps.iter().filter_map(|s| s.memory).find(|m| m.slot == Some(self.slot)) {
            Some(m) if self.slot >= MEMORY => Carrier::Memory(memory_name(&m)),
            _ if self.slot >= MEMORY => Carrier::Memory(name_of(self.slot)),
            _ => Carrier::Register(register_name(body, self)),
        };
        CarriedChain {
            carrier,
            instructions: self.steps.iter().map(|&s| body.steps[s].instruction.ip()).collect(),
            latency_cycles: self.latency,
            kind: self.kind,
            chooses: self.chooses(body),
        }
    }

    /// Each step takes one of two values, by their order.
    fn chooses(&self, body: &Body) -> bool {
        let mut classes =
            self.steps.iter().map(|&s| body.steps[s].operation.class).filter(|c| *c != Class::Move);
        let least = |class: Class| matches!(class, Class::MinMax | Class::Select);
        classes.next().is_some_and(least) && classes.all(least)
    }
}

/// The spelling that the chain's own instructions use (`ymm3`, `eax`).
fn register_name(body: &Body, chain: &Chain) -> String {
    let spelled = chain.steps.iter().rev().find_map(|&s| {
        let i = &body.steps[s].instruction;
        let register = (i.op_count() > 0 && i.op0_kind() == OpKind::Register).then(|| i.op0_register())?;
        (super::step::slot_of(register) == Some(chain.slot))
            .then(|| format!("{register:?}").to_ascii_lowercase())
    });
    spelled.unwrap_or_else(|| name_of(chain.slot))
}

pub(super) fn memory_name(m: &super::step::Memory) -> String {
    let mut text = String::from("[");
    if let Some(base) = m.base {
        text += &name_of(base);
    }
    if let Some(index) = m.index {
        text += &format!("+{}*{}", name_of(index), m.scale);
    }
    match m.displacement as i64 {
        0 => {}
        d if m.base.is_none() && m.index.is_none() => text += &format!("{d:#x}"),
        d if d < 0 => text += &format!("-{:#x}", d.unsigned_abs()),
        d => text += &format!("+{d:#x}"),
    }
    text + "]"
}

/// How far a place depends on the start of the iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Dependence {
    latency: u32,
    /// Last step of the path, in the arena.
    node: Option<u32>,
    /// A load on the path takes its address from it.
    through_address: bool,
    /// A fused multiply-add takes a factor from it.
    as_factor: bool,
}

type State = Vec<Option<Dependence>>;

/// By source place: the place that depends on it an iteration later, the latency, the steps between.
type Edges = HashMap<Slot, Vec<(Slot, u32, Vec<usize>)>>;

struct Search<'a> {
    body: &'a Body,
    arena: Vec<(u32, Option<u32>)>,
    /// Paths through the flags are followed, too, from comparisons to selections.
    flags: bool,
}

/// The flags that conditions read.
const CONDITIONS: u32 =
    RflagsBits::CF | RflagsBits::ZF | RflagsBits::SF | RflagsBits::OF | RflagsBits::PF | RflagsBits::AF;

/// Selects by the flags: `cmov`, `set`.
fn selects(step: &Step) -> bool {
    step.operation.class == Class::Select && step.instruction.rflags_read() & CONDITIONS != 0
}

/// Finds the chains of a loop.
pub fn find(body: &Body, lanes: &[Lanes], innermost: bool) -> Vec<Chain> {
    let mut carried: Vec<Slot> = body
        .writes
        .keys()
        .copied()
        .filter(|&s| s != super::step::CARRY && s != super::step::STACK_POINTER)
        .collect();
    carried.sort_unstable();
    let calls = body.steps.iter().any(|s| super::step::is_call(&s.instruction));
    if !innermost || carried.len() * body.steps.len() > MOST_WORK {
        return carried.iter().filter_map(|&s| simple_induction(body, s)).collect();
    }
    let mut chains = Vec::new();
    let mut edges = Edges::default();
    let any_select = body.steps.iter().any(selects);
    for &slot in &carried {
        let mut search = Search { body, arena: Vec::new(), flags: false };
        let end = search.run(slot);
        for (to, dependence) in end.iter().enumerate() {
            let Some(d) = dependence else { continue };
            let to = to as Slot;
            let steps = search.path(d.node);
            // Parts of a vector loaded one after the other carry no used value.
            let computes = |&s: &usize| !matches!(body.steps[s].operation.class, Class::Insert | Class::Move);
            if to == slot
                && !steps.iter().any(computes)
                && steps.iter().any(|&s| body.steps[s].operation.class == Class::Insert)
                || steps.is_empty()
            {
                continue;
            }
            if to == slot {
                let kind = classify(body, lanes, slot, &steps, d);
                let advance = if kind == ChainKind::Induction { advance(body, &steps) } else { None };
                // What a chain is follows from its values; how long it takes, from the flags as well.
                let latency = if any_select { latency_with_flags(body, slot) } else { None };
                chains.push(Chain {
                    slot,
                    steps,
                    latency: latency.unwrap_or(0).max(d.latency),
                    kind,
                    advance,
                });
            } else if carried.contains(&to) && !calls {
                edges.entry(slot).or_default().push((to, d.latency, steps));
            }
        }
    }
    let direct: Vec<Slot> = chains.iter().map(|c| c.slot).collect();
    chains.extend(rotations(&edges, &direct));
    chains
}

/// The latency of a chain by its longest path, with those from comparisons to selections.
fn latency_with_flags(body: &Body, slot: Slot) -> Option<u32> {
    let mut search = Search { body, arena: Vec::new(), flags: true };
    let end = search.run(slot);
    end.get(slot as usize).copied().flatten().map(|d| d.latency)
}

impl Search<'_> {
    /// Place of the flags in a state: the last one.
    fn flags_place(&self) -> usize {
        (MEMORY + self.body.slots) as usize
    }

    /// Dependences at the end of an iteration on `slot` at its start.
    fn run(&mut self, slot: Slot) -> State {
        let places = self.flags_place() + 1;
        // `None` where nothing depends on the slot: most blocks of large loops.
        let mut ends: Vec<Option<State>> = Vec::with_capacity(self.body.blocks.len());
        let mut end = vec![None; places];
        for k in 0..self.body.blocks.len() {
            let block = &self.body.blocks[k];
            let mut before = block.before.iter().filter_map(|&p| ends[p].as_ref());
            let mut state = match before.next() {
                Some(first) => first.clone(),
                None if k == 0 => {
                    let mut state = vec![None; places];
                    state[slot as usize] =
                        Some(Dependence { latency: 0, node: None, through_address: false, as_factor: false });
                    state
                }
                None => {
                    ends.push(None);
                    continue;
                }
            };
            for other in before {
                join(&mut state, other);
            }
            for at in block.steps.0..block.steps.1 {
                self.apply(at, &mut state);
            }
            if block.latch {
                join(&mut end, &state);
            }
            ends.push(state.iter().any(Option::is_some).then_some(state));
        }
        end
    }

    fn apply(&mut self, at: usize, state: &mut State) {
        let step = &self.body.steps[at];
        let value = self.result(at, step, state);
        let sets_flags =
            super::step::is_call(&step.instruction) || step.instruction.rflags_modified() & CONDITIONS != 0;
        if self.flags && sets_flags {
            let place = self.flags_place();
            state[place] = value;
        }
        for &w in &step.writes {
            if let Some(place) = state.get_mut(w as usize) {
                *place = value;
            }
        }
        if let Some(slot) = step.stores_slot()
            && let Some(place) = state.get_mut(slot as usize)
        {
            *place = value;
        }
    }

    /// The dependence of a step's result.
    fn result(&mut self, at: usize, step: &Step, state: &State) -> Option<Dependence> {
        if super::step::is_call(&step.instruction) {
            return None;
        }
        let get = |s: Slot| state.get(s as usize).copied().flatten();
        let flags = if self.flags && selects(step) { state[self.flags_place()] } else { None };
        let mut sources = step.reads.iter().chain(&step.address).copied().chain(step.loads_slot());
        if flags.is_none() && !sources.any(|s| get(s).is_some()) {
            return None;
        }
        let own = match step.operation.class {
            Class::Move if step.memory.is_none() => 0,
            Class::Move => 0,
            _ => latency::of(&step.operation),
        };
        let mut best: Option<Dependence> = None;
        let mut offer = |d: Dependence| {
            if best.is_none_or(|b| d.latency > b.latency) {
                best = Some(d);
            }
        };
        if let Some(d) = flags {
            offer(Dependence { latency: d.latency + own, ..d });
        }
        for &r in &step.reads {
            if let Some(d) = get(r) {
                let as_factor = d.as_factor || step.operation.class == Class::Fma && !is_addend(step, r);
                offer(Dependence { latency: d.latency + own, as_factor, ..d });
            }
        }
        if let Some(slot) = step.loads_slot() {
            if let Some(d) = get(slot) {
                offer(Dependence { latency: d.latency + latency::STORE_FORWARD + own, ..d });
            }
        } else if step.memory.is_some_and(|m| m.load) {
            let load = if step.operation.vector { latency::VECTOR_LOAD } else { latency::LOAD };
            for &r in &step.address {
                if let Some(d) = get(r) {
                    offer(Dependence { latency: d.latency + load + own, through_address: true, ..d });
                }
            }
        }
        let mut best = best?;
        self.arena.push((at as u32, best.node));
        best.node = Some(self.arena.len() as u32 - 1);
        Some(best)
    }

    fn path(&self, mut node: Option<u32>) -> Vec<usize> {
        let mut steps = Vec::new();
        while let Some(n) = node {
            let (step, before) = self.arena[n as usize];
            steps.push(step as usize);
            node = before;
        }
        steps.reverse();
        steps
    }
}

fn join(state: &mut State, other: &State) {
    for (a, b) in state.iter_mut().zip(other) {
        let better = match (&a, b) {
            (_, None) => false,
            (None, Some(_)) => true,
            // A path that computes beats one that leaves the value alone; then the shorter one.
            (Some(x), Some(y)) => match (x.node, y.node) {
                (None, Some(_)) => true,
                (Some(_), Some(_)) => y.latency < x.latency,
                _ => false,
            },
        };
        if better {
            *a = *b;
        }
    }
}

/// Whether register `r` is the addend of a fused multiply-add, by the digits of its mnemonic: `213`
/// adds the third operand, `231` and `132` add the first and second.
pub(super) fn is_addend(step: &Step, r: Slot) -> bool {
    let i = &step.instruction;
    let name = super::operation::name(i.mnemonic());
    let operand = match () {
        () if name.contains("231") => 0,
        () if name.contains("132") => 1,
        () if name.contains("213") => 2,
        // Dot products accumulate into the first operand.
        () => 0,
    };
    let is = |k: u32| {
        k < i.op_count()
            && i.op_kind(k) == OpKind::Register
            && super::step::slot_of(i.op_register(k)) == Some(r)
    };
    is(operand) && !(0..i.op_count().min(3)).any(|k| k != operand && is(k))
}

fn classify(body: &Body, lanes: &[Lanes], slot: Slot, steps: &[usize], d: &Dependence) -> ChainKind {
    let work: Vec<usize> =
        steps.iter().copied().filter(|&s| body.steps[s].operation.class != Class::Move).collect();
    if d.through_address {
        return ChainKind::PointerChase;
    }
    let operations = || work.iter().map(|&s| &body.steps[s].operation);
    let general = operations().all(|o| !o.vector && o.element.is_none_or(|e| !e.is_float()));
    if general && work.iter().all(|&s| constant_advance(body, s)) {
        return ChainKind::Induction;
    }
    // Unrolled sums move from register to register, and each is a temporary in between: the value escapes
    // only through reads of the register while it holds the carried value.
    let carried = |k: usize| match (0..k).rev().find(|&j| body.steps[j].writes.contains(&slot)) {
        Some(writer) => steps.contains(&writer),
        None => true,
    };
    let leaks = body.steps.iter().enumerate().any(|(k, s)| {
        let reads = (s.reads.contains(&slot) || s.address.contains(&slot) || s.loads_slot() == Some(slot))
            && carried(k);
        // Another branch may accumulate into the same place.
        let accumulates = s.writes.contains(&slot)
            && work.first().is_some_and(|&w| body.steps[w].operation.class == s.operation.class);
        reads && !steps.contains(&k) && !accumulates && s.operation.class != Class::Stack
    });
    let classes: Vec<Class> = operations()
        .map(|o| match o.class {
            Class::Fma if !d.as_factor => Class::Add,
            Class::Lea => Class::Add,
            class => class,
        })
        .collect();
    let same = classes.windows(2).all(|w| w[0] == w[1]);
    let reduces = matches!(
        classes.first(),
        Some(Class::Add | Class::Multiply | Class::MinMax | Class::Logic | Class::Select)
    );
    if work.is_empty() || !same || !reduces || leaks {
        return ChainKind::Recurrence;
    }
    let float = operations().any(|o| o.is_float());
    if float {
        let packed = work.iter().all(|&s| {
            let o = &body.steps[s].operation;
            o.packed && (lanes[s].bits == 0 || lanes[s].bits > o.element.map_or(0, |e| e.bits()))
        });
        return if packed { ChainKind::VectorReduction } else { ChainKind::InOrderSum };
    }
    let invariant_vector = operations().all(|o| o.vector)
        && work.iter().all(|&s| {
            let step = &body.steps[s];
            let others = step.reads.iter().filter(|&&r| r != slot && body.changes(r)).count();
            others == 0 && step.memory.is_none_or(|m| m.global)
        });
    if invariant_vector { ChainKind::Induction } else { ChainKind::IntegerReduction }
}

/// Adds a constant or loop-invariant value.
fn constant_advance(body: &Body, at: usize) -> bool {
    let step = &body.steps[at];
    match step.operation.class {
        Class::Add => {
            let i = &step.instruction;
            if !is_plain_sum(i.mnemonic()) {
                return false;
            }
            let others = step.reads.iter().filter(|r| !step.writes.contains(r) && body.changes(**r)).count();
            let own_memory = step.memory.is_none_or(|m| m.slot.is_some());
            // `add eax, eax` doubles.
            let doubles = i.op_count() == 2
                && i.op1_kind() == OpKind::Register
                && i.op0_kind() == OpKind::Register
                && i.op0_register() == i.op1_register();
            own_memory
                && !doubles
                && (others == 0 || step.stores_slot().is_none() && chain_operand_only(body, step))
        }
        Class::Lea => {
            let i = &step.instruction;
            let varying = step.reads.iter().filter(|&&r| body.changes(r)).count();
            let scaled = i.memory_index_scale() != 1
                && super::step::slot_of(i.memory_index()).is_some_and(|s| body.changes(s));
            varying <= 1 && !scaled && i.memory_base() != i.memory_index()
        }
        // rsi and rdi advance by the element's size, forwards or backwards: the direction flag decides for all iterations.
        Class::StringOp => !repeats(&step.instruction),
        _ => false,
    }
}

/// `add eax, edx` where one of both was loaded from the chain's own place in memory.
fn chain_operand_only(body: &Body, step: &Step) -> bool {
    step.instruction.op_count() == 2
        && step.instruction.op1_kind() != OpKind::Register
        && !body.steps.is_empty()
}

/// The sum of the constants that a chain of additions adds.
fn advance(body: &Body, steps: &[usize]) -> Option<i64> {
    let mut sum = 0i64;
    for &s in steps {
        let step = &body.steps[s];
        let i = &step.instruction;
        match step.operation.class {
            Class::Move => {}
            Class::Add => {
                let amount = match i.mnemonic() {
                    Mnemonic::Inc => 1,
                    Mnemonic::Dec => -1,
                    Mnemonic::Add => immediate(step)?,
                    Mnemonic::Sub => immediate(step)?.checked_neg()?,
                    _ => return None,
                };
                sum = sum.checked_add(amount)?;
            }
            Class::Lea => {
                let registers =
                    [i.memory_base(), i.memory_index()].into_iter().filter_map(super::step::slot_of).count();
                if registers != 1 {
                    return None;
                }
                sum = sum.checked_add(i.memory_displacement64() as i64)?;
            }
            _ => return None,
        }
    }
    Some(sum)
}

/// Of the instructions that add, those whose result is their operands' sum or difference and no more.
pub fn is_plain_sum(mnemonic: Mnemonic) -> bool {
    use Mnemonic as M;
    !matches!(mnemonic, M::Adc | M::Sbb | M::Neg | M::Xadd | M::Adcx | M::Adox)
}

/// An operand in the instruction itself.
pub fn is_immediate(kind: OpKind) -> bool {
    use OpKind as K;
    matches!(
        kind,
        K::Immediate8
            | K::Immediate16
            | K::Immediate32
            | K::Immediate64
            | K::Immediate8to16
            | K::Immediate8to32
            | K::Immediate8to64
            | K::Immediate32to64
    )
}

/// The sign-extended immediate of a two-operand instruction.
pub fn immediate(step: &Step) -> Option<i64> {
    let i = &step.instruction;
    let last = i.op_count().checked_sub(1)?;
    is_immediate(i.op_kind(last)).then(|| {
        let value = i.immediate(last) as i64;
        // `add eax, -1` has its immediate zero-extended to 32 bits.
        let narrow = matches!(i.op_kind(last), OpKind::Immediate8to32 | OpKind::Immediate32);
        if narrow { i64::from(value as i32) } else { value }
    })
}

/// An induction variable found by its single update alone: for loops with inner loops.
fn simple_induction(body: &Body, slot: Slot) -> Option<Chain> {
    if body.inner.contains(slot) || body.writes.get(&slot) != Some(&1) {
        return None;
    }
    let writes = |s: &Step| s.writes.contains(&slot) || s.stores_slot() == Some(slot);
    let at = body.steps.iter().position(writes)?;
    let step = &body.steps[at];
    let reads = step.reads.contains(&slot) || step.loads_slot() == Some(slot);
    let always = body.blocks.iter().any(|b| b.always && b.steps.0 <= at && at < b.steps.1);
    if !reads || !always || !constant_advance(body, at) {
        return None;
    }
    let through_memory = if slot >= MEMORY { latency::STORE_FORWARD } else { 0 };
    Some(Chain {
        slot,
        steps: vec![at],
        latency: latency::of(&step.operation) + through_memory,
        kind: ChainKind::Induction,
        advance: advance(body, &[at]),
    })
}

/// Cycles through several registers (`a, b = b, a + b` compiled without moves back).
fn rotations(edges: &Edges, direct: &[Slot]) -> Vec<Chain> {
    let mut found: Vec<Chain> = Vec::new();
    let mut starts: Vec<Slot> = edges.keys().copied().filter(|s| !direct.contains(s)).collect();
    starts.sort_unstable();
    for &start in &starts {
        if found.iter().any(|c: &Chain| c.slot == start) {
            continue;
        }
        let mut stack = vec![(start, 0u32, Vec::new(), vec![start])];
        let mut best: Option<(u32, Vec<usize>)> = None;
        let mut visits = 0;
        while let Some((at, latency, steps, path)) = stack.pop() {
            visits += 1;
            if visits > 1000 {
                break;
            }
            for (to, l, more) in edges.get(&at).into_iter().flatten() {
                let mut steps: Vec<usize> = steps.clone();
                steps.extend(more);
                if *to == start {
                    // Per iteration: the cycle takes as many iterations as it has edges.
                    let mean = (latency + l) / path.len() as u32;
                    if best.as_ref().is_none_or(|b| mean > b.0) {
                        best = Some((mean, steps));
                    }
                } else if path.len() < LONGEST_ROTATION && *to > start && !path.contains(to) {
                    let mut path = path.clone();
                    path.push(*to);
                    stack.push((*to, latency + l, steps, path));
                }
            }
        }
        if let Some((latency, mut steps)) = best {
            steps.sort_unstable();
            steps.dedup();
            found.push(Chain { slot: start, steps, latency, kind: ChainKind::Recurrence, advance: None });
        }
    }
    found
}
