//! What a chain that one iteration continues in the next takes of a loop's time.
//!
//! Latencies are those of the machine's core, as the analysis gives them. This module only computes; the rules judge.

use crate::evidence::Dependences;
use crate::facts::Facts;
use crate::recommendation::Recommendation;
use loopwright_analysis::model::{LoopFacts, Provenance};
use loopwright_binary::facts::{CarriedChain, Carrier, ChainKind};
use loopwright_costs::estimates::TYPICAL_ADDITION;

/// A chain cannot take longer than its loop. The clock of another run, which turns seconds into cycles, leaves this much room;
/// beyond it the chain is not what the loop's iterations do.
pub const POSSIBLE: f64 = 1.15;
/// A chain that takes this part of the time leaves less than the noise of a prediction for the rest.
const HIDES: f64 = 0.8;
/// A core that holds at least half of the next entry in its window works on both at once: their chains overlap by so much.
const OVERLAPPING: f64 = 1.5;
/// Instructions of two windows: 320 on Zen 4, 512 on Golden Cove (Agner Fog, The microarchitecture of Intel, AMD and VIA CPUs).
const TWO_WINDOWS: f64 = 640.0;
/// What runs in fewer iterations than this part of them is no work of the loop's every iteration.
pub const MOSTLY: f64 = 0.5;

/// Cycles of an iteration without its chains: of the instructions that the core starts, its ports and its divider.
pub fn without_chain(facts: &Facts, of: &LoopFacts) -> f64 {
    let bits = of.vector.as_ref().filter(|_| of.vectorized).map_or(0, |v| v.bits);
    of.iteration().cycles(facts.core(), bits)
}

impl Facts<'_> {
    /// Executions of an instruction of a chain or call, by machine iteration of its loop; absent without counts.
    pub fn executed_each(&self, of: &LoopFacts, address: u64) -> Option<f64> {
        let iterations = of.trip_count.as_ref().map(|t| t.iterations).filter(|n| *n > 0)?;
        let (_, times) = of.executions.iter().find(|(at, _)| *at == address)?;
        Some(*times as f64 / iterations as f64)
    }

    /// The part of the machine iterations in which a chain is continued: all of them where that was not counted.
    pub fn continued(&self, of: &LoopFacts, chain: &CarriedChain) -> f64 {
        let each = chain.instructions.iter().filter_map(|&address| self.executed_each(of, address));
        each.fold(1.0, f64::min)
    }

    /// Counted calls of a machine iteration.
    pub fn calls_each(&self, of: &LoopFacts) -> Option<f64> {
        let iterations = of.trip_count.as_ref().map(|t| t.iterations).filter(|n| *n > 0)?;
        Some(of.work.as_ref()?.mix.call as f64 / iterations as f64)
    }

    /// Share of the loop's time that a chain takes, with the time in called functions where it calls some; above 1 when the
    /// chain is not what its iterations wait for. Absent without counts.
    pub fn chain_share(&self, of: &LoopFacts, chain: &CarriedChain) -> Option<f64> {
        let own = self.time_share_of_cycles(of, f64::from(chain.latency_cycles))?;
        let calling = !of.calls.is_empty() && of.total_seconds > of.self_seconds;
        let part = if calling { of.self_seconds / of.total_seconds } else { 1.0 };
        Some(own * self.continued(of, chain) * part)
    }

    /// The most that a chain can take of its loop's time: more where short entries overlap.
    pub fn possible_share(&self, of: &LoopFacts) -> f64 {
        let mean = of.trip_count.as_ref().and_then(|t| t.mean);
        let short = mean.is_some_and(|mean| mean * f64::from(of.instructions) <= TWO_WINDOWS);
        if short { OVERLAPPING } else { POSSIBLE }
    }

    /// Most of the loop's time goes by while each iteration waits for the one before it, one element after the other: wider vectors
    /// and nearer data are waited for in its shadow.
    pub fn waits_in_order(&self, of: &LoopFacts) -> bool {
        let in_order = [ChainKind::InOrderSum, ChainKind::Recurrence, ChainKind::PointerChase];
        let takes = |c: &CarriedChain| {
            self.chain_share(of, c).is_some_and(|share| (HIDES..=self.possible_share(of)).contains(&share))
        };
        of.chains.iter().filter(|c| in_order.contains(&c.kind)).any(takes)
    }

    /// Adds what share of the loop's time its counted iterations explain, if each takes as long as the chain.
    pub fn because_of_cycles(
        &self,
        new: Recommendation,
        of: &LoopFacts,
        chain: &CarriedChain,
    ) -> Recommendation {
        let (Some(share), Some(trips)) = (self.chain_share(of, chain), of.trip_count.as_ref()) else {
            return new;
        };
        // Chains that overlap are no part of the time.
        if share > POSSIBLE {
            return new;
        }
        let iterations = (trips.iterations as f64 * self.continued(of, chain)).round() as u64;
        new.because(
            Provenance::Modelled,
            Dependences::ChainTime { iterations, cycles: chain.latency_cycles, share },
        )
    }

    /// Additions that a machine iteration makes to one register, in order: more than one of them are as a rule as many source
    /// iterations, because the compiler unrolled the loop. At least 1.
    pub fn additions_in_order(&self, of: &LoopFacts) -> u32 {
        let known = self.machine().and_then(|machine| machine.core);
        let addition = known.map_or(TYPICAL_ADDITION, |core| core.core().add.latency);
        let in_order = |chain: &&CarriedChain| {
            chain.kind == ChainKind::InOrderSum && matches!(chain.carrier, Carrier::Register(_))
        };
        // Moves between registers are instructions of a chain, too.
        let additions = |chain: &CarriedChain| {
            (f64::from(chain.latency_cycles) / addition).min(chain.instructions.len() as f64) as u32
        };
        of.chains.iter().filter(in_order).map(additions).max().unwrap_or(1).max(1)
    }
}

/// A register of the core that is no vector register carries the chain.
fn is_integer(chain: &CarriedChain) -> bool {
    match &chain.carrier {
        Carrier::Register(name) => !["xmm", "ymm", "zmm", "st", "k"].iter().any(|v| name.starts_with(v)),
        Carrier::Memory(_) => false,
    }
}

/// The loop makes its numbers from the last one alone: an integer recurrence without a load but of values that stay the same, as in
/// a generator of random numbers. Each value is defined by the one before it, and another order of them is another result.
pub fn generates(of: &LoopFacts) -> bool {
    let recurrences = || of.chains.iter().filter(|c| c.kind == ChainKind::Recurrence);
    let constants = of.strides.iter().filter(|s| !s.store && s.bytes == 0).count();
    recurrences().next().is_some()
        && recurrences().all(is_integer)
        && of.instruction_mix.load as usize <= constants
}

/// Each iteration needs something of the last one that no clause of a directive removes.
pub fn is_serial(of: &LoopFacts) -> bool {
    of.chains.iter().any(|c| matches!(c.kind, ChainKind::Recurrence | ChainKind::PointerChase))
}

/// The loop calls functions, and most of the time below it is theirs.
pub fn waits_for_callees(of: &LoopFacts) -> bool {
    !of.calls.is_empty() && of.callee_share > MOSTLY
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{call, chain, count, measured, near, scalar_loop, with_loops};
    use loopwright_costs::Microarchitecture;

    /// 4 s at 3 GHz: 3e9 iterations of 4 cycles.
    fn sum(change: impl FnOnce(&mut LoopFacts)) -> loopwright_analysis::model::Analysis {
        measured(vec![scalar_loop(|l| {
            l.chains = vec![chain(ChainKind::InOrderSum, "xmm0", 4)];
            count(l, 1, 3_000_000_000);
            change(l);
        })])
    }

    #[test]
    fn a_chain_takes_the_time_of_the_iterations_that_continue_it() {
        let share = |analysis: &loopwright_analysis::model::Analysis| {
            let of = &analysis.loops[0];
            Facts::new(analysis).chain_share(of, &of.chains[0]).unwrap()
        };
        assert!(near(share(&sum(|_| ())), 1.0));
        assert!(near(share(&sum(|l| l.executions = vec![(0x1210, 300_000_000)])), 0.1));
        let calling = sum(|l| (l.calls, l.total_seconds) = (vec![call(Some("sin"))], 16.0));
        assert!(near(share(&calling), 0.25), "the functions that it calls take the rest");
        let uncounted = sum(|l| l.trip_count = None);
        assert_eq!(
            Facts::new(&uncounted).chain_share(&uncounted.loops[0], &uncounted.loops[0].chains[0]),
            None
        );
    }

    #[test]
    fn short_entries_overlap() {
        let most = |each: u64| {
            let analysis = sum(|l| count(l, 1000, each));
            Facts::new(&analysis).possible_share(&analysis.loops[0])
        };
        assert_eq!((most(20), most(1000)), (OVERLAPPING, POSSIBLE));
    }

    #[test]
    fn additions_are_told_by_their_latency() {
        let unrolled = |latency, instructions: usize, core| {
            let mut analysis = with_loops(vec![scalar_loop(|l| {
                l.chains = vec![chain(ChainKind::InOrderSum, "xmm0", latency)];
                l.chains[0].instructions = vec![1; instructions];
            })]);
            analysis.machine.as_mut().unwrap().core = core;
            Facts::new(&analysis).additions_in_order(&analysis.loops[0])
        };
        let zen4 = Some(Microarchitecture::Zen4);
        assert_eq!((unrolled(24, 8, zen4), unrolled(32, 8, None)), (8, 8));
        assert_eq!(unrolled(16, 4, zen4), 4, "fused multiply-adds take four cycles");
        assert_eq!(unrolled(3, 3, zen4), 1, "two moves and an addition");
    }

    #[test]
    fn a_generator_has_no_input() {
        let of = |register: &str, load| {
            scalar_loop(|l| {
                l.chains = vec![chain(ChainKind::Recurrence, register, 4)];
                l.instruction_mix.load = load;
                l.strides.truncate(2);
            })
        };
        let mut scaled = of("rax", 2);
        assert!(!generates(&scaled));
        scaled.strides.iter_mut().for_each(|s| s.bytes = 0);
        assert!(generates(&scaled), "its loads are of constants");
        assert!(generates(&of("rax", 0)) && !generates(&of("rax", 1)) && !generates(&of("xmm1", 0)));
    }
}
