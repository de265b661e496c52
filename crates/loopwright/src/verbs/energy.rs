//! `loopwright energy`: a survey with the energy of the run, and runs with other numbers of threads.

use crate::args::{Cli, EnergyArgs};
use crate::collect;
use crate::failure::Failure;
use crate::input::Input;
use crate::interrupt::{self, INTERRUPTED};
use crate::metering::{self, Clock, Metering};
use crate::rebuilding::must_be_alone;
use crate::sampling::{self, Around};
use crate::state;
use crate::terminal::{Console, print, style};
use crate::verbs::machine;
use loopwright_experiment::energy::{EnergyRun, Model};
use loopwright_experiment::{Experiment, MachineRecord};
use loopwright_launch::{StartOptions, Stream};
use loopwright_machine::Machine;
use loopwright_machine::energy::{Meter, Missing, calibrate, store_model};
use loopwright_sample::recording::{Outcome, Target};
use loopwright_sample::{CallStacksRequest, SurveyOptions};
use loopwright_stats::shuffle;
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Samples a second of runs that are only measured: the sampler follows the program's processes, its samples are not kept.
const RARELY_HZ: u32 = 1;
/// Variables from which programs take their number of threads.
const OWN_VARIABLES: [&str; 2] = ["OMP_NUM_THREADS", "RAYON_NUM_THREADS"];
/// These go before OMP_NUM_THREADS where they are set.
const BEFORE_THEM: [&str; 3] = ["OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS"];

pub fn run(cli: &Cli, args: &EnergyArgs, console: &Console) -> Result<u8, Failure> {
    must_be_alone("energy")?;
    interrupt::install()?;
    if args.calibrate {
        return calibrated(&args.sysfs, console);
    }
    let machine = machine::record(false, console);
    let given = args.idle_watts.zip(args.core_watts);
    let given = given.map(|(idle_watts, core_watts)| Model { idle_watts, core_watts });
    if let Some(model) = given.filter(|model| !model.is_sound()) {
        return Err(Failure::misuse(format!(
            "--idle-watts {} and --core-watts {} are no power of a machine: one of them has to be above 0",
            model.idle_watts, model.core_watts
        )));
    }
    let described = Machine::detect_in(&args.sysfs);
    let metering = Metering::of(&args.sysfs, &described, given).map_err(|missing| unknown(&missing))?;
    if given.is_some() && !metering.is_modelled() {
        console.note("the energy counters can be read: --idle-watts and --core-watts are not used");
    }
    let mut input = Input::own();
    if !args.threads.is_empty() && matches!(input, Input::Once) {
        return Err(Failure::misuse(
            "standard input is a pipe, which a second run would find empty; give it from a file (`< file`), or leave out --threads",
        ));
    }
    let images = collect::images(&args.sampling.debug_dir);
    let surveyed = sampling::survey(
        cli,
        &args.sampling,
        &args.command,
        &images,
        &machine,
        Around { metering: Some(&metering), ..Around::default() },
        console,
    )?;
    let outcome = surveyed.ran.target.outcome;
    if !args.threads.is_empty() && outcome != Outcome::Interrupted {
        sweep(cli, args, &metering, &surveyed.ran.target, &machine, &mut input, console)?;
    }
    let shown = state::load(cli, "latest")?;
    let text = if args.json {
        loopwright_report::json::document("energy", &shown.analysis.energy)?
    } else {
        loopwright_report::energy(&shown.analysis, &style(cli))
    };
    print(&text)?;
    Ok(if args.sampling.propagate_exit { collect::propagated(outcome) } else { 0 })
}

/// No counter can be read, and no model is known.
fn unknown(missing: &[Missing]) -> Failure {
    Failure::Failed(anyhow::anyhow!(
        "the energy cannot be measured here:\n{}\nmake one of them readable, or give a model of the machine's power: --idle-watts \
         WATTS --core-watts WATTS (docs/energy.md says where these come from)",
        listed(missing)
    ))
}

/// A line for each interface.
fn listed(missing: &[Missing]) -> String {
    missing.iter().map(|one| format!("  {one}")).collect::<Vec<_>>().join("\n")
}

/// Measures the model's numbers.
fn calibrated(root: &Path, console: &Console) -> Result<u8, Failure> {
    let machine = Machine::detect_in(root);
    let meter = Meter::find(root, &machine).map_err(|missing| {
        Failure::Failed(anyhow::anyhow!(
            "no energy counter can be read for the calibration:\n{}",
            listed(&missing)
        ))
    })?;
    let bar = console.progress("measuring power without work");
    let found = calibrate(&meter, &machine.topology, &INTERRUPTED, &mut |cores| {
        bar.set_message(match cores {
            0 => "measuring power without work".to_owned(),
            1 => "measuring power with 1 busy core".to_owned(),
            cores => format!("measuring power with {cores} busy cores"),
        });
    });
    bar.finish_and_clear();
    let (fit, points) = found.map_err(|error| Failure::Failed(error.into()))?;
    let text =
        points.iter().map(|point| format!("{:>6}  {:>8.1}\n", point.cores, point.watts)).collect::<String>();
    let path = store_model(&machine, fit, points).map_err(|error| Failure::Failed(error.into()))?;
    print(&format!(
        " Cores     Watts\n{text}\n{:.1} W, and {:.2} W more for each busy core; the points are within {:.1} % of it.\nKept in {}; `loopwright \
         energy` uses it when no counter can be read.\n",
        fit.model.idle_watts,
        fit.model.core_watts,
        100.0 * fit.worst,
        path.display()
    ))?;
    Ok(0)
}

/// Runs the program with each number of threads, in rounds of random order, and stores what was measured.
fn sweep(
    cli: &Cli,
    args: &EnergyArgs,
    metering: &Metering,
    target: &Target,
    machine: &MachineRecord,
    input: &mut Input,
    console: &Console,
) -> Result<(), Failure> {
    let mut numbers = args.threads.clone();
    numbers.sort_unstable();
    numbers.dedup();
    let bar =
        console.bar("running with other numbers of threads", u64::from(args.rounds) * numbers.len() as u64);
    let mut runs = Vec::new();
    'all: for round in 0..args.rounds {
        let mut order: Vec<usize> = (0..numbers.len()).collect();
        shuffle(&mut order, u64::from(round));
        for at in order {
            let Some(&threads) = numbers.get(at) else { continue };
            if INTERRUPTED.load(Ordering::SeqCst) || !input.again() {
                break 'all;
            }
            bar.set_message(format!("running with {threads} threads"));
            let (run, outcome) = measured(&args.command, threads, metering, input)?;
            match outcome {
                Outcome::Interrupted => break 'all,
                ended if ended == target.outcome => runs.push(run),
                _ => {
                    let note = format!(
                        "with {threads} threads the program does not end as it did before ({}): this run is left out",
                        how(outcome)
                    );
                    bar.suspend(|| console.note(&note));
                }
            }
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    if INTERRUPTED.load(Ordering::SeqCst) {
        console.note("interrupted; what was measured is kept");
    }
    if runs.is_empty() {
        return Ok(());
    }
    let energy = metering.of_runs(runs);
    let run = Experiment::create_or_open(&cli.experiment)?.add(&energy, Some(target), Some(machine))?;
    console.costs.stored(run);
    Ok(())
}

fn how(outcome: Outcome) -> String {
    match outcome {
        Outcome::Exited(status) => format!("exited with status {status}"),
        Outcome::Signalled(signal) => format!("killed by signal {signal}"),
        Outcome::Interrupted | Outcome::Unknown => "its end was not seen".to_owned(),
    }
}

/// One run with a number of threads. It prints nothing: the sampled run has printed.
fn measured(
    command: &[OsString],
    threads: u32,
    metering: &Metering,
    input: &Input,
) -> Result<(EnergyRun, Outcome), Failure> {
    let set = BEFORE_THEM.into_iter().filter(|name| std::env::var_os(name).is_some());
    let environment =
        OWN_VARIABLES.into_iter().chain(set).map(|name| (name.into(), threads.to_string().into())).collect();
    let stdin = match input {
        Input::File(file, _) => Stream::File(Arc::new(file.try_clone()?)),
        Input::Same | Input::Once => Stream::Inherit,
    };
    let options = SurveyOptions {
        frequency_hz: RARELY_HZ,
        call_stacks: CallStacksRequest::None,
        start: StartOptions {
            environment,
            stdin,
            stdout: Stream::Null,
            stderr: Stream::Null,
            ..StartOptions::default()
        },
        ..SurveyOptions::default()
    };
    let mut clock = Clock::new(Some(metering));
    let recording = loopwright_sample::survey(command, &options, &mut clock, &INTERRUPTED)?;
    Ok((metering::run(&recording, Some(threads), clock.measured()), recording.target.outcome))
}
