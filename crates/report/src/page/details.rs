//! What the page leaves out when there is too much: facts about cold loops that only someone who studies one loop reads.
//!
//! A page of 20,000 counted loops would take ten megabytes, nine of them for loops that readers rarely open. Time, place, vectors,
//! reasons, trip counts, sums of work and the place under the roofs stay for every loop.

use serde_json::{Value, json};

/// Keys of a loop that are left out.
const KEYS: [&str; 6] = ["total_work", "by_thread", "serial_share", "chains", "strides", "compilers"];
/// Keys within its facts that are emptied.
const INNER: [(&str, &str); 3] = [("work", "mix"), ("trip_count", "histogram"), ("roofline", "roofs")];

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
        for (facts, key) in INNER {
            if let Some(inner) = each.get_mut(facts).and_then(|facts| facts.get_mut(key)) {
                *inner = if inner.is_array() { json!([]) } else { json!({}) };
            }
        }
    }
    document["detailed_loops"] = json!(hottest);
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cold_loops_keep_what_tables_show() {
        let each = json!({
            "id": 1, "self_seconds": 2, "serial_share": 0.5, "chains": [1], "total_work": {"flop": 1},
            "work": {"flop": 1, "mix": {"load": 3}}, "trip_count": {"histogram": [[1, 2, 3]], "mean": 2}
        });
        let mut document = json!({"analysis": {"loops": [each, each]}});
        assert!(!trim(&mut document, 2) && document.get("detailed_loops").is_none());
        assert!(trim(&mut document, 1));
        assert_eq!(document["detailed_loops"], 1);
        assert_eq!(document["analysis"]["loops"][0], each);
        let cold = json!({
            "id": 1, "self_seconds": 2, "work": {"flop": 1, "mix": {}}, "trip_count": {"histogram": [], "mean": 2}
        });
        assert_eq!(document["analysis"]["loops"][1], cold);
        assert!(!trim(&mut json!({}), 0));
    }
}
