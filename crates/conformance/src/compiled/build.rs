//! The compiler, flags and kind of executable of a seed.

use crate::random::Random;
use anyhow::{Context as _, Result, ensure};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A way to compile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Way {
    /// `gcc` or `clang`.
    pub compiler: &'static str,
    /// Its flags, without files.
    pub flags: Vec<&'static str>,
}

/// Kinds of executables.
const KINDS: [&[&str]; 4] = [
    &["-no-pie", "-fno-pie"],
    &["-pie", "-fPIE"],
    &["-static", "-no-pie", "-fno-pie"],
    &["-static-pie", "-fPIE"],
];

/// Flags that change how functions call each other or how control moves.
const GCC: [&[&str]; 14] = [
    &["-fipa-ra"],
    &["-fipa-ra", "-fno-omit-frame-pointer"],
    &["-fipa-ra", "-fcf-protection=full"],
    &["-fno-plt"],
    &["-mno-red-zone"],
    &["-fno-jump-tables"],
    &["-flto"],
    &["-fwhole-program"],
    &["-mindirect-branch=thunk", "-fcf-protection=none"],
    &["-mfunction-return=thunk", "-fcf-protection=none"],
    &["-fstack-protector-all"],
    &["-funroll-loops"],
    &["-freorder-blocks-and-partition", "-falign-functions=1"],
    &["-ffunction-sections", "-Wl,--gc-sections"],
];
const CLANG: [&[&str]; 8] = [
    &[],
    &["-fno-omit-frame-pointer"],
    &["-fcf-protection=full"],
    &["-mretpoline"],
    &["-mno-red-zone"],
    &["-fno-jump-tables"],
    &["-fstack-protector-all"],
    &["-mllvm", "-enable-ipra"],
];
const LEVELS: [&str; 5] = ["-O1", "-O2", "-O2", "-O3", "-Os"];

/// The way to compile a seed on a machine with these vector extensions.
pub fn way(seed: u64, vectors: &[&'static str]) -> Way {
    // A separate stream from the program's own.
    let random = &mut Random::new(!seed);
    let clang = random.chance(40);
    let mut flags = vec![random.pick(&LEVELS)];
    flags.extend(if clang { random.pick(&CLANG) } else { random.pick(&GCC) });
    flags.extend(random.pick(&KINDS));
    flags.push(random.pick(vectors));
    if random.chance(30) {
        flags.push("-g");
    } else if random.chance(30) {
        flags.push("-s");
    }
    Way { compiler: if clang { "clang" } else { "gcc" }, flags }
}

/// Levels of the architecture that programs for this machine may use.
pub fn vectors_here() -> Vec<&'static str> {
    let mut levels = vec!["-march=x86-64", "-march=x86-64"];
    if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("bmi2") && is_x86_feature_detected!("fma")
    {
        levels.push("-march=x86-64-v3");
    }
    if is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512cd")
    {
        levels.push("-march=x86-64-v4");
    }
    levels
}

/// Compiles `name.c` in a folder to `name`.
///
/// # Errors
/// When the compiler is absent or fails.
pub fn compile(folder: &Path, name: &str, way: &Way) -> Result<PathBuf> {
    let output = Command::new(way.compiler)
        .current_dir(folder)
        .args(&way.flags)
        .args(["-w", "-pthread", "-o", name, &format!("{name}.c")])
        .output()
        .with_context(|| format!("cannot run {}; install it", way.compiler))?;
    let said = String::from_utf8_lossy(&output.stderr);
    let first: Vec<&str> = said.lines().take(12).collect();
    ensure!(
        output.status.success(),
        "{} {} {name}.c failed in {}:\n{}",
        way.compiler,
        way.flags.join(" "),
        folder.display(),
        first.join("\n")
    );
    Ok(folder.join(name))
}

#[cfg(test)]
mod tests {
    use super::way;
    use std::collections::BTreeSet;

    #[test]
    fn seeds_reach_both_compilers_and_all_kinds_of_executables() {
        let ways: Vec<_> = (0..100).map(|seed| way(seed, &["-march=x86-64"])).collect();
        let compilers: BTreeSet<_> = ways.iter().map(|w| w.compiler).collect();
        assert_eq!(compilers.into_iter().collect::<Vec<_>>(), ["clang", "gcc"]);
        for kind in ["-no-pie", "-pie", "-static", "-static-pie"] {
            assert!(ways.iter().any(|w| w.flags.contains(&kind)), "{kind}");
        }
        assert_eq!(way(5, &["-march=x86-64"]), way(5, &["-march=x86-64"]));
    }
}
