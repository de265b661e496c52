//! One CPU works while others are free: the loop to give to threads, found by climbing from the hotspot.

use crate::call_tree::{path_to, path_to_hotspot, phases};
use crate::evidence::{Checked, Dependences, Evidence, Fact, LoopName, Serial, Threads};
use crate::independence::{self, Iterations};
use crate::prelude::*;
use crate::rules::independent_iterations;
use crate::threads;
use loopwright_binary::facts::ChainKind;

pub(crate) static RULE: Rule = Rule {
    id: "serial-hotspot",
    check: Check::Program(check),
    on_own_optimised_code: false,
    leaves_traffic: false,
    yields_to: &[],
    doc: Doc::parse(include_str!("serial_hotspot.md")),
};

/// Id of its recommendation.
const PARALLELISE_OUTER_LOOP: &str = "parallelise-outer-loop";

/// The candidate holds at least this share of the time; less limits the gain to a factor of 1.5 on any machine.
pub const CANDIDATE_SHARE: f64 = 0.3;

fn check(facts: &Facts) -> Option<Recommendation> {
    let usage = threads::idle_cpus(facts)?;
    // A loop that was traced and found free of carried dependences is the better candidate.
    if independent_iterations::candidate(facts).is_some() {
        return None;
    }
    let path = path_to_hotspot(facts);
    // What a trace found independent comes before what none has checked.
    let choose = |checked: bool| {
        // A loop that runs several nests one after another hands their results on, as time steps do: without a trace no question is
        // asked of it.
        let fit = |l: &LoopFacts| {
            may_be_shared_out(facts, l, usage, checked) && (checked || phases(facts, l.id).len() < 2)
        };
        Some((candidate(facts, &path, &fit)?, checked))
    };
    let (candidate, checked) = choose(true).or_else(|| choose(false))?;
    let above = path_to(facts, candidate.id).unwrap_or_else(|| path.clone());
    let others = likewise(facts, &above, candidate, |l| may_be_shared_out(facts, l, usage, checked));
    let others_share: f64 = others.iter().map(|l| l.total_share).sum();
    let several = !others.is_empty();
    let to_share_out = Threads::LoopToShareOut {
        of: candidate.into(),
        share: candidate.total_share,
        beside: others.into_iter().map(LoopName::from).collect(),
        share_beside: several.then_some(others_share),
    };
    let mut new = facts
        .about_program(&RULE)
        .of_loop(candidate)
        .because(Provenance::Measured, usage.fact())
        .because(Provenance::Measured, to_share_out);
    let seen = independence::iterations(facts, candidate);
    new = match &seen {
        Iterations::Independent { found, copies } => {
            let checked = Checked::from(*found);
            let fact = Dependences::NoFlow { place: candidate.place(), reused: *copies, checked };
            let sums = &found.reductions;
            let clause = Dependences::ClauseScalars { private: false, scalars: sums.clone() };
            new = new.because(Provenance::Counted, fact);
            if sums.is_empty() { new } else { new.because(Provenance::Counted, clause) }
        }
        // The title says that no run has checked it.
        _ => new,
    };
    let (gain, facts_of_gain) = threads::gain(facts, candidate, usage);
    for (provenance, fact) in facts_of_gain {
        new = new.because(provenance, fact);
    }
    let loops_above = above.iter().copied().take_while(|l| l.id != candidate.id);
    for loop_above in loops_above.filter(|l| has_own_line(l)) {
        let nests = phases(facts, loop_above.id).len();
        if nests >= 2 {
            new = new.because(Provenance::Measured, Threads::NestsInTurn { above: loop_above.into(), nests });
        }
        if let Iterations::Serial(why) = independence::iterations(facts, loop_above) {
            let seen = if why == Serial::Traced { Provenance::Counted } else { Provenance::Binary };
            let fact = Dependences::SerialLoopAbove { above: loop_above.into(), why };
            new = new.because(seen, fact);
        }
    }
    let inside = path.iter().copied().skip_while(|l| l.id != candidate.id).skip(1);
    let next = inside.filter(|l| l.group != candidate.group && l.total_share >= CANDIDATE_SHARE);
    if let Some(next) = next.into_iter().find(|l| may_be_shared_out(facts, l, usage, true)) {
        let fact = Threads::NextInside { of: next.into(), share: next.total_share };
        new = new.because(Provenance::Counted, fact);
    }
    let cpus = usage.cpus;
    let loops = if several { "this loop and of those beside it" } else { "this loop" };
    let title = match seen {
        Iterations::Independent { copies: true, .. } => {
            format!(
                "Give the iterations of {loops} to {cpus} CPUs, with a private copy of what each writes anew"
            )
        }
        Iterations::Independent { .. } => format!("Give the iterations of {loops} to {cpus} CPUs"),
        _ => format!(
            "Check whether the iterations of {loops} are independent; if they are, give them to {cpus} CPUs"
        ),
    };
    let serial_part = candidate.serial_share.map_or(1.0, costs::clean_share);
    let new = new
        .named(PARALLELISE_OUTER_LOOP, title)
        .gain((candidate.total_share + others_share) * serial_part, gain)
        .how(how!(RULE));
    Some(match seen {
        Iterations::Independent { found, .. } if found.exhaustive => new.confidence(Confidence::Medium),
        Iterations::Independent { .. } => new.confidence(Confidence::Low),
        _ => new.confidence(Confidence::Low).next(facts.collect("dependencies", candidate)),
    })
}

/// The loop's line is that of its statement. Where code of the loop has lines before it, the line is that of something inside: compilers
/// give the control of some loops no line of its own.
fn has_own_line(of: &LoopFacts) -> bool {
    of.lines.zip(of.line).is_none_or(|((first, _), line)| line <= first)
}

/// The recommendation is to check the loop: it depends on iterations being independent, and no trace has shown that.
pub fn is_unchecked(of: &Recommendation) -> bool {
    let checked = |each: &Evidence| matches!(each.fact, Fact::Dependences(Dependences::NoFlow { .. }));
    of.id == PARALLELISE_OUTER_LOOP && !of.evidence.iter().any(checked)
}

/// The loop to share out, of those that fit.
fn candidate<'a>(
    facts: &Facts<'a>,
    path: &[&'a LoopFacts],
    fits: &impl Fn(&LoopFacts) -> bool,
) -> Option<&'a LoopFacts> {
    let fit: Vec<&LoopFacts> =
        path.iter().copied().filter(|l| l.total_share >= CANDIDATE_SHARE && fits(l)).collect();
    // A loop that runs several loop nests one after another hands their results on, as time steps do; the
    // first loop that does not is meant, where there is one.
    let on_path = fit.iter().copied().find(|l| phases(facts, l.id).len() < 2);
    match (on_path, largest_phase(facts, fits)) {
        // The hottest loop may be in a smaller phase than the one that is worth sharing out; which runs which is in the tree.
        (Some(on_path), Some(largest))
            if facts.analysis.tree.is_some() && largest.total_share > on_path.total_share =>
        {
            Some(largest)
        }
        (on_path, largest) => on_path.or(largest).or(fit.first().copied()),
    }
}

/// The loop with the largest total time that is a phase of its own: the hottest loop may be in a smaller phase than
/// the one that is worth sharing out.
fn largest_phase<'a>(facts: &Facts<'a>, fits: &impl Fn(&LoopFacts) -> bool) -> Option<&'a LoopFacts> {
    let fit = facts
        .analysis
        .loops
        .iter()
        .filter(|l| l.total_share >= CANDIDATE_SHARE && fits(l) && phases(facts, l.id).len() < 2);
    // Of loops nested in each other the outermost: fewer, longer pieces of work.
    fit.max_by(|a, b| a.total_share.total_cmp(&b.total_share).then(b.depth.cmp(&a.depth)))
}

/// The nests that the loop right above the candidate runs in turn with it and of which as much is known: their iterations can be
/// given to threads as well.
fn likewise<'a>(
    facts: &Facts<'a>,
    above: &[&LoopFacts],
    candidate: &LoopFacts,
    fits: impl Fn(&LoopFacts) -> bool,
) -> Vec<&'a LoopFacts> {
    let around = above.iter().take_while(|l| l.id != candidate.id).last();
    let nests = around.map_or_else(Default::default, |l| phases(facts, l.id));
    if !nests.contains(&candidate.id) {
        return Vec::new();
    }
    let others = nests.into_iter().filter(|id| *id != candidate.id).filter_map(|id| facts.loop_by_id(id));
    others.filter(|l| fits(l)).collect()
}

/// A trace found the iterations independent (`checked`) or none was made; they are not given to threads yet, and each entry is
/// worth the start of a parallel region.
fn may_be_shared_out(facts: &Facts, of: &LoopFacts, usage: threads::Usage, checked: bool) -> bool {
    let known = match independence::iterations(facts, of) {
        Iterations::Independent { .. } => checked,
        Iterations::Unchecked => !checked && !only_sums(of),
        _ => false,
    };
    known && facts.rebuildable(of) && !threads::shared_out(of) && threads::enough_work(of, usage)
}

/// An innermost loop that does nothing but add up: the loop around it is the one to share out, whether it is listed or not.
fn only_sums(of: &LoopFacts) -> bool {
    let sum = |kind| {
        matches!(kind, ChainKind::InOrderSum | ChainKind::VectorReduction | ChainKind::IntegerReduction)
    };
    of.innermost && of.calls.is_empty() && of.chains.iter().any(|chain| sum(chain.kind))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{carried, chain, checked, fired, near, scalar_loop, states, with_loops};
    use loopwright_analysis::model::{
        Analysis, BandwidthCeiling, Ceilings, ParallelVerdict, TreeNode, Unmeasured, VectorVerdict,
    };
    use loopwright_patterns::facts::DependenceKind;
    use loopwright_vocabulary::MemoryLevel;

    /// Time steps (id 3) call a sweep over rows (id 2) with a hot inner loop (id 1).
    fn solver(change: impl FnOnce(&mut Analysis)) -> Analysis {
        let hot = scalar_loop(|l| (l.parent, l.self_seconds, l.total_share) = (Some(2), 8.0, 0.8));
        let rows = scalar_loop(|l| {
            (l.id, l.group, l.innermost, l.self_seconds, l.total_share) = (2, 2, false, 0.5, 0.85)
        });
        let steps = scalar_loop(|l| {
            (l.id, l.group, l.innermost, l.self_seconds, l.total_share, l.function) =
                (3, 3, false, 0.1, 0.95, "main".into());
        });
        let mut analysis = with_loops(vec![hot, rows, steps]);
        analysis.program.cpus_allowed = 4;
        analysis.program.cpu_usage = vec![0.1, 9.9];
        let node = |id: u32, self_seconds, children| TreeNode {
            kind: "loop".into(),
            name: format!("loop {id}"),
            loop_id: Some(id),
            module: "app".into(),
            self_seconds,
            total_seconds: 9.0,
            children,
        };
        let root = TreeNode {
            kind: "program".into(),
            name: "app".into(),
            loop_id: None,
            module: "app".into(),
            self_seconds: 0.0,
            total_seconds: 10.0,
            children: vec![node(3, 0.1, vec![node(2, 0.5, vec![node(1, 8.0, vec![])])])],
        };
        analysis.tree = Some(root);
        change(&mut analysis);
        analysis
    }

    /// A trace of the loop saw these dependences.
    fn saw(l: &mut LoopFacts, found: &[DependenceKind]) {
        checked(l, VectorVerdict::Unknown, ParallelVerdict::Dependent);
        l.dependence.as_mut().unwrap().found = found.iter().map(|kind| carried(*kind, 1)).collect();
    }
    const WORK_ARRAY: [DependenceKind; 2] = [DependenceKind::Anti, DependenceKind::Output];

    #[test]
    fn fires_without_a_trace_at_the_outermost_loop_and_asks_for_the_check_alone() {
        let r = fired(&RULE, &solver(|_| ())).unwrap();
        assert_eq!((r.loop_id, r.confidence), (Some(3), Confidence::Low));
        assert!(is_unchecked(&r) && r.title.starts_with("Check whether"), "{}", r.title);
        assert!(!states!(r, Threads::NextInside { .. }) && !states!(r, Dependences::NoFlow { .. }));
        assert!(r.next.unwrap().starts_with("loopwright dependencies --loops 3"));
        let gain = r.program_gain.unwrap();
        assert!(gain.low() > 1.3 && gain.high() < 4.0, "{gain:?}");
    }

    #[test]
    fn fires_on_traced_work_arrays_and_names_the_next() {
        let r = fired(&RULE, &solver(|a| a.loops[1..].iter_mut().for_each(|l| saw(l, &WORK_ARRAY)))).unwrap();
        assert!(r.loop_id == Some(3) && !is_unchecked(&r) && r.next.is_none(), "{r:?}");
        assert!(r.title.contains("a private copy of what each writes anew"), "{}", r.title);
        assert!(states!(r, Dependences::NoFlow { reused: true, .. }), "{:?}", r.said());
        assert!(states!(r, Threads::NextInside { of, share } if of.loop_id == 2 && near(*share, 0.85)));
        // What is known comes before what is outside of it and unchecked.
        let r = fired(&RULE, &solver(|a| saw(&mut a.loops[1], &WORK_ARRAY))).unwrap();
        assert_eq!((r.loop_id, is_unchecked(&r)), (Some(2), false));
    }

    #[test]
    fn a_trace_looks_at_the_loops_below_the_candidate_in_other_functions_too() {
        let analysis = solver(|_| ());
        let wanted = crate::to_be_traced(&analysis, &crate::advise(&analysis));
        assert_eq!(wanted.first(), Some(&3), "{wanted:?}");
        assert!(wanted.contains(&2) && wanted.contains(&1), "{wanted:?}");
    }

    #[test]
    fn silent_where_a_trace_saw_a_dependence_or_does_not_answer() {
        let none = |change: fn(&mut LoopFacts)| {
            fired(&RULE, &solver(|a| a.loops.iter_mut().for_each(change))).is_none()
        };
        assert!(none(|l| saw(l, &[DependenceKind::Flow])));
        assert!(none(|l| checked(l, VectorVerdict::Unknown, ParallelVerdict::Unknown)), "single iterations");
        assert!(none(|l| l.not_traced = Some(Unmeasured::OtherLoops)));
        assert!(none(|l| l.traits = vec![loopwright_binary::facts::Trait::EarlyExit]));
        let mut sum = solver(|a| a.loops.truncate(1));
        (sum.tree, sum.loops[0].parent) = (None, None);
        assert!(fired(&RULE, &sum).is_some());
        sum.loops[0].chains = vec![chain(ChainKind::InOrderSum, "xmm0", 4)];
        assert!(fired(&RULE, &sum).is_none(), "the loop around it is not listed");
    }

    #[test]
    fn climbs_down_past_loops_that_are_serial() {
        let r = fired(&RULE, &solver(|a| a.loops[2].chains = vec![chain(ChainKind::Recurrence, "xmm6", 4)]))
            .unwrap();
        assert_eq!(r.loop_id, Some(2));
        assert!(
            states!(r, Dependences::SerialLoopAbove { why: Serial::Carries(by), .. } if by.name() == "xmm6")
        );
        let r = fired(
            &RULE,
            &solver(|a| {
                a.loops[2].chains = vec![chain(ChainKind::Recurrence, "xmm6", 4)];
                a.loops[2].lines = Some((8, 30));
            }),
        );
        assert!(!states!(r.unwrap(), Dependences::SerialLoopAbove { .. }), "its line is of something inside");
    }

    #[test]
    fn a_loop_over_several_nests_is_taken_for_time_steps() {
        let r = fired(
            &RULE,
            &solver(|a| {
                a.loops
                    .push(scalar_loop(|l| (l.id, l.group, l.self_seconds, l.total_share) = (4, 4, 1.0, 0.2)));
                let steps = &mut a.tree.as_mut().unwrap().children[0];
                let other =
                    TreeNode { loop_id: Some(4), total_seconds: 1.5, children: vec![], ..steps.clone() };
                steps.children.push(other);
            }),
        )
        .unwrap();
        assert_eq!(r.loop_id, Some(2));
        assert!(states!(r, Threads::NestsInTurn { nests: 2, .. }));
        assert!(
            states!(
                r,
                Threads::LoopToShareOut { share, share_beside: Some(more), beside, .. }
                    if near(*share, 0.85) && near(*more, 0.2) && beside.len() == 1
            ),
            "{:?}",
            r.said()
        );
        assert_eq!(r.share, Some(1.0), "both nests");
        assert!(r.title.contains("those beside it"), "{}", r.title);
    }

    #[test]
    fn a_loop_in_which_several_threads_work_is_shared_out_already() {
        let busy =
            |threads: u32| fired(&RULE, &solver(|a| a.loops.iter_mut().for_each(|l| l.threads = threads)));
        assert!(busy(1).is_some() && busy(2).is_none());
    }

    #[test]
    fn entries_shorter_than_a_parallel_region_and_few_iterations_are_no_work_for_threads() {
        let counted = |entries, each| {
            fired(
                &RULE,
                &solver(|a| {
                    a.loops[2].chains = vec![chain(ChainKind::Recurrence, "xmm6", 4)];
                    a.loops[0].chains = a.loops[2].chains.clone();
                    a.loops[1].total_seconds = 8.5;
                    crate::fixtures::count(&mut a.loops[1], entries, each);
                }),
            )
        };
        let r = counted(1000, 480).unwrap();
        assert_eq!(r.loop_id, Some(2), "8.5 ms per entry");
        assert!(counted(1_000_000, 480).is_none(), "8.5 us per entry");
        assert!(counted(1000, 4).is_none(), "four iterations on four CPUs");
        let (long, short) = (counted(1000, 480).unwrap(), counted(100_000, 480).unwrap());
        let low = |r: &Recommendation| r.loop_gain.unwrap().low();
        assert!(low(&short) < low(&long), "the regions' cost is part of the gain");
    }

    #[test]
    fn the_function_named_is_the_one_in_which_the_loop_is_written() {
        let r =
            fired(&RULE, &solver(|a| a.loops.iter_mut().for_each(|l| l.written_in = Some("collide".into()))))
                .unwrap();
        assert_eq!(r.name(), Some("collide"));
        assert!(states!(r, Threads::LoopToShareOut { of, .. } if of.function == "collide"), "{:?}", r.said());
    }

    #[test]
    fn fires_at_the_larger_phase_though_the_hottest_loop_lies_in_a_smaller_one() {
        let r = fired(
            &RULE,
            &solver(|a| {
                (a.loops[0].total_share, a.loops[1].total_share) = (0.4, 0.4);
                a.loops
                    .push(scalar_loop(|l| (l.id, l.group, l.self_seconds, l.total_share) = (4, 4, 1.0, 0.5)));
                let steps = &mut a.tree.as_mut().unwrap().children[0];
                let other = TreeNode {
                    loop_id: Some(4),
                    self_seconds: 1.0,
                    total_seconds: 5.0,
                    children: vec![],
                    ..steps.clone()
                };
                steps.children.push(other);
            }),
        )
        .unwrap();
        assert_eq!(r.loop_id, Some(4));
        assert!((r.share.unwrap() - 0.9).abs() < 1e-9, "{:?}", r.share);
    }

    #[test]
    fn without_a_tree_it_climbs_the_nest() {
        assert_eq!(fired(&RULE, &solver(|a| a.tree = None)).unwrap().loop_id, Some(2));
    }

    #[test]
    fn loops_at_the_bandwidth_of_memory_scale_as_memory_does() {
        use crate::fixtures::{bound_by, ceilings, count};
        let r = fired(
            &RULE,
            &solver(|a| {
                count(&mut a.loops[0], 100, 5_000_000);
                bound_by(&mut a.loops[0], "DRAM", 1.2);
                a.loops[0].self_share = 0.95;
                a.program.peak_resident_bytes = 1 << 30;
                let mut ceilings = ceilings();
                let all = BandwidthCeiling { cores: 4, gbytes: 15.0, ..ceilings.bandwidths[3].clone() };
                ceilings.bandwidths.push(all);
                a.machine.as_mut().unwrap().ceilings = Some(ceilings);
            }),
        )
        .unwrap();
        // 15 / 12 of the bandwidth, of which 1 / 1.2 is used.
        assert!((r.loop_gain.unwrap().high() - 1.5).abs() < 1e-9, "{:?}", r.loop_gain);
        assert!(states!(r, Machine::SharedBandwidth { .. }));
    }

    #[test]
    fn measured_bandwidth_bounds_the_low_end() {
        let bandwidth = |cores, gbytes| BandwidthCeiling {
            level: MemoryLevel::Dram,
            kernel: "triad".into(),
            cores,
            gbytes,
        };
        let ceilings = Ceilings {
            flops: vec![],
            bandwidths: vec![bandwidth(1, 12.0), bandwidth(4, 13.2)],
            disturbed: None,
        };
        let r = fired(&RULE, &solver(|a| a.machine.as_mut().unwrap().ceilings = Some(ceilings))).unwrap();
        assert!((r.loop_gain.unwrap().low() - 1.1).abs() < 1e-9);
    }

    #[test]
    fn silent_on_busy_waiting_single_cpu_and_parallel_programs() {
        assert!(fired(&RULE, &solver(|a| a.program.cpus_allowed = 1)).is_none());
        assert!(fired(&RULE, &solver(|a| a.program.cpu_usage = vec![0.0, 0.5, 0.5, 9.0])).is_none());
        assert!(fired(&RULE, &solver(|a| a.program.cpu_usage = vec![9.0, 1.0])).is_none(), "waits for input");
        assert!(fired(&RULE, &solver(|a| a.program.ranks = 4)).is_none());
    }

    #[test]
    fn silent_without_usage_or_loops() {
        assert!(fired(&RULE, &solver(|a| a.program.cpu_usage.clear())).is_none());
        assert!(fired(&RULE, &solver(|a| a.loops.clear())).is_none());
    }
}
