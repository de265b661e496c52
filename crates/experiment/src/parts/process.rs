//! Processes that write beside an experiment: which node they are on, and whether they still run.
//!
//! On the same node the kernel says so. Of a process on another node only a file is seen, whose time stamp the process renews
//! ([`Beat`]): it counts as ended when the stamp stays the same for a while. Clocks of two nodes are never compared.

use std::fs::File;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::OnceLock;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime};

/// A process, by its node, its number there and the time at which it began.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Process {
    /// 16 hexadecimal digits; equal for processes that see the same process numbers.
    pub node: String,
    pid: u32,
    /// In clock ticks since the boot: numbers are used again.
    began: u64,
}

impl Process {
    /// This process.
    pub fn own() -> Self {
        let pid = std::process::id();
        Self { node: own_node().to_owned(), pid, began: state_of(pid).map_or(0, |(_, began)| began) }
    }

    /// As a part of a file's name.
    pub fn name(&self) -> String {
        format!("{}-{}-{}", self.node, self.pid, self.began)
    }

    /// Back from its name.
    pub fn parse(name: &str) -> Option<Self> {
        let mut parts = name.split('-');
        let (node, pid, began) = (parts.next()?, parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
        let is_node = node.len() == 16 && node.bytes().all(|byte| byte.is_ascii_hexdigit());
        (is_node && parts.next().is_none()).then(|| Self { node: node.to_owned(), pid, began })
    }

    /// It is on this node.
    pub fn is_near(&self) -> bool {
        self.node == own_node()
    }

    /// Whether it runs; `None` when it is on another node.
    pub fn runs(&self) -> Option<bool> {
        // proc(5): Z has ended and waits for its parent, X is gone.
        self.is_near().then(|| {
            state_of(self.pid)
                .is_some_and(|(state, began)| began == self.began && !matches!(state, 'Z' | 'X'))
        })
    }
}

/// State and begin of a process: the third and the 22nd field of `stat`; the second one may hold anything.
fn state_of(pid: u32) -> Option<(char, u64)> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
    let state = fields.next()?.chars().next()?;
    Some((state, fields.nth(18)?.parse().ok()?))
}

/// The node of this process: the boot of its kernel and its space of process numbers (containers have their own).
pub(super) fn own_node() -> &'static str {
    static NODE: OnceLock<String> = OnceLock::new();
    NODE.get_or_init(|| {
        let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
        let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        let numbers = std::fs::metadata("/proc/self/ns/pid").map_or(0, |data| data.ino());
        format!("{:016x}", fnv(format!("{boot}{host}{numbers}").as_bytes()))
    })
}

/// FNV-1a of 64 bits (Fowler, Noll, Vo; RFC 9923): the same in every version of this program.
pub(super) fn fnv(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Renews the time stamp of a file until it is dropped.
pub(super) struct Beat {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Beat {
    /// Every `period`. Without a thread nothing is renewed: others on this node need no stamp.
    pub fn start(path: &Path, period: Duration) -> Self {
        let (stop, stopped): (_, Receiver<()>) = channel();
        let path = path.to_owned();
        let renew = move || {
            while stopped.recv_timeout(period) == Err(RecvTimeoutError::Timeout) {
                // A file that is gone needs no stamp any more.
                let opened = File::options().write(true).open(&path);
                let _ = opened.and_then(|file| file.set_modified(SystemTime::now()));
            }
        };
        let thread = std::thread::Builder::new().name("parts".to_owned()).spawn(renew).ok();
        Self { stop: Some(stop), thread }
    }
}

impl Drop for Beat {
    fn drop(&mut self) {
        self.stop.take();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// What was seen of a file that another node renews.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    stamp: Option<SystemTime>,
    since: Instant,
}

impl Seen {
    /// Looks at the file for the first time.
    pub fn first(path: &Path) -> Self {
        Self { stamp: stamp(path), since: Instant::now() }
    }

    /// Looks again: for how long has nothing been renewed?
    pub fn still_for(&mut self, path: &Path) -> Duration {
        let now = stamp(path);
        if now != self.stamp {
            *self = Self { stamp: now, since: Instant::now() };
        }
        self.since.elapsed()
    }
}

fn stamp(path: &Path) -> Option<SystemTime> {
    path.symlink_metadata().and_then(|data| data.modified()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_known_by_its_name_and_runs_until_it_ends() {
        let own = Process::own();
        assert_eq!(Process::parse(&own.name()), Some(own.clone()));
        assert_eq!(own.runs(), Some(true));
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let began = state_of(child.id()).unwrap().1;
        let other = Process { pid: child.id(), began, ..own.clone() };
        assert_eq!(other.runs(), Some(true));
        child.kill().unwrap();
        while other.runs() == Some(true) {
            std::thread::yield_now();
        }
        // It has ended before its parent asks for its status.
        assert_eq!(other.runs(), Some(false));
        child.wait().unwrap();
        assert_eq!(other.runs(), Some(false));
        // Another process with the same number.
        assert_eq!(Process { began: own.began + 1, ..own.clone() }.runs(), Some(false));
        let far = Process { node: "0123456789abcdef".into(), ..own };
        assert_eq!(far.runs(), None);
        for wrong in ["", "a-1-2", "0123456789abcdef-1", "0123456789abcdef-x-1", "0123456789abcdef-1-1-1"] {
            assert_eq!(Process::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_beat_renews_the_stamp_of_its_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        std::fs::write(&path, "").unwrap();
        File::options().write(true).open(&path).unwrap().set_modified(SystemTime::UNIX_EPOCH).unwrap();
        let beat = Beat::start(&path, Duration::from_millis(1));
        while stamp(&path) == Some(SystemTime::UNIX_EPOCH) {
            std::thread::yield_now();
        }
        drop(beat);
        let mut seen = Seen::first(&path);
        assert!(seen.still_for(&path) >= Duration::ZERO);
        File::options().write(true).open(&path).unwrap().set_modified(SystemTime::UNIX_EPOCH).unwrap();
        let before = seen.since;
        seen.still_for(&path);
        assert!(seen.since > before, "a new stamp begins a new time");
    }
}
