//! The parts of `show loop` that need a counting run: iterations with their distribution, executed work, the place
//! under the machine's ceilings, and what each thread did. Counts have all their digits here.

use crate::columns::{Cell, Column, Table};
use crate::memory_behaviour::estimate;
use crate::phrases::TWO_RUNS;
use crate::prose::{facts, heading, labelled, paragraph};
use crate::quantity::{count, counted, mean, percent, rate, ratio, share, time};
use crate::style::{Ink, TerminalStyle};
use crate::trip_counts::{at_most, mix, work_items};
use crate::vocabulary::{self, provenance};
use loopwright_analysis::model::{
    ByThread, Imbalance, LoopFacts, Provenance, RoofKind, RooflineKind, RooflinePoint, ThreadCounts,
    ThreadSeconds, TripCount,
};

/// Width of the label column.
const LABEL: usize = 9;
/// Rows of a histogram.
const BUCKETS: usize = 12;
/// Threads shown.
const THREADS: usize = 16;
/// Columns of a bar.
const BAR: usize = 30;

/// All parts that are known.
pub(crate) fn counted_parts(this: &LoopFacts, style: &TerminalStyle) -> String {
    let mut out = String::new();
    if let Some(trips) = &this.trip_count {
        out.push_str(&iterations(trips, style));
    }
    if let Some(why) = &this.not_counted {
        out.push_str(&heading(style, "Not counted"));
        out.push_str(&paragraph(style, 0, Ink::Caution, &why.to_string()));
    }
    if let Some(work) = &this.work {
        out.push_str(&heading(style, "Work of the whole run (counted)"));
        let mut exact = vec![format!("{} instructions", count(work.instructions))];
        let bound = at_most(work.flop_is_bound, style);
        if work.flop > 0 {
            exact.push(format!("{bound}{} FLOP", count(work.flop)));
        }
        exact.push(format!("{bound}{} bytes loaded", count(work.bytes_loaded)));
        exact.push(format!("{bound}{} stored", count(work.bytes_stored)));
        out.push_str(&facts(style, "Exactly", LABEL, Ink::Plain, &exact));
        out.push_str(&facts(style, "Own", LABEL, Ink::Plain, &work_items(work, style)));
        if let Some(total) = this.total_work.as_ref().filter(|total| *total != work) {
            out.push_str(&facts(style, "Nest", LABEL, Ink::Plain, &work_items(total, style)));
        }
        out.push_str(&facts(style, "Executed", LABEL, Ink::Plain, &mix(work)));
    }
    if let Some(point) = &this.roofline {
        out.push_str(&roofline(point, style));
    }
    if let Some(threads) = &this.by_thread {
        out.push_str(&by_thread(threads, style));
    }
    out
}

fn iterations(trips: &TripCount, style: &TerminalStyle) -> String {
    let mut out = heading(style, "Iterations (counted)");
    let mut machine = Vec::new();
    if let Some(entries) = trips.entries {
        machine.push(format!("entered {} times", count(entries)));
    }
    machine.push(counted(trips.iterations, "machine iteration", "machine iterations"));
    out.push_str(&facts(style, "Machine", LABEL, Ink::Plain, &machine));
    let about = if trips.approximate { "about " } else { "" };
    let mut each = Vec::new();
    if let Some(value) = trips.mean {
        each.push(format!("mean {}", mean(value)));
    }
    if let Some((low, high)) = trips.median_range() {
        each.push(format!("median {about}{}", exact_range((low, high), style)));
    }
    if let (Some(min), Some(max)) = (trips.min, trips.max) {
        each.push(format!("{about}{} to {}", count(min), count(max)));
    }
    out.push_str(&facts(style, "An entry", LABEL, Ink::Plain, &each));
    out.push_str(&source(trips, style));
    if trips.approximate {
        let text = "Entries were nested (recursion, signal handlers, exceptions): the distribution is approximate, \
                    entries and sums are exact.";
        out.push_str(&paragraph(style, LABEL + 2, Ink::Dim, text));
    }
    out + &histogram(trips, style)
}

/// What the machine's iterations mean for the loop as written.
fn source(trips: &TripCount, style: &TerminalStyle) -> String {
    let mut items = Vec::new();
    match (trips.group_iterations, &trips.source_unknown) {
        (Some(iterations), _) => {
            let how = trips.source_provenance.filter(|how| *how == Provenance::Inferred);
            let how = how.map_or_else(String::new, |how| format!(" ({})", provenance(how)));
            items.push(format!("{} iterations of the loop as written{how}", count(iterations)));
        }
        (None, Some(why)) => items.push(format!("iterations of the loop as written unknown: {why}")),
        (None, None) => {}
    }
    match (trips.source_entries, trips.source_mean, trips.source_mean_bounds) {
        (Some(entries), Some(value), _) => {
            items.push(format!("entered {} times", count(entries)));
            items.push(format!("mean {}", mean(value)));
        }
        (_, _, Some((low, high))) => {
            items.push(format!("mean between {} and {}", mean(low), mean(high)));
        }
        _ => {}
    }
    if let Some(factor) = trips.source_factor.filter(|factor| *factor > 1) {
        items.push(format!("{factor} in each machine iteration"));
    }
    if trips.straight_iterations > 0 {
        items.push(format!("{} of them in straight code", count(trips.straight_iterations)));
    }
    if let Some(part) = trips.source_share.filter(|part| *part < 1.0) {
        items.push(format!("this piece does {} of them", share(part)));
    }
    if !trips.group_complete {
        items.push("some pieces were not counted".to_owned());
    }
    facts(style, "Source", LABEL, Ink::Plain, &items)
}

/// Entries by their number of iterations; nothing where all entries are alike.
fn histogram(trips: &TripCount, style: &TerminalStyle) -> String {
    let rows = merged(&trips.histogram, BUCKETS);
    if rows.len() < 2 {
        return String::new();
    }
    let all: u64 = rows.iter().map(|row| row.2).sum();
    let largest = rows.iter().map(|row| row.2).max().unwrap_or(1).max(1);
    let table = Table::<(u64, u64, u64)>::new()
        .column(Column::right("Iterations"), |&(low, high, _)| Cell::plain(exact_range((low, high), style)))
        .column(Column::right("Entries"), |(.., entries)| Cell::plain(count(*entries)))
        .column(Column::right("%"), |(.., entries)| {
            Cell::new(percent(*entries as f64 / all.max(1) as f64), Ink::Strong)
        })
        .column(Column::left("").expendable(1), |(.., entries)| {
            let cells = (*entries as f64 / largest as f64 * BAR as f64).ceil() as usize;
            Cell::new(style.sign("█", "#").repeat(cells.min(BAR)), Ink::Dim)
        });
    table.render(rows, style, LABEL + 2)
}

/// A lowest and a highest count with all their digits.
fn exact_range((low, high): (u64, u64), style: &TerminalStyle) -> String {
    if low == high { count(low) } else { format!("{}{}{}", count(low), style.sign("–", "-"), count(high)) }
}

/// At most `most` buckets: neighbours are taken together, those with fewest entries first.
fn merged(histogram: &[(u64, u64, u64)], most: usize) -> Vec<(u64, u64, u64)> {
    let mut rows: Vec<(u64, u64, u64)> = histogram.iter().copied().filter(|row| row.2 > 0).collect();
    while rows.len() > most {
        let pair = |at: &usize| rows[*at].2.saturating_add(rows[*at + 1].2);
        let Some(at) = (0..rows.len() - 1).min_by_key(pair) else { break };
        let next = rows.remove(at + 1);
        rows[at] = (rows[at].0, next.1, rows[at].2.saturating_add(next.2));
    }
    rows
}

fn roofline(point: &RooflinePoint, style: &TerminalStyle) -> String {
    let how = match point.provenance {
        Some(provenance @ (Provenance::Modelled | Provenance::Counted)) => {
            format!(" ({})", vocabulary::provenance(provenance))
        }
        _ => String::new(),
    };
    let mut out = heading(style, &format!("Roofline{how}"));
    let operations = vocabulary::operations(point.kind);
    let mut place = Vec::new();
    if let Some(intensity) = point.intensity {
        place.push(format!("{} {operations}/byte", rate(intensity)));
    }
    let rates = [
        (point.gflops, vocabulary::rate_unit(RooflineKind::Flop)),
        (point.gintops, vocabulary::rate_unit(RooflineKind::Integer)),
        (point.gbytes_per_second, vocabulary::rate_unit(RooflineKind::Bytes)),
        (point.ginstructions, "10^9 instructions/s"),
    ];
    place.extend(rates.iter().filter_map(|(value, unit)| Some(format!("{} {unit}", rate((*value)?)))));
    if let Some(cores) = point.cores {
        place.push(format!("on {}", counted(cores.into(), "core", "cores")));
    }
    out.push_str(&facts(style, "Achieved", LABEL, Ink::Plain, &place));
    if let Some(bound) = &point.bound {
        let mut items = vec![bound.clone()];
        if let Some(headroom) = point.headroom {
            items.push(format!("headroom {}", ratio(headroom, style)));
        }
        out.push_str(&facts(style, "Bound by", LABEL, Ink::Strong, &items));
    }
    let unit = vocabulary::rate_unit(point.kind);
    let roofs: Vec<String> = point
        .roofs
        .iter()
        .map(|roof| match (roof.kind, roof.gbytes) {
            (RoofKind::Memory, Some(gbytes)) if point.kind != RooflineKind::Bytes => {
                format!("{} {} (at {} GB/s)", roof.name, rate(roof.value), rate(gbytes))
            }
            _ => format!("{} {}", roof.name, rate(roof.value)),
        })
        .collect();
    if !roofs.is_empty() {
        out.push_str(&facts(style, "Ceilings", LABEL, Ink::Plain, &roofs));
        out.push_str(&paragraph(style, LABEL + 2, Ink::Dim, &format!("in {unit} at this intensity")));
    }
    out.push_str(&levels(point, unit, style));
    if !point.how.is_empty() {
        out.push_str(&labelled(style, 0, "Why", LABEL, Ink::Plain, &point.how));
    }
    out
}

/// What each memory level moves, where caches were simulated.
fn levels(point: &RooflinePoint, unit: &str, style: &TerminalStyle) -> String {
    let number = |value: Option<f64>, range: Option<(f64, f64)>| {
        value.map(|value| estimate(value, range.unwrap_or((value, value)), style))
    };
    let mut out = String::new();
    for (at, level) in point.levels.iter().enumerate() {
        let mut items = Vec::new();
        match number(level.estimated_intensity, level.intensity) {
            Some(intensity) => items.push(format!("{}: {intensity} operations/byte", level.name)),
            None => items.push(format!("{}: moves nothing", level.name)),
        }
        if let Some(ceiling) = number(level.estimated_ceiling, level.ceiling) {
            items.push(format!("at most {ceiling} {unit}"));
        }
        if let (Some(gbytes), Some(kernel)) = (level.gbytes, &level.kernel) {
            items.push(format!("{} GB/s ({kernel})", rate(gbytes)));
        }
        let title = if at == 0 { "Simulated" } else { "" };
        out.push_str(&facts(style, title, LABEL, Ink::Plain, &items));
    }
    out
}

/// `imbalance 33 % (Imb. Time%), 1.2 s of the busiest of 2 threads above their mean`.
pub(crate) fn imbalance(imbalance: &Imbalance, quantity: impl Fn(f64) -> String) -> Vec<String> {
    vec![
        format!("imbalance {} (Imb. Time%)", share(imbalance.share)),
        format!("{} above the mean of {} (Imb. Time)", quantity(imbalance.excess), quantity(imbalance.mean)),
        format!(
            "{} in the busiest of {}",
            quantity(imbalance.max),
            counted(imbalance.threads.into(), "thread", "threads")
        ),
    ]
}

fn by_thread(threads: &ByThread, style: &TerminalStyle) -> String {
    let mut out = heading(style, "Threads");
    if let Some(of_time) = &threads.time_imbalance {
        out.push_str(&facts(style, "Time", LABEL, Ink::Plain, &imbalance(of_time, time)));
    }
    if let Some(of_work) = &threads.instruction_imbalance {
        let amount = |value: f64| crate::quantity::amount(value.round() as u64) + " instructions";
        out.push_str(&facts(style, "Work", LABEL, Ink::Plain, &imbalance(of_work, amount)));
    }
    let largest = threads.sampled.iter().map(|each| each.seconds).fold(0.0, f64::max);
    let bar = |part: f64| {
        let cells = if part > 0.0 { (part * BAR as f64).ceil() as usize } else { 0 };
        Cell::new(style.sign("█", "#").repeat(cells.min(BAR)), Ink::Dim)
    };
    let rank = |rank: Option<u32>| Cell::known(rank.map(|rank| rank.to_string()));
    if !threads.sampled.is_empty() {
        let table = Table::<&ThreadSeconds>::new()
            .column(Column::right("Rank"), |each| rank(each.rank))
            .column(Column::right("Thread"), |each| Cell::plain(each.tid.to_string()))
            .column(Column::right("Self time"), |each| Cell::plain(time(each.seconds)))
            .column(Column::left("").expendable(1), |each| {
                bar(if largest > 0.0 { each.seconds / largest } else { 0.0 })
            });
        out.push_str(&table.render(threads.sampled.iter().take(THREADS), style, LABEL + 2));
    }
    if !threads.counted.is_empty() {
        let most = threads.counted.iter().map(|each| each.instructions).max().unwrap_or(0).max(1) as f64;
        let table = Table::<&ThreadCounts>::new()
            .column(Column::right("Rank"), |each| rank(each.rank))
            .column(Column::right("Thread"), |each| Cell::plain(each.tid.to_string()))
            .column(Column::right("Entries").expendable(3), |each| Cell::known(each.entries.map(count)))
            .column(Column::right("Iterations").expendable(2), |each| Cell::known(each.iterations.map(count)))
            .column(Column::right("Instructions"), |each| Cell::plain(count(each.instructions)))
            .column(Column::left("").expendable(1), |each| bar(each.instructions as f64 / most));
        out.push_str(&table.render(threads.counted.iter().take(THREADS), style, LABEL + 2));
        if !threads.sampled.is_empty() {
            out.push_str(&paragraph(style, LABEL + 2, Ink::Dim, TWO_RUNS));
        }
    }
    let hidden = threads.sampled.len().max(threads.counted.len()).saturating_sub(THREADS);
    if hidden > 0 {
        let text = format!("{hidden} more: loopwright show loop --json");
        out.push_str(&paragraph(style, LABEL + 2, Ink::Dim, &text));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    fn parts_at_common_widths() {
        let analysis = fixture::counts::counted();
        for style in fixture::styles() {
            let parts: String = [12, 20, 41, 40, 55]
                .iter()
                .filter_map(|id| analysis.loops.iter().find(|each| each.id == *id))
                .map(|each| format!("== {}\n{}", each.id, counted_parts(each, &style)))
                .collect();
            fixture::assert_fits(&parts, &style);
            insta::assert_snapshot!(fixture::label("loop_counts", &style), fixture::visible(&parts));
        }
    }

    #[test]
    fn simulated_levels_stand_below_the_ceilings() {
        let analysis = fixture::patterns::traced();
        let this = analysis.loops.iter().find(|each| each.id == 12).unwrap();
        let text = counted_parts(this, &TerminalStyle::plain(120));
        assert!(text.contains("L1: 0.0610 operations/byte, at most 18.9 GFLOP/s"), "{text}");
        assert!(text.contains("DRAM: 1.38 (1.31-1.45) operations/byte"), "{text}");
        assert!(text.contains("L3: moves nothing"), "{text}");
    }

    #[test]
    fn a_loop_without_counts_has_no_such_parts() {
        let analysis = fixture::analysis();
        assert_eq!(counted_parts(&analysis.loops[0], &TerminalStyle::plain(80)), "");
    }

    #[test]
    fn long_histograms_keep_every_entry() {
        let many: Vec<(u64, u64, u64)> = (0..60).map(|n| (n, n, n * 7 % 13)).collect();
        let short = merged(&many, BUCKETS);
        assert!(short.len() <= BUCKETS);
        let sum = |rows: &[(u64, u64, u64)]| rows.iter().map(|row| row.2).sum::<u64>();
        assert_eq!(sum(&short), sum(&many));
        assert!(short.windows(2).all(|pair| pair[0].1 < pair[1].0), "{short:?}");
    }
}
