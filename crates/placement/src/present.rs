//! Where the ranks of a job are now: a text with the host of rank i on line i (as Slurm and SMPI read it), or with lines
//! `rank 3=host slot=1` (as Open MPI reads it).

use crate::hosts::{ListError, lines};
use crate::matrix::MOST_RANKS;
use crate::nodes::Placement;
use std::collections::HashMap;

/// Why a text does not say where ranks are.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PresentError {
    /// A line that names no host.
    #[error(transparent)]
    List(#[from] ListError),
    /// A line of a rank file that is none.
    #[error("`{text}` is not a line such as `rank 3=node1 slot=0`")]
    Line {
        /// Its beginning.
        text: String,
    },
    /// A rank without a host, or with two.
    #[error("rank {rank} is named twice or not at all; give each rank one line")]
    Rank {
        /// The rank.
        rank: usize,
    },
    /// A host that is not one of the job's.
    #[error("`{host}` is not one of the job's hosts; give all of them with --hosts")]
    Host {
        /// Its name.
        host: String,
    },
}

/// The nodes of the ranks, and the hosts in the order in which they are numbered: `hosts` where that is given, else by their first rank.
///
/// # Errors
/// When a line has another form, a rank has no host, or a host is not one of the given ones.
pub fn parse(text: &str, hosts: Option<&[String]>) -> Result<(Placement, Vec<String>), PresentError> {
    let is_rank_file =
        text.lines().map(str::trim).any(|line| line.starts_with("rank ") && line.contains('='));
    let of_ranks = if is_rank_file { rank_file(text)? } else { lines(text)? };
    let mut names: Vec<String> = hosts.map(<[String]>::to_vec).unwrap_or_default();
    let mut number: HashMap<String, u32> =
        names.iter().enumerate().map(|(at, name)| (name.clone(), at as u32)).collect();
    let mut node_of = Vec::with_capacity(of_ranks.len());
    for host in of_ranks {
        let node = match number.get(&host) {
            Some(node) => *node,
            None if hosts.is_some() => return Err(PresentError::Host { host }),
            None => {
                let node = names.len() as u32;
                number.insert(host.clone(), node);
                names.push(host);
                node
            }
        };
        node_of.push(node);
    }
    Ok((Placement::new(node_of), names))
}

/// The host of each rank in a rank file of Open MPI.
fn rank_file(text: &str) -> Result<Vec<String>, PresentError> {
    let mut found: Vec<(usize, String)> = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let wrong = || PresentError::Line { text: line.chars().take(60).collect() };
        let (rank, host) =
            line.strip_prefix("rank ").and_then(|rest| rest.split_once('=')).ok_or_else(wrong)?;
        let rank: usize =
            rank.trim().parse().ok().filter(|rank| *rank < MOST_RANKS as usize).ok_or_else(wrong)?;
        let host = lines(host)?.pop().ok_or_else(wrong)?;
        found.push((rank, host));
    }
    found.sort();
    match found.iter().enumerate().find(|(at, (rank, _))| at != rank) {
        Some((rank, _)) => Err(PresentError::Rank { rank }),
        None => Ok(found.into_iter().map(|(_, host)| host).collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn both_forms_are_read() {
        let (placement, hosts) = parse("b\na\nb\n", None).unwrap();
        assert_eq!((placement.node_of(), hosts.join(" ")), ([0, 1, 0].as_slice(), "b a".to_owned()));
        let all = ["a".to_owned(), "b".to_owned()];
        let (placement, _) = parse("rank 1=a slot=0\nrank 0=b slot=1\n", Some(&all)).unwrap();
        assert_eq!(placement.node_of(), [1, 0]);
    }

    #[test]
    fn ranks_and_hosts_that_do_not_fit_are_named() {
        let all = ["a".to_owned()];
        let said = |text| parse(text, Some(&all)).unwrap_err().to_string();
        assert!(said("a\nc\n").contains("`c` is not one of the job's hosts"));
        assert!(said("rank 0=a\nrank 2=a\n").contains("rank 1 is named twice or not at all"));
        assert!(said("rank 0=a\nrank 0=a\n").contains("rank 1 is"));
        assert!(said("rank 0=a\nhello\n").contains("`hello` is not a line"));
    }

    proptest! {
        #[test]
        fn any_text_ends_without_a_panic(text in "(rank )?[0-9a-z=\n #]{0,60}") {
            let _ = parse(&text, None);
        }
    }
}
