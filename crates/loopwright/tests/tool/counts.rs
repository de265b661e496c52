//! Counting through the whole tool: exact numbers in the JSON, what cannot be counted, exit statuses, the second run.

use crate::experiments::compile;
use crate::programs::{in_path, needed};
use crate::tool::{Said, Scratch, loops_of, said};
use loopwright_testprograms::{Compiler, Recipe, available};
use std::ffi::OsStr;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

/// `dot` and `scale` do `ROUNDS` passes over `LENGTH` elements.
const LENGTH: u64 = 1000;
const ROUNDS: u64 = 300;
const PROGRAM: &str = "
#include <stdio.h>
#include <stdlib.h>
static double x[1000], y[1000];
__attribute__((noinline)) double dot(int n) {
    double s = 0;
    for (int i = 0; i < n; i++)
        s += x[i] * y[i];
    return s;
}
__attribute__((noinline)) void scale(int n) {
    for (int i = 0; i < n; i++)
        x[i] = 0.5 * x[i] + y[i];
}
int main(int c, char **v) {
    double t = 0;
    int rounds = c > 1 ? atoi(v[1]) : 300;
    for (int i = 0; i < 1000; i++) y[i] = i;
    for (int k = 0; k < rounds; k++) { scale(1000); t += dot(1000); }
    printf(\"%g\\n\", t);
    if (c > 2) __builtin_trap();
    return c > 1 ? rounds % 256 : 0;
}
";

fn count(scratch: &Scratch, options: &[&str], command: &[&OsStr]) -> Said {
    let fixed = ["tripcounts"].iter().chain(options).chain(&["--"]).map(OsStr::new);
    scratch.run(fixed.chain(command.iter().copied()))
}

/// The number under `path` (keys apart by dots).
fn number(value: &serde_json::Value, path: &str) -> u64 {
    let found = path.split('.').fold(value, |value, key| &value[key]);
    found.as_u64().unwrap_or_else(|| panic!("{path} is a number: {value}"))
}

/// Counts of both loops follow from the source, whatever the compiler made of it.
fn assert_closed_forms(document: &serde_json::Value) {
    for function in ["dot", "scale"] {
        let pieces = loops_of(document, function);
        assert!(!pieces.is_empty(), "{function}: {document}");
        let sum = |path: &str| pieces.iter().map(|piece| number(piece, path)).sum::<u64>();
        let trips = &pieces[0]["trip_count"];
        if trips["group_iterations"].is_null() && function == "dot" {
            // GCC gives some copies of an in-order sum the product's column: four to a vector, but not claimed.
            assert!(trips["source_unknown"].is_string(), "{pieces:?}");
            assert_eq!(4 * sum("trip_count.iterations"), LENGTH * ROUNDS, "{pieces:?}");
        } else {
            assert_eq!(number(trips, "group_iterations"), LENGTH * ROUNDS, "{function}: {pieces:?}");
            assert_eq!(sum("trip_count.source_iterations"), LENGTH * ROUNDS, "{function}: {pieces:?}");
        }
        assert_eq!(sum("work.flop"), 2 * LENGTH * ROUNDS, "{function}: {pieces:?}");
        assert_eq!(sum("work.flop_f64"), sum("work.flop"), "{function}");
        assert_eq!(sum("work.bytes_loaded"), 16 * LENGTH * ROUNDS, "{function}: {pieces:?}");
        let stored = if function == "scale" { 8 * LENGTH * ROUNDS } else { 0 };
        assert_eq!(sum("work.bytes_stored"), stored, "{function}: {pieces:?}");
    }
}

#[test]
fn counts_are_those_of_the_source_in_scalar_and_in_vector_code() {
    for flags in [&["-O1"][..], &["-O2"], &["-O3", "-mavx2", "-mfma"], &["-O2", "-static", "-s"]] {
        let scratch = Scratch::new();
        let program = compile(&scratch, PROGRAM, flags);
        let said = count(&scratch, &[], &[program.as_os_str()]);
        assert_eq!(said.status, Some(0), "{flags:?}: {}", said.err);
        if flags.contains(&"-s") {
            let all = scratch.json();
            let work = number(&all, "counts.work.flop");
            assert!(work >= 4 * LENGTH * ROUNDS, "{flags:?}: {}", all["counts"]);
            continue;
        }
        assert_closed_forms(&scratch.json());
        for word in ["dot", "scale", "300,000", "Counted", "exited 0"] {
            assert!(said.out.contains(word), "{flags:?} {word}: {}", said.out);
        }
        let table = scratch.ok(["show", "loops", "--csv"]);
        assert!(
            table.lines().next().is_some_and(|header| header.contains("executed_instructions")),
            "{table}"
        );
    }
}

#[test]
fn a_loop_entered_by_constant_lengths_has_its_distribution() {
    let scratch = Scratch::new();
    let program = compile(&scratch, PROGRAM, &["-O1"]);
    assert_eq!(count(&scratch, &[], &[program.as_os_str()]).status, Some(0));
    let document = scratch.json();
    let trips = &loops_of(&document, "dot")[0]["trip_count"];
    assert_eq!((number(trips, "entries"), number(trips, "iterations")), (ROUNDS, LENGTH * ROUNDS), "{trips}");
    for key in ["min", "median", "max"] {
        assert_eq!(number(trips, key), LENGTH, "{key}: {trips}");
    }
    assert_eq!(trips["mean"].as_f64(), Some(LENGTH as f64), "{trips}");
    let id = number(loops_of(&document, "dot")[0], "id").to_string();
    let page = scratch.ok(["show", "loop", &id]);
    assert!(page.contains("entered 300 times") && page.contains("600,000 FLOP"), "{page}");
    assert!(scratch.ok(["show", "counts", "--all"]).contains("dot"));
    assert!(scratch.ok(["show", "runs"]).contains("counts"));
}

#[test]
fn roofline_runs_what_is_missing_and_then_shows_it() {
    let scratch = Scratch::new();
    let program = compile(&scratch, PROGRAM, &["-O2"]);
    let command = [program.as_os_str(), OsStr::new("200000")];
    let run = |arguments: &[&str]| {
        scratch.run(arguments.iter().map(OsStr::new).chain([OsStr::new("--")]).chain(command))
    };
    let first = run(&["roofline", "--no-measure"]);
    assert_eq!(first.status, Some(0), "{}", first.err);
    let results = |said: &Said| said.out.lines().filter(|line| line.parse::<f64>().is_ok()).count();
    assert_eq!(results(&first), 2, "the program ran twice: {}", first.out);
    assert!(first.out.contains("dot") && first.out.contains("GFLOP/s"), "{}", first.out);
    assert!(first.out.contains("loopwright machine --measure"), "says what is missing: {}", first.out);
    let again = run(&["roofline", "--no-measure"]);
    assert_eq!(results(&again), 0, "nothing is missing: {}", again.out);
    let shown = scratch.ok(["roofline", "--no-measure"]);
    assert_eq!(shown, scratch.ok(["show", "roofline"]));
    assert!(!shown.contains('\u{1b}') && shown.is_ascii(), "{shown}");
    let document = scratch.json();
    let point = &loops_of(&document, "dot")[0]["roofline"];
    assert_eq!((point["kind"].as_str(), point["intensity"].as_f64()), (Some("flop"), Some(0.125)), "{point}");
    assert!(point["gflops"].as_f64() > Some(0.0), "{point}");
}

#[test]
fn advice_counts_in_a_second_run_unless_told_to_run_once() {
    let scratch = Scratch::new();
    let program = compile(&scratch, PROGRAM, &["-O2"]);
    let command = [program.as_os_str(), OsStr::new("100000")];
    let twice = scratch.advise(&command);
    assert_eq!(twice.status, Some(0), "{}", twice.err);
    assert!(twice.err.contains("runs twice"), "{}", twice.err);
    assert!(!twice.out.contains("by another run"), "a detail: {}", twice.out);
    let detail = scratch.ok(["show", "advice", "--all"]);
    assert!(detail.contains("Counts") && detail.contains("by another run"), "{detail}");
    assert!(scratch.json()["counts"].is_object());

    let alone = Scratch::new();
    let fixed = ["advise", "--no-measure", "--once", "--"].map(OsStr::new);
    let once = alone.run(fixed.iter().copied().chain(command));
    assert_eq!(once.status, Some(0), "{}", once.err);
    assert!(
        !once.err.contains("twice") && !once.out.contains("by another run"),
        "{}\n{}",
        once.err,
        once.out
    );
    assert!(alone.json()["counts"].is_null());
}

/// As large as a compiler or a virtual machine, by padding: what runs once before the first sample is not counted.
#[test]
fn of_very_large_modules_advice_counts_what_the_survey_saw() {
    const LARGE: &str = "
__asm__(\".section .rare,\\\"ax\\\"\\n.skip 11534336, 0xcc\\n.text\\n\");
__attribute__((constructor, noinline)) static void briefly(void) {
    for (volatile int i = 0; i < 3; i++);
}";
    let counted = |text: &str| {
        let scratch = Scratch::new();
        let program = compile(&scratch, text, &["-O2"]);
        let said = scratch.advise(&[program.as_os_str(), OsStr::new("100000")]);
        assert_eq!(said.status, Some(0), "{}", said.err);
        let document = scratch.json();
        assert_eq!(number(loops_of(&document, "dot")[0], "trip_count.iterations"), 100_000 * LENGTH);
        let counted = |l: &&serde_json::Value| !l["trip_count"].is_null();
        let brief = loops_of(&document, "briefly").into_iter().any(|l| counted(&l));
        (document.to_string().contains("only functions in which the survey saw time were counted"), brief)
    };
    let brief = LARGE.lines().skip(2).collect::<Vec<_>>().join("\n");
    assert_eq!(counted(&[PROGRAM, &brief].concat()), (false, true));
    assert_eq!(counted(&[PROGRAM, LARGE].concat()), (true, false));
}

#[test]
fn a_second_run_that_finds_what_the_first_left_is_told() {
    let scratch = Scratch::new();
    let source = "#include <stdio.h>
int main(int n, char **a) { FILE *f = fopen(a[n - 1], \"wx\"); if (!f) return 3; volatile double s = 0; for (long i = 0; i < 100000000; i++) s += i; return fclose(f); }";
    let program = compile(&scratch, source, &["-O2"]);
    let said = scratch.advise(&[program.as_os_str(), scratch.file("output").as_os_str()]);
    assert!(said.err.contains("ended otherwise than the first (status 0, then status 3)"), "{}", said.err);
    assert!(said.err.contains("its counts are not used"), "{}", said.err);
    assert!(scratch.json()["counts"].is_null());
    assert!(said.err.contains("run once with --once"), "{}", said.err);
    assert!(said.out.contains("exited 0"), "{}", said.out);
}

#[test]
fn a_second_run_reads_a_file_again_and_a_pipe_is_not_read_twice() {
    let scratch = Scratch::new();
    let source = "#include <stdio.h>
int main(void) { long n = 0, s = 0; for (int c; (c = getchar_unlocked()) != EOF; n++) s += c * n; printf(\"%ld\\n\", n); return 0; }";
    let program = compile(&scratch, source, &["-O2"]);
    let data = scratch.file("data");
    std::fs::write(&data, vec![b'x'; 20_000_000]).expect("writes");
    let advise = |input: Stdio| {
        let mut tool = scratch.tool();
        tool.args(["advise", "--no-measure", "--no-compiler", "--"]).arg(&program).stdin(input);
        said(tool.output().expect("starts"))
    };
    let file = advise(File::open(&data).expect("opens").into());
    assert_eq!(file.status, Some(0), "{}", file.err);
    assert_eq!(file.out.lines().filter(|line| *line == "20000000").count(), 2, "{}", file.out);

    let mut sender = Command::new("cat").arg(&data).stdout(Stdio::piped()).spawn().expect("cat starts");
    let piped = advise(sender.stdout.take().expect("a pipe").into());
    sender.wait().expect("cat ends");
    assert_eq!(piped.out.lines().filter(|line| *line == "20000000").count(), 1, "{}", piped.out);
    assert!(piped.err.contains("standard input is a pipe"), "{}", piped.err);
}

#[test]
fn the_programs_end_is_told_and_counts_are_kept() {
    let scratch = Scratch::new();
    let program = compile(&scratch, PROGRAM, &["-O1"]);
    let seven = [program.as_os_str(), OsStr::new("7")];
    let told = count(&scratch, &[], &seven);
    assert_eq!(told.status, Some(0), "{}", told.err);
    assert!(told.err.contains("exited with status 7"), "{}", told.err);
    assert_eq!(count(&scratch, &["--propagate-exit"], &seven).status, Some(7));
    let crash = [program.as_os_str(), OsStr::new("7"), OsStr::new("crash")];
    let crashed = count(&scratch, &["--propagate-exit"], &crash);
    assert_eq!(crashed.status, Some(128 + 4), "an illegal instruction: {}", crashed.err);
    assert!(crashed.err.contains("killed by signal 4"), "{}", crashed.err);
    let document = scratch.json();
    let dot = loops_of(&document, "dot")[0];
    assert_eq!(number(dot, "trip_count.iterations"), 7 * LENGTH, "counts until the crash are kept: {dot}");
}

#[test]
fn a_request_to_end_keeps_what_was_counted() {
    let source = "#include <stdio.h>
#include <unistd.h>
volatile double s;
__attribute__((noinline)) void spin(int n) { for (int i = 0; i < n; i++) s += i; }
int main(void) { for (int k = 0; k < 50; k++) spin(1000); printf(\"%d\\n\", getpid()); fflush(stdout); for (;;) spin(1000); }";
    for signal in ["-INT", "-TERM", "-HUP"] {
        let scratch = Scratch::new();
        let program = compile(&scratch, source, &["-O1"]);
        let mut tool = scratch.tool();
        // Not in the foreground of a terminal, where the program would hear of Ctrl-C by itself.
        tool.process_group(0);
        tool.args(["tripcounts", "--"]).arg(&program).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = tool.spawn().expect("starts");
        let mut out = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut pid = String::new();
        out.read_line(&mut pid).expect("the program says its number");
        let sent = Command::new("kill").args([signal, &child.id().to_string()]).status();
        assert!(sent.is_ok_and(|status| status.success()));
        let mut text = String::new();
        // The program was asked to end, too: it holds the pipe open until it does.
        out.read_to_string(&mut text).expect("reads");
        let status = child.wait().expect("the tool ends");
        assert_eq!(status.code(), Some(0), "{signal}: {text}");
        assert!(text.contains("cut short") || text.contains("interrupted"), "{signal}: {text}");
        let document = scratch.json();
        let spin = loops_of(&document, "spin")[0];
        assert!(number(spin, "trip_count.iterations") >= 50_000, "{signal}: {spin}");
        assert_eq!(document["counts"]["interrupted"], true, "{signal}: {}", document["counts"]);
    }
}

#[test]
fn children_in_the_background_leave_the_end_to_the_program() {
    let scratch = Scratch::new();
    let Some(bash) = needed(in_path("bash"), "bash") else { return };
    let script = "(for k in 1 2 3 4; do sleep 1; done; echo done > later) > /dev/null 2>&1 & exit 3";
    let mut tool = scratch.tool();
    tool.args(["tripcounts", "--propagate-exit", "--"]).arg(bash).args(["-c", script]);
    let said = said(tool.output().expect("starts"));
    assert_eq!(said.status, Some(3), "{}", said.err);
    let document = scratch.json();
    assert!(document["counts"]["interrupted"].is_null(), "{}", document["counts"]);
    assert!(document.to_string().contains("of the program still run"), "{document}");
}

#[test]
fn chosen_loops_alone_are_counted() {
    let scratch = Scratch::new();
    let program = compile(&scratch, PROGRAM, &["-O2"]);
    let command = [program.as_os_str(), OsStr::new("100000")];
    scratch.ok(["survey", "--"].map(OsStr::new).into_iter().chain(command));
    let id = number(loops_of(&scratch.json(), "dot")[0], "id").to_string();
    let counted = count(&scratch, &["--loops", &id], &command);
    assert_eq!(counted.status, Some(0), "{}", counted.err);
    let document = scratch.json();
    assert_eq!(number(loops_of(&document, "dot")[0], "trip_count.iterations"), 100_000 * LENGTH);
    let scale = loops_of(&document, "scale")[0];
    assert!(scale["trip_count"].is_null() && scale["not_counted"].is_string(), "{scale}");
    for wrong in [&["--loops", "4711"][..], &["--module", "libnowhere"]] {
        let refused = count(&scratch, wrong, &command);
        assert_eq!(refused.status, Some(2), "{wrong:?}: {}", refused.err);
        assert!(refused.err.contains(wrong[1]), "{}", refused.err);
    }
}

#[test]
fn what_cannot_be_counted_is_one_clear_line() {
    let scratch = Scratch::new();
    let missing = count(&scratch, &[], &[OsStr::new("./no-such-program")]);
    assert_eq!((missing.status, missing.err.trim().lines().count()), (Some(1), 1), "{}", missing.err);
    assert!(missing.err.contains("no-such-program"), "{}", missing.err);

    // mov eax, 1; xor ebx, ebx; int 0x80: exits at once where 32-bit programs run at all.
    let mut elf =
        b"\x7fELF\x01\x01\x01\0\0\0\0\0\0\0\0\0\x02\0\x03\0\x01\0\0\0\x54\x80\x04\x08\x34\0\0\0".to_vec();
    elf.extend(b"\0\0\0\0\0\0\0\0\x34\0\x20\0\x01\0\0\0\0\0\0\0");
    elf.extend(b"\x01\0\0\0\0\0\0\0\0\x80\x04\x08\0\x80\x04\x08\x5d\0\0\0\x5d\0\0\0\x05\0\0\0\0\x10\0\0");
    elf.extend(b"\xb8\x01\0\0\0\x31\xdb\xcd\x80");
    let old = scratch.file("old");
    std::fs::write(&old, elf).expect("writes");
    let made = Command::new("chmod").arg("+x").arg(&old).status();
    assert!(made.is_ok_and(|status| status.success()));
    let refused = count(&scratch, &[], &[old.as_os_str()]);
    assert_eq!((refused.status, refused.err.trim().lines().count()), (Some(1), 1), "{}", refused.err);
    assert!(refused.err.contains("old"), "{}", refused.err);
}

#[test]
fn a_script_is_counted_in_the_programs_that_it_starts() {
    let scratch = Scratch::new();
    let program = compile(&scratch, PROGRAM, &["-O1"]);
    let script = scratch.file("run.sh");
    std::fs::write(&script, format!("#!/bin/sh\n{}\n", program.display())).expect("writes");
    let made = Command::new("chmod").arg("+x").arg(&script).status();
    assert!(made.is_ok_and(|status| status.success()));
    let said = count(&scratch, &[], &[script.as_os_str()]);
    assert_eq!(said.status, Some(0), "{}", said.err);
    assert_closed_forms(&scratch.json());
}

/// Runs a command where the system refuses ptrace, as containers may.
const WITHOUT_PTRACE: &str = "
import ctypes, os, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
rules = [(0x20, 0, 0, 0), (0x15, 0, 1, 101), (0x06, 0, 0, 0x50001), (0x06, 0, 0, 0x7fff0000)]
code = ctypes.create_string_buffer(b''.join(struct.pack('HBBI', *rule) for rule in rules))
class Program(ctypes.Structure):
    _fields_ = [('length', ctypes.c_ushort), ('rules', ctypes.c_void_p)]
program = Program(len(rules), ctypes.cast(code, ctypes.c_void_p))
if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, ctypes.byref(program)):
    sys.exit('seccomp: ' + os.strerror(ctypes.get_errno()))
os.execv(sys.argv[1], sys.argv[1:])
";

#[test]
fn where_tracing_is_forbidden_the_survey_remains() {
    let Some(python) = needed(in_path("python3"), "python3") else { return };
    let scratch = Scratch::new();
    let program = compile(&scratch, PROGRAM, &["-O2"]);
    let run = |words: &[&str]| {
        let mut command = scratch.wrapped(Command::new(&python));
        command.args(["-c", WITHOUT_PTRACE, env!("CARGO_BIN_EXE_loopwright")]).args(words);
        said(command.arg(&program).arg("100000").output().expect("python starts"))
    };
    let refused = run(&["tripcounts", "--"]);
    assert_eq!((refused.status, refused.err.trim().lines().count()), (Some(1), 1), "{}", refused.err);
    assert!(refused.err.contains("ptrace") && refused.err.contains("loopwright survey"), "{}", refused.err);
    let advised = run(&["advise", "--no-measure", "--no-compiler", "--"]);
    assert_eq!(advised.status, Some(0), "{}", advised.err);
    assert!(
        advised.err.contains("advice without counts") && advised.err.contains("ptrace"),
        "{}",
        advised.err
    );
    assert!(advised.out.contains("Hottest loops"), "{}", advised.out);
}

#[test]
fn threads_are_counted_apart() {
    let Some(built) = available(Recipe::of("threads").flag_set("O2").build()) else { return };
    let scratch = Scratch::new();
    let mut tool = scratch.tool();
    tool.env("OMP_NUM_THREADS", "2").args(["tripcounts", "--"]).arg(&built.path);
    let said = said(tool.output().expect("starts"));
    assert_eq!(said.status, Some(0), "{}", said.err);
    let document = scratch.json();
    assert!(number(&document, "counts.threads") >= 2, "{}", document["counts"]);
    let shared = document["loops"]
        .as_array()
        .expect("a list")
        .iter()
        .find(|each| each["by_thread"]["counted"].as_array().is_some_and(|threads| threads.len() >= 2));
    let shared = shared.unwrap_or_else(|| panic!("some loop was run by both threads: {document}"));
    let threads = shared["by_thread"]["counted"].as_array().expect("a list");
    let sum: u64 = threads.iter().map(|thread| number(thread, "instructions")).sum();
    assert_eq!(sum, number(shared, "work.instructions"), "{shared}");
    assert!(shared["by_thread"]["instruction_imbalance"]["share"].as_f64() <= Some(1.0), "{shared}");
    let page = scratch.ok(["show", "threads"]);
    assert!(page.contains("Imbalance by loop") && page.contains("CrayPAT"), "{page}");
}

#[test]
fn ranks_of_a_job_are_counted_and_merged() {
    let Some(mpirun) = needed(in_path("mpirun"), "mpirun (package openmpi-bin)") else { return };
    let recipe = Recipe::of("mpi").compiler(Compiler::Mpicc).flag_set("O2");
    let Some(built) = available(recipe.build()) else { return };
    let scratch = Scratch::new();
    let mut launch = scratch.wrapped(Command::new(mpirun));
    launch.args(["--allow-run-as-root", "--oversubscribe", "-n", "2"]);
    launch.arg(env!("CARGO_BIN_EXE_loopwright")).args(["tripcounts", "--"]).arg(&built.path);
    let said = said(launch.output().expect("mpirun starts"));
    assert_eq!(said.status, Some(0), "{}\n{}", said.err, said.out);
    assert_eq!(said.out.matches("Counted").count(), 1, "one rank reports: {}", said.out);
    let document = scratch.json();
    assert_eq!(number(&document, "counts.runs"), 2, "{}", document["counts"]);
    let own = document["loops"].as_array().expect("a list");
    let own = own.iter().find(|each| each["file"].as_str().is_some_and(|file| file.ends_with("mpi.c")));
    assert!(own.is_some_and(|each| number(each, "trip_count.iterations") > 0), "{document}");
}

#[test]
fn check_fails_on_more_work_and_passes_on_the_same() {
    let scratch = Scratch::new();
    let program = compile(&scratch, PROGRAM, &["-O1"]);
    let same = || count(&scratch, &[], &[program.as_os_str()]).status;
    assert_eq!(same(), Some(0));
    scratch.ok(["snapshot", "base"]);
    assert_eq!(same(), Some(0));
    let passed = scratch.ok(["check", "--against", "base"]);
    assert!(passed.contains("passed"), "{passed}");

    let elsewhere = Scratch::new();
    let twice = PROGRAM.replace("{ scale(1000);", "{ scale(1000); scale(500);");
    let slower = compile(&elsewhere, &twice, &["-O1"]);
    assert_eq!(count(&elsewhere, &[], &[slower.as_os_str()]).status, Some(0));
    let base = format!("{}:base", scratch.file("loopwright.lw").display());
    let failed = elsewhere.run(["check", "--against", &base]);
    assert_eq!(failed.status, Some(1), "{}\n{}", failed.err, failed.out);
    assert!(failed.out.contains("50 % more instructions") && failed.out.contains("scale"), "{}", failed.out);
    let json = elsewhere.run(["check", "--against", &base, "--json"]);
    let findings = crate::contract::document(&json.out);
    assert_eq!((json.status, findings["findings"][0]["severity"].as_str()), (Some(1), Some("failure")));
    let compared = elsewhere.ok(["compare", &base, "latest"]);
    assert!(compared.contains("50 % more instructions") && compared.contains("+50.0 %"), "{compared}");
}
