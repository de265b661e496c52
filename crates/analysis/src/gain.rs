//! Modelled gain of a vectorised loop over its scalar twin, from the instructions of its body.
//!
//! The model counts instructions, as a vectoriser's cost model does: one packed operation replaces
//! `length` scalar ones, and what only the vector form needs (shuffles, inserts, extracts, the elements
//! of a gather) is overhead. With `useful` operations per machine iteration (arithmetic, loads, stores),
//! `extra` overhead operations and two instructions of loop control,
//!
//! ```text
//! scalar = length x (useful + 2 x unroll)        for the same source iterations
//! gain   = scalar / (useful + extra + 2),  at most length;   efficiency = gain / length
//! ```
//!
//! It knows nothing of memory bandwidth or trip counts: it is what the code could give from the first-level
//! cache with long loops. Divides and square roots gain less, because the wider forms take longer per
//! operation: their throughput per element improves by about half the length on current cores (uops.info,
//! `VDIVPD` of Skylake to Golden Cove and Zen 2 to 4).

use crate::model::{Provenance, VectorFacts};
use crate::uarch::{LEAST_DIVISION_CYCLES, TEST_INSTRUCTIONS};
use loopwright_binary::facts::{LoopCode, Trait};

/// The vector facts of a loop; absent when nothing is packed.
pub fn vector_facts(code: &LoopCode) -> Option<VectorFacts> {
    let vector = code.vector.as_ref()?;
    let gain = code.vectorized.then(|| modelled_gain(code)).flatten();
    Some(VectorFacts {
        isa: vector.isa,
        bits: vector.bits,
        length: vector.length,
        unroll: vector.unroll,
        types: vector.types.clone(),
        packed_share: vector.packed_share,
        gain,
        efficiency: gain.map(|gain| gain / f64::from(vector.length.max(1))),
        provenance: Provenance::Modelled,
    })
}

fn modelled_gain(code: &LoopCode) -> Option<f64> {
    let vector = code.vector.as_ref()?;
    let mix = &code.mix;
    let length = f64::from(vector.length);
    if length < 1.0 {
        return None;
    }
    let slow = f64::from(mix.divide + mix.square_root);
    let packed = f64::from(mix.fp_vector + mix.int_vector);
    let scalar = f64::from(mix.fp_scalar);
    let memory = f64::from(mix.load + mix.store);
    let useful = packed + scalar + memory;
    if useful == 0.0 {
        return None;
    }
    let has = |t: Trait| code.traits.contains(&t);
    // A gather or scatter still touches one element at a time.
    let indexed = if has(Trait::Gather) || has(Trait::Scatter) { length } else { 0.0 };
    let extra = f64::from(mix.shuffle) + indexed;
    // Scalar arithmetic inside a vector body (in-order sums) is done for each element either way.
    let unroll = f64::from(vector.unroll.max(1));
    let as_scalar = length * (packed + memory + slow * LEAST_DIVISION_CYCLES)
        + scalar
        + length * unroll * TEST_INSTRUCTIONS;
    let as_vector = useful + slow * LEAST_DIVISION_CYCLES * 2.0 + extra + TEST_INSTRUCTIONS;
    Some((as_scalar / as_vector).clamp(f64::MIN_POSITIVE, length))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::vector_loop;

    #[test]
    fn a_clean_body_gains_almost_its_length() {
        let mut code = vector_loop(4);
        code.mix.fp_vector = 2;
        code.mix.load = 2;
        code.mix.store = 1;
        let facts = vector_facts(&code).unwrap();
        assert_eq!(facts.gain, Some(4.0));
        assert_eq!(facts.efficiency, Some(1.0));
    }

    #[test]
    fn shuffles_gathers_and_scalar_sums_cost() {
        let mut code = vector_loop(4);
        code.mix.fp_vector = 2;
        code.mix.load = 2;
        let clean = vector_facts(&code).unwrap().gain.unwrap();
        code.mix.shuffle = 6;
        let shuffled = vector_facts(&code).unwrap().gain.unwrap();
        code.mix.shuffle = 0;
        code.traits.push(Trait::Gather);
        let gathered = vector_facts(&code).unwrap().gain.unwrap();
        code.traits.clear();
        code.mix.fp_scalar = 8;
        let in_order = vector_facts(&code).unwrap().gain.unwrap();
        code.mix.fp_scalar = 0;
        code.mix.divide = 1;
        let divided = vector_facts(&code).unwrap().gain.unwrap();
        for worse in [shuffled, gathered, in_order, divided] {
            assert!(worse < clean && worse > 0.0, "{worse} {clean}");
        }
    }

    #[test]
    fn no_gain_is_claimed_for_a_scalar_loop() {
        let mut code = vector_loop(4);
        code.mix.fp_vector = 1;
        code.vectorized = false;
        let facts = vector_facts(&code).unwrap();
        assert_eq!((facts.gain, facts.efficiency), (None, None));
        code.vector = None;
        assert!(vector_facts(&code).is_none());
    }
}
