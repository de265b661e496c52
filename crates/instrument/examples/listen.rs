//! Runs a command and prints its calls of MPI: `mpirun -n 4 listen [--barriers] PROGRAM ARGUMENTS`.

use loopwright_instrument::listen::{self, ListenOptions, Listener};
use std::ffi::OsString;

fn main() {
    let mut command: Vec<OsString> = std::env::args_os().skip(1).collect();
    let barriers = command.first().is_some_and(|first| first == "--barriers");
    if barriers {
        command.remove(0);
    }
    let listener = Listener { started: &mut |_| {}, tick: &mut |_| {} };
    match listen::messages(&command, &ListenOptions::default(), barriers, listener) {
        Err(error) => eprintln!("{error}"),
        Ok(found) => {
            let mut text = format!(
                "rank {:?} of {:?}, {} threads, lost {:?}\n",
                found.rank, found.ranks, found.run.threads, found.lost
            );
            for s in &found.sites {
                text += &format!(
                    "  {:20} {:40} {:#x} calls {} bytes {} unknown {} seconds {:.6} waiting {:.6} {:?}\n",
                    s.called.function,
                    s.called.module,
                    s.called.address,
                    s.called.calls,
                    s.called.bytes,
                    s.called.without_bytes,
                    s.called.seconds,
                    s.waiting_seconds,
                    s.called.bins
                );
            }
            for p in &found.peers {
                text += &format!("  to {}: {} messages, {} bytes\n", p.rank, p.messages, p.bytes);
            }
            for l in &found.run.left_alone {
                text += &format!("  left {}: {}\n", l.function, l.reason);
            }
            for w in &found.run.warnings {
                text += &format!("  warning: {w}\n");
            }
            eprint!("{text}");
        }
    }
}
