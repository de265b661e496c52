//! Copies of a loop with injected operations, and the code by which threads enter, change and leave them.
//!
//! A thread enters the version that is its turn where the unit is entered, and leaves it on every edge out of the unit; in
//! between only the countdown at the headers is added. When it reaches zero the thread stores the window (ticks, what was left of
//! the countdown) and continues in the next version, in the middle of the loop. Nothing of this is shared by threads. A signal
//! handler that runs the same loop finds the gate closed and takes the plain copy.

use super::body::{Body, Which};
use super::scratch::{Need, Scratch};
use super::writer::{Label, area};
use crate::code::liveness::Live;
use crate::code::registers::{lower_half, set_of};
use crate::injection::operation::{LINE, Means, Walks, Word};
use crate::injection::plan::{CONTROL, Versioned, word};
use crate::runtime::areas;
use iced_x86::{Code, Instruction, MemoryOperand, Register};
use loopwright_vocabulary::VectorWidth;

/// The labels of a unit.
#[derive(Clone, Debug)]
pub(super) struct UnitLabels {
    /// By version, then by block of the unit.
    pub versions: Vec<Vec<Label>>,
    /// Where threads enter a version.
    enter: Label,
    /// Where the countdown ends.
    change: Label,
}

impl Body<'_> {
    /// Makes the labels of all units.
    pub(super) fn label_units(&mut self) {
        let units = self.setting.units;
        for unit in units {
            let blocks = self.flow.loops[unit.unit].body.len();
            let versions =
                unit.versions.iter().map(|_| (0..blocks).map(|_| self.w.label()).collect()).collect();
            let labels = UnitLabels { versions, enter: self.w.label(), change: self.w.label() };
            self.unit_labels.push(labels);
        }
    }

    /// The unit whose header a block is.
    fn unit_of_header(&self, block: usize) -> Option<usize> {
        self.setting.units.iter().position(|u| self.flow.loops[u.unit].header == block)
    }

    fn is_in(&self, unit: usize, block: Option<usize>) -> bool {
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
            let units = self.setting.units;
            // The flags are free at the header of a unit.
            self.compare(&units[unit], word::GATE, 0);
            let enter = self.unit_labels[unit].enter;
            self.w.branch(Code::Je_rel32_64, enter.address());
        }
    }

    /// At the start of a block's copy in a version: the countdown, and the operations.
    pub(super) fn begin_version(&mut self, b: usize) {
        let Which::Version { unit: index, version } = self.which else { return };
        let units = self.setting.units;
        let unit = &units[index];
        let (header, injected) = (self.flow.loops[unit.unit].header, self.flow.loops[unit.injected].header);
        let change = self.unit_labels[index].change.address();
        if b == header && header != injected {
            match unit.countdown {
                Some(r) => self.w.registers(Code::Test_rm64_r64, r, r),
                None => self.compare(unit, word::REMAINING, 0),
            }
            self.w.branch(Code::Jle_rel32_64, change);
        }
        if b != injected {
            return;
        }
        match unit.countdown {
            Some(r) => self.w.one(Code::Dec_rm64, r),
            None => {
                let at = self.control(unit, word::REMAINING);
                self.w.push(Instruction::with1(Code::Dec_rm64, area(at)).expect("a word in memory"));
            }
        }
        if b == header {
            self.w.branch(Code::Jle_rel32_64, change);
        }
        let what = unit.versions[version];
        if let Some(resource) = what.resource {
            let place = |word: Word| {
                area(self.control(
                    unit,
                    match word {
                        Word::Loaded => word::LOADED,
                        Word::Stored => word::STORED,
                        Word::One => word::ONE,
                        Word::Counter => word::REMAINING,
                        Word::Offset => word::OFFSET,
                        Word::Base => word::BASE,
                    },
                ))
            };
            let places =
                [Word::Loaded, Word::Stored, Word::One, Word::Counter, Word::Offset, Word::Base].map(place);
            let word = |word: Word| places[word as usize];
            let vector = unit.vector.map(|v| (v.low, v.encoding));
            let walks = Walks { bytes: self.setting.walks.1, counter: unit.countdown };
            let means = Means { walks, spare: unit.spare, source: unit.source, vector, word: &word };
            means.write(&mut self.w, resource, what.count);
        }
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
    fn control(&self, unit: &Versioned, word: u32) -> i32 {
        areas::counter_at(self.control_index(unit) + word)
    }

    fn control_index(&self, unit: &Versioned) -> u32 {
        unit.control_index(self.setting.layout.counters + self.setting.unit_slots)
    }

    fn compare(&mut self, unit: &Versioned, word: u32, value: i32) {
        let at = self.control(unit, word);
        self.w.memory_immediate(Code::Cmp_rm64_imm32, area(at), value);
    }

    fn put(&mut self, unit: &Versioned, word: u32, value: i32) {
        let at = self.control(unit, word);
        self.w.memory_immediate(Code::Mov_rm64_imm32, area(at), value);
    }

    fn bump(&mut self, unit: &Versioned, word: u32) {
        let at = self.control(unit, word);
        self.w.increment(at);
    }

    /// What is live in a version at the header, beyond what the program has there.
    fn live_at_header(&self, unit: &Versioned) -> Live {
        let mut live = self.live.entry[self.flow.loops[unit.unit].header];
        live.gprs |= unit.countdown.map_or(0, set_of);
        live
    }

    /// The time in rax; changes rdx.
    fn clock(&mut self) {
        self.w.plain(Code::Rdtsc);
        self.w.immediate(Code::Shl_rm64_imm8, Register::RDX, 32);
        self.w.registers(Code::Or_rm64_r64, Register::RAX, Register::RDX);
    }

    /// Adds the time since the thread entered the version to the window's, in rax.
    fn elapsed(&mut self, unit: &Versioned) {
        self.clock();
        let (start, ticks) = (self.control(unit, word::START), self.control(unit, word::TICKS));
        self.w.read(Code::Sub_r64_rm64, Register::RAX, area(start));
        self.w.read(Code::Add_r64_rm64, Register::RAX, area(ticks));
    }

    fn vector_save(&mut self, unit: &Versioned, restore: bool) {
        use crate::injection::operation::Encoding;
        let Some(v) = unit.vector.filter(|v| v.saved) else { return };
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
    fn lend(&mut self, unit: &Versioned) {
        for (k, lent) in (0..).zip(&unit.lent) {
            let at = area(self.control(unit, word::LENT + 2 * k));
            self.w.write(Code::Movups_xmmm128_xmm, at, lent.vector);
            self.w.registers(Code::Movq_xmm_rm64, lent.vector, lent.general);
        }
    }

    fn return_lent(&mut self, unit: &Versioned) {
        for (k, lent) in (0..).zip(&unit.lent) {
            let at = area(self.control(unit, word::LENT + 2 * k));
            self.w.registers(Code::Movq_rm64_xmm, lent.general, lent.vector);
            self.w.read(Code::Movups_xmm_xmmm128, lent.vector, at);
        }
    }

    /// From the plain copy into the version whose turn it is.
    fn enter_unit(&mut self, index: usize, unit: &Versioned) {
        let labels = self.unit_labels[index].clone();
        self.w.place(labels.enter);
        let started = self.w.label();
        self.put(unit, word::GATE, 1);
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
        self.dispatch(index, unit);
    }

    /// Starts the clock and continues in the current version, at the header of the unit.
    fn dispatch(&mut self, index: usize, unit: &Versioned) {
        let header = self.flow.loops[unit.unit].header;
        let live = self.live_at_header(unit);
        let s = Scratch::borrow(&mut self.w, live, Need { clock: true, registers: 2, ..Need::default() });
        self.clock();
        let start = self.control(unit, word::START);
        self.w.store(start, Register::RAX);
        s.give_back(&mut self.w);
        if let Some(r) = unit.countdown {
            let at = self.control(unit, word::REMAINING);
            self.w.load(r, at);
        }
        let targets: Vec<Label> = (0..unit.versions.len())
            .map(|version| self.label(Which::Version { unit: index, version }, header))
            .collect();
        self.choose(unit, 0, &targets);
    }

    /// A tree of comparisons with the number of the version.
    fn choose(&mut self, unit: &Versioned, first: usize, targets: &[Label]) {
        if let [only] = targets {
            self.w.jump(only.address());
            return;
        }
        let half = targets.len() / 2;
        let above = self.w.label();
        self.compare(unit, word::CURRENT, (first + half) as i32);
        self.w.branch(Code::Jae_rel32_64, above.address());
        self.choose(unit, first, &targets[..half]);
        self.w.place(above);
        self.choose(unit, first + half, &targets[half..]);
    }

    /// Stores the window and goes on in the next version; after the last window, in the plain copy.
    fn change_version(&mut self, index: usize, unit: &Versioned) {
        let (rax, rdx) = (Register::RAX, Register::RDX);
        let count = unit.versions.len() as i32;
        let live = self.live_at_header(unit);
        self.w.place(self.unit_labels[index].change);
        let s = Scratch::borrow(&mut self.w, live, Need { clock: true, registers: 3, ..Need::default() });
        let c = s.registers[2];
        self.elapsed(unit);
        // Two words for each window, in the layers of the area: see `areas::counter_at`.
        let position = self.control(unit, word::POSITION);
        self.w.load(c, position);
        let first = i64::from(self.control_index(unit) + CONTROL);
        let twice = MemoryOperand::new(Register::None, c, 2, first, 8, false, Register::None);
        self.w.read(Code::Lea_r64_m, c, twice);
        self.w.registers(Code::Mov_r64_rm64, rdx, c);
        self.w.immediate(Code::Shr_rm64_imm8, rdx, areas::COUNTERS_IN_PAGE.trailing_zeros() as i32);
        let gap = (areas::LAYER - areas::PAGE) as i32;
        let spread = Instruction::with3(Code::Imul_r64_rm64_imm32, rdx, rdx, gap);
        self.w.push(spread.expect("a multiplication by a constant"));
        self.w.read(Code::Lea_r64_m, rdx, MemoryOperand::with_base_index_scale(rdx, c, 8));
        let window = |offset: i32| {
            let at = i64::from(areas::COUNTERS + offset);
            MemoryOperand::new(rdx, Register::None, 1, at, 8, false, Register::GS)
        };
        self.w.write(Code::Mov_rm64_r64, window(0), rax);
        let left = match unit.countdown {
            Some(r) => r,
            None => {
                let remaining = self.control(unit, word::REMAINING);
                self.w.load(c, remaining);
                c
            }
        };
        self.w.write(Code::Mov_rm64_r64, window(8), left);
        self.bump(unit, word::POSITION);
        let (finished, in_range, same, low) =
            (self.w.label(), self.w.label(), self.w.label(), self.w.label());
        self.compare(unit, word::POSITION, unit.windows as i32);
        self.w.branch(Code::Jae_rel32_64, finished.address());
        // Walks begin elsewhere in each window: the golden ratio spreads them (D. E. Knuth, TAOCP 3, 6.4). A multiple of a line.
        const SPREAD: i32 = (0x3c6e_f372 / LINE * LINE) as i32;
        let offset = self.control(unit, word::OFFSET);
        let spread = Instruction::with3(Code::Imul_r64_rm64_imm32, rax, area(position), SPREAD);
        self.w.push(spread.expect("a multiplication by a constant"));
        self.w.store(offset, rax);
        let (current, step) = (self.control(unit, word::CURRENT), self.control(unit, word::STEP));
        self.w.load(rax, current);
        self.w.read(Code::Add_r64_rm64, rax, area(step));
        self.w.immediate(Code::Cmp_rm64_imm32, rax, count);
        self.w.branch(Code::Jb_rel32_64, in_range.address());
        self.w.offset(rax, rax, i64::from(-count));
        self.w.place(in_range);
        self.w.store(current, rax);
        self.bump(unit, word::COUNT);
        self.compare(unit, word::COUNT, count);
        self.w.branch(Code::Jb_rel32_64, same.address());
        self.put(unit, word::COUNT, 0);
        self.w.load(rax, step);
        self.w.offset(rax, rax, 1);
        self.w.immediate(Code::Cmp_rm64_imm32, rax, count);
        self.w.branch(Code::Jb_rel32_64, low.address());
        self.w.immediate(Code::Mov_r32_imm32, lower_half(rax), 1);
        self.w.place(low);
        self.w.store(step, rax);
        self.w.place(same);
        self.put(unit, word::TICKS, 0);
        self.put(unit, word::REMAINING, unit.quantum as i32);
        s.clone().give_back(&mut self.w);
        self.dispatch(index, unit);
        self.w.place(finished);
        self.vector_save(unit, true);
        s.give_back(&mut self.w);
        self.return_lent(unit);
        // The gate stays closed.
        let plain = self.label(Which::Counting, self.flow.loops[unit.unit].header);
        self.w.jump(plain.address());
    }

    /// On an edge out of the unit: stops the clock and opens the gate.
    fn leave_unit(&mut self, index: usize, live: Live) {
        let units = self.setting.units;
        let unit = &units[index];
        let live = Live { gprs: live.gprs | unit.countdown.map_or(0, set_of), ..live };
        let need = Need { clock: true, registers: 2, flags: true, ..Need::default() };
        let s = Scratch::borrow(&mut self.w, live, need);
        self.elapsed(unit);
        let ticks = self.control(unit, word::TICKS);
        self.w.store(ticks, Register::RAX);
        if let Some(r) = unit.countdown {
            let remaining = self.control(unit, word::REMAINING);
            self.w.store(remaining, r);
        }
        self.vector_save(unit, true);
        s.give_back(&mut self.w);
        self.return_lent(unit);
        // A move keeps the flags.
        self.put(unit, word::GATE, 0);
    }
}
