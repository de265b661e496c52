//! Keeps measured ceilings per machine, so that they are measured once.
//!
//! One JSON file per fingerprint under `$XDG_CACHE_HOME/loopwright` (XDG Base Directory Specification), or
//! `~/.cache/loopwright`. The fingerprint covers everything that changes the ceilings: processor, microcode,
//! caches, allowed CPUs, hypervisor, and the version of this file's format and kernels. An invalid file
//! (corrupt, foreign, another version) is ignored with a warning and the machine is measured again.

use crate::ceilings::disturbance::is_quiet;
use crate::ceilings::{Ceilings, Options, Progress, measure};
use crate::{BadCache, Error, Machine, Warning};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Version of the file format and of what is measured; raise it when either changes.
pub(crate) const VERSION: u32 = 1;

/// Largest file that is read, in bytes: a thousand times what one measurement writes.
const LARGEST: u64 = 16 << 20;

/// Longest time of a second measurement (made because the machine was busy before): the earlier figures stay
/// where they are better.
const AGAIN: (Duration, Duration) = (Duration::from_secs(10), Duration::from_secs(14));
/// Shortest time between two such attempts.
const RETRY: Duration = Duration::from_secs(600);

/// The content of a file.
#[derive(Serialize, Deserialize)]
struct Stored {
    version: u32,
    fingerprint: String,
    ceilings: Ceilings,
}

/// Whether to measure or to use stored ceilings.
#[derive(Clone, Debug, Default)]
pub enum Policy {
    /// Use stored ceilings; measure and store when there are none, or when they were measured on a busy
    /// machine that is quiet now.
    #[default]
    CachedOrMeasure,
    /// Use stored ceilings; never measure.
    CachedOnly,
    /// Measure and store in any case.
    Measure,
}

/// Ceilings and where they come from.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// The ceilings; absent when none are stored and the policy does not measure.
    pub ceilings: Option<Ceilings>,
    /// They were measured now.
    pub measured_now: bool,
    /// Problems that did no harm.
    pub warnings: Vec<Warning>,
}

/// The ceilings of `machine` (which must be the running one), stored or measured according to `policy`. A
/// cache that cannot be read or written causes only a warning.
pub fn ceilings_for(
    machine: &Machine,
    policy: &Policy,
    options: &Options,
    progress: &mut dyn FnMut(Progress),
) -> Result<Found, Error> {
    let folder = folder(|name| std::env::var_os(name));
    ceilings_in(folder, machine, policy, (options, &is_quiet), progress)
}

fn ceilings_in(
    folder: Result<PathBuf, Error>,
    machine: &Machine,
    policy: &Policy,
    (options, quiet): (&Options, &dyn Fn() -> bool),
    progress: &mut dyn FnMut(Progress),
) -> Result<Found, Error> {
    let mut warnings = Vec::new();
    let mut earlier = None;
    if !matches!(policy, Policy::Measure)
        && let Ok(folder) = &folder
    {
        let kept = read(&file(folder, machine), &fingerprint(machine));
        warnings.extend(kept.warning);
        if let Some(ceilings) = kept.ceilings {
            let again = matches!(policy, Policy::CachedOrMeasure) && ceilings.disturbed().is_some();
            if !(again && is_due(&ceilings) && quiet()) {
                return Ok(Found { ceilings: Some(ceilings), measured_now: false, warnings });
            }
            earlier = Some(ceilings);
        }
    }
    if matches!(policy, Policy::CachedOnly) {
        return Ok(Found { ceilings: None, measured_now: false, warnings });
    }
    let ceilings = match earlier {
        None => measure(options, progress)?,
        Some(earlier) => again(earlier, options, progress, &mut warnings)?,
    };
    // Later commands do not expect a part of the points, or other CPUs than the fingerprint's.
    if options.only.is_empty() && options.cpus.is_none() {
        match folder.and_then(|folder| write(&file(&folder, machine), &fingerprint(machine), &ceilings)) {
            Ok(()) => (),
            Err(error) => warnings.push(Warning::NotKept(error.to_string())),
        }
    }
    Ok(Found { ceilings: Some(ceilings), measured_now: true, warnings })
}

/// Measures a machine again that was busy before. If that fails the earlier figures are kept.
fn again(
    earlier: Ceilings,
    options: &Options,
    progress: &mut dyn FnMut(Progress),
    warnings: &mut Vec<Warning>,
) -> Result<Ceilings, Error> {
    let shorter =
        Options { budget: options.budget.min(AGAIN.0), limit: options.limit.min(AGAIN.1), ..options.clone() };
    match measure(&shorter, progress) {
        Ok(new) => Ok(merged(new, &earlier)),
        Err(Error::Cancelled) => Err(Error::Cancelled),
        Err(error) => {
            warnings.push(Warning::NotMeasuredAgain { error: error.to_string() });
            Ok(earlier)
        }
    }
}

/// A new measurement, with the better figures of an earlier, disturbed one.
fn merged(new: Ceilings, earlier: &Ceilings) -> Ceilings {
    let attempts = earlier.conditions.map_or(1, |conditions| conditions.attempts);
    let mut ceilings = new.with_better_of(earlier);
    if let Some(conditions) = &mut ceilings.conditions {
        conditions.attempts = attempts.saturating_add(1);
    }
    ceilings
}

/// The last attempt was long enough ago. A clock that was set back does not delay it.
fn is_due(ceilings: &Ceilings) -> bool {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    now.checked_sub(ceilings.measured_unix).is_none_or(|age| age >= RETRY.as_secs())
}

/// The ceilings stored for `machine`, if any, and the problem with the file, if there is one.
pub fn load_cached(machine: &Machine) -> Kept {
    match own_folder() {
        Ok(folder) => read(&file(&folder, machine), &fingerprint(machine)),
        Err(error) => Kept { ceilings: None, warning: Some(Warning::NotKept(error.to_string())) },
    }
}

/// Stores `ceilings` for `machine`; returns the file.
pub fn store_cached(machine: &Machine, ceilings: &Ceilings) -> Result<PathBuf, Error> {
    let path = file(&own_folder()?, machine);
    write(&path, &fingerprint(machine), ceilings)?;
    Ok(path)
}

/// The content of the cache.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Kept {
    /// The stored ceilings; absent where none were stored or they are not usable.
    pub ceilings: Option<Ceilings>,
    /// Why a file that exists was not used.
    pub warning: Option<Warning>,
}

/// The user's own folder of what is kept between commands.
///
/// # Errors
/// When the environment names none.
pub fn own_folder() -> Result<PathBuf, Error> {
    folder(|name| std::env::var_os(name))
}

/// The cache folder by the XDG rules: a relative path is ignored.
fn folder(variable: impl Fn(&str) -> Option<std::ffi::OsString>) -> Result<PathBuf, Error> {
    let absolute = |name: &str| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let base = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")));
    Ok(base.ok_or(Error::NoCacheFolder)?.join("loopwright"))
}

fn file(folder: &Path, machine: &Machine) -> PathBuf {
    named_file(folder, "ceilings", machine)
}

/// A file for something about a machine. The name only has to differ between machines that share a home folder; the whole fingerprint
/// is inside.
pub(crate) fn named_file(folder: &Path, what: &str, machine: &Machine) -> PathBuf {
    keyed_file(folder, what, &fingerprint(machine))
}

/// The same for something that depends on less than the ceilings do.
pub(crate) fn keyed_file(folder: &Path, what: &str, key: &str) -> PathBuf {
    folder.join(format!("{what}-{:016x}.json", fnv1a(key.as_bytes())))
}

/// FNV-1a, 64 bits (Fowler, Noll, Vo): stable across versions of Rust, unlike its hashers.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// Everything that the ceilings depend on, as text.
pub(crate) fn fingerprint(machine: &Machine) -> String {
    let processor = &machine.processor;
    let caches: Vec<String> = machine
        .topology
        .caches
        .iter()
        .map(|c| format!("L{} {:?} {} {}", c.level, c.kind, c.size_bytes, crate::tree::format_list(&c.cpus)))
        .collect();
    let vectors: Vec<&str> =
        ["avx", "avx2", "fma", "avx512f"].into_iter().filter(|id| machine.usable(id)).collect();
    format!(
        "version {VERSION}; {} {} {:?}/{:?}/{:?} microcode {}; usable {}; CPUs {}; hypervisor {}; {}",
        processor.vendor,
        processor.name,
        processor.family,
        processor.model,
        processor.stepping,
        processor.microcode.as_deref().unwrap_or("unknown"),
        vectors.join(" "),
        crate::tree::format_list(&machine.topology.allowed),
        machine.hypervisor.as_deref().unwrap_or("none"),
        caches.join(", "),
    )
}

fn read(path: &Path, fingerprint: &str) -> Kept {
    let ignored =
        |why| Kept { ceilings: None, warning: Some(Warning::Ignored { path: path.to_owned(), why }) };
    match stored::<Stored>(path) {
        Ok(None) => Kept::default(),
        Ok(Some(stored)) if stored.fingerprint != fingerprint => ignored(BadCache::OtherMachine),
        Ok(Some(stored)) => Kept { ceilings: Some(stored.ceilings), warning: None },
        Err(why) => ignored(why),
    }
}

/// What a file of this version holds; nothing where there is none.
pub(crate) fn stored<S: DeserializeOwned>(path: &Path) -> Result<Option<S>, BadCache> {
    use std::io::Read;
    let unreadable = |error: std::io::Error| BadCache::Unreadable(error.to_string());
    let file = match std::fs::File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unreadable(error)),
    };
    let mut text = Vec::new();
    file.take(LARGEST).read_to_end(&mut text).map_err(unreadable)?;
    // The version first: another version may have another shape.
    #[derive(Deserialize)]
    struct Versioned {
        version: u32,
    }
    let damaged = |error: serde_json::Error| BadCache::Damaged(error.to_string());
    match serde_json::from_slice::<Versioned>(&text).map_err(damaged)?.version {
        VERSION => serde_json::from_slice(&text).map(Some).map_err(damaged),
        found => Err(BadCache::OtherVersion { found, expected: VERSION }),
    }
}

fn write(path: &Path, fingerprint: &str, ceilings: &Ceilings) -> Result<(), Error> {
    let stored = Stored { version: VERSION, fingerprint: fingerprint.to_owned(), ceilings: ceilings.clone() };
    store(path, &stored)
}

/// Writes to a temporary file and renames it, so that two commands at once leave one complete file.
pub(crate) fn store(path: &Path, value: &impl Serialize) -> Result<(), Error> {
    let fail = |source| Error::CacheWrite { path: path.to_owned(), source };
    let text = serde_json::to_vec_pretty(value).map_err(|error| fail(error.into()))?;
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(fail)?;
    }
    let beside = path.with_extension(format!("{}.tmp", std::process::id()));
    let written = std::fs::write(&beside, text).and_then(|()| std::fs::rename(&beside, path));
    if written.is_err() {
        let _ = std::fs::remove_file(&beside);
    }
    written.map_err(fail)
}

#[cfg(test)]
mod tests;
