//! Words for what the analysis found: a short label for tables and a sentence for details.

use loopwright_analysis::model::{CauseKind, Provenance, RooflineKind};
use loopwright_binary::facts::{ChainKind, ElementType, Idiom, InstructionMix, Isa, LoopRole, Trait};
use loopwright_vocabulary::Resource;
use serde::Serialize;

/// The name that the JSON contract uses, so that tables, filters and JSON agree.
pub(crate) fn contract_name(value: &impl Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(name)) => name,
        _ => String::new(),
    }
}

/// Short name of an instruction set, as programmers say it.
pub(crate) fn isa(isa: Isa) -> &'static str {
    match isa {
        Isa::X86 => "x86-64",
        Isa::X87 => "x87",
        Isa::MMX => "MMX",
        Isa::SSE => "SSE",
        Isa::SSE2 => "SSE2",
        Isa::SSE3 => "SSE3",
        Isa::SSSE3 => "SSSE3",
        Isa::SSE41 => "SSE4.1",
        Isa::SSE42 => "SSE4.2",
        Isa::AVX => "AVX",
        Isa::F16C => "F16C",
        Isa::FMA => "FMA",
        Isa::AVX2 => "AVX2",
        Isa::AVX512F | Isa::AVX512CD | Isa::AVX512DQ | Isa::AVX512BW | Isa::AVX512X => "AVX-512",
        Isa::AMX => "AMX",
    }
}

pub(crate) fn element(element: ElementType) -> String {
    contract_name(&element)
}

/// `f64` or `f64+i32`.
pub(crate) fn elements(types: &[ElementType]) -> String {
    types.iter().map(|each| element(*each)).collect::<Vec<_>>().join("+")
}

pub(crate) fn role(role: LoopRole) -> &'static str {
    match role {
        LoopRole::Whole => "whole",
        LoopRole::Body => "body",
        LoopRole::Peel => "peel",
        LoopRole::Remainder => "remainder",
        LoopRole::Version => "version",
    }
}

/// A resource of the core.
pub(crate) fn resource(resource: Resource) -> &'static str {
    match resource {
        Resource::FrontEnd => "front end",
        Resource::TakenBranches => "taken branches",
        Resource::Integer => "integer ports",
        Resource::Shift => "ports of shifts",
        Resource::Multiply => "integer multiplier",
        Resource::Loads => "load ports",
        Resource::Stores => "store ports",
        Resource::VectorStores => "store ports, vectors",
        Resource::FloatAdd => "floating-point additions",
        Resource::FloatMultiply => "floating-point multiplications",
        Resource::FloatDivide => "divider",
        Resource::L2Lines => "lines from L2",
        Resource::L3Lines => "lines from L3",
        Resource::MemoryLines => "lines from main memory",
        Resource::ScatteredLines => "scattered lines from memory",
    }
}

/// A cause ([`CauseKind::name`]) in a narrow column.
pub(crate) fn cause_in_short(kind: CauseKind) -> &'static str {
    match kind {
        CauseKind::ChainLatency => "chain latency",
        CauseKind::MemoryLatency => "memory latency",
        CauseKind::BandwidthL2 => "L2 bandwidth",
        CauseKind::BandwidthL3 => "L3 bandwidth",
        CauseKind::BandwidthMemory => "memory bandwidth",
        CauseKind::FloatPorts => "FP ports",
        CauseKind::IntegerPorts => "integer ports",
        CauseKind::LoadPorts => "load ports",
        CauseKind::StorePorts => "store ports",
        CauseKind::Multiplier => "multiplier",
        CauseKind::Divider => "divider",
        CauseKind::FrontEnd => "front end",
        CauseKind::BranchMisses => "mispredictions",
    }
}

/// What a cause is about, which the page colours alike.
#[cfg(test)]
pub(crate) fn cause_family(kind: CauseKind) -> &'static str {
    match kind {
        CauseKind::ChainLatency | CauseKind::MemoryLatency => "latency",
        CauseKind::BandwidthL2 | CauseKind::BandwidthL3 | CauseKind::BandwidthMemory => "bandwidth",
        CauseKind::FrontEnd => "front-end",
        CauseKind::BranchMisses => "mispredictions",
        CauseKind::FloatPorts
        | CauseKind::IntegerPorts
        | CauseKind::LoadPorts
        | CauseKind::StorePorts
        | CauseKind::Multiplier
        | CauseKind::Divider => "units",
    }
}

/// What a role means.
pub(crate) fn role_sentence(role: LoopRole) -> &'static str {
    match role {
        LoopRole::Whole => "the only machine loop of its source loop",
        LoopRole::Body => "main body: runs most of the iterations",
        LoopRole::Peel => "peel: runs the first iterations until the data is aligned",
        LoopRole::Remainder => "remainder: runs the iterations that do not fill the body's vectors",
        LoopRole::Version => "version: runs when a check at run time (overlap, stride, alignment) fails",
    }
}

pub(crate) fn provenance(provenance: Provenance) -> &'static str {
    match provenance {
        Provenance::Measured => "measured",
        Provenance::Counted => "counted",
        Provenance::Modelled => "modelled",
        Provenance::Inferred => "inferred",
        Provenance::Binary => "read from the binary",
        Provenance::Compiler => "reported by the compiler",
    }
}

/// What a roofline counts.
pub(crate) fn operations(kind: RooflineKind) -> &'static str {
    match kind {
        RooflineKind::Flop => "FLOP",
        RooflineKind::Integer => "integer operations",
        RooflineKind::Bytes => "operations",
    }
}

/// The unit of what a roofline compares with the ceilings.
pub(crate) fn rate_unit(kind: RooflineKind) -> &'static str {
    match kind {
        RooflineKind::Flop => "GFLOP/s",
        RooflineKind::Integer => "10^9 integer operations/s",
        RooflineKind::Bytes => "GB/s",
    }
}

/// What a trait costs, in one sentence.
pub(crate) fn trait_sentence(which: Trait) -> &'static str {
    match which {
        Trait::Gather => {
            "loads each element from an address of its own; a contiguous load is several times faster"
        }
        Trait::Scatter => {
            "stores each element to an address of its own; a contiguous store is several times faster"
        }
        Trait::Masked => "works on a part of each vector only: lanes that are masked off do nothing",
        Trait::Blend => "computes both sides of a condition and picks one of them for each element",
        Trait::Shuffle => {
            "moves elements between lanes: often a sign of an array of structures or of a stride"
        }
        Trait::Insert => "fills vectors element by element: the data is not contiguous",
        Trait::Extract => {
            "takes vectors apart element by element: the results are not contiguous or are used one by one"
        }
        Trait::Conversion => {
            "converts between number types; each conversion takes an instruction and may halve the vector length"
        }
        Trait::FloatWidthConversion => {
            "converts between single and double precision: often a constant without suffix (2.0 for 2.0f) or a mixed expression"
        }
        Trait::Divide => "divides floating-point numbers: 4 to 16 cycles each, hardly pipelined",
        Trait::IntegerDivide => "divides integers: 10 to 40 cycles each, and there is no vector form",
        Trait::SquareRoot => "takes square roots: 5 to 20 cycles each, hardly pipelined",
        Trait::Fma => "multiplies and adds in one instruction",
        Trait::NonTemporalStore => {
            "stores past the caches: good for large results that are not read again soon"
        }
        Trait::Compress => "packs the selected elements of a vector",
        Trait::Expand => "spreads packed elements over the selected lanes of a vector",
        Trait::Spill => {
            "needs more registers than there are: values go to the stack and back within the loop"
        }
        Trait::Call => {
            "calls a function in every pass: neither side can be optimised with the other, and vector registers are saved"
        }
        Trait::IndirectCall => "calls through a pointer: the compiler cannot know what runs",
        Trait::Atomic => "uses atomic operations: about 20 cycles each alone, hundreds when threads compete",
        Trait::StringOp => {
            "uses string instructions (rep movs, rep stos): fast for long blocks, slow to start for short ones"
        }
        Trait::EarlyExit => "can leave before its count is reached",
        Trait::Reciprocal => "uses approximate reciprocals with a correction step instead of divisions",
        Trait::Crypto => "uses instructions made for cryptography or checksums",
        Trait::Prefetch => "prefetches by software",
    }
}

pub(crate) fn chain(kind: ChainKind) -> &'static str {
    match kind {
        ChainKind::Induction => "counter or pointer",
        ChainKind::InOrderSum => "sum kept in order, one element after another",
        ChainKind::VectorReduction => "reduction with one partial result per lane",
        ChainKind::IntegerReduction => "integer reduction",
        ChainKind::PointerChase => "pointer chase: the next address comes from this load",
        ChainKind::Recurrence => "recurrence: each iteration needs the result of the one before",
    }
}

pub(crate) fn idiom(idiom: Idiom) -> &'static str {
    match idiom {
        Idiom::Memset => "fills memory: a memset in open code",
        Idiom::Memcpy => "copies memory: a memcpy in open code",
    }
}

/// The non-empty classes of an instruction mix, the most frequent first.
pub(crate) fn instruction_classes(mix: &InstructionMix) -> Vec<(&'static str, u32)> {
    let mut classes = vec![
        ("floating-point vector", mix.fp_vector),
        ("floating-point scalar", mix.fp_scalar),
        ("integer vector", mix.int_vector),
        ("integer", mix.integer),
        ("load", mix.load),
        ("store", mix.store),
        ("branch", mix.branch),
        ("call", mix.call),
        ("shuffle", mix.shuffle),
        ("conversion", mix.conversion),
        ("divide", mix.divide),
        ("square root", mix.square_root),
        ("FMA", mix.fma),
        ("floating-point multiplication", mix.fp_multiply),
        ("move", mix.moves),
        ("other", mix.other),
    ];
    classes.retain(|(_, count)| *count > 0);
    classes.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    classes
}

/// A class of executed instructions in words; the names are those of the JSON contract.
pub(crate) fn executed_class(class: &'static str) -> &'static str {
    match class {
        "fp_scalar" => "floating-point scalar",
        "fp_vector" => "floating-point vector",
        "int_vector" => "integer vector",
        "square_root" => "square root",
        "fma" => "FMA",
        "moves" => "move",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_those_of_the_contract() {
        assert_eq!(contract_name(&Trait::FloatWidthConversion), "float-width-conversion");
        assert_eq!(elements(&[ElementType::F64, ElementType::I32]), "f64+i32");
    }

    #[test]
    fn only_classes_that_occur_are_named() {
        let mix = InstructionMix { load: 2, fp_vector: 3, ..InstructionMix::default() };
        assert_eq!(instruction_classes(&mix), [("floating-point vector", 3), ("load", 2)]);
    }
}
