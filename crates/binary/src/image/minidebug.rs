//! The compressed symbol table that some distributions leave in stripped programs
//! (`.gnu_debugdata`).
//!
//! Source: GDB manual, "MiniDebugInfo".

use super::layout::Elf;
use object::read::{Object as _, ObjectSection as _};
use std::io::Read as _;

/// Larger tables are taken for damaged: this one holds symbols only.
const LARGEST: u64 = 1 << 30;
/// Compression shrinks symbol tables to a fifth; a table with a higher ratio than this is made to fill memory.
const LARGEST_RATIO: u64 = 200;
/// Smaller tables may have any ratio.
const SMALL: u64 = 16 << 20;
/// Memory for the decoder's dictionary, in KiB: xz's highest preset takes 64 MiB.
const DICTIONARY_KIB: u32 = 256 * 1024;

/// The embedded ELF file, if there is one.
pub(super) fn decompress(file: &Elf<'_>) -> Option<Vec<u8>> {
    let section = file.section_by_name(".gnu_debugdata")?;
    let stored = section.data().ok()?;
    let mut bytes = Vec::new();
    let reader = lzma_rust2::XzReader::new_mem_limit(stored, true, DICTIONARY_KIB);
    let limit = (stored.len() as u64 * LARGEST_RATIO).clamp(SMALL, LARGEST);
    reader.take(limit + 1).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 <= limit).then_some(bytes)
}
