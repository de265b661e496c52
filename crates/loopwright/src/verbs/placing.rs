//! `loopwright place`: which rank of a job belongs on which node, from its communication matrix, with the files for launchers.

mod job;
mod scotch;

use crate::args::{Cli, Current, PlaceArgs};
use crate::destination::Destination;
use crate::failure::Failure;
use crate::interrupt;
use crate::state;
use crate::terminal::{Console, print, style};
use job::{Job, Source};
use loopwright_analysis::model::{LauncherFile, PlacementFacts};
use loopwright_placement::launchers::Launcher;
use loopwright_placement::{
    CommunicationMatrix, Order, Placement, Proposal, Sent, csv, hosts, present, propose,
};
use loopwright_stats::saturating_sum;
use std::path::Path;

/// Most bytes of a matrix: some tens of millions of pairs, which take as much memory again.
const LARGEST_MATRIX: u64 = 1 << 30;
/// Most bytes of a list of hosts: a million names of 64 bytes.
const LARGEST_LIST: u64 = 1 << 26;
/// What a command line shows in place of the program.
const PROGRAM: &str = "./my_program";

pub fn run(cli: &Cli, args: &PlaceArgs, console: &Console) -> Result<u8, Failure> {
    interrupt::install()?;
    let matrix = match &args.matrix {
        Some(path) => of_file(path)?,
        None => counted(cli, console)?,
    };
    let matrix = match args.ranks {
        Some(ranks) => matrix.with_ranks(ranks).map_err(|cause| Failure::misuse(cause.to_string()))?,
        None => matrix,
    };
    let (matrix, job, order, placement) = situation(args, matrix)?;
    let bar = console.progress("comparing placements");
    let nodes = job.nodes.len();
    let others = scotch::placement(&matrix, &placement.occupied(nodes)).map(|found| (Order::Scotch, found));
    let proposal = propose(&matrix, nodes, (order, placement), others.into_iter().collect());
    bar.finish_and_clear();
    let mut facts = loopwright_analysis::placement::placement(&matrix, nodes, &proposal, args.bandwidth);
    facts.files = written(args, &proposal, &job, console)?;
    print(&shown(cli, args, &facts)?)?;
    Ok(0)
}

fn shown(cli: &Cli, args: &PlaceArgs, facts: &PlacementFacts) -> Result<String, Failure> {
    Ok(match args.json {
        true => loopwright_report::json::document("placement", facts)?,
        false => loopwright_report::placement(facts, &style(cli)),
    })
}

/// The whole text of a file that an option names.
fn text(option: &str, path: &Path, limit: u64) -> Result<Vec<u8>, Failure> {
    loopwright_files::regular::read(path, limit).map_err(|cause| {
        Failure::misuse(format!("cannot read {}: {cause}; name another file with {option}", path.display()))
    })
}

fn of_file(path: &Path) -> Result<CommunicationMatrix, Failure> {
    let bytes = text("--matrix", path, LARGEST_MATRIX)?;
    csv::parse(&bytes).map_err(|cause| {
        Failure::Failed(anyhow::anyhow!("{} is no communication matrix: {cause}", path.display()))
    })
}

/// The messages of the experiment's newest job.
fn counted(cli: &Cli, console: &Console) -> Result<CommunicationMatrix, Failure> {
    let path = cli.experiment.display();
    let unknown = |what: &str| {
        Failure::misuse(format!(
            "{path} has no {what}: count them with `mpirun -n N loopwright comm -- PROGRAM`, or name a file with --matrix"
        ))
    };
    if !cli.experiment.exists() {
        return Err(unknown("messages, since there is no such file"));
    }
    let comm = state::load(cli, "latest")?.analysis.comm.ok_or_else(|| unknown("calls of MPI"))?;
    let missing = comm.lost.map_or(0, |lost| saturating_sum([lost.messages, lost.foreign, lost.starts]));
    if missing > 0 {
        console.note(&format!(
            "{missing} messages have no receiver that is known: the placement does not see them"
        ));
    }
    let known = comm.ranks.len();
    let size = comm.size.unwrap_or(0).max(comm.ranks.last().map_or(0, |rank| rank.rank.saturating_add(1)));
    if (known as u64) < u64::from(size) {
        console.note(&format!(
            "the messages of {known} of {size} ranks are known: the placement sees only these"
        ));
    }
    let sent = comm.matrix.iter().map(|edge| Sent {
        from: edge.from,
        to: edge.to,
        messages: edge.messages,
        bytes: edge.bytes,
    });
    let sent: Vec<Sent> = sent.collect();
    if sent.is_empty() {
        return Err(unknown("messages from rank to rank (collective calls name no receivers)"));
    }
    CommunicationMatrix::new(size, sent).map_err(|cause| Failure::Failed(anyhow::anyhow!("{path}: {cause}")))
}

/// The matrix with all ranks of the job, its nodes, and where its ranks are now.
fn situation(
    args: &PlaceArgs,
    matrix: CommunicationMatrix,
) -> Result<(CommunicationMatrix, Job, Order, Placement), Failure> {
    let misuse = |cause: &dyn std::fmt::Display| Failure::misuse(cause.to_string());
    let named = match &args.hosts {
        Some(path) => {
            let bytes = text("--hosts", path, LARGEST_LIST)?;
            let all = hosts::lines(&String::from_utf8_lossy(&bytes));
            Some(all.map_err(|cause| Failure::misuse(format!("{}: {cause}", path.display())))?)
        }
        None => None,
    };
    let environment = |name: &str| std::env::var(name).ok();
    if let Current::File(path) = &args.current {
        let bytes = text("--current", path, LARGEST_LIST)?;
        let wrong = |cause: &dyn std::fmt::Display| Failure::misuse(format!("{}: {cause}", path.display()));
        let (placement, names) = present::parse(&String::from_utf8_lossy(&bytes), named.as_deref())
            .map_err(|cause| wrong(&cause))?;
        let ranks = placement.node_of().len() as u32;
        if ranks < matrix.ranks() {
            let text = format!(
                "it places {ranks} ranks, and the matrix has {}; give each rank a line",
                matrix.ranks()
            );
            return Err(wrong(&text));
        }
        let job = Job::of_placement(&placement, names, args.nodes, args.cores.as_ref())
            .map_err(|cause| misuse(&cause))?;
        let matrix = matrix.with_ranks(ranks).map_err(|cause| misuse(&cause))?;
        return Ok((matrix, job, Order::Given, placement));
    }
    let ranks = matrix.ranks();
    let job = Job::find(ranks, args.nodes, args.cores.as_ref(), named, &environment)
        .map_err(|cause| misuse(&cause))?;
    let (order, placement) = match args.current {
        Current::RoundRobin => (Order::RoundRobin, Placement::round_robin(ranks, &job.nodes)),
        _ => (Order::Block, Placement::block(ranks, &job.nodes)),
    };
    let placement = placement.map_err(|cause| misuse(&cause))?;
    Ok((matrix, job, order, placement))
}

/// Writes the files of the proposed placement; none where the present one is as good.
fn written(
    args: &PlaceArgs,
    proposal: &Proposal,
    job: &Job,
    console: &Console,
) -> Result<Vec<LauncherFile>, Failure> {
    let Some(proposed) = proposal.proposed() else { return Ok(Vec::new()) };
    let mut launchers: Vec<Launcher> = args.launchers.iter().map(|choice| Launcher::from(*choice)).collect();
    launchers.sort_unstable();
    launchers.dedup();
    if launchers.is_empty() {
        return Ok(Vec::new());
    }
    // Cray's file has numbers only.
    if job.source == Source::Numbered && launchers.iter().any(|launcher| *launcher != Launcher::Cray) {
        console.note(
            "the nodes' names are not known: the files name them node1, node2, ..; give them with --hosts",
        );
    }
    std::fs::create_dir_all(&args.output).map_err(|cause| {
        Failure::Failed(anyhow::anyhow!(
            "cannot create {}: {cause}; name another folder with --output",
            args.output.display()
        ))
    })?;
    let ranks = proposed.placement.node_of().len() as u32;
    let used = proposed.placement.occupied(job.nodes.len()).iter().filter(|ranks| **ranks > 0).count();
    let file = |launcher: &Launcher| {
        let path = args.output.join(launcher.file_name());
        Destination::File(&path).write(&launcher.text(&proposed.placement, &job.hosts))?;
        let path = path.display().to_string();
        let quoted = shlex::try_quote(&path).map_or_else(|_| path.clone(), std::borrow::Cow::into_owned);
        let command = launcher.command(&quoted, ranks, used, PROGRAM);
        Ok(LauncherFile { launcher: *launcher, file: path, command })
    };
    launchers.iter().map(file).collect()
}
