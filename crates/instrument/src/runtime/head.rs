//! The first instructions of a function, which the jump at its entry overwrites, relocated: a function that
//! is not instrumented after all begins there.

use iced_x86::{
    BlockEncoder, BlockEncoderOptions, Code, Decoder, DecoderOptions, Instruction, InstructionBlock,
};

/// The code that begins at `entry`, for the address `to`, and a jump to what follows it.
pub fn relocated(code: &[u8], entry: u64, to: u64) -> Option<Vec<u8>> {
    let mut list: Vec<Instruction> =
        Decoder::with_ip(64, code, entry, DecoderOptions::NONE).into_iter().collect();
    let end = entry + code.len() as u64;
    list.push(Instruction::with_branch(Code::Jmp_rel32_64, end).ok()?);
    // The encoder treats an operand that refers to the address of an instruction in its list as a label. Here
    // every operand refers to the original: a function may compare its own address with a pointer.
    list.iter_mut().for_each(|i| i.set_ip(0));
    let block = InstructionBlock::new(&list, to);
    Some(BlockEncoder::encode(64, block, BlockEncoderOptions::NONE).ok()?.code_buffer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use iced_x86::code_asm::*;

    const ENTRY: u64 = 0x1000;
    const TO: u64 = 0x7000_0000;

    fn relocated_list(write: impl FnOnce(&mut CodeAssembler) -> Result<(), IcedError>) -> Vec<Instruction> {
        let mut a = CodeAssembler::new(64).unwrap();
        write(&mut a).unwrap();
        let moved = relocated(&a.assemble(ENTRY).unwrap(), ENTRY, TO).unwrap();
        Decoder::with_ip(64, &moved, TO, DecoderOptions::NONE).into_iter().collect()
    }

    #[test]
    fn operands_mean_the_original() {
        let list = relocated_list(|a| {
            // Addresses of its own instructions.
            let (mut start, mut second) = (a.create_label(), a.create_label());
            a.set_label(&mut start)?;
            a.push(r15)?;
            a.set_label(&mut second)?;
            a.lea(rax, qword_ptr(start))?;
            a.lea(rdx, qword_ptr(second))
        });
        let named: Vec<u64> =
            list.iter().filter(|i| i.is_ip_rel_memory_operand()).map(|i| i.ip_rel_memory_address()).collect();
        assert_eq!(named, [ENTRY, ENTRY + 2]);
        let last = list.last().unwrap();
        assert_eq!((last.code(), last.near_branch_target()), (Code::Jmp_rel32_64, ENTRY + 16));
    }

    #[test]
    fn branches_lead_to_the_original() {
        let list = relocated_list(|a| {
            a.test(rdi, rdi)?;
            a.je(ENTRY)?;
            a.jne(ENTRY + 0x40)
        });
        let to: Vec<u64> = list[1..3].iter().map(|i| i.near_branch_target()).collect();
        assert_eq!(to, [ENTRY, ENTRY + 0x40]);
    }
}
