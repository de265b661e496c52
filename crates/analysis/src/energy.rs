//! Energy of runs: sums, powers and products with time, and what of it is that of loops and functions. A part of the energy is that part
//! of the CPU time: counters cover sockets, so that nothing finer is known.

use crate::model::{
    EnergyFacts, EnergySource, FunctionEnergy, FunctionFacts, LoopEnergy, LoopFacts, RunEnergy, ThreadsEnergy,
};
use loopwright_experiment::Facts;
use loopwright_experiment::energy::{Energy, EnergyRun};
use loopwright_stats::{bootstrap_median, median};
use std::collections::{BTreeMap, BTreeSet};

/// The newest sampled run whose energy is known, and the newest runs with other numbers of threads.
pub fn facts(facts: &Facts, loops: &[LoopFacts], functions: &[FunctionFacts]) -> Option<EnergyFacts> {
    let newest = |wanted: fn(&EnergyRun) -> bool| {
        let with = |energy: &&Energy| energy.runs.iter().any(wanted);
        facts.energy.iter().rev().map(|run| &run.facts).find(with)
    };
    // Ranks of a job have a part of its energy each; a part of the job is not its energy.
    let alone = facts.surveys.len() <= 1;
    let sampled = newest(|run| run.threads.is_none()).filter(|_| alone);
    let swept = newest(|run| run.threads.is_some());
    let source = sampled.or(swept)?.source;
    let run = sampled.and_then(|energy| {
        Some(of_run(energy.runs.iter().find(|run| run.threads.is_none())?, &energy.source))
    });
    let joules = run.as_ref().and_then(|run| run.joules);
    // Energies from different sources are not put beside each other.
    let swept =
        swept.filter(|energy| std::mem::discriminant(&energy.source) == std::mem::discriminant(&source));
    let threads = swept.map(by_threads).unwrap_or_default();
    let least = |value: fn(&ThreadsEnergy) -> Option<f64>| {
        let known = (0..).zip(&threads).filter_map(|(at, one)| Some((at, value(one)?)));
        known.min_by(|a: &(u32, f64), b| a.1.total_cmp(&b.1)).map(|(at, _)| at)
    };
    Some(EnergyFacts {
        source,
        loops: joules.map(|joules| of_loops(joules, loops)).unwrap_or_default(),
        functions: joules.map(|joules| of_functions(joules, functions)).unwrap_or_default(),
        run,
        least_energy: least(|one| one.joules),
        least_delay_product: least(|one| one.delay_product),
        same_threads: swept.is_some_and(are_the_same),
        threads,
    })
}

fn of_run(run: &EnergyRun, source: &EnergySource) -> RunEnergy {
    let joules = run.joules(source);
    let counted = run.counted_seconds.unwrap_or(run.seconds);
    let busy = run.load.map(|load| load.busy_seconds).filter(|&busy| busy > 0.0);
    RunEnergy {
        seconds: run.seconds,
        cpu_seconds: run.cpu_seconds,
        joules,
        watts: joules.filter(|_| counted > 0.0).map(|joules| joules / counted),
        delay_product: joules.map(|joules| joules * run.seconds),
        domains: run.domains.clone(),
        share_of_busy: busy.map(|busy| (run.cpu_seconds / busy).min(1.0)),
    }
}

fn of_loops(joules: f64, loops: &[LoopFacts]) -> Vec<LoopEnergy> {
    let with_time = loops.iter().filter(|one| one.self_share > 0.0);
    with_time.map(|one| LoopEnergy { id: one.id, joules: joules * one.self_share }).collect()
}

fn of_functions(joules: f64, functions: &[FunctionFacts]) -> Vec<FunctionEnergy> {
    let with_time = functions.iter().filter(|one| one.self_share > 0.0);
    let energy = |one: &FunctionFacts| FunctionEnergy {
        function: one.function.clone(),
        module: one.module.clone(),
        joules: joules * one.self_share,
    };
    with_time.map(energy).collect()
}

fn by_threads(energy: &Energy) -> Vec<ThreadsEnergy> {
    let mut all: BTreeMap<u32, Vec<RunEnergy>> = BTreeMap::new();
    for run in &energy.runs {
        if let Some(threads) = run.threads {
            all.entry(threads).or_default().push(of_run(run, &energy.source));
        }
    }
    let of = |(threads, runs): (u32, Vec<RunEnergy>)| {
        let known = |value: fn(&RunEnergy) -> Option<f64>| runs.iter().filter_map(value).collect::<Vec<_>>();
        let joules = known(|run| run.joules);
        ThreadsEnergy {
            threads,
            runs: runs.len() as u32,
            seconds: median(&known(|run| Some(run.seconds))).unwrap_or_default(),
            cpu_seconds: median(&known(|run| Some(run.cpu_seconds))).unwrap_or_default(),
            joules: median(&joules),
            joules_interval: bootstrap_median(&joules)
                .filter(|_| joules.len() > 1)
                .map(|interval| (interval.low, interval.high)),
            watts: median(&known(|run| run.watts)),
            delay_product: median(&known(|run| run.delay_product)),
        }
    };
    all.into_iter().map(of).collect()
}

/// Whether the program had the same number of threads whatever number it was given. How many CPUs it used says nothing: on a busy machine
/// more threads get no more of them.
fn are_the_same(energy: &Energy) -> bool {
    let swept = || energy.runs.iter().filter(|run| run.threads.is_some());
    let given: BTreeSet<Option<u32>> = swept().map(|run| run.threads).collect();
    let seen: BTreeSet<Option<u32>> = swept().map(|run| run.threads_seen).collect();
    given.len() > 1 && seen.len() == 1 && !seen.contains(&None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use loopwright_experiment::Run;
    use loopwright_experiment::energy::{Domain, DomainEnergy, Fault, Interface, Load, Model};
    use loopwright_sample::recording::Target;

    fn run(threads: Option<u32>, seconds: f64, cpu_seconds: f64, joules: f64) -> EnergyRun {
        EnergyRun {
            threads,
            threads_seen: Some(threads.unwrap_or(4)),
            seconds,
            cpu_seconds,
            load: Some(Load { cpus: 4, elapsed_seconds: seconds, busy_seconds: 4.0, stolen_seconds: 0.0 }),
            domains: vec![DomainEnergy {
                domain: Domain::Package { socket: 0 },
                joules: Some(joules),
                fault: None,
            }],
            counted_seconds: Some(seconds),
        }
    }

    const COUNTERS: EnergySource = EnergySource::Counters { interface: Interface::Perf };

    fn with(energy: Vec<Energy>) -> Facts {
        let of = |facts| Run { id: 1, target: Target::default(), machine: None, code: Vec::new(), facts };
        let energy = energy.into_iter().map(of).collect();
        Facts { energy, ..Facts::default() }
    }

    #[test]
    fn power_and_product_follow_from_the_sum_and_fewer_threads_may_take_less() {
        let runs = vec![
            run(None, 2.0, 3.0, 100.0),
            run(Some(1), 4.0, 4.0, 200.0),
            run(Some(2), 2.0, 4.0, 120.0),
            run(Some(2), 2.2, 4.0, 130.0),
            run(Some(2), 2.1, 4.0, 125.0),
            run(Some(4), 1.5, 5.0, 140.0),
        ];
        let found = facts(&with(vec![Energy { source: COUNTERS, runs }]), &[], &[]).unwrap();
        let sampled = found.run.unwrap();
        assert_eq!(
            (sampled.joules, sampled.watts, sampled.delay_product),
            (Some(100.0), Some(50.0), Some(200.0))
        );
        assert_eq!(sampled.share_of_busy, Some(0.75));
        let threads: Vec<u32> = found.threads.iter().map(|one| one.threads).collect();
        assert_eq!(threads, [1, 2, 4]);
        assert_eq!((found.threads[1].runs, found.threads[1].joules), (3, Some(125.0)));
        let (low, high) = found.threads[1].joules_interval.unwrap();
        assert!(low >= 120.0 && high <= 130.0 && low < high);
        assert_eq!(found.threads[0].joules_interval, None, "one run has no spread");
        assert_eq!((found.least_energy, found.least_delay_product), (Some(1), Some(2)));
        assert!(!found.same_threads);
    }

    #[test]
    fn a_counter_that_cannot_be_believed_gives_no_sum_and_no_loops() {
        let mut broken = run(None, 2.0, 3.0, 0.0);
        broken.domains[0] = DomainEnergy { joules: None, fault: Some(Fault::Frozen), ..broken.domains[0] };
        let found = facts(&with(vec![Energy { source: COUNTERS, runs: vec![broken] }]), &[], &[]).unwrap();
        let run = found.run.unwrap();
        assert_eq!((run.joules, run.watts, run.delay_product), (None, None, None));
        assert!(found.loops.is_empty() && found.least_energy.is_none());
    }

    #[test]
    fn the_newest_runs_count_and_a_model_is_not_put_beside_counters() {
        let model = Model { idle_watts: 10.0, core_watts: 2.0 };
        let modelled = EnergySource::Model { model, calibrated: false, worst: None };
        let of = |threads| EnergyRun { threads_seen: Some(1), ..run(Some(threads), 1.0, 1.0, 0.0) };
        let older = Energy { source: modelled, runs: vec![of(1), of(2)] };
        let newer = Energy { source: COUNTERS, runs: vec![run(None, 2.0, 3.0, 100.0)] };
        let found = facts(&with(vec![older.clone(), newer]), &[], &[]).unwrap();
        assert_eq!((found.source, found.threads.len()), (COUNTERS, 0));
        let found = facts(&with(vec![older]), &[], &[]).unwrap();
        assert_eq!(found.threads[0].joules, Some(12.0));
        assert!(found.same_threads && found.run.is_none());
        // As many threads as it was given, on no more CPUs: the machine was busy.
        let busy =
            Energy { source: modelled, runs: vec![run(Some(1), 1.0, 1.0, 0.0), run(Some(2), 1.0, 1.0, 0.0)] };
        assert!(!facts(&with(vec![busy]), &[], &[]).unwrap().same_threads);
        assert_eq!(facts(&with(Vec::new()), &[], &[]), None);
    }
}
