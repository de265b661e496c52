//! What may make communication quicker, with a range of seconds that never exceeds what was measured at the place.
//!
//! The least gain is 0 where the counts do not show what depends on what. Formulas and sources: docs/communication.md.

mod costs;

use crate::calls::{WORTH, share_of_run};
use crate::model::{CallClass, CommAdvice, CommChange, CommSite};
use costs::Costs;
use loopwright_experiment::Run;
use loopwright_experiment::communication::Messages;
use loopwright_instrument::messages::CallSite;
use loopwright_machine::network::Network;
use loopwright_stats::saturating_sum;
use std::collections::BTreeMap;

/// Functions that send and may be called for each of many messages.
const SENDS: [&str; 10] = [
    "MPI_Send",
    "MPI_Isend",
    "MPI_Rsend",
    "MPI_Irsend",
    "MPI_Bsend",
    "MPI_Ibsend",
    "MPI_Ssend",
    "MPI_Issend",
    "MPI_Sendrecv",
    "MPI_Sendrecv_replace",
];
/// Those of them that end when a message has come, or has been taken.
const SENDS_AND_WAITS: [&str; 3] = ["MPI_Ssend", "MPI_Sendrecv", "MPI_Sendrecv_replace"];
/// Functions that wait for one message.
const WAITS: [&str; 3] = ["MPI_Recv", "MPI_Wait", "MPI_Waitany"];
/// Functions that look whether something has come.
const POLLS: [&str; 6] =
    ["MPI_Test", "MPI_Testall", "MPI_Testany", "MPI_Testsome", "MPI_Iprobe", "MPI_Improbe"];
/// Calls for each message from which on it is polled often: a test after each piece of work is few.
const OFTEN: u64 = 10;
/// Collective calls whose values can be joined.
const JOINED: [&str; 4] = ["MPI_Allreduce", "MPI_Reduce", "MPI_Bcast", "MPI_Allgather"];
/// Most bytes of a collective call that its latency rules: 256 B take 20 ns at 12.5 GB/s.
const FEW_BYTES: u64 = 256;
/// Most bytes of a message that joins others: the largest that is measured.
const LARGEST: u64 = 4 << 20;

/// Calls of each rank that made some.
pub(super) type OfRanks<'a> = crate::calls::OfRanks<'a, CallSite>;

/// What was counted, and what the machine takes.
pub(super) struct Counted<'a> {
    /// Each place with its calls of each rank.
    pub sites: Vec<(CommSite, OfRanks<'a>)>,
    pub runs: &'a BTreeMap<u32, &'a Run<Messages>>,
    /// Seconds of the longest rank.
    pub elapsed: f64,
    pub network: Option<&'a Network>,
}

/// Advice by descending gain, and whether there would be more if the network were measured.
pub(super) fn advice(counted: &Counted<'_>) -> (Vec<CommAdvice>, bool) {
    let costs = counted.network.map(|network| Costs { network, runs: counted.runs });
    let (mut found, mut lacking) = (Vec::new(), false);
    found.extend(counted.balance());
    for at in 0..counted.sites.len() {
        found.extend(counted.barrier(at, costs.as_ref()));
        found.extend(counted.polling(at));
        for wanted in [counted.messages(at, costs.as_ref()), counted.collectives(at, costs.as_ref())] {
            match wanted {
                Wanted::Nothing => (),
                Wanted::Network => lacking = true,
                Wanted::Change(advice) => found.push(advice),
            }
        }
    }
    found.retain(|advice| advice.gain_share[1] >= WORTH);
    found.sort_by(|a, b| b.gain_seconds[1].total_cmp(&a.gain_seconds[1]));
    (found, lacking)
}

/// What a rule that needs the network finds.
enum Wanted {
    Nothing,
    /// There is something to gain, the network would say how much.
    Network,
    Change(CommAdvice),
}

impl Counted<'_> {
    fn ranks(&self) -> f64 {
        self.runs.len().max(1) as f64
    }

    /// The most is never more than what was measured, the least never more than the most.
    fn advised(
        &self,
        site: &CommSite,
        measured: f64,
        gain: [f64; 2],
        change: CommChange,
    ) -> Option<CommAdvice> {
        let high = gain[1].min(measured);
        let low = gain[0].clamp(0.0, high.max(0.0));
        let share = |seconds: f64| share_of_run(seconds, self.elapsed);
        (high.is_finite() && high > 0.0).then(|| CommAdvice {
            change,
            function: site.function.clone(),
            place: site.place.clone(),
            measured_seconds: measured,
            gain_seconds: [low, high],
            gain_share: [share(low), share(high)],
        })
    }

    fn is_worth(&self, seconds: f64) -> bool {
        self.elapsed > 0.0 && seconds >= WORTH * self.elapsed
    }

    /// Ranks wait for the slowest one: with equal work each rank has the mean of all, and that one has its excess less.
    fn balance(&self) -> Option<CommAdvice> {
        let waited = |site: &CommSite| site.sync_seconds.or(site.sync_at_least).unwrap_or(0.0);
        let waits: Vec<&(CommSite, OfRanks<'_>)> =
            self.sites.iter().filter(|(site, _)| waited(site) > 0.0).collect();
        let (most, _) = waits.iter().max_by(|a, b| waited(&a.0).total_cmp(&waited(&b.0)))?;
        let busy = |rank: u32, run: &Run<Messages>| {
            let of = waits.iter().flat_map(|(site, calls)| calls.iter().map(move |call| (site, call)));
            let waiting = of.filter(|(_, (of, _))| *of == rank).map(|(site, (_, calls))| {
                // Barriers of the tool are beside the call's own seconds.
                if site.sync_seconds.is_some() { calls.waiting_seconds } else { calls.called.seconds }
            });
            (run.facts.run.elapsed_seconds - waiting.sum::<f64>()).max(0.0)
        };
        let all: Vec<(u32, f64)> = self.runs.iter().map(|(rank, run)| (*rank, busy(*rank, run))).collect();
        let (slowest_rank, busy_seconds) = *all.iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
        let mean_busy_seconds = all.iter().map(|(_, busy)| busy).sum::<f64>() / self.ranks();
        let measured = waits.iter().map(|(site, _)| waited(site)).sum();
        let places = waits.len() as u32;
        let change = CommChange::BalanceWork { slowest_rank, busy_seconds, mean_busy_seconds, places };
        self.advised(most, measured, [0.0, busy_seconds - mean_busy_seconds], change)
    }

    /// Without the call the rank has its time but for the waiting, which goes to the next call in which all wait.
    fn barrier(&self, at: usize, costs: Option<&Costs<'_>>) -> Option<CommAdvice> {
        let (site, of) = self.sites.get(at)?;
        if site.function != "MPI_Barrier" {
            return None;
        }
        let calls = site.calls / u64::from(site.callers.max(1));
        let least = of.iter().map(|(_, calls)| calls.called.seconds).fold(f64::INFINITY, f64::min);
        let known = costs.and_then(Costs::barrier).map_or(0.0, |seconds| calls as f64 * seconds);
        let beside = self.sites.iter().map(|(other, _)| other).find(|other| {
            let alike =
                other.caller == site.caller && other.module == site.module && other.calls == site.calls;
            alike && other.class == CallClass::Collective && other.function != site.function
        });
        let beside = beside.map(|other| format!("{} {}", other.function, other.place));
        let own = site.seconds - site.sync_at_least.unwrap_or(0.0);
        self.advised(site, own, [known.min(least), own], CommChange::RemoveBarrier { calls, beside })
    }

    fn polling(&self, at: usize) -> Option<CommAdvice> {
        let (site, _) = self.sites.get(at)?;
        if !POLLS.contains(&site.function.as_str()) {
            return None;
        }
        let sent = saturating_sum(
            self.runs.values().flat_map(|run| run.facts.peers.iter().map(|peer| peer.messages)),
        );
        let each = |sum: u64| sum / self.runs.len().max(1) as u64;
        let (calls, messages) = (each(site.calls), each(sent));
        if calls < OFTEN.saturating_mul(messages.max(1)) {
            return None;
        }
        self.advised(site, site.seconds, [0.0, site.seconds], CommChange::PollLess { calls, messages })
    }

    /// The most calls of this rank at a place where it waits, of those that are made at most once for `least` of these: messages before
    /// and after it may depend on each other.
    fn rounds(&self, at: usize, rank: u32, calls: u64, least: u64) -> u64 {
        let others = self.sites.iter().enumerate().filter(|(k, (site, _))| {
            let receives = site.function == "MPI_Recv" || site.function == "MPI_Sendrecv";
            let waits = matches!(site.class, CallClass::Collective | CallClass::Completion);
            *k != at && (receives || waits) && !POLLS.contains(&site.function.as_str())
        });
        let made = others
            .filter_map(|(_, (_, of))| of.iter().find(|(of, _)| *of == rank).map(|(_, s)| s.called.calls));
        made.filter(|made| made.saturating_mul(least) <= calls).max().unwrap_or(1).max(1)
    }

    /// Hockney: n messages of b bytes take n T(b), one with all their bytes T(n b), which saves (n - 1) latencies. Where messages are not
    /// waited for one by one, they follow each other at the gap, and (n - 1) gaps are saved.
    fn messages(&self, at: usize, costs: Option<&Costs<'_>>) -> Wanted {
        let Some((site, of)) = self.sites.get(at) else { return Wanted::Nothing };
        let larger = site.bins[4..].iter().any(|calls| *calls > 0);
        if !SENDS.contains(&site.function.as_str()) || site.calls == 0 || site.without_bytes > 0 || larger {
            return Wanted::Nothing;
        }
        let partner = self.waits_for_each(at);
        let waited = partner.is_some() || SENDS_AND_WAITS.contains(&site.function.as_str());
        let measured = site.seconds + partner.map_or(0.0, |partner| partner.seconds);
        let bytes = site.bytes / site.calls;
        let (mut saved, mut of_one, mut largest, mut lacking) = (0.0, 0.0, 0, false);
        for (rank, calls) in of {
            let peers = self.runs.get(rank).map_or(1, |run| run.facts.peers.len().max(1) as u64);
            let rounds = self.rounds(at, *rank, calls.called.calls, peers.saturating_mul(2));
            let together = (calls.called.calls / peers.saturating_mul(rounds)).min(LARGEST / bytes.max(1));
            if together < 2 {
                continue;
            }
            largest = largest.max(together);
            let groups = calls.called.calls as f64 / together as f64;
            match costs.and_then(|costs| costs.message(*rank, bytes, together, waited)) {
                None => lacking = true,
                Some(cost) if cost.is_small => {
                    saved += groups * cost.saved;
                    of_one += cost.one / of.len() as f64;
                }
                Some(_) => (),
            }
        }
        if lacking {
            return if self.is_worth(measured) { Wanted::Network } else { Wanted::Nothing };
        }
        let change = CommChange::JoinMessages {
            messages: site.calls / of.len().max(1) as u64,
            bytes,
            together: largest,
            message_seconds: of_one,
            waits_at: partner.map(|partner| format!("{} {}", partner.function, partner.place)),
        };
        let advised = self.advised(site, measured, [0.0, saved / self.ranks()], change);
        advised.map_or(Wanted::Nothing, Wanted::Change)
    }

    /// The place of the same function of the program where each of these messages, or the answer, is waited for.
    fn waits_for_each(&self, at: usize) -> Option<&CommSite> {
        let (site, _) = self.sites.get(at)?;
        let alike = |other: &&CommSite| {
            let same =
                other.caller == site.caller && other.module == site.module && other.calls == site.calls;
            same && WAITS.contains(&other.function.as_str())
        };
        self.sites.iter().map(|(other, _)| other).filter(alike).max_by(|a, b| a.seconds.total_cmp(&b.seconds))
    }

    /// A collective call of n values takes hardly longer than one of a value: (n - 1) calls are saved.
    fn collectives(&self, at: usize, costs: Option<&Costs<'_>>) -> Wanted {
        let Some((site, of)) = self.sites.get(at) else { return Wanted::Nothing };
        let bytes = site.bytes / site.calls.max(1);
        if !JOINED.contains(&site.function.as_str()) || bytes > FEW_BYTES || site.without_bytes > 0 {
            return Wanted::Nothing;
        }
        let Some((rank, one)) = of.first() else { return Wanted::Nothing };
        let calls = one.called.calls;
        let rounds = self.rounds(at, *rank, calls, 2);
        let together = calls / rounds;
        // What ranks wait for each other stays.
        let own = site.seconds - site.sync_at_least.unwrap_or(0.0);
        if together < 2 || !self.is_worth(own) {
            return Wanted::Nothing;
        }
        let Some(call_seconds) = costs.and_then(Costs::allreduce) else { return Wanted::Network };
        let change = CommChange::JoinCollectives { calls, bytes, together, call_seconds };
        let saved = calls.saturating_sub(rounds) as f64 * call_seconds;
        self.advised(site, own, [0.0, saved], change).map_or(Wanted::Nothing, Wanted::Change)
    }
}

#[cfg(test)]
mod tests;
