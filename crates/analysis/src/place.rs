//! Where a reader looks for a loop: in the code of the program, not in the library header it was inlined from.
//!
//! An iterator's loop stands in the standard library, `std::accumulate`'s in a header, and neither is what its
//! user wrote or can change. Compilers report such loops where they stand, so reasons are looked up there.

use loopwright_binary::facts::{FunctionCode, LoopCode, SourceLocation};

/// Parts of paths that mark sources which come with a compiler or from a package registry.
const LIBRARIES: [&str; 6] =
    ["/rustc/", "/rustlib/src/", "/.cargo/registry/", "/usr/include/", "/usr/lib/gcc/", "/usr/lib/llvm"];

fn of_a_library(file: &str) -> bool {
    LIBRARIES.iter().any(|part| file.contains(part))
}

/// The loop's own position, or the innermost call that inlined it into code that is no library's.
pub fn written_at(code: &LoopCode) -> Option<&SourceLocation> {
    let own = code.location.as_ref()?;
    if !of_a_library(&own.file) {
        return Some(own);
    }
    let calls = code.inlined_from.iter().filter_map(|frame| frame.call_site.as_ref());
    Some(calls.into_iter().find(|site| !of_a_library(&site.file) && site.line > 0).unwrap_or(own))
}

/// The function with its loops where they are written. Lines of a loop that is shown elsewhere are those of the library
/// header, which say nothing there.
pub fn as_written(code: &FunctionCode) -> FunctionCode {
    let mut code = code.clone();
    for each in &mut code.loops {
        let written = written_at(each).cloned();
        if written != each.location {
            each.lines = None;
        }
        each.location = written;
    }
    code
}

/// `file:line` of the loop as written, else its address.
pub(crate) fn short(code: &LoopCode) -> String {
    match written_at(code) {
        Some(at) => format!("{}:{}", crate::join::base_name(&at.file), at.line),
        None => format!("{:#x}", code.header),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::scalar_loop;
    use loopwright_binary::facts::InlineFrame;

    fn at(file: &str, line: u32) -> SourceLocation {
        SourceLocation { file: file.into(), line, column: 1 }
    }

    #[test]
    fn a_loop_of_the_standard_library_is_shown_where_it_is_called() {
        let mut code = scalar_loop(0, (0, 9), 5);
        assert_eq!(written_at(&code), code.location.as_ref());
        code.location = Some(at("/rustc/abc/library/core/src/iter/adapters/map.rs", 88));
        assert_eq!(written_at(&code).unwrap().line, 88, "nothing better is known");
        let frame = |site| InlineFrame { function: "fold".into(), call_site: Some(site) };
        code.inlined_from = vec![
            frame(at("/rustc/abc/library/core/src/iter/sum.rs", 7)),
            frame(at("/src/main.rs", 12)),
            frame(at("/src/main.rs", 40)),
        ];
        assert_eq!(written_at(&code).unwrap(), &at("/src/main.rs", 12));
        let function = crate::fixtures::function(1, "f", (0, 9), vec![code.clone()], 1).code;
        let written = &as_written(&function).loops[0];
        assert_eq!((written.location.as_ref().unwrap().line, written.lines), (12, None));
        code.location = None;
        assert_eq!(written_at(&code), None);
    }

    #[test]
    fn a_loop_that_stands_where_it_is_written_keeps_its_lines() {
        let function = crate::fixtures::function(1, "f", (0, 9), vec![scalar_loop(0, (0, 9), 5)], 1).code;
        assert_eq!(as_written(&function), function);
    }
}
