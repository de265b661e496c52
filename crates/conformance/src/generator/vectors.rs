//! Pieces of vector, mask and x87 code.

use super::model::Level;
use super::pieces::Pen;

/// Vector arithmetic between random registers, which keeps or clears upper halves as its encoding says.
pub fn packed(pen: &mut Pen<'_>) -> Option<Vec<String>> {
    let (a, b, c) = (pen.random.below(16), pen.random.below(16), pen.random.below(16));
    let legacy =
        ["paddd", "paddq", "pxor", "psubb", "pmuludq", "addpd", "mulps", "subsd", "minps", "punpcklbw"];
    let operation = pen.random.pick(&legacy);
    let level = pen.level;
    Some(match pen.random.below(12) {
        0 | 1 => vec![format!("{operation} %xmm{a}, %xmm{b}")],
        2 => vec![format!("movdqu {}, %xmm{a}", pen.memory(16))],
        3 => vec![format!("movdqu %xmm{a}, {}", pen.memory(16))],
        4 => vec![format!("movq {}, %xmm{a}", pen.any().name(8))],
        5 => vec![format!("movq %xmm{a}, {}", pen.free()?.name(8))],
        6 => vec![format!("ucomisd %xmm{a}, %xmm{b}")],
        7 | 8 if level >= Level::Avx2 => {
            let wide = pen.random.pick(&["xmm", "ymm"]);
            vec![format!("vpaddq %{wide}{a}, %{wide}{b}, %{wide}{c}")]
        }
        9 if level >= Level::Avx2 => match pen.random.below(4) {
            0 => vec!["vzeroupper".to_owned()],
            1 => vec![format!("vpermq $27, %ymm{a}, %ymm{b}")],
            2 => vec![format!("vmovdqu %ymm{a}, {}", pen.memory(32))],
            _ => vec![format!("vextracti128 $1, %ymm{a}, %xmm{b}")],
        },
        10 | 11 if level >= Level::Avx512 => {
            let (a, b, c) = (pen.random.below(32), pen.random.below(32), pen.random.below(32));
            let k = pen.random.within(1, 7);
            match pen.random.below(4) {
                0 => vec![format!("vpaddd %zmm{a}, %zmm{b}, %zmm{c}{{%k{k}}}")],
                1 => vec![format!("vpternlogq $0x5a, %zmm{a}, %zmm{b}, %zmm{c}")],
                2 => vec![format!("vmovdqu64 {}, %zmm{a}{{%k{k}}}{{z}}", pen.memory(64))],
                _ => vec![format!("vmovdqu64 %zmm{a}, {}", pen.memory(64))],
            }
        }
        _ => vec![format!("pshufd $0x1b, %xmm{a}, %xmm{b}")],
    })
}

/// Mask registers.
pub fn mask(pen: &mut Pen<'_>) -> Option<Vec<String>> {
    if pen.level < Level::Avx512 {
        return None;
    }
    let (a, b, c) = (pen.random.below(8), pen.random.below(8), pen.random.below(8));
    Some(vec![match pen.random.below(6) {
        0 => format!("kmovq {}, %k{a}", pen.any().name(8)),
        1 => format!("kmovq %k{a}, {}", pen.free()?.name(8)),
        2 => format!("kxorq %k{a}, %k{b}, %k{c}"),
        3 => format!("kortestq %k{a}, %k{b}"),
        4 => format!("vpcmpgtq %zmm{}, %zmm{}, %k{a}", pen.random.below(32), pen.random.below(32)),
        _ => format!("kaddw %k{a}, %k{b}, %k{c}"),
    }])
}

/// x87 and MMX, which share registers; with exceptions masked, every sequence can run.
pub fn x87(pen: &mut Pen<'_>) -> Vec<String> {
    let k = pen.random.below(8);
    vec![match pen.random.below(12) {
        0 => "fld1".to_owned(),
        1 => "fldpi".to_owned(),
        2 => format!("fadd %st({k}), %st"),
        3 => format!("fxch %st({k})"),
        4 => format!("fstpl {}", pen.memory(8)),
        5 => format!("fildll {}", pen.memory(8)),
        6 => "fchs".to_owned(),
        7 => format!("movq {}, %mm{k}", pen.memory(8)),
        8 => format!("paddd %mm{k}, %mm{}", pen.random.below(8)),
        9 => "emms".to_owned(),
        10 => format!("fucomi %st({k}), %st"),
        _ => "fincstp".to_owned(),
    }]
}

/// Rounding, by the control and status register.
pub fn control(pen: &mut Pen<'_>) -> Vec<String> {
    let at = pen.memory(4);
    let mode = pen.random.below(4) << 13;
    match pen.random.below(3) {
        0 => vec![format!("stmxcsr {at}")],
        1 => vec!["fnstcw @D+3128".to_owned(), "fldcw @D+3128".to_owned()],
        _ => vec![format!("movl ${}, {at}", 0x1f80 | mode), format!("ldmxcsr {at}")],
    }
}
