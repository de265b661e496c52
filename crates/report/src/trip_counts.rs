//! `tripcounts`: how often each loop iterated and what it did, the program's totals, what ran uncounted and why.
//!
//! A loop that the compiler cut into pieces is one row about the loop as written, with the pieces and their
//! machine iterations under it. Exact digits are in `show loop` and in `--json`; the columns keep four of large counts.

use crate::columns::{Cell, Column, Shorten, Table};
use crate::loop_words::{Group, groups, kind, place};
use crate::loops::LoopRow;
use crate::names::command_line;
use crate::phrases::CUT_SHORT;
use crate::prose::{facts, heading, labelled, paragraph};
use crate::quantity::{amount, counted, mean, percent, rate, ratio, share, span, time};
use crate::style::{Ink, TerminalStyle};
use crate::vocabulary;
use crate::warnings::warnings;
use loopwright_analysis::model::{
    Analysis, CountingFacts, LeftAloneFacts, Provenance, Reason, TripCount, Unmeasured, WorkRow,
};

/// Width of the label column.
const LABEL: usize = 10;
/// Source loops shown; the rest is counted.
const LOOPS: usize = 40;
/// Warnings shown.
const WARNINGS: usize = 4;
/// Reasons shown for what was left alone.
const REASONS: usize = 5;

/// What to show.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TripCountsOptions {
    /// Every loop, and every function and loop that was left alone.
    pub verbose: bool,
    /// Only the source loops that these belong to.
    pub loops: Option<Vec<u32>>,
}

/// The page.
pub fn trip_counts(analysis: &Analysis, options: &TripCountsOptions, style: &TerminalStyle) -> String {
    let Some(counts) = &analysis.counts else {
        return paragraph(
            style,
            0,
            Ink::Plain,
            "Nothing was counted in this state: loopwright tripcounts -- PROGRAM counts.",
        );
    };
    let mut out = facts(style, "Program", LABEL, Ink::Strong, &[command_line(&analysis.program.command)]);
    out.push_str(&totals(counts, style));
    out.push('\n');
    out.push_str(&table(analysis, options, style));
    out.push_str(&left_alone(counts, options.verbose, style));
    out.push_str(&footer(analysis, counts, style));
    out + &warnings(&analysis.warnings, WARNINGS, style)
}

/// What was counted in the whole program.
pub(crate) fn totals(counts: &CountingFacts, style: &TerminalStyle) -> String {
    let work = &counts.work;
    let mut who = vec![
        counts.outcome.clone(),
        counted(counts.loops.into(), "loop", "loops"),
        counted(counts.functions.into(), "function", "functions"),
        counted(counts.threads.into(), "thread", "threads"),
    ];
    if counts.processes > 1 {
        who.push(counted(counts.processes.into(), "process", "processes"));
    }
    if counts.runs > 1 {
        who.push(counted(counts.runs.into(), "counting run", "counting runs"));
    }
    if let Some(part) = counts.counted_share {
        who.push(format!("{} of the survey's time is in counted code", share(part)));
    }
    let mut out = facts(style, "Counted", LABEL, Ink::Plain, &who);
    out.push_str(&facts(style, "Work", LABEL, Ink::Plain, &work_items(work, style)));
    let mix = mix(work);
    if !mix.is_empty() {
        out.push_str(&facts(style, "Mix", LABEL, Ink::Plain, &mix));
    }
    if counts.interrupted {
        out.push_str(&labelled(style, 0, "Warning", LABEL, Ink::Caution, CUT_SHORT));
    }
    out
}

/// The counting run in a line, for pages that are about other things.
pub(crate) fn in_short(counts: &CountingFacts, style: &TerminalStyle) -> Vec<String> {
    let work = &counts.work;
    let mut items = vec![format!("{} instructions", amount(work.instructions))];
    if work.flop > 0 {
        items.push(format!("{}{} FLOP", at_most(work.flop_is_bound, style), amount(work.flop)));
    }
    if let Some(intensity) = work.intensity {
        items.push(format!("{} FLOP/byte", rate(intensity)));
    }
    items.push(format!("by another run of {}", time(counts.elapsed_seconds)));
    if let Some(part) = counts.counted_share {
        items.push(format!("{} of the time is in counted code", share(part)));
    }
    if counts.interrupted {
        items.push("cut short".to_owned());
    }
    items
}

/// The sign of an upper bound.
pub(crate) fn at_most(is_bound: bool, style: &TerminalStyle) -> &'static str {
    if is_bound { style.sign("≤ ", "<=") } else { "" }
}

/// Instructions, FLOP by type, integer operations, bytes and intensity.
pub(crate) fn work_items(work: &WorkRow, style: &TerminalStyle) -> Vec<String> {
    let mut items = vec![format!("{} instructions", amount(work.instructions))];
    let types = [
        ("f16", work.flop_f16),
        ("bf16", work.flop_bf16),
        ("f32", work.flop_f32),
        ("f64", work.flop_f64),
        ("x87", work.flop_f80),
    ];
    let bound = at_most(work.flop_is_bound, style);
    for (name, flop) in types.into_iter().filter(|(_, flop)| *flop > 0) {
        items.push(format!("{bound}{} FLOP in {name}", amount(flop)));
    }
    if let Some(part) = work.packed_share {
        items.push(format!("{} of them packed", share(part)));
    }
    if let Some(part) = work.fma_share {
        items.push(format!("{} in FMA", share(part)));
    }
    if work.int_ops > 0 {
        let packed = work.packed_int_share.filter(|part| *part > 0.0);
        let packed = packed.map_or_else(String::new, |part| format!(" ({} packed)", share(part)));
        items.push(format!("{} integer operations{packed}", amount(work.int_ops)));
    }
    items.push(format!("{bound}{}B loaded", units(work.bytes_loaded)));
    let streamed = if work.bytes_streamed > 0 {
        format!(" ({}B past the caches)", units(work.bytes_streamed))
    } else {
        String::new()
    };
    items.push(format!("{bound}{}B stored{streamed}", units(work.bytes_stored)));
    if let Some(intensity) = work.intensity {
        items.push(format!("{} FLOP/byte", rate(intensity)));
    }
    items
}

/// A count before the symbol of its unit: `24,070 `, `1.235 G`.
fn units(value: u64) -> String {
    let text = amount(value);
    if value < 1_000_000 { text + " " } else { text }
}

/// Executed instructions by class, the most frequent first, as shares.
pub(crate) fn mix(work: &WorkRow) -> Vec<String> {
    if work.instructions == 0 {
        return Vec::new();
    }
    let mut classes: Vec<(&str, u64)> =
        work.mix.classes().into_iter().filter(|(_, executed)| *executed > 0).collect();
    classes.sort_by_key(|(_, executed)| std::cmp::Reverse(*executed));
    classes
        .into_iter()
        .map(|(class, executed)| {
            let part = executed as f64 / work.instructions as f64;
            format!("{} {}", vocabulary::executed_class(class), share(part))
        })
        .collect()
}

fn columns<'a>(style: &'a TerminalStyle) -> Table<'a, LoopRow<'a>> {
    /// Of a machine loop alone: pieces together have no distribution.
    fn own<'r>(row: &LoopRow<'r>) -> Option<&'r TripCount> {
        row.facts.trip_count.as_ref().filter(|_| !row.is_together())
    }
    let about =
        |trips: &TripCount, text: String| if trips.approximate { "~".to_owned() + &text } else { text };
    let inferred = |trips: &TripCount, n: u64| {
        let mark = if trips.source_provenance == Some(Provenance::Inferred) { INFERRED } else { "" };
        mark.to_owned() + &amount(n)
    };
    let bound = |work: &WorkRow| at_most(work.flop_is_bound, style);
    let number = |n: u64, bound: &str| {
        if n > 0 { Cell::plain(bound.to_owned() + &amount(n)) } else { Cell::new("-", Ink::Dim) }
    };
    let work = |row: &LoopRow<'a>, cell: &dyn Fn(&WorkRow) -> Cell| {
        row.all_work().map_or_else(Cell::empty, |work| cell(&work))
    };
    Table::<LoopRow<'a>>::new()
        .column(Column::right("Loop"), LoopRow::id)
        .column(Column::right("Self %").expendable(1), |row| {
            let part = row.self_share();
            if part > 0.0 { Cell::new(percent(part), Ink::Strong) } else { Cell::empty() }
        })
        .column(Column::left("Function").shorten(Shorten::Symbol, 12), |row| row.name(style))
        .column(Column::left("Place").shorten(Shorten::Middle, 12), |row| {
            Cell::new(place(row.facts), Ink::Accent)
        })
        .column(Column::left("Type").shorten(Shorten::End, 10).expendable(8), |row| {
            if row.is_together() { Cell::empty() } else { kind(row.facts, style) }
        })
        .column(Column::right("Entries"), |row| match row.together() {
            Some(group) => Cell::known(group.trips().map(|trips| source_entries(trips, style))),
            None => Cell::known(own(row).and_then(|trips| trips.entries).map(amount)),
        })
        .column(Column::right("Min").expendable(6), move |row| {
            Cell::known(own(row).and_then(|trips| Some(about(trips, amount(trips.min?)))))
        })
        .column(Column::right("Median").expendable(2), move |row| {
            Cell::known(own(row).and_then(|trips| Some(about(trips, span(trips.median_range()?, style)))))
        })
        .column(Column::right("Mean"), |row| {
            let mean = match row.together() {
                Some(group) => group.trips().map(|trips| source_mean(trips, style)),
                None => own(row).and_then(|trips| trips.mean).map(mean),
            };
            mean.map_or_else(Cell::empty, |mean| Cell::new(mean, Ink::Strong))
        })
        .column(Column::right("Max").expendable(5), move |row| {
            Cell::known(own(row).and_then(|trips| Some(about(trips, amount(trips.max?)))))
        })
        .column(Column::right("Source it."), move |row| {
            Cell::known(match row.together() {
                Some(group) => group.trips().and_then(|trips| Some(inferred(trips, trips.group_iterations?))),
                None => own(row).and_then(|trips| Some(inferred(trips, trips.source_iterations?))),
            })
        })
        .column(Column::right("Part %").expendable(3), |row| {
            let part = own(row).and_then(|trips| trips.source_share).filter(|part| *part < 1.0);
            Cell::known(part.map(percent))
        })
        .column(Column::right("Instr."), move |row| work(row, &|work| Cell::plain(amount(work.instructions))))
        .column(Column::right("FLOP").expendable(4), move |row| {
            work(row, &|work| number(work.flop, bound(work)))
        })
        .column(Column::right("Int. ops").expendable(10), move |row| {
            work(row, &|work| number(work.int_ops, ""))
        })
        .column(Column::right("Bytes").expendable(7), move |row| {
            work(row, &|work| number(work.bytes(), bound(work)))
        })
        .column(Column::right("FLOP/B").expendable(9), move |row| {
            work(row, &|work| Cell::known(work.intensity.map(rate)))
        })
}

fn table(analysis: &Analysis, options: &TripCountsOptions, style: &TerminalStyle) -> String {
    let wanted = |group: &Group<'_>| match &options.loops {
        Some(ids) => group.pieces.iter().any(|piece| ids.contains(&piece.id)),
        None => group.pieces.iter().any(|piece| piece.trip_count.is_some()),
    };
    let groups: Vec<Group<'_>> = groups(analysis).into_iter().filter(wanted).collect();
    if groups.is_empty() {
        let text = format!(
            "No counted loop ran. The work may be in libraries: those are counted in which a survey of the same command \
             saw time, or all with loopwright tripcounts --all -- {}",
            command_line(&analysis.program.command)
        );
        return paragraph(style, 0, Ink::Plain, &text);
    }
    let shown = if options.verbose { groups.len() } else { groups.len().min(LOOPS) };
    let rows = groups[..shown].iter().flat_map(|group| LoopRow::of(group, &[]));
    let mut out = columns(style).render(rows, style, 0);
    if shown < groups.len() {
        let rest: u64 = groups[shown..].iter().map(|group| group.work().instructions).sum();
        let all = analysis.counts.as_ref().map_or(0, |counts| counts.work.instructions);
        let part = if all > 0 {
            format!(" with {} of the instructions", share(rest as f64 / all as f64))
        } else {
            String::new()
        };
        let text =
            format!("{} more loops{part}: --verbose, or loopwright show loops --all", groups.len() - shown);
        out.push_str(&paragraph(style, 0, Ink::Dim, &text));
    }
    out + &legend(&groups[..shown], style)
}

/// What the signs in the table mean, where they occur.
fn legend(groups: &[Group<'_>], style: &TerminalStyle) -> String {
    let pieces = || groups.iter().flat_map(|group| &group.pieces);
    let trips = || pieces().filter_map(|piece| piece.trip_count.as_ref());
    let mut notes: Vec<String> = Vec::new();
    if groups.iter().any(|group| group.pieces.len() > 1) {
        notes.push(
            "Min to max are machine iterations per entry; a row with pieces below it describes the loop as written.".into(),
        );
    }
    if trips().any(|trips| trips.approximate) {
        notes.push(
            "~ entries were nested (recursion, signal handlers, exceptions): the distribution is approximate, sums are exact."
                .into(),
        );
    }
    if trips().any(|trips| trips.source_provenance == Some(Provenance::Inferred)) {
        notes.push(format!(
            "{}iterations of the loop as written are inferred: from counts and what all pieces do for each place in the source.",
            INFERRED
        ));
    }
    if trips().any(|trips| trips.group_iterations.is_none() && trips.source_unknown.is_some()) {
        notes.push(
            "Where iterations of the loop as written are missing, `loopwright show loop` says why; machine iterations are counted."
                .into(),
        );
    }
    if pieces().any(|piece| piece.work.as_ref().is_some_and(|work| work.flop_is_bound)) {
        notes.push(format!(
            "{} masked lanes were counted as if all were on: an upper bound.",
            at_most(true, style).trim_end()
        ));
    }
    notes.iter().map(|note| paragraph(style, 0, Ink::Dim, note)).collect()
}

/// Marks numbers that are inferred, not counted.
const INFERRED: &str = "* ";

/// Entries of the loop as written, exact or between bounds.
pub(crate) fn source_entries(trips: &TripCount, style: &TerminalStyle) -> String {
    match (trips.source_entries, trips.source_entries_bounds) {
        (Some(exact), _) => amount(exact),
        (None, Some(bounds)) => span(bounds, style),
        (None, None) => String::new(),
    }
}

/// Mean source iterations per entry of the loop as written, exact or between bounds.
pub(crate) fn source_mean(trips: &TripCount, style: &TerminalStyle) -> String {
    match (trips.source_mean, trips.source_mean_bounds) {
        (Some(exact), _) => mean(exact),
        (None, Some((low, high))) => format!("{}{}{}", mean(low), style.sign("–", "-"), mean(high)),
        (None, None) => String::new(),
    }
}

/// What ran uncounted: each reason once with how much it holds back, or every line.
pub(crate) fn left_alone(counts: &CountingFacts, verbose: bool, style: &TerminalStyle) -> String {
    if counts.left_alone.is_empty() {
        return String::new();
    }
    let all = &counts.left_alone;
    let title =
        format!("Left alone: {}", counted(all.len() as u64, "function or loop", "functions and loops"));
    let mut out = heading(style, &title);
    if verbose {
        for each in all {
            out.push_str(&labelled(style, 0, "", 0, Ink::Plain, &one_left_alone(each)));
        }
        return out;
    }
    let mut reasons: Vec<(&Unmeasured, Vec<&LeftAloneFacts>, f64)> = Vec::new();
    for each in all {
        let seconds = each.self_seconds.unwrap_or(0.0);
        match reasons.iter_mut().find(|(reason, ..)| **reason == each.reason) {
            Some((_, members, sum)) => {
                members.push(each);
                *sum += seconds;
            }
            None => reasons.push((&each.reason, vec![each], seconds)),
        }
    }
    reasons.sort_by(|a, b| b.2.total_cmp(&a.2).then(b.1.len().cmp(&a.1.len())));
    for (reason, members, seconds) in reasons.iter().take(REASONS) {
        let spent = if *seconds > 0.0 { format!(", {} of self time", time(*seconds)) } else { String::new() };
        let named = name(members[0]);
        let which = if members.len() == 1 {
            named
        } else {
            format!("{} of them{spent}, such as {named}", members.len())
        };
        let spent = if members.len() == 1 { spent } else { String::new() };
        out.push_str(&labelled(style, 2, "-", 1, Ink::Plain, &format!("{}: {which}{spent}", bare(reason))));
    }
    let rest: usize = reasons.iter().skip(REASONS).map(|(_, members, _)| members.len()).sum();
    let more = if rest > 0 { format!("{rest} more for other reasons; ") } else { String::new() };
    out + &paragraph(style, 2, Ink::Dim, &format!("{more}all of them: loopwright show counts --all"))
}

/// A reason without what the heading says already.
fn bare(reason: &Unmeasured) -> String {
    match reason {
        Unmeasured::Collector(Reason::Refused(refusal)) => refusal.to_string(),
        reason => reason.to_string(),
    }
}

fn name(each: &LeftAloneFacts) -> String {
    let which = each.loop_id.map_or_else(String::new, |id| format!("loop {id} in "));
    let place = each.place.as_deref().unwrap_or(&each.address);
    format!("{which}{} ({}, {place})", each.function, each.module)
}

fn one_left_alone(each: &LeftAloneFacts) -> String {
    let spent = each.self_seconds.filter(|seconds| *seconds > 0.0);
    let spent = spent.map_or_else(String::new, |seconds| format!(", {} of self time", time(seconds)));
    format!("{}{spent}: {}", name(each), bare(&each.reason))
}

/// What counting cost, and what to ask next.
fn footer(analysis: &Analysis, counts: &CountingFacts, style: &TerminalStyle) -> String {
    let mut cost = vec![
        format!("set-up {}", time(counts.setup_seconds)),
        format!("run {}", time(counts.elapsed_seconds)),
    ];
    if counts.waiting_seconds > 0.02 * counts.elapsed_seconds {
        let waited = time(counts.waiting_seconds);
        cost.push(format!("{waited} of it waiting for code to be rewritten at first calls"));
    }
    if let Some(overhead) = counts.overhead {
        cost.push(format!(
            "{} the time of the survey's run (each ran once: an indication)",
            ratio(overhead, style)
        ));
    }
    let mut out = "\n".to_owned() + &facts(style, "Cost", LABEL, Ink::Plain, &cost);
    let mut next = Vec::new();
    if analysis.program.samples == 0 {
        next.push(format!("loopwright survey -- {}", command_line(&analysis.program.command)));
    } else {
        next.push("loopwright roofline".to_owned());
    }
    if let Some(first) = analysis.loops.iter().find(|each| each.trip_count.is_some()) {
        next.push(format!("loopwright show loop {}", first.id));
    }
    out.push_str(&facts(style, "Next", LABEL, Ink::Accent, &next));
    out
}

#[cfg(test)]
mod tests;
