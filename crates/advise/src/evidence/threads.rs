//! Threads, and what they wait for.

use super::operands::Extent;
use super::words::{count_in_words, counted, percent};
use loopwright_analysis::model::{LoopFacts, WaitFacts, WaitKind};
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt;

/// A loop that is named in a sentence about others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LoopName {
    /// Its id.
    pub loop_id: u32,
    /// Its place.
    pub place: String,
    /// The function in which it is written.
    pub function: String,
}

impl From<&LoopFacts> for LoopName {
    fn from(of: &LoopFacts) -> Self {
        Self { loop_id: of.id, place: of.place(), function: of.name().to_owned() }
    }
}

impl fmt::Display for LoopName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the loop at {} in {}", self.place, self.function)
    }
}

/// What threads wait for, and where.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "WaitCause")]
pub struct Wait {
    /// The library's function, or the system call.
    pub call: String,
    /// The function that called it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caller: Option<String>,
    /// What it waits for.
    pub waits_for: WaitKind,
}

impl From<&WaitFacts> for Wait {
    fn from(of: &WaitFacts) -> Self {
        Self { call: of.name().to_owned(), caller: of.function.clone(), waits_for: of.kind }
    }
}

impl fmt::Display for Wait {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let for_what = match self.waits_for {
            WaitKind::Thread => "another thread",
            WaitKind::Sleep => "time to pass",
            WaitKind::Storage => "storage",
            WaitKind::Network => "a network connection",
            WaitKind::Pipe => "a pipe",
            WaitKind::Terminal => "the terminal",
            WaitKind::Event => "an event",
            WaitKind::Child => "a child process",
            WaitKind::Signal => "a signal",
            WaitKind::Page => "a page of memory",
            WaitKind::Other => "the kernel",
        };
        write!(f, "{}{} waits for {for_what}", self.call, called_by(self.caller.as_deref()))
    }
}

fn called_by(caller: Option<&str>) -> String {
    caller.map(|caller| format!(" called by {caller}")).unwrap_or_default()
}

/// Threads, and what they wait for.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[schemars(rename = "ThreadEvidence")]
pub enum Threads {
    /// How many CPUs were busy.
    CpusBusy {
        /// Busy CPUs, on average.
        busy: f64,
        /// CPUs that the program may use.
        cpus: u32,
    },
    /// Threads that spent time in the loop.
    ThreadsInLoop {
        /// Threads.
        threads: u32,
    },
    /// Threads that share the allocator.
    ThreadsShareIt {
        /// Threads.
        threads: u32,
    },
    /// The loop whose iterations several threads could take.
    LoopToShareOut {
        /// The loop.
        of: LoopName,
        /// Its share of the CPU time.
        share: f64,
        /// Other loops that run in turn with it and could be shared out as well.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        beside: Vec<LoopName>,
        /// Their share of the CPU time.
        #[serde(skip_serializing_if = "Option::is_none")]
        share_beside: Option<f64>,
    },
    /// A loop above that runs several nests in turn.
    NestsInTurn {
        /// The loop.
        above: LoopName,
        /// Loop nests.
        nests: usize,
    },
    /// The loop around was traced in single iterations only.
    AroundUnseen {
        /// The loop around.
        around: LoopName,
    },
    /// The uneven loop is inside the loop whose iterations the threads share.
    UnevenInside {
        /// The uneven loop.
        of: LoopName,
        /// Its share of the CPU time.
        share: f64,
    },
    /// The next loop inside whose iterations were found independent.
    NextInside {
        /// The loop.
        of: LoopName,
        /// Its share of the CPU time.
        share: f64,
    },
    /// How uneven the time of threads is.
    TimeImbalance {
        /// Threads.
        threads: u32,
        /// They are threads of several ranks.
        ranks: bool,
        /// Seconds of the busiest.
        most: f64,
        /// Seconds on average.
        mean: f64,
        /// Imb. Time in seconds.
        excess: f64,
        /// Imb. Time % as a share.
        share: f64,
    },
    /// What balance would save.
    BalancedEarlier {
        /// Seconds, at most.
        seconds: f64,
        /// Elapsed seconds of the program.
        elapsed_seconds: f64,
    },
    /// How uneven the work of threads is.
    WorkImbalance {
        /// Imbalance by instructions.
        share: f64,
        /// The work is equal, its speed is not.
        equal: bool,
    },
    /// Time that threads spend waiting in the OpenMP run time.
    OpenMpWaiting {
        /// Share of the CPU time.
        share: f64,
    },
    /// What starting and ending parallel regions costs.
    Regions {
        /// Regions.
        regions: u64,
        /// Seconds of each, at least and at most.
        each: (f64, f64),
        /// Share of the elapsed time, at least and at most.
        share: (f64, f64),
    },
    /// Regions follow each other as fast as they can start and end.
    RegionPace {
        /// Regions.
        regions: u64,
        /// Seconds from one to the next.
        apart: f64,
        /// Seconds of a start and an end, at least and at most.
        each: (f64, f64),
    },
    /// What the program waits for.
    WaitsFor {
        /// Share of the time in which all threads were blocked.
        share: f64,
        /// What and where.
        wait: Wait,
    },
    /// Threads that are blocked in locks.
    BlockedInLocks {
        /// Threads.
        threads: usize,
        /// Share of their time.
        share: f64,
    },
    /// The lock that threads wait for most.
    MostWaitedFor {
        /// What and where.
        wait: Wait,
        /// How often threads were seen there.
        looks: u32,
    },
    /// The lock function that asks for most of the kernel's work.
    MostKernelWork {
        /// The lock function.
        function: String,
        /// The function that called it.
        #[serde(skip_serializing_if = "Option::is_none")]
        caller: Option<String>,
        /// Share of the kernel's work.
        share: f64,
    },
    /// Cache lines that threads share falsely.
    FalselySharedLines {
        /// Lines.
        lines: u64,
        /// Share of the accesses.
        share: f64,
        /// What was traced.
        extent: Extent,
    },
    /// What threads do with one of these lines.
    ExampleOfLine {
        /// Thread by thread.
        threads: Vec<String>,
    },
    /// Lines that are truly shared.
    TrulySharedLines {
        /// Share of the accesses.
        share: f64,
    },
    /// What a line takes from core to core.
    LineTransfer {
        /// Nanoseconds, at least and at most.
        nanoseconds: (f64, f64),
    },
}

impl fmt::Display for Threads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CpusBusy { busy, cpus } => write!(f, "{busy:.1} of {cpus} CPUs were busy on average"),
            Self::ThreadsInLoop { threads } => write!(f, "{} spent time in it", counted(*threads, "thread")),
            Self::ThreadsShareIt { threads } => write!(f, "{threads} threads share it"),
            Self::LoopToShareOut { of, share, beside, share_beside } => {
                write!(f, "{of} takes {} of the CPU time, with what it calls", percent(*share))?;
                let Some(more) = share_beside else { return Ok(()) };
                let names: Vec<String> = beside.iter().map(LoopName::to_string).collect();
                write!(f, "; beside it, with {}, {}", percent(*more), names.join(" and "))
            }
            Self::NestsInTurn { above, nests } => write!(
                f,
                "the loop above, {above}, runs {nests} loop nests in turn, as a loop over time steps does"
            ),
            Self::NextInside { of, share } => write!(
                f,
                "the next loop inside whose iterations were found independent is {of} with {}",
                percent(*share)
            ),
            Self::AroundUnseen { around } => write!(
                f,
                "of the loop around it, {around}, bursts saw single iterations: whether they are independent is not known; if they are, it is the better one to share out"
            ),
            Self::UnevenInside { of, share } => {
                write!(f, "the time is uneven in {of}, which takes {} of the CPU time", percent(*share))
            }
            Self::TimeImbalance { threads, ranks, most, mean, excess, share } => write!(
                f,
                "the busiest of {threads} {} spends {most:.2} s in it, the mean is {mean:.2} s: Imb. Time {excess:.2} s, Imb. Time % {:.0}",
                if *ranks { "threads and ranks" } else { "threads" },
                share * 100.0
            ),
            Self::BalancedEarlier { seconds, elapsed_seconds } => write!(
                f,
                "balanced, the program would end up to {seconds:.2} s earlier, of {elapsed_seconds:.2} s"
            ),
            Self::WorkImbalance { share, equal } => write!(
                f,
                "by instructions the imbalance is {}: {}",
                percent(*share),
                if *equal { "the work is equal, its speed is not" } else { "the work itself is uneven" }
            ),
            Self::OpenMpWaiting { share } => {
                write!(f, "{} of the CPU time is spent waiting in the OpenMP run time", percent(*share))
            }
            Self::Regions { regions, each, share } => write!(
                f,
                "{} regions at {:.0} to {:.0} microseconds each are {} to {} of the elapsed time",
                count_in_words(*regions),
                each.0 * 1e6,
                each.1 * 1e6,
                percent(share.0),
                percent(share.1)
            ),
            Self::RegionPace { regions, apart, each } => write!(
                f,
                "one of {} regions starts every {:.1} microseconds of the elapsed time, and starting and ending one usually takes {:.0} to {:.0}",
                count_in_words(*regions),
                apart * 1e6,
                each.0 * 1e6,
                each.1 * 1e6
            ),
            Self::WaitsFor { share, wait } => write!(f, "{} of it: {wait}", percent(*share)),
            Self::BlockedInLocks { threads, share } => {
                write!(f, "{threads} threads are blocked in locks during {} of their time", percent(*share))
            }
            Self::MostWaitedFor { wait, looks } => {
                write!(f, "most of it: {wait}, in {}", counted(*looks, "look"))
            }
            Self::MostKernelWork { function, caller, share } => write!(
                f,
                "most of it: {function}{} asks for {} of the kernel's work",
                called_by(caller.as_deref()),
                percent(*share)
            ),
            Self::FalselySharedLines { lines, share, extent } => write!(
                f,
                "{} {} used by several threads at once, in different bytes, and written: {} of the accesses, {extent}",
                counted(u32::try_from(*lines).unwrap_or(u32::MAX), "cache line"),
                if *lines == 1 { "was" } else { "were" },
                percent(*share)
            ),
            Self::ExampleOfLine { threads } => write!(f, "of one of them {}", threads.join("; ")),
            Self::TrulySharedLines { share } => write!(
                f,
                "{} of the accesses go to lines that are truly shared: padding leaves these as they are",
                percent(*share)
            ),
            Self::LineTransfer { nanoseconds } => {
                write!(f, "a line takes {:.0} to {:.0} ns from core to core", nanoseconds.0, nanoseconds.1)
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
        let of = || LoopName { loop_id: 3, place: "k.c:9".into(), function: "f".into() };
        let wait = |waits_for, caller: Option<&str>| Wait {
            call: "fsync".into(),
            caller: caller.map(str::to_owned),
            waits_for,
        };
        let imbalance = |ranks| Threads::TimeImbalance {
            threads: 4,
            ranks,
            most: 4.0,
            mean: 2.0,
            excess: 2.0,
            share: 0.667,
        };
        let lines = |lines| Threads::FalselySharedLines {
            lines,
            share: 0.5,
            extent: Extent { complete: true, iterations: 9 },
        };
        hold(&[
            (Threads::CpusBusy { busy: 1.04, cpus: 4 }, "1.0 of 4 CPUs were busy on average"),
            (Threads::ThreadsInLoop { threads: 1 }, "1 thread spent time in it"),
            (Threads::ThreadsShareIt { threads: 4 }, "4 threads share it"),
            (
                Threads::LoopToShareOut { of: of(), share: 0.9, beside: vec![], share_beside: None },
                "the loop at k.c:9 in f takes 90.0 % of the CPU time, with what it calls",
            ),
            (
                Threads::LoopToShareOut { of: of(), share: 0.7, beside: vec![of()], share_beside: Some(0.2) },
                "the loop at k.c:9 in f takes 70.0 % of the CPU time, with what it calls; beside it, with 20.0 %, \
                 the loop at k.c:9 in f",
            ),
            (
                Threads::NestsInTurn { above: of(), nests: 2 },
                "the loop above, the loop at k.c:9 in f, runs 2 loop nests in turn, as a loop over time steps does",
            ),
            (
                Threads::NextInside { of: of(), share: 0.85 },
                "the next loop inside whose iterations were found independent is the loop at k.c:9 in f with 85.0 %",
            ),
            (
                Threads::AroundUnseen { around: of() },
                "of the loop around it, the loop at k.c:9 in f, bursts saw single iterations: whether they are independent is not known; if they are, it is the better one to share out",
            ),
            (
                Threads::UnevenInside { of: of(), share: 0.98 },
                "the time is uneven in the loop at k.c:9 in f, which takes 98.0 % of the CPU time",
            ),
            (
                imbalance(false),
                "the busiest of 4 threads spends 4.00 s in it, the mean is 2.00 s: Imb. Time 2.00 s, Imb. Time % 67",
            ),
            (
                imbalance(true),
                "the busiest of 4 threads and ranks spends 4.00 s in it, the mean is 2.00 s: Imb. Time 2.00 s, Imb. Time % 67",
            ),
            (
                Threads::BalancedEarlier { seconds: 2.0, elapsed_seconds: 10.0 },
                "balanced, the program would end up to 2.00 s earlier, of 10.00 s",
            ),
            (
                Threads::WorkImbalance { share: 0.3, equal: false },
                "by instructions the imbalance is 30.0 %: the work itself is uneven",
            ),
            (
                Threads::WorkImbalance { share: 0.01, equal: true },
                "by instructions the imbalance is 1.0 %: the work is equal, its speed is not",
            ),
            (
                Threads::OpenMpWaiting { share: 0.3 },
                "30.0 % of the CPU time is spent waiting in the OpenMP run time",
            ),
            (
                Threads::Regions { regions: 500, each: (1e-6, 10e-6), share: (0.02, 0.2) },
                "500 regions at 1 to 10 microseconds each are 2.0 % to 20.0 % of the elapsed time",
            ),
            (
                Threads::RegionPace { regions: 500, apart: 0.9e-6, each: (1e-6, 10e-6) },
                "one of 500 regions starts every 0.9 microseconds of the elapsed time, and starting and ending one usually takes 1 to 10",
            ),
            (
                Threads::WaitsFor { share: 0.9, wait: wait(WaitKind::Storage, Some("save")) },
                "90.0 % of it: fsync called by save waits for storage",
            ),
            (
                Threads::BlockedInLocks { threads: 4, share: 0.667 },
                "4 threads are blocked in locks during 66.7 % of their time",
            ),
            (
                Threads::MostWaitedFor { wait: wait(WaitKind::Thread, None), looks: 1 },
                "most of it: fsync waits for another thread, in 1 look",
            ),
            (
                Threads::MostKernelWork {
                    function: "__lll_lock_wait".into(),
                    caller: Some("worker".into()),
                    share: 0.6,
                },
                "most of it: __lll_lock_wait called by worker asks for 60.0 % of the kernel's work",
            ),
            (
                lines(1),
                "1 cache line was used by several threads at once, in different bytes, and written: 50.0 % of the accesses, in all of its iterations",
            ),
            (
                lines(2),
                "2 cache lines were used by several threads at once, in different bytes, and written: 50.0 % of the accesses, in all of its iterations",
            ),
            (
                Threads::ExampleOfLine { threads: vec!["thread 1 writes".into(), "thread 2 reads".into()] },
                "of one of them thread 1 writes; thread 2 reads",
            ),
            (
                Threads::TrulySharedLines { share: 0.1 },
                "10.0 % of the accesses go to lines that are truly shared: padding leaves these as they are",
            ),
            (
                Threads::LineTransfer { nanoseconds: (40.0, 100.0) },
                "a line takes 40 to 100 ns from core to core",
            ),
        ]);
    }

    #[test]
    fn what_is_waited_for() {
        for (waits_for, words) in [
            (WaitKind::Thread, "another thread"),
            (WaitKind::Sleep, "time to pass"),
            (WaitKind::Storage, "storage"),
            (WaitKind::Network, "a network connection"),
            (WaitKind::Pipe, "a pipe"),
            (WaitKind::Terminal, "the terminal"),
            (WaitKind::Event, "an event"),
            (WaitKind::Child, "a child process"),
            (WaitKind::Signal, "a signal"),
            (WaitKind::Page, "a page of memory"),
            (WaitKind::Other, "the kernel"),
        ] {
            let wait = Wait { call: "poll".into(), caller: None, waits_for };
            assert_eq!(wait.to_string(), format!("poll waits for {words}"));
        }
    }
}
