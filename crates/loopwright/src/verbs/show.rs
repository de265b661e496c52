//! `loopwright show`: every view of a state.

use crate::args::{Cli, ShowArgs, View};
use crate::failure::Failure;
use crate::sources::Sources;
use crate::state::{self, Loaded, unknown_loop as unknown};
use crate::terminal::{print, style};
use loopwright_advise::Recommendation;
use loopwright_analysis::hits::{Hits, find_loop};
use loopwright_analysis::place::as_written;
use loopwright_binary::facts::FunctionCode;
use loopwright_report::names::printable;
use loopwright_report::{
    CodeView, LoopsOptions, RooflineOptions, SourceView, TerminalStyle, TracedOptions, TreeOptions,
    TripCountsOptions, comma_separated as csv, json,
};
use std::path::PathBuf;
use std::rc::Rc;

pub fn run(cli: &Cli, args: &ShowArgs) -> Result<u8, Failure> {
    let of_a_loop = matches!(args.view, View::Loop | View::Source | View::Asm);
    if let (false, Some(id)) = (of_a_loop, args.id) {
        return Err(Failure::misuse(format!("only loop, source and asm take a number (got {id})")));
    }
    if args.view == View::Runs {
        return runs(cli);
    }
    let loaded = state::load(cli, &args.state)?.part(&args.part)?;
    let loaded = if matches!(args.view, View::Comm | View::Job) { loaded.with_network() } else { loaded };
    let recommendations = loaded.recommendations();
    let id = if of_a_loop { Some(chosen(args, &loaded)?) } else { None };
    let text = if args.json {
        as_json(args.view, id, &loaded, recommendations)?
    } else if args.csv {
        as_csv(args, &loaded, recommendations)?
    } else {
        as_text(args, id.unwrap_or_default(), &loaded, cli, &style(cli))?
    };
    print(&text)?;
    Ok(0)
}

/// The loop asked for; the hottest one when none was named.
fn chosen(args: &ShowArgs, loaded: &Loaded) -> Result<u32, Failure> {
    let hottest = loaded.analysis.loops.first().map(|l| l.id);
    args.id.or(hottest).ok_or_else(|| {
        Failure::Failed(anyhow::anyhow!(
            "no loop was sampled or counted in this state; give the program more work and collect again"
        ))
    })
}

fn as_json(
    view: View,
    id: Option<u32>,
    loaded: &Loaded,
    recommendations: &[Recommendation],
) -> Result<String, Failure> {
    let analysis = &loaded.analysis;
    Ok(match (view, id) {
        (View::Recommendations, _) => json::recommendations(analysis, recommendations)?,
        (View::Functions, _) => json::document("functions", &analysis.functions)?,
        (View::Tree, _) => json::document("tree", &json::analysis_value(analysis, recommendations)?["tree"])?,
        (View::Trials, _) => json::document("trials", &analysis.trials)?,
        (View::Tune, _) => json::document("tuning", &analysis.tuning)?,
        (View::Reproduce, _) => json::document("reproduction", &analysis.reproduction)?,
        (View::Energy, _) => json::document("energy", &analysis.energy)?,
        (View::Comm | View::Matrix, _) => json::document("comm", &analysis.comm)?,
        (View::Io, _) => json::document("io", &analysis.io)?,
        (View::Heap, _) => json::document("heap", &analysis.heap)?,
        (View::Job, _) => json::document("job", &analysis.job)?,
        (View::Threads, _) => json::document("threads", &analysis.threads)?,
        (View::Modules, _) => json::document("modules", &analysis.modules)?,
        (View::Loop | View::Source | View::Asm, Some(id)) => {
            let mut one = analysis.clone();
            one.loops.retain(|l| l.id == id);
            if one.loops.is_empty() {
                return Err(unknown(id));
            }
            json::analysis(&one, recommendations)?
        }
        _ => json::analysis(analysis, recommendations)?,
    })
}

fn as_csv(args: &ShowArgs, loaded: &Loaded, recommendations: &[Recommendation]) -> Result<String, Failure> {
    let analysis = &loaded.analysis;
    Ok(match args.view {
        View::Advice
        | View::Loops
        | View::Counts
        | View::Roofline
        | View::Map
        | View::Dependencies
        | View::Bottlenecks => csv::loops(analysis)?,
        View::Functions => csv::functions(analysis)?,
        View::Threads => csv::threads(analysis)?,
        View::Modules => csv::modules(analysis)?,
        View::Recommendations => csv::recommendations(recommendations)?,
        View::Comm => csv::comm(analysis)?,
        View::Matrix => csv::matrix(analysis)?,
        View::Io => csv::io(analysis)?,
        View::Heap => csv::heap(analysis)?,
        _ => {
            return Err(Failure::misuse(
                "there is CSV for loops, functions, threads, modules, recommendations, comm, matrix, io and heap; use --json for the other views",
            ));
        }
    })
}

fn as_text(
    args: &ShowArgs,
    id: u32,
    loaded: &Loaded,
    cli: &Cli,
    style: &TerminalStyle,
) -> Result<String, Failure> {
    let (analysis, recommendations) = (&loaded.analysis, loaded.recommendations());
    let detail = args.all || cli.verbose;
    Ok(match args.view {
        View::Advice => loopwright_report::advice(analysis, recommendations, detail, style),
        View::Loops => {
            let options = LoopsOptions { all: args.all };
            loopwright_report::loops(analysis, recommendations, &options, style)
        }
        View::Loop => {
            loopwright_report::loop_detail(analysis, recommendations, id, style).map_err(|_| unknown(id))?
        }
        View::Source | View::Asm => code(args.view, loaded, id, &cli.source_root, style)?,
        View::Counts => {
            let options = TripCountsOptions { verbose: args.all, loops: None };
            loopwright_report::trip_counts(analysis, &options, style)
        }
        View::Roofline => loopwright_report::roofline(analysis, &RooflineOptions { all: args.all }, style),
        View::Map => loopwright_report::access_patterns(analysis, &TracedOptions::default(), style),
        View::Dependencies => loopwright_report::dependencies(analysis, &TracedOptions::default(), style),
        View::Bottlenecks => loopwright_report::bottlenecks(analysis, &TracedOptions::default(), style),
        View::Functions => loopwright_report::functions(analysis, args.all, style),
        View::Tree => {
            let all = TreeOptions { depth: usize::MAX, smallest_share: 0.0 };
            let options = if args.all { all } else { TreeOptions::default() };
            loopwright_report::tree(analysis, &options, style)
        }
        View::Threads => loopwright_report::threads(analysis, args.all, style),
        View::Modules => loopwright_report::modules(analysis, style),
        View::Recommendations => loopwright_report::recommendations(analysis, recommendations, detail, style),
        View::Trials => loopwright_report::trials(analysis, style),
        View::Tune => loopwright_report::tuning(analysis, style),
        View::Reproduce => loopwright_report::reproduction(analysis, style),
        View::Energy => loopwright_report::energy(analysis, style),
        View::Comm | View::Matrix => {
            loopwright_report::comm(analysis, args.all || args.view == View::Matrix, style)
        }
        View::Io => loopwright_report::io(analysis, args.all, style),
        View::Heap => loopwright_report::heap(analysis, args.all, style),
        View::Job => loopwright_report::job(analysis, recommendations, args.all, style),
        View::Runs => String::new(),
    })
}

/// The code of one loop, from what the experiment kept.
fn code(
    view: View,
    loaded: &Loaded,
    id: u32,
    source_roots: &[PathBuf],
    style: &TerminalStyle,
) -> Result<String, Failure> {
    let (function, code, index) = find_loop(&loaded.facts, id).ok_or_else(|| unknown(id))?;
    let listing = loaded.experiment.listing(function)?.unwrap_or_default();
    let code = FunctionCode { files: listing.files, instructions: listing.instructions, ..as_written(code) };
    let mut hits = Hits::of(&loaded.facts);
    let nanoseconds = hits.functions.remove(&function).unwrap_or_default();
    let code = CodeView { id, code: &code, index, nanoseconds: &nanoseconds, program_ns: hits.program_ns };
    let sources = Sources::new(loaded, source_roots);
    if view == View::Asm {
        let line = |file: &str, line: u32| sources.line(file, line);
        return Ok(loopwright_report::assembly(&code, &line, style));
    }
    let file = code.code.loops[index].location.as_ref().map(|at| at.file.clone());
    let text = file.map_or_else(|| Ok(Rc::default()), |file| sources.text(&file));
    let text = text.as_ref().map(|text| text.as_str()).map_err(Clone::clone);
    let view = SourceView { code, text, remarks: &loaded.facts.remarks };
    Ok(loopwright_report::source(&view, style))
}

fn runs(cli: &Cli) -> Result<u8, Failure> {
    let experiment = state::open(&cli.experiment)?;
    let mut text = String::new();
    for run in experiment.runs()? {
        let rank = run.rank.map(|rank| format!(", rank {rank}")).unwrap_or_default();
        let kind = match run.kind.as_str() {
            "survey" => format!("{} samples", run.samples),
            "patterns" => "traces".to_owned(),
            kind => kind.to_owned(),
        };
        let command = run.command.join(" ");
        let what = if command.is_empty() { kind } else { format!("{}{rank}, {kind}", printable(&command)) };
        text.push_str(&format!("run:{:<4} {what}\n", run.id));
    }
    for snapshot in experiment.snapshots()? {
        let runs: Vec<String> = snapshot.state.collections().iter().map(|run| format!("run:{run}")).collect();
        text.push_str(&format!("snapshot {} = {}\n", printable(&snapshot.name), runs.join(", ")));
    }
    print(&text)?;
    Ok(0)
}
