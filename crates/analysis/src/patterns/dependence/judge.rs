//! The verdict, with what was checked: "none seen" must not read as "none exist".

use crate::model::{DependenceEnd, DependenceFacts, FoundDependence, ParallelVerdict, VectorVerdict};

/// The reason when no two iterations could be compared with each other.
pub(super) const NOTHING_CHECKED: &str = "no entry ran more than one iteration while it was traced";

/// Fills in the verdicts and the sentence.
pub(super) fn judge(facts: &mut DependenceFacts) {
    let nothing_checked = facts.horizon <= 1;
    if nothing_checked {
        facts.unknown.insert(0, NOTHING_CHECKED.to_owned());
    }
    let limits = facts.found.iter().filter(|found| found.limits_vectors);
    let nearest = limits.map(|found| found.distance).min();
    let carried = facts.found.iter().any(|found| !found.privatisable) || !facts.early_exits.is_empty();
    // A distance that the data makes is that of this run: with other data it is shorter.
    let varies = facts.found.iter().any(|found| found.limits_vectors && !found.constant_distance);
    facts.max_length = None;
    facts.vector = match nearest {
        Some(distance) if distance < 2 || varies => VectorVerdict::Unsafe,
        _ if !facts.early_exits.is_empty() => VectorVerdict::Unsafe,
        _ if !facts.unknown.is_empty() => VectorVerdict::Unknown,
        Some(distance) => {
            facts.max_length = Some(distance);
            VectorVerdict::SafeUpTo
        }
        None if facts.reductions.is_empty() => VectorVerdict::Safe,
        None => VectorVerdict::SafeWithReductions,
    };
    facts.parallel = if carried {
        ParallelVerdict::Dependent
    } else if !facts.unknown.is_empty() {
        ParallelVerdict::Unknown
    } else if facts.reductions.is_empty() && facts.private.is_empty() {
        ParallelVerdict::Independent
    } else {
        ParallelVerdict::WithClauses
    };
    facts.verdict = sentence(facts, nothing_checked);
}

fn sentence(facts: &DependenceFacts, nothing_checked: bool) -> String {
    let head = match facts.vector {
        VectorVerdict::Unsafe => {
            let limits = || facts.found.iter().filter(|f| f.limits_vectors);
            match (limits().min_by_key(|f| f.distance), facts.early_exits.first()) {
                (Some(worst), _) if worst.distance >= 2 && limits().any(|f| !f.constant_distance) => {
                    format!(
                        "{}; the data makes this distance, so that it is that of this run only and no length is safe",
                        name(worst)
                    )
                }
                (Some(worst), _) => name(worst),
                (None, Some(exit)) => leaves(exit),
                (None, None) => "a carried dependence".to_owned(),
            }
        }
        VectorVerdict::SafeUpTo => {
            let worst = facts.found.iter().filter(|f| f.limits_vectors).min_by_key(|f| f.distance);
            let length = facts.max_length.unwrap_or(0);
            format!("vectors of up to {length}: {}", worst.map(name).unwrap_or_default())
        }
        VectorVerdict::Unknown => match facts.unknown.first() {
            Some(reason) => {
                format!("not known, since {reason}; no carried dependence that forbids vectors was seen")
            }
            None => "not known".to_owned(),
        },
        VectorVerdict::Safe | VectorVerdict::SafeWithReductions => {
            let others = facts.found.iter().find(|f| !f.privatisable);
            let but = match (others, facts.reductions.as_slice()) {
                (Some(forward), _) => {
                    format!("no carried dependence that forbids vectors ({})", name(forward))
                }
                (None, []) => "no carried dependence".to_owned(),
                (None, [one]) => format!("no carried dependence but the reduction {}", one.name),
                (None, many) => format!("no carried dependence but {} reductions", many.len()),
            };
            if facts.private.is_empty() { but } else { format!("{but} and scalars that can be private") }
        }
    };
    let iterations = if facts.checked_iterations == facts.checked_machine_iterations {
        count(facts.checked_iterations, "iteration")
    } else {
        count(facts.checked_machine_iterations, "machine iteration")
    };
    let entries = count(facts.checked_entries, if facts.checked_entries == 1 { "entry" } else { "entrie" });
    let reach = if nothing_checked {
        ""
    } else if facts.exhaustive {
        "; all of this run was checked, another input may show others"
    } else {
        ""
    };
    let bursts = if facts.exhaustive || nothing_checked {
        String::new()
    } else {
        format!(
            "; bursts, so longer distances than {} or other inputs may show some: --exhaustive checks all of this run",
            grouped(facts.horizon)
        )
    };
    format!("{head} in {} of {entries}{reach}{bursts}", iterations.replacen(' ', " checked ", 1))
}

/// The loop ends where its data says so.
fn leaves(exit: &DependenceEnd) -> String {
    let at = exit.line.map_or_else(String::new, |line| format!(" at line {line}"));
    format!("its data decides{at} whether it goes on, so that each iteration depends on the ones before it")
}

fn name(found: &FoundDependence) -> String {
    let through = if found.memory { "memory" } else { "a register" };
    let place = match (found.source.line, found.sink.line) {
        (Some(a), Some(b)) if a == b => format!(", line {a}"),
        (Some(a), Some(b)) => format!(", line {a} to line {b}"),
        _ => String::new(),
    };
    let kind = match found.kind {
        loopwright_patterns::facts::DependenceKind::Flow => "RAW",
        loopwright_patterns::facts::DependenceKind::Anti => "WAR",
        loopwright_patterns::facts::DependenceKind::Output => "WAW",
    };
    format!("{kind} of distance {} through {through}{place}", grouped(found.distance))
}

/// `1 iteration`, `12,800 iterations`.
fn count(n: u64, what: &str) -> String {
    let s = if n == 1 { "" } else { "s" };
    format!("{} {what}{s}", grouped(n))
}

/// Digits in groups of three.
pub(super) fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (k, digit) in digits.chars().enumerate() {
        if k > 0 && (digits.len() - k).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_grouped() {
        assert_eq!(
            [0, 999, 1000, 12_800, 1_234_567].map(grouped),
            ["0", "999", "1,000", "12,800", "1,234,567"]
        );
    }
}
