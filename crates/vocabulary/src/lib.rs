//! Words that several floors share: instruction sets, vector widths, element types, levels of memory, source languages. Each
//! is defined here, once.
#![forbid(unsafe_code)]

mod element;
mod isa;
mod language;
mod memory;
mod resource;
mod width;

pub use element::ElementType;
pub use isa::Isa;
pub use language::Language;
pub use memory::{MemoryLevel, UnknownLevel};
pub use resource::Resource;
pub use width::VectorWidth;
