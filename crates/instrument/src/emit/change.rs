//! Where a window ends: the thread stores it, and continues in the next version, rests, or is done.

use super::body::{Body, Which};
use super::scratch::Scratch;
use super::writer::area;
use crate::code::registers::lower_half;
use crate::injection::control::{self as word, CONTROL, PROBE, WINDOW};
use crate::injection::operation::{LINE, nothing};
use crate::injection::order::GROUP;
use crate::injection::plan::{Rest, Versioned};
use crate::runtime::areas;
use iced_x86::{Code, Instruction, MemoryOperand, Register};

impl Body<'_> {
    /// Stores the window and goes on in the next version; after the last window, in the plain copy.
    pub(super) fn change_version(&mut self, index: usize, unit: &Versioned) {
        let (rax, rdx) = (Register::RAX, Register::RDX);
        let count = unit.versions.len() as i32;
        self.w.place(self.unit_labels[index].change);
        let s = self.borrow_at_header(unit);
        let c = s.registers[2];
        let (ticks, probed) = (self.control(unit, word::TICKS), self.control(unit, word::PROBED));
        if let Rest::Passes(_) = unit.rest {
            self.end_rest(index, unit);
        }
        self.elapsed(unit);
        self.w.store(ticks, rax);
        self.probe(unit, c);
        // The words of a window, in the layers of the area: see `areas::counter_at`.
        let position = self.control(unit, word::POSITION);
        self.w.load(c, position);
        let first = i64::from(self.control_index(unit) + CONTROL);
        let words = MemoryOperand::new(Register::None, c, WINDOW, first, 8, false, Register::None);
        self.w.read(Code::Lea_r64_m, c, words);
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
        for (from, to) in [(ticks, 0), (probed, 16)] {
            self.w.load(rax, from);
            self.w.write(Code::Mov_rm64_r64, window(to), rax);
        }
        let left = match unit.registers.countdown {
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
        if unit.rest != Rest::None {
            self.w.immediate(Code::And_rm64_imm32, rax, GROUP as i32 - 1);
            self.w.branch(Code::Jne_rel32_64, same.address());
        }
        match unit.rest {
            Rest::None => {}
            Rest::Passes(passes) => {
                // The next version is the first, which is plain.
                self.put(unit, word::REST, 1);
                self.begin_window(index, unit, passes);
            }
            Rest::Entries(entries) => {
                self.set_window(unit, unit.quantum);
                self.go_on_plainly(unit, s.clone(), Some(entries));
            }
        }
        self.w.place(same);
        self.begin_window(index, unit, unit.quantum);
        self.w.place(finished);
        self.go_on_plainly(unit, s, None);
    }

    /// Continues in the plain copy at the header, for this number of entries, or for good.
    fn go_on_plainly(&mut self, unit: &Versioned, s: Scratch, entries: Option<u32>) {
        self.vector_save(unit, true);
        s.give_back(&mut self.w);
        self.return_lent(unit);
        // Last of all: from here on a handler may enter a version. A move keeps the flags.
        if let Some(entries) = entries {
            self.put(unit, word::GATE, entries as i32);
        }
        let plain = self.label(Which::Counting, self.flow.loops[unit.unit].header);
        self.w.jump(plain.address());
    }

    /// A rest ends with a window of the same version.
    fn end_rest(&mut self, index: usize, unit: &Versioned) {
        let recorded = self.w.label();
        self.compare(unit, word::REST, 0);
        self.w.branch(Code::Je_rel32_64, recorded.address());
        self.put(unit, word::REST, 0);
        self.begin_window(index, unit, unit.quantum);
        self.w.place(recorded);
    }

    /// Continues in the current version for this number of passes.
    fn begin_window(&mut self, index: usize, unit: &Versioned, passes: u32) {
        self.set_window(unit, passes);
        let dispatch = self.unit_labels[index].dispatch;
        self.w.jump(dispatch.address());
    }

    fn set_window(&mut self, unit: &Versioned, passes: u32) {
        self.put(unit, word::TICKS, 0);
        self.put(unit, word::REMAINING, passes as i32);
    }

    /// How long the core takes for instructions that wait for nothing; changes rax, rdx and `counter`.
    fn probe(&mut self, unit: &Versioned, counter: Register) {
        let (iterations, each) = PROBE;
        let start = self.control(unit, word::START);
        // Loads of the program that are late would hold the first instructions back.
        self.w.plain(Code::Lfence);
        self.clock();
        self.w.store(start, Register::RAX);
        self.w.immediate(Code::Mov_r32_imm32, lower_half(counter), iterations as i32);
        let again = self.w.label();
        self.w.place(again);
        for _ in 0..each {
            self.w.push(nothing());
        }
        self.w.one(Code::Dec_rm64, counter);
        self.w.branch(Code::Jne_rel32_64, again.address());
        self.clock();
        self.w.read(Code::Sub_r64_rm64, Register::RAX, area(start));
        let probed = self.control(unit, word::PROBED);
        self.w.store(probed, Register::RAX);
    }
}
