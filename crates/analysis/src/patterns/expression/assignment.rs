//! Which operands are which references, all together: every assignment in which no two contradict each other.
//!
//! Operands that share no possible reference and no array are independent of each other, so that each set of linked
//! ones is searched alone.

use super::{Namer, Operand, subscript};
use loopwright_patterns::facts::AccessKind;
use std::collections::{BTreeSet, HashMap, HashSet};

/// Steps that the search for assignments may take.
const MOST_STEPS: usize = 20_000;

/// What links operands.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Link {
    /// A reference that they can be.
    Reference(usize),
    /// An array that they go through.
    Array(u32),
}

/// Operands (ascending) that are linked, directly or through others: each set by ascending number, the sets by their
/// first.
pub(super) fn components<I: Iterator<Item = Link>>(
    open: impl Iterator<Item = usize>,
    links: impl Fn(usize) -> I,
) -> Vec<Vec<usize>> {
    let open: Vec<usize> = open.collect();
    let mut linked: HashMap<Link, Vec<usize>> = HashMap::new();
    for &operand in &open {
        for link in links(operand) {
            linked.entry(link).or_default().push(operand);
        }
    }
    let mut placed: HashSet<usize> = HashSet::new();
    let mut found = Vec::new();
    for &first in &open {
        if !placed.insert(first) {
            continue;
        }
        let mut component = vec![first];
        let mut next = 0;
        while let Some(&operand) = component.get(next) {
            next += 1;
            for link in links(operand) {
                // Each link is followed once.
                for other in linked.remove(&link).unwrap_or_default() {
                    if placed.insert(other) {
                        component.push(other);
                    }
                }
            }
        }
        component.sort_unstable();
        found.push(component);
    }
    found
}

/// Finds all assignments of a component's operands to references.
pub(super) struct Search<'s, 'a> {
    namer: &'s Namer<'a>,
    operands: &'s [Operand<'s>],
    candidates: &'s [Vec<usize>],
    component: &'s [usize],
    chosen: Vec<usize>,
    /// By operand of the component: what it is in some assignment.
    pub found: Vec<BTreeSet<usize>>,
    /// Operands of one array are references to one variable.
    one_root: bool,
    steps: usize,
    settled: bool,
}

impl<'s, 'a> Search<'s, 'a> {
    pub fn new(
        namer: &'s Namer<'a>,
        operands: &'s [Operand<'s>],
        candidates: &'s [Vec<usize>],
        component: &'s [usize],
        one_root: bool,
    ) -> Self {
        let found = vec![BTreeSet::new(); component.len()];
        Self {
            namer,
            operands,
            candidates,
            component,
            chosen: Vec::new(),
            found,
            one_root,
            steps: 0,
            settled: false,
        }
    }

    /// Everything that can be is in some assignment already: no other one adds anything.
    fn is_settled(&self) -> bool {
        let mut all = self.found.iter().zip(self.component);
        all.all(|(found, &operand)| found.len() == self.candidates[operand].len())
    }

    /// False when it took too long.
    pub fn run(&mut self) -> bool {
        if self.settled {
            return true;
        }
        self.steps += 1;
        if self.steps > MOST_STEPS {
            return false;
        }
        let k = self.chosen.len();
        let Some(&operand) = self.component.get(k) else {
            for (found, &chosen) in self.found.iter_mut().zip(&self.chosen) {
                found.insert(chosen);
            }
            self.settled = self.is_settled();
            return true;
        };
        for &candidate in &self.candidates[operand] {
            let allowed = (0..k).all(|earlier| {
                self.agree((self.component[earlier], self.chosen[earlier]), (operand, candidate))
            });
            if !allowed {
                continue;
            }
            self.chosen.push(candidate);
            let complete = self.run();
            self.chosen.pop();
            if !complete {
                return false;
            }
        }
        true
    }

    /// Whether two operands can be these two references.
    fn agree(&self, (a, first): (usize, usize), (b, second): (usize, usize)) -> bool {
        let (one, other) = (&self.operands[a], &self.operands[b]);
        let bytes = match (one.place, other.place) {
            (Some((array, from)), Some((same, to))) if array == same => to.checked_sub(from),
            _ => None,
        };
        let (earlier, earlier_form) = &self.namer.seen[first];
        let (later, later_form) = &self.namer.seen[second];
        let loads = (one.kind == AccessKind::Load) == (other.kind == AccessKind::Load);
        if first == second {
            // One reference has one address; a load and a store of it are two operands.
            return if loads {
                bytes == Some(0)
            } else {
                bytes.is_none_or(|b| b == 0) && one.element == other.element
            };
        }
        // A pointer is loaded before what it points to.
        if later.pointer
            && earlier.holds(later)
            && later.first == earlier.first
            && one.kind == AccessKind::Load
        {
            return false;
        }
        if self.one_root
            && one.array.is_some()
            && one.array == other.array
            && self.namer.root(first) != self.namer.root(second)
        {
            return false;
        }
        match bytes {
            Some(bytes) => {
                let forms = (earlier_form, later_form);
                let find = || subscript::can_differ(self.namer.source, forms, bytes, one.element);
                let key = (first, second, bytes, one.element);
                *self.namer.apart.borrow_mut().entry(key).or_insert_with(find)
            }
            None => true,
        }
    }
}
