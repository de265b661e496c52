//! One process at a time merges into an experiment, also where the locks of a shared file system cannot be trusted.
//!
//! Only creating, listing and removing files is used. A process that wants to merge creates a file of its own name, then lists
//! the folder: it may go on when no other running process has such a file, else it removes its own and tries again later. Two
//! that create at the same time see each other, because each lists after it created; both go back, and wait for different
//! times. A file that a killed process left is removed by its name, which no other process ever has: no one removes the claim of
//! a process that came later. Source: L. Lamport, "A New Solution of Dijkstra's Concurrent Programming Problem", 1974, from
//! which this takes that each process writes only what is its own.

use super::process::{Beat, Process, Seen, fnv};
use crate::Error;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How a claim's name begins; the process follows, and which of its claims it is.
const CLAIM: &str = "merging-";
/// A claim is renewed in this interval, ...
const PERIOD: Duration = Duration::from_secs(2);
/// ... and one of another node that was not renewed for this long is of a process that was killed.
const PATIENCE: Duration = Duration::from_secs(30);
/// Merging 10,000 parts takes half a minute: whoever waits for longer than this waits for something that hangs.
const LONGEST: Duration = Duration::from_secs(600);
/// Between two looks; each process adds up to as much again, so that two of them do not look at the same moments.
const PAUSE: Duration = Duration::from_millis(20);

/// The right to merge, until it is dropped.
pub(super) struct Lock {
    claim: PathBuf,
    beat: Option<Beat>,
}

impl Lock {
    /// Waits for it. `folder` is made when it does not exist.
    pub fn take(folder: &Path) -> Result<Self, Error> {
        static CLAIMS: AtomicU64 = AtomicU64::new(0);
        let number = CLAIMS.fetch_add(1, Ordering::Relaxed);
        let own = format!("{}.{number}", Process::own().name());
        let claim = folder.join(format!("{CLAIM}{own}"));
        let mut others: HashMap<PathBuf, Seen> = HashMap::new();
        let begin = Instant::now();
        for turn in 0_u64.. {
            if !is_claimed(folder, &claim, &mut others)? {
                super::create(folder, &claim)?;
                if !is_claimed(folder, &claim, &mut others)? {
                    return Ok(Self { beat: Some(Beat::start(&claim, PERIOD)), claim });
                }
                let _ = std::fs::remove_file(&claim);
            }
            if begin.elapsed() > LONGEST {
                break;
            }
            let more = fnv(format!("{own} {turn}").as_bytes()) % PAUSE.as_millis() as u64;
            std::thread::sleep(PAUSE + Duration::from_millis(more));
        }
        let holder = others.into_keys().next().unwrap_or(claim);
        Err(Error::Merging { path: holder })
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        self.beat.take();
        let _ = std::fs::remove_file(&self.claim);
    }
}

/// Whether another process that runs has a claim. Claims of those that do not are removed.
fn is_claimed(folder: &Path, own: &Path, others: &mut HashMap<PathBuf, Seen>) -> Result<bool, Error> {
    let mut claimed = false;
    for path in super::list(folder)? {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let claimed_by = name.strip_prefix(CLAIM).and_then(|rest| rest.split('.').next());
        let Some(process) = claimed_by.and_then(Process::parse) else { continue };
        if path == own {
            continue;
        }
        let runs = process.runs().unwrap_or_else(|| {
            let seen = others.entry(path.clone()).or_insert_with(|| Seen::first(&path));
            seen.still_for(&path) <= PATIENCE
        });
        if runs {
            claimed = true;
        } else {
            let _ = std::fs::remove_file(&path);
        }
    }
    Ok(claimed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_of_a_killed_process_is_removed_and_one_of_a_running_process_is_respected() {
        let folder = tempfile::tempdir().unwrap();
        let parts = folder.path().join("x.lw.parts");
        let own = Process::own().name();
        let (prefix, began) = own.rsplit_once('-').unwrap();
        std::fs::create_dir_all(&parts).unwrap();
        let dead = parts.join(format!("{CLAIM}{prefix}-{}", began.parse::<u64>().unwrap() + 1));
        std::fs::write(&dead, "").unwrap();
        let lock = Lock::take(&parts).unwrap();
        assert!(!dead.exists() && lock.claim.exists());
        // Another process of this node: its claim counts while it runs.
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let other = other_process(child.id());
        let claim = parts.join(format!("{CLAIM}{other}"));
        std::fs::write(&claim, "").unwrap();
        drop(lock);
        let mut others = HashMap::new();
        assert!(is_claimed(&parts, Path::new("own"), &mut others).unwrap());
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!is_claimed(&parts, Path::new("own"), &mut others).unwrap());
        assert!(!claim.exists());
        // One of another node counts until it has not been renewed for a while.
        std::fs::write(parts.join(format!("{CLAIM}0123456789abcdef-1-1")), "").unwrap();
        assert!(is_claimed(&parts, Path::new("own"), &mut others).unwrap());
    }

    fn other_process(pid: u32) -> String {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
        let began = stat.rsplit_once(')').unwrap().1.split_whitespace().nth(19).unwrap().to_owned();
        format!("{}-{pid}-{began}", super::super::process::own_node())
    }
}
