//! Trip counts and loop exits.

use crate::reasons::row::Prover::{Clang, Gcc};
use crate::reasons::row::{Example, Reason, Remedy};

pub(super) const ROWS: &[Reason] = &[
    Reason {
        id: "early-exit",
        title: "the loop may end early (break, return)",
        gcc: &["not vectorized: multiple exits", "not vectorized: loop with multiple exits"],
        clang: &[
            "Cannot vectorize early exit loop",
            "loop with multiple exits",
            "Early exit loop",
            "early exit",
        ],
        clang_names: &[
            "EarlyExitLoop",
            "MultipleExits",
            "UncountableEarlyExitLoops",
            "UnsupportedUncountableLoop",
        ],
        intel: &[15520],
        intel_text: &["nonstandard loop is not a vectorization candidate", "early exit"],
        rank: 76,
        meaning: "A `break`, `return` or `exit` inside the loop: a vector would compute, and perhaps store, elements \
                  behind the place where the loop should have stopped.",
        cost: "Scalar loop with a branch per element.",
        c: Example {
            bad: "int clean(double *a, const double *b, int n) {\n    for (int i = 0; i < n; i++) {\n        if (b[i] < 0.0)\n            return i;\n        a[i] = b[i] * 2.0;\n    }\n    return n;\n}\n",
            mended: "/* First find the end (no stores), then compute without exits. restrict promises that a and b do not overlap. */\nint clean(double *restrict a, const double *restrict b, int n) {\n    int end = 0;\n    while (end < n && !(b[end] < 0.0))\n        end++;\n    for (int i = 0; i < end; i++)\n        a[i] = b[i] * 2.0;\n    return end;\n}\n",
            proves_mended: &[Gcc, Clang],
            unproven: "GCC 12 reports control flow in the loop; clang 14 to 19 report that the iterations cannot be counted.",
            ..Example::BLANK
        },
        fortran: Example {
            bad: "subroutine clean(a, b, n, last)\n  integer :: n, i, last\n  real(8) :: a(n), b(n)\n  last = n\n  do i = 1, n\n    if (b(i) < 0) then\n      last = i - 1\n      exit\n    end if\n    a(i) = b(i) * 2\n  end do\nend subroutine\n",
            mended: "! First find the end (no stores), then compute without exits.\nsubroutine clean(a, b, n, last)\n  integer :: n, i, last\n  real(8) :: a(n), b(n)\n  last = 0\n  do while (last < n)\n    if (b(last + 1) < 0) exit\n    last = last + 1\n  end do\n  do i = 1, last\n    a(i) = b(i) * 2\n  end do\nend subroutine\n",
            proves_mended: &[Gcc],
            unproven: "gfortran 12 reports control flow in the loop.",
            ..Example::BLANK
        },
        remedies: &[
            Remedy { by: "source", what: "Split: a search loop without stores, then a counted loop." },
            Remedy {
                by: "source",
                what: "Work in blocks of 16 to 64: test the whole block (a reduction with `|`), leave the blocks loop when it hits.",
            },
            Remedy { by: "source", what: "Replace the exit by a mask: compute all, keep what counts." },
            Remedy { by: "any", what: "Newer compilers (GCC 14, LLVM 21) vectorise simple searches." },
        ],
        caveats: "When the exit is usually taken in the first iterations the scalar loop is the better one.",
        ..Reason::BLANK
    },
    Reason {
        id: "faulting-early-exit",
        title: "reading ahead of an early exit might fault",
        gcc: &[
            "can't safely apply code motion",
            "early exit",
            "early break not supported",
            "not vectorized: Early break",
        ],
        clang: &[
            "potentially faulting",
            "Auto-vectorization of loops with potentially faulting load",
            "may fault",
            "speculate loads",
        ],
        clang_names: &["PotentiallyFaultingEarlyExitLoop", "NonSpeculatableEarlyExit"],
        intel: &[15579],
        rank: 77,
        meaning: "The loop may end at any element, and a vector load reaches beyond it: it might touch a page that does not \
                  exist. The compiler must know that the memory is there.",
        cost: "Scalar loop with a branch per element.",
        c: Example {
            bad: "/* How long the array is, is not known: only the sentinel ends the loop. */\nint length(const int *a) {\n    int i = 0;\n    while (a[i] != 0)\n        i++;\n    return i;\n}\n",
            mended: "/* Changed interface: n elements exist, the sentinel among them. Blocks inside them may be read as a whole. */\nint length(const int *a, int n) {\n    int i = 0;\n    for (; i + 64 <= n; i += 64) {\n        int hit = 0;\n        for (int k = 0; k < 64; k++)\n            hit |= a[i + k] == 0;\n        if (hit)\n            break;\n    }\n    while (i < n && a[i] != 0)\n        i++;\n    return i;\n}\n",
            proves_mended: &[Gcc, Clang],
            unproven: "Only GCC 14 and LLVM 20 try to vectorise such loops and name this reason.",
            ..Example::BLANK
        },
        fortran: Example {
            bad: "! How long the array is, is not known: only the sentinel ends the loop.\nfunction length(a) result(i)\n  integer :: a(*), i\n  i = 1\n  do while (a(i) /= 0)\n    i = i + 1\n  end do\nend function\n",
            mended: "! Changed interface: n elements exist, the sentinel among them. Blocks inside them may be read as a whole.\nfunction length(a, n) result(i)\n  integer :: n, a(n), i, k, hit\n  i = 1\n  do while (i + 63 <= n)\n    hit = 0\n    do k = 0, 63\n      hit = ior(hit, merge(1, 0, a(i + k) == 0))\n    end do\n    if (hit /= 0) exit\n    i = i + 64\n  end do\n  do while (i <= n)\n    if (a(i) == 0) exit\n    i = i + 1\n  end do\nend function\n",
            proves_mended: &[Gcc],
            unproven: "Only GCC 14 and LLVM 20 try to vectorise such loops.",
            ..Example::BLANK
        },
        remedies: &[
            Remedy { by: "source", what: "Pass the array's size and search in fixed blocks." },
            Remedy {
                by: "source",
                what: "Arrays of static size, or `dereferenceable` memory, need no check.",
            },
        ],
        caveats: "Reading beyond the sentinel is only allowed inside the array.",
        ..Reason::BLANK
    },
    Reason {
        id: "uncountable-loop",
        title: "the number of iterations is not known when the loop starts",
        gcc: &["number of iterations cannot be computed", "not vectorized: complicated exit condition"],
        clang: &["could not determine number of loop iterations"],
        clang_names: &["CantComputeNumberOfIterations"],
        intel: &[15523],
        intel_text: &["number of iterations cannot be computed", "loop count cannot be computed"],
        rank: 75,
        meaning: "The loop runs until something computed inside it says stop: a list's end, a tolerance reached, a bound \
                  that is re-read from memory because a store might have changed it.",
        cost: "Scalar loop; following a list it also waits for each load in turn.",
        c: Example {
            bad: "struct node { struct node *next; double value; };\nvoid scale(struct node *list) {\n    for (struct node *p = list; p; p = p->next)\n        p->value *= 2.0;\n}\n",
            mended: "/* Changed layout: an array instead of a list. */\nvoid scale(double *value, int n) {\n    for (int i = 0; i < n; i++)\n        value[i] *= 2.0;\n}\n",
            proves_bad: &[Gcc, Clang],
            proves_mended: &[Gcc, Clang],
            ..Example::BLANK
        },
        fortran: Example {
            bad: "! A store to a may change last, which is therefore loaded in every iteration.\nsubroutine twice(a, last)\n  integer, target :: a(*)\n  integer, pointer :: last\n  integer :: i\n  i = 1\n  do while (i <= last)\n    a(i) = a(i) * 2\n    i = i + 1\n  end do\nend subroutine\n",
            mended: "! No element of a is last: a copy of it gives the number of iterations.\nsubroutine twice(a, last)\n  integer, target :: a(*)\n  integer, pointer :: last\n  integer :: i, n\n  n = last\n  do i = 1, n\n    a(i) = a(i) * 2\n  end do\nend subroutine\n",
            proves_bad: &[Gcc],
            proves_mended: &[Gcc],
            ..Example::BLANK
        },
        remedies: &[
            Remedy {
                by: "source",
                what: "Copy a bound that lives in memory (a global, a member, `*n`) to a local variable before the loop.",
            },
            Remedy { by: "source", what: "Replace lists by arrays (of indices, if need be)." },
            Remedy { by: "source", what: "Iterate in blocks and test the tolerance once per block." },
        ],
        caveats: "Testing less often computes some iterations too many.",
        ..Reason::BLANK
    },
    Reason {
        id: "bad-induction",
        title: "the loop counter is not understood",
        gcc: &[
            "not vectorized: number of iterations = 0",
            "niters assumptions",
            "not vectorized: relevant phi not supported",
        ],
        clang: &[
            "induction variable could not be identified",
            "loop induction variable could not be identified",
            "integer loop induction variable could not be identified",
        ],
        clang_names: &["NoInductionVariable", "NoIntegerInductionVariable"],
        intel: &[15521, 15351],
        rank: 74,
        meaning: "The compiler does not find a variable that advances by the same amount each time: it is changed in \
                  several places, may wrap around, is a floating-point number, or steps by a variable amount.",
        cost: "Scalar loop.",
        c: Example {
            bad: "/* A counter in floating point. */\nvoid sample(double *a, double h, int n) {\n    for (double x = 0.0; x < n; x += 1.0)\n        a[(int)x] = x * h;\n}\n",
            mended: "/* An integer counter, and the number computed from it. */\nvoid sample(double *a, double h, int n) {\n    for (int i = 0; i < n; i++)\n        a[i] = i * h;\n}\n",
            proves_bad: &[Clang],
            proves_mended: &[Gcc, Clang],
            unproven: "GCC reports that the iterations cannot be counted.",
            ..Example::BLANK
        },
        fortran: Example {
            bad: "! A counter in floating point.\nsubroutine sample(a, h, n)\n  integer :: n\n  real(8) :: a(0:n-1), h, x\n  x = 0\n  do while (x < n)\n    a(int(x)) = x * h\n    x = x + 1\n  end do\nend subroutine\n",
            mended: "! An integer counter, and the number computed from it.\nsubroutine sample(a, h, n)\n  integer :: n, i\n  real(8) :: a(0:n-1), h\n  do i = 0, n - 1\n    a(i) = i * h\n  end do\nend subroutine\n",
            proves_mended: &[Gcc],
            unproven: "gfortran reports that the iterations cannot be counted.",
            ..Example::BLANK
        },
        remedies: &[
            Remedy {
                by: "source",
                what: "A canonical loop: `for (size_t i = 0; i < n; i++)`; compute other positions from `i`.",
            },
            Remedy {
                by: "source",
                what: "Avoid `unsigned` counters narrower than a pointer: they may wrap, which must then be honoured.",
            },
        ],
        caveats: "",
        ..Reason::BLANK
    },
];
