//! A compiler's output, whose function is to run in a program: any bytes are read or refused without a panic.

#![no_main]

use libfuzzer_sys::fuzz_target;
use loopwright_instrument::swap::companions;

fuzz_target!(|objects: (&[u8], &[u8])| {
    let (before, after) = objects;
    let _ = companions(before, after, "work");
});
