//! Joining of traces with loops: which run decides, what several ranks add up to, what is listed.

use crate::fixtures::{function, module, recording, scalar_loop};
use crate::model::{Analysis, LoopFacts, Warning};
use loopwright_binary::facts::InstructionLine;
use loopwright_experiment::{CodeModule, Facts, Listing, Run};
use loopwright_instrument::reason::Reason;
use loopwright_instrument::traced::{Patterns, TracedModule, UntracedLoop};
use loopwright_patterns::facts::{BranchUse, LevelStrides, LoopPatterns, Predictor, Sharing, SitePattern};
use loopwright_sample::recording::{Rank, Target};

/// main (0x10..0x100) has an outer loop at 0x20 around an inner one at 0x40 (ids 1, 2); work (0x200..0x300) has one at
/// 0x210 (id 3).
fn code() -> CodeModule {
    let mut outer = scalar_loop(0, (0x20, 0x90), 10);
    outer.innermost = false;
    let mut inner = scalar_loop(1, (0x40, 0x60), 11);
    (inner.parent, inner.depth) = (Some(0), 2);
    module(vec![
        function(1, "main", (0x10, 0x100), vec![outer, inner], 1),
        function(2, "work", (0x200, 0x300), vec![scalar_loop(0, (0x210, 0x240), 30)], 3),
    ])
}

fn level(header: u64, bytes: i64, steps: u64) -> LevelStrides {
    LevelStrides { header, steps, values: vec![(bytes, steps)], ascending: steps, ..LevelStrides::default() }
}

/// The loop at 0x210 of `work`, called from the outer loop of main, with one operand of the given stride.
fn seen(stride: i64) -> LoopPatterns {
    LoopPatterns {
        function: 0x200,
        header: 0x210,
        entries: 1,
        iterations: 101,
        sites: vec![SitePattern {
            function: 0x200,
            address: 0x218,
            size: 8,
            element: 8,
            lanes: 1,
            executions: 101,
            misaligned: 1,
            strides: vec![level(0x210, stride, 100), level(0x20, 800, 9)],
            ..SitePattern::default()
        }],
        ..LoopPatterns::default()
    }
}

fn run(number: i64, strides: bool, dependences: bool, loops: Vec<LoopPatterns>) -> Run<Patterns> {
    let modules = vec![TracedModule { path: "/bin/a".into(), build_id: Some("b1".into()), bias: None }];
    let patterns = Patterns { modules, loops, strides, dependences, bursts: 3, ..Patterns::default() };
    let target = Target { command: vec!["./a".into()], executable: "/bin/a".into(), ..Target::default() };
    Run { id: number, target, facts: patterns, machine: None, code: vec![code()] }
}

fn facts(traced: Vec<Run<Patterns>>) -> Facts {
    let line = |address, line| InstructionLine {
        address,
        text: String::new(),
        file: Some(0),
        line,
        column: 7,
        in_loop: Some(0),
    };
    let listing =
        Listing { files: vec!["/src/w.c".into()], instructions: vec![line(0x214, 31), line(0x218, 32)] };
    Facts { traced, listings: [(2, listing)].into(), ..Facts::default() }
}

fn find(analysis: &Analysis, id: u32) -> &LoopFacts {
    analysis.loops.iter().find(|l| l.id == id).expect("the loop is listed")
}

#[test]
fn a_tracing_run_alone_is_enough() {
    let analysis = crate::analyse(&facts(vec![run(1, true, false, vec![seen(24)])]));
    let access = &find(&analysis, 3).access;
    assert_eq!(access.len(), 1);
    assert_eq!(
        (access[0].file.as_deref(), access[0].line, access[0].function.as_deref()),
        (Some("/src/w.c"), Some(32), None)
    );
    assert_eq!((access[0].stride_bytes, access[0].stride_elements), (Some(24), Some(3)));
    assert_eq!((access[0].outer[0].loop_id, access[0].outer[0].place.as_str()), (Some(1), "a.c:10"));
    assert_eq!(access[0].outer[0].stride_bytes, Some(800));
    // The loop around it is listed, too: facts refer to it.
    assert_eq!(find(&analysis, 1).function, "main");
    let tracing = analysis.tracing.as_ref().unwrap();
    assert_eq!((tracing.strides, tracing.dependences, tracing.bursts), (true, false, 3));
    assert_eq!((analysis.program.outcome.as_str(), analysis.program.command.len()), ("exited 0", 1));
    assert_eq!(analysis.modules[0].path, "/bin/a");
}

#[test]
fn the_newest_run_that_traced_a_loop_decides_for_strides_and_dependences_apart() {
    let first = run(1, true, false, vec![seen(24)]);
    let second = run(2, false, true, vec![seen(0)]);
    let analysis = crate::analyse(&facts(vec![first.clone(), second]));
    assert_eq!(find(&analysis, 3).access[0].stride_bytes, Some(24), "dependences delete no strides");
    let tracing = analysis.tracing.as_ref().unwrap();
    assert!(tracing.strides && tracing.dependences);
    let third = run(3, true, false, vec![seen(16)]);
    let other_loop = run(4, true, false, vec![LoopPatterns { function: 0x10, header: 0x40, ..seen(8) }]);
    let analysis = crate::analyse(&facts(vec![first, third, other_loop]));
    assert_eq!(find(&analysis, 3).access[0].stride_bytes, Some(16));
    assert_eq!(find(&analysis, 2).access.len(), 1);
}

#[test]
fn ranks_of_a_job_are_united_and_runs_are_not() {
    let rank = |n: i64, rank: u32, swap: bool| {
        let mut run = run(n, true, false, vec![seen(24)]);
        run.target.rank = Some(Rank { rank, size: 2, launcher: "openmpi".into(), job: "j".into() });
        if swap {
            // Another process has another order of modules.
            run.facts
                .modules
                .insert(0, TracedModule { path: "/lib/x.so".into(), build_id: None, bias: None });
            run.code[0].position = 1;
            let seen = &mut run.facts.loops[0];
            seen.module = 1;
            seen.sites[0].module = 1;
            seen.sites[0].strides.iter_mut().for_each(|level| level.module = 1);
            seen.sites[0].misaligned = 100;
        }
        run
    };
    let analysis = crate::analyse(&facts(vec![rank(1, 0, false), rank(2, 1, true)]));
    let access = &find(&analysis, 3).access[0];
    assert_eq!((access.executions, access.unaligned_share), (202, 0.5));
    assert_eq!((access.stride_bytes, access.outer[0].loop_id), (Some(24), Some(1)));
    assert_eq!((analysis.program.ranks, analysis.tracing.as_ref().unwrap().bursts), (2, 6));
}

#[test]
fn another_build_is_not_used_and_said() {
    let mut recording = recording(&[(&[0x15, 0x50], 500)]);
    recording.modules[0].build_id = Some("b2".into());
    let survey = Run { id: 1, facts: recording, code: vec![code()], ..Run::default() };
    let facts = Facts { surveys: vec![survey], ..facts(vec![run(2, true, false, vec![seen(24)])]) };
    let analysis = crate::analyse(&facts);
    assert!(analysis.loops.iter().all(|l| l.access.is_empty()));
    let rebuilt = Warning::RebuiltSinceTraced { module: "a".into() };
    assert!(analysis.warnings.contains(&rebuilt), "{:?}", analysis.warnings);
}

#[test]
fn loops_that_could_not_be_traced_say_why() {
    let mut failed = run(2, true, false, Vec::new());
    failed.facts.untraced =
        vec![UntracedLoop { module: "/bin/a".into(), header: 0x210, reason: Reason::NotEntered }];
    let analysis = crate::analyse(&facts(vec![failed.clone()]));
    assert_eq!(find(&analysis, 3).not_traced, Some(Reason::NotEntered.into()));
    let analysis = crate::analyse(&facts(vec![run(1, true, false, vec![seen(24)]), failed]));
    assert_eq!(find(&analysis, 3).not_traced, None, "an earlier run traced it");
}

#[test]
fn branches_have_their_places_and_the_dearest_is_first() {
    let branch = |function, address, mispredicted| BranchUse {
        function,
        address,
        executed: 202,
        taken: 101,
        predicted: 200,
        mispredicted,
        ..BranchUse::default()
    };
    let mut traced = seen(24);
    traced.branches = vec![branch(0x200, 0x218, 0), branch(0x10, 0x30, 100)];
    let mut run = run(1, true, false, vec![traced]);
    run.facts.predictor = Some(Predictor { bits: 1 << 17, ..Predictor::default() });
    let analysis = crate::analyse(&facts(vec![run.clone()]));
    let this = find(&analysis, 3);
    let places: Vec<_> = this.branches.iter().map(|b| (b.function.as_deref(), b.line, b.miss_rate)).collect();
    assert_eq!(places, [(Some("main"), None, Some(0.5)), (None, Some(32), Some(0.0))]);
    // 202 executions in 101 iterations, half of them missed.
    assert_eq!(this.mispredicted_per_iteration(), Some(1.0));
    let each = analysis.tracing.as_ref().unwrap().mispredict_cycles;
    assert_eq!(this.branches[0].cycles_per_iteration, each);
    // An experiment of an earlier version.
    run.facts.predictor = None;
    run.facts.loops[0].branches.clear();
    let analysis = crate::analyse(&facts(vec![run]));
    assert_eq!(find(&analysis, 3).mispredicted_per_iteration(), None);
    assert_eq!(analysis.tracing.as_ref().unwrap().mispredict_cycles, None);
}

#[test]
fn sharing_is_told_in_shares_and_words() {
    let mut traced = seen(8);
    traced.sharing = Some(Sharing {
        windows: 2,
        false_lines: 1,
        false_accesses: 50,
        accesses: 200,
        examples: vec![loopwright_patterns::facts::SharedLine {
            address: 0x1000,
            accesses: 50,
            users: vec![(0, 0, 0, 7, true), (1, 0, 8, 8, false)],
        }],
        ..Sharing::default()
    });
    let mut moving = traced.clone();
    // The same bytes, in another window.
    moving.sharing.as_mut().unwrap().examples[0].users.push((1, 0, 0, 7, false));
    let analysis = crate::analyse(&facts(vec![run(1, true, false, vec![moving])]));
    assert!(find(&analysis, 3).sharing.as_ref().unwrap().example.is_empty());
    let analysis = crate::analyse(&facts(vec![run(1, true, false, vec![traced])]));
    let sharing = find(&analysis, 3).sharing.as_ref().unwrap();
    assert_eq!((sharing.false_lines, sharing.false_share), (1, 0.25));
    assert_eq!(
        sharing.example,
        [
            "thread 0 writes bytes 0..7 of the line 0x1000 at w.c:32",
            "thread 1 reads byte 8 of the line 0x1000 at w.c:32"
        ]
    );
}
