//! Cold parts of functions whose symbols were stripped.
//!
//! Compilers move unlikely code of a function away from it and give it an unwind entry of its own. Without
//! the symbol `foo.cold`, two things distinguish it from a function: its unwind entry starts with the frame
//! already set up, which no caller does, and its function jumps into it. Parts that set up their frame
//! themselves look like functions and are listed as functions.
//!
//! The jumps are found by their encoding (`jmp rel32`, `jcc rel32`) without disassembly: a chance
//! match would have to hit a cold part, and the function with most matches is taken.

use super::layout::Layout;
use super::unwind::Frame;
use std::collections::HashMap;

/// Most code to search for each cold part: compilers that split functions do so often, and a few odd unwind
/// entries of hand-written code are not worth reading hundreds of megabytes.
const SEARCHED_PER_PART: usize = 4 << 20;

/// For each cold part (sorted by start), the function that jumps into it most often, numbered by
/// `function_at`; `None` when none does.
pub(super) fn parents(
    cold: &[Frame],
    layout: &Layout,
    bytes: &[u8],
    function_at: impl Fn(u64) -> Option<usize>,
) -> Vec<Option<usize>> {
    let mut votes: Vec<HashMap<usize, u32>> = vec![HashMap::new(); cold.len()];
    let (Some(lowest), Some(highest)) = (cold.first().map(|f| f.start), cold.iter().map(|f| f.end).max())
    else {
        return Vec::new();
    };
    let code = || layout.segments.iter().filter(|s| s.executable);
    if code().map(|s| s.file.len()).sum::<usize>() > cold.len().saturating_mul(SEARCHED_PER_PART) {
        return vec![None; cold.len()];
    }
    for segment in code() {
        let Some(content) = bytes.get(segment.file.clone()) else { continue };
        for (at, window) in content.windows(6).enumerate() {
            let (length, displacement) = match *window {
                [0xe9, a, b, c, d, _] => (5, [a, b, c, d]),
                [0x0f, 0x80..=0x8f, a, b, c, d] => (6, [a, b, c, d]),
                _ => continue,
            };
            let from = segment.address.start.wrapping_add(at as u64);
            let offset = i64::from(i32::from_le_bytes(displacement));
            let target = from.wrapping_add(length).wrapping_add_signed(offset);
            if target < lowest || target >= highest {
                continue;
            }
            let Some(part) = cold.partition_point(|f| f.start <= target).checked_sub(1) else { continue };
            if cold.get(part).is_some_and(|f| target < f.end)
                && let (Some(function), Some(votes)) = (function_at(from), votes.get_mut(part))
            {
                *votes.entry(function).or_default() += 1;
            }
        }
    }
    let most = |votes: HashMap<usize, u32>| {
        votes.into_iter().max_by_key(|(function, count)| (*count, std::cmp::Reverse(*function)))
    };
    votes.into_iter().map(|votes| most(votes).map(|(function, _)| function)).collect()
}
