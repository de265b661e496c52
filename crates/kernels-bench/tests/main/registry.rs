//! Compares the registry of subjects with the library's folders and the documents: nothing is left unmeasured.

use loopwright_kernels::{Isa, Profile};
use loopwright_kernels_bench::case::Extent;
use loopwright_kernels_bench::subjects::{self, Operation};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The folders of the library that hold a kernel.
fn kernels() -> BTreeSet<String> {
    let folder = root().join("crates/kernels/src");
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let folders = entries.flatten().filter(|entry| entry.path().join("mod.rs").exists());
    folders.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

#[test]
fn every_kernel_has_its_subject_and_its_page() {
    let subjects: BTreeSet<String> = subjects::all().iter().map(|s| s.kernel().to_owned()).collect();
    assert_eq!(kernels(), subjects, "left: folders of crates/kernels/src; right: subjects");
    for kernel in kernels() {
        let page = kernel.replace('_', "-");
        let page = root().join(format!("docs/kernels/{page}.md"));
        assert!(page.exists(), "there is no {}", page.display());
    }
}

#[test]
fn every_file_of_a_level_is_run_by_an_operation() {
    for subject in subjects::all() {
        let folder = root().join("crates/kernels/src").join(subject.kernel());
        // A loop that is written once is compiled for every level but the portable one.
        let sources = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
        let written_once = sources
            .filter(|path| path.is_file())
            .any(|path| std::fs::read_to_string(path).unwrap().contains("compiled!"));
        for isa in Isa::ALL {
            let runs = |o: &Operation| Profile::all().any(|profile| (o.levels)(&profile).contains(&isa));
            let run = subject.operations().iter().any(runs);
            let file = folder.join(format!("{isa}.rs"));
            // The reference may be the portable level.
            let code = file.exists()
                || match isa {
                    Isa::Scalar => folder.join("reference.rs").exists(),
                    _ => written_once,
                };
            assert_eq!(run, code, "left: an operation of {} has the level {isa}", subject.kernel());
        }
    }
}

#[test]
fn operations_run_at_every_available_level_and_refuse_the_others() {
    for subject in subjects::all() {
        assert!(!subject.operations().is_empty(), "{} has no operation", subject.kernel());
        for operation in subject.operations() {
            (operation.run)(None).unwrap();
            for isa in Isa::ALL {
                let done = (operation.run)(Some(isa));
                assert_eq!(done, isa.require().map(|_| ()), "{} {}", subject.kernel(), operation.name);
            }
        }
    }
}

#[test]
fn every_extent_has_cases_with_names_of_their_own() {
    for subject in subjects::all() {
        for extent in [Extent::Smoke, Extent::Full] {
            let cases = subject.cases(extent);
            assert!(!cases.is_empty(), "{} has no case", subject.kernel());
            let names: BTreeSet<(String, String)> =
                cases.iter().map(|case| (case.operation.clone(), case.shape.clone())).collect();
            assert_eq!(names.len(), cases.len(), "two cases of {} share a name", subject.kernel());
        }
    }
}
