//! The two builds that are compared: the options and compilers of each source, with some sources as in the second one.

use crate::asked::Error;
use crate::compilers::{self, Unknown};
use crate::line::Line;
use crate::rebuild::is_for_the_linker;
use loopwright_experiment::reproduction::{Side, Unit};
use loopwright_experiment::trials::Part;
use loopwright_remarks::command::language_of;
use loopwright_vocabulary::Language;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Options with which a program that is linked treats numbers near zero as zero (GCC manual, *x86 Options*, `-mdaz-ftz`; before GCC 13
/// each of the others means it, too).
const AT_LINK: [&str; 4] = ["-Ofast", "-ffast-math", "-funsafe-math-optimizations", "-mdaz-ftz"];
/// The options of the first build where the user names none: no option that changes digits.
const STRICT: [&str; 3] = ["-O2", "-fno-fast-math", "-ffp-contract=off"];
/// Parts of the names of options (`-f..`) that may change digits: what operations may become, and what may be made of loops.
const OF_DIGITS: [&str; 14] = [
    "math",
    "fp-",
    "signed-zeros",
    "rounding",
    "excess",
    "float",
    "complex",
    "cx-",
    "tree",
    "vect",
    "slp",
    "unroll",
    "loop",
    "inline",
];

/// Both builds of the same program.
pub(crate) struct Sides<'a> {
    pub good: Side,
    pub bad: Side,
    /// Commands that compile one source each.
    pub lines: Vec<&'a Line>,
    /// The parts of the program that can be as in one build or the other.
    pub units: Vec<Unit>,
    /// Other compilers by source, of the first and the second build.
    compilers: [BTreeMap<PathBuf, Part>; 2],
    /// Words of the command that links, in the first build and the second one.
    link: [Vec<String>; 2],
}

impl<'a> Sides<'a> {
    /// Of what the user names. Where the second build is not named, it is that of the project.
    pub fn new(
        good: Option<Side>,
        bad: Option<Side>,
        lines: Vec<&'a Line>,
        link: Option<&Line>,
    ) -> Result<Self, Error> {
        let bad = bad.unwrap_or_default();
        let good = match good {
            Some(good) => good,
            // Of another compiler the question is what it does with the same options.
            None if bad.options.is_empty() && bad.compiler.is_some() => Side::default(),
            None => Side { compiler: None, options: STRICT.map(str::to_owned).to_vec() },
        };
        let compilers = [of_compiler(&good, &lines)?, of_compiler(&bad, &lines)?];
        let given: Vec<&str> = link
            .map_or_else(Vec::new, |link| link.step.arguments.iter().skip(1).map(String::as_str).collect());
        let at_link = |side: &Side| -> Vec<String> {
            side.options.iter().filter(|option| AT_LINK.contains(&option.as_str())).cloned().collect()
        };
        let mut of_bad = at_link(&bad);
        of_bad.extend(given.iter().filter(|word| AT_LINK.contains(word)).map(|word| (*word).to_owned()));
        of_bad.sort();
        of_bad.dedup();
        let link = [at_link(&good), of_bad];
        let file = |line: &&Line| Unit::File { file: line.sources[0].path.to_string_lossy().into_owned() };
        let mut units: Vec<Unit> = lines.iter().map(file).collect();
        units.dedup();
        if link[0] != link[1] {
            units.push(Unit::Link);
        }
        Ok(Self { good, bad, lines, units, compilers, link })
    }

    /// The words of the command that links which change what the processor does.
    pub fn link_words(&self) -> &[String] {
        &self.link[1]
    }

    /// The commands that compile a source.
    pub fn lines_of(&self, file: &str) -> Vec<&'a Line> {
        self.lines.iter().filter(|line| line.sources[0].path == Path::new(file)).copied().collect()
    }

    /// The compiler of a source in one of both builds, where it is another one than the project's.
    pub fn compiler(&self, second: bool, file: &str) -> Option<(&str, &[String])> {
        match self.compilers[usize::from(second)].get(Path::new(file)) {
            Some(Part::Compiler { compiler, without, .. }) => Some((compiler, without)),
            _ => None,
        }
    }

    /// The changes that make the program with these units as in the second build; `special` are sources of the second build with options
    /// of their own.
    pub fn parts(&self, on: &[usize], special: Option<(&[usize], &[String])>) -> Vec<Part> {
        let (own, options) = special.unwrap_or_default();
        let mut files: [Vec<String>; 3] = Default::default();
        let mut parts = Vec::new();
        let mut links_as_second = false;
        for (number, unit) in self.units.iter().enumerate() {
            let is_own = own.contains(&number);
            let second = is_own || on.contains(&number);
            match unit {
                Unit::Link => links_as_second = second,
                Unit::File { file } => {
                    parts.extend(self.compilers[usize::from(second)].get(Path::new(file)).cloned());
                    files[if is_own { 2 } else { usize::from(second) }].push(file.clone());
                }
            }
        }
        let words = &self.link[usize::from(links_as_second)];
        let without = AT_LINK.map(str::to_owned).to_vec();
        let [first, second, own] = files;
        let all = [(first, &self.good.options[..]), (second, &self.bad.options), (own, options)];
        for (files, options) in all {
            if !files.is_empty() {
                parts.push(Part::Options { files, options: options.to_vec() });
            }
        }
        // The words that both builds have are added again behind those that are left out.
        parts.push(Part::Link { options: words.clone(), without });
        parts
    }

    /// All units.
    pub fn all(&self) -> Vec<usize> {
        (0..self.units.len()).collect()
    }
}

/// The options of a command that may change digits: level, instruction set, and what is done with operations and loops.
pub(crate) fn own_options(line: &Line) -> Vec<String> {
    let may = |word: &&String| {
        let of_code =
            word.strip_prefix("-f").is_some_and(|name| OF_DIGITS.iter().any(|part| name.contains(part)));
        (of_code || word.starts_with("-O") || word.starts_with("-m")) && !is_for_the_linker(word)
    };
    line.step.arguments.iter().skip(1).filter(may).cloned().collect()
}

/// The parts that compile each source by the compiler of a build; Fortran stays with its own.
fn of_compiler(side: &Side, lines: &[&Line]) -> Result<BTreeMap<PathBuf, Part>, Error> {
    let Some(name) = &side.compiler else { return Ok(BTreeMap::new()) };
    let installed = compilers::all_installed();
    let by = installed.iter().find(|(known, _)| known == name).map(|(_, by)| by).ok_or_else(|| {
        let installed = installed.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ");
        Error::NoCompiler { name: name.clone(), installed }
    })?;
    let mut unknown = Unknown::default();
    let mut all = BTreeMap::new();
    for line in lines {
        let source = &line.sources[0].path;
        let language = language_of(source).filter(|language| *language != Language::Fortran);
        let Some((language, compiler)) = language.and_then(|language| Some((language, by.get(&language)?)))
        else {
            continue;
        };
        let file = source.to_string_lossy();
        let part = compilers::by(compiler, &file, line, language, &mut unknown)
            .map_err(|why| Error::NotBuilt { why: why.to_string() })?;
        all.insert(source.clone(), part);
    }
    Ok(all)
}
