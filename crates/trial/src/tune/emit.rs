//! The best build as files that build systems read: shell, make, cmake, cargo.
//!
//! Options come after those of the project in each of them, so that they are the ones that count, as they did in the search.

use super::sets;
use loopwright_experiment::trials::Part;
use loopwright_remarks::command::language_of;
use loopwright_vocabulary::Language;
use serde_json::json;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

/// For which reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A shell script to be sourced before the build, with the settings for the run.
    Shell,
    /// A makefile to be included behind the project's own settings.
    Make,
    /// A file for `CMAKE_PROJECT_INCLUDE`.
    Cmake,
    /// `CMakeUserPresets.json`.
    Presets,
    /// `.cargo/config.toml`.
    Cargo,
}

/// Why a build cannot be written for a reader.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum NotWritten {
    #[error(
        "the best build uses the profile of a run, which takes two builds; `--emit sh` has their commands"
    )]
    Profile,
    #[error("the best build has options for single files, which presets cannot give; `--emit cmake` can")]
    Files,
    #[error("the best build is one of cargo; `--emit cargo` writes it")]
    OfCargo,
    #[error("the best build is none of cargo; `--emit sh`, `make`, `cmake` or `presets` write it")]
    NotOfCargo,
    #[error(
        "the experiment has `{what}`, which no search on this machine would try; run `loopwright tune -- PROGRAM` here"
    )]
    NotOfASearch { what: String },
}

/// The parts of a build, by what build systems call them.
#[derive(Default)]
struct Build<'a> {
    options: Vec<&'a str>,
    /// Options of single files.
    files: BTreeMap<&'a str, Vec<&'a str>>,
    /// Compilers by language.
    compilers: BTreeMap<&'static str, &'a str>,
    linker: Vec<&'a str>,
    profiled: bool,
    variables: Vec<(&'a str, &'a str)>,
    /// Options of the project that another compiler does not know.
    without: Vec<&'a str>,
}

impl<'a> Build<'a> {
    fn of(parts: &'a [Part]) -> Self {
        let mut build = Self::default();
        for part in parts {
            match part {
                Part::Options { files, options } => {
                    let all = options.iter().map(String::as_str);
                    build.linker.extend(all.clone().filter(|one| crate::rebuild::is_for_the_linker(one)));
                    if files.is_empty() {
                        build.options.extend(all.clone());
                    }
                    for file in files {
                        build.files.entry(file).or_default().extend(all.clone());
                    }
                }
                Part::Compiler { files, compiler, without } => {
                    for language in files.iter().filter_map(|file| language_of(Path::new(file))) {
                        build
                            .compilers
                            .insert(if language == Language::Cxx { "CXX" } else { "CC" }, compiler);
                    }
                    let new = without.iter().map(String::as_str);
                    build.without.extend(new.filter(|one| !one.is_empty()));
                }
                Part::Profile { .. } => build.profiled = true,
                Part::Variable { name, value } => build.variables.push((name, value)),
                Part::Link { options, .. } => build.linker.extend(options.iter().map(String::as_str)),
                Part::Edit { .. } => {}
            }
        }
        build.without.sort_unstable();
        build.without.dedup();
        build
    }

    fn is_of_cargo(&self) -> bool {
        self.options.contains(&"-C")
    }

    /// Remarks with the settings for the run.
    fn settings(&self) -> String {
        let line =
            |(name, value): &(&str, &str)| format!("# for the run: {name}={}\n", one_line(&quoted(value)));
        self.variables.iter().map(line).collect()
    }

    /// Lines for a reader.
    fn remarks(&self, title: &str) -> String {
        let mut out = format!("# {}\n", one_line(title));
        if !self.without.is_empty() {
            let all = one_line(&self.without.join(" "));
            let _ = writeln!(
                out,
                "# Leave out of the project's own options, which this compiler does not know: {all}"
            );
        }
        out
    }
}

/// Writes the best build; `title` says what it is. What is written will be run by a build system, and an experiment may be somebody
/// else's: only options, compilers and settings that a search on this machine tries are written.
///
/// # Errors
/// When the reader has no way to say it, or a part is none of a search.
pub fn text(parts: &[Part], title: &str, format: Format) -> Result<String, NotWritten> {
    for part in parts {
        if let Some(what) = sets::foreign(part) {
            return Err(NotWritten::NotOfASearch { what: one_line(&what) });
        }
    }
    written(parts, title, format)
}

fn written(parts: &[Part], title: &str, format: Format) -> Result<String, NotWritten> {
    let build = Build::of(parts);
    let only_settings = build.options.is_empty() && build.compilers.is_empty() && !build.profiled;
    if build.is_of_cargo() && !matches!(format, Format::Cargo | Format::Shell) {
        return Err(NotWritten::OfCargo);
    }
    if format == Format::Cargo && !build.is_of_cargo() && !only_settings {
        return Err(NotWritten::NotOfCargo);
    }
    if build.profiled && format != Format::Shell {
        return Err(NotWritten::Profile);
    }
    match format {
        Format::Shell => Ok(shell(&build, title)),
        Format::Make => Ok(make(&build, title)),
        Format::Cmake => Ok(cmake(&build, title)),
        Format::Presets if !build.files.is_empty() => Err(NotWritten::Files),
        Format::Presets => Ok(presets(&build, title)),
        Format::Cargo => Ok(cargo(&build, title)),
    }
}

/// Names of the variables that have the options, as make and the shell know them.
const FLAGS: [&str; 4] = ["CFLAGS", "CXXFLAGS", "FFLAGS", "FCFLAGS"];

/// Options of both builds of GCC and clang with a profile (their manuals, *Program Instrumentation Options*, *Profile Guided
/// Optimization*).
const GATHER: &str = "-fprofile-generate";
const USE: &str = "-fprofile-use";

fn shell(build: &Build, title: &str) -> String {
    let mut out = build.remarks(title);
    out.push_str("# Source it (`. ./best.sh`), then configure and build from clean as usual.\n");
    if build.is_of_cargo() {
        let (profile, flags) = of_cargo(&build.options);
        for (key, value) in profile {
            let name = format!("CARGO_PROFILE_RELEASE_{}", key.to_uppercase().replace('-', "_"));
            let _ = writeln!(out, "export {name}={}", quoted(value));
        }
        if !flags.is_empty() {
            let _ = writeln!(out, "export RUSTFLAGS=\"${{RUSTFLAGS:-}} {}\"", inside(&flags.join(" ")));
        }
    } else {
        for (name, compiler) in &build.compilers {
            let _ = writeln!(out, "export {name}={}", quoted(compiler));
        }
        let options = build.options.join(" ");
        if !options.is_empty() {
            for name in FLAGS {
                let _ = writeln!(out, "export {name}=\"${{{name}:-}} {}\"", inside(&options));
            }
        }
        if !build.linker.is_empty() {
            let _ = writeln!(out, "export LDFLAGS=\"${{LDFLAGS:-}} {}\"", inside(&build.linker.join(" ")));
        }
        for (file, options) in &build.files {
            let _ = writeln!(out, "# {} has these as well: {}", one_line(file), one_line(&options.join(" ")));
        }
        if build.profiled {
            let _ = writeln!(
                out,
                "# Two builds: with {GATHER} added to these and to LDFLAGS, run the program once, then from clean with {USE} in its place\n\
                 # (of clang: llvm-profdata merge -o prog.profdata *.profraw, and {USE}=prog.profdata)."
            );
        }
    }
    if !build.variables.is_empty() {
        out.push_str("# For the run:\n");
    }
    for (name, value) in &build.variables {
        let _ = writeln!(out, "export {name}={}", quoted(value));
    }
    out
}

fn make(build: &Build, title: &str) -> String {
    let mut out = build.remarks(title);
    out.push_str(
        "# Include it behind the project's own settings (`include best.mk`), then build from clean.\n",
    );
    for (name, compiler) in &build.compilers {
        let _ = writeln!(out, "{name} := {}", of_make(compiler));
    }
    if !build.options.is_empty() {
        for name in FLAGS {
            let _ = writeln!(out, "{name} += {}", of_make(&build.options.join(" ")));
        }
    }
    if !build.linker.is_empty() {
        let _ = writeln!(out, "LDFLAGS += {}", of_make(&build.linker.join(" ")));
    }
    for (file, options) in &build.files {
        let stem = Path::new(file).file_stem().unwrap_or_default().to_string_lossy();
        let options = of_make(&options.join(" "));
        // Other letters mean something to make.
        if !stem.chars().all(|letter| letter.is_ascii_alphanumeric() || "_-+.".contains(letter)) {
            let _ = writeln!(out, "# {} has these as well: {options}", one_line(file));
            continue;
        }
        for name in FLAGS {
            let _ = writeln!(out, "{stem}.o: {name} += {options}");
        }
    }
    out + &build.settings()
}

fn cmake(build: &Build, title: &str) -> String {
    let mut out = build.remarks(title);
    let compilers: String = build
        .compilers
        .iter()
        .map(|(name, path)| format!(" -DCMAKE_{}_COMPILER={}", of_cmake(name), quoted(path)))
        .collect();
    let _ = writeln!(
        out,
        "# cmake -B best -DCMAKE_PROJECT_INCLUDE=\"$PWD/best.cmake\"{} && cmake --build best",
        one_line(&compilers)
    );
    let list = |options: &[&str]| options.iter().map(|one| bracketed(one)).collect::<Vec<_>>().join(" ");
    if !build.options.is_empty() {
        let _ = writeln!(out, "add_compile_options({})", list(&build.options));
    }
    if !build.linker.is_empty() {
        let _ = writeln!(out, "add_link_options({})", list(&build.linker));
    }
    for (file, options) in &build.files {
        let _ = writeln!(
            out,
            "set_property(SOURCE {} APPEND PROPERTY COMPILE_OPTIONS {})",
            bracketed(file),
            list(options)
        );
    }
    out + &build.settings()
}

/// As cmake names the languages.
fn of_cmake(name: &str) -> &'static str {
    if name == "CXX" { "CXX" } else { "C" }
}

fn presets(build: &Build, title: &str) -> String {
    let mut cache = serde_json::Map::new();
    cache.insert("CMAKE_BUILD_TYPE".to_owned(), json!("Release"));
    for (name, compiler) in &build.compilers {
        cache.insert(format!("CMAKE_{}_COMPILER", of_cmake(name)), json!(compiler));
    }
    if !build.options.is_empty() {
        // What cmake has in a release, then these.
        let flags = format!("-O3 -DNDEBUG {}", build.options.join(" "));
        for language in ["C", "CXX", "Fortran"] {
            cache.insert(format!("CMAKE_{language}_FLAGS_RELEASE"), json!(flags));
        }
    }
    if !build.linker.is_empty() {
        cache.insert("CMAKE_EXE_LINKER_FLAGS".to_owned(), json!(build.linker.join(" ")));
    }
    let environment: BTreeMap<&str, &str> = build.variables.iter().copied().collect();
    let all = json!({
        "version": 3,
        "configurePresets": [{
            "name": "loopwright-best",
            "displayName": title,
            "binaryDir": "${sourceDir}/build-best",
            "cacheVariables": cache,
        }],
        "buildPresets": [{ "name": "loopwright-best", "configurePreset": "loopwright-best" }],
        "testPresets": [{
            "name": "loopwright-best",
            "configurePreset": "loopwright-best",
            "environment": environment,
        }],
    });
    format!("{all:#}\n")
}

fn cargo(build: &Build, title: &str) -> String {
    let mut out = build.remarks(title);
    out.push_str("# Add it to .cargo/config.toml of the project.\n");
    let (profile, flags) = of_cargo(&build.options);
    if !profile.is_empty() {
        out.push_str("[profile.release]\n");
    }
    for (key, value) in profile {
        // Numbers are numbers there.
        let value = if value.bytes().all(|byte| byte.is_ascii_digit()) {
            value.to_owned()
        } else {
            json!(value).to_string()
        };
        let _ = writeln!(out, "{key} = {value}");
    }
    if !flags.is_empty() {
        let _ = writeln!(out, "[build]\nrustflags = {}", json!(flags));
    }
    if !build.variables.is_empty() {
        out.push_str("[env]\n");
    }
    for (name, value) in &build.variables {
        let _ = writeln!(out, "{} = {}", json!(name), json!(value));
    }
    out
}

/// Options of rustc as keys of a profile where it has them, the last of a key, and the others.
fn of_cargo<'a>(options: &[&'a str]) -> (BTreeMap<&'a str, &'a str>, Vec<&'a str>) {
    let (mut profile, mut flags) = (BTreeMap::new(), Vec::new());
    for option in options.iter().filter(|option| **option != "-C") {
        match option.split_once('=') {
            Some((key @ ("lto" | "codegen-units" | "opt-level" | "panic" | "debuginfo"), value)) => {
                profile.insert(if key == "debuginfo" { "debug" } else { key }, value);
            }
            _ => flags.extend(["-C", *option]),
        }
    }
    (profile, flags)
}

/// A word of a shell.
fn quoted(word: &str) -> String {
    shlex::try_quote(word).map_or_else(|_| "''".to_owned(), std::borrow::Cow::into_owned)
}

/// Text inside of double quotes of a shell.
fn inside(text: &str) -> String {
    let mut out = String::new();
    for letter in text.chars() {
        if matches!(letter, '"' | '\\' | '$' | '`') {
            out.push('\\');
        }
        out.push(letter);
    }
    out
}

/// Text of a makefile (GNU make manual, *Using Variables*, *What Makefiles Contain*).
fn of_make(text: &str) -> String {
    one_line(text).replace('$', "$$").replace('#', "\\#")
}

/// An argument of cmake that is taken as it is (cmake-language(7), *Bracket Argument*).
fn bracketed(text: &str) -> String {
    let mut signs = String::new();
    while text.contains(&format!("]{signs}]")) || text.ends_with(&format!("]{signs}")) {
        signs.push('=');
    }
    format!("[{signs}[{text}]{signs}]")
}

/// Names of files may hold anything.
fn one_line(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(files: &[&str], options: &str) -> Part {
        let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        Part::Options { files: owned(files), options: owned(&options.split(' ').collect::<Vec<_>>()) }
    }

    fn all() -> Vec<Part> {
        vec![
            Part::Compiler {
                files: vec!["/p/a.cpp".into()],
                compiler: "/opt/my $compilers/clang++".into(),
                without: vec!["-fipa-pta".into()],
            },
            options(&[], "-O3 -march=native -flto=thin"),
            options(&["/p/hot.c"], "-O2"),
            Part::Variable { name: "GLIBC_TUNABLES".into(), value: "glibc.malloc.hugetlb=1".into() },
        ]
    }

    #[test]
    fn a_build_is_written_for_each_build_system() {
        let shell = written(&all(), "the best", Format::Shell).unwrap();
        assert!(shell.contains("export CXX='/opt/my $compilers/clang++'\n"), "{shell}");
        assert!(shell.contains("export CFLAGS=\"${CFLAGS:-} -O3 -march=native -flto=thin\"\n"), "{shell}");
        assert!(shell.contains("export LDFLAGS=\"${LDFLAGS:-} -flto=thin\"\n"), "{shell}");
        assert!(
            shell.contains("-fipa-pta") && shell.contains("GLIBC_TUNABLES='glibc.malloc.hugetlb=1'"),
            "{shell}"
        );
        let make = written(&all(), "the best", Format::Make).unwrap();
        assert!(make.contains("CXX := /opt/my $$compilers/clang++\n"), "{make}");
        assert!(make.contains("hot.o: CFLAGS += -O2\n"), "{make}");
        let cmake = written(&all(), "the best", Format::Cmake).unwrap();
        assert!(cmake.contains("add_compile_options([[-O3]] [[-march=native]] [[-flto=thin]])\n"), "{cmake}");
        assert!(
            cmake.contains("set_property(SOURCE [[/p/hot.c]] APPEND PROPERTY COMPILE_OPTIONS [[-O2]])"),
            "{cmake}"
        );
        assert_eq!(written(&all(), "", Format::Presets), Err(NotWritten::Files));
        let whole: Vec<Part> = all()
            .into_iter()
            .filter(|part| !matches!(part, Part::Options { files, .. } if !files.is_empty()))
            .collect();
        let presets: serde_json::Value =
            serde_json::from_str(&written(&whole, "the best", Format::Presets).unwrap()).unwrap();
        let cache = &presets["configurePresets"][0]["cacheVariables"];
        assert_eq!(cache["CMAKE_C_FLAGS_RELEASE"], "-O3 -DNDEBUG -O3 -march=native -flto=thin");
        assert_eq!(cache["CMAKE_CXX_COMPILER"], "/opt/my $compilers/clang++");
    }

    #[test]
    fn a_build_of_cargo_is_a_profile_and_flags() {
        let parts = [options(&[], "-C lto=fat -C codegen-units=1 -C target-cpu=native")];
        let cargo = written(&parts, "the best", Format::Cargo).unwrap();
        let wanted = "[profile.release]\ncodegen-units = 1\nlto = \"fat\"\n[build]\nrustflags = [\"-C\",\"target-cpu=native\"]\n";
        assert!(cargo.ends_with(wanted), "{cargo}");
        let shell = written(&parts, "the best", Format::Shell).unwrap();
        assert!(shell.contains("export CARGO_PROFILE_RELEASE_CODEGEN_UNITS=1\n"), "{shell}");
        assert!(shell.contains("export RUSTFLAGS=\"${RUSTFLAGS:-} -C target-cpu=native\"\n"), "{shell}");
        assert_eq!(written(&parts, "", Format::Make), Err(NotWritten::OfCargo));
        assert_eq!(written(&all(), "", Format::Cargo), Err(NotWritten::NotOfCargo));
        let profile = [Part::Profile { files: vec!["/p/a.c".into()] }];
        assert_eq!(written(&profile, "", Format::Cmake), Err(NotWritten::Profile));
        assert!(written(&profile, "", Format::Shell).unwrap().contains(GATHER));
    }

    #[test]
    fn names_of_files_give_no_orders() {
        let parts = [options(&["/p/a]]\nset(X 1)#.c"], "-O2"), options(&[], "-DX=\"`id`\"")];
        let shell = written(&parts, "x\ny", Format::Shell).unwrap();
        assert!(shell.contains("\\`id\\`") && shell.starts_with("# x y\n"), "{shell}");
        assert!(shell.lines().all(|line| line.starts_with('#') || line.starts_with("export ")), "{shell}");
        let cmake = written(&parts, "x", Format::Cmake).unwrap();
        assert!(cmake.contains("[=[/p/a]]\nset(X 1)#.c]=]"), "{cmake}");
        let make = written(&parts, "x", Format::Make).unwrap();
        assert!(!make.lines().any(|line| line.starts_with("set(") || line.contains(".o:")), "{make}");
    }

    #[test]
    fn an_experiment_of_somebody_else_gives_no_orders() {
        let variable = |name: &str, value: &str| Part::Variable { name: name.into(), value: value.into() };
        let compiler = |path: &str| Part::Compiler {
            files: vec!["/p/a.c".into()],
            compiler: path.into(),
            without: Vec::new(),
        };
        for foreign in [
            options(&[], "-O3 -fplugin=evil.so"),
            options(&["/p/a.c"], "-wrapper sh,-c,id"),
            compiler("/tmp/evil/gcc"),
            variable("LD_PRELOAD", "/tmp/evil.so"),
            variable("X=1;id;Y", "1"),
            Part::Edit { file: "a".into(), line: 1, before: String::new(), after: "x".into() },
        ] {
            let said = text(std::slice::from_ref(&foreign), "", Format::Shell);
            assert!(matches!(said, Err(NotWritten::NotOfASearch { .. })), "{foreign:?}: {said:?}");
        }
        let own = [options(&[], "-O3 -march=native -ffp-contract=off"), variable("MALLOC_MMAP_MAX_", "0")];
        assert!(text(&own, "", Format::Shell).is_ok());
    }
}
