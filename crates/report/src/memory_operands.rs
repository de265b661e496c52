//! The table of memory operands in `show loop`: what each access does from pass to pass.

use crate::columns::{Cell, Column, Columns, Shorten};
use crate::prose::{heading, paragraph};
use crate::quantity::share;
use crate::style::{Ink, TerminalStyle};
use loopwright_analysis::model::LoopFacts;
use loopwright_binary::facts::StaticStride;
use std::collections::BTreeMap;

/// Rows of the table.
const OPERANDS: usize = 24;

/// What a memory operand does from pass to pass. Operands of one line that advance together (an unrolled
/// body) are one access: `count` of them use `count * size` of each `bytes`.
pub(crate) fn pattern(stride: &StaticStride, count: u64) -> String {
    let step = stride.bytes.unsigned_abs();
    let used = count.saturating_mul(stride.size.into());
    if step == 0 {
        "the same place in every pass".to_owned()
    } else if used >= step {
        if stride.bytes < 0 { "contiguous, backwards".to_owned() } else { "contiguous".to_owned() }
    } else {
        format!("{} of each {step} bytes used ({})", used, share(used as f64 / step as f64))
    }
}

/// The table of a loop's memory operands; nothing where none is known.
pub(crate) fn memory(this: &LoopFacts, style: &TerminalStyle) -> String {
    if this.strides.is_empty() {
        return String::new();
    }
    let mut grouped: BTreeMap<(u32, bool, i64, u32), (&StaticStride, u64)> = BTreeMap::new();
    for stride in &this.strides {
        grouped.entry((stride.line, stride.store, stride.bytes, stride.size)).or_insert((stride, 0)).1 += 1;
    }
    let mut table = Columns::new(vec![
        Column::right("Line"),
        Column::left("Access"),
        Column::right("Operands"),
        Column::right("Bytes each"),
        Column::right("Step"),
        Column::left("Pattern").shorten(Shorten::End, 20),
    ]);
    let rows = grouped.len();
    for (stride, count) in grouped.into_values().take(OPERANDS) {
        let text = pattern(stride, count);
        let ink = if text.contains(" of each ") { Ink::Costly } else { Ink::Plain };
        table.row(vec![
            if stride.line > 0 {
                Cell::plain(stride.line.to_string())
            } else {
                Cell::plain(crate::quantity::UNKNOWN)
            },
            Cell::plain(if stride.store { "store" } else { "load" }),
            Cell::plain(count.to_string()),
            Cell::plain(stride.size.to_string()),
            Cell::plain(stride.bytes.to_string()),
            Cell::new(text, ink),
        ]);
    }
    let mut out = heading(style, "Memory from pass to pass (read from the binary)") + &table.render(style, 0);
    if rows > OPERANDS {
        out.push_str(&paragraph(
            style,
            0,
            Ink::Dim,
            &format!("{} more: loopwright show loops --json", rows - OPERANDS),
        ));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operands_of_an_unrolled_body_are_contiguous_together() {
        let stride = |bytes, size| StaticStride { address: 0, bytes, size, store: false, line: 1 };
        assert_eq!(pattern(&stride(64, 32), 2), "contiguous");
        assert_eq!(pattern(&stride(-8, 8), 1), "contiguous, backwards");
        assert_eq!(pattern(&stride(24, 8), 1), "8 of each 24 bytes used (33 %)");
        assert_eq!(pattern(&stride(0, 8), 1), "the same place in every pass");
        assert_eq!(pattern(&stride(i64::MIN, u32::MAX), 1).split(' ').next(), Some("4294967295"));
    }
}
