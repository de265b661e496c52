//! The placement of the loop's data.

use crate::reasons::row::Prover::{Clang, Gcc};
use crate::reasons::row::{Example, Reason, Remedy};

pub(super) const ROWS: &[Reason] = &[
    Reason {
        id: "gather-scatter",
        title: "elements are not side by side, and would have to be gathered or scattered",
        gcc: &[
            "not vectorized: relevant stmt not supported: *@store",
            "not suitable for gather load",
            "not suitable for scatter store",
            "not vectorized: base object not addressable",
            "not vectorized: more than one data ref in stmt",
        ],
        gcc_hints: &["gather/scatter", "unsupported gather"],
        intel: &[15415, 15416, 15567, 15568],
        intel_text: &["gather", "scatter"],
        rank: 71,
        meaning: "The addresses come from data (an index array, a pointer per element). A vector would collect them one by \
                  one; the instruction set has no instruction for it, or it would not pay.",
        cost: "Scalar loads and stores, each of which may miss the cache on its own.",
        c: Example {
            bad: "/* index is a permutation of 0 to n - 1. */\nvoid permute(double *restrict a, const int *restrict index, const double *restrict b, int n) {\n    for (int i = 0; i < n; i++)\n        a[index[i]] = b[i] * 2.0;\n}\n",
            mended: "/* Changed interface: the inverse permutation, inverse[index[i]] = i, is computed once for many calls. The stores are\n   then in order, and only the loads are indirect. */\nvoid permute(double *restrict a, const int *restrict inverse, const double *restrict b, int n) {\n    for (int i = 0; i < n; i++)\n        a[i] = b[inverse[i]] * 2.0;\n}\n",
            proves_bad: &[Gcc],
            proves_mended: &[Gcc, Clang],
            unproven: "clang vectorises it as written, with one store per element.",
            ..Example::BLANK
        },
        fortran: Example {
            bad: "! idx is a permutation of 1 to n.\nsubroutine permute(a, idx, b, n)\n  integer :: n, i, idx(n)\n  real(8) :: a(n), b(n)\n  do i = 1, n\n    a(idx(i)) = b(i) * 2\n  end do\nend subroutine\n",
            mended: "! Changed interface: the inverse permutation, inverse(idx(i)) = i, is computed once for many calls. The stores are\n! then in order, and only the loads are indirect.\nsubroutine permute(a, inverse, b, n)\n  integer :: n, i, inverse(n)\n  real(8) :: a(n), b(n)\n  do i = 1, n\n    a(i) = b(inverse(i)) * 2\n  end do\nend subroutine\n",
            proves_bad: &[Gcc],
            proves_mended: &[Gcc],
            ..Example::BLANK
        },
        remedies: &[
            Remedy {
                by: "source",
                what: "Reorder the data so that neighbours in time are neighbours in memory; pack what is used together.",
            },
            Remedy {
                by: "source",
                what: "Copy to a contiguous buffer when several loops use the same elements.",
            },
            Remedy { by: "any", what: "`-march=` with gather (AVX2) or scatter (AVX-512)." },
        ],
        caveats: "A gather is about as fast as scalar loads; the gain is in the arithmetic around it.",
        ..Reason::BLANK
    },
    Reason {
        id: "strided-access",
        title: "elements are apart in memory (stride, array of structures)",
        gcc: &["not suitable for strided load"],
        gcc_hints: &[
            "not consecutive access",
            "no array mode",
            "single-element interleaving not supported",
            "step unknown",
        ],
        clang: &["runtime stride == 1 checks needed"],
        intel: &[15452, 15453, 15460, 15462],
        intel_text: &["non-unit stride"],
        rank: 69,
        meaning: "Consecutive iterations touch elements that are not neighbours: every third member of a structure, a \
                  column of a row-major matrix. A vector load brings neighbours.",
        cost: "Each cache line that is moved is used in part only: at stride 8 (doubles) an eighth of the bandwidth \
               counts.",
        c: Example {
            bad: "struct point { double x, y, z, w, v, u, t; };\nvoid move(struct point *p, int n) {\n    for (int i = 0; i < n; i++)\n        p[i].x += p[i].y;\n}\n",
            mended: "/* Changed layout: a structure of arrays, each member contiguous. */\nstruct points { double *x, *y, *z, *w, *v, *u, *t; };\nvoid move(struct points p, int n) {\n    for (int i = 0; i < n; i++)\n        p.x[i] += p.y[i];\n}\n",
            proves_mended: &[Gcc, Clang],
            unproven: "GCC names the loads of whole structures that it lacks, clang its cost model.",
            ..Example::BLANK
        },
        fortran: Example {
            bad: "subroutine move(a, b, n, m)\n  integer :: n, m, i, j\n  real(8) :: a(m, n), b(m, n)\n  do i = 1, m\n    do j = 2, n\n      a(i, j) = a(i, j-1) + b(i, j)\n    end do\n  end do\nend subroutine\n",
            unproven: "gfortran names the dependence that the inner loop carries.",
            mended: "! The first index, which is contiguous in Fortran, innermost.\nsubroutine move(a, b, n, m)\n  integer :: n, m, i, j\n  real(8) :: a(m, n), b(m, n)\n  do j = 2, n\n    do i = 1, m\n      a(i, j) = a(i, j-1) + b(i, j)\n    end do\n  end do\nend subroutine\n",
            proves_mended: &[Gcc],
            ..Example::BLANK
        },
        remedies: &[
            Remedy {
                by: "source",
                what: "Structure of arrays instead of array of structures (or blocks of 8: AoSoA).",
            },
            Remedy {
                by: "source",
                what: "Exchange loops so that the innermost one runs along memory; transpose what cannot be exchanged.",
            },
            Remedy {
                by: "gcc",
                what: "`-floop-interchange` (part of `-O3`) finds simple cases; `-O3` also vectorises small constant strides.",
            },
        ],
        caveats: "A structure of arrays costs locality where all members of one element are used together.",
        ..Reason::BLANK
    },
    Reason {
        id: "complicated-access",
        title: "an access has a form that the vectoriser does not handle",
        gcc: &["not vectorized: complicated access pattern"],
        rank: 84,
        meaning: "GCC analyses each access by itself and in its group of neighbours (vect_analyze_data_ref_access), and one of them failed: \
                  it stores to the same place in every iteration, or to places that only the data decides, or the stores of a group leave \
                  gaps. The message does not say which of these it is.",
        cost: "Scalar loop.",
        c: Example {
            bad: "void insert(unsigned *head, unsigned *chain, const unsigned *key, unsigned n) {\n    for (unsigned i = 0; i < n; i++) {\n        unsigned h = key[i] * 2654435761u >> 15;\n        chain[i & 0xffff] = head[h];\n        head[h] = i;\n    }\n}\n",
            mended: "/* The hashes, which need no other iteration, are computed in blocks beforehand: key overlaps with neither head nor\n   chain. */\nvoid insert(unsigned *head, unsigned *chain, const unsigned *key, unsigned n) {\n    unsigned h[256];\n    for (unsigned start = 0, m; start < n; start += m) {\n        m = n - start < 256 ? n - start : 256;\n        for (unsigned i = 0; i < m; i++)\n            h[i] = key[start + i] * 2654435761u >> 15;\n        for (unsigned i = 0; i < m; i++) {\n            chain[(start + i) & 0xffff] = head[h[i]];\n            head[h[i]] = start + i;\n        }\n    }\n}\n",
            proves_mended: &[Gcc, Clang],
            unproven: "Which words GCC uses depends on its version; clang names the dependence.",
            ..Example::BLANK
        },
        fortran: Example {
            bad: "subroutine total(res, a, b, n)\n  integer :: n, i\n  integer, target :: a(n), b(n)\n  integer, pointer :: res\n  do i = 1, n\n    res = res + a(i) * b(i)\n  end do\nend subroutine\n",
            mended: "! res is no element of a or b: the sum is kept in a local variable.\nsubroutine total(res, a, b, n)\n  integer :: n, i, s\n  integer, target :: a(n), b(n)\n  integer, pointer :: res\n  s = res\n  do i = 1, n\n    s = s + a(i) * b(i)\n  end do\n  res = s\nend subroutine\n",
            proves_bad: &[Gcc],
            proves_mended: &[Gcc],
            ..Example::BLANK
        },
        remedies: &[
            Remedy {
                by: "source",
                what: "Look at the access that the remark names: a store to one place goes to a local variable, gaps in a structure are stored, too, or the structure is split.",
            },
            Remedy {
                by: "source",
                what: "Where only the data decides the place: split the loop, so that what comes before the store is vectorised by itself.",
            },
        ],
        caveats: "Whether iterations meet at such a store is a question of the data: `loopwright dependencies` shows it for a run.",
        ..Reason::BLANK
    },
    Reason {
        id: "invariant-store",
        title: "every iteration stores to the same address",
        clang: &[
            "write to a loop invariant address could not be vectorized",
            "write of conditional recurring variant value to a loop invariant address could not be vectorized",
            "Non vectorizable stores to invariant address were",
        ],
        clang_names: &["CantVectorizeStoreToLoopInvariantAddress", "UnsafeDepInvariant"],
        rank: 83,
        meaning: "The loop accumulates in memory (`*sum += a[i]`, `total[j]` in a loop over i). As the address might \
                  overlap with what the loop reads, the value must be stored and loaded again each time. GCC calls it a \
                  complicated access pattern, as it does many others: which of them it is, the instructions show.",
        cost: "The latency of a store followed by a load, 4 to 5 cycles or more, in every iteration.",
        c: Example {
            bad: "void add_larger(int *out, const int *a, const int *b, int n) {\n    for (int i = 0; i < n; i++)\n        if (a[i] > b[i])\n            *out += a[i];\n}\n",
            mended: "/* *out is no element of a or b: the sum is kept in a local variable. */\nvoid add_larger(int *out, const int *a, const int *b, int n) {\n    int s = *out;\n    for (int i = 0; i < n; i++)\n        s += a[i] > b[i] ? a[i] : 0;\n    *out = s;\n}\n",
            proves_mended: &[Gcc, Clang],
            unproven: "GCC says \"complicated access pattern\" of this and other loops; clang mostly names the dependence.",
            ..Example::BLANK
        },
        fortran: Example {
            bad: "subroutine dot(res, a, b, n)\n  integer :: n, i\n  integer, target :: a(n), b(n)\n  integer, pointer :: res\n  do i = 1, n\n    res = res + a(i) * b(i)\n  end do\nend subroutine\n",
            mended: "! res is no element of a or b: the sum is kept in a local variable.\nsubroutine dot(res, a, b, n)\n  integer :: n, i, s\n  integer, target :: a(n), b(n)\n  integer, pointer :: res\n  s = res\n  do i = 1, n\n    s = s + a(i) * b(i)\n  end do\n  res = s\nend subroutine\n",
            proves_mended: &[Gcc],
            unproven: "gfortran says \"complicated access pattern\" of this and other loops.",
            ..Example::BLANK
        },
        remedies: &[
            Remedy { by: "source", what: "Accumulate in a local variable, store it after the loop." },
            Remedy { by: "source", what: "`restrict` on the target." },
        ],
        caveats: "Other threads see the value only at the end.",
        ..Reason::BLANK
    },
    Reason {
        id: "non-affine-subscript",
        title: "the subscript is not a linear function of the counter",
        gcc: &["not vectorized: data ref analysis failed", "data ref analysis failed"],
        gcc_hints: &["base addr of dr is a constant"],
        intel: &[15317, 15318],
        intel_text: &["subscript too complex", "non-linear subscript"],
        rank: 67,
        meaning: "The address of an access is not `start + constant * i`: it comes from memory, a product of counters, a \
                  bit trick, or a counter that may wrap around.",
        cost: "Scalar loop with address arithmetic in every iteration.",
        c: Example {
            bad: "void pick(double *restrict a, double *const *restrict row, int n) {\n    for (int i = 0; i < n; i++)\n        *row[i] = a[i] * 2.0;\n}\n",
            mended: "/* Changed layout: the elements are in one block of memory, in the order of the pointers. */\nvoid pick(double *restrict a, double *restrict row, int n) {\n    for (int i = 0; i < n; i++)\n        row[i] = a[i] * 2.0;\n}\n",
            proves_mended: &[Gcc, Clang],
            unproven: "GCC names the missing scatter; clang vectorises the loop.",
            ..Example::BLANK
        },
        fortran: Example {
            bad: "! A ring of 1024 elements, of which at most 1024 are written.\nsubroutine pick(ring, a, start, n)\n  integer :: start, n, i\n  real(8) :: ring(0:1023), a(n)\n  do i = 1, n\n    ring(iand(start + i, 1023)) = a(i) * 2\n  end do\nend subroutine\n",
            mended: "! Two pieces with linear subscripts: up to the end of the ring, and from its beginning.\nsubroutine pick(ring, a, start, n)\n  integer :: start, n, i, first, m\n  real(8) :: ring(0:1023), a(n)\n  first = iand(start + 1, 1023) - 1\n  m = min(n, 1023 - first)\n  do i = 1, m\n    ring(first + i) = a(i) * 2\n  end do\n  do i = m + 1, n\n    ring(i - m - 1) = a(i) * 2\n  end do\nend subroutine\n",
            proves_mended: &[Gcc],
            unproven: "gfortran names the missing scatter.",
            ..Example::BLANK
        },
        remedies: &[
            Remedy {
                by: "source",
                what: "Linear subscripts; one flat array `a[i * m + j]` with `size_t` counters instead of arrays of pointers.",
            },
            Remedy { by: "source", what: "Take the non-linear part out of the inner loop." },
        ],
        caveats: "",
        ..Reason::BLANK
    },
    Reason {
        id: "alignment",
        title: "the alignment of the data is not known",
        gcc_hints: &["Unknown misalignment", "Unknown alignment for access", "unsupported unaligned"],
        gcc: &["not vectorized: unsupported unaligned", "unsupported alignment"],
        intel: &[15421, 15524, 15388, 15389],
        intel_text: &["unaligned"],
        rank: 30,
        benign: true,
        meaning: "The compiler does not know whether the data start at a multiple of the vector's width. It uses unaligned \
                  loads, or a peel loop until one array is aligned.",
        cost: "Small on processors since 2011: only accesses that cross a cache line (every second one at 32 bytes, every \
               one at 64) cost double.",
        c: Example {
            bad: "void add(double *restrict a, const double *restrict b, int n) {\n    for (int i = 0; i < n; i++)\n        a[i] += b[i];\n}\n",
            mended: "/* A promise: the caller allocates both arrays at multiples of 64. */\nvoid add(double *restrict a, const double *restrict b, int n) {\n    a = __builtin_assume_aligned(a, 64);\n    b = __builtin_assume_aligned(b, 64);\n    for (int i = 0; i < n; i++)\n        a[i] += b[i];\n}\n",
            proves_mended: &[Gcc, Clang],
            unproven: "GCC and clang vectorise the loop all the same; only a hint is printed.",
            ..Example::BLANK
        },
        fortran: Example {
            bad: "subroutine add(a, b, n)\n  integer :: n, i\n  real(8), allocatable :: a(:), b(:)\n  do i = 1, n\n    a(i) = a(i) + b(i)\n  end do\nend subroutine\n",
            mended: "! A promise: the caller allocates both arrays at multiples of 64.\nsubroutine add(a, b, n)\n  integer :: n, i\n  real(8), allocatable :: a(:), b(:)\n  !$omp simd aligned(a, b : 64)\n  do i = 1, n\n    a(i) = a(i) + b(i)\n  end do\nend subroutine\n",
            mended_flags: &["-fopenmp-simd"],
            proves_mended: &[Gcc],
            unproven: "gfortran vectorises the loop all the same.",
            ..Example::BLANK
        },
        remedies: &[Remedy {
            by: "source",
            what: "Allocate with `aligned_alloc(64, ..)`, and say so: `__builtin_assume_aligned`, `#pragma omp simd aligned(a : 64)`, `!dir$ assume_aligned a:64`.",
        }],
        caveats: "A wrong promise of alignment may end the program with a fault.",
        ..Reason::BLANK
    },
];
