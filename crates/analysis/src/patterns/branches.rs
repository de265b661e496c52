//! Conditional branches in shares, rates and cycles per iteration.

use super::Traced;
use crate::model::BranchFacts;
use loopwright_patterns::facts::BranchUse;

/// Judged outcomes from which on bursts give a rate of misses: that of a branch that goes either way by chance is then known to
/// 5 %, one standard deviation of 100 such outcomes. A trace of everything is no sample.
const JUDGED: u64 = 100;

/// The branches of a loop, those that cost most first; `penalty` is what a misprediction costs, in cycles.
pub(super) fn branches(traced: &Traced, penalty: f64) -> Vec<BranchFacts> {
    let seen = traced.seen;
    let least = if traced.run.facts.exhaustive { 1 } else { JUDGED };
    let mut list: Vec<BranchFacts> = seen
        .branches
        .iter()
        .filter(|branch| branch.executed > 0)
        .map(|branch| {
            let spot = traced.spot(branch.module, branch.function, branch.address);
            BranchFacts {
                file: spot.file,
                line: spot.line,
                column: spot.column,
                function: spot.function,
                address: format!("{:#x}", branch.address),
                ..rates(branch, seen.iterations, least, penalty)
            }
        })
        .collect();
    let cost = |branch: &BranchFacts| branch.misses_per_iteration.unwrap_or(0.0);
    list.sort_by(|a, b| cost(b).total_cmp(&cost(a)).then(b.executed.cmp(&a.executed)));
    list
}

/// The numbers of a branch in a loop of that many machine iterations.
fn rates(branch: &BranchUse, iterations: u64, least: u64, penalty: f64) -> BranchFacts {
    let per_iteration = branch.executed as f64 / iterations.max(1) as f64;
    let miss_rate = (branch.predicted >= least).then(|| branch.mispredicted as f64 / branch.predicted as f64);
    let misses_per_iteration = miss_rate.filter(|_| iterations > 0).map(|rate| rate * per_iteration);
    BranchFacts {
        executed: branch.executed,
        executed_per_iteration: per_iteration,
        taken_share: branch.taken as f64 / branch.executed.max(1) as f64,
        predicted: branch.predicted,
        miss_rate,
        misses_per_iteration,
        cycles_per_iteration: misses_per_iteration.map(|misses| misses * penalty),
        ..BranchFacts::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_judged_outcomes_stand_for_all_that_were_traced() {
        let branch = BranchUse {
            executed: 4000,
            taken: 1000,
            predicted: 2000,
            mispredicted: 500,
            ..BranchUse::default()
        };
        let found = rates(&branch, 8000, JUDGED, 16.0);
        assert_eq!((found.executed_per_iteration, found.taken_share), (0.5, 0.25));
        assert_eq!((found.miss_rate, found.misses_per_iteration), (Some(0.25), Some(0.125)));
        assert_eq!(found.cycles_per_iteration, Some(2.0));
    }

    #[test]
    fn few_judged_outcomes_of_a_sample_give_no_rate() {
        let branch =
            BranchUse { executed: 90, taken: 45, predicted: 60, mispredicted: 60, ..BranchUse::default() };
        let found = rates(&branch, 30, JUDGED, 16.0);
        assert_eq!((found.executed_per_iteration, found.miss_rate), (3.0, None));
        assert_eq!((found.misses_per_iteration, found.cycles_per_iteration), (None, None));
        assert_eq!(rates(&branch, 30, 1, 16.0).miss_rate, Some(1.0), "of everything that ran");
    }
}
