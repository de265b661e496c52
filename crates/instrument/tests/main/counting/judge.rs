//! Compares counts with the counts that a program expects.

use crate::counting::builds::Ready;
use crate::counting::expected::{Expected, base_name};
use loopwright_binary::code::analyze;
use loopwright_binary::facts::ElementType;
use loopwright_binary::image::{DebugSearch, Image};
use loopwright_instrument::facts::{Counts, FunctionCounts, LoopCounts, ModuleCounts};
use std::collections::BTreeMap;
use std::path::Path;

/// The verdict on the facts of one run.
#[derive(Debug, Default)]
pub struct Verdict {
    /// Facts that hold.
    pub right: usize,
    /// Facts about code that the engine did not instrument, with its reason.
    pub left_alone: Vec<String>,
    /// Facts that do not hold.
    pub wrong: Vec<String>,
}

impl Verdict {
    /// Adds the verdict of another run.
    pub fn add(&mut self, other: Self) {
        self.right += other.right;
        self.left_alone.extend(other.left_alone);
        self.wrong.extend(other.wrong);
    }

    fn equal(&mut self, what: &str, found: u64, expected: &[u64]) {
        if expected.contains(&found) {
            self.right += 1;
        } else {
            self.wrong.push(format!("{what}: {found}, expected {expected:?}"));
        }
    }
}

/// The modules of a run that hold code of the program's own sources.
pub fn own_modules<'a>(ready: &Ready, counts: &'a Counts) -> Vec<&'a ModuleCounts> {
    let mut paths = vec![ready.built.path.canonicalize().unwrap()];
    paths.extend(ready.library.iter().map(|l| l.path.canonicalize().unwrap()));
    counts.modules.iter().filter(|m| paths.iter().any(|p| p == Path::new(&m.path))).collect()
}

/// Compares the counts with the expected ones.
pub fn judge(ready: &Ready, expected: &Expected, counts: &Counts) -> Verdict {
    let label = &ready.built.label;
    let modules = own_modules(ready, counts);
    let mut verdict = Verdict::default();
    for (name, function) in &expected.functions {
        let all = || modules.iter().flat_map(|m| &m.functions).filter(|f| base_name(&f.name) == name);
        let left = modules.iter().flat_map(|m| &m.left_alone).find(|l| base_name(&l.function) == name);
        if let Some(left) = left.filter(|l| l.header.is_none() || all().any(|f| !f.complete)) {
            verdict.left_alone.push(format!("{label}: {name}: {}", left.reason));
            continue;
        }
        let calls = all().map(|f| f.calls.unwrap_or(0)).sum();
        verdict.equal(&format!("{label}: calls of {name}"), calls, &[function.calls]);
        for (element, &(low, high)) in &function.flop {
            let flop: u64 = all().map(|f| flop_of(f, element)).sum();
            if all().any(|f| f.work.bound_flop > 0) {
                verdict.wrong.push(format!("{label}: FLOP of {name} are only bounds"));
            } else if low <= flop && flop <= high {
                verdict.right += 1;
            } else {
                verdict
                    .wrong
                    .push(format!("{label}: {element} FLOP of {name}: {flop}, expected {low} to {high}"));
            }
        }
    }
    for (name, element, parts) in &expected.threads {
        let mut found: Vec<u64> = modules
            .iter()
            .flat_map(|m| &m.functions)
            .filter(|f| base_name(&f.name) == name)
            .flat_map(|f| &f.threads)
            .map(|t| t.work.flop.iter().find(|(e, _)| e.named(element)).map_or(0, |(_, n)| *n))
            .collect();
        found.sort_unstable();
        if found == *parts {
            verdict.right += 1;
        } else {
            verdict
                .wrong
                .push(format!("{label}: {element} FLOP of {name} by thread: {found:?}, not {parts:?}"));
        }
    }
    if ready.plain_loops {
        judge_loops(ready, expected, &modules, &mut verdict);
    }
    verdict
}

/// Where a machine loop is a loop as written, its entries, iterations and bytes are those of the source.
fn judge_loops(ready: &Ready, expected: &Expected, modules: &[&ModuleCounts], verdict: &mut Verdict) {
    let label = &ready.built.label;
    let mut marked: BTreeMap<String, Vec<(&FunctionCounts, &LoopCounts)>> = BTreeMap::new();
    for module in modules {
        let Ok(image) = Image::open(Path::new(&module.path), &DebugSearch::none()) else { continue };
        for function in &module.functions {
            let code = image.function_at(function.address).and_then(|k| analyze(&image, k).ok());
            for l in code.iter().flat_map(|c| &c.loops) {
                let mark = l.location.as_ref().and_then(|at| ready.mark(&at.file, at.line));
                let counted = function.loops.iter().find(|c| c.header == l.header);
                if let (Some(mark), Some(counted)) = (mark, counted) {
                    marked.entry(mark.to_owned()).or_default().push((function, counted));
                }
            }
        }
    }
    let optimised = ready.set != "O0" && ready.set != "shared-O0";
    for (mark, expected) in &expected.loops {
        let Some(found) = marked.get(mark).filter(|f| f.len() == 1).map(|f| f[0].1) else {
            let left = modules.iter().any(|m| !m.left_alone.is_empty());
            let line = format!("{label}: loop {mark}: not counted");
            if left {
                verdict.left_alone.push(line)
            } else {
                verdict.wrong.push(line)
            }
            continue;
        };
        let what = |fact: &str| format!("{label}: {fact} of loop {mark}");
        match found.entries {
            Some(n) => {
                verdict.equal(&what("entries"), n, &[expected.entries, expected.entries - expected.zero])
            }
            None => verdict.left_alone.push(what("entries")),
        }
        let iterations = [expected.iterations, expected.iterations - expected.breaks];
        verdict.equal(&what("iterations"), found.iterations, &iterations);
        let whole = expected.zero == 0 && found.iterations == expected.iterations;
        if let Some(trips) = found.trips.as_ref().filter(|t| whole && !t.approximate) {
            if let Some(min) = expected.min {
                verdict.equal(&what("min"), trips.min, &[min]);
            }
            if let Some(max) = expected.max {
                verdict.equal(&what("max"), trips.max, &[max]);
            }
            verdict.equal(&what("entries in the histogram"), trips.entries(), &[expected.entries]);
        }
        if optimised && ready.set.ends_with("O1") {
            for (bytes, found, what) in [
                (expected.loaded, found.work.bytes_loaded, what("bytes loaded")),
                (expected.stored, found.work.bytes_stored, what("bytes stored")),
            ] {
                if let Some(bytes) = bytes {
                    verdict.equal(&what, found, &[bytes]);
                }
            }
        }
    }
}

fn flop_of(function: &FunctionCounts, element: &str) -> u64 {
    function.work.flop.iter().filter(|(e, _)| e.named(element)).map(|(_, n)| *n).sum()
}

/// Element types by the names that facts use.
trait Named {
    fn named(&self, name: &str) -> bool;
}

impl Named for ElementType {
    fn named(&self, name: &str) -> bool {
        format!("{self:?}").to_lowercase() == name
    }
}
