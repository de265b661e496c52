//! What is tried: the changes that recommendations name, and settings that any program may gain from.
//!
//! A recommendation is carried out only as far as it is mechanical: its own options, a directive before its loops, `restrict` at the
//! parameters of their functions ([`crate::loops`], [`crate::cargo`]), its environment variables.

use loopwright_advise::{Recommendation, Setting};
use loopwright_analysis::model::Analysis;
use loopwright_experiment::trials::{Part, Way, Why};
use std::path::Path;

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

/// Settings for any program: the glibc manual, *Memory Allocation Tunables*.
const SETTINGS: [(&str, &[(&str, &str)]); 2] = [
    ("huge-pages", &[("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1")]),
    ("keep-freed-memory", &[("MALLOC_MMAP_MAX_", "0"), ("MALLOC_TRIM_THRESHOLD_", "536870912")]),
];
/// Settings for a program with threads of OpenMP: its specification, *Environment Variables*.
const THREAD_SETTINGS: [(&str, &[(&str, &str)]); 2] =
    [("bind-threads", &[("OMP_PROC_BIND", "close")]), ("one-thread", &[("OMP_NUM_THREADS", "1")])];
/// From this number of busy CPUs on the program has threads.
const THREADS_FROM: f64 = 1.2;

/// Where libraries to be loaded are installed (ld.so(8) and the multiarch folders of Debian).
const LIBRARY_FOLDERS: [&str; 6] =
    ["/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib64", "/usr/lib64", "/lib", "/usr/lib"];

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
    // Settings beside options are details of them.
    if ways.iter().all(|(_, parts)| matches!(parts, Err(Why::NotMechanical))) {
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

/// Settings for any program, and for one with threads.
pub(crate) fn setting_sets(analysis: &Analysis) -> Vec<Candidate> {
    let busy = analysis.program.cpu_seconds / analysis.program.elapsed_seconds;
    let threads: &[_] = if busy > THREADS_FROM { &THREAD_SETTINGS } else { &[] };
    let all = SETTINGS.iter().chain(threads);
    all.map(|(name, variables)| {
        let variable = |(name, value): &(&str, &str)| Part::Variable {
            name: (*name).to_owned(),
            value: (*value).to_owned(),
        };
        general(name, Way::Environment, variables.iter().map(variable).collect())
    })
    .collect()
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

/// The settings of a recommendation: a library to load is a change of its own. One without a value says to take a variable
/// away, which a trial leaves as it is.
pub(crate) fn settings(card: &Recommendation) -> Vec<Result<Vec<Part>, Why>> {
    let set = card.how.environment.iter().filter(|setting| !setting.value.is_empty());
    let part =
        |setting: &Setting| Part::Variable { name: setting.name.clone(), value: setting.value.clone() };
    let (loads, plain): (Vec<&Setting>, Vec<&Setting>) =
        set.partition(|setting| setting.name == "LD_PRELOAD");
    let mut found = Vec::new();
    if !plain.is_empty() {
        found.push(Ok(plain.into_iter().map(part).collect()));
    }
    for load in loads {
        let there = |folder: &str| Path::new(folder).join(&load.value).exists();
        let installed =
            Path::new(&load.value).is_file() || LIBRARY_FOLDERS.iter().any(|folder| there(folder));
        let library = load.value.clone();
        found.push(if installed { Ok(vec![part(load)]) } else { Err(Why::NotInstalled { library }) });
    }
    found
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
