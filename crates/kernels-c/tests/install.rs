//! What is installed is used as its users would: with pkg-config, with CMake, and after it has been moved.

use object::{Object, ObjectSymbol};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;
use tempfile::TempDir;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// Whether a tool is there; its absence is a failure where nothing may be skipped.
fn is_there(tool: &str) -> bool {
    let there = Command::new(tool).arg("--version").output().is_ok_and(|o| o.status.success());
    assert!(there || std::env::var_os("LOOPWRIGHT_REQUIRE_ALL").is_none(), "{tool} is missing");
    if !there {
        println!("skipped: {tool} is missing");
    }
    there
}

fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|e| panic!("{command:?}: {e}"));
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(
        output.status.success(),
        "{command:?}: {}\n{}{}",
        output.status,
        text(&output.stdout),
        text(&output.stderr)
    );
    text(&output.stdout)
}

/// Where the library is installed, once for all tests: into a first folder, which is then renamed.
fn prefix() -> &'static Path {
    static FOLDER: LazyLock<TempDir> = LazyLock::new(|| {
        let folder = tempfile::tempdir().unwrap();
        let (first, second) = (folder.path().join("first"), folder.path().join("second"));
        run(Command::new(root().join("crates/kernels-c/install/install")).arg(&first).arg("dev"));
        std::fs::rename(&first, &second).unwrap();
        folder
    });
    static PREFIX: LazyLock<PathBuf> = LazyLock::new(|| FOLDER.path().join("second"));
    &PREFIX
}

/// The checksum that the examples are to print of the file, by the Rust library.
fn expected(file: &Path) -> String {
    let mut bytes = std::fs::read(file).unwrap();
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    let [a, b, c, d] = kernels::fletcher::fletcher4(&bytes).unwrap().words;
    format!("{a:x}:{b:x}:{c:x}:{d:x}")
}

/// Runs the two examples from a folder, and checks what they print.
fn examples_work(folder: &Path, library_path: Option<&Path>) {
    let file = root().join("Cargo.lock");
    let command = |name: &str| {
        let mut command = Command::new(folder.join(name));
        command.env_remove("LOOPWRIGHT_ISA");
        if let Some(path) = library_path {
            command.env("LD_LIBRARY_PATH", path);
        }
        command
    };
    let printed = run(command("checksum").arg(&file));
    assert!(printed.starts_with(&expected(&file)), "{printed}");
    let scalar = run(command("checksum").arg(&file).env("LOOPWRIGHT_ISA", "scalar"));
    assert!(scalar.starts_with(&expected(&file)) && scalar.ends_with("(scalar)\n"), "{scalar}");
    assert_eq!(run(&mut command("levels")).lines().count(), 4);
}

#[test]
fn pkg_config_finds_it() {
    if !is_there("pkg-config") || !is_there("gcc") || !is_there("g++") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let lib = prefix().join("lib");
    let flags = run(Command::new("pkg-config")
        .args(["--cflags", "--libs", "loopwright-kernels"])
        .env("PKG_CONFIG_PATH", lib.join("pkgconfig")));
    for (compiler, source, name) in [("gcc", "checksum.c", "checksum"), ("g++", "levels.cpp", "levels")] {
        run(Command::new(compiler)
            .arg(root().join("examples/c").join(source))
            .arg("-o")
            .arg(folder.path().join(name))
            .args(flags.split_whitespace()));
    }
    examples_work(folder.path(), Some(&lib));
}

#[test]
fn what_only_c_can_get_wrong_is_an_error_value() {
    let compilers = ["gcc", "clang"].into_iter().filter(|compiler| is_there(compiler));
    for compiler in compilers {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("refusals");
        run(Command::new(compiler)
            .args(["-std=c11", "-Wall", "-Wextra", "-pedantic", "-Werror", "-I"])
            .arg(prefix().join("include"))
            .arg(root().join("crates/kernels-c/tests/programs/refusals.c"))
            .arg(prefix().join("lib/libloopwright_kernels.a"))
            .args(["-lgcc_s", "-lutil", "-lrt", "-lpthread", "-lm", "-ldl", "-o"])
            .arg(&program));
        run(&mut Command::new(&program));
    }
}

#[test]
fn matrices_come_from_files_and_stored_plans() {
    for compiler in ["gcc", "clang"].into_iter().filter(|compiler| is_there(compiler)) {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("semi_sparse");
        run(Command::new(compiler)
            .args(["-std=c11", "-Wall", "-Wextra", "-pedantic", "-Werror", "-I"])
            .arg(prefix().join("include"))
            .arg(root().join("crates/kernels-c/tests/programs/semi_sparse.c"))
            .arg(prefix().join("lib/libloopwright_kernels.a"))
            .args(["-lgcc_s", "-lutil", "-lrt", "-lpthread", "-lm", "-ldl", "-o"])
            .arg(&program));
        run(Command::new(&program).arg(folder.path()));
    }
}

#[test]
fn cmake_finds_it() {
    if !is_there("cmake") || !is_there("gcc") || !is_there("g++") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    run(Command::new("cmake")
        .arg("-S")
        .arg(root().join("examples/c"))
        .arg("-B")
        .arg(folder.path())
        .arg(format!("-DCMAKE_PREFIX_PATH={}", prefix().display())));
    run(Command::new("cmake").arg("--build").arg(folder.path()));
    examples_work(folder.path(), None);
}

#[test]
fn cmake_refuses_another_version() {
    if !is_there("cmake") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let project = "cmake_minimum_required(VERSION 3.16)\nproject(p NONE)\nfind_package(loopwright_kernels 0.2 REQUIRED)\n";
    std::fs::write(folder.path().join("CMakeLists.txt"), project).unwrap();
    let output = Command::new("cmake")
        .arg("-S")
        .arg(folder.path())
        .arg("-B")
        .arg(folder.path().join("build"))
        .arg(format!("-DCMAKE_PREFIX_PATH={}", prefix().display()))
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && errors.contains("requested version \"0.2\""), "{errors}");
}

#[test]
fn the_shared_library_shows_what_the_header_declares() {
    let header = std::fs::read_to_string(prefix().join("include/loopwright_kernels.h")).unwrap();
    let bytes = std::fs::read(prefix().join("lib/libloopwright_kernels.so")).unwrap();
    let library = object::File::parse(&*bytes).unwrap();
    let defined = library.dynamic_symbols().filter(|symbol| symbol.is_definition());
    let mut shown: Vec<&str> = defined.map(|symbol| symbol.name().unwrap()).collect();
    shown.sort_unstable();
    let mut declared: Vec<&str> = header
        .lines()
        .filter(|line| line.contains('(') && !line.starts_with([' ', '/', '#']))
        .filter_map(|line| line.split_once('(')?.0.rsplit([' ', '*']).next())
        .filter(|name| name.starts_with("lw_"))
        .collect();
    declared.sort_unstable();
    assert!(declared.len() > 10, "{declared:?}");
    assert_eq!(shown, declared, "left: what the library shows; right: what the header declares");
}
