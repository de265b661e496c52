//! One unit's functions and what was inlined into them.

use super::{Dwarf, Parsed, Unit};
use crate::facts::SourceLocation;
use gimli::{AttributeValue, DwAt, UnitOffset};
use std::sync::OnceLock;

/// A broken range list may name the same bytes for every entry; intact units have far fewer ranges.
const MOST_RANGES: usize = 8 << 20;

/// A function with code, or a function inlined into one.
#[derive(Debug)]
struct Scope {
    die: UnitOffset,
    /// The scope that this one was inlined into; absent for a function with code of its own.
    parent: Option<u32>,
    depth: u32,
    call_file: u64,
    call_line: u32,
    call_column: u32,
    name: OnceLock<Option<String>>,
}

/// A range of a scope.
#[derive(Clone, Copy, Debug)]
struct Span {
    /// The function that holds it.
    function: u32,
    start: u64,
    end: u64,
    scope: u32,
}

/// Functions of a unit.
#[derive(Debug, Default)]
pub(super) struct Scopes {
    scopes: Vec<Scope>,
    /// Ranges of functions, by start.
    functions: Vec<Span>,
    /// Ranges of inlined functions, by function and then by start.
    inlined: Vec<Span>,
}

/// One link of an inlining chain.
pub(super) struct Link {
    pub function: Option<String>,
    /// Where the function was called, if it was inlined.
    pub call_site: Option<SourceLocation>,
}

/// Attributes of an entry that matter here.
#[derive(Default)]
struct Wanted<R: gimli::Reader> {
    low: Option<u64>,
    high: Option<AttributeValue<R>>,
    ranges: Option<AttributeValue<R>>,
    call_file: u64,
    call_line: u32,
    call_column: u32,
}

impl Scopes {
    /// Walks all entries of a unit once. Damage ends the walk; earlier entries are kept.
    fn read(dwarf: &Dwarf<'_>, unit: &Unit<'_>) -> Self {
        let mut found = Self::default();
        // Ends at the first broken entry by design.
        let _ = found.walk(dwarf, unit);
        found.functions.sort_by_key(|s| s.start);
        found.inlined.sort_by_key(|s| (s.function, s.start));
        found
    }

    fn walk(&mut self, dwarf: &Dwarf<'_>, unit: &Unit<'_>) -> gimli::Result<()> {
        // Scopes that are open at the current entry, with their depth in the tree.
        let mut open: Vec<(isize, u32)> = Vec::new();
        let mut entries = unit.entries_raw(None)?;
        while !entries.is_empty() {
            let die = entries.next_offset();
            let depth = entries.next_depth();
            let Some(abbreviation) = entries.read_abbreviation()? else { continue };
            while open.last().is_some_and(|(d, _)| *d >= depth) {
                open.pop();
            }
            let tag = abbreviation.tag();
            let inlined = tag == gimli::DW_TAG_inlined_subroutine;
            if !inlined && tag != gimli::DW_TAG_subprogram {
                entries.skip_attributes(abbreviation.attributes())?;
                continue;
            }
            let mut wanted = Wanted::default();
            for spec in abbreviation.attributes() {
                let attribute = entries.read_attribute(*spec)?;
                wanted.take(dwarf, unit, attribute.name(), attribute.value());
            }
            let parent = open.last().map(|(_, scope)| *scope);
            if inlined && parent.is_none() {
                continue;
            }
            let (Ok(scope), true) = (u32::try_from(self.scopes.len()), self.room()) else { return Ok(()) };
            let function = match open.iter().rev().find(|(_, s)| self.is_function(*s)) {
                Some((_, function)) if inlined => *function,
                _ => scope,
            };
            let into = if inlined { &mut self.inlined } else { &mut self.functions };
            let before = into.len();
            wanted.ranges(dwarf, unit, |start, end| into.push(Span { function, start, end, scope }));
            if into.len() == before {
                continue; // A declaration, an abstract instance, or optimised away.
            }
            self.scopes.push(Scope {
                die,
                parent: parent.filter(|_| inlined),
                depth: u32::try_from(open.len()).unwrap_or(u32::MAX),
                call_file: wanted.call_file,
                call_line: wanted.call_line,
                call_column: wanted.call_column,
                name: OnceLock::new(),
            });
            open.push((depth, scope));
        }
        Ok(())
    }

    fn room(&self) -> bool {
        self.functions.len() + self.inlined.len() < MOST_RANGES
    }

    fn is_function(&self, scope: u32) -> bool {
        self.scopes.get(scope as usize).is_some_and(|s| s.parent.is_none())
    }

    /// The function that holds `address`: the one that starts last.
    fn function_at(&self, address: u64) -> Option<u32> {
        /// Functions overlap only in damaged files and where the linker merged code.
        const MOST_OVERLAPPING: usize = 64;
        let after = self.functions.partition_point(|s| s.start <= address);
        let before = self.functions.get(..after)?;
        before.iter().rev().take(MOST_OVERLAPPING).find(|s| address < s.end).map(|s| s.scope)
    }

    /// The innermost scope that holds `address`.
    fn innermost(&self, address: u64) -> Option<u32> {
        let function = self.function_at(address)?;
        let from = self.inlined.partition_point(|s| s.function < function);
        let depth = |scope: u32| self.scopes.get(scope as usize).map(|s| s.depth);
        let inlined = self.inlined.get(from..).unwrap_or_default();
        inlined
            .iter()
            .take_while(|s| s.function == function && s.start <= address)
            .filter(|s| address < s.end)
            .max_by_key(|s| depth(s.scope))
            .map(|s| s.scope)
            .or(Some(function))
    }
}

impl<R: gimli::Reader<Offset = usize>> Wanted<R> {
    fn take(&mut self, dwarf: &gimli::Dwarf<R>, unit: &gimli::Unit<R>, name: DwAt, value: AttributeValue<R>) {
        let number = |value: AttributeValue<R>| value.udata_value().and_then(|v| u32::try_from(v).ok());
        match name {
            gimli::DW_AT_low_pc => self.low = dwarf.attr_address(unit, value).ok().flatten(),
            gimli::DW_AT_high_pc => self.high = Some(value),
            gimli::DW_AT_ranges => self.ranges = Some(value),
            gimli::DW_AT_call_file => {
                self.call_file = match value {
                    AttributeValue::FileIndex(index) => index,
                    value => value.udata_value().unwrap_or(0),
                }
            }
            gimli::DW_AT_call_line => self.call_line = number(value).unwrap_or(0),
            gimli::DW_AT_call_column => self.call_column = number(value).unwrap_or(0),
            _ => {}
        }
    }

    fn ranges(&self, dwarf: &gimli::Dwarf<R>, unit: &gimli::Unit<R>, mut each: impl FnMut(u64, u64)) {
        if let Some(value) = &self.ranges {
            let Ok(Some(mut ranges)) = dwarf.attr_ranges(unit, value.clone()) else { return };
            while let Ok(Some(range)) = ranges.next() {
                if range.begin < range.end && range.begin != 0 {
                    each(range.begin, range.end);
                }
            }
            return;
        }
        let (Some(low), Some(high)) = (self.low, &self.high) else { return };
        let end = match dwarf.attr_address(unit, high.clone()) {
            Ok(Some(end)) => Some(end),
            _ => high.udata_value().and_then(|size| low.checked_add(size)),
        };
        // The linker leaves address 0 for a discarded function.
        if let Some(end) = end.filter(|end| low < *end && low != 0) {
            each(low, end);
        }
    }
}

impl<'a> Parsed<'a> {
    fn scopes(&self, unit: usize) -> Option<&Scopes> {
        let entry = self.units.entry(unit)?;
        let read = || self.body(unit).map(|(dwarf, unit)| Scopes::read(dwarf, unit));
        entry.scopes.get_or_init(read).as_ref()
    }

    /// Functions at `address`, from the innermost inlined one out to the one that holds the code.
    pub(super) fn chain(&self, unit: usize, address: u64) -> Vec<Link> {
        let mut chain = Vec::new();
        let Some(scopes) = self.scopes(unit) else { return chain };
        let mut next = scopes.innermost(address);
        while let Some(scope) = next.and_then(|index| scopes.scopes.get(index as usize)) {
            let name = scope.name.get_or_init(|| self.name_of(self.die(unit, scope.die)?));
            let call_site = scope.parent.and_then(|_| {
                let file = self.lines(unit)?.file(scope.call_file)?.to_string();
                Some(SourceLocation { file, line: scope.call_line, column: scope.call_column })
            });
            chain.push(Link { function: name.clone(), call_site });
            // Parents precede their children, so this ends.
            next = scope.parent;
        }
        chain
    }

    /// Where the function at `address` is defined.
    pub(super) fn definition(&self, address: u64) -> Option<SourceLocation> {
        self.units.at(address).find_map(|unit| {
            let scopes = self.scopes(unit)?;
            let function = scopes.function_at(address)?;
            let die = scopes.scopes.get(function as usize)?.die;
            self.declaration_of(self.die(unit, die)?)
        })
    }
}
