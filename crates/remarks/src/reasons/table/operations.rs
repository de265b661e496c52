//! Operations that the instruction set lacks.

use crate::reasons::row::Prover::{Clang, Gcc};
use crate::reasons::row::{Example, Reason, Remedy};

pub(super) const ROWS: &[Reason] = &[
    Reason {
        id: "unsupported-operation",
        title: "the instruction set has no vector form of an operation",
        gcc: &[
            "not vectorized: relevant stmt not supported",
            "op not supported by target",
            "no array mode for",
            "not vectorized: irregular stmt",
        ],
        gcc_hints: &[
            "no optab",
            "unsupported operation",
            "Permutation unsupported",
            "unsupported vect permute",
        ],
        clang: &[
            "instruction cannot be vectorized",
            "Instruction with invalid costs prevented vectorization",
            "nontemporal store instruction cannot be vectorized",
            "nontemporal load instruction cannot be vectorized",
            "store instruction cannot be vectorized",
        ],
        clang_names: &[
            "CantVectorizeInstruction",
            "CantVectorizeNontemporalStore",
            "CantVectorizeNontemporalLoad",
        ],
        intel: &[15404, 15405, 15406, 15566],
        intel_text: &["operator unsuited for vectorization", "operation cannot be vectorized"],
        rank: 58,
        meaning: "Some operation of the loop has no vector instruction at this `-march`: integer division and remainder \
                  nowhere on x86, 64-bit multiplication before AVX-512DQ, variable shifts before AVX2.",
        cost: "Scalar; an integer division takes 6 to 90 cycles, by width and processor.",
        c: Example {
            bad: "void ratio(int *a, const int *b, int n) {\n    for (int i = 0; i < n; i++)\n        a[i] = a[i] / b[i];\n}\n",
            mended: "/* 32-bit integers fit a double exactly, and doubles have a vector division. */\nvoid ratio(int *a, const int *b, int n) {\n    for (int i = 0; i < n; i++)\n        a[i] = (int)((double)a[i] / (double)b[i]);\n}\n",
            proves_bad: &[Gcc],
            proves_mended: &[Gcc, Clang],
            unproven: "clang leaves it to the cost model.",
            ..Example::BLANK
        },
        fortran: Example {
            bad: "subroutine ratio(a, b, n)\n  integer :: n, i, a(n), b(n)\n  do i = 1, n\n    a(i) = a(i) / b(i)\n  end do\nend subroutine\n",
            mended: "! 32-bit integers fit a double exactly, and doubles have a vector division.\nsubroutine ratio(a, b, n)\n  integer :: n, i, a(n), b(n)\n  do i = 1, n\n    a(i) = int(real(a(i), 8) / real(b(i), 8))\n  end do\nend subroutine\n",
            proves_bad: &[Gcc],
            proves_mended: &[Gcc],
            ..Example::BLANK
        },
        remedies: &[
            Remedy {
                by: "any",
                what: "`-march=native` (or `x86-64-v3`, `x86-64-v4`): the default is the instruction set of 2003.",
            },
            Remedy {
                by: "source",
                what: "Divide by constants, by powers of two, or through floating point; multiply by a reciprocal computed once.",
            },
            Remedy { by: "source", what: "Narrower integers where their range suffices." },
        ],
        caveats: "A binary for `-march=native` does not run on older processors; build several versions (`target_clones`).",
        ..Reason::BLANK
    },
    Reason {
        id: "mixed-width-conversion",
        title: "a conversion between types gets in the way",
        gcc: &[
            "conversion in the reduction chain",
            "conversion not supported by target",
            "not vectorized: Incompatible number of vector subparts",
            "type conversion to/from bit-precision unsupported",
        ],
        intel: &[15327, 15407, 15408],
        intel_text: &["mixed data types"],
        rank: 66,
        meaning: "Elements of different width are mixed, so that a vector of one holds more of them than a vector of the \
                  other, and a conversion between the two is missing or breaks a reduction.",
        cost: "Scalar; where it is vectorised, half of the lanes and extra conversions.",
        c: Example {
            bad: "/* 0.5 is a double: the sum is widened and narrowed in every iteration. */\nfloat half_sum(const float *a, int n) {\n    float s = 0.0f;\n    for (int i = 0; i < n; i++)\n        s = s + a[i] * 0.5;\n    return s;\n}\n",
            mended: "/* One width throughout: 0.5f is a float. The flag lets the terms be added in another order. */\nfloat half_sum(const float *a, int n) {\n    float s = 0.0f;\n    for (int i = 0; i < n; i++)\n        s = s + a[i] * 0.5f;\n    return s;\n}\n",
            mended_flags: &["-ffast-math"],
            proves_mended: &[Gcc, Clang],
            unproven: "GCC 12 names the unrecognised reduction, clang the recurrence.",
            ..Example::BLANK
        },
        fortran: Example {
            bad: "! 0.5d0 has 8 bytes: the sum is widened and narrowed in every iteration.\nfunction half_sum(a, n) result(s)\n  integer :: n, i\n  real(4) :: a(n), s\n  s = 0\n  do i = 1, n\n    s = real(s + a(i) * 0.5d0, 4)\n  end do\nend function\n",
            mended: "! One width throughout: 0.5 has 4 bytes. The flag lets the terms be added in another order.\nfunction half_sum(a, n) result(s)\n  integer :: n, i\n  real(4) :: a(n), s\n  s = 0\n  do i = 1, n\n    s = s + a(i) * 0.5\n  end do\nend function\n",
            mended_flags: &["-ffast-math"],
            proves_mended: &[Gcc],
            unproven: "gfortran names the unrecognised reduction.",
            ..Example::BLANK
        },
        remedies: &[
            Remedy {
                by: "source",
                what: "One width in the loop: `f` suffixes on constants (`0.5f`), `float` mathematics functions, an accumulator as wide as its terms.",
            },
            Remedy { by: "any", what: "`-march=` with AVX-512DQ converts 64-bit integers." },
        ],
        caveats: "A narrower accumulator loses digits.",
        ..Reason::BLANK
    },
];
