//! Counting runs in the store: they come back unchanged, join the right survey, merge over ranks and survive upgrades.

use crate::parts::{merge, older_part};
use loopwright_binary::facts::{ElementType, ModuleFacts};
use loopwright_binary::work::Work;
use loopwright_experiment::{Error, Experiment, MachineRecord, State};
use loopwright_instrument::facts::{
    BlockCount, CountedThread, Counts, FunctionCounts, LeftAlone, LoopCounts, ModuleCounts, ThreadLoop,
    ThreadWork, TripHistogram,
};
use loopwright_instrument::reason::{Reason, Refusal, Unclear};
use loopwright_instrument::warning::Warning;
use loopwright_machine::Machine;
use loopwright_remarks::remark::Remark;
use loopwright_sample::recording::{Rank, Recording, Target};
use std::path::Path;
use std::sync::LazyLock;

fn add_survey(experiment: &mut Experiment, recording: &Recording) -> i64 {
    experiment.add(recording, Some(&recording.target), None).unwrap()
}

/// This machine as it is once: its conditions change from moment to moment.
fn machine() -> MachineRecord {
    static MACHINE: LazyLock<Machine> = LazyLock::new(Machine::detect);
    MachineRecord { machine: MACHINE.clone(), ceilings: None, network: None }
}

fn work(instructions: u64) -> Work {
    Work { instructions, flop: [(ElementType::F64, 2 * instructions)].into(), fma_flop: 7, ..Work::default() }
}

/// Functions of one loop each, two threads.
fn counts(functions: u64) -> Counts {
    let function = |at: u64| FunctionCounts {
        address: 0x1000 + at * 0x100,
        name: format!("f{at}"),
        calls: Some(at),
        complete: at.is_multiple_of(2),
        work: work((1 << 20) + at),
        blocks: vec![BlockCount { start: 0x1000 + at, end: 0x1008 + at, executions: (1 << 20) - at }],
        loops: vec![LoopCounts {
            header: 0x1010 + at,
            entries: Some(3),
            iterations: 300,
            trips: Some(TripHistogram { min: 99, max: 101, buckets: vec![(96, 111, 3)], approximate: true }),
            work: work(1500),
            total_work: work(1600),
            threads: vec![ThreadLoop { thread: 1, entries: None, iterations: 300, work: work(1500) }],
        }],
        threads: vec![ThreadWork { thread: 0, calls: Some(1), work: work((1 << 20) + at) }],
    };
    Counts {
        modules: vec![
            ModuleCounts { path: "/lib/nothing.so".into(), instrumented: 4, ..ModuleCounts::default() },
            ModuleCounts {
                path: "/bin/solver".into(),
                build_id: Some("ab".into()),
                functions: (0..functions).map(function).collect(),
                left_alone: vec![LeftAlone {
                    address: 9,
                    function: "g".into(),
                    header: None,
                    reason: Reason::Refused(Refusal::Unclear(Unclear::Overlap)),
                }],
                instrumented: 900,
                in_part: true,
            },
        ],
        threads: vec![CountedThread { process: 7, thread: 7, program: "/bin/solver".into() }; 2],
        warnings: vec![Warning::EntryNotEnded { function: "g".into() }],
        exit_status: 139,
        signal: Some(11),
        interrupted: true,
        cpu_seconds: Some(3.5),
        elapsed_seconds: 1.5,
        setup_seconds: 0.25,
        waiting_seconds: 0.125,
    }
}

fn target(command: &str, rank: Option<Rank>) -> Target {
    Target { command: vec![command.into()], directory: "/home/u".into(), rank, ..Target::default() }
}

fn survey(command: &str, rank: Option<Rank>) -> Recording {
    Recording { target: target(command, rank), ..Recording::default() }
}

fn fresh(folder: &tempfile::TempDir) -> Experiment {
    Experiment::create_or_open(&folder.path().join("x.lw")).unwrap()
}

#[test]
fn counts_of_several_chunks_come_back_whole() {
    let folder = tempfile::tempdir().unwrap();
    let original = counts(600);
    let run = fresh(&folder).add(&original, Some(&target("./solver", None)), Some(&machine())).unwrap();
    let experiment = Experiment::open(&folder.path().join("x.lw")).unwrap();
    assert_eq!(experiment.collected::<Counts>(run).unwrap(), original);
    assert_eq!(experiment.machine(run).unwrap(), Some(machine()));
    assert_eq!(experiment.target(run).unwrap(), target("./solver", None));
    let listed = &experiment.runs().unwrap()[0];
    assert_eq!((listed.kind.as_str(), listed.command.clone()), ("counts", vec!["./solver".to_owned()]));
    assert!(matches!(experiment.collected::<Counts>(run + 1), Err(Error::NoSuch { .. })));
}

fn state(surveys: &[i64], counts: &[i64]) -> State {
    State::default().with::<Recording>(surveys.to_vec()).with::<Counts>(counts.to_vec())
}

#[test]
fn counts_belong_to_the_survey_of_their_command() {
    let folder = tempfile::tempdir().unwrap();
    let mut experiment = fresh(&folder);
    let count =
        |e: &mut Experiment, command: &str| e.add(&counts(1), Some(&target(command, None)), None).unwrap();
    let early = count(&mut experiment, "./a");
    assert_eq!(experiment.latest().unwrap(), state(&[], &[early]));
    let first = add_survey(&mut experiment, &survey("./a", None));
    assert_eq!(experiment.latest().unwrap(), state(&[first], &[early]));
    let other = count(&mut experiment, "./b");
    assert_eq!(experiment.latest().unwrap(), state(&[], &[other]), "another program's survey is not joined");
    let late = count(&mut experiment, "./a");
    assert_eq!(experiment.latest().unwrap(), state(&[first], &[early, late]));
    assert_eq!(experiment.take_snapshot("before").unwrap().state, state(&[first], &[early, late]));
    let second = add_survey(&mut experiment, &survey("./a", None));
    let last = count(&mut experiment, "./a");
    assert_eq!(experiment.named("before").unwrap(), state(&[first], &[early, late]));
    assert_eq!(
        experiment.named("run:2").unwrap(),
        state(&[first], &[early, late]),
        "not those of the next survey"
    );
    assert_eq!(experiment.latest().unwrap(), state(&[second], &[early, late, last]));
    assert_eq!(experiment.state_of(late).unwrap(), state(&[first], &[early, late]));
}

#[test]
fn ranks_deliver_survey_and_counts() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.lw");
    let rank = |rank| Rank { rank, size: 2, launcher: "openmpi".into(), job: "12".into() };
    for number in [0, 1] {
        let mut part = older_part(&path, "job-12", number);
        add_survey(&mut part, &survey("./a", Some(rank(number))));
        let run = part.add(&counts(2), Some(&target("./a", Some(rank(number)))), Some(&machine())).unwrap();
        let facts = ModuleFacts { path: "/bin/solver".into(), ..ModuleFacts::default() };
        part.add_code(run, 1, "ab", &facts, &[]).unwrap();
    }
    assert_eq!(merge(&path).ranks.len(), 2);
    let whole = Experiment::open(&path).unwrap();
    let latest = whole.latest().unwrap();
    assert_eq!((latest.of::<Recording>().len(), latest.of::<Counts>().len()), (2, 2));
    for (number, &run) in latest.of::<Counts>().iter().enumerate() {
        assert_eq!(whole.collected::<Counts>(run).unwrap(), counts(2));
        assert_eq!(whole.target(run).unwrap().rank, Some(rank(number as u32)));
        assert_eq!(whole.machine(run).unwrap(), Some(machine()));
        assert_eq!(whole.code(run).unwrap()[0].position, 1);
    }
}

#[test]
fn an_experiment_of_format_1_is_upgraded_with_all_it_holds() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("old.lw");
    let dump = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/version-1.sql");
    let raw = rusqlite::Connection::open(&path).unwrap();
    raw.execute_batch(&std::fs::read_to_string(dump).unwrap()).unwrap();
    drop(raw);

    let mut experiment = Experiment::open(&path).unwrap();
    let before = experiment.named("before").unwrap();
    assert_eq!(
        (before.of::<Recording>(), before.of::<Counts>(), before.of::<Vec<Remark>>()),
        (&[1][..], &[][..], &[2][..])
    );
    let recording = experiment.collected::<Recording>(1).unwrap();
    assert_eq!((recording.samples.len(), recording.target.command.len()), (3, 2));
    assert_eq!(experiment.code(1).unwrap()[0].functions[0].loop_ids, vec![1, 2]);
    assert_eq!(experiment.source(&[1], "solver.c").unwrap().as_deref(), Some("int main;"));
    let run = experiment.add(&counts(3), Some(&recording.target), None).unwrap();
    drop(experiment);
    let again = Experiment::open(&path).unwrap();
    assert_eq!(again.collected::<Counts>(run).unwrap(), counts(3));
    assert_eq!(again.latest().unwrap().of::<Counts>(), vec![run]);
    assert_eq!(again.named("before").unwrap().of::<Counts>(), Vec::<i64>::new());
}

#[test]
fn damaged_counts_are_an_error_that_names_them() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.lw");
    let run = fresh(&folder).add(&counts(3), Some(&target("./a", None)), None).unwrap();
    let raw = rusqlite::Connection::open(&path).unwrap();
    let packed: Vec<u8> =
        raw.query_row("SELECT packed FROM piece WHERE name = 'functions'", [], |row| row.get(0)).unwrap();
    let error =
        || Experiment::open(&path).unwrap().collected::<Counts>(run).map(|_| ()).unwrap_err().to_string();

    // Every byte of a short prefix and every 7th after it: nothing panics, and what is refused says what it is.
    let mut refused = 0;
    for at in (0..packed.len()).filter(|at| *at < 64 || at % 7 == 0) {
        let mut changed = packed.clone();
        changed[at] ^= 0x55;
        raw.execute("UPDATE piece SET packed = ?1 WHERE name = 'functions'", [&changed]).unwrap();
        if let Err(error) = Experiment::open(&path).unwrap().collected::<Counts>(run) {
            refused += 1;
            assert!(error.to_string().contains("damaged (counts"), "{error}");
        }
    }
    assert!(refused > 20, "{refused}");
    raw.execute("UPDATE piece SET packed = ?1, position = 5 << 32 WHERE name = 'functions'", [&packed])
        .unwrap();
    assert!(error().contains("names a module"), "{}", error());
    raw.execute("UPDATE piece SET packed = x'00' WHERE name = 'run'", []).unwrap();
    assert!(error().contains("x.lw is damaged (counts"), "{}", error());

    let mut strange = counts(1);
    strange.modules[1].functions[0].loops[0].threads[0].thread = 2;
    let run = Experiment::open(&path).unwrap().add(&strange, Some(&target("./a", None)), None).unwrap();
    let error = Experiment::open(&path).unwrap().collected::<Counts>(run).unwrap_err().to_string();
    assert!(error.contains("names a thread"), "{error}");

    let mut endless = counts(1);
    let trips = endless.modules[1].functions[0].loops[0].trips.as_mut().unwrap();
    trips.buckets = vec![(1, 1, u64::MAX), (2, 2, 1)];
    let run = Experiment::open(&path).unwrap().add(&endless, Some(&target("./a", None)), None).unwrap();
    let error = Experiment::open(&path).unwrap().collected::<Counts>(run).unwrap_err().to_string();
    assert!(error.contains("more entries than time allows"), "{error}");
}
