//! Vector loops that use narrower registers than the machine has.

use crate::evidence::{Compiler, Machine, Trips, Vectors};
use crate::prelude::*;
use crate::producer::Family;

pub(crate) static RULE: Rule = Rule {
    id: "narrow-instruction-set",
    check: Check::Loop(check),
    on_own_optimised_code: true,
    leaves_traffic: true,
    yields_to: &[],
    doc: Doc::parse(include_str!("narrow_instruction_set.md")),
};

fn check(facts: &Facts, of: &LoopFacts) -> Option<Recommendation> {
    let machine = facts.machine()?;
    let vector = of.vector.as_ref().filter(|_| of.vectorized && !facts.waits_in_order(of))?;
    if vector.bits == 0 || vector.bits >= machine.vector_bits {
        return None;
    }
    // Vectors longer than the loop has iterations gain nothing.
    let target = [512, 256].into_iter().find(|&bits| {
        let fits = |trips: u64| u64::from(bits / gain::element(of).bits().max(1)) <= trips;
        let counted = of.trip_count.as_ref().and_then(|t| t.source_mean).map(|mean| mean as u64);
        bits <= machine.vector_bits
            && bits > vector.bits
            && of.constant_trips.is_none_or(fits)
            && counted.is_none_or(fits)
    })?;
    let gain = gain::wider(facts, of, vector.bits, target);
    // Only the part of the source iterations that the body does becomes wider.
    let body = of.trip_count.as_ref().filter(|t| t.group_complete).and_then(|t| t.source_share);
    let gain = body.map_or(gain, |share| gain.on_part(share));
    let to_512 = vector.bits >= 256;
    let mut new = facts
        .about_loop(&RULE, of)
        .because(
            Provenance::Binary,
            Vectors::Registers { isa: vector.isa, bits: vector.bits, elements: vector.length },
        )
        .because(Provenance::Measured, Machine::MachineRegisters { bits: machine.vector_bits, fused: false });
    if let Some(share) = body {
        new = new.because(Provenance::Counted, Trips::BodyShare { share });
    }
    if let Some(producer) = facts.producer(of) {
        match producer.value("-march=") {
            Some(march) => {
                new =
                    new.because(Provenance::Binary, Compiler::Architecture { march: Some(march.to_owned()) })
            }
            None if producer.options.is_some() => {
                new = new.because(Provenance::Binary, Compiler::Architecture { march: None })
            }
            None => {}
        }
    }
    // Where nothing was counted, it is not known whether the loop waits for memory.
    let promised = if of.trip_count.is_some() { gain.likely() } else { gain.high() };
    if promised <= Gain::NONE.high() {
        return None;
    }
    if machine.ceilings.is_none() {
        new = new.next("loopwright machine --measure");
    }
    new = facts.asking_for_counts(new, of);
    let intel_like = facts.producer(of).is_none_or(|p| p.family != Family::Rust);
    Some(
        new.gain(of.group_share, gain)
            .because(
                Provenance::Modelled,
                Vectors::WiderRegisters { bits: target, low: gain.low(), high: gain.high() },
            )
            .confidence(if to_512 { Confidence::Low } else { Confidence::Medium })
            .how(how(target, intel_like)),
    )
}

fn how(bits: u32, c_family: bool) -> How {
    let level = if bits == 512 { "x86-64-v4" } else { "x86-64-v3" };
    let how = how!(RULE).with("level", level);
    let width = if bits == 512 { " -mprefer-vector-width=512" } else { "" };
    let how = how
        .flags("gcc, g++, gfortran", &format!("-O3 -march=native{width}"))
        .flags("clang, clang++", &format!("-O3 -march=native{width}"));
    if c_family { how } else { how.flags("rustc", "-C target-cpu=native") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{
        ceilings, chain, count, fired, fired_on, measured, scalar_loop, vector_loop, with_loops,
    };
    use loopwright_binary::facts::{ChainKind, Isa};

    fn sse() -> LoopFacts {
        vector_loop(|l| {
            let vector = l.vector.as_mut().unwrap();
            (vector.isa, vector.bits, vector.length) = (Isa::SSE2, 128, 2);
        })
    }

    #[test]
    fn fires_on_sse_code_on_an_avx2_machine() {
        let r = fired_on(&RULE, sse()).unwrap();
        assert_eq!(r.confidence, Confidence::Medium);
        assert!(r.loop_gain.unwrap().high() <= 2.0);
        assert!(r.how.flags.iter().any(|f| f.flags.contains("-march=native")));
        assert!(r.how.c.unwrap().after.contains("x86-64-v3"));
    }

    #[test]
    fn measured_ceilings_bound_it_and_can_silence_it() {
        let mut analysis = with_loops(vec![sse()]);
        let mut equal = ceilings();
        equal.flops.iter_mut().for_each(|f| f.gflops = 12.0);
        analysis.machine.as_mut().unwrap().ceilings = Some(equal);
        assert!(fired(&RULE, &analysis).is_none(), "no more FLOP/s with wider registers");
        analysis.machine.as_mut().unwrap().ceilings = Some(ceilings());
        let gain = fired(&RULE, &analysis).unwrap().loop_gain.unwrap();
        assert!(gain.low() < 1.05, "a triad from memory may gain nothing: {gain:?}");
    }

    #[test]
    fn the_step_to_512_bits_is_a_hint() {
        let mut analysis = with_loops(vec![vector_loop(|_| ())]);
        assert!(fired(&RULE, &analysis).is_none(), "as wide as the machine");
        analysis.machine.as_mut().unwrap().vector_bits = 512;
        assert_eq!(fired(&RULE, &analysis).unwrap().confidence, Confidence::Low);
        analysis.loops[0].constant_trips = Some(4);
        assert!(fired(&RULE, &analysis).is_none(), "four iterations fill no 512-bit register of f64");
    }

    #[test]
    fn silent_where_an_ordered_sum_takes_the_time() {
        let summing = |iterations| {
            let mut of = sse();
            of.chains = vec![chain(ChainKind::InOrderSum, "xmm0", 8)];
            count(&mut of, 1, iterations);
            fired(&RULE, &measured(vec![of])).is_some()
        };
        // 4 s at 3 GHz are 1.5e9 iterations of 8 cycles.
        assert!(!summing(1_450_000_000) && summing(500_000_000));
    }

    #[test]
    fn silent_on_scalar_loops_and_unknown_machines() {
        assert!(fired_on(&RULE, scalar_loop(|_| ())).is_none());
        let mut analysis = with_loops(vec![sse()]);
        analysis.machine = None;
        assert!(fired(&RULE, &analysis).is_none());
    }
}
