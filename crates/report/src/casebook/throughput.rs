//! Instances and threads: which split of the machine does most.

use crate::columns::{Cell, Column, Columns};
use crate::prose::paragraph;
use crate::quantity::{percent, rate, time};
use crate::style::{Ink, TerminalStyle};
use loopwright_casebook::throughput::Throughput;

/// The table of splits, and the best of them in words.
pub fn throughput(title: &str, results: &[Throughput], style: &TerminalStyle) -> String {
    let mut out = paragraph(style, 0, Ink::Title, title);
    let best = results.iter().max_by(|a, b| a.per_second.median.total_cmp(&b.per_second.median));
    let mut table = Columns::new(vec![
        Column::right("Instances"),
        Column::right("Threads each"),
        Column::right("Runs/s"),
        Column::right("+-%"),
        Column::right("% of best"),
        Column::right("Time of one"),
    ]);
    for one in results {
        let is_best = best.is_some_and(|best| best.split == one.split);
        let spread = (one.per_second.high - one.per_second.low) / 2.0 / one.per_second.median;
        let share = best.map_or(1.0, |best| one.per_second.median / best.per_second.median);
        table.row(vec![
            Cell::plain(one.split.instances.to_string()),
            Cell::plain(one.split.threads.to_string()),
            Cell::new(rate(one.per_second.median), if is_best { Ink::Good } else { Ink::Plain }),
            Cell::new(percent(spread), Ink::Dim),
            Cell::plain(percent(share)),
            Cell::plain(time(one.latency.median)),
        ]);
    }
    out.push_str(&table.render(style, 0));
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
