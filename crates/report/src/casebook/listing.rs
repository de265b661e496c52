//! Which cases there are, and what one is about.

use crate::columns::{Cell, Column, Shorten, Table};
use crate::prose::{heading, labelled, paragraph};
use crate::style::{Ink, TerminalStyle};
use loopwright_casebook::advisor::Verb;
use loopwright_casebook::case::{Case, Stage};
use loopwright_casebook::launch::Launch;
use schemars::JsonSchema;
use serde::Serialize;

/// A case of the casebook, in short: what `loopwright case list --json` prints of each.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CaseSummary<'a> {
    /// Its name, as other commands take it.
    name: &'a str,
    /// What it is about.
    title: &'a str,
    /// Where the code is from.
    source: &'a str,
    /// Names of its stages, in their order.
    stages: Vec<&'a str>,
}

impl<'a> From<&'a Case> for CaseSummary<'a> {
    fn from(case: &'a Case) -> Self {
        let stages = case.stages.iter().map(|stage| stage.name.as_str()).collect();
        Self { name: &case.name, title: &case.title, source: &case.source, stages }
    }
}

/// The cases, a line each.
pub fn list(cases: &[Case], style: &TerminalStyle) -> String {
    let tracks = |case: &Case| case.tracks.iter().flatten().cloned().collect::<Vec<_>>().join(", ");
    Table::<&Case>::new()
        .column(Column::left("Case"), |case| Cell::new(&case.name, Ink::Strong))
        .column(Column::right("Stages"), |case| Cell::plain(case.stages.len().to_string()))
        .column(Column::left("Languages").expendable(2), |case| Cell::plain(tracks(case)))
        .column(Column::left("What it is about").shorten(Shorten::End, 20), |case| Cell::plain(&case.title))
        .column(Column::left("Source").shorten(Shorten::End, 12).expendable(1), |case| {
            Cell::new(&case.source, Ink::Dim)
        })
        .render(cases, style, 0)
}

/// What a case teaches, and its stages.
pub fn case(case: &Case, style: &TerminalStyle) -> String {
    let line = |label: &str, ink: Ink, text: &str| labelled(style, 4, label, 9, ink, text);
    let mut out = paragraph(style, 0, Ink::Title, &format!("{}: {}", case.name, case.title));
    out.push_str(&paragraph(style, 0, Ink::Plain, &case.problem));
    out.push_str(&paragraph(style, 0, Ink::Dim, &format!("Source: {}", case.source)));
    for (index, stage) in case.stages.iter().enumerate() {
        out.push_str(&heading(style, &format!("{index}  {}  ({})", stage.title, stage.name)));
        out.push_str(&paragraph(style, 4, Ink::Plain, &stage.change));
        let from = stage.from.and_then(|from| case.stages.get(from));
        if let Some(from) = from.filter(|_| !stage.recommendations.is_empty()) {
            let ids = stage.recommendations.join(" or ");
            let verb = case.advisor.verb.name();
            let by = if case.advisor.verb == Verb::Advise { String::new() } else { format!(" by {verb}") };
            out.push_str(&line("advice", Ink::Accent, &format!("{ids}, given for {}{by}", from.name)));
        }
        if let Some((found_by, from)) = stage.found_by.as_ref().zip(from) {
            let what = found_by.expected().join(" or ");
            out.push_str(&line(
                "search",
                Ink::Accent,
                &format!("{} of {}: {what}", found_by.verb(), from.name),
            ));
        }
        if let Some(because) = &stage.because {
            out.push_str(&line("no advice", Ink::Plain, because));
        }
        out.push_str(&line("sources", Ink::Dim, &sources(case, stage)));
        let flags = [&stage.build.flags[..], &stage.build.link[..]].concat().join(" ");
        if !flags.is_empty() {
            out.push_str(&line("flags", Ink::Dim, &flags));
        }
        if let Some(launch) = &case.launch {
            out.push_str(&line("ranks", Ink::Dim, &ranks(case, launch, stage)));
        }
        let set: Vec<String> =
            stage.build.env.iter().map(|(name, value)| format!("{name}={value}")).collect();
        if !set.is_empty() {
            out.push_str(&line("set", Ink::Dim, &set.join(" ")));
        }
    }
    out
}

/// How many ranks there are, and where a simulator has them.
fn ranks(case: &Case, launch: &Launch, stage: &Stage) -> String {
    let files = launch.platform.iter().chain(&stage.build.hosts);
    let files: Vec<String> = files.map(|file| case.folder.join(file).display().to_string()).collect();
    let simulated =
        if files.is_empty() { String::new() } else { format!(", simulated: {}", files.join(" ")) };
    format!("{}{simulated}", launch.ranks)
}

fn sources(case: &Case, stage: &Stage) -> String {
    let files = case.tracks.iter().flat_map(|track| stage.build.sources.of(track.as_deref()));
    files.map(|file| case.folder.join(file).display().to_string()).collect::<Vec<_>>().join(" ")
}
