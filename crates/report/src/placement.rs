//! `loopwright place`: what the orders of the ranks send over the nodes' links, and the one that is proposed.

use crate::columns::{Cell, Column, Shorten, Table};
use crate::names::printable;
use crate::prose::{facts, heading, labelled, paragraph};
use crate::quantity::{counted, percent, ratio, time, traffic};
use crate::style::{Ink, TerminalStyle};
use loopwright_analysis::model::{GridFacts, Launcher, PlacedFacts, PlacementFacts, PlacementOrder};

/// Width of the labels.
const LABEL: usize = 9;

/// The view.
pub fn placement(found: &PlacementFacts, style: &TerminalStyle) -> String {
    let mut out = heading(style, "Job");
    let nodes = found.ranks_on_node.iter().filter(|ranks| **ranks > 0).count() as u64;
    let job = [
        counted(found.ranks.into(), "rank", "ranks"),
        counted(nodes, "node", "nodes"),
        on_nodes(&found.ranks_on_node, style),
        format!("{} sent", traffic(found.bytes)),
    ];
    out.push_str(&facts(style, "Size", LABEL, Ink::Plain, &job));
    if let Some(grid) = &found.grid {
        out.push_str(&labelled(style, 0, "Lattice", LABEL, Ink::Plain, &lattice(grid, style)));
    }
    out.push_str(&heading(style, "Orders of the ranks"));
    out.push_str(&table(found, style));
    out.push('\n');
    out.push_str(&proposed(found, style));
    out.push_str(&labelled(style, 0, "Assumed", LABEL, Ink::Dim, ASSUMED));
    out.push_str(&files(found, style));
    out
}

/// What the model takes for granted.
const ASSUMED: &str = "A node's link carries all bytes between its ranks and other nodes, both directions at once; communication takes as \
    long as the busiest link. Latency, the inside of nodes, switches and waiting are left out. Each node keeps its number of ranks.";

/// The ranks on each node in short.
fn on_nodes(ranks: &[u32], style: &TerminalStyle) -> String {
    let used: Vec<u32> = ranks.iter().copied().filter(|ranks| *ranks > 0).collect();
    let (least, most) = (used.iter().min().copied().unwrap_or(0), used.iter().max().copied().unwrap_or(0));
    match least == most {
        true => format!("{least} on each"),
        false => format!("{least}{}{most} on each", style.sign("–", "-")),
    }
}

/// The lattice in words.
fn lattice(grid: &GridFacts, style: &TerminalStyle) -> String {
    let closed = grid.periodic.iter().filter(|closed| **closed).count();
    let ends = match closed {
        0 => "open",
        closed if closed == grid.periodic.len() => "periodic",
        _ => "periodic along some dimensions",
    };
    let share = percent(grid.share);
    format!("{}, {ends}; {share} % of the bytes are between neighbours", points(&grid.dimensions, style))
}

fn points(all: &[u32], style: &TerminalStyle) -> String {
    let all: Vec<String> = all.iter().map(ToString::to_string).collect();
    all.join(style.sign(" × ", " x "))
}

/// An order in words.
fn order(one: &PlacedFacts, style: &TerminalStyle) -> String {
    match one.order {
        PlacementOrder::Given => "as given".to_owned(),
        PlacementOrder::Block => "block".to_owned(),
        PlacementOrder::RoundRobin => "round robin".to_owned(),
        PlacementOrder::Tiles => format!("tiles of {}", points(&one.tile, style)),
        PlacementOrder::Bisection => "bisection and swaps".to_owned(),
        PlacementOrder::Scotch => "Scotch".to_owned(),
        PlacementOrder::Swaps => "swaps".to_owned(),
    }
}

fn table(found: &PlacementFacts, style: &TerminalStyle) -> String {
    let all = found.bytes.max(1) as f64;
    let rows: Vec<(usize, &PlacedFacts)> = found.candidates.iter().enumerate().collect();
    Table::<(usize, &PlacedFacts)>::new()
        .column(Column::left(""), |(at, _)| match *at {
            0 => Cell::new("now", Ink::Dim),
            at if found.proposed == Some(at as u32) => Cell::new("best", Ink::Good),
            _ => Cell::empty(),
        })
        .column(Column::left("Order").shorten(Shorten::End, 12), |(_, one)| Cell::plain(order(one, style)))
        .column(Column::right("Off node %"), |(_, one)| Cell::plain(percent(one.off_node_bytes as f64 / all)))
        .column(Column::right("Messages").expendable(2), |(_, one)| {
            Cell::plain(crate::quantity::count(one.off_node_messages))
        })
        .column(Column::right("Largest egress"), |(_, one)| Cell::plain(traffic(one.largest_egress)))
        .column(Column::right("Largest ingress").expendable(1), |(_, one)| {
            Cell::plain(traffic(one.largest_ingress))
        })
        .column(Column::right("Time"), |(_, one)| Cell::known(one.seconds.map(time)))
        .column(Column::right("Speed"), |(_, one)| Cell::known(one.gain.map(|gain| ratio(gain, style))))
        .render(rows, style, 0)
}

fn proposed(found: &PlacementFacts, style: &TerminalStyle) -> String {
    let best = found.proposed.and_then(|at| found.candidates.get(at as usize));
    let Some((best, now)) = best.zip(found.candidates.first()) else {
        let text = "Keep the present order: none that was compared is better by the model.";
        return paragraph(style, 0, Ink::Plain, text);
    };
    let (from, to) = (busiest(now), busiest(best));
    let less = format!("the busiest link carries {} instead of {}", traffic(to), traffic(from));
    let text = match best.gain {
        Some(gain) => format!(
            "{}: {less}; communication between nodes is {} as fast by the model",
            order(best, style),
            ratio(gain, style)
        ),
        None => {
            format!("{}: no message leaves a node any more, instead of {}", order(best, style), traffic(from))
        }
    };
    let mut out = labelled(style, 0, "Proposed", LABEL, Ink::Good, &text);
    let mean = best.off_node_bytes.checked_div(best.off_node_messages);
    if let Some(mean) = mean.filter(|mean| *mean < SMALL && best.gain.is_some()) {
        let text = format!(
            "messages between nodes have {} on average: their number counts beside their bytes, so that the gain is likely \
             smaller than predicted",
            traffic(mean)
        );
        out.push_str(&labelled(style, 0, "Note", LABEL, Ink::Caution, &text));
    }
    out
}

/// Bytes of a message below which the model promises too much: in simulations gains were within 11 % of the
/// predicted ones with messages of 128 KiB and 1 MiB (docs/placing.md), and as little as two thirds of them with 2 KiB.
const SMALL: u64 = 64 << 10;

fn busiest(one: &PlacedFacts) -> u64 {
    one.largest_egress.max(one.largest_ingress)
}

/// What each launcher is called.
fn launcher(launcher: Launcher) -> &'static str {
    match launcher {
        Launcher::Slurm => "Slurm",
        Launcher::OpenMpi => "Open MPI",
        Launcher::Cray => "Cray MPI",
        Launcher::Smpi => "SMPI",
    }
}

/// The commands, each on a line of its own: it is there to be copied.
fn files(found: &PlacementFacts, style: &TerminalStyle) -> String {
    if found.proposed.is_none() {
        return String::new();
    }
    if found.files.is_empty() {
        let text = "--for slurm,openmpi,cray,smpi writes the proposed order for a launcher";
        return labelled(style, 0, "Next", LABEL, Ink::Plain, text);
    }
    let mut out = heading(style, "Files");
    for each in &found.files {
        let label = launcher(each.launcher);
        let space = " ".repeat(LABEL.saturating_sub(label.len()) + 2);
        out.push_str(&format!("{}{space}{}\n", style.paint(Ink::Dim, label), printable(&each.command)));
    }
    out
}

#[cfg(test)]
mod tests;
