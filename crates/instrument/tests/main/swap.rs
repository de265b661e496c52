//! Programs with a function in two versions: both run equally often, and the program prints what it prints otherwise.

use loopwright_instrument::swap::{Ended, NotSwapped, SwapError, SwapOptions, Swapped, companions, swap};
use loopwright_launch::{StartOptions, Stream};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Statics, globals, a thread's variable, a `switch`, constants, calls of the C library and a function of the same file.
const ALL_KINDS: &str = r#"
#include <stdio.h>
#include <string.h>
#ifndef UNITS
#define UNITS 3
#endif
static int counter;
static long many[8] = {1, 2, 3, 4, 5, 6, 7, 8};
int global = 3;
static __thread int mine = 5;
static const double table[8] = {1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5};
volatile double sink;
static __attribute__((noinline)) double shape(int k, double x) {
    switch (k & 7) {
    case 0: return x * 1.25;
    case 1: return x + 2;
    case 2: return many[counter & 7];
    case 3: return x - 7;
    case 4: return 3.5;
    case 5: return x / 3;
    case 6: return -x;
    default: puts("seven"); return mine;
    }
}
double work(double *a, int n, int k) {
    static int calls;
    char text[32];
    double sum = 0;
    calls++;
    counter += k;
    global ^= calls;
    mine += 1;
    many[k & 7] += calls;
    for (int unit = 0; unit < UNITS; unit++) {
        sum = 0;
        for (int i = 0; i < n; i++)
            sum += a[i] * table[i & 7];
        sink = sum;
    }
    snprintf(text, sizeof text, "%d %s", k, k & 1 ? "odd" : "even");
    return sum + shape(k % 200, sum) + strlen(text) + calls;
}
void report(void) { printf("%d %d %d %ld\n", counter, global, mine, many[3]); }
"#;
const CALLER: &str = r#"
#include <stdio.h>
double work(double *a, int n, int k);
void report(void);
int main(void) {
    double a[64], sum = 0;
    for (int i = 0; i < 64; i++) a[i] = i * 0.01;
    for (int k = 0; k < 2000; k++) sum += work(a, 8 + k % 5 * 12, k);
    printf("%.17g\n", sum);
    report();
    return 0;
}
"#;
/// Many threads, recursion, and a timer whose handler calls the function.
const THREADS: &str = r#"
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
long work(long n);
static volatile long from_handler;
static void handler(int signal) { from_handler += work(2) != 0; (void)signal; }
static void *all(void *argument) {
    long sum = 0;
    for (long k = 0; k < 5000; k++) sum += work(k % 7);
    *(long *)argument = sum;
    return 0;
}
int main(void) {
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
    struct itimerval every = {{0, 200}, {0, 200}};
    pthread_t threads[6];
    long sums[6], sum = 0;
    sigaction(SIGALRM, &action, 0);
    setitimer(ITIMER_REAL, &every, 0);
    for (int k = 0; k < 6; k++) pthread_create(&threads[k], 0, all, &sums[k]);
    for (int k = 0; k < 6; k++) pthread_join(threads[k], 0), sum += sums[k];
    printf("%ld\n", sum);
    return 0;
}
"#;
const RECURSIVE: &str = r#"
#ifndef UNITS
#define UNITS 3
#endif
volatile long sink;
static __thread long depth;
long helper(long n);
long work(long n) {
    for (int unit = 0; unit < UNITS; unit++) sink = n;
    depth++;
    long below = n <= 0 ? 1 : work(n - 1) + helper(n);
    depth--;
    return below + depth * 0;
}
"#;
const HELPER: &str = "long work(long n);\nlong helper(long n) { return n > 2 ? work(n - 3) : n; }\n";

struct Built {
    folder: tempfile::TempDir,
}

impl Built {
    fn new(compiler: &str, options: &str, sources: &[(&str, &str)]) -> Option<Self> {
        let found = Command::new(compiler).arg("--version").stdout(Stdio::null()).status().is_ok();
        if !found {
            assert!(
                std::env::var_os("LOOPWRIGHT_REQUIRE_ALL").is_none(),
                "{compiler} is required but absent"
            );
            eprintln!("skipped: no {compiler}");
            return None;
        }
        let this = Self { folder: tempfile::tempdir().unwrap() };
        let mut objects = Vec::new();
        for (name, text) in sources {
            std::fs::write(this.path(&format!("{name}.c")), text).unwrap();
            objects.push(this.object(compiler, options, name, name));
        }
        let linked = Command::new(compiler)
            .args(options.split(' '))
            .args(&objects)
            .args(["-pthread", "-lm", "-o"])
            .arg(this.path("prog"))
            .status();
        assert!(linked.unwrap().success());
        Some(this)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn object(&self, compiler: &str, options: &str, source: &str, name: &str) -> PathBuf {
        let object = self.path(&format!("{name}.o"));
        let done = Command::new(compiler)
            .args(options.split(' '))
            .args(["-w", "-c"])
            .arg(self.path(&format!("{source}.c")))
            .arg("-o")
            .arg(&object)
            .status();
        assert!(done.unwrap().success(), "{compiler} {options}");
        object
    }

    fn swap(&self, after: &Path, source: &str, opposite: bool) -> Result<(Swapped, String), SwapError> {
        let before = std::fs::read(self.path(&format!("{source}.o"))).unwrap();
        let after = std::fs::read(after).unwrap();
        let out = self.path("out");
        let options = SwapOptions {
            start: StartOptions {
                stdout: Stream::File(Arc::new(File::create(&out).unwrap())),
                ..StartOptions::default()
            },
            before: &before,
            after: &after,
            function: "work",
            seed: 5,
            opposite,
            calls: Some(1),
            limit: Duration::from_secs(120),
            file: 1 << 30,
            stop: &AtomicBool::new(false),
        };
        let swapped = swap(&[self.path("prog").into()], &options)?;
        Ok((swapped, std::fs::read_to_string(out).unwrap()))
    }

    fn output(&self) -> String {
        let output = Command::new(self.path("prog")).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    }

    fn refused(&self, after: &Path, source: &str) -> NotSwapped {
        match self.swap(after, source, false) {
            Err(SwapError::Refused(why)) => why,
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn both_versions_run_equally_often_and_the_answer_is_the_same() {
    for (compiler, options) in [
        ("gcc", "-O2"),
        ("gcc", "-O2 -fno-pie -no-pie"),
        ("gcc", "-O2 -fno-plt -ffunction-sections -fdata-sections"),
        ("clang", "-O2"),
        ("clang", "-O2 -fPIE -pie"),
    ] {
        let Some(built) = Built::new(compiler, options, &[("f", ALL_KINDS), ("m", CALLER)]) else { continue };
        let expected = built.output();
        for other in ["-DUNITS=2", "-O3 -funroll-loops", "-O1"] {
            let after = built.object(compiler, &format!("{options} {other}"), "f", "other");
            for opposite in [false, true] {
                let (swapped, output) = built.swap(&after, "f", opposite).unwrap_or_else(|error| {
                    panic!("{compiler} {options} with {other}: {error}");
                });
                assert_eq!(output, expected, "{compiler} {options} with {other}");
                assert_eq!(swapped.ended, Ended::Exited(0));
                assert_eq!(swapped.calls, [1000, 1000]);
                assert_eq!(swapped.units.len(), 125);
                assert!(swapped.units.iter().all(|unit| unit.calls == 1 && unit.thread == 0));
            }
        }
    }
}

#[test]
fn threads_recursion_and_signal_handlers_keep_their_versions() {
    let sources = [("f", RECURSIVE), ("h", HELPER), ("m", THREADS)];
    for compiler in ["gcc", "clang"] {
        let Some(built) = Built::new(compiler, "-O2", &sources) else { continue };
        let after = built.object(compiler, "-O2 -DUNITS=2", "f", "other");
        let (swapped, output) = built.swap(&after, "f", false).unwrap();
        assert_eq!((output, swapped.ended), (built.output(), Ended::Exited(0)));
        let [before, after] = swapped.calls;
        assert!(before + after >= 30_000, "outermost calls of six threads: {:?}", swapped.calls);
        assert!(before.abs_diff(after) <= 16 * 8, "{:?}", swapped.calls);
        let both = swapped.paired(&swapped);
        assert!(both.len() >= 1500, "{}", both.len());
    }
}

#[test]
fn what_is_not_certain_is_refused() {
    let Some(built) = Built::new("gcc", "-O2", &[("f", ALL_KINDS), ("m", CALLER)]) else { return };
    let write = |name: &str, text: String| std::fs::write(built.path(name), text).unwrap();
    let object = |name: &str, options: &str| built.object("gcc", options, name, "other");
    // A variable of another size, and one that the program does not have.
    write("g.c", ALL_KINDS.replace("many[8] =", "many[9] ="));
    assert!(matches!(built.refused(&object("g", "-O2"), "f"), NotSwapped::Data { .. }));
    write("g.c", ALL_KINDS.replace("calls", "number"));
    assert!(matches!(built.refused(&object("g", "-O2"), "f"), NotSwapped::Data { .. }));
    write(
        "g.c",
        ALL_KINDS
            .replace("strlen(text)", "nowhere(text)")
            .replace("static int counter;", "int nowhere();static int counter;"),
    );
    assert_eq!(built.refused(&object("g", "-O2"), "f"), NotSwapped::Unresolved { name: "nowhere".into() });
    write("g.c", ALL_KINDS.replace("double work(", "static inline double work("));
    assert_eq!(built.refused(&object("g", "-O2"), "f"), NotSwapped::NoFunction { function: "work".into() });
    write("g.c", ALL_KINDS.to_owned());
    assert_eq!(built.refused(&object("g", "-O2 -flto"), "f"), NotSwapped::LinkTime);
    assert!(matches!(built.refused(&object("g", "-O2 -S"), "f"), NotSwapped::Object { .. }));
    // Thread variables through the loader's function.
    let why = built.refused(&object("g", "-O2 -fPIC"), "f");
    assert!(matches!(why, NotSwapped::Relocation { .. } | NotSwapped::Data { .. }), "{why}");

    let jumps =
        CALLER.replace("#include <stdio.h>", "#include <stdio.h>\n#include <setjmp.h>\njmp_buf back;\n");
    let jumps = jumps.replace("report();\n", "report();\n    if (a[0] > 1) longjmp(back, 1);\n");
    let built = Built::new("gcc", "-O2", &[("f", ALL_KINDS), ("m", &jumps)]).unwrap();
    let after = built.object("gcc", "-O2 -DUNITS=2", "f", "other");
    assert!(matches!(built.refused(&after, "f"), NotSwapped::Leaves { .. }));
    let stripped = Command::new("strip").arg(built.path("prog")).status();
    if stripped.is_ok_and(|status| status.success()) {
        assert!(matches!(built.refused(&after, "f"), NotSwapped::Program { .. }));
    }
}

#[test]
fn damaged_objects_are_refused_and_nothing_panics() {
    let Some(built) = Built::new("gcc", "-O2", &[("f", ALL_KINDS), ("m", CALLER)]) else { return };
    let sound = std::fs::read(built.path("f.o")).unwrap();
    assert!(companions(&sound, &sound, "work").unwrap().contains("shape"));
    let mut state = 1_u64;
    let mut random = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    };
    let mut refused = 0;
    for round in 0..4000 {
        let mut damaged = sound.clone();
        for _ in 0..=random(4) {
            let at = random(damaged.len());
            damaged[at] = [0, 0xff, 0x7f, 0x80, random(256) as u8][random(5)];
        }
        if round % 5 == 0 {
            damaged.truncate(random(damaged.len()));
        }
        refused += usize::from(companions(&sound, &damaged, "work").is_err());
    }
    assert!(refused > 800, "{refused}");
}
