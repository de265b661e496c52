//! `loopwright place`: its table and files, what it refuses, and its prediction against a simulated cluster.

use crate::programs::{in_path, needed};
use crate::tool::Scratch;
use std::process::Command;

/// Messages of the halo, in bytes.
const MESSAGE: u64 = 128 << 10;

/// A periodic halo of 16 x 16 ranks: each sends one message to each of four neighbours.
fn halo() -> String {
    let mut text = "from,to,messages,bytes\n".to_owned();
    for rank in 0..256 {
        let (row, column) = (rank / 16, rank % 16);
        let to = |row: u32, column: u32| row % 16 * 16 + column % 16;
        for to in [to(row, column + 1), to(row, column + 15), to(row + 1, column), to(row + 15, column)] {
            text.push_str(&format!("{rank},{to},1,{MESSAGE}\n"));
        }
    }
    text
}

fn scratch() -> Scratch {
    let scratch = Scratch::new();
    std::fs::write(scratch.file("halo.csv"), halo()).unwrap();
    scratch
}

/// As a Slurm job would have it.
fn in_slurm(scratch: &Scratch, arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut tool = scratch.tool();
    tool.env("SLURM_NNODES", "16").env("SLURM_NTASKS_PER_NODE", "16").env("SLURM_JOB_NODELIST", "n[01-15],m");
    let said = tool.args(arguments).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    (said.status.code(), text(said.stdout), text(said.stderr))
}

const HALO: [&str; 7] = ["place", "--matrix", "halo.csv", "--nodes", "16", "--cores", "16"];

#[test]
fn a_halo_is_placed_in_tiles_for_every_launcher() {
    let scratch = scratch();
    let launchers = ["--for", "slurm,openmpi,cray,smpi", "--output", "an order", "--json"];
    let said = scratch.run(HALO.into_iter().chain(launchers));
    assert_eq!(said.status, Some(0), "{}", said.err);
    assert!(said.err.contains("node1, node2"), "{}", said.err);
    let found = crate::contract::document(&said.out)["placement"].clone();
    assert_eq!((&found["how"], &found["ranks"]), (&"modelled".into(), &256.into()));
    let (now, best) =
        (&found["candidates"][0], &found["candidates"][found["proposed"].as_u64().unwrap() as usize]);
    assert_eq!((&now["order"], &now["off_node_messages"]), (&"block".into(), &512.into()));
    assert_eq!(now["largest_egress"], 32 * MESSAGE);
    assert_eq!((&best["order"], &best["off_node_messages"]), (&"tiles".into(), &256.into()));
    assert_eq!((&best["largest_egress"], &best["gain"]), (&(16 * MESSAGE).into(), &2.0.into()));
    let read = |name: &str| std::fs::read_to_string(scratch.file("an order").join(name)).unwrap();
    let hosts = read("slurm.hosts");
    // Rank 17 is the neighbour of rank 0 across both dimensions: they share a tile of 4 x 4.
    let lines: Vec<&str> = hosts.lines().collect();
    assert_eq!((lines.len(), lines[0], lines[17], lines[4]), (256, "node1", "node1", "node2"));
    assert_eq!(read("smpi.hosts"), hosts);
    assert!(read("openmpi.ranks").starts_with("rank 0=node1 slot=0\nrank 1=node1 slot=1\n"));
    assert!(read("MPICH_RANK_ORDER").starts_with("0,1,2,3,16,17,18,19,32,33,34,35,48,49,50,51,\n4,5,"));
    let command = found["files"][0]["command"].as_str().unwrap();
    assert!(command.starts_with("SLURM_HOSTFILE='an order/slurm.hosts' srun "), "{command}");
    // What was proposed is the present order then, and nothing is better.
    let text = scratch.ok(["place", "--matrix", "halo.csv", "--current", "an order/slurm.hosts"]);
    assert!(text.contains("Keep the present order") && text.contains("as given"), "{text}");
    let text = scratch.ok(["place", "--matrix", "halo.csv", "--current", "an order/openmpi.ranks"]);
    assert!(text.contains("Keep the present order"), "{text}");
}

#[test]
fn a_slurm_job_needs_no_numbers() {
    let scratch = scratch();
    let (status, text, err) =
        in_slurm(&scratch, &["place", "--matrix", "halo.csv", "--for", "slurm", "--current", "round-robin"]);
    assert_eq!((status, err.as_str()), (Some(0), ""), "{text}");
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("now round robin") && words.contains("2.0x as fast by the model"), "{text}");
    let hosts = std::fs::read_to_string(scratch.file("slurm.hosts")).unwrap();
    assert!(hosts.starts_with("n01\n") && hosts.ends_with("m\n"), "{hosts}");
}

#[test]
fn what_cannot_be_placed_is_said_with_the_way_out() {
    let scratch = scratch();
    std::fs::write(scratch.file("wrong.csv"), "from,to,messages,bytes\n0,1,2\n").unwrap();
    std::fs::write(scratch.file("short.txt"), "a\nb\n").unwrap();
    std::fs::write(scratch.file("names.txt"), "a\nb\n").unwrap();
    for (arguments, status, part) in [
        (&["--nodes", "4", "--cores", "4"][..], 2, "256 ranks do not fit on 16 cores"),
        (&["--nodes", "16"], 2, "--cores"),
        (&[], 2, "--nodes"),
        (&["--nodes", "16", "--cores", "16", "--ranks", "9"], 2, "--ranks"),
        (&["--nodes", "16", "--cores", "16", "--hosts", "names.txt"], 2, "16 nodes and 2 names"),
        (&["--current", "short.txt"], 2, "it places 2 ranks, and the matrix has 256"),
        (&["--current", "nowhere.txt"], 2, "cannot read nowhere.txt"),
        (&["--matrix", "wrong.csv"], 2, "cannot be used multiple times"),
    ] {
        let said = scratch.run(["place", "--matrix", "halo.csv"].iter().chain(arguments));
        assert!(said.status == Some(status) && said.err.contains(part), "{arguments:?}: {}", said.err);
    }
    let said = scratch.run(["place", "--matrix", "wrong.csv", "--nodes", "2", "--cores", "2"]);
    assert!(
        said.status == Some(1) && said.err.contains("wrong.csv is no communication matrix: line 2"),
        "{}",
        said.err
    );
    let said = scratch.run(["place", "--matrix", "/dev/zero", "--nodes", "2", "--cores", "2"]);
    assert!(said.status == Some(2) && said.err.contains("not a regular file"), "{}", said.err);
}

/// A cluster of 16 nodes of 16 cores, whose links of 12.5 GB/s meet in one switch that holds none of them up. Inside a node messages
/// are copied: without the loopback's figures SimGrid takes 0.5 GB/s, less than the network's.
const PLATFORM: &str = r#"<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="cluster" prefix="node" suffix="" radical="1-16" speed="1Gf" bw="12.5GBps" lat="1us" core="16"
    loopback_bw="10GBps" loopback_lat="300ns" topology="FAT_TREE" topo_parameters="2;16,1;1,4;1,1"/>
</platform>
"#;

/// Simulated times are exact: a program that only sends has the same ones in each run and on each machine.
#[test]
fn the_prediction_is_that_of_a_simulated_cluster() {
    let Some(compiler) = needed(in_path("smpicc"), "smpicc of SimGrid") else { return };
    let Some(simulator) = needed(in_path("smpirun"), "smpirun of SimGrid") else { return };
    let scratch = scratch();
    std::fs::write(scratch.file("halo.c"), include_str!("placing/halo.c")).unwrap();
    std::fs::write(scratch.file("platform.xml"), PLATFORM).unwrap();
    let block: String = (0..256).map(|rank| format!("node{}\n", rank / 16 + 1)).collect();
    std::fs::write(scratch.file("block.hosts"), block).unwrap();
    let built =
        scratch.wrapped(Command::new(compiler)).args(["-O1", "-o", "halo", "halo.c"]).output().unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let found = scratch.ok(HALO.into_iter().chain(["--for", "smpi", "--json"]));
    let found = crate::contract::document(&found)["placement"].clone();
    let predicted =
        found["candidates"][found["proposed"].as_u64().unwrap() as usize]["gain"].as_f64().unwrap();
    let simulated = |hosts: &str| {
        let mut run = scratch.wrapped(Command::new(&simulator));
        run.args(["-np", "256", "-hostfile", hosts, "-platform", "platform.xml"]);
        run.args(["--cfg=smpi/simulate-computation:no", "--log=root.thres:critical", "./halo", "16"]);
        let said = run.args([MESSAGE.to_string().as_str(), "5"]).output().unwrap();
        let text =
            String::from_utf8_lossy(&said.stdout).into_owned() + &String::from_utf8_lossy(&said.stderr);
        let seconds = text.lines().find_map(|line| line.strip_prefix("seconds ")?.trim().parse::<f64>().ok());
        seconds.unwrap_or_else(|| panic!("the simulator did not print a time:\n{text}"))
    };
    let gain = simulated("block.hosts") / simulated("smpi.hosts");
    assert!(gain >= 1.5, "{gain}");
    assert!((predicted / gain - 1.0).abs() <= 0.15, "{predicted} predicted, {gain} simulated");
}
