//! Sums over a loop's own instructions: mix, traits, calls, bytes, floating-point operations.

use super::body::Body;
use super::callees::call_site;
use super::lanes::{Lanes, register_bits};
use super::mix::{self, Classes};
use super::operation::Class;
use super::source::CodeSource;
use super::step::{Step, is_call};
use crate::facts::{CallSite, ElementType, InstructionMix, Trait};
use iced_x86::{Instruction, Mnemonic, OpKind, Register};
use std::collections::{BTreeMap, BTreeSet};

/// What one machine iteration of a loop's own blocks does.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summary {
    /// Instructions by class.
    pub mix: InstructionMix,
    /// Traits of the code.
    pub traits: BTreeSet<Trait>,
    /// Calls, by address.
    pub calls: Vec<CallSite>,
    /// Bytes loaded per machine iteration.
    pub bytes_loaded: u32,
    /// Bytes stored per machine iteration.
    pub bytes_stored: u32,
    /// FLOP by type; masked operations count all lanes.
    pub flop: BTreeMap<ElementType, u32>,
}

/// Sums up the own instructions of a loop. `data` holds the scalar integer steps that work on data rather
/// than on addresses and control.
pub fn summarize(
    source: &dyn CodeSource,
    body: &Body,
    lanes: &[Lanes],
    overhead: &dyn Fn(usize) -> bool,
) -> Summary {
    let mut out = Summary::default();
    for (k, (step, lanes)) in body.steps.iter().zip(lanes).enumerate() {
        let (load, store) = step.memory.map_or((false, false), |m| (m.load, m.store));
        mix::add(&mut out.mix, Classes::of(&step.operation, load, store, overhead(k)));
        out.mix.fp_multiply +=
            u32::from(step.operation.class == Class::Multiply && step.operation.is_float());
        traits(&mut out.traits, step);
        if let Some(m) = step.memory {
            if m.load {
                out.bytes_loaded = out.bytes_loaded.saturating_add(m.size);
            }
            if m.store {
                out.bytes_stored = out.bytes_stored.saturating_add(m.size);
            }
        }
        flop(&mut out.flop, step, lanes);
        if is_call(&step.instruction) {
            out.calls.push(call_site(source, &step.instruction));
        }
    }
    out
}

fn flop(out: &mut BTreeMap<ElementType, u32>, step: &Step, lanes: &Lanes) {
    let per_element = step.operation.flop_per_element();
    let Some(element) = step.operation.element.filter(|_| per_element > 0) else { return };
    let count = if step.operation.packed {
        let bits = if lanes.bits == 0 { register_bits(&step.instruction) } else { lanes.bits };
        (bits / element.bits()).max(1)
    } else {
        1
    };
    let total = out.entry(element).or_default();
    *total = total.saturating_add(count * per_element);
}

fn traits(traits: &mut BTreeSet<Trait>, step: &Step) {
    let i = &step.instruction;
    let operation = &step.operation;
    let found = match operation.class {
        Class::Gather => Some(Trait::Gather),
        Class::Scatter => Some(Trait::Scatter),
        Class::Compress => Some(Trait::Compress),
        Class::Expand => Some(Trait::Expand),
        Class::Blend => Some(Trait::Blend),
        Class::Fma if operation.is_float() => Some(Trait::Fma),
        Class::Divide if operation.is_float() => Some(Trait::Divide),
        Class::Divide => Some(Trait::IntegerDivide),
        Class::SquareRoot => Some(Trait::SquareRoot),
        Class::Reciprocal => Some(Trait::Reciprocal),
        Class::Crypto => Some(Trait::Crypto),
        Class::Prefetch => Some(Trait::Prefetch),
        Class::StringOp => Some(Trait::StringOp),
        Class::Convert => Some(Trait::Conversion),
        Class::Shuffle if !scalar_idiom(i) => Some(Trait::Shuffle),
        Class::Insert => Some(Trait::Insert),
        Class::Extract
            if !matches!(
                i.mnemonic(),
                Mnemonic::Pmovmskb
                    | Mnemonic::Vpmovmskb
                    | Mnemonic::Movmskps
                    | Mnemonic::Movmskpd
                    | Mnemonic::Vmovmskps
                    | Mnemonic::Vmovmskpd
            ) =>
        {
            Some(Trait::Extract)
        }
        Class::Call => match i.op0_kind() {
            OpKind::NearBranch64 => Some(Trait::Call),
            OpKind::Memory if i.is_ip_rel_memory_operand() => Some(Trait::Call),
            _ => Some(Trait::IndirectCall),
        },
        _ => None,
    };
    traits.extend(found);
    if matches!(
        i.mnemonic(),
        Mnemonic::Cvtps2pd
            | Mnemonic::Cvtpd2ps
            | Mnemonic::Cvtss2sd
            | Mnemonic::Cvtsd2ss
            | Mnemonic::Vcvtps2pd
            | Mnemonic::Vcvtpd2ps
            | Mnemonic::Vcvtss2sd
            | Mnemonic::Vcvtsd2ss
    ) {
        traits.insert(Trait::FloatWidthConversion);
    }
    let masked_move = matches!(
        i.mnemonic(),
        Mnemonic::Vmaskmovps
            | Mnemonic::Vmaskmovpd
            | Mnemonic::Vpmaskmovd
            | Mnemonic::Vpmaskmovq
            | Mnemonic::Maskmovdqu
            | Mnemonic::Vmaskmovdqu
    );
    if masked_move || i.has_op_mask() && !matches!(operation.class, Class::Gather | Class::Scatter) {
        traits.insert(Trait::Masked);
    }
    if matches!(
        i.mnemonic(),
        Mnemonic::Movntps
            | Mnemonic::Movntpd
            | Mnemonic::Movntdq
            | Mnemonic::Movnti
            | Mnemonic::Vmovntps
            | Mnemonic::Vmovntpd
            | Mnemonic::Vmovntdq
    ) {
        traits.insert(Trait::NonTemporalStore);
    }
    let locked_exchange = i.mnemonic() == Mnemonic::Xchg && step.memory.is_some();
    if i.has_lock_prefix() || locked_exchange {
        traits.insert(Trait::Atomic);
    }
}

/// `unpcklps x, x` and the like before a scalar conversion only break a false dependence.
fn scalar_idiom(i: &Instruction) -> bool {
    matches!(i.mnemonic(), Mnemonic::Unpcklps | Mnemonic::Vunpcklps | Mnemonic::Unpcklpd)
        && i.op_count() >= 2
        && i.op_kind(i.op_count() - 1) == OpKind::Register
        && i.op_register(i.op_count() - 1) == i.op_register(i.op_count() - 2)
        && i.op0_register() != Register::None
}
