// Flood simulation on a terrain map: the water level rises and the connected wet area is measured.
use std::collections::VecDeque;

struct Terrain {
    width: usize,
    height: usize,
    level: Vec<u16>,
}

impl Terrain {
    fn generate(width: usize, height: usize, seed: u64) -> Terrain {
        let mut s = seed;
        let mut level = vec![0u16; width * height];
        for y in 0..height {
            for x in 0..width {
                s = s.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                let rough = (s >> 58) as u16;
                let hill = ((x / 16 * 7 + y / 16 * 13) % 40) as u16;
                level[y * width + x] = hill + rough;
            }
        }
        Terrain { width, height, level }
    }

    fn neighbours(&self, cell: usize) -> Vec<usize> {
        let (x, y) = (cell % self.width, cell / self.width);
        let mut list = Vec::new();
        if x > 0 {
            list.push(cell - 1);
        }
        if x + 1 < self.width {
            list.push(cell + 1);
        }
        if y > 0 {
            list.push(cell - self.width);
        }
        if y + 1 < self.height {
            list.push(cell + self.width);
        }
        list
    }

    fn flood(&self, start: usize, water: u16) -> (usize, u64, u32) {
        let mut seen = vec![false; self.level.len()];
        let mut queue = VecDeque::new();
        let (mut area, mut volume, mut shore) = (0, 0u64, 0u32);
        seen[start] = true;
        queue.push_back(start);
        while let Some(cell) = queue.pop_front() {
            area += 1;
            volume += (water - self.level[cell].min(water)) as u64;
            for next in self.neighbours(cell) {
                if self.level[next] > water {
                    shore += 1;
                } else if !seen[next] {
                    seen[next] = true;
                    queue.push_back(next);
                }
            }
        }
        (area, volume, shore)
    }
}

fn main() {
    let terrain = Terrain::generate(1024, 768, 5);
    let start = 400 * 1024 + 512;
    for water in 40..110 {
        let (area, volume, shore) = terrain.flood(start, water);
        println!("water {} area {} volume {} shore {}", water, area, volume, shore);
    }
}
