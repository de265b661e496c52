//! Constants that decide by size how kernels do their work, measured on the machine at hand.
//!
//! ```text
//! constants   the table: every constant's name, meaning, unit and default
//! file        the calibration file: its format, reading and writing
//! first_use   what the ways to do the same work cost, measured when a choice between them is first needed
//! costs_file  where that is kept
//! ```
//!
//! Each constant has a default that is sound everywhere. `loopwright-kernels calibrate` measures them and writes a
//! calibration file; a process looks for it when a constant is first asked for, at the path that the variable
//! [`VARIABLE`] names (`none`: use the defaults), else at [`default_path`]. A file that cannot be used (damaged, of a
//! newer version, of another processor) leaves the defaults in force and is reported by [`load_error`].
//!
//! What is computed never depends on a constant, only how fast.

mod constants;
mod costs_file;
mod file;
pub(crate) mod first_use;

pub use constants::{Constant, Unit};
pub use file::{TuningError, default_path};

use crate::processor;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// The variable that names the calibration file; `none` for the defaults, and for measuring nothing at first use.
pub const VARIABLE: &str = "LOOPWRIGHT_KERNELS_TUNING";

/// A value for every [`Constant`].
#[derive(Clone, Debug, PartialEq)]
pub struct Tuning {
    values: [f64; Constant::ALL.len()],
}

impl Default for Tuning {
    fn default() -> Tuning {
        Tuning { values: Constant::ALL.map(Constant::default_value) }
    }
}

impl Tuning {
    /// The constants in force, looked up once per process.
    pub fn active() -> &'static Tuning {
        &choice().tuning
    }

    /// A constant's value in its unit; infinite for a size that is never reached.
    pub fn value(&self, constant: Constant) -> f64 {
        self.values[constant as usize]
    }

    /// A constant that is a size, in bytes; [`u64::MAX`] for one that is never reached.
    pub fn bytes(&self, constant: Constant) -> u64 {
        // The conversion saturates.
        self.value(constant) as u64
    }

    /// Sets a constant. Refuses what can be no measured value: negative numbers and NaN.
    pub fn set(&mut self, constant: Constant, value: f64) -> Result<(), TuningError> {
        if value.is_nan() || value < 0.0 {
            return Err(TuningError::Value { name: constant.name().to_owned(), value });
        }
        self.values[constant as usize] = value;
        Ok(())
    }
}

/// The calibration file that is in force, if one is.
pub fn source() -> Option<&'static PathBuf> {
    choice().source.as_ref()
}

/// Why a calibration file that exists, or that [`VARIABLE`] names, is not used. A command prints it once.
pub fn load_error() -> Option<&'static TuningError> {
    choice().error.as_ref()
}

/// The file that keeps what was measured at first use, in the user's cache folder; `None` where there is no such folder.
pub fn costs_path() -> Option<PathBuf> {
    Some(file::folder_in(|name| std::env::var_os(name)).ok()?.join("kernels-costs.json"))
}

/// Whether choices between ways to do the same work are measured when they are first needed (the default), or decided by
/// figures that were measured on other machines. Each takes some hundred microseconds once, all together at most 50 ms, and
/// the results are kept in [`costs_path`]. Choices that were made before this call stay as they are. The variables
/// [`VARIABLE`] (`none`) and [`crate::processor::VARIABLE`] turn it off, too.
pub fn self_calibration(on: bool) {
    OFF.store(!on, Ordering::Relaxed);
}

static OFF: AtomicBool = AtomicBool::new(false);

/// Whether to measure at first use. Where somebody chooses for another kind of processor, this one's figures do not apply.
fn self_calibrates() -> bool {
    static BY_ENVIRONMENT: OnceLock<bool> = OnceLock::new();
    let allowed = || {
        let none = std::env::var_os(VARIABLE).is_some_and(|value| value == "none");
        !none && !processor::is_named()
    };
    !OFF.load(Ordering::Relaxed) && *BY_ENVIRONMENT.get_or_init(allowed)
}

#[derive(Debug, Default)]
struct Choice {
    tuning: Tuning,
    source: Option<PathBuf>,
    error: Option<TuningError>,
}

fn choice() -> &'static Choice {
    static CHOICE: OnceLock<Choice> = OnceLock::new();
    CHOICE.get_or_init(|| choose(|name| std::env::var_os(name)))
}

/// The constants for an environment.
fn choose(variable: impl Fn(&str) -> Option<std::ffi::OsString>) -> Choice {
    let named = variable(VARIABLE).filter(|value| !value.is_empty());
    if named.as_ref().is_some_and(|value| value == "none") {
        return Choice::default();
    }
    let (path, wanted) = match named {
        Some(path) => (PathBuf::from(path), true),
        // Without a cache folder there is nothing to look for.
        None => match file::path_in(&variable) {
            Ok(path) => (path, false),
            Err(_) => return Choice::default(),
        },
    };
    match Tuning::load(&path) {
        Ok(tuning) => Choice { tuning, source: Some(path), error: None },
        Err(error) if !wanted && error.is_absence() => Choice::default(),
        Err(error) => Choice { error: Some(error), ..Choice::default() },
    }
}

#[cfg(test)]
mod tests;
