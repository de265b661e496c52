//! Values as formulas over what places held at the start: equal formulas are equal values.
//!
//! Sums are kept in a normal form (terms with factors, and a constant), so that `b + 8 * i - 8` is one formula however the
//! instructions compute it; every other instruction is an opaque operator of its operands. Formulas are interned: equality
//! is that of their numbers. Arithmetic of 32 bits is taken as exact, as compilers do for indices.

use super::super::step::Slot;
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};

/// A formula in its [`Formulas`].
pub type Id = u32;

/// Most formulas of one loop; further ones are unknown.
const MOST_FORMULAS: usize = 60_000;
/// Formulas nested more deeply are unclear, because evaluation recurses.
const DEEPEST: u32 = 150;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Formula {
    /// What a place held at the start.
    Start(Slot),
    /// Terms with factors, by number, and a constant.
    Sum(Vec<(Id, i64)>, i64),
    /// Memory of some size at an address; the last number counts stores back from the end of the code before the loop.
    Load(Id, u32, u32),
    /// An instruction (its code, and whatever is encoded in it) of these operands.
    Operator(u32, u64, Vec<Id>),
    /// Not known; each is different from all others.
    Unknown(u32),
}

/// All formulas of a loop.
#[derive(Debug, Default)]
pub struct Formulas {
    all: Vec<Formula>,
    /// Nesting, by number.
    depths: Vec<u32>,
    numbers: HashMap<Formula, Id>,
    unknown: u32,
    /// Unknown because the analysis is too weak (not because the value is one of several), or computed from
    /// such formulas.
    unclear: HashSet<Id>,
    /// Left by a call in a register in which it returns nothing: no code may use it.
    left_over: HashSet<Id>,
    /// `rbp` points into the frame.
    pub frame_pointer: bool,
    /// Formulas that nothing in the loop changes, as far as was queried.
    pub steady: HashMap<Id, bool>,
    /// What values are computed from, as far as was queried (see `ends`).
    pub made: HashMap<Id, u8>,
    /// Present recursion depth of that query.
    pub asking: u32,
}

impl Formulas {
    /// No formulas yet. `frame_pointer`: `rbp` points into the frame.
    pub fn new(frame_pointer: bool) -> Self {
        Self { frame_pointer, ..Self::default() }
    }

    /// The formula of this number.
    pub fn get(&self, id: Id) -> &Formula {
        &self.all[id as usize]
    }

    /// The number of a formula.
    pub fn intern(&mut self, formula: Formula) -> Id {
        if let Some(&known) = self.numbers.get(&formula) {
            return known;
        }
        let (mut depth, mut unclear) = (0, false);
        let mut part = |id: Id| {
            depth = depth.max(self.depths[id as usize]);
            unclear |= self.unclear.contains(&id);
        };
        match &formula {
            Formula::Start(_) | Formula::Unknown(_) => {}
            Formula::Sum(terms, _) => terms.iter().for_each(|term| part(term.0)),
            Formula::Load(address, ..) => part(*address),
            Formula::Operator(_, _, operands) => operands.iter().for_each(|&id| part(id)),
        }
        let depth = 1 + depth;
        if self.is_full() || depth > DEEPEST {
            return self.overflow();
        }
        let id = self.push(formula, depth);
        if unclear {
            self.unclear.insert(id);
        }
        id
    }

    fn push(&mut self, formula: Formula, depth: u32) -> Id {
        let id = self.all.len() as Id;
        self.all.push(formula.clone());
        self.depths.push(depth);
        self.numbers.insert(formula, id);
        id
    }

    /// The formula used when the limit is reached; unclear.
    fn overflow(&mut self) -> Id {
        let formula = Formula::Unknown(u32::MAX);
        if let Some(&known) = self.numbers.get(&formula) {
            return known;
        }
        let id = self.push(formula, 1);
        self.unclear.insert(id);
        id
    }

    /// A value that is not known.
    pub fn unknown(&mut self) -> Id {
        self.unknown += 1;
        self.intern(Formula::Unknown(self.unknown))
    }

    /// A value that a better analysis would know.
    pub fn unclear(&mut self) -> Id {
        let id = self.unknown();
        self.unclear.insert(id);
        id
    }

    /// What a call leaves in a register in which it returns nothing.
    pub fn left_over(&mut self) -> Id {
        let id = self.unknown();
        self.left_over.insert(id);
        id
    }

    /// The value is what a call left where it returns nothing.
    pub fn is_left_over(&self, id: Id) -> bool {
        self.left_over.contains(&id)
    }

    /// The value is unknown because the analysis is too weak, or is computed from such a value.
    pub fn is_unclear(&self, id: Id) -> bool {
        self.unclear.contains(&id)
    }

    /// What a place held at the start.
    pub fn start(&mut self, place: Slot) -> Id {
        self.intern(Formula::Start(place))
    }

    /// A number.
    pub fn constant(&mut self, value: i64) -> Id {
        self.intern(Formula::Sum(Vec::new(), value))
    }

    /// The number, if the formula is one.
    pub fn as_constant(&self, id: Id) -> Option<i64> {
        match self.get(id) {
            Formula::Sum(terms, value) if terms.is_empty() => Some(*value),
            _ => None,
        }
    }

    /// A sum of formulas with factors, and a constant.
    pub fn sum(&mut self, parts: &[(Id, i64)], constant: i64) -> Id {
        let mut terms: Vec<(Id, i64)> = Vec::new();
        let mut rest = constant;
        for &(id, factor) in parts {
            match self.get(id) {
                Formula::Sum(inner, value) => {
                    rest = rest.wrapping_add(value.wrapping_mul(factor));
                    terms.extend(inner.iter().map(|&(term, times)| (term, times.wrapping_mul(factor))));
                }
                _ => terms.push((id, factor)),
            }
        }
        terms.sort_unstable_by_key(|term| term.0);
        // Equal terms become one.
        terms.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 = kept.1.wrapping_add(next.1);
            }
            same
        });
        terms.retain(|&(_, factor)| factor != 0);
        match terms.as_slice() {
            [(one, 1)] if rest == 0 => *one,
            _ => self.intern(Formula::Sum(terms, rest)),
        }
    }

    /// Terms and constant of a formula as a sum.
    pub fn terms(&self, id: Id) -> (Vec<(Id, i64)>, i64) {
        match self.get(id) {
            Formula::Sum(terms, constant) => (terms.clone(), *constant),
            _ => (vec![(id, 1)], 0),
        }
    }

    /// The same without copies; `itself` is the result for a formula that is not a sum.
    fn summands<'a>(&'a self, id: Id, itself: &'a [(Id, i64)]) -> (&'a [(Id, i64)], i64) {
        match self.get(id) {
            Formula::Sum(terms, constant) => (terms, *constant),
            _ => (itself, 0),
        }
    }

    /// The difference of two formulas, when it is a number.
    pub fn apart(&self, a: Id, b: Id) -> Option<i64> {
        let (own, other) = ([(a, 1)], [(b, 1)]);
        let (first, x) = self.summands(a, &own);
        let (second, y) = self.summands(b, &other);
        (first == second).then(|| x.wrapping_sub(y))
    }

    /// The formula with its parts replaced; `None` from `replace` keeps looking inside.
    pub fn rewrite(&mut self, id: Id, replace: &mut dyn FnMut(&mut Self, Id) -> Option<Id>) -> Id {
        self.rewritten(id, replace, &mut HashMap::default())
    }

    fn rewritten(
        &mut self,
        id: Id,
        replace: &mut dyn FnMut(&mut Self, Id) -> Option<Id>,
        done: &mut HashMap<Id, Id>,
    ) -> Id {
        if let Some(&known) = done.get(&id) {
            return known;
        }
        let new = match replace(self, id) {
            Some(new) => new,
            None if self.is_full() => self.unclear(),
            None => match self.get(id).clone() {
                Formula::Start(_) | Formula::Unknown(_) => id,
                Formula::Sum(terms, constant) => {
                    let parts: Vec<(Id, i64)> =
                        terms.into_iter().map(|(t, f)| (self.rewritten(t, replace, done), f)).collect();
                    self.sum(&parts, constant)
                }
                Formula::Load(address, size, stores) => {
                    let address = self.rewritten(address, replace, done);
                    self.intern(Formula::Load(address, size, stores))
                }
                Formula::Operator(code, extra, operands) => {
                    let operands = operands.into_iter().map(|o| self.rewritten(o, replace, done)).collect();
                    self.intern(Formula::Operator(code, extra, operands))
                }
            },
        };
        done.insert(id, new);
        new
    }

    /// No more formulas can be added.
    fn is_full(&self) -> bool {
        self.all.len() >= MOST_FORMULAS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_have_one_form() {
        let mut f = Formulas::default();
        let (a, b) = (f.start(1), f.start(2));
        let twice = f.sum(&[(a, 1), (a, 1)], 8);
        let left = f.sum(&[(twice, 2), (b, 1)], -6);
        let right = f.sum(&[(b, 1), (a, 4)], 10);
        assert_eq!(left, right);
        assert_eq!(f.sum(&[(left, 1), (a, -4)], -10), b);
        let near = f.sum(&[(right, 1)], 24);
        assert_eq!((f.apart(near, right), f.apart(a, b)), (Some(24), None));
        let zero = f.sum(&[(a, 1), (a, -1)], 0);
        assert_eq!(f.as_constant(zero), Some(0));
    }

    #[test]
    fn parts_are_replaced_inside_of_loads() {
        let mut f = Formulas::default();
        let (base, i) = (f.start(1), f.start(2));
        let address = f.sum(&[(base, 1), (i, 8)], 0);
        let load = f.intern(Formula::Load(address, 8, 0));
        let before = f.sum(&[(i, 1)], -1);
        let moved = f.rewrite(load, &mut |_, id| (id == i).then_some(before));
        let near = f.sum(&[(base, 1), (i, 8)], -8);
        assert_eq!(*f.get(moved), Formula::Load(near, 8, 0));
    }

    #[test]
    fn unknown_values_differ() {
        let mut f = Formulas::default();
        assert_ne!(f.unknown(), f.unknown());
    }
}
