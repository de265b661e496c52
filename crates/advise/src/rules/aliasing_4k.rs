//! Loads that falsely depend on a store 4 KiB away.

use crate::counted::LEAST_GAIN;
use crate::evidence::{Memory, Operand};
use crate::prelude::*;
use crate::traffic::without_cycles;
use loopwright_analysis::model::{AccessFacts, Aliasing};

pub(crate) static RULE: Rule = Rule {
    id: "aliasing-4k",
    check: Check::Loop(check),
    on_own_optimised_code: true,
    leaves_traffic: true,
    yields_to: &[],
    doc: Doc::parse(include_str!("aliasing_4k.md")),
};

fn check(facts: &Facts, of: &LoopFacts) -> Option<Recommendation> {
    if !of.innermost {
        return None;
    }
    let traced = facts.traced(of)?;
    let memory = traced.memory.as_ref()?;
    let at = |index: u32| traced.access.get(usize::try_from(index).ok()?);
    // Two places of one array cannot be shifted against each other.
    let two_arrays = |(store, load, _): &(&AccessFacts, &AccessFacts, _)| {
        store.array.is_none() || store.array != load.array
    };
    let pairs: Vec<(&AccessFacts, &AccessFacts, &Aliasing)> = memory
        .aliasing_4k
        .iter()
        .filter_map(|p| Some((at(p.store)?, at(p.load)?, p)))
        .filter(two_arrays)
        .collect();
    let iterations = Some(memory.traced_iterations).filter(|n| *n > 0)? as f64;
    // A load waits once, however many stores it meets: the pair that it meets most often counts.
    let mut loads: Vec<(&AccessFacts, f64)> = Vec::new();
    for (_, load, pair) in &pairs {
        let met = costs::clean_share(pair.share);
        match loads.iter_mut().find(|(known, _)| std::ptr::eq(*known, *load)) {
            Some((_, share)) => *share = share.max(met),
            None => loads.push((load, met)),
        }
    }
    if loads.is_empty() {
        return None;
    }
    let wait = facts.core().alias_4k;
    let blocked = loads.iter().map(|(l, met)| l.executions as f64 * met).sum::<f64>() / iterations * wait;
    // Most of the cycles overlap with other work.
    let (gain, cycles) = without_cycles(facts, traced, (blocked * estimates::HIDDEN, blocked));
    if gain.high() < LEAST_GAIN {
        return None;
    }
    let mut new = facts.about_loop(&RULE, of).named(
        "shift-arrays",
        "Shift these arrays against each other: loads meet stores at a distance of 4 KiB",
    );
    for (store, load, pair) in pairs.iter().take(3) {
        new = new.because(
            Provenance::Counted,
            Memory::Aliases {
                load: Operand::of(load),
                store: Operand::of(store),
                offset: pair.offset,
                share: pair.share,
                extent: facts.extent(traced),
            },
        );
    }
    new = new.because(Provenance::Modelled, Memory::AliasCycles { cycles: wait, per_iteration: blocked });
    // Described by Intel; other cores compare more bits.
    let intel = facts.machine().is_some_and(|m| m.name.contains("Intel"));
    let sure = if intel && cycles.is_some() { Confidence::Medium } else { Confidence::Low };
    Some(facts.asking_for_counts(new.gain(of.group_share, gain), of).confidence(sure).how(how!(RULE)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{access, count, fired, states, trace, traced, vector_loop};
    use loopwright_analysis::model::Analysis;
    use loopwright_patterns::facts::AccessKind;

    fn copy(change: impl FnOnce(&mut LoopFacts)) -> Analysis {
        let mut analysis = traced(vec![vector_loop(|l| {
            trace(l, vec![access("b[i]", AccessKind::Store, 8, 1), access("a[i]", AccessKind::Load, 8, 1)]);
            l.memory.as_mut().unwrap().aliasing_4k =
                vec![Aliasing { store: 0, load: 1, offset: 32, share: 0.5 }];
            count(l, 1000, 1_000_000);
            change(l);
        })]);
        analysis.machine.as_mut().unwrap().name = "Intel test".into();
        analysis
    }

    #[test]
    fn fires_on_a_load_behind_a_store() {
        let r = fired(&RULE, &copy(|_| ())).unwrap();
        assert_eq!((r.id.as_str(), r.confidence), ("shift-arrays", Confidence::Medium));
        assert!(
            states!(r, Memory::Aliases { load, store, offset: 32, .. } if load.to_string() == "`a[i]`" && store.to_string() == "`b[i]`")
        );
        // 4 ns of 3 GHz are 12 cycles; half a cycle to five of them.
        let gain = r.loop_gain.unwrap();
        assert!(gain.low() > 1.0 && gain.low() < 1.1 && gain.high() <= 2.0, "{gain:?}");
    }

    #[test]
    fn other_processors_and_missing_counts_make_it_a_hint() {
        let mut other = copy(|_| ());
        other.machine.as_mut().unwrap().name = "AMD test".into();
        assert_eq!(fired(&RULE, &other).unwrap().confidence, Confidence::Low);
        let r = fired(&RULE, &copy(|l| (l.trip_count, l.work) = (None, None))).unwrap();
        assert!(r.confidence == Confidence::Low && r.loop_gain.unwrap().low() == 1.0);
        assert!(r.next.unwrap().contains("tripcounts"));
    }

    #[test]
    fn silent_without_pairs_on_slow_loops_and_on_foreign_indices() {
        assert!(fired(&RULE, &copy(|l| l.memory.as_mut().unwrap().aliasing_4k.clear())).is_none());
        let one_array = |l: &mut LoopFacts| l.access.iter_mut().for_each(|a| a.array = Some(3));
        assert!(fired(&RULE, &copy(one_array)).is_none(), "two places of one array");
        let rare = |l: &mut LoopFacts| l.memory.as_mut().unwrap().aliasing_4k[0].share = 0.001;
        assert!(fired(&RULE, &copy(rare)).is_none());
        assert!(fired(&RULE, &copy(|l| l.self_seconds = 400.0)).is_none());
        let foreign = |l: &mut LoopFacts| {
            l.memory.as_mut().unwrap().aliasing_4k =
                vec![Aliasing { store: 7, load: u32::MAX, offset: 0, share: 0.5 }];
        };
        assert!(fired(&RULE, &copy(foreign)).is_none());
    }
}
