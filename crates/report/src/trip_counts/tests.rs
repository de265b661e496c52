use super::*;
use crate::fixture;

#[test]
fn pages_at_common_widths() {
    let analysis = fixture::counts::counted();
    for style in fixture::styles() {
        let text = trip_counts(&analysis, &TripCountsOptions::default(), &style);
        fixture::assert_fits(&text, &style);
        insta::assert_snapshot!(fixture::label("trip_counts", &style), fixture::visible(&text));
    }
}

#[test]
fn without_a_survey_there_is_no_column_of_time_and_loops_stand_by_instructions() {
    let style = TerminalStyle::plain(160);
    let text = trip_counts(&fixture::counts::only_counted(), &TripCountsOptions::default(), &style);
    assert!(!text.contains("Self %") && !text.contains("of the survey's time"), "{text}");
    let at = |what: &str| text.find(what).unwrap_or_else(|| panic!("{what}: {text}"));
    assert!(at("equilibrium") < at("stream") && at("stream") < at("hash"), "{text}");
    assert!(text.contains("loopwright survey -- ./lbm"), "{text}");
}

#[test]
fn chosen_loops_alone_are_shown_with_all_their_pieces() {
    let options = TripCountsOptions { loops: Some(vec![21]), ..TripCountsOptions::default() };
    let text = trip_counts(&fixture::counts::counted(), &options, &TerminalStyle::plain(160));
    assert!(text.contains("body") && text.contains("remainder") && !text.contains("collide "), "{text}");
}

#[test]
fn what_was_left_alone_is_condensed_by_reason_and_listed_when_asked() {
    let counts = fixture::counts::counted().counts.unwrap();
    let style = TerminalStyle::plain(160);
    let short = left_alone(&counts, false, &style);
    assert!(
        short.contains("unknown places: 2 of them, 770 ms of self time, such as loop 40 in n1fv_16"),
        "{short}"
    );
    assert!(!short.contains("dispatch"), "{short}");
    let long = left_alone(&counts, true, &style);
    assert!(["n1fv_16", "dispatch", "rdft"].iter().all(|name| long.contains(name)), "{long}");
    let none = CountingFacts { left_alone: vec![], ..counts };
    assert_eq!(left_alone(&none, true, &style), "");
}

#[test]
fn bounds_and_doubts_are_marked_and_explained() {
    let text =
        trip_counts(&fixture::counts::counted(), &TripCountsOptions::default(), &TerminalStyle::plain(200));
    assert!(text.contains("~20-23") && text.contains("* 122,000"), "{text}");
    assert!(
        text.contains("~ entries were nested")
            && text.contains("* iterations of the loop as written are inferred"),
        "{text}"
    );
}

#[test]
fn a_program_whose_work_is_in_libraries_is_told_how_to_count_them() {
    let mut analysis = fixture::counts::only_counted();
    analysis.loops.clear();
    let text = trip_counts(&analysis, &TripCountsOptions::default(), &TerminalStyle::plain(160));
    assert!(text.contains("loopwright tripcounts --all -- ./lbm"), "{text}");
}

#[test]
fn a_state_without_counts_says_how_to_count() {
    let text = trip_counts(&fixture::analysis(), &TripCountsOptions::default(), &TerminalStyle::plain(80));
    assert!(text.contains("loopwright tripcounts -- PROGRAM"), "{text}");
}
