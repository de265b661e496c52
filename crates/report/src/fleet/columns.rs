//! The columns of the tables that only data frames have; those of all others are the CSV's.

use super::Fleet;
use crate::fields::Field;
use crate::value::Instant;
use crate::vocabulary::contract_name;
use loopwright_analysis::by_rank::{CallSite, FunctionOfRank, RankFacts, SiteOfRanks};
use loopwright_analysis::model::{MachineFacts, ModuleSummary};
use loopwright_analysis::place::base_name;

/// A place, a rank, and the rank's calls there.
type SiteOfRank<'r> = (&'r SiteOfRanks<'r>, u32, &'r CallSite);

fn machine<'a>(fleet: &'a Fleet<'_>) -> Option<&'a MachineFacts> {
    fleet.analysis.machine.as_ref()
}

fn main_module<'a>(fleet: &'a Fleet<'_>) -> Option<&'a ModuleSummary> {
    fleet.analysis.modules.iter().find(|module| module.main_module)
}

/// The command, as the survey or the counting run has it, else as any other run.
fn command<'a>(fleet: &'a Fleet<'_>) -> &'a [String] {
    let of_program = &fleet.analysis.program.command;
    match fleet.by_rank.run {
        Some(run) if of_program.is_empty() => &run.target.command,
        _ => of_program,
    }
}

/// Elapsed seconds of the longest rank: of the survey or the counting run, else of the run whose calls are known.
fn elapsed(fleet: &Fleet<'_>) -> Option<f64> {
    let analysis = fleet.analysis;
    let hooked = [
        analysis.comm.as_ref().map(|comm| comm.elapsed_seconds),
        analysis.io.as_ref().map(|io| io.elapsed_seconds),
        analysis.heap.as_ref().map(|heap| heap.elapsed_seconds),
    ];
    let of_program = Some(analysis.program.elapsed_seconds).filter(|seconds| *seconds > 0.0);
    of_program.or_else(|| hooked.into_iter().flatten().next())
}

/// The state's row.
pub(super) fn runs<'a, 'r: 'a>() -> Vec<Field<'a, &'r Fleet<'r>>> {
    let field = Field::<&'r Fleet<'r>>::new;
    // Sampled facts are absent without samples, not zero.
    fn sampled<T>(fleet: &Fleet<'_>, value: T) -> Option<T> {
        (fleet.analysis.program.samples > 0).then_some(value)
    }
    let mut all = vec![
        field("loopwright_version").csv(|fleet| fleet.version.to_owned()),
        field("file").csv(|fleet| fleet.file.to_owned()),
        field("program").csv(|fleet| command(fleet).first().map(|word| base_name(word).to_owned())),
        field("command").csv(|fleet| command(fleet).join(" ")),
        field("started").csv(|fleet| fleet.by_rank.run.map(|run| Instant(run.target.started_unix))),
        field("host").csv(|fleet| fleet.by_rank.run.map(|run| run.target.host.clone())),
        field("job").csv(|fleet| Some(fleet.by_rank.run?.target.rank.as_ref()?.job.clone())),
        field("launcher").csv(|fleet| Some(fleet.by_rank.run?.target.rank.as_ref()?.launcher.clone())),
        field("ranks").csv(|fleet| fleet.by_rank.ranks.len()),
        field("ranks_started").csv(|fleet| Some(fleet.by_rank.run?.target.rank.as_ref()?.size)),
        field("outcome")
            .csv(|fleet| Some(fleet.analysis.program.outcome.clone()).filter(|outcome| !outcome.is_empty())),
        field("elapsed_seconds").csv(|fleet| elapsed(fleet)),
        field("cpu_seconds").csv(|fleet| sampled(fleet, fleet.analysis.program.cpu_seconds)),
        field("user_seconds").csv(|fleet| sampled(fleet, fleet.analysis.program.user_seconds)),
        field("system_seconds").csv(|fleet| sampled(fleet, fleet.analysis.program.system_seconds)),
        field("peak_resident_bytes").csv(|fleet| sampled(fleet, fleet.analysis.program.peak_resident_bytes)),
        field("threads").csv(|fleet| sampled(fleet, fleet.analysis.program.threads)),
        field("samples").csv(|fleet| sampled(fleet, fleet.analysis.program.samples)),
        field("vectorized_share").csv(|fleet| sampled(fleet, fleet.analysis.program.time.vectorized)),
        field("scalar_share").csv(|fleet| sampled(fleet, fleet.analysis.program.time.scalar)),
        field("kernel_share").csv(|fleet| sampled(fleet, fleet.analysis.program.time.kernel)),
        field("other_cpus").csv(|fleet| fleet.analysis.program.load.as_ref().map(|load| load.other_cpus)),
        field("busy").csv(|fleet| fleet.analysis.program.load.as_ref().map(|load| load.busy)),
    ];
    all.extend([
        field("build_id").csv(|fleet| main_module(fleet)?.build_id.clone()),
        field("compiler").csv(|fleet| main_module(fleet)?.producers.first().cloned()),
        field("processor").csv(|fleet| machine(fleet).map(|machine| machine.name.clone())),
        field("cpus").csv(|fleet| machine(fleet).map(|machine| machine.cpus)),
        field("isa").csv(|fleet| machine(fleet)?.isa.as_ref().map(contract_name)),
        field("mpi_seconds").csv(|fleet| fleet.analysis.comm.as_ref().map(|comm| comm.seconds)),
        field("io_seconds").csv(|fleet| fleet.analysis.io.as_ref().map(|io| io.seconds)),
        field("joules").csv(|fleet| fleet.analysis.energy.as_ref()?.run.as_ref()?.joules),
    ]);
    all
}

/// A rank's row.
pub(super) fn ranks<'a, 'r>() -> Vec<Field<'a, &'r RankFacts<'r>>> {
    let field = Field::<&'r RankFacts<'r>>::new;
    vec![
        field("rank").csv(|each| each.rank),
        field("host").csv(|each| each.host.to_owned()),
        field("elapsed_seconds").csv(|each| each.surveyed.map(|target| target.elapsed_seconds)),
        field("user_seconds").csv(|each| each.surveyed.map(|target| target.user_seconds)),
        field("system_seconds").csv(|each| each.surveyed.map(|target| target.system_seconds)),
        field("peak_resident_bytes").csv(|each| each.surveyed.map(|target| target.peak_resident_bytes)),
        field("mpi_elapsed_seconds").csv(|each| each.comm.map(|comm| comm.elapsed_seconds)),
        field("mpi_seconds").csv(|each| each.comm.map(|comm| comm.seconds)),
        field("mpi_calls").csv(|each| each.comm.map(|comm| comm.calls)),
        field("messages").csv(|each| each.comm.map(|comm| comm.messages)),
        field("message_bytes").csv(|each| each.comm.map(|comm| comm.bytes)),
        field("io_elapsed_seconds").csv(|each| each.io.map(|io| io.elapsed_seconds)),
        field("io_seconds").csv(|each| each.io.map(|io| io.seconds)),
        field("read_bytes").csv(|each| each.io.map(|io| io.read_bytes)),
        field("written_bytes").csv(|each| each.io.map(|io| io.written_bytes)),
        field("allocations").csv(|each| each.heap.map(|heap| heap.calls)),
        field("allocated_bytes").csv(|each| each.heap.map(|heap| heap.bytes)),
        field("peak_heap_bytes").csv(|each| each.heap.map(|heap| heap.peak_bytes)),
    ]
}

/// A function's row in one rank.
pub(super) fn functions_by_rank<'a, 'r>() -> Vec<Field<'a, &'r FunctionOfRank>> {
    let field = Field::<&'r FunctionOfRank>::new;
    vec![
        field("function").csv(|each| each.function.to_string()),
        field("module").csv(|each| each.module.to_string()),
        field("rank").csv(|each| each.rank),
        field("self_seconds").csv(|each| each.self_seconds),
        field("samples").csv(|each| each.samples),
    ]
}

/// The row of calls of MPI from one place by one rank.
pub(super) fn sites_by_rank<'a, 'r>() -> Vec<Field<'a, SiteOfRank<'r>>> {
    let field = Field::<SiteOfRank<'r>>::new;
    vec![
        field("function").csv(|(of, ..)| of.site.function.clone()),
        field("class").csv(|(of, ..)| contract_name(&of.site.class)),
        field("caller").csv(|(of, ..)| of.site.caller.clone()),
        field("module").csv(|(of, ..)| of.site.module.clone()),
        field("place").csv(|(of, ..)| of.site.place.clone()),
        field("rank").csv(|(_, rank, _)| *rank),
        field("calls").csv(|(.., calls)| calls.called.calls),
        field("bytes").csv(|(.., calls)| calls.called.bytes),
        field("calls_without_bytes").csv(|(.., calls)| calls.called.without_bytes),
        field("seconds").csv(|(.., calls)| calls.called.seconds),
        field("longest_seconds").csv(|(.., calls)| calls.called.longest_seconds),
        field("sync_seconds").csv(|(of, _, calls)| of.sync_seconds(calls)),
    ]
}
