//! Peak-arithmetic inner loops, one per instruction-set level, element type and use of FMA.
//!
//! Every loop keeps fourteen independent dependency chains in registers (two more hold the constants), enough
//! to hide the latency of two pipes of up to seven cycles each (Intel 64 and IA-32 Optimization Reference
//! Manual, instruction latency tables; AMD Software Optimization Guide for Family 19h). Without FMA half the
//! chains multiply and half add, interleaved, because several processors have separate pipes for the two. The
//! constants come from memory, so that the same machine code is verified with constants that change the
//! values and timed with constants that keep them finite.

use std::arch::asm;

/// Independent chains per kernel.
pub const CHAINS: usize = 14;
/// Rounds of all chains per loop iteration.
pub const ROUNDS: u64 = 8;
/// Bytes between two chains (or constants) in memory, whatever the level's width.
pub const SLOT: usize = 64;

/// `(iterations, state, constants)`: `CHAINS` slots of state, two slots of constants.
pub type Run = unsafe fn(u64, *mut u8, *const u8);

macro_rules! fma_loop {
    ($name:ident, $register:literal, $load:literal, $operation:literal) => {
        /// # Safety
        /// The processor and the operating system support the level; `state` points to `CHAINS` and
        /// `constants` to two slots of `SLOT` bytes.
        pub unsafe fn $name(iterations: u64, state: *mut u8, constants: *const u8) {
            // SAFETY: the caller vouches for the level and both ranges; the clobber ABI names every vector
            // register; the flags are not preserved.
            unsafe {
                asm!(
                    ".irp i,0,1,2,3,4,5,6,7,8,9,10,11,12,13",
                    concat!($load, " ", $register, "\\i, [{state} + \\i*64]"),
                    ".endr",
                    concat!($load, " ", $register, "14, [{constants}]"),
                    concat!($load, " ", $register, "15, [{constants} + 64]"),
                    ".p2align 6",
                    "2:",
                    ".rept 8",
                    ".irp i,0,1,2,3,4,5,6,7,8,9,10,11,12,13",
                    concat!($operation, " ", $register, "\\i, ", $register, "14, ", $register, "15"),
                    ".endr",
                    ".endr",
                    "dec rcx",
                    "jnz 2b",
                    ".irp i,0,1,2,3,4,5,6,7,8,9,10,11,12,13",
                    concat!($load, " [{state} + \\i*64], ", $register, "\\i"),
                    ".endr",
                    "vzeroupper",
                    state = in(reg) state,
                    constants = in(reg) constants,
                    inout("rcx") iterations => _,
                    clobber_abi("sysv64"),
                    options(nostack),
                );
            }
        }
    };
}

/// One round without FMA: seven multiplying and seven adding chains, interleaved.
macro_rules! round {
    (vex, $mul:literal, $add:literal, $r:literal, $(($i:literal, $j:literal))*) => {
        concat!($($mul, " ", $r, $i, ", ", $r, $i, ", ", $r, "14\n",
                  $add, " ", $r, $j, ", ", $r, $j, ", ", $r, "15\n"),*)
    };
    (legacy, $mul:literal, $add:literal, $r:literal, $(($i:literal, $j:literal))*) => {
        concat!($($mul, " ", $r, $i, ", ", $r, "14\n", $add, " ", $r, $j, ", ", $r, "15\n"),*)
    };
}

macro_rules! separate_loop {
    ($name:ident, $encoding:ident, $register:literal, $load:literal, $mul:literal, $add:literal, $end:literal) => {
        /// # Safety
        /// The processor and the operating system support the level; `state` points to `CHAINS` and
        /// `constants` to two slots of `SLOT` bytes.
        pub unsafe fn $name(iterations: u64, state: *mut u8, constants: *const u8) {
            // SAFETY: the caller vouches for the level and both ranges; the clobber ABI names every vector
            // register; the flags are not preserved.
            unsafe {
                asm!(
                    ".irp i,0,1,2,3,4,5,6,7,8,9,10,11,12,13",
                    concat!($load, " ", $register, "\\i, [{state} + \\i*64]"),
                    ".endr",
                    concat!($load, " ", $register, "14, [{constants}]"),
                    concat!($load, " ", $register, "15, [{constants} + 64]"),
                    ".p2align 6",
                    "2:",
                    ".rept 8",
                    round!(
                        $encoding, $mul, $add, $register,
                        ("0", "7") ("1", "8") ("2", "9") ("3", "10") ("4", "11") ("5", "12") ("6", "13")
                    ),
                    ".endr",
                    "dec rcx",
                    "jnz 2b",
                    ".irp i,0,1,2,3,4,5,6,7,8,9,10,11,12,13",
                    concat!($load, " [{state} + \\i*64], ", $register, "\\i"),
                    ".endr",
                    $end,
                    state = in(reg) state,
                    constants = in(reg) constants,
                    inout("rcx") iterations => _,
                    clobber_abi("sysv64"),
                    options(nostack),
                );
            }
        }
    };
}

separate_loop!(scalar_f32, legacy, "xmm", "movups", "mulss", "addss", "");
separate_loop!(scalar_f64, legacy, "xmm", "movups", "mulsd", "addsd", "");
separate_loop!(sse_f32, legacy, "xmm", "movups", "mulps", "addps", "");
separate_loop!(sse_f64, legacy, "xmm", "movups", "mulpd", "addpd", "");
separate_loop!(avx_f32, vex, "ymm", "vmovups", "vmulps", "vaddps", "vzeroupper");
separate_loop!(avx_f64, vex, "ymm", "vmovups", "vmulpd", "vaddpd", "vzeroupper");
separate_loop!(avx512_f32, vex, "zmm", "vmovups", "vmulps", "vaddps", "vzeroupper");
separate_loop!(avx512_f64, vex, "zmm", "vmovups", "vmulpd", "vaddpd", "vzeroupper");
fma_loop!(scalar_fma_f32, "xmm", "vmovups", "vfmadd213ss");
fma_loop!(scalar_fma_f64, "xmm", "vmovups", "vfmadd213sd");
fma_loop!(sse_fma_f32, "xmm", "vmovups", "vfmadd213ps");
fma_loop!(sse_fma_f64, "xmm", "vmovups", "vfmadd213pd");
fma_loop!(avx_fma_f32, "ymm", "vmovups", "vfmadd213ps");
fma_loop!(avx_fma_f64, "ymm", "vmovups", "vfmadd213pd");
fma_loop!(avx512_fma_f32, "zmm", "vmovups", "vfmadd213ps");
fma_loop!(avx512_fma_f64, "zmm", "vmovups", "vfmadd213pd");
