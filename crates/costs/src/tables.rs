//! The figures of the cores, from the first source that has them:
//!
//! * *AF*: Agner Fog, *Instruction tables* and *The microarchitecture of Intel, AMD and VIA CPUs*; where a range is given, the
//!   end of values with full mantissas.
//! * *uops*: measurements of uops.info.
//! * *LLVM*: the scheduling models of `llvm/lib/Target/X86` (`X86SchedBroadwell.td`, `X86SchedSkylakeServer.td`).
//! * *OSACA*: the machine files of RRZE-HPC/OSACA (`icx`, `spr`, `zen1` to `zen4`), measured with ibench and asmbench.
//! * *Intel*: *64 and IA-32 Architectures Optimization Reference Manual*; *AMD*: *Software Optimization Guide* for family 17h
//!   (55723, 56305) and 19h (56665, 57647).
//!
//! A figure that is in none of them, or that they disagree on, is taken from [`GENERIC`]: the line says so. Widths that a core
//! lacks are taken as two operations of half of it.

use crate::core::{ByWidth, Core, Latency, Pipelined, Unpipelined};
use crate::estimates::CALL_CYCLES;

const fn pipelined(latency: f64, per_cycle: [f64; 4]) -> Pipelined {
    Pipelined { latency, per_cycle: ByWidth(per_cycle) }
}

const fn unpipelined(latency: f64, cycles: [f64; 4]) -> Unpipelined {
    Unpipelined { latency, cycles: ByWidth(cycles) }
}

/// A careful core for machines that are not known better: the middle of the x86 cores of about the last ten years.
pub(crate) static GENERIC: Core = Core {
    name: "generic x86-64",
    // AF: from 1.5 thousand micro-operations (Skylake) to 6.75 (Zen 4); an instruction is about one.
    decoded: 4096.0,
    // AF: Skylake 4, Ice Lake 5, Zen 5, Golden Cove and Zen 3 6. The most, for models that ask whether a core is full.
    rename: 6.0,
    // AF: two load ports and one store of any width on all of these.
    loads: ByWidth([2.0; 4]),
    stores: ByWidth([1.0; 4]),
    // AF: additions 2 to 4 cycles, multiplications 3 to 5, fused ones 4 to 5; two units.
    add: pipelined(3.0, [2.0; 4]),
    multiply: pipelined(4.0, [2.0; 4]),
    fma: pipelined(4.0, [2.0; 4]),
    // AF: one of each on cores without FMA, two ports on Intel's others.
    separate: 2.0,
    // AF: `divsd` 4 to 8, `sqrtsd` 4 to 9; uops, `VDIVPD` of Skylake to Golden Cove: the time per element falls by half.
    divide_f64: unpipelined(14.0, [5.0, 5.0, 10.0, 20.0]),
    divide_f32: unpipelined(11.0, [5.0, 5.0, 10.0, 20.0]),
    root_f64: unpipelined(18.0, [5.0, 5.0, 10.0, 20.0]),
    root_f32: unpipelined(12.0, [5.0, 5.0, 10.0, 20.0]),
    // uops: `div r32` and `div r64` 10 to 18 from Ice Lake and Zen 3 on; older cores take 26 to 95.
    integer_division: 14.0,
    // Intel and AMD: 12 to 15, 40 to 70 cycles.
    latency: Latency { l1: 5.0, l2: 12.0, l3: 45.0 },
    // One load each at two per cycle: the least that a gather can take.
    gather: 0.5,
    // AF: 15 to 20 cycles.
    mispredict: 17.0,
    // AF: 4 to 8 cycles.
    store_forward: 5.0,
    // Intel: about five cycles until the load is issued again.
    alias_4k: 5.0,
    call: CALL_CYCLES,
};

/// Haswell: divisions and latencies AF, ports Intel.
pub(crate) static HASWELL: Core = Core {
    name: "Haswell",
    decoded: 1536.0,
    rename: 4.0,
    add: pipelined(3.0, [1.0, 1.0, 1.0, 0.5]),
    multiply: pipelined(5.0, [2.0, 2.0, 2.0, 1.0]),
    fma: pipelined(5.0, [2.0, 2.0, 2.0, 1.0]),
    divide_f64: unpipelined(20.0, [14.0, 14.0, 28.0, 56.0]),
    divide_f32: unpipelined(13.0, [7.0, 7.0, 14.0, 28.0]),
    root_f64: unpipelined(20.0, [14.0, 14.0, 28.0, 56.0]),
    root_f32: unpipelined(13.0, [7.0, 7.0, 14.0, 28.0]),
    // AF: `div r32` 22 to 29.
    integer_division: 26.0,
    // AF: `vgatherdps ymm` one in 12 cycles.
    gather: 1.5,
    // The last level and what is not named: generic.
    ..GENERIC
};

/// Broadwell: Haswell with another divider and multiplier (LLVM).
pub(crate) static BROADWELL: Core = Core {
    name: "Broadwell",
    multiply: pipelined(3.0, [2.0, 2.0, 2.0, 1.0]),
    divide_f64: unpipelined(14.0, [8.0, 8.0, 16.0, 32.0]),
    divide_f32: unpipelined(11.0, [3.0, 5.0, 10.0, 20.0]),
    root_f64: unpipelined(16.0, [8.0, 14.0, 28.0, 56.0]),
    root_f32: unpipelined(11.0, [4.0, 7.0, 14.0, 28.0]),
    // AF: `vgatherdps ymm` one in 7 cycles.
    gather: 0.9,
    ..HASWELL
};

/// Skylake, Skylake-X, Cascade Lake: LLVM. Parts with one 512-bit unit are slower; their measured peak says so.
pub(crate) static SKYLAKE: Core = Core {
    name: "Skylake",
    decoded: 1536.0,
    rename: 4.0,
    add: pipelined(4.0, [2.0; 4]),
    divide_f64: unpipelined(14.0, [4.0, 4.0, 8.0, 16.0]),
    divide_f32: unpipelined(11.0, [3.0, 3.0, 5.0, 10.0]),
    root_f64: unpipelined(18.0, [6.0, 6.0, 12.0, 24.0]),
    root_f32: unpipelined(12.0, [3.0, 3.0, 6.0, 12.0]),
    // uops: `div r32`.
    integer_division: 26.0,
    // Intel: 14 cycles, 50 to 70 on the mesh of the servers.
    latency: Latency { l1: 5.0, l2: 14.0, l3: 60.0 },
    // Gathers: generic; microcode against data sampling has made them slower on most machines.
    ..GENERIC
};

/// Ice Lake, Tiger Lake, Rocket Lake (Sunny Cove and its successors): OSACA `icx`, roots of vectors as Skylake.
pub(crate) static ICE_LAKE: Core = Core {
    name: "Ice Lake",
    decoded: 2304.0,
    rename: 5.0,
    // Intel: two stores per cycle up to 256 bits.
    stores: ByWidth([2.0, 2.0, 2.0, 1.0]),
    // uops: `div r64` 14 to 18, `div r32` 10 to 15.
    integer_division: 14.0,
    gather: 0.75,
    ..SKYLAKE
};

/// Golden Cove (Alder Lake, Sapphire and Emerald Rapids): OSACA `spr`; the divider is that of Ice Lake.
pub(crate) static GOLDEN_COVE: Core = Core {
    name: "Golden Cove",
    decoded: 4096.0,
    rename: 6.0,
    // Intel: three loads per cycle up to 256 bits, two of 512.
    loads: ByWidth([3.0, 3.0, 3.0, 2.0]),
    // AF: 2 to 3 cycles, on units of their own.
    add: pipelined(3.0, [2.0; 4]),
    separate: 3.0,
    // uops, Alder Lake P: `div r64` 14 to 18, `div r32` 10 to 15.
    integer_division: 14.0,
    latency: Latency { l1: 5.0, l2: 15.0, l3: 70.0 },
    gather: 0.5,
    ..ICE_LAKE
};

/// Zen and Zen+: units of 128 bits, wider operations in halves (AMD 55723); divisions OSACA `zen1`, roots AF.
pub(crate) static ZEN: Core = Core {
    name: "Zen",
    decoded: 2048.0,
    // AMD: six macro-operations, AF: five instructions.
    rename: 5.0,
    loads: ByWidth([2.0, 2.0, 1.0, 0.5]),
    stores: ByWidth([1.0, 1.0, 0.5, 0.25]),
    add: pipelined(3.0, [2.0, 2.0, 1.0, 0.5]),
    multiply: pipelined(4.0, [2.0, 2.0, 1.0, 0.5]),
    fma: pipelined(5.0, [2.0, 2.0, 1.0, 0.5]),
    // AMD: two multipliers and two adders.
    separate: 4.0,
    divide_f64: unpipelined(13.0, [4.0, 4.0, 8.0, 16.0]),
    divide_f32: unpipelined(10.0, [3.0, 3.0, 6.0, 12.0]),
    root_f64: unpipelined(20.0, [8.0, 8.0, 16.0, 32.0]),
    root_f32: unpipelined(14.0, [5.0, 5.0, 10.0, 20.0]),
    latency: Latency { l1: 7.0, l2: 12.0, l3: 39.0 },
    // AF: `vgatherdps ymm` some 20 cycles for eight elements, less for others.
    gather: 2.0,
    // AF.
    mispredict: 18.0,
    // AF: 7 cycles. Integer divisions and aliasing: generic.
    store_forward: 7.0,
    ..GENERIC
};

/// Zen 2: units of 256 bits (AMD 56305); divisions and roots OSACA `zen2`.
pub(crate) static ZEN2: Core = Core {
    name: "Zen 2",
    decoded: 4096.0,
    loads: ByWidth([2.0, 2.0, 2.0, 1.0]),
    stores: ByWidth([1.0, 1.0, 1.0, 0.5]),
    add: pipelined(3.0, [2.0, 2.0, 2.0, 1.0]),
    multiply: pipelined(3.0, [2.0, 2.0, 2.0, 1.0]),
    fma: pipelined(5.0, [2.0, 2.0, 2.0, 1.0]),
    divide_f64: unpipelined(13.0, [5.0, 5.0, 5.0, 10.0]),
    divide_f32: unpipelined(10.0, [3.5, 3.5, 3.5, 7.0]),
    root_f64: unpipelined(20.0, [8.5, 8.5, 8.5, 17.0]),
    root_f32: unpipelined(14.0, [5.5, 5.5, 5.5, 11.0]),
    ..ZEN
};

/// Zen 3 (AMD 56665): divisions and gathers OSACA `zen3`.
pub(crate) static ZEN3: Core = Core {
    name: "Zen 3",
    rename: 6.0,
    // AMD: a third load per cycle goes into integer registers only, a second store is scalar.
    stores: ByWidth([2.0, 1.0, 1.0, 0.5]),
    fma: pipelined(4.0, [2.0, 2.0, 2.0, 1.0]),
    divide_f64: unpipelined(13.0, [4.5, 4.5, 4.5, 9.0]),
    root_f32: unpipelined(14.0, [5.0, 5.0, 5.0, 10.0]),
    // AF: `div r32` 9 to 12; measured on Zen 4: `div r64` 10, `div r32` 12.
    integer_division: 10.0,
    latency: Latency { l1: 7.0, l2: 12.0, l3: 46.0 },
    gather: 1.0,
    // AMD: 13 in the common case, 11 to 18.
    mispredict: 13.0,
    ..ZEN2
};

/// Zen 4 (AMD 57647): 512 bits in two halves; divisions and gathers OSACA `zen4`.
pub(crate) static ZEN4: Core = Core {
    name: "Zen 4",
    decoded: 6912.0,
    divide_f64: unpipelined(13.0, [5.0, 5.0, 5.0, 9.0]),
    divide_f32: unpipelined(11.0, [3.0, 3.0, 3.0, 6.0]),
    root_f64: unpipelined(21.0, [8.5, 8.0, 8.0, 16.0]),
    root_f32: unpipelined(15.0, [5.0, 5.0, 5.0, 10.0]),
    latency: Latency { l1: 7.0, l2: 14.0, l3: 50.0 },
    // Measured: a scaled sum of 4 KiB in scalar code and vectors of 128 and 512 bits, whose arrays are 4096 bytes and 0, 8, 64, 128
    // or 1024 more apart, takes the same time within 10 %.
    alias_4k: 0.0,
    ..ZEN3
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::microarchitecture::Microarchitecture;
    use loopwright_vocabulary::ElementType;

    #[test]
    fn figures_are_plausible() {
        for core in Microarchitecture::ALL.map(|m| m.core()).iter().chain([&&GENERIC]) {
            assert!((4.0..=8.0).contains(&core.rename), "{core:?}");
            for unit in [core.divide_f64, core.divide_f32, core.root_f64, core.root_f32] {
                assert!(unit.latency >= unit.cycles.at(0), "{core:?}");
                assert!(
                    unit.cycles.0.windows(2).all(|w| w[0] <= w[1] * 1.1 && w[1] <= w[0] * 2.5),
                    "{core:?}"
                );
            }
            for width in [core.loads, core.stores, core.add.per_cycle, core.fma.per_cycle] {
                assert!(width.0.windows(2).all(|w| w[1] > 0.0 && w[1] <= w[0]), "{core:?}");
            }
            let Latency { l1, l2, l3 } = core.latency;
            assert!(l1 < l2 && l2 < l3 && core.store_forward >= 4.0, "{core:?}");
        }
    }

    #[test]
    fn registers_wider_than_their_units_are_worth_fewer_lanes() {
        assert_eq!(ZEN4.lanes(512, ElementType::F64), 4.0);
        assert_eq!(ZEN4.lanes(256, ElementType::F64), 4.0);
        assert_eq!(ZEN.lanes(256, ElementType::F32), 4.0);
        assert_eq!(GENERIC.lanes(512, ElementType::F64), 8.0);
        assert_eq!(GENERIC.lanes(0, ElementType::F64), 1.0);
    }
}
