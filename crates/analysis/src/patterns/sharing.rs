//! Lines that threads share, in shares and words.

use super::Traced;
use crate::model::SharingFacts;
use loopwright_patterns::facts::SharedLine;

/// Sharing between threads; absent when only one thread was seen at a time.
pub(super) fn sharing(traced: &Traced) -> Option<SharingFacts> {
    let seen = traced.seen.sharing.as_ref().filter(|sharing| sharing.windows > 0)?;
    let share = |part: u64| if seen.accesses == 0 { 0.0 } else { part as f64 / seen.accesses as f64 };
    Some(SharingFacts {
        false_lines: seen.false_lines,
        false_share: share(seen.false_accesses),
        true_lines: seen.true_lines,
        true_share: share(seen.true_accesses),
        example: seen
            .examples
            .iter()
            .find(|line| apart(line))
            .map(|line| words(traced, line))
            .unwrap_or_default(),
    })
}

/// Each thread that writes keeps to bytes of its own, in all windows together: the data can be moved apart. Where threads use the same
/// bytes in other windows there is no part of a thread.
fn apart(line: &SharedLine) -> bool {
    line.users.iter().filter(|user| user.4).all(|&(writer, _, first, last, _)| {
        line.users.iter().filter(|user| user.0 != writer).all(|user| user.3 < first || last < user.2)
    })
}

/// What each thread did to the line, one sentence each.
fn words(traced: &Traced, line: &SharedLine) -> Vec<String> {
    let user = |&(thread, site, first, last, writes): &(u32, u32, u8, u8, bool)| {
        let verb = if writes { "writes" } else { "reads" };
        let bytes = if first == last { format!("byte {first}") } else { format!("bytes {first}..{last}") };
        let place = traced.seen.sites.get(site as usize).map(|site| {
            let spot = traced.spot(site.module, site.function, site.address);
            match (spot.file, spot.line) {
                (Some(file), Some(line)) => format!(" at {}:{line}", crate::place::base_name(&file)),
                _ => format!(" at {:#x}", site.address),
            }
        });
        format!("thread {thread} {verb} {bytes} of the line {:#x}{}", line.address, place.unwrap_or_default())
    };
    line.users.iter().map(user).collect()
}
