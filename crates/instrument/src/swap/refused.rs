//! Why a function is not exchanged in the running program. What is not certain is left alone.

use loopwright_binary::image::demangle;
use serde::{Deserialize, Serialize};

/// The reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "kebab-case", tag = "refused")]
pub enum NotSwapped {
    /// The object is none for this purpose.
    #[error("the compiler's output is no complete object for x86-64 ELF: {what}")]
    Object {
        /// What is wrong with it.
        what: String,
    },
    /// Code is made by the linker.
    #[error("link-time optimisation makes the code later than the compiler's output")]
    LinkTime,
    /// The program has no table of symbols, or no interpreter.
    #[error("{what}, so that the function's surroundings cannot be found")]
    Program {
        /// What it is.
        what: String,
    },
    /// The function is not in an object, or not in the program.
    #[error(
        "{} is not a function of its own everywhere: it is inlined, or has another name",
        demangle(function)
    )]
    NoFunction {
        /// Its name.
        function: String,
    },
    /// The compiler made several copies of it.
    #[error("the compiler split or specialised {} (as {clone})", demangle(function))]
    Cloned {
        /// Its name.
        function: String,
        /// One of its copies.
        clone: String,
    },
    /// The program's function is not that of the unchanged object.
    #[error("{} in the program is not the one that its source is compiled to", demangle(function))]
    OtherCode {
        /// Its name.
        function: String,
    },
    /// clang passes arguments of local functions as it likes.
    #[error("{} is local to its file, where clang may change how arguments are passed", demangle(function))]
    Local {
        /// Its name.
        function: String,
    },
    /// Data has no counterpart in the program, or lies otherwise.
    #[error(
        "{name} of the compiled source has no counterpart of the same kind, size and place in the program"
    )]
    Data {
        /// Symbol or section.
        name: String,
    },
    /// A symbol is not found.
    #[error("{name} is not found in the running program, or is chosen when it starts (ifunc)")]
    Unresolved {
        /// The symbol.
        name: String,
    },
    /// A relocation is not understood, or does not reach.
    #[error("a reference of kind {kind} to {name} cannot be made from another place")]
    Relocation {
        /// Number of the kind in the psABI.
        kind: u32,
        /// The symbol.
        name: String,
    },
    /// Code that is not understood.
    #[error("the code of {} is not understood", demangle(function))]
    Code {
        /// The function.
        function: String,
    },
    /// A call may be left without a return, or its return address may be looked at.
    #[error(
        "the program uses {name}, which can leave a call of the function without its return, or look at where it returns to"
    )]
    Leaves {
        /// The imported function.
        name: String,
    },
    /// Callers may rely on registers that only the new version changes.
    #[error("the changed function uses registers that its callers may expect to keep")]
    Registers,
    /// The process could not be prepared.
    #[error("the process could not be prepared: {what}")]
    Process {
        /// The system's message.
        what: String,
    },
}
