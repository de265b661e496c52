//! What to do, on the screen after a run: the first changes, each with its loops, why and how.

use crate::names::{elide_end, elide_words, printable, width};
use crate::prose::{READABLE, first_sentences, heading, labelled, paragraph};
use crate::quantity::gain;
use crate::recommendations::{NONE, at, confidence, recommendation_place, recommendation_title};
use crate::style::{Ink, TerminalStyle};
use crate::trials::in_words;
use loopwright_advise::Recommendation;
use loopwright_analysis::model::Analysis;

/// A piece of evidence or a step longer than this is cut here; `show recommendations` has it in full.
const LONGEST: usize = 200;
/// Places whose recommendations are shown.
pub(super) const PLACES: usize = 3;
/// Further remedies named for one place.
const ALSO: usize = 3;
/// Loops named of a change for several.
const NAMED: usize = 3;
/// Pieces of evidence shown for each.
const EVIDENCE: usize = 2;

/// The first recommendations, as many as `budget` lines hold but at least one, the later ones in short where they do not fit
/// in full; their number, and that of the places that they are about.
pub(super) fn top_recommendations(
    analysis: &Analysis,
    recommendations: &[&Recommendation],
    budget: usize,
    style: &TerminalStyle,
) -> (String, usize, usize) {
    if analysis.program.samples == 0 {
        return (String::new(), 0, 0);
    }
    let mut out = heading(style, "What to do");
    if recommendations.is_empty() {
        return (out + &paragraph(style, 0, Ink::Plain, NONE), 0, 0);
    }
    let mut left = budget;
    let (mut shown, mut places) = (0, 0);
    for (at, (first, others)) in by_place(recommendations).into_iter().take(PLACES).enumerate() {
        let mut text = short_recommendation(at + 1, first, style);
        for other in others.iter().take(ALSO) {
            text.push_str(&also(other, style));
        }
        let mut told = 1 + others.len().min(ALSO);
        if at > 0 && text.lines().count() > left {
            (text, told) = (title_and_place(at + 1, first, style), 1);
        }
        let lines = text.lines().count();
        if at > 0 && lines > left {
            break;
        }
        left = left.saturating_sub(lines);
        (shown, places) = (shown + told, places + 1);
        out.push_str(&text);
    }
    (out, shown, places)
}

/// Recommendations of one place together, in the order of each place's best: whoever opens a file to change a loop
/// wants to know all that holds it back.
pub(super) fn by_place<'a>(
    recommendations: &[&'a Recommendation],
) -> Vec<(&'a Recommendation, Vec<&'a Recommendation>)> {
    let mut places: Vec<(&Recommendation, Vec<&Recommendation>)> = Vec::new();
    for &advice in recommendations {
        let same = |first: &Recommendation| advice.group.is_some() && first.group == advice.group;
        match places.iter_mut().find(|(first, _)| same(first)) {
            Some((_, others)) => others.push(advice),
            None => places.push((advice, Vec::new())),
        }
    }
    places
}

/// A further remedy for the same place, on one line.
fn also(advice: &Recommendation, style: &TerminalStyle) -> String {
    let (sure, _) = confidence(advice.confidence);
    let there = advice.loop_gain.map(|there| format!("{}, ", gain(there, style)));
    let tail = match &advice.tried {
        Some(tried) => format!(" (tried: {})", in_words(tried, style)),
        None => format!(" ({}{sure})", there.unwrap_or_default()),
    };
    // As wide as paragraphs are, so that it stays one line.
    let room = style.columns().min(READABLE).saturating_sub(10 + width(&tail));
    let text = elide_words(&printable(&advice.title), room, style) + &tail;
    labelled(style, 4, "also", 4, Ink::Plain, &text)
}

fn title_and_place(number: usize, advice: &Recommendation, style: &TerminalStyle) -> String {
    let mut out = recommendation_title(number, advice, style) + &recommendation_place(advice, 4, style);
    if advice.places.len() > 1 {
        out.push_str(&labelled(style, 4, "at", 4, Ink::Plain, &places(advice, style)));
    }
    out
}

/// The loops of a change on one line: those that fit, and the number of others.
fn places(advice: &Recommendation, style: &TerminalStyle) -> String {
    // The labels, and the number of others.
    let room = style.columns().min(READABLE).saturating_sub(8 + 10);
    let mut out = String::new();
    let mut named = 0;
    for place in advice.places.iter().take(NAMED).map(at) {
        let new = if out.is_empty() { elide_end(&place, room, style) } else { format!("{out}; {place}") };
        if width(&new) > room {
            break;
        }
        (out, named) = (new, named + 1);
    }
    match advice.places.len() - named {
        0 => out,
        more => format!("{out}; {more} more"),
    }
}

fn short_recommendation(number: usize, advice: &Recommendation, style: &TerminalStyle) -> String {
    let mut out = title_and_place(number, advice, style);
    let mut line = |label: &str, ink: Ink, text: &str| out.push_str(&labelled(style, 4, label, 4, ink, text));
    let (known, new): (Vec<_>, Vec<_>) =
        advice.evidence.iter().partition(|each| each.fact.is_on_the_screen());
    let mut shown: Vec<String> =
        (if new.is_empty() { known } else { new }).into_iter().map(ToString::to_string).collect();
    shown.dedup();
    for (at, each) in shown.into_iter().take(EVIDENCE).enumerate() {
        let text = elide_words(&printable(&each), LONGEST, style);
        line(if at == 0 { "why" } else { "" }, Ink::Plain, &text);
    }
    let how = first_sentences(&advice.how.text, LONGEST);
    if !how.is_empty() {
        line("how", Ink::Plain, &elide_words(&printable(how), LONGEST, style));
    } else if let Some(flags) = advice.how.flags.first() {
        line("how", Ink::Plain, &format!("{} {}", flags.compiler, flags.flags));
    }
    if let Some(next) = &advice.next {
        line("next", Ink::Accent, &elide_end(&printable(next), LONGEST, style));
    }
    out
}
