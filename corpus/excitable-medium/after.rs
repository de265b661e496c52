//! Greenberg-Hastings style excitable medium on a torus: cells are at rest,
//! excited or refractory; waves and spirals form from a random start.

#[derive(Clone)]
struct Medium {
    width: usize,
    height: usize,
    states: u8,
    threshold: u32,
    cells: Vec<u8>,
    next: Vec<u8>,
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

impl Medium {
    fn random(width: usize, height: usize, states: u8, threshold: u32, rng: &mut Rng) -> Medium {
        let mut cells = vec![0u8; width * height];
        for c in cells.iter_mut() {
            let r = rng.next() >> 33;
            *c = if r % 10 < 4 { (r / 10 % states as u64) as u8 } else { 0 };
        }
        let next = cells.clone();
        Medium { width, height, states, threshold, cells, next }
    }

    // Rows with one wrapped cell on each side, so that neighbours are plain slices.
    fn fill_halo(&self, y: usize, row: &mut [u8]) {
        let w = self.width;
        let src = &self.cells[y * w..(y + 1) * w];
        row[1..=w].copy_from_slice(src);
        row[0] = src[w - 1];
        row[w + 1] = src[0];
    }

    fn step(&mut self) {
        let (w, h) = (self.width, self.height);
        let threshold = self.threshold as u8;
        let mut up = vec![0u8; w + 2];
        let mut mid = vec![0u8; w + 2];
        let mut down = vec![0u8; w + 2];
        self.fill_halo(h - 1, &mut up);
        self.fill_halo(0, &mut mid);
        for y in 0..h {
            let below = if y + 1 == h { 0 } else { y + 1 };
            self.fill_halo(below, &mut down);
            let (u0, u1, u2) = (&up[0..w], &up[1..w + 1], &up[2..w + 2]);
            let (m0, m1, m2) = (&mid[0..w], &mid[1..w + 1], &mid[2..w + 2]);
            let (d0, d1, d2) = (&down[0..w], &down[1..w + 1], &down[2..w + 2]);
            let states = self.states;
            let out = &mut self.next[y * w..(y + 1) * w];
            for x in 0..w {
                let e = |v: u8| (v == 1) as u8;
                let n = e(u0[x]) + e(u1[x]) + e(u2[x]) + e(m0[x]) + e(m2[x]) + e(d0[x]) + e(d1[x]) + e(d2[x]);
                let c = m1[x];
                let aged = if c + 1 == states { 0 } else { c + 1 };
                let woken = (n >= threshold) as u8;
                out[x] = if c == 0 { woken } else { aged };
            }
            std::mem::swap(&mut up, &mut mid);
            std::mem::swap(&mut mid, &mut down);
        }
        std::mem::swap(&mut self.cells, &mut self.next);
    }

    fn census(&self) -> (usize, usize, usize) {
        let rest = self.cells.iter().filter(|&&c| c == 0).count();
        let excited = self.cells.iter().filter(|&&c| c == 1).count();
        (rest, excited, self.cells.len() - rest - excited)
    }

    fn hash(&self) -> u64 {
        let mut h = 0xcbf29ce484222325u64;
        for &c in &self.cells {
            h = (h ^ c as u64).wrapping_mul(0x100000001b3);
        }
        h
    }
}

fn argument(k: usize, default: usize) -> usize {
    std::env::args().nth(k).and_then(|a| a.parse().ok()).unwrap_or(default)
}

fn main() {
    let (width, height) = (argument(1, 730), argument(2, 610));
    let steps = argument(3, 250);
    let mut rng = Rng(0x2545F4914F6CDD1D);
    let mut m = Medium::random(width, height, 14, 1, &mut rng);
    let mut total = 0usize;
    for t in 0..steps {
        m.step();
        let (rest, excited, refractory) = m.census();
        total += excited;
        if t % 50 == 49 {
            println!("step {:4} rest {} excited {} refractory {}", t + 1, rest, excited, refractory);
        }
    }
    println!("excitations {}", total);
    println!("state hash {:016x}", m.hash());
}
