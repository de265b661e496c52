//! Which case of the casebook shows a recommendation followed: the first in the book whose stages name it.
//!
//! A test of the command holds this table to the cases' own descriptions.

/// Recommendation and case, by recommendation.
pub const CASES: &[(&str, &str)] = &[
    ("align-data", "streaming-stores"),
    ("all-pairs-search", "wall-distance"),
    ("array-of-structures", "lbm-equilibrium"),
    ("assert-independence", "lbm-equilibrium"),
    ("batch-library-calls", "monte-carlo"),
    ("block-for-cache", "stencil-blocking"),
    ("branch-free-body", "neural-cells"),
    ("constant-trip-count", "lbm-solver"),
    ("divide-by-invariant", "neural-cells"),
    ("divide-or-root-bound", "neural-cells"),
    ("flatten-rows", "neural-cells"),
    ("inline-call", "call-in-loop"),
    ("interchange-loops", "matmul"),
    ("keep-freed-memory", "fresh-arrays"),
    ("long-loop-inside", "nested-loops"),
    ("narrow-instruction-set", "lbm-equilibrium"),
    ("no-math-errno", "neural-cells"),
    ("non-temporal-stores", "streaming-stores"),
    ("optimise-for-vectors", "pointer-aliasing"),
    ("pad-short-loop", "lbm-equilibrium"),
    ("parallelise-loop", "hotspots"),
    ("parallelise-outer-loop", "hotspots"),
    ("promise-no-alias", "lbm-equilibrium"),
    ("reorder-fp-sum", "lbm-solver"),
    ("shift-arrays", "streaming-stores"),
    ("short-trip-remainder", "lbm-equilibrium"),
    ("split-rare-iterations", "boundary-ifs"),
    ("unexplained-scalar-loop", "neural-cells"),
    ("unoptimised-build", "hotspots"),
    ("use-tuned-library", "matmul"),
    ("use-wider-kernels", "linpack-levels"),
];

/// The case that shows what comes of a recommendation.
pub fn of(recommendation: &str) -> Option<&'static str> {
    CASES.iter().find(|(id, _)| *id == recommendation).map(|(_, case)| *case)
}
