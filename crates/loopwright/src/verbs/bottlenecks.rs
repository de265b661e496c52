//! `loopwright bottlenecks`: injects operations into the hot loops and shows what binds them; what is missing is run first.

use crate::args::{BottlenecksArgs, Cli};
use crate::collect;
use crate::failure::Failure;
use crate::injecting;
use crate::input::Input;
use crate::joined::{self, Joined};
use crate::state::{self, Loaded};
use crate::terminal::{Console, print, style};
use crate::top_down::{self, Counted};
use crate::tracing::{self, Aim, Chosen, How};
use crate::verbs::machine;
use loopwright_report::TracedOptions;
use loopwright_sample::recording::Outcome;

pub fn run(cli: &Cli, args: &BottlenecksArgs, console: &Console) -> Result<u8, Failure> {
    let measure = !args.no_measure && crate::ranks::own().is_none();
    let machine = machine::record(measure, console);
    let images = collect::images(&args.sampling.debug_dir);
    let mut input = Input::own();
    let command = &args.command;
    let Joined { loaded, mut outcome, may_run } =
        joined::surveyed_and_counted(cli, &args.sampling, command, &images, &machine, &mut input, console)?;
    let status = |outcome: Option<Outcome>| {
        outcome.filter(|_| args.sampling.propagate_exit).map_or(0, collect::propagated)
    };
    let Some(mut loaded) = loaded else { return Ok(status(outcome)) };
    if !may_run {
        console.note("nothing was injected: the same command again does that");
        return Ok(status(outcome));
    }
    let chosen = chosen(&loaded, args)?;
    if !args.no_trace && !is_traced(&loaded, &chosen) {
        console.note("tracing how the hot loops use memory");
        let aim = Aim { strides: true, dependences: false };
        let how = How { aim, ..How::usual(&images, &[], &[]) };
        let traced = tracing::trace(cli, &chosen, &how, command, &machine, console)?;
        outcome = Some(traced.target.outcome);
        if outcome == Some(Outcome::Interrupted) || !input.again() {
            console.note("nothing was injected: the same command again does that");
            return Ok(status(outcome));
        }
        let Some(again) = state::newest_survey(cli, command)? else { return Ok(status(outcome)) };
        loaded = again;
    }
    // A rank can join its job only once.
    if !args.no_counters
        && crate::ranks::own().is_none()
        && loaded.analysis.top_down.is_none()
        && let Some(perf) = top_down::perf(cli, &machine, console)
    {
        console.note("running the program under the processor's counters (without it: --no-counters)");
        // Its failure leaves the answer as it is without counters.
        let counted = top_down::count(cli, &loaded, &perf, command, &machine, console);
        let counted = counted.unwrap_or_else(|failure| {
            console.note(&format!("no top-down analysis by counters: {failure}"));
            Counted::Continue
        });
        if counted == Counted::Interrupted {
            outcome = Some(Outcome::Interrupted);
        }
        if outcome == Some(Outcome::Interrupted) || !input.again() {
            console.note("nothing was injected: the same command again does that");
            return Ok(status(outcome));
        }
    }
    let how = injecting::How {
        images: &images,
        iteration_seconds: args.iteration_ns.map(|ns| ns * 1e-9),
        window_seconds: f64::from(args.window_ns) * 1e-9,
    };
    console.note("running the program with injected operations");
    let measured = injecting::inject(cli, &loaded, &chosen, &how, command, &machine, console)?;
    if measured.reports {
        let loaded = state::load(cli, &measured.state)?.with_ceilings(&machine);
        let options = TracedOptions { loops: Some(chosen.ids) };
        print(&loopwright_report::bottlenecks(&loaded.analysis, &options, &style(cli)))?;
    }
    Ok(status(Some(measured.target.outcome)))
}

fn chosen(loaded: &Loaded, args: &BottlenecksArgs) -> Result<Chosen, Failure> {
    if args.loops.is_empty() { tracing::hot(loaded, args.hot) } else { tracing::pieces(loaded, &args.loops) }
}

/// Whether each chosen loop was traced, or cannot be.
fn is_traced(loaded: &Loaded, chosen: &Chosen) -> bool {
    chosen.ids.iter().all(|id| {
        let this = loaded.analysis.loops.iter().find(|l| l.id == *id);
        this.is_some_and(|l| l.memory.is_some() || l.not_traced.is_some())
    })
}
