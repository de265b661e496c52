//! The static work of a basic block: what one execution of it does.
//!
//! Everything is decided inside the block, so that a block's work is the same wherever the block occurs:
//! `memory` counts bytes, `arithmetic` operations, `live` follows how much of the vector registers is in use,
//! `mask` groups what runs under opmasks, `data` separates scalar integer work from addresses and loop
//! control. How often blocks run, and what masks held, is counted by the tool that instruments the program.

mod arithmetic;
mod data;
mod live;
mod mask;
mod memory;
pub mod places;
#[cfg(test)]
mod tests;

pub use memory::{bypasses_caches, gathered_lanes, touches_nothing};

use super::lanes::register_bits;
use super::mix::{CLASSES, Classes};
use super::operation::{Class, Operation};
use crate::facts::ElementType;
use crate::work::{BlockWork, Unit, VariableWork, Work, WorkMix};
use arithmetic::{Arithmetic, arithmetic};
use data::Walk;
use iced_x86::{Instruction, InstructionInfoFactory, InstructionInfoOptions};
use live::Live;
use mask::Masks;
use memory::{Per, Transfer, transfer};
use std::cell::RefCell;

/// The work that one execution of a basic block does; `instructions` are in execution order.
///
/// Definitions, beyond those of [`Work`]:
///
/// - **FLOP** of packed instructions count the elements that the block shows to be in use (two floats
///   loaded by `movlps` are two), else all lanes as encoded. The dot products of bf16 count as operations on
///   bf16, x87 as operations on 80-bit numbers, whatever its precision control says. Approximate
///   reciprocals count one. Signs and selections by bitwise logic count none.
/// - **Integer operations** of vectors count one per element; bitwise logic, which names no element, takes
///   that of the block's other packed integer operations (the most frequent; 32 bits if there is none);
///   cryptographic instructions one per 128 bits. Constants made by `pxor x, x` or `pcmpeq x, x` count none.
///   Scalar operations of general registers count where their results are data: not those on the stack
///   pointer, not those whose results only form addresses within the block, not the constant steps of registers
///   and named variables (`i++`) that are not used as data, and of the comparisons only those whose result
///   is data (`set`, `cmov`) or that compare elements loaded or values computed in the block.
/// - **Bytes** include the stack (`push`, `pop`, `call`, `ret`), for a broadcast one element, for a gather or
///   scatter its elements. `xsave` and its family count the least that they move, the 576 bytes of legacy
///   area and header.
/// - **Masks in opmask registers** are variable work. Masks in vector registers (`vmaskmov`, the gathers of AVX2,
///   `maskmovdqu`) cannot be counted: their bytes are those of all lanes, an upper bound.
/// - **Repetitions**: `rep movs`, `stos` and `lods` are variable work; `repe cmps` and `repne scas`, which end
///   early, count as instructions only: what they load is not known beforehand.
/// - **Matrix tiles** (AMX) count as if they were full, 16 rows of 64 bytes; their FLOP are in
///   [`Work::bound_flop`].
pub fn block_work(instructions: &[Instruction]) -> BlockWork {
    thread_local! {
        /// Buffers, reused because this runs over every block of a program.
        static COUNTER: RefCell<Counter> = RefCell::new(Counter::new());
    }
    COUNTER.with_borrow_mut(|counter| counter.count(instructions))
}

/// Sums up a block.
struct Counter {
    factory: InstructionInfoFactory,
    walk: Walk,
    groups: Vec<Group>,
}

/// Masked operations under one value of a mask register.
struct Group {
    register: u8,
    version: u32,
    lanes: u8,
    address: u64,
    /// Work per lane.
    tally: Tally,
}

/// State while a block is walked.
#[derive(Default)]
struct State {
    live: Live,
    masks: Masks,
    fixed: Tally,
    repeated: Vec<VariableWork>,
}

impl Counter {
    fn new() -> Self {
        Self { factory: InstructionInfoFactory::new(), walk: Walk::default(), groups: Vec::new() }
    }

    fn count(&mut self, instructions: &[Instruction]) -> BlockWork {
        self.walk.start();
        self.groups.clear();
        let mut state = State::default();
        for i in instructions {
            self.add(i, &mut state);
        }
        let State { mut fixed, repeated, .. } = state;
        let scalar = self.walk.count();
        fixed.integer += scalar;
        fixed.mix[Classes::INTEGER] += scalar;
        let mut variable: Vec<VariableWork> = self.groups.iter().map(Group::work).collect();
        variable.extend(repeated);
        variable.sort_by_key(|v| v.address);
        BlockWork { fixed: fixed.work(), variable }
    }

    fn add(&mut self, i: &Instruction, state: &mut State) {
        let operation = Operation::of(i);
        let info = self.factory.info_options(i, InstructionInfoOptions::NO_REGISTER_USAGE);
        let moved = transfer(i, &operation, info);
        let fixed = &mut state.fixed;
        fixed.instructions += 1;
        // Scalar integers are added when the whole block is known.
        let classes = Classes::of(&operation, moved.loaded > 0, moved.stored > 0, true);
        for k in classes.iter() {
            fixed.mix[k] += 1;
        }
        let bits = if operation.vector {
            state.live.follow(i, &operation, info)
        } else {
            state.live.overwrite(i);
            0
        };
        self.walk.follow(i, &operation, info);
        match moved.per {
            Per::Search => {}
            Per::Repetition => state.repeated.push(repeated(i, &moved)),
            Per::Execution => match mask::mask_of(i) {
                Some(register) => self.add_masked(i, &operation, register, &moved, state),
                None => {
                    state.fixed.moves(&moved);
                    state.fixed.computes(&arithmetic(i, &operation, bits));
                }
            },
        }
        if operation.class == Class::Call {
            state.live.forget();
        }
        state.masks.follow(i, &operation);
    }

    fn add_masked(
        &mut self,
        i: &Instruction,
        operation: &Operation,
        register: u8,
        moved: &Transfer,
        state: &mut State,
    ) {
        let encoded = register_bits(i);
        let done = arithmetic(i, operation, encoded);
        let lanes = mask::mask_lanes(i, operation, encoded).filter(|&n| done.divides_by(n.into()));
        let Some(lanes) = lanes.filter(|&n| !state.masks.all_set(register, n)) else {
            state.fixed.moves(moved);
            state.fixed.computes(&done);
            // Without lanes to count, this is an upper bound.
            if lanes.is_none() {
                state.fixed.bound += u64::from(done.flop);
            }
            return;
        };
        let (mut by_lane, mut whole) = (Transfer::default(), *moved);
        if mask::moves_by_lane(i, operation, lanes, moved.loaded.max(moved.stored)) {
            (by_lane, whole) = (moved.share(lanes.into()), Transfer::default());
        }
        state.fixed.moves(&whole);
        let each = done.share(lanes.into());
        if by_lane == Transfer::default() && each.is_nothing() {
            return;
        }
        let version = state.masks.version(register);
        let same = |g: &&mut Group| (g.register, g.lanes, g.version) == (register, lanes, version);
        if let Some(group) = self.groups.iter_mut().rev().find(same) {
            group.tally.moves(&by_lane);
            group.tally.computes(&each);
            return;
        }
        let mut tally = Tally::default();
        tally.moves(&by_lane);
        tally.computes(&each);
        self.groups.push(Group { register, version, lanes, address: i.ip(), tally });
    }
}

/// One repetition of a string instruction.
fn repeated(i: &Instruction, moved: &Transfer) -> VariableWork {
    let mut tally = Tally::default();
    tally.moves(moved);
    VariableWork { unit: Unit::Repetitions, address: i.ip(), each: tally.work(), most: Work::default() }
}

impl Group {
    fn work(&self) -> VariableWork {
        let each = self.tally.work();
        let mut most = Work::default();
        most.add_times(&each, self.lanes.into());
        most.bound_flop = most.total_flop();
        let unit = Unit::MaskBits { register: self.register, lanes: self.lanes };
        VariableWork { unit, address: self.address, each, most }
    }
}

/// Element types whose FLOP are counted, in the order of [`ElementType`].
const FLOATS: [ElementType; 5] =
    [ElementType::F16, ElementType::Bf16, ElementType::F32, ElementType::F64, ElementType::F80];

/// Integer element types from which bitwise logic may take its width.
const INTEGERS: [(ElementType, u64); 4] =
    [(ElementType::I8, 8), (ElementType::I16, 16), (ElementType::I32, 32), (ElementType::I64, 64)];

/// Sums while a block is walked; [`Work`] holds a map, which would be slow here.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    instructions: u64,
    flop: [u64; FLOATS.len()],
    fma: u64,
    packed: u64,
    bound: u64,
    integer: u64,
    packed_integer: u64,
    /// Packed integer instructions by element type.
    elements: [u64; INTEGERS.len()],
    /// Bits of bitwise logic whose element type is not known.
    untyped_bits: u64,
    loaded: u64,
    stored: u64,
    streamed: u64,
    mix: [u64; CLASSES],
}

impl Tally {
    fn moves(&mut self, moved: &Transfer) {
        self.loaded += u64::from(moved.loaded);
        self.stored += u64::from(moved.stored);
        self.streamed += if moved.streamed { u64::from(moved.stored) } else { 0 };
    }

    fn computes(&mut self, done: &Arithmetic) {
        let flop = u64::from(done.flop);
        if let Some(k) = done.element.and_then(|e| FLOATS.iter().position(|f| *f == e))
            && flop > 0
        {
            self.flop[k] += flop;
            self.fma += if done.fma { flop } else { 0 };
            self.packed += if done.packed { flop } else { 0 };
            self.bound += if done.bound { flop } else { 0 };
        }
        let integer = u64::from(done.integer);
        self.integer += integer;
        self.packed_integer += if done.packed { integer } else { 0 };
        self.untyped_bits += u64::from(done.untyped_bits);
        if integer > 0
            && let Some(k) = INTEGERS.iter().position(|t| Some(t.0) == done.element)
        {
            self.elements[k] += 1;
        }
    }

    /// The width that bitwise logic works on: of the most frequent element type, the narrower of equals.
    fn logic_width(&self) -> u64 {
        let most = self.elements.iter().max().copied().unwrap_or(0);
        let typed = self.elements.iter().zip(INTEGERS).find(|(n, _)| **n == most && most > 0);
        typed.map_or(32, |(_, integer)| integer.1)
    }

    fn work(&self) -> Work {
        let logic = self.untyped_bits / self.logic_width();
        Work {
            instructions: self.instructions,
            flop: FLOATS.into_iter().zip(self.flop).filter(|f| f.1 > 0).collect(),
            fma_flop: self.fma,
            packed_flop: self.packed,
            bound_flop: self.bound,
            integer_operations: self.integer + logic,
            packed_integer_operations: self.packed_integer + logic,
            bytes_loaded: self.loaded,
            bytes_stored: self.stored,
            bytes_streamed: self.streamed,
            mix: WorkMix::of_counts(&self.mix),
        }
    }
}
