//! One module per verb; each checks its arguments, calls the library and prints.

pub mod bench;
pub mod calibrate;
pub mod dedup;
pub mod exercise;

use loopwright_kernels_bench::subjects::{self, Subject};
use std::io::{IsTerminal, Write};

/// The command line requests something impossible.
#[derive(Debug)]
pub struct Misuse(String);

impl std::fmt::Display for Misuse {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Misuse {}

/// The subject of this name.
fn subject(name: &str) -> Result<Box<dyn Subject>, Misuse> {
    let all = subjects::all();
    let names: Vec<&str> = all.iter().map(|s| s.kernel()).collect();
    let unknown = Misuse(format!("there is no kernel {name:?}; there are: {}", names.join(", ")));
    all.into_iter().find(|s| s.kernel() == name).ok_or(unknown)
}

/// The reader of the output has ended.
pub fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let kind = |e: &std::io::Error| e.kind() == std::io::ErrorKind::BrokenPipe;
    error.chain().filter_map(|cause| cause.downcast_ref()).any(kind)
}

/// Shows the current measurement on a terminal; an empty text ends it.
fn progress(title: &str) {
    let mut terminal = std::io::stderr();
    if terminal.is_terminal() {
        // An error is ignored: nothing depends on the line.
        let _ = write!(terminal, "\r\x1b[K{title}");
        let _ = terminal.flush();
    }
}
