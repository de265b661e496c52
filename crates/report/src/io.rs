//! `show io`: which files a program reads and writes, from where, in which pieces, and for how long.

use crate::columns::{Cell, Column, Shorten, Table};
use crate::phrases::{
    COMM_LOST_CALLS, COMM_NOT_COUNTED, HOST, IO_BUFFER_READS, IO_BUFFER_WRITES, IO_FAILED, IO_FILES,
    IO_FLUSH_LESS, IO_KEEP_OPEN, IO_LOST_FILES, IO_MAPPED, IO_NESTED, IO_NO_CALL, IO_OF_RUN, IO_PLACES,
    IO_SYNC_LESS, IO_TORN, NO_IO, PROCESS, RANK, filled,
};
use crate::prose::{heading, labelled, paragraph};
use crate::quantity::{amount, bytes, many, percent, share, time};
use crate::style::{Ink, TerminalStyle};
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
    let mapped = saturating_sum(io.files.iter().map(|file| file.mapped_bytes));
    if mapped > 0 {
        fact("Note", Ink::Caution, &filled(IO_MAPPED, [&bytes(mapped)]));
    }
    for left in &io.left {
        fact("Note", Ink::Caution, &filled(COMM_NOT_COUNTED, [&left.function, &left.reason]));
    }
    out
}

fn of_run(io: &IoFacts, seconds: f64) -> f64 {
    if io.elapsed_seconds > 0.0 { seconds / io.elapsed_seconds } else { 0.0 }
}

fn advised(advice: &IoAdvice, io: &IoFacts) -> String {
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

fn more(style: &TerminalStyle, hidden: usize) -> String {
    if hidden == 0 {
        return String::new();
    }
    paragraph(style, 0, Ink::Dim, &format!("{hidden} more; `--all` shows them"))
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
