//! The rules, one file each.
//!
//! To add one: write the file with a `RULE`, name it here twice. The tests hold the three lists (files,
//! modules, `ALL`) together, so that none can be forgotten.

use crate::rule::Rule;

pub mod array_of_structures;
pub mod float_width_conversion;
pub mod idiom_loop;
pub mod in_order_fp_sum;
pub mod narrow_instruction_set;
pub mod no_fma;
pub mod scalar_math_call;
pub mod short_constant_trip;
pub mod short_trip_remainder;
pub mod unexplained_scalar_loop;
pub mod unoptimised_build;

/// Every rule, in the order of the handbook.
pub static ALL: &[&Rule] = &[
    &unoptimised_build::RULE,
    &unexplained_scalar_loop::RULE,
    &in_order_fp_sum::RULE,
    &short_constant_trip::RULE,
    &scalar_math_call::RULE,
    &narrow_instruction_set::RULE,
    &short_trip_remainder::RULE,
    &array_of_structures::RULE,
    &no_fma::RULE,
    &float_width_conversion::RULE,
    &idiom_loop::RULE,
];

/// A rule by its id.
pub fn by_id(id: &str) -> Option<&'static Rule> {
    ALL.iter().copied().find(|r| r.id == id)
}

#[cfg(test)]
mod tests;
