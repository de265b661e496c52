use super::*;
use crate::fixture;
use loopwright_analysis::model::{Ceilings, MachineFacts, Unmeasured};

fn here() -> Surroundings<'static> {
    Surroundings::default()
}

fn whats(analysis: &Analysis) -> Vec<String> {
    missing(analysis, &here()).into_iter().map(|each| each.what).collect()
}

fn one(analysis: &Analysis, what: &str) -> Missing {
    let all = missing(analysis, &here());
    all.iter().find(|each| each.what == what).unwrap_or_else(|| panic!("{what} is not in {all:#?}")).clone()
}

/// The fixture as an analysis from which nothing is missing.
fn complete() -> Analysis {
    let mut analysis = fixture::patterns::traced();
    analysis.machine =
        analysis.machine.map(|machine| MachineFacts { ceilings: Some(Ceilings::default()), ..machine });
    let (work, dependence, memory) = {
        let hot = analysis.loops.iter().find(|each| each.id == 12).unwrap();
        (hot.work.clone(), hot.dependence.clone(), hot.memory.clone())
    };
    assert!(work.is_some() && dependence.is_some() && memory.is_some());
    let claims = analysis.loops.iter().find(|each| each.id == 12).unwrap().compilers.clone();
    for each in &mut analysis.loops {
        each.work = each.work.take().or(work.clone());
        each.dependence = each.dependence.take().or(dependence.clone());
        each.memory = each.memory.take().or(memory.clone());
        each.compilers.clone_from(&claims);
    }
    for module in &mut analysis.modules {
        module.has_lines = true;
    }
    analysis
}

#[test]
fn nothing_is_missing_from_everything() {
    assert_eq!(missing(&complete(), &here()), []);
}

#[test]
fn a_plain_survey_lacks_counts_first() {
    let analysis = fixture::analysis();
    let found = missing(&analysis, &here());
    let whats: Vec<&str> = found.iter().map(|each| each.what.as_str()).collect();
    assert_eq!(
        whats,
        [
            "trip counts and work",
            "ceilings of the machine",
            "memory access patterns",
            "dependences",
            "source lines of libraries"
        ]
    );
    let command = |at: usize| found[at].command.as_deref().unwrap();
    assert_eq!(command(0), "loopwright tripcounts -- ./lbm --steps 200 'cavity 64.toml'");
    assert_eq!(command(1), "loopwright machine --measure");
    assert_eq!(command(2), "loopwright map --loops 12,20,40,41 -- ./lbm --steps 200 'cavity 64.toml'");
    assert_eq!(command(3), "loopwright dependencies --loops 12,41 -- ./lbm --steps 200 'cavity 64.toml'");
    assert_eq!(found[4].command, None);
    assert!(found[4].why.contains("libm.so.6 (12 %)"), "{}", found[4].why);
}

#[test]
fn another_experiment_and_hostile_words_stand_in_the_commands() {
    let mut analysis = fixture::analysis();
    analysis.program.command = vec!["./a b".into(), "$(rm -rf /)".into(), "it's".into(), String::new()];
    let surroundings = Surroundings { experiment: Some(Path::new("my runs/x.lw")), unreadable: &[] };
    let all = missing(&analysis, &surroundings);
    let command = all[0].command.clone().unwrap();
    assert!(command.starts_with("loopwright -e 'my runs/x.lw' tripcounts -- "), "{command}");
    let typed = shlex::split(command.split_once(" -- ").unwrap().1).unwrap();
    assert_eq!(typed, analysis.program.command);
    assert_eq!(all[1].command.as_deref(), Some("loopwright -e 'my runs/x.lw' machine --measure"));

    analysis.program.command = vec!["a\0b".into()];
    assert_eq!(missing(&analysis, &here())[0].command, None, "no shell can type a NUL");
}

#[test]
fn few_samples_come_first() {
    let mut analysis = complete();
    (analysis.program.samples, analysis.program.cpu_seconds) = (40, 0.2);
    (analysis.program.user_seconds, analysis.program.system_seconds) = (0.2, 0.0);
    let all = missing(&analysis, &here());
    assert_eq!(all[0].what, "more samples");
    assert!(all[0].why.contains("only 40 samples were taken in 200 ms"), "{}", all[0].why);
    assert!(all[0].command.as_deref().unwrap().starts_with("loopwright survey --rate 5000 -- ./lbm"));

    (analysis.program.samples, analysis.program.cpu_seconds, analysis.program.user_seconds) = (0, 0.0, 0.001);
    let none = one(&analysis, "more samples");
    assert!(none.why.contains("no samples were taken") && none.why.contains("more work"), "{}", none.why);
    assert_eq!(none.command, None, "no rate is high enough");
}

#[test]
fn without_a_survey_times_are_missing() {
    let mut analysis = complete();
    (analysis.program.samples, analysis.program.sampler) = (0, String::new());
    assert!(one(&analysis, "times").command.unwrap().starts_with("loopwright survey -- ./lbm"));
    assert!(!whats(&analysis).contains(&"more samples".to_owned()));
}

#[test]
fn loops_that_cannot_be_counted_or_traced_are_not_asked_for_again() {
    let mut analysis = complete();
    for each in analysis.loops.iter_mut().filter(|each| each.id == 12) {
        (each.work, each.dependence, each.memory) = (None, None, None);
        each.access.clear();
    }
    assert_eq!(whats(&analysis), ["trip counts and work", "memory access patterns", "dependences"]);
    let counts = one(&analysis, "trip counts and work");
    assert!(counts.why.starts_with("loop 12 was not counted"), "{}", counts.why);
    assert!(counts.command.unwrap().contains("tripcounts --loops 12 -- "));
    for each in analysis.loops.iter_mut().filter(|each| each.id == 12) {
        each.not_counted = Some(Unmeasured::OtherLoops);
        each.not_traced = Some(Unmeasured::OtherLoops);
    }
    assert_eq!(missing(&analysis, &here()), []);
}

#[test]
fn a_stripped_program_and_silent_compilers() {
    let mut analysis = complete();
    for module in analysis.modules.iter_mut().filter(|module| module.main_module) {
        (module.has_lines, module.has_symbols) = (false, false);
    }
    let symbols = one(&analysis, "symbols and source lines");
    assert!(symbols.why.contains("lbm takes 83 %") && symbols.why.contains("-g"), "{}", symbols.why);
    for each in &mut analysis.loops {
        each.compilers.clear();
        each.why_not.clear();
    }
    let remarks = one(&analysis, "compilers' remarks");
    assert!(remarks.why.contains("the loop at lbm.c:52 is scalar (43 %"), "{}", remarks.why);
    assert_eq!(remarks.command.as_deref(), Some("loopwright build -- make"));
}

#[test]
fn ranks_stacks_lost_samples_names_and_sources() {
    let mut analysis = complete();
    analysis.program.ranks_started = Some(8);
    analysis.program.no_call_stacks = true;
    analysis.program.lost_samples = 10_000;
    analysis.program.unresolved_share = 0.2;
    let files: Vec<String> = (0..5).map(|k| format!("/src/{k}.c")).collect();
    let surroundings = Surroundings { experiment: None, unreadable: &files };
    let all = missing(&analysis, &surroundings);
    let whats: Vec<&str> = all.iter().map(|each| each.what.as_str()).collect();
    assert_eq!(
        whats,
        ["the other ranks", "call stacks", "lost samples", "names of functions", "source texts"]
    );
    assert!(all[0].why.contains("8 ranks and this state has 1"), "{}", all[0].why);
    assert!(all[1].why.ends_with("start it by the same launcher"), "{}", all[1].why);
    assert!(all[2].why.starts_with("29 % of the samples (10,000)"), "{}", all[2].why);
    assert!(all[2].command.as_deref().unwrap().contains("survey --rate 500 -- "), "{:?}", all[2].command);
    assert!(all[4].why.starts_with("/src/0.c, /src/1.c, /src/2.c and 2 more"), "{}", all[4].why);
}

#[test]
fn every_text_is_in_the_contract_s_form() {
    let value = serde_json::to_value(missing(&fixture::analysis(), &here())).unwrap();
    let last = value.as_array().unwrap().last().unwrap().as_object().unwrap();
    assert_eq!(last.keys().collect::<Vec<_>>(), ["what", "why"], "an absent command is an absent key");
}
