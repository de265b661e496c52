//! Calls inside the loop.

use crate::reasons::row::Prover::{Clang, Gcc};
use crate::reasons::row::{Example, Reason, Remedy};

const NORM_FORTRAN: &str = "! Fortran has no errno: its SQRT is vectorised at once.\nsubroutine norm(a, n)\n  integer :: n, i\n  real(8) :: a(n)\n  do i = 1, n\n    a(i) = sqrt(a(i))\n  end do\nend subroutine\n";

pub(super) const ROWS: &[Reason] = &[
    Reason {
        id: "opaque-call",
        title: "the loop calls a function whose body is unknown",
        gcc: &["statement clobbers memory", "not vectorized: dr in a call"],
        gcc_hints: &["loop contains function calls or data references that cannot be analyzed"],
        clang: &["call instruction cannot be vectorized"],
        clang_names: &["CantVectorizeLibcall", "CantVectorizeCall"],
        intel: &[15527, 15543, 15382],
        intel_text: &["function call to", "call to function"],
        rank: 70,
        meaning: "The compiler sees a call, but not the called code: it may change any memory, and there is no version of it \
                  that works on several values at once.",
        cost: "Scalar loop, plus the call itself: about 5 cycles, and what vector registers hold is saved to memory around it \
               (System V convention).",
        c: Example {
            bad: "/* Defined in another file: x * (1.0 - x). */\ndouble weight(double x);\nvoid apply(double *a, int n) {\n    for (int i = 0; i < n; i++)\n        a[i] = weight(a[i]);\n}\n",
            mended: "/* The body is visible, and inlined: a header holds it. */\nstatic inline double weight(double x) { return x * (1.0 - x); }\nvoid apply(double *a, int n) {\n    for (int i = 0; i < n; i++)\n        a[i] = weight(a[i]);\n}\n",
            proves_bad: &[Gcc, Clang],
            proves_mended: &[Gcc, Clang],
            ..Example::BLANK
        },
        fortran: Example {
            bad: "! weight is defined in another file: x * (1 - x).\nsubroutine apply(a, n)\n  integer :: n, i\n  real(8) :: a(n)\n  interface\n    function weight(x)\n      real(8) :: x, weight\n    end function\n  end interface\n  do i = 1, n\n    a(i) = weight(a(i))\n  end do\nend subroutine\n",
            mended: "! The body is visible, and inlined: an internal function, or one of a module in the same file.\nsubroutine apply(a, n)\n  integer :: n, i\n  real(8) :: a(n)\n  do i = 1, n\n    a(i) = weight(a(i))\n  end do\ncontains\n  pure function weight(x)\n    real(8), intent(in) :: x\n    real(8) :: weight\n    weight = x * (1 - x)\n  end function\nend subroutine\n",
            proves_bad: &[Gcc],
            proves_mended: &[Gcc],
            ..Example::BLANK
        },
        remedies: &[
            Remedy {
                by: "source",
                what: "Put the body where the compiler sees it: a `static inline` function in the header, the same Fortran module.",
            },
            Remedy { by: "any", what: "Link-time optimisation (`-flto`, `-ipo`) inlines across files." },
            Remedy {
                by: "source",
                what: "`#pragma omp declare simd` on declaration and definition, with `-fopenmp-simd`.",
            },
            Remedy { by: "source", what: "Split the loop: the call in one, the arithmetic in another." },
        ],
        caveats: "Inlining large functions everywhere can cost more in the instruction cache than it gains.",
        ..Reason::BLANK
    },
    Reason {
        id: "indirect-call",
        title: "the loop calls through a pointer or a virtual function",
        gcc: &["statement clobbers memory*(D) (", "statement clobbers memory*OBJ_TYPE_REF"],
        gcc_callees: &["_#*", "OBJ_TYPE_REF*"],
        intel: &[15560],
        rank: 72,
        meaning: "Which function is called is known only at run time, so that it can be neither inlined nor vectorised.",
        cost: "Scalar loop, plus an indirect branch per iteration.",
        c: Example {
            bad: "void apply(double *a, int n, double (*f)(double)) {\n    for (int i = 0; i < n; i++)\n        a[i] = f(a[i]);\n}\n",
            mended: "/* Decide once outside the loop, and call the usual functions directly. */\ndouble halve(double x) { return x * 0.5; }\ndouble square(double x) { return x * x; }\nvoid apply(double *a, int n, double (*f)(double)) {\n    if (f == halve)\n        for (int i = 0; i < n; i++)\n            a[i] = halve(a[i]);\n    else if (f == square)\n        for (int i = 0; i < n; i++)\n            a[i] = square(a[i]);\n    else\n        for (int i = 0; i < n; i++)\n            a[i] = f(a[i]);\n}\n",
            proves_bad: &[Gcc],
            proves_mended: &[Gcc, Clang],
            unproven: "clang does not distinguish indirect from direct calls (opaque-call).",
            ..Example::BLANK
        },
        fortran: Example {
            bad: "subroutine apply(a, n, f)\n  integer :: n, i\n  real(8) :: a(n)\n  interface\n    function f(x)\n      real(8), intent(in) :: x\n      real(8) :: f\n    end function\n  end interface\n  do i = 1, n\n    a(i) = f(a(i))\n  end do\nend subroutine\n",
            mended: "! Decide once outside the loop, and call the usual functions directly.\nmodule usual\ncontains\n  function halve(x)\n    real(8), intent(in) :: x\n    real(8) :: halve\n    halve = x * 0.5d0\n  end function\n  function square(x)\n    real(8), intent(in) :: x\n    real(8) :: square\n    square = x * x\n  end function\nend module\nsubroutine apply(a, n, f)\n  use usual\n  integer :: n, i\n  real(8) :: a(n)\n  procedure(halve) :: f\n  procedure(halve), pointer :: p\n  p => f\n  if (associated(p, halve)) then\n    do i = 1, n\n      a(i) = halve(a(i))\n    end do\n  else if (associated(p, square)) then\n    do i = 1, n\n      a(i) = square(a(i))\n    end do\n  else\n    do i = 1, n\n      a(i) = f(a(i))\n    end do\n  end if\nend subroutine\n",
            proves_bad: &[Gcc],
            proves_mended: &[Gcc],
            ..Example::BLANK
        },
        remedies: &[
            Remedy {
                by: "source",
                what: "Hoist the decision: one loop per target, or a template parameter (C++) instead of a pointer.",
            },
            Remedy {
                by: "source",
                what: "Sort objects by type and call a function that works on a whole array.",
            },
            Remedy {
                by: "any",
                what: "`final` classes, `-flto` with `-fwhole-program-vtables` (clang) or `-fdevirtualize-at-ltrans` (GCC); profile-guided optimisation.",
            },
        ],
        caveats: "One loop per target multiplies code: worth it for few targets.",
        ..Reason::BLANK
    },
    Reason {
        id: "math-library-call",
        title: "a mathematics function has no vector version here",
        gcc: &["function is not vectorizable"],
        gcc_callees: &[
            "sin",
            "cos",
            "tan",
            "asin",
            "acos",
            "atan",
            "atan2",
            "sinh",
            "cosh",
            "tanh",
            "asinh",
            "acosh",
            "atanh",
            "exp",
            "exp2",
            "exp10",
            "expm1",
            "log",
            "log2",
            "log10",
            "log1p",
            "pow",
            "cbrt",
            "erf",
            "erfc",
            "tgamma",
            "lgamma",
            "hypot",
            "fmod",
            "remainder",
            "sincos",
            "ldexp",
            "modf",
            "frexp",
            "nearbyint",
            "rint",
            "lrint",
            "lround",
            "llround",
            "round",
            "floor",
            "ceil",
            "trunc",
            "powi",
            "cexpi",
        ],
        clang: &["library call cannot be vectorized"],
        intel: &[15338, 15383],
        rank: 86,
        meaning: "The loop calls a scalar mathematics function. Vector versions exist, but the compiler does not know of \
                  them, or may not use them because they neither set `errno` nor round to the last digit.",
        cost: "10 to 100 cycles per element; vector versions take a quarter to an eighth.",
        c: Example {
            bad: "#include <math.h>\nvoid wave(double *a, int n) {\n    for (int i = 0; i < n; i++)\n        a[i] = sin(a[i]);\n}\n",
            mended: "#include <math.h>\nvoid wave(double *a, int n) {\n    for (int i = 0; i < n; i++)\n        a[i] = sin(a[i]);\n}\n",
            mended_flags: &["-ffast-math"],
            proves_bad: &[Gcc, Clang],
            proves_mended: &[Gcc],
            unproven: "clang reports the mended one as vectorised, but calls the scalar function for each element unless `-fveclib=libmvec` (or SVML) is given, which not every build of it supports.",
            ..Example::BLANK
        },
        fortran: Example {
            bad: "! Most functions have vector versions, which gfortran uses at once; the gamma function has none in glibc.\nsubroutine wave(a, b, n)\n  integer :: n, i\n  real(8) :: a(n), b(n)\n  do i = 1, n\n    a(i) = gamma(a(i)) * (b(i) * b(i) + 1) - b(i)\n  end do\nend subroutine\n",
            mended: "! The calls in a loop of their own, the arithmetic in vectors.\nsubroutine wave(a, b, n)\n  integer :: n, i\n  real(8) :: a(n), b(n)\n  do i = 1, n\n    a(i) = gamma(a(i))\n  end do\n  do i = 1, n\n    a(i) = a(i) * (b(i) * b(i) + 1) - b(i)\n  end do\nend subroutine\n",
            proves_bad: &[Gcc],
            proves_mended: &[Gcc],
            ..Example::BLANK
        },
        remedies: &[
            Remedy {
                by: "gcc",
                what: "`-ffast-math` (or `-fno-math-errno -funsafe-math-optimizations -ffinite-math-only`) with glibc 2.22 or newer: uses libmvec, at most 4 units in the last place off. gfortran uses it without these flags.",
            },
            Remedy {
                by: "clang",
                what: "`-fno-math-errno -fveclib=libmvec` (or `SVML`, `SLEEF` by target).",
            },
            Remedy {
                by: "intel",
                what: "`-qopt-report` shows `SVML`; `-fimf-precision=medium` allows faster variants.",
            },
            Remedy {
                by: "source",
                what: "Call a vector library over the whole array (VML, SLEEF, the kernel library of this project), or use a polynomial that is exact enough.",
            },
        ],
        caveats: "Vector versions differ in the last digits, and special values may be treated differently under \
                  `-ffast-math`.",
        ..Reason::BLANK
    },
    Reason {
        id: "sqrt-errno",
        title: "a square root must set errno for negative arguments",
        gcc_callees: &["sqrt"],
        rank: 87,
        meaning: "The processor has a vector square root, but in C `sqrt(-1)` sets `errno`: the compiler adds a \
                  branch and a call for that case, and a loop with a call stays scalar. GCC reports it as control flow in \
                  the loop, clang as a library call.",
        cost: "4 to 6 cycles per element instead of 2 to 3 (Skylake), and the arithmetic around the root stays scalar, too.",
        c: Example {
            bad: "#include <math.h>\nvoid norm(double *a, int n) {\n    for (int i = 0; i < n; i++)\n        a[i] = sqrt(a[i]);\n}\n",
            mended: "#include <math.h>\nvoid norm(double *a, int n) {\n    for (int i = 0; i < n; i++)\n        a[i] = sqrt(a[i]);\n}\n",
            mended_flags: &["-fno-math-errno"],
            proves_mended: &[Gcc, Clang],
            unproven: "GCC reports complex-control-flow and clang math-library-call for it: the messages do not identify the square root.",
            ..Example::BLANK
        },
        fortran: Example {
            bad: NORM_FORTRAN,
            mended: NORM_FORTRAN,
            proves_mended: &[Gcc],
            unproven: "Fortran does not know this reason.",
            ..Example::BLANK
        },
        remedies: &[Remedy {
            by: "any",
            what: "`-fno-math-errno`: safe for all programs that never read `errno` after a mathematics call.",
        }],
        caveats: "None for programs that do not look at `errno` after mathematics functions.",
        ..Reason::BLANK
    },
    Reason {
        id: "no-simd-variant",
        title: "the called function has no variant for vectors",
        gcc: &["unsupported SIMD clone", "no simd clone", "too many simd clones"],
        clang: &["intrinsic instruction cannot be vectorized"],
        clang_names: &["CantVectorizeIntrinsic"],
        intel: &[15545, 15558, 15559],
        intel_text: &["no suitable variant"],
        rank: 78,
        meaning: "The function was declared for use in vector loops, or is a built-in, but no variant fits the vector \
                  length, the mask or the types of this loop.",
        cost: "Scalar calls, one per element.",
        c: Example {
            bad: "double weight(double x);\nvoid apply(double *a, int n) {\n#pragma omp simd\n    for (int i = 0; i < n; i++)\n        a[i] = weight(a[i]);\n}\n",
            mended: "/* The file that defines the function has the same directive. */\n#pragma omp declare simd notinbranch\ndouble weight(double x);\nvoid apply(double *a, int n) {\n#pragma omp simd\n    for (int i = 0; i < n; i++)\n        a[i] = weight(a[i]);\n}\n",
            bad_flags: &["-fopenmp-simd"],
            mended_flags: &["-fopenmp-simd"],
            proves_mended: &[Gcc],
            unproven: "GCC and clang report the missing variant as an opaque call; clang does not use variants of undefined functions.",
            ..Example::BLANK
        },
        fortran: Example {
            bad: "subroutine apply(a, n)\n  integer :: n, i\n  real(8) :: a(n)\n  interface\n    pure function weight(x)\n      real(8), value :: x\n      real(8) :: weight\n    end function\n  end interface\n  !$omp simd\n  do i = 1, n\n    a(i) = weight(a(i))\n  end do\nend subroutine\n",
            mended: "! The file that defines the function has the same directive.\nsubroutine apply(a, n)\n  integer :: n, i\n  real(8) :: a(n)\n  interface\n    pure function weight(x)\n      !$omp declare simd(weight) notinbranch\n      real(8), value :: x\n      real(8) :: weight\n    end function\n  end interface\n  !$omp simd\n  do i = 1, n\n    a(i) = weight(a(i))\n  end do\nend subroutine\n",
            bad_flags: &["-fopenmp-simd"],
            mended_flags: &["-fopenmp-simd"],
            proves_mended: &[Gcc],
            unproven: "gfortran reports the missing variant as an opaque call.",
            ..Example::BLANK
        },
        remedies: &[
            Remedy {
                by: "source",
                what: "`#pragma omp declare simd` with `simdlen`, `uniform`, `linear`, `inbranch` or `notinbranch` to fit the call, on declaration *and* definition.",
            },
            Remedy { by: "source", what: "Inline the function." },
        ],
        caveats: "The file that defines the function must be compiled with `-fopenmp-simd` too, or linking fails.",
        ..Reason::BLANK
    },
];
