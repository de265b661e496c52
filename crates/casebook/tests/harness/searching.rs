//! What `tune` and `reproduce` print, held against what a stage expects of them. The texts are recorded ones, shortened.

use loopwright_casebook::found_by::{FoundBy, Place};
use loopwright_casebook::search::judge;

const TUNED: &str = r#"{"schema":1,"tuning":{"claimed_from":1.078,"semantics":"exact","runs":59,"candidates":[],
 "best":{"change":"O2-native + no-vectors","way":"several","parts":[
  {"kind":"options","options":["-O2","-march=native","-ffp-contract=off"]},
  {"kind":"options","options":["-fno-tree-vectorize"]},
  {"kind":"variable","name":"MALLOC_MMAP_MAX_","value":"0"}],
  "measured":[1.165,1.491],"measured_median":1.188,"clock":"cpu","pairs":7,"outcome":"faster","answer":"same"}}}"#;

const REPRODUCED: &str = r#"{"schema":1,"reproduction":{"good":{},"bad":{},"outcome":"sources","culprits":[[
  {"kind":"file","file":"/home/me/digits/vectors.cpp"}]],"files":[
  {"file":"/home/me/digits/vectors.cpp","inlining":"none","functions":[
   [{"name":"dot(std::vector<double, std::allocator<double> > const&)","changes":[{"what":{"kind":"vectors"},"line":10}]}],
   [{"name":"norm(std::vector<double, std::allocator<double> > const&)"},{"name":"dot(double)"}]]},
  {"file":"sums.f90","inlining":"none","functions":[[{"name":"__sums_MOD_total"}]]}],
  "options":[["-fassociative-math"]],"builds":18,"runs":86}}"#;

fn tune(finds: &[&str]) -> FoundBy {
    FoundBy::Tune { with: Vec::new(), finds: finds.iter().map(ToString::to_string).collect() }
}

fn reproduce(file: &str, function: &str) -> FoundBy {
    FoundBy::Reproduce { with: Vec::new(), finds: Place { file: file.into(), function: function.into() } }
}

#[test]
fn the_best_build_has_to_have_one_of_the_options_or_settings() {
    let hit = |finds: &[&str]| judge(&tune(finds), "tune".into(), TUNED).unwrap().hit;
    assert!(hit(&["-O1", "-fno-tree-vectorize"]) && hit(&["MALLOC_MMAP_MAX_=0"]));
    assert!(!hit(&["-O3", "MALLOC_MMAP_MAX_=1"]));
    let search = judge(&tune(&["-O2"]), "loopwright tune -- ./a".into(), TUNED).unwrap();
    assert_eq!((search.verb.as_str(), search.command.as_str()), ("tune", "loopwright tune -- ./a"));
    assert_eq!(search.gain, Some([1.165, 1.491]));
}

#[test]
fn a_best_build_that_was_not_confirmed_is_none() {
    for text in [TUNED.replace("\"faster\"", "\"no-difference\""), TUNED.replace("\"best\"", "\"rest\"")] {
        let search = judge(&tune(&["-O2"]), String::new(), &text).unwrap();
        assert_eq!((search.hit, search.gain, search.found.len()), (false, None, 0));
    }
}

#[test]
fn the_source_and_the_function_have_to_be_named() {
    let search = judge(&reproduce("vectors.cpp", "dot"), String::new(), REPRODUCED).unwrap();
    assert_eq!(search.found, ["vectors.cpp: dot", "vectors.cpp: norm", "sums.f90: total"]);
    assert!(search.hit && search.gain.is_none());
    for (file, function, hit) in
        [("sums.f90", "total", true), ("vectors.cpp", "total", false), ("vectors.cpp", "do", false)]
    {
        let search = judge(&reproduce(file, function), String::new(), REPRODUCED).unwrap();
        assert_eq!(search.hit, hit, "{file} {function}");
    }
    let same = r#"{"reproduction":{"outcome":"same","builds":2,"runs":3}}"#;
    assert!(!judge(&reproduce("a.c", "a"), String::new(), same).unwrap().hit);
}

#[test]
fn what_is_no_result_of_the_verb_is_refused() {
    assert!(judge(&tune(&["-O2"]), String::new(), REPRODUCED).unwrap_err().contains("no `tuning`"));
    assert!(judge(&reproduce("a.c", "a"), String::new(), TUNED).unwrap_err().contains("no `reproduction`"));
    assert!(judge(&tune(&["-O2"]), String::new(), "tuned").is_err());
}
