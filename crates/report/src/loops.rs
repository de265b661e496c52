//! `show loops`: every column that users of vectorisation advisors look for.
//!
//! Source loops in descending self time; a loop that the compiler cut into pieces (body, peel,
//! remainder, versions) is one row with its pieces under it.

mod fields;

#[cfg(test)]
pub(crate) use fields::PAGE;
pub(crate) use fields::fields;

use crate::columns::Cell;
use crate::fields::table;
use crate::loop_words::{Group, groups};
use crate::prose::paragraph;
use crate::quantity::{TimeUnit, mean, percent, share};
use crate::style::{Ink, TerminalStyle};
use crate::trip_counts::source_mean;
use crate::vocabulary;
use crate::warnings::warnings;
use fields::TEXT;
use loopwright_advise::Recommendation;
use loopwright_analysis::model::{Analysis, LoopFacts, WorkRow};
use std::borrow::Cow;

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
        out.push_str("No loops: none of the sampled code is in a loop that could be analysed.\n");
    } else if shown.is_empty() {
        out.push_str(&format!("No loop has {} of the time or more.\n", share(NOTICEABLE)));
    } else {
        let unit = TimeUnit::for_largest(shown.iter().map(|group| group.total_seconds()).fold(0.0, f64::max));
        let rows = shown.iter().flat_map(|group| LoopRow::of(group, recommendations));
        out.push_str(&table(fields(unit, style), &TEXT).render(rows, style, 0));
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

/// A row: a loop that is one piece, one of several pieces, or these together.
pub(crate) struct LoopRow<'a> {
    /// The machine loop; the lead of the pieces where the row is all of them.
    pub(crate) facts: &'a LoopFacts,
    shape: Shape<'a>,
    advised: usize,
}

enum Shape<'a> {
    Whole,
    Together(&'a Group<'a>),
    Piece { last: bool },
}

impl<'a> LoopRow<'a> {
    /// A machine loop on its own.
    pub(crate) fn whole(facts: &'a LoopFacts) -> Self {
        Self { facts, shape: Shape::Whole, advised: 0 }
    }

    /// The rows of a source loop.
    pub(crate) fn of(group: &'a Group<'a>, recommendations: &[Recommendation]) -> Vec<Self> {
        let lead = group.lead();
        let advised = recommendations.iter().filter(|advice| match advice.loop_id {
            Some(id) => group.pieces.iter().any(|piece| piece.id == id),
            None => advice.group == Some(lead.group),
        });
        let advised = advised.count();
        if group.pieces.len() == 1 {
            return vec![Self { advised, ..Self::whole(lead) }];
        }
        let piece = |(at, facts): (usize, &&'a LoopFacts)| Self {
            facts,
            shape: Shape::Piece { last: at + 1 == group.pieces.len() },
            advised: 0,
        };
        let mut rows = vec![Self { facts: lead, shape: Shape::Together(group), advised }];
        rows.extend(group.pieces.iter().enumerate().map(piece));
        rows
    }

    pub(crate) fn id(&self) -> Cell {
        if self.is_together() { Cell::empty() } else { Cell::new(self.facts.id.to_string(), Ink::Strong) }
    }

    pub(crate) fn name(&self, style: &TerminalStyle) -> Cell {
        match self.shape {
            Shape::Whole => Cell::plain(self.facts.name()),
            Shape::Together(_) => Cell::new(self.facts.name(), Ink::Strong),
            Shape::Piece { last } => {
                let branch = if last { style.sign("└ ", "`- ") } else { style.sign("├ ", "|- ") };
                Cell::new(format!("{branch}{}", vocabulary::role(self.facts.role)), Ink::Dim)
            }
        }
    }

    fn self_percent(&self) -> Cell {
        let ink = if matches!(self.shape, Shape::Piece { .. }) { Ink::Plain } else { Ink::Strong };
        Cell::new(percent(self.self_share()), ink)
    }

    /// The pieces, where the row is all of them.
    pub(crate) fn together(&self) -> Option<&'a Group<'a>> {
        if let Shape::Together(group) = self.shape { Some(group) } else { None }
    }

    pub(crate) fn is_together(&self) -> bool {
        self.together().is_some()
    }

    pub(crate) fn self_share(&self) -> f64 {
        self.sum(Group::self_share, self.facts.self_share)
    }

    fn self_seconds(&self) -> f64 {
        self.sum(Group::self_seconds, self.facts.self_seconds)
    }

    fn total_share(&self) -> f64 {
        self.sum(Group::total_share, self.facts.total_share)
    }

    fn total_seconds(&self) -> f64 {
        self.sum(Group::total_seconds, self.facts.total_seconds)
    }

    fn sum(&self, all: impl Fn(&Group<'a>) -> f64, own: f64) -> f64 {
        self.together().map_or(own, all)
    }

    /// Mean iterations of an entry: of pieces together those of the loop as written; else those counted, or a constant of
    /// the code.
    fn trips(&self, style: &TerminalStyle) -> Option<String> {
        if let Some(group) = self.together() {
            return group.trips().map(|trips| source_mean(trips, style));
        }
        let counted = self.facts.trip_count.as_ref().and_then(|trips| trips.mean).map(mean);
        counted.or_else(|| self.facts.constant_trips.map(|trips| trips.to_string()))
    }

    /// Counted work; of pieces together their sum.
    pub(crate) fn all_work(&self) -> Option<Cow<'a, WorkRow>> {
        match self.together() {
            Some(group) => Some(Cow::Owned(group.work())),
            None => self.facts.work.as_ref().map(Cow::Borrowed),
        }
    }

    /// The same, of pieces together only once their iterations are counted.
    fn work(&self) -> Option<Cow<'a, WorkRow>> {
        self.all_work().filter(|_| self.together().is_none_or(|group| group.trips().is_some()))
    }

    fn advice(&self) -> Cell {
        if self.advised > 0 { Cell::new(self.advised.to_string(), Ink::Caution) } else { Cell::empty() }
    }
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
    fn measured_loops_show_what_binds_them() {
        let analysis = fixture::bottlenecks::injected();
        let text = loops(&analysis, &[], &LoopsOptions { all: true }, &TerminalStyle::plain(400));
        assert!(text.contains("Bound by") && text.contains("load ports 96 %"), "{text}");
        assert!(text.contains("not clear"), "{text}");
        for style in fixture::styles() {
            fixture::assert_fits(&loops(&analysis, &[], &LoopsOptions::default(), &style), &style);
        }
        let without =
            loops(&fixture::analysis(), &[], &LoopsOptions { all: true }, &TerminalStyle::plain(400));
        assert!(!without.contains("Bound by"), "{without}");
        let rows = analysis.loops.iter().map(LoopRow::whole);
        let unit = TimeUnit::Seconds;
        let csv = crate::fields::csv(fields(unit, &TerminalStyle::plain(0)), rows).unwrap();
        assert!(
            csv.lines().next().unwrap().ends_with("bound_by,bound_share,iteration_ns,not_injected"),
            "{csv}"
        );
        assert!(csv.contains(",load-ports,0.96,1.43,"), "{csv}");
        assert!(csv.contains("it calls other code"), "{csv}");
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
