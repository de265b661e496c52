//! What communication between ranks takes: a line for each pair of ranks that was measured, and the collective calls.

use crate::columns::{Cell, Column, Table};
use crate::names::printable;
use crate::prose::{heading, labelled, paragraph};
use crate::quantity::{bytes, counted, percent, rate};
use crate::style::{Ink, TerminalStyle};
use loopwright_machine::network::{HockneyLine, Network, NetworkPath};

const LABEL: usize = 9;

/// Microseconds.
fn us(seconds: f64) -> String {
    rate(seconds * 1e6)
}

fn bandwidth(line: HockneyLine) -> Cell {
    Cell::known(line.bandwidth().map(|bandwidth| rate(bandwidth / 1e9)))
}

pub(super) fn network(network: &Network, style: &TerminalStyle) -> String {
    let paths = [("one node", &network.within_node), ("two nodes", &network.between_nodes)];
    let rows: Vec<(&str, &NetworkPath)> =
        paths.into_iter().filter_map(|(name, path)| Some((name, path.as_ref()?))).collect();
    let table = Table::<(&str, &NetworkPath)>::new()
        .column(Column::left("Ranks on"), |(name, _)| Cell::new(*name, Ink::Strong))
        .column(Column::right("Latency us"), |(_, path)| Cell::plain(us(path.small.latency_seconds)))
        .column(Column::right("GB/s"), |(_, path)| bandwidth(path.small))
        .column(Column::right("Up to"), |(_, path)| Cell::known(path.eager_limit_bytes.map(bytes)))
        .column(Column::right("Then us"), |(_, path)| {
            Cell::known(path.large.map(|line| us(line.latency_seconds)))
        })
        .column(Column::right("Then GB/s"), |(_, path)| path.large.map_or_else(Cell::empty, bandwidth))
        .column(Column::right("Gap us"), |(_, path)| Cell::known(path.gap_seconds.map(us)))
        .column(Column::right("Error %"), |(_, path)| Cell::plain(percent(path.error)));
    let mut out = heading(style, "Messages between ranks");
    let from = format!(
        "{}, {} on {}",
        printable(&network.library),
        counted(network.ranks.into(), "rank", "ranks"),
        counted(network.nodes.into(), "node", "nodes")
    );
    out.push_str(&labelled(style, 0, "Measured", LABEL, Ink::Plain, &from));
    out.push_str(&table.render(rows.iter().copied(), style, 0));
    for (label, seconds) in [("Barrier", network.barrier_seconds), ("Allreduce", network.allreduce_seconds)] {
        if let Some(seconds) = seconds {
            out.push_str(&labelled(style, 0, label, LABEL, Ink::Plain, &format!("{} us", us(seconds))));
        }
    }
    for (name, path) in rows {
        if let Some(chunks) = path.chunks {
            let text = format!(
                "messages above {} on {name} go in chunks of it over {} connections",
                bytes(chunks.chunk_bytes),
                chunks.connections
            );
            out.push_str(&labelled(style, 0, "Chunks", LABEL, Ink::Plain, &text));
        }
    }
    let text = "Gap: from one message of 8 B to the next where many are sent at once. Error: how far times are from the lines.";
    out.push_str(&paragraph(style, 0, Ink::Dim, text));
    out
}
