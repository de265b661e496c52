//! The communication matrix as comma-separated values: a line `from,to,messages,bytes`, then such numbers.
//!
//! The text is untrusted. Its size is bounded by whoever reads the file; here every line is checked, and no number makes this reserve
//! more than the text is long.

use crate::matrix::{CommunicationMatrix, MOST_RANKS, MatrixError, Sent};

/// The first line.
pub const HEADER: &str = "from,to,messages,bytes";

/// Why a text is no communication matrix.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CsvError {
    /// The first line is another one.
    #[error("line 1 is not `{HEADER}`; write that line first")]
    Header,
    /// A line that does not have four whole numbers.
    #[error("line {line}: `{text}` are not four whole numbers {HEADER}")]
    Line {
        /// Its number, from 1.
        line: usize,
        /// Its beginning.
        text: String,
    },
    /// A rank beyond the largest machine.
    #[error("line {line}: rank {rank} is too large; ranks are below {MOST_RANKS}")]
    Rank {
        /// The line's number, from 1.
        line: usize,
        /// The rank.
        rank: u32,
    },
    /// The entries are no matrix.
    #[error(transparent)]
    Matrix(#[from] MatrixError),
}

/// Characters of a line that an error shows.
const SHOWN: usize = 60;

/// Reads a matrix. The job has as many ranks as the largest one that occurs requires.
///
/// # Errors
/// When the first line or another one is not as described.
pub fn parse(text: &[u8]) -> Result<CommunicationMatrix, CsvError> {
    let mut lines = text.split(|byte| *byte == b'\n').enumerate();
    // A byte order mark is what spreadsheets write.
    let first = lines.next().map_or(&[][..], |(_, line)| line);
    let first = String::from_utf8_lossy(first.strip_prefix(b"\xef\xbb\xbf").unwrap_or(first));
    if !first.split(',').map(|name| name.trim().trim_matches('"')).eq(HEADER.split(',')) {
        return Err(CsvError::Header);
    }
    let mut sent = Vec::new();
    let mut ranks = 0;
    for (index, line) in lines {
        let line_number = index + 1;
        if line.trim_ascii().is_empty() {
            continue;
        }
        let one = entry(line).ok_or_else(|| CsvError::Line {
            line: line_number,
            text: String::from_utf8_lossy(line).trim().chars().take(SHOWN).collect(),
        })?;
        let rank = one.from.max(one.to);
        if rank >= MOST_RANKS {
            return Err(CsvError::Rank { line: line_number, rank });
        }
        ranks = ranks.max(rank + 1);
        sent.push(one);
    }
    Ok(CommunicationMatrix::new(ranks, sent)?)
}

fn entry(line: &[u8]) -> Option<Sent> {
    let mut fields = std::str::from_utf8(line).ok()?.split(',').map(str::trim);
    let mut next = || fields.next();
    let (from, to) = (next()?.parse().ok()?, next()?.parse().ok()?);
    let (messages, bytes) = (next()?.parse().ok()?, next()?.parse().ok()?);
    fields.next().is_none().then_some(Sent { from, to, messages, bytes })
}

/// Writes a matrix as [`parse`] reads it.
pub fn write(matrix: &CommunicationMatrix) -> String {
    let mut out = format!("{HEADER}\n");
    for Sent { from, to, messages, bytes } in matrix.sent() {
        out.push_str(&format!("{from},{to},{messages},{bytes}\n"));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lines_become_entries() {
        let text = "\u{feff}from, to, \"messages\",bytes\r\n3,0,2,100\r\n\n 0 , 1 , 1 , 7 \n";
        let matrix = parse(text.as_bytes()).unwrap();
        assert_eq!(matrix.ranks(), 4);
        assert_eq!(write(&matrix), "from,to,messages,bytes\n0,1,1,7\n3,0,2,100\n");
    }

    #[test]
    fn an_error_names_the_line() {
        let said = |text: &[u8]| parse(text).unwrap_err().to_string();
        assert_eq!(said(b""), "line 1 is not `from,to,messages,bytes`; write that line first");
        assert_eq!(said(b"0,1,2,3\n"), said(b""));
        assert!(said(b"from,to,messages,bytes\n0,1,2\n").starts_with("line 2: `0,1,2` are not four"));
        assert!(said(b"from,to,messages,bytes\n\n0,-1,2,3\n").starts_with("line 3: "));
        assert!(said(b"from,to,messages,bytes\n0,4000000000,2,3\n").contains("rank 4000000000 is too large"));
        assert!(said(b"from,to,messages,bytes\n").contains("no entry"));
        assert!(said(b"from,to,messages,bytes\n\xff\xff,1,2,3\n").starts_with("line 2: "));
        assert!(said(&[b"from,to,messages,bytes\n".as_slice(), &[b'x'; 4000]].concat()).len() < 150);
    }

    proptest! {
        #[test]
        fn any_bytes_end_without_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            let _ = parse(&bytes);
            let _ = parse(&[HEADER.as_bytes(), b"\n", &bytes].concat());
        }

        #[test]
        fn a_real_text_with_a_byte_changed_ends_without_a_panic(at in 0usize..60, byte in any::<u8>()) {
            let mut text = b"from,to,messages,bytes\n0,1,10,1000\n1,0,10,1000\n1,2,3,4\n".to_vec();
            let length = text.len();
            text[at % length] = byte;
            if let Ok(matrix) = parse(&text) {
                prop_assert_eq!(parse(write(&matrix).as_bytes()), Ok(matrix));
            }
        }
    }
}
