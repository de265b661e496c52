//! Files that are not programs get a clear error; damaged programs never cost more than time.

use crate::image::build::Workshop;
use loopwright_binary::image::{DebugSearch, Error, Image};
use std::path::Path;

fn message(bytes: &[u8]) -> String {
    Image::from_bytes("input", bytes.to_vec()).expect_err("not a program").to_string()
}

#[test]
fn what_is_no_program_is_named() {
    for (bytes, words) in [
        (&b""[..], "empty"),
        (b"#!/bin/sh\n", "a script"),
        (b"MZ\x90\0", "Windows"),
        (b"!<arch>\n", "a static library"),
        (b"hello, world\n", "a text file"),
        (b"\xfe\xff\0\0\x01\x80", "unknown format"),
        (b"\x7fELF", "damaged or cut short"),
        (b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x02\0\x3e\0", "damaged or cut short"),
        (b"\x7fELF\x01\x01\x01\0\0\0\0\0\0\0\0\0\x02\0\x03\0", "32-bit x86"),
        (b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x02\0\xb7\0", "AArch64"),
        (b"\x7fELF\x02\x02\x01\0\0\0\0\0\0\0\0\0\0\x02\0\x15", "PowerPC"),
    ] {
        let text = message(bytes);
        assert!(text.starts_with("input is") && text.contains(words), "{text}");
    }
    let missing = Image::open(Path::new("/nonexistent/program"), &DebugSearch::none());
    assert!(matches!(missing, Err(Error::Read { .. })));
    let folder = Image::open(Path::new("/"), &DebugSearch::none()).expect_err("a folder");
    assert!(folder.to_string().contains("not a regular file"));
}

#[test]
fn object_files_are_refused() {
    let workshop = Workshop::new();
    let Some(object) = workshop.compile("gcc", "mixed.c", &["-c"], "mixed.o") else { return };
    let problem = Image::open(&object, &DebugSearch::none()).expect_err("an object file");
    assert!(problem.to_string().contains("an object file, not a linked program"), "{problem}");
}

/// A small generator of reproducible numbers (SplitMix64).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }
}

/// Calls every query of an image.
fn exercise(image: &Image, numbers: &mut Numbers) {
    let facts = image.describe();
    assert!(facts.units.iter().all(|u| (u.producer as usize) < facts.producers.len()));
    let functions = image.functions();
    for index in (0..functions.len()).chain([functions.len()]).take(12) {
        image.line_rows(index);
        image.definition(index);
        image.landing_pads(index);
        let Some(info) = functions.get(index) else { continue };
        image.address_taken((info.address, info.end));
        for address in [info.address, info.end.saturating_sub(1), info.end] {
            image.function_at(address);
            image.locate(address);
            image.producer_at(address);
            image.name_at(address);
        }
        image.code(info.address, info.end);
    }
    for address in [0, 1, numbers.next(), numbers.next() & 0xffff, u64::MAX - 8, u64::MAX] {
        image.locate(address);
        image.name_at(address);
        image.pointer_at(address);
        image.data(address, numbers.below(64));
        image.data(address, usize::MAX);
        image.code(address, address.wrapping_add(numbers.next() & 0xff));
        image.is_read_only(address);
        image.address_taken((address, u64::MAX));
        image.function_at(address);
    }
}

/// Offsets of the file that steer parsing: headers, tables and debug sections.
fn damaged(original: &[u8], numbers: &mut Numbers) -> Vec<u8> {
    let mut bytes = original.to_vec();
    if numbers.below(16) == 0 {
        bytes.truncate(numbers.below(original.len()));
        return bytes;
    }
    // Most of a small program's tables are at its end, the headers at its start.
    let (from, to) = match numbers.below(4) {
        0 => (0, 0x400),
        1 => (0, bytes.len()),
        _ => (bytes.len() / 3, bytes.len()),
    };
    for _ in 0..1 + numbers.below(12) {
        let at = from + numbers.below(to.min(bytes.len()).saturating_sub(from));
        let value = match numbers.below(4) {
            0 => 0xff,
            1 => 0,
            2 => 0x7f,
            _ => numbers.next() as u8,
        };
        if let Some(byte) = bytes.get_mut(at) {
            *byte = value;
        }
    }
    bytes
}

fn survives(compiler: &str, source: &str, flags: &[&str], rounds: u64) {
    let workshop = Workshop::new();
    let Some(binary) = workshop.compile(compiler, source, flags, "program") else { return };
    let original = std::fs::read(binary).expect("the program");
    let mut opened = 0;
    for seed in 0..rounds {
        let mut numbers = Numbers(seed);
        let bytes = damaged(&original, &mut numbers);
        if let Ok(image) = Image::from_bytes("damaged", bytes) {
            opened += 1;
            exercise(&image, &mut numbers);
        }
    }
    assert!(opened > rounds / 2, "most damage leaves a readable header: {opened} of {rounds}");
}

#[test]
fn damaged_dwarf_5_is_survived() {
    survives("gcc", "mixed.c", &["-g", "-O2"], 1500);
}

#[test]
fn damaged_dwarf_4_is_survived() {
    survives("clang", "mixed.c", &["-gdwarf-4", "-O2", "-no-pie"], 1000);
}

#[test]
fn damaged_dwarf_2_and_aranges_are_survived() {
    survives("gcc", "mixed.c", &["-gdwarf-2", "-gstrict-dwarf", "-O1"], 1000);
}

#[test]
fn damaged_exception_tables_are_survived() {
    survives("g++", "exceptions.cpp", &["-O2"], 1000);
}

#[test]
fn damaged_compression_is_survived() {
    survives("gcc", "mixed.c", &["-g", "-gz=zlib"], 500);
    survives("gcc", "mixed.c", &["-g", "-Wl,--compress-debug-sections=zstd"], 500);
}

#[test]
fn damaged_packed_relocations_are_survived() {
    survives("gcc", "mixed.c", &["-O2", "-Wl,-z,pack-relative-relocs"], 1000);
}
