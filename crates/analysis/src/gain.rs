//! Modelled gain of a vectorised loop over its scalar twin, from the instructions of its body.
//!
//! Both are iterations of the cost model. One packed operation replaces `length` scalar ones, the scalar loop closes each of
//! its `length x unroll` iterations, and what only the vector form needs (shuffles, inserts, extracts, the elements of a
//! gather) is overhead: with data in the first-level cache and long loops,
//!
//! ```text
//! gain = cycles of the scalar iterations / cycles of the body,  at most length;   efficiency = gain / length
//! ```

use crate::model::{LoopFacts, Provenance, VectorFacts};
use loopwright_binary::facts::{ElementType, InstructionMix, LoopCode, Trait};
use loopwright_costs::estimates::TEST_INSTRUCTIONS;
use loopwright_costs::{Core, Iteration};

impl LoopFacts {
    /// The work of one machine iteration. Its chains are left to those who know whether they stay.
    pub fn iteration(&self) -> Iteration {
        iteration(&self.instruction_mix, f64::from(self.instructions), &self.traits, &self.types)
    }
}

fn iteration(mix: &InstructionMix, instructions: f64, traits: &[Trait], types: &[ElementType]) -> Iteration {
    // The traits do not say how many of the divisions are integer ones: then all are taken as such.
    let integer = traits.contains(&Trait::IntegerDivide);
    let divisions = f64::from(mix.divide);
    Iteration {
        instructions,
        loads: f64::from(mix.load),
        stores: f64::from(mix.store),
        divisions: if integer { 0.0 } else { divisions },
        roots: f64::from(mix.square_root),
        integer_divisions: if integer { divisions } else { 0.0 },
        calls: f64::from(mix.call),
        chain: 0.0,
        single: types.first() == Some(&ElementType::F32),
    }
}

/// The vector facts of a loop; absent when nothing is packed.
pub fn vector_facts(code: &LoopCode, core: &Core) -> Option<VectorFacts> {
    let vector = code.vector.as_ref()?;
    let gain = code.vectorized.then(|| modelled_gain(code, core)).flatten();
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

fn modelled_gain(code: &LoopCode, core: &Core) -> Option<f64> {
    let vector = code.vector.as_ref()?;
    let mix = &code.mix;
    let length = f64::from(vector.length);
    if length < 1.0 {
        return None;
    }
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
    let instructions = useful + f64::from(mix.shuffle) + indexed + TEST_INSTRUCTIONS;
    let body = Iteration { calls: 0.0, ..iteration(mix, instructions, &code.traits, &vector.types) };
    let unroll = f64::from(vector.unroll.max(1));
    let twin = Iteration {
        // Scalar arithmetic inside a vector body (in-order sums) is done for each element either way.
        instructions: length * (packed + memory + unroll * TEST_INSTRUCTIONS) + scalar,
        loads: length * body.loads,
        stores: length * body.stores,
        divisions: length * body.divisions,
        roots: length * body.roots,
        ..body
    };
    let gain = twin.cycles(core, 0) / body.cycles(core, vector.bits);
    Some(gain.clamp(f64::MIN_POSITIVE, length))
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
        let facts = vector_facts(&code, Core::of(None)).unwrap();
        assert_eq!(facts.gain, Some(4.0));
        assert_eq!(facts.efficiency, Some(1.0));
    }

    #[test]
    fn shuffles_gathers_and_scalar_sums_cost() {
        let mut code = vector_loop(4);
        code.mix.fp_vector = 2;
        code.mix.load = 2;
        let clean = vector_facts(&code, Core::of(None)).unwrap().gain.unwrap();
        code.mix.shuffle = 6;
        let shuffled = vector_facts(&code, Core::of(None)).unwrap().gain.unwrap();
        code.mix.shuffle = 0;
        code.traits.push(Trait::Gather);
        let gathered = vector_facts(&code, Core::of(None)).unwrap().gain.unwrap();
        code.traits.clear();
        code.mix.fp_scalar = 8;
        let in_order = vector_facts(&code, Core::of(None)).unwrap().gain.unwrap();
        code.mix.fp_scalar = 0;
        code.mix.divide = 1;
        let divided = vector_facts(&code, Core::of(None)).unwrap().gain.unwrap();
        for worse in [shuffled, gathered, in_order, divided] {
            assert!(worse < clean && worse > 0.0, "{worse} {clean}");
        }
    }

    #[test]
    fn no_gain_is_claimed_for_a_scalar_loop() {
        let mut code = vector_loop(4);
        code.mix.fp_vector = 1;
        code.vectorized = false;
        let facts = vector_facts(&code, Core::of(None)).unwrap();
        assert_eq!((facts.gain, facts.efficiency), (None, None));
        code.vector = None;
        assert!(vector_facts(&code, Core::of(None)).is_none());
    }
}
