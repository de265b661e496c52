//! A program inherits under loopwright what it inherits without: closed standard streams and an ignored SIGPIPE.

use crate::tool::Scratch;
use std::path::Path;
use std::process::Command;

/// Writes what it inherited into the file that it is given, and does some work in a loop.
const SOURCE: &str = r#"#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
int main(int count, char **arguments) {
    char text[256];
    int length = 0;
    for (int i = 0; i < 3; i++) length += sprintf(text + length, "%d:%d ", i, fcntl(i, F_GETFD));
    struct sigaction action;
    sigaction(SIGPIPE, 0, &action);
    length += sprintf(text + length, "pipe %d ", action.sa_handler == SIG_IGN);
    int file = open(arguments[count - 1], O_CREAT | O_WRONLY | O_TRUNC, 0644);
    length += sprintf(text + length, "opened %d write %zd\n", file, write(1, "x", 1));
    volatile double sum = 0;
    for (int i = 0; i < 30000000; i++) sum += i * 0.5;
    return write(file, text, length) != length;
}
"#;

/// What the program says when the shell starts `command` with these redirections.
fn inherited(folder: &Path, redirections: &str, command: &[&str]) -> String {
    let report = folder.join("report");
    let _ = std::fs::remove_file(&report);
    let mut shell = Command::new("sh");
    shell.current_dir(folder).arg("-c").arg(format!("trap '' PIPE; exec \"$@\" {redirections}"));
    shell.arg("sh").args(command).arg("./program").arg(&report);
    shell.output().expect("a shell");
    std::fs::read_to_string(&report).unwrap_or_else(|error| panic!("{command:?} {redirections}: {error}"))
}

#[test]
fn closed_streams_and_ignored_signals_are_passed_on() {
    let scratch = Scratch::new();
    let folder = scratch.path();
    std::fs::write(folder.join("program.c"), SOURCE).unwrap();
    let built = Command::new("gcc").args(["-O1", "-o", "program", "program.c"]).current_dir(folder).status();
    assert!(built.is_ok_and(|status| status.success()), "gcc builds the program");
    let tool = env!("CARGO_BIN_EXE_loopwright");
    for redirections in ["", ">&-", "<&-", "2>&-", "<&- >&-", "<&- >&- 2>&-", "</dev/null >&-"] {
        let alone = inherited(folder, redirections, &[]);
        assert!(alone.contains("pipe 1"), "{alone}");
        for verb in ["survey", "tripcounts", "map"] {
            let command = [tool, "--quiet", "--experiment", "x.lw", verb, "--"];
            assert_eq!(inherited(folder, redirections, &command), alone, "{verb} {redirections}");
        }
    }
}

#[test]
fn what_cannot_be_printed_is_an_error() {
    let mut shell = Command::new("sh");
    shell.args([
        "-c",
        "exec \"$@\" >&-",
        "sh",
        env!("CARGO_BIN_EXE_loopwright"),
        "explain",
        "loop-carried-dependence",
    ]);
    let output = shell.output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("standard output is closed") && said.lines().count() == 1, "{said}");
}
