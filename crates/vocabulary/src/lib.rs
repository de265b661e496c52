//! Words that several floors share: instruction sets, element types, source languages. Each is defined here, once.
#![forbid(unsafe_code)]

mod element;
mod isa;
mod language;

pub use element::ElementType;
pub use isa::Isa;
pub use language::Language;
