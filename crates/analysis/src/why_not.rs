//! Why a loop is not vectorised: what compilers said, else what the binary shows.

use crate::mathematics::scalar_function;
use crate::model::{CompilerClaim, Provenance, WhyNot};
use loopwright_binary::facts::{CarriedChain, ChainKind, LoopCode, LoopRole, Trait};
use loopwright_remarks::index::RemarkIndex;
use loopwright_remarks::remark::{Outcome, Remark};

/// Most reasons shown for one loop; compilers repeat themselves.
const MOST_REASONS: usize = 4;

/// Finds reasons for loops.
pub struct Reasons {
    index: RemarkIndex,
}

impl Reasons {
    /// Indexes the remarks by position.
    pub fn new(remarks: &[Remark]) -> Self {
        Self { index: RemarkIndex::new(remarks.to_vec()) }
    }

    fn at(&self, code: &LoopCode) -> Vec<&Remark> {
        let Some(location) = &code.location else { return Vec::new() };
        let inlined: Vec<(String, String, u32)> = code
            .inlined_from
            .iter()
            .filter_map(|frame| {
                let site = frame.call_site.as_ref()?;
                Some((frame.function.clone(), site.file.clone(), site.line))
            })
            .collect();
        self.index.at(&location.file, location.line, location.column, &inlined)
    }

    /// What each compiler claims about the source loop: vectorised if any of its remarks says so.
    pub fn claims(&self, code: &LoopCode) -> Vec<CompilerClaim> {
        let mut claims: Vec<CompilerClaim> = Vec::new();
        for remark in self.at(code) {
            if remark.outcome == Outcome::Note {
                continue;
            }
            let vectorized = remark.outcome == Outcome::Vectorized;
            match claims.iter_mut().find(|claim| claim.compiler == remark.compiler) {
                Some(claim) => {
                    claim.vectorized |= vectorized;
                    claim.vector_bytes = claim.vector_bytes.max(remark.vector_bytes);
                }
                None => claims.push(CompilerClaim {
                    compiler: remark.compiler.clone(),
                    vectorized,
                    vector_bytes: remark.vector_bytes,
                }),
            }
        }
        claims
    }

    /// Reasons for a loop that is not vectorised, best first. Outer loops get reasons only from compilers
    /// that were asked about them and only when nothing inside is vectorised either; remainders and peels
    /// are scalar by design.
    pub fn why_not(&self, code: &LoopCode, chains: &[CarriedChain], claims: &[CompilerClaim]) -> Vec<WhyNot> {
        let by_design = matches!(code.role, LoopRole::Peel | LoopRole::Remainder | LoopRole::Version);
        if code.vectorized || by_design || !code.innermost {
            return Vec::new();
        }
        let mut found: Vec<WhyNot> = Vec::new();
        // A compiler that vectorised the source loop has no reason for this piece of it.
        let vectorised_by = |remark: &Remark| {
            claims.iter().any(|claim| claim.vectorized && claim.compiler == remark.compiler)
        };
        for remark in self.at(code) {
            if remark.outcome != Outcome::Missed || vectorised_by(remark) {
                continue;
            }
            let reason = remark.reason.clone().unwrap_or_else(|| "unknown".to_owned());
            if found.iter().any(|known| known.reason == reason) {
                continue;
            }
            found.push(WhyNot {
                reason,
                compiler: Some(remark.compiler.clone()),
                message: remark.message.clone(),
                file: Some(remark.file.clone()),
                line: Some(remark.line),
                provenance: Provenance::Compiler,
            });
        }
        // A known reason says more than a message without an explanation.
        found.sort_by_key(|why| why.reason == "unknown");
        let silent = found.iter().all(|why| why.reason == "unknown");
        let causes: Vec<WhyNot> = found.iter().filter_map(|why| cause(&why.reason, code)).collect();
        let seen =
            from_binary(code, chains).into_iter().filter(|why| silent || never_reported(why)).chain(causes);
        let seen: Vec<WhyNot> =
            seen.filter(|why| found.iter().all(|known| known.reason != why.reason)).collect();
        found.splice(0..0, seen);
        found.truncate(MOST_REASONS);
        found
    }
}

/// What the instructions add to a reason that leaves the cause open: which access is complicated, what runs behind the exit
/// test. The compiler's words keep the meaning that they have everywhere.
fn cause(reason: &str, code: &LoopCode) -> Option<WhyNot> {
    let steady = |store: bool| code.strides.iter().any(|s| s.bytes == 0 && s.store == store);
    let moving_store = code.strides.iter().any(|s| s.bytes != 0 && s.store);
    let straight = code.mix.branch <= 1 && code.exits <= 1;
    let (reason, message) = match reason {
        "complicated-access" if steady(true) => {
            ("invariant-store", "every iteration stores to the same address")
        }
        "work-after-exit-test" if straight && steady(false) && moving_store => {
            ("alias-checks", "loads from addresses that do not move, beside a store that moves")
        }
        _ => return None,
    };
    Some(WhyNot {
        reason: reason.to_owned(),
        compiler: None,
        message: message.to_owned(),
        file: None,
        line: None,
        provenance: Provenance::Binary,
    })
}

/// GCC has no message for a floating-point sum whose order must be kept: it reports what else failed. The chain
/// in the code is the reason behind that.
fn never_reported(why: &WhyNot) -> bool {
    why.reason == "fp-reduction-order"
}

/// What the instructions themselves say.
fn from_binary(code: &LoopCode, chains: &[CarriedChain]) -> Vec<WhyNot> {
    let mut found = Vec::new();
    let mut add = |reason: &str, message: String| {
        found.push(WhyNot {
            reason: reason.to_owned(),
            compiler: None,
            message,
            file: None,
            line: None,
            provenance: Provenance::Binary,
        });
    };
    let has = |t: Trait| code.traits.contains(&t);
    let named: Vec<&str> = code.calls.iter().filter_map(|call| call.target.as_deref()).collect();
    let mathematics: Vec<&str> = named.iter().filter_map(|name| scalar_function(name)).collect();
    let root = named.iter().any(|name| matches!(*name, "sqrt" | "sqrtf"));
    if root {
        add("sqrt-errno", "calls sqrt where the instruction would do, to set errno".to_owned());
    } else if !mathematics.is_empty() {
        add("math-library-call", format!("calls {}", list(&mathematics)));
    } else if has(Trait::IndirectCall) {
        add("indirect-call", "calls through a pointer".to_owned());
    } else if !named.is_empty() {
        add("opaque-call", format!("calls {}", list(&named)));
    }
    if has(Trait::Atomic) {
        add("atomic-operation", "holds atomic operations".to_owned());
    }
    for chain in chains {
        let cycles = chain.latency_cycles;
        match chain.kind {
            ChainKind::PointerChase => add(
                "uncountable-loop",
                format!("the next address is loaded through {}: a pointer chase", chain.carrier.name()),
            ),
            ChainKind::InOrderSum => add(
                "fp-reduction-order",
                format!(
                    "a floating-point sum in {} in order, {cycles} cycles an iteration",
                    chain.carrier.name()
                ),
            ),
            ChainKind::Recurrence => add(
                "recurrence",
                format!("each iteration needs the last one's {}, {cycles} cycles", chain.carrier.name()),
            ),
            ChainKind::Induction | ChainKind::VectorReduction | ChainKind::IntegerReduction => {}
        }
    }
    // Compilers make several exits of one (jump threading, unrolling): those that count alike are no `break`.
    let leaves_early = code.ends.as_ref().is_none_or(|ends| !ends.data.is_empty());
    if code.exits > 1 && leaves_early && code.calls.is_empty() {
        let message = match &code.ends {
            Some(_) => "its data decides whether it goes on".to_owned(),
            None => format!("has {} exits", code.exits),
        };
        add("early-exit", message);
    }
    let mut unique: Vec<WhyNot> = Vec::new();
    for why in found {
        if unique.iter().all(|known| known.reason != why.reason) {
            unique.push(why);
        }
    }
    unique
}

fn list(names: &[&str]) -> String {
    let mut unique: Vec<&str> = Vec::new();
    for name in names {
        if !unique.contains(name) {
            unique.push(name);
        }
    }
    match unique.len() {
        0..=3 => unique.join(", "),
        more => format!("{}, and {} more", unique[..3].join(", "), more - 3),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::scalar_loop;
    use loopwright_binary::facts::{CallSite, Carrier};

    fn chain(kind: ChainKind) -> CarriedChain {
        CarriedChain {
            carrier: Carrier::Register("xmm0".into()),
            instructions: vec![1],
            latency_cycles: 4,
            kind,
            chooses: false,
        }
    }

    fn call(name: Option<&str>) -> CallSite {
        CallSite { address: 1, target: name.map(str::to_owned) }
    }

    /// Every kind of evidence at once, so that no arm can name a reason that does not exist.
    #[test]
    fn every_reason_that_the_binary_gives_can_be_explained() {
        let mut named = 0;
        for calls in [
            vec![call(Some("exp"))],
            vec![call(Some("sqrtf"))],
            vec![call(Some("f"))],
            vec![call(None)],
            vec![],
        ] {
            let mut code = scalar_loop(0, (0, 9), 1);
            code.calls = calls;
            code.exits = 2;
            code.traits = vec![Trait::Atomic, Trait::IndirectCall];
            code.chains =
                [ChainKind::PointerChase, ChainKind::InOrderSum, ChainKind::Recurrence, ChainKind::Induction]
                    .map(chain)
                    .into();
            for why in from_binary(&code, &code.chains) {
                assert!(loopwright_remarks::reasons::find(&why.reason).is_some(), "{why:?}");
                named += 1;
            }
        }
        assert!(named >= 20);
    }

    #[test]
    fn the_code_says_what_a_reason_leaves_open() {
        use loopwright_binary::facts::StaticStride;
        let mut code = scalar_loop(0, (0, 9), 1);
        let of = |reason: &str, code: &LoopCode| cause(reason, code).map(|why| why.reason);
        assert_eq!(of("work-after-exit-test", &code), None);
        let stride = |bytes, store| StaticStride { address: 1, bytes, size: 8, store, line: 1 };
        code.strides = vec![stride(0, false), stride(8, true)];
        assert_eq!(of("work-after-exit-test", &code).as_deref(), Some("alias-checks"));
        assert_eq!(of("complicated-access", &code), None, "the store moves");
        code.mix.branch = 3;
        assert_eq!(of("work-after-exit-test", &code), None);
        code.strides = vec![stride(0, true)];
        assert_eq!(of("complicated-access", &code).as_deref(), Some("invariant-store"));
    }

    #[test]
    fn exits_that_count_are_no_early_exit() {
        use loopwright_binary::facts::LoopEnds;
        let mut code = scalar_loop(0, (0, 9), 1);
        code.exits = 2;
        let early =
            |code: &LoopCode| from_binary(code, &code.chains).iter().any(|why| why.reason == "early-exit");
        assert!(early(&code), "how it ends is not known");
        code.ends = Some(LoopEnds::default());
        assert!(!early(&code));
        code.ends = Some(LoopEnds { data: vec![4], unclear: vec![] });
        assert!(early(&code));
    }

    #[test]
    fn a_clean_loop_gives_no_reason() {
        assert_eq!(from_binary(&scalar_loop(0, (0, 9), 1), &[]), Vec::new());
    }

    #[test]
    fn names_are_listed_once_and_not_all() {
        assert_eq!(list(&["exp", "exp", "log"]), "exp, log");
        assert_eq!(list(&["a", "b", "c", "d", "e"]), "a, b, c, and 2 more");
    }
}
