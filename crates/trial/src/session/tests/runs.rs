//! What runs print and how long they take: lines that differ each time, libraries that are loaded before, budgets that do not do.

use super::*;

#[test]
fn a_line_with_a_time_does_not_keep_its_numbers_from_being_compared() {
    if !available("gcc") {
        return;
    }
    let text = "#include <stdio.h>\n#include <unistd.h>\nint main(void) {\n    int sum = 41;\n    printf(\"sum %d process %d\\n\", sum, getpid());\n    return 0;\n}\n";
    let project = Project::new(&[("a.c", text)], &["gcc -O2 a.c -o prog"]);
    let line = "    int sum = 41;";
    let all = [
        ("right", vec![project.edit("a.c", line, "    int sum = getpid() ? 41 : 0;\n")]),
        ("wrong", vec![project.edit("a.c", line, "    int sum = 42;\n")]),
    ];
    let tried = project.tried(&project.asked(), &all);
    assert_eq!(verdict(&tried[0]), Some(Verdict::Same), "{:?}", tried[0]);
    let first = tried[1].answer.as_ref().unwrap().first.as_ref().unwrap();
    assert_eq!(first.found, "sum 42 process ~", "{:?}", tried[1]);
}

#[test]
fn a_program_that_sometimes_prints_something_else_blames_no_change() {
    if !available("gcc") {
        return;
    }
    // The file is above the copy, so that it counts all runs: each third one prints another line.
    let text = "#include <stdio.h>\nint main(void) {\n    int n = 0;\n    FILE *f = fopen(\"../count\", \"r+\");\n    if (!f || fscanf(f, \"%d\", &n) != 1) return 1;\n    rewind(f);\n    fprintf(f, \"%d\\n\", n + 1);\n    printf(\"7 steps\\nmode %s\\n\", n % 3 == 2 ? \"b\" : \"a\");\n    return 0;\n}\n";
    let files = [("w/a.c", text), ("count", "0\n")];
    let project = Project::new(&files, &["gcc -O2 -o w/prog w/a.c"]);
    let asked = Asked { directory: project.path.join("w"), ..project.asked() };
    let edit = project.edit("w/a.c", "    int n = 0;", "    int n = 1;\n");
    let all = [candidate("other", vec![edit])];
    let trials = try_all(&asked, |_, _| all.to_vec(), |_| Vec::new(), &|_| {}).unwrap();
    assert_eq!(verdict(&trials.trials[0]), Some(Verdict::Same), "{:?}", trials.trials[0]);
    assert_eq!(trials.unsteady[0].lines, [2]);
}

#[test]
fn a_library_that_is_loaded_before_is_in_the_run() {
    if !available("gcc") {
        return;
    }
    let program = "#include <stdio.h>\n#include <stdlib.h>\nint main(void) { printf(\"%d\\n\", abs(getenv(\"HOME\") ? -2 : -2) + atoi(\"5\")); return 0; }\n";
    let files = [
        ("a.c", program),
        ("same.c", "int unused(void) { return 0; }\n"),
        (
            "wrong.c",
            "int atoi(const char *s) { return 6; }\nlong strtol(const char *s, char **e, int b) { return 6; }\n",
        ),
    ];
    let library = |name: &str| format!("gcc -shared -fPIC -o {name}.so {name}.c");
    let project = Project::new(&files, &["gcc -O0 a.c -o prog", &library("same"), &library("wrong")]);
    let load = |name: &str| vec![Part::Variable { name: "LD_PRELOAD".into(), value: project.file(name) }];
    let tried = project.tried(&project.asked(), &[("same", load("same.so")), ("wrong", load("wrong.so"))]);
    assert_eq!((&tried[0].end, verdict(&tried[0])), (&End::Ran, Some(Verdict::Same)));
    assert_eq!(tried[1].answer.as_ref().unwrap().first.as_ref().unwrap().found, "8", "{:?}", tried[1]);
}

#[test]
fn a_budget_that_does_not_do_says_what_would() {
    if !available("gcc") {
        return;
    }
    let text = "#include <stdio.h>\n#include <time.h>\nint main(void) {\n    while (clock() < CLOCKS_PER_SEC / 5) {}\n    puts(\"9\");\n    return 0;\n}\n";
    let project = Project::new(&[("a.c", text)], &["gcc -O2 a.c -o prog"]);
    let asked = Asked { budget: Some(Duration::from_secs(2)), ..project.asked() };
    let planned = RefCell::new(Vec::new());
    let variable = |value: &str| vec![Part::Variable { name: "NOTHING".into(), value: value.into() }];
    let all: Vec<_> = (0..5).map(|n| candidate(&format!("n{n}"), variable(&n.to_string()))).collect();
    let progress = |stage: Stage| {
        if let Stage::Planned(changes, most) = stage {
            planned.borrow_mut().push((changes, most.as_secs()));
        }
    };
    let trials = try_all(&asked, |_, _| all, |_| Vec::new(), &progress).unwrap();
    assert_eq!(*planned.borrow(), [(5, 2)]);
    let last = &trials.trials[4].end;
    let End::LeftAlone { why: Why::NoTime { needed: Some(needed), budget: Some(budget) } } = last else {
        panic!("{last:?}")
    };
    assert!(*needed >= 2 && budget > needed, "{last:?}");
}

#[test]
fn names_of_single_changes_must_be_those_of_changes() {
    if !available("gcc") {
        return;
    }
    let text = "#include <stdio.h>\nint main(void) { printf(\"1\\n\"); return 0; }\n";
    let project = Project::new(&[("a.c", text)], &["gcc -O2 -o prog a.c"]);
    let asked = Asked { names: vec!["unrol".into()], ..project.asked() };
    let found = try_all(&asked, |_, _| Vec::new(), |_| Vec::new(), &|_| {}).unwrap_err();
    assert!(found.is_misuse() && found.to_string().contains("unrol"), "{found}");
}
