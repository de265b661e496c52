//! Records of a perf ring buffer: whatever the bytes, decoding ends without a panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use loopwright_sample::perf::records::{RecordFormat, split};

fuzz_target!(|data: &[u8]| {
    let Some((&choice, records)) = data.split_first() else { return };
    let format = match choice % 3 {
        0 => RecordFormat { stack_bytes: 16 * 1024, callchain: false },
        1 => RecordFormat { stack_bytes: 0, callchain: true },
        _ => RecordFormat { stack_bytes: 0, callchain: false },
    };
    for raw in split(records) {
        let _ = raw.time();
        let _ = raw.decode(format);
    }
});
