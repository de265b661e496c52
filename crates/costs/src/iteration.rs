//! What one iteration of a loop costs in cycles.
//!
//! A core works on many iterations at a time, so that the slowest of its parts decides: the instructions that it starts, its
//! load and store ports, the divider (which is not pipelined), or a chain of operations that each iteration continues (this is
//! the bottleneck view of IACA, llvm-mca and OSACA). Calls interrupt that and are added. Data is in L1.
//!
//! Vectorised with *L* lanes, each class costs its own part: `1/L` for arithmetic and consecutive loads and stores, 1 for
//! what must be collected element by element, and one packed division per vector, whose time the core's table has.

use crate::core::{ByWidth, Core};
use crate::estimates::POOR_EFFICIENCY;

/// The work of one iteration.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Iteration {
    /// All instructions.
    pub instructions: f64,
    /// Of these, loads.
    pub loads: f64,
    /// Of these, stores.
    pub stores: f64,
    /// Of these, floating-point divisions, scalar or packed.
    pub divisions: f64,
    /// Of these, square roots.
    pub roots: f64,
    /// Of these, integer divisions.
    pub integer_divisions: f64,
    /// Of these, calls; what the called functions do is not part of it.
    pub calls: f64,
    /// Cycles of the longest chain that one iteration continues in the next.
    pub chain: f64,
    /// The divisions and roots are those of f32, else of f64.
    pub single: bool,
}

impl Iteration {
    /// Cycles in which the divider is busy, with operations of `bits` (0: scalar).
    pub fn divider(&self, core: &Core, bits: u32) -> f64 {
        self.divisions * core.divide(self.single).cycles.at(bits)
            + self.roots * core.root(self.single).cycles.at(bits)
            + self.integer_divisions * core.integer_division
    }

    /// Cycles of everything but the divider and the calls.
    pub fn beside_divider(&self, core: &Core, bits: u32) -> f64 {
        let ports = (self.loads / core.loads.at(bits)).max(self.stores / core.stores.at(bits));
        core.issue(self.instructions).max(ports).max(self.chain)
    }

    /// Cycles of the iteration, with operations of `bits` (0: scalar).
    pub fn cycles(&self, core: &Core, bits: u32) -> f64 {
        self.divider(core, bits).max(self.beside_divider(core, bits)) + self.calls * core.call
    }

    /// Cycles per iteration of this scalar loop once vectors of `bits` do its work: `fit` elements fit into one and are worth
    /// `lanes` scalar operations; `collected` is the share of loads and stores that are done element by element. The chain is
    /// broken; integer divisions have no packed form.
    pub fn vectorised(&self, core: &Core, bits: u32, fit: f64, lanes: f64, collected: f64) -> f64 {
        // What is collected has the rate of scalar accesses.
        let left = |all: f64, rate: ByWidth| {
            all * collected * rate.at(bits) / rate.at(0) + all * (1.0 - collected) / lanes
        };
        let single = (self.loads + self.stores) * collected;
        let packed = (self.instructions - single - self.calls).max(1.0);
        let vector = Self {
            instructions: packed / lanes + single,
            loads: left(self.loads, core.loads),
            stores: left(self.stores, core.stores),
            divisions: self.divisions / fit,
            roots: self.roots / fit,
            calls: self.calls / (lanes * POOR_EFFICIENCY).max(1.0),
            chain: 0.0,
            ..*self
        };
        vector.cycles(core, bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::microarchitecture::Microarchitecture;

    const PLAIN: Iteration = Iteration {
        instructions: 8.0,
        loads: 2.0,
        stores: 1.0,
        divisions: 0.0,
        roots: 0.0,
        integer_divisions: 0.0,
        calls: 0.0,
        chain: 0.0,
        single: false,
    };

    fn gain(of: Iteration, core: &Core, collected: f64) -> f64 {
        of.cycles(core, 0) / of.vectorised(core, 256, 4.0, 4.0, collected)
    }

    #[test]
    fn the_slowest_part_decides() {
        let core = Core::of(None);
        assert_eq!(PLAIN.cycles(core, 0), 2.0, "four instructions per cycle");
        assert_eq!(Iteration { loads: 6.0, ..PLAIN }.cycles(core, 0), 3.0, "two loads per cycle");
        assert_eq!(Iteration { divisions: 1.0, ..PLAIN }.cycles(core, 0), 5.0, "the divider");
        assert_eq!(Iteration { chain: 12.0, ..PLAIN }.cycles(core, 0), 12.0, "the chain");
        assert_eq!(Iteration { calls: 1.0, ..PLAIN }.cycles(core, 0), 2.0 + core.call);
    }

    #[test]
    fn vectors_gain_their_lanes_less_what_stays_scalar() {
        let core = Core::of(None);
        assert_eq!(gain(PLAIN, core, 0.0), 4.0);
        assert!(gain(PLAIN, core, 1.0) < 2.0, "collected operands");
        assert_eq!(
            gain(Iteration { divisions: 1.0, ..PLAIN }, core, 0.0),
            2.0,
            "half the lanes: a narrow divider"
        );
        let wide = Iteration { instructions: 4.0, loads: 1.0, stores: 0.0, ..PLAIN };
        let zen4 = Microarchitecture::Zen4.core();
        assert_eq!(
            wide.cycles(zen4, 0) / wide.vectorised(zen4, 512, 8.0, 4.0, 1.0),
            2.0,
            "two scalar loads per cycle"
        );
        assert_eq!(gain(Iteration { integer_divisions: 1.0, ..PLAIN }, core, 0.0), 1.0);
        assert_eq!(gain(Iteration { divisions: 1.0, ..PLAIN }, zen4, 0.0), 4.0, "a divider of 256 bits");
    }
}
