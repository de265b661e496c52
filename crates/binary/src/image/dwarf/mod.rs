//! DWARF: from addresses to lines, inlined functions, definitions and compilers.
//!
//! Nothing is parsed before the first query: the table of units is built at the first query, a unit's line
//! table and functions at the first query that falls into it. Damage affects the unit that contains it, not
//! the file.
//!
//! `gimli` parses the encodings. Its companion `addr2line` was considered and not used: it is not `Sync`,
//! fails as a whole on one broken unit, recurses as deep as the file demands, and does not report statement
//! boundaries, definitions or producers.
//!
//! Source: DWARF 2 to 5; the GNU extensions for split DWARF and for supplementary files.

mod compound;
mod dies;
mod lines;
mod scopes;
pub(in crate::image) mod sections;
mod split;
mod units;

use super::bytes::FileBytes;
use super::layout::Layout;
use super::search::DebugSearch;
use crate::facts::{InlineFrame, SourceLocation, UnitFacts};
use crate::warning::Warning;
use gimli::{EndianSlice, LittleEndian};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use units::UnitTable;

pub(super) use sections::has_section;

/// The reader of all sections.
type Slice<'a> = EndianSlice<'a, LittleEndian>;
type Dwarf<'a> = gimli::Dwarf<Slice<'a>>;
type Unit<'a> = gimli::Unit<Slice<'a>>;

/// What a stretch of code was compiled from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineRow {
    /// First address.
    pub address: u64,
    /// End (exclusive).
    pub end: u64,
    /// Source file, joined with the compilation directory.
    pub file: Arc<str>,
    /// Line, 1-based; 0 when the compiler did not say.
    pub line: u32,
    /// Column, 1-based; 0 when unknown.
    pub column: u32,
    /// A recommended breakpoint: the start of a statement.
    pub is_stmt: bool,
}

/// Where an address comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Location {
    /// The line, in the innermost inlined function.
    pub location: Option<SourceLocation>,
    /// The innermost function, inlined or not (demangled).
    pub function: Option<String>,
    /// Inlined functions, innermost first; empty when nothing was inlined here.
    pub inlined: Vec<InlineFrame>,
}

/// The files that borrowed debug information needs.
pub(super) struct Files {
    /// The file with the debug sections.
    pub main: Arc<FileBytes>,
    pub main_path: PathBuf,
    /// The binary's path; packages of split DWARF are in its folder.
    pub binary_path: PathBuf,
    /// The binary's layout, to separate code from remains of discarded sections.
    pub layout: Arc<Layout>,
    /// Where to look for further files.
    pub search: DebugSearch,
    /// Further files that were opened.
    opened: elsa::sync::FrozenVec<Arc<FileBytes>>,
    /// Decompressed sections.
    inflated: elsa::sync::FrozenVec<Box<[u8]>>,
}

impl Files {
    pub(super) fn new(
        main: Arc<FileBytes>,
        main_path: &Path,
        binary_path: &Path,
        layout: Arc<Layout>,
        search: DebugSearch,
    ) -> Self {
        Self {
            main,
            main_path: main_path.to_owned(),
            binary_path: binary_path.to_owned(),
            layout,
            search,
            opened: elsa::sync::FrozenVec::new(),
            inflated: elsa::sync::FrozenVec::new(),
        }
    }
}

/// Parsed debug information, borrowed from [`Files`].
struct Parsed<'a> {
    files: &'a Files,
    dwarf: Dwarf<'a>,
    units: UnitTable<'a>,
    supplementary_units: Option<UnitTable<'a>>,
    package: split::Package<'a>,
    warnings: Vec<Warning>,
}

self_cell::self_cell!(
    /// Debug information of a module together with its files.
    pub(super) struct DebugInfo {
        owner: Files,
        #[not_covariant]
        dependent: Parsed,
    }
);

impl DebugInfo {
    /// Opens the sections and builds the table of units.
    pub(super) fn open(files: Files) -> Self {
        Self::new(files, |files| Parsed::load(files))
    }

    /// Line, function and inlining of an address.
    pub(super) fn locate(&self, address: u64) -> Location {
        self.with_dependent(|_, debug| debug.locate(address))
    }

    /// The line table of `[start, end)`.
    pub(super) fn line_rows(&self, start: u64, end: u64, into: &mut Vec<LineRow>) {
        self.with_dependent(|_, debug| debug.line_rows(start, end, into));
    }

    /// Where the function at `address` is defined.
    pub(super) fn definition(&self, address: u64) -> Option<SourceLocation> {
        self.with_dependent(|_, debug| debug.definition(address))
    }

    /// The producer of the unit that holds `address`.
    pub(super) fn producer(&self, address: u64) -> Option<&str> {
        self.with_dependent(|_, debug| {
            debug.units.at(address).find_map(|unit| debug.root(unit)?.producer.as_deref())
        })
    }

    /// The unit that holds `address`; its `producer` is left 0.
    pub(super) fn unit(&self, address: u64) -> Option<UnitFacts> {
        self.with_dependent(|_, debug| {
            debug.units.at(address).find_map(|unit| {
                let compound_numbers = debug.compound_numbers(unit);
                Some(UnitFacts { compound_numbers, ..debug.unit_facts(unit)? })
            })
        })
    }

    /// All units, each with the text of its producer.
    pub(super) fn describe(&self) -> Vec<(UnitFacts, Option<String>)> {
        self.with_dependent(|_, debug| debug.describe())
    }

    /// What could not be read.
    pub(super) fn warnings(&self) -> Vec<Warning> {
        self.with_dependent(|_, debug| {
            let missing = debug.missing_split_units();
            debug.warnings.iter().cloned().chain(missing).collect()
        })
    }
}

impl<'a> Parsed<'a> {
    fn load(files: &'a Files) -> Self {
        let mut warnings = Vec::new();
        let (dwarf, supplementary) = sections::load(files, &mut warnings);
        let units = UnitTable::build(&dwarf, &files.layout);
        let supplementary_units = supplementary.then(|| dwarf.sup().map(UnitTable::headers)).flatten();
        Self { files, dwarf, units, supplementary_units, package: split::Package::default(), warnings }
    }

    fn locate(&self, address: u64) -> Location {
        let mut found = Location::default();
        for unit in self.units.at(address) {
            let lines = self.lines(unit);
            let row = lines.and_then(|l| l.row_at(address).and_then(|row| l.location(row)));
            let chain = self.chain(unit, address);
            if row.is_none() && chain.is_empty() {
                continue;
            }
            found.location = row;
            let mut chain = chain.into_iter().peekable();
            found.function = chain.peek().and_then(|link| link.function.clone());
            while let Some(link) = chain.next() {
                // The outermost link is the function that holds the code.
                if chain.peek().is_some() {
                    let function = link.function.unwrap_or_else(|| "<unknown>".to_owned());
                    found.inlined.push(InlineFrame { function, call_site: link.call_site });
                }
            }
            break;
        }
        found
    }

    fn line_rows(&self, start: u64, end: u64, into: &mut Vec<LineRow>) {
        // A function is in one unit; in several only where the linker merged identical ones.
        for unit in self.units.at(start) {
            if let Some(lines) = self.lines(unit) {
                let before = into.len();
                lines.rows_in(start, end, into);
                if into.len() > before {
                    return;
                }
            }
        }
    }

    fn describe(&self) -> Vec<(UnitFacts, Option<String>)> {
        (0..self.units.len())
            .filter_map(|unit| Some((self.unit_facts(unit)?, self.root(unit)?.producer.clone())))
            .collect()
    }

    /// Names of a unit's complex numbers and vectors; its own entries are read once.
    fn compound_numbers(&self, unit: usize) -> Option<Vec<String>> {
        let entry = self.units.entry(unit)?;
        let names = || compound::names(&self.dwarf, self.units.unit(&self.dwarf, unit)?);
        entry.compound.get_or_init(names).clone()
    }

    fn unit_facts(&self, unit: usize) -> Option<UnitFacts> {
        let root = self.root(unit)?;
        Some(UnitFacts {
            name: root.name.clone()?,
            directory: root.directory.clone().unwrap_or_default(),
            producer: 0,
            language: root.language.clone(),
            compound_numbers: None,
        })
    }
}
