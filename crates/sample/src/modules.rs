//! Mapped files of the program: what kind they are, their content where it can be read, and addresses within them.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};

use crate::address_space::{AddressSpace, Mapping};
use crate::image::Image;
use crate::recording::{Module, ModuleKind};
use crate::unwind::Place;

/// A module with the facts about its file.
pub struct Mapped {
    pub module: Module,
    /// Process to which this generated code belongs.
    pub generated_by: Option<u32>,
    /// The file's image, once it was requested.
    pub image: OnceCell<Option<Image>>,
}

/// The suffix that the kernel gives the name of a mapped file without a directory entry.
const DELETED: &str = " (deleted)";

/// A path without that suffix.
pub fn without_deleted(path: &str) -> &str {
    path.strip_suffix(DELETED).unwrap_or(path)
}

/// The kind of a mapping with this name.
pub fn kind_of(path: &str) -> ModuleKind {
    const MEMORY: [&str; 5] = ["//anon", "/memfd:", "/dev/zero", "/SYSV", "/dev/shm/"];
    if path == "[vdso]" {
        ModuleKind::Vdso
    } else if path.starts_with('/') && !MEMORY.iter().any(|prefix| path.starts_with(prefix)) {
        ModuleKind::File
    } else {
        ModuleKind::Anonymous
    }
}

impl Mapped {
    /// The file's image, read at the first call.
    fn image(&self, mapping: &Mapping, pid: u32, with_unwind_tables: bool) -> Option<&Image> {
        self.image
            .get_or_init(|| match self.module.kind {
                ModuleKind::Vdso => Image::vdso(),
                ModuleKind::Main | ModuleKind::File => {
                    let path = without_deleted(&self.module.path);
                    let candidates = [
                        PathBuf::from(path),
                        // In another mount namespace, and deleted or replaced while it runs.
                        PathBuf::from(format!("/proc/{pid}/root{path}")),
                        PathBuf::from(format!("/proc/{pid}/map_files/{:x}-{:x}", mapping.start, mapping.end)),
                    ];
                    let same = |image: &Image| {
                        self.module.build_id.is_none()
                            || image.build_id.is_none()
                            || image.build_id == self.module.build_id
                    };
                    candidates
                        .iter()
                        .filter_map(|path: &PathBuf| Image::open(Path::new(path), with_unwind_tables))
                        .find(same)
                }
                ModuleKind::Kernel | ModuleKind::Anonymous => None,
            })
            .as_ref()
    }
}

/// The module and offset of an address of a process, for unwinding.
pub fn place<'a>(
    space: &AddressSpace,
    modules: &'a [Mapped],
    with_unwind_tables: bool,
    pid: u32,
    address: u64,
) -> Option<Place<'a>> {
    let mapping = space.find(address)?;
    let image = modules.get(mapping.module as usize)?.image(mapping, pid, with_unwind_tables);
    Some(Place {
        unwinder: image.map(|image| &image.unwinder),
        address: local_address(mapping, modules, with_unwind_tables, pid, address),
    })
}

/// The address within the module: ELF virtual address, file offset where the file could not be read, run-time
/// address for code without a file.
pub fn local_address(
    mapping: &Mapping,
    modules: &[Mapped],
    with_unwind_tables: bool,
    pid: u32,
    address: u64,
) -> u64 {
    let Some(mapped) = modules.get(mapping.module as usize) else { return address };
    if mapped.module.kind == ModuleKind::Anonymous {
        return address;
    }
    let offset = mapping.offset.wrapping_add(address.wrapping_sub(mapping.start));
    mapped
        .image(mapping, pid, with_unwind_tables)
        .and_then(|image| image.address_of(offset))
        .unwrap_or(offset)
}
