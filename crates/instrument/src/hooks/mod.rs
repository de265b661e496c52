//! Hooks at the entries and ends of functions of a family: who calls them, how often, with which bytes, and how long.
//!
//! Functions are hooked themselves, not their names: a program may call them from C, from Fortran by one of four ways of writing a
//! name, from within their own library, or have the library linked in. The library's functions move to a copy as counted functions
//! do; there a call of the handler is at the entry and before each return. No return address is changed, so that stacks can be
//! walked as before.
//!
//! ```text
//! mpi      functions of MPI: names, arguments, receivers, handler
//! files    functions of input and output: the same for files
//! heap     functions of the heap
//! table    which functions of a module are hooked
//! routine  the code between the copy of a function and the handler
//! blob     a family's handler, compiled from C
//! layout   where handlers write
//! shapes   what handlers are told of a function
//! sites    what they wrote of the places of calls
//! ```

pub mod blob;
pub mod files;
pub mod heap;
#[allow(dead_code, reason = "the other side needs the rest")]
pub mod layout;
pub mod mpi;
pub mod routine;
#[allow(dead_code, reason = "the other side needs the rest")]
pub mod shapes;
pub mod sites;
pub mod table;

use loopwright_binary::image::Image;

/// The family of functions that is hooked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hooks {
    /// Functions of MPI.
    Mpi {
        /// A barrier before each collective call separates waiting for other ranks from the call's own work.
        barriers: bool,
    },
    /// Functions of input and output.
    Files,
    /// Functions of the heap.
    Heap,
}

/// How a handler knows a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known {
    /// Number, shape and marks.
    pub word: u32,
    /// Where another name of the same address is none, the other one counts.
    pub wrapper: bool,
}

impl Hooks {
    /// The function that a symbol of a file is; none where it is not hooked.
    pub fn known(self, symbol: &str, file: &table::Symbols) -> Option<Known> {
        match self {
            Self::Mpi { .. } => mpi::functions::known(symbol),
            Self::Files => files::functions::known(symbol, file.has_c_library),
            Self::Heap => heap::functions::known(symbol, file.has_allocator),
        }
    }

    /// Counters that its tables take.
    pub fn counters(self) -> u32 {
        let end = match self {
            Self::Mpi { .. } => layout::mpi::request::END,
            Self::Files => layout::files::file::END,
            Self::Heap => layout::site::END,
        };
        end as u32
    }

    /// Bytes of memory that all threads of a process share.
    pub fn shared_bytes(self) -> u64 {
        match self {
            Self::Mpi { .. } => 0,
            Self::Files => layout::files::descriptor::MOST * layout::files::descriptor::WORDS * 8,
            Self::Heap => layout::heap::shared::END * 8,
        }
    }

    /// The handler; none on processors that it was not made for.
    pub fn handler(self) -> Option<&'static blob::Blob> {
        match self {
            Self::Mpi { .. } => blob::mpi(),
            Self::Files => blob::files(),
            Self::Heap => blob::heap(),
        }
    }

    /// What the handler must know of the process, as its `struct process` has it.
    pub fn process(self, library: &Library<'_>) -> Vec<u8> {
        let words = match self {
            Self::Mpi { barriers } => mpi::process(barriers, library),
            Self::Files => files::process(library),
            Self::Heap => heap::process(library),
        };
        words.into_iter().flat_map(u64::to_le_bytes).collect()
    }
}

/// A library with hooked functions in a process.
#[derive(Clone, Copy, Debug)]
pub struct Library<'a> {
    pub image: &'a Image,
    pub path: &'a str,
    /// Run-time address minus ELF address.
    pub bias: u64,
    /// Address of Open MPI's world, where the process has one.
    pub world: Option<u64>,
    /// Address of the memory that all threads share; 0 where there is none.
    pub shared: u64,
}

impl Library<'_> {
    /// Run-time addresses of functions; 0 for one that it lacks.
    pub fn addresses<const N: usize>(&self, names: [&str; N]) -> [u64; N] {
        let found = self.image.symbol_addresses(names);
        found.map(|address| address.map_or(0, |address| address.wrapping_add(self.bias)))
    }
}
