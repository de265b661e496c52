//! `loopwright case`: the casebook.

mod report;
mod run;
mod throughput;

use crate::args::{CaseArgs, CaseVerb, Cli};
use crate::failure::Failure;
use crate::terminal::{Console, print, style};
use loopwright_casebook::record::CaseRecord;
use loopwright_casebook::{Error, discover};
use loopwright_report::casebook::CaseSummary;

pub fn run(cli: &Cli, args: &CaseArgs, console: &Console) -> Result<u8, Failure> {
    match &args.verb {
        CaseVerb::List { json } => {
            let cases = discover::cases(&args.casebook).map_err(failure)?;
            if *json {
                let cases: Vec<CaseSummary<'_>> = cases.iter().map(CaseSummary::from).collect();
                print(&loopwright_report::json::document("cases", &cases)?)?;
            } else {
                print(&loopwright_report::casebook::list(&cases, &style(cli)))?;
            }
            Ok(0)
        }
        CaseVerb::Show { name } => {
            let cases = discover::named(&args.casebook, std::slice::from_ref(name)).map_err(failure)?;
            for case in &cases {
                print(&loopwright_report::casebook::case(case, &style(cli)))?;
            }
            Ok(0)
        }
        CaseVerb::Run(run) => run::run(cli, args, run, console),
        CaseVerb::Advise(advise) => run::advise(cli, args, advise, console),
        CaseVerb::Throughput(throughput) => throughput::run(cli, args, throughput, console),
        CaseVerb::Report(report) => report::run(args, report, console),
    }
}

/// Misuse where the command line names what is not there.
fn failure(error: Error) -> Failure {
    if error.is_misuse() { Failure::Misuse(error.into()) } else { Failure::Failed(error.into()) }
}

/// The records of these cases that there are.
fn recorded(
    args: &CaseArgs,
    names: &[String],
) -> Result<Vec<(loopwright_casebook::case::Case, CaseRecord)>, Failure> {
    let mut found = Vec::new();
    for case in discover::named(&args.casebook, names).map_err(failure)? {
        match CaseRecord::read(&args.results, &case.name).map_err(failure)? {
            Some(record) => found.push((case, record)),
            None if names.is_empty() => {}
            None => {
                return Err(Failure::misuse(format!(
                    "{} has no recorded run in {}; try: loopwright case run {}",
                    case.name,
                    args.results.display(),
                    case.name
                )));
            }
        }
    }
    if found.is_empty() {
        return Err(Failure::misuse(format!(
            "there is no recorded run in {}; try: loopwright case run",
            args.results.display()
        )));
    }
    Ok(found)
}
