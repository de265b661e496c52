//! Demangling: from the linker's spelling to the programmer's.
//!
//! Linker suffixes (`.cold`, `.part.0`, `.constprop.1`, `.llvm.123`, symbol versions) are not part of the
//! mangled name; they are removed before demangling. `functions` decides which of them make a function a
//! piece of another one.

/// Longer names are shown as they are: demangling may multiply the length.
const LONGEST: usize = 16 * 1024;

/// Demangles a C++ or Rust name; any other name is returned without its symbol version.
pub fn demangle(name: &str) -> String {
    let name = name.split('@').next().unwrap_or(name);
    if name.len() > LONGEST {
        return name.to_owned();
    }
    let (stem, suffix) = split_suffix(name);
    if let Ok(rust) = rustc_demangle::try_demangle(stem) {
        return format!("{rust:#}");
    }
    if stem.starts_with("_Z") || stem.starts_with("__Z") {
        let options = cpp_demangle::DemangleOptions::default();
        let parsed = cpp_demangle::Symbol::new(stem).ok();
        if let Some(text) = parsed.and_then(|s| s.demangle_with_options(&options).ok()) {
            return without_empty_packs(text);
        }
    }
    if let Some((module, procedure)) = fortran(stem) {
        return format!("{module}::{procedure}");
    }
    // `foo.constprop.0` and the like are still the programmer's `foo`; a C name has no dot.
    if suffix.is_empty() { name.to_owned() } else { stem.to_owned() }
}

/// Whether a name is one that [`demangle`] rewrites, apart from suffixes.
pub(super) fn is_mangled(name: &str) -> bool {
    name.starts_with("_Z") || name.starts_with("_R") || fortran(name).is_some()
}

/// Module and procedure of gfortran's `__module_MOD_procedure`.
fn fortran(name: &str) -> Option<(&str, &str)> {
    let (module, procedure) = name.strip_prefix("__")?.split_once("_MOD_")?;
    (!module.is_empty() && !procedure.is_empty()).then_some((module, procedure))
}

/// `cpp_demangle` leaves the separators and reference marks of parameter packs that are empty:
/// `f<int, >(int, &&)`. No C++ type is spelled so.
fn without_empty_packs(text: String) -> String {
    if !text.contains(", >") && !text.contains("&)") {
        return text;
    }
    let text = text.replace(", >", ">");
    [", &&)", ", &)"].iter().fold(text, |text, mark| text.replace(mark, ")")).replace("(&&)", "()")
}

/// Splits off the suffix that compilers append to a changed copy or piece of a function.
fn split_suffix(name: &str) -> (&str, &str) {
    const KNOWN: [&str; 12] = [
        ".cold",
        ".part.",
        ".constprop.",
        ".isra.",
        ".lto_priv.",
        ".llvm.",
        ".clone.",
        ".localalias",
        ".resume",
        ".destroy",
        ".cleanup",
        "._omp_fn.",
    ];
    // Most names have none; this one search decides.
    if !name.contains('.') {
        return (name, "");
    }
    let at = KNOWN.iter().filter_map(|k| name.find(k)).filter(|&at| at > 0).min();
    // An OpenMP body is a function of its own, and the number distinguishes the regions.
    match at {
        Some(at) if !name[at..].starts_with("._omp_fn.") => name.split_at(at),
        _ => (name, ""),
    }
}

/// The name of the function that `name` is a split-off piece of: `foo` for `foo.cold`,
/// `foo.cold.1` and `foo.__part.2`. Pieces with an entry of their own (`.part.0`, which GCC calls
/// like any function) are not pieces in this sense.
pub(super) fn split_parent(name: &str) -> Option<&str> {
    // Called for every symbol: for most the last letter decides.
    name.bytes().last().filter(|last| *last == b'd' || last.is_ascii_digit())?;
    name.find('.')?;
    let at = [".cold", ".__part."].iter().filter_map(|k| name.rfind(k)).max()?;
    let (parent, suffix) = name.split_at(at);
    let rest = suffix.strip_prefix(".cold").or_else(|| suffix.strip_prefix(".__part"))?;
    let number_or_nothing = rest.is_empty()
        || (rest.starts_with('.') && rest[1..].bytes().all(|b| b.is_ascii_digit() || b == b'.'));
    (number_or_nothing && !parent.is_empty()).then_some(parent)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_demangled_and_cleaned() {
        for (linkage, expected) in [
            ("main", "main"),
            ("_Z3addii", "add(int, int)"),
            ("_Z3addii.constprop.0", "add(int, int)"),
            ("_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE", "core::fmt::Write::write_fmt"),
            ("_RNvCs1234_7mycrate3foo", "mycrate::foo"),
            ("memcpy@@GLIBC_2.14", "memcpy"),
            ("solve.isra.0", "solve"),
            ("main._omp_fn.0", "main._omp_fn.0"),
            ("__heat_MOD_step", "heat::step"),
            ("_ZSt10_ConstructIfJEEvPT_DpOT0_", "void std::_Construct<float>(float*)"),
            ("_Z", "_Z"),
            ("", ""),
        ] {
            assert_eq!(demangle(linkage), expected, "{linkage}");
        }
    }

    #[test]
    fn only_pieces_without_an_entry_have_a_parent() {
        assert_eq!(split_parent("foo.cold"), Some("foo"));
        assert_eq!(split_parent("foo.cold.12"), Some("foo"));
        assert_eq!(split_parent("foo.isra.0.cold"), Some("foo.isra.0"));
        assert_eq!(split_parent("foo.part.0.cold"), Some("foo.part.0"));
        assert_eq!(split_parent("foo.__part.1"), Some("foo"));
        for whole in ["foo", "foo.part.0", "foo.colder", ".cold", "foo.cold_path"] {
            assert_eq!(split_parent(whole), None, "{whole}");
        }
    }
}
