//! `tripcounts`: how often each loop iterated and what it did, the program's totals, what ran uncounted and why.
//!
//! A loop that the compiler cut into pieces is one row that speaks of the loop as written, with the pieces and their
//! machine iterations under it. Exact digits are in `show loop` and in `--json`; the columns keep four of large counts.

use crate::advice::{place, warnings};
use crate::columns::{Cell, Column, Columns, Shorten};
use crate::loop_words::{Group, groups, kind};
use crate::names::command_line;
use crate::prose::{facts, heading, labelled, paragraph};
use crate::quantity::{amount, counted, mean, percent, rate, ratio, share, span, time};
use crate::style::{Ink, TerminalStyle};
use crate::vocabulary;
use loopwright_analysis::model::{
    Analysis, CountingFacts, LeftAloneFacts, LoopFacts, Provenance, TripCount, WorkRow,
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
        let text = "The run was cut short: these are the counts until then.";
        out.push_str(&labelled(style, 0, "Warning", LABEL, Ink::Caution, text));
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

fn columns() -> Vec<Column> {
    vec![
        Column::right("Loop"),
        Column::right("Self %").expendable(1),
        Column::left("Function").shorten(Shorten::Symbol, 12),
        Column::left("Place").shorten(Shorten::Middle, 12),
        Column::left("Type").shorten(Shorten::End, 10).expendable(8),
        Column::right("Entries"),
        Column::right("Min").expendable(6),
        Column::right("Median").expendable(2),
        Column::right("Mean"),
        Column::right("Max").expendable(5),
        Column::right("Source it."),
        Column::right("Part %").expendable(3),
        Column::right("Instr."),
        Column::right("FLOP").expendable(4),
        Column::right("Int. ops").expendable(10),
        Column::right("Bytes").expendable(7),
        Column::right("FLOP/B").expendable(9),
    ]
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
    let mut table = Columns::new(columns());
    for group in &groups[..shown] {
        rows(&mut table, group, style);
    }
    let mut out = table.render(style, 0);
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
            "Min to max are machine iterations per entry; a row with pieces below it speaks of the loop as written.".into(),
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

fn rows(table: &mut Columns, group: &Group<'_>, style: &TerminalStyle) {
    let lead = group.lead();
    let split = group.pieces.len() > 1;
    if !split {
        let name = Cell::plain(&lead.function);
        table.row(row(lead, Cell::new(lead.id.to_string(), Ink::Strong), name, lead.self_share, style));
        return;
    }
    table.row(head(group, style));
    for (at, piece) in group.pieces.iter().enumerate() {
        let last = at + 1 == group.pieces.len();
        let branch = if last { style.sign("└ ", "`- ") } else { style.sign("├ ", "|- ") };
        let name = Cell::new(format!("{branch}{}", vocabulary::role(piece.role)), Ink::Dim);
        table.row(row(piece, Cell::new(piece.id.to_string(), Ink::Strong), name, piece.self_share, style));
    }
}

/// The loop as written: its pieces taken together.
fn head(group: &Group<'_>, style: &TerminalStyle) -> Vec<Cell> {
    let lead = group.lead();
    let trips = group.pieces.iter().find_map(|piece| piece.trip_count.as_ref());
    let work = group.work();
    let mut cells = vec![
        Cell::empty(),
        self_share(group.self_share()),
        Cell::new(&lead.function, Ink::Strong),
        Cell::new(place(lead), Ink::Accent),
        Cell::empty(),
        trips.map_or_else(Cell::empty, |trips| Cell::plain(source_entries(trips, style))),
        Cell::empty(),
        Cell::empty(),
        trips.map_or_else(Cell::empty, |trips| Cell::new(source_mean(trips, style), Ink::Strong)),
        Cell::empty(),
        trips.map_or_else(Cell::empty, |trips| {
            trips
                .group_iterations
                .map_or_else(Cell::empty, |n| Cell::plain(inferred(trips).to_owned() + &amount(n)))
        }),
        Cell::empty(),
    ];
    cells.extend(work_cells(Some(&work), style));
    cells
}

/// Marks numbers that are inferred, not counted.
const INFERRED: &str = "* ";

fn inferred(trips: &TripCount) -> &'static str {
    if trips.source_provenance == Some(Provenance::Inferred) { INFERRED } else { "" }
}

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

fn self_share(part: f64) -> Cell {
    if part > 0.0 { Cell::new(percent(part), Ink::Strong) } else { Cell::empty() }
}

fn row(facts: &LoopFacts, id: Cell, name: Cell, part: f64, style: &TerminalStyle) -> Vec<Cell> {
    let mut cells =
        vec![id, self_share(part), name, Cell::new(place(facts), Ink::Accent), kind(facts, style)];
    cells.extend(trip_cells(facts.trip_count.as_ref(), style));
    cells.extend(work_cells(facts.work.as_ref(), style));
    cells
}

/// Entries, minimum, median, mean, maximum, source iterations and share of one machine loop.
fn trip_cells(trips: Option<&TripCount>, style: &TerminalStyle) -> Vec<Cell> {
    let Some(trips) = trips else { return vec![Cell::empty(); 7] };
    let about = if trips.approximate { "~" } else { "" };
    let or_empty = |value: Option<String>| value.map_or_else(Cell::empty, Cell::plain);
    let part = trips.source_share.filter(|part| *part < 1.0);
    vec![
        or_empty(trips.entries.map(amount)),
        or_empty(trips.min.map(|n| format!("{about}{}", amount(n)))),
        or_empty(trips.median_range().map(|range| format!("{about}{}", span(range, style)))),
        trips.mean.map_or_else(Cell::empty, |n| Cell::new(mean(n), Ink::Strong)),
        or_empty(trips.max.map(|n| format!("{about}{}", amount(n)))),
        or_empty(trips.source_iterations.map(|n| inferred(trips).to_owned() + &amount(n))),
        or_empty(part.map(percent)),
    ]
}

/// Instructions, FLOP, integer operations, bytes and intensity.
fn work_cells(work: Option<&WorkRow>, style: &TerminalStyle) -> Vec<Cell> {
    let Some(work) = work else { return vec![Cell::empty(); 5] };
    let bound = at_most(work.flop_is_bound, style);
    let number = |n: u64, bound: &str| {
        if n > 0 { Cell::plain(bound.to_owned() + &amount(n)) } else { Cell::new("-", Ink::Dim) }
    };
    vec![
        Cell::plain(amount(work.instructions)),
        number(work.flop, bound),
        number(work.int_ops, ""),
        number(work.bytes(), bound),
        work.intensity.map_or_else(Cell::empty, |intensity| Cell::plain(rate(intensity))),
    ]
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
    let mut reasons: Vec<(&str, Vec<&LeftAloneFacts>, f64)> = Vec::new();
    for each in all {
        let seconds = each.self_seconds.unwrap_or(0.0);
        match reasons.iter_mut().find(|(reason, ..)| *reason == each.reason) {
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
fn bare(reason: &str) -> &str {
    reason.strip_prefix("left as it is: ").unwrap_or(reason)
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
