// k-mer spectrum of sequencing reads: canonical k-mers, abundance histogram, genome size estimate.
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

const K: usize = 21;

struct Rng(u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
    fn below(&mut self, n: usize) -> usize {
        (self.next() >> 11) as usize % n
    }
}

fn make_genome(n: usize, rng: &mut Rng) -> String {
    let mut genome: String = (0..n).map(|_| ['A', 'C', 'G', 'T'][rng.below(4)]).collect();
    let repeat = genome[1000..6000].to_string();
    genome.push_str(&repeat);
    genome.push_str(&repeat);
    genome
}

fn make_reads(genome: &str, count: usize, len: usize, rng: &mut Rng) -> Vec<String> {
    let mut reads = Vec::new();
    for r in 0..count {
        let start = rng.below(genome.len() - len);
        let mut read = genome[start..start + len].to_string();
        if r % 2 == 1 {
            read = reverse_complement(&read);
        }
        if rng.below(10) == 0 {
            let p = rng.below(len);
            read.replace_range(p..p + 1, ["A", "C", "G", "T", "N"][rng.below(5)]);
        }
        reads.push(read);
    }
    reads
}

fn reverse_complement(s: &str) -> String {
    s.chars()
        .rev()
        .map(|c| match c {
            'A' => 'T',
            'C' => 'G',
            'G' => 'C',
            'T' => 'A',
            other => other,
        })
        .collect()
}

// One multiplication mixes a packed k-mer well enough.
#[derive(Default)]
struct KmerHasher(u64);

impl Hasher for KmerHasher {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, _: &[u8]) {
        unreachable!()
    }
    fn write_u64(&mut self, x: u64) {
        let h = x.wrapping_mul(0x9E3779B97F4A7C15);
        self.0 = h ^ (h >> 32);
    }
}

type Counts = HashMap<u64, u32, BuildHasherDefault<KmerHasher>>;

// Two bits a base in alphabetical order, so that packed k-mers compare as their text does;
// both strands roll along the read.
fn count_kmers(reads: &[String]) -> Counts {
    let mut counts = Counts::default();
    let mask = (1u64 << (2 * K)) - 1;
    for read in reads {
        let (mut fwd, mut rev, mut valid) = (0u64, 0u64, 0usize);
        for &c in read.as_bytes() {
            let code = match c {
                b'A' => 0u64,
                b'C' => 1,
                b'G' => 2,
                b'T' => 3,
                _ => {
                    valid = 0;
                    continue;
                }
            };
            fwd = (fwd << 2 | code) & mask;
            rev = rev >> 2 | (3 - code) << (2 * (K - 1));
            valid += 1;
            if valid >= K {
                *counts.entry(fwd.min(rev)).or_insert(0) += 1;
            }
        }
    }
    counts
}

fn unpack(kmer: u64) -> String {
    (0..K).rev().map(|i| ['A', 'C', 'G', 'T'][(kmer >> (2 * i) & 3) as usize]).collect()
}

fn main() {
    let mut rng = Rng(0x9E3779B97F4A7C15);
    let genome = make_genome(120_000, &mut rng);
    let reads = make_reads(&genome, 14_000, 150, &mut rng);
    let counts = count_kmers(&reads);

    let mut histogram = vec![0u64; 101];
    let mut total = 0u64;
    for &c in counts.values() {
        histogram[c.min(100) as usize] += 1;
        total += c as u64;
    }
    let peak = (4..100).max_by_key(|&i| (histogram[i], i)).unwrap();
    println!("distinct {} total {}", counts.len(), total);
    println!("singletons {} doubletons {}", histogram[1], histogram[2]);
    println!("peak {} estimated genome size {}", peak, total / peak as u64);
    let mut top: Vec<(&u64, &u32)> = counts.iter().collect();
    top.sort_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
    for (kmer, c) in top.iter().take(3) {
        println!("{} {}", unpack(**kmer), c);
    }
}
