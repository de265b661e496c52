//! Compares a stage's results with the first stage's, a bound or an analytic answer.

use crate::case::Expectation;
use std::collections::BTreeMap;

/// Errors in `results`; empty when they are right. `reference` is the first stage's output.
///
/// A result that is printed but not expected, or expected but not printed, is wrong too: otherwise a
/// comparison could silently compare nothing.
pub fn faults(
    results: &BTreeMap<String, f64>,
    reference: &BTreeMap<String, f64>,
    expectations: &BTreeMap<String, Expectation>,
) -> Vec<String> {
    let mut faults = Vec::new();
    for name in results.keys().filter(|name| !expectations.contains_key(*name)) {
        faults.push(format!("`{name}` is printed, but [compare] does not say how to compare it"));
    }
    for (name, expectation) in expectations {
        if expectation.ignore {
            continue;
        }
        let Some(&value) = results.get(name) else {
            faults.push(format!("`{name}` is not printed"));
            continue;
        };
        let Some(right) = expectation.value.or_else(|| reference.get(name).copied()).or(expectation.at_most)
        else {
            faults.push(format!("`{name}` is not printed by the first stage"));
            continue;
        };
        faults.extend(fault(name, value, right, expectation));
    }
    faults
}

fn fault(name: &str, value: f64, right: f64, expectation: &Expectation) -> Option<String> {
    let difference = (value - right).abs();
    // Written so that NaN is always wrong.
    let (good, allowed) = match *expectation {
        Expectation { at_most: Some(bound), .. } => (value <= bound, String::new()),
        Expectation { exact: true, .. } => (value.to_bits() == right.to_bits(), "exactly".to_owned()),
        Expectation { relative: Some(t), .. } => {
            (difference <= t * value.abs().max(right.abs()), format!("within {t:e} of it"))
        }
        Expectation { absolute: Some(t), .. } => (difference <= t, format!("within {t:e}")),
        _ => return None,
    };
    if let (false, Some(bound)) = (good, expectation.at_most) {
        return Some(format!("{name} = {value}, expected at most {bound}"));
    }
    (!good).then(|| format!("{name} = {value}, expected {right} {allowed}"))
}
