//! Where the slots of the pipelines went, counted by the processor, in the page of `bottlenecks`.

use crate::phrases::{
    NOTHING_BINDS, SLOTS_COUNTED_BY, SLOTS_COUNTED_IN, SLOTS_OF_CORES, SLOTS_OF_USER_CODE, TOP_DOWN_AGREES,
    TOP_DOWN_ALONE, TOP_DOWN_DIFFERS, TOP_DOWN_TOO_LITTLE, TOP_DOWN_UNEXPLAINED, filled,
};
use crate::prose::{facts, labelled};
use crate::quantity::share;
use crate::style::{Ink, TerminalStyle};
use loopwright_analysis::model::{Agreement, TopDownFacts};

/// Width of the label column: that of the page.
const LABEL: usize = 10;

/// Lines above the loops: the shares, how they were counted, and whether they say the same as the verdicts.
pub(crate) fn top_down(known: &TopDownFacts, style: &TerminalStyle) -> String {
    let mut out = facts(style, "Slots", LABEL, Ink::Plain, &shares(known));
    out.push_str(&facts(style, "", LABEL, Ink::Dim, &how(known)));
    let ink = match known.comparison.as_ref().map(|comparison| comparison.agreement) {
        Some(Agreement::Agrees) => Ink::Plain,
        Some(Agreement::Differs) => Ink::Caution,
        Some(Agreement::TooLittle) | None => Ink::Dim,
    };
    out.push_str(&labelled(style, 0, "Top-down", LABEL, ink, &answer(known)));
    out
}

fn shares(known: &TopDownFacts) -> Vec<String> {
    let named = |name: &str, value: f64| format!("{name} {}", share(value));
    let halves = match known.memory.zip(known.core) {
        Some((memory, core)) => format!(" (memory {}, core {})", share(memory), share(core)),
        None => String::new(),
    };
    let mut items = vec![
        named("retiring", known.retiring),
        named("bad speculation", known.bad_speculation),
        named("front end", known.front_end),
        named("back end", known.back_end) + &halves,
    ];
    items.extend(known.other_thread.map(|value| named("other thread of the core", value)));
    items
}

fn how(known: &TopDownFacts) -> Vec<String> {
    let mut items = vec![filled(SLOTS_COUNTED_BY, [&known.perf, &known.asked])];
    items.extend(known.cores.as_ref().map(|cores| filled(SLOTS_OF_CORES, [cores])));
    items.extend(known.user_only.then(|| SLOTS_OF_USER_CODE.to_owned()));
    items.extend(known.counted_share.map(|counted| filled(SLOTS_COUNTED_IN, [&share(counted)])));
    items
}

/// Whether they say the same, in words.
pub(crate) fn answer(known: &TopDownFacts) -> String {
    let Some(comparison) = &known.comparison else { return TOP_DOWN_ALONE.to_owned() };
    let confirmed = share(comparison.confirmed_share);
    let binds = if known.binds.is_empty() {
        NOTHING_BINDS.to_owned()
    } else {
        known.binds.iter().map(|bound| bound.part.name()).collect::<Vec<_>>().join("; ")
    };
    match (comparison.agreement, comparison.unexplained) {
        (Agreement::TooLittle, _) => filled(TOP_DOWN_TOO_LITTLE, [&share(comparison.measured_share)]),
        (Agreement::Agrees, _) => filled(TOP_DOWN_AGREES, [&confirmed, &binds]),
        (Agreement::Differs, Some(part)) => filled(TOP_DOWN_UNEXPLAINED, [part.name()]),
        (Agreement::Differs, None) => filled(TOP_DOWN_DIFFERS, [&confirmed, &binds]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;
    use crate::traced_pages::TracedOptions;
    use loopwright_analysis::model::{SlotPart, TopDownComparison};

    #[test]
    fn pages_at_common_widths() {
        let analysis = fixture::bottlenecks::counted();
        for style in fixture::styles() {
            let text = crate::bottlenecks(&analysis, &TracedOptions::default(), &style);
            fixture::assert_fits(&text, &style);
            insta::assert_snapshot!(fixture::label("top_down", &style), fixture::visible(&text));
        }
    }

    #[test]
    fn slots_are_shown_without_loops_that_were_measured() {
        let mut analysis = fixture::analysis();
        analysis.top_down = fixture::bottlenecks::counted().top_down;
        let text = crate::bottlenecks(&analysis, &TracedOptions::default(), &TerminalStyle::plain(100));
        assert!(
            text.contains("retiring 18 %") && text.contains("loopwright bottlenecks -- PROGRAM"),
            "{text}"
        );
    }

    #[test]
    fn each_result_has_its_words() {
        let known = fixture::bottlenecks::counted().top_down.expect("the fixture has it");
        let with = |change: &dyn Fn(&mut TopDownComparison)| {
            let mut other = known.clone();
            other.comparison.iter_mut().for_each(change);
            answer(&other)
        };
        assert!(
            answer(&known).starts_with("agrees") && answer(&known).contains("back end, core"),
            "{}",
            answer(&known)
        );
        let differs = with(&|c| c.agreement = Agreement::Differs);
        assert!(differs.starts_with("differs") && differs.contains("90 %"), "{differs}");
        let unexplained = with(&|c| {
            c.agreement = Agreement::Differs;
            c.unexplained = Some(SlotPart::FrontEnd);
        });
        assert!(unexplained.contains("largest loss here, front end,"), "{unexplained}");
        let little = with(&|c| c.agreement = Agreement::TooLittle);
        assert!(little.contains("take 62 %"), "{little}");
        let alone = TopDownFacts { comparison: None, ..known.clone() };
        assert!(answer(&alone).contains("no loop has a verdict"));
    }
}
