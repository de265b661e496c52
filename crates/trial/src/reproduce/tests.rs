//! Small programs whose answer one function, one option or one word of the link line changes.

use super::*;
use crate::session::tests::{Project, available};
use loopwright_experiment::reproduction::{
    CodeChange, CodeChangeKind, Condition, FileCulprits, Inlining, Probe, repair,
};
use loopwright_experiment::trials::Part;

fn side(text: &str) -> Option<Side> {
    Some(Side { compiler: None, options: text.split_whitespace().map(str::to_owned).collect() })
}

fn reproduced(project: &Project, good: &str, bad: &str) -> Reproduction {
    compared(project, How { good: side(good), bad: side(bad) })
}

fn compared(project: &Project, how: How) -> Reproduction {
    let before = project.stamps();
    let asked = project.asked();
    let commands = Commands::of(&asked.steps);
    let found = reproduce(&asked, &how, &commands, &|_| {}).unwrap();
    assert_eq!(project.stamps(), before, "the project has changed");
    found
}

/// The names of the sources and functions that change the answer.
fn blamed(found: &Reproduction) -> Vec<(String, Vec<String>)> {
    let base = |file: &str| file.rsplit('/').next().unwrap_or(file).to_owned();
    let functions = |of: &FileCulprits| of.functions.iter().flatten().map(|one| one.name.clone()).collect();
    found.files.iter().map(|of| (base(&of.file), functions(of))).collect()
}

const MAIN: &str = "#include <stdio.h>
double total(const double *x, int n);
double scaled(double x);
static double x[1000];
int main(void) {
    for (int i = 0; i < 1000; i++) x[i] = 1.0 / (i + 3);
    printf(\"%.17g\\n\", scaled(total(x, 1000)));
    return 0;
}
";
/// A function of the file alone has a sum, and both share a variable with others.
const SUM: &str = "static int calls;
static double sum(const double *x, int n) {
    double s = 0;
    calls++;
    for (int i = 0; i < n; i++)
        s += x[i];
    return s;
}
double total(const double *x, int n) { calls++; return calls == 1 ? sum(x, n) + calls : -1; }
int asked(void) { return calls; }
";
const SCALED: &str = "double scaled(double x) { return x * 2; }\n";

fn project() -> Project {
    Project::new(
        &[("main.c", MAIN), ("sum.c", SUM), ("scaled.c", SCALED)],
        &[
            "gcc -O2 -c main.c",
            "gcc -O2 -c sum.c",
            "gcc -O2 -c scaled.c",
            "gcc -o prog main.o sum.o scaled.o -lm",
        ],
    )
}

#[test]
fn the_function_with_a_sum_is_found_with_its_option_and_its_loop() {
    if !available("gcc") {
        return;
    }
    let found = reproduced(&project(), "-O2", "-O3 -ffast-math");
    assert_eq!(blamed(&found), [("sum.c".to_owned(), vec!["sum".to_owned()])], "{found:?}");
    // GCC 12 makes vectors of sums at -O3 alone.
    let sums = "-fassociative-math".to_owned();
    assert!(matches!(&found.options[..], [set] if set.contains(&sums)), "{:?}", found.options);
    assert_eq!(found.culprits.len(), 1, "numbers near zero do not occur: {:?}", found.culprits);
    assert_eq!(found.halted, None);
    let of_file = &found.files[0];
    assert!(of_file.inlining == Inlining::None && of_file.halted.is_none(), "{of_file:?}");
    let vectors = |one: &&CodeChange| one.what == CodeChangeKind::Vectors;
    let change = of_file.functions[0][0].changes.iter().find(vectors).expect("sums of several elements");
    assert!(change.in_loop && matches!(change.line, Some(5 | 6)), "{change:?}");
    let kept: Vec<&str> = found.repairs.iter().map(|one| one.change.as_str()).collect();
    assert_eq!(kept, [repair::AS_IT_IS, repair::OPTIONS_IN_FILES, repair::OPTIONS, repair::FILES]);
    let verdicts: Vec<Verdict> =
        found.repairs.iter().map(|one| one.answer.as_ref().unwrap().verdict).collect();
    assert_eq!(verdicts, [Verdict::Different, Verdict::Same, Verdict::Same, Verdict::Same]);
    assert!(found.repairs.iter().all(|one| one.pairs.len() >= 5), "{:?}", found.repairs);
    assert!(found.builds <= 40, "{} builds", found.builds);
}

#[test]
fn the_options_of_the_project_are_compared_with_strict_ones() {
    if !available("gcc") {
        return;
    }
    let project = Project::new(
        &[("main.c", MAIN), ("sum.c", SUM), ("scaled.c", SCALED)],
        &[
            "gcc -O3 -g -c main.c",
            "gcc -O3 -ffast-math -fno-common -Wall -c sum.c",
            "gcc -O3 -c scaled.c",
            "gcc -o prog main.o sum.o scaled.o -lm",
        ],
    );
    let found = compared(&project, How { good: None, bad: None });
    assert_eq!(blamed(&found), [("sum.c".to_owned(), vec!["sum".to_owned()])], "{found:?}");
    assert!(found.options.iter().any(|set| set.contains(&"-fassociative-math".to_owned())), "{found:?}");
    let kept = found.repairs.iter().find(|one| one.change == repair::OPTIONS_IN_FILES).expect("a repair");
    assert_eq!(kept.answer.as_ref().map(|answer| answer.verdict), Some(Verdict::Same));
    assert!(found.repairs[0].parts.is_empty(), "the project's own build has no more options");
}

#[test]
fn builds_with_the_same_answer_are_left_alone() {
    if !available("gcc") {
        return;
    }
    let found = reproduced(&project(), "-O1", "-O3");
    assert_eq!(found.answer.as_ref().map(|answer| answer.verdict), Some(Verdict::Same));
    assert!(found.culprits.is_empty() && found.repairs.is_empty() && found.halted.is_none(), "{found:?}");
    assert!(found.probes.iter().all(|probe| probe.end == End::Ran), "{:?}", found.probes);
}

#[test]
fn lines_that_are_ignored_are_no_answer() {
    if !available("gcc") {
        return;
    }
    let project = project();
    let asked = Asked { ignore: vec![regex::bytes::Regex::new("^[0-9.]+$").unwrap()], ..project.asked() };
    let commands = Commands::of(&asked.steps);
    let found = reproduce(&asked, &How { good: side("-O2"), bad: side("-Ofast") }, &commands, &|_| {});
    assert!(matches!(found, Err(Error::NothingToCompare)), "{found:?}");
}

#[test]
fn the_link_line_is_blamed_alone_where_it_is_the_cause() {
    if !available("gcc") || !cfg!(target_arch = "x86_64") {
        return;
    }
    // A number that is too small for the usual form; the compiler does not see it.
    let tiny = "#include <stdio.h>
int main(int argc, char **argv) {
    (void)argv;
    volatile double x = 1e-300 * argc;
    volatile double y = x * 1e-15;
    printf(\"%g\\n\", y);
    return 0;
}
";
    let project = Project::new(&[("tiny.c", tiny)], &["gcc -O2 -c tiny.c", "gcc -o prog tiny.o"]);
    let found = reproduced(&project, "-O2", "-O2 -ffast-math");
    assert_eq!(found.culprits, [[Unit::Link]], "{found:?}");
    assert!(found.files.is_empty(), "no source is to blame");
    let link = found.repairs.iter().find(|one| one.change == repair::LINK).expect("what keeps the answer");
    assert_eq!(link.answer.as_ref().map(|answer| answer.verdict), Some(Verdict::Same));
}

#[test]
fn sources_of_one_command_are_told_apart_and_fused_operations_named() {
    let has_fma = cfg!(target_arch = "x86_64") && std::arch::is_x86_feature_detected!("fma");
    if !available("gfortran") || !has_fma {
        return;
    }
    let first = "module numbers
contains
subroutine fill(x)
  real(8), intent(out) :: x(:)
  integer :: i
  do i = 1, size(x)
    x(i) = 1d0 / (i + 2)
  end do
end subroutine
end module
";
    let second = "program prog
  use numbers
  real(8) :: x(200), y
  integer :: i
  call fill(x)
  y = 0
  do i = 1, 200
    y = 1d0 - 1.7d0 * y * y + x(i) * 1d-3
  end do
  print '(es24.16)', y
end program
";
    let project = Project::new(
        &[("first.f90", first), ("second.f90", second)],
        &["gfortran -O2 -o prog first.f90 second.f90"],
    );
    let found = reproduced(&project, "-O2", "-O2 -mfma");
    assert_eq!(blamed(&found), [("second.f90".to_owned(), vec!["MAIN__".to_owned()])], "{found:?}");
    assert_eq!(found.options.len(), 1);
    let option = &found.options[0];
    assert!(option.iter().any(|name| name.contains("-ffp-contract")), "{option:?}");
    let changes = &found.files[0].functions[0][0].changes;
    let fused = |line| {
        move |one: &CodeChange| one.what == CodeChangeKind::Fused && one.line == Some(line) && one.in_loop
    };
    assert!(changes.iter().any(fused(8)), "{changes:?}");
    let off = found.repairs.iter().find(|one| one.change == repair::OPTIONS).expect("a repair");
    assert!(
        matches!(&off.parts[0], Part::Options { options, .. } if options.last().unwrap() == "-ffp-contract=off")
    );
}

/// A template that two sources have, a static initialiser, and an exception: halves of one source must be one program.
#[test]
fn templates_initialisers_and_exceptions_are_exchanged() {
    if !available("g++") {
        return;
    }
    let header = "#include <vector>
#include <stdexcept>
template <class T> T norm(const std::vector<T> &x) {
    T s = 0;
    for (auto v : x) s += v;
    if (s < 0) throw std::runtime_error(\"negative\");
    return s;
}
double other(const std::vector<double> &x);
";
    let main = "#include \"norm.h\"
#include <cstdio>
struct Once { int n = 0; Once() { n++; std::puts(\"made\"); } };
static Once once;
static double positive(const std::vector<double> &x) {
    try { return norm(x); } catch (const std::exception &) { return -1; }
}
int main() {
    std::vector<double> x(1000), y(10, -1.0);
    for (int i = 0; i < 1000; i++) x[i] = 1.0 / (i + 3);
    std::printf(\"%.17g %g %.17g %d\\n\", positive(x), positive(y), other(x), once.n);
}
";
    let other = "#include \"norm.h\"
double other(const std::vector<double> &x) { return x.size() > 3 ? x[3] * 3 : 0; }
";
    let project = Project::new(
        &[("norm.h", header), ("main.cpp", main), ("other.cpp", other)],
        &["g++ -O2 -c main.cpp", "g++ -O2 -c other.cpp", "g++ -o prog main.o other.o"],
    );
    let found = reproduced(&project, "-O2", "-O3 -ffast-math");
    let blamed = blamed(&found);
    assert_eq!(blamed.len(), 1, "{found:?}");
    assert_eq!(blamed[0].0, "main.cpp");
    assert!(blamed[0].1.len() == 1 && blamed[0].1[0].starts_with("double norm<double>("), "{found:?}");
}

#[test]
fn a_sum_that_threads_share_is_found_before_any_build_is_blamed() {
    if !available("gcc") {
        return;
    }
    let text = "#include <stdio.h>
int main(void) {
    double s = 0;
    #pragma omp parallel for reduction(+:s)
    for (int i = 0; i < 100000; i++) s += 1.0 / (i + 3);
    printf(\"%.17g\\n\", s);
    return 0;
}
";
    let project =
        Project::new(&[("omp.c", text)], &["gcc -O2 -fopenmp -c omp.c", "gcc -fopenmp -o prog omp.o"]);
    let found = reproduced(&project, "-O2", "-O3");
    let threads = |probe: &&Probe| matches!(probe.condition, Condition::Threads { .. });
    let differs = |probe: &Probe| probe.answer.as_ref().is_some_and(|one| one.verdict == Verdict::Different);
    assert!(found.probes.iter().filter(threads).any(differs), "{:?}", found.probes);
    assert!(found.culprits.is_empty(), "{found:?}");
}
