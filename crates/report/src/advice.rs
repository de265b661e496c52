//! One screen after a run: what to do, where the time went, which loops took it and why.
//!
//! The answer is within the first ten lines; how the run went and how it was measured comes last. What to show is chosen so
//! that the whole stays within about 45 lines; the commands that it names print everything left out.

mod changes;

use crate::columns::{Cell, Column, Columns, Shorten};
use crate::hotspots::rows_of;
use crate::loop_words::{groups, headroom, kind, place, remarks};
use crate::names::{command_line, elide_end, printable, width};
use crate::page::missing::{Surroundings, missing};
use crate::phrases::NO_SAMPLES;
use crate::prose::{READABLE, facts, flow, heading, labelled, paragraph};
use crate::quantity::{TimeUnit, count, counted, percent, share, tenths, time};
use crate::recommendations::{kept_back, together};
use crate::style::{Ink, TerminalStyle};
use crate::trip_counts::source_mean;
use crate::vocabulary;
use crate::warnings::warnings;
use changes::{PLACES, by_place, top_recommendations};
use loopwright_advise::{Recommendation, cards};
use loopwright_analysis::model::{
    Analysis, InlinedFunction, MachineFacts, ProgramFacts, TimeShares, Warning,
};

/// Lines of the whole, where names and messages are of common length.
const SCREEN: usize = 45;
/// Loops shown: as many as leave room for the advice.
const LOOPS: [usize; 3] = [8, 5, 3];
/// A loop below this share is not worth a line here.
const NOTICEABLE: f64 = 0.005;
/// Functions that were inlined are shown from this share on: `loopwright show functions` has the others.
const NOTICEABLE_INLINED: f64 = 0.05;
/// Missing facts shown.
const LACKING: usize = 2;
/// Warnings shown.
const WARNINGS: usize = 4;
/// Above this share of time outside loops the functions are shown too: straight-line code hides in them.
const OUTSIDE: f64 = 0.25;
/// Functions shown when loops do not explain the time.
const FUNCTIONS: usize = 3;
/// Width of the label column.
const LABEL: usize = 8;

/// The screen; with `detail` also how it was measured, and changes that gain little.
pub fn advice(
    analysis: &Analysis,
    recommendations: &[Recommendation],
    detail: bool,
    style: &TerminalStyle,
) -> String {
    let all = cards(analysis, recommendations);
    let cards: Vec<&Recommendation> = all.iter().filter(|card| detail || !card.minor).collect();
    let mut header = header(analysis, style);
    if analysis.program.samples == 0 {
        header.push_str(&heading(style, "What to do"));
        header.push_str(&paragraph(style, 0, Ink::Plain, NO_SAMPLES));
    }
    // That nothing was sampled has been said.
    let news: Vec<Warning> = analysis
        .warnings
        .iter()
        .filter(|warning| !matches!(warning, Warning::NoSamples { .. }))
        .cloned()
        .collect();
    let below = measurement(analysis, detail, style) + &warnings(&news, WARNINGS, style);
    let lines = |text: &str| text.lines().count();
    let wanted = by_place(&cards).len().min(PLACES);
    let (mut tables, mut advised, mut shown) = Default::default();
    // Fewer loops where the advice would not fit otherwise.
    for loops in LOOPS {
        tables = top_loops(analysis, loops, style);
        if analysis.loops.is_empty() || analysis.program.time.outside_loops > OUTSIDE {
            tables += &top_functions(analysis, style);
        }
        let used = lines(&header) + lines(&tables) + lines(&below);
        // The heading, the sum, what is kept back and the lines of further commands take up to eight.
        let budget = SCREEN.saturating_sub(used + 8);
        let places;
        (advised, shown, places) = top_recommendations(analysis, &cards, budget, style);
        if places >= wanted {
            break;
        }
    }
    if analysis.program.samples > 0 {
        advised.push_str(&together(recommendations, style).unwrap_or_default());
        advised.push_str(&kept_back(&all, style).filter(|_| !detail).unwrap_or_default());
    }
    let mut out = header + &advised + &tables + &more(analysis, &cards, shown, detail, style);
    let left = SCREEN.saturating_sub(lines(&out) + lines(&below));
    out.push_str(&lacking(analysis, left.min(LACKING), style));
    out + &below
}

/// What ran for how long, and where its time went.
fn header(analysis: &Analysis, style: &TerminalStyle) -> String {
    let program = &analysis.program;
    let mut ran = vec![command_line(&program.command)];
    ran.extend(run(program));
    facts(style, "Program", LABEL, Ink::Plain, &ran) + &time_bar(&program.time, style)
}

/// How the run went and, in detail, where and how it was measured: below the answer, which it does not change.
fn measurement(analysis: &Analysis, detail: bool, style: &TerminalStyle) -> String {
    let program = &analysis.program;
    let mut out = cpu_usage(program, style) + &crate::elapsed::lines(program, LABEL, style);
    if !detail {
        return out;
    }
    if let Some(machine) = &analysis.machine {
        out.push_str(&facts(style, "Machine", LABEL, Ink::Plain, &machine_facts(machine)));
    }
    out.push_str(&facts(style, "Samples", LABEL, Ink::Plain, &sampling(program)));
    if let Some(counts) = &analysis.counts {
        out.push_str(&facts(
            style,
            "Counts",
            LABEL,
            Ink::Plain,
            &crate::trip_counts::in_short(counts, style),
        ));
    }
    if let Some(tracing) = &analysis.tracing {
        let items = crate::traced_pages::in_short(tracing, style);
        out.push_str(&facts(style, "Traced", LABEL, Ink::Plain, &items));
    }
    out
}

fn run(program: &ProgramFacts) -> Vec<String> {
    let mut facts = vec![format!("{} after {}", program.outcome, time(program.elapsed_seconds))];
    if program.samples > 0 {
        facts.push(format!("{} of CPU time", time(program.cpu_seconds)));
    } else {
        facts.push(format!("{} of CPU time", time(program.user_seconds + program.system_seconds)));
    }
    if program.threads > 0 {
        let processes = counted(program.processes.into(), "process", "processes");
        facts.push(counted(program.threads.into(), "thread", "threads") + " in " + &processes);
    }
    if program.ranks > 1 {
        facts.push(counted(program.ranks.into(), "rank", "ranks"));
    }
    facts
}

fn machine_facts(machine: &MachineFacts) -> Vec<String> {
    let mut facts = vec![machine.name.clone(), counted(machine.cpus.into(), "CPU", "CPUs")];
    if let Some(isa) = machine.isa {
        let fma = if machine.fma { "with FMA" } else { "without FMA" };
        facts.push(format!("{} {fma}", vocabulary::isa(isa)));
        facts.push(format!("{}-bit vectors", machine.vector_bits));
    }
    facts
}

fn sampling(program: &ProgramFacts) -> Vec<String> {
    let mut facts = vec![count(program.samples), program.sampler.clone()];
    if program.lost_samples > 0 {
        facts.push(format!("{} lost", count(program.lost_samples)));
    }
    if program.unresolved_share >= 0.001 {
        facts.push(format!("{} in unknown code", share(program.unresolved_share)));
    }
    facts.push(format!("overhead {}", share(program.overhead_share)));
    facts
}

/// Cells of a bar for each share: every non-zero share gets at least one, together exactly `cells`.
fn apportion(shares: &[f64], cells: usize) -> Vec<usize> {
    let clean: Vec<f64> =
        shares.iter().map(|share| if share.is_finite() { share.max(0.0) } else { 0.0 }).collect();
    let sum: f64 = clean.iter().sum();
    if sum <= 0.0 {
        return vec![0; shares.len()];
    }
    let exact: Vec<f64> = clean.iter().map(|share| share / sum * cells as f64).collect();
    let mut parts: Vec<usize> =
        exact.iter().map(|part| if *part > 0.0 { (part.floor() as usize).max(1) } else { 0 }).collect();
    loop {
        let total: usize = parts.iter().sum();
        let lack = |at: &usize| exact[*at] - parts[*at] as f64;
        if total < cells {
            let Some(at) =
                (0..parts.len()).filter(|at| clean[*at] > 0.0).max_by(|a, b| lack(a).total_cmp(&lack(b)))
            else {
                return parts;
            };
            parts[at] += 1;
        } else if total > cells {
            let Some(at) =
                (0..parts.len()).filter(|at| parts[*at] > 1).min_by(|a, b| lack(a).total_cmp(&lack(b)))
            else {
                return parts;
            };
            parts[at] -= 1;
        } else {
            return parts;
        }
    }
}

fn time_bar(time: &TimeShares, style: &TerminalStyle) -> String {
    let kinds = [
        ("vectorised loops", time.vectorized, "█", "#", Ink::Good),
        ("scalar loops", time.scalar, "█", "=", Ink::Costly),
        ("outside loops", time.outside_loops, "▒", "-", Ink::Plain),
        ("kernel", time.kernel, "░", ".", Ink::Dim),
    ];
    if kinds.iter().all(|kind| kind.1 <= 0.0) {
        return String::new();
    }
    // Without colours the two kinds of loops need blocks that differ.
    let fill = |kind: &(&str, f64, &'static str, &'static str, Ink)| match kind {
        ("scalar loops", ..) if style.unicode && !style.colour => "▓",
        _ => style.sign(kind.2, kind.3),
    };
    let cells = (style.columns() - LABEL - 2).min(90);
    let parts = apportion(&kinds.map(|kind| kind.1), cells);
    let bar: String = kinds
        .iter()
        .zip(&parts)
        .map(|(kind, cells)| style.paint(kind.4, &fill(kind).repeat(*cells)))
        .collect();
    let mut out = format!("{}{}{bar}\n", style.paint(Ink::Dim, "Time"), " ".repeat(LABEL + 2 - 4));

    let mut legend: Vec<(String, usize)> = Vec::new();
    for kind in kinds.iter().filter(|kind| kind.1 > 0.0) {
        let text = format!(" {} {}", kind.0, share(kind.1));
        legend.push((style.paint(kind.4, fill(kind)) + &text, 1 + width(&text)));
    }
    if time.libraries > 0.0 {
        let text = format!("({} in shared libraries)", share(time.libraries));
        legend.push((style.paint(Ink::Dim, &text), width(&text)));
    }
    out.push_str(&flow(style, "", LABEL, "   ", &legend));
    out
}

/// How many CPUs were busy for how long.
fn cpu_usage(program: &ProgramFacts, style: &TerminalStyle) -> String {
    let total: f64 = program.cpu_usage.iter().sum();
    if total <= 0.0 {
        return String::new();
    }
    let busy_seconds = program.cpu_usage.iter().enumerate().map(|(busy, seconds)| busy as f64 * seconds);
    let mut items = vec![format!(
        "{} of {} busy on average",
        tenths(busy_seconds.sum::<f64>() / total),
        program.cpus_allowed
    )];
    let shares = program.cpu_usage.iter().map(|seconds| seconds / total).enumerate();
    let mut levels: Vec<(usize, f64)> = shares.filter(|(_, share)| *share >= 0.01).collect();
    levels.sort_by(|a, b| b.1.total_cmp(&a.1));
    levels.truncate(4);
    levels.sort_by_key(|(busy, _)| *busy);
    // What is no time of an idle program: it was ready, and other programs had the CPUs.
    let ready = program.elapsed.as_ref().map_or(0.0, |elapsed| elapsed.ready_seconds / total);
    for (busy, part) in levels {
        let (own, of_others) =
            if busy == 0 { ((part - ready).max(0.0), ready.min(part)) } else { (part, 0.0) };
        if own >= 0.01 {
            items.push(if busy == 0 {
                format!("idle {}", share(own))
            } else {
                format!("{busy} busy {}", share(own))
            });
        }
        if of_others >= 0.01 {
            items.push(format!("ready without a CPU {}", share(of_others)));
        }
    }
    if style.unicode && program.cpu_usage.len() > 2 && program.cpu_usage.len() <= 32 {
        items[0] = format!("{} {}", spark(&program.cpu_usage), items[0]);
    }
    facts(style, "CPUs", LABEL, Ink::Plain, &items)
}

/// A histogram one line high.
fn spark(values: &[f64]) -> String {
    const LEVELS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let largest = values.iter().copied().fold(0.0, f64::max);
    let level = |value: &f64| LEVELS[((value / largest * 8.0).ceil() as usize).clamp(1, 8) - 1];
    values.iter().map(level).collect()
}

fn top_loops(analysis: &Analysis, most: usize, style: &TerminalStyle) -> String {
    let groups = groups(analysis);
    let shown: Vec<_> = groups.iter().filter(|group| group.self_share() >= NOTICEABLE).take(most).collect();
    if analysis.program.samples == 0 {
        return String::new();
    }
    if shown.is_empty() {
        let text = "No loop took a noticeable share of the time.";
        return heading(style, "Loops") + &paragraph(style, 0, Ink::Plain, text);
    }
    let unit = TimeUnit::for_largest(shown[0].self_seconds());
    let mut table = Columns::new(vec![
        Column::right("Loop"),
        Column::right("Self %"),
        Column::right(format!("Self {}", unit.symbol())).expendable(3),
        Column::right("Total %").expendable(2),
        // Room for the class and the function of a template.
        Column::left("Function").shorten(Shorten::Symbol, 18),
        Column::left("Place").shorten(Shorten::Middle, 16),
        Column::left("Type").shorten(Shorten::End, 12),
        Column::right("Trips").expendable(4),
        Column::right("Headroom").expendable(5),
        Column::left("Why not, traits").shorten(Shorten::End, 14).expendable(1),
    ]);
    for group in &shown {
        let lead = group.lead();
        table.row(vec![
            Cell::new(lead.id.to_string(), Ink::Strong),
            Cell::new(percent(group.self_share()), Ink::Strong),
            Cell::plain(unit.number(group.self_seconds())),
            Cell::plain(percent(group.total_share())),
            Cell::plain(lead.name()),
            Cell::new(place(lead), Ink::Accent),
            kind(lead, style),
            Cell::plain(lead.trip_count.as_ref().map_or_else(String::new, |trips| source_mean(trips, style))),
            Cell::plain(headroom(lead, style)),
            Cell::plain(remarks(group)),
        ]);
    }
    let mut out = heading(style, "Hottest loops") + &table.render(style, 0);
    let rest: f64 = groups.iter().map(crate::loop_words::Group::self_share).sum::<f64>()
        - shown.iter().map(|group| group.self_share()).sum::<f64>();
    if groups.len() > shown.len() {
        let text = format!("{} more with {} together", groups.len() - shown.len(), share(rest.max(0.0)));
        out.push_str(&style.paint(Ink::Dim, &text));
        out.push('\n');
    }
    out
}

fn top_functions(analysis: &Analysis, style: &TerminalStyle) -> String {
    let shown: Vec<_> = analysis
        .functions
        .iter()
        .filter(|function| function.self_share >= NOTICEABLE)
        .take(FUNCTIONS)
        .collect();
    if shown.is_empty() {
        return String::new();
    }
    let mut table = Columns::new(vec![
        Column::right("Self %"),
        Column::right("Total %").expendable(1),
        Column::left("Function").shorten(Shorten::Symbol, 20),
        Column::left("Module").shorten(Shorten::Start, 10),
    ]);
    let noticeable = |inlined: &InlinedFunction| inlined.self_share >= NOTICEABLE_INLINED;
    for row in shown.into_iter().flat_map(|function| rows_of(function, noticeable)) {
        table.row(vec![
            Cell::new(percent(row.self_share), Ink::Strong),
            Cell::plain(percent(row.total_share)),
            Cell::plain(row.function),
            Cell::plain(row.module()),
        ]);
    }
    heading(style, "Hottest functions") + &table.render(style, 0)
}

fn more(
    analysis: &Analysis,
    recommendations: &[&Recommendation],
    shown: usize,
    detail: bool,
    style: &TerminalStyle,
) -> String {
    if analysis.program.samples == 0 {
        return "\n".to_owned();
    }
    let mut commands = Vec::new();
    let hidden = recommendations.len().saturating_sub(shown);
    if hidden > 0 {
        commands.push(format!("loopwright show recommendations ({hidden} more)"));
    } else if !recommendations.is_empty() {
        commands.push("loopwright show recommendations".to_owned());
    }
    let hottest = groups(analysis).first().map(|group| group.lead().id);
    if let Some(id) = recommendations.first().and_then(|advice| advice.loop_id).or(hottest) {
        commands.push(format!("loopwright show loop {id}"));
        commands.push("loopwright show loops".to_owned());
    }
    commands.push("loopwright show tree".to_owned());
    if !detail {
        commands.push("loopwright show --all (how it was measured)".to_owned());
    }
    if analysis.counts.is_some() {
        commands.push("loopwright roofline".to_owned());
    }
    let commands: Vec<(String, usize)> =
        commands.iter().map(|text| (style.paint(Ink::Accent, text), width(text))).collect();
    "\n".to_owned() + &flow(style, "More", LABEL, "   ", &commands)
}

/// The commands that would add most facts, at most `most` of them, each on one line; the page has all with reasons.
fn lacking(analysis: &Analysis, most: usize, style: &TerminalStyle) -> String {
    let room = style.columns().min(READABLE) - LABEL - 2;
    let all = missing(analysis, &Surroundings::default());
    let lines = all.iter().filter_map(|each| Some(format!("{}: {}", each.what, each.command.as_ref()?)));
    let mut out = String::new();
    for (at, line) in lines.take(most).enumerate() {
        let label = if at == 0 { "Missing" } else { "" };
        out.push_str(&labelled(
            style,
            0,
            label,
            LABEL,
            Ink::Plain,
            &elide_end(&printable(&line), room, style),
        ));
    }
    out
}

#[cfg(test)]
mod tests;
