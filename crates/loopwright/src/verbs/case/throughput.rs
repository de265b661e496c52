//! `case throughput`: instances and threads.

use super::failure;
use crate::args::{CaseArgs, Cli, ThroughputArgs};
use crate::failure::Failure;
use crate::interrupt::{self, INTERRUPTED};
use crate::terminal::{Console, print, style};
use loopwright_casebook::run::{Host, Input, program};
use loopwright_casebook::throughput::{measure, splits};
use loopwright_casebook::{compilers, discover};
use loopwright_machine::Machine;
use std::time::Duration;

pub fn run(cli: &Cli, args: &CaseArgs, wanted: &ThroughputArgs, console: &Console) -> Result<u8, Failure> {
    interrupt::install()?;
    let cases = discover::named(&args.casebook, std::slice::from_ref(&wanted.name)).map_err(failure)?;
    let machine = Machine::detect();
    let mut families = compilers::find();
    families.retain(|family| wanted.compiler.as_ref().is_none_or(|only| family.name == *only));
    let host = Host { machine: &machine, ceilings: None, families: &families };
    let limit = Duration::from_secs(wanted.limit);
    let input = if wanted.smoke { Input::Smoke } else { Input::Full };
    for case in &cases {
        let stage = match &wanted.stage {
            None => case.stages.len() - 1,
            Some(name) => case.stages.iter().position(|stage| stage.name == *name).ok_or_else(|| {
                let known: Vec<&str> = case.stages.iter().map(|stage| stage.name.as_str()).collect();
                Failure::misuse(format!("{} has no stage `{name}`; it has: {}", case.name, known.join(", ")))
            })?,
        };
        let bar = console.bar(&case.name, 1000);
        let ready =
            program(case, stage, input, &args.results, &host, limit, &INTERRUPTED).map_err(failure)?;
        let cpus = machine.topology.allowed.len().max(1) as u32;
        let results = measure(
            &splits(cpus),
            wanted.rounds.into(),
            limit,
            |threads| ready.with_threads(threads),
            &INTERRUPTED,
            &mut |what, step, of| {
                bar.set_position((1000 * step / of.max(1)) as u64);
                bar.set_message(format!("{}: {what}", case.name));
            },
        );
        bar.finish_and_clear();
        let results = results.map_err(failure)?;
        if wanted.json {
            print(&loopwright_report::json::document("throughput", &results)?)?;
        } else {
            let title = format!("{}, stage {}: runs on {cpus} CPUs", case.name, case.stages[stage].name);
            print(&loopwright_report::casebook::throughput(&title, &results, &style(cli)))?;
        }
    }
    Ok(0)
}
