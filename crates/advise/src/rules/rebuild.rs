//! One rebuild for all changes that are only options of the compiler.

use crate::composed::compose;
use crate::divisions::sets_errno;
use crate::evidence::{Compiler, Expected, Experience};
use crate::gain::{loads_elsewhere, strided_share};
use crate::places::{self, Place};
use crate::prelude::*;
use crate::producer::{Family, Producer};
use crate::rules::in_order_fp_sum::REORDER_SUM;
use crate::rules::{narrow_instruction_set, no_fma};
use loopwright_binary::facts::{Carrier, ChainKind, Trait};
use loopwright_costs::estimates::{GATHERED_AT_WORST, REBUILT_AT_WORST};
use loopwright_costs::together;
use loopwright_vocabulary::Language;
use std::collections::BTreeSet;

pub(crate) static RULE: Rule = Rule {
    id: "rebuild",
    check: Check::Advice(check),
    on_own_optimised_code: true,
    leaves_traffic: true,
    yields_to: &[],
    doc: Doc::parse(include_str!("rebuild.md")),
};

/// Options beside `-O3 -march=native` that allow sums in another order.
const ANY_ORDER: [&str; 3] = ["-fassociative-math", "-fno-signed-zeros", "-fno-trapping-math"];
/// From this number of loops on, an option is less work than a directive at each sum.
const SEVERAL: usize = 2;
/// Kinds of evidence of the most valuable part that are repeated: what was seen there.
const SEEN: usize = 3;

fn check(facts: &Facts, all: &[Recommendation]) -> Option<Recommendation> {
    let mut parts: Vec<(&Recommendation, Vec<&str>)> =
        all.iter().filter_map(|one| Some((one, options(facts, one)?))).collect();
    let sums = parts.iter().filter(|(one, _)| one.id == REORDER_SUM).count();
    parts.retain(|(one, _)| one.id != REORDER_SUM || sums >= SEVERAL);
    let first = parts.first()?.0;
    let loops: Vec<&Recommendation> = parts.iter().map(|(one, _)| *one).collect();
    let all_options = union(parts.iter().flat_map(|(_, options)| options.iter().copied()));
    let mut new = facts.about_program(&RULE).titled(format!("Rebuild with {all_options}"));
    new.places = loops.iter().map(|one| Place::of(one)).collect();
    for change in places::changes(&new.places) {
        let of: Vec<&Recommendation> = loops.iter().copied().filter(|one| one.id == change).collect();
        let share = compose(facts, &of).map(|(share, _)| share);
        let (change, loops) = (change.to_owned(), of.len());
        new.evidence.push(crate::evidence::Evidence::new(
            Provenance::Measured,
            Compiler::ByOptions { change, loops, share },
        ));
    }
    new.evidence.extend(first.evidence.iter().take(SEEN).cloned());
    new = new
        .because(Provenance::Measured, Expected::FromExperience { of: Experience::OptionsElsewhere })
        .confidence(first.confidence);
    if let Some((share, gain)) = compose(facts, &loops) {
        let at_risk = gathered_elsewhere(facts, &loops).min(1.0 - share);
        let (whole, gain) = if at_risk > 0.0 {
            let whole = share + at_risk;
            let worst = Gain::around(GATHERED_AT_WORST, 1.0, 1.0);
            (whole, together(&[(share / whole, gain), (at_risk / whole, worst)]))
        } else {
            (share, gain)
        };
        new = new.gain(whole, gain.down_to(gain.low() * REBUILT_AT_WORST));
    }
    // Of a single loop it is one of the changes to that.
    (new.loop_id, new.group) = (first.loop_id, first.group.filter(|_| loops.len() == 1));
    (new.function, new.written_in, new.place) =
        (first.function.clone(), first.written_in.clone(), first.place.clone());
    let of = first.loop_id.and_then(|id| facts.loop_by_id(id));
    let rust = of.and_then(|of| facts.language(of)) == Some(Language::Rust);
    let mut how = if rust { how!(RULE, "rust") } else { how!(RULE, "options") };
    if loops.iter().any(|one| one.id == REORDER_SUM) {
        how.text.push_str(" Sums in another order differ in their last digits: compare within a tolerance; a loop that ends by such a sum (a residual) may make another number of iterations.");
    }
    if all_options.contains("-march=native") && !all_options.contains("-ffp-contract") {
        how.text.push_str(
            " Fused multiplications and additions round once: last digits may change, and with them what is compared or rounded to an \
             integer; -ffp-contract=off keeps them.",
        );
    }
    for compiler in compilers(facts, &loops) {
        how = how.flags(compiler, &all_options);
    }
    Some(new.how(how))
}

/// Share of the time in other scalar loops, built with the same options, that load through an index or with a stride: with the
/// options, compilers make gathers of such loads, and a gather is slower than its loads on many cores.
fn gathered_elsewhere(facts: &Facts, changed: &[&Recommendation]) -> f64 {
    let is_changed = |of: &LoopFacts| changed.iter().any(|one| one.group == Some(of.group));
    let one_of_each = facts.analysis.loops.iter().filter(|of| of.innermost && of.id == of.group);
    let open = one_of_each.filter(|of| !is_changed(of) && of.vector.is_none() && of.calls.is_empty());
    open.filter(|of| !given(facts.producer(of).as_ref(), "-march=native") && is_irregular(of))
        .map(|of| of.group_share)
        .sum()
}

/// It loads at places that do not move by their own size in each iteration.
fn is_irregular(of: &LoopFacts) -> bool {
    strided_share(of) > 0.0 || loads_elsewhere(of)
}

/// The options that make the change of a recommendation and that its code was not built with; `None` where its source has to
/// change, too.
fn options(facts: &Facts, one: &Recommendation) -> Option<Vec<&'static str>> {
    let of = facts.loop_by_id(one.loop_id?)?;
    let producer = facts.producer(of);
    let rust = facts.language(of) == Some(Language::Rust);
    let new = |wanted: Vec<&'static str>| -> Vec<&'static str> {
        wanted.into_iter().filter(|option| !given(producer.as_ref(), option)).collect()
    };
    let with = |more: &[&'static str]| [&["-O3", "-march=native"], more].concat();
    // What makes the change, and what its prediction needs besides.
    let (decisive, all) = match one.id.as_str() {
        id if id == narrow_instruction_set::RULE.id => {
            let wide = one.how.flags.iter().any(|f| f.flags.contains("-mprefer-vector-width=512"));
            let wide: &[&str] = if wide { &["-mprefer-vector-width=512"] } else { &[] };
            ([&["-march=native"], wide].concat(), with(wide))
        }
        // Rust never contracts by itself; GCC does unless a standard is asked for.
        id if id == no_fma::RULE.id && !rust => {
            let standard = producer.as_ref().is_none_or(|p| p.family != Family::Gnu || is_strict(p));
            let contract: &[&str] = if standard { &["-ffp-contract=fast"] } else { &[] };
            ([&["-march=native"], contract].concat(), with(contract))
        }
        "wider-instruction-set" if !of.traits.contains(&Trait::IntegerDivide) => {
            (vec!["-march=native"], with(&[]))
        }
        // The instruction sets of the baseline have a square root; fused operations would change digits for nothing.
        "no-math-errno" => (vec!["-fno-math-errno"], vec!["-O3", "-fno-math-errno"]),
        "optimise-for-vectors" | "optimise-for-speed" => (vec!["-O3"], with(&[])),
        REORDER_SUM if !rust && !in_memory(of) => (ANY_ORDER.to_vec(), with(&ANY_ORDER)),
        _ => return None,
    };
    if new(decisive).is_empty() {
        return None;
    }
    let mut all = new(all);
    if of.instruction_mix.square_root > 0 && sets_errno(of) {
        all.extend(new(vec!["-fno-math-errno"]));
    }
    if rust {
        all.retain(|option| *option == "-march=native");
        all.iter_mut().for_each(|option| *option = "-C target-cpu=native");
    }
    (!all.is_empty()).then_some(all)
}

/// The sum is kept in memory: it has to become a local variable first.
fn in_memory(of: &LoopFacts) -> bool {
    of.chains.iter().any(|c| c.kind == ChainKind::InOrderSum && matches!(c.carrier, Carrier::Memory(_)))
}

/// A standard of the language without extensions, or an option, keeps GCC from contracting.
fn is_strict(producer: &Producer) -> bool {
    let options = producer.options.iter().flatten();
    options.into_iter().any(|o| o.starts_with("-std=c") || *o == "-ffp-contract=off")
}

/// The code was built with an option, or with one that includes it.
fn given(producer: Option<&Producer>, option: &str) -> bool {
    let Some(producer) = producer else { return false };
    let fast = || producer.has("-ffast-math") == Some(true) || producer.optimisation() == Some("fast");
    match option {
        "-O3" => matches!(producer.optimisation(), Some("3" | "fast")),
        // GCC records what `native` was.
        "-march=native" => producer.value("-march=").is_some_and(|march| !march.starts_with("x86-64")),
        "-fno-math-errno" | "-fassociative-math" | "-fno-signed-zeros" | "-fno-trapping-math" => {
            producer.has(option) == Some(true) || fast()
        }
        _ => producer.has(option) == Some(true),
    }
}

/// Each option once, in the order of a command line.
fn union<'a>(options: impl Iterator<Item = &'a str>) -> String {
    const ORDER: [&str; 3] = ["-O3", "-C", "-march=native"];
    let rank = |option: &str| ORDER.iter().position(|first| option.starts_with(first)).unwrap_or(ORDER.len());
    let mut found: Vec<&str> = Vec::new();
    for option in options {
        if !found.contains(&option) {
            found.push(option);
        }
    }
    found.sort_by_key(|option| rank(option));
    found.join(" ")
}

/// The compilers that built these loops, as far as they are known.
fn compilers(facts: &Facts, loops: &[&Recommendation]) -> BTreeSet<&'static str> {
    let of = loops.iter().filter_map(|one| facts.loop_by_id(one.loop_id?));
    of.map(|of| match facts.producer(of).map(|producer| producer.family) {
        Some(Family::Rust) => "rustc",
        Some(Family::Clang) => "clang, clang++",
        Some(Family::Intel) => "icx, ifx",
        _ => "gcc, g++, gfortran",
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{assert_sound, call, chain, scalar_loop, vector_loop, with_loops};
    use crate::{advise, cards};
    use loopwright_analysis::model::Analysis;
    use loopwright_binary::facts::Isa;

    const PLAIN: &str = "GNU C17 12.2.0 -mtune=generic -march=x86-64 -g -O2";

    fn numbered(id: u32, l: &mut LoopFacts, producer: Option<&str>) {
        (l.id, l.group, l.producer) = (id, id, producer.map(str::to_owned));
        (l.self_share, l.group_share, l.total_share) = (0.3, 0.3, 0.3);
    }

    /// Loops of 128-bit vectors.
    fn narrow(producer: Option<&str>) -> Analysis {
        let one = |id| {
            vector_loop(|l| {
                numbered(id, l, producer);
                let vector = l.vector.as_mut().unwrap();
                (vector.isa, vector.bits, vector.length) = (Isa::SSE2, 128, 2);
            })
        };
        with_loops(vec![one(1), one(2)])
    }

    /// Loops with a sum in order.
    fn sums(ids: &[u32], producer: &str) -> Analysis {
        let one = |id: &u32| {
            scalar_loop(|l| {
                numbered(*id, l, Some(producer));
                l.chains = vec![chain(ChainKind::InOrderSum, "xmm1", 4)];
            })
        };
        with_loops(ids.iter().map(one).collect())
    }

    fn package(analysis: &Analysis) -> Option<Recommendation> {
        cards(analysis, &advise(analysis)).into_iter().find(|card| card.rule == RULE.id)
    }

    #[test]
    fn fires_once_for_all_loops_and_keeps_their_changes() {
        let analysis = narrow(Some(PLAIN));
        let new = package(&analysis).expect("a rebuild");
        assert_sound(&new);
        assert!(new.title.starts_with("Rebuild with -O3 -march=native"), "{}", new.title);
        assert!(new.changes().contains(&"narrow-instruction-set"), "{:?}", new.changes());
        assert!(
            new.places.iter().any(|p| p.loop_id == Some(1))
                && new.places.iter().any(|p| p.loop_id == Some(2))
        );
        assert_eq!(new.group, None, "it is about no single loop");
        assert_eq!(new.how.flags.len(), 1, "{:?}", new.how.flags);
        let of_one = new.places.iter().filter_map(|p| p.program_gain).map(Gain::likely).fold(1.0, f64::max);
        assert!(new.program_gain.unwrap().likely() > of_one, "two loops gain more than one");
        let rest = cards(&analysis, &advise(&analysis));
        assert!(rest.iter().all(|card| card.id != "narrow-instruction-set"), "said twice");
    }

    #[test]
    fn loads_elsewhere_that_become_gathers_may_cost_more_than_is_gained() {
        let mut analysis = narrow(Some(PLAIN));
        let alone = package(&analysis).unwrap().program_gain.unwrap();
        analysis.loops.push(scalar_loop(|l| {
            numbered(3, l, Some(PLAIN));
            (l.instruction_mix.load, l.strides) = (2, vec![]);
        }));
        let with_gathers = package(&analysis).unwrap().program_gain.unwrap();
        assert!(with_gathers.low() < alone.low() && with_gathers.low() < 0.9, "{with_gathers:?} {alone:?}");
    }

    #[test]
    fn fires_for_several_sums_but_not_for_one() {
        assert!(package(&sums(&[1], PLAIN)).is_none_or(|new| !new.changes().contains(&REORDER_SUM)));
        let new = package(&sums(&[1, 2], PLAIN)).expect("a rebuild");
        assert!(new.changes().contains(&REORDER_SUM));
        assert!(new.title.contains("-fassociative-math") && new.how.text.contains("last digits"));
    }

    #[test]
    fn a_root_that_sets_errno_needs_an_option_more() {
        let mut analysis = sums(&[1, 2], PLAIN);
        let of = &mut analysis.loops[0];
        (of.calls, of.instruction_mix.square_root) = (vec![call(Some("sqrt"))], 1);
        let new = package(&analysis).expect("a rebuild");
        assert!(new.title.contains("-fno-math-errno"), "{}", new.title);
    }

    #[test]
    fn silent_where_the_options_were_given_or_the_source_must_change() {
        let given = "GNU C17 12.2.0 -march=znver4 -mprefer-vector-width=512 -g -O3";
        assert_eq!(package(&narrow(Some(given))), None);
        let rust = "clang LLVM (rustc version 1.80.0)";
        assert!(package(&sums(&[1, 2], rust)).is_none_or(|new| !new.changes().contains(&REORDER_SUM)));
    }

    #[test]
    fn names_all_options_without_recorded_ones() {
        let new = package(&narrow(None)).expect("a rebuild");
        assert!(new.title.contains("-O3 -march=native"), "{}", new.title);
        assert!(new.how.flags.iter().all(|f| f.compiler == "gcc, g++, gfortran"));
    }
}
