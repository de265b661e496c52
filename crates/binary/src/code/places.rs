//! Which instructions do the work of which place in the source: the evidence for how often the source was executed.
//!
//! However a compiler unrolls, vectorises, peels or splits a loop, each operator of the source that is always
//! executed does its work once for each source iteration, and debug information names its line in all copies.
//! Columns differ: GCC gives copies of an operator the column of its neighbour, and clang gives stores of
//! whole vectors that of the loop's head. Only loops and code of the same lines outside them are listed.

use super::blocks::Graph;
use super::nest::Nest;
use super::origin::Places;
use super::source::CodeSource;
use super::work::places::done;
use crate::facts::{SourceKind, SourceOperation, SourcePlace};
use iced_x86::{Instruction, Register};
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};

/// Facts about single instructions from the analysis of all loops, as indices into the graph's instructions.
#[derive(Debug, Default)]
pub struct Known {
    /// Instructions that run in every iteration of their loop.
    pub always: HashSet<usize>,
    /// Arithmetic on general registers whose results are data.
    pub data: HashSet<usize>,
    /// Instructions whose operand is the same in each iteration of their loop.
    pub invariant: HashSet<usize>,
}

/// The places of loops, and the operations there.
pub fn find(
    source: &dyn CodeSource,
    graph: &Graph,
    nest: &Nest,
    places: &Places,
    known: &Known,
) -> (Vec<SourcePlace>, Vec<SourceOperation>) {
    if nest.loops.is_empty() {
        return (Vec::new(), Vec::new());
    }
    let (mut numbers, mut list): (HashMap<SourcePlace, u32>, Vec<SourcePlace>) = Default::default();
    let mut operations = Vec::new();
    let mut in_loops = HashSet::default();
    for (b, block) in graph.blocks.iter().enumerate() {
        let in_loop = nest.innermost.get(b).copied().flatten();
        let first = block.instructions.0 as usize;
        if in_loop.is_some() {
            let own = (first..block.instructions.1 as usize).filter_map(|at| places.source(at));
            in_loops.extend(own.map(|place| (place.file, place.line, place.chain)));
        }
        for done in done(&graph.instructions[first..block.instructions.1 as usize]) {
            let at = first + done.at;
            let Some(place) = places.source(at) else { continue };
            let moves = matches!(done.kind, SourceKind::Load | SourceKind::Store);
            let is_address = done.general && !moves && !known.data.contains(&at);
            let is_constant = done.kind == SourceKind::Load && is_constant(source, &graph.instructions[at]);
            if is_address || is_constant || moves && known.invariant.contains(&at) {
                continue;
            }
            let next = list.len() as u32;
            let number = *numbers.entry(place).or_insert(next);
            if number == next {
                list.push(place);
            }
            operations.push(SourceOperation {
                address: graph.instructions[at].ip(),
                place: number,
                kind: done.kind,
                amount: done.amount,
                element: done.element,
                packed: done.packed,
                floating: done.floating,
                general: done.general,
                masked: done.masked,
                always: known.always.contains(&at),
                in_loop,
            });
        }
    }
    operations.retain(|operation| {
        let place = &list[operation.place as usize];
        in_loops.contains(&(place.file, place.line, place.chain))
    });
    operations.sort_by_key(|operation| operation.address);
    (list, operations)
}

/// The operand is a constant of the program, not a value per iteration.
fn is_constant(source: &dyn CodeSource, i: &Instruction) -> bool {
    let fixed = i.is_ip_rel_memory_operand()
        || i.memory_base() == Register::None && i.memory_index() == Register::None;
    fixed && i.segment_prefix() == Register::None && source.is_read_only(i.memory_displacement64())
}
