//! ELF, DWARF, unwind tables and relocations: any bytes, every query.

#![no_main]

use libfuzzer_sys::fuzz_target;
use loopwright_binary::image::Image;

fuzz_target!(|bytes: &[u8]| {
    let Ok(image) = Image::from_bytes("fuzz", bytes.to_vec()) else { return };
    image.describe();
    let functions = image.functions();
    for (index, info) in functions.iter().enumerate().take(16) {
        image.line_rows(index);
        image.definition(index);
        image.landing_pads(index);
        image.address_taken((info.address, info.end));
        for address in [info.address, info.end] {
            image.locate(address);
            image.name_at(address);
            image.producer_at(address);
            image.pointer_at(address);
        }
        image.code(info.address, info.end);
    }
    for address in [0, u64::MAX] {
        image.locate(address);
        image.name_at(address);
        image.pointer_at(address);
        image.data(address, 16);
    }
});
