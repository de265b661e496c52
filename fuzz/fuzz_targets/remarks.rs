//! Compiler reports, compile databases, producer strings and the flags in them: every parser, on anything.
#![no_main]

use libfuzzer_sys::fuzz_target;
use loopwright_files::sources::Granted;
use loopwright_remarks::command::allowed::allowed;
use loopwright_remarks::command::{database, producer, shape};
use loopwright_remarks::index::RemarkIndex;
use loopwright_remarks::parse::{Format, parse_bytes};
use std::path::Path;

fuzz_target!(|bytes: &[u8]| {
    let name = Path::new("report");
    let _ = parse_bytes(name, bytes, None);
    for format in [Format::GccText, Format::GccRecord, Format::ClangYaml, Format::ClangText, Format::Intel] {
        if let Ok(remarks) = parse_bytes(name, bytes, Some(format)) {
            let index = RemarkIndex::new(remarks);
            let _ = index.at("a.c", 1, 1, &[]);
        }
    }
    let _ = database::parse(bytes);
    if let Ok(text) = std::str::from_utf8(bytes) {
        let _ = producer::parse(text, None);
        let words: Vec<String> = text.split(' ').map(str::to_string).collect();
        let _ = shape(&words);
        for flag in allowed(&words, Path::new("/nowhere"), &Granted::default()).flags {
            assert!(flag.starts_with('-') && !flag.starts_with("-fplugin") && !flag.starts_with("-o"), "{flag}");
        }
    }
});
