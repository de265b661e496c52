//! Planning: which form a matrix is put into, by model or by measurement.

use super::costs::{Costs, Levels};
use super::dispatch::Element;
use super::error::SparseError;
use super::interleaved;
use super::matrix::SparseMatrix;
use super::pack;
use super::partition::{Search, Table};
use super::product::{Body, SemiSparse};
use super::sell::Sell;
use super::slide::{self, Slide};
use crate::isa::Isa;
use std::time::Instant;

/// A form that a matrix can be put into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Tiles with relocation hints; what finds no place there in SELL-C-sigma.
    Tiles,
    /// SELL-C-sigma.
    Sell,
    /// Compressed rows.
    Csr,
    /// Every element, zero or not.
    Dense,
    /// Windows that slide over the columns; what finds no place there in SELL-C-sigma.
    Windows,
}

impl Form {
    /// Every form.
    pub const ALL: [Form; 5] = [Form::Tiles, Form::Sell, Form::Csr, Form::Dense, Form::Windows];

    /// The form's name.
    pub const fn name(self) -> &'static str {
        match self {
            Form::Tiles => "tiles",
            Form::Sell => "SELL-C-sigma",
            Form::Csr => "CSR",
            Form::Dense => "dense",
            Form::Windows => "windows",
        }
    }
}

/// How the form is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// The one that is cheapest by [`Costs`].
    Modelled,
    /// The fastest, measured on this machine at this moment: all forms are made that the model expects within three
    /// times the cheapest. Takes some milliseconds, and may choose differently from run to run.
    Measured,
    /// This one.
    Fixed(Form),
}

/// How to plan.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Which form.
    pub choice: Choice,
    /// How rows are cut into pieces.
    pub search: Search,
    /// What the machine's costs are.
    pub costs: Costs,
    /// The level to plan for; the best one ([`Isa::best`]) when none is named. The plan runs at any level.
    pub isa: Option<Isa>,
    /// Rows among which SELL-C-sigma sorts by length.
    pub sigma: usize,
    /// Vectors that will be multiplied at once: compressed rows multiply several almost as fast as one.
    /// [`Choice::Measured`] times the forms with as many, up to 16.
    pub vectors: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            choice: Choice::Modelled,
            search: Search::Exact,
            costs: Costs::active().clone(),
            isa: None,
            sigma: 1024,
            vectors: 1,
        }
    }
}

/// Vectors that forms are timed with at most.
const MOST_VECTORS: usize = 16;
/// Cliques of more pieces than this take too long to try.
const MOST_PIECES: usize = 8;

impl Options {
    fn check<T: Element>(&self, isa: Isa) -> Result<(), SparseError> {
        self.costs.check::<T>(isa)?;
        match self.search {
            Search::Cliques { pieces: 0 } | Search::Beam { pieces: 0, .. } => {
                Err(SparseError::Search { which: "pieces" })
            }
            Search::Beam { width: 0, .. } => Err(SparseError::Search { which: "width" }),
            Search::Cliques { pieces } if pieces > MOST_PIECES => {
                Err(SparseError::Pieces { pieces: pieces as u64, most: MOST_PIECES as u64 })
            }
            _ => Ok(()),
        }
    }
}

/// What each form is expected to take, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The form that the estimate is for.
    pub form: Form,
    /// One product, expected; of several vectors ([`Options::vectors`]) a vector's share.
    pub nanoseconds: f64,
}

/// A matrix on its way into a form.
pub(super) struct Planner<'a, T> {
    matrix: &'a SparseMatrix<T>,
    options: &'a Options,
    isa: Isa,
    /// Those of the options, with each form's at the level at which it will run.
    costs: Costs,
}

impl<'a, T: Element> Planner<'a, T> {
    pub fn new(matrix: &'a SparseMatrix<T>, options: &'a Options) -> Result<Self, SparseError> {
        let isa = options.isa.unwrap_or_else(Isa::best).require()?;
        options.check::<T>(isa)?;
        let levels = options.isa.map_or_else(|| Levels::best(T::KIND), Levels::from);
        let mut costs = options.costs.clone();
        *costs.of_mut(isa, T::KIND) = costs.at(levels, T::KIND);
        Ok(Planner { matrix, options, isa, costs })
    }

    pub fn plan(&self) -> Result<SemiSparse<T>, SparseError> {
        match self.options.choice {
            Choice::Fixed(form) => self.build(form),
            Choice::Modelled => match self.estimates().first() {
                Some(best) => self.build(best.form),
                None => self.build(Form::Csr),
            },
            Choice::Measured => self.fastest(),
        }
    }

    fn build(&self, form: Form) -> Result<SemiSparse<T>, SparseError> {
        let (matrix, sigma) = (self.matrix, self.options.sigma);
        let body = match form {
            Form::Tiles => {
                let table = self.table();
                let prices = table.prices();
                let (pieces, _) = prices.search(self.options.search);
                let (tiles, left) = pack::pack(matrix, &table, prices.unit, &pieces, sigma)?;
                Body::Tiles { tiles, left }
            }
            Form::Windows => {
                let slide = self.slide().map(|(slide, _)| slide);
                let slide = slide.unwrap_or_else(|| Slide::of(T::shapes(self.isa)[0], 0.0, 0.0));
                let (windows, left) = slide::pack(matrix, &slide, sigma)?;
                Body::Windows { windows, left }
            }
            Form::Dense => {
                let (tiles, left) = pack::dense(matrix)?;
                Body::Tiles { tiles, left }
            }
            Form::Sell => Body::Sell(Sell::pack(matrix, sigma)),
            Form::Csr => Body::Csr(matrix.clone()),
        };
        Ok(SemiSparse::of(form, matrix.nnz(), body))
    }

    fn table(&self) -> Table<'_> {
        let costs = self.costs.of(self.isa, T::KIND);
        // About as much as the packed form will have: a third is padding and hints.
        let bytes = (self.matrix.nnz() * T::BYTES) * 3 / 2;
        Table::of(self.matrix, costs, self.costs.byte_of(bytes))
    }

    /// The cheapest windows, and what they are expected to take; none where no width of the level's can be used.
    fn slide(&self) -> Option<(Slide, f64)> {
        slide::cheapest(self.matrix, T::shapes(self.isa), self.isa, &self.costs)
    }

    /// The forms, cheapest first.
    pub fn estimates(&self) -> Vec<Estimate> {
        let costs = &self.costs;
        let types = costs.of(self.isa, T::KIND);
        let (rows, cols, nnz) = (self.matrix.rows(), self.matrix.cols(), self.matrix.nnz());
        let slower = |work: f64, bytes: usize| work.max(bytes as f64 * costs.byte_of(bytes));
        let strips = rows.div_ceil(T::ROWS);

        let tiles = self.table().prices().search(self.options.search).1;
        let windows = self.slide().map_or(f64::INFINITY, |(_, nanoseconds)| nanoseconds);
        let lines = strips * cols.div_ceil(T::PER_ROW);
        let dense = slower(lines as f64 * types.line, 64 * lines);
        let sell_lines = Sell::lines_of(self.matrix, self.options.sigma);
        let column = if cols <= 1 << 16 { 2 } else { 4 };
        let sell = slower(
            sell_lines as f64 * types.sell_line + strips as f64 * types.sell_chunk,
            sell_lines * T::ROWS * (T::BYTES + column),
        );
        let csr = slower(
            nnz as f64 * types.csr_element + rows as f64 * types.csr_row,
            nnz * (T::BYTES + 4) + 8 * rows,
        );
        let csr = self.of_vectors(csr);
        let mut estimates = [
            (Form::Windows, windows),
            (Form::Tiles, tiles),
            (Form::Sell, sell),
            (Form::Csr, csr),
            (Form::Dense, dense),
        ]
        .map(|(form, nanoseconds)| Estimate { form, nanoseconds });
        estimates.sort_by(|a, b| a.nanoseconds.total_cmp(&b.nanoseconds));
        estimates.to_vec()
    }

    /// A vector's share of compressed rows' products with several, when one takes `one`.
    fn of_vectors(&self, one: f64) -> f64 {
        let costs = &self.costs;
        let types = costs.of(self.isa, T::KIND);
        let (rows, cols, nnz) = (self.matrix.rows(), self.matrix.cols(), self.matrix.nnz());
        // A line of `x` for each element, and the matrix once.
        let lines = nnz as f64 * types.block_element.max(64.0 * costs.byte_of(64 * cols));
        let bytes = nnz * (T::BYTES + 4);
        let work = lines.max(bytes as f64 * costs.byte_of(bytes));
        let (mut left, mut all) = (self.options.vectors.max(1), 0.0);
        while left >= interleaved::FEWEST {
            let some = left.min(interleaved::lanes::<T>());
            all += work + (some * (rows + cols)) as f64 * types.block_turn;
            left -= some;
        }
        (all + left as f64 * one) / self.options.vectors.max(1) as f64
    }

    /// Multiplies as users will: at the level that is planned for, if one is named.
    fn multiply(
        &self,
        plan: &SemiSparse<T>,
        count: usize,
        x: &[T],
        y: &mut [T::Sum],
    ) -> Result<(), SparseError> {
        match self.options.isa {
            Some(isa) => plan.multiply_batch_with(isa, count, x, y),
            None => plan.multiply_batch(count, x, y),
        }
    }

    fn fastest(&self) -> Result<SemiSparse<T>, SparseError> {
        let estimates = self.estimates();
        let limit = 3.0 * estimates.first().map_or(0.0, |best| best.nanoseconds);
        let likely = estimates.iter().filter(|estimate| estimate.nanoseconds <= limit);
        let mut plans = likely.map(|e| self.build(e.form)).collect::<Result<Vec<_>, _>>()?;
        // More vectors share no more than some do.
        let count = self.options.vectors.clamp(1, MOST_VECTORS);
        let x = vec![T::from_number(1.0).unwrap_or_default(); count * self.matrix.cols()];
        let mut y = vec![T::Sum::default(); count * self.matrix.rows()];
        let mut shortest = vec![f64::INFINITY; plans.len()];
        // In turn, so that a disturbance meets all alike. Each runs twice and only the second time counts, since the forms
        // drive each other out of the caches. The minimum is the least disturbed.
        for _ in 0..8 {
            for (plan, shortest) in plans.iter().zip(&mut shortest) {
                self.multiply(plan, count, &x, &mut y)?;
                let begin = Instant::now();
                self.multiply(plan, count, &x, &mut y)?;
                *shortest = shortest.min(begin.elapsed().as_secs_f64());
            }
        }
        let best = (0..plans.len()).min_by(|&a, &b| shortest[a].total_cmp(&shortest[b]));
        match best {
            Some(best) => Ok(plans.swap_remove(best)),
            None => self.build(Form::Csr),
        }
    }
}
