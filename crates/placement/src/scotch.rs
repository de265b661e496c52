//! What the partitioner Scotch reads and writes (`gmap`, Pellegrini; *Scotch and libScotch User's Guide*, chapter "Files and data
//! structures"): a graph, a target of nodes, and the mapping of one on the other. Running it is the caller's work.

use crate::graph::Graph;
use crate::matrix::CommunicationMatrix;
use crate::nodes::Placement;

/// Largest weight of an edge: sums have to fit into 32 bits, which Scotch's numbers may have.
const LARGEST: i64 = 10_000;

/// The graph: number of ranks and of edges in both directions; base 0, edges with weights; a line for each rank.
pub fn graph(matrix: &CommunicationMatrix) -> String {
    let graph = Graph::of(matrix);
    let all = 0..graph.len() as u32;
    let most =
        all.clone().flat_map(|rank| graph.of_rank(rank)).map(|edge| edge.both()).max().unwrap_or(1).max(1);
    let mut out = format!("0\n{} {}\n0 010\n", graph.len(), graph.edges());
    for rank in all {
        let edges = graph.of_rank(rank);
        out.push_str(&edges.len().to_string());
        for edge in edges {
            let weight = (edge.both() as f64 / most as f64 * LARGEST as f64).ceil().max(1.0) as i64;
            out.push_str(&format!(" {weight} {}", edge.to));
        }
        out.push('\n');
    }
    out
}

/// The target: every node is as far from each other one, and takes its part of the ranks.
pub fn target(room: &[u32]) -> String {
    let nodes: Vec<&u32> = room.iter().filter(|room| **room > 0).collect();
    let weights: Vec<String> = nodes.iter().map(ToString::to_string).collect();
    format!("cmpltw {} {}\n", nodes.len(), weights.join(" "))
}

/// Reads a mapping: the number of lines, then a rank and its part on each. Scotch fills parts nearly as asked: ranks beyond what a node
/// can hold go, those with the least bytes to it first, to the node with room with which they exchange most. Nothing where the text is
/// no mapping of these ranks.
pub fn placement(matrix: &CommunicationMatrix, room: &[u32], mapping: &str) -> Option<Placement> {
    let nodes: Vec<u32> = (0..room.len() as u32).filter(|node| room[*node as usize] > 0).collect();
    let ranks = matrix.ranks() as usize;
    let mut lines = mapping.lines().filter(|line| !line.trim().is_empty());
    let count: usize = lines.next()?.trim().parse().ok()?;
    let mut node_of = vec![None; ranks];
    for line in lines {
        let mut words = line.split_whitespace();
        let (rank, part): (usize, usize) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
        *node_of.get_mut(rank)? = Some(*nodes.get(part)?);
    }
    let node_of: Vec<u32> = node_of.into_iter().collect::<Option<_>>()?;
    (count == ranks).then(|| Placement::new(fitted(&Graph::of(matrix), node_of, room)))
}

/// The ranks with `room[n]` of them on node n.
fn fitted(graph: &Graph, mut node_of: Vec<u32>, room: &[u32]) -> Vec<u32> {
    let mut held = vec![0_u32; room.len()];
    node_of.iter().for_each(|node| held[*node as usize] += 1);
    let bytes_to = |node_of: &[u32], rank: usize, node: u32| -> i64 {
        let edges = graph.of_rank(rank as u32).iter();
        edges.filter(|edge| node_of[edge.to as usize] == node).map(|edge| edge.both()).sum()
    };
    while let Some(full) = (0..room.len()).find(|node| held[*node] > room[*node]) {
        let members = (0..node_of.len()).filter(|rank| node_of[*rank] as usize == full);
        let Some(rank) = members.min_by_key(|rank| (bytes_to(&node_of, *rank, full as u32), *rank)) else {
            break;
        };
        let open = (0..room.len()).filter(|node| held[*node] < room[*node]);
        let best = open.max_by_key(|node| (bytes_to(&node_of, rank, *node as u32), std::cmp::Reverse(*node)));
        let Some(best) = best else { break };
        held[full] -= 1;
        held[best] += 1;
        node_of[rank] = best as u32;
    }
    node_of
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::Sent;

    fn ring() -> CommunicationMatrix {
        let sent =
            (0..4).map(|from| Sent { from, to: (from + 1) % 4, messages: 1, bytes: 1 << u64::from(from) });
        CommunicationMatrix::new(4, sent.collect()).unwrap()
    }

    #[test]
    fn graph_and_target_are_in_scotch_s_form() {
        let text = "0\n4 8\n0 010\n2 1250 1 10000 3\n2 1250 0 2500 2\n2 2500 1 5000 3\n2 10000 0 5000 2\n";
        assert_eq!(graph(&ring()), text);
        assert_eq!(target(&[3, 0, 1]), "cmpltw 2 3 1\n");
    }

    #[test]
    fn a_mapping_is_made_to_fit_and_other_texts_are_none() {
        let read = |text| placement(&ring(), &[2, 0, 2], text).map(|found| found.node_of().to_vec());
        assert_eq!(read("4\n0\t0\n1\t1\n2\t1\n3\t0\n"), Some(vec![0, 2, 2, 0]));
        // Three ranks on the first node: the one with the least to do there goes.
        assert_eq!(read("4\n0 0\n1 0\n2 1\n3 0\n"), Some(vec![0, 2, 2, 0]));
        for wrong in ["", "4\n0 0\n", "4\n0 0\n1 2\n2 0\n3 0\n", "4\n9 0\n", "x", "5\n0 0\n1 0\n2 1\n3 1\n"] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }
}
