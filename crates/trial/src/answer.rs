//! The answer of a run: what it prints and the files that the user names, compared with those of the unchanged program.

use loopwright_answers::{Check, Comparison, compare};
use loopwright_experiment::trials::{Answer, FirstDifference, Unsteady, Verdict};
use std::collections::{BTreeMap, BTreeSet};

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
    /// What differs from run to run of the unchanged program, for each part of the answer.
    varying: Vec<Varying>,
}

/// What is not compared in one part of the answer.
#[derive(Clone, Debug, Default)]
struct Varying {
    /// All of it.
    whole: bool,
    /// By the number of the line, from 1: the words that differ, by their place; all of the line where there is no set.
    lines: BTreeMap<u32, Option<BTreeSet<usize>>>,
}

impl Judge {
    /// From two runs of the unchanged program.
    pub fn new(check: Check, expected: Given, again: &Given) -> Self {
        let varying = vec![Varying::default(); expected.0.len()];
        let mut judge = Self { check, expected, varying };
        judge.learn(again);
        judge
    }

    /// What differs in another run of the unchanged program is not compared from now on.
    pub fn learn(&mut self, again: &Given) {
        for (varying, ((_, a), (_, b))) in self.varying.iter_mut().zip(self.expected.0.iter().zip(&again.0)) {
            match (a, b) {
                (Some(a), Some(b)) => varying.learn(a, b, self.check),
                (None, None) => {}
                _ => varying.whole = true,
            }
        }
    }

    /// The same without words that are a number which the run was given, such as that of its threads: programs print their settings.
    pub fn without_setting(&self, given: &Given, setting: u32) -> Self {
        let mut judge = self.clone();
        let number = |word: &[u8]| -> Option<u32> {
            let text = std::str::from_utf8(word).ok()?;
            text.trim_matches(|c: char| !c.is_ascii_alphanumeric()).parse().ok()
        };
        for ((varying, (_, a)), (_, b)) in judge.varying.iter_mut().zip(&self.expected.0).zip(&given.0) {
            let (Some(a), Some(b)) = (a, b) else { continue };
            for (line, (a, b)) in (1..).zip(lines(a).zip(lines(b))) {
                let places = (0..).zip(words(a).zip(words(b)));
                let set =
                    places.filter(|(_, (a, b))| a != b && number(a).is_some() && number(b) == Some(setting));
                let set: BTreeSet<usize> = set.map(|(place, _)| place).collect();
                if set.is_empty() {
                    continue;
                }
                if let Some(known) = varying.lines.entry(line).or_insert_with(|| Some(BTreeSet::new())) {
                    known.extend(set);
                }
            }
        }
        judge
    }

    /// What is not compared.
    pub fn unsteady(&self) -> Vec<Unsteady> {
        let varying = self.expected.0.iter().zip(&self.varying).filter(|(_, varying)| varying.varies());
        varying
            .map(|((name, _), varying)| {
                let lines = if varying.whole { Vec::new() } else { varying.lines.keys().copied().collect() };
                Unsteady { output: name.clone(), lines, ignored: false }
            })
            .collect()
    }

    /// Whether anything is compared at all.
    pub fn compares(&self) -> bool {
        let parts = self.expected.0.iter().zip(&self.varying);
        parts.into_iter().any(|((_, bytes), varying)| {
            bytes.as_ref().is_some_and(|bytes| !bytes.is_empty() && varying.leaves_something(bytes))
        })
    }

    /// The answer of a run. `accepted` by a command of the user, if there is one, decides instead of the tolerance.
    pub fn judge(&self, found: &Given, accepted: Option<bool>) -> Answer {
        let mut all = Answer { verdict: Verdict::Same, largest: Some(0.0), first: None };
        let parts = self.expected.0.iter().zip(&self.varying).zip(&found.0);
        for (((name, expected), varying), (_, found)) in parts {
            let one = self.one(name, varying, expected.as_deref(), found.as_deref());
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

    fn one(&self, name: &str, varying: &Varying, expected: Option<&[u8]>, found: Option<&[u8]>) -> Answer {
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
        if !varying.varies() {
            return of(name, &compare(expected, found, self.check), &[]);
        }
        if has_nan(found) && !has_nan(expected) {
            let first = first_nan(name, expected, found);
            return Answer { verdict: Verdict::Different, largest: None, first };
        }
        if varying.whole {
            return same;
        }
        let left_out: Vec<u32> =
            varying.lines.iter().filter(|(_, words)| words.is_none()).map(|(line, _)| *line).collect();
        of(name, &compare(&varying.steady(expected), &varying.steady(found), self.check), &left_out)
    }
}

impl Varying {
    fn varies(&self) -> bool {
        self.whole || !self.lines.is_empty()
    }

    fn learn(&mut self, a: &[u8], b: &[u8], check: Check) {
        let differ =
            |a: &[u8], b: &[u8]| compare(a, b, check).verdict == loopwright_answers::Verdict::Different;
        if self.whole || !differ(&self.steady(a), &self.steady(b)) {
            return;
        }
        let (left, right): (Vec<&[u8]>, Vec<&[u8]>) = (lines(a).collect(), lines(b).collect());
        let mut found = false;
        for (number, (a, b)) in (1..).zip(left.iter().zip(&right)) {
            if !differ(&self.steady_line(number, a), &self.steady_line(number, b)) {
                continue;
            }
            found = true;
            let (a, b): (Vec<&[u8]>, Vec<&[u8]>) = (words(a).collect(), words(b).collect());
            let known = self.lines.entry(number).or_insert_with(|| Some(BTreeSet::new()));
            match known {
                Some(known) if a.len() == b.len() => {
                    let places = (0..).zip(a.iter().zip(&b)).filter(|(_, (a, b))| a != b);
                    known.extend(places.map(|(place, _)| place));
                }
                _ => *known = None,
            }
        }
        // Lines that agree one by one differ in the columns that they form.
        self.whole = left.len() != right.len() || !found;
    }

    /// What of an output is compared.
    fn steady(&self, bytes: &[u8]) -> Vec<u8> {
        (1..).zip(lines(bytes)).flat_map(|(number, line)| self.steady_line(number, line)).collect()
    }

    fn steady_line(&self, number: u32, line: &[u8]) -> Vec<u8> {
        match self.lines.get(&number) {
            None => line.to_vec(),
            Some(None) => Vec::new(),
            Some(Some(left_out)) => {
                // Spaces go with the words: numbers of other lengths move what is behind them.
                let word = |(place, word)| if left_out.contains(&place) { LEFT_OUT } else { word };
                let kept: Vec<&[u8]> = (0..).zip(words(line)).map(word).collect();
                [&kept.join(&b' ')[..], b"\n"].concat()
            }
        }
    }

    /// Whether something remains that a wrong program would print differently: a line, or a number beside what differs.
    fn leaves_something(&self, bytes: &[u8]) -> bool {
        let remains = |(number, line): (u32, &[u8])| match self.lines.get(&number) {
            None => words(line).next().is_some(),
            Some(_) => self.steady_line(number, line).iter().any(u8::is_ascii_digit),
        };
        !self.whole && (1..).zip(lines(bytes)).any(remains)
    }
}

/// Keeps the answer that is farther from the right one; of equal ones the later.
pub(crate) fn keep_worse(known: &mut Option<Answer>, answer: Answer) {
    if known.as_ref().is_none_or(|known| answer.verdict >= known.verdict) {
        *known = Some(answer);
    }
}

/// In the place of a word that is not compared.
const LEFT_OUT: &[u8] = b"~";

fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty())
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

fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split_inclusive(|byte| *byte == b'\n')
}

/// A NaN is accepted nowhere, also not where the digits differ from run to run.
fn has_nan(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes).to_ascii_lowercase();
    text.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| word == "nan")
}

/// The first line with a NaN.
fn first_nan(name: &str, expected: &[u8], found: &[u8]) -> Option<FirstDifference> {
    let text = |line: Option<&[u8]>| String::from_utf8_lossy(line.unwrap_or_default()).trim_end().to_owned();
    let (number, line) = (1..).zip(lines(found)).find(|(_, line)| has_nan(line))?;
    let expected = text(lines(expected).nth(usize::try_from(number).ok()? - 1));
    Some(FirstDifference { output: name.to_owned(), line: number, expected, found: text(Some(line)) })
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
        assert_eq!(
            judge.unsteady(),
            [Unsteady { output: STANDARD_OUTPUT.into(), lines: vec![2], ignored: false }]
        );
        assert!(judge.compares());
        assert_eq!(judge.judge(&given("a 1\ntime 0.9\nb 2\n"), None).verdict, Verdict::Same);
        let answer = judge.judge(&given("a 1\ntime 0.9\nb 3\n"), None);
        assert_eq!((answer.verdict, answer.first.unwrap().line), (Verdict::Different, 3));
        let answer = judge.judge(&given("a 1\ntime nan\nb 2\n"), None);
        assert_eq!((answer.verdict, answer.first.unwrap().found), (Verdict::Different, "time nan".into()));
        let all = Judge::new(Check::Exact, given("time 0.5\n"), &given("time 0.7\n"));
        assert!(!all.compares());
    }

    #[test]
    fn beside_a_time_the_rest_of_its_line_is_compared() {
        let mut judge =
            Judge::new(Check::Exact, given("sum 3.25 in 9.97 s\n"), &given("sum 3.25 in 10.03 s\n"));
        assert!(judge.compares(), "one line is enough where a number of it is steady");
        assert_eq!(judge.judge(&given("sum  3.25 in 4.5 s\n"), None).verdict, Verdict::Same);
        let wrong = judge.judge(&given("sum 3.26 in 9.97 s\n"), None);
        assert_eq!((wrong.verdict, wrong.first.unwrap().line), (Verdict::Different, 1));
        // A word that differs in a later run only.
        judge.learn(&given("sum 3.25 in 10.03 seconds\n"));
        assert_eq!(judge.judge(&given("sum 3.25 in 4 min\n"), None).verdict, Verdict::Same);
        assert_eq!(judge.judge(&given("sum 3 in 4 min\n"), None).verdict, Verdict::Different);
        // Another number of words, and of lines.
        judge.learn(&given("sum 3.25\n"));
        assert!(!judge.compares());
        judge.learn(&given("sum 3.25\nmore\n"));
        assert_eq!(
            judge.unsteady(),
            [Unsteady { output: STANDARD_OUTPUT.into(), lines: Vec::new(), ignored: false }]
        );
    }

    #[test]
    fn a_number_that_the_run_was_given_is_no_difference() {
        let right = given("threads: 8, sum 1.5\n8 items\n");
        let judge = Judge::new(Check::Exact, right.clone(), &right);
        let verdict = |text: &str| judge.without_setting(&given(text), 3).judge(&given(text), None).verdict;
        assert_eq!(verdict("threads: 3, sum 1.5\n8 items\n"), Verdict::Same);
        assert_eq!(verdict("threads: 3, sum 1.6\n8 items\n"), Verdict::Different);
        assert_eq!(verdict("threads: 3, sum 1.5\n9 items\n"), Verdict::Different);
        assert_eq!(verdict("threads: 4, sum 1.5\n8 items\n"), Verdict::Different);
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
