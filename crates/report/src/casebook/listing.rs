//! Which cases there are, and what one is about.

use crate::columns::{Cell, Column, Columns, Shorten};
use crate::prose::{heading, labelled, paragraph};
use crate::style::{Ink, TerminalStyle};
use loopwright_casebook::case::{Case, Stage};

/// The cases, a line each.
pub fn list(cases: &[Case], style: &TerminalStyle) -> String {
    let mut table = Columns::new(vec![
        Column::left("Case"),
        Column::right("Stages"),
        Column::left("Languages").expendable(2),
        Column::left("What it is about").shorten(Shorten::End, 20),
        Column::left("Source").shorten(Shorten::End, 12).expendable(1),
    ]);
    for case in cases {
        let tracks = case.tracks.iter().flatten().cloned().collect::<Vec<_>>().join(", ");
        table.row(vec![
            Cell::new(&case.name, Ink::Strong),
            Cell::plain(case.stages.len().to_string()),
            Cell::plain(tracks),
            Cell::plain(&case.title),
            Cell::new(&case.source, Ink::Dim),
        ]);
    }
    table.render(style, 0)
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
            out.push_str(&line("advice", Ink::Accent, &format!("{ids}, given for {}", from.name)));
        }
        if let Some(because) = &stage.because {
            out.push_str(&line("no advice", Ink::Plain, because));
        }
        out.push_str(&line("sources", Ink::Dim, &sources(case, stage)));
        let flags = [&stage.build.flags[..], &stage.build.link[..]].concat().join(" ");
        if !flags.is_empty() {
            out.push_str(&line("flags", Ink::Dim, &flags));
        }
    }
    out
}

fn sources(case: &Case, stage: &Stage) -> String {
    let files = case.tracks.iter().flat_map(|track| stage.build.sources.of(track.as_deref()));
    files.map(|file| case.folder.join(file).display().to_string()).collect::<Vec<_>>().join(" ")
}
