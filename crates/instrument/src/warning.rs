//! What limits the counts or traces of a run, and the one place where it becomes a sentence with the way out.

use crate::contradiction::Contradiction;
use crate::obstacle::{Obstacle, Unready};
use loopwright_patterns::warning::CacheLimit;
use serde::{Deserialize, Serialize};

/// A limit of a counting or tracing run. Modules and programs are named by their paths.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "kebab-case")]
pub enum Warning {
    /// Processes ran on after the program's end.
    #[error(
        "{processes} process(es) of the program still run ({}) and are not waited for: what is shown of them is what they did \
         until now",
        names.join(", ")
    )]
    LeftBehind {
        /// How many.
        processes: usize,
        /// Their names, each once.
        names: Vec<String>,
    },
    /// A module's code could not be redirected once more.
    #[error("{module}: was mapped again and is not counted any more ({error})")]
    MappedAgain {
        /// The module.
        module: String,
        /// The system's error.
        error: String,
    },
    /// A module could not be instrumented.
    #[error("{module}: not counted: {why}")]
    NotCounted {
        /// The module.
        module: String,
        /// What prevents it.
        why: Obstacle,
    },
    /// A module's functions that open libraries and execute programs were not hooked.
    #[error("{module}: {why}")]
    NotHooked {
        /// The module.
        module: String,
        /// What prevents it.
        why: Obstacle,
    },
    /// A program was about to change code that was instrumented.
    #[error("{module}: the program made code of it writable; not counted from then on: {}", few(functions))]
    MadeWritable {
        /// The module.
        module: String,
        /// Functions with bytes in the pages that became writable, in order; empty in experiments of versions that named
        /// none.
        #[serde(default)]
        functions: Vec<String>,
    },
    /// The same, and the code has jumps to copies in it.
    #[error(
        "{module}: the program made its code writable, and its own bytes could not be put back ({error})"
    )]
    NotPutBack {
        /// The module.
        module: String,
        /// The system's error.
        error: String,
    },
    /// Functions that were called could not be redirected.
    #[error("{module}: functions of it are not counted ({error})")]
    FunctionsNotCounted {
        /// The module.
        module: String,
        /// The system's error.
        error: String,
    },
    /// Threads got no memory for counters.
    #[error("{program}: threads or processes of it are not counted ({error})")]
    ThreadsNotCounted {
        /// The program.
        program: String,
        /// The system's error.
        error: String,
    },
    /// A thread that was about to execute a program has no known number.
    #[error("programs executed by a thread that could not be found out are not counted")]
    UnknownThread,
    /// A thread that was about to execute a program could not be followed.
    #[error("a program executed by process {process} is not counted: it cannot be traced ({error})")]
    NotFollowed {
        /// Its process.
        process: i32,
        /// The system's error.
        error: String,
    },
    /// A program that the program executed could not be prepared.
    #[error("a child program is not counted: {0}")]
    ChildNotCounted(Unready),
    /// More threads than there is memory for.
    #[error(
        "the program had more than {most} threads and processes over time: those beyond were not {}",
        if *traced { "traced" } else { "counted" }
    )]
    Crowded {
        /// Threads and processes that have room.
        most: u64,
        /// It is about traces, not counts.
        traced: bool,
    },
    /// Iterations of one of many entries are missing.
    #[error(
        "{function}: an entry of a loop had not ended when its process did (or counting); what that entry executed is missing in \
         its counts"
    )]
    EntryNotEnded {
        /// The function.
        function: String,
    },
    /// Counters contradict each other.
    #[error(
        "counts that cannot be are left out: those of {functions} function(s) contradict themselves; this is a mistake of \
         loopwright, please report it with the file of the program, its command and the output of `loopwright show counts --all`"
    )]
    Contradicting {
        /// How many functions have such counts.
        functions: usize,
    },
    /// Counts are impossible.
    #[error(
        "counts that cannot be are left out: {function}{} ({why}); this is a mistake of loopwright, please report it with the \
         file of the program, its command and the output of `loopwright show counts --all`",
        more(*others)
    )]
    Impossible {
        /// The first function.
        function: String,
        /// How many others there are.
        others: usize,
        /// What is impossible about the first one.
        why: Contradiction,
    },
    /// Functions with few of the counted instructions are not described.
    #[error(
        "{loops} loops in {functions} functions that execute {:.2} % of the counted instructions are left out; `loopwright \
         tripcounts` with the same command shows them",
        100.0 * share
    )]
    LeftOut {
        /// Their loops.
        loops: usize,
        /// How many.
        functions: usize,
        /// Their share of the instructions.
        share: f64,
    },
    /// Large modules were counted in part.
    #[error(
        "of {}, only functions in which the survey saw time were counted; `loopwright tripcounts` with the same command counts \
         all",
        modules.join(", ")
    )]
    InPart {
        /// Names of their files.
        modules: Vec<String>,
    },
    /// Records of interrupted ones are incomplete.
    #[error("{addresses} addresses are missing: signal handlers ran traced code in between")]
    AddressesMissing {
        /// How many.
        addresses: u64,
    },
    /// The trace's memory was used up at times.
    #[error(
        "not every thread had room in the trace at all times: raise --trace-memory to trace more of them"
    )]
    TraceFull,
    /// The caches are not simulated as they are.
    #[error(transparent)]
    Caches(CacheLimit),
    /// The sentence of form 1; only reading one makes it.
    #[error("{0}")]
    #[serde(untagged)]
    Said(String),
}

/// The first functions of a list, and how many others there are.
fn few(functions: &[String]) -> String {
    const FEW: usize = 4;
    // A library's internal functions, which its users do not know, come last.
    let (internal, public): (Vec<&str>, Vec<&str>) =
        functions.iter().map(String::as_str).partition(|name| name.starts_with('_'));
    let named: Vec<&str> = public.into_iter().chain(internal).take(FEW).collect();
    match named.as_slice() {
        [] => "all of it".to_owned(),
        named => named.join(", ") + &more(functions.len() - named.len()),
    }
}

fn more(others: usize) -> String {
    if others == 0 { String::new() } else { format!(" and {others} more") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warning_is_stored_by_its_fields_and_old_sentences_are_read() {
        let why = Obstacle::NoAddresses { kib: 64 };
        let warning = Warning::NotCounted { module: "/a".to_owned(), why };
        let stored = serde_json::to_string(&warning).unwrap();
        assert_eq!(stored, r#"{"not-counted":{"module":"/a","why":{"no-addresses":{"kib":64}}}}"#);
        assert_eq!(serde_json::from_str::<Warning>(&stored).unwrap(), warning);
        let sentence = "/a: not counted: no 64 KiB of free addresses within 2 GiB of the module";
        assert_eq!(warning.to_string(), sentence);
        let old: Warning = serde_json::from_str(&format!("\"{sentence}\"")).unwrap();
        assert_eq!(old, Warning::Said(sentence.to_owned()));
    }

    #[test]
    fn functions_that_became_writable_are_named_the_public_ones_first() {
        let of = |functions: &[&str]| {
            let functions = functions.iter().map(|&f| f.to_owned()).collect();
            Warning::MadeWritable { module: "/c".to_owned(), functions }.to_string()
        };
        let begin = "/c: the program made code of it writable; not counted from then on: ";
        assert_eq!(of(&["__a", "__b", "_c", "d", "e"]), format!("{begin}d, e, __a, __b and 1 more"));
        assert_eq!(of(&["f"]), format!("{begin}f"));
        let old: Warning = serde_json::from_str(r#"{"made-writable":{"module":"/c"}}"#).unwrap();
        assert_eq!(old.to_string(), format!("{begin}all of it"));
    }

    #[test]
    fn impossible_counts_name_one_function_and_how_many_others() {
        let of = |others| {
            let why = Contradiction::TooFast { instructions: 9, milliseconds: 1500 };
            Warning::Impossible { function: "f".to_owned(), others, why }.to_string()
        };
        assert!(
            of(0).starts_with("counts that cannot be are left out: f (9 instructions in 1.500 s are more")
        );
        assert!(of(2).starts_with("counts that cannot be are left out: f and 2 more (9 instructions"));
    }
}
