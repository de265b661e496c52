//! Where a reader looks for a loop: in the code of the program, not in the library header it was inlined from.
//!
//! An iterator's loop is in the standard library, `std::accumulate`'s in a header, and neither is what its
//! user wrote or can change. Compilers report such loops where they are written, so reasons are looked up there.

use loopwright_binary::facts::{FunctionCode, LoopCode, SourceLocation, StaticStride};
pub use loopwright_binary::written::of_a_library;

/// The loop's own position, or the innermost call that inlined it into code that is no library's.
pub fn written_at(code: &LoopCode) -> Option<&SourceLocation> {
    Some(written(code)?.0)
}

/// The inlined function in whose source [`written_at`] is; `None` where that is the function which holds the code.
pub fn written_in(code: &LoopCode) -> Option<&str> {
    let (_, inlined) = written(code)?;
    code.inlined_from.get(inlined).map(|frame| frame.function.as_str())
}

/// The position, and which of the inlined functions holds it: their number for the one that holds the code.
fn written(code: &LoopCode) -> Option<(&SourceLocation, usize)> {
    code.location.as_ref().map(|own| loopwright_binary::written::written(own, &code.inlined_from))
}

/// The loop's strides, without lines where the loop is shown elsewhere (see [`as_written`]).
pub fn strides(code: &LoopCode) -> Vec<StaticStride> {
    let mut strides = code.strides.clone();
    if written_at(code) != code.location.as_ref() {
        strides.iter_mut().for_each(|stride| stride.line = 0);
    }
    strides
}

/// The function with its loops where they are written. Lines of a loop that is shown elsewhere are those of the library
/// header, which say nothing there.
pub fn as_written(code: &FunctionCode) -> FunctionCode {
    let mut code = code.clone();
    for each in &mut code.loops {
        let written = written_at(each).cloned();
        if written != each.location {
            each.lines = None;
            each.strides = strides(each);
        }
        each.location = written;
    }
    code
}

/// The last component of a path.
pub fn base_name(path: &str) -> &str {
    path.rsplit('/').find(|part| !part.is_empty()).unwrap_or(path)
}

/// `file:line` of the loop as written, else its address.
pub(crate) fn short(code: &LoopCode) -> String {
    match written_at(code) {
        Some(at) => format!("{}:{}", base_name(&at.file), at.line),
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
        let frame = |name: &str, site| InlineFrame { function: name.into(), call_site: Some(site) };
        code.inlined_from = vec![
            frame("fold", at("/rustc/abc/library/core/src/iter/sum.rs", 7)),
            frame("sum", at("/src/main.rs", 12)),
            frame("norm", at("/src/main.rs", 40)),
        ];
        assert_eq!(written_at(&code).unwrap(), &at("/src/main.rs", 12));
        assert_eq!(written_in(&code), Some("norm"), "line 12 calls `sum`");
        let function = crate::fixtures::function(1, "f", (0, 9), vec![code.clone()], 1).code;
        let written = &as_written(&function).loops[0];
        assert_eq!((written.location.as_ref().unwrap().line, written.lines), (12, None));
        code.inlined_from.pop();
        assert_eq!(written_in(&code), None, "the function itself calls `sum`");
        code.location = None;
        assert_eq!((written_at(&code), written_in(&code)), (None, None));
    }

    #[test]
    fn a_loop_of_the_program_is_written_in_the_innermost_function() {
        let mut code = scalar_loop(0, (0, 9), 5);
        assert_eq!(written_in(&code), None);
        let frame =
            |name: &str| InlineFrame { function: name.into(), call_site: Some(at("/src/main.rs", 40)) };
        code.inlined_from = vec![frame("kick"), frame("step")];
        assert_eq!(written_in(&code), Some("kick"));
    }

    #[test]
    fn a_loop_that_stands_where_it_is_written_keeps_its_lines() {
        let function = crate::fixtures::function(1, "f", (0, 9), vec![scalar_loop(0, (0, 9), 5)], 1).code;
        assert_eq!(as_written(&function), function);
    }
}
