//! `loopwright machine --measure --network`: measures what messages between the ranks of a launcher take.
//!
//! Each rank compiles the measuring program and runs it in its own place, so that ranks share no file; the program's first rank prints
//! what it measured, and the process that started that one keeps it.

use crate::args::MachineArgs;
use crate::failure::Failure;
use crate::interrupt::INTERRUPTED;
use crate::ranks;
use crate::terminal::Console;
use loopwright_machine::Machine;
use loopwright_machine::network::{Network, PROBE, fit, store_network};
use std::ffi::OsString;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The variable that names the compiler, as build systems have it.
const VARIABLE: &str = "MPICC";
/// The command line that works.
const COMMAND: &str = "mpirun -n 2 loopwright machine --measure --network";
/// How long the program may take: it needs 10 s where each rank has a core, and ranks that wait for one that never began would wait for
/// ever.
const PATIENCE: Duration = Duration::from_secs(180);
/// Most bytes of what it prints: a hundred times what it does.
const LARGEST: u64 = 64 << 20;

/// Measures and keeps; nothing for a rank whose program printed nothing, since another one's did.
pub fn measure(machine: &Machine, args: &MachineArgs, console: &Console) -> Result<Option<Network>, Failure> {
    match ranks::own() {
        None => {
            return Err(Failure::misuse(format!(
                "messages are between ranks, and no launcher started this process; run `{COMMAND}`"
            )));
        }
        Some(rank) if rank.size == 1 => {
            return Err(Failure::misuse(format!("a single rank has no other to send to; run `{COMMAND}`")));
        }
        Some(_) => (),
    }
    let folder = tempfile::tempdir()?;
    let program = compiled(args, folder.path())?;
    let bar = console.progress("measuring messages between ranks");
    let printed = run(&program);
    bar.finish_and_clear();
    let printed = printed?;
    if printed.is_empty() {
        return Ok(None);
    }
    let mut network = fit(&printed)?;
    network.measured_unix = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let path = store_network(machine, &network)?;
    console.note(&format!("kept in {}", path.display()));
    Ok(Some(network))
}

/// One rank of each node reports what is missing there; where the launcher does not say which share a node, each does.
pub fn reports() -> bool {
    loopwright_sample::rank::own_on_node().unwrap_or(0) == 0
}

fn compiled(args: &MachineArgs, folder: &Path) -> Result<PathBuf, Failure> {
    let named = args.mpicc.clone().map(PathBuf::into_os_string);
    let compiler = named
        .or_else(|| std::env::var_os(VARIABLE).filter(|name| !name.is_empty()))
        .unwrap_or_else(|| OsString::from("mpicc"));
    let (source, program) = (folder.join("network.c"), folder.join("network"));
    std::fs::write(&source, PROBE)?;
    let failed = |what: String| {
        Failure::Failed(anyhow::anyhow!(
            "{}: {what}; name the C compiler of the launcher's MPI with --mpicc or {VARIABLE}, or load its module",
            compiler.display()
        ))
    };
    let said = Command::new(&compiler)
        .args(["-O2", "-w", "-o"])
        .args([&program, &source])
        .stdin(Stdio::null())
        .output()
        .map_err(|error| failed(format!("the compiler of MPI does not start ({error})")))?;
    if !said.status.success() {
        let text = String::from_utf8_lossy(&said.stderr);
        let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or("it says nothing");
        let first = loopwright_report::names::printable(first);
        return Err(failed(format!("it does not compile the measuring program ({first})")));
    }
    Ok(program)
}

/// What the program prints. A second thread reads it, so that a program that hangs can be ended.
fn run(program: &Path) -> Result<Vec<u8>, Failure> {
    let mut child =
        Command::new(program).stdin(Stdio::null()).stdout(Stdio::piped()).spawn().map_err(|error| {
            anyhow::anyhow!(
                "the measuring program does not start ({error}); name a TMPDIR whose files may be run"
            )
        })?;
    let output = child.stdout.take();
    let reader = std::thread::spawn(move || {
        let mut text = Vec::new();
        let _ = output.map(|output| output.take(LARGEST).read_to_end(&mut text));
        text
    });
    let ended = ends_well(&mut child);
    let printed = reader.join().unwrap_or_default();
    ended.map(|()| printed)
}

fn ends_well(child: &mut Child) -> Result<(), Failure> {
    let begin = Instant::now();
    loop {
        let status = child.try_wait()?;
        let late = begin.elapsed() > PATIENCE;
        match status {
            Some(status) if status.success() => return Ok(()),
            Some(status) => {
                return Err(anyhow::anyhow!(
                    "the measuring program failed ({status}), see above what it said; does its MPI belong to the launcher's?"
                )
                .into());
            }
            None if !late && !INTERRUPTED.load(Ordering::SeqCst) => {
                std::thread::sleep(Duration::from_millis(20))
            }
            None => {
                let _ = child.kill();
                let _ = child.wait();
                let why = match late {
                    true => format!(
                        "the measuring program took longer than {} s: some ranks did not begin it, or ranks share CPUs; give each a core \
                         of its own",
                        PATIENCE.as_secs()
                    ),
                    false => "interrupted; nothing was kept, run it again to measure".to_owned(),
                };
                return Err(Failure::Failed(anyhow::anyhow!(why)));
            }
        }
    }
}
