//! The compilers and the one table of flag sets.
//!
//! A flag set has a name that means the same for every compiler; it is absent where a compiler has no
//! equivalent (there is no `-ffast-math` for Rust).

use loopwright_vocabulary::Language;
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;

/// A compiler that test programs are built with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "the names are the compilers")]
pub enum Compiler {
    Gcc,
    Gxx,
    Gfortran,
    Clang,
    Clangxx,
    Rustc,
    Mpicc,
}

impl Compiler {
    /// Every compiler.
    pub const ALL: [Self; 7] =
        [Self::Gcc, Self::Gxx, Self::Gfortran, Self::Clang, Self::Clangxx, Self::Rustc, Self::Mpicc];

    /// Name of the command to run.
    pub fn command(self) -> &'static str {
        match self {
            Self::Gcc => "gcc",
            Self::Gxx => "g++",
            Self::Gfortran => "gfortran",
            Self::Clang => "clang",
            Self::Clangxx => "clang++",
            Self::Rustc => "rustc",
            Self::Mpicc => "mpicc",
        }
    }

    /// Whether it compiles programs of this language when their `PROGRAM` line names no compilers.
    pub fn compiles(self, language: Language) -> bool {
        match self {
            Self::Gcc | Self::Clang => language == Language::C,
            Self::Gxx | Self::Clangxx => language == Language::Cxx,
            Self::Gfortran => language == Language::Fortran,
            Self::Rustc => language == Language::Rust,
            Self::Mpicc => false,
        }
    }

    /// First line of its `--version`, or `None` when it is not installed. Queried once per process.
    pub fn version(self) -> Option<String> {
        static ASKED: Mutex<Vec<(Compiler, Option<String>)>> = Mutex::new(Vec::new());
        let mut asked = ASKED.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some((_, known)) = asked.iter().find(|(compiler, _)| *compiler == self) {
            return known.clone();
        }
        // In a folder with a rustup toolchain file `rustc` is that toolchain's: query it where it will run.
        let output = Command::new(self.command())
            .arg("--version")
            .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")))
            .output()
            .ok()
            .filter(|output| output.status.success());
        let version = output.and_then(|o| {
            String::from_utf8_lossy(&o.stdout).lines().next().map(|line| line.trim().to_owned())
        });
        asked.push((self, version.clone()));
        version
    }

    /// The Debian package that installs it.
    pub fn package(self) -> &'static str {
        match self {
            Self::Gcc => "gcc",
            Self::Gxx => "g++",
            Self::Gfortran => "gfortran",
            Self::Clang | Self::Clangxx => "clang",
            Self::Rustc => "rustup",
            Self::Mpicc => "libopenmpi-dev openmpi-bin",
        }
    }
}

/// A named way to compile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlagSet {
    /// Name, used in recipes and in the tables that tests print.
    pub name: &'static str,
    /// Flags of the GCC-like compilers.
    pub gnu: &'static [&'static str],
    /// Flags of `rustc`; `None` where it has no equivalent.
    pub rust: Option<&'static [&'static str]>,
    /// Whether it produces debug lines.
    pub lines: bool,
}

impl FlagSet {
    /// Its flags for this compiler.
    pub fn flags(&self, compiler: Compiler) -> Option<&'static [&'static str]> {
        if compiler == Compiler::Rustc { self.rust } else { Some(self.gnu) }
    }

    /// Whether this machine can run what the set produces.
    pub fn runs_here(&self) -> bool {
        if self.gnu.contains(&"-march=x86-64-v4") {
            return std::arch::is_x86_feature_detected!("avx512vl")
                && std::arch::is_x86_feature_detected!("avx512bw");
        }
        !self.gnu.contains(&"-march=x86-64-v3") || std::arch::is_x86_feature_detected!("avx2")
    }

    /// The set of this name.
    ///
    /// # Panics
    /// When there is no such set.
    pub fn named(name: &str) -> Self {
        *FLAG_SETS
            .iter()
            .chain(LINKAGES)
            .find(|set| set.name == name)
            .unwrap_or_else(|| panic!("no flag set {name}"))
    }
}

/// The table: optimisation levels, instruction sets, arithmetic, kinds of executable.
pub const FLAG_SETS: &[FlagSet] = &[
    FlagSet { name: "O0", gnu: &["-O0", "-g"], rust: Some(&["-Copt-level=0", "-g"]), lines: true },
    FlagSet { name: "O2", gnu: &["-O2", "-g"], rust: Some(&["-Copt-level=2", "-g"]), lines: true },
    FlagSet { name: "O3", gnu: &["-O3", "-g"], rust: Some(&["-Copt-level=3", "-g"]), lines: true },
    FlagSet {
        name: "O3-native",
        gnu: &["-O3", "-march=native", "-g"],
        rust: Some(&["-Copt-level=3", "-Ctarget-cpu=native", "-g"]),
        lines: true,
    },
    FlagSet {
        name: "O3-v3",
        gnu: &["-O3", "-march=x86-64-v3", "-g"],
        rust: Some(&["-Copt-level=3", "-Ctarget-cpu=x86-64-v3", "-g"]),
        lines: true,
    },
    FlagSet {
        name: "O3-v4-512",
        gnu: &["-O3", "-march=x86-64-v4", "-mprefer-vector-width=512", "-g"],
        rust: None,
        lines: true,
    },
    FlagSet { name: "fast-math", gnu: &["-O3", "-ffast-math", "-g"], rust: None, lines: true },
    FlagSet {
        name: "fast-math-native",
        gnu: &["-O3", "-march=native", "-ffast-math", "-g"],
        rust: None,
        lines: true,
    },
    FlagSet {
        name: "no-pie",
        gnu: &["-O3", "-g", "-fno-pie", "-no-pie"],
        rust: Some(&["-Copt-level=3", "-g", "-Crelocation-model=static"]),
        lines: true,
    },
    FlagSet {
        name: "static",
        gnu: &["-O3", "-g", "-static"],
        rust: Some(&["-Copt-level=3", "-g", "-Ctarget-feature=+crt-static"]),
        lines: true,
    },
    FlagSet {
        name: "no-debug",
        gnu: &["-O3"],
        rust: Some(&["-Copt-level=3", "-Cdebuginfo=0"]),
        lines: false,
    },
];

/// More sets, found by name only: linkages that counting must handle besides the sets of the table. They
/// belong to no matrix.
pub const LINKAGES: &[FlagSet] = &[
    FlagSet { name: "O1", gnu: &["-O1", "-g"], rust: Some(&["-Copt-level=1", "-g"]), lines: true },
    FlagSet {
        name: "static-pie",
        gnu: &["-O2", "-g", "-fPIE", "-static-pie"],
        rust: Some(&["-Copt-level=2", "-g", "-Ctarget-feature=+crt-static", "-Crelocation-model=pie"]),
        lines: true,
    },
    FlagSet { name: "no-plt", gnu: &["-O2", "-g", "-fno-plt", "-Wl,-z,now"], rust: None, lines: true },
    FlagSet { name: "shared", gnu: &["-O2", "-g", "-shared", "-fPIC"], rust: None, lines: true },
    FlagSet { name: "shared-O0", gnu: &["-O0", "-g", "-shared", "-fPIC"], rust: None, lines: true },
    FlagSet { name: "shared-O1", gnu: &["-O1", "-g", "-shared", "-fPIC"], rust: None, lines: true },
    FlagSet { name: "shared-O3", gnu: &["-O3", "-g", "-shared", "-fPIC"], rust: None, lines: true },
];
