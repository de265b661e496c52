//! `loopwright tune`: from a build to a table and to files for build systems, and what it refuses.

use crate::tool::Scratch;

const SOURCE: &str = "#include <stdio.h>
int main(void) {
    static double x[1000];
    double sum = 0;
    for (int k = 0; k < 20000; k++)
        for (int i = 0; i < 1000; i++) { x[i] = x[i] * 0.5 + i + k; sum += x[i] > 900 ? 1 : 0; }
    printf(\"%.17g\\n\", sum);
    return 0;
}
";

fn project() -> Scratch {
    let scratch = Scratch::new();
    std::fs::write(scratch.file("a.c"), SOURCE).unwrap();
    scratch
}

/// An unoptimised build is slower than any other in each run, so that its best one is certain on every machine.
#[test]
fn the_best_build_is_found_shown_and_written() {
    let scratch = project();
    scratch.ok(["build", "--", "gcc", "-O0", "-g", "-o", "prog", "a.c"]);
    let arguments = ["tune", "--json", "--axes", "flags", "--budget", "2m,60runs", "--", "./prog"];
    let said = scratch.run(arguments);
    assert_eq!(said.status, Some(0), "{}", said.err);
    let tuning = crate::contract::document(&said.out)["tuning"].clone();
    assert_eq!(tuning["best"]["outcome"], "faster", "{tuning}");
    assert_eq!(tuning["best"]["answer"], "same");
    assert!(tuning["runs"].as_u64().unwrap() <= 60, "{tuning}");
    let text = scratch.ok(["show", "tune"]);
    assert!(text.contains("tuned: ") && text.contains("same answer") && text.contains("O3-native"), "{text}");
    let shell = scratch.ok(["tune", "--emit", "sh"]);
    assert!(shell.contains("export CFLAGS=\"${CFLAGS:-} -O"), "{shell}");
    for (format, part) in
        [("make", "CFLAGS += -O"), ("cmake", "add_compile_options("), ("presets", "\"version\": 3")]
    {
        assert!(scratch.ok(["tune", "--emit", format]).contains(part), "{format}");
    }
    let cargo = scratch.run(["tune", "--emit", "cargo"]);
    assert!(cargo.status == Some(2) && cargo.err.contains("none of cargo"), "{}", cargo.err);
    assert!(!scratch.file("a.out").exists());
}

#[test]
fn what_cannot_be_searched_is_refused_with_the_way_out() {
    let scratch = project();
    let refused = |arguments: &[&str], status: i32, part: &str| {
        let said = scratch.run(arguments.iter().copied());
        assert!(said.status == Some(status) && said.err.contains(part), "{arguments:?}: {}", said.err);
    };
    refused(&["tune", "--", "./prog"], 2, "loopwright build");
    refused(&["tune", "--emit", "sh"], 2, "loopwright tune");
    refused(&["tune"], 2, "PROGRAM");
    refused(&["tune", "--budget", "3runs", "--", "./prog"], 2, "20runs");
    refused(&["tune", "--axes", "everything", "--", "./prog"], 2, "compiler");
    scratch.ok(["build", "--", "gcc", "-O2", "-o", "prog", "a.c"]);
    refused(&["tune", "--", "./other"], 2, "./other");
    let text = scratch.run(["show", "tune"]);
    assert_ne!(text.status, Some(101), "{}", text.err);
}
