//! The values that iterations pass to each other in registers and in invariant memory, as far as they
//! restrict the order of iterations.
//!
//! `chains` finds how long an iteration must wait for the one before; this module finds whether it must wait
//! at all, and so misses nothing: every place that the loop (inner loops included) writes and a later
//! iteration reads first, on any path, is named here, unless it provably carries nothing that matters: the
//! unchanged value itself, values loaded from memory that the next iteration could load again (a load kept
//! from one iteration to the next), or functions of counters.
//!
//! Kinds follow from the form of the value at the end of an iteration (see `value`): start value plus a fixed amount is
//! an induction (Aho, Lam, Sethi, Ullman, *Compilers*, 9.1), start value with an associative operation is a reduction if
//! nothing else reads it, selection between start value and another one is a minimum or maximum if the two are what is
//! compared. All other cycles are recurrences.

mod constants;
mod ends;
mod evaluate;
mod expression;
mod flow;
mod formula;
mod iteration;
#[cfg(test)]
mod tests;
mod value;

use super::body::{Body, Function};
use super::chains;
use super::nest::NaturalLoop;
use super::operation::Class;
use super::step::{MEMORY, STACK_POINTER, Slot, is_call, name_of};
use crate::facts::{CarriedKind, CarriedValue, LoopEnds};
pub use constants::Constants;
use flow::{CallUse, Calls, Flow};
use iced_x86::{Instruction, Mnemonic, OpKind, Register};
use iteration::Iteration;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use value::{Amount, Set, Step, Value};

/// Most instructions of a loop that is analysed.
const MOST_STEPS: usize = 20_000;
/// Most instructions of a loop whose values are written out as formulas.
const MOST_FORMULATED: usize = 6_000;
/// Most blocks of a loop that is analysed.
const MOST_BLOCKS: usize = 2_000;

/// The values that iterations of a loop pass to each other.
#[derive(Debug, Default)]
pub struct Handover {
    /// Carried values; nothing when the loop is too large, or its values do not settle.
    pub carried: Option<Vec<CarriedValue>>,
    /// Exits that are not counted; `None` when they were not analysed.
    pub ends: Option<LoopEnds>,
    /// Branches inside an iteration of an innermost loop: on its position, and on anything else.
    pub tests: (u32, u32),
    /// Instructions that access a variable of the frame that `carried` follows.
    pub followed: Vec<u64>,
    /// Stores that leave the value of a counter in a variable of the frame.
    pub counter_stores: Vec<u64>,
    /// The stack pointer is after each iteration where it was before.
    pub keeps_stack: bool,
    /// Memory operands by instruction, in classes whose addresses differ by constants.
    pub address_classes: Vec<(u64, u32)>,
}

/// Finds the values that a loop carries from one iteration to the next. `body` holds the blocks of inner loops, too.
pub fn find(function: &Function, l: &NaturalLoop, body: &Body, constants: &Constants) -> Handover {
    let graph = function.graph;
    let mut out = Handover::default();
    if body.steps.len() > MOST_STEPS || body.blocks.len() > MOST_BLOCKS {
        return out;
    }
    let small = body.steps.len() <= MOST_FORMULATED;
    let mut iteration = small.then(|| Iteration::new(function, l, body)).flatten();
    if let Some(iteration) = &mut iteration {
        out.ends = Some(ends::find(graph, l, iteration));
        if l.innermost {
            out.tests = ends::tests(graph, l, iteration);
            let of_memory =
                |(at, step): (usize, &super::step::Step)| step.memory.map(|_| (at, step.instruction.ip()));
            let operands: Vec<_> = body.steps.iter().enumerate().filter_map(of_memory).collect();
            out.address_classes = ends::address_classes(iteration, &operands);
        }
        out.followed = iteration.followed();
        out.counter_stores = ends::counter_stores(iteration, body);
        out.keeps_stack = iteration.keeps_stack();
    }
    let steady = |place: Slot| constants.is_constant(&function.steps, place, l.header);
    let mut judge = |calls: &Calls| {
        let flow = flow::follow(graph, l, body, calls)?;
        Some(Judge::new(body, l.innermost, &flow, iteration.as_mut(), steady).run())
    };
    let calls = flow::calls(function.callees, body);
    let reading_all = calls.iter().map(|(&at, &call)| (at, CallUse { reads: call.may_read, ..call }));
    out.carried = judge(&reading_all.collect()).and_then(|possible| {
        let sure = calls.values().all(|call| call.reads == call.may_read)
            || possible.iter().all(|value| value.kind == CarriedKind::Induction);
        if sure { Some(possible) } else { Some(with_doubts(judge(&calls)?, possible)) }
    });
    out
}

/// The possible carried values (given what calls may read); those that are not certain are marked as unclear.
fn with_doubts(certain: Vec<CarriedValue>, possible: Vec<CarriedValue>) -> Vec<CarriedValue> {
    let known = |value: &CarriedValue| {
        certain.iter().find(|c| c.place == value.place && c.kind == value.kind).cloned()
    };
    let doubtful = |value: CarriedValue| match value.kind {
        CarriedKind::Induction => value,
        _ => CarriedValue { kind: CarriedKind::Unclear, operation: None, ..value },
    };
    possible.into_iter().map(|value| known(&value).unwrap_or_else(|| doubtful(value))).collect()
}

struct Judge<'a> {
    body: &'a Body,
    innermost: bool,
    flow: &'a Flow,
    /// Places that are written in the loop, and whose start value a step reads.
    carried: Vec<Slot>,
    /// Those of them whose value every iteration can compute itself.
    made_anew: Set,
    /// Those of them for which the code does not decide that.
    unclear: Set,
    /// Those of them that advance by the same amount on every path.
    advancing: Set,
}

impl<'a> Judge<'a> {
    /// `steady`: a place holds the same constant at the start of every iteration.
    fn new(
        body: &'a Body,
        innermost: bool,
        flow: &'a Flow,
        mut iteration: Option<&mut Iteration>,
        steady: impl Fn(Slot) -> bool,
    ) -> Self {
        let mut used: Set = 0;
        for (read, _) in &flow.steps {
            used = read.iter().fold(used, |all, (_, v)| all | v.depends);
        }
        // A value that only moves on may still be read an iteration later.
        let ends = || flow.end.iter().enumerate();
        for _ in 0..flow.end.len() {
            let more = ends().filter(|(p, _)| used >> p & 1 == 1).fold(used, |all, (_, v)| all | v.depends);
            if more == used {
                break;
            }
            used = more;
        }
        let carried: Vec<Slot> = ends()
            .map(|(p, v)| (p as Slot, v))
            .filter(|&(p, v)| {
                body.changes(p)
                    && used >> p & 1 == 1
                    && p != super::step::CARRY
                    && p != STACK_POINTER
                    && v.form != Some((p, Step::Same))
                    && !steady(p)
            })
            .map(|(p, _)| p)
            .collect();
        let (mut made_anew, mut unclear, mut advancing): (Set, Set, Set) = (0, 0, 0);
        for &place in &carried {
            let known = iteration.as_mut().and_then(|iteration| iteration.is_made_anew(place));
            made_anew |= Set::from(known == Some(true)) << place;
            unclear |= Set::from(known.is_none()) << place;
            let advances = iteration.as_mut().is_some_and(|iteration| iteration.advances(place));
            advancing |= Set::from(advances) << place;
        }
        Self { body, innermost, flow, carried, made_anew, unclear, advancing }
    }

    fn end(&self, place: Slot) -> &Value {
        &self.flow.end[place as usize]
    }

    fn run(&self) -> Vec<CarriedValue> {
        let mut kinds: BTreeMap<Slot, (CarriedKind, u32)> = BTreeMap::new();
        for &place in &self.carried {
            kinds.insert(place, self.cyclic(place));
        }
        // What the next iteration could compute itself is not carried.
        let anew = |place: Slot| self.made_anew >> place & 1 == 1;
        let unclear = |place: Slot| self.unclear >> place & 1 == 1;
        let listed =
            kinds.into_iter().filter(|&(place, (kind, _))| kind == CarriedKind::Induction || !anew(place));
        let listed = listed.map(|(place, (kind, distance))| match kind {
            CarriedKind::Forwarded if unclear(place) => (place, (CarriedKind::Unclear, distance)),
            _ => (place, (kind, distance)),
        });
        listed.map(|(place, (kind, distance))| self.fact(place, kind, distance)).collect()
    }

    /// The kind of a place by the operations on the path from its start value to its end value, and the
    /// distance in iterations.
    fn cyclic(&self, place: Slot) -> (CarriedKind, u32) {
        let end = self.end(place);
        if self.advancing >> place & 1 == 1 {
            return (CarriedKind::Induction, 1);
        }
        if !end.needs(place) {
            return match self.cycle(place) {
                Some(length) => (CarriedKind::Recurrence, length),
                None => (CarriedKind::Forwarded, 1),
            };
        }
        let kind = match end.form.filter(|form| form.0 == place).map(|form| form.1) {
            Some(Step::Add(Amount::Fixed(_))) => CarriedKind::Induction,
            Some(Step::Select) if self.compared(place) => CarriedKind::Reduction,
            Some(Step::Select) => CarriedKind::Recurrence,
            Some(Step::Add(Amount::Sometimes)) if !self.leaks(place) => CarriedKind::Reduction,
            // Advanced by inner loops, by an amount that is known only there.
            Some(Step::Add(Amount::Sometimes)) if !self.innermost && self.advanced_inside(place) => {
                CarriedKind::Unclear
            }
            Some(_) if !self.leaks(place) => CarriedKind::Reduction,
            Some(_) => CarriedKind::Recurrence,
            None if end.through >> place & 1 == 1 => CarriedKind::PointerChase,
            None => CarriedKind::Recurrence,
        };
        (kind, 1)
    }

    /// The length of the shortest cycle of places that leads back to one.
    fn cycle(&self, place: Slot) -> Option<u32> {
        let sources = |p: Slot| self.carried.iter().copied().filter(move |&q| self.end(p).needs(q));
        let mut queue: VecDeque<(Slot, u32)> = [(place, 0)].into();
        let mut seen: Set = 0;
        while let Some((at, length)) = queue.pop_front() {
            for next in sources(at) {
                if next == place {
                    return Some(length + 1);
                }
                if seen >> next & 1 == 0 {
                    seen |= 1 << next;
                    queue.push_back((next, length + 1));
                }
            }
        }
        None
    }

    /// Steps that read the value, or what was computed from it.
    fn readers(&self, place: Slot) -> impl Iterator<Item = usize> {
        let steps = self.flow.steps.iter().enumerate();
        steps.filter(move |(_, (read, _))| read.iter().any(|(_, v)| v.needs(place))).map(|(at, _)| at)
    }

    /// Something other than the accumulation reads the value.
    fn leaks(&self, place: Slot) -> bool {
        self.readers(place).any(|at| !self.accumulates(at, place) && !self.stores_in_place(at))
    }

    /// The step's result is the value with something accumulated, or the value itself in another place.
    fn accumulates(&self, at: usize, place: Slot) -> bool {
        self.flow.steps[at].1.is_some_and(|v| v.form.is_some_and(|form| form.0 == place))
    }

    /// The step stores to the same address every time and overwrites what earlier iterations stored there.
    /// Reads of that address are dependences through memory.
    fn stores_in_place(&self, at: usize) -> bool {
        let step = &self.body.steps[at];
        let stores = step.memory.is_some_and(|m| m.store && !m.load && !m.indexed && m.slot.is_none());
        let steady = |r: &Slot| self.flow.steps[at].0.iter().any(|(q, v)| q == r && v.fixed.is_some());
        stores && step.operation.class == Class::Move && step.address.iter().all(steady)
    }

    /// The value is kept or replaced by what it is compared with, and nothing else reads it.
    fn compared(&self, place: Slot) -> bool {
        let mut compares: Vec<usize> = Vec::new();
        for at in self.readers(place) {
            let class = self.body.steps[at].operation.class;
            if class == Class::Compare {
                compares.push(at);
            } else if !self.accumulates(at, place) && !matches!(class, Class::Branch) {
                return false;
            }
        }
        if compares.is_empty() {
            return false;
        }
        // Each new value is one side of the comparison before it, and no comparison decides anything else. Where code was moved so
        // that none is before it, every comparison must be with it.
        let mut used: BTreeSet<usize> = BTreeSet::new();
        for writer in self.writers(place) {
            let before = compares.iter().copied().rfind(|&compare| compare < writer);
            let deciding = before.map_or_else(|| compares.clone(), |compare| vec![compare]);
            if !deciding.iter().all(|&compare| self.compares_with_new(compare, writer)) {
                return false;
            }
            used.extend(deciding);
        }
        used.len() == compares.len()
    }

    /// The value written to the place is one side of the comparison.
    fn compares_with_new(&self, compare: usize, writer: usize) -> bool {
        let count = self.body.steps[compare].instruction.op_count();
        let compared: Vec<String> =
            (0..count).filter_map(|k| expression::of_operand(self.body, compare, k)).collect();
        let among = |source: Option<String>| source.is_some_and(|source| compared.contains(&source));
        if among(expression::of_operand(self.body, writer, 1)) {
            return true;
        }
        // Both are there to choose from (`cmov`), and the chosen one is stored.
        let selected = self.body.steps[writer].reads.first().and_then(|&register| {
            self.body.steps[..writer].iter().rposition(|step| step.writes.contains(&register))
        });
        let selected = selected.filter(|&at| self.body.steps[at].operation.class == Class::Select);
        selected.is_some_and(|at| (0..2).all(|k| among(expression::of_operand(self.body, at, k))))
    }

    fn writers(&self, place: Slot) -> impl Iterator<Item = usize> {
        let writes =
            move |step: &super::step::Step| step.writes.contains(&place) || step.stores_slot() == Some(place);
        let steps = self.body.steps.iter().enumerate();
        steps.filter(move |(_, step)| writes(step)).map(|(at, _)| at)
    }

    /// Some of the additions are in inner loops, or on some paths only.
    fn advanced_inside(&self, place: Slot) -> bool {
        let conditional = |at: usize| {
            let block = self.body.blocks.iter().find(|b| b.steps.0 <= at && at < b.steps.1);
            block.is_some_and(|b| !b.always)
        };
        self.writers(place).any(conditional)
    }

    fn fact(&self, place: Slot, kind: CarriedKind, distance: u32) -> CarriedValue {
        let steps = &self.body.steps;
        let address = |at: usize| steps[at].instruction.ip();
        let readers: Vec<usize> = self.readers(place).collect();
        // Arithmetic on the value, by kind: each copy of a statement does each kind at least once.
        let mut copies: BTreeMap<String, u32> = BTreeMap::new();
        let mut floating = false;
        for &at in &readers {
            let result = self.flow.steps[at].1.is_some_and(|v| v.needs(place));
            let operation = &steps[at].operation;
            if result && operation.is_arithmetic() && !is_call(&steps[at].instruction) {
                *copies.entry(format!("{:?}", operation.class)).or_default() += 1;
                floating |= operation.is_float();
            }
        }
        let writers: Vec<usize> = self.writers(place).collect();
        floating |= writers.iter().any(|&at| steps[at].operation.is_float());
        CarriedValue {
            place: self.spelling(place, &writers),
            memory: place >= MEMORY,
            kind,
            operation: (kind == CarriedKind::Reduction).then(|| self.operation(place)).flatten(),
            floating,
            distance,
            step: match writers.as_slice() {
                [one] if kind == CarriedKind::Induction => step(&steps[*one].instruction),
                _ => None,
            },
            copies: copies.values().copied().min().unwrap_or(1),
            writers: writers.into_iter().map(address).collect(),
            readers: readers.into_iter().map(address).collect(),
        }
    }

    fn operation(&self, place: Slot) -> Option<String> {
        let text = match self.end(place).form?.1 {
            Step::Add(_) => "+",
            Step::Multiply => "*",
            Step::Minimum => "min",
            Step::Maximum => "max",
            Step::Select => "min/max",
            Step::And => "&",
            Step::Or => "|",
            Step::Xor => "^",
            Step::Same => return None,
        };
        Some(text.to_owned())
    }

    /// The place as the instructions that write it spell it.
    fn spelling(&self, place: Slot, writers: &[usize]) -> String {
        let mut memory = self.body.steps.iter().filter_map(|s| s.memory).filter(|m| m.slot == Some(place));
        if let Some(m) = memory.next() {
            return chains::memory_name(&m);
        }
        let spelled = writers.iter().rev().find_map(|&at| {
            let i = &self.body.steps[at].instruction;
            let register =
                (i.op_count() > 0 && i.op0_kind() == OpKind::Register).then(|| i.op0_register())?;
            (super::step::slot_of(register) == Some(place))
                .then(|| format!("{register:?}").to_ascii_lowercase())
        });
        spelled.unwrap_or_else(|| name_of(place))
    }
}

/// By how much an instruction advances the register that it writes, where that is a constant.
fn step(i: &Instruction) -> Option<i64> {
    // Of 32-bit registers the constant is one of 32 bits.
    let narrow = i.op0_kind() != OpKind::Register || i.op0_register().size() <= 4;
    let signed = |bits: u64| {
        let whole = i64::from_ne_bytes(bits.to_ne_bytes());
        if narrow { whole << 32 >> 32 } else { whole }
    };
    let immediate = || {
        let known = i.op_count() == 2 && i.op1_kind() != OpKind::Register && i.op1_kind() != OpKind::Memory;
        known.then(|| signed(i.immediate(1)))
    };
    match i.mnemonic() {
        Mnemonic::Inc => Some(1),
        Mnemonic::Dec => Some(-1),
        Mnemonic::Add => immediate(),
        Mnemonic::Sub => immediate()?.checked_neg(),
        Mnemonic::Lea if i.memory_index() == Register::None => {
            let same = i.memory_base().full_register() == i.op0_register().full_register();
            same.then(|| signed(i.memory_displacement64()))
        }
        _ => None,
    }
}
