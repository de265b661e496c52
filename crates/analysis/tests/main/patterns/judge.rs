//! Holds what was found of each marked loop to its marks.

use crate::patterns::expected::{Expected, ExpectedAccess, ExpectedLoop};
use loopwright_analysis::model::{AccessFacts, Analysis, LoopFacts, StridePattern};
use std::collections::BTreeSet;
use std::path::Path;

/// Complaints by loop as written.
pub fn judge(analysis: &Analysis, expected: &Expected, level: &str) -> Vec<(String, Vec<String>)> {
    let file = expected.source.file_name();
    let here = |l: &&LoopFacts| l.file.as_ref().and_then(|f| Path::new(f).file_name()) == file;
    let lines: BTreeSet<u32> = analysis.loops.iter().filter(here).filter_map(|l| l.line).collect();
    expected
        .loops
        .iter()
        .map(|wanted| {
            let pieces: Vec<&LoopFacts> = analysis
                .loops
                .iter()
                .filter(here)
                .filter(|l| l.line == Some(wanted.line_among(&lines)))
                .filter(|l| !l.access.is_empty() || l.dependence.is_some())
                .collect();
            let plain = matches!(level, "O0" | "O1");
            let mut judge = Judge { wanted, pieces, plain, wrong: Vec::new() };
            if judge.pieces.is_empty() && wanted.unrolled && !plain {
                return (wanted.name.clone(), Vec::new());
            }
            if judge.pieces.is_empty() {
                let known: Vec<_> = analysis
                    .loops
                    .iter()
                    .filter(|l| l.line.is_some_and(|line| line + 3 >= wanted.line && line <= wanted.line + 3))
                    .map(|l| (l.function.as_str(), l.line, l.address.as_str(), l.not_traced.as_ref()))
                    .collect();
                judge.wrong.push(format!("not seen; {known:?}"));
            } else {
                judge.counts();
                judge.accesses(expected);
                judge.dependences();
                // Without optimisation the frame is in the cache, too; with more of it values stay in registers.
                if level == "O1" {
                    judge.misses();
                }
            }
            (wanted.name.clone(), judge.wrong)
        })
        .collect()
}

struct Judge<'a> {
    wanted: &'a ExpectedLoop,
    pieces: Vec<&'a LoopFacts>,
    /// The loops around are not unrolled or vectorised.
    plain: bool,
    wrong: Vec<String>,
}

impl Judge<'_> {
    fn check(&mut self, holds: bool, complaint: impl FnOnce() -> String) {
        if !holds {
            self.wrong.push(complaint());
        }
    }

    fn counts(&mut self) {
        let dependence = || self.pieces.iter().filter_map(|l| l.dependence.as_ref());
        let iterations: u64 = dependence().map(|d| d.checked_iterations).sum();
        let whole = dependence().all(|d| d.exhaustive);
        let Some(wanted) = self.wanted.iterations else { return };
        // What is left over may be straight code after the loop.
        let factor =
            self.pieces.iter().flat_map(|l| &l.access).map(|a| u64::from(a.source_factor)).max().unwrap_or(1);
        let left = if self.plain { 0 } else { factor * self.wanted.entries * u64::from(self.wanted.threads) };
        self.check((wanted.saturating_sub(left)..=wanted).contains(&iterations), || {
            format!("{iterations} iterations, not {wanted}")
        });
        self.check(whole, || "was not traced whole".to_owned());
        let entries = self.pieces.iter().filter_map(|l| l.memory.as_ref()).map(|m| m.traced_entries).max();
        let wanted = self.wanted.entries * u64::from(self.wanted.threads);
        self.check(entries == Some(wanted) || !self.plain && entries.is_some_and(|n| n <= wanted), || {
            format!("{entries:?} entries, not {wanted}")
        });
    }

    fn accesses(&mut self, expected: &Expected) {
        for (&line, wanted) in expected.accesses.range(self.wanted.line..self.wanted.until) {
            for writes in [false, true] {
                let wanted: Vec<&ExpectedAccess> = wanted.iter().filter(|a| a.writes == writes).collect();
                let found: Vec<&AccessFacts> = self
                    .pieces
                    .iter()
                    .flat_map(|l| &l.access)
                    .filter(|a| {
                        (a.line == Some(line) || a.line.is_none()) && !a.frame && a.function.is_none()
                    })
                    .filter(|a| if writes { a.kind.writes() } else { a.kind.reads() })
                    .collect();
                self.on_line(line, &wanted, &found);
            }
        }
    }

    fn on_line(&mut self, line: u32, wanted: &[&ExpectedAccess], found: &[&AccessFacts]) {
        let kind = wanted.first().map_or("other", |w| if w.writes { "store" } else { "load" });
        for w in wanted {
            // A value that stays in a register is accessed by no instruction.
            let needed = w.needed && (w.exact || w.stride != Some(0));
            self.check(!needed || found.iter().any(|f| fits(w, f, self.plain)), || {
                format!("line {line}: no {kind} {w:?} among {}", shown(found))
            });
        }
        for f in found {
            // Constants are in memory, too.
            let constant = f.pattern == StridePattern::Uniform && !f.kind.writes() || f.line.is_none();
            self.check(constant || wanted.iter().any(|w| fits(w, f, self.plain)), || {
                format!("line {line}: unexpected {kind} {}", shown(&[f]))
            });
        }
        let strides: BTreeSet<Option<i64>> = wanted.iter().map(|w| w.stride).collect();
        for stride in strides {
            let same: Vec<&&ExpectedAccess> = wanted.iter().filter(|w| w.stride == stride).collect();
            if same.iter().any(|w| !w.exact) {
                continue;
            }
            let bytes: u64 = found
                .iter()
                .filter(|f| same.iter().any(|w| fits(w, f, self.plain)))
                .map(|f| f.executions * moved(f))
                .sum();
            let wanted: u64 =
                same.iter().map(|w| u64::from(w.element)).sum::<u64>() * self.wanted.iterations.unwrap_or(0);
            self.check(bytes == wanted, || {
                format!("line {line}: {kind} of {bytes} bytes, not {wanted}: {}", shown(found))
            });
        }
    }

    fn dependences(&mut self) {
        let found: BTreeSet<(String, u64)> = self
            .pieces
            .iter()
            .filter_map(|l| l.dependence.as_ref())
            .flat_map(|d| &d.found)
            .filter(|f| f.memory && f.distance > 0 && !f.privatisable)
            .map(|f| (kind(f), f.distance))
            .collect();
        let through_registers: BTreeSet<(String, u64)> = self
            .pieces
            .iter()
            .filter_map(|l| l.dependence.as_ref())
            .flat_map(|d| &d.found)
            .filter(|f| !f.memory)
            .map(|f| (kind(f), f.distance))
            .collect();
        let wanted: BTreeSet<(String, u64)> = self.wanted.found.iter().cloned().collect();
        for w in &wanted {
            // A compiler may hand the value on in a register.
            self.check(found.contains(w) || through_registers.contains(w), || {
                format!("no {} at distance {} among {found:?}, in registers {through_registers:?}", w.0, w.1)
            });
        }
        let scalars =
            self.pieces.iter().filter_map(|l| l.dependence.as_ref()).any(|d| !d.reductions.is_empty());
        for f in &found {
            self.check(wanted.contains(f) || self.wanted.may.contains(f) || (scalars && f.1 == 1), || {
                format!("unexpected {} at distance {}", f.0, f.1)
            });
        }
        // A remainder of a few iterations carries nothing over a longer distance.
        let longest = self.pieces.iter().filter_map(|l| l.dependence.clone());
        let dependence = longest.max_by_key(|d| d.checked_iterations);
        if let Some(d) = dependence {
            let word = |v: serde_json::Value| v.as_str().unwrap_or_default().to_owned();
            let vector = word(serde_json::to_value(d.vector).unwrap());
            let parallel = word(serde_json::to_value(d.parallel).unwrap());
            let wanted = self.wanted;
            self.check(wanted.vector.is_empty() || wanted.vector.contains(&vector), || {
                format!("vector {vector}, not {:?}: {}", wanted.vector, d.verdict)
            });
            self.check(wanted.parallel.is_empty() || wanted.parallel.contains(&parallel), || {
                format!("parallel {parallel}, not {:?}: {}", wanted.parallel, d.verdict)
            });
            if wanted.length.is_some() && vector == "safe-up-to" {
                self.check(d.max_length == wanted.length, || {
                    format!("up to {:?}, not {:?}", d.max_length, wanted.length)
                });
            }
        }
    }

    fn misses(&mut self) {
        let Some((low, high)) = self.wanted.misses else { return };
        let levels =
            self.pieces.iter().filter_map(|l| l.memory.as_ref()).filter_map(|m| m.caches.first()?.first());
        let misses: u64 = levels.map(|level| level.misses).sum();
        self.check((low..=high).contains(&misses), || format!("{misses} misses, not {low} to {high}"));
    }
}

fn kind(found: &loopwright_analysis::model::FoundDependence) -> String {
    serde_json::to_value(found.kind).unwrap().as_str().unwrap_or_default().to_owned()
}

/// Bytes of one execution.
fn moved(access: &AccessFacts) -> u64 {
    if access.lanes > 1 {
        let lanes = access.gather.as_ref().map_or(f64::from(access.lanes), |g| g.active_lanes);
        return (lanes * f64::from(access.element_bytes)).round() as u64;
    }
    u64::from(access.operand_bytes)
}

fn fits(wanted: &ExpectedAccess, found: &AccessFacts, plain: bool) -> bool {
    let strides = match wanted.stride {
        Some(stride) => found.stride_bytes == Some(stride),
        None => found.pattern == StridePattern::Variable,
    };
    // Strides over the loops around are those of the machine, which may do several iterations in one, and other parts of
    // a row in each.
    let outer = wanted.outer.is_none_or(|outer| match found.outer.first().map(|o| o.stride_bytes) {
        None => true,
        Some(Some(bytes)) if plain || outer == 0 => bytes == outer,
        Some(Some(bytes)) => bytes % outer == 0,
        Some(None) => !plain,
    });
    strides && outer && wanted.element == found.element_bytes
}

fn shown(found: &[&AccessFacts]) -> String {
    let all: Vec<String> = found
        .iter()
        .map(|a| {
            format!(
                "[{:?} {} element {} size {} lanes {} stride {:?} machine {:?} factor {} outer {:?} executions {} {:?}]",
                a.kind,
                a.addresses.join(","),
                a.element_bytes,
                a.operand_bytes,
                a.lanes,
                a.stride_bytes,
                a.machine_stride_bytes,
                a.source_factor,
                a.outer.iter().map(|o| o.stride_bytes).collect::<Vec<_>>(),
                a.executions,
                a.operand,
            )
        })
        .collect();
    all.join(" ")
}
