//! The workbench's output, combined, ranked and compared with a stage.

use loopwright_casebook::advice::parse;
use loopwright_casebook::held::rung;
use loopwright_casebook::record::{Advice, Estimate, Measured};

/// Two places of one id (one of them twice: body and remainder of a loop), another id, and one without a gain.
const PRINTED: &str = r#"{"schema":1,"recommendations":[
 {"id":"pad","title":"Pad","loop_id":4,"group":4,"function":"f","place":"a.c:3","program_gain":[1.0,2.0],"confidence":"high"},
 {"id":"other","title":"Other","loop_id":4,"group":4,"program_gain":[1.1,1.2],"confidence":"low"},
 {"id":"pad","title":"Pad","loop_id":5,"group":4,"function":"f","place":"a.c:3","program_gain":[1.0,2.0],"confidence":"high"},
 {"id":"pad","title":"Pad","loop_id":9,"group":9,"function":"g","place":"b.c:8","program_gain":[1.25,1.5],"confidence":"high"},
 {"id":"look","title":"Look","confidence":"low"}]}"#;

fn measured(gain: f64) -> Measured {
    let near = |median: f64| Estimate { median, low: median * 0.99, high: median * 1.01 };
    Measured {
        seconds: near(1.0),
        elapsed: near(1.0),
        gain: Some(near(gain)),
        gain_first: None,
        program_gain: Some(near(gain)),
        gflops: None,
        gbytes: None,
        ceiling: None,
    }
}

fn advice() -> Advice {
    Advice { command: String::new(), recommendations: parse(PRINTED).unwrap() }
}

#[test]
fn each_id_stands_once_with_all_its_places_composed() {
    let fired = advice().recommendations;
    let ids: Vec<&str> = fired.iter().map(|fired| fired.id.as_str()).collect();
    assert_eq!(ids, ["pad", "other", "look"]);
    assert_eq!(fired[0].places, ["f, a.c:3", "g, b.c:8"]);
    // Amdahl: the second place leaves 1/1.25 of the time; together the upper ends leave 1 - 1/2 - 1/3 = 1/6.
    let [low, high] = fired[0].program_gain.unwrap();
    assert!((low - 1.25).abs() < 1e-12 && (high - 6.0).abs() < 1e-9, "{low} {high}");
    assert_eq!(fired[2].program_gain, None);
}

#[test]
fn all_places_together_gain_no_more_than_the_one_that_gains_most() {
    let nest = PRINTED
        .replace("\"program_gain\":[1.25,1.5]", "\"program_gain\":[3.0,9.0],\"loop_gain\":[3.5,10.0]")
        .replace("\"program_gain\":[1.0,2.0]", "\"program_gain\":[2.0,8.0],\"loop_gain\":[2.0,9.5]");
    assert_eq!(parse(&nest).unwrap()[0].program_gain, Some([3.5, 10.0]), "the sum would leave nothing");
    let slower = PRINTED.replace("[1.1,1.2]", "[0.5,1.2]");
    assert_eq!(parse(&slower).unwrap()[1].program_gain, Some([0.5, 1.2]), "a range may begin below 1");
}

#[test]
fn a_rung_knows_its_rank_and_whether_the_prediction_came_true() {
    let expected = ["other".to_owned(), "unknown".to_owned()];
    let held = rung(&expected, &advice(), Some(&measured(1.15)));
    assert_eq!((held.id.as_deref(), held.rank, held.came_true), (Some("other"), Some(2), Some(true)));
    assert!(held.recommended());
    assert_eq!(rung(&expected, &advice(), Some(&measured(1.3))).came_true, Some(false));
    assert_eq!(
        rung(&expected, &advice(), Some(&measured(1.205))).came_true,
        Some(true),
        "within the interval"
    );
    assert_eq!(rung(&expected, &advice(), None).came_true, None);
    assert_eq!(
        rung(&["look".into()], &advice(), Some(&measured(2.0))).came_true,
        None,
        "nothing was predicted"
    );
    let silent = rung(&["unknown".into()], &advice(), Some(&measured(2.0)));
    assert_eq!((silent.id.clone(), silent.rank, silent.recommended()), (None, None, false));
}

#[test]
fn changes_are_read_as_cards_where_there_are_any() {
    let text = r#"{"recommendations":[{"id":"no-fma"}],"advice":[
        {"id":"rebuild","changes":["no-fma","narrow"],"program_gain":[1.0,2.0],"function":"f","place":"a.c:3",
         "places":[{"function":"f","place":"a.c:3"},{"function":"g","place":"b.c:8"}]},
        {"id":"small","minor":true}]}"#;
    let fired = parse(text).unwrap();
    assert_eq!(fired.len(), 1, "what is not shown is no advice");
    assert_eq!(fired[0].places, ["f, a.c:3", "g, b.c:8"]);
    assert!(fired[0].is_one_of(&["narrow".to_owned()]) && !fired[0].is_one_of(&["small".to_owned()]));
    let advice = Advice { command: String::new(), recommendations: fired };
    let held = rung(&["no-fma".into()], &advice, Some(&measured(1.5)));
    assert_eq!((held.id.as_deref(), held.rank, held.came_true), (Some("rebuild"), Some(1), Some(true)));
}

#[test]
fn what_is_no_list_of_recommendations_is_refused() {
    for text in ["", "{}", "[1]", r#"{"recommendations":[{}]}"#, r#"{"recommendations":7}"#] {
        assert!(parse(text).is_err(), "{text}");
    }
}
