//! Names of a unit that are complex numbers or vectors: there one operator of the source works on several elements.

use super::{Dwarf, Unit};
use gimli::{AttributeValue, UnitOffset};
use std::collections::{BTreeMap, BTreeSet};

/// Most references from type to type that are followed; stops cycles.
const MOST_REFERENCES: usize = 16;

/// Sorted names of variables, parameters, members and functions whose type is compound, or leads to one
/// through pointers, arrays and type names. `None` where the types of the unit are in another unit.
pub(super) fn names(dwarf: &Dwarf, unit: &Unit) -> Option<Vec<String>> {
    // The types of a split unit are elsewhere.
    if unit.dwo_id.is_some() {
        return None;
    }
    let mut compound = BTreeSet::new();
    let mut through: BTreeMap<UnitOffset, UnitOffset> = BTreeMap::new();
    let mut named = Vec::new();
    let mut entries = unit.entries();
    while let Ok(Some(die)) = entries.next_dfs() {
        let of_type = match die.attr_value(gimli::DW_AT_type) {
            Some(AttributeValue::UnitRef(to)) => Some(to),
            _ => None,
        };
        match die.tag() {
            gimli::DW_TAG_base_type => {
                let encoding = die.attr_value(gimli::DW_AT_encoding);
                if matches!(encoding, Some(AttributeValue::Encoding(gimli::DW_ATE_complex_float))) {
                    compound.insert(die.offset());
                }
            }
            gimli::DW_TAG_array_type if die.attr(gimli::DW_AT_GNU_vector).is_some() => {
                compound.insert(die.offset());
            }
            gimli::DW_TAG_imported_unit => return None,
            gimli::DW_TAG_variable
            | gimli::DW_TAG_formal_parameter
            | gimli::DW_TAG_member
            | gimli::DW_TAG_subprogram => {
                if let Some((to, name)) = of_type.zip(die.attr_value(gimli::DW_AT_name)) {
                    named.push((to, name));
                }
            }
            _ => {
                if let Some(to) = of_type {
                    through.insert(die.offset(), to);
                }
            }
        }
    }
    let leads = |from: UnitOffset| {
        let chain = std::iter::successors(Some(from), |at| through.get(at).copied());
        chain.take(MOST_REFERENCES).any(|at| compound.contains(&at))
    };
    let mut names: Vec<String> = (named.into_iter())
        .filter(|(to, _)| leads(*to))
        .filter_map(|(_, name)| Some(dwarf.attr_string(unit, name).ok()?.to_string_lossy().into_owned()))
        .collect();
    names.sort_unstable();
    names.dedup();
    Some(names)
}
