//! A part of a run: the samples of some time, or those within calls of a function.

use crate::warning::Excerpt;
use loopwright_experiment::{Facts, Run};
use loopwright_sample::clocks::Clocks;
use loopwright_sample::recording::{Frame, Recording};
use std::collections::{BTreeMap, BTreeSet};

/// Which part.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Part {
    /// Seconds after the start of the run.
    pub from: f64,
    /// Seconds from there on; to the end without.
    pub length: Option<f64>,
    /// The function within whose calls the samples are, by its name with or without scope and arguments.
    pub region: Option<String>,
}

/// Why there is no such part.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum NoSuchPart {
    /// Nothing was sampled.
    #[error(
        "the state has no samples: a part of a run is one of its samples (`loopwright survey -- PROGRAM`)"
    )]
    NoSurvey,
    /// The run was shorter.
    #[error("the run ended after {elapsed:.3} s: nothing is from {from} s on")]
    Ended {
        /// What was asked for.
        from: f64,
        /// Seconds of the run.
        elapsed: f64,
    },
    /// The program did not run then.
    #[error("no sample was taken in that time: the program was not on a CPU")]
    Idle,
    /// No sample is within it.
    #[error(
        "no sample of that time is within calls of `{0}`: `loopwright show functions --all` lists the functions that were sampled"
    )]
    NotSampled(String),
    /// Only innermost functions are known.
    #[error(
        "the survey has no call stacks: samples within calls of a function are not known (`--call-stacks` of `survey`)"
    )]
    NoCallStacks,
}

/// Leaves only the part in the facts. Everything but samples is of the whole run: it is left out.
pub fn keep(facts: &mut Facts, part: &Part) -> Result<Excerpt, NoSuchPart> {
    let elapsed = facts.surveys.iter().map(|survey| survey.target.elapsed_seconds).fold(0.0, f64::max);
    if facts.surveys.is_empty() {
        return Err(NoSuchPart::NoSurvey);
    }
    // Also where one of them is no number.
    if !(part.from < elapsed || part.from == 0.0) {
        return Err(NoSuchPart::Ended { from: part.from, elapsed });
    }
    let stacks = |survey: &Run<Recording>| {
        survey.facts.sampler.call_stacks != loopwright_sample::recording::CallStacks::None
    };
    if part.region.is_some() && !facts.surveys.iter().all(stacks) {
        return Err(NoSuchPart::NoCallStacks);
    }
    let all: usize = facts.surveys.iter().map(|survey| survey.facts.samples.len()).sum();
    for survey in &mut facts.surveys {
        let inside = part.region.as_ref().map(|region| inside(survey, region));
        cut(survey, part, inside.as_deref());
    }
    let samples: usize = facts.surveys.iter().map(|survey| survey.facts.samples.len()).sum();
    if samples == 0 {
        return Err(part.region.clone().map_or(NoSuchPart::Idle, NoSuchPart::NotSampled));
    }
    let others = !(facts.counts.is_empty()
        && facts.traced.is_empty()
        && facts.injected.is_empty()
        && facts.top_down.is_empty()
        && facts.energy.is_empty()
        && facts.communication.is_empty()
        && facts.input_output.is_empty()
        && facts.heap.is_empty());
    facts.counts.clear();
    facts.traced.clear();
    facts.injected.clear();
    facts.top_down.clear();
    facts.energy.clear();
    facts.communication.clear();
    facts.input_output.clear();
    facts.heap.clear();
    facts.trials.clear();
    Ok(Excerpt {
        from_seconds: part.from,
        to_seconds: part.length.map_or(elapsed, |length| elapsed.min(part.from + length)),
        region: part.region.clone(),
        samples: samples as u64,
        of: all as u64,
        others,
    })
}

/// Leaves the samples of the part, on a clock that begins with it, and the times that follow from them.
fn cut(survey: &mut Run<Recording>, part: &Part, inside: Option<&[bool]>) {
    let nanoseconds = |seconds: f64| (seconds.max(0.0) * 1e9) as u64;
    let from = nanoseconds(part.from);
    let end = part.length.map_or(u64::MAX, |length| from.saturating_add(nanoseconds(length)));
    let recording = &mut survey.facts;
    recording.samples.retain(|sample| {
        let within =
            inside.is_none_or(|inside| inside.get(sample.stack as usize).is_some_and(|within| *within));
        within && (from..end).contains(&sample.time_ns)
    });
    for sample in &mut recording.samples {
        sample.time_ns -= from;
    }
    // What the system counted is of the whole run.
    recording.clocks = Clocks::default();
    let spent = |kernel: bool| {
        let of = recording.samples.iter().filter(|sample| sample.kernel == kernel);
        of.map(|sample| f64::from(sample.weight_ns) / 1e9).sum::<f64>()
    };
    let (user, system) = (spent(false), spent(true));
    for target in [&mut survey.target, &mut recording.target] {
        let rest = (target.elapsed_seconds - part.from).max(0.0);
        target.elapsed_seconds = part.length.map_or(rest, |length| rest.min(length));
        (target.user_seconds, target.system_seconds) = (user, system);
        (target.minor_faults, target.major_faults) = (0, 0);
        (target.voluntary_switches, target.involuntary_switches) = (0, 0);
    }
}

/// Of each node of the stacks whether it is the function, or was called within it.
fn inside(survey: &Run<Recording>, region: &str) -> Vec<bool> {
    let ranges = ranges(survey, region);
    let recording = &survey.facts;
    let is_it = |frame: &Frame| {
        let named = frame.symbol.as_deref().is_some_and(|symbol| is_named(symbol, region));
        let mine = frame.module.and_then(|module| ranges.get(&module)).into_iter().flatten();
        named || mine.into_iter().any(|&(start, end)| (start..end).contains(&frame.address))
    };
    let frames: Vec<bool> = recording.frames.iter().map(is_it).collect();
    let mut inside: Vec<bool> = Vec::with_capacity(recording.stacks.len());
    for node in &recording.stacks {
        let own = frames.get(node.frame as usize).is_some_and(|is_it| *is_it);
        // Each node comes after its parent.
        let within = node.parent.and_then(|parent| inside.get(parent as usize)).is_some_and(|within| *within);
        inside.push(own || within);
    }
    inside
}

/// The code of the functions of that name, by the number of their module.
fn ranges(survey: &Run<Recording>, region: &str) -> BTreeMap<u32, BTreeSet<(u64, u64)>> {
    let mut ranges: BTreeMap<u32, BTreeSet<(u64, u64)>> = BTreeMap::new();
    for module in &survey.code {
        for stored in module.functions.iter() {
            let function = &stored.code.function;
            if is_named(&function.name, region) {
                let own = ranges.entry(module.position).or_default();
                own.insert((function.address, function.end));
                own.extend(&function.parts);
            }
        }
    }
    ranges
}

/// Whether a demangled name is the wanted one: all of it, or without arguments, or its last part.
fn is_named(name: &str, wanted: &str) -> bool {
    if name == wanted {
        return true;
    }
    // Not an argument list.
    let plain = name.replace("(anonymous namespace)::", "");
    let bare = plain.split('(').next().unwrap_or(&plain);
    let suffix = bare.strip_suffix(wanted);
    suffix.is_some_and(|scope| scope.is_empty() || scope.ends_with("::"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{function, module, recording};
    use loopwright_instrument::facts::Counts;

    /// 100 ms in `main`, 200 ms in `a::solve(int)` called by it, 300 ms in `leaf` called by that, 400 ms in `leaf` called by `main`.
    fn facts() -> Facts {
        let mut facts = recording(&[
            (&[0x10], 100),
            (&[0x10, 0x110], 200),
            (&[0x10, 0x110, 0x210], 300),
            (&[0x10, 0x210], 400),
        ]);
        facts.sampler.call_stacks = loopwright_sample::recording::CallStacks::Dwarf;
        facts.target.minor_faults = 7;
        facts.target.user_seconds = 1.0;
        let functions = vec![
            function(1, "main", (0x0, 0x100), Vec::new(), 1),
            function(2, "a::solve(int)", (0x100, 0x200), Vec::new(), 2),
            function(3, "leaf", (0x200, 0x300), Vec::new(), 3),
        ];
        let target = facts.target.clone();
        let survey = Run { id: 1, target, facts, machine: None, code: vec![module(functions)] };
        Facts { surveys: vec![survey], ..Facts::default() }
    }

    fn part(from: f64, length: Option<f64>, region: &str) -> Part {
        let region = Some(region.to_owned()).filter(|region| !region.is_empty());
        Part { from, length, region }
    }

    #[test]
    fn a_time_is_cut_out() {
        let mut all = facts();
        let counts = Run {
            id: 2,
            target: all.surveys[0].target.clone(),
            facts: Counts::default(),
            machine: None,
            code: Vec::new(),
        };
        all.counts.push(counts);
        let excerpt = keep(&mut all, &part(0.05, Some(0.1), "")).unwrap();
        // Samples are at whole milliseconds; the end is not in it.
        assert_eq!((excerpt.samples, excerpt.of, excerpt.others), (100, 1000, true));
        assert!(all.counts.is_empty());
        let shown = crate::analyse(&all);
        let of = |name: &str| shown.functions.iter().find(|f| f.function == name).map(|f| f.self_seconds);
        // 50 to 100 ms, and 101 to 149 ms.
        assert_eq!((of("main"), of("a::solve(int)"), of("leaf")), (Some(0.051), Some(0.049), None));
        let program = &shown.program;
        assert!((program.elapsed_seconds - 0.1).abs() < 1e-9 && (program.user_seconds - 0.1).abs() < 1e-9);
        assert_eq!(program.minor_faults, 0);
        assert_eq!(all.surveys[0].facts.samples[0].time_ns, 0);
    }

    #[test]
    fn a_region_is_all_that_it_calls() {
        for name in ["solve", "a::solve", "a::solve(int)"] {
            let mut all = facts();
            let excerpt = keep(&mut all, &part(0.0, None, name)).unwrap();
            assert_eq!((excerpt.samples, excerpt.others), (500, false), "{name}");
            let shown = crate::analyse(&all);
            let leaf = shown.functions.iter().find(|f| f.function == "leaf").unwrap();
            assert_eq!((leaf.self_seconds, leaf.self_share), (0.3, 0.6));
        }
        let mut all = facts();
        assert_eq!(keep(&mut all, &part(0.25, None, "solve")).unwrap().samples, 351);
        let text = Excerpt {
            from_seconds: 0.25,
            to_seconds: 1.0,
            region: Some("solve".into()),
            samples: 351,
            of: 1000,
            others: false,
        };
        assert_eq!(
            text.to_string(),
            "only a part of the run is shown: 0.250 s to 1.000 s after its start, within calls of `solve`, 351 of 1000 samples; \
             shares and gains are of this part"
        );
    }

    #[test]
    fn a_part_that_is_not_there_is_refused() {
        let refused = |part: &Part| keep(&mut facts(), part).unwrap_err();
        assert_eq!(refused(&part(0.0, None, "olve")), NoSuchPart::NotSampled("olve".into()));
        assert_eq!(refused(&part(0.5, None, "solver")), NoSuchPart::NotSampled("solver".into()));
        assert_eq!(refused(&part(1.0, None, "")), NoSuchPart::Ended { from: 1.0, elapsed: 1.0 });
        assert!(matches!(refused(&part(f64::NAN, None, "")), NoSuchPart::Ended { .. }));
        assert_eq!(refused(&part(0.1, Some(0.0), "")), NoSuchPart::Idle);
        assert_eq!(keep(&mut Facts::default(), &part(0.0, None, "")), Err(NoSuchPart::NoSurvey));
        let mut without = facts();
        without.surveys[0].facts.sampler.call_stacks = loopwright_sample::recording::CallStacks::None;
        assert_eq!(keep(&mut without, &part(0.0, None, "main")), Err(NoSuchPart::NoCallStacks));
    }

    #[test]
    fn names_are_compared_without_scope_and_arguments() {
        for (name, wanted) in [
            ("solve", "solve"),
            ("(anonymous namespace)::solve(int)", "solve"),
            ("a::b::solve", "b::solve"),
            ("core::f::{{closure}}", "f::{{closure}}"),
        ] {
            assert!(is_named(name, wanted), "{name} {wanted}");
        }
        for (name, wanted) in
            [("resolve", "solve"), ("solve2", "solve"), ("a::solve(int)", "int"), ("f(solve)", "solve")]
        {
            assert!(!is_named(name, wanted), "{name} {wanted}");
        }
    }
}
