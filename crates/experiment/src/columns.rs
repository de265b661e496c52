//! Packed columns for the bulky parts of a recording.
//!
//! A million samples as table rows cost seconds and 60 MB; as varint columns in chunks they cost a
//! fraction of both. Decoding trusts nothing: lengths and indices are checked by the caller's bounds.

use loopwright_sample::recording::{Sample, StackNode};

/// Samples per stored chunk: bounds the memory of a decode step.
pub const CHUNK: usize = 1 << 16;

fn put(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)) as u64
}

fn unzigzag(value: u64) -> i64 {
    (value >> 1) as i64 ^ -((value & 1) as i64)
}

struct Reader<'a> {
    bytes: &'a [u8],
}

impl Reader<'_> {
    fn take(&mut self) -> Option<u64> {
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let (&byte, rest) = self.bytes.split_first()?;
            self.bytes = rest;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }

    fn take_u32(&mut self) -> Option<u32> {
        u32::try_from(self.take()?).ok()
    }
}

/// Packs a chunk of samples.
pub fn pack_samples(samples: &[Sample]) -> Vec<u8> {
    let mut out = Vec::with_capacity(samples.len() * 12 + 8);
    put(&mut out, samples.len() as u64);
    let mut time = 0i64;
    let mut stack = 0i64;
    for sample in samples {
        put(&mut out, zigzag((sample.time_ns as i64).wrapping_sub(time)));
        time = sample.time_ns as i64;
        put(&mut out, u64::from(sample.thread) << 1 | u64::from(sample.kernel));
        put(&mut out, u64::from(sample.cpu));
        put(&mut out, zigzag(i64::from(sample.stack) - stack));
        stack = i64::from(sample.stack);
        put(&mut out, u64::from(sample.weight_ns));
    }
    out
}

/// Unpacks a chunk; `None` when it is damaged or names a thread or stack that does not exist.
pub fn unpack_samples(bytes: &[u8], threads: usize, stacks: usize) -> Option<Vec<Sample>> {
    let mut reader = Reader { bytes };
    let count = usize::try_from(reader.take()?).ok().filter(|&count| count <= CHUNK)?;
    let mut samples = Vec::with_capacity(count);
    let mut time = 0i64;
    let mut stack = 0i64;
    for _ in 0..count {
        time = time.wrapping_add(unzigzag(reader.take()?));
        let thread = reader.take()?;
        let cpu = reader.take_u32()?;
        stack = stack.checked_add(unzigzag(reader.take()?))?;
        let sample = Sample {
            time_ns: time as u64,
            thread: u32::try_from(thread >> 1).ok()?,
            cpu,
            stack: u32::try_from(stack).ok()?,
            weight_ns: reader.take_u32()?,
            kernel: thread & 1 == 1,
        };
        if sample.thread as usize >= threads || sample.stack as usize >= stacks {
            return None;
        }
        samples.push(sample);
    }
    Some(samples)
}

/// Packs the calling-context forest.
pub fn pack_stacks(stacks: &[StackNode]) -> Vec<u8> {
    let mut out = Vec::with_capacity(stacks.len() * 4 + 8);
    put(&mut out, stacks.len() as u64);
    for (index, node) in stacks.iter().enumerate() {
        // A parent precedes its children: the distance is positive, and 0 says "no parent".
        put(&mut out, node.parent.map_or(0, |parent| index as u64 - u64::from(parent)));
        put(&mut out, u64::from(node.frame));
    }
    out
}

/// Unpacks the forest; `None` when damaged.
pub fn unpack_stacks(bytes: &[u8], frames: usize) -> Option<Vec<StackNode>> {
    let mut reader = Reader { bytes };
    let count = reader.take()?;
    // Every node takes at least two bytes.
    if count > bytes.len() as u64 / 2 {
        return None;
    }
    (0..count)
        .map(|index| {
            let parent = match reader.take()? {
                0 => None,
                distance => Some(u32::try_from(index.checked_sub(distance)?).ok()?),
            };
            let frame = reader.take_u32()?;
            ((frame as usize) < frames).then_some(StackNode { parent, frame })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn samples_come_back(raw in proptest::collection::vec((any::<u64>(), 0u32..50, any::<u32>(), 0u32..1000, any::<u32>(), any::<bool>()), 0..300)) {
            let samples: Vec<Sample> = raw.into_iter().map(|(time_ns, thread, cpu, stack, weight_ns, kernel)|
                Sample { time_ns, thread, cpu, stack, weight_ns, kernel }).collect();
            prop_assert_eq!(unpack_samples(&pack_samples(&samples), 50, 1000), Some(samples));
        }

        #[test]
        fn stacks_come_back(frames in proptest::collection::vec((any::<u32>(), 0u32..64), 0..200)) {
            let stacks: Vec<StackNode> = frames.iter().enumerate().map(|(i, &(p, frame))|
                StackNode { parent: (i > 0 && p % 3 != 0).then(|| p % i as u32), frame }).collect();
            prop_assert_eq!(unpack_stacks(&pack_stacks(&stacks), 64), Some(stacks));
        }

        #[test]
        fn damaged_columns_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
            let _ = unpack_samples(&bytes, 4, 4);
            let _ = unpack_stacks(&bytes, 4);
        }
    }

    #[test]
    fn references_out_of_range_are_refused() {
        let sample = Sample { time_ns: 1, thread: 3, cpu: 0, stack: 2, weight_ns: 1, kernel: false };
        let bytes = pack_samples(&[sample]);
        assert!(unpack_samples(&bytes, 4, 3).is_some());
        assert!(unpack_samples(&bytes, 3, 3).is_none());
        assert!(unpack_samples(&bytes, 4, 2).is_none());
    }
}
