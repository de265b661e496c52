//! Straight pieces of code: a few instructions that can always run, whatever the registers hold.
//!
//! Undefined results of instructions are not used: the adjust flag is never read, and where an instruction
//! leaves other flags undefined, one that defines them follows.

use super::features::Features;
use super::model::Level;
use super::registers::{RAX, RCX, RDI, RDX, RSI, Register, Set, members};
use super::vectors;
use crate::random::Random;

/// Bytes of a scenario's data that pieces read and write anywhere.
pub const SOUP_BYTES: u64 = 2048;
/// Start of the operands of string instructions; they stay within 256 bytes in both directions.
const STRINGS: u64 = 2048 + 512;
/// Start of the slots of eight bytes, each of which belongs to one part of the program.
pub const SLOTS: u32 = 3200;
/// Number of slots: up to the end of the data.
pub const SLOT_COUNT: u32 = (4096 - SLOTS) / 8;

/// Conditions of branches, `cmov` and `set`.
pub const CONDITIONS: [&str; 16] =
    ["o", "no", "b", "ae", "e", "ne", "be", "a", "s", "ns", "p", "np", "l", "ge", "le", "g"];

/// Writes pieces under the constraints of a place.
pub struct Pen<'a> {
    /// Random numbers.
    pub random: &'a mut Random,
    /// Features that may be used.
    pub features: Features,
    /// Vector instructions.
    pub level: Level,
    /// Registers that may be written.
    pub writable: Set,
    /// Registers that were written.
    pub written: Set,
    /// The stack pointer must not change.
    pub leaf: bool,
}

impl Pen<'_> {
    /// Any register to read, except the stack pointer.
    pub fn any(&mut self) -> Register {
        loop {
            let r = Register(self.random.below(16) as u8);
            if r.0 != 4 {
                return r;
            }
        }
    }

    /// A register to write, if there is one.
    pub fn free(&mut self) -> Option<Register> {
        let choices = members(self.writable);
        if choices.is_empty() {
            return None;
        }
        let chosen = self.random.pick(&choices);
        self.written |= chosen.bit();
        Some(chosen)
    }

    /// These registers, if all of them may be written.
    pub fn take(&mut self, registers: &[Register]) -> bool {
        let set = registers.iter().fold(0, |set, r| set | r.bit());
        let can = self.writable & set == set;
        if can {
            self.written |= set;
        }
        can
    }

    /// An operand in memory.
    pub fn memory(&mut self, bytes: u64) -> String {
        let offset = self.random.below((SOUP_BYTES - bytes) / bytes.min(8)) * bytes.min(8);
        format!("@D+{offset}")
    }

    fn width(&mut self) -> u32 {
        self.random.pick(&[8, 8, 8, 4, 4, 4, 2, 1])
    }

    fn immediate(&mut self) -> String {
        let value = match self.random.below(4) {
            0 => self.random.below(4) as i64,
            1 => self.random.below(256) as i64 - 128,
            2 => i64::from(self.random.bits() as i32),
            _ => 1 << self.random.below(31),
        };
        format!("${value}")
    }

    fn immediate_of(&mut self, bytes: u32) -> String {
        match bytes {
            8 | 4 => self.immediate(),
            2 => format!("${}", self.random.below(1 << 15)),
            _ => format!("${}", self.random.below(128)),
        }
    }

    /// A register, memory or a constant, to read.
    fn source(&mut self, bytes: u32) -> String {
        match self.random.below(10) {
            0..=5 => self.any().name(bytes),
            6 | 7 => self.memory(u64::from(bytes)),
            _ => self.immediate_of(bytes),
        }
    }

    /// Instructions that set all status flags.
    pub fn test(&mut self) -> Vec<String> {
        let bytes = self.width();
        let (a, b) = (self.any().name(bytes), self.source(bytes));
        let suffix = suffix(bytes);
        vec![match self.random.below(4) {
            0 => format!("test{suffix} {a}, {a}"),
            1 => format!("cmp{suffix} {}, {}", self.immediate_of(bytes), self.memory(u64::from(bytes))),
            _ => format!("cmp{suffix} {b}, {a}"),
        }]
    }

    pub fn condition(&mut self) -> &'static str {
        self.random.pick(&CONDITIONS)
    }

    pub fn piece(&mut self) -> Vec<String> {
        for _ in 0..20 {
            let made = match self.random.below(36) {
                0..=7 => self.arithmetic(),
                8 | 9 => self.carried(),
                10 | 11 => self.moved(),
                12 => self.unary(),
                13 | 14 => self.shifted(),
                15 => self.multiplied(),
                16 => self.divided(),
                17 => self.high_bytes(),
                18 | 19 => self.conditional(),
                20 => self.bits(),
                21 => self.flags_moved(),
                22 => self.indexed(),
                23 => self.stored(),
                24 => self.exchanged(),
                25 if self.features.has("strings") => self.strings(),
                26 if self.features.has("direction") => {
                    Some(vec![self.random.pick(&["std", "cld"]).to_owned()])
                }
                27 if self.features.has("stack") && !self.leaf => self.stacked(),
                28 if self.features.has("x87") => Some(vectors::x87(self)),
                29 if self.features.has("overlap") => self.overlapping(),
                30 if self.features.has("pc") && !self.leaf => self.own_address(),
                31 if self.features.has("kernel") => self.kernel(),
                32 if self.features.has("mxcsr") => Some(vectors::control(self)),
                33 if self.features.has("masks") => vectors::mask(self),
                34 | 35 if self.features.has("vectors") => vectors::packed(self),
                _ => None,
            };
            if let Some(lines) = made {
                return lines;
            }
        }
        vec!["nop".to_owned()]
    }

    fn arithmetic(&mut self) -> Option<Vec<String>> {
        let bytes = self.width();
        let operation = self.random.pick(&["add", "sub", "and", "or", "xor", "cmp", "test"]);
        let suffix = suffix(bytes);
        if self.random.chance(20) && operation != "test" {
            let (source, at) = (self.any().name(bytes), self.memory(u64::from(bytes)));
            return Some(vec![format!("{operation}{suffix} {source}, {at}")]);
        }
        let target = self.free()?.name(bytes);
        let mut source = self.source(bytes);
        if operation == "test" && source.starts_with('@') {
            source = target.clone();
        }
        Some(vec![format!("{operation}{suffix} {source}, {target}")])
    }

    /// Reads the carry or overflow flag of an earlier instruction.
    fn carried(&mut self) -> Option<Vec<String>> {
        let bytes = self.width();
        let suffix = suffix(bytes);
        let target = self.free()?;
        let source = self.source(bytes);
        Some(vec![match self.random.below(8) {
            0 | 1 => format!("adc{suffix} {source}, {}", target.name(bytes)),
            2 | 3 => format!("sbb{suffix} {source}, {}", target.name(bytes)),
            4 if self.level >= Level::Avx2 => format!("adcx {}, {}", self.any().name(8), target.name(8)),
            5 if self.level >= Level::Avx2 => format!("adox {}, {}", self.any().name(8), target.name(8)),
            6 => format!("rcl{suffix} {}", target.name(bytes)),
            _ => format!("rcr{suffix} {}", target.name(bytes)),
        }])
    }

    fn moved(&mut self) -> Option<Vec<String>> {
        let target = self.free()?;
        let from = self.any();
        Some(vec![match self.random.below(8) {
            0 => format!("movzbl {}, {}", from.name(1), target.name(4)),
            1 => format!("movsbq {}, {}", from.name(1), target.name(8)),
            2 => format!("movslq {}, {}", from.name(4), target.name(8)),
            3 => format!("movabs ${}, {}", self.random.bits() as i64, target.name(8)),
            4 => format!("mov {}, {}", self.memory(8), target.name(8)),
            5 => {
                let scale = self.random.pick(&[1, 2, 4, 8]);
                let displacement = self.random.below(200) as i64 - 100;
                format!(
                    "lea {displacement}({},{},{scale}), {}",
                    from.name(8),
                    self.any().name(8),
                    target.name(8)
                )
            }
            6 => format!("lea {}(%rsp), {}", self.random.below(64) as i64 - 32, target.name(8)),
            _ => format!("mov {}, {}", from.name(8), target.name(8)),
        }])
    }

    fn unary(&mut self) -> Option<Vec<String>> {
        let bytes = self.width();
        let operation = self.random.pick(&["inc", "dec", "neg", "not", "inc", "dec"]);
        let target =
            if self.random.chance(25) { self.memory(u64::from(bytes)) } else { self.free()?.name(bytes) };
        Some(vec![format!("{operation}{} {target}", suffix(bytes))])
    }

    /// Shifts by zero keep the flags.
    fn shifted(&mut self) -> Option<Vec<String>> {
        let bytes = self.width();
        let target = self.free()?.name(bytes);
        let operation = self.random.pick(&["shl", "shr", "sar", "rol", "ror"]);
        let suffix = suffix(bytes);
        Some(match self.random.below(6) {
            0 | 1 => vec![format!("{operation}{suffix} %cl, {target}")],
            2 if self.level >= Level::Avx2 => {
                let (wide, count) = (self.free()?, self.any().name(8));
                vec![format!(
                    "{}q {count}, {}, {}",
                    self.random.pick(&["shlx", "shrx", "sarx"]),
                    self.any().name(8),
                    wide.name(8)
                )]
            }
            3 => vec![format!("{operation}{suffix} {target}")],
            4 => {
                let wide = self.free()?.name(8);
                let mut lines = vec![format!(
                    "{} ${}, {}, {wide}",
                    self.random.pick(&["shld", "shrd"]),
                    self.random.within(1, 63),
                    self.any().name(8)
                )];
                lines.extend(self.test());
                lines
            }
            _ => vec![format!(
                "{operation}{suffix} ${}, {target}",
                self.random.within(1, u64::from(bytes) * 8 - 1)
            )],
        })
    }

    fn multiplied(&mut self) -> Option<Vec<String>> {
        let mut lines = match self.random.below(4) {
            0 if self.take(&[RAX, RDX]) => {
                vec![format!("{}q {}", self.random.pick(&["mul", "imul"]), self.any().name(8))]
            }
            1 if self.level >= Level::Avx2 => {
                let (low, high) = (self.free()?, self.free()?);
                return (low != high).then(|| {
                    vec![format!("mulx {}, {}, {}", self.any().name(8), low.name(8), high.name(8))]
                });
            }
            2 => vec![format!(
                "imulq $0x{:x}, {}, {}",
                self.random.below(1 << 31),
                self.any().name(8),
                self.free()?.name(8)
            )],
            _ => vec![format!("imull {}, {}", self.any().name(4), self.free()?.name(4))],
        };
        lines.extend(self.test());
        Some(lines)
    }

    fn divided(&mut self) -> Option<Vec<String>> {
        let divisor = self.free()?;
        if divisor == RAX || divisor == RDX || !self.take(&[RAX, RDX]) {
            return None;
        }
        let mut lines = vec![
            format!("orl $1, {}", divisor.name(4)),
            "xorl %edx, %edx".to_owned(),
            format!("divl {}", divisor.name(4)),
        ];
        lines.extend(self.test());
        Some(lines)
    }

    fn high_bytes(&mut self) -> Option<Vec<String>> {
        const HIGH: [&str; 4] = ["%ah", "%ch", "%dh", "%bh"];
        const LOW: [&str; 4] = ["%al", "%cl", "%dl", "%bl"];
        let k = self.random.below(4) as usize;
        if !self.take(&[Register(k as u8)]) {
            return None;
        }
        let high = HIGH[k];
        let other = self.random.pick(&[HIGH, LOW].concat());
        let operation = self.random.pick(&["add", "adc", "xor", "mov", "sub", "cmp"]);
        Some(vec![match self.random.below(4) {
            0 => format!("set{} {high}", self.condition()),
            1 => format!("movzbl {high}, {}", LOW_WIDE[k]),
            2 => format!("{operation}b {}, {high}", self.memory(1)),
            _ => format!("{operation}b {other}, {high}"),
        }])
    }

    fn conditional(&mut self) -> Option<Vec<String>> {
        let condition = self.condition();
        let mut lines = if self.features.has("flags") { Vec::new() } else { self.test() };
        let target = self.free()?;
        lines.push(match self.random.below(3) {
            0 => format!("set{condition} {}", target.name(1)),
            1 => format!("cmov{condition} {}, {}", self.memory(8), target.name(8)),
            _ => format!("cmov{condition} {}, {}", self.any().name(4), target.name(4)),
        });
        Some(lines)
    }

    fn bits(&mut self) -> Option<Vec<String>> {
        let target = self.free()?;
        let from = self.any().name(8);
        let name = target.name(8);
        let modern = self.level >= Level::Avx2;
        let mut lines = vec![match self.random.below(9) {
            0 => format!("bt ${}, {from}", self.random.below(64)),
            1 => format!("bts {from}, {name}"),
            2 => format!("bswap {name}"),
            3 => format!("bsf {from}, {name}"),
            4 if modern => format!("tzcnt {from}, {name}"),
            5 if modern => format!("lzcnt {from}, {name}"),
            6 if modern => format!(
                "{} {from}, {}, {name}",
                self.random.pick(&["pdep", "pext", "andn"]),
                self.any().name(8)
            ),
            7 if modern => format!("{} {from}, {name}", self.random.pick(&["blsr", "blsi", "blsmsk"])),
            _ => format!("btc ${}, {name}", self.random.below(64)),
        }];
        lines.extend(self.test());
        Some(lines)
    }

    fn flags_moved(&mut self) -> Option<Vec<String>> {
        Some(match self.random.below(6) {
            0 => vec!["cmc".to_owned()],
            1 => vec!["stc".to_owned()],
            2 => vec!["clc".to_owned()],
            3 if self.take(&[RAX]) => {
                vec!["lahf".to_owned(), "andb $0xef, %ah".to_owned(), "sahf".to_owned()]
            }
            4 => vec!["sahf".to_owned()],
            _ if self.features.has("stack") && !self.leaf => {
                let target = self.free()?.name(8);
                vec![
                    "pushf".to_owned(),
                    "andq $~0x10, (%rsp)".to_owned(),
                    format!("mov (%rsp), {target}"),
                    "popf".to_owned(),
                ]
            }
            _ => return None,
        })
    }

    fn indexed(&mut self) -> Option<Vec<String>> {
        let index = self.free()?;
        let mut lines = vec![format!("movzbl {}, {}", self.any().name(1), index.name(4))];
        let at = format!("@D({}{},8)", ",", index.name(8));
        lines.push(match self.random.below(4) {
            0 => format!("mov {at}, {}", self.free()?.name(8)),
            1 => format!("mov {}, {at}", self.any().name(8)),
            2 => format!("addl {}, {at}", self.any().name(4)),
            _ => format!("adcq {at}, {}", self.free()?.name(8)),
        });
        Some(lines)
    }

    fn stored(&mut self) -> Option<Vec<String>> {
        let bytes = self.width();
        let (from, at) = (self.any().name(bytes), self.memory(u64::from(bytes)));
        Some(vec![match self.random.below(3) {
            0 => format!("set{} {}", self.condition(), self.memory(1)),
            _ => format!("mov{} {from}, {at}", suffix(bytes)),
        }])
    }

    fn exchanged(&mut self) -> Option<Vec<String>> {
        let (a, b) = (self.free()?.name(8), self.free()?.name(8));
        Some(vec![match self.random.below(5) {
            0 => format!("xchg {a}, {b}"),
            1 => format!("xadd {a}, {b}"),
            2 => format!("lock xaddq {a}, {}", self.memory(8)),
            3 if self.take(&[RAX]) => format!("lock cmpxchgq {b}, {}", self.memory(8)),
            _ => format!("xchg {a}, {}", self.memory(8)),
        }])
    }

    fn strings(&mut self) -> Option<Vec<String>> {
        if !self.take(&[RCX, RSI, RDI]) {
            return None;
        }
        let operation = self.random.pick(&[
            "rep movsq",
            "rep movsb",
            "rep stosb",
            "rep stosl",
            "repne scasb",
            "repe cmpsb",
            "lodsb",
        ]);
        if operation == "lodsb" && !self.take(&[RAX]) {
            return None;
        }
        let mut lines = Vec::new();
        for at in [RSI, RDI] {
            let offset = STRINGS + self.random.below(32) * 8;
            lines.push(format!("@A{offset}, {}", at.name(8)));
        }
        lines.push(format!("mov ${}, %ecx", self.random.below(28)));
        lines.push(operation.to_owned());
        // Addresses of a thread's data differ from run to run.
        lines.extend(["mov $17, %esi".to_owned(), "mov $19, %edi".to_owned()]);
        // With zero repetitions the comparing ones keep the flags, which is allowed.
        Some(lines)
    }

    fn stacked(&mut self) -> Option<Vec<String>> {
        let target = self.free()?.name(8);
        let from = self.any().name(8);
        Some(match self.random.below(4) {
            0 => vec![format!("push {from}"), format!("pop {target}")],
            1 => vec![format!("push {from}"), "add $8, %rsp".to_owned()],
            2 => vec![
                "lea -24(%rsp), %rsp".to_owned(),
                format!("mov {from}, 8(%rsp)"),
                format!("mov 8(%rsp), {target}"),
                "lea 24(%rsp), %rsp".to_owned(),
            ],
            _ => vec!["pushq $-7".to_owned(), format!("popq {}", self.memory(8))],
        })
    }

    fn overlapping(&mut self) -> Option<Vec<String>> {
        Some(match self.random.below(3) {
            // jmp into its own second byte, which is the first of inc %eax.
            0 if self.take(&[RAX]) => vec![".byte 0xeb, 0xff, 0xc0".to_owned()],
            // Skips the lock prefix, as the C library did where there was one thread.
            1 => vec![
                format!("j{} 9f+1", self.condition()),
                "9: .byte 0xf0".to_owned(),
                format!("addq $1, {}", self.memory(8)),
            ],
            // An immediate operand that is code: mov eax, (add ecx, 1; nop).
            2 if self.take(&[RAX, RCX]) => vec![
                format!("j{} 9f+1", self.condition()),
                "9: .byte 0xb8, 0x83, 0xc1, 0x01, 0x90".to_owned(),
            ],
            _ => return None,
        })
    }

    fn own_address(&mut self) -> Option<Vec<String>> {
        let target = self.free()?.name(8);
        Some(match self.random.below(3) {
            0 => vec!["call 9f".to_owned(), format!("9: pop {target}")],
            1 => vec![
                "call 9f".to_owned(),
                format!(".byte {}, 0", self.random.below(256)),
                format!("9: pop {target}"),
            ],
            _ => vec![format!("lea 0(%rip), {target}")],
        })
    }

    /// A system call: rcx gets the return address and r11 the flags, which no code reads.
    fn kernel(&mut self) -> Option<Vec<String>> {
        let r11 = Register(11);
        if !self.take(&[RAX, RCX, r11]) {
            return None;
        }
        // sched_yield, or one that does not exist.
        let number = self.random.pick(&[24, 5000]);
        Some(vec![
            format!("mov ${number}, %eax"),
            "syscall".to_owned(),
            "mov $3, %ecx".to_owned(),
            "mov $5, %r11d".to_owned(),
        ])
    }
}

/// Wide names of the registers that have high bytes.
const LOW_WIDE: [&str; 4] = ["%eax", "%ecx", "%edx", "%ebx"];

/// The assembler's letter of a width.
fn suffix(bytes: u32) -> &'static str {
    match bytes {
        8 => "q",
        4 => "l",
        2 => "w",
        _ => "b",
    }
}
