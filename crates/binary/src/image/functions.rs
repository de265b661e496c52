//! The functions of a module: symbols of all tables and, where they are missing, unwind entries,
//! joined into one table without duplicates.
//!
//! Names are demangled one by one when needed: a large C++ library has several hundred thousand.

use super::cold;
use super::layout::{Elf, Layout};
use super::names;
use super::unwind::{Frame, UnwindTable};
use crate::facts::{FunctionInfo, FunctionOrigin};
use object::LittleEndian as LE;
use object::elf;
use object::read::elf::{Sym as _, SymbolTable};
use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

/// A function before its name is demangled.
#[derive(Debug)]
struct Entry {
    linkage_name: Option<String>,
    address: u64,
    end: u64,
    parts: Vec<(u64, u64)>,
    origin: FunctionOrigin,
    info: OnceLock<FunctionInfo>,
}

/// All functions of a module.
#[derive(Debug, Default)]
pub(super) struct FunctionTable {
    /// Sorted by address.
    entries: Vec<Entry>,
    /// Disjoint `(start, end, entry)`, sorted; the innermost of nested functions wins.
    ranges: Vec<(u64, u64, u32)>,
    /// Addresses of all symbols in code, labels too, sorted.
    labels: Vec<u64>,
    all: OnceLock<Vec<FunctionInfo>>,
    unnamed: OnceLock<Vec<FunctionInfo>>,
}

/// A symbol that may name a function.
#[derive(Debug)]
pub(super) struct Symbol {
    name: String,
    address: u64,
    size: u64,
    /// Typed as a function; else an untyped label.
    function: bool,
    global: bool,
    weak: bool,
    /// Number of the `STT_FILE` symbol that precedes a local symbol.
    unit: u32,
    origin: FunctionOrigin,
}

/// A further name of a function.
#[derive(Debug)]
struct Alias {
    unit: u32,
    name: String,
    /// Index of the function in the table.
    index: usize,
}

/// Reads the symbols of `.symtab` or `.dynsym` that may name functions.
pub(super) fn symbols(file: &Elf<'_>, origin: FunctionOrigin, layout: &Layout, into: &mut Vec<Symbol>) {
    let table: &SymbolTable<'_, _, _> = match origin {
        FunctionOrigin::Dynsym => file.elf_dynamic_symbol_table(),
        _ => file.elf_symbol_table(),
    };
    let mut unit = 0u32;
    for symbol in table.iter() {
        let kind = symbol.st_type();
        if kind == elf::STT_FILE {
            unit = unit.saturating_add(1);
            continue;
        }
        let function = kind == elf::STT_FUNC || kind == elf::STT_GNU_IFUNC;
        if !function && kind != elf::STT_NOTYPE {
            continue;
        }
        if symbol.is_undefined(LE) || symbol.st_shndx(LE) == elf::SHN_ABS {
            continue;
        }
        let address = symbol.st_value(LE);
        if !layout.is_code(address) {
            continue;
        }
        let Ok(name) = table.symbol_name(LE, symbol) else { continue };
        if name.is_empty() || name.starts_with(b".L") || name.starts_with(b"$") {
            continue;
        }
        let binding = symbol.st_bind();
        into.push(Symbol {
            name: String::from_utf8_lossy(name).into_owned(),
            address,
            size: symbol.st_size(LE),
            function,
            global: binding != elf::STB_LOCAL,
            weak: binding == elf::STB_WEAK,
            unit: if binding == elf::STB_LOCAL { unit } else { 0 },
            origin,
        });
    }
}

/// Smaller is better: which of several names of one address a reader knows best.
fn preference(symbol: &Symbol) -> (bool, bool, bool, bool, usize, usize, &str) {
    let underscores = symbol.name.bytes().take_while(|b| *b == b'_').count();
    // Mangled names start with one or two underscores.
    let mangled = symbol.name.starts_with("_Z") || symbol.name.starts_with("_R");
    (
        !symbol.function,
        !symbol.global,
        symbol.weak && symbol.name.starts_with("__"),
        symbol.name.contains(['.', '@']),
        if mangled { 0 } else { underscores },
        symbol.name.len(),
        &symbol.name,
    )
}

impl FunctionTable {
    /// Joins symbols, unwind entries and the addresses that the loader itself calls.
    pub(super) fn build(
        mut symbols: Vec<Symbol>,
        unwind: &UnwindTable,
        layout: &Layout,
        bytes: &[u8],
    ) -> Self {
        symbols.sort_by(|a, b| a.address.cmp(&b.address).then_with(|| preference(a).cmp(&preference(b))));
        let mut starts: Vec<u64> = symbols.iter().filter(|s| s.function).map(|s| s.address).collect();
        starts.extend(unwind.frames.iter().map(|f| f.start));
        starts.sort_unstable();
        starts.dedup();
        let bounds = Bounds { starts, unwind, layout };

        let mut table = Self { labels: symbols.iter().map(|s| s.address).collect(), ..Self::default() };
        table.labels.dedup();
        let mut cold: Vec<(Symbol, u64)> = Vec::new();
        let mut units: Vec<u32> = Vec::new();
        let mut labels: Vec<Symbol> = Vec::new();
        let mut others: Vec<Alias> = Vec::new();
        let mut last = None;
        for symbol in symbols {
            if !symbol.function {
                labels.push(symbol);
                continue;
            }
            if last == Some(symbol.address) {
                // Another name of the same function, by which its cold part may be called.
                let function = table
                    .entries
                    .len()
                    .checked_sub(1)
                    .filter(|&k| table.entries[k].address == symbol.address);
                others.extend(function.map(|index| Alias { unit: symbol.unit, name: symbol.name, index }));
                continue;
            }
            last = Some(symbol.address);
            let end = bounds.end(symbol.address, symbol.size);
            if names::split_parent(&symbol.name).is_some() {
                cold.push((symbol, end));
            } else {
                units.push(symbol.unit);
                table.push(Some(symbol.name), symbol.address, end, symbol.origin);
            }
        }
        table.attach_cold(cold, &units, others);
        table.index();
        table.add_labels(labels, &bounds);
        table.add_frames(&bounds, bytes);
        table.add_entry_points(&bounds);
        table.entries.sort_by_key(|e| e.address);
        table.index();
        table
    }

    fn push(&mut self, name: Option<String>, address: u64, end: u64, origin: FunctionOrigin) {
        self.entries.push(Entry {
            linkage_name: name,
            address,
            end,
            parts: Vec::new(),
            origin,
            info: OnceLock::new(),
        });
    }

    /// Gives split-off cold code to its function: the one of that name in the same source file,
    /// since static functions of several files may share a name. A function may have `others`.
    fn attach_cold(&mut self, cold: Vec<(Symbol, u64)>, units: &[u32], others: Vec<Alias>) {
        // Only names that are requested below are put into the table.
        let wanted: HashSet<&str> = cold.iter().filter_map(|(s, _)| names::split_parent(&s.name)).collect();
        let mut by_name: HashMap<(u32, String), usize> = HashMap::new();
        for Alias { unit, name, index } in others {
            if wanted.contains(name.as_str()) {
                by_name.insert((unit, name), index);
            }
        }
        for (index, entry) in self.entries.iter().enumerate() {
            if let (Some(name), Some(unit)) = (&entry.linkage_name, units.get(index))
                && wanted.contains(name.as_str())
            {
                by_name.insert((*unit, name.clone()), index);
            }
        }
        for (symbol, end) in cold {
            let parent = names::split_parent(&symbol.name).unwrap_or_default().to_owned();
            let local = by_name.get(&(symbol.unit, parent.clone()));
            let found = local.or_else(|| by_name.get(&(0, parent))).copied();
            match found.and_then(|index| self.entries.get_mut(index)) {
                Some(entry) => entry.parts.push((symbol.address, end)),
                None => self.push(Some(symbol.name), symbol.address, end, symbol.origin),
            }
        }
    }

    /// Untyped labels name functions of hand-written assembly: global ones, and local ones that the
    /// unwind tables confirm, outside of any typed function.
    fn add_labels(&mut self, labels: Vec<Symbol>, bounds: &Bounds<'_>) {
        let mut last = None;
        let starts: Vec<u64> = labels.iter().filter(|s| s.global).map(|s| s.address).collect();
        for symbol in labels {
            let address = symbol.address;
            let confirmed = symbol.global || bounds.unwind.frame_at(address).is_some();
            if !confirmed || last == Some(address) || self.find(address).is_some() {
                continue;
            }
            last = Some(address);
            let mut end = bounds.end(address, symbol.size);
            if symbol.size == 0 && bounds.unwind.frame_at(address).is_none() {
                let next = starts.partition_point(|s| *s <= address);
                end = starts.get(next).map_or(end, |next| end.min(*next));
            }
            self.push(Some(symbol.name), address, end, symbol.origin);
        }
        self.index();
    }

    /// Functions that only the unwind tables list, and their cold parts.
    fn add_frames(&mut self, bounds: &Bounds<'_>, bytes: &[u8]) {
        let mut end_of_last = 0;
        let mut cold: Vec<Frame> = Vec::new();
        for frame in &bounds.unwind.frames {
            let in_stubs = bounds.layout.is_linkage_stub(frame.start);
            if frame.start < end_of_last || in_stubs || self.find(frame.start).is_some() {
                continue;
            }
            end_of_last = frame.end;
            let end = bounds.end(frame.start, frame.end - frame.start);
            if frame.continues {
                cold.push(Frame { end, ..*frame });
            } else {
                self.push(None, frame.start, end, FunctionOrigin::Unwind);
            }
        }
        self.index();
        let parents = cold::parents(&cold, bounds.layout, bytes, |address| self.find(address));
        for (frame, parent) in cold.iter().zip(parents) {
            match parent.and_then(|index| self.entries.get_mut(index)) {
                Some(entry) => entry.parts.push((frame.start, frame.end)),
                None => self.push(None, frame.start, frame.end, FunctionOrigin::Unwind),
            }
        }
        self.index();
    }

    /// The entry point, `DT_INIT` and `DT_FINI`, when nothing else names them.
    fn add_entry_points(&mut self, bounds: &Bounds<'_>) {
        let layout = bounds.layout;
        let init = layout.dynamic_value(elf::DT_INIT);
        let fini = layout.dynamic_value(elf::DT_FINI);
        for (address, name) in [(Some(layout.entry), "_start"), (init, "_init"), (fini, "_fini")] {
            let Some(address) = address else { continue };
            if address == 0 || !layout.is_code(address) || self.find(address).is_some() {
                continue;
            }
            self.push(Some(name.to_owned()), address, bounds.end(address, 0), FunctionOrigin::Inferred);
        }
    }

    /// Rebuilds `ranges` from entries and their parts.
    fn index(&mut self) {
        let mut spans: Vec<(u64, u64, u32)> = Vec::with_capacity(self.entries.len());
        for (index, entry) in self.entries.iter().enumerate() {
            let index = u32::try_from(index).unwrap_or(u32::MAX);
            spans.push((entry.address, entry.end, index));
            spans.extend(entry.parts.iter().map(|(start, end)| (*start, *end, index)));
        }
        self.ranges = flatten(spans);
    }

    fn find(&self, address: u64) -> Option<usize> {
        let after = self.ranges.partition_point(|(start, _, _)| *start <= address);
        let (_, end, index) = self.ranges.get(after.checked_sub(1)?)?;
        (address < *end).then_some(*index as usize)
    }

    /// Index of the function whose code holds `address`.
    pub(super) fn at(&self, address: u64) -> Option<usize> {
        self.find(address)
    }

    /// Index of the function that starts at `address`.
    pub(super) fn starting_at(&self, address: u64) -> Option<usize> {
        self.entries.binary_search_by_key(&address, |e| e.address).ok()
    }

    /// Addresses of all symbols in code, labels too, sorted.
    pub(super) fn labels(&self) -> &[u64] {
        &self.labels
    }

    /// Number of functions.
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Bounds of a function: the main range first, then its parts.
    pub(super) fn spans(&self, index: usize) -> impl Iterator<Item = (u64, u64)> + '_ {
        let entry = self.entries.get(index);
        entry.into_iter().flat_map(|e| std::iter::once((e.address, e.end)).chain(e.parts.iter().copied()))
    }

    /// A function's name as the linker spells it.
    pub(super) fn linkage_name(&self, index: usize) -> Option<&str> {
        self.entries.get(index)?.linkage_name.as_deref()
    }

    /// One function, with its name demangled.
    pub(super) fn info(&self, index: usize) -> Option<&FunctionInfo> {
        if let Some(all) = self.all.get() {
            return all.get(index);
        }
        let entry = self.entries.get(index)?;
        Some(entry.info.get_or_init(|| entry.describe()))
    }

    /// All functions, their names left empty.
    pub(super) fn unnamed(&self) -> &[FunctionInfo] {
        let bare = |entry: &Entry| FunctionInfo {
            name: String::new(),
            linkage_name: entry.linkage_name.clone(),
            address: entry.address,
            end: entry.end,
            parts: entry.parts.clone(),
            origin: entry.origin,
        };
        self.unnamed.get_or_init(|| self.entries.iter().map(bare).collect())
    }

    /// All functions; demangles them all.
    pub(super) fn all(&self) -> &[FunctionInfo] {
        self.all.get_or_init(|| describe_all(&self.entries))
    }
}

/// Describes all entries on all processors: C++ names take microseconds each.
fn describe_all(entries: &[Entry]) -> Vec<FunctionInfo> {
    /// Starting a thread takes as long as demangling some tens of names.
    const FEWEST: usize = 1024;
    let known = |e: &Entry| e.info.get().cloned().unwrap_or_else(|| e.describe());
    let describe = |entries: &[Entry]| entries.iter().map(known).collect::<Vec<_>>();
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    let share = entries.len().div_ceil(threads).max(FEWEST);
    let (mine, others) = entries.split_at(share.min(entries.len()));
    std::thread::scope(|scope| {
        let workers: Vec<_> = others.chunks(share).map(|part| scope.spawn(move || describe(part))).collect();
        let mut all = describe(mine);
        for worker in workers {
            all.extend(worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        all
    })
}

impl Entry {
    fn describe(&self) -> FunctionInfo {
        FunctionInfo {
            name: match &self.linkage_name {
                Some(name) => names::demangle(name),
                None => format!("func@{:#x}", self.address),
            },
            linkage_name: self.linkage_name.clone(),
            address: self.address,
            end: self.end,
            parts: self.parts.clone(),
            origin: self.origin,
        }
    }
}

/// Finds where functions end.
struct Bounds<'a> {
    /// Starts of typed symbols and unwind entries, sorted.
    starts: Vec<u64>,
    unwind: &'a UnwindTable,
    layout: &'a Layout,
}

impl Bounds<'_> {
    /// The end by the symbol's size, else by the unwind entry, else by the next function; never
    /// beyond the section. A start at the end of its section yields an empty range.
    fn end(&self, start: u64, size: u64) -> u64 {
        let limit = self.layout.code_end(start).unwrap_or(start);
        let end = if size > 0 {
            start.saturating_add(size)
        } else if let Some(frame) = self.unwind.frame_at(start) {
            frame.end
        } else {
            let next = self.starts.partition_point(|s| *s <= start);
            self.starts.get(next).copied().unwrap_or(u64::MAX)
        };
        end.min(limit).max(start)
    }
}

/// Makes spans disjoint: the one that starts last wins, and its surroundings resume after it.
fn flatten(mut spans: Vec<(u64, u64, u32)>) -> Vec<(u64, u64, u32)> {
    spans.sort_by_key(|(start, end, _)| (*start, std::cmp::Reverse(*end)));
    let mut flat = Vec::with_capacity(spans.len());
    let mut open: Vec<(u64, u32)> = Vec::new();
    let mut at = 0u64;
    let mut emit = |from: u64, to: u64, index: u32| {
        if from < to {
            flat.push((from, to, index));
        }
    };
    for (start, end, index) in spans {
        while let Some(&(open_end, open_index)) = open.last() {
            if open_end > start {
                break;
            }
            emit(at, open_end, open_index);
            at = at.max(open_end);
            open.pop();
        }
        if let Some(&(_, open_index)) = open.last() {
            emit(at, start, open_index);
        }
        at = start;
        open.push((end, index));
    }
    while let Some((open_end, open_index)) = open.pop() {
        emit(at, open_end, open_index);
        at = at.max(open_end);
    }
    flat
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_and_overlapping_functions_become_disjoint() {
        let flat = flatten(vec![(0, 100, 0), (40, 60, 1), (50, 55, 2), (90, 120, 3), (200, 200, 4)]);
        assert_eq!(flat, [(0, 40, 0), (40, 50, 1), (50, 55, 2), (55, 60, 1), (60, 90, 0), (90, 120, 3)]);
    }

    /// GCC calls a cold part after the name that the source defines; the table may prefer an alias.
    #[test]
    fn a_cold_part_belongs_to_its_function_by_any_of_its_names() {
        let mut table = FunctionTable::default();
        table.push(Some("MPI_Isend".to_owned()), 0x100, 0x200, FunctionOrigin::Symtab);
        let symbol = |name: &str, address| Symbol {
            name: name.to_owned(),
            address,
            size: 16,
            function: true,
            global: false,
            weak: false,
            unit: 7,
            origin: FunctionOrigin::Symtab,
        };
        let others = vec![Alias { unit: 0, name: "PMPI_Isend".to_owned(), index: 0 }];
        let cold = vec![(symbol("PMPI_Isend.cold", 0x10), 0x20), (symbol("other.cold", 0x30), 0x40)];
        table.attach_cold(cold, &[0], others);
        assert_eq!(table.entries[0].parts, [(0x10, 0x20)]);
        assert_eq!(table.entries.len(), 2, "another one stays a function of its own");
    }
}
