//! Asks the workbench about a stage.

use crate::advisor::{Advisor, Verb};
use crate::amdahl::{PlaceGain, composed};
use crate::bounds::Bounds;
use crate::error::Error;
use crate::program::{Program, finish, last_line, started, typed};
use crate::record::{Advice, Fired};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
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
    /// Runs the verb that advises on a program, which takes `elapsed` seconds by itself, where that is known; experiments stay in
    /// `folder`. With the advice comes what could not be found out for it.
    ///
    /// # Errors
    /// When the workbench fails or prints anything but advice; when `stop` is set.
    pub(crate) fn ask(
        &self,
        program: &Program,
        advisor: &Advisor,
        elapsed: Option<f64>,
        folder: &Path,
        stop: &AtomicBool,
    ) -> Result<(Advice, Option<String>), Error> {
        let experiment = folder.join("stage.lw");
        match advisor.verb {
            Verb::Advise => Ok((self.advise(program, advisor, &experiment, stop)?, None)),
            Verb::Place => Ok((self.place(program, &advisor.with, folder, stop)?, None)),
            Verb::Heap | Verb::Io | Verb::Comm => self.count(program, advisor, elapsed, &experiment, stop),
        }
    }

    /// Runs `advise` on a program; the experiment stays in `experiment`.
    ///
    /// # Errors
    /// When the workbench fails or prints anything but recommendations; when `stop` is set.
    pub fn advise(
        &self,
        program: &Program,
        advisor: &Advisor,
        experiment: &Path,
        stop: &AtomicBool,
    ) -> Result<Advice, Error> {
        let start = self.collect(program, advisor, experiment, stop)?;
        let show = [start, ["show", "recommendations", "--json"].map(String::from).to_vec()].concat();
        let text = self.run(&show, &BTreeMap::new(), None, stop)?;
        let recommendations =
            parse(&text).map_err(|cause| Error::Program { command: typed(&show), cause })?;
        Ok(Advice { command: shown(program, advisor), recommendations })
    }

    /// Runs a verb that counts calls, and measures the network where advice on messages needs that.
    fn count(
        &self,
        program: &Program,
        advisor: &Advisor,
        elapsed: Option<f64>,
        experiment: &Path,
        stop: &AtomicBool,
    ) -> Result<(Advice, Option<String>), Error> {
        let start = self.collect(program, advisor, experiment, stop)?;
        let show = [start, ["show", advisor.verb.name(), "--json"].map(String::from).to_vec()].concat();
        let read = || {
            let text = self.run(&show, &BTreeMap::new(), None, stop)?;
            Bounds::read(advisor.verb, &text, elapsed)
                .map_err(|cause| Error::Program { command: typed(&show), cause })
        };
        let mut bounds = read()?;
        let mut missing = None;
        if bounds.network_wanted && self.measures {
            // The figures are kept for this machine and hold for runs that were there before.
            let tool = self.executable.to_string_lossy().into_owned();
            let options = ["--quiet", "machine", "--measure", "--network"].map(String::from);
            let measure = [vec![tool], options.to_vec()].concat();
            match completed(program.launched_by(), &measure, &BTreeMap::new(), None, stop) {
                Ok(_) => bounds = read()?,
                Err(Error::Stopped) => return Err(Error::Stopped),
                Err(error) => missing = Some(error.to_string()),
            }
        }
        Ok((Advice { command: shown(program, advisor), recommendations: bounds.fired }, missing))
    }

    /// Runs the verb on each rank of a program; returns the beginning of commands that show what it collected.
    fn collect(
        &self,
        program: &Program,
        advisor: &Advisor,
        experiment: &Path,
        stop: &AtomicBool,
    ) -> Result<Vec<String>, Error> {
        let start = self.start(experiment)?;
        let mut collect = start.clone();
        collect.push(advisor.verb.name().into());
        collect.extend(advisor.options());
        if advisor.verb == Verb::Advise && !self.measures {
            collect.push("--no-measure".into());
        }
        collect.push("--".into());
        collect.extend(program.own());
        completed(program.launched_by(), &collect, &program.environment, None, stop)?;
        Ok(start)
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
        completed(&[], words, environment, at, stop)
    }
}

/// What a command prints that has to succeed; on each rank that the launcher's words start.
fn completed(
    launcher: &[String],
    words: &[String],
    environment: &BTreeMap<String, String>,
    at: Option<&Path>,
    stop: &AtomicBool,
) -> Result<String, Error> {
    let line = typed(&[launcher, words].concat());
    let mut command = started(launcher, words, environment);
    command.env_remove("LOOPWRIGHT_EXPERIMENT");
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

/// The command as a user would type it in the program's folder.
fn shown(program: &Program, advisor: &Advisor) -> String {
    let mut words = program.launched_by().to_vec();
    words.extend(["loopwright".to_owned(), advisor.verb.name().to_owned()]);
    words.extend(advisor.options());
    words.push("--".to_owned());
    words.extend(program.beside());
    program.variables() + &typed(&words)
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
