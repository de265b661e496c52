//! Whether the answer of the first build depends on the run, on the number of threads or on the machine's library: no build is to blame
//! for that.

use super::{Search, Stage};
use crate::answer::keep_worse;
use crate::asked::Error;
use crate::runner::Ran;
use crate::settings::imports;
use loopwright_experiment::reproduction::{Condition, Probe};
use loopwright_experiment::trials::{Answer, End, Verdict};
use std::time::Instant;

/// Runs of the first build, after the two that settle its answer, that must show nothing new in a row, and most of all: what a program
/// prints of its time may be the same in several.
const AGAIN: (usize, usize) = (2, 8);
/// Numbers of threads that are tried.
const THREADS: [u32; 2] = [1, 3];
/// Functions that libraries for OpenMP have.
const OF_THREADS: [&str; 3] = ["GOMP_parallel", "__kmpc_fork_call", "omp_get_num_threads"];
/// Functions of the mathematical library that it has in several versions (glibc, `sysdeps/x86_64/fpu/multiarch`), without the suffix of
/// their type.
const OF_LIBRARY: [&str; 14] = [
    "sin", "cos", "tan", "sincos", "asin", "acos", "atan", "atan2", "exp", "log", "pow", "exp2", "log2",
    "tanh",
];
/// Takes the newer ones away (The GNU C Library Reference Manual, *Hardware Capability Tunables*).
const OLDER_LIBRARY: (&str, &str) = ("GLIBC_TUNABLES", "glibc.cpu.hwcaps=-FMA,-AVX2_Usable,-AVX2,-FMA4");

impl Search<'_, '_> {
    /// The first build again, with other numbers of threads, and with the functions of an older processor's library.
    pub(super) fn conditions(&mut self, busy: f64) -> Result<(), Error> {
        (self.progress)(Stage::Conditions);
        let good = self.good.clone();
        let imports = imports(&good);
        let has = |names: &[&str]| imports.iter().any(|name| names.contains(&name.as_str()));
        if !self.again()? {
            return Ok(());
        }
        let mut all: Vec<(Condition, Option<(&str, String)>)> = Vec::new();
        if has(&OF_THREADS) || busy > 1.2 {
            let threads = |threads: u32| {
                (Condition::Threads { threads }, Some(("OMP_NUM_THREADS", threads.to_string())))
            };
            all.extend(THREADS.map(threads));
        }
        let of_library = |name: &String| {
            OF_LIBRARY
                .iter()
                .any(|known| name.strip_prefix(known).is_some_and(|rest| ["", "f"].contains(&rest)))
        };
        if imports.iter().any(of_library) {
            all.push((Condition::OlderLibrary, Some((OLDER_LIBRARY.0, OLDER_LIBRARY.1.to_owned()))));
        }
        for (condition, variable) in all {
            let set: Vec<(&str, &str)> =
                variable.iter().map(|(name, value)| (*name, value.as_str())).collect();
            let (end, answer) = match self.runner.run(&good, &set)? {
                Ran::Well(_, answer) => {
                    let answer = match (&condition, answer.verdict) {
                        (Condition::Threads { threads }, Verdict::Different) => {
                            self.without_setting(*threads)?
                        }
                        _ => None,
                    }
                    .unwrap_or(answer);
                    (End::Ran, Some(self.judged(answer)?))
                }
                Ran::Badly(end) => (end, None),
                Ran::Stopped => return Ok(()),
            };
            self.found.probes.push(Probe { condition, end, answer });
        }
        Ok(())
    }

    /// The answer of the last run where what it prints of its setting is left out.
    fn without_setting(&self, setting: u32) -> Result<Option<Answer>, Error> {
        let given = self.runner.given()?;
        let judge = self.runner.judge.as_ref().map(|judge| judge.without_setting(&given, setting));
        Ok(judge.map(|judge| judge.judge(&given, None)))
    }

    /// The first build again, until what differs from run to run is known: no build is to blame for it. Whether it can go on.
    fn again(&mut self) -> Result<bool, Error> {
        let good = self.good.clone();
        let mut found: Option<Answer> = None;
        let mut nothing_new = 0;
        for _ in 0..AGAIN.1 {
            match self.runner.run(&good, &[])? {
                Ran::Well(_, answer) => {
                    let is_new = answer.verdict == Verdict::Different;
                    nothing_new = if is_new { 0 } else { nothing_new + 1 };
                    keep_worse(&mut found, answer);
                    if is_new {
                        self.runner.learn_last()?;
                    }
                }
                Ran::Badly(end) => {
                    self.found.probes.push(Probe { condition: Condition::Again, end, answer: None });
                    return Ok(true);
                }
                Ran::Stopped => return Ok(false),
            }
            if nothing_new >= AGAIN.0 || Instant::now() + self.run > self.until {
                break;
            }
        }
        self.found.probes.push(Probe { condition: Condition::Again, end: End::Ran, answer: found });
        Ok(true)
    }
}
