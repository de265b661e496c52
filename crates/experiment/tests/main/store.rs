//! What goes into an experiment comes out unchanged, and states stay what they were.

use crate::parts::{merge, older_part};
use loopwright_binary::facts::{
    FunctionCode, FunctionInfo, FunctionOrigin, InstructionLine, InstructionMix, LoopCode, LoopRole,
    ModuleFacts, VariableInfo,
};
use loopwright_experiment::{Cost, Error, Experiment, Facts, MachineRecord, Parts, Phase};
use loopwright_instrument::reason::Reason;
use loopwright_machine::Machine;
use loopwright_remarks::remark::{Family, Outcome, Remark};
use loopwright_sample::recording::{
    Frame, Module, ModuleKind, Rank, Recording, Sample, StackNode, Target, Thread,
};
use std::sync::LazyLock;

fn add_survey(experiment: &mut Experiment, recording: &Recording) -> i64 {
    experiment.add(recording, Some(&recording.target), None).unwrap()
}

/// This machine as it is once: its conditions change from moment to moment.
fn machine() -> MachineRecord {
    static MACHINE: LazyLock<Machine> = LazyLock::new(Machine::detect);
    MachineRecord { machine: MACHINE.clone(), ceilings: None, network: None }
}

fn recording(samples: usize, rank: Option<Rank>) -> Recording {
    Recording {
        target: Target { command: vec!["./solver".into(), "-n 3".into()], rank, ..Target::default() },
        threads: vec![Thread { pid: 7, tid: 8, name: "solver".into() }],
        modules: vec![Module {
            path: "/bin/solver".into(),
            kind: ModuleKind::Main,
            build_id: Some("ab".into()),
        }],
        frames: vec![Frame { module: Some(0), address: 0x1234, symbol: None }],
        stacks: vec![StackNode { parent: None, frame: 0 }, StackNode { parent: Some(0), frame: 0 }],
        samples: (0..samples)
            .map(|i| Sample {
                time_ns: i as u64 * 1_000_000,
                thread: 0,
                cpu: (i % 2) as u32,
                stack: (i % 2) as u32,
                weight_ns: 1_000_000,
                kernel: i % 10 == 0,
            })
            .collect(),
        ..Recording::default()
    }
}

fn function(address: u64, loops: u32) -> FunctionCode {
    let one = |index| LoopCode {
        index,
        header: address + u64::from(index),
        ranges: vec![(address, address + 9)],
        parent: None,
        depth: 1,
        innermost: true,
        location: None,
        lines: None,
        inlined_from: Vec::new(),
        role: LoopRole::Whole,
        group: index,
        instructions: 3,
        mix: InstructionMix::default(),
        vectorized: false,
        vector: None,
        types: Vec::new(),
        traits: Vec::new(),
        calls: Vec::new(),
        exits: 1,
        chains: Vec::new(),
        carried: None,
        ends: None,
        followed: Vec::new(),
        counter_stores: Vec::new(),
        keeps_stack: false,
        address_classes: Vec::new(),
        operands: Default::default(),
        constant_trips: None,
        bytes_loaded: 8,
        bytes_stored: 0,
        flop: Default::default(),
        strides: Vec::new(),
        idiom: None,
    };
    FunctionCode {
        function: FunctionInfo {
            name: format!("f{address:x}"),
            linkage_name: None,
            address,
            end: address + 100,
            parts: Vec::new(),
            origin: FunctionOrigin::Symtab,
        },
        location: None,
        producer: None,
        loops: (0..loops).map(one).collect(),
        irreducible: Vec::new(),
        unit: None,
        unresolved_jumps: Vec::new(),
        files: Vec::new(),
        instructions: Vec::new(),
        places: Vec::new(),
        operations: Vec::new(),
        inlined: Default::default(),
        other_stores: None,
    }
}

fn remark(line: u32) -> Remark {
    Remark {
        family: Family::Gcc,
        compiler: "gcc 12.2.0".into(),
        pass: "vect".into(),
        outcome: Outcome::Missed,
        file: "solver.c".into(),
        line,
        column: 3,
        statement: None,
        function: None,
        inlined_at: Vec::new(),
        message: "control flow in loop".into(),
        reason: None,
        vector_bytes: None,
        estimated_gain: None,
    }
}

#[test]
fn a_recording_of_several_chunks_comes_back_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sub/x.lw");
    let original = recording(150_000, None);
    let run = Experiment::create_or_open(&path)
        .unwrap()
        .add(&original, Some(&original.target), Some(&machine()))
        .unwrap();
    let experiment = Experiment::open(&path).unwrap();
    assert_eq!(experiment.collected::<Recording>(run).unwrap(), original);
    assert_eq!(experiment.machine(run).unwrap(), Some(machine()));
    assert_eq!(experiment.runs().unwrap()[0].samples, 150_000);
    assert!(matches!(experiment.collected::<Recording>(99), Err(Error::NoSuch { .. })));
}

#[test]
fn variables_of_one_build_are_those_of_all_runs() {
    let folder = tempfile::tempdir().unwrap();
    let mut experiment = Experiment::create_or_open(&folder.path().join("x.lw")).unwrap();
    let variable = |name: &str, address| VariableInfo { name: name.into(), address, size: 8 };
    let facts = |variables| ModuleFacts { path: "/bin/solver".into(), variables, ..ModuleFacts::default() };
    let mut runs = Vec::new();
    for (build, variables) in [
        ("ab", vec![variable("b", 16)]),
        ("ab", vec![variable("a", 8), variable("b", 16)]),
        ("ab", vec![]),
        ("cd", vec![variable("b", 24)]),
    ] {
        let run = add_survey(&mut experiment, &recording(1, None));
        experiment.add_code(run, 0, build, &facts(variables), &[]).unwrap();
        runs.push(run);
    }
    let all = [variable("a", 8), variable("b", 16)];
    for &run in &runs[..3] {
        assert_eq!(experiment.code(run).unwrap()[0].facts.variables, all);
    }
    assert_eq!(experiment.code(runs[3]).unwrap()[0].facts.variables, [variable("b", 24)], "another build");
}

#[test]
fn loops_keep_their_ids_when_a_function_is_described_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut experiment = Experiment::create_or_open(&folder.path().join("x.lw")).unwrap();
    let facts = ModuleFacts { path: "/bin/solver".into(), ..ModuleFacts::default() };
    let first = add_survey(&mut experiment, &recording(1, None));
    experiment.add_code(first, 0, "ab", &facts, &[function(0x10, 2)]).unwrap();
    let mut listed = function(0x10, 2);
    listed.files = vec!["solver.c".into()];
    listed.instructions = vec![InstructionLine {
        address: 0x10,
        text: "ret".into(),
        file: Some(0),
        line: 3,
        column: 0,
        in_loop: None,
    }];
    experiment.add_code(first, 0, "ab", &facts, &[listed.clone()]).unwrap();
    let before = experiment.code(first).unwrap();
    let second = add_survey(&mut experiment, &recording(1, None));
    experiment.add_code(second, 0, "ab", &facts, &[function(0x10, 2), function(0x400, 1)]).unwrap();
    let after = experiment.code(second).unwrap();
    assert_eq!(before[0].functions[0], after[0].functions[0]);
    assert_eq!(after[0].functions[1].loop_ids, vec![3]);
    let listing = experiment.listing(before[0].functions[0].id).unwrap().unwrap();
    assert_eq!((listing.files, listing.instructions), (listed.files, listed.instructions));
    assert_eq!(experiment.listing(after[0].functions[1].id).unwrap(), None);

    // Another build of the same file is another module.
    let third = add_survey(&mut experiment, &recording(1, None));
    experiment.add_code(third, 0, "cd", &facts, &[function(0x10, 1)]).unwrap();
    assert_eq!(experiment.code(third).unwrap()[0].functions[0].loop_ids, vec![4]);
}

#[test]
fn what_is_done_together_is_there_wholly_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let mut experiment = Experiment::create_or_open(&folder.path().join("e.lw")).unwrap();
    let run = add_survey(&mut experiment, &recording(5, None));
    let texts = |text: &str| [("a.c".to_owned(), text.to_owned())];
    let facts = ModuleFacts { path: "/bin/a".into(), ..ModuleFacts::default() };
    let failed: Result<(), Error> = experiment.together(|experiment| {
        experiment.add_code(run, 0, "ab", &facts, &[function(0x10, 2)])?;
        experiment.add_sources(run, &texts("first"))?;
        Err(Error::Foreign { path: "a reason".into() })
    });
    assert!(failed.is_err());
    assert_eq!(experiment.sources(run).unwrap(), [""; 0]);
    assert!(experiment.code(run).unwrap().is_empty());
    let done: Result<(), Error> = experiment.together(|experiment| {
        experiment.add_code(run, 0, "ab", &facts, &[function(0x10, 2)])?;
        experiment.add_sources(run, &texts("second"))
    });
    done.unwrap();
    assert_eq!(experiment.source(&[run], "a.c").unwrap().as_deref(), Some("second"));
    assert_eq!(experiment.code(run).unwrap().len(), 1);
}

#[test]
fn a_snapshot_does_not_see_later_runs() {
    let folder = tempfile::tempdir().unwrap();
    let mut experiment = Experiment::create_or_open(&folder.path().join("x.lw")).unwrap();
    assert!(matches!(experiment.latest(), Err(Error::Empty { .. })));
    let first = add_survey(&mut experiment, &recording(3, None));
    let remarks = experiment.add(&vec![remark(4)], None, None).unwrap();
    let taken = experiment.take_snapshot("before").unwrap();
    let second = add_survey(&mut experiment, &recording(4, None));
    experiment.add(&vec![remark(5), remark(6)], None, None).unwrap();

    assert_eq!(taken.state.of::<Recording>(), vec![first]);
    let before = experiment.named("before").unwrap();
    assert_eq!((before.of::<Recording>(), before.of::<Vec<Remark>>()), (&[first][..], &[remarks][..]));
    assert_eq!(experiment.remarks(before.of::<Vec<Remark>>()).unwrap(), vec![remark(4)]);
    let latest = experiment.named("latest").unwrap();
    assert_eq!(latest.of::<Recording>(), vec![second]);
    assert_eq!(experiment.remarks(latest.of::<Vec<Remark>>()).unwrap().len(), 3);
    assert_eq!(experiment.named("run:1").unwrap().of::<Recording>(), vec![first]);
    assert!(matches!(experiment.take_snapshot("before"), Err(Error::SnapshotExists { .. })));
    let error = experiment.named("befor").unwrap_err().to_string();
    assert!(error.contains("before, latest"), "{error}");
}

#[test]
fn ranks_write_parts_that_merge_into_one_state() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("job.lw");
    let rank = |rank| Rank { rank, size: 2, launcher: "openmpi".into(), job: "12/34 x".into() };
    // As earlier versions wrote them.
    for number in [1, 0] {
        let mut part = older_part(&path, "job-12_34_x", number);
        let run = add_survey(&mut part, &recording(5, Some(rank(number))));
        let facts = ModuleFacts { path: "/bin/solver".into(), ..ModuleFacts::default() };
        part.add_code(run, 0, "ab", &facts, &[function(0x10, 2)]).unwrap();
        part.add_source(run, "solver.c", "int main;").unwrap();
    }
    assert_eq!(Parts::of_job(&path, "12/34 x").unwrap().complete.len(), 2);
    assert_eq!(Parts::of_job(&path, "another").unwrap(), Parts::default());
    assert_eq!(merge(&path).ranks.len(), 2);
    let whole = Experiment::open(&path).unwrap();
    assert_eq!(Parts::beside(&path).unwrap(), Parts::default());
    let state = whole.latest().unwrap();
    assert_eq!(state.of::<Recording>().len(), 2);
    assert_eq!(whole.source(state.of::<Recording>(), "solver.c").unwrap().as_deref(), Some("int main;"));
    // Both ranks ran the same binary: one set of loops.
    let ids = |run| whole.code(run).unwrap()[0].functions[0].loop_ids.clone();
    assert_eq!(ids(state.of::<Recording>()[0]), ids(state.of::<Recording>()[1]));
    assert!(merge(&path).ranks.is_empty());
}

#[test]
fn damaged_bytes_are_an_error_that_names_the_part() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.lw");
    let run = add_survey(&mut Experiment::create_or_open(&path).unwrap(), &recording(3, None));
    let raw = rusqlite::Connection::open(&path).unwrap();
    raw.execute("UPDATE piece SET packed = x'ff' WHERE name = 'samples'", []).unwrap();
    let error = Experiment::open(&path).unwrap().collected::<Recording>(run).unwrap_err().to_string();
    assert!(error.contains("samples") && error.contains("x.lw"), "{error}");
    raw.execute("UPDATE piece SET packed = x'1234' WHERE name = 'frames'", []).unwrap();
    assert!(matches!(
        Experiment::open(&path).unwrap().collected::<Recording>(run),
        Err(Error::Damaged { .. })
    ));
}

/// Every value with fields says in which form it was written, and one of a newer form is never half understood.
#[test]
fn a_value_of_a_newer_form_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.lw");
    let mut experiment = Experiment::create_or_open(&path).unwrap();
    let run = add_survey(&mut experiment, &recording(3, None));
    let facts = ModuleFacts { path: "/bin/solver".into(), ..ModuleFacts::default() };
    experiment.add_code(run, 0, "ab", &facts, &[function(0x10, 2)]).unwrap();
    let cost = Cost { phase: Phase::Store, seconds: 1.0, cpu_seconds: 1.0, waiting_seconds: None };
    experiment.add_costs(run, &[cost]).unwrap();
    let function = experiment.code(run).unwrap()[0].functions[0].id;
    experiment.take_snapshot("before").unwrap();
    drop(experiment);
    type Reads = fn(&Experiment, i64, i64) -> Result<(), Error>;
    let values: [(&str, &str, Reads); 8] = [
        ("run", "run", |experiment, run, _| experiment.target(run).map(drop)),
        ("run", "run", |experiment, _, _| experiment.runs().map(drop)),
        ("piece WHERE name = 'samples'", "survey", |experiment, run, _| {
            experiment.collected::<Recording>(run).map(drop)
        }),
        ("piece WHERE name = 'costs'", "costs", |experiment, run, _| experiment.costs(&[run]).map(drop)),
        ("module", "module", |experiment, run, _| experiment.code(run).map(drop)),
        ("function", "function", |experiment, run, _| experiment.code(run).map(drop)),
        ("function", "function", |experiment, _, function| experiment.listing(function).map(drop)),
        ("snapshot", "snapshot", |experiment, _, _| experiment.snapshots().map(drop)),
    ];
    let raw = rusqlite::Connection::open(&path).unwrap();
    for (table, what, read) in values {
        let (table, condition) = table.split_once(' ').unwrap_or((table, ""));
        let written = |form: &str| raw.execute(&format!("UPDATE {table} SET form = {form} {condition}"), []);
        let experiment = || Experiment::open(&path).unwrap();
        assert!(read(&experiment(), run, function).is_ok(), "{what}");
        assert!(written("form + 90").unwrap() > 0, "{what}");
        let error = read(&experiment(), run, function).unwrap_err().to_string();
        let says = error.contains("x.lw holds a ") && error.contains("update loopwright");
        assert!(says && error.contains(what) && error.contains("(form 9"), "{error}");
        written("form - 90").unwrap();
    }
}

/// The experiment that the command's tests keep, as format 5 wrote it: a survey, counts, traces, remarks and costs.
#[test]
fn an_experiment_of_format_5_is_upgraded_with_all_it_holds() {
    let kept = concat!(env!("CARGO_MANIFEST_DIR"), "/../loopwright/tests/kept/solver.lw");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.lw");
    std::fs::copy(kept, &path).unwrap();
    let raw = rusqlite::Connection::open(&path).unwrap();
    let version: u32 = raw.query_row("PRAGMA user_version", [], |row| row.get(0)).unwrap();
    assert_eq!(version, 5);
    drop(raw);
    let experiment = Experiment::open(&path).unwrap();
    let kinds: Vec<String> = experiment.runs().unwrap().into_iter().map(|run| run.kind).collect();
    assert_eq!(kinds, ["survey", "counts", "patterns", "remarks"]);
    let facts = Facts::load(&experiment, &experiment.latest().unwrap()).unwrap();
    let (survey, counted, traced) = (&facts.surveys[0], &facts.counts[0], &facts.traced[0]);
    assert_eq!((survey.facts.samples.len(), &survey.facts.target), (93, &survey.target));
    assert!(!survey.facts.clocks.threads.is_empty());
    let command = &survey.target.command;
    assert_eq!((command, command), (&counted.target.command, &traced.target.command));
    assert!(counted.facts.modules.iter().map(|module| module.functions.len()).sum::<usize>() > 2);
    assert_eq!(traced.facts.loops.len(), 5);
    // Reasons were sentences.
    let mut left = counted.facts.modules.iter().flat_map(|module| &module.left_alone);
    assert!(left.all(|left| matches!(left.reason, Reason::Said(_))));
    assert!(facts.machine().is_some_and(|record| record.ceilings.is_some()));
    assert!(!facts.remarks.is_empty() && !facts.costs.is_empty() && !facts.listings.is_empty());
    assert!(facts.code().all(|module| !module.functions.is_empty()));
}
