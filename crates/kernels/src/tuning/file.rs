//! The calibration file.
//!
//! JSON: `{"format": "loopwright-kernels-tuning", "version": 1, "processor": "..", "values": {NAME: NUMBER or null}}`.
//! `null` is a size that is never reached. A constant without a value keeps its default.

use super::{Constant, Tuning, VARIABLE};
use crate::processor::Profile;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// What the file says it is.
const FORMAT: &str = "loopwright-kernels-tuning";

/// The version that is written, and the only one so far.
const VERSION: u32 = 1;

/// Why constants cannot be read, written or set.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TuningError {
    /// The file cannot be read.
    #[error("{}: the calibration cannot be read: {source}; run `loopwright-kernels calibrate` or set {VARIABLE}=none", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file cannot be written.
    #[error("{}: the calibration cannot be written: {source}; make the folder writable or set {VARIABLE} to another file", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file is none, or damaged.
    #[error("{}: no calibration, or a damaged one: {cause}; run `loopwright-kernels calibrate` again", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        cause: String,
    },
    /// The file comes from a newer version of this library.
    #[error("{}: calibration of version {found}, newer than {VERSION}, which this library reads; run its own `loopwright-kernels calibrate`", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u32,
    },
    /// The file was measured on another processor.
    #[error("{}: calibration of another processor ({found}, this is {here}); run `loopwright-kernels calibrate` here", path.display())]
    Processor {
        /// The file.
        path: PathBuf,
        /// The processor that it is for.
        found: String,
        /// This one.
        here: String,
    },
    /// A number that no constant can have.
    #[error("{name}: {value} is no size and no time; give a number of at least 0")]
    Value {
        /// The constant.
        name: String,
        /// The number.
        value: f64,
    },
    /// There is no folder for the file.
    #[error(
        "no cache folder: neither XDG_CACHE_HOME nor HOME is an absolute path; set one, or {VARIABLE} to a file"
    )]
    NoFolder,
}

impl TuningError {
    /// Whether the file is just not there.
    pub(super) fn is_absence(&self) -> bool {
        let kinds = [io::ErrorKind::NotFound, io::ErrorKind::NotADirectory];
        matches!(self, TuningError::Read { source, .. } if kinds.contains(&source.kind()))
    }
}

/// Where the calibration is kept when [`VARIABLE`] names no file: in the user's cache folder, by the XDG Base
/// Directory Specification.
pub fn default_path() -> Result<PathBuf, TuningError> {
    path_in(|name| std::env::var_os(name))
}

pub(super) fn path_in(variable: impl Fn(&str) -> Option<OsString>) -> Result<PathBuf, TuningError> {
    Ok(folder_in(variable)?.join("kernels-tuning.json"))
}

/// This library's folder in the user's cache folder.
pub(super) fn folder_in(variable: impl Fn(&str) -> Option<OsString>) -> Result<PathBuf, TuningError> {
    // The specification has relative paths ignored.
    let absolute = |name: &str| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let base = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")));
    Ok(base.ok_or(TuningError::NoFolder)?.join("loopwright"))
}

/// What every version has.
#[derive(Deserialize)]
struct Header {
    format: String,
    version: u32,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Body {
    format: String,
    version: u32,
    processor: String,
    /// Infinity is written as null.
    values: BTreeMap<String, Option<f64>>,
}

impl Tuning {
    /// Reads a calibration file of this processor.
    pub fn load(path: &Path) -> Result<Tuning, TuningError> {
        let bytes =
            std::fs::read(path).map_err(|source| TuningError::Read { path: path.to_owned(), source })?;
        parse(path, &bytes, &Profile::active().name)
    }

    /// Writes a calibration file for this processor, and its folder where there is none. The file is replaced as a
    /// whole or not at all.
    pub fn save(&self, path: &Path) -> Result<(), TuningError> {
        let values = Constant::ALL.map(|constant| {
            let value = self.value(constant);
            (constant.name().to_owned(), value.is_finite().then_some(value))
        });
        let body = Body {
            format: FORMAT.to_owned(),
            version: VERSION,
            processor: Profile::active().name.clone(),
            values: values.into(),
        };
        let failed = |source| TuningError::Write { path: path.to_owned(), source };
        let mut text = serde_json::to_vec_pretty(&body).map_err(|e| failed(e.into()))?;
        text.push(b'\n');
        replace(path, &text).map_err(failed)
    }
}

/// Writes a file, and its folder where there is none. The file is replaced as a whole or not at all.
pub(super) fn replace(path: &Path, text: &[u8]) -> io::Result<()> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder)?;
    }
    let mut beside = path.as_os_str().to_owned();
    beside.push(format!(".{}", std::process::id()));
    let written = std::fs::write(&beside, text).and_then(|()| std::fs::rename(&beside, path));
    written.inspect_err(|_| {
        // Nothing more can be done about a file that cannot be removed either.
        let _ = std::fs::remove_file(&beside);
    })
}

/// The constants of a file's contents, for the processor `here`.
pub(super) fn parse(path: &Path, bytes: &[u8], here: &str) -> Result<Tuning, TuningError> {
    let damaged = |cause: String| TuningError::Damaged { path: path.to_owned(), cause };
    let header: Header = serde_json::from_slice(bytes).map_err(|error| damaged(error.to_string()))?;
    if header.format != FORMAT {
        return Err(damaged(format!("its format is {:?}, not {FORMAT:?}", header.format)));
    }
    match header.version {
        VERSION => {}
        found if found > VERSION => return Err(TuningError::Newer { path: path.to_owned(), found }),
        found => return Err(damaged(format!("there is no version {found}"))),
    }
    let body: Body = serde_json::from_slice(bytes).map_err(|error| damaged(error.to_string()))?;
    if body.processor != here {
        let (path, found, here) = (path.to_owned(), body.processor, here.to_owned());
        return Err(TuningError::Processor { path, found, here });
    }
    let mut tuning = Tuning::default();
    for (name, value) in body.values {
        let constant = Constant::ALL.into_iter().find(|constant| constant.name() == name);
        let constant = constant.ok_or_else(|| damaged(format!("there is no constant {name:?}")))?;
        tuning.set(constant, value.unwrap_or(f64::INFINITY)).map_err(|error| damaged(error.to_string()))?;
    }
    Ok(tuning)
}
