//! Scores one pair: builds, verifies, measures, asks, and tries flags.

use crate::build::{Version, build};
use crate::pair::Pair;
use crate::record::{PairRecord, SCHEMA, Trial};
use anyhow::{Context as _, Result, bail};
use loopwright_answers::{Check, Tolerance, Verdict, compare};
use loopwright_casebook::advice::Workbench;
use loopwright_casebook::advisor::Advisor;
use loopwright_casebook::measure::{Rounds, Sample, interleaved};
use loopwright_casebook::program::Program;
use loopwright_casebook::record::{Estimate, Fired};
use loopwright_stats::paired_ratio;
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike as _;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Recommendations that are carried out by adding flags.
pub const TRIALS: &str = "trials.toml";

/// Flags that carry out a recommendation, by compiler family.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Flags {
    /// For gcc, g++ and gfortran.
    #[serde(default)]
    gcc: Vec<String>,
    /// For clang and clang++.
    #[serde(default)]
    clang: Vec<String>,
    /// For rustc.
    #[serde(default)]
    rustc: Vec<String>,
    /// Largest accepted difference of the answers, where the recommendation says that it changes the order of sums.
    #[serde(default)]
    tolerance: f64,
}

impl Flags {
    fn of(&self, compiler: &str) -> &[String] {
        match compiler {
            "rustc" => &self.rustc,
            _ if compiler.starts_with("clang") => &self.clang,
            _ => &self.gcc,
        }
    }
}

/// Reads the flags of all such recommendations, by id.
///
/// # Errors
/// When the file cannot be read or is invalid.
pub fn flags(corpus: &Path) -> Result<BTreeMap<String, Flags>> {
    let file = corpus.join(TRIALS);
    let text = std::fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
    toml::from_str(&text).with_context(|| format!("{} is invalid", file.display()))
}

/// What scoring a pair needs.
pub struct Bench<'a> {
    /// The workbench.
    pub workbench: Workbench,
    /// Where programs are built and experiments are kept.
    pub folder: PathBuf,
    /// When measuring is enough.
    pub rounds: Rounds,
    /// Flags that carry out recommendations.
    pub flags: BTreeMap<String, Flags>,
    /// The processor's name.
    pub processor: String,
    /// Set by Ctrl-C.
    pub stop: &'a AtomicBool,
}

impl Bench<'_> {
    /// Scores a pair. What fails is a record that says so; only Ctrl-C is an error.
    ///
    /// # Errors
    /// When it was stopped.
    pub fn score(&self, pair: &Pair) -> Result<PairRecord> {
        let mut record = PairRecord {
            schema: SCHEMA,
            pair: pair.name.clone(),
            half: pair.half,
            processor: self.processor.clone(),
            failed: None,
            gain: None,
            recommendations: Vec::new(),
            trials: Vec::new(),
        };
        if let Err(error) = self.fill(pair, &mut record) {
            self.unless_stopped()?;
            record.failed = Some(format!("{error:#}"));
        }
        Ok(record)
    }

    /// Replaces the recommendations of a record, and its trials; measured gains stay.
    ///
    /// # Errors
    /// When it was stopped.
    pub fn ask_again(&self, pair: &Pair, mut record: PairRecord) -> Result<PairRecord> {
        if record.failed.is_some() {
            return self.score(pair);
        }
        let folder = self.folder.join(&pair.name);
        let asked = build(pair, Version::Before, &[], &folder).and_then(|before| {
            let answer = self.answer(pair, &before)?;
            self.advise_and_try(pair, &before, &answer, &mut record)
        });
        if let Err(error) = asked {
            self.unless_stopped()?;
            record.failed = Some(format!("{error:#}"));
        }
        Ok(record)
    }

    fn unless_stopped(&self) -> Result<()> {
        anyhow::ensure!(!self.stop.load(Ordering::SeqCst), "stopped; the records of finished pairs are kept");
        Ok(())
    }

    fn fill(&self, pair: &Pair, record: &mut PairRecord) -> Result<()> {
        let folder = self.folder.join(&pair.name);
        let before = build(pair, Version::Before, &[], &folder)?;
        let after = build(pair, Version::After, &[], &folder)?;
        let answer = self.answer(pair, &before)?;
        if let Some(why) = differs(&answer, &self.answer(pair, &after)?, pair.description.tolerance) {
            bail!("the two versions give different answers: {why}");
        }
        record.gain = Some(self.measure(pair, &before, &after)?);
        self.advise_and_try(pair, &before, &answer, record)
    }

    fn advise_and_try(
        &self,
        pair: &Pair,
        before: &Path,
        answer: &[u8],
        record: &mut PairRecord,
    ) -> Result<()> {
        record.recommendations = self.ask(pair, before)?;
        let earlier = std::mem::take(&mut record.trials);
        for fired in record.recommendations.iter().take(crate::figures::SHOWN) {
            let more = self.flags_of(fired, &pair.description.compiler);
            let tolerance = fired.ids().filter_map(|id| self.flags.get(id)).map(|flags| flags.tolerance);
            let tolerance = tolerance.fold(0.0, f64::max);
            // The same flags of the same program need no second trial.
            let known = earlier.iter().find(|trial| trial.id == fired.id && trial.flags == more.join(" "));
            record.trials.push(match known {
                _ if more.is_empty() => continue,
                Some(known) => known.clone(),
                None => self.trial(pair, &fired.id, &more, tolerance, before, answer)?,
            });
        }
        Ok(())
    }

    /// The flags that carry out a recommendation or the changes in it, each once.
    fn flags_of(&self, fired: &Fired, compiler: &str) -> Vec<String> {
        let mut all: Vec<String> = Vec::new();
        for flags in fired.ids().filter_map(|id| self.flags.get(id)) {
            // `-C target-cpu=native` is two words: what is missing is added as a whole.
            let new = flags.of(compiler);
            if compiler == "rustc" && !new.iter().all(|word| all.contains(word)) {
                all.extend(new.iter().cloned());
            } else if compiler != "rustc" {
                let missing: Vec<String> = new.iter().filter(|word| !all.contains(word)).cloned().collect();
                all.extend(missing);
            }
        }
        all
    }

    fn ask(&self, pair: &Pair, before: &Path) -> Result<Vec<Fired>> {
        let experiment = before.with_extension("lw");
        let program = Program {
            launcher: None,
            executable: before.to_owned(),
            arguments: pair.description.arguments.clone(),
            environment: threads(pair),
        };
        let advisor = Advisor { deep: true, ..Advisor::default() };
        Ok(self.workbench.advise(&program, &advisor, &experiment, self.stop)?.recommendations)
    }

    fn trial(
        &self,
        pair: &Pair,
        id: &str,
        more: &[String],
        tolerance: f64,
        before: &Path,
        answer: &[u8],
    ) -> Result<Trial> {
        let folder = self.folder.join(&pair.name).join(id);
        let mut trial = Trial { id: id.to_owned(), flags: more.join(" "), refused: None, gain: None };
        let built = build(pair, Version::Before, more, &folder)
            .and_then(|with| Ok((self.answer(pair, &with)?, with)));
        match built {
            Err(error) => trial.refused = Some(format!("{error:#}")),
            Ok((found, with)) => match differs(answer, &found, tolerance.max(pair.description.tolerance)) {
                Some(why) => trial.refused = Some(format!("another answer: {why}")),
                None => trial.gain = Some(self.measure(pair, before, &with)?),
            },
        }
        Ok(trial)
    }

    /// Time of one program over that of another, by interleaved runs.
    fn measure(&self, pair: &Pair, slow: &Path, fast: &Path) -> Result<Estimate> {
        let programs = [slow, fast];
        let run = |_round: usize, which: usize| self.timed(pair, programs[which]);
        let samples = interleaved(2, &[(0, 1)], &self.rounds, run)?;
        let seconds = |which: usize| samples[which].iter().map(|s| s.seconds).collect::<Vec<_>>();
        Ok(paired_ratio(&seconds(0), &seconds(1)).context("no run was timed")?.into())
    }

    /// One run: CPU time where one thread runs, which other programs disturb less; else the time on the clock.
    fn timed(&self, pair: &Pair, program: &Path) -> Result<Sample, loopwright_casebook::Error> {
        let failed = |cause: String| loopwright_casebook::Error::Program {
            command: program.display().to_string(),
            cause,
        };
        if self.stop.load(Ordering::SeqCst) {
            return Err(loopwright_casebook::Error::Stopped);
        }
        let (start, used) = (Instant::now(), cpu_time().map_err(|e| failed(e.to_string()))?);
        let status =
            command(pair, program).stdout(Stdio::null()).status().map_err(|e| failed(e.to_string()))?;
        let elapsed = start.elapsed().as_secs_f64();
        let used = cpu_time().map_err(|e| failed(e.to_string()))? - used;
        if !status.success() {
            return Err(failed(status.to_string()));
        }
        Ok(Sample {
            seconds: if pair.description.threads > 1 { elapsed } else { used.as_secs_f64() },
            elapsed,
        })
    }

    /// What a program prints.
    fn answer(&self, pair: &Pair, program: &Path) -> Result<Vec<u8>> {
        let output =
            command(pair, program).output().with_context(|| format!("cannot start {}", program.display()))?;
        if !output.status.success() {
            bail!("{} failed: {}", program.display(), output.status);
        }
        Ok(output.stdout)
    }
}

fn command(pair: &Pair, program: &Path) -> Command {
    let mut command = Command::new(program);
    command.args(&pair.description.arguments).envs(threads(pair)).stdin(Stdio::null()).stderr(Stdio::null());
    command
}

fn threads(pair: &Pair) -> BTreeMap<String, String> {
    BTreeMap::from([("OMP_NUM_THREADS".to_owned(), pair.description.threads.to_string())])
}

/// CPU time of all children that have ended.
fn cpu_time() -> nix::Result<Duration> {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    let microseconds = (usage.user_time() + usage.system_time()).num_microseconds();
    Ok(Duration::from_micros(microseconds.unsigned_abs()))
}

/// Why two outputs are different answers; `None` where they are not.
fn differs(expected: &[u8], found: &[u8], relative: f64) -> Option<String> {
    let check =
        if relative > 0.0 { Check::Numbers(Tolerance { relative, absolute: 0.0 }) } else { Check::Exact };
    let comparison = compare(expected, found, check);
    if comparison.verdict != Verdict::Different {
        return None;
    }
    let first =
        comparison.first.map(|d| format!("line {}: `{}`, expected `{}`", d.line, d.found, d.expected));
    Some(first.unwrap_or_else(|| "other bytes".to_owned()))
}
