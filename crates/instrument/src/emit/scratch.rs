//! Borrowing registers and flags from the program.
//!
//! Dead registers cost nothing. A live one is saved on the stack below the red zone (System V ABI, 3.2.2),
//! never in a shared slot: a signal handler may run the same code. Live status flags are saved with `lahf`
//! and `seto`, which unlike `pushfq`/`popfq` take a cycle or two.

use super::writer::Writer;
use crate::code::liveness::Live;
use crate::code::registers::{Flags, Gprs, OVERFLOW, RSP, gpr, set_of};
use iced_x86::{Code, MemoryOperand, Register};

/// Bytes below the stack pointer that a function may use without moving it.
pub const RED_ZONE: i64 = 128;

/// In order of preference: caller-saved ones have the shortest encodings among those often dead.
const ORDER: [usize; 15] = [0, 1, 2, 6, 7, 8, 9, 10, 11, 3, 5, 12, 13, 14, 15];

/// Registers on loan.
#[derive(Clone, Debug)]
pub struct Scratch {
    /// Registers that may be used until [`Scratch::give_back`].
    pub registers: Vec<Register>,
    pushed: Vec<Register>,
    flags: Saved,
    /// Bytes by which the stack pointer is below the program's.
    pub lowered: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Saved {
    /// The flags are dead, or not changed.
    Nothing,
    /// In rax, which was dead or is pushed.
    InRax { overflow: bool },
    /// On the stack, with rax above; with `reload` the code in between reads the program's rax, in which they
    /// were collected.
    OnStack { overflow: bool, reload: bool },
}

/// The requirements of a piece of code.
#[derive(Clone, Copy, Debug, Default)]
pub struct Need {
    /// Number of registers.
    pub registers: usize,
    /// rcx must be the last of them (for shifts by `cl`).
    pub rcx: bool,
    /// rax and rdx must be the first of them (the time-stamp counter is read into these).
    pub clock: bool,
    /// It changes the flags.
    pub flags: bool,
    /// Registers that must not be borrowed although dead: the code reads them.
    pub keep: Gprs,
}

impl Scratch {
    /// Borrows what `need` requires where `live` is live.
    pub fn borrow(w: &mut Writer, live: Live, need: Need) -> Self {
        let busy = live.gprs | need.keep | RSP;
        let flags: Flags = if need.flags { live.flags } else { 0 };
        let overflow = flags & OVERFLOW != 0;
        let mut registers = Vec::new();
        let mut pushed = Vec::new();
        let rax_dead = busy & 1 == 0;
        // With rax dead the flags are kept there, unless registers run short.
        let reserved: Gprs = if flags != 0 && rax_dead && !need.clock { 1 } else { 0 };
        if need.clock {
            for r in [Register::RAX, Register::RDX] {
                registers.push(r);
                if busy & set_of(r) != 0 {
                    pushed.push(r);
                }
            }
        }
        if need.rcx {
            registers.push(Register::RCX);
            if busy >> 1 & 1 == 1 {
                pushed.push(Register::RCX);
            }
        }
        let taken = |r: &[Register]| r.iter().fold(0, |set: Gprs, r| set | set_of(*r));
        for dead in [true, false] {
            for n in ORDER {
                let bit: Gprs = 1 << n;
                let usable = (taken(&registers) | reserved | need.keep | RSP) & bit == 0;
                if registers.len() < need.registers && usable && (busy & bit == 0) == dead {
                    registers.push(gpr(n));
                    if !dead {
                        pushed.push(gpr(n));
                    }
                }
            }
        }
        if need.rcx {
            registers.rotate_left(1);
        }
        let rax_lent = taken(&registers) & 1 != 0;
        let saved = match flags {
            0 => Saved::Nothing,
            _ if reserved != 0 => Saved::InRax { overflow },
            _ => {
                if !rax_lent && !rax_dead {
                    pushed.push(Register::RAX);
                }
                Saved::OnStack { overflow, reload: need.keep & 1 != 0 }
            }
        };
        let mut this = Self { registers, pushed, flags: saved, lowered: 0 };
        this.open(w);
        this
    }

    /// Nothing has to be restored.
    pub fn is_empty(&self) -> bool {
        self.pushed.is_empty() && self.flags == Saved::Nothing
    }

    fn open(&mut self, w: &mut Writer) {
        let on_stack = matches!(self.flags, Saved::OnStack { .. });
        if on_stack || !self.pushed.is_empty() {
            w.offset(Register::RSP, Register::RSP, -RED_ZONE);
            self.lowered = RED_ZONE;
        }
        for &r in &self.pushed {
            w.one(Code::Push_r64, r);
            self.lowered += 8;
        }
        if let Saved::InRax { overflow } | Saved::OnStack { overflow, .. } = self.flags {
            w.plain(Code::Lahf);
            if overflow {
                w.one(Code::Seto_rm8, Register::AL);
            }
        }
        if on_stack {
            w.one(Code::Push_r64, Register::RAX);
            self.lowered += 8;
        }
        if let Saved::OnStack { reload: true, .. } = self.flags {
            // It was the last to be pushed before the flags.
            w.read(Code::Mov_r64_rm64, Register::RAX, MemoryOperand::with_base_displ(Register::RSP, 8));
        }
    }

    /// Restores everything.
    pub fn give_back(self, w: &mut Writer) {
        if matches!(self.flags, Saved::OnStack { .. }) {
            w.one(Code::Pop_r64, Register::RAX);
        }
        if let Saved::InRax { overflow } | Saved::OnStack { overflow, .. } = self.flags {
            if overflow {
                // 1 + 127 overflows, 0 + 127 does not.
                w.immediate(Code::Add_rm8_imm8, Register::AL, 0x7f);
            }
            w.plain(Code::Sahf);
        }
        for &r in self.pushed.iter().rev() {
            w.one(Code::Pop_r64, r);
        }
        if self.lowered != 0 {
            w.offset(Register::RSP, Register::RSP, RED_ZONE);
        }
    }
}
