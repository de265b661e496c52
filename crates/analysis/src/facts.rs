//! The facts of one state, as loaded: what every computation of this crate starts from.

use loopwright_experiment::{CodeModule, Cost, Error, Experiment, Listing, ReadModules, RunId, State};
use loopwright_instrument::facts::Counts;
use loopwright_machine::{Ceilings, Machine};
use loopwright_patterns::facts::Patterns;
use loopwright_remarks::remark::Remark;
use loopwright_sample::recording::{Recording, Target};
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// The machine as stored with a run: described always, its ceilings when they were known.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MachineRecord {
    /// Topology, features and conditions.
    pub machine: Machine,
    /// Measured ceilings.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub ceilings: Option<Ceilings>,
}

/// One survey with what the binaries say.
#[derive(Clone, Debug)]
pub struct SurveyFacts {
    /// Run in the experiment.
    pub run: RunId,
    /// Samples.
    pub recording: Recording,
    /// The machine it ran on.
    pub machine: Option<MachineRecord>,
    /// Described modules.
    pub code: Vec<CodeModule>,
}

/// One counting run with what the binaries say.
#[derive(Clone, Debug)]
pub struct CountedRun {
    /// Run in the experiment.
    pub run: RunId,
    /// The command and how it ended.
    pub target: Target,
    /// What was counted.
    pub counts: Counts,
    /// The machine it ran on.
    pub machine: Option<MachineRecord>,
    /// Described modules; positions are those of `counts.modules`.
    pub code: Vec<CodeModule>,
}

/// One tracing run with what the binaries say.
#[derive(Clone, Debug)]
pub struct TracedRun {
    /// Run in the experiment.
    pub run: RunId,
    /// The command and how it ended.
    pub target: Target,
    /// What was seen.
    pub patterns: Patterns,
    /// The machine it ran on.
    pub machine: Option<MachineRecord>,
    /// Described modules; positions are those of `patterns.modules`.
    pub code: Vec<CodeModule>,
}

/// Everything that is analysed together: all ranks of a job, counts of the same command, and the compilers' remarks.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// One per rank; exactly one without MPI; none when there are only counts.
    pub surveys: Vec<SurveyFacts>,
    /// Counting runs, oldest first.
    pub counts: Vec<CountedRun>,
    /// Tracing runs, oldest first.
    pub traced: Vec<TracedRun>,
    /// Text of the stored source files of counted and traced code, by path as the binary names them.
    pub sources: BTreeMap<String, String>,
    /// Listings of the functions that tracing runs name, by [`loopwright_experiment::StoredFunction::id`]: they tell the
    /// source line of an operand.
    pub listings: BTreeMap<i64, Listing>,
    /// Remarks.
    pub remarks: Vec<Remark>,
    /// What the tool itself took.
    pub costs: Vec<Cost>,
}

impl Facts {
    /// Loads a state.
    pub fn load(experiment: &Experiment, state: &State) -> Result<Self, Error> {
        let read = RefCell::new(ReadModules::default());
        let code = |run| experiment.code_beside(run, &mut read.borrow_mut());
        let survey = |&run: &RunId| {
            Ok(SurveyFacts {
                run,
                recording: experiment.recording(run)?,
                machine: experiment.machine(run)?,
                code: code(run)?,
            })
        };
        let counted = |&run: &RunId| {
            Ok(CountedRun {
                run,
                target: experiment.target(run)?,
                counts: experiment.counts(run)?,
                machine: experiment.machine(run)?,
                code: code(run)?,
            })
        };
        let traced_run = |&run: &RunId| {
            Ok(TracedRun {
                run,
                target: experiment.target(run)?,
                patterns: experiment.patterns(run)?,
                machine: experiment.machine(run)?,
                code: code(run)?,
            })
        };
        let mut sources = BTreeMap::new();
        for &run in state.counts.iter().chain(&state.patterns) {
            for path in experiment.sources(run)? {
                // Of a file that changed between two runs, the later text is kept.
                if let Some(text) = experiment.source(&[run], &path)? {
                    sources.insert(path, text);
                }
            }
        }
        let traced: Vec<TracedRun> = state.patterns.iter().map(traced_run).collect::<Result<_, Error>>()?;
        Ok(Self {
            surveys: state.surveys.iter().map(survey).collect::<Result<_, Error>>()?,
            counts: state.counts.iter().map(counted).collect::<Result<_, Error>>()?,
            listings: listings(experiment, &traced)?,
            traced,
            sources,
            remarks: experiment.remarks(&state.remarks)?,
            costs: experiment.costs(&[&state.surveys[..], &state.counts, &state.patterns].concat())?,
        })
    }

    /// The machine of the survey, else of the counting run, else of the tracing run; one with ceilings is preferred.
    pub fn machine(&self) -> Option<&MachineRecord> {
        let records = || {
            let surveys = self.surveys.iter().filter_map(|survey| survey.machine.as_ref());
            let counts = self.counts.iter().rev().filter_map(|run| run.machine.as_ref());
            let traced = self.traced.iter().rev().filter_map(|run| run.machine.as_ref());
            surveys.chain(counts).chain(traced)
        };
        records().find(|record| record.ceilings.is_some()).or_else(|| records().next())
    }

    /// All described modules of all runs.
    pub fn code(&self) -> impl Iterator<Item = &CodeModule> {
        self.surveys
            .iter()
            .flat_map(|survey| &survey.code)
            .chain(self.counts.iter().flat_map(|run| &run.code))
            .chain(self.traced.iter().flat_map(|run| &run.code))
    }
}

/// Listings of the functions in which traced operands and loops lie.
fn listings(experiment: &Experiment, runs: &[TracedRun]) -> Result<BTreeMap<i64, Listing>, Error> {
    let mut listings = BTreeMap::new();
    for run in runs {
        let mut named: BTreeSet<(u32, u64)> = BTreeSet::new();
        for seen in &run.patterns.loops {
            named.insert((seen.module, seen.function));
            named.extend(seen.sites.iter().map(|site| (site.module, site.function)));
        }
        for module in &run.code {
            for stored in module.functions.iter() {
                let is_named = named.contains(&(module.position, stored.code.function.address));
                if is_named && !listings.contains_key(&stored.id) {
                    listings.extend(experiment.listing(stored.id)?.map(|listing| (stored.id, listing)));
                }
            }
        }
    }
    Ok(listings)
}

#[cfg(test)]
mod tests {
    use super::*;
    use loopwright_patterns::facts::{LoopPatterns, TracedModule};

    #[test]
    fn traces_come_with_their_code_and_with_the_latest_text_of_their_sources() {
        let folder = tempfile::tempdir().unwrap();
        let mut experiment = Experiment::create_or_open(&folder.path().join("x.lw")).unwrap();
        let target = Target { command: vec!["./a".into()], ..Target::default() };
        let patterns = Patterns {
            modules: vec![TracedModule { path: "/bin/a".into(), build_id: None, bias: None }],
            loops: vec![LoopPatterns { header: 0x1010, iterations: 9, ..LoopPatterns::default() }],
            ..Patterns::default()
        };
        for text in ["first", "second"] {
            let run = experiment.add_patterns(&patterns, &target, None::<&()>).unwrap();
            let module =
                loopwright_binary::facts::ModuleFacts { path: "/bin/a".into(), ..Default::default() };
            experiment.add_code(run, 0, "ab", &module, &[]).unwrap();
            experiment.add_source(run, "/home/u/a.c", text).unwrap();
        }
        let facts = Facts::load(&experiment, &experiment.latest().unwrap()).unwrap();
        assert_eq!(facts.traced.len(), 2);
        assert!(facts.traced.iter().all(|run| run.patterns == patterns && run.target == target));
        assert_eq!(facts.code().map(|module| module.facts.path.as_str()).collect::<Vec<_>>(), ["/bin/a"; 2]);
        assert_eq!(facts.sources, BTreeMap::from([("/home/u/a.c".to_owned(), "second".to_owned())]));
    }
}
