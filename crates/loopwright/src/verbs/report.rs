//! `loopwright report`: everything about a state in one page, as one document for programs, or as tables.

use crate::args::{Cli, ReportArgs};
use crate::comparing::{Compared, Named};
use crate::destination::{Destination, make_folder, replace_with};
use crate::failure::Failure;
use crate::sources::Sources;
use crate::state::{self, Loaded};
use crate::terminal::Console;
use indicatif::HumanBytes;
use loopwright_analysis::by_rank::ByRank;
use loopwright_analysis::compare::check::{Thresholds, check};
use loopwright_analysis::hits::Hits;
use loopwright_analysis::model::Analysis;
use loopwright_analysis::place::{as_written, base_name};
use loopwright_analysis::thread_trees::thread_trees;
use loopwright_analysis::timestamp::rfc3339;
use loopwright_binary::facts::FunctionCode;
use loopwright_report::fleet::{Fleet, Table};
use loopwright_report::page::comparison::ComparisonDocument;
use loopwright_report::page::missing::{Surroundings, missing};
use loopwright_report::page::{self, Extras, Function, Input, PageError};
use loopwright_report::{SarifOptions, sarif};
use serde_json::Value;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// Loops with less of the time are not worth the search for their sources.
const HOT: f64 = 0.01;

pub fn run(cli: &Cli, args: &ReportArgs, console: &Console) -> Result<u8, Failure> {
    let wanted = [&args.html, &args.json, &args.sarif, &args.parquet];
    let wanted: Vec<&Path> = wanted.into_iter().flatten().map(AsRef::as_ref).collect();
    if wanted.is_empty() {
        return Err(Failure::misuse("nothing to write; try: loopwright report --html report.html"));
    }
    if args.parquet.as_deref().is_some_and(|folder| Destination::of(folder) == Destination::Stdout) {
        return Err(Failure::misuse("--parquet writes several files; name a folder instead of `-`"));
    }
    let mut named = HashSet::new();
    if let Some(twice) = wanted.iter().find(|path| !named.insert(**path)) {
        let what = match Destination::of(twice) {
            Destination::Stdout => "only one result can go to standard output (`-`)".to_owned(),
            Destination::File(path) => format!("{} is named twice", path.display()),
        };
        return Err(Failure::misuse(format!("{what}; name another file for the other one")));
    }
    // What this build cannot do is said before anything is written.
    if args.html.is_some() && page::TEMPLATE.is_none() {
        return Err(PageError::NoTemplate.into());
    }
    let loaded = state::load(cli, &args.state)?.part(&args.part)?;
    if let Some(path) = &args.sarif {
        let options = SarifOptions { source_root: Some(source_root(cli)?) };
        deliver(path, &sarif(&loaded.analysis, loaded.recommendations(), &options)?, console)?;
    }
    if let Some(folder) = &args.parquet {
        tables(cli, folder, &loaded, console)?;
    }
    if args.html.is_none() && args.json.is_none() {
        return Ok(0);
    }
    let earlier = args.against.as_ref().map(|name| Ok::<_, Failure>((name, state::load_side(cli, name)?)));
    let comparison = match earlier.transpose()? {
        Some((name, before)) => Some(comparison((name, &before), (&args.state, &loaded))?),
        None => None,
    };
    let document = document(cli, &loaded, &args.state, comparison)?;
    if let Some(path) = &args.json {
        deliver(path, &page::json(&document)?, console)?;
    }
    if let Some(path) = &args.html {
        deliver(path, &page::html(document, page::TEMPLATE.as_deref())?, console)?;
    }
    Ok(0)
}

fn deliver(path: &Path, text: &str, console: &Console) -> Result<(), Failure> {
    let destination = Destination::of(path);
    destination.write(text)?;
    if let Destination::File(path) = destination {
        console.note(&format!("the report is in {} ({})", path.display(), HumanBytes(text.len() as u64)));
    }
    Ok(())
}

/// The tables, each whole or not at all. What else is in the folder stays.
fn tables(cli: &Cli, folder: &Path, loaded: &Loaded, console: &Console) -> Result<(), Failure> {
    make_folder(folder)?;
    let by_rank = ByRank::of(&loaded.facts, &loaded.analysis);
    let file = cli.experiment.file_name().unwrap_or_default().to_string_lossy();
    let fleet = Fleet {
        version: env!("CARGO_PKG_VERSION"),
        file: &file,
        analysis: &loaded.analysis,
        by_rank: &by_rank,
        recommendations: loaded.recommendations(),
    };
    let (mut rows, mut bytes) = (0, 0);
    for table in Table::ALL {
        let path = folder.join(table.name()).with_extension("parquet");
        rows += replace_with(&path, |out| fleet.write(table, out))?;
        bytes += path.metadata().map_or(0, |written| written.len());
    }
    let written = format!("{} tables with {rows} rows ({})", Table::ALL.len(), HumanBytes(bytes));
    console.note(&format!("{written} are in {}", folder.display()));
    Ok(())
}

/// The folder that files are named relative to, which must be one.
fn source_root(cli: &Cli) -> Result<PathBuf, Failure> {
    let folder = cli.source_root.first().map_or(Path::new("."), PathBuf::as_path);
    match folder.canonicalize() {
        Ok(root) if root.is_dir() => Ok(root),
        Ok(_) => Err(Failure::misuse(format!("{} is no folder; name the checkout's root", folder.display()))),
        Err(cause) => Err(Failure::misuse(format!(
            "the source root {} cannot be opened: {cause}; name the checkout's root",
            folder.display()
        ))),
    }
}

/// This state beside an earlier one, with what `check` finds.
fn comparison(before: Named<'_>, after: Named<'_>) -> Result<Value, Failure> {
    let compared = Compared::of(before, after);
    let findings = check(&compared.comparison, &Thresholds::default());
    Ok(serde_json::to_value(ComparisonDocument {
        comparison: &compared.comparison,
        findings: Some(&findings),
        predictions: &compared.predictions,
    })?)
}

fn document(cli: &Cli, loaded: &Loaded, state: &str, comparison: Option<Value>) -> Result<Value, Failure> {
    let sources = Sources::new(loaded, &cli.source_root);
    let missing = missing(
        &loaded.analysis,
        &Surroundings {
            experiment: cli.named_experiment(),
            unreadable: &unreadable(&loaded.analysis, &sources),
        },
    );
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64());
    Ok(page::document(Input {
        version: env!("CARGO_PKG_VERSION"),
        generated: rfc3339(now),
        state,
        analysis: &loaded.analysis,
        recommendations: loaded.recommendations(),
        functions: &functions(loaded)?,
        remarks: &loaded.facts.remarks,
        texts: &|file| sources.text(file),
        threads: &thread_trees(&loaded.facts, page::THREADS),
        extras: Extras { missing: serde_json::to_value(missing)?, comparison },
    })?)
}

/// Source files of hot loops whose text is unavailable.
fn unreadable(analysis: &Analysis, sources: &Sources<'_>) -> Vec<String> {
    let hot = analysis.loops.iter().filter(|each| each.self_share >= HOT);
    let files: BTreeSet<&String> = hot.filter_map(|each| each.file.as_ref()).collect();
    files.into_iter().filter(|file| sources.text(file).is_err()).cloned().collect()
}

/// Functions with samples or with loops of the analysis, each once, with their listings.
fn functions(loaded: &Loaded) -> Result<Vec<Function>, Failure> {
    let mut hits = Hits::of(&loaded.facts);
    let known: HashSet<u32> = loaded.analysis.loops.iter().map(|each| each.id).collect();
    let mut found: HashMap<i64, Function> = HashMap::new();
    for module in loaded.facts.code() {
        for stored in module.functions.iter() {
            let nanoseconds = hits.functions.remove(&stored.id).unwrap_or_default();
            let has_loop = stored.loop_ids.iter().any(|id| known.contains(id));
            if (nanoseconds.is_empty() && !has_loop) || found.contains_key(&stored.id) {
                continue;
            }
            let listing = loaded.experiment.listing(stored.id)?.unwrap_or_default();
            let code = FunctionCode {
                files: listing.files,
                instructions: listing.instructions,
                ..as_written(&stored.code)
            };
            let path = &module.facts.path;
            let name = base_name(path);
            let loop_ids = stored.loop_ids.clone();
            found.insert(stored.id, Function { module: name.to_owned(), code, loop_ids, nanoseconds });
        }
    }
    let mut functions: Vec<(i64, Function)> = found.into_iter().collect();
    functions.sort_by_key(|(id, _)| *id);
    Ok(functions.into_iter().map(|(_, function)| function).collect())
}
