//! `show recommendations`: each in full, with its evidence, its code and its settings.

use crate::names::{elide_symbol, printable, width};
use crate::prose::{code, labelled, paragraph};
use crate::quantity::{ratio_range, share};
use crate::style::{Ink, TerminalStyle};
use loopwright_advise::{Change, Confidence, Recommendation, combined};

const INDENT: usize = 4;
const LABEL: usize = 6;
/// Columns of a function's name beside its place.
const NAME: usize = 60;

/// All of them, the most valuable first.
pub fn recommendations(recommendations: &[Recommendation], style: &TerminalStyle) -> String {
    if recommendations.is_empty() {
        return paragraph(style, 0, Ink::Plain, "No rule found a change that is worth making.");
    }
    let mut out = String::new();
    for (at, advice) in recommendations.iter().enumerate() {
        if at > 0 {
            out.push('\n');
        }
        out.push_str(&full(at + 1, advice, style));
    }
    if let Some(line) = together(recommendations, style) {
        out.push('\n');
        out.push_str(&line);
    }
    out
}

/// What the changes are worth together, when more than one place is concerned.
pub(crate) fn together(recommendations: &[Recommendation], style: &TerminalStyle) -> Option<String> {
    let all = combined(recommendations).filter(|all| all.parts > 1)?;
    let gain = ratio_range(all.program_gain.into(), style);
    let text = format!("The best change at each of {} places together: program {gain} (modelled)", all.parts);
    Some(paragraph(style, 0, Ink::Strong, &text))
}

/// One of them.
pub(crate) fn full(number: usize, advice: &Recommendation, style: &TerminalStyle) -> String {
    let mut out = recommendation_title(number, advice, style);
    let line = |label: &str, ink: Ink, text: &str| labelled(style, INDENT, label, LABEL, ink, text);
    out.push_str(&recommendation_place(advice, LABEL, style));
    for (at, fact) in advice.evidence.iter().enumerate() {
        out.push_str(&line(if at == 0 { "why" } else { "" }, Ink::Plain, &fact.to_string()));
    }
    if !advice.how.text.is_empty() {
        out.push_str(&line("how", Ink::Plain, &advice.how.text));
    }
    for (at, flags) in advice.how.flags.iter().enumerate() {
        out.push_str(&line(
            if at == 0 { "flags" } else { "" },
            Ink::Plain,
            &format!("{}: {}", flags.compiler, flags.flags),
        ));
    }
    for (at, setting) in advice.how.environment.iter().enumerate() {
        let text = format!("{}={}  ({})", setting.name, setting.value, setting.meaning);
        out.push_str(&line(if at == 0 { "env" } else { "" }, Ink::Plain, &text));
    }
    for (language, change) in [("C", &advice.how.c), ("Fortran", &advice.how.fortran)] {
        if let Some(change) = change {
            out.push_str(&before_and_after(language, change, style));
        }
    }
    if let Some(next) = &advice.next {
        out.push_str(&line("next", Ink::Accent, next));
    }
    if let Some(case) = &advice.case {
        out.push_str(&line("case", Ink::Plain, &format!("{case} in the casebook")));
    }
    for (at, source) in advice.sources.iter().enumerate() {
        out.push_str(&line(if at == 0 { "source" } else { "" }, Ink::Dim, source));
    }
    // Comparisons and the JSON name the change, `explain` the rule.
    let names = match advice.rule == advice.id {
        true => advice.id.clone(),
        false => format!("{}, which recommends {}", advice.rule, advice.id),
    };
    out.push_str(&line("rule", Ink::Dim, &names));
    out
}

fn before_and_after(language: &str, change: &Change, style: &TerminalStyle) -> String {
    let mut out = String::new();
    for (title, text) in [("before", &change.before), ("after", &change.after)] {
        if !text.trim().is_empty() {
            out.push_str(&paragraph(style, INDENT, Ink::Dim, &format!("{language}, {title}")));
            out.push_str(&code(style, INDENT + 4, text));
        }
    }
    out
}

/// How sure advice is, and its colour.
pub(crate) fn confidence(confidence: Confidence) -> (&'static str, Ink) {
    match confidence {
        Confidence::High => ("high confidence", Ink::Good),
        Confidence::Medium => ("medium confidence", Ink::Plain),
        Confidence::Low => ("low confidence", Ink::Caution),
    }
}

/// Title on the left, predicted gain on the right.
pub(crate) fn recommendation_title(number: usize, advice: &Recommendation, style: &TerminalStyle) -> String {
    let (sure, ink) = confidence(advice.confidence);
    let gain = match advice.program_gain {
        Some(gain) => format!("program {}", ratio_range(gain.into(), style)),
        None => String::new(),
    };
    let right = width(&gain) + 2 + width(sure);
    let label = format!("{number:>2}  ");
    let room = style.columns().min(120).saturating_sub(width(&label));
    let title = printable(&advice.title);
    let gain =
        style.paint(Ink::Strong, &gain) + if gain.is_empty() { "" } else { "  " } + &style.paint(ink, sure);
    if width(&title) + 2 + right <= room {
        let gap = " ".repeat(room - width(&title) - right);
        return format!("{label}{}{gap}{gain}\n", style.paint(Ink::Strong, &title));
    }
    labelled(style, 0, label.trim_end(), 2, Ink::Strong, &title) + &" ".repeat(width(&label)) + &gain + "\n"
}

/// Where a recommendation applies and what it does there, after a label of this width; lines break between facts.
pub(crate) fn recommendation_place(
    advice: &Recommendation,
    label_width: usize,
    style: &TerminalStyle,
) -> String {
    let mut facts = Vec::new();
    if let Some(function) = advice.name() {
        let room = style.columns().saturating_sub(INDENT + label_width + 3);
        facts.push(elide_symbol(&printable(function), room.min(NAME), style));
    }
    if let Some(place) = &advice.place {
        facts.push(printable(place).into_owned());
    }
    if let Some(id) = advice.loop_id {
        facts.push(format!("loop {id}"));
    }
    if let Some(part) = advice.share {
        facts.push(format!("{} of the time", share(part)));
    }
    if let Some(gain) = advice.loop_gain {
        facts.push(format!("{} faster there", ratio_range(gain.into(), style)));
    }
    if facts.is_empty() {
        return String::new();
    }
    let label = format!("{}in", " ".repeat(INDENT));
    crate::prose::facts(style, &label, INDENT + label_width, Ink::Accent, &facts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    fn in_full_at_common_widths() {
        for style in fixture::styles() {
            let text = recommendations(&fixture::recommendations(), &style);
            fixture::assert_fits(&text, &style);
            insta::assert_snapshot!(fixture::label("recommendations", &style), fixture::visible(&text));
        }
    }

    #[test]
    fn none_is_said() {
        assert_eq!(
            recommendations(&[], &TerminalStyle::plain(80)),
            "No rule found a change that is worth making.\n"
        );
    }
}
