//! `show threads`: threads, processes and ranks, how evenly they are loaded, and which loops load them unevenly.

use crate::columns::{Cell, Column, Shorten, Table};
use crate::fields::{Field, table};
use crate::hotspots::left_out;
use crate::loop_words::place;
use crate::prose::{facts, heading, paragraph};
use crate::quantity::{TimeUnit, count, percent, share, time};
use crate::style::{Ink, TerminalStyle};
use loopwright_analysis::model::{Analysis, Imbalance, LoopFacts, ThreadFacts};
use std::collections::BTreeMap;

/// Without `all`, threads beyond these are left out.
const THREADS: usize = 64;
/// Without `all`, loops beyond these are left out.
const LOOPS: usize = 12;

/// Largest, mean and smallest of some times, and how much of the largest is waiting of the others.
struct Spread {
    largest: f64,
    mean: f64,
    smallest: f64,
    many: usize,
}

impl Spread {
    fn of(times: &[f64]) -> Option<Self> {
        if times.len() < 2 {
            return None;
        }
        let largest = times.iter().copied().fold(f64::MIN, f64::max);
        let smallest = times.iter().copied().fold(f64::MAX, f64::min);
        let mean = times.iter().sum::<f64>() / times.len() as f64;
        Some(Self { largest, smallest, mean, many: times.len() })
    }

    /// CrayPAT's `Imb. Time%` as a share: the part of the slowest one's time in which the others wait, 1 when it does
    /// everything: (largest - mean) / largest x N / (N - 1).
    fn imbalance(&self) -> f64 {
        let many = self.many as f64;
        // The mean of equal times may be above them by a rounding error.
        let excess = (self.largest - self.mean).max(0.0);
        if self.largest > 0.0 { excess / self.largest * many / (many - 1.0) } else { 0.0 }
    }

    fn facts(&self) -> Vec<String> {
        vec![
            format!("imbalance {}", share(self.imbalance())),
            format!("longest {}", time(self.largest)),
            format!("mean {}", time(self.mean)),
            format!("shortest {}", time(self.smallest)),
        ]
    }
}

/// Threads, processes and ranks, and how evenly they are loaded.
pub fn threads(analysis: &Analysis, all: bool, style: &TerminalStyle) -> String {
    let threads = &analysis.threads;
    if threads.is_empty() {
        let counted = uneven_loops(analysis, all, style) + &counted_threads(analysis, all, style);
        let none = "No thread was sampled: loopwright survey measures the time of each.";
        return paragraph(style, 0, Ink::Plain, none) + &counted;
    }
    let sums = |key: fn(&ThreadFacts) -> (Option<u32>, u32)| {
        let mut sums: BTreeMap<(Option<u32>, u32), f64> = BTreeMap::new();
        for each in threads {
            *sums.entry(key(each)).or_default() += each.cpu_seconds;
        }
        sums.into_values().collect::<Vec<f64>>()
    };
    let mut out = String::new();
    let mut spread = |label: &str, times: &[f64]| {
        if let Some(spread) = Spread::of(times) {
            let mut items = vec![times.len().to_string()];
            items.extend(spread.facts());
            out.push_str(&facts(style, label, 9, Ink::Plain, &items));
        }
    };
    let ranked = threads.iter().any(|each| each.rank.is_some());
    if ranked {
        spread("Ranks", &sums(|each| (each.rank, 0)));
    }
    let processes = sums(|each| (each.rank, each.pid));
    if !ranked {
        spread("Processes", &processes);
    }
    let times: Vec<f64> = threads.iter().map(|each| each.cpu_seconds).collect();
    spread("Threads", &times);
    if !out.is_empty() {
        out.push('\n');
    }

    let unit = TimeUnit::for_largest(times.iter().copied().fold(0.0, f64::max));
    // Clocks of threads are in no survey of an earlier version.
    let with_clocks = threads.iter().any(|each| each.blocked_seconds.is_some());
    let order: Vec<&str> = TEXT.into_iter().filter(|id| with_clocks || !CLOCKS.contains(id)).collect();
    let largest = times.iter().copied().fold(0.0, f64::max);
    let shown = if all { threads.len() } else { threads.len().min(THREADS) };
    let mut fields = thread_fields(analysis, unit, largest, style);
    fields.retain(|field| with_clocks || !CLOCKS.contains(&field.id()));
    out.push_str(&table(fields, &order).render(&threads[..shown], style, 0));
    let hidden: f64 = threads[shown..].iter().map(|each| each.cpu_share).sum();
    out.push_str(&left_out(threads.len() - shown, hidden, "threads", style));
    out.push_str(&uneven_loops(analysis, all, style));
    out + &counted_threads(analysis, all, style)
}

/// Columns of a bar.
const BAR: f64 = 20.0;

/// The order of the text of threads.
const TEXT: [&str; 12] = [
    "rank",
    "pid",
    "tid",
    "name",
    "cpu_seconds",
    "cpu_share",
    "bar",
    "system_seconds",
    "ready_seconds",
    "blocked_seconds",
    "waits",
    "top_loops",
];
/// What only surveys with clocks know.
const CLOCKS: [&str; 4] = ["system_seconds", "ready_seconds", "blocked_seconds", "waits"];

/// A bar for a part of the largest value.
fn bar(part: f64, style: &TerminalStyle) -> Cell {
    let cells = (part * BAR).round().clamp(0.0, BAR) as usize;
    Cell::new(style.sign("█", "#").repeat(cells), Ink::Dim)
}

/// The fields of threads; `largest` is the time that fills a bar.
pub(crate) fn thread_fields<'a>(
    analysis: &'a Analysis,
    unit: TimeUnit,
    largest: f64,
    style: &'a TerminalStyle,
) -> Vec<Field<'a, &'a ThreadFacts>> {
    let timed = |name: &str| Column::right(format!("{name} {}", unit.symbol()));
    let field = Field::<&'a ThreadFacts>::new;
    let known = move |seconds: Option<f64>| Cell::known(seconds.map(|seconds| unit.number(seconds)));
    vec![
        field("rank")
            .csv(|each| each.rank)
            .text(Column::right("Rank"), |each| Cell::known(each.rank.map(|rank| rank.to_string()))),
        field("pid")
            .csv(|each| each.pid)
            .text(Column::right("Process").expendable(2), |each| Cell::plain(each.pid.to_string())),
        field("tid")
            .csv(|each| each.tid)
            .text(Column::right("Thread"), |each| Cell::plain(each.tid.to_string())),
        field("name")
            .csv(|each| each.name.clone())
            .text(Column::left("Name").shorten(Shorten::End, 12), |each| Cell::plain(&each.name)),
        field("cpu_seconds")
            .csv(|each| each.cpu_seconds)
            .text(timed("CPU"), move |each| Cell::plain(unit.number(each.cpu_seconds))),
        field("cpu_share")
            .csv(|each| each.cpu_share)
            .text(Column::right("%"), |each| Cell::new(percent(each.cpu_share), Ink::Strong)),
        field("bar").text(Column::left("").expendable(3), move |each| {
            bar(if largest > 0.0 { each.cpu_seconds / largest } else { 0.0 }, style)
        }),
        field("system_seconds").text(timed("Kernel").expendable(4), move |each| known(each.system_seconds)),
        field("ready_seconds").text(timed("Ready").expendable(5), move |each| known(each.ready_seconds)),
        field("blocked_seconds")
            .text(timed("Blocked").expendable(6), move |each| known(each.blocked_seconds)),
        field("waits").text(Column::left("Mostly in").shorten(Shorten::End, 16).expendable(7), |each| {
            Cell::known(each.waits.first().map(crate::elapsed::named))
        }),
        field("top_loops").text(
            Column::left("Hottest loops").shorten(Shorten::End, 28).expendable(1),
            |each| {
                let loops = each.top_loops.iter().filter_map(|(id, seconds)| {
                    let facts = analysis.loops.iter().find(|known| known.id == *id)?;
                    let part = if each.cpu_seconds > 0.0 { seconds / each.cpu_seconds } else { 0.0 };
                    Some(format!("{} {}", facts.place(), share(part)))
                });
                Cell::plain(loops.collect::<Vec<String>>().join(", "))
            },
        ),
    ]
}

/// Loops that several threads ran, by what perfect balance would save.
fn uneven_loops(analysis: &Analysis, all: bool, style: &TerminalStyle) -> String {
    let time_of = |each: &LoopFacts| each.by_thread.as_ref().and_then(|threads| threads.time_imbalance);
    let work_of =
        |each: &LoopFacts| each.by_thread.as_ref().and_then(|threads| threads.instruction_imbalance);
    let mut loops: Vec<&LoopFacts> =
        analysis.loops.iter().filter(|each| time_of(each).is_some() || work_of(each).is_some()).collect();
    if loops.is_empty() {
        return String::new();
    }
    let excess = |each: &LoopFacts| time_of(each).map_or(0.0, |imbalance| imbalance.excess);
    loops.sort_by(|a, b| excess(b).total_cmp(&excess(a)));
    let unit = TimeUnit::for_largest(
        loops.iter().filter_map(|each| time_of(each)).map(|i| i.max).fold(0.0, f64::max),
    );
    let timed = |name: &str| Column::right(format!("{name} {}", unit.symbol()));
    let seconds = |each: &LoopFacts, value: fn(&Imbalance) -> f64| {
        Cell::known(time_of(each).map(|imbalance| unit.number(value(&imbalance))))
    };
    let part = |imbalance: Option<Imbalance>| {
        imbalance.map_or_else(Cell::empty, |imbalance| Cell::new(percent(imbalance.share), Ink::Strong))
    };
    let table = Table::<&LoopFacts>::new()
        .column(Column::right("Loop"), |each| Cell::new(each.id.to_string(), Ink::Strong))
        .column(Column::left("Function").shorten(Shorten::Symbol, 12), |each| Cell::plain(each.name()))
        .column(Column::left("Place").shorten(Shorten::Middle, 12), |each| {
            Cell::new(place(each), Ink::Accent)
        })
        .column(Column::right("Threads").expendable(1), |each| {
            let ran = time_of(each).or_else(|| work_of(each)).map_or(0, |imbalance| imbalance.threads);
            Cell::plain(ran.to_string())
        })
        .column(timed("Busiest").expendable(3), |each| seconds(each, |imbalance| imbalance.max))
        .column(timed("Mean").expendable(4), |each| seconds(each, |imbalance| imbalance.mean))
        .column(timed("Imb."), |each| seconds(each, |imbalance| imbalance.excess))
        .column(Column::right("Imb. %"), |each| part(time_of(each)))
        .column(Column::right("Instr. imb. %").expendable(2), |each| part(work_of(each)));
    let shown = if all { loops.len() } else { loops.len().min(LOOPS) };
    let rows = loops[..shown].iter().copied();
    let mut out = heading(style, "Imbalance by loop") + &table.render(rows, style, 0);
    let note = "Imb. time = busiest - mean: what an even load would save. Imb. % = (busiest - mean) / busiest x N / (N - 1) \
                over the N threads that ran the function (CrayPAT's definitions).";
    out.push_str(&paragraph(style, 0, Ink::Dim, note));
    if shown < loops.len() {
        let text = format!("{} more: loopwright show threads --all", loops.len() - shown);
        out.push_str(&paragraph(style, 0, Ink::Dim, &text));
    }
    out
}

/// What the threads of the counting run did where several of them ran the same function.
fn counted_threads(analysis: &Analysis, all: bool, style: &TerminalStyle) -> String {
    let mut sums: BTreeMap<(Option<u32>, u32, u32), (u64, u64)> = BTreeMap::new();
    let counted = analysis.functions.iter().filter_map(|each| each.by_thread.as_ref());
    for each in counted.flat_map(|threads| &threads.counted) {
        let sum = sums.entry((each.rank, each.pid, each.tid)).or_default();
        sum.0 = sum.0.saturating_add(each.instructions);
        sum.1 = sum.1.saturating_add(each.flop);
    }
    if sums.len() < 2 {
        return String::new();
    }
    let mut sums: Vec<_> = sums.into_iter().collect();
    sums.sort_by_key(|(_, (instructions, _))| std::cmp::Reverse(*instructions));
    let largest = sums[0].1.0.max(1) as f64;
    type Thread = ((Option<u32>, u32, u32), (u64, u64));
    let table = Table::<&Thread>::new()
        .column(Column::right("Rank"), |((rank, ..), _)| Cell::known(rank.map(|rank| rank.to_string())))
        .column(Column::right("Process").expendable(2), |((_, pid, _), _)| Cell::plain(pid.to_string()))
        .column(Column::right("Thread"), |((_, _, tid), _)| Cell::plain(tid.to_string()))
        .column(Column::right("Instructions"), |(_, (instructions, _))| {
            Cell::new(count(*instructions), Ink::Strong)
        })
        .column(Column::right("FLOP"), |(_, (_, flop))| Cell::plain(count(*flop)))
        .column(Column::left("").expendable(1), |(_, (instructions, _))| {
            bar(*instructions as f64 / largest, style)
        });
    let shown = if all { sums.len() } else { sums.len().min(THREADS) };
    let rows = &sums[..shown];
    let mut out =
        heading(style, "Counted in functions that several threads ran") + &table.render(rows, style, 0);
    if shown < sums.len() {
        let text = format!("{} more: loopwright show threads --all", sums.len() - shown);
        out.push_str(&paragraph(style, 0, Ink::Dim, &text));
    }
    out + &paragraph(style, 0, Ink::Dim, "The counting run is another run: its threads have other numbers.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    fn tables_at_common_widths() {
        for style in fixture::styles() {
            for (what, analysis) in
                [("threads", fixture::analysis()), ("threads_counted", fixture::counts::counted())]
            {
                let text = threads(&analysis, false, &style);
                fixture::assert_fits(&text, &style);
                insta::assert_snapshot!(fixture::label(what, &style), fixture::visible(&text));
            }
        }
    }

    #[test]
    fn counts_alone_show_their_imbalance() {
        let mut analysis = fixture::counts::only_counted();
        analysis.threads.clear();
        let text = threads(&analysis, false, &TerminalStyle::plain(120));
        assert!(text.contains("No thread was sampled") && text.contains("19,000,000,000"), "{text}");
    }

    #[test]
    fn imbalance_is_what_an_even_load_would_save() {
        let spread = Spread::of(&[4.0, 2.0, 2.0]).unwrap();
        assert!((spread.imbalance() - 0.5).abs() < 1e-12, "(4 - 8/3) / 4 x 3 / 2");
        assert_eq!(Spread::of(&[4.0, 0.0]).unwrap().imbalance(), 1.0, "one does everything");
        assert!(Spread::of(&[1.0]).is_none());
        assert_eq!(Spread::of(&[0.0, 0.0]).unwrap().imbalance(), 0.0);
        // Three times 0.1 are more than 0.3 in binary.
        let even = Spread::of(&[0.1; 3]).unwrap();
        assert!(even.mean > even.largest);
        assert_eq!(even.facts()[0], "imbalance 0 %");
    }

    #[test]
    fn ranks_are_summed_over_their_threads() {
        let mut analysis = fixture::analysis();
        for (at, each) in analysis.threads.iter_mut().enumerate() {
            each.rank = Some(at as u32 / 2);
        }
        let text = threads(&analysis, false, &TerminalStyle::plain(100));
        assert!(text.starts_with("Ranks      2, imbalance 7.2 %, longest 12.5 s"), "{text}");
        assert!(text.contains("Rank  Process  Thread"), "{text}");
    }

    #[test]
    fn thousands_of_threads_are_cut_and_counted() {
        let mut analysis = fixture::analysis();
        let one = analysis.threads[0].clone();
        analysis.threads = vec![one; 1_000];
        let style = TerminalStyle::plain(100);
        assert!(threads(&analysis, false, &style).contains("936 more"));
        assert!(threads(&analysis, true, &style).lines().count() > 1_000);
    }
}
