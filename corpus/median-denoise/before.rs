// Removes salt-and-pepper noise from grey frames with a square median filter.

struct Frame {
    width: usize,
    height: usize,
    data: Vec<u8>,
}

impl Frame {
    fn at(&self, x: isize, y: isize) -> u8 {
        let cx = x.clamp(0, self.width as isize - 1) as usize;
        let cy = y.clamp(0, self.height as isize - 1) as usize;
        self.data[cy * self.width + cx]
    }
}

fn median_filter(src: &Frame, radius: isize) -> Frame {
    let mut out = Vec::with_capacity(src.data.len());
    let mut window = Vec::new();
    for y in 0..src.height as isize {
        for x in 0..src.width as isize {
            window.clear();
            for dy in -radius..=radius {
                for dx in -radius..=radius {
                    window.push(src.at(x + dx, y + dy));
                }
            }
            window.sort_unstable();
            out.push(window[window.len() / 2]);
        }
    }
    Frame { width: src.width, height: src.height, data: out }
}

fn make_frame(width: usize, height: usize, seed: u32) -> Frame {
    let mut state = seed;
    let mut data = Vec::with_capacity(width * height);
    for y in 0..height {
        for x in 0..width {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            let shade = 60 + (x * 100 / width) + if (x / 40 + y / 30) % 2 == 0 { 50 } else { 0 };
            let value = match state % 10 {
                0 => 0,
                1 => 255,
                _ => shade as u32 + (state >> 8) % 24,
            };
            data.push(value as u8);
        }
    }
    Frame { width, height, data }
}

fn main() {
    let radius: isize = std::env::args().nth(1).map_or(5, |a| a.parse().unwrap());
    let mut checksum = 0u64;
    for seed in 1..=6u32 {
        let noisy = make_frame(480, 360, seed * 7919);
        let clean = median_filter(&noisy, radius);
        let mut changed = 0usize;
        let mut total = 0u64;
        for (a, b) in noisy.data.iter().zip(&clean.data) {
            changed += (a != b) as usize;
            total += *b as u64;
            checksum = checksum.wrapping_mul(1099511628211).wrapping_add(*b as u64);
        }
        println!("frame {}: {} pixels changed, mean {:.6}", seed, changed, total as f64 / clean.data.len() as f64);
        println!("  samples {} {} {}", clean.data[0], clean.at(200, 100), clean.at(479, 359));
    }
    println!("checksum {:016x}", checksum);
}
