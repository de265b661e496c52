//! A binary as answers about addresses: what function, what bytes, what source line.
//!
//! [`Image::open`] reads headers only. Symbol, unwind and relocation tables are parsed at the first query,
//! debug information unit by unit. All addresses are ELF virtual addresses of the file; the caller knows what
//! is mapped where in a process. `code` disassembles.

mod bytes;
mod cold;
mod derived;
mod dwarf;
mod error;
mod functions;
mod layout;
mod minidebug;
mod names;
mod opened;
mod relocations;
mod search;
mod unwind;
mod variables;

pub use dwarf::{LineRow, Location};
pub use error::Error;
pub use names::demangle;
pub use opened::Images;
pub use search::DebugSearch;
pub use unwind::GuardedRange;

use crate::code::Memo;
use crate::facts::{FunctionInfo, FunctionOrigin, ModuleFacts, SourceLocation, UnitFacts, VariableInfo};
use crate::warning::Warning;
use bytes::FileBytes;
use dwarf::DebugInfo;
use functions::FunctionTable;
use layout::Layout;
use object::read::{Object as _, ObjectSection as _, ObjectSymbol as _};
use relocations::{DataPointers, Relocations};
use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use unwind::UnwindTable;

/// An opened ELF executable or shared library.
pub struct Image {
    path: PathBuf,
    bytes: Arc<FileBytes>,
    layout: Arc<Layout>,
    facts: ModuleFacts,
    /// The separate debug file.
    debug_file: Option<(PathBuf, Arc<FileBytes>)>,
    search: DebugSearch,
    functions: OnceLock<FunctionTable>,
    unwind: OnceLock<UnwindTable>,
    relocations: OnceLock<Relocations>,
    pointers: OnceLock<DataPointers>,
    debug: OnceLock<Option<DebugInfo>>,
    comment: OnceLock<Option<String>>,
    memo: Memo,
    derived: derived::Derived,
}

/// Whether a 32-bit x86 file has symbols, and line tables; `None` for files of other kinds.
pub fn tables_of_32_bits(path: &Path) -> Option<(bool, bool)> {
    let bytes = FileBytes::open(path).ok()?;
    layout::tables_of_32_bits(&bytes)
}

impl std::fmt::Debug for Image {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Image").field("path", &self.path).field("facts", &self.facts).finish_non_exhaustive()
    }
}

impl Image {
    /// Opens a file and looks for its separate debug file.
    pub fn open(path: &Path, search: &DebugSearch) -> Result<Self, Error> {
        let bytes = FileBytes::open(path).map_err(|source| Error::Read { path: path.to_owned(), source })?;
        Self::new(path, bytes, search.clone())
    }

    /// Opens a file that is in memory, such as the vDSO. No other file is searched for, except where split
    /// debug information names one.
    pub fn from_bytes(name: &str, bytes: Vec<u8>) -> Result<Self, Error> {
        Self::new(Path::new(name), FileBytes::Owned(bytes), DebugSearch::none())
    }

    fn new(path: &Path, bytes: FileBytes, search: DebugSearch) -> Result<Self, Error> {
        let from_memory = matches!(bytes, FileBytes::Owned(_));
        let bytes = Arc::new(bytes);
        let file = layout::parse(path, &bytes)?;
        let mut warnings = Vec::new();
        let layout = Layout::read(path, &file, &bytes, &mut warnings)?;
        let build_id = file.build_id().ok().flatten();
        let has_own_debug = dwarf::has_section(&file, ".debug_info");
        let link = file.gnu_debuglink().ok().flatten();
        let link = link.map(|(name, checksum)| (String::from_utf8_lossy(name).into_owned(), checksum));
        let mut debug_file = None;
        if !has_own_debug && !from_memory {
            let by_name = link.as_ref().map(|(name, checksum)| (name.as_str(), *checksum));
            debug_file = search.debug_file(path, build_id, by_name, &mut warnings);
            if let (None, Some((name, _))) = (&debug_file, &link) {
                let module = path.display().to_string();
                warnings.push(Warning::NoDebugFile { debug_file: name.clone(), module });
            }
        }
        let debug_elf = debug_file.as_ref().and_then(|(path, bytes)| layout::parse(path, bytes).ok());
        let has_symbols = !file.elf_symbol_table().is_empty()
            || debug_elf.as_ref().is_some_and(|f| !f.elf_symbol_table().is_empty())
            || file.section_by_name(".gnu_debugdata").is_some();
        let has_lines = |f| dwarf::has_section(f, ".debug_line");
        let facts = ModuleFacts {
            path: path.display().to_string(),
            build_id: build_id.map(search::hexadecimal),
            has_symbols,
            has_lines: has_lines(&file) || debug_elf.as_ref().is_some_and(has_lines),
            debug_file: debug_file.as_ref().map(|(path, _)| path.display().to_string()),
            pie: layout.position_independent,
            static_linked: is_static(&layout),
            needed: needed(&layout, &bytes),
            warnings,
            ..ModuleFacts::default()
        };
        Ok(Self {
            path: path.to_owned(),
            layout: Arc::new(layout),
            facts,
            debug_file,
            search,
            bytes,
            functions: OnceLock::new(),
            unwind: OnceLock::new(),
            relocations: OnceLock::new(),
            pointers: OnceLock::new(),
            debug: OnceLock::new(),
            comment: OnceLock::new(),
            memo: Memo::default(),
            derived: derived::Derived::default(),
        })
    }

    /// Results about functions that were found while other functions were analysed.
    pub(crate) fn memo(&self) -> &Memo {
        &self.memo
    }

    /// The facts from the headers; [`Self::describe`] adds `units` and `producers`.
    pub fn facts(&self) -> &ModuleFacts {
        &self.facts
    }

    /// The facts with compilation units and producers, which reads the root of each unit.
    pub fn describe(&self) -> ModuleFacts {
        let mut facts = self.facts.clone();
        let mut counts: Vec<(String, usize)> = Vec::new();
        let units = self.debug().map(DebugInfo::describe).unwrap_or_default();
        let mut named: Vec<(UnitFacts, String)> = Vec::new();
        for (unit, producer) in units {
            let producer = producer.unwrap_or_else(|| "unknown".to_owned());
            match counts.iter_mut().find(|(name, _)| *name == producer) {
                Some((_, count)) => *count += 1,
                None => counts.push((producer.clone(), 1)),
            }
            named.push((unit, producer));
        }
        counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        facts.producers = counts.into_iter().map(|(name, _)| name).collect();
        facts.units = named
            .into_iter()
            .map(|(unit, producer)| {
                let index = facts.producers.iter().position(|p| *p == producer).unwrap_or(0);
                UnitFacts { producer: u32::try_from(index).unwrap_or(0), ..unit }
            })
            .collect();
        if facts.producers.is_empty() {
            facts.producers.extend(self.comment().map(str::to_owned));
        }
        facts.warnings.extend(self.debug().map(DebugInfo::warnings).unwrap_or_default());
        facts
    }

    fn table(&self) -> &FunctionTable {
        self.functions.get_or_init(|| {
            let mut symbols = Vec::new();
            if let Ok(file) = layout::parse(&self.path, &self.bytes) {
                functions::symbols(&file, FunctionOrigin::Symtab, &self.layout, &mut symbols);
                functions::symbols(&file, FunctionOrigin::Dynsym, &self.layout, &mut symbols);
                if let Some(mini) = minidebug::decompress(&file)
                    && let Ok(file) = layout::parse(&self.path, &mini)
                {
                    functions::symbols(&file, FunctionOrigin::Symtab, &self.layout, &mut symbols);
                }
            }
            if let Some((path, bytes)) = &self.debug_file
                && let Ok(file) = layout::parse(path, bytes)
            {
                functions::symbols(&file, FunctionOrigin::Symtab, &self.layout, &mut symbols);
            }
            FunctionTable::build(symbols, self.unwind_table(), &self.layout, &self.bytes)
        })
    }

    /// All functions, sorted by address. This demangles every name; for a single function
    /// [`Self::function_at`] and [`Self::function`] are cheaper.
    pub fn functions(&self) -> &[FunctionInfo] {
        self.table().all()
    }

    /// The same without demangling: [`FunctionInfo::name`] is empty, [`Self::function`] has it.
    pub fn unnamed_functions(&self) -> &[FunctionInfo] {
        self.table().unnamed()
    }

    /// Number of functions.
    pub fn function_count(&self) -> usize {
        self.table().len()
    }

    /// One function, by its index in [`Self::functions`].
    pub fn function(&self, index: usize) -> Option<&FunctionInfo> {
        self.table().info(index)
    }

    /// Index of the function whose code, split-off parts included, holds `address`.
    pub fn function_at(&self, address: u64) -> Option<usize> {
        self.table().at(address)
    }

    /// Addresses of all symbols in code, sorted: functions, their other names, and labels of assembly.
    pub fn code_symbols(&self) -> &[u64] {
        self.table().labels()
    }

    /// Whether `address` is in a procedure linkage table, where the file has section headers.
    pub fn is_linkage_stub(&self, address: u64) -> bool {
        self.layout.is_linkage_stub(address)
    }

    /// Whether the file has a section of this name.
    pub fn has_section(&self, name: &str) -> bool {
        self.layout.section(name).is_some()
    }

    /// Executable stretches of the file, sorted: sections, or segments where the file has no section headers.
    pub fn code_stretches(&self) -> Vec<(u64, u64)> {
        let sections = self.layout.sections.iter().filter(|s| s.allocated && s.executable);
        let mut found: Vec<(u64, u64)> = sections.map(|s| (s.address.start, s.address.end)).collect();
        if found.is_empty() {
            let segments = self.layout.segments.iter().filter(|s| s.executable);
            found = segments.map(|s| (s.address.start, s.address.end)).collect();
        }
        found.sort_unstable();
        found
    }

    /// The bytes of `[start, end)`, when all of them are executable code.
    pub fn code(&self, start: u64, end: u64) -> Option<&[u8]> {
        let length = end.checked_sub(start).filter(|length| *length > 0)?;
        if !self.layout.is_code(start) || !self.layout.is_code(end - 1) {
            return None;
        }
        self.bytes.get(self.layout.file_range(start, length)?)
    }

    /// The unchanged bytes of the file.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Any bytes of the file by address.
    pub fn data(&self, address: u64, len: usize) -> Option<&[u8]> {
        self.bytes.get(self.layout.file_range(address, len as u64)?)
    }

    /// Whether the running program cannot write to `address` (once the loader is done).
    pub fn is_read_only(&self, address: u64) -> bool {
        self.layout.is_read_only(address)
    }

    fn relocations(&self) -> &Relocations {
        self.relocations.get_or_init(|| Relocations::read(&self.layout, &self.bytes))
    }

    fn raw_pointer(&self, address: u64) -> Option<u64> {
        Some(u64::from_le_bytes(self.data(address, 8)?.try_into().ok()?))
    }

    /// The pointer at `address` as the loader leaves it; `None` where it depends on other modules.
    pub fn pointer_at(&self, address: u64) -> Option<u64> {
        match self.relocations().pointer(address) {
            Some(relocated) => relocated,
            None => self.raw_pointer(address),
        }
    }

    /// Address ranges of a function, without reading its name: that of its entry first, then the parts that
    /// were split off. Empty for an index that is out of range.
    pub fn spans(&self, index: usize) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.table().spans(index)
    }

    /// A function's name as the linker spells it, without demangling.
    pub fn linkage_name(&self, index: usize) -> Option<&str> {
        self.table().linkage_name(index)
    }

    /// The name that belongs to a call target or a slot of the global offset table: of a function that starts
    /// there, or of the import that a linkage stub or slot leads to.
    pub fn name_at(&self, address: u64) -> Option<Cow<'_, str>> {
        match self.named(address)? {
            Named::Function(index) => self.function(index).map(|info| Cow::Borrowed(info.name.as_str())),
            Named::Import(symbol) => Some(Cow::Owned(names::demangle(symbol))),
        }
    }

    /// As [`Self::name_at`], but as the linker spells it, without demangling. `None` for a function that no
    /// symbol names.
    pub fn linkage_name_at(&self, address: u64) -> Option<Cow<'_, str>> {
        match self.named(address)? {
            Named::Function(index) => self.table().linkage_name(index).map(Cow::Borrowed),
            Named::Import(symbol) => Some(Cow::Borrowed(symbol)),
        }
    }

    fn named(&self, address: u64) -> Option<Named<'_>> {
        if let Some(index) = self.table().starting_at(address) {
            return Some(Named::Function(index));
        }
        let slot = if self.layout.is_code(address) { self.stub_slot(address)? } else { address };
        let relocations = self.relocations();
        if let Some(symbol) = relocations.symbol(slot) {
            return Some(Named::Import(symbol));
        }
        let target = match relocations.resolver(slot) {
            Some(resolver) => resolver,
            None => relocations.pointer(slot)??,
        };
        self.table().starting_at(target).map(Named::Function)
    }

    /// The slot that the linkage stub at `address` jumps through: `[endbr64] [bnd] jmp *slot(%rip)`.
    fn stub_slot(&self, address: u64) -> Option<u64> {
        const ENDBR64: [u8; 4] = [0xf3, 0x0f, 0x1e, 0xfa];
        let mut at = address;
        if self.data(at, 4)? == ENDBR64 {
            at = at.wrapping_add(4);
        }
        if self.data(at, 1)? == [0xf2] {
            at = at.wrapping_add(1);
        }
        let displacement = self.data(at, 6)?.strip_prefix(&[0xff, 0x25])?;
        let displacement = i32::from_le_bytes(displacement.try_into().ok()?);
        Some(at.wrapping_add(6).wrapping_add_signed(i64::from(displacement)))
    }

    fn debug(&self) -> Option<&DebugInfo> {
        let open = || {
            let (path, bytes) = match &self.debug_file {
                Some((path, bytes)) => (path, bytes),
                None => (&self.path, &self.bytes),
            };
            let file = layout::parse(path, bytes).ok()?;
            if !dwarf::has_section(&file, ".debug_info") {
                return None;
            }
            let layout = Arc::clone(&self.layout);
            let search = self.search.clone();
            Some(DebugInfo::open(dwarf::Files::new(Arc::clone(bytes), path, &self.path, layout, search)))
        };
        self.debug.get_or_init(open).as_ref()
    }

    /// Line, innermost function and inlining of an instruction. Without debug information the
    /// function is that of the symbol table.
    pub fn locate(&self, address: u64) -> Location {
        let mut found = self.debug().map(|debug| debug.locate(address)).unwrap_or_default();
        if found.function.is_none() {
            let info = self.function_at(address).and_then(|index| self.function(index));
            found.function = info.map(|info| info.name.clone());
        }
        found
    }

    /// The line table of a function: its main range, then its parts, each by address.
    pub fn line_rows(&self, function: usize) -> Vec<LineRow> {
        let mut rows = Vec::new();
        if let Some(debug) = self.debug() {
            for (start, end) in self.table().spans(function) {
                debug.line_rows(start, end, &mut rows);
            }
        }
        rows
    }

    /// Where a function is defined.
    pub fn definition(&self, function: usize) -> Option<SourceLocation> {
        let (start, _) = self.table().spans(function).next()?;
        self.debug()?.definition(start)
    }

    /// The compiler that produced the code at `address`, with its flags where recorded; by the
    /// unit, else by the file's `.comment`.
    pub fn producer_at(&self, address: u64) -> Option<&str> {
        self.debug().and_then(|debug| debug.producer(address)).or_else(|| self.comment())
    }

    /// The compilation unit that the code at `address` comes from; its `producer` is left 0, see
    /// [`Self::producer_at`].
    pub fn unit_at(&self, address: u64) -> Option<UnitFacts> {
        self.debug().and_then(|debug| debug.unit(address))
    }

    /// The most specific entry of `.comment`: start-up files always add the system compiler's.
    fn comment(&self) -> Option<&str> {
        let read = || {
            let file = layout::parse(&self.path, &self.bytes).ok()?;
            let section = file.section_by_name(".comment")?.data().ok()?;
            let texts: Vec<String> = section
                .split(|byte| *byte == 0)
                .map(|text| String::from_utf8_lossy(text).trim().to_owned())
                .filter(|text| !text.is_empty() && !text.starts_with("Linker:"))
                .collect();
            let other = texts.iter().find(|text| !text.starts_with("GCC:"));
            other.or(texts.last()).cloned()
        };
        self.comment.get_or_init(read).as_deref()
    }

    fn unwind_table(&self) -> &UnwindTable {
        self.unwind.get_or_init(|| {
            let frame_of = |path: &Path, bytes: &[u8]| {
                let file = layout::parse(path, bytes).ok()?;
                let content = dwarf::sections::content(&file, ".debug_frame").ok()?;
                Some(content.into_owned()).filter(|d| !d.is_empty())
            };
            let own = frame_of(&self.path, &self.bytes);
            let frame =
                own.or_else(|| self.debug_file.as_ref().and_then(|(path, bytes)| frame_of(path, bytes)));
            UnwindTable::read(&self.layout, &self.bytes, frame.as_deref(), |at| self.pointer_at(at))
        })
    }

    /// Exception handling of a function: which instructions are guarded, and by which landing pad.
    pub fn guarded_ranges(&self, function: usize) -> Vec<GuardedRange> {
        let table = self.unwind_table();
        let mut found: Vec<GuardedRange> = self
            .table()
            .spans(function)
            .flat_map(|(start, end)| table.frames_in(start, end))
            .flat_map(|frame| unwind::guarded_ranges(*frame, &self.layout, &self.bytes))
            .filter(|range| self.layout.is_code(range.pad))
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The lowest address of the file in memory: what a loader maps at its load address.
    pub fn lowest_address(&self) -> u64 {
        const PAGE: u64 = 4096;
        self.layout.segments.iter().map(|s| s.address.start).min().unwrap_or(0) & !(PAGE - 1)
    }

    /// The difference between run-time addresses and addresses of the file whose lowest one is mapped at `mapped`.
    pub fn bias(&self, mapped: u64) -> u64 {
        if self.facts().pie { mapped.wrapping_sub(self.lowest_address()) } else { 0 }
    }

    /// The addresses of dynamic symbols, or of those of the symbol table, found by one pass over both.
    pub fn symbol_addresses<const N: usize>(&self, names: [&str; N]) -> [Option<u64>; N] {
        let mut found = [None; N];
        let Ok(file) = layout::parse(&self.path, &self.bytes) else { return found };
        let symbols = file.dynamic_symbols().chain(file.symbols());
        for symbol in symbols.filter(|s| s.is_definition()) {
            let Ok(name) = symbol.name_bytes() else { continue };
            let wanted = names.iter().zip(&mut found).find(|(wanted, _)| wanted.as_bytes() == name);
            if let Some((_, place)) = wanted {
                place.get_or_insert(symbol.address());
            }
        }
        found
    }

    /// Variables that hold one of the address ranges `[low, high)` whole, sorted by address; found in the symbol tables of
    /// the file and of its separate debug file.
    pub fn variables(&self, ranges: &[(u64, u64)]) -> Vec<VariableInfo> {
        let mut found = Vec::new();
        let own = layout::parse(&self.path, &self.bytes).ok();
        let separate = self.debug_file.as_ref().and_then(|(path, bytes)| layout::parse(path, bytes).ok());
        for file in own.iter().chain(&separate) {
            variables::holding(file, FunctionOrigin::Symtab, ranges, &mut found);
            variables::holding(file, FunctionOrigin::Dynsym, ranges, &mut found);
        }
        variables::settled(found)
    }

    /// Exception landing pads of a function, sorted.
    pub fn landing_pads(&self, function: usize) -> Vec<u64> {
        let mut pads: Vec<u64> = self.guarded_ranges(function).iter().map(|range| range.pad).collect();
        pads.sort_unstable();
        pads.dedup();
        pads
    }

    /// Addresses within `[start, end)` that the module's data points to, sorted: targets of computed
    /// `goto`, and functions whose address is stored. In position-dependent programs nothing marks
    /// pointers; there a word counts only next to another one that points into the range.
    pub fn address_taken(&self, range: (u64, u64)) -> Vec<u64> {
        let range = range.0..range.1;
        let mut targets = self.relocations().targets_in(range.clone());
        if !self.layout.position_independent {
            let pointers = self.pointers.get_or_init(|| DataPointers::scan(&self.layout, &self.bytes));
            targets.extend(pointers.targets_in(range));
            targets.sort_unstable();
            targets.dedup();
        }
        targets
    }
}

/// What an address leads to.
enum Named<'a> {
    /// A function of this file.
    Function(usize),
    /// A symbol of another one.
    Import(&'a str),
}

/// An executable that needs no loader: without interpreter and, if position-independent, marked as
/// an executable by its flags.
fn is_static(layout: &Layout) -> bool {
    let needs = layout.dynamic.iter().any(|(tag, _)| *tag == object::elf::DT_NEEDED);
    if layout.interpreter || needs {
        return false;
    }
    let flags = layout.dynamic_value(object::elf::DT_FLAGS_1).unwrap_or(0);
    !layout.position_independent || flags & object::elf::DF_1_PIE.0 != 0
}

fn needed(layout: &Layout, bytes: &[u8]) -> Vec<String> {
    let tag = object::elf::DT_NEEDED;
    let offsets = layout.dynamic.iter().filter(|(t, _)| *t == tag).map(|(_, offset)| *offset);
    offsets.filter_map(|offset| relocations::string_at(layout, bytes, offset)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_are_shared_between_threads() {
        fn shareable<T: Send + Sync>() {}
        shareable::<Image>();
    }
}
