//! The quick part of `make conformance`: programs must do under the tool what they do without it.

use loopwright_conformance::compiled::compare::{self, Search};
use loopwright_conformance::generator::build::{Kind, level_here};
use loopwright_conformance::generator::make::Recipe;
use loopwright_conformance::hunt::{self, Hunt};
use loopwright_conformance::rows::{Bench, Verdict};
use loopwright_conformance::runner::{Mode, Tool};
use loopwright_conformance::suite;
use loopwright_conformance::tables::Row;
use std::path::PathBuf;
use std::time::Duration;

/// Rows of the tables that are run here: a few of each kind, none that takes long.
const ROWS: [(&str, &[&str]); 3] = [
    ("repros", &[]),
    ("contexts", &[]),
    (
        "openssl",
        &["SHA3-256-31", "SHAKE256-9600", "AES-256-OCB-9600", "AES-256-GCM-9600", "gcm-288", "BLAKE2b512-31"],
    ),
];

fn tool() -> Tool {
    // A guard against programs that hang; nothing here takes a tenth of it.
    let path = PathBuf::from(env!("CARGO_BIN_EXE_loopwright"));
    Tool { path, limit: Duration::from_secs(300), stop: Default::default() }
}

/// Runs generated programs of these seeds, each of which must do the same in all modes.
fn same(first: u64, count: usize, kind: Kind, modes: &[Mode], arguments: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let hunt = Hunt {
        first,
        count,
        batch: 50,
        recipe: Recipe { level: level_here(), ..Recipe::default() },
        kind,
        modes: modes.to_vec(),
        folder: folder.path().to_owned(),
        tool: tool(),
        minimised: 0,
        questions: 0,
        arguments: arguments.iter().map(|a| (*a).to_owned()).collect(),
    };
    let found = hunt::run(&hunt, &mut |_| {}).unwrap();
    assert_eq!(found.unsound, [0u64; 0]);
    assert_eq!(found.compared, count * modes.len());
    let differing: Vec<String> =
        found.differences.iter().map(|d| format!("seed {} {}: {}", d.seed, d.mode.name(), d.what)).collect();
    assert!(
        differing.is_empty(),
        "{}\nrepeat: loopwright-conformance generate --seed N --mode MODE {}",
        differing.join("\n"),
        arguments.iter().map(|a| format!("--driver {a}")).collect::<Vec<_>>().join(" ")
    );
}

#[test]
fn generated_programs_do_the_same_when_they_are_counted() {
    same(1, 200, Kind::Fixed, &[Mode::Counted], &[]);
}

#[test]
fn generated_programs_of_another_day_do_the_same_when_they_are_counted() {
    let day = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .map_or(0, |d| d.as_secs() / 86_400);
    let first = day * 1000;
    println!("seeds from {first}");
    same(first, 50, Kind::Fixed, &[Mode::Counted], &[]);
}

#[test]
fn generated_programs_do_the_same_when_they_are_traced_and_surveyed() {
    same(2001, 40, Kind::Fixed, &[Mode::Traced, Mode::Surveyed], &[]);
}

#[test]
fn generated_programs_do_the_same_in_threads_and_signal_handlers() {
    same(3001, 30, Kind::Fixed, &[Mode::Counted], &["threads=4"]);
    same(4001, 30, Kind::Fixed, &[Mode::Counted], &["tick=500"]);
}

#[test]
fn generated_programs_do_the_same_wherever_they_are_loaded() {
    same(5001, 20, Kind::Pie, &[Mode::Counted], &[]);
    same(6001, 20, Kind::StaticPie, &[Mode::Counted], &[]);
}

/// Compilers keep to no convention in functions whose callers they know.
#[test]
fn compiled_programs_without_conventions_do_the_same_when_they_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let search = Search {
        first: 1,
        count: 12,
        modes: vec![Mode::Counted],
        folder: folder.path().to_owned(),
        tool: tool(),
        jobs: 2,
    };
    let (compared, found) = compare::run(&search, &|_| {}).unwrap();
    let differing: Vec<String> = found.iter().map(|d| format!("seed {}: {}", d.seed, d.what)).collect();
    assert!(compared == search.count && differing.is_empty(), "{}", differing.join("\n"));
}

#[test]
fn small_programs_of_each_class_do_the_same_when_they_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let programs = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../conformance/programs"));
    let bench = Bench {
        tool: tool(),
        folder: folder.path().to_owned(),
        programs: programs.clone(),
        modes: vec![Mode::Counted],
        jobs: 2,
    };
    suite::data(&bench).unwrap();
    let mut differing = Vec::new();
    let mut same = 0;
    for table in suite::tables(&programs).unwrap() {
        let Some((_, names)) = ROWS.iter().find(|(name, _)| *name == table.name) else { continue };
        if let Some(missing) = Bench::missing(&table) {
            assert!(std::env::var_os("LOOPWRIGHT_REQUIRE_ALL").is_none(), "{}: {missing}", table.name);
            println!("skipped: {}: {missing}", table.name);
            continue;
        }
        let mut rows: Vec<Row> =
            bench.prepare(&table).unwrap().unwrap_or_else(|why| panic!("{}: {why}", table.name));
        rows.retain(|row| names.is_empty() || names.contains(&row.name.as_str()));
        for outcome in bench.run(&table, &rows, &|_| {}).unwrap() {
            match outcome.verdict {
                Verdict::Same => same += 1,
                Verdict::Different(what) => differing.push(format!("{}: {what}", outcome.row.name)),
                Verdict::Skipped(why) => println!("skipped: {}: {why}", outcome.row.name),
            }
        }
    }
    assert!(differing.is_empty(), "{}", differing.join("\n"));
    assert!(same >= 8, "only {same} programs were compared");
}
