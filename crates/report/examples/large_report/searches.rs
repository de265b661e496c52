//! A search for the best build and a comparison of two builds, with names of files, functions, options and messages of programs.

use crate::names::Names;
use crate::random::Random;
use loopwright_analysis::model::*;

/// Builds that were tried: each outcome several times, each kind of name in each place.
const BUILDS: usize = 18;
/// Functions that change the answer.
const CULPRITS: usize = 6;

const AXES: [Axis; 7] =
    [Axis::Flags, Axis::Compiler, Axis::Lto, Axis::Pgo, Axis::Files, Axis::Env, Axis::Threads];
const OUTCOMES: [TriedOutcome; 9] = [
    TriedOutcome::Faster,
    TriedOutcome::NoDifference,
    TriedOutcome::Slower,
    TriedOutcome::WrongAnswer,
    TriedOutcome::NotBuilt,
    TriedOutcome::SameCode,
    TriedOutcome::Failed,
    TriedOutcome::Hung,
    TriedOutcome::LeftAlone,
];

/// Makes both with numbers of their own, so that the rest of the report stays as it is.
pub struct Searches<'n> {
    names: &'n Names,
    random: Random,
}

impl<'n> Searches<'n> {
    pub fn new(names: &'n Names) -> Self {
        Self { names, random: Random::new(11) }
    }

    fn name(&mut self, index: usize) -> String {
        self.names.function(&mut self.random, index)
    }

    fn file(&mut self, index: usize) -> String {
        self.names.file(&mut self.random, index)
    }

    fn first_difference(&mut self, index: usize) -> FirstDifference {
        FirstDifference {
            output: "standard output".into(),
            line: 3,
            expected: format!("{} 1.25", self.name(index)),
            found: format!("{} 1.26", self.name(index + 1)),
        }
    }

    /// One build with an answer and a speed, as far as its outcome has them.
    fn tried(&mut self, change: String, index: usize, outcome: TriedOutcome) -> TriedFacts {
        let ran = matches!(outcome, TriedOutcome::Faster | TriedOutcome::NoDifference | TriedOutcome::Slower);
        let median = 0.7 + self.random.share();
        let is_wrong = outcome == TriedOutcome::WrongAnswer;
        let parts = vec![
            Part::Options { files: vec![], options: vec!["-O3".into(), self.name(index)] },
            Part::Options { files: vec![self.file(index)], options: vec!["-march=native".into()] },
            Part::Compiler {
                files: vec![self.file(index + 1)],
                compiler: self.file(index + 2),
                without: vec![self.name(index + 2)],
            },
            Part::Variable { name: self.name(index + 3), value: self.name(index + 4) },
        ];
        TriedFacts {
            change,
            way: Way::Options,
            parts,
            predicted: None,
            predicted_likely: None,
            measured: ran.then_some((median * 0.97, median * 1.04)),
            measured_median: ran.then_some(median),
            clock: ran.then_some(Clock::Cpu),
            pairs: 7 * u32::from(ran),
            in_run: None,
            not_in_run: None,
            outcome,
            answer: (ran || is_wrong).then_some(if is_wrong { Verdict::Different } else { Verdict::Same }),
            largest_difference: is_wrong.then_some(3e-9),
            first_difference: is_wrong.then(|| self.first_difference(index)),
            note: (!ran && !is_wrong).then(|| self.name(index + 5)),
        }
    }

    pub fn tuning(&mut self) -> TuneFacts {
        let candidates = (0..BUILDS).map(|index| {
            let change = self.name(index);
            TunedFacts {
                axis: AXES[index % AXES.len()],
                semantics: Semantics::Exact,
                build_seconds: Some(0.5),
                given_up: index % 4 == 1,
                tried: self.tried(change, index, OUTCOMES[index % OUTCOMES.len()]),
            }
        });
        let candidates = candidates.collect();
        let change = self.name(1);
        TuneFacts {
            claimed_from: 1.03,
            outputs: vec![self.file(1)],
            unsteady: vec![Unsteady { output: self.name(2), lines: vec![4], ignored: false }],
            semantics: Semantics::Exact,
            metric: Some(Metric::SelfReported { pattern: self.name(3), rate: true }),
            disturbed: Some(DisturbanceFacts { preempted_per_second: Some(40.0), pressure: Some(0.2) }),
            processors: vec![self.name(4), self.name(5)],
            loops_changed: vec![RebuiltLoop {
                file: self.file(2),
                line: 7,
                function: self.name(6),
                share: 0.3,
                before: BuiltLoop { isa: None, bits: 0, elements: 0, unroll: 0, instructions: 5 },
                after: BuiltLoop {
                    isa: Some(loopwright_binary::facts::Isa::AVX2),
                    bits: 256,
                    elements: 4,
                    unroll: 2,
                    instructions: 9,
                },
            }],
            runs: 99,
            candidates,
            best: Some(self.tried(change, 0, TriedOutcome::Faster)),
        }
    }

    fn answer(&mut self, index: usize) -> AnswerFacts {
        AnswerFacts {
            verdict: Some(Verdict::Different),
            largest_difference: Some(1e-9),
            significant_bits: Some(29.9),
            first_difference: Some(self.first_difference(index)),
            note: None,
        }
    }

    fn culprit(&mut self, index: usize) -> CulpritFunction {
        let change = |what| CodeChange { what, line: Some(7), in_loop: true };
        let calls = CodeChangeKind::Calls { function: self.name(index + 1) };
        CulpritFunction {
            name: self.name(index),
            changes: vec![change(CodeChangeKind::Fused), change(calls)],
        }
    }

    pub fn reproduction(&mut self) -> ReproductionFacts {
        let files: Vec<String> = (0..CULPRITS).map(|index| self.file(index)).collect();
        let culprits = files.chunks(2).map(|some| {
            let units = some.iter().map(|file| Unit::File { file: file.clone() });
            units.collect()
        });
        let culprits = culprits.collect();
        let of_file = |(index, file): (usize, &String)| FileCulprits {
            file: file.clone(),
            functions: vec![vec![self.culprit(index), self.culprit(index + 1)]],
            inlining: Inlining::AsBuilt,
            halted: (index % 3 == 0).then(|| Halted::NotBuilt { error: self.name(index) }),
        };
        let files = files.iter().enumerate().map(of_file).collect();
        let first = repair::AS_IT_IS.to_owned();
        let other = self.name(3);
        ReproductionFacts {
            good: Side { compiler: None, options: vec![self.name(4)] },
            bad: Side { compiler: Some(self.file(5)), options: vec![self.name(5)] },
            outcome: ReproductionOutcome::Sources,
            answer: self.answer(6),
            outputs: vec![self.file(7)],
            unsteady: vec![Unsteady { output: self.name(8), lines: vec![], ignored: false }],
            unsteady_bad: vec![Unsteady { output: self.name(9), lines: vec![2], ignored: true }],
            conditions: vec![ConditionFacts { condition: Condition::OlderLibrary, answer: self.answer(10) }],
            culprits,
            files,
            options: vec![vec![self.name(11), self.name(12)]],
            halted: Some(Halted::NotExchanged { reason: self.name(13) }),
            claimed_from: 1.02,
            repairs: vec![
                self.tried(first, 14, TriedOutcome::WrongAnswer),
                self.tried(other, 15, TriedOutcome::Faster),
            ],
            cheapest: Some(1),
            builds: 17,
            runs: 99,
        }
    }
}
