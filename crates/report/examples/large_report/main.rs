//! Writes a report of a program that does not exist: as large as asked for, with every kind of fact, and on request with
//! names that try to break the page.
//!
//! ```text
//! cargo run --release -p loopwright-report --example large_report -- --loops 20000 --functions 500 --html large.html
//! cargo run -p loopwright-report --example large_report -- --loops 40 --functions 6 --hostile --json hostile.json
//! ```
//!
//! The same numbers make the same report. `--template FILE` takes another page than the one that was built in.

mod code;
mod energy;
mod facts;
mod names;
mod patterns;
mod random;
mod searches;
mod work;

use loopwright_report::NoText;
use loopwright_report::page::{self, Extras, Input};
use random::Random;
use std::process::ExitCode;
use std::rc::Rc;

struct Options {
    loops: usize,
    functions: usize,
    seed: u64,
    hostile: bool,
    json: Option<String>,
    html: Option<String>,
    template: Option<String>,
}

fn options() -> Result<Options, String> {
    let mut found = Options {
        loops: 20_000,
        functions: 500,
        seed: 1,
        hostile: false,
        json: None,
        html: None,
        template: None,
    };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(|| format!("{word} wants a value"));
        let number = |text: String| text.parse::<usize>().map_err(|_| format!("{text} is no number"));
        match word.as_str() {
            "--loops" => found.loops = number(value()?)?,
            "--functions" => found.functions = number(value()?)?.max(1),
            "--seed" => found.seed = number(value()?)? as u64,
            "--hostile" => found.hostile = true,
            "--json" => found.json = Some(value()?),
            "--html" => found.html = Some(value()?),
            "--template" => found.template = Some(value()?),
            other => return Err(format!("unknown option {other}")),
        }
    }
    if found.json.is_none() && found.html.is_none() {
        return Err("nothing to write: give --json FILE or --html FILE".to_owned());
    }
    Ok(found)
}

fn run() -> Result<(), Box<dyn std::error::Error>> {
    let options = options()?;
    let mut random = Random::new(options.seed);
    let names = names::Names { hostile: options.hostile };
    let program = code::program(&mut random, &names, options.loops, options.functions);
    let facts = facts::facts(&mut random, &names, &program);
    let texts = |file: &str| {
        let text = program.texts.get(file).cloned();
        text.map(Rc::new).ok_or_else(|| NoText::Unreadable("No such file or directory (os error 2)".into()))
    };
    let document = page::document(Input {
        version: env!("CARGO_PKG_VERSION"),
        generated: "2026-01-02T03:04:05Z".to_owned(),
        state: "latest",
        analysis: &facts.analysis,
        recommendations: &facts.recommendations,
        functions: &program.functions,
        remarks: &program.remarks,
        texts: &texts,
        threads: &facts.threads,
        extras: Extras::default(),
    })?;
    if let Some(path) = &options.json {
        std::fs::write(path, page::json(&document)?)?;
    }
    if let Some(path) = &options.html {
        let given = options.template.as_ref().map(std::fs::read_to_string).transpose()?;
        let text = page::html(document, given.as_deref().or(page::TEMPLATE.as_deref()))?;
        std::fs::write(path, &text)?;
        println!("{path}: {} bytes", text.len());
    }
    Ok(())
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("large_report: {error}");
            ExitCode::FAILURE
        }
    }
}
