//! Functions with their bounds and names, against `nm` and `readelf`; pointers, imports and
//! exception tables against what the programs are known to contain.

use crate::image::build::{Workshop, run};
use crate::image::oracle;
use loopwright_binary::facts::FunctionOrigin;
use loopwright_binary::image::{DebugSearch, Image};
use std::path::Path;

fn open(path: &Path) -> Image {
    Image::open(path, &DebugSearch::none()).expect("an image")
}

fn index_of(image: &Image, name: &str) -> usize {
    image.functions().iter().position(|f| f.name == name).unwrap_or_else(|| panic!("no function {name}"))
}

/// Every sized symbol that `nm` lists is a function, another name of one, or a part of one.
fn agrees_with_nm(binary: &Path) {
    let Some(symbols) = oracle::symbols(binary) else { return };
    let image = open(binary);
    assert!(symbols.len() > 3);
    for (address, size, name) in &symbols {
        let index = image.function_at(*address).unwrap_or_else(|| panic!("{name} is missing"));
        let info = image.function(index).expect("a function");
        let part = info.parts.iter().any(|part| *part == (*address, address + size));
        let whole = info.address == *address && info.end == address + size;
        let alias = symbols.iter().any(|(a, s, n)| a == address && s > size && n != name);
        assert!(part || whole || alias, "{name} at {address:#x}+{size:#x} is {info:x?}");
        assert_eq!(part, name.ends_with(".cold"), "{name}");
        assert_eq!(image.function_at(address + size - 1), Some(index), "{name}");
        assert_eq!(image.code(*address, address + size).map(<[u8]>::len), Some(*size as usize));
    }
    let starts: Vec<u64> = image.functions().iter().map(|f| f.address).collect();
    assert!(starts.is_sorted_by(|a, b| a < b), "sorted, each start once");
}

#[test]
fn symbols_agree_with_nm() {
    let workshop = Workshop::new();
    for (compiler, source, flags) in [
        ("gcc", "mixed.c", vec!["-O2"]),
        ("gcc", "mixed.c", vec!["-O2", "-no-pie"]),
        ("clang", "mixed.c", vec!["-O2"]),
        ("g++", "exceptions.cpp", vec!["-O2"]),
        ("gfortran", "stencil.f90", vec!["-O2"]),
    ] {
        if let Some(binary) = workshop.compile(compiler, source, &flags, "program") {
            agrees_with_nm(&binary);
        }
    }
}

#[test]
fn variables_agree_with_nm() {
    let workshop = Workshop::new();
    let Some(binary) = workshop.compile("gcc", "mixed.c", &["-O1", "-g"], "program") else { return };
    let Some(listed) = workshop.run("nm", &["-S", "program"]) else { return };
    let image = open(&binary);
    let mut arrays = 0;
    for line in listed.lines() {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let [address, size, "b" | "B" | "d" | "D", name @ ("a" | "b")] = fields[..] else { continue };
        let number = |text| u64::from_str_radix(text, 16).expect("a number");
        let (low, high) = (number(address), number(address) + number(size));
        for range in [(low, high), (low + 8, low + 16), (high - 8, high)] {
            let found = image.variables(&[range]);
            let found: Vec<_> = found.iter().map(|v| (v.name.as_str(), v.address, v.size)).collect();
            assert_eq!(found, [(name, low, high - low)]);
        }
        assert_eq!(image.variables(&[(low, low), (high, low)]), [], "an empty range holds no variable");
        assert_eq!(image.variables(&[(low.wrapping_sub(1), high + 1)]), [], "beyond both ends");
        arrays += 1;
    }
    assert_eq!(arrays, 2);
    assert_eq!(image.variables(&[(u64::MAX - 8, u64::MAX), (0, 1)]), []);
}

#[test]
fn kinds_of_linking_are_told_apart() {
    let workshop = Workshop::new();
    for (flags, pie, alone, libraries) in [
        (vec![], true, false, true),
        (vec!["-no-pie"], false, false, true),
        (vec!["-static"], false, true, false),
        (vec!["-static-pie"], true, true, false),
        (vec!["-shared", "-fPIC"], true, false, true),
    ] {
        let Some(binary) = workshop.compile("gcc", "mixed.c", &flags, "program") else { return };
        let image = open(&binary);
        let facts = image.facts();
        assert_eq!((facts.pie, facts.static_linked), (pie, alone), "{flags:?}");
        assert_eq!(facts.needed.iter().any(|n| n == "libc.so.6"), libraries, "{flags:?}");
        assert!(facts.has_symbols && !facts.has_lines && facts.warnings.is_empty());
        let notes = workshop.run("readelf", &["-n", "program"]).expect("readelf");
        let build_id = facts.build_id.as_ref().expect("a build id");
        assert!(notes.contains(&format!("Build ID: {build_id}")));
    }
}

/// Without symbols, the unwind tables give every function that has an entry there its bounds.
#[test]
fn stripped_programs_keep_their_functions() {
    let workshop = Workshop::new();
    for flags in [vec!["-O2"], vec!["-O2", "-no-pie"], vec!["-O2", "-static"]] {
        let Some(binary) = workshop.compile("gcc", "mixed.c", &flags, "program") else { return };
        let whole = open(&binary);
        let Some(_) = workshop.run("strip", &["program", "-o", "stripped"]) else { return };
        let stripped = open(&workshop.path("stripped"));
        assert!(!stripped.facts().has_symbols);
        for name in ["triad", "choose", "interpret", "main"] {
            let expected = whole.function(index_of(&whole, name)).expect("a function");
            let index = stripped.function_at(expected.address).expect(name);
            let found = stripped.function(index).expect("a function");
            assert_eq!((found.address, found.end), (expected.address, expected.end), "{name}");
            assert_eq!(found.origin, FunctionOrigin::Unwind);
            assert_eq!(found.name, format!("func@{:#x}", expected.address));
            assert_eq!(stripped.function_at(expected.end - 1), Some(index));
        }
        let entry = whole.function(index_of(&whole, "_start")).expect("_start").address;
        assert!(stripped.function_at(entry).is_some());
    }
}

/// `sstrip`-like damage: no section headers at all, only what the loader needs.
#[test]
fn programs_without_section_headers_keep_their_functions() {
    let workshop = Workshop::new();
    let Some(binary) = workshop.compile("gcc", "mixed.c", &["-O2", "-rdynamic"], "program") else { return };
    let mut bytes = std::fs::read(&binary).expect("the program");
    bytes[0x28..0x30].fill(0); // e_shoff
    bytes[0x3c..0x40].fill(0); // e_shnum, e_shstrndx
    let bare = Image::from_bytes("bare", bytes).expect("an image");
    let whole = open(&binary);
    for name in ["triad", "choose", "interpret", "main"] {
        let expected = whole.function(index_of(&whole, name)).expect("a function");
        let found = bare.function_at(expected.address).and_then(|f| bare.function(f)).expect(name);
        assert_eq!((found.address, found.end), (expected.address, expected.end));
    }
    assert_eq!(bare.facts().needed, whole.facts().needed);
}

#[test]
fn functions_agree_with_unwind_entries_of_a_library() {
    let Some(library) = ["/lib/x86_64-linux-gnu/libm.so.6", "/lib64/libm.so.6"]
        .into_iter()
        .map(Path::new)
        .find(|path| path.exists())
    else {
        eprintln!("skipped: no libm on this machine");
        return;
    };
    let folder = Path::new("/");
    let Some(frames) = run("readelf", &["-wNf", &library.display().to_string()], folder) else {
        return;
    };
    let image = Image::open(library, &DebugSearch::none()).expect("an image");
    let mut seen = 0;
    for range in frames.lines().filter_map(|line| line.split_once(" FDE ")?.1.split_once("pc=")) {
        let (start, end) = range.1.split_once("..").expect("a range");
        let parse = |text: &str| u64::from_str_radix(text.trim(), 16).expect("hexadecimal");
        let (start, end) = (parse(start), parse(end));
        if image.function_at(start).is_none() {
            // Linkage tables have entries, but are not functions; the first stub may be the resolver's.
            assert!(image.name_at(start).or(image.name_at(start + 16)).is_some(), "{start:#x}");
            continue;
        }
        assert!(image.function_at(end - 1).is_some(), "{end:#x}");
        seen += 1;
    }
    assert!(seen > 100);
    let cos = index_of(&image, "cos");
    assert!(image.function(cos).is_some_and(|f| f.linkage_name.as_deref() == Some("cos")));
}

#[test]
fn calls_of_imports_are_named() {
    let workshop = Workshop::new();
    for flags in [
        vec!["-O2"],
        vec!["-O2", "-fcf-protection", "-Wl,-z,ibtplt"],
        vec!["-O2", "-Wl,-z,now"],
        vec!["-O2", "-no-pie"],
        vec!["-O2", "-fno-plt"],
        vec!["-O2", "-static"],
    ] {
        let Some(binary) = workshop.compile("gcc", "mixed.c", &flags, "program") else { return };
        let image = open(&binary);
        let mut called = Vec::new();
        for function in ["main", "choose", "complain"] {
            let info = image.function(index_of(&image, function)).expect("a function");
            for (start, end) in info.spans() {
                let code = image.code(start, end).expect("code");
                for instruction in iced_x86::Decoder::with_ip(64, code, start, 0) {
                    let target = if instruction.is_call_near() {
                        instruction.near_branch_target()
                    } else if instruction.is_call_near_indirect() && instruction.is_ip_rel_memory_operand() {
                        instruction.ip_rel_memory_address()
                    } else {
                        continue;
                    };
                    let name = image.name_at(target).unwrap_or_else(|| panic!("{target:#x} {flags:?}"));
                    called.push(name.into_owned());
                }
            }
        }
        for (name, other) in [("printf", "__printf_chk"), ("fprintf", "__fprintf_chk"), ("abort", "abort")] {
            let found =
                called.iter().any(|c| c == name || c == other || c.trim_start_matches("_IO_") == name);
            assert!(found, "{name} is not among {called:?} with {flags:?}");
        }
    }
}

/// The label table of a computed `goto` is known through relocations, packed relocations, or as bare
/// data words.
#[test]
fn targets_of_computed_goto_are_address_taken() {
    let workshop = Workshop::new();
    for flags in [vec!["-O2"], vec!["-O2", "-Wl,-z,pack-relative-relocs"], vec!["-O2", "-no-pie"]] {
        let Some(binary) = workshop.compile("gcc", "mixed.c", &flags, "program") else { return };
        let image = open(&binary);
        let info = image.function(index_of(&image, "interpret")).expect("a function");
        let Some(symbols) = workshop.run("nm", &["program"]) else { return };
        let line = symbols.lines().find(|line| line.contains(" table.")).expect("the label table");
        let table =
            u64::from_str_radix(line.split_whitespace().next().expect("an address"), 16).expect("hex");
        assert!(image.is_read_only(table), "{flags:?}");
        let mut labels: Vec<u64> =
            (0..4).map(|i| image.pointer_at(table + 8 * i).expect("a pointer")).collect();
        let all = oracle::instructions(&image, index_of(&image, "interpret"));
        assert!(labels.iter().all(|label| all.contains(label)), "{labels:x?} are instructions");
        labels.sort_unstable();
        labels.dedup();
        assert_eq!(image.address_taken((info.address, info.end)), labels, "{flags:?}");
    }
}

/// With control-flow protection, the only landing points within these functions are landing pads.
#[test]
fn landing_pads_are_those_that_the_compiler_marked() {
    let workshop = Workshop::new();
    for compiler in ["g++", "clang++"] {
        let flags = ["-O1", "-fcf-protection=branch", "-fno-jump-tables"];
        let Some(binary) = workshop.compile(compiler, "exceptions.cpp", &flags, "program") else { return };
        let image = open(&binary);
        let mut pads_seen = 0;
        for index in 0..image.function_count() {
            let pads = image.landing_pads(index);
            if pads.is_empty() {
                continue;
            }
            for pad in &pads {
                // GCC marks them; clang does not need to for direct returns from the unwinder.
                let marked = image.data(*pad, 4) == Some(&[0xf3, 0x0f, 0x1e, 0xfa]);
                assert!(marked || compiler == "clang++", "{pad:#x}");
                assert_eq!(image.function_at(*pad), Some(index), "{pad:#x}");
            }
            pads_seen += pads.len();
            for range in image.guarded_ranges(index) {
                assert!(range.start < range.end && pads.contains(&range.pad));
            }
        }
        assert!(pads_seen >= 2, "{compiler}: {pads_seen}");
        let plain = image.functions().iter().position(|f| f.name.starts_with("main")).expect("main");
        assert!(image.landing_pads(plain).is_empty());
    }
}

/// The handlers of a C++ function, moved away by the compiler, stay with it when names are gone.
#[test]
fn cold_parts_of_stripped_functions_are_found() {
    let workshop = Workshop::new();
    let Some(binary) = workshop.compile("g++", "exceptions.cpp", &["-O2"], "program") else { return };
    let whole = open(&binary);
    let guarded = whole.function(index_of(&whole, "guarded(int)")).expect("a function");
    assert!(!guarded.parts.is_empty());
    let Some(_) = workshop.run("strip", &["program", "-o", "stripped"]) else { return };
    let stripped = open(&workshop.path("stripped"));
    let index = stripped.function_at(guarded.address).expect("the function");
    let found = stripped.function(index).expect("the function");
    assert_eq!((found.address, found.end, &found.parts), (guarded.address, guarded.end, &guarded.parts));
    assert_eq!(stripped.landing_pads(index), whole.landing_pads(index_of(&whole, "guarded(int)")));
    assert!(!stripped.landing_pads(index).is_empty());
}

/// The library that the kernel maps into every process exists in memory only.
#[test]
fn the_vdso_is_read_from_memory() {
    use std::io::{Read as _, Seek as _};
    let maps = std::fs::read_to_string("/proc/self/maps").expect("the maps");
    let Some(line) = maps.lines().find(|line| line.ends_with("[vdso]")) else {
        eprintln!("skipped: this kernel maps no vDSO");
        return;
    };
    let range = line.split_whitespace().next().and_then(|r| r.split_once('-')).expect("a range");
    let parse = |text| u64::from_str_radix(text, 16).expect("hexadecimal");
    let (start, end) = (parse(range.0), parse(range.1));
    let mut memory = std::fs::File::open("/proc/self/mem").expect("memory");
    memory.seek(std::io::SeekFrom::Start(start)).expect("a position");
    let mut bytes = vec![0; (end - start) as usize];
    memory.read_exact(&mut bytes).expect("the vDSO");
    let image = Image::from_bytes("[vdso]", bytes).expect("an image");
    let clock = image
        .functions()
        .iter()
        .find(|f| ["clock_gettime", "__vdso_clock_gettime"].contains(&f.name.as_str()));
    let clock = clock.expect("the clock");
    assert_eq!(clock.origin, FunctionOrigin::Dynsym);
    assert!(image.code(clock.address, clock.end).is_some_and(|code| !code.is_empty()));
}
