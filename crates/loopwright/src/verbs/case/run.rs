//! `case run` and `case advise`: a case from its sources to its record.

use super::{failure, recorded};
use crate::args::{CaseAdviseArgs, CaseArgs, Cases, Cli, RunArgs};
use crate::failure::Failure;
use crate::interrupt::{self, INTERRUPTED};
use crate::terminal::{Console, print, style};
use crate::verbs::machine;
use loopwright_casebook::advice::Workbench;
use loopwright_casebook::measure::Rounds;
use loopwright_casebook::record::CaseRecord;
use loopwright_casebook::run::{Host, Input, Options, run as run_case};
use loopwright_casebook::{Error, compilers, discover};
use loopwright_report::casebook;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// `case run`.
pub fn run(cli: &Cli, args: &CaseArgs, run: &RunArgs, console: &Console) -> Result<u8, Failure> {
    let timed = !run.no_timing && !run.cases.smoke;
    let rounds =
        Rounds { most: run.rounds.into(), budget: Duration::from_secs(run.budget), ..Rounds::default() };
    let asked = !run.no_advice && !run.cases.smoke;
    let records = collect(args, &run.cases, timed.then_some(rounds), asked, console, |record| {
        if run.cases.json { Ok(()) } else { print(&(casebook::ladders(record, &style(cli)) + "\n")) }
    })?;
    if run.cases.json {
        print(&loopwright_report::json::document("casebook", &records)?)?;
    }
    status(&records)
}

/// `case advise`.
pub fn advise(cli: &Cli, args: &CaseArgs, advise: &CaseAdviseArgs, console: &Console) -> Result<u8, Failure> {
    let records = if advise.recorded {
        recorded(args, &advise.cases.names)?.into_iter().map(|(_, record)| record).collect()
    } else {
        collect(args, &advise.cases, None, true, console, |_| Ok(()))?
    };
    if advise.cases.json {
        print(&loopwright_report::json::document("casebook", &records)?)?;
    } else {
        print(&casebook::advice(&records, &style(cli)))?;
    }
    status(&records)
}

/// 1 when anything was built or computed wrongly, or when the user stopped it.
fn status(records: &[CaseRecord]) -> Result<u8, Failure> {
    let wrong = records.iter().any(CaseRecord::is_wrong) || INTERRUPTED.load(Ordering::SeqCst);
    Ok(u8::from(wrong))
}

/// Runs the cases one after the other; each record is stored and shown as soon as it is there.
fn collect(
    args: &CaseArgs,
    cases: &Cases,
    measure: Option<Rounds>,
    advise: bool,
    console: &Console,
    mut show: impl FnMut(&CaseRecord) -> std::io::Result<()>,
) -> Result<Vec<CaseRecord>, Failure> {
    interrupt::install()?;
    let chosen = discover::named(&args.casebook, &cases.names).map_err(failure)?;
    let machine = machine::record(measure.is_some() && !cases.no_measure, console);
    let mut families = compilers::find();
    if let Some(only) = &cases.compiler {
        families.retain(|family| family.name == *only);
        if families.is_empty() {
            return Err(Failure::misuse(format!(
                "{only} was not found; install it, or leave --compiler out"
            )));
        }
    }
    let host = Host { machine: &machine.machine, ceilings: machine.ceilings.as_ref(), families: &families };
    let workbench = Workbench { executable: std::env::current_exe()?, measures: !cases.no_measure };
    let options = Options {
        input: if cases.smoke { Input::Smoke } else { Input::Full },
        measure,
        advise: advise.then_some(workbench),
        limit: Duration::from_secs(cases.limit),
        results: args.results.clone(),
    };
    let mut records = Vec::new();
    for case in &chosen {
        let bar = console.bar(&case.name, 1000);
        let done = run_case(case, &options, &host, &INTERRUPTED, &mut |what, step, of| {
            bar.set_position((1000 * step / of.max(1)) as u64);
            bar.set_message(format!("{}: {what}", case.name));
        });
        bar.finish_and_clear();
        let mut record = match done {
            Ok(record) => record,
            Err(Error::Stopped) => {
                console.note(&format!("stopped in {}; what was finished before is kept", case.name));
                break;
            }
            Err(error) => return Err(failure(error)),
        };
        match CaseRecord::read(&args.results, &case.name) {
            Ok(Some(earlier)) => record.complete_from(&earlier),
            Ok(None) => {}
            Err(error) => console.note(&error.to_string()),
        }
        record.write(&args.results).map_err(failure)?;
        show(&record)?;
        records.push(record);
        if INTERRUPTED.load(Ordering::SeqCst) {
            console.note("stopped; what was finished is kept");
            break;
        }
    }
    Ok(records)
}
