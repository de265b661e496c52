//! `show comm`: what the ranks of a job call of MPI, from where, with which bytes, for how long, and how evenly, and
//! what may make it quicker.

pub(crate) mod advice;

use crate::columns::{Cell, Column, Shorten, Table};
use crate::phrases::{
    COMM_BETWEEN_RANKS, COMM_BY_SIZE, COMM_FOREIGN, COMM_IN_MPI, COMM_LOST_CALLS, COMM_LOST_MESSAGES,
    COMM_LOST_STARTS, COMM_MESSAGES, COMM_NO_CALL, COMM_NOT_COUNTED, COMM_PART_OF_RANKS, COMM_TORN,
    COMM_WAITING, COMM_WITHOUT_BYTES, HOST, NO_COMM, RANK, filled,
};
use crate::prose::{heading, labelled, legend, more, paragraph};
use crate::quantity::{amount, bytes, many, percent, share, time};
use crate::style::{Ink, TerminalStyle};
use crate::warnings::warnings;
use loopwright_analysis::model::{Analysis, CommEdge, CommFacts, CommSite};
use loopwright_stats::saturating_sum;
use std::collections::{BTreeMap, BTreeSet};

/// Columns of the label before a fact.
const LABEL: usize = 8;
/// Places, functions and pairs of ranks that are shown.
const SHOWN: usize = 20;
const PAIRS: usize = 5;
/// Names of the classes of sizes, as reports of MPI's messages usually have them.
pub(crate) const BINS: [&str; 6] = ["<16 B", "<256 B", "<4 KiB", "<64 KiB", "<1 MiB", "larger"];

/// The view.
pub fn comm(analysis: &Analysis, all: bool, style: &TerminalStyle) -> String {
    let Some(comm) = &analysis.comm else {
        return paragraph(style, 0, Ink::Plain, NO_COMM);
    };
    let mut out = heading(style, "Communication");
    out.push_str(&summary(comm, style));
    if comm.sites.is_empty() {
        return out + &paragraph(style, 0, Ink::Caution, COMM_NO_CALL);
    }
    out.push_str(&sites(comm, all, style));
    out.push_str(&sizes(comm, style));
    out.push_str(&pairs(comm, all, style));
    out.push_str(&advice::advice(comm, all, style));
    out
}

fn summary(comm: &CommFacts, style: &TerminalStyle) -> String {
    let mut out = String::new();
    let mut fact =
        |label: &str, ink: Ink, text: &str| out.push_str(&labelled(style, 0, label, LABEL, ink, text));
    let hosts: BTreeSet<&str> = comm.ranks.iter().map(|rank| rank.host.as_str()).collect();
    let known = comm.ranks.len() as u64;
    let part = if comm.elapsed_seconds > 0.0 { comm.seconds / comm.elapsed_seconds } else { 0.0 };
    let hosts = many(hosts.len().max(1) as u64, HOST);
    let values = [&many(known, RANK), &hosts, &time(comm.seconds), &time(comm.elapsed_seconds), &share(part)];
    fact("Ranks", Ink::Strong, &filled(COMM_IN_MPI, values.map(String::as_str)));
    if let Some(size) = comm.size.filter(|&size| u64::from(size) > known) {
        fact("Note", Ink::Caution, &filled(COMM_PART_OF_RANKS, [&size.to_string(), &known.to_string()]));
    }
    let lost = comm.lost.unwrap_or_default();
    for (number, text) in [
        (lost.calls, COMM_LOST_CALLS),
        (lost.messages, COMM_LOST_MESSAGES),
        (lost.starts, COMM_LOST_STARTS),
        (lost.torn, COMM_TORN),
        (lost.foreign, COMM_FOREIGN),
        (saturating_sum(comm.sites.iter().map(|site| site.without_bytes)), COMM_WITHOUT_BYTES),
    ] {
        if number > 0 {
            fact("Note", Ink::Caution, &filled(text, [&amount(number)]));
        }
    }
    for left in &comm.left {
        fact("Note", Ink::Caution, &filled(COMM_NOT_COUNTED, [&left.function, &left.reason]));
    }
    out + &warnings(&comm.warnings, usize::MAX, style)
}

fn sites(comm: &CommFacts, all: bool, style: &TerminalStyle) -> String {
    let shown = if all { comm.sites.len() } else { comm.sites.len().min(SHOWN) };
    let estimated = comm.sites[..shown].iter().any(|site| site.sync_at_least.is_some());
    let of_run = |seconds: f64| if comm.elapsed_seconds > 0.0 { seconds / comm.elapsed_seconds } else { 0.0 };
    let waiting = |site: &&CommSite| match (site.sync_seconds, site.sync_at_least) {
        (Some(seconds), _) => Cell::plain(time(seconds)),
        (None, Some(least)) if least > 0.0 => Cell::plain(format!(">{}", time(least))),
        _ => Cell::empty(),
    };
    let several = comm.ranks.len() > 1;
    let mut table = Table::<&CommSite>::new()
        .column(Column::left("Function"), |site| Cell::new(&site.function, Ink::Strong))
        .column(Column::left("Where").shorten(Shorten::Start, 16), |site| Cell::plain(&site.place))
        .column(Column::left("Caller").shorten(Shorten::End, 12).expendable(2), |site| {
            Cell::plain(&site.caller)
        })
        .column(Column::right("Loop").expendable(6), |site| {
            Cell::known(site.loop_id.map(|id| id.to_string()))
        })
        .column(Column::right("Calls"), |site| Cell::plain(amount(site.calls)))
        .column(Column::right("Bytes").expendable(1), |site| {
            Cell::known((site.bytes > 0).then(|| bytes(site.bytes)))
        })
        .column(Column::right("Time"), |site| Cell::plain(time(site.seconds)))
        .column(Column::right("% of run"), move |site| Cell::plain(percent(of_run(site.seconds))));
    if several {
        table = table
            .column(Column::right("Waiting").expendable(3), waiting)
            .column(Column::right("Imb. time").expendable(4), |site| {
                Cell::known(site.imbalance.map(|imbalance| time(imbalance.excess)))
            })
            .column(Column::right("Imb. %"), |site| {
                Cell::known(site.imbalance.map(|imbalance| percent(imbalance.share)))
            })
            .column(Column::right("Slowest rank").expendable(5), |site| {
                Cell::plain(site.worst_rank.to_string())
            });
    }
    let mut out = format!("\n{}", table.render(&comm.sites[..shown], style, 0));
    out.push_str(&more(style, comm.sites.len() - shown));
    if several && estimated {
        out.push_str(&legend(style, COMM_WAITING));
    }
    out
}

/// Calls of a function by the sizes of their messages.
#[derive(Default)]
struct Sizes {
    calls: u64,
    bytes: u64,
    bins: [u64; 6],
}

fn sizes(comm: &CommFacts, style: &TerminalStyle) -> String {
    let mut by_function: BTreeMap<&str, Sizes> = BTreeMap::new();
    for site in comm.sites.iter().filter(|site| site.bytes > 0) {
        let of = by_function.entry(&site.function).or_default();
        of.calls = of.calls.saturating_add(site.calls);
        of.bytes = of.bytes.saturating_add(site.bytes);
        of.bins.iter_mut().zip(site.bins).for_each(|(sum, n)| *sum = sum.saturating_add(n));
    }
    if by_function.is_empty() {
        return String::new();
    }
    let mut rows: Vec<(&str, Sizes)> = by_function.into_iter().collect();
    rows.sort_by_key(|(_, sizes)| std::cmp::Reverse(sizes.bytes));
    let mut table = Table::<(&str, Sizes)>::new()
        .column(Column::left("Function"), |(name, _)| Cell::new(name, Ink::Strong))
        .column(Column::right("Bytes"), |(_, sizes)| Cell::plain(bytes(sizes.bytes)))
        .column(Column::right("Calls"), |(_, sizes)| Cell::plain(amount(sizes.calls)));
    for (k, name) in BINS.into_iter().enumerate() {
        table = table.column(Column::right(name), move |(_, sizes): &(&str, Sizes)| {
            Cell::known((sizes.bins[k] > 0).then(|| amount(sizes.bins[k])))
        });
    }
    heading(style, COMM_BY_SIZE) + &table.render(rows, style, 0)
}

fn pairs(comm: &CommFacts, all: bool, style: &TerminalStyle) -> String {
    if comm.matrix.is_empty() {
        return String::new();
    }
    let mut rows: Vec<&CommEdge> = comm.matrix.iter().collect();
    rows.sort_by_key(|edge| (std::cmp::Reverse(edge.bytes), edge.from, edge.to));
    let (messages, sent) = (
        saturating_sum(rows.iter().map(|edge| edge.messages)),
        saturating_sum(rows.iter().map(|edge| edge.bytes)),
    );
    let text = filled(COMM_MESSAGES, [&amount(messages), &bytes(sent), &amount(rows.len() as u64)]);
    rows.truncate(if all { usize::MAX } else { PAIRS });
    let table = Table::<&CommEdge>::new()
        .column(Column::right("From"), |edge| Cell::plain(edge.from.to_string()))
        .column(Column::right("To"), |edge| Cell::plain(edge.to.to_string()))
        .column(Column::right("Messages"), |edge| Cell::plain(amount(edge.messages)))
        .column(Column::right("Bytes"), |edge| Cell::plain(bytes(edge.bytes)));
    heading(style, COMM_BETWEEN_RANKS)
        + &paragraph(style, 0, Ink::Plain, &text)
        + &table.render(rows, style, 0)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::contract::assert_valid;
    use crate::fixture;
    use loopwright_analysis::model::{CallClass, CommLeft, CommRank, Imbalance, LostCalls, Provenance};

    pub(crate) fn facts() -> CommFacts {
        let site = |function: &str, class, bytes, seconds: f64| CommSite {
            function: function.into(),
            class,
            caller: "exchange".into(),
            module: "halo".into(),
            place: "halo.c:14".into(),
            loop_id: Some(1),
            loop_place: Some("halo.c:9".into()),
            calls: 100,
            bytes,
            without_bytes: if function == "MPI_Isend" { 3 } else { 0 },
            bins: [0, 0, 100, 0, 0, 0],
            seconds,
            longest_seconds: 0.1,
            sync_seconds: None,
            sync_at_least: (class == CallClass::Collective).then_some(0.5),
            imbalance: Some(Imbalance {
                threads: 2,
                max: 2.0,
                mean: seconds,
                excess: 2.0 - seconds,
                share: 0.5,
            }),
            worst_rank: 1,
            best_rank: 0,
            callers: 2,
        };
        CommFacts {
            how: Provenance::Counted,
            size: Some(4),
            elapsed_seconds: 10.0,
            seconds: 2.5,
            barriers: false,
            ranks: (0..2)
                .map(|rank| CommRank {
                    rank,
                    host: "n1".into(),
                    elapsed_seconds: 10.0,
                    seconds: 2.5,
                    file_seconds: 0.0,
                    calls: 100,
                    messages: 50,
                    bytes: 40_000,
                })
                .collect(),
            sites: vec![
                site("MPI_Allreduce", CallClass::Collective, 800, 1.5),
                site("MPI_Isend", CallClass::PointToPoint, 80_000, 1.0),
            ],
            matrix: vec![CommEdge { from: 0, to: 1, messages: 50, bytes: 40_000 }],
            lost: Some(LostCalls { foreign: 7, ..LostCalls::default() }),
            left: vec![CommLeft { function: "MPI_Iprobe".into(), reason: "left as it is".into() }],
            advice: Vec::new(),
            network_wanted: false,
            warnings: Vec::new(),
        }
    }

    fn words(comm: Option<CommFacts>) -> String {
        let mut analysis = fixture::analysis();
        analysis.comm = comm;
        for style in fixture::styles() {
            fixture::assert_fits(&super::comm(&analysis, true, &style), &style);
        }
        if let Some(comm) = &analysis.comm {
            assert_valid("CommFacts", &serde_json::to_value(comm).unwrap());
        }
        let text = super::comm(&analysis, false, &TerminalStyle::plain(200));
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn places_sizes_and_pairs_are_shown_with_what_is_missing() {
        let text = words(Some(facts()));
        for part in [
            "2 ranks on 1 host",
            "2.50 s of 10.0 s (25 %)",
            "MPI_COMM_WORLD has 4 ranks",
            "7 messages",
            "MPI_Iprobe",
            "the bytes of 3 calls are not known",
            "MPI_Allreduce halo.c:14 exchange 1 100 800 B 1.50 s 15.0 >500 ms 500 ms 50.0 1",
            "Waiting",
            "MPI_Isend 78.1 KiB 100 100",
            "50 messages with 39.1 KiB between 1 pairs",
        ] {
            assert!(text.contains(part), "{part} is missing in\n{text}");
        }
    }

    #[test]
    fn without_calls_or_a_run_the_next_step_is_said() {
        assert!(words(None).contains("loopwright comm"));
        let none =
            CommFacts { sites: Vec::new(), matrix: Vec::new(), lost: None, left: Vec::new(), ..facts() };
        assert!(words(Some(none)).contains("no call of MPI"));
    }
}
