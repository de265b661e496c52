//! Which functions of a module are hooked.

use super::shapes::BEGIN_ONLY;
use super::{Hooks, Known};
use loopwright_binary::image::Image;
use object::{Object, ObjectSymbol, SymbolKind};
use std::collections::HashMap;

/// What the symbols of a file show beside their names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Symbols {
    /// The file is the C library, or has it linked in: its names are those of the C library.
    pub has_c_library: bool,
    /// The file has the functions of an allocator.
    pub has_allocator: bool,
}

/// Functions of a file that are hooked, by address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hooked {
    functions: HashMap<u64, Known>,
}

impl Hooked {
    /// Those that the file's symbols name.
    pub fn of(image: &Image, path: &str, hooks: Hooks) -> Self {
        let mut functions: HashMap<u64, Known> = HashMap::new();
        let Ok(file) = object::File::parse(image.bytes()) else { return Self::default() };
        let symbols =
            Symbols { has_c_library: has_c_library(image, path), has_allocator: has_allocator(image) };
        for symbol in file.dynamic_symbols().chain(file.symbols()) {
            if symbol.is_undefined() || symbol.kind() != SymbolKind::Text {
                continue;
            }
            let Some(found) = symbol.name().ok().and_then(|name| hooks.known(name, &symbols)) else {
                continue;
            };
            // A local function of a program may have any name.
            if !matches!(hooks, Hooks::Mpi { .. }) && symbol.is_local() {
                continue;
            }
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

    /// The handler has to see the end of the function at an address.
    pub fn needs_end(&self, address: u64) -> bool {
        self.word(address).is_some_and(|word| word & BEGIN_ONLY == 0)
    }

    /// The word that names the function at an address to the handler.
    pub fn word(&self, address: u64) -> Option<u32> {
        self.functions.get(&address).map(|known| known.word)
    }
}

/// Before version 2.34 of the GNU C library its threads' library had functions of input and output of its own.
fn has_c_library(image: &Image, path: &str) -> bool {
    let [start] = image.symbol_addresses(["__libc_start_main"]);
    start.is_some() || path.rsplit('/').next().is_some_and(|name| name.starts_with("libpthread"))
}

/// The C library, one that replaces its allocator, or a program that has either linked in.
pub fn has_allocator(image: &Image) -> bool {
    image.symbol_addresses(["malloc", "calloc", "free"]).iter().all(Option::is_some)
}
