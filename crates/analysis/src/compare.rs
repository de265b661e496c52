//! Compares two analyses, across rebuilds too: source loops are matched by function, file, line and nest,
//! never by address.
//!
//! Times scatter and are compared with their intervals; counts are exact and compared as they are ([`counts`]). What of
//! it is a regression that fails a build is decided in [`check`].
//!
//! A source loop is the sum of its pieces (body, peel, remainder, versions) and of its inlined copies in one
//! function. Lines may have moved between the builds: what no exact match claims is paired within its function
//! and file, depth by depth, in source order.

pub mod check;
pub mod counts;

use crate::model::{Analysis, CountingFacts, LoopFacts};
pub use counts::{CountChange, CountSums, Counted};
use loopwright_binary::facts::LoopRole;
use loopwright_stats::sampled_ratio;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Changes smaller than this are never called faster or slower, however many samples there are: two runs
/// of one binary differ by as much (placement, frequency, neighbours).
pub const SMALLEST_CHANGE: f64 = 0.03;

/// A loop with fewer samples needs no word on where it went.
const NOTEWORTHY_SAMPLES: u64 = 20;

/// Two analyses side by side.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Comparison {
    /// Name of the first state.
    pub before: String,
    /// Name of the second state.
    pub after: String,
    /// Wall-clock seconds of the two runs.
    pub elapsed: (f64, f64),
    /// CPU seconds of the two runs.
    pub cpu: (f64, f64),
    /// Everything counted in the first state, runtimes that wait for other threads left out.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub before_counts: Option<CountSums>,
    /// The same in the second.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub after_counts: Option<CountSums>,
    /// The program's counts side by side; empty unless both states have counts.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub counted: Vec<CountChange>,
    /// The two states ran different commands.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub other_command: bool,
    /// A counting run was cut short, or one of them counted other modules: totals are not comparable.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub partial: bool,
    /// Source loops by the larger of their two self times, then of their instructions.
    pub loops: Vec<LoopChange>,
    /// Counted functions that have other loops than before, or exist in one state only.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub functions: Vec<FunctionChange>,
    /// The time by which the program is judged faster or slower, and why.
    #[serde(default)]
    pub judged: Judged,
}

/// The counts of a function whose loops cannot be compared one by one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FunctionChange {
    /// Name, without what compilers add for clones.
    pub function: String,
    /// Base name of its module.
    pub module: String,
    /// Counts in the first state.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub before_counts: Option<CountSums>,
    /// The same in the second.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub after_counts: Option<CountSums>,
}

/// The one of the program's times by which it is judged faster or slower.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Judged {
    /// The time.
    pub by: JudgedBy,
    /// Why, where it is not the elapsed time.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub because: Option<String>,
}

/// A time of the program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum JudgedBy {
    /// Elapsed time: what a user waits for.
    #[default]
    Elapsed,
    /// CPU time: other programs used the machine, which made the elapsed time longer.
    Cpu,
}

/// What became of a source loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Less self time, beyond what sampling scatters.
    Faster,
    /// More self time, beyond what sampling scatters.
    Slower,
    /// No difference beyond scatter.
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
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct LoopChange {
    /// Function that holds the code; `before` and `after` say in which function the loop is written.
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
    /// Counts of all its pieces before.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub before_counts: Option<CountSums>,
    /// The same after.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub after_counts: Option<CountSums>,
    /// Its counts side by side; empty unless it was counted in both.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub counted: Vec<CountChange>,
    /// Where the time of a loop that vanished may have gone.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub note: Option<String>,
}

impl LoopChange {
    /// The function that a reader of the source looks for: that in which the loop is written.
    pub fn name(&self) -> &str {
        self.after.as_ref().or(self.before.as_ref()).map_or(self.function.as_str(), LoopFacts::name)
    }
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
        let of = |map: &BTreeMap<Key, Source>| -> Vec<Key> {
            map.keys().filter(|key| key.family() == family).cloned().collect()
        };
        let (left, right) = (of(&old), of(&new));
        if left.len() == right.len() {
            for (a, b) in left.into_iter().zip(right) {
                changes.push(change(old.remove(&a), new.remove(&b)));
            }
        }
    }
    // A function that was inlined in one build only: its loop is at the same place in another function.
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
    let timed = before.1.program.samples > 0 && after.1.program.samples > 0;
    for change in &mut changes {
        // Where one side has counts alone, no sample there is no time saved.
        if !timed && matches!(change.verdict, Verdict::Faster | Verdict::Slower) {
            change.verdict = Verdict::Same;
        }
        change.note = where_it_went(change, after.1);
    }
    let weight = |c: &LoopChange| {
        let seconds = |side: &Option<LoopFacts>| side.as_ref().map_or(0.0, |l| l.self_seconds);
        seconds(&c.before).max(seconds(&c.after))
    };
    let instructions = |c: &LoopChange| {
        [&c.before_counts, &c.after_counts].into_iter().flatten().map(|counts| counts.instructions).max()
    };
    changes.sort_by(|a, b| {
        (weight(b).total_cmp(&weight(a)))
            .then_with(|| instructions(b).cmp(&instructions(a)))
            .then_with(|| a.place.cmp(&b.place))
    });
    let (before_counts, after_counts) = (counts::program(before.1), counts::program(after.1));
    let counted = match (&before_counts, &after_counts) {
        (Some(before), Some(after)) => CountSums::changes(before, after),
        _ => Vec::new(),
    };
    Comparison {
        before: before.0.to_owned(),
        after: after.0.to_owned(),
        elapsed: (before.1.program.elapsed_seconds, after.1.program.elapsed_seconds),
        cpu: (before.1.program.cpu_seconds, after.1.program.cpu_seconds),
        before_counts,
        after_counts,
        counted,
        other_command: before.1.program.command != after.1.program.command,
        partial: partial(before.1, after.1),
        functions: changed_functions(before.1, after.1, &changes),
        judged: judged(before, after),
        loops: changes,
    }
}

/// Counted functions of which a loop is in one state only, and functions that are.
fn changed_functions(before: &Analysis, after: &Analysis, changes: &[LoopChange]) -> Vec<FunctionChange> {
    let (mut old, mut new) = (counts::functions(before), counts::functions(after));
    let made_anew: BTreeSet<(String, String)> = changes
        .iter()
        .filter(|change| change.before.is_none() || change.after.is_none())
        .flat_map(|change| [&change.before, &change.after])
        .flatten()
        .map(|side| (undecorated(&side.function), side.module.clone()))
        .collect();
    let in_part = |module: &String| {
        let counts = before.counts.iter().chain(&after.counts);
        counts.into_iter().any(|counts| counts.modules_in_part.contains(module))
    };
    let keys: BTreeSet<(String, String)> = old.keys().chain(new.keys()).cloned().collect();
    keys.into_iter()
        // Where functions are chosen, one without counts may have run all the same.
        .filter(|key| !in_part(&key.1) || old.contains_key(key) && new.contains_key(key))
        .filter(|key| made_anew.contains(key) || !old.contains_key(key) || !new.contains_key(key))
        .collect::<Vec<_>>()
        .into_iter()
        .map(|key| FunctionChange {
            before_counts: old.remove(&key),
            after_counts: new.remove(&key),
            function: key.0,
            module: key.1,
        })
        .collect()
}

/// Elapsed time judges, unless one of the runs shared the machine with others.
fn judged(before: (&str, &Analysis), after: (&str, &Analysis)) -> Judged {
    let disturbed: Vec<String> = [before, after]
        .into_iter()
        .filter_map(|(name, analysis)| {
            let load = analysis.program.load.as_ref().filter(|load| load.busy)?;
            Some(format!("{name}: {}", load.words().join(", ")))
        })
        .collect();
    if disturbed.is_empty() {
        return Judged::default();
    }
    Judged { by: JudgedBy::Cpu, because: Some(format!("the machine was busy ({})", disturbed.join("; "))) }
}

/// Totals of the program say nothing when a run ended early, or the two did not count the same modules as a whole.
fn partial(before: &Analysis, after: &Analysis) -> bool {
    let (Some(old), Some(new)) = (&before.counts, &after.counts) else { return false };
    let modules = |analysis: &Analysis| -> BTreeSet<String> {
        let counted = analysis.functions.iter().filter(|f| f.work.is_some() && !counts::waits(&f.module));
        counted.map(|f| f.module.clone()).collect()
    };
    let in_part = |counts: &CountingFacts| counts.interrupted || !counts.modules_in_part.is_empty();
    in_part(old) || in_part(new) || modules(before) != modules(after)
}

/// A source loop: its facts summed into its main piece, and its counts.
struct Source {
    facts: LoopFacts,
    counts: Option<CountSums>,
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
    /// Distinguishes loops without a source position, in address order.
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
fn source_loops(analysis: &Analysis) -> BTreeMap<Key, Source> {
    let mut groups: BTreeMap<u32, Vec<&LoopFacts>> = BTreeMap::new();
    for l in &analysis.loops {
        groups.entry(l.group).or_default().push(l);
    }
    let mut loops: BTreeMap<Key, Source> = BTreeMap::new();
    let mut ordinals: BTreeMap<String, u32> = BTreeMap::new();
    for pieces in groups.into_values() {
        let main = pieces.iter().copied().max_by(|a, b| {
            let rank = |l: &LoopFacts| {
                let work = l.work.as_ref().map_or(0, |work| work.instructions);
                (l.self_seconds, l.role == LoopRole::Body || l.role == LoopRole::Whole, work)
            };
            rank(a).partial_cmp(&rank(b)).unwrap_or(std::cmp::Ordering::Equal)
        });
        let Some(main) = main else { continue };
        let mut sum = main.clone();
        sum.self_seconds = pieces.iter().map(|l| l.self_seconds).sum();
        sum.self_share = pieces.iter().map(|l| l.self_share).sum();
        sum.samples = pieces.iter().map(|l| l.samples).sum();
        sum.vectorized = pieces.iter().any(|l| l.vectorized && l.role != LoopRole::Version);
        let mut counts = CountSums::of_pieces(&pieces);
        let function = undecorated(&main.function);
        let mut key = Key {
            file: main.file.as_deref().map(crate::place::base_name).unwrap_or_default().to_owned(),
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
                known.facts.self_seconds += sum.self_seconds;
                known.facts.self_share += sum.self_share;
                known.facts.samples += sum.samples;
                known.facts.vectorized |= sum.vectorized;
                if let Some(counts) = counts.take() {
                    known.counts = Some(CountSums::added(known.counts.take(), counts));
                }
            })
            .or_insert_with(|| Source { facts: sum, counts });
    }
    loops
}

/// Suffixes that compilers add to clones (`.constprop.0`, `.isra.1`, `.part.2`, `._omp_fn.0`) come and go
/// between builds; the source function stays the same.
pub fn undecorated(function: &str) -> String {
    let cut = [".constprop.", ".isra.", ".part.", ".cold", ".llvm.", ".lto_priv."];
    let end = cut.iter().filter_map(|suffix| function.find(suffix)).min().unwrap_or(function.len());
    function[..end].to_owned()
}

/// Whether most of the arithmetic is packed: as executed where both were counted, else as the code is.
fn vectorized(before: &Source, after: &Source) -> (bool, bool) {
    let executed = |source: &Source| source.counts.as_ref().and_then(|counts| counts.packed_share);
    match (executed(before), executed(after)) {
        (Some(before), Some(after)) => (before >= 0.5, after >= 0.5),
        _ => (before.facts.vectorized, after.facts.vectorized),
    }
}

fn change(before: Option<Source>, after: Option<Source>) -> LoopChange {
    let vectorized = before.as_ref().zip(after.as_ref()).map(|(before, after)| vectorized(before, after));
    let split =
        |side: Option<Source>| side.map_or((None, None), |source| (Some(source.facts), source.counts));
    let ((before, before_counts), (after, after_counts)) = (split(before), split(after));
    let counted = match (&before_counts, &after_counts) {
        (Some(before), Some(after)) => CountSums::changes(before, after),
        _ => Vec::new(),
    };
    let shown = after.as_ref().or(before.as_ref());
    let (function, place) = shown.map(|l| (l.function.clone(), l.place())).unwrap_or_default();
    let interval = before.as_ref().zip(after.as_ref()).and_then(|(before, after)| {
        sampled_ratio((before.self_seconds, before.samples), (after.self_seconds, after.samples))
    });
    let verdict = match (&before, &after) {
        _ if vectorized == Some((true, false)) => Verdict::NoLongerVectorized,
        _ if vectorized == Some((false, true)) => Verdict::NowVectorized,
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
        before_counts,
        after_counts,
        counted,
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
