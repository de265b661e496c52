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

/// Runs the examples from a folder, and checks what they print.
fn examples_work(folder: &Path) {
    let file = root().join("Cargo.lock");
    let command = |name: &str| {
        let mut command = Command::new(folder.join(name));
        command.env_remove("LOOPWRIGHT_ISA").env_remove("LD_LIBRARY_PATH");
        command
    };
    let printed = run(command("checksum").arg(&file));
    assert!(printed.starts_with(&expected(&file)), "{printed}");
    let scalar = run(command("checksum").arg(&file).env("LOOPWRIGHT_ISA", "scalar"));
    assert!(scalar.starts_with(&expected(&file)) && scalar.ends_with("(scalar)\n"), "{scalar}");
    assert_eq!(run(&mut command("levels")).lines().count(), 4);
    let sealed = run(&mut command("seal"));
    assert!(sealed.contains("message 1: the message is rejected") && sealed.lines().count() == 3, "{sealed}");
    let files =
        [root().join("Cargo.lock"), root().join("Cargo.toml"), root().join("python/loopwright/py.typed")];
    let digest = |file: &PathBuf| {
        let digest = kernels::hash::hash::<kernels::hash::Sha256>(&std::fs::read(file).unwrap());
        format!("{digest}  {}\n", file.display())
    };
    assert_eq!(run(command("hash_files").args(&files)), files.iter().map(digest).collect::<String>());
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
    for (compiler, source) in
        [("gcc", "checksum.c"), ("gcc", "hash_files.c"), ("g++", "levels.cpp"), ("g++", "seal.cpp")]
    {
        let name = source.split_once('.').unwrap().0;
        run(Command::new(compiler)
            .arg(root().join("examples/c").join(source))
            .arg("-o")
            .arg(folder.path().join(name))
            .args(flags.split_whitespace()));
    }
    // They find the library without a word to the loader.
    examples_work(folder.path());
    // And without any shared library, also the compiler's.
    let flags = run(Command::new("pkg-config")
        .args(["--static", "--cflags", "--libs", "loopwright-kernels"])
        .env("PKG_CONFIG_PATH", lib.join("pkgconfig")));
    let program = folder.path().join("static");
    run(Command::new("gcc")
        .arg("-static")
        .arg(root().join("examples/c/hash_files.c"))
        .arg("-o")
        .arg(&program)
        .args(flags.split_whitespace()));
    assert!(run(Command::new(program).arg(root().join("Cargo.toml"))).ends_with("Cargo.toml\n"));
}

#[test]
fn what_only_c_can_get_wrong_is_an_error_value() {
    let compilers = ["gcc", "clang"].into_iter().filter(|compiler| is_there(compiler));
    for compiler in compilers {
        let folder = tempfile::tempdir().unwrap();
        for name in ["refusals", "hash", "cipher", "fork"] {
            let source = root().join(format!("crates/kernels-c/tests/programs/{name}.c"));
            // Without the sizes of a calibration: where threads begin is the default.
            let program = build(compiler, &source, folder.path());
            run(Command::new(program).env("LOOPWRIGHT_KERNELS_TUNING", "none"));
        }
    }
}

/// Builds a program with the static library.
fn build(compiler: &str, source: &Path, folder: &Path) -> PathBuf {
    let program = folder.join(source.file_stem().unwrap());
    run(Command::new(compiler)
        .args(["-std=c11", "-Wall", "-Wextra", "-pedantic", "-Werror", "-I"])
        .arg(prefix().join("include"))
        .arg(source)
        .arg(prefix().join("lib/libloopwright_kernels.a"))
        .args(["-lutil", "-lrt", "-lpthread", "-lm", "-ldl", "-o"])
        .arg(&program));
    program
}

/// The declarations of the header: what is before the parenthesis, and the parameters.
fn declarations(header: &str) -> Vec<(&str, Vec<&str>)> {
    let starts = header.match_indices("\n").map(|(at, _)| &header[at + 1..]);
    let functions = starts.filter(|text| !text.starts_with([' ', '/', '#', '}', '\n']));
    functions
        .filter_map(|text| text.split_once(';')?.0.split_once('('))
        .filter(|(before, _)| name(before).starts_with("lw_") && !before.contains(['{', '#', '/']))
        .map(|(before, rest)| (before, rest.trim_end_matches(')').split(',').map(str::trim).collect()))
        .collect()
}

fn name(before: &str) -> &str {
    before.rsplit([' ', '*']).next().unwrap()
}

#[test]
fn no_function_is_harmed_by_nothing() {
    if !is_there("gcc") {
        return;
    }
    let header = std::fs::read_to_string(prefix().join("include/loopwright_kernels.h")).unwrap();
    let functions = declarations(&header);
    // Null for every pointer, and for every number zero, one and its largest.
    let mut calls = String::new();
    for number in ["0", "1", "-1"] {
        for (before, parameters) in &functions {
            let argument = |parameter: &&str| match *parameter {
                "void" => String::new(),
                pointer if pointer.contains('*') => "NULL".to_owned(),
                other => format!("({}){number}", other.rsplit_once(' ').unwrap().0),
            };
            let arguments: Vec<String> = parameters.iter().map(argument).collect();
            calls += &format!("    (void){}({});\n", name(before), arguments.join(", "));
        }
    }
    assert!(functions.len() > 80, "only {} functions were seen", functions.len());
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("nothing.c");
    let text = "#include <loopwright_kernels.h>\nint main(void)\n{\n";
    std::fs::write(&source, format!("{text}{calls}    return 0;\n}}\n")).unwrap();
    run(&mut Command::new(build("gcc", &source, folder.path())));
}

/// Functions that run nothing which could fail: they hand out what is there.
const PLAIN: [&str; 9] = [
    "lw_error_message",
    "lw_last_error",
    "lw_isa_best",
    "lw_isa_is_available",
    "lw_isa_name",
    "lw_semi_sparse_rows",
    "lw_semi_sparse_columns",
    "lw_semi_sparse_nnz",
    "lw_semi_sparse_bytes",
];

#[test]
fn no_panic_leaves_a_function() {
    let folder = root().join("crates/kernels-c/src");
    let mut sources = String::new();
    let mut folders = vec![folder];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => folders.push(path),
                false => sources += &std::fs::read_to_string(path).unwrap(),
            }
        }
    }
    // From a function's name to the brace at the left that ends it.
    let body = |name: &str| {
        let from =
            sources.split_once(&format!("extern \"C\" fn {name}(")).unwrap_or_else(|| panic!("{name}")).1;
        from.split_once("\n}\n").unwrap().0.split_once("{\n").unwrap().1
    };
    let header = std::fs::read_to_string(prefix().join("include/loopwright_kernels.h")).unwrap();
    for (before, _) in declarations(&header) {
        let name = name(before);
        let first = body(name).lines().map(str::trim).find(|line| !line.starts_with("//")).unwrap();
        // `run` and `value` catch; a function that gives back an object has nothing to do for null.
        let caught = first.starts_with("run(")
            || first.starts_with("value(")
            || (first.starts_with("if !") && body(name).contains(" run(") && name.ends_with("_free"));
        assert_ne!(
            caught,
            PLAIN.contains(&name),
            "{name} does its work outside of `run` and `value`: {first}"
        );
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
    examples_work(folder.path());
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
    let mut declared: Vec<&str> = declarations(&header).iter().map(|(before, _)| name(before)).collect();
    declared.sort_unstable();
    assert!(declared.len() > 10, "{declared:?}");
    assert_eq!(shown, declared, "left: what the library shows; right: what the header declares");
}
