//! The static work of a basic block.

mod arithmetic;
mod memory;

use super::lanes::register_bits;
use super::mix::{CLASSES, Classes};
use super::operation::{Class, Operation};
use crate::facts::ElementType;
use crate::work::{BlockWork, Unit, VariableWork, Work, WorkMix};
use arithmetic::arithmetic;
use iced_x86::{Instruction, InstructionInfoFactory, Register};
use memory::{Per, transfer};

/// The work that one pass through a block does.
pub fn block_work(instructions: &[Instruction]) -> BlockWork {
    let mut factory = InstructionInfoFactory::new();
    let mut tally = Tally::default();
    let mut variable = Vec::new();
    for i in instructions {
        let operation = Operation::of(i);
        let mut moved = transfer(i, &operation, &mut factory);
        let done = arithmetic(i, &operation, register_bits(i));
        let overhead = operation.class == Class::Compare || i.op0_register() == Register::RSP;
        tally.instructions += 1;
        let classes = Classes::of(&operation, moved.loaded > 0, moved.stored > 0, overhead);
        for k in classes.iter() {
            tally.mix[k] += 1;
        }
        if !operation.vector && operation.is_arithmetic() && !operation.is_float() && !overhead {
            tally.integer += 1;
        }
        match moved.per {
            Per::Execution => {}
            Per::Repetition => {
                let each = Work {
                    bytes_loaded: moved.loaded.into(),
                    bytes_stored: moved.stored.into(),
                    ..Work::default()
                };
                variable.push(VariableWork {
                    unit: Unit::Repetitions,
                    address: i.ip(),
                    each,
                    most: Work::default(),
                });
                moved = memory::Transfer::default();
            }
            Per::Search => moved = memory::Transfer::default(),
        }
        tally.loaded += u64::from(moved.loaded);
        tally.stored += u64::from(moved.stored);
        tally.streamed += if moved.streamed { u64::from(moved.stored) } else { 0 };
        let flop = u64::from(done.flop);
        if let Some(element) = done.element {
            tally.flop[element as usize] += flop;
            tally.fma += if done.fma { flop } else { 0 };
            tally.packed += if done.packed { flop } else { 0 };
            tally.bound += if done.bound || i.has_op_mask() { flop } else { 0 };
        }
        let integer = u64::from(done.integer + done.untyped_bits / 32);
        tally.integer += integer;
        tally.packed_integer += if done.packed { integer } else { 0 };
    }
    BlockWork { fixed: tally.work(), variable }
}

/// Element types that FLOP are counted of; their order is that of [`ElementType`].
const FLOATS: [ElementType; 5] =
    [ElementType::F16, ElementType::Bf16, ElementType::F32, ElementType::F64, ElementType::F80];

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
    loaded: u64,
    stored: u64,
    streamed: u64,
    mix: [u64; CLASSES],
}

impl Tally {
    fn work(&self) -> Work {
        Work {
            instructions: self.instructions,
            flop: FLOATS.into_iter().zip(self.flop).filter(|f| f.1 > 0).collect(),
            fma_flop: self.fma,
            packed_flop: self.packed,
            bound_flop: self.bound,
            integer_operations: self.integer,
            packed_integer_operations: self.packed_integer,
            bytes_loaded: self.loaded,
            bytes_stored: self.stored,
            bytes_streamed: self.streamed,
            mix: WorkMix::of_counts(&self.mix),
        }
    }
}
