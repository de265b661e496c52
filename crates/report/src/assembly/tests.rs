use super::*;
use crate::fixture;
use crate::fixture::code::{self, TEXT};

#[test]
fn views_at_common_widths() {
    let (function, times) = (code::function(), code::times());
    let view = CodeView { id: 7, code: &function, index: 0, nanoseconds: &times, program_ns: 1_000 };
    let lines = |_: &str, line: u32| TEXT.lines().nth(line as usize - 1).map(str::to_owned);
    for style in fixture::styles() {
        let text = assembly(&view, &lines, &style);
        fixture::assert_fits(&text, &style);
        insta::assert_snapshot!(fixture::label("asm", &style), fixture::visible(&text));
    }
}

#[test]
fn an_inner_loop_alone_is_drawn_alone() {
    let (function, times) = (code::function(), code::times());
    let view = CodeView { id: 8, code: &function, index: 1, nanoseconds: &times, program_ns: 1_000 };
    let text = assembly(&view, &|_, _| None, &TerminalStyle::plain(100));
    assert!(text.contains("vmovupd") && !text.contains("inc"), "{text}");
}

#[test]
fn without_a_listing_it_says_what_to_do() {
    let (mut function, times) = (code::function(), code::times());
    function.instructions.clear();
    let view = CodeView { id: 7, code: &function, index: 0, nanoseconds: &times, program_ns: 1_000 };
    assert!(assembly(&view, &|_, _| None, &TerminalStyle::plain(80)).contains("survey again"));
}
