//! What the page leaves out when there is too much: facts about cold loops that only someone who studies one loop reads.
//!
//! A page of 20,000 counted loops would take ten megabytes, nine of them for loops that readers rarely open. Time, place, vectors,
//! reasons, trip counts, sums of work and the place under the roofs stay for every loop.

use serde_json::{Value, json};

/// Keys of a loop that are left out.
const KEYS: [&str; 6] = ["total_work", "by_thread", "serial_share", "chains", "strides", "compilers"];
/// Keys that are emptied.
const EMPTIED: [&str; 1] = ["instruction_mix"];
/// Keys within its facts that are emptied.
const INNER: [(&str, &str); 3] = [("work", "mix"), ("trip_count", "histogram"), ("roofline", "roofs")];

/// Loops and functions with a smaller part of the run's energy have no entry of their own; no table of energies shows them. Theirs is
/// their share of the self time, which stays.
const SMALLEST_ENERGY: f64 = 0.005;

/// Leaves out the energies of cold loops and functions. False when nothing was left out.
pub(super) fn trim_energies(document: &mut Value) -> bool {
    let Some(energy) = document.pointer_mut("/analysis/energy").and_then(Value::as_object_mut) else {
        return false;
    };
    let whole = energy.get("run").and_then(|run| run["joules"].as_f64()).unwrap_or_default();
    let is_worth = |each: &Value| each["joules"].as_f64().is_some_and(|own| own >= SMALLEST_ENERGY * whole);
    let mut fewer = false;
    for key in ["loops", "functions"] {
        if let Some(entries) = energy.get_mut(key).and_then(Value::as_array_mut) {
            let before = entries.len();
            entries.retain(is_worth);
            fewer |= entries.len() < before;
        }
    }
    fewer
}

/// Leaves details to the first `hottest` loops, and says so in the document. False when nothing was left out.
pub(super) fn trim(document: &mut Value, hottest: usize) -> bool {
    let Some(loops) = document.pointer_mut("/analysis/loops").and_then(Value::as_array_mut) else {
        return false;
    };
    if loops.len() <= hottest {
        return false;
    }
    for each in loops.iter_mut().skip(hottest).filter_map(Value::as_object_mut) {
        each.retain(|key, _| !KEYS.contains(&key.as_str()));
        for key in EMPTIED {
            each.get_mut(key).map(empty);
        }
        for (facts, key) in INNER {
            each.get_mut(facts).and_then(|facts| facts.get_mut(key)).map(empty);
        }
    }
    document["detailed_loops"] = json!(hottest);
    true
}

fn empty(value: &mut Value) {
    *value = if value.is_array() { json!([]) } else { json!({}) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cold_loops_keep_what_tables_show() {
        let each = json!({
            "id": 1, "self_seconds": 2, "serial_share": 0.5, "chains": [1], "instruction_mix": {"load": 1}, "total_work": {"flop": 1},
            "work": {"flop": 1, "mix": {"load": 3}}, "trip_count": {"histogram": [[1, 2, 3]], "mean": 2}
        });
        let mut document = json!({"analysis": {"loops": [each, each]}});
        assert!(!trim(&mut document, 2) && document.get("detailed_loops").is_none());
        assert!(trim(&mut document, 1));
        assert_eq!(document["detailed_loops"], 1);
        assert_eq!(document["analysis"]["loops"][0], each);
        let cold = json!({
            "id": 1, "self_seconds": 2, "instruction_mix": {}, "work": {"flop": 1, "mix": {}}, "trip_count": {"histogram": [], "mean": 2}
        });
        assert_eq!(document["analysis"]["loops"][1], cold);
        assert!(!trim(&mut json!({}), 0));
    }

    #[test]
    fn energies_that_no_table_shows_are_left_out() {
        let of = |joules: f64| json!({"id": 1, "joules": joules});
        let mut document = json!({"analysis": {"energy": {
            "run": {"joules": 200}, "loops": [of(120.0), of(1.0), of(0.99), of(0.0)], "functions": [of(0.5)]
        }}});
        assert!(trim_energies(&mut document));
        assert_eq!(document["analysis"]["energy"]["loops"], json!([of(120.0), of(1.0)]));
        assert_eq!(document["analysis"]["energy"]["functions"], json!([]));
        assert!(!trim_energies(&mut document), "once is enough");
        assert!(!trim_energies(&mut json!({"analysis": {}})));
    }
}
