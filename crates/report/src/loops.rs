//! `show loops`: every column that users of vectorisation advisors look for.
//!
//! Source loops in descending self time; a loop that the compiler cut into pieces (body, peel,
//! remainder, versions) is one row with its pieces under it.

use crate::access_patterns::Distribution;
use crate::advice::{place, warnings};
use crate::columns::{Cell, Column, Columns, Shorten};
use crate::dependence_words::in_short;
use crate::loop_words::{Group, groups, kind, reasons, traits};
use crate::prose::paragraph;
use crate::quantity::{TimeUnit, amount, mean, percent, rate, ratio, share};
use crate::style::{Ink, TerminalStyle};
use crate::trip_counts::source_mean;
use crate::vocabulary;
use loopwright_advise::Recommendation;
use loopwright_analysis::model::{Analysis, LoopFacts, WorkRow};

/// Without `all`, source loops below this share are left out.
const NOTICEABLE: f64 = 0.001;

/// What to show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LoopsOptions {
    /// Every loop, also those with hardly any time.
    pub all: bool,
}

/// The table.
pub fn loops(
    analysis: &Analysis,
    recommendations: &[Recommendation],
    options: &LoopsOptions,
    style: &TerminalStyle,
) -> String {
    let groups = groups(analysis);
    // Without a survey the loops are those that were counted.
    let timed = analysis.program.samples > 0 || analysis.counts.is_none();
    let (shown, hidden): (Vec<_>, Vec<_>) =
        groups.iter().partition(|group| options.all || !timed || group.self_share() >= NOTICEABLE);
    let mut out = String::new();
    if groups.is_empty() {
        out.push_str("No loops: none of the sampled code lies in a loop that could be analysed.\n");
    } else if shown.is_empty() {
        out.push_str(&format!("No loop has {} of the time or more.\n", share(NOTICEABLE)));
    } else {
        let unit = TimeUnit::for_largest(shown.iter().map(|group| group.total_seconds()).fold(0.0, f64::max));
        let mut table = Columns::new(columns(unit));
        for group in &shown {
            rows(&mut table, group, unit, recommendations, style);
        }
        out.push_str(&table.render(style, 0));
        if shown.iter().any(|group| group.pieces.iter().any(|piece| !piece.access.is_empty())) {
            let text = "Strides %: unit or uniform / constant / variable.";
            out.push_str(&paragraph(style, 0, Ink::Dim, text));
        }
    }
    if !hidden.is_empty() {
        let rest: f64 = hidden.iter().map(|group| group.self_share()).sum();
        let text =
            format!("{} more with {} together: loopwright show loops --all", hidden.len(), share(rest));
        out.push_str(&style.paint(Ink::Dim, &text));
        out.push('\n');
    }
    if !analysis.warnings.is_empty() {
        out.push('\n');
        out.push_str(&warnings(&analysis.warnings, usize::MAX, style));
    }
    out
}

fn columns(unit: TimeUnit) -> Vec<Column> {
    vec![
        Column::right("Loop"),
        Column::right("Self %"),
        Column::right(format!("Self {}", unit.symbol())).expendable(9),
        Column::right("Total %").expendable(3),
        Column::right(format!("Total {}", unit.symbol())).expendable(14),
        Column::left("Function").shorten(Shorten::Symbol, 14),
        Column::left("Place").shorten(Shorten::Middle, 16),
        Column::left("Module").shorten(Shorten::Middle, 8).expendable(16),
        Column::left("Type").shorten(Shorten::End, 16),
        Column::left("Data").expendable(10),
        Column::right("Unroll").expendable(11),
        Column::right("Gain").expendable(6),
        Column::right("Eff. %").expendable(5),
        Column::right("Trips").expendable(7),
        Column::right("Instr.").expendable(12),
        Column::right("FLOP").expendable(17),
        Column::right("FLOP/B").expendable(18),
        Column::left("Strides %").expendable(8),
        Column::left("Depend.").expendable(6),
        Column::left("Why not").shorten(Shorten::End, 18),
        Column::left("Traits").shorten(Shorten::End, 14).expendable(4),
        Column::left("Compiler says").shorten(Shorten::End, 14).expendable(13),
        Column::right("Threads").expendable(15),
        Column::right("Advice").expendable(8),
    ]
}

fn rows(
    table: &mut Columns,
    group: &Group<'_>,
    unit: TimeUnit,
    recommendations: &[Recommendation],
    style: &TerminalStyle,
) {
    let lead = group.lead();
    let split = group.pieces.len() > 1;
    let ids: Vec<u32> = group.pieces.iter().map(|piece| piece.id).collect();
    let advised = recommendations.iter().filter(|advice| match advice.loop_id {
        Some(id) => ids.contains(&id),
        None => advice.group == Some(lead.group),
    });
    let advised = advised.count();
    let advice = if advised > 0 { Cell::new(advised.to_string(), Ink::Caution) } else { Cell::empty() };
    let times = [
        Cell::new(percent(group.self_share()), Ink::Strong),
        Cell::plain(unit.number(group.self_seconds())),
        Cell::plain(percent(group.total_share())),
        Cell::plain(unit.number(group.total_seconds())),
    ];
    let id = if split { Cell::empty() } else { Cell::new(lead.id.to_string(), Ink::Strong) };
    let head = Cell::new(&lead.function, if split { Ink::Strong } else { Ink::Plain });
    let counts = if split { counts_of_group(group, style) } else { counts_of_loop(lead) };
    table.row(row(lead, id, times, head, counts, advice, style));
    if !split {
        return;
    }
    for (at, piece) in group.pieces.iter().enumerate() {
        let branch =
            if at + 1 == group.pieces.len() { style.sign("└ ", "`- ") } else { style.sign("├ ", "|- ") };
        let times = [
            Cell::plain(percent(piece.self_share)),
            Cell::plain(unit.number(piece.self_seconds)),
            Cell::plain(percent(piece.total_share)),
            Cell::plain(unit.number(piece.total_seconds)),
        ];
        let name = Cell::new(format!("{branch}{}", vocabulary::role(piece.role)), Ink::Dim);
        table.row(row(
            piece,
            Cell::new(piece.id.to_string(), Ink::Strong),
            times,
            name,
            counts_of_loop(piece),
            Cell::empty(),
            style,
        ));
    }
}

fn row(
    facts: &LoopFacts,
    id: Cell,
    times: [Cell; 4],
    name: Cell,
    counts: [Cell; 4],
    advice: Cell,
    style: &TerminalStyle,
) -> Vec<Cell> {
    let vector = facts.vector.as_ref();
    let or_empty = |text: Option<String>| text.map_or_else(Cell::empty, Cell::plain);
    let gain = vector.filter(|_| facts.vectorized).and_then(|vector| vector.gain);
    let efficiency = vector.filter(|_| facts.vectorized).and_then(|vector| vector.efficiency);
    let unroll = vector.map(|vector| vector.unroll).filter(|unroll| *unroll > 1);
    let threads = if facts.threads > 1 { Some(facts.threads.to_string()) } else { None };
    let module = if facts.main_module { Cell::empty() } else { Cell::plain(&facts.module) };
    let why = if facts.vectorized { String::new() } else { reasons(facts).join(", ") };
    let [trips, instructions, flop, intensity] = counts;
    let [self_share, self_seconds, total_share, total_seconds] = times;
    vec![
        id,
        self_share,
        self_seconds,
        total_share,
        total_seconds,
        name,
        Cell::new(place(facts), Ink::Accent),
        module,
        kind(facts, style),
        Cell::plain(vocabulary::elements(&facts.types)),
        or_empty(unroll.map(|unroll| unroll.to_string())),
        or_empty(gain.map(|gain| ratio(gain, style))),
        or_empty(efficiency.map(|efficiency| format!("{:.0}", efficiency * 100.0))),
        trips,
        instructions,
        flop,
        intensity,
        or_empty(Distribution::of(&facts.access).and_then(|strides| strides.in_short())),
        facts.dependence.as_ref().map_or_else(Cell::empty, in_short),
        Cell::plain(why),
        Cell::plain(traits(facts)),
        Cell::plain(claims(facts)),
        or_empty(threads),
        advice,
    ]
}

/// Mean iterations of an entry, instructions, FLOP and intensity of a machine loop. Iterations are those counted, else
/// a constant of the code.
fn counts_of_loop(facts: &LoopFacts) -> [Cell; 4] {
    let counted = facts.trip_count.as_ref().and_then(|trips| trips.mean).map(mean);
    let trips = counted.or_else(|| facts.constant_trips.map(|trips| trips.to_string())).unwrap_or_default();
    work_cells(trips, facts.work.as_ref())
}

/// The same of the loop as written.
fn counts_of_group(group: &Group<'_>, style: &TerminalStyle) -> [Cell; 4] {
    let counted = group.pieces.iter().find_map(|piece| piece.trip_count.as_ref());
    let work = counted.map(|_| group.work());
    work_cells(counted.map(|trips| source_mean(trips, style)).unwrap_or_default(), work.as_ref())
}

fn work_cells(trips: String, work: Option<&WorkRow>) -> [Cell; 4] {
    let or_empty = |text: Option<String>| text.map_or_else(Cell::empty, Cell::plain);
    [
        Cell::plain(trips),
        or_empty(work.map(|work| amount(work.instructions))),
        or_empty(work.filter(|work| work.flop > 0).map(|work| amount(work.flop))),
        or_empty(work.and_then(|work| work.intensity).map(rate)),
    ]
}

/// What each compiler claims, where it differs from what the instructions do or there are several.
fn claims(facts: &LoopFacts) -> String {
    let word = |vectorized: bool| if vectorized { "vectorised" } else { "missed" };
    facts
        .compilers
        .iter()
        .map(|claim| format!("{}: {}", claim.compiler, word(claim.vectorized)))
        .collect::<Vec<_>>()
        .join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;
    use crate::style::TerminalStyle;

    #[test]
    fn tables_at_common_widths() {
        let (analysis, advice) = (fixture::analysis(), fixture::recommendations());
        for style in fixture::styles() {
            let text = loops(&analysis, &advice, &LoopsOptions::default(), &style);
            fixture::assert_fits(&text, &style);
            insta::assert_snapshot!(fixture::label("loops", &style), fixture::visible(&text));
        }
    }

    #[test]
    fn counted_loops_show_their_iterations_and_work() {
        let analysis = fixture::counts::counted();
        let text = loops(&analysis, &[], &LoopsOptions::default(), &TerminalStyle::plain(260));
        insta::assert_snapshot!("loops_counted", text);
        let only = fixture::counts::only_counted();
        let text = loops(&only, &[], &LoopsOptions { all: true }, &TerminalStyle::plain(260));
        assert!(text.contains("13.62 G"), "{text}");
    }

    #[test]
    fn hidden_loops_are_counted_and_all_shows_them() {
        let (analysis, advice) = (fixture::analysis(), fixture::recommendations());
        let style = TerminalStyle::plain(120);
        let some = loops(&analysis, &advice, &LoopsOptions::default(), &style);
        assert!(some.contains("1 more with <0.1 % together: loopwright show loops --all"), "{some}");
        let all = loops(&analysis, &advice, &LoopsOptions { all: true }, &style);
        assert!(all.contains("tiny") && !some.contains("tiny"), "{all}");
    }

    #[test]
    fn an_experiment_without_loops_says_so() {
        let mut analysis = fixture::analysis();
        analysis.loops.clear();
        assert!(
            loops(&analysis, &[], &LoopsOptions::default(), &TerminalStyle::plain(80))
                .starts_with("No loops: ")
        );
    }
}
