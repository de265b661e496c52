//! What limits a survey, and the one place where it becomes a sentence with the way out.

use serde::{Deserialize, Serialize};

/// A limit of a survey's results.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "kebab-case")]
pub enum Warning {
    /// The kernel allows fewer samples a second.
    #[error(
        "the rate was lowered from {asked_hz} to {used_hz} Hz, the kernel's limit; raise kernel.perf_event_max_sample_rate"
    )]
    RateLowered {
        /// Asked for.
        asked_hz: u32,
        /// Used.
        used_hz: u32,
    },
    /// The kernel locks less memory for buffers.
    #[error(
        "the buffer was lowered to {} KiB per CPU, what may be locked in memory; raise kernel.perf_event_mlock_kb or \
         `ulimit -l`",
        bytes / 1024
    )]
    BufferLowered {
        /// Used for each CPU.
        bytes: u64,
    },
    /// perf_event cannot be used.
    #[error(
        "the timer-based sampler is used instead of perf_event ({refusal}): {rate_hz} samples a second, each of which \
         stops the sampled thread for some ten microseconds"
    )]
    TimerUsed {
        /// Why not, as the system reported it.
        refusal: String,
        /// Samples a second.
        rate_hz: u32,
    },
    /// Processes ran on after the program's end.
    #[error(
        "{processes} process(es) outlived the program ({}) and were followed for {followed_seconds:.0} s only; keep \
         them in the foreground to sample all of their work",
        names.join(", ")
    )]
    Outlived {
        /// How many.
        processes: usize,
        /// Their names, each once.
        names: Vec<String>,
        /// How long they were sampled.
        followed_seconds: f64,
    },
    /// Files were gone or unreadable.
    #[error(
        "{files} mapped file(s) could not be read (first: {first}), so that their addresses are file offsets and their \
         stacks may be cut; keep the files in place until the survey has ended"
    )]
    UnreadFiles {
        /// How many.
        files: usize,
        /// Path of the first.
        first: String,
    },
    /// More samples than are kept.
    #[error("{dropped} samples beyond the bound of {kept} were dropped; sample at a lower rate")]
    SamplesDropped {
        /// Number of samples that were dropped.
        dropped: u64,
        /// Number of samples that are kept.
        kept: usize,
    },
    /// Many stacks end before the thread's first function.
    #[error(
        "{:.0} % of the call stacks were cut, so that total times and the tree are incomplete (self times are not \
         affected); copy more of the stack (`--stack-bytes 60000`), or build with unwind tables or frame pointers",
        100.0 * share
    )]
    StacksCut {
        /// Share of all stacks.
        share: f64,
    },
    /// The sentence that experiments of format 5 and earlier hold; only reading one makes it.
    #[error("{0}")]
    #[serde(untagged)]
    Old(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warning_is_stored_by_its_fields_and_old_sentences_are_read() {
        let warning = Warning::RateLowered { asked_hz: 9000, used_hz: 4000 };
        let stored = serde_json::to_string(&warning).unwrap();
        assert_eq!(stored, r#"{"rate-lowered":{"asked_hz":9000,"used_hz":4000}}"#);
        assert_eq!(serde_json::from_str::<Warning>(&stored).unwrap(), warning);
        assert!(
            warning.to_string().starts_with("the rate was lowered from 9000 to 4000 Hz, the kernel's limit")
        );
        let old: Warning = serde_json::from_str(r#""a sentence""#).unwrap();
        assert_eq!((old.to_string(), old), ("a sentence".to_owned(), Warning::Old("a sentence".to_owned())));
    }

    #[test]
    fn sentences_name_what_was_cut_and_who_ran_on() {
        let names = vec!["a".to_owned(), "b".to_owned()];
        let outlived = Warning::Outlived { processes: 3, names, followed_seconds: 2.0 };
        assert_eq!(
            outlived.to_string(),
            "3 process(es) outlived the program (a, b) and were followed for 2 s only; keep them in the foreground to \
             sample all of their work"
        );
        assert!(
            Warning::StacksCut { share: 0.256 }.to_string().starts_with("26 % of the call stacks were cut")
        );
        assert!(Warning::BufferLowered { bytes: 65536 }.to_string().contains("to 64 KiB per CPU"));
    }
}
