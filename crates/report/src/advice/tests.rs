use super::*;
use crate::fixture;
use crate::prose::{first_sentence, first_sentences};
use loopwright_analysis::model::Warning;

#[test]
fn a_screen_at_common_widths() {
    let (analysis, recommendations) = (fixture::analysis(), fixture::recommendations());
    for style in fixture::styles() {
        let text = advice(&analysis, &recommendations, false, &style);
        fixture::assert_fits(&text, &style);
        assert!(text.lines().count() <= 45, "{text}");
        insta::assert_snapshot!(fixture::label("advice", &style), fixture::visible(&text));
    }
}

#[test]
fn the_answer_is_within_the_first_ten_lines() {
    let (analysis, recommendations) = (fixture::counts::counted(), fixture::recommendations());
    let first = recommendations[0].title.split(' ').next().unwrap();
    for width in [60, 80, 120] {
        let text = advice(&analysis, &recommendations, true, &TerminalStyle::plain(width));
        let at = text.lines().position(|line| line.starts_with(" 1  ") && line.contains(first));
        assert!(at.is_some_and(|at| at < 10), "{text}");
    }
}

#[test]
fn counts_of_a_second_run_are_told_and_used() {
    let analysis = fixture::counts::counted();
    for style in fixture::styles() {
        let text = advice(&analysis, &fixture::recommendations(), true, &style);
        fixture::assert_fits(&text, &style);
        assert!(text.lines().count() <= 45, "{text}");
        insta::assert_snapshot!(fixture::label("advice_counted", &style), fixture::visible(&text));
    }
}

#[test]
fn what_gains_little_and_how_it_was_measured_are_shown_in_detail() {
    let (analysis, mut recommendations) = (fixture::counts::counted(), fixture::recommendations());
    recommendations[1].program_gain = Some((1.0, 1.01).into());
    let screen = |detail| advice(&analysis, &recommendations, detail, &TerminalStyle::plain(120));
    let (short, long) = (screen(false), screen(true));
    let title = &recommendations[1].title;
    assert!(!short.contains(title.as_str()) && short.contains("Not shown: 1 change"), "{short}");
    assert!(!short.contains("Machine ") && short.contains("--all"), "{short}");
    assert!(long.contains("Machine ") && long.contains("Samples ") && !long.contains("Not shown"), "{long}");
}

#[test]
fn a_change_at_several_loops_names_them() {
    let (analysis, mut recommendations) = (fixture::analysis(), fixture::recommendations());
    let mut other = recommendations[0].clone();
    (other.loop_id, other.group, other.place) = (Some(20), Some(20), Some("lbm.c:130".into()));
    other = other.gain(0.2, (2.0, 2.0));
    recommendations.push(other);
    let text = advice(&analysis, &recommendations, false, &TerminalStyle::plain(120));
    let all = [
        "in    2 loops, 63 % of the time",
        "at    collide, lbm.c:52, loop 12, 43 %; collide, lbm.c:130, loop 20, 20 %",
    ];
    assert!(all.iter().all(|part| text.contains(part)), "{text}");
}

/// Time in which the program was ready and other programs had the CPUs is not called idle.
#[test]
fn waiting_for_a_cpu_is_not_idling() {
    let mut analysis = fixture::analysis();
    analysis.program.cpu_usage = vec![9.0, 1.0];
    analysis.program.elapsed = Some(loopwright_analysis::model::ElapsedFacts {
        running_seconds: 1.0,
        ready_seconds: 8.5,
        blocked_seconds: 0.5,
        ..Default::default()
    });
    let text = advice(&analysis, &fixture::recommendations(), true, &TerminalStyle::plain(120));
    assert!(text.contains("idle 5.0 %") && text.contains("ready without a CPU 85 %"), "{text}");
}

#[test]
fn hostile_and_huge_names_keep_to_their_lines() {
    let mut analysis = fixture::analysis();
    let mut recommendations = fixture::recommendations();
    let hostile = format!("\u{1b}[2Jf<{}>\n  99  100.0\r\u{202e}", "x, ".repeat(4_000));
    analysis.program.command = vec![hostile.clone()];
    analysis.program.outcome = hostile.clone();
    analysis.program.sampler = hostile.clone();
    analysis.machine.as_mut().unwrap().name = hostile.clone();
    analysis.warnings = vec![Warning::Said(hostile.clone())];
    for each in &mut analysis.loops {
        each.function = hostile.clone();
        each.module = hostile.clone();
        each.file = Some(hostile.clone());
    }
    for each in &mut recommendations {
        each.title = hostile.clone();
        each.function = Some(hostile.clone());
        each.place = Some(hostile.clone());
        each.evidence = vec![fixture::remark(&hostile)];
        each.how.text = hostile.clone();
        each.next = Some(hostile.clone());
    }
    for style in fixture::styles().into_iter().chain([TerminalStyle::plain(60), TerminalStyle::terminal(67)])
    {
        fixture::assert_fits(&advice(&analysis, &recommendations, true, &style), &style);
    }
}

#[test]
fn without_samples_it_says_what_to_do() {
    let analysis = Analysis {
        program: ProgramFacts {
            command: vec!["true".into()],
            outcome: "exited 0".into(),
            elapsed_seconds: 0.001,
            ..ProgramFacts::default()
        },
        loops: vec![],
        functions: vec![],
        purposes: vec![],
        tree: None,
        ..fixture::analysis()
    };
    let text = advice(&analysis, &[], true, &TerminalStyle::plain(80));
    assert!(text.contains("No samples were taken") && text.contains("Give it\nmore work"), "{text}");
    assert_eq!(text.matches("amples").count(), 2, "said once, and counted: {text}");
    assert!(!text.contains("NaN") && !text.contains("inf "), "{text}");
}

#[test]
fn shares_that_are_not_zero_are_seen_in_the_bar() {
    assert_eq!(apportion(&[0.999, 0.001, 0.0], 50), [49, 1, 0]);
    assert_eq!(apportion(&[0.25, 0.25, 0.25, 0.25], 10).iter().sum::<usize>(), 10);
    assert_eq!(apportion(&[f64::NAN, 0.0], 10), [0, 0]);
}

#[test]
fn a_sentence_ends_at_its_full_stop() {
    assert_eq!(first_sentence("Use 2.0f, e.g. here. Then measure."), "Use 2.0f, e.g. here.");
    assert_eq!(first_sentence("One only."), "One only.");
    assert_eq!(first_sentences("Do not. Do this. Or that.", 40), "Do not. Do this.");
    assert_eq!(first_sentences("Do not. Do this instead of it.", 20), "Do not.");
    assert_eq!(first_sentences("One only.", 40), "One only.");
}
