use crate::fixtures::{function, module, recording, scalar_loop, vector_loop};
use crate::model::{Analysis, LoopFacts, Unmeasured, Warning};
use crate::outcome::End;
use loopwright_binary::facts::{ElementType, LoopRole};
use loopwright_binary::work::Work;
use loopwright_experiment::{CodeModule, Facts, Run};
use loopwright_instrument::facts::{
    CountedThread, Counts, FunctionCounts, LeftAlone, LoopCounts, ModuleCounts, ThreadLoop, ThreadWork,
    TripHistogram,
};
use loopwright_instrument::reason::{Reason, Refusal, Unclear};
use loopwright_instrument::traced::{Patterns, TracedModule};
use loopwright_instrument::warning::Warning as Limit;
use loopwright_patterns::facts::{CacheUse, Footprint, LevelUse, LoopPatterns};
use loopwright_sample::recording::{Rank, Recording, Target};
use loopwright_vocabulary::MemoryLevel;

const UNRESOLVED: Reason = Reason::Refused(Refusal::Unclear(Unclear::Unresolved));

/// main (0x10..0x100) has an outer loop at 0x20 around an inner one at 0x40 (ids 1, 2); work (0x200..0x300) has a body at
/// 0x210, four doubles at a time, and its remainder at 0x230 (ids 3, 4).
fn code() -> CodeModule {
    let mut outer = scalar_loop(0, (0x20, 0x90), 10);
    outer.innermost = false;
    let mut inner = scalar_loop(1, (0x40, 0x60), 11);
    inner.parent = Some(0);
    inner.depth = 2;
    let mut body = vector_loop(4);
    (body.header, body.ranges, body.role) = (0x210, vec![(0x210, 0x230)], LoopRole::Body);
    body.location.as_mut().unwrap().line = 30;
    let mut remainder = scalar_loop(1, (0x230, 0x240), 30);
    (remainder.role, remainder.group) = (LoopRole::Remainder, 0);
    module(vec![
        function(1, "main", (0x10, 0x100), vec![outer, inner], 1),
        function(2, "work", (0x200, 0x300), vec![body, remainder], 3),
    ])
}

fn work(instructions: u64) -> Work {
    Work {
        instructions,
        flop: [(ElementType::F64, instructions)].into(),
        bytes_loaded: 8 * instructions,
        ..Work::default()
    }
}

fn counted(header: u64, entries: u64, iterations: u64, threads: &[u64]) -> LoopCounts {
    let each = iterations / entries.max(1);
    LoopCounts {
        header,
        entries: Some(entries),
        iterations,
        trips: Some(TripHistogram {
            min: each,
            max: each,
            buckets: vec![(each, each, entries)],
            approximate: false,
        }),
        work: work(10 * iterations),
        total_work: work(20 * iterations),
        threads: (threads.iter().zip(0..))
            .map(|(&n, thread)| ThreadLoop { thread, entries: Some(1), iterations: n, work: work(10 * n) })
            .collect(),
    }
}

/// work: called 5 times, body 5 x 10 iterations, remainder 5 x 3, on two threads; main: only its inner loop.
fn counts() -> Counts {
    let thread = |thread| CountedThread { process: 9, thread, program: "/bin/a".into() };
    Counts {
        modules: vec![ModuleCounts {
            path: "/bin/a".into(),
            functions: vec![
                FunctionCounts {
                    address: 0x10,
                    name: "main".into(),
                    work: work(6000),
                    loops: vec![counted(0x40, 2, 600, &[600])],
                    ..FunctionCounts::default()
                },
                FunctionCounts {
                    address: 0x200,
                    name: "work".into(),
                    calls: Some(5),
                    complete: true,
                    work: work(700),
                    loops: vec![counted(0x210, 5, 50, &[40, 10]), counted(0x230, 5, 15, &[15])],
                    threads: [0, 1]
                        .map(|thread| ThreadWork {
                            thread,
                            calls: Some(1 + u64::from(thread)),
                            work: work(350),
                        })
                        .to_vec(),
                    ..FunctionCounts::default()
                },
            ],
            left_alone: vec![
                LeftAlone { address: 0x10, function: "main".into(), header: Some(0x20), reason: UNRESOLVED },
                LeftAlone {
                    address: 0x900,
                    function: "lost".into(),
                    header: None,
                    reason: Reason::Refused(Refusal::NoRoom),
                },
            ],
            ..ModuleCounts::default()
        }],
        threads: vec![thread(9), thread(10)],
        elapsed_seconds: 0.5,
        setup_seconds: 0.125,
        ..Counts::default()
    }
}

fn run(number: i64, counts: Counts) -> Run<Counts> {
    let target = Target { command: vec!["./a".into()], executable: "/bin/a".into(), ..Target::default() };
    Run { id: number, target, facts: counts, machine: None, code: vec![code()] }
}

fn survey(stacks: &[(&[u64], u32)]) -> Run<Recording> {
    let facts = recording(stacks);
    Run { id: 1, target: facts.target.clone(), facts, machine: None, code: vec![code()] }
}

fn analysed(surveys: Vec<Run<Recording>>, counts: Vec<Run<Counts>>) -> Analysis {
    crate::analyse(&Facts { surveys, counts, ..Facts::default() })
}

fn by_id(analysis: &Analysis, id: u32) -> &LoopFacts {
    analysis.loops.iter().find(|l| l.id == id).unwrap_or_else(|| panic!("no loop {id}"))
}

#[test]
fn counts_alone_show_every_counted_loop_by_instructions() {
    let analysis = analysed(vec![], vec![run(4, counts())]);
    let order: Vec<u32> = analysis.loops.iter().map(|l| l.id).collect();
    // Own instructions 6000, 500, 150; the outer loop was not counted.
    assert_eq!(order, vec![2, 3, 4]);
    let remainder = by_id(&analysis, 4).trip_count.as_ref().unwrap();
    // Nothing in the code says how many source iterations the body's are.
    assert_eq!(
        (remainder.group_iterations, remainder.source_mean, remainder.source_share),
        (None, None, None)
    );
    assert!(remainder.source_unknown.is_some() && remainder.source_provenance.is_none());
    assert_eq!((remainder.median, remainder.mean), (Some(3), Some(3.0)));
    let body = by_id(&analysis, 3);
    assert_eq!(body.work.as_ref().unwrap().instructions, 500);
    assert_eq!(body.total_work.as_ref().unwrap().instructions, 1000);
    let point = body.roofline.as_ref().unwrap();
    assert_eq!((point.intensity, point.gflops), (Some(0.125), None));

    assert_eq!((analysis.program.samples, analysis.program.threads, analysis.program.ranks), (0, 2, 1));
    assert_eq!(analysis.program.command, vec!["./a"]);
    assert!(analysis.warnings.is_empty(), "{:?}", analysis.warnings);
    let whole = analysis.counts.as_ref().unwrap();
    assert_eq!((whole.work.instructions, whole.loops, whole.functions), (6700, 3, 2));
    assert_eq!((whole.counted_share, whole.overhead, whole.setup_seconds), (None, None, 0.125));
    assert_eq!(whole.outcome, "exited 0");
    assert_eq!(analysis.modules[0].path, "/bin/a");
    assert!(analysis.modules[0].main_module);
    let function = &analysis.functions[0];
    assert_eq!((function.function.as_str(), function.calls, function.complete), ("main", None, Some(false)));
    assert_eq!(function.left_alone, [Unmeasured::Loop { place: "a.c:10".into(), reason: UNRESOLVED }]);
    assert_eq!(
        function.left_alone[0].to_string(),
        "the loop at a.c:10: left as it is: a computed jump could not be followed"
    );
}

#[test]
fn counts_and_time_meet_in_one_row() {
    // 60 ms in the body, 20 ms in the outer loop that was left alone, 20 ms outside loops in work.
    let analysis =
        analysed(vec![survey(&[(&[0x220], 60), (&[0x30], 20), (&[0x250], 20)])], vec![run(4, counts())]);
    let body = by_id(&analysis, 3);
    assert!((body.self_seconds - 0.06).abs() < 1e-9);
    let point = body.roofline.as_ref().unwrap();
    assert!((point.gflops.unwrap() - 500.0 / 0.06 / 1e9).abs() < 1e-15, "{point:?}");
    assert_eq!(point.cores, Some(1));
    assert!(point.how.contains("machine --measure"), "{}", point.how);
    let outer = by_id(&analysis, 1);
    assert_eq!(outer.not_counted, Some(UNRESOLVED.into()));
    assert!(outer.trip_count.is_none() && outer.work.is_none());
    let whole = analysis.counts.as_ref().unwrap();
    // All of work (80 ms) and nothing of main's outer loop: 80 of 100 ms.
    assert!((whole.counted_share.unwrap() - 0.8).abs() < 1e-9);
    assert!((whole.overhead.unwrap() - 0.5 / 0.1).abs() < 1e-9);
    let left = &whole.left_alone[0];
    assert_eq!(
        (left.loop_id, left.place.as_deref(), left.address.as_str()),
        (Some(1), Some("a.c:10"), "0x20")
    );
    assert!((left.self_seconds.unwrap() - 0.02).abs() < 1e-9);
    assert_eq!(whole.left_alone[1].function, "lost");
    assert_eq!(whole.left_alone[1].self_seconds, None);
}

#[test]
fn threads_show_their_imbalance() {
    let analysis = analysed(vec![], vec![run(4, counts())]);
    let body = by_id(&analysis, 3).by_thread.as_ref().unwrap();
    let counted: Vec<(u32, u64)> = body.counted.iter().map(|t| (t.tid, t.instructions)).collect();
    assert_eq!(counted, vec![(9, 400), (10, 100)]);
    // max 400, mean 250: 150 / 400 x 2 / 1.
    let found = body.instruction_imbalance.unwrap();
    assert_eq!((found.threads, found.excess, found.share), (2, 150.0, 0.75));
    assert!(body.time_imbalance.is_none() && body.sampled.is_empty());
    // One of the function's two threads did all of the remainder.
    let remainder = by_id(&analysis, 4).by_thread.as_ref().unwrap();
    assert_eq!(remainder.instruction_imbalance.unwrap().share, 1.0);
    assert!(by_id(&analysis, 2).by_thread.is_none(), "one thread ran main");
}

#[test]
fn ranks_of_one_job_add_up_and_later_jobs_replace() {
    let ranked = |number: i64, rank: u32, job: &str, counts| {
        let mut run = run(number, counts);
        run.target.rank = Some(Rank { rank, size: 2, launcher: "openmpi".into(), job: job.into() });
        run
    };
    let both = analysed(vec![], vec![ranked(1, 0, "j", counts()), ranked(2, 1, "j", counts())]);
    let body = by_id(&both, 3);
    let trips = body.trip_count.as_ref().unwrap();
    assert_eq!(
        (trips.iterations, trips.entries, trips.histogram.clone()),
        (100, Some(10), vec![(10, 10, 10)])
    );
    assert_eq!(body.by_thread.as_ref().unwrap().counted.len(), 4);
    assert_eq!(body.by_thread.as_ref().unwrap().counted[0].rank, Some(0));
    assert_eq!((both.program.ranks, both.counts.as_ref().unwrap().threads), (2, 4));
    assert_eq!(both.counts.as_ref().unwrap().work.instructions, 2 * 6700);

    // A later run that counted only the body, with other numbers: it replaces the loop, not the whole function.
    let mut later = counts();
    later.modules[0].functions.remove(0);
    later.modules[0].left_alone.clear();
    let function = &mut later.modules[0].functions[0];
    (function.complete, function.calls, function.work) = (false, None, work(100));
    function.loops = vec![counted(0x210, 1, 7, &[7])];
    let replaced = analysed(vec![], vec![run(1, counts()), run(2, later)]);
    assert_eq!(by_id(&replaced, 3).trip_count.as_ref().unwrap().iterations, 7);
    assert_eq!(by_id(&replaced, 4).trip_count.as_ref().unwrap().iterations, 15);
    let work = replaced.functions.iter().find(|f| f.function == "work").unwrap();
    assert_eq!((work.complete, work.calls), (Some(true), Some(5)));
}

#[test]
fn counts_of_another_build_are_refused() {
    let with_id = |id: &str| {
        let mut counts = counts();
        counts.modules[0].build_id = Some(id.into());
        counts
    };
    let mut surveyed = survey(&[(&[0x220], 60)]);
    surveyed.facts.modules[0].build_id = Some("new".into());
    let analysis = analysed(vec![surveyed.clone()], vec![run(4, with_id("old"))]);
    let body = by_id(&analysis, 3);
    assert!(body.work.is_none() && body.not_counted == Some(Unmeasured::Rebuilt), "{body:?}");
    let rebuilt = Warning::RebuiltSinceCounted { module: "a".into() };
    assert!(analysis.warnings.contains(&rebuilt), "{:?}", analysis.warnings);
    let again = analysed(vec![surveyed], vec![run(4, with_id("old")), run(5, with_id("new"))]);
    assert!(by_id(&again, 3).work.is_some());
    assert!(!again.warnings.contains(&rebuilt), "{:?}", again.warnings);
    // Counts alone: the newest build is shown, and nothing of the old one.
    let alone = analysed(vec![], vec![run(4, with_id("old")), run(5, with_id("new"))]);
    assert_eq!(alone.counts.as_ref().unwrap().work.instructions, 6700);
    // Without build ids the stored code distinguishes builds.
    let mut other = run(5, counts());
    std::sync::Arc::make_mut(&mut other.code[0].functions).iter_mut().for_each(|stored| stored.id += 100);
    let told = analysed(vec![survey(&[(&[0x220], 60)])], vec![other]);
    assert!(by_id(&told, 3).work.is_none());
}

#[test]
fn an_undescribed_function_still_has_its_totals() {
    let mut bare = run(4, counts());
    bare.code.clear();
    let analysis = analysed(vec![], vec![bare]);
    assert!(analysis.loops.is_empty());
    let names: Vec<(&str, u64)> = (analysis.functions.iter())
        .map(|f| (f.function.as_str(), f.work.as_ref().map_or(0, |work| work.instructions)))
        .collect();
    assert_eq!(names, vec![("main", 6000), ("work", 700)]);
}

#[test]
fn an_end_that_is_not_usual_is_said() {
    let mut cut = counts();
    (cut.signal, cut.exit_status) = (Some(11), 139);
    cut.warnings = vec![Limit::UnknownThread];
    cut.modules[0].functions[0].work.bound_flop = 3;
    let analysis = analysed(vec![], vec![run(4, cut.clone())]);
    assert_eq!(analysis.counts.as_ref().unwrap().outcome, "killed by signal 11 (SIGSEGV)");
    let expected =
        [Limit::UnknownThread.into(), Warning::CountedKilled(End::Killed(11)), Warning::FlopAreBounds];
    for warning in expected {
        assert!(analysis.warnings.contains(&warning), "{warning}: {:?}", analysis.warnings);
    }
    cut.interrupted = true;
    cut.modules[0].functions.clear();
    cut.modules[0].left_alone.clear();
    let timed = analysed(vec![survey(&[(&[0x220], 60)])], vec![run(4, cut.clone())]);
    let reason = by_id(&timed, 3).not_counted.clone();
    assert_eq!(reason, Some(Unmeasured::CutShort(End::Interrupted)));
    assert_eq!(timed.counts.as_ref().unwrap().overhead, None);
    let analysis = analysed(vec![], vec![run(4, cut)]);
    assert!(analysis.counts.as_ref().unwrap().interrupted);
    assert_eq!(analysis.program.outcome, "interrupted");
}

#[test]
fn strange_counts_never_panic() {
    // Every number that a damaged file could hold at its extremes.
    let mut strange = counts();
    for function in &mut strange.modules[0].functions {
        function.work.instructions = u64::MAX;
        function.calls = Some(u64::MAX);
        for l in &mut function.loops {
            (l.entries, l.iterations) = (Some(u64::MAX), u64::MAX);
            l.work.flop = [(ElementType::F64, u64::MAX), (ElementType::F32, u64::MAX)].into();
            (l.work.bytes_loaded, l.work.bytes_stored) = (u64::MAX, u64::MAX);
            (l.work.fma_flop, l.work.packed_flop, l.work.bytes_streamed) = (u64::MAX, u64::MAX, u64::MAX);
            l.trips = Some(TripHistogram {
                min: 9,
                max: 1,
                buckets: vec![(7, 3, 2), (0, 0, 0)],
                approximate: true,
            });
            l.threads.iter_mut().for_each(|thread| thread.thread = 77);
        }
    }
    let analysis = analysed(vec![survey(&[(&[0x220], 60)])], vec![run(4, strange.clone()), run(5, strange)]);
    assert!(by_id(&analysis, 3).work.is_some());
    assert!(serde_json::to_string(&analysis).is_ok());
}

/// A tracing run of the body at 0x210 and the inner loop at 0x40: 8 bytes per instruction counted, 64 bytes of lines per
/// iteration traced.
fn traced(hierarchy: &str) -> Run<Patterns> {
    let mut levels = loopwright_patterns::cache::parse("32K:8+1M:8+64x4096:4:tlb").unwrap();
    levels.name = hierarchy.into();
    let level = |misses| LevelUse { accesses: 1000, misses, ..LevelUse::default() };
    let seen = |function, header| LoopPatterns {
        function,
        header,
        entries: 5,
        bursts: 1,
        iterations: 10,
        footprint: Footprint { all_lines: 10, all_bytes: 320, line_bytes: 64, ..Footprint::default() },
        caches: vec![CacheUse { levels: vec![level(10), level(5), level(1)], iterations: 10 }],
        ..LoopPatterns::default()
    };
    let patterns = Patterns {
        modules: vec![TracedModule { path: "/bin/a".into(), build_id: Some("b1".into()), bias: None }],
        loops: vec![seen(0x200, 0x210), seen(0x10, 0x40)],
        strides: true,
        hierarchies: vec![levels],
        ..Patterns::default()
    };
    let target = Target { command: vec!["./a".into()], executable: "/bin/a".into(), ..Target::default() };
    Run { id: 7, target, facts: patterns, machine: None, code: vec![code()] }
}

#[test]
fn simulated_traffic_meets_counts() {
    let mut counts = counts();
    // The body is innermost and calls nothing; the inner loop of main has more below it than of its own.
    let body = &mut counts.modules[0].functions[1].loops[0];
    body.total_work = body.work.clone();
    let analysed = |hierarchy| {
        let run = run(4, counts.clone());
        crate::analyse(&Facts { counts: vec![run], traced: vec![traced(hierarchy)], ..Facts::default() })
    };
    let analysis = analysed("this machine");
    let body = by_id(&analysis, 3);
    let memory = body.memory.as_ref().unwrap();
    assert_eq!((memory.utilisation, memory.footprint_is_bound), (Some(0.5), false));
    // 500 FLOP in 50 iterations, 64 bytes each; half of that beyond the second level.
    assert_eq!(memory.caches[0][0].intensity, Some((10.0 / 64.0, 10.0 / 64.0)));
    let levels = &body.roofline.as_ref().unwrap().levels;
    let shown: Vec<_> = levels.iter().map(|l| (l.name, l.intensity.unwrap().0)).collect();
    assert_eq!(
        shown,
        [(MemoryLevel::L1, 0.125), (MemoryLevel::L2, 10.0 / 64.0), (MemoryLevel::Dram, 10.0 / 32.0)]
    );
    // The traffic of inner blocks does not belong to the loop's own work.
    let inner = by_id(&analysis, 2);
    assert_eq!(inner.memory.as_ref().unwrap().caches[0][0].intensity, Some((20.0 / 64.0, 20.0 / 64.0)));
    assert!(inner.roofline.as_ref().unwrap().levels.is_empty());
    // Caches that were made up say nothing of this machine.
    let analysis = analysed("32K:8+1M:8");
    let body = by_id(&analysis, 3);
    assert!(body.memory.is_some() && body.roofline.as_ref().unwrap().levels.is_empty());
}
