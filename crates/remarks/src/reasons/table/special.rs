//! Accesses with special semantics, and types and operations without vector form.

use crate::reasons::row::Prover::{Clang, Gcc};
use crate::reasons::row::{Example, Reason, Remedy};

const RENEW_FORTRAN: &str = "! Fortran has no bit-fields; MVBITS on packed words is vectorised at once.\nsubroutine renew(c, n)\n  integer :: n, i, c(n)\n  do i = 1, n\n    call mvbits(7, 0, 12, c(i), 4)\n  end do\nend subroutine\n";

pub(super) const ROWS: &[Reason] = &[
    Reason {
        id: "volatile-access",
        title: "the loop reads or writes volatile data",
        gcc: &["not vectorized: volatile type", "stmt has volatile operands"],
        clang: &[
            "read with atomic ordering or volatile read",
            "write with atomic ordering or volatile write",
        ],
        clang_names: &["NonSimpleLoad", "NonSimpleStore"],
        intel: &[15529],
        intel_text: &["volatile"],
        rank: 88,
        meaning: "Each access to `volatile` data must happen exactly once, in order, and in its own size.",
        cost: "Scalar loop, and no value stays in a register.",
        c: Example {
            bad: "void add(volatile double *a, const double *b, int n) {\n    for (int i = 0; i < n; i++)\n        a[i] = a[i] + b[i];\n}\n",
            mended: "/* Right only where no device and no signal handler shares a. */\nvoid add(double *a, const double *b, int n) {\n    for (int i = 0; i < n; i++)\n        a[i] = a[i] + b[i];\n}\n",
            proves_bad: &[Gcc, Clang],
            proves_mended: &[Gcc, Clang],
            ..Example::BLANK
        },
        fortran: Example {
            bad: "subroutine add(a, b, n)\n  integer :: n, i\n  real(8), volatile :: a(n)\n  real(8) :: b(n)\n  do i = 1, n\n    a(i) = a(i) + b(i)\n  end do\nend subroutine\n",
            mended: "! Right only where no device and no signal handler shares a.\nsubroutine add(a, b, n)\n  integer :: n, i\n  real(8) :: a(n), b(n)\n  do i = 1, n\n    a(i) = a(i) + b(i)\n  end do\nend subroutine\n",
            proves_bad: &[Gcc],
            proves_mended: &[Gcc],
            ..Example::BLANK
        },
        remedies: &[
            Remedy { by: "source", what: "Copy to a plain local array, compute there, copy back." },
            Remedy {
                by: "source",
                what: "`volatile` does not make data safe between threads; use atomics or locks for that, outside of the loop.",
            },
        ],
        caveats: "Device registers do need it.",
        ..Reason::BLANK
    },
    Reason {
        id: "atomic-operation",
        title: "the loop uses atomic operations",
        gcc_callees: &["__atomic_*", "__sync_*", "GOMP_atomic_*"],
        gcc: &[
            "statement clobbers memory: __atomic_",
            "statement clobbers memory*__atomic_",
            "statement clobbers memory*__sync_",
        ],
        clang: &["atomic"],
        intel: &[15565],
        intel_text: &["atomic", "fence"],
        rank: 89,
        meaning: "An atomic operation works on one element, and all but relaxed ones order the accesses around them.",
        cost: "About 20 cycles per operation even without contention, hundreds with it.",
        c: Example {
            bad: "void count(unsigned *total, const unsigned *key, int n) {\n    for (int i = 0; i < n; i++)\n        __atomic_fetch_add(total, key[i], __ATOMIC_RELAXED);\n}\n",
            mended: "/* Sum privately, publish once. */\nvoid count(unsigned *total, const unsigned *key, int n) {\n    unsigned sum = 0;\n    for (int i = 0; i < n; i++)\n        sum += key[i];\n    __atomic_fetch_add(total, sum, __ATOMIC_RELAXED);\n}\n",
            proves_bad: &[Gcc],
            proves_mended: &[Gcc, Clang],
            unproven: "clang says only that an instruction cannot be vectorized.",
            ..Example::BLANK
        },
        fortran: Example {
            bad: "subroutine count(total, key, n)\n  integer :: n, i, total, key(n)\n  do i = 1, n\n    !$omp atomic\n    total = total + key(i)\n  end do\nend subroutine\n",
            mended: "! Sum privately, publish once.\nsubroutine count(total, key, n)\n  integer :: n, i, total, key(n), s\n  s = 0\n  do i = 1, n\n    s = s + key(i)\n  end do\n  !$omp atomic\n  total = total + s\nend subroutine\n",
            bad_flags: &["-fopenmp"],
            mended_flags: &["-fopenmp"],
            proves_bad: &[Gcc],
            proves_mended: &[Gcc],
            ..Example::BLANK
        },
        remedies: &[Remedy {
            by: "source",
            what: "Privatise per thread, combine once after the loop (`reduction` in OpenMP).",
        }],
        caveats: "Other threads see the sum only at the end.",
        ..Reason::BLANK
    },
    Reason {
        id: "inline-assembly",
        title: "the loop contains inline assembly",
        gcc_callees: &["__asm__", "asm"],
        gcc: &["statement clobbers memory: __asm__", "not vectorized: irregular stmt*__asm__"],
        clang: &["inline asm"],
        intel: &[15526],
        intel_text: &["asm"],
        rank: 90,
        meaning: "The compiler does not read assembly: it only knows the operands that were declared.",
        cost: "Scalar loop; instructions cannot be moved across it.",
        c: Example {
            bad: "void swap_bytes(unsigned *a, int n) {\n    for (int i = 0; i < n; i++)\n        __asm__ volatile(\"bswap %0\" : \"+r\"(a[i]) : : \"memory\");\n}\n",
            mended: "/* The compiler knows what its built-in function does. */\nvoid swap_bytes(unsigned *a, int n) {\n    for (int i = 0; i < n; i++)\n        a[i] = __builtin_bswap32(a[i]);\n}\n",
            proves_bad: &[Gcc],
            proves_mended: &[Gcc, Clang],
            unproven: "clang does not distinguish assembly from a call (opaque-call).",
            ..Example::BLANK
        },
        fortran: Example {
            bad: "! Fortran has no inline assembly; a C function that has some (here bswap) is an opaque call.\nsubroutine swap_bytes(a, n)\n  integer :: n, i, a(n)\n  do i = 1, n\n    call swap_one(a(i))\n  end do\nend subroutine\n",
            mended: "! The same in shifts and masks.\nsubroutine swap_bytes(a, n)\n  integer :: n, i, a(n)\n  do i = 1, n\n    a(i) = ior(ior(ishft(a(i), -24), iand(ishft(a(i), -8), 65280)), &\n               ior(iand(ishft(a(i), 8), 16711680), ishft(a(i), 24)))\n  end do\nend subroutine\n",
            proves_mended: &[Gcc],
            unproven: "Fortran does not know this reason.",
            ..Example::BLANK
        },
        remedies: &[Remedy {
            by: "source",
            what: "Built-in functions or intrinsics, which the compiler understands.",
        }],
        caveats: "",
        ..Reason::BLANK
    },
    Reason {
        id: "bit-field",
        title: "the loop accesses bit-fields",
        gcc: &["statement is bitfield access"],
        rank: 85,
        meaning: "A bit-field shares its bytes with its neighbours, so that each store reads, masks and writes back. GCC up \
                  to 12 does not vectorise that.",
        cost: "Scalar loop with several operations per access.",
        c: Example {
            bad: "struct cell { unsigned kind : 4, age : 12; };\nvoid renew(struct cell *c, int n) {\n    for (int i = 0; i < n; i++)\n        c[i].age = 7;\n}\n",
            mended: "/* Changed layout: an array of its own for the member that loops touch. */\nvoid renew(unsigned short *age, int n) {\n    for (int i = 0; i < n; i++)\n        age[i] = 7;\n}\n",
            proves_bad: &[Gcc],
            proves_mended: &[Gcc, Clang],
            unproven: "clang vectorises bit-fields.",
            ..Example::BLANK
        },
        fortran: Example {
            bad: RENEW_FORTRAN,
            mended: RENEW_FORTRAN,
            proves_mended: &[Gcc],
            unproven: "Fortran does not know this reason.",
            ..Example::BLANK
        },
        remedies: &[
            Remedy {
                by: "source",
                what: "A byte or short of its own for members that loops touch, or explicit shifts and masks on whole words.",
            },
            Remedy { by: "gcc", what: "GCC 13 and newer vectorise many bit-fields." },
        ],
        caveats: "Unpacked members take more memory and bandwidth.",
        ..Reason::BLANK
    },
    Reason {
        id: "unsupported-type",
        title: "there are no vectors of this type",
        gcc: &[
            "not vectorized: no vectype for stmt*scalar_type: long double",
            "not vectorized: no vectype for stmt*scalar_type: _Float128",
            "not vectorized: no vectype for stmt*scalar_type: __float128",
            "not vectorized: no vectype for stmt*scalar_type: __int128",
            "not vectorized: no vectype for stmt*scalar_type: const long double",
            "not vectorized: no vectype for stmt*real(kind=10)",
            "not vectorized: no vectype for stmt*real(kind=16)",
            "not vectorized: no vectype for stmt*integer(kind=16)",
            "not vectorized: no vectype for stmt*scalar_type: complex",
            "not vectorized: no vectype for stmt*scalar_type: _Complex",
        ],
        gcc_hints: &["not vectorized: unsupported data-type"],
        clang: &[
            "instruction return type cannot be vectorized",
            "Found unvectorizable type",
            "is not supported for all element types found in this loop",
        ],
        clang_names: &["CantVectorizeInstructionReturnType", "UnsupportedType", "CantVectorizeStore"],
        intel: &[15328, 15573],
        intel_text: &["unsupported data type"],
        rank: 88,
        meaning: "The type has no vector form: `long double` and 10-byte reals live in the x87 unit, 16-byte reals are \
                  computed in software, and 16-byte integers in pairs of registers.",
        cost: "Scalar; x87 code at best one operation per cycle, 16-byte reals some dozens to some hundred cycles each.",
        c: Example {
            bad: "void scale(long double *a, int n) {\n    for (int i = 0; i < n; i++)\n        a[i] *= 2.0L;\n}\n",
            mended: "/* Changed type: 53 bits instead of 64, and less range. */\nvoid scale(double *a, int n) {\n    for (int i = 0; i < n; i++)\n        a[i] *= 2.0;\n}\n",
            proves_bad: &[Gcc],
            proves_mended: &[Gcc, Clang],
            unproven: "clang leaves it to its cost model.",
            ..Example::BLANK
        },
        fortran: Example {
            bad: "subroutine scale(a, n)\n  integer :: n, i\n  real(kind=10) :: a(n)\n  do i = 1, n\n    a(i) = a(i) * 2\n  end do\nend subroutine\n",
            mended: "! Changed type: 53 bits instead of 64, and less range.\nsubroutine scale(a, n)\n  integer :: n, i\n  real(8) :: a(n)\n  do i = 1, n\n    a(i) = a(i) * 2\n  end do\nend subroutine\n",
            proves_bad: &[Gcc],
            proves_mended: &[Gcc],
            ..Example::BLANK
        },
        remedies: &[Remedy {
            by: "source",
            what: "`double` where its 53 bits suffice; compensated (Kahan) or double-double sums where they do not.",
        }],
        caveats: "Check what the extra digits were for before giving them up.",
        ..Reason::BLANK
    },
];
