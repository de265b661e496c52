//! Matrices from Matrix Market files: coordinate and array formats of real, integer and pattern matrices.
//!
//! Boisvert, Pozo, Remington, "The Matrix Market Exchange Formats: Initial Design", NISTIR 5935 (1996). Symmetric and
//! skew-symmetric matrices are completed. Elements of the same place, which the format does not forbid, are added.
//! Complex matrices are refused.

use super::element::Number;
use super::error::SparseError;
use super::matrix::{SparseMatrix, check_size};
use std::io::BufRead;

/// The elements below the diagonal of a file are also above it.
#[derive(Clone, Copy, PartialEq)]
enum Symmetry {
    General,
    Symmetric,
    Skew,
}

/// Elements that are made room for before they are seen: a file may promise more than it has.
const PROMISED: usize = 1 << 20;

/// Rows that may all be empty.
const ROWS_WITHOUT_ELEMENTS: usize = 1 << 24;

/// Elements that a dense file may have, and that symmetry may complete: as many as row pointers can count anyway.
const MOST: usize = 1 << 31;

impl<T: Number> SparseMatrix<T> {
    /// Reads a matrix in the Matrix Market format. Numbers that `T` cannot hold (for i16: fractions, and what is beyond
    /// -32768 to 32767) are refused; f32 rounds.
    pub fn from_matrix_market(input: impl BufRead) -> Result<Self, SparseError> {
        let mut lines = Lines { input, number: 0, text: String::new() };
        let (dense, pattern, symmetry) = header(&mut lines)?;
        let sizes = lines
            .content()?
            .map(|line| line.split_whitespace().map_while(|word| word.parse().ok()).collect::<Vec<usize>>());
        let sizes = sizes.ok_or_else(|| wrong(lines.number, "the line of sizes is missing"))?;
        let (rows, cols, count) = match (dense, sizes.as_slice()) {
            (false, &[rows, cols, count]) => (rows, cols, count),
            (true, &[rows, cols]) => (rows, cols, rows.saturating_mul(cols)),
            _ => {
                let cause = if dense {
                    "two sizes are expected: rows, columns"
                } else {
                    "three sizes are expected: rows, columns, elements"
                };
                return Err(wrong(lines.number, cause));
            }
        };
        check_size(rows, cols)?;
        if symmetry != Symmetry::General && rows != cols {
            return Err(wrong(lines.number, "a symmetric matrix has as many rows as columns"));
        }
        if count > MOST {
            return Err(wrong(lines.number, "more elements than memory can hold; split the matrix by rows"));
        }
        let mut elements: Vec<(u32, u32, f64)> = Vec::with_capacity(count.min(PROMISED));
        let places = Places { dense, symmetry, rows, cols };
        match dense {
            true => places.array(&mut lines, &mut elements)?,
            false => places.coordinates(&mut lines, count, pattern, &mut elements)?,
        }
        if lines.content()?.is_some() {
            return Err(wrong(lines.number, "there is more after the last element"));
        }
        // A few bytes must not claim gigabytes of row pointers.
        if rows > ROWS_WITHOUT_ELEMENTS.saturating_add(64 * elements.len()) {
            return Err(wrong(lines.number, "more empty rows than memory can hold; leave them out"));
        }
        elements.sort_by_key(|&(row, column, _)| (row, column));
        elements.dedup_by(|more, first| {
            let same = (more.0, more.1) == (first.0, first.1);
            if same {
                first.2 += more.2;
            }
            same
        });
        let number = lines.number;
        let typed = elements.into_iter().map(|(row, column, value)| {
            let typed = T::from_number(value);
            let cause = || format!("{value} in row {} cannot be held as {}", row + 1, T::KIND.name());
            typed.map(|value| (row, column, value)).ok_or_else(|| wrong(number, &cause()))
        });
        Self::from_triplets(rows, cols, &typed.collect::<Result<Vec<_>, _>>()?)
    }
}

fn wrong(line: u64, cause: &str) -> SparseError {
    SparseError::Market { line, cause: cause.to_owned() }
}

/// The lines of a file, numbered.
struct Lines<R> {
    input: R,
    number: u64,
    text: String,
}

impl<R: BufRead> Lines<R> {
    fn next(&mut self) -> Result<Option<&str>, SparseError> {
        self.text.clear();
        self.number += 1;
        match self.input.read_line(&mut self.text) {
            Ok(0) => Ok(None),
            Ok(_) => Ok(Some(self.text.trim())),
            Err(error) => Err(wrong(self.number, &format!("it cannot be read: {error}"))),
        }
    }

    /// The next line that is neither empty nor a comment.
    fn content(&mut self) -> Result<Option<&str>, SparseError> {
        loop {
            match self.next()? {
                None => return Ok(None),
                Some(line) if line.is_empty() || line.starts_with('%') => {}
                // Borrowed again: the checker does not see that the loop ends here.
                Some(_) => return Ok(Some(self.text.trim())),
            }
        }
    }
}

/// Whether the file is dense, whether it has places only, and its symmetry.
fn header<R: BufRead>(lines: &mut Lines<R>) -> Result<(bool, bool, Symmetry), SparseError> {
    const EXPECTED: &str = "the first line is to be: %%MatrixMarket matrix coordinate|array real|integer|pattern general|symmetric|skew-symmetric";
    let line = lines.next()?.unwrap_or("").to_ascii_lowercase();
    let words: Vec<&str> = line.split_whitespace().collect();
    let &["%%matrixmarket", "matrix", format, field, symmetry] = words.as_slice() else {
        return Err(wrong(1, EXPECTED));
    };
    let dense = match format {
        "coordinate" => false,
        "array" => true,
        _ => return Err(wrong(1, EXPECTED)),
    };
    let pattern = match field {
        "real" | "double" | "integer" => false,
        "pattern" if !dense => true,
        "complex" => {
            return Err(wrong(1, "complex matrices cannot be read; store real and imaginary part apart"));
        }
        _ => return Err(wrong(1, EXPECTED)),
    };
    let symmetry = match symmetry {
        "general" => Symmetry::General,
        "symmetric" => Symmetry::Symmetric,
        "skew-symmetric" => Symmetry::Skew,
        "hermitian" => return Err(wrong(1, "Hermitian matrices cannot be read; a real one is symmetric")),
        _ => return Err(wrong(1, EXPECTED)),
    };
    Ok((dense, pattern, symmetry))
}

/// The places of the elements.
struct Places {
    dense: bool,
    symmetry: Symmetry,
    rows: usize,
    cols: usize,
}

impl Places {
    /// Adds an element, and its image in the diagonal.
    fn add(
        &self,
        row: usize,
        column: usize,
        value: f64,
        line: u64,
        to: &mut Vec<(u32, u32, f64)>,
    ) -> Result<(), SparseError> {
        // Dense files name zeros, too.
        if !self.dense || value != 0.0 {
            to.push((row as u32, column as u32, value));
        }
        if self.symmetry == Symmetry::General || row == column {
            if self.symmetry == Symmetry::Skew && value != 0.0 {
                return Err(wrong(line, "a skew-symmetric matrix has nothing on its diagonal"));
            }
            return Ok(());
        }
        if row < column {
            return Err(wrong(
                line,
                "of a symmetric matrix only the diagonal and what is below it is stored",
            ));
        }
        let image = if self.symmetry == Symmetry::Skew { -value } else { value };
        if !self.dense || value != 0.0 {
            to.push((column as u32, row as u32, image));
        }
        Ok(())
    }

    /// A place and a value to a line.
    fn coordinates<R: BufRead>(
        &self,
        lines: &mut Lines<R>,
        count: usize,
        pattern: bool,
        to: &mut Vec<(u32, u32, f64)>,
    ) -> Result<(), SparseError> {
        for done in 0..count {
            let number = lines.number + 1;
            let Some(line) = lines.content()? else {
                return Err(wrong(number, &format!("the file ends after {done} of {count} elements")));
            };
            let words: Vec<&str> = line.split_whitespace().collect();
            let parsed = match (words.as_slice(), pattern) {
                (&[row, column], true) => Some((row, column, "1")),
                (&[row, column, value], false) => Some((row, column, value)),
                _ => None,
            };
            let numbers = parsed.and_then(|(row, column, value)| {
                Some((row.parse::<usize>().ok()?, column.parse::<usize>().ok()?, value.parse::<f64>().ok()?))
            });
            let number = lines.number;
            let Some((row, column, value)) = numbers else {
                let cause = if pattern {
                    "a row and a column are expected"
                } else {
                    "a row, a column and a value are expected"
                };
                return Err(wrong(number, cause));
            };
            if !(1..=self.rows).contains(&row) || !(1..=self.cols).contains(&column) {
                let (rows, cols) = (self.rows, self.cols);
                let cause = format!(
                    "row {row}, column {column} is not in a {rows} x {cols} matrix; both count from 1"
                );
                return Err(wrong(number, &cause));
            }
            self.add(row - 1, column - 1, value, number, to)?;
        }
        Ok(())
    }

    /// Values only, column by column; of symmetric matrices from the diagonal on, of skew ones below it.
    fn array<R: BufRead>(
        &self,
        lines: &mut Lines<R>,
        to: &mut Vec<(u32, u32, f64)>,
    ) -> Result<(), SparseError> {
        let columns = if self.rows == 0 { 0 } else { self.cols };
        for column in 0..columns {
            let first = match self.symmetry {
                Symmetry::General => 0,
                Symmetry::Symmetric => column,
                Symmetry::Skew => column + 1,
            };
            for row in first..self.rows {
                let next = lines.content()?.map(str::parse::<f64>);
                let number = lines.number;
                match next {
                    Some(Ok(value)) => self.add(row, column, value, number, to)?,
                    Some(Err(_)) => return Err(wrong(number, "one number is expected")),
                    None => {
                        let cause = format!("the file ends before row {}, column {}", row + 1, column + 1);
                        return Err(wrong(number, &cause));
                    }
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read<T: Number>(text: &str) -> Result<SparseMatrix<T>, String> {
        SparseMatrix::from_matrix_market(text.as_bytes()).map_err(|error| error.to_string())
    }

    fn elements<T: Number>(matrix: &SparseMatrix<T>) -> Vec<(usize, u32, T)> {
        (0..matrix.rows()).flat_map(|row| matrix.row(row).map(move |(c, a)| (row, c, a))).collect()
    }

    const GENERAL: &str =
        "%%MatrixMarket matrix coordinate real general\n% a comment\n\n2 3 3\n2 3 -1.5e1\n1 1 2\n2 3 1\n";

    #[test]
    fn formats_are_read() {
        let matrix = read::<f32>(GENERAL).unwrap();
        assert_eq!((matrix.rows(), matrix.cols()), (2, 3));
        assert_eq!(elements(&matrix), [(0, 0, 2.0), (1, 2, -14.0)]);
        let symmetric = "%%MatrixMarket matrix coordinate integer symmetric\n2 2 2\n1 1 7\n2 1 -3\n";
        assert_eq!(elements(&read::<i16>(symmetric).unwrap()), [(0, 0, 7), (0, 1, -3), (1, 0, -3)]);
        let skew = "%%matrixmarket MATRIX array real skew-symmetric\n2 2\n4\n";
        assert_eq!(elements(&read::<f64>(skew).unwrap()), [(0, 1, -4.0), (1, 0, 4.0)]);
        let pattern = "%%MatrixMarket matrix coordinate pattern general\n1 9 1\n1 9\n";
        assert_eq!(elements(&read::<f64>(pattern).unwrap()), [(0, 8, 1.0)]);
        let array = "%%MatrixMarket matrix array real general\n2 2\n1\n0\n0\n4\n";
        assert_eq!(elements(&read::<f32>(array).unwrap()), [(0, 0, 1.0), (1, 1, 4.0)]);
    }

    #[test]
    fn faults_are_named_with_their_line() {
        let begin = "%%MatrixMarket matrix coordinate real general\n";
        let refused = |rest: &str| read::<f32>(&format!("{begin}{rest}")).unwrap_err();
        assert!(read::<f32>("").unwrap_err().starts_with("line 1: the first line is to be"));
        assert_eq!(refused(""), "line 2: the line of sizes is missing");
        assert_eq!(refused("2 2\n"), "line 2: three sizes are expected: rows, columns, elements");
        assert_eq!(refused("2 2 1\n"), "line 3: the file ends after 0 of 1 elements");
        assert_eq!(refused("2 2 1\n1 x 1\n"), "line 3: a row, a column and a value are expected");
        assert!(refused("2 2 1\n0 1 1\n").starts_with("line 3: row 0, column 1 is not in a 2 x 2 matrix"));
        assert_eq!(refused("1 1 1\n1 1 1\n1 1 1\n"), "line 4: there is more after the last element");
        assert!(refused("9999999999 1 0\n").contains("too large"));
        assert!(refused("2 2 99999999999999\n").starts_with("line 2: more elements"));
        assert!(read::<i16>(GENERAL).is_ok());
        let fraction = GENERAL.replace("1 1 2", "1 1 2.5");
        assert!(read::<i16>(&fraction).unwrap_err().ends_with("2.5 in row 1 cannot be held as i16"));
        let complex = "%%MatrixMarket matrix coordinate complex general\n";
        assert!(read::<f64>(complex).unwrap_err().starts_with("line 1: complex matrices"));
    }

    #[test]
    fn changed_files_never_panic() {
        for at in 0..GENERAL.len() {
            for byte in [b' ', b'\n', b'0', b'9', b'-', b'%', 0xff] {
                let mut changed = GENERAL.as_bytes().to_vec();
                changed[at] = byte;
                let _ = SparseMatrix::<f32>::from_matrix_market(changed.as_slice());
                let _ = SparseMatrix::<i16>::from_matrix_market(&changed[..at]);
            }
        }
    }
}
