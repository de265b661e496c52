//! What must hold for every marked loop of the test programs, whatever the compiler and its flags.

use loopwright_binary::code::analyze;
use loopwright_binary::facts::{ChainKind, FunctionCode, LoopCode, LoopRole};
use loopwright_binary::image::{DebugSearch, Image};
use loopwright_testprograms::{Built, Compiler, Finish, Recipe, available, matrix};
use std::path::Path;
use std::process::Command;

fn analyzed(built: &Built) -> Vec<FunctionCode> {
    let image = Image::open(&built.path, &DebugSearch::none()).unwrap();
    (0..image.function_count()).filter_map(|k| analyze(&image, k).ok()).collect()
}

/// The loops on a line of the program's own source.
fn on_line<'a>(built: &Built, functions: &'a [FunctionCode], line: u32) -> Vec<&'a LoopCode> {
    let own = built.source.file_name();
    let all = functions.iter().flat_map(|f| f.loops.iter());
    let here = |l: &&LoopCode| {
        l.location.as_ref().is_some_and(|at| at.line == line && Path::new(&at.file).file_name() == own)
    };
    all.filter(here).collect()
}

fn kernels(compiler: Compiler, set: &str) -> Option<(Built, Vec<FunctionCode>)> {
    let built = available(Recipe::of("kernels").compiler(compiler).flag_set(set).build())?;
    let functions = analyzed(&built);
    Some((built, functions))
}

/// Unoptimised code runs nothing packed, and each marked loop is there on its own line.
#[test]
fn unoptimised_loops_are_all_found_scalar_and_on_their_line() {
    let unoptimised = |r: &Recipe| {
        r.chosen_flag_set().name == "O0" && [Compiler::Gcc, Compiler::Clang].contains(&r.chosen_compiler())
    };
    for recipe in matrix().into_iter().filter(unoptimised) {
        let Some(built) = available(recipe.build()) else { continue };
        let functions = analyzed(&built);
        let source = std::fs::read_to_string(&built.source).unwrap();
        for mark in &built.loops {
            let text = source.lines().nth(mark.line as usize - 1).unwrap_or_default();
            if text.trim_start().starts_with("do {") {
                continue; // its position is the condition, below
            }
            let loops = on_line(&built, &functions, mark.line);
            assert!(!loops.is_empty(), "{}: no loop on line {} ({})", built.label, mark.line, mark.name);
            assert!(loops.iter().all(|l| !l.vectorized), "{}: {} is vectorized", built.label, mark.name);
        }
    }
}

/// Loops that no compiler can run packed.
#[test]
fn loops_that_cannot_be_packed_are_scalar() {
    for compiler in [Compiler::Gcc, Compiler::Clang] {
        for set in ["O2", "O3", "O3-native", "fast-math"] {
            let Some((built, functions)) = kernels(compiler, set) else { continue };
            for mark in &built.loops {
                let serial = ["recurrence", "list-walk", "volatile"].contains(&mark.class.as_str());
                let packed = on_line(&built, &functions, mark.line).iter().any(|l| l.vectorized);
                assert!(!(serial && packed), "{}: {} ({})", built.label, mark.name, mark.class);
            }
        }
    }
}

/// The simplest of loops in each width: the vectors have the width that the flags request.
#[test]
fn widths_are_those_of_the_flags() {
    for (compiler, set, bits, lanes) in [
        (Compiler::Gcc, "O3", 128, 2),
        (Compiler::Clang, "O2", 128, 2),
        (Compiler::Gcc, "O3-v3", 256, 4),
        (Compiler::Clang, "O3-v3", 256, 4),
        (Compiler::Gcc, "O3-v4-512", 512, 8),
        (Compiler::Clang, "O3-v4-512", 512, 8),
    ] {
        let Some((built, functions)) = kernels(compiler, set) else { continue };
        for name in ["triad", "daxpy", "divisions", "polynomial"] {
            let loops = on_line(&built, &functions, built.loop_named(name).line);
            let body =
                loops.iter().find(|l| l.vectorized).unwrap_or_else(|| panic!("{} {name}", built.label));
            let v = body.vector.as_ref().unwrap();
            assert_eq!((v.bits, v.length), (bits, lanes), "{} {name}", built.label);
            assert!(matches!(body.role, LoopRole::Whole | LoopRole::Body), "{} {name}", built.label);
            for other in loops.iter().filter(|l| l.header != body.header) {
                assert_eq!(other.group, body.group, "{} {name}: pieces of one loop", built.label);
            }
        }
    }
}

/// Exact sums stay in order without `-ffast-math`; a list walk chases pointers.
#[test]
fn chains_of_known_kernels() {
    for compiler in [Compiler::Gcc, Compiler::Clang] {
        let Some((built, functions)) = kernels(compiler, "O2") else { continue };
        let has = |name: &str, kind: ChainKind| {
            let loops = on_line(&built, &functions, built.loop_named(name).line);
            loops.iter().any(|l| l.chains.iter().any(|c| c.kind == kind))
        };
        assert!(has("sum", ChainKind::InOrderSum), "{}", built.label);
        assert!(has("dot", ChainKind::InOrderSum), "{}", built.label);
        assert!(has("list_sum", ChainKind::PointerChase), "{}", built.label);
        assert!(has("linear_congruence", ChainKind::Recurrence), "{}", built.label);
        assert!(has("prefix_sum", ChainKind::Recurrence), "{}", built.label);
        assert!(has("triad", ChainKind::Induction), "{}", built.label);
    }
}

/// Stripping removes names and lines, not loops and verdicts.
#[test]
fn stripped_programs_have_the_same_loops() {
    for compiler in [Compiler::Gcc, Compiler::Clang] {
        let recipe = Recipe::of("kernels").compiler(compiler).flag_set("O3");
        let (Some(whole), Some(stripped)) =
            (available(recipe.clone().build()), available(recipe.finish(Finish::Stripped).build()))
        else {
            continue;
        };
        let loops = |built: &Built| -> Vec<(u64, u32, bool)> {
            let functions = analyzed(built);
            let all = functions.iter().flat_map(|f| f.loops.iter());
            let mut found: Vec<_> = all.map(|l| (l.header, l.depth, l.vectorized)).collect();
            found.sort_unstable();
            found.dedup();
            found
        };
        let (a, b) = (loops(&whole), loops(&stripped));
        let differing =
            a.iter().filter(|l| !b.contains(l)).count() + b.iter().filter(|l| !a.contains(l)).count();
        assert_eq!(differing, 0, "{}: {} and {} loops", whole.label, a.len(), b.len());
    }
}

/// A second way to find loops: `objdump` disassembles in a straight line, a backward jump within a function closes a
/// cycle. Every such cycle must be in a loop or irreducible region, and each loop must hold such a jump.
#[test]
fn backward_jumps_of_another_disassembler_are_in_loops() {
    for compiler in [Compiler::Gcc, Compiler::Clang] {
        let Some((built, functions)) = kernels(compiler, "O3") else { continue };
        let Ok(output) = Command::new("objdump").args(["-d", "--no-show-raw-insn"]).arg(&built.path).output()
        else {
            println!("skipped: no objdump");
            assert!(std::env::var_os("LOOPWRIGHT_REQUIRE_ALL").is_none(), "objdump is required");
            return;
        };
        let mut jumps = Vec::new();
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            let mut parts = line.split_whitespace();
            let Some(from) = parts.next().and_then(|a| u64::from_str_radix(a.strip_suffix(':')?, 16).ok())
            else {
                continue;
            };
            let jump = parts.next().is_some_and(|m| m.starts_with('j'));
            let target = parts.next().and_then(|t| u64::from_str_radix(t, 16).ok());
            if let Some(to) = target.filter(|&to| jump && to <= from) {
                jumps.push((from, to));
            }
        }
        assert!(jumps.len() > 50, "{} backward jumps", jumps.len());
        let holds = |ranges: &[(u64, u64)], a: u64| ranges.iter().any(|r| r.0 <= a && a < r.1);
        for f in &functions {
            let inside = |a: u64| f.function.address <= a && a < f.function.end;
            for l in &f.loops {
                let closed = jumps.iter().any(|j| holds(&l.ranges, j.0) && holds(&l.ranges, j.1));
                assert!(closed, "{}: no backward jump in the loop at {:#x}", built.label, l.header);
            }
            let header = |a: u64| f.loops.iter().any(|l| l.header == a);
            // A backward jump need not close a cycle (blocks moved out of the way); to a header from inside it does.
            for j in jumps.iter().filter(|j| inside(j.0) && inside(j.1) && header(j.1)) {
                let known = f.loops.iter().any(|l| l.header == j.1 && holds(&l.ranges, j.1));
                assert!(known, "{}: {:#x} -> {:#x}", built.label, j.0, j.1);
            }
        }
    }
}

/// Two loops written on one line are two loops; the pieces of each are one group.
#[test]
fn loops_on_one_line_are_kept_apart() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("line.c");
    let text = "void f(float *restrict a, float *restrict b, int n) {\n\
                for (int i = 0; i < n; i++) a[i] = a[i] * 2.0f + 1.0f; for (int j = 0; j < n; j++) b[j] = b[j] / 3.0f;\n}\n";
    std::fs::write(&source, text).unwrap();
    for compiler in ["gcc", "clang"] {
        let library = folder.path().join(format!("{compiler}.so"));
        let build = Command::new(compiler)
            .args(["-O3", "-g", "-shared", "-fPIC"])
            .arg(&source)
            .arg("-o")
            .arg(&library)
            .status();
        if !build.is_ok_and(|s| s.success()) {
            println!("skipped: no {compiler}");
            assert!(std::env::var_os("LOOPWRIGHT_REQUIRE_ALL").is_none(), "{compiler} is required");
            continue;
        }
        let image = Image::open(&library, &DebugSearch::none()).unwrap();
        let all: Vec<_> = (0..image.function_count()).filter_map(|k| analyze(&image, k).ok()).collect();
        let f = all.iter().find(|f| f.function.name == "f").unwrap();
        let mut groups: Vec<u32> = f.loops.iter().map(|l| l.group).collect();
        groups.sort_unstable();
        groups.dedup();
        assert_eq!(
            groups.len(),
            2,
            "{compiler}: {:?}",
            f.loops.iter().map(|l| (&l.location, l.group)).collect::<Vec<_>>()
        );
        assert!(f.loops.iter().filter(|l| l.vectorized).count() >= 2);
    }
}
