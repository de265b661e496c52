//! A linker for one function and the code and constants that it uses, beside the program that has all the rest.
//!
//! Functions of the same object that the function calls come along; other code and all variables are the program's own. A
//! section of variables is the program's where all of its symbols lie at one distance from the program's: the compiler may
//! address beyond the ends of one variable from another. Functions whose address is taken keep the program's address, so that
//! comparisons of addresses hold. Relocations are those of the System V psABI for x86-64.

use super::program::Program;
use super::refused::NotSwapped;
use super::unit::{Kind, Names, Relocation, Symbol, Unit};
use iced_x86::{Decoder, DecoderOptions, FlowControl, Instruction, OpKind};
use object::elf;
use std::collections::{BTreeMap, BTreeSet};

/// A stub and a slot: `jmp [rip+..]`, two bytes of filling, an address.
const STUB: u64 = 16;

/// What is copied, and where to.
#[derive(Debug)]
pub struct Plan<'a> {
    unit: &'a Unit,
    function: &'a Symbol,
    /// Functions by section and begin, with their ends.
    reached: BTreeMap<(usize, u64), u64>,
    /// Sections with their distance from the beginning.
    placed: BTreeMap<usize, u64>,
    /// Ends of instructions by section and the place of their references.
    ends: BTreeMap<(usize, u64), (u64, Refers)>,
    /// Distance of the slots.
    slots: u64,
    /// Bytes.
    pub size: u64,
    /// It calls code that does not come along.
    pub calls: bool,
}

/// How an instruction refers to a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Refers {
    /// By a call or jump.
    Branch,
    /// By an address.
    Address,
}

/// Linked code.
#[derive(Debug)]
pub struct Linked {
    pub bytes: Vec<u8>,
    /// Address of the function.
    pub entry: u64,
}

impl<'a> Plan<'a> {
    /// Finds what the function needs.
    pub fn new(unit: &'a Unit, name: &str) -> Result<Self, NotSwapped> {
        let no_function = || NotSwapped::NoFunction { function: name.to_owned() };
        let (_, function) = unit.function(name).ok_or_else(no_function)?;
        if function.size == 0 {
            return Err(no_function());
        }
        let mut plan = Self {
            unit,
            function,
            reached: BTreeMap::new(),
            placed: BTreeMap::new(),
            ends: BTreeMap::new(),
            slots: 0,
            size: 0,
            calls: false,
        };
        plan.reach(function)?;
        plan.place()?;
        Ok(plan)
    }

    /// Instructions of everything that is reached, for other questions.
    pub fn instructions(&self) -> impl Iterator<Item = Instruction> + '_ {
        self.reached
            .iter()
            .flat_map(|(&(section, start), &end)| decode(&self.unit.sections[&section].bytes, start, end))
    }

    /// Names of the functions that come along.
    pub fn functions(&self) -> impl Iterator<Item = &str> + '_ {
        let at = |&(section, start): &(usize, u64)| self.unit.function_at(section, start);
        self.reached.keys().filter_map(at).map(|symbol| symbol.name.as_str())
    }

    fn reach(&mut self, first: &'a Symbol) -> Result<(), NotSwapped> {
        let mut open = vec![first];
        let mut constants = Vec::new();
        while let Some(function) = open.pop() {
            let Some(index) = function.section else { continue };
            if self.reached.contains_key(&(index, function.offset)) {
                continue;
            }
            let unclear = || NotSwapped::Code { function: function.name.clone() };
            let section =
                self.unit.sections.get(&index).filter(|s| s.kind == Kind::Code).ok_or_else(unclear)?;
            let end = function.offset.checked_add(function.size).ok_or_else(unclear)?;
            if end > section.bytes.len() as u64 {
                return Err(unclear());
            }
            self.reached.insert((index, function.offset), end);
            let at = |section, offset| self.unit.function_at(section, offset).ok_or_else(unclear);
            for i in decode(&section.bytes, function.offset, end) {
                if i.is_invalid() || i.next_ip() > end {
                    return Err(unclear());
                }
                let mut has_reference = false;
                let branches = is_direct(&i);
                for (&field, relocation) in section.relocations.range(i.ip()..i.next_ip()) {
                    has_reference = true;
                    let refers = if branches { Refers::Branch } else { Refers::Address };
                    self.ends.insert((index, field), (i.next_ip(), refers));
                    let symbol = self.symbol(relocation)?;
                    match symbol.section {
                        None if branches => self.calls = true,
                        None => {}
                        Some(to) => {
                            let target = target(symbol, relocation, i.next_ip().wrapping_sub(field));
                            match self.unit.sections.get(&to).map(|s| s.kind) {
                                Some(Kind::Code) if branches || self.starts(to, target).is_none() => {
                                    open.push(at(to, target)?);
                                }
                                Some(Kind::Constant) => constants.push(to),
                                _ => {}
                            }
                        }
                    }
                }
                match i.flow_control() {
                    FlowControl::IndirectCall | FlowControl::IndirectBranch => self.calls = true,
                    FlowControl::Call | FlowControl::UnconditionalBranch | FlowControl::ConditionalBranch
                        if !has_reference =>
                    {
                        open.push(at(index, i.near_branch_target())?);
                    }
                    FlowControl::XbeginXabortXend => return Err(unclear()),
                    _ => {}
                }
                if i.code() == iced_x86::Code::Syscall {
                    self.calls = true;
                }
            }
            self.placed.insert(index, 0);
        }
        while let Some(index) = constants.pop() {
            if self.placed.insert(index, 0).is_some() {
                continue;
            }
            for relocation in self.unit.sections[&index].relocations.values() {
                let Some(to) = self.symbol(relocation)?.section else { continue };
                match self.unit.sections.get(&to).map(|s| s.kind) {
                    Some(Kind::Constant) => constants.push(to),
                    // Tables of `switch` lead into functions that may not have been reached: these are never run.
                    Some(Kind::Code) => drop(self.placed.entry(to).or_insert(0)),
                    _ => {}
                }
            }
        }
        Ok(())
    }

    fn symbol(&self, relocation: &Relocation) -> Result<&'a Symbol, NotSwapped> {
        let missing = || NotSwapped::Object { what: "a reference to no symbol".to_owned() };
        self.unit.symbols.get(&relocation.symbol).ok_or_else(missing)
    }

    /// The function that begins at exactly this place.
    fn starts(&self, section: usize, offset: u64) -> Option<&'a Symbol> {
        let found = self.unit.function_at(section, offset)?;
        (found.offset == offset).then_some(found)
    }

    /// Code first, at the beginning of a page: two objects of the same code lie alike in their pages.
    fn place(&mut self) -> Result<(), NotSwapped> {
        let large = || NotSwapped::Object { what: "it is too large".to_owned() };
        let mut next = 0_u64;
        for wanted in [Kind::Code, Kind::Constant] {
            for (index, at) in &mut self.placed {
                let section = &self.unit.sections[index];
                if section.kind != wanted {
                    continue;
                }
                next = next.checked_next_multiple_of(section.align.max(16)).ok_or_else(large)?;
                *at = next;
                next = next.checked_add(section.bytes.len() as u64).ok_or_else(large)?;
            }
        }
        self.slots = next.checked_next_multiple_of(16).ok_or_else(large)?;
        self.size = (self.slots + STUB * (1 + self.unit.symbols.len() as u64))
            .checked_next_multiple_of(4096)
            .ok_or_else(large)?;
        if self.size > 256 << 20 {
            return Err(large());
        }
        Ok(())
    }

    /// Makes the bytes for one place. `library` finds what the program does not import.
    pub fn link(
        &self,
        base: u64,
        program: &Program,
        library: &dyn Fn(&str) -> Option<u64>,
    ) -> Result<Linked, NotSwapped> {
        let mut linking = Linking {
            plan: self,
            base,
            program,
            library,
            bytes: vec![0xcc; self.size as usize],
            slots: BTreeMap::new(),
            data: BTreeMap::new(),
        };
        for (index, at) in &self.placed {
            let section = &self.unit.sections[index];
            linking.put(*at, &section.bytes)?;
            let mut done = BTreeSet::new();
            if section.kind == Kind::Code {
                let own = self.reached.range((*index, 0)..=(*index, u64::MAX));
                for (&(_, start), &end) in own {
                    for (&field, relocation) in section.relocations.range(start..end) {
                        if done.insert(field) {
                            linking.relocate(*index, field, relocation)?;
                        }
                    }
                }
            } else {
                for (&field, relocation) in &section.relocations {
                    linking.relocate(*index, field, relocation)?;
                }
            }
        }
        let entry = self.function.section.and_then(|section| self.placed.get(&section));
        let no_function = || NotSwapped::NoFunction { function: self.function.name.clone() };
        let entry = base + entry.ok_or_else(no_function)? + self.function.offset;
        Ok(Linked { bytes: linking.bytes, entry })
    }
}

/// Instructions of a stretch, addresses being offsets.
fn decode(bytes: &[u8], start: u64, end: u64) -> impl Iterator<Item = Instruction> + '_ {
    let part = bytes.get(start as usize..end as usize).unwrap_or_default();
    Decoder::with_ip(64, part, start, DecoderOptions::NONE).into_iter()
}

fn is_direct(i: &Instruction) -> bool {
    i.op_count() > 0 && matches!(i.op0_kind(), OpKind::NearBranch64 | OpKind::NearBranch32)
}

/// The place that a reference means, as an offset in the symbol's section. The distance of a relative one is that from its field
/// to the next instruction, `to_end`.
fn target(symbol: &Symbol, relocation: &Relocation, to_end: u64) -> u64 {
    let further = if is_relative(relocation.kind) { to_end } else { 0 };
    symbol.offset.wrapping_add(relocation.addend as u64).wrapping_add(further)
}

fn is_relative(kind: u32) -> bool {
    [elf::R_X86_64_PC32, elf::R_X86_64_PLT32, elf::R_X86_64_PC64].iter().any(|known| known.0 == kind)
}

struct Linking<'a> {
    plan: &'a Plan<'a>,
    base: u64,
    program: &'a Program,
    library: &'a dyn Fn(&str) -> Option<u64>,
    bytes: Vec<u8>,
    /// Slots that were made, by symbol and whether a stub leads through it.
    slots: BTreeMap<(usize, bool), u64>,
    /// Where the program has sections of variables.
    data: BTreeMap<usize, u64>,
}

impl Linking<'_> {
    fn put(&mut self, at: u64, bytes: &[u8]) -> Result<(), NotSwapped> {
        let broken = || NotSwapped::Object { what: "a reference lies outside its section".to_owned() };
        let at = usize::try_from(at).map_err(|_| broken())?;
        let end = at.checked_add(bytes.len()).ok_or_else(broken)?;
        self.bytes.get_mut(at..end).ok_or_else(broken)?.copy_from_slice(bytes);
        Ok(())
    }

    fn relocate(&mut self, section: usize, field: u64, r: &Relocation) -> Result<(), NotSwapped> {
        let plan = self.plan;
        let symbol = plan.symbol(r)?;
        let (end, refers) = plan.ends.get(&(section, field)).copied().unwrap_or((field, Refers::Address));
        let place = self.plan.placed.get(&section).copied().unwrap_or(0) + field;
        let here = self.base + place;
        let kind = elf::RelocationType(r.kind);
        let bad = || NotSwapped::Relocation { kind: r.kind, name: symbol.name.clone() };
        let length = plan.unit.sections.get(&section).map_or(0, |s| s.bytes.len() as u64);
        let width = if matches!(kind, elf::R_X86_64_64 | elf::R_X86_64_PC64) { 8 } else { 4 };
        if field.checked_add(width).is_none_or(|end| end > length) {
            return Err(NotSwapped::Object { what: "a reference lies outside its section".to_owned() });
        }
        let wide = |value: u64| value.to_le_bytes().to_vec();
        let signed = |value: u64| {
            i32::try_from(value as i64).map(|value| value.to_le_bytes().to_vec()).map_err(|_| bad())
        };
        let unsigned =
            |value: u64| u32::try_from(value).map(|value| value.to_le_bytes().to_vec()).map_err(|_| bad());
        let addend = r.addend as u64;
        let bytes = match kind {
            elf::R_X86_64_NONE => return Ok(()),
            elf::R_X86_64_64 | elf::R_X86_64_32 | elf::R_X86_64_32S => {
                let value = self.address(r, symbol, target(symbol, r, 0), refers)?.wrapping_add(addend);
                match kind {
                    elf::R_X86_64_64 => wide(value),
                    elf::R_X86_64_32 => unsigned(value)?,
                    _ => signed(value)?,
                }
            }
            elf::R_X86_64_PC32 | elf::R_X86_64_PLT32 | elf::R_X86_64_PC64 => {
                // Of a table of distances the field's own place is no part of what is meant.
                let meant = if plan.unit.sections.get(&section).is_some_and(|s| s.kind == Kind::Code) {
                    target(symbol, r, end.wrapping_sub(field))
                } else {
                    u64::MAX
                };
                let at = self.address(r, symbol, meant, refers)?;
                let value = at.wrapping_add(addend).wrapping_sub(here);
                if width == 8 { wide(value) } else { signed(value)? }
            }
            elf::R_X86_64_GOTPCREL | elf::R_X86_64_GOTPCRELX | elf::R_X86_64_REX_GOTPCRELX => {
                let slot = self.slot(r.symbol, symbol)?;
                signed(slot.wrapping_add(addend).wrapping_sub(here))?
            }
            elf::R_X86_64_TPOFF32 => signed(self.thread_offset(symbol)?.wrapping_add(addend))?,
            elf::R_X86_64_GOTTPOFF => {
                let offset = self.thread_offset(symbol)?;
                let slot = self.own_slot(r.symbol, offset, false)?;
                signed(slot.wrapping_add(addend).wrapping_sub(here))?
            }
            _ => return Err(bad()),
        };
        self.put(place, &bytes)
    }

    /// The value of a symbol, for a reference that means `meant` in its section.
    fn address(
        &mut self,
        r: &Relocation,
        symbol: &Symbol,
        meant: u64,
        refers: Refers,
    ) -> Result<u64, NotSwapped> {
        let Some(section) = symbol.section else {
            return self.elsewhere(r.symbol, symbol, refers);
        };
        let unit = self.plan.unit;
        let Some(kind) = unit.sections.get(&section).map(|s| s.kind) else {
            return Err(NotSwapped::Data { name: symbol.name.clone() });
        };
        match kind {
            Kind::Data => Ok(self.variables(section)?.wrapping_add(symbol.offset)),
            Kind::Code | Kind::Constant => {
                let starts = if kind == Kind::Code { self.plan.starts(section, meant) } else { None };
                if let Some(function) = starts.filter(|_| refers == Refers::Address) {
                    let of = unit.file.as_deref();
                    let found = self.program.find(&function.name, Names::Function, function.local, of);
                    let missing = || NotSwapped::Unresolved { name: function.name.clone() };
                    let at = found.ok_or_else(missing)?.address;
                    return Ok(at.wrapping_sub(function.offset).wrapping_add(symbol.offset));
                }
                let placed = self.plan.placed.get(&section);
                let missing = || NotSwapped::Unresolved { name: symbol.name.clone() };
                Ok(self.base + placed.ok_or_else(missing)? + symbol.offset)
            }
            Kind::Tls | Kind::Other => {
                Err(NotSwapped::Relocation { kind: r.kind, name: symbol.name.clone() })
            }
        }
    }

    /// The value of a symbol that the object does not define.
    fn elsewhere(&mut self, index: usize, symbol: &Symbol, refers: Refers) -> Result<u64, NotSwapped> {
        let unresolved = || NotSwapped::Unresolved { name: symbol.name.clone() };
        for kind in [Names::Function, Names::Variable] {
            if let Some(place) = self.program.find(&symbol.name, kind, false, None) {
                return Ok(place.address);
            }
        }
        if refers != Refers::Branch {
            return Err(unresolved());
        }
        if let Some(slot) = self.program.slots.get(&symbol.name).copied() {
            return self.stub(index, slot.address);
        }
        let at = (self.library)(&symbol.name).ok_or_else(unresolved)?;
        let slot = self.own_slot(index, at, false)?;
        self.stub(index, slot)
    }

    /// A slot that holds the address of a symbol.
    fn slot(&mut self, index: usize, symbol: &Symbol) -> Result<u64, NotSwapped> {
        let relocation = Relocation { kind: elf::R_X86_64_64.0, symbol: index, addend: 0 };
        if symbol.section.is_some() {
            let at = self.address(&relocation, symbol, symbol.offset, Refers::Address)?;
            return self.own_slot(index, at, false);
        }
        match self.elsewhere(index, symbol, Refers::Address) {
            Ok(at) => self.own_slot(index, at, false),
            Err(unresolved) => match self.program.slots.get(&symbol.name) {
                Some(slot) if slot.bound => Ok(slot.address),
                Some(_) => Err(unresolved),
                None => {
                    let at = (self.library)(&symbol.name).ok_or(unresolved)?;
                    self.own_slot(index, at, false)
                }
            },
        }
    }

    /// A place behind the sections: a slot with a value, or a stub.
    fn own_slot(&mut self, index: usize, value: u64, is_stub: bool) -> Result<u64, NotSwapped> {
        if let Some(at) = self.slots.get(&(index, is_stub)) {
            return Ok(*at);
        }
        let half = if is_stub { 8 } else { 0 };
        let order = self.plan.unit.symbols.range(..index).count() as u64;
        let at = self.plan.slots + STUB * order + half;
        self.put(at, &value.to_le_bytes())?;
        self.slots.insert((index, is_stub), self.base + at);
        Ok(self.base + at)
    }

    /// A jump through a slot.
    fn stub(&mut self, index: usize, slot: u64) -> Result<u64, NotSwapped> {
        let order = self.plan.unit.symbols.range(..index).count() as u64;
        let at = self.base + self.plan.slots + STUB * order + 8;
        let distance = slot.wrapping_sub(at + 6) as i64;
        let missing = || NotSwapped::Relocation { kind: elf::R_X86_64_PLT32.0, name: String::new() };
        let distance = i32::try_from(distance).map_err(|_| missing())?;
        let mut code = [0xff, 0x25, 0, 0, 0, 0, 0xcc, 0xcc];
        code[2..6].copy_from_slice(&distance.to_le_bytes());
        self.own_slot(index, u64::from_le_bytes(code), true)
    }

    /// Where the program has a section of variables.
    fn variables(&mut self, section: usize) -> Result<u64, NotSwapped> {
        if let Some(at) = self.data.get(&section) {
            return Ok(*at);
        }
        let at = self.counterpart(section, Names::Variable)?;
        self.data.insert(section, at);
        Ok(at)
    }

    /// Where the program has what a section holds: the one distance of all of its symbols.
    fn counterpart(&self, section: usize, kind: Names) -> Result<u64, NotSwapped> {
        let unit = self.plan.unit;
        let name = unit.sections.get(&section).map_or("", |s| s.name.as_str());
        let mut all = None;
        for symbol in unit.symbols.values().filter(|s| s.section == Some(section) && s.names == kind) {
            let missing = || NotSwapped::Data { name: symbol.name.clone() };
            let found = self.program.find(&symbol.name, kind, symbol.local, unit.file.as_deref());
            let found = found.filter(|place| place.size == symbol.size).ok_or_else(missing)?;
            let at = found.address.wrapping_sub(symbol.offset);
            if *all.get_or_insert(at) != at {
                return Err(missing());
            }
        }
        all.ok_or_else(|| NotSwapped::Data { name: name.to_owned() })
    }

    /// Distance of a thread's variable from the thread pointer.
    fn thread_offset(&self, symbol: &Symbol) -> Result<u64, NotSwapped> {
        let missing = || NotSwapped::Data { name: symbol.name.clone() };
        let block = self.program.tls.ok_or_else(missing)?;
        let at = match symbol.section {
            Some(section) => {
                let is_tls = self.plan.unit.sections.get(&section).is_some_and(|s| s.kind == Kind::Tls);
                is_tls.then_some(()).ok_or_else(missing)?;
                self.counterpart(section, Names::ThreadVariable)?.wrapping_add(symbol.offset)
            }
            None => {
                let found = self.program.find(&symbol.name, Names::ThreadVariable, false, None);
                found.ok_or_else(missing)?.address
            }
        };
        Ok(at.wrapping_sub(block))
    }
}
