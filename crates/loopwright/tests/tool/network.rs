//! The measured network: under each MPI's launcher, what is refused, and advice that follows from it against a simulated cluster.

use crate::programs::{in_path, needed};
use crate::tool::{Said, Scratch, said};
use loopwright_analysis::model::{CallClass, CommAdvice, CommChange};
use loopwright_experiment::communication::Messages;
use loopwright_experiment::{Facts, MachineRecord, Run};
use loopwright_instrument::calls::{Called, HookedRun};
use loopwright_instrument::messages::{CallSite, Peer};
use loopwright_machine::Machine;
use loopwright_machine::network::{Network, PROBE, fit};
use loopwright_sample::recording::{Rank, Target};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

const TOOL: &str = env!("CARGO_BIN_EXE_loopwright");

fn launched(scratch: &Scratch, launcher: &Path, ranks: u32, words: &[&str]) -> Said {
    let mut command = scratch.wrapped(Command::new(launcher));
    command.envs([("OMPI_ALLOW_RUN_AS_ROOT", "1"), ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")]);
    command.env("OMPI_MCA_rmaps_base_oversubscribe", "1").env_remove("MPICC");
    command.args(["-n", &ranks.to_string(), TOOL, "machine", "--measure", "--network"]).args(words);
    said(command.output().expect("the launcher starts"))
}

/// A busy machine is refused, which is as right as figures are: both are one clear answer, and nothing but figures is kept.
fn measured(scratch: &Scratch, launcher: &str, compiler: &str, library: &str) {
    let Some(launcher) = needed(in_path(launcher), launcher) else { return };
    let Some(compiler) = needed(in_path(compiler), compiler) else { return };
    let said = launched(scratch, &launcher, 2, &["--json", "--mpicc", &compiler.to_string_lossy()]);
    let record = scratch.ok(["machine", "--json"]);
    let kept = crate::contract::document(&record)["machine"]["network"].clone();
    if said.err.contains("no figures:") {
        assert!(said.status != Some(0) && kept.is_null(), "{}", said.err);
        return;
    }
    assert_eq!(said.status, Some(0), "{}", said.err);
    // One rank shows it.
    let shown = crate::contract::document(&said.out)["machine"]["network"].clone();
    assert_eq!(shown, kept);
    assert_eq!((&kept["ranks"], &kept["nodes"]), (&2.into(), &1.into()));
    assert!(kept["library"].as_str().is_some_and(|name| name.contains(library)), "{kept}");
    assert!(kept["within_node"]["points"].as_array().is_some_and(|points| points.len() > 20), "{kept}");
    assert!(kept["between_nodes"].is_null(), "{kept}");
    let text = scratch.ok(["machine"]);
    assert!(text.contains("Messages between ranks") && text.contains("one node"), "{text}");
}

#[test]
fn messages_are_measured_under_the_launchers_of_both_libraries() {
    measured(&Scratch::new(), "mpirun.openmpi", "mpicc.openmpi", "Open MPI");
    measured(&Scratch::new(), "mpiexec.hydra", "mpicc.mpich", "MPICH");
}

#[test]
fn what_cannot_be_measured_is_said_with_the_way_out() {
    let scratch = Scratch::new();
    let alone = scratch.run(["machine", "--measure", "--network"]);
    assert_eq!(alone.status, Some(2), "{}", alone.err);
    assert!(alone.err.contains("`mpirun -n 2 loopwright machine --measure --network`"), "{}", alone.err);
    let without = scratch.run(["machine", "--network"]);
    assert!(without.status == Some(2) && without.err.contains("--measure"), "{}", without.err);
    let Some(launcher) = needed(in_path("mpiexec.hydra"), "mpiexec.hydra (package mpich)") else { return };
    let one = launched(&scratch, &launcher, 1, &[]);
    assert!(one.status == Some(2) && one.err.contains("no other to send to"), "{}", one.err);
    let nowhere = launched(&scratch, &launcher, 2, &["--mpicc", "nowhere"]);
    assert!(
        nowhere.status == Some(1) && nowhere.err.contains("nowhere: the compiler of MPI"),
        "{}",
        nowhere.err
    );
    assert_eq!(nowhere.err.matches("--mpicc").count(), 1, "one rank of a node says it: {}", nowhere.err);
    let none = launched(&scratch, &launcher, 2, &["--mpicc", "false"]);
    assert!(none.status == Some(1) && none.err.contains("does not compile"), "{}", none.err);
}

/// A cluster of 64 nodes with a rank on each, whose links of 12.5 GB/s meet in one switch.
const PLATFORM: &str = r#"<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="cluster" prefix="node" suffix="" radical="1-64" speed="1Gf" bw="12.5GBps" lat="1us"
    loopback_bw="10GBps" loopback_lat="300ns" topology="FAT_TREE" topo_parameters="2;64,1;1,4;1,1"/>
</platform>
"#;

/// Bytes of a message, and messages to each of four neighbours, which are one afterwards: each waited for, or all together.
const EXCHANGES: [(u64, u64); 6] = [(8, 1000), (64, 100), (512, 40), (1024, 16), (4096, 4), (16384, 2)];
const BURSTS: [(u64, u64); 3] = [(8, 40), (64, 20), (512, 10)];
/// SMPI by itself takes no time of the processor for a message: this is 0.5 us at each end, as on real nodes.
const OVERHEAD: [&str; 2] = ["--cfg=smpi/os:0:5e-7:0", "--cfg=smpi/or:0:5e-7:0"];

struct Cluster {
    scratch: Scratch,
    simulator: std::path::PathBuf,
}

impl Cluster {
    fn new() -> Option<Self> {
        let compiler = needed(in_path("smpicc"), "smpicc of SimGrid")?;
        let simulator = needed(in_path("smpirun"), "smpirun of SimGrid")?;
        let scratch = Scratch::new();
        std::fs::write(scratch.file("platform.xml"), PLATFORM).unwrap();
        let hosts: String = (1..=64).map(|node| format!("node{node}\n")).collect();
        std::fs::write(scratch.file("hosts"), hosts).unwrap();
        for (name, text) in [("probe", PROBE), ("messages", include_str!("network/messages.c"))] {
            let source = format!("{name}.c");
            std::fs::write(scratch.file(&source), text).unwrap();
            // Simulated times are exact: few samples are enough.
            let words = ["-O1", "-w", "-DMOST=20", "-o", name, &source];
            let built = said(scratch.wrapped(Command::new(&compiler)).args(words).output().unwrap());
            assert_eq!(built.status, Some(0), "{}", built.err);
        }
        Some(Self { scratch, simulator })
    }

    fn run(&self, settings: &[&str], program: &[&str]) -> String {
        let mut run = self.scratch.wrapped(Command::new(&self.simulator));
        run.args(["-np", "64", "-hostfile", "hosts", "-platform", "platform.xml"]);
        run.args(["--cfg=smpi/simulate-computation:no", "--log=root.thres:critical"])
            .args(settings)
            .args(program);
        let said = said(run.output().unwrap());
        assert_eq!(said.status, Some(0), "{}", said.err);
        said.out
    }

    /// Seconds of one step.
    fn seconds(&self, settings: &[&str], mode: &str, (bytes, count): (u64, u64), how: &str) -> f64 {
        let text =
            self.run(settings, &["./messages", mode, &bytes.to_string(), &count.to_string(), how, "1"]);
        let seconds = text.lines().find_map(|line| line.strip_prefix("seconds ")?.trim().parse().ok());
        seconds.unwrap_or_else(|| panic!("the simulator did not print a time:\n{text}"))
    }
}

/// What `comm` counts of this exchange, which is known from the source of the program.
fn counted(mode: &str, (bytes, count): (u64, u64), seconds: f64, network: &Network) -> Vec<CommAdvice> {
    let machine =
        MachineRecord { machine: Machine::detect(), ceilings: None, network: Some(network.clone()) };
    let machine = Arc::new(machine);
    let run = |rank: u32| {
        let (row, column) = (rank / 8, rank % 8);
        let to = |row: u32, column: u32| row % 8 * 8 + column % 8;
        let all = [to(row, column + 1), to(row, column + 7), to(row + 1, column), to(row + 7, column)];
        let mut bins = [0; 6];
        let bounds = [16, 256, 4096, 65536, 1 << 20];
        bins[bounds.iter().position(|bound| bytes < *bound).unwrap_or(5)] = 4 * count;
        let called = Called {
            function: if mode == "burst" { "MPI_Isend" } else { "MPI_Sendrecv" }.into(),
            calls: 4 * count,
            bytes: 4 * count * bytes,
            seconds,
            bins,
            ..Called::default()
        };
        let site = CallSite { called, class: CallClass::PointToPoint, waiting_seconds: 0.0 };
        let facts = Messages {
            rank: Some(rank),
            ranks: Some(64),
            sites: vec![site],
            peers: all.map(|rank| Peer { rank, messages: count, bytes: count * bytes }).to_vec(),
            run: HookedRun { elapsed_seconds: seconds, ..HookedRun::default() },
            ..Messages::default()
        };
        let of_job = Rank { rank, size: 64, launcher: "slurm".into(), job: "1".into() };
        let target = Target { rank: Some(of_job), host: format!("node{}", rank + 1), ..Target::default() };
        Run { target, machine: Some(Arc::clone(&machine)), facts, ..Run::default() }
    };
    let facts = Facts { communication: (0..64).map(run).collect(), ..Facts::default() };
    loopwright_analysis::analyse(&facts).comm.expect("calls").advice
}

/// Simulated times are exact: a program that only sends has the same ones in each run and on each machine. The network is measured on
/// the simulated cluster as on a real one.
#[test]
fn the_gain_of_joined_messages_is_that_of_a_simulated_cluster() {
    let Some(cluster) = Cluster::new() else { return };
    println!("mode bytes messages  seconds joined  predicted simulated ratio");
    for (mode, settings, patterns) in
        [("exchange", &[][..], &EXCHANGES[..]), ("burst", &OVERHEAD[..], &BURSTS[..])]
    {
        let network = fit(cluster.run(settings, &["./probe"]).as_bytes()).expect("figures");
        assert_eq!((network.ranks, network.nodes), (64, 64));
        for &of @ (bytes, count) in patterns {
            let of_step = |how| cluster.seconds(settings, mode, of, how);
            let (single, joined) = (of_step("single"), of_step("joined"));
            let advice = counted(mode, of, single, &network);
            let found = advice.iter().find(|advice| matches!(advice.change, CommChange::JoinMessages { .. }));
            let found = found.unwrap_or_else(|| panic!("{mode} {bytes} B, {count}: {advice:?}"));
            let (predicted, simulated) = (found.gain_seconds[1], single - joined);
            let ratio = predicted / simulated;
            println!(
                "{mode} {bytes} {count} {single:.7} {joined:.7} {predicted:.7} {simulated:.7} {ratio:.3}"
            );
            assert!(
                (ratio - 1.0).abs() <= 0.2,
                "{mode} {bytes} B, {count}: {predicted}, simulated {simulated}"
            );
            assert!(predicted <= single, "{predicted} of {single}");
        }
        // Messages above the eager limit of this library (64 KiB) are left alone.
        assert_eq!(counted(mode, (65536, 100), 1.0, &network), []);
    }
}
