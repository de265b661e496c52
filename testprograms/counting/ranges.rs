// PROGRAM
//
// Iterators, bounds checks, pattern matching and a panic caught outside of its loop.
// Usage: ranges [expect] [N].

use std::hint::black_box;

#[unsafe(no_mangle)]
#[inline(never)]
fn zip_sum(a: &[f64], b: &[f64]) -> f64 {
    let mut sum = 0.0;
    for (x, y) in a.iter().zip(b) { // LOOP name=zip_sum class=fp-reduction
        sum += *x * *y;
    }
    sum
}

#[unsafe(no_mangle)]
#[inline(never)]
fn checked(a: &mut [f64], b: &[f64], n: usize) {
    let mut i = 0;
    while i < n { // LOOP name=checked class=fp-map
        a[i] += 2.0 * b[i];
        i += 1;
    }
}

#[unsafe(no_mangle)]
#[inline(never)]
fn words(text: &[u8]) -> u64 {
    let (mut count, mut at) = (0, 0);
    while at < text.len() { // LOOP name=words class=switch
        match black_box(text[at]) {
            b' ' => count += 1,
            b'\n' => count += 100,
            b'0'..=b'9' => count += 10_000,
            _ => {}
        }
        at += 1;
    }
    count
}

#[unsafe(no_mangle)]
#[inline(never)]
fn beyond(a: &[u64], n: usize) -> u64 {
    let mut sum = 0;
    let mut i = 0;
    while i < n { // LOOP name=beyond class=int-reduction
        sum += black_box(a[i]);
        i += 1;
    }
    sum
}

fn main() {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let ask = arguments.first().is_some_and(|w| w == "expect");
    if ask {
        arguments.remove(0);
    }
    let n: usize = arguments.first().map_or(300, |w| w.parse().expect("a number"));
    if ask {
        // No loop is promised: its iterator is a call without optimisation, and unrolled with any.
        // No loop is promised: its iterator is a call without optimisation, and unrolled with any.
        println!("function zip_sum calls=1 f64={}", 2 * n);
        println!("function checked calls=2 f64={}", 4 * n);
        println!("loop checked entries=2 iterations={} min={n} max={n}", 2 * n);
        println!("function words calls=1 f64=0");
        println!("loop words entries=1 iterations={n}");
        // The second call fails in pass n + 1.
        println!("function beyond calls=2");
        println!("loop beyond entries=2 breaks=1 iterations={} min={n} max={}", n + n + 1, n + 1);
        return;
    }
    let mut a: Vec<f64> = (0..n).map(|i| (i % 13) as f64).collect();
    let b: Vec<f64> = (0..n).map(|i| (i % 7) as f64 / 4.0).collect();
    let text: Vec<u8> = (0..n).map(|i| if i % 6 == 5 { b' ' } else { b'a' }).collect();
    checked(&mut a, &b, n);
    checked(&mut a, black_box(&b), n);
    println!("zip {} words {}", zip_sum(&a, &b), words(&text));
    let values: Vec<u64> = (0..n as u64).collect();
    let whole = beyond(&values, n);
    std::panic::set_hook(Box::new(|_| {}));
    let failed = std::panic::catch_unwind(|| beyond(&values, n + 2)).is_err();
    println!("beyond {whole} failed {failed}");
}
