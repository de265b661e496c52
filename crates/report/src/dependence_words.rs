//! The dependences that a loop carries: the verdict first, then what it rests on. Used by the page of `dependencies`
//! and by `show loop`.

use crate::access_patterns::line_of;
use crate::columns::{Cell, Column, Shorten, Table};
use crate::phrases::{
    CHECKED_BURSTS, CHECKED_EVERYTHING, DISTANCES_UP_TO, ENTRY, IN_LINE, LIMITED_IN_SHORT, LIMITED_LENGTH,
    MACHINE_ITERATION, OTHER, ROUNDS_DIFFERENTLY, SEVERAL_DISTANCES, SOURCE_ITERATION, filled,
};
use crate::prose::{facts, labelled, paragraph};
use crate::quantity::{count, many};
use crate::style::{Ink, TerminalStyle};
use crate::vocabulary::contract_name;
use loopwright_analysis::model::{
    CarriedScalar, DependenceEnd, DependenceFacts, FoundDependence, LoopFacts, ParallelVerdict, VectorVerdict,
};

/// A vector verdict in a few words, and for a narrow column; `{}` is the longest vector.
pub(crate) fn verdict_words(verdict: VectorVerdict) -> (&'static str, &'static str) {
    match verdict {
        VectorVerdict::Safe => ("safe to vectorise", "safe"),
        VectorVerdict::SafeWithReductions => ("safe to vectorise with reductions", "reduction"),
        VectorVerdict::SafeUpTo => ("safe up to {} iterations at once", "up to {}"),
        VectorVerdict::Unsafe => ("not safe to vectorise", "unsafe"),
        VectorVerdict::Unknown => ("vectors: unknown", "unknown"),
    }
}

/// The words with the longest vector filled in.
fn with_length(facts: &DependenceFacts, words: &str, without: &str) -> String {
    match (facts.vector, facts.max_length) {
        (VectorVerdict::SafeUpTo, Some(most)) => filled(words, [&most.to_string()]),
        (VectorVerdict::SafeUpTo, None) => without.to_owned(),
        _ => words.to_owned(),
    }
}

/// The vector verdict in a few words.
pub(crate) fn vector_words(facts: &DependenceFacts) -> String {
    with_length(facts, verdict_words(facts.vector).0, LIMITED_LENGTH)
}

/// The same for a narrow column.
pub(crate) fn in_short(facts: &DependenceFacts) -> Cell {
    let ink = if facts.vector == VectorVerdict::Unknown { Ink::Dim } else { ink(facts.vector) };
    Cell::new(with_length(facts, verdict_words(facts.vector).1, LIMITED_IN_SHORT), ink)
}

pub(crate) fn parallel_words(verdict: ParallelVerdict) -> &'static str {
    match verdict {
        ParallelVerdict::Independent => "iterations are independent: safe to run in parallel",
        ParallelVerdict::WithClauses => "safe to run in parallel with reduction or private clauses",
        ParallelVerdict::Dependent => "not safe to run in parallel",
        ParallelVerdict::Unknown => "parallel: unknown",
    }
}

pub(crate) fn ink(verdict: VectorVerdict) -> Ink {
    match verdict {
        VectorVerdict::Safe | VectorVerdict::SafeWithReductions => Ink::Good,
        VectorVerdict::SafeUpTo | VectorVerdict::Unknown => Ink::Caution,
        VectorVerdict::Unsafe => Ink::Costly,
    }
}

/// Everything that is known of one machine loop, at most `rows` dependences of it.
pub(crate) fn dependences(
    this: &LoopFacts,
    known: &DependenceFacts,
    rows: usize,
    label: usize,
    style: &TerminalStyle,
) -> String {
    let verdict = [vector_words(known), parallel_words(known.parallel).to_owned()];
    let mut out = facts(style, "Verdict", label, ink(known.vector), &verdict);
    out.push_str(&labelled(style, 0, "", label, Ink::Plain, &known.verdict));
    out.push_str(&checked(known, label, style));
    for why in &known.unknown {
        out.push_str(&labelled(style, 0, "Unsure", label, Ink::Caution, why));
    }
    for exit in &known.early_exits {
        let at = exit.line.map_or_else(|| exit.address.clone(), |line| format!("line {line}"));
        let text = format!("its data decides at {at} whether it goes on");
        out.push_str(&labelled(style, 0, "Early exit", label, Ink::Costly, &text));
    }
    out.push_str(&table(this, known, rows, style));
    for (title, scalars) in
        [("Reductions", &known.reductions), ("Inductions", &known.inductions), ("Private", &known.private)]
    {
        if !scalars.is_empty() {
            let items: Vec<String> = scalars.iter().map(scalar).collect();
            out.push_str(&labelled(style, 0, title, label, Ink::Plain, &items.join("; ")));
        }
    }
    out
}

fn checked(known: &DependenceFacts, label: usize, style: &TerminalStyle) -> String {
    let extent = if known.exhaustive { CHECKED_EVERYTHING } else { CHECKED_BURSTS };
    let source = many(known.checked_iterations, SOURCE_ITERATION);
    let machine = known.checked_machine_iterations;
    let items = [
        if known.checked_iterations == machine {
            source
        } else {
            format!("{}, taken for {source}", many(machine, MACHINE_ITERATION))
        },
        format!("in {}", many(known.checked_entries, ENTRY)),
        filled(DISTANCES_UP_TO, [&count(known.horizon)]),
        extent.to_owned(),
    ];
    facts(style, "Checked", label, Ink::Plain, &items)
}

/// `s (+, floating-point: another order rounds differently), line 54`.
fn scalar(this: &CarriedScalar) -> String {
    let mut about: Vec<String> = this.operation.iter().cloned().collect();
    if this.floating {
        about.push(ROUNDS_DIFFERENTLY.to_owned());
    }
    let about = if about.is_empty() { String::new() } else { format!(" ({})", about.join(", ")) };
    let line = this.line.map_or_else(String::new, |line| filled(IN_LINE, [&line.to_string()]));
    format!("{}{about}{line}", this.name)
}

fn end(this: &DependenceEnd) -> String {
    let what = this.operand.clone().unwrap_or_else(|| format!("at {}", this.address));
    match &this.function {
        Some(function) => format!("{what} in {function}"),
        None => what,
    }
}

/// What the dependence means for who wants to vectorise.
fn consequence(found: &FoundDependence) -> &'static str {
    if found.limits_vectors {
        "limits vectors"
    } else if found.privatisable {
        "a private copy removes it"
    } else if found.forward {
        "forward: vectors keep the order"
    } else {
        ""
    }
}

/// `3`, or `1 and 4 others up to 19`.
fn distance(found: &FoundDependence) -> String {
    match found.distances.iter().map(|(distance, _)| *distance).max() {
        Some(longest) if longest > found.distance && found.distances.len() > 1 => {
            let others = many(found.distances.len() as u64 - 1, OTHER);
            filled(SEVERAL_DISTANCES, [&count(found.distance), &others, &count(longest)])
        }
        _ => count(found.distance),
    }
}

fn table(this: &LoopFacts, known: &DependenceFacts, rows: usize, style: &TerminalStyle) -> String {
    if known.found.is_empty() {
        return String::new();
    }
    let line = |end: &DependenceEnd| Cell::known(line_of(this, end.file.as_deref(), end.line));
    let named = |each: &DependenceEnd| Cell::new(end(each), Ink::Accent);
    let table = Table::<&FoundDependence>::new()
        .column(Column::left("Kind"), |each| {
            let ink = if each.limits_vectors { Ink::Costly } else { Ink::Plain };
            Cell::new(contract_name(&each.kind), ink)
        })
        .column(Column::right("Distance"), |each| Cell::new(distance(each), Ink::Strong))
        .column(Column::right("Line"), |each| line(&each.source))
        .column(Column::left("First").shorten(Shorten::End, 10), |each| named(&each.source))
        .column(Column::right("Line"), |each| line(&each.sink))
        .column(Column::left("Then").shorten(Shorten::End, 10), |each| named(&each.sink))
        .column(Column::left("Through").expendable(4), |each| {
            Cell::plain(if each.memory { "memory" } else { "register" })
        })
        .column(Column::right("Times").expendable(3), |each| {
            let times = each.distances.iter().map(|(_, times)| *times).fold(0, u64::saturating_add);
            Cell::known((times > 0).then(|| count(times)))
        })
        .column(Column::left("Example").expendable(2), |each| {
            each.example.as_ref().map_or_else(Cell::empty, |at| Cell::new(at, Ink::Dim))
        })
        .column(Column::left("Consequence").shorten(Shorten::End, 14).expendable(1), |each| {
            Cell::plain(consequence(each))
        });
    let mut out = table.render(known.found.iter().take(rows), style, 0);
    if known.found.len() > rows {
        let text = format!("{} more: loopwright show loop {} --json", known.found.len() - rows, this.id);
        out.push_str(&paragraph(style, 0, Ink::Dim, &text));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_and_scalars_in_words() {
        let mut found =
            FoundDependence { distance: 3, distances: vec![(3, 9)], ..FoundDependence::default() };
        assert_eq!(distance(&found), "3");
        found.distances = vec![(3, 9), (5, 1), (19, 2)];
        assert_eq!(distance(&found), "3, 2 others up to 19");
        let sum =
            CarriedScalar { name: "s".into(), line: Some(54), operation: Some("+".into()), floating: true };
        assert_eq!(scalar(&sum), "s (+, floating-point: another order rounds differently) in line 54");
        assert_eq!(scalar(&CarriedScalar { name: "rax".into(), ..CarriedScalar::default() }), "rax");
    }

    #[test]
    fn every_verdict_has_words() {
        let with = |vector, max_length| DependenceFacts { vector, max_length, ..DependenceFacts::default() };
        assert_eq!(vector_words(&with(VectorVerdict::SafeUpTo, Some(4))), "safe up to 4 iterations at once");
        assert_eq!(in_short(&with(VectorVerdict::SafeUpTo, Some(4))).text(), "up to 4");
        assert_eq!(in_short(&with(VectorVerdict::Unsafe, None)).text(), "unsafe");
        assert_eq!(in_short(&DependenceFacts::default()).text(), "unknown");
    }
}
