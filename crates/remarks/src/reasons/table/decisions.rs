//! The compiler's decisions: shape of the nest, profit, size, limits, switches; and reasons that need no remedy.

use crate::reasons::row::Prover::{Clang, Gcc};
use crate::reasons::row::{Example, Reason, Remedy};

const SCALE_C: &str =
    "void scale(double *a, int n) {\n    for (int i = 0; i < n; i++)\n        a[i] *= 2.0;\n}\n";
const SCALE_FORTRAN: &str = "subroutine scale(a, n)\n  integer :: n, i\n  real(8) :: a(n)\n  do i = 1, n\n    a(i) = a(i) * 2\n  end do\nend subroutine\n";
const CONVOLVE_C: &str = "void convolve(float *restrict y, const float *restrict x, const float *restrict w, int n) {\n    for (int i = 0; i < n; i++) {\n        float s = 0.0f;\n        for (int j = 0; j < 50; j++)\n            s += w[j] * x[i + j];\n        y[i] = s;\n    }\n}\n";
const CONVOLVE_FORTRAN: &str = "subroutine convolve(y, x, w, n)\n  integer :: n, i, j\n  real(4) :: y(n), x(n + 50), w(50), s\n  do i = 1, n\n    s = 0\n    do j = 1, 50\n      s = s + w(j) * x(i + j)\n    end do\n    y(i) = s\n  end do\nend subroutine\n";
const DECAY_C: &str = "void decay(double *a, int n) {\n    for (int i = 1; i < n; i++)\n        a[i] = a[i - 1] * 0.5 + a[i];\n}\n";
const DECAY_FORTRAN: &str = "subroutine decay(a, n)\n  integer :: n, i\n  real(8) :: a(n)\n  do i = 2, n\n    a(i) = a(i-1) * 0.5d0 + a(i)\n  end do\nend subroutine\n";

pub(super) const ROWS: &[Reason] = &[
    Reason {
        id: "loop-nest-shape",
        title: "an outer loop, whose nest has no form that can be vectorised as a whole",
        gcc: &[
            "not vectorized: multiple nested loops",
            "inner-loop count not invariant",
            "not vectorized: unsupported outerloop form",
            "not vectorized: Bad inner loop",
            "loop nest containing two or more consecutive inner loops",
            "unsupported outerloop",
        ],
        clang: &[
            "loop is not the innermost loop",
            "unsupported outer loop",
            "Outer loop contains divergent loops",
            "outer loop",
        ],
        clang_names: &["UnsupportedOuterLoop", "NotInnermostLoop", "UnsupportedPhi"],
        intel: &[15541, 15553],
        intel_text: &["not inner loop", "outer loop was not auto-vectorized"],
        rank: 40,
        meaning: "Compilers vectorise innermost loops, and outer loops only in simple nests: one inner loop, with a count \
                  that does not change. This message belongs to the outer loop; see what is said of the inner one.",
        cost: "None when the inner loop is vectorised and long. When it is short (below about 16 iterations), most of the \
               time goes to starting and ending it.",
        c: Example {
            bad: "void smooth(double (*restrict a)[64], const double (*restrict b)[64], const int *restrict len, int n) {\n    for (int i = 0; i < n; i++) {\n        for (int j = 0; j < len[i]; j++)\n            a[i][j] = b[i][j] * 0.5;\n        for (int j = 0; j < len[i]; j++)\n            a[i][j] += b[i][0];\n    }\n}\n",
            mended: "/* One inner loop, with a count that does not change in it. */\nvoid smooth(double (*restrict a)[64], const double (*restrict b)[64], const int *restrict len, int n) {\n    for (int i = 0; i < n; i++) {\n        const int m = len[i];\n        const double first = b[i][0];\n        for (int j = 0; j < m; j++)\n            a[i][j] = b[i][j] * 0.5 + first;\n    }\n}\n",
            proves_bad: &[Gcc],
            proves_mended: &[Gcc, Clang],
            unproven: "clang says nothing of outer loops unless they are annotated.",
            ..Example::BLANK
        },
        fortran: Example {
            bad: "subroutine smooth(a, b, len, n)\n  integer :: n, i, j, len(n)\n  real(8) :: a(64, n), b(64, n)\n  do i = 1, n\n    do j = 1, len(i)\n      a(j, i) = b(j, i) * 0.5d0\n    end do\n    do j = 1, len(i)\n      a(j, i) = a(j, i) + b(1, i)\n    end do\n  end do\nend subroutine\n",
            mended: "! One inner loop, with a count that does not change in it.\nsubroutine smooth(a, b, len, n)\n  integer :: n, i, j, len(n)\n  real(8) :: a(64, n), b(64, n)\n  do i = 1, n\n    do j = 1, len(i)\n      a(j, i) = b(j, i) * 0.5d0 + b(1, i)\n    end do\n  end do\nend subroutine\n",
            proves_bad: &[Gcc],
            proves_mended: &[Gcc],
            ..Example::BLANK
        },
        remedies: &[
            Remedy { by: "source", what: "Make one inner loop of several that follow each other." },
            Remedy {
                by: "source",
                what: "Short inner loop: `#pragma omp simd` on the outer loop (or `collapse(2)`), or exchange the two.",
            },
            Remedy {
                by: "source",
                what: "Give the inner loop a constant count (pad), so that it is unrolled away and the outer one becomes innermost.",
            },
        ],
        caveats: "When the inner loop is vectorised and long nothing needs to be done.",
        ..Reason::BLANK
    },
    Reason {
        id: "outer-already-vectorized",
        title: "the enclosing loop was vectorised instead",
        gcc: &["outer-loop already vectorized"],
        intel: &[15542, 15436],
        intel_text: &["inner loop was already vectorized", "loop was already vectorized"],
        rank: 45,
        benign: true,
        meaning: "The compiler vectorised across the outer loop (or the inner one already is): each lane runs this loop for \
                  another outer iteration.",
        cost: "None.",
        c: Example {
            bad: CONVOLVE_C,
            mended: CONVOLVE_C,
            proves_bad: &[Gcc],
            proves_mended: &[Gcc, Clang],
            unproven: "clang unrolls the inner loop before it vectorises, so that no inner loop is left.",
            ..Example::BLANK
        },
        fortran: Example {
            bad: CONVOLVE_FORTRAN,
            mended: CONVOLVE_FORTRAN,
            proves_bad: &[Gcc],
            proves_mended: &[Gcc],
            ..Example::BLANK
        },
        remedies: &[Remedy { by: "any", what: "Nothing to do." }],
        caveats: "",
        ..Reason::BLANK
    },
    Reason {
        id: "very-cheap-cost-model",
        title: "at this optimisation level the compiler vectorises only loops that need no extra code",
        gcc: &["some scalar iterations would need to be peeled"],
        // Below every reason that would also hold at -O3, above messages about single vector modes.
        rank: 63,
        meaning: "GCC 12 and newer vectorise at `-O2`, but with the `very-cheap` cost model: only loops whose count is \
                  known to be a multiple of the vector length, so that no remainder loop and no run-time check is needed. \
                  This loop can be vectorised; it only needs a remainder.",
        cost: "The whole gain of vectorisation, for a few hundred bytes of code.",
        c: Example {
            bad: "void scale(double *restrict a, const double *restrict b, int n) {\n    for (int i = 0; i < n; i++)\n        a[i] = 2.0 * b[i];\n}\n",
            mended: "/* The same source, compiled with -O3 (or -O2 -fvect-cost-model=dynamic). */\nvoid scale(double *restrict a, const double *restrict b, int n) {\n    for (int i = 0; i < n; i++)\n        a[i] = 2.0 * b[i];\n}\n",
            bad_flags: &["-O2"],
            proves_bad: &[Gcc],
            proves_mended: &[Gcc, Clang],
            unproven: "clang vectorises this at -O2 already.",
            ..Example::BLANK
        },
        fortran: Example {
            bad: "subroutine scale(a, b, n)\n  integer :: n, i\n  real(8) :: a(n), b(n)\n  do i = 1, n\n    a(i) = 2 * b(i)\n  end do\nend subroutine\n",
            mended: "! The same source, compiled with -O3 (or -O2 -fvect-cost-model=dynamic).\nsubroutine scale(a, b, n)\n  integer :: n, i\n  real(8) :: a(n), b(n)\n  do i = 1, n\n    a(i) = 2 * b(i)\n  end do\nend subroutine\n",
            bad_flags: &["-O2"],
            proves_bad: &[Gcc],
            proves_mended: &[Gcc],
            ..Example::BLANK
        },
        remedies: &[
            Remedy {
                by: "gcc",
                what: "`-O3`, or `-O2 -fvect-cost-model=dynamic`; for one loop `#pragma omp simd` with `-fopenmp-simd`.",
            },
            Remedy {
                by: "any",
                what: "Make the count a constant that is a multiple of the vector length, where it is one.",
            },
        ],
        caveats: "The code grows; `-O3` does more than this, so compare both.",
        ..Reason::BLANK
    },
    Reason {
        id: "cost-model",
        title: "the compiler could, but expects no gain",
        gcc: &[
            "vectorization not profitable",
            "vector version will never be profitable",
            "is greater or equal to the vectorization factor",
            "not vectorized: redundant loop. no profit",
        ],
        gcc_hints: &["Loop costings may not be worthwhile", "Loop costings not worthwhile"],
        clang: &["the cost-model indicates that vectorization is not beneficial"],
        clang_names: &["VectorizationNotBeneficial"],
        intel: &[15335, 15516],
        intel_text: &["vectorization possible but seems inefficient"],
        rank: 64,
        meaning: "The loop can be vectorised, but by the compiler's estimate it would run no faster: gathers, shuffles or \
                  conversions eat the gain, or the target has narrow vectors only.",
        cost: "Perhaps none: it is an estimate, and estimates are often wrong.",
        c: Example {
            bad: "void add(int *restrict a, const int *restrict b, int n) {\n    for (int i = 0; i < n; i++)\n        a[i * 8] += b[i * 8];\n}\n",
            mended: "/* Changed layout: the elements that the loop uses are side by side. */\nvoid add(int *restrict a, const int *restrict b, int n) {\n    for (int i = 0; i < n; i++)\n        a[i] += b[i];\n}\n",
            proves_bad: &[Gcc, Clang],
            proves_mended: &[Gcc, Clang],
            ..Example::BLANK
        },
        fortran: Example {
            bad: "subroutine add(a, b, n)\n  integer :: n, i, a(8 * n), b(8 * n)\n  do i = 1, n\n    a(i * 8) = a(i * 8) + b(i * 8)\n  end do\nend subroutine\n",
            mended: "! Changed layout: the elements that the loop uses are side by side.\nsubroutine add(a, b, n)\n  integer :: n, i, a(n), b(n)\n  do i = 1, n\n    a(i) = a(i) + b(i)\n  end do\nend subroutine\n",
            proves_bad: &[Gcc],
            proves_mended: &[Gcc],
            ..Example::BLANK
        },
        remedies: &[
            Remedy {
                by: "source",
                what: "Put the elements that the loop uses side by side: packed arrays, the inner loop along memory.",
            },
            Remedy {
                by: "any",
                what: "Force it on this loop and measure: `#pragma omp simd`, `#pragma clang loop vectorize(enable)`, `!dir$ vector always`.",
            },
            Remedy {
                by: "gcc",
                what: "`-fvect-cost-model=unlimited` (`-fvect-cost-model=dynamic` at `-O2`, whose default is `very-cheap`).",
            },
            Remedy {
                by: "any",
                what: "`-march=native`: wider vectors change the estimate. Try the other compiler too.",
            },
        ],
        caveats: "Keep it only when it is measured to be faster.",
        ..Reason::BLANK
    },
    Reason {
        id: "short-trip-count",
        title: "the loop runs too few times",
        gcc: &[
            "estimated iteration count too small",
            "iteration count smaller than",
            "loop does not have enough iterations",
            "iteration count too small",
            "estimated iteration count smaller than",
        ],
        gcc_hints: &["Vectorization factor too high for epilogue"],
        clang: &["loop trip count is too low", "loop trip count is one", "trip count is too low"],
        clang_names: &["LowTripCount", "SingleIterationLoop"],
        intel: &[15423, 15442],
        intel_text: &["low trip count"],
        rank: 65,
        meaning: "The loop has fewer iterations than a vector has lanes, or so few that setting the vectors up costs more \
                  than they save.",
        cost: "Little by itself; but when it is the inner loop of a hot nest, it keeps the nest scalar.",
        c: Example {
            bad: "/* Rows of three elements, each in a place of its own. */\nvoid mix(double *const *a, double *const *b, int n) {\n    for (int k = 0; k < n; k++) {\n        double *x = a[k];\n        const double *y = b[k];\n        for (int i = 0; i < 3; i++)\n            x[i] = x[i] * y[i] + x[i] / y[i];\n    }\n}\n",
            mended: "/* Changed layout: the rows are side by side, and one long loop replaces many short ones. */\nvoid mix(double *a, const double *b, int n) {\n    for (int i = 0; i < 3 * n; i++)\n        a[i] = a[i] * b[i] + a[i] / b[i];\n}\n",
            proves_mended: &[Gcc, Clang],
            unproven: "Loops this short are unrolled before they reach the vectoriser.",
            ..Example::BLANK
        },
        fortran: Example {
            bad: "! Columns of three elements, each in a place of its own.\nmodule columns\n  type column\n    real(8), pointer, contiguous :: x(:)\n  end type\nend module\nsubroutine mix(a, b, n)\n  use columns\n  integer :: n, i, k\n  type(column) :: a(n), b(n)\n  do k = 1, n\n    do i = 1, 3\n      a(k)%x(i) = a(k)%x(i) * b(k)%x(i) + a(k)%x(i) / b(k)%x(i)\n    end do\n  end do\nend subroutine\n",
            mended: "! Changed layout: the columns are side by side, and one long loop replaces many short ones.\nsubroutine mix(a, b, n)\n  integer :: n, i\n  real(8) :: a(3 * n), b(3 * n)\n  do i = 1, 3 * n\n    a(i) = a(i) * b(i) + a(i) / b(i)\n  end do\nend subroutine\n",
            proves_mended: &[Gcc],
            unproven: "Loops this short are unrolled before they reach the vectoriser.",
            ..Example::BLANK
        },
        remedies: &[
            Remedy {
                by: "source",
                what: "Make one long loop of the nest, where its rows are (or can be put) side by side.",
            },
            Remedy {
                by: "source",
                what: "Pad the count to a whole number of vectors (19 to 20 or 24), with dummy elements.",
            },
            Remedy {
                by: "source",
                what: "Vectorise the outer loop instead (`#pragma omp simd` there, this one unrolled).",
            },
            Remedy {
                by: "any",
                what: "Shorter vectors: `-mprefer-vector-width=128`. Make the count known: a constant, or `#pragma loop_count` (Intel).",
            },
        ],
        caveats: "Padding costs memory and computes unneeded elements.",
        ..Reason::BLANK
    },
    Reason {
        id: "code-size",
        title: "vector code would grow the program, and size was preferred",
        gcc: &[
            "can't create required epilog loop",
            "not vectorized: loop optimized for size",
            "peeling for gaps not allowed",
        ],
        clang: &[
            "cannot optimize for size and vectorize at the same time",
            "runtime pointer checks needed",
            "when compiling with -Os/-Oz",
            "Code-size may be reduced",
        ],
        clang_names: &["NoTailLoopWithOptForSize", "CantVersionLoopWithOptForSize"],
        intel: &[15547, 15390],
        intel_text: &["code size"],
        rank: 68,
        meaning: "A vector loop needs a remainder loop and often a second version; under `-Os`, at `-O2` of GCC 12 and newer, \
                  or in code marked cold, the compiler does not add them.",
        cost: "Scalar loop.",
        c: Example {
            bad: "void scale(double *a, const double *b, int n) {\n    for (int i = 0; i < n; i++)\n        a[i] *= b[i];\n}\n",
            mended: "void scale(double *a, const double *b, int n) {\n    for (int i = 0; i < n; i++)\n        a[i] *= b[i];\n}\n",
            bad_flags: &["-Os", "-ftree-vectorize"],
            proves_bad: &[Clang],
            proves_mended: &[Gcc, Clang],
            unproven: "GCC prints nothing for loops that it optimises for size.",
            ..Example::BLANK
        },
        fortran: Example {
            bad: SCALE_FORTRAN,
            mended: SCALE_FORTRAN,
            bad_flags: &["-Os", "-ftree-vectorize"],
            proves_mended: &[Gcc],
            unproven: "gfortran prints nothing for loops that it optimises for size.",
            ..Example::BLANK
        },
        remedies: &[
            Remedy {
                by: "any",
                what: "`-O3`, or `__attribute__((optimize(\"O3\")))`/`hot` on this function.",
            },
            Remedy { by: "gcc", what: "At `-O2`: `-fvect-cost-model=dynamic`." },
        ],
        caveats: "",
        ..Reason::BLANK
    },
    Reason {
        id: "compiler-limits",
        title: "the loop is too large or too tangled for the compiler's limits",
        gcc: &["number of data-references exceeds", "loop is too big", "exceeds param"],
        clang: &[
            "too many SCEV run-time checks needed",
            "too many dependences",
            "too many SCEV",
            "runtime SCEV checks needed",
            "FoldTailByMasking",
            "loop is too big",
        ],
        clang_names: &["TooManySCEVRunTimeChecks", "TooManyUniqueSCEVRunTimeChecks"],
        intel: &[15532, 15533],
        intel_text: &["too complex", "compiler limits"],
        rank: 75,
        meaning: "The analysis gave up: more memory references, dependences or run-time assumptions than it is willing to \
                  follow.",
        cost: "Scalar loop.",
        c: Example {
            bad: "/* Imagine hundreds of such statements. */\nvoid step(double *restrict a, double *restrict b, const double *restrict c, int n) {\n    for (int i = 0; i < n; i++) {\n        a[i] *= c[i];\n        b[i] += c[i];\n    }\n}\n",
            mended: "/* Smaller loops, each within the limits: possible because a and b do not overlap. */\nvoid step(double *restrict a, double *restrict b, const double *restrict c, int n) {\n    for (int i = 0; i < n; i++)\n        a[i] *= c[i];\n    for (int i = 0; i < n; i++)\n        b[i] += c[i];\n}\n",
            proves_mended: &[Gcc, Clang],
            unproven: "Needs a loop of hundreds of accesses, too long for an example.",
            ..Example::BLANK
        },
        fortran: Example {
            bad: "! Imagine hundreds of such statements.\nsubroutine step(a, b, c, n)\n  integer :: n, i\n  real(8) :: a(n), b(n), c(n)\n  do i = 1, n\n    a(i) = a(i) * c(i)\n    b(i) = b(i) + c(i)\n  end do\nend subroutine\n",
            mended: "! Smaller loops, each within the limits: possible because a and b do not overlap.\nsubroutine step(a, b, c, n)\n  integer :: n, i\n  real(8) :: a(n), b(n), c(n)\n  do i = 1, n\n    a(i) = a(i) * c(i)\n  end do\n  do i = 1, n\n    b(i) = b(i) + c(i)\n  end do\nend subroutine\n",
            proves_mended: &[Gcc],
            unproven: "As in C.",
            ..Example::BLANK
        },
        remedies: &[
            Remedy { by: "source", what: "Split the loop or the function into smaller ones." },
            Remedy {
                by: "source",
                what: "`#pragma omp simd`, `restrict` and counters of type `size_t` remove what has to be checked.",
            },
            Remedy { by: "gcc", what: "`--param loop-max-datarefs-for-datadeps=5000`." },
            Remedy {
                by: "clang",
                what: "`-mllvm -vectorize-scev-check-threshold=64 -mllvm -max-dependences=1000`.",
            },
        ],
        caveats: "Raised limits cost compile time.",
        ..Reason::BLANK
    },
    Reason {
        id: "disabled",
        title: "vectorisation was switched off",
        gcc: &[
            "not vectorized: simd if(0)",
            "loop vectorization disabled",
            "floating point induction vectorization disabled",
        ],
        clang: &[
            "explicitly disabled",
            "vectorization and interleaving are explicitly disabled",
            "NoImplicitFloat attribute",
            "loop not vectorized: vectorization is explicitly disabled",
        ],
        clang_names: &["MissedExplicitlyDisabled", "AllDisabled", "NoImplicitFloat"],
        intel: &[15319, 15320, 15540],
        intel_text: &["novector directive"],
        rank: 95,
        meaning: "A pragma, an attribute or a flag says not to vectorise this loop.",
        cost: "Whatever the loop would gain.",
        c: Example {
            bad: "void scale(double *a, int n) {\n#pragma clang loop vectorize(disable) interleave(disable)\n    for (int i = 0; i < n; i++)\n        a[i] *= 2.0;\n}\n",
            mended: SCALE_C,
            proves_bad: &[Clang],
            proves_mended: &[Gcc, Clang],
            unproven: "GCC says nothing when its vectoriser is off.",
            ..Example::BLANK
        },
        fortran: Example {
            bad: "subroutine scale(a, n)\n  integer :: n, i\n  real(8) :: a(n)\n!GCC$ novector\n  do i = 1, n\n    a(i) = a(i) * 2\n  end do\nend subroutine\n",
            mended: SCALE_FORTRAN,
            proves_mended: &[Gcc],
            unproven: "gfortran says nothing when its vectoriser is off.",
            ..Example::BLANK
        },
        remedies: &[Remedy {
            by: "any",
            what: "Look for `-fno-tree-vectorize`, `-fno-vectorize`, `-no-vec`, `#pragma novector`, `-mgeneral-regs-only`, `-O1`, and whether its reason still holds.",
        }],
        caveats: "Someone may have had a reason: measure, and check the results.",
        ..Reason::BLANK
    },
    Reason {
        id: "peel-remainder",
        title: "a peel or remainder loop stays scalar",
        intel: &[15304, 15438, 15441, 15440],
        intel_text: &["remainder loop was not vectorized", "peel loop was not vectorized"],
        rank: 20,
        benign: true,
        meaning: "The iterations before the first aligned and after the last whole vector run in loops of their own, which \
                  need not be vectorised.",
        cost: "Less than one vector's worth of iterations per entry: noticeable only when the loop is short.",
        c: Example {
            bad: SCALE_C,
            mended: SCALE_C,
            proves_mended: &[Gcc, Clang],
            unproven: "Only Intel's compilers report it.",
            ..Example::BLANK
        },
        fortran: Example {
            bad: SCALE_FORTRAN,
            mended: SCALE_FORTRAN,
            proves_mended: &[Gcc],
            unproven: "Only Intel's compilers report it.",
            ..Example::BLANK
        },
        remedies: &[
            Remedy {
                by: "source",
                what: "Nothing for long loops. For short ones: pad the count and align the data, so that the pieces never run.",
            },
            Remedy {
                by: "gcc",
                what: "`--param vect-partial-vector-usage=1` with AVX-512 masks the remainder (GCC 14 and newer).",
            },
        ],
        caveats: "",
        ..Reason::BLANK
    },
    Reason {
        id: "became-library-call",
        title: "the loop became a memset or memcpy, or vanished",
        gcc: &[
            "library calls",
            "generated memset",
            "generated memcpy",
            "generated memmove",
            "not vectorized: empty loop",
        ],
        clang: &[
            "Formed a call to llvm.memset",
            "Transformed loop-strided store",
            "Formed a call to llvm.memcpy",
            "Formed a call to llvm.memmove",
            "Formed a call to",
            "Loop deleted because",
        ],
        clang_names: &["ProcessLoopStridedStore", "ProcessLoopStoreOfLoopLoad"],
        intel: &[15398, 15414],
        intel_text: &["memset or memcpy"],
        rank: 94,
        benign: true,
        meaning: "The loop only fills or copies memory, and was replaced by a call of `memset` or `memcpy`; or its result is \
                  not needed, and it was removed.",
        cost: "None for long loops: the library uses the widest vectors and streaming stores. For a few elements the call \
               costs more than the loop.",
        c: Example {
            bad: "void clear(int *a, int n) {\n    for (int i = 0; i < n; i++)\n        a[i] = 0;\n}\n",
            mended: "/* To keep the loop (short arrays): -fno-tree-loop-distribute-patterns, or clang's -fno-builtin-memset. */\nvoid clear(int *a, int n) {\n    for (int i = 0; i < n; i++)\n        a[i] = 0;\n}\n",
            mended_flags: &["-fno-tree-loop-distribute-patterns"],
            proves_bad: &[Gcc, Clang],
            proves_mended: &[Gcc],
            unproven: "clang does not know the GCC flag of the mended example.",
            ..Example::BLANK
        },
        fortran: Example {
            bad: "subroutine clear(a, n)\n  integer :: n, i, a(n)\n  do i = 1, n\n    a(i) = 0\n  end do\nend subroutine\n",
            mended: "subroutine clear(a, n)\n  integer :: n, i, a(n)\n  do i = 1, n\n    a(i) = 0\n  end do\nend subroutine\n",
            mended_flags: &["-fno-tree-loop-distribute-patterns"],
            proves_bad: &[Gcc],
            proves_mended: &[Gcc],
            ..Example::BLANK
        },
        remedies: &[
            Remedy {
                by: "any",
                what: "Usually nothing. Short arrays: `-fno-tree-loop-distribute-patterns` (GCC), `-fno-builtin` (clang).",
            },
            Remedy {
                by: "source",
                what: "Fuse it with the loop that next uses the array, so that memory is passed over once.",
            },
        ],
        caveats: "",
        ..Reason::BLANK
    },
    Reason {
        id: super::super::NOT_STATED,
        title: "the report does not say why",
        gcc: &[
            "couldn't vectorize loop",
            "not vectorized: no vectype for stmt",
            "bad operation or unsupported loop bound",
            "can't determine vectorization factor",
        ],
        clang: &["loop not vectorized", "unable to perform the requested transformation"],
        clang_names: &["MissedDetails", "FailedRequestedVectorization"],
        intel: &[15537],
        rank: 0,
        meaning: "The message only says that the loop failed. GCC tries several vector widths and prints the problem of the \
                  last one, which is often \"no vectype for stmt\": no vector of 4 bytes holds a double. clang's \
                  `-Rpass-missed` without `-Rpass-analysis` never gives a reason.",
        cost: "Unknown until the reason is.",
        c: Example {
            bad: DECAY_C,
            mended: DECAY_C,
            unproven: "Depends on the report's flags: the tests use the ones that report the reason (loop-carried-dependence).",
            ..Example::BLANK
        },
        fortran: Example {
            bad: DECAY_FORTRAN,
            mended: DECAY_FORTRAN,
            unproven: "As in C.",
            ..Example::BLANK
        },
        remedies: &[
            Remedy {
                by: "any",
                what: "Let loopwright ask the compiler (`loopwright build -- make`, or `compile_commands.json` beside the sources).",
            },
            Remedy { by: "gcc", what: "`-fopt-info-vec-missed-internals=FILE`." },
            Remedy {
                by: "clang",
                what: "`-fsave-optimization-record`, or `-Rpass-missed=loop-vectorize -Rpass-analysis=loop-vectorize` together.",
            },
            Remedy { by: "intel", what: "`-qopt-report=5 -qopt-report-phase=vec,loop`." },
        ],
        caveats: "",
        ..Reason::BLANK
    },
];
