use super::*;
use crate::fixture;
use crate::fixture::code::{self, FILE, TEXT};
use crate::source_text::NoText;
use loopwright_analysis::place::base_name;
use loopwright_remarks::remark::Family;

fn remark(line: u32, outcome: Outcome, message: &str) -> Remark {
    Remark {
        family: Family::Gcc,
        compiler: "gcc 12.2.0".into(),
        pass: "vect".into(),
        outcome,
        file: format!("src/{}", base_name(FILE)),
        line,
        column: 0,
        function: None,
        inlined_at: vec![],
        message: message.into(),
        reason: None,
        vector_bytes: None,
        estimated_gain: None,
        statement: None,
    }
}

fn unreadable() -> NoText {
    NoText::Unreadable("No such file or directory".into())
}

#[test]
fn views_at_common_widths() {
    let (function, times) = (code::function(), code::times());
    let remarks = vec![
        remark(5, Outcome::Vectorized, "loop vectorized using 32 byte vectors"),
        remark(5, Outcome::Vectorized, "loop vectorized using 32 byte vectors"),
        remark(3, Outcome::Missed, "not vectorized: multiple nested loops."),
    ];
    let code = CodeView { id: 7, code: &function, index: 0, nanoseconds: &times, program_ns: 1_000 };
    for style in fixture::styles() {
        let text = source(&SourceView { code, text: Ok(TEXT), remarks: &remarks }, &style);
        fixture::assert_fits(&text, &style);
        insta::assert_snapshot!(fixture::label("source", &style), fixture::visible(&text));
    }
}

#[test]
fn a_missing_file_is_named_and_its_times_are_shown() {
    let (function, times) = (code::function(), code::times());
    let code = CodeView { id: 7, code: &function, index: 0, nanoseconds: &times, program_ns: 1_000 };
    let text =
        source(&SourceView { code, text: Err(unreadable()), remarks: &[] }, &TerminalStyle::plain(120));
    assert!(
        text.contains("/home/ada/lbm/src/sweep.c")
            && text.contains("cannot be read")
            && text.contains("60.0"),
        "{text}"
    );
}

#[test]
fn a_file_that_became_shorter_is_noticed() {
    let (function, times) = (code::function(), code::times());
    let code = CodeView { id: 7, code: &function, index: 0, nanoseconds: &times, program_ns: 1_000 };
    let text = source(&SourceView { code, text: Ok("one line\n"), remarks: &[] }, &TerminalStyle::plain(120));
    assert!(text.contains("it was changed since"), "{text}");
}

#[test]
fn a_loop_without_lines_says_what_to_do() {
    let (mut function, times) = (code::function(), code::times());
    function.loops[0].location = None;
    let code = CodeView { id: 7, code: &function, index: 0, nanoseconds: &times, program_ns: 1_000 };
    let view = SourceView { code, text: Err(unreadable()), remarks: &[] };
    assert!(source(&view, &TerminalStyle::plain(120)).contains("build with -g"));
    let none = SourceView { code: CodeView { index: 99, ..code }, text: Err(unreadable()), remarks: &[] };
    assert!(source(&none, &TerminalStyle::plain(120)).contains("survey again"));
}

#[test]
fn extents_of_hostile_line_tables_do_not_overflow() {
    let (mut function, times) = (code::function(), code::times());
    function.loops[0].lines = Some((u32::MAX, u32::MAX));
    function.loops[1].lines = Some((0, u32::MAX));
    for index in 0..2 {
        let code = CodeView { id: 7, code: &function, index, nanoseconds: &times, program_ns: 0 };
        source(&SourceView { code, text: Ok(TEXT), remarks: &[] }, &TerminalStyle::plain(80));
    }
}
