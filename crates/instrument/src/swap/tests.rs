//! Real objects, sound and damaged, are linked beside a program that has the same symbols.

use super::dispatch::{Between, Blocks, code};
use super::link::Plan;
use super::program::{Place, Program};
use super::registers::{Kept, kept};
use super::unit::{Kind, Names, Unit};
use iced_x86::{Decoder, DecoderOptions, Register};
use std::process::Command;

const SOURCE: &str = "
int puts(const char *);
static int counter;
int global = 3;
static __thread int mine = 5;
int work(int k) {
    counter += k;
    mine ^= global;
    switch (k) {
    case 0: return 7;
    case 1: return puts(\"one\");
    case 2: return counter;
    case 3: return mine * 3;
    case 4: return k * 5 + global;
    case 5: return -counter;
    default: return 0;
    }
}
int leaf(int k) { return k * 3; }
";
const BASE: u64 = 0x5555_0000_0000;
const PROGRAM: u64 = BASE + 0x100_0000;

fn object(options: &[&str], source: &str) -> Option<Vec<u8>> {
    let folder = tempfile::tempdir().unwrap();
    let (from, to) = (folder.path().join("a.c"), folder.path().join("a.o"));
    std::fs::write(&from, source).unwrap();
    let done = Command::new("gcc").args(options).arg("-c").arg(from).arg("-o").arg(&to).status();
    if !done.is_ok_and(|status| status.success()) {
        assert!(std::env::var_os("LOOPWRIGHT_REQUIRE_ALL").is_none(), "gcc is required but absent");
        eprintln!("skipped: no gcc");
        return None;
    }
    std::fs::read(to).ok()
}

/// A program with the symbols of an object, each section in a place of its own.
fn program(unit: &Unit) -> Program {
    let mut program = Program { tls: Some(64), ..Program::default() };
    for symbol in unit.symbols.values() {
        let Some(section) = symbol.section else { continue };
        let base =
            if symbol.names == Names::ThreadVariable { 0 } else { PROGRAM + 0x1_0000 * section as u64 };
        let place = Place {
            address: base + symbol.offset,
            size: symbol.size,
            names: symbol.names,
            local: symbol.local,
            file: unit.file.clone().filter(|_| symbol.local),
        };
        program.symbols.entry(symbol.name.clone()).or_default().push(place);
    }
    program
}

fn library(name: &str) -> Option<u64> {
    (name == "puts").then_some(0x7fff_1234_5678)
}

#[test]
fn every_reference_leads_to_the_program_or_to_what_came_along() {
    for options in [&["-O2", "-fPIE"][..], &["-O2", "-fPIE", "-fno-plt"]] {
        let Some(bytes) = object(options, SOURCE) else { return };
        let unit = Unit::read(&bytes).unwrap();
        let plan = Plan::new(&unit, "work").unwrap();
        assert!(plan.calls);
        let linked = plan.link(BASE, &program(&unit), &library).unwrap();
        assert_eq!(linked.entry % 16, 0);
        let data = unit.sections.iter().filter(|(_, section)| section.kind == Kind::Data);
        let data: Vec<u64> = data.map(|(index, _)| PROGRAM + 0x1_0000 * *index as u64).collect();
        let (_, symbol) = unit.function("work").unwrap();
        let start = (linked.entry - BASE) as usize;
        let part = &linked.bytes[start..start + symbol.size as usize];
        let mut outside = 0;
        for i in Decoder::with_ip(64, part, linked.entry, DecoderOptions::NONE) {
            assert!(!i.is_invalid());
            if i.is_ip_rel_memory_operand() {
                let at = i.ip_rel_memory_address();
                let own = (BASE..BASE + plan.size).contains(&at);
                let known = data.iter().any(|base| (*base..base + 64).contains(&at));
                assert!(own || known, "{at:x}");
                outside += usize::from(known);
            }
        }
        assert!(outside >= 2, "the program's variables");
        assert!(linked.bytes.windows(8).any(|word| word == 0x7fff_1234_5678_u64.to_le_bytes()), "puts");
    }
}

#[test]
fn a_damaged_object_is_linked_or_refused() {
    let Some(sound) = object(&["-O2", "-fPIE"], SOURCE) else { return };
    let whole = program(&Unit::read(&sound).unwrap());
    let mut state = 7_u64;
    let mut random = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    };
    let (mut linked, mut refused) = (0, 0);
    for _ in 0..3000 {
        let mut damaged = sound.clone();
        for _ in 0..=random(3) {
            let at = random(damaged.len());
            damaged[at] = [0, 0xff, 0x7f, 0x80, random(256) as u8][random(5)];
        }
        let done = Unit::read(&damaged)
            .and_then(|unit| Plan::new(&unit, "work")?.link(BASE, &whole, &library).map(drop));
        match done {
            Ok(()) => linked += 1,
            Err(_) => refused += 1,
        }
    }
    assert!(linked > 100 && refused > 100, "{linked} linked, {refused} refused");
}

#[test]
fn registers_that_only_the_changed_function_writes_are_kept() {
    let source = |body: &str| format!("int work(int k) {{ {body} }}");
    let Some(before) = object(&["-O2"], &source("return k * 3;")) else { return };
    let clobbers =
        "__asm__ volatile(\"xor %%r9d, %%r9d; pxor %%xmm5, %%xmm5\" ::: \"r9\", \"xmm5\"); return k;";
    let after = object(&["-O2"], &source(clobbers)).unwrap();
    let (before, after) = (Unit::read(&before).unwrap(), Unit::read(&after).unwrap());
    let (old, new) = (Plan::new(&before, "work").unwrap(), Plan::new(&after, "work").unwrap());
    assert!(!old.calls && !new.calls);
    let all = kept(&old, &new, 16).unwrap();
    assert_eq!((all.general, all.vectors), (vec![Register::R9], vec![5]));
    let none = kept(&new, &new, 16).unwrap();
    assert!(none.general.is_empty() && none.vectors.is_empty());
}

#[test]
fn the_code_between_fits_for_all_registers() {
    let kept = Kept {
        general: vec![Register::RCX, Register::RSI, Register::R10, Register::R11],
        vectors: (0..32).collect(),
        width: 64,
    };
    for (blocks, calls) in [(Blocks::Ticks(9000), true), (Blocks::Calls(1), false)] {
        let between = Between {
            versions: [BASE + 0x4000, BASE + 0x8000],
            states: 0x7fff_0000_0000,
            sums: 0x7ffe_0000_0000,
            calls,
            kept: kept.clone(),
            blocks,
            seed: 1,
            opposite: false,
        };
        let code = code(BASE, &between).unwrap();
        assert!(code.len() < 4096, "{}", code.len());
        let instructions = Decoder::with_ip(64, &code, BASE, DecoderOptions::NONE);
        assert!(instructions.into_iter().all(|i| !i.is_invalid()));
    }
}

#[test]
fn a_function_is_found_by_the_name_that_a_survey_shows() {
    let source = "int work(int k) asm(\"_ZN4loop4workEi\");\nint work(int k) { return k * 3; }\n\
                  int step(int k) asm(\"__heat_MOD_step\");\nint step(int k) { return k * 5; }\n\
                  int plain(int k) { return k * 7; }\n";
    let Some(object) = object(&["-O1"], source) else { return };
    let of = |shown: &str| super::symbol_of(&object, shown).unwrap();
    assert_eq!(of("loop::work(int)"), "_ZN4loop4workEi");
    assert_eq!(of("heat::step"), "__heat_MOD_step");
    assert_eq!(of("plain"), "plain");
    assert_eq!(of("loop::work(long)"), "loop::work(long)");
    assert!(super::symbol_of(b"no object", "plain").is_err());
}
