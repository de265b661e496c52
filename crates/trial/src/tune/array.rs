//! Candidates as jobs of a cluster's own scheduler: each step of the search is an array job of Slurm with one task for each candidate.
//!
//! A task builds the unchanged program and its candidate on the node where it runs, runs both in rounds there, and writes what it
//! measured into a folder that all nodes see. Ratios are those of runs on one node, so that nodes need not be equally fast.
//! The search itself measures nothing; what is tried next is decided by what came back.

use super::here::{Tuner, logarithm};
use super::search::{Placed, Rounds as _};
use super::sets::Build;
use super::strategy::{Measurer, Searcher as _};
use super::{FOR_CONFIRMING, How, Stage, empty, hot, rebuilt_loops, settings};
use crate::asked::{Asked, Error};
use crate::budget;
use crate::builder::Builder;
use crate::session::{PAIRS_TOGETHER, Ready};
use crate::unchanged::{self, Unchanged};
use loopwright_analysis::model::Analysis;
use loopwright_experiment::trials::{End, Pair, Part, Trial, Unsteady, Why};
use loopwright_experiment::tuning::{Candidate, RebuiltLoop, Tuning};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::fd::AsRawFd as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Pairs of a candidate in a step: nodes are many, so that none is given up early.
const PAIRS: usize = 5;
/// Longest file that a task writes.
const LARGEST: u64 = 64 << 20;
/// Time between two looks at the scheduler's command.
const NAP: Duration = Duration::from_millis(200);
/// How long a cancelled array may take to end.
const PATIENCE: Duration = Duration::from_secs(60);
/// Longest time of a search whose user gave none: jobs wait in a queue.
const LONGEST: Duration = Duration::from_secs(24 * 3600);

/// Slurm, and what a task of it runs.
pub struct Slurm<'a> {
    /// A folder of this search alone that all nodes see.
    pub folder: PathBuf,
    /// The words of a task, for the file with what is asked of it.
    pub task: &'a dyn Fn(&Path) -> Vec<String>,
    /// Options of the user for sbatch.
    pub options: Vec<String>,
}

/// What is asked of the tasks of an array.
#[derive(Serialize, Deserialize)]
struct Request {
    candidates: Vec<Candidate>,
    pairs: usize,
}

/// What a task measured.
#[derive(Serialize, Deserialize)]
struct Reply {
    candidate: Candidate,
    itself: Vec<Pair>,
    unsteady: Vec<Unsteady>,
    runs: u32,
    busy: f64,
    processor: String,
}

/// Searches for the best build by array jobs.
///
/// # Errors
/// When the scheduler takes no job, or no task can build, run or judge the unchanged program.
pub fn tune(
    asked: &Asked,
    how: &How,
    ready: Ready,
    analysis: Option<&Analysis>,
    slurm: &Slurm,
    progress: &dyn Fn(Stage),
) -> Result<Tuning, Error> {
    let Ready { lines, called, mut builder } = ready;
    builder.limit(budget::at_first(asked));
    let program = called.started.program;
    let build = Build::of(&builder, lines, &program);
    let deadline = Instant::now() + asked.budget.unwrap_or(LONGEST);
    let mut search = Jobs {
        tuning: empty(asked, &build),
        slurm,
        stop: asked.stop,
        input: input(asked)?,
        deadline,
        keep: asked.budget.unwrap_or_default().mul_f64(FOR_CONFIRMING),
        arrays: 0,
        busy: 1.0,
        replied: false,
        progress,
    };
    search.search(how, &build, &hot(analysis), &settings(analysis, &program))?;
    let best = search.confirm()?;
    if let Some((best, analysis)) = best.zip(analysis) {
        let parts = search.tuning.candidates[best].trial.parts.clone();
        search.tuning.loops = loops(&mut builder, &parts, analysis);
    }
    Ok(search.tuning)
}

/// The path of the file that is the program's standard input: tasks open it again.
fn input(asked: &Asked) -> Result<Option<String>, Error> {
    let Some((file, from)) = &asked.input else { return Ok(None) };
    let path = std::fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd()))?;
    match path.to_str().filter(|_| *from == 0 && path.is_file()) {
        Some(path) => Ok(Some(path.to_owned())),
        None => Err(Error::InputOfJobs),
    }
}

/// The hot loops in both programs, which are built here for it. Where they cannot be, nothing is said.
fn loops(builder: &mut Builder, parts: &[Part], analysis: &Analysis) -> Vec<RebuiltLoop> {
    match (builder.build(&[]), builder.build(parts)) {
        (Ok(before), Ok(after)) => rebuilt_loops::rebuilt(analysis, &before, &after),
        _ => Vec::new(),
    }
}

/// A search by array jobs.
struct Jobs<'a, 'p> {
    tuning: Tuning,
    slurm: &'a Slurm<'a>,
    stop: &'a AtomicBool,
    /// The file that is the program's standard input.
    input: Option<String>,
    deadline: Instant,
    /// Time that is kept for the array that confirms the best.
    keep: Duration,
    /// Arrays so far.
    arrays: usize,
    busy: f64,
    /// Some task has measured something.
    replied: bool,
    progress: &'p dyn Fn(Stage),
}

impl Jobs<'_, '_> {
    /// Has candidates measured: each with what its task wrote, or why there is nothing.
    fn measure(
        &mut self,
        candidates: Vec<Candidate>,
        pairs: usize,
        until: Instant,
    ) -> Result<Vec<Result<Reply, String>>, Error> {
        let number = candidates.len();
        let request = self.slurm.folder.join(format!("request-{}.json", self.arrays));
        self.arrays += 1;
        let text = serde_json::to_vec(&Request { candidates, pairs }).map_err(std::io::Error::other)?;
        std::fs::write(&request, text)?;
        let said = self.submit(&request, number, until)?;
        let reply = |task: usize| {
            let path = reply_file(&request, task);
            match loopwright_files::regular::read(&path, LARGEST) {
                Ok(bytes) => serde_json::from_slice(&bytes).map_err(|error| error.to_string()),
                Err(_) => Err(last_line(&log_file(&request, &task.to_string()))
                    .or_else(|| last_of(&said))
                    .unwrap_or_else(|| "its task wrote nothing".to_owned())),
            }
        };
        let replies: Vec<Result<Reply, String>> = (0..number).map(reply).collect();
        self.replied |= replies.iter().any(Result::is_ok);
        if let (false, false, Some(Err(why))) = (self.replied, self.is_stopped(), replies.first()) {
            return Err(Error::Scheduler { why: why.clone() });
        }
        for reply in replies.iter().flatten() {
            self.tuning.itself.extend(&reply.itself);
            self.tuning.runs = self.tuning.runs.saturating_add(reply.runs);
            self.tuning.unsteady = together(&self.tuning.unsteady, &reply.unsteady);
            self.busy = reply.busy;
            if !self.tuning.processors.contains(&reply.processor) {
                self.tuning.processors.push(reply.processor.clone());
            }
        }
        Ok(replies)
    }

    /// Hands an array to the scheduler and waits for its end; what the scheduler's command said on standard error.
    fn submit(&self, request: &Path, tasks: usize, until: Instant) -> Result<String, Error> {
        let words = (self.slurm.task)(request);
        let mut script = shlex::try_join(words.iter().map(String::as_str)).map_err(std::io::Error::other)?;
        if let Some(input) = &self.input {
            let input = shlex::try_quote(input).map_err(std::io::Error::other)?;
            script.push_str(&format!(" < {input}"));
        }
        let log = log_file(request, "%a");
        let child = Command::new("sbatch")
            .args(["--parsable", "--wait", "--job-name=loopwright-tune"])
            .arg(format!("--array=0-{}", tasks.saturating_sub(1)))
            .arg(format!("--output={}", log.display()))
            .args(&self.slurm.options)
            // Ctrl-C is for this process, which cancels the array; the scheduler's command waits for the end of that.
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        let mut child = child.map_err(|error| Error::Scheduler { why: format!("sbatch: {error}") })?;
        if let Some(mut stdin) = child.stdin.take() {
            match stdin.write_all(format!("#!/bin/sh\nexec {script}\n").as_bytes()) {
                // sbatch ended before it read the script; it says why on standard error.
                Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => {}
                written => written?,
            }
        }
        let mut first = String::new();
        if let Some(stdout) = child.stdout.take() {
            BufReader::new(stdout).read_line(&mut first)?;
        }
        // The number, and behind a semicolon the cluster where there are several.
        let job = first.trim().split(';').next().unwrap_or_default().to_owned();
        if !job.is_empty() {
            (self.progress)(Stage::Submitted(tasks, &job));
        }
        self.wait(&mut child, &job, until)?;
        let mut said = String::new();
        if let Some(mut stderr) = child.stderr.take() {
            stderr.read_to_string(&mut said)?;
        }
        match job.is_empty() {
            false => Ok(said),
            true => Err(Error::Scheduler {
                why: last_of(&said).unwrap_or_else(|| "sbatch named no job".to_owned()),
            }),
        }
    }

    /// Waits for the end of the array; cancels it when the user stops or the time is up.
    fn wait(&self, child: &mut Child, job: &str, until: Instant) -> Result<(), Error> {
        let mut cancelled: Option<Instant> = None;
        loop {
            if child.try_wait()?.is_some() {
                return Ok(());
            }
            let is_over = self.is_stopped() || Instant::now() >= until;
            match cancelled {
                None if is_over => {
                    let mut scancel = Command::new("scancel");
                    let _ = scancel.arg(job).stdout(Stdio::null()).stderr(Stdio::null()).status();
                    cancelled = Some(Instant::now());
                }
                Some(since) if since.elapsed() > PATIENCE => {
                    child.kill()?;
                    child.wait()?;
                    return Ok(());
                }
                _ => {}
            }
            std::thread::sleep(NAP);
        }
    }
}

impl Measurer for Jobs<'_, '_> {
    fn tuning(&self) -> &Tuning {
        &self.tuning
    }

    fn tuning_mut(&mut self) -> &mut Tuning {
        &mut self.tuning
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::SeqCst)
    }

    fn busy(&self) -> f64 {
        self.busy
    }

    fn confirming(&self, name: &str) {
        (self.progress)(Stage::Confirming(name));
    }

    fn step(&mut self, all: Vec<Candidate>, known: Vec<Placed>) -> Result<Vec<Placed>, Error> {
        let first = self.tuning.candidates.len();
        self.tuning.candidates.extend(all);
        let open = |at: &usize| self.tuning.candidates[*at].trial.end == End::Ran;
        let waiting: Vec<usize> = (first..self.tuning.candidates.len()).filter(open).collect();
        let mut placed = known;
        let until = self.deadline - self.keep;
        if self.is_stopped() || Instant::now() >= until {
            for at in waiting {
                let why = Why::NoTime { needed: None, budget: None };
                self.tuning.candidates[at].trial.end = End::LeftAlone { why };
            }
            return Ok(placed);
        }
        if waiting.is_empty() {
            return Ok(placed);
        }
        let asked = waiting.iter().map(|&at| self.tuning.candidates[at].clone()).collect();
        for (at, reply) in waiting.into_iter().zip(self.measure(asked, PAIRS, until)?) {
            match reply {
                Ok(reply) => {
                    let logarithms: Vec<f64> =
                        reply.candidate.trial.pairs.iter().filter_map(logarithm).collect();
                    if reply.candidate.trial.end == End::Ran && !logarithms.is_empty() {
                        placed.push(Placed { candidate: at, logarithms });
                    }
                    self.tuning.candidates[at] = reply.candidate;
                }
                Err(said) => {
                    self.tuning.candidates[at].trial.end = End::LeftAlone { why: Why::NoReply { said } };
                }
            }
        }
        placed.sort_by(|a, b| b.median().total_cmp(&a.median()));
        Ok(placed)
    }

    fn measured(&mut self, index: usize) -> Result<Option<Trial>, Error> {
        let one = self.tuning.candidates[index].clone();
        if Instant::now() >= self.deadline {
            return Ok(None);
        }
        let mut replies = self.measure(vec![one], PAIRS_TOGETHER.least, self.deadline)?;
        Ok(replies.pop().and_then(Result::ok).map(|reply| reply.candidate.trial))
    }
}

/// A task of an array: builds and measures its candidate on this node.
///
/// # Errors
/// When the request cannot be read, or the unchanged program cannot be built, run or judged.
pub fn task(asked: &Asked, ready: Ready, request: &Path, number: usize) -> Result<(), Error> {
    let bytes = loopwright_files::regular::read(request, LARGEST).map_err(std::io::Error::other)?;
    let Request { mut candidates, pairs } = serde_json::from_slice(&bytes).map_err(std::io::Error::other)?;
    if number >= candidates.len() {
        return Err(Error::System(std::io::Error::other("the request has no such task")));
    }
    let candidate = candidates.swap_remove(number);
    let start = Instant::now();
    let Ready { lines, called, mut builder } = ready;
    builder.limit(budget::at_first(asked));
    let program = called.started.program.clone();
    let Unchanged { runner, version, build, run, own } = unchanged::settle(asked, called, &mut builder)?;
    let semantics = Build::of(&builder, lines, &program).semantics(&[]);
    let mut tuner = Tuner {
        tuning: Tuning { semantics, ..Tuning::default() },
        runner,
        builder,
        versions: BTreeMap::new(),
        version,
        deadline: start + asked.budget.unwrap_or(LONGEST),
        keep: Duration::ZERO,
        seconds: Duration::from_secs_f64(run),
        build,
        most: u32::MAX,
        reserve: 0,
        round: number as u64,
        progress: &|_| {},
        busy: own.after.cpu / own.after.elapsed,
    };
    // What an earlier step measured stays with the search.
    let fresh = Candidate { trial: Trial { pairs: Vec::new(), ..candidate.trial }, ..candidate };
    let Some(built) = tuner.built(fresh, 0, 0)? else { return Err(Error::Stopped) };
    tuner.tuning.candidates.push(built);
    for _ in 0..pairs {
        if tuner.tuning.candidates[0].trial.end != End::Ran || tuner.is_stopped() {
            break;
        }
        tuner.round(&[0])?;
    }
    let trial = &tuner.tuning.candidates[0].trial;
    // What was cut off has no result that says so itself.
    if tuner.is_stopped() && trial.end == End::Ran && trial.pairs.is_empty() {
        return Err(Error::Stopped);
    }
    let reply = Reply {
        candidate: tuner.tuning.candidates.swap_remove(0),
        itself: tuner.tuning.itself,
        unsteady: tuner.runner.not_compared(),
        runs: tuner.runner.runs,
        busy: tuner.busy,
        processor: loopwright_machine::Machine::detect().processor.name,
    };
    let text = serde_json::to_vec(&reply).map_err(std::io::Error::other)?;
    // Renamed at last, so that nothing reads a part of it.
    let path = reply_file(request, number);
    let beside = path.with_extension("part");
    std::fs::write(&beside, text)?;
    std::fs::rename(&beside, &path)?;
    Ok(())
}

fn reply_file(request: &Path, task: usize) -> PathBuf {
    request.with_extension(format!("{task}.reply"))
}

fn log_file(request: &Path, task: &str) -> PathBuf {
    request.with_extension(format!("{task}.log"))
}

fn last_line(path: &Path) -> Option<String> {
    last_of(&String::from_utf8_lossy(&loopwright_files::regular::read(path, LARGEST).ok()?))
}

fn last_of(text: &str) -> Option<String> {
    let line = text.lines().map(str::trim).rfind(|line| !line.is_empty())?;
    Some(line.strip_prefix("loopwright: ").unwrap_or(line).to_owned())
}

/// What any of two found to differ from run to run.
fn together(known: &[Unsteady], more: &[Unsteady]) -> Vec<Unsteady> {
    let mut all: BTreeMap<(String, bool), BTreeSet<u32>> = BTreeMap::new();
    for one in known.iter().chain(more) {
        all.entry((one.output.clone(), one.ignored)).or_default().extend(&one.lines);
    }
    let of = |((output, ignored), lines): ((String, bool), BTreeSet<u32>)| Unsteady {
        output,
        lines: lines.into_iter().collect(),
        ignored,
    };
    all.into_iter().map(of).collect()
}
