//! What a reader wants to see: one recommendation for each change, whatever number of loops and instantiations it touches.
//!
//! [`advise()`](crate::advise()) recommends for each loop, which is what a view of one loop shows. A card is made of all
//! recommendations of one change: it has the evidence of the most valuable, one prediction for all its loops and the list of
//! them. Changes that are only options of the compiler are one card for the program (`rules/rebuild`).
//!
//! Order: the likely gain of the program by how sure it is, or the measured one of what was tried; what was tried and is no
//! faster comes after what was not; work that is done once, early or late in the run, counts half. What
//! has no prediction comes after what has one, unless it is certain and holds most of the time; conditions that no run has checked
//! and changes that may make the program slower come next, and last what is likely to gain less than two runs of a program differ
//! by: it is not shown unless all is asked for.

use crate::advise::{
    WORTH_MAKING, is_unchecked, lead_with_the_surest_gain, precedes, widen_by_sampling, worth,
};
use crate::composed::compose;
use crate::evidence::{Evidence, Expected};
use crate::facts::Facts;
use crate::places::Place;
use crate::recommendation::{Confidence, Recommendation};
use crate::rule::Check;
use crate::rules;
use crate::tried::Tried;
use loopwright_analysis::model::{Analysis, LoopFacts, Provenance};
use loopwright_costs::{Gain, experience};

/// Part of its worth that remains to a change of work that is done once: a run of usual length has more of the other work.
const ONCE: f64 = 0.5;

/// A certain obstacle in this part of the time is said before small gains elsewhere, whatever its removal is worth.
const MOST: f64 = 0.5;
/// Gain of a loop at which such an obstacle ranks: its removal is worth some gain, and how much is not known.
const HELD_BACK: f64 = 1.1;

/// A certain obstacle without a prediction that holds back most of the time.
fn holds_most(card: &Recommendation) -> bool {
    let certain = card.program_gain.is_none() && card.confidence == Confidence::High;
    certain && card.share.is_some_and(|share| share >= MOST)
}

/// A mathematics library's time is its callers': where a recommendation for the loops that call it concerns most of that time, the
/// one for the library says the same again.
fn without_libraries_of_loops(mut cards: Vec<Recommendation>) -> Vec<Recommendation> {
    let of_loops = cards.iter().filter(|card| card.id == "vector-math-library").filter_map(|card| card.share);
    let called = of_loops.fold(0.0, f64::max);
    cards.retain(|card| {
        let mathematics = card.place.as_deref().is_some_and(|place| place.starts_with("libm."));
        let library = card.rule == rules::hot_library::RULE.id && mathematics;
        !(library && card.share.is_some_and(|share| called >= MOST * share))
    });
    cards
}

/// The recommendations for an analysed program as cards, the most valuable first.
pub fn cards(analysis: &Analysis, all: &[Recommendation]) -> Vec<Recommendation> {
    let facts = Facts::new(analysis);
    let mut cards: Vec<Recommendation> = rules::ALL
        .iter()
        .filter_map(|rule| match rule.check {
            Check::Advice(check) => check(&facts, all),
            _ => None,
        })
        .collect();
    let packed: Vec<Place> = cards.iter().flat_map(|card| card.places.iter().cloned()).collect();
    let mut changes: Vec<Vec<&Recommendation>> = Vec::new();
    for one in all.iter().filter(|one| !packed.iter().any(|place| place.is_of(one))) {
        let same = |of: &&mut Vec<&Recommendation>| of[0].group.is_some() && of[0].id == one.id;
        match changes.iter_mut().find(same).filter(|_| one.group.is_some()) {
            Some(known) => known.push(one),
            None => changes.push(vec![one]),
        }
    }
    cards.extend(changes.into_iter().map(|of| card(&facts, of)));
    cards = without_libraries_of_loops(cards);
    for card in &mut cards {
        let trials = analysis.trials.iter().flat_map(|trials| &trials.tried);
        card.tried = Tried::best(trials.filter(|tried| tried.change == card.id));
        let expected = match &card.tried {
            Some(tried) if tried.is_faster() => {
                card.confidence = Confidence::High;
                tried.measured_median
            }
            _ => card.program_gain.map(Gain::likely),
        };
        card.minor = expected.is_some_and(|gain| gain < WORTH_MAKING);
    }
    cards.iter_mut().filter(|card| !card.minor).for_each(with_the_whole_change);
    let value = |card: &Recommendation| {
        let once = card.loop_id.and_then(|id| facts.loop_by_id(id)).is_some_and(|of| runs_once(&facts, of));
        let measured = card.tried.as_ref().filter(|tried| tried.is_faster()).and_then(|t| t.measured_median);
        let worth = if let Some(measured) = measured {
            return measured.ln();
        } else if holds_most(card) {
            Gain::of(HELD_BACK).of_program(card.share.unwrap_or(0.0)).likely().ln()
        } else {
            worth(card)
        };
        worth * if once { ONCE } else { 1.0 }
    };
    let kind = |card: &Recommendation| match card {
        card if card.minor => 3,
        card if card.tried.is_some() => {
            if is_faster(card) {
                0
            } else {
                2
            }
        }
        card if is_unchecked(card) || may_lose(card) => 2,
        card => u8::from(card.program_gain.is_none() && !holds_most(card)),
    };
    cards.sort_by(|a, b| {
        kind(a).cmp(&kind(b)).then(value(b).total_cmp(&value(a))).then_with(|| precedes(a, b))
    });
    let shown = cards.iter().take_while(|card| !card.minor).count();
    lead_with_the_surest_gain(&mut cards[..shown]);
    cards
}

/// Models price one effect of a change. What whole changes gained in programs is what a reader who makes one can expect.
fn with_the_whole_change(card: &mut Recommendation) {
    let (Some(model), Some(experience)) = (card.program_gain, experience::of(&card.id)) else { return };
    // A recommendation that may lose is one to measure, not to count on.
    if model.low() < 1.0 || model.likely() < WORTH_MAKING {
        return;
    }
    card.modelled_gain = Some(model);
    card.program_gain = Some(experience.whole(model, card.share.unwrap_or(1.0)));
    card.evidence.push(Evidence::new(
        Provenance::Modelled,
        Expected::WholeChange {
            model: (model.low(), model.likely(), model.high()),
            programs: experience.programs,
            likely: experience.likely,
            most: experience.most,
        },
    ));
}

/// A trial measured that it is faster.
fn is_faster(card: &Recommendation) -> bool {
    card.tried.as_ref().is_some_and(Tried::is_faster)
}

/// The program may become slower: what cannot lose comes first.
fn may_lose(card: &Recommendation) -> bool {
    card.program_gain.is_some_and(|gain| gain.low() * WORTH_MAKING < 1.0)
}

/// One card of the recommendations of one change, the most valuable first.
fn card(facts: &Facts, of: Vec<&Recommendation>) -> Recommendation {
    let mut new = of[0].clone();
    if of.len() > 1 {
        if let Some((share, gain)) = compose(facts, &of) {
            new = new.gain(share, gain);
            widen_by_sampling(&mut new, facts);
        }
        new.places = of.iter().map(|one| Place::of(one)).collect();
    }
    // Without a prediction no rule states the share: it is that of the loops.
    let time = |id: Option<u32>| facts.loop_by_id(id?).map(|of| of.group_share);
    if new.share.is_none() && new.program_gain.is_none() {
        let shares = of.iter().filter_map(|one| time(one.loop_id));
        new.share = Some(shares.sum::<f64>().min(1.0)).filter(|share| *share > 0.0);
        new.places.iter_mut().for_each(|place| place.share = time(place.loop_id));
    }
    new
}

/// A nest is small beside the one that takes most time when it takes less than this part of its time.
const SMALL: f64 = 0.5;

/// The loop's nest is entered once in the whole run and takes little of it beside another nest: reading, setting up, writing
/// out. A longer run has no more of it.
fn runs_once(facts: &Facts, of: &LoopFacts) -> bool {
    let outermost = |of| facts.ancestors(of).last().unwrap_or(of);
    let root = outermost(of);
    let entered_once = root.trip_count.as_ref().is_some_and(|trips| trips.entries == Some(1));
    let roots = facts.analysis.loops.iter().filter(|each| each.parent.is_none());
    let largest = roots.map(|each| each.total_share).fold(0.0, f64::max);
    entered_once && root.total_share < SMALL * largest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{assert_sound, chain, count, scalar_loop, with_loops};
    use loopwright_binary::facts::ChainKind;

    fn sum(id: u32, share: f64) -> LoopFacts {
        scalar_loop(|l| {
            (l.id, l.group) = (id, id);
            (l.self_share, l.group_share, l.total_share) = (share, share, share);
            l.chains = vec![chain(ChainKind::Recurrence, "xmm1", 4)];
        })
    }

    /// A recommendation for a loop.
    fn one(id: &str, of: &LoopFacts, gain: (f64, f64)) -> Recommendation {
        let facts = with_loops(vec![of.clone()]);
        let how = crate::recommendation::How::new("Change the source of this loop.");
        let new = Facts::new(&facts).about_loop(&rules::pointer_chase::RULE, of).how(how);
        new.named(id, format!("Do {id}")).gain(of.group_share, gain)
    }

    #[test]
    fn a_change_at_several_loops_is_one_card_with_one_prediction() {
        let loops = vec![sum(1, 0.4), sum(2, 0.4)];
        let all =
            [one("pad-short-loop", &loops[0], (2.0, 2.0)), one("pad-short-loop", &loops[1], (2.0, 2.0))];
        let cards = cards(&with_loops(loops), &all);
        let [card] = cards.as_slice() else { panic!("{cards:?}") };
        assert_sound(card);
        assert_eq!((card.places.len(), card.loop_id, card.changes()), (2, Some(1), vec!["pad-short-loop"]));
        let gain = card.program_gain.unwrap();
        assert!((gain.likely() - 1.0 / 0.6).abs() < 1e-9, "{card:?}");
        assert!(gain.low() < 1.0 / 0.6 && gain.high() > 1.0 / 0.6, "shares are sampled: {gain:?}");
        let json = serde_json::to_value(card).unwrap();
        assert_eq!(json["places"][1]["loop_id"], 2);
        assert_eq!(json["changes"], serde_json::json!(["pad-short-loop"]));
        assert!((json["program_gain_likely"].as_f64().unwrap() - 1.0 / 0.6).abs() < 1e-9);
    }

    #[test]
    fn a_loop_inside_another_counts_once() {
        let outer = scalar_loop(|l| {
            (l.id, l.group, l.innermost) = (1, 1, false);
            (l.self_share, l.group_share, l.total_share) = (0.1, 0.1, 0.9);
        });
        let inner = scalar_loop(|l| {
            (l.id, l.group, l.parent) = (2, 2, Some(1));
            (l.self_share, l.group_share, l.total_share) = (0.8, 0.8, 0.8);
        });
        let all = [one("move", &outer, (2.0, 2.0)).gain(0.9, (2.0, 2.0)), one("move", &inner, (3.0, 3.0))];
        let cards = cards(&with_loops(vec![outer, inner]), &all);
        assert_eq!((cards.len(), cards[0].share), (1, Some(0.9)));
    }

    #[test]
    fn what_gains_too_little_is_kept_back_and_what_predicts_nothing_does_not_lead() {
        let loops = vec![sum(1, 0.4), sum(2, 0.3), sum(3, 0.2)];
        let mut unknown = one("look", &loops[0], (1.0, 1.0));
        (unknown.share, unknown.loop_gain, unknown.program_gain) = (None, None, None);
        unknown.confidence = Confidence::High;
        let all = [unknown, one("polish", &loops[1], (1.0, 1.1)), one("pad", &loops[2], (1.1, 1.3))];
        let mut program = with_loops(loops);
        let cards_of_most = {
            program.loops[0].group_share = 0.8;
            cards(&program, &all)
        };
        assert_eq!(cards_of_most[0].id, "look", "certain, and most of the time");
        program.loops[0].group_share = 0.4;
        let cards = cards(&program, &all);
        let order: Vec<_> = cards.iter().map(|card| (card.id.as_str(), card.minor)).collect();
        assert_eq!(order, [("pad", false), ("look", false), ("polish", true)]);
    }

    #[test]
    fn what_was_tried_ranks_by_what_was_measured() {
        use loopwright_analysis::model::{TrialFacts, TriedFacts, TriedOutcome, Verdict, Way};
        let tried = |change: &str, outcome, median: f64| TriedFacts {
            change: change.into(),
            way: Way::Options,
            parts: Vec::new(),
            predicted: None,
            predicted_likely: None,
            measured: Some((median * 0.99, median * 1.01)),
            measured_median: Some(median),
            clock: None,
            pairs: 5,
            in_run: None,
            not_in_run: None,
            outcome,
            answer: Some(Verdict::Same),
            largest_difference: None,
            first_difference: None,
            note: None,
        };
        let loops = vec![sum(1, 0.3), sum(2, 0.3), sum(3, 0.3)];
        let all = [
            one("pad", &loops[0], (1.5, 1.6)),
            one("fuse", &loops[1], (2.0, 2.0)),
            one("polish", &loops[2], (1.0, 1.02)),
        ];
        let mut program = with_loops(loops);
        let trials = vec![
            tried("fuse", TriedOutcome::WrongAnswer, 2.0),
            tried("polish", TriedOutcome::NoDifference, 1.0),
            tried("polish", TriedOutcome::Faster, 1.3),
            tried("pad", TriedOutcome::LeftAlone, 1.0),
        ];
        program.trials = Some(TrialFacts {
            claimed_from: 1.01,
            outputs: Vec::new(),
            unsteady: Vec::new(),
            tried: trials,
            together: None,
        });
        let cards = cards(&program, &all);
        let order: Vec<_> = cards.iter().map(|card| (card.id.as_str(), card.tried.is_some())).collect();
        assert_eq!(order, [("polish", true), ("pad", false), ("fuse", true)]);
        assert_eq!(cards[0].tried.as_ref().unwrap().measured_median, Some(1.3));
        assert!(!cards[0].minor && cards[0].confidence == Confidence::High);
    }

    #[test]
    fn what_runs_once_counts_less_than_what_runs_all_the_time() {
        let (mut work, mut set_up) = (sum(1, 0.7), sum(2, 0.2));
        count(&mut work, 1000, 50);
        count(&mut set_up, 1, 50_000);
        let all = [one("pad", &set_up, (1.5, 1.5)), one("fuse", &work, (1.06, 1.06))];
        let order = |loops| -> Vec<String> {
            cards(&with_loops(loops), &all).into_iter().map(|card| card.id).collect()
        };
        assert_eq!(order(vec![work.clone(), set_up.clone()]), ["fuse", "pad"]);
        set_up.trip_count = None;
        assert_eq!(order(vec![work, set_up]), ["pad", "fuse"]);
    }
}
