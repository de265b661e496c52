//! Values that are carried from iteration to iteration: sums, scans, searches for an extreme.

use crate::reasons::row::Prover::{Clang, Gcc};
use crate::reasons::row::{Example, Reason, Remedy};

pub(super) const ROWS: &[Reason] = &[
    Reason {
        id: "fp-reduction-order",
        title: "a floating-point sum must keep its order",
        gcc: &[
            "in-order reduction chain without SLP",
            "in-order unchained SLP reductions not supported",
            "in-order double reduction not supported",
        ],
        gcc_hints: &["using an in-order (fold-left) reduction"],
        clang: &["cannot prove it is safe to reorder floating-point operations", "unsafe FP support"],
        clang_names: &["CantReorderFPOps", "UnsafeFP"],
        intel: &[15331],
        intel_text: &["reduction: floating point"],
        rank: 92,
        meaning: "Floating-point addition is not associative. Several lanes would each hold a part of the sum and add \
                  them at the end, in another order than written, and the last digits might change. Without permission \
                  the compiler keeps the order. GCC then still reports the loop as vectorised, but its additions run \
                  one after the other.",
        cost: "One addition per 4 cycles or so (its latency) instead of several vectors per cycle: often 8 to 30 times \
               slower while the data are in cache.",
        c: Example {
            bad: "double sum(const double *a, int n) {\n    double s = 0.0;\n    for (int i = 0; i < n; i++)\n        s += a[i];\n    return s;\n}\n",
            mended: "double sum(const double *a, int n) {\n    double s = 0.0;\n#pragma omp simd reduction(+ : s)\n    for (int i = 0; i < n; i++)\n        s += a[i];\n    return s;\n}\n",
            mended_flags: &["-fopenmp-simd"],
            proves_bad: &[Clang],
            proves_mended: &[Gcc, Clang],
            unproven: "GCC keeps the order and reports the loop as vectorised, without a word.",
            ..Example::BLANK
        },
        fortran: Example {
            bad: "function total(a, n) result(s)\n  integer :: n, i\n  real(8) :: a(n), s\n  s = 0\n  do i = 1, n\n    s = s + a(i)\n  end do\nend function\n",
            mended: "function total(a, n) result(s)\n  integer :: n, i\n  real(8) :: a(n), s\n  s = 0\n  !$omp simd reduction(+:s)\n  do i = 1, n\n    s = s + a(i)\n  end do\nend function\n",
            mended_flags: &["-fopenmp-simd"],
            proves_mended: &[Gcc],
            unproven: "gfortran keeps the order and reports the loop as vectorised.",
            ..Example::BLANK
        },
        remedies: &[
            Remedy {
                by: "source",
                what: "`#pragma omp simd reduction(+:s)` with `-fopenmp-simd`: permission for this loop alone.",
            },
            Remedy {
                by: "any",
                what: "`-fassociative-math -fno-signed-zeros -fno-trapping-math` (parts of `-ffast-math`) for one file.",
            },
            Remedy {
                by: "source",
                what: "Four or more partial sums by hand, when the order must be under your control.",
            },
            Remedy { by: "intel", what: "`-fp-model fast=1` (its default) instead of `precise`." },
        ],
        caveats: "Results differ in the last digits, usually for the better (several partial sums err less), but are no longer \
                  equal to those of the old build.",
        ..Reason::BLANK
    },
    Reason {
        id: "recurrence",
        title: "a running value is used inside the loop (scan, recurrence)",
        gcc: &["PHI node with unvectorized backedge def"],
        gcc_hints: &["not vectorized: unsupported use in stmt"],
        clang: &[
            "value that could not be identified as reduction is used outside the loop",
            "value not identified as reduction is used outside the loop",
        ],
        clang_names: &["NonReductionValueUsedOutsideLoop"],
        intel: &[15571],
        rank: 84,
        meaning: "Each iteration updates a value and uses its intermediate state (a prefix sum, a linear recurrence, a \
                  random generator). That is not a plain reduction: every lane would need the result of the lane before.",
        cost: "The loop runs at the latency of the chain.",
        c: Example {
            bad: "/* m recurrences, one per column. */\nvoid scan(double *restrict s, double *restrict out, const double *restrict in, int n, int m) {\n    for (int j = 0; j < m; j++)\n        for (int i = 0; i < n; i++) {\n            s[j] = s[j] * 0.5 + in[i * m + j];\n            out[i * m + j] = s[j];\n        }\n}\n",
            mended: "/* The columns are independent of each other: with the loops exchanged, the vector runs across them. */\nvoid scan(double *restrict s, double *restrict out, const double *restrict in, int n, int m) {\n    for (int i = 0; i < n; i++)\n        for (int j = 0; j < m; j++) {\n            s[j] = s[j] * 0.5 + in[i * m + j];\n            out[i * m + j] = s[j];\n        }\n}\n",
            proves_bad: &[Gcc, Clang],
            proves_mended: &[Gcc, Clang],
            ..Example::BLANK
        },
        fortran: Example {
            bad: "! m recurrences, one per row.\nsubroutine scan(s, res, a, n, m)\n  integer :: n, m, i, j\n  real(8) :: s(m), res(m, n), a(m, n)\n  do j = 1, m\n    do i = 1, n\n      s(j) = s(j) * 0.5d0 + a(j, i)\n      res(j, i) = s(j)\n    end do\n  end do\nend subroutine\n",
            mended: "! The rows are independent of each other: with the loops exchanged, the vector runs across them.\nsubroutine scan(s, res, a, n, m)\n  integer :: n, m, i, j\n  real(8) :: s(m), res(m, n), a(m, n)\n  do i = 1, n\n    do j = 1, m\n      s(j) = s(j) * 0.5d0 + a(j, i)\n      res(j, i) = s(j)\n    end do\n  end do\nend subroutine\n",
            proves_bad: &[Gcc],
            proves_mended: &[Gcc],
            ..Example::BLANK
        },
        remedies: &[
            Remedy {
                by: "source",
                what: "A sum that is stored at every step: `#pragma omp simd reduction(inscan,+:s)` with `#pragma omp scan inclusive(s)`.",
            },
            Remedy {
                by: "source",
                what: "Blocked scan: sums of blocks first (vectorised), then the blocks with their offsets.",
            },
            Remedy {
                by: "source",
                what: "Run several independent recurrences side by side, the vector across them.",
            },
        ],
        caveats: "A blocked scan does about twice the additions, and pays from some thousand elements on.",
        ..Reason::BLANK
    },
    Reason {
        id: "live-out-value",
        title: "a value found under a condition is needed after the loop",
        gcc: &["not vectorized: live stmt not supported"],
        gcc_hints: &["reduction: condition depends on previous iteration"],
        intel: &[15572, 15038],
        intel_text: &["conditional assignment to a scalar"],
        rank: 85,
        meaning: "The loop remembers something when a condition holds (the place of the maximum, the last hit) and the \
                  code after the loop needs it. The lanes would find different values, and the compiler does not see how \
                  to choose among them.",
        cost: "Scalar loop with a branch or a conditional move that waits for the one before.",
        c: Example {
            bad: "int where_max(const double *a, int n) {\n    double best = a[0];\n    int where = 0;\n    for (int i = 1; i < n; i++)\n        if (a[i] > best) {\n            best = a[i];\n            where = i;\n        }\n    return where;\n}\n",
            mended: "/* Two passes: the value first, then its place. No element is a NaN. */\nint where_max(const double *a, int n) {\n    double best = a[0];\n    for (int i = 1; i < n; i++)\n        best = a[i] > best ? a[i] : best;\n    int where = 0;\n    while (where + 1 < n && a[where] != best)\n        where++;\n    return where;\n}\n",
            mended_flags: &["-ffinite-math-only", "-fno-signed-zeros"],
            proves_mended: &[Gcc, Clang],
            unproven: "GCC and clang use the same words as for a recurrence.",
            ..Example::BLANK
        },
        fortran: Example {
            bad: "function where_max(a, n) result(w)\n  integer :: n, i, w\n  real(8) :: a(n), best\n  best = a(1)\n  w = 1\n  do i = 2, n\n    if (a(i) > best) then\n      best = a(i)\n      w = i\n    end if\n  end do\nend function\n",
            mended: "! Two passes: the value first, then its place. No element is a NaN.\nfunction where_max(a, n) result(w)\n  integer :: n, i, w\n  real(8) :: a(n), best\n  best = a(1)\n  do i = 2, n\n    best = max(best, a(i))\n  end do\n  do w = 1, n - 1\n    if (a(w) == best) exit\n  end do\nend function\n",
            mended_flags: &["-ffinite-math-only", "-fno-signed-zeros"],
            proves_mended: &[Gcc],
            unproven: "gfortran uses the same words as for a recurrence.",
            ..Example::BLANK
        },
        remedies: &[
            Remedy {
                by: "source",
                what: "Two passes: a reduction for the value, then a search for its place.",
            },
            Remedy {
                by: "source",
                what: "Keep a best value and a place per lane (arrays of 8), combine after the loop.",
            },
            Remedy {
                by: "any",
                what: "`-ffinite-math-only -fno-signed-zeros` let minimum and maximum be single instructions.",
            },
        ],
        caveats: "With NaN among the data the rewritten loop may choose another element.",
        ..Reason::BLANK
    },
    Reason {
        id: "reduction-operator",
        title: "the way the value is accumulated is not one the vectoriser knows",
        gcc: &[
            "reduction chain includes unsupported statement type",
            "reduction: not commutative/associative",
            "multiple types in double reduction",
            "reduction chain broken by patterns",
            "loop count not known, cannot create cond reduction",
            "lane-reducing reduction with extra stmts",
        ],
        gcc_hints: &[
            "reduction: unknown pattern",
            "reduction: unhandled reduction operation",
            "reduction: not handled operation",
        ],
        clang: &["Recurrence descriptor", "the reduction operations found in this loop"],
        intel: &[15330, 15538],
        intel_text: &["unsupported reduction"],
        rank: 96,
        meaning: "The carried value is updated by something else than one addition, multiplication, minimum, maximum or \
                  bitwise operation, or is read in between, so that it cannot be split over lanes.",
        cost: "The loop runs at the latency of the update.",
        c: Example {
            bad: "float alternate(const float *a, int n) {\n    float s = 0.0f;\n    for (int i = 0; i < n; i++)\n        s = a[i] - s;\n    return s;\n}\n",
            mended: "/* The same value with the sign moved to the elements; it rounds differently. */\nfloat alternate(const float *a, int n) {\n    float s = 0.0f;\n    for (int i = 0; i + 1 < n; i += 2)\n        s += a[i + 1] - a[i];\n    return n > 0 && n % 2 == 1 ? a[n - 1] - s : s;\n}\n",
            mended_flags: &["-ffast-math"],
            proves_bad: &[Gcc],
            proves_mended: &[Gcc, Clang],
            unproven: "clang uses the same words as for a recurrence.",
            ..Example::BLANK
        },
        fortran: Example {
            bad: "function alternate(a, n) result(s)\n  integer :: n, i\n  real(4) :: a(n), s\n  s = 0\n  do i = 1, n\n    s = a(i) - s\n  end do\nend function\n",
            mended: "! The same value with the sign moved to the elements; it rounds differently.\nfunction alternate(a, n) result(s)\n  integer :: n, i\n  real(4) :: a(n), s\n  s = 0\n  do i = 1, n - 1, 2\n    s = s + (a(i+1) - a(i))\n  end do\n  if (mod(n, 2) == 1) s = a(n) - s\nend function\n",
            mended_flags: &["-ffast-math"],
            proves_bad: &[Gcc],
            proves_mended: &[Gcc],
            ..Example::BLANK
        },
        remedies: &[
            Remedy {
                by: "source",
                what: "Write it as a sum, product, minimum or maximum; split a statement that updates two values.",
            },
            Remedy {
                by: "source",
                what: "`#pragma omp declare reduction` for an operation of your own, with `#pragma omp simd reduction`.",
            },
        ],
        caveats: "A rewritten floating-point update rounds differently.",
        ..Reason::BLANK
    },
];
