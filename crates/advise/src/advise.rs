//! Runs the rules, removes what says the same twice, and puts the rest in order.
//!
//! Order: predicted program gain (its likely value) by how sure it is, then confidence, then the share it
//! applies to; ids decide last, so that equal inputs give equal output. The first is never a mere hint while something surer
//! is worth making: it is all that many readers read.

use crate::call_tree::path_to_hotspot;
use crate::cases;
use crate::composed::best_of_places;
use crate::evidence::Time;
use crate::facts::{FIRM_SAMPLES, Facts, MIN_SHARE};
use crate::purposes;
use crate::recommendation::{Confidence, Recommendation};
use crate::relief;
use crate::rule::{Check, Rule};
use crate::rules;
pub(crate) use crate::rules::serial_hotspot::is_unchecked;
use loopwright_analysis::model::{Analysis, LoopFacts, Provenance};
use loopwright_costs::{Gain, together};
use loopwright_stats::sampled_interval;
use std::cmp::Ordering;

/// Every recommendation for an analysed program, the most valuable first.
pub fn advise(analysis: &Analysis) -> Vec<Recommendation> {
    let facts = Facts::new(analysis);
    let mut found: Vec<Recommendation> = rules::ALL.iter().flat_map(|rule| run(rule, &facts)).collect();
    for recommendation in &mut found {
        lower_confidence_of_few_samples(recommendation, &facts);
        recommendation.case = cases::of(&recommendation.id).map(str::to_owned);
    }
    let found = found.into_iter().filter_map(|new| of_elapsed_time(new, &facts)).collect();
    let found = purposes::without_parts(found, &facts);
    let mut kept = without_repetitions(without_superseded(found));
    kept.iter_mut().for_each(|new| widen_by_sampling(new, &facts));
    kept.sort_by(by_value);
    lead_with_the_surest_gain(&mut kept);
    kept
}

/// Likely gains of the program below this are not worth a reader's time, and are not put before a hint that may gain more (see
/// [`MIN_SHARE`]).
pub(crate) const WORTH_MAKING: f64 = 1.0 + MIN_SHARE;

/// Puts the best of the surer recommendations before hints of low confidence.
pub(crate) fn lead_with_the_surest_gain(sorted: &mut [Recommendation]) {
    let surer = |r: &Recommendation| {
        r.confidence > Confidence::Low && r.program_gain.is_some_and(|gain| gain.likely() >= WORTH_MAKING)
    };
    if sorted.first().is_some_and(|first| first.confidence == Confidence::Low)
        && let Some(at) = sorted.iter().position(surer)
    {
        sorted[..=at].rotate_right(1);
    }
}

/// What one rule says about the program.
pub fn run(rule: &Rule, facts: &Facts) -> Vec<Recommendation> {
    let found: Vec<Recommendation> = match rule.check {
        Check::Loop(check) => facts
            .hot_loops()
            .filter(|l| facts.speaks_for_group(l))
            .filter(|l| !rule.leaves_traffic || !l.recurses())
            .filter(|l| !rule.on_own_optimised_code || (facts.rebuildable(l) && !facts.unoptimised(l)))
            .filter_map(|l| Some((l, check(facts, l)?)))
            .filter_map(|(l, new)| {
                if rule.leaves_traffic {
                    facts.within_memory(new, l).map(|new| (l, new))
                } else {
                    Some((l, new))
                }
            })
            .filter_map(|(l, new)| relief::bounded(new, l, facts))
            .collect(),
        Check::Module(check) => facts
            .analysis
            .modules
            .iter()
            .filter(|m| m.self_share >= MIN_SHARE)
            .filter_map(|m| check(facts, m))
            .collect(),
        Check::Program(check) => check(facts).into_iter().collect(),
        // What packages have in them is not known yet (see [`crate::cards`]).
        Check::Advice(_) => Vec::new(),
    };
    found.into_iter().map(|new| facts.without_answered(new)).collect()
}

/// Rules about the elapsed time that threads take or waste together.
pub(crate) const OF_THREADS: [&str; 6] = [
    "serial-hotspot",
    "independent-iterations",
    "load-imbalance",
    "small-parallel-region",
    "blocked-time",
    "lock-contention",
];

/// What all recommendations are worth together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Combined {
    /// The program's gain.
    pub program_gain: Gain,
    /// How many recommendations it is made of.
    pub parts: usize,
}

/// The program's gain when, for every loop and every other place, the best recommendation is followed.
/// Recommendations about one place exclude or contain each other, so only one of them counts; threads
/// are left out, because they apply to time that other recommendations shorten as well.
pub fn combined(recommendations: &[Recommendation]) -> Option<Combined> {
    let best = best_of_places(recommendations.iter().filter(|r| !OF_THREADS.contains(&r.rule.as_str())));
    let parts: Vec<(f64, Gain)> = best.into_iter().map(|(_, share, gain)| (share, gain)).collect();
    (!parts.is_empty()).then(|| Combined { program_gain: together(&parts), parts: parts.len() })
}

/// A program that runs during this part of its elapsed time is taken to run all the time: starting and ending it is idle.
const ALL_THE_TIME: f64 = 0.9;
/// Less of the elapsed time is not worth a change (see [`MIN_SHARE`]).
const LEAST_GAIN: f64 = 1.0 + MIN_SHARE;

/// Faster code shortens only the part of the elapsed time in which code runs: a loop's share becomes one of that time, and
/// what is then worth nothing is left out. Time in which other programs had the CPUs grows and shrinks with the program's own
/// work, and is no time of its own. Where threads take turns at a lock, the hand-over of the lock and of the data
/// sets the pace, so that no prediction holds that counts on the loop's arithmetic.
fn of_elapsed_time(new: Recommendation, facts: &Facts) -> Option<Recommendation> {
    let rule = rules::by_id(&new.rule)?;
    if rule.leaves_traffic && rules::lock_contention::contention(facts).is_some() {
        return None;
    }
    let program = &facts.analysis.program;
    let running = program.elapsed.as_ref().map(|elapsed| {
        let whole = elapsed.running_seconds + elapsed.blocked_seconds;
        if whole > 0.0 { elapsed.running_seconds / whole } else { 1.0 }
    });
    let (Some(running), Some(share), Some(gain), Some(_)) =
        (running.filter(|part| *part < ALL_THE_TIME), new.share, new.loop_gain, new.loop_id)
    else {
        return Some(new);
    };
    if OF_THREADS.contains(&new.rule.as_str()) {
        return Some(new);
    }
    let blocked = Time::ProgramBlocked { share: 1.0 - running };
    let new = new.gain(share * running, gain).because(Provenance::Measured, blocked);
    new.program_gain.is_none_or(|gain| gain.high() >= LEAST_GAIN).then_some(new)
}

/// A share is known as well as the samples show it (95 % interval): what a change gains that removes nearly all of a program's
/// time depends on how little the rest is.
pub(crate) fn widen_by_sampling(new: &mut Recommendation, facts: &Facts) {
    let samples = facts.analysis.program.samples;
    let (Some(share), Some(gain), Some(of_program)) = (new.share, new.loop_gain, new.program_gain) else {
        return;
    };
    let known = sampled_interval((share * samples as f64).round() as u64, samples);
    if let Some(known) = known.filter(|_| of_program == gain.of_program(share)) {
        new.program_gain = Some(gain.of_program_between(share, (known.low, known.high)));
    }
}

fn lower_confidence_of_few_samples(recommendation: &mut Recommendation, facts: &Facts) {
    let Some(of) = recommendation.loop_id.and_then(|id| facts.loop_by_id(id)) else { return };
    if facts.group_samples(of) < FIRM_SAMPLES {
        recommendation.confidence = recommendation.confidence.lowered();
    }
}

/// Drops recommendations whose rule yields to another one that fired for the same loop.
fn without_superseded(found: Vec<Recommendation>) -> Vec<Recommendation> {
    let yields = |r: &Recommendation| {
        let rule = rules::by_id(&r.rule);
        rule.is_some_and(|rule| {
            found.iter().any(|other| {
                other.rule != r.rule
                    && other.group == r.group
                    && r.group.is_some()
                    && rule.yields_to.contains(&other.id.as_str())
            })
        })
    };
    let keep: Vec<bool> = found.iter().map(|r| !yields(r)).collect();
    found.into_iter().zip(keep).filter_map(|(r, keep)| keep.then_some(r)).collect()
}

/// One recommendation per remedy and place: the surer one, then the one with more evidence.
fn without_repetitions(mut found: Vec<Recommendation>) -> Vec<Recommendation> {
    found.sort_by(|a, b| {
        b.confidence.cmp(&a.confidence).then(b.evidence.len().cmp(&a.evidence.len())).then(by_value(a, b))
    });
    let mut seen = std::collections::BTreeSet::new();
    found.retain(|r| {
        let place = if r.group.is_some() { None } else { r.place.clone() };
        seen.insert((r.id.clone(), r.group, place))
    });
    // What helps the loops helps the program: once is enough.
    let of_a_loop = |id: &String| seen.iter().any(|(known, group, _)| known == id && group.is_some());
    found.retain(|r| r.rule != rules::page_faults::RULE.id || !of_a_loop(&r.id));
    found
}

/// Loops around a hot one that a tracing run looks at beside it.
const AROUND: usize = 2;
/// Loops below a candidate on the way to the hotspot, across calls, that it looks at.
const BELOW: usize = 4;
/// The part of the program's time in a loop that makes the order of the loops around it matter.
const HOT: f64 = 0.1;

/// The loops whose dependences decide whether a recommendation holds, and that no trace has answered yet: what a tracing
/// run should look at beside the hottest loops. A loop for threads, and those inside that are next if it turns out to be serial;
/// and the loops around a hot innermost one, which may change places with it.
pub fn to_be_traced(analysis: &Analysis, recommendations: &[Recommendation]) -> Vec<u32> {
    let facts = Facts::new(analysis);
    let mut wanted: Vec<u32> = Vec::new();
    for candidate in recommendations.iter().filter(|r| is_unchecked(r)).filter_map(|r| r.loop_id) {
        wanted.push(candidate);
        let inside = |l: &&LoopFacts| facts.ancestors(l).take(AROUND).any(|a| a.id == candidate);
        let worth = |l: &&LoopFacts| l.total_share >= rules::serial_hotspot::CANDIDATE_SHARE;
        wanted.extend(analysis.loops.iter().filter(inside).filter(worth).map(|l| l.id));
        // In functions that the candidate calls, too.
        let path = path_to_hotspot(&facts);
        let below = path.into_iter().skip_while(|l| l.id != candidate).skip(1).take(BELOW);
        wanted.extend(below.filter(worth).map(|l| l.id));
    }
    for hot in facts.hot_loops().filter(|l| l.innermost && l.group_share >= HOT) {
        let around = facts.ancestors(hot).take_while(|l| l.function == hot.function);
        wanted.extend(around.take(AROUND).map(|l| l.id));
    }
    let mut seen = std::collections::BTreeSet::new();
    wanted.retain(|id| seen.insert(*id));
    wanted
}

/// By what the change is expected to be worth.
fn by_value(a: &Recommendation, b: &Recommendation) -> Ordering {
    // A condition that no run has checked may as well be false: such a hint comes after what is known to apply.
    (is_unchecked(a).cmp(&is_unchecked(b))).then(worth(b).total_cmp(&worth(a))).then_with(|| precedes(a, b))
}

/// What a change is expected to be worth: its likely gain of the program, discounted by how unsure it is. Without
/// the discount a hint with a wide range (twice the threads, perhaps twice as fast) would hide every certain gain.
pub(crate) fn worth(of: &Recommendation) -> f64 {
    let sure = match of.confidence {
        Confidence::High => 1.0,
        Confidence::Medium => 0.7,
        Confidence::Low => 0.35,
    };
    of.program_gain.map_or(0.0, |gain| gain.likely().ln() * sure)
}

/// The order of changes that are worth the same.
pub(crate) fn precedes(a: &Recommendation, b: &Recommendation) -> Ordering {
    (b.confidence.cmp(&a.confidence))
        .then(b.share.unwrap_or(0.0).total_cmp(&a.share.unwrap_or(0.0)))
        .then(a.loop_id.cmp(&b.loop_id))
        .then(a.id.cmp(&b.id))
        .then(a.place.cmp(&b.place))
}

/// Leaves out next steps that ask for a collection which the running tool does not offer: `offered` answers for the
/// verb of a `loopwright VERB ..` command.
pub fn only_offered(
    mut recommendations: Vec<Recommendation>,
    offered: impl Fn(&str) -> bool,
) -> Vec<Recommendation> {
    for recommendation in &mut recommendations {
        let verb = recommendation.next.as_deref().and_then(|next| next.strip_prefix("loopwright "));
        let verb = verb.and_then(|rest| rest.split_whitespace().next());
        if verb.is_some_and(|verb| !offered(verb)) {
            recommendation.next = None;
        }
    }
    recommendations
}

#[cfg(test)]
mod tests;
