//! Jumps that are written over original code.

use super::tracee::Memory;
use crate::emit::body::Jump;
use crate::emit::encode;
use crate::reason::Unencodable;
use std::io;

/// `jmp rel32` at one address to another, where it reaches.
pub fn near_jump(from: u64, to: u64) -> Option<Vec<u8>> {
    let distance = i32::try_from(to.wrapping_sub(from.wrapping_add(5)) as i64).ok()?;
    let mut jump = vec![0xe9];
    jump.extend(distance.to_le_bytes());
    Some(jump)
}

/// The bytes of the jumps into a copy.
pub fn patches(
    jumps: &[Jump],
    encoded: &encode::Encoded,
    bias: u64,
) -> Result<Vec<(u64, Vec<u8>)>, Unencodable> {
    let mut out = Vec::new();
    for jump in jumps {
        let to = encoded.address(jump.to).ok_or(Unencodable::JumpTooFar)?;
        let near_at = jump.springboard.unwrap_or(jump.at);
        out.push((near_at.wrapping_add(bias), near_jump(near_at, to).ok_or(Unencodable::JumpTooFar)?));
        if let Some(springboard) = jump.springboard {
            let distance = springboard.wrapping_sub(jump.at + 2) as i64;
            let distance = i8::try_from(distance).map_err(|_| Unencodable::JumpTooFar)?;
            out.push((jump.at.wrapping_add(bias), vec![0xeb, distance as u8]));
        }
    }
    Ok(out)
}

/// Writes bytes over code, a run of pages at a time.
pub fn write_patches(memory: &Memory, mut patches: Vec<&(u64, Vec<u8>)>) -> io::Result<()> {
    const PAGE: u64 = 4096;
    patches.sort_unstable_by_key(|p| p.0);
    let mut rest = patches.as_slice();
    while let Some(first) = rest.first() {
        let start = first.0;
        let mut end = start;
        let mut count = 0;
        for p in rest {
            if p.0 >= end + PAGE && count > 0 {
                break;
            }
            end = end.max(p.0 + p.1.len() as u64);
            count += 1;
        }
        let mut bytes = memory.read(start, (end - start) as usize)?;
        for (at, patch) in &rest[..count] {
            let offset = (at - start) as usize;
            bytes[offset..offset + patch.len()].copy_from_slice(patch);
        }
        memory.write(start, &bytes)?;
        rest = &rest[count..];
    }
    Ok(())
}
