//! Typical latencies in cycles.
//!
//! Rounded values that current cores share (Intel Ice Lake to Golden Cove, AMD Zen 3 and 4), after
//! the measurements of <https://uops.info> and Agner Fog's "Instruction tables"
//! (<https://www.agner.org/optimize/>). They serve to compare a loop's dependence chain with its
//! throughput, for which a cycle more or less does not change the verdict; they model neither
//! forwarding delays between domains nor denormal operands.

use super::operation::{Class, Operation};
use crate::facts::ElementType;

/// Load from the first-level cache into a general register.
pub const LOAD: u32 = 5;
/// Load into a vector register.
pub const VECTOR_LOAD: u32 = 6;
/// A store and the load that receives its data through the store buffer.
pub const STORE_FORWARD: u32 = 5;

/// Floating-point addition, multiplication and both fused.
pub const ARITHMETIC: u32 = 4;

/// Floating-point division.
pub fn division(element: ElementType) -> u32 {
    if element == ElementType::F64 { 13 } else { 11 }
}

/// Floating-point square root.
pub fn square_root(element: ElementType) -> u32 {
    if element == ElementType::F64 { 18 } else { 13 }
}

/// Latency from an operation's register inputs to its result.
pub fn of(operation: &Operation) -> u32 {
    match operation.element {
        Some(ElementType::F80) => x87(operation.class),
        Some(e) if e.is_float() => floating_point(operation.class, e, operation.packed),
        _ if operation.vector => vector_integer(operation),
        _ => general(operation),
    }
}

fn floating_point(class: Class, element: ElementType, packed: bool) -> u32 {
    match class {
        Class::Add | Class::Multiply | Class::Fma => ARITHMETIC,
        Class::Divide => division(element),
        Class::SquareRoot => square_root(element),
        Class::MinMax => 3,
        Class::Compare => 4,
        Class::Reciprocal => 4,
        Class::Horizontal => {
            if packed {
                7
            } else {
                4
            }
        }
        Class::Unary => 8,
        Class::Convert => 5,
        Class::Logic | Class::Move | Class::Blend => 1,
        Class::Gather => 20,
        _ => 1,
    }
}

fn vector_integer(operation: &Operation) -> u32 {
    match operation.class {
        Class::Multiply if operation.element == Some(ElementType::I32) => 8,
        Class::Multiply => 5,
        Class::Fma => 5,
        Class::Horizontal | Class::Insert => 3,
        Class::Extract | Class::Convert | Class::Compress | Class::Expand => 3,
        Class::Broadcast => 3,
        Class::Crypto => 4,
        Class::Gather => 20,
        _ => 1,
    }
}

fn general(operation: &Operation) -> u32 {
    match operation.class {
        Class::Multiply => 3,
        Class::Divide => {
            if operation.element == Some(ElementType::I64) {
                18
            } else {
                12
            }
        }
        Class::Unary => 2,
        Class::Crypto => 3,
        Class::Mask => 2,
        _ => 1,
    }
}

fn x87(class: Class) -> u32 {
    match class {
        Class::Add | Class::Multiply => 5,
        Class::Divide => 15,
        Class::SquareRoot => 21,
        Class::Unary => 50,
        Class::Compare => 3,
        _ => 1,
    }
}
