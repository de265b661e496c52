//! The facts about a mapped ELF file that the collector needs: its segments (to turn file offsets into ELF
//! virtual addresses), its build id and its unwind tables.
//!
//! Read once per file and only when a sample falls into it. Only headers and the unwind sections are read,
//! into own memory: a file that is rewritten while it runs can thus neither fault the collector nor cost more
//! than its tables. Sections: System V ABI and Linux Standard Base Core, "Exception Frames".

use std::io::{BufReader, Read};
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

use framehop::x86_64::UnwinderX86_64;
use framehop::{ExplicitModuleSectionInfo, Unwinder};
use loopwright_files::regular;
use object::elf;
use object::read::elf::{ElfFile64, ProgramHeader};
use object::{LittleEndian, Object, ObjectSection, ReadCache, ReadRef};

/// Bytes of an unwind section.
pub type Section = Arc<[u8]>;

/// Unwind sections beyond this size are not loaded (the largest known browsers have about 40 MB).
const MOST_UNWIND_BYTES: u64 = 256 << 20;

/// A loadable segment.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Segment {
    file: Range<u64>,
    address: u64,
    executable: bool,
}

/// An ELF file, as far as sampling needs it.
pub struct Image {
    segments: Vec<Segment>,
    /// Build id in hexadecimal.
    pub build_id: Option<String>,
    /// Unwinds within this file's own address space.
    pub unwinder: UnwinderX86_64<Section>,
}

/// The file is a 32-bit ELF file.
pub fn is_32_bit(path: &Path) -> bool {
    // System V ABI, "ELF identification": four bytes of magic, then the class.
    let mut identification = [0_u8; 5];
    let read = regular::open(path).and_then(|mut file| file.read_exact(&mut identification));
    read.is_ok()
        && identification.starts_with(&elf::ELFMAG)
        && identification.last() == Some(&elf::ELFCLASS32.0)
}

impl Image {
    /// Reads a file.
    pub fn open(path: &Path, with_unwind_tables: bool) -> Option<Self> {
        let cache = ReadCache::new(BufReader::new(regular::open(path).ok()?));
        // framehop indexes tables without `.eh_frame_hdr` at once, with unchecked arithmetic on their values.
        catch_unwind(AssertUnwindSafe(|| Self::parse(&cache, with_unwind_tables))).ok()?
    }

    /// The kernel's page of user code, from the collector's own memory: it is the same for every 64-bit process.
    pub fn vdso() -> Option<Self> {
        Self::parse(vdso_bytes()?, true)
    }

    fn parse<'data, R: ReadRef<'data>>(data: R, with_unwind_tables: bool) -> Option<Self> {
        let file = ElfFile64::<LittleEndian, R>::parse(data).ok()?;
        let endian = file.endian();
        let headers = file.elf_program_headers();
        let segments: Vec<Segment> = headers
            .iter()
            .filter(|header| header.p_type(endian) == elf::PT_LOAD)
            .filter_map(|header| {
                let start = header.p_offset(endian);
                Some(Segment {
                    file: start..start.checked_add(header.p_filesz(endian))?,
                    address: header.p_vaddr(endian),
                    executable: header.p_flags(endian).0 & elf::PF_X.0 != 0,
                })
            })
            .collect();
        let build_id = file.build_id().ok().flatten().map(crate::perf::records::hexadecimal);
        let mut unwinder = UnwinderX86_64::new();
        if with_unwind_tables {
            let range = |name: &[u8]| {
                let section = file.section_by_name_bytes(name)?;
                let start = section.address();
                Some(start..start.checked_add(section.size())?)
            };
            let bytes = |name: &[u8]| -> Option<Section> {
                let section = file.section_by_name_bytes(name)?;
                if section.size() > MOST_UNWIND_BYTES {
                    return None;
                }
                let content = section.uncompressed_data().ok()?;
                (!content.is_empty()).then(|| Arc::from(&*content))
            };
            let mut sections = ExplicitModuleSectionInfo {
                base_svma: 0,
                text_svma: range(b".text"),
                got_svma: range(b".got"),
                eh_frame_svma: range(b".eh_frame"),
                eh_frame: bytes(b".eh_frame"),
                eh_frame_hdr_svma: range(b".eh_frame_hdr"),
                eh_frame_hdr: bytes(b".eh_frame_hdr"),
                ..Default::default()
            };
            if sections.eh_frame.is_none() {
                // Without section headers the program header still leads to the tables.
                from_program_header(headers, endian, data, &segments, &mut sections);
            }
            if sections.eh_frame.is_none() {
                sections.debug_frame = bytes(b".debug_frame");
            }
            // framehop's relative addresses have 32 bits; a file linked above 4 GiB gets its own base.
            let lowest = segments.iter().map(|segment| segment.address).min().unwrap_or(0);
            let base = if lowest > u64::from(u32::MAX) / 2 { lowest } else { 0 };
            sections.base_svma = base;
            unwinder.add_module(framehop::Module::new(String::new(), base..u64::MAX, base, sections));
        }
        Some(Self { segments, build_id, unwinder })
    }

    /// The ELF virtual address of the byte at `offset` in the file, as an executable mapping sees it.
    pub fn address_of(&self, offset: u64) -> Option<u64> {
        // Neighbouring segments may share a page of the file; code belongs to the executable one.
        let covers = |segment: &&Segment| {
            // The kernel maps whole pages, so that a segment reaches down to its page's start.
            let page = segment.file.start & !0xfff;
            (page..segment.file.end).contains(&offset)
        };
        let segment = self
            .segments
            .iter()
            .filter(|segment| segment.executable)
            .find(covers)
            .or_else(|| self.segments.iter().find(covers))?;
        Some(offset.wrapping_sub(segment.file.start).wrapping_add(segment.address))
    }
}

/// The mapped vDSO.
fn vdso_bytes() -> Option<&'static [u8]> {
    // SAFETY: getauxval has no preconditions.
    let start = unsafe { libc::getauxval(libc::AT_SYSINFO_EHDR) };
    let maps = std::fs::read_to_string("/proc/self/maps").ok()?;
    let line = maps.lines().find(|line| line.ends_with("[vdso]"))?;
    let (first, last) = line.split_whitespace().next()?.split_once('-')?;
    let (first, last) = (u64::from_str_radix(first, 16).ok()?, u64::from_str_radix(last, 16).ok()?);
    if first != start || last <= first {
        return None;
    }
    // SAFETY: the kernel maps the vDSO read-only over `first..last` for the whole life of the process.
    Some(unsafe { std::slice::from_raw_parts(first as *const u8, (last - first) as usize) })
}

/// Fills in the unwind sections from `PT_GNU_EH_FRAME`, whose header states where `.eh_frame` begins.
fn from_program_header<'data, R: ReadRef<'data>>(
    headers: &[elf::ProgramHeader64<LittleEndian>],
    endian: LittleEndian,
    data: R,
    segments: &[Segment],
    sections: &mut ExplicitModuleSectionInfo<Section>,
) -> Option<()> {
    let header = headers.iter().find(|header| header.p_type(endian) == elf::PT_GNU_EH_FRAME)?;
    let content: &[u8] = header.data(endian, data).ok()?;
    let address = header.p_vaddr(endian);
    // version 1, eh_frame_ptr encoded as DW_EH_PE_pcrel | DW_EH_PE_sdata4: what every linker writes.
    if content.get(..2)? != [1, 0x1b] {
        return None;
    }
    let relative = i32::from_le_bytes(content.get(4..8)?.try_into().ok()?);
    let start = address.checked_add(4)?.checked_add_signed(i64::from(relative))?;
    let segment = segments.iter().find(|segment| {
        start
            .checked_sub(segment.address)
            .is_some_and(|inside| inside < segment.file.end - segment.file.start)
    })?;
    let inside = start - segment.address;
    let offset = segment.file.start.checked_add(inside)?;
    let length = segment.file.end.checked_sub(offset)?;
    if length > MOST_UNWIND_BYTES {
        return None;
    }
    let frames = data.read_bytes_at(offset, length).ok()?;
    sections.eh_frame_hdr_svma = Some(address..address.checked_add(content.len() as u64)?);
    sections.eh_frame_hdr = Some(Arc::from(content));
    sections.eh_frame_svma = Some(start..start.checked_add(length)?);
    sections.eh_frame = Some(Arc::from(frames));
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_vdso_and_our_own_program_have_unwind_tables_and_segments() {
        let vdso = Image::vdso().expect("this kernel maps a vDSO");
        assert!(vdso.address_of(0x600).is_some());
        let own = Image::open(Path::new("/proc/self/exe"), true).unwrap();
        assert!(own.segments.iter().any(|segment| segment.executable));
        assert!(own.address_of(u64::MAX).is_none());
    }

    /// A mapped file is the user's: the collector goes on whatever the file holds.
    #[test]
    fn mutated_images_never_panic() {
        let original = vdso_bytes().expect("this kernel maps a vDSO");
        let mut state = 0x2545_f491_4f6c_dd1d_u64;
        let mut random = move || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        };
        let words: Vec<u8> = (0..256_u64).flat_map(|word| (0x7000 + word * 8).to_le_bytes()).collect();
        let mut walker = crate::unwind::StackWalker::default();
        let mut parsed = 0;
        for round in 0..2_000 {
            let mut bytes = original.to_vec();
            for _ in 0..1 + random() % 8 {
                // Headers and tables are in the first and last quarter, and most mutations must hit them.
                let at = random() as usize % bytes.len();
                let at = if round % 2 == 0 { at / 4 } else { at };
                bytes[at] = random() as u8;
            }
            let image = catch_unwind(|| Image::parse(&*bytes, true)).ok().flatten();
            let Some(image) = image else { continue };
            parsed += 1;
            for _ in 0..20 {
                let ip = random() % bytes.len() as u64;
                let _ = image.address_of(ip);
                let place = |address: u64| {
                    Some(crate::unwind::Place { unwinder: Some(&image.unwinder), address: address % 0x2000 })
                };
                walker.walk(
                    crate::perf::records::Registers { ip, sp: 0x7000, bp: 0x7100 },
                    crate::unwind::StackCopy { start: 0x7000, bytes: &words },
                    place,
                    |_| None,
                    |_| {},
                );
            }
        }
        assert!(parsed > 500, "only {parsed} mutated images were still readable");
    }

    #[test]
    fn what_is_no_elf_file_has_no_image() {
        assert!(Image::open(Path::new("/proc/self/status"), true).is_none());
        assert!(Image::open(Path::new("/dev/zero"), true).is_none());
        assert!(Image::open(Path::new("/no/such/file"), true).is_none());
    }

    #[test]
    fn a_page_shared_by_two_segments_belongs_to_the_executable_one() {
        let image = Image {
            segments: vec![
                Segment { file: 0..0x1234, address: 0, executable: false },
                Segment { file: 0x1240..0x3000, address: 0x2240, executable: true },
            ],
            build_id: None,
            unwinder: UnwinderX86_64::new(),
        };
        assert_eq!(image.address_of(0x1300), Some(0x2300));
        assert_eq!(image.address_of(0x10), Some(0x10));
    }
}
