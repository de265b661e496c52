//! The matrix: programs, their builds, and their arguments.

use crate::counting::expected::Expected;
use loopwright_testprograms::{Built, Compiler, Finish, Program, Recipe, available};
use std::path::PathBuf;
use std::process::Command;

/// A program that is ready to run.
#[derive(Clone, Debug)]
pub struct Ready {
    /// The executable and its marks.
    pub built: Built,
    /// The library that it uses, with marks of its own.
    pub library: Option<Built>,
    /// Arguments, the same for `expect` and for the run.
    pub arguments: Vec<String>,
    /// Flag set of the code under test.
    pub set: String,
    /// The compiler keeps one machine loop per loop as written.
    pub plain_loops: bool,
}

impl Ready {
    /// Builds a program with a compiler and flag set; prints the reason when that is not possible.
    pub fn build(program: &Program, compiler: Compiler, set: &str) -> Option<Self> {
        Self::finished(program, compiler, set, Finish::AsLinked)
    }

    /// The same, finished in some way.
    pub fn finished(program: &Program, compiler: Compiler, set: &str, finish: Finish) -> Option<Self> {
        let plain_loops = set == "O0" || set == "O1" || set == "shared-O0";
        let mut arguments = Vec::new();
        let mut library = None;
        let mut recipe = Recipe::for_program(program.clone()).compiler(compiler).flag_set(set).finish(finish);
        if program.name == "opener" || program.name == "linked" {
            let shared = match set {
                "O0" => "shared-O0",
                "O1" => "shared-O1",
                "O3" | "O3-native" | "O3-v3" => "shared-O3",
                _ => "shared",
            };
            let plugin = available(Recipe::of("plugin").compiler(compiler).flag_set(shared).build())?;
            let path = plugin.path.to_str().unwrap().to_owned();
            if program.name == "opener" {
                arguments.push(path);
            } else {
                recipe = recipe.flag("-Wl,--no-as-needed").flag(path);
            }
            library = Some(plugin);
        }
        let built = available(recipe.build())?;
        Some(Self { built, library, arguments, set: set.to_owned(), plain_loops })
    }

    /// Builds a program with flags after those of `-O2`.
    pub fn with_flags(program: &Program, compiler: Compiler, flags: &[&str], finish: Finish) -> Option<Self> {
        let recipe = Recipe::for_program(program.clone()).compiler(compiler).flag_set("O2").finish(finish);
        let recipe = flags.iter().fold(recipe, |recipe, flag| recipe.flag(*flag));
        let built = available(recipe.build())?;
        Some(Self { built, library: None, arguments: Vec::new(), set: flags.join(" "), plain_loops: false })
    }

    /// With these arguments after those that it needs.
    pub fn with(mut self, arguments: &[&str]) -> Self {
        self.arguments.extend(arguments.iter().map(|a| (*a).to_owned()));
        self
    }

    /// Modules to count besides the program.
    pub fn modules(&self) -> Vec<PathBuf> {
        self.library.iter().map(|l| l.path.canonicalize().unwrap()).collect()
    }

    /// The counts that it expects of a run.
    pub fn expected(&self) -> Expected {
        let output = Command::new(&self.built.path).arg("expect").args(&self.arguments).output().unwrap();
        assert!(output.status.success(), "{} expect: {}", self.built.label, output.status);
        let mut expected = Expected::default();
        expected.read(std::str::from_utf8(&output.stdout).unwrap());
        expected
    }

    /// The name of the loop that is marked on this line of this file.
    pub fn mark(&self, file: &str, line: u32) -> Option<&str> {
        let file = PathBuf::from(file);
        let built = std::iter::once(&self.built).chain(&self.library);
        built
            .filter(|b| b.source.file_name() == file.file_name())
            .flat_map(|b| &b.loops)
            .find(|m| m.line == line)
            .map(|m| m.name.as_str())
    }
}

/// Whether this machine's compiler can build the program in that way.
pub fn makes_sense(program: &Program, compiler: Compiler, set: &str) -> bool {
    let needs_loader = ["opener", "linked"].contains(&program.name.as_str());
    let is_static = set == "static" || set == "static-pie";
    program.compilers.contains(&compiler)
        && program.name != "plugin"
        && !(needs_loader && (is_static || set == "no-pie"))
        && loopwright_testprograms::FlagSet::named(set).flags(compiler).is_some()
        && loopwright_testprograms::FlagSet::named(set).runs_here()
}
