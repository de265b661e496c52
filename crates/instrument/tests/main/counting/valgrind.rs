//! Counts against valgrind: instructions by function and object (callgrind), bytes by instruction (lackey).
//!
//! valgrind translates code itself and shares nothing with the engine or with `loopwright_binary`. It does
//! not support AVX-512, so that builds go up to x86-64-v3 only.

use crate::counting::builds::Ready;
use crate::counting::engine::counted;
use crate::counting::expected::base_name;
use crate::counting::judge::own_modules;
use loopwright_binary::code::block_work;
use loopwright_binary::image::{DebugSearch, Image};
use loopwright_instrument::facts::{Counts, ModuleCounts};
use loopwright_testprograms::{BuildError, Compiler, Finish, Program, available};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};

/// Whether valgrind runs here; prints why not.
fn present() -> bool {
    let answer = Command::new("valgrind").arg("--version").output();
    let absent = || BuildError::Absent("valgrind is not installed; install valgrind".to_owned());
    available(answer.map_err(|_| absent())).is_some()
}

/// Instructions by function (without the marks of clones and recursion), for one object.
fn callgrind(object: &Path, program: &Path, arguments: &[String]) -> BTreeMap<String, u64> {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("callgrind.out");
    let status = Command::new("valgrind")
        // Otherwise the stubs of the procedure linkage table are attributed to the functions that use them.
        .args(["--tool=callgrind", "--compress-strings=no", "--compress-pos=no", "-q", "--skip-plt=no"])
        .arg(format!("--callgrind-out-file={}", out.display()))
        .arg(program)
        .args(arguments)
        .current_dir(folder.path())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .unwrap();
    assert!(status.success(), "valgrind {}: {status}", program.display());
    read_callgrind(&std::fs::read_to_string(out).unwrap(), object)
}

/// Own costs of the object's functions, from callgrind's output ("Callgrind Format Specification" of its manual).
fn read_callgrind(text: &str, object: &Path) -> BTreeMap<String, u64> {
    let mut costs = BTreeMap::new();
    let (mut here, mut function, mut inclusive) = (false, String::new(), false);
    for line in text.lines() {
        if let Some(path) = line.strip_prefix("ob=") {
            here = Path::new(path) == object;
        } else if let Some(name) = line.strip_prefix("fn=") {
            function = base_name(name.split('\'').next().unwrap_or(name)).to_owned();
        } else if line.starts_with("calls=") {
            // The next line is the cost of the call, which belongs to the callee.
            inclusive = true;
        } else if line.starts_with(|c: char| c.is_ascii_digit()) {
            let cost = line.split_whitespace().nth(1).and_then(|c| c.parse::<u64>().ok()).unwrap_or(0);
            if here && !inclusive {
                *costs.entry(function.clone()).or_default() += cost;
            }
            inclusive = false;
        }
    }
    costs
}

/// Counted instructions by function; functions that were not counted completely are missing.
fn counted_instructions(modules: &[&ModuleCounts]) -> BTreeMap<String, u64> {
    let mut all = BTreeMap::new();
    for f in modules.iter().flat_map(|m| &m.functions).filter(|f| f.complete) {
        *all.entry(base_name(&f.name).to_owned()).or_default() += f.work.instructions;
    }
    all
}

/// Largest relative difference allowed: `rep` prefixes, which valgrind counts once per repetition.
const ALLOWED: f64 = 0.001;

fn agree(label: &str, mine: u64, theirs: u64) {
    let difference = mine.abs_diff(theirs) as f64 / theirs.max(1) as f64;
    assert!(difference <= ALLOWED, "{label}: {mine} instructions, callgrind {theirs}");
}

#[test]
fn instructions_agree_with_callgrind() {
    if !present() {
        return;
    }
    let cases: &[(&str, Compiler, &str, &[&str])] = &[
        ("squeeze", Compiler::Gcc, "O2", &["60000"]),
        ("squeeze", Compiler::Clang, "O3-v3", &["60000"]),
        ("flow", Compiler::Gcc, "O0", &["2000"]),
        ("nests", Compiler::Gcc, "O3-v3", &["48", "2000"]),
        ("types", Compiler::Clang, "O3-v3", &["5000"]),
        ("unwinding", Compiler::Gxx, "O2", &["300"]),
        ("linked", Compiler::Gcc, "O2", &["5000"]),
    ];
    let mut compared = 0;
    for &(name, compiler, set, arguments) in cases {
        let Some(ready) = Ready::build(&Program::named(name), compiler, set) else { continue };
        let ready = ready.with(arguments);
        let (_, counts) = counted(&ready.built.path, &ready.arguments, &ready.modules());
        for built in std::iter::once(&ready.built).chain(&ready.library) {
            let object = built.path.canonicalize().unwrap();
            let theirs = callgrind(&object, &ready.built.path, &ready.arguments);
            let modules = own_modules(&ready, &counts);
            let module: Vec<_> = modules.into_iter().filter(|m| Path::new(&m.path) == object).collect();
            let mine = counted_instructions(&module);
            // The object as a whole: everything that was counted, and its share of everything.
            let both: Vec<&String> = mine.keys().filter(|f| theirs.contains_key(*f)).collect();
            let sum = |map: &BTreeMap<String, u64>| both.iter().map(|f| map[*f]).sum::<u64>();
            let total: u64 = theirs.values().sum();
            println!("{}: {} of {total} instructions", built.label, sum(&mine));
            for (f, n) in theirs.iter().filter(|(f, _)| !mine.contains_key(*f)) {
                println!("    not counted: {n} of {f}");
            }
            for f in both.iter().filter(|f| theirs[**f] > 1000) {
                agree(&format!("{}: {f}", built.label), mine[*f], theirs[*f]);
                compared += 1;
            }
            agree(&built.label, sum(&mine), sum(&theirs));
            agree(&format!("{}: all functions", built.label), sum(&mine), total);
        }
    }
    println!("{compared} functions");
}

/// A program that this project neither wrote nor compiled.
#[test]
fn gzip_agrees_with_callgrind() {
    let gzip = Path::new("/bin/gzip");
    let found =
        if gzip.exists() { Ok(()) } else { Err(BuildError::Absent("gzip is not installed".to_owned())) };
    if available(found).is_none() || !present() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("input");
    let text: Vec<u8> = (0..60_000_u32).flat_map(|k| format!("{} ", k * k % 977).into_bytes()).collect();
    std::fs::write(&input, text).unwrap();
    let arguments = ["-9".to_owned(), "-c".to_owned(), "-n".to_owned(), input.to_str().unwrap().to_owned()];
    let object = gzip.canonicalize().unwrap();
    let plain = Command::new(gzip).args(&arguments).output().unwrap();
    let (run, counts) = counted(gzip, &arguments, &[]);
    assert_eq!(String::from_utf8_lossy(&plain.stdout), run.outcome.stdout);
    let theirs: u64 = callgrind(&object, gzip, &arguments).values().sum();
    agree("gzip", of_object(&counts, &object), theirs);
}

fn of_object(counts: &Counts, object: &Path) -> u64 {
    let modules = counts.modules.iter().filter(|m| Path::new(&m.path) == object);
    modules.flat_map(|m| &m.functions).map(|f| f.work.instructions).sum()
}

/// Bytes that the instructions of a program moved, by address of the instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Moved {
    executions: u64,
    loaded: u64,
    stored: u64,
}

/// Runs a program whose addresses are those of its file under lackey and reads its trace.
fn lackey(image: &Image, program: &Path, arguments: &[String]) -> BTreeMap<u64, Moved> {
    use std::io::{BufRead, BufReader};
    let folder = tempfile::tempdir().unwrap();
    let mut child = Command::new("valgrind")
        // Without chasing no block holds instructions that run only under a condition.
        .args(["--tool=lackey", "--trace-mem=yes", "--log-fd=2", "--vex-guest-chase=no"])
        .arg(program)
        .args(arguments)
        .current_dir(folder.path())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut moved: BTreeMap<u64, Moved> = BTreeMap::new();
    let mut at = None;
    for line in BufReader::new(child.stderr.take().unwrap()).lines() {
        let line = line.unwrap_or_default();
        let mut words = line.split_whitespace();
        let (Some(kind @ ("I" | "L" | "S" | "M")), Some(place)) = (words.next(), words.next()) else {
            continue;
        };
        let Some((address, size)) = place.split_once(',') else { continue };
        let (Ok(address), Ok(size)) = (u64::from_str_radix(address, 16), size.parse::<u64>()) else {
            continue;
        };
        if kind == "I" {
            at = image.function_at(address).map(|_| address);
        }
        let Some(entry) = at.map(|at| moved.entry(at).or_default()) else { continue };
        match kind {
            "I" => entry.executions += 1,
            "L" => entry.loaded += size,
            "S" => entry.stored += size,
            _ => {
                entry.loaded += size;
                entry.stored += size;
            }
        }
    }
    assert!(child.wait().unwrap().success());
    moved
}

/// The static work of each instruction times its executions equals the bytes that lackey saw; and the
/// engine's sums are equal to that.
#[test]
fn bytes_agree_with_lackey() {
    if !present() {
        return;
    }
    let mut compared = 0;
    for (name, compiler, extra, arguments) in [
        ("stream", Compiler::Gcc, &["-O0", "-no-pie", "-fno-pie"][..], &["203", "2"][..]),
        ("stream", Compiler::Gcc, &["-O3", "-no-pie", "-fno-pie"], &["203", "2"]),
        ("types", Compiler::Clang, &["-O2", "-no-pie", "-fno-pie"], &["83"]),
        ("nests", Compiler::Gcc, &["-O3", "-march=x86-64-v3", "-no-pie", "-fno-pie"], &["19", "20"]),
        ("flow", Compiler::Gcc, &["-O2", "-no-pie", "-fno-pie"], &["200"]),
    ] {
        let Some(ready) = Ready::with_flags(&Program::named(name), compiler, extra, Finish::AsLinked) else {
            continue;
        };
        let ready = ready.with(arguments);
        let label = &ready.built.label;
        let image = Image::open(&ready.built.path, &DebugSearch::none()).unwrap();
        let moved = lackey(&image, &ready.built.path, &ready.arguments);
        let (_, counts) = counted(&ready.built.path, &ready.arguments, &[]);
        for module in own_modules(&ready, &counts) {
            for f in module.functions.iter().filter(|f| f.complete) {
                if !ready.expected().functions.contains_key(base_name(&f.name)) {
                    continue;
                }
                let mut theirs = Moved::default();
                for b in &f.blocks {
                    for (_, m) in moved.range(b.start..b.end) {
                        theirs.executions += m.executions;
                        theirs.loaded += m.loaded;
                        theirs.stored += m.stored;
                    }
                }
                let mine = Moved {
                    executions: f.work.instructions,
                    loaded: f.work.bytes_loaded,
                    stored: f.work.bytes_stored,
                };
                assert_eq!(mine, theirs, "{label}: {}", f.name);
                compared += 1;
            }
        }
    }
    println!("{compared} functions");
    assert!(compared > 10, "only {compared} functions were compared");
}

/// The same for the static part alone, instruction by instruction.
#[test]
fn static_bytes_agree_with_lackey() {
    use iced_x86::{Decoder, DecoderOptions};
    if !present() {
        return;
    }
    let mut compared = 0;
    for (name, compiler, extra, arguments) in [
        ("types", Compiler::Gcc, &["-O0", "-no-pie", "-fno-pie"][..], &["83"][..]),
        ("squeeze", Compiler::Clang, &["-O3", "-march=x86-64-v3", "-no-pie", "-fno-pie"], &["3000"]),
        ("nests", Compiler::Gcc, &["-O3", "-march=x86-64-v3", "-no-pie", "-fno-pie"], &["19", "20"]),
    ] {
        let Some(ready) = Ready::with_flags(&Program::named(name), compiler, extra, Finish::AsLinked) else {
            continue;
        };
        let ready = ready.with(arguments);
        let image = Image::open(&ready.built.path, &DebugSearch::none()).unwrap();
        for (address, m) in lackey(&image, &ready.built.path, &ready.arguments) {
            let Some(bytes) = (1..=15).rev().find_map(|n| image.code(address, address + n)) else { continue };
            let i = Decoder::with_ip(64, bytes, address, DecoderOptions::NONE).decode();
            let work = block_work(&[i]);
            if !work.variable.is_empty() {
                continue;
            }
            let mine = (work.fixed.bytes_loaded * m.executions, work.fixed.bytes_stored * m.executions);
            assert_eq!(mine, (m.loaded, m.stored), "{}: {address:#x} {i}", ready.built.label);
            compared += 1;
        }
    }
    println!("{compared} instructions");
    assert!(compared > 500, "only {compared} instructions were compared");
}
