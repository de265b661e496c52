//! How a row is cut into pieces: the search for the cheapest partition.
//!
//! All rows share one partition. A piece is one of the four widths of tiles; what it costs over all strips is a
//! [`Table`]. The exact search is dynamic programming over the columns: the cheapest way to cover the first `n` units
//! ends with some piece, before which stands the cheapest way to cover the rest. A *clique* is a few pieces that repeat
//! along the row; the cheapest of limited length is found by trying all, or by a beam that keeps the best few of each
//! length.

use super::costs::TypeCosts;
use super::element::Element;
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
    pub fn of<T: Element>(matrix: &SparseMatrix<T>, costs: &'a TypeCosts, byte: f64) -> Self {
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
        Table { costs, line_bytes: 64.0 * byte, rows_of_strip, per_row, hint_bits, rows, cols, unit, counts }
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
        let left = left as f64 * self.costs.left_over_nanoseconds(self.rows_of_strip);
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
            let cost = self.tile_cost(packing, 0) * strips as f64
                + left as f64 * self.costs.left_over_nanoseconds(self.rows_of_strip);
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
