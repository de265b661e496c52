//! `show heap`: where a program allocates memory, how often, how much, and what of it stays.

use crate::columns::{Cell, Column, Shorten, Table};
use crate::phrases::{
    COMM_LOST_CALLS, COMM_NOT_COUNTED, HEAP_KEEP_BLOCKS, HEAP_LIVE, HEAP_LOST_SAMPLES, HEAP_NO_CALL,
    HEAP_OF_RUN, HOST, NO_HEAP, PROCESS, RANK, filled,
};
use crate::prose::{heading, labelled, more, paragraph};
use crate::quantity::{amount, bytes, many, share, time};
use crate::style::{Ink, TerminalStyle};
use crate::warnings::warnings;
use loopwright_analysis::model::{Analysis, HeapAdvice, HeapChange, HeapFacts, HeapPlace};
use loopwright_stats::saturating_sum;
use std::collections::BTreeSet;

/// Columns of the label before a fact.
const LABEL: usize = 8;
/// Places that are shown.
const SHOWN: usize = 20;

/// The view.
pub fn heap(analysis: &Analysis, all: bool, style: &TerminalStyle) -> String {
    let Some(heap) = &analysis.heap else {
        return paragraph(style, 0, Ink::Plain, NO_HEAP);
    };
    let out = heading(style, "Heap") + &summary(heap, style);
    if heap.places.is_empty() {
        return out + &paragraph(style, 0, Ink::Caution, HEAP_NO_CALL);
    }
    out + &places(heap, if all { usize::MAX } else { SHOWN }, style)
}

/// A change, as a sentence.
pub(crate) fn advised(advice: &HeapAdvice, heap: &HeapFacts) -> String {
    let HeapChange::KeepBlocks { faults, resident_bytes, large_calls } = advice.change;
    let values = [
        amount(faults),
        amount(resident_bytes / 4096),
        amount(large_calls),
        time(advice.at_most_seconds),
        time(heap.elapsed_seconds),
        share(advice.at_most_share),
    ];
    filled(HEAP_KEEP_BLOCKS, values.each_ref().map(String::as_str))
}

fn summary(heap: &HeapFacts, style: &TerminalStyle) -> String {
    let mut out = String::new();
    let mut fact =
        |label: &str, ink: Ink, text: &str| out.push_str(&labelled(style, 0, label, LABEL, ink, text));
    let hosts: BTreeSet<&str> = heap.ranks.iter().map(|rank| rank.host.as_str()).collect();
    let known = heap.ranks.len() as u64;
    let most = |part: fn(&loopwright_analysis::model::HeapRank) -> u64| {
        bytes(heap.ranks.iter().map(part).max().unwrap_or(0))
    };
    let values = [
        many(known, if known > 1 { RANK } else { PROCESS }),
        many(hosts.len().max(1) as u64, HOST),
        amount(saturating_sum(heap.ranks.iter().map(|rank| rank.calls))),
        bytes(saturating_sum(heap.ranks.iter().map(|rank| rank.bytes))),
        most(|rank| rank.peak_bytes),
        most(|rank| rank.resident_bytes),
    ];
    fact("Total", Ink::Strong, &filled(HEAP_OF_RUN, values.each_ref().map(String::as_str)));
    let live = saturating_sum(heap.places.iter().map(|place| place.live_bytes));
    if live > 0 {
        fact("Live", Ink::Plain, &filled(HEAP_LIVE, [&bytes(live)]));
    }
    for advice in &heap.advice {
        fact("Advice", Ink::Plain, &advised(advice, heap));
    }
    let lost = heap.lost.unwrap_or_default();
    for (number, text) in [(lost.calls, COMM_LOST_CALLS), (lost.samples, HEAP_LOST_SAMPLES)] {
        if number > 0 {
            fact("Note", Ink::Caution, &filled(text, [&amount(number)]));
        }
    }
    for left in &heap.left {
        fact("Note", Ink::Caution, &filled(COMM_NOT_COUNTED, [&left.function, &left.reason]));
    }
    out + &warnings(&heap.warnings, usize::MAX, style)
}

fn places(heap: &HeapFacts, most: usize, style: &TerminalStyle) -> String {
    let shown = &heap.places[..heap.places.len().min(most)];
    let sized = |n: u64| Cell::known((n > 0).then(|| bytes(n)));
    let table = Table::<&HeapPlace>::new()
        .column(Column::left("Function"), |place| Cell::new(&place.function, Ink::Strong))
        .column(Column::left("Where").shorten(Shorten::Start, 16), |place| Cell::plain(&place.place))
        .column(Column::left("Caller").shorten(Shorten::End, 12).expendable(2), |place| {
            Cell::plain(&place.caller)
        })
        .column(Column::right("Loop").expendable(3), |place| {
            Cell::known(place.loop_id.map(|id| id.to_string()))
        })
        .column(Column::right("Calls"), |place| Cell::plain(amount(place.calls)))
        .column(Column::right("Bytes"), move |place| sized(place.bytes))
        .column(Column::right("Mean").expendable(1), move |place| sized(place.bytes / place.calls.max(1)))
        .column(Column::right("Peak"), move |place| sized(place.peak_bytes))
        .column(Column::right("Live at end"), move |place| sized(place.live_bytes));
    format!("\n{}", table.render(shown, style, 0)) + &more(style, heap.places.len() - shown.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::assert_valid;
    use crate::fixture;
    use loopwright_analysis::model::{CommLeft, HeapAdvice, HeapRank, LostAllocations, Provenance};

    fn facts() -> HeapFacts {
        HeapFacts {
            how: Provenance::Counted,
            live_how: Provenance::Measured,
            elapsed_seconds: 5.0,
            ranks: vec![HeapRank {
                rank: 0,
                host: "n1".into(),
                elapsed_seconds: 5.0,
                calls: 1020,
                bytes: 20 << 26,
                peak_bytes: 64 << 20,
                resident_bytes: 66 << 20,
                faults: 337_920,
                system_seconds: 4.0,
            }],
            places: vec![HeapPlace {
                function: "operator new".into(),
                caller: "grow".into(),
                module: "solver".into(),
                place: "grow.cpp:14".into(),
                loop_id: Some(1),
                loop_place: Some("grow.cpp:9".into()),
                calls: 20,
                bytes: 20 << 26,
                bins: [0, 0, 0, 0, 0, 20],
                live_bytes: 1 << 20,
                peak_bytes: 64 << 20,
                callers: 1,
            }],
            advice: vec![HeapAdvice {
                change: HeapChange::KeepBlocks { faults: 337_920, resident_bytes: 66 << 20, large_calls: 20 },
                at_most_seconds: 3.8,
                at_most_share: 0.76,
            }],
            lost: Some(LostAllocations { samples: 7, calls: 0 }),
            left: vec![CommLeft { function: "pvalloc".into(), reason: "left as it is".into() }],
            warnings: Vec::new(),
        }
    }

    fn words(heap: Option<HeapFacts>) -> String {
        let mut analysis = fixture::analysis();
        analysis.heap = heap;
        for style in fixture::styles() {
            fixture::assert_fits(&super::heap(&analysis, true, &style), &style);
        }
        if let Some(heap) = &analysis.heap {
            assert_valid("HeapFacts", &serde_json::to_value(heap).unwrap());
        }
        let text = super::heap(&analysis, false, &TerminalStyle::plain(200));
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn places_and_advice_are_shown_with_what_is_missing() {
        let text = words(Some(facts()));
        for part in [
            "1 process on 1 host; 1,020 allocations of 1.25 GiB together, at most 64 MiB live in one",
            "1 MiB are live at the end",
            "337,920 pages were touched anew, but only 16,896 were in use",
            "at most 3.80 s of 5.00 s (76 %)",
            "7 samples of the live heap",
            "pvalloc is not counted: left as it is",
            "operator new grow.cpp:14 grow 1 20 1.25 GiB 64 MiB 64 MiB 1 MiB",
        ] {
            assert!(text.contains(part), "{part} is missing in\n{text}");
        }
    }

    #[test]
    fn without_calls_or_a_run_the_next_step_is_said() {
        assert!(words(None).contains("loopwright heap"));
        let none =
            HeapFacts { places: Vec::new(), advice: Vec::new(), lost: None, left: Vec::new(), ..facts() };
        assert!(words(Some(none)).contains("no allocation"));
    }
}
