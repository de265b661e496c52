//! Damaged programs: planning and encoding them ends without a panic, whatever their bytes.

use crate::counting::builds::Ready;
use loopwright_binary::image::{DebugSearch, Image};
use loopwright_instrument::dry_run;
use loopwright_testprograms::{Compiler, counting_programs};

/// A small generator with a seed, so that a failure can be repeated.
struct Xorshift(u64);

impl Xorshift {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}

#[test]
fn damaged_programs_are_planned_without_a_panic() {
    let programs = counting_programs();
    let program = programs.iter().find(|p| p.name == "flow").expect("the program with all kinds of jumps");
    let Some(ready) = Ready::build(program, Compiler::Gcc, "O2") else { return };
    let path = &ready.built.path;
    let intact = std::fs::read(path).expect("the program that was just built");
    let image = Image::open(path, &DebugSearch::none()).expect("an ELF file");
    let plain = dry_run(image);
    assert!(plain.whole > 0 && plain.counted_loops == plain.loops, "{:?}", plain.left_alone);
    // Damage where it has most effect: in the code, which follows the first page of the file.
    let code = 0x1000..intact.len().min(0x3000);
    let mut random = Xorshift(0x2545_f491_4f6c_dd1d);
    let mut planned = 0;
    for _ in 0..150 {
        let mut bytes = intact.clone();
        for _ in 0..1 + random.next() % 24 {
            let everywhere = random.next().is_multiple_of(8);
            let range = if everywhere { 0..bytes.len() } else { code.clone() };
            let at = range.start + (random.next() as usize) % range.len();
            bytes[at] = random.next() as u8;
        }
        if let Ok(image) = Image::from_bytes("damaged", bytes) {
            planned += dry_run(image).whole;
        }
    }
    assert!(planned > 0, "all damaged programs were refused");
}
