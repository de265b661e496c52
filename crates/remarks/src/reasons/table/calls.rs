//! Calls inside the loop.

use crate::reasons::row::Prover::{Clang, Gcc};
use crate::reasons::row::{Example, Reason, Remedy};

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
        meaning: "The compiler sees a call and not what it does: it may change any memory, and there is no version of it \
                  that works on several values at once.",
        cost: "Scalar loop, plus the call itself: about 5 cycles and all values kept in memory around it.",
        c: Example {
            bad: "double weight(double x);\nvoid apply(double *a, int n) {\n    for (int i = 0; i < n; i++)\n        a[i] = weight(a[i]);\n}\n",
            mended: "/* The body is visible, and inlined. */\nstatic inline double weight(double x) { return x * (1.0 - x); }\nvoid apply(double *a, int n) {\n    for (int i = 0; i < n; i++)\n        a[i] = weight(a[i]);\n}\n",
            proves_bad: &[Gcc, Clang],
            proves_mended: &[Gcc, Clang],
            ..Example::BLANK
        },
        fortran: Example {
            bad: "subroutine apply(a, n)\n  integer :: n, i\n  real(8) :: a(n)\n  interface\n    function weight(x)\n      real(8) :: x, weight\n    end function\n  end interface\n  do i = 1, n\n    a(i) = weight(a(i))\n  end do\nend subroutine\n",
            mended: "module weights\ncontains\n  pure function weight(x)\n    real(8), intent(in) :: x\n    real(8) :: weight\n    weight = x * (1 - x)\n  end function\n  subroutine apply(a, n)\n    integer :: n, i\n    real(8) :: a(n)\n    do i = 1, n\n      a(i) = weight(a(i))\n    end do\n  end subroutine\nend module\n",
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
            mended: "/* Decide once outside, call directly inside. */\nstatic double halve(double x) { return x * 0.5; }\nstatic double square(double x) { return x * x; }\nvoid apply(double *a, int n, int which) {\n    if (which == 0)\n        for (int i = 0; i < n; i++)\n            a[i] = halve(a[i]);\n    else\n        for (int i = 0; i < n; i++)\n            a[i] = square(a[i]);\n}\n",
            proves_bad: &[Gcc],
            proves_mended: &[Gcc, Clang],
            unproven: "clang does not tell indirect calls from direct ones (opaque-call).",
            ..Example::BLANK
        },
        fortran: Example {
            bad: "subroutine apply(a, n, f)\n  integer :: n, i\n  real(8) :: a(n)\n  interface\n    function f(x)\n      real(8) :: x, f\n    end function\n  end interface\n  do i = 1, n\n    a(i) = f(a(i))\n  end do\nend subroutine\n",
            mended: "subroutine apply(a, n, which)\n  integer :: n, i, which\n  real(8) :: a(n)\n  if (which == 0) then\n    do i = 1, n\n      a(i) = a(i) * 0.5d0\n    end do\n  else\n    do i = 1, n\n      a(i) = a(i) * a(i)\n    end do\n  end if\nend subroutine\n",
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
        meaning: "The loop calls a scalar mathematics function. Vector versions exist, but the compiler was not told where, \
                  or may not use them because they neither set `errno` nor round to the last digit.",
        cost: "10 to 100 cycles per element; vector versions take a quarter to an eighth.",
        c: Example {
            bad: "#include <math.h>\nvoid wave(double *a, int n) {\n    for (int i = 0; i < n; i++)\n        a[i] = sin(a[i]);\n}\n",
            mended: "#include <math.h>\nvoid wave(double *a, int n) {\n    for (int i = 0; i < n; i++)\n        a[i] = sin(a[i]);\n}\n",
            mended_flags: &["-ffast-math"],
            proves_bad: &[Gcc, Clang],
            proves_mended: &[Gcc],
            unproven: "clang needs `-fveclib=libmvec` (or SVML), which not every build of it supports.",
            ..Example::BLANK
        },
        fortran: Example {
            bad: "subroutine wave(a, n)\n  integer :: n, i\n  real(8) :: a(n)\n  do i = 1, n\n    a(i) = gamma(a(i))\n  end do\nend subroutine\n",
            mended: "! Of the intrinsics, sin, cos, exp, log and ** have vector versions in glibc; the gamma function has none.\nsubroutine wave(a, n)\n  integer :: n, i\n  real(8) :: a(n)\n  do i = 1, n\n    a(i) = sin(a(i))\n  end do\nend subroutine\n",
            mended_flags: &["-ffast-math"],
            proves_bad: &[Gcc],
            proves_mended: &[Gcc],
            ..Example::BLANK
        },
        remedies: &[
            Remedy {
                by: "gcc",
                what: "`-ffast-math` (or `-fno-math-errno -funsafe-math-optimizations -ffinite-math-only`) with glibc 2.22 or newer: uses libmvec, at most 4 units in the last place off.",
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
        meaning: "The processor has a vector square root, but C demands that `sqrt(-1)` sets `errno`: the compiler adds a \
                  branch and a call for that case, and a loop with a call stays scalar. GCC reports it as control flow in \
                  the loop, clang as a library call.",
        cost: "13 to 20 cycles per element instead of 2 to 5.",
        c: Example {
            bad: "#include <math.h>\nvoid norm(double *a, int n) {\n    for (int i = 0; i < n; i++)\n        a[i] = sqrt(a[i]);\n}\n",
            mended: "#include <math.h>\nvoid norm(double *a, int n) {\n    for (int i = 0; i < n; i++)\n        a[i] = sqrt(a[i]);\n}\n",
            mended_flags: &["-fno-math-errno"],
            proves_mended: &[Gcc, Clang],
            unproven: "GCC reports complex-control-flow and clang math-library-call for it: the words do not tell the square root apart.",
            ..Example::BLANK
        },
        fortran: Example {
            bad: "! Fortran has no errno: its SQRT is vectorised at once.\nsubroutine norm(a, n)\n  integer :: n, i\n  real(8) :: a(n)\n  do i = 1, n\n    a(i) = sqrt(a(i))\n  end do\nend subroutine\n",
            mended: "subroutine norm(a, n)\n  integer :: n, i\n  real(8) :: a(n)\n  do i = 1, n\n    a(i) = sqrt(a(i))\n  end do\nend subroutine\n",
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
            mended: "#pragma omp declare simd notinbranch\ndouble weight(double x);\nvoid apply(double *a, int n) {\n#pragma omp simd\n    for (int i = 0; i < n; i++)\n        a[i] = weight(a[i]);\n}\n",
            bad_flags: &["-fopenmp-simd"],
            mended_flags: &["-fopenmp-simd"],
            proves_mended: &[Gcc],
            unproven: "GCC and clang report the missing variant as an opaque call; clang does not use variants of undefined functions.",
            ..Example::BLANK
        },
        fortran: Example {
            bad: "subroutine apply(a, n)\n  integer :: n, i\n  real(8) :: a(n)\n  interface\n    function weight(x)\n      real(8) :: x, weight\n    end function\n  end interface\n  !$omp simd\n  do i = 1, n\n    a(i) = weight(a(i))\n  end do\nend subroutine\n",
            mended: "subroutine apply(a, n)\n  integer :: n, i\n  real(8) :: a(n)\n  interface\n    pure function weight(x)\n      !$omp declare simd(weight) notinbranch\n      real(8), value :: x\n      real(8) :: weight\n    end function\n  end interface\n  !$omp simd\n  do i = 1, n\n    a(i) = weight(a(i))\n  end do\nend subroutine\n",
            bad_flags: &["-fopenmp-simd"],
            mended_flags: &["-fopenmp-simd"],
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
