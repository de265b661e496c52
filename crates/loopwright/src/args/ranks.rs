//! Which ranks of a parallel job are collected, and the arguments of `loopwright merge`.

use clap::Args;
use std::fmt;
use std::path::PathBuf;

/// For verbs that run under a launcher.
#[derive(Clone, Debug, Default, Args)]
pub struct WhichRanks {
    /// Under a launcher, collect only these ranks: 0,8-15, one-per-node, or sample:16 (that number, evenly spaced). The others
    /// become the program at once.
    #[arg(long, value_name = "WHICH", value_parser = choice)]
    pub ranks: Option<RankChoice>,
}

/// Ranks of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RankChoice {
    /// Those in one of these ranges, ends included.
    Listed(Vec<(u32, u32)>),
    /// The first one of each node.
    OnePerNode,
    /// This number, evenly spaced from rank 0 on.
    Sample(u32),
}

/// As the command line has it.
impl fmt::Display for RankChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Listed(ranges) => {
                let range = |(first, last): &(u32, u32)| format!("{first}-{last}");
                f.write_str(&ranges.iter().map(range).collect::<Vec<_>>().join(","))
            }
            Self::OnePerNode => f.write_str("one-per-node"),
            Self::Sample(many) => write!(f, "sample:{many}"),
        }
    }
}

impl RankChoice {
    /// Whether rank `rank` of `size` is chosen; `on_node` is its rank among those of its node, `None` where that is not known but
    /// has to be.
    pub fn holds(&self, rank: u32, size: u32, on_node: Option<u32>) -> Option<bool> {
        Some(match self {
            Self::Listed(ranges) => ranges.iter().any(|(first, last)| (first..=last).contains(&&rank)),
            Self::OnePerNode => on_node? == 0,
            Self::Sample(many) if *many >= size => true,
            Self::Sample(many) => {
                // Of the ranks i * size / many, with i below many, the first that is not below this one.
                let (rank, size, many) = (u64::from(rank), u64::from(size), u64::from(*many));
                let at = (rank * many).div_ceil(size.max(1));
                at < many && at * size / many == rank
            }
        })
    }
}

pub(super) fn choice(text: &str) -> Result<RankChoice, String> {
    let wanted = || "wanted are ranks and ranges (0,8-15), one-per-node, or sample:N".to_owned();
    if text == "one-per-node" {
        return Ok(RankChoice::OnePerNode);
    }
    if let Some(many) = text.strip_prefix("sample:") {
        let many = many.parse().ok().filter(|many| *many > 0);
        return many.map(RankChoice::Sample).ok_or_else(wanted);
    }
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last) = (first.parse::<u32>().ok()?, last.parse::<u32>().ok()?);
        (first <= last).then_some((first, last))
    };
    let ranges: Option<Vec<_>> = text.split(',').map(range).collect();
    ranges.map(RankChoice::Listed).ok_or_else(wanted)
}

/// Of `loopwright merge`.
#[derive(Debug, Args)]
pub struct MergeArgs {
    /// The experiment beside which the parts are; without it, that of `-e`.
    #[arg(value_name = "EXPERIMENT")]
    pub file: Option<PathBuf>,
    /// Folder of separate debug files, in addition to the system's folders.
    #[arg(long, value_name = "DIR")]
    pub debug_dir: Vec<PathBuf>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(text: &str, size: u32) -> Vec<u32> {
        let choice = choice(text).unwrap();
        (0..size).filter(|&rank| choice.holds(rank, size, None) == Some(true)).collect()
    }

    #[test]
    fn ranks_and_ranges_are_chosen() {
        assert_eq!(chosen("0,8-10", 32), [0, 8, 9, 10]);
        assert_eq!(chosen("3", 2), [0; 0]);
        for wrong in ["", "a", "1-", "-1", "3-1", "1,,2", "sample:0", "sample:", "sample:x", "one"] {
            assert!(choice(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_sample_has_its_number_and_is_evenly_spaced() {
        assert_eq!(chosen("sample:4", 16), [0, 4, 8, 12]);
        assert_eq!(chosen("sample:3", 10), [0, 3, 6]);
        assert_eq!(chosen("sample:1", 7), [0]);
        assert_eq!(chosen("sample:9", 3), [0, 1, 2]);
        for size in 1..200 {
            for many in 1..=size {
                assert_eq!(chosen(&format!("sample:{many}"), size).len(), many as usize, "{many} of {size}");
            }
        }
        assert_eq!(RankChoice::Sample(u32::MAX).holds(0, u32::MAX, None), Some(true));
        assert_eq!(RankChoice::Sample(16).holds(u32::MAX - 1, u32::MAX, None), Some(false));
    }

    #[test]
    fn a_choice_is_written_as_it_is_read() {
        for text in ["0,8-15", "3", "one-per-node", "sample:16"] {
            let read = choice(text).unwrap();
            assert_eq!(choice(&read.to_string()), Ok(read), "{text}");
        }
    }

    #[test]
    fn one_per_node_needs_the_rank_on_the_node() {
        let holds = |on_node| RankChoice::OnePerNode.holds(5, 8, on_node);
        assert_eq!((holds(Some(0)), holds(Some(1)), holds(None)), (Some(true), Some(false), None));
    }
}
