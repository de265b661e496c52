//! Effects of well-known functions on memory, by their arguments. They are not traced, but documented.
//!
//! Sources: ISO C17 7.24 (string handling), 7.12 (mathematics), 7.22.3 (memory management); the GNU C library manual for
//! `mempcpy`, `sincos`, `exp10`; the GCC internals manual for the routines of libgcc; the names of vector variants
//! as in the x86-64 vector function ABI (`_ZGV...`). Symbols of glibc that select by processor (`__memcpy_avx_unaligned_erms`,
//! `__exp_fma`) and checking variants (`__memcpy_chk`) count as the plain function.
//!
//! Left out on purpose: functions whose extent depends on data (`strlen`, `strcpy`: the arguments do not show
//! where the string ends), those with hidden state (`rand`, `strtok`, `lgamma` with its `signgam`), input and
//! output. That mathematical functions may set `errno` is not counted as a write.

/// Bytes that a function reads or writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Argument that holds the address: 0 for rdi, 1 for rsi, 2 for rdx.
    pub address: usize,
    pub length: Length,
}

/// A length in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    /// The value of this argument.
    Argument(usize),
    /// Always this number.
    Bytes(u64),
}

/// The effect of a function on memory that its caller can see.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Effect {
    /// Bytes that it reads, before it writes.
    pub reads: Vec<Extent>,
    /// Bytes that it writes.
    pub writes: Vec<Extent>,
}

/// Mathematical functions that access no memory of their caller. Also with the suffixes `f` and `l`.
const PURE: [&str; 83] = [
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
    "sinpi",
    "cospi",
    "tanpi",
    "exp",
    "exp2",
    "exp10",
    "pow10",
    "expm1",
    "log",
    "log2",
    "log10",
    "log1p",
    "logb",
    "pow",
    "sqrt",
    "cbrt",
    "hypot",
    "erf",
    "erfc",
    "tgamma",
    "fmod",
    "remainder",
    "drem",
    "ldexp",
    "scalb",
    "scalbn",
    "scalbln",
    "ilogb",
    "significand",
    "fabs",
    "fdim",
    "fmax",
    "fmin",
    "fma",
    "floor",
    "ceil",
    "trunc",
    "round",
    "roundeven",
    "rint",
    "nearbyint",
    "lround",
    "llround",
    "lrint",
    "llrint",
    "copysign",
    "nextafter",
    "nexttoward",
    "j0",
    "j1",
    "jn",
    "y0",
    "y1",
    "yn",
    "cabs",
    "carg",
    "cimag",
    "creal",
    "conj",
    "cproj",
    "cexp",
    "clog",
    "cpow",
    "csqrt",
    "csin",
    "ccos",
    "ctan",
    "csinh",
    "ccosh",
    "ctanh",
];

/// Other functions that access no memory of their caller: arithmetic of compilers' run-time libraries, queries.
const PURE_NAMES: [&str; 42] = [
    "abs",
    "labs",
    "llabs",
    "div",
    "ldiv",
    "isnan",
    "isinf",
    "isfinite",
    "finite",
    "signbit",
    "fpclassify",
    "powisf2",
    "powidf2",
    "powixf2",
    "powitf2",
    "mulsc3",
    "muldc3",
    "mulxc3",
    "divsc3",
    "divdc3",
    "divxc3",
    "multi3",
    "divti3",
    "udivti3",
    "modti3",
    "umodti3",
    "popcountdi2",
    "popcountsi2",
    "addtf3",
    "subtf3",
    "multf3",
    "divtf3",
    "extenddftf2",
    "trunctfdf2",
    "floatsitf",
    "fixtfsi",
    "tls_get_addr",
    "omp_get_thread_num",
    "omp_get_num_threads",
    "omp_get_max_threads",
    "omp_in_parallel",
    "omp_get_wtime",
];

/// Memory management: calls must not run at the same time, but pass no data to each other.
const HEAP: [&str; 12] = [
    "malloc",
    "calloc",
    "free",
    "cfree",
    "aligned_alloc",
    "memalign",
    "posix_memalign",
    "valloc",
    "malloc_usable_size",
    "rust_alloc",
    "rust_dealloc",
    "rust_alloc_zeroed",
];

/// Words in the names of glibc's versions for particular processors.
const VERSIONS: [&str; 21] = [
    "chk",
    "finite",
    "fma",
    "fma4",
    "avx",
    "avx2",
    "avx512",
    "avx512f",
    "evex",
    "evex512",
    "sse2",
    "ssse3",
    "sse4",
    "sse41",
    "sse42",
    "unaligned",
    "erms",
    "rtm",
    "back",
    "vzeroupper",
    "no",
];

/// The effect of a function with this name; `None` when it is not known.
pub fn effect(symbol: &str) -> Option<Effect> {
    let symbol = symbol.split('@').next().unwrap_or(symbol);
    if is_pure(symbol) || is_heap(symbol) {
        return Some(Effect::default());
    }
    let at = |address: usize, length: Length| Extent { address, length };
    let counted = |address: usize| at(address, Length::Argument(2));
    let effect =
        |reads: &[Extent], writes: &[Extent]| Some(Effect { reads: reads.to_vec(), writes: writes.to_vec() });
    match plain(symbol) {
        "memcpy" | "memmove" | "mempcpy" => effect(&[counted(1)], &[counted(0)]),
        "bcopy" => effect(&[counted(0)], &[counted(1)]),
        "memset" => effect(&[], &[counted(0)]),
        "bzero" | "explicit_bzero" => effect(&[], &[at(0, Length::Argument(1))]),
        // At most that many bytes.
        "memcmp" | "bcmp" => effect(&[counted(0), counted(1)], &[]),
        "memchr" | "memrchr" => effect(&[counted(0)], &[]),
        "sincos" => effect(&[], &[at(0, Length::Bytes(8)), at(1, Length::Bytes(8))]),
        "sincosf" => effect(&[], &[at(0, Length::Bytes(4)), at(1, Length::Bytes(4))]),
        "modf" => effect(&[], &[at(0, Length::Bytes(8))]),
        "modff" | "frexp" | "frexpf" | "remquo" | "remquof" => effect(&[], &[at(0, Length::Bytes(4))]),
        _ => None,
    }
}

/// Allocates or frees memory.
fn is_heap(symbol: &str) -> bool {
    let plain = plain(symbol);
    // `operator new` and `operator delete` of all kinds, mangled or not.
    let operator = ["_Znw", "_Zna", "_Zdl", "_Zda"].iter().any(|p| symbol.starts_with(p))
        || symbol.starts_with("operator new")
        || symbol.starts_with("operator delete");
    operator || HEAP.contains(&plain)
}

/// Reads and writes no memory that its caller can see.
fn is_pure(symbol: &str) -> bool {
    // Vector variants, except those that store results through pointers.
    if let Some(rest) = symbol.strip_prefix("_ZGV") {
        let name = rest.split_once('_').map_or("", |(_, name)| name);
        return is_pure(name);
    }
    if let Some(rest) = symbol.strip_prefix("_gfortran_") {
        return rest.starts_with("pow_");
    }
    let symbol = symbol.strip_prefix("std::").unwrap_or(symbol);
    let symbol = symbol.split('(').next().unwrap_or(symbol);
    let name = plain(symbol);
    let name = name.strip_prefix("ieee754_").unwrap_or(name);
    let base = |n: &str| PURE.contains(&n) || n == "sqrt";
    base(name)
        || PURE_NAMES.contains(&name)
        || name.strip_suffix(['f', 'l']).is_some_and(base)
        || name.strip_suffix("f128").is_some_and(base)
}

/// The name without leading underscores and without the word that selects a version.
fn plain(symbol: &str) -> &str {
    let mut name = symbol.trim_start_matches('_');
    while let Some((head, tail)) = name.rsplit_once('_') {
        if !VERSIONS.contains(&tail) {
            break;
        }
        name = head;
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_a_function_are_the_function() {
        let copy = effect("memcpy").unwrap();
        assert_eq!(copy.reads, [Extent { address: 1, length: Length::Argument(2) }]);
        assert_eq!(copy.writes, [Extent { address: 0, length: Length::Argument(2) }]);
        for name in ["memmove@GLIBC_2.2.5", "__memcpy_chk", "__memmove_avx_unaligned_erms", "mempcpy"] {
            assert_eq!(effect(name).as_ref(), Some(&copy), "{name}");
        }
        for name in
            ["expf", "__exp_fma", "__ieee754_pow_sse2", "_ZGVdN4v_sin", "std::sqrt(double)", "__log_finite"]
        {
            assert_eq!(effect(name), Some(Effect::default()), "{name}");
        }
        assert_eq!(effect("_gfortran_pow_i4_i4"), Some(Effect::default()));
        assert_eq!(effect("__powidf2"), Some(Effect::default()));
    }

    #[test]
    fn pointers_are_written() {
        assert_eq!(effect("sincosf").unwrap().writes.len(), 2);
        assert_eq!(effect("modf").unwrap().writes[0].length, Length::Bytes(8));
        assert_eq!(effect("_ZGVbN2vvv_sincos"), None, "a vector of pointers");
    }

    #[test]
    fn memory_management_hands_on_no_data() {
        for name in ["malloc", "free", "_Znwm", "operator delete(void*)", "__rust_alloc"] {
            assert_eq!(effect(name), Some(Effect::default()), "{name}");
        }
    }

    #[test]
    fn what_is_not_known_stays_so() {
        for name in ["strlen", "rand", "printf", "lgamma", "f", "", "_gfortran_transfer_real", "sincosx"] {
            assert_eq!(effect(name), None, "{name}");
        }
    }
}
