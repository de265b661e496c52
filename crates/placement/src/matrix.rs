//! Who sends how much to whom: the sparse communication matrix of a job.

use loopwright_stats::saturating_sum;

/// Most ranks of a job: about those of the largest machine of the TOP500, and what a wrong number may make this crate reserve.
pub const MOST_RANKS: u32 = 1 << 20;

/// What one rank sent to another during the whole run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Sent {
    /// The sender's rank in the world.
    pub from: u32,
    /// The receiver's rank in the world.
    pub to: u32,
    /// Number of messages.
    pub messages: u64,
    /// Their bytes together.
    pub bytes: u64,
}

/// A communication matrix: its entries are sorted, and each pair of ranks occurs once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommunicationMatrix {
    ranks: u32,
    sent: Vec<Sent>,
}

/// Why entries are no communication matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MatrixError {
    /// A rank that the job does not have.
    #[error("rank {rank} is not one of the job's {ranks} ranks; give their number with --ranks")]
    Rank {
        /// The rank.
        rank: u32,
        /// Ranks of the job.
        ranks: u32,
    },
    /// More ranks than any machine has.
    #[error("a job of {ranks} ranks is larger than {MOST_RANKS}; check the numbers of ranks in the matrix")]
    TooMany {
        /// Ranks that were stated.
        ranks: u64,
    },
    /// No rank at all.
    #[error("the matrix has no entry; give one that was taken while the program sent messages")]
    Empty,
}

impl CommunicationMatrix {
    /// The matrix of a job. Entries of the same pair are added; a number that is too large stays at the largest one.
    ///
    /// # Errors
    /// When the job has no rank or too many, or an entry names a rank that it does not have.
    pub fn new(ranks: u32, mut sent: Vec<Sent>) -> Result<Self, MatrixError> {
        if ranks == 0 {
            return Err(MatrixError::Empty);
        }
        if ranks > MOST_RANKS {
            return Err(MatrixError::TooMany { ranks: ranks.into() });
        }
        if let Some(rank) = sent.iter().map(|one| one.from.max(one.to)).find(|rank| *rank >= ranks) {
            return Err(MatrixError::Rank { rank, ranks });
        }
        sent.sort_unstable();
        sent.dedup_by(|next, kept| {
            let same = (next.from, next.to) == (kept.from, kept.to);
            if same {
                kept.messages = kept.messages.saturating_add(next.messages);
                kept.bytes = kept.bytes.saturating_add(next.bytes);
            }
            same
        });
        Ok(Self { ranks, sent })
    }

    /// The same messages in a job of `ranks` ranks: those that send and receive nothing are in no entry.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn with_ranks(self, ranks: u32) -> Result<Self, MatrixError> {
        Self::new(ranks, self.sent)
    }

    /// Ranks of the job.
    pub fn ranks(&self) -> u32 {
        self.ranks
    }

    /// The entries, by sender and then receiver.
    pub fn sent(&self) -> &[Sent] {
        &self.sent
    }

    /// Bytes of all messages.
    pub fn bytes(&self) -> u64 {
        saturating_sum(self.sent.iter().map(|one| one.bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_of_a_pair_are_added_and_what_does_not_fit_stays_at_the_largest() {
        let sent = |from, to, messages, bytes| Sent { from, to, messages, bytes };
        let all = vec![sent(1, 0, 1, u64::MAX), sent(0, 1, 1, 5), sent(1, 0, 2, 7), sent(0, 1, u64::MAX, 6)];
        let matrix = CommunicationMatrix::new(2, all).unwrap();
        assert_eq!(matrix.sent(), [sent(0, 1, u64::MAX, 11), sent(1, 0, 3, u64::MAX)]);
        assert_eq!(matrix.bytes(), u64::MAX);
    }

    #[test]
    fn ranks_outside_the_job_are_refused() {
        let one = vec![Sent { from: 0, to: 4, messages: 1, bytes: 1 }];
        assert_eq!(CommunicationMatrix::new(4, one.clone()), Err(MatrixError::Rank { rank: 4, ranks: 4 }));
        assert_eq!(CommunicationMatrix::new(0, Vec::new()), Err(MatrixError::Empty));
        assert!(CommunicationMatrix::new(u32::MAX, Vec::new()).is_err());
        let wider = CommunicationMatrix::new(5, one).unwrap().with_ranks(9).unwrap();
        assert_eq!((wider.ranks(), wider.sent().len()), (9, 1));
        assert!(wider.with_ranks(3).is_err());
    }
}
