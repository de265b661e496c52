//! The part of an operation that is observed from outside, instruction by instruction: all of it, unless it
//! marks a part with [`only`] because it prepares something at length. The observer sees the process stop
//! before and after that part.

use rustix::process::{Signal, getpid, kill_process};
use std::cell::Cell;

thread_local! {
    static WANTED: Cell<Wanted> = const { Cell::new(Wanted::Nothing) };
}

#[derive(Clone, Copy, PartialEq)]
enum Wanted {
    Nothing,
    /// Find whether a part is marked.
    Notice,
    Noticed,
    /// Stop around the marked part.
    Stops,
}

/// Marks the part of an operation to observe.
pub fn only<T>(part: impl FnOnce() -> T) -> T {
    match WANTED.get() {
        Wanted::Nothing | Wanted::Noticed => part(),
        Wanted::Notice => {
            WANTED.set(Wanted::Noticed);
            part()
        }
        Wanted::Stops => stopping_around(part),
    }
}

/// Runs an operation with a stop of the process before and after its observed part. It runs twice: the first
/// run finds whether a part is marked, and does the work that is done once per process.
pub fn watched<T>(operation: impl Fn() -> T) -> T {
    WANTED.set(Wanted::Notice);
    operation();
    if WANTED.get() == Wanted::Noticed {
        WANTED.set(Wanted::Stops);
        operation()
    } else {
        WANTED.set(Wanted::Nothing);
        stopping_around(operation)
    }
}

fn stopping_around<T>(part: impl FnOnce() -> T) -> T {
    // A process that cannot stop itself shows nothing, which its observer reports.
    let _ = kill_process(getpid(), Signal::STOP);
    let done = part();
    let _ = kill_process(getpid(), Signal::STOP);
    done
}
