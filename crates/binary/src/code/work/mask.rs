//! Operations under an opmask: their work is proportional to the bits that are set.
//!
//! The work of all operations that run under one value of a mask register is one group, which needs one
//! counter. Masks that the block itself sets to all ones (`kxnor k, k, k`, the compilers' idiom before a
//! gather) need none: such an operation works on all of its lanes.

use super::super::operation::{Class, Operation};
use super::memory::gathered_lanes;
use crate::facts::ElementType;
use iced_x86::{Instruction, Mnemonic, OpKind, Register};

/// The number of the mask register that switches lanes of `i`: 1 to 7.
pub fn mask_of(i: &Instruction) -> Option<u8> {
    let mask = i.op_mask();
    (mask.is_k() && mask != Register::K0).then(|| mask.number() as u8)
}

/// Lanes that the mask of `i` switches: elements of the result; for complex numbers and dot products whole
/// results. `None` where the work of one lane is not defined.
pub fn mask_lanes(i: &Instruction, operation: &Operation, encoded: u32) -> Option<u8> {
    let memory = i.memory_size();
    let element = memory.element_size() as u32 * 8;
    let lanes = match operation.class {
        Class::Gather | Class::Scatter => gathered_lanes(i),
        Class::Shuffle | Class::Insert | Class::Broadcast => return None,
        _ if operation.vector && !operation.packed => 1,
        Class::Convert | Class::Move | Class::Blend | Class::Extract | Class::Compress | Class::Expand => {
            if i.is_broadcast() {
                return None; // one element is loaded whatever the mask is
            }
            memory.size() as u32 / memory.element_size().max(1) as u32
        }
        _ => encoded / granularity(i, operation).unwrap_or(element).max(1),
    };
    u8::try_from(lanes).ok().filter(|&n| (1..=64).contains(&n))
}

/// Bits of one masked element of an arithmetic instruction; some are masked by another element than they name.
fn granularity(i: &Instruction, operation: &Operation) -> Option<u32> {
    use Mnemonic as M;
    match i.mnemonic() {
        M::Vpmaddwd | M::Vfmaddcph | M::Vfcmaddcph | M::Vfmulcph | M::Vfcmulcph => Some(32),
        M::Vpmaddubsw | M::Vdbpsadbw => Some(16),
        M::Vpmultishiftqb | M::Vgf2p8affineqb | M::Vgf2p8affineinvqb | M::Vgf2p8mulb => Some(8),
        // Sums of narrow products, in 32-bit lanes.
        _ if operation.class == Class::Fma
            && matches!(operation.element, Some(ElementType::Bf16 | ElementType::I8 | ElementType::I16)) =>
        {
            Some(32)
        }
        _ => operation.element.map(ElementType::bits),
    }
}

/// Whether each switched-on lane moves its own share of the memory operand; otherwise the operand is
/// transferred whole.
pub fn moves_by_lane(i: &Instruction, operation: &Operation, lanes: u8, bytes: u32) -> bool {
    let share = bytes.is_multiple_of(lanes.into()) && bytes >= u32::from(lanes);
    share
        && !i.is_broadcast()
        && !in_four_steps(i.mnemonic())
        && !super::live::shifts_by_register(i.mnemonic())
        && !matches!(operation.class, Class::Crypto)
}

/// Runs through four registers with four scalars from memory.
pub fn in_four_steps(mnemonic: Mnemonic) -> bool {
    use Mnemonic as M;
    matches!(
        mnemonic,
        M::V4fmaddps | M::V4fmaddss | M::V4fnmaddps | M::V4fnmaddss | M::Vp4dpwssd | M::Vp4dpwssds
    )
}

/// What is known of the mask registers at one place of a block.
#[derive(Clone, Copy, Debug, Default)]
pub struct Masks {
    /// Number of lowest bits of each register that are known to be set.
    ones: [u8; 8],
    /// How often each register was written so far.
    versions: [u32; 8],
}

impl Masks {
    /// Whether all `lanes` of the mask are known to be switched on.
    pub fn all_set(&self, register: u8, lanes: u8) -> bool {
        self.ones.get(usize::from(register)).is_some_and(|&ones| ones >= lanes)
    }

    /// Identifies the present value of a register.
    pub fn version(&self, register: u8) -> u32 {
        self.versions.get(usize::from(register)).copied().unwrap_or(0)
    }

    /// Follows an instruction: what it writes has a new value.
    pub fn follow(&mut self, i: &Instruction, operation: &Operation) {
        match operation.class {
            Class::Call => (0..8).for_each(|k| self.write(k, 0)),
            // A gather clears the bits of the elements it has loaded.
            Class::Gather | Class::Scatter => {
                if let Some(register) = mask_of(i) {
                    self.write(register, 0);
                }
            }
            _ => {}
        }
        if i.op_count() > 0 && i.op0_kind() == OpKind::Register && i.op0_register().is_k() {
            let register = i.op0_register().number() as u8;
            self.write(register, ones_set(i));
            if matches!(i.mnemonic(), Mnemonic::Vp2intersectd | Mnemonic::Vp2intersectq) {
                self.write(register ^ 1, 0);
            }
        }
    }

    fn write(&mut self, register: u8, ones: u8) {
        let at = usize::from(register);
        if let (Some(known), Some(version)) = (self.ones.get_mut(at), self.versions.get_mut(at)) {
            *known = ones;
            *version = version.wrapping_add(1);
        }
    }
}

/// Bits that `kxnor k, x, x` sets.
fn ones_set(i: &Instruction) -> u8 {
    if i.op_count() != 3 || i.op1_register() != i.op2_register() {
        return 0;
    }
    match i.mnemonic() {
        Mnemonic::Kxnorb => 8,
        Mnemonic::Kxnorw => 16,
        Mnemonic::Kxnord => 32,
        Mnemonic::Kxnorq => 64,
        _ => 0,
    }
}
