//! Collects which instructions come from inlined functions, and the lines of calls.

use super::blocks::Graph;
use super::origin::Places;
use crate::facts::{Collected, InlinedCode};
use iced_x86::FlowControl;
use rustc_hash::FxHashMap as HashMap;

/// The inlined code of a function.
pub fn find(graph: &Graph, places: &Places, entry: u64) -> InlinedCode {
    let mut collected = Collected::default();
    let mut known: HashMap<&[u32], u32> = HashMap::default();
    for (at, instruction) in graph.instructions.iter().enumerate() {
        let bounds = (instruction.ip(), instruction.next_ip());
        let chain = places.chain(at);
        if !chain.is_empty() {
            let number = *known.entry(chain).or_insert_with(|| collected.chain(&places.inlined(chain)));
            collected.range(bounds, number);
        }
        let calls = matches!(instruction.flow_control(), FlowControl::Call | FlowControl::IndirectCall);
        if instruction.flow_control() == FlowControl::Call && instruction.near_branch_target() == entry {
            collected.calls_itself();
        }
        if let Some(position) = places.spots.get(at).filter(|_| calls).and_then(|spot| spot.position) {
            collected.call(bounds, &places.location(position));
        }
    }
    collected.finish()
}
