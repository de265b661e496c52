//! Compiles, runs and compares generated programs in C.

use super::build::{Way, compile, vectors_here, way};
use super::source;
use crate::runner::{Job, Mode, Tool, difference};
use anyhow::{Context as _, Result, ensure};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Groups of functions in one program.
const ROOTS: usize = 6;

/// A comparison of many programs.
#[derive(Clone, Debug)]
pub struct Search {
    /// First seed.
    pub first: u64,
    /// Number of programs.
    pub count: usize,
    /// Modes that are compared with the native run.
    pub modes: Vec<Mode>,
    /// The folder in which programs are built; differing ones are kept in its folder `kept`.
    pub folder: PathBuf,
    /// The tool under test.
    pub tool: Tool,
    /// Number of programs that run at the same time.
    pub jobs: usize,
}

/// A program that behaved differently under the tool.
#[derive(Clone, Debug)]
pub struct Difference {
    /// Seed of the generator: the same seed makes the same program.
    pub seed: u64,
    /// How it was compiled.
    pub way: Way,
    /// How it ran.
    pub mode: Mode,
    /// The difference.
    pub what: String,
    /// Its executable; its source is next to it.
    pub kept: PathBuf,
}

/// Runs all programs; `tell` receives each difference. Returns the number of comparisons.
///
/// # Errors
/// When a program cannot be compiled or fails natively, which is a defect of the generator.
pub fn run(search: &Search, tell: &(dyn Fn(&Difference) + Sync)) -> Result<(usize, Vec<Difference>)> {
    let (next, compared) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let found = Mutex::new(Vec::new());
    let work = |worker: usize| -> Result<()> {
        let folder = search.folder.join(format!("worker{worker}"));
        std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        loop {
            let k = next.fetch_add(1, Ordering::Relaxed);
            if k >= search.count || search.tool.is_stopped() {
                return Ok(());
            }
            let compared_one = one(search, search.first + k as u64, &folder);
            let Some(differences) = search.tool.unless_stopped(compared_one)?.flatten() else { continue };
            compared.fetch_add(1, Ordering::Relaxed);
            for difference in differences {
                tell(&difference);
                found.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(difference);
            }
        }
    };
    std::thread::scope(|scope| -> Result<()> {
        let workers: Vec<_> = (0..search.jobs.max(1)).map(|k| scope.spawn(move || work(k))).collect();
        for worker in workers {
            worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        }
        Ok(())
    })?;
    let found = found.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    Ok((compared.into_inner() * search.modes.len(), found))
}

/// Every fifth program runs in several threads.
fn arguments(seed: u64) -> &'static str {
    if seed % 5 == 4 { "4" } else { "1" }
}

/// The difference of one program; `None` where two native runs already differ.
fn one(search: &Search, seed: u64, folder: &Path) -> Result<Option<Vec<Difference>>> {
    let name = format!("c{seed}");
    let way = way(seed, &vectors_here());
    let text = source::program(seed, ROOTS);
    let file = folder.join(format!("{name}.c"));
    std::fs::write(&file, text).with_context(|| format!("cannot write {}", file.display()))?;
    let program = compile(folder, &name, &way)?;
    let command = vec![program.as_os_str().to_owned(), arguments(seed).into()];
    let job = Job { command, folder: folder.to_owned(), fixed_addresses: true, exhaustive: true };
    let run = |mode| search.tool.run(&job, mode, folder, &|| Ok(()));
    let native = run(Mode::Native)?;
    ensure!(native.status == 0, "seed {seed}: its native run ends with {}", native.status);
    // At other addresses, on which nothing may depend.
    let elsewhere = Job { fixed_addresses: false, ..job.clone() };
    let again = search.tool.run(&elsewhere, Mode::Native, folder, &|| Ok(()))?;
    let unstable = difference(&native, &again, Mode::Native);
    if let Some(what) = unstable {
        eprintln!(
            "compiled: seed {seed} is left out: two native runs differ ({what}); the generator is wrong"
        );
        return Ok(None);
    }
    let mut found = Vec::new();
    for &mode in &search.modes {
        let Some(what) = difference(&native, &run(mode)?, mode) else { continue };
        let kept = keep(search, folder, &name)?;
        found.push(Difference { seed, way: way.clone(), mode, what, kept });
    }
    std::fs::remove_file(&program).ok();
    std::fs::remove_file(&file).ok();
    Ok(Some(found))
}

fn keep(search: &Search, folder: &Path, name: &str) -> Result<PathBuf> {
    let kept = search.folder.join("kept");
    std::fs::create_dir_all(&kept).context("cannot make the folder of failing programs")?;
    for file in [name.to_owned(), format!("{name}.c")] {
        std::fs::copy(folder.join(&file), kept.join(&file)).context("cannot keep the failing program")?;
    }
    Ok(kept.join(name))
}
