//! Loading debug sections: plain, compressed in either way, and from supplementary files.

use super::super::bytes::FileBytes;
use super::super::layout::{self, Elf};
use super::{Dwarf, Files, Slice};
use crate::warning::{BadSection, Warning};
use gimli::{LittleEndian, SectionId};
use object::read::{Object as _, ObjectSection as _};
use std::path::Path;
use std::sync::Arc;

/// Decompressed sections larger than this are taken for damaged. The largest programs known have debug
/// sections of a few gigabytes.
const LARGEST_SECTION: u64 = 8 << 30;
/// Compression shrinks debug sections to a third or a tenth; a section with a higher ratio than this is made
/// to fill memory. zlib's best is 1:1032, zstd's has no bound.
const LARGEST_RATIO: u64 = 200;
/// Smaller sections may have any ratio: a table of equal entries packs well.
const SMALL_SECTION: u64 = 64 << 20;

/// Whether the file has this section, under its own or its old compressed name (`.zdebug_*`).
pub(in crate::image) fn has_section(file: &Elf<'_>, name: &str) -> bool {
    // A debug file of a stripped section keeps its header without content.
    file.section_by_name(name).is_some_and(|s| s.size() > 0 && !is_empty(&s))
}

fn is_empty<'d>(section: &impl object::read::ObjectSection<'d>) -> bool {
    section.file_range().is_none_or(|(_, size)| size == 0)
}

/// The content of a section, decompressed.
pub(in crate::image) fn content<'a>(
    file: &Elf<'a>,
    name: &str,
) -> Result<std::borrow::Cow<'a, [u8]>, BadSection> {
    let Some(section) = file.section_by_name(name).filter(|s| !is_empty(s)) else {
        return Ok(std::borrow::Cow::Borrowed(&[]));
    };
    let section_name = || name.to_owned();
    let stored = section
        .compressed_data()
        .map_err(|e| BadSection::Unreadable { section: section_name(), error: e.to_string() })?;
    let length = stored.data.len() as u64;
    let claim = stored.uncompressed_size;
    let bomb = claim > SMALL_SECTION && claim / length.max(1) > LARGEST_RATIO;
    if claim > length && (claim > LARGEST_SECTION || bomb) {
        return Err(BadSection::ImpossibleSize { section: section_name() });
    }
    stored.decompress().map_err(|e| BadSection::Compressed { section: section_name(), error: e.to_string() })
}

impl Files {
    /// The section's bytes, which live as long as the files.
    fn section<'a>(&'a self, file: &Elf<'a>, name: &str) -> Result<Slice<'a>, BadSection> {
        let bytes = match content(file, name)? {
            std::borrow::Cow::Borrowed(bytes) => bytes,
            std::borrow::Cow::Owned(bytes) => self.inflated.push_get(bytes.into_boxed_slice()),
        };
        Ok(Slice::new(bytes, LittleEndian))
    }

    /// Keeps a file open as long as the debug information.
    pub(super) fn keep(&self, bytes: Arc<FileBytes>) -> &FileBytes {
        self.opened.push_get(bytes)
    }

    /// Loads the sections of `file`, by their names in split DWARF if `split`.
    pub(super) fn sections<'a>(
        &'a self,
        file: &Elf<'a>,
        split: bool,
        warnings: &mut Vec<Warning>,
    ) -> impl FnMut(SectionId) -> Result<Slice<'a>, gimli::Error> {
        move |id| {
            let name = if split { id.dwo_name() } else { Some(id.name()) };
            // Sections that are never read are not loaded: locations and macros are large, and decompressing
            // them takes time. A package's index refers to all of its sections.
            let unwanted = matches!(
                id,
                SectionId::DebugLoc
                    | SectionId::DebugLocLists
                    | SectionId::DebugMacinfo
                    | SectionId::DebugMacro
                    | SectionId::DebugNames
                    | SectionId::DebugTypes
                    | SectionId::DebugPubNames
                    | SectionId::DebugPubTypes
                    | SectionId::EhFrame
                    | SectionId::EhFrameHdr
                    | SectionId::DebugFrame
            );
            let empty = Slice::new(&[], LittleEndian);
            let Some(name) = name.filter(|_| split || !unwanted) else { return Ok(empty) };
            Ok(self.section(file, name).unwrap_or_else(|problem| {
                warnings.push(problem.into());
                empty
            }))
        }
    }
}

/// The main file's sections, with the supplementary file's when it refers to one.
pub(super) fn load<'a>(files: &'a Files, warnings: &mut Vec<Warning>) -> (Dwarf<'a>, bool) {
    let Ok(file) = layout::parse(&files.main_path, &files.main) else {
        return (Dwarf::default(), false);
    };
    let mut dwarf = Dwarf::load(files.sections(&file, false, warnings)).unwrap_or_default();
    // Units of one program often share abbreviations (`dwz`, LTO).
    dwarf.populate_abbreviations_cache(gimli::AbbreviationsCacheStrategy::Duplicates);
    let Ok(Some((name, build_id))) = file.gnu_debugaltlink() else {
        return (dwarf, false);
    };
    let name = String::from_utf8_lossy(name).into_owned();
    let Some((path, bytes)) = files.search.supplementary(&files.main_path, &name, build_id) else {
        let file = files.main_path.display().to_string();
        warnings.push(Warning::NoSupplementary { file, supplementary: name });
        return (dwarf, false);
    };
    let bytes = files.keep(bytes);
    match layout::parse(&path, bytes) {
        Ok(file) => {
            let loaded = dwarf.load_sup(files.sections(&file, false, warnings)).is_ok();
            (dwarf, loaded)
        }
        Err(problem) => {
            warnings.push(Warning::Unreadable(problem.to_string()));
            (dwarf, false)
        }
    }
}

/// Opens a further file and parses its ELF structure.
pub(super) fn open<'a>(files: &'a Files, path: &Path) -> Option<Elf<'a>> {
    let bytes = files.keep(Arc::new(FileBytes::open(path).ok()?));
    layout::parse(path, bytes).ok()
}
