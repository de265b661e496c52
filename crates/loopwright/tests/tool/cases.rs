//! The casebook through the command: every case at its small size, one with real advice, and what is written of it.

use crate::contract::document;
use crate::programs::needed;
use crate::tool::{Said, Scratch};
use loopwright_casebook::advisor::Verb;
use loopwright_casebook::case::Case;
use loopwright_casebook::record::CaseRecord;
use loopwright_report::casebook::{Chapter, chapter, contents};
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn case(scratch: &Scratch, arguments: &[&str]) -> Said {
    let casebook = root().join("casebook");
    let casebook = casebook.to_str().unwrap();
    scratch.run(["case", "--casebook", casebook].iter().chain(arguments))
}

fn ok(scratch: &Scratch, arguments: &[&str]) -> String {
    let said = case(scratch, arguments);
    assert_eq!(said.status, Some(0), "{}\n{}", said.err, said.out);
    said.out
}

#[test]
fn every_case_is_right_at_its_small_size() {
    let scratch = Scratch::new();
    let listed = document(&ok(&scratch, &["list", "--json"]));
    let names: Vec<&str> =
        listed["cases"].as_array().unwrap().iter().map(|case| case["name"].as_str().unwrap()).collect();
    let folders = std::fs::read_dir(root().join("casebook")).unwrap().flatten();
    assert_eq!(names.len(), folders.filter(|entry| entry.path().is_dir()).count(), "every folder is a case");

    let out = ok(&scratch, &["run", "--smoke", "--json"]);
    let records = document(&out);
    let records = records["casebook"].as_array().unwrap();
    let ran: Vec<&str> = records.iter().map(|record| record["case"].as_str().unwrap()).collect();
    assert_eq!(ran, names);
    for record in records {
        if record["ladders"].as_array().unwrap().is_empty() {
            let note = record["notes"][0].as_str().unwrap();
            assert!(note.starts_with("left out: ") && note.contains("install"), "{record}");
            needed(None, note);
        }
        for ladder in record["ladders"].as_array().unwrap() {
            let place = format!("{} {}", record["case"], ladder["family"]);
            for stage in ladder["stages"].as_array().unwrap() {
                assert!(stage.get("wrong").is_none(), "{place}: {stage}");
                // Compilers and libraries are installed for the tests; only the processor may lack something.
                let left_out = stage["left_out"].as_str().unwrap_or_default();
                let excused =
                    left_out.is_empty() || left_out.contains("processor") || left_out.contains("only");
                assert!(excused, "{place}: {stage}");
                let results = stage["results"].as_object().is_some_and(|results| !results.is_empty());
                assert!(results || !left_out.is_empty(), "{place}: a stage prints no result: {stage}");
            }
        }
    }
    let page = ok(&scratch, &["report", "--json", "-"]);
    assert_eq!(document(&page)["casebook"]["cases"].as_array().unwrap(), records);
}

#[test]
fn advice_on_a_case_is_ranked_held_and_written_down() {
    let scratch = Scratch::new();
    let arguments = ["pointer-aliasing", "--compiler", "gcc", "--no-measure"];
    let run = [&["run", "--rounds", "5"][..], &arguments].concat();
    let text = ok(&scratch, &run);
    assert!(text.contains("promise-no-alias") && text.contains("5 interleaved rounds"), "{text}");
    let record = CaseRecord::read(&scratch.file("casebook-results"), "pointer-aliasing").unwrap().unwrap();
    let rung = record.ladders[0].stages[1].rung.as_ref().expect("the second stage is a rung");
    assert!(rung.recommended(), "{rung:?}");
    assert!(rung.predicted.is_some() && rung.came_true.is_some(), "{rung:?}");

    let text = ok(&scratch, &["advise", "--recorded"]);
    assert!(text.contains("Over 1 cases: ") && text.contains(" of 2 rungs ("), "{text}");
    ok(&scratch, &["report", "--markdown", "chapters"]);
    let chapter = std::fs::read_to_string(scratch.file("chapters/pointer-aliasing.md")).unwrap();
    assert!(chapter.contains("**Gain:**") && chapter.contains("(`promise-no-alias`, "), "{chapter}");
    assert!(scratch.file("chapters/cases.md").is_file());
    ok(&scratch, &["report", "--html", "page.html"]);
    let page = std::fs::read_to_string(scratch.file("page.html")).unwrap();
    assert!(page.contains("<title>") && page.len() > 10_000);
}

/// What is counted, and what is simulated, is the same on every machine. (Messages to be joined need a measured network, which a busy
/// machine refuses.)
#[test]
fn advice_of_other_verbs_leads_to_the_next_stage() {
    let scratch = Scratch::new();
    let cases = ["malloc-over-mmap", "uneven-ranks", "rank-order", "one-writer"];
    let out = ok(&scratch, &[&["advise", "--smoke", "--no-measure", "--json"][..], &cases].concat());
    for record in document(&out)["casebook"].as_array().unwrap() {
        let name = record["case"].as_str().unwrap();
        for ladder in record["ladders"].as_array().unwrap() {
            let stages = ladder["stages"].as_array().unwrap();
            let rungs: Vec<_> = stages.iter().filter(|stage| stage["expected"].is_array()).collect();
            assert!(!rungs.is_empty(), "{name}");
            for stage in rungs {
                assert_eq!(stage["rung"]["rank"], 1, "{name} {}: {}", stage["name"], stages[0]["advice"]);
                assert!(stage["rung"]["id"] == stage["expected"][0], "{name}: {stage}");
            }
            assert!(stages[0]["advice"]["command"].as_str().unwrap().contains("loopwright "), "{name}");
        }
        if name == "rank-order" && !record["ladders"].as_array().unwrap().is_empty() {
            let written = scratch.file("casebook-results/rank-order/gcc/block/order/smpi.hosts");
            let written = std::fs::read_to_string(written).unwrap();
            let stage = std::fs::read_to_string(root().join("casebook/rank-order/tiles.hosts")).unwrap();
            assert!(written == stage, "the stage has the order that the verb writes");
        }
    }
}

#[test]
fn what_cannot_be_is_misuse_with_the_way_out() {
    let scratch = Scratch::new();
    for (arguments, words) in [
        (&["run", "no-such-case"][..], "there is no case `no-such-case`"),
        (&["show", "no-such-case"], "there are: "),
        (&["report", "--html", "x.html"], "try: loopwright case run"),
        (&["report"], "nothing to write"),
        (&["throughput", "pointer-aliasing", "--stage", "x"], "it has: plain"),
        (&["list", "--casebook", "nowhere"], "--casebook DIR"),
    ] {
        let said = case(&scratch, arguments);
        assert_eq!(said.status, Some(2), "{arguments:?}: {}", said.err);
        assert!(said.err.contains(words) && said.err.lines().count() == 1, "{arguments:?}: {}", said.err);
    }
}

#[test]
fn a_wrong_stage_of_a_casebook_elsewhere_fails_the_run_and_says_so() {
    let scratch = Scratch::new();
    let mine = scratch.file("mine/aliasing");
    std::fs::create_dir_all(&mine).unwrap();
    for entry in std::fs::read_dir(root().join("casebook/pointer-aliasing")).unwrap().flatten() {
        std::fs::copy(entry.path(), mine.join(entry.file_name())).unwrap();
    }
    let stage = mine.join("restrict.c");
    let text = std::fs::read_to_string(&stage).unwrap().replace("+=", "-=");
    std::fs::write(&stage, text).unwrap();
    let said = scratch.run(["case", "--casebook", "mine", "run", "--smoke"]);
    assert_eq!(said.status, Some(1), "{}", said.err);
    assert!(said.out.contains("computes something else: "), "{}", said.out);
}

/// Advice names the first case of the book whose stages follow it; what other verbs advise has ids of its own.
#[test]
fn advice_names_the_case_that_shows_it() {
    let mut shown = std::collections::BTreeMap::new();
    let cases = loopwright_casebook::discover::cases(&root().join("casebook")).unwrap();
    for case in cases.iter().filter(|case| case.advisor.verb == Verb::Advise) {
        for id in case.stages.iter().flat_map(|stage| &stage.recommendations) {
            shown.entry(id.clone()).or_insert_with(|| case.name.clone());
        }
    }
    let named =
        loopwright_advise::cases::CASES.iter().map(|(id, case)| ((*id).to_owned(), (*case).to_owned()));
    assert_eq!(
        named.collect::<Vec<_>>(),
        shown.into_iter().collect::<Vec<_>>(),
        "crates/advise/src/cases.rs"
    );
}

/// The docs' chapters are what the recorded runs and the cases' folders give; `LOOPWRIGHT_BLESS=1` writes them.
#[test]
fn the_chapters_of_the_docs_are_those_of_the_recorded_runs() {
    let docs = root().join("docs/casebook");
    let mut all = Vec::new();
    for case in loopwright_casebook::discover::cases(&root().join("casebook")).unwrap() {
        let file = docs.join("records").join(format!("{}.json", case.name));
        let text = std::fs::read_to_string(&file)
            .unwrap_or_else(|e| panic!("{}: {e}; record it: make chapters", file.display()));
        let record = CaseRecord::parse(&text).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        assert!(!record.is_wrong(), "{}", case.name);
        let stages = |case: &Case| case.stages.iter().map(|stage| stage.name.clone()).collect::<Vec<_>>();
        for ladder in &record.ladders {
            let recorded: Vec<_> = ladder.stages.iter().map(|stage| stage.name.clone()).collect();
            assert_eq!(recorded, stages(&case), "{} was recorded with other stages", case.name);
        }
        all.push((format!("../../casebook/{}", case.name), case, record));
    }
    let chapters: Vec<Chapter<'_>> =
        all.iter().map(|(folder, case, record)| Chapter { case, record, folder }).collect();
    let mut texts: Vec<(PathBuf, String)> =
        chapters.iter().map(|one| (docs.join(format!("{}.md", one.case.name)), chapter(one))).collect();
    texts.push((docs.join("cases.md"), contents(&chapters)));
    for (file, text) in texts {
        if std::env::var_os("LOOPWRIGHT_BLESS").is_some() {
            std::fs::write(&file, &text).unwrap();
        }
        let written = std::fs::read_to_string(&file).unwrap_or_default();
        assert!(written == text, "{} is not what LOOPWRIGHT_BLESS=1 writes", file.display());
    }
}
