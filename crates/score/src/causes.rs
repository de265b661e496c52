//! Programs whose hot loop is bound by a known cause: is the verdict of `loopwright bottlenecks` right?

use crate::Misuse;
use crate::build::compile;
use anyhow::{Context as _, Result, bail, ensure};
use loopwright_casebook::advice::Workbench;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// The file that describes all programs of the folder.
pub const FILE: &str = "causes.toml";
/// The cause of loops that several units bind about equally: any verdict of several causes is right.
pub const SEVERAL: &str = "several";

/// A program.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Program {
    /// Name of the executable.
    pub name: String,
    /// What binds the hot loop, as the report's JSON names it, or [`SEVERAL`].
    pub cause: String,
    /// The source files; the hot loop is in the first.
    pub sources: Vec<PathBuf>,
    /// Line of the hot loop.
    pub line: u32,
    /// The compiler's command.
    pub compiler: String,
    /// Its flags.
    pub flags: String,
    /// How the author made sure of the cause.
    pub evidence: String,
}

#[derive(Deserialize)]
struct Programs {
    program: Vec<Program>,
}

/// The programs of a folder; those of these names, where any are given.
///
/// # Errors
/// When the file cannot be read or is invalid, has no program of a name, or names a source that does not exist.
pub fn programs(folder: &Path, names: &[String]) -> Result<Vec<Program>> {
    let file = folder.join(FILE);
    let text = std::fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
    let all: Programs = toml::from_str(&text).with_context(|| format!("{} is invalid", file.display()))?;
    let known = |name: &String| all.program.iter().any(|p| p.name == *name);
    if let Some(name) = names.iter().find(|name| !known(name)) {
        bail!(Misuse(format!("{} has no program {name}; leave names out to measure all", file.display())));
    }
    let mut all = all.program;
    all.retain(|p| names.is_empty() || names.contains(&p.name));
    for source in all.iter().flat_map(|p| &p.sources) {
        ensure!(
            folder.join(source).is_file(),
            "{} names {}, which does not exist",
            file.display(),
            source.display()
        );
    }
    Ok(all)
}

/// What the workbench says of the hot loop.
#[derive(Clone, Debug, PartialEq)]
pub enum Said {
    /// What binds it, the first cause first.
    Bound(Vec<String>),
    /// No verdict.
    NotClear,
    /// It was not measured, or the hottest measured loop is another one.
    NotMeasured,
}

impl Said {
    /// Whether the answer is right.
    pub fn is_right(&self, cause: &str) -> bool {
        match self {
            Self::Bound(causes) if cause == SEVERAL => causes.len() > 1,
            Self::Bound(causes) => causes.first().is_some_and(|first| first == cause),
            _ => false,
        }
    }
}

/// The answer for one program.
#[derive(Clone, Debug)]
pub struct Answer {
    /// What the loop is bound by.
    pub said: Said,
    /// Time of an iteration.
    pub iteration_ns: Option<f64>,
    /// The core was shared with another hardware thread.
    pub shared: bool,
}

/// The part of the report's JSON that is judged.
#[derive(Deserialize)]
struct Shown {
    loops: Vec<ShownLoop>,
}

#[derive(Deserialize)]
struct ShownLoop {
    self_share: f64,
    file: Option<PathBuf>,
    line: Option<u32>,
    bottleneck: Option<Bottleneck>,
}

#[derive(Deserialize)]
struct Bottleneck {
    iteration_ns: f64,
    core_shared: Option<f64>,
    verdict: Vec<Cause>,
}

#[derive(Deserialize)]
struct Cause {
    kind: String,
}

/// Reads the answer out of the report's JSON: the hottest loop of the line, or of one beside it (compilers give a loop the line of
/// its condition or of its first statement).
///
/// # Errors
/// When it is no such JSON.
pub fn judge(program: &Program, json: &str) -> Result<Answer> {
    const BESIDE: u32 = 2;
    let shown: Shown = serde_json::from_str(json).context("cannot read the report")?;
    let is_it = |l: &&ShownLoop| {
        let named = l.file.as_deref().and_then(Path::file_name);
        named == program.sources.first().and_then(|s| s.file_name())
            && l.line.is_some_and(|line| line.abs_diff(program.line) <= BESIDE)
    };
    let hottest = shown.loops.iter().filter(is_it).max_by(|a, b| a.self_share.total_cmp(&b.self_share));
    let Some(known) = hottest.and_then(|l| l.bottleneck.as_ref()) else {
        return Ok(Answer { said: Said::NotMeasured, iteration_ns: None, shared: false });
    };
    let causes: Vec<String> = known.verdict.iter().map(|c| c.kind.clone()).collect();
    let said = if causes.is_empty() { Said::NotClear } else { Said::Bound(causes) };
    Ok(Answer { said, iteration_ns: Some(known.iteration_ns), shared: known.core_shared.is_some() })
}

/// Builds a program and asks the workbench what binds it.
///
/// # Errors
/// When it cannot be built or run, or the workbench fails.
pub fn ask(
    program: &Program,
    folder: &Path,
    results: &Path,
    workbench: &Workbench,
    stop: &AtomicBool,
) -> Result<Answer> {
    std::fs::create_dir_all(results).with_context(|| format!("cannot make {}", results.display()))?;
    let executable = results.join(&program.name);
    let flags = shlex::split(&program.flags);
    let mut words = vec![program.compiler.clone()];
    words.extend(flags.with_context(|| format!("{}: unbalanced quotes: {}", program.name, program.flags))?);
    words.push("-g".to_owned());
    words.extend(program.sources.iter().map(|s| folder.join(s).to_string_lossy().into_owned()));
    words.extend(["-o".to_owned(), executable.to_string_lossy().into_owned()]);
    compile(&words, results)?;
    let experiment = executable.with_extension("lw");
    let json = workbench.bottlenecks(&executable, &experiment, stop)?;
    judge(program, &json)
}

/// One line per program.
pub fn rows(answers: &[(Program, Answer)]) -> String {
    let mut text =
        String::from("| program | cause | verdict | iteration | |\n| --- | --- | --- | ---: | --- |\n");
    for (program, answer) in answers {
        let said = match &answer.said {
            Said::Bound(causes) => causes.join(", "),
            Said::NotClear => "not clear".to_owned(),
            Said::NotMeasured => "not measured".to_owned(),
        };
        let shared = if answer.shared { " (core shared)" } else { "" };
        let time = answer.iteration_ns.map(|ns| format!("{ns:.2} ns")).unwrap_or_default();
        let right = if answer.said.is_right(&program.cause) { "right" } else { "" };
        let _ =
            writeln!(text, "| {} | {} | {said}{shared} | {time} | {right} |", program.name, program.cause);
    }
    text
}

/// How many are right, by cause.
pub fn sums(answers: &[(Program, Answer)]) -> String {
    let mut by_cause: BTreeMap<&str, [usize; 4]> = BTreeMap::new();
    for (program, answer) in answers {
        let which = match &answer.said {
            said if said.is_right(&program.cause) => 0,
            Said::Bound(_) => 1,
            Said::NotClear => 2,
            Said::NotMeasured => 3,
        };
        by_cause.entry(&program.cause).or_default()[which] += 1;
    }
    let all = by_cause.values().fold([0; 4], |sum, row| [0, 1, 2, 3].map(|k| sum[k] + row[k]));
    let mut text = String::from(
        "| cause | right | wrong | not clear | not measured |\n| --- | ---: | ---: | ---: | ---: |\n",
    );
    for (cause, [right, wrong, unclear, missing]) in by_cause.into_iter().chain([("all", all)]) {
        let _ = writeln!(text, "| {cause} | {right} | {wrong} | {unclear} | {missing} |");
    }
    text
}

/// Threads that compute until they are dropped: other jobs on the other CPUs.
pub struct Busy {
    stop: std::sync::Arc<AtomicBool>,
    threads: Vec<std::thread::JoinHandle<u64>>,
}

impl Busy {
    /// Starts threads.
    pub fn new(threads: usize) -> Self {
        let stop = std::sync::Arc::new(AtomicBool::new(false));
        let work = |stop: std::sync::Arc<AtomicBool>| {
            let mut state = 1u64;
            while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                for _ in 0..1000 {
                    // A step of a generator of random numbers (G. Marsaglia, Xorshift RNGs, 2003).
                    state ^= state << 13;
                    state ^= state >> 7;
                    state ^= state << 17;
                }
            }
            state
        };
        let threads =
            (0..threads).map(|_| (stop.clone(), work)).map(|(s, work)| std::thread::spawn(move || work(s)));
        Self { threads: threads.collect(), stop }
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.stop.store(true, std::sync::atomic::Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            // It only computes: it has nothing to say.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(cause: &str) -> Program {
        Program {
            name: "sum".to_owned(),
            cause: cause.to_owned(),
            sources: vec!["sum.c".into()],
            line: 10,
            compiler: "gcc".to_owned(),
            flags: String::new(),
            evidence: String::new(),
        }
    }

    const JSON: &str = r#"{ "loops": [
        { "self_share": 0.7, "file": "/src/sum.c", "line": 10,
          "bottleneck": { "iteration_ns": 1.2, "verdict": [{ "kind": "load-ports" }, { "kind": "front-end" }] } },
        { "self_share": 0.2, "file": "/src/sum.c", "line": 11,
          "bottleneck": { "iteration_ns": 3.0, "verdict": [] } },
        { "self_share": 0.9, "file": "/src/other.c", "line": 10 } ] }"#;

    #[test]
    fn the_hottest_loop_of_the_line_is_judged_by_its_first_cause() {
        let right = |cause: &str| judge(&program(cause), JSON).unwrap().said.is_right(cause);
        assert_eq!(["load-ports", "front-end", SEVERAL].map(right), [true, false, true]);
        let elsewhere = judge(&Program { line: 20, ..program("divider") }, JSON).unwrap();
        assert_eq!(elsewhere.said, Said::NotMeasured);
        let unclear = judge(&Program { line: 13, ..program("divider") }, JSON).unwrap();
        assert_eq!((unclear.said.is_right("divider"), unclear.said), (false, Said::NotClear));
        assert!(judge(&program("divider"), "no JSON").is_err());
    }

    #[test]
    fn sums_are_by_cause() {
        let answer = |said: Said| Answer { said, iteration_ns: None, shared: false };
        let bound = |cause: &str| Said::Bound(vec![cause.to_owned()]);
        let all = [
            (program("divider"), answer(bound("divider"))),
            (program("divider"), answer(bound("front-end"))),
            (program("load-ports"), answer(Said::NotClear)),
        ];
        let text = sums(&all);
        assert!(
            text.contains("| divider | 1 | 1 | 0 | 0 |") && text.contains("| all | 1 | 1 | 1 | 0 |"),
            "{text}"
        );
    }

    #[test]
    fn the_folder_is_complete_and_its_causes_exist() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../causes");
        let all = programs(&folder, &[]).unwrap();
        for program in &all {
            let cause = serde_json::Value::String(program.cause.clone());
            let known = serde_json::from_value::<loopwright_analysis::model::CauseKind>(cause).is_ok();
            assert!(known || program.cause == SEVERAL, "{}: {}", program.name, program.cause);
        }
        assert!(
            programs(&folder, &["missing".to_owned()])
                .unwrap_err()
                .to_string()
                .contains("no program missing")
        );
    }
}
