//! The answer of a run: what it prints and the files that the user names, compared with those of the unchanged program.

use loopwright_answers::{Check, Comparison, compare};
use loopwright_experiment::trials::{Answer, FirstDifference, Unsteady, Verdict};

/// Name of what a program prints.
pub(crate) const STANDARD_OUTPUT: &str = "standard output";

/// What a run gave: names and bytes; no bytes where a file was not written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Given(pub Vec<(String, Option<Vec<u8>>)>);

/// How answers are compared, and with what.
#[derive(Clone, Debug)]
pub(crate) struct Judge {
    check: Check,
    expected: Given,
    /// What differs between two runs of the unchanged program.
    pub unsteady: Vec<Unsteady>,
}

impl Judge {
    /// From two runs of the unchanged program.
    pub fn new(check: Check, expected: Given, again: &Given) -> Self {
        let pairs = expected.0.iter().zip(&again.0);
        let unsteady = pairs.filter_map(|((name, a), (_, b))| unsteady(name, a, b, check)).collect();
        Self { check, expected, unsteady }
    }

    /// Whether anything is compared at all.
    pub fn compares(&self) -> bool {
        self.expected.0.iter().any(|(name, bytes)| {
            let steady = !self.unsteady.iter().any(|u| u.output == *name && u.lines.is_empty());
            steady && bytes.as_ref().is_some_and(|bytes| !bytes.is_empty())
        })
    }

    /// The answer of a run. `accepted` by a command of the user, if there is one, decides instead of the tolerance.
    pub fn judge(&self, found: &Given, accepted: Option<bool>) -> Answer {
        let mut all = Answer { verdict: Verdict::Same, largest: Some(0.0), first: None };
        for ((name, expected), (_, found)) in self.expected.0.iter().zip(&found.0) {
            let one = self.one(name, expected.as_deref(), found.as_deref());
            all.verdict = all.verdict.max(one.verdict);
            all.largest = all.largest.zip(one.largest).map(|(a, b)| a.max(b));
            all.first = all.first.or(one.first);
        }
        match accepted {
            Some(true) if all.verdict == Verdict::Different => all.verdict = Verdict::Within,
            Some(false) => all.verdict = Verdict::Different,
            _ => {}
        }
        all
    }

    fn one(&self, name: &str, expected: Option<&[u8]>, found: Option<&[u8]>) -> Answer {
        let same = Answer { verdict: Verdict::Same, largest: Some(0.0), first: None };
        let (expected, found) = match (expected, found) {
            (Some(expected), Some(found)) => (expected, found),
            (None, None) => return same,
            (expected, _) => {
                let there = |is: bool| if is { "the file" } else { "no file" }.to_owned();
                let (expected, found) = (there(expected.is_some()), there(expected.is_none()));
                let first = FirstDifference { output: name.to_owned(), line: 0, expected, found };
                return Answer { verdict: Verdict::Different, largest: None, first: Some(first) };
            }
        };
        let unsteady = self.unsteady.iter().find(|unsteady| unsteady.output == name);
        let (expected, found, lines) = match unsteady {
            None => (expected.to_vec(), found.to_vec(), Vec::new()),
            Some(unsteady) => {
                if has_new_nan(expected, found) {
                    return Answer { verdict: Verdict::Different, largest: None, first: None };
                }
                if unsteady.lines.is_empty() {
                    return same;
                }
                (without(expected, &unsteady.lines), without(found, &unsteady.lines), unsteady.lines.clone())
            }
        };
        of(name, &compare(&expected, &found, self.check), &lines)
    }
}

/// `left_out` are the numbers of lines that were not compared.
fn of(name: &str, comparison: &Comparison, left_out: &[u32]) -> Answer {
    let first = comparison.first.as_ref().map(|first| {
        let mut line = u32::try_from(first.line).unwrap_or(u32::MAX);
        for out in left_out {
            line += u32::from(*out <= line);
        }
        let (expected, found) = (first.expected.clone(), first.found.clone());
        FirstDifference { output: name.to_owned(), line, expected, found }
    });
    let verdict = match comparison.verdict {
        loopwright_answers::Verdict::Same => Verdict::Same,
        loopwright_answers::Verdict::Within => Verdict::Within,
        loopwright_answers::Verdict::Different => Verdict::Different,
    };
    Answer { verdict, largest: Some(comparison.largest).filter(|largest| largest.is_finite()), first }
}

/// The output where two runs of the same program do not agree in it.
fn unsteady(name: &str, a: &Option<Vec<u8>>, b: &Option<Vec<u8>>, check: Check) -> Option<Unsteady> {
    let whole = Unsteady { output: name.to_owned(), lines: Vec::new() };
    let (a, b) = match (a, b) {
        (Some(a), Some(b)) => (a, b),
        (None, None) => return None,
        _ => return Some(whole),
    };
    let differ = |a: &[u8], b: &[u8]| compare(a, b, check).verdict == loopwright_answers::Verdict::Different;
    if !differ(a, b) {
        return None;
    }
    let (a, b): (Vec<&[u8]>, Vec<&[u8]>) = (lines(a).collect(), lines(b).collect());
    if a.len() != b.len() {
        return Some(whole);
    }
    let lines: Vec<u32> =
        (1..).zip(a.iter().zip(&b)).filter(|(_, (a, b))| differ(a, b)).map(|(line, _)| line).collect();
    // Lines that agree one by one differ in the columns that they form.
    Some(if lines.len() == a.len() { whole } else { Unsteady { lines, ..whole } })
}

fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split_inclusive(|byte| *byte == b'\n')
}

fn without(bytes: &[u8], left_out: &[u32]) -> Vec<u8> {
    (1..)
        .zip(lines(bytes))
        .filter(|(line, _)| !left_out.contains(line))
        .flat_map(|(_, text)| text)
        .copied()
        .collect()
}

/// A NaN is accepted nowhere, also not where the digits differ from run to run.
fn has_new_nan(expected: &[u8], found: &[u8]) -> bool {
    let nan = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes).to_ascii_lowercase();
        text.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| word == "nan")
    };
    nan(found) && !nan(expected)
}

#[cfg(test)]
mod tests {
    use super::*;
    use loopwright_answers::Tolerance;

    fn given(text: &str) -> Given {
        Given(vec![(STANDARD_OUTPUT.to_owned(), Some(text.as_bytes().to_vec()))])
    }

    const TOLERANT: Check = Check::Numbers(Tolerance { relative: 1e-6, absolute: 0.0 });

    #[test]
    fn changed_bits_are_said_and_a_new_nan_is_never_accepted() {
        let right = given("sum 1.00000000\n");
        let exact = Judge::new(Check::Exact, right.clone(), &right);
        let answer = exact.judge(&given("sum 1.00000001\n"), None);
        assert_eq!(answer.verdict, Verdict::Different);
        assert!((answer.largest.unwrap() - 1e-8).abs() < 1e-12);
        let tolerant = Judge::new(TOLERANT, right.clone(), &right);
        assert_eq!(tolerant.judge(&given("sum 1.00000001\n"), None).verdict, Verdict::Within);
        let answer = tolerant.judge(&given("sum -nan\n"), None);
        assert_eq!((answer.verdict, answer.largest), (Verdict::Different, None));
        assert_eq!(answer.first.unwrap().found, "sum -nan");
    }

    #[test]
    fn lines_that_differ_from_run_to_run_are_not_compared() {
        let judge = Judge::new(Check::Exact, given("a 1\ntime 0.5\nb 2\n"), &given("a 1\ntime 0.7\nb 2\n"));
        assert_eq!(judge.unsteady, [Unsteady { output: STANDARD_OUTPUT.into(), lines: vec![2] }]);
        assert!(judge.compares());
        assert_eq!(judge.judge(&given("a 1\ntime 0.9\nb 2\n"), None).verdict, Verdict::Same);
        let answer = judge.judge(&given("a 1\ntime 0.9\nb 3\n"), None);
        assert_eq!((answer.verdict, answer.first.unwrap().line), (Verdict::Different, 3));
        assert_eq!(judge.judge(&given("a 1\ntime nan\nb 2\n"), None).verdict, Verdict::Different);
        let all = Judge::new(Check::Exact, given("time 0.5\n"), &given("time 0.7\n"));
        assert!(!all.compares());
    }

    #[test]
    fn a_command_decides_where_there_is_one() {
        let right = given("x 1\n");
        let judge = Judge::new(Check::Exact, right.clone(), &right);
        assert_eq!(judge.judge(&given("x 2\n"), Some(true)).verdict, Verdict::Within);
        assert_eq!(judge.judge(&right, Some(false)).verdict, Verdict::Different);
    }

    #[test]
    fn a_file_that_is_not_written_is_another_answer() {
        let right = Given(vec![("out".into(), Some(b"1\n".to_vec()))]);
        let judge = Judge::new(Check::Exact, right.clone(), &right);
        assert_eq!(judge.judge(&Given(vec![("out".into(), None)]), None).verdict, Verdict::Different);
    }
}
