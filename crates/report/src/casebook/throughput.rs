//! Instances and threads: which split of the machine does most.

use crate::columns::{Cell, Column, Table};
use crate::prose::paragraph;
use crate::quantity::{percent, rate, time};
use crate::style::{Ink, TerminalStyle};
use loopwright_casebook::throughput::Throughput;

/// The table of splits, and the best of them in words.
pub fn throughput(title: &str, results: &[Throughput], style: &TerminalStyle) -> String {
    let mut out = paragraph(style, 0, Ink::Title, title);
    let best = results.iter().max_by(|a, b| a.per_second.median.total_cmp(&b.per_second.median));
    let rate_of_best = best.map(|best| best.per_second.median);
    let table = Table::<&Throughput>::new()
        .column(Column::right("Instances"), |one| Cell::plain(one.split.instances.to_string()))
        .column(Column::right("Threads each"), |one| Cell::plain(one.split.threads.to_string()))
        .column(Column::right("Runs/s"), |one| {
            let is_best = best.is_some_and(|best| best.split == one.split);
            Cell::new(rate(one.per_second.median), if is_best { Ink::Good } else { Ink::Plain })
        })
        .column(Column::right("+-%"), |one| {
            let spread = (one.per_second.high - one.per_second.low) / 2.0 / one.per_second.median;
            Cell::new(percent(spread), Ink::Dim)
        })
        .column(Column::right("% of best"), |one| {
            Cell::plain(percent(rate_of_best.map_or(1.0, |best| one.per_second.median / best)))
        })
        .column(Column::right("Time of one"), |one| Cell::plain(time(one.latency.median)));
    out.push_str(&table.render(results, style, 0));
    if let Some(best) = best {
        let text = format!(
            "Most runs per second: {} at a time with {} threads each. One alone ends soonest where a run takes \
             least, which may be another split.",
            best.split.instances, best.split.threads
        );
        out.push('\n');
        out.push_str(&paragraph(style, 0, Ink::Strong, &text));
    }
    out
}
