//! Finds what spoils or limits the results.

use crate::counts::{Builds, newest_end};
use crate::model::Analysis;
use crate::outcome::End;
use crate::place::base_name;
use crate::warning::Warning;
use loopwright_experiment::Facts;
use loopwright_sample::recording::Outcome;

/// Fewer samples than this leave shares uncertain by more than about 5 points (Wilson interval at 50 %).
const FEW_SAMPLES: u64 = 400;
/// Above this share of lost samples the picture may be biased.
const LOST: f64 = 0.02;
/// Above this share of unresolved time something important is hidden.
const UNRESOLVED: f64 = 0.05;
/// A module with at least this share deserves a word on missing symbols or lines.
const NOTICEABLE_MODULE: f64 = 0.10;

/// The same for a function whose control flow is not fully known.
const NOTICEABLE_FUNCTION: f64 = 0.05;

/// All warnings, each once, the collectors' own first.
pub fn warnings(facts: &Facts, builds: &Builds, analysis: &Analysis) -> Vec<Warning> {
    let mut warnings: Vec<Warning> = Vec::new();
    let mut add = |warning: Warning| {
        if !warnings.contains(&warning) {
            warnings.push(warning);
        }
    };
    for survey in &facts.surveys {
        survey.facts.sampler.warnings.iter().for_each(|warning| add(warning.clone().into()));
        for module in &survey.code {
            let path = survey.facts.modules.get(module.position as usize).map(|m| m.path.as_str());
            let share = analysis.modules.iter().find(|m| Some(m.path.as_str()) == path).map(|m| m.self_share);
            // What cannot be read of a library that took no time takes nothing from the results.
            if share.is_some_and(|share| share >= NOTICEABLE_MODULE) {
                module.facts.warnings.iter().for_each(|warning| add(warning.clone().into()));
            }
        }
    }
    sampling(facts, analysis, &mut add);
    code(analysis, &mut add);
    let mut killed = facts.surveys.iter().filter_map(|survey| match survey.target.outcome {
        Outcome::Signalled(signal) => Some(End::Killed(signal)),
        _ => None,
    });
    if let Some(end) = killed.next_back().filter(|_| analysis.program.samples > 0) {
        add(Warning::Crashed(end));
    }
    let ceilings = analysis.machine.as_ref().and_then(|machine| machine.ceilings.as_ref());
    if let Some(how) = ceilings.and_then(|ceilings| ceilings.disturbed.clone()) {
        add(Warning::DisturbedCeilings { how });
    }
    counting(facts, builds, analysis, &mut add);
    tracing(facts, builds, &mut add);
    warnings
}

/// What limits the samples.
fn sampling(facts: &Facts, analysis: &Analysis, add: &mut impl FnMut(Warning)) {
    let program = &analysis.program;
    let samples = program.samples;
    // Counts alone have no samples.
    if !facts.surveys.is_empty() && samples == 0 {
        add(Warning::NoSamples { cpu_seconds: program.user_seconds + program.system_seconds });
    } else if !facts.surveys.is_empty() && samples < FEW_SAMPLES {
        add(Warning::FewSamples { samples });
    }
    let seen = (samples + program.lost_samples) as f64;
    let share = program.lost_samples as f64 / seen;
    if seen > 0.0 && share > LOST {
        add(Warning::SamplesLost { share });
    }
    if program.unresolved_share > UNRESOLVED {
        add(Warning::Unresolved { share: program.unresolved_share });
    }
    if let Some(unseen) = analysis.functions.iter().find(|f| f.function == crate::resolve::UNSAMPLED) {
        add(Warning::Unsampled { share: unseen.self_share });
    }
}

/// What limits the knowledge of the code.
fn code(analysis: &Analysis, add: &mut impl FnMut(Warning)) {
    for module in analysis.modules.iter().filter(|m| !m.path.starts_with('[')) {
        if module.self_share >= NOTICEABLE_MODULE && !module.has_lines {
            add(Warning::NoLines {
                module: base_name(&module.path).to_owned(),
                symbols: module.has_symbols,
                program: module.main_module,
            });
        }
    }
    for function in analysis.functions.iter().filter(|f| f.self_share >= NOTICEABLE_FUNCTION) {
        let name = || function.function.clone();
        let share = function.irreducible_seconds.unwrap_or(0.0) / analysis.program.cpu_seconds;
        if share >= NOTICEABLE_FUNCTION {
            add(Warning::Irreducible { function: name(), share });
        }
        if let Some(jumps) = function.unresolved_jumps {
            add(Warning::UnresolvedJumps { function: name(), jumps });
        }
    }
}

/// What limits the traces.
fn tracing(facts: &Facts, builds: &Builds, add: &mut impl FnMut(Warning)) {
    for run in &facts.traced {
        run.facts.warnings.iter().for_each(|warning| add(warning.clone().into()));
    }
    for path in &builds.traces.stale {
        add(Warning::RebuiltSinceTraced { module: base_name(path).to_owned() });
    }
    match facts.traced.last().map(|run| End::of_trace(&run.facts)) {
        Some(End::Interrupted) => add(Warning::TracingInterrupted),
        Some(end @ End::Killed(_)) => add(Warning::TracedKilled(end)),
        _ => {}
    }
}

/// Counts below this share of the time say little of the program.
const COUNTED: f64 = 0.5;

/// What limits the counts.
fn counting(facts: &Facts, builds: &Builds, analysis: &Analysis, add: &mut impl FnMut(Warning)) {
    for run in &facts.counts {
        run.facts.warnings.iter().for_each(|warning| add(warning.clone().into()));
    }
    for path in &builds.counts.stale {
        add(Warning::RebuiltSinceCounted { module: base_name(path).to_owned() });
    }
    let Some(counts) = &analysis.counts else { return };
    match newest_end(facts) {
        Some(End::Interrupted) => add(Warning::CountingInterrupted),
        Some(end @ End::Killed(_)) => add(Warning::CountedKilled(end)),
        _ => {}
    }
    if let Some(share) = counts.counted_share.filter(|share| *share < COUNTED) {
        add(Warning::FewCounted { share });
    }
    if counts.work.flop_is_bound {
        add(Warning::FlopAreBounds);
    }
}
