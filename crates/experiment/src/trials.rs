//! Trials of advice in the store: what was changed, how it ended, how long the runs of each pair took, and in what the answers
//! differ. Gains and verdicts are computed from these when they are shown.

use crate::pieces::{Pieces, Stored};
use crate::{Collected, Error};
use loopwright_instrument::swap::NotSwapped;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Most runs and trials that are believed: a damaged file must not ask for more memory than it has bytes.
const MOST: usize = 1 << 20;

/// One call of `loopwright try`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Trials {
    /// The unchanged program in both places of each pair.
    pub itself: Vec<Pair>,
    /// Files that were compared beside standard output, as the user named them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outputs: Vec<String>,
    /// Lines that runs of the unchanged program printed differently, so that only what was the same in them was compared.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unsteady: Vec<Unsteady>,
    /// One for each change, in the order in which they were tried.
    pub trials: Vec<Trial>,
    /// The best changes together, on runs of their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub together: Option<Trial>,
}

/// What was not compared: what differs from run to run of the unchanged program, or what the user asked to ignore.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Unsteady {
    /// `standard output`, or a file as the user named it.
    pub output: String,
    /// Numbers of its lines, from 1, of which only the words that are the same in each run were compared; empty where nothing was.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<u32>,
    /// These lines were left out as the user asked, whole.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ignored: bool,
}

/// Two runs, one right after the other.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pair {
    /// Without the change.
    pub before: Timed,
    /// With it.
    pub after: Timed,
}

/// The time of one run, in seconds, and what disturbed it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Timed {
    /// User and system time of the program and of all processes that it waited for.
    pub cpu: f64,
    /// From its start to its end.
    pub elapsed: f64,
    /// What the user asked to compare in place of these, where less is better: a time, or one over a rate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub figure: Option<f64>,
    /// How often it lost its CPU to other work (`ru_nivcsw` of getrusage(2)).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preempted: Option<u64>,
    /// Part of its time in which some task of the machine waited for a CPU (`some` of `/proc/pressure/cpu`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pressure: Option<f64>,
}

/// One tried change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// Id of the recommendation, or the name of a set of options or settings that is tried for every program.
    pub change: String,
    /// Which of several ways to make it.
    pub way: Way,
    /// Its single parts.
    pub parts: Vec<Part>,
    /// The predicted speed-up of the program: low, likely, high.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub predicted: Option<(f64, f64, f64)>,
    /// How it ended.
    pub end: End,
    /// Its runs, each beside one of the unchanged program.
    pub pairs: Vec<Pair>,
    /// In what its answer differs; absent where it gave none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<Answer>,
    /// Its function in two versions inside runs of the unchanged program, in place of pairs of runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_run: Option<InRun>,
    /// Why that was not done, where a change of single sources was built.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_in_run: Option<NotInRun>,
}

/// Calls of one function that alternated between its unchanged and its changed version.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InRun {
    /// The function.
    pub function: String,
    /// Calls of the unchanged and of the changed version.
    pub calls: [u64; 2],
    /// The function's share of the program's time, with what it calls.
    pub share: f64,
    /// Seconds of both versions for the same calls.
    pub times: Vec<(f64, f64)>,
}

/// Why a change was measured by whole runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "kebab-case", tag = "because")]
pub enum NotInRun {
    /// The function cannot be exchanged.
    #[error("{why}")]
    Refused {
        /// The reason.
        why: NotSwapped,
    },
    /// Another program starts it.
    #[error("{launcher} starts the program")]
    Launched {
        /// What starts it, as the user names it.
        launcher: String,
    },
    /// The survey shows no function of its sources that takes time and is called.
    #[error("no function of the changed sources takes time and is called by others")]
    NoFunction,
    /// Other functions of the same sources take time, too.
    #[error("{other} of the same sources takes time outside of {function}")]
    Several {
        /// The function that would be exchanged.
        function: String,
        /// The other one.
        other: String,
    },
    /// Too few calls.
    #[error("{function} is called {calls} times, too few to tell versions apart by calls")]
    FewCalls {
        /// The function.
        function: String,
        /// Its calls.
        calls: u64,
    },
    /// Calls overlap in the program, and not where each is timed.
    #[error(
        "a call of {function} takes {nanoseconds} ns, in which the clock would keep it from overlapping with the next one"
    )]
    ShortCalls {
        /// The function.
        function: String,
        /// Mean time of a call.
        nanoseconds: u64,
    },
    /// The run did not end as the unchanged program's.
    #[error("with both versions of {function} the program does not end as it does otherwise")]
    Disturbed {
        /// The function.
        function: String,
    },
}

/// How a change is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Way {
    /// By options of the compiler.
    Options,
    /// By `omp simd` before loops.
    Simd,
    /// By a directive that no iterations depend on each other (`ivdep`, `assume_safety`).
    Ivdep,
    /// By `restrict` at the parameters of the function.
    Restrict,
    /// By `omp parallel for`.
    Parallel,
    /// By a copy of loops with the number of their iterations as a constant, beside the loop as it is.
    Count,
    /// By a directive or an option that keeps loops scalar.
    NoVector,
    /// By another compiler.
    Compiler,
    /// By the profile of a run.
    Profile,
    /// By environment variables.
    Environment,
    /// By several of these.
    Several,
}

/// A part of a change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Part {
    /// Options that were added to the commands that compile these files.
    Options {
        /// The sources; all of the program where there is none.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        files: Vec<String>,
        /// The options.
        options: Vec<String>,
    },
    /// Lines of a source that were replaced in a copy.
    Edit {
        /// The source.
        file: String,
        /// Number of the first replaced line, from 1.
        line: u32,
        /// The lines as they are.
        before: String,
        /// The lines in the copy.
        after: String,
    },
    /// Another compiler for the commands that compile these files.
    Compiler {
        /// The sources.
        files: Vec<String>,
        /// The compiler.
        compiler: String,
        /// Options of the commands that it does not know, and that were left out.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        without: Vec<String>,
    },
    /// Files that were compiled with the profile of a run of the program.
    Profile {
        /// The sources.
        files: Vec<String>,
    },
    /// Words of the commands that link.
    Link {
        /// Those that were added.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        options: Vec<String>,
        /// Those that were left out.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        without: Vec<String>,
    },
    /// A variable of the program's environment.
    Variable {
        /// Name.
        name: String,
        /// Value.
        value: String,
    },
}

/// How a trial ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum End {
    /// It ran and gave an answer.
    Ran,
    /// It was not tried.
    LeftAlone {
        /// Why.
        why: Why,
    },
    /// A compiler or linker refused it.
    NotBuilt {
        /// Its first message.
        error: String,
    },
    /// The code is that of the unchanged program, or of an earlier trial.
    SameCode {
        /// The earlier change; absent for the unchanged program.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        of: Option<String>,
    },
    /// It ended with another status than the unchanged program.
    Exited {
        /// The status.
        status: i32,
    },
    /// A signal ended it.
    Killed {
        /// Its number.
        signal: i32,
    },
    /// It did not end in time and was stopped.
    Hung {
        /// After this number of seconds.
        seconds: u64,
    },
    /// The command of the user refused its answer.
    Refused,
}

/// Why a change was not tried. What is not certain is left alone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "kebab-case", tag = "because")]
pub enum Why {
    /// A job of a cluster's scheduler that measured nothing.
    #[error("its job gave no result: {said}")]
    NoReply {
        /// The last that it said.
        said: String,
    },
    /// It changes the structure of the program.
    #[error("only a person can make this change; its predicted range remains")]
    NotMechanical,
    /// No command of the build compiles the source.
    #[error("no command of the build compiles {file}; build all of it under `loopwright build`")]
    NotOfThisBuild {
        /// The source.
        file: String,
    },
    /// No source of the program includes the file.
    #[error(
        "{file} is compiled by no command of the build, and no source of the program includes it; build all of it under `loopwright build`"
    )]
    NotIncluded {
        /// The file.
        file: String,
    },
    /// A header of the whole program.
    #[error("{file} is included by {sources} sources, too many to compile again for each change")]
    IncludedOften {
        /// The header.
        file: String,
        /// Sources that include it.
        sources: u32,
    },
    /// A header of the system or of the compiler.
    #[error("{file} belongs to the system, not to the program")]
    OfSystem {
        /// The header.
        file: String,
    },
    /// The loop has no line.
    #[error("the place of the loop in the source is not known; compile with -g")]
    NoPlace,
    /// The line does not begin a loop.
    #[error("line {line} of {file} does not begin a loop that can be seen there")]
    NoLoop {
        /// The source.
        file: String,
        /// The line.
        line: u32,
    },
    /// A directive is there already.
    #[error("the loop at line {line} of {file} has a directive already")]
    HasDirective {
        /// The source.
        file: String,
        /// The line.
        line: u32,
    },
    /// The compiler takes the directive before loops of another form alone.
    #[error("`{directive}` cannot stand before the loop at line {line} of {file}: {obstacle}")]
    NotTaken {
        /// The directive, without its clauses.
        directive: String,
        /// The source.
        file: String,
        /// The line.
        line: u32,
        /// What is wrong with the loop.
        obstacle: LoopObstacle,
    },
    /// No sum is seen in the loop.
    #[error("no sum of the loop at line {line} of {file} can be named")]
    NoSum {
        /// The source.
        file: String,
        /// The line.
        line: u32,
    },
    /// The function has no pointer parameters that can be seen.
    #[error("no pointer parameter of {function} can be seen in {file}")]
    NoParameters {
        /// The source.
        file: String,
        /// The function.
        function: String,
    },
    /// The dependence check has not allowed it.
    #[error("no check shows that the iterations are independent; run `loopwright dependencies` first")]
    Unchecked,
    /// The dependence check was made and has not allowed it.
    #[error("the dependence check of this loop does not allow it: {verdict}")]
    NotAllowed {
        /// Its verdict.
        verdict: String,
    },
    /// The advice has no options for this compiler.
    #[error("the advice has no options for {compiler}")]
    OtherCompiler {
        /// The compiler.
        compiler: String,
    },
    /// The source is a part of a shared library that the program is not linked with.
    #[error(
        "{library} is loaded while the program runs; only libraries that it is linked with are built again"
    )]
    SharedLibrary {
        /// The library.
        library: String,
    },
    /// The number of iterations is not always the same, or not known.
    #[error(
        "no single number of iterations of the loop at line {line} of {file} is known; run `loopwright tripcounts` first"
    )]
    NoCount {
        /// The source.
        file: String,
        /// The line.
        line: u32,
    },
    /// The head or the body of the loop cannot be copied with another bound.
    #[error(
        "the loop at line {line} of {file} has no bound that can be seen to stay, or a body that cannot be written twice"
    )]
    NoBound {
        /// The source.
        file: String,
        /// The line.
        line: u32,
    },
    /// No other compiler for the language is installed.
    #[error("no other compiler for {file} is installed beside {compiler}")]
    NoOtherCompiler {
        /// The source.
        file: String,
        /// The compiler of the build.
        compiler: String,
    },
    /// Objects of two compilers do not fit together.
    #[error("{file} is compiled with {option}, for which objects of two compilers do not fit together")]
    BoundToCompiler {
        /// The source.
        file: String,
        /// The option.
        option: String,
    },
    /// A library to load is not installed.
    #[error("{library} is not installed")]
    NotInstalled {
        /// The library.
        library: String,
    },
    /// The budget was used up.
    #[error("{}", no_time(*needed, *budget))]
    NoTime {
        /// Seconds that one more change takes.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        needed: Option<u64>,
        /// Seconds of the whole budget with which nothing would be left.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        budget: Option<u64>,
    },
}

/// What keeps a directive from a loop.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "kebab-case")]
pub enum LoopObstacle {
    /// A `while`, a `do` without a count.
    #[error("it does not count")]
    NotCounted,
    /// The first part of its head.
    #[error("its head does not begin by setting one variable, an integer or a pointer")]
    Start,
    /// The second part.
    #[error("its condition is no single comparison of its variable with a bound that stays")]
    Test,
    /// The last part.
    #[error("its head does not step its variable by a fixed amount towards the bound")]
    Step,
    /// `for (x : values)`.
    #[error("GCC takes a range there with threads only")]
    Range,
    /// `for (;;)`.
    #[error("its head has no condition")]
    NoCondition,
    /// Something leaves it before its end.
    #[error("a `{by}` may leave it")]
    Left {
        /// The word that begins the statement.
        by: String,
    },
    /// Its body writes what its head counts with.
    #[error("its body may write `{name}`, which decides how often it runs")]
    Written {
        /// The variable.
        name: String,
    },
    /// It is written in a way that is not read.
    #[error("its end cannot be seen")]
    Unseen,
}

/// What more time would do.
fn no_time(needed: Option<u64>, budget: Option<u64>) -> String {
    match (needed, budget) {
        (Some(needed), Some(budget)) => format!(
            "the time was used up: it takes about {needed} s, and `--budget {}` would reach everything",
            budget_option(budget)
        ),
        _ => "the time was used up; allow more with --budget".to_owned(),
    }
}

/// Seconds as `--budget` takes them: whole minutes from two minutes on.
fn budget_option(seconds: u64) -> String {
    if seconds < 120 { format!("{seconds}s") } else { format!("{}m", seconds.div_ceil(60)) }
}

/// An answer beside that of the unchanged program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// The decision by the check that the user chose.
    pub verdict: Verdict,
    /// Largest difference of a number, as a share of the largest magnitude in its column; 0 where all are equal. A new NaN or
    /// infinity has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub largest: Option<f64>,
    /// The first line that is not accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<FirstDifference>,
}

/// Whether two answers are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "AnswerVerdict")]
pub enum Verdict {
    /// Equal to the last byte.
    Same,
    /// Within the tolerance.
    Within,
    /// Another answer.
    Different,
}

/// A line in which two answers differ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FirstDifference {
    /// `standard output`, or a file as the user named it.
    pub output: String,
    /// Its line, from 1.
    pub line: u32,
    /// The line of the unchanged program.
    pub expected: String,
    /// The line of the changed one.
    pub found: String,
}

impl Collected for Trials {
    const KIND: &'static str = "trials";
    const FORM: u32 = 1;

    fn pack(&self, pieces: &mut Pieces) {
        pieces.json("trials", 0, self);
    }

    fn unpack(stored: &Stored<'_>) -> Result<Self, Error> {
        let trials: Self = stored.json("trials")?;
        must_be_sound(stored, "trials", trials.all(), &trials.itself)?;
        Ok(trials)
    }

    fn modules(&self) -> impl Iterator<Item = (&str, Option<&str>)> {
        std::iter::empty()
    }
}

impl Trial {
    /// One that has not run.
    pub fn new(change: &str, way: Way, parts: Vec<Part>) -> Self {
        Self {
            change: change.to_owned(),
            way,
            parts,
            predicted: None,
            end: End::Ran,
            pairs: Vec::new(),
            answer: None,
            in_run: None,
            not_in_run: None,
        }
    }
}

/// Refuses what no runs can have given: a damaged file must not lead to a number.
pub(crate) fn must_be_sound<'t>(
    stored: &Stored<'_>,
    piece: &'static str,
    trials: impl Iterator<Item = &'t Trial> + Clone,
    itself: &[Pair],
) -> Result<(), Error> {
    let times = trials.clone().flat_map(|trial| &trial.pairs).chain(itself);
    let positive = |s: f64| s.is_finite() && s > 0.0;
    let in_run: Vec<&InRun> = trials.clone().filter_map(|trial| trial.in_run.as_ref()).collect();
    let are_sound = |one: &&InRun| {
        (0.0..=1.0).contains(&one.share) && one.times.iter().all(|(a, b)| positive(*a) && positive(*b))
    };
    if !in_run.iter().all(are_sound) || in_run.iter().map(|one| one.times.len()).sum::<usize>() > MOST {
        return Err(stored.damaged(piece, "the time of a call is none"));
    }
    let sound = |time: &Timed| {
        let all = [Some(time.cpu), Some(time.elapsed), time.figure, time.pressure];
        all.into_iter().flatten().all(|s| s.is_finite() && s >= 0.0)
    };
    if !times.clone().all(|pair| sound(&pair.before) && sound(&pair.after)) {
        return Err(stored.damaged(piece, "a time is none"));
    }
    if trials.count() > MOST || times.count() > MOST {
        return Err(stored.damaged(piece, "more was tried than time allows"));
    }
    Ok(())
}

impl Trials {
    /// All trials, the combined one last.
    pub fn all(&self) -> impl Iterator<Item = &Trial> + Clone {
        self.trials.iter().chain(&self.together)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Experiment;
    use loopwright_sample::recording::{Recording, Target};

    fn trial(cpu: f64) -> Trial {
        let timed = Timed { cpu, elapsed: 1.0, ..Timed::default() };
        Trial {
            change: "no-fma".into(),
            way: Way::Options,
            parts: vec![Part::Options { files: vec!["/p/a.c".into()], options: vec!["-O3".into()] }],
            predicted: Some((1.0, 1.1, 1.2)),
            end: End::LeftAlone { why: Why::NoTime { needed: Some(40), budget: Some(530) } },
            pairs: vec![Pair { before: timed, after: timed }],
            answer: Some(Answer { verdict: Verdict::Same, largest: Some(0.0), first: None }),
            in_run: None,
            not_in_run: None,
        }
    }

    #[test]
    fn trials_belong_to_the_survey_before_them() {
        let folder = tempfile::tempdir().unwrap();
        let mut experiment = Experiment::create_or_open(&folder.path().join("x.lw")).unwrap();
        let target = Target { command: vec!["./a".into()], ..Target::default() };
        let survey = experiment.add(&Recording::default(), Some(&target), None).unwrap();
        let trials = Trials { trials: vec![trial(1.0)], ..Trials::default() };
        experiment.add(&trials, Some(&target), None).unwrap();
        let state = experiment.latest().unwrap();
        assert_eq!(state.of::<Recording>(), [survey]);
        let facts = crate::Facts::load(&experiment, &state).unwrap();
        assert_eq!(facts.trials.len(), 1);
        assert_eq!(facts.trials[0].facts, trials);
    }

    #[test]
    fn too_little_time_is_said_with_what_would_do_and_earlier_files_are_read() {
        let why = Why::NoTime { needed: Some(40), budget: Some(530) };
        assert!(why.to_string().ends_with("about 40 s, and `--budget 9m` would reach everything"), "{why}");
        let earlier: Why = serde_json::from_str(r#"{"because":"no-time"}"#).unwrap();
        assert_eq!(earlier, Why::NoTime { needed: None, budget: None });
        assert!(earlier.to_string().contains("--budget"));
    }

    #[test]
    fn times_that_are_none_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let mut experiment = Experiment::create_or_open(&folder.path().join("x.lw")).unwrap();
        let trials = Trials { trials: vec![trial(-1.0)], ..Trials::default() };
        let run = experiment.add(&trials, Some(&Target::default()), None).unwrap();
        assert!(experiment.collected::<Trials>(run).is_err());
    }
}
