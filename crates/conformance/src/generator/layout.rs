//! Functions as a file of assembly: symbols, sections, order, the table that the driver reads.

use super::model::{End, Function, Scenario, Symbol};
use super::text::{Parts, function, masks};
use std::fmt::Write as _;

/// How scenarios address their code and data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Addresses {
    /// Code and data are at fixed addresses, the data for all threads.
    Fixed,
    /// Each thread has its own data; code is at fixed addresses.
    ThreadLocal,
    /// Each thread has its own data; code can be loaded anywhere.
    Relative,
}

/// The assembly of all functions of a scenario. `number` makes its names unique.
pub fn scenario(scenario: &Scenario, number: usize, addresses: Addresses) -> String {
    let mut out = String::new();
    let parts: Vec<Parts> =
        scenario.functions.iter().map(|f| function(scenario, f, addresses == Addresses::Relative)).collect();
    let mut spanning: Option<usize> = None;
    for (k, (function, part)) in scenario.functions.iter().zip(&parts).enumerate() {
        let fallen_into = k.checked_sub(1).is_some_and(|p| falls(&scenario.functions[p], function));
        let falls_on = scenario.functions.get(k + 1).is_some_and(|next| falls(function, next));
        open(&mut out, function, fallen_into, falls_on);
        out.push_str(&part.main);
        // Code placed after a function that falls through into the next would be between them.
        let apart = falls_on && !part.behind.is_empty();
        if !falls_on {
            out.push_str(&part.behind);
        }
        close(&mut out, function, spanning.take());
        let elsewhere = function.shape.cold || function.shape.writable;
        if function.shape.symbol == Symbol::Spanning && k + 1 < parts.len() && !elsewhere {
            spanning = Some(function.id);
        }
        if !part.cold.is_empty() || apart {
            let _ = writeln!(out, "\t.section .text.unlikely,\"ax\",@progbits");
            out.push_str(&part.cold);
            if apart {
                out.push_str(&part.behind);
            }
        }
        if !part.data.is_empty() {
            let _ = writeln!(out, "\t{}", constants(addresses));
            out.push_str(&part.data);
        }
        out.push_str("\t.text\n");
    }
    let absent: Vec<usize> =
        scenario.functions.iter().filter(|f| f.shape.symbol == Symbol::Absent).map(|f| f.id).collect();
    named(&out, number, addresses, &absent)
}

/// The section of tables of addresses, which the loader writes where code can be loaded anywhere.
fn constants(addresses: Addresses) -> &'static str {
    if addresses == Addresses::Relative {
        ".section .data.rel.ro,\"aw\",@progbits"
    } else {
        ".section .rodata"
    }
}

/// Whether control falls through from one function into the other.
fn falls(from: &Function, into: &Function) -> bool {
    from.end == End::Fall(into.id)
}

fn open(out: &mut String, function: &Function, fallen_into: bool, falls_on: bool) {
    let (shape, id) = (&function.shape, function.id);
    let cold = shape.cold && !fallen_into && !falls_on;
    out.push_str(match (shape.writable && !fallen_into && !falls_on, cold) {
        (true, _) => "\t.section .written,\"awx\",@progbits\n",
        (false, true) => "\t.section .text.unlikely,\"ax\",@progbits\n",
        (false, false) => "\t.text\n",
    });
    if !fallen_into && !shape.data_before.is_empty() {
        let bytes: Vec<String> = shape.data_before.iter().map(u8::to_string).collect();
        let _ = writeln!(out, "\t.byte {}", bytes.join(", "));
    }
    if shape.align > 0 {
        let _ = writeln!(out, "\t.p2align {}", shape.align);
    }
    match shape.symbol {
        Symbol::NoType | Symbol::Absent => {}
        Symbol::Local => {
            let _ = writeln!(out, "\t.type @F{id}, @function");
        }
        _ => {
            let _ = writeln!(out, "\t.globl @F{id}\n\t.type @F{id}, @function");
        }
    }
    let _ = writeln!(out, "@F{id}:");
    if shape.unwind {
        out.push_str("\t.cfi_startproc\n");
    }
}

fn close(out: &mut String, function: &Function, spanned_by: Option<usize>) {
    let id = function.id;
    if function.shape.unwind {
        out.push_str("\t.cfi_endproc\n");
    }
    match function.shape.symbol {
        Symbol::Full | Symbol::Local => {
            let _ = writeln!(out, "\t.size @F{id}, .-@F{id}");
        }
        Symbol::Short => {
            let _ = writeln!(out, "\t.size @F{id}, 3");
        }
        _ => {}
    }
    // Both must be in one section, so that the assembler can compute the size.
    if let Some(from) = spanned_by
        && !function.shape.cold
        && !function.shape.writable
    {
        let _ = writeln!(out, "\t.size @F{from}, .-@F{from}");
    }
}

/// Replaces the placeholders for names.
fn named(text: &str, number: usize, addresses: Addresses, absent: &[usize]) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 4);
    let mut rest = text;
    while let Some(at) = rest.find('@') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let kind = rest.as_bytes().first().copied().unwrap_or(b' ');
        let digits = rest[1.min(rest.len())..].bytes().take_while(u8::is_ascii_digit).count();
        match (kind, digits) {
            (b'L', 1..) => push(&mut out, &mut rest, digits, &format!(".Ls{number}_")),
            (b'F', 1..) => {
                let local = rest[1..=digits].parse().is_ok_and(|id| absent.contains(&id));
                let prefix = format!("{}s{number}_f", if local { ".L" } else { "" });
                push(&mut out, &mut rest, digits, &prefix);
            }
            (b'E', 1..) => push(&mut out, &mut rest, digits, &format!("s{number}_e")),
            (b'P', _) => {
                let _ = write!(out, "s{number}_");
                rest = &rest[1..];
            }
            (b'A', 1..) => address(&mut out, &mut rest, digits, number, addresses),
            (b'D', 0) => {
                let _ = match addresses {
                    Addresses::Fixed => write!(out, "s{number}_data"),
                    Addresses::ThreadLocal | Addresses::Relative => write!(out, "%fs:s{number}_data@tpoff"),
                };
                rest = &rest[1..];
            }
            _ => out.push('@'),
        }
    }
    out.push_str(rest);
    out
}

fn push(out: &mut String, rest: &mut &str, digits: usize, prefix: &str) {
    out.push_str(prefix);
    out.push_str(&rest[1..=digits]);
    *rest = &rest[digits + 1..];
}

/// `@A512, %rsi`: the address of that offset in the data.
fn address(out: &mut String, rest: &mut &str, digits: usize, number: usize, addresses: Addresses) {
    let offset = &rest[1..=digits];
    let line = &rest[digits + 1..];
    let stop = line.find('\n').unwrap_or(line.len());
    let register = line[..stop].trim_start_matches([',', ' ']);
    let _ = match addresses {
        Addresses::Fixed => write!(out, "lea s{number}_data+{offset}, {register}"),
        Addresses::ThreadLocal | Addresses::Relative => {
            write!(out, "mov %fs:0, {register}\n\tlea s{number}_data@tpoff+{offset}({register}), {register}")
        }
    };
    *rest = &line[stop..];
}

/// The scenarios' data and the table that the driver reads; entries are scenario, number, and whether a signal handler
/// may run it.
pub fn table(scenarios: &[(&Scenario, usize)], addresses: Addresses) -> String {
    let mut out = String::new();
    out.push_str(match addresses {
        Addresses::Fixed => "\t.bss\n",
        Addresses::ThreadLocal | Addresses::Relative => "\t.section .tbss,\"awT\",@nobits\n",
    });
    for (_, number) in scenarios {
        let _ = writeln!(out, "\t.p2align 6\ns{number}_data:\t.zero 4096");
    }
    let _ = writeln!(out, "\t{}\n\t.p2align 3\n\t.globl scenarios\nscenarios:", constants(addresses));
    for (scenario, number) in scenarios {
        let (gpr, vectors, rest) = masks(scenario.convention);
        let free = scenario.convention == super::model::Convention::Free;
        let place = match addresses {
            Addresses::Fixed => "",
            Addresses::ThreadLocal | Addresses::Relative => "@tpoff",
        };
        let first = scenario.functions.first();
        let local = first.is_some_and(|f| f.shape.symbol == Symbol::Absent);
        let (local, first) = (if local { ".L" } else { "" }, first.map_or(0, |f| f.id));
        let plain = u32::from(!scenario.features.has("written"));
        let _ = writeln!(
            out,
            "\t.quad {local}s{number}_f{first}, s{number}_data{place}, {}\n\t.long {gpr}, {vectors}, {rest}, {plain}, {number}, {}",
            scenario.seed,
            u32::from(free && scenario.features.has("direction")),
        );
    }
    let _ = writeln!(
        out,
        "\t.globl scenario_count, data_is_thread_local\nscenario_count:\t.long {}\ndata_is_thread_local:\t.long {}",
        scenarios.len(),
        u32::from(addresses != Addresses::Fixed)
    );
    out.push_str("\t.section .note.GNU-stack,\"\",@progbits\n");
    out
}
