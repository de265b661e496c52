//! Computes the same at every level that this processor can run, and names those that it cannot.
//!
//! `cargo run -p loopwright-kernels --example levels`

use loopwright_kernels::fletcher::{fletcher64, fletcher64_with};
use loopwright_kernels::{Extra, Isa};

fn main() {
    let data: Vec<u8> = (0..1 << 16).map(|i| (i % 251) as u8).collect();
    println!("without a level named: {} {:016x}", Isa::best(), fletcher64(&data));
    for isa in Isa::ALL {
        match fletcher64_with(isa, &data) {
            Ok(checksum) => {
                let extras = Extra::ALL.into_iter().filter(|extra| extra.is_available(isa));
                let extras: Vec<&str> = extras.map(Extra::name).collect();
                println!(
                    "{isa:<7} {checksum:016x} with {}",
                    if extras.is_empty() { "none" } else { &*extras.join(" ") }
                );
            }
            Err(error) => println!("{isa:<7} {error}"),
        }
    }
}
