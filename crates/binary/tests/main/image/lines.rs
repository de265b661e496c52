//! Lines, columns, inlining and names of every instruction, against `llvm-symbolizer`.

use crate::image::build::Workshop;
use crate::image::oracle;
use loopwright_binary::image::{DebugSearch, Image};
use std::path::Path;

/// Demanglers differ in spaces. The symbolizer names cold parts and changed copies by their symbols, the
/// image by the function that they belong to.
fn plain(name: &str) -> String {
    let name: String = name.chars().filter(|c| !c.is_whitespace()).collect();
    let suffix = [".cold", ".constprop", ".isra", "(.cold"].iter().filter_map(|s| name.find(s)).min();
    let name = &name[..suffix.unwrap_or(name.len())];
    // The symbolizer prints Fortran's names in the linker's spelling.
    match name.strip_prefix("__").and_then(|name| name.split_once("_MOD_")) {
        Some((module, procedure)) => format!("{module}::{procedure}"),
        None => name.to_owned(),
    }
}

/// The symbolizer keeps `..` in paths, the image does not.
fn same_file(ours: &str, theirs: &str) -> bool {
    ours == theirs
        || (!ours.contains("/../")
            && std::fs::canonicalize(ours).is_ok_and(|o| std::fs::canonicalize(theirs).is_ok_and(|t| o == t)))
}

/// Compares all instructions of the named functions; returns `(agreeing, all)`.
fn compare(binary: &Path, functions: &[&str]) -> Option<(usize, usize)> {
    let image = Image::open(binary, &DebugSearch::none()).expect("an image");
    let mut addresses = Vec::new();
    for (index, info) in image.functions().iter().enumerate() {
        if functions.iter().any(|name| info.name.contains(name)) {
            addresses.extend(oracle::instructions(&image, index));
        }
    }
    assert!(addresses.len() > 20, "{functions:?} not found in {}", binary.display());
    let expected = oracle::symbolize(binary, &addresses)?;
    let mut agreeing = 0;
    for (address, expected) in addresses.iter().zip(&expected) {
        let found = oracle::frames(&image, *address);
        let same = found.len() == expected.len()
            && found.iter().zip(expected).all(|(f, e)| {
                (f.line, f.column) == (e.line, e.column)
                    && same_file(&f.file, &e.file)
                    && plain(&f.function) == plain(&e.function)
            });
        if same {
            agreeing += 1;
        } else {
            eprintln!("{address:#x}: found {found:?}, expected {expected:?}");
        }
    }
    Some((agreeing, addresses.len()))
}

fn all_agree(compiler: &str, source: &str, flags: &[&str], functions: &[&str]) {
    let workshop = Workshop::new();
    let Some(binary) = workshop.compile(compiler, source, flags, "program") else { return };
    let Some((agreeing, all)) = compare(&binary, functions) else { return };
    println!("{compiler} {source} {flags:?}: {agreeing} of {all} instructions agree");
    assert_eq!(agreeing, all, "{compiler} {source} {flags:?}");
}

const C_FUNCTIONS: [&str; 4] = ["triad", "choose", "interpret", "main"];

#[test]
fn c_by_every_version_of_dwarf() {
    for compiler in ["gcc", "clang", "clang-19"] {
        for version in ["-gdwarf-2", "-gdwarf-3", "-gdwarf-4", "-gdwarf-5"] {
            for level in ["-O0", "-O2", "-O3"] {
                all_agree(compiler, "mixed.c", &[version, level], &C_FUNCTIONS);
            }
        }
    }
}

#[test]
fn c_position_dependent_and_static() {
    for flags in [&["-g", "-O2", "-no-pie"], &["-g", "-O2", "-static"], &["-g", "-O2", "-static-pie"]] {
        all_agree("gcc", "mixed.c", flags, &["triad", "choose", "interpret"]);
    }
}

#[test]
fn c_with_compressed_sections() {
    for kind in ["-gz=zlib", "-gz=zlib-gnu", "-Wl,--compress-debug-sections=zstd"] {
        all_agree("gcc", "mixed.c", &["-g", "-O2", kind], &C_FUNCTIONS);
    }
}

#[test]
fn c_with_split_dwarf() {
    for compiler in ["gcc", "clang", "clang-19"] {
        for version in ["-gdwarf-4", "-gdwarf-5"] {
            all_agree(compiler, "mixed.c", &["-gsplit-dwarf", "-g", version, "-O2"], &C_FUNCTIONS);
        }
    }
}

#[test]
fn c_with_link_time_optimisation() {
    all_agree("gcc", "mixed.c", &["-g", "-O2", "-flto"], &["triad", "choose", "interpret"]);
}

#[test]
fn cpp_with_exceptions_and_inlining() {
    for compiler in ["g++", "clang++"] {
        for level in ["-O0", "-O2"] {
            all_agree(compiler, "exceptions.cpp", &["-g", level], &["guarded", "total", "main"]);
        }
    }
}

#[test]
fn fortran() {
    for level in ["-O0", "-O3"] {
        all_agree("gfortran", "stencil.f90", &["-g", level], &["step"]);
    }
}

#[test]
fn rust() {
    for level in ["opt-level=0", "opt-level=3"] {
        // The symbolizer supports the current mangling only.
        let flags = ["-g", "-C", level, "-C", "symbol-mangling-version=v0"];
        all_agree("rustc", "generic.rs", &flags, &["generic::shapes"]);
    }
}

#[test]
fn rows_cover_the_function_and_agree_with_single_questions() {
    let workshop = Workshop::new();
    let Some(binary) = workshop.compile("gcc", "mixed.c", &["-g", "-O2"], "program") else { return };
    let image = Image::open(&binary, &DebugSearch::none()).expect("an image");
    for name in C_FUNCTIONS {
        let index = image.functions().iter().position(|f| f.name == name).expect(name);
        let rows = image.line_rows(index);
        assert!(rows.iter().any(|row| row.is_stmt));
        for address in oracle::instructions(&image, index) {
            let row = rows.iter().find(|r| (r.address..r.end).contains(&address)).expect("a row");
            let place = image.locate(address).location.expect("a place");
            assert_eq!((&*row.file, row.line, row.column), (place.file.as_str(), place.line, place.column));
        }
        let definition = image.definition(index).expect("a definition");
        let source = std::fs::read_to_string(workshop.path("mixed.c")).expect("source");
        let line = source.lines().nth(definition.line as usize - 1).expect("a line");
        assert!(line.contains(&format!("{name}(")), "{name} is not defined by `{line}`");
        assert!(definition.file.ends_with("/mixed.c"));
    }
}

#[test]
fn units_and_producers_are_described() {
    let workshop = Workshop::new();
    for (flags, split) in [(vec!["-g", "-O2"], false), (vec!["-g", "-O2", "-gsplit-dwarf"], true)] {
        let Some(binary) = workshop.compile("gcc", "mixed.c", &flags, "program") else { return };
        let image = Image::open(&binary, &DebugSearch::none()).expect("an image");
        assert!(image.facts().units.is_empty() && image.facts().has_lines);
        let facts = image.describe();
        let unit = facts.units.iter().find(|u| u.name == "mixed.c").expect("the unit");
        let folder = std::fs::canonicalize(workshop.path("")).expect("the folder");
        assert_eq!((unit.language.as_str(), Path::new(&unit.directory)), ("C", folder.as_path()));
        let producer = &facts.producers[unit.producer as usize];
        assert!(producer.starts_with("GNU C17 ") && producer.contains("-O2"), "{producer} {split}");
        let main = image.functions().iter().find(|f| f.name == "main").expect("main");
        assert_eq!(image.producer_at(main.address), Some(producer.as_str()));
    }
    let Some(plain) = workshop.compile("gcc", "mixed.c", &["-O2"], "plain") else { return };
    let image = Image::open(&plain, &DebugSearch::none()).expect("an image");
    assert!(image.producer_at(0).is_some_and(|p| p.starts_with("GCC:")));
}

/// A 32-bit program is not analysed, but its existing tables are reported.
#[test]
fn tables_of_32_bit_programs_are_seen() {
    use loopwright_binary::image::tables_of_32_bits;
    let folder = tempfile::tempdir().unwrap();
    let (source, program) = (folder.path().join("a.c"), folder.path().join("a"));
    std::fs::write(&source, "void _start(void) { for (volatile int i = 0; i < 9; i++) ; }\n").unwrap();
    let built = |flags: &[&str]| {
        let mut gcc = std::process::Command::new("gcc");
        let gcc = gcc.args(flags).args(["-nostdlib", "-static", "-o"]).args([&program, &source]);
        gcc.output().is_ok_and(|output| output.status.success())
    };
    if !built(&["-m32", "-g"]) {
        println!("skipped: gcc does not build 32-bit programs here");
        return;
    }
    assert_eq!(tables_of_32_bits(&program), Some((true, true)));
    assert!(built(&["-m32", "-s"]));
    assert_eq!(tables_of_32_bits(&program), Some((false, false)));
    assert!(built(&["-g"]));
    assert_eq!(tables_of_32_bits(&program), None, "64 bits");
    assert_eq!(tables_of_32_bits(&source), None, "no program");
}
