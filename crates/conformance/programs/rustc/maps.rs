//! PROGRAM: a hash map, strings and a sort.
use std::collections::HashMap;
fn main() {
    let mut counts: HashMap<String, u32> = HashMap::new();
    for n in 0..1000 {
        *counts.entry(format!("k{}", n % 17)).or_default() += n;
    }
    let mut all: Vec<_> = counts.into_iter().collect();
    all.sort();
    println!("{all:?}");
}
