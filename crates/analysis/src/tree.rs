//! The top-down tree: functions and, within them, loops, from the program down to where time is spent.

use crate::facts::Facts;
use crate::model::TreeNode;
use crate::resolve::Entities;
use crate::time::ContextWeight;
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

/// Builds the tree of all surveys; `name` is the program's.
pub fn tree(facts: &Facts, entities: &Entities, weights: &[Vec<ContextWeight>], name: &str) -> TreeNode {
    let mut nodes = vec![Node { key: Key::Root, self_ns: 0, total_ns: 0, children: HashMap::new() }];
    let mut path = Vec::new();
    for (survey, weights) in weights.iter().enumerate() {
        let recording = &facts.surveys[survey].recording;
        let places = &entities.places[survey];
        for (stack, weight) in weights.iter().enumerate() {
            if weight.user_ns + weight.kernel_ns == 0 {
                continue;
            }
            path.clear();
            if weight.kernel_ns > 0 {
                path.push(Key::Function(entities.kernel));
            }
            let mut at = Some(stack as u32);
            while let Some(node) = at.map(|at| recording.stacks[at as usize]) {
                let place = places[node.frame as usize];
                path.extend(entities.nest(place.innermost).map(Key::Loop));
                path.push(Key::Function(place.function));
                at = node.parent;
            }
            path.reverse();
            if weight.kernel_ns > 0 {
                add(&mut nodes, &path, weight.kernel_ns);
                path.pop();
            }
            if weight.user_ns > 0 {
                add(&mut nodes, &path, weight.user_ns);
            }
        }
    }
    let smallest = (nodes[0].total_ns as f64 * SMALLEST_SHARE) as u64;
    shown(&nodes, 0, entities, name, smallest)
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
            ("function", function.name.clone(), None, crate::join::base_name(&function.module_path))
        }
        Key::Loop(l) => {
            let entity = &entities.loops[l as usize];
            let module = &entities.functions[entity.function as usize].module_path;
            let place = match crate::place::written_at(entity.code) {
                Some(at) => format!("loop at {}:{}", crate::join::base_name(&at.file), at.line),
                None => format!("loop at {:#x}", entity.code.header),
            };
            ("loop", place, Some(entity.id), crate::join::base_name(module))
        }
    };
    TreeNode {
        kind: kind.to_owned(),
        name,
        loop_id,
        module,
        self_seconds: node.self_ns as f64 / 1e9,
        total_seconds: node.total_ns as f64 / 1e9,
        children: children
            .into_iter()
            .map(|child| shown(nodes, child, entities, program, smallest))
            .collect(),
    }
}
