//! What to change about input and output. Each gain is a bound: the time that was measured in the calls that the change removes, of
//! the rank that spends most in them.

use super::Slowest;
use crate::calls::{WORTH, share_of_run};
use crate::model::{IoAdvice, IoChange, IoClass, IoFile, IoPlace, IoTarget};

/// Below these bytes a transfer's time is that of the system call, not of its bytes: a page of memory.
const SMALL: f64 = 4096.0;
/// Bytes of a transfer that is no longer small: the pipe's buffer and the read-ahead of Linux begin there.
const LARGE: f64 = 65536.0;
/// Fewer calls are no habit.
const MANY: u64 = 100;

/// All changes that can save something, the largest possible gain first. `seconds` are those of the run.
pub(super) fn advice(files: &[(IoFile, Slowest)], places: &[IoPlace], seconds: f64) -> Vec<IoAdvice> {
    let mut all = Vec::new();
    for (file, slowest) in files {
        // What is typed or printed line by line is meant to be, and a pipe gives what there is.
        let Some(path) = file.path.as_ref().filter(|_| file.target == IoTarget::File) else { continue };
        for (change, calls, bytes, spent) in [
            (IoChange::BufferWrites, file.writes, file.written_bytes, slowest.write),
            (IoChange::BufferReads, file.reads, file.read_bytes, slowest.read),
        ] {
            let mean = bytes as f64 / calls.max(1) as f64;
            if calls >= MANY && mean < SMALL && mean > 0.0 {
                let remaining = (bytes as f64 / LARGE).ceil();
                let saved = spent * (1.0 - remaining / calls as f64).max(0.0);
                all.push(one(change, path, calls, Some(mean), saved, seconds));
            }
        }
        let transfers = file.reads.saturating_add(file.writes);
        let opens_per_rank = file.opens / u64::from(file.ranks.max(1));
        if opens_per_rank >= MANY && file.opens >= transfers / 4 {
            let saved = slowest.other * (1.0 - 1.0 / opens_per_rank as f64);
            all.push(one(IoChange::KeepOpen, path, file.opens, None, saved, seconds));
        }
    }
    for place in places.iter().filter(|place| place.calls >= MANY) {
        let change = match (place.function.as_str(), place.class) {
            ("fflush" | "std::endl" | "std::ostream::flush" | "flush_i4", _) => IoChange::FlushLess,
            (_, IoClass::Sync) => IoChange::SyncLess,
            _ => continue,
        };
        // A flush that writes nothing costs nothing.
        let mean = (place.transfers > 0).then(|| place.moved as f64 / place.transfers as f64);
        if change == IoChange::FlushLess && mean.is_none_or(|mean| mean >= SMALL) {
            continue;
        }
        let slowest = place.imbalance.map_or(place.seconds, |imbalance| imbalance.max);
        let saved = slowest * (1.0 - 1.0 / place.calls as f64);
        all.push(one(change, &place.place, place.calls, mean, saved, seconds));
    }
    all.retain(|advice| advice.at_most_share >= WORTH);
    all.sort_by(|a, b| b.at_most_seconds.total_cmp(&a.at_most_seconds));
    all
}

fn one(
    change: IoChange,
    place: &str,
    calls: u64,
    mean_bytes: Option<f64>,
    saved: f64,
    seconds: f64,
) -> IoAdvice {
    let at_most_share = share_of_run(saved, seconds);
    IoAdvice { change, place: place.to_owned(), calls, mean_bytes, at_most_seconds: saved, at_most_share }
}
