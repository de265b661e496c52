//! Evidence of source iterations in the code: how much work a machine loop does in one iteration, by place in the source and
//! as a whole.
//!
//! However a compiler unrolls and vectorises, a source iteration takes as many floating-point operations, stores as many
//! bytes and goes as far through each array. Other numbers are weaker evidence: integer additions may be addresses in disguise, vector
//! code imitates what it lacks with logic and shuffles, and loads are shared between iterations.

use loopwright_binary::facts::{
    CarriedKind, ChainKind, FunctionCode, LoopCode, SourceKind, SourceOperation, Trait,
};
use std::collections::{BTreeMap, BTreeSet};

/// Bytes of the smallest vector register: no scalar operand has as many.
const VECTOR_BYTES: u32 = 16;

/// An operator of the source: place and kind.
pub(super) type Key = (u32, SourceKind);

/// A line of one inlined copy: inlining chain and line.
pub(super) type Line = (u32, u32);

/// The work of one operator in one iteration of a machine loop.
#[derive(Clone, Debug, Default)]
pub(super) struct Amount {
    /// Elements; of loads and stores bytes.
    pub amount: u64,
    pub instructions: u64,
    /// Bytes of an element, where all instructions name the same.
    pub element: Option<u64>,
    /// Some instruction works on several elements.
    pub packed: bool,
    pub floating: bool,
    /// Some instruction does not run in each iteration, or not with all lanes.
    pub conditional: bool,
    /// Some instruction runs under a mask.
    pub masked: bool,
    /// Some instruction accumulates: outside of the loop such ones add up lanes.
    pub accumulates: bool,
    /// Bytes by which the operands move, where all move alike.
    pub stride: Option<u64>,
}

impl Amount {
    /// One element in each machine iteration.
    fn is_one(&self, kind: SourceKind) -> bool {
        !self.packed && if is_memory(kind) { self.instructions == 1 } else { self.amount == 1 }
    }

    /// Another operator's work.
    pub fn add(&mut self, other: &Self) {
        self.amount += other.amount;
        self.instructions += other.instructions;
        self.element = self.element.filter(|_| self.element == other.element);
        self.stride = self.stride.filter(|_| self.stride == other.stride);
        self.packed |= other.packed;
        self.floating |= other.floating;
        self.conditional |= other.conditional;
        self.masked |= other.masked;
        self.accumulates |= other.accumulates;
    }

    /// The operands leave no gap in what they move over.
    pub fn is_contiguous(&self) -> bool {
        self.stride == Some(self.amount)
    }
}

/// Loads and stores.
pub(super) fn is_memory(kind: SourceKind) -> bool {
    matches!(kind, SourceKind::Load | SourceKind::Store)
}

/// What one machine loop does in an iteration, own code only.
#[derive(Clone, Debug, Default)]
pub(super) struct Profile {
    pub operators: BTreeMap<Key, Amount>,
    /// Vectors, also of instructions that no place has.
    packed: bool,
    /// Several operands of a line together leave no gap in what they move over: fields of a structure, or copies of one
    /// operand, which GCC may give columns of their own.
    fills: bool,
    /// Numbers are converted from one type to another.
    pub converts: bool,
}

impl Profile {
    pub fn new(function: &FunctionCode, code: &LoopCode) -> Self {
        let accumulating = accumulating(code);
        let stepping = stepping(function, code);
        let adding: BTreeSet<u64> =
            function.operations.iter().filter(|o| o.kind == SourceKind::Add).map(|o| o.address).collect();
        let strides: BTreeMap<u64, u64> =
            code.strides.iter().map(|stride| (stride.address, stride.bytes.unsigned_abs())).collect();
        let mut operators: BTreeMap<Key, Amount> = BTreeMap::new();
        for operation in function.operations.iter().filter(|o| o.in_loop == Some(code.index)) {
            // Vectors of induction variables are stepped once, however many of them the body works on.
            if stepping.contains(&operation.address) {
                continue;
            }
            let (element, stride) = (u64::from(operation.element), strides.get(&operation.address).copied());
            let entry = operators.entry((operation.place, operation.kind)).or_insert_with(|| Amount {
                element: Some(element),
                stride,
                ..Amount::default()
            });
            entry.amount += u64::from(operation.amount);
            entry.instructions += 1;
            entry.element = entry.element.filter(|&known| known == element && known > 0);
            entry.stride = entry.stride.filter(|&known| Some(known) == stride && known > 0);
            entry.packed |= operation.packed;
            entry.floating |= operation.floating;
            entry.conditional |= !operation.always || operation.masked;
            entry.masked |= operation.masked;
            // The product of a multiply-add is none that lanes are added up with.
            let product = operation.kind == SourceKind::Multiply && adding.contains(&operation.address);
            entry.accumulates |= accumulating.contains(&operation.address) && !product;
        }
        let packed = code.vector.is_some()
            || code.mix.shuffle > 0
            || code.strides.iter().any(|stride| stride.size >= VECTOR_BYTES);
        Self { operators, packed, fills: fills(code), converts: code.traits.contains(&Trait::Conversion) }
    }

    /// Some instruction works on several elements.
    pub fn is_packed(&self) -> bool {
        self.packed || self.operators.values().any(|amount| amount.packed)
    }

    /// One machine iteration is one of the source: every operator that is evidence works on one element, and nothing is packed.
    ///
    /// Arithmetic and stores are evidence; where there are none, integers and loads.
    pub fn is_one(&self) -> bool {
        let always = || self.operators.iter().filter(|(_, amount)| !amount.conditional);
        let shows = |kind: SourceKind, amount: &Amount| {
            amount.floating && !is_memory(kind) || kind == SourceKind::Store
        };
        let (better, others): (Vec<_>, Vec<_>) = always().partition(|(key, amount)| shows(key.1, amount));
        let evidence = if better.is_empty() { others } else { better };
        // Of copies of what runs under a condition, some may be moved to where it always runs.
        let copied = self.operators.values().any(|amount| amount.conditional && amount.instructions > 1);
        !self.is_packed()
            && !copied
            && !self.fills
            && !evidence.is_empty()
            && evidence.iter().all(|(key, amount)| amount.is_one(key.1))
    }

    /// The same of some operators alone.
    pub fn only(&self, wanted: impl Fn(&Key) -> bool) -> Self {
        let operators = self.operators.iter().filter(|(key, _)| wanted(key));
        Self {
            operators: operators.map(|(key, amount)| (*key, amount.clone())).collect(),
            converts: self.converts,
            ..Self::default()
        }
    }

    /// Some operator shows that one machine iteration is several of the source.
    pub fn is_several(&self) -> bool {
        let several = |(key, amount): (&Key, &Amount)| {
            let shows = amount.floating && !is_memory(key.1) || key.1 == SourceKind::Store;
            shows && !amount.is_one(key.1)
        };
        self.is_packed() || self.operators.iter().any(several)
    }

    /// Floating-point operations by kind, and bytes stored; a kind of which some does not run in each iteration is left out.
    pub fn totals(&self, accumulating: bool) -> BTreeMap<SourceKind, u64> {
        let mut totals: BTreeMap<SourceKind, Option<u64>> = BTreeMap::new();
        for (key, amount) in &self.operators {
            let shows = amount.floating && !is_memory(key.1) || key.1 == SourceKind::Store;
            if !shows || amount.accumulates && !accumulating {
                continue;
            }
            let total = totals.entry(key.1).or_insert(Some(0));
            *total = total.filter(|_| !amount.conditional).map(|total| total + amount.amount);
        }
        totals.into_iter().filter_map(|(kind, total)| Some((kind, total?))).collect()
    }

    /// The distance that all loads, and all stores, of a line go in an iteration.
    pub fn strides(&self, function: &FunctionCode) -> BTreeMap<(Line, SourceKind), u64> {
        let mut strides: BTreeMap<(Line, SourceKind), Option<u64>> = BTreeMap::new();
        for (key, amount) in self.operators.iter().filter(|(key, _)| is_memory(key.1)) {
            let Some(line) = line(function, key.0) else { continue };
            let of_line = strides.entry((line, key.1)).or_insert(amount.stride);
            *of_line = of_line.filter(|&known| Some(known) == amount.stride);
        }
        strides.into_iter().filter_map(|(line, stride)| Some((line, stride?))).collect()
    }

    /// Bytes that each line loads; lines of which some load does not run in each iteration are left out.
    pub fn loads(&self, function: &FunctionCode) -> BTreeMap<Line, u64> {
        let mut loads: BTreeMap<Line, Option<u64>> = BTreeMap::new();
        for (key, amount) in self.operators.iter().filter(|(key, _)| key.1 == SourceKind::Load) {
            let Some(line) = line(function, key.0) else { continue };
            let of_line = loads.entry(line).or_insert(Some(0));
            *of_line = of_line.filter(|_| !amount.conditional).map(|bytes| bytes + amount.amount);
        }
        loads.into_iter().filter_map(|(line, bytes)| Some((line, bytes?))).collect()
    }

    /// All memory is accessed under masks: the last iteration may be done with some lanes.
    pub fn is_masked(&self) -> bool {
        let mut accesses = self.operators.iter().filter(|(key, _)| is_memory(key.1)).peekable();
        accesses.peek().is_some() && accesses.all(|(_, amount)| amount.masked)
    }
}

/// Several operands together leave no gap in what they move over: those of a line, or those of one array.
fn fills(code: &LoopCode) -> bool {
    let classes: BTreeMap<u64, u32> = code.address_classes.iter().copied().collect();
    let mut by_line: BTreeMap<(u32, bool, u64), (u64, u64)> = BTreeMap::new();
    let mut by_class: BTreeMap<(u32, bool, u64), (u64, u64)> = BTreeMap::new();
    for stride in code.strides.iter().filter(|stride| stride.bytes != 0) {
        let (size, bytes) = (u64::from(stride.size), stride.bytes.unsigned_abs());
        let line = (stride.line > 0).then(|| by_line.entry((stride.line, stride.store, bytes)).or_default());
        let class = classes.get(&stride.address);
        let class = class.map(|&class| by_class.entry((class, stride.store, bytes)).or_default());
        for moved in line.into_iter().chain(class) {
            *moved = (moved.0 + 1, moved.1 + size);
        }
    }
    by_line.iter().chain(&by_class).any(|(key, &(operands, bytes))| operands > 1 && bytes == key.2)
}

/// The line of a place.
pub(super) fn line(function: &FunctionCode, place: u32) -> Option<Line> {
    function.places.get(place as usize).map(|place| (place.chain, place.line))
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

/// Integer instructions that advance induction variables, and others at their places.
fn stepping(function: &FunctionCode, code: &LoopCode) -> BTreeSet<u64> {
    let chains = code.chains.iter().filter(|chain| chain.kind == ChainKind::Induction);
    let values = code.carried.iter().flatten().filter(|value| value.kind == CarriedKind::Induction);
    let mut stepping: BTreeSet<u64> = chains.flat_map(|chain| &chain.instructions).copied().collect();
    stepping.extend(values.flat_map(|value| &value.writers));
    let integers: Vec<&SourceOperation> = (function.operations.iter())
        .filter(|o| o.in_loop == Some(code.index) && !o.floating && !is_memory(o.kind))
        .collect();
    let places: BTreeSet<u32> =
        integers.iter().filter(|o| stepping.contains(&o.address)).map(|o| o.place).collect();
    integers.iter().filter(|o| places.contains(&o.place)).map(|o| o.address).collect()
}

/// Bytes of one element that a line stores, or loads: what its scalar instructions move, wherever they are.
pub(super) fn element(function: &FunctionCode, (line, kind): (u32, SourceKind)) -> Option<u64> {
    let here =
        |o: &SourceOperation| function.places.get(o.place as usize).is_some_and(|place| place.line == line);
    let scalar = |o: &&SourceOperation| o.kind == kind && !o.packed && o.element > 0 && !o.masked && here(o);
    let mut sizes = function.operations.iter().filter(scalar).map(|o| u64::from(o.amount));
    let first = sizes.next()?;
    sizes.all(|size| size == first).then_some(first)
}

/// The function was compiled without optimisation: its loops count in memory. Such compilers leave each iteration alone.
pub(super) fn is_plain(function: &FunctionCode) -> bool {
    let inductions = function.loops.iter().flat_map(|l| &l.chains).filter(|c| c.kind == ChainKind::Induction);
    let (memory, registers): (Vec<_>, Vec<_>) =
        inductions.partition(|chain| is_place_in_memory(chain.carrier.name()));
    !memory.is_empty() && registers.is_empty()
}

/// A chain through the frame is named by its operand.
fn is_place_in_memory(name: &str) -> bool {
    name.starts_with("[rbp") || name.starts_with("[rsp")
}
