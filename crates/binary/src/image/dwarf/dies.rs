//! Names and definitions of functions: attributes found by following references between entries.

use super::super::names;
use super::units::UnitTable;
use super::{Dwarf, Parsed, Slice, Unit};
use crate::facts::SourceLocation;
use gimli::{Attribute, AttributeValue, DebugInfoOffset, UnitOffset};

/// More references in a row than any compiler makes; stops cycles.
const MOST_REFERENCES: usize = 16;

/// The file of an entry; offsets of `.debug_info` mean different things in each.
#[derive(Clone, Copy)]
pub(super) enum Home {
    /// A unit of the main file.
    Main(usize),
    /// The split half of a unit of the main file.
    Split(usize),
    /// A unit of the supplementary file.
    Supplementary,
}

/// A debugging information entry and what is needed to read it.
pub(super) struct Die<'d, 'a> {
    dwarf: &'d Dwarf<'a>,
    unit: &'d Unit<'a>,
    home: Home,
    offset: UnitOffset,
}

impl<'a> Parsed<'a> {
    /// An entry of the half of a unit that describes functions.
    pub(super) fn die(&self, index: usize, offset: UnitOffset) -> Option<Die<'_, 'a>> {
        let (dwarf, unit) = self.body(index)?;
        let split = self.units.entry(index)?.split.get().is_some_and(Option::is_some);
        let home = if split { Home::Split(index) } else { Home::Main(index) };
        Some(Die { dwarf, unit, home, offset })
    }

    fn follow<'d>(&'d self, die: &Die<'d, 'a>, value: AttributeValue<Slice<'a>>) -> Option<Die<'d, 'a>> {
        let across = |dwarf: &'d Dwarf<'a>, units: &'d UnitTable<'a>, offset: DebugInfoOffset| {
            let index = units.containing(offset.0)?;
            let unit = units.unit(dwarf, index)?;
            Some((index, unit, offset.to_unit_offset(&unit.header)?))
        };
        match (value, die.home) {
            (AttributeValue::UnitRef(offset), home) => {
                Some(Die { dwarf: die.dwarf, unit: die.unit, home, offset })
            }
            (AttributeValue::DebugInfoRef(offset), Home::Main(_)) => {
                let (index, unit, offset) = across(&self.dwarf, &self.units, offset)?;
                Some(Die { dwarf: &self.dwarf, unit, home: Home::Main(index), offset })
            }
            (AttributeValue::DebugInfoRef(offset), Home::Split(index)) => {
                let offset = offset.to_unit_offset(&die.unit.header)?;
                Some(Die { dwarf: die.dwarf, unit: die.unit, home: Home::Split(index), offset })
            }
            (AttributeValue::DebugInfoRef(offset), Home::Supplementary)
            | (AttributeValue::DebugInfoRefSup(offset), _) => {
                let dwarf = self.dwarf.sup()?;
                let (_, unit, offset) = across(dwarf, self.supplementary_units.as_ref()?, offset)?;
                Some(Die { dwarf, unit, home: Home::Supplementary, offset })
            }
            _ => None,
        }
    }

    /// Visits the attributes of an entry and then of those that it refers to as its origin or
    /// declaration, until `visit` returns something.
    fn search<'d, T>(
        &'d self,
        die: Die<'d, 'a>,
        mut visit: impl FnMut(&Die<'d, 'a>, &[Attribute<Slice<'a>>]) -> Option<T>,
    ) -> Option<T> {
        let mut die = die;
        for _ in 0..MOST_REFERENCES {
            let mut entries = die.unit.entries_raw(Some(die.offset)).ok()?;
            let abbreviation = entries.read_abbreviation().ok()??;
            let mut attributes = Vec::with_capacity(abbreviation.attributes().len());
            for spec in abbreviation.attributes() {
                attributes.push(entries.read_attribute(*spec).ok()?);
            }
            if let Some(found) = visit(&die, &attributes) {
                return Some(found);
            }
            let next = [gimli::DW_AT_abstract_origin, gimli::DW_AT_specification]
                .into_iter()
                .find_map(|name| attributes.iter().find(|a| a.name() == name))?;
            die = self.follow(&die, next.value())?;
        }
        None
    }

    /// Demangled name of a function's entry. The plain name of an entry is kept in case its references lead
    /// to no mangled one.
    pub(super) fn name_of(&self, die: Die<'_, 'a>) -> Option<String> {
        let mut plain = None;
        let linkage = self.search(die, |die, attributes| {
            let text = |name| {
                let attribute = attributes.iter().find(|a| a.name() == name)?;
                let text = die.dwarf.attr_string(die.unit, attribute.value()).ok()?;
                Some(text.to_string_lossy().into_owned())
            };
            if plain.is_none() {
                plain = text(gimli::DW_AT_name);
            }
            text(gimli::DW_AT_linkage_name).or_else(|| text(gimli::DW_AT_MIPS_linkage_name))
        });
        match linkage {
            // Some compilers repeat the plain name here, or add what only the linker cares for.
            Some(linkage) if names::is_mangled(&linkage) => Some(names::demangle(&linkage)),
            linkage => plain.or(linkage),
        }
    }

    /// Declared file, line and column of a function's entry.
    pub(super) fn declaration_of(&self, die: Die<'_, 'a>) -> Option<SourceLocation> {
        self.search(die, |die, attributes| {
            let number = |name| {
                let attribute = attributes.iter().find(|a| a.name() == name)?;
                match attribute.value() {
                    AttributeValue::FileIndex(index) => Some(index),
                    value => value.udata_value(),
                }
            };
            let line = u32::try_from(number(gimli::DW_AT_decl_line)?).ok()?;
            let file = number(gimli::DW_AT_decl_file)?;
            let column = number(gimli::DW_AT_decl_column).and_then(|c| u32::try_from(c).ok());
            let file = match die.home {
                Home::Main(index) | Home::Split(index) => self.lines(index)?.file(file)?.to_string(),
                Home::Supplementary => return None,
            };
            Some(SourceLocation { file, line, column: column.unwrap_or(0) })
        })
    }
}
