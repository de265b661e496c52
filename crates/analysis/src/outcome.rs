//! How runs ended, in words.

use loopwright_instrument::facts::Counts;
use loopwright_instrument::traced::Patterns;
use loopwright_sample::recording::Outcome;

/// Names of the signals that end programs (signal(7), x86 numbering).
fn signal_name(signal: i32) -> &'static str {
    match signal {
        1 => " (SIGHUP)",
        2 => " (SIGINT)",
        3 => " (SIGQUIT)",
        4 => " (SIGILL)",
        6 => " (SIGABRT)",
        7 => " (SIGBUS)",
        8 => " (SIGFPE)",
        9 => " (SIGKILL)",
        11 => " (SIGSEGV)",
        13 => " (SIGPIPE)",
        14 => " (SIGALRM)",
        15 => " (SIGTERM)",
        24 => " (SIGXCPU)",
        25 => " (SIGXFSZ)",
        _ => "",
    }
}

/// How a survey's program ended.
fn of_survey(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Unknown => "end unknown".to_owned(),
        Outcome::Exited(status) => format!("exited {status}"),
        Outcome::Signalled(signal) => End::Killed(*signal).to_string(),
        Outcome::Interrupted => "interrupted".to_owned(),
    }
}

/// The worst end of several surveyed ranks.
pub(crate) fn worst_of_surveys<'a>(outcomes: impl Iterator<Item = &'a Outcome>) -> String {
    let worst = outcomes.max_by_key(|outcome| match outcome {
        Outcome::Exited(0) => 0,
        Outcome::Unknown => 1,
        Outcome::Exited(_) => 2,
        Outcome::Interrupted => 3,
        Outcome::Signalled(_) => 4,
    });
    worst.map(of_survey).unwrap_or_default()
}

/// How a counted or traced run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum End {
    /// With this status.
    #[error("exited {0}")]
    Exited(i32),
    /// By this signal.
    #[error("killed by signal {0}{name}", name = signal_name(*.0))]
    Killed(i32),
    /// The user ended it.
    #[error("interrupted")]
    Interrupted,
}

impl End {
    fn of(interrupted: bool, signal: Option<i32>, status: i32) -> Self {
        match (interrupted, signal) {
            (true, _) => Self::Interrupted,
            (_, Some(signal)) => Self::Killed(signal),
            (_, None) => Self::Exited(status),
        }
    }

    /// The end of a counting run.
    pub(crate) fn of_counting(counts: &Counts) -> Self {
        Self::of(counts.interrupted, counts.signal, counts.exit_status)
    }

    /// The end of a tracing run.
    pub(crate) fn of_trace(patterns: &Patterns) -> Self {
        Self::of(patterns.interrupted, patterns.signal, patterns.exit_status)
    }
}

/// The worst end of several runs: interrupted, killed by a signal, or the exit status.
pub(crate) fn worst_of_runs(ends: impl Iterator<Item = End>) -> Option<End> {
    ends.max_by_key(|end| match end {
        End::Interrupted => 3,
        End::Killed(_) => 2,
        End::Exited(status) => i32::from(*status != 0),
    })
}

/// An end in words; none where there was no run.
pub(crate) fn words(end: Option<End>) -> String {
    end.map(|end| end.to_string()).unwrap_or_default()
}
