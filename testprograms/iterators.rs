// PROGRAM matrix=yes
//
//! Rust shapes of loops: slices with and without bounds checks, iterator chains, chunks, windows, fixed arrays,
//! closures, searches and integer arithmetic with its overflow rules. Prints one checksum per kernel.

use std::hint::black_box;

#[inline(never)]
fn triad_zip(x: &mut [f64], y: &[f64], z: &[f64], s: f64) {
    for ((x, y), z) in x.iter_mut().zip(y).zip(z) { // LOOP name=triad_zip class=fp-map
        *x = y + s * z;
    }
}

// Every access is checked against the length of its slice.
#[inline(never)]
fn triad_index(x: &mut [f64], y: &[f64], z: &[f64], s: f64) {
    for i in 0..x.len() { // LOOP name=triad_index class=fp-map
        x[i] = y[i] + s * z[i];
    }
}

// The same after the lengths were made equal.
#[inline(never)]
fn triad_sliced(x: &mut [f64], y: &[f64], z: &[f64], s: f64) {
    let n = x.len();
    let (y, z) = (&y[..n], &z[..n]);
    for i in 0..n { // LOOP name=triad_sliced class=fp-map
        x[i] = y[i] + s * z[i];
    }
}

#[inline(never)]
fn summed(x: &[f64]) -> f64 {
    x.iter().sum() // LOOP name=summed class=fp-reduction
}

#[inline(never)]
fn lanes_summed(x: &[f64]) -> f64 {
    let mut lanes = [0.0; 8];
    let chunks = x.chunks_exact(8);
    let rest: f64 = chunks.remainder().iter().sum();
    for chunk in chunks { // LOOP name=lanes_summed class=fp-map
        for (lane, v) in lanes.iter_mut().zip(chunk) {
            *lane += v;
        }
    }
    lanes.iter().sum::<f64>() + rest
}

#[inline(never)]
fn integer_summed(x: &[i32]) -> i32 {
    x.iter().fold(0i32, |s, v| s.wrapping_add(*v)) // LOOP name=integer_summed class=int-reduction
}

#[inline(never)]
fn mapped(x: &[f32], to: &mut [f32]) {
    to.iter_mut().zip(x).for_each(|(t, v)| *t = v * v + 0.5); // LOOP name=mapped class=fp-map
}

#[inline(never)]
fn position(x: &[i32], value: i32) -> usize {
    x.iter().position(|v| *v == value).unwrap_or(x.len()) // LOOP name=position class=search
}

#[inline(never)]
fn counted(x: &[u8], byte: u8) -> usize {
    x.iter().filter(|b| **b == byte).count() // LOOP name=counted class=int-reduction
}

#[inline(never)]
fn saturated(x: &mut [u8], by: &[u8]) {
    for (x, by) in x.iter_mut().zip(by) { // LOOP name=saturated class=int-map
        *x = x.saturating_add(*by);
    }
}

#[inline(never)]
fn smoothed(x: &[f64], to: &mut [f64]) {
    for (t, w) in to.iter_mut().zip(x.windows(3)) { // LOOP name=smoothed class=fp-map
        *t = 0.25 * w[0] + 0.5 * w[1] + 0.25 * w[2];
    }
}

#[inline(never)]
fn recurrence(x: &mut [f64]) {
    for i in 1..x.len() { // LOOP name=recurrence class=recurrence
        x[i] += 0.5 * x[i - 1];
    }
}

#[inline(never)]
fn collatz(mut n: u64) -> u32 {
    let mut steps = 0;
    while n != 1 { // LOOP name=collatz class=recurrence
        n = if n % 2 == 0 { n / 2 } else { 3 * n + 1 };
        steps += 1;
    }
    steps
}

fn checksum(x: &[f64]) -> f64 {
    x.iter().enumerate().map(|(i, v)| v * (1 + i % 7) as f64).sum()
}

fn main() {
    let n = black_box(900usize);
    let y: Vec<f64> = (0..n).map(|i| (i * 37 % 101) as f64 / 101.0).collect();
    let z: Vec<f64> = (0..n).map(|i| (i * 61 % 89) as f64 / 89.0).collect();
    let k: Vec<i32> = (0..n).map(|i| (i * 37 % 907) as i32).collect();
    let bytes: Vec<u8> = (0..n).map(|i| (i * 7) as u8).collect();
    let mut x = vec![0.0; n];
    triad_zip(&mut x, &y, &z, 1.5);
    println!("triad_zip {}", checksum(&x));
    triad_index(&mut x, &y, &z, 2.5);
    println!("triad_index {}", checksum(&x));
    triad_sliced(&mut x, &y, &z, 3.5);
    println!("triad_sliced {}", checksum(&x));
    println!("summed {}", summed(&y));
    println!("lanes_summed {}", lanes_summed(&y));
    println!("integer_summed {}", integer_summed(&k));
    let f: Vec<f32> = y.iter().map(|v| *v as f32).collect();
    let mut g = vec![0.0f32; n];
    mapped(&f, &mut g);
    println!("mapped {}", g.iter().map(|v| f64::from(*v)).sum::<f64>());
    println!("position {}", position(&k, 450));
    println!("counted {}", counted(&bytes, 21));
    let mut saturating = bytes.clone();
    saturated(&mut saturating, &bytes);
    println!("saturated {}", saturating.iter().map(|b| u64::from(*b)).sum::<u64>());
    smoothed(&y, &mut x);
    println!("smoothed {}", checksum(&x));
    recurrence(&mut x);
    println!("recurrence {}", checksum(&x));
    println!("collatz {}", collatz(black_box(837_799)));
}
