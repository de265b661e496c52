//! What is tried: the changes that recommendations name, and settings that any program may gain from.
//!
//! A recommendation is carried out only as far as it is mechanical: its own options, a directive before its loops, `restrict` at the
//! parameters of their functions ([`crate::loops`], [`crate::cargo`]), its environment variables ([`crate::settings`]).

use crate::settings::settings;
use loopwright_advise::Recommendation;
use loopwright_experiment::trials::{Part, Way, Why};

/// Beginning of the names of changes that share out iterations among threads.
pub const PARALLELISE: &str = "parallelise-";

/// The options of all parts, for builders that give them to every command.
pub(crate) fn all_options(parts: &[Part]) -> Vec<&str> {
    let options = parts.iter().flat_map(|part| match part {
        Part::Options { options, .. } => options.as_slice(),
        _ => &[],
    });
    options.map(String::as_str).collect()
}

/// The variables of the environment among parts.
pub(crate) fn variables(parts: &[Part]) -> Vec<(&str, &str)> {
    let mut all = Vec::new();
    for part in parts {
        if let Part::Variable { name, value } = part {
            all.push((name.as_str(), value.as_str()));
        }
    }
    all
}

/// A change to try, in one way.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    pub change: String,
    pub way: Way,
    pub predicted: Option<(f64, f64, f64)>,
    /// What it consists of, or why it is left alone.
    pub parts: Result<Vec<Part>, Why>,
}

/// Which kinds of changes are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// What is recommended.
    Advice,
    /// Sets of options of the compiler.
    Options,
    /// Settings of the environment.
    Environment,
}

/// The ways to make a change that can be carried out; where none can, the reason of the first.
pub(crate) fn mechanical(card: &Recommendation, ways: Vec<(Way, Result<Vec<Part>, Why>)>) -> Vec<Candidate> {
    let of_card = |(way, parts)| Candidate {
        change: card.id.clone(),
        way,
        predicted: card.program_gain.map(|gain| (gain.low(), gain.likely(), gain.high())),
        parts,
    };
    let is_open = |ways: &[(Way, Result<Vec<Part>, Why>)]| ways.iter().all(|(_, parts)| parts.is_err());
    let mut ways = ways;
    // Settings beside options, or beside threads that there are none of yet, are details of them.
    if !card.id.starts_with(PARALLELISE)
        && ways.iter().all(|(_, parts)| matches!(parts, Err(Why::NotMechanical)))
    {
        let set = settings(card);
        if !set.is_empty() {
            ways = set.into_iter().map(|parts| (Way::Environment, parts)).collect();
        }
    }
    if is_open(&ways) {
        ways.truncate(1);
    } else {
        ways.retain(|(_, parts)| parts.is_ok());
    }
    if ways.is_empty() {
        ways.push((Way::Several, Err(Why::NotMechanical)));
    }
    ways.into_iter().map(of_card).collect()
}

pub(crate) fn general(name: &str, way: Way, parts: Vec<Part>) -> Candidate {
    Candidate { change: name.to_owned(), way, predicted: None, parts: Ok(parts) }
}

/// The options in a text of advice: in back-ticks where there are any, else all of it, without a remark in parentheses.
/// Libraries are left out: the program links what it needs already.
pub(crate) fn options_of(text: &str) -> Option<Vec<String>> {
    let quoted = text.split('`').nth(1).unwrap_or(text);
    let mut options = Vec::new();
    let mut is_value = false;
    for word in quoted.split_whitespace().take_while(|word| !word.starts_with('(')) {
        if !word.starts_with('-') && !is_value {
            return None;
        }
        is_value = matches!(word, "--param" | "-mllvm" | "-C");
        if !word.starts_with("-l") {
            options.push(word.to_owned());
        }
    }
    (!options.is_empty() && !is_value).then_some(options)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_taken_from_advice_and_prose_is_not() {
        let of = |text| options_of(text).map(|options| options.join(" "));
        assert_eq!(of("-O3 -march=native -ffast-math -lm"), Some("-O3 -march=native -ffast-math".into()));
        assert_eq!(
            of("`--param vect-max-version-for-alias-checks=100` raises the limit."),
            Some("--param vect-max-version-for-alias-checks=100".into())
        );
        assert_eq!(of("-O3 -march=native (unrolls by itself)"), Some("-O3 -march=native".into()));
        assert_eq!(of("-C lto=thin (and #[inline])"), Some("-C lto=thin".into()));
        assert_eq!(of("the rayon crate: (0..height).into_par_iter()"), None);
        assert_eq!(of("#pragma GCC ivdep on this loop"), None);
    }
}
