//! Control flow inside the loop.

use crate::reasons::row::Prover::{Clang, Gcc};
use crate::reasons::row::{Example, Reason, Remedy};

pub(super) const ROWS: &[Reason] = &[
    Reason {
        id: "switch-in-loop",
        title: "the loop contains a switch",
        gcc: &["switch statement"],
        clang: &["loop contains a switch statement"],
        clang_names: &["LoopContainsSwitch"],
        intel: &[15535],
        intel_text: &["contains switch"],
        rank: 82,
        meaning: "A `switch` (or `select case`) jumps to one of many places; the lanes of a vector would have to go to \
                  different ones.",
        cost: "Scalar loop with a jump that is hard to predict: up to 20 cycles when it is guessed wrong.",
        c: Example {
            bad: "void grade(double *a, const int *kind, int n) {\n    for (int i = 0; i < n; i++)\n        switch (kind[i]) {\n        case 0: a[i] = a[i] * 1.5; break;\n        case 3: a[i] = a[i] + 7.0; break;\n        case 4: a[i] = a[i] * a[i]; break;\n        case 9: a[i] = 1.0; break;\n        default: a[i] = 0.0;\n        }\n}\n",
            mended: "/* All cases are computed, and one is chosen. */\nvoid grade(double *restrict a, const long *restrict kind, int n) {\n    for (int i = 0; i < n; i++) {\n        double x = a[i], y = 0.0;\n        y = kind[i] == 0 ? x * 1.5 : y;\n        y = kind[i] == 3 ? x + 7.0 : y;\n        y = kind[i] == 4 ? x * x : y;\n        a[i] = kind[i] == 9 ? 1.0 : y;\n    }\n}\n",
            mended_flags: &["-fno-trapping-math"],
            proves_bad: &[Clang],
            proves_mended: &[Clang],
            unproven: "GCC reports control flow in the loop, and its cost model or if-conversion may still refuse the selects.",
            ..Example::BLANK
        },
        fortran: Example {
            bad: "subroutine grade(a, kind, n)\n  integer :: n, i, kind(n)\n  real(8) :: a(n)\n  do i = 1, n\n    select case (kind(i))\n    case (0)\n      a(i) = a(i) * 1.5d0\n    case (3)\n      a(i) = a(i) + 7\n    case (4)\n      a(i) = a(i) * a(i)\n    case (9)\n      a(i) = 1\n    case default\n      a(i) = 0\n    end select\n  end do\nend subroutine\n",
            mended: "subroutine grade(a, kind, factor, term, n)\n  integer :: n, i, kind(n)\n  real(8) :: a(n), factor(0:3), term(0:3)\n  do i = 1, n\n    a(i) = a(i) * factor(kind(i)) + term(kind(i))\n  end do\nend subroutine\n",
            proves_mended: &[Gcc],
            unproven: "gfortran reports control flow in the loop.",
            ..Example::BLANK
        },
        remedies: &[
            Remedy {
                by: "source",
                what: "A table of coefficients indexed by the case, so that all cases do the same arithmetic.",
            },
            Remedy { by: "source", what: "`if`/`else` with plain assignments, which become selects." },
            Remedy { by: "source", what: "Sort the elements by case, one loop per case." },
        ],
        caveats: "Selects compute all cases: not with many or expensive ones.",
        ..Reason::BLANK
    },
    Reason {
        id: "complex-control-flow",
        title: "branches inside the loop could not be turned into selects",
        gcc: &["not vectorized: control flow in loop", "not vectorized: too many incoming edges"],
        clang: &[
            "control flow cannot be substituted for a select",
            "loop control flow is not understood by vectorizer",
            "loop control flow is not understood by analyzer",
        ],
        clang_names: &["NoCFGForSelect", "CFGNotUnderstood"],
        intel: &[15522, 15422],
        intel_text: &["contains unvectorizable statement", "low trip count or control flow"],
        rank: 60,
        meaning: "A vector has no branches: both sides of an `if` are computed and the right lanes chosen. That failed \
                  here: one side might fault or have a side effect, or the branches are tangled (a nested loop, `continue` \
                  in several places, an early exit).",
        cost: "Scalar loop, and wrong guesses of the branch at up to 20 cycles each.",
        c: Example {
            bad: "void part(double *a, const double *b, const int *flag, const int *p, int n) {\n    for (int i = 0; i < n; i++) {\n        if (flag[i]) {\n            if (p[flag[i]] > 3)\n                continue;\n            a[p[flag[i]]] = b[i];\n        } else if (b[i] > 0.0) {\n            a[i] = 1.0 / b[i];\n        }\n    }\n}\n",
            mended: "/* One value, always computed, always stored. */\nvoid part(double *restrict a, const double *restrict b, const int *restrict flag, int n) {\n    for (int i = 0; i < n; i++) {\n        double safe = b[i] > 0.0 ? b[i] : 1.0;\n        a[i] = flag[i] ? b[i] : 1.0 / safe;\n    }\n}\n",
            mended_flags: &["-fno-trapping-math"],
            proves_bad: &[Gcc],
            proves_mended: &[Gcc, Clang],
            unproven: "clang gives the unknown bounds of the indirect store first.",
            ..Example::BLANK
        },
        fortran: Example {
            bad: "subroutine part(a, b, flag, p, n)\n  integer :: n, i, flag(n), p(n)\n  real(8) :: a(n), b(n)\n  do i = 1, n\n    if (flag(i) > 0) then\n      if (p(flag(i)) > 3) cycle\n      a(p(flag(i))) = b(i)\n    else if (b(i) > 0) then\n      a(i) = 1 / b(i)\n    end if\n  end do\nend subroutine\n",
            mended: "subroutine part(a, b, flag, n)\n  integer :: n, i, flag(n)\n  real(8) :: a(n), b(n), safe\n  do i = 1, n\n    safe = merge(b(i), 1.0d0, b(i) > 0)\n    a(i) = merge(b(i), 1 / safe, flag(i) > 0)\n  end do\nend subroutine\n",
            mended_flags: &["-fno-trapping-math"],
            proves_bad: &[Gcc],
            proves_mended: &[Gcc],
            ..Example::BLANK
        },
        remedies: &[
            Remedy {
                by: "source",
                what: "Assign on both sides (`a[i] = c ? x : a[i]`), with operands made safe first; `merge` in Fortran.",
            },
            Remedy {
                by: "source",
                what: "Hoist conditions that do not change in the loop; split the loop by condition.",
            },
            Remedy {
                by: "any",
                what: "`-fno-trapping-math` allows divisions and square roots under a condition; `-march=` with masks (AVX-512).",
            },
        ],
        caveats: "Computing both sides costs more than branching when one side is rare and expensive.",
        ..Reason::BLANK
    },
    Reason {
        id: "work-after-exit-test",
        title: "something runs between the loop's exit test and its next iteration",
        gcc: &["not vectorized: latch block not empty"],
        rank: 61,
        meaning: "GCC vectorises a loop whose exit test is its last statement (vect_analyze_loop_form: \"the latch is empty\"). \
                  Here something is left behind the test: a load of what the next iteration needs, which an earlier pass moved \
                  there because a store of the loop may change the value, or ways through the body that meet only there.",
        cost: "Scalar loop.",
        c: Example {
            bad: "/* The store may change *limit and *f: both are loaded again behind the test. */\nvoid scale(double *a, const int *limit, const double *f) {\n    for (int i = 0; i < *limit; i++)\n        a[i] = a[i] * *f;\n}\n",
            mended: "void scale(double *a, const int *limit, const double *f) {\n    const int n = *limit;\n    const double by = *f;\n    for (int i = 0; i < n; i++)\n        a[i] = a[i] * by;\n}\n",
            proves_mended: &[Gcc, Clang],
            unproven: "Which loops keep something there depends on the passes before: GCC 12 says it of few small examples.",
            ..Example::BLANK
        },
        fortran: Example {
            bad: "subroutine scale(a, f)\n  real(8), pointer :: a(:), f\n  integer :: i\n  do i = 1, size(a)\n    if (a(i) > f) cycle\n    a(i) = a(i) * f\n  end do\nend subroutine\n",
            mended: "subroutine scale(a, f, n)\n  integer :: n, i\n  real(8) :: a(n), f\n  do i = 1, n\n    a(i) = merge(a(i), a(i) * f, a(i) > f)\n  end do\nend subroutine\n",
            proves_mended: &[],
            unproven: "gfortran 12 says it of few small examples, and vectorises the mended one only where its cost model agrees.",
            ..Example::BLANK
        },
        remedies: &[
            Remedy {
                by: "source",
                what: "Copy values that do not change, the bound among them, to local variables before the loop; declare pointers `restrict`.",
            },
            Remedy {
                by: "source",
                what: "A counted loop with one exit at its end, and `if`/`else` with plain assignments in place of `continue`.",
            },
        ],
        caveats: "The message describes GCC's own form of the loop, not which statement of the source is behind the test: the \
                  loop's assembly shows that.",
        ..Reason::BLANK
    },
    Reason {
        id: "conditional-store",
        title: "a store happens only under a condition",
        gcc: &["tree could trap", "conditional store"],
        clang: &["store that is conditionally executed prevents vectorization"],
        clang_names: &["ConditionalStore"],
        intel: &[15336, 15325],
        rank: 81,
        meaning: "The element may only be written when the condition holds: another thread may own it otherwise, or it \
                  may not exist. Without masked stores in the instruction set the compiler must not write all lanes.",
        cost: "Scalar loop with a branch.",
        c: Example {
            bad: "void clip(signed char *a, const signed char *limit, int n) {\n    for (int i = 0; i < n; i++)\n        if (limit[i] > 3)\n            a[i] = 3;\n}\n",
            mended: "/* Always stored: the old value where nothing changes. */\nvoid clip(signed char *restrict a, const signed char *restrict limit, int n) {\n    for (int i = 0; i < n; i++) {\n        signed char old = a[i];\n        a[i] = limit[i] > 3 ? 3 : old;\n    }\n}\n",
            proves_mended: &[Gcc, Clang],
            unproven: "GCC reports control flow in the loop; clang vectorises it with one store per lane.",
            ..Example::BLANK
        },
        fortran: Example {
            bad: "subroutine clip(a, limit, n)\n  integer :: n, i\n  integer(1) :: a(n), limit(n)\n  do i = 1, n\n    if (limit(i) > 3) a(i) = 3_1\n  end do\nend subroutine\n",
            mended: "subroutine clip(a, limit, n)\n  integer :: n, i\n  integer(1) :: a(n), limit(n)\n  do i = 1, n\n    a(i) = merge(3_1, a(i), limit(i) > 3)\n  end do\nend subroutine\n",
            proves_mended: &[Gcc],
            unproven: "gfortran reports control flow in the loop.",
            ..Example::BLANK
        },
        remedies: &[
            Remedy { by: "source", what: "Store always, the old value where nothing changes." },
            Remedy {
                by: "any",
                what: "`-march=` with masked stores: AVX2 for 32 and 64 bits, AVX-512BW for all.",
            },
            Remedy { by: "gcc", what: "`-fno-trapping-math` when the condition guards a division." },
        ],
        caveats: "Storing always is wrong when other threads write the other elements, or the page is read-only.",
        ..Reason::BLANK
    },
    Reason {
        id: "goto-in-loop",
        title: "jumps into or out of the loop",
        gcc: &["not vectorized: abnormal loop exit edge"],
        intel: &[15528, 15534],
        intel_text: &["goto"],
        rank: 73,
        meaning: "A `goto`, computed `goto` or `setjmp` gives the loop entries or exits that a counted loop cannot have.",
        cost: "Scalar loop.",
        c: Example {
            bad: "#include <setjmp.h>\nvoid work(jmp_buf env, double *a, int n) {\n    volatile int start = 0;\n    setjmp(env);\n    for (int i = start; i < n; i++) {\n        a[i] *= 2.0;\n        if (a[i] < 0.0)\n            goto *(void *[]){&&more, &&out}[a[i] < -1.0];\n    more:;\n    }\nout:;\n}\n",
            mended: "void work(double *a, int n) {\n    for (int i = 0; i < n; i++)\n        a[i] *= 2.0;\n}\n",
            proves_mended: &[Gcc, Clang],
            unproven: "Such a loop has no form that the vectorisers of GCC and clang recognise as a loop: they stay silent or name the control flow.",
            ..Example::BLANK
        },
        fortran: Example {
            bad: "subroutine work(a, n)\n  integer :: n, i\n  real(8) :: a(n)\n  i = 1\n10 if (i > n) goto 30\n  a(i) = a(i) * 2\n  if (a(i) < 0) goto 20\n  i = i + 1\n  goto 10\n20 a(i) = 0\n  goto 10\n30 continue\nend subroutine\n",
            mended: "subroutine work(a, n)\n  integer :: n, i\n  real(8) :: a(n)\n  do i = 1, n\n    a(i) = max(a(i) * 2, 0.0d0)\n  end do\nend subroutine\n",
            proves_mended: &[Gcc],
            unproven: "gfortran names the uncounted loop or its control flow.",
            ..Example::BLANK
        },
        remedies: &[Remedy {
            by: "source",
            what: "A counted loop with `if`/`else`; error paths that set a flag and leave after the loop.",
        }],
        caveats: "",
        ..Reason::BLANK
    },
    Reason {
        id: "exceptions",
        title: "a statement may throw an exception",
        gcc: &["statement can throw an exception"],
        intel: &[15333, 15539],
        intel_text: &["exception handling"],
        rank: 79,
        meaning: "If iteration 3 throws, iterations 4 to 7 must not have happened. A vector does them together. In C++ any \
                  call that is not `noexcept` may throw; with `-fnon-call-exceptions` loads and divisions as well.",
        cost: "Scalar loop.",
        c: Example {
            bad: "void scale(double *a, int n) {\n    for (int i = 0; i < n; i++)\n        a[i] *= 2.0;\n}\n",
            mended: "void scale(double *a, int n) {\n    for (int i = 0; i < n; i++)\n        a[i] *= 2.0;\n}\n",
            proves_mended: &[Gcc, Clang],
            unproven: "Only C++ has the reason: the loop must stand in a `try` block or hold objects with destructors.",
            ..Example::BLANK
        },
        fortran: Example {
            bad: "subroutine scale(a, n)\n  integer :: n, i\n  real(8) :: a(n)\n  do i = 1, n\n    a(i) = a(i) * 2\n  end do\nend subroutine\n",
            mended: "subroutine scale(a, n)\n  integer :: n, i\n  real(8) :: a(n)\n  do i = 1, n\n    a(i) = a(i) * 2\n  end do\nend subroutine\n",
            proves_mended: &[Gcc],
            unproven: "Fortran does not know this reason.",
            ..Example::BLANK
        },
        remedies: &[
            Remedy {
                by: "source",
                what: "`noexcept` on functions called in the loop; checks (`at()`) before the loop instead of inside.",
            },
            Remedy {
                by: "any",
                what: "`-fno-non-call-exceptions`; `-fno-exceptions` for files without any.",
            },
        ],
        caveats: "An exception that leaves a `noexcept` function ends the program.",
        ..Reason::BLANK
    },
];
