//! PROGRAM: iterators and closures.
fn main() {
    let sum: u64 = (0..1000u64).filter(|n| n % 3 == 0).map(|n| n * n).sum();
    println!("{sum}");
}
