//! The programs, how they are built, and what they say of themselves.

use loopwright_analysis::model::Analysis;
use loopwright_binary::image::{DebugSearch, Images};
use loopwright_experiment::Experiment;
use loopwright_experiment::Facts;
use loopwright_experiment::describe::{Extent, describe_counted, select};
use loopwright_instrument::{CountOptions, Quiet, count};
use loopwright_sample::recording::Target;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A program with marked loops.
#[derive(Clone, Copy, Debug)]
pub struct Program {
    /// File under `testprograms/iterations`.
    pub file: &'static str,
    /// The compiler of the build that counts.
    honest: &'static str,
    /// Flags of every build.
    flags: &'static [&'static str],
}

/// All of them.
pub const PROGRAMS: &[Program] = &[
    Program { file: "loops.c", honest: "gcc", flags: &["-fopenmp-simd"] },
    Program { file: "kernels.c", honest: "gcc", flags: &[] },
    Program { file: "mixed.c", honest: "gcc", flags: &[] },
    Program { file: "practice.c", honest: "gcc", flags: &[] },
    Program { file: "arrays.F90", honest: "gfortran", flags: &[] },
];

/// A compiler with a level.
#[derive(Clone, Copy, Debug)]
pub struct Build {
    compiler: &'static str,
    level: &'static str,
    flags: &'static [&'static str],
    /// Part of the short table.
    pub everyday: bool,
}

const fn build(
    compiler: &'static str,
    level: &'static str,
    flags: &'static [&'static str],
    everyday: bool,
) -> Build {
    Build { compiler, level, flags, everyday }
}

const V3: &[&str] = &["-O3", "-march=x86-64-v3"];
const V4: &[&str] = &["-O3", "-march=x86-64-v4", "-mprefer-vector-width=512"];

/// The table's rows.
pub const BUILDS: &[Build] = &[
    build("gcc", "O0", &["-O0"], true),
    build("gcc", "O1", &["-O1"], false),
    build("gcc", "O2", &["-O2"], false),
    build("gcc", "O3", &["-O3"], false),
    build("gcc", "O3-v3", V3, true),
    build("gcc", "O3-v4", V4, false),
    build("clang-14", "O0", &["-O0"], false),
    build("clang-14", "O2", &["-O2"], true),
    build("clang-14", "O3", &["-O3"], false),
    build("clang-14", "O3-v3", V3, false),
    build("clang-14", "O3-v4", V4, false),
    build("clang-19", "O0", &["-O0"], false),
    build("clang-19", "O2", &["-O2"], false),
    build("clang-19", "O3", &["-O3"], false),
    build("clang-19", "O3-v3", V3, true),
    build("clang-19", "O3-v4", V4, false),
    build("gfortran", "O0", &["-O0"], false),
    build("gfortran", "O2", &["-O2"], false),
    build("gfortran", "O3", &["-O3"], false),
    build("gfortran", "O3-v3", V3, true),
    build("gfortran", "O3-v4", V4, false),
];

impl Build {
    /// `gcc:O2`.
    pub fn label(&self) -> String {
        format!("{}:{}", self.compiler, self.level)
    }

    /// Whether the program is in the compiler's language.
    pub fn compiles(&self, program: &Program) -> bool {
        program.file.ends_with(".c") != (self.compiler == "gfortran")
    }

    fn runs_here(&self) -> bool {
        let v4 = std::arch::is_x86_feature_detected!("avx512vl")
            && std::arch::is_x86_feature_detected!("avx512bw");
        (v4 || !self.flags.contains(&"-march=x86-64-v4"))
            && (std::arch::is_x86_feature_detected!("avx2") || !self.flags.contains(&"-march=x86-64-v3"))
    }
}

impl Program {
    pub fn source(&self) -> PathBuf {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testprograms/iterations");
        root.join(self.file).canonicalize().unwrap()
    }

    fn compile(&self, compiler: &str, flags: &[&str], program: &Path) -> Option<()> {
        let mut command = Command::new(compiler);
        command.args(flags).args(self.flags).arg("-g").arg(self.source()).arg("-o").arg(program).arg("-lm");
        match command.current_dir(program.parent().unwrap()).output() {
            Ok(output) => {
                assert!(output.status.success(), "{compiler}: {}", String::from_utf8_lossy(&output.stderr));
                Some(())
            }
            Err(_) => {
                assert!(std::env::var_os("LOOPWRIGHT_REQUIRE_ALL").is_none(), "{compiler} is not installed");
                eprintln!("skipped: {compiler} is not installed");
                None
            }
        }
    }

    /// Iterations by line.
    pub fn truth(&self) -> Option<BTreeMap<u32, u64>> {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("truth");
        self.compile(self.honest, &["-O0", "-DTRUTH"], &program)?;
        let output = Command::new(&program).output().unwrap();
        assert!(output.status.success());
        let said = String::from_utf8(output.stdout).unwrap();
        let mut truth: BTreeMap<u32, u64> = said
            .lines()
            .map(|line| line.split_once(' ').unwrap())
            .map(|(line, iterations)| (line.parse().unwrap(), iterations.trim().parse().unwrap()))
            .collect();
        let text = std::fs::read_to_string(self.source()).unwrap();
        for (line, number) in text.lines().zip(1..) {
            if let Some((_, iterations)) = line.split_once("!N=") {
                truth.insert(number, iterations.trim().parse().unwrap());
            }
        }
        Some(truth)
    }

    /// What the workbench says of a build of it.
    pub fn analysed(&self, build: &Build) -> Option<Analysis> {
        if !build.runs_here() {
            eprintln!("skipped: {} does not run here", build.label());
            return None;
        }
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("program");
        self.compile(build.compiler, build.flags, &program)?;
        let command: Vec<OsString> = vec![program.as_os_str().into()];
        let counts = count(&command, &CountOptions::default(), &mut Quiet).unwrap();
        let mut experiment = Experiment::create_or_open(&folder.path().join("x.lw")).unwrap();
        let target = Target { command: vec![program.display().to_string()], ..Target::default() };
        let run = experiment.add(&counts, Some(&target), None).unwrap();
        let mut files = BTreeSet::new();
        let all = select(&counts, Extent::All);
        for module in describe_counted(&counts, &all, &[], &Images::new(DebugSearch::system()), &|_, _| ()) {
            let functions = &module.functions;
            experiment.add_code(run, module.position, &module.identity, &module.facts, functions).unwrap();
            files.extend(functions.iter().flat_map(|function| function.files.iter().cloned()));
        }
        for path in files {
            if let Ok(text) = std::fs::read_to_string(&path) {
                experiment.add_source(run, &path, &text).unwrap();
            }
        }
        let facts = Facts::load(&experiment, &experiment.latest().unwrap()).unwrap();
        Some(loopwright_analysis::analyse(&facts))
    }
}
