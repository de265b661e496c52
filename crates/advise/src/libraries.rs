//! Libraries and interpreters by file name: what they do, and what does the same faster.
//!
//! One table row per library. Sources: the projects' own documentation; names as Debian, conda and wheels
//! ship them (`libopenblas64_p-r0-0cf96a72.3.23.dev.so` and the like), hence matching by prefix.

/// What is known of a library.
#[derive(Clone, Copy, Debug)]
pub struct Library {
    /// The file name starts with this.
    pub prefix: &'static str,
    /// What it is.
    pub what: &'static str,
    /// What to do.
    pub advice: &'static str,
    /// Predicted speed-up of its time.
    pub gain: (f64, f64),
    /// A command or variable that shows or changes what it does; empty when there is none.
    pub environment: &'static [Setting],
}

/// A variable of the environment: its name, its value, what it does.
pub type Setting = (&'static str, &'static str, &'static str);

const NO_SETTING: &[Setting] = &[];

/// What makes the scalar functions of a mathematics library cheaper.
const MATHEMATICS: &str = "Call them less often: move calls out of loops that do not change their arguments, keep results for arguments that \
     come back, compute exp, sin and cos of equal steps (k * x, or x + k * d) from the ones before by a multiplication or the addition \
     formulas, and write powers with small whole exponents as products, x**0.5 as a root. What is left in loops whose calls do not need \
     each other's results: let the compiler call vector versions (libmvec with -ffast-math, clang -fveclib=libmvec, SLEEF).";

/// The table; the first matching row counts, so longer prefixes come first.
pub const LIBRARIES: &[Library] = &[
    Library {
        prefix: "libopenblas",
        what: "OpenBLAS, tuned linear algebra",
        advice: "It is near the machine's peak already for large matrices. Check that the kernels fit the machine \
                 (OPENBLAS_VERBOSE=2 names them), that its threads do not compete with yours, batch small calls, \
                 and call level 3 (dgemm) where the code calls level 1 or 2 (ddot, dgemv) in loops.",
        gain: (1.0, 1.3),
        environment: &[
            ("OPENBLAS_VERBOSE", "2", "prints the kernel set chosen for this machine"),
            (
                "OPENBLAS_NUM_THREADS",
                "1",
                "when the program has threads of its own: stops both from competing",
            ),
        ],
    },
    Library {
        prefix: "libscipy_openblas",
        what: "OpenBLAS as NumPy and SciPy ship it, tuned linear algebra",
        advice: "It is near the machine's peak already for large matrices. Check that the kernels fit the machine \
                 (OPENBLAS_VERBOSE=2 names them), that its threads do not compete with yours, batch small calls, \
                 and call level 3 (dgemm) where the code calls level 1 or 2 (ddot, dgemv) in loops.",
        gain: (1.0, 1.3),
        environment: &[
            ("OPENBLAS_VERBOSE", "2", "prints the kernel set chosen for this machine"),
            (
                "OPENBLAS_NUM_THREADS",
                "1",
                "when the program has threads of its own: stops both from competing",
            ),
        ],
    },
    Library {
        prefix: "libblas",
        what: "the reference BLAS, plain Fortran loops",
        advice: "Replace it by OpenBLAS, BLIS or MKL; they have the same interface. On Debian: install libopenblas0 and choose it \
                 with `update-alternatives --config libblas.so.3-x86_64-linux-gnu`; no rebuild is needed.",
        gain: (2.0, 30.0),
        environment: NO_SETTING,
    },
    Library {
        prefix: "liblapack",
        what: "the reference LAPACK",
        advice: "Replace it by the LAPACK of OpenBLAS, libFLAME or MKL, which have the same interface and call a tuned BLAS.",
        gain: (1.3, 10.0),
        environment: NO_SETTING,
    },
    Library {
        prefix: "libgslcblas",
        what: "the reference CBLAS of the GNU Scientific Library",
        advice: "Link -lopenblas (or -lblis) instead of -lgslcblas: the interface is the same.",
        gain: (2.0, 30.0),
        environment: NO_SETTING,
    },
    Library {
        prefix: "libmkl",
        what: "Intel MKL",
        advice: "It is near the machine's peak already for large problems. Align data to 64 bytes, batch small calls \
                 (cblas_dgemm_batch, jit_gemm), and call level 3 functions where the code calls level 1 or 2.",
        gain: (1.0, 1.3),
        environment: &[("MKL_VERBOSE", "1", "prints each call with its sizes and time")],
    },
    Library {
        prefix: "libblis",
        what: "BLIS, tuned linear algebra",
        advice: "It is near the machine's peak already for large matrices: batch small calls and call level 3 functions.",
        gain: (1.0, 1.3),
        environment: &[("BLIS_ARCH_DEBUG", "1", "prints the kernel set chosen for this machine")],
    },
    Library {
        prefix: "libmvec",
        what: "glibc's vector mathematics",
        advice: "Its functions are vectorised already. What is left: fewer calls (hoist invariant ones, use tables or polynomials), \
                 f32 where that is enough, and a compiler level with AVX2 or AVX-512, which selects the wider variants.",
        gain: (1.0, 10.0),
        environment: NO_SETTING,
    },
    Library {
        prefix: "libm.so",
        what: "scalar mathematics functions",
        advice: MATHEMATICS,
        gain: (1.0, 20.0),
        environment: NO_SETTING,
    },
    Library {
        prefix: "libm-2",
        what: "scalar mathematics functions",
        advice: MATHEMATICS,
        gain: (1.0, 4.0),
        environment: NO_SETTING,
    },
    Library {
        prefix: "libz.so",
        what: "zlib, compression",
        advice: "Use zlib-ng in its compatible mode (the same interface, loaded instead of libz.so.1) or libdeflate for whole buffers, and a \
                 lower level; where the format is free, zstd or lz4.",
        gain: (1.5, 4.0),
        environment: NO_SETTING,
    },
    Library {
        prefix: "libbz2",
        what: "bzip2, compression",
        advice: "Use lbzip2 or pbzip2 for whole files (they use all CPUs), or zstd where the format is free.",
        gain: (1.0, 8.0),
        environment: NO_SETTING,
    },
    Library {
        prefix: "liblzma",
        what: "xz, compression",
        advice: "Use its threaded encoder (lzma_stream_encoder_mt, `xz -T0`), a lower preset, or zstd where the format is free.",
        gain: (1.0, 8.0),
        environment: &[("XZ_DEFAULTS", "-T0", "makes the xz command use every CPU")],
    },
    Library {
        prefix: "libfftw3",
        what: "FFTW",
        advice: "Plan with FFTW_MEASURE and keep the plan (FFTW_ESTIMATE can be several times slower), save wisdom, align arrays \
                 with fftw_malloc, use sizes with small prime factors, and a build with --enable-avx2 or --enable-avx512.",
        gain: (1.0, 3.0),
        environment: NO_SETTING,
    },
    Library {
        prefix: "libgsl.so",
        what: "the GNU Scientific Library",
        advice: "Its vector and matrix loops are scalar and check their ranges: build with -DGSL_RANGE_CHECK_OFF -DHAVE_INLINE, use \
                 OpenBLAS for BLAS, FFTW for transforms, and pass it callbacks as rarely as possible.",
        gain: (1.0, 5.0),
        environment: NO_SETTING,
    },
    Library {
        prefix: "libgfortran",
        what: "the Fortran run time: matmul, array intrinsics, formatted input and output",
        advice: "For matmul of large matrices compile with -fexternal-blas and link OpenBLAS; for small ones -finline-matmul-limit=30. \
                 For input and output use unformatted stream access and a larger buffer; formatted numbers cost hundreds of cycles each: \
                 fields at known columns are decoded faster than read by a format.",
        gain: (1.5, 20.0),
        environment: &[(
            "GFORTRAN_UNFORMATTED_BUFFER_SIZE",
            "1048576",
            "a larger buffer for unformatted files",
        )],
    },
    Library {
        prefix: "libstdc++",
        what: "the C++ run time: streams, locales, strings, tree containers",
        advice: "Time here is rarely arithmetic: read and write numbers with std::from_chars and std::to_chars instead of streams, \
                 call std::ios::sync_with_stdio(false), use flat containers instead of std::map, and compile templates such as \
                 std::sort at -O3 in the program itself.",
        gain: (1.0, 5.0),
        environment: NO_SETTING,
    },
    Library {
        prefix: "libc.so",
        what: "the C library",
        advice: "The evidence names the hottest functions. For memcpy and memset: avoid the copy, or fuse it with the pass that uses the data; \
                 for malloc and free: reuse buffers or load another allocator; for printf and scanf of numbers: a binary format; for qsort: \
                 a sort with an inlined comparison; for strlen in loop conditions: hoist it.",
        gain: (1.0, 2.0),
        environment: NO_SETTING,
    },
    Library {
        prefix: "libc-2",
        what: "the C library",
        advice: "For memcpy and memset: avoid the copy, or fuse it with the pass that uses the data; for malloc and free: reuse buffers; for \
                 printf and scanf of numbers: a binary format; for qsort: a sort with an inlined comparison.",
        gain: (1.0, 2.0),
        environment: NO_SETTING,
    },
    Library {
        prefix: "libgomp",
        what: "GCC's OpenMP run time: threads waiting for each other",
        advice: "Time here is waiting: balance the iterations (schedule(dynamic) or guided), make parallel regions longer, drop barriers \
                 (nowait), use fewer threads than there are CPUs when other programs run, and pin them.",
        gain: (1.0, 3.0),
        environment: &[
            ("OMP_PROC_BIND", "close", "keeps threads where they are"),
            ("OMP_PLACES", "cores", "one thread per core"),
            ("OMP_WAIT_POLICY", "passive", "waiting threads sleep: frees CPUs, wakes slower"),
        ],
    },
    Library {
        prefix: "libomp",
        what: "LLVM's OpenMP run time: threads waiting for each other",
        advice: "Time here is waiting: balance the iterations (schedule(dynamic) or guided), make parallel regions longer, drop barriers (nowait), \
                 and pin the threads.",
        gain: (1.0, 3.0),
        environment: &[
            ("OMP_PROC_BIND", "close", "keeps threads where they are"),
            ("OMP_PLACES", "cores", "one thread per core"),
        ],
    },
    Library {
        prefix: "libmpi",
        what: "the MPI library: mostly waiting for other ranks",
        advice: "Look at the balance between ranks first, then overlap: post receives early (MPI_Irecv before the work), send large \
                 messages non-blocking, replace many small messages by one, and use collectives instead of loops of sends.",
        gain: (1.0, 3.0),
        environment: NO_SETTING,
    },
    Library {
        prefix: "libopen-pal",
        what: "Open MPI's progress engine: mostly waiting for other ranks",
        advice: "Look at the balance between ranks first, then post receives early and overlap communication with work.",
        gain: (1.0, 3.0),
        environment: &[(
            "OMPI_MCA_mpi_yield_when_idle",
            "1",
            "waiting ranks yield their CPU: only when CPUs are oversubscribed",
        )],
    },
    Library {
        prefix: "libcrypto",
        what: "OpenSSL",
        advice: "Choose ciphers that the processor has instructions for (AES-GCM; SHA-256 with SHA extensions), use the EVP interface, which \
                 dispatches to them, work on large buffers, and check that OPENSSL_ia32cap is not set.",
        gain: (1.0, 3.0),
        environment: NO_SETTING,
    },
    Library {
        prefix: "_multiarray_umath",
        what: "NumPy's own loops",
        advice: "Each NumPy expression is a pass over memory with a temporary array: write into existing arrays (out=, +=), \
                 evaluate whole expressions at once with numexpr or numba, use contiguous arrays and f32 where that is enough. \
                 `numpy.show_config()` lists the instruction sets that NumPy dispatches to on this machine.",
        gain: (1.2, 5.0),
        environment: &[("NPY_DISABLE_CPU_FEATURES", "", "must be unset: it switches instruction sets off")],
    },
];

/// What to do about time in an interpreter.
pub const INTERPRETER: &str = "Time here is interpretation, not arithmetic: move the inner loops into array operations (NumPy) or compile them \
                               (Numba, Cython, pybind11, PyO3); a newer interpreter alone gains some 10 to 60 %.";

/// The row for a module's file name.
pub fn known(file_name: &str) -> Option<&'static Library> {
    LIBRARIES.iter().find(|l| file_name.starts_with(l.prefix))
}

/// Whether a library provides BLAS.
pub fn is_blas(file_name: &str) -> bool {
    const PREFIXES: [&str; 9] = [
        "libopenblas",
        "libscipy_openblas",
        "libblas",
        "libcblas",
        "libgslcblas",
        "libflexiblas",
        "libmkl",
        "libblis",
        "libarmpl",
    ];
    PREFIXES.iter().any(|prefix| file_name.starts_with(prefix))
}

/// Variables that choose the kernels of a library which has them for several processors.
pub fn kernel_settings(file_name: &str) -> &'static [Setting] {
    const ROWS: &[(&str, &[Setting])] = &[
        ("libopenblas", OPENBLAS_KERNELS),
        ("libscipy_openblas", OPENBLAS_KERNELS),
        (
            "libmkl",
            &[
                ("MKL_CBWR", "", "must be unset: it fixes the instruction set for reproducible results"),
                ("MKL_ENABLE_INSTRUCTIONS", "AVX512", "the widest instruction set that MKL may choose"),
            ],
        ),
        ("libblis", &[("BLIS_ARCH_TYPE", "skx", "names the kernels: zen4, skx, haswell, ..")]),
        (
            "_multiarray_umath",
            &[("NPY_DISABLE_CPU_FEATURES", "", "must be unset: it switches instruction sets off")],
        ),
    ];
    ROWS.iter().find(|(prefix, _)| file_name.starts_with(prefix)).map_or(&[], |(_, settings)| settings)
}

const OPENBLAS_KERNELS: &[Setting] = &[
    (
        "OPENBLAS_CORETYPE",
        "SkylakeX",
        "the kernels to use: SkylakeX or Zen with AVX-512, Haswell with AVX2; unset, OpenBLAS asks the processor",
    ),
    ("OPENBLAS_VERBOSE", "2", "prints the kernel set chosen for this machine"),
];

/// Whether a file was installed by the system or a package rather than built here.
pub fn is_installed(path: &str) -> bool {
    const FOLDERS: [&str; 6] = ["/usr/lib", "/usr/bin/", "/lib", "/bin/", "/opt/", "/nix/store/"];
    path.contains("/site-packages/") || FOLDERS.iter().any(|folder| path.starts_with(folder))
}

/// Whether this program or library is an interpreter: users do not rebuild it to speed up a script.
pub fn is_interpreter(file_name: &str) -> bool {
    const NAMES: [&str; 9] = ["python", "perl", "ruby", "node", "java", "lua", "julia", "php", "octave"];
    let versioned =
        |rest: &str| rest.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | '-' | 'd' | 't'));
    file_name.starts_with("libpython")
        || file_name == "R"
        || file_name == "bash"
        || NAMES.iter().any(|n| file_name.strip_prefix(n).is_some_and(versioned))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_row_hides_another() {
        for (at, row) in LIBRARIES.iter().enumerate() {
            let first = LIBRARIES.iter().position(|l| row.prefix.starts_with(l.prefix));
            assert_eq!(first, Some(at), "{} is never reached", row.prefix);
            assert!(
                row.gain.0 >= 1.0 && row.gain.0 <= row.gain.1 && row.advice.ends_with('.'),
                "{}",
                row.prefix
            );
        }
    }

    #[test]
    fn names_as_they_are_shipped() {
        for (file, what) in [
            ("libopenblas64_p-r0-0cf96a72.3.23.dev.so", "OpenBLAS"),
            ("libblas.so.3", "reference BLAS"),
            ("libscipy_openblas64_-32a4b2a6.so", "OpenBLAS"),
            ("_multiarray_umath.cpython-311-x86_64-linux-gnu.so", "NumPy"),
            ("libm.so.6", "scalar mathematics"),
            ("libfftw3_omp.so.3", "FFTW"),
        ] {
            assert!(known(file).unwrap().what.contains(what), "{file}");
        }
        assert!(known("libmine.so").is_none());
        for (file, expected) in [
            ("python3.11", true),
            ("python3", true),
            ("libpython3.11.so.1.0", true),
            ("perl", true),
            ("pythonic", false),
            ("app", false),
        ] {
            assert_eq!(is_interpreter(file), expected, "{file}");
        }
    }
}
