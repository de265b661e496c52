//! Ranks that are points of a lattice: its dimensions are recognised from who sends to whom.
//!
//! In a lattice whose last dimension changes fastest (as `MPI_Cart_create` numbers ranks; the other order is the same lattice with its
//! dimensions reversed) neighbours differ by the strides of the dimensions. So every stride is a difference of two ranks that send each
//! other something, and divides the next one; such chains of strides are few and are all tried.

use crate::matrix::CommunicationMatrix;
use std::collections::BTreeMap;

/// Most dimensions: those of the lattices of physics, space and time.
pub const MOST_DIMENSIONS: usize = 4;
/// Differences of ranks that are looked at: those with most bytes. A lattice of four dimensions has 80 with all diagonals, most of
/// which are no strides.
const DIFFERENCES: usize = 64;
/// Chains of strides that are tried.
const CHAINS: usize = 512;
/// A lattice is recognised when this part of the bytes is between neighbours: programs also reduce and broadcast.
pub const RECOGNISED: f64 = 0.9;
/// A lattice is worth its tiles from this part on: the tiles are one candidate of several.
pub const WORTH_TRYING: f64 = 0.4;

/// Shares that differ by less than a part of this size are taken as equal.
const STEPS: f64 = 20.0;

/// A lattice.
#[derive(Clone, Debug, PartialEq)]
pub struct Grid {
    /// Points along each dimension; the last one changes fastest with the rank.
    pub dimensions: Vec<u32>,
    /// Whether the first and the last point of each dimension are neighbours.
    pub periodic: Vec<bool>,
    /// Part of the bytes that is between neighbours, diagonal ones included.
    pub share: f64,
    /// Part of the bytes that is between neighbours along one dimension.
    pub direct: f64,
}

impl Grid {
    /// The lattices that the matrix may be, the most likely first; only those of more than one point along each dimension, with the
    /// number of ranks of the job as their points.
    pub fn candidates(matrix: &CommunicationMatrix) -> Vec<Self> {
        let ranks = matrix.ranks();
        let total: u128 =
            matrix.sent().iter().filter(|one| one.from != one.to).map(|one| u128::from(one.bytes)).sum();
        if ranks < 4 || total == 0 {
            return Vec::new();
        }
        let mut differences: BTreeMap<u32, u128> = BTreeMap::new();
        for one in matrix.sent() {
            *differences.entry(one.from.abs_diff(one.to)).or_default() += u128::from(one.bytes);
        }
        let mut strides: Vec<(u32, u128)> =
            differences.into_iter().filter(|(by, _)| *by > 0 && ranks.is_multiple_of(*by)).collect();
        strides.sort_by_key(|(by, bytes)| (std::cmp::Reverse(*bytes), *by));
        strides.truncate(DIFFERENCES);
        let mut strides: Vec<u32> = strides.into_iter().map(|(by, _)| by).filter(|by| *by > 1).collect();
        strides.sort_unstable();
        let mut found: Vec<Self> =
            chains(&strides).iter().map(|chain| Self::of(matrix, &dimensions(chain, ranks), total)).collect();
        found.retain(|grid| grid.share >= WORTH_TRYING);
        // A dimension that is cut in two has the same neighbours, some of them diagonal then, and by chance a few more.
        let about = |grid: &Self| (grid.share * STEPS) as u32;
        found.sort_by(|a, b| {
            let by_share = about(b).cmp(&about(a)).then(b.direct.total_cmp(&a.direct));
            by_share.then(a.dimensions.len().cmp(&b.dimensions.len())).then(a.dimensions.cmp(&b.dimensions))
        });
        found
    }

    /// The most likely lattice, if it is recognised.
    pub fn recognise(matrix: &CommunicationMatrix) -> Option<Self> {
        Self::candidates(matrix).into_iter().next().filter(|grid| grid.share >= RECOGNISED)
    }

    /// The lattice of these dimensions with what the matrix says of it.
    fn of(matrix: &CommunicationMatrix, dimensions: &[u32], total: u128) -> Self {
        let mut periodic = vec![false; dimensions.len()];
        let (mut near, mut direct) = (0_u128, 0_u128);
        for one in matrix.sent().iter().filter(|one| one.from != one.to) {
            let (mut from, mut to) = (one.from, one.to);
            let (mut neighbours, mut steps) = (true, 0);
            let mut around = [false; MOST_DIMENSIONS];
            for (at, points) in dimensions.iter().enumerate().rev() {
                let by = (from % points).abs_diff(to % points);
                let is_around = by > 1 && by == points - 1;
                around[at] = is_around;
                neighbours &= by <= 1 || is_around;
                steps += u32::from(by > 0);
                (from, to) = (from / points, to / points);
            }
            if neighbours {
                near += u128::from(one.bytes);
                direct += if steps == 1 { u128::from(one.bytes) } else { 0 };
                periodic.iter_mut().zip(around).for_each(|(known, seen)| *known |= seen);
            }
        }
        let part = |bytes: u128| bytes as f64 / total as f64;
        Self { dimensions: dimensions.to_vec(), periodic, share: part(near), direct: part(direct) }
    }

    /// Coordinates of a rank.
    pub fn coordinates(&self, rank: u32) -> Vec<u32> {
        let mut rest = rank;
        let mut found: Vec<u32> = self
            .dimensions
            .iter()
            .rev()
            .map(|points| {
                let coordinate = rest % points;
                rest /= points;
                coordinate
            })
            .collect();
        found.reverse();
        found
    }
}

/// Strides of the dimensions without the last one, whose stride is 1: each divides the next one. `strides` ascends.
fn chains(strides: &[u32]) -> Vec<Vec<u32>> {
    let mut all = vec![Vec::new()];
    let mut at = 0;
    while at < all.len() && all.len() < CHAINS {
        let chain: Vec<u32> = all[at].clone();
        at += 1;
        if chain.len() + 1 == MOST_DIMENSIONS {
            continue;
        }
        let last = chain.last().copied().unwrap_or(1);
        for next in strides.iter().filter(|next| **next > last && next.is_multiple_of(last)) {
            all.push(chain.iter().copied().chain([*next]).collect());
        }
    }
    all
}

/// The dimensions of `ranks` points with these strides.
fn dimensions(chain: &[u32], ranks: u32) -> Vec<u32> {
    let mut found = Vec::with_capacity(chain.len() + 1);
    let mut before = ranks;
    for stride in chain.iter().rev() {
        if before / stride > 1 {
            found.push(before / stride);
        }
        before = *stride;
    }
    found.push(before);
    found
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::matrix::Sent;

    /// A halo exchange: each point sends to its two neighbours along each dimension, or to all with the diagonal ones.
    pub(crate) fn halo(dimensions: &[u32], periodic: bool, diagonal: bool) -> CommunicationMatrix {
        let ranks: u32 = dimensions.iter().product();
        let grid = Grid { dimensions: dimensions.to_vec(), periodic: Vec::new(), share: 0.0, direct: 0.0 };
        let mut sent = Vec::new();
        for from in 0..ranks {
            let here = grid.coordinates(from);
            for code in 0..3_u32.pow(dimensions.len() as u32) {
                let step: Vec<i64> =
                    (0..dimensions.len() as u32).map(|at| i64::from(code / 3_u32.pow(at) % 3) - 1).collect();
                let steps = step.iter().filter(|one| **one != 0).count();
                if steps == 0 || (steps > 1 && !diagonal) {
                    continue;
                }
                let to =
                    here.iter().zip(&step).zip(dimensions).try_fold(0_u32, |to, ((at, step), points)| {
                        let next = i64::from(*at) + step;
                        let inside = (0..i64::from(*points)).contains(&next);
                        (inside || periodic).then(|| to * points + next.rem_euclid(i64::from(*points)) as u32)
                    });
                if let Some(to) = to.filter(|to| *to != from) {
                    sent.push(Sent { from, to, messages: 1, bytes: 128 << 10 });
                }
            }
        }
        CommunicationMatrix::new(ranks, sent).unwrap()
    }

    #[test]
    fn lattices_of_one_to_four_dimensions_are_recognised() {
        for dimensions in [&[24][..], &[16, 16], &[5, 12], &[4, 6, 8], &[3, 4, 5, 6]] {
            for (periodic, diagonal) in [(true, false), (false, false), (true, true), (false, true)] {
                let found = Grid::recognise(&halo(dimensions, periodic, diagonal)).unwrap();
                assert_eq!(found.dimensions, dimensions, "{periodic} {diagonal}");
                let around: Vec<bool> = dimensions.iter().map(|points| periodic && *points > 2).collect();
                // Three points are all neighbours of each other.
                assert_eq!(found.periodic, around);
                assert_eq!(found.share, 1.0);
            }
        }
    }

    #[test]
    fn other_matrices_are_none() {
        let all: Vec<Sent> = (0..32_u32)
            .flat_map(|from| (0..32).map(move |to| Sent { from, to, messages: 1, bytes: 9 }))
            .collect();
        assert_eq!(Grid::recognise(&CommunicationMatrix::new(32, all).unwrap()), None);
        let far = (0..30).map(|from| Sent { from, to: (from * 7 + 3) % 30, messages: 1, bytes: 9 }).collect();
        assert_eq!(Grid::recognise(&CommunicationMatrix::new(30, far).unwrap()), None);
    }

    #[test]
    fn messages_of_collectives_do_not_hide_a_lattice() {
        let mut sent = halo(&[8, 8], true, false).sent().to_vec();
        sent.extend((1..64).map(|from| Sent { from, to: 0, messages: 100, bytes: 8 << 10 }));
        let found = Grid::recognise(&CommunicationMatrix::new(64, sent).unwrap()).unwrap();
        assert_eq!(found.dimensions, [8, 8]);
        assert!(found.share < 1.0);
    }
}
