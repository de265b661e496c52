//! Pieces: named blobs of a run's facts, each with the version of its form.
//!
//! A piece is JSON, deflated (structured facts are verbose and repetitive), or packed columns. Large facts are divided into
//! many pieces, so that neither writing nor reading needs all of them as text at once. A form that is newer than the one
//! that this version knows is refused: a renamed field must not read as an absent one.

use crate::{Error, Experiment};
use flate2::{Compression, read::DeflateDecoder, write::DeflateEncoder};
use loopwright_sample::recording::Target;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, params};
use serde::{Serialize, de::DeserializeOwned};
use std::io::{Read, Write};

/// Number of a run within its experiment.
pub type RunId = i64;

/// Upper bound of one decompressed value: a damaged or hostile file must not exhaust memory.
const LARGEST_VALUE: u64 = 1 << 29;
/// The values of experiments unpack to 3 to 25 times their size; one that unpacks to more than this many times its size is made to fill memory.
const LARGEST_RATIO: u64 = 250;
/// Small ones may: a run of equal facts packs well.
const SMALL_VALUE: u64 = 32 << 20;

/// Text up to this is packed as small as it can be, which takes about a millisecond.
const SMALL_TEXT: usize = 32 << 10;

/// JSON, deflated.
pub(crate) fn deflate(value: &impl Serialize) -> Vec<u8> {
    // At once, not through the encoder piece by piece: each of JSON's tiny writes would cost a call into it.
    let text = serde_json::to_vec(value).expect("plain data serialises");
    // Small values are those of which there are many: one for each rank.
    let level = if text.len() < SMALL_TEXT { Compression::best() } else { Compression::fast() };
    let mut encoder = DeflateEncoder::new(Vec::new(), level);
    encoder.write_all(&text).and_then(|()| encoder.finish()).expect("memory can be written")
}

pub(crate) fn inflate<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, String> {
    let limit = (bytes.len() as u64 * LARGEST_RATIO).clamp(SMALL_VALUE, LARGEST_VALUE);
    let mut text = Vec::new();
    DeflateDecoder::new(bytes).take(limit + 1).read_to_end(&mut text).map_err(|e| e.to_string())?;
    if text.len() as u64 > limit {
        return Err("it unpacks to more than such a value can hold".to_owned());
    }
    serde_json::from_slice(&text).map_err(|e| e.to_string())
}

pub(crate) fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("plain data serialises")
}

/// The pieces of a run that is being stored.
pub struct Pieces {
    form: u32,
    pieces: Vec<Piece>,
}

/// A named blob.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    pub name: &'static str,
    pub position: i64,
    pub packed: Vec<u8>,
    /// The ranks of a job mostly have the same one.
    pub common: bool,
}

impl Pieces {
    pub(crate) fn new(form: u32) -> Self {
        Self { form, pieces: Vec::new() }
    }

    /// Adds a value; values of one name are read in the order of their positions.
    pub fn json(&mut self, name: &'static str, position: i64, value: &impl Serialize) {
        self.bytes(name, position, deflate(value));
    }

    /// Adds a value that the ranks of a job mostly have in common: it is stored once for all of them.
    pub fn common(&mut self, name: &'static str, position: i64, value: &impl Serialize) {
        self.pieces.push(Piece { name, position, packed: deflate(value), common: true });
    }

    /// Adds packed columns.
    pub fn bytes(&mut self, name: &'static str, position: i64, packed: Vec<u8>) {
        self.pieces.push(Piece { name, position, packed, common: false });
    }

    pub(crate) fn into_pieces(self) -> Vec<Piece> {
        self.pieces
    }

    pub(crate) fn write(&self, connection: &Connection, run: RunId) -> rusqlite::Result<()> {
        let mut insert = connection.prepare(
            "INSERT OR REPLACE INTO piece (run, name, position, form, packed) VALUES (?1, ?2, ?3, ?4, ?5)",
        )?;
        for Piece { name, position, packed, .. } in &self.pieces {
            insert.execute(params![run, name, position, self.form, packed])?;
        }
        Ok(())
    }
}

/// The stored pieces of a run.
pub struct Stored<'a> {
    experiment: &'a Experiment,
    run: RunId,
    kind: &'static str,
    form: u32,
}

impl<'a> Stored<'a> {
    pub(crate) fn of(experiment: &'a Experiment, run: RunId, kind: &'static str, form: u32) -> Self {
        Self { experiment, run, kind, form }
    }

    /// The command of the run.
    pub fn target(&self) -> Result<Target, Error> {
        self.experiment.target(self.run)
    }

    /// A value that every run of this kind has.
    pub fn json<V: DeserializeOwned>(&self, name: &'static str) -> Result<V, Error> {
        self.optional(name)?.ok_or_else(|| self.damaged(name, "it is missing"))
    }

    /// A value that only some runs have.
    pub fn optional<V: DeserializeOwned>(&self, name: &'static str) -> Result<Option<V>, Error> {
        let mut value = None;
        self.each(name, |_, found| {
            value = Some(found);
            Ok(())
        })?;
        Ok(value)
    }

    /// All values of one name, with their positions.
    pub fn each<V: DeserializeOwned>(
        &self,
        name: &'static str,
        mut use_it: impl FnMut(i64, V) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.read(name, |position, packed| {
            let value = match packed {
                // Format 5 and earlier held small values as text.
                ValueRef::Text(text) => serde_json::from_slice(text).map_err(|e| e.to_string()),
                ValueRef::Blob(packed) => inflate(packed),
                _ => Err("it is neither text nor a blob".to_owned()),
            };
            use_it(position, value.map_err(|e| self.damaged(name, e))?)
        })
    }

    /// All packed columns of one name.
    pub fn bytes(
        &self,
        name: &'static str,
        mut use_them: impl FnMut(&[u8]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.read(name, |_, packed| match packed {
            ValueRef::Blob(packed) => use_them(packed),
            _ => Err(self.damaged(name, "they are not a blob")),
        })
    }

    fn read(
        &self,
        name: &'static str,
        mut use_it: impl FnMut(i64, ValueRef<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let sqlite = |e| self.experiment.sqlite(e);
        let mut query = self
            .experiment
            .connection
            .prepare_cached(
                "SELECT form, position, packed FROM piece WHERE run = ?1 AND name = ?2 ORDER BY position",
            )
            .map_err(sqlite)?;
        let mut rows = query.query(params![self.run, name]).map_err(sqlite)?;
        while let Some(row) = rows.next().map_err(sqlite)? {
            self.experiment.must_be_known(self.kind, row.get(0).map_err(sqlite)?, self.form)?;
            let position = row.get(1).map_err(sqlite)?;
            match row.get_ref(2).map_err(sqlite)? {
                // One that several runs share.
                ValueRef::Integer(id) => {
                    let shared = self.experiment.shared(id)?;
                    use_it(position, ValueRef::from(&shared))?;
                }
                own => use_it(position, own)?,
            }
        }
        Ok(())
    }

    /// The error for a piece that does not decode or cannot be true.
    pub fn damaged(&self, name: &str, why: impl std::fmt::Display) -> Error {
        self.experiment.damaged(self.kind, format!("{name}: {why}"))
    }
}
