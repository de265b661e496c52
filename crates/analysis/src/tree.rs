//! The top-down tree: functions and, within them, loops, from the program down to where time is spent.

use crate::model::TreeNode;
use crate::resolve::Entities;
use crate::time::{ContextWeight, seconds};
use loopwright_experiment::Facts;
use std::collections::HashMap;

/// Nodes below this share of the whole are left out: they could not be read, only scrolled past.
const SMALLEST_SHARE: f64 = 0.0005;
/// Deeper levels are added to the last one shown: unbounded recursion must not make an unbounded tree.
const DEEPEST: usize = 200;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Key {
    Root,
    Function(u32),
    Loop(u32),
}

#[derive(Debug)]
struct Node {
    key: Key,
    self_ns: u64,
    total_ns: u64,
    children: HashMap<Key, usize>,
}

/// Time in one calling context.
#[derive(Clone, Copy, Debug)]
pub struct ContextTime {
    /// Index into the survey's stacks.
    pub stack: u32,
    /// In user code.
    pub user_ns: u64,
    /// In the kernel.
    pub kernel_ns: u64,
}

/// A tree that grows with the calling contexts that are added to it.
#[derive(Debug)]
pub struct Growing<'a> {
    facts: &'a Facts,
    entities: &'a Entities<'a>,
    nodes: Vec<Node>,
    path: Vec<Key>,
}

impl<'a> Growing<'a> {
    /// An empty tree.
    pub fn new(facts: &'a Facts, entities: &'a Entities<'a>) -> Self {
        let root = Node { key: Key::Root, self_ns: 0, total_ns: 0, children: HashMap::new() };
        Self { facts, entities, nodes: vec![root], path: Vec::new() }
    }

    /// Adds the time in a calling context of a survey.
    pub fn add(&mut self, survey: usize, spent: ContextTime) {
        if spent.user_ns + spent.kernel_ns == 0 {
            return;
        }
        let recording = &self.facts.surveys[survey].facts;
        let places = &self.entities.places[survey];
        let path = &mut self.path;
        path.clear();
        if spent.kernel_ns > 0 {
            path.push(Key::Function(self.entities.kernel));
        }
        let mut at = Some(spent.stack);
        while let Some(node) = at.map(|at| recording.stacks[at as usize]) {
            let place = places[node.frame as usize];
            path.extend(self.entities.nest(place.innermost).map(Key::Loop));
            path.push(Key::Function(place.function));
            at = node.parent;
        }
        path.reverse();
        if spent.kernel_ns > 0 {
            add(&mut self.nodes, path, spent.kernel_ns);
            path.pop();
        }
        if spent.user_ns > 0 {
            add(&mut self.nodes, path, spent.user_ns);
        }
    }

    /// The tree, without what is below `smallest_share` of the whole; `name` is the program's.
    pub fn grown(self, name: &str, smallest_share: f64) -> TreeNode {
        let smallest = (self.nodes[0].total_ns as f64 * smallest_share) as u64;
        shown(&self.nodes, 0, self.entities, name, smallest)
    }
}

/// Builds the tree of all surveys; `name` is the program's.
pub fn tree(facts: &Facts, entities: &Entities, weights: &[Vec<ContextWeight>], name: &str) -> TreeNode {
    let mut tree = Growing::new(facts, entities);
    for (survey, weights) in weights.iter().enumerate() {
        for (stack, weight) in weights.iter().enumerate() {
            let (user_ns, kernel_ns) = (weight.user_ns, weight.kernel_ns);
            tree.add(survey, ContextTime { stack: stack as u32, user_ns, kernel_ns });
        }
    }
    let unsampled = crate::time::Unsampled::of(facts);
    for (function, ns) in [(entities.kernel, unsampled.kernel_ns), (entities.unsampled, unsampled.user_ns)] {
        if ns > 0 {
            add(&mut tree.nodes, &[Key::Function(function)], ns);
        }
    }
    tree.grown(name, SMALLEST_SHARE)
}

fn add(nodes: &mut Vec<Node>, path: &[Key], ns: u64) {
    nodes[0].total_ns += ns;
    let mut at = 0;
    for &key in path.iter().take(DEEPEST) {
        let next = nodes.len();
        at = *nodes[at].children.entry(key).or_insert(next);
        if at == next {
            nodes.push(Node { key, self_ns: 0, total_ns: 0, children: HashMap::new() });
        }
        nodes[at].total_ns += ns;
    }
    nodes[at].self_ns += ns;
}

fn shown(nodes: &[Node], at: usize, entities: &Entities, program: &str, smallest: u64) -> TreeNode {
    let node = &nodes[at];
    let mut children: Vec<usize> =
        node.children.values().copied().filter(|&child| nodes[child].total_ns > smallest).collect();
    children.sort_by_key(|&child| (std::cmp::Reverse(nodes[child].total_ns), child));
    let (kind, name, loop_id, module) = match node.key {
        Key::Root => ("program", program.to_owned(), None, String::new()),
        Key::Function(function) => {
            let function = &entities.functions[function as usize];
            (
                "function",
                function.name.clone(),
                None,
                crate::place::base_name(&function.module_path).to_owned(),
            )
        }
        Key::Loop(l) => {
            let entity = &entities.loops[l as usize];
            let module = &entities.functions[entity.function as usize].module_path;
            let inlined =
                crate::place::written_in(entity.code).map(|name| format!(" in {name}")).unwrap_or_default();
            let place = format!("loop at {}{inlined}", crate::place::short(entity.code));
            ("loop", place, Some(entity.id), crate::place::base_name(module).to_owned())
        }
    };
    TreeNode {
        kind: kind.to_owned(),
        name,
        loop_id,
        module,
        self_seconds: seconds(node.self_ns),
        total_seconds: seconds(node.total_ns),
        children: children
            .into_iter()
            .map(|child| shown(nodes, child, entities, program, smallest))
            .collect(),
    }
}
