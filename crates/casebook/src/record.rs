//! The results of a case: plain data that is stored as JSON, shown as tables and put into the book.

use crate::case::Expectation;
use crate::error::Error;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The version of the format.
pub const SCHEMA: u32 = 1;

/// A case with everything that was measured and advised.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CaseRecord {
    /// Version of the record (1).
    pub schema: u32,
    /// The case's name.
    pub case: String,
    /// Place in the book.
    pub order: u32,
    /// Title.
    pub title: String,
    /// Where the case comes from.
    pub source: String,
    /// What the program does and what is slow.
    pub problem: String,
    /// `full` or `smoke`.
    pub input: String,
    /// The processor's name.
    pub processor: String,
    /// CPUs that may be used.
    pub cpus: usize,
    /// How results are held, by their names: against the first stage's, or against `value`.
    pub compare: BTreeMap<String, Expectation>,
    /// One ladder for each language and compiler.
    pub ladders: Vec<Ladder>,
    /// What could not be done, one sentence each.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub notes: Vec<String>,
}

/// The stages of one language, built by one family of compilers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Ladder {
    /// The language's track, where the case has several.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub track: Option<String>,
    /// `gcc` or `clang`.
    pub family: String,
    /// The compilers' own words about their versions.
    pub versions: Vec<String>,
    /// Rounds of interleaved runs that were timed; 0 where nothing was.
    pub rounds: usize,
    /// In order.
    pub stages: Vec<StageRecord>,
}

/// A stage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StageRecord {
    /// Its name.
    pub name: String,
    /// Its title.
    pub title: String,
    /// What it does differently.
    pub change: String,
    /// Place in `stages` of the one that it is compared with; absent for the first.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub from: Option<usize>,
    /// Ids of recommendations any of which, given for `from`, leads here.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub expected: Vec<String>,
    /// Why no advice can lead here.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub because: Option<String>,
    /// How it was built, from the folder of results.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub commands: Vec<String>,
    /// How it was run, from the folder of results.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub run: Option<String>,
    /// Threads of the compared part.
    pub threads: u32,
    /// Why it was left out here (a feature, compiler or library that is missing).
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub left_out: Option<String>,
    /// What went wrong: it was not built, failed or computes something else.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub wrong: Option<String>,
    /// What it printed, by name; times, `flop`, `bytes` and `working_set` left out.
    #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
    pub results: BTreeMap<String, f64>,
    /// What was measured.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub measured: Option<Measured>,
    /// What is recommended for this stage.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub advice: Option<Advice>,
    /// The search on `from` that leads here, and what it found.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub search: Option<Search>,
    /// The comparison of the advice for `from` with this stage.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub rung: Option<Rung>,
    /// Why the advice is known to miss it with this compiler.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub miss: Option<String>,
    /// What the program drew.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub pictures: Option<Pictures>,
}

/// A median with its 95 % bootstrap interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Estimate {
    /// Median.
    pub median: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

impl From<loopwright_stats::Interval> for Estimate {
    fn from(interval: loopwright_stats::Interval) -> Self {
        Self { median: interval.estimate, low: interval.low, high: interval.high }
    }
}

/// Times and rates of a stage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Measured {
    /// Seconds of the compared part.
    pub seconds: Estimate,
    /// Seconds from the program's start to its end.
    pub elapsed: Estimate,
    /// How many times faster the compared part is than that of `from`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub gain: Option<Estimate>,
    /// How many times faster than the first stage's.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub gain_first: Option<Estimate>,
    /// How many times faster the whole program is than `from`: what is predicted.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub program_gain: Option<Estimate>,
    /// Useful GFLOP/s.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub gflops: Option<f64>,
    /// Useful GB/s.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub gbytes: Option<f64>,
    /// The ceiling that applies, and how near it is.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub ceiling: Option<Share>,
}

/// A share of a ceiling.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "CeilingShare")]
pub struct Share {
    /// Its name: arithmetic (`AVX-512 f64 FMA`), or a level of memory.
    pub name: String,
    /// The ceiling, in GFLOP/s or GB/s.
    pub rate: f64,
    /// `GFLOP/s` or `GB/s`.
    pub unit: String,
    /// The stage's rate over it.
    pub share: f64,
}

/// The workbench's advice for a stage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "StageAdvice")]
pub struct Advice {
    /// As one would type it.
    pub command: String,
    /// In the order in which they are shown, each id once.
    pub recommendations: Vec<Fired>,
}

/// A recommendation that fired, for all places that it names.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Fired {
    /// What to do, as in the advice.
    pub id: String,
    /// One line.
    pub title: String,
    /// How sure, where it is inferred; absent of what was counted, whose gain is a bound.
    #[schemars(extend("enum" = ["low", "medium", "high"]))]
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub confidence: String,
    /// The places that it names.
    pub places: Vec<String>,
    /// Predicted gain of the program when all places follow it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub program_gain: Option<[f64; 2]>,
    /// What the model gives for the change alone: least, likely, most.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub modelled: Option<[f64; 3]>,
    /// Ids of the changes in it, where it is a package of several.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub changes: Vec<String>,
}

impl Fired {
    /// It is one of these, or has one of them in it.
    pub fn is_one_of(&self, ids: &[String]) -> bool {
        ids.contains(&self.id) || self.changes.iter().any(|change| ids.contains(change))
    }

    /// Its own id, and those of the changes in it.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&self.id).chain(&self.changes).map(String::as_str)
    }
}

/// A search that leads to a stage: `tune` or `reproduce`, run on the stage before.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "StageSearch")]
pub struct Search {
    /// `tune` or `reproduce`.
    #[schemars(extend("enum" = ["tune", "reproduce"]))]
    pub verb: String,
    /// As one would type it.
    pub command: String,
    /// Options and settings of the best candidate, or the functions that change the answer with their sources.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub found: Vec<String>,
    /// The measured gain of the best candidate.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub gain: Option<[f64; 2]>,
    /// What the stage expects is among what was found.
    pub hit: bool,
}

/// The comparison of one stage's advice with the next stage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Rung {
    /// The id that was given, of those that were expected; the verb of a search that found what was expected.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub id: Option<String>,
    /// Its place in the list, from 1.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub rank: Option<usize>,
    /// Its predicted gain of the program.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub predicted: Option<[f64; 2]>,
    /// The measured interval reaches into the predicted range; absent while one of the two is.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub came_true: Option<bool>,
}

/// Places that count as recommended.
pub const TOP: usize = 3;

impl Rung {
    /// Whether the recommendation came too late or not at all, or its prediction did not come true.
    pub fn missed(&self) -> bool {
        !self.recommended() || self.came_true == Some(false)
    }

    /// Whether the recommendation is among the first three.
    pub fn recommended(&self) -> bool {
        self.rank.is_some_and(|rank| rank <= TOP)
    }
}

/// Pictures that a program draws of what it computes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Pictures {
    /// What they show.
    pub title: String,
    /// One after the other.
    pub frames: Vec<Frame>,
}

/// Points at one moment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Frame {
    /// The step of the simulation.
    pub step: u64,
    /// Lists of three: x, y (0 to 1, upwards), and the number of the point's kind.
    pub points: Vec<[f64; 3]>,
}

/// How often the advice was right.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HitRate {
    /// Rungs with a comparison of advice.
    pub rungs: usize,
    /// The expected recommendation was among the first three.
    pub recommended: usize,
    /// Rungs with a measured gain and a predicted one.
    pub predicted: usize,
    /// The measured gain was in the predicted range.
    pub came_true: usize,
}

impl HitRate {
    /// Over some cases.
    pub fn of<'a>(records: impl IntoIterator<Item = &'a CaseRecord>) -> Self {
        let stages = records.into_iter().flat_map(|r| &r.ladders).flat_map(|l| &l.stages);
        let mut rate = Self::default();
        for rung in stages.filter_map(|stage| stage.rung.as_ref()) {
            rate.rungs += 1;
            rate.recommended += usize::from(rung.recommended());
            rate.predicted += usize::from(rung.came_true.is_some());
            rate.came_true += usize::from(rung.came_true == Some(true));
        }
        rate
    }
}

impl CaseRecord {
    /// Something was built or computed wrongly.
    pub fn is_wrong(&self) -> bool {
        self.ladders.iter().flat_map(|ladder| &ladder.stages).any(|stage| stage.wrong.is_some())
    }

    /// The file of a case's record.
    pub fn file(results: &Path, case: &str) -> PathBuf {
        results.join(case).join("record.json")
    }

    /// Stores it; an existing file is replaced at once or not at all.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write(&self, results: &Path) -> Result<PathBuf, Error> {
        let file = Self::file(results, &self.case);
        let mut text = serde_json::to_string(self)
            .map_err(|e| Error::BadRecord { file: file.clone(), cause: e.to_string() })?;
        text.push('\n');
        if let Some(folder) = file.parent() {
            std::fs::create_dir_all(folder).map_err(Error::file(folder))?;
        }
        let new = file.with_extension("json.new");
        std::fs::write(&new, text).map_err(Error::file(&new))?;
        std::fs::rename(&new, &file).map_err(Error::file(&file))?;
        Ok(file)
    }

    /// Reads the record of a case; `None` when there is no record yet.
    ///
    /// # Errors
    /// When the record cannot be read or is of another version.
    pub fn read(results: &Path, case: &str) -> Result<Option<Self>, Error> {
        let file = Self::file(results, case);
        let text = match std::fs::read_to_string(&file) {
            Ok(text) => text,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(Error::file(file)(e)),
        };
        Self::parse(&text).map(Some).map_err(|cause| Error::BadRecord { file, cause })
    }

    /// Reads a record's text.
    ///
    /// # Errors
    /// What is wrong with it, in words.
    pub fn parse(text: &str) -> Result<Self, String> {
        let record: Self = serde_json::from_str(text).map_err(|e| e.to_string())?;
        if record.schema != SCHEMA {
            return Err(format!("it has version {} of the form, this program reads {SCHEMA}", record.schema));
        }
        for stage in record.ladders.iter().flat_map(|ladder| ladder.stages.iter().enumerate()) {
            if stage.1.from.is_some_and(|from| from >= stage.0) {
                return Err(format!("stage `{}` comes from a stage that is not before it", stage.1.name));
            }
        }
        Ok(record)
    }
}

impl CaseRecord {
    /// Fills missing measurements or advice from an earlier record of the same programs.
    pub fn complete_from(&mut self, earlier: &CaseRecord) {
        if (self.schema, &self.case, &self.input, &self.processor)
            != (earlier.schema, &earlier.case, &earlier.input, &earlier.processor)
        {
            return;
        }
        // What the case needs is no longer here: its results stay.
        if self.ladders.is_empty() {
            self.ladders.clone_from(&earlier.ladders);
        }
        for ladder in &mut self.ladders {
            let same = |old: &&Ladder| (&old.track, &old.family) == (&ladder.track, &ladder.family);
            let Some(old) = earlier.ladders.iter().find(same) else { continue };
            let mut measured = false;
            for stage in &mut ladder.stages {
                let built_alike = |o: &&StageRecord| {
                    o.name == stage.name && o.commands == stage.commands && o.run == stage.run
                };
                let Some(old) = old.stages.iter().find(built_alike) else { continue };
                measured |= stage.measured.is_none() && old.measured.is_some();
                stage.measured = stage.measured.take().or_else(|| old.measured.clone());
                stage.advice = stage.advice.take().or_else(|| old.advice.clone());
                stage.search = stage.search.take().or_else(|| old.search.clone());
                stage.pictures = stage.pictures.take().or_else(|| old.pictures.clone());
            }
            if measured {
                ladder.rounds = ladder.rounds.max(old.rounds);
            }
        }
        crate::held::hold(&mut self.ladders);
    }
}
