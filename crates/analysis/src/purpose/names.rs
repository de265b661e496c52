//! The purpose of a function by its name: a table of the names that libraries and compilers use.
//!
//! Names are as demangled: of C++ without template arguments, parameters, return type and inline namespaces
//! ([`plain`]), of Rust as legacy mangling gives them (types without arguments), of C and Fortran as linked. Sources: headers of libstdc++
//! and libc++, the Rust standard library and hashbrown, the symbols of glibc, libgfortran, GLib, GMP and the Boehm collector.

use crate::model::Purpose::{self, *};
use std::borrow::Cow;
use table::{PREFIXES, QUALIFIED, SYMBOLS};

mod table;

/// Ends of trait methods of Rust that copy.
const RUST_COPIES: [&str; 4] =
    ["as core::clone::Clone>::clone", "::to_vec", "::to_owned", "as alloc::borrow::ToOwned>::to_owned"];

/// Text that is put together from an iterator: decoded and encoded again, character by character.
const RUST_TEXTS: &str = "<alloc::string::String as core::iter::traits::collect::";

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
    if name.starts_with(RUST_TEXTS) || RUST_COPIES.iter().any(|end| name.ends_with(end)) {
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
    // Between an operator and its template arguments.
    out.truncate(out.trim_end().len());
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
