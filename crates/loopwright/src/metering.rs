//! The energy of a run: by counters where they can be read, else by a model where its numbers are known.

use crate::ranks;
use loopwright_experiment::energy::{Energy, EnergyRun, EnergySource, Measured, Model};
use loopwright_machine::Machine;
use loopwright_machine::energy::{Meter, Missing, Running, load_model};
use loopwright_sample::Observer;
use loopwright_sample::recording::Recording;
use std::path::Path;

/// How the energy of runs is known.
pub struct Metering {
    source: EnergySource,
    meter: Option<Meter>,
}

impl Metering {
    /// By counters that can be read, for every survey. The ranks of a job would each count the whole node.
    pub fn where_readable(machine: &Machine) -> Option<Self> {
        if ranks::own().is_some() {
            return None;
        }
        Meter::find(Path::new("/"), machine).ok().map(Self::by)
    }

    fn by(meter: Meter) -> Self {
        Self { source: EnergySource::Counters { interface: meter.interface() }, meter: Some(meter) }
    }

    /// By counters, else by the model that the user gave, else by the one that was calibrated.
    ///
    /// # Errors
    /// What is missing for each interface to the counters, where there is no model either.
    pub fn of(root: &Path, machine: &Machine, given: Option<Model>) -> Result<Self, Vec<Missing>> {
        let missing = match Meter::find(root, machine) {
            Ok(meter) => return Ok(Self::by(meter)),
            Err(missing) => missing,
        };
        let model = |model, calibrated, worst| Self {
            source: EnergySource::Model { model, calibrated, worst },
            meter: None,
        };
        match (given, load_model(machine)) {
            (Some(given), _) => Ok(model(given, false, None)),
            (None, Some(fit)) => Ok(model(fit.model, true, Some(fit.worst))),
            (None, None) => Err(missing),
        }
    }

    /// Whether the energy is only modelled.
    pub fn is_modelled(&self) -> bool {
        self.meter.is_none()
    }

    /// Begins to measure a run.
    pub fn start(&self) -> Option<Running> {
        self.meter.as_ref().map(Meter::start)
    }

    /// The energy of runs.
    pub fn of_runs(&self, runs: Vec<EnergyRun>) -> Energy {
        Energy { source: self.source, runs }
    }
}

/// Measures from the start of a program to its end.
pub struct Clock<'a> {
    metering: Option<&'a Metering>,
    running: Option<Running>,
    measured: Option<Measured>,
}

impl<'a> Clock<'a> {
    /// Before the program starts.
    pub fn new(metering: Option<&'a Metering>) -> Self {
        Self { metering, running: None, measured: None }
    }

    /// What the counters showed.
    pub fn measured(self) -> Option<Measured> {
        self.measured
    }
}

impl Observer for Clock<'_> {
    fn started(&mut self, _pid: u32) {
        self.running = self.metering.and_then(Metering::start);
    }

    fn ended(&mut self) {
        self.measured = self.running.take().map(Running::finish);
    }
}

/// A sampled run with what the counters showed.
pub fn run(recording: &Recording, threads: Option<u32>, measured: Option<Measured>) -> EnergyRun {
    let target = &recording.target;
    let (domains, counted_seconds) =
        measured.map_or((Vec::new(), None), |measured| (measured.domains, Some(measured.seconds)));
    EnergyRun {
        threads,
        threads_seen: u32::try_from(recording.threads.len()).ok().filter(|seen| *seen > 0),
        seconds: target.elapsed_seconds,
        cpu_seconds: target.user_seconds + target.system_seconds,
        load: recording.clocks.load,
        domains,
        counted_seconds,
    }
}
