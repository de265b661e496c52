//! The functions of the heap that are hooked: those of the C library or of the allocator that replaces it, and those of libraries that
//! call them, so that an allocation is counted where the program asked for it.

use crate::hooks::Known;
use crate::hooks::shapes::{BEGIN_ONLY, HeapShape};
use HeapShape as S;

/// A function by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Function {
    /// As C and C++ write it.
    pub name: &'static str,
    /// What it does.
    pub shape: HeapShape,
}

const fn f(name: &'static str, shape: HeapShape) -> Function {
    Function { name, shape }
}

/// All of them; a function's number is its place here.
pub static FUNCTIONS: &[Function] = &[
    f("malloc", S::Bytes),
    f("calloc", S::Product),
    f("realloc", S::Resize),
    f("reallocarray", S::ResizeProduct),
    f("posix_memalign", S::Into),
    f("aligned_alloc", S::Aligned),
    f("memalign", S::Aligned),
    f("valloc", S::Bytes),
    f("pvalloc", S::Bytes),
    f("free", S::Release),
    f("strdup", S::Around),
    f("strndup", S::Around),
    f("operator new", S::Around),
    f("operator new[]", S::Around),
    f("alloc", S::Around),
    f("fopen", S::Around),
    f("getline", S::Around),
    f("getdelim", S::Around),
    f("asprintf", S::Around),
    f("vasprintf", S::Around),
];

/// How the handler knows the function that a symbol is. An allocator's names are its own in a file that has an allocator.
pub fn known(symbol: &str, has_allocator: bool) -> Option<Known> {
    let number = named(symbol, has_allocator)?;
    let shape = FUNCTIONS.get(number as usize)?.shape;
    let mark = if shape == S::Release { BEGIN_ONLY } else { 0 };
    Some(Known { word: number | (shape as u32) << 16 | mark, wrapper: false })
}

fn named(symbol: &str, has_allocator: bool) -> Option<u32> {
    // The version of a symbol is behind an `@`.
    let symbol = symbol.split('@').next().unwrap_or(symbol);
    let number = |name: &str| FUNCTIONS.iter().position(|f| f.name == name).map(|n| n as u32);
    match symbol {
        // The Itanium interface of C++: `nw` and `na`, then the type of the size.
        _ if symbol.starts_with("_Znwm") => number("operator new"),
        _ if symbol.starts_with("_Znam") => number("operator new[]"),
        // Rust's shims around its global allocator, whose mangling differs between versions.
        _ if symbol.ends_with("__rust_alloc") || symbol.ends_with("__rust_alloc_zeroed") => number("alloc"),
        _ if symbol.ends_with("__rust_realloc") => number("alloc"),
        _ if !has_allocator => None,
        "__strdup" => number("strdup"),
        "__strndup" => number("strndup"),
        "__getdelim" => number("getdelim"),
        "__libc_malloc" | "__libc_calloc" | "__libc_realloc" | "__libc_free" | "__libc_memalign"
        | "__libc_valloc" | "__libc_pvalloc" => number(symbol.trim_start_matches("__libc_")),
        _ => number(symbol).filter(|_| !symbol.contains(' ') && symbol != "alloc"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn found(symbol: &str) -> Option<&'static str> {
        named(symbol, true).map(|n| FUNCTIONS[n as usize].name)
    }

    #[test]
    fn names_of_c_cpp_and_rust_are_known() {
        for (symbol, name) in [
            ("malloc@@GLIBC_2.2.5", "malloc"),
            ("__libc_free", "free"),
            ("_Znwm", "operator new"),
            ("_ZnwmSt11align_val_tRKSt9nothrow_t", "operator new"),
            ("_Znam", "operator new[]"),
            ("__rust_alloc", "alloc"),
            ("_RNvCs691rhTbG0Ee_7___rustc12___rust_alloc", "alloc"),
        ] {
            assert_eq!(found(symbol), Some(name), "{symbol}");
        }
        for other in ["alloc", "operator new", "my_malloc", "_ZdlPv", "", "mallocs", "_Znwx"] {
            assert_eq!(found(other), None, "{other}");
        }
        assert_eq!(named("malloc", false), None, "a program's own function");
    }

    #[test]
    fn each_function_is_there_once() {
        let names: HashSet<&str> = FUNCTIONS.iter().map(|f| f.name).collect();
        assert_eq!(names.len(), FUNCTIONS.len());
    }
}
