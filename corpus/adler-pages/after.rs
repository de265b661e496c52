// Page checksums of a copy-on-write page store: every commit re-sums the pages
// of the snapshot with Adler-32 and chains the sums into a manifest.
const PAGES: usize = 1024;
const PAGE: usize = 8192;
const COMMITS: usize = 36;
const BASE: u32 = 65521;
const LANES: usize = 32;

struct Rng(u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
}

fn adler32(data: &[u8]) -> u32 {
    let mut a: u32 = 1;
    let mut b: u32 = 0;
    // 5552 is the longest run for which neither sum can overflow 32 bits;
    // 5536 is the largest multiple of the 32-byte strip below it.
    for block in data.chunks(5536) {
        let strips = block.chunks_exact(LANES);
        let tail = strips.remainder();
        for s in strips {
            let s: &[u8; LANES] = s.try_into().unwrap();
            let mut plain = 0u32;
            let mut weighted = 0u32;
            for k in 0..LANES {
                plain += s[k] as u32;
                weighted += (LANES - k) as u32 * s[k] as u32;
            }
            b += LANES as u32 * a + weighted;
            a += plain;
        }
        for &x in tail {
            a += x as u32;
            b += a;
        }
        a %= BASE;
        b %= BASE;
    }
    (b << 16) | a
}

struct Store {
    bytes: Vec<u8>,
    used: Vec<usize>,
}

impl Store {
    fn new(rng: &mut Rng) -> Store {
        let mut bytes = vec![0u8; PAGES * PAGE];
        for c in bytes.chunks_mut(8) {
            c.copy_from_slice(&rng.next().to_le_bytes());
        }
        let used = (0..PAGES).map(|_| PAGE - (rng.next() % 700) as usize).collect();
        Store { bytes, used }
    }

    fn page(&self, i: usize) -> &[u8] {
        &self.bytes[i * PAGE..i * PAGE + self.used[i]]
    }

    fn write(&mut self, rng: &mut Rng) {
        let x = rng.next();
        let i = (x >> 20) as usize % PAGES;
        let off = (x & 0xFFFFF) as usize % self.used[i];
        self.bytes[i * PAGE + off] = (x >> 56) as u8;
    }
}

fn main() {
    let mut rng = Rng(2024);
    let mut store = Store::new(&mut rng);
    println!("check {:08x}", adler32(b"Wikipedia"));
    let mut sums = vec![0u32; PAGES];
    let mut dirty = 0usize;
    let mut manifest: u64 = 0;
    for commit in 0..COMMITS {
        for _ in 0..200 {
            store.write(&mut rng);
        }
        for i in 0..PAGES {
            let s = adler32(store.page(i));
            if s != sums[i] {
                dirty += 1;
                sums[i] = s;
            }
            manifest = manifest.rotate_left(7) ^ (s as u64).wrapping_mul(0x1_0000_01B3);
        }
        if commit % 9 == 0 {
            println!("commit {commit} dirty {dirty} manifest {manifest:016x}");
        }
    }
    println!("dirty {dirty} manifest {manifest:016x} {:08x} {:08x}", sums[0], sums[PAGES - 1]);
}
