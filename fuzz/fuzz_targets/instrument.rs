//! Any bytes as a program to be counted: planning and encoding all of its functions must end without a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use loopwright_binary::image::Image;
use loopwright_instrument::dry_run;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(image) = Image::from_bytes("fuzzed", bytes.to_vec()) {
        let _ = dry_run(image);
    }
});
