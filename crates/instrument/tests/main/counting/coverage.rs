//! Every chosen loop that is entered is traced in bursts: programs of many loops, each of which runs at its
//! own time, some for microseconds in all, together with others that fill every chunk that they get.
//!
//! A counted run of the same program shows which loops were entered. A program is compiled at several levels,
//! so that its loops are in functions of their own, or all in one nest.

use crate::counting::addresses::loops_of;
use crate::counting::engine::{Traced, counted, plainly, traced};
use loopwright_binary::image::{DebugSearch, Image};
use loopwright_instrument::facts::Counts;
use loopwright_instrument::reason::Reason;
use loopwright_instrument::traced::Patterns;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The beginning of the programs. `flood` fills chunks: it runs for some hundred milliseconds in all.
const HEAD: &str = r"
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#define SEPARATE __attribute__((noinline, noclone))
double a[4096], b[4096];
SEPARATE double flood(int n) {
    double s = 0;
    for (int k = 0; k < n; k++)
        for (int i = 1; i < 4096; i++)
            s += a[i] * b[(i * 7) & 4095] + a[i - 1];
    return s;
}
";

/// Loops of functions of their own, `count` of them from number `first` on; they differ, so that none is another's copy.
fn brief(first: usize, count: usize) -> String {
    let mut text = String::new();
    for k in first..first + count {
        writeln!(
            text,
            "SEPARATE double brief{k}(int n) {{ double s = {k}; for (int i = 0; i < n; i++) s += a[(i * {}) & 4095] + b[i & 4095]; return s; }}",
            2 * k + 1
        )
        .unwrap();
    }
    text
}

/// Each loop runs once in its phase, for a few iterations, between floods.
fn phases() -> String {
    let mut text = format!("{HEAD}{}int main(void) {{ double s = flood(300);\n", brief(0, 40));
    for k in 0..40 {
        writeln!(text, "s += brief{k}(5);{}", if k % 8 == 7 { " s += flood(60);" } else { "" }).unwrap();
    }
    text + "printf(\"%g\\n\", s); return 0; }\n"
}

/// Loops of three iterations that are entered some hundred times within microseconds, before and after a flood.
fn entries() -> String {
    let mut text = format!("{HEAD}{}int main(void) {{ double s = 0;\n", brief(0, 24));
    for k in 0..24 {
        writeln!(text, "for (int e = 0; e < 300; e++) s += brief{k}(3);").unwrap();
        if k == 11 {
            text += "s += flood(400);\n";
        }
    }
    text + "printf(\"%g\\n\", s); return 0; }\n"
}

/// All loops are in one nest, which is entered once; the first of them fill chunks.
fn one_nest() -> String {
    let mut text = format!("{HEAD}int main(void) {{ double s = 0; for (int t = 0; t < 3; t++) {{\n");
    for k in 0..30 {
        let n = if k < 3 { 200_000 } else { 40 };
        writeln!(
            text,
            "for (int i = 0; i < {n}; i++) {{ s += a[(i * {k}) & 4095]; __asm__ volatile(\"\" ::: \"memory\"); }}"
        )
        .unwrap();
    }
    text + "} printf(\"%g\\n\", s); return 0; }\n"
}

/// A loop that calls a function with a loop, which calls another, and so on; a function that calls itself from its loop;
/// a loop that is left by `longjmp` from below; and after all that brief ones.
fn calls() -> String {
    let mut text = format!("{HEAD}{}", brief(0, 20));
    text += "static jmp_buf out;\n";
    for k in 0..8 {
        let inner = if k == 0 { "s += flood(1);".to_owned() } else { format!("s += chain{}(n);", k - 1) };
        writeln!(
            text,
            "SEPARATE double chain{k}(int n) {{ double s = 0; for (int i = 0; i < 200; i++) s += a[i]; {inner} for (int i = 0; i < n; i++) s += b[i] * {k}; return s; }}"
        )
        .unwrap();
    }
    text + r#"
SEPARATE double descend(int depth) {
    double s = 0;
    for (int i = 0; i < 3; i++) s += a[depth + i] + (depth > 0 ? descend(depth - 1) : flood(1));
    return s;
}
SEPARATE void leave(int n) { for (int i = 0; i < n; i++) if (a[i] == 0 && i == 30) longjmp(out, 1); }
SEPARATE double jumps(int n) {
    volatile double s = 0;
    for (volatile int i = 0; i < n; i++) { if (!setjmp(out)) leave(100); s += b[i]; }
    return s;
}
int main(void) {
    double s = 0;
    for (int t = 0; t < 60; t++) {
        for (int i = 0; i < 100; i++) s += a[i] * b[i];
        s += chain7(40);
    }
    s += descend(4) + jumps(50);
    for (int t = 0; t < 2; t++) {
"# + &(0..20).fold(String::new(), |text, k| format!("{text}s += brief{k}(4);\n"))
        + "} printf(\"%g\\n\", s); return 0; }\n"
}

/// Threads with loops of their own, and loops that all of them run; threads that begin late.
fn threads() -> String {
    let mut text = format!("{HEAD}{}", brief(0, 36));
    text += "static double (*const own[36])(int) = {";
    text += &(0..36).map(|k| format!("brief{k}")).collect::<Vec<_>>().join(",");
    text + r#"};
static double sums[8];
SEPARATE double shared(int n) { double s = 0; for (int i = 0; i < n; i++) s += a[i] - b[i]; return s; }
static void *work(void *which) {
    long me = (long)which;
    double s = flood(100);
    for (int k = 0; k < 4; k++) s += own[4 * me + k](4);
    for (int e = 0; e < 50; e++) s += shared(20);
    sums[me] = s + flood(50);
    return 0;
}
int main(void) {
    double s = 0;
    for (int round = 0; round < 2; round++) {
        pthread_t threads[4];
        for (long k = 0; k < 4; k++) pthread_create(&threads[k], 0, work, (void *)(4 * round + k));
        for (int k = 0; k < 4; k++) pthread_join(threads[k], 0);
    }
    for (int k = 0; k < 8; k++) s += sums[k];
    for (int k = 32; k < 36; k++) s += own[k](3);
    printf("%g\n", s);
    return 0;
}
"#
}

/// A loop that is never reached in a function that is called, and a function that is not called.
fn unreached() -> String {
    format!(
        "{HEAD}{}{}",
        brief(0, 3),
        r#"
SEPARATE double halves(int n) {
    double s = 0;
    for (int i = 0; i < n; i++) s += a[i];
    if (n > 1000) for (int i = 0; i < n; i++) s -= b[i] * 3;
    return s;
}
int main(int c, char **v) {
    double s = brief0(9) + brief2(9) + halves(20);
    if (c > 1) s += brief1(c);
    printf("%g\n", s);
    return 0;
}
"#
    )
}

fn compile(folder: &Path, name: &str, text: &str, flags: &[&str]) -> PathBuf {
    let source = folder.join(format!("{name}.c"));
    std::fs::write(&source, text).unwrap();
    let program = folder.join(name);
    let output =
        Command::new("gcc").args(["-g", "-pthread", "-o"]).args([&program, &source]).args(flags).output();
    let output = output.expect("gcc is installed: the other tests of this crate need it, too");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    program
}

/// Loops of a module that were entered: function and header.
fn entered(counts: &Counts, module: &Path) -> BTreeSet<(u64, u64)> {
    let mine = counts.modules.iter().filter(|m| Path::new(&m.path).file_name() == module.file_name());
    let functions = mine.flat_map(|m| &m.functions);
    functions
        .flat_map(|f| {
            f.loops.iter().filter(|l| l.total_work.instructions > 0).map(move |l| (f.address, l.header))
        })
        .collect()
}

/// Traces all loops in bursts; the results of the program must not change, and every loop that was entered
/// must be recorded. Returns the patterns, and the number of loops entered.
fn check(label: &str, program: &Path, libraries: &[PathBuf]) -> (Patterns, usize) {
    let plain = plainly(program, &[]);
    let mut modules = vec![program.to_owned()];
    modules.extend_from_slice(libraries);
    let (_, counts) = counted(program, &[], &modules);
    let chosen = |path: &Path| loops_of(&Image::open(path, &DebugSearch::none()).unwrap()).chosen;
    let how = Traced {
        loops: chosen(program),
        libraries: libraries.iter().map(|l| (l.clone(), chosen(l))).collect(),
        exhaustive: false,
    };
    let (run, patterns) = traced(program, &[], &how).unwrap_or_else(|reason| panic!("{label}: {reason}"));
    assert_eq!(plain.outcome, run.outcome, "{label}");
    let (mut all, mut missed) = (0, Vec::new());
    for module in &modules {
        let number =
            patterns.modules.iter().position(|m| Path::new(&m.path).file_name() == module.file_name());
        for (function, header) in entered(&counts, module) {
            all += 1;
            let seen = patterns.loops.iter().any(|l| Some(l.module as usize) == number && l.header == header);
            if !seen {
                let told = patterns.untraced.iter().find(|u| u.header == header).map(|u| &u.reason);
                missed.push(format!("{} {function:#x}: loop {header:#x}: {told:?}", module.display()));
            }
        }
    }
    assert!(missed.is_empty(), "{label}: {} of {all} were missed:\n{}", missed.len(), missed.join("\n"));
    (patterns, all)
}

/// Checks a program at the usual levels.
fn covered(name: &str, text: &str, least: usize) {
    let folder = tempfile::tempdir().unwrap();
    for level in ["-O0", "-O2", "-O3"] {
        let program = compile(folder.path(), name, text, &[level]);
        let (_, all) = check(&format!("{name} {level}"), &program, &[]);
        assert!(all >= least, "{name} {level}: only {all} loops were entered");
    }
}

#[test]
fn loops_that_run_once_between_others_are_traced() {
    covered("phases", &phases(), 40);
}

#[test]
fn loops_with_short_entries_are_traced() {
    covered("entries", &entries(), 24);
}

#[test]
fn loops_of_one_nest_are_traced() {
    covered("one_nest", &one_nest(), 30);
}

#[test]
fn loops_under_calls_are_traced() {
    covered("calls", &calls(), 35);
}

#[test]
fn loops_of_threads_are_traced() {
    covered("threads", &threads(), 36);
}

#[test]
fn loops_of_libraries_are_traced() {
    let folder = tempfile::tempdir().unwrap();
    let library = |name: &str, first: usize| {
        let text = format!("double a[4096], b[4096];\n#define SEPARATE\n{}", brief(first, 12));
        compile(folder.path(), name, &text, &["-O2", "-shared", "-fPIC"])
    };
    let libraries = [library("libfirst.so", 100), library("libsecond.so", 200)];
    let names = || (100..112).chain(200..212);
    let mut text = format!("{HEAD}{}", brief(0, 8));
    names().for_each(|k| writeln!(text, "double brief{k}(int);").unwrap());
    text += "int main(void) { double s = flood(200);\n";
    names().chain(0..8).for_each(|k| writeln!(text, "s += brief{k}(7);").unwrap());
    text += "printf(\"%g\\n\", s); return 0; }\n";
    let path = format!("-Wl,-rpath,{}", folder.path().display());
    let files: Vec<&str> = libraries.iter().map(|l| l.to_str().unwrap()).collect();
    let program = compile(folder.path(), "libraries", &text, &["-O2", files[0], files[1], &path]);
    let (_, all) = check("libraries", &program, &libraries);
    assert!(all >= 33, "only {all} loops were entered");
}

#[test]
fn what_was_not_entered_is_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let program = compile(folder.path(), "unreached", &unreached(), &["-O1"]);
    let (patterns, _) = check("unreached", &program, &[]);
    let image = Image::open(&program, &DebugSearch::none()).unwrap();
    let reasons = |name: &str| -> Vec<&Reason> {
        let function = image.functions().iter().find(|f| f.name == name).unwrap();
        let within = |header: u64| header >= function.address && header < function.end;
        let told = patterns.untraced.iter().filter(|u| within(u.header));
        told.map(|u| &u.reason).collect()
    };
    assert_eq!(reasons("brief1"), [&Reason::NotCalled]);
    assert_eq!(reasons("halves"), [&Reason::NotEntered]);
    assert_eq!(reasons("flood"), [&Reason::NotCalled; 2]);
    assert!(reasons("brief0").is_empty());
}
