//! The classes of the instruction mix that one instruction counts in: one definition for the mix of a loop's
//! code ([`InstructionMix`]) and for that of executed instructions ([`WorkMix`](crate::work::WorkMix)).

use super::operation::{Class, Operation};
use crate::facts::InstructionMix;

/// Number of classes.
pub const CLASSES: usize = 15;

/// A set of classes: bit `k` is class `k` in the order of the fields of the mixes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Classes(u16);

const FP_SCALAR: u16 = 1 << 0;
const FP_VECTOR: u16 = 1 << 1;
const INT_VECTOR: u16 = 1 << 2;
const INTEGER: u16 = 1 << 3;
const LOAD: u16 = 1 << 4;
const STORE: u16 = 1 << 5;
const BRANCH: u16 = 1 << 6;
const CALL: u16 = 1 << 7;
const SHUFFLE: u16 = 1 << 8;
const CONVERSION: u16 = 1 << 9;
const DIVIDE: u16 = 1 << 10;
const SQUARE_ROOT: u16 = 1 << 11;
const FMA: u16 = 1 << 12;
const MOVES: u16 = 1 << 13;
const OTHER: u16 = 1 << 14;

impl Classes {
    /// Number of the class of scalar integer work.
    pub const INTEGER: usize = INTEGER.trailing_zeros() as usize;

    /// The classes of an operation that loads or stores. An instruction counts in one class by what it does,
    /// besides once as a load and once as a store. `overhead` marks scalar integer operations that form
    /// addresses or control the loop.
    pub fn of(operation: &Operation, load: bool, store: bool, overhead: bool) -> Self {
        let mut set = 0;
        if load {
            set |= LOAD;
        }
        if store {
            set |= STORE;
        }
        set |= match operation.class {
            Class::Branch | Class::Return => BRANCH,
            Class::Call => CALL,
            Class::Divide => DIVIDE,
            Class::SquareRoot => SQUARE_ROOT,
            Class::Fma => FMA,
            Class::Convert => CONVERSION,
            Class::Shuffle
            | Class::Broadcast
            | Class::Insert
            | Class::Extract
            | Class::Blend
            | Class::Compress
            | Class::Expand => SHUFFLE,
            Class::Move => MOVES,
            Class::Nop
            | Class::Other
            | Class::StringOp
            | Class::Prefetch
            | Class::Stack
            | Class::Mask
            | Class::Crypto => OTHER,
            _ => 0,
        };
        if operation.is_arithmetic() {
            set |= if operation.is_float() {
                if operation.packed { FP_VECTOR } else { FP_SCALAR }
            } else if operation.vector {
                INT_VECTOR
            } else if !overhead {
                INTEGER
            } else {
                0
            };
        }
        Self(set)
    }

    /// Numbers of the classes in the set.
    pub fn iter(self) -> impl Iterator<Item = usize> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let lowest = rest.trailing_zeros() as usize;
            rest &= rest.wrapping_sub(1);
            (lowest < CLASSES).then_some(lowest)
        })
    }
}

/// Adds one instruction to the mix of a loop.
pub fn add(mix: &mut InstructionMix, classes: Classes) {
    let counters = [
        &mut mix.fp_scalar,
        &mut mix.fp_vector,
        &mut mix.int_vector,
        &mut mix.integer,
        &mut mix.load,
        &mut mix.store,
        &mut mix.branch,
        &mut mix.call,
        &mut mix.shuffle,
        &mut mix.conversion,
        &mut mix.divide,
        &mut mix.square_root,
        &mut mix.fma,
        &mut mix.moves,
        &mut mix.other,
    ];
    for (k, counter) in counters.into_iter().enumerate() {
        *counter += u32::from(classes.0 >> k & 1);
    }
}
