//! Makes a failing scenario smaller: removes functions, parts and instructions as long as it still fails.
//!
//! The caller's `fails` decides whether a smaller one is a valid program: for one that does not run well
//! natively it must return false.

use crate::generator::model::{End, Function, Node, Place, Scenario, Symbol};

/// Tries smaller scenarios with `fails` until none fails, or the limit of calls is reached.
pub fn minimise(scenario: &Scenario, most: usize, fails: &mut dyn FnMut(&Scenario) -> bool) -> Scenario {
    let mut best = scenario.clone();
    let mut asked = 0;
    loop {
        let mut smaller = false;
        let mut k = 0;
        while let Some(candidate) = cut(&best, k) {
            if asked >= most {
                return best;
            }
            asked += 1;
            if fails(&candidate) {
                // The same index is now the next cut.
                best = candidate;
                smaller = true;
            } else {
                k += 1;
            }
        }
        if !smaller {
            return best;
        }
    }
}

/// The scenario after its `k`th possible cut, large cuts first; `None` after the last.
fn cut(scenario: &Scenario, k: usize) -> Option<Scenario> {
    let mut smaller = scenario.clone();
    let mut knife = Knife { left: k };
    // The driver enters the first function.
    for index in 1..smaller.functions.len() {
        if knife.reached() {
            let gone = smaller.functions.remove(index).id;
            for function in &mut smaller.functions {
                drop_calls(&mut function.body, gone);
            }
            return Some(smaller);
        }
    }
    let done = smaller.functions.iter_mut().any(|f| knife.parts(&mut f.body))
        || smaller.functions.iter_mut().any(|f| knife.wrapping(f))
        || smaller.functions.iter_mut().any(|f| knife.details(&mut f.body));
    done.then_some(smaller)
}

/// Only calls refer to functions by number within bodies.
fn drop_calls(body: &mut Vec<Node>, gone: usize) {
    body.retain(|node| !matches!(node, Node::Call { callee, .. } if *callee == gone));
    for inner in body.iter_mut().flat_map(children) {
        drop_calls(inner, gone);
    }
}

fn children(node: &mut Node) -> Vec<&mut Vec<Node>> {
    match node {
        Node::If { then, otherwise, .. } => vec![then, otherwise],
        Node::Loop { body, .. } => vec![body],
        Node::Contexts { own, other, .. } => vec![own, other],
        Node::Dispatch { arms, .. } => arms.iter_mut().collect(),
        _ => Vec::new(),
    }
}

/// Counts possible cuts down to the requested one.
struct Knife {
    left: usize,
}

impl Knife {
    fn reached(&mut self) -> bool {
        let hit = self.left == 0;
        self.left = self.left.wrapping_sub(1);
        hit
    }

    /// Removes a part, or replaces it by the parts nested in it.
    fn parts(&mut self, body: &mut Vec<Node>) -> bool {
        for at in 0..body.len() {
            if self.reached() {
                body.remove(at);
                return true;
            }
            let nested = !children(&mut body[at]).is_empty();
            if nested && self.reached() {
                let inner: Vec<Node> = children(&mut body[at]).into_iter().flat_map(std::mem::take).collect();
                body.splice(at..=at, inner);
                return true;
            }
            if children(&mut body[at]).into_iter().any(|inner| self.parts(inner)) {
                return true;
            }
        }
        false
    }

    fn wrapping(&mut self, function: &mut Function) -> bool {
        let shape = &mut function.shape;
        if (shape.unwind || shape.cold || shape.writable || !shape.data_before.is_empty()) && self.reached() {
            (shape.unwind, shape.cold, shape.writable) = (false, false, false);
            shape.data_before.clear();
            return true;
        }
        if shape.symbol != Symbol::Full && self.reached() {
            shape.symbol = Symbol::Full;
            return true;
        }
        if shape.align != 4 && self.reached() {
            shape.align = 4;
            return true;
        }
        if function.end != End::Return && self.reached() {
            function.end = End::Return;
            return true;
        }
        if function.frame != 0 && self.reached() {
            function.frame = 0;
            return true;
        }
        if !function.saves.is_empty() && self.reached() {
            function.saves.pop();
            return true;
        }
        if function.second_entry.is_some() && self.reached() {
            function.second_entry = None;
            return true;
        }
        false
    }

    /// Removes single instructions.
    fn details(&mut self, body: &mut [Node]) -> bool {
        for node in body {
            let lines = match node {
                Node::Code(lines) => Some(lines),
                Node::If { test, .. } | Node::Leave { test, .. } | Node::Return { test, .. } => Some(test),
                Node::Call { after, .. } => Some(after),
                _ => None,
            };
            for k in 0..lines.as_ref().map_or(0, |lines| lines.len()) {
                if self.reached() {
                    lines.map(|lines| lines.remove(k));
                    return true;
                }
            }
            if let Node::If { place, .. } = node
                && *place != Place::Inline
                && self.reached()
            {
                *place = Place::Inline;
                return true;
            }
            if let Node::Loop { middle, .. } = node
                && middle.is_some()
                && self.reached()
            {
                *middle = None;
                return true;
            }
            if children(node).into_iter().any(|inner| self.details(inner)) {
                return true;
            }
        }
        false
    }
}
