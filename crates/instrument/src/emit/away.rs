//! Leaving a version for a call or a computed jump, and returning to it.
//!
//! Both continue at original addresses, with the program's own registers; what the thread does there belongs to the iteration,
//! so the clock runs on. The gate stays closed meanwhile: another activation of the loop takes the plain copy. The thread returns
//! where control arrives in the unit at the stack pointer at which it left. Wherever it arrives otherwise (an exception or a
//! `longjmp` took it elsewhere, another thread resumed a coroutine), the plain copy is right, because no value of the program is
//! kept anywhere else while the thread is away.

use super::body::{Body, Which};
use super::scratch::{Need, Scratch};
use super::writer::{Label, area};
use crate::code::liveness::Live;
use crate::code::registers::set_of;
use crate::injection::control::{self as word, MOST_RETURNS};
use crate::injection::plan::Versioned;
use iced_x86::{Code, Instruction, Register};

impl Body<'_> {
    /// In a version, before a call or a computed jump: the registers are the program's again.
    pub(super) fn go_away(&mut self) {
        let Which::Version { unit: index, .. } = self.which else { return };
        let units = self.setting.units;
        let unit = &units[index];
        self.keep_countdown(unit);
        self.vector_save(unit, true);
        self.return_lent(unit);
        let away = self.control(unit, word::AWAY);
        self.w.store(away, Register::RSP);
    }

    /// Where control arrives at a block from original code, after these blocks: returns to a version, or leaves one for good,
    /// or may enter one.
    pub(super) fn arrive_in_units(&mut self, b: usize, from: &[Option<usize>], live: Live) {
        let units = self.setting.units;
        for (index, unit) in units.iter().enumerate() {
            let from_inside = from.iter().any(|&p| self.is_in(index, p));
            match (from_inside, self.is_in(index, Some(b))) {
                (true, true) => self.may_return(index, unit, b, live),
                (true, false) => self.may_have_left(unit, live),
                (false, _) => {}
            }
            let from_outside = from.iter().any(|&p| !self.is_in(index, p));
            if from_outside && self.flow.loops[unit.unit].header == b {
                self.may_enter_unit(index, live);
            }
        }
    }

    /// Compares the stack pointer with the one at which the thread left; jumps to the label if it is another.
    fn if_away(&mut self, unit: &Versioned, s: &Scratch, other: Label) {
        let away = area(self.control(unit, word::AWAY));
        match s.registers.last().filter(|_| s.lowered > 0) {
            Some(&a) => {
                self.w.offset(a, Register::RSP, s.lowered);
                self.w.read(Code::Cmp_r64_rm64, a, away);
            }
            None => self.w.read(Code::Cmp_r64_rm64, Register::RSP, away),
        }
        self.w.branch(Code::Jne_rel32_64, other.address());
    }

    fn may_return(&mut self, index: usize, unit: &Versioned, b: usize, live: Live) {
        let other = self.w.label();
        let keep = unit.registers.countdown.map_or(0, set_of);
        let s =
            Scratch::borrow(&mut self.w, live, Need { registers: 1, flags: true, keep, ..Need::default() });
        self.if_away(unit, &s, other);
        let number = unit.returns.binary_search(&b).ok().filter(|k| *k < MOST_RETURNS);
        if number.is_some() {
            s.clone().give_back(&mut self.w);
        }
        self.put(unit, word::AWAY, 0);
        self.vector_save(unit, false);
        self.lend(unit);
        self.resume_countdown(unit);
        match number {
            Some(k) => {
                let to = area(self.control(unit, word::RETURNS + k as u32));
                self.w.push(Instruction::with1(Code::Jmp_rm64, to).expect("a word in memory"));
            }
            None => self.choose(unit, 0, unit.versions.len(), &mut |this, version| {
                s.clone().give_back(&mut this.w);
                let to = this.label(Which::Version { unit: index, version }, b);
                this.w.jump(to.address());
            }),
        }
        self.w.place(other);
        s.give_back(&mut self.w);
    }

    /// The unit was left by a computed jump or an exception: stops the clock and opens the gate.
    fn may_have_left(&mut self, unit: &Versioned, live: Live) {
        let other = self.w.label();
        let need = Need { clock: true, registers: 3, flags: true, ..Need::default() };
        let s = Scratch::borrow(&mut self.w, live, need);
        self.if_away(unit, &s, other);
        self.put(unit, word::AWAY, 0);
        self.elapsed(unit);
        let ticks = self.control(unit, word::TICKS);
        self.w.store(ticks, Register::RAX);
        self.put(unit, word::GATE, 0);
        self.w.place(other);
        s.give_back(&mut self.w);
    }

    /// Keeps where the thread returns in a version; changes the register.
    pub(super) fn note_returns(&mut self, index: usize, version: usize, register: Register) {
        let units = self.setting.units;
        let unit = &units[index];
        for (k, &b) in unit.returns.iter().take(MOST_RETURNS).enumerate() {
            let to = self.label(Which::Version { unit: index, version }, b);
            self.w.address(register, to);
            let at = self.control(unit, word::RETURNS + k as u32);
            self.w.store(at, register);
        }
    }
}
