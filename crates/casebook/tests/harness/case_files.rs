//! Reading `case.toml`: merging, and the messages of refusals.

use loopwright_casebook::advisor::Verb;
use loopwright_casebook::case::Case;
use loopwright_casebook::{Error, discover};
use proptest::prelude::*;
use std::path::Path;

pub const GOOD: &str = r#"
order = 7
title = "Adding"
source = "a test"
problem = """
Two lines
of one paragraph.

Another one."""

[inputs]
full = ["--n", "100"]
smoke = ["--n", "3"]

[compare]
sum = { relative = 1e-12 }

[build]
sources = ["driver.c"]
flags = ["-O2"]
env = { OMP_NUM_THREADS = "1" }

[[stage]]
name = "plain"
title = "Plain"
change = "Nothing yet."
sources = ["plain.c"]

[[stage]]
name = "wrong-turn"
title = "A wrong turn"
change = "Slower."
sources = ["plain.c"]
because = "no rule recommends it"

[[stage]]
name = "fast"
title = "Fast"
change = "Faster."
from = "plain"
sources = ["fast.c"]
flags = ["-O3"]
env = { OMP_NUM_THREADS = "2" }
threads = 2
recommendations = ["some-id"]
compare.sum = { absolute = 0.5 }
"#;

fn parse(text: &str) -> Result<Case, String> {
    Case::parse(text, "adding".into(), Path::new("adding"))
}

#[test]
fn a_stage_has_what_the_case_says_and_adds_its_own() {
    let case = parse(GOOD).unwrap();
    assert_eq!((case.name.as_str(), case.order, case.stages.len()), ("adding", 7, 3));
    assert_eq!(case.problem, "Two lines of one paragraph.\n\nAnother one.");
    let fast = &case.stages[2];
    let files: Vec<_> = fast.build.sources.of(None).iter().map(|f| f.to_str().unwrap()).collect();
    assert_eq!(files, ["driver.c", "fast.c"]);
    assert_eq!(fast.build.flags, ["-O2", "-O3"]);
    assert_eq!(fast.build.env["OMP_NUM_THREADS"], "2");
    assert_eq!((fast.build.threads(), case.stages[0].build.threads()), (2, 1));
    assert_eq!((fast.from, case.stages[1].from, case.stages[0].from), (Some(0), Some(0), None));
    assert!(fast.is_rung() && !case.stages[1].is_rung() && !case.stages[0].is_rung());
    assert_eq!(case.expectations(2)["sum"].absolute, Some(0.5));
    assert_eq!(case.expectations(1)["sum"].relative, Some(1e-12));
}

#[test]
fn a_search_may_lead_to_a_stage() {
    let found_by = "found_by = { verb = \"tune\", with = [\"--axes\", \"env\"], finds = [\"A=1\", \"-O2\"] }";
    let case = parse(&GOOD.replace("recommendations = [\"some-id\"]", found_by)).unwrap();
    let fast = &case.stages[2];
    assert!(fast.is_rung() && fast.recommendations.is_empty());
    assert_eq!(fast.found_by.as_ref().map(loopwright_casebook::found_by::FoundBy::verb), Some("tune"));
    assert_eq!(fast.expected(), ["A=1", "-O2"]);
    let place = "found_by = { verb = \"reproduce\", finds = { file = \"sum.c\", function = \"sum\" } }";
    let case = parse(&GOOD.replace("recommendations = [\"some-id\"]", place)).unwrap();
    assert_eq!(case.stages[2].expected(), ["sum.c: sum"]);
    assert_eq!(parse(GOOD).unwrap().stages[2].expected(), ["some-id"]);
}

#[test]
fn a_case_says_what_advises_and_what_starts_its_ranks() {
    let usual = parse(GOOD).unwrap();
    assert_eq!((usual.advisor.verb, usual.launch), (Verb::Advise, None));
    let text = |tables: &str| GOOD.replace("[build]", &format!("{tables}\n[build]"));
    let heap = parse(&text("[advice]\nverb = \"heap\"\nwith = [\"--all\"]")).unwrap();
    assert_eq!((heap.advisor.verb, heap.advisor.with.as_slice()), (Verb::Heap, &["--all".to_owned()][..]));
    let comm = parse(&text("[launch]\nranks = 2\n[advice]\nverb = \"comm\"")).unwrap();
    assert_eq!(comm.launch.map(|launch| (launch.ranks, launch.is_simulated())), Some((2, false)));
    let place = "[launch]\nranks = 8\nplatform = \"cluster.xml\"\n[advice]\nverb = \"place\"";
    let hosts = |text: &str| text.replace("flags = [\"-O2\"]", "flags = [\"-O2\"]\nhosts = \"block.hosts\"");
    let place =
        parse(&hosts(&text(place)).replace("threads = 2", "threads = 2\nhosts = \"tiles.hosts\"")).unwrap();
    let of = |stage: usize| place.stages[stage].build.hosts.as_deref().and_then(Path::to_str);
    assert_eq!((of(0), of(2)), (Some("block.hosts"), Some("tiles.hosts")), "a stage may have another order");
    for (wrong, words) in [
        (text("[advice]\nverb = \"sing\""), "unknown variant `sing`"),
        (text("[advice]\nverb = \"io\"\ndeep = true"), "has `deep`, an option of `advise`, for `io`"),
        (text("[advice]\nverb = \"comm\""), "[launch] has to say how many ranks"),
        (text("[advice]\nverb = \"place\""), "`platform` under [launch]"),
        (text("[launch]\nranks = 2\nplatform = \"c.xml\""), "`hosts` and `platform`"),
        (hosts(GOOD), "`hosts` and `platform`"),
        (hosts(&text("[launch]\nranks = 2\nplatform = \"c.xml\"")), "is that of `place`"),
        (text("[launch]\nranks = 0"), "has 0 `ranks`"),
        (text("[launch]\nranks = 2\nnodes = 1"), "unknown field `nodes`"),
        (
            text("[launch]\nranks = 2").replace(
                "recommendations = [\"some-id\"]",
                "found_by = { verb = \"tune\", finds = [\"-O2\"] }",
            ),
            "no search runs programs under [launch]",
        ),
    ] {
        let error = parse(&wrong).expect_err(words);
        assert!(error.contains(words), "expected `{words}` in: {error}");
    }
}

#[test]
fn a_fresh_stage_is_the_first_of_those_after_it() {
    let text = GOOD.replace("because = \"no rule recommends it\"", "because = \"other work\"\nfresh = true");
    let case = parse(&text.replace("from = \"plain\"", "from = \"wrong-turn\"")).unwrap();
    assert_eq!([0, 1, 2].map(|stage| case.first_of(stage)), [0, 1, 1]);
    let usual = parse(GOOD).unwrap();
    assert_eq!([0, 1, 2].map(|stage| usual.first_of(stage)), [0, 0, 0]);
    let error = parse(&GOOD.replace("threads = 2", "threads = 2\nfresh = true")).unwrap_err();
    assert!(error.contains("it needs `because`"), "{error}");
}

#[test]
fn tracks_have_sources_of_their_own() {
    let text = GOOD
        .replace("sources = [\"driver.c\"]", "sources.c = [\"driver.c\"]\nsources.fortran = [\"driver.f90\"]")
        .replace("sources = [\"plain.c\"]", "sources.c = [\"plain.c\"]\nsources.fortran = [\"plain.f90\"]")
        .replace("sources = [\"fast.c\"]", "sources.c = [\"fast.c\"]\nsources.fortran = [\"fast.f90\"]")
        + "[[track]]\nname = \"c\"\n[[track]]\nname = \"fortran\"\n";
    let case = parse(&text).unwrap();
    let of = |track| case.stages[2].build.sources.of(Some(track)).to_vec();
    assert_eq!(of("fortran"), ["driver.f90", "fast.f90"].map(std::path::PathBuf::from));
    assert_eq!(of("c"), ["driver.c", "fast.c"].map(std::path::PathBuf::from));
    let bare = text.replace("sources.fortran = [\"driver.f90\"]", "");
    let error = parse(&bare.replace("sources.fortran = [\"fast.f90\"]", "")).unwrap_err();
    assert!(error.contains("stage `fast` has no `sources` for the track `fortran`"), "{error}");
}

#[test]
fn what_cannot_be_is_refused_with_the_way_out() {
    let wrong = [
        (GOOD.replace("flags = [\"-O2\"]", "flag = [\"-O2\"]"), "[build] has no key `flag`"),
        (GOOD.replace("threads = 2", "thread = 2"), "stage `fast` has no key `thread`"),
        (GOOD.replace("name = \"fast\"", "name = \"plain\""), "stage `plain` is there twice"),
        (GOOD.replace("name = \"fast\"", "name = \"../fast\""), "names of stages are letters"),
        (
            GOOD.replace("from = \"plain\"", "from = \"later\""),
            "`from` a stage `later` that is not before it",
        ),
        (GOOD.replace("recommendations = [\"some-id\"]", ""), "needs `recommendations`"),
        (GOOD.replace("relative = 1e-12", "relative = -1.0"), "not a number from 0 on"),
        (GOOD.replace("relative = 1e-12", "relative = nan"), "not a number from 0 on"),
        (GOOD.replace("relative = 1e-12", "exact = true, relative = 1.0"), "exactly one of"),
        (GOOD.replace("relative = 1e-12", ""), "exactly one of"),
        (
            GOOD.replace("relative = 1e-12", "at_most = 1.0, value = 1.0"),
            "`value` that nothing compares with",
        ),
        (GOOD.replace("threads = 2", "threads = 2\ncompilers = [\"icc\"]"), "knows gcc and clang, not `icc`"),
        (
            GOOD.replace("because = \"no rule recommends it\"", "recommendations = [\"x\"]\nbecause = \"y\""),
            "both",
        ),
        (
            GOOD.replace("change = \"Nothing yet.\"", "change = \"\"\nrecommendations = [\"x\"]"),
            "is the first",
        ),
        (GOOD.replace("title = \"Adding\"", "title = \"Adding\"\ntitel = \"x\""), "titel"),
        (
            GOOD.replace(
                "recommendations = [\"some-id\"]",
                "found_by = { verb = \"sing\", finds = [\"a\"] }",
            ),
            "unknown variant `sing`",
        ),
        (
            GOOD.replace(
                "recommendations = [\"some-id\"]",
                "found_by = { verb = \"tune\", finds = [\"a\"], find = 1 }",
            ),
            "unknown field `find`",
        ),
        (
            GOOD.replace("recommendations = [\"some-id\"]", "found_by = { verb = \"tune\", finds = [] }"),
            "`finds` is empty",
        ),
        (
            GOOD.replace(
                "recommendations = [\"some-id\"]",
                "found_by = { verb = \"reproduce\", finds = { file = \"a.c\", line = 3 } }",
            ),
            "unknown field `line`",
        ),
        (
            GOOD.replace(
                "recommendations = [\"some-id\"]",
                "recommendations = [\"some-id\"]\nfound_by = { verb = \"tune\", finds = [\"-O2\"] }",
            ),
            "both `recommendations` and `found_by`",
        ),
        (GOOD.split("[[stage]]").next().unwrap().to_owned(), "stage"),
    ];
    for (text, words) in wrong {
        let error = parse(&text).expect_err(words);
        assert!(error.contains(words), "expected `{words}` in: {error}");
    }
}

#[test]
fn a_casebook_is_discovered_in_its_order() {
    let folder = tempfile::tempdir().unwrap();
    for (name, order) in [("late", 9), ("early", 1)] {
        let case = folder.path().join(name);
        std::fs::create_dir(&case).unwrap();
        let text = GOOD.replace("order = 7", &format!("order = {order}"));
        std::fs::write(case.join("case.toml"), text).unwrap();
        for file in ["driver.c", "plain.c", "fast.c"] {
            std::fs::write(case.join(file), "").unwrap();
        }
    }
    std::fs::create_dir(folder.path().join("no-case")).unwrap();
    let names = |cases: Vec<Case>| cases.into_iter().map(|case| case.name).collect::<Vec<_>>();
    assert_eq!(names(discover::cases(folder.path()).unwrap()), ["early", "late"]);
    assert_eq!(names(discover::named(folder.path(), &["late".into()]).unwrap()), ["late"]);
    let error = discover::named(folder.path(), &["gone".into()]).unwrap_err();
    assert!(error.is_misuse() && error.to_string().contains("there are: early, late"), "{error}");

    std::fs::remove_file(folder.path().join("late/fast.c")).unwrap();
    let error = discover::cases(folder.path()).unwrap_err();
    assert!(matches!(error, Error::BadCase { .. }) && error.to_string().contains("fast.c"), "{error}");
    let none = discover::cases(&folder.path().join("no-case")).unwrap_err();
    assert!(none.to_string().contains("--casebook DIR"), "{none}");
}

proptest! {
    #[test]
    fn no_text_makes_the_reader_panic(cut in 0..GOOD.len(), insert in ".{0,12}", keep in 0..GOOD.len()) {
        let cut = (0..=cut).rev().find(|at| GOOD.is_char_boundary(*at)).unwrap_or(0);
        let keep = (0..=keep).rev().find(|at| GOOD.is_char_boundary(*at)).unwrap_or(0);
        let _ = parse(&format!("{}{insert}{}", &GOOD[..cut], &GOOD[keep..]));
    }
}
