//! Runs versions of the program in their place, and judges their answers.

use crate::answer::{Given, Judge, STANDARD_OUTPUT};
use crate::asked::{Asked, Error};
use crate::budget;
use crate::called::Called;
use crate::metric::Measure;
use crate::place::{self, Place};
use crate::running::{self, How, Limits};
use loopwright_experiment::trials::{Answer, End, Pair, Timed, Unsteady, Verdict};
use loopwright_instrument::swap::{Ended, SwapError, SwapOptions, Swapped, swap};
use loopwright_launch::{StartOptions, Stream};
use regex::bytes::Regex;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Seek, SeekFrom};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

/// A changed program may take this many times as long as the unchanged one, and some seconds more, before it is ended.
const PATIENCE: (u32, Duration) = (5, Duration::from_secs(5));

/// Runs of the unchanged program that may excuse an answer, and how many of them show nothing before one is enough.
pub const EXCUSES: u32 = 3;
const PATIENT: u32 = 9;

/// One run of a version.
pub enum Ran {
    Well(Timed, Answer),
    Badly(End),
    Stopped,
}

/// A function in two versions.
pub struct Exchange<'a> {
    pub before: &'a [u8],
    pub after: &'a [u8],
    pub function: &'a str,
    pub seed: u64,
    pub opposite: bool,
    pub calls: Option<u32>,
}

/// Runs versions of the program in their place.
pub struct Runner<'a> {
    pub asked: &'a Asked<'a>,
    pub place: Place,
    /// The program, and what starts it with which variables.
    pub called: Called,
    given: PathBuf,
    pub judge: Option<Judge>,
    /// The status of the unchanged program.
    status: i32,
    pub limit: Duration,
    /// Numbers of pairs so far: they decide the order in the next one.
    pairs: u64,
    /// Runs so far, of all versions.
    pub runs: u32,
    /// Runs of the unchanged program that excused nothing.
    fruitless: u32,
    /// Lines that are ignored, as the last run that settled the answer has them.
    ignored: Vec<Unsteady>,
}

impl<'a> Runner<'a> {
    pub fn new(asked: &'a Asked<'a>, called: Called) -> Result<Self, Error> {
        let place = Place::copy(&asked.directory, &asked.leave, asked.disk).map_err(|error| match error {
            place::Error::TooLarge { most } => Error::TooLarge { most },
            copy @ place::Error::Copy { .. } => Error::System(io::Error::other(copy.to_string())),
        })?;
        let given = tempfile::NamedTempFile::new()?.into_temp_path().keep().map_err(|error| error.error)?;
        let limit = budget::at_first(asked);
        Ok(Self {
            asked,
            place,
            called,
            given,
            judge: None,
            status: 0,
            limit,
            pairs: 0,
            runs: 0,
            fruitless: 0,
            ignored: Vec::new(),
        })
    }

    /// Runs the program of the user twice: its status, its answer and what differs from run to run. Returns its seconds, and both
    /// runs.
    pub fn settle(&mut self, program: &Path) -> Result<(f64, Pair), Error> {
        let shown = program.display().to_string();
        let fails = |how: String| Error::Fails { program: shown.clone(), how };
        let mut seconds: f64 = 0.0;
        let (mut given, mut times) = (Vec::new(), Vec::new());
        for _ in 0..2 {
            let (how, time) = self.once(program, &[])?;
            self.status = match how {
                How::Exited(status) => status,
                How::Killed(signal) => return Err(fails(format!("is ended by signal {signal}"))),
                How::Hung(limit) => {
                    return Err(fails(format!("does not end within the budget of {limit} s")));
                }
                How::Stopped => return Err(Error::Stopped),
            };
            seconds = seconds.max(time.elapsed);
            let time = self.with_figure(time)?;
            if time.figure.is_none()
                && let Some(pattern) = self.asked.measure.as_ref().and_then(Measure::pattern)
            {
                return Err(Error::NoFigure { program: shown, pattern: pattern.as_str().to_owned() });
            }
            times.push(time);
            let (written, ignored) = self.written()?;
            given.push(written);
            self.ignored = ignored;
            if self.accepted()? == Some(false) {
                return Err(fails("is not accepted by the command of --verify".to_owned()));
            }
        }
        let judge = Judge::new(self.asked.check, given.remove(0), &given.remove(0));
        if self.asked.verify.is_none() && !judge.compares() {
            return Err(Error::NothingToCompare);
        }
        self.judge = Some(judge);
        self.limit = Duration::from_secs_f64(seconds) * PATIENCE.0 + PATIENCE.1;
        Ok((seconds, Pair { before: times[0], after: times[1] }))
    }

    /// Takes what differs in a run of the unchanged program from what is compared.
    ///
    /// # Errors
    /// When nothing remains.
    pub fn learn(&mut self, given: &Given) -> Result<(), Error> {
        let verify = self.asked.verify.is_some();
        let Some(judge) = &mut self.judge else { return Ok(()) };
        judge.learn(given);
        if verify || judge.compares() { Ok(()) } else { Err(Error::NothingToCompare) }
    }

    /// The same of the last run.
    pub fn learn_last(&mut self) -> Result<(), Error> {
        let given = self.given()?;
        self.learn(&given)
    }

    /// The unchanged program did not end as before.
    pub fn ends_otherwise(&self) -> Error {
        let program = self.called.started.program.display().to_string();
        Error::Fails { program, how: "does not end in the same way each time".to_owned() }
    }

    /// The answer in what a changed program gave, if it is that of the unchanged one after all: what other runs of that one
    /// print differently is not compared from then on. Digits of a time may be the same in several runs. What the changed program
    /// prints differently from run to run is no excuse: it may be wrong.
    pub fn excused(&mut self, given: &Given, unchanged: &Path) -> Result<Option<Answer>, Error> {
        let runs = if self.is_steady() { 1 } else { EXCUSES };
        for _ in 0..runs {
            if !self.is_unsteady(unchanged)? {
                self.fruitless += 1;
                continue;
            }
            let answer = self.judge.as_ref().map(|judge| judge.judge(given, None));
            if let Some(answer) = answer.filter(|answer| answer.verdict != Verdict::Different) {
                return Ok(Some(answer));
            }
        }
        Ok(None)
    }

    /// Whether many runs of the unchanged program have excused nothing.
    pub fn is_steady(&self) -> bool {
        self.fruitless >= PATIENT
    }

    /// Whether one more run of the unchanged program gives another answer, too; that is not compared from then on.
    pub fn is_unsteady(&mut self, unchanged: &Path) -> Result<bool, Error> {
        match self.run(unchanged, &[])? {
            Ran::Well(_, answer) if answer.verdict == Verdict::Different => self.learn_last().map(|()| true),
            _ => Ok(false),
        }
    }

    /// One run of a version, judged.
    pub fn run(&mut self, version: &Path, variables: &[(&str, &str)]) -> io::Result<Ran> {
        let (how, time) = self.once(version, variables)?;
        self.judged(how, time)
    }

    /// One run of a version with one of its functions in two versions, judged; `asked` has what is exchanged.
    pub fn swap(&mut self, version: &Path, asked: &Exchange<'_>) -> Result<(Swapped, Ran), SwapError> {
        self.place.restore()?;
        let file = |file: File| Stream::File(Arc::new(file));
        let stdin = match &self.asked.input {
            Some((input, from)) => {
                let mut input = input.try_clone()?;
                input.seek(SeekFrom::Start(*from))?;
                file(input)
            }
            None => Stream::Null,
        };
        let mut environment = vec![(OsString::from("PWD"), self.place.working.clone().into())];
        environment
            .extend(self.called.started.environment.iter().map(|(name, value)| (name.into(), value.into())));
        let start = StartOptions {
            directory: Some(self.place.working.clone()),
            environment,
            stdin,
            stdout: file(File::create(&self.given)?),
            stderr: Stream::Null,
        };
        let options = SwapOptions {
            start,
            before: asked.before,
            after: asked.after,
            function: asked.function,
            seed: asked.seed,
            opposite: asked.opposite,
            calls: asked.calls,
            limit: self.limit,
            file: self.asked.disk,
            stop: self.asked.stop,
        };
        let arguments = self.asked.command[1..].iter().map(OsString::from);
        let command: Vec<OsString> =
            std::iter::once(version.as_os_str().to_owned()).chain(arguments).collect();
        let swapped = swap(&command, &options)?;
        let how = match swapped.ended {
            Ended::Exited(status) => How::Exited(status),
            Ended::Killed(signal) => How::Killed(signal),
            Ended::Hung => How::Hung(self.limit.as_secs()),
            Ended::Stopped => How::Stopped,
        };
        let time = Timed { cpu: swapped.cpu, elapsed: swapped.elapsed, ..Timed::default() };
        let ran = self.judged(how, time)?;
        Ok((swapped, ran))
    }

    fn judged(&self, how: How, time: Timed) -> io::Result<Ran> {
        Ok(match how {
            How::Exited(status) if status == self.status => {
                let accepted = self.accepted()?;
                let given = self.given()?;
                let time = self.with_figure(time)?;
                let judged = self.judge.as_ref().map(|judge| judge.judge(&given, accepted));
                match judged {
                    Some(_) if accepted == Some(false) => Ran::Badly(End::Refused),
                    // What does not print the figure any more answers otherwise.
                    Some(_) if self.asked.measure.is_some() && time.figure.is_none() => {
                        Ran::Badly(End::Refused)
                    }
                    Some(answer) => Ran::Well(time, answer),
                    None => Ran::Badly(End::Refused),
                }
            }
            How::Exited(status) => Ran::Badly(End::Exited { status }),
            How::Killed(signal) => Ran::Badly(End::Killed { signal }),
            How::Hung(seconds) => Ran::Badly(End::Hung { seconds }),
            How::Stopped => Ran::Stopped,
        })
    }

    /// The time of the last run with the figure that is compared.
    fn with_figure(&self, time: Timed) -> io::Result<Timed> {
        let Some(measure) = &self.asked.measure else { return Ok(time) };
        Ok(Timed { figure: measure.figure(time, || std::fs::read(&self.given))?, ..time })
    }

    pub fn once(&mut self, version: &Path, variables: &[(&str, &str)]) -> io::Result<(How, Timed)> {
        self.runs += 1;
        self.place.restore()?;
        let (executed, name, arguments) = self.called.words(self.asked, version, &self.place.working);
        let mut command = Command::new(executed);
        command
            .arg0(name)
            .args(arguments)
            .current_dir(&self.place.working)
            .env("PWD", &self.place.working)
            .envs(self.called.started.environment.iter().map(|(name, value)| (name, value)))
            .envs(variables.iter().copied())
            .stdout(File::create(&self.given)?)
            .stderr(Stdio::null());
        match &self.asked.input {
            Some((file, from)) => {
                let mut file = file.try_clone()?;
                file.seek(SeekFrom::Start(*from))?;
                command.stdin(file);
            }
            None => drop(command.stdin(Stdio::null())),
        }
        let limits = Limits { time: self.limit, file: self.asked.disk, stop: self.asked.stop };
        running::run(&mut command, limits)
    }

    /// What the last run gave; lines that the user asked to ignore are empty.
    pub fn given(&self) -> io::Result<Given> {
        Ok(self.written()?.0)
    }

    /// The same, and which lines are ignored.
    fn written(&self) -> io::Result<(Given, Vec<Unsteady>)> {
        let mut all = vec![(STANDARD_OUTPUT.to_owned(), Some(std::fs::read(&self.given)?))];
        for output in &self.asked.outputs {
            let name = output.to_string_lossy().into_owned();
            all.push((name, std::fs::read(self.place.working.join(output)).ok()));
        }
        let mut ignored = Vec::new();
        let own = self.asked.measure.as_ref().and_then(Measure::pattern);
        let patterns: Vec<&Regex> = self.asked.ignore.iter().chain(own).collect();
        for (output, bytes) in &mut all {
            let lines = bytes.as_mut().map(|bytes| ignore(bytes, &patterns)).unwrap_or_default();
            if !lines.is_empty() {
                ignored.push(Unsteady { output: output.clone(), lines, ignored: true });
            }
        }
        Ok((Given(all), ignored))
    }

    /// What was not compared so far.
    pub fn not_compared(&self) -> Vec<Unsteady> {
        let unsteady = self.judge.as_ref().map(Judge::unsteady).unwrap_or_default();
        self.ignored.iter().cloned().chain(unsteady).collect()
    }

    /// Whether the command of the user accepts the last answer; it finds what the program printed in its standard input.
    pub fn accepted(&self) -> io::Result<Option<bool>> {
        let Some(verify) = &self.asked.verify else { return Ok(None) };
        let mut command = Command::new("sh");
        command.args(["-c", verify]).current_dir(&self.place.working).env("PWD", &self.place.working);
        command.stdin(File::open(&self.given)?).stdout(Stdio::null()).stderr(Stdio::null());
        let limits =
            Limits { time: budget::at_first(self.asked), file: self.asked.disk, stop: self.asked.stop };
        let (how, _) = running::run(&mut command, limits)?;
        Ok(Some(how == How::Exited(0)))
    }

    /// Whether the changed program is the first of the next pair. The high bit of a multiple of the golden ratio: in the long
    /// run each comes first equally often, without a period that other work could follow.
    pub fn changed_first(&mut self) -> bool {
        self.pairs += 1;
        self.pairs.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 63 == 1
    }
}

/// Makes lines that match empty, so that the numbers of the others stay, and returns theirs.
fn ignore(bytes: &mut Vec<u8>, patterns: &[&Regex]) -> Vec<u32> {
    if patterns.is_empty() {
        return Vec::new();
    }
    let (mut kept, mut lines) = (Vec::with_capacity(bytes.len()), Vec::new());
    for (number, line) in (1..).zip(bytes.split_inclusive(|byte| *byte == b'\n')) {
        let text = line.strip_suffix(b"\n").unwrap_or(line);
        if patterns.iter().any(|pattern| pattern.is_match(text)) {
            lines.push(number);
            kept.push(b'\n');
        } else {
            kept.extend_from_slice(line);
        }
    }
    *bytes = kept;
    lines
}

impl Drop for Runner<'_> {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.given);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ignored_lines_are_empty_and_the_others_keep_their_numbers() {
        let pattern = Regex::new("^time|seconds$").unwrap();
        let mut text = b"a 1\ntime 0.5\nb 2\nin 3 seconds".to_vec();
        assert_eq!(ignore(&mut text, &[&pattern]), [2, 4]);
        assert_eq!(text, b"a 1\n\nb 2\n\n");
        assert!(ignore(&mut text, &[]).is_empty());
    }
}
