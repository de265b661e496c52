//! A case as `case.toml` describes it, read and checked.

use crate::advisor::Advisor;
use crate::compilers::FAMILIES;
use crate::error::Error;
pub use crate::expectation::Expectation;
use crate::found_by::FoundBy;
use crate::launch::Launch;
use loopwright_machine::Element;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The name of the description in a case's folder.
pub const FILE: &str = "case.toml";

/// A case: a ladder of stages.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// The folder's name.
    pub name: String,
    /// The folder.
    pub folder: PathBuf,
    /// Place in the book.
    pub order: u32,
    /// Title.
    pub title: String,
    /// Where it comes from.
    pub source: String,
    /// The program's work and its slow part.
    pub problem: String,
    /// Arguments of the measured size.
    pub full: Vec<String>,
    /// Arguments of the size that tests run.
    pub smoke: Vec<String>,
    /// Expectations of results, by name.
    pub compare: BTreeMap<String, Expectation>,
    /// Element type whose peak the arithmetic is compared with.
    pub element: Element,
    /// What advises on its stages.
    pub advisor: Advisor,
    /// What starts its programs on several ranks, where they have some.
    pub launch: Option<Launch>,
    /// The languages in which the ladder is written; one entry without a name where the case has no tracks.
    pub tracks: Vec<Option<String>>,
    /// The stages, in order.
    pub stages: Vec<Stage>,
}

/// One stage, merged with the case's settings for every stage.
#[derive(Clone, Debug, PartialEq)]
pub struct Stage {
    /// Name, unique in the case.
    pub name: String,
    /// Title.
    pub title: String,
    /// Its change, and why that is faster.
    pub change: String,
    /// The stage it is compared with, by index; none for the first.
    pub from: Option<usize>,
    /// It does other work than the stages before it: it is the first of those that are compared with it.
    pub fresh: bool,
    /// Ids of recommendations any of which, given for `from`, leads here.
    pub recommendations: Vec<String>,
    /// The search on `from` that leads here, in place of a recommendation.
    pub found_by: Option<FoundBy>,
    /// Why no advice can lead here.
    pub because: Option<String>,
    /// Only these families of compilers; empty: all.
    pub compilers: Vec<String>,
    /// Why the advice is known to miss it, by family of compilers.
    pub miss: BTreeMap<String, String>,
    /// The program writes pictures.
    pub pictures: bool,
    /// How it is built and run.
    pub build: Build,
    /// Expectations that differ from the case's.
    pub compare: BTreeMap<String, Expectation>,
}

impl Stage {
    /// Whether this family of compilers builds it.
    pub fn is_built_by(&self, family: &str) -> bool {
        self.compilers.is_empty() || self.compilers.iter().any(|name| name == family)
    }

    /// What leads here, any of it: ids of recommendations, or what the search has to find.
    pub fn expected(&self) -> Vec<String> {
        self.found_by.as_ref().map_or_else(|| self.recommendations.clone(), FoundBy::expected)
    }

    /// Whether the advice or a search has to lead here.
    pub fn is_rung(&self) -> bool {
        self.from.is_some() && self.because.is_none()
    }
}

/// How a stage is built and run.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Build {
    /// Source files in order.
    pub sources: Sources,
    /// Options for every compiler.
    pub flags: Vec<String>,
    /// Options for gcc, g++ and gfortran.
    pub gcc: Vec<String>,
    /// Options for clang, clang++ and flang.
    pub clang: Vec<String>,
    /// Options for linking.
    pub link: Vec<String>,
    /// Arguments for the program, after the input's.
    pub args: Vec<String>,
    /// Environment of the program.
    pub env: BTreeMap<String, String>,
    /// Processor features without which it cannot run.
    pub needs: Vec<String>,
    /// Libraries without which it cannot be linked.
    pub needs_library: Vec<String>,
    /// Threads that the compared part uses.
    pub threads: Option<u32>,
    /// The file that names the host of each rank, on a simulated cluster.
    pub hosts: Option<PathBuf>,
    /// Unknown keys.
    #[serde(flatten)]
    unknown: BTreeMap<String, toml::Value>,
}

/// Source files, the same for all tracks or by track.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum Sources {
    /// For every track.
    All(Vec<PathBuf>),
    /// By the track's name.
    ByTrack(BTreeMap<String, Vec<PathBuf>>),
}

impl Default for Sources {
    fn default() -> Self {
        Self::All(Vec::new())
    }
}

impl Sources {
    /// The files of a track.
    pub fn of(&self, track: Option<&str>) -> &[PathBuf] {
        match self {
            Self::All(files) => files,
            Self::ByTrack(by_track) => track.and_then(|t| by_track.get(t)).map_or(&[], Vec::as_slice),
        }
    }
}

impl Build {
    /// The settings for every stage, with this stage's added.
    fn with(&self, stage: Build, tracks: &[Option<String>]) -> Self {
        let added = |general: &[String], own: Vec<String>| [general.to_vec(), own].concat();
        let sources = if tracks.iter().any(Option::is_some) {
            let files = |track: &String| {
                let track = Some(track.as_str());
                [self.sources.of(track), stage.sources.of(track)].concat()
            };
            Sources::ByTrack(tracks.iter().flatten().map(|track| (track.clone(), files(track))).collect())
        } else {
            Sources::All([self.sources.of(None), stage.sources.of(None)].concat())
        };
        let mut env = self.env.clone();
        env.extend(stage.env);
        Self {
            sources,
            flags: added(&self.flags, stage.flags),
            gcc: added(&self.gcc, stage.gcc),
            clang: added(&self.clang, stage.clang),
            link: added(&self.link, stage.link),
            args: added(&self.args, stage.args),
            env,
            needs: added(&self.needs, stage.needs),
            needs_library: added(&self.needs_library, stage.needs_library),
            threads: stage.threads.or(self.threads),
            hosts: stage.hosts.or_else(|| self.hosts.clone()),
            unknown: BTreeMap::new(),
        }
    }

    /// Threads that the compared part uses.
    pub fn threads(&self) -> u32 {
        self.threads.unwrap_or(1)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CaseFile {
    #[serde(default = "last")]
    order: u32,
    title: String,
    source: String,
    problem: String,
    inputs: Inputs,
    compare: BTreeMap<String, Expectation>,
    #[serde(default)]
    ceiling: CeilingFile,
    #[serde(default)]
    build: Build,
    #[serde(default)]
    advice: Advisor,
    launch: Option<Launch>,
    #[serde(default)]
    track: Vec<Track>,
    stage: Vec<StageFile>,
}

fn last() -> u32 {
    u32::MAX
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Inputs {
    full: Vec<String>,
    smoke: Vec<String>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct CeilingFile {
    #[serde(rename = "type")]
    element: Element,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Track {
    name: String,
}

#[derive(Deserialize)]
struct StageFile {
    name: String,
    title: String,
    change: String,
    from: Option<String>,
    #[serde(default)]
    fresh: bool,
    #[serde(default)]
    recommendations: Vec<String>,
    found_by: Option<FoundBy>,
    because: Option<String>,
    #[serde(default)]
    compilers: Vec<String>,
    #[serde(default)]
    miss: BTreeMap<String, String>,
    #[serde(default)]
    pictures: bool,
    #[serde(default)]
    compare: BTreeMap<String, Expectation>,
    #[serde(flatten)]
    build: Build,
}

impl Case {
    /// Reads and checks the case in `folder`.
    ///
    /// # Errors
    /// When `case.toml` cannot be read, or has invalid content.
    pub fn read(folder: &Path) -> Result<Self, Error> {
        let file = folder.join(FILE);
        let text = std::fs::read_to_string(&file).map_err(Error::file(&file))?;
        let name = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let case = Self::parse(&text, name, folder)
            .map_err(|cause| Error::BadCase { file: file.clone(), cause: cause.trim_end().to_owned() })?;
        let sources = case.every_source().into_iter().map(|source| ("source", source));
        for (what, path) in sources.chain(case.every_setting()) {
            if !folder.join(path).is_file() {
                let cause = format!("the {what} {} is not in the case's folder", path.display());
                return Err(Error::BadCase { file, cause });
            }
        }
        Ok(case)
    }

    /// The case that a text describes; its sources need not exist.
    ///
    /// # Errors
    /// What is wrong with it, in words.
    pub fn parse(text: &str, name: String, folder: &Path) -> Result<Self, String> {
        let file: CaseFile = toml::from_str(text).map_err(|e| e.to_string())?;
        known(&file.build, "[build]")?;
        for (result, expectation) in &file.compare {
            fault(result, expectation)?;
        }
        let tracks: Vec<Option<String>> = if file.track.is_empty() {
            vec![None]
        } else {
            file.track.into_iter().map(|track| Some(track.name)).collect()
        };
        let mut stages: Vec<Stage> = Vec::new();
        for stage in file.stage {
            let stage = read_stage(stage, &stages, &file.build, &tracks)?;
            stages.push(stage);
        }
        let case = Self {
            name,
            folder: folder.to_owned(),
            order: file.order,
            title: file.title,
            source: file.source,
            problem: prose(&file.problem),
            full: file.inputs.full,
            smoke: file.inputs.smoke,
            compare: file.compare,
            element: file.ceiling.element,
            advisor: file.advice,
            launch: file.launch,
            tracks,
            stages,
        };
        case.fault().map_or(Ok(case), Err)
    }

    /// What is wrong with the case as a whole.
    fn fault(&self) -> Option<String> {
        if self.stages.len() < 2 {
            return Some("a case has at least two stages, the program as it was and one change".into());
        }
        for stage in &self.stages {
            for track in &self.tracks {
                if stage.build.sources.of(track.as_deref()).is_empty() {
                    let of = track.as_ref().map(|t| format!(" for the track `{t}`")).unwrap_or_default();
                    return Some(format!("stage `{}` has no `sources`{of}", stage.name));
                }
            }
            if self.launch.is_some() && stage.found_by.is_some() {
                return Some(format!("stage `{}`: no search runs programs under [launch]", stage.name));
            }
            let simulated = self.launch.as_ref().is_some_and(Launch::is_simulated);
            if simulated != stage.build.hosts.is_some() {
                let fault = "`hosts` and `platform` under [launch] belong together, a host for each rank";
                return Some(format!("stage `{}`: {fault}", stage.name));
            }
        }
        self.launch.as_ref().and_then(Launch::fault).or_else(|| self.advisor.fault(self.launch.as_ref()))
    }

    /// The stage that `stage` is compared with over all: the first, or the fresh one that it comes from.
    pub fn first_of(&self, stage: usize) -> usize {
        let mut at = stage;
        while let Some(from) = self.stages.get(at).filter(|s| !s.fresh).and_then(|s| s.from) {
            at = from;
        }
        at
    }

    fn every_source(&self) -> BTreeSet<&Path> {
        let mut files = BTreeSet::new();
        for stage in &self.stages {
            for track in &self.tracks {
                files.extend(stage.build.sources.of(track.as_deref()).iter().map(PathBuf::as_path));
            }
        }
        files
    }

    /// Files beside the sources, each with what it is.
    fn every_setting(&self) -> impl Iterator<Item = (&'static str, &Path)> {
        let platform = self.launch.iter().filter_map(|launch| launch.platform.as_deref());
        let hosts = self.stages.iter().filter_map(|stage| stage.build.hosts.as_deref());
        platform.map(|path| ("platform", path)).chain(hosts.map(|path| ("file of hosts", path)))
    }

    /// The expectations of a stage's results.
    pub fn expectations(&self, stage: usize) -> BTreeMap<String, Expectation> {
        let mut all = self.compare.clone();
        if let Some(stage) = self.stages.get(stage) {
            all.extend(stage.compare.iter().map(|(name, expectation)| (name.clone(), *expectation)));
        }
        all
    }
}

/// Prose in the form of a file: line breaks are removed, paragraphs stay.
fn prose(text: &str) -> String {
    let paragraphs = text.trim().split("\n\n").map(|p| p.split_whitespace().collect::<Vec<_>>().join(" "));
    paragraphs.filter(|p| !p.is_empty()).collect::<Vec<_>>().join("\n\n")
}

fn known(build: &Build, place: &str) -> Result<(), String> {
    match build.unknown.keys().next() {
        Some(key) => Err(format!("{place} has no key `{key}`; docs/casebook/README.md lists the keys")),
        None => Ok(()),
    }
}

fn fault(result: &str, expectation: &Expectation) -> Result<(), String> {
    expectation.fault().map_or(Ok(()), |fault| Err(format!("`{result}` under [compare] {fault}")))
}

fn read_stage(
    file: StageFile,
    before: &[Stage],
    general: &Build,
    tracks: &[Option<String>],
) -> Result<Stage, String> {
    let name = file.name;
    let place = format!("stage `{name}`");
    known(&file.build, &place)?;
    if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_') {
        return Err(format!("{place}: names of stages are letters, digits, `-` and `_`"));
    }
    if before.iter().any(|stage| stage.name == name) {
        return Err(format!("{place} is there twice"));
    }
    for (result, expectation) in &file.compare {
        fault(result, expectation).map_err(|fault| format!("{place}: {fault}"))?;
    }
    if let Some(family) = file.compilers.iter().find(|family| !FAMILIES.contains(&family.as_str())) {
        return Err(format!("{place}: `compilers` knows {}, not `{family}`", FAMILIES.join(" and ")));
    }
    if let Some(family) = file.miss.keys().find(|family| !FAMILIES.contains(&family.as_str())) {
        return Err(format!("{place}: `miss` knows {}, not `{family}`", FAMILIES.join(" and ")));
    }
    let from = match (&file.from, before.len()) {
        (Some(_), 0) => return Err(format!("{place} is the first and comes `from` nothing")),
        (None, count) => count.checked_sub(1),
        (Some(from), _) => Some(
            before
                .iter()
                .position(|stage| stage.name == *from)
                .ok_or_else(|| format!("{place} comes `from` a stage `{from}` that is not before it"))?,
        ),
    };
    let given = [
        ("recommendations", !file.recommendations.is_empty()),
        ("found_by", file.found_by.is_some()),
        ("because", file.because.is_some()),
    ];
    let given: Vec<&str> = given.iter().filter(|(_, is)| *is).map(|(key, _)| *key).collect();
    match (from, given.as_slice()) {
        (None, []) | (Some(_), [_]) => {}
        (None, _) => return Err(format!("{place} is the first: no recommendation leads to it")),
        (Some(_), []) => {
            return Err(format!(
                "{place} needs `recommendations` (the ids that lead to it), `found_by` (the search that does) or \
                 `because` (why none can)"
            ));
        }
        (Some(_), keys) => {
            let keys = keys.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(" and ");
            return Err(format!("{place} has both {keys}: one of them"));
        }
    }
    if let Some(fault) = file.found_by.as_ref().and_then(FoundBy::fault) {
        return Err(format!("{place}, `found_by`: {fault}"));
    }
    if file.fresh && file.because.is_none() {
        return Err(format!(
            "{place} is `fresh`, other work than before: it needs `because`, for no advice leads to it"
        ));
    }
    Ok(Stage {
        name,
        title: file.title,
        change: prose(&file.change),
        from,
        fresh: file.fresh,
        recommendations: file.recommendations,
        found_by: file.found_by,
        because: file.because.as_deref().map(prose),
        compilers: file.compilers,
        miss: file.miss.into_iter().map(|(family, reason)| (family, prose(&reason))).collect(),
        pictures: file.pictures,
        build: general.with(file.build, tracks),
        compare: file.compare,
    })
}
