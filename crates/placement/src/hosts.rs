//! Lists of hosts and of numbers as Slurm writes them: `n[1-3,7],login` (sbatch(1), SLURM_JOB_NODELIST) and `16(x3),8`
//! (SLURM_TASKS_PER_NODE); and lists of one host a line.
//!
//! The texts are untrusted: a few characters can stand for any number of hosts, so that their number is bounded before they are made.

use crate::matrix::MOST_RANKS;

/// Longest name of a host: that of the domain name system (RFC 1035) is 255.
const LONGEST: usize = 255;

/// Why a text is no list.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ListError {
    /// Not the form of a list.
    #[error("`{text}` is no list of hosts such as n[1-4,7]")]
    Hosts {
        /// Its beginning.
        text: String,
    },
    /// Not the form of a list of numbers.
    #[error("`{text}` is no number of cores such as 16, 16,8 or 16(x3),8")]
    Numbers {
        /// Its beginning.
        text: String,
    },
    /// More than any machine has.
    #[error("`{text}` are more than {MOST_RANKS} nodes")]
    TooMany {
        /// Its beginning.
        text: String,
    },
}

fn begin(text: &str) -> String {
    text.chars().take(60).collect()
}

/// The hosts of a list in Slurm's form.
///
/// # Errors
/// When it is none, or is too long.
pub fn expand(text: &str) -> Result<Vec<String>, ListError> {
    let wrong = || ListError::Hosts { text: begin(text) };
    let mut hosts = Vec::new();
    for part in parts(text).ok_or_else(wrong)? {
        let mut names = vec![String::new()];
        let mut rest = part;
        while let Some((before, after)) = rest.split_once('[') {
            let (ranges, after) = after.split_once(']').ok_or_else(wrong)?;
            let values = numbers(ranges).ok_or_else(wrong)?;
            let many = names.len().saturating_mul(values.len());
            if many > MOST_RANKS as usize {
                return Err(ListError::TooMany { text: begin(text) });
            }
            names = names
                .iter()
                .flat_map(|name| values.iter().map(move |value| format!("{name}{before}{value}")))
                .collect();
            rest = after;
        }
        names.iter_mut().for_each(|name| name.push_str(rest));
        if !names.iter().all(|name| is_host(name)) {
            return Err(wrong());
        }
        if hosts.len() + names.len() > MOST_RANKS as usize {
            return Err(ListError::TooMany { text: begin(text) });
        }
        hosts.extend(names);
    }
    Ok(hosts)
}

/// The parts between commas that are in no bracket.
fn parts(text: &str) -> Option<Vec<&str>> {
    let (mut found, mut start, mut inside) = (Vec::new(), 0, false);
    for (at, letter) in text.char_indices() {
        match letter {
            '[' if inside => return None,
            '[' => inside = true,
            ']' if !inside => return None,
            ']' => inside = false,
            ',' if !inside => {
                found.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    found.push(&text[start..]);
    (!inside).then_some(found)
}

/// `1-3,07` as its numbers with their leading zeros.
fn numbers(ranges: &str) -> Option<Vec<String>> {
    let mut all = Vec::new();
    for range in ranges.split(',') {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        if !digits(first) || !digits(last) || first.len() > LONGEST {
            return None;
        }
        let (low, high): (u64, u64) = (first.parse().ok()?, last.parse().ok()?);
        if high < low || high - low >= u64::from(MOST_RANKS) || all.len() > MOST_RANKS as usize {
            return None;
        }
        all.extend((low..=high).map(|number| format!("{number:0width$}", width = first.len())));
    }
    Some(all)
}

/// A name that can be written into a launcher's file: no space, no sign that has a meaning there.
fn is_host(name: &str) -> bool {
    let letter = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    !name.is_empty() && name.len() <= LONGEST && name.bytes().all(letter)
}

/// The hosts of a text with one on each line; what follows the name (`slots=16`) is not read, nor are empty lines and comments.
///
/// # Errors
/// When a line does not begin with a host's name, or there are too many.
pub fn lines(text: &str) -> Result<Vec<String>, ListError> {
    let mut hosts = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let name = line.split_whitespace().next().unwrap_or_default();
        if !is_host(name) {
            return Err(ListError::Hosts { text: begin(line) });
        }
        if hosts.len() == MOST_RANKS as usize {
            return Err(ListError::TooMany { text: begin(line) });
        }
        hosts.push(name.to_owned());
    }
    Ok(hosts)
}

/// The numbers of a list such as `16(x3),8`.
///
/// # Errors
/// When it is none, or is too long.
pub fn repeated(text: &str) -> Result<Vec<u32>, ListError> {
    let wrong = || ListError::Numbers { text: begin(text) };
    let mut all = Vec::new();
    for part in text.split(',').map(str::trim) {
        let (number, times) = match part.split_once("(x") {
            Some((number, times)) => (number, times.strip_suffix(')').ok_or_else(wrong)?),
            None => (part, "1"),
        };
        let number: u32 = number.parse().map_err(|_| wrong())?;
        let times: usize = times.parse().map_err(|_| wrong())?;
        if times > MOST_RANKS as usize || all.len() + times > MOST_RANKS as usize {
            return Err(ListError::TooMany { text: begin(text) });
        }
        all.extend(std::iter::repeat_n(number, times));
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn slurm_s_lists_are_expanded() {
        let hosts = |text| expand(text).unwrap().join(" ");
        assert_eq!(hosts("n1"), "n1");
        assert_eq!(hosts("n[1-3,7],login"), "n1 n2 n3 n7 login");
        assert_eq!(hosts("node[008-011]"), "node008 node009 node010 node011");
        assert_eq!(hosts("r[1-2]n[1-2].site,x[09-10]y"), "r1n1.site r1n2.site r2n1.site r2n2.site x09y x10y");
    }

    #[test]
    fn texts_that_are_no_lists_are_refused() {
        for wrong in [
            "", ",", "n[", "n]", "n[1", "n[]", "n[3-1]", "n[a-b]", "n[[1]]", "a b", "a;b", "n[1-2", "n[-1]",
            "n[1,]",
        ] {
            assert!(matches!(expand(wrong), Err(ListError::Hosts { .. })), "{wrong}");
        }
        assert!(expand("n[1-99999999999]").is_err() && expand("n[1-2000]m[1-2000]").is_err());
        assert!(lines("a\nb c\n#x\n\n d slots=4\n").is_ok_and(|all| all == ["a", "b", "d"]));
        assert!(lines("a\n$(rm)\n").is_err());
    }

    #[test]
    fn numbers_may_be_repeated() {
        assert_eq!(repeated("16(x3),8"), Ok(vec![16, 16, 16, 8]));
        assert_eq!(repeated("4"), Ok(vec![4]));
        for wrong in ["", "x", "4(x", "4(x2", "4(xa)", "-1", "4(x99999999)", "99999999999"] {
            assert!(repeated(wrong).is_err(), "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn any_text_ends_without_a_panic(text in "[a-z0-9\\[\\],\\-x() ]{0,40}") {
            let _ = (expand(&text), repeated(&text), lines(&text));
        }
    }
}
