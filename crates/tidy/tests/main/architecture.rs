//! Checks the crates against the floors of docs/architecture.md, and the form of every source file.

use loopwright_tidy::{crates, files, read, root, shown};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The place of a crate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Floor {
    /// On a numbered floor: it may use the crates below.
    Numbered(u32),
    /// Beside the house: only tests of the others use it.
    Beside,
}

/// The table of floors: the rows ``| 3 | `experiment` | .. |`` of docs/architecture.md, the only place that defines it.
fn floors() -> BTreeMap<String, Floor> {
    let text = read(&root().join("docs/architecture.md"));
    let mut floors = BTreeMap::new();
    for line in text.lines() {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let &[_, floor, names, _, ..] = cells.as_slice() else { continue };
        let floor = match floor {
            "beside" => Floor::Beside,
            number => match number.parse() {
                Ok(number) => Floor::Numbered(number),
                Err(_) => continue,
            },
        };
        for name in names.split('`').skip(1).step_by(2) {
            let before = floors.insert(name.to_owned(), floor);
            assert!(before.is_none(), "docs/architecture.md names the crate {name} twice");
        }
    }
    floors
}

#[test]
fn every_crate_has_its_floor_and_every_floor_its_crate() {
    let floors = floors();
    let crates = crates();
    let named: Vec<&String> = floors.keys().collect();
    let present: Vec<&String> = crates.keys().collect();
    assert_eq!(named, present, "left: the table of docs/architecture.md; right: the folders under crates/");
}

#[test]
fn arrows_point_down() {
    let floors = floors();
    let mut wrong = Vec::new();
    let mut seen = 0;
    for (from, arrows) in crates() {
        for arrow in arrows {
            seen += 1;
            let allowed = match (floors[&from], floors[&arrow.to]) {
                (Floor::Numbered(from), Floor::Numbered(to)) => to < from,
                (Floor::Numbered(_), Floor::Beside) => arrow.for_tests,
                (Floor::Beside, _) => true,
            };
            if !allowed {
                wrong.push(format!(
                    "{from} uses {} ({:?} on {:?})",
                    arrow.to, floors[&from], floors[&arrow.to]
                ));
            }
        }
    }
    assert!(seen > 5, "only {seen} arrows between crates were seen");
    assert!(wrong.is_empty(), "these arrows do not point down:\n{}", wrong.join("\n"));
}

/// Every Rust source of the workspace's crates, except inputs of tests (programs to compile, recorded data).
fn sources() -> Vec<PathBuf> {
    let input = |f: &PathBuf| {
        is_test_file(f)
            && f.components().any(|c| ["data", "programs"].iter().any(|name| c.as_os_str() == *name))
    };
    let mut sources = files(&root().join("crates"), ".rs");
    sources.retain(|f| !input(f));
    assert!(sources.len() > 20, "only {} sources found", sources.len());
    sources
}

/// Whether the first line after `#![..]` attributes is documentation of the module.
fn opens_with_its_purpose(text: &str) -> bool {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with("#!["));
    text.contains("#![doc = \"") || lines.next().is_some_and(|line| line.starts_with("//! "))
}

#[test]
fn every_module_opens_with_what_it_is_for() {
    // The tests of a module are in NAME/tests.rs: the name is enough.
    let bare: Vec<String> = sources()
        .iter()
        .filter(|f| f.file_name().is_some_and(|name| name != "tests.rs") && !opens_with_its_purpose(&read(f)))
        .map(|f| shown(f))
        .collect();
    assert!(bare.is_empty(), "these files do not open with `//!`: {bare:#?}");
}

#[test]
fn no_module_is_named_for_what_it_is_not() {
    let vague = ["util", "utils", "common", "helper", "helpers", "shared", "misc"];
    let named: Vec<String> = sources()
        .iter()
        .filter(|f| {
            f.components()
                .any(|c| vague.contains(&c.as_os_str().to_str().unwrap_or("").trim_end_matches(".rs")))
        })
        .map(|f| shown(f))
        .collect();
    assert!(named.is_empty(), "a file is named for what it owns: {named:#?}");
}

#[test]
fn files_stay_readable() {
    // About 500 lines is the aim; the list shows what to split next. A file of more than 900 lines is more
    // than one idea.
    let mut long: Vec<(usize, String)> = sources()
        .iter()
        .map(|f| (read(f).lines().count(), shown(f)))
        .filter(|(lines, _)| *lines > 500)
        .collect();
    long.sort();
    for (lines, file) in &long {
        println!("{lines} lines: {file}");
    }
    let too_long: Vec<_> = long.iter().filter(|(lines, _)| *lines > 900).collect();
    assert!(too_long.is_empty(), "split these: {too_long:#?}");
}

/// Crates whose work cannot be done in safe Rust: system calls, hand-scheduled loops, files mapped into
/// memory. Clippy requires a `// SAFETY:` line for every block in them.
const UNSAFE_CODE: [&str; 12] = [
    "launch",
    "sample",
    "machine",
    "binary",
    "instrument",
    "kernels",
    "kernels-bench",
    "kernels-c",
    "kernels-python",
    // PyO3 generates unsafe code for the one function.
    "python",
    // Both wait for processes and end groups of them.
    "conformance",
    "trial",
];

#[test]
fn unsafe_code_stays_where_it_is_needed() {
    for name in crates().keys() {
        let source = root().join("crates").join(name).join("src");
        let roots: Vec<PathBuf> =
            ["lib.rs", "main.rs"].iter().map(|f| source.join(f)).filter(|f| f.exists()).collect();
        assert!(!roots.is_empty(), "{name} has neither lib.rs nor main.rs");
        for file in roots {
            let forbids = read(&file).contains("#![forbid(unsafe_code)]");
            assert!(
                forbids || UNSAFE_CODE.contains(&name.as_str()),
                "{} does not forbid unsafe code",
                shown(&file)
            );
        }
    }
}

/// The part of a source that is not its unit tests.
fn outside_tests(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines()
        .enumerate()
        .map(|(index, line)| (index + 1, line))
        .take_while(|(_, line)| !line.starts_with("#[cfg(test)]"))
        .filter(|(_, line)| !line.trim_start().starts_with("//"))
}

/// Runs as a separate process in a compiler's place: it can only print where a compiler prints.
const STANDS_FOR_A_COMMAND: [&str; 1] = ["crates/remarks/src/build/wrapper.rs"];

/// The crates beside the house that are also libraries: for other programs.
const LIBRARIES_BESIDE: [&str; 4] = ["kernels", "kernels-c", "kernels-python", "python"];

#[test]
fn libraries_neither_print_nor_exit() {
    let floors = floors();
    let mut wrong = Vec::new();
    let library = |name: &String| floors[name] != Floor::Beside || LIBRARIES_BESIDE.contains(&name.as_str());
    for name in crates().keys().filter(|n| *n != "loopwright" && library(n)) {
        for file in files(&root().join("crates").join(name).join("src"), ".rs") {
            if is_test_file(&file) || STANDS_FOR_A_COMMAND.contains(&shown(&file).as_str()) {
                continue;
            }
            for (line, text) in outside_tests(&read(&file)) {
                let code = text.trim_start();
                if ["println!(", "print!(", "eprintln!(", "eprint!(", "dbg!(", "process::exit("].iter().any(
                    |call| {
                        code.starts_with(call)
                            || code.contains(&format!(" {call}"))
                            || code.contains(&format!("::{call}"))
                    },
                ) {
                    wrong.push(format!("{}:{line}: {code}", shown(&file)));
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "libraries return values and errors; the command prints and exits:\n{}",
        wrong.join("\n")
    );
}

/// What opens files, runs commands or reads a store.
const INPUT_AND_OUTPUT: [&str; 7] =
    ["std::fs", "fs::read", "File::", "Command::", "rusqlite", "Experiment::", "Image::open"];

/// Modules that only tests call: they compare documents with what the code says.
const ONLY_FOR_TESTS: [&str; 2] = ["crates/advise/src/handbook.rs", "crates/report/src/quantity/vectors.rs"];

#[test]
fn logic_does_no_input_or_output() {
    let mut wrong = Vec::new();
    let mut seen = 0;
    for name in ["analysis", "advise", "report"] {
        for file in files(&root().join("crates").join(name).join("src"), ".rs") {
            if is_test_file(&file) || ONLY_FOR_TESTS.contains(&shown(&file).as_str()) {
                continue;
            }
            seen += 1;
            for (line, text) in outside_tests(&read(&file)) {
                if INPUT_AND_OUTPUT.iter().any(|word| text.contains(word)) {
                    wrong.push(format!("{}:{line}: {}", shown(&file), text.trim_start()));
                }
            }
        }
    }
    assert!(seen > 100, "only {seen} files were read");
    let wrong = wrong.join("\n");
    assert!(wrong.is_empty(), "these crates compute from values; `experiment` reads and writes:\n{wrong}");
}

fn is_test_file(file: &Path) -> bool {
    file.file_stem().is_some_and(|s| s == "tests") || file.components().any(|c| c.as_os_str() == "tests")
}

#[test]
fn every_fuzz_target_is_built() {
    let manifest = read(&root().join("fuzz/Cargo.toml"));
    let targets = files(&root().join("fuzz/fuzz_targets"), ".rs");
    assert!(!targets.is_empty(), "fuzz/fuzz_targets is empty");
    for target in targets {
        let stem = target.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        assert!(
            manifest.contains(&format!("name = \"{stem}\""))
                && manifest.contains(&format!("fuzz_targets/{stem}.rs")),
            "fuzz/Cargo.toml has no [[bin]] for {}",
            shown(&target)
        );
    }
}
