//! What spoils or limits the results: one sentence each, with the way out.

use crate::counts::Builds;
use crate::model::{Analysis, DISTURBED_CEILINGS};
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

/// All warnings, the collectors' own first.
pub fn warnings(facts: &Facts, builds: &Builds, analysis: &Analysis) -> Vec<String> {
    let mut warnings: Vec<String> = Vec::new();
    let mut add = |text: String| {
        if !warnings.contains(&text) {
            warnings.push(text);
        }
    };
    for survey in &facts.surveys {
        survey.facts.sampler.warnings.iter().for_each(|warning| add(warning.to_string()));
        for module in &survey.code {
            let path = survey.facts.modules.get(module.position as usize).map(|m| m.path.as_str());
            let share = analysis.modules.iter().find(|m| Some(m.path.as_str()) == path).map(|m| m.self_share);
            // What cannot be read of a library that took no time takes nothing from the results.
            if share.is_some_and(|share| share >= NOTICEABLE_MODULE) {
                module.facts.warnings.iter().for_each(|text| add(text.clone()));
            }
        }
    }
    let program = &analysis.program;
    if facts.surveys.is_empty() {
        // Counts alone: there is nothing to say about samples.
    } else if program.samples == 0 {
        add(format!(
            "no samples: the program used {:.0} ms of CPU time; give it more work or a higher `--rate`",
            (program.user_seconds + program.system_seconds) * 1e3,
        ));
    } else if program.samples < FEW_SAMPLES {
        add(format!(
            "only {} samples: shares are uncertain by several points; give the program more work or raise `--rate`",
            program.samples
        ));
    }
    let seen = (program.samples + program.lost_samples) as f64;
    if seen > 0.0 && program.lost_samples as f64 / seen > LOST {
        add(format!(
            "{:.0} % of the samples were lost; lower `--rate` or choose `--call-stacks fp`",
            100.0 * program.lost_samples as f64 / seen
        ));
    }
    if program.unresolved_share > UNRESOLVED {
        add(format!(
            "{:.0} % of the time belongs to no known function (code made at run time, a removed file, or one that cannot be analysed)",
            100.0 * program.unresolved_share
        ));
    }
    if let Some(unseen) = analysis.functions.iter().find(|f| f.function == crate::resolve::UNSAMPLED) {
        add(format!(
            "{:.0} % of the CPU time is user code that no sample saw, of processes that ended before their first sample; raise \
             `--rate`",
            100.0 * unseen.self_share
        ));
    }
    for module in analysis.modules.iter().filter(|m| !m.path.starts_with('[')) {
        if module.self_share >= NOTICEABLE_MODULE && !module.has_lines {
            let what = if module.has_symbols { "line tables" } else { "symbols and line tables" };
            let way = if module.main_module { "compile with -g" } else { "install its debug symbols" };
            add(format!(
                "{} has no {what}: loops are shown by address; {way} to see source lines",
                crate::place::base_name(&module.path)
            ));
        }
    }
    for function in analysis.functions.iter().filter(|f| f.self_share >= NOTICEABLE_FUNCTION) {
        let name = &function.function;
        let irreducible = function.irreducible_seconds.unwrap_or(0.0) / program.cpu_seconds;
        if irreducible >= NOTICEABLE_FUNCTION {
            add(format!(
                "{:.0} % of the time is spent in {name} in a cycle with several entries, which is not analysed as a loop \
                 (`goto` into a loop, or loops that the compiler joined)",
                100.0 * irreducible
            ));
        }
        if let Some(jumps) = function.unresolved_jumps {
            add(format!(
                "{name} has {jumps} indirect jump(s) whose targets are not known: its loops may be incomplete"
            ));
        }
    }
    let crashed = facts.surveys.iter().any(|s| matches!(s.target.outcome, Outcome::Signalled(_)));
    if crashed && program.samples > 0 {
        add(format!("the program was {}; these results cover the time until then", program.outcome));
    }
    let ceilings = analysis.machine.as_ref().and_then(|machine| machine.ceilings.as_ref());
    if let Some(how) = ceilings.and_then(|ceilings| ceilings.disturbed.as_ref()) {
        add(format!("{DISTURBED_CEILINGS}: {how}"));
    }
    counting(facts, builds, analysis, &mut add);
    tracing(facts, builds, &mut add);
    warnings
}

/// What limits the traces.
fn tracing(facts: &Facts, builds: &Builds, add: &mut impl FnMut(String)) {
    for run in &facts.traced {
        run.facts.warnings.iter().for_each(|text| add(text.clone()));
    }
    for path in &builds.traces.stale {
        add(format!(
            "{} was rebuilt since its loops were traced: what was seen is not used; run `loopwright map` or \
             `loopwright dependencies` again",
            crate::place::base_name(path)
        ));
    }
    let Some(newest) = facts.traced.last().map(|run| &run.facts) else { return };
    if newest.interrupted {
        add("the tracing run was interrupted: what it says covers the time until then".to_owned());
    } else if let Some(signal) = newest.signal {
        add(format!(
            "the traced program was killed by signal {signal}{}: what is said covers the time until then",
            crate::outcome::signal_name(signal)
        ));
    }
}

/// Counts below this share of the time say little of the program.
const COUNTED: f64 = 0.5;

/// What limits the counts.
fn counting(facts: &Facts, builds: &Builds, analysis: &Analysis, add: &mut impl FnMut(String)) {
    for run in &facts.counts {
        run.facts.warnings.iter().for_each(|text| add(text.clone()));
    }
    for path in &builds.counts.stale {
        add(format!(
            "{} was rebuilt since its loops were counted: its counts are not used; run `loopwright tripcounts` again",
            crate::place::base_name(path)
        ));
    }
    let Some(counts) = &analysis.counts else { return };
    if counts.interrupted {
        add("the counting run was interrupted: its counts cover the time until then".to_owned());
    } else if counts.outcome.starts_with("killed") {
        add(format!("the counted program was {}: its counts cover the time until then", counts.outcome));
    }
    if let Some(share) = counts.counted_share.filter(|share| *share < COUNTED) {
        add(format!(
            "only {:.0} % of the time is in code that was counted; `loopwright tripcounts --all` counts every loop",
            100.0 * share
        ));
    }
    if counts.work.flop_is_bound {
        add("some masked vector operations were counted for all their lanes: their FLOP are upper bounds"
            .to_owned());
    }
}
