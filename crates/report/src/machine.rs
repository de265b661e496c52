//! `machine`: topology, caches, features, what spoils a measurement, the ceilings, and what communication takes.

mod network;

use crate::columns::{Cell, Column, Columns, Shorten, Table};
use crate::prose::{facts, heading, labelled, paragraph};
use crate::quantity::{bytes, counted, rate, time};
use crate::style::{Ink, TerminalStyle};
use loopwright_machine::network::Network;
use loopwright_machine::{
    Cache, CacheKind, Ceilings, Condition, Element, Feature, Latency, Machine, NumaNode, Topology, Verdict,
};
use loopwright_vocabulary::{MemoryLevel, VectorWidth};

const LABEL: usize = 9;

/// The page; without ceilings it says how to measure them.
pub fn machine(
    machine: &Machine,
    ceilings: Option<&Ceilings>,
    network: Option<&Network>,
    style: &TerminalStyle,
) -> String {
    let mut out = overview(machine, style);
    out.push_str(&caches(&machine.topology, style));
    out.push_str(&nodes(&machine.topology, style));
    out.push_str(&features(&machine.features, style));
    out.push_str(&conditions(&machine.conditions, style));
    match ceilings {
        Some(ceilings) => out.push_str(&measured(ceilings, style)),
        None => {
            out.push_str(&heading(style, "Ceilings"));
            let text =
                "Not measured on this machine yet: loopwright machine --measure takes at most 30 s, once.";
            out.push_str(&paragraph(style, 0, Ink::Caution, text));
        }
    }
    if let Some(network) = network {
        out.push_str(&network::network(network, style));
    }
    out
}

fn overview(machine: &Machine, style: &TerminalStyle) -> String {
    let fact = |label: &str, items: Vec<String>| facts(style, label, LABEL, Ink::Plain, &items);
    let processor = &machine.processor;
    let number =
        |name: &str, value: Option<u32>| value.map_or_else(String::new, |value| format!("{name} {value}"));
    let mut out = facts(style, "Processor", LABEL, Ink::Strong, std::slice::from_ref(&processor.name));
    out.push_str(&fact(
        "",
        vec![
            processor.vendor.clone(),
            number("family", processor.family),
            number("model", processor.model),
            number("stepping", processor.stepping),
            processor.microcode.as_ref().map_or_else(String::new, |revision| format!("microcode {revision}")),
            processor
                .tsc_hz
                .map_or_else(String::new, |hz| format!("time-stamp counter {} GHz", rate(hz as f64 / 1e9))),
        ],
    ));
    let topology = &machine.topology;
    let many = |count: usize, one: &str, many: &str| counted(count as u64, one, many);
    let smt = if topology.smt { "several CPUs share a core (SMT)" } else { "one CPU per core" };
    out.push_str(&fact(
        "CPUs",
        vec![
            many(topology.sockets, "socket", "sockets"),
            many(topology.cores, "core", "cores"),
            many(topology.cpus.len(), "CPU", "CPUs"),
            smt.to_owned(),
            format!("{} may be used here", topology.allowed.len()),
        ],
    ));
    out.push_str(&fact(
        "Memory",
        vec![
            machine.memory_bytes.map_or_else(|| "size not known".to_owned(), bytes),
            machine
                .memory_available_bytes
                .map_or_else(String::new, |free| format!("{} available", bytes(free))),
            many(topology.nodes.len(), "NUMA node", "NUMA nodes"),
        ],
    ));
    out.push_str(&fact(
        "System",
        vec![
            machine.kernel.as_ref().map_or_else(String::new, |kernel| format!("kernel {kernel}")),
            machine
                .hypervisor
                .as_ref()
                .map_or_else(|| "no hypervisor seen".to_owned(), |name| format!("virtual machine on {name}")),
        ],
    ));
    out
}

fn caches(topology: &Topology, style: &TerminalStyle) -> String {
    let like = |cache: &Cache| (cache.level, cache.kind, cache.size_bytes, cache.cpus.len());
    let mut kinds: Vec<&Cache> = Vec::new();
    for cache in &topology.caches {
        if !kinds.iter().any(|known| like(known) == like(cache)) {
            kinds.push(cache);
        }
    }
    if kinds.is_empty() {
        return String::new();
    }
    let table = Table::<&Cache>::new()
        .column(Column::left("Cache"), |cache| {
            let kind = match cache.kind {
                CacheKind::Data => " data",
                CacheKind::Instruction => " instructions",
                CacheKind::Unified => "",
            };
            Cell::new(format!("L{}{kind}", cache.level), Ink::Strong)
        })
        .column(Column::right("Size"), |cache| Cell::plain(bytes(cache.size_bytes)))
        .column(Column::right("Line"), |cache| Cell::plain(bytes(cache.line_bytes.into())))
        .column(Column::right("Ways"), |cache| Cell::known((cache.ways > 0).then(|| cache.ways.to_string())))
        .column(Column::right("How many"), |cache| {
            let alike = topology.caches.iter().filter(|other| like(other) == like(cache));
            Cell::plain(alike.count().to_string())
        })
        .column(Column::right("CPUs sharing one"), |cache| Cell::plain(cache.cpus.len().to_string()));
    heading(style, "Caches") + &table.render(kinds, style, 0)
}

/// Numbers as the kernel writes them: `0-3,8`.
fn list(numbers: &[usize]) -> String {
    let mut parts: Vec<(usize, usize)> = Vec::new();
    for number in numbers {
        match parts.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(*number) => *last = *number,
            _ => parts.push((*number, *number)),
        }
    }
    let text = parts
        .iter()
        .map(|(first, last)| if first == last { first.to_string() } else { format!("{first}-{last}") });
    text.collect::<Vec<_>>().join(",")
}

fn nodes(topology: &Topology, style: &TerminalStyle) -> String {
    if topology.nodes.len() < 2 {
        return String::new();
    }
    let distances = |node: &NumaNode| node.distances.iter().map(u32::to_string).collect::<Vec<_>>().join(" ");
    let table = Table::<&NumaNode>::new()
        .column(Column::right("Node"), |node| Cell::new(node.id.to_string(), Ink::Strong))
        .column(Column::left("CPUs").shorten(Shorten::Middle, 8), |node| Cell::plain(list(&node.cpus)))
        .column(Column::right("Memory"), |node| Cell::known(node.memory_bytes.map(bytes)))
        .column(Column::right("Free"), |node| Cell::known(node.free_bytes.map(bytes)))
        .column(Column::left("Distances (10 = local)").shorten(Shorten::End, 12), |node| {
            Cell::plain(distances(node))
        });
    heading(style, "NUMA nodes") + &table.render(&topology.nodes, style, 0)
}

fn features(features: &[Feature], style: &TerminalStyle) -> String {
    let mut groups: Vec<&str> = Vec::new();
    for feature in features {
        if !groups.contains(&feature.group.as_str()) {
            groups.push(&feature.group);
        }
    }
    let mut out = String::new();
    for group in groups {
        let table = Table::<&Feature>::new()
            .column(Column::left("Feature"), |feature| {
                Cell::new(&feature.name, if feature.usable() { Ink::Strong } else { Ink::Dim })
            })
            .column(Column::left("Usable"), |feature| match (feature.present, feature.enabled) {
                (false, _) => Cell::new("no", Ink::Dim),
                (true, true) => Cell::new("yes", Ink::Good),
                (true, false) => Cell::new("disabled", Ink::Caution),
            })
            .column(Column::left("What it is for").shorten(Shorten::End, 30), |feature| {
                Cell::new(&feature.purpose, if feature.usable() { Ink::Plain } else { Ink::Dim })
            });
        let rows = features.iter().filter(|feature| feature.group == group);
        out.push_str(&heading(style, &format!("Features: {group}")));
        out.push_str(&table.render(rows, style, 0));
        for feature in features.iter().filter(|feature| feature.group == group && feature.present) {
            if let Some(note) = &feature.note {
                let ink = if feature.enabled { Ink::Dim } else { Ink::Caution };
                out.push_str(&labelled(style, 0, &feature.name, LABEL, ink, note));
            }
        }
    }
    out
}

fn conditions(conditions: &[Condition], style: &TerminalStyle) -> String {
    if conditions.is_empty() {
        return String::new();
    }
    let sign = |condition: &Condition| match condition.verdict {
        Verdict::Good => (style.sign("✓", "ok"), Ink::Good),
        Verdict::Neutral => (style.sign("·", "-"), Ink::Plain),
        Verdict::Bad => (style.sign("!", "!"), Ink::Bad),
        Verdict::Unknown => ("?", Ink::Dim),
    };
    let table = Table::<&Condition>::new()
        .column(Column::left(""), |each| Cell::new(sign(each).0, sign(each).1))
        .column(Column::left("Condition").shorten(Shorten::End, 16), |each| Cell::plain(&each.title))
        .column(Column::left("Found").shorten(Shorten::End, 20), |each| Cell::new(&each.value, sign(each).1))
        .column(Column::left("Why it matters").shorten(Shorten::End, 24).expendable(1), |each| {
            Cell::new(&each.explain, Ink::Dim)
        });
    let mut out =
        heading(style, "What spoils or explains measurements") + &table.render(conditions, style, 0);
    let mended = conditions.iter().filter(|condition| condition.verdict == Verdict::Bad);
    let remedies: Vec<(&str, &str)> = mended
        .filter_map(|condition| Some((condition.title.as_str(), condition.remedy.as_deref()?)))
        .collect();
    if !remedies.is_empty() {
        out.push('\n');
    }
    for (title, remedy) in remedies {
        out.push_str(&paragraph(style, 0, Ink::Caution, &format!("! {title}: {remedy}")));
    }
    out
}

fn measured(ceilings: &Ceilings, style: &TerminalStyle) -> String {
    let mut cores: Vec<u32> = ceilings
        .flops
        .iter()
        .map(|each| each.cores)
        .chain(ceilings.bandwidths.iter().map(|each| each.cores))
        .collect();
    cores.sort_unstable();
    cores.dedup();
    let mut out = String::new();
    for cores in cores {
        let on = counted(cores.into(), "CPU", "CPUs");
        out.push_str(&arithmetic(ceilings, cores, &on, style));
        out.push_str(&bandwidths(ceilings, cores, &on, style));
    }
    out.push_str(&latencies(ceilings, style));
    out.push('\n');
    out.push_str(&paragraph(
        style,
        0,
        Ink::Dim,
        &format!("Measured in {}; each figure is the best of its samples.", time(ceilings.seconds)),
    ));
    if let Some(how) = ceilings.disturbed() {
        let text = format!("{}: {how}.", loopwright_analysis::model::DISTURBED_CEILINGS);
        out.push_str(&paragraph(style, 0, Ink::Caution, &text));
    }
    for warning in &ceilings.warnings {
        out.push_str(&labelled(style, 0, "Warning", LABEL, Ink::Caution, &warning.to_string()));
    }
    out
}

fn arithmetic(ceilings: &Ceilings, cores: u32, on: &str, style: &TerminalStyle) -> String {
    let kinds = [(Element::F64, false), (Element::F64, true), (Element::F32, false), (Element::F32, true)];
    let mut columns = vec![Column::left("Arithmetic")];
    columns.extend(
        kinds.map(|(element, fma)| {
            Column::right(format!("{}{}", element.name(), if fma { " FMA" } else { "" }))
        }),
    );
    let mut table = Columns::new(columns);
    let mut levels: Vec<VectorWidth> =
        ceilings.flops.iter().filter(|each| each.cores == cores).map(|each| each.level).collect();
    levels.sort_unstable();
    levels.dedup();
    for level in levels {
        let mut row = vec![Cell::new(level.name(), Ink::Strong)];
        row.extend(kinds.map(|(element, fma)| {
            ceilings
                .flop(level, element, fma, cores)
                .map_or_else(Cell::empty, |gflops| Cell::plain(rate(gflops)))
        }));
        table.row(row);
    }
    if table.is_empty() {
        String::new()
    } else {
        heading(style, &format!("Peak arithmetic on {on}, GFLOP/s")) + &table.render(style, 0)
    }
}

fn bandwidths(ceilings: &Ceilings, cores: u32, on: &str, style: &TerminalStyle) -> String {
    let own: Vec<_> = ceilings.bandwidths.iter().filter(|each| each.cores == cores).collect();
    let mut levels: Vec<MemoryLevel> = Vec::new();
    let mut kernels: Vec<&str> = Vec::new();
    for each in &own {
        if !levels.contains(&each.level) {
            levels.push(each.level);
        }
        if !kernels.contains(&each.kernel.as_str()) {
            kernels.push(&each.kernel);
        }
    }
    if levels.is_empty() {
        return String::new();
    }
    let mut columns = vec![Column::left("Kernel")];
    columns.extend(levels.iter().map(|level| Column::right(level.to_string())));
    let mut table = Columns::new(columns);
    for kernel in kernels {
        let mut row = vec![Cell::new(kernel, Ink::Strong)];
        row.extend(levels.iter().map(|level| {
            ceilings
                .bandwidth(*level, kernel, cores)
                .map_or_else(Cell::empty, |gbytes| Cell::plain(rate(gbytes)))
        }));
        table.row(row);
    }
    heading(style, &format!("Bandwidth on {on}, GB/s")) + &table.render(style, 0)
}

fn latencies(ceilings: &Ceilings, style: &TerminalStyle) -> String {
    let largest = ceilings.latencies.iter().map(|each| each.ns).fold(0.0, f64::max);
    if largest <= 0.0 {
        return String::new();
    }
    let table = Table::<&Latency>::new()
        .column(Column::right("Working set"), |each| Cell::plain(bytes(each.bytes)))
        .column(Column::right("ns"), |each| Cell::new(rate(each.ns), Ink::Strong))
        .column(Column::right("TSC cycles"), |each| Cell::plain(rate(each.cycles)))
        .column(Column::left("").expendable(1), |each| {
            let cells = (each.ns / largest * 40.0).ceil().clamp(1.0, 40.0) as usize;
            Cell::new(style.sign("█", "#").repeat(cells), Ink::Dim)
        });
    heading(style, "Latency of a load, one CPU") + &table.render(&ceilings.latencies, style, 0)
}

#[cfg(test)]
mod tests;
