//! The score as text.

use crate::figures::{Figures, Row, SHOWN};
use std::fmt::Write as _;

/// A share with its numbers.
fn share(part: usize, of: usize) -> String {
    if of == 0 {
        "-".to_owned()
    } else {
        format!("{part} of {of} ({:.0} %)", 100.0 * part as f64 / of as f64)
    }
}

/// One line per pair: what was measured, what was recommended, whether it was right.
pub fn pairs(rows: &[Row<'_>]) -> String {
    let mut text = String::from(
        "| pair | half | language | measured gain | expert's remedy at rank | predicted | first three |\n\
         | --- | --- | --- | ---: | --- | ---: | --- |\n",
    );
    for row in rows {
        let gain = match (&row.record.failed, row.record.gain) {
            (Some(failed), _) => format!("failed: {failed}"),
            (None, Some(gain)) => format!("{:.2} ({:.2}-{:.2})", gain.median, gain.low, gain.high),
            (None, None) => String::new(),
        };
        let (rank, predicted) = match row.found {
            Some((rank, fired)) => {
                let range = fired.program_gain.map(|[low, high]| format!("{low:.2}-{high:.2}"));
                let mark = if row.covered == Some(false) { " missed" } else { "" };
                (format!("{rank} {}", fired.id), range.map(|range| range + mark).unwrap_or_default())
            }
            None => (
                row.pair.remedy.wanted.as_ref().map_or("none".into(), |w| format!("none ({w})")),
                String::new(),
            ),
        };
        let first = row.record.recommendations.iter().take(SHOWN).map(|fired| match fired.program_gain {
            Some([low, high]) => format!("{} {low:.2}-{high:.2}", fired.id),
            None => fired.id.clone(),
        });
        let first = first.collect::<Vec<_>>().join(", ");
        let (name, half, language) = (&row.pair.name, row.pair.half.name(), &row.pair.description.language);
        let _ = writeln!(text, "| {name} | {half} | {language} | {gain} | {rank} | {predicted} | {first} |");
    }
    text
}

/// The figures, one row each, for several selections of pairs.
pub fn figures(columns: &[(&str, &Figures)]) -> String {
    let mut text = String::from("| |");
    columns.iter().for_each(|(name, _)| text += &format!(" {name} |"));
    text += "\n| --- |";
    columns.iter().for_each(|_| text += " ---: |");
    text.push('\n');
    let mut line = |name: &str, cell: &dyn Fn(&Figures) -> String| {
        let cells: String = columns.iter().map(|(_, figures)| format!(" {} |", cell(figures))).collect();
        let _ = writeln!(text, "| {name} |{cells}");
    };
    let number = |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:.2}"));
    line("pairs measured", &|f| f.pairs.to_string());
    line("pairs that failed", &|f| f.failed.to_string());
    line("expert's remedy among the first three", &|f| share(f.hits, f.pairs));
    line("expert's remedy at any rank", &|f| share(f.named, f.pairs));
    line("measured gain inside the predicted range", &|f| share(f.covered, f.predicted));
    line("median width of the range at rank 1 (high/low)", &|f| number(f.width));
    line("ranges at rank 1 that begin at 1.00", &|f| share(f.first.1, f.first.0));
    line("mean interval score (smaller is better)", &|f| number(f.interval_score));
    line("of the first three, carried out: slower or wrong", &|f| share(f.tried.1, f.tried.0));
    line("of the first three, read against the source: false or silly", &|f| {
        share(f.false_statements, f.judged)
    });
    text
}

/// The figures by recommendation, those that did harm first.
pub fn rules(figures: &Figures) -> String {
    let mut text = String::from(
        "| recommendation | among the first three | at rank 1 | expert's remedy | gain in range | carried out | bad |\n\
         | --- | ---: | ---: | ---: | ---: | ---: | ---: |\n",
    );
    let mut rules: Vec<_> = figures.rules.iter().collect();
    rules.sort_by_key(|(_, rule)| (std::cmp::Reverse(rule.tried.1), std::cmp::Reverse(rule.shown)));
    for (id, rule) in rules {
        let (shown, first, hits) = (rule.shown, rule.first, rule.hits);
        let covered = share(rule.covered.0, rule.covered.0 + rule.covered.1);
        let (tried, bad) = rule.tried;
        let _ = writeln!(text, "| {id} | {shown} | {first} | {hits} | {covered} | {tried} | {bad} |");
    }
    text
}
