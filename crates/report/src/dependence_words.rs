//! The dependences that a loop carries: the verdict first, then what it rests on. Used by the page of `dependencies`
//! and by `show loop`.

use crate::access_patterns::line_of;
use crate::columns::{Cell, Column, Columns, Shorten};
use crate::prose::{facts, labelled, paragraph};
use crate::quantity::{count, counted};
use crate::style::{Ink, TerminalStyle};
use crate::vocabulary::contract_name;
use loopwright_analysis::model::{
    CarriedScalar, DependenceEnd, DependenceFacts, FoundDependence, LoopFacts, ParallelVerdict, VectorVerdict,
};

/// The vector verdict in a few words.
pub(crate) fn vector_words(facts: &DependenceFacts) -> String {
    match (facts.vector, facts.max_length) {
        (VectorVerdict::Safe, _) => "safe to vectorise".to_owned(),
        (VectorVerdict::SafeWithReductions, _) => "safe to vectorise with reductions".to_owned(),
        (VectorVerdict::SafeUpTo, Some(most)) => format!("safe up to {most} iterations at once"),
        (VectorVerdict::SafeUpTo, None) => "safe up to a limited vector length".to_owned(),
        (VectorVerdict::Unsafe, _) => "not safe to vectorise".to_owned(),
        (VectorVerdict::Unknown, _) => "vectors: unknown".to_owned(),
    }
}

/// The same for a narrow column.
pub(crate) fn in_short(facts: &DependenceFacts) -> Cell {
    let (text, ink) = match (facts.vector, facts.max_length) {
        (VectorVerdict::Safe, _) => ("safe".to_owned(), Ink::Good),
        (VectorVerdict::SafeWithReductions, _) => ("reduction".to_owned(), Ink::Good),
        (VectorVerdict::SafeUpTo, Some(most)) => (format!("up to {most}"), Ink::Caution),
        (VectorVerdict::SafeUpTo, None) => ("limited".to_owned(), Ink::Caution),
        (VectorVerdict::Unsafe, _) => ("unsafe".to_owned(), Ink::Costly),
        (VectorVerdict::Unknown, _) => ("unknown".to_owned(), Ink::Dim),
    };
    Cell::new(text, ink)
}

fn parallel_words(verdict: ParallelVerdict) -> &'static str {
    match verdict {
        ParallelVerdict::Independent => "iterations are independent: safe to run in parallel",
        ParallelVerdict::WithClauses => "safe to run in parallel with reduction or private clauses",
        ParallelVerdict::Dependent => "not safe to run in parallel",
        ParallelVerdict::Unknown => "parallel: unknown",
    }
}

fn ink(verdict: VectorVerdict) -> Ink {
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
    let extent = if known.exhaustive { "everything that it executed" } else { "in bursts" };
    let source = counted(known.checked_iterations, "source iteration", "source iterations");
    let machine = known.checked_machine_iterations;
    let items = [
        if known.checked_iterations == machine {
            source
        } else {
            format!("{}, taken for {source}", counted(machine, "machine iteration", "machine iterations"))
        },
        format!("in {}", counted(known.checked_entries, "entry", "entries")),
        format!("distances up to {}", count(known.horizon)),
        extent.to_owned(),
    ];
    facts(style, "Checked", label, Ink::Plain, &items)
}

/// `s (+, floating-point: another order rounds differently), line 54`.
fn scalar(this: &CarriedScalar) -> String {
    let mut about: Vec<String> = this.operation.iter().cloned().collect();
    if this.floating {
        about.push("floating-point: another order rounds differently".to_owned());
    }
    let about = if about.is_empty() { String::new() } else { format!(" ({})", about.join(", ")) };
    let line = this.line.map_or_else(String::new, |line| format!(" in line {line}"));
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
            let others = counted(found.distances.len() as u64 - 1, "other", "others");
            format!("{}, {others} up to {}", count(found.distance), count(longest))
        }
        _ => count(found.distance),
    }
}

fn table(this: &LoopFacts, known: &DependenceFacts, rows: usize, style: &TerminalStyle) -> String {
    if known.found.is_empty() {
        return String::new();
    }
    let mut table = Columns::new(vec![
        Column::left("Kind"),
        Column::right("Distance"),
        Column::right("Line"),
        Column::left("First").shorten(Shorten::End, 10),
        Column::right("Line"),
        Column::left("Then").shorten(Shorten::End, 10),
        Column::left("Through").expendable(4),
        Column::right("Times").expendable(3),
        Column::left("Example").expendable(2),
        Column::left("Consequence").shorten(Shorten::End, 14).expendable(1),
    ]);
    for found in known.found.iter().take(rows) {
        let (source, sink) = (&found.source, &found.sink);
        let line = |end: &DependenceEnd| {
            line_of(this, end.file.as_deref(), end.line).map_or_else(Cell::empty, Cell::plain)
        };
        let times: u64 = found.distances.iter().map(|(_, times)| *times).fold(0, u64::saturating_add);
        let strong = if found.limits_vectors { Ink::Costly } else { Ink::Plain };
        table.row(vec![
            Cell::new(contract_name(&found.kind), strong),
            Cell::new(distance(found), Ink::Strong),
            line(source),
            Cell::new(end(source), Ink::Accent),
            line(sink),
            Cell::new(end(sink), Ink::Accent),
            Cell::plain(if found.memory { "memory" } else { "register" }),
            if times > 0 { Cell::plain(count(times)) } else { Cell::empty() },
            found.example.as_ref().map_or_else(Cell::empty, |at| Cell::new(at, Ink::Dim)),
            Cell::plain(consequence(found)),
        ]);
    }
    let mut out = table.render(style, 0);
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
