//! Data behind pointers that are loaded for each element: tables of rows, vectors of vectors, arrays of pointers to objects.

use crate::chains;
use crate::evidence::{Change, Expected, Memory, Work};
use crate::prelude::*;
use crate::vectorising;
use loopwright_binary::facts::ChainKind;

pub(crate) static RULE: Rule = Rule {
    id: "rows-behind-pointers",
    check: Check::Loop(check),
    on_own_optimised_code: true,
    leaves_traffic: false,
    yields_to: &[],
    doc: Doc::parse(include_str!("rows_behind_pointers.md")),
};

/// Fewer address loads than this, or a smaller share of the loads, are not what a loop waits for.
const FEWEST: u32 = 2;
const LEAST_SHARE: f64 = 0.25;
/// Fewer iterations do not fill vectors.
const FEWEST_TRIPS: f64 = 8.0;

fn check(facts: &Facts, of: &LoopFacts) -> Option<Recommendation> {
    let addresses = of.operands.address_loads;
    let share = f64::from(addresses) / f64::from(of.instruction_mix.load.max(1));
    // A pointer that is loaded from one place again and again is reloaded (see `reloaded_invariant`): rows have one each.
    let fixed = of.strides.iter().filter(|s| s.bytes == 0 && !s.store).count() as u32;
    let list = of.chains.iter().any(|c| c.kind == ChainKind::PointerChase);
    if !of.innermost
        || list
        || of.instruction_mix.call > 0
        || addresses < FEWEST.max(fixed + 1)
        || share < LEAST_SHARE
    {
        return None;
    }
    let without = flattened(of);
    let shorter = f64::from(of.instructions) / f64::from(without.instructions.max(1));
    let short =
        of.trip_count.as_ref().and_then(|t| t.source_mean.or(t.mean)).is_some_and(|mean| mean < FEWEST_TRIPS);
    let obstacles = short || chains::is_serial(of) || facts.forbids_vectors(of);
    let scalar = !of.vectorized && of.exits <= 1 && !obstacles;
    let vectors =
        Some(without).filter(|_| scalar).and_then(|changed| vectorising::most_when(facts, of, &changed));
    let vectors = vectors.unwrap_or(1.0);
    let mut new = facts
        .about_loop(&RULE, of)
        .named("flatten-rows", "Keep the rows in one flat array instead of behind pointers")
        .because(Provenance::Binary, Memory::AddressLoads { addresses, loads: of.instruction_mix.load })
        .because(Provenance::Modelled, Work::WithoutAddressLoads { times: shorter });
    if vectors > 1.0 {
        new = new.because(Provenance::Modelled, Expected::up_to(Change::VectorsToo, vectors));
    }
    Some(new.gain(of.group_share, Gain::up_to(shorter * vectors)).confidence(Confidence::Medium).how(how()))
}

/// The loop as it would be with addresses computed from indices.
fn flattened(of: &LoopFacts) -> LoopFacts {
    let addresses = of.operands.address_loads;
    let mut flat = of.clone();
    flat.instruction_mix.load = of.instruction_mix.load.saturating_sub(addresses);
    // Data and its arithmetic stay.
    let least = (of.instructions / 3).max(1);
    flat.instructions = of.instructions.saturating_sub(estimates::WITH_ADDRESS * addresses).max(least);
    flat.strides.retain(|s| s.store || s.bytes != 0);
    flat
}

fn how() -> How {
    vectorising::with_vector_flags(how!(RULE))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{chain, count, fired, fired_on, scalar_loop, states, vector_loop, with_loops};

    fn by_rows(change: impl FnOnce(&mut LoopFacts)) -> LoopFacts {
        scalar_loop(|l| {
            (l.instructions, l.instruction_mix.load, l.operands.address_loads) = (40, 12, 8);
            change(l);
        })
    }

    #[test]
    fn fires_on_loaded_addresses() {
        let r = fired_on(&RULE, by_rows(|_| ())).unwrap();
        assert_eq!(r.id, "flatten-rows");
        assert!(states!(r, Memory::AddressLoads { addresses: 8, loads: 12 }));
        let gain = r.loop_gain.unwrap();
        assert!(gain.low() == 1.0 && gain.high() > 40.0 / 24.0, "vectors come on top: {gain:?}");
    }

    #[test]
    fn branches_leave_only_the_loads_to_gain() {
        let r = fired_on(&RULE, by_rows(|l| l.exits = 2)).unwrap();
        assert_eq!(r.loop_gain.unwrap().high(), 40.0 / 24.0);
    }

    #[test]
    fn other_obstacles_leave_only_the_loads_to_gain() {
        let high =
            |change: fn(&mut LoopFacts)| fired_on(&RULE, by_rows(change)).unwrap().loop_gain.unwrap().high();
        assert!(high(|_| ()) > 40.0 / 24.0);
        assert_eq!(high(|l| count(l, 1000, 4)), 40.0 / 24.0, "four iterations");
        assert_eq!(high(|l| l.chains = vec![chain(ChainKind::Recurrence, "xmm3", 8)]), 40.0 / 24.0);
    }

    #[test]
    fn silent_on_lists_few_addresses_calls_and_outer_loops() {
        assert!(
            fired_on(&RULE, by_rows(|l| l.chains = vec![chain(ChainKind::PointerChase, "rax", 5)])).is_none()
        );
        assert!(fired_on(&RULE, by_rows(|l| l.operands.address_loads = 1)).is_none());
        assert!(fired_on(&RULE, by_rows(|l| l.instruction_mix.load = 40)).is_none());
        assert!(fired_on(&RULE, by_rows(|l| l.instruction_mix.call = 1)).is_none());
        assert!(fired_on(&RULE, by_rows(|l| l.innermost = false)).is_none());
        assert!(fired_on(&RULE, vector_loop(|_| ())).is_none());
    }

    #[test]
    fn without_a_machine_only_the_loads_count() {
        let mut analysis = with_loops(vec![by_rows(|_| ())]);
        analysis.machine = None;
        assert_eq!(fired(&RULE, &analysis).unwrap().loop_gain.unwrap().high(), 40.0 / 24.0);
    }
}
