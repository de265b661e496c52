//! Work that depends on mask registers and repetition counts.

use super::{decoded, fixed, of};
use crate::code::work::block_work;
use crate::facts::ElementType as E;
use crate::work::{Unit, VariableWork, Work};
use iced_x86::code_asm::*;
use iced_x86::{Code, Instruction, OpKind, Register};

fn mask(register: u8, lanes: u8) -> Unit {
    Unit::MaskBits { register, lanes }
}

#[test]
fn a_masked_loop_is_one_group() {
    let w = of(|a| {
        a.vmovupd(zmm1.k1().z(), zmmword_ptr(rsi))?;
        a.vfmadd213pd(zmm1.k1().z(), zmm0, zmmword_ptr(rdx))?;
        a.vmovupd(zmmword_ptr(rdi).k1(), zmm1)
    });
    let f = &w.fixed;
    assert_eq!((f.instructions, f.total_flop(), f.bytes_loaded, f.bytes_stored), (3, 0, 0, 0));
    assert_eq!((f.mix.load, f.mix.store, f.mix.fma), (2, 1, 1));
    let [v] = w.variable.as_slice() else { panic!("{:?}", w.variable) };
    assert_eq!((v.unit, v.address), (mask(1, 8), 0x1000));
    let each = Work {
        flop: [(E::F64, 2)].into(),
        fma_flop: 2,
        packed_flop: 2,
        bytes_loaded: 16,
        bytes_stored: 8,
        ..Work::default()
    };
    assert_eq!(v.each, each);
    let mut most = Work { bound_flop: 16, ..Work::default() };
    most.add_times(&each, 8);
    assert_eq!(v.most, most);
}

#[test]
fn a_new_value_is_a_new_group() {
    let w = of(|a| {
        a.vaddps(zmm0.k2(), zmm1, zmm2)?; // at 0x1000
        a.vpcmpd(k2, zmm3, zmm4, 1)?;
        a.vaddps(zmm0.k2(), zmm1, zmm2)?; // another value
        a.vaddpd(zmm0.k2(), zmm1, zmm2)?; // other lanes
        a.vaddps(zmm0.k3(), zmm1, zmm2)
    });
    let units: Vec<_> = w.variable.iter().map(|v| (v.unit, v.address - 0x1000)).collect();
    assert_eq!(units, [(mask(2, 16), 0), (mask(2, 16), 13), (mask(2, 8), 19), (mask(3, 16), 25)]);
    assert_eq!(w.fixed.integer_operations, 16, "the comparison");
}

#[test]
fn a_gather_uses_its_mask_up() {
    let w = of(|a| {
        a.vgatherdps(zmm0.k1(), dword_ptr(rsi + zmm1 * 4))?;
        a.vscatterdpd(qword_ptr(rdi + ymm1 * 8).k1(), zmm0)
    });
    let [g, s] = w.variable.as_slice() else { panic!("{:?}", w.variable) };
    assert_eq!((g.unit, g.each.bytes_loaded, g.each.bytes_stored), (mask(1, 16), 4, 0));
    assert_eq!((s.unit, s.each.bytes_loaded, s.each.bytes_stored), (mask(1, 8), 0, 8));
    // The compilers' idiom: all ones before it.
    let all = fixed(|a| {
        a.kxnorb(k1, k1, k1)?;
        a.vgatherdpd(zmm0.k1(), qword_ptr(rsi + ymm1 * 8))
    });
    assert_eq!(all.bytes_loaded, 64);
    let half = of(|a| {
        a.kxnorb(k1, k1, k1)?;
        a.vgatherdps(zmm0.k1(), dword_ptr(rsi + zmm1 * 4))
    });
    assert_eq!(half.variable.len(), 1, "eight ones are not sixteen");
}

/// One masked instruction: unit, FLOP, integer operations, bytes per lane; fixed bytes.
fn one(v: &[VariableWork]) -> (Unit, u64, u64, u64, u64) {
    let [v] = v else { panic!("{v:?}") };
    assert_eq!(v.most.bound_flop, v.most.total_flop());
    (v.unit, v.each.total_flop(), v.each.integer_operations, v.each.bytes_loaded, v.each.bytes_stored)
}

#[test]
fn lanes_of_instruction_families() {
    let of = |write: fn(&mut CodeAssembler) -> Result<(), iced_x86::IcedError>| one(&of(write).variable);
    assert_eq!(of(|a| a.evex().vaddss(xmm0.k1(), xmm1, dword_ptr(rsi))), (mask(1, 1), 1, 0, 4, 0));
    assert_eq!(of(|a| a.vdpbf16ps(zmm0.k1(), zmm1, zmm2)), (mask(1, 16), 4, 0, 0, 0));
    assert_eq!(of(|a| a.vfmaddcph(zmm0.k1(), zmm1, zmm2)), (mask(1, 16), 8, 0, 0, 0));
    assert_eq!(of(|a| a.vpaddb(zmm0.k7(), zmm1, zmm2)), (mask(7, 64), 0, 1, 0, 0));
    assert_eq!(of(|a| a.vpandq(ymm0.k1(), ymm1, ymm2)), (mask(1, 4), 0, 1, 0, 0));
    assert_eq!(of(|a| a.evex().vpmaddwd(ymm0.k1(), ymm1, ymmword_ptr(rsi))), (mask(1, 8), 0, 3, 4, 0));
    assert_eq!(of(|a| a.vpdpbusd(zmm0.k1(), zmm1, zmm2)), (mask(1, 16), 0, 8, 0, 0));
    assert_eq!(of(|a| a.vdbpsadbw(zmm0.k1(), zmm1, zmm2, 0)), (mask(1, 32), 0, 4, 0, 0));
    assert_eq!(of(|a| a.vpcmpeqw(k2.k1(), zmm1, zmmword_ptr(rsi))), (mask(1, 32), 0, 1, 2, 0));
    assert_eq!(of(|a| a.vmovdqu8(xmmword_ptr(rdi).k1(), xmm0)), (mask(1, 16), 0, 0, 0, 1));
    assert_eq!(of(|a| a.vcvtps2pd(zmm0.k1().z(), ymmword_ptr(rsi))), (mask(1, 8), 0, 0, 4, 0));
    assert_eq!(of(|a| a.vpmovqb(qword_ptr(rdi).k1(), zmm0)), (mask(1, 8), 0, 0, 0, 1));
    assert_eq!(of(|a| a.vcompressps(zmmword_ptr(rdi).k1(), zmm0)), (mask(1, 16), 0, 0, 0, 4));
    assert_eq!(of(|a| a.vextractf32x4(xmmword_ptr(rdi).k1(), zmm0, 1)), (mask(1, 4), 0, 0, 0, 4));
}

#[test]
fn operands_that_a_mask_does_not_share_out() {
    let bytes = |write: fn(&mut CodeAssembler) -> Result<(), iced_x86::IcedError>| {
        let w = of(write);
        let by_lane: u64 = w.variable.iter().map(|v| v.each.bytes_loaded + v.each.bytes_stored).sum();
        (w.fixed.bytes_loaded, by_lane)
    };
    assert_eq!(bytes(|a| a.vaddps(zmm0.k1(), zmm1, dword_bcst(rsi))), (4, 0));
    assert_eq!(bytes(|a| a.vpermps(zmm0.k1(), zmm1, zmmword_ptr(rsi))), (64, 0));
    assert_eq!(bytes(|a| a.evex().vpsllw(xmm0.k1(), xmm1, xmmword_ptr(rsi))), (16, 0));
    assert_eq!(bytes(|a| a.vbroadcastsd(zmm0.k1(), qword_ptr(rsi))), (8, 0));
    assert_eq!(bytes(|a| a.v4fmaddps(zmm0.k1(), zmm4, xmmword_ptr(rsi))), (16, 0));
}

#[test]
fn repetitions() {
    let w = of(|a| a.rep().movsq());
    let [v] = w.variable.as_slice() else { panic!() };
    assert_eq!((v.unit, v.each.bytes_loaded, v.each.bytes_stored), (Unit::Repetitions, 8, 8));
    assert_eq!((w.fixed.instructions, w.fixed.bytes_loaded), (1, 0));
    let w = of(|a| a.rep().stosb());
    assert_eq!((w.variable[0].each.bytes_loaded, w.variable[0].each.bytes_stored), (0, 1));
    assert_eq!(of(|a| a.rep().lodsd()).variable[0].each.bytes_loaded, 4);
    // How far a search goes is not known.
    for w in [fixed(|a| a.repe().cmpsb()), fixed(|a| a.repne().scasb())] {
        assert_eq!((w.instructions, w.bytes_loaded), (1, 0));
    }
}

/// All instructions that take a mask: lanes are found, and all lanes together do what the unmasked form does.
#[test]
fn all_lanes_are_the_unmasked_instruction() {
    let mut seen = 0;
    for code in Code::values() {
        let Some(i) = masked(code) else { continue };
        let mut plain = i;
        plain.set_op_mask(Register::None);
        let (with, without) = (block_work(&[i]), block_work(&[plain]).fixed);
        let mut total = with.fixed.clone();
        for v in &with.variable {
            let Unit::MaskBits { register: 1, lanes } = v.unit else { panic!("{code:?}: {v:?}") };
            total.add_times(&v.each, lanes.into());
        }
        total.bound_flop = 0;
        assert_eq!(total.flop, without.flop, "{code:?}");
        assert_eq!(total.bytes_loaded, without.bytes_loaded, "{code:?}");
        assert_eq!(total.bytes_stored, without.bytes_stored, "{code:?}");
        assert!(with.fixed.total_flop() == 0, "{code:?} {with:?}");
        assert_eq!(total.mix, without.mix, "{code:?}");
        seen += 1;
    }
    assert!(seen > 1000, "{seen}");
}

/// An instruction with this code under `k1`, from any encoding that decodes to it.
fn masked(code: Code) -> Option<Instruction> {
    let name = format!("{code:?}");
    if !name.starts_with("EVEX_") || !(name.contains("_k1") || name.contains("_kp1")) {
        return None;
    }
    let width = |w: &str| match w {
        w if w.starts_with("zmm") => Some(Register::ZMM2),
        w if w.starts_with("ymm") => Some(Register::YMM2),
        w if w.starts_with("xmm") => Some(Register::XMM2),
        w if w.starts_with("kr") => Some(Register::K2),
        _ => None,
    };
    let parts: Vec<&str> =
        name.split('_').skip(2).filter(|p| !matches!(*p, "k1" | "k1z" | "kp1" | "er" | "sae")).collect();
    let mut i = Instruction::default();
    i.set_code(code);
    for (k, part) in parts.iter().enumerate().take(4) {
        let k = k as u32;
        if k >= i.op_count() {
            return None;
        }
        if part.starts_with("imm") {
            i.set_op_kind(k, OpKind::Immediate8);
        } else if part.starts_with("vm")
            || part.starts_with('m')
            || part.contains("mm") && part.contains("m1") && width(part).is_none()
        {
            return None;
        } else {
            i.set_op_kind(k, OpKind::Register);
            i.set_op_register(k, width(part)?);
        }
    }
    (parts.len() as u32 == i.op_count()).then(|| {
        i.set_op_mask(Register::K1);
        i
    })
}

#[test]
fn decoded_groups_keep_addresses_in_order() {
    let code = decoded(|a| {
        a.rep().movsb()?;
        a.vaddps(zmm0.k1(), zmm1, zmm2)
    });
    let w = block_work(&code);
    assert_eq!(w.variable.iter().map(|v| v.address).collect::<Vec<_>>(), [0x1000, 0x1002]);
}
