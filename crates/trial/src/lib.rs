//! Carries out advice mechanically: builds the changed program apart from the project, checks that it gives the same answer and
//! measures it beside the unchanged one.
//!
//! What is tried comes from recommendations ([`change`]): options of the compiler, directives and qualifiers in copies of
//! sources, environment variables. Compilers and linkers run as the user's own build ran them ([`rebuild`]), with outputs
//! in a scratch folder; the program runs in a copy of its working folder ([`place`]). What is not certain is left
//! alone with the reason. The results are facts of the experiment; what they mean is computed by `loopwright_analysis::tried`.

mod alike;
mod answer;
mod asked;
mod budget;
mod builder;
mod called;
mod canonical;
mod cargo;
mod cargo_target;
mod change;
mod compilers;
mod counts;
mod edit;
mod fault;
mod headers;
mod in_run;
mod jumps;
mod libtool;
mod line;
mod loops;
mod merged;
mod metric;
mod parameters;
pub mod patch;
pub mod place;
mod profile;
mod rebuild;
pub mod reproduce;
mod runner;
mod running;
mod rustc;
mod session;
mod settings;
mod text;
mod touched;
pub mod tune;
mod unchanged;
mod words;

pub use asked::{Asked, Error, Stage};
pub use change::{Kind, PARALLELISE};
pub use loopwright_answers::{Check, Tolerance};
pub use metric::Measure;
pub use session::{Commands, Ready, ready, run};
