//! Small programs with planted mistakes: what a change breaks is refused, and no trial ends the call.

use super::*;

mod builds;
mod runs;

use loopwright_answers::{Check, Tolerance};
use loopwright_experiment::trials::NotInRun;
use loopwright_remarks::build::step::Step;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::process::{Command, Stdio};
use std::sync::atomic::AtomicBool;
use std::time::SystemTime;

/// All of it in one call.
fn try_all(
    asked: &Asked,
    choose: impl FnOnce(&mut Builder, &Path) -> Vec<Candidate>,
    hot: impl FnOnce(&Path) -> Vec<Hot>,
    progress: &dyn Fn(Stage),
) -> Result<Trials, Error> {
    let commands = Commands::of(&asked.steps);
    super::try_all(asked, ready(asked, &commands)?, choose, hot, progress)
}

static NEVER: AtomicBool = AtomicBool::new(false);

pub(crate) fn available(program: &str) -> bool {
    let found = Command::new(program).arg("--version").stdout(Stdio::null()).status().is_ok();
    assert!(
        found || std::env::var_os("LOOPWRIGHT_REQUIRE_ALL").is_none(),
        "{program} is required but absent"
    );
    found
}

/// A project that is built, with the commands of its build.
pub(crate) struct Project {
    _folder: tempfile::TempDir,
    pub path: PathBuf,
    pub steps: Vec<Step>,
}

impl Project {
    pub fn new(files: &[(&str, &str)], commands: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().canonicalize().unwrap();
        for (name, text) in files {
            std::fs::create_dir_all(path.join(name).parent().unwrap()).unwrap();
            std::fs::write(path.join(name), text).unwrap();
        }
        let mut steps = Vec::new();
        for command in commands {
            let done = Command::new("sh").args(["-c", command]).current_dir(&path).status().unwrap();
            assert!(done.success(), "{command}");
            let arguments = command.split_whitespace().map(str::to_owned).collect();
            steps.push(Step::now(path.clone(), arguments));
        }
        Self { _folder: folder, path, steps }
    }

    pub fn file(&self, name: &str) -> String {
        self.path.join(name).to_string_lossy().into_owned()
    }

    pub fn asked(&self) -> Asked<'static> {
        Asked {
            command: vec!["./prog".into()],
            directory: self.path.clone(),
            leave: Vec::new(),
            input: None,
            steps: self.steps.clone(),
            outputs: Vec::new(),
            check: Check::Exact,
            measure: None,
            ignore: Vec::new(),
            verify: None,
            kinds: Vec::new(),
            names: Vec::new(),
            budget: Some(Duration::from_secs(600)),
            disk: 1 << 30,
            stop: &NEVER,
        }
    }

    fn tried(&self, asked: &Asked, all: &[(&str, Vec<Part>)]) -> Vec<Trial> {
        let before = self.stamps();
        let candidates = |_: &mut Builder, _: &Path| {
            all.iter().map(|(name, parts)| candidate(name, parts.clone())).collect()
        };
        let trials = try_all(asked, candidates, |_| Vec::new(), &|_| {}).unwrap();
        assert_eq!(self.stamps(), before, "the project has changed");
        trials.trials
    }

    /// Every file with its time and size.
    pub fn stamps(&self) -> BTreeMap<PathBuf, (SystemTime, u64)> {
        let mut stamps = BTreeMap::new();
        let mut open = vec![self.path.clone()];
        while let Some(folder) = open.pop() {
            for entry in std::fs::read_dir(folder).unwrap().flatten() {
                let data = entry.metadata().unwrap();
                if data.is_dir() {
                    open.push(entry.path());
                }
                stamps.insert(entry.path(), (data.modified().unwrap(), data.len()));
            }
        }
        stamps
    }

    /// Lines of a source that are replaced.
    fn edit(&self, name: &str, before: &str, after: &str) -> Part {
        let text = std::fs::read_to_string(self.path.join(name)).unwrap();
        let line = text.lines().position(|line| line == before.trim_end()).expect("the line") + 1;
        Part::Edit {
            file: self.file(name),
            line: u32::try_from(line).unwrap(),
            before: format!("{}\n", before.trim_end()),
            after: after.to_owned(),
        }
    }

    fn options(&self, name: &str, options: &str) -> Part {
        Part::Options {
            files: vec![self.file(name)],
            options: options.split(' ').map(str::to_owned).collect(),
        }
    }
}

fn candidate(name: &str, parts: Vec<Part>) -> Candidate {
    Candidate { change: name.to_owned(), way: Way::Options, predicted: None, parts: Ok(parts) }
}

fn verdict(trial: &Trial) -> Option<Verdict> {
    trial.answer.as_ref().map(|answer| answer.verdict)
}

/// Adds to the element behind: vectors would read what has not been written yet.
const ALIASING: &str = "#include <stdio.h>\nstatic double x[1001];\n__attribute__((noinline))\nvoid next(double *a, double *b, int n) {\n    for (int i = 0; i < n; i++)\n        a[i] = b[i] * 1.5 + 1;\n}\nint main(void) {\n    next(x + 1, x, 40);\n    printf(\"%.17g\\n\", x[40]);\n    return 0;\n}\n";

#[test]
fn a_planted_aliasing_is_refused() {
    if !available("gcc") {
        return;
    }
    let project = Project::new(&[("a.c", ALIASING)], &["gcc -O2 -g -o prog a.c"]);
    let line = "    for (int i = 0; i < n; i++)";
    let ivdep = project.edit("a.c", line, &format!("    #pragma GCC ivdep\n{line}\n"));
    let source = crate::edit::Source {
        file: &project.file("a.c"),
        language: loopwright_vocabulary::Language::C,
        text: ALIASING,
    };
    let restrict = crate::parameters::restrict(&source, "next", 5).unwrap();
    let level = project.options("a.c", "-O3");
    let all = [
        ("ivdep", vec![level.clone(), ivdep]),
        ("restrict", vec![level.clone(), restrict]),
        ("level", vec![level]),
    ];
    let tried = project.tried(&project.asked(), &all);
    assert_eq!(verdict(&tried[0]), Some(Verdict::Different), "{:?}", tried[0]);
    assert_eq!(verdict(&tried[1]), Some(Verdict::Different), "{:?}", tried[1]);
    assert_eq!(tried::outcome(&tried[1], &[]), TriedOutcome::WrongAnswer);
    assert_ne!(verdict(&tried[2]), Some(Verdict::Different));
}

#[test]
fn a_planted_nan_is_refused_whatever_the_tolerance() {
    if !available("gcc") {
        return;
    }
    let text = "#include <stdio.h>\n#include <math.h>\nvolatile double zero = 0;\nint main(void) {\n    double x = zero / zero;\n    if (isnan(x)) x = 1;\n    printf(\"%g\\n\", x);\n    return 0;\n}\n";
    let project = Project::new(&[("a.c", text)], &["gcc -O2 -c a.c -o a.o", "gcc -o prog a.o -lm"]);
    let tolerance = Tolerance { relative: 1.0, absolute: 1e300 };
    let asked = Asked { check: Check::Numbers(tolerance), ..project.asked() };
    let tried = project.tried(&asked, &[("finite", vec![project.options("a.c", "-ffinite-math-only")])]);
    assert_eq!(verdict(&tried[0]), Some(Verdict::Different), "{:?}", tried[0]);
    assert_eq!(tried[0].answer.as_ref().unwrap().largest, None);
}

#[test]
fn a_planted_race_is_refused() {
    if !available("gcc") {
        return;
    }
    // A thread that sleeps between its read and its write undoes what all others added meanwhile.
    let text = "#include <stdio.h>\n#include <unistd.h>\nint main(void) {\n    volatile long sum = 0;\n    for (int i = 0; i < 100000; i++) {\n        long old = sum;\n        if (i % 1000 == 0) usleep(100);\n        sum = old + (i & 3);\n    }\n    printf(\"%ld\\n\", sum);\n    return 0;\n}\n";
    let project = Project::new(&[("a.c", text)], &["gcc -O2 -c a.c -o a.o", "gcc -o prog a.o"]);
    let line = "    for (int i = 0; i < 100000; i++) {";
    let racing = project.edit("a.c", line, &format!("    #pragma omp parallel for\n{line}\n"));
    let right =
        project.edit("a.c", line, &format!("    #pragma omp parallel for reduction(+:sum)\n{line}\n"));
    let threads = Part::Variable { name: "OMP_NUM_THREADS".into(), value: "4".into() };
    let options = project.options("a.c", "-fopenmp");
    let all = [
        ("racing", vec![options.clone(), racing, threads.clone()]),
        ("right", vec![options, right, threads]),
    ];
    let tried = project.tried(&project.asked(), &all);
    assert_eq!(verdict(&tried[0]), Some(Verdict::Different), "{:?}", tried[0]);
    assert_eq!(verdict(&tried[1]), Some(Verdict::Same), "{:?}", tried[1]);
}

#[test]
fn what_does_not_build_crashes_or_hangs_is_a_row() {
    if !available("gcc") {
        return;
    }
    let text = "#include <stdio.h>\n#include <stdlib.h>\nint main(void) {\n    int i = 0;\n    printf(\"%d\\n\", i);\n    return 0;\n}\n";
    let project = Project::new(&[("a.c", text)], &["gcc -O2 a.c -o prog"]);
    let line = "    int i = 0;";
    let with = |more: &str| vec![project.edit("a.c", line, &format!("{line} {more}\n"))];
    let all = [
        ("not-built", with("this is no C;")),
        ("no-option", vec![project.options("a.c", "-fno-such-option")]),
        ("aborts", with("abort();")),
        ("exits", with("exit(3);")),
        ("hangs", with("for (volatile int j = 0;; j++);")),
        ("comment", with("/* nothing */")),
        ("variable", vec![Part::Variable { name: "NOTHING".into(), value: "1".into() }]),
    ];
    let tried = project.tried(&project.asked(), &all);
    assert!(
        matches!(&tried[0].end, End::NotBuilt { error } if error.contains("a.c:4")),
        "{:?}",
        tried[0].end
    );
    assert!(matches!(&tried[1].end, End::NotBuilt { error } if error.contains("no-such-option")));
    assert_eq!(tried[2].end, End::Killed { signal: libc::SIGABRT });
    assert_eq!(tried[3].end, End::Exited { status: 3 });
    assert!(matches!(tried[4].end, End::Hung { .. }), "{:?}", tried[4].end);
    assert_eq!(tried[5].end, End::SameCode { of: None });
    assert_eq!((&tried[6].end, verdict(&tried[6])), (&End::Ran, Some(Verdict::Same)));
}

#[test]
fn files_of_the_program_are_its_answer_and_stay_as_they_are() {
    if !available("gcc") {
        return;
    }
    let text = "#include <stdio.h>\nint main(void) {\n    FILE *in = fopen(\"../in.txt\", \"r\"), *out = fopen(\"out.txt\", \"w\");\n    int n = 0;\n    if (!in || fscanf(in, \"%d\", &n) != 1) return 1;\n    fprintf(out, \"%d\\n\", n);\n    return 0;\n}\n";
    let files = [("w/a.c", text), ("in.txt", "42\n"), ("w/out.txt", "the user's\n")];
    let project = Project::new(&files, &["gcc -O2 -o w/prog w/a.c"]);
    let mut asked = project.asked();
    asked.directory = project.path.join("w");
    let nothing = |_: &mut Builder, _: &Path| Vec::new();
    assert!(matches!(try_all(&asked, nothing, |_| Vec::new(), &|_| {}), Err(Error::NothingToCompare)));
    asked.outputs = vec!["out.txt".into()];
    let line = "    int n = 0;";
    let other =
        project.edit("w/a.c", "    fprintf(out, \"%d\\n\", n);", "    fprintf(out, \"%d\\n\", n + 1);\n");
    let silent = project.edit("w/a.c", line, "    int n = 0; remove(\"out.txt\"); return 0;\n");
    let tried = project.tried(&asked, &[("other", vec![other]), ("silent", vec![silent])]);
    let first = tried[0].answer.as_ref().unwrap().first.clone().unwrap();
    assert_eq!((first.output.as_str(), first.found.as_str()), ("out.txt", "43"));
    assert_eq!(verdict(&tried[1]), Some(Verdict::Different));
    assert_eq!(std::fs::read_to_string(project.path.join("w/out.txt")).unwrap(), "the user's\n");
}

#[test]
fn a_command_of_the_user_decides() {
    if !available("gcc") {
        return;
    }
    let text =
        "#include <stdio.h>\nint main(void) {\n    int n = 5;\n    printf(\"%d\\n\", n);\n    return 0;\n}\n";
    let project = Project::new(&[("a.c", text)], &["gcc -O2 -o prog a.c"]);
    let asked = Asked { verify: Some("read n && test $n -lt 8".to_owned()), ..project.asked() };
    let with = |n: u32| vec![project.edit("a.c", "    int n = 5;", &format!("    int n = {n};\n"))];
    let tried = project.tried(&asked, &[("seven", with(7)), ("nine", with(9))]);
    assert_eq!(verdict(&tried[0]), Some(Verdict::Within));
    assert_eq!(tried[1].end, End::Refused);
}

#[test]
fn archives_and_commands_that_compile_and_link_are_repeated() {
    if !available("gcc") {
        return;
    }
    let header = "int f(void);\n";
    let f = "#include \"f.h\"\nint e(void);\nint f(void) {\n    return 1;\n}\nint g(void) { return e(); }\n";
    let main =
        "#include <stdio.h>\n#include \"sub/f.h\"\nint main(void) { printf(\"%d\\n\", f()); return 0; }\n";
    let files =
        [("sub/f.h", header), ("sub/f.c", f), ("sub/e.c", "int e(void) { return 0; }\n"), ("main.c", main)];
    let archive = [
        "gcc -c sub/e.c -o sub/e.o",
        "gcc -O1 -MD -MF sub/f.d -c sub/f.c -o sub/f.o",
        "ar rcs sub/libf.a sub/f.o sub/e.o",
        "gcc main.c -o prog -Lsub -lf -Wl,-Map=prog.map",
    ];
    let together = ["gcc -O1 main.c sub/f.c sub/e.c -o prog"];
    // As meson makes archives that are not installed.
    let thin = archive.map(|command| command.replace("ar rcs", "ar csrDT"));
    let thin = thin.each_ref().map(String::as_str);
    for commands in [&archive[..], &thin[..], &together[..]] {
        let project = Project::new(&files, commands);
        let edit = project.edit("sub/f.c", "    return 1;", "    return 2;\n");
        let tried = project.tried(&project.asked(), &[("two", vec![edit])]);
        let answer = tried[0].answer.as_ref().unwrap();
        assert_eq!(answer.first.as_ref().unwrap().found, "2", "{commands:?}");
    }
}

#[test]
fn shared_libraries_of_the_build_are_made_again_and_found() {
    if !available("gcc") {
        return;
    }
    let f = "int f(void) {\n    return 1;\n}\n";
    let g = "int f(void);\nint g(void) { return 10 * f(); }\n";
    let main = "#include <stdio.h>\nint g(void);\nint main(void) { printf(\"%d\\n\", g()); return 0; }\n";
    let files = [("f.c", f), ("g.c", g), ("main.c", main), ("lib/empty", "")];
    let by_place = [
        "gcc -O1 -fPIC -c f.c -o f.o",
        "gcc -shared -o lib/libf.so f.o",
        "gcc -shared -fPIC -o lib/libg.so g.c -Llib -lf -Wl,-rpath,$ORIGIN",
        "gcc main.c -o prog -Llib -lg -Wl,-rpath,$ORIGIN/lib -Wl,-rpath-link,lib",
    ];
    let by_name = [
        "gcc -O1 -fPIC -c f.c -o f.o",
        "gcc -shared -Wl,-soname,libf.so.1 -o lib/libf.so.1.2 f.o",
        "gcc -shared -fPIC -o lib/libg.so g.c lib/libf.so.1.2 -Wl,-rpath,lib",
        "gcc main.c -o prog lib/libg.so lib/libf.so.1.2 -Wl,-rpath,lib",
    ];
    for commands in [&by_place[..], &by_name[..]] {
        let commands: Vec<String> =
            commands.iter().map(|command| command.replace("$ORIGIN", "'$ORIGIN'")).collect();
        let commands: Vec<&str> = commands.iter().map(String::as_str).collect();
        let mut project = Project::new(&files, &commands);
        for step in &mut project.steps {
            step.arguments.iter_mut().for_each(|word| *word = word.replace('\'', ""));
        }
        std::os::unix::fs::symlink("libf.so.1.2", project.path.join("lib/libf.so.1")).unwrap();
        let edit = project.edit("f.c", "    return 1;", "    return 2;\n");
        let tried = project.tried(&project.asked(), &[("two", vec![edit])]);
        let answer = tried[0].answer.as_ref().unwrap_or_else(|| panic!("{:?}", tried[0]));
        assert_eq!(answer.first.as_ref().unwrap().found, "20", "{commands:?}");
    }
}

#[test]
fn a_library_that_is_loaded_at_run_time_is_left_alone() {
    if !available("gcc") {
        return;
    }
    let files = [("f.c", "int f(void) { return 1; }\n"), ("main.c", "int main(void) { return 0; }\n")];
    let project = Project::new(&files, &["gcc -shared -fPIC -o libf.so f.c", "gcc main.c -o prog"]);
    let lines = Lines::of(&project.steps);
    let limits = Limits { time: Duration::from_secs(60), file: 1 << 30, stop: &NEVER };
    let workshop = Workshop::new(&lines, project.path.join("prog"), limits).unwrap();
    let why = workshop.compiling(&project.path.join("f.c")).unwrap_err();
    assert!(matches!(why, Why::SharedLibrary { .. }), "{why}");
}

/// A branch that is never taken, in a file of its own, in a static library.
const BRANCHES: [(&str, &str); 2] = [
    (
        "f.c",
        "int g(int);\nint f(int n) {\n    int s = 0;\n    for (int i = 0; i < n; i++) {\n        if (i < 0) s += g(i) * g(s);\n        else s ^= i;\n    }\n    return s;\n}\nint g(int i) { return i * 3; }\n",
    ),
    (
        "main.c",
        "#include <stdio.h>\nint f(int);\nint main(void) { printf(\"%d\\n\", f(100000)); return 0; }\n",
    ),
];

#[test]
fn the_profile_of_a_run_is_used() {
    for (compiler, archive) in [("gcc", true), ("gcc", false), ("clang", false)] {
        if !available(compiler) {
            continue;
        }
        let (compile, link) =
            (format!("{compiler} -O2 -c f.c -o f.o"), format!("{compiler} -O2 main.c f.c -o prog"));
        let archived = format!("{compiler} -O2 main.c libf.a -o prog");
        let all = [compile.as_str(), "ar rcs libf.a f.o", archived.as_str()];
        let commands: &[&str] = if archive { &all } else { &[link.as_str()] };
        let project = Project::new(&BRANCHES, commands);
        let files = vec![project.file("f.c")];
        let tried = project.tried(&project.asked(), &[("profile", vec![Part::Profile { files }])]);
        if let End::NotBuilt { error } = &tried[0].end {
            // A clang without its library of profiles.
            assert!(compiler == "clang", "{error}");
            continue;
        }
        assert_eq!(tried[0].end, End::Ran, "{:?}", tried[0]);
        assert_eq!(verdict(&tried[0]), Some(Verdict::Same));
    }
}

#[test]
fn another_compiler_takes_the_place_of_the_builds() {
    if !available("gcc") || !available("clang") {
        return;
    }
    let command = "gcc -O2 -fipa-pta -c f.c -o f.o";
    let project =
        Project::new(&BRANCHES, &[command, "gcc -O2 -c main.c -o main.o", "gcc -o prog main.o f.o"]);
    let with = |without: &[&str]| Part::Compiler {
        files: vec![project.file("f.c")],
        compiler: "clang".into(),
        without: without.iter().map(|word| (*word).to_owned()).collect(),
    };
    let all = [
        ("without", vec![with(&["-fipa-pta"])]),
        ("strict", vec![with(&[]), project.options("f.c", "-Werror=unused-command-line-argument -fipa-ptb")]),
    ];
    let tried = project.tried(&project.asked(), &all);
    assert_eq!((&tried[0].end, verdict(&tried[0])), (&End::Ran, Some(Verdict::Same)), "{:?}", tried[0]);
    assert!(matches!(&tried[1].end, End::NotBuilt { .. }), "{:?}", tried[1]);
}

#[test]
fn what_cannot_be_begun_is_said() {
    if !available("gcc") {
        return;
    }
    let text = "#include <stdio.h>\nint main(void) { printf(\"1\\n\"); return 0; }\n";
    let project = Project::new(&[("a.c", text)], &["gcc -O2 -o prog a.c"]);
    let nothing = |_: &mut Builder, _: &Path| Vec::new();
    let error = |asked: &Asked| try_all(asked, nothing, |_| Vec::new(), &|_| {}).unwrap_err();
    let other = Asked { steps: Vec::new(), ..project.asked() };
    assert!(matches!(error(&other), Error::NotOfABuild { .. }) && error(&other).is_misuse());
    let missing = Asked { command: vec!["./none".into()], ..project.asked() };
    assert!(matches!(error(&missing), Error::NoProgram { .. }));
    let stopped = AtomicBool::new(true);
    let asked = Asked { stop: &stopped, ..project.asked() };
    assert!(matches!(error(&asked), Error::Stopped));
    std::fs::write(project.path.join("wrapper"), "#!/bin/sh\nexec ./prog\n").unwrap();
    let script = Asked { command: vec!["./wrapper".into()], ..project.asked() };
    assert!(matches!(error(&script), Error::Script { .. }) && error(&script).is_misuse());
    // The program is not the one that its commands make any more.
    std::fs::write(project.path.join("a.c"), text.replace("1\\n", "2\\n")).unwrap();
    assert!(matches!(error(&project.asked()), Error::NotBuilt { .. } | Error::OtherAnswer { .. }));
}

#[test]
fn what_was_finished_is_kept_when_the_user_stops() {
    if !available("gcc") {
        return;
    }
    let text =
        "#include <stdio.h>\nint main(void) {\n    int n = 5;\n    printf(\"%d\\n\", n);\n    return 0;\n}\n";
    let project = Project::new(&[("a.c", text)], &["gcc -O2 -o prog a.c"]);
    let stop = AtomicBool::new(false);
    let asked = Asked { stop: &stop, ..project.asked() };
    let with = |n: u32| vec![project.edit("a.c", "    int n = 5;", &format!("    int n = {n};\n"))];
    let all = [candidate("six", with(6)), candidate("seven", with(7))];
    let seen = RefCell::new(Vec::new());
    let progress = |stage: Stage| {
        if let Stage::Trying(change, ..) = stage {
            seen.borrow_mut().push(change.to_owned());
            stop.store(change == "seven", Ordering::SeqCst);
        }
    };
    let trials = try_all(&asked, |_, _| all.to_vec(), |_| Vec::new(), &progress).unwrap();
    assert_eq!(trials.trials.iter().map(|trial| trial.change.as_str()).collect::<Vec<_>>(), ["six"]);
    assert_eq!(*seen.borrow(), ["six", "seven"]);
}

#[test]
fn changes_of_the_same_lines_exclude_each_other() {
    let edit = |line: u32, before: &str, after: &str| Part::Edit {
        file: "a.c".into(),
        line,
        before: before.into(),
        after: after.into(),
    };
    let trial = |parts: Vec<Part>| Trial {
        change: "x".into(),
        way: Way::Simd,
        parts,
        predicted: None,
        end: End::Ran,
        pairs: Vec::new(),
        answer: None,
        in_run: None,
        not_in_run: None,
    };
    let all = [
        trial(vec![edit(3, "a\nb\n", "x\n")]),
        trial(vec![edit(4, "b\n", "y\n"), edit(9, "c\n", "d\n")]),
        trial(vec![edit(5, "e\n", "f\n"), edit(3, "a\nb\n", "x\n")]),
    ];
    assert_eq!(merged(&all), [edit(3, "a\nb\n", "x\n"), edit(5, "e\n", "f\n")]);
}

/// On a busy machine times inside runs are not known well within any time that a test has.
const IN_RUN: Duration = Duration::from_secs(20);

/// Work that is done `UNITS` times and counts once; a table, a static variable and a global one.
const UNITS: &str = "#ifndef UNITS
#define UNITS 400
#endif
volatile double sink;
int total;
double work(const double *a, int n) {
    static int calls;
    double sum = 0;
    for (int unit = 0; unit < UNITS; unit++) {
        sum = 0;
        for (int i = 0; i < n; i++)
            sum += a[i] * 1.5;
        sink = sum;
    }
    total += ++calls;
    return sum;
}
";
const CALLER: &str = "#include <stdio.h>
double work(const double *a, int n);
extern int total;
int main(void) {
    double a[64], sum = 0;
    for (int i = 0; i < 64; i++)
        a[i] = i;
    for (int k = 0; k < 4000; k++)
        sum += work(a, 8 + k % 5 * 12);
    printf(\"%.1f %d\\n\", sum, total);
    return 0;
}
";

#[test]
fn a_function_that_is_called_often_is_measured_inside_runs() {
    if !available("gcc") {
        return;
    }
    let project = Project::new(
        &[("f.c", UNITS), ("m.c", CALLER)],
        &["gcc -O2 -c f.c -o f.o", "gcc -O2 -c m.c -o m.o", "gcc -o prog f.o m.o"],
    );
    let hot = |function: &str, share: f64| Hot {
        function: function.into(),
        file: project.path.join("f.c"),
        self_share: share,
        total_share: share,
        calls: None,
    };
    let asked = Asked { budget: Some(IN_RUN), ..project.asked() };
    let tried = |parts: Vec<Part>, hot: Vec<Hot>| {
        let all = [candidate("fewer", parts)];
        try_all(&asked, |_, _| all.to_vec(), |_| hot, &|_| {}).unwrap().trials.remove(0)
    };
    let fewer = || vec![project.options("f.c", "-DUNITS=200")];
    let trial = tried(fewer(), vec![hot("work", 0.9)]);
    let in_run = trial.in_run.as_ref().expect("measured inside runs");
    assert_eq!((in_run.function.as_str(), trial.pairs.len()), ("work", 0));
    assert_eq!(trial.answer.as_ref().unwrap().verdict, Verdict::Same);
    let [before, after] = in_run.calls;
    assert!(before.abs_diff(after) * 20 < before && in_run.times.len() >= 20, "{in_run:?}");
    // Half of the work: no timing of this machine is near 1.
    assert_eq!(tried::outcome(&trial, &[]), TriedOutcome::Faster);

    let trial = tried(fewer(), vec![hot("work", 0.5), hot("other", 0.4)]);
    let several = NotInRun::Several { function: "work".into(), other: "other".into() };
    assert_eq!(trial.not_in_run, Some(several));
    assert!(trial.in_run.is_none() && !trial.pairs.is_empty(), "whole runs instead");
    let trial = tried(fewer(), Vec::new());
    assert_eq!(trial.not_in_run, Some(NotInRun::NoFunction));
    let wrong = vec![project.edit("f.c", "            sum += a[i] * 1.5;", "            sum += a[i];\n")];
    let trial = tried(wrong, vec![hot("work", 0.9)]);
    assert_eq!(trial.not_in_run, Some(NotInRun::Disturbed { function: "work".into() }));
    assert_eq!(tried::outcome(&trial, &[]), TriedOutcome::WrongAnswer);
}
