//! What the measured network says of messages and collective calls of this job.

use loopwright_experiment::Run;
use loopwright_experiment::communication::Messages;
use loopwright_machine::network::{Network, NetworkPath};
use std::collections::BTreeMap;

/// Where no eager limit was seen, larger messages are not small: their bytes take longer than their latency on every network.
const SMALL: u64 = 64 << 10;

/// A network and where ranks are.
pub(super) struct Costs<'a> {
    pub network: &'a Network,
    pub runs: &'a BTreeMap<u32, &'a Run<Messages>>,
}

/// What a rank's messages take, on average over its receivers.
#[derive(Clone, Copy, Default)]
pub(super) struct MessageCost {
    /// Seconds of one.
    pub one: f64,
    /// Seconds that a group of them takes longer than the one message that replaces it.
    pub saved: f64,
    /// They are below the limit from which on latency is not what they take.
    pub is_small: bool,
}

impl Costs<'_> {
    /// Nothing where a path between these ranks was not measured.
    pub fn message(&self, rank: u32, bytes: u64, together: u64, waited: bool) -> Option<MessageCost> {
        let run = self.runs.get(&rank)?;
        let all: f64 = run.facts.peers.iter().map(|peer| peer.messages as f64).sum();
        if all <= 0.0 {
            return None;
        }
        let mut sum = MessageCost { is_small: true, ..MessageCost::default() };
        for peer in &run.facts.peers {
            let near = self.runs.get(&peer.rank).is_some_and(|other| other.target.host == run.target.host);
            let path = if near { &self.network.within_node } else { &self.network.between_nodes };
            let cost = of_path(path.as_ref()?, bytes, together, waited)?;
            let part = peer.messages as f64 / all;
            sum.one += part * cost.one;
            sum.saved += part * cost.saved;
            sum.is_small &= cost.is_small;
        }
        Some(sum)
    }

    /// Seconds of a barrier of as many ranks as the job has.
    pub fn barrier(&self) -> Option<f64> {
        self.of_all(self.network.barrier_seconds?)
    }

    /// Seconds of a small allreduce of as many ranks as the job has.
    pub fn allreduce(&self) -> Option<f64> {
        self.of_all(self.network.allreduce_seconds?)
    }

    /// Small collective calls take a number of steps that grows as the logarithm of the ranks, for all algorithms that libraries use for
    /// them (Thakur, Rabenseifner and Gropp, Optimization of Collective Communication Operations in MPICH, 2005). A step between nodes
    /// is not known from steps within one.
    fn of_all(&self, seconds: f64) -> Option<f64> {
        let hosts: std::collections::BTreeSet<&str> =
            self.runs.values().map(|run| run.target.host.as_str()).collect();
        if self.network.ranks < 2 || (hosts.len() > 1) != (self.network.nodes > 1) {
            return None;
        }
        let steps = |ranks: f64| ranks.log2().ceil().max(1.0);
        Some(seconds * steps(self.runs.len() as f64) / steps(f64::from(self.network.ranks)))
    }
}

fn of_path(path: &NetworkPath, bytes: u64, together: u64, waited: bool) -> Option<MessageCost> {
    let is_small = bytes <= path.eager_limit_bytes.unwrap_or(SMALL);
    let n = together as f64;
    if !waited {
        let gap = path.gap_seconds?;
        return Some(MessageCost { one: gap, saved: (n - 1.0) * gap, is_small });
    }
    let one = path.seconds(bytes);
    // One that is so large that it is sent otherwise may take longer than those that it replaces.
    let saved = (n * one - path.seconds(bytes.saturating_mul(together))).max(0.0);
    Some(MessageCost { one, saved, is_small })
}
