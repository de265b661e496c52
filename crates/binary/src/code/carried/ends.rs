//! How a loop ends: by a count that is known when it is entered, or by a condition on its data.
//!
//! An exit is counted when its condition consists of counters, constants and values that the loop finds at
//! fixed places. Every other condition (values loaded from places that change, results of calls, values that
//! earlier iterations computed) decides anew in each iteration whether the next one runs: the iterations
//! after it depend on it (a control dependence, Allen and Kennedy, chapter 7). A condition that only rereads
//! a fixed place can change only by another thread's store, and counts as data, too.
//!
//! The same formulas show what the branches inside an iteration ask for.

use super::super::blocks::{BlockId, Graph};
use super::super::body::Body;
use super::super::nest::NaturalLoop;
use super::evaluate::{EITHER, in_frame};
use super::formula::{Formula, Id};
use super::iteration::Iteration;
use crate::facts::LoopEnds;
use iced_x86::FlowControl;

/// What a value is computed from, as bits.
type Made = u8;
const COUNTER: Made = 1;
/// Loaded from a fixed place.
const FIXED_PLACE: Made = 2;
const DATA: Made = 4;
/// Not followed far enough to know.
const UNCLEAR: Made = 8;

/// Deepest nesting of formulas, summed over all iterations that they come from.
const DEEPEST: u32 = 1000;
/// Blocks after an exit that are followed to see whether the program ends there.
const MOST_AFTER: u32 = 4;

/// The exits of a loop that are not counted.
pub fn find(graph: &Graph, l: &NaturalLoop, iteration: &mut Iteration) -> LoopEnds {
    let mut ends = LoopEnds::default();
    for &block in &l.body {
        let leaving = |s: &&BlockId| {
            l.body.binary_search(s).is_err()
                && graph.pads.binary_search(s).is_err()
                && !dies(graph, **s, MOST_AFTER)
        };
        let at = &graph.blocks[block as usize];
        if !at.leaves && at.successors.iter().filter(leaving).count() == 0 {
            continue;
        }
        let Some(last) = graph.terminator(block) else { continue };
        let made = match (last.flow_control(), iteration.flags.get(&block).copied()) {
            (FlowControl::ConditionalBranch, Some(flags)) => made_of(iteration, flags),
            // `loop`, `jrcxz`, jump tables: a data value leads out.
            _ => DATA,
        };
        let address = last.ip();
        if made & DATA != 0 || made & (FIXED_PLACE | COUNTER | UNCLEAR) == FIXED_PLACE {
            ends.data.push(address);
        } else if made & UNCLEAR != 0 {
            ends.unclear.push(address);
        }
    }
    ends
}

/// The branches inside an iteration: those whose condition consists of counters and of values that the loop finds at fixed
/// places, and all others.
pub fn tests(graph: &Graph, l: &NaturalLoop, iteration: &mut Iteration) -> (u32, u32) {
    let (mut position, mut data) = (0, 0);
    for &block in &l.body {
        let at = &graph.blocks[block as usize];
        let stays = |s: &BlockId| l.body.binary_search(s).is_ok();
        let inside = !at.leaves && at.successors.len() > 1 && at.successors.iter().all(stays);
        let last = graph.terminator(block).filter(|i| i.flow_control() == FlowControl::ConditionalBranch);
        if !inside || last.is_none() {
            continue;
        }
        let made = iteration.flags.get(&block).copied().map_or(UNCLEAR, |flags| made_of(iteration, flags));
        *if made & (DATA | UNCLEAR) == 0 { &mut position } else { &mut data } += 1;
    }
    (position, data)
}

/// Stores to the frame after which a variable holds a counter's value at the end of every iteration. One store for each variable:
/// of several the code does not show which comes last.
pub fn counter_stores(iteration: &mut Iteration, body: &Body) -> Vec<u64> {
    let stores = body.steps.iter().enumerate().filter(|(_, step)| step.memory.is_some_and(|m| m.store));
    let placed: Vec<(Id, u64)> = stores
        .filter_map(|(at, step)| Some((*iteration.addresses.get(&at)?, step.instruction.ip())))
        .filter(|(address, _)| in_frame(&iteration.formulas, *address))
        .collect();
    let only = |of: &&(Id, u64)| placed.iter().filter(|(address, _)| *address == of.0).count() == 1;
    let counts = |of: &(Id, u64)| {
        let value = iteration.left_in_frame(of.0)?;
        let made = made_of(iteration, value);
        (made & COUNTER != 0 && made & (DATA | UNCLEAR) == 0).then_some(of.1)
    };
    placed.iter().filter(only).filter_map(counts).collect()
}

/// The program ends after this block: `abort`, a failed check.
fn dies(graph: &Graph, block: BlockId, depth: u32) -> bool {
    let at = &graph.blocks[block as usize];
    let on = || at.successors.iter().filter(|s| graph.pads.binary_search(s).is_err());
    !at.leaves && depth > 0 && on().all(|&s| dies(graph, s, depth - 1))
}

/// What a value is computed from. Reaching a carried value again on the way back from it means a recurrence,
/// which is data.
fn made_of(iteration: &mut Iteration, id: Id) -> Made {
    if let Some(&known) = iteration.formulas.made.get(&id) {
        return known;
    }
    if iteration.formulas.asking >= DEEPEST {
        return UNCLEAR;
    }
    iteration.formulas.asking += 1;
    iteration.formulas.made.insert(id, DATA);
    let made = match iteration.formulas.get(id).clone() {
        Formula::Unknown(_) if iteration.formulas.is_unclear(id) => UNCLEAR,
        Formula::Unknown(_) => DATA,
        Formula::Sum(terms, _) => terms.into_iter().fold(0, |all, (term, _)| all | made_of(iteration, term)),
        Formula::Operator(EITHER, ..) if iteration.formulas.is_unclear(id) => UNCLEAR,
        // The condition that selects one of the two was not examined.
        Formula::Operator(EITHER, ..) => DATA,
        Formula::Operator(_, _, operands) => {
            operands.into_iter().fold(0, |all, o| all | made_of(iteration, o))
        }
        Formula::Load(address, ..) if !in_frame(&iteration.formulas, address) => {
            match made_of(iteration, address) {
                0 | FIXED_PLACE => FIXED_PLACE,
                made if made & (COUNTER | DATA) == 0 => UNCLEAR,
                _ => DATA,
            }
        }
        // A register, or a variable of the frame, as the iteration found it.
        Formula::Start(_) | Formula::Load(..) => {
            let end = iteration.end_of(id);
            if end == id {
                0
            } else if iteration.advance(id).is_some() {
                COUNTER
            } else {
                made_of(iteration, end)
            }
        }
    };
    iteration.formulas.asking -= 1;
    iteration.formulas.made.insert(id, made);
    made
}

/// The addresses of two operands in the same class differ by a constant, in every iteration.
pub fn address_classes(iteration: &mut Iteration, steps: &[(usize, u64)]) -> Vec<(u64, u32)> {
    // Terms of the address before the loop, and its advance.
    let mut bases: Vec<(Vec<(Id, i64)>, i64)> = Vec::new();
    let mut out = Vec::new();
    for &(step, instruction) in steps {
        let Some(&address) = iteration.addresses.get(&step) else { continue };
        let Some(stride) = stride(iteration, address) else { continue };
        let entry = iteration.at_entry(address);
        let base = (iteration.formulas.terms(entry).0, stride);
        let class = bases.iter().position(|known| *known == base).unwrap_or_else(|| {
            bases.push(base);
            bases.len() - 1
        });
        out.push((instruction, class as u32));
    }
    out
}

/// The bytes by which an affine address advances, when the code states them as a number.
fn stride(iteration: &mut Iteration, address: Id) -> Option<i64> {
    let (terms, _) = iteration.formulas.terms(address);
    terms.into_iter().try_fold(0i64, |sum, (term, factor)| {
        let made = made_of(iteration, term);
        if made & (DATA | UNCLEAR) != 0 {
            return None;
        }
        if made & COUNTER == 0 {
            return Some(sum);
        }
        let by = iteration.advance(term)?;
        Some(sum.wrapping_add(iteration.formulas.as_constant(by)?.wrapping_mul(factor)))
    })
}
