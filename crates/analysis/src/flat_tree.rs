//! How the top-down tree is written: as a list of nodes, each after its parent.
//!
//! A nested form would be as deep as the program's call stacks, beyond what JSON readers accept (128 levels for
//! several of them).

use crate::model::TreeNode;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

/// A node of a top-down tree, written as a list in which each node follows its parent.
#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct FlatNode {
    /// Index of the parent in the list; `null` for the root, which comes first.
    parent: Option<u32>,
    /// `program`, `function` or `loop`.
    #[schemars(extend("enum" = ["program", "function", "loop"]))]
    kind: String,
    /// Function name, or `loop at file:line`.
    name: String,
    /// Loop id.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    loop_id: Option<u32>,
    /// Module base name.
    module: String,
    /// Self time.
    self_seconds: f64,
    /// Total time.
    total_seconds: f64,
}

/// Writes the tree as a list in depth-first order.
pub fn serialize<S: Serializer>(tree: &Option<TreeNode>, serializer: S) -> Result<S::Ok, S::Error> {
    let mut flat: Vec<FlatNode> = Vec::new();
    let mut pending: Vec<(Option<u32>, &TreeNode)> = tree.iter().map(|root| (None, root)).collect();
    while let Some((parent, node)) = pending.pop() {
        let index = flat.len() as u32;
        flat.push(FlatNode {
            parent,
            kind: node.kind.clone(),
            name: node.name.clone(),
            loop_id: node.loop_id,
            module: node.module.clone(),
            self_seconds: node.self_seconds,
            total_seconds: node.total_seconds,
        });
        pending.extend(node.children.iter().rev().map(|child| (Some(index), child)));
    }
    flat.serialize(serializer)
}

/// Reads the list back.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<TreeNode>, D::Error> {
    let flat = Vec::<FlatNode>::deserialize(deserializer)?;
    let mut nodes: Vec<(Option<u32>, TreeNode)> = Vec::with_capacity(flat.len());
    for (index, node) in flat.into_iter().enumerate() {
        let before = |parent: u32| (parent as usize) < index;
        if node.parent.is_some_and(|parent| !before(parent)) || (node.parent.is_none() && index > 0) {
            return Err(D::Error::custom("a node of the tree comes before its parent"));
        }
        nodes.push((
            node.parent,
            TreeNode {
                kind: node.kind,
                name: node.name,
                loop_id: node.loop_id,
                module: node.module,
                self_seconds: node.self_seconds,
                total_seconds: node.total_seconds,
                children: Vec::new(),
            },
        ));
    }
    // From the last to the first, so that every node is complete when it moves into its parent.
    while let Some((parent, mut node)) = nodes.pop() {
        node.children.reverse();
        match parent {
            Some(parent) => nodes[parent as usize].1.children.push(node),
            None => return Ok(Some(node)),
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use crate::model::{Analysis, TreeNode};

    fn node(name: &str, children: Vec<TreeNode>) -> TreeNode {
        TreeNode {
            kind: "function".into(),
            name: name.into(),
            loop_id: None,
            module: "m".into(),
            self_seconds: 1.0,
            total_seconds: 2.0,
            children,
        }
    }

    fn names(node: &TreeNode) -> String {
        let children: Vec<String> = node.children.iter().map(names).collect();
        format!("{}({})", node.name, children.join(""))
    }

    #[test]
    fn a_tree_comes_back_and_stays_flat_however_deep_it_is() {
        let mut deep = node("leaf", Vec::new());
        for level in 0..400 {
            deep = node(&level.to_string(), vec![deep]);
        }
        let tree = node(
            "root",
            vec![node("a", vec![node("b", vec![]), node("c", vec![])]), deep, node("d", vec![])],
        );
        let mut analysis = crate::analyse(&loopwright_experiment::Facts::default());
        analysis.tree = Some(tree);
        let text = serde_json::to_string(&analysis).unwrap();
        let back: Analysis = serde_json::from_str(&text).unwrap();
        assert_eq!(names(back.tree.as_ref().unwrap()), names(analysis.tree.as_ref().unwrap()));
    }

    #[test]
    fn a_node_before_its_parent_is_refused() {
        let mut value =
            serde_json::to_value(crate::analyse(&loopwright_experiment::Facts::default())).unwrap();
        let stray = serde_json::json!({"parent": 1, "kind": "", "name": "", "module": "", "self_seconds": 0.0, "total_seconds": 0.0});
        value["tree"] = serde_json::json!([stray]);
        assert!(serde_json::from_value::<Analysis>(value).is_err());
    }
}
