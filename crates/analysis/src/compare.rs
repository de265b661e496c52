//! Compares two analyses, across rebuilds too: source loops are matched by function, file, line and nest,
//! never by address.
//!
//! A source loop is the sum of its pieces (body, peel, remainder, versions) and of its inlined copies in one
//! function. Lines may have moved between the builds: what no exact match claims is paired within its function
//! and file, depth by depth, in source order.

use crate::model::{Analysis, LoopFacts};
use loopwright_binary::facts::LoopRole;
use loopwright_stats::sampled_ratio;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Changes smaller than this are never called faster or slower, however many samples there are: two runs
/// of one binary differ by as much (placement, frequency, neighbours).
const SMALLEST_CHANGE: f64 = 0.03;

/// A loop with fewer samples needs no word on where it went.
const NOTEWORTHY_SAMPLES: u64 = 20;

/// Two analyses side by side.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Comparison {
    /// Name of the first state.
    pub before: String,
    /// Name of the second state.
    pub after: String,
    /// Wall-clock seconds of the two runs.
    pub elapsed: (f64, f64),
    /// CPU seconds of the two runs.
    pub cpu: (f64, f64),
    /// Source loops by the larger of their two self times.
    pub loops: Vec<LoopChange>,
}

/// What became of a source loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Less self time, beyond what sampling scatters.
    Faster,
    /// More self time, beyond what sampling scatters.
    Slower,
    /// No difference that could be told from scatter.
    Same,
    /// Only in the second.
    Appeared,
    /// Only in the first.
    Vanished,
    /// Scalar before, vectorised after.
    NowVectorized,
    /// Vectorised before, scalar after.
    NoLongerVectorized,
}

/// One source loop in both.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LoopChange {
    /// Function.
    pub function: String,
    /// `file:line` in the newer of the two that has it.
    pub place: String,
    /// The piece with most self time before; `self_seconds`, `self_share` and `samples` are those of all pieces.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub before: Option<LoopFacts>,
    /// The same after.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub after: Option<LoopFacts>,
    /// Self time before / after (above 1 is faster); absent unless both were sampled.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub speedup: Option<f64>,
    /// Its 95 % interval from the numbers of samples.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub interval: Option<(f64, f64)>,
    /// What became of it.
    pub verdict: Verdict,
    /// Where the time of a loop that vanished may have gone.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub note: Option<String>,
}

/// Compares two analyses under the names of their states.
pub fn compare(before: (&str, &Analysis), after: (&str, &Analysis)) -> Comparison {
    let mut old = source_loops(before.1);
    let mut new = source_loops(after.1);
    let mut changes = Vec::new();
    let exact: Vec<Key> = old.keys().filter(|key| new.contains_key(key)).cloned().collect();
    for key in exact {
        changes.push(change(old.remove(&key), new.remove(&key)));
    }
    // What is left of one function, file and depth is paired in source order if both sides have as many;
    // otherwise nothing says which one was added or removed.
    let families: Vec<Family> = old.keys().map(Key::family).collect();
    for family in families {
        let of = |map: &BTreeMap<Key, LoopFacts>| -> Vec<Key> {
            map.keys().filter(|key| key.family() == family).cloned().collect()
        };
        let (left, right) = (of(&old), of(&new));
        if left.len() == right.len() {
            for (a, b) in left.into_iter().zip(right) {
                changes.push(change(old.remove(&a), new.remove(&b)));
            }
        }
    }
    // A function that was inlined in one build only: its loop stands at the same place in another function.
    let moved: Vec<(Key, Key)> = old
        .keys()
        .filter_map(|key| {
            let mut same = new.keys().filter(|other| key.line > 0 && key.position() == other.position());
            let found = same.next()?;
            same.next().is_none().then(|| (key.clone(), found.clone()))
        })
        .collect();
    for (a, b) in moved {
        if let Some(after) = new.remove(&b) {
            changes.push(change(old.remove(&a), Some(after)));
        }
    }
    changes.extend(old.into_values().map(|l| change(Some(l), None)));
    changes.extend(new.into_values().map(|l| change(None, Some(l))));
    for change in &mut changes {
        change.note = where_it_went(change, after.1);
    }
    let weight = |c: &LoopChange| {
        let seconds = |side: &Option<LoopFacts>| side.as_ref().map_or(0.0, |l| l.self_seconds);
        seconds(&c.before).max(seconds(&c.after))
    };
    changes.sort_by(|a, b| weight(b).total_cmp(&weight(a)).then_with(|| a.place.cmp(&b.place)));
    Comparison {
        before: before.0.to_owned(),
        after: after.0.to_owned(),
        elapsed: (before.1.program.elapsed_seconds, after.1.program.elapsed_seconds),
        cpu: (before.1.program.cpu_seconds, after.1.program.cpu_seconds),
        loops: changes,
    }
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    function: String,
    /// Base name: builds may live in different directories.
    file: String,
    inlined: Vec<String>,
    depth: u32,
    line: u32,
    column: u32,
    /// Tells apart what has no source position, in address order.
    ordinal: u32,
}

impl Key {
    /// File and line alone: what stays when a function is inlined.
    fn position(&self) -> (&str, u32) {
        (&self.file, self.line)
    }
}

type Family = (String, String, Vec<String>, u32);

impl Key {
    fn family(&self) -> Family {
        (self.function.clone(), self.file.clone(), self.inlined.clone(), self.depth)
    }
}

/// Source loops: pieces of a group added up, and groups at one position added up.
fn source_loops(analysis: &Analysis) -> BTreeMap<Key, LoopFacts> {
    let mut groups: BTreeMap<u32, Vec<&LoopFacts>> = BTreeMap::new();
    for l in &analysis.loops {
        groups.entry(l.group).or_default().push(l);
    }
    let mut loops: BTreeMap<Key, LoopFacts> = BTreeMap::new();
    let mut ordinals: BTreeMap<String, u32> = BTreeMap::new();
    for pieces in groups.into_values() {
        let main = pieces.iter().copied().max_by(|a, b| {
            let rank =
                |l: &LoopFacts| (l.self_seconds, l.role == LoopRole::Body || l.role == LoopRole::Whole);
            rank(a).partial_cmp(&rank(b)).unwrap_or(std::cmp::Ordering::Equal)
        });
        let Some(main) = main else { continue };
        let mut sum = main.clone();
        sum.self_seconds = pieces.iter().map(|l| l.self_seconds).sum();
        sum.self_share = pieces.iter().map(|l| l.self_share).sum();
        sum.samples = pieces.iter().map(|l| l.samples).sum();
        sum.vectorized = pieces.iter().any(|l| l.vectorized && l.role != LoopRole::Version);
        let function = undecorated(&main.function);
        let mut key = Key {
            file: main.file.as_deref().map(crate::join::base_name).unwrap_or_default(),
            inlined: main.inlined_from.iter().map(|frame| undecorated(&frame.function)).collect(),
            depth: main.depth,
            line: main.line.unwrap_or(0),
            column: main.column.unwrap_or(0),
            ordinal: 0,
            function,
        };
        if key.line == 0 {
            let ordinal = ordinals.entry(format!("{}/{}", main.module, key.function)).or_default();
            *ordinal += 1;
            key.ordinal = *ordinal;
        }
        loops
            .entry(key)
            .and_modify(|known| {
                known.self_seconds += sum.self_seconds;
                known.self_share += sum.self_share;
                known.samples += sum.samples;
                known.vectorized |= sum.vectorized;
            })
            .or_insert(sum);
    }
    loops
}

/// Suffixes that compilers add to clones (`.constprop.0`, `.isra.1`, `.part.2`, `._omp_fn.0`) come and go
/// between builds; the source function stays the same.
fn undecorated(function: &str) -> String {
    let cut = [".constprop.", ".isra.", ".part.", ".cold", ".llvm.", ".lto_priv."];
    let end = cut.iter().filter_map(|suffix| function.find(suffix)).min().unwrap_or(function.len());
    function[..end].to_owned()
}

fn change(before: Option<LoopFacts>, after: Option<LoopFacts>) -> LoopChange {
    let shown = after.as_ref().or(before.as_ref());
    let (function, place) = shown.map(|l| (l.function.clone(), l.place())).unwrap_or_default();
    let interval = before.as_ref().zip(after.as_ref()).and_then(|(before, after)| {
        sampled_ratio((before.self_seconds, before.samples), (after.self_seconds, after.samples))
    });
    let verdict = match (&before, &after) {
        (Some(before), Some(after)) if before.vectorized && !after.vectorized => Verdict::NoLongerVectorized,
        (Some(before), Some(after)) if !before.vectorized && after.vectorized => Verdict::NowVectorized,
        (Some(before), Some(after)) => match interval {
            Some(i) if i.excludes(1.0) && i.estimate > 1.0 + SMALLEST_CHANGE => Verdict::Faster,
            Some(i) if i.excludes(1.0) && i.estimate < 1.0 / (1.0 + SMALLEST_CHANGE) => Verdict::Slower,
            // One side without a sample: the other side's count says whether that is chance (Poisson:
            // five expected samples are all missed in fewer than 1 % of runs).
            None if before.samples >= 5 => Verdict::Faster,
            None if after.samples >= 5 => Verdict::Slower,
            _ => Verdict::Same,
        },
        (None, _) => Verdict::Appeared,
        (_, None) => Verdict::Vanished,
    };
    LoopChange {
        function,
        place,
        before,
        after,
        speedup: interval.map(|i| i.estimate),
        interval: interval.map(|i| (i.low, i.high)),
        verdict,
        note: None,
    }
}

/// A loop that is gone while its function still takes time has become straight-line code (unrolled completely, its
/// vectors in one pass) or part of another loop; without the function it was inlined, renamed or removed.
fn where_it_went(gone: &LoopChange, after: &Analysis) -> Option<String> {
    let before = gone.before.as_ref()?;
    if gone.verdict != Verdict::Vanished || before.samples < NOTEWORTHY_SAMPLES {
        return None;
    }
    let function = after.functions.iter().find(|f| undecorated(&f.function) == undecorated(&before.function));
    Some(match function {
        Some(function) if function.self_seconds > 0.0 => format!(
            "the loop at {} is no loop any more (unrolled completely, or vectors in one pass); {} takes {:.2} s now",
            gone.place, function.function, function.self_seconds
        ),
        _ => format!("the loop at {} is gone with its function (inlined, renamed or removed)", gone.place),
    })
}

#[cfg(test)]
mod tests;
