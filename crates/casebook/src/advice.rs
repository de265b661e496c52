//! Asks the workbench about a stage, and compares its advice with the next stage.

use crate::error::Error;
use crate::program::{Program, finish, last_line, typed};
use crate::record::{Advice, Fired, Ladder, Measured, Rung, Search};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Most time of a command. An analysis runs a program of about a second three times; searches have a `--budget` of their own.
const LIMIT: Duration = Duration::from_secs(600);

/// The workbench as a command.
#[derive(Clone, Debug)]
pub struct Workbench {
    /// Path of the `loopwright` program.
    pub executable: PathBuf,
    /// Measure the machine's ceilings where they are not known yet.
    pub measures: bool,
}

impl Workbench {
    /// Runs `advise` on a program; the experiment stays in `experiment`.
    ///
    /// # Errors
    /// When the workbench fails or prints anything but recommendations; when `stop` is set.
    pub fn advise(
        &self,
        program: &Program,
        deep: bool,
        experiment: &Path,
        stop: &AtomicBool,
    ) -> Result<Advice, Error> {
        let start = self.start(experiment)?;
        let mut advise = start.clone();
        advise.push("advise".into());
        advise.extend(deep.then(|| "--deep".into()));
        advise.extend((!self.measures).then(|| "--no-measure".into()));
        advise.extend(["--".into(), program.executable.to_string_lossy().into_owned()]);
        advise.extend(program.arguments.iter().cloned());
        self.run(&advise, &program.environment, None, stop)?;
        let mut show = start;
        show.extend(["show", "recommendations", "--json"].map(String::from));
        let text = self.run(&show, &BTreeMap::new(), None, stop)?;
        let recommendations =
            parse(&text).map_err(|cause| Error::Program { command: typed(&show), cause })?;
        Ok(Advice { command: shown(program, deep), recommendations })
    }

    /// What binds the hot loops of a program, as the JSON of all its loops.
    ///
    /// # Errors
    /// When the workbench fails or was stopped.
    pub fn bottlenecks(&self, program: &Path, experiment: &Path, stop: &AtomicBool) -> Result<String, Error> {
        let start = self.start(experiment)?;
        let mut measure = start.clone();
        measure.extend(["bottlenecks".into(), "--".into(), program.to_string_lossy().into_owned()]);
        self.run(&measure, &BTreeMap::new(), None, stop)?;
        let mut show = start;
        show.extend(["show", "loops", "--json", "--all"].map(String::from));
        self.run(&show, &BTreeMap::new(), None, stop)
    }

    /// The beginning of all commands; removes an earlier experiment, with which the workbench would compare instead of replacing it.
    pub(crate) fn start(&self, experiment: &Path) -> Result<Vec<String>, Error> {
        match std::fs::remove_file(experiment) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => return Err(Error::file(experiment)(e)),
            _ => {}
        }
        let tool = self.executable.to_string_lossy().into_owned();
        let experiment = experiment.to_string_lossy().into_owned();
        Ok(vec![tool, "--quiet".into(), "--experiment".into(), experiment])
    }

    /// Runs one command, in the folder `at` or the present one.
    pub(crate) fn run(
        &self,
        words: &[String],
        environment: &BTreeMap<String, String>,
        at: Option<&Path>,
        stop: &AtomicBool,
    ) -> Result<String, Error> {
        let line = typed(words);
        let mut command = Command::new(&self.executable);
        command.args(&words[1..]).envs(environment).env_remove("LOOPWRIGHT_EXPERIMENT");
        if let Some(folder) = at {
            command.current_dir(folder);
        }
        let finished = finish(&mut command, &line, LIMIT, stop)?;
        if !finished.status.success() {
            let cause = format!("{}{}", finished.status, last_line(&finished.errors));
            return Err(Error::Program { command: line, cause });
        }
        Ok(finished.output)
    }
}

/// The command as a user would type it in the program's folder.
fn shown(program: &Program, deep: bool) -> String {
    let name = program.executable.file_name().map(|name| name.to_string_lossy().into_owned());
    let mut words = vec![format!("./{}", name.unwrap_or_default())];
    words.extend(program.arguments.iter().cloned());
    let environment: String =
        program.environment.iter().map(|(name, value)| format!("{name}={value} ")).collect();
    let deep = if deep { " --deep" } else { "" };
    format!("{environment}loopwright advise{deep} -- {}", typed(&words))
}

/// The program's gain by a change in one place.
struct PlaceGain {
    program: [f64; 2],
    /// The gain of the place itself; `None` where the whole program is the place.
    own: Option<[f64; 2]>,
    group: Option<u64>,
}

/// The output of `show recommendations --json`, each id once, with its gains over all places combined; changes that gain too
/// little to be shown are left out.
///
/// # Errors
/// What is wrong with the text.
pub fn parse(text: &str) -> Result<Vec<Fired>, String> {
    let document: serde_json::Value = serde_json::from_str(text).map_err(|e| e.to_string())?;
    // Earlier versions have no list of changes.
    let lists = [&document["advice"], &document["recommendations"]];
    let all =
        lists.into_iter().find_map(|list| list.as_array()).ok_or("there are no `recommendations` in it")?;
    let mut fired: Vec<(Fired, Vec<PlaceGain>)> = Vec::new();
    for one in all.iter().filter(|one| one["minor"] != true) {
        let id = one["id"].as_str().ok_or("a recommendation has no `id`")?;
        let index = fired.iter().position(|(f, _)| f.id == id).unwrap_or_else(|| {
            let text = |key: &str| one[key].as_str().unwrap_or_default().to_owned();
            let new = Fired {
                id: id.to_owned(),
                title: text("title"),
                confidence: text("confidence"),
                places: Vec::new(),
                program_gain: None,
                modelled: modelled(one),
                changes: [texts(&one["changes"]), texts(&one["also"])].concat(),
            };
            fired.push((new, Vec::new()));
            fired.len() - 1
        });
        let (known, gains) = &mut fired[index];
        for at in one["places"].as_array().into_iter().flatten().chain([one]) {
            let place = [at["function"].as_str(), at["place"].as_str()];
            let place = place.into_iter().flatten().collect::<Vec<_>>().join(", ");
            if !place.is_empty() && !known.places.contains(&place) {
                known.places.push(place);
            }
        }
        let range = |key: &str| Some([one[key][0].as_f64()?, one[key][1].as_f64()?]);
        if let Some(program) = range("program_gain") {
            // Pieces of one source loop (body, remainder) share a group: it is changed once.
            let group = one["group"].as_u64().or(one["loop_id"].as_u64());
            if group.is_none() || gains.iter().all(|known| known.group != group) {
                gains.push(PlaceGain { program, own: range("loop_gain"), group });
            }
        }
    }
    Ok(fired
        .into_iter()
        .map(|(mut fired, gains)| {
            fired.program_gain = composed(&gains);
            fired
        })
        .collect())
}

/// What the model gives for the change alone.
fn modelled(one: &serde_json::Value) -> Option<[f64; 3]> {
    let of = |key: &str| {
        Some([one[key][0].as_f64()?, one[format!("{key}_likely")].as_f64()?, one[key][1].as_f64()?])
    };
    of("modelled_gain").or_else(|| of("program_gain"))
}

fn texts(list: &serde_json::Value) -> Vec<String> {
    list.as_array().into_iter().flatten().filter_map(|text| Some(text.as_str()?.to_owned())).collect()
}

/// The program's gain when several places gain (G. Amdahl, AFIPS 1967): each removes 1 - 1/gain of the time,
/// and all of them together cannot gain more than the place that gains most.
fn composed(gains: &[PlaceGain]) -> Option<[f64; 2]> {
    let largest = |i: usize, of: fn(&PlaceGain) -> Option<[f64; 2]>| {
        gains.iter().map(of).map(|gain| gain.map(|gain| gain[i])).try_fold(0.0, |a, b| Some(f64::max(a, b?)))
    };
    let end = |i: usize| {
        let left = 1.0 - gains.iter().map(|gain| 1.0 - 1.0 / gain.program[i]).sum::<f64>();
        let single = largest(i, |gain| Some(gain.program))?;
        let own = largest(i, |gain| gain.own).map(|own| own.max(single));
        // Shares that overlap (a nest and its inner loop) can take away more than all of it.
        Some(if left > 0.0 { (1.0 / left).min(own.unwrap_or(f64::INFINITY)) } else { own.unwrap_or(single) })
    };
    if gains.is_empty() { None } else { Some([end(0)?, end(1)?]) }
}

/// Compares the advice for the stage before with a rung.
pub fn rung(expected: &[String], advice: &Advice, measured: Option<&Measured>) -> Rung {
    let found = advice.recommendations.iter().enumerate().find(|(_, fired)| fired.is_one_of(expected));
    let Some((index, fired)) = found else {
        return Rung { id: None, rank: None, predicted: None, came_true: None };
    };
    let gain = measured.and_then(|m| m.program_gain);
    let came_true = fired.program_gain.zip(gain).map(|([low, high], gain)| {
        // A range is met when the measured interval overlaps it: a difference within the noise is not a miss.
        gain.high >= low && gain.low <= high
    });
    Rung { id: Some(fired.id.clone()), rank: Some(index + 1), predicted: fired.program_gain, came_true }
}

/// What a search says of the stage that it leads to: it measures its gain and predicts none.
fn searched(search: &Search) -> Rung {
    let hit = search.hit.then(|| search.verb.clone());
    Rung { rank: hit.is_some().then_some(1), id: hit, predicted: search.gain, came_true: None }
}

/// Compares the advice of each stage with the stages that come from it.
pub(crate) fn hold(ladders: &mut [Ladder]) {
    for ladder in ladders {
        for index in 0..ladder.stages.len() {
            let stage = &ladder.stages[index];
            let usable = stage.left_out.is_none() && stage.wrong.is_none() && stage.because.is_none();
            if let Some(search) = stage.search.as_ref().filter(|_| usable) {
                ladder.stages[index].rung = Some(searched(search));
                continue;
            }
            let advice = stage.from.filter(|_| usable).and_then(|from| ladder.stages[from].advice.as_ref());
            let held = advice.map(|advice| rung(&stage.expected, advice, stage.measured.as_ref()));
            ladder.stages[index].rung = held;
        }
    }
}
