//! How a row is cut into pieces: the search for the cheapest partition.
//!
//! All rows share one partition. A piece is one of the four widths of tiles; what it costs over all strips is a
//! [`Table`]. The exact search is dynamic programming over the columns: the cheapest way to cover the first `n` units
//! ends with some piece, preceded by the cheapest way to cover the rest. A *clique* is a few pieces that repeat
//! along the row; the cheapest of limited length is found by trying all, or by a beam that keeps the best few of each
//! length.

use super::costs::TypeCosts;
use super::element::Number;
use super::matrix::SparseMatrix;
use super::tiles::{DENSE, FIRST_BITS, WIDTHS};

/// How to look for a partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Search {
    /// The cheapest of all partitions.
    Exact,
    /// The cheapest clique of at most `pieces` pieces that repeats along the row.
    Cliques {
        /// The limit, 1 or more; work grows as 4 to its power.
        pieces: usize,
    },
    /// A clique found by growing the best `width` of each length.
    Beam {
        /// The limit, 1 or more.
        pieces: usize,
        /// Cliques that are kept of each length, 1 or more.
        width: usize,
    },
}

/// A piece: some columns, the same for all strips.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Piece {
    /// First column.
    pub column: usize,
    /// Which of [`WIDTHS`].
    pub width: usize,
}

/// How a tile is packed: bits of its hints or [`DENSE`], and lines of values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Packing {
    pub bits: u8,
    pub slots: u16,
}

/// The non-zero elements of each row in units of columns, and what follows from them.
pub struct Table<'a> {
    costs: &'a TypeCosts,
    /// Nanoseconds that a line takes at least, because its bytes have to come.
    line_bytes: f64,
    /// Nanoseconds of an element that is left over.
    left_over: f64,
    rows_of_strip: usize,
    per_row: usize,
    hint_bits: usize,
    rows: usize,
    cols: usize,
    /// Columns of a unit: of the narrowest width in use.
    unit: usize,
    /// `counts[unit * rows + row]`.
    counts: Vec<u8>,
}

impl<'a> Table<'a> {
    /// Counts a matrix. `byte` is what a byte of the packed form costs.
    pub fn of<T: Number>(matrix: &SparseMatrix<T>, costs: &'a TypeCosts, byte: f64) -> Self {
        let narrowest = costs.slot.iter().position(|cost| cost.is_finite()).unwrap_or(0);
        let unit = WIDTHS[narrowest];
        let (rows, cols) = (matrix.rows(), matrix.cols());
        let mut counts = vec![0u8; cols.div_ceil(unit) * rows];
        for row in 0..rows {
            for (column, _) in matrix.row(row) {
                counts[column as usize / unit * rows + row] += 1;
            }
        }
        let (rows_of_strip, per_row, hint_bits) = (T::ROWS, T::PER_ROW, T::HINT_BITS);
        let left_over = costs.left_over_at(rows_of_strip, T::BYTES, byte);
        Table {
            costs,
            line_bytes: 64.0 * byte,
            left_over,
            rows_of_strip,
            per_row,
            hint_bits,
            rows,
            cols,
            unit,
            counts,
        }
    }

    /// Units of a row.
    pub fn units(&self) -> usize {
        self.cols.div_ceil(self.unit)
    }

    /// Units of a width.
    pub fn units_of(&self, width: usize) -> usize {
        WIDTHS[width] / self.unit
    }

    /// The widths in use.
    pub fn widths(&self) -> impl Iterator<Item = usize> + Clone {
        let slot = self.costs.slot;
        (0..WIDTHS.len()).filter(move |&width| slot[width].is_finite())
    }

    /// Elements of each row in a piece.
    fn row_counts(&self, unit: usize, width: usize) -> Vec<u8> {
        let end = (unit + self.units_of(width)).min(self.units());
        let mut sums = vec![0u8; self.rows];
        for unit in unit..end {
            let counts = &self.counts[unit * self.rows..][..self.rows];
            sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        }
        sums
    }

    /// Columns of a piece that the matrix has.
    fn columns(&self, unit: usize, width: usize) -> usize {
        WIDTHS[width].min(self.cols - unit * self.unit)
    }

    /// Nanoseconds of a tile with `left` elements that find no place.
    fn tile_cost(&self, packing: Packing, left: u64) -> f64 {
        let slots = f64::from(packing.slots);
        let left = left as f64 * self.left_over;
        if packing.slots == 0 {
            return left;
        }
        if packing.bits == DENSE {
            return self.costs.tile + slots * self.costs.line.max(self.line_bytes);
        }
        let group = (self.hint_bits / usize::from(packing.bits)) as f64;
        let bytes = self.line_bytes * (slots + (slots / group).ceil());
        self.costs.tile + left + (slots * self.costs.slot[usize::from(packing.bits - FIRST_BITS)]).max(bytes)
    }

    /// The cheapest packing for rows with these counts, when the tile is repeated for `strips` strips.
    fn cheapest(&self, counts: &[u8], unit: usize, width: usize, strips: usize) -> (Packing, f64) {
        let mut histogram = [0u64; 65];
        counts.iter().for_each(|&count| histogram[usize::from(count)] += 1);
        let dense = Packing { bits: DENSE, slots: self.columns(unit, width).div_ceil(self.per_row) as u16 };
        let mut best = (dense, self.tile_cost(dense, 0) * strips as f64);
        for slots in 0..=(WIDTHS[width] / self.per_row) as u16 {
            let room = usize::from(slots) * self.per_row;
            let beyond = (room + 1..65).map(|count| (count - room) as u64 * histogram[count]);
            let left: u64 = beyond.sum();
            let packing = Packing { bits: width as u8 + FIRST_BITS, slots };
            let cost = self.tile_cost(packing, 0) * strips as f64 + left as f64 * self.left_over;
            if cost < best.1 {
                best = (packing, cost);
            }
            if left == 0 {
                break;
            }
        }
        best
    }

    /// How a piece is packed in each strip, and what that costs: the same everywhere, except where another packing
    /// saves more than a jump that is not foreseen.
    pub fn piece(&self, unit: usize, width: usize) -> (Vec<Packing>, f64) {
        let counts = self.row_counts(unit, width);
        let strips = self.rows.div_ceil(self.rows_of_strip);
        let (usual, _) = self.cheapest(&counts, unit, width, strips);
        let mut total = 0.0;
        let packings = counts.chunks(self.rows_of_strip).map(|counts| {
            let room = usize::from(usual.slots) * self.per_row;
            let left = match usual.bits {
                DENSE => 0,
                _ => counts.iter().map(|&count| usize::from(count).saturating_sub(room) as u64).sum(),
            };
            let as_usual = self.tile_cost(usual, left);
            let (own, cost) = self.cheapest(counts, unit, width, 1);
            if cost + self.costs.switch < as_usual {
                total += cost + self.costs.switch;
                own
            } else {
                total += as_usual;
                usual
            }
        });
        let packings = packings.collect();
        (packings, total)
    }

    /// What every piece costs: `[unit][width]`, infinity for widths that are not in use.
    pub fn prices(&self) -> Prices {
        let price = |unit| {
            let mut prices = [f64::INFINITY; 4];
            self.widths().for_each(|width| prices[width] = self.piece(unit, width).1);
            prices
        };
        let lengths = std::array::from_fn(|width| self.units_of(width));
        Prices { lengths, prices: (0..self.units()).map(price).collect(), unit: self.unit }
    }
}

/// What pieces cost, by the unit they begin at and their width.
pub struct Prices {
    /// Units of each width.
    pub lengths: [usize; 4],
    /// Nanoseconds; infinity for a width that is not in use.
    pub prices: Vec<[f64; 4]>,
    /// Columns of a unit.
    pub unit: usize,
}

impl Prices {
    /// The partition that a search finds, and what it costs.
    pub fn search(&self, search: Search) -> (Vec<Piece>, f64) {
        match search {
            Search::Exact => self.exact(),
            Search::Cliques { pieces } => self.repeated(&self.cliques(pieces, usize::MAX)),
            Search::Beam { pieces, width } => self.repeated(&self.cliques(pieces, width)),
        }
    }

    fn widths(&self) -> impl Iterator<Item = usize> {
        let first = self.prices.first().copied().unwrap_or([f64::INFINITY; 4]);
        (0..4).filter(move |&width| first[width].is_finite())
    }

    fn exact(&self) -> (Vec<Piece>, f64) {
        let units = self.prices.len();
        // From the end: the cheapest way to cover the units from `unit` on, and the piece it begins with.
        let mut best = vec![(0.0, 0); units + 1];
        for unit in (0..units).rev() {
            let choices = self.widths().map(|width| {
                let next = (unit + self.lengths[width]).min(units);
                (self.prices[unit][width] + best[next].0, width)
            });
            best[unit] = choices.min_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((f64::INFINITY, 0));
        }
        let mut pieces = Vec::new();
        let mut unit = 0;
        while unit < units && best[unit].0.is_finite() {
            let width = best[unit].1;
            pieces.push(Piece { column: unit * self.unit, width });
            unit += self.lengths[width];
        }
        (pieces, best[0].0)
    }

    /// The clique repeated along the row, the last time as far as there are columns.
    pub fn repeated(&self, clique: &[usize]) -> (Vec<Piece>, f64) {
        let (mut pieces, mut cost, mut unit) = (Vec::new(), 0.0, 0);
        for &width in clique.iter().cycle() {
            if unit >= self.prices.len() {
                break;
            }
            cost += self.prices[unit][width];
            pieces.push(Piece { column: unit * self.unit, width });
            unit += self.lengths[width];
        }
        (pieces, cost)
    }

    /// The cheapest clique, of those that grow from the `keep` cheapest of each length.
    fn cliques(&self, limit: usize, keep: usize) -> Vec<usize> {
        let mut best: (Vec<usize>, f64) = (Vec::new(), f64::INFINITY);
        let mut kept: Vec<Vec<usize>> = vec![Vec::new()];
        for _ in 0..limit {
            let longer = kept.iter().flat_map(|clique| {
                self.widths().map(|width| {
                    let mut longer = clique.clone();
                    longer.push(width);
                    let cost = self.repeated(&longer).1;
                    (longer, cost)
                })
            });
            let mut longer: Vec<(Vec<usize>, f64)> = longer.collect();
            longer.sort_by(|a, b| a.1.total_cmp(&b.1));
            if let Some(first) = longer.first().filter(|first| first.1 < best.1) {
                best = first.clone();
            }
            kept = longer.into_iter().take(keep).map(|(clique, _)| clique).collect();
        }
        best.0
    }
}

#[cfg(test)]
mod tests {
    use super::super::costs::Costs;
    use super::*;
    use crate::isa::Isa;

    /// From 0 to 1, without a pattern (xorshift64).
    fn shares(seed: u64) -> impl FnMut() -> f64 {
        let mut state = 2 * seed + 1;
        move || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 11) as f64 / (1u64 << 53) as f64
        }
    }

    /// Every partition's cost, piece by piece.
    fn all_partitions(prices: &Prices, unit: usize, cost: f64, found: &mut Vec<f64>) {
        if unit >= prices.prices.len() {
            found.push(cost);
            return;
        }
        for width in prices.widths() {
            all_partitions(prices, unit + prices.lengths[width], cost + prices.prices[unit][width], found);
        }
    }

    fn all_cliques(prices: &Prices, limit: usize) -> Vec<Vec<usize>> {
        let mut all: Vec<Vec<usize>> = vec![Vec::new()];
        let mut last = all.clone();
        for _ in 0..limit {
            last = last
                .iter()
                .flat_map(|clique| prices.widths().map(|width| [clique.as_slice(), &[width]].concat()))
                .collect();
            all.extend(last.clone());
        }
        all.retain(|clique| !clique.is_empty());
        all
    }

    fn random(units: usize, seed: u64) -> Prices {
        let mut share = shares(seed);
        let price = |_| std::array::from_fn(|width| share() * (1 << width) as f64);
        Prices { lengths: [1, 2, 4, 8], prices: (0..units).map(price).collect(), unit: 8 }
    }

    fn cost_of(prices: &Prices, pieces: &[Piece]) -> f64 {
        pieces.iter().map(|piece| prices.prices[piece.column / prices.unit][piece.width]).sum()
    }

    /// Whether the pieces follow each other from the first unit to the last.
    fn covers(prices: &Prices, pieces: &[Piece]) -> bool {
        let mut unit = 0;
        pieces.iter().all(|piece| {
            let follows = piece.column == unit * prices.unit && unit < prices.prices.len();
            unit += prices.lengths[piece.width];
            follows
        }) && unit >= prices.prices.len()
    }

    #[test]
    fn the_exact_search_finds_the_cheapest_of_all_partitions() {
        for seed in 0..60 {
            let prices = random(seed as usize % 12, seed);
            let mut all = Vec::new();
            all_partitions(&prices, 0, 0.0, &mut all);
            let cheapest = all.into_iter().fold(f64::INFINITY, f64::min);
            let (pieces, cost) = prices.search(Search::Exact);
            assert!((cost - cheapest).abs() < 1e-9, "{cost} for {cheapest}");
            assert!((cost_of(&prices, &pieces) - cost).abs() < 1e-9);
            assert!(covers(&prices, &pieces), "{pieces:?}");
        }
    }

    #[test]
    fn the_cliques_found_are_the_cheapest_of_their_length() {
        for seed in 0..30 {
            let prices = random(5 + seed as usize % 20, seed);
            let costs = all_cliques(&prices, 3).into_iter().map(|clique| prices.repeated(&clique).1);
            let cheapest = costs.fold(f64::INFINITY, f64::min);
            let (pieces, cost) = prices.search(Search::Cliques { pieces: 3 });
            assert!((cost - cheapest).abs() < 1e-9);
            assert!((cost_of(&prices, &pieces) - cost).abs() < 1e-9 && covers(&prices, &pieces));
            // A beam that keeps all of them finds the same; a narrow one nothing cheaper; no clique beats the exact search.
            assert_eq!(prices.search(Search::Beam { pieces: 3, width: 64 }).1, cost);
            let (pieces, narrow) = prices.search(Search::Beam { pieces: 3, width: 2 });
            assert!(narrow >= cost - 1e-9 && covers(&prices, &pieces));
            assert!(prices.search(Search::Exact).1 <= cost + 1e-9);
        }
    }

    #[test]
    fn a_piece_costs_what_the_model_says() {
        // 32 rows, 16 columns: every row of the first strip full, one element in the second.
        let mut elements: Vec<(u32, u32, f32)> =
            (0..16 * 16).map(|place| (place / 16, place % 16, 1.0)).collect();
        elements.push((20, 3, 1.0));
        let matrix = SparseMatrix::from_triplets(32, 16, &elements).unwrap();
        let mut costs = *Costs::default().of(Isa::Scalar, f32::KIND);
        costs.slot = [f64::INFINITY, 3.0, f64::INFINITY, f64::INFINITY];
        (costs.line, costs.tile, costs.switch, costs.sell_line) = (2.0, 1.0, 0.5, 12.0);
        let table = Table::of(&matrix, &costs, 0.0);
        let (packings, cost) = table.piece(0, 1);
        // Nothing at all: 257 elements left over at one each; dense in both: 2 (1 + 16 x 2) = 66. The second strip
        // leaves its element over for 1, and a jump: 33 + 1.5.
        assert_eq!(packings, [Packing { bits: DENSE, slots: 16 }, Packing { bits: 4, slots: 0 }]);
        assert!((cost - 34.5).abs() < 1e-9, "{cost}");
    }

    #[test]
    fn what_is_found_is_what_is_packed() {
        let mut share = shares(4);
        let places = (0..64 * 200).map(|place| (place / 200, place % 200, 1.0f32));
        let elements: Vec<(u32, u32, f32)> = places.filter(|_| share() < 0.2).collect();
        let matrix = SparseMatrix::from_triplets(64, 200, &elements).unwrap();
        let costs = Costs::default();
        let table = Table::of(&matrix, costs.of(Isa::Avx512, f32::KIND), 0.0);
        let prices = table.prices();
        let (pieces, cost) = prices.search(Search::Exact);
        let packed: f64 =
            pieces.iter().map(|piece| table.piece(piece.column / prices.unit, piece.width).1).sum();
        assert!((packed - cost).abs() < 1e-9 * cost, "{packed} for {cost}");
    }
}
