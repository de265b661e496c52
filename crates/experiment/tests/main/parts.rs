//! Ranks of jobs: they announce themselves, deliver parts, and whoever merges describes what they touched, once for all.

use crate::synthetic::{deliver, rank, varied};
use loopwright_binary::image::{DebugSearch, Images};
use loopwright_experiment::{
    Awaiting, Describing, Error, Experiment, MachineRecord, Merged, Part, Parts, Turn, Wanted, part_path,
};
use loopwright_machine::Machine;
use loopwright_sample::recording::{Frame, Module, ModuleKind, Recording, Sample, StackNode, Target, Thread};
use loopwright_testprograms::{Recipe, available};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// A part as versions before this form wrote it: an experiment.
pub fn older_part(experiment: &Path, job: &str, rank: u32) -> Experiment {
    let mut parts = experiment.as_os_str().to_owned();
    parts.push(".parts");
    Experiment::create_or_open(&PathBuf::from(parts).join(job).join(format!("rank-{rank}.lw"))).unwrap()
}

/// Merges what is beside an experiment.
pub fn merge(experiment: &Path) -> Merged {
    let images = Images::new(DebugSearch::system());
    let roots = [PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../testprograms"))];
    let how = Describing { images: &images, roots: &roots, progress: &|_, _| {} };
    Experiment::merge_parts(experiment, &how).unwrap()
}

fn machine() -> &'static MachineRecord {
    static MACHINE: LazyLock<MachineRecord> =
        LazyLock::new(|| MachineRecord { machine: Machine::detect(), ceilings: None, network: None });
    &MACHINE
}

/// A recording of `program`, with frames in the first functions of its code; half of them in one function only.
fn recording(program: &Path) -> Recording {
    let images = Images::new(DebugSearch::system());
    let image = images.open(program).unwrap();
    let functions = image.functions().iter().filter(|function| !image.is_linkage_stub(function.address));
    let addresses: Vec<u64> = functions.map(|function| function.address).take(40).collect();
    let frames: Vec<Frame> =
        addresses.into_iter().map(|address| Frame { module: Some(0), address, symbol: None }).collect();
    let stacks: Vec<StackNode> =
        (0..frames.len() as u32).map(|frame| StackNode { parent: frame.checked_sub(1), frame }).collect();
    let sample = |i: u32| Sample {
        time_ns: u64::from(i) * 10_000_000,
        thread: 0,
        cpu: 0,
        stack: i % stacks.len() as u32,
        weight_ns: 10_000_000,
        kernel: false,
    };
    let build_id = image.facts().build_id.clone();
    Recording {
        target: Target { command: vec!["./halo".into()], directory: "/home/u".into(), ..Target::default() },
        threads: vec![Thread { pid: 1000, tid: 1000, name: "halo".into() }],
        modules: vec![Module { path: program.display().to_string(), kind: ModuleKind::Main, build_id }],
        samples: (0..100).map(sample).collect(),
        frames,
        stacks,
        ..Recording::default()
    }
}

/// A program, alone in a folder.
fn program(folder: &Path, name: &str, flags: &str) -> Option<PathBuf> {
    let built = available(Recipe::of("serial").flag_set(flags).build())?;
    let path = folder.join(name);
    std::fs::copy(&built.path, &path).unwrap();
    Some(path)
}

fn survey(recording: &Recording, job: &str, number: u32, size: u32) -> Recording {
    varied(recording, rank(job, number, size))
}

#[test]
fn what_ranks_share_is_stored_once_and_their_own_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    let Some(program) = program(folder.path(), "halo", "O2") else { return };
    let path = folder.path().join("job.lw");
    let model = recording(&program);
    let surveys: Vec<Recording> = (0..4).map(|number| survey(&model, "1/2 x", number, 4)).collect();
    for survey in surveys.iter().rev() {
        let number = survey.target.rank.clone().unwrap();
        let part = deliver(&path, survey, machine());
        assert_eq!(part, part_path(&path, &number));
        assert!(part.metadata().unwrap().len() < 8192, "{}", part.metadata().unwrap().len());
    }
    assert_eq!(Parts::of_job(&path, "1/2 x").unwrap().complete.len(), 4);
    assert_eq!(Parts::of_job(&path, "another").unwrap(), Parts::default());
    let merged = merge(&path);
    assert_eq!(merged.ranks.iter().map(|rank| rank.rank).collect::<Vec<_>>(), [0, 1, 2, 3]);
    assert!(!folder.path().join("job.lw.parts").exists(), "merged parts are gone");
    let whole = Experiment::open(&path).unwrap();
    let runs = whole.latest().unwrap().of::<Recording>().to_vec();
    assert_eq!(runs.len(), 4);
    for (run, survey) in runs.iter().zip(&surveys) {
        assert_eq!(&whole.collected::<Recording>(*run).unwrap(), survey);
        assert_eq!(whole.machine(*run).unwrap().as_ref(), Some(machine()));
        let code = whole.code(*run).unwrap();
        assert_eq!(code.len(), 1);
        assert!(code[0].functions.len() >= 5, "{}", code[0].functions.len());
        assert_eq!(code, whole.code(runs[0]).unwrap());
        let listed = code[0].functions.iter().filter(|f| whole.listing(f.id).unwrap().is_some());
        assert!(listed.count() > 0);
    }
    let sources: Vec<String> = runs.iter().flat_map(|run| whole.sources(*run).unwrap()).collect();
    assert_eq!(sources.iter().filter(|path| path.ends_with("serial.c")).count(), 1, "{sources:?}");
    let source = sources.iter().find(|path| path.ends_with("serial.c")).unwrap();
    assert!(whole.source(&runs, source).unwrap().is_some_and(|text| text.contains("main")));
    drop(whole);
    let raw = rusqlite::Connection::open(&path).unwrap();
    let count = |table: &str| {
        raw.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get::<_, u32>(0)).unwrap()
    };
    assert_eq!((count("shared"), count("module"), count("run"), count("run_module")), (2, 1, 4, 4));
    // The machine and the modules' names.
}

#[test]
fn a_thousand_ranks_are_merged_and_counted_exactly() {
    let folder = tempfile::tempdir().unwrap();
    let Some(program) = program(folder.path(), "halo", "O2") else { return };
    let path = folder.path().join("job.lw");
    let model = recording(&program);
    for number in 0..1000 {
        deliver(&path, &survey(&model, "7", number, 1000), machine());
    }
    assert_eq!(merge(&path).ranks.len(), 1000);
    let whole = Experiment::open(&path).unwrap();
    let state = whole.latest().unwrap();
    let runs = state.of::<Recording>();
    assert_eq!(runs.len(), 1000);
    let ranks: Vec<Option<u32>> = whole.runs().unwrap().iter().map(|run| run.rank).collect();
    assert_eq!(ranks, (0..1000).map(Some).collect::<Vec<_>>());
    let samples: u64 = whole.runs().unwrap().iter().map(|run| run.samples).sum();
    assert_eq!(samples, 100_000);
    let facts = loopwright_experiment::Facts::load(&whole, &state).unwrap();
    assert_eq!(facts.surveys.iter().map(|run| run.facts.samples.len()).sum::<usize>(), 100_000);
    assert_eq!(facts.surveys[777].facts, survey(&model, "7", 777, 1000));
}

/// Two jobs end at the same time, and `show` merges meanwhile: nothing is lost, nothing is there twice.
#[test]
fn several_merge_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let Some(program) = program(folder.path(), "halo", "O2") else { return };
    let path = folder.path().join("job.lw");
    let model = recording(&program);
    std::thread::scope(|scope| {
        for job in ["1", "2", "3"] {
            let (path, model) = (&path, &model);
            scope.spawn(move || {
                for number in 0..20 {
                    deliver(path, &survey(model, job, number, 20), machine());
                    merge(path);
                }
            });
        }
    });
    merge(&path);
    let whole = Experiment::open(&path).unwrap();
    let mut runs: Vec<_> = whole.runs().unwrap().into_iter().map(|run| (run.job, run.rank)).collect();
    runs.sort();
    let all =
        ["1", "2", "3"].into_iter().flat_map(|job| (0..20).map(move |n| (Some(job.to_owned()), Some(n))));
    assert_eq!(runs, all.collect::<Vec<_>>());
    assert!(!folder.path().join("job.lw.parts").exists());
}

#[test]
fn whoever_is_killed_before_it_removes_the_parts_leaves_no_second_runs() {
    let folder = tempfile::tempdir().unwrap();
    let Some(program) = program(folder.path(), "halo", "O2") else { return };
    let path = folder.path().join("job.lw");
    let model = recording(&program);
    let part = deliver(&path, &survey(&model, "1", 0, 1), machine());
    let bytes = std::fs::read(&part).unwrap();
    merge(&path);
    std::fs::create_dir_all(part.parent().unwrap()).unwrap();
    std::fs::write(&part, bytes).unwrap();
    merge(&path);
    assert_eq!(Experiment::open(&path).unwrap().runs().unwrap().len(), 1);
    // A launcher that gives the same name again begins another job.
    deliver(&path, &survey(&model, "1", 0, 2), machine());
    merge(&path);
    deliver(&path, &survey(&model, "1", 1, 2), machine());
    merge(&path);
    let whole = Experiment::open(&path).unwrap();
    let jobs: Vec<_> = whole.runs().unwrap().into_iter().map(|run| (run.job.unwrap(), run.rank)).collect();
    let named = |job: &str, rank| (job.to_owned(), Some(rank));
    assert_eq!(jobs, [named("1", 0), named("1#2", 0), named("1#2", 1)]);
    assert_eq!(whole.latest().unwrap().of::<Recording>(), [2, 3]);
}

#[test]
fn a_damaged_part_stays_and_keeps_no_other_from_being_merged() {
    let folder = tempfile::tempdir().unwrap();
    let Some(program) = program(folder.path(), "halo", "O2") else { return };
    let path = folder.path().join("job.lw");
    let model = recording(&program);
    let damaged = deliver(&path, &survey(&model, "1", 0, 2), machine());
    let bytes = std::fs::read(&damaged).unwrap();
    std::fs::write(&damaged, &bytes[..bytes.len() / 2]).unwrap();
    deliver(&path, &survey(&model, "1", 1, 2), machine());
    let merged = merge(&path);
    assert_eq!(merged.ranks.len(), 1);
    assert!(matches!(merged.unreadable.as_slice(), [Error::Damaged { path, .. }] if *path == damaged));
    assert!(damaged.exists());
    std::fs::write(&damaged, &bytes).unwrap();
    assert_eq!(merge(&path).ranks.len(), 1);
    assert_eq!(Experiment::open(&path).unwrap().runs().unwrap().len(), 2);
}

/// Ranks of a job may run different programs, and parts may be merged where these are not.
#[test]
fn code_is_known_where_the_binary_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let (Some(one), Some(two)) =
        (program(folder.path(), "ocean", "O2"), program(folder.path(), "ice", "O3-native"))
    else {
        return;
    };
    let (ocean, ice) = (recording(&one), recording(&two));
    assert_ne!(ocean.modules[0].build_id, ice.modules[0].build_id);
    let images = Images::new(DebugSearch::system());
    let how = Describing { images: &images, roots: &[], progress: &|_, _| {} };
    for node_describes in [true, false] {
        let path = folder.path().join(format!("{node_describes}.lw"));
        for (number, model) in [&ocean, &ice].into_iter().enumerate() {
            let recording = survey(model, "1", number as u32, 2);
            let rank = recording.target.rank.clone().unwrap();
            let mut part = Part::begin(&path, &rank, machine()).unwrap();
            let run = part.add(&recording, &recording.target);
            part.want(run, Wanted::of_survey(&recording));
            let delivered = part.deliver().unwrap();
            if number == 1 && node_describes {
                delivered.describe_node(&how).unwrap();
            }
        }
        let (aside, away) = (folder.path().join("aside"), [&one, &two]);
        for file in away {
            std::fs::rename(file, aside.with_extension(file.file_name().unwrap())).unwrap();
        }
        merge(&path);
        for file in away {
            std::fs::rename(aside.with_extension(file.file_name().unwrap()), file).unwrap();
        }
        let whole = Experiment::open(&path).unwrap();
        let code = [1, 2].map(|run| whole.code(run).unwrap().remove(0));
        assert_eq!(
            code.each_ref().map(|module| module.facts.path.clone()),
            [&one, &two].map(|p| p.display().to_string())
        );
        for module in &code {
            assert_eq!(module.functions.is_empty(), !node_describes, "{node_describes}");
            assert_eq!(module.facts.warnings.is_empty(), node_describes, "{:?}", module.facts.warnings);
        }
    }
    // With the binaries both are described here, each as itself.
    let path = folder.path().join("here.lw");
    for (number, model) in [&ocean, &ice, &ocean].into_iter().enumerate() {
        deliver(&path, &survey(model, "1", number as u32, 3), machine());
    }
    merge(&path);
    let whole = Experiment::open(&path).unwrap();
    let code = [1, 2, 3].map(|run| whole.code(run).unwrap().remove(0));
    assert_eq!(code[0], code[2]);
    assert_ne!(code[0].functions, code[1].functions);
}

/// Only ranks 1, 3 and 5 of a large job are collected.
#[test]
fn the_lowest_of_those_that_are_collected_waits_and_merges() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("job.lw");
    let begin = |number| Part::begin(&path, &rank("1", number, 4096), machine()).unwrap();
    let (one, three, five) = (begin(1), begin(3), begin(5));
    let unfinished = Parts::beside(&path).unwrap().unfinished;
    assert_eq!(unfinished.iter().map(|awaited| awaited.rank).collect::<Vec<_>>(), [1, 3, 5]);
    assert!(unfinished.iter().all(|awaited| awaited.state == Awaiting::Runs));
    let mut three = three.deliver().unwrap();
    assert_eq!(three.turn().unwrap(), Turn::Leave);
    drop(three);
    let mut one = one.deliver().unwrap();
    assert_eq!(one.turn().unwrap(), Turn::Wait(1));
    // It never starts its program.
    drop(five);
    assert_eq!(one.turn().unwrap(), Turn::Merge);
    assert_eq!(merge(&path).ranks.len(), 2);
    drop(one);
    assert!(!folder.path().join("job.lw.parts").exists());
}

/// A rank that was killed is not waited for; it is named once.
#[test]
fn a_killed_rank_is_seen_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("job.lw");
    let mut zero = Part::begin(&path, &rank("1", 0, 2), machine()).unwrap().deliver().unwrap();
    let job = zero.path().parent().unwrap().to_owned();
    // The announcement of rank 1, from a process that has ended.
    let own = std::fs::read_dir(&job).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let own = own.into_iter().find(|name| name.ends_with(".expected")).unwrap();
    let (node, _) = own.strip_prefix("rank-0.").unwrap().split_once('-').unwrap();
    std::fs::write(job.join(format!("rank-1.{node}-4194305-1.expected")), "").unwrap();
    assert_eq!(zero.turn().unwrap(), Turn::Merge);
    let left = Parts::beside(&path).unwrap();
    assert_eq!(
        left.unfinished.iter().map(|a| (a.rank, a.state)).collect::<Vec<_>>()[1],
        (1, Awaiting::Ended)
    );
    // One of another node is waited for while it renews its announcement.
    std::fs::write(job.join("rank-2.0123456789abcdef-5-1.expected"), "").unwrap();
    assert_eq!(zero.turn().unwrap(), Turn::Wait(1));
    std::fs::remove_file(job.join("rank-2.0123456789abcdef-5-1.expected")).unwrap();
    assert_eq!(zero.turn().unwrap(), Turn::Merge);
    merge(&path);
    left.forget_ended();
    drop(zero);
    assert!(!folder.path().join("job.lw.parts").exists());
}

/// The ranks of a node describe their binaries where another node merges.
#[test]
fn the_first_rank_of_a_further_node_describes_when_its_neighbours_have_delivered() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("job.lw");
    let four = Part::begin(&path, &rank("1", 4, 8), machine()).unwrap();
    let five = Part::begin(&path, &rank("1", 5, 8), machine()).unwrap();
    let job = part_path(&path, &rank("1", 4, 8)).parent().unwrap().to_owned();
    let far = job.join("rank-0.0123456789abcdef-5-1.expected");
    std::fs::write(&far, "").unwrap();
    let mut four = four.deliver().unwrap();
    assert_eq!(four.turn().unwrap(), Turn::Wait(1), "its neighbour runs");
    let mut five = five.deliver().unwrap();
    assert_eq!(five.turn().unwrap(), Turn::Leave);
    drop(five);
    assert_eq!(four.turn().unwrap(), Turn::Describe);
    // Rank 0 has ended: no lower one is left.
    std::fs::remove_file(far).unwrap();
    assert_eq!(four.turn().unwrap(), Turn::Merge);
}
