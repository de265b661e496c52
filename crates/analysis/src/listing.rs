//! What the listing of a function adds to the facts of its loops: chains with the latencies of the machine's core, and
//! conversions by their direction.
//!
//! The analysis of a binary knows no machine: its chains have the latencies of a typical core. Here those of floating-point
//! operations are exchanged for the core's own, which the cost model has; integer operations, moves and loads that a store
//! feeds keep theirs, which hardly differ between cores.

use loopwright_binary::code::latency;
use loopwright_binary::facts::{CarriedChain, ElementType, InstructionLine, LoopCode};
use loopwright_costs::Core;
use loopwright_experiment::Listing;

/// The mnemonic of an instruction without its prefixes.
fn mnemonic(line: &InstructionLine) -> &str {
    let prefix = |word: &&str| matches!(*word, "lock" | "rep" | "repe" | "repne" | "bnd" | "notrack");
    line.text.split_whitespace().find(|word| !prefix(word)).unwrap_or_default()
}

/// The instruction at an address.
fn at(listing: &Listing, address: u64) -> Option<&InstructionLine> {
    let found = listing.instructions.binary_search_by_key(&address, |line| line.address);
    found.ok().and_then(|index| listing.instructions.get(index))
}

/// Latency of a floating-point operation on vector registers: of the typical core, and of this one.
fn latencies(mnemonic: &str, core: &Core) -> Option<(u32, f64)> {
    let name = mnemonic.strip_prefix('v').unwrap_or(mnemonic);
    let scalar = name.ends_with("ss") || name.ends_with("sd");
    if !scalar && !name.ends_with("ps") && !name.ends_with("pd") {
        return None;
    }
    let single = name.ends_with("ss") || name.ends_with("ps");
    let element = if single { ElementType::F32 } else { ElementType::F64 };
    let starts = |names: &[&str]| names.iter().any(|start| name.starts_with(start));
    let own = match () {
        () if starts(&["add", "sub"]) => core.add.latency,
        () if starts(&["mul"]) => core.multiply.latency,
        () if starts(&["fmadd", "fmsub", "fnmadd", "fnmsub"]) => core.fma.latency,
        () if starts(&["div"]) => core.divide(single).latency,
        () if starts(&["sqrt"]) => core.root(single).latency,
        () => return None,
    };
    let typical = match () {
        () if starts(&["div"]) => latency::division(element),
        () if starts(&["sqrt"]) => latency::square_root(element),
        () => latency::ARITHMETIC,
    };
    Some((typical, own))
}

/// The chain with the latencies of this core.
fn chain_on(core: &Core, listing: &Listing, chain: &CarriedChain) -> CarriedChain {
    let known = chain.instructions.iter().filter_map(|&address| at(listing, address));
    let (typical, own) = (known.filter_map(|line| latencies(mnemonic(line), core)))
        .fold((0, 0.0), |(typical, own), (t, o)| (typical + t, own + o));
    // A value that goes through several registers takes several iterations for its steps: their sum is no latency of one.
    let cycles = match chain.latency_cycles.checked_sub(typical) {
        Some(others) if typical > 0 => others + own.round() as u32,
        _ => chain.latency_cycles,
    };
    CarriedChain { latency_cycles: cycles, ..chain.clone() }
}

/// The chains of a loop: on the machine's core, where that is known.
pub fn chains(core: Option<&Core>, listing: Option<&Listing>, code: &LoopCode) -> Vec<CarriedChain> {
    match core.zip(listing) {
        Some((core, listing)) => code.chains.iter().map(|chain| chain_on(core, listing, chain)).collect(),
        None => code.chains.clone(),
    }
}

/// Conversions from f32 to f64, and from f64 to f32, among a loop's own instructions; absent without any.
pub fn width_conversions(listing: Option<&Listing>, code: &LoopCode) -> Option<(u32, u32)> {
    let own = listing?.instructions.iter().filter(|line| line.in_loop == Some(code.index));
    let found = own.fold((0, 0), |(wider, narrower), line| match mnemonic(line).trim_start_matches('v') {
        "cvtss2sd" | "cvtps2pd" => (wider + 1, narrower),
        "cvtsd2ss" | "cvtpd2ps" | "cvtpd2psx" | "cvtpd2psy" => (wider, narrower + 1),
        _ => (wider, narrower),
    });
    (found != (0, 0)).then_some(found)
}

/// Integer divisions outside the loops of a function.
pub fn integer_divisions(listing: &Listing) -> u32 {
    let outside = listing.instructions.iter().filter(|line| line.in_loop.is_none());
    outside.filter(|line| matches!(mnemonic(line), "div" | "idiv")).count() as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::scalar_loop;
    use loopwright_binary::facts::{Carrier, ChainKind};
    use loopwright_costs::Microarchitecture;

    fn listed(lines: &[&str]) -> Listing {
        let line = |(text, address): (&&str, u64)| InstructionLine {
            address,
            text: (*text).to_owned(),
            file: None,
            line: 1,
            column: 0,
            in_loop: Some(0),
        };
        Listing { files: vec![], instructions: lines.iter().zip(0..).map(line).collect() }
    }

    fn on(core: Option<&Core>, lines: &[&str], latency_cycles: u32) -> u32 {
        let mut code = scalar_loop(0, (0, 9), 1);
        let instructions = (0..lines.len() as u64).collect();
        let carrier = Carrier::Register("xmm0".into());
        let kind = ChainKind::InOrderSum;
        code.chains = vec![CarriedChain { carrier, instructions, latency_cycles, kind, chooses: false }];
        chains(core, Some(&listed(lines)), &code)[0].latency_cycles
    }

    #[test]
    fn a_chain_has_the_latencies_of_the_core() {
        let (zen4, skylake) = (Microarchitecture::Zen4.core(), Microarchitecture::Skylake.core());
        let sum = ["vaddsd xmm0,xmm0,[rax]", "addsd xmm0,[rax+8]"];
        assert_eq!((on(Some(zen4), &sum, 8), on(Some(skylake), &sum, 8), on(None, &sum, 8)), (6, 8, 8));
        assert_eq!(on(Some(zen4), &["vfnmadd231sd xmm1,xmm2,xmm0", "vdivsd xmm0,xmm1,xmm3"], 17), 17);
        assert_eq!(on(Some(zen4), &["addsd xmm0,[rcx-18h]"], 9), 8, "the store that feeds the load stays");
        assert_eq!(on(Some(zen4), &["imul rax,rcx", "add rax,rdx"], 4), 4);
        assert_eq!(on(Some(zen4), &["addsd xmm0,xmm1", "addsd xmm1,xmm0"], 4), 4, "two iterations");
    }

    #[test]
    fn conversions_have_a_direction() {
        let code = scalar_loop(0, (0, 9), 1);
        let of = |lines: &[&str]| width_conversions(Some(&listed(lines)), &code);
        assert_eq!(
            of(&["cvtss2sd xmm0,xmm1", "vcvtps2pd ymm0,xmm1", "vcvtsd2ss xmm0,xmm0,xmm1"]),
            Some((2, 1))
        );
        assert_eq!(of(&["cvtsi2ss xmm0,eax", "cvttss2si eax,xmm0"]), None);
    }
}
