//! Programs whose builds take more than repeating a command of a C compiler: rustc, headers, clang with link-time optimisation.

use super::*;

#[test]
fn a_program_of_rustc_is_built_again_with_other_options() {
    if !available("rustc") {
        return;
    }
    let text = "fn main() {\n    let n: u64 = std::hint::black_box(1000);\n    println!(\"{}\", (0..n).map(|i| i * i).sum::<u64>());\n}\n";
    let project = Project::new(&[("a-b.rs", text)], &["rustc -C opt-level=2 -g a-b.rs --out-dir out"]);
    let asked = Asked { command: vec!["out/a-b".into()], ..project.asked() };
    let with = |options: &str| {
        let options = options.split(' ').map(str::to_owned).collect();
        vec![Part::Options { files: Vec::new(), options }]
    };
    let all = [("plain", with("-C opt-level=0")), ("none", with("-C no-such-option=1"))];
    let tried = project.tried(&asked, &all);
    assert_eq!((&tried[0].end, verdict(&tried[0])), (&End::Ran, Some(Verdict::Same)), "{:?}", tried[0]);
    assert!(
        matches!(&tried[1].end, End::NotBuilt { error } if error.contains("no-such-option")),
        "{:?}",
        tried[1]
    );
}

/// A header that is found from the folder of another one, before all folders of options.
const HEADERS: [(&str, &str); 4] = [
    ("sub/loops.h", "#pragma once\n#include \"inner.h\"\n"),
    (
        "sub/inner.h",
        "#define STEP 1\nstatic int turns(int n) {\n    int sum = 0;\n    for (int i = 0; i < n; i += STEP)\n        sum += i;\n    return sum;\n}\n",
    ),
    (
        "a.c",
        "#include <stdio.h>\n#include \"sub/loops.h\"\nint other(void);\nint main(void) { printf(\"%d %d\\n\", turns(10), other()); return 0; }\n",
    ),
    ("b.c", "#include <stdlib.h>\nint other(void) { return abs(-3); }\n"),
];

#[test]
fn a_header_is_edited_for_the_sources_that_include_it() {
    for compiler in ["gcc", "clang"] {
        if !available(compiler) {
            continue;
        }
        let compile = |name: &str| format!("{compiler} -O1 -I. -c {name}.c -o {name}.o");
        let link = format!("{compiler} -o prog a.o b.o");
        let project = Project::new(&HEADERS, &[&compile("a"), &compile("b"), &link]);
        let lines = Lines::of(&project.steps);
        let limits = Limits { time: Duration::from_secs(60), file: 1 << 30, stop: &NEVER };
        let workshop = Workshop::new(&lines, project.path.join("prog"), limits).unwrap();
        let header = project.path.join("sub/inner.h");
        let including: Vec<_> =
            workshop.including(&header).iter().map(|line| line.sources[0].path.clone()).collect();
        assert_eq!(including, [project.path.join("a.c")]);
        assert!(workshop.including(&project.path.join("sub/none.h")).is_empty());

        let line = "    for (int i = 0; i < n; i += STEP)";
        let edit = project.edit("sub/inner.h", line, "    for (int i = 0; i <= n; i += STEP)\n");
        let pragma = project.edit("sub/inner.h", line, &format!("    _Pragma(\"GCC unroll 8\")\n{line}\n"));
        let stale = Part::Edit {
            file: project.file("sub/inner.h"),
            line: 2,
            before: "x\n".into(),
            after: "y\n".into(),
        };
        let choose = |builder: &mut Builder, _: &Path| {
            let Builder::Commands(workshop) = builder else { panic!("commands") };
            workshop.including(&header);
            let all = [("wrong", edit), ("unroll", pragma), ("stale", stale)];
            all.map(|(name, part)| candidate(name, vec![part])).to_vec()
        };
        let tried = try_all(&project.asked(), choose, |_| Vec::new(), &|_| {}).unwrap().trials;
        let answer = tried[0].answer.as_ref().unwrap_or_else(|| panic!("{compiler}: {:?}", tried[0]));
        assert_eq!(answer.first.as_ref().unwrap().found, "55 3", "{compiler}");
        let same = verdict(&tried[1]) == Some(Verdict::Same) || matches!(tried[1].end, End::SameCode { .. });
        assert!(same, "{compiler}: {:?}", tried[1]);
        assert!(
            matches!(&tried[2].end, End::NotBuilt { error } if error.contains("line 2 of")),
            "{:?}",
            tried[2]
        );
    }
}

#[test]
fn clang_optimises_at_link_time_where_it_has_its_linker() {
    if !available("clang") {
        return;
    }
    let commands = ["clang -O1 -c f.c -o f.o", "ar rcs libf.a f.o", "clang -O1 main.c libf.a -o prog"];
    let project = Project::new(&BRANCHES, &commands);
    let options = ["-flto=thin", "-fuse-ld=lld"].map(str::to_owned).to_vec();
    let part = Part::Options { files: Vec::new(), options };
    let tried = project.tried(&project.asked(), &[("link-time-optimisation", vec![part])]);
    let has_linker = Command::new("clang")
        .args(["-print-prog-name=ld.lld"])
        .output()
        .is_ok_and(|found| Path::new(String::from_utf8_lossy(&found.stdout).trim()).is_absolute());
    if has_linker {
        assert_eq!((&tried[0].end, verdict(&tried[0])), (&End::Ran, Some(Verdict::Same)), "{:?}", tried[0]);
    } else {
        assert!(matches!(&tried[0].end, End::NotBuilt { error } if error.contains("lld")), "{:?}", tried[0]);
    }
}

#[test]
fn a_function_of_another_name_in_its_object_is_measured_inside_runs() {
    if !available("g++") {
        return;
    }
    let commands = ["g++ -O2 -c f.cpp -o f.o", "g++ -O2 -c m.cpp -o m.o", "g++ -o prog f.o m.o"];
    let project = Project::new(&[("f.cpp", UNITS), ("m.cpp", CALLER)], &commands);
    let hot = Hot {
        function: "work(double const*, int)".into(),
        file: project.path.join("f.cpp"),
        self_share: 0.9,
        total_share: 0.9,
        calls: None,
    };
    let fewer = candidate("fewer", vec![project.options("f.cpp", "-DUNITS=200")]);
    let asked = Asked { budget: Some(IN_RUN), ..project.asked() };
    let trials = try_all(&asked, |_, _| vec![fewer], |_| vec![hot], &|_| {}).unwrap();
    let trial = &trials.trials[0];
    let in_run = trial.in_run.as_ref().unwrap_or_else(|| panic!("{:?}", trial.not_in_run));
    assert_eq!(in_run.function, "work(double const*, int)");
    assert_eq!(tried::outcome(trial, &[]), TriedOutcome::Faster);
}

#[test]
fn objects_that_no_change_compiles_are_those_of_the_build() {
    if !available("gcc") {
        return;
    }
    let files = [
        (
            "a.c",
            "#include <stdio.h>\nint two(void);\nint main(void) { printf(\"%d\\n\", two() + ONE); return 0; }\n",
        ),
        ("b.c", "int two(void) { return 2; }\n"),
    ];
    let build = ["gcc -DONE=1 -c a.c -o a.o", "gcc -DONE=1 -c b.c -o b.o", "gcc -o prog a.o b.o"];
    let project = Project::new(&files, &build);
    let whole = |options: &str| Part::Options { files: Vec::new(), options: vec![options.to_owned()] };
    // A source that cannot be compiled any more is not needed until a change needs all.
    std::fs::write(project.path.join("b.c"), "#error changed\n").unwrap();
    let all = [("single", vec![project.options("a.c", "-UONE -DONE=2")]), ("all", vec![whole("-O1")])];
    let tried = project.tried(&project.asked(), &all);
    assert_eq!(tried[0].answer.as_ref().unwrap().first.as_ref().unwrap().found, "4", "{:?}", tried[0]);
    assert!(
        matches!(&tried[1].end, End::NotBuilt { error } if error.contains("#error changed")),
        "{:?}",
        tried[1]
    );
    std::fs::write(project.path.join("b.c"), files[1].1).unwrap();
    std::fs::remove_file(project.path.join("b.o")).unwrap();
    let tried = project.tried(&project.asked(), &all[..1]);
    assert_eq!(verdict(&tried[0]), Some(Verdict::Different), "{:?}", tried[0]);
}

/// Prints a number and its argument.
const STARTED: &str = "#include <stdio.h>\n#include <stdlib.h>\nint main(int n, char **words) {\n    int sum = 41;\n    printf(\"%d %s %s\\n\", sum, n > 1 ? words[1] : \"-\", getenv(\"X\") ? getenv(\"X\") : \"-\");\n    return 0;\n}\n";

#[test]
fn what_starts_a_program_starts_its_versions() {
    if !available("gcc") {
        return;
    }
    let files = [
        ("a.c", STARTED),
        ("run.sh", "#!/bin/sh\nX=script exec \"$@\"\n"),
        ("own.sh", "#!/bin/sh\nexec ./prog\n"),
        ("both.sh", "#!/bin/sh\n\"$1\" first; \"$2\" second\n"),
    ];
    let build = ["gcc -O2 a.c -o prog", "chmod +x run.sh own.sh both.sh", "cp prog copy"];
    let project = Project::new(&files, &build);
    let asked = |line: &str| {
        let command = line.split(' ').map(str::to_owned).collect();
        Asked { command, steps: project.steps[..1].to_vec(), ..project.asked() }
    };
    let wrong = vec![project.edit("a.c", "    int sum = 41;", "    int sum = 42;\n")];
    let starts = [
        ("./prog 5", "42 5 -"),
        ("env X=7 ./prog 5", "42 5 7"),
        ("nice -n 1 env X=7 ./prog", "42 - 7"),
        ("./run.sh ./prog 5", "42 5 script"),
        ("./both.sh ./prog ./prog", "42 first -"),
        ("./copy 5", "42 5 -"),
    ];
    for (line, found) in starts {
        let tried = project.tried(&asked(line), &[("wrong", wrong.clone())]);
        let first = tried[0].answer.as_ref().and_then(|answer| answer.first.as_ref());
        assert_eq!(first.map(|first| first.found.as_str()), Some(found), "{line}: {:?}", tried[0]);
    }
    let error = |line: &str| try_all(&asked(line), |_, _| Vec::new(), |_| Vec::new(), &|_| {}).unwrap_err();
    assert!(matches!(error("./own.sh ./prog"), Error::NotStarted { .. }), "{}", error("./own.sh ./prog"));
    assert!(matches!(error("./own.sh"), Error::Script { .. }));
    for line in ["sh own.sh", "env X=1 ls"] {
        let error = error(line);
        assert!(matches!(error, Error::NeitherOfABuild { .. }) && error.is_misuse(), "{line}: {error}");
    }
}
