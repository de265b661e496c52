//! Control flow inside the loop.

use crate::reasons::row::Prover::{Clang, Gcc};
use crate::reasons::row::{Example, Reason, Remedy};

const GUARDED_C: &str = "/* With -fnon-call-exceptions each access may throw, and the guard must then be released. */\nvoid release(int *guard);\nvoid scale(double *a, int n) {\n    __attribute__((cleanup(release))) int guard = 1;\n    for (int i = 0; i < n; i++)\n        a[i] *= 2.0;\n}\n";
const SCALE_FORTRAN: &str = "! Fortran has no exceptions: the loop is vectorised at once.\nsubroutine scale(a, n)\n  integer :: n, i\n  real(8) :: a(n)\n  do i = 1, n\n    a(i) = a(i) * 2\n  end do\nend subroutine\n";

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
            bad: "void grade(double *a, const int *kind, int n) {\n    for (int i = 0; i < n; i++)\n        switch (kind[i]) {\n        case 0: a[i] = a[i] * 1.5; break;\n        case 1: a[i] = a[i] + 7.0; break;\n        case 2: a[i] = a[i] * 2.0 - 1.0; break;\n        case 3: a[i] = -a[i]; break;\n        }\n}\n",
            mended: "/* The same arithmetic in all cases, with coefficients from a table: adding -0.0 changes nothing. restrict promises that\n   a and kind do not overlap; no other thread writes a. */\nvoid grade(double *restrict a, const int *kind, int n) {\n    static const double table[] = {1.0, 1.5, 1.0, 2.0, -1.0, 1.0, -0.0, -0.0, 7.0, -1.0, -0.0, -0.0};\n    const double *factor = table + 1, *term = table + 7;\n    for (int i = 0; i < n; i++) {\n        int k = kind[i];\n        k = k < -1 ? -1 : k > 4 ? 4 : k;\n        a[i] = a[i] * factor[k] + term[k];\n    }\n}\n",
            proves_bad: &[Clang],
            proves_mended: &[Gcc, Clang],
            unproven: "GCC reports control flow in the loop.",
            ..Example::BLANK
        },
        fortran: Example {
            bad: "subroutine grade(a, kind, n)\n  integer :: n, i, kind(n)\n  real(8) :: a(n)\n  do i = 1, n\n    select case (kind(i))\n    case (0)\n      a(i) = a(i) * 1.5d0\n    case (1)\n      a(i) = a(i) + 7\n    case (2)\n      a(i) = a(i) * 2 - 1\n    case (3)\n      a(i) = -a(i)\n    end select\n  end do\nend subroutine\n",
            mended: "! The same arithmetic in all cases, with coefficients from a table: adding -0 changes nothing.\n! No other thread writes a.\nsubroutine grade(a, kind, n)\n  integer :: n, i, k, kind(n)\n  real(8) :: a(n)\n  real(8), parameter :: factor(-1:4) = [1d0, 1.5d0, 1d0, 2d0, -1d0, 1d0]\n  real(8), parameter :: term(-1:4) = [-0d0, -0d0, 7d0, -1d0, -0d0, -0d0]\n  do i = 1, n\n    k = max(-1, min(kind(i), 4))\n    a(i) = a(i) * factor(k) + term(k)\n  end do\nend subroutine\n",
            proves_mended: &[Gcc],
            unproven: "gfortran reports control flow in the loop.",
            ..Example::BLANK
        },
        remedies: &[
            Remedy {
                by: "source",
                what: "A table of coefficients indexed by the case, so that all cases do the same arithmetic.",
            },
            Remedy {
                by: "source",
                what: "`if`/`else` with plain assignments: clang makes selects of them, GCC 12 keeps branches where one value is compared several times.",
            },
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
            bad: "void part(double *a, const double *b, const int *flag, int n) {\n    for (int i = 0; i < n; i++) {\n        if (flag[i]) {\n            if (b[i] > 3.0)\n                continue;\n            a[i] = b[i];\n        } else if (b[i] > 0.0) {\n            a[i] = 1.0 / b[i];\n        }\n    }\n}\n",
            mended: "/* Both sides are computed with operands made safe, and one value is always stored: no other thread writes a. */\nvoid part(double *a, const double *b, const int *flag, int n) {\n    for (int i = 0; i < n; i++) {\n        double set = b[i] > 3.0 ? a[i] : b[i];\n        double inverse = 1.0 / (b[i] > 0.0 ? b[i] : 1.0);\n        double clear = b[i] > 0.0 ? inverse : a[i];\n        a[i] = flag[i] ? set : clear;\n    }\n}\n",
            mended_flags: &["-fno-trapping-math"],
            proves_bad: &[Gcc],
            proves_mended: &[Gcc, Clang],
            unproven: "clang vectorises it as written.",
            ..Example::BLANK
        },
        fortran: Example {
            bad: "subroutine part(a, b, flag, n)\n  integer :: n, i, flag(n)\n  real(8) :: a(n), b(n)\n  do i = 1, n\n    if (flag(i) > 0) then\n      if (b(i) > 3) cycle\n      a(i) = b(i)\n    else if (b(i) > 0) then\n      a(i) = 1 / b(i)\n    end if\n  end do\nend subroutine\n",
            mended: "! Both sides are computed with operands made safe, and one value is always stored: no other thread writes a.\nsubroutine part(a, b, flag, n)\n  integer :: n, i, flag(n)\n  real(8) :: a(n), b(n), set, clear\n  do i = 1, n\n    set = merge(a(i), b(i), b(i) > 3)\n    clear = merge(1 / merge(b(i), 1.0d0, b(i) > 0), a(i), b(i) > 0)\n    a(i) = merge(set, clear, flag(i) > 0)\n  end do\nend subroutine\n",
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
                  Here code remains after the test: a load of what the next iteration needs, which an earlier pass moved \
                  there because a store of the loop may change the value, or ways through the body that meet only there.",
        cost: "Scalar loop.",
        c: Example {
            bad: "/* The store may change *limit and *f: both are loaded again behind the test. */\nvoid scale(int *a, const int *limit, const int *f) {\n    for (int i = 0; i < *limit; i++)\n        a[i] = a[i] * *f;\n}\n",
            mended: "/* Neither *limit nor *f is an element of a: copies of them do not change. */\nvoid scale(int *a, const int *limit, const int *f) {\n    const int n = *limit;\n    const int by = *f;\n    for (int i = 0; i < n; i++)\n        a[i] = a[i] * by;\n}\n",
            proves_mended: &[Gcc, Clang],
            unproven: "Which loops keep something there depends on the passes before: GCC 12 says it of few small examples.",
            ..Example::BLANK
        },
        fortran: Example {
            bad: "subroutine scale(a, f, n)\n  integer :: n, i\n  real(8), target :: a(n)\n  real(8), pointer :: f\n  do i = 1, n\n    if (a(i) > f) cycle\n    a(i) = a(i) * f\n  end do\nend subroutine\n",
            mended: "! No element of a is f: a copy of it does not change.\nsubroutine scale(a, f, n)\n  integer :: n, i\n  real(8), target :: a(n)\n  real(8), pointer :: f\n  real(8) :: by\n  by = f\n  do i = 1, n\n    a(i) = merge(a(i), a(i) * by, a(i) > by)\n  end do\nend subroutine\n",
            mended_flags: &["-fno-trapping-math"],
            proves_mended: &[Gcc],
            unproven: "gfortran names the control flow.",
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
            mended: "/* Always stored, the old value where nothing changes: no other thread writes a. */\nvoid clip(signed char *a, const signed char *limit, int n) {\n    for (int i = 0; i < n; i++) {\n        signed char old = a[i];\n        a[i] = limit[i] > 3 ? 3 : old;\n    }\n}\n",
            proves_mended: &[Gcc, Clang],
            unproven: "GCC reports control flow in the loop; clang vectorises it as written.",
            ..Example::BLANK
        },
        fortran: Example {
            bad: "subroutine clip(a, limit, n)\n  integer :: n, i\n  integer(1) :: a(n), limit(n)\n  do i = 1, n\n    if (limit(i) > 3) a(i) = 3_1\n  end do\nend subroutine\n",
            mended: "! Always stored, the old value where nothing changes: no other thread writes a.\nsubroutine clip(a, limit, n)\n  integer :: n, i\n  integer(1) :: a(n), limit(n)\n  do i = 1, n\n    a(i) = merge(3_1, a(i), limit(i) > 3)\n  end do\nend subroutine\n",
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
            bad: "void work(double *a, int n) {\n    int i = 0;\nnext:\n    if (i >= n)\n        return;\n    a[i] *= 2.0;\n    if (a[i] < 0.0)\n        goto negative;\n    i++;\n    goto next;\nnegative:\n    a[i] = 0.0;\n    goto next;\n}\n",
            mended: "/* A counted loop, and a select in place of the jumps. */\nvoid work(double *a, int n) {\n    for (int i = 0; i < n; i++) {\n        double x = a[i] * 2.0;\n        a[i] = x < 0.0 ? 0.0 : x;\n    }\n}\n",
            proves_mended: &[Gcc, Clang],
            unproven: "Neither vectoriser knows such a loop as one: GCC and clang stay silent, or name the count or the control flow.",
            ..Example::BLANK
        },
        fortran: Example {
            bad: "subroutine work(a, n)\n  integer :: n, i\n  real(8) :: a(n)\n  i = 1\n10 if (i > n) goto 30\n  a(i) = a(i) * 2\n  if (a(i) < 0) goto 20\n  i = i + 1\n  goto 10\n20 a(i) = 0\n  goto 10\n30 continue\nend subroutine\n",
            mended: "! A counted loop, and a select in place of the jumps.\nsubroutine work(a, n)\n  integer :: n, i\n  real(8) :: a(n), x\n  do i = 1, n\n    x = a(i) * 2\n    a(i) = merge(0.0d0, x, x < 0)\n  end do\nend subroutine\n",
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
            bad: GUARDED_C,
            mended: GUARDED_C,
            bad_flags: &["-fexceptions", "-fnon-call-exceptions"],
            mended_flags: &["-fno-non-call-exceptions"],
            proves_mended: &[Gcc],
            unproven: "GCC names the control flow, as the throw leaves the loop; clang does not know the flags.",
            ..Example::BLANK
        },
        fortran: Example {
            bad: SCALE_FORTRAN,
            mended: SCALE_FORTRAN,
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
