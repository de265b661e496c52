//! What the options of a command let a compiler do to floating-point results.
//!
//! GCC manual, *Options That Control Optimization* (`-ffast-math` and its parts, `-ffp-contract`) and *C Dialect Options* (standards
//! without extensions do not contract); Clang User's Manual, *Controlling Floating Point Behavior*. The last option counts.

use loopwright_experiment::tuning::Semantics;
use loopwright_remarks::remark::Family;

/// Processors of `-march=` that have fused multiplications and additions (GCC manual, *x86 Options*), by the beginnings of their names.
const WITH_FMA: [&str; 18] = [
    "x86-64-v3",
    "x86-64-v4",
    "haswell",
    "broadwell",
    "skylake",
    "cannonlake",
    "icelake",
    "cascadelake",
    "cooperlake",
    "tigerlake",
    "sapphirerapids",
    "emeraldrapids",
    "graniterapids",
    "alderlake",
    "raptorlake",
    "core-avx2",
    "bdver",
    "znver",
];

/// Options that let operations change places or kind, by themselves.
const REORDER: [&str; 2] = ["-fassociative-math", "-freciprocal-math"];
/// Options that allow everything, or let values be ignored.
const EVERYTHING: [&str; 5] =
    ["-ffast-math", "-Ofast", "-funsafe-math-optimizations", "-ffinite-math-only", "-ffp-model=fast"];

/// Of the options of one command; `native_has_fma`: whether this machine contracts with `-march=native`.
pub(crate) fn of<'o>(
    options: impl IntoIterator<Item = &'o str>,
    family: Family,
    native_has_fma: bool,
) -> Semantics {
    let (mut fma, mut contract, mut reorders, mut everything) = (false, true, false, false);
    for option in options {
        if let Some(processor) = option.strip_prefix("-march=") {
            fma = match processor {
                "native" => native_has_fma,
                other => WITH_FMA.iter().any(|known| other.starts_with(known)),
            };
        } else if let Some(standard) = option.strip_prefix("-std=") {
            contract = family != Family::Gcc || standard.starts_with("gnu") || standard.starts_with('f');
        } else if let Some(how) = option.strip_prefix("-ffp-contract=") {
            contract = how != "off";
        } else if EVERYTHING.contains(&option) {
            everything = true;
        } else if REORDER.contains(&option) {
            reorders = true;
        } else {
            match option {
                "-mfma" | "-mfma4" => fma = true,
                "-mno-fma" => fma = false,
                "-fno-fast-math" => (reorders, everything) = (false, false),
                "-fno-associative-math" => reorders = false,
                "-ffp-model=precise" | "-ffp-model=strict" => (reorders, everything) = (false, false),
                _ => {}
            }
        }
    }
    if everything {
        Semantics::Fast
    } else if reorders {
        Semantics::Reassoc
    } else if fma && contract {
        Semantics::Contract
    } else {
        Semantics::Exact
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_option_decides_what_a_compiler_may_do() {
        let of = |text: &str| super::of(text.split(' '), Family::Gcc, true);
        assert_eq!(of("gcc -O3 -c a.c"), Semantics::Exact);
        assert_eq!(of("gcc -O2 -march=native"), Semantics::Contract);
        assert_eq!(of("gcc -O2 -march=native -ffp-contract=off"), Semantics::Exact);
        assert_eq!(of("gcc -std=c99 -mfma"), Semantics::Exact, "GCC contracts in GNU C alone");
        assert_eq!(of("gcc -std=gnu11 -mfma"), Semantics::Contract);
        assert_eq!(of("gcc -march=znver4 -march=x86-64"), Semantics::Exact);
        assert_eq!(of("gcc -Ofast -march=native"), Semantics::Fast);
        assert_eq!(of("gcc -ffast-math -fno-fast-math"), Semantics::Exact);
        assert_eq!(of("gcc -fassociative-math -fno-signed-zeros"), Semantics::Reassoc);
        let clang = |text: &str| super::of(text.split(' '), Family::Clang, true);
        assert_eq!(clang("clang -std=c99 -march=native"), Semantics::Contract);
        let old = super::of(["-march=native"], Family::Gcc, false);
        assert_eq!(old, Semantics::Exact, "a processor without fused operations");
    }
}
