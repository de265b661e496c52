//! Finds the counters that can be read, and reads them while something runs.

use super::counter::{Counter, Moved};
use super::measured::{Domain, DomainEnergy, Fault, Interface, Measured};
use super::missing::Missing;
use super::{msr, perf_power, powercap};
use crate::machine::Machine;
use crate::tree::Tree;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Time between two readings: a counter of 32 bits in units of 2^-16 J begins again after a minute at 1000 W.
const POLL: Duration = Duration::from_secs(1);

/// Counters that can be read.
#[derive(Debug)]
pub struct Meter {
    interface: Interface,
    counters: Arc<Vec<Counter>>,
}

impl Meter {
    /// The first interface whose counters can be read, on the machine below `root` (`/` is the running one); else what is missing for
    /// each.
    ///
    /// # Errors
    /// When none can be read.
    pub fn find(root: &Path, machine: &Machine) -> Result<Self, Vec<Missing>> {
        let tree = Tree::at(root);
        let mut missing = Vec::new();
        for interface in [Interface::Perf, Interface::Powercap, Interface::Msr] {
            let counters = match interface {
                Interface::Perf => perf_power::counters(&tree, &machine.topology),
                Interface::Powercap => powercap::counters(&tree),
                Interface::Msr => msr::counters(&tree, &machine.topology, &machine.processor),
            };
            match counters {
                Ok(counters) => return Ok(Self { interface, counters: Arc::new(counters) }),
                Err(why) => missing.push(why),
            }
        }
        Err(missing)
    }

    /// How the counters are read.
    pub fn interface(&self) -> Interface {
        self.interface
    }

    /// Begins to measure.
    pub fn start(&self) -> Running {
        let readings = Arc::new(Mutex::new(Readings::new(&self.counters)));
        let (stop, stopped) = mpsc::channel();
        let (shared, counters) = (Arc::clone(&readings), Arc::clone(&self.counters));
        let poll = move || {
            while stopped.recv_timeout(POLL) == Err(RecvTimeoutError::Timeout) {
                shared.lock().unwrap_or_else(PoisonError::into_inner).take(&counters);
            }
        };
        let poll = std::thread::Builder::new().name("energy".to_owned()).spawn(poll).ok();
        Running { interface: self.interface, counters: Arc::clone(&self.counters), readings, stop, poll }
    }
}

/// Readings so far.
#[derive(Debug)]
struct Readings {
    begun: Instant,
    last: Instant,
    moved: Vec<Moved>,
}

impl Readings {
    fn new(counters: &[Counter]) -> Self {
        let now = Instant::now();
        let mut readings = Self { begun: now, last: now, moved: vec![Moved::default(); counters.len()] };
        readings.take(counters);
        readings.begun = readings.last;
        readings
    }

    fn take(&mut self, counters: &[Counter]) {
        let now = Instant::now();
        let seconds = now.duration_since(self.last).as_secs_f64();
        self.last = now;
        for (moved, counter) in self.moved.iter_mut().zip(counters) {
            moved.take(counter, counter.read(), seconds);
        }
    }
}

/// A measurement that goes on.
#[derive(Debug)]
pub struct Running {
    interface: Interface,
    counters: Arc<Vec<Counter>>,
    readings: Arc<Mutex<Readings>>,
    stop: Sender<()>,
    /// Absent where the system gives no thread: long runs then miss a counter that began again.
    poll: Option<JoinHandle<()>>,
}

impl Running {
    /// Ends the measurement.
    pub fn finish(self) -> Measured {
        let mut readings = self.readings.lock().unwrap_or_else(PoisonError::into_inner);
        readings.take(&self.counters);
        let seconds = readings.last.duration_since(readings.begun).as_secs_f64();
        let mut domains: BTreeMap<Domain, Result<f64, Fault>> = BTreeMap::new();
        for (counter, moved) in self.counters.iter().zip(&readings.moved) {
            let joules = match moved.joules(counter, seconds) {
                // Without readings in between it may have begun again unseen.
                Ok(_) if self.poll.is_none() && seconds > 2.0 * POLL.as_secs_f64() => Err(Fault::Lost),
                other => other,
            };
            // Several counters of one domain (dies of a socket, cores) are parts of it.
            let sum = domains.entry(counter.domain).or_insert(Ok(0.0));
            *sum = match (*sum, joules) {
                (Ok(sum), Ok(joules)) => Ok(sum + joules),
                (Err(fault), _) | (_, Err(fault)) => Err(fault),
            };
        }
        drop(readings);
        let _ = self.stop.send(());
        if let Some(poll) = self.poll {
            let _ = poll.join();
        }
        let domains = domains
            .into_iter()
            .map(|(domain, joules)| DomainEnergy { domain, joules: joules.ok(), fault: joules.err() })
            .collect();
        Measured { interface: self.interface, seconds, domains }
    }
}
