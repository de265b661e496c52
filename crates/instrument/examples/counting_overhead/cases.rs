//! The measured cases: kernels one by one, small programs, and installed programs.

use crate::Options;
use loopwright_testprograms::{Compiler, Program, Recipe, available};
use std::path::{Path, PathBuf};

/// A command to measure.
#[derive(Debug)]
pub struct Case {
    /// Program and kernel.
    pub name: String,
    /// Compiler and flag set.
    pub build: String,
    /// Executable.
    pub program: PathBuf,
    pub arguments: Vec<String>,
    /// Modules that are counted besides the program.
    pub modules: Vec<PathBuf>,
}

/// The kernels of `testprograms/counting/overhead.c`.
const KERNELS: &[&str] = &[
    "matmul",
    "triad-l1",
    "triad-memory",
    "triad-64",
    "triad-16",
    "search",
    "leaf-call",
    "switch",
    "recursion",
    "collatz",
    "list-walk",
];

/// Repetitions that take some tenths of a second; `--scale` takes a percentage of them.
const TIMES: u64 = 3000;

/// Programs with arguments for runs of some tenths of a second: `{}` is scaled.
const PROGRAMS: &[(&str, &str, u64, &[&str])] = &[
    ("stencils", "700 {}", 60, &["O2", "O3-native"]),
    ("openmp", "200000 {}", 60, &["O2", "O3-native"]),
    ("pthreads", "2 {} 40", 60_000_000, &["O2"]),
    ("squeeze", "{}", 12_000_000, &["O2", "O3"]),
    ("unwinding", "{}", 300_000, &["O2"]),
    ("ranges", "{}", 10_000_000, &["O2", "O3"]),
];

/// All cases that are available here; `available` prints which are not.
pub fn cases(options: &Options) -> Vec<Case> {
    let percent = if options.quick { 1 } else { options.scale };
    let scaled = |n: u64| (n * percent / 100).max(1);
    let mut all = Vec::new();
    let sets: &[&str] = if options.quick { &["O2"] } else { &["O2", "O3", "O3-native"] };
    let wanted = |name: &str, set: &str| {
        options.only.as_ref().is_none_or(|word| name.contains(word.as_str()))
            && options.set.as_ref().is_none_or(|wanted| wanted == set)
    };
    let kernels = Program::named("overhead");
    for &compiler in if options.quick { &[Compiler::Gcc][..] } else { &[Compiler::Gcc, Compiler::Clang][..] }
    {
        for set in sets {
            let few = if options.quick { 3 } else { KERNELS.len() };
            for kernel in KERNELS.iter().take(few).filter(|k| wanted(k, set)) {
                let arguments = vec![(*kernel).to_owned(), scaled(TIMES).to_string()];
                all.extend(build(&kernels, compiler, set, kernel, arguments));
            }
        }
    }
    for &(name, form, size, sets) in PROGRAMS.iter().take(if options.quick { 2 } else { PROGRAMS.len() }) {
        let program = Program::named(name);
        for set in sets.iter().take(if options.quick { 1 } else { sets.len() }).filter(|s| wanted(name, s)) {
            let arguments = form.replace("{}", &scaled(size).to_string());
            let arguments = arguments.split_whitespace().map(str::to_owned).collect();
            all.extend(build(&program, program.compilers[0], set, name, arguments));
        }
    }
    if !options.quick && options.set.is_none() {
        all.extend(installed(percent).into_iter().filter(|c| wanted(&c.name, "")));
    }
    all
}

fn build(
    program: &Program,
    compiler: Compiler,
    set: &str,
    name: &str,
    arguments: Vec<String>,
) -> Option<Case> {
    let recipe = Recipe::for_program(program.clone()).compiler(compiler).flag_set(set);
    let built = available(recipe.build())?;
    let build = format!("{} {set}", compiler.command());
    Some(Case { name: name.to_owned(), build, program: built.path, arguments, modules: Vec::new() })
}

/// Programs of the system, with generated input.
fn installed(percent: u64) -> Vec<Case> {
    let input = std::env::temp_dir().join("loopwright-overhead-input");
    let text: Vec<u8> = (0..20_000 * percent as u32)
        .flat_map(|k| format!("{} ", k.wrapping_mul(k) % 977).into_bytes())
        .collect();
    if std::fs::write(&input, text).is_err() {
        return Vec::new();
    }
    let input = input.display().to_string();
    let script = format!("s=0\nfor i in range({}): s+=i%7\nprint(s)", 40_000 * percent);
    let commands: &[(&str, &[&str])] = &[
        ("gzip", &["-9", "-c", "-n", &input]),
        ("xz", &["-1", "-c", "-k", &input]),
        ("python3", &["-S", "-c", &script]),
        ("openssl", &["dgst", "-sha512", &input]),
    ];
    let mut cases = Vec::new();
    for (name, arguments) in commands {
        let found = ["/usr/bin", "/bin"].iter().map(|f| Path::new(f).join(name)).find(|p| p.exists());
        let Some(program) = found.and_then(|p| p.canonicalize().ok()) else {
            println!("skipped: {name} is not installed");
            continue;
        };
        cases.push(Case {
            name: (*name).to_owned(),
            build: "as installed".to_owned(),
            program,
            arguments: arguments.iter().map(|a| (*a).to_owned()).collect(),
            modules: Vec::new(),
        });
    }
    cases
}
