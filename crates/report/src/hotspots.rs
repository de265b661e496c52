//! `show functions`, `show modules` and `show threads`: time by other units than loops.

use crate::columns::{Cell, Column, Columns, Shorten};
use crate::prose::{facts, paragraph};
use crate::quantity::{TimeUnit, percent, share, time};
use crate::style::{Ink, TerminalStyle};
use loopwright_analysis::model::{Analysis, ThreadFacts};
use std::collections::BTreeMap;

/// Without `all`, what has a smaller share is left out.
const NOTICEABLE: f64 = 0.001;
/// Without `all`, threads beyond these are left out.
const THREADS: usize = 64;

/// The functions, by self time.
pub fn functions(analysis: &Analysis, all: bool, style: &TerminalStyle) -> String {
    let (shown, hidden): (Vec<_>, Vec<_>) =
        analysis.functions.iter().partition(|each| all || each.self_share >= NOTICEABLE);
    if shown.is_empty() {
        return paragraph(style, 0, Ink::Plain, "No function has a noticeable share of the time.");
    }
    let unit = TimeUnit::for_largest(shown.iter().map(|each| each.total_seconds).fold(0.0, f64::max));
    let mut table = Columns::new(vec![
        Column::right("Self %"),
        Column::right(format!("Self {}", unit.symbol())).expendable(2),
        Column::right("Total %"),
        Column::right(format!("Total {}", unit.symbol())).expendable(3),
        Column::left("Function").shorten(Shorten::Symbol, 20),
        Column::left("Place").shorten(Shorten::Start, 10).expendable(1),
        Column::left("Module").shorten(Shorten::Middle, 10),
    ]);
    for each in &shown {
        let place = match (&each.file, each.line) {
            (Some(file), Some(line)) => format!("{}:{line}", crate::names::base_name(file)),
            _ => String::new(),
        };
        table.row(vec![
            Cell::new(percent(each.self_share), Ink::Strong),
            Cell::plain(unit.number(each.self_seconds)),
            Cell::plain(percent(each.total_share)),
            Cell::plain(unit.number(each.total_seconds)),
            Cell::plain(&each.function),
            Cell::new(place, Ink::Accent),
            Cell::new(&each.module, Ink::Dim),
        ]);
    }
    let rest: f64 = hidden.iter().map(|each| each.self_share).sum();
    table.render(style, 0) + &left_out(hidden.len(), rest, "functions", style)
}

fn left_out(count: usize, rest: f64, view: &str, style: &TerminalStyle) -> String {
    if count == 0 {
        return String::new();
    }
    paragraph(
        style,
        0,
        Ink::Dim,
        &format!("{count} more with {} together: loopwright show {view} --all", share(rest)),
    )
}

/// The modules, by self time.
pub fn modules(analysis: &Analysis, style: &TerminalStyle) -> String {
    if analysis.modules.is_empty() {
        return paragraph(style, 0, Ink::Plain, "No module was sampled.");
    }
    let unit =
        TimeUnit::for_largest(analysis.modules.iter().map(|each| each.self_seconds).fold(0.0, f64::max));
    let mut table = Columns::new(vec![
        Column::right("Self %"),
        Column::right(format!("Self {}", unit.symbol())).expendable(2),
        Column::left("Module").shorten(Shorten::Start, 20),
        Column::left("Symbols"),
        Column::left("Lines"),
        Column::left("Compiler").shorten(Shorten::End, 12).expendable(1),
        Column::left("Build id").shorten(Shorten::End, 12).expendable(3),
    ]);
    let known = |known: bool| if known { Cell::plain("yes") } else { Cell::new("no", Ink::Caution) };
    for each in &analysis.modules {
        table.row(vec![
            Cell::new(percent(each.self_share), Ink::Strong),
            Cell::plain(unit.number(each.self_seconds)),
            Cell::new(&each.path, if each.main_module { Ink::Strong } else { Ink::Plain }),
            known(each.has_symbols),
            known(each.has_lines),
            each.producers.first().map_or_else(Cell::empty, Cell::plain),
            each.build_id.as_ref().map_or_else(Cell::empty, |id| Cell::new(id, Ink::Dim)),
        ]);
    }
    table.render(style, 0)
}

/// Largest, mean and smallest of some times, and how much of the largest is waiting of the others.
struct Spread {
    largest: f64,
    mean: f64,
    smallest: f64,
}

impl Spread {
    fn of(times: &[f64]) -> Option<Self> {
        if times.len() < 2 {
            return None;
        }
        let largest = times.iter().copied().fold(f64::MIN, f64::max);
        let smallest = times.iter().copied().fold(f64::MAX, f64::min);
        Some(Self { largest, smallest, mean: times.iter().sum::<f64>() / times.len() as f64 })
    }

    /// (largest - mean) / largest: what an even distribution would save of the slowest one's time.
    fn imbalance(&self) -> f64 {
        if self.largest > 0.0 { (self.largest - self.mean) / self.largest } else { 0.0 }
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
        return paragraph(style, 0, Ink::Plain, "No thread was sampled.");
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
    let mut table = Columns::new(vec![
        Column::right("Rank"),
        Column::right("Process").expendable(2),
        Column::right("Thread"),
        Column::left("Name").shorten(Shorten::End, 12),
        Column::right(format!("CPU {}", unit.symbol())),
        Column::right("%"),
        Column::left("").expendable(3),
        Column::left("Hottest loops").shorten(Shorten::End, 28).expendable(1),
    ]);
    let largest = times.iter().copied().fold(0.0, f64::max);
    let shown = if all { threads.len() } else { threads.len().min(THREADS) };
    for each in &threads[..shown] {
        let cells = if largest > 0.0 {
            (each.cpu_seconds / largest * 20.0).round().clamp(0.0, 20.0) as usize
        } else {
            0
        };
        let loops = each.top_loops.iter().filter_map(|(id, seconds)| {
            let facts = analysis.loops.iter().find(|known| known.id == *id)?;
            let part = if each.cpu_seconds > 0.0 { seconds / each.cpu_seconds } else { 0.0 };
            Some(format!("{} {}", facts.place(), share(part)))
        });
        let loops: Vec<String> = loops.collect();
        table.row(vec![
            each.rank.map_or_else(Cell::empty, |rank| Cell::plain(rank.to_string())),
            Cell::plain(each.pid.to_string()),
            Cell::plain(each.tid.to_string()),
            Cell::plain(&each.name),
            Cell::plain(unit.number(each.cpu_seconds)),
            Cell::new(percent(each.cpu_share), Ink::Strong),
            Cell::new(style.sign("█", "#").repeat(cells), Ink::Dim),
            Cell::plain(loops.join(", ")),
        ]);
    }
    out.push_str(&table.render(style, 0));
    let hidden: f64 = threads[shown..].iter().map(|each| each.cpu_share).sum();
    out + &left_out(threads.len() - shown, hidden, "threads", style)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    fn tables_at_common_widths() {
        let analysis = fixture::analysis();
        for style in fixture::styles() {
            for (what, text) in [
                ("functions", functions(&analysis, false, &style)),
                ("modules", modules(&analysis, &style)),
                ("threads", threads(&analysis, false, &style)),
            ] {
                fixture::assert_fits(&text, &style);
                insta::assert_snapshot!(fixture::label(what, &style), fixture::visible(&text));
            }
        }
    }

    #[test]
    fn imbalance_is_what_an_even_load_would_save() {
        let spread = Spread::of(&[4.0, 2.0, 2.0]).unwrap();
        assert!((spread.imbalance() - 1.0 / 3.0).abs() < 1e-12);
        assert!(Spread::of(&[1.0]).is_none());
        assert_eq!(Spread::of(&[0.0, 0.0]).unwrap().imbalance(), 0.0);
    }

    #[test]
    fn ranks_are_summed_over_their_threads() {
        let mut analysis = fixture::analysis();
        for (at, each) in analysis.threads.iter_mut().enumerate() {
            each.rank = Some(at as u32 / 2);
        }
        let text = threads(&analysis, false, &TerminalStyle::plain(100));
        assert!(text.starts_with("Ranks      2, imbalance 3.6 %, longest 12.5 s"), "{text}");
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
