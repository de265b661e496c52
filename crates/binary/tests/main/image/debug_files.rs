//! Debug information outside of the program: by build id, debug link and client caches, shared
//! between files, in packages; and what happens when it is missing or does not match.

use crate::image::build::Workshop;
use loopwright_binary::facts::SourceLocation;
use loopwright_binary::image::{DebugSearch, Image};
use loopwright_binary::warning::Warning;
use std::path::Path;

/// Name, line and definition of the function `triad`, which a stripped program cannot know.
fn triad(image: &Image) -> Option<(SourceLocation, u64)> {
    let index = image.functions().iter().position(|f| f.name == "triad")?;
    Some((image.definition(index)?, image.function(index)?.address))
}

fn open(path: &Path, search: &DebugSearch) -> Image {
    Image::open(path, search).expect("an image")
}

/// Splits `program` into `stripped` and `program.debug`.
fn split(workshop: &Workshop) -> Option<()> {
    workshop.run("objcopy", &["--only-keep-debug", "program", "program.debug"])?;
    workshop.run("objcopy", &["--strip-all", "--add-gnu-debuglink=program.debug", "program", "stripped"])?;
    Some(())
}

#[test]
fn by_debug_link_beside_the_program() {
    let workshop = Workshop::new();
    for flags in [vec!["-g", "-O2"], vec!["-g", "-O2", "-Wl,--build-id=none"]] {
        let Some(program) = workshop.compile("gcc", "mixed.c", &flags, "program") else { return };
        let Some(()) = split(&workshop) else { return };
        let image = open(&workshop.path("stripped"), &DebugSearch::none());
        assert!(image.facts().has_lines && image.facts().has_symbols);
        assert!(image.facts().debug_file.as_ref().is_some_and(|f| f.ends_with("program.debug")));
        let found = triad(&image).expect("triad");
        assert_eq!(Some(found), triad(&open(&program, &DebugSearch::none())));

        // The debug file of another build is not used.
        let other = [&flags[..], &["-O1"]].concat();
        let Some(_) = workshop.compile("gcc", "mixed.c", &other, "other") else { return };
        workshop.run("objcopy", &["--only-keep-debug", "other", "program.debug"]);
        let image = open(&workshop.path("stripped"), &DebugSearch::none());
        assert_eq!(image.facts().debug_file, None);
        assert!(
            image.facts().warnings.iter().any(|w| matches!(w, Warning::OtherBuild { .. })),
            "{:?}",
            image.facts()
        );

        std::fs::remove_file(workshop.path("program.debug")).expect("the debug file");
        let image = open(&workshop.path("stripped"), &DebugSearch::none());
        assert!(
            image.facts().warnings.iter().any(
                |w| matches!(w, Warning::NoDebugFile { debug_file, .. } if debug_file == "program.debug")
            )
        );
        assert_eq!(triad(&image), None);
    }
}

#[test]
fn by_build_id_and_from_caches() {
    let workshop = Workshop::new();
    let Some(program) = workshop.compile("gcc", "mixed.c", &["-g", "-O2"], "program") else { return };
    let Some(()) = split(&workshop) else { return };
    let expected = triad(&open(&program, &DebugSearch::none()));
    assert!(expected.is_some());
    let id = open(&program, &DebugSearch::none()).facts().build_id.clone().expect("a build id");
    let (first, rest) = id.split_at(2);
    let tree = workshop.path("debug").join(".build-id").join(first);
    let cache = workshop.path("cache").join(&id);
    for folder in [&tree, &cache] {
        std::fs::create_dir_all(folder).expect("a folder");
    }
    std::fs::copy(workshop.path("program.debug"), tree.join(format!("{rest}.debug"))).expect("a copy");
    std::fs::rename(workshop.path("program.debug"), cache.join("debuginfo")).expect("a move");
    let stripped = workshop.path("stripped");
    for search in [
        DebugSearch::none().with_directory(workshop.path("debug")),
        DebugSearch::none().with_cache(workshop.path("cache")),
    ] {
        assert_eq!(triad(&open(&stripped, &search)), expected);
    }
    assert_eq!(triad(&open(&stripped, &DebugSearch::none())), None);
}

#[test]
fn shared_between_files_by_dwz() {
    let workshop = Workshop::new();
    let flags = ["-g", "-O2", "-gdwarf-4"];
    for output in ["program", "second"] {
        let Some(_) = workshop.compile("gcc", "mixed.c", &flags, output) else { return };
    }
    let before = open(&workshop.path("program"), &DebugSearch::none());
    let places = |image: &Image| -> Vec<_> {
        let index = image.functions().iter().position(|f| f.name == "triad").expect("triad");
        let info = image.function(index).expect("triad");
        (info.address..info.end).map(|address| image.locate(address)).collect()
    };
    let expected = places(&before);
    assert!(expected.iter().any(|place| place.inlined.len() == 2));
    let Some(_) = workshop.run("dwz", &["-m", "common.debug", "-M", "common.debug", "program", "second"])
    else {
        return;
    };
    let read = workshop.run("readelf", &["-S", "program"]).expect("readelf");
    assert!(read.contains(".gnu_debugaltlink"), "dwz found something to share");
    let image = open(&workshop.path("program"), &DebugSearch::none());
    assert_eq!(places(&image), expected);

    std::fs::remove_file(workshop.path("common.debug")).expect("the shared file");
    let image = open(&workshop.path("program"), &DebugSearch::none());
    assert!(image.describe().warnings.iter().any(|w| matches!(w, Warning::NoSupplementary { supplementary, .. } if supplementary.ends_with("common.debug"))));
    // The compilation directory may have moved to the shared file; lines need no shared part.
    let lines = |places: &[loopwright_binary::image::Location]| -> Vec<_> {
        let name = |file: &str| Path::new(file).file_name().map(std::ffi::OsStr::to_owned);
        let place = |p: &SourceLocation| (name(&p.file), p.line, p.column);
        places.iter().map(|p| p.location.as_ref().map(place)).collect()
    };
    assert_eq!(lines(&places(&image)), lines(&expected));
}

#[test]
fn split_units_in_a_package() {
    for (version, packer) in [("-gdwarf-4", "dwp"), ("-gdwarf-5", "llvm-dwp-19")] {
        let workshop = Workshop::new();
        let flags = ["-g", "-O2", "-gsplit-dwarf", version];
        let Some(program) = workshop.compile("gcc", "mixed.c", &flags, "program") else { return };
        let expected = triad(&open(&program, &DebugSearch::none())).expect("triad");
        let Some(_) = workshop.run(packer, &["-e", "program", "-o", "program.dwp"]) else { continue };
        for entry in std::fs::read_dir(workshop.path("")).expect("the folder") {
            let path = entry.expect("an entry").path();
            if path.extension().is_some_and(|e| e == "dwo") {
                std::fs::remove_file(path).expect("the split unit");
            }
        }
        assert_eq!(triad(&open(&program, &DebugSearch::none())), Some(expected), "{version}");
        std::fs::remove_file(workshop.path("program.dwp")).expect("the package");
        // Lines stay in the program; the missing part is reported.
        let image = open(&program, &DebugSearch::none());
        assert_eq!(triad(&image), None);
        let index = image.functions().iter().position(|f| f.name == "triad").expect("triad");
        assert!(!image.line_rows(index).is_empty());
        assert!(
            image.describe().warnings.iter().any(|w| matches!(w, Warning::NoSplitFiles { .. })),
            "{version}"
        );
    }
}

#[test]
fn compressed_symbols_of_stripped_programs() {
    let workshop = Workshop::new();
    let Some(_) = workshop.compile("gcc", "mixed.c", &["-O2"], "program") else { return };
    for step in [
        ("objcopy", vec!["--only-keep-debug", "program", "mini"]),
        ("objcopy", vec!["-S", "--keep-symbol=triad", "--keep-symbol=complain", "mini"]),
        ("xz", vec!["mini"]),
        ("objcopy", vec!["-S", "--add-section", ".gnu_debugdata=mini.xz", "program", "stripped"]),
    ] {
        if workshop.run(step.0, &step.1).is_none() {
            return;
        }
    }
    let image = open(&workshop.path("stripped"), &DebugSearch::none());
    let names: Vec<&str> = image.functions().iter().map(|f| f.name.as_str()).collect();
    assert!(names.contains(&"triad") && names.contains(&"complain"), "{names:?}");
    assert!(image.facts().has_symbols);
}
