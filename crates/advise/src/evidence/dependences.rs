//! What iterations hand to each other.

use super::threads::LoopName;
use super::words::{count_in_words, counted, listed};
use crate::registers::is_register;
use loopwright_analysis::model::{CarriedScalar, DependenceEnd, DependenceFacts, FoundDependence};
use loopwright_analysis::place::base_name;
use loopwright_binary::facts::{CarriedChain, Carrier};
use loopwright_patterns::facts::DependenceKind;
use loopwright_stats::saturating_sum;
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt;

/// What a chain carries from iteration to iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ChainRole {
    /// A floating-point sum, whose additions cannot overlap.
    Sum,
    /// A floating-point sum that has to stay in order.
    OrderedSum,
    /// A value that the next iteration waits for.
    Awaited,
    /// A value of any kind.
    Value,
    /// An address that is loaded from itself.
    Chase,
    /// The address of the next access.
    NextAddress,
}

/// How much a check of dependences saw.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "CheckedExtent")]
pub struct Checked {
    /// All iterations of the run.
    pub exhaustive: bool,
    /// Iterations.
    pub iterations: u64,
    /// Entries that they belong to.
    pub entries: u64,
}

impl From<&DependenceFacts> for Checked {
    fn from(of: &DependenceFacts) -> Self {
        Self { exhaustive: of.exhaustive, iterations: of.checked_iterations, entries: of.checked_entries }
    }
}

impl fmt::Display for Checked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}{} {}{} of {} {}{}",
            if self.exhaustive { "all " } else { "" },
            count_in_words(self.iterations),
            if self.exhaustive { "" } else { "traced " },
            if self.iterations == 1 { "iteration" } else { "iterations" },
            count_in_words(self.entries),
            if self.entries == 1 { "entry" } else { "entries" },
            // A burst begins and ends in the middle of entries, and one entry may be in several bursts.
            if self.exhaustive { "" } else { " or parts of entries" }
        )
    }
}

/// Which dependences were not seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "UnseenDependence")]
pub enum NotSeen {
    /// One that is nearer than that found.
    Nearer,
    /// One that forbids vectors.
    ForbidsVectors,
    /// One between iterations that the directive's clauses do not remove.
    BetweenIterations,
}

/// Why the iterations of a loop cannot be given to several threads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "SerialReason")]
pub enum Serial {
    /// A dependence occurred while it was traced.
    Traced,
    /// It carries a value: the register or the place in memory.
    Carries(Carrier),
    /// It may end early.
    EarlyExit,
    /// It makes atomic operations.
    Atomic,
}

/// What iterations hand to each other.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[schemars(rename = "DependenceEvidence")]
pub enum Dependences {
    /// A chain through a register or a place in memory.
    Chain {
        /// The register, or the place in memory.
        carrier: Carrier,
        /// What it carries.
        role: ChainRole,
        /// Shortest latency of an iteration in cycles.
        cycles: u32,
    },
    /// The time that a chain explains.
    ChainTime {
        /// Counted iterations.
        iterations: u64,
        /// Cycles of each.
        cycles: u32,
        /// Share of the loop's time.
        share: f64,
    },
    /// What the instructions would need without the chain.
    WithoutChain {
        /// Instructions of an iteration.
        instructions: u32,
        /// Cycles.
        cycles: f64,
    },
    /// Each iteration waits for what the one before it stored.
    Waits {
        /// Cycles of an iteration.
        now: f64,
        /// Cycles that its instructions take.
        without: f64,
    },
    /// What a pointer chase takes at least.
    ChaseCycles {
        /// Cycles of an iteration, from L1.
        cycles: u32,
    },
    /// Registers that a reduction accumulates in.
    Accumulators {
        /// Vector registers.
        registers: usize,
    },
    /// A carried value may keep the loop scalar as well.
    AlsoCarriesValue,
    /// A dependence that occurred.
    Occurred {
        /// Which of its ends writes.
        dependence: DependenceKind,
        /// The operation that comes first in time.
        source: DependenceEnd,
        /// The one that comes later.
        sink: DependenceEnd,
        /// Nearest distance in iterations.
        distance: u64,
        /// Occurrences; 0 where they are not counted.
        times: u64,
        /// An address at which it occurred.
        #[serde(skip_serializing_if = "Option::is_none")]
        address: Option<String>,
    },
    /// A dependence that did not occur: what was seen, no proof.
    NotSeen {
        /// Which.
        which: NotSeen,
        /// What was checked.
        checked: Checked,
    },
    /// What was checked.
    WereChecked {
        /// Iterations and entries.
        checked: Checked,
    },
    /// Each iteration writes the place first.
    WrittenFirst,
    /// What a check could not see.
    BeyondHorizon {
        /// The longest distance that it sees, in iterations.
        iterations: u64,
    },
    /// Scalars that a directive's clauses name.
    ClauseScalars {
        /// They are private, not reductions.
        private: bool,
        /// The scalars.
        scalars: Vec<CarriedScalar>,
    },
    /// No dependence through memory was seen at a loop around.
    NoneThroughMemory {
        /// Place of the loop.
        place: String,
    },
    /// No iteration of a loop around was seen to read what an earlier one wrote.
    NoFlow {
        /// Place of the loop around.
        place: String,
        /// Iterations write places anew that earlier ones used: work arrays.
        reused: bool,
        /// What was checked.
        checked: Checked,
    },
    /// Arrays that each iteration writes anew.
    WorkArrays {
        /// Lines that write them.
        lines: Vec<u32>,
    },
    /// Along another loop around the arrays are consecutive.
    ConsecutiveAlong {
        /// Place of that loop.
        place: String,
    },
    /// Iterations of a loop around meet at the same element in the same iteration of this loop.
    SameElement {
        /// Place of the loop around.
        place: String,
    },
    /// Why a loop above cannot be shared out.
    SerialLoopAbove {
        /// The loop.
        above: LoopName,
        /// Why.
        why: Serial,
    },
    /// The loop makes atomic operations.
    AtomicOperation,
    /// The loop has several exits.
    Exits {
        /// Exits.
        exits: u32,
    },
    /// The code shows nothing that forbids vectors.
    NoObstacle,
}

impl Dependences {
    /// The fact about a chain.
    pub fn chain(chain: &CarriedChain, role: ChainRole) -> Self {
        Self::Chain { carrier: chain.carrier.clone(), role, cycles: chain.latency_cycles }
    }

    /// The fact about a dependence that occurred.
    pub fn occurred(found: &FoundDependence) -> Self {
        Self::Occurred {
            dependence: found.kind,
            source: found.source.clone(),
            sink: found.sink.clone(),
            distance: found.distance,
            times: saturating_sum(found.distances.iter().map(|(_, n)| *n)),
            address: found.example.clone(),
        }
    }

    /// What a check could not see, where it could not see all.
    pub fn beyond_horizon(of: &DependenceFacts) -> Option<Self> {
        (!of.exhaustive && of.horizon > 0).then_some(Self::BeyondHorizon { iterations: of.horizon })
    }
}

/// What carries a value, in words.
fn carrier(of: &Carrier) -> String {
    match of {
        Carrier::Memory(_) => "a memory cell".to_owned(),
        Carrier::Register(name) => format!("register {name}"),
    }
}

/// An end of a dependence: `` `a[i]` at kernel.c:9 ``.
fn end(of: &DependenceEnd) -> String {
    let what = of.operand.as_ref().map(|o| format!("`{o}`"));
    let at = of.file.as_deref().zip(of.line).map(|(f, line)| format!("{}:{line}", base_name(f)));
    match (what, at) {
        (Some(what), Some(at)) => format!("{what} at {at}"),
        (what, at) => what.or(at).unwrap_or_else(|| of.address.clone()),
    }
}

fn scalar(of: &CarriedScalar) -> String {
    if is_register(&of.name) {
        // The source has another name for it.
        let operation = of.operation.as_ref().map(|o| format!("{o}, ")).unwrap_or_default();
        let line = of.line.map(|line| format!(" of line {line}")).unwrap_or_default();
        return format!("the variable{line} ({operation}in register {})", of.name);
    }
    match (&of.operation, of.line) {
        (Some(operation), Some(line)) => format!("`{}` ({operation}, line {line})", of.name),
        (Some(operation), None) => format!("`{}` ({operation})", of.name),
        (None, Some(line)) => format!("`{}` (line {line})", of.name),
        (None, None) => format!("`{}`", of.name),
    }
}

impl fmt::Display for Dependences {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Chain { carrier: by, role, cycles } => {
                let by = carrier(by);
                match role {
                    ChainRole::Sum => write!(
                        f,
                        "{by} carries a floating-point sum from each iteration to the next, {cycles} cycles that cannot overlap"
                    ),
                    ChainRole::OrderedSum => write!(f, "{by} carries a floating-point sum in order"),
                    ChainRole::Awaited => {
                        write!(f, "{by} hands its value to the next iteration after {cycles} cycles")
                    }
                    ChainRole::Value => write!(f, "{by} carries a value from iteration to iteration"),
                    ChainRole::Chase => {
                        write!(f, "{by} is loaded from the address that it held one iteration before")
                    }
                    ChainRole::NextAddress => write!(f, "the next address comes from memory through {by}"),
                }
            }
            Self::ChainTime { iterations, cycles, share } => write!(
                f,
                "{} counted iterations of {cycles} cycles are {:.0} % of the loop's time",
                count_in_words(*iterations),
                share * 100.0
            ),
            Self::WithoutChain { instructions, cycles } => {
                write!(f, "its {instructions} instructions would need {cycles:.1} cycles without that chain")
            }
            Self::Waits { now, without } => {
                write!(
                    f,
                    "an iteration takes {now:.1} cycles, its instructions would need {without:.1}: it waits for the one before it"
                )
            }
            Self::ChaseCycles { cycles } => {
                write!(f, "at least {cycles} cycles per iteration from L1, hundreds from memory")
            }
            Self::Accumulators { registers } => write!(f, "it accumulates in {registers} vector register(s)"),
            Self::AlsoCarriesValue => {
                write!(f, "it also carries a value from iteration to iteration, which may keep it scalar")
            }
            Self::Occurred { dependence, source, sink, distance, times, address } => {
                let kind = match dependence {
                    DependenceKind::Flow => "read after write",
                    DependenceKind::Anti => "write after read",
                    DependenceKind::Output => "write after write",
                };
                let later = u32::try_from(*distance)
                    .map_or_else(|_| format!("{distance} iterations"), |n| counted(n, "iteration"));
                write!(f, "{} meets {} {later} later: {kind}", end(source), end(sink))?;
                if *times > 0 {
                    write!(f, ", {} times", count_in_words(*times))?;
                }
                address.as_ref().map_or(Ok(()), |a| write!(f, ", for example at address {a}"))
            }
            Self::NotSeen { which, checked } => match which {
                NotSeen::Nearer => {
                    write!(f, "no nearer one occurred in {checked}; this is what was seen, not a proof")
                }
                NotSeen::ForbidsVectors => write!(
                    f,
                    "no carried dependence that forbids vectors occurred in {checked}; this is what was seen, not a proof"
                ),
                NotSeen::BetweenIterations => write!(
                    f,
                    "no dependence from one iteration to another occurred in {checked}, but those that clauses remove; this is what was seen, not a proof"
                ),
            },
            Self::WereChecked { checked } => write!(f, "{checked} were checked"),
            Self::WrittenFirst => write!(
                f,
                "each iteration writes the place before it reads it: a private copy removes the dependence"
            ),
            Self::BeyondHorizon { iterations } => write!(
                f,
                "dependences over more than {} iterations could not be seen",
                count_in_words(*iterations)
            ),
            Self::ClauseScalars { private, scalars } => {
                let what =
                    if *private { "written before they are read in each iteration" } else { "reductions" };
                write!(f, "{what}: {}", listed(&scalars.iter().map(scalar).collect::<Vec<_>>()))
            }
            Self::NoFlow { place, reused, checked } => {
                write!(f, "no iteration of the loop at {place} read what an earlier one wrote in {checked}")?;
                if *reused {
                    f.write_str("; the places that they write anew need a copy each")?;
                }
                f.write_str("; this is what was seen, not a proof")
            }
            Self::WorkArrays { lines } => {
                let lines: Vec<String> = lines.iter().map(|line| format!("line {line}")).collect();
                write!(
                    f,
                    "each iteration writes arrays anew that others used ({}): a thread needs its own",
                    listed(&lines)
                )
            }
            Self::ConsecutiveAlong { place } => write!(
                f,
                "along the loop at {place} the arrays are consecutive: if its iterations are independent, they are the better lanes, and the arrays stay as they are"
            ),
            Self::NoneThroughMemory { place } => {
                write!(f, "the loop at {place} carried no dependence through memory that was seen")
            }
            Self::SameElement { place } => write!(
                f,
                "iterations of the loop at {place} met at the same element in the same iteration of this loop only, which either order of the loops keeps"
            ),
            Self::SerialLoopAbove { above, why } => {
                write!(f, "the loop above, {above}, ")?;
                match why {
                    Serial::Traced => write!(f, "carries a dependence that occurred while it was traced"),
                    Serial::Carries(by) => {
                        write!(f, "carries a value in {} from iteration to iteration", carrier(by))
                    }
                    Serial::EarlyExit => write!(f, "may end early"),
                    Serial::Atomic => write!(f, "makes atomic operations"),
                }
            }
            Self::AtomicOperation => write!(f, "it makes an atomic operation"),
            Self::Exits { exits } => {
                write!(f, "it has {exits} exits: a break or return beside the loop's own end")
            }
            Self::NoObstacle => {
                write!(f, "its code shows no obstacle: no call, no early exit, no carried value")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::tests::hold;

    #[test]
    fn in_words() {
        let chain = |role| Dependences::Chain { carrier: Carrier::Register("xmm0".into()), role, cycles: 4 };
        let in_memory = Dependences::Chain {
            carrier: Carrier::Memory("[rbp-0x8]".into()),
            role: ChainRole::Value,
            cycles: 4,
        };
        let at = |operand: Option<&str>, line| DependenceEnd {
            file: Some("/home/k.c".into()),
            line,
            operand: operand.map(str::to_owned),
            address: "0x10".into(),
            ..DependenceEnd::default()
        };
        let occurred = |dependence, distance, times, address: Option<&str>| Dependences::Occurred {
            dependence,
            source: at(Some("a[i]"), Some(11)),
            sink: at(None, None),
            distance,
            times,
            address: address.map(str::to_owned),
        };
        let checked = Checked { exhaustive: false, iterations: 40_000, entries: 40 };
        let not_seen = |which| Dependences::NotSeen { which, checked };
        let scalar = |line, operation: Option<&str>| CarriedScalar {
            name: "s".into(),
            line,
            operation: operation.map(str::to_owned),
            floating: true,
        };
        let above = |why| Dependences::SerialLoopAbove {
            above: LoopName { loop_id: 3, place: "k.c:9".into(), function: "f".into() },
            why,
        };
        hold(&[
            (
                chain(ChainRole::Sum),
                "register xmm0 carries a floating-point sum from each iteration to the next, 4 cycles that cannot overlap",
            ),
            (chain(ChainRole::OrderedSum), "register xmm0 carries a floating-point sum in order"),
            (chain(ChainRole::Awaited), "register xmm0 hands its value to the next iteration after 4 cycles"),
            (chain(ChainRole::Value), "register xmm0 carries a value from iteration to iteration"),
            (in_memory, "a memory cell carries a value from iteration to iteration"),
            (
                chain(ChainRole::Chase),
                "register xmm0 is loaded from the address that it held one iteration before",
            ),
            (chain(ChainRole::NextAddress), "the next address comes from memory through register xmm0"),
            (
                Dependences::ChainTime { iterations: 500, cycles: 4, share: 0.98 },
                "500 counted iterations of 4 cycles are 98 % of the loop's time",
            ),
            (
                Dependences::WithoutChain { instructions: 6, cycles: 1.5 },
                "its 6 instructions would need 1.5 cycles without that chain",
            ),
            (
                Dependences::Waits { now: 30.0, without: 6.5 },
                "an iteration takes 30.0 cycles, its instructions would need 6.5: it waits for the one before it",
            ),
            (
                Dependences::ChaseCycles { cycles: 4 },
                "at least 4 cycles per iteration from L1, hundreds from memory",
            ),
            (Dependences::Accumulators { registers: 2 }, "it accumulates in 2 vector register(s)"),
            (
                Dependences::AlsoCarriesValue,
                "it also carries a value from iteration to iteration, which may keep it scalar",
            ),
            (
                occurred(DependenceKind::Flow, 1, 900, Some("0x7f")),
                "`a[i]` at k.c:11 meets 0x10 1 iteration later: read after write, 900 times, for example at address 0x7f",
            ),
            (
                occurred(DependenceKind::Anti, 2, 0, None),
                "`a[i]` at k.c:11 meets 0x10 2 iterations later: write after read",
            ),
            (
                occurred(DependenceKind::Output, u64::MAX, 0, None),
                "`a[i]` at k.c:11 meets 0x10 18446744073709551615 iterations later: write after write",
            ),
            (
                not_seen(NotSeen::Nearer),
                "no nearer one occurred in 40000 traced iterations of 40 entries or parts of entries; this is what was seen, not a proof",
            ),
            (
                not_seen(NotSeen::ForbidsVectors),
                "no carried dependence that forbids vectors occurred in 40000 traced iterations of 40 entries or parts of entries; this is what was seen, not a proof",
            ),
            (
                not_seen(NotSeen::BetweenIterations),
                "no dependence from one iteration to another occurred in 40000 traced iterations of 40 entries or parts of entries, but those that clauses remove; this is what was seen, not a proof",
            ),
            (
                Dependences::WereChecked { checked },
                "40000 traced iterations of 40 entries or parts of entries were checked",
            ),
            (
                Dependences::WrittenFirst,
                "each iteration writes the place before it reads it: a private copy removes the dependence",
            ),
            (
                Dependences::BeyondHorizon { iterations: 1000 },
                "dependences over more than 1000 iterations could not be seen",
            ),
            (
                Dependences::ClauseScalars {
                    private: false,
                    scalars: vec![scalar(Some(12), Some("+")), scalar(None, Some("max"))],
                },
                "reductions: `s` (+, line 12) and `s` (max)",
            ),
            (
                Dependences::ClauseScalars {
                    private: false,
                    scalars: vec![CarriedScalar { name: "edx".into(), ..scalar(Some(39), Some("+")) }],
                },
                "reductions: the variable of line 39 (+, in register edx)",
            ),
            (
                Dependences::ClauseScalars {
                    private: true,
                    scalars: vec![scalar(Some(12), None), scalar(None, None)],
                },
                "written before they are read in each iteration: `s` (line 12) and `s`",
            ),
            (
                Dependences::SameElement { place: "k.c:9".into() },
                "iterations of the loop at k.c:9 met at the same element in the same iteration of this loop only, which either order of the loops keeps",
            ),
            (
                Dependences::NoFlow { place: "k.c:9".into(), reused: true, checked },
                "no iteration of the loop at k.c:9 read what an earlier one wrote in 40000 traced iterations of 40 entries or parts of entries; the places that they write anew need a copy each; this is what was seen, not a proof",
            ),
            (
                Dependences::WorkArrays { lines: vec![39, 43] },
                "each iteration writes arrays anew that others used (line 39 and line 43): a thread needs its own",
            ),
            (
                Dependences::ConsecutiveAlong { place: "k.c:9".into() },
                "along the loop at k.c:9 the arrays are consecutive: if its iterations are independent, they are the better lanes, and the arrays stay as they are",
            ),
            (
                Dependences::NoneThroughMemory { place: "k.c:9".into() },
                "the loop at k.c:9 carried no dependence through memory that was seen",
            ),
            (
                above(Serial::Traced),
                "the loop above, the loop at k.c:9 in f, carries a dependence that occurred while it was traced",
            ),
            (
                above(Serial::Carries(Carrier::Register("rax".into()))),
                "the loop above, the loop at k.c:9 in f, carries a value in register rax from iteration to iteration",
            ),
            (above(Serial::EarlyExit), "the loop above, the loop at k.c:9 in f, may end early"),
            (above(Serial::Atomic), "the loop above, the loop at k.c:9 in f, makes atomic operations"),
            (Dependences::AtomicOperation, "it makes an atomic operation"),
            (Dependences::Exits { exits: 2 }, "it has 2 exits: a break or return beside the loop's own end"),
            (Dependences::NoObstacle, "its code shows no obstacle: no call, no early exit, no carried value"),
        ]);
    }
}
