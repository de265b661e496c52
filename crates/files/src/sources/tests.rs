use super::*;
use std::os::unix::fs::symlink;

struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    fn file(&self, name: &str) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("makes folders");
        std::fs::write(&path, "int a;\n").expect("writes");
        path
    }

    fn granted(&self, compiled_in: &str) -> Granted {
        Granted::new(&[], [self.0.path().join(compiled_in).as_path()])
    }
}

#[test]
fn sources_below_the_compilation_folder_are_read_and_others_are_not() {
    let place = Place::new();
    let inside = place.file("work/src/a.c");
    let outside = place.file("other/b.c");
    let granted = place.granted("work");
    assert!(granted.source(&inside).is_ok());
    assert!(matches!(granted.source(&outside), Err(Refusal::Outside)));
    let around = place.0.path().join("work/src/../../other/b.c");
    assert!(matches!(granted.source(&around), Err(Refusal::Outside)));
    assert!(matches!(granted.source(&place.0.path().join("work/none.c")), Err(Refusal::Absent(_))));
    let given = Granted::new(&[place.0.path().join("other")], [] as [&Path; 0]);
    assert!(given.source(&outside).is_ok() && given.source(&inside).is_err());
}

#[test]
fn the_name_and_the_place_are_those_of_what_a_link_leads_to() {
    let place = Place::new();
    place.file("work/a.c");
    let secret = place.file("work/secret");
    let far = place.file("other/b.c");
    let granted = place.granted("work");
    for (target, name) in [(secret, "one.c"), (far, "two.c"), ("/etc/passwd".into(), "three.c")] {
        let link = place.0.path().join("work").join(name);
        symlink(&target, &link).expect("links");
        assert!(granted.source(&link).is_err(), "{}", target.display());
    }
}

#[test]
fn no_compilation_folder_opens_the_system() {
    let named = ["/", "/etc", "/etc/../etc", "/usr", "/var", "/home", "/proc/self", "/dev", "/run"];
    let granted = Granted::new(&[], named.map(Path::new));
    assert!(granted.compiled.is_empty(), "{:?}", granted.compiled);
    for file in ["/etc/passwd", "/etc/shadow", "/proc/self/environ", "/dev/zero"] {
        assert!(granted.source(Path::new(file)).is_err(), "{file}");
    }
}

#[test]
fn hidden_folders_and_pipes_are_not_read() {
    let place = Place::new();
    let hidden = place.file("work/.ssh/config.c");
    let pipe = place.0.path().join("work/pipe.c");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo starts").success());
    let granted = place.granted("work");
    assert!(matches!(granted.source(&hidden), Err(Refusal::Outside)));
    assert!(matches!(granted.source(&pipe), Err(Refusal::NotRegular)));
}

#[test]
fn a_build_folder_belongs_to_its_project() {
    let place = Place::new();
    let source = place.file("project/src/a.c");
    place.file("project/build/x/Makefile");
    let far = place.file("b.c");
    assert!(place.granted("project/build/x").source(&source).is_err());
    place.file("project/CMakeLists.txt");
    let granted = place.granted("project/build/x");
    assert!(granted.source(&source).is_ok());
    assert!(granted.source(&far).is_err());
}

#[test]
fn headers_come_from_the_project_from_named_folders_and_from_the_system() {
    let place = Place::new();
    place.file("work/a.c");
    let own = place.file("work/table.dat");
    let header = place.file("library/Dense");
    let key = place.file("library/key.pem");
    let secret = place.file("library/.hidden/key.h");
    let library = place.0.path().join("library");
    // Folders of temporary files are hidden ones here, unless they are given.
    let granted = Granted::new(std::slice::from_ref(&library), [place.0.path().join("work").as_path()]);
    assert!(granted.include_folder(&library) && !granted.include_folder(Path::new("/etc")));
    assert!(!granted.include_folder(Path::new("/dev")) && granted.include_folder(Path::new("/usr/include")));
    let granted = place.granted("work");
    let folders = [library];
    assert!(granted.includes(&own, &[]) && granted.includes(Path::new("/usr/include/stdio.h"), &[]));
    assert!(granted.includes(&header, &folders) && !granted.includes(&header, &[]));
    for file in [key.as_path(), &secret, Path::new("/etc/passwd"), Path::new("/dev/zero")] {
        assert!(!granted.includes(file, &folders), "{}", file.display());
    }
}
