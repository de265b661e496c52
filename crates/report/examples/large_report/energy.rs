//! Energy of the run with every kind of counter and fault, of each loop and function with time, and of runs by number of threads.

use loopwright_analysis::model::*;

/// Power of the machine, and what a thread takes more.
const WATTS: f64 = 140.0;
const OF_A_THREAD: f64 = 7.0;

/// Makes it without random numbers, so that the rest of the report stays as it is.
pub fn energy(loops: &[LoopFacts], functions: &[FunctionFacts], cpu_seconds: f64) -> EnergyFacts {
    let seconds = cpu_seconds / 4.0;
    let joules = WATTS * seconds;
    let with_time = loops.iter().filter(|one| one.self_share > 0.0);
    let of_loops = with_time.map(|one| LoopEnergy { id: one.id, joules: joules * one.self_share });
    let with_time = functions.iter().filter(|one| one.self_share > 0.0);
    let of_functions = with_time.map(|one| FunctionEnergy {
        function: one.function.clone(),
        module: one.module.clone(),
        joules: joules * one.self_share,
    });
    EnergyFacts {
        source: EnergySource::Counters { interface: EnergyInterface::Powercap },
        run: Some(RunEnergy {
            seconds,
            cpu_seconds,
            joules: Some(joules),
            watts: Some(WATTS),
            delay_product: Some(joules * seconds),
            domains: domains(joules),
            share_of_busy: Some(0.83),
        }),
        loops: of_loops.collect(),
        functions: of_functions.collect(),
        threads: [1, 2, 4, 8, 16, 32, 64].map(|threads| with_threads(threads, cpu_seconds)).into(),
        least_energy: Some(4),
        least_delay_product: Some(5),
        same_threads: false,
    }
}

fn domains(joules: f64) -> Vec<DomainEnergy> {
    let known = |domain, part| DomainEnergy { domain, joules: Some(joules * part), fault: None };
    let unknown = |domain, fault| DomainEnergy { domain, joules: None, fault: Some(fault) };
    vec![
        known(EnergyDomain::Package { socket: 0 }, 0.6),
        known(EnergyDomain::Package { socket: 1 }, 0.3),
        known(EnergyDomain::Memory { socket: 0 }, 0.1),
        unknown(EnergyDomain::Cores { socket: 0 }, EnergyFault::Frozen),
        unknown(EnergyDomain::Graphics { socket: 1 }, EnergyFault::Jumped),
        unknown(EnergyDomain::Platform, EnergyFault::Lost),
    ]
}

/// The time falls until the memory is busy, then it rises a little.
fn with_threads(threads: u32, cpu_seconds: f64) -> ThreadsEnergy {
    let count = f64::from(threads);
    let seconds = cpu_seconds * (0.04 + 0.96 / count + 0.0004 * count);
    let watts = WATTS / 2.0 + OF_A_THREAD * count;
    let joules = watts * seconds;
    ThreadsEnergy {
        threads,
        runs: 3,
        seconds,
        cpu_seconds: seconds * count,
        joules: Some(joules),
        joules_interval: Some((joules * 0.97, joules * 1.02)),
        watts: Some(watts),
        delay_product: Some(joules * seconds),
    }
}
