//! Test programs: finds, builds and describes the programs of `testprograms/`, for the tests of every crate.
//!
//! Each crate uses it as a dev-dependency (`loopwright-testprograms.workspace = true`):
//!
//! ```no_run
//! use loopwright_testprograms::{Compiler, Recipe, available};
//!
//! // Build one program; the result is cached under target/testprograms/.
//! let recipe = Recipe::of("kernels").compiler(Compiler::Gcc).flag_set("O3");
//! let Some(built) = available(recipe.build()) else { return };
//! assert!(built.path.exists());          // the executable
//! for mark in &built.loops {             // loops annotated in the source: name, class, line
//!     println!("{} {} line {}", mark.name, mark.class, mark.line);
//! }
//!
//! // Everything that exists: programs x compilers x flag sets.
//! for recipe in loopwright_testprograms::matrix() {
//!     let Some(_built) = available(recipe.build()) else { continue };
//! }
//!
//! // Compiler reports: extra flags; files that the compiler writes land in `built.folder`,
//! // what it prints is `built.compiler_output`.
//! let recipe = Recipe::of("kernels").compiler(Compiler::Gcc).flag_set("O3").flag("-fopt-info-vec-all");
//! ```
//!
//! [`available`] prints why a test skips and returns `None`; with `LOOPWRIGHT_REQUIRE_ALL=1` it panics
//! instead. The lists are discovered: programs from the folder ([`programs`]), loops from the sources
//! ([`Program::loops`]), flag sets from one table ([`FLAG_SETS`]). A program that does not build with a
//! compiler that is present is an error, never a skip.
//!
//! The programs of `testprograms/counting/` ([`counting_programs`]) state the expected counts of their runs themselves;
//! they belong only to the matrix of the counting tests, and are built by `Recipe::of` like the others.
//!
//! The same for those of `testprograms/patterns/` ([`pattern_programs`]): their marks state the expected
//! results of tracing.
//!
//! And those of `testprograms/verdicts/` ([`verdict_programs`]): their marks state which loops may run in parallel.
//!
//! Its users run the programs and judge the results.

#![forbid(unsafe_code)]

mod build;
mod compiler;
mod program;

pub use build::{BuildError, Built, Finish, Recipe, available, available_here, matrix};
pub use compiler::{Compiler, FLAG_SETS, FlagSet, LINKAGES};
pub use loopwright_vocabulary::Language;
pub use program::{
    LoopMark, Program, counting_folder, counting_programs, folder, pattern_programs, patterns_folder,
    programs, verdict_programs, verdicts_folder,
};
