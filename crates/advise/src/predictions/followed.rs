//! Whether a recommendation was followed, as far as two states show.
//!
//! Users do not report it, so it is inferred. What is still recommended was not followed, whatever else was changed there.
//! What is not recommended any more was followed if the loop's code, or at least its time, changed, and if the later state
//! has the facts that the recommendation came from: a state without traces recommends nothing that needs traces.

use super::{Side, code};
use crate::advise::OF_THREADS;
use crate::recommendation::Recommendation;
use loopwright_analysis::compare::{LoopChange, Verdict};
use loopwright_analysis::model::{Analysis, LoopFacts};

/// The answer.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Followed {
    /// Followed, as far as the two states show.
    Yes,
    /// Not, and why that is known.
    No(String),
    /// Something changed, but whether it was this is not known: a smaller gain than predicted proves nothing then.
    Unclear(String),
}

impl Followed {
    pub(super) fn is_yes(&self) -> bool {
        matches!(self, Self::Yes)
    }
}

pub(super) fn followed(
    advice: &Recommendation,
    own: Option<&LoopFacts>,
    change: Option<&LoopChange>,
    before: Side<'_>,
    after: Side<'_>,
) -> Followed {
    if still_recommended(advice, own, change, after) {
        return Followed::No("the same is recommended in the later state".to_owned());
    }
    let of_threads = OF_THREADS.contains(&advice.rule.as_str());
    let Some(own) = own else {
        // Of the whole program, or of a module: what made it say so is gone, or was not collected.
        return match lacking(None, None, before.analysis, after.analysis) {
            Some(why) => Followed::Unclear(why),
            None => Followed::Yes,
        };
    };
    let code = change.is_none_or(|change| code::changed(change, before.analysis, after.analysis));
    let code = code || (of_threads && threads_changed(before.analysis, after.analysis));
    let time = change.is_some_and(|change| matches!(change.verdict, Verdict::Faster | Verdict::Slower));
    if !code && !time {
        return Followed::No("the loop's code is the same, and so is its time".to_owned());
    }
    let later = change.and_then(|change| change.after.as_ref());
    match lacking(Some(own), later, before.analysis, after.analysis) {
        Some(why) => Followed::Unclear(why),
        None => Followed::Yes,
    }
}

/// The same remedy for the same condition at the same place.
fn still_recommended(
    advice: &Recommendation,
    own: Option<&LoopFacts>,
    change: Option<&LoopChange>,
    after: Side<'_>,
) -> bool {
    let later = change.and_then(|change| change.after.as_ref());
    after.recommendations.iter().any(|other| {
        (&other.id, &other.rule) == (&advice.id, &advice.rule)
            && match (own, later) {
                (None, _) => other.loop_id.is_none() && other.place == advice.place,
                (Some(_), Some(later)) => other.group == Some(later.group),
                (Some(_), None) => false,
            }
    })
}

/// Other numbers of threads, or of busy CPUs: loops that threads share keep their code.
fn threads_changed(before: &Analysis, after: &Analysis) -> bool {
    let busy = |analysis: &Analysis| {
        let usage = &analysis.program.cpu_usage;
        let all: f64 = usage.iter().sum();
        let weighted: f64 = usage.iter().zip(0_u32..).map(|(seconds, cpus)| seconds * f64::from(cpus)).sum();
        if all > 0.0 { weighted / all } else { 0.0 }
    };
    before.program.threads != after.program.threads || (busy(before) - busy(after)).abs() > 0.25
}

/// Facts that the earlier state had and the later has not: what was collected, in words.
fn lacking(
    own: Option<&LoopFacts>,
    later: Option<&LoopFacts>,
    before: &Analysis,
    after: &Analysis,
) -> Option<String> {
    let said =
        |of: &LoopFacts| of.why_not.iter().any(|why| why.compiler.is_some()) || !of.compilers.is_empty();
    let traced = |of: &LoopFacts| of.memory.is_some() || of.dependence.is_some() || !of.access.is_empty();
    let lost =
        |known: fn(&LoopFacts) -> bool| own.is_some_and(known) && later.is_some_and(|later| !known(later));
    let what = if before.counts.is_some() && after.counts.is_none() || lost(|of| of.work.is_some()) {
        "counts"
    } else if before.tracing.is_some() && after.tracing.is_none()
        || own.is_some_and(traced) && later.is_some_and(|later| !traced(later))
    {
        "traces"
    } else if own.is_some_and(|own| !own.vectorized && said(own))
        && later.is_some_and(|later| !later.vectorized && !said(later))
    {
        "compilers' remarks"
    } else {
        return None;
    };
    Some(format!("whether it was followed is not known: the later state has no {what}"))
}
