//! The builds and settings that a search tries: a short ladder of levels, instruction sets and compilers first, then what may be added to
//! the best of them.
//!
//! A few sets hold most of what there is to gain: over eight programs three of 35 sets reached 99 % of the best one of each. Options
//! that let a compiler change digits are tried only where the user asked for them, or where the build has such options already.

use super::semantics;
use crate::builder::Builder;
use crate::compilers;
use crate::line::{Line, Lines, resolved};
use loopwright_experiment::trials::{End, Part, Trial, Way, Why};
use loopwright_experiment::tuning::{Axis, Candidate, Semantics};
use loopwright_remarks::command::language_of;
use loopwright_remarks::compiler::{identify, which};
use loopwright_remarks::remark::Family;
use loopwright_vocabulary::Language;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Keeps multiplications and additions apart, so that `-march=native` does not change digits.
const NO_CONTRACTION: &str = "-ffp-contract=off";
/// Fuses them.
const CONTRACTION: &str = "-ffp-contract=fast";
/// Levels and instruction sets.
const LADDER: [(&str, &[&str]); 4] = [
    ("O2", &["-O2"]),
    ("O3", &["-O3"]),
    ("O2-native", &["-O2", "-march=native"]),
    ("O3-native", &["-O3", "-march=native"]),
];
/// What another compiler is given.
const OF_OTHER_COMPILERS: &[&str] = &["-O3", "-march=native"];
/// What reorders operations, and what ignores NaN and infinities, too (GCC manual, *Options That Control Optimization*).
const REASSOCIATE: [&str; 4] =
    ["-fassociative-math", "-fno-signed-zeros", "-fno-trapping-math", "-fno-math-errno"];
const FAST: &str = "-ffast-math";
/// Additions to the best of the ladder, which change no digits.
const ADDITIONS: [(&str, &[&str]); 3] = [
    ("unroll", &["-funroll-loops"]),
    ("no-errno", &["-fno-math-errno", "-fno-trapping-math"]),
    ("no-vectors", &["-fno-tree-vectorize"]),
];
/// The width that compilers do not prefer on processors with 512 bits, or do on some.
const WIDTHS: [(&str, &str); 2] =
    [("256-bits", "-mprefer-vector-width=256"), ("512-bits", "-mprefer-vector-width=512")];
/// Link-time optimisation by family; of GCC with plain code beside, of which an `ar` without a plugin makes its index.
const LINK_TIME_GCC: &[&str] = &["-flto", "-ffat-lto-objects"];
const LINK_TIME_CLANG: &[&str] = &["-flto=thin", "-fuse-ld=lld"];
/// The same for rustc (The rustc book, *Codegen Options*).
const LADDER_RUSTC: [(&str, Axis, &[&str]); 5] = [
    ("native", Axis::Flags, &["-C", "target-cpu=native"]),
    ("O3", Axis::Flags, &["-C", "opt-level=3"]),
    ("O2", Axis::Flags, &["-C", "opt-level=2"]),
    ("one-unit", Axis::Flags, &["-C", "codegen-units=1"]),
    ("fat-lto", Axis::Lto, &["-C", "lto=fat", "-C", "codegen-units=1"]),
];
const ADDITIONS_RUSTC: [(&str, Axis, &[&str]); 3] = [
    ("native", Axis::Flags, &["-C", "target-cpu=native"]),
    ("one-unit", Axis::Flags, &["-C", "codegen-units=1"]),
    ("fat-lto", Axis::Lto, &["-C", "lto=fat", "-C", "codegen-units=1"]),
];
/// Sources whose options are varied by themselves, at most.
const MOST_FILES: usize = 3;
/// Sources with less of the program's time than this are not.
const OF_TIME: f64 = 0.05;

/// What is known of the build before anything is tried.
pub(crate) struct Build<'a> {
    /// Commands that compile sources of C, C++ and Fortran into the program; none of rustc.
    lines: Vec<&'a Line>,
    families: BTreeMap<String, Option<Family>>,
    fma: bool,
    wide: bool,
    is_rust: bool,
    program: PathBuf,
}

impl<'a> Build<'a> {
    pub fn of(builder: &Builder, lines: &'a Lines, program: &Path) -> Self {
        let is_rust = !matches!(builder, Builder::Commands(_));
        let lines: Vec<&Line> = match is_rust {
            true => Vec::new(),
            false => lines.behind(program).into_iter().filter(|line| !line.sources.is_empty()).collect(),
        };
        let mut families = BTreeMap::new();
        for line in &lines {
            let program = line.step.arguments[0].clone();
            families
                .entry(program.clone())
                .or_insert_with(|| identify(Path::new(&program)).map(|compiler| compiler.family));
        }
        #[cfg(target_arch = "x86_64")]
        let (fma, wide) =
            (std::arch::is_x86_feature_detected!("fma"), std::arch::is_x86_feature_detected!("avx512f"));
        #[cfg(not(target_arch = "x86_64"))]
        let (fma, wide) = (true, false);
        Self { lines, families, fma, wide, is_rust, program: program.to_path_buf() }
    }

    fn family(&self, line: &Line) -> Option<Family> {
        self.families.get(&line.step.arguments[0]).copied().flatten()
    }

    /// What the build with more options allows: the most of all its commands.
    pub fn semantics(&self, more: &[&str]) -> Semantics {
        let of = |line: &&Line| {
            let own = line.step.arguments.iter().skip(1).map(String::as_str);
            let family = self.family(line).unwrap_or(Family::Gcc);
            semantics::of(own.chain(more.iter().copied()), family, self.fma)
        };
        self.lines.iter().map(of).max().unwrap_or_default()
    }

    /// A candidate by options for the whole program.
    fn options(&self, name: &str, axis: Axis, options: &[&str]) -> Candidate {
        let part = Part::Options { files: Vec::new(), options: owned(options) };
        candidate(name, axis, Way::Options, self.semantics(options), Ok(vec![part]))
    }

    /// Levels, instruction sets and compilers; `allowed` is what their options may allow at most.
    pub fn ladder(&self, axes: &[Axis], allowed: Semantics) -> Vec<Candidate> {
        if self.is_rust {
            let wanted = LADDER_RUSTC.iter().filter(|(_, axis, _)| axes.contains(axis));
            return wanted.map(|(name, axis, options)| self.options(name, *axis, options)).collect();
        }
        if self.lines.is_empty() {
            let why = Why::NotOfThisBuild { file: self.program.to_string_lossy().into_owned() };
            return vec![candidate("options", Axis::Flags, Way::Options, Semantics::Exact, Err(why))];
        }
        let mut all = Vec::new();
        let variants = self.variants(allowed);
        if axes.contains(&Axis::Flags) {
            for (name, options) in LADDER {
                if !options.contains(&"-march=native") {
                    all.push(self.options(name, Axis::Flags, options));
                    continue;
                }
                for (suffix, more) in &variants {
                    // A lower level is tried with the first variant alone.
                    if name == "O3-native" || suffix.is_empty() {
                        let options = [options, more.as_slice()].concat();
                        all.push(self.options(&format!("{name}{suffix}"), Axis::Flags, &options));
                    }
                }
            }
        }
        if axes.contains(&Axis::Compiler) {
            all.extend(self.compilers(&variants));
        }
        all.retain(|one| one.semantics <= allowed.max(self.semantics(&[])));
        all
    }

    /// Ways to use the machine's own instructions: the first changes no digit that the build itself keeps; with the end of their names.
    fn variants(&self, allowed: Semantics) -> Vec<(&'static str, Vec<&'static str>)> {
        let own = self.semantics(&[]);
        if own > Semantics::Exact {
            let fast = (own < Semantics::Fast && allowed >= Semantics::Fast).then(|| ("-fast", vec![FAST]));
            return [("", Vec::new())].into_iter().chain(fast).collect();
        }
        let all = [
            (Semantics::Exact, "", vec![NO_CONTRACTION]),
            (Semantics::Contract, "-fma", vec![CONTRACTION]),
            (Semantics::Reassoc, "-reassoc", REASSOCIATE.to_vec()),
            (Semantics::Fast, "-fast", vec![FAST]),
        ];
        let wanted = all.into_iter().filter(|(semantics, ..)| *semantics <= allowed);
        wanted.map(|(_, name, options)| (name, options)).collect()
    }

    /// Every other installed compiler of C and C++; Fortran stays with its compiler, whose modules no other one reads.
    fn compilers(&self, variants: &[(&'static str, Vec<&'static str>)]) -> Vec<Candidate> {
        let mut all = Vec::new();
        let mut unknown = compilers::Unknown::default();
        for (name, by) in compilers::all_installed() {
            if self.is_used(&by) {
                continue;
            }
            let mut parts: Result<Vec<Part>, Why> = Ok(Vec::new());
            for line in &self.lines {
                for source in &line.sources {
                    let Some(language) = language_of(&source.path) else { continue };
                    let Some(compiler) = by.get(&language) else { continue };
                    let file = source.path.to_string_lossy();
                    match (compilers::by(compiler, &file, line, language, &mut unknown), &mut parts) {
                        (Ok(part), Ok(parts)) => joined(parts, part),
                        (Err(why), parts @ Ok(_)) => *parts = Err(why),
                        _ => {}
                    }
                }
            }
            if parts.as_ref().is_ok_and(Vec::is_empty) {
                continue;
            }
            for (suffix, more) in variants {
                let options = [OF_OTHER_COMPILERS, more.as_slice()].concat();
                let parts = parts.clone().map(|mut parts| {
                    parts.push(Part::Options { files: Vec::new(), options: owned(&options) });
                    parts
                });
                let name = format!("{name}{suffix}");
                all.push(candidate(&name, Axis::Compiler, Way::Compiler, self.semantics(&options), parts));
            }
        }
        all
    }

    /// Whether the build uses one of these programs already.
    fn is_used(&self, by: &BTreeMap<Language, PathBuf>) -> bool {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let used = self.families.keys().filter_map(|name| match name.contains('/') {
            true => Some(PathBuf::from(name)),
            false => which(name, &path, |_| false),
        });
        let used: Vec<PathBuf> = used.map(|path| resolved(&path)).collect();
        by.values().any(|path| used.contains(&resolved(path)))
    }

    /// What may be added to a build, which other candidates go on from.
    pub fn additions(&self, to: &Candidate, axes: &[Axis]) -> Vec<Candidate> {
        let mut all = Vec::new();
        let mut add = |name: &str, axis: Axis, way: Way, parts: Vec<Part>, options: &[&str]| {
            if axes.contains(&axis) {
                let known = options_of(&to.trial.parts);
                let options: Vec<&str> =
                    known.iter().map(String::as_str).chain(options.iter().copied()).collect();
                let parts = [to.trial.parts.clone(), parts].concat();
                let name = named(&to.trial.change, name);
                all.push(candidate(&name, axis, way, self.semantics(&options), Ok(parts)));
            }
        };
        let whole = |options: &[&str]| vec![Part::Options { files: Vec::new(), options: owned(options) }];
        if self.is_rust {
            for (name, axis, options) in ADDITIONS_RUSTC {
                add(name, axis, Way::Options, whole(options), options);
            }
            // What is there already is no addition.
            let known = options_of(&to.trial.parts);
            all.retain(|one| {
                options_of(&one.trial.parts)[known.len()..].iter().any(|new| !known.contains(new))
            });
            return all;
        }
        if self.lines.is_empty() {
            return all;
        }
        for (name, options) in ADDITIONS {
            add(name, Axis::Flags, Way::Options, whole(options), options);
        }
        for (name, option) in WIDTHS.iter().filter(|_| self.wide) {
            add(name, Axis::Flags, Way::Options, whole(&[option]), &[]);
        }
        let other = to.trial.parts.iter().any(|part| matches!(part, Part::Compiler { .. }));
        let is_of = |family| self.lines.iter().all(|line| self.family(line) == Some(family));
        // Objects of another compiler would need its linker.
        let link_time = match () {
            () if other => None,
            () if is_of(Family::Gcc) => Some(LINK_TIME_GCC),
            () if is_of(Family::Clang) => Some(LINK_TIME_CLANG),
            () => None,
        };
        if let Some(options) = link_time {
            add("lto", Axis::Lto, Way::Options, whole(options), &[]);
        }
        add("pgo", Axis::Pgo, Way::Profile, vec![Part::Profile { files: self.sources() }], &[]);
        all
    }

    fn sources(&self) -> Vec<String> {
        let all = self.lines.iter().flat_map(|line| &line.sources);
        all.map(|source| source.path.to_string_lossy().into_owned()).collect()
    }

    /// Other options for single sources on top of a build: those of the second best set of the ladder, hottest sources first. `hot` are
    /// sources with their shares of the time.
    pub fn files(&self, to: &Candidate, second: &Candidate, hot: &[(String, f64)]) -> Vec<Candidate> {
        let options = options_of(&second.trial.parts);
        let sources = self.sources();
        if sources.len() < 2 || options.is_empty() {
            return Vec::new();
        }
        let hot = hot.iter().filter(|(file, share)| *share >= OF_TIME && sources.contains(file));
        hot.take(MOST_FILES)
            .map(|(file, _)| {
                let part = Part::Options { files: vec![file.clone()], options: options.clone() };
                let parts = [to.trial.parts.clone(), vec![part]].concat();
                let base = file.rsplit('/').next().unwrap_or(file);
                let name = named(&to.trial.change, &format!("{base}:{}", second.trial.change));
                candidate(&name, Axis::Files, Way::Options, to.semantics.max(second.semantics), Ok(parts))
            })
            .collect()
    }
}

/// What of a part no search on this machine tries.
pub(crate) fn foreign(part: &Part) -> Option<String> {
    let is_own = |option: &&String| {
        let c = LADDER.iter().chain(&ADDITIONS).flat_map(|(_, options)| *options);
        let rust = LADDER_RUSTC.iter().chain(&ADDITIONS_RUSTC).flat_map(|(_, _, options)| *options);
        let widths = WIDTHS.iter().map(|(_, option)| option);
        let others = REASSOCIATE.iter().chain(LINK_TIME_GCC).chain(LINK_TIME_CLANG).chain(OF_OTHER_COMPILERS);
        let mut all = c.chain(rust).chain(widths).chain(others).chain(&[NO_CONTRACTION, CONTRACTION, FAST]);
        all.any(|own| own == *option)
    };
    match part {
        Part::Options { options, .. } => options.iter().find(|option| !is_own(option)).cloned(),
        Part::Compiler { compiler, .. } => {
            let installed = compilers::all_installed();
            let mut all = installed.iter().flat_map(|(_, by)| by.values());
            (!all.any(|path| path == Path::new(compiler))).then(|| compiler.clone())
        }
        Part::Variable { name, value } => {
            (!crate::settings::is_own(name, value)).then(|| format!("{name}={value}"))
        }
        Part::Profile { .. } => None,
        Part::Link { options, without } => options.iter().chain(without).next().cloned(),
        Part::Edit { file, .. } => Some(file.clone()),
    }
}

/// The name of a build with an addition.
pub(crate) fn named(base: &str, addition: &str) -> String {
    if base.is_empty() { addition.to_owned() } else { format!("{base} + {addition}") }
}

/// Adds the part of one more source; sources of one compiler are one part.
fn joined(parts: &mut Vec<Part>, new: Part) {
    if let Part::Compiler { files, compiler, without } = &new {
        for known in parts.iter_mut() {
            if let Part::Compiler { files: all, compiler: by, without: less } = known
                && by == compiler
                && less == without
            {
                all.extend(files.iter().cloned());
                return;
            }
        }
    }
    parts.push(new);
}

/// The options for the whole program.
pub(crate) fn options_of(parts: &[Part]) -> Vec<String> {
    let of = |part: &Part| match part {
        Part::Options { files, options } if files.is_empty() => options.clone(),
        _ => Vec::new(),
    };
    parts.iter().flat_map(of).collect()
}

pub(crate) fn candidate(
    name: &str,
    axis: Axis,
    way: Way,
    semantics: Semantics,
    parts: Result<Vec<Part>, Why>,
) -> Candidate {
    let (parts, end) = match parts {
        Ok(parts) => (parts, End::Ran),
        Err(why) => (Vec::new(), End::LeftAlone { why }),
    };
    let trial = Trial { end, ..Trial::new(name, way, parts) };
    Candidate { axis, semantics, build: None, trial }
}

fn owned(options: &[&str]) -> Vec<String> {
    options.iter().map(|option| (*option).to_owned()).collect()
}
