use super::*;
use crate::{Conditions, Element, FlopCeiling};
use loopwright_vocabulary::VectorWidth;
use std::ffi::OsString;
use std::time::Duration;

fn some_ceilings() -> Ceilings {
    Ceilings {
        flops: vec![FlopCeiling {
            level: VectorWidth::Bits256,
            element: Element::F64,
            fma: true,
            cores: 2,
            gflops: 118.25,
            spread: 0.99,
        }],
        measured_unix: 1_700_000_000,
        ..Ceilings::default()
    }
}

fn machine() -> Machine {
    crate::machine::tests::recorded("two-socket-xeon")
}

fn cached_only(folder: &Path, machine: &Machine) -> Found {
    ceilings_in(
        Ok(folder.to_owned()),
        machine,
        &Policy::CachedOnly,
        (&Options::default(), &|| true),
        &mut |_| panic!("nothing is measured"),
    )
    .unwrap()
}

#[test]
fn what_is_written_is_read_back() {
    let folder = tempfile::tempdir().unwrap();
    let below = folder.path().join("not/yet/there");
    let machine = machine();
    let nothing = cached_only(&below, &machine);
    assert_eq!((nothing.ceilings, nothing.warnings.len()), (None, 0), "an absent file causes no warning");
    write(&file(&below, &machine), &fingerprint(&machine), &some_ceilings()).unwrap();
    let found = cached_only(&below, &machine);
    assert_eq!(found.ceilings, Some(some_ceilings()));
    assert_eq!(found.warnings, []);
    assert_eq!(std::fs::read_dir(&below).unwrap().count(), 1, "no temporary file is left");
}

#[test]
fn damaged_foreign_and_newer_files_are_ignored_with_a_reason() {
    let folder = tempfile::tempdir().unwrap();
    let machine = machine();
    let path = file(folder.path(), &machine);
    write(&path, &fingerprint(&machine), &some_ceilings()).unwrap();
    let whole = std::fs::read_to_string(&path).unwrap();
    type Expected = fn(&BadCache) -> bool;
    let damaged: Expected = |why| matches!(why, BadCache::Damaged(_));
    let cases: [(String, Expected); 6] = [
        (whole[..whole.len() / 2].to_owned(), damaged),
        (String::new(), damaged),
        ("[1, 2]".to_owned(), damaged),
        (whole.replace("118.25", "\"fast\""), damaged),
        (whole.replace("\"version\": 1", "\"version\": 999"), |why| {
            *why == BadCache::OtherVersion { found: 999, expected: 1 }
        }),
        (whole.replace("CPUs 0-", "CPUs 1-"), |why| *why == BadCache::OtherMachine),
    ];
    for (text, is_expected) in cases {
        assert_ne!(text, whole);
        std::fs::write(&path, text).unwrap();
        let found = cached_only(folder.path(), &machine);
        assert_eq!(found.ceilings, None);
        let [Warning::Ignored { why, .. }] = &found.warnings[..] else { panic!("{:?}", found.warnings) };
        assert!(is_expected(why), "{why:?}");
    }
}

#[test]
fn random_damage_never_panics() {
    let folder = tempfile::tempdir().unwrap();
    let machine = machine();
    let path = file(folder.path(), &machine);
    write(&path, &fingerprint(&machine), &some_ceilings()).unwrap();
    let whole = std::fs::read(&path).unwrap();
    let mut state = 1_u64;
    for _ in 0..300 {
        let mut bytes = whole.clone();
        for _ in 0..3 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let at = (state >> 33) as usize % bytes.len();
            bytes[at] = (state >> 25) as u8;
        }
        std::fs::write(&path, bytes).unwrap();
        let found = cached_only(folder.path(), &machine);
        assert!(found.ceilings.is_some() || found.warnings.len() == 1);
    }
}

#[test]
fn measuring_stores_unless_only_a_part_was_measured() {
    let folder = tempfile::tempdir().unwrap();
    let machine = Machine::detect();
    let part = Options {
        budget: Duration::from_millis(20),
        only: vec!["scalar f64, 1 core".to_owned()],
        ..Options::default()
    };
    let run = |folder: PathBuf, options: &Options| {
        ceilings_in(Ok(folder), &machine, &Policy::CachedOrMeasure, (options, &|| true), &mut |_| ()).unwrap()
    };
    if cfg!(not(target_arch = "x86_64")) {
        eprintln!("skipped: ceilings are measured on x86-64 only");
        return;
    }
    let found = run(folder.path().to_owned(), &part);
    assert!(found.measured_now && found.ceilings.is_some());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "a part is not kept");
    // A folder that cannot be created (a file has its name) causes a warning; the measurement is not lost.
    let blocked = folder.path().join("file");
    std::fs::write(&blocked, "").unwrap();
    let error = write(&blocked.join("x/ceilings.json"), "f", &some_ceilings()).unwrap_err();
    assert!(error.to_string().contains("XDG_CACHE_HOME"), "{error}");
}

fn disturbed(measured_unix: u64) -> Ceilings {
    let conditions = Conditions { delayed_share: 0.4, attempts: 1, disturbed: true, ..Conditions::default() };
    Ceilings { conditions: Some(conditions), measured_unix, ..some_ceilings() }
}

#[test]
fn ceilings_of_a_busy_machine_are_measured_again_once_it_is_quiet() {
    if cfg!(not(target_arch = "x86_64")) {
        eprintln!("skipped: ceilings are measured on x86-64 only");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let machine = Machine::detect();
    let place = file(folder.path(), &machine);
    let part = Options {
        budget: Duration::from_millis(20),
        only: vec!["scalar f64, 1 core".to_owned()],
        ..Options::default()
    };
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    let found = |kept: &Ceilings, policy: &Policy, quiet: bool| {
        write(&place, &fingerprint(&machine), kept).unwrap();
        let folder = Ok(folder.path().to_owned());
        ceilings_in(folder, &machine, policy, (&part, &|| quiet), &mut |_| ()).unwrap()
    };
    let again = found(&disturbed(1_700_000_000), &Policy::CachedOrMeasure, true);
    let ceilings = again.ceilings.unwrap();
    assert!(again.measured_now);
    assert_eq!(ceilings.conditions.unwrap().attempts, 2);
    assert_eq!(
        ceilings.flop(VectorWidth::Bits256, Element::F64, true, 2),
        Some(118.25),
        "the earlier figure is kept"
    );
    assert!(ceilings.flop(VectorWidth::Scalar, Element::F64, false, 1).is_some(), "and a new one is added");
    for (kept, policy, quiet) in [
        (disturbed(1_700_000_000), Policy::CachedOrMeasure, false),
        (disturbed(1_700_000_000), Policy::CachedOnly, true),
        (disturbed(now - 5), Policy::CachedOrMeasure, true),
        (some_ceilings(), Policy::CachedOrMeasure, true),
    ] {
        let kept_as_is = found(&kept, &policy, quiet);
        assert!(!kept_as_is.measured_now, "{policy:?} {quiet}");
        assert_eq!(kept_as_is.ceilings, Some(kept));
    }
}

#[test]
fn a_disturbed_measurement_says_so_and_earlier_files_are_judged_by_their_spreads() {
    assert!(disturbed(0).disturbed().unwrap().contains("waited for a CPU during 40 %"));
    assert_eq!(some_ceilings().disturbed(), None);
    let mut varied = some_ceilings();
    varied.flops[0].spread = 0.3;
    assert!(varied.disturbed().unwrap().contains("1 of 1 points varied"));
}

#[test]
fn the_folder_follows_the_xdg_rules() {
    let with = |pairs: &[(&str, &str)]| {
        let pairs: Vec<(String, OsString)> =
            pairs.iter().map(|(k, v)| ((*k).to_owned(), OsString::from(v))).collect();
        folder(move |name| pairs.iter().find(|(k, _)| k == name).map(|(_, v)| v.clone()))
    };
    assert_eq!(with(&[("XDG_CACHE_HOME", "/c"), ("HOME", "/h")]).unwrap(), Path::new("/c/loopwright"));
    assert_eq!(
        with(&[("XDG_CACHE_HOME", "relative"), ("HOME", "/h")]).unwrap(),
        Path::new("/h/.cache/loopwright")
    );
    assert!(matches!(with(&[("HOME", "")]), Err(Error::NoCacheFolder)));
}

#[test]
fn the_fingerprint_follows_what_changes_the_ceilings() {
    let machine = machine();
    let base = fingerprint(&machine);
    let mut other = machine.clone();
    other.processor.microcode = Some("0xffff".to_owned());
    assert_ne!(fingerprint(&other), base);
    let mut other = machine.clone();
    other.topology.allowed.pop();
    assert_ne!(fingerprint(&other), base);
    let mut other = machine.clone();
    other.hypervisor = Some("KVM".to_owned());
    assert_ne!(fingerprint(&other), base);
    let mut other = machine.clone();
    other.conditions.clear();
    assert_eq!(fingerprint(&other), base, "the load of the moment does not change it");
}
