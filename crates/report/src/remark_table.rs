//! `remarks`: what compilers said, by place.

use crate::columns::{Cell, Column, Shorten, Table};
use crate::prose::{facts, paragraph};
use crate::quantity::counted;
use crate::style::{Ink, TerminalStyle};
use loopwright_analysis::place::base_name;
use loopwright_remarks::remark::{Outcome, Remark};

/// The table.
pub fn remarks(remarks: &[Remark], style: &TerminalStyle) -> String {
    if remarks.is_empty() {
        return paragraph(style, 0, Ink::Plain, "The reports hold no remarks about loops.");
    }
    let words = |remark: &Remark| match remark.outcome {
        Outcome::Vectorized => Cell::new("vectorised", Ink::Good),
        Outcome::Missed => Cell::new("missed", Ink::Costly),
        Outcome::Note => Cell::new("note", Ink::Dim),
    };
    let table = Table::<&Remark>::new()
        .column(Column::left("Place").shorten(Shorten::Start, 14), |each| {
            Cell::new(format!("{}:{}", base_name(&each.file), each.line), Ink::Accent)
        })
        .column(Column::left("Function").shorten(Shorten::Symbol, 12).expendable(2), |each| {
            Cell::known(each.function.as_ref())
        })
        .column(Column::left("Compiler").shorten(Shorten::End, 8).expendable(1), |each| {
            Cell::new(&each.compiler, Ink::Dim)
        })
        .column(Column::left(""), |each| words(each))
        .column(Column::left("Reason"), |each| Cell::known(each.reason.as_ref()))
        .column(Column::left("Message").shorten(Shorten::End, 20), |each| Cell::plain(&each.message));
    let mut sorted: Vec<&Remark> = remarks.iter().collect();
    sorted.sort_by(|a, b| (&a.file, a.line, a.column).cmp(&(&b.file, b.line, b.column)));
    let count = |outcome: Outcome| remarks.iter().filter(|remark| remark.outcome == outcome).count() as u64;
    let summary = [
        counted(count(Outcome::Vectorized), "vectorised", "vectorised"),
        counted(count(Outcome::Missed), "missed", "missed"),
        counted(count(Outcome::Note), "note", "notes"),
    ];
    table.render(sorted, style, 0) + "\n" + &facts(style, "Total", 5, Ink::Plain, &summary)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;
    use loopwright_remarks::remark::Family;

    #[test]
    fn tables_at_common_widths() {
        let remark = |line, outcome, message: &str| Remark {
            family: Family::Clang,
            compiler: "clang 19.1.7".into(),
            pass: "loop-vectorize".into(),
            outcome,
            file: "/home/ada/lbm/src/lbm.c".into(),
            line,
            column: 1,
            function: Some("collide".into()),
            inlined_at: vec![],
            message: message.into(),
            reason: (outcome == Outcome::Missed).then(|| "fp-reduction-order".to_owned()),
            vector_bytes: None,
            estimated_gain: None,
            statement: None,
        };
        let all = [
            remark(30, Outcome::Vectorized, "vectorized loop (vectorization width: 4, interleaved count: 2)"),
            remark(
                12,
                Outcome::Missed,
                "loop not vectorized: cannot prove it is safe to reorder floating-point operations",
            ),
        ];
        for style in fixture::styles() {
            let text = remarks(&all, &style);
            fixture::assert_fits(&text, &style);
            insta::assert_snapshot!(fixture::label("remarks", &style), fixture::visible(&text));
        }
        assert!(remarks(&[], &TerminalStyle::plain(80)).contains("no remarks"));
    }
}
