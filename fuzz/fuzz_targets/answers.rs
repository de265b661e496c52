//! What two programs printed: any bytes compare without a panic, equal bytes are the same, and a difference is located.

#![no_main]

use libfuzzer_sys::fuzz_target;
use loopwright_answers::{Check, Tolerance, Verdict, compare};

fuzz_target!(|outputs: (&[u8], &[u8])| {
    let (expected, found) = outputs;
    let check = Check::Numbers(Tolerance { relative: 1e-9, absolute: 0.0 });
    assert_eq!(compare(found, found, check).verdict, Verdict::Same);
    let comparison = compare(expected, found, check);
    assert_eq!(comparison.verdict == Verdict::Different, comparison.first.is_some());
});
