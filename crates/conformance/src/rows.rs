//! Runs the rows of tables: each natively twice and then in the other modes, in a new folder for every run.
//!
//! The result of a run is the content of its folder: files, and among them its standard output, standard
//! error and exit status. Parts that differ between the two native runs (times, addresses) are not compared;
//! a row whose whole result differs is called unstable and does not count.

use crate::runner::{Deed, Job, Mode, Tool};
use crate::tables::{Row, Table};
use anyhow::{Context as _, Result};
use std::collections::BTreeMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The result of a row in one mode.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The same result as natively.
    Same,
    /// A different result.
    Different(String),
    /// Not compared, for this reason.
    Skipped(String),
}

/// A compared run.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The row of the table that was run.
    pub row: Row,
    /// How it ran.
    pub mode: Mode,
    /// The result.
    pub verdict: Verdict,
}

/// The environment of table runs.
#[derive(Clone, Debug)]
pub struct Bench {
    /// The tool under test.
    pub tool: Tool,
    /// Scratch space; its folder `data` is the input of all tables.
    pub folder: PathBuf,
    /// The folder of the tables, with the programs that they build.
    pub programs: PathBuf,
    /// The modes of the tool that each row is run in.
    pub modes: Vec<Mode>,
    /// Number of rows that run at the same time.
    pub jobs: usize,
}

/// The result of a run: a hash of the content of each file.
type Left = BTreeMap<PathBuf, u64>;

impl Bench {
    /// A requirement of a table that is missing on this machine.
    pub fn missing(table: &Table) -> Option<String> {
        let there = |name: &String| {
            if name.contains('/') {
                return Path::new(name).exists();
            }
            let found = |folder: PathBuf| folder.join(name).is_file();
            std::env::var_os("PATH").is_some_and(|path| std::env::split_paths(&path).any(found))
        };
        let missing: Vec<&str> = table.needs.iter().filter(|n| !there(n)).map(String::as_str).collect();
        (!missing.is_empty()).then(|| format!("{} not installed", missing.join(", ")))
    }

    fn input(&self, table: &Table) -> PathBuf {
        self.folder.join("input").join(&table.name)
    }

    fn shell(&self, table: &Table, command: &str, folder: &Path) -> Command {
        let mut shell = Command::new("sh");
        shell.arg("-c").arg(command).current_dir(folder).stdin(Stdio::null());
        for (key, value) in self.variables(table) {
            shell.env(key, value);
        }
        shell
    }

    fn variables(&self, table: &Table) -> [(&'static str, PathBuf); 3] {
        [
            ("INPUT", self.input(table)),
            ("DATA", self.folder.join("data")),
            ("PROGRAMS", self.programs.clone()),
        ]
    }

    /// Prepares a table and finds all its rows; returns the reason when that fails.
    ///
    /// # Errors
    /// When the shell cannot be started.
    pub fn prepare(&self, table: &Table) -> Result<std::result::Result<Vec<Row>, String>> {
        let input = self.input(table);
        std::fs::create_dir_all(&input).with_context(|| format!("cannot make {}", input.display()))?;
        for command in &table.prepare {
            let output = self.shell(table, command, &input).output().context("cannot run sh")?;
            if !output.status.success() {
                let said = String::from_utf8_lossy(&output.stderr);
                let last =
                    said.lines().rev().find(|l| !l.trim().is_empty()).unwrap_or("no message").to_owned();
                return Ok(Err(format!("cannot be prepared: {last}")));
            }
        }
        let mut rows = table.rows.clone();
        for command in &table.list {
            let output = self.shell(table, command, &input).output().context("cannot run sh")?;
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            rows.extend(text.lines().filter_map(|line| Row::parse(line).ok()));
        }
        Ok(Ok(rows))
    }

    /// Runs rows of a table in all modes; `tell` receives each difference.
    ///
    /// # Errors
    /// When a folder cannot be created or a process not be started.
    pub fn run(&self, table: &Table, rows: &[Row], tell: &(dyn Fn(&Outcome) + Sync)) -> Result<Vec<Outcome>> {
        let next = AtomicUsize::new(0);
        let done = Mutex::new(Vec::new());
        std::thread::scope(|scope| -> Result<()> {
            let work = |worker: usize| -> Result<()> {
                while let Some(row) = rows.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if self.tool.is_stopped() {
                        break;
                    }
                    let Some(outcomes) = self.tool.unless_stopped(self.row(table, row, worker))? else {
                        break;
                    };
                    for outcome in outcomes {
                        tell(&outcome);
                        done.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(outcome);
                    }
                }
                Ok(())
            };
            let workers: Vec<_> =
                (0..self.jobs.max(1)).map(|worker| scope.spawn(move || work(worker))).collect();
            for worker in workers {
                worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
            }
            Ok(())
        })?;
        Ok(done.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner))
    }

    fn row(&self, table: &Table, row: &Row, worker: usize) -> Result<Vec<Outcome>> {
        let place = self.folder.join(format!("worker{worker}"));
        let (first, deed) = self.once(table, row, Mode::Native, &place)?;
        let outcome = |mode, verdict| Outcome { row: row.clone(), mode, verdict };
        let all = |why: &str| {
            let skipped = |&mode| outcome(mode, Verdict::Skipped(why.to_owned()));
            Ok(self.modes.iter().map(skipped).collect())
        };
        if deed.late {
            return all("takes too long natively");
        }
        let (second, _) = self.once(table, row, Mode::Native, &place)?;
        let stable = |name: &PathBuf, of: &Left| first.get(name) == second.get(name) && of.contains_key(name);
        if first.keys().all(|name| !stable(name, &first) || name.as_os_str() == STATUS) {
            return all("two native runs differ");
        }
        let mut outcomes = Vec::new();
        for &mode in &self.modes {
            let (left, deed) = self.once(table, row, mode, &place)?;
            let differing: Vec<String> = first
                .keys()
                .filter(|name| stable(name, &first) && left.get(*name) != first.get(*name))
                .chain(left.keys().filter(|name| !first.contains_key(*name) && !second.contains_key(*name)))
                .map(|name| name.display().to_string())
                .collect();
            let verdict = if deed.late {
                Verdict::Different("does not end".to_owned())
            } else if differing.is_empty() {
                Verdict::Same
            } else {
                let status = std::fs::read_to_string(place.join("run").join(STATUS)).unwrap_or_default();
                let said = String::from_utf8_lossy(&deed.err);
                let last = said.lines().last().unwrap_or_default();
                Verdict::Different(format!("{} (status {}) {last}", differing.join(", "), status.trim()))
            };
            outcomes.push(outcome(mode, verdict));
        }
        Ok(outcomes)
    }

    /// One run, and its result.
    fn once(&self, table: &Table, row: &Row, mode: Mode, place: &Path) -> Result<(Left, Deed)> {
        let run = place.join("run");
        let fresh = || {
            let _ = std::fs::remove_dir_all(&run);
            std::fs::create_dir_all(&run).with_context(|| format!("cannot make {}", run.display()))
        };
        // The tool prints its results to the program's standard output, so that the program's own output goes to files.
        let script = format!("( {} ) >{OUT} 2>{ERR}; echo $? >{STATUS}", row.command);
        let mut command: Vec<std::ffi::OsString> = vec!["env".into()];
        for (key, value) in self.variables(table) {
            let mut word = std::ffi::OsString::from(format!("{key}="));
            word.push(value);
            command.push(word);
        }
        command.extend(["sh".into(), "-c".into(), script.into()]);
        let job = Job { command, folder: run.clone(), fixed_addresses: true, exhaustive: false };
        let deed = self.tool.run(&job, mode, place, &fresh)?;
        let mut left = Left::new();
        self.collect(table, &run, &run, &mut left)?;
        Ok((left, deed))
    }

    fn collect(&self, table: &Table, top: &Path, folder: &Path, left: &mut Left) -> Result<()> {
        for entry in std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))? {
            let entry = entry.context("cannot read a folder")?;
            let (path, kind) = (entry.path(), entry.file_type().context("cannot read a folder")?);
            let name = path.strip_prefix(top).unwrap_or(&path).to_owned();
            if kind.is_dir() {
                self.collect(table, top, &path, left)?;
                left.insert(name, 0);
                continue;
            }
            let mut hasher = DefaultHasher::new();
            if kind.is_symlink() {
                std::fs::read_link(&path).unwrap_or_default().hash(&mut hasher);
            } else if kind.is_file() {
                let text = name.as_os_str() == OUT || name.as_os_str() == ERR;
                match table.filter.as_ref().filter(|_| text) {
                    Some(filter) => {
                        let mut filter = self.shell(table, filter, top);
                        let input = std::fs::File::open(&path).context("cannot read an output")?;
                        filter
                            .stdin(input)
                            .output()
                            .context("cannot run the filter")?
                            .stdout
                            .hash(&mut hasher);
                    }
                    None => std::fs::read(&path).unwrap_or_default().hash(&mut hasher),
                }
            }
            left.insert(name, hasher.finish());
        }
        Ok(())
    }
}

/// Files of a run besides those that the program writes.
const OUT: &str = "stdout";
const ERR: &str = "stderr";
const STATUS: &str = "status";
