//! The corpus is what its readers expect.

use loopwright_advise::changes::rule_of;
use loopwright_score::half::Half;
use loopwright_score::pair::{REMEDIES, pairs};
use loopwright_score::{Misuse, causes, judge, run};
use std::collections::BTreeSet;
use std::path::Path;

#[test]
fn every_pair_and_every_judgement_can_be_read() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let pairs = pairs(&corpus, &[]).unwrap();
    let closed = pairs.iter().filter(|pair| pair.half == Half::Closed).count();
    assert!(
        closed >= pairs.len() / 3 && closed <= pairs.len() * 2 / 3,
        "{closed} of {} are closed",
        pairs.len()
    );
    let languages: BTreeSet<&str> = pairs.iter().map(|pair| pair.description.language.as_str()).collect();
    assert_eq!(languages, ["C", "C++", "Fortran", "Rust"].into());
    let names: BTreeSet<&str> = pairs.iter().map(|pair| pair.name.as_str()).collect();
    for pair in &pairs {
        for id in &pair.remedy.accepts {
            assert!(
                rule_of(id).is_some(),
                "{REMEDIES}: [{}] accepts {id}, which nothing recommends",
                pair.name
            );
        }
    }
    for judgement in judge::judgements(&corpus).unwrap() {
        assert!(
            names.contains(judgement.pair.as_str()),
            "{FILE}: there is no pair {}",
            judgement.pair,
            FILE = judge::FILE
        );
    }
    assert!(!run::flags(&corpus).unwrap().is_empty());
}

#[test]
fn unknown_names_are_misuse() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let unknown = ["no-such-name".to_owned()];
    assert!(pairs(&root.join("corpus"), &unknown).unwrap_err().is::<Misuse>());
    assert!(causes::programs(&root.join("causes"), &unknown).unwrap_err().is::<Misuse>());
    assert!(!pairs(&root.join("no-such-folder"), &[]).unwrap_err().is::<Misuse>());
}
