//! Copies of a loop with injected operations, and the code by which threads enter, change and leave them.
//!
//! A thread enters the version that is its turn where the unit is entered, and leaves it on every edge out of the unit (and for
//! calls: `super::away`); in between only the countdown at the headers is added. When it reaches zero the thread stores the window (ticks, what was left of
//! the countdown) and continues in the next version, in the middle of the loop. Nothing of this is shared by threads. A signal
//! handler that runs the same loop finds the gate closed and takes the plain copy.

use super::body::{Body, Which};
use super::scratch::{Need, Scratch};
use super::writer::{Label, area};
use crate::code::liveness::Live;
use crate::code::registers::set_of;
use crate::injection::control::{self as word, SHUT};
use crate::injection::operation::{Encoding, Means, Part, Walks, Word};
use crate::injection::plan::{Rest, Versioned};
use crate::injection::sites::Site;
use crate::runtime::areas;
use iced_x86::{Code, Register};
use loopwright_vocabulary::VectorWidth;

/// The labels of a unit.
#[derive(Clone, Debug)]
pub(super) struct UnitLabels {
    /// By version, then by block of the unit.
    pub versions: Vec<Vec<Label>>,
    /// Where threads enter a version.
    enter: Label,
    /// Where the countdown ends.
    pub change: Label,
    /// Where the version that is its turn begins, from both.
    pub dispatch: Label,
}

impl Body<'_> {
    /// Makes the labels of all units.
    pub(super) fn label_units(&mut self) {
        let units = self.setting.units;
        for unit in units {
            let blocks = self.flow.loops[unit.unit].body.len();
            let versions =
                unit.versions.iter().map(|_| (0..blocks).map(|_| self.w.label()).collect()).collect();
            let [enter, change, dispatch] = [(); 3].map(|()| self.w.label());
            self.unit_labels.push(UnitLabels { versions, enter, change, dispatch });
        }
    }

    /// The unit whose header a block is.
    fn unit_of_header(&self, block: usize) -> Option<usize> {
        self.setting.units.iter().position(|u| self.flow.loops[u.unit].header == block)
    }

    pub(super) fn is_in(&self, unit: usize, block: Option<usize>) -> bool {
        let body = &self.flow.loops[self.setting.units[unit].unit].body;
        block.is_some_and(|b| body.binary_search(&b).is_ok())
    }

    /// The unit whose version is being written, if the edge leaves it.
    fn unit_left(&self, to: Option<usize>) -> Option<usize> {
        match self.which {
            Which::Version { unit, .. } if !self.is_in(unit, to) => Some(unit),
            _ => None,
        }
    }

    fn unit_entered(&self, from: Option<usize>, to: Option<usize>) -> Option<usize> {
        let unit = self.unit_of_header(to?)?;
        (!self.is_in(unit, from)).then_some(unit)
    }

    /// Whether an edge enters or leaves versions.
    pub(super) fn crosses_unit(&self, from: usize, to: Option<usize>) -> bool {
        self.unit_left(to).is_some() || self.unit_entered(Some(from), to).is_some()
    }

    /// Emits what an edge needs; `live` is what is live after it.
    pub(super) fn cross_unit(&mut self, from: usize, to: Option<usize>, live: Live) {
        if let Some(unit) = self.unit_left(to) {
            self.leave_unit(unit, live);
        }
        if let Some(unit) = self.unit_entered(Some(from), to) {
            self.may_enter_unit(unit, live);
        }
    }

    /// Before the header of a unit in the plain copy: into a version, if the thread is in none, does not rest, and has not run all
    /// windows.
    pub(super) fn may_enter_unit(&mut self, index: usize, live: Live) {
        let units = self.setting.units;
        let unit = &units[index];
        let closed = self.w.label();
        let s = Scratch::borrow(&mut self.w, live, Need { flags: true, ..Need::default() });
        self.compare(unit, word::GATE, 0);
        self.w.branch(Code::Jne_rel32_64, closed.address());
        s.clone().give_back(&mut self.w);
        let enter = self.unit_labels[index].enter;
        self.w.jump(enter.address());
        self.w.place(closed);
        if let Rest::Entries(_) = unit.rest {
            let shut = self.w.label();
            self.w.branch(Code::Jl_rel32_64, shut.address());
            let gate = self.control(unit, word::GATE);
            self.w.decrement(gate);
            self.w.place(shut);
        }
        s.give_back(&mut self.w);
    }

    /// At the start of a block's copy in a version: the countdown, and the operations.
    pub(super) fn begin_version(&mut self, b: usize, live: Live) {
        let Which::Version { unit: index, version } = self.which else { return };
        let units = self.setting.units;
        let unit = &units[index];
        let (header, injected) = (self.flow.loops[unit.unit].header, self.flow.loops[unit.injected].header);
        if b != header && b != injected {
            return;
        }
        let keep = unit.registers.countdown.map_or(0, set_of) | unit.registers.spare.map_or(0, set_of);
        let s = Scratch::borrow(&mut self.w, live, Need { flags: true, keep, ..Need::default() });
        match (unit.registers.countdown, b == injected) {
            (Some(r), true) => self.w.one(Code::Dec_rm64, r),
            (Some(r), false) => self.w.registers(Code::Test_rm64_r64, r, r),
            (None, true) => {
                let at = self.control(unit, word::REMAINING);
                self.w.decrement(at);
            }
            (None, false) => self.compare(unit, word::REMAINING, 0),
        }
        if b == header {
            let change = self.unit_labels[index].change.address();
            if s.is_empty() {
                self.w.branch(Code::Jle_rel32_64, change);
            } else {
                let on = self.w.label();
                self.w.branch(Code::Jg_rel32_64, on.address());
                s.clone().give_back(&mut self.w);
                self.w.jump(change);
                self.w.place(on);
            }
        }
        if b == injected {
            self.inject(unit, version, 0);
        }
        s.give_back(&mut self.w);
    }

    /// Before an instruction in a version: the operations of places other than the header.
    pub(super) fn inject_before(&mut self, b: usize, at: usize) {
        let Which::Version { unit, version } = self.which else { return };
        let units = self.setting.units;
        let others = &units[unit].sites[1..];
        if let Ok(number) = others.binary_search_by_key(&(b, at), |site| (site.block, site.at)) {
            self.inject(&units[unit], version, number + 1);
        }
    }

    /// Writes a version's operations of one place.
    fn inject(&mut self, unit: &Versioned, version: usize, number: usize) {
        let what = unit.versions[version];
        let Some(resource) = what.resource else { return };
        let site = unit.sites[number];
        if number > 0 && !site.suits(resource) {
            return;
        }
        // The header takes part in any case: it suits what is injected at all.
        let suitable = |sites: &[Site]| sites.iter().skip(1).filter(|s| s.suits(resource)).count() as u64;
        let (all, mine) =
            (1 + suitable(&unit.sites), if number == 0 { 0 } else { 1 + suitable(&unit.sites[..number]) });
        let before = |place: u64| (u64::from(what.count) * place / all) as u32;
        let part = Part { first: before(mine), count: before(mine + 1) - before(mine), all: what.count };
        let control = self.control_index(unit);
        let place = |word: Word| {
            area(areas::counter_at(
                control
                    + match word {
                        Word::Loaded => word::LOADED,
                        Word::Stored(line) => word::STORED[line],
                        Word::One => word::ONE,
                        Word::Counter => word::REMAINING,
                        Word::Offset => word::OFFSET,
                        Word::Base => word::BASE,
                    },
            ))
        };
        let encoding = unit.registers.vector.map(|v| v.encoding);
        let walks = Walks { bytes: self.setting.walks.1, counter: unit.registers.countdown };
        let means = Means {
            walks,
            spare: site.spare,
            source: unit.registers.source,
            vector: site.vector.zip(encoding),
            word: &place,
        };
        means.write(&mut self.w, resource, part);
    }

    /// All versions, and the code between them.
    pub(super) fn all_versions(&mut self) {
        let units = self.setting.units;
        for (index, unit) in units.iter().enumerate() {
            for version in 0..unit.versions.len() {
                self.which = Which::Version { unit: index, version };
                let flow = self.flow;
                self.copies(&flow.loops[unit.unit].body);
                self.stubs();
            }
            self.which = Which::Counting;
            self.enter_unit(index, unit);
            self.change_version(index, unit);
        }
    }

    /// Offset of a word of the thread's control block.
    pub(super) fn control(&self, unit: &Versioned, word: u32) -> i32 {
        areas::counter_at(self.control_index(unit) + word)
    }

    pub(super) fn control_index(&self, unit: &Versioned) -> u32 {
        unit.control_index(self.setting.layout.counters + self.setting.unit_slots)
    }

    pub(super) fn compare(&mut self, unit: &Versioned, word: u32, value: i32) {
        let at = self.control(unit, word);
        self.w.memory_immediate(Code::Cmp_rm64_imm32, area(at), value);
    }

    pub(super) fn put(&mut self, unit: &Versioned, word: u32, value: i32) {
        let at = self.control(unit, word);
        self.w.memory_immediate(Code::Mov_rm64_imm32, area(at), value);
    }

    pub(super) fn bump(&mut self, unit: &Versioned, word: u32) {
        let at = self.control(unit, word);
        self.w.increment(at);
    }

    /// What the code before a version borrows, at the header of the unit.
    pub(super) fn borrow_at_header(&mut self, unit: &Versioned) -> Scratch {
        let live = self.live.entry[self.flow.loops[unit.unit].header];
        let keep = unit.registers.countdown.map_or(0, set_of);
        let need = Need { clock: true, registers: 3, flags: true, keep, ..Need::default() };
        Scratch::borrow(&mut self.w, live, need)
    }

    /// The time in rax; changes rdx.
    pub(super) fn clock(&mut self) {
        self.w.plain(Code::Rdtsc);
        self.w.immediate(Code::Shl_rm64_imm8, Register::RDX, 32);
        self.w.registers(Code::Or_rm64_r64, Register::RAX, Register::RDX);
    }

    /// Adds the time since the thread entered the version to the window's, in rax.
    pub(super) fn elapsed(&mut self, unit: &Versioned) {
        self.clock();
        let (start, ticks) = (self.control(unit, word::START), self.control(unit, word::TICKS));
        self.w.read(Code::Sub_r64_rm64, Register::RAX, area(start));
        self.w.read(Code::Add_r64_rm64, Register::RAX, area(ticks));
    }

    /// Saves the value of the vector register of operations, or restores it.
    pub(super) fn vector_save(&mut self, unit: &Versioned, restore: bool) {
        let Some(v) = unit.registers.vector.filter(|v| v.saved) else { return };
        let at = area(self.control(unit, word::SAVED));
        let number = v.low.number() as u32;
        // Instructions with VEX prefix clear what is above their width: all of the register is saved.
        let (load, store, register) = match v.encoding {
            Encoding::Legacy => (Code::Movups_xmm_xmmm128, Code::Movups_xmmm128_xmm, v.low),
            _ if v.whole == VectorWidth::Bits512 => (
                Code::EVEX_Vmovups_zmm_k1z_zmmm512,
                Code::EVEX_Vmovups_zmmm512_k1z_zmm,
                Register::ZMM0 + number,
            ),
            _ => (Code::VEX_Vmovups_ymm_ymmm256, Code::VEX_Vmovups_ymmm256_ymm, Register::YMM0 + number),
        };
        if restore {
            self.w.read(load, register, at);
        } else {
            self.w.write(store, at, register);
        }
    }

    /// Puts the values of lent registers into vector registers, whose own values are stored.
    pub(super) fn lend(&mut self, unit: &Versioned) {
        for (k, lent) in (0..).zip(&unit.registers.lent) {
            let at = area(self.control(unit, word::LENT + 2 * k));
            self.w.write(Code::Movups_xmmm128_xmm, at, lent.vector);
            self.w.registers(Code::Movq_xmm_rm64, lent.vector, lent.general);
        }
    }

    pub(super) fn return_lent(&mut self, unit: &Versioned) {
        for (k, lent) in (0..).zip(&unit.registers.lent) {
            let at = area(self.control(unit, word::LENT + 2 * k));
            self.w.registers(Code::Movq_rm64_xmm, lent.general, lent.vector);
            self.w.read(Code::Movups_xmm_xmmm128, lent.vector, at);
        }
    }

    /// From the plain copy into the version whose turn it is.
    fn enter_unit(&mut self, index: usize, unit: &Versioned) {
        let labels = self.unit_labels[index].clone();
        self.w.place(labels.enter);
        let (started, own) = (self.w.label(), self.w.label());
        self.put(unit, word::GATE, SHUT);
        let s = self.borrow_at_header(unit);
        // Threads without an area of their own share one: there the gate stays closed.
        self.w.memory_immediate(Code::Cmp_rm64_imm32, area(areas::NUMBER), 0);
        self.w.branch(Code::Jne_rel32_64, own.address());
        s.clone().give_back(&mut self.w);
        let plain = self.label(Which::Counting, self.flow.loops[unit.unit].header);
        self.w.jump(plain.address());
        self.w.place(own);
        self.compare(unit, word::STATE, 0);
        self.w.branch(Code::Jne_rel32_64, started.address());
        self.put(unit, word::STATE, 1);
        self.put(unit, word::STEP, 1);
        self.put(unit, word::COUNT, 0);
        self.put(unit, word::REMAINING, unit.quantum as i32);
        // The upper half of 1.0; the lower one is zero.
        let upper = self.control(unit, word::ONE) + 4;
        self.w.memory_immediate(Code::Mov_rm32_imm32, area(upper), (1f64.to_bits() >> 32) as i32);
        let base = self.setting.walks.0;
        for (half, at) in [(base as u32, 0), ((base >> 32) as u32, 4)] {
            let word = self.control(unit, word::BASE) + at;
            self.w.memory_immediate(Code::Mov_rm32_imm32, area(word), half as i32);
        }
        self.w.place(started);
        self.vector_save(unit, false);
        self.lend(unit);
        self.w.place(labels.dispatch);
        self.dispatch(index, unit, &s);
    }

    /// Starts the clock and continues in the current version, at the header of the unit, with what was borrowed there.
    fn dispatch(&mut self, index: usize, unit: &Versioned, s: &Scratch) {
        self.clock();
        let start = self.control(unit, word::START);
        self.w.store(start, Register::RAX);
        self.resume_countdown(unit);
        self.choose(unit, 0, unit.versions.len(), &mut |this, version| {
            this.note_returns(index, version, s.registers[0]);
            s.clone().give_back(&mut this.w);
            let header = this.flow.loops[unit.unit].header;
            let to = this.label(Which::Version { unit: index, version }, header);
            this.w.jump(to.address());
        });
    }

    /// The countdown register has the value that is kept while the thread is not in a version.
    pub(super) fn resume_countdown(&mut self, unit: &Versioned) {
        if let Some(r) = unit.registers.countdown {
            let at = self.control(unit, word::REMAINING);
            self.w.load(r, at);
        }
    }

    /// Keeps the countdown.
    pub(super) fn keep_countdown(&mut self, unit: &Versioned) {
        if let Some(r) = unit.registers.countdown {
            let at = self.control(unit, word::REMAINING);
            self.w.store(at, r);
        }
    }

    /// A tree of comparisons with the number of the version; changes the flags.
    pub(super) fn choose(
        &mut self,
        unit: &Versioned,
        first: usize,
        count: usize,
        leaf: &mut dyn FnMut(&mut Self, usize),
    ) {
        if count == 1 {
            leaf(self, first);
            return;
        }
        let half = count / 2;
        let above = self.w.label();
        self.compare(unit, word::CURRENT, (first + half) as i32);
        self.w.branch(Code::Jae_rel32_64, above.address());
        self.choose(unit, first, half, leaf);
        self.w.place(above);
        self.choose(unit, first + half, count - half, leaf);
    }

    /// On an edge out of the unit: stops the clock and opens the gate.
    fn leave_unit(&mut self, index: usize, live: Live) {
        let units = self.setting.units;
        let unit = &units[index];
        let keep = unit.registers.countdown.map_or(0, set_of);
        let need = Need { clock: true, registers: 2, flags: true, keep, ..Need::default() };
        let s = Scratch::borrow(&mut self.w, live, need);
        self.elapsed(unit);
        let ticks = self.control(unit, word::TICKS);
        self.w.store(ticks, Register::RAX);
        self.keep_countdown(unit);
        self.vector_save(unit, true);
        s.give_back(&mut self.w);
        self.return_lent(unit);
        // A move keeps the flags.
        self.put(unit, word::GATE, 0);
    }
}
