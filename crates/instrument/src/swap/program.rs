//! Where the running program has its functions, variables and imports.

use super::refused::NotSwapped;
use super::unit::{Names, names};
use object::elf;
use object::read::{Object, ObjectSegment, ObjectSymbol, RelocationTarget, SymbolSection};
use object::{RelocationFlags, SymbolFlags};
use std::collections::{HashMap, HashSet};

/// A defined symbol.
#[derive(Clone, Debug)]
pub struct Place {
    /// Where it is in the process; of a thread's variable the offset in the program's block.
    pub address: u64,
    pub size: u64,
    pub names: Names,
    pub local: bool,
    /// The source of a local symbol.
    pub file: Option<String>,
}

/// A slot of the program's table through which it reaches what libraries define.
#[derive(Clone, Copy, Debug)]
pub struct Slot {
    pub address: u64,
    /// It holds the address from the start, not only after the first call.
    pub bound: bool,
}

/// The program.
#[derive(Clone, Debug, Default)]
pub struct Program {
    pub symbols: HashMap<String, Vec<Place>>,
    pub slots: HashMap<String, Slot>,
    /// What libraries define for it.
    pub imports: HashSet<String>,
    /// Size of the block of thread variables, with its alignment.
    pub tls: Option<u64>,
}

/// What leaves a call without its return, or looks at the stack, in any code.
const JUMPS: [&str; 11] = [
    "longjmp",
    "_longjmp",
    "siglongjmp",
    "__longjmp_chk",
    "setcontext",
    "swapcontext",
    "makecontext",
    "clone",
    "__asan_init",
    "__tsan_init",
    "__msan_init",
];
/// What unwinds through a call, where the function itself calls: exceptions, the end of a thread, lists of callers.
const UNWINDS: [&str; 11] = [
    "_Unwind_RaiseException",
    "_Unwind_ForcedUnwind",
    "_Unwind_Backtrace",
    "_Unwind_Resume",
    "__cxa_throw",
    "__gxx_personality_v0",
    "__gcc_personality_v0",
    "rust_eh_personality",
    "pthread_exit",
    "pthread_cancel",
    "backtrace",
];

impl Program {
    /// Reads the program's file; `start` is where its first page is in the process.
    pub fn read(bytes: &[u8], start: u64) -> Result<Self, NotSwapped> {
        let program = |what: &str| NotSwapped::Program { what: what.to_owned() };
        let file = object::File::parse(bytes).map_err(|e| program(&e.to_string()))?;
        if file.dynamic_symbols().next().is_none() {
            return Err(program("the program is static"));
        }
        let lowest = file.segments().map(|segment| segment.address() & !0xfff).min().unwrap_or(0);
        let bias = start.wrapping_sub(lowest);
        let mut this = Self { tls: tls_block(bytes), ..Self::default() };
        let mut of = None;
        for symbol in file.symbols() {
            let SymbolFlags::Elf { st_info, .. } = symbol.flags() else { continue };
            let name = symbol.name().unwrap_or_default();
            if st_info.0 & 0xf == 4 {
                of = Some(name.to_owned());
                continue;
            }
            if !matches!(symbol.section(), SymbolSection::Section(_)) {
                continue;
            }
            let names = names(st_info.0);
            let local = st_info.0 >> 4 == 0;
            let address = match names {
                Names::ThreadVariable => symbol.address(),
                _ => symbol.address().wrapping_add(bias),
            };
            let file = of.clone().filter(|_| local);
            // `stdout@GLIBC_2.2.5`: a copy of a library's variable.
            let name = name.split('@').next().unwrap_or(name);
            let place = Place { address, size: symbol.size(), names, local, file };
            this.symbols.entry(name.to_owned()).or_default().push(place);
        }
        if this.symbols.is_empty() {
            return Err(program("the program has no symbols (it was linked with -s or stripped)"));
        }
        let undefined = file.dynamic_symbols().filter(|symbol| symbol.is_undefined());
        this.imports = undefined.map(|symbol| symbol.name().unwrap_or_default().to_owned()).collect();
        let dynamic: HashMap<usize, String> = file
            .dynamic_symbols()
            .map(|symbol| (symbol.index().0, symbol.name().unwrap_or_default().to_owned()))
            .collect();
        for (at, relocation) in file.dynamic_relocations().into_iter().flatten() {
            let RelocationFlags::Elf { r_type } = relocation.flags() else { continue };
            let RelocationTarget::Symbol(symbol) = relocation.target() else { continue };
            let bound = r_type.0 == elf::R_X86_64_GLOB_DAT.0;
            if !bound && r_type.0 != elf::R_X86_64_JUMP_SLOT.0 {
                continue;
            }
            let Some(name) = dynamic.get(&symbol.0) else { continue };
            let slot = Slot { address: at.wrapping_add(bias), bound };
            let known = this.slots.entry(name.clone()).or_insert(slot);
            if bound {
                *known = slot;
            }
        }
        Ok(this)
    }

    /// What may leave a call of a function without a return; `calls`: the function calls others.
    pub fn leaves(&self, calls: bool) -> Option<&str> {
        let unwinds = UNWINDS.iter().filter(|_| calls);
        let mut names = JUMPS.iter().chain(unwinds).copied();
        names.find(|name| self.imports.contains(*name) || self.symbols.contains_key(*name))
    }

    /// The one symbol of this name and kind that a source's symbol can mean.
    pub fn find(&self, name: &str, kind: Names, local: bool, file: Option<&str>) -> Option<&Place> {
        let all: Vec<&Place> = self
            .symbols
            .get(name)?
            .iter()
            .filter(|place| place.names == kind && place.local == local)
            .collect();
        match all[..] {
            [one] => Some(one),
            _ => {
                let of: Vec<&&Place> =
                    all.iter().filter(|p| file.is_some() && p.file.as_deref() == file).collect();
                match of[..] {
                    [one] => Some(one),
                    _ => None,
                }
            }
        }
    }
}

/// Bytes from the start of the program's thread variables to the thread pointer (variant II of the ELF TLS model).
fn tls_block(bytes: &[u8]) -> Option<u64> {
    use object::read::elf::{FileHeader, ProgramHeader};
    let header = elf::FileHeader64::<object::Endianness>::parse(bytes).ok()?;
    let endian = header.endian().ok()?;
    let all = header.program_headers(endian, bytes).ok()?;
    let segment = all.iter().find(|segment| segment.p_type(endian) == elf::PT_TLS)?;
    let align = segment.p_align(endian).max(1);
    // A block that does not begin at its alignment is not understood here.
    (segment.p_vaddr(endian) % align == 0).then_some(())?;
    segment.p_memsz(endian).checked_next_multiple_of(align)
}
