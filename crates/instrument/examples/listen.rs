//! Runs a command and prints its calls of MPI: `mpirun -n 4 listen [--barriers] PROGRAM ARGUMENTS`.

use loopwright_instrument::{ListenOptions, listen};
use std::ffi::OsString;

fn main() {
    let mut command: Vec<OsString> = std::env::args_os().skip(1).collect();
    let barriers = command.first().is_some_and(|first| first == "--barriers");
    if barriers {
        command.remove(0);
    }
    let options = ListenOptions { barriers, ..ListenOptions::default() };
    match listen(&command, &options, &mut |_| {}, &mut |_| {}) {
        Err(error) => eprintln!("{error}"),
        Ok(found) => {
            let mut text = format!(
                "rank {:?} of {:?}, {} threads, lost {:?}\n",
                found.rank, found.ranks, found.threads, found.lost
            );
            for s in &found.sites {
                text += &format!(
                    "  {:20} {:40} {:#x} calls {} bytes {} unknown {} seconds {:.6} waiting {:.6} {:?}\n",
                    s.function,
                    s.module,
                    s.address,
                    s.calls,
                    s.bytes,
                    s.without_bytes,
                    s.seconds,
                    s.waiting_seconds,
                    s.bins
                );
            }
            for p in &found.peers {
                text += &format!("  to {}: {} messages, {} bytes\n", p.rank, p.messages, p.bytes);
            }
            for l in &found.left_alone {
                text += &format!("  left {}: {}\n", l.function, l.reason);
            }
            for w in &found.warnings {
                text += &format!("  warning: {w}\n");
            }
            eprint!("{text}");
        }
    }
}
