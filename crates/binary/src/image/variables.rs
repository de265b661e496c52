//! Variables with a fixed address: the symbol tables' names of the data at an address.
//!
//! Only data symbols (`STT_OBJECT`) with a size are used; variables on the stack, on the heap and of a thread have no
//! fixed address. GCC numbers local statics (`table.3`), GNU Fortran puts the module before the name (`__mesh_MOD_x`)
//! and an underscore after that of a common block: names are returned as the source spells them.

use super::layout::Elf;
use super::names;
use crate::facts::{FunctionOrigin, VariableInfo};
use object::LittleEndian as LE;
use object::elf;
use object::read::elf::Sym as _;

/// Adds the variables that hold one of the ranges `[low, high)` whole.
pub(super) fn holding(
    file: &Elf<'_>,
    origin: FunctionOrigin,
    ranges: &[(u64, u64)],
    into: &mut Vec<VariableInfo>,
) {
    let table = match origin {
        FunctionOrigin::Dynsym => file.elf_dynamic_symbol_table(),
        _ => file.elf_symbol_table(),
    };
    for symbol in table.iter() {
        if symbol.st_type() != elf::STT_OBJECT || symbol.is_undefined(LE) {
            continue;
        }
        if symbol.st_shndx(LE) == elf::SHN_ABS {
            continue;
        }
        let (address, size) = (symbol.st_value(LE), symbol.st_size(LE));
        let end = address.saturating_add(size);
        if !ranges.iter().any(|&(low, high)| address <= low && low < high && high <= end) {
            continue;
        }
        let Ok(name) = table.symbol_name(LE, symbol) else { continue };
        let name = written(&String::from_utf8_lossy(name));
        if !name.is_empty() {
            into.push(VariableInfo { name, address, size });
        }
    }
}

/// One name for each address, the shortest: aliases and the tables of two files name the same variable.
pub(super) fn settled(mut found: Vec<VariableInfo>) -> Vec<VariableInfo> {
    found.sort_by(|a, b| {
        (a.address, a.size, a.name.len(), &a.name).cmp(&(b.address, b.size, b.name.len(), &b.name))
    });
    found.dedup_by_key(|variable| (variable.address, variable.size));
    found
}

/// The name as in the source.
fn written(symbol: &str) -> String {
    // A version of the symbol.
    let symbol = symbol.split('@').next().unwrap_or_default();
    let plain = match symbol.rsplit_once('.') {
        Some((name, number)) if number.bytes().all(|b| b.is_ascii_digit()) => name,
        _ => symbol,
    };
    // The source names a Fortran module's variable without the module.
    match plain.strip_prefix("__").and_then(|rest| rest.split_once("_MOD_")) {
        Some((_, name)) => name.to_owned(),
        None if names::is_mangled(symbol) => names::demangle(symbol),
        None => plain.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_source() {
        for (symbol, name) in [
            ("table", "table"),
            ("table.3", "table"),
            ("__mesh_MOD_x", "x"),
            ("environ@@GLIBC_2.2.5", "environ"),
            ("_ZN2ns1bE", "ns::b"),
            ("_ZZ4workvE1t", "work()::t"),
            (".LC0", ".LC0"),
        ] {
            assert_eq!(written(symbol), name);
        }
    }

    #[test]
    fn aliases_are_one_variable() {
        let variable = |name: &str, address| VariableInfo { name: name.to_owned(), address, size: 8 };
        let found = vec![variable("__environ", 16), variable("b", 8), variable("environ", 16)];
        assert_eq!(settled(found), [variable("b", 8), variable("environ", 16)]);
    }
}
