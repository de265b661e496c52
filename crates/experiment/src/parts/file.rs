//! The form of a part: a plain file that one process writes at once. An SQLite file of all tables would be ten times as large
//! as what a rank has to say, and would need locks and syncs for each rank.
//!
//! Magic, length of the head, the head (deflated JSON: [`Head`]), then the pieces of all runs, one behind the other.

use super::process::fnv;
use crate::pieces::{Piece, Pieces, RunId, deflate, inflate, json};
use crate::{Collected, Error, MachineRecord, Wanted};
use loopwright_files::regular;
use loopwright_sample::recording::Target;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::path::Path;

const MAGIC: [u8; 8] = *b"LWPART\x01\n";
/// Form of the head; a newer one is refused.
const FORM: u32 = 1;
/// A part holds at most the counts of a large program.
const LARGEST: u64 = 1 << 32;

/// What a part holds, but for the bytes of its pieces.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Head {
    pub form: u32,
    /// The node whose machine it ran on.
    pub node: String,
    pub runs: Vec<StoredRun>,
}

/// A row of the table of runs, what it wants to know of its binaries, and its pieces.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct StoredRun {
    pub kind: String,
    pub created: f64,
    /// Form of the target.
    pub form: u32,
    /// JSON.
    pub target: String,
    pub job: Option<String>,
    pub rank: Option<u32>,
    pub size: Option<u32>,
    pub samples: i64,
    pub wanted: Vec<Wanted>,
    /// Form of the pieces.
    pub pieces_form: u32,
    pub pieces: Vec<StoredPiece>,
}

/// A piece, but for its bytes.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct StoredPiece {
    pub name: String,
    pub position: i64,
    /// Bytes in the part.
    pub length: u64,
    /// It is not in the part but in a file that other ranks refer to, too: the hash of its content.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub common: Option<u64>,
}

/// What a rank has collected so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Content {
    pub head: Head,
    pub pieces: Vec<u8>,
    /// Pieces that other ranks mostly have, too, by their hashes.
    pub common: Vec<(u64, Vec<u8>)>,
}

impl Content {
    pub fn new(node: &str) -> Self {
        Self { head: Head { form: FORM, node: node.to_owned(), runs: Vec::new() }, ..Self::default() }
    }

    /// Adds a run; its number within the part.
    pub fn add<T: Collected>(&mut self, facts: &T, target: &Target) -> RunId {
        let mut pieces = Pieces::new(T::FORM);
        facts.pack(&mut pieces);
        let rank = target.rank.as_ref();
        let mut run = StoredRun {
            kind: T::KIND.to_owned(),
            created: crate::run::now(),
            form: crate::run::FORM,
            target: json(&Some(target)),
            job: rank.map(|rank| rank.job.clone()),
            rank: rank.map(|rank| rank.rank),
            size: rank.map(|rank| rank.size),
            samples: facts.samples() as i64,
            pieces_form: T::FORM,
            ..StoredRun::default()
        };
        for Piece { name, position, packed, common } in pieces.into_pieces() {
            let mut piece = StoredPiece { name: name.to_owned(), position, ..StoredPiece::default() };
            if common {
                let hash = fnv(&packed);
                piece.common = Some(hash);
                self.common.push((hash, packed));
            } else {
                piece.length = packed.len() as u64;
                self.pieces.extend(packed);
            }
            run.pieces.push(piece);
        }
        self.head.runs.push(run);
        self.head.runs.len() as RunId
    }

    /// What a run wants to know of its binaries.
    pub fn want(&mut self, run: RunId, wanted: Vec<Wanted>) {
        let at = usize::try_from(run).ok().and_then(|run| run.checked_sub(1));
        if let Some(run) = at.and_then(|at| self.head.runs.get_mut(at)) {
            run.wanted = wanted;
        }
    }

    pub fn to_bytes(&self) -> Vec<u8> {
        let head = deflate(&self.head);
        let mut bytes = MAGIC.to_vec();
        bytes.extend((head.len() as u64).to_le_bytes());
        bytes.extend(head);
        bytes.extend(&self.pieces);
        bytes
    }

    /// Reads a part; it may be damaged or hostile.
    pub fn read(path: &Path) -> Result<Self, Error> {
        Self::parse(&read(path)?, path)
    }

    fn parse(bytes: &[u8], path: &Path) -> Result<Self, Error> {
        let damaged =
            |detail: String| Error::Damaged { path: path.to_owned(), what: "part of a rank", detail };
        let body =
            bytes.strip_prefix(&MAGIC).ok_or_else(|| damaged("it does not begin as one".to_owned()))?;
        let cut = || damaged("it is cut off".to_owned());
        let (length, body) = body.split_first_chunk().ok_or_else(cut)?;
        let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_| cut())?;
        let (head, pieces) = body.split_at_checked(length).ok_or_else(cut)?;
        let head: Head = inflate(head).map_err(damaged)?;
        if head.form > FORM {
            let (what, found, known) = ("part of a rank", head.form, FORM);
            return Err(Error::NewerForm { path: path.to_owned(), what, found, known });
        }
        let mut left = pieces.len() as u64;
        for piece in head.runs.iter().flat_map(|run| &run.pieces) {
            left = left.checked_sub(piece.length).ok_or_else(cut)?;
        }
        if left != 0 {
            return Err(damaged("there is more than its head says".to_owned()));
        }
        Ok(Self { head, pieces: pieces.to_vec(), common: Vec::new() })
    }
}

/// The machine of a node, and the process that described it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct NodeMachine {
    pub process: String,
    pub record: Option<MachineRecord>,
}

/// Writes a value, deflated, under a name that is complete or not there.
pub(super) fn write_value(path: &Path, value: &impl Serialize) -> Result<(), Error> {
    write(path, &deflate(value))
}

/// Writes a file that is complete or not there.
pub(super) fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let partial = super::names::partial(path);
    let written = std::fs::write(&partial, bytes).and_then(|()| std::fs::rename(&partial, path));
    written.map_err(|source| {
        let _ = std::fs::remove_file(&partial);
        Error::Io { path: path.to_owned(), source }
    })
}

/// Reads a file that is not hostile by its size.
pub(super) fn read(path: &Path) -> Result<Vec<u8>, Error> {
    regular::read(path, LARGEST).map_err(|source| Error::Io { path: path.to_owned(), source })
}

/// Reads such a value.
pub(super) fn read_value<T: DeserializeOwned>(path: &Path, what: &'static str) -> Result<T, Error> {
    inflate(&read(path)?).map_err(|detail| Error::Damaged { path: path.to_owned(), what, detail })
}

#[cfg(test)]
mod tests {
    use super::*;
    use loopwright_sample::recording::Recording;

    fn content() -> Content {
        let mut content = Content::new("0123456789abcdef");
        let run = content.add(&Recording::default(), &Target::default());
        content.want(run, vec![Wanted { path: "/bin/a".into(), all: [5].into(), ..Wanted::default() }]);
        content.want(99, Vec::new());
        content
    }

    #[test]
    fn a_part_comes_back_and_a_damaged_one_is_an_error() {
        let path = Path::new("rank-0.part");
        let bytes = content().to_bytes();
        let back = Content::parse(&bytes, path).unwrap();
        assert_eq!(back.to_bytes(), bytes);
        assert_eq!(back.head.runs[0].wanted[0].path, "/bin/a");
        for length in 0..bytes.len() {
            let error = Content::parse(&bytes[..length], path).unwrap_err().to_string();
            assert!(error.contains("rank-0.part"), "{error}");
        }
        let longer = [bytes.as_slice(), &[0]].concat();
        assert!(matches!(Content::parse(&longer, path), Err(Error::Damaged { .. })));
        // Any byte may change: it is another part, or an error.
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 0x55;
            let _ = Content::parse(&changed, path);
        }
        let mut newer = content();
        newer.head.form = FORM + 1;
        assert!(matches!(Content::parse(&newer.to_bytes(), path), Err(Error::NewerForm { .. })));
    }

    #[test]
    fn a_file_appears_when_it_is_complete() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("node-1.code");
        write_value(&path, &vec![1, 2]).unwrap();
        assert_eq!(read_value::<Vec<u32>>(&path, "code").unwrap(), [1, 2]);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
        assert!(write_value(&folder.path().join("no/such"), &1).is_err());
    }
}
