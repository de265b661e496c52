//! Asks the partitioner Scotch for a placement, where it is installed. Whatever goes wrong, there is none: it is one candidate of
//! several.

use crate::interrupt::INTERRUPTED;
use loopwright_placement::{CommunicationMatrix, Placement, scotch};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Its names: Debian's, under which no other program is known, and its own.
const COMMANDS: [&str; 2] = ["scotch_gmap", "gmap"];
/// How long it may take: 10,000 ranks with 26 partners took 2 s.
const PATIENCE: Duration = Duration::from_secs(30);
/// With one thread and a fixed order it gives the same answer each time (*User's Guide*, "Environment variables" of version 7).
const ALIKE: [(&str, &str); 2] = [("SCOTCH_DETERMINISTIC", "1"), ("SCOTCH_PTHREAD_NUMBER", "1")];
/// Most bytes of its answer: two numbers for each of a million ranks.
const LARGEST: u64 = 1 << 25;

/// Scotch's placement with `room[n]` ranks on node n.
pub fn placement(matrix: &CommunicationMatrix, room: &[u32]) -> Option<Placement> {
    if room.iter().filter(|room| **room > 0).count() < 2 {
        return None;
    }
    let command = command()?;
    let folder = tempfile::tempdir().ok()?;
    let file = |name: &str| folder.path().join(name);
    std::fs::write(file("graph"), scotch::graph(matrix)).ok()?;
    std::fs::write(file("target"), scotch::target(room)).ok()?;
    let child = Command::new(command)
        .current_dir(folder.path())
        .args(["graph", "target", "mapping"])
        .envs(ALIKE)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    if !ends_well(child) {
        return None;
    }
    let mapping = loopwright_files::regular::read(&file("mapping"), LARGEST).ok()?;
    scotch::placement(matrix, room, std::str::from_utf8(&mapping).ok()?)
}

/// The first of its names that is a file in a folder of the search path. Relative folders are left out: they change with the folder.
fn command() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let folders: Vec<PathBuf> = std::env::split_paths(&path).filter(|folder| folder.is_absolute()).collect();
    COMMANDS
        .iter()
        .find_map(|name| folders.iter().map(|folder| folder.join(name)).find(|file| file.is_file()))
}

/// Waits for its end, but not for ever.
fn ends_well(mut child: Child) -> bool {
    let begin = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return status.success(),
            Ok(None) if begin.elapsed() < PATIENCE && !INTERRUPTED.load(Ordering::SeqCst) => {
                std::thread::sleep(Duration::from_millis(5));
            }
            _ => {
                let _ = child.kill();
                let _ = child.wait();
                return false;
            }
        }
    }
}
