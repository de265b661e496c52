//! Keeps the calibrated model of a machine, beside its ceilings.

use super::model::{Fit, Point};
use crate::cache::{VERSION, fingerprint, named_file, own_folder, store, stored};
use crate::{Error, Machine};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The content of a file.
#[derive(Serialize, Deserialize)]
struct Stored {
    version: u32,
    fingerprint: String,
    energy: Fit,
    points: Vec<Point>,
}

/// The model of this machine, if it was calibrated. A file that is damaged or of another machine gives none.
pub fn load_model(machine: &Machine) -> Option<Fit> {
    let stored: Stored = stored(&named_file(&own_folder().ok()?, "energy", machine)).ok()??;
    let is_sound = stored.fingerprint == fingerprint(machine) && stored.energy.model.is_sound();
    is_sound.then_some(stored.energy)
}

/// Keeps the model of this machine, with the points that it goes through; returns the file.
///
/// # Errors
/// When the file cannot be written.
pub fn store_model(machine: &Machine, fit: Fit, points: Vec<Point>) -> Result<PathBuf, Error> {
    let path = named_file(&own_folder()?, "energy", machine);
    store(&path, &Stored { version: VERSION, fingerprint: fingerprint(machine), energy: fit, points })?;
    Ok(path)
}
