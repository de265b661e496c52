//! What the rules about library code of one purpose share: when its time is worth a recommendation, and the evidence.

use crate::evidence::{Expected, Hot, Time};
use crate::facts::{FIRM_SAMPLES, Facts};
use crate::libraries;
use crate::recommendation::Recommendation;
use crate::rule::Rule;
use loopwright_analysis::model::{FunctionFacts, LoopFacts, Provenance, Purpose, PurposeFacts};
use loopwright_analysis::place::base_name;
use loopwright_costs::Gain;
use loopwright_costs::estimates::{AROUND_LIBRARY, SAME_DATA};
use loopwright_vocabulary::Language;
use std::collections::BTreeMap;
use std::path::Path;

/// Without this share of the time no program becomes 5 % faster.
const NOTICEABLE: f64 = 0.05;
/// Places of calls that are named.
const NAMED: usize = 3;
/// Smaller parts are not worth a sentence.
const WORTH_A_SENTENCE: f64 = 0.02;

/// The id of the rule that reports the time of a purpose: rules use this file, so that it cannot use them.
const RULES: &[(Purpose, &str)] = &[
    (Purpose::OrderedContainer, "ordered-container"),
    (Purpose::HashTable, "hash-table"),
    (Purpose::Hashing, "hash-table"),
    (Purpose::LinkedList, "shifted-sequence"),
    (Purpose::Shifting, "shifted-sequence"),
    (Purpose::Sorting, "sort-time"),
    (Purpose::Comparing, "compared-keys"),
    (Purpose::Allocation, "time-in-malloc"),
    (Purpose::Growing, "time-in-malloc"),
    (Purpose::Copying, "copied-data"),
    (Purpose::ArrayTemporaries, "array-temporaries"),
    (Purpose::Formatting, "formatted-text"),
    (Purpose::Parsing, "parsed-text"),
    (Purpose::RandomNumbers, "random-numbers"),
    (Purpose::RegularExpressions, "regular-expressions"),
    (Purpose::TextSearch, "text-search"),
    (Purpose::InputOutput, "small-io"),
    (Purpose::Exceptions, "thrown-exceptions"),
    (Purpose::DynamicCasts, "checked-casts"),
    (Purpose::ReferenceCounts, "reference-counts"),
    (Purpose::BigIntegers, "big-integers"),
];

/// The time of a purpose, where a change of the program can matter.
pub fn worth<'a>(facts: &Facts<'a>, purpose: Purpose) -> Option<&'a PurposeFacts> {
    let found = of(facts, purpose)?;
    (found.share >= NOTICEABLE && found.samples >= FIRM_SAMPLES && is_ones_own(facts)).then_some(found)
}

/// The time of a purpose.
pub fn of<'a>(facts: &Facts<'a>, purpose: Purpose) -> Option<&'a PurposeFacts> {
    facts.analysis.purposes.iter().find(|found| found.purpose == purpose)
}

/// The program is not one that was installed: its user can change it.
fn is_ones_own(facts: &Facts) -> bool {
    facts.analysis.modules.iter().filter(|module| module.main_module).any(|module| {
        !libraries::is_interpreter(base_name(&module.path)) && !libraries::is_installed(&module.path)
    })
}

/// The time of a purpose with the functions that the program calls.
pub fn time_of(found: &PurposeFacts) -> Time {
    let functions = found.functions.iter().take(NAMED);
    let functions = functions.map(|f| Hot { function: f.function.clone(), share: f.share }).collect();
    Time::LibraryPurpose { share: found.share, purpose: found.purpose, functions }
}

/// A recommendation about the time of a purpose, with where it is spent and who calls it.
pub fn about(facts: &Facts, rule: &Rule, found: &PurposeFacts) -> Recommendation {
    let mut new = facts.about_program(rule);
    if let Some(caller) = found.callers.first() {
        new.function = Some(caller.function.clone());
        new.place.clone_from(&caller.place);
    }
    new = new.because(Provenance::Measured, time_of(found));
    let places: Vec<Hot> = found
        .callers
        .iter()
        .take(NAMED)
        .filter(|caller| caller.share >= WORTH_A_SENTENCE)
        .map(|caller| Hot {
            function: match &caller.place {
                Some(place) => format!("{place} ({})", caller.function),
                None => caller.function.clone(),
            },
            share: caller.share,
        })
        .collect();
    if places.is_empty() {
        new = new.next("loopwright show tree");
    } else {
        new = new.because(Provenance::Measured, Time::CalledFrom { places });
    }
    new = with_parts(new, found);
    if found.callback_share >= WORTH_A_SENTENCE {
        new = new.because(Provenance::Measured, Time::CalledBack { share: found.callback_share });
    }
    if found.kernel_share >= WORTH_A_SENTENCE {
        new = new.because(Provenance::Measured, Time::InKernel { share: found.kernel_share });
    }
    new
}

/// With what the time of a purpose, named right before, has of other purposes in it.
pub fn with_parts(mut new: Recommendation, found: &PurposeFacts) -> Recommendation {
    for part in found.inside.iter().take(NAMED).filter(|part| part.share >= WORTH_A_SENTENCE) {
        let fact = Time::InsidePurpose { share: part.share, purpose: part.purpose };
        new = new.because(Provenance::Measured, fact);
    }
    new
}

impl Recommendation {
    /// With the gain of [`Recommendation::saving`] from library code, and at most what of the own time of the functions that call it may
    /// go with it: they prepare its arguments, take its results apart and wait for both.
    #[must_use]
    pub(crate) fn saving_library(
        self,
        facts: &Facts,
        found: &PurposeFacts,
        share: f64,
        (least, most): (f64, f64),
    ) -> Self {
        let (around, due) = around(facts, &[found]);
        let (others, beside) = same_data(facts, &[found], share);
        // The parts of a program are no more than the whole.
        let due = due.min((1.0 - share - beside).max(0.0));
        let part = (share * most + AROUND_LIBRARY * due + SAME_DATA * beside) / share.max(f64::MIN_POSITIVE);
        let mut new = self;
        if beside > 0.0 {
            new = new.because(Provenance::Measured, Time::SameData { share: others });
        }
        if !around.is_empty() {
            let own = around.iter().map(|hot| hot.share).sum();
            new = new.because(Provenance::Measured, Time::AroundCalls { share: own, functions: around });
        }
        let whole = (share + due + beside).min(1.0);
        let gain = Gain::removing_between(least * share / whole, (part * share / whole).min(1.0));
        new.because(Provenance::Modelled, Expected::Saved { least, most }).gain(whole, gain)
    }
}

/// Purposes of library code that works on records and text: whoever borrows what was copied, or numbers what was named, changes the calls
/// of several.
const OF_RECORDS: [Purpose; 9] = [
    Purpose::Allocation,
    Purpose::Growing,
    Purpose::Copying,
    Purpose::Parsing,
    Purpose::Formatting,
    Purpose::HashTable,
    Purpose::OrderedContainer,
    Purpose::Comparing,
    Purpose::TextSearch,
];

/// Time of library code for other purposes that the same functions call, and what of it is likely to change with `found`: no more than the
/// share of that, for of small parts of a program it is not likely.
pub fn same_data(facts: &Facts, found: &[&PurposeFacts], share: f64) -> (f64, f64) {
    let of_records = |purpose: &Purpose| OF_RECORDS.contains(purpose);
    if !found.iter().any(|one| of_records(&one.purpose)) {
        return (0.0, 0.0);
    }
    let calls = |one: &PurposeFacts, function: &str| {
        let callers = one.callers.iter().map(|caller| &caller.function);
        callers.chain(one.holders.iter().map(|holder| &holder.function)).any(|known| known == function)
    };
    let same = |function: &str| found.iter().any(|own| calls(own, function));
    // Of another purpose only what these functions call.
    let together = |one: &PurposeFacts| -> f64 {
        let called = one.callers.iter().filter(|caller| same(&caller.function)).map(|c| c.share);
        let held = one.holders.iter().filter(|holder| same(&holder.function)).map(|h| h.share);
        called.sum::<f64>().max(held.sum()).min(one.share)
    };
    let other = |one: &&PurposeFacts| {
        of_records(&one.purpose)
            && one.share >= WORTH_A_SENTENCE
            && found.iter().all(|own| own.purpose != one.purpose)
    };
    let others: f64 = facts.analysis.purposes.iter().filter(other).map(together).sum();
    (others, others.min(share))
}

/// Own time of a function counts as caused by its calls up to this many times the time of these.
const MOST_AROUND: f64 = 4.0;
/// Less own time is not worth a word.
const LEAST_AROUND: f64 = 0.03;

/// The functions of the program that call library code with their own time, and the part of it that may be due to that.
pub fn around(facts: &Facts, found: &[&PurposeFacts]) -> (Vec<Hot>, f64) {
    let mut calling: BTreeMap<&str, f64> = BTreeMap::new();
    for caller in found.iter().flat_map(|found| &found.holders) {
        *calling.entry(&caller.function).or_default() += caller.share;
    }
    // Library code that the compiler inlined is part of a function's own time.
    let library = |name: &str| {
        let holders = facts.analysis.purposes.iter().flat_map(|found| &found.holders);
        holders.filter(|holder| holder.function == name).map(|holder| holder.share).sum::<f64>()
    };
    let own = |name: &str| {
        let named = || facts.analysis.functions.iter().filter(|f| f.main_module && f.function == name);
        let own = named().map(|f| f.self_share).sum::<f64>();
        own.min((named().map(|f| f.total_share).sum::<f64>() - library(name)).max(0.0))
    };
    let of_each = calling.into_iter().map(|(name, share)| {
        let own = own(name);
        (Hot { function: name.to_owned(), share: own }, own.min(MOST_AROUND * share))
    });
    let mut around: Vec<(Hot, f64)> = of_each.filter(|(_, due)| *due >= LEAST_AROUND).collect();
    around.sort_by(|a, b| b.0.share.total_cmp(&a.0.share));
    // Inlined library code that samples count twice does not make more than the whole.
    let all: f64 = around.iter().map(|(hot, _)| hot.share).sum();
    let room = (1.0 - found.iter().map(|one| one.share).sum::<f64>()).max(0.0);
    let part = if all > room { room / all } else { 1.0 };
    around.iter_mut().for_each(|(hot, due)| (hot.share, *due) = (hot.share * part, *due * part));
    around.retain(|(_, due)| *due >= LEAST_AROUND);
    let due = around.iter().map(|(_, due)| due).sum();
    (around.into_iter().map(|(hot, _)| hot).collect(), due)
}

/// Copies whose memory costs more than the bytes: short ones, which belong to the time of the allocator.
pub fn mostly_allocates(found: &PurposeFacts) -> bool {
    found.inside(Purpose::Allocation) >= 0.5 * found.share
}

/// The first caller is in a Fortran source.
pub fn called_from_fortran(found: &PurposeFacts) -> bool {
    let place = found.callers.first().and_then(|caller| caller.place.as_deref());
    let file = place.and_then(|place| place.rsplit_once(':')).map(|(file, _)| file);
    file.is_some_and(|file| Language::of_file(Path::new(file)) == Some(Language::Fortran))
}

/// Leaves out what other rules say about loops inside library code whose purpose has a recommendation: it is one change.
pub fn without_parts(found: Vec<Recommendation>, facts: &Facts) -> Vec<Recommendation> {
    let fired: Vec<&PurposeFacts> = facts
        .analysis
        .purposes
        .iter()
        .filter(|purpose| {
            let rule = RULES.iter().find(|(of, _)| *of == purpose.purpose).map(|(_, rule)| *rule);
            purpose.purpose != Purpose::LinkedList
                && rule.is_some_and(|id| found.iter().any(|r| r.rule == id))
        })
        .collect();
    let is_part = |r: &Recommendation| {
        r.loop_id.is_some_and(|id| fired.iter().any(|purpose| purpose.loops.contains(&id)))
    };
    found.into_iter().filter(|r| !is_part(r)).collect()
}

/// The share of the time that recommendations about purposes report.
pub fn reported(facts: &Facts) -> f64 {
    let worth = |(purpose, _): &&(Purpose, &str)| worth(facts, *purpose).map(|found| found.share);
    RULES.iter().filter_map(|row| worth(&row)).sum()
}

/// Whether this loop is inside library code that has a purpose.
pub fn owns(facts: &Facts, of: &LoopFacts) -> bool {
    facts.analysis.purposes.iter().any(|purpose| purpose.loops.contains(&of.id))
}

/// Own time of a function outside its loops, as a share of the CPU time.
pub fn outside_loops(facts: &Facts, of: &FunctionFacts) -> f64 {
    let loops: f64 = facts.loops_of(of).map(|l| l.self_share).sum();
    (of.self_share - loops).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{purpose, scalar_loop, with_purposes};
    use crate::prelude::Facts;

    #[test]
    fn other_kinds_count_where_the_same_functions_call_them() {
        let with = |function: &str, share| {
            let mut other = purpose(Purpose::Formatting, share);
            (other.callers[0].function, other.callers[0].share) = (function.into(), share);
            other.holders.clear();
            let analysis = with_purposes(vec![purpose(Purpose::Copying, 0.2), other]);
            let own = &analysis.purposes[0];
            same_data(&Facts::new(&analysis), &[own], own.share)
        };
        let same = purpose(Purpose::Copying, 0.2).callers[0].function.clone();
        assert_eq!(with(&same, 0.1), (0.1, 0.1));
        assert_eq!(with(&same, 0.5), (0.5, 0.2), "no more than its own share changes with it");
        assert_eq!(with("elsewhere", 0.1), (0.0, 0.0));
    }

    #[test]
    fn loops_inside_a_container_are_part_of_its_recommendation() {
        let mut map = purpose(Purpose::OrderedContainer, 0.6);
        map.loops = vec![1];
        let mut analysis = with_purposes(vec![map]);
        analysis.loops = vec![scalar_loop(|l| l.group_share = 0.4)];
        let facts = Facts::new(&analysis);
        let of_loop = facts.about_loop(&crate::rules::pointer_chase::RULE, &analysis.loops[0]);
        let of_map = about(&facts, &crate::rules::ordered_container::RULE, &analysis.purposes[0]);
        let kept = without_parts(vec![of_loop.clone(), of_map], &facts);
        assert_eq!(kept.len(), 1);
        assert_eq!(kept[0].rule, "ordered-container");
        assert_eq!(without_parts(vec![of_loop], &facts).len(), 1, "nothing else says it");
    }

    #[test]
    fn every_purpose_names_a_rule() {
        for (purpose, rule) in RULES {
            assert!(crate::rules::by_id(rule).is_some(), "{purpose:?}: {rule}");
        }
    }

    #[test]
    fn nothing_is_said_of_installed_programs_and_of_little_time() {
        let mut analysis = with_purposes(vec![purpose(Purpose::Sorting, 0.6)]);
        assert!(worth(&Facts::new(&analysis), Purpose::Sorting).is_some());
        analysis.modules[0].path = "/usr/bin/sort".into();
        assert!(worth(&Facts::new(&analysis), Purpose::Sorting).is_none());
        let little = with_purposes(vec![purpose(Purpose::Sorting, 0.01)]);
        assert!(worth(&Facts::new(&little), Purpose::Sorting).is_none());
    }
}
