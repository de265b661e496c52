//! The program of a state: its command, its end and what its processes used together.

use crate::model::{ProgramFacts, TimeShares};
use crate::outcome::{End, words, worst_of_runs, worst_of_surveys};
use crate::resolve::Entities;
use crate::time::{Times, seconds};
use crate::timestamp::rfc3339;
use crate::usage::Usage;
use loopwright_experiment::{Facts, Run};
use loopwright_sample::recording::{CallStacks, Sampler, SamplerKind};
use std::collections::{BTreeMap, BTreeSet};

pub(crate) fn program_facts(
    facts: &Facts,
    entities: &Entities,
    times: &Times,
    usage: &Usage,
) -> ProgramFacts {
    let Some(first) = facts.surveys.first() else { return unsampled_program(facts) };
    let targets = || facts.surveys.iter().map(|survey| &survey.target);
    let recordings = || facts.surveys.iter().map(|survey| &survey.facts);
    let target = &first.target;
    let unresolved: u64 = (entities.functions.iter().zip(&times.functions))
        .filter(|(function, _)| function.unresolved)
        .map(|(_, spent)| spent.self_ns)
        .sum();
    let cpu_seconds = seconds(times.user_ns + times.kernel_ns);
    let collector: f64 = recordings().map(|r| r.sampler.collector_seconds).sum();
    // Ranks of one host may be bound to CPUs of their own or share them all: what they may use adds up, to at most
    // what the host has. Hosts add up.
    let mut by_host: BTreeMap<&str, u32> = BTreeMap::new();
    for survey in &facts.surveys {
        let target = &survey.target;
        let online = survey.machine.as_ref().map_or(u32::MAX, |record| record.machine.summary().cpus.max(1));
        let allowed = by_host.entry(target.host.as_str()).or_default();
        *allowed = (*allowed + target.cpus_allowed).min(online);
    }
    ProgramFacts {
        command: target.command.clone(),
        started: rfc3339(targets().map(|t| t.started_unix).fold(f64::INFINITY, f64::min)),
        host: by_host.keys().copied().collect::<Vec<_>>().join(", "),
        outcome: worst_of_surveys(targets().map(|target| &target.outcome)),
        elapsed_seconds: targets().map(|t| t.elapsed_seconds).fold(0.0, f64::max),
        cpu_seconds,
        user_seconds: targets().map(|t| t.user_seconds).sum(),
        system_seconds: targets().map(|t| t.system_seconds).sum(),
        minor_faults: targets().map(|t| t.minor_faults).sum(),
        major_faults: targets().map(|t| t.major_faults).sum(),
        peak_resident_bytes: targets().map(|t| t.peak_resident_bytes).max().unwrap_or(0),
        processes: recordings().map(|r| r.processes.len() as u32).sum(),
        threads: recordings().map(|r| r.threads.len() as u32).sum(),
        ranks: facts.surveys.len() as u32,
        ranks_started: targets().filter_map(|t| t.rank.as_ref().map(|rank| rank.size)).max(),
        samples: times.samples,
        lost_samples: recordings().map(|r| r.sampler.lost).sum(),
        unresolved_share: times.share(unresolved),
        overhead_share: if cpu_seconds > 0.0 { collector / cpu_seconds } else { 0.0 },
        sampler: sampler_text(&first.facts.sampler),
        no_call_stacks: first.facts.sampler.call_stacks == CallStacks::None,
        time: TimeShares::default(),
        cpu_usage: usage.histogram(),
        cpus_allowed: by_host.values().sum(),
        elapsed: None,
        kernel: None,
        load: None,
    }
}

/// The program as a counting run saw it when nothing was sampled, else as a tracing run saw it.
fn unsampled_program(facts: &Facts) -> ProgramFacts {
    let counts = newest_job(&facts.counts);
    if !counts.is_empty() {
        let threads =
            || counts.iter().flat_map(|run| run.facts.threads.iter().map(|thread| (run.id, thread)));
        let processes: BTreeSet<_> = threads().map(|(run, thread)| (run, thread.process)).collect();
        return ProgramFacts {
            elapsed_seconds: counts.iter().map(|run| run.facts.elapsed_seconds).fold(0.0, f64::max),
            processes: processes.len() as u32,
            threads: threads().count() as u32,
            outcome: words(worst_of_runs(counts.iter().map(|run| End::of_counting(&run.facts)))),
            ..started_program(&counts)
        };
    }
    let traced = newest_job(&facts.traced);
    ProgramFacts {
        elapsed_seconds: traced.iter().map(|run| run.facts.elapsed_seconds).fold(0.0, f64::max),
        threads: traced.iter().map(|run| run.facts.threads).sum(),
        outcome: words(worst_of_runs(traced.iter().map(|run| End::of_trace(&run.facts)))),
        ..started_program(&traced)
    }
}

/// The runs of the newest job, oldest first.
fn newest_job<T>(runs: &[Run<T>]) -> Vec<&Run<T>> {
    let newest = crate::counts::jobs(runs).into_iter().next().unwrap_or_default();
    newest.into_iter().rev().map(|run| &runs[run]).collect()
}

/// What the targets of a job's runs say.
fn started_program<T>(runs: &[&Run<T>]) -> ProgramFacts {
    let Some(last) = runs.last() else { return ProgramFacts::default() };
    let targets = || runs.iter().map(|run| &run.target);
    let hosts: BTreeSet<&str> = targets().map(|target| target.host.as_str()).collect();
    ProgramFacts {
        command: last.target.command.clone(),
        started: rfc3339(targets().map(|target| target.started_unix).fold(f64::INFINITY, f64::min)),
        host: hosts.into_iter().collect::<Vec<_>>().join(", "),
        ranks: runs.len() as u32,
        ranks_started: targets().filter_map(|target| target.rank.as_ref().map(|rank| rank.size)).max(),
        cpus_allowed: targets().map(|target| target.cpus_allowed).sum(),
        ..ProgramFacts::default()
    }
}

fn sampler_text(sampler: &Sampler) -> String {
    let source = match sampler.kind {
        SamplerKind::HardwareCycles => "perf_event cycles",
        SamplerKind::CpuClock => "perf_event cpu-clock",
        SamplerKind::Timer => "timer (perf_event forbidden)",
    };
    let stacks = match sampler.call_stacks {
        CallStacks::Dwarf => "DWARF call stacks",
        CallStacks::FramePointer => "frame-pointer call stacks",
        CallStacks::None => "no call stacks",
    };
    format!("{source}, {} Hz, {stacks}", sampler.frequency_hz)
}
