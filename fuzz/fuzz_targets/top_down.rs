//! What `perf stat` writes: whatever the bytes, reading them and computing shares ends without a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use loopwright_sample::top_down::{reading, slots};

fuzz_target!(|data: &[u8]| {
    let written = reading::parse(data);
    if let Some(shares) = slots::of(&written.readings) {
        let shares = [shares.retiring, shares.bad_speculation, shares.front_end, shares.back_end];
        assert!(shares.iter().all(|share| (0.0..=1.0).contains(share)), "{shares:?}");
    }
});
