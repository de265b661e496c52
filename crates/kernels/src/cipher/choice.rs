//! Which engine a number of messages runs on.

use super::lanes::{Engine, Lanes, MOST, RoundKeys};
use crate::tuning::first_use::{self, Way};

/// Engines, and the one that takes the first of a number of messages.
#[derive(Clone)]
pub struct Engines {
    all: Vec<Engine>,
    /// The place of the engine for `n` messages.
    first: [u8; MOST + 1],
}

/// Steps that are measured: 1 KiB of each message.
const MEASURED_STEPS: usize = 16;

/// Rounds of AES-128.
const ROUNDS: usize = 10;

impl Engines {
    /// The choice as measured on Sapphire Rapids: the widest engine that pays from that number of messages on. `all` is not empty,
    /// fewest lanes first.
    pub fn shipped(all: &[Engine]) -> Engines {
        let fitting = |n: usize| all.iter().rposition(|engine| engine.from <= n).unwrap_or(0);
        Engines { all: all.to_vec(), first: std::array::from_fn(|n| fitting(n) as u8) }
    }

    /// The choice by what a step of each engine costs on this processor; `None` where that is not to be measured.
    pub fn measured(table: &str, all: &[Engine]) -> Option<Engines> {
        let names: Vec<&'static str> = all.iter().map(|engine| engine.name).collect();
        let ways = || all.iter().map(|engine| steps(*engine)).collect();
        Some(Engines::priced(all, &first_use::costs(table, &names, ways)?))
    }

    /// The choice for what a step of each engine costs: `n` messages run on the engines that take the least together.
    fn priced(all: &[Engine], costs: &[f64]) -> Engines {
        let (mut first, mut least) = ([0; MOST + 1], [0.0; MOST + 1]);
        for n in 1..=MOST {
            least[n] = f64::INFINITY;
            for (index, (engine, cost)) in all.iter().zip(costs).enumerate() {
                let sum = cost + least[n - n.min(engine.lanes)];
                // Of equal ones the widest, which comes last: fewer messages wait.
                if sum <= least[n] {
                    (first[n], least[n]) = (index as u8, sum);
                }
            }
        }
        Engines { all: all.to_vec(), first }
    }

    /// The engine that takes the first of `messages`; the others run after it.
    pub fn engine(&self, messages: usize) -> &Engine {
        &self.all[usize::from(self.first[messages.min(MOST)])]
    }

    /// An engine of one lane: that for one message, if it has no more.
    pub fn one_lane(&self) -> &Engine {
        let chosen = self.engine(1);
        if chosen.lanes == 1 { chosen } else { &self.all[0] }
    }
}

/// Encrypts and hashes some steps of zeros, in every lane. The hash is a block behind, as it is in messages: there some engines take
/// the ciphertext from registers.
fn steps(engine: Engine) -> Way<'static> {
    const BEHIND: usize = 64;
    const BYTES: usize = BEHIND + 64 * MEASURED_STEPS;
    let mut data = vec![0_u8; BYTES * engine.lanes];
    let keys: Box<RoundKeys> = Box::default();
    let mut lanes = Box::new(Lanes::new(ROUNDS));
    for lane in 0..engine.lanes {
        lanes.set_state(lane, &[0; 8]);
    }
    Box::new(move || {
        for (lane, message) in data.chunks_exact_mut(BYTES).enumerate() {
            lanes.data[lane] = message[BEHIND..].as_mut_ptr();
            lanes.hash[lane] = message.as_ptr();
            // SAFETY: the closure owns the keys, which stay where they are.
            unsafe { lanes.set_keys(lane, &raw const *keys, engine.table) };
        }
        // SAFETY: every lane has a state, keys, and as many steps of data, which it encrypts and hashes; engines are handed out
        // where their level is available.
        unsafe { (engine.both)(&mut lanes, MEASURED_STEPS, ROUNDS) };
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cipher::scalar::{SHA1_1, SHA1_4};

    fn lanes(engines: &Engines) -> [usize; 6] {
        [1, 2, 3, 4, 5, 16].map(|n| engines.engine(n).lanes)
    }

    #[test]
    fn the_cheapest_engines_together_are_chosen() {
        let all = [SHA1_1, SHA1_4];
        // Four take as long as one and a half, four, a half.
        assert_eq!(lanes(&Engines::priced(&all, &[1.0, 1.5])), [1, 4, 4, 4, 4, 4]);
        assert_eq!(lanes(&Engines::priced(&all, &[1.0, 4.5])), [1; 6]);
        assert_eq!(lanes(&Engines::priced(&all, &[1.0, 0.5])), [4; 6]);
        assert_eq!(lanes(&Engines::priced(&all, &[1.0, 3.5])), [1, 1, 1, 4, 4, 4]);
        assert_eq!(Engines::priced(&all, &[1.0, 1.5]).engine(1000).lanes, 4);
    }

    #[test]
    fn without_measurement_the_shipped_numbers_decide() {
        assert_eq!(lanes(&Engines::shipped(&[SHA1_1, SHA1_4])), [1, 4, 4, 4, 4, 4]);
        assert_eq!(lanes(&Engines::shipped(&[SHA1_4])), [4; 6]);
    }
}
