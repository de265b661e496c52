//! The facts of one state, as loaded: what every computation of this crate starts from.

use loopwright_experiment::{CodeModule, Error, Experiment, RunId, State};
use loopwright_machine::{Ceilings, Machine};
use loopwright_remarks::remark::Remark;
use loopwright_sample::recording::Recording;
use serde::{Deserialize, Serialize};

/// The machine as stored with a run: described always, its ceilings when they were known.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MachineRecord {
    /// Topology, features and conditions.
    pub machine: Machine,
    /// Measured ceilings.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub ceilings: Option<Ceilings>,
}

/// One survey with what the binaries say.
#[derive(Clone, Debug)]
pub struct SurveyFacts {
    /// Run in the experiment.
    pub run: RunId,
    /// Samples.
    pub recording: Recording,
    /// The machine it ran on.
    pub machine: Option<MachineRecord>,
    /// Described modules.
    pub code: Vec<CodeModule>,
}

/// Everything that is analysed together: all ranks of a job, and the compilers' remarks.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// One per rank; exactly one without MPI.
    pub surveys: Vec<SurveyFacts>,
    /// Remarks.
    pub remarks: Vec<Remark>,
}

impl Facts {
    /// Loads a state.
    pub fn load(experiment: &Experiment, state: &State) -> Result<Self, Error> {
        let survey = |&run: &RunId| {
            Ok(SurveyFacts {
                run,
                recording: experiment.recording(run)?,
                machine: experiment.machine(run)?,
                code: experiment.code(run)?,
            })
        };
        Ok(Self {
            surveys: state.surveys.iter().map(survey).collect::<Result<_, Error>>()?,
            remarks: experiment.remarks(&state.remarks)?,
        })
    }
}
