// Develops photographs: exposure and contrast in linear light, then back to display values,
// and a small preview by box averaging.

struct Photo {
    width: usize,
    height: usize,
    rgb: Vec<u8>,
}

#[derive(Clone, Copy)]
struct Recipe {
    exposure: f32,
    contrast: f32,
    balance: [f32; 3],
}

fn to_linear(v: u8) -> f32 {
    let s = v as f32 / 255.0;
    if s <= 0.04045 {
        s / 12.92
    } else {
        ((s + 0.055) / 1.055).powf(2.4)
    }
}

fn to_display(l: f32) -> u8 {
    let l = l.clamp(0.0, 1.0);
    let s = if l <= 0.0031308 { l * 12.92 } else { 1.055 * l.powf(1.0 / 2.4) - 0.055 };
    (s * 255.0 + 0.5) as u8
}

fn develop_channel(v: u8, recipe: &Recipe, channel: usize) -> u8 {
    let exposed = to_linear(v) * recipe.balance[channel] * 2f32.powf(recipe.exposure);
    let grey = 0.18f32;
    to_display(grey * (exposed / grey).powf(recipe.contrast))
}

fn develop(photo: &Photo, recipe: &Recipe) -> Photo {
    let mut rgb = Vec::with_capacity(photo.rgb.len());
    for pixel in photo.rgb.chunks_exact(3) {
        for (channel, &v) in pixel.iter().enumerate() {
            rgb.push(develop_channel(v, recipe, channel));
        }
    }
    Photo { width: photo.width, height: photo.height, rgb }
}

fn preview(photo: &Photo, factor: usize) -> Photo {
    let (w, h) = (photo.width / factor, photo.height / factor);
    let mut rgb = Vec::with_capacity(w * h * 3);
    for y in 0..h {
        for x in 0..w {
            for c in 0..3 {
                let mut sum = 0usize;
                for dy in 0..factor {
                    for dx in 0..factor {
                        sum += photo.rgb[((y * factor + dy) * photo.width + x * factor + dx) * 3 + c] as usize;
                    }
                }
                rgb.push((sum / (factor * factor)) as u8);
            }
        }
    }
    Photo { width: w, height: h, rgb }
}

fn shoot(width: usize, height: usize, seed: u32) -> Photo {
    let mut state = seed;
    let mut rgb = Vec::with_capacity(width * height * 3);
    for y in 0..height {
        for x in 0..width {
            state = state.wrapping_mul(1664525).wrapping_add(1013904223);
            let noise = (state >> 24) / 16;
            let sky = (200 * (height - y) / height) as u32;
            let ground = (120 * x / width) as u32;
            rgb.push((ground + noise + sky / 4).min(255) as u8);
            rgb.push((ground / 2 + noise + sky / 2).min(255) as u8);
            rgb.push((sky + noise).min(255) as u8);
        }
    }
    Photo { width, height, rgb }
}

fn checksum(data: &[u8]) -> u64 {
    data.iter().fold(14695981039346656037, |h, &b| (h ^ b as u64).wrapping_mul(1099511628211))
}

fn main() {
    let count: u32 = std::env::args().nth(1).map_or(6, |a| a.parse().unwrap());
    for k in 0..count {
        let photo = shoot(1600, 1066, 1000 + k);
        let recipe = Recipe {
            exposure: 0.3 * k as f32 - 0.5,
            contrast: 1.0 + 0.05 * k as f32,
            balance: [1.05, 1.0, 0.92 + 0.02 * k as f32],
        };
        let developed = develop(&photo, &recipe);
        let small = preview(&developed, 8);
        let mean = developed.rgb.iter().map(|&v| v as u64).sum::<u64>() as f64 / developed.rgb.len() as f64;
        println!("photo {}: mean {:.6} preview {}x{}", k, mean, small.width, small.height);
        println!("  checksums {:016x} {:016x}", checksum(&developed.rgb), checksum(&small.rgb));
    }
}
