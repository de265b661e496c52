//! The compiled handler, as it is put beside the copies of hooked functions.

use object::elf::PT_LOAD;
use object::read::elf::{ElfFile64, ProgramHeader};
use object::{Endianness, Object, ObjectSymbol};
use std::sync::OnceLock;

/// What `build.rs` compiled.
static MPI: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/mpi.so"));
static FILES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/files.so"));
static HEAP: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/heap.so"));

/// The handler's code with its constants, which runs at any address, and its two entries.
#[derive(Debug)]
pub struct Blob {
    pub code: Vec<u8>,
    /// Offset of the entry for the beginning of a call.
    pub enter: u64,
    /// Offset of the entry for its end.
    pub exit: u64,
}

/// The handler of MPI's functions.
pub fn mpi() -> Option<&'static Blob> {
    static BLOB: OnceLock<Option<Blob>> = OnceLock::new();
    BLOB.get_or_init(|| read(MPI)).as_ref()
}

/// The handler of input and output.
pub fn files() -> Option<&'static Blob> {
    static BLOB: OnceLock<Option<Blob>> = OnceLock::new();
    BLOB.get_or_init(|| read(FILES)).as_ref()
}

/// The handler of the heap.
pub fn heap() -> Option<&'static Blob> {
    static BLOB: OnceLock<Option<Blob>> = OnceLock::new();
    BLOB.get_or_init(|| read(HEAP)).as_ref()
}

fn read(library: &'static [u8]) -> Option<Blob> {
    let file = ElfFile64::<Endianness>::parse(library).ok()?;
    let endian = file.endian();
    let mut code = Vec::new();
    for header in file.elf_program_headers().iter().filter(|h| h.p_type(endian) == PT_LOAD) {
        let bytes = header.data(endian, library).ok()?;
        let (from, length) = (header.p_vaddr(endian) as usize, bytes.len());
        code.resize(code.len().max(from + length), 0);
        code[from..from + length].copy_from_slice(bytes);
    }
    let find = |name: &str| file.dynamic_symbols().find(|s| s.name() == Ok(name)).map(|s| s.address());
    Some(Blob { enter: find("loopwright_enter")?, exit: find("loopwright_exit")?, code })
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;
    use iced_x86::{Decoder, DecoderOptions, Mnemonic};

    /// It must run wherever it is put, without a loader.
    #[test]
    fn handlers_need_nothing_but_themselves() {
        for library in [MPI, FILES, HEAP] {
            let file = ElfFile64::<Endianness>::parse(library).unwrap();
            assert!(file.dynamic_symbols().all(|s| s.is_definition() || s.name() == Ok("")), "no import");
            assert_eq!(file.dynamic_relocations().map_or(0, Iterator::count), 0, "no relocation");
            let blob = read(library).unwrap();
            assert!(blob.code.len() < 64 << 10, "{} bytes", blob.code.len());
            assert_ne!(blob.enter, blob.exit);
        }
    }

    /// The hooks save no vector register. Of the system only the number of the process is asked, where files are opened or closed.
    #[test]
    fn handlers_use_general_registers_only() {
        use object::ObjectSection;
        for (library, calls) in [(MPI, 0..=0), (FILES, 1..=8), (HEAP, 0..=0)] {
            let file = ElfFile64::<Endianness>::parse(library).unwrap();
            let text = file.section_by_name(".text").unwrap();
            let mut decoder =
                Decoder::with_ip(64, text.data().unwrap(), text.address(), DecoderOptions::NONE);
            let (mut instructions, mut system) = (0, 0);
            while decoder.can_decode() {
                let i = decoder.decode();
                instructions += 1;
                system += u32::from(i.mnemonic() == Mnemonic::Syscall);
                assert!(
                    i.op_kinds().enumerate().all(|(k, _)| !i.op_register(k as u32).is_vector_register()),
                    "{i:?}"
                );
            }
            assert!(instructions > 200, "{instructions}");
            assert!(calls.contains(&system), "{system}");
        }
    }
}
