//! Tracing runs in the store: they come back unchanged, join the right survey, merge over ranks and survive upgrades, and
//! what a damaged or hostile file says of them is refused.

use crate::parts::{merge, older_part};
use loopwright_binary::facts::ModuleFacts;
use loopwright_experiment::{Error, Experiment, MachineRecord, State};
use loopwright_instrument::facts::Counts;
use loopwright_instrument::reason::Reason;
use loopwright_instrument::traced::{Patterns, TracedModule, UntracedLoop};
use loopwright_instrument::warning::Warning;
use loopwright_machine::Machine;
use loopwright_patterns::facts::*;
use loopwright_patterns::warning::{CacheLimit, Gap};
use loopwright_sample::recording::{Rank, Recording, Target};
use std::sync::LazyLock;

fn add_survey(experiment: &mut Experiment, recording: &Recording) -> i64 {
    experiment.add(recording, Some(&recording.target), None).unwrap()
}

/// This machine as it is once: its conditions change from moment to moment.
fn machine() -> MachineRecord {
    static MACHINE: LazyLock<Machine> = LazyLock::new(Machine::detect);
    MachineRecord { machine: MACHINE.clone(), ceilings: None, network: None }
}

fn site(module: u32, offset: Option<(u32, i64)>) -> SitePattern {
    let level = |header| LevelStrides {
        module,
        header,
        steps: 299,
        values: vec![(24, 290), (-8, 5)],
        others: 4,
        ascending: 290,
        same_line: 100,
        same_page: 280,
    };
    SitePattern {
        module,
        function: 0x1000,
        address: 0x1014,
        kind: AccessKind::Update,
        size: 8,
        element: 8,
        lanes: 4,
        executions: 300,
        bytes: 2400,
        strides: vec![level(0x1010), level(0x1004)],
        low: u64::MAX - 10,
        high: u64::MAX,
        offset,
        lane_steps: Some(LaneSteps { values: vec![(8, 3)], others: 1, active: 9, ..LaneSteps::default() }),
        example: u64::MAX - 4,
        ..SitePattern::default()
    }
}

fn traced(header: u64) -> LoopPatterns {
    let edge = |distance| Edge { distance, sink_offset: 4, count: 7, ..Edge::default() };
    LoopPatterns {
        module: 1,
        function: 0x1000,
        header,
        entries: 3,
        joined: 1,
        iterations: 300,
        bursts: 2,
        sites: vec![site(1, None), site(0, Some((0, -16)))],
        dependences: vec![Dependence {
            kind: DependenceKind::Anti,
            source: 1,
            sink: 0,
            edges: vec![edge(1), edge(19)],
            others: 2,
            exposed: 1,
            scalar: true,
            callee_frame: false,
            example: u64::MAX,
        }],
        checked: Some(Checked { iterations: 296, entries: 4, longest: 100, forgotten: 0 }),
        footprint: Footprint {
            bytes: 2400,
            lines: 38,
            pages: 1,
            all_lines: 40,
            all_bytes: 2500,
            line_bytes: 64,
            is_bound: true,
            arrays: vec![Array { low: 5, high: 99, lines: 2, bytes: 94, sites: vec![1, 0] }],
        },
        caches: vec![CacheUse {
            levels: vec![LevelUse {
                accesses: 300,
                misses: 38,
                unknown: 2,
                estimated_misses: 39,
                first_uses: 1,
                write_backs: 30,
                streamed: 0,
            }],
            iterations: 300,
        }],
        reuse: Some(ReuseHistogram {
            line_bytes: 64,
            buckets: vec![(0, 0, 200), (16, 19, 60)],
            first: 40,
            forgotten: 3,
            same: 200,
            carriers: vec![(1, 0x1010, 200, 0), (0, 0, 60, 1020)],
        }),
        aliasing: vec![AliasingUse { store: 1, load: 0, count: 9, offset: 16 }],
        sharing: Some(Sharing {
            windows: 2,
            false_lines: 1,
            false_accesses: 20,
            accesses: 300,
            examples: vec![SharedLine {
                address: 0x7f00,
                accesses: 20,
                users: vec![(0, 1, 0, 7, true), (1, 0, 8, 15, false)],
            }],
            ..Sharing::default()
        }),
        nodes: vec![(0, 1, 300)],
        branches: vec![BranchUse {
            module: 1,
            function: 0x1000,
            address: 0x1030,
            executed: 300,
            taken: 290,
            predicted: 200,
            mispredicted: 9,
        }],
        calls: vec![UntracedCall { address: 9, target: Some("exp".into()), count: 300, modelled: true }],
        gaps: vec![Gap::NoRoom { address: 0x1018 }],
    }
}

fn patterns(loops: u64) -> Patterns {
    let level =
        CacheGeometry { name: "L1".into(), lines: 512, line_bytes: 64, ways: 8, ..CacheGeometry::default() };
    Patterns {
        modules: vec![
            TracedModule { path: "/lib/libm.so.6".into(), build_id: None, bias: None },
            TracedModule { path: "/bin/solver".into(), build_id: Some("ab".into()), bias: None },
        ],
        loops: (0..loops).map(|n| traced(0x1010 + n)).collect(),
        untraced: vec![UntracedLoop { module: "/bin/solver".into(), header: 5, reason: Reason::NotTraced }],
        exhaustive: true,
        strides: true,
        dependences: true,
        bursts: 12,
        accesses: 34_567,
        trace_bytes: 64 << 20,
        hierarchies: vec![Hierarchy { name: "this machine".into(), levels: vec![level] }],
        predictor: Some(Predictor {
            kind: PredictorKind::Tage,
            bits: 128 << 10,
            tables: 7,
            longest_history: 130,
        }),
        nodes: 2,
        threads: 4,
        warnings: vec![Warning::Caches(CacheLimit::NoTlb), Warning::TraceFull],
        exit_status: 139,
        signal: Some(11),
        interrupted: true,
        elapsed_seconds: 1.5,
        setup_seconds: 0.25,
        waiting_seconds: 0.125,
        analysis_seconds: 0.5,
    }
}

fn target(command: &str, rank: Option<Rank>) -> Target {
    Target { command: vec![command.into()], directory: "/home/u".into(), rank, ..Target::default() }
}

fn survey(command: &str) -> Recording {
    Recording { target: target(command, None), ..Recording::default() }
}

fn fresh(folder: &tempfile::TempDir) -> Experiment {
    Experiment::create_or_open(&folder.path().join("x.lw")).unwrap()
}

#[test]
fn a_tracing_run_comes_back_whole() {
    let folder = tempfile::tempdir().unwrap();
    let original = patterns(40);
    let run = fresh(&folder).add(&original, Some(&target("./solver", None)), Some(&machine())).unwrap();
    let experiment = Experiment::open(&folder.path().join("x.lw")).unwrap();
    assert_eq!(experiment.collected::<Patterns>(run).unwrap(), original);
    assert_eq!(experiment.machine(run).unwrap(), Some(machine()));
    assert_eq!(experiment.target(run).unwrap(), target("./solver", None));
    let listed = &experiment.runs().unwrap()[0];
    assert_eq!((listed.kind.as_str(), listed.command.clone()), ("patterns", vec!["./solver".to_owned()]));
    assert!(matches!(experiment.collected::<Patterns>(run + 1), Err(Error::NoSuch { .. })));
    assert!(matches!(experiment.collected::<Counts>(run), Err(Error::NoSuch { .. })), "they are no counts");
}

fn state(surveys: &[i64], counts: &[i64], patterns: &[i64]) -> State {
    let state = State::default().with::<Recording>(surveys.to_vec()).with::<Counts>(counts.to_vec());
    state.with::<Patterns>(patterns.to_vec())
}

#[test]
fn traces_belong_to_the_survey_of_their_command() {
    let folder = tempfile::tempdir().unwrap();
    let mut experiment = fresh(&folder);
    let trace =
        |e: &mut Experiment, command: &str| e.add(&patterns(1), Some(&target(command, None)), None).unwrap();
    let first = add_survey(&mut experiment, &survey("./a"));
    let counted = experiment.add(&Counts::default(), Some(&target("./a", None)), None).unwrap();
    let map = trace(&mut experiment, "./a");
    assert_eq!(experiment.latest().unwrap(), state(&[first], &[counted], &[map]));
    let other = trace(&mut experiment, "./b");
    assert_eq!(
        experiment.latest().unwrap(),
        state(&[], &[], &[other]),
        "another program's survey is not joined"
    );
    let dependencies = trace(&mut experiment, "./a");
    let before = state(&[first], &[counted], &[map, dependencies]);
    assert_eq!(experiment.take_snapshot("before").unwrap().state, before);
    let second = add_survey(&mut experiment, &survey("./a"));
    let last = trace(&mut experiment, "./a");
    assert_eq!(experiment.named("before").unwrap(), before);
    assert_eq!(experiment.named("run:1").unwrap(), before, "not those of the next survey");
    assert_eq!(experiment.state_of(map).unwrap(), state(&[first], &[counted], &[map]));
    assert_eq!(experiment.latest().unwrap(), state(&[second], &[counted], &[map, dependencies, last]));
}

#[test]
fn ranks_deliver_their_traces_with_code_and_sources() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.lw");
    let rank = |rank| Rank { rank, size: 2, launcher: "openmpi".into(), job: "12".into() };
    for number in [0, 1] {
        let mut part = older_part(&path, "job-12", number);
        let run = part.add(&patterns(2), Some(&target("./a", Some(rank(number)))), Some(&machine())).unwrap();
        let facts = ModuleFacts { path: "/bin/solver".into(), ..ModuleFacts::default() };
        part.add_code(run, 1, "ab", &facts, &[]).unwrap();
        part.add_source(run, "solver.c", "int main;").unwrap();
    }
    assert_eq!(merge(&path).ranks.len(), 2);
    let whole = Experiment::open(&path).unwrap();
    let latest = whole.latest().unwrap();
    assert_eq!(latest.of::<Patterns>().len(), 2);
    for (number, &run) in latest.of::<Patterns>().iter().enumerate() {
        assert_eq!(whole.collected::<Patterns>(run).unwrap(), patterns(2));
        assert_eq!(whole.target(run).unwrap().rank, Some(rank(number as u32)));
        assert_eq!(whole.machine(run).unwrap(), Some(machine()));
        assert_eq!(whole.code(run).unwrap()[0].position, 1);
        assert_eq!(whole.source(&[run], "solver.c").unwrap().as_deref(), Some("int main;"));
    }
}

/// Keys that came without a new form are absent in what earlier versions wrote.
#[test]
fn a_loop_of_a_version_without_branches_is_read() {
    let mut stored = serde_json::to_value(traced(0x1010)).unwrap();
    assert!(stored.as_object_mut().unwrap().remove("branches").is_some());
    let read: LoopPatterns = serde_json::from_value(stored).unwrap();
    assert_eq!(read, LoopPatterns { branches: Vec::new(), ..traced(0x1010) });
    let mut run = serde_json::to_value(patterns(0)).unwrap();
    assert!(run.as_object_mut().unwrap().remove("predictor").is_some());
    let read: Patterns = serde_json::from_value(run).unwrap();
    assert_eq!(read, Patterns { predictor: None, ..patterns(0) });
}

#[test]
fn damaged_traces_are_an_error_that_names_them() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.lw");
    let run = fresh(&folder).add(&patterns(1), Some(&target("./a", None)), None).unwrap();
    let raw = rusqlite::Connection::open(&path).unwrap();
    let packed: Vec<u8> =
        raw.query_row("SELECT packed FROM piece WHERE name = 'loops'", [], |row| row.get(0)).unwrap();
    // Every byte of a short prefix and every 7th after it: nothing panics, and what is refused says what it is.
    let mut refused = 0;
    for at in (0..packed.len()).filter(|at| *at < 64 || at % 7 == 0) {
        let mut changed = packed.clone();
        changed[at] ^= 0x55;
        raw.execute("UPDATE piece SET packed = ?1 WHERE name = 'loops'", [&changed]).unwrap();
        if let Err(error) = Experiment::open(&path).unwrap().collected::<Patterns>(run) {
            refused += 1;
            assert!(error.to_string().contains("damaged (patterns"), "{error}");
        }
    }
    assert!(refused > 20, "{refused}");
    raw.execute("UPDATE piece SET packed = x'00' WHERE name = 'run'", []).unwrap();
    let error = Experiment::open(&path).unwrap().collected::<Patterns>(run).unwrap_err().to_string();
    assert!(error.contains("x.lw is damaged (patterns"), "{error}");
}

/// A change to a run of one loop, and a part of the sentence that refuses it.
type Lie = (&'static str, fn(&mut Patterns));

#[test]
fn what_readers_rely_on_is_checked() {
    const LIES: &[Lie] = &[
        ("names a module", |p| p.loops[0].module = 2),
        ("names a module", |p| p.loops[0].sites[1].module = 7),
        ("names a module", |p| p.loops[0].sites[0].strides[1].module = u32::MAX),
        ("names a module", |p| p.loops[0].reuse.as_mut().unwrap().carriers[1].0 = 2),
        ("names a module", |p| p.loops[0].branches[0].module = 2),
        ("names an operand", |p| p.loops[0].sites[1].offset = Some((2, 0))),
        ("names an operand", |p| p.loops[0].dependences[0].source = 2),
        ("names an operand", |p| p.loops[0].dependences[0].sink = u32::MAX),
        ("names an operand", |p| p.loops[0].footprint.arrays[0].sites.push(2)),
        ("names an operand", |p| p.loops[0].sharing.as_mut().unwrap().examples[0].users[1].1 = 2),
        ("names an operand", |p| p.loops[0].aliasing[0].load = 2),
        ("names a cache", |p| p.loops[0].caches.push(CacheUse::default())),
        ("names a cache", |p| p.loops[0].caches[0].levels.push(LevelUse::default())),
        ("ends before", |p| p.loops[0].sites[0].high = 0),
        ("ends before", |p| p.loops[0].footprint.arrays[0].low = 100),
        ("ends before", |p| p.loops[0].reuse.as_mut().unwrap().buckets[1].1 = 3),
        ("than time allows", |p| p.loops[0].iterations = u64::MAX),
        ("than time allows", |p| p.loops[0].sites[0].executions = u64::MAX),
        ("than time allows", |p| p.loops[0].sites[0].strides[0].values[1].1 = u64::MAX),
        ("than time allows", |p| p.loops[0].sites[0].lane_steps.as_mut().unwrap().active = u64::MAX),
        ("than time allows", |p| p.loops[0].dependences[0].edges[0].count = u64::MAX),
        ("than time allows", |p| p.loops[0].dependences[0].edges[0].distance = u64::MAX),
        ("than time allows", |p| p.loops[0].checked.as_mut().unwrap().longest = u64::MAX),
        ("than time allows", |p| p.loops[0].footprint.arrays[0].bytes = u64::MAX),
        ("than time allows", |p| p.loops[0].caches[0].levels[0].unknown = u64::MAX),
        ("than time allows", |p| p.loops[0].caches[0].iterations = u64::MAX),
        ("than time allows", |p| p.loops[0].reuse.as_mut().unwrap().first = u64::MAX),
        ("than time allows", |p| p.loops[0].reuse.as_mut().unwrap().carriers[0].3 = u64::MAX),
        ("than time allows", |p| p.loops[0].sharing.as_mut().unwrap().examples[0].accesses = u64::MAX),
        ("than time allows", |p| p.loops[0].aliasing[0].count = u64::MAX),
        ("than time allows", |p| p.loops[0].branches[0].executed = u64::MAX),
        ("than it ran", |p| p.loops[0].branches[0].taken = 301),
        ("than it ran", |p| p.loops[0].branches[0].predicted = 301),
        ("than it ran", |p| p.loops[0].branches[0].mispredicted = 201),
        ("than time allows", |p| p.loops[0].nodes[0].2 = u64::MAX),
        ("than time allows", |p| p.loops[0].calls[0].count = u64::MAX),
        ("than time allows", |p| p.accesses = u64::MAX),
        ("larger than memory", |p| p.hierarchies[0].levels[0].lines = u64::MAX),
        ("more simulated caches", |p| p.hierarchies = vec![Hierarchy::default(); 1000]),
    ];
    let folder = tempfile::tempdir().unwrap();
    let mut experiment = fresh(&folder);
    for (at, (sentence, lie)) in LIES.iter().enumerate() {
        let mut strange = patterns(1);
        lie(&mut strange);
        let run = experiment.add(&strange, Some(&target("./a", None)), None).unwrap();
        let error = experiment.collected::<Patterns>(run).unwrap_err().to_string();
        assert!(error.contains(sentence), "{at}: {error}");
    }
}
