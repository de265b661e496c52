//! Energy of runs in the store: what counters showed while the program ran, or the numbers of a model and the times that go into it.

use crate::pieces::{Pieces, Stored};
use crate::{Collected, Error};
pub use loopwright_machine::energy::{Domain, DomainEnergy, Fault, Interface, Measured, Model};
pub use loopwright_sample::clocks::Load;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Runs whose energy is known.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Energy {
    /// How it is known.
    pub source: EnergySource,
    /// The runs, in the order in which they were made.
    pub runs: Vec<EnergyRun>,
}

/// How energy is known.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum EnergySource {
    /// Counters of the processor.
    Counters {
        /// How they were read.
        interface: Interface,
    },
    /// A model: power without work, and of each busy core more.
    Model {
        /// Its numbers.
        #[serde(flatten)]
        model: Model,
        /// They were measured on this machine; else the user gave them.
        calibrated: bool,
        /// The largest distance of a measured point from the model, as a share of its power.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        worst: Option<f64>,
    },
}

/// A run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EnergyRun {
    /// The number of threads that it was given; absent for the sampled run, which has what the user gave it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub threads: Option<u32>,
    /// Threads that it had, in all its processes.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub threads_seen: Option<u32>,
    /// Its time.
    pub seconds: f64,
    /// CPU time of all its processes.
    pub cpu_seconds: f64,
    /// What the whole machine did meanwhile.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub load: Option<Load>,
    /// What the counters showed; empty with a model.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub domains: Vec<DomainEnergy>,
    /// Time between the first and the last reading of the counters; absent with a model.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub counted_seconds: Option<f64>,
}

impl EnergyRun {
    /// Joules, as far as they are known.
    pub fn joules(&self, source: &EnergySource) -> Option<f64> {
        match source {
            EnergySource::Counters { .. } => loopwright_machine::energy::joules(&self.domains),
            EnergySource::Model { model, .. } => Some(model.joules(self.seconds, self.cpu_seconds)),
        }
    }
}

impl Collected for Energy {
    const KIND: &'static str = "energy";
    const FORM: u32 = 1;

    fn pack(&self, pieces: &mut Pieces) {
        pieces.json("energy", 0, self);
    }

    fn unpack(stored: &Stored<'_>) -> Result<Self, Error> {
        let energy: Self = stored.json("energy")?;
        let is_amount = |value: f64| value.is_finite() && value >= 0.0;
        let is_sound = |run: &EnergyRun| {
            let counted = run.counted_seconds.into_iter();
            let joules = run.domains.iter().filter_map(|one| one.joules);
            [run.seconds, run.cpu_seconds].into_iter().chain(counted).chain(joules).all(is_amount)
        };
        let is_model = match &energy.source {
            EnergySource::Counters { .. } => true,
            EnergySource::Model { model, .. } => model.is_sound(),
        };
        match is_model && energy.runs.iter().all(is_sound) {
            true => Ok(energy),
            false => Err(stored.damaged("energy", "a number is none that a run can have")),
        }
    }

    fn modules(&self) -> impl Iterator<Item = (&str, Option<&str>)> {
        std::iter::empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Experiment;
    use loopwright_sample::recording::{Recording, Target};

    fn energy(joules: f64) -> Energy {
        let domains = [
            (Domain::Package { socket: 0 }, joules),
            (Domain::Memory { socket: 0 }, 5.0),
            (Domain::Cores { socket: 0 }, 60.0),
        ];
        let domains =
            domains.map(|(domain, joules)| DomainEnergy { domain, joules: Some(joules), fault: None });
        Energy {
            source: EnergySource::Counters { interface: Interface::Powercap },
            runs: vec![EnergyRun {
                threads: None,
                threads_seen: Some(1),
                seconds: 2.0,
                cpu_seconds: 3.0,
                load: None,
                domains: domains.to_vec(),
                counted_seconds: Some(2.1),
            }],
        }
    }

    #[test]
    fn energy_belongs_to_the_survey_before_it_and_is_refused_when_damaged() {
        let folder = tempfile::tempdir().unwrap();
        let mut experiment = Experiment::create_or_open(&folder.path().join("x.lw")).unwrap();
        let target = Target { command: vec!["./a".into()], ..Target::default() };
        experiment.add(&Recording::default(), Some(&target), None).unwrap();
        experiment.add(&energy(100.0), Some(&target), None).unwrap();
        let facts = crate::Facts::load(&experiment, &experiment.latest().unwrap()).unwrap();
        assert_eq!(facts.energy.iter().map(|run| &run.facts).collect::<Vec<_>>(), [&energy(100.0)]);
        let damaged = experiment.add(&energy(-1.0), Some(&target), None).unwrap();
        assert!(experiment.collected::<Energy>(damaged).is_err());
    }

    #[test]
    fn joules_are_those_of_counters_or_of_the_model() {
        let counted = energy(100.0);
        assert_eq!(counted.runs[0].joules(&counted.source), Some(105.0));
        let model = Model { idle_watts: 10.0, core_watts: 2.0 };
        let modelled = EnergySource::Model { model, calibrated: false, worst: None };
        assert_eq!(counted.runs[0].joules(&modelled), Some(26.0));
        let text = serde_json::to_string(&modelled).unwrap();
        assert_eq!(serde_json::from_str::<EnergySource>(&text).unwrap(), modelled);
    }
}
