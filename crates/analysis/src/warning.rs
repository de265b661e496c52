//! What spoils or limits the results, and the one place where it becomes a sentence with the way out. Limits that a collector
//! stored are its own type.

use crate::outcome::End;
use crate::sentence::sentence;
use std::fmt;

/// What disturbed ceilings mean, the beginning of a sentence.
pub const DISTURBED_CEILINGS: &str = "the machine's ceilings were measured while it was busy and may be too low (`loopwright advise` measures them again once it is quiet)";

/// A limit of the results. Modules are named by their base names, shares are those of the CPU time.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Warning {
    /// Only a part of the run is shown.
    #[error(transparent)]
    Excerpt(#[from] Excerpt),
    /// Of a survey.
    #[error(transparent)]
    Sampling(#[from] loopwright_sample::warning::Warning),
    /// Of a binary.
    #[error(transparent)]
    Binary(#[from] loopwright_binary::warning::Warning),
    /// Of a counting or tracing run.
    #[error(transparent)]
    Instrumenting(#[from] loopwright_instrument::warning::Warning),
    /// The program did too little.
    #[error(
        "no samples: the program used {:.0} ms of CPU time; give it more work or a higher `--rate`",
        cpu_seconds * 1e3
    )]
    NoSamples {
        /// CPU time of the program.
        cpu_seconds: f64,
    },
    /// Shares are uncertain.
    #[error(
        "only {samples} samples: shares are uncertain by several points; give the program more work or raise `--rate`"
    )]
    FewSamples {
        /// How many.
        samples: u64,
    },
    /// The kernel dropped samples.
    #[error("{:.0} % of the samples were lost; lower `--rate` or choose `--call-stacks fp`", 100.0 * share)]
    SamplesLost {
        /// Share of all samples.
        share: f64,
    },
    /// Samples are outside of known functions.
    #[error(
        "{:.0} % of the time belongs to no known function (code made at run time, a removed file, or one that cannot be analysed)",
        100.0 * share
    )]
    Unresolved {
        /// Share of the time.
        share: f64,
    },
    /// Processes were too short.
    #[error(
        "{:.0} % of the CPU time is user code that no sample saw, of processes that ended before their first sample; raise `--rate`",
        100.0 * share
    )]
    Unsampled {
        /// Share of the time.
        share: f64,
    },
    /// A module was stripped, or built without debug information.
    #[error(
        "{module} has no {}: loops are shown by address; {} to see source lines",
        if *symbols { "line tables" } else { "symbols and line tables" },
        if *program { "compile with -g" } else { "install its debug symbols" }
    )]
    NoLines {
        /// The module.
        module: String,
        /// It has symbols.
        symbols: bool,
        /// It is the program itself.
        program: bool,
    },
    /// Time is spent in a cycle that is not a loop.
    #[error(
        "{:.0} % of the time is spent in {function} in a cycle with several entries, which is not analysed as a loop (`goto` \
         into a loop, or loops that the compiler joined)",
        100.0 * share
    )]
    Irreducible {
        /// The function.
        function: String,
        /// Share of the time.
        share: f64,
    },
    /// Control flow is not fully known.
    #[error(
        "{function} has {jumps} indirect jump(s) whose targets are not known: its loops may be incomplete"
    )]
    UnresolvedJumps {
        /// The function.
        function: String,
        /// How many jumps.
        jumps: u32,
    },
    /// A signal killed the surveyed program.
    #[error("the program was {0}; these results cover the time until then")]
    Crashed(End),
    /// Other load made the ceilings uncertain.
    #[error("{}: {how}", DISTURBED_CEILINGS)]
    DisturbedCeilings {
        /// The load.
        how: String,
    },
    /// Counts are of another build.
    #[error(
        "{module} was rebuilt since its loops were counted: its counts are not used; run `loopwright tripcounts` again"
    )]
    RebuiltSinceCounted {
        /// The module.
        module: String,
    },
    /// The user ended the counting run.
    #[error("the counting run was interrupted: its counts cover the time until then")]
    CountingInterrupted,
    /// A signal killed the counted program.
    #[error("the counted program was {0}: its counts cover the time until then")]
    CountedKilled(End),
    /// Most time is in code without counts.
    #[error(
        "only {:.0} % of the time is in code that was counted; `loopwright tripcounts --all` counts every loop",
        100.0 * share
    )]
    FewCounted {
        /// Share of the time.
        share: f64,
    },
    /// Lanes that a mask disables were counted.
    #[error("some masked vector operations were counted for all their lanes: their FLOP are upper bounds")]
    FlopAreBounds,
    /// Traces are of another build.
    #[error(
        "{module} was rebuilt since its loops were traced: what was seen is not used; run `loopwright map` or `loopwright \
         dependencies` again"
    )]
    RebuiltSinceTraced {
        /// The module.
        module: String,
    },
    /// The user ended the tracing run.
    #[error("the tracing run was interrupted: what it says covers the time until then")]
    TracingInterrupted,
    /// A signal killed the traced program.
    #[error("the traced program was {0}: what is said covers the time until then")]
    TracedKilled(End),
    /// The sentence of a document that was read back.
    #[error("{0}")]
    Said(String),
}

sentence!(Warning);

/// A part of a run that is shown alone.
#[derive(Clone, Debug, PartialEq)]
pub struct Excerpt {
    /// Seconds after the start at which it begins.
    pub from_seconds: f64,
    /// Seconds after the start at which it ends.
    pub to_seconds: f64,
    /// The function within whose calls the samples are.
    pub region: Option<String>,
    /// Samples in it.
    pub samples: u64,
    /// Samples of the run.
    pub of: u64,
    /// Other collections were left out.
    pub others: bool,
}

impl std::error::Error for Excerpt {}

impl fmt::Display for Excerpt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { from_seconds, to_seconds, samples, of, .. } = self;
        write!(
            f,
            "only a part of the run is shown: {from_seconds:.3} s to {to_seconds:.3} s after its start"
        )?;
        if let Some(region) = &self.region {
            write!(f, ", within calls of `{region}`")?;
        }
        write!(f, ", {samples} of {of} samples; shares and gains are of this part")?;
        if self.others {
            f.write_str("; counts and everything else that is of the whole run is left out")?;
        }
        Ok(())
    }
}
