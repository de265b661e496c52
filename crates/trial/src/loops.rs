//! Changes of loops in sources of C, C++ and Fortran: options for their compilers, directives, `restrict`.
//!
//! The tables here say which options, directives and promises *are* a recommended change; options that a text offers beside a
//! change of structure are not that change.

use crate::change::{Candidate, PARALLELISE, general, mechanical, options_of};
use crate::compilers;
use crate::counts;
use crate::edit::Source;
use crate::headers;
use crate::line::Line;
use crate::parameters::restrict;
use crate::rebuild::Workshop;
use crate::settings::settings;
use loopwright_advise::Recommendation;
use loopwright_analysis::model::{Analysis, LoopFacts};
use loopwright_experiment::trials::{Part, Way, Why};
use loopwright_remarks::command::language_of;
use loopwright_remarks::compiler::identify;
use loopwright_remarks::remark::Family;
use loopwright_vocabulary::Language;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;

/// Changes whose options alone are the change.
const BY_OPTIONS: [&str; 16] = [
    "divide-or-root-bound",
    "fewer-instructions",
    "inline-call",
    "missing-instruction",
    "more-accumulators",
    "narrow-instruction-set",
    "no-fma",
    "no-math-errno",
    "optimise-for-speed",
    "optimise-for-vectors",
    "rebuild",
    "register-spills",
    "reorder-fp-sum",
    "unoptimised-build",
    "vector-math-library",
    "wider-instruction-set",
];
/// Changes that say that iterations do not depend on each other.
const BY_PROMISE: [&str; 2] = ["assert-independence", "promise-no-alias"];
/// Changes that `omp simd` makes, with a reduction where the loop adds up.
const BY_SIMD: [&str; 2] = ["pad-short-loop", "reorder-fp-sum"];

/// Changes that a constant number of iterations makes.
const BY_COUNT: [&str; 2] = ["constant-trip-count", "pad-short-loop"];
/// Changes that another compiler may make.
const BY_COMPILER: [&str; 1] = ["other-compiler-vectorises"];

/// The first version of GCC that knows `#pragma GCC novector` (its release notes).
const NO_VECTOR_FROM: u32 = 14;

/// Names of the compilers in advice.
fn names(family: Family, language: Language) -> &'static [&'static str] {
    match (family, language) {
        (Family::Gcc, Language::Fortran) => &["gfortran", "gcc"],
        (Family::Gcc, Language::Cxx) => &["g++", "gcc"],
        (Family::Gcc, _) => &["gcc"],
        (Family::Clang, Language::Fortran) => &["flang"],
        (Family::Clang, Language::Cxx) => &["clang++", "clang"],
        (Family::Clang, _) => &["clang"],
        (Family::Intel, _) => &[],
    }
}

/// Sets of options for hot sources, each beside what the build has: level, instruction set, width, contraction, single parts of
/// `-ffast-math` (GCC manual, *Options That Control Optimization*), unrolling. What one of these allows
/// alone may change digits: the check of the answers decides.
const OPTION_SETS: [(&str, Family, &[&str]); 25] = [
    ("level-3", Family::Gcc, &["-O3"]),
    ("native", Family::Gcc, &["-O3", "-march=native"]),
    ("native-no-contraction", Family::Gcc, &["-O3", "-march=native", "-ffp-contract=off"]),
    ("vectors-of-256-bits", Family::Gcc, &["-O3", "-march=native", "-mprefer-vector-width=256"]),
    ("vectors-of-512-bits", Family::Gcc, &["-O3", "-march=native", "-mprefer-vector-width=512"]),
    ("unroll", Family::Gcc, &["-funroll-loops"]),
    ("no-math-errno", Family::Gcc, &["-fno-math-errno"]),
    ("no-trapping-math", Family::Gcc, &["-fno-trapping-math"]),
    ("associative-math", Family::Gcc, &["-fassociative-math", "-fno-signed-zeros", "-fno-trapping-math"]),
    ("reciprocal-math", Family::Gcc, &["-freciprocal-math"]),
    ("finite-math-only", Family::Gcc, &["-ffinite-math-only"]),
    ("no-signed-zeros", Family::Gcc, &["-fno-signed-zeros"]),
    ("limited-complex-range", Family::Gcc, &["-fcx-limited-range"]),
    ("fast-math-native", Family::Gcc, &["-O3", "-march=native", "-ffast-math"]),
    ("level-3", Family::Clang, &["-O3"]),
    ("native", Family::Clang, &["-O3", "-march=native"]),
    ("native-no-contraction", Family::Clang, &["-O3", "-march=native", "-ffp-contract=off"]),
    ("vectors-of-512-bits", Family::Clang, &["-O3", "-march=native", "-mprefer-vector-width=512"]),
    ("no-math-errno", Family::Clang, &["-fno-math-errno"]),
    ("associative-math", Family::Clang, &["-fassociative-math", "-fno-signed-zeros", "-fno-trapping-math"]),
    ("reciprocal-math", Family::Clang, &["-freciprocal-math"]),
    ("finite-math-only", Family::Clang, &["-ffinite-math-only"]),
    ("unroll", Family::Clang, &["-funroll-loops"]),
    ("no-signed-zeros", Family::Clang, &["-fno-signed-zeros"]),
    ("fast-math-native", Family::Clang, &["-O3", "-march=native", "-ffast-math"]),
];

/// Link-time optimisation of all sources. Objects of GCC keep plain code beside: an `ar` without a plugin makes the index of
/// an archive from that. Objects of clang need its linker.
const LINK_TIME: [(Family, &[&str]); 2] =
    [(Family::Gcc, &["-flto", "-ffat-lto-objects"]), (Family::Clang, &["-flto=thin", "-fuse-ld=lld"])];

/// A header that more sources include is one of the whole program: each change would compile all of them again.
const MOST_INCLUDING: usize = 16;

/// Loops below this share of the time do not choose sources for sets of options.
pub(crate) const HOT: f64 = 0.01;

/// Looks at sources and compilers to find out what can be carried out.
pub(crate) struct Chooser<'a> {
    analysis: &'a Analysis,
    workshop: &'a Workshop<'a>,
    families: RefCell<BTreeMap<String, Option<Family>>>,
}

/// A loop in a source that the build compiles, or in a header that such sources include.
struct Spot<'a> {
    of: &'a LoopFacts,
    file: String,
    line: u32,
    /// The sources whose code has the loop: the file itself, unless it is a header.
    sources: Vec<String>,
    by: &'a Line,
    language: Language,
    family: Family,
}

impl<'a> Chooser<'a> {
    pub fn new(analysis: &'a Analysis, workshop: &'a Workshop<'a>) -> Self {
        Self { analysis, workshop, families: RefCell::default() }
    }

    /// The ways to carry out a recommendation.
    pub fn of_card(&self, card: &Recommendation) -> Vec<Candidate> {
        let id = card.id.as_str();
        let mut found = Vec::new();
        if BY_PROMISE.contains(&id) {
            found.push((Way::Ivdep, self.ivdep(card)));
            found.push((Way::Restrict, self.restrict(card)));
        }
        if BY_SIMD.contains(&id) {
            found.push((Way::Simd, self.simd(card)));
        }
        if id.starts_with(PARALLELISE) {
            found.push((Way::Parallel, self.parallel(card)));
        }
        if BY_COUNT.contains(&id) {
            found.push((Way::Count, self.count(card)));
        }
        if BY_OPTIONS.contains(&id) {
            found.push((Way::Options, self.options(card)));
        }
        if BY_COMPILER.contains(&id) {
            found.push((Way::Compiler, self.spots(card).and_then(|spots| other_compiler(&spots))));
        }
        mechanical(card, found)
    }

    /// The loops of a recommendation in sources that the build compiles, the most valuable first.
    fn spots(&self, card: &Recommendation) -> Result<Vec<Spot<'a>>, Why> {
        let ids: Vec<Option<u32>> = if card.places.is_empty() {
            vec![card.loop_id]
        } else {
            card.places.iter().map(|place| place.loop_id).collect()
        };
        let known = |id: Option<u32>| self.analysis.loops.iter().find(|of| Some(of.id) == id);
        let found: Vec<_> = ids.into_iter().map(|id| self.spot(known(id).ok_or(Why::NoPlace)?)).collect();
        let mut spots = Vec::new();
        let mut first = None;
        for spot in found {
            match spot {
                Ok(spot) => spots.push(spot),
                Err(why) => first = first.or(Some(why)),
            }
        }
        if spots.is_empty() { Err(first.unwrap_or(Why::NoPlace)) } else { Ok(spots) }
    }

    fn spot(&self, of: &'a LoopFacts) -> Result<Spot<'a>, Why> {
        let (file, line) = of.file.clone().zip(of.line).ok_or(Why::NoPlace)?;
        let (by, sources) = match self.workshop.compiling(Path::new(&file)) {
            Ok(by) => (by, vec![file.clone()]),
            // Some sources are included by others, as headers are.
            Err(why) if language_of(Path::new(&file)).is_some() => match why {
                Why::NotOfThisBuild { .. } => self.including(&file).map_err(|_| why)?,
                why => return Err(why),
            },
            Err(_) => self.including(&file)?,
        };
        let language = language_of(Path::new(&sources[0])).ok_or(Why::NoPlace)?;
        let family = self.family(by)?;
        Ok(Spot { of, file, line, sources, by, language, family })
    }

    /// The sources that include a header, and the command of the first one; that decides about the compiler.
    fn including(&self, header: &str) -> Result<(&'a Line, Vec<String>), Why> {
        let lines = self.workshop.including(Path::new(header));
        let none = || Why::NotIncluded { file: header.to_owned() };
        let by = *lines.first().ok_or_else(none)?;
        if lines.len() > MOST_INCLUDING {
            let sources = u32::try_from(lines.len()).unwrap_or(u32::MAX);
            return Err(Why::IncludedOften { file: header.to_owned(), sources });
        }
        let sources = lines.iter().flat_map(|line| &line.sources);
        Ok((by, sources.map(|source| source.path.to_string_lossy().into_owned()).collect()))
    }

    /// The kind of the compiler of a command.
    fn family(&self, by: &Line) -> Result<Family, Why> {
        let program = by.step.arguments[0].clone();
        let mut known = self.families.borrow_mut();
        let family = known
            .entry(program.clone())
            .or_insert_with(|| identify(Path::new(&program)).map(|compiler| compiler.family));
        family.filter(|family| *family != Family::Intel).ok_or(Why::OtherCompiler { compiler: program })
    }

    /// Edits of all loops that can be edited; the reason of the first one where none can.
    fn edits(
        &self,
        spots: &[Spot],
        edit: impl Fn(&Source, &Spot) -> Result<Part, Why>,
    ) -> Result<Vec<Part>, Why> {
        let mut parts: Vec<Part> = Vec::new();
        let mut first = None;
        for spot in spots {
            if headers::is_of_system(Path::new(&spot.file)) {
                first = first.or_else(|| Some(Why::OfSystem { file: spot.file.clone() }));
                continue;
            }
            let text = std::fs::read_to_string(&spot.file)
                .map_err(|_| Why::NotOfThisBuild { file: spot.file.clone() })?;
            let source = Source { file: &spot.file, language: spot.language, text: &text };
            match edit(&source, spot) {
                Ok(part) if parts.contains(&part) => {}
                Ok(part) => parts.push(part),
                Err(why) => first = first.or(Some(why)),
            }
        }
        if parts.is_empty() { Err(first.unwrap_or(Why::NoPlace)) } else { Ok(parts) }
    }

    fn ivdep(&self, card: &Recommendation) -> Result<Vec<Part>, Why> {
        let spots = self.spots(card)?;
        let edits = self.edits(&spots, |source, spot| {
            let directive = match (spot.family, spot.language) {
                (Family::Clang, Language::Fortran) => {
                    return Err(Why::OtherCompiler { compiler: "flang".into() });
                }
                (Family::Clang, _) => "clang loop vectorize(assume_safety)",
                (_, Language::Fortran) => "GCC$ ivdep",
                _ => "GCC ivdep",
            };
            source.before_loop(spot.line, directive, spot.family)
        })?;
        Ok([for_vectors(&spots), edits].concat())
    }

    fn restrict(&self, card: &Recommendation) -> Result<Vec<Part>, Why> {
        let spots = self.spots(card)?;
        let edits = self.edits(&spots, |source, spot| {
            let function = spot.of.written_in.as_deref().unwrap_or(&spot.of.function);
            restrict(source, function, spot.line)
        })?;
        Ok([for_vectors(&spots), edits].concat())
    }

    fn simd(&self, card: &Recommendation) -> Result<Vec<Part>, Why> {
        let spots = self.spots(card)?;
        let edits = self.edits(&spots, |source, spot| {
            source.before_loop(spot.line, "omp simd", spot.family)?;
            let sums = source.sums(spot.line);
            let clause = match &sums {
                Ok(sums) => format!(" reduction(+:{})", sums.join(",")),
                Err(Why::NoSum { .. }) if card.id != "reorder-fp-sum" => String::new(),
                Err(why) => return Err(why.clone()),
            };
            source.before_loop(spot.line, &format!("omp simd{clause}"), spot.family)
        })?;
        // The options that the advice gives with the directive; the directive alone where it gives none for this compiler.
        let of_advice =
            Self::own_options(card, &spots[0], |options| options.contains(&"-fopenmp-simd".to_owned()));
        let plain = || [vectorising(&spots), vec!["-fopenmp-simd".to_owned()]].concat();
        let options = of_advice.unwrap_or_else(plain);
        Ok([vec![Part::Options { files: files(&spots), options }], edits].concat())
    }

    fn count(&self, card: &Recommendation) -> Result<Vec<Part>, Why> {
        let spots = self.spots(card)?;
        let edits = self.edits(&spots, |source, spot| {
            let none = || Why::NoCount { file: spot.file.clone(), line: spot.line };
            counts::guarded(source, spot.line, counts::constant(self.analysis, spot.of).ok_or_else(none)?)
        })?;
        Ok([for_vectors(&spots), edits].concat())
    }

    fn parallel(&self, card: &Recommendation) -> Result<Vec<Part>, Why> {
        let spots = self.spots(card)?;
        let directive = card.how.directive.as_deref().ok_or_else(|| match &spots[0].of.dependence {
            Some(found) => Why::NotAllowed { verdict: found.verdict.clone() },
            None => Why::Unchecked,
        })?;
        // Nested regions of threads would multiply: the most valuable loop alone.
        let edits =
            self.edits(&spots[..1], |source, spot| source.before_loop(spot.line, directive, spot.family))?;
        let options = Part::Options { files: files(&spots[..1]), options: vec!["-fopenmp".to_owned()] };
        let settings = settings(card).into_iter().flatten().next().unwrap_or_default();
        Ok([vec![options], edits, settings].concat())
    }

    fn options(&self, card: &Recommendation) -> Result<Vec<Part>, Why> {
        let spots = self.spots(card)?;
        let first = &spots[0];
        let options = Self::own_options(card, first, |options| !needs_directive(options));
        let compiler = || Why::OtherCompiler { compiler: first.by.step.program().to_owned() };
        let options = options.ok_or_else(compiler)?;
        // A rebuild is one of the whole program, and inlining across sources needs all of them.
        let whole = card.id == "rebuild" || options.iter().any(|option| option.starts_with("-flto"));
        let files = if whole { Vec::new() } else { files(&spots) };
        Ok(vec![Part::Options { files, options }])
    }

    /// The first options of the advice that fit, for the compiler of a loop.
    fn own_options(card: &Recommendation, at: &Spot, fit: impl Fn(&[String]) -> bool) -> Option<Vec<String>> {
        let is_for = |name: &str, compilers: &str| {
            compilers.split(',').any(|one| one.split_whitespace().next() == Some(name))
        };
        names(at.family, at.language).iter().find_map(|name| {
            let all = card.how.flags.iter().filter(|flags| is_for(name, &flags.compiler));
            all.filter_map(|flags| options_of(&flags.flags)).find(|options| fit(options))
        })
    }

    /// Sets of options for the sources of hot loops.
    pub fn option_sets(&self) -> Vec<Candidate> {
        let hot = self.analysis.loops.iter().filter(|of| of.self_share >= HOT);
        let spots: Vec<Spot> = hot.filter_map(|of| self.spot(of).ok()).collect();
        let mut found = Vec::new();
        for (name, family, options) in OPTION_SETS {
            let of_family: Vec<&Spot> = spots.iter().filter(|spot| spot.family == family).collect();
            if of_family.is_empty() {
                continue;
            }
            let options = options.iter().map(|option| (*option).to_owned()).collect();
            let part = Part::Options { files: files(of_family), options };
            found.push(general(name, Way::Options, vec![part]));
        }
        if spots.is_empty() {
            return found;
        }
        for (family, options) in LINK_TIME {
            if spots.iter().all(|spot| spot.family == family) {
                let options = options.iter().map(|option| (*option).to_owned()).collect();
                let part = Part::Options { files: Vec::new(), options };
                found.push(general("link-time-optimisation", Way::Options, vec![part]));
            }
        }
        found.extend(self.no_vectors(&spots));
        found.push(general("profile", Way::Profile, vec![Part::Profile { files: files(&spots) }]));
        let other = other_compiler(&spots);
        found.push(Candidate { parts: other, ..general("other-compiler", Way::Compiler, Vec::new()) });
        found
    }

    /// The hot loops that are vectors, scalar: by a directive where the compiler has one, else whole sources by options.
    fn no_vectors(&self, spots: &[Spot]) -> Option<Candidate> {
        let vectors = |spot: &&Spot| spot.of.vectorized;
        let mut parts: Vec<Part> = Vec::new();
        for spot in spots.iter().filter(vectors) {
            let compiler = identify(Path::new(&spot.by.step.arguments[0]));
            let directive = match spot.family {
                Family::Clang => Some("clang loop vectorize(disable)"),
                _ => compiler.filter(|c| c.major() >= NO_VECTOR_FROM).map(|_| "GCC novector"),
            };
            let directive = directive.filter(|_| spot.language != Language::Fortran);
            let text = std::fs::read_to_string(&spot.file).unwrap_or_default();
            let source = Source { file: &spot.file, language: spot.language, text: &text };
            let directive = directive.filter(|_| !headers::is_of_system(Path::new(&spot.file)));
            let part = match directive
                .and_then(|directive| source.before_loop(spot.line, directive, spot.family).ok())
            {
                Some(edit) => edit,
                None => Part::Options {
                    files: spot.sources.clone(),
                    options: vec!["-fno-tree-vectorize".to_owned()],
                },
            };
            if !parts.contains(&part) {
                parts.push(part);
            }
        }
        (!parts.is_empty()).then(|| general("no-vectors", Way::NoVector, parts))
    }
}

/// Another compiler for each source that it can compile; the reason of the first one where there is none.
fn other_compiler(spots: &[Spot]) -> Result<Vec<Part>, Why> {
    let mut parts: Vec<Part> = Vec::new();
    let mut first = None;
    for spot in spots {
        match compilers::other(&spot.sources[0], spot.by, spot.family, spot.language) {
            Ok(part) if parts.contains(&part) => {}
            Ok(part) => parts.push(part),
            Err(why) => first = first.or(Some(why)),
        }
    }
    if parts.is_empty() { Err(first.unwrap_or(Why::NoPlace)) } else { Ok(parts) }
}

fn files<'s, 'a: 's>(spots: impl IntoIterator<Item = &'s Spot<'a>>) -> Vec<String> {
    let mut files: Vec<String> = Vec::new();
    for file in spots.into_iter().flat_map(|spot| &spot.sources) {
        if !files.contains(file) {
            files.push(file.clone());
        }
    }
    files
}

/// These options do nothing without a directive in the source.
fn needs_directive(options: &[String]) -> bool {
    options.iter().any(|option| option == "-fopenmp-simd" || option == "-fopenmp")
}

/// The level at which loops become vectors in all compilers, where one of the sources is built below it.
fn vectorising(spots: &[Spot]) -> Vec<String> {
    if spots.iter().any(is_below) { vec!["-O3".to_owned()] } else { Vec::new() }
}

/// The same as a part, for the sources that are built below it: a promise is of no use to a compiler that makes no vectors.
fn for_vectors(spots: &[Spot]) -> Vec<Part> {
    let files = files(spots.iter().filter(|spot| is_below(spot)));
    if files.is_empty() { Vec::new() } else { vec![Part::Options { files, options: vec!["-O3".to_owned()] }] }
}

fn is_below(spot: &Spot) -> bool {
    let level = spot.by.step.arguments.iter().rfind(|word| word.starts_with("-O"));
    !level.is_some_and(|level| level == "-O3" || level == "-Ofast")
}
