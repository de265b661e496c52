//! The records of wrappers: one file per compiled source, written completely or not at all.

use super::Collected;
use crate::command::CompileCommand;
use crate::condense;
use crate::remark::Remark;
use crate::warning::Warning;
use loopwright_files::regular;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::{Path, PathBuf};

/// Version of the records; records of other versions are skipped with a warning.
const VERSION: u32 = 1;

/// Most bytes of the remarks of one source; its report may be as large before it is condensed.
const LARGEST: u64 = 1 << 29;

/// One compilation.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Record {
    pub version: u32,
    pub command: CompileCommand,
    pub remarks: Vec<Remark>,
    pub warnings: Vec<Warning>,
}

impl Record {
    pub fn new(command: CompileCommand) -> Record {
        Record { version: VERSION, command, remarks: Vec::new(), warnings: Vec::new() }
    }

    /// Stores the record; readers see it complete because it is renamed into place.
    pub fn store(&self, folder: &Path) -> io::Result<()> {
        let records = records(folder);
        std::fs::create_dir_all(&records)?;
        let mut file = tempfile::Builder::new().prefix("unit-").suffix(".part").tempfile_in(&records)?;
        serde_json::to_writer(io::BufWriter::new(file.as_file_mut()), self)?;
        let whole = file.path().with_extension("json");
        file.persist(whole).map_err(|failed| failed.error)?;
        Ok(())
    }
}

fn records(folder: &Path) -> PathBuf {
    folder.join("records")
}

pub(super) fn exists(folder: &Path) -> bool {
    records(folder).is_dir()
}

/// Removes the records of the previous build.
pub(super) fn clear(folder: &Path) -> io::Result<()> {
    let records = records(folder);
    std::fs::create_dir_all(&records)?;
    for entry in std::fs::read_dir(&records)?.flatten() {
        if entry.file_name().to_string_lossy().starts_with("unit-") {
            std::fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// Stores results that were collected without wrappers, so that they can be loaded again.
pub(super) fn keep(folder: &Path, collected: &Collected) {
    for (at, command) in collected.commands.iter().enumerate() {
        let mut record = Record::new(command.clone());
        if at == 0 {
            record.remarks.clone_from(&collected.remarks);
            record.warnings.clone_from(&collected.warnings);
        }
        // The results are in memory; losing the copy affects only a later `load`.
        let _ = record.store(folder);
    }
}

/// Reads all records, in the order of their sources.
pub(super) fn read_all(folder: &Path) -> io::Result<Collected> {
    let mut collected = Collected::default();
    let mut all: Vec<Record> = Vec::new();
    for entry in std::fs::read_dir(records(folder))?.flatten() {
        let path = entry.path();
        if path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let record = regular::read(&path, LARGEST)
            .map_err(|cause| cause.to_string())
            .and_then(|bytes| serde_json::from_slice::<Record>(&bytes).map_err(|cause| cause.to_string()));
        match record {
            Ok(record) if record.version == VERSION => all.push(record),
            Ok(_) => collected.warnings.push(Warning::OtherRecord { record: path }),
            Err(error) => collected.warnings.push(Warning::DamagedRecord { record: path, error }),
        }
    }
    all.sort_by(|a, b| (&a.command.directory, &a.command.file).cmp(&(&b.command.directory, &b.command.file)));
    let mut remarks = Vec::new();
    for record in all {
        remarks.extend(record.remarks);
        collected.warnings.extend(record.warnings);
        collected.commands.push(record.command);
    }
    collected.remarks = condense::condense(remarks);
    collected.warnings.sort_by_cached_key(Warning::to_string);
    collected.warnings.dedup();
    Ok(collected)
}
