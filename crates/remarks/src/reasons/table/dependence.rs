//! Iterations that depend on each other, or might.

use crate::reasons::row::Prover::{Clang, Gcc};
use crate::reasons::row::{Example, Reason, Remedy};

pub(super) const ROWS: &[Reason] = &[
    Reason {
        id: "loop-carried-dependence",
        title: "an iteration needs the result of an earlier one",
        gcc: &[
            "possible dependence between data-refs",
            "not vectorized, dependence between data-refs",
            "not vectorized: scalar dependence cycle",
            "not vectorized: compilation time alias",
        ],
        gcc_hints: &["bad data dependence", "dependence distance negative"],
        gcc_callees: &[],
        clang: &[
            "unsafe dependent memory operations in loop",
            "Backward loop carried data dependence",
            "Unknown data dependence",
            "unsafe dependent memory operations",
        ],
        clang_names: &["UnsafeDep"],
        intel: &[15344, 15345, 15346, 15037],
        intel_text: &["existence of vector dependence", "vector dependence"],
        rank: 90,
        benign: false,
        meaning: "One iteration reads what an earlier one wrote (or the compiler cannot rule it out). A vector \
                  computes several iterations at once, so that the later ones would read old values.",
        cost: "The loop runs at the latency of the chain, not at the throughput of the machine: 4 to 5 cycles per \
               addition or multiplication instead of a fraction of one.",
        c: Example {
            bad: "void filter(double *restrict y, const double *restrict u, const double *restrict v, int n) {\n    for (int i = 1; i < n; i++)\n        y[i] = 0.5 * y[i - 1] + (u[i] * u[i] + v[i] * v[i]);\n}\n",
            mended: "/* What needs no earlier iteration is computed first, in vectors; only the recurrence stays scalar. */\nvoid filter(double *restrict y, const double *restrict u, const double *restrict v, int n) {\n    for (int i = 1; i < n; i++)\n        y[i] = u[i] * u[i] + v[i] * v[i];\n    for (int i = 1; i < n; i++)\n        y[i] = 0.5 * y[i - 1] + y[i];\n}\n",
            bad_flags: &[],
            mended_flags: &[],
            proves_bad: &[Gcc, Clang],
            proves_mended: &[Gcc, Clang],
            unproven: "",
        },
        fortran: Example {
            bad: "subroutine filter(y, u, v, n)\n  integer :: n, i\n  real(8) :: y(n), u(n), v(n)\n  do i = 2, n\n    y(i) = 0.5d0 * y(i-1) + (u(i) * u(i) + v(i) * v(i))\n  end do\nend subroutine\n",
            mended: "subroutine filter(y, u, v, n)\n  integer :: n, i\n  real(8) :: y(n), u(n), v(n)\n  do i = 2, n\n    y(i) = u(i) * u(i) + v(i) * v(i)\n  end do\n  do i = 2, n\n    y(i) = 0.5d0 * y(i-1) + y(i)\n  end do\nend subroutine\n",
            bad_flags: &[],
            mended_flags: &[],
            proves_bad: &[Gcc],
            proves_mended: &[Gcc],
            unproven: "",
        },
        remedies: &[
            Remedy {
                by: "any",
                what: "Find out whether the dependence is real before anything else: run the dependence check on the loop.",
            },
            Remedy {
                by: "source",
                what: "Not real: say so with `restrict`, `#pragma omp simd` (`-fopenmp-simd`), `#pragma GCC ivdep`, `#pragma clang loop vectorize(assume_safety)`, `!dir$ ivdep`.",
            },
            Remedy {
                by: "source",
                what: "Real with distance d: `#pragma omp simd safelen(d)` lets vectors of up to d elements be used.",
            },
            Remedy {
                by: "source",
                what: "Real: split the loop so that only the recurrence stays scalar, exchange it with an outer loop that carries no dependence, or use a blocked scan.",
            },
        ],
        caveats: "`ivdep` and `omp simd` on a real dependence give wrong results without any warning.",
    },
    Reason {
        id: "store-forwarding",
        title: "a vector load would wait for smaller stores just made",
        gcc: &[],
        gcc_hints: &[],
        gcc_callees: &[],
        clang: &[
            "data dependence that prevents store-to-load forwarding",
            "loop carried data dependence that prevents store-to-load forwarding",
            "Backward loop carried data dependence that prevents store-to-load forwarding",
            "Forward loop carried data dependence that prevents store-to-load forwarding",
        ],
        clang_names: &[],
        intel: &[],
        intel_text: &[],
        rank: 91,
        benign: false,
        meaning: "The loop reads what it wrote a few iterations ago, at a distance that is not a multiple of the vector length. \
                  Vector code would be right, but each vector load would overlap two stores still on their way to the \
                  cache and stall until they arrive.",
        cost: "About 10 to 15 cycles per stalled load; the compiler judges scalar code to be faster.",
        c: Example {
            bad: "/* n rows of 9 elements: each row is twice the row before. */\nvoid grow(float *a, int n) {\n    for (int i = 9; i < n * 9; i++)\n        a[i] = a[i - 9] * 2.0f;\n}\n",
            mended: "/* Changed layout: the rows are padded to 16 elements, a multiple of the vector length. */\nvoid grow(float *a, int n) {\n    for (int i = 16; i < n * 16; i++)\n        a[i] = a[i - 16] * 2.0f;\n}\n",
            bad_flags: &[],
            mended_flags: &[],
            proves_bad: &[Clang],
            proves_mended: &[Gcc, Clang],
            unproven: "GCC has no such check and vectorises the loop.",
        },
        fortran: Example {
            bad: "! n columns of 9 elements: each column is twice the column before.\nsubroutine grow(a, n)\n  integer :: n, i\n  real(4) :: a(9 * n)\n  do i = 10, 9 * n\n    a(i) = a(i - 9) * 2.0\n  end do\nend subroutine\n",
            mended: "! Changed layout: the columns are padded to 16 elements, a multiple of the vector length.\nsubroutine grow(a, n)\n  integer :: n, i\n  real(4) :: a(16 * n)\n  do i = 17, 16 * n\n    a(i) = a(i - 16) * 2.0\n  end do\nend subroutine\n",
            bad_flags: &[],
            mended_flags: &[],
            proves_bad: &[],
            proves_mended: &[Gcc],
            unproven: "Only LLVM gives this reason, and no flang is required for the tests.",
        },
        remedies: &[
            Remedy {
                by: "source",
                what: "Change the distance to a multiple of the vector length (pad the leading dimension), or write to a second array.",
            },
            Remedy {
                by: "source",
                what: "Where what is read does not feed what is written: split the loop, so that one loop writes and another reads.",
            },
            Remedy {
                by: "clang",
                what: "`-mllvm -store-to-load-forwarding-conflict-detection=false` vectorises the loop all the same.",
            },
        ],
        caveats: "Measure: on recent cores the stall is short, and vector code may still win. `#pragma clang loop vectorize(enable)` \
                  does not overrule the check.",
    },
    Reason {
        id: "alias-checks",
        title: "arrays may overlap, and checking it at run time costs too much",
        gcc: &[
            "number of versioning for alias run-time tests exceeds",
            "run-time aliasing check",
            "will not create alias checks",
            "can't version for alias",
            "not vectorized: loop versioning for alias is not allowed",
            "versioning for alias not supported",
        ],
        gcc_hints: &["versioning for alias required"],
        gcc_callees: &[],
        clang: &["cannot prove it is safe to reorder memory operations", "too many memory checks needed"],
        clang_names: &["CantReorderMemOps", "TooManyMemoryRuntimeChecks"],
        intel: &[25228],
        intel_text: &["multiversioned"],
        rank: 80,
        benign: false,
        meaning: "Pointers might overlap. The compiler can test that before the loop and keep a scalar copy for the bad \
                  case, but each pair of pointers needs a test, and here there are more than it allows itself.",
        cost: "The loop stays scalar; where checks are made instead, they cost tens of cycles per entry, which short \
               loops feel.",
        c: Example {
            bad: "void mix(double *a, double *b, double *c, double *d, double *e, double *f,\n         double *g, double *h, double *p, double *q, int n) {\n    for (int i = 0; i < n; i++) {\n        a[i] += p[i] * q[i];\n        b[i] += p[i] + q[i];\n        c[i] -= p[i] * q[i];\n        d[i] *= p[i];\n        e[i] *= q[i];\n        f[i] += p[i];\n        g[i] += q[i];\n        h[i] -= q[i];\n    }\n}\n",
            mended: "/* restrict promises that no array overlaps with one that is written. */\nvoid mix(double *restrict a, double *restrict b, double *restrict c, double *restrict d,\n         double *restrict e, double *restrict f, double *restrict g, double *restrict h,\n         const double *restrict p, const double *restrict q, int n) {\n    for (int i = 0; i < n; i++) {\n        a[i] += p[i] * q[i];\n        b[i] += p[i] + q[i];\n        c[i] -= p[i] * q[i];\n        d[i] *= p[i];\n        e[i] *= q[i];\n        f[i] += p[i];\n        g[i] += q[i];\n        h[i] -= q[i];\n    }\n}\n",
            bad_flags: &[],
            mended_flags: &[],
            proves_bad: &[Gcc],
            proves_mended: &[Gcc, Clang],
            unproven: "clang allows more checks, and vectorises the loop as written.",
        },
        fortran: Example {
            bad: "subroutine mix(a, b, c, d, e, f, p, q, n)\n  integer :: n, i\n  real(8), pointer :: a(:), b(:), c(:), d(:), e(:), f(:), p(:), q(:)\n  do i = 1, n\n    a(i) = a(i) + p(i) * q(i)\n    b(i) = b(i) + p(i)\n    c(i) = c(i) - q(i)\n    d(i) = d(i) * p(i)\n    e(i) = e(i) * q(i)\n    f(i) = f(i) - p(i)\n  end do\nend subroutine\n",
            mended: "! Dummy arrays that are not pointers do not overlap with one that is written, by the rules of the language.\nsubroutine mix(a, b, c, d, e, f, p, q, n)\n  integer :: n, i\n  real(8) :: a(n), b(n), c(n), d(n), e(n), f(n), p(n), q(n)\n  do i = 1, n\n    a(i) = a(i) + p(i) * q(i)\n    b(i) = b(i) + p(i)\n    c(i) = c(i) - q(i)\n    d(i) = d(i) * p(i)\n    e(i) = e(i) * q(i)\n    f(i) = f(i) - p(i)\n  end do\nend subroutine\n",
            bad_flags: &[],
            mended_flags: &[],
            proves_bad: &[Gcc],
            proves_mended: &[Gcc],
            unproven: "",
        },
        remedies: &[
            Remedy {
                by: "source",
                what: "`restrict` on the pointers (C), `__restrict__` (C++); in Fortran plain dummy arguments instead of `pointer`, or `contiguous`.",
            },
            Remedy {
                by: "source",
                what: "`#pragma omp simd`, `#pragma GCC ivdep` or `!dir$ ivdep` on this loop.",
            },
            Remedy { by: "gcc", what: "`--param vect-max-version-for-alias-checks=100` raises the limit." },
            Remedy {
                by: "clang",
                what: "`-mllvm -vectorize-memory-check-threshold=1000` (LLVM 19), or `#pragma clang loop vectorize(enable)` on this loop.",
            },
        ],
        caveats: "`restrict` is a promise: when the arrays do overlap the results are wrong.",
    },
    Reason {
        id: "unknown-bounds",
        title: "indirect access: the compiler does not know which elements are accessed",
        gcc: &[
            "possible alias involving gather/scatter",
            "not vectorized: possible alias",
            "can't determine dependence between*gather",
        ],
        gcc_hints: &[],
        gcc_callees: &[],
        clang: &["cannot identify array bounds", "Unsafe indirect dependence"],
        clang_names: &["CantIdentifyArrayBounds"],
        intel: &[],
        intel_text: &[],
        rank: 88,
        benign: false,
        meaning: "An array is reached through an index array, so that the compiler knows neither the range that is \
                  touched nor whether two iterations touch the same element. It can thus not check for overlap at run \
                  time either.",
        cost: "The loop stays scalar, one element at a time.",
        c: Example {
            bad: "void gather_add(double *a, const int *index, const double *b, int n) {\n    for (int i = 0; i < n; i++)\n        a[i] = a[i] + b[index[i]] * 0.5;\n}\n",
            mended: "/* restrict promises that a overlaps with neither index nor b. */\nvoid gather_add(double *restrict a, const int *restrict index, const double *restrict b, int n) {\n    for (int i = 0; i < n; i++)\n        a[i] = a[i] + b[index[i]] * 0.5;\n}\n",
            bad_flags: &[],
            mended_flags: &[],
            proves_bad: &[Gcc, Clang],
            proves_mended: &[Gcc, Clang],
            unproven: "",
        },
        fortran: Example {
            bad: "subroutine gather_add(a, idx, b, n)\n  integer :: n, i\n  integer, pointer, contiguous :: idx(:)\n  real(8), pointer, contiguous :: a(:), b(:)\n  do i = 1, n\n    a(i) = a(i) + b(idx(i)) * 0.5d0\n  end do\nend subroutine\n",
            mended: "! Dummy arrays that are not pointers do not overlap with one that is written, by the rules of the language.\nsubroutine gather_add(a, idx, b, n)\n  integer :: n, i, idx(n)\n  real(8) :: a(n), b(*)\n  do i = 1, n\n    a(i) = a(i) + b(idx(i)) * 0.5d0\n  end do\nend subroutine\n",
            bad_flags: &[],
            mended_flags: &[],
            proves_bad: &[Gcc],
            proves_mended: &[Gcc],
            unproven: "",
        },
        remedies: &[
            Remedy {
                by: "source",
                what: "`restrict` on all pointers; where the store is the indirect one and its indices are unique, `#pragma omp simd` as well.",
            },
            Remedy {
                by: "source",
                what: "Sort or colour the indices so that blocks of them are unique, and let one inner loop run over a block.",
            },
            Remedy { by: "any", what: "`-march=` with gather (AVX2) and scatter (AVX-512)." },
        ],
        caveats: "Gathers cost about one load per element: without other arithmetic in the loop there is little to gain.",
    },
    Reason {
        id: "histogram",
        title: "counting into bins: two lanes may hit the same bin",
        gcc: &[],
        gcc_hints: &[],
        gcc_callees: &[],
        clang: &["histogram"],
        clang_names: &[],
        intel: &[15499],
        intel_text: &["histogram"],
        rank: 89,
        benign: false,
        meaning: "`bin[key[i]] += 1` reads and writes an element chosen by data. When two lanes of a vector choose the \
                  same bin, one of the counts would be lost. Compilers name it as an unknown bound or a missing scatter.",
        cost: "Scalar, and at the latency of a store followed by a load from the same bin when keys repeat (about 5 \
               cycles or more per element).",
        c: Example {
            bad: "/* 256 bins. */\nvoid histogram(int *bin, const int *key, int n) {\n    for (int i = 0; i < n; i++)\n        bin[key[i]]++;\n}\n",
            mended: "/* 256 bins, and a private table: two equal keys in a row no longer wait for each other. The sum is vectorised. */\nvoid histogram(int *bin, const int *key, int n) {\n    int other[256] = {0};\n    int i = 0;\n    for (; i + 1 < n; i += 2) {\n        bin[key[i]]++;\n        other[key[i + 1]]++;\n    }\n    if (i < n)\n        bin[key[i]]++;\n    for (int k = 0; k < 256; k++)\n        bin[k] += other[k];\n}\n",
            bad_flags: &[],
            mended_flags: &[],
            proves_bad: &[],
            proves_mended: &[Gcc, Clang],
            unproven: "Only Intel's compilers recognise the idiom by name; GCC and clang report unknown-bounds or gather-scatter.",
        },
        fortran: Example {
            bad: "subroutine histogram(bin, key, n)\n  integer :: n, i, bin(256), key(n)\n  do i = 1, n\n    bin(key(i)) = bin(key(i)) + 1\n  end do\nend subroutine\n",
            mended: "subroutine histogram(bin, key, n)\n  integer :: n, i, bin(256), key(n), other(256)\n  other = 0\n  do i = 1, n - 1, 2\n    bin(key(i)) = bin(key(i)) + 1\n    other(key(i+1)) = other(key(i+1)) + 1\n  end do\n  if (mod(n, 2) == 1) bin(key(n)) = bin(key(n)) + 1\n  do i = 1, 256\n    bin(i) = bin(i) + other(i)\n  end do\nend subroutine\n",
            bad_flags: &[],
            mended_flags: &[],
            proves_bad: &[],
            proves_mended: &[Gcc],
            unproven: "Only Intel's compilers recognise the idiom by name.",
        },
        remedies: &[
            Remedy { by: "source", what: "Privatise: 2 to 8 tables used in turn, added at the end." },
            Remedy {
                by: "intel",
                what: "`-xCORE-AVX512` with `#pragma omp ordered simd overlap(..)`: conflict detection (AVX-512CD).",
            },
            Remedy { by: "source", what: "Sort the keys first when many loops use them." },
        ],
        caveats: "With many bins the private tables no longer fit the cache, and the gain is gone.",
    },
];
