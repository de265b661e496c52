//! `bottlenecks`: what binds each measured loop, and how it bore injected operations.

use crate::columns::{Cell, Column, Table};
use crate::loop_words::{Group, groups, title};
use crate::names::command_line;
use crate::phrases::{
    CHANGED_AT, CORE_SHARED, COUNTED_IN_MEMORY, DISTURBED, HOW_RESOURCES_BEAR, MEASURED_SHARE,
    MODELLED_SHARE, SEVERAL_CAUSES, UNCLEAR, UNCLEAR_IN_SHORT, UNCLEAR_LENGTHENED, UNCLEAR_ON_TOP, WINDOW,
    filled,
};
use crate::prose::{facts, heading, labelled, paragraph};
use crate::quantity::{many, mean, share};
use crate::style::{Ink, TerminalStyle};
use crate::top_down::top_down;
use crate::traced_pages::TracedOptions;
use crate::vocabulary;
use loopwright_analysis::model::{Analysis, Bottleneck, Cause, LoopFacts, Provenance, ResourceFacts};

/// Width of the label column.
const LABEL: usize = 10;
/// Causes that take less than this of an iteration are not listed.
const LISTED: f64 = 0.10;

/// From this share on a resource is shown as one that may bind the loop.
const BUSY: f64 = 0.70;

/// The page of `bottlenecks`.
pub fn bottlenecks(analysis: &Analysis, options: &TracedOptions, style: &TerminalStyle) -> String {
    let counted = analysis.top_down.as_ref().map(|known| top_down(known, style)).unwrap_or_default();
    let has = |l: &LoopFacts| l.bottleneck.is_some() || l.not_injected.is_some();
    let all = groups(analysis);
    let wanted = |group: &&Group<'_>| match &options.loops {
        Some(ids) => group.pieces.iter().any(|piece| ids.contains(&piece.id)),
        None => group.pieces.iter().any(|piece| has(piece)),
    };
    let shown: Vec<&Group<'_>> = all.iter().filter(wanted).collect();
    if !shown.iter().any(|group| group.pieces.iter().any(|piece| has(piece))) {
        let text = "What binds the loops was not measured in this state: loopwright bottlenecks -- PROGRAM does that.";
        return counted + &paragraph(style, 0, Ink::Plain, text);
    }
    let mut out = facts(style, "Program", LABEL, Ink::Strong, &[command_line(&analysis.program.command)]);
    out.push_str(&counted);
    for group in &shown {
        out.push_str(&title(group, style));
        let several = group.pieces.iter().filter(|piece| has(piece)).count() > 1;
        for piece in group.pieces.iter().filter(|piece| has(piece)) {
            if several {
                let name = format!("{}, loop {}", vocabulary::role(piece.role), piece.id);
                out.push_str(&style.paint(Ink::Strong, &name));
                out.push('\n');
            }
            out.push_str(&of_loop(piece, style));
        }
    }
    out.push('\n');
    out.push_str(&legend(&shown, style));
    out
}

/// The same in `show loop`.
pub(crate) fn bottleneck_part(this: &LoopFacts, style: &TerminalStyle) -> String {
    if this.bottleneck.is_none() && this.not_injected.is_none() {
        return String::new();
    }
    heading(style, "Bottleneck (measured)") + &of_loop(this, style)
}

fn of_loop(this: &LoopFacts, style: &TerminalStyle) -> String {
    let mut out = String::new();
    if let Some(why) = &this.not_injected {
        out.push_str(&labelled(style, 0, "Left out", LABEL, Ink::Caution, &why.to_string()));
    }
    let Some(known) = &this.bottleneck else { return out };
    out.push_str(&labelled(style, 0, "Bound by", LABEL, Ink::Strong, &answer(known)));
    let others: Vec<String> = known
        .causes
        .iter()
        .filter(|cause| !known.verdict.contains(cause) && cause.share >= LISTED)
        .map(in_words)
        .collect();
    if !others.is_empty() {
        out.push_str(&facts(style, "Besides", LABEL, Ink::Plain, &others));
    }
    let mut items = vec![format!("{} ns", mean(known.iteration_ns))];
    items.extend(known.iteration_cycles.map(|cycles| format!("{} cycles", mean(cycles))));
    items.push(many(u64::from(known.windows), WINDOW));
    if known.disturbed > 0 {
        items.push(filled(DISTURBED, [&known.disturbed.to_string()]));
    }
    out.push_str(&facts(style, "Iteration", LABEL, Ink::Plain, &items));
    if let Some(id) = known.changed_at {
        let text = filled(CHANGED_AT, [&id.to_string()]);
        out.push_str(&labelled(style, 0, "Note", LABEL, Ink::Dim, &text));
    }
    if let Some(times) = known.core_shared {
        let text = filled(CORE_SHARED, [&mean(times)]);
        out.push_str(&labelled(style, 0, "Note", LABEL, Ink::Caution, &text));
    }
    if known.counted_in_memory && known.iteration_cycles.is_some_and(|cycles| cycles < 8.0) {
        out.push_str(&labelled(style, 0, "Note", LABEL, Ink::Dim, COUNTED_IN_MEMORY));
    }
    let table = Table::new()
        .column(Column::left("Resource"), |r: &&ResourceFacts| Cell::plain(vocabulary::resource(r.resource)))
        .column(Column::right("Busy"), |r: &&ResourceFacts| match r.busy {
            Some(busy) => Cell::new(share(busy), if busy >= BUSY { Ink::Caution } else { Ink::Plain }),
            None => Cell::empty(),
        })
        .column(Column::right("Absorbs"), |r: &&ResourceFacts| {
            let room = mean(r.room);
            Cell::plain(if r.room_is_bound { format!(">{room}") } else { room })
        })
        .column(Column::left("Time of an iteration with operations").expendable(1), |r: &&ResourceFacts| {
            let points: Vec<String> =
                r.curve.iter().map(|p| format!("+{}: {:.2}", p.operations, p.ratio)).collect();
            Cell::new(points.join("  "), Ink::Dim)
        });
    out.push_str(&table.render(known.resources.iter(), style, 2));
    out
}

/// The verdict in words.
pub(crate) fn answer(known: &Bottleneck) -> String {
    match (known.verdict.as_slice(), known.sampled_ns, known.serial_share) {
        ([], Some(sampled), _) => filled(UNCLEAR_LENGTHENED, [&mean(sampled)]),
        ([], None, Some(serial)) => filled(UNCLEAR_ON_TOP, [&share(serial)]),
        ([], None, None) => UNCLEAR.to_owned(),
        ([only], ..) => in_words(only),
        (several, ..) => {
            let names: Vec<String> = several.iter().map(in_words).collect();
            filled(SEVERAL_CAUSES, [&names.join("; ")])
        }
    }
}

fn in_words(cause: &Cause) -> String {
    let phrase = if cause.provenance == Provenance::Modelled { MODELLED_SHARE } else { MEASURED_SHARE };
    filled(phrase, [cause.kind.name(), &share(cause.share)])
}

/// The verdict for a narrow column.
pub(crate) fn in_short(known: &Bottleneck) -> Cell {
    if known.verdict.is_empty() {
        return Cell::new(UNCLEAR_IN_SHORT, Ink::Dim);
    }
    let named = |cause: &Cause| format!("{} {}", vocabulary::cause_in_short(cause.kind), share(cause.share));
    Cell::plain(known.verdict.iter().map(named).collect::<Vec<_>>().join(", "))
}

fn legend(shown: &[&Group<'_>], style: &TerminalStyle) -> String {
    let measured = shown.iter().flat_map(|group| &group.pieces).any(|piece| piece.bottleneck.is_some());
    if !measured {
        return String::new();
    }
    paragraph(style, 0, Ink::Dim, HOW_RESOURCES_BEAR)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    fn pages_at_common_widths() {
        let analysis = fixture::bottlenecks::injected();
        for style in fixture::styles() {
            let text = bottlenecks(&analysis, &TracedOptions::default(), &style);
            fixture::assert_fits(&text, &style);
            insta::assert_snapshot!(fixture::label("bottlenecks", &style), fixture::visible(&text));
        }
    }

    #[test]
    fn what_was_not_measured_is_said_with_the_way_to_it() {
        let text = bottlenecks(&fixture::analysis(), &TracedOptions::default(), &TerminalStyle::plain(100));
        assert!(text.contains("loopwright bottlenecks -- PROGRAM"), "{text}");
    }

    #[test]
    fn a_loop_has_it_in_its_page() {
        let analysis = fixture::bottlenecks::injected();
        let part = |id: u32| {
            let this = analysis.loops.iter().find(|l| l.id == id).expect("a loop of the fixture");
            bottleneck_part(this, &TerminalStyle::plain(100))
        };
        assert!(part(12).contains("load ports (96 %)"), "{}", part(12));
        assert!(part(20).contains("not clear"), "{}", part(20));
        assert!(part(21).contains("calls other code"), "{}", part(21));
        let other = analysis.loops.iter().find(|l| l.bottleneck.is_none() && l.not_injected.is_none());
        assert_eq!(other.map(|l| bottleneck_part(l, &TerminalStyle::plain(100))), Some(String::new()));
    }
}
