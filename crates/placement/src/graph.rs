//! The matrix as a graph: for each rank its partners with the bytes in both directions.
//!
//! Searches add and subtract weights; so that no sum overflows, weights are scaled down where the matrix has more than 2^60 bytes.
//! What a search finds is judged by [`crate::cost`], which takes the matrix itself.

use crate::matrix::CommunicationMatrix;

/// Bytes between a rank and a partner.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge {
    /// The partner.
    pub(crate) to: u32,
    /// To the partner.
    pub(crate) out: i64,
    /// From the partner.
    pub(crate) back: i64,
}

impl Edge {
    /// In both directions.
    pub(crate) fn both(&self) -> i64 {
        self.out + self.back
    }
}

/// Partners of all ranks; no rank is its own partner.
pub(crate) struct Graph {
    start: Vec<usize>,
    edges: Vec<Edge>,
}

impl Graph {
    pub(crate) fn of(matrix: &CommunicationMatrix) -> Self {
        let total: u128 = matrix.sent().iter().map(|one| u128::from(one.bytes)).sum();
        let shift = (128 - total.leading_zeros()).saturating_sub(60);
        let weight = |bytes: u64| bytes.checked_shr(shift).unwrap_or(0) as i64;
        let mut halves: Vec<(u32, u32, i64, i64)> = Vec::with_capacity(2 * matrix.sent().len());
        for one in matrix.sent().iter().filter(|one| one.from != one.to) {
            halves.push((one.from, one.to, weight(one.bytes), 0));
            halves.push((one.to, one.from, 0, weight(one.bytes)));
        }
        halves.sort_unstable_by_key(|(from, to, ..)| (*from, *to));
        let ranks = matrix.ranks() as usize;
        let mut degree = vec![0_usize; ranks + 1];
        let mut edges: Vec<Edge> = Vec::with_capacity(halves.len());
        let mut before = None;
        for (from, to, out, back) in halves {
            match edges.last_mut() {
                Some(last) if before == Some((from, to)) => {
                    last.out += out;
                    last.back += back;
                }
                _ => {
                    edges.push(Edge { to, out, back });
                    degree[from as usize + 1] += 1;
                }
            }
            before = Some((from, to));
        }
        for at in 1..degree.len() {
            degree[at] += degree[at - 1];
        }
        Self { start: degree, edges }
    }

    /// Number of ranks.
    pub(crate) fn len(&self) -> usize {
        self.start.len() - 1
    }

    /// The partners of a rank, ascending.
    pub(crate) fn of_rank(&self, rank: u32) -> &[Edge] {
        &self.edges[self.start[rank as usize]..self.start[rank as usize + 1]]
    }

    /// Pairs of partners, each in both directions.
    pub(crate) fn edges(&self) -> usize {
        self.edges.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::Sent;

    #[test]
    fn each_pair_is_one_edge_of_both() {
        let sent = |from, to, bytes| Sent { from, to, messages: 1, bytes };
        let all = vec![sent(0, 1, 3), sent(1, 0, 4), sent(2, 0, 5), sent(2, 2, 9)];
        let graph = Graph::of(&CommunicationMatrix::new(3, all).unwrap());
        let of = |rank| graph.of_rank(rank).iter().map(|e| (e.to, e.out, e.back)).collect::<Vec<_>>();
        assert_eq!((graph.len(), graph.edges()), (3, 4));
        assert_eq!((of(0), of(1), of(2)), (vec![(1, 3, 4), (2, 0, 5)], vec![(0, 4, 3)], vec![(0, 5, 0)]));
    }

    #[test]
    fn sums_of_the_largest_numbers_fit() {
        let all = (1..9).map(|to| Sent { from: 0, to, messages: 1, bytes: u64::MAX }).collect();
        let graph = Graph::of(&CommunicationMatrix::new(9, all).unwrap());
        let sum: i64 = graph.of_rank(0).iter().map(Edge::both).sum();
        assert!(sum > 1 << 58 && sum <= 1 << 60, "{sum}");
    }
}
