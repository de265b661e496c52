// LZ77 packer for configuration archives: greedy parsing with the longest
// match in a sliding window (the nearest one among equals), then unpacking
// as a check.
const WINDOW: usize = 16384;
const MIN_MATCH: usize = 4;
const MAX_MATCH: usize = 259;

struct Rng(u32);

impl Rng {
    fn below(&mut self, n: u32) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        self.0 % n
    }
}

fn make_archive(size: usize) -> Vec<u8> {
    let mut rng = Rng(0xC0FFEE);
    let keys = ["listen", "upstream", "timeout", "retries", "log_level", "cache_dir", "user", "cert", "max_conn"];
    let values = ["enabled", "/var/lib/service", "127.0.0.1", "debug", "none", "internal"];
    let mut out = Vec::new();
    while out.len() < size {
        if rng.below(8) == 0 {
            out.extend_from_slice(format!("[section {:x}]\n", rng.below(1 << 20)).as_bytes());
        }
        let key = keys[rng.below(9) as usize];
        if rng.below(3) == 0 {
            out.extend_from_slice(format!("  {key} = {}\n", values[rng.below(6) as usize]).as_bytes());
        } else {
            out.extend_from_slice(format!("  {key}_{} = {}\n", rng.below(90), rng.below(1 << 24)).as_bytes());
        }
    }
    out.truncate(size);
    out
}

fn match_length(data: &[u8], a: usize, b: usize) -> usize {
    let limit = MAX_MATCH.min(data.len() - b);
    let mut n = 0;
    while n < limit && data[a + n] == data[b + n] {
        n += 1;
    }
    n
}

// Positions that begin with the same (hashed) four bytes are chained, newest
// first; only these can give a match of the minimal length or more.
const HASH_BITS: u32 = 15;
const NONE: u32 = u32::MAX;

struct Chains {
    head: Vec<u32>,
    prev: Vec<u32>,
}

impl Chains {
    fn new() -> Chains {
        Chains { head: vec![NONE; 1 << HASH_BITS], prev: vec![NONE; WINDOW] }
    }

    fn slot(data: &[u8], pos: usize) -> usize {
        let word = u32::from_le_bytes(data[pos..pos + 4].try_into().unwrap());
        (word.wrapping_mul(2654435761) >> (32 - HASH_BITS)) as usize
    }

    fn insert(&mut self, data: &[u8], pos: usize) {
        if pos + MIN_MATCH <= data.len() {
            let slot = Self::slot(data, pos);
            self.prev[pos % WINDOW] = self.head[slot];
            self.head[slot] = pos as u32;
        }
    }

    fn longest_match(&self, data: &[u8], pos: usize) -> (usize, usize) {
        let mut best = (0, 0);
        if pos + MIN_MATCH > data.len() {
            return best;
        }
        let low = pos.saturating_sub(WINDOW);
        let mut cand = self.head[Self::slot(data, pos)];
        while cand != NONE && cand as usize >= low {
            let c = cand as usize;
            // A longer match must agree in the byte after the best one so far.
            if pos + best.0 < data.len() && data[c + best.0] == data[pos + best.0] {
                let n = match_length(data, c, pos);
                if n > best.0 {
                    best = (n, pos - c);
                    if n == MAX_MATCH {
                        break;
                    }
                }
            }
            let next = self.prev[c % WINDOW];
            if next != NONE && next >= cand {
                break;
            }
            cand = next;
        }
        best
    }
}

enum Item {
    Literal(u8),
    Match { length: usize, distance: usize },
}

fn pack(data: &[u8]) -> Vec<Item> {
    let mut items = Vec::new();
    let mut chains = Chains::new();
    let mut pos = 0;
    while pos < data.len() {
        let (length, distance) = chains.longest_match(data, pos);
        let step = if length >= MIN_MATCH {
            items.push(Item::Match { length, distance });
            length
        } else {
            items.push(Item::Literal(data[pos]));
            1
        };
        for p in pos..pos + step {
            chains.insert(data, p);
        }
        pos += step;
    }
    items
}

fn unpack(items: &[Item]) -> Vec<u8> {
    let mut out: Vec<u8> = Vec::new();
    for item in items {
        match *item {
            Item::Literal(b) => out.push(b),
            Item::Match { length, distance } => {
                for _ in 0..length {
                    out.push(out[out.len() - distance]);
                }
            }
        }
    }
    out
}

fn main() {
    let data = make_archive(450_000);
    let items = pack(&data);
    let mut literals = 0u64;
    let mut covered = 0u64;
    let mut fold = 0u64;
    for item in &items {
        match *item {
            Item::Literal(b) => {
                literals += 1;
                fold = fold.wrapping_mul(31).wrapping_add(b as u64);
            }
            Item::Match { length, distance } => {
                covered += length as u64;
                fold = fold.wrapping_mul(31).wrapping_add((length * 65536 + distance) as u64);
            }
        }
    }
    println!("bytes {} items {} literals {literals} covered {covered}", data.len(), items.len());
    println!("fold {fold:016x} round trip {}", unpack(&items) == data);
}
