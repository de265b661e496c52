//! The rules: of each, `ID.md` is the prose and `ID.rs` the check.
//!
//! To add one: write both files, name the module here twice. The tests hold the four lists (pages, files, modules,
//! `ALL`) together.

use crate::rule::Rule;

pub mod affine_gather;
pub mod aliasing_4k;
pub mod all_pairs_search;
pub mod array_of_structures;
pub mod array_temporaries;
pub mod atomic_in_hot_loop;
pub mod bandwidth_bound;
pub mod below_compute_roof;
pub mod big_integers;
pub mod blocked_time;
pub mod carried_dependence;
pub mod checked_casts;
pub mod compared_bytes;
pub mod compared_keys;
pub mod complex_arithmetic_call;
pub mod conditional_work;
pub mod copied_data;
pub mod dispatch_per_element;
pub mod distant_reuse;
pub mod divide_by_invariant;
pub mod divide_or_root_bound;
pub mod elementwise_passes;
pub mod false_sharing;
pub mod float_width_conversion;
pub mod formatted_text;
pub mod gather_in_hot_loop;
pub mod halving_search;
pub mod hash_table;
pub mod hot_leaf;
pub mod hot_library;
pub mod hot_scalar_loop;
pub mod idiom_loop;
pub mod idle_lanes;
pub mod in_order_fp_sum;
pub mod independent_iterations;
pub mod integer_divide;
pub mod interpreter_time;
pub mod latency_bound_chain;
pub mod linear_search;
pub mod load_imbalance;
pub mod lock_contention;
pub mod long_loop_outside;
pub mod missing_instruction;
pub mod narrow_instruction_set;
pub mod narrow_library_kernels;
pub mod no_debug_lines;
pub mod no_fma;
pub mod ordered_container;
pub mod other_compiler_vectorises;
pub mod outer_loop_vectors;
pub mod overlapping_windows;
pub mod own_linear_algebra;
pub mod page_faults;
pub mod parsed_text;
pub mod pointer_chase;
pub mod query_order;
pub mod random_numbers;
pub mod rarely_run_code;
pub mod rebuild;
pub mod recursive_function;
pub mod reference_counts;
pub mod register_spills;
pub mod regular_expressions;
pub mod reloaded_invariant;
pub mod repeated_updates;
pub mod repeated_vector_calls;
pub mod row_stride;
pub mod rows_behind_pointers;
pub mod same_short_count;
pub mod scalar_math_call;
pub mod scalar_version_runs;
pub mod scattered_indices;
pub mod serial_hotspot;
pub mod shifted_sequence;
pub mod short_constant_trip;
pub mod short_trip_loop;
pub mod short_trip_remainder;
pub mod single_bits;
pub mod small_io;
pub mod small_parallel_region;
pub mod sort_time;
pub mod split_accesses;
pub mod split_recurrence;
pub mod table_walk;
pub mod tabulated_functions;
pub mod tests_in_loop;
pub mod text_search;
pub mod thrown_exceptions;
pub mod time_in_malloc;
pub mod tiny_callee;
pub mod tlb_reach;
pub mod transposed_walk;
pub mod unexplained_scalar_loop;
pub mod unfused_loops;
pub mod unobserved_dependence;
pub mod unoptimised_build;
pub mod write_allocate;

/// Every rule, in the order of the handbook.
pub static ALL: &[&Rule] = &[
    &unoptimised_build::RULE,
    &no_debug_lines::RULE,
    &interpreter_time::RULE,
    &hot_library::RULE,
    &narrow_library_kernels::RULE,
    &repeated_vector_calls::RULE,
    &own_linear_algebra::RULE,
    &hot_scalar_loop::RULE,
    &unexplained_scalar_loop::RULE,
    &tests_in_loop::RULE,
    &unobserved_dependence::RULE,
    &carried_dependence::RULE,
    &repeated_updates::RULE,
    &other_compiler_vectorises::RULE,
    &reloaded_invariant::RULE,
    &in_order_fp_sum::RULE,
    &short_constant_trip::RULE,
    &short_trip_loop::RULE,
    &same_short_count::RULE,
    &long_loop_outside::RULE,
    &scalar_version_runs::RULE,
    &scalar_math_call::RULE,
    &complex_arithmetic_call::RULE,
    &narrow_instruction_set::RULE,
    &missing_instruction::RULE,
    &short_trip_remainder::RULE,
    &array_of_structures::RULE,
    &row_stride::RULE,
    &transposed_walk::RULE,
    &rows_behind_pointers::RULE,
    &gather_in_hot_loop::RULE,
    &affine_gather::RULE,
    &scattered_indices::RULE,
    &split_accesses::RULE,
    &aliasing_4k::RULE,
    &no_fma::RULE,
    &float_width_conversion::RULE,
    &divide_by_invariant::RULE,
    &divide_or_root_bound::RULE,
    &integer_divide::RULE,
    &compared_bytes::RULE,
    &idiom_loop::RULE,
    &latency_bound_chain::RULE,
    &pointer_chase::RULE,
    &query_order::RULE,
    &linear_search::RULE,
    &halving_search::RULE,
    &table_walk::RULE,
    &single_bits::RULE,
    &outer_loop_vectors::RULE,
    &overlapping_windows::RULE,
    &dispatch_per_element::RULE,
    &all_pairs_search::RULE,
    &register_spills::RULE,
    &atomic_in_hot_loop::RULE,
    &time_in_malloc::RULE,
    &page_faults::RULE,
    &ordered_container::RULE,
    &hash_table::RULE,
    &shifted_sequence::RULE,
    &sort_time::RULE,
    &compared_keys::RULE,
    &copied_data::RULE,
    &array_temporaries::RULE,
    &parsed_text::RULE,
    &formatted_text::RULE,
    &tabulated_functions::RULE,
    &text_search::RULE,
    &regular_expressions::RULE,
    &random_numbers::RULE,
    &big_integers::RULE,
    &reference_counts::RULE,
    &checked_casts::RULE,
    &thrown_exceptions::RULE,
    &small_io::RULE,
    &hot_leaf::RULE,
    &recursive_function::RULE,
    &tiny_callee::RULE,
    &idle_lanes::RULE,
    &rarely_run_code::RULE,
    &conditional_work::RULE,
    &split_recurrence::RULE,
    &below_compute_roof::RULE,
    &bandwidth_bound::RULE,
    &distant_reuse::RULE,
    &tlb_reach::RULE,
    &write_allocate::RULE,
    &unfused_loops::RULE,
    &blocked_time::RULE,
    &lock_contention::RULE,
    &serial_hotspot::RULE,
    &independent_iterations::RULE,
    &load_imbalance::RULE,
    &elementwise_passes::RULE,
    &false_sharing::RULE,
    &small_parallel_region::RULE,
    &rebuild::RULE,
];

/// A rule by its id.
pub fn by_id(id: &str) -> Option<&'static Rule> {
    ALL.iter().copied().find(|r| r.id == id)
}

#[cfg(test)]
mod tests;
