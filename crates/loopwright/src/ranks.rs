//! This process's rank in a parallel job, and whether it is one of those that are collected.

use crate::args::RankChoice;
use crate::failure::Failure;
use loopwright_sample::recording::Rank;
use std::ffi::OsString;
use std::sync::OnceLock;

/// This process's rank, when a launcher started it.
pub fn own() -> Option<Rank> {
    static OWN: OnceLock<Option<Rank>> = OnceLock::new();
    OWN.get_or_init(loopwright_sample::rank::own).clone()
}

/// A rank that is not chosen becomes the program: then this does not return.
pub fn become_program_unless_chosen(choice: &RankChoice, command: &[OsString]) -> Result<(), Failure> {
    let Some(rank) = own() else {
        return Err(Failure::misuse(
            "--ranks chooses among the ranks of a job, and no launcher started this process; put the launcher in front: \
             `mpirun -n 8 loopwright ..`",
        ));
    };
    match choice.holds(rank.rank, rank.size, loopwright_sample::rank::own_on_node()) {
        Some(true) => Ok(()),
        Some(false) => Err(loopwright_launch::replace(command).into()),
        None => Err(Failure::misuse(format!(
            "the launcher ({}) does not say which ranks share a node; name ranks instead, such as --ranks 0,8",
            rank.launcher
        ))),
    }
}

/// `ranks 0, 3-7`; empty when there are none.
pub fn listed(ranks: impl Iterator<Item = u32>) -> String {
    let mut ranks: Vec<u32> = ranks.collect();
    ranks.sort_unstable();
    ranks.dedup();
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for rank in ranks {
        match ranges.last_mut() {
            Some((_, last)) if rank - *last == 1 => *last = rank,
            _ => ranges.push((rank, rank)),
        }
    }
    let word = if matches!(ranges.as_slice(), [(first, last)] if first == last) { "rank" } else { "ranks" };
    let text = |(first, last): &(u32, u32)| match last - first {
        0 => first.to_string(),
        _ => format!("{first}-{last}"),
    };
    match ranges.is_empty() {
        true => String::new(),
        false => format!("{word} {}", ranges.iter().map(text).collect::<Vec<_>>().join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_listed_as_ranges() {
        assert_eq!(listed([].into_iter()), "");
        assert_eq!(listed([3].into_iter()), "rank 3");
        assert_eq!(listed([9, 0, 1, 2, 2, 7].into_iter()), "ranks 0-2, 7, 9");
    }
}
