// Deduplicating backup: splits byte streams into content-defined chunks with a
// polynomial rolling hash, and counts how much of every snapshot is already stored.
use std::collections::HashSet;
use std::convert::TryInto;

const WINDOW: usize = 48;
const BASE: u64 = 263;
const MODULUS: u64 = 1_000_000_007;
const AVERAGE: u64 = 8192;
const MIN_SIZE: usize = 2048;
const MAX_SIZE: usize = 65536;

struct Chunker<'a> {
    data: &'a [u8],
    pos: usize,
    top: u64,
}

impl<'a> Chunker<'a> {
    fn new(data: &'a [u8]) -> Self {
        let mut top = 1u64;
        for _ in 1..WINDOW {
            top = top * BASE % MODULUS;
        }
        Chunker { data, pos: 0, top }
    }
}

impl<'a> Iterator for Chunker<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let rest = &self.data[self.pos..];
        if rest.is_empty() {
            return None;
        }
        let mut end = rest.len().min(MAX_SIZE);
        if end > MIN_SIZE {
            let mut hash = 0u64;
            for i in MIN_SIZE - WINDOW..MIN_SIZE {
                hash = (hash * BASE + rest[i] as u64) % MODULUS;
            }
            for i in MIN_SIZE..end {
                if hash % AVERAGE == AVERAGE - 1 {
                    end = i;
                    break;
                }
                let out = rest[i - WINDOW] as u64 * self.top % MODULUS;
                hash = ((hash + MODULUS - out) * BASE + rest[i] as u64) % MODULUS;
            }
        }
        self.pos += end;
        Some(&rest[..end])
    }
}

fn fingerprint(chunk: &[u8]) -> u64 {
    let mut h = 0x9e37_79b9_7f4a_7c15u64 ^ chunk.len() as u64;
    let mut words = chunk.chunks_exact(8);
    for w in &mut words {
        h = (h ^ u64::from_le_bytes(w.try_into().unwrap())).wrapping_mul(0xff51_afd7_ed55_8ccd);
        h ^= h >> 32;
    }
    for &b in words.remainder() {
        h = (h ^ b as u64).wrapping_mul(0x100_0000_01b3);
    }
    h
}

struct Rng(u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}

fn edit(data: &mut Vec<u8>, rng: &mut Rng) {
    for _ in 0..5 {
        let at = rng.next() as usize % (data.len() - 1000);
        let len = 1 + rng.next() as usize % 600;
        if rng.next() % 2 == 0 {
            let new: Vec<u8> = (0..len).map(|_| (rng.next() >> 20) as u8).collect();
            data.splice(at..at, new);
        } else {
            data.drain(at..at + len);
        }
    }
}

fn main() {
    let mut rng = Rng(0x1234_5678_9abc_def1);
    let mut data = Vec::with_capacity(25 << 20);
    while data.len() < 24 << 20 {
        data.extend_from_slice(&rng.next().to_le_bytes());
    }

    let mut store: HashSet<u64> = HashSet::new();
    let (mut total, mut stored, mut sum) = (0u64, 0u64, 0u64);
    for snapshot in 0..11 {
        let (mut chunks, mut fresh) = (0u64, 0u64);
        for chunk in Chunker::new(&data) {
            let id = fingerprint(chunk);
            sum = sum.rotate_left(5) ^ id;
            chunks += 1;
            total += chunk.len() as u64;
            if store.insert(id) {
                fresh += 1;
                stored += chunk.len() as u64;
            }
        }
        println!("snapshot {snapshot}: {} bytes, {chunks} chunks, {fresh} new", data.len());
        edit(&mut data, &mut rng);
    }
    println!("total {total} stored {stored} checksum {sum:016x}");
}
