//! Canonical k-mer spectrum of a set of sequencing reads: how many distinct
//! k-mers occur once, twice, ... and which are the most frequent ones.
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

const K: usize = 21;
const GENOME: usize = 350_000;
const READS: usize = 36_000;
const READ_LENGTH: usize = 100;

struct Rng(u64);

impl Rng {
    fn next(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) % n
    }

    fn base(&mut self) -> char {
        ['A', 'C', 'G', 'T'][self.next(4) as usize]
    }
}

fn complement(base: char) -> char {
    match base {
        'A' => 'T',
        'C' => 'G',
        'G' => 'C',
        _ => 'A',
    }
}

fn reverse_complement(s: &str) -> String {
    s.chars().rev().map(complement).collect()
}

fn make_genome(rng: &mut Rng) -> String {
    let mut genome: Vec<char> = (0..GENOME).map(|_| rng.base()).collect();
    for _ in 0..40 {
        let from = rng.next((GENOME - 600) as u64) as usize;
        let to = rng.next((GENOME - 600) as u64) as usize;
        for i in 0..500 {
            genome[to + i] = genome[from + i];
        }
    }
    genome.into_iter().collect()
}

fn make_reads(genome: &str, rng: &mut Rng) -> Vec<String> {
    let mut reads = Vec::new();
    for _ in 0..READS {
        let at = rng.next((GENOME - READ_LENGTH) as u64) as usize;
        let mut read: Vec<char> = genome[at..at + READ_LENGTH].chars().collect();
        for base in read.iter_mut() {
            if rng.next(200) == 0 {
                *base = rng.base();
            }
        }
        let read: String = read.into_iter().collect();
        reads.push(if rng.next(2) == 0 { read } else { reverse_complement(&read) });
    }
    reads
}

/// Two bits per base in alphabetical order, so that integers compare as strings do.
fn code(base: u8) -> u64 {
    match base {
        b'A' => 0,
        b'C' => 1,
        b'G' => 2,
        _ => 3,
    }
}

fn decode(kmer: u64) -> String {
    (0..K).rev().map(|i| ['A', 'C', 'G', 'T'][(kmer >> (2 * i) & 3) as usize]).collect()
}

/// One multiplication is enough for keys that are already integers.
#[derive(Default)]
struct KmerHasher(u64);

impl Hasher for KmerHasher {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for &b in bytes {
            self.write_u64(self.0 ^ b as u64);
        }
    }
    fn write_u64(&mut self, key: u64) {
        let h = key.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.0 = h ^ (h >> 32);
    }
}

type Counts = HashMap<u64, u32, BuildHasherDefault<KmerHasher>>;

fn count_kmers(reads: &[String]) -> Counts {
    let mut counts = Counts::default();
    let mask = (1u64 << (2 * K)) - 1;
    for read in reads {
        let (mut forward, mut reverse) = (0u64, 0u64);
        for (i, &base) in read.as_bytes().iter().enumerate() {
            let c = code(base);
            forward = (forward << 2 | c) & mask;
            reverse = reverse >> 2 | (3 - c) << (2 * (K - 1));
            if i + 1 >= K {
                *counts.entry(forward.min(reverse)).or_insert(0) += 1;
            }
        }
    }
    counts
}

fn main() {
    let mut rng = Rng(0x2545_F491_4F6C_DD1D);
    let genome = make_genome(&mut rng);
    let reads = make_reads(&genome, &mut rng);
    let counts = count_kmers(&reads);

    let mut spectrum = vec![0u64; 31];
    for &n in counts.values() {
        spectrum[(n as usize).min(30)] += 1;
    }
    println!("distinct {}", counts.len());
    for (n, kmers) in spectrum.iter().enumerate().skip(1) {
        println!("{:2} {}", n, kmers);
    }
    let mut frequent: Vec<(u32, String)> = counts.into_iter().filter(|e| e.1 >= 30).map(|(k, n)| (n, decode(k))).collect();
    frequent.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
    for (n, kmer) in frequent.iter().take(5) {
        println!("{} {}", kmer, n);
    }
}
