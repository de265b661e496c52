//! The table of memory operands in `show loop`: what each access does from iteration to iteration.

use crate::columns::{Cell, Column, Shorten, Table};
use crate::phrases::{CONTIGUOUS, CONTIGUOUS_BACKWARDS, PARTLY_USED, SAME_PLACE, filled};
use crate::prose::{heading, paragraph};
use crate::quantity::{UNKNOWN, share};
use crate::style::{Ink, TerminalStyle};
use loopwright_analysis::model::LoopFacts;
use loopwright_binary::facts::StaticStride;
use std::collections::BTreeMap;

/// Rows of the table.
const OPERANDS: usize = 24;

/// What memory operands do from iteration to iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Walk {
    /// The same address in every pass.
    Same,
    /// Every byte is used.
    Contiguous { backwards: bool },
    /// Only this number of bytes of each step is used.
    Partial { used: u64, step: u64 },
}

impl Walk {
    /// Operands of one line that advance together (an unrolled body) are one access: `count` of them use
    /// `count * size` of each `bytes`.
    pub(crate) fn of(stride: &StaticStride, count: u64) -> Self {
        let step = stride.bytes.unsigned_abs();
        let used = count.saturating_mul(stride.size.into());
        match step {
            0 => Self::Same,
            _ if used >= step => Self::Contiguous { backwards: stride.bytes < 0 },
            _ => Self::Partial { used, step },
        }
    }

    pub(crate) fn words(self) -> String {
        match self {
            Self::Same => SAME_PLACE.to_owned(),
            Self::Contiguous { backwards: false } => CONTIGUOUS.to_owned(),
            Self::Contiguous { backwards: true } => CONTIGUOUS_BACKWARDS.to_owned(),
            Self::Partial { used, step } => {
                let part = share(used as f64 / step as f64);
                filled(PARTLY_USED, [&used.to_string(), &step.to_string(), &part])
            }
        }
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
    type Operands<'a> = (&'a StaticStride, u64);
    let table = Table::<Operands<'_>>::new()
        .column(Column::right("Line"), |(stride, _)| match stride.line {
            0 => Cell::plain(UNKNOWN),
            line => Cell::plain(line.to_string()),
        })
        .column(Column::left("Access"), |(stride, _)| {
            Cell::plain(if stride.store { "store" } else { "load" })
        })
        .column(Column::right("Operands"), |(_, count)| Cell::plain(count.to_string()))
        .column(Column::right("Bytes each"), |(stride, _)| Cell::plain(stride.size.to_string()))
        .column(Column::right("Step"), |(stride, _)| Cell::plain(stride.bytes.to_string()))
        .column(Column::left("Pattern").shorten(Shorten::End, 20), |(stride, count)| {
            let walk = Walk::of(stride, *count);
            let ink = if matches!(walk, Walk::Partial { .. }) { Ink::Costly } else { Ink::Plain };
            Cell::new(walk.words(), ink)
        });
    let rows = grouped.len();
    let shown = grouped.into_values().take(OPERANDS);
    let mut out = heading(style, "Memory from iteration to iteration (read from the binary)")
        + &table.render(shown, style, 0);
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
        let pattern = |stride: &StaticStride, count| Walk::of(stride, count).words();
        let stride = |bytes, size| StaticStride { address: 0, bytes, size, store: false, line: 1 };
        assert_eq!(pattern(&stride(64, 32), 2), "contiguous");
        assert_eq!(pattern(&stride(-8, 8), 1), "contiguous, backwards");
        assert_eq!(pattern(&stride(24, 8), 1), "8 of each 24 bytes used (33 %)");
        assert_eq!(pattern(&stride(0, 8), 1), "the same place in every pass");
        assert_eq!(pattern(&stride(i64::MIN, u32::MAX), 1).split(' ').next(), Some("4294967295"));
    }
}
