//! The code that runs when a loop is entered or left.
//!
//! Sums are kept as "minus the register at entry, plus the register at exit", which stays exact when a signal
//! handler runs the same loop in between. The distribution of iterations needs the state at entry, kept in a
//! slot; only the distribution may become wrong through nesting.

use super::scratch::{Need, Scratch};
use super::writer::{Label, Writer, area};
use crate::code::flow::Flow;
use crate::code::induction;
use crate::code::liveness::Live;
use crate::code::registers::{Gprs, lower_half, set_of};
use crate::region::trips::{LoopPlan, Technique};
use crate::runtime::areas::{EXACT_BUCKETS, Layout};
use iced_x86::{Code, MemoryOperand, Register};

/// The work of one edge.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EdgeWork {
    /// Counter of the edge itself.
    pub counter: Option<u32>,
    /// Loops left, innermost first: index in the plan, and the amount to add to the counted iterations.
    pub left: Vec<(usize, i64)>,
    /// Loops entered, outermost first.
    pub entered: Vec<usize>,
}

impl EdgeWork {
    /// Nothing to do.
    pub fn is_empty(&self) -> bool {
        self.counter.is_none() && self.left.is_empty() && self.entered.is_empty()
    }

    /// Which loops an edge from `from` to `to` leaves and enters; `None` means outside the region.
    pub fn between(flow: &Flow, plans: &[LoopPlan], from: Option<usize>, to: Option<usize>) -> Self {
        let around = |b: Option<usize>| -> Vec<usize> {
            let Some(b) = b else { return Vec::new() };
            let plan_of = |l| plans.iter().position(|p| p.index == l && p.distinct);
            flow.loops_around(b).filter_map(plan_of).collect()
        };
        let (before, after) = (around(from), around(to));
        let mut work = Self::default();
        for &l in before.iter().filter(|l| !after.contains(l)) {
            work.left.push((l, from.map_or(0, |b| correction(flow, &plans[l], b))));
        }
        work.entered = after.iter().rev().filter(|l| !before.contains(l)).copied().collect();
        work
    }
}

/// The amount to add to the counted executions to get the iterations of an entry that is left from block
/// `from`: the last pass may have run the counting instruction without being an iteration, or the reverse.
fn correction(flow: &Flow, plan: &LoopPlan, from: usize) -> i64 {
    let l = &flow.loops[plan.index];
    let counted_in = match plan.technique {
        Technique::Induction(i) => i.block,
        Technique::Register(_) | Technique::Memory => l.header,
    };
    let last_counts = plan.test != Some(from);
    let last_seen = induction::runs_before(flow, plan.index, counted_in, from);
    i64::from(last_counts) - i64::from(last_seen)
}

/// Emits hooks with the addresses of one image.
pub struct Hooks<'a> {
    /// Loops of the region.
    pub plans: &'a [LoopPlan],
    /// Offsets of the counters.
    pub layout: &'a Layout,
}

impl Hooks<'_> {
    /// Registers that the counting techniques of these loops use.
    pub fn relied_on(&self, loops: impl Iterator<Item = usize>) -> Gprs {
        loops.fold(0, |set, l| match self.plans[l].technique {
            Technique::Induction(i) => set | set_of(i.register),
            Technique::Register(r) => set | set_of(r),
            Technique::Memory => set,
        })
    }

    /// Emits the work of an edge; `live` is what is live after it.
    pub fn edge(&self, w: &mut Writer, work: &EdgeWork, live: Live) {
        if work.is_empty() {
            return;
        }
        let rely = self.relied_on(work.left.iter().map(|l| l.0).chain(work.entered.iter().copied()));
        let only_increment = work.left.is_empty() && work.entered.is_empty();
        if only_increment {
            let mut live = live;
            live.flags &= !crate::code::registers::CARRY;
            let need = Need { flags: true, ..Need::default() };
            let scratch = Scratch::borrow(w, live, need);
            if let Some(slot) = work.counter {
                w.increment(self.layout.counter(slot));
            }
            scratch.give_back(w);
            return;
        }
        let leaving = !work.left.is_empty();
        let in_memory = |l: &usize| matches!(self.plans[*l].technique, Technique::Memory);
        let registers = if leaving { 2 } else { usize::from(work.entered.iter().any(in_memory)) };
        let need = Need { registers, rcx: leaving, flags: true, keep: rely, ..Need::default() };
        // rcx may itself be in use by a technique: then it must not be borrowed.
        let need = if leaving && rely & 2 != 0 { Need { registers: 3, rcx: false, ..need } } else { need };
        let scratch = Scratch::borrow(w, live, need);
        if let Some(slot) = work.counter {
            w.increment(self.layout.counter(slot));
        }
        for &(l, correction) in &work.left {
            self.leave(w, &self.plans[l], correction, &scratch.registers);
        }
        for &l in &work.entered {
            self.enter(w, &self.plans[l], scratch.registers.first().copied());
        }
        scratch.give_back(w);
    }

    fn enter(&self, w: &mut Writer, plan: &LoopPlan, scratch: Option<Register>) {
        let start = self.layout.counter(plan.start);
        w.increment(self.layout.counter(plan.entries));
        match plan.technique {
            Technique::Induction(i) => {
                w.store(start, i.register);
                if !i.narrow {
                    w.write(Code::Sub_rm64_r64, area(self.layout.counter(plan.sum)), i.register);
                }
            }
            Technique::Register(r) => w.constant(r, 0),
            Technique::Memory => {
                if let (Some(a), Some(header)) = (scratch, plan.header_slot) {
                    w.load(a, self.layout.counter(header));
                    w.store(start, a);
                }
            }
        }
    }

    /// Adds up the sums, and counts the entry in the histogram. Leaves the iterations in the first register.
    fn leave(&self, w: &mut Writer, plan: &LoopPlan, correction: i64, scratch: &[Register]) {
        let a = scratch[0];
        let start = self.layout.counter(plan.start);
        let sum = area(self.layout.counter(plan.sum));
        match plan.technique {
            Technique::Induction(i) if i.narrow => {
                let (low, iv) = (lower_half(a), lower_half(i.register));
                w.registers(Code::Mov_r32_rm32, low, iv);
                w.read(Code::Sub_r32_rm32, low, area(start));
                if i.step < 0 {
                    w.one(Code::Neg_rm32, low);
                }
                w.write(Code::Add_rm64_r64, sum, a);
                divide(w, a, scratch[1], i.step.unsigned_abs());
            }
            Technique::Induction(i) => {
                w.write(Code::Add_rm64_r64, sum, i.register);
                w.registers(Code::Mov_r64_rm64, a, i.register);
                w.read(Code::Sub_r64_rm64, a, area(start));
                if i.step < 0 {
                    w.one(Code::Neg_rm64, a);
                }
                divide(w, a, scratch[1], i.step.unsigned_abs());
            }
            Technique::Register(r) => {
                w.write(Code::Add_rm64_r64, sum, r);
                w.registers(Code::Mov_r64_rm64, a, r);
            }
            Technique::Memory => {
                let Some(header) = plan.header_slot else { return };
                w.load(a, self.layout.counter(header));
                w.read(Code::Sub_r64_rm64, a, area(start));
            }
        }
        if correction != 0 {
            w.offset(a, a, correction);
        }
        self.sort_in(w, plan, scratch);
    }

    /// Buckets 0..16 are exact; above, each power of two has four: with e the position of the highest
    /// bit, bucket 16 + 4 (e - 4) + the two bits below it.
    fn sort_in(&self, w: &mut Writer, plan: &LoopPlan, scratch: &[Register]) {
        let Some(histogram) = self.layout.histogram(plan.histogram) else { return };
        let a = scratch[0];
        let count = |w: &mut Writer, a: Register| {
            let at = MemoryOperand::new(Register::None, a, 8, i64::from(histogram), 8, false, Register::GS);
            w.push(iced_x86::Instruction::with1(Code::Inc_rm64, at).expect("an increment of memory"));
        };
        let many = w.label();
        let done = w.label();
        w.immediate(Code::Cmp_rm64_imm8, a, EXACT_BUCKETS);
        w.branch(Code::Jae_rel32_64, many.address());
        count(w, a);
        w.jump(done.address());
        w.place(many);
        let b = scratch[1];
        self.extremes(w, plan, a, b);
        let c = Register::RCX;
        // Without rcx for the shift (it is in use), the third register keeps its value.
        let parked = (scratch.get(2).copied()).filter(|_| b != c);
        if let Some(parked) = parked {
            w.registers(Code::Mov_r64_rm64, parked, c);
        }
        w.registers(Code::Bsr_r64_rm64, c, a);
        w.offset(c, c, -2);
        w.registers(Code::Shr_rm64_CL, a, Register::CL);
        w.read(Code::Lea_r64_m, a, MemoryOperand::with_base_index_scale_displ_size(a, c, 4, 4, 1));
        if let Some(parked) = parked {
            w.registers(Code::Mov_r64_rm64, c, parked);
        }
        count(w, a);
        w.place(done);
    }

    fn extremes(&self, w: &mut Writer, plan: &LoopPlan, a: Register, b: Register) {
        let (most, fewest) = (self.layout.counter(plan.most), self.layout.counter(plan.fewest));
        let below: Label = w.label();
        w.read(Code::Cmp_r64_rm64, a, area(most));
        w.branch(Code::Jbe_rel32_64, below.address());
        w.store(most, a);
        w.place(below);
        let above: Label = w.label();
        w.registers(Code::Mov_r64_rm64, b, a);
        w.one(Code::Not_rm64, b);
        w.read(Code::Cmp_r64_rm64, b, area(fewest));
        w.branch(Code::Jbe_rel32_64, above.address());
        w.store(fewest, b);
        w.place(above);
    }
}

/// Divides `a`, a multiple of `step`, by it: by a shift and the inverse modulo 2^64 of the odd part.
fn divide(w: &mut Writer, a: Register, b: Register, step: u64) {
    let shift = step.trailing_zeros();
    if shift > 0 {
        w.immediate(Code::Shr_rm64_imm8, a, shift as i32);
    }
    let odd = step >> shift;
    if odd != 1 {
        w.constant(b, inverse(odd));
        w.registers(Code::Imul_r64_rm64, a, b);
    }
}

/// The inverse of an odd number modulo 2^64, by Newton's iteration.
fn inverse(odd: u64) -> u64 {
    let mut x = odd; // right in the lowest three bits
    for _ in 0..5 {
        x = x.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(x)));
    }
    x
}

#[cfg(test)]
mod tests {
    use super::inverse;

    #[test]
    fn the_inverse_undoes_multiplication() {
        for odd in [3u64, 5, 7, 9, 24 >> 3, 40 >> 3, 1023, 0xffff_fff1] {
            for n in [1u64, 2, 77, 1 << 40] {
                assert_eq!(n.wrapping_mul(odd).wrapping_mul(inverse(odd)), n);
            }
        }
    }
}
