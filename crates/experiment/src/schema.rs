//! The file: its tables, its version, and how older versions are brought up to date.
//!
//! An experiment may come from somebody else, and SQLite does what a file says: triggers and views of a schema are run by
//! our own statements, and a journal beside it can name a further file to be removed. Only the tables that we make are
//! accepted. Source: SQLite, "Defense Against The Dark Arts"; "Atomic Commit In SQLite", section 5 on super-journals.

use crate::Error;
use loopwright_files::regular;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use std::collections::BTreeSet;
use std::io::{Read, Seek, SeekFrom};
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
    CREATE TABLE clocks (run INTEGER PRIMARY KEY REFERENCES run(id), packed BLOB NOT NULL);
",
    "
    CREATE TABLE cost (run INTEGER PRIMARY KEY REFERENCES run(id), packed BLOB NOT NULL);
",
    // All collectors' facts in one table, each piece with the version of its form.
    "
    CREATE TABLE piece (
        run INTEGER NOT NULL REFERENCES run(id), name TEXT NOT NULL, position INTEGER NOT NULL,
        form INTEGER NOT NULL, packed BLOB NOT NULL, PRIMARY KEY (run, name, position)) WITHOUT ROWID;
    INSERT INTO piece SELECT id, 'sampler', 0, 1, sampler FROM run WHERE kind = 'survey';
    INSERT INTO piece SELECT id, 'processes', 0, 1, processes FROM run WHERE kind = 'survey';
    INSERT INTO piece SELECT id, 'threads', 0, 1, threads FROM run WHERE kind = 'survey';
    INSERT INTO piece SELECT id, 'modules', 0, 1, modules FROM run WHERE kind = 'survey';
    INSERT INTO piece SELECT id, 'frames', 0, 1, frames FROM run WHERE kind = 'survey';
    INSERT INTO piece SELECT id, 'stacks', 0, 1, stacks FROM run WHERE kind = 'survey';
    INSERT INTO piece SELECT run, 'clocks', 0, 1, packed FROM clocks;
    INSERT INTO piece SELECT run, 'samples', chunk, 1, packed FROM samples;
    INSERT INTO piece SELECT run, 'run', 0, 1, packed FROM counting;
    INSERT INTO piece SELECT run, 'functions', module * 4294967296 + chunk, 1, packed FROM counted;
    INSERT INTO piece SELECT run, 'run', 0, 1, packed FROM tracing;
    INSERT INTO piece SELECT run, 'loops', position, 1, packed FROM traced;
    INSERT INTO piece SELECT run, 'remarks', id, 1, packed FROM remark;
    INSERT INTO piece SELECT run, 'costs', 0, 1, packed FROM cost;
    DROP TABLE clocks; DROP TABLE samples; DROP TABLE counting; DROP TABLE counted;
    DROP TABLE tracing; DROP TABLE traced; DROP TABLE remark; DROP TABLE cost;
    ALTER TABLE run DROP COLUMN sampler; ALTER TABLE run DROP COLUMN processes;
    ALTER TABLE run DROP COLUMN threads; ALTER TABLE run DROP COLUMN modules;
    ALTER TABLE run DROP COLUMN frames; ALTER TABLE run DROP COLUMN stacks;
    UPDATE run SET target = 'null' WHERE kind = 'remarks';
    UPDATE snapshot SET runs = replace(runs, '\"surveys\":', '\"survey\":');
    ALTER TABLE run ADD COLUMN form INTEGER NOT NULL DEFAULT 1;
    ALTER TABLE module ADD COLUMN form INTEGER NOT NULL DEFAULT 1;
    ALTER TABLE function ADD COLUMN form INTEGER NOT NULL DEFAULT 1;
    ALTER TABLE snapshot ADD COLUMN form INTEGER NOT NULL DEFAULT 1;
",
    // What several runs share is stored once: machines, and pieces that refer to it by number. Equal machines of an older file
    // become one.
    "
    CREATE TABLE shared (id INTEGER PRIMARY KEY, packed BLOB NOT NULL);
    ALTER TABLE run ADD COLUMN machine_id INTEGER REFERENCES shared(id);
    INSERT INTO shared (id, packed) SELECT min(id), machine FROM run WHERE machine IS NOT NULL GROUP BY machine;
    UPDATE run SET machine_id = same.first FROM
        (SELECT id, min(id) OVER (PARTITION BY machine) AS first FROM run WHERE machine IS NOT NULL) AS same
        WHERE same.id = run.id;
    ALTER TABLE run DROP COLUMN machine;
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
        if path.exists() {
            looked_at(path)?;
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
        looked_at(path)?;
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

    /// Removes the file, if it holds nothing.
    pub fn discard_empty(self) {
        if self.runs().is_ok_and(|runs| runs.is_empty()) {
            let Self { connection, path } = self;
            // Closing takes the journal with it. What cannot be removed is an empty experiment.
            if connection.close().is_ok() {
                let _ = std::fs::remove_file(path);
            }
        }
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
        // Hundreds of ranks write one after another, each for a fraction of a second.
        self.connection.busy_timeout(std::time::Duration::from_secs(120)).map_err(sqlite)?;
        // A run is read by about 20 statements, and there may be 10,000 runs.
        self.connection.set_prepared_statement_cache_capacity(64);
        for (setting, value) in [
            (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
            (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
            (DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false),
            (DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false),
        ] {
            self.connection.set_db_config(setting, value).map_err(sqlite)?;
        }
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
        if !fresh {
            self.holds_our_tables(version)?;
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

    /// Whether the schema is the one that a version of ours makes, and nothing more.
    fn holds_our_tables(&self, version: u32) -> Result<(), Error> {
        let memory = Connection::open_in_memory().map_err(|e| self.sqlite(e))?;
        for step in UPGRADES.iter().take(version as usize) {
            memory.execute_batch(step).map_err(|e| self.sqlite(e))?;
        }
        let (ours, theirs) = (schema(&memory), schema(&self.connection));
        let (ours, theirs) = (ours.map_err(|e| self.sqlite(e))?, theirs.map_err(|e| self.sqlite(e))?);
        let shown = |(kind, name, _): &(String, String, String)| format!("{kind} {name:?}");
        if let Some(foreign) = theirs.difference(&ours).next() {
            return Err(self.damaged("schema", format!("{} is not loopwright's", shown(foreign))));
        }
        match ours.difference(&theirs).next() {
            Some(missing) => Err(self.damaged("schema", format!("{} is missing", shown(missing)))),
            None => Ok(()),
        }
    }
}

/// Kind, name and text of everything in a schema; blanks in a text mean nothing.
fn schema(connection: &Connection) -> rusqlite::Result<BTreeSet<(String, String, String)>> {
    let mut query = connection.prepare("SELECT type, name, coalesce(sql, '') FROM sqlite_master")?;
    let rows = query.query_map([], |row| {
        let text: String = row.get(2)?;
        Ok((row.get(0)?, row.get(1)?, text.split_whitespace().collect::<Vec<_>>().join(" ")))
    })?;
    rows.collect()
}

/// What is to be known of a file before SQLite opens it: a pipe would block, and a journal that names a super-journal, which
/// none of ours does, may make SQLite remove the file of that name.
fn looked_at(path: &Path) -> Result<(), Error> {
    /// Ends a journal behind the name of its super-journal.
    const MAGIC: [u8; 8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7];
    if !path.is_file() {
        return Err(Error::Foreign { path: path.to_owned() });
    }
    let mut journal = path.canonicalize().unwrap_or_else(|_| path.to_owned()).into_os_string();
    journal.push("-journal");
    let journal = PathBuf::from(journal);
    if journal.symlink_metadata().is_err() {
        return Ok(());
    }
    let io = |source| Error::Io { path: journal.clone(), source };
    let mut file = regular::open(&journal).map_err(io)?;
    let mut end = [0; 8];
    if file.seek(SeekFrom::End(-8)).is_ok() && file.read_exact(&mut end).is_ok() && end == MAGIC {
        return Err(Error::Io {
            path: journal,
            source: std::io::Error::other("this journal is not of loopwright; remove it"),
        });
    }
    Ok(())
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

    /// Format 6 held a machine as text with each run.
    #[test]
    fn equal_machines_of_an_older_file_become_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.lw");
        let raw = Connection::open(&path).unwrap();
        for step in &UPGRADES[..6] {
            raw.execute_batch(step).unwrap();
        }
        raw.pragma_update(None, "user_version", 6).unwrap();
        raw.pragma_update(None, "application_id", APPLICATION).unwrap();
        let machines = [0, 1].map(|cpus| {
            let mut machine = loopwright_machine::Machine::detect();
            machine.memory_bytes = Some(cpus);
            crate::MachineRecord { machine, ceilings: None, network: None }
        });
        for machine in [Some(0), None, Some(1), Some(0), Some(0)] {
            let text = machine.map(|machine: usize| serde_json::to_string(&machines[machine]).unwrap());
            let insert = "INSERT INTO run (kind, created, target, machine, sample_count) VALUES ('x', 1, 'null', ?1, 0)";
            raw.execute(insert, [text]).unwrap();
        }
        drop(raw);
        let mut experiment = Experiment::open(&path).unwrap();
        for (run, machine) in [(1, Some(0)), (2, None), (3, Some(1)), (4, Some(0)), (5, Some(0))] {
            assert_eq!(
                experiment.machine(run).unwrap(),
                machine.map(|machine: usize| machines[machine].clone())
            );
        }
        let count = |experiment: &Experiment| {
            experiment.rows("SELECT id FROM shared", [], |row| row.get::<_, i64>(0)).unwrap().len()
        };
        assert_eq!(count(&experiment), 2);
        let remarks = Vec::<loopwright_remarks::remark::Remark>::new();
        for _ in 0..2 {
            experiment.add(&remarks, None, Some(&machines[1])).unwrap();
        }
        assert_eq!(count(&experiment), 3);
    }

    #[test]
    fn what_a_schema_brings_along_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        for (number, text) in [
            "CREATE TRIGGER t AFTER INSERT ON run BEGIN DELETE FROM run; END",
            "DROP TABLE source; CREATE VIEW source AS SELECT 'a' AS path, 1 AS run, x'' AS text",
            "CREATE TABLE more (x)",
            "CREATE INDEX i ON run (abs(id))",
            "DROP TABLE source",
            "CREATE VIRTUAL TABLE v USING fts5(x)",
        ]
        .into_iter()
        .enumerate()
        {
            let path = folder.path().join(format!("{number}.lw"));
            drop(Experiment::create_or_open(&path).unwrap());
            if Connection::open(&path).unwrap().execute_batch(text).is_err() {
                continue;
            }
            for opened in [Experiment::open(&path), Experiment::create_or_open(&path)] {
                assert!(matches!(opened, Err(Error::Damaged { what: "schema", .. })), "{text}");
            }
        }
    }

    #[test]
    fn pipes_and_devices_are_no_experiments() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe.lw");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        for path in [pipe.as_path(), Path::new("/dev/zero"), folder.path()] {
            assert!(matches!(Experiment::open(path), Err(Error::Foreign { .. })), "{}", path.display());
            assert!(matches!(Experiment::create_or_open(path), Err(Error::Foreign { .. })));
        }
    }

    /// A journal as SQLite plays it back: its header, no pages, and the name of a further file.
    #[test]
    fn a_journal_does_not_remove_other_files() {
        let folder = tempfile::tempdir().unwrap();
        let (path, other) = (folder.path().join("x.lw"), folder.path().join("precious"));
        drop(Experiment::create_or_open(&path).unwrap());
        std::fs::write(&other, "precious").unwrap();
        let name = other.to_str().unwrap().as_bytes();
        let pages = (std::fs::metadata(&path).unwrap().len() / 4096) as u32;
        let mut journal = vec![0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7];
        for word in [0, 1, pages, 512, 4096_u32] {
            journal.extend(word.to_be_bytes());
        }
        journal.resize(512, 0);
        // The page of the lock, the name, its length, the sum of its bytes, the end.
        journal.extend(((1_u32 << 30) / 4096 + 1).to_be_bytes());
        journal.extend(name);
        journal.extend((name.len() as u32).to_be_bytes());
        journal.extend(name.iter().map(|byte| u32::from(*byte)).sum::<u32>().to_be_bytes());
        journal.extend([0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]);
        let beside = folder.path().join("x.lw-journal");
        std::fs::write(&beside, &journal).unwrap();
        for opened in [Experiment::open(&path), Experiment::create_or_open(&path)] {
            let error = opened.err().expect("refused").to_string();
            assert!(error.contains("x.lw-journal") && error.contains("remove it"), "{error}");
        }
        assert!(other.exists());
    }
}
