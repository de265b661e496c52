//! Split DWARF: the other half of a unit, in a `.dwo` file or a `.dwp` package.
//!
//! Source: DWARF 5, section 7.3.2 and appendix F; the GNU DebugFission proposal for DWARF 4.

use super::sections;
use super::{Dwarf, Parsed, Slice, Unit};
use crate::warning::Warning;
use gimli::{DwarfPackage, DwoId, LittleEndian};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The full unit that a skeleton refers to.
pub(super) struct SplitUnit<'a> {
    pub dwarf: Dwarf<'a>,
    pub unit: Unit<'a>,
}

/// The program's package of split units, opened at the first skeleton.
#[derive(Default)]
pub(super) struct Package<'a>(OnceLock<Option<DwarfPackage<Slice<'a>>>>);

impl<'a> Parsed<'a> {
    /// The half of a unit that describes functions: the unit itself, or what its skeleton refers to. A
    /// skeleton whose other half is missing is used itself.
    pub(super) fn body(&self, index: usize) -> Option<(&Dwarf<'a>, &Unit<'a>)> {
        let unit = self.units.unit(&self.dwarf, index)?;
        match self.split(index, unit) {
            Some(split) => Some((&split.dwarf, &split.unit)),
            None => Some((&self.dwarf, unit)),
        }
    }

    fn split(&self, index: usize, skeleton: &Unit<'a>) -> Option<&SplitUnit<'a>> {
        let id = skeleton.dwo_id?;
        let entry = self.units.entry(index)?;
        entry.split.get_or_init(|| self.load_split(skeleton, id).map(Box::new)).as_deref()
    }

    fn load_split(&self, skeleton: &Unit<'a>, id: DwoId) -> Option<SplitUnit<'a>> {
        let packaged = self.package().and_then(|p| p.find_cu(id, &self.dwarf).ok().flatten());
        if let Some(dwarf) = packaged {
            return first_unit(dwarf, skeleton, id);
        }
        let name = skeleton.dwo_name().ok()??;
        let name = self.dwarf.attr_string(skeleton, name).ok()?.to_string_lossy().into_owned();
        let directory = skeleton.comp_dir.map(|d| d.to_string_lossy().into_owned()).unwrap_or_default();
        let beside =
            |path: &Path| -> Option<PathBuf> { Some(path.parent()?.join(Path::new(&name).file_name()?)) };
        let recorded = Some(Path::new(&directory).join(&name));
        // A build folder that was moved still has its files in the program's folder.
        let below = self.files.binary_path.parent().map(|folder| folder.join(&name));
        [recorded, below, beside(&self.files.binary_path)].into_iter().flatten().find_map(|path| {
            let file = sections::open(self.files, &path)?;
            let mut ignored = Vec::new();
            let mut dwarf = Dwarf::load(self.files.sections(&file, true, &mut ignored)).ok()?;
            dwarf.make_dwo(&self.dwarf);
            first_unit(dwarf, skeleton, id)
        })
    }

    /// The warning about units whose other half was not found.
    pub(super) fn missing_split_units(&self) -> Option<Warning> {
        let skeletons: Vec<&Unit<'a>> = (0..self.units.len())
            .filter_map(|index| self.units.unit(&self.dwarf, index).map(|unit| (index, unit)))
            .filter(|(index, unit)| unit.dwo_id.is_some() && self.split(*index, unit).is_none())
            .map(|(_, unit)| unit)
            .collect();
        let first = skeletons.first()?;
        let name = first.dwo_name().ok().flatten();
        let name = name.and_then(|name| self.dwarf.attr_string(first, name).ok());
        let first = name.map_or_else(|| "unnamed".into(), |name| name.to_string_lossy());
        Some(Warning::NoSplitFiles { units: skeletons.len(), first: first.into_owned() })
    }

    fn package(&self) -> Option<&DwarfPackage<Slice<'a>>> {
        let open = || {
            let with_extension = |path: &Path| {
                let mut name = path.as_os_str().to_owned();
                name.push(".dwp");
                PathBuf::from(name)
            };
            [&self.files.binary_path, &self.files.main_path].into_iter().find_map(|path| {
                let file = sections::open(self.files, &with_extension(path))?;
                let mut ignored = Vec::new();
                let sections = self.files.sections(&file, true, &mut ignored);
                DwarfPackage::load(sections, Slice::new(&[], LittleEndian)).ok()
            })
        };
        self.package.0.get_or_init(open).as_ref()
    }
}

fn first_unit<'a>(dwarf: Dwarf<'a>, skeleton: &Unit<'a>, id: DwoId) -> Option<SplitUnit<'a>> {
    let mut headers = dwarf.units();
    while let Ok(Some(header)) = headers.next() {
        let Ok(mut unit) = dwarf.unit(header) else { continue };
        if unit.dwo_id == Some(id) {
            unit.copy_relocated_attributes(skeleton);
            return Some(SplitUnit { dwarf, unit });
        }
    }
    None
}
