//! `case report`: recorded runs as a page, a document, or chapters of the docs.

use super::{failure, recorded};
use crate::args::{CaseArgs, CaseReportArgs};
use crate::destination::Destination;
use crate::failure::Failure;
use crate::terminal::Console;
use loopwright_analysis::timestamp::rfc3339;
use loopwright_casebook::case::Case;
use loopwright_casebook::record::CaseRecord;
use loopwright_casebook::sources::sources;
use loopwright_report::casebook::{CasebookDocument, Chapter, chapter, contents};
use loopwright_report::page::{self, PageError};
use serde_json::Value;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

pub fn run(args: &CaseArgs, wanted: &CaseReportArgs, console: &Console) -> Result<u8, Failure> {
    if wanted.html.is_none() && wanted.json.is_none() && wanted.markdown.is_none() {
        return Err(Failure::misuse("nothing to write; try: loopwright case report --html casebook.html"));
    }
    // What this build cannot do is said before anything is written.
    if wanted.html.is_some() && page::TEMPLATE.is_none() {
        return Err(PageError::NoTemplate.into());
    }
    let found = recorded(args, &wanted.names)?;
    if let Some(file) = &wanted.json {
        Destination::of(file).write(&page::json(&document(&found)?)?)?;
    }
    if let Some(file) = &wanted.html {
        Destination::of(file).write(&page::html(document(&found)?, page::TEMPLATE.as_deref())?)?;
        console.note(&format!("the report is in {}", file.display()));
    }
    if let Some(folder) = &wanted.markdown {
        chapters(args, &found, folder).map_err(failure)?;
        console.note(&format!("{} chapters are in {}", found.len(), folder.display()));
    }
    Ok(0)
}

/// The page's document.
fn document(found: &[(Case, CaseRecord)]) -> Result<Value, Failure> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64());
    let records: Vec<&CaseRecord> = found.iter().map(|(_, record)| record).collect();
    let sources = found.iter().flat_map(|(case, _)| sources(case)).collect();
    let document = CasebookDocument::new(env!("CARGO_PKG_VERSION"), rfc3339(now), records, sources);
    Ok(serde_json::to_value(&document)?)
}

fn chapters(
    args: &CaseArgs,
    found: &[(Case, CaseRecord)],
    folder: &Path,
) -> Result<(), loopwright_casebook::Error> {
    let file = |name: &str, text: &str| {
        let file = folder.join(name);
        std::fs::write(&file, text).map_err(|cause| loopwright_casebook::Error::File { file, cause })
    };
    std::fs::create_dir_all(folder)
        .map_err(|cause| loopwright_casebook::Error::File { file: folder.to_owned(), cause })?;
    let folders: Vec<String> =
        found.iter().map(|(case, _)| link(&args.casebook, &case.name, folder)).collect();
    let all: Vec<Chapter<'_>> =
        found.iter().zip(&folders).map(|((case, record), folder)| Chapter { case, record, folder }).collect();
    for one in &all {
        file(&format!("{}.md", one.case.name), &chapter(one))?;
    }
    file("cases.md", &contents(&all))
}

/// The case's folder as seen from the chapters' folder; as it was named where the two have no common root.
fn link(casebook: &Path, case: &str, chapters: &Path) -> String {
    let plain = casebook.join(case).display().to_string();
    let (Ok(to), Ok(from)) = (casebook.join(case).canonicalize(), chapters.canonicalize()) else {
        return plain;
    };
    let shared = to.components().zip(from.components()).take_while(|(a, b)| a == b).count();
    if shared < 2 {
        return plain;
    }
    let up = from.components().skip(shared).map(|_| "..".to_owned());
    let down = to.components().skip(shared).map(|part| part.as_os_str().to_string_lossy().into_owned());
    up.chain(down).collect::<Vec<_>>().join("/")
}
