//! A list of instructions with labels.
//!
//! Labels are artificial addresses in a part of the address space that no program uses; the block encoder
//! resolves branches to them.

use crate::code::registers::lower_half;
use iced_x86::{Code, Instruction, MemoryOperand, OpKind, Register};
use std::collections::HashMap;

/// A place in the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Label(u64);

/// First artificial address: not canonical, so that no real target collides with it.
const FIRST: u64 = 0x4000_0000_0000_0000;

impl Label {
    /// Its artificial address for branches.
    pub fn address(self) -> u64 {
        self.0
    }

    /// Index in a table by label; `None` for real addresses. Those may be below 0, where code precedes a file
    /// whose addresses begin at 0.
    pub fn index_of(address: u64) -> Option<usize> {
        (FIRST..2 * FIRST).contains(&address).then(|| ((address - FIRST) >> 4) as usize)
    }
}

/// Collects instructions.
#[derive(Debug, Default)]
pub struct Writer {
    /// The instructions; `ip` holds each one's own label.
    pub code: Vec<Instruction>,
    /// Places to align: index of the instruction and alignment.
    pub aligned: Vec<usize>,
    labels: u64,
    pending: Vec<Label>,
    aliases: HashMap<u64, u64>,
    first: u64,
}

/// A memory operand in the counter area of the running thread.
pub fn area(offset: i32) -> MemoryOperand {
    MemoryOperand::new(Register::None, Register::None, 1, i64::from(offset), 8, false, Register::GS)
}

impl Writer {
    /// An empty list.
    pub fn new() -> Self {
        Self { first: FIRST, ..Self::default() }
    }

    /// A label to be placed later.
    pub fn label(&mut self) -> Label {
        self.labels += 1;
        Label(self.first + (self.labels << 4))
    }

    /// Places a label before the next instruction.
    pub fn place(&mut self, label: Label) {
        self.pending.push(label);
    }

    /// Aligns the next instruction.
    pub fn align(&mut self) {
        self.aligned.push(self.code.len());
    }

    /// Appends an instruction.
    pub fn push(&mut self, mut i: Instruction) {
        let mut names = std::mem::take(&mut self.pending).into_iter();
        let own = names.next().unwrap_or_else(|| self.label());
        for other in names {
            self.aliases.insert(other.0, own.0);
        }
        i.set_ip(own.0);
        self.code.push(i);
    }

    /// The address of the instruction that the label precedes.
    pub fn resolve(&self, address: u64) -> u64 {
        self.aliases.get(&address).copied().unwrap_or(address)
    }

    /// Closes the list: branches use their target instruction's own label.
    pub fn finish(&mut self) {
        if !self.pending.is_empty() {
            self.push(Instruction::with(Code::Ud2));
        }
        for i in &mut self.code {
            if i.op_count() > 0 && i.op0_kind() == OpKind::NearBranch64 {
                let target = self.aliases.get(&i.near_branch64()).copied();
                i.set_near_branch64(target.unwrap_or(i.near_branch64()));
            } else if i.is_ip_rel_memory_operand()
                && let Some(target) = self.aliases.get(&i.memory_displacement64())
            {
                i.set_memory_displacement64(*target);
            }
        }
    }

    fn made(&mut self, i: Result<Instruction, iced_x86::IcedError>) {
        // The codes used below take these operands: an error would be a typo that every test finds.
        self.push(i.expect("operands fit the instruction"));
    }

    /// `jmp target` (a label or an original address).
    pub fn jump(&mut self, target: u64) {
        self.made(Instruction::with_branch(Code::Jmp_rel32_64, target));
    }

    /// A conditional jump.
    pub fn branch(&mut self, code: Code, target: u64) {
        self.made(Instruction::with_branch(code, target));
    }

    /// `call target`.
    pub fn call(&mut self, target: u64) {
        self.made(Instruction::with_branch(Code::Call_rel32_64, target));
    }

    /// `inc qword gs:[offset]`: one instruction, so that a signal cannot come in between.
    pub fn increment(&mut self, offset: i32) {
        self.made(Instruction::with1(Code::Inc_rm64, area(offset)));
    }

    /// `dec gs:offset`.
    pub fn decrement(&mut self, offset: i32) {
        self.made(Instruction::with1(Code::Dec_rm64, area(offset)));
    }

    /// `op a, b`.
    pub fn registers(&mut self, code: Code, a: Register, b: Register) {
        self.made(Instruction::with2(code, a, b));
    }

    /// `op register, memory`.
    pub fn read(&mut self, code: Code, a: Register, b: MemoryOperand) {
        self.made(Instruction::with2(code, a, b));
    }

    /// `op memory, register`.
    pub fn write(&mut self, code: Code, a: MemoryOperand, b: Register) {
        self.made(Instruction::with2(code, a, b));
    }

    /// `op memory, immediate`.
    pub fn memory_immediate(&mut self, code: Code, a: MemoryOperand, b: i32) {
        self.made(Instruction::with2(code, a, b));
    }

    /// `op register, immediate`.
    pub fn immediate(&mut self, code: Code, a: Register, b: i32) {
        self.made(Instruction::with2(code, a, b));
    }

    /// `mov register, value`.
    pub fn constant(&mut self, a: Register, value: u64) {
        if value == 0 {
            self.made(Instruction::with2(Code::Mov_r32_imm32, lower_half(a), 0u32));
        } else {
            self.made(Instruction::with2(Code::Mov_r64_imm64, a, value));
        }
    }

    /// `op register`.
    pub fn one(&mut self, code: Code, a: Register) {
        self.made(Instruction::with1(code, a));
    }

    /// An instruction without operands.
    pub fn plain(&mut self, code: Code) {
        self.push(Instruction::with(code));
    }

    /// `mov register, gs:[offset]`.
    pub fn load(&mut self, a: Register, offset: i32) {
        self.read(Code::Mov_r64_rm64, a, area(offset));
    }

    /// `mov gs:[offset], register`.
    pub fn store(&mut self, offset: i32, a: Register) {
        self.write(Code::Mov_rm64_r64, area(offset), a);
    }

    /// `lea a, [label]`.
    pub fn address(&mut self, a: Register, label: Label) {
        self.offset(a, Register::RIP, label.address() as i64);
    }

    /// `lea a, [base + displacement]`.
    pub fn offset(&mut self, a: Register, base: Register, displacement: i64) {
        self.read(Code::Lea_r64_m, a, MemoryOperand::with_base_displ(base, displacement));
    }
}
