//! Where a reader looks for code: in the program's own source, not in the header of a library that it was inlined from.

use crate::facts::{InlineFrame, SourceLocation};

/// Parts of paths that mark sources which come with a compiler or from a package registry.
const LIBRARIES: [&str; 7] = [
    "/rustc/",
    "/rustlib/src/",
    "/rust/deps/",
    "/.cargo/registry/",
    "/usr/include/",
    "/usr/lib/gcc/",
    "/usr/lib/llvm",
];

/// Whether a source comes with a compiler or from a package registry.
pub fn of_a_library(file: &str) -> bool {
    LIBRARIES.iter().any(|part| file.contains(part))
}

/// The innermost position that is in no library, and how many inlined functions are inside of the function that holds it: 0 for the
/// innermost one. Where all are in libraries, the innermost position. `inlined` are the inlined functions, innermost first.
pub fn written<'a>(own: &'a SourceLocation, inlined: &'a [InlineFrame]) -> (&'a SourceLocation, usize) {
    if !of_a_library(&own.file) {
        return (own, 0);
    }
    let calls = (1..).zip(inlined).filter_map(|(caller, frame)| Some((frame.call_site.as_ref()?, caller)));
    calls.into_iter().find(|(site, _)| !of_a_library(&site.file) && site.line > 0).unwrap_or((own, 0))
}
