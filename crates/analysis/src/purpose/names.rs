//! The purpose of a function by its name: a table of the names that libraries and compilers use.
//!
//! Names are as demangled: of C++ without template arguments, parameters, return type and inline namespaces
//! ([`plain`]), of Rust as legacy mangling gives them (types without arguments), of C and Fortran as linked. Sources: headers of libstdc++
//! and libc++, the Rust standard library and hashbrown, the symbols of glibc, libgfortran, GLib, GMP and the Boehm collector.

use crate::model::Purpose::{self, *};
use std::borrow::Cow;

/// C symbols that end here or are followed by a suffix of the implementation (`__memcpy_avx_unaligned`).
const SYMBOLS: &[(Purpose, &[&str])] = &[
    (
        Sorting,
        &[
            "qsort",
            "qsort_r",
            "msort_with_tmp",
            "quicksort",
            "_quicksort",
            "heapsort",
            "mergesort",
            "g_qsort_with_data",
        ],
    ),
    (OrderedContainer, &["tsearch", "tfind", "tdelete"]),
    (HashTable, &["hsearch", "hsearch_r"]),
    (
        Comparing,
        &[
            "strcmp",
            "strncmp",
            "strcasecmp",
            "strncasecmp",
            "strcoll",
            "strcoll_l",
            "memcmp",
            "bcmp",
            "wcscmp",
            "wmemcmp",
        ],
    ),
    (
        Copying,
        &[
            "memcpy", "memmove", "mempcpy", "strcpy", "strncpy", "stpcpy", "strcat", "strncat", "strdup",
            "strndup",
        ],
    ),
    (
        ArrayTemporaries,
        &[
            "internal_pack",
            "internal_unpack",
            "cshift0",
            "cshift1",
            "eoshift0",
            "eoshift1",
            "eoshift2",
            "eoshift3",
            "transpose",
            "spread",
            "reshape",
        ],
    ),
    (
        Formatting,
        &[
            "printf",
            "fprintf",
            "sprintf",
            "snprintf",
            "vprintf",
            "vfprintf",
            "vsprintf",
            "vsnprintf",
            "asprintf",
            "vasprintf",
            "printf_chk",
            "fprintf_chk",
            "sprintf_chk",
            "snprintf_chk",
            "vfprintf_internal",
            "vsnprintf_internal",
            "vsprintf_internal",
            "printf_fp",
            "printf_fp_l",
            "st_write",
            "st_write_done",
        ],
    ),
    (
        Parsing,
        &[
            "strtod",
            "strtof",
            "strtold",
            "strtol",
            "strtoul",
            "strtoll",
            "strtoull",
            "atof",
            "atoi",
            "atol",
            "atoll",
            "sscanf",
            "fscanf",
            "scanf",
            "vsscanf",
            "vfscanf",
            "vfscanf_internal",
            "strtod_internal",
            "strtod_l_internal",
            "strtof_l_internal",
            "strtol_internal",
            "strtol_l_internal",
            "strtoull_l_internal",
            "strtoll_l_internal",
            "isoc99_sscanf",
            "isoc99_fscanf",
            "isoc99_scanf",
            "isoc99_vsscanf",
            "isoc23_strtol",
            "isoc23_sscanf",
            "isoc23_fscanf",
            "st_read",
            "st_read_done",
        ],
    ),
    (
        RandomNumbers,
        &[
            "rand",
            "rand_r",
            "random",
            "random_r",
            "drand48",
            "erand48",
            "lrand48",
            "nrand48",
            "mrand48",
            "drand48_r",
            "erand48_r",
            "drand48_iterate",
            "random_r4",
            "random_r8",
            "random_r10",
            "arandom_r4",
            "arandom_r8",
            "arc4random",
            "arc4random_uniform",
        ],
    ),
    (
        RegularExpressions,
        &[
            "regexec",
            "regcomp",
            "re_search",
            "re_match",
            "re_search_internal",
            "pcre_exec",
            "pcre2_match_8",
            "pcre2_match",
        ],
    ),
    (
        TextSearch,
        &["strstr", "strcasestr", "memmem", "wcsstr", "strtok", "strtok_r", "strspn", "strcspn", "strpbrk"],
    ),
    (
        InputOutput,
        &[
            "read",
            "write",
            "pread",
            "pwrite",
            "pread64",
            "pwrite64",
            "readv",
            "writev",
            "fread",
            "fwrite",
            "fread_unlocked",
            "fwrite_unlocked",
            "fgetc",
            "getc",
            "getchar",
            "fputc",
            "putc",
            "putchar",
            "fgets",
            "fputs",
            "puts",
            "fflush",
            "lseek",
            "lseek64",
            "fseek",
            "fseeko",
            "ftell",
            "rewind",
            "getline",
            "getdelim",
            "fsync",
            "fdatasync",
        ],
    ),
    (
        Exceptions,
        &[
            "cxa_throw",
            "cxa_rethrow",
            "cxa_allocate_exception",
            "cxa_begin_catch",
            "cxa_end_catch",
            "_Unwind_RaiseException",
            "_Unwind_Resume",
            "Unwind_RaiseException",
            "Unwind_Resume",
            "Unwind_Find_FDE",
            "gxx_personality_v0",
        ],
    ),
    (DynamicCasts, &["dynamic_cast"]),
];

/// Beginnings of C symbols that name their library.
const PREFIXES: &[(Purpose, &[&str])] = &[
    (OrderedContainer, &["g_tree_"]),
    (HashTable, &["g_hash_table_"]),
    (LinkedList, &["g_list_", "g_slist_"]),
    (RegularExpressions, &["pcre2_match", "g_regex_"]),
    (BigIntegers, &["__gmpn_", "__gmpz_", "__gmpq_", "__gmpf_", "BN_"]),
    (GarbageCollection, &["GC_"]),
];

/// Beginnings of plain C++ and Rust names. The first that fits decides.
const QUALIFIED: &[(Purpose, &[&str])] = &[
    (
        OrderedContainer,
        &[
            "std::map::",
            "std::multimap::",
            "std::set::",
            "std::multiset::",
            "std::_Rb_tree",
            "std::__tree",
            "alloc::collections::btree::",
            "boost::container::map::",
            "boost::container::set::",
        ],
    ),
    (
        Hashing,
        &[
            "std::hash::operator()",
            "std::_Hash_bytes",
            "std::_Hash_impl::",
            "std::__detail::_Hash_code_base::_M_hash_code",
            "std::__detail::_Mod_range_hashing",
            "core::hash::",
            "std::hash::random::",
            "std::collections::hash::map::DefaultHasher",
            "std::collections::hash::map::RandomState",
        ],
    ),
    (
        HashTable,
        &[
            "std::unordered_map::",
            "std::unordered_set::",
            "std::unordered_multimap::",
            "std::unordered_multiset::",
            "std::_Hashtable::",
            "std::__detail::_Map_base::",
            "std::__detail::_Insert",
            "std::__detail::_Hashtable",
            "std::__detail::_Prime_rehash_policy",
            "std::__detail::_Hash",
            "std::__hash_table",
            "hashbrown::",
            "std::collections::hash::",
        ],
    ),
    (
        LinkedList,
        &[
            "std::list::",
            "std::forward_list::",
            "std::__cxx11::list::",
            "std::_List_base::",
            "std::__detail::_List_node_base::",
            "alloc::collections::linked_list::",
        ],
    ),
    (
        Sorting,
        &[
            "std::sort",
            "std::stable_sort",
            "std::partial_sort",
            "std::__sort",
            "std::__stable_sort",
            "std::__introsort_loop",
            "std::__insertion_sort",
            "std::__final_insertion_sort",
            "std::__unguarded_",
            "std::__partial_sort",
            "std::__merge_sort",
            "std::__merge_adaptive",
            "std::__inplace_stable_sort",
            "std::__chunk_insertion_sort",
            "core::slice::sort::",
            "alloc::slice::stable_sort",
            "alloc::slice::<impl [T]>::sort",
            "core::slice::<impl [T]>::sort",
            "<[T]>::sort",
            "rayon::slice::",
        ],
    ),
    (
        Shifting,
        &[
            "std::vector::erase",
            "std::vector::insert",
            "std::vector::_M_emplace_aux",
            "std::vector::_M_erase",
            "std::vector::_M_insert_aux",
            "std::vector::_M_insert_rval",
            "std::deque::erase",
            "std::deque::insert",
            "std::basic_string::erase",
            "std::basic_string::insert",
            "std::basic_string::replace",
            "alloc::vec::Vec::insert",
            "alloc::vec::Vec::remove",
            "alloc::vec::Vec::drain",
            "alloc::string::String::insert",
            "alloc::string::String::remove",
            "alloc::string::String::replace_range",
            "alloc::string::String::drain",
        ],
    ),
    (
        Growing,
        &[
            "std::vector::_M_realloc_",
            "std::vector::_M_default_append",
            "std::vector::reserve",
            "std::basic_string::reserve",
            "std::basic_string::_M_create",
            "std::basic_string::_M_mutate",
            "alloc::raw_vec::RawVec::reserve",
            "alloc::raw_vec::RawVec::grow_one",
            "alloc::raw_vec::RawVecInner::reserve",
            "alloc::raw_vec::RawVecInner::grow",
            "alloc::raw_vec::RawVecInner::finish_grow",
            "alloc::raw_vec::finish_grow",
        ],
    ),
    (
        ReferenceCounts,
        &[
            "std::shared_ptr::",
            "std::__shared_ptr::",
            "std::__shared_count::",
            "std::_Sp_counted_base::",
            "std::weak_ptr::",
            "std::__weak_count::",
            "alloc::sync::Arc",
            "alloc::rc::Rc",
        ],
    ),
    (
        Comparing,
        &[
            "std::basic_string::compare",
            "std::char_traits::compare",
            "std::__str_",
            "std::lexicographical_compare",
            "core::slice::cmp::",
            "alloc::string::String::eq",
            "core::str::traits::",
        ],
    ),
    (
        RegularExpressions,
        &[
            "std::regex_",
            "std::basic_regex::",
            "std::__detail::_Executor",
            "std::__detail::_NFA",
            "std::__detail::_Compiler",
            "std::__detail::_Scanner",
            "std::__detail::_BracketMatcher",
            "std::match_results::",
            "std::regex_iterator",
            "boost::re_detail",
            "boost::regex",
            "regex::",
            "regex_automata::",
            "regex_syntax::",
            "fancy_regex::",
        ],
    ),
    (
        Formatting,
        &[
            "std::ostream::",
            "std::basic_ostream::operator<<",
            "std::basic_ostream::_M_insert",
            "std::operator<<",
            "std::__ostream_insert",
            "std::num_put::",
            "std::to_string",
            "std::__cxx11::to_string",
            "std::basic_ostringstream::",
            "std::__convert_from_v",
            "std::__to_chars",
            "std::format",
            "std::vformat",
            "std::__format::",
            "std::put_time",
            "fmt::",
            "core::fmt::",
            "alloc::fmt::",
            "std::io::Write::write_fmt",
            "alloc::string::ToString",
            "ryu::",
            "itoa::",
        ],
    ),
    (
        Parsing,
        &[
            "std::istream::",
            "std::basic_istream::operator>>",
            "std::basic_istream::_M_extract",
            "std::operator>>",
            "std::num_get::",
            "std::stod",
            "std::stof",
            "std::stoi",
            "std::stol",
            "std::stoul",
            "std::stoll",
            "std::stoull",
            "__gnu_cxx::__stoa",
            "std::basic_istringstream::",
            "std::basic_stringstream::",
            "std::__convert_to_v",
            "std::from_chars",
            "core::num::dec2flt::",
            "core::num::from_str",
            "core::str::<impl str>::parse",
            "<str>::parse",
        ],
    ),
    (
        RandomNumbers,
        &[
            "std::mersenne_twister_engine::",
            "std::linear_congruential_engine::",
            "std::subtract_with_carry_engine::",
            "std::shuffle_order_engine::",
            "std::discard_block_engine::",
            "std::uniform_real_distribution::",
            "std::uniform_int_distribution::",
            "std::normal_distribution::",
            "std::exponential_distribution::",
            "std::bernoulli_distribution::",
            "std::generate_canonical",
            "std::__detail::_Adaptor",
            "std::random_device::",
            "rand::",
            "rand_chacha::",
            "rand_core::",
            "rand_distr::",
            "rand_pcg::",
        ],
    ),
    (
        TextSearch,
        &[
            "std::basic_string::find",
            "std::basic_string::rfind",
            "std::basic_string_view::find",
            "std::search",
            "core::str::pattern::StrSearcher",
            "core::str::pattern::TwoWaySearcher",
            "memchr::memmem",
            "<str>::contains",
            "<str>::find",
            "<str>::replace",
            "alloc::str::<impl str>::replace",
        ],
    ),
    (
        InputOutput,
        &[
            "std::endl",
            "std::flush",
            "std::basic_ostream::flush",
            "std::basic_ostream::put",
            "std::basic_ostream::write",
            "std::basic_filebuf::",
            "std::getline",
            "std::basic_istream::get",
            "std::basic_istream::read",
            "std::basic_streambuf::",
            "__gnu_cxx::stdio_sync_filebuf::",
            "std::io::",
            "std::fs::",
            "std::sys::fs::",
        ],
    ),
    (Exceptions, &["__cxxabiv1::__cxa_", "__gnu_unwind"]),
    (
        DynamicCasts,
        &[
            "__cxxabiv1::__class_type_info",
            "__cxxabiv1::__si_class_type_info",
            "__cxxabiv1::__vmi_class_type_info",
            "std::type_info::",
        ],
    ),
    (BigIntegers, &["num_bigint::", "boost::multiprecision::", "rug::"]),
    (
        Allocation,
        &[
            "alloc::raw_vec::RawVec::drop",
            "alloc::raw_vec::RawVec::with_capacity",
            "alloc::raw_vec::RawVecInner::with_capacity",
            "alloc::raw_vec::RawVecInner::try_allocate_in",
            "alloc::raw_vec::RawVecInner::deallocate",
            "alloc::alloc::",
            "std::allocator::",
            "__gnu_cxx::new_allocator::",
            "std::__new_allocator::",
        ],
    ),
];

/// Ends of trait methods of Rust that copy.
const RUST_COPIES: [&str; 4] =
    ["as core::clone::Clone>::clone", "::to_vec", "::to_owned", "as alloc::borrow::ToOwned>::to_owned"];

/// The purpose of a function with this name, demangled where it was mangled.
pub fn purpose_of(name: &str) -> Option<Purpose> {
    let name = name.split('@').next().unwrap_or(name);
    if is_allocator(name) {
        return Some(Allocation);
    }
    if !name.contains("::") && !name.starts_with('<') {
        return of_symbol(name);
    }
    if name.starts_with("operator new") || name.starts_with("operator delete") {
        return Some(Allocation);
    }
    let plain = plain(name);
    let of = |plain: &str| {
        QUALIFIED
            .iter()
            .find(|(_, beginnings)| beginnings.iter().any(|b| plain.starts_with(b)))
            .map(|(purpose, _)| *purpose)
    };
    if copies(name, &plain) && !plain.starts_with("alloc::sync::") && !plain.starts_with("alloc::rc::") {
        return Some(Copying);
    }
    if plain.starts_with("std::operator") {
        return of_operator(name, &plain);
    }
    of(&plain)
}

/// Operators of the standard library that are functions: comparisons and streams, which only their parameters tell apart from others.
fn of_operator(name: &str, plain: &str) -> Option<Purpose> {
    let about = |word: &str| name.contains(word);
    if plain.starts_with("std::operator<<") && about("ostream") {
        return Some(Formatting);
    }
    if plain.starts_with("std::operator>>") && about("istream") {
        return Some(Parsing);
    }
    let compares = ["std::operator==", "std::operator!=", "std::operator<", "std::operator>"];
    (compares.iter().any(|c| plain.starts_with(c)) && about("basic_string")).then_some(Comparing)
}

/// A copy of a whole container: a copy constructor, an assignment from a constant, or a clone.
fn copies(name: &str, plain: &str) -> bool {
    if RUST_COPIES.iter().any(|end| name.ends_with(end)) {
        return name.starts_with("<alloc::")
            || name.starts_with("alloc::")
            || name.starts_with("<[T]>")
            || name.starts_with("<str");
    }
    const CONTAINERS: [&str; 4] = ["std::vector::", "std::basic_string::", "std::deque::", "std::valarray::"];
    CONTAINERS.iter().any(|container| {
        let Some(method) = plain.strip_prefix(container) else { return false };
        let class = container.trim_start_matches("std::").trim_end_matches("::");
        (method == class || method == "operator=")
            && name.ends_with(" const&)")
            && name.rsplit_once("::").is_some()
            && parameters(name).is_some_and(|p| p.contains(class))
    })
}

/// The text of the parameters.
fn parameters(name: &str) -> Option<&str> {
    let mut depth = 0;
    let open = name.rmatch_indices(['(', ')']).find_map(|(at, bracket)| {
        depth += if bracket == ")" { 1 } else { -1 };
        (depth == 0).then_some(at)
    })?;
    name.get(open + 1..name.len() - 1)
}

fn of_symbol(name: &str) -> Option<Purpose> {
    let fits = |beginnings: &&[&str]| beginnings.iter().any(|b| name.starts_with(b));
    if let Some((purpose, _)) = PREFIXES.iter().find(|(_, beginnings)| fits(beginnings)) {
        return Some(*purpose);
    }
    let library = name.starts_with('_');
    let name = name.strip_prefix("_gfortran_").unwrap_or(name);
    let name = name.strip_prefix("_gfortrani_").unwrap_or(name);
    let bare = name
        .trim_start_matches('_')
        .trim_start_matches("GI_")
        .trim_start_matches("IO_")
        .trim_start_matches('_');
    let bare = bare.strip_prefix("libc_").unwrap_or(bare);
    let bare = bare.split('.').next().unwrap_or(bare);
    // Variants for processors and element kinds: `__memcpy_avx512_unaligned_erms`, `cshift0_r8`.
    let fits = |known: &str| {
        bare.strip_prefix(known).is_some_and(|rest| rest.is_empty() || (library && is_variant(rest)))
    };
    let found = SYMBOLS.iter().find(|(_, names)| names.iter().any(|known| fits(known)))?.0;
    // Common words that programs use for functions of their own, too.
    let ambiguous = found == ArrayTemporaries && !library;
    (!ambiguous).then_some(found)
}

fn is_variant(rest: &str) -> bool {
    const VARIANTS: [&str; 12] =
        ["_avx", "_evex", "_sse", "_erms", "_ssse", "_generic", "_chk", "_c", "_r", "_i", "_4", "_8"];
    VARIANTS.iter().any(|v| rest.starts_with(v))
}

/// Whether a name is a function of a library by itself: of the C++ and Rust libraries' namespaces.
pub fn is_of_a_library(name: &str) -> bool {
    const NAMESPACES: [&str; 14] = [
        "std::",
        "__gnu_cxx::",
        "__cxxabiv1::",
        "core::",
        "alloc::",
        "hashbrown::",
        "compiler_builtins::",
        "__rustc::",
        "boost::",
        "rand::",
        "rand_",
        "regex",
        "memchr::",
        "fmt::",
    ];
    let plain = plain(name);
    NAMESPACES.iter().any(|namespace| plain.starts_with(namespace))
        || plain.starts_with("<str>")
        || plain.starts_with("<[T]>")
        || plain.starts_with("operator new")
        || plain.starts_with("operator delete")
}

/// A C++ name without template arguments, parameters, return type and inline namespaces; a Rust name without the brackets around a
/// type and without its trait: `std::map::operator[]`, `alloc::vec::Vec::insert`.
pub fn plain(name: &str) -> Cow<'_, str> {
    if let Some(inner) = name.strip_prefix('<') {
        return Cow::Owned(of_rust_type(inner));
    }
    if !name.contains(['<', '(', ' ']) && !name.contains("__") {
        return Cow::Borrowed(name);
    }
    if name.contains("<impl ") {
        return Cow::Borrowed(name);
    }
    let mut out = String::with_capacity(name.len());
    let mut depth = 0_u32;
    let mut rest = name;
    while let Some(c) = rest.chars().next() {
        if depth == 0
            && let Some(operator) = [
                "operator<<=",
                "operator>>=",
                "operator<=>",
                "operator->",
                "operator<<",
                "operator>>",
                "operator<=",
                "operator>=",
                "operator<",
                "operator>",
                "operator()",
            ]
            .iter()
            .find(|o| rest.starts_with(**o))
        {
            out.push_str(operator);
            rest = &rest[operator.len()..];
            continue;
        }
        match c {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            '(' if depth == 0 && rest.starts_with("(anonymous namespace)") => {
                out.push_str("(anonymous namespace)");
                rest = &rest["(anonymous namespace)".len()..];
                continue;
            }
            '(' if depth == 0 => break,
            // What is before a space is the return type.
            ' ' if depth == 0
                && !out.rsplit("::").next().is_some_and(|last| last.starts_with("operator")) =>
            {
                out.clear();
            }
            _ if depth == 0 => out.push(c),
            _ => {}
        }
        rest = &rest[c.len_utf8()..];
    }
    for inline in ["__cxx11::", "__1::", "__debug::", "_V2::"] {
        if out.contains(inline) {
            out = out.replace(inline, "");
        }
    }
    Cow::Owned(out)
}

/// `alloc::vec::Vec<T,A> as core::ops::Index<I>>::index` becomes `alloc::vec::Vec::index`, `str>::find` becomes `<str>::find`.
fn of_rust_type(inner: &str) -> String {
    let mut depth = 1_u32;
    let mut end = inner.len();
    for (at, c) in inner.char_indices() {
        match c {
            '<' => depth += 1,
            // Not the end of `->`.
            '>' if !inner[..at].ends_with('-') => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            end = at;
            break;
        }
    }
    let (typed, method) = (&inner[..end], inner.get(end + 1..).unwrap_or_default());
    let bare = typed.split(" as ").next().unwrap_or(typed);
    let bare = bare.trim_start_matches(['&', '*']).trim_start_matches("mut ").trim_start_matches("const ");
    match bare.split('<').next() {
        Some(path) if path.contains("::") => format!("{path}{method}"),
        _ => format!("<{bare}>{method}"),
    }
}

/// Whether a function belongs to an allocator: names of glibc's malloc (its internal functions included), C++, Rust and the usual
/// replacements.
pub fn is_allocator(function: &str) -> bool {
    const NAMES: [&str; 28] = [
        "malloc",
        "free",
        "calloc",
        "realloc",
        "cfree",
        "memalign",
        "posix_memalign",
        "aligned_alloc",
        "_int_malloc",
        "_int_free",
        "_int_realloc",
        "_int_memalign",
        "malloc_consolidate",
        "unlink_chunk",
        "sysmalloc",
        "systrim",
        "munmap_chunk",
        "_int_free_create_chunk",
        "_int_free_merge_chunk",
        "_int_free_maybe_consolidate",
        "tcache_get",
        "tcache_put",
        "arena_get2",
        "mremap_chunk",
        "sbrk",
        "brk",
        "__munmap",
        "__mmap",
    ];
    const BEGINNINGS: [&str; 12] = [
        "operator new",
        "operator delete",
        "je_",
        "tc_malloc",
        "tc_free",
        "mi_malloc",
        "mi_free",
        "tcmalloc::",
        "__rust_alloc",
        "__rust_dealloc",
        "__rust_realloc",
        "__rustc::__r",
    ];
    let name = function.split('@').next().unwrap_or(function);
    let plain = name.strip_prefix("__libc_").or_else(|| name.strip_prefix("__GI___libc_")).unwrap_or(name);
    let plain = plain.strip_suffix(".isra.0").or_else(|| plain.strip_suffix(".part.0")).unwrap_or(plain);
    NAMES.contains(&plain) || BEGINNINGS.iter().any(|beginning| plain.starts_with(beginning))
}

#[cfg(test)]
mod tests;
