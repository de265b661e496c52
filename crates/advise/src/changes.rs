//! Which rule recommends a change: recommendations, comparisons and cases name the change, and a rule may choose among several.
//!
//! A change that a compiler's reason leads to is a row of [`crate::remedies`] instead. A test of every recommendation that fires
//! holds the table complete.

use crate::remedies::REMEDIES;
use crate::rule::Rule;
use crate::rules::{
    self, affine_gather, aliasing_4k, array_temporaries, atomic_in_hot_loop, bandwidth_bound,
    below_compute_roof, big_integers, carried_dependence, checked_casts, compared_keys,
    complex_arithmetic_call, conditional_work, copied_data, dispatch_per_element, false_sharing,
    formatted_text, hash_table, hot_scalar_loop, idle_lanes, in_order_fp_sum, independent_iterations,
    latency_bound_chain, linear_search, load_imbalance, long_loop_outside, narrow_library_kernels,
    overlapping_windows, own_linear_algebra, page_faults, parsed_text, random_numbers, rarely_run_code,
    recursive_function, reference_counts, regular_expressions, repeated_updates, repeated_vector_calls,
    row_stride, rows_behind_pointers, same_short_count, scalar_math_call, scalar_version_runs,
    scattered_indices, serial_hotspot, short_trip_loop, single_bits, small_io, small_parallel_region,
    sort_time, split_accesses, tests_in_loop, text_search, thrown_exceptions, tiny_callee, tlb_reach,
    unfused_loops, unobserved_dependence, write_allocate,
};

/// Changes whose name is not that of their rule; where several rules recommend one, the rule that explains it best.
const CHANGES: &[(&str, &Rule)] = &[
    ("align-data", &split_accesses::RULE),
    ("assert-independence", &unobserved_dependence::RULE),
    ("avoid-copies", &copied_data::RULE),
    ("avoid-dynamic-cast", &checked_casts::RULE),
    ("avoid-exceptions", &thrown_exceptions::RULE),
    ("avoid-temporary-arrays", &array_temporaries::RULE),
    ("balance-work", &load_imbalance::RULE),
    ("batch-io", &small_io::RULE),
    ("batch-library-calls", &repeated_vector_calls::RULE),
    ("better-data-structure", &linear_search::RULE),
    ("block-for-cache", &bandwidth_bound::RULE),
    ("borrow-shared-objects", &reference_counts::RULE),
    ("branch-free-body", &tests_in_loop::RULE),
    ("break-recurrence", &carried_dependence::RULE),
    ("cheaper-hash", &hash_table::RULE),
    ("compact-keys", &compared_keys::RULE),
    ("compress-active-elements", &conditional_work::RULE),
    ("constant-trip-count", &same_short_count::RULE),
    ("cut-recursion", &recursive_function::RULE),
    ("dispatch-per-block", &dispatch_per_element::RULE),
    ("faster-random", &random_numbers::RULE),
    ("fewer-instructions", &below_compute_roof::RULE),
    ("flatten-rows", &rows_behind_pointers::RULE),
    ("format-into-buffer", &formatted_text::RULE),
    ("fuse-loops", &unfused_loops::RULE),
    ("huge-pages", &tlb_reach::RULE),
    ("inline-call", &tiny_callee::RULE),
    ("interchange-loops", &row_stride::RULE),
    ("keep-freed-memory", &page_faults::RULE),
    ("larger-parallel-regions", &small_parallel_region::RULE),
    ("long-loop-inside", &long_loop_outside::RULE),
    ("lookup-table", &single_bits::RULE),
    ("memoise", &recursive_function::RULE),
    ("more-accumulators", &latency_bound_chain::RULE),
    ("multi-pattern-search", &text_search::RULE),
    ("non-temporal-stores", &write_allocate::RULE),
    ("overlap-waits", &below_compute_roof::RULE),
    ("pad-short-loop", &short_trip_loop::RULE),
    ("parallelise-loop", &independent_iterations::RULE),
    ("parallelise-outer-loop", &serial_hotspot::RULE),
    ("parse-in-place", &parsed_text::RULE),
    ("place-threads-and-data", &load_imbalance::RULE),
    ("plain-complex-arithmetic", &complex_arithmetic_call::RULE),
    ("plain-loads", &affine_gather::RULE),
    ("private-copies", &repeated_updates::RULE),
    ("privatise-atomic", &atomic_in_hot_loop::RULE),
    ("promise-no-alias", &unobserved_dependence::RULE),
    ("radix-sort", &sort_time::RULE),
    ("reorder-fp-sum", &in_order_fp_sum::RULE),
    ("reorder-indices", &scattered_indices::RULE),
    ("replace-regex", &regular_expressions::RULE),
    ("reuse-partial-results", &overlapping_windows::RULE),
    ("run-vector-version", &scalar_version_runs::RULE),
    ("separate-cache-lines", &false_sharing::RULE),
    ("share-out-loop", &load_imbalance::RULE),
    ("shift-arrays", &aliasing_4k::RULE),
    ("simd-safelen", &carried_dependence::RULE),
    ("smaller-integers", &big_integers::RULE),
    ("split-rare-iterations", &rarely_run_code::RULE),
    ("use-tuned-library", &own_linear_algebra::RULE),
    ("use-wider-kernels", &narrow_library_kernels::RULE),
    ("vector-math-library", &scalar_math_call::RULE),
    ("vectorise-rest", &idle_lanes::RULE),
];

/// The rule that recommends a change, which may have its name.
pub fn rule_of(change: &str) -> Option<&'static Rule> {
    let named = || CHANGES.iter().find(|(name, _)| *name == change).map(|(_, rule)| *rule);
    let of_a_reason = || REMEDIES.iter().any(|row| row.id == change).then_some(&hot_scalar_loop::RULE);
    rules::by_id(change).or_else(named).or_else(of_a_reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_lead_to_their_rules() {
        assert!(CHANGES.is_sorted_by_key(|(name, _)| *name));
        assert_eq!(rule_of("pad-short-loop").unwrap().id, "short-trip-loop");
        assert_eq!(rule_of("check-dependence").unwrap().id, "hot-scalar-loop");
        assert_eq!(rule_of("no-fma").unwrap().id, "no-fma");
        assert!(rule_of("make-it-fast").is_none());
    }
}
