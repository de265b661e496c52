//! `loopwright reproduce`: from a build to the option, the function and the loop that change an answer, and what it refuses.

use crate::tool::Scratch;

const SUM: &str = "double sum(const double *x, int n) {
    double s = 0;
    for (int i = 0; i < n; i++)
        s += x[i];
    return s;
}
";
const MAIN: &str = "#include <stdio.h>
double sum(const double *x, int n);
int main(void) {
    static double x[1000];
    for (int i = 0; i < 1000; i++) x[i] = 1.0 / (i + 3);
    printf(\"%.17g\\n\", sum(x, 1000));
    return 0;
}
";

fn project() -> Scratch {
    let scratch = Scratch::new();
    std::fs::write(scratch.file("sum.c"), SUM).unwrap();
    std::fs::write(scratch.file("main.c"), MAIN).unwrap();
    scratch
}

#[test]
fn the_option_the_function_and_the_loop_are_named() {
    let scratch = project();
    scratch.ok(["build", "--", "gcc", "-O2", "-o", "prog", "sum.c", "main.c"]);
    let text =
        scratch.ok(["reproduce", "--good", "-O2", "--bad", "-Ofast", "--budget", "2m", "--", "./prog"]);
    for part in [
        "sum.c",
        "-fassociative-math",
        "vectors in place of single numbers, loop at line",
        "sum.c changes the answer",
    ] {
        assert!(text.contains(part), "{part} is missing in\n{text}");
    }
    let found =
        crate::contract::document(&scratch.ok(["show", "reproduce", "--json"]))["reproduction"].clone();
    assert_eq!(found["outcome"], "sources", "{found}");
    assert_eq!(found["files"][0]["functions"][0][0]["name"], "sum", "{found}");
    let cheapest = usize::try_from(found["cheapest"].as_u64().expect("something keeps the answer")).unwrap();
    assert_eq!(found["repairs"][cheapest]["answer"], "same", "{found}");
    assert!(!scratch.file("a.out").exists() && !scratch.file("sum.o").exists());
    let same = scratch.ok(["reproduce", "--bad", "-O1", "--budget", "2m", "--", "./prog"]);
    assert!(same.contains("both builds give the same answer"), "{same}");
}

#[test]
fn what_cannot_be_compared_is_refused_with_the_way_out() {
    let scratch = project();
    let refused = |arguments: &[&str], status: i32, part: &str| {
        let said = scratch.run(arguments.iter().copied());
        assert!(said.status == Some(status) && said.err.contains(part), "{arguments:?}: {}", said.err);
    };
    refused(&["reproduce", "--", "./prog"], 2, "loopwright build");
    refused(&["reproduce"], 2, "PROGRAM");
    refused(&["reproduce", "--bad", "-O2 main.c", "--", "./prog"], 2, "-Ofast");
    scratch.ok(["build", "--", "gcc", "-O2", "-o", "prog", "sum.c", "main.c"]);
    refused(&["reproduce", "--bad", "nocc -O2", "--", "./prog"], 2, "nocc");
    refused(&["reproduce", "--good", "-fno-such-option", "--", "./prog"], 1, "no-such-option");
    let text = scratch.ok(["reproduce", "--bad", "-fno-such-option", "--", "./prog"]);
    assert!(text.contains("the second build was not made") && text.contains("no-such-option"), "{text}");
}
