//! What a compiler's output (an ELF relocatable) contains, as values. Untrusted bytes: nothing here panics.

use super::refused::NotSwapped;
use object::elf;
use object::read::{Object, ObjectSection, ObjectSymbol, RelocationTarget, SymbolSection};
use object::{RelocationFlags, SectionFlags, SymbolFlags};
use std::collections::BTreeMap;

/// Larger sections than this are not copied.
const LARGEST: u64 = 64 << 20;

/// What a section is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Instructions.
    Code,
    /// Constants, those that a loader would relocate included.
    Constant,
    /// Variables, which the program has already.
    Data,
    /// Variables of each thread.
    Tls,
    /// Nothing that code refers to.
    Other,
}

/// One section.
#[derive(Clone, Debug)]
pub struct Section {
    pub name: String,
    pub kind: Kind,
    pub align: u64,
    pub bytes: Vec<u8>,
    /// By the offset of the field.
    pub relocations: BTreeMap<u64, Relocation>,
}

/// One reference.
#[derive(Clone, Copy, Debug)]
pub struct Relocation {
    pub kind: u32,
    /// Index of the symbol.
    pub symbol: usize,
    pub addend: i64,
}

/// What a symbol names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Names {
    Function,
    Variable,
    ThreadVariable,
    Ifunc,
    Other,
}

/// One symbol.
#[derive(Clone, Debug)]
pub struct Symbol {
    pub name: String,
    pub names: Names,
    /// Index of its section; absent where it is defined elsewhere.
    pub section: Option<usize>,
    pub offset: u64,
    pub size: u64,
    pub local: bool,
}

/// One object.
#[derive(Clone, Debug)]
pub struct Unit {
    pub sections: BTreeMap<usize, Section>,
    pub symbols: BTreeMap<usize, Symbol>,
    /// The source as the compiler named it.
    pub file: Option<String>,
    /// clang made it.
    pub clang: bool,
}

/// The kind of symbol in the ELF sense.
pub fn names(info: u8) -> Names {
    match info & 0xf {
        2 => Names::Function,
        1 | 5 => Names::Variable,
        6 => Names::ThreadVariable,
        10 => Names::Ifunc,
        _ => Names::Other,
    }
}

impl Unit {
    /// Reads an object.
    pub fn read(bytes: &[u8]) -> Result<Self, NotSwapped> {
        let broken = |what: &str| NotSwapped::Object { what: what.to_owned() };
        let file = object::File::parse(bytes).map_err(|e| broken(&e.to_string()))?;
        if file.format() != object::BinaryFormat::Elf
            || file.architecture() != object::Architecture::X86_64
            || file.kind() != object::ObjectKind::Relocatable
        {
            return Err(broken("another format"));
        }
        let mut sections = BTreeMap::new();
        let mut clang = false;
        for section in file.sections() {
            let name = section.name().unwrap_or_default().to_owned();
            if name.starts_with(".gnu.lto_") || name == ".llvm.lto" {
                return Err(NotSwapped::LinkTime);
            }
            if name == ".comment" {
                let text = section.data().unwrap_or_default();
                clang = text.windows(5).any(|word| word == b"clang");
            }
            let SectionFlags::Elf { sh_flags, .. } = section.flags() else { continue };
            let has = |flag: elf::SectionFlags| sh_flags.0 & flag.0 != 0;
            let kind = if !has(elf::SHF_ALLOC) {
                continue;
            } else if has(elf::SHF_TLS) {
                Kind::Tls
            } else if has(elf::SHF_EXECINSTR) {
                Kind::Code
            } else if name.starts_with(".eh_frame") || name.starts_with(".note") {
                Kind::Other
            } else if !has(elf::SHF_WRITE) || name.starts_with(".data.rel.ro") {
                Kind::Constant
            } else {
                Kind::Data
            };
            if section.size() > LARGEST || section.align() > 4096 {
                return Err(broken("a section is too large"));
            }
            let bytes = match kind {
                Kind::Code | Kind::Constant => section.data().map_err(|e| broken(&e.to_string()))?.to_vec(),
                _ => Vec::new(),
            };
            let mut relocations = BTreeMap::new();
            for (offset, relocation) in section.relocations() {
                let RelocationFlags::Elf { r_type } = relocation.flags() else { continue };
                let RelocationTarget::Symbol(symbol) = relocation.target() else {
                    if r_type.0 == 0 {
                        continue;
                    }
                    return Err(broken("a reference to nothing"));
                };
                let addend = relocation.addend();
                let one = Relocation { kind: r_type.0, symbol: symbol.0, addend };
                if relocations.insert(offset, one).is_some() {
                    return Err(broken("two references in one place"));
                }
            }
            let align = section.align().max(1);
            sections.insert(section.index().0, Section { name, kind, align, bytes, relocations });
        }
        let (mut symbols, mut of) = (BTreeMap::new(), None);
        for symbol in file.symbols() {
            let SymbolFlags::Elf { st_info, .. } = symbol.flags() else { continue };
            let name = symbol.name().unwrap_or_default().to_owned();
            if st_info.0 & 0xf == 4 {
                of = Some(name);
                continue;
            }
            if name.starts_with("__gnu_lto_") {
                return Err(NotSwapped::LinkTime);
            }
            let section = match symbol.section() {
                SymbolSection::Section(index) => Some(index.0),
                SymbolSection::Undefined | SymbolSection::Common => None,
                _ => continue,
            };
            let one = Symbol {
                name,
                names: names(st_info.0),
                section,
                offset: if section.is_some() { symbol.address() } else { 0 },
                size: symbol.size(),
                local: st_info.0 >> 4 == 0,
            };
            symbols.insert(symbol.index().0, one);
        }
        Ok(Self { sections, symbols, file: of, clang })
    }

    /// The only function of this name.
    pub fn function(&self, name: &str) -> Option<(usize, &Symbol)> {
        let is = |symbol: &Symbol| {
            symbol.name == name && symbol.names == Names::Function && symbol.section.is_some()
        };
        let mut found = self.symbols.iter().filter(|(_, symbol)| is(symbol));
        let (at, symbol) = found.next()?;
        found.next().is_none().then_some((*at, symbol))
    }

    /// The function that contains a place.
    pub fn function_at(&self, section: usize, offset: u64) -> Option<&Symbol> {
        let inside = |s: &&Symbol| {
            let end = s.offset.saturating_add(s.size);
            s.section == Some(section) && s.names == Names::Function && (s.offset..end).contains(&offset)
        };
        self.symbols.values().find(inside)
    }

    /// A copy of the function under another name, by which calls go around it.
    pub fn clone_of(&self, name: &str) -> Option<&str> {
        let mut all = self.symbols.values().filter(|symbol| symbol.names == Names::Function);
        let is = |other: &str| {
            let rest = other.strip_prefix(name).and_then(|rest| rest.strip_prefix('.'));
            rest.is_some_and(|rest| !rest.starts_with("cold"))
        };
        all.find(|symbol| is(&symbol.name)).map(|symbol| symbol.name.as_str())
    }
}
