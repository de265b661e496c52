//! A line of output as text with numbers in it.

/// A number as it is written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Number<'a> {
    /// The characters.
    pub text: &'a str,
    /// The value; NaN and infinities included.
    pub value: f64,
    /// Written without a point and an exponent: counts and identifiers, which have no rounding error.
    pub whole: bool,
}

impl Number<'_> {
    /// Significant decimal digits as written, leading zeros left out.
    pub fn digits(&self) -> u32 {
        let mantissa = self.text.split(['e', 'E', 'd', 'D']).next().unwrap_or_default();
        let digits = mantissa.bytes().filter(u8::is_ascii_digit).skip_while(|digit| *digit == b'0');
        u32::try_from(digits.count()).unwrap_or(u32::MAX)
    }

    /// The value of one unit in the last digit that is written.
    pub fn resolution(&self) -> f64 {
        let (mantissa, exponent) = match self.text.find(['e', 'E', 'd', 'D']) {
            Some(at) => (&self.text[..at], self.text[at + 1..].parse::<i32>().unwrap_or(0)),
            None => (self.text, 0),
        };
        let places = mantissa.find('.').map_or(0, |at| mantissa.len() - at - 1);
        10_f64.powi(exponent.saturating_sub(i32::try_from(places).unwrap_or(i32::MAX)))
    }
}

/// A piece of a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Piece<'a> {
    /// Anything else.
    Text(&'a str),
    /// A number.
    Number(Number<'a>),
}

/// Splits a line. White space separates pieces and is not compared, because its width depends on that of numbers.
pub(crate) fn pieces(line: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    for word in line.split_whitespace() {
        split_word(word, &mut pieces);
    }
    pieces
}

fn split_word<'a>(word: &'a str, pieces: &mut Vec<Piece<'a>>) {
    let mut text_from = 0;
    let mut at = 0;
    while at < word.len() {
        let begins = at == 0 || !continues_a_name(word.as_bytes()[at - 1]);
        if let Some(number) = begins.then(|| number_at(&word[at..])).flatten() {
            if text_from < at {
                pieces.push(Piece::Text(&word[text_from..at]));
            }
            pieces.push(Piece::Number(number));
            at += number.text.len();
            text_from = at;
        } else {
            at += word[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    if text_from < word.len() {
        pieces.push(Piece::Text(&word[text_from..]));
    }
}

/// Digits directly behind these are part of a word or of a number that was not read as one (`x86`, `1.2.3`).
fn continues_a_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'.' || !byte.is_ascii()
}

/// The number that `text` begins with. Hexadecimal numbers are text: they are hashes and addresses.
fn number_at(text: &str) -> Option<Number<'_>> {
    let bytes = text.as_bytes();
    let sign = usize::from(matches!(bytes.first(), Some(b'+' | b'-')));
    if let Some(length) = special(&text[sign..]) {
        let text = &text[..sign + length];
        return Some(Number { text, value: value(text), whole: false });
    }
    let count =
        |from: usize| bytes[from.min(bytes.len())..].iter().take_while(|b| b.is_ascii_digit()).count();
    let before = count(sign);
    let mut end = sign + before;
    let mut after = 0;
    if bytes.get(end) == Some(&b'.') {
        after = count(end + 1);
        end += 1 + after;
    }
    if before + after == 0 {
        return None;
    }
    let mut whole = !text[..end].contains('.');
    if matches!(bytes.get(end), Some(b'e' | b'E' | b'd' | b'D')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let digits = count(end + 1 + sign);
        if digits > 0 {
            end += 1 + sign + digits;
            whole = false;
        }
    }
    // A letter directly behind makes a word of it: `3D`, `0x7f`, `12abc`.
    let name = bytes.get(end).is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_' || !b.is_ascii());
    // So does a second point: a version or an address.
    let dotted = bytes.get(end) == Some(&b'.') && bytes.get(end + 1).is_some_and(u8::is_ascii_digit);
    let text = &text[..end];
    (!name && !dotted).then(|| Number { text, value: value(text), whole })
}

/// The length of `nan`, `inf` or `infinity`, in any case.
fn special(text: &str) -> Option<usize> {
    let length = text.bytes().take_while(|b| b.is_ascii_alphabetic()).count();
    let known = ["nan", "inf", "infinity"].iter().any(|name| name.eq_ignore_ascii_case(&text[..length]));
    let ends = text.as_bytes().get(length).is_none_or(|b| !b.is_ascii_digit() && *b != b'_');
    (known && ends).then_some(length)
}

/// Rust's own parser, which rounds correctly, reads all forms but Fortran's exponent `D`.
fn value(text: &str) -> f64 {
    let special = text.trim_start_matches(['+', '-']).starts_with(|c: char| c.is_ascii_alphabetic());
    let parsed = if special { text.parse() } else { text.replace(['d', 'D'], "e").parse() };
    parsed.unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(line: &str) -> Vec<f64> {
        let all = pieces(line);
        all.iter().filter_map(|p| if let Piece::Number(n) = p { Some(n.value) } else { None }).collect()
    }

    #[test]
    fn numbers_of_c_fortran_and_rust_are_read() {
        assert_eq!(numbers("sum = 1.5e+03, n=12; -0.25"), [1500.0, 12.0, -0.25]);
        assert_eq!(numbers("  0.1234D+02   -.5d0  7."), [12.34, -0.5, 7.0]);
        assert_eq!(numbers("(1.0,-2.0) [3]"), [1.0, -2.0, 3.0]);
        assert!(numbers("NaN")[0].is_nan() && numbers("-nan")[0].is_nan());
        assert_eq!(numbers("+inf -Infinity"), [f64::INFINITY, f64::NEG_INFINITY]);
    }

    #[test]
    fn names_versions_and_hashes_are_text() {
        for line in ["x86_64 avx2 i7", "0x7fff 12abc 3D", "1.2.3", "nanoseconds info", "inf_norm", "abc.5"] {
            assert_eq!(numbers(line), [0.0; 0], "{line}");
        }
        assert_eq!(pieces("t1=3s"), [Piece::Text("t1=3s")]);
    }

    #[test]
    fn digits_and_resolution_are_those_written() {
        let number = |text| if let [Piece::Number(n)] = pieces(text)[..] { n } else { panic!("{text}") };
        assert_eq!((number("0.00120").digits(), number("0.00120").resolution()), (3, 1e-5));
        assert_eq!((number("-1.25e3").digits(), number("-1.25e3").resolution()), (3, 10.0));
        assert_eq!((number("120").digits(), number("120").resolution()), (3, 1.0));
        assert!(number("120").whole && !number("120.").whole && !number("1e2").whole);
    }
}
