//! Where addresses are in the file: program headers for bytes and permissions, section headers for names.
//! Everything is checked against the file's size here, so that the rest of the crate can query any address.
//!
//! Source: System V ABI, "Program Header" and "Dynamic Section"; x86-64 psABI.

use super::error::Error;
use crate::warning::Warning;
use object::LittleEndian as LE;
use object::elf;
use object::read::elf::{ElfFile32, ElfFile64, FileHeader as _, ProgramHeader as _, SectionHeader as _};
use object::read::{Object as _, ObjectSection as _};
use std::ops::Range;
use std::path::Path;

/// An ELF file of the only kind that is supported.
pub(super) type Elf<'a> = ElfFile64<'a, LE, &'a [u8]>;

/// A loadable segment.
#[derive(Clone, Debug)]
pub(super) struct Segment {
    pub address: Range<u64>,
    pub file: Range<usize>,
    pub executable: bool,
    pub writable: bool,
}

/// A section that is part of the running program, or one that holds debug information.
#[derive(Clone, Debug)]
pub(super) struct Section {
    pub name: String,
    pub address: Range<u64>,
    pub file: Range<usize>,
    pub executable: bool,
    pub allocated: bool,
    pub kind: elf::SectionType,
}

/// Program and section headers, checked.
#[derive(Clone, Debug, Default)]
pub(super) struct Layout {
    pub segments: Vec<Segment>,
    pub sections: Vec<Section>,
    /// Written by the loader, read-only afterwards (`PT_GNU_RELRO`).
    pub relro: Vec<Range<u64>>,
    pub entry: u64,
    pub position_independent: bool,
    pub interpreter: bool,
    pub eh_frame_hdr: Option<u64>,
    /// The dynamic section's `(tag, value)` pairs.
    pub dynamic: Vec<(elf::DynamicTag, u64)>,
}

/// The kind of a file that is not an ELF file, and the advice.
fn not_elf(bytes: &[u8]) -> (&'static str, &'static str) {
    if bytes.is_empty() {
        ("empty", "build it again")
    } else if bytes.starts_with(b"#!") {
        ("a script", "name the interpreter that runs it, or the library that does the work")
    } else if bytes.starts_with(b"MZ") {
        ("a Windows binary", "build it for Linux")
    } else if bytes.starts_with(b"!<arch>") {
        ("a static library", "name the program that it is linked into")
    } else if bytes.starts_with(&[0xcf, 0xfa, 0xed, 0xfe]) {
        ("a Mach-O binary", "build it for Linux")
    } else if bytes.starts_with(b"\0asm") {
        ("a WebAssembly module", "build it for x86-64")
    } else if bytes.starts_with(&[0x1f, 0x8b]) || bytes.starts_with(b"\xfd7zXZ") {
        ("a compressed file", "decompress it first")
    } else if bytes.starts_with(b"BC\xc0\xde") {
        ("LLVM bitcode", "name the linked program")
    } else if bytes.iter().take(512).all(|b| b.is_ascii_graphic() || b.is_ascii_whitespace()) {
        ("a text file", "name the executable or shared library that does the work")
    } else {
        ("of an unknown format", "name an executable or shared library")
    }
}

fn machine_name(machine: elf::Machine, bits: u32) -> String {
    let name = match machine {
        elf::EM_386 => "32-bit x86",
        elf::EM_AARCH64 => "AArch64",
        elf::EM_ARM => "32-bit Arm",
        elf::EM_RISCV => "RISC-V",
        elf::EM_PPC64 => "64-bit PowerPC",
        elf::EM_S390 => "IBM Z",
        elf::EM_X86_64 if bits == 32 => "x86-64 with 32-bit pointers (x32)",
        elf::EM_X86_64 => "x86-64 in big-endian order",
        _ => return format!("ELF machine number {machine}"),
    };
    name.to_owned()
}

/// Opens the ELF structure of `bytes`, which must be 64-bit little-endian x86-64.
pub(super) fn parse<'a>(path: &Path, bytes: &'a [u8]) -> Result<Elf<'a>, Error> {
    let damaged = |detail: String| Error::Damaged { path: path.to_owned(), detail };
    if !bytes.starts_with(&elf::ELFMAG) {
        let (found, advice) = not_elf(bytes);
        return Err(Error::NotElf { path: path.to_owned(), found, advice });
    }
    let byte = |at: usize| bytes.get(at).copied().unwrap_or(0);
    if bytes.len() < 20 {
        return Err(damaged("the file ends within the ELF header".to_owned()));
    }
    let big = byte(5) == elf::ELFDATA2MSB.0;
    let machine = elf::Machine(if big {
        u16::from_be_bytes([byte(18), byte(19)])
    } else {
        u16::from_le_bytes([byte(18), byte(19)])
    });
    let bits = if byte(4) == elf::ELFCLASS32.0 { 32 } else { 64 };
    if machine != elf::EM_X86_64 || bits == 32 || big {
        return Err(Error::OtherMachine { path: path.to_owned(), found: machine_name(machine, bits) });
    }
    Elf::parse(bytes).map_err(|e| damaged(e.to_string()))
}

/// Whether a file of 32-bit x86 has symbols, and line tables; `None` for other files. Its code is not
/// analysed, but the report must not say that it lacks them.
pub(super) fn tables_of_32_bits(bytes: &[u8]) -> Option<(bool, bool)> {
    let file =
        ElfFile32::<LE>::parse(bytes).ok().filter(|f| f.elf_header().e_machine.get(LE) == elf::EM_386)?;
    let sized = |name: &str| file.section_by_name(name).is_some_and(|section| section.size() > 0);
    Some((!file.elf_symbol_table().is_empty(), sized(".debug_line") || sized(".zdebug_line")))
}

fn file_range(offset: u64, size: u64, length: usize) -> Option<Range<usize>> {
    let start = usize::try_from(offset).ok()?;
    if start > length {
        return None;
    }
    let end = start.saturating_add(usize::try_from(size).ok()?).min(length);
    Some(start..end)
}

impl Layout {
    /// Reads the headers. `warnings` receives the tables that had to be cut.
    pub(super) fn read(
        path: &Path,
        file: &Elf<'_>,
        bytes: &[u8],
        warnings: &mut Vec<Warning>,
    ) -> Result<Self, Error> {
        let header = file.elf_header();
        let mut layout = Self {
            entry: header.e_entry(LE),
            position_independent: header.e_type(LE) == elf::ET_DYN,
            ..Self::default()
        };
        match header.e_type(LE) {
            elf::ET_EXEC | elf::ET_DYN => {}
            elf::ET_REL => return Err(Error::NotLinked { path: path.to_owned(), found: "an object file" }),
            elf::ET_CORE => return Err(Error::NotLinked { path: path.to_owned(), found: "a core dump" }),
            _ => {
                return Err(Error::NotLinked { path: path.to_owned(), found: "an ELF file of unknown type" });
            }
        }
        layout.read_segments(file, bytes, warnings);
        if layout.segments.is_empty() {
            return Err(Error::Damaged {
                path: path.to_owned(),
                detail: "it has no loadable segment".to_owned(),
            });
        }
        layout.sections = sections(file, bytes);
        Ok(layout)
    }

    fn read_segments(&mut self, file: &Elf<'_>, bytes: &[u8], warnings: &mut Vec<Warning>) {
        let mut dynamic = None;
        for header in file.elf_program_headers() {
            let start = header.p_vaddr(LE);
            let memory = start..start.saturating_add(header.p_memsz(LE));
            let flags = header.p_flags(LE);
            match header.p_type(LE) {
                elf::PT_LOAD => {
                    let size = header.p_filesz(LE).min(header.p_memsz(LE));
                    let Some(range) = file_range(header.p_offset(LE), size, bytes.len()) else {
                        warnings.push(Warning::SegmentMissing { address: start });
                        continue;
                    };
                    if (range.len() as u64) < size {
                        warnings.push(Warning::SegmentCut { address: start });
                    }
                    self.segments.push(Segment {
                        address: memory,
                        file: range,
                        executable: (flags & elf::PF_X).0 != 0,
                        writable: (flags & elf::PF_W).0 != 0,
                    });
                }
                elf::PT_GNU_RELRO => self.relro.push(memory),
                elf::PT_INTERP => self.interpreter = true,
                elf::PT_GNU_EH_FRAME => self.eh_frame_hdr = Some(start),
                elf::PT_DYNAMIC => {
                    dynamic = file_range(header.p_offset(LE), header.p_filesz(LE), bytes.len())
                }
                _ => {}
            }
        }
        self.segments.sort_by_key(|s| s.address.start);
        if let Some(entries) = dynamic.and_then(|range| bytes.get(range)) {
            self.dynamic = entries
                .chunks_exact(16)
                .map_while(|entry| {
                    let (tag, value) = entry.split_at(8);
                    let tag = i64::from_le_bytes(tag.try_into().ok()?);
                    (tag != 0).then_some((elf::DynamicTag(tag), u64::from_le_bytes(value.try_into().ok()?)))
                })
                .collect();
        }
    }

    /// Value of a tag of the dynamic section.
    pub(super) fn dynamic_value(&self, tag: elf::DynamicTag) -> Option<u64> {
        self.dynamic.iter().find(|(t, _)| *t == tag).map(|(_, value)| *value)
    }

    fn segment_at(&self, address: u64) -> Option<&Segment> {
        // Few and, in intact files, disjoint; a linear walk also works for damaged ones.
        self.segments.iter().find(|s| s.address.contains(&address))
    }

    /// Index range of the file that backs `length` bytes at `address`.
    pub(super) fn file_range(&self, address: u64, length: u64) -> Option<Range<usize>> {
        let segment = self.segment_at(address)?;
        let skip = usize::try_from(address - segment.address.start).ok()?;
        let start = segment.file.start.checked_add(skip)?;
        let end = start.checked_add(usize::try_from(length).ok()?)?;
        (end <= segment.file.end).then_some(start..end)
    }

    /// From `address` to the end of its segment's bytes.
    pub(super) fn file_tail(&self, address: u64) -> Option<Range<usize>> {
        let segment = self.segment_at(address)?;
        let skip = usize::try_from(address - segment.address.start).ok()?;
        let start = segment.file.start.checked_add(skip)?;
        (start < segment.file.end).then_some(start..segment.file.end)
    }

    /// Whether `address` is in an executable segment.
    pub(super) fn is_executable(&self, address: u64) -> bool {
        self.segment_at(address).is_some_and(|s| s.executable)
    }

    /// Whether `address` is in executable code: in an executable section where sections are known (old
    /// linkers put `.rodata` into the executable segment), else in such a segment.
    pub(super) fn is_code(&self, address: u64) -> bool {
        if !self.is_executable(address) {
            return false;
        }
        match self.section_at(address) {
            Some(section) => section.executable,
            None => true,
        }
    }

    /// The allocated section that holds `address`.
    pub(super) fn section_at(&self, address: u64) -> Option<&Section> {
        self.sections.iter().find(|s| s.allocated && s.address.contains(&address))
    }

    /// Whether `address` is in a procedure linkage table, where the file has section headers.
    pub(super) fn is_linkage_stub(&self, address: u64) -> bool {
        self.section_at(address).is_some_and(|s| s.name.starts_with(".plt") || s.name == ".iplt")
    }

    /// The section of this name.
    pub(super) fn section(&self, name: &str) -> Option<&Section> {
        self.sections.iter().find(|s| s.name == name)
    }

    /// Whether the running program cannot write to `address`.
    pub(super) fn is_read_only(&self, address: u64) -> bool {
        match self.segment_at(address) {
            Some(segment) => !segment.writable || self.relro.iter().any(|r| r.contains(&address)),
            None => false,
        }
    }

    /// End of the code that holds `address`: of its section, or else of its segment.
    pub(super) fn code_end(&self, address: u64) -> Option<u64> {
        self.section_at(address)
            .map(|s| s.address.end)
            .or_else(|| self.segment_at(address).map(|s| s.address.end))
    }
}

/// Section headers of any ELF file, of separate debug files too.
pub(super) fn sections(file: &Elf<'_>, bytes: &[u8]) -> Vec<Section> {
    let table = file.elf_section_table();
    table
        .iter()
        .filter_map(|header| {
            let name = table.section_name(LE, header).ok()?;
            let start = header.sh_addr(LE);
            let kind = header.sh_type(LE);
            let size = header.sh_size(LE);
            let stored = if kind == elf::SHT_NOBITS { 0 } else { size };
            let flags = header.sh_flags(LE);
            Some(Section {
                name: String::from_utf8_lossy(name).into_owned(),
                address: start..start.saturating_add(size),
                file: file_range(header.sh_offset(LE), stored, bytes.len()).unwrap_or(0..0),
                executable: (flags & elf::SHF_EXECINSTR).0 != 0,
                allocated: (flags & elf::SHF_ALLOC).0 != 0 && size > 0,
                kind,
            })
        })
        .collect()
}
