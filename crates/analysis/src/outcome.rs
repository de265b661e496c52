//! How runs ended, in words.

use loopwright_sample::recording::Outcome;

/// Names of the signals that end programs (signal(7), x86 numbering).
pub(crate) fn signal_name(signal: i32) -> &'static str {
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
        Outcome::Signalled(signal) => killed(*signal),
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

/// The worst end of several counted or traced runs: interrupted, killed by a signal, or the exit status.
pub(crate) fn worst_of_runs(ends: impl Iterator<Item = (bool, Option<i32>, i32)>) -> String {
    let described = ends.map(|end| match end {
        (true, _, _) => (3, "interrupted".to_owned()),
        (_, Some(signal), _) => (2, killed(signal)),
        (_, None, status) => (i32::from(status != 0), format!("exited {status}")),
    });
    described.max_by_key(|(rank, _)| *rank).map(|(_, text)| text).unwrap_or_default()
}

fn killed(signal: i32) -> String {
    format!("killed by signal {signal}{}", signal_name(signal))
}
