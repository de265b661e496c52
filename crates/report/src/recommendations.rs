//! `show recommendations`: each in full, with its evidence, its code and its settings.

use crate::names::{elide_symbol, printable, width};
use crate::prose::{code, labelled, paragraph};
use crate::quantity::{counted, gain, share};
use crate::style::{Ink, TerminalStyle};
use loopwright_advise::{Change, Confidence, Place, Recommendation, cards, combined};
use loopwright_analysis::model::Analysis;

const INDENT: usize = 4;
const LABEL: usize = 6;
/// Columns of a function's name beside its place.
const NAME: usize = 60;

/// What is said where there is no recommendation.
pub(crate) const NONE: &str = "No rule found a change that is worth making.";

/// All of them, one for each change, the most valuable first; those that gain too little only where all are asked for.
pub fn recommendations(
    analysis: &Analysis,
    recommendations: &[Recommendation],
    all: bool,
    style: &TerminalStyle,
) -> String {
    let cards = cards(analysis, recommendations);
    let mut out = String::new();
    if cards.iter().all(|card| card.minor && !all) {
        out.push_str(&paragraph(style, 0, Ink::Plain, NONE));
    }
    for (at, advice) in cards.iter().filter(|card| all || !card.minor).enumerate() {
        if at > 0 {
            out.push('\n');
        }
        out.push_str(&full(at + 1, advice, style));
    }
    if let Some(line) = kept_back(&cards, style).filter(|_| !all) {
        if !out.is_empty() {
            out.push('\n');
        }
        out.push_str(&line);
    }
    if let Some(line) = together(recommendations, style) {
        out.push('\n');
        out.push_str(&line);
    }
    out
}

/// How many are not shown because the program would gain too little.
pub(crate) fn kept_back(cards: &[Recommendation], style: &TerminalStyle) -> Option<String> {
    let minor = cards.iter().filter(|card| card.minor).count() as u64;
    let changes = counted(minor, "change", "changes");
    let each = if minor == 1 { "" } else { " each" };
    let text = format!(
        "Not shown: {changes} likely to gain less than 2 %{each} (loopwright show recommendations --all)"
    );
    (minor > 0).then(|| paragraph(style, 0, Ink::Dim, &text))
}

/// What the changes are worth together, when more than one place is concerned.
pub(crate) fn together(recommendations: &[Recommendation], style: &TerminalStyle) -> Option<String> {
    let all = combined(recommendations).filter(|all| all.parts > 1)?;
    let gain = gain(all.program_gain, style);
    let text = format!("The best change at each of {} places together: program {gain} (modelled)", all.parts);
    Some(paragraph(style, 0, Ink::Strong, &text))
}

/// One of them.
pub(crate) fn full(number: usize, advice: &Recommendation, style: &TerminalStyle) -> String {
    let mut out = recommendation_title(number, advice, style);
    let line = |label: &str, ink: Ink, text: &str| labelled(style, INDENT, label, LABEL, ink, text);
    out.push_str(&recommendation_place(advice, LABEL, style));
    for place in advice.places.iter().filter(|_| advice.places.len() > 1) {
        let change = if place.change == advice.id { String::new() } else { format!(": {}", place.change) };
        let there =
            place.loop_gain.map(|there| format!(", {} there", gain(there, style))).unwrap_or_default();
        out.push_str(&line("", Ink::Plain, &format!("{}{change}{there}", at(place))));
    }
    let mut evidence: Vec<String> = advice.evidence.iter().map(ToString::to_string).collect();
    evidence.dedup();
    for (at, fact) in evidence.iter().enumerate() {
        out.push_str(&line(if at == 0 { "why" } else { "" }, Ink::Plain, fact));
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
    let worth = match advice.program_gain {
        Some(of_program) => format!("program {}", gain(of_program, style)),
        None => String::new(),
    };
    let right = width(&worth) + 2 + width(sure);
    let label = format!("{number:>2}  ");
    let room = style.columns().min(120).saturating_sub(width(&label));
    let title = printable(&advice.title);
    let worth =
        style.paint(Ink::Strong, &worth) + if worth.is_empty() { "" } else { "  " } + &style.paint(ink, sure);
    if width(&title) + 2 + right <= room {
        let gap = " ".repeat(room - width(&title) - right);
        return format!("{label}{}{gap}{worth}\n", style.paint(Ink::Strong, &title));
    }
    labelled(style, 0, label.trim_end(), 2, Ink::Strong, &title) + &" ".repeat(width(&label)) + &worth + "\n"
}

/// Where a recommendation applies and what it does there, after a label of this width; lines break between facts.
pub(crate) fn recommendation_place(
    advice: &Recommendation,
    label_width: usize,
    style: &TerminalStyle,
) -> String {
    let (mut facts, several) = (Vec::new(), advice.places.len() > 1);
    if several {
        facts.push(counted(advice.places.len() as u64, "loop", "loops"));
    } else if let Some(function) = advice.name() {
        let room = style.columns().saturating_sub(INDENT + label_width + 3);
        facts.push(elide_symbol(&printable(function), room.min(NAME), style));
    }
    if let (Some(place), true) = (&advice.place, !several) {
        facts.push(printable(place).into_owned());
    }
    if let (Some(id), true) = (advice.loop_id, !several) {
        facts.push(format!("loop {id}"));
    }
    if let Some(part) = advice.share {
        facts.push(format!("{} of the time", share(part)));
    }
    if let Some(there) = advice.loop_gain {
        facts.push(format!("{} there", gain(there, style)));
    }
    let mut out = String::new();
    if !facts.is_empty() {
        let label = format!("{}in", " ".repeat(INDENT));
        out = crate::prose::facts(style, &label, INDENT + label_width, Ink::Accent, &facts);
    }
    if let Some(tried) = &advice.tried {
        let ink = if tried.is_faster() { Ink::Good } else { Ink::Caution };
        out.push_str(&labelled(
            style,
            INDENT,
            "tried",
            label_width,
            ink,
            &crate::trials::in_words(tried, style),
        ));
    }
    out
}

/// A place on one line: function, line, loop and share of the time.
pub(crate) fn at(place: &Place) -> String {
    let mut facts: Vec<String> = [&place.function, &place.place]
        .into_iter()
        .flatten()
        .map(|text| printable(text).into_owned())
        .collect();
    facts.extend(place.loop_id.map(|id| format!("loop {id}")));
    facts.extend(place.share.map(share));
    facts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    fn in_full_at_common_widths() {
        for style in fixture::styles() {
            let text = recommendations(&fixture::analysis(), &fixture::recommendations(), false, &style);
            fixture::assert_fits(&text, &style);
            insta::assert_snapshot!(fixture::label("recommendations", &style), fixture::visible(&text));
        }
    }

    #[test]
    fn none_is_said() {
        assert_eq!(
            recommendations(&fixture::analysis(), &[], false, &TerminalStyle::plain(80)),
            "No rule found a change that is worth making.\n"
        );
    }
}
