//! The table of compilation units: which one holds an address, and the root attributes of each.

use super::super::layout::Layout;
use super::lines::Lines;
use super::scopes::Scopes;
use super::split::SplitUnit;
use super::{Dwarf, Parsed, Slice, Unit};
use gimli::{DebugInfoOffset, UnitHeader, UnitType};
use std::collections::HashSet;
use std::sync::OnceLock;

/// A unit, parsed as far as it was needed.
pub(super) struct UnitEntry<'a> {
    pub offset: usize,
    header: UnitHeader<Slice<'a>>,
    unit: OnceLock<Option<Unit<'a>>>,
    pub lines: OnceLock<Option<Lines>>,
    pub scopes: OnceLock<Option<Scopes>>,
    pub split: OnceLock<Option<Box<SplitUnit<'a>>>>,
    root: OnceLock<Option<Root>>,
    /// Names of its complex numbers and vectors.
    pub compound: OnceLock<Option<Vec<String>>>,
}

/// Attributes of a unit's root entry.
#[derive(Debug, Default)]
pub(super) struct Root {
    pub name: Option<String>,
    pub directory: Option<String>,
    pub producer: Option<String>,
    pub language: String,
}

/// A stretch of code and its unit.
struct Stretch {
    start: u64,
    end: u64,
    unit: u32,
    /// Largest end of this and all earlier stretches: where a backward walk may stop.
    furthest: u64,
}

/// All units of a file.
#[derive(Default)]
pub(super) struct UnitTable<'a> {
    entries: Vec<UnitEntry<'a>>,
    stretches: Vec<Stretch>,
}

impl<'a> UnitTable<'a> {
    /// Unit headers only: enough to follow references.
    pub(super) fn headers(dwarf: &Dwarf<'a>) -> Self {
        let mut entries = Vec::new();
        let mut headers = dwarf.units();
        // A broken length ends the walk: what follows cannot be found.
        while let Ok(Some(header)) = headers.next() {
            let Some(DebugInfoOffset(offset)) = header.debug_info_offset() else { continue };
            entries.push(UnitEntry {
                offset,
                header,
                unit: OnceLock::new(),
                lines: OnceLock::new(),
                scopes: OnceLock::new(),
                split: OnceLock::new(),
                root: OnceLock::new(),
                compound: OnceLock::new(),
            });
        }
        Self { entries, stretches: Vec::new() }
    }

    /// Unit headers and the code that each unit holds: by `.debug_aranges` where it mentions the
    /// unit, else by the unit itself, else by its line table.
    pub(super) fn build(dwarf: &Dwarf<'a>, layout: &Layout) -> Self {
        let mut table = Self::headers(dwarf);
        let mut stretches = Vec::new();
        let mut covered = HashSet::new();
        let mut headers = dwarf.debug_aranges.headers();
        while let Ok(Some(header)) = headers.next() {
            let Some(unit) = table.index_of(header.debug_info_offset().0) else { continue };
            let mut ranges = header.entries();
            // gimli goes on after an overflowing entry and ends after a broken one.
            while let Some(range) = ranges.next().transpose() {
                let Ok(range) = range else { continue };
                let range = range.range();
                if layout.is_executable(range.begin) && range.begin < range.end {
                    stretches.push((range.begin, range.end, unit));
                    covered.insert(unit);
                }
            }
        }
        for unit in 0..table.entries.len() {
            if !covered.contains(&unit) {
                table.collect_ranges(dwarf, layout, unit, &mut stretches);
            }
        }
        stretches.sort_unstable();
        let mut furthest = 0;
        table.stretches = stretches
            .into_iter()
            .map(|(start, end, unit)| {
                furthest = end.max(furthest);
                Stretch { start, end, unit: unit as u32, furthest }
            })
            .collect();
        table
    }

    fn collect_ranges(
        &self,
        dwarf: &Dwarf<'a>,
        layout: &Layout,
        index: usize,
        into: &mut Vec<(u64, u64, usize)>,
    ) {
        let Some(entry) = self.entries.get(index) else { return };
        if !matches!(entry.header.type_(), UnitType::Compilation | UnitType::Skeleton(_)) {
            return;
        }
        let Some(unit) = self.unit(dwarf, index) else { return };
        let before = into.len();
        if let Ok(mut ranges) = dwarf.unit_ranges(unit) {
            while let Ok(Some(range)) = ranges.next() {
                if range.begin < range.end && layout.is_executable(range.begin) {
                    into.push((range.begin, range.end, index));
                }
            }
        }
        if into.len() == before && unit.line_program.is_some() {
            let lines = entry.lines.get_or_init(|| Lines::read(dwarf, unit, layout));
            let sequences = lines.iter().flat_map(Lines::sequences);
            into.extend(sequences.map(|(start, end)| (start, end, index)));
        }
    }

    /// Number of units.
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn entry(&self, index: usize) -> Option<&UnitEntry<'a>> {
        self.entries.get(index)
    }

    /// The parsed unit.
    pub(super) fn unit(&self, dwarf: &Dwarf<'a>, index: usize) -> Option<&Unit<'a>> {
        let entry = self.entries.get(index)?;
        entry.unit.get_or_init(|| dwarf.unit(entry.header).ok()).as_ref()
    }

    fn index_of(&self, offset: usize) -> Option<usize> {
        self.entries.binary_search_by_key(&offset, |e| e.offset).ok()
    }

    /// The unit whose entries hold this offset of `.debug_info`.
    pub(super) fn containing(&self, offset: usize) -> Option<usize> {
        self.entries.partition_point(|e| e.offset <= offset).checked_sub(1)
    }

    /// Units that hold `address`, the one that starts last first.
    pub(super) fn at(&self, address: u64) -> impl Iterator<Item = usize> + '_ {
        let after = self.stretches.partition_point(|s| s.start <= address);
        let mut last = None;
        self.stretches
            .get(..after)
            .unwrap_or_default()
            .iter()
            .rev()
            .take_while(move |s| s.furthest > address)
            .filter(move |s| s.end > address)
            .map(|s| s.unit as usize)
            .filter(move |unit| last.replace(*unit) != Some(*unit))
    }
}

impl<'a> Parsed<'a> {
    /// The line table of a unit.
    pub(super) fn lines(&self, index: usize) -> Option<&Lines> {
        let entry = self.units.entry(index)?;
        let read = || Lines::read(&self.dwarf, self.units.unit(&self.dwarf, index)?, &self.files.layout);
        entry.lines.get_or_init(read).as_ref()
    }

    /// Root attributes of a unit; for split DWARF, those of its other half.
    pub(super) fn root(&self, index: usize) -> Option<&Root> {
        let entry = self.units.entry(index)?;
        entry.root.get_or_init(|| self.read_root(index)).as_ref()
    }

    fn read_root(&self, index: usize) -> Option<Root> {
        let header = self.units.entry(index)?.header;
        if !matches!(header.type_(), UnitType::Compilation | UnitType::Skeleton(_)) {
            return None;
        }
        let (dwarf, unit) = self.body(index)?;
        let mut root = Root { language: "unknown".to_owned(), ..Root::default() };
        let text = |value| {
            let text = dwarf.attr_string(unit, value).ok()?;
            Some(text.to_string_lossy().into_owned())
        };
        let mut entries = unit.entries_raw(None).ok()?;
        let abbreviation = entries.read_abbreviation().ok()??;
        for spec in abbreviation.attributes() {
            let Ok(attribute) = entries.read_attribute(*spec) else { break };
            match attribute.name() {
                gimli::DW_AT_name => root.name = text(attribute.value()),
                gimli::DW_AT_comp_dir => root.directory = text(attribute.value()),
                gimli::DW_AT_producer => root.producer = text(attribute.value()),
                gimli::DW_AT_language => {
                    if let gimli::AttributeValue::Language(language) = attribute.value() {
                        root.language = language_name(language);
                    }
                }
                _ => {}
            }
        }
        if root.directory.is_none() {
            let skeleton = self.units.unit(&self.dwarf, index)?;
            root.directory = skeleton.comp_dir.map(|d| d.to_string_lossy().into_owned());
        }
        Some(root)
    }
}

/// The language's name without its edition.
fn language_name(language: gimli::DwLang) -> String {
    let constant = language.static_string().unwrap_or("unknown");
    let name = constant.strip_prefix("DW_LANG_").unwrap_or(constant);
    let family = match name {
        n if n.starts_with("C_plus_plus") => "C++",
        n if n.starts_with("Fortran") => "Fortran",
        "C" | "C89" | "C99" | "C11" | "C17" => "C",
        n if n.starts_with("ObjC") => "Objective-C",
        "Mips_Assembler" => "assembly",
        n => n,
    };
    family.to_owned()
}
