//! The file: its tables, its version, and how older versions are brought up to date.

use crate::Error;
use rusqlite::{Connection, OpenFlags};
use std::path::{Path, PathBuf};

/// Marks the file as ours (`LWRT`), in SQLite's `application_id`.
const APPLICATION: u32 = 0x4c57_5254;

/// Steps that bring version `n` to `n + 1`; a new file runs them all.
const UPGRADES: &[&str] = &[
    "
    CREATE TABLE run (
        id INTEGER PRIMARY KEY, kind TEXT NOT NULL, created REAL NOT NULL,
        job TEXT, rank INTEGER, size INTEGER,
        target TEXT NOT NULL, sampler TEXT NOT NULL, machine TEXT,
        processes TEXT NOT NULL, threads TEXT NOT NULL,
        modules TEXT NOT NULL, frames BLOB NOT NULL, stacks BLOB NOT NULL,
        sample_count INTEGER NOT NULL);
    CREATE TABLE samples (
        run INTEGER NOT NULL REFERENCES run(id), chunk INTEGER NOT NULL, packed BLOB NOT NULL,
        PRIMARY KEY (run, chunk)) WITHOUT ROWID;
    CREATE TABLE module (
        id INTEGER PRIMARY KEY, path TEXT NOT NULL, identity TEXT NOT NULL, facts TEXT NOT NULL,
        UNIQUE (path, identity));
    CREATE TABLE run_module (
        run INTEGER NOT NULL REFERENCES run(id), position INTEGER NOT NULL,
        module INTEGER NOT NULL REFERENCES module(id), PRIMARY KEY (run, position)) WITHOUT ROWID;
    CREATE TABLE function (
        id INTEGER PRIMARY KEY, module INTEGER NOT NULL REFERENCES module(id), address INTEGER NOT NULL,
        name TEXT NOT NULL, code BLOB NOT NULL, listing BLOB, UNIQUE (module, address));
    CREATE TABLE loop (
        id INTEGER PRIMARY KEY, function INTEGER NOT NULL REFERENCES function(id), position INTEGER NOT NULL,
        UNIQUE (function, position));
    CREATE TABLE remark (id INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES run(id), packed BLOB NOT NULL);
    CREATE TABLE source (
        path TEXT NOT NULL, run INTEGER NOT NULL REFERENCES run(id), text BLOB NOT NULL, PRIMARY KEY (path, run));
    CREATE TABLE snapshot (name TEXT PRIMARY KEY, created REAL NOT NULL, runs TEXT NOT NULL) WITHOUT ROWID;
",
    "
    CREATE TABLE counting (run INTEGER PRIMARY KEY REFERENCES run(id), packed BLOB NOT NULL);
    CREATE TABLE counted (
        run INTEGER NOT NULL REFERENCES run(id), module INTEGER NOT NULL, chunk INTEGER NOT NULL,
        packed BLOB NOT NULL, PRIMARY KEY (run, module, chunk)) WITHOUT ROWID;
",
    "
    CREATE TABLE tracing (run INTEGER PRIMARY KEY REFERENCES run(id), packed BLOB NOT NULL);
    CREATE TABLE traced (
        run INTEGER NOT NULL REFERENCES run(id), position INTEGER NOT NULL, packed BLOB NOT NULL,
        PRIMARY KEY (run, position)) WITHOUT ROWID;
",
    "
    CREATE TABLE cost (run INTEGER PRIMARY KEY REFERENCES run(id), packed BLOB NOT NULL);
",
];

/// An open experiment.
pub struct Experiment {
    pub(crate) connection: Connection,
    pub(crate) path: PathBuf,
}

impl Experiment {
    /// Opens `path` for collecting, creating it when it does not exist.
    pub fn create_or_open(path: &Path) -> Result<Self, Error> {
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder)
                .map_err(|source| Error::Io { path: folder.to_owned(), source })?;
        }
        let connection =
            Connection::open(path).map_err(|source| Error::Sqlite { path: path.to_owned(), source })?;
        Self::prepared(connection, path)
    }

    /// Opens an existing experiment.
    pub fn open(path: &Path) -> Result<Self, Error> {
        if !path.exists() {
            return Err(Error::Missing { path: path.to_owned() });
        }
        // A read-only medium or folder must not keep anyone from looking.
        let open = |flags| Connection::open_with_flags(path, flags);
        let connection = open(OpenFlags::SQLITE_OPEN_READ_WRITE)
            .or_else(|_| open(OpenFlags::SQLITE_OPEN_READ_ONLY))
            .map_err(|source| Error::Sqlite { path: path.to_owned(), source })?;
        Self::prepared(connection, path)
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn prepared(connection: Connection, path: &Path) -> Result<Self, Error> {
        let mut experiment = Self { connection, path: path.to_owned() };
        experiment.upgrade()?;
        Ok(experiment)
    }

    fn upgrade(&mut self) -> Result<(), Error> {
        let path = self.path.clone();
        let sqlite = |source: rusqlite::Error| match source.sqlite_error_code() {
            Some(rusqlite::ErrorCode::NotADatabase) => Error::Foreign { path: path.clone() },
            _ => Error::Sqlite { path: path.clone(), source },
        };
        self.connection.busy_timeout(std::time::Duration::from_secs(20)).map_err(sqlite)?;
        let pragma = |name: &str| {
            self.connection
                .query_row(&format!("PRAGMA {name}"), [], |row| row.get::<_, u32>(0))
                .map_err(sqlite)
        };
        let (application, version) = (pragma("application_id")?, pragma("user_version")?);
        let tables: u32 = self
            .connection
            .query_row("SELECT count(*) FROM sqlite_master", [], |row| row.get(0))
            .map_err(sqlite)?;
        let fresh = application == 0 && version == 0 && tables == 0;
        if !fresh && application != APPLICATION {
            return Err(Error::Foreign { path });
        }
        let known = UPGRADES.len() as u32;
        if version > known {
            return Err(Error::Newer { path, found: version, known });
        }
        if version == known {
            return Ok(());
        }
        let transaction = self
            .connection
            .transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)
            .map_err(sqlite)?;
        // Another rank may have done it while this one waited for the lock.
        let version: u32 =
            transaction.query_row("PRAGMA user_version", [], |row| row.get(0)).map_err(sqlite)?;
        for (step, sql) in UPGRADES.iter().enumerate().skip(version as usize) {
            transaction.execute_batch(sql).map_err(sqlite)?;
            transaction.pragma_update(None, "user_version", step as u32 + 1).map_err(sqlite)?;
        }
        transaction.pragma_update(None, "application_id", APPLICATION).map_err(sqlite)?;
        transaction.commit().map_err(sqlite)
    }

    pub(crate) fn sqlite(&self, source: rusqlite::Error) -> Error {
        Error::Sqlite { path: self.path.clone(), source }
    }

    pub(crate) fn damaged(&self, what: &'static str, detail: impl ToString) -> Error {
        Error::Damaged { path: self.path.clone(), what, detail: detail.to_string() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_file_a_foreign_file_and_a_newer_file_are_told_apart() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.lw");
        assert!(matches!(Experiment::open(&path), Err(Error::Missing { .. })));
        std::fs::write(&path, "hello, this is certainly not a database, it is only some text").unwrap();
        assert!(matches!(Experiment::open(&path), Err(Error::Foreign { .. })));

        let other = folder.path().join("other.db");
        Connection::open(&other).unwrap().execute_batch("CREATE TABLE t (x)").unwrap();
        assert!(matches!(Experiment::open(&other), Err(Error::Foreign { .. })));

        let newer = folder.path().join("newer.lw");
        drop(Experiment::create_or_open(&newer).unwrap());
        Connection::open(&newer).unwrap().pragma_update(None, "user_version", 999).unwrap();
        let error = Experiment::open(&newer).err().unwrap().to_string();
        assert!(error.contains("format 999") && error.contains("update loopwright"), "{error}");
    }
}
