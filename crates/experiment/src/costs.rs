//! What the tool itself took, by phase: stored with the run that it was spent on.

use crate::pieces::{Pieces, Stored};
use crate::{Error, Experiment, RunId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the tool did meanwhile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// Describing the machine, and measuring its ceilings where they were not known.
    Machine,
    /// The program ran and was sampled, with its start and the unwinding of its stacks.
    Sampled,
    /// Code was read and rewritten before the program's first instruction, to count it.
    PrepareCounting,
    /// The program ran and was counted; `waiting_seconds` of it for code to be rewritten at first calls.
    Counted,
    /// Counters were read and turned into executions.
    CollectCounts,
    /// Code was read and rewritten before the program's first instruction, to trace it.
    PrepareTracing,
    /// The program ran and was traced.
    Traced,
    /// The last bursts were analysed.
    CollectTraces,
    /// The program ran under the processor's counters, after perf was looked for and tried.
    TopDown,
    /// Operations were calibrated, and code was read and rewritten before the program's first instruction, to inject them.
    PrepareInjection,
    /// The program ran with injected operations.
    Injected,
    /// The recorded windows were turned into times.
    CollectInjection,
    /// Code was read and rewritten before the program's first instruction, to hook functions.
    PrepareListening,
    /// The program ran with hooks.
    Listened,
    /// What the hooks counted was read.
    CollectCalls,
    /// Functions and loops were read from the binaries.
    ReadBinaries,
    /// The experiment was written.
    Store,
    /// The experiment was read and joined, to choose what to count, to trace and to ask.
    Choose,
    /// Everything else was done, and compilers had not answered yet.
    Compilers,
    /// The experiment was read and joined for the answer.
    Join,
    /// Rules were applied and the answer printed.
    Answer,
}

/// A phase with its cost.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Cost {
    /// What.
    pub phase: Phase,
    /// Elapsed time. Phases follow each other without gaps.
    pub seconds: f64,
    /// CPU time of the tool meanwhile, without that of the program and of compilers; in steps of 10 ms.
    pub cpu_seconds: f64,
    /// Part of `seconds` in which a thread of the program waited for the tool.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub waiting_seconds: Option<f64>,
}

/// Their name among the pieces of a run, and the version of their form.
const COSTS: &str = "costs";
const FORM: u32 = 1;

impl Experiment {
    /// Stores what the tool took for a run, and for what came with it.
    pub fn add_costs(&mut self, run: RunId, costs: &[Cost]) -> Result<(), Error> {
        let mut pieces = Pieces::new(FORM);
        pieces.json(COSTS, 0, &costs);
        self.in_transaction(|transaction| pieces.write(transaction, run))
    }

    /// What the tool took for these runs, in their order.
    pub fn costs(&self, runs: &[RunId]) -> Result<Vec<Cost>, Error> {
        let mut costs = Vec::new();
        for run in runs {
            costs.append(&mut Stored::of(self, *run, COSTS, FORM).optional(COSTS)?.unwrap_or_default());
        }
        Ok(costs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use loopwright_remarks::remark::Remark;

    #[test]
    fn costs_come_back_in_the_order_of_their_runs() {
        let folder = tempfile::tempdir().unwrap();
        let mut experiment = Experiment::create_or_open(&folder.path().join("x.lw")).unwrap();
        let cost = |phase, seconds| Cost { phase, seconds, cpu_seconds: 0.01, waiting_seconds: None };
        let runs = [0, 1].map(|_| experiment.add(&Vec::<Remark>::new(), None, None).unwrap());
        let counted = Cost { waiting_seconds: Some(0.25), ..cost(Phase::Counted, 2.0) };
        experiment.add_costs(runs[1], &[counted]).unwrap();
        experiment.add_costs(runs[0], &[cost(Phase::Sampled, 1.0), cost(Phase::Store, 0.5)]).unwrap();
        let all = experiment.costs(&runs).unwrap();
        assert_eq!(all, [cost(Phase::Sampled, 1.0), cost(Phase::Store, 0.5), counted]);
        assert_eq!(experiment.costs(&[99]).unwrap(), []);
    }
}
