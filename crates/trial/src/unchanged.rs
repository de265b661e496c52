//! The unchanged program, before anything is tried: its answer, what differs in it from run to run, and the program that the commands of
//! its build make again, which has to give the same answer.

use crate::asked::{Asked, Error};
use crate::builder::Builder;
use crate::called::Called;
use crate::runner::{Ran, Runner};
use loopwright_experiment::trials::{Pair, Verdict};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Runs in which the program that was built again gives the answer of the user's at least once.
const AGREES_WITHIN: usize = 3;

/// The unchanged program, built again.
pub(crate) struct Unchanged<'a> {
    pub runner: Runner<'a>,
    pub version: PathBuf,
    /// The time of its build.
    pub build: Duration,
    /// Seconds of a run.
    pub run: f64,
    /// Two runs of the program of the user.
    pub own: Pair,
}

/// Runs the program of the user, builds it again and compares.
pub(crate) fn settle<'a>(
    asked: &'a Asked<'a>,
    called: Called,
    builder: &mut Builder,
) -> Result<Unchanged<'a>, Error> {
    let program = called.started.program.clone();
    let mut runner = Runner::new(asked, called)?;
    let (run, own) = runner.settle(&program)?;
    starts(&mut runner, &program)?;
    let began = Instant::now();
    let version = builder.build(&[])?;
    let build = began.elapsed();
    agrees(&mut runner, &program, &version)?;
    Ok(Unchanged { runner, version, build, run, own })
}

/// Makes sure that a launcher starts the program that its arguments name: without that program there must be another answer. Else each
/// version would be as fast as any other.
pub(crate) fn starts(runner: &mut Runner, program: &Path) -> Result<(), Error> {
    let Some(launcher) = runner.called.launcher(runner.asked).map(str::to_owned) else { return Ok(()) };
    let nothing = runner.place.working.join("no-such-program");
    match runner.run(&nothing, &[])? {
        Ran::Well(_, answer) if answer.verdict != Verdict::Different => {
            Err(Error::NotStarted { launcher, program: program.display().to_string() })
        }
        Ran::Stopped => Err(Error::Stopped),
        _ => Ok(()),
    }
}

/// Makes sure that what the commands of the build make answers as the program of the user does. Either may print something else now
/// and then, which is not compared from then on.
fn agrees(runner: &mut Runner, program: &Path, unchanged: &Path) -> Result<(), Error> {
    let mut other = None;
    for _ in 0..AGREES_WITHIN {
        match runner.run(unchanged, &[])? {
            Ran::Well(_, answer) if answer.verdict != Verdict::Different => {
                return other.map_or(Ok(()), |given| runner.learn(&given));
            }
            Ran::Well(..) => other = Some(runner.given()?),
            Ran::Badly(_) => break,
            Ran::Stopped => return Err(Error::Stopped),
        }
        runner.is_unsteady(program)?;
    }
    Err(Error::OtherAnswer { program: program.display().to_string() })
}
