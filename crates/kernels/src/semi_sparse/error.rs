//! What can be wrong with a matrix, its vectors, its stored form or its file.

use crate::error::IsaError;
use thiserror::Error;

/// Why a sparse matrix cannot be made, planned, loaded or multiplied.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SparseError {
    /// The level cannot run here.
    #[error(transparent)]
    Isa(#[from] IsaError),
    /// The row pointers do not fit the matrix.
    #[error("row pointers: {cause}; pass {expected} of them, rising from 0 to the number of values")]
    Pointers {
        /// What is wrong.
        cause: String,
        /// Rows and one more.
        expected: u64,
    },
    /// There are more or fewer column numbers than values.
    #[error("{columns} column numbers for {values} values; pass one for each")]
    Lengths {
        /// Column numbers given.
        columns: u64,
        /// Values given.
        values: u64,
    },
    /// An element is outside the matrix.
    #[error("row {row} has an element in column {column} of {columns}; columns count from 0")]
    Column {
        /// Row of the element, from 0.
        row: u64,
        /// Column of the element, as given.
        column: u64,
        /// Columns of the matrix.
        columns: u64,
    },
    /// The columns of a row do not rise.
    #[error(
        "row {row}: column {column} comes after a column that is not smaller; sort each row, add duplicates"
    )]
    Order {
        /// Row of the element, from 0.
        row: u64,
        /// The column that is out of order.
        column: u64,
    },
    /// Rows or columns are too many for 32-bit numbers.
    #[error("{rows} x {columns} is too large; up to 2^31 - 1 rows and columns are supported")]
    Size {
        /// Number of rows that were requested.
        rows: u64,
        /// Number of columns that were requested.
        columns: u64,
    },
    /// A vector has the wrong length.
    #[error("{which} has {length} elements where the matrix needs {expected}")]
    Vector {
        /// `x` or `y`.
        which: &'static str,
        /// Elements given.
        length: u64,
        /// Elements needed.
        expected: u64,
    },
    /// Costs with which nothing can be compared.
    #[error(
        "the cost {which} is {value}; costs are nanoseconds above 0, infinity where something is not to be used"
    )]
    Cost {
        /// Which cost.
        which: &'static str,
        /// Its value, as text.
        value: String,
    },
    /// A search that can find nothing.
    #[error("a search with {which} 0 finds nothing; ask for 1 or more")]
    Search {
        /// Which limit.
        which: &'static str,
    },
    /// There are too many cliques of `pieces` pieces to try all.
    #[error(
        "there are too many cliques of {pieces} pieces to try; ask for {most} or fewer, or search with a beam"
    )]
    Pieces {
        /// Requested number of pieces.
        pieces: u64,
        /// The largest supported number.
        most: u64,
    },
    /// A stored plan that cannot be loaded.
    #[error("the stored matrix cannot be loaded: {cause}; store it again with this version")]
    Stored {
        /// What is wrong.
        cause: String,
    },
    /// A Matrix Market file that cannot be read.
    #[error("line {line}: {cause}")]
    Market {
        /// Line, from 1.
        line: u64,
        /// What is wrong and what would be right.
        cause: String,
    },
}
