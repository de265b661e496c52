//! Which functions of a module are hooked, and what the handler must know of the library.

use super::functions::{FUNCTIONS, named};
use super::{Hooks, functions::Named};
use loopwright_binary::image::Image;
use object::{Object, ObjectSymbol, SymbolKind};
use std::collections::HashMap;

/// Marks in the word that names a function to the handler, as in `handler.c`.
const WIDE: u32 = 1 << 24;
const WRAPPER: u32 = 1 << 25;
const SYNCHRONISE: u32 = 1 << 26;

/// Functions of a file that are hooked, by address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hooked {
    functions: HashMap<u64, Named>,
}

impl Hooked {
    /// Those that the file's symbols name.
    pub fn of(image: &Image) -> Self {
        let mut functions: HashMap<u64, Named> = HashMap::new();
        let Ok(file) = object::File::parse(image.bytes()) else { return Self::default() };
        for symbol in file.dynamic_symbols().chain(file.symbols()) {
            if symbol.is_undefined() || symbol.kind() != SymbolKind::Text {
                continue;
            }
            let Some(found) = symbol.name().ok().and_then(named) else { continue };
            let known = functions.entry(symbol.address()).or_insert(found);
            // Where C and another language share an address, the arguments are those of C.
            if known.wrapper && !found.wrapper {
                *known = found;
            }
        }
        Self { functions }
    }

    /// Addresses of all.
    pub fn addresses(&self) -> Vec<u64> {
        self.functions.keys().copied().collect()
    }

    /// There is none.
    pub fn is_empty(&self) -> bool {
        self.functions.is_empty()
    }

    /// The word that names the function at an address to the handler.
    pub fn word(&self, address: u64) -> Option<u32> {
        let named = self.functions.get(&address)?;
        let function = FUNCTIONS.get(named.number as usize)?;
        let mark = |set: bool, mark: u32| if set { mark } else { 0 };
        Some(
            named.number
                | (function.shape as u32) << 16
                | mark(named.wide, WIDE)
                | mark(named.wrapper, WRAPPER)
                | mark(function.synchronises() && !named.wrapper, SYNCHRONISE),
        )
    }
}

/// The functions of the library that the handler calls, in the order of `struct process` in `handler.c`.
const CALLED: [&str; 10] = [
    "PMPI_Type_size",
    "PMPI_Comm_size",
    "PMPI_Comm_rank",
    "PMPI_Comm_group",
    "PMPI_Group_size",
    "PMPI_Group_translate_ranks",
    "PMPI_Group_free",
    "PMPI_Comm_test_inter",
    "PMPI_Comm_remote_group",
    "PMPI_Barrier",
];
/// `MPI_COMM_WORLD` of Open MPI: the address of this variable, which may be a copy in the program.
pub const OPEN_MPI_WORLD: &str = "ompi_mpi_comm_world";
/// `MPI_COMM_WORLD` of MPICH and of the libraries with its binary interface (`mpi.h` of MPICH 4.0).
const MPICH_WORLD: u64 = 0x4400_0000;
/// Of the standard's binary interface (MPI 5.0, chapter 20); its library is named for it.
const STANDARD_WORLD: u64 = 0x101;
const STANDARD_LIBRARY: &str = "libmpi_abi.so";

/// `struct process` of `handler.c`, for the library in `image` with its addresses moved by `bias`; a function that it lacks is 0.
/// `world` is the address of Open MPI's world, where there is one.
pub fn process(hooks: Hooks, image: &Image, path: &str, bias: u64, world: Option<u64>) -> Vec<u8> {
    let mut words = Vec::new();
    for address in image.symbol_addresses(CALLED) {
        words.push(address.map_or(0, |address| address.wrapping_add(bias)));
    }
    if !hooks.barriers {
        words[CALLED.len() - 1] = 0;
    }
    let standard = path.rsplit('/').next().is_some_and(|name| name.starts_with(STANDARD_LIBRARY));
    // Handles are pointers but for MPICH's, which are of type int. MPI_IN_PLACE is 1 for Open MPI and the standard, and -1 for MPICH.
    let (world, in_place, bits) = match world {
        Some(world) => (world, 1, 64),
        None if standard => (STANDARD_WORLD, 1, 64),
        None => (MPICH_WORLD, u64::MAX, 32),
    };
    words.extend([world, in_place, bits, 0]);
    words.into_iter().flat_map(u64::to_le_bytes).collect()
}
