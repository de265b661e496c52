//! Small programs with planted traps: what breaks the answer is refused, and nothing ends the search.

use super::*;
use crate::session::tests::{Project, available};
use crate::session::{Commands, ready};
use loopwright_analysis::model::TriedOutcome;
use loopwright_analysis::tried::{self, FEW_PAIRS};
use loopwright_experiment::trials::{Part, Verdict, Why};
use std::sync::atomic::Ordering;

const AXES: [Axis; 3] = [Axis::Flags, Axis::Lto, Axis::Env];

fn tuned(project: &Project, asked: &Asked, semantics: Semantics, runs: u32) -> Tuning {
    let before = project.stamps();
    let commands = Commands::of(&asked.steps);
    let how = How { axes: AXES.to_vec(), semantics, runs };
    let tuning = tune(asked, &how, ready(asked, &commands).unwrap(), None, &|_| {}).unwrap();
    assert_eq!(project.stamps(), before, "the project has changed");
    let unnamed = |one: &&Candidate| one.trial.change.trim_end().ends_with('+');
    assert_eq!(tuning.candidates.iter().find(unnamed), None, "nothing is added");
    assert!(tuning.runs <= runs, "{} runs", tuning.runs);
    tuning
}

fn named<'t>(tuning: &'t Tuning, name: &str) -> &'t Candidate {
    let names = || tuning.candidates.iter().map(|one| one.trial.change.as_str()).collect::<Vec<_>>();
    let found = tuning.candidates.iter().find(|one| one.trial.change == name);
    found.unwrap_or_else(|| panic!("{name} is not among {:?}", names()))
}

/// Loops long enough that an unoptimised build is slower than any other in each run.
const SLOW: &str = "#include <stdio.h>
int main(void) {
    static double x[1000];
    double sum = 0;
    for (int k = 0; k < 20000; k++)
        for (int i = 0; i < 1000; i++) { x[i] = x[i] * 0.5 + i + k; sum += x[i] > 900 ? 1 : 0; }
    printf(\"%.17g\\n\", sum);
    return 0;
}
";

#[test]
fn an_unoptimised_build_is_improved_with_the_same_answer() {
    if !available("gcc") {
        return;
    }
    let project = Project::new(&[("a.c", SLOW)], &["gcc -O0 -o prog a.c -lm"]);
    let tuning = tuned(&project, &project.asked(), Semantics::Exact, 100);
    let best = tuning.confirmed.as_ref().expect("a best build");
    assert_eq!(tried::outcome(best, &tuning.itself), TriedOutcome::Faster, "{best:?}");
    assert_eq!(best.answer.as_ref().map(|answer| answer.verdict), Some(Verdict::Same));
    assert!(tuning.itself.len() >= 5 && best.pairs.len() >= FEW_PAIRS, "{tuning:?}");
    let exact = |one: &Candidate| one.semantics == Semantics::Exact;
    assert!(tuning.candidates.iter().all(exact), "options that change digits were not asked for");
    assert!(named(&tuning, "O3-native").trial.parts.iter().any(|part| match part {
        Part::Options { options, .. } => options.contains(&"-ffp-contract=off".to_owned()),
        _ => false,
    }));
}

/// Prints a number that is none where NaN may be ignored; ends by a signal on one way, and is refused by the compiler on another.
const TRAPS: &str = "#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#if defined __OPTIMIZE__ && !defined __FMA__ && !defined __AVX2__
#error \"refused\"
#endif
int main(int argc, char **argv) {
    (void)argv;
#if defined __AVX2__ && !defined __FAST_MATH__ && defined __OPTIMIZE__
    abort();
#endif
    volatile double zero = argc - 1;
    double x = zero / zero;
    double sum = 0;
    for (int i = 0; i < 3000000; i++) sum += i * 0.5;
    printf(\"%.3f\\n\", isnan(x) ? sum : x);
    return 0;
}
";

#[test]
fn what_fails_or_prints_nan_is_a_row_and_no_result() {
    if !available("gcc") {
        return;
    }
    let project = Project::new(&[("a.c", TRAPS)], &["gcc -O0 -g -o prog a.c -lm"]);
    let tuning = tuned(&project, &project.asked(), Semantics::Fast, 60);
    assert!(matches!(named(&tuning, "O3").trial.end, End::NotBuilt { .. }), "{tuning:?}");
    // Machines without these instructions have no such traps.
    if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") {
        assert!(matches!(named(&tuning, "O2-native").trial.end, End::Killed { .. }), "{tuning:?}");
        let fast = &named(&tuning, "O3-native-fast").trial;
        assert_eq!(fast.answer.as_ref().map(|answer| answer.verdict), Some(Verdict::Different), "{fast:?}");
    }
    let wrong = |name: &str| ["O3", "O2-native", "O3-native-fast"].contains(&name);
    assert!(tuning.confirmed.is_none_or(|best| !wrong(&best.change)));
}

#[test]
fn a_program_whose_sources_no_command_compiles_keeps_its_options() {
    if !available("gcc") {
        return;
    }
    let mut project = Project::new(&[("a.c", SLOW)], &["gcc -O2 -c a.c -o a.o", "gcc -o prog a.o"]);
    project.steps.remove(0);
    let tuning = tuned(&project, &project.asked(), Semantics::Exact, 40);
    let why = &named(&tuning, "options").trial.end;
    assert!(matches!(why, End::LeftAlone { why: Why::NotOfThisBuild { .. } }), "{why:?}");
    // Settings are all that is left, also where several of them are tried together.
    let parts = tuning.candidates.iter().skip(1).flat_map(|one| &one.trial.parts);
    let others: Vec<&Part> = parts.filter(|part| !matches!(part, Part::Variable { .. })).collect();
    assert!(tuning.candidates.len() > 1 && others.is_empty(), "{others:?}");
}

#[test]
fn who_stops_keeps_what_was_measured() {
    if !available("gcc") {
        return;
    }
    let project = Project::new(&[("a.c", SLOW)], &["gcc -O1 -o prog a.c -lm"]);
    let stop = std::sync::atomic::AtomicBool::new(false);
    let asked = Asked { stop: &stop, ..project.asked() };
    let commands = Commands::of(&asked.steps);
    let how = How { axes: AXES.to_vec(), semantics: Semantics::Exact, runs: 100 };
    let stops = |stage: Stage| {
        if matches!(stage, Stage::Running(_, runs, _) if runs > 20) {
            stop.store(true, Ordering::SeqCst);
        }
    };
    let tuning = tune(&asked, &how, ready(&asked, &commands).unwrap(), None, &stops).unwrap();
    assert!(tuning.candidates.iter().any(|one| !one.trial.pairs.is_empty()));
    assert!(tuning.confirmed.is_none(), "nothing is claimed that was not measured again");
}

/// Prints a rate that the level of optimisation does not change but for the macro.
const REPORTS: &str = "#include <stdio.h>
int main(void) {
#ifdef __OPTIMIZE__
    printf(\"rate 200 per s\\n\");
#else
    printf(\"rate 100 per s\\n\");
#endif
    printf(\"answer 42\\n\");
    return 0;
}
";

#[test]
fn what_the_program_reports_is_compared_where_the_user_says_so() {
    if !available("gcc") {
        return;
    }
    let project = Project::new(&[("a.c", REPORTS)], &["gcc -O0 -o prog a.c"]);
    let measure = |pattern: &str| {
        Some(Measure::Printed { pattern: regex::bytes::Regex::new(pattern).unwrap(), rate: true })
    };
    let asked = Asked { measure: measure("^rate ([0-9]+)"), ..project.asked() };
    let tuning = tuned(&project, &asked, Semantics::Exact, 60);
    let best = tuning.confirmed.as_ref().expect("a best build");
    let gain = tried::gain(best).unwrap().speedup;
    assert!((gain.estimate - 2.0).abs() < 1e-9 && gain.low == gain.high, "{gain:?}");
    assert_eq!(
        best.answer.as_ref().map(|answer| answer.verdict),
        Some(Verdict::Same),
        "the rate is no part of it"
    );
    let asked = Asked { measure: measure("^speed ([0-9]+)"), ..project.asked() };
    let commands = Commands::of(&asked.steps);
    let how = How { axes: AXES.to_vec(), semantics: Semantics::Exact, runs: 60 };
    let refused = tune(&asked, &how, ready(&asked, &commands).unwrap(), None, &|_| {}).unwrap_err();
    assert!(refused.is_misuse() && refused.to_string().contains("^speed ([0-9]+)"), "{refused}");
}
