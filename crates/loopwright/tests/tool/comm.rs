//! `loopwright comm` on programs whose calls of MPI follow from the source: in C and Fortran, with Open MPI and MPICH, with the
//! library loaded and linked in.

use crate::programs::{compiled, in_path, needed};
use crate::tool::{Scratch, said};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

const TOOL: &str = env!("CARGO_BIN_EXE_loopwright");
const CALLS: &str = include_str!("comm/calls.c");
const RING: &str = include_str!("comm/ring.f90");

/// An MPI: its launcher, and its compilers for C and Fortran.
struct Mpi {
    launcher: PathBuf,
    c: PathBuf,
    fortran: PathBuf,
}

fn open_mpi() -> Option<Mpi> {
    Some(Mpi {
        launcher: needed(in_path("mpirun.openmpi"), "mpirun.openmpi (package openmpi-bin)")?,
        c: needed(in_path("mpicc.openmpi"), "mpicc.openmpi (package libopenmpi-dev)")?,
        fortran: needed(in_path("mpif90.openmpi"), "mpif90.openmpi (package libopenmpi-dev)")?,
    })
}

fn mpich() -> Option<Mpi> {
    Some(Mpi {
        launcher: needed(in_path("mpiexec.hydra"), "mpiexec.hydra (package mpich)")?,
        c: needed(in_path("mpicc.mpich"), "mpicc.mpich (package libmpich-dev)")?,
        fortran: needed(in_path("mpif90.mpich"), "mpif90.mpich (package libmpich-dev)")?,
    })
}

/// Runs the program on this number of ranks by itself and counted: what it prints is the same; the counts.
fn counted(scratch: &Scratch, mpi: &Mpi, ranks: u32, program: &Path, options: &[&str]) -> Value {
    let launch = |words: &[&str]| {
        let mut command = scratch.wrapped(Command::new(&mpi.launcher));
        command.envs([("OMPI_ALLOW_RUN_AS_ROOT", "1"), ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")]);
        command.env("OMPI_MCA_rmaps_base_oversubscribe", "1");
        command.args(["-n", &ranks.to_string()]).args(words).arg(program);
        let said = said(command.output().expect("the launcher starts"));
        assert_eq!(said.status, Some(0), "{}\n{}", said.err, said.out);
        said
    };
    let plain = launch(&[]);
    let said = launch(&[&[TOOL, "comm"], options, &["--"]].concat());
    assert!(!plain.out.is_empty() && said.out.starts_with(&plain.out), "{}\n{}", plain.out, said.out);
    let text = scratch.ok(["show", "comm", "--json"]);
    serde_json::from_str::<Value>(&text).expect("JSON")["comm"].clone()
}

fn list<'a>(of: &'a Value, key: &str) -> &'a [Value] {
    of[key].as_array().map_or(&[], Vec::as_slice)
}

/// Calls and bytes of all ranks, by function.
fn by_function(comm: &Value) -> BTreeMap<String, (u64, u64)> {
    let mut all: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    for site in list(comm, "sites") {
        let bins: u64 = list(site, "bins").iter().filter_map(Value::as_u64).sum();
        let classed = bins + site["without_bytes"].as_u64().unwrap_or(0);
        assert_eq!(
            Some(classed),
            site["calls"].as_u64(),
            "each call whose bytes are known is in one class: {site}"
        );
        let sum = all.entry(site["function"].as_str().expect("a name").to_owned()).or_default();
        sum.0 += site["calls"].as_u64().expect("calls");
        sum.1 += site["bytes"].as_u64().expect("bytes");
    }
    all
}

/// Messages and bytes from rank to rank.
fn matrix(comm: &Value) -> BTreeMap<(u64, u64), (u64, u64)> {
    let number = |edge: &Value, key: &str| edge[key].as_u64().expect("a number");
    let edge = |edge: &Value| {
        ((number(edge, "from"), number(edge, "to")), (number(edge, "messages"), number(edge, "bytes")))
    };
    list(comm, "matrix").iter().map(edge).collect()
}

/// Calls and bytes of `calls.c` with four ranks.
fn expected() -> BTreeMap<String, (u64, u64)> {
    let expected = [
        ("MPI_Sendrecv", 4 * 5, 4 * 5 * 80),
        ("MPI_Isend", 4 * 2, 4 * 2 * 7),
        ("MPI_Send", 4, 4 * 100),
        ("MPI_Send_init", 4, 0),
        ("MPI_Recv_init", 4, 0),
        ("MPI_Startall", 4 * 6, 4 * 6 * 40),
        ("MPI_Ssend", 4, 4 * 40),
        // To MPI_PROC_NULL nothing is sent.
        ("MPI_Bsend", 4, 0),
        ("MPI_Irecv", 4 * (2 + 1 + 1), 0),
        ("MPI_Waitall", 4 * (2 + 6), 0),
        ("MPI_Wait", 4 * 3, 0),
        ("MPI_Request_free", 4 * 2, 0),
        ("MPI_Comm_split", 4 * 2, 0),
        ("MPI_Comm_free", 4, 0),
        // The root alone sends.
        ("MPI_Bcast", 4, 8 * 4),
        ("MPI_Scatter", 4, 4 * 2 * 4),
        ("MPI_Scatterv", 4, (1 + 2 + 3 + 4) * 4),
        ("MPI_Allreduce", 4, 4 * 3 * 8),
        ("MPI_Gatherv", 4, (1 + 2 + 3 + 4) * 4),
        ("MPI_Allgather", 4, 4 * 4),
        ("MPI_Allgatherv", 4, (1 + 2 + 3 + 4) * 4),
        ("MPI_Alltoall", 4, 4 * 4 * 2 * 4),
        ("MPI_Alltoallv", 4, 4 * 4 * 2 * 4),
        ("MPI_Alltoallw", 4, 4 * 4 * 3),
        ("MPI_Reduce", 4, 4 * 16 * 8),
        ("MPI_Reduce_scatter_block", 4, 4 * 4 * 8),
        ("MPI_Scan", 4, 4 * 4),
        ("MPI_Iallreduce", 4, 4 * 5 * 4),
        ("MPI_Win_create", 4, 0),
        ("MPI_Win_fence", 8, 0),
        ("MPI_Put", 4, 4 * 16),
        ("MPI_Win_free", 4, 0),
        ("MPI_Rsend", 4, 4 * 4),
        ("MPI_Barrier", 4, 0),
        ("MPI_Init", 4, 0),
        ("MPI_Finalize", 4, 0),
    ];
    expected.into_iter().map(|(name, calls, bytes)| (name.to_owned(), (calls, bytes))).collect()
}

fn assert_calls(comm: &Value) {
    assert_eq!(by_function(comm), expected());
    assert!(list(comm, "sites").iter().all(|site| site["without_bytes"].is_null()), "{comm}");
    let mut messages: BTreeMap<(u64, u64), (u64, u64)> = BTreeMap::new();
    for rank in 0..4u64 {
        let sent = [
            ((rank + 1) % 4, 5, 5 * 80),
            ((rank + 2) % 4, 2, 2 * 7),
            (rank ^ 1, 1 + 6 + 1, 100 + 6 * 40 + 40),
        ];
        for (to, number, bytes) in sent {
            let sum = messages.entry((rank, to)).or_default();
            *sum = (sum.0 + number, sum.1 + bytes);
        }
    }
    assert_eq!(matrix(comm), messages);
    // The call that did not return, and its receiver that does not exist.
    assert_eq!((&comm["lost"]["torn"], &comm["lost"]["foreign"]), (&4.into(), &4.into()), "{}", comm["lost"]);
    assert_eq!((&comm["size"], list(comm, "left")), (&4.into(), &[][..]), "{comm}");
}

#[test]
fn calls_bytes_and_receivers_are_those_of_the_source_with_open_mpi() {
    let Some(mpi) = open_mpi() else { return };
    let scratch = Scratch::new();
    let program = compiled(&scratch, &mpi.c, "calls.c", CALLS, &[]);
    let comm = counted(&scratch, &mpi, 4, &program, &[]);
    assert_calls(&comm);
    let line = 1 + CALLS.lines().position(|line| line.contains("MPI_Startall")).expect("a line");
    let start =
        list(&comm, "sites").iter().find(|site| site["function"] == "MPI_Startall").expect("it is called");
    assert_eq!(
        (start["place"].as_str(), start["caller"].as_str()),
        (Some(&*format!("calls.c:{line}")), Some("main"))
    );
    assert!(start["loop_place"].as_str().is_some_and(|at| at.starts_with("calls.c:")), "{start}");
    let rows = scratch.ok(["show", "matrix", "--csv"]);
    assert!(
        rows.starts_with("from,to,messages,bytes\n") && rows.lines().count() == 1 + matrix(&comm).len(),
        "{rows}"
    );
    assert!(scratch.ok(["show", "comm", "--csv"]).lines().count() == 1 + list(&comm, "sites").len());
}

#[test]
fn calls_bytes_and_receivers_are_those_of_the_source_with_mpich() {
    let Some(mpi) = mpich() else { return };
    let scratch = Scratch::new();
    let program = compiled(&scratch, &mpi.c, "calls.c", CALLS, &[]);
    assert_calls(&counted(&scratch, &mpi, 4, &program, &[]));
}

/// The barriers are the tool's own: they are in no count.
#[test]
fn barriers_time_waiting_apart_and_change_no_count() {
    let Some(mpi) = open_mpi() else { return };
    let scratch = Scratch::new();
    let program = compiled(&scratch, &mpi.c, "calls.c", CALLS, &[]);
    let comm = counted(&scratch, &mpi, 4, &program, &["--barriers"]);
    assert_calls(&comm);
    assert_eq!(comm["barriers"], true);
    let site =
        |name: &str| list(&comm, "sites").iter().find(|site| site["function"] == name).expect("it is called");
    assert!(site("MPI_Allreduce")["sync_seconds"].as_f64().is_some_and(|seconds| seconds > 0.0));
    assert!(site("MPI_Send")["sync_seconds"].is_null());
}

/// A library that is linked in has only those functions that the program needs: here neither the size of a type that the program
/// made nor the rank of a receiver in another communicator can be asked for, and that is said.
#[test]
fn a_library_that_is_linked_in_is_counted() {
    let Some(mpi) = mpich() else { return };
    let scratch = Scratch::new();
    let find = |name: &str| {
        let said = said(
            scratch
                .wrapped(Command::new("gcc"))
                .arg(format!("-print-file-name={name}"))
                .output()
                .expect("gcc"),
        );
        Some(PathBuf::from(said.out.trim())).filter(|path| path.is_absolute())
    };
    let Some(archive) = needed(find("libmpich.a"), "libmpich.a (package libmpich-dev)") else { return };
    let shared = find("libmpich.so").expect("it comes with the archive");
    let dynamic = said(
        scratch.wrapped(Command::new("readelf")).arg("-d").arg(shared).output().expect("readelf starts"),
    );
    let needs = dynamic.out.lines().filter(|line| line.contains("(NEEDED)"));
    let libraries: Vec<String> =
        needs.filter_map(|line| Some(format!("-l:{}", line.split('[').nth(1)?.split(']').next()?))).collect();
    let shown = said(scratch.wrapped(Command::new(&mpi.c)).arg("-show").output().expect("mpicc starts")).out;
    let headers: Vec<&str> = shown.split_whitespace().filter(|word| word.starts_with("-I")).collect();
    let archive = archive.to_str().expect("a path of text");
    let words: Vec<&str> = headers
        .into_iter()
        .chain([archive])
        .chain(libraries.iter().map(String::as_str))
        .chain(["-lm"])
        .collect();
    let program = compiled(&scratch, Path::new("gcc"), "calls.c", CALLS, &words);
    let comm = counted(&scratch, &mpi, 4, &program, &[]);
    let mut calls = expected();
    calls.insert("MPI_Ssend".to_owned(), (4, 0));
    assert_eq!(by_function(&comm), calls);
    let unknown = |site: &&Value| !site["without_bytes"].is_null();
    let unknown: Vec<&Value> =
        list(&comm, "sites").iter().filter(unknown).map(|site| &site["function"]).collect();
    assert_eq!(unknown, ["MPI_Ssend"]);
    let in_world = (0..4).map(|rank| ((rank, (rank + 1) % 4), (5, 5 * 80))).collect::<BTreeMap<_, _>>();
    assert_eq!(matrix(&comm), in_world);
    assert_eq!(comm["lost"]["foreign"], 4 * (2 + 1 + 6 + 1) + 4);
}

fn assert_ring(comm: &Value, source: &str) {
    let calls = by_function(comm);
    assert_eq!(calls["MPI_Isend"], (2 * 10, 2 * 10 * 8000));
    assert_eq!(
        (calls["MPI_Irecv"], calls["MPI_Waitall"], calls["MPI_Allreduce"]),
        ((20, 0), (20, 0), (2, 16))
    );
    assert_eq!(matrix(comm), BTreeMap::from([((0, 1), (10, 80_000)), ((1, 0), (10, 80_000))]));
    let line = 1 + source.lines().position(|line| line.contains("MPI_ISEND")).expect("a line");
    let send = list(comm, "sites").iter().find(|site| site["function"] == "MPI_Isend").expect("it is called");
    let place = send["place"].as_str().expect("a place");
    assert!(place.ends_with(&format!(".f90:{line}")), "{place}");
}

#[test]
fn both_interfaces_of_fortran_are_counted_at_the_place_of_their_call() {
    let modern = RING
        .replace("  implicit none\n", "  use mpi_f08\n  implicit none\n")
        .replace("  include 'mpif.h'\n", "")
        .replace(
            "from, req(2), st(MPI_STATUS_SIZE,2)",
            "from\n  type(MPI_Request) :: req(2)\n  type(MPI_Status) :: st(2)",
        );
    for mpi in [open_mpi(), mpich()].into_iter().flatten() {
        for (name, source) in [("ring.f90", RING), ("ring08.f90", &modern)] {
            let scratch = Scratch::new();
            let program = compiled(&scratch, &mpi.fortran, name, source, &[]);
            assert_ring(&counted(&scratch, &mpi, 2, &program, &[]), source);
        }
    }
}

/// Ranks that are not hooked would not call the barrier, and the others would wait for ever.
#[test]
fn barriers_of_a_part_of_the_ranks_are_refused() {
    let scratch = Scratch::new();
    let said = scratch.run(["comm", "--barriers", "--ranks", "0", "--", "true"]);
    assert_eq!(said.status, Some(2), "{}", said.err);
    assert!(said.err.contains("--barriers") && said.err.contains("--ranks"), "{}", said.err);
}

#[test]
fn a_program_without_mpi_says_so() {
    let scratch = Scratch::new();
    let said = scratch.ok(["comm", "--", "true"]);
    assert!(said.contains("no call of MPI"), "{said}");
    let shown = scratch.ok(["show", "comm"]);
    assert_eq!(said, shown);
}
