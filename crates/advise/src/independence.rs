//! What is known of giving the iterations of a loop to threads: its own code, and what a trace saw of its dependences.
//!
//! The registers of a loop's own code show few dependences: time steps hand their arrays on through memory, and sums of a loop
//! inside, of a called function or of variables in the frame are in no register of it. Without a trace a loop is unchecked, whatever
//! its code shows; and a trace that could not follow everything, or saw no entry of two iterations, answers nothing.

use crate::evidence::Serial;
use crate::facts::Facts;
use loopwright_analysis::model::{DependenceEnd, DependenceFacts, LoopFacts, ParallelVerdict};
use loopwright_binary::facts::{ChainKind, Trait};
use loopwright_patterns::facts::DependenceKind;

/// Checked iterations below which a verdict is an example.
pub const FEW_ITERATIONS: u64 = 16;

/// What is known of the iterations of a loop.
#[derive(Clone, Debug, PartialEq)]
pub enum Iterations<'a> {
    /// They depend on each other.
    Serial(Serial),
    /// No iteration was seen to read what an earlier one wrote, but for reductions.
    Independent {
        /// What was checked.
        found: &'a DependenceFacts,
        /// Iterations write places anew that others used: work arrays, of which each needs a copy.
        copies: bool,
    },
    /// A trace was made or refused, and does not answer it.
    Unknown,
    /// No trace was made.
    Unchecked,
}

/// What is known of the iterations of `of`.
pub fn iterations<'a>(facts: &Facts<'a>, of: &'a LoopFacts) -> Iterations<'a> {
    if let Some(why) = own_code(of) {
        return Iterations::Serial(why);
    }
    let Some(found) = facts.dependence(of) else {
        return if of.not_traced.is_some() { Iterations::Unknown } else { Iterations::Unchecked };
    };
    if !found.early_exits.is_empty() {
        return Iterations::Serial(Serial::EarlyExit);
    }
    let flow = |found: &DependenceFacts| {
        found.found.iter().any(|one| !one.memory || one.kind == DependenceKind::Flow)
    };
    let unexplained = found.parallel == ParallelVerdict::Dependent && found.found.is_empty();
    if flow(found) || unexplained {
        return Iterations::Serial(Serial::Traced);
    }
    let unsure = found.parallel == ParallelVerdict::Unknown || !found.unknown.is_empty();
    if unsure || found.checked_iterations < FEW_ITERATIONS || !written_anew(found) {
        return Iterations::Unknown;
    }
    Iterations::Independent { found, copies: found.parallel == ParallelVerdict::Dependent }
}

/// What was written after it was read (an anti dependence) is written in every iteration: a work array. A place that an iteration
/// only reads before another one writes it is an input, of which a copy of each iteration's own is none.
fn written_anew(found: &DependenceFacts) -> bool {
    let of_kind = |kind: DependenceKind| found.found.iter().filter(move |one| one.kind == kind);
    // Instructions of one line are copies of one statement: those of the remainder write the same array.
    let statement = |one: &DependenceEnd, other: &DependenceEnd| {
        one.address == other.address
            || one.line.is_some() && (one.line, &one.file) == (other.line, &other.file)
    };
    let writes_again = |end: &DependenceEnd| {
        of_kind(DependenceKind::Output).any(|one| statement(&one.source, end) || statement(&one.sink, end))
    };
    of_kind(DependenceKind::Anti).all(|one| one.privatisable || writes_again(&one.sink))
}

/// What in its own code makes a loop serial; sums are no obstacle (reductions).
fn own_code(of: &LoopFacts) -> Option<Serial> {
    let chain = of.chains.iter().find(|c| matches!(c.kind, ChainKind::Recurrence | ChainKind::PointerChase));
    if let Some(chain) = chain {
        return Some(Serial::Carries(chain.carrier.clone()));
    }
    if of.traits.contains(&Trait::EarlyExit) {
        return Some(Serial::EarlyExit);
    }
    of.traits.contains(&Trait::Atomic).then_some(Serial::Atomic)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{carried, chain, checked, scalar_loop, with_loops};
    use loopwright_analysis::model::{Unmeasured, VectorVerdict};

    fn known(change: impl FnOnce(&mut LoopFacts)) -> String {
        let analysis = with_loops(vec![scalar_loop(change)]);
        match iterations(&Facts::new(&analysis), &analysis.loops[0]) {
            Iterations::Independent { copies, .. } => format!("independent, copies {copies}"),
            other => format!("{other:?}"),
        }
    }

    fn traced(
        parallel: ParallelVerdict,
        found: &[DependenceKind],
        change: fn(&mut DependenceFacts),
    ) -> String {
        known(|l| {
            checked(l, VectorVerdict::Unknown, parallel);
            let facts = l.dependence.as_mut().unwrap();
            facts.found = found.iter().map(|kind| carried(*kind, 1)).collect();
            change(facts);
        })
    }

    #[test]
    fn a_trace_decides_and_its_absence_decides_nothing() {
        use DependenceKind::{Anti, Flow, Output};
        let dependent = ParallelVerdict::Dependent;
        assert_eq!(known(|_| ()), "Unchecked");
        assert_eq!(known(|l| l.not_traced = Some(Unmeasured::OtherLoops)), "Unknown");
        assert_eq!(traced(ParallelVerdict::Independent, &[], |_| ()), "independent, copies false");
        assert_eq!(traced(ParallelVerdict::WithClauses, &[], |_| ()), "independent, copies false");
        assert_eq!(traced(dependent, &[Anti, Output], |_| ()), "independent, copies true");
        assert_eq!(traced(dependent, &[Flow, Output], |_| ()), "Serial(Traced)");
        assert_eq!(traced(dependent, &[], |_| ()), "Serial(Traced)");
        assert_eq!(traced(dependent, &[Anti], |_| ()), "Unknown", "a[i] = a[i + 1]");
        assert_eq!(traced(dependent, &[Output], |d| d.unknown = vec!["a call".into()]), "Unknown");
        assert_eq!(traced(ParallelVerdict::Unknown, &[], |_| ()), "Unknown");
        assert_eq!(traced(ParallelVerdict::Independent, &[], |d| d.checked_iterations = 3), "Unknown");
        let remainder = |d: &mut DependenceFacts| {
            (d.found[0].sink.address, d.found[0].sink.line) = ("0x9".into(), Some(67));
            d.found[1].sink.line = Some(67);
        };
        assert_eq!(
            traced(dependent, &[Anti, Output], remainder),
            "independent, copies true",
            "one statement"
        );
        let other = |d: &mut DependenceFacts| {
            (d.found[0].sink.address, d.found[0].sink.line) = ("0x9".into(), Some(40));
        };
        assert_eq!(traced(dependent, &[Anti, Output], other), "Unknown", "another statement");
        let leaves = |d: &mut DependenceFacts| d.early_exits = vec![Default::default()];
        assert_eq!(traced(ParallelVerdict::Independent, &[], leaves), "Serial(EarlyExit)");
    }

    #[test]
    fn the_code_alone_shows_some_loops_to_be_serial() {
        let sum = known(|l| l.chains = vec![chain(ChainKind::InOrderSum, "xmm0", 4)]);
        assert_eq!(sum, "Unchecked");
        assert!(known(|l| l.chains = vec![chain(ChainKind::Recurrence, "xmm0", 4)]).contains("Carries"));
        assert_eq!(known(|l| l.traits = vec![Trait::EarlyExit]), "Serial(EarlyExit)");
        assert_eq!(known(|l| l.traits = vec![Trait::Atomic]), "Serial(Atomic)");
    }
}
