//! Simulated misses against valgrind's Cachegrind (LRU, write-allocate), on every data access of a real program.
//!
//! The accesses come from valgrind's Lackey, which runs the same static program at the same addresses. Cachegrind
//! counts an access across two lines as one, and as one miss; and its second level holds instructions, too.

use loopwright_patterns::cache::{Caches, parse};
use loopwright_patterns::collect::Collector;
use loopwright_patterns::event::{Access, Event};
use loopwright_patterns::facts::{AccessKind, LevelUse};
use loopwright_patterns::shape::{LoopShape, Shape, Site};
use loopwright_testprograms::{BuildError, Compiler, Recipe, available};
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn valgrind(program: &Path, options: &[&str]) -> Output {
    let output = Command::new("valgrind")
        .args(options)
        .arg(program)
        .stdin(Stdio::null())
        .output()
        .unwrap_or_else(|error| panic!("valgrind: {error}"));
    assert!(output.status.success(), "valgrind {options:?}: {}", String::from_utf8_lossy(&output.stderr));
    output
}

/// Data references, first-level misses and last-level misses.
fn cachegrind(program: &Path, first: &str) -> (u64, u64, u64) {
    let first = format!("--D1={first}");
    let options =
        ["--tool=cachegrind", "--cache-sim=yes", "--cachegrind-out-file=/dev/null", "--LL=262144,8,64"];
    let output = valgrind(program, &[&options[..], &[&first]].concat());
    let text = String::from_utf8_lossy(&output.stderr);
    let number = |label: &str| {
        // `==123== D   refs:      2,279,048  (1,976,139 rd   + 302,909 wr)`
        let row = text.lines().find_map(|line| line.rsplit_once("== ")?.1.strip_prefix(label));
        let value = row.and_then(|row| row.trim_start_matches(':').split_whitespace().next());
        let value = value.and_then(|value| value.replace(',', "").parse().ok());
        value.unwrap_or_else(|| panic!("{label} in {text}"))
    };
    (number("D   refs"), number("D1  misses"), number("LLd misses"))
}

/// Every data access: kind as an index of [`shape`]'s sites, address, size.
fn lackey(program: &Path) -> Vec<(u32, u64, u32)> {
    let log = tempfile::NamedTempFile::new().unwrap();
    let into = format!("--log-file={}", log.path().display());
    valgrind(program, &["--tool=lackey", "--trace-mem=yes", &into]);
    let text = std::fs::read_to_string(log.path()).unwrap();
    let access = |line: &str| {
        let kind = match line.get(..3)? {
            " L " => 0,
            " S " => 1,
            " M " => 2,
            _ => return None,
        };
        let (address, size) = line[3..].split_once(',')?;
        Some((kind, u64::from_str_radix(address, 16).ok()?, size.parse().ok()?))
    };
    text.lines().filter_map(access).collect()
}

fn shape() -> Shape {
    let site = |kind| Site { kind, ..Site::default() };
    Shape {
        loops: vec![LoopShape { chosen: true, ..LoopShape::default() }],
        sites: vec![site(AccessKind::Load), site(AccessKind::Store), site(AccessKind::Update)],
        ..Shape::default()
    }
}

fn simulated(accesses: &[(u32, u64, u32)], geometry: &str) -> Vec<LevelUse> {
    let shape = shape();
    let mut events = vec![Event::Gap, Event::Enter { loop_: 0, stack: 0 }, Event::Pass { loop_: 0 }];
    let access =
        |&(site, address, size): &(u32, u64, u32)| Event::Access(Access { site, address, size, lane: 0 });
    events.extend(accesses.iter().map(access));
    let mut caches = Caches::new(&[parse(geometry).unwrap()], true);
    caches.feed(&shape, &events);
    let mut all = Collector::new(&shape);
    caches.finish(&mut all);
    all.finish().remove(0).caches.remove(0).levels
}

#[test]
fn misses_are_those_of_cachegrind() {
    let absent = |_| BuildError::Absent("valgrind is not installed; install valgrind".to_owned());
    if available(Command::new("valgrind").arg("--version").output().map_err(absent)).is_none() {
        return;
    }
    // Few elements: valgrind prints every access.
    let recipe =
        Recipe::of("kernels").compiler(Compiler::Gcc).flag_set("O1").flag("-static").flag("-DELEMENTS=200");
    let Some(built) = available(recipe.build()) else { return };
    let accesses = lackey(&built.path);
    let split = |a: &&(u32, u64, u32)| a.1 >> 6 != (a.1 + u64::from(a.2) - 1) >> 6;
    let splits = accesses.iter().filter(split).count() as u64;
    let geometries =
        [("32768,8,64", "32K:8+256K:8"), ("8192,2,64", "8K:2+256K:8"), ("4096,1,64", "4K:1+256K:8")];
    for (valgrinds, ours) in geometries {
        let (references, first, last) = cachegrind(&built.path, valgrinds);
        let levels = simulated(&accesses, ours);
        println!("{ours}: {references} references, {splits} splits, {first} and {last} misses; {levels:?}");
        assert_eq!(levels[0].accesses, references + splits);
        assert!(first > 100 && levels[0].misses.abs_diff(first) <= splits);
        // Code occupies part of valgrind's last level.
        assert!(levels[1].misses.abs_diff(last) <= splits + last / 50);
    }
}
