//! What may make communication quicker, as sentences: what to change, what that assumes, and what it saves at most.

use super::LABEL;
use crate::phrases::{COMM_ADVICE, COMM_NETWORK_WANTED};
use crate::prose::{heading, labelled, more, paragraph};
use crate::quantity::{amount, bytes, rate, share, time};
use crate::style::{Ink, TerminalStyle};
use loopwright_analysis::model::{CommAdvice, CommChange, CommFacts};

/// Changes that are shown.
const SHOWN: usize = 5;

/// All changes, or the first ones; the line about the network where that is not known.
pub(super) fn advice(comm: &CommFacts, all: bool, style: &TerminalStyle) -> String {
    if comm.advice.is_empty() && !comm.network_wanted {
        return String::new();
    }
    let mut out = heading(style, COMM_ADVICE);
    let shown = if all { usize::MAX } else { SHOWN };
    for advice in comm.advice.iter().take(shown) {
        out.push_str(&lines(advice, "Saves", LABEL, style));
    }
    out.push_str(&more(style, comm.advice.len().saturating_sub(shown)));
    if comm.network_wanted {
        out.push_str(&paragraph(style, 0, Ink::Caution, COMM_NETWORK_WANTED));
    }
    out
}

/// One change: what it saves, behind a label of that many columns, and what it is.
pub(crate) fn lines(advice: &CommAdvice, label: &str, columns: usize, style: &TerminalStyle) -> String {
    let [low, high] = advice.gain_seconds;
    let gain = match low > 0.0 {
        true => format!("{} to {} ({} of the run)", time(low), time(high), share(advice.gain_share[1])),
        false => format!("at most {} ({} of the run)", time(high), share(advice.gain_share[1])),
    };
    let place = format!("{} {}: {}", advice.function, advice.place, change(advice));
    labelled(style, 0, label, columns, Ink::Strong, &gain)
        + &labelled(style, 0, "", columns, Ink::Plain, &place)
}

/// A time of microseconds.
fn us(seconds: f64) -> String {
    format!("{} us", rate(seconds * 1e6))
}

fn change(advice: &CommAdvice) -> String {
    match &advice.change {
        CommChange::JoinMessages { messages, bytes: size, together, message_seconds, waits_at } => {
            let waits =
                waits_at.as_ref().map_or_else(String::new, |at| format!(", and waits for each at {at}"));
            format!(
                "a rank sends {} messages of {} bytes{waits}; each takes {}. Send up to {} to one receiver as one message, if none of them \
                 depends on an answer to another one: the counts do not show that.",
                amount(*messages),
                amount(*size),
                us(*message_seconds),
                amount(*together)
            )
        }
        CommChange::BalanceWork { slowest_rank, busy_seconds, mean_busy_seconds, places } => format!(
            "ranks wait here for others ({places} such places in all). Rank {slowest_rank} is busy for {}, the mean is {}: give all ranks \
             as much to do. That assumes that work can be moved freely.",
            time(*busy_seconds),
            time(*mean_busy_seconds)
        ),
        CommChange::RemoveBarrier { calls, beside } => {
            let beside = beside
                .as_ref()
                .map_or_else(String::new, |at| format!(" {at} beside it makes ranks wait as often."));
            format!(
                "a rank calls it {} times; remove it if it is not needed for I/O or timing.{beside} What ranks wait in it for others may move \
                 to the next call in which all wait.",
                amount(*calls)
            )
        }
        CommChange::PollLess { calls, messages } => format!(
            "a rank asks {} times, and sends {} messages. Ask less often, or wait (MPI_Wait, MPI_Probe) where there is nothing else to do. \
             That assumes that the rank has work for the time.",
            amount(*calls),
            amount(*messages)
        ),
        CommChange::JoinCollectives { calls, bytes: size, together, call_seconds } => format!(
            "a rank calls it {} times with {}; each takes {}. Make one call of up to {} values, if no value depends on the result for another \
             one: the counts do not show that.",
            amount(*calls),
            bytes(*size),
            us(*call_seconds),
            amount(*together)
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::assert_valid;
    use crate::fixture;

    fn of(change: CommChange, gain_seconds: [f64; 2]) -> CommAdvice {
        CommAdvice {
            change,
            function: "MPI_Isend".into(),
            place: "halo.c:14".into(),
            measured_seconds: 2.0,
            gain_seconds,
            gain_share: gain_seconds.map(|seconds| seconds / 10.0),
        }
    }

    fn all() -> Vec<CommAdvice> {
        let at = Some("MPI_Recv halo.c:20".to_owned());
        let join = |waits_at| CommChange::JoinMessages {
            messages: 1000,
            bytes: 64,
            together: 100,
            message_seconds: 2.064e-6,
            waits_at,
        };
        vec![
            of(join(at.clone()), [0.0, 1.5]),
            of(CommChange::RemoveBarrier { calls: 30, beside: at }, [0.5, 1.0]),
            of(
                CommChange::BalanceWork {
                    slowest_rank: 3,
                    busy_seconds: 8.0,
                    mean_busy_seconds: 5.75,
                    places: 2,
                },
                [0.0, 0.9],
            ),
            of(CommChange::PollLess { calls: 5000, messages: 10 }, [0.0, 0.8]),
            of(
                CommChange::JoinCollectives { calls: 700, bytes: 8, together: 7, call_seconds: 5e-6 },
                [0.0, 0.7],
            ),
            of(join(None), [0.0, 0.2]),
        ]
    }

    #[test]
    fn each_change_is_said_with_its_gain_and_what_it_assumes() {
        let comm = CommFacts { advice: all(), network_wanted: true, ..super::super::tests::facts() };
        assert_valid("CommFacts", &serde_json::to_value(&comm).unwrap());
        let mut analysis = fixture::analysis();
        analysis.comm = Some(comm.clone());
        for style in fixture::styles() {
            fixture::assert_fits(&crate::comm(&analysis, true, &style), &style);
        }
        let text = advice(&comm, false, &TerminalStyle::plain(200));
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        for part in [
            "at most 1.50 s (15 % of the run)",
            "1,000 messages of 64 bytes, and waits for each at MPI_Recv halo.c:20; each takes 2.06 us. Send up to 100",
            "500 ms to 1.00 s (10 % of the run)",
            "remove it if it is not needed for I/O or timing. MPI_Recv halo.c:20 beside it",
            "Rank 3 is busy for 8.00 s, the mean is 5.75 s",
            "asks 5,000 times, and sends 10 messages",
            "one call of up to 7 values",
            "1 more; `--all` shows them",
            "machine --measure --network",
        ] {
            assert!(text.contains(part), "{part} is missing in\n{text}");
        }
        assert!(advice(&comm, true, &TerminalStyle::plain(200)).contains("at most 200 ms"));
        let none = CommFacts { advice: vec![], network_wanted: false, ..comm };
        assert_eq!(advice(&none, true, &TerminalStyle::plain(100)), "");
    }
}
