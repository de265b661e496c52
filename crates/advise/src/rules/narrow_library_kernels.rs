//! Libraries that run narrower vectors than the machine has: the wrong kernels were chosen, or built.

use crate::counted::LEAST_GAIN;
use crate::evidence::{Change, Expected, Machine, Time};
use crate::libraries;
use crate::prelude::*;
use loopwright_analysis::model::{MachineFacts, ModuleSummary, RoofKind};
use loopwright_analysis::place::base_name;
use loopwright_binary::facts::{ElementType, Trait};

pub(crate) static RULE: Rule = Rule {
    id: "narrow-library-kernels",
    check: Check::Module(check),
    on_own_optimised_code: false,
    leaves_traffic: false,
    yields_to: &[],
    doc: Doc::parse(include_str!("narrow_library_kernels.md")),
};

/// Less of the time than this is not worth a look at the library.
const NOTICEABLE: f64 = 0.05;
/// This part of the library's floating-point time must run narrow.
const MOSTLY: f64 = 0.6;

/// What a loop's arithmetic runs on.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Kernel {
    bits: u32,
    fused: bool,
    element: ElementType,
}

fn check(facts: &Facts, module: &ModuleSummary) -> Option<Recommendation> {
    let machine = facts.machine()?;
    let name = base_name(&module.path);
    let foreign = libraries::is_installed(&module.path) || !module.has_lines;
    if module.main_module || name.starts_with('[') || !foreign || libraries::is_interpreter(name) {
        return None;
    }
    let hot: Vec<(&LoopFacts, Kernel)> = facts
        .analysis
        .loops
        .iter()
        .filter(|l| l.module == name && l.self_share > 0.0 && l.innermost)
        .filter_map(|l| Some((l, kernel(l)?)))
        .collect();
    let time = |of: &dyn Fn(&(&LoopFacts, Kernel)) -> bool| -> f64 {
        hot.iter().filter(|l| of(l)).map(|l| l.0.self_share).sum()
    };
    let narrower = |k: Kernel| k.bits < machine.vector_bits || (machine.fma && !k.fused);
    let (all, narrow) = (time(&|_| true), time(&|l| narrower(l.1)));
    if narrow < NOTICEABLE || narrow < MOSTLY * all {
        return None;
    }
    let mut of_narrow: Vec<&(&LoopFacts, Kernel)> = hot.iter().filter(|l| narrower(l.1)).collect();
    of_narrow.sort_by(|a, b| b.0.self_share.total_cmp(&a.0.self_share).then(a.0.id.cmp(&b.0.id)));
    let (hottest, now) = **of_narrow.first()?;
    let parts: Vec<(f64, Gain)> =
        of_narrow.iter().map(|(l, k)| (l.self_share / narrow, wider(machine, l, *k))).collect();
    let gain = costs::together(&parts);
    if gain.high() < LEAST_GAIN {
        return None;
    }
    let lacking = if now.bits < machine.vector_bits {
        format!("runs {}-bit vectors, this machine has {}", now.bits, machine.vector_bits)
    } else {
        "does without the fused multiply-adds that this machine has".to_owned()
    };
    let mut new = facts
        .about_module(&RULE, module)
        .named("use-wider-kernels", format!("{name} {lacking}: let it choose newer kernels"))
        .because(
            Provenance::Binary,
            Machine::LibraryKernel { function: hottest.function.clone(), bits: now.bits, fused: now.fused },
        )
        .because(
            Provenance::Measured,
            Machine::MachineRegisters { bits: machine.vector_bits, fused: machine.fma },
        )
        .because(Provenance::Measured, Time::NarrowLoopsShare { share: narrow, module: name.to_owned() })
        .because(Provenance::Modelled, Expected::between(Change::WiderKernels, gain.low(), gain.high()));
    if machine.ceilings.is_none() {
        new = new.next("loopwright machine --measure");
    }
    let settings = libraries::kernel_settings(name);
    let confidence = if settings.is_empty() { Confidence::Low } else { Confidence::High };
    let how =
        settings.iter().fold(how!(RULE), |how, (name, value, meaning)| how.environment(name, value, meaning));
    Some(new.gain(narrow, gain).confidence(confidence).how(how))
}

/// Vectors of a loop that does floating-point arithmetic.
fn kernel(of: &LoopFacts) -> Option<Kernel> {
    let vector = of.vector.as_ref().filter(|v| of.vectorized && v.bits > 0)?;
    let element = of.types.iter().copied().find(|t| matches!(t, ElementType::F32 | ElementType::F64))?;
    if of.flop_per_iteration.values().sum::<u32>() == 0 {
        return None;
    }
    Some(Kernel { bits: vector.bits, fused: of.traits.contains(&Trait::Fma), element })
}

/// What wider kernels gain for a loop: the widest at best, as far as memory lets it.
fn wider(machine: &MachineFacts, of: &LoopFacts, now: Kernel) -> Gain {
    let steps = || [128, 256, 512].into_iter().filter(|bits| *bits <= machine.vector_bits);
    let rate = |bits: u32, fused: bool| {
        let lanes = f64::from(bits) * if fused { 2.0 } else { 1.0 };
        machine.peak_of(bits, now.element, fused).unwrap_or(lanes)
    };
    // Kernels for processors without FMA are narrower than 512 bits.
    let measured_now = machine.peak_of(now.bits, now.element, now.fused).is_some();
    let current = if measured_now {
        rate(now.bits, now.fused)
    } else {
        f64::from(now.bits) * if now.fused { 2.0 } else { 1.0 }
    };
    let better: Vec<f64> = steps()
        .flat_map(|bits| [false, machine.fma].map(|fused| (bits, fused)))
        .filter(|(bits, fused)| *bits >= now.bits && (*fused || !now.fused))
        .filter(|(bits, fused)| machine.peak_of(*bits, now.element, *fused).is_some() == measured_now)
        .map(|(bits, fused)| rate(bits, fused) / current)
        .filter(|ratio| *ratio > 1.0)
        .collect();
    let (Some(next), Some(most)) =
        (better.iter().copied().reduce(f64::min), better.iter().copied().reduce(f64::max))
    else {
        return Gain::NONE;
    };
    let gain = Gain::of(next).hedged(estimates::HIDDEN).reaching(most * estimates::BEST_EFFICIENCY);
    let held_back =
        of.roofline.as_ref().filter(|p| p.bound_kind == Some(RoofKind::Memory)).and_then(|p| p.headroom);
    held_back.filter(|h| h.is_finite()).map_or(gain, |headroom| gain.capped(headroom.max(1.0)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{bound_by, ceilings, count, fired, module, states, vector_loop, with_loops};
    use loopwright_analysis::model::{Analysis, FlopCeiling};
    use loopwright_binary::facts::Isa;
    use loopwright_vocabulary::VectorWidth;

    const LIBRARY: &str = "libopenblasp-r0.3.21.so";

    /// A library that takes 80 % of the time in one loop, on a machine with AVX2 and FMA.
    fn kernel_of(bits: u32, fused: bool, change: impl FnOnce(&mut LoopFacts)) -> Analysis {
        let mut analysis = with_loops(vec![vector_loop(|l| {
            (l.module, l.main_module, l.file, l.producer) = (LIBRARY.into(), false, None, None);
            (l.function, l.self_share, l.group_share) = ("dgemm_kernel_NEHALEM".into(), 0.8, 0.8);
            let vector = l.vector.as_mut().unwrap();
            (vector.bits, vector.length, vector.isa) = (bits, bits / 64, Isa::SSE2);
            if fused {
                l.traits.push(Trait::Fma);
            }
            change(l);
        })]);
        let mut library = module(&format!("/usr/lib/{LIBRARY}"), 0.8, false);
        library.has_lines = false;
        analysis.modules.push(library);
        analysis
    }

    fn with_peaks(mut analysis: Analysis, peaks: [(VectorWidth, bool, f64); 4]) -> Analysis {
        let flop =
            |(level, fma, gflops)| FlopCeiling { level, element: ElementType::F64, fma, cores: 1, gflops };
        let machine = analysis.machine.as_mut().unwrap();
        machine.ceilings = Some(ceilings());
        machine.ceilings.as_mut().unwrap().flops = peaks.map(flop).into();
        analysis
    }

    #[test]
    fn fires_on_sse_kernels_with_the_way_out() {
        let r = fired(&RULE, &kernel_of(128, false, |_| ())).unwrap();
        assert_eq!((r.id.as_str(), r.confidence), ("use-wider-kernels", Confidence::High));
        assert!(r.how.environment.iter().any(|e| e.name == "OPENBLAS_CORETYPE"));
        // Twice the width at least, four times with FMA.
        let gain = r.loop_gain.unwrap();
        assert!((gain.low() - 1.1).abs() < 1e-9 && (gain.high() - 3.76).abs() < 1e-9, "{gain:?}");
        assert!(
            r.title.contains("128-bit")
                && states!(r, Machine::LibraryKernel { function, .. } if function.contains("dgemm_kernel_NEHALEM"))
        );
    }

    #[test]
    fn fires_on_kernels_without_fma() {
        let r = fired(&RULE, &kernel_of(256, false, |_| ())).unwrap();
        assert!((r.loop_gain.unwrap().high() - 1.88).abs() < 1e-9, "{:?}", r.loop_gain);
    }

    #[test]
    fn measured_peaks_bound_it_and_memory_may_hold_it_back() {
        let peaks = [
            (VectorWidth::Bits128, false, 12.0),
            (VectorWidth::Bits128, true, 20.0),
            (VectorWidth::Bits256, false, 18.0),
            (VectorWidth::Bits256, true, 30.0),
        ];
        let r = fired(&RULE, &with_peaks(kernel_of(128, false, |_| ()), peaks)).unwrap();
        let gain = r.loop_gain.unwrap();
        assert!((gain.low() - 1.05).abs() < 1e-9 && (gain.high() - 2.35).abs() < 1e-9, "{gain:?}");
        let held = |headroom| {
            with_peaks(
                kernel_of(128, false, |l| {
                    count(l, 1000, 1000);
                    bound_by(l, "L3", headroom);
                }),
                peaks,
            )
        };
        assert!((fired(&RULE, &held(1.5)).unwrap().loop_gain.unwrap().high() - 1.5).abs() < 1e-9);
        assert!(fired(&RULE, &held(1.02)).is_none());
    }

    #[test]
    fn unknown_libraries_are_a_hint() {
        let mut analysis = kernel_of(128, false, |l| l.module = "libother.so".into());
        analysis.modules[1].path = "/usr/lib/libother.so".into();
        assert_eq!(fired(&RULE, &analysis).unwrap().confidence, Confidence::Low);
    }

    #[test]
    fn silent_on_the_widest_on_own_libraries_on_copies_and_on_details() {
        assert!(fired(&RULE, &kernel_of(256, true, |_| ())).is_none());
        let mut own = kernel_of(128, false, |_| ());
        (own.modules[1].path, own.modules[1].has_lines) = (format!("/home/u/{LIBRARY}"), true);
        assert!(fired(&RULE, &own).is_none());
        assert!(fired(&RULE, &kernel_of(128, false, |l| l.flop_per_iteration.clear())).is_none());
        assert!(fired(&RULE, &kernel_of(128, false, |l| l.self_share = 0.03)).is_none());
        let mut unknown = kernel_of(128, false, |_| ());
        unknown.machine = None;
        assert!(fired(&RULE, &unknown).is_none());
    }
}
