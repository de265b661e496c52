//! Whole runs of a case that is written here, with the available compilers.

use crate::case_files::GOOD;
use loopwright_casebook::Error;
use loopwright_casebook::advice::Workbench;
use loopwright_casebook::case::Case;
use loopwright_casebook::compilers::{self, Family};
use loopwright_casebook::measure::Rounds;
use loopwright_casebook::record::CaseRecord;
use loopwright_casebook::run::{Host, Input, Options, program, run};
use loopwright_casebook::throughput::{measure, splits};
use loopwright_machine::Machine;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

const DRIVER: &str = r#"
#include "case.h"
double sum(const double *a, long n);
int main(int argc, char **argv)
{
    long n = case_option(argc, argv, "--n", 10);
    double *a = case_memory((size_t)n, sizeof *a);
    for (long i = 0; i < n; i++)
        a[i] = (double)i;
    double start = case_seconds();
    double result = sum(a, n);
    double end = case_seconds();
    /* Three additions may end within one tick of a coarse clock, and no time has no ratio. */
    while (end <= start)
        end = case_seconds();
    case_print("seconds", end - start);
    case_print("flop", (double)n);
    case_print("sum", result);
    return 0;
}
"#;
const PLAIN: &str = "double sum(const double *a, long n)\n{\n    double s = 0;\n    for (long i = 0; i < n; i++)\n        s += a[i];\n    return s;\n}\n";

struct Place {
    folder: tempfile::TempDir,
    machine: Machine,
    families: Vec<Family>,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let case = folder.path().join("casebook/adding");
        std::fs::create_dir_all(&case).unwrap();
        for (name, text) in [("case.toml", GOOD), ("driver.c", DRIVER), ("plain.c", PLAIN), ("fast.c", PLAIN)]
        {
            std::fs::write(case.join(name), text).unwrap();
        }
        let families = compilers::find();
        assert!(!families.is_empty(), "no C compiler: install gcc");
        Self { folder, machine: Machine::detect(), families }
    }

    fn change(&self, file: &str, change: impl Fn(String) -> String) {
        let file = self.folder.path().join("casebook/adding").join(file);
        std::fs::write(&file, change(std::fs::read_to_string(&file).unwrap())).unwrap();
    }

    fn host(&self) -> Host<'_> {
        Host { machine: &self.machine, ceilings: None, families: &self.families }
    }

    fn case(&self) -> Case {
        Case::read(&self.folder.path().join("casebook/adding")).unwrap()
    }

    fn run(&self, measure: Option<Rounds>, advise: Option<Workbench>) -> Result<CaseRecord, Error> {
        let options = Options {
            input: Input::Smoke,
            measure,
            advise,
            limit: Duration::from_secs(60),
            results: self.folder.path().join("results"),
        };
        run(&self.case(), &options, &self.host(), &AtomicBool::new(false), &mut |_, _, _| ())
    }

    fn wrong(&self) -> Vec<String> {
        let record = self.run(None, None).unwrap();
        assert!(record.is_wrong());
        record.ladders.iter().map(|ladder| ladder.stages[2].wrong.clone().unwrap_or_default()).collect()
    }
}

#[test]
fn every_stage_is_built_verified_and_measured_with_every_compiler() {
    let place = Place::new();
    let once = Rounds { least: 2, most: 2, ..Rounds::default() };
    let record = place.run(Some(once), None).unwrap();
    assert!(!record.is_wrong(), "{record:#?}");
    assert_eq!(record.ladders.len(), place.families.iter().filter(|family| family.c.is_some()).count());
    for ladder in &record.ladders {
        assert_eq!((ladder.rounds, ladder.stages.len()), (2, 3));
        assert!(ladder.stages.iter().all(|stage| stage.results["sum"] == 3.0), "0 + 1 + 2");
        let fast = &ladder.stages[2];
        let measured = fast.measured.as_ref().unwrap();
        assert!(measured.gain.is_some() && measured.gain_first.is_some() && measured.program_gain.is_some());
        assert!(measured.elapsed.median >= measured.seconds.median);
        assert_eq!(fast.run.as_deref().map(|run| run.starts_with("OMP_NUM_THREADS=2 ")), Some(true));
        // No path of this machine: a record is read on other machines.
        let text = serde_json::to_string(ladder).unwrap();
        assert!(!text.contains(&place.folder.path().display().to_string()), "{text}");
    }
}

#[test]
fn a_stage_that_computes_something_else_fails_or_is_not_built_is_told_and_never_timed() {
    let place = Place::new();
    place.change("fast.c", |text| text.replace("s = 0", "s = 1"));
    let record = place.run(Some(Rounds { least: 1, most: 1, ..Rounds::default() }), None).unwrap();
    for ladder in &record.ladders {
        let fast = &ladder.stages[2];
        let wrong = fast.wrong.as_deref().unwrap();
        assert!(wrong.contains("computes something else: sum = 4, expected 3"), "{wrong}");
        assert_eq!(fast.measured, None);
        assert!(ladder.stages[0].measured.is_some());
    }
    place.change("fast.c", |text| text.replace("return s;", "__builtin_trap();"));
    assert!(place.wrong().iter().all(|wrong| wrong.contains("signal")), "{:?}", place.wrong());
    place.change("fast.c", |text| text.replace("double s", "dubble s"));
    assert!(place.wrong().iter().all(|wrong| wrong.contains("was not built") && wrong.contains("error")));
}

#[test]
fn what_this_machine_lacks_is_left_out_with_a_reason() {
    let place = Place::new();
    let left_out = |text: &str| {
        place.change("case.toml", |_| GOOD.replace("threads = 2", text));
        let record = place.run(None, None).unwrap();
        assert!(!record.is_wrong());
        record.ladders[0].stages[2].left_out.clone().unwrap()
    };
    assert!(left_out("needs = [\"no_such_feature\"]").contains("needs no_such_feature"));
    let library = left_out("needs_library = [\"loopwright-has-no-such\"]");
    assert!(library.contains("install its development package"), "{library}");
    if place.families[0].name == "gcc" {
        assert!(left_out("compilers = [\"clang\"]").contains("is built by clang only"));
    }
}

#[test]
fn without_a_compiler_there_is_one_clear_error() {
    let mut place = Place::new();
    place.families.clear();
    let error = place.run(None, None).unwrap_err();
    assert!(error.to_string().contains("no compiler for C was found"), "{error}");
}

/// A workbench that prints given advice, whose range holds for any measured gain; the tests of the command
/// use the real one.
fn workbench(folder: &Path) -> Workbench {
    let executable = folder.join("workbench");
    let script = "#!/bin/sh\ncase \"$*\" in *recommendations*) echo '{\"recommendations\":[{\"id\":\"some-id\",\
                  \"title\":\"Do\",\"program_gain\":[1e-9,1e9]}]}';; esac\n";
    std::fs::write(&executable, script).unwrap();
    std::fs::set_permissions(&executable, std::fs::Permissions::from_mode(0o755)).unwrap();
    Workbench { executable, measures: false }
}

#[test]
fn advice_is_asked_of_stages_that_lead_on_and_held_against_the_next() {
    let place = Place::new();
    let once = Rounds { least: 1, most: 1, ..Rounds::default() };
    let record = place.run(Some(once), Some(workbench(place.folder.path()))).unwrap();
    for ladder in &record.ladders {
        let asked: Vec<bool> = ladder.stages.iter().map(|stage| stage.advice.is_some()).collect();
        assert_eq!(asked, [true, false, false], "no rung starts from the other two");
        let rung = ladder.stages[2].rung.as_ref().unwrap();
        assert_eq!((rung.rank, rung.came_true), (Some(1), Some(true)));
        assert_eq!(ladder.stages[1].rung, None, "a stage without expected advice is not a rung");
    }
}

#[test]
fn splits_are_measured_with_their_threads() {
    let place = Place::new();
    let (results, stop) = (place.folder.path().join("results"), AtomicBool::new(false));
    let limit = Duration::from_secs(60);
    let ready = program(&place.case(), 2, Input::Smoke, &results, &place.host(), limit, &stop).unwrap();
    assert_eq!(ready.with_threads(3).environment["OMP_NUM_THREADS"], "3");
    let splits = splits(2);
    let measured = measure(&splits, 1, limit, |t| ready.with_threads(t), &stop, &mut |_, _, _| ()).unwrap();
    assert_eq!(measured.iter().map(|one| one.split).collect::<Vec<_>>(), splits);
    assert!(measured.iter().all(|one| one.per_second.median > 0.0 && one.latency.median > 0.0));
}
