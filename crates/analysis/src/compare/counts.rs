//! Counts of a source loop or a program side by side: exact, so that a difference is a change and not scatter.

use super::undecorated;
use crate::model::{Analysis, LoopFacts, WorkRow};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Counts of a source loop: its pieces and inlined copies added up (own work).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct CountSums {
    /// Executed instructions.
    pub instructions: u64,
    /// Floating-point operations.
    pub flop: u64,
    /// Integer operations.
    pub int_ops: u64,
    /// Bytes loaded and stored.
    pub bytes: u64,
    /// Source iterations.
    pub iterations: u64,
    /// Entries of the source loop, where they are exact.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entries: Option<u64>,
    /// Executed packed share of the FLOP, of the integer operations where there are no FLOP.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub packed_share: Option<f64>,
}

/// What was counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Counted {
    /// Executed instructions.
    Instructions,
    /// Floating-point operations.
    Flop,
    /// Integer operations.
    IntegerOperations,
    /// Bytes loaded and stored.
    Bytes,
    /// Source iterations.
    Iterations,
    /// Entries of the source loop.
    Entries,
}

impl Counted {
    /// As in `12 % more instructions`.
    pub fn words(self) -> &'static str {
        match self {
            Self::Instructions => "instructions",
            Self::Flop => "floating-point operations",
            Self::IntegerOperations => "integer operations",
            Self::Bytes => "bytes loaded and stored",
            Self::Iterations => "iterations",
            Self::Entries => "entries",
        }
    }
}

/// A count in both states.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CountChange {
    /// What was counted.
    pub what: Counted,
    /// In the first state.
    pub before: u64,
    /// In the second.
    pub after: u64,
}

impl CountChange {
    /// After / before - 1; absent when there was nothing before.
    pub fn relative(&self) -> Option<f64> {
        (self.before > 0).then(|| self.after as f64 / self.before as f64 - 1.0)
    }

    /// What there is more of it.
    pub fn rise(&self) -> u64 {
        self.after.saturating_sub(self.before)
    }

    /// `12 % more instructions (1,000,000 -> 1,120,000) than in base`.
    pub fn against(&self, before: &str) -> String {
        let words = self.what.words();
        let numbers = format!("({} -> {})", grouped(self.before), grouped(self.after));
        match self.relative() {
            Some(change) if change > 0.995 => {
                format!("{} times as many {words} {numbers} as in {before}", significant(1.0 + change))
            }
            Some(change) if change >= 0.0 => {
                format!("{} % more {words} {numbers} than in {before}", significant(100.0 * change))
            }
            Some(change) => {
                format!("{} % fewer {words} {numbers} than in {before}", significant(-100.0 * change))
            }
            None => format!("{} {words}, none in {before}", grouped(self.after)),
        }
    }
}

/// Two or three digits that matter: 0.12, 1.2, 12, 123.
fn significant(value: f64) -> String {
    match value {
        v if v >= 9.95 => format!("{v:.0}"),
        v if v >= 0.995 => format!("{v:.1}"),
        v => format!("{v:.2}"),
    }
}

fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

impl CountSums {
    /// Adds the pieces of one source loop up; absent when none was counted.
    pub(super) fn of_pieces(pieces: &[&LoopFacts]) -> Option<Self> {
        let mut sum: Option<Self> = None;
        for piece in pieces {
            if let Some(work) = &piece.work {
                sum = Some(Self::added(sum, Self::of_work(work)));
            }
        }
        let mut sum = sum?;
        let trips = pieces.iter().find_map(|piece| piece.trip_count.as_ref());
        sum.iterations = trips.and_then(|trips| trips.group_iterations).unwrap_or(0);
        sum.entries = trips.and_then(|trips| trips.source_entries);
        Some(sum)
    }

    fn of_work(work: &WorkRow) -> Self {
        Self {
            instructions: work.instructions,
            flop: work.flop,
            int_ops: work.int_ops,
            bytes: work.bytes(),
            packed_share: work.executed_packed_share(),
            ..Self::default()
        }
    }

    /// The sum of one kind; 0 for iterations and entries, which have no sum that means something for more than a loop.
    pub(super) fn of(&self, what: Counted) -> u64 {
        match what {
            Counted::Instructions => self.instructions,
            Counted::Flop => self.flop,
            Counted::IntegerOperations => self.int_ops,
            Counted::Bytes => self.bytes,
            Counted::Iterations | Counted::Entries => 0,
        }
    }

    /// The operations that `packed_share` is a share of.
    fn operations(&self) -> u64 {
        if self.flop > 0 { self.flop } else { self.int_ops }
    }

    /// Both added up.
    pub(super) fn added(a: Option<Self>, b: Self) -> Self {
        let Some(a) = a else { return b };
        // The share of the kind that decides in the sum: pieces without FLOP do not count where others have them.
        let flop = a.flop.saturating_add(b.flop);
        let of = |side: &Self| {
            let decides = flop == 0 || side.flop > 0;
            side.packed_share.filter(|_| decides).map(|share| (share, side.operations() as f64))
        };
        let parts: Vec<(f64, f64)> = [of(&a), of(&b)].into_iter().flatten().collect();
        let whole: f64 = parts.iter().map(|part| part.1).sum();
        Self {
            instructions: a.instructions.saturating_add(b.instructions),
            flop,
            int_ops: a.int_ops.saturating_add(b.int_ops),
            bytes: a.bytes.saturating_add(b.bytes),
            iterations: a.iterations.saturating_add(b.iterations),
            entries: a.entries.zip(b.entries).map(|(a, b)| a.saturating_add(b)),
            packed_share: (whole > 0.0)
                .then(|| parts.iter().map(|(share, n)| share * n).sum::<f64>() / whole),
        }
    }

    /// Every count that is in both, changed or not.
    pub fn changes(before: &Self, after: &Self) -> Vec<CountChange> {
        let both = |what, before, after| Some(CountChange { what, before, after });
        [
            both(Counted::Instructions, before.instructions, after.instructions),
            both(Counted::Flop, before.flop, after.flop),
            both(Counted::IntegerOperations, before.int_ops, after.int_ops),
            both(Counted::Bytes, before.bytes, after.bytes),
            // 0: not certain.
            (before.iterations > 0 && after.iterations > 0)
                .then(|| both(Counted::Iterations, before.iterations, after.iterations))
                .flatten(),
            before.entries.zip(after.entries).and_then(|(b, a)| both(Counted::Entries, b, a)),
        ]
        .into_iter()
        .flatten()
        .filter(|change| change.before > 0 || change.after > 0)
        .collect()
    }
}

/// Runtimes whose threads spin while they wait: how often is chance, so their counts are no regressions.
const WAITING: [&str; 12] = [
    "libgomp",
    "libomp",
    "libiomp5",
    "libpthread",
    "ld-linux",
    "libmpi",
    "libopen-pal",
    "libucp",
    "libuct",
    "libfabric",
    "libpmix",
    "libtbb",
];

/// A runtime whose threads wait for each other: the module's counts and times differ from run to run of one program.
pub fn waits(module: &str) -> bool {
    WAITING.iter().any(|runtime| module.starts_with(runtime))
}

/// Everything counted in modules that do not wait; absent without counts.
pub(super) fn program(analysis: &Analysis) -> Option<CountSums> {
    analysis.counts.as_ref()?;
    let counted = analysis.functions.iter().filter(|function| !waits(&function.module));
    counted
        .filter_map(|function| function.work.as_ref())
        .map(CountSums::of_work)
        .fold(None, |sum, work| Some(CountSums::added(sum, work)))
}

/// Counts of the functions by undecorated name and module: clones of one source function added up.
pub(super) fn functions(analysis: &Analysis) -> BTreeMap<(String, String), CountSums> {
    let mut functions: BTreeMap<(String, String), CountSums> = BTreeMap::new();
    for function in analysis.functions.iter().filter(|function| !waits(&function.module)) {
        let Some(work) = &function.work else { continue };
        let key = (undecorated(&function.function), function.module.clone());
        let sum = CountSums::added(functions.remove(&key), CountSums::of_work(work));
        functions.insert(key, sum);
    }
    functions
}
