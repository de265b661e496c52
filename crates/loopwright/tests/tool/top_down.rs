//! Top-down analysis by counters through the whole tool, with a perf that says what was recorded on another machine: no test
//! machine need have counters.

use crate::experiments::compile;
use crate::tool::{Said, Scratch};
use std::ffi::{OsStr, OsString};
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const PROGRAM: &str = "
#include <stdio.h>
#include <unistd.h>
double a[1000];
__attribute__((noinline, noclone)) double sum(int n) {
    double s = 0;
    for (int i = 0; i < n; i++)
        s += a[i];
    return s;
}
int main(int c, char **v) {
    double t = 0;
    while (!access(\"forever\", F_OK)) { puts(\"waiting\"); fflush(stdout); sleep(1); }
    for (int i = 0; i < 1000; i++) a[i] = i;
    for (int k = 0; k < 100000; k++) t += sum(1000);
    printf(\"%g\\n\", t);
    return access(\"seven\", F_OK) ? c - 1 : 7;
}
";

/// Numbers of a Zen 4 (D. Bakhvalov, github.com/dendibakh/perf-book, "TMA on AMD Platforms") in the fields of `perf stat -x ';'`.
/// What it is asked for is also written into the file `log` beside it: a process is one that it attaches to, else it tries an empty
/// command.
const PERF: &str = "#!/bin/sh
log=${0%/*}/log
if [ \"$1\" = --version ]; then echo 'perf version 6.8.12'; exit 0; fi
what=try
while [ $# -gt 0 ]; do
  case $1 in
    -o) out=$2; shift;;
    -e|-M) ask=$2; shift;;
    -p) what=process; shift;;
    --) break;;
  esac
  shift
done
echo \"$what $ask\" >> \"$log\"
case $ask in
  instructions:u) echo '1000;;instructions:u;9;100.00;;' > \"$out\"; exit 0;;
  PipelineL1,PipelineL2) ;;
  *) exit 129;;
esac
cat > \"$out\" <<'END'
1;;ex_ret_brn_misp:u;1;20.08;0.0;%  bad_speculation_mispredicts
;;;;;0.0;%  bad_speculation_pipeline_restarts
;;;;;0.0;%  bad_speculation
1;;de_no_dispatch_per_slot.no_ops_from_frontend:u;1;20.00;6.1;%  frontend_bound
1;;ex_no_retire.load_not_complete:u;1;20.00;65.9;%  backend_bound_cpu
;;;;;1.7;%  backend_bound_memory
;;;;;67.5;%  backend_bound
1;;ex_ret_ops:u;1;20.08;26.3;%  retiring
END
if [ $what = process ]; then :; fi
";

fn perf_in(folder: &Path) {
    let perf = folder.join("perf");
    std::fs::write(&perf, PERF).expect("the folder can be written");
    std::fs::set_permissions(&perf, std::fs::Permissions::from_mode(0o755)).expect("it is ours");
}

/// What perf was asked for, a line each.
fn log(folder: &Path) -> String {
    std::fs::read_to_string(folder.join("log")).unwrap_or_default()
}

fn bottlenecks(scratch: &Scratch, path: &OsStr, options: &[&str], command: &[&OsStr]) -> Said {
    let mut tool = scratch.tool();
    tool.env("PATH", path).args(["bottlenecks", "--no-measure", "--no-trace"]).args(options);
    crate::tool::said(tool.arg("--").args(command).output().expect("the tool starts"))
}

struct Prepared {
    scratch: Scratch,
    folder: PathBuf,
    path: OsString,
    program: PathBuf,
}

/// A program, and a perf in a folder that is the first one of `PATH`.
fn prepared() -> Prepared {
    let scratch = Scratch::new();
    let program = compile(&scratch, PROGRAM, &["-O2", "-g"]);
    let folder = scratch.file("tools");
    std::fs::create_dir(&folder).expect("the scratch folder can be written");
    perf_in(&folder);
    let rest = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths([folder.clone()].into_iter().chain(std::env::split_paths(&rest)));
    Prepared { scratch, folder, path: path.expect("no colon in it"), program }
}

#[test]
fn where_counters_work_the_program_runs_under_them() {
    let Prepared { scratch, folder, path, program } = prepared();
    let command = [program.as_os_str(), OsStr::new("more")];
    let said = bottlenecks(&scratch, &path, &["--propagate-exit"], &command);
    assert_eq!(said.status, Some(1), "{}", said.err);
    assert!(said.err.contains("under the processor's counters (without it: --no-counters)"), "{}", said.err);
    let asked = log(&folder);
    let runs: Vec<&str> = asked.lines().filter(|line| line.starts_with("process ")).collect();
    assert_eq!(runs, ["process PipelineL1,PipelineL2"], "{asked}");
    assert_eq!(
        said.out.lines().filter(|line| line.parse::<f64>().is_ok()).count(),
        4,
        "sampled, counted, under perf, injected: {}",
        said.out
    );
    assert!(said.out.contains("retiring 26 %") && said.out.contains("core 66 %"), "{}", said.out);

    let document = scratch.json();
    let known = &document["top_down"];
    assert_eq!((known["retiring"].as_f64(), known["memory"].as_f64()), (Some(0.263), Some(0.017)), "{known}");
    assert_eq!((&known["perf"], &known["user_only"]), (&"6.8.12".into(), &true.into()));
    assert_eq!(known["binds"][0]["part"], "core");
    assert!(scratch.ok(["show", "runs"]).contains("top-down"));

    // What is known is not counted again.
    let again = bottlenecks(&scratch, &path, &[], &command);
    assert_eq!(again.status, Some(0), "{}", again.err);
    assert!(again.out.contains("retiring 26 %"), "{}", again.out);
    assert_eq!(log(&folder), asked);
}

#[test]
fn counters_are_left_out_when_asked_to() {
    let Prepared { scratch, folder, path, program } = prepared();
    let said = bottlenecks(&scratch, &path, &["--no-counters", "--verbose"], &[program.as_os_str()]);
    assert_eq!(said.status, Some(0), "{}", said.err);
    assert_eq!(log(&folder), "", "perf was not even tried");
    assert!(!said.err.contains("top-down"), "{}", said.err);
    assert!(scratch.json()["top_down"].is_null());
}

#[test]
fn a_run_that_ends_otherwise_is_not_used() {
    let Prepared { scratch, folder, path, program } = prepared();
    // What perf does while the program waits for it makes the program end otherwise.
    let failing = PERF.replace("process ]; then :", "process ]; then : > seven");
    std::fs::write(folder.join("perf"), failing).expect("it is ours");
    let said = bottlenecks(&scratch, &path, &[], &[program.as_os_str()]);
    assert_eq!(said.status, Some(0), "{}", said.err);
    assert!(said.err.contains("exited with status 7") && said.err.contains("--no-counters"), "{}", said.err);
    assert!(scratch.json()["top_down"].is_null());
}

#[test]
fn an_interruption_ends_the_run_under_counters_and_the_command() {
    let Prepared { scratch, folder, path, program } = prepared();
    // First of all: on a busy machine the program is not held until perf has ended.
    let endless = PERF.replace("what=process;", "what=process; : > forever;");
    assert_ne!(endless, PERF);
    std::fs::write(folder.join("perf"), endless).expect("it is ours");
    let mut tool = scratch.tool();
    // Not in the foreground of a terminal, where all processes would hear of Ctrl-C by themselves.
    tool.process_group(0);
    tool.env("PATH", &path).args(["bottlenecks", "--no-measure", "--no-trace", "--"]).arg(&program);
    let mut child = tool.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("starts");
    let mut out = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut line = String::new();
    while line.trim() != "waiting" {
        line.clear();
        if out.read_line(&mut line).is_ok_and(|bytes| bytes > 0) {
            continue;
        }
        let mut err = String::new();
        let _ = child.stderr.take().expect("a pipe").read_to_string(&mut err);
        panic!("the program did not run under perf: {err}");
    }
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(sent.is_ok_and(|status| status.success()));
    let mut err = String::new();
    child.stderr.take().expect("a pipe").read_to_string(&mut err).expect("reads");
    assert_eq!(child.wait().expect("the tool ends").code(), Some(0), "{err}");
    assert!(err.contains("nothing was injected: the same command again does that"), "{err}");
    assert!(scratch.json()["top_down"].is_null());
}

#[test]
fn a_perf_in_the_current_folder_is_not_run_and_one_line_says_what_is_missing() {
    let Prepared { scratch, program, .. } = prepared();
    perf_in(scratch.path());
    let said = bottlenecks(&scratch, OsStr::new(".:"), &["--verbose"], &[program.as_os_str()]);
    assert_eq!(said.status, Some(0), "{}", said.err);
    assert_eq!(log(scratch.path()), "");
    let lines = said.err.lines().filter(|line| line.contains("no top-down analysis by counters: "));
    assert_eq!(lines.count(), 1, "{}", said.err);
    let here = scratch.path().as_os_str();
    let said = bottlenecks(&scratch, here, &[], &[program.as_os_str()]);
    assert_eq!((said.status, log(scratch.path()).as_str()), (Some(0), ""), "{}", said.err);
    assert!(!said.err.contains("top-down"), "one line for those who ask: {}", said.err);
}
