//! `show loop ID`: everything known of one loop, each part with how it was obtained.

use crate::bottlenecks::bottleneck_part;
use crate::columns::{Cell, Column, Columns, Shorten, Table};
use crate::loop_counts::counted_parts;
use crate::loop_words::{called, groups, kind};
use crate::memory_operands::memory;
use crate::names::{elide_symbol, printable};
use crate::phrases::{
    INSTRUCTIONS_SAY_OTHERWISE, LONGEST_CHAIN, NO_SOURCE_POSITION, SAYS_NOT_VECTORISED, SAYS_VECTORISED,
    WITH_VECTORS, filled,
};
use crate::prose::{facts, heading, labelled, paragraph};
use crate::quantity::{count, counted, percent, ratio, share, time};
use crate::recommendations::full;
use crate::style::{Ink, TerminalStyle};
use crate::traced_pages::traced_parts;
use crate::vocabulary;
use loopwright_advise::Recommendation;
use loopwright_analysis::model::{Analysis, LoopFacts, Provenance, TreeNode, WhyNot};
use loopwright_analysis::place::base_name;
use loopwright_binary::facts::{CarriedChain, ChainKind};
use loopwright_remarks::reasons;
use std::collections::BTreeMap;

const LABEL: usize = 9;
/// Ways to the loop that are shown.
const CALLERS: usize = 5;

/// No loop has this number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownLoop {
    /// The number asked for.
    pub id: u32,
}

impl std::fmt::Display for UnknownLoop {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "there is no loop {} in this state; `loopwright show loops --all` lists them", self.id)
    }
}

impl std::error::Error for UnknownLoop {}

/// The page.
///
/// # Errors
/// When no loop has this id.
pub fn loop_detail(
    analysis: &Analysis,
    recommendations: &[Recommendation],
    id: u32,
    style: &TerminalStyle,
) -> Result<String, UnknownLoop> {
    let this = analysis.loops.iter().find(|each| each.id == id).ok_or(UnknownLoop { id })?;
    let mut out = head(analysis, this, style);
    out.push_str(&why_not(this, style));
    out.push_str(&counted_parts(this, style));
    out.push_str(&work(this, style));
    out.push_str(&bottleneck_part(this, style));
    out.push_str(&traced_parts(analysis, this, style));
    if this.access.is_empty() {
        out.push_str(&memory(this, style));
    }
    out.push_str(&chains(this, style));
    out.push_str(&calls(this, style));
    out.push_str(&traits(this, style));
    out.push_str(&callers(analysis, this, style));
    let own: Vec<&Recommendation> = recommendations
        .iter()
        .filter(|advice| {
            advice.loop_id == Some(id) || (advice.group.is_some() && advice.group == Some(this.group))
        })
        .collect();
    if !own.is_empty() {
        out.push_str(&heading(style, "What to do"));
        for (at, advice) in own.into_iter().enumerate() {
            if at > 0 {
                out.push('\n');
            }
            out.push_str(&full(at + 1, advice, style));
        }
    }
    out.push('\n');
    let commands = [format!("loopwright show source {id}"), format!("loopwright show asm {id}")];
    out.push_str(&facts(style, "More", LABEL, Ink::Accent, &commands));
    Ok(out)
}

fn head(analysis: &Analysis, this: &LoopFacts, style: &TerminalStyle) -> String {
    let fact = |label: &str, items: &[String]| facts(style, label, LABEL, Ink::Plain, items);
    let room = style.columns().saturating_sub(40).max(30);
    let title = format!("Loop {}", this.id);
    let name = elide_symbol(&printable(this.name()), room, style);
    let mut out = format!(
        "{}  {}  {}\n\n",
        style.paint(Ink::Title, &title),
        style.paint(Ink::Strong, &name),
        style.paint(Ink::Accent, &printable(&this.place()))
    );
    out.push_str(&fact(
        "Time",
        &[
            format!("{} self", share(this.self_share)),
            format!("{} in {}", time(this.self_seconds), counted(this.samples, "sample", "samples")),
            format!("{} total with what it calls", share(this.total_share)),
            counted(this.threads.into(), "thread", "threads"),
        ],
    ));
    if let Some(serial) = this.serial_share.filter(|serial| *serial >= 0.005) {
        out.push_str(&fact(
            "",
            &[format!("{} of the elapsed time it ran with only one CPU busy", share(serial))],
        ));
    }
    let mut code = vec![vocabulary::role_sentence(this.role).to_owned()];
    if let Some(trips) = this.constant_trips {
        code.push(format!("{} iterations, a constant in the code", count(trips)));
    }
    code.push(counted(this.instructions.into(), "instruction", "instructions"));
    code.push(counted(this.exits.into(), "exit", "exits"));
    let what = kind(this, style).painted(style);
    out.push_str(&crate::prose::flow(style, "Type", LABEL, style.dot(), &[what]));
    out.push_str(&fact("Code", &code));
    out.push_str(&vector(this, style));
    out.push_str(&position(this, style));
    out.push_str(&nest(analysis, this, style));
    if let Some(producer) = &this.producer {
        out.push_str(&labelled(style, 0, "Compiler", LABEL, Ink::Plain, producer));
    }
    for claim in &this.compilers {
        let says = if claim.vectorized { SAYS_VECTORISED } else { SAYS_NOT_VECTORISED };
        let width =
            claim.vector_bytes.map_or_else(String::new, |bytes| filled(WITH_VECTORS, [&bytes.to_string()]));
        let differs = if claim.vectorized == this.vectorized { "" } else { INSTRUCTIONS_SAY_OTHERWISE };
        out.push_str(&labelled(
            style,
            0,
            "Report",
            LABEL,
            Ink::Plain,
            &format!("{} {says}{width}{differs}", claim.compiler),
        ));
    }
    out
}

fn vector(this: &LoopFacts, style: &TerminalStyle) -> String {
    let Some(vector) = &this.vector else { return String::new() };
    let mut items = vec![
        format!("{} elements of {} per vector", vector.length, vocabulary::elements(&vector.types)),
        format!("unrolled {}{}", vector.unroll, style.times()),
        format!("{} of the arithmetic packed", share(vector.packed_share)),
    ];
    if let Some(gain) = vector.gain {
        items.push(format!(
            "gain {} over scalar code ({})",
            ratio(gain, style),
            vocabulary::provenance(vector.provenance)
        ));
    }
    if let Some(efficiency) = vector.efficiency {
        items.push(format!("efficiency {}", share(efficiency)));
    }
    facts(style, "Vectors", LABEL, Ink::Plain, &items)
}

fn position(this: &LoopFacts, style: &TerminalStyle) -> String {
    let mut items = Vec::new();
    if let (Some(file), Some(line)) = (&this.file, this.line) {
        let column =
            this.column.filter(|column| *column > 0).map_or_else(String::new, |column| format!(":{column}"));
        items.push(format!("{file}:{line}{column}"));
        if let Some((from, to)) = this.lines.filter(|(from, to)| from != to) {
            items.push(format!("lines {from} to {to}"));
        }
    } else {
        items.push(NO_SOURCE_POSITION.to_owned());
    }
    items.push(format!("{} at {}", this.module, this.address));
    let mut out = facts(style, "Position", LABEL, Ink::Plain, &items);
    for (at, frame) in this.inlined_from.iter().enumerate() {
        let from = frame
            .call_site
            .as_ref()
            .map_or_else(String::new, |site| format!(", called at {}:{}", base_name(&site.file), site.line));
        let name = elide_symbol(
            &printable(&frame.function),
            style.columns().saturating_sub(LABEL + 40).max(24),
            style,
        );
        out.push_str(&labelled(
            style,
            0,
            if at == 0 { "Inlined" } else { "" },
            LABEL,
            Ink::Plain,
            &format!("{name}{from}"),
        ));
    }
    out
}

fn nest(analysis: &Analysis, this: &LoopFacts, style: &TerminalStyle) -> String {
    let name = |id: u32| match analysis.loops.iter().find(|each| each.id == id) {
        Some(each) => format!("loop {id} ({}, {})", each.place(), share(each.self_share)),
        None => format!("loop {id}"),
    };
    let mut items = vec![format!("depth {}", this.depth)];
    if let Some(parent) = this.parent {
        items.push(format!("within {}", name(parent)));
    }
    items.extend(this.children.iter().map(|child| format!("around {}", name(*child))));
    if this.innermost {
        items.push("innermost".to_owned());
    }
    let mut out = facts(style, "Nest", LABEL, Ink::Plain, &items);
    if let Some(group) = groups(analysis)
        .into_iter()
        .find(|group| group.lead().group == this.group)
        .filter(|group| group.pieces.len() > 1)
    {
        let all = group.self_seconds();
        let part = |seconds: f64| if all > 0.0 { share(seconds / all) } else { "no time".to_owned() };
        let pieces: Vec<String> = group
            .pieces
            .iter()
            .map(|piece| {
                format!("loop {} {} {}", piece.id, vocabulary::role(piece.role), part(piece.self_seconds))
            })
            .collect();
        out.push_str(&facts(style, "Pieces", LABEL, Ink::Plain, &pieces));
    }
    out
}

fn why_not(this: &LoopFacts, style: &TerminalStyle) -> String {
    if this.why_not.is_empty() {
        return String::new();
    }
    let title = if this.vectorized { "What compilers said of it" } else { "Why it is not vectorised" };
    let mut out = heading(style, title);
    let mut explained: Vec<&str> = Vec::new();
    for why in &this.why_not {
        out.push_str(&reason(why, &mut explained, style));
    }
    out
}

fn reason<'a>(why: &'a WhyNot, explained: &mut Vec<&'a str>, style: &TerminalStyle) -> String {
    let who = match (&why.compiler, why.provenance) {
        (Some(compiler), _) => compiler.clone(),
        (None, provenance) => vocabulary::provenance(provenance).to_owned(),
    };
    let place = match (&why.file, why.line) {
        (Some(file), Some(line)) => format!(" at {}:{line}", base_name(file)),
        _ => String::new(),
    };
    let mut out = format!(
        "{}  {}\n",
        style.paint(Ink::Costly, &printable(&why.reason)),
        style.paint(Ink::Dim, &printable(&format!("({who}{place})")))
    );
    let quoted = if why.provenance == Provenance::Compiler {
        format!("\"{}\"", why.message)
    } else {
        why.message.clone()
    };
    out.push_str(&paragraph(style, 4, Ink::Plain, &quoted));
    if explained.contains(&why.reason.as_str()) {
        return out;
    }
    explained.push(&why.reason);
    if let Some(known) = reasons::find(&why.reason) {
        let meaning = known.meaning.split("\n\n").next().unwrap_or_default().replace('\n', " ");
        out.push_str(&paragraph(style, 4, Ink::Plain, &meaning));
        out.push_str(&paragraph(style, 4, Ink::Accent, &format!("loopwright explain {}", known.id)));
    }
    out
}

fn work(this: &LoopFacts, style: &TerminalStyle) -> String {
    let classes = vocabulary::instruction_classes(&this.instruction_mix);
    if classes.is_empty() {
        return String::new();
    }
    let mut out = heading(style, "Work of one iteration (read from the binary)");
    let mix: Vec<String> = classes.iter().map(|(class, count)| format!("{count} {class}")).collect();
    out.push_str(&facts(style, "Mix", LABEL, Ink::Plain, &mix));
    let mut flow = vec![
        format!("{} bytes loaded", this.bytes_loaded_per_iteration),
        format!("{} stored", this.bytes_stored_per_iteration),
    ];
    let flop: u32 = this.flop_per_iteration.values().sum();
    for (element, flop) in &this.flop_per_iteration {
        flow.push(format!("{flop} FLOP in {}", vocabulary::element(*element)));
    }
    let bytes = this.bytes_loaded_per_iteration.saturating_add(this.bytes_stored_per_iteration);
    if flop > 0 && bytes > 0 {
        flow.push(format!("{} FLOP/byte", crate::quantity::rate(f64::from(flop) / f64::from(bytes))));
    }
    out + &facts(style, "Data", LABEL, Ink::Plain, &flow)
}

fn chains(this: &LoopFacts, style: &TerminalStyle) -> String {
    let carried: Vec<_> = this.chains.iter().filter(|chain| chain.kind != ChainKind::Induction).collect();
    if carried.is_empty() {
        return String::new();
    }
    let table = Table::<&CarriedChain>::new()
        .column(Column::left("Register"), |chain| Cell::plain(chain.carrier.name()))
        .column(Column::right("Cycles"), |chain| Cell::new(chain.latency_cycles.to_string(), Ink::Strong))
        .column(Column::right("Instructions"), |chain| Cell::plain(chain.instructions.len().to_string()))
        .column(Column::left("What it is").shorten(Shorten::End, 20), |chain| {
            Cell::plain(vocabulary::chain(chain.kind))
        });
    heading(style, "Carried from iteration to iteration (read from the binary)")
        + &table.render(carried, style, 0)
        + &paragraph(style, 0, Ink::Dim, LONGEST_CHAIN)
}

fn calls(this: &LoopFacts, style: &TerminalStyle) -> String {
    if this.calls.is_empty() {
        return String::new();
    }
    let mut targets: BTreeMap<&str, u32> = BTreeMap::new();
    for call in &this.calls {
        *targets.entry(call.target.as_deref().unwrap_or("a pointer")).or_default() += 1;
    }
    let room = style.columns().saturating_sub(LABEL + 24).max(24);
    let items: Vec<String> = targets
        .into_iter()
        .map(|(name, sites)| {
            let name = elide_symbol(&printable(name), room, style);
            if sites > 1 { format!("{name} from {sites} places") } else { name }
        })
        .collect();
    let mut out = heading(style, "Calls in each iteration (read from the binary)")
        + &facts(style, "", 0, Ink::Plain, &items);
    if this.callee_share >= 0.005 {
        let text = format!(
            "{} of the samples below this loop are in what it calls (measured)",
            share(this.callee_share)
        );
        out.push_str(&paragraph(style, 2, Ink::Plain, &text));
    }
    out
}

fn traits(this: &LoopFacts, style: &TerminalStyle) -> String {
    if this.traits.is_empty() && this.idiom.is_none() {
        return String::new();
    }
    let mut out = heading(style, "Traits (read from the binary)");
    let named: Vec<(String, &str)> = this
        .traits
        .iter()
        .map(|each| (vocabulary::contract_name(each), vocabulary::trait_sentence(*each)))
        .chain(this.idiom.map(|idiom| (vocabulary::contract_name(&idiom), vocabulary::idiom(idiom))))
        .collect();
    let longest = named.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    for (name, sentence) in &named {
        out.push_str(&labelled(style, 0, name, longest, Ink::Plain, sentence));
    }
    out
}

/// Ways from the program to the loop with the time below the loop on each, the longest first.
fn paths(root: &TreeNode, id: u32) -> Vec<(Vec<&TreeNode>, f64)> {
    let mut found: Vec<(Vec<&TreeNode>, f64)> = Vec::new();
    let mut way: Vec<&TreeNode> = Vec::new();
    let mut pending: Vec<(usize, &TreeNode)> = vec![(0, root)];
    while let Some((depth, node)) = pending.pop() {
        way.truncate(depth);
        if node.loop_id == Some(id) {
            found.push((way.clone(), node.total_seconds));
            continue;
        }
        way.push(node);
        pending.extend(node.children.iter().map(|child| (depth + 1, child)));
    }
    found.sort_by(|a, b| b.1.total_cmp(&a.1));
    found
}

fn callers(analysis: &Analysis, this: &LoopFacts, style: &TerminalStyle) -> String {
    let Some(tree) = &analysis.tree else { return String::new() };
    let found = paths(tree, this.id);
    if found.is_empty() {
        return String::new();
    }
    let all = analysis.program.cpu_seconds;
    let mut table =
        Columns::new(vec![Column::right("Total %"), Column::left("Way").shorten(Shorten::Start, 20)]);
    for (way, seconds) in found.iter().take(CALLERS) {
        let names = way
            .iter()
            .filter(|node| node.kind != "program")
            .map(|node| elide_symbol(&printable(&node.name), 40, style));
        let names: Vec<String> = names.collect();
        let names = if names.is_empty() { called(this) } else { names.join(style.sign(" → ", " > ")) };
        table.row(vec![
            Cell::new(percent(if all > 0.0 { seconds / all } else { 0.0 }), Ink::Strong),
            Cell::plain(names),
        ]);
    }
    let mut out = heading(style, "Reached through (measured)") + &table.render(style, 0);
    if found.len() > CALLERS {
        out.push_str(&paragraph(
            style,
            0,
            Ink::Dim,
            &format!("{} more: loopwright show tree", found.len() - CALLERS),
        ));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    fn pages_at_common_widths() {
        let (analysis, advice) = (fixture::analysis(), fixture::recommendations());
        for style in fixture::styles() {
            for id in [12, 20] {
                let text = loop_detail(&analysis, &advice, id, &style).unwrap();
                fixture::assert_fits(&text, &style);
                insta::assert_snapshot!(
                    fixture::label(&format!("loop_{id}"), &style),
                    fixture::visible(&text)
                );
            }
        }
    }

    #[test]
    fn a_loop_of_which_little_is_known_shows_no_empty_parts() {
        let text = loop_detail(&fixture::analysis(), &[], 77, &TerminalStyle::plain(100)).unwrap();
        assert!(
            text.contains("no source position") && !text.contains("Traits") && !text.contains("Memory"),
            "{text}"
        );
    }

    #[test]
    fn an_unknown_loop_is_an_error_with_a_way_out() {
        let error = loop_detail(&fixture::analysis(), &[], 99, &TerminalStyle::plain(80)).unwrap_err();
        assert_eq!(
            error.to_string(),
            "there is no loop 99 in this state; `loopwright show loops --all` lists them"
        );
    }
}
