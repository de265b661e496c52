//! Which collections a job is worth, by what its samples show.

use crate::model::{Analysis, JobCollection, JobStep, Purpose, TreeNode, WaitKind};

/// A collection is worth a run where this share of the time is about it.
const WORTH: f64 = 0.01;

/// The collections, in the order in which they are made.
pub fn steps(analysis: &Analysis) -> Vec<JobStep> {
    let sampled = analysis.program.samples > 0;
    let step = |collection, seen: Option<f64>, collected| JobStep {
        collection,
        seen,
        worth: seen.is_none_or(|share| share >= WORTH),
        collected,
    };
    let seen = |share: f64| sampled.then_some(share);
    // Ranks are few calls of MPI away from each other even where none was sampled: the matrix and the balance are worth the run.
    let parallel = analysis.program.ranks_started.is_some_and(|ranks| ranks > 1);
    let comm = step(JobCollection::Comm, seen(communication(analysis)), analysis.comm.is_some());
    vec![
        step(JobCollection::Survey, None, sampled),
        step(JobCollection::Tripcounts, None, analysis.counts.is_some()),
        JobStep { worth: parallel || comm.worth, ..comm },
        step(JobCollection::Io, seen(input_output(analysis)), analysis.io.is_some()),
        step(JobCollection::Heap, seen(allocation(analysis)), analysis.heap.is_some()),
    ]
}

/// The share of the CPU time in functions of MPI, with all that they call.
fn communication(analysis: &Analysis) -> f64 {
    match &analysis.tree {
        Some(tree) if !analysis.program.no_call_stacks => {
            let is_mpi = |node: &TreeNode| is_mpi(&node.name, &node.module);
            share(outermost(tree, &is_mpi), tree.total_seconds)
        }
        _ => {
            let own = analysis.functions.iter().filter(|f| is_mpi(&f.function, &f.module));
            total(own.map(|function| function.self_share)).min(1.0)
        }
    }
}

/// Functions of MPI by the standard's names, and everything in a library of it.
fn is_mpi(function: &str, module: &str) -> bool {
    let named = ["MPI_", "PMPI_", "mpi_", "pmpi_"].iter().any(|prefix| function.starts_with(prefix));
    named || module.starts_with("libmpi")
}

/// Seconds of the outermost nodes that are `wanted`.
fn outermost(node: &TreeNode, wanted: &dyn Fn(&TreeNode) -> bool) -> f64 {
    let mut sum = 0.0;
    // Trees of programs may be as deep as their recursion.
    let mut waiting = vec![node];
    while let Some(node) = waiting.pop() {
        if wanted(node) {
            sum += node.total_seconds;
        } else {
            waiting.extend(&node.children);
        }
    }
    sum
}

/// Input and output: on the CPU, or blocked.
fn input_output(analysis: &Analysis) -> f64 {
    use WaitKind::{Network, Pipe, Storage, Terminal};
    let files = |kind: WaitKind| matches!(kind, Network | Pipe | Storage | Terminal);
    let threads = analysis.threads.iter();
    let waits = threads.flat_map(|thread| &thread.waits).filter(|wait| files(wait.kind));
    let blocked = total(waits.map(|wait| wait.seconds));
    let ranks = f64::from(analysis.program.ranks.max(1));
    purpose(analysis, Purpose::InputOutput).max(share(blocked, analysis.program.elapsed_seconds * ranks))
}

fn allocation(analysis: &Analysis) -> f64 {
    purpose(analysis, Purpose::Allocation).max(of_faults(analysis))
}

fn purpose(analysis: &Analysis, purpose: Purpose) -> f64 {
    total(analysis.purposes.iter().filter(|facts| facts.purpose == purpose).map(|facts| facts.share))
}

/// Page faults that memory which was used once does not explain: what is allocated is given back and cleared again.
fn of_faults(analysis: &Analysis) -> f64 {
    /// Bytes of a page.
    const PAGE: u64 = 4096;
    let program = &analysis.program;
    let touched = program.minor_faults.saturating_mul(PAGE);
    let ranks = u64::from(program.ranks.max(1));
    if touched > program.peak_resident_bytes.saturating_mul(ranks).saturating_mul(4) {
        share(program.system_seconds, program.user_seconds + program.system_seconds)
    } else {
        0.0
    }
}

/// Not `sum`: that of nothing is -0.0.
fn total(parts: impl Iterator<Item = f64>) -> f64 {
    parts.fold(0.0, |sum, part| sum + part)
}

fn share(part: f64, whole: f64) -> f64 {
    crate::calls::share_of_run(part, whole)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyse;
    use loopwright_experiment::Facts;

    fn node(name: &str, module: &str, total_seconds: f64, children: Vec<TreeNode>) -> TreeNode {
        TreeNode {
            kind: "function".to_owned(),
            name: name.to_owned(),
            loop_id: None,
            module: module.to_owned(),
            self_seconds: 0.0,
            total_seconds,
            children,
        }
    }

    #[test]
    fn calls_of_mpi_are_counted_once_however_they_nest() {
        let inner = node("PMPI_Wait", "libmpi.so.40", 1.0, Vec::new());
        let waits = node("MPI_Waitall", "app", 2.0, vec![inner]);
        let mut analysis = analyse(&Facts::default());
        analysis.program.samples = 10;
        analysis.tree = Some(node("app", "app", 8.0, vec![node("main", "app", 8.0, vec![waits])]));
        let of = |analysis: &Analysis| {
            steps(analysis).into_iter().map(|s| (s.collection, s.seen, s.worth)).collect::<Vec<_>>()
        };
        use JobCollection::{Comm, Heap, Io, Survey, Tripcounts};
        let rest = [(Io, Some(0.0), false), (Heap, Some(0.0), false)];
        let wanted = [(Survey, None, true), (Tripcounts, None, true), (Comm, Some(0.25), true)];
        assert_eq!(of(&analysis), [&wanted[..], &rest[..]].concat());
        // A job whose samples show no call is worth it nevertheless.
        analysis.tree = Some(node("app", "app", 8.0, Vec::new()));
        assert_eq!(of(&analysis)[2], (Comm, Some(0.0), false));
        analysis.program.ranks_started = Some(2);
        assert_eq!(of(&analysis)[2], (Comm, Some(0.0), true));
    }

    #[test]
    fn memory_that_is_cleared_again_and_again_is_worth_a_look() {
        let mut analysis = analyse(&Facts::default());
        analysis.program.samples = 10;
        (analysis.program.user_seconds, analysis.program.system_seconds) = (1.0, 3.0);
        analysis.program.peak_resident_bytes = 1 << 20;
        analysis.program.minor_faults = 256;
        assert_eq!(steps(&analysis)[4].seen.map(f64::to_bits), Some(0), "not -0.0");
        analysis.program.minor_faults = 5 * 256;
        assert_eq!(steps(&analysis)[4].seen, Some(0.75));
    }
}
