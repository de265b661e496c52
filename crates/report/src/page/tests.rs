use super::*;
use crate::fixture;
use crate::fixture::code;
use loopwright_analysis::model::TreeNode;
use loopwright_remarks::remark::{Family, Outcome, SourcePosition};

fn functions() -> Vec<Function> {
    vec![Function {
        module: "lbm".into(),
        code: code::function(),
        loop_ids: vec![3, 4],
        nanoseconds: code::times(),
    }]
}

fn remarks() -> Vec<Remark> {
    let place = |line| SourcePosition { file: "src/sweep.c".into(), line, column: 3 };
    let mut missed =
        Remark::new(Family::Gcc, "vect", Outcome::Missed, place(3), "not vectorized: multiple nested loops.");
    missed.compiler = "gcc 12.2.0".into();
    missed.reason = Some("fp-reduction-order".into());
    vec![missed, Remark::new(Family::Gcc, "vect", Outcome::Vectorized, place(5), "loop vectorized")]
}

fn threads() -> ThreadTrees {
    let tree = TreeNode {
        kind: "program".into(),
        name: "./lbm".into(),
        loop_id: None,
        module: String::new(),
        self_seconds: 0.0,
        total_seconds: 1.0,
        children: vec![],
    };
    ThreadTrees {
        threads: vec![ThreadTree { rank: Some(0), pid: 1, tid: 2, name: "worker".into(), tree: Some(tree) }],
        left_out: 3,
    }
}

fn made(analysis: &Analysis, extras: Extras) -> Value {
    let recommendations = fixture::recommendations();
    document(Input {
        version: "0.1.0",
        generated: "2026-11-22T09:00:00Z".into(),
        state: "latest",
        analysis,
        recommendations: &recommendations,
        functions: &functions(),
        remarks: &remarks(),
        texts: &|file| {
            if file.ends_with("sweep.c") {
                Ok(Rc::new(code::TEXT.to_owned()))
            } else {
                Err(NoText::Unreadable("No such file or directory".into()))
            }
        },
        threads: &threads(),
        extras,
    })
    .unwrap()
}

fn all() -> Value {
    let extras = Extras {
        missing: serde_json::json!([{"what": "trip counts"}]),
        comparison: Some(serde_json::json!({"before": "old"})),
    };
    made(&fixture::analysis(), extras)
}

#[test]
fn the_analysis_is_what_show_prints_and_the_rest_stands_beside_it() {
    let document = all();
    let shown = analysis_value(&fixture::analysis(), &fixture::recommendations()).unwrap();
    assert_eq!(document["analysis"], shown);
    let keys: Vec<&String> = document.as_object().unwrap().keys().collect();
    assert_eq!(
        keys,
        [
            "schema",
            "report",
            "tool",
            "generated",
            "state",
            "analysis",
            "sources",
            "listings",
            "threads",
            "threads_left_out",
            "reasons",
            "words",
            "missing",
            "comparison"
        ]
    );
    assert_eq!(document["sources"][0]["file"], code::FILE);
    assert_eq!(document["sources"][0]["remarks"][0]["outcome"], "missed");
    assert!(document["sources"][1]["missing"].as_str().unwrap().contains("No such file"));
    assert_eq!(document["listings"][0]["function"], "sweep");
    assert_eq!(document["threads"][0]["tree"][0]["parent"], Value::Null);
    assert!(document["reasons"]["fp-reduction-order"]["meaning"].is_string());
}

#[test]
fn what_is_not_known_has_no_key() {
    let document = made(&fixture::analysis(), Extras::default());
    assert_eq!(document["missing"], serde_json::json!([]));
    assert!(document.get("comparison").is_none());
    assert!(document.get("listings_left_out").is_none());
}

#[test]
fn a_report_is_as_the_contract_says() {
    let missing = serde_json::json!([{"what": "trip counts", "why": "no counting run", "command": "loopwright tripcounts"}]);
    let mut document = made(&fixture::analysis(), Extras { missing, comparison: None });
    crate::contract::assert_valid("Report", &document);
    crate::contract::assert_document(&document);
    details::trim(&mut document, 1);
    crate::contract::assert_valid("Report", &document);
}
