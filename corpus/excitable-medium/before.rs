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

    fn get(&self, x: i64, y: i64) -> u8 {
        let x = x.rem_euclid(self.width as i64) as usize;
        let y = y.rem_euclid(self.height as i64) as usize;
        self.cells[y * self.width + x]
    }

    fn excited_neighbours(&self, x: usize, y: usize) -> u32 {
        let mut n = 0;
        for dy in -1..=1i64 {
            for dx in -1..=1i64 {
                if dx == 0 && dy == 0 {
                    continue;
                }
                if self.get(x as i64 + dx, y as i64 + dy) == 1 {
                    n += 1;
                }
            }
        }
        n
    }

    fn step(&mut self) {
        for y in 0..self.height {
            for x in 0..self.width {
                let c = self.cells[y * self.width + x];
                let new = if c == 0 {
                    if self.excited_neighbours(x, y) >= self.threshold {
                        1
                    } else {
                        0
                    }
                } else if c + 1 == self.states {
                    0
                } else {
                    c + 1
                };
                self.next[y * self.width + x] = new;
            }
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
