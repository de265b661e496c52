use super::*;

fn words(line: &str) -> Vec<String> {
    shlex::split(line).unwrap()
}

#[test]
fn compilations_are_told_from_everything_else() {
    for line in [
        "-c a.c -o a.o",
        "a.c -o a",
        "-O2 -MMD -MF a.d -I inc -c src/a.cpp",
        "-x c -c weird.name",
        "-c m.F90 -J mods",
    ] {
        let shape = shape(&words(line));
        assert_eq!(shape.not_compiling, None, "{line}");
        assert_eq!(shape.sources.len(), 1, "{line}");
    }
    for line in [
        "-E a.c",
        "-M a.c",
        "-S a.c",
        "-c a.s",
        "-c a.S",
        "a.o b.o -o prog",
        "--version",
        "-print-file-name=libc.a",
        "-c - -x c",
        "-x c - -o x",
        "-c a.c -o -",
        "-###  -c a.c",
        "",
        "-x assembler -c a.c",
        "-o a.c",
    ] {
        assert!(shape(&words(line)).not_compiling.is_some(), "{line}");
    }
}

#[test]
fn flags_that_decide_about_the_object_are_seen() {
    let s = shape(&words("-g -O2 -flto -frecord-gcc-switches -c a.c"));
    assert!(s.debug && s.lto && s.records_flags && s.optimizes);
    let s = shape(&words("-g -g0 -O2 -O0 -c a.c"));
    assert!(!s.debug && !s.optimizes);
    assert_eq!(shape(&words("-c a.c b.c")).sources, ["a.c", "b.c"]);
}

#[test]
fn a_question_writes_nothing_beside_its_report() {
    let all = words(
        "-O3 -g -MMD -MF a.d -MT a.o -Wp,-MD,x.d -I inc -DX=1 -c a.c b.c -o a.o -lm -Wl,-rpath,x lib.a --coverage -flto=auto",
    );
    let sources = vec!["a.c".to_string(), "b.c".to_string()];
    assert_eq!(without_outputs(&all, "a.c", &sources), words("-O3 -g -I inc -DX=1 a.c -fprofile-arcs"));
}

#[test]
fn response_files_are_followed_but_not_for_ever() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("args"), "-O2 -c 'my file.c' @self").unwrap();
    std::fs::write(folder.path().join("self"), "@self").unwrap();
    let expanded = expand(&words("@args @absent"), folder.path(), &|_| true);
    assert_eq!(expanded, ["-O2", "-c", "my file.c", "@self", "@absent"]);
}
