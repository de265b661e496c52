//! Peak arithmetic: the kernels, the results they must compute, and the work they do.
//!
//! The loops are in [`kernels`]; [`super::plan`] does the timing.

mod kernels;

use super::report::Element;
use kernels::{CHAINS, ROUNDS, Run, SLOT};
use loopwright_vocabulary::VectorWidth;

/// One peak-arithmetic kernel.
#[derive(Debug)]
pub(crate) struct FlopKernel {
    pub level: VectorWidth,
    pub element: Element,
    pub fma: bool,
    run: Run,
}

macro_rules! kernel_table {
    ($($level:ident $fma:literal: $f32:ident $f64:ident;)*) => {
        &[$(FlopKernel { level: VectorWidth::$level, element: Element::F32, fma: $fma, run: kernels::$f32 },
            FlopKernel { level: VectorWidth::$level, element: Element::F64, fma: $fma, run: kernels::$f64 },)*]
    };
}

/// Every kernel; a level is added by one row.
pub(crate) static KERNELS: &[FlopKernel] = kernel_table! {
    Scalar false: scalar_f32 scalar_f64;
    Scalar true: scalar_fma_f32 scalar_fma_f64;
    Bits128 false: sse_f32 sse_f64;
    Bits128 true: sse_fma_f32 sse_fma_f64;
    Bits256 false: avx_f32 avx_f64;
    Bits256 true: avx_fma_f32 avx_fma_f64;
    Bits512 false: avx512_f32 avx512_f64;
    Bits512 true: avx512_fma_f32 avx512_fma_f64;
};

/// Registers of a kernel in memory; aligned so that no load crosses a line.
#[repr(C, align(64))]
struct Slots<const N: usize>([[u8; SLOT]; N]);

impl<const N: usize> Slots<N> {
    fn filled(element: Element, value: impl Fn(usize, usize) -> f64) -> Self {
        let mut slots = [[0u8; SLOT]; N];
        for (index, slot) in slots.iter_mut().enumerate() {
            for (lane, bytes) in slot.chunks_exact_mut(element.bytes()).enumerate() {
                match element {
                    Element::F32 => bytes.copy_from_slice(&(value(index, lane) as f32).to_le_bytes()),
                    Element::F64 => bytes.copy_from_slice(&value(index, lane).to_le_bytes()),
                }
            }
        }
        Slots(slots)
    }

    fn lane(&self, element: Element, index: usize, lane: usize) -> f64 {
        let slot = &self.0[index];
        let at = lane * element.bytes();
        match element {
            Element::F32 => f64::from(f32::from_le_bytes(slot[at..at + 4].try_into().unwrap_or([0; 4]))),
            Element::F64 => f64::from_le_bytes(slot[at..at + 8].try_into().unwrap_or([0; 8])),
        }
    }
}

impl FlopKernel {
    /// Name for tables and errors.
    pub fn name(&self) -> String {
        let fma = if self.fma { " FMA" } else { "" };
        format!("{}{} {}", self.level.name(), fma, self.element.name())
    }

    /// Elements per instruction.
    pub fn lanes(&self) -> usize {
        self.level.lanes(self.element.into()) as usize
    }

    /// Whether this processor and operating system can run it.
    pub fn usable(&self) -> bool {
        let fma = !self.fma || is_x86_feature_detected!("fma");
        fma && match self.level {
            VectorWidth::Scalar | VectorWidth::Bits128 => true,
            VectorWidth::Bits256 if self.fma => is_x86_feature_detected!("avx2"),
            VectorWidth::Bits256 => is_x86_feature_detected!("avx"),
            VectorWidth::Bits512 => is_x86_feature_detected!("avx512f"),
        }
    }

    /// Floating-point operations of one loop iteration (FMA counts two).
    pub fn flop_per_iteration(&self) -> u64 {
        let operations = if self.fma { 2 } else { 1 };
        CHAINS as u64 * ROUNDS * self.lanes() as u64 * operations
    }

    /// Runs the loop with constants that keep every value finite for billions of rounds: FMA chains settle at
    /// 2, multiplying chains grow by the last bit, adding chains by a thousandth.
    pub fn run(&self, iterations: u64) {
        self.execute(iterations, self.timed_constants());
    }

    /// The multiplier and the addend of [`FlopKernel::run`].
    fn timed_constants(&self) -> [f64; 2] {
        if self.fma { [0.5, 1.0] } else { [1.0 + f64::from(f32::EPSILON), 1.0 / 1024.0] }
    }

    fn execute(&self, iterations: u64, constants: [f64; 2]) -> Slots<CHAINS> {
        assert!(self.usable(), "a level that the processor lacks is never run");
        let mut state = Slots::<CHAINS>::filled(self.element, start);
        let constants = Slots::<2>::filled(self.element, |index, _| constants[index]);
        // SAFETY: `usable` holds (asserted above); `Slots` are `CHAINS` and two slots of `SLOT` bytes.
        unsafe { (self.run)(iterations.max(1), (&raw mut state).cast(), (&raw const constants).cast()) };
        state
    }

    /// Runs a few iterations with constants that change every value and compares each lane with plain
    /// Rust arithmetic, which rounds the same way. Returns the first difference.
    pub fn verify(&self) -> Result<(), String> {
        let constants = [0.9375, 0.5];
        let iterations = 3;
        let state = self.execute(iterations, constants);
        for chain in 0..CHAINS {
            for lane in 0..self.lanes() {
                let expected = self.expected(chain, lane, iterations, constants);
                let found = state.lane(self.element, chain, lane);
                if found != expected {
                    return Err(format!("chain {chain} lane {lane}: expected {expected}, found {found}"));
                }
            }
        }
        Ok(())
    }

    fn expected(&self, chain: usize, lane: usize, iterations: u64, c: [f64; 2]) -> f64 {
        let single = self.element == Element::F32;
        let round = |v: f64| if single { f64::from(v as f32) } else { v };
        let mut value = round(start(chain, lane));
        for _ in 0..iterations * ROUNDS {
            value = if self.fma {
                if single {
                    f64::from((value as f32).mul_add(c[0] as f32, c[1] as f32))
                } else {
                    value.mul_add(c[0], c[1])
                }
            } else if chain < CHAINS / 2 {
                // A double-precision product of two singles is exact, and so is the sum to 53 bits for these
                // magnitudes: one rounding, as in single-precision hardware.
                round(value * c[0])
            } else {
                round(value + c[1])
            };
        }
        value
    }
}

/// First value of a chain's lane: all different.
fn start(chain: usize, lane: usize) -> f64 {
    1.0 + chain as f64 / 16.0 + lane as f64 / 256.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_usable_kernel_computes_what_its_name_says() {
        let mut ran = 0;
        for kernel in KERNELS {
            if !kernel.usable() {
                eprintln!("skipped {}: this processor lacks the level", kernel.name());
                continue;
            }
            kernel.verify().unwrap_or_else(|difference| panic!("{}: {difference}", kernel.name()));
            ran += 1;
        }
        assert!(ran >= 4, "scalar and SSE exist on every x86-64");
    }

    #[test]
    fn timed_constants_keep_values_finite() {
        for kernel in KERNELS.iter().filter(|k| k.usable()) {
            // Longer than any timed sample runs.
            let state = kernel.execute(200_000, kernel.timed_constants());
            for chain in 0..CHAINS {
                let value = state.lane(kernel.element, chain, 0);
                assert!(value.is_normal(), "{}: chain {chain} at {value}", kernel.name());
                assert!(!kernel.fma || (value - 2.0).abs() < 1e-5, "{}: {value}", kernel.name());
            }
        }
    }

    #[test]
    fn work_counts_lanes_and_fma_twice() {
        let find = |level, element, fma| {
            KERNELS.iter().find(|k| k.level == level && k.element == element && k.fma == fma)
        };
        let flop = |level, element, fma| find(level, element, fma).map(FlopKernel::flop_per_iteration);
        assert_eq!(flop(VectorWidth::Scalar, Element::F64, false), Some(112));
        assert_eq!(flop(VectorWidth::Bits256, Element::F64, true), Some(112 * 4 * 2));
        assert_eq!(flop(VectorWidth::Bits512, Element::F32, false), Some(112 * 16));
    }
}
