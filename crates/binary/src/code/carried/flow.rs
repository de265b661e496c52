//! Follows values through the blocks of a loop until nothing changes any more: what each instruction reads, and
//! what all places hold at the end of an iteration.
//!
//! The states of blocks are joined over all paths within one iteration, those around inner loops included; the back
//! edge to the header is the next iteration. All operations on values are monotone, so that the rounds end.

use super::super::blocks::{BlockId, Graph};
use super::super::body::Body;
use super::super::callees::Callees;
use super::super::chains::is_plain_sum;
use super::super::nest::NaturalLoop;
use super::super::operation::{Class, name as name_of, repeats};
use super::super::step::{self, MEMORY, Memory, Slot, is_call};
use super::value::{Amount, Set, Step, Value, accumulated};
use iced_x86::{InstructionInfoFactory, Mnemonic, OpAccess, OpKind, Register};
use rustc_hash::FxHashMap as HashMap;

/// Most rounds until the values have settled; each round can only lose knowledge.
const MOST_ROUNDS: usize = 64;

type State = Vec<Value>;

/// The values that a step reads, with their places, and its result.
type Effect = (Vec<(Slot, Value)>, Option<Value>);

/// The values of a loop's places and steps.
pub struct Flow {
    /// Values at the end of an iteration, by place.
    pub end: State,
    /// By step: the values it reads with their places (address registers, too), and its result.
    pub steps: Vec<Effect>,
}

/// How a call in a loop uses registers.
#[derive(Clone, Copy, Debug, Default)]
pub struct CallUse {
    /// Registers that it reads.
    pub reads: Set,
    /// Registers that it may read, as far as is known.
    pub may_read: Set,
    /// It returns its first argument (`memset` and the like).
    pub returns_first: bool,
}

/// The calls of a loop, by step.
pub type Calls = HashMap<usize, CallUse>;

/// How the calls of a loop use registers.
pub fn calls(callees: Callees, body: &Body) -> Calls {
    let (calls, others): (Vec<_>, Vec<_>) =
        body.steps.iter().enumerate().partition(|(_, step)| is_call(&step.instruction));
    // A loop that passes an argument usually sets its register itself.
    let put = others.iter().flat_map(|(_, step)| &step.writes).fold(0, |all: Set, &w| all | 1 << w);
    let one = |(at, step): (usize, &step::Step)| {
        let effect = callees.effect(&step.instruction);
        let reads = effect.reads.0;
        let returns_first = callees.returns_first(&step.instruction);
        (at, CallUse { reads, may_read: reads | effect.may_read.0 & put, returns_first })
    };
    calls.into_iter().map(one).collect()
}

/// Follows the values; nothing when they do not settle.
pub fn follow(graph: &Graph, l: &NaturalLoop, body: &Body, calls: &Calls) -> Option<Flow> {
    let places = (MEMORY + body.slots) as usize;
    let start: State = (0..places)
        .map(|p| {
            let place = p as Slot;
            if body.changes(place) { Value::carried(place) } else { Value::fixed(p as u32) }
        })
        .collect();
    let position: HashMap<BlockId, usize> = body.blocks.iter().enumerate().map(|(k, b)| (b.id, k)).collect();
    let before: Vec<Vec<usize>> = (body.blocks.iter())
        .map(|block| {
            let predecessors = graph.blocks[block.id as usize].predecessors.iter();
            if block.id == l.header {
                Vec::new()
            } else {
                predecessors.filter_map(|p| position.get(p).copied()).collect()
            }
        })
        .collect();
    let conditional = conditional_writes(body);
    let mut after: Vec<Vec<usize>> = vec![Vec::new(); body.blocks.len()];
    for (k, before) in before.iter().enumerate() {
        before.iter().for_each(|&p| after[p].push(k));
    }
    let mut ends: Vec<Option<State>> = vec![None; body.blocks.len()];
    let steps = vec![(Vec::new(), None); body.steps.len()];
    let mut follower = Follower { body, calls, conditional, steps };
    // Blocks one of whose inputs has changed since they were evaluated; the others would give the same result again.
    let mut due = vec![true; body.blocks.len()];
    for _ in 0..MOST_ROUNDS {
        let mut changed = false;
        for (k, block) in body.blocks.iter().enumerate() {
            if !std::mem::take(&mut due[k]) {
                continue;
            }
            let mut state: Option<State> = (block.id == l.header).then(|| start.clone());
            for end in before[k].iter().filter_map(|&p| ends[p].as_ref()) {
                match &mut state {
                    None => state = Some(end.clone()),
                    Some(state) => join(state, end),
                }
            }
            let Some(mut state) = state else { continue };
            for at in block.steps.0..block.steps.1 {
                follower.apply(at, &mut state);
            }
            // Knowledge is only ever lost, or the rounds might not end.
            if let Some(known) = &ends[k] {
                join(&mut state, known);
            }
            if ends[k].as_ref() != Some(&state) {
                // What was known before is an input, too; a value joined with itself stays what it is.
                due[k] |= ends[k].is_some();
                after[k].iter().for_each(|&next| due[next] = true);
                ends[k] = Some(state);
                changed = true;
            }
        }
        if !changed {
            let latches = body.blocks.iter().zip(&ends).filter(|(block, _)| block.latch);
            let mut end: Option<State> = None;
            for state in latches.filter_map(|(_, end)| end.as_ref()) {
                match &mut end {
                    None => end = Some(state.clone()),
                    Some(end) => join(end, state),
                }
            }
            return Some(Flow { end: end?, steps: follower.steps });
        }
    }
    None
}

/// Keeps what holds on both of two paths.
fn join(state: &mut State, other: &State) {
    state.iter_mut().zip(other).for_each(|(own, other)| {
        if own != other {
            *own = own.join(other);
        }
    });
}

/// Steps whose result may leave their destination as it was, which then is read, too.
fn conditional_writes(body: &Body) -> Vec<bool> {
    let mut factory = InstructionInfoFactory::new();
    let writes = |access: OpAccess| matches!(access, OpAccess::CondWrite | OpAccess::ReadCondWrite);
    body.steps
        .iter()
        .map(|step| step.instruction.op_count() > 0 && writes(factory.info(&step.instruction).op0_access()))
        .collect()
}

struct Follower<'a> {
    body: &'a Body,
    calls: &'a Calls,
    conditional: Vec<bool>,
    steps: Vec<Effect>,
}

impl Follower<'_> {
    fn apply(&mut self, at: usize, state: &mut State) {
        let step = &self.body.steps[at];
        let get = |place: Slot| state.get(place as usize).copied().unwrap_or_else(Value::fresh);
        let mut read: Vec<(Slot, Value)> = step.reads.iter().map(|&r| (r, get(r))).collect();
        let name = 1000 + at as u32;
        if is_call(&step.instruction) {
            let call = self.calls.get(&at).copied().unwrap_or_default();
            read.extend((0..128).filter(|&r| call.reads >> r & 1 == 1).map(|r| (r, get(r))));
            let first = step::slot_of(Register::RDI).map(get).filter(|_| call.returns_first);
            let from: Vec<Value> = read.iter().map(|r| r.1).collect();
            let result = Value { fixed: None, from_memory: true, ..Value::computed(&from, name) };
            for &w in &step.writes {
                // Registers that return nothing hold no useful value.
                if let Some(place) = state.get_mut(w as usize) {
                    *place = match first {
                        Some(first) if step::slot_of(Register::RAX) == Some(w) => first,
                        _ if step::returns_value(w) => result,
                        _ => Value::fresh(),
                    };
                }
            }
            self.steps[at] = (read, Some(first.unwrap_or(result)));
            return;
        }
        let addresses: Vec<(Slot, Value)> = step.address.iter().map(|&r| (r, get(r))).collect();
        let kept = step.writes.first().copied().filter(|_| self.conditional[at]);
        if let Some(destination) = kept.filter(|d| !step.reads.contains(d)) {
            read.push((destination, get(destination)));
        }
        let mut memory = None;
        if let Some(slot) = step.loads_slot() {
            read.push((slot, get(slot)));
        } else if let Some(m) = step.memory.filter(|m| m.load) {
            let address: Vec<Value> = addresses.iter().map(|a| a.1).collect();
            memory = Some(self.loaded(&m, &address, name));
        }
        if step.operation.class == Class::Select && step.instruction.rflags_read() != 0 && read.is_empty() {
            // `setcc` makes its value of what was compared.
            let flags = get(step::CARRY);
            read.push((step::CARRY, Value { fixed: None, form: None, ..flags }));
        }
        let mut result = self.result(at, &read, memory, name);
        if step.operation.class == Class::Gather && self.takes_fixed_lanes(at, state) {
            // The destination's old value is not an input.
            read.retain(|(r, _)| !step.writes.contains(r));
            result = Value::load(&addresses.iter().map(|a| a.1).collect::<Vec<_>>());
        } else if let Some(kept) = kept.filter(|_| step.operation.class != Class::Select) {
            // Masked elements keep what they were.
            result = get(kept).join(&result);
        }
        let string = step.operation.class == Class::StringOp && !repeats(&step.instruction);
        let pointer = |w| [Register::RSI, Register::RDI].into_iter().any(|r| step::slot_of(r) == Some(w));
        let value = |&w: &Slot| if string && pointer(w) { advanced(&get(w), name) } else { result };
        let written: Vec<Value> = step.writes.iter().map(value).collect();
        for (&w, value) in step.writes.iter().zip(written) {
            if let Some(place) = state.get_mut(w as usize) {
                *place = value;
            }
        }
        if let Some(slot) = step.stores_slot()
            && let Some(place) = state.get_mut(slot as usize)
        {
            *place = result;
        }
        let has_result = !step.writes.is_empty() || step.stores_slot().is_some();
        read.extend(addresses);
        self.steps[at] = (read, has_result.then_some(result));
    }

    /// A gather whose mask is the same in every iteration (instructions that set all of its bits read
    /// nothing): lanes that are masked off never change.
    fn takes_fixed_lanes(&self, at: usize, state: &State) -> bool {
        let i = &self.body.steps[at].instruction;
        let vector = i.op_count() == 3 && i.op2_kind() == OpKind::Register;
        let mask = if vector { i.op2_register() } else { i.op_mask() };
        let mask = step::slot_of(mask).and_then(|place| state.get(place as usize));
        mask.is_some_and(|mask| mask.fixed.is_some())
    }

    /// The value that a load yields: the same each time when its address is and the loop does not store there.
    fn loaded(&self, m: &Memory, address: &[Value], name: u32) -> Value {
        // A called function may change a global.
        let known = m.on_stack() || m.global && self.calls.is_empty();
        let steady = address.iter().all(|v| v.fixed.is_some()) && !m.indexed && known;
        if steady { Value::fixed(name) } else { Value::load(address) }
    }

    fn result(&self, at: usize, read: &[(Slot, Value)], memory: Option<Value>, name: u32) -> Value {
        let step = &self.body.steps[at];
        let i = &step.instruction;
        let from: Vec<Value> = match memory {
            Some(m) => read.iter().map(|r| r.1).chain([m]).collect(),
            None => read.iter().map(|r| r.1).collect(),
        };
        let plain = Value::computed(&from, name);
        let between_floats = ["cvtss2sd", "cvtsd2ss", "cvtps2pd", "cvtpd2ps"];
        let widthless = name_of(i.mnemonic()).trim_start_matches('v');
        match step.operation.class {
            Class::Move | Class::Broadcast if from.len() == 1 => from[0],
            Class::Move if from.is_empty() => Value::fixed(name),
            Class::Convert if from.len() == 1 && between_floats.contains(&widthless) => {
                Value { fixed: from[0].fixed.map(|_| name), ..from[0] }
            }
            Class::Add | Class::Lea | Class::Multiply | Class::MinMax | Class::Logic | Class::Fma => {
                let Some(kind) = accumulation(i.mnemonic(), step.operation.class) else { return plain };
                let mut forms = from.iter().enumerate().filter_map(|(k, v)| Some((k, v.form?)));
                // The destination's own form first: the others are the accumulated values.
                let preferred = forms.clone().find(|(_, (place, _))| {
                    step.writes.contains(place) || step.stores_slot() == Some(*place)
                });
                let Some((k, (place, before))) = preferred.or_else(|| forms.next()) else { return plain };
                let others: Vec<Value> =
                    from.iter().enumerate().filter(|(o, _)| *o != k).map(|(_, v)| *v).collect();
                let again = others.iter().any(|v| v.needs(place)) || doubled(step, read.get(k).map(|r| r.0));
                let factor = step.operation.class == Class::Fma
                    && read.get(k).is_none_or(|r| !super::super::chains::is_addend(step, r.0));
                let subtracted = subtrahend(step, read.get(k).map(|r| r.0));
                if again || factor || subtracted {
                    return plain;
                }
                let with = Value::computed(&others, name);
                Value { form: accumulated(before, kind, &with, name).map(|s| (place, s)), ..plain }
            }
            Class::Select | Class::Blend => {
                let forms = from.iter().filter_map(|v| v.form);
                let mut kept = forms.filter(|(_, s)| matches!(s, Step::Same | Step::Select));
                let Some((place, _)) = kept.next() else { return plain };
                let others = from.iter().filter(|v| v.form.is_none_or(|f| f.0 != place));
                // A mask from a comparison with the value itself does not count as another use.
                let data = others.filter(|v| v.needs(place)).count();
                let masks = usize::from(step.operation.class == Class::Blend);
                Value { form: (data <= masks).then_some((place, Step::Select)), ..plain }
            }
            _ => plain,
        }
    }
}

/// A value to which a fixed amount was added.
fn advanced(value: &Value, name: u32) -> Value {
    let amount = Value::fixed(name);
    let form = value.form.and_then(|(place, before)| {
        Some((place, accumulated(before, Step::Add(Amount::Any), &amount, name)?))
    });
    Value { form, ..Value::computed(&[*value, amount], name) }
}

/// The accumulation that an instruction performs.
fn accumulation(mnemonic: Mnemonic, class: Class) -> Option<Step> {
    let text = name_of(mnemonic);
    let any = Step::Add(Amount::Any);
    match class {
        Class::Add if is_plain_sum(mnemonic) => Some(any),
        Class::Lea | Class::Fma => Some(any),
        Class::Multiply => Some(Step::Multiply),
        Class::MinMax if text.contains("min") => Some(Step::Minimum),
        Class::MinMax if text.contains("max") => Some(Step::Maximum),
        Class::Logic if text.contains("andn") || text.contains("ternlog") => None,
        Class::Logic if text.contains("and") => Some(Step::And),
        Class::Logic if text.contains("xor") => Some(Step::Xor),
        Class::Logic if text.contains("or") => Some(Step::Or),
        _ => None,
    }
}

/// The operand is used twice, or scaled in an address.
fn doubled(step: &step::Step, place: Option<Slot>) -> bool {
    let i = &step.instruction;
    let is = |register| place.is_some() && step::slot_of(register) == place;
    if step.operation.class == Class::Lea {
        return is(i.memory_index()) && (i.memory_index_scale() != 1 || is(i.memory_base()));
    }
    let sources =
        (0..i.op_count()).filter(|&k| i.op_kind(k) == OpKind::Register && is(i.op_register(k))).count();
    let destination = i.op_count() > 2 && i.op0_kind() == OpKind::Register && is(i.op0_register());
    sources - usize::from(destination && sources > 0) > 1
}

/// The operand is what is subtracted.
fn subtrahend(step: &step::Step, place: Option<Slot>) -> bool {
    let i = &step.instruction;
    let text = name_of(i.mnemonic());
    if step.operation.class == Class::Fma {
        // `fnmadd` subtracts the product, `fmsub` the addend.
        return text.contains("msub");
    }
    if !text.contains("sub") {
        return false;
    }
    let last = i.op_count().saturating_sub(1);
    match i.op_kind(last) {
        OpKind::Register => step::slot_of(i.op_register(last)) == place,
        OpKind::Memory => place.is_some() && step.loads_slot() == place && step.stores_slot() != place,
        _ => false,
    }
}
