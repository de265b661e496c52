//! A change of single sources, measured inside runs of the unchanged program: calls of the changed function alternate between its two
//! versions (`loopwright_instrument::swap`).
//!
//! Differences of a tenth of a per cent show in this way within seconds, where whole runs scatter by per cents. It takes a function
//! that is called often and holds all that the change reaches; whatever does not fit is measured by whole runs, and the reason kept.
//! So is a run that ends or answers otherwise: whether the change alone does that is shown by a program that was built with it.

use crate::builder::Builder;
use crate::fault::Fault;
use crate::line::resolved;
use crate::rebuild::is_for_the_linker;
use crate::runner::{Exchange, Ran};
use crate::session::Session;
use loopwright_analysis::model::Analysis;
use loopwright_analysis::tried::{LEAST_TIMES, function_speedup};
use loopwright_experiment::trials::{Answer, InRun, NotInRun, Part, Trial, Verdict};
use loopwright_instrument::swap::{NotSwapped, SwapError, companions, symbol_of};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Functions below this share of the time are not what a change is tried for.
const HOT: f64 = 0.01;
/// Calls in a run from which on versions are told apart by calls: some units of sixteen calls.
const LEAST_CALLS: u64 = 400;
/// Calls that take less are not told apart by calls: a core begins the next one while it ends the last (some hundred instructions,
/// 30 to 100 ns), and reading the clock between them prevents that. Of a function of 120 ns whole runs showed a gain of 12 % where
/// calls showed 1 %.
const LEAST_NANOSECONDS: u64 = 5_000;
/// Functions that are tried for one change.
const MOST_FUNCTIONS: usize = 3;
/// Pairs of runs with opposite versions.
const MOST_PAIRS: u64 = 20;
/// Times that are kept of one change.
const MOST_TIMES: usize = 8192;
/// A speed-up of the function that is known to this part of itself is known well enough.
const NARROW: f64 = 0.001;
/// Largest object that is read.
const LARGEST: u64 = 256 << 20;

/// A function that the survey saw.
#[derive(Clone, Debug)]
pub(crate) struct Hot {
    pub function: String,
    pub file: PathBuf,
    pub self_share: f64,
    pub total_share: f64,
    /// Counted calls, if they were counted.
    pub calls: Option<u64>,
}

/// The functions of the program that take time. Where something else starts it, it is not the main module of the survey.
pub(crate) fn hot(analysis: &Analysis, program: &Path) -> Vec<Hot> {
    let name = program.file_name().unwrap_or_default().to_string_lossy();
    let functions = analysis.functions.iter().filter(|f| f.module == name && f.total_share >= HOT);
    let hot = functions.filter_map(|f| {
        Some(Hot {
            function: f.function.clone(),
            file: resolved(Path::new(f.file.as_ref()?)),
            self_share: f.self_share,
            total_share: f.total_share.min(1.0),
            calls: f.calls,
        })
    });
    hot.collect()
}

/// What measuring inside runs came to.
pub(crate) enum InRuns {
    Measured(InRun, Answer),
    Not(NotInRun),
    /// The change is none of single sources.
    Other,
    Stopped,
}

/// The sources that a change of single sources touches.
fn sources(parts: &[Part]) -> Option<BTreeSet<PathBuf>> {
    let mut sources = BTreeSet::new();
    for part in parts {
        match part {
            Part::Options { files, options } => {
                if files.is_empty() || options.iter().any(|option| is_for_the_linker(option)) {
                    return None;
                }
                sources.extend(files.iter().map(|file| resolved(Path::new(file))));
            }
            Part::Edit { file, .. } => drop(sources.insert(resolved(Path::new(file)))),
            Part::Variable { .. } | Part::Compiler { .. } | Part::Profile { .. } | Part::Link { .. } => {
                return None;
            }
        }
    }
    Some(sources).filter(|sources| !sources.is_empty())
}

impl Session<'_> {
    /// Measures a change inside runs of the unchanged program, where it can be.
    pub(crate) fn inside_runs(&mut self, trial: &Trial, until: Instant) -> Result<InRuns, Fault> {
        let Some(sources) = sources(&trial.parts) else { return Ok(InRuns::Other) };
        if let Some(launcher) = self.runner.called.launcher(self.runner.asked) {
            return Ok(InRuns::Not(NotInRun::Launched { launcher: launcher.to_owned() }));
        }
        let touched: Vec<Hot> = self.hot.iter().filter(|hot| sources.contains(&hot.file)).cloned().collect();
        let mut called: Vec<&Hot> = touched
            .iter()
            .filter(|hot| hot.function != "main" && hot.calls.is_none_or(|calls| calls >= LEAST_CALLS))
            .collect();
        called.sort_by(|a, b| b.total_share.total_cmp(&a.total_share));
        let mut why = None;
        for hot in called.into_iter().take(MOST_FUNCTIONS) {
            match self.one_function(trial, hot, &touched, until)? {
                InRuns::Not(reason) => drop(why.get_or_insert(reason)),
                done => return Ok(done),
            }
        }
        Ok(InRuns::Not(why.unwrap_or(NotInRun::NoFunction)))
    }

    fn one_function(
        &mut self,
        trial: &Trial,
        hot: &Hot,
        touched: &[Hot],
        until: Instant,
    ) -> Result<InRuns, Fault> {
        let function = hot.function.clone();
        let Builder::Commands(workshop) = &mut self.builder else { return Ok(InRuns::Other) };
        let objects = [workshop.object(&hot.file, &[])?, workshop.object(&hot.file, &trial.parts)?];
        let [Some(before), Some(after)] = objects else {
            let what = "no command makes it".to_owned();
            return Ok(InRuns::Not(NotInRun::Refused { why: NotSwapped::Object { what } }));
        };
        let read = |path: &Path| loopwright_files::regular::read(path, LARGEST);
        let broken = |error: String| Fault::Io(std::io::Error::other(error));
        let before = read(&before).map_err(|e| broken(e.to_string()))?;
        let after = read(&after).map_err(|e| broken(e.to_string()))?;
        let names = symbol_of(&before, &function)
            .and_then(|symbol| companions(&before, &after, &symbol).map(|along| (symbol, along)));
        let (symbol, along) = match names {
            Ok(found) => found,
            Err(why) => return Ok(InRuns::Not(NotInRun::Refused { why })),
        };
        let other = touched.iter().find(|other| other.self_share >= HOT && !along.contains(&other.function));
        if let Some(other) = other {
            let other = other.function.clone();
            return Ok(InRuns::Not(NotInRun::Several { function, other }));
        }
        let mut measured = InRun { function, calls: [0, 0], share: hot.total_share, times: Vec::new() };
        let mut exchange = Exchange {
            before: &before,
            after: &after,
            function: &symbol,
            seed: 0,
            opposite: false,
            calls: None,
        };
        let mut worst = None;
        let first = match self.swapped(&exchange, &mut worst)? {
            Ok(first) => first,
            Err(other) => return Ok(other),
        };
        let calls = first.calls.iter().sum();
        if calls < LEAST_CALLS {
            return Ok(InRuns::Not(NotInRun::FewCalls { function: measured.function, calls }));
        }
        let seconds: f64 = first.seconds.iter().sum();
        let nanoseconds = (1e9 * seconds / calls as f64) as u64;
        if nanoseconds < LEAST_NANOSECONDS {
            return Ok(InRuns::Not(NotInRun::ShortCalls { function: measured.function, nanoseconds }));
        }
        exchange.calls = Some(first.usual_calls().unwrap_or(1));
        for seed in 1..=MOST_PAIRS {
            let mut both = Vec::new();
            for opposite in [false, true] {
                (exchange.seed, exchange.opposite) = (seed, opposite);
                match self.swapped(&exchange, &mut worst)? {
                    Ok(swapped) => both.push(swapped),
                    Err(other) => return Ok(other),
                }
            }
            if let [first, second] = &both[..] {
                measured.times.extend(first.paired(second));
                for (sum, calls) in measured.calls.iter_mut().zip(first.calls.iter().zip(second.calls)) {
                    *sum += calls.0 + calls.1;
                }
            }
            let known = function_speedup(&measured).is_some_and(|speedup| speedup.relative_width() < NARROW);
            let times = measured.times.len();
            if (times >= LEAST_TIMES && known) || Instant::now() >= until || times >= MOST_TIMES {
                break;
            }
        }
        measured.times.truncate(MOST_TIMES);
        if measured.times.len() < LEAST_TIMES {
            let calls = measured.calls.iter().sum();
            return Ok(InRuns::Not(NotInRun::FewCalls { function: measured.function, calls }));
        }
        Ok(worst.map_or(InRuns::Stopped, |answer| InRuns::Measured(measured, answer)))
    }

    /// One run; what it came to where it is not one to be used.
    fn swapped(
        &mut self,
        exchange: &Exchange<'_>,
        worst: &mut Option<Answer>,
    ) -> Result<Result<loopwright_instrument::swap::Swapped, InRuns>, Fault> {
        let unchanged = self.unchanged.clone();
        let disturbed = || InRuns::Not(NotInRun::Disturbed { function: exchange.function.to_owned() });
        match self.runner.swap(&unchanged, exchange) {
            Ok((swapped, Ran::Well(_, answer))) if answer.verdict != Verdict::Different => {
                if worst.as_ref().is_none_or(|known| answer.verdict >= known.verdict) {
                    *worst = Some(answer);
                }
                Ok(Ok(swapped))
            }
            Ok((_, Ran::Stopped)) => Ok(Err(InRuns::Stopped)),
            Ok(_) => Ok(Err(disturbed())),
            Err(SwapError::Refused(why)) => Ok(Err(InRuns::Not(NotInRun::Refused { why }))),
            Err(SwapError::System(cause)) => Err(Fault::Io(cause)),
            Err(SwapError::Start(cause)) => {
                let what = cause.to_string();
                Ok(Err(InRuns::Not(NotInRun::Refused { why: NotSwapped::Process { what } })))
            }
        }
    }
}
