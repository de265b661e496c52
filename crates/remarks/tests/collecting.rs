//! Collecting reports during builds of Makefile and CMake projects that use compilers in many ways.
//!
//! This executable is its own wrapper: called under a compiler's name it acts as that compiler, as the
//! command line tool does.

mod installed;

use installed::available;
use loopwright_remarks::build::{self, Collected};
use loopwright_remarks::remark::Outcome;
use loopwright_remarks::warning::Warning;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

const TESTS: &[(&str, fn())] = &[
    ("a_makefile_project_is_collected_and_its_objects_are_identical", makefile_project),
    ("everything_that_is_no_plain_compilation_passes_through", passes_through),
    ("a_failing_compilation_fails_in_the_same_way", failing_compilation),
    ("response_files_and_several_sources_are_understood", response_files),
    ("fortran_modules_are_left_alone", fortran_modules),
    ("a_cmake_project_is_collected", cmake_project),
    ("commands_that_make_files_are_kept_in_order", commands_that_make_files),
    ("compilers_called_by_absolute_path_are_asked_afterwards", absolute_compilers),
    ("a_compiler_named_by_absolute_path_in_the_environment_is_wrapped", absolute_in_environment),
    ("a_build_without_compilations_says_what_to_do", no_compilation),
    ("a_build_without_a_vectoriser_has_reports_without_remarks", without_vectoriser),
    ("links_work_as_plain_compilers_after_the_build", links_outlive_the_build),
];

fn main() -> ExitCode {
    if let Some(status) = build::wrapper_main() {
        std::process::exit(status);
    }
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.iter().any(|argument| argument == "--list") {
        for (name, _) in TESTS {
            println!("{name}: test");
        }
        return ExitCode::SUCCESS;
    }
    // The environment variable of one test must not reach the others: each runs in a process of its own.
    if let Ok(name) = std::env::var("LOOPWRIGHT_TEST_ONE") {
        let (_, test) = TESTS.iter().find(|(known, _)| *known == name).expect("a known test");
        test();
        return ExitCode::SUCCESS;
    }
    let filters: Vec<&String> = arguments.iter().filter(|argument| !argument.starts_with('-')).collect();
    let mut failed = 0;
    for (name, _) in TESTS
        .iter()
        .filter(|(name, _)| filters.is_empty() || filters.iter().any(|f| name.contains(f.as_str())))
    {
        let output =
            Command::new(std::env::current_exe().unwrap()).env("LOOPWRIGHT_TEST_ONE", name).output().unwrap();
        println!("test {name} ... {}", if output.status.success() { "ok" } else { "FAILED" });
        let said = String::from_utf8_lossy(&output.stderr);
        if !output.status.success() {
            failed += 1;
            println!("{said}");
        } else if said.contains("skipped:") {
            println!("{said}");
        }
    }
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

struct Project {
    folder: tempfile::TempDir,
    records: tempfile::TempDir,
}

impl Project {
    fn new(files: &[(&str, &str)]) -> Project {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        Project { folder, records: tempfile::tempdir().unwrap() }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Runs a shell line in the project under collection.
    fn collect(&self, line: &str) -> (bool, Collected) {
        std::env::set_current_dir(self.path()).unwrap();
        let command = ["sh".to_string(), "-c".to_string(), line.to_string()];
        let wrapper = std::env::current_exe().unwrap();
        let finished = build::run(&command, self.records.path(), &wrapper).unwrap();
        (finished.status.success(), finished.collected)
    }

    fn plain(&self, line: &str) -> bool {
        Command::new("sh").arg("-c").arg(line).current_dir(self.path()).status().unwrap().success()
    }

    /// All files of the project with their bytes.
    fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut files = BTreeMap::new();
        let mut open = vec![self.path().to_path_buf()];
        while let Some(folder) = open.pop() {
            for entry in std::fs::read_dir(folder).unwrap().flatten() {
                let path = entry.path();
                if path.is_dir() {
                    open.push(path);
                } else {
                    files.insert(
                        path.strip_prefix(self.path()).unwrap().to_path_buf(),
                        std::fs::read(&path).unwrap(),
                    );
                }
            }
        }
        files
    }
}

const SUM: &str = "double weight(double);\nvoid apply(double *a, int n) {\n    for (int i = 0; i < n; i++)\n        a[i] = weight(a[i]);\n}\n";
const ADD: &str = "void add(float *restrict a, const float *restrict b, int n) {\n    for (int i = 0; i < n; i++)\n        a[i] += b[i];\n}\n";
const MAIN: &str = "void add(float *, const float *, int);\nint main(void) { float a[9] = {0}, b[9] = {1}; add(a, b, 9); return a[0] != 1; }\n";
const MAKEFILE: &str = "CFLAGS = -O3\nall: sum.o prog\nprog: add.o main.o\n\t$(CC) $(CFLAGS) -o $@ $^\n%.o: %.c\n\t$(CC) $(CFLAGS) -MMD -MF $*.d -c $< -o $@\n";

fn has(collected: &Collected, file: &str, outcome: Outcome, reason: Option<&str>) -> bool {
    collected.remarks.iter().any(|remark| {
        remark.file.ends_with(file)
            && remark.outcome == outcome
            && (reason.is_none() || remark.reason.as_deref() == reason)
    })
}

fn makefile_project() {
    for compiler in ["gcc", "clang"] {
        if !available(compiler) || !available("make") {
            continue;
        }
        for flags in [
            "-O3",
            "-O3 -g",
            "-O2 -g1",
            "-O3 -gline-tables-only",
            "-O3 -frecord-gcc-switches",
            "-O3 -g -flto",
            "-O3 -g -gsplit-dwarf",
            "-O3 -fno-lto -ggdb3",
        ] {
            if compiler == "gcc" && flags.contains("-gline") {
                continue;
            }
            let project =
                Project::new(&[("sum.c", SUM), ("add.c", ADD), ("main.c", MAIN), ("Makefile", MAKEFILE)]);
            let line = format!("make -s -j4 CC={compiler} CFLAGS='{flags} -march=x86-64-v3'");
            assert!(project.plain(&line), "{line}");
            let before = project.files();
            assert!(project.plain("rm -f *.o *.d *.dwo prog"));
            let (done, collected) = project.collect(&line);
            assert!(done);
            let after = project.files();
            assert_eq!(
                before.keys().collect::<Vec<_>>(),
                after.keys().collect::<Vec<_>>(),
                "{line}: the files differ"
            );
            for (name, bytes) in &before {
                // LTO sections have a random name; without LTO the same compiler makes different objects in any case.
                if !flags.contains("-flto") {
                    assert!(after[name] == *bytes, "{line}: {} differs", name.display());
                }
            }
            assert_eq!(collected.commands.len(), 3, "{line}");
            assert!(collected.warnings.is_empty(), "{line}: {:?}", collected.warnings);
            assert!(collected.commands.iter().all(|c| c.compiler.as_ref().unwrap().starts_with(compiler)));
            assert!(
                has(&collected, "/sum.c", Outcome::Missed, Some("opaque-call")),
                "{line}: {:?}",
                collected.remarks
            );
            if !flags.contains("-O2") {
                assert!(
                    has(&collected, "/add.c", Outcome::Vectorized, None),
                    "{line}: {:?}",
                    collected.remarks
                );
            }
            assert!(
                collected.remarks.iter().all(|r| r.file.starts_with('/') && r.compiler.starts_with(compiler))
            );
            let again = build::load(project.records.path()).unwrap();
            assert_eq!(again.remarks, collected.remarks);
        }
    }
}

/// Runs the same script plainly and under collection, and compares all output and files.
fn same_both_ways(files: &[(&str, &str)], script: &str) -> Collected {
    let project = Project::new(files);
    let before = project.files();
    let run = format!("({script}) > out.txt 2> err.txt; echo $? > status.txt");
    project.plain(&run);
    let plain = project.files();
    for name in plain.keys().filter(|name| !before.contains_key(*name)) {
        std::fs::remove_file(project.path().join(name)).unwrap();
    }
    let (_, collected) = project.collect(&run);
    let wrapped = project.files();
    for (name, bytes) in &plain {
        let other = wrapped.get(name).unwrap_or_else(|| panic!("{script}: {} is missing", name.display()));
        assert!(
            other == bytes,
            "{script}: {} differs:\n{}\n---\n{}",
            name.display(),
            String::from_utf8_lossy(bytes),
            String::from_utf8_lossy(other)
        );
    }
    assert_eq!(plain.len(), wrapped.len(), "{script}: {:?}", wrapped.keys());
    collected
}

fn passes_through() {
    let files = [
        ("add.c", ADD),
        ("main.c", MAIN),
        ("x.s", "\t.globl x\nx:\tret\n"),
        ("conftest.c", "int main(void){return 0;}\n"),
    ];
    let scripts = [
        "gcc -E add.c",
        "gcc -M add.c; gcc -MM main.c",
        "gcc -O3 -S add.c -o add.s",
        "gcc -O3 -S add.c -o -",
        "echo 'int x;' | gcc -x c -c - -o x.o",
        "gcc -c x.s -o x.o",
        "gcc --version; gcc -dumpversion; gcc -print-file-name=libc.a; gcc -v -c x.s -o x.o 2>/dev/null",
        "gcc -O2 conftest.c -o conftest && ./conftest && echo yes",
        "gcc -O3 -fsyntax-only add.c",
        "g++ --version; cc --version",
        "gcc",
        "gcc -c absent.c -o absent.o",
        "gcc --no-such-option -c add.c -o add.o",
        "gcc -O3 -g -c add.c -o add.o && gcc -c -O0 main.c && gcc add.o main.o -o prog && ./prog; echo $?",
        "gcc -Wall -Wextra -O2 -g -c main.c -o m.o",
    ];
    for script in scripts {
        let collected = same_both_ways(&files, script);
        let expected = match script {
            s if s.contains("./prog") => 2,
            s if s.contains("-Wextra") => 1,
            _ => 0,
        };
        assert_eq!(collected.commands.len(), expected, "{script}: {:?}", collected.commands);
    }
}

fn failing_compilation() {
    let bad = "int f(void) { return undeclared; }\n";
    let collected =
        same_both_ways(&[("bad.c", bad)], "gcc -O3 -c bad.c -o bad.o; echo $?; cc -g -c bad.c; exit 7");
    assert!(collected.commands.is_empty());
}

fn response_files() {
    let files = [("sum.c", SUM), ("add.c", ADD), ("main.c", MAIN), ("args", "-O3 -c 'sum.c' -o sum.o")];
    let collected = same_both_ways(&files, "gcc @args");
    assert_eq!(collected.commands.len(), 1);
    assert!(has(&collected, "/sum.c", Outcome::Missed, Some("opaque-call")), "{:?}", collected.remarks);
    let collected = same_both_ways(&files, "gcc -O3 add.c main.c -o prog && ./prog && echo fine");
    assert_eq!(collected.commands.len(), 2);
    assert!(has(&collected, "/add.c", Outcome::Vectorized, None), "{:?}", collected.remarks);
}

fn fortran_modules() {
    if !available("gfortran") {
        return;
    }
    let files = [
        (
            "w.f90",
            "module w\ncontains\n  subroutine twice(a)\n    real(8) :: a(:)\n    a = a * 2\n  end subroutine\nend module\n",
        ),
        (
            "m.f90",
            "subroutine m(a, n)\n  use w\n  integer :: n\n  real(8) :: a(n)\n  call twice(a)\n  do i = 2, n\n    a(i) = a(i-1) * 0.5d0 + 1\n  end do\nend subroutine\n",
        ),
    ];
    let script =
        "mkdir -p mods && gfortran -O3 -g -J mods -c w.f90 -o w.o && gfortran -O3 -g -I mods -c m.f90 -o m.o";
    let collected = same_both_ways(&files, script);
    assert_eq!(collected.commands.len(), 2);
    assert!(collected.warnings.is_empty(), "{:?}", collected.warnings);
    assert!(
        has(&collected, "/m.f90", Outcome::Missed, Some("loop-carried-dependence")),
        "{:?}",
        collected.remarks
    );
    assert!(has(&collected, "/w.f90", Outcome::Vectorized, None), "{:?}", collected.remarks);
}

const CMAKE: &str = "cmake_minimum_required(VERSION 3.10)\nproject(p C)\nset(CMAKE_BUILD_TYPE Release)\nadd_executable(prog main.c add.c)\nadd_library(s STATIC sum.c)\n";

fn cmake_project() {
    if !available("cmake") || !available("ninja") {
        return;
    }
    for generator in ["Ninja", "Unix Makefiles"] {
        let project =
            Project::new(&[("sum.c", SUM), ("add.c", ADD), ("main.c", MAIN), ("CMakeLists.txt", CMAKE)]);
        let (done, collected) = project
            .collect(&format!("cmake -G '{generator}' -B build . > log && cmake --build build >> log"));
        assert!(done);
        // The probes of the configuration step do not belong to the project.
        assert_eq!(collected.commands.len(), 3, "{generator}: {:?}", collected.commands);
        assert!(has(&collected, "/sum.c", Outcome::Missed, Some("opaque-call")), "{:?}", collected.remarks);
        assert!(collected.warnings.is_empty(), "{:?}", collected.warnings);
        assert_eq!(made(&collected), ["add.c", "libs.a", "main.c", "prog", "sum.c"], "{generator}");
    }
}

/// What the commands of a build make, by the last word of it that names a source, an archive or a program, sorted.
fn made(collected: &Collected) -> Vec<String> {
    let of = |step: &build::step::Step| {
        let source = step.arguments.iter().find(|word| word.ends_with(".c"));
        let archive = step.arguments.iter().find(|word| step.archives() && word.ends_with(".a"));
        let output = step.arguments.iter().skip_while(|word| *word != "-o").nth(1);
        let path = source.or(archive).or(output).expect("a source or an output");
        Path::new(path).file_name().unwrap().to_string_lossy().into_owned()
    };
    let mut names: Vec<String> = collected.steps.iter().map(of).collect();
    names.sort();
    names
}

fn commands_that_make_files() {
    if !available("gcc") || !available("make") {
        return;
    }
    let makefile = "prog: main.o libadd.a\n\t$(CC) -o $@ main.o -L. -ladd\nlibadd.a: add.o\n\t$(AR) rcs $@ $^\n\
                    %.o: %.c\n\t$(CC) -O2 -c $< -o $@\n";
    let project = Project::new(&[("add.c", ADD), ("main.c", MAIN), ("Makefile", makefile)]);
    let (done, collected) = project.collect("make -s -j2 && gcc --version > /dev/null");
    assert!(done);
    assert_eq!(made(&collected), ["add.c", "libadd.a", "main.c", "prog"]);
    let folder = project.path().canonicalize().unwrap();
    assert!(collected.steps.iter().all(|step| step.directory == folder));
    // A second build has only what it ran.
    let (_, collected) = project.collect("touch add.c && make -s");
    assert_eq!(made(&collected), ["add.c", "libadd.a", "prog"]);
}

/// What GCC writes then has none of the lines that its reports are known by.
fn without_vectoriser() {
    let project = Project::new(&[("add.c", ADD)]);
    std::env::set_current_dir(project.path()).unwrap();
    let command = ["gcc", "-O1", "-c", "add.c"].map(str::to_string);
    let finished = build::run(&command, project.records.path(), &std::env::current_exe().unwrap()).unwrap();
    assert!(finished.status.success() && finished.collected.commands.len() == 1);
    assert!(finished.collected.warnings.is_empty(), "{:?}", finished.collected.warnings);
}

fn absolute_compilers() {
    if !available("cmake") || !available("ninja") {
        return;
    }
    let project =
        Project::new(&[("sum.c", SUM), ("add.c", ADD), ("main.c", MAIN), ("CMakeLists.txt", CMAKE)]);
    assert!(project.plain("cmake -G Ninja -B build . > log"));
    std::env::set_current_dir(project.path()).unwrap();
    let command = ["ninja", "-C", "build"].map(str::to_string);
    let finished = build::run(&command, project.records.path(), &std::env::current_exe().unwrap()).unwrap();
    assert!(finished.status.success());
    let collected = finished.collected;
    assert_eq!(collected.commands.len(), 3, "{:?}", collected.commands);
    assert!(has(&collected, "/sum.c", Outcome::Missed, Some("opaque-call")), "{:?}", collected.remarks);
    let asked = Warning::AskedInstead { answered: 3, of: 3 };
    assert!(collected.warnings.contains(&asked), "{:?}", collected.warnings);
    assert_eq!(build::load(project.records.path()).unwrap().commands.len(), 3);
    assert_eq!(made(&collected), ["add.c", "libs.a", "main.c", "prog", "sum.c"]);
    // Makefiles of CMake have their links in files.
    let line = "cmake -DCMAKE_EXPORT_COMPILE_COMMANDS=ON -B made . > log";
    assert!(project.plain(line));
    let command = ["make", "-s", "-C", "made"].map(str::to_string);
    let finished = build::run(&command, project.records.path(), &std::env::current_exe().unwrap()).unwrap();
    assert_eq!(made(&finished.collected), ["add.c", "libs.a", "main.c", "prog", "sum.c"]);
}

fn absolute_in_environment() {
    let gcc = String::from_utf8(Command::new("sh").args(["-c", "command -v gcc"]).output().unwrap().stdout)
        .unwrap();
    let project = Project::new(&[("sum.c", SUM), ("Makefile", "sum.o: sum.c\n\t$(CC) -O3 -c sum.c\n")]);
    // SAFETY: this test runs in a process of its own, and no other thread exists yet.
    unsafe { std::env::set_var("CC", gcc.trim()) };
    let (done, collected) = project.collect("make -s");
    assert!(done);
    assert_eq!(collected.commands.len(), 1, "{:?}", collected.warnings);
    assert_eq!(collected.commands[0].arguments[0], gcc.trim());
}

fn no_compilation() {
    let project = Project::new(&[]);
    let (done, collected) = project.collect("true");
    assert!(done && collected.commands.is_empty());
    assert!(matches!(&collected.warnings[..], [Warning::NothingCompiled { .. }]), "{:?}", collected.warnings);
    assert!(matches!(build::run(&[], project.records.path(), Path::new("/")), Err(build::Error::NoCommand)));
    assert!(matches!(build::load(project.path()), Err(build::Error::NoBuild(_))));
}

fn links_outlive_the_build() {
    let project = Project::new(&[("add.c", ADD)]);
    project.collect("true");
    let link = project.records.path().join("bin/gcc");
    assert!(
        Command::new(&link)
            .args(["-O3", "-c", "add.c", "-o", "x.o"])
            .current_dir(project.path())
            .status()
            .unwrap()
            .success()
    );
    assert!(project.path().join("x.o").is_file());
}
