//! Whether two programs have the same code and data: many options change nothing in a given source.
//!
//! Debug information is left out: GCC writes its options into it. So is the build id, which covers debug information.

use object::{Object, ObjectSection, SectionFlags};
use std::path::Path;

/// Most bytes of a program that is compared; larger ones are tried without.
const LARGEST: u64 = 1 << 30;

/// Both can be read, and all that is loaded of them is equal.
pub(crate) fn alike(a: &Path, b: &Path) -> bool {
    let read = |path| loopwright_files::regular::read(path, LARGEST).ok();
    let (Some(a), Some(b)) = (read(a), read(b)) else { return false };
    loaded(&a).zip(loaded(&b)).is_some_and(|(a, b)| a == b)
}

/// Name and contents of each section that is loaded.
fn loaded(bytes: &[u8]) -> Option<Vec<(String, &[u8])>> {
    let file = object::File::parse(bytes).ok()?;
    let mut sections = Vec::new();
    for section in file.sections() {
        let SectionFlags::Elf { sh_flags, .. } = section.flags() else { return None };
        let name = section.name().ok()?;
        if sh_flags.0 & object::elf::SHF_ALLOC.0 != 0 && name != ".note.gnu.build-id" {
            sections.push((name.to_owned(), section.data().ok()?));
        }
    }
    Some(sections)
}
