//! Changing between the counting copy and the one that records.
//!
//! A thread changes to the second copy where a nest of loops begins or one of its loops starts an iteration,
//! when a chunk is lent to it; it returns where the nest ends and no other is around it, and wherever the
//! chunk is full. Called functions check at their entry whether a chosen loop is running.

use super::body::{Body, Which};
use super::pending::{Activation, Crossing, Departure};
use super::scratch::{Need, Scratch};
use super::writer::area;
use crate::code::liveness::Live;
use crate::runtime::areas::trace;
use crate::tracing::plan::RecordKind;
use iced_x86::{Code, Instruction};

impl Body<'_> {
    /// The meaning of control from `from` to `to`; `None` means outside.
    pub(super) fn crossing(&self, from: Option<usize>, to: Option<usize>) -> Crossing {
        let Some(tracing) = self.setting.tracing else { return Crossing::default() };
        let at = |b: Option<usize>| b.map(|b| &tracing.plan.blocks[b]);
        let nest = |b| at(b).and_then(|p| p.nest);
        let chosen = |b| at(b).is_some_and(|p| p.chosen);
        let changes = nest(from) != nest(to);
        Crossing {
            leaves_nest: changes && nest(from).is_some(),
            enters_nest: nest(to).filter(|_| changes),
            // Between two nests both happen.
            leaves_chosen: chosen(from) && (changes || !chosen(to)),
            enters_chosen: chosen(to) && (changes || !chosen(from)),
        }
    }

    /// Whether an edge needs code for tracing or for versions.
    pub(super) fn crosses(&self, from: usize, target: u64) -> bool {
        if !self.setting.units.is_empty() {
            return self.crosses_unit(from, self.flow.block_at(target));
        }
        let crossing = self.crossing(Some(from), self.flow.block_at(target));
        match self.which {
            Which::Counting => crossing.enters_nest.is_some(),
            Which::Tracing => !crossing.is_empty(),
            Which::Version { .. } => false,
        }
    }

    /// Emits the code of an edge; control then continues at the target in the same copy.
    pub(super) fn cross(&mut self, from: usize, target: u64, live: Live) {
        let to = self.flow.block_at(target);
        if !self.setting.units.is_empty() {
            self.cross_unit(from, to, live);
            return;
        }
        let crossing = self.crossing(Some(from), to);
        if crossing.is_empty() {
            return;
        }
        match (self.which, to) {
            (Which::Counting, Some(b)) => self.may_enter(crossing, b, live),
            (Which::Counting, None) | (Which::Version { .. }, _) => {}
            (Which::Tracing, _) => {
                if crossing.leaves() {
                    let need = Need { registers: usize::from(to.is_some()), flags: true, ..Need::default() };
                    let s = Scratch::borrow(&mut self.w, live, need);
                    self.leave(crossing, from, target, &s);
                    s.give_back(&mut self.w);
                }
                if let Some(b) = to {
                    self.enter(crossing, b, live);
                }
            }
        }
    }

    /// `inc` or `dec` of a word in the thread's area.
    fn add(&mut self, offset: i32, code: Code) {
        self.w.push(Instruction::with1(code, area(offset)).expect("a word in memory"));
    }

    /// In the second copy: loops end on the edge from `from` to `target`; `s` has a register free for the
    /// record if the target is a block of the function.
    fn leave(&mut self, crossing: Crossing, from: usize, target: u64, s: &Scratch) {
        if !crossing.leaves() {
            return;
        }
        if let Some(b) = self.flow.block_at(target) {
            self.record_departure(b, s.registers[0]);
        }
        if crossing.leaves_chosen {
            self.add(trace::CHOSEN, Code::Dec_rm64);
        }
        if crossing.leaves_nest {
            self.add(trace::NESTS, Code::Dec_rm64);
            let label = self.w.label();
            self.w.branch(Code::Je_rel32_64, label.address());
            self.departures.push(Departure { label, scratch: s.clone(), from, target });
        }
    }

    /// In the second copy: a nest or chosen loop begins at `b`.
    pub(super) fn enter(&mut self, crossing: Crossing, b: usize, live: Live) {
        if crossing.enters_nest.is_none() && !crossing.enters_chosen {
            return;
        }
        let recorded = crossing.enters_nest.is_some();
        let registers = if recorded { 2 } else { 0 };
        let s = Scratch::borrow(&mut self.w, live, Need { registers, flags: true, ..Need::default() });
        if recorded {
            let (p, a) = (s.registers[0], s.registers[1]);
            self.w.load(p, trace::NEXT);
            self.record_arrival(b, RecordKind::Entered, p, a, s.lowered);
            self.add(trace::NESTS, Code::Inc_rm64);
        }
        if crossing.enters_chosen {
            self.add(trace::CHOSEN, Code::Inc_rm64);
        }
        s.give_back(&mut self.w);
    }

    /// In the counting copy: a nest begins at `b`; the thread may change to the second copy.
    pub(super) fn may_enter(&mut self, crossing: Crossing, b: usize, live: Live) {
        if crossing.enters_nest.is_some() {
            self.may_activate(b, RecordKind::Entered, live);
        }
    }

    /// In the counting copy: a loop of a nest starts an iteration at its header.
    pub(super) fn may_join(&mut self, b: usize, live: Live) {
        let Some(tracing) = self.setting.tracing else { return };
        let plan = &tracing.plan.blocks[b];
        if plan.header {
            self.may_activate(b, RecordKind::Joined, live);
        }
    }

    fn may_activate(&mut self, b: usize, kind: RecordKind, live: Live) {
        let Some(tracing) = self.setting.tracing else { return };
        let Some(share) = tracing.share(b) else { return };
        let s = Scratch::borrow(&mut self.w, live, Need { flags: true, ..Need::default() });
        self.test_share(share, trace::PASSED);
        let (label, back) = (self.w.label(), self.w.label());
        self.w.branch(Code::Je_rel32_64, label.address());
        s.clone().give_back(&mut self.w);
        self.w.place(back);
        self.activations.push(Activation { label, back, scratch: s, block: b, kind, share });
    }

    /// `test byte gs:[..], bit`.
    fn test_share(&mut self, share: u32, bit: u8) {
        let at = area(trace::SHARES + share as i32);
        self.w.memory_immediate(Code::Test_rm8_imm8, at, i32::from(bit));
    }

    /// The code where threads begin to record.
    pub(super) fn activations(&mut self) {
        let Some(tracing) = self.setting.tracing else { return };
        for a in std::mem::take(&mut self.activations) {
            self.w.place(a.label);
            a.scratch.give_back(&mut self.w);
            let live = self.live.entry[a.block];
            let s = Scratch::borrow(&mut self.w, live, Need { registers: 2, flags: true, ..Need::default() });
            let (p, other) = (s.registers[0], s.registers[1]);
            let (outer, fits, go, full) = (self.w.label(), self.w.label(), self.w.label(), self.w.label());
            let (want, refused, pass) = (self.w.label(), self.w.label(), self.w.label());
            self.compare_zero(trace::NESTS);
            self.w.branch(Code::Jne_rel32_64, go.address());
            let take = Instruction::with2(Code::Btr_rm64_imm8, area(trace::STATE), 0i32);
            let mut take = take.expect("a bit in memory");
            take.set_has_lock_prefix(true);
            self.w.push(take);
            self.w.branch(Code::Jb_rel32_64, outer.address());
            if !tracing.exhaustive {
                self.test_share(a.share, trace::SERVED);
                self.w.branch(Code::Jne_rel32_64, pass.address());
            }
            self.w.place(want);
            self.put_word(trace::WANTED, a.share as i32);
            self.ask_for_room(s.lowered, refused);
            self.w.place(outer);
            self.put_word(trace::WANTED, a.share as i32);
            self.w.load(p, trace::NEXT);
            self.w.read(Code::Add_r64_rm64, p, area(trace::QUOTA));
            self.w.read(Code::Cmp_r64_rm64, p, area(trace::END));
            self.w.branch(Code::Jbe_rel32_64, fits.address());
            self.w.load(p, trace::END);
            self.w.place(fits);
            self.w.store(trace::LIMIT, p);
            self.w.place(go);
            self.w.load(p, trace::NEXT);
            self.w.read(Code::Cmp_r64_rm64, p, area(trace::LIMIT));
            self.w.branch(Code::Jae_rel32_64, full.address());
            self.record_arrival(a.block, a.kind, p, other, s.lowered);
            self.add(trace::NESTS, Code::Inc_rm64);
            if tracing.plan.blocks[a.block].chosen {
                self.add(trace::CHOSEN, Code::Inc_rm64);
            }
            s.clone().give_back(&mut self.w);
            let to = self.label(Which::Tracing, a.block).address();
            self.w.jump(to);
            self.w.place(full);
            // Full for the nest around it: then this one may have the rest.
            self.w.read(Code::Cmp_r64_rm64, p, area(trace::END));
            self.w.branch(Code::Jb_rel32_64, outer.address());
            if tracing.exhaustive {
                self.w.jump(want.address());
            } else {
                self.test_share(a.share, trace::SERVED);
                self.w.branch(Code::Je_rel32_64, want.address());
                self.put_word(trace::STATE, trace::FULL);
            }
            self.w.place(refused);
            // Functions that called this one and are in the second copy find the chunk full.
            self.put_word(trace::NESTS, 0);
            self.put_word(trace::CHOSEN, 0);
            self.put_word(trace::LIMIT, 0);
            self.w.place(pass);
            self.pass(a.share);
            s.give_back(&mut self.w);
            self.w.jump(a.back.address());
        }
    }

    /// Marks a share as not traced until the tool changes it.
    pub(super) fn pass(&mut self, share: u32) {
        let at = area(trace::SHARES + share as i32);
        self.w.memory_immediate(Code::Or_rm8_imm8, at, i32::from(trace::PASSED));
    }

    /// The code where threads return to the counting copy after a nest.
    pub(super) fn departures(&mut self) {
        self.which = Which::Counting;
        for d in std::mem::take(&mut self.departures) {
            self.w.place(d.label);
            self.put_word(trace::CHOSEN, 0);
            // A function further up the stack that is still in the second copy must not continue in a chunk
            // that others may take.
            self.put_word(trace::LIMIT, 0);
            self.put_word(trace::STATE, trace::LENT as i32);
            d.scratch.give_back(&mut self.w);
            let to = self.flow.block_at(d.target);
            let live = to.map_or(Live::ALL, |t| self.live.entry[t]);
            self.cross(d.from, d.target, live);
            let destination = self.destination(d.target);
            self.w.jump(destination);
        }
    }

    /// Where control arrives at a block from original code, after these blocks: goes to the second copy or to a version if the
    /// thread is there.
    pub(super) fn arrive(&mut self, b: usize, from: &[Option<usize>], live: Live) {
        if !self.setting.units.is_empty() {
            self.arrive_in_units(b, from, live);
            return;
        }
        let Some(tracing) = self.setting.tracing else { return };
        let called = b == self.plan.region.entry || self.flow.entries.contains(&b);
        let inside = tracing.plan.blocks[b].nest.is_some() && !called;
        let s = Scratch::borrow(&mut self.w, live, Need { flags: true, ..Need::default() });
        self.compare_zero(if inside { trace::NESTS } else { trace::CHOSEN });
        let second = self.w.label();
        self.w.branch(Code::Jne_rel32_64, second.address());
        s.clone().give_back(&mut self.w);
        let crossings: Vec<Crossing> = from.iter().map(|&p| self.crossing(p, Some(b))).collect();
        let same = crossings.windows(2).all(|w| w[0] == w[1]);
        let crossing = crossings.first().copied().filter(|_| same).unwrap_or_default();
        self.arrivals_traced.push((second, s, b, crossing, called));
        self.may_enter(crossing, b, live);
    }

    /// Arrivals in the second copy.
    pub(super) fn traced_arrivals(&mut self) {
        self.which = Which::Tracing;
        for (label, scratch, b, crossing, called) in std::mem::take(&mut self.arrivals_traced) {
            self.w.place(label);
            scratch.give_back(&mut self.w);
            let live = self.live.entry[b];
            let registers = if called { 2 } else { usize::from(crossing.leaves()) };
            let need = Need { registers, flags: true, ..Need::default() };
            let s = Scratch::borrow(&mut self.w, live, need);
            if called {
                let (p, a) = (s.registers[0], s.registers[1]);
                self.w.load(p, trace::NEXT);
                self.record_arrival(b, RecordKind::Called, p, a, s.lowered);
            }
            self.leave(crossing, b, self.flow.blocks[b].start, &s);
            s.give_back(&mut self.w);
            self.enter(crossing, b, live);
            let to = self.label(Which::Tracing, b).address();
            self.w.jump(to);
        }
    }
}
