//! From compressed rows to tiles and what is left over.

use super::element::Number;
use super::error::SparseError;
use super::matrix::SparseMatrix;
use super::partition::{Packing, Piece, Table};
use super::sell::Sell;
use super::tiles::{DENSE, Head, Tiles, WIDTHS};

/// Tiles by a partition, and the elements that find no place in them.
pub fn pack<T: Number>(
    matrix: &SparseMatrix<T>,
    table: &Table<'_>,
    unit: usize,
    pieces: &[Piece],
    sigma: usize,
) -> Result<(Tiles<T>, Sell<T>), SparseError> {
    let packings: Vec<Vec<Packing>> =
        pieces.iter().map(|piece| table.piece(piece.column / unit, piece.width).0).collect();
    let width = |piece: &Piece| WIDTHS[piece.width];
    build(matrix, pieces, &width, &|piece, strip| packings[piece][strip], sigma)
}

/// Every element in dense tiles.
pub fn dense<T: Number>(matrix: &SparseMatrix<T>) -> Result<(Tiles<T>, Sell<T>), SparseError> {
    const WIDEST: usize = WIDTHS.len() - 1;
    let starts = (0..matrix.cols()).step_by(WIDTHS[WIDEST]);
    let pieces: Vec<Piece> = starts.map(|column| Piece { column, width: WIDEST }).collect();
    let packing = |piece: usize, _| {
        let columns = (matrix.cols() - pieces[piece].column).min(WIDTHS[WIDEST]);
        Packing { bits: DENSE, slots: columns.div_ceil(T::PER_ROW) as u16 }
    };
    build(matrix, &pieces, &|_| WIDTHS[WIDEST], &packing, 1)
}

fn build<T: Number>(
    matrix: &SparseMatrix<T>,
    pieces: &[Piece],
    width: &dyn Fn(&Piece) -> usize,
    packing: &dyn Fn(usize, usize) -> Packing,
    sigma: usize,
) -> Result<(Tiles<T>, Sell<T>), SparseError> {
    let mut tiles = Tiles::new(matrix.rows(), matrix.cols());
    let mut left: Vec<(u32, u32, T)> = Vec::new();
    let mut elements: Vec<Vec<(u32, T)>> = vec![Vec::new(); T::ROWS];
    for strip in 0..matrix.rows().div_ceil(T::ROWS) {
        let first = strip * T::ROWS;
        let mut rows: Vec<_> =
            (first..matrix.rows().min(first + T::ROWS)).map(|row| matrix.row(row).peekable()).collect();
        for (number, piece) in pieces.iter().enumerate() {
            let (begin, end) = (piece.column as u32, (piece.column + width(piece)) as u32);
            elements.iter_mut().for_each(Vec::clear);
            for (row, elements) in rows.iter_mut().zip(&mut elements) {
                while let Some((column, value)) = row.next_if(|(column, _)| *column < end) {
                    elements.push((column - begin, value));
                }
            }
            let Packing { bits, slots } = packing(number, strip);
            if slots == 0 {
                for (row, elements) in elements.iter().enumerate() {
                    let row = (first + row) as u32;
                    left.extend(elements.iter().map(|&(column, value)| (row, begin + column, value)));
                }
                continue;
            }
            let beyond = tiles.push(Head { column: begin, slots, bits }, &elements);
            left.extend(beyond.into_iter().map(|(row, column, value)| ((first + row) as u32, column, value)));
        }
        tiles.end_strip();
    }
    let left = SparseMatrix::from_triplets(matrix.rows(), matrix.cols(), &left)?;
    Ok((tiles, Sell::pack(&left, sigma)))
}
