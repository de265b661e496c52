// In-memory time-series store: samples are kept in compressed chunks (delta of
// delta timestamps, XOR values); range queries decode the chunks and aggregate.
#[derive(Default)]
struct BitWriter {
    bytes: Vec<u8>,
    free: u8,
}

impl BitWriter {
    fn write_bit(&mut self, bit: bool) {
        if self.free == 0 {
            self.bytes.push(0);
            self.free = 8;
        }
        self.free -= 1;
        if bit {
            *self.bytes.last_mut().unwrap() |= 1 << self.free;
        }
    }

    fn write_bits(&mut self, value: u64, n: u32) {
        for i in (0..n).rev() {
            self.write_bit((value >> i) & 1 == 1);
        }
    }
}

struct BitReader<'a> {
    bytes: &'a [u8],
    pos: usize, // in bits
}

impl BitReader<'_> {
    // the next bits, at the top; at least 57 of them are valid
    #[inline(always)]
    fn peek(&self) -> u64 {
        let rest = &self.bytes[self.pos >> 3..];
        let word = rest.first_chunk().copied().unwrap_or_else(|| {
            let mut last = [0u8; 8];
            last[..rest.len()].copy_from_slice(rest);
            last
        });
        u64::from_be_bytes(word) << (self.pos & 7)
    }

    #[inline(always)]
    fn read_bits(&mut self, n: u32) -> u64 {
        let mut v = self.peek();
        if n > 57 {
            let tail = BitReader { bytes: self.bytes, pos: self.pos + 32 };
            v = v >> 32 << 32 | tail.peek() >> 32;
        }
        self.pos += n as usize;
        v >> (64 - n)
    }
}

// number of bits after the prefixes 10, 110, 1110, 1111
const WIDTHS: [u32; 4] = [7, 9, 12, 32];

#[derive(Default)]
struct Chunk {
    w: BitWriter,
    count: u32,
    first_ts: i64,
    last_ts: i64,
    delta: i64,
    last_bits: u64,
    lead: u32,
    trail: u32,
}

impl Chunk {
    fn new() -> Self {
        Chunk { lead: 64, ..Default::default() }
    }

    fn append(&mut self, ts: i64, value: f64) {
        let bits = value.to_bits();
        if self.count == 0 {
            self.first_ts = ts;
            self.w.write_bits(ts as u64, 64);
            self.w.write_bits(bits, 64);
        } else {
            let delta = ts - self.last_ts;
            let dod = delta - self.delta;
            self.delta = delta;
            if dod == 0 {
                self.w.write_bit(false);
            } else {
                let k = WIDTHS.iter().position(|&n| dod >= -(1 << (n - 1)) && dod < 1 << (n - 1)).unwrap();
                self.w.write_bits([0b10, 0b110, 0b1110, 0b1111][k], [2, 3, 4, 4][k]);
                self.w.write_bits(dod as u64, WIDTHS[k]);
            }
            let x = bits ^ self.last_bits;
            if x == 0 {
                self.w.write_bit(false);
            } else {
                let (lead, trail) = (x.leading_zeros().min(31), x.trailing_zeros());
                if lead >= self.lead && trail >= self.trail {
                    self.w.write_bits(0b10, 2);
                } else {
                    (self.lead, self.trail) = (lead, trail);
                    self.w.write_bits(0b11, 2);
                    self.w.write_bits((lead << 6 | (63 - lead - trail)) as u64, 11);
                }
                self.w.write_bits(x >> self.trail, 64 - self.lead - self.trail);
            }
        }
        self.last_ts = ts;
        self.last_bits = bits;
        self.count += 1;
    }

    fn for_each(&self, mut f: impl FnMut(i64, f64)) {
        let mut r = BitReader { bytes: &self.w.bytes, pos: 0 };
        let mut ts = r.read_bits(64) as i64;
        let mut bits = r.read_bits(64);
        let (mut delta, mut lead, mut trail) = (0i64, 0u32, 0u32);
        f(ts, f64::from_bits(bits));
        for _ in 1..self.count {
            // prefix (at most 4 bits) and the difference (at most 32) lie in one word
            let word = r.peek();
            let ones = word.leading_ones().min(4) as usize;
            if ones > 0 {
                delta += (word << (ones + 1).min(4)) as i64 >> (64 - WIDTHS[ones - 1]);
            }
            r.pos += [1, 9, 12, 16, 36][ones];
            ts += delta;
            let word = r.peek();
            if word >> 63 == 0 {
                r.pos += 1;
            } else {
                if word >> 62 == 0b11 {
                    lead = (word >> 57) as u32 & 31;
                    trail = 63 - lead - ((word >> 51) as u32 & 63);
                    r.pos += 13;
                } else {
                    r.pos += 2;
                }
                bits ^= r.read_bits(64 - lead - trail) << trail;
            }
            f(ts, f64::from_bits(bits));
        }
    }
}

#[derive(Default)]
struct Series { chunks: Vec<Chunk> }

impl Series {
    fn append(&mut self, ts: i64, value: f64) {
        if self.chunks.last().map_or(true, |c| c.count >= 480) {
            self.chunks.push(Chunk::new());
        }
        self.chunks.last_mut().unwrap().append(ts, value);
    }

    // sum, maximum and count per step of the range
    fn query(&self, from: i64, to: i64, step: i64) -> Vec<(f64, f64, u32)> {
        let mut out = vec![(0.0, f64::MIN, 0); ((to - from) / step) as usize];
        for c in self.chunks.iter().filter(|c| c.last_ts >= from && c.first_ts < to) {
            c.for_each(|ts, v| {
                if ts >= from && ts < to {
                    let o = &mut out[((ts - from) / step) as usize];
                    *o = (o.0 + v, o.1.max(v), o.2 + 1);
                }
            });
        }
        out
    }
}

fn main() {
    let mut seed = 42u64;
    let mut rnd = move |n: u64| {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 33) % n
    };
    let mut store: Vec<Series> = (0..100).map(|_| Series::default()).collect();
    for (s, series) in store.iter_mut().enumerate() {
        let (mut ts, mut v) = (1_700_000_000_000i64, 20.0 + s as f64);
        for _ in 0..2880 {
            ts += 15_000 + if rnd(4) == 0 { rnd(41) as i64 - 20 } else { 0 };
            v += if rnd(3) > 0 { (rnd(201) as f64 - 100.0) * 0.01 } else { 0.0 };
            series.append(ts, v);
        }
    }
    let (mut check, mut points) = (0.0, 0u64);
    for _ in 0..9000 {
        let from = 1_700_000_000_000 + rnd(20_000_000) as i64;
        let rows = store[rnd(100) as usize].query(from, from + 21_600_000, 60_000);
        for (sum, max, n) in rows.iter().filter(|r| r.2 > 0) {
            check += sum / *n as f64 + 0.001 * max;
            points += *n as u64;
        }
    }
    println!("bytes {}", store.iter().flat_map(|s| &s.chunks).map(|c| c.w.bytes.len()).sum::<usize>());
    println!("points {points} check {check:.9}");
}
