//! `show io`: which files a program reads and writes, from where, in which pieces, and for how long.

use crate::columns::{Cell, Column, Shorten, Table};
use crate::phrases::{
    COMM_LOST_CALLS, COMM_NOT_COUNTED, HOST, IO_BUFFER_READS, IO_BUFFER_WRITES, IO_FAILED, IO_FILES,
    IO_FLUSH_LESS, IO_KEEP_OPEN, IO_LOST_FILES, IO_MAPPED, IO_NESTED, IO_NO_CALL, IO_OF_RUN, IO_PLACES,
    IO_SYNC_LESS, IO_TORN, NO_IO, PROCESS, RANK, filled,
};
use crate::prose::{heading, labelled, more, paragraph};
use crate::quantity::{amount, bytes, many, percent, share, time};
use crate::style::{Ink, TerminalStyle};
use crate::warnings::warnings;
use loopwright_analysis::model::{Analysis, IoAdvice, IoChange, IoFacts, IoFile, IoPlace, IoTarget};
use loopwright_stats::saturating_sum;
use std::collections::BTreeSet;

/// Columns of the label before a fact.
const LABEL: usize = 8;
/// Files and places that are shown.
const SHOWN: usize = 20;

/// The view.
pub fn io(analysis: &Analysis, all: bool, style: &TerminalStyle) -> String {
    let Some(io) = &analysis.io else {
        return paragraph(style, 0, Ink::Plain, NO_IO);
    };
    let mut out = heading(style, "Input and output");
    out.push_str(&summary(io, style));
    if io.places.is_empty() {
        return out + &paragraph(style, 0, Ink::Caution, IO_NO_CALL);
    }
    let most = if all { usize::MAX } else { SHOWN };
    out.push_str(&files(io, most, style));
    out.push_str(&places(io, most, style));
    out
}

fn summary(io: &IoFacts, style: &TerminalStyle) -> String {
    let mut out = String::new();
    let mut fact =
        |label: &str, ink: Ink, text: &str| out.push_str(&labelled(style, 0, label, LABEL, ink, text));
    let hosts: BTreeSet<&str> = io.ranks.iter().map(|rank| rank.host.as_str()).collect();
    let known = io.ranks.len() as u64;
    let values = [
        many(known, if known > 1 { RANK } else { PROCESS }),
        many(hosts.len().max(1) as u64, HOST),
        time(io.seconds),
        time(io.elapsed_seconds),
        share(of_run(io, io.seconds)),
        bytes(saturating_sum(io.ranks.iter().map(|rank| rank.read_bytes))),
        bytes(saturating_sum(io.ranks.iter().map(|rank| rank.written_bytes))),
    ];
    fact("Total", Ink::Strong, &filled(IO_OF_RUN, values.each_ref().map(String::as_str)));
    for advice in &io.advice {
        fact("Advice", Ink::Plain, &advised(advice, io));
    }
    let lost = io.lost.unwrap_or_default();
    for (number, text) in [
        (lost.calls, COMM_LOST_CALLS),
        (lost.files, IO_LOST_FILES),
        (lost.torn, IO_TORN),
        (lost.nested, IO_NESTED),
        (saturating_sum(io.places.iter().map(|place| place.failed)), IO_FAILED),
    ] {
        if number > 0 {
            fact("Note", Ink::Caution, &filled(text, [&amount(number)]));
        }
    }
    // Most programs map some small file of the system.
    let mapped = saturating_sum(io.files.iter().map(|file| file.mapped_bytes));
    if mapped > saturating_sum(io.files.iter().map(|file| file.read_bytes.saturating_add(file.written_bytes)))
    {
        fact("Note", Ink::Caution, &filled(IO_MAPPED, [&bytes(mapped)]));
    }
    for left in &io.left {
        fact("Note", Ink::Caution, &filled(COMM_NOT_COUNTED, [&left.function, &left.reason]));
    }
    out + &warnings(&io.warnings, usize::MAX, style)
}

fn of_run(io: &IoFacts, seconds: f64) -> f64 {
    if io.elapsed_seconds > 0.0 { seconds / io.elapsed_seconds } else { 0.0 }
}

pub(crate) fn advised(advice: &IoAdvice, io: &IoFacts) -> String {
    let (place, calls) = (crate::names::printable(&advice.place), amount(advice.calls));
    let (saved, run, part) =
        (time(advice.at_most_seconds), time(io.elapsed_seconds), share(advice.at_most_share));
    let mean = bytes(advice.mean_bytes.unwrap_or(0.0) as u64);
    let sized = |text| filled(text, [&place, &calls, &mean, &saved, &run, &part]);
    let plain = |text| filled(text, [&place, &calls, &saved, &run, &part]);
    match advice.change {
        IoChange::BufferWrites => sized(IO_BUFFER_WRITES),
        IoChange::BufferReads => sized(IO_BUFFER_READS),
        IoChange::FlushLess => sized(IO_FLUSH_LESS),
        IoChange::SyncLess => plain(IO_SYNC_LESS),
        IoChange::KeepOpen => plain(IO_KEEP_OPEN),
    }
}

/// What a target is called.
fn target(file: &IoFile) -> &str {
    match (file.target, &file.path) {
        (IoTarget::File, Some(path)) => path,
        (IoTarget::File | IoTarget::Unknown, _) => "(path not seen)",
        (IoTarget::Input, _) => "(standard input)",
        (IoTarget::Output, _) => "(standard output)",
        (IoTarget::Error, _) => "(standard error)",
        (IoTarget::Unopened, _) => "(pipes, sockets, inherited)",
        (IoTarget::Others, _) => "(other files)",
    }
}

fn files(io: &IoFacts, most: usize, style: &TerminalStyle) -> String {
    let shown = &io.files[..io.files.len().min(most)];
    let several = io.ranks.len() > 1;
    let spent = |file: &IoFile| file.read_seconds + file.write_seconds + file.other_seconds;
    let nonzero = |n: u64| Cell::known((n > 0).then(|| amount(n)));
    let sized = |n: u64| Cell::known((n > 0).then(|| bytes(n)));
    let mut table = Table::<&IoFile>::new()
        .column(Column::left("File").shorten(Shorten::Start, 16), |file| Cell::new(target(file), Ink::Strong))
        .column(Column::right("Opens").expendable(5), move |file| nonzero(file.opens))
        .column(Column::right("Reads"), move |file| nonzero(file.reads))
        .column(Column::right("Bytes read"), move |file| sized(file.read_bytes))
        .column(Column::right("Writes"), move |file| nonzero(file.writes))
        .column(Column::right("Bytes written"), move |file| sized(file.written_bytes))
        .column(Column::right("Time"), move |file| Cell::plain(time(spent(file))))
        .column(Column::right("% of run"), move |file| Cell::plain(percent(of_run(io, spent(file)))))
        .column(Column::right("In order %").expendable(3), |file| {
            Cell::known(file.consecutive_share.map(percent))
        })
        .column(Column::right("Seeks").expendable(6), move |file| nonzero(file.seeks))
        .column(Column::right("Syncs").expendable(4), move |file| nonzero(file.syncs));
    if several {
        table = table
            .column(Column::right("Ranks"), |file| Cell::plain(file.ranks.to_string()))
            .column(Column::right("Imb. %").expendable(2), |file| {
                Cell::known(file.imbalance.map(|imbalance| percent(imbalance.share)))
            });
    }
    heading(style, IO_FILES) + &table.render(shown, style, 0) + &more(style, io.files.len() - shown.len())
}

fn places(io: &IoFacts, most: usize, style: &TerminalStyle) -> String {
    let shown = &io.places[..io.places.len().min(most)];
    let several = io.ranks.len() > 1;
    let mut table = Table::<&IoPlace>::new()
        .column(Column::left("Function"), |place| Cell::new(&place.function, Ink::Strong))
        .column(Column::left("Where").shorten(Shorten::Start, 16), |place| Cell::plain(&place.place))
        .column(Column::left("Caller").shorten(Shorten::End, 12).expendable(2), |place| {
            Cell::plain(&place.caller)
        })
        .column(Column::right("Loop").expendable(5), |place| {
            Cell::known(place.loop_id.map(|id| id.to_string()))
        })
        .column(Column::right("Calls"), |place| Cell::plain(amount(place.calls)))
        .column(Column::right("Bytes"), |place| Cell::known((place.bytes > 0).then(|| bytes(place.bytes))))
        .column(Column::right("System calls").expendable(3), |place| {
            Cell::known((place.transfers > 0).then(|| amount(place.transfers)))
        })
        .column(Column::right("Moved").expendable(4), |place| {
            Cell::known((place.moved > 0).then(|| bytes(place.moved)))
        })
        .column(Column::right("Time"), |place| Cell::plain(time(place.seconds)))
        .column(Column::right("% of run"), move |place| Cell::plain(percent(of_run(io, place.seconds))));
    if several {
        table = table
            .column(Column::right("Imb. %"), |place| {
                Cell::known(place.imbalance.map(|imbalance| percent(imbalance.share)))
            })
            .column(Column::right("Slowest rank").expendable(6), |place| {
                Cell::plain(place.worst_rank.to_string())
            });
    }
    heading(style, IO_PLACES) + &table.render(shown, style, 0) + &more(style, io.places.len() - shown.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::assert_valid;
    use crate::fixture;
    use loopwright_analysis::model::{CommLeft, Imbalance, IoClass, IoRank, LostTransfers, Provenance};

    fn imbalance() -> Option<Imbalance> {
        Some(Imbalance { threads: 2, max: 2.0, mean: 1.5, excess: 0.5, share: 0.5 })
    }

    fn file(target: IoTarget, path: Option<&str>, writes: u64) -> IoFile {
        IoFile {
            target,
            path: path.map(str::to_owned),
            ranks: 2,
            opens: 2,
            reads: 0,
            writes,
            read_bytes: 0,
            written_bytes: 8 * writes,
            mapped_bytes: 0,
            read_seconds: 0.0,
            write_seconds: 1.0,
            other_seconds: 0.5,
            longest_seconds: 0.1,
            seeks: 0,
            syncs: 3,
            consecutive_share: Some(1.0),
            backward_share: Some(0.0),
            unaligned: writes,
            switches: 0,
            read_bins: [0; 6],
            write_bins: [writes, 0, 0, 0, 0, 0],
            imbalance: imbalance(),
        }
    }

    fn facts() -> IoFacts {
        let advice = |change, place: &str| IoAdvice {
            change,
            place: place.into(),
            calls: 20_000,
            mean_bytes: Some(8.0),
            at_most_seconds: 1.0,
            at_most_share: 0.1,
        };
        IoFacts {
            how: Provenance::Counted,
            elapsed_seconds: 10.0,
            seconds: 2.5,
            ranks: (0..2)
                .map(|rank| IoRank {
                    rank,
                    host: "n1".into(),
                    elapsed_seconds: 10.0,
                    seconds: 2.5,
                    read_bytes: 0,
                    written_bytes: 80_000,
                })
                .collect(),
            files: vec![
                file(IoTarget::File, Some("out/\u{1b}[2Jresult.dat"), 20_000),
                file(IoTarget::Output, None, 4),
            ],
            places: vec![IoPlace {
                function: "fprintf".into(),
                class: IoClass::Write,
                caller: "save".into(),
                module: "solver".into(),
                place: "save.c:14".into(),
                loop_id: Some(1),
                loop_place: Some("save.c:9".into()),
                calls: 20_000,
                failed: 2,
                bytes: 160_000,
                without_bytes: 0,
                bins: [20_000, 0, 0, 0, 0, 0],
                transfers: 40,
                moved: 159_744,
                seconds: 1.5,
                longest_seconds: 0.1,
                imbalance: imbalance(),
                worst_rank: 1,
                callers: 2,
            }],
            advice: vec![
                advice(IoChange::BufferWrites, "out/result.dat"),
                advice(IoChange::BufferReads, "in.dat"),
                advice(IoChange::FlushLess, "save.c:15"),
                advice(IoChange::SyncLess, "save.c:16"),
                advice(IoChange::KeepOpen, "log"),
            ],
            lost: Some(LostTransfers { files: 7, ..LostTransfers::default() }),
            left: vec![CommLeft { function: "pwritev2".into(), reason: "left as it is".into() }],
            warnings: Vec::new(),
        }
    }

    fn words(io: Option<IoFacts>) -> String {
        let mut analysis = fixture::analysis();
        analysis.io = io;
        for style in fixture::styles() {
            fixture::assert_fits(&super::io(&analysis, true, &style), &style);
        }
        if let Some(io) = &analysis.io {
            assert_valid("IoFacts", &serde_json::to_value(io).unwrap());
        }
        let text = super::io(&analysis, false, &TerminalStyle::plain(200));
        assert!(!text.contains('\u{1b}'), "{text}");
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn files_places_and_advice_are_shown_with_what_is_missing() {
        let text = words(Some(facts()));
        for part in [
            "2 ranks on 1 host; one is in input and output for 2.50 s of 10.0 s (25 %); 0 B read, 156 KiB written",
            "out/result.dat: 20,000 writes of 8 B each",
            "in.dat: 20,000 reads of 8 B each",
            "save.c:15: 20,000 flushes of 8 B each",
            "save.c:16: 20,000 waits for the device",
            "log: opened 20,000 times; keep it open: at most 1.00 s of 10.0 s (10 %)",
            "7 transfers to more files",
            "2 calls returned an error",
            "pwritev2 is not counted: left as it is",
            "result.dat 2 20,000 156 KiB 1.50 s 15.0 100.0 3 2 50.0",
            "(standard output)",
            "fprintf save.c:14 save 1 20,000 156 KiB 40 156 KiB 1.50 s 15.0 50.0 1",
        ] {
            assert!(text.contains(part), "{part} is missing in\n{text}");
        }
    }

    #[test]
    fn without_calls_or_a_run_the_next_step_is_said() {
        assert!(words(None).contains("loopwright io"));
        let none = IoFacts {
            files: Vec::new(),
            places: Vec::new(),
            advice: Vec::new(),
            lost: None,
            left: Vec::new(),
            ..facts()
        };
        assert!(words(Some(none)).contains("no call of input or output"));
    }
}
