//! The hot loops in two builds: which became vectors, or wider or narrower ones.
//!
//! A loop is known by the line where it is written: functions are inlined and cloned otherwise in each build.

use loopwright_analysis::model::Analysis;
use loopwright_analysis::place::written_at;
use loopwright_binary::code::analyze_unlisted;
use loopwright_binary::facts::{LoopCode, LoopRole};
use loopwright_binary::image::{DebugSearch, Image};
use loopwright_experiment::tuning::{BuiltLoop, RebuiltLoop};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Loops with a smaller share of the time are not compared.
const SMALLEST_SHARE: f64 = 0.01;
/// A program with more functions is read as far as the names of the hot ones go: each takes about a millisecond.
const MOST_FUNCTIONS: usize = 4000;

/// A line of a source.
type Written = (String, u32);

/// The hot loops of the survey in both programs, the hottest first. Without lines in the debug information there are none.
pub(crate) fn rebuilt(analysis: &Analysis, before: &Path, after: &Path) -> Vec<RebuiltLoop> {
    let mut shares: BTreeMap<Written, (f64, String)> = BTreeMap::new();
    for of in analysis.loops.iter().filter(|of| of.main_module) {
        if let Some((file, line)) = of.file.clone().zip(of.line) {
            let known = shares.entry((file, line)).or_insert((0.0, of.name().to_owned()));
            known.0 += of.self_share;
        }
    }
    shares.retain(|_, (share, _)| *share >= SMALLEST_SHARE);
    let names: BTreeSet<&str> = analysis.functions.iter().map(|of| of.function.as_str()).collect();
    let wanted: BTreeSet<&Written> = shares.keys().collect();
    let found = |program: &Path| loops(program, &wanted, &names);
    let (Some(before), Some(after)) = (found(before), found(after)) else { return Vec::new() };
    // A loop that is not found by its line in one of them may be unrolled, or have another line there: nothing is said of it.
    let both = |written: &Written| Some((before.get(written)?.clone(), after.get(written)?.clone()));
    let of = |(written, (share, function)): (&Written, &(f64, String))| {
        let (before, after) = both(written)?;
        let (file, line) = written.clone();
        Some(RebuiltLoop { file, line, function: function.clone(), share: *share, before, after })
    };
    let mut all: Vec<RebuiltLoop> = shares.iter().filter_map(of).collect();
    all.sort_by(|a, b| b.share.total_cmp(&a.share));
    all
}

/// The loops of a program that are written in these lines.
fn loops(
    program: &Path,
    wanted: &BTreeSet<&Written>,
    names: &BTreeSet<&str>,
) -> Option<BTreeMap<Written, BuiltLoop>> {
    let image = Image::open(program, &DebugSearch::none()).ok()?;
    let is_small = image.function_count() <= MOST_FUNCTIONS;
    let mut found: BTreeMap<Written, BuiltLoop> = BTreeMap::new();
    for index in 0..image.function_count() {
        let named = image.function(index).is_some_and(|function| names.contains(function.name.as_str()));
        if !(is_small || named) {
            continue;
        }
        let Ok(code) = analyze_unlisted(&image, index) else { continue };
        for each in code.loops.iter().filter(|each| matches!(each.role, LoopRole::Whole | LoopRole::Body)) {
            let Some(at) = written_at(each) else { continue };
            let written = (at.file.clone(), at.line);
            if wanted.contains(&written) {
                let new = built(each);
                // Of several copies the one that does most at a time: the others are for what remains.
                let known = found.entry(written).or_insert_with(|| new.clone());
                if rank(&new) > rank(known) {
                    *known = new;
                }
            }
        }
    }
    Some(found)
}

fn built(code: &LoopCode) -> BuiltLoop {
    let vector = code.vector.as_ref().filter(|_| code.vectorized);
    BuiltLoop {
        isa: vector.map(|vector| vector.isa),
        bits: vector.map_or(0, |vector| vector.bits),
        elements: vector.map_or(0, |vector| vector.length),
        unroll: vector.map_or(0, |vector| vector.unroll),
        instructions: code.instructions,
    }
}

fn rank(built: &BuiltLoop) -> (u32, u32, u32) {
    (built.bits, built.unroll, built.instructions)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::tests::available;
    use std::process::Command;

    #[test]
    fn a_loop_becomes_vectors_where_its_sum_may_be_reordered() {
        if !available("gcc") {
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let source = "double sum(const double *x, int n) {\n    double s = 0;\n    for (int i = 0; i < n; i++)\n        s += x[i];\n    return s;\n}\n\
                      int main(int argc, char **argv) { double x[9] = {1}; return sum(x, argc) > 5; }\n";
        std::fs::write(folder.path().join("a.c"), source).unwrap();
        let build = |options: &[&str], name: &str| {
            let mut gcc = Command::new("gcc");
            gcc.current_dir(folder.path()).args(["-g", "-fno-inline", "a.c", "-o", name]).args(options);
            assert!(gcc.status().unwrap().success());
            folder.path().join(name)
        };
        let (plain, fast) = (build(&["-O2"], "plain"), build(&["-O3", "-ffast-math"], "fast"));
        let image = Image::open(&plain, &DebugSearch::none()).unwrap();
        let index =
            (0..image.function_count()).find(|&at| image.function(at).unwrap().name == "sum").unwrap();
        let code = analyze_unlisted(&image, index).unwrap();
        let at = written_at(&code.loops[0]).unwrap();
        let written = (at.file.clone(), at.line);
        let wanted = BTreeSet::from([&written]);
        let of = |program: &Path| loops(program, &wanted, &BTreeSet::new()).unwrap()[&written].clone();
        assert_eq!(of(&plain).isa, None);
        assert!(of(&fast).bits >= 128 && of(&fast).elements >= 2, "{:?}", of(&fast));
        assert!(loops(&folder.path().join("a.c"), &wanted, &BTreeSet::new()).is_none());
    }
}
