//! `show tree`: the top-down tree of functions and loops.

use crate::columns::{Cell, Column, Columns, Shorten};
use crate::names::{elide_start, elide_symbol, printable, width};
use crate::prose::paragraph;
use crate::quantity::{TimeUnit, counted, percent, share};
use crate::style::{Ink, TerminalStyle};
use loopwright_analysis::model::{Analysis, TreeNode};

/// What to show of the tree.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TreeOptions {
    /// Levels below the program.
    pub depth: usize,
    /// Nodes with a smaller total share are left out with all below them.
    pub smallest_share: f64,
}

impl Default for TreeOptions {
    fn default() -> Self {
        Self { depth: 40, smallest_share: 0.005 }
    }
}

/// The part of a line that branches may take; deeper nodes are marked by their level.
const LARGEST_INDENT: usize = 60;

/// Widths from which on the tree has its seconds, and its modules, beside it.
const WITH_TIME: usize = 72;
const WITH_MODULE: usize = 100;
/// Columns of a module's name.
const MODULE: usize = 12;

/// A node's name within `room` columns. Of a loop the place stays longest: `loop at a.cpp:9 in System<double>::move(double)`
/// becomes `a.cpp:9 in System<double>::move`.
fn name(node: &TreeNode, room: usize, style: &TerminalStyle) -> String {
    let whole = printable(&node.name);
    if width(&whole) <= room {
        return whole.into_owned();
    }
    let Some(place) = whole.strip_prefix("loop at ").filter(|_| node.loop_id.is_some()) else {
        return elide_symbol(&whole, room, style);
    };
    let Some((place, function)) = place.split_once(" in ") else { return elide_start(place, room, style) };
    match room.checked_sub(width(place) + 4) {
        Some(left) if left >= SHORTEST_FUNCTION => {
            format!("{place} in {}", elide_symbol(function, left, style))
        }
        _ => elide_start(place, room, style),
    }
}

/// Fewer columns of a function's name identify nothing.
const SHORTEST_FUNCTION: usize = 8;

/// The top-down tree of calls with the time of each node, as text.
pub fn tree(analysis: &Analysis, options: &TreeOptions, style: &TerminalStyle) -> String {
    let Some(root) = &analysis.tree else {
        return paragraph(
            style,
            0,
            Ink::Plain,
            "No call stacks were taken, so there is no tree: survey with --call-stacks dwarf or fp.",
        );
    };
    let all = if root.total_seconds > 0.0 { root.total_seconds } else { analysis.program.cpu_seconds };
    let unit = TimeUnit::for_largest(root.total_seconds);
    // The tree needs the width most: its names are shortened to what the other columns leave.
    let (with_time, with_module) = (style.columns() >= WITH_TIME, style.columns() >= WITH_MODULE);
    let time = format!("Total {}", unit.symbol());
    let mut columns = vec![Column::right("Total %"), Column::right("Self %")];
    if with_time {
        columns.push(Column::right(&time));
    }
    columns.push(Column::left("Call tree").shorten(Shorten::End, 30));
    if with_module {
        columns.push(Column::left("Module").shorten(Shorten::Middle, MODULE));
    }
    let mut table = Columns::new(columns);
    let portion = |seconds: f64| if all > 0.0 { seconds / all } else { 0.0 };
    let beside = 17 + if with_time { 12 } else { 0 } + if with_module { MODULE + 2 } else { 0 };
    let room = style.columns().saturating_sub(beside);
    // An explicit stack: recursive programs have trees thousands of levels deep.
    let mut pending = vec![(root, 0_usize, String::new(), String::new())];
    let (mut hidden, mut deeper) = (0_usize, false);
    while let Some((node, level, lead, below)) = pending.pop() {
        let lead = match node.loop_id {
            Some(id) => format!("{lead}[{id}] "),
            None => lead,
        };
        let label = lead.clone() + &name(node, room.saturating_sub(width(&lead)), style);
        let ink = if node.kind == "loop" { Ink::Accent } else { Ink::Plain };
        let total = portion(node.total_seconds);
        let mut row = vec![
            Cell::new(percent(total), if total >= 0.1 { Ink::Strong } else { Ink::Plain }),
            Cell::plain(percent(portion(node.self_seconds))),
        ];
        if with_time {
            row.push(Cell::plain(unit.number(node.total_seconds)));
        }
        row.push(Cell::new(label, ink));
        if with_module {
            row.push(Cell::new(&node.module, Ink::Dim));
        }
        table.row(row);
        let shown: Vec<&TreeNode> = node
            .children
            .iter()
            .filter(|child| portion(child.total_seconds) >= options.smallest_share)
            .collect();
        hidden += node.children.len() - shown.len();
        if level >= options.depth {
            deeper |= !shown.is_empty();
            continue;
        }
        for (at, child) in shown.iter().enumerate().rev() {
            let last = at + 1 == shown.len();
            let (branch, rest) = match (last, level) {
                (true, _) => (style.sign("└─ ", "`- "), "   "),
                (false, _) => (style.sign("├─ ", "|- "), style.sign("│  ", "|  ")),
            };
            let (lead, rest) = if below.chars().count() >= LARGEST_INDENT.min(room / 3) {
                (format!("{below}{} ", level + 1), below.clone())
            } else {
                (format!("{below}{branch}"), format!("{below}{rest}"))
            };
            pending.push((child, level + 1, lead, rest));
        }
    }
    let mut out = table.render(style, 0);
    if hidden > 0 {
        let branches = counted(hidden as u64, "branch", "branches");
        let text = format!(
            "{branches} below {} left out: loopwright show tree --all",
            share(options.smallest_share)
        );
        out.push_str(&paragraph(style, 0, Ink::Dim, &text));
    }
    if deeper {
        out.push_str(&paragraph(
            style,
            0,
            Ink::Dim,
            &format!("What is deeper than {} levels is left out.", options.depth),
        ));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    fn trees_at_common_widths() {
        let analysis = fixture::analysis();
        for style in fixture::styles() {
            let text = tree(&analysis, &TreeOptions::default(), &style);
            fixture::assert_fits(&text, &style);
            insta::assert_snapshot!(fixture::label("tree", &style), fixture::visible(&text));
        }
    }

    #[test]
    fn limits_are_kept_and_said() {
        let analysis = fixture::analysis();
        let style = TerminalStyle::plain(100);
        let flat = tree(&analysis, &TreeOptions { depth: 1, smallest_share: 0.0 }, &style);
        assert!(
            flat.contains("main") && !flat.contains("collide") && flat.contains("deeper than 1 levels"),
            "{flat}"
        );
        let all = tree(&analysis, &TreeOptions { depth: 40, smallest_share: 0.0 }, &style);
        assert!(all.contains("print_progress") && !all.contains("left out"), "{all}");
    }

    #[test]
    fn of_a_loop_in_a_deep_branch_the_place_stays() {
        let analysis = fixture::analysis();
        let mut node = analysis.tree.unwrap();
        (node.name, node.loop_id) = ("loop at tmpl.cpp:9 in System<double>::move(double)".into(), Some(5));
        let at = |room| name(&node, room, &TerminalStyle::terminal(80));
        assert_eq!(at(60), node.name);
        assert_eq!(at(36), "tmpl.cpp:9 in System<double>::move");
        assert_eq!(at(30), "tmpl.cpp:9 in System<…>::move");
        assert_eq!(at(24), "tmpl.cpp:9 in …::move");
        assert_eq!(at(16), "tmpl.cpp:9");
    }

    #[test]
    fn a_deep_recursion_fits_its_width() {
        let mut analysis = fixture::analysis();
        let mut node = analysis.tree.take().unwrap();
        for _ in 0..1_000 {
            let total_seconds = node.total_seconds;
            node = fixture::node("function", "recursive", None, 0.0, 1.0, vec![node]);
            node.total_seconds = total_seconds;
        }
        analysis.tree = Some(node);
        let style = TerminalStyle::plain(80);
        let text = tree(&analysis, &TreeOptions { depth: usize::MAX, ..TreeOptions::default() }, &style);
        fixture::assert_fits(&text, &style);
        assert!(text.lines().count() > 1_000);
    }
}
