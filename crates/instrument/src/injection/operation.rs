//! The neutral instructions: each occupies one resource for a while and changes nothing but registers that are free and words of
//! our own.
//!
//! Operations of one version are independent of each other and of the program's values, so that they wait for ports only. A
//! floating-point operation is preceded by the idiom that clears its register, which processors resolve when they rename it
//! (Intel Optimization Reference Manual, "Dependency Breaking Idioms"; AMD Software Optimization Guide for Family 19h,
//! "Zeroing idioms"): 0 + 0 and 0 * 0 are exact, and 1 / 1 is, so no status flag of MXCSR changes and nothing traps. What one
//! operation costs, idiom included, is measured on this machine ([`super::calibrate`]).

use crate::code::registers::lower_half;
use crate::emit::writer::Writer;
use iced_x86::{Code, Instruction, MemoryOperand, Register};
use loopwright_vocabulary::{Resource, VectorWidth};

/// How vector instructions are encoded and how wide they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Encoding {
    /// Without VEX prefix: keeps the upper bits of its register.
    Legacy,
    Vex128,
    Vex256,
    Evex512,
}

impl Encoding {
    /// Width of the operations.
    pub fn width(self) -> VectorWidth {
        match self {
            Self::Legacy | Self::Vex128 => VectorWidth::Bits128,
            Self::Vex256 => VectorWidth::Bits256,
            Self::Evex512 => VectorWidth::Bits512,
        }
    }
}

/// What operations may use.
pub struct Means<'a> {
    /// A general register without a value.
    pub spare: Option<Register>,
    /// A general register that the loop does not write. (Not the stack pointer: arithmetic with it runs once per cycle on Zen 4.)
    pub source: Register,
    /// An XMM register without a value, and the encoding of operations on it.
    pub vector: Option<(Register, Encoding)>,
    /// A word of our own memory: loads read one, stores write others, one holds 1.0.
    pub word: &'a dyn Fn(Word) -> MemoryOperand,
    /// For lines of each level of memory.
    pub walks: Walks,
}

/// What walks through our own memory need. The lines are those that `base + (offset - counter * 64 * lines) mod size` begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Walks {
    /// Bytes that are walked through for each level, powers of two: 0 where there are none.
    pub bytes: WalkBytes,
    /// A register that differs by one from iteration to iteration; else the word [`Word::Counter`] does.
    pub counter: Option<Register>,
}

/// Bytes that are walked through.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WalkBytes {
    /// More than the first-level cache, less than the second.
    pub l2: u32,
    /// More than the second-level cache, less than the third.
    pub l3: u32,
    /// More than all caches.
    pub memory: u32,
}

impl WalkBytes {
    /// Those of a level; 0 where there are none.
    pub fn of(&self, resource: Resource) -> u32 {
        match resource {
            Resource::L2Lines => self.l2,
            Resource::L3Lines => self.l3,
            Resource::MemoryLines | Resource::ScatteredLines => self.memory,
            _ => 0,
        }
    }

    /// Bytes of the memory that holds them: a walk may begin its last step at the end.
    pub fn all(&self) -> u64 {
        let most = u64::from(self.l2.max(self.l3).max(self.memory));
        if most > 0 { most + u64::from(LINE) * u64::from(MOST_LINES) } else { 0 }
    }
}

/// Bytes of a cache line on all x86-64 processors.
pub const LINE: u32 = 64;
/// Most lines in an iteration.
pub const MOST_LINES: u32 = 64;

/// Words of our own memory that operations use, those of loads and stores in cache lines of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word {
    Loaded,
    /// One of [`STORED_LINES`].
    Stored(usize),
    One,
    Counter,
    Offset,
    Base,
}

/// Lines that stores go to in turn.
pub const STORED_LINES: usize = 4;

/// The operations of one place in an iteration.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// Number of the first.
    pub first: u32,
    pub count: u32,
    /// Those of all places.
    pub all: u32,
}

impl Part {
    /// All in one place.
    pub fn whole(count: u32) -> Self {
        Self { first: 0, count, all: count }
    }
}

/// `nopl (%rax)`: three bytes, about an average instruction.
pub fn nothing() -> Instruction {
    let operand = MemoryOperand::with_base(Register::RAX);
    Instruction::with1(Code::Nop_rm32, operand).expect("a nop of one operand")
}

impl Means<'_> {
    /// Whether operations of this kind can be written.
    pub fn suffice(&self, resource: Resource) -> bool {
        match resource {
            Resource::FrontEnd | Resource::TakenBranches | Resource::Integer | Resource::Stores => true,
            Resource::Shift | Resource::Multiply | Resource::Loads => self.spare.is_some(),
            _ if resource.is_memory() => self.spare.is_some() && self.walks.bytes.of(resource) > 0,
            _ => self.vector.is_some(),
        }
    }

    /// Writes operations. The status flags must be free.
    pub fn write(&self, w: &mut Writer, resource: Resource, part: Part) {
        match resource {
            Resource::ScatteredLines => return self.scatter(w, self.walks.bytes.of(resource), part),
            _ if resource.is_memory() => return self.walk(w, self.walks.bytes.of(resource), part),
            _ => {}
        }
        for number in part.first..part.first + part.count {
            self.one(w, resource, number);
        }
    }

    fn one(&self, w: &mut Writer, resource: Resource, number: u32) {
        match resource {
            Resource::FrontEnd => w.push(nothing()),
            Resource::TakenBranches => {
                let next = w.label();
                w.jump(next.address());
                w.place(next);
            }
            Resource::Integer => match self.spare {
                Some(spare) => w.offset(spare, self.source, 8),
                None => w.registers(Code::Test_rm64_r64, self.source, self.source),
            },
            Resource::Shift => {
                // Of BMI2: neither flags nor the register's old value are needed.
                let Some(spare) = self.spare else { return };
                let i = Instruction::with3(Code::VEX_Rorx_r64_rm64_imm8, spare, self.source, 8);
                w.push(i.expect("a rotation by a constant"));
            }
            Resource::Multiply => {
                let Some(spare) = self.spare else { return };
                let i = Instruction::with3(Code::Imul_r64_rm64_imm8, spare, self.source, 3i32);
                w.push(i.expect("a multiplication by a constant"));
            }
            Resource::Loads => {
                let Some(spare) = self.spare else { return };
                w.read(Code::Mov_r32_rm32, lower_half(spare), (self.word)(Word::Loaded));
            }
            Resource::Stores => {
                let to = (self.word)(Word::Stored(number as usize % STORED_LINES));
                w.write(Code::Mov_rm64_r64, to, self.source);
            }
            Resource::VectorStores => self.store(w, number),
            Resource::FloatAdd | Resource::FloatMultiply => self.float(w, resource),
            Resource::FloatDivide => self.divide(w),
            Resource::L2Lines | Resource::L3Lines | Resource::MemoryLines | Resource::ScatteredLines => {}
        }
    }

    /// Reads consecutive lines; the next iteration reads those behind all of this one.
    fn walk(&self, w: &mut Writer, bytes: u32, part: Part) {
        let Some(spare) = self.spare.filter(|_| bytes.is_power_of_two() && part.count > 0) else { return };
        let lines = part.all.min(MOST_LINES);
        // The counter falls, so that addresses ascend, as prefetchers like them.
        let step = -((LINE * lines) as i32);
        let scaled = match self.walks.counter {
            Some(counter) => Instruction::with3(Code::Imul_r64_rm64_imm32, spare, counter, step),
            None => Instruction::with3(Code::Imul_r64_rm64_imm32, spare, (self.word)(Word::Counter), step),
        };
        w.push(scaled.expect("a multiplication by a constant"));
        w.read(Code::Add_r64_rm64, spare, (self.word)(Word::Offset));
        w.immediate(Code::And_rm64_imm32, spare, (bytes - LINE) as i32);
        w.read(Code::Add_r64_rm64, spare, (self.word)(Word::Base));
        for line in part.first..(part.first + part.count).min(lines) {
            let at = MemoryOperand::with_base_displ(spare, i64::from(LINE * line));
            w.memory_immediate(Code::Cmp_rm8_imm8, at, 0);
        }
    }

    /// Reads lines at scattered addresses, all independent of each other; the next iteration reads others.
    fn scatter(&self, w: &mut Writer, bytes: u32, part: Part) {
        /// The golden ratio as a fraction of 2^31, odd: multiples of it spread evenly (D. E. Knuth, TAOCP 3, 6.4).
        const SPREAD: u64 = 0x4f1b_bcdd;
        let Some(spare) = self.spare.filter(|_| bytes.is_power_of_two()) else { return };
        for number in part.first..part.first + part.count {
            // Another odd multiple for each, so that they do not follow one another.
            let factor = (SPREAD.wrapping_mul(2 * u64::from(number) + 1) & 0x7fff_ffff) as i32;
            let scaled = match self.walks.counter {
                Some(counter) => Instruction::with3(Code::Imul_r64_rm64_imm32, spare, counter, factor),
                None => {
                    Instruction::with3(Code::Imul_r64_rm64_imm32, spare, (self.word)(Word::Counter), factor)
                }
            };
            w.push(scaled.expect("a multiplication by a constant"));
            w.read(Code::Add_r64_rm64, spare, (self.word)(Word::Offset));
            w.immediate(Code::And_rm64_imm32, spare, (bytes - LINE) as i32);
            w.read(Code::Add_r64_rm64, spare, (self.word)(Word::Base));
            w.memory_immediate(Code::Cmp_rm8_imm8, MemoryOperand::with_base(spare), 0);
        }
    }

    /// Stores a vector of the loop's width, at most 256 bits: a [`Word::Stored`] has no more room.
    fn store(&self, w: &mut Writer, number: u32) {
        let Some((low, encoding)) = self.vector else { return };
        let to = (self.word)(Word::Stored(number as usize % STORED_LINES));
        // Clears the register first: who wrote it last may not have ended.
        match encoding {
            Encoding::Legacy => {
                w.registers(Code::Xorps_xmm_xmmm128, low, low);
                w.write(Code::Movups_xmmm128_xmm, to, low);
            }
            Encoding::Vex128 => {
                three(w, Code::VEX_Vxorps_xmm_xmm_xmmm128, low);
                w.write(Code::VEX_Vmovups_xmmm128_xmm, to, low);
            }
            Encoding::Vex256 | Encoding::Evex512 => {
                three(w, Code::VEX_Vxorps_xmm_xmm_xmmm128, low);
                w.write(Code::VEX_Vmovups_ymmm256_ymm, to, Register::YMM0 + low.number() as u32);
            }
        }
    }

    fn float(&self, w: &mut Writer, resource: Resource) {
        let Some((low, encoding)) = self.vector else { return };
        let adds = resource == Resource::FloatAdd;
        let code = match (encoding, adds) {
            (Encoding::Legacy, true) => Code::Addps_xmm_xmmm128,
            (Encoding::Legacy, false) => Code::Mulps_xmm_xmmm128,
            (Encoding::Vex128, true) => Code::VEX_Vaddps_xmm_xmm_xmmm128,
            (Encoding::Vex128, false) => Code::VEX_Vmulps_xmm_xmm_xmmm128,
            (Encoding::Vex256, true) => Code::VEX_Vaddps_ymm_ymm_ymmm256,
            (Encoding::Vex256, false) => Code::VEX_Vmulps_ymm_ymm_ymmm256,
            (Encoding::Evex512, true) => Code::EVEX_Vaddps_zmm_k1z_zmm_zmmm512b32_er,
            (Encoding::Evex512, false) => Code::EVEX_Vmulps_zmm_k1z_zmm_zmmm512b32_er,
        };
        let number = low.number() as u32;
        let wide = match encoding {
            Encoding::Legacy | Encoding::Vex128 => low,
            Encoding::Vex256 => Register::YMM0 + number,
            Encoding::Evex512 => Register::ZMM0 + number,
        };
        if encoding == Encoding::Legacy {
            w.registers(Code::Xorps_xmm_xmmm128, low, low);
            w.registers(code, low, low);
        } else {
            // Clears all of the register.
            three(w, Code::VEX_Vxorps_xmm_xmm_xmmm128, low);
            three(w, code, wide);
        }
    }

    fn divide(&self, w: &mut Writer) {
        let Some((low, encoding)) = self.vector else { return };
        let one = (self.word)(Word::One);
        if encoding == Encoding::Legacy {
            w.read(Code::Movsd_xmm_xmmm64, low, one);
            w.registers(Code::Divsd_xmm_xmmm64, low, low);
        } else {
            w.read(Code::VEX_Vmovsd_xmm_m64, low, one);
            three(w, Code::VEX_Vdivsd_xmm_xmm_xmmm64, low);
        }
    }
}

/// `op r, r, r`.
fn three(w: &mut Writer, code: Code, r: Register) {
    w.push(Instruction::with3(code, r, r, r).expect("operands fit the instruction"));
}

#[cfg(test)]
mod tests {
    use super::*;
    use iced_x86::{InstructionInfoFactory, OpAccess, OpKind};

    const ENCODINGS: [Encoding; 4] =
        [Encoding::Legacy, Encoding::Vex128, Encoding::Vex256, Encoding::Evex512];

    const WALKS: Walks = Walks {
        bytes: WalkBytes { l2: 1 << 18, l3: 1 << 22, memory: 1 << 27 },
        counter: Some(Register::R14),
    };

    fn written(encoding: Encoding, spare: Option<Register>, resource: Resource) -> Vec<Instruction> {
        let word = |word: Word| {
            let line = match word {
                Word::Stored(line) => line as i64,
                Word::Loaded => 4,
                Word::One => 5,
                Word::Counter => 6,
                Word::Offset => 7,
                Word::Base => 8,
            };
            MemoryOperand::with_base_displ(Register::R15, 64 * line)
        };
        let vector = Some((Register::XMM9, encoding));
        let means = Means { spare, source: Register::RBX, vector, word: &word, walks: WALKS };
        let mut w = Writer::new();
        means.write(&mut w, resource, Part::whole(3));
        w.finish();
        w.code
    }

    /// Nothing but the free registers and the word for stores is written, whatever the kind.
    #[test]
    fn only_what_is_free_is_written() {
        let mut factory = InstructionInfoFactory::new();
        for encoding in ENCODINGS {
            for spare in [None, Some(Register::RCX)] {
                for resource in Resource::ALL {
                    for i in written(encoding, spare, resource) {
                        for used in factory.info(&i).used_registers() {
                            let reads = matches!(
                                used.access(),
                                OpAccess::Read | OpAccess::CondRead | OpAccess::NoMemAccess
                            );
                            let full = used.register().full_register();
                            let free = full == Register::RCX && spare.is_some() || full == Register::ZMM9;
                            assert!(reads || free, "{resource:?}: {i} writes {:?}", used.register());
                        }
                        let memory = factory.info(&i).used_memory().to_vec();
                        assert!(
                            memory.iter().all(|m| m.access() != OpAccess::Write
                                || m.displacement() < 64 * STORED_LINES as u64),
                            "{i}"
                        );
                        assert!((0..i.op_count()).all(|k| i.op_kind(k) != OpKind::FarBranch32));
                    }
                }
            }
        }
    }

    #[test]
    fn what_cannot_be_written_is_not_offered() {
        let word = |_: Word| MemoryOperand::with_base(Register::R15);
        let none = Means { spare: None, source: Register::RBX, vector: None, word: &word, walks: WALKS };
        let left: Vec<Resource> = Resource::ALL.into_iter().filter(|r| !none.suffice(*r)).collect();
        use Resource::{
            FloatAdd, FloatDivide, FloatMultiply, L2Lines, L3Lines, Loads, MemoryLines, Multiply,
            ScatteredLines, Shift, VectorStores,
        };
        assert_eq!(
            left,
            [
                Shift,
                Multiply,
                Loads,
                VectorStores,
                FloatAdd,
                FloatMultiply,
                FloatDivide,
                L2Lines,
                L3Lines,
                MemoryLines,
                ScatteredLines
            ]
        );
        for resource in left {
            let mut w = Writer::new();
            none.write(&mut w, resource, Part::whole(2));
            assert!(w.code.is_empty());
        }
    }
}
