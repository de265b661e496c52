//! A loop's conditional branches: how often each runs and jumps, how often a simulated predictor misses it, and what that
//! costs. Used by the page of `map` and by `show loop`.

use crate::access_patterns::line_of;
use crate::columns::{Cell, Column, Shorten, Table};
use crate::phrases::{MISSES_COST, MISSES_OF_BRANCHES, PREDICTOR, TOO_FEW_OUTCOMES, filled};
use crate::prose::{facts, paragraph};
use crate::quantity::{bytes, count, mean, percent, rate};
use crate::style::{Ink, TerminalStyle};
use crate::vocabulary::contract_name;
use loopwright_analysis::model::{Analysis, BranchFacts, LoopFacts};

/// Above this share of executions, misses are worth a colour.
const FREQUENT: f64 = 0.05;

/// Everything that is known of the branches of one machine loop; `label` is the width of the label column.
pub(crate) fn branches(
    analysis: &Analysis,
    this: &LoopFacts,
    rows: usize,
    label: usize,
    style: &TerminalStyle,
) -> String {
    if this.branches.is_empty() {
        return String::new();
    }
    let mut out = facts(style, "Branches", label, Ink::Plain, &summary(analysis, this));
    out.push_str(&columns(this).render(this.branches.iter().take(rows), style, 0));
    if let Some(more) = this.branches.len().checked_sub(rows).filter(|more| *more > 0) {
        let text = format!("{more} more branches: loopwright show loop {} --json", this.id);
        out.push_str(&paragraph(style, 0, Ink::Dim, &text));
    }
    out
}

fn summary(analysis: &Analysis, this: &LoopFacts) -> Vec<String> {
    let tracing = analysis.tracing.as_ref();
    let mut items = Vec::new();
    match this.mispredicted_per_iteration() {
        Some(misses) => {
            items.push(filled(MISSES_OF_BRANCHES, [&rate(misses)]));
            if let Some(each) = tracing.and_then(|tracing| tracing.mispredict_cycles) {
                items.push(filled(MISSES_COST, [&rate(misses * each), &mean(each)]));
            }
        }
        None => items.push(TOO_FEW_OUTCOMES.to_owned()),
    }
    if let Some(predictor) = tracing.and_then(|tracing| tracing.predictor) {
        let kind = contract_name(&predictor.kind).to_uppercase();
        items.push(filled(PREDICTOR, [&kind, &bytes(predictor.bits / 8)]));
    }
    items
}

fn columns(this: &LoopFacts) -> Table<'_, &BranchFacts> {
    Table::<&BranchFacts>::new()
        .column(Column::right("Line"), |each| Cell::known(line_of(this, each.file.as_deref(), each.line)))
        .column(Column::left("Branch").shorten(Shorten::End, 16), |each| {
            let own = format!("at {}", each.address);
            let name = match &each.function {
                Some(function) => format!("{own} in {}", crate::names::printable(function)),
                None => own,
            };
            Cell::new(name, Ink::Accent)
        })
        .column(Column::right("Runs/it."), |each| Cell::plain(rate(each.executed_per_iteration)))
        .column(Column::right("Taken %"), |each| Cell::plain(percent(each.taken_share)))
        .column(Column::right("Missed %"), |each| match each.miss_rate {
            Some(missed) if missed > FREQUENT => Cell::new(percent(missed), Ink::Costly),
            missed => Cell::known(missed.map(percent)),
        })
        .column(Column::right("Cycles/it."), |each| Cell::known(each.cycles_per_iteration.map(rate)))
        .column(Column::right("Executions").expendable(1), |each| Cell::plain(count(each.executed)))
}
