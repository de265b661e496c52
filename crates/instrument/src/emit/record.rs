//! Records: the data that the second copy writes for each block that it runs.
//!
//! A record begins with an id; the addresses of the block's operands follow as they become known. The space for all of
//! them is reserved at the block's start, so that each operand costs an address computation and a store.

use super::body::{Body, Which};
use super::pending::Overflow;
use super::scratch::{Need, RED_ZONE, Scratch};
use super::writer::{Label, area};
use crate::code::liveness::Live;
use crate::code::registers::{Gprs, RSP, gpr, set_of};
use crate::runtime::areas::trace;
use crate::tracing::operands::{Form, mask_words};
use crate::tracing::plan::{RecordKind, Recorded};
use iced_x86::{Code, Instruction, MemoryOperand, Register};

/// `[base + 8 * word]`.
pub fn word(base: Register, word: u32) -> MemoryOperand {
    MemoryOperand::with_base_displ(base, i64::from(word) * 8)
}

impl Body<'_> {
    /// A general register that the block does not use at all; not rax, in which flags are kept.
    pub(super) fn unused_register(&self, b: usize, live: &[Live]) -> Option<Register> {
        let (first, last) = self.flow.blocks[b].code;
        let touched = self.live.effects[first..last].iter().fold(RSP, |set, e| set | e.touches());
        let used = live.iter().fold(touched, |set, l| set | l.gprs);
        (1..16).find(|&n| used >> n & 1 == 0).map(gpr)
    }

    /// Begins the record of a block. `resident` will hold its address until the block's end.
    pub(super) fn begin_record(&mut self, b: usize, live: Live, resident: Option<Register>) {
        let Some(tracing) = self.setting.tracing else { return };
        let plan = &tracing.plan.blocks[b];
        // Outside chosen loops a block counts only while a chosen loop of a caller runs.
        let conditional = !plan.chosen && !tracing.plan.nests.is_empty();
        let keep = resident.map_or(0, set_of);
        let need = Need { registers: usize::from(resident.is_none()), flags: true, keep, ..Need::default() };
        let s = Scratch::borrow(&mut self.w, live, need);
        let p = resident.unwrap_or_else(|| s.registers[0]);
        self.w.load(p, trace::NEXT);
        self.w.read(Code::Cmp_r64_rm64, p, area(trace::LIMIT));
        let full = self.w.label();
        self.w.branch(Code::Jae_rel32_64, full.address());
        self.put_id(p, tracing.id(b, RecordKind::Block));
        self.w.store(trace::RECORD, p);
        let size = i64::from(plan.words) * 8;
        if conditional {
            // Data written after the record's space without reserving it is overwritten by the next record.
            let (idle, done) = (self.w.label(), self.w.label());
            self.compare_zero(trace::CHOSEN);
            self.w.branch(Code::Je_rel32_64, idle.address());
            self.advance(p, size, resident.is_some());
            if plan.header {
                self.w.jump(done.address());
                self.w.place(idle);
                self.put_id(p, tracing.id(b, RecordKind::Passed));
                self.advance(p, 8, resident.is_some());
                self.w.place(done);
            } else {
                self.w.place(idle);
            }
        } else {
            self.advance(p, size, resident.is_some());
        }
        s.clone().give_back(&mut self.w);
        self.overflows.push(Overflow { label: full, scratch: s, block: b, free: p });
    }

    /// Moves the end of the trace beyond the record at `p`.
    fn advance(&mut self, p: Register, size: i64, keep: bool) {
        self.w.offset(p, p, size);
        self.w.store(trace::NEXT, p);
        if keep {
            self.w.offset(p, p, -size);
        }
    }

    /// Stores an id at `p`.
    pub(super) fn put_id(&mut self, p: Register, id: u32) {
        self.w.memory_immediate(Code::Mov_rm64_imm32, MemoryOperand::with_base(p), id as i32);
    }

    /// `cmp qword gs:[offset], 0`.
    pub(super) fn compare_zero(&mut self, offset: i32) {
        self.w.memory_immediate(Code::Cmp_rm64_imm8, area(offset), 0);
    }

    /// Records the operands of an instruction, before it runs.
    pub(super) fn record_operands(&mut self, b: usize, at: usize, live: Live, resident: Option<Register>) {
        let Some(tracing) = self.setting.tracing else { return };
        let i = self.flow.instructions(b)[at];
        let recorded: Vec<Recorded> =
            tracing.plan.blocks[b].operands.iter().filter(|r| r.at == at).copied().collect();
        for r in recorded {
            let repeated = matches!(r.operand.form, Form::Repeated { .. });
            let registers = usize::from(!repeated) + usize::from(resident.is_none());
            let keep = mentioned(&i) | resident.map_or(0, set_of);
            let s = Scratch::borrow(&mut self.w, live, Need { registers, keep, ..Need::default() });
            let mut lent = s.registers.iter().copied();
            let p = resident.or_else(|| lent.next()).unwrap_or(Register::RAX);
            let a = lent.next().unwrap_or(Register::RAX);
            match r.operand.form {
                Form::Repeated { register, repeats } => {
                    self.reload(p, resident);
                    self.w.write(Code::Mov_rm64_r64, word(p, r.word), register);
                    if repeats {
                        self.w.write(Code::Mov_rm64_r64, word(p, r.word + 1), Register::RCX);
                    } else {
                        self.w.memory_immediate(Code::Mov_rm64_imm32, word(p, r.word + 1), 1);
                    }
                }
                form => {
                    self.address(a, p, &i, s.lowered, resident.is_some());
                    self.reload(p, if i.segment_prefix() == Register::FS { None } else { resident });
                    self.w.write(Code::Mov_rm64_r64, word(p, r.word), a);
                    match form {
                        Form::Masked { mask } => self.put_mask(p, r.word + 1, a, mask),
                        Form::VectorMasked { mask } => self.put_vector(p, r.word + 1, mask),
                        Form::Gathered { mask, .. } => {
                            let index = i.memory_index();
                            self.put_vector(p, r.word + 1, index);
                            let behind = r.word + 1 + (index.size() / 8) as u32;
                            if mask.is_k() {
                                self.put_mask(p, behind, a, mask);
                            } else if mask_words(mask) > 0 {
                                self.put_vector(p, behind, mask);
                            }
                        }
                        Form::Plain | Form::Repeated { .. } => {}
                    }
                }
            }
            s.give_back(&mut self.w);
        }
    }

    fn reload(&mut self, p: Register, resident: Option<Register>) {
        if resident.is_none() {
            self.w.load(p, trace::RECORD);
        }
    }

    /// The address of the memory operand of `i`; `other` may be changed. For a gather, the address of its base.
    fn address(&mut self, a: Register, other: Register, i: &Instruction, lowered: i64, keep_other: bool) {
        let index = if i.is_vsib() { Register::None } else { i.memory_index() };
        let base = i.memory_base();
        let displacement = i.memory_displacement64() as i64;
        if i.is_ip_rel_memory_operand() {
            let at = MemoryOperand::with_base_displ(Register::RIP, i.ip_rel_memory_address() as i64);
            self.w.read(Code::Lea_r64_m, a, at);
        } else if base == Register::None && index == Register::None {
            self.w.constant(a, displacement as u64);
        } else {
            let down = if base == Register::RSP { lowered } else { 0 };
            let at = MemoryOperand::new(
                base,
                index,
                i.memory_index_scale(),
                displacement.wrapping_add(down),
                8,
                false,
                Register::None,
            );
            self.w.read(Code::Lea_r64_m, a, at);
        }
        if i.segment_prefix() == Register::FS {
            // The thread's own data: the first word holds its base (TLS variant II).
            let fs = MemoryOperand::new(Register::None, Register::None, 1, 0, 8, false, Register::FS);
            self.w.read(Code::Mov_r64_rm64, other, fs);
            let sum = MemoryOperand::with_base_index(a, other);
            self.w.read(Code::Lea_r64_m, a, sum);
            if keep_other {
                self.w.load(other, trace::RECORD);
            }
        }
    }

    fn put_mask(&mut self, p: Register, at: u32, a: Register, mask: Register) {
        // Forms for 64 bits need an extension that narrow masks do not prove to exist.
        let low = crate::code::registers::lower_half(a);
        if self.setting.tracing.is_some_and(|t| t.wide_masks) {
            self.w.registers(Code::VEX_Kmovq_r64_kr, a, mask);
        } else {
            self.w.registers(Code::VEX_Kmovw_r32_kr, low, mask);
        }
        self.w.write(Code::Mov_rm64_r64, word(p, at), a);
    }

    fn put_vector(&mut self, p: Register, at: u32, v: Register) {
        /// Registers that the VEX encoding reaches.
        const VEX: usize = 16;
        let code = match (v.size(), v.number() < VEX) {
            (16, true) => Code::VEX_Vmovdqu_xmmm128_xmm,
            (32, true) => Code::VEX_Vmovdqu_ymmm256_ymm,
            (16, false) => Code::EVEX_Vmovdqu64_xmmm128_k1z_xmm,
            (32, false) => Code::EVEX_Vmovdqu64_ymmm256_k1z_ymm,
            _ => Code::EVEX_Vmovdqu64_zmmm512_k1z_zmm,
        };
        self.w.write(code, word(p, at), v);
    }

    /// Records the first three arguments of the call at the end of a block.
    pub(super) fn record_arguments(&mut self, b: usize, live: Live, resident: Option<Register>) {
        let Some(at) = self.setting.tracing.and_then(|t| t.plan.blocks[b].arguments) else { return };
        let arguments = [Register::RDI, Register::RSI, Register::RDX];
        let keep = arguments.iter().fold(0, |set: Gprs, r| set | set_of(*r));
        let need = Need { registers: usize::from(resident.is_none()), keep, ..Need::default() };
        let s = Scratch::borrow(&mut self.w, live, need);
        let p = resident.unwrap_or_else(|| s.registers[0]);
        self.reload(p, resident);
        for (register, k) in arguments.into_iter().zip(0..) {
            self.w.write(Code::Mov_rm64_r64, word(p, at + k), register);
        }
        s.give_back(&mut self.w);
    }

    /// Records that the function was called, or that a nest is entered or joined, at block `b`; `p` and `a` are free.
    /// Only blocks check for room: a few short records fit after the limit, and a block follows them.
    pub(super) fn record_arrival(
        &mut self,
        b: usize,
        kind: RecordKind,
        p: Register,
        a: Register,
        lowered: i64,
    ) {
        let Some(tracing) = self.setting.tracing else { return };
        self.put_id(p, tracing.id(b, kind));
        self.w.offset(a, Register::RSP, lowered);
        self.w.write(Code::Mov_rm64_r64, word(p, 1), a);
        if kind.words() > 2 {
            self.w.load(a, trace::NESTS);
            self.w.write(Code::Mov_rm64_r64, word(p, 2), a);
        }
        self.advance(p, i64::from(kind.words()) * 8, false);
    }

    /// Records that loops were left for block `b`; `p` is free.
    pub(super) fn record_departure(&mut self, b: usize, p: Register) {
        let Some(tracing) = self.setting.tracing else { return };
        self.w.load(p, trace::NEXT);
        self.put_id(p, tracing.id(b, RecordKind::Left));
        self.advance(p, i64::from(RecordKind::Left.words()) * 8, false);
    }

    /// Emits the exits of the second copy for full chunks.
    pub(super) fn overflows(&mut self) {
        for Overflow { label, scratch, block, free } in std::mem::take(&mut self.overflows) {
            self.w.place(label);
            if self.setting.tracing.is_some_and(|t| t.exhaustive) {
                let refused = self.w.label();
                self.ask_for_room(scratch.lowered, refused);
                scratch.clone().give_back(&mut self.w);
                let again = self.label(Which::Tracing, block).address();
                self.w.jump(again);
                self.w.place(refused);
            }
            self.stop_tracing(block, free);
            scratch.give_back(&mut self.w);
            let back = self.label(Which::Counting, block).address();
            self.w.jump(back);
        }
    }

    /// Ends recording at a block; changes flags and `free`. The rest of the chunk is for other loops.
    ///
    /// Functions further up the stack that are in the second copy continue there until they come here, too:
    /// they find no room, because `LIMIT` is 0 wherever a nest was left. Only the first returns the chunk.
    fn stop_tracing(&mut self, block: usize, free: Register) {
        let (full, done) = (self.w.label(), self.w.label());
        self.compare_zero(trace::NESTS);
        self.put_word(trace::NESTS, 0);
        self.put_word(trace::CHOSEN, 0);
        self.put_word(trace::LIMIT, 0);
        self.w.branch(Code::Jle_rel32_64, done.address());
        // The loop that filled it, and the one that started the recording.
        if let Some(share) = self.setting.tracing.and_then(|t| t.share(block)) {
            self.pass(share);
        }
        self.w.load(free, trace::WANTED);
        let at =
            MemoryOperand::new(free, Register::None, 1, i64::from(trace::SHARES), 8, false, Register::GS);
        self.w.memory_immediate(Code::Or_rm8_imm8, at, i32::from(trace::PASSED));
        self.w.load(free, trace::NEXT);
        self.w.read(Code::Cmp_r64_rm64, free, area(trace::END));
        self.w.branch(Code::Jae_rel32_64, full.address());
        self.put_word(trace::STATE, trace::LENT as i32);
        self.w.jump(done.address());
        self.w.place(full);
        self.put_word(trace::STATE, trace::FULL);
        self.w.place(done);
    }

    /// `mov qword gs:[offset], value`.
    pub(super) fn put_word(&mut self, offset: i32, value: i32) {
        self.w.memory_immediate(Code::Mov_rm64_imm32, area(offset), value);
    }

    /// Makes the tool take the full chunk and lend another; goes to `refused` when it does not. Flags are free.
    pub(super) fn ask_for_room(&mut self, lowered: i64, refused: Label) {
        let Some(tracing) = self.setting.tracing else { return };
        self.put_word(trace::STATE, trace::FULL);
        let down = if lowered == 0 { RED_ZONE } else { 0 };
        if down != 0 {
            self.w.offset(Register::RSP, Register::RSP, -down);
        }
        self.w.call(tracing.room);
        if down != 0 {
            self.w.offset(Register::RSP, Register::RSP, down);
        }
        self.w.memory_immediate(Code::Cmp_rm64_imm8, area(trace::STATE), trace::FULL);
        self.w.branch(Code::Je_rel32_64, refused.address());
    }
}

/// General registers in an operand's address.
fn mentioned(i: &Instruction) -> Gprs {
    let named = set_of(i.memory_base()) | set_of(i.memory_index());
    let implied = [Register::RCX, Register::RSI, Register::RDI];
    implied.iter().filter(|_| i.is_string_instruction()).fold(named, |set, r| set | set_of(*r))
}
