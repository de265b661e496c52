//! General registers and status flags as small sets, and what an instruction does to them.

use iced_x86::{
    FlowControl, Instruction, InstructionInfoFactory, Mnemonic, OpAccess, OpKind, Register, RflagsBits,
};

/// A set of general registers, by number (`rax` is bit 0, `r15` bit 15).
pub type Gprs = u16;

/// A set of status flags; see [`CARRY`] and its neighbours.
pub type Flags = u8;

pub const OVERFLOW: Flags = 1;
pub const CARRY: Flags = 1 << 4;
/// All six status flags.
pub const ALL_FLAGS: Flags = 0x3f;

/// All general registers.
pub const ALL_GPRS: Gprs = 0xffff;

/// The stack pointer.
pub const RSP: Gprs = 1 << 4;

/// Registers that a callee may change under the System V ABI: rax, rcx, rdx, rsi, rdi, r8-r11.
pub const CALLER_SAVED: Gprs = 0b0000_1111_1100_0111;

/// The 64-bit register with this number.
pub fn gpr(number: usize) -> Register {
    Register::RAX + number as u32
}

/// The lower half of a general register.
pub fn lower_half(register: Register) -> Register {
    Register::EAX + register.number() as u32
}

/// The number of a general register of any width.
pub fn number_of(register: Register) -> Option<usize> {
    register.is_gpr().then(|| register.full_register().number())
}

/// The set that holds this register, empty for others than general ones.
pub fn set_of(register: Register) -> Gprs {
    number_of(register).map_or(0, |n| 1 << n)
}

/// The effect of an instruction on general registers and flags.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effect {
    /// Registers read.
    pub reads: Gprs,
    /// Registers overwritten completely.
    pub kills: Gprs,
    /// Registers written, also partly or conditionally.
    pub writes: Gprs,
    pub flags_read: Flags,
    /// Flags that are certainly overwritten.
    pub flags_killed: Flags,
}

impl Effect {
    /// Registers that the instruction names.
    pub fn touches(&self) -> Gprs {
        self.reads | self.writes
    }

    /// The effect of `i`.
    pub fn of(factory: &mut InstructionInfoFactory, i: &Instruction) -> Self {
        let mut e =
            Self { flags_read: pack(i.rflags_read()), flags_killed: killed_flags(i), ..Self::default() };
        for used in factory.info(i).used_registers() {
            let register = used.register();
            let Some(number) = number_of(register) else { continue };
            let bit: Gprs = 1 << number;
            let whole = register.is_gpr64() || register.is_gpr32();
            match used.access() {
                OpAccess::Read | OpAccess::CondRead => e.reads |= bit,
                OpAccess::Write => {
                    e.writes |= bit;
                    if whole {
                        e.kills |= bit;
                    } else {
                        // The rest of the register survives, as if it were read.
                        e.reads |= bit;
                    }
                }
                OpAccess::CondWrite => e.writes |= bit,
                OpAccess::ReadWrite | OpAccess::ReadCondWrite => {
                    e.reads |= bit;
                    e.writes |= bit;
                }
                _ => {}
            }
        }
        if may_keep_flags(i) {
            e.flags_killed = 0;
        }
        // The kernel and a callee may read anything and keep anything, flags too; the code after the call may
        // rely on either.
        if matches!(i.flow_control(), FlowControl::Call | FlowControl::IndirectCall | FlowControl::Interrupt)
        {
            e.reads = ALL_GPRS;
            e.kills = 0;
            e.writes |= CALLER_SAVED;
            e.flags_read = ALL_FLAGS;
            e.flags_killed = 0;
        }
        e
    }
}

fn pack(bits: u32) -> Flags {
    let flags =
        [RflagsBits::OF, RflagsBits::SF, RflagsBits::ZF, RflagsBits::AF, RflagsBits::CF, RflagsBits::PF];
    flags.iter().enumerate().fold(0, |set, (k, flag)| if bits & flag != 0 { set | 1 << k } else { set })
}

/// Flags that do not depend on what they were before the instruction.
///
/// Where the manuals call a flag undefined, a processor may leave it as it was (AMD's do after `bt`, `bsf`, `mul`,
/// `div`). All of them compute AF in logical operations and shifts, and OF in shifts, from the operands alone.
fn killed_flags(i: &Instruction) -> Flags {
    let defined = i.rflags_written() | i.rflags_cleared() | i.rflags_set();
    let computed = match i.mnemonic() {
        Mnemonic::And | Mnemonic::Or | Mnemonic::Xor | Mnemonic::Test => RflagsBits::AF,
        Mnemonic::Shl | Mnemonic::Sal | Mnemonic::Shr | Mnemonic::Sar => RflagsBits::AF | RflagsBits::OF,
        _ => 0,
    };
    pack(defined | i.rflags_undefined() & computed)
}

/// Shifts by a count that may be zero and repeated string instructions that may run zero times leave
/// the flags as they were (Intel SDM, volume 2, SAL/SAR/SHL/SHR and REP).
fn may_keep_flags(i: &Instruction) -> bool {
    let shift = matches!(
        i.mnemonic(),
        Mnemonic::Shl
            | Mnemonic::Shr
            | Mnemonic::Sar
            | Mnemonic::Sal
            | Mnemonic::Rol
            | Mnemonic::Ror
            | Mnemonic::Rcl
            | Mnemonic::Rcr
            | Mnemonic::Shld
            | Mnemonic::Shrd
    );
    let by_register =
        (0..i.op_count()).any(|k| i.op_kind(k) == OpKind::Register && i.op_register(k) == Register::CL);
    let by_zero = i.op_count() >= 2
        && i.op_kind(i.op_count() - 1) == OpKind::Immediate8
        && i.immediate8() & if i.op0_register().is_gpr64() { 0x3f } else { 0x1f } == 0;
    shift && (by_register || by_zero) || i.has_rep_prefix() || i.has_repne_prefix()
}

#[cfg(test)]
mod tests {
    use super::*;
    use iced_x86::code_asm::*;

    fn effect(build: impl FnOnce(&mut CodeAssembler)) -> Effect {
        let mut a = CodeAssembler::new(64).unwrap();
        build(&mut a);
        Effect::of(&mut InstructionInfoFactory::new(), &a.instructions()[0])
    }

    #[test]
    fn a_narrow_write_keeps_the_rest_of_the_register() {
        let narrow = effect(|a| a.mov(al, 1).unwrap());
        assert_eq!((narrow.reads, narrow.kills, narrow.writes), (1, 0, 1));
        let whole = effect(|a| a.mov(eax, 1).unwrap());
        assert_eq!((whole.reads, whole.kills, whole.writes), (0, 1, 1));
    }

    #[test]
    fn a_shift_by_a_register_may_leave_the_flags_alone() {
        assert_eq!(effect(|a| a.shl(rax, cl).unwrap()).flags_killed, 0);
        assert_ne!(effect(|a| a.shl(rax, 1).unwrap()).flags_killed, 0);
    }

    #[test]
    fn an_increment_keeps_the_carry() {
        assert_eq!(effect(|a| a.inc(rax).unwrap()).flags_killed, ALL_FLAGS & !CARRY);
        assert_eq!(effect(|a| a.add(rax, 1).unwrap()).flags_killed, ALL_FLAGS);
    }

    #[test]
    fn a_call_kills_no_register_and_no_flag() {
        let call = effect(|a| a.call(rax).unwrap());
        assert_eq!((call.reads, call.kills), (ALL_GPRS, 0));
        assert_eq!((call.flags_read, call.flags_killed), (ALL_FLAGS, 0));
    }

    #[test]
    fn what_the_manual_leaves_undefined_may_survive() {
        assert_eq!(effect(|a| a.bt(rax, 3).unwrap()).flags_killed, CARRY);
        assert_eq!(effect(|a| a.test(rax, rax).unwrap()).flags_killed, ALL_FLAGS);
        // A bit scan of zero leaves its destination as it was (AMD64 Architecture Programmer's Manual, volume 3).
        assert_eq!(effect(|a| a.bsf(rax, rcx).unwrap()).kills, 0);
    }
}
