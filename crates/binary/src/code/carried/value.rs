//! What is known of a value within an iteration: which values of the iteration's start it depends on, and whether it is
//! one of them with something accumulated onto it.

use super::super::step::Slot;

/// A set of places.
pub type Set = u128;

/// What was done to a carried value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// No change.
    Same,
    /// Something was added (or subtracted).
    Add(Amount),
    /// Something was multiplied onto it.
    Multiply,
    /// The lesser or the greater of it and something else.
    Minimum,
    Maximum,
    And,
    Or,
    Xor,
    /// It was kept or replaced by another value.
    Select,
}

/// What an addition adds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Amount {
    /// The same in every iteration; the number identifies the addition.
    Fixed(u32),
    /// Fixed amounts, but not always the same ones.
    Sometimes,
    /// An unknown amount.
    Any,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value {
    /// Places whose value at the iteration's start it depends on.
    pub depends: Set,
    /// Those among them that it depends on through the address of a load.
    pub through: Set,
    /// It is the value of this place at the start, changed by this step with operands that do not depend on that place.
    pub form: Option<(Slot, Step)>,
    /// The same in every iteration; the number identifies the value.
    pub fixed: Option<u32>,
    /// Loaded from memory and only moved since.
    pub loaded: bool,
    /// Loaded values went into it.
    pub from_memory: bool,
}

impl Value {
    /// A place that the loop does not change.
    pub fn fixed(name: u32) -> Self {
        Self { depends: 0, through: 0, form: None, fixed: Some(name), loaded: false, from_memory: false }
    }

    /// The value that a place had when the iteration began.
    pub fn carried(place: Slot) -> Self {
        Self {
            depends: 1 << place,
            through: 0,
            form: Some((place, Step::Same)),
            fixed: None,
            loaded: false,
            from_memory: false,
        }
    }

    /// A new value, without dependences.
    pub fn fresh() -> Self {
        Self { depends: 0, through: 0, form: None, fixed: None, loaded: false, from_memory: false }
    }

    /// Loaded from an address computed from these.
    pub fn load(address: &[Self]) -> Self {
        let depends = address.iter().fold(0, |all, v| all | v.depends);
        Self { depends, through: depends, loaded: true, from_memory: true, ..Self::fresh() }
    }

    /// Computed from these, in a way that keeps no form.
    pub fn computed(from: &[Self], name: u32) -> Self {
        let mut out = Self::fresh();
        for v in from {
            out.depends |= v.depends;
            out.through |= v.through;
            out.from_memory |= v.from_memory;
        }
        out.fixed = from.iter().all(|v| v.fixed.is_some()).then_some(name);
        out
    }

    /// Depends on the start value of a place.
    pub fn needs(&self, place: Slot) -> bool {
        self.depends >> place & 1 == 1
    }

    /// What holds on both of two paths.
    pub fn join(&self, other: &Self) -> Self {
        if self == other {
            return *self;
        }
        let form = match (self.form, other.form) {
            (Some((p, a)), Some((q, b))) if p == q => merged(a, b).map(|step| (p, step)),
            (Some((p, Step::Same | Step::Select)), _) if !other.needs(p) => Some((p, Step::Select)),
            (_, Some((p, Step::Same | Step::Select))) if !self.needs(p) => Some((p, Step::Select)),
            _ => None,
        };
        Self {
            depends: self.depends | other.depends,
            through: self.through | other.through,
            form,
            fixed: None,
            loaded: self.loaded && other.loaded,
            from_memory: self.from_memory || other.from_memory,
        }
    }
}

/// The same accumulation, done on one path and perhaps on the other.
fn merged(a: Step, b: Step) -> Option<Step> {
    use Step::{Add, Same};
    match (a, b) {
        (Add(Amount::Any), Add(_) | Same) | (Add(_) | Same, Add(Amount::Any)) => Some(Add(Amount::Any)),
        (Add(x), Add(y)) if x == y => Some(a),
        (Add(_), Add(_) | Same) | (Same, Add(_)) => Some(Add(Amount::Sometimes)),
        (x, Same) | (Same, x) => Some(x),
        (x, y) if x == y => Some(x),
        _ => None,
    }
}

/// One accumulation after another; `with` is what the second one accumulates.
pub fn accumulated(before: Step, step: Step, with: &Value, name: u32) -> Option<Step> {
    let amount = if with.fixed.is_some() { Amount::Fixed(name) } else { Amount::Any };
    match (before, step) {
        (Step::Same, Step::Add(_)) => Some(Step::Add(amount)),
        (Step::Add(first), Step::Add(_)) => Some(Step::Add(match (first, amount) {
            (Amount::Any, _) | (_, Amount::Any) => Amount::Any,
            (Amount::Sometimes, _) => Amount::Sometimes,
            _ => amount,
        })),
        (Step::Same, step) => Some(step),
        (before, step) if before == step => Some(step),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_that_accumulate_alike_stay_a_reduction() {
        let start = Value::carried(3);
        let sum = Value { form: Some((3, Step::Add(Amount::Any))), ..start };
        assert_eq!(start.join(&sum).form, sum.form);
        let one = Value { form: Some((3, Step::Add(Amount::Fixed(1)))), ..start };
        assert_eq!(
            start.join(&one).form,
            Some((3, Step::Add(Amount::Sometimes))),
            "a counter that may pause"
        );
        let product = Value { form: Some((3, Step::Multiply)), ..start };
        assert_eq!(sum.join(&product).form, None);
        assert_eq!(start.join(&Value::load(&[])).form, Some((3, Step::Select)));
        assert_eq!(sum.join(&Value::load(&[])).form, None, "a sum that starts anew");
    }
}
