//! What the loader writes: relocations, and from them the pointers of data and the names of imports.
//!
//! Read through the dynamic section, so that binaries without section headers work too; static
//! executables have no dynamic section and keep their `IRELATIVE` entries in a section.
//!
//! Source: System V ABI, "Relocation", "Dynamic Section", "RELR"; x86-64 psABI, table 4.9.

use super::layout::Layout;
use object::elf;
use std::collections::HashMap;
use std::ops::Range;

/// What one relocated word will hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Value {
    /// An address of this module.
    Address(u64),
    /// What the resolver at this address returns.
    Resolver(u64),
    /// A dynamic symbol, plus an addend.
    Symbol { index: u32, addend: i64 },
}

/// A dynamic symbol as relocations need it.
#[derive(Clone, Debug)]
struct DynamicSymbol {
    name: String,
    /// Address in this module; absent for an import.
    address: Option<u64>,
}

/// All relocations of a module.
#[derive(Debug, Default)]
pub(super) struct Relocations {
    /// Sorted by address of the word.
    words: Vec<(u64, Value)>,
    symbols: HashMap<u32, DynamicSymbol>,
    /// `(target, word)` of all words that point into this module's code, sorted.
    code_pointers: Vec<(u64, u64)>,
}

fn word(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(at..at.checked_add(8)?)?.try_into().ok()?))
}

impl Relocations {
    /// Reads all relocations: a linear pass over the tables.
    pub(super) fn read(layout: &Layout, bytes: &[u8]) -> Self {
        let mut found = Self::default();
        let mut tables: Vec<(u64, u64)> = Vec::new();
        for (address, size) in [(elf::DT_RELA, elf::DT_RELASZ), (elf::DT_JMPREL, elf::DT_PLTRELSZ)] {
            let pair = (layout.dynamic_value(address), layout.dynamic_value(size));
            if let (Some(address), Some(size)) = pair {
                tables.push((address, size));
            }
        }
        for section in layout.sections.iter().filter(|s| s.allocated && s.kind == elf::SHT_RELA) {
            let start = section.address.start;
            if !tables.iter().any(|(a, s)| (*a..a.saturating_add(*s)).contains(&start)) {
                tables.push((start, section.address.end - start));
            }
        }
        for (address, size) in tables {
            found.read_rela(layout, bytes, address, size);
        }
        let relr = layout.dynamic_value(elf::DT_RELR).zip(layout.dynamic_value(elf::DT_RELRSZ));
        if let Some((address, size)) = relr {
            found.read_relr(layout, bytes, address, size);
        }
        found.words.sort_by_key(|(address, _)| *address);
        found.words.dedup_by_key(|(address, _)| *address);
        let words = std::mem::take(&mut found.words);
        let mut pointers: Vec<(u64, u64)> = words
            .iter()
            .filter_map(|(at, value)| Some((found.address_of(*value)?, *at)))
            .filter(|(target, _)| layout.is_executable(*target))
            .collect();
        pointers.sort_unstable();
        found.words = words;
        found.code_pointers = pointers;
        found
    }

    fn read_rela(&mut self, layout: &Layout, bytes: &[u8], address: u64, size: u64) {
        let Some(tail) = layout.file_tail(address).and_then(|r| bytes.get(r)) else { return };
        let length = usize::try_from(size).unwrap_or(usize::MAX).min(tail.len());
        for entry in tail.get(..length).unwrap_or_default().chunks_exact(24) {
            let (Some(at), Some(info), Some(addend)) = (word(entry, 0), word(entry, 8), word(entry, 16))
            else {
                continue;
            };
            let index = (info >> 32) as u32;
            let value = match elf::RelocationType(info as u32) {
                elf::R_X86_64_RELATIVE => Value::Address(addend),
                elf::R_X86_64_IRELATIVE => Value::Resolver(addend),
                elf::R_X86_64_64 | elf::R_X86_64_GLOB_DAT | elf::R_X86_64_JUMP_SLOT => {
                    self.symbols.entry(index).or_insert_with(|| dynamic_symbol(layout, bytes, index));
                    Value::Symbol { index, addend: addend as i64 }
                }
                _ => continue,
            };
            self.words.push((at, value));
        }
    }

    /// RELR: an even word is an address; an odd one is a bitmap of the 63 words that follow.
    fn read_relr(&mut self, layout: &Layout, bytes: &[u8], address: u64, size: u64) {
        let Some(tail) = layout.file_tail(address).and_then(|r| bytes.get(r)) else { return };
        let length = usize::try_from(size).unwrap_or(usize::MAX).min(tail.len());
        let mut next = 0u64;
        for entry in tail.get(..length).unwrap_or_default().chunks_exact(8) {
            let Some(value) = word(entry, 0) else { continue };
            if value & 1 == 0 {
                self.push_in_place(layout, bytes, value);
                next = value.wrapping_add(8);
            } else {
                for bit in 1..64u64 {
                    if value >> bit & 1 == 1 {
                        self.push_in_place(layout, bytes, next.wrapping_add((bit - 1) * 8));
                    }
                }
                next = next.wrapping_add(63 * 8);
            }
        }
    }

    fn push_in_place(&mut self, layout: &Layout, bytes: &[u8], at: u64) {
        if let Some(range) = layout.file_range(at, 8)
            && let Some(value) = word(bytes, range.start)
        {
            self.words.push((at, Value::Address(value)));
        }
    }

    fn address_of(&self, value: Value) -> Option<u64> {
        match value {
            Value::Address(address) => Some(address),
            Value::Resolver(_) => None,
            Value::Symbol { index, addend } => {
                Some(self.symbols.get(&index)?.address?.wrapping_add_signed(addend))
            }
        }
    }

    fn value_at(&self, at: u64) -> Option<Value> {
        let found = self.words.binary_search_by_key(&at, |(address, _)| *address).ok()?;
        self.words.get(found).map(|(_, value)| *value)
    }

    /// `Some(Some(_))`: relocated to an address of this module; `Some(None)`: to one that only the
    /// running program knows; `None`: not relocated.
    pub(super) fn pointer(&self, at: u64) -> Option<Option<u64>> {
        self.value_at(at).map(|value| self.address_of(value))
    }

    /// The symbol whose address is written to the word.
    pub(super) fn symbol(&self, at: u64) -> Option<&str> {
        match self.value_at(at)? {
            Value::Symbol { index, addend: 0 } => {
                self.symbols.get(&index).map(|s| s.name.as_str()).filter(|n| !n.is_empty())
            }
            _ => None,
        }
    }

    /// The resolver (`STT_GNU_IFUNC`) that decides what the word will hold.
    pub(super) fn resolver(&self, at: u64) -> Option<u64> {
        match self.value_at(at)? {
            Value::Resolver(address) => Some(address),
            _ => None,
        }
    }

    /// Addresses within `range` that relocated words point to, sorted and distinct.
    pub(super) fn targets_in(&self, range: Range<u64>) -> Vec<u64> {
        let from = self.code_pointers.partition_point(|(target, _)| *target < range.start);
        let mut targets: Vec<u64> = self.code_pointers[from..]
            .iter()
            .map(|(target, _)| *target)
            .take_while(|target| *target < range.end)
            .collect();
        targets.dedup();
        targets
    }
}

fn dynamic_symbol(layout: &Layout, bytes: &[u8], index: u32) -> DynamicSymbol {
    let read = || -> Option<DynamicSymbol> {
        let table = layout.dynamic_value(elf::DT_SYMTAB)?;
        let at = table.checked_add(u64::from(index).checked_mul(24)?)?;
        let entry = bytes.get(layout.file_range(at, 24)?)?;
        let name_offset = u32::from_le_bytes(entry.get(..4)?.try_into().ok()?);
        let section = u16::from_le_bytes(entry.get(6..8)?.try_into().ok()?);
        let name = string_at(layout, bytes, u64::from(name_offset)).unwrap_or_default();
        let address = (section != 0).then(|| word(entry, 8)).flatten();
        Some(DynamicSymbol { name, address })
    };
    read().unwrap_or(DynamicSymbol { name: String::new(), address: None })
}

/// A string of the dynamic string table.
pub(super) fn string_at(layout: &Layout, bytes: &[u8], offset: u64) -> Option<String> {
    /// A longer string is not a name: the file is damaged.
    const LONGEST: usize = 64 * 1024;
    let table = layout.dynamic_value(elf::DT_STRTAB)?;
    let tail = bytes.get(layout.file_tail(table.checked_add(offset)?)?)?;
    let length = tail.iter().take(LONGEST).position(|b| *b == 0)?;
    Some(String::from_utf8_lossy(tail.get(..length)?).into_owned())
}

/// Words of a position-dependent program's data that look like pointers to its code: nothing marks them, so a
/// word counts only when a neighbour points into the same range.
#[derive(Debug, Default)]
pub(super) struct DataPointers {
    /// `(target, word)`, sorted.
    pointers: Vec<(u64, u64)>,
}

impl DataPointers {
    /// Scans all data that is not code.
    pub(super) fn scan(layout: &Layout, bytes: &[u8]) -> Self {
        let code: Vec<&super::layout::Segment> = layout.segments.iter().filter(|s| s.executable).collect();
        let lowest = code.iter().map(|s| s.address.start).min().unwrap_or(0);
        let highest = code.iter().map(|s| s.address.end).max().unwrap_or(0);
        let areas: Vec<(u64, Range<usize>)> = if layout.sections.iter().any(|s| s.allocated) {
            let data = |s: &&super::layout::Section| {
                s.allocated && !s.executable && s.kind != elf::SHT_NOBITS && is_data(&s.name)
            };
            layout.sections.iter().filter(data).map(|s| (s.address.start, s.file.clone())).collect()
        } else {
            let data = layout.segments.iter().filter(|s| !s.executable);
            data.map(|s| (s.address.start, s.file.clone())).collect()
        };
        let mut pointers = Vec::new();
        for (address, file) in areas {
            let skip = (address.wrapping_neg() & 7) as usize;
            let Some(area) = bytes.get(file).and_then(|a| a.get(skip..)) else { continue };
            for (index, chunk) in area.chunks_exact(8).enumerate() {
                let Some(target) = word(chunk, 0) else { continue };
                if target >= lowest && target < highest && layout.is_code(target) {
                    pointers.push((target, address.wrapping_add((skip + index * 8) as u64)));
                }
            }
        }
        pointers.sort_unstable();
        Self { pointers }
    }

    /// Addresses within `range` that at least two neighbouring words point to or near.
    pub(super) fn targets_in(&self, range: Range<u64>) -> Vec<u64> {
        let from = self.pointers.partition_point(|(target, _)| *target < range.start);
        let inside: Vec<(u64, u64)> =
            self.pointers[from..].iter().take_while(|(target, _)| *target < range.end).copied().collect();
        let mut words: Vec<u64> = inside.iter().map(|(_, at)| *at).collect();
        words.sort_unstable();
        let is_word = |at: u64| words.binary_search(&at).is_ok();
        let mut targets: Vec<u64> = inside
            .iter()
            .filter(|(_, at)| is_word(at.wrapping_add(8)) || is_word(at.wrapping_sub(8)))
            .map(|(target, _)| *target)
            .collect();
        targets.dedup();
        targets
    }
}

/// Sections that may hold pointers of the program; the linker's own tables do not.
fn is_data(name: &str) -> bool {
    [".data", ".rodata", ".ldata", ".lrodata", ".init_array", ".fini_array", ".tdata"]
        .iter()
        .any(|prefix| name.starts_with(prefix))
}
