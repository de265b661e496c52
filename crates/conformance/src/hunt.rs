//! Runs generated scenarios in all modes, many in one executable, and minimises the differing ones.

use crate::generator::build::{Kind, Workshop};
use crate::generator::features::Features;
use crate::generator::layout;
use crate::generator::layout::Addresses;
use crate::generator::make::{self, Recipe};
use crate::generator::model::Scenario;
use crate::minimise::minimise;
use crate::runner::{Deed, Job, Mode, Tool};
use anyhow::{Context as _, Result, ensure};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The scenarios of a hunt, and how they are run.
#[derive(Clone, Debug)]
pub struct Hunt {
    /// First seed.
    pub first: u64,
    /// Number of scenarios.
    pub count: usize,
    /// Number of scenarios per executable.
    pub batch: usize,
    /// Their ingredients.
    pub recipe: Recipe,
    /// The kind of the executables.
    pub kind: Kind,
    /// Modes that are compared with the native run.
    pub modes: Vec<Mode>,
    /// The folder in which executables are built and failing ones kept.
    pub folder: PathBuf,
    /// The tool under test.
    pub tool: Tool,
    /// Most failing scenarios that are minimised.
    pub minimised: usize,
    /// Most attempts for each of them.
    pub questions: usize,
    /// Arguments of the driver besides the output file: threads, tick.
    pub arguments: Vec<String>,
}

/// A scenario that behaved differently under the tool.
#[derive(Clone, Debug)]
pub struct Difference {
    /// Seed of the scenario: the same seed makes the same program.
    pub seed: u64,
    /// How it ran.
    pub mode: Mode,
    /// The difference.
    pub what: String,
    /// The file with its assembly.
    pub kept: Option<PathBuf>,
}

/// The results of a hunt.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// Runs that were compared with native ones.
    pub compared: usize,
    /// Runs with differences.
    pub differences: Vec<Difference>,
    /// Seeds whose program does not end by itself, or ends badly: nothing to compare with.
    pub unsound: Vec<u64>,
}

/// Lines of the driver, by scenario.
type Lines = BTreeMap<usize, Vec<String>>;

/// Runs everything; `tell` receives each difference as it is found.
///
/// # Errors
/// When something cannot be built or run, which is a defect of the generator or the machine.
pub fn run(hunt: &Hunt, tell: &mut dyn FnMut(&Difference)) -> Result<Found> {
    let workshop = Workshop::open(&hunt.folder, hunt.recipe.level, hunt.kind)?;
    let mut recipe = hunt.recipe;
    if hunt.arguments.iter().any(|a| a.starts_with("threads=")) {
        // The order of threads has an effect in code that is written.
        recipe.allowed = recipe.allowed.without(Features::of(&["written"]));
    }
    let mut found = Found::default();
    let mut first = hunt.first;
    let last = hunt.first + hunt.count as u64;
    while first < last && !hunt.tool.is_stopped() {
        let count = (hunt.batch as u64).min(last - first);
        let scenarios: Vec<Scenario> = (first..first + count).map(|s| make::scenario(s, &recipe)).collect();
        let mut numbered: Vec<(&Scenario, usize)> = scenarios.iter().zip(0..).collect();
        let unsound = unsound(hunt, &workshop, &numbered);
        let Some(unsound) = hunt.tool.unless_stopped(unsound)? else { break };
        numbered.retain(|(scenario, _)| !unsound.contains(&scenario.seed));
        found.unsound.extend(unsound);
        for &mode in &hunt.modes {
            let differing = differing(hunt, &workshop, &numbered, mode);
            let Some(differing) = hunt.tool.unless_stopped(differing)? else { break };
            found.compared += numbered.len();
            for (scenario, what) in differing {
                let mut difference = Difference { seed: scenario.seed, mode, what, kept: None };
                let kept = found.differences.iter().filter(|d| d.kept.is_some()).count();
                if kept < hunt.minimised && !hunt.tool.is_stopped() {
                    difference.kept = shrink(hunt, &workshop, scenario, mode, &mut difference.what)?;
                }
                tell(&difference);
                found.differences.push(difference);
            }
        }
        first += count;
    }
    Ok(found)
}

/// Seeds of the scenarios that do not run well natively. Where one ends the whole program, halves are run separately.
fn unsound(hunt: &Hunt, workshop: &Workshop, numbered: &[(&Scenario, usize)]) -> Result<Vec<u64>> {
    let Some((first, _)) = numbered.first() else { return Ok(Vec::new()) };
    let program = workshop.build(&format!("batch{}", first.seed), numbered, addresses_of(hunt))?;
    let (native, _) = drive(hunt, &program, Mode::Native)?;
    let sound = |(_, number): &&(&Scenario, usize)| {
        native.get(number).is_some_and(|lines| lines.iter().all(|l| l.contains(" d=")))
    };
    if numbered.iter().all(|one| sound(&one)) {
        return Ok(Vec::new());
    }
    if let [(one, _)] = numbered {
        return Ok(vec![one.seed]);
    }
    let (left, right) = numbered.split_at(numbered.len() / 2);
    Ok([unsound(hunt, workshop, left)?, unsound(hunt, workshop, right)?].concat())
}

/// Scenarios of one executable that behave differently in a mode. Where one ends the whole program, halves
/// are run separately.
fn differing<'a>(
    hunt: &Hunt,
    workshop: &Workshop,
    numbered: &[(&'a Scenario, usize)],
    mode: Mode,
) -> Result<Vec<(&'a Scenario, String)>> {
    let Some((one, _)) = numbered.first() else { return Ok(Vec::new()) };
    let first = one.seed;
    let program = workshop.build(&format!("batch{first}"), numbered, addresses_of(hunt))?;
    let (native, _) = drive(hunt, &program, Mode::Native)?;
    let (again, _) = drive(hunt, &program, Mode::Native)?;
    ensure!(native == again, "seeds from {first}: two native runs differ; the generator is wrong");
    let (other, deed) = drive(hunt, &program, mode)?;
    std::fs::remove_file(&program).ok();
    std::fs::remove_file(program.with_extension("s")).ok();
    let whole = numbered
        .iter()
        .all(|(_, number)| other.get(number).map(Vec::len) == native.get(number).map(Vec::len));
    if !whole && numbered.len() > 1 {
        let (left, right) = numbered.split_at(numbered.len() / 2);
        let mut found = differing(hunt, workshop, left, mode)?;
        found.extend(differing(hunt, workshop, right, mode)?);
        return Ok(found);
    }
    let what = |number| compare(native.get(number), other.get(number), &deed);
    Ok(numbered.iter().filter_map(|(scenario, number)| Some((*scenario, what(number)?))).collect())
}

fn addresses_of(hunt: &Hunt) -> Addresses {
    let threads = hunt.arguments.iter().any(|a| a.starts_with("threads="));
    match (hunt.kind.is_relative(), threads) {
        (true, _) => Addresses::Relative,
        (false, true) => Addresses::ThreadLocal,
        (false, false) => Addresses::Fixed,
    }
}

/// Most threads that the driver starts.
const THREADS: usize = 8;

/// Runs the driver and reads its output.
fn drive(hunt: &Hunt, program: &Path, mode: Mode) -> Result<(Lines, Deed)> {
    let output = hunt.folder.join("output");
    let mut command = vec![program.as_os_str().to_owned(), output.as_os_str().to_owned()];
    command.extend(hunt.arguments.iter().map(Into::into));
    let job = Job { command, folder: hunt.folder.clone(), fixed_addresses: true, exhaustive: true };
    let deed = hunt.tool.run(&job, mode, &hunt.folder, &|| Ok(()))?;
    let mut text = String::new();
    for thread in 0..THREADS {
        let name = if thread == 0 { output.clone() } else { output.with_extension(thread.to_string()) };
        match std::fs::read_to_string(&name) {
            Ok(part) => text.push_str(&part),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => return Err(error).context("cannot read the driver's output"),
        }
        let _ = std::fs::remove_file(&name);
    }
    let mut lines = Lines::new();
    for line in text.lines() {
        let number = line.strip_prefix('s').and_then(|l| l.split('.').next()).and_then(|n| n.parse().ok());
        if let Some(number) = number {
            lines.entry(number).or_default().push(line.to_owned());
        }
    }
    Ok((lines, deed))
}

/// The difference, in a few words.
fn compare(native: Option<&Vec<String>>, other: Option<&Vec<String>>, deed: &Deed) -> Option<String> {
    let native = native?;
    let Some(other) = other else {
        let said = String::from_utf8_lossy(&deed.err);
        let end = if deed.late { "does not end".to_owned() } else { format!("ends with {}", deed.status) };
        return Some(format!("no output, the program {end} {}", said.lines().last().unwrap_or_default()));
    };
    let (a, b) = native.iter().zip(other).find(|(a, b)| a != b)?;
    if !b.contains(" d=") {
        return Some(b.split_once(' ').map_or(b.as_str(), |p| p.1).to_owned());
    }
    let names = [
        ("g=", "registers"),
        ("f=", "flags"),
        ("v=", "vectors"),
        ("k=", "masks"),
        ("x=", "x87"),
        ("d=", "memory"),
    ];
    let differing: Vec<&str> = names
        .iter()
        .filter(|(key, _)| {
            let word = |line: &str| line.split(' ').find(|w| w.starts_with(key)).map(str::to_owned);
            word(a) != word(b)
        })
        .map(|(_, name)| *name)
        .collect();
    Some(format!("other {}", differing.join(", ")))
}

/// Minimises a scenario and keeps it; `None` where it does not fail by itself.
fn shrink(
    hunt: &Hunt,
    workshop: &Workshop,
    scenario: &Scenario,
    mode: Mode,
    what: &mut String,
) -> Result<Option<PathBuf>> {
    let addresses = addresses_of(hunt);
    let mut last = None;
    let mut fails = |candidate: &Scenario| -> bool {
        let Ok(program) = workshop.build("smaller", &[(candidate, 0)], addresses) else { return false };
        let Ok((native, _)) = drive(hunt, &program, Mode::Native) else { return false };
        if !native.get(&0).is_some_and(|lines| lines.iter().all(|l| l.contains(" d="))) {
            return false;
        }
        let Ok((other, deed)) = drive(hunt, &program, mode) else { return false };
        let found = compare(native.get(&0), other.get(&0), &deed);
        let failed = found.is_some();
        last = found.or(last.take());
        failed
    };
    if !fails(scenario) {
        what.push_str(" (only together with others)");
        return Ok(None);
    }
    let small = minimise(scenario, hunt.questions, &mut fails);
    fails(&small);
    if let Some(last) = last {
        *what = last;
    }
    let folder = hunt.folder.join("kept");
    std::fs::create_dir_all(&folder).context("cannot make the folder of failing programs")?;
    let name = format!("{}-{}", mode.name(), scenario.seed);
    let kept = folder.join(format!("{name}.s"));
    let program = workshop.build(&name, &[(&small, 0)], addresses)?;
    std::fs::rename(&program, folder.join(&name)).context("cannot keep the failing program")?;
    std::fs::remove_file(program.with_extension("s")).ok();
    let head = format!(
        "# {what}\n# features: {}; convention: {:?}\n# repeat: loopwright-conformance generate --seed {} --mode {}\n",
        scenario.features.names().join(" "),
        scenario.convention,
        scenario.seed,
        mode.name(),
    );
    std::fs::write(&kept, head + &layout::scenario(&small, 0, addresses))
        .context("cannot keep the failing program")?;
    Ok(Some(kept))
}
