//! What the code says of source iterations: how much of the work of each place in the source a machine loop does in one
//! iteration.
//!
//! A place is a line and column of one inlined copy. An operator that is executed once in each source iteration does the
//! work of `factor` elements in each machine iteration. Some evidence is better than other: compilers neither add nor take
//! away floating-point arithmetic and stores; integer additions may be addresses in disguise; loads are shared between
//! iterations, and of strided data more is loaded than used.

use loopwright_binary::facts::{CarriedKind, ChainKind, FunctionCode, LoopCode, SourceKind, SourceOperation};
use std::collections::{BTreeMap, BTreeSet};

/// How far evidence is believed, best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Tier {
    /// Floating-point arithmetic.
    Arithmetic,
    /// Stores.
    Stores,
    /// Integer arithmetic.
    Integers,
    /// Loads.
    Loads,
}

impl Tier {
    pub const ALL: [Self; 4] = [Self::Arithmetic, Self::Stores, Self::Integers, Self::Loads];
}

/// An operator of the source: place and kind.
pub(super) type Key = (u32, SourceKind);

/// The work of one operator in one iteration of a machine loop.
#[derive(Clone, Debug, Default)]
pub(super) struct Amount {
    /// Elements; of loads and stores bytes.
    pub amount: u64,
    /// Instructions.
    pub instructions: u64,
    /// Some instruction works on several elements.
    pub packed: bool,
    pub floating: bool,
    /// Some instruction does not run in each iteration, or not with all lanes.
    pub conditional: bool,
    /// Some instruction runs under a mask.
    pub masked: bool,
    /// Some instruction accumulates: outside of the loop such ones add up lanes.
    pub accumulates: bool,
}

impl Amount {
    pub fn tier(&self, kind: SourceKind) -> Tier {
        match kind {
            SourceKind::Store => Tier::Stores,
            SourceKind::Load => Tier::Loads,
            _ if self.floating => Tier::Arithmetic,
            _ => Tier::Integers,
        }
    }
}

/// The operators of one machine loop.
pub(super) type Amounts = BTreeMap<Key, Amount>;

/// The operators of a loop's own code.
pub(super) fn amounts(function: &FunctionCode, code: &LoopCode) -> Amounts {
    let accumulating = accumulating(code);
    let stepping = stepping(function, code);
    let mut amounts = Amounts::new();
    for operation in function.operations.iter().filter(|o| o.in_loop == Some(code.index)) {
        // Vectors of induction variables are stepped once, however many of them the body works on.
        if stepping.contains(&operation.address) {
            continue;
        }
        let entry = amounts.entry((operation.place, operation.kind)).or_default();
        entry.amount += u64::from(operation.amount);
        entry.instructions += 1;
        entry.packed |= operation.packed;
        entry.floating |= operation.floating;
        entry.conditional |= !operation.always || operation.masked;
        entry.masked |= operation.masked;
        entry.accumulates |= accumulating.contains(&operation.address);
    }
    amounts
}

/// Instructions that accumulate.
fn accumulating(code: &LoopCode) -> BTreeSet<u64> {
    let chains = code.chains.iter().filter(|chain| {
        matches!(chain.kind, ChainKind::InOrderSum | ChainKind::VectorReduction | ChainKind::IntegerReduction)
    });
    let values = code.carried.iter().flatten().filter(|value| value.kind == CarriedKind::Reduction);
    let values = values.flat_map(|value| value.writers.iter().chain(&value.readers));
    chains.flat_map(|chain| &chain.instructions).chain(values).copied().collect()
}

/// Integer instructions that advance induction variables, and those at the loop statement's own place.
fn stepping(function: &FunctionCode, code: &LoopCode) -> BTreeSet<u64> {
    let chains = code.chains.iter().filter(|chain| chain.kind == ChainKind::Induction);
    let values = code.carried.iter().flatten().filter(|value| value.kind == CarriedKind::Induction);
    let mut stepping: BTreeSet<u64> = chains.flat_map(|chain| &chain.instructions).copied().collect();
    stepping.extend(values.flat_map(|value| &value.writers));
    let integers: Vec<&SourceOperation> = (function.operations.iter())
        .filter(|o| o.in_loop == Some(code.index) && !o.floating)
        .filter(|o| !matches!(o.kind, SourceKind::Load | SourceKind::Store))
        .collect();
    let places: BTreeSet<u32> =
        integers.iter().filter(|o| stepping.contains(&o.address)).map(|o| o.place).collect();
    // Other copies of a stepping instruction step, too: a vector's second half.
    integers.iter().filter(|o| places.contains(&o.place)).map(|o| o.address).collect()
}

/// Bytes of one element that a place stores, or loads: what its scalar instructions move, wherever they are.
pub(super) fn element(function: &FunctionCode, key: Key) -> Option<u64> {
    let scalar = |o: &&SourceOperation| (o.place, o.kind) == key && !o.packed && o.element > 0 && !o.masked;
    let mut sizes = function.operations.iter().filter(scalar).map(|o| u64::from(o.amount));
    let first = sizes.next()?;
    sizes.all(|size| size == first).then_some(first)
}

/// Greatest common divisor; that of nothing is 0.
pub(super) fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}
