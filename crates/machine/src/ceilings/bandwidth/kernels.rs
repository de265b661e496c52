//! Streaming inner loops: load, store, copy and triad at three vector widths, two unroll factors, with
//! ordinary and non-temporal stores; and the processor's own string operations.
//!
//! Each loop walks its streams forward in blocks, all loads of a 128-byte step before its stores, and
//! repeats the walk inside the assembly so that a short array pays no call. The addresses are plain base +
//! displacement (indexed stores cannot use every store port of several processors). The triad is
//! a = b x s + c with doubles (McCalpin, STREAM).

use std::arch::asm;

/// The operands of a kernel: up to three streams of `blocks` blocks each.
#[derive(Clone, Copy, Debug)]
pub struct Streams {
    /// The stream that is written.
    pub a: *mut u8,
    /// The stream that is read.
    pub b: *const u8,
    /// The second stream that the triad reads.
    pub c: *const u8,
    /// 64 bytes: the value stored, or the triad's factor.
    pub value: *const u8,
    /// 128 bytes: the last values that the load kernels read.
    pub last: *mut u8,
    /// Number of blocks per walk.
    pub blocks: u64,
    /// Number of walks.
    pub repeats: u64,
}

/// One walk kernel.
pub type Run = unsafe fn(&Streams);

/// Opens the repetition over the 128-byte steps of a block.
macro_rules! steps {
    ("512") => {
        ".irp o,0,128,256,384"
    };
    ("2048") => {
        ".irp o,0,128,256,384,512,640,768,896,1024,1152,1280,1408,1536,1664,1792,1920"
    };
}

macro_rules! walk {
    ($name:ident, $block:tt, $width:ident, $body:ident $(, $store:literal)?) => {
        /// # Safety
        /// The processor supports the width; every stream that the kernel uses is aligned to 64 bytes and
        /// holds `blocks` blocks; `value` and `last` are as long as documented.
        pub unsafe fn $name(s: &Streams) {
            // SAFETY: the caller vouches for width and ranges; all vector registers are clobbered by ABI.
            unsafe {
                asm!(
                    $width!(set, "[{value}]"),
                    "2:",
                    "mov rdi, {a}",
                    "mov rsi, {b}",
                    "mov rdx, {c}",
                    "mov rcx, {blocks}",
                    ".p2align 6",
                    "3:",
                    steps!($block),
                    $width!($body $(, $store)?),
                    ".endr",
                    concat!("add rdi, ", $block),
                    concat!("add rsi, ", $block),
                    concat!("add rdx, ", $block),
                    "dec rcx",
                    "jnz 3b",
                    "dec r8",
                    "jnz 2b",
                    $width!(keep, "{last}"),
                    "sfence",
                    a = in(reg) s.a,
                    b = in(reg) s.b,
                    c = in(reg) s.c,
                    value = in(reg) s.value,
                    blocks = in(reg) s.blocks.max(1),
                    last = in(reg) s.last,
                    inout("r8") s.repeats.max(1) => _,
                    out("rdi") _,
                    out("rsi") _,
                    out("rdx") _,
                    out("rcx") _,
                    clobber_abi("sysv64"),
                    options(nostack),
                );
            }
        }
    };
}

macro_rules! sse {
    (set, $from:literal) => {
        concat!("movups xmm15, ", $from)
    };
    (keep, $to:literal) => {
        concat!(".irp j,0,1,2,3,4,5,6,7\n movups [", $to, " + \\j*16], xmm\\j\n .endr")
    };
    (load) => {
        ".irp j,0,1,2,3,4,5,6,7\n movaps xmm\\j, [rsi + \\o + \\j*16]\n .endr"
    };
    (store, $st:literal) => {
        concat!(".irp j,0,1,2,3,4,5,6,7\n ", $st, " [rdi + \\o + \\j*16], xmm15\n .endr")
    };
    (copy, $st:literal) => {
        concat!(
            ".irp j,0,1,2,3,4,5,6,7\n movaps xmm\\j, [rsi + \\o + \\j*16]\n .endr\n",
            ".irp j,0,1,2,3,4,5,6,7\n ",
            $st,
            " [rdi + \\o + \\j*16], xmm\\j\n .endr"
        )
    };
    (triad, $st:literal) => {
        concat!(
            ".irp j,0,1,2,3,4,5,6,7\n movaps xmm\\j, [rsi + \\o + \\j*16]\n mulpd xmm\\j, xmm15\n",
            "addpd xmm\\j, [rdx + \\o + \\j*16]\n .endr\n",
            ".irp j,0,1,2,3,4,5,6,7\n ",
            $st,
            " [rdi + \\o + \\j*16], xmm\\j\n .endr"
        )
    };
}

macro_rules! avx {
    (set, $from:literal) => {
        concat!("vmovups ymm15, ", $from)
    };
    (keep, $to:literal) => {
        concat!(".irp j,0,1,2,3\n vmovups [", $to, " + \\j*32], ymm\\j\n .endr\n vzeroupper")
    };
    (load) => {
        ".irp j,0,1,2,3\n vmovaps ymm\\j, [rsi + \\o + \\j*32]\n .endr"
    };
    (store, $st:literal) => {
        concat!(".irp j,0,1,2,3\n ", $st, " [rdi + \\o + \\j*32], ymm15\n .endr")
    };
    (copy, $st:literal) => {
        concat!(
            ".irp j,0,1,2,3\n vmovaps ymm\\j, [rsi + \\o + \\j*32]\n .endr\n",
            ".irp j,0,1,2,3\n ",
            $st,
            " [rdi + \\o + \\j*32], ymm\\j\n .endr"
        )
    };
    (triad, $st:literal) => {
        concat!(
            ".irp j,0,1,2,3\n vmulpd ymm\\j, ymm15, [rsi + \\o + \\j*32]\n",
            "vaddpd ymm\\j, ymm\\j, [rdx + \\o + \\j*32]\n .endr\n",
            ".irp j,0,1,2,3\n ",
            $st,
            " [rdi + \\o + \\j*32], ymm\\j\n .endr"
        )
    };
}

macro_rules! avx512 {
    (set, $from:literal) => {
        concat!("vmovups zmm15, ", $from)
    };
    (keep, $to:literal) => {
        concat!(".irp j,0,1\n vmovups [", $to, " + \\j*64], zmm\\j\n .endr\n vzeroupper")
    };
    (load) => {
        ".irp j,0,1\n vmovaps zmm\\j, [rsi + \\o + \\j*64]\n .endr"
    };
    (store, $st:literal) => {
        concat!(".irp j,0,1\n ", $st, " [rdi + \\o + \\j*64], zmm15\n .endr")
    };
    (copy, $st:literal) => {
        concat!(
            ".irp j,0,1\n vmovaps zmm\\j, [rsi + \\o + \\j*64]\n .endr\n",
            ".irp j,0,1\n ",
            $st,
            " [rdi + \\o + \\j*64], zmm\\j\n .endr"
        )
    };
    (triad, $st:literal) => {
        concat!(
            ".irp j,0,1\n vmulpd zmm\\j, zmm15, [rsi + \\o + \\j*64]\n",
            "vaddpd zmm\\j, zmm\\j, [rdx + \\o + \\j*64]\n .endr\n",
            ".irp j,0,1\n ",
            $st,
            " [rdi + \\o + \\j*64], zmm\\j\n .endr"
        )
    };
}

walk!(load_sse, "512", sse, load);
walk!(load_avx, "512", avx, load);
walk!(load_avx_long, "2048", avx, load);
walk!(load_avx512, "512", avx512, load);
walk!(load_avx512_long, "2048", avx512, load);
walk!(store_sse, "512", sse, store, "movaps");
walk!(store_avx, "512", avx, store, "vmovaps");
walk!(store_avx_long, "2048", avx, store, "vmovaps");
walk!(store_avx512, "512", avx512, store, "vmovaps");
walk!(store_avx512_long, "2048", avx512, store, "vmovaps");
walk!(copy_sse, "512", sse, copy, "movaps");
walk!(copy_avx, "512", avx, copy, "vmovaps");
walk!(copy_avx_long, "2048", avx, copy, "vmovaps");
walk!(copy_avx512, "512", avx512, copy, "vmovaps");
walk!(copy_avx512_long, "2048", avx512, copy, "vmovaps");
walk!(triad_sse, "512", sse, triad, "movaps");
walk!(triad_avx, "512", avx, triad, "vmovaps");
walk!(triad_avx_long, "2048", avx, triad, "vmovaps");
walk!(triad_avx512, "512", avx512, triad, "vmovaps");
walk!(triad_avx512_long, "2048", avx512, triad, "vmovaps");
walk!(store_nt_sse, "512", sse, store, "movntps");
walk!(store_nt_avx, "512", avx, store, "vmovntps");
walk!(store_nt_avx512, "512", avx512, store, "vmovntps");
walk!(store_nt_avx512_long, "2048", avx512, store, "vmovntps");
walk!(copy_nt_sse, "512", sse, copy, "movntps");
walk!(copy_nt_avx, "512", avx, copy, "vmovntps");
walk!(copy_nt_avx512, "512", avx512, copy, "vmovntps");
walk!(copy_nt_avx512_long, "2048", avx512, copy, "vmovntps");
walk!(triad_nt_sse, "512", sse, triad, "movntps");
walk!(triad_nt_avx, "512", avx, triad, "vmovntps");
walk!(triad_nt_avx512, "512", avx512, triad, "vmovntps");
walk!(triad_nt_avx512_long, "2048", avx512, triad, "vmovntps");

/// `rep movsb`: the processor's own copy (blocks of 512 bytes).
///
/// # Safety
/// `a` and `b` hold `blocks` blocks of 512 bytes and do not overlap.
pub unsafe fn copy_string(s: &Streams) {
    for _ in 0..s.repeats.max(1) {
        // SAFETY: the caller vouches for both ranges; the ABI keeps the direction flag clear.
        unsafe {
            asm!("rep movsb", inout("rcx") s.blocks * 512 => _, inout("rdi") s.a => _,
                 inout("rsi") s.b => _, options(nostack, preserves_flags));
        }
    }
}

/// `rep stosb`: the processor's own fill (blocks of 512 bytes) with the first byte of `value`.
///
/// # Safety
/// `a` holds `blocks` blocks of 512 bytes; `value` is readable.
pub unsafe fn store_string(s: &Streams) {
    for _ in 0..s.repeats.max(1) {
        // SAFETY: the caller vouches for the range; the ABI keeps the direction flag clear.
        unsafe {
            asm!("rep stosb", inout("rcx") s.blocks * 512 => _, inout("rdi") s.a => _,
                 in("al") *s.value, options(nostack, preserves_flags));
        }
    }
}
