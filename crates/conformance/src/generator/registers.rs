//! General registers, their names in all widths, and sets of them.

/// A general register by its number in the encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Register(pub u8);

/// A set of general registers, one bit each.
pub type Set = u16;

/// Names of 64, 32, 16 and 8 bits, by number.
const NAMES: [[&str; 4]; 16] = [
    ["rax", "eax", "ax", "al"],
    ["rcx", "ecx", "cx", "cl"],
    ["rdx", "edx", "dx", "dl"],
    ["rbx", "ebx", "bx", "bl"],
    ["rsp", "esp", "sp", "spl"],
    ["rbp", "ebp", "bp", "bpl"],
    ["rsi", "esi", "si", "sil"],
    ["rdi", "edi", "di", "dil"],
    ["r8", "r8d", "r8w", "r8b"],
    ["r9", "r9d", "r9w", "r9b"],
    ["r10", "r10d", "r10w", "r10b"],
    ["r11", "r11d", "r11w", "r11b"],
    ["r12", "r12d", "r12w", "r12b"],
    ["r13", "r13d", "r13w", "r13b"],
    ["r14", "r14d", "r14w", "r14b"],
    ["r15", "r15d", "r15w", "r15b"],
];

/// Number of rax.
pub const RAX: Register = Register(0);
/// rcx, the count of shifts, loops and strings.
pub const RCX: Register = Register(1);
/// Number of rdx.
pub const RDX: Register = Register(2);
/// Number of rbx.
pub const RBX: Register = Register(3);
/// rsi, the source of strings.
pub const RSI: Register = Register(6);
/// rdi, the destination of strings.
pub const RDI: Register = Register(7);
/// Every register but the stack pointer.
pub const ALL: Set = !(1 << 4);
/// Registers that a function of the System V ABI preserves: rbx, rbp, r12 to r15.
pub const CALLEE_SAVED: Set = 1 << 3 | 1 << 5 | 0xf << 12;
/// Argument registers of the System V ABI: rdi, rsi, rdx, rcx, r8, r9.
pub const ARGUMENTS: Set = 1 << 7 | 1 << 6 | 1 << 2 | 1 << 1 | 1 << 8 | 1 << 9;
/// Result registers of the System V ABI: rax, rdx.
pub const RESULTS: Set = 1 | 1 << 2;
/// Result registers of Go's internal ABI: rax, rbx, rcx, rdi, rsi, r8 to r11; r14 is the goroutine.
pub const GO_RESULTS: Set = 0b1111 & !(1 << 2) | 1 << 6 | 1 << 7 | 0xf << 8 | 1 << 14;

impl Register {
    /// The set that holds it alone.
    pub fn bit(self) -> Set {
        1 << self.0
    }

    /// Its name with this number of bytes, with the assembler's sign.
    pub fn name(self, bytes: u32) -> String {
        let column = match bytes {
            8 => 0,
            4 => 1,
            2 => 2,
            _ => 3,
        };
        format!("%{}", NAMES[usize::from(self.0)][column])
    }
}

/// The registers of a set, by number.
pub fn members(set: Set) -> Vec<Register> {
    (0..16).map(Register).filter(|r| set & r.bit() != 0).collect()
}
