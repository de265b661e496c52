//! `map` and `dependencies`: what a tracing run found, loop by loop, and how much it saw.

use crate::access_patterns::accesses;
use crate::branches::branches;
use crate::dependence_words::dependences;
use crate::loop_words::{Group, groups, title};
use crate::memory_behaviour::{behaviour, geometry, legend};
use crate::names::command_line;
use crate::phrases::{
    BURST, TRACED_BOTH, TRACED_DEPENDENCES, TRACED_EVERYTHING, TRACED_NOTHING, TRACED_PATTERNS,
};
use crate::prose::{facts, heading, labelled, paragraph};
use crate::quantity::{amount, bytes, counted, many, time};
use crate::style::{Ink, TerminalStyle};
use crate::vocabulary;
use crate::warnings::warnings;
use loopwright_analysis::model::{Analysis, LoopFacts, TracingFacts};

/// Width of the label column.
const LABEL: usize = 10;
/// Accesses or dependences shown for a loop.
const ROWS: usize = 40;
/// The same within `show loop`, beside everything else.
const FEW: usize = 12;
/// Warnings shown.
const WARNINGS: usize = 4;

/// What to show.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TracedOptions {
    /// Only the source loops that these belong to.
    pub loops: Option<Vec<u32>>,
}

/// The page of `map`.
pub fn access_patterns(analysis: &Analysis, options: &TracedOptions, style: &TerminalStyle) -> String {
    let Some(tracing) = analysis.tracing.as_ref().filter(|tracing| tracing.strides) else {
        let text = "No access patterns are known in this state: loopwright map -- PROGRAM looks for them.";
        return paragraph(style, 0, Ink::Plain, text);
    };
    let mut out = head(analysis, tracing, style);
    for (at, hierarchy) in tracing.hierarchies.iter().enumerate() {
        let mut items: Vec<String> =
            hierarchy.levels.iter().map(|cache| format!("{} {}", cache.name, geometry(cache))).collect();
        if let Some(first) = items.first_mut() {
            first.insert_str(0, &format!("{}: ", hierarchy.name));
        }
        out.push_str(&facts(style, if at == 0 { "Caches" } else { "" }, LABEL, Ink::Plain, &items));
    }
    let has =
        |each: &LoopFacts| !each.access.is_empty() || each.memory.is_some() || each.not_traced.is_some();
    let show = |each: &LoopFacts| {
        accesses(each, ROWS, LABEL, style)
            + &behaviour(analysis, each, LABEL, style)
            + &branches(analysis, each, ROWS, LABEL, style)
            + &seen(each, style)
    };
    out.push_str(&pages(analysis, options, has, show, style));
    let known = legend(&analysis.loops, style);
    if !known.is_empty() {
        out.push('\n');
        out.push_str(&known);
    }
    out.push_str(&next(analysis, options, !tracing.dependences, "dependencies", style));
    out + &warnings(&analysis.warnings, WARNINGS, style)
}

/// The page of `dependencies`.
pub fn dependencies(analysis: &Analysis, options: &TracedOptions, style: &TerminalStyle) -> String {
    let Some(tracing) = analysis.tracing.as_ref().filter(|tracing| tracing.dependences) else {
        let text = "No dependences were looked for in this state: loopwright dependencies -- PROGRAM does.";
        return paragraph(style, 0, Ink::Plain, text);
    };
    let mut out = head(analysis, tracing, style);
    let has = |each: &LoopFacts| each.dependence.is_some() || each.not_traced.is_some();
    let show = |each: &LoopFacts| {
        each.dependence
            .as_ref()
            .map_or_else(String::new, |known| dependences(each, known, ROWS, LABEL, style))
    };
    out.push_str(&pages(analysis, options, has, show, style));
    out.push('\n');
    let text = if tracing.exhaustive {
        "Checked is what this run executed, with these inputs: others may bring dependences that did not occur."
    } else {
        "Checked are bursts of what this run executed, with these inputs: a dependence that occurred only between them \
         was not seen. --exhaustive checks everything that the loops execute."
    };
    out.push_str(&paragraph(style, 0, Ink::Dim, text));
    out.push_str(&next(analysis, options, !tracing.strides, "map", style));
    out + &warnings(&analysis.warnings, WARNINGS, style)
}

/// Both in a short form, for `show loop`.
pub(crate) fn traced_parts(analysis: &Analysis, this: &LoopFacts, style: &TerminalStyle) -> String {
    let mut out = String::new();
    if let Some(why) = &this.not_traced {
        out.push_str(&heading(style, "Not traced"));
        out.push_str(&paragraph(style, 0, Ink::Caution, &why.to_string()));
    }
    let memory = accesses(this, FEW, LABEL, style) + &behaviour(analysis, this, LABEL, style);
    if !memory.is_empty() {
        out.push_str(&heading(style, "Memory accesses (traced)"));
        out.push_str(&memory);
        out.push_str(&legend([this], style));
        out.push_str(&seen(this, style));
    }
    let branches = branches(analysis, this, FEW, LABEL, style);
    if !branches.is_empty() {
        out.push_str(&heading(style, "Branches (traced)"));
        out.push_str(&branches);
    }
    if let Some(known) = &this.dependence {
        out.push_str(&heading(style, "Dependences (traced)"));
        out.push_str(&dependences(this, known, FEW, LABEL, style));
    }
    out
}

/// The tracing run in a line, for pages that are about other things.
pub(crate) fn in_short(tracing: &TracingFacts, style: &TerminalStyle) -> Vec<String> {
    let what = match (tracing.strides, tracing.dependences) {
        (true, true) => TRACED_BOTH,
        (true, false) => TRACED_PATTERNS,
        (false, true) => TRACED_DEPENDENCES,
        (false, false) => TRACED_NOTHING,
    };
    let mut items = vec![what.to_owned()];
    items.extend(extent(tracing, style));
    items
}

fn extent(tracing: &TracingFacts, _style: &TerminalStyle) -> Vec<String> {
    let accesses = if tracing.accesses == 1 { "access" } else { "accesses" };
    let how = if tracing.exhaustive { TRACED_EVERYTHING.to_owned() } else { many(tracing.bursts, BURST) };
    vec![
        how,
        format!("{} {accesses}", amount(tracing.accesses)),
        format!("in a run of {}", time(tracing.elapsed_seconds)),
    ]
}

fn head(analysis: &Analysis, tracing: &TracingFacts, style: &TerminalStyle) -> String {
    let mut out = facts(style, "Program", LABEL, Ink::Strong, &[command_line(&analysis.program.command)]);
    let mut items = extent(tracing, style);
    items.push(format!("at most {} of trace at a time", bytes(tracing.trace_bytes)));
    items.push(format!("analysed in {} of CPU time", time(tracing.analysis_seconds)));
    out.push_str(&facts(style, "Traced", LABEL, Ink::Plain, &items));
    out
}

/// Each source loop that was asked for under a heading, with its pieces.
fn pages(
    analysis: &Analysis,
    options: &TracedOptions,
    has: impl Fn(&LoopFacts) -> bool,
    show: impl Fn(&LoopFacts) -> String,
    style: &TerminalStyle,
) -> String {
    let all = groups(analysis);
    let wanted = |group: &&Group<'_>| match &options.loops {
        Some(ids) => group.pieces.iter().any(|piece| ids.contains(&piece.id)),
        None => group.pieces.iter().any(|piece| has(piece)),
    };
    let shown: Vec<&Group<'_>> = all.iter().filter(wanted).collect();
    if shown.is_empty() {
        let text = "No traced loop ran: give the program more work, or name loops with --loops.";
        return "\n".to_owned() + &paragraph(style, 0, Ink::Plain, text);
    }
    let mut out = String::new();
    for group in shown {
        out.push_str(&title(group, style));
        let several = group.pieces.len() > 1;
        let mut silent = true;
        for piece in group.pieces.iter().filter(|piece| has(piece)) {
            silent = false;
            if several {
                let name = format!("{}, loop {}", vocabulary::role(piece.role), piece.id);
                out.push_str(&style.paint(Ink::Strong, &name));
                out.push('\n');
            }
            if let Some(why) = &piece.not_traced {
                out.push_str(&labelled(style, 0, "Not traced", LABEL, Ink::Caution, &why.to_string()));
            }
            out.push_str(&show(piece));
        }
        if silent {
            out.push_str(&paragraph(style, 0, Ink::Caution, "It did not run while it was traced."));
        }
    }
    out
}

/// How much of the loop was seen.
fn seen(this: &LoopFacts, style: &TerminalStyle) -> String {
    let Some(memory) = &this.memory else { return String::new() };
    let items = [
        counted(memory.traced_iterations, "machine iteration", "machine iterations"),
        format!("{} from their beginning", counted(memory.traced_entries, "entry", "entries")),
    ];
    facts(style, "Seen", LABEL, Ink::Dim, &items)
}

/// What else can be asked.
fn next(
    analysis: &Analysis,
    options: &TracedOptions,
    lacking: bool,
    verb: &str,
    style: &TerminalStyle,
) -> String {
    let mut commands = Vec::new();
    if lacking {
        let ids = options.loops.as_ref().map_or_else(String::new, |ids| {
            let ids: Vec<String> = ids.iter().map(u32::to_string).collect();
            format!(" --loops {}", ids.join(","))
        });
        commands.push(format!("loopwright {verb}{ids} -- {}", command_line(&analysis.program.command)));
    }
    commands.push("loopwright show recommendations".to_owned());
    "\n".to_owned() + &facts(style, "Next", LABEL, Ink::Accent, &commands)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    fn pages_at_common_widths() {
        let analysis = fixture::patterns::traced();
        let options = TracedOptions::default();
        for style in fixture::styles() {
            for (name, text) in [
                ("map", access_patterns(&analysis, &options, &style)),
                ("dependencies", dependencies(&analysis, &options, &style)),
            ] {
                fixture::assert_fits(&text, &style);
                insta::assert_snapshot!(fixture::label(name, &style), fixture::visible(&text));
            }
        }
    }

    #[test]
    fn a_loop_has_both_in_its_page() {
        let analysis = fixture::patterns::traced();
        for style in fixture::styles() {
            let parts: String = [12, 20, 21]
                .iter()
                .filter_map(|id| analysis.loops.iter().find(|each| each.id == *id))
                .map(|each| format!("== {}\n{}", each.id, traced_parts(&analysis, each, &style)))
                .collect();
            fixture::assert_fits(&parts, &style);
            insta::assert_snapshot!(fixture::label("traced_parts", &style), fixture::visible(&parts));
        }
    }

    #[test]
    fn what_was_not_looked_for_is_said_with_the_way_to_it() {
        let style = TerminalStyle::plain(100);
        let mut analysis = fixture::analysis();
        let options = TracedOptions::default();
        assert!(access_patterns(&analysis, &options, &style).contains("loopwright map -- PROGRAM"));
        analysis.tracing = Some(TracingFacts { strides: true, ..TracingFacts::default() });
        assert!(dependencies(&analysis, &options, &style).contains("loopwright dependencies -- PROGRAM"));
        let text = access_patterns(&analysis, &TracedOptions { loops: Some(vec![12]) }, &style);
        assert!(text.contains("It did not run while it was traced"), "{text}");
        assert!(text.contains("loopwright dependencies --loops 12 -- ./lbm"), "{text}");
    }

    #[test]
    fn loops_that_were_not_asked_for_are_left_out() {
        let analysis = fixture::patterns::traced();
        let options = TracedOptions { loops: Some(vec![21]) };
        let text = access_patterns(&analysis, &options, &TerminalStyle::plain(120));
        assert!(text.contains("Loops 20, 21") && !text.contains("lbv"), "{text}");
        assert!(
            text.contains("remainder, loop 21") && text.contains("did not run while it was traced"),
            "{text}"
        );
    }
}
