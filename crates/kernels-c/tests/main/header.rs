//! The header is what the sources say, and clean C and C++ for the compilers there are.
//!
//! `LOOPWRIGHT_BLESS=1` writes the header of the repository anew.

use std::path::{Path, PathBuf};
use std::process::Command;

fn here() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn generated() -> String {
    let configuration = cbindgen::Config::from_file(here().join("cbindgen.toml")).unwrap();
    let bindings = cbindgen::Builder::new().with_crate(here()).with_config(configuration).generate().unwrap();
    let mut text = Vec::new();
    bindings.write(&mut text);
    String::from_utf8(text).unwrap()
}

#[test]
fn the_header_is_what_the_sources_say() {
    let path = here().join("include/loopwright_kernels.h");
    let generated = generated();
    if std::env::var_os("LOOPWRIGHT_BLESS").is_some() {
        std::fs::write(&path, &generated).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == generated,
        "{} is not what the sources say; run this test with LOOPWRIGHT_BLESS=1 and read the difference",
        path.display()
    );
}

#[test]
fn every_function_has_its_text() {
    let header = std::fs::read_to_string(here().join("include/loopwright_kernels.h")).unwrap();
    let mut previous = "";
    let mut seen = 0;
    for line in header.lines() {
        // A declaration begins at the left with its type.
        let is_function = line.contains(" lw_") || line.contains("*lw_");
        if is_function && line.contains('(') && !line.starts_with(' ') {
            seen += 1;
            assert_eq!(previous, " */", "no text above: {line}");
        }
        previous = line;
    }
    assert!(seen > 10, "only {seen} functions were seen");
}

/// Whether a compiler is there; its absence is a failure where nothing may be skipped.
fn is_there(compiler: &str) -> bool {
    let there = Command::new(compiler).arg("--version").output().is_ok_and(|o| o.status.success());
    assert!(there || std::env::var_os("LOOPWRIGHT_REQUIRE_ALL").is_none(), "{compiler} is missing");
    if !there {
        println!("skipped: {compiler} is missing");
    }
    there
}

fn compile(compiler: &str, flags: &[&str], source: &Path) {
    let output = Command::new(compiler)
        .args(["-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only", "-I"])
        .arg(here().join("include"))
        .args(flags)
        .arg(source)
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && errors.is_empty(), "{compiler} {flags:?}:\n{errors}");
}

#[test]
fn the_header_is_clean_c_and_c_plus_plus() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("all.c");
    // Twice: the guard holds.
    let text = "#include <loopwright_kernels.h>\n#include <loopwright_kernels.h>\n";
    std::fs::write(&source, format!("{text}int main(void) {{ return (int)lw_isa_best(); }}\n")).unwrap();
    for compiler in ["gcc", "clang"].into_iter().filter(|c| is_there(c)) {
        for standard in ["-std=c99", "-std=c11", "-std=c17"] {
            compile(compiler, &[standard, "-Wstrict-prototypes"], &source);
        }
    }
    for compiler in ["g++", "clang++"].into_iter().filter(|c| is_there(c)) {
        for standard in ["-std=c++11", "-std=c++17", "-std=c++20"] {
            compile(compiler, &["-x", "c++", standard, "-Wno-deprecated"], &source);
        }
    }
}

#[test]
fn the_examples_are_clean() {
    let examples = here().join("../../examples/c");
    let sources: Vec<PathBuf> = std::fs::read_dir(examples)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "c"))
        .collect();
    assert!(!sources.is_empty());
    for compiler in ["gcc", "clang"].into_iter().filter(|c| is_there(c)) {
        sources.iter().for_each(|source| compile(compiler, &["-std=c11"], source));
    }
}
