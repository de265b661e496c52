//! The options of two builds as elements that can be set one by one, to find those that change an answer.
//!
//! `-Ofast` and `-ffast-math` are several options (GCC manual, *Options That Control Optimization*; Clang User's Manual, *Controlling
//! Floating Point Behavior*). An instruction set with fused multiplications and additions brings their use with it, which is an element
//! of its own.

use loopwright_remarks::command::takes_value;
use loopwright_remarks::remark::Family;

/// Turns the use of fused operations off.
const NO_CONTRACTION: &str = "-ffp-contract=off";
const FUSED: &str = "fused multiplications and additions";
/// Beginnings of options that choose instructions.
const INSTRUCTIONS: [&str; 6] = ["-march=", "-mfma", "-mavx", "-mcpu=", "-msse", "-mf16c"];
/// Options that mean all of `-ffast-math`.
const ALL_OF_FAST: [&str; 2] = ["-Ofast", "-ffast-math"];

/// A choice between two lists of options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Element {
    /// The option for a reader.
    pub name: String,
    /// As in the build that gives another answer.
    on: Vec<String>,
    /// As in the one that is right.
    off: Vec<String>,
    /// What turns it off behind the options of the first one; where nothing does, the word that is left out there.
    undo: Undo,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Undo {
    Add(Vec<String>),
    LeaveOut(String),
}

/// All options of both builds: what they have in common, and in what they differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Elements {
    common: Vec<String>,
    pub all: Vec<Element>,
    bad: Vec<String>,
}

impl Elements {
    /// `contracts`: whether the language, as the commands have it, lets a compiler fuse operations by default.
    pub fn of(good: &[String], bad: &[String], family: Family, contracts: bool) -> Self {
        let (good, given) = (grouped(good), grouped(bad));
        let common: Vec<&Vec<String>> = good.iter().filter(|one| given.contains(one)).collect();
        let is_level = |option: &&Vec<String>| option[0].starts_with("-O");
        let level_of_good = good.iter().rfind(is_level).filter(|level| !common.contains(level)).cloned();
        let mut all = Vec::new();
        for option in good.iter().filter(|one| !common.contains(one)) {
            if level_of_good.as_ref() != Some(option) || !given.iter().any(|one| is_level(&one)) {
                all.push(Element {
                    name: match option[0].starts_with("-ffp-contract") {
                        true => format!("{FUSED} (no {})", option[0]),
                        false => format!("no {}", option.join(" ")),
                    },
                    on: Vec::new(),
                    off: option.clone(),
                    undo: Undo::Add(option.clone()),
                });
            }
        }
        let says_how = given.iter().chain(&good).any(|option| option[0].starts_with("-ffp-contract"));
        let mut fuses = false;
        for option in given.iter().filter(|one| !common.contains(one)) {
            let word = option[0].as_str();
            let is_fast = ALL_OF_FAST.contains(&word);
            if is_level(&option) {
                let level = if word == "-Ofast" { "-O3" } else { word };
                let off = level_of_good.clone().unwrap_or_default();
                all.push(Element {
                    name: level.to_owned(),
                    on: vec![level.to_owned()],
                    undo: if off.is_empty() {
                        Undo::LeaveOut(word.to_owned())
                    } else {
                        Undo::Add(off.clone())
                    },
                    off,
                });
            }
            if is_fast {
                all.extend(fast(family));
                fuses |= family == Family::Clang;
            } else if word == "-funsafe-math-optimizations" {
                all.extend(unsafe_math(family));
            } else if INSTRUCTIONS.iter().any(|beginning| word.starts_with(beginning)) {
                let apart = contracts && !says_how;
                fuses |= apart;
                let more = apart.then(|| NO_CONTRACTION.to_owned());
                all.push(Element {
                    name: option.join(" "),
                    on: option.iter().cloned().chain(more).collect(),
                    off: Vec::new(),
                    undo: Undo::LeaveOut(word.to_owned()),
                });
            } else if !is_level(&option) {
                let undo = match negated(word) {
                    Some(no) if option.len() == 1 => Undo::Add(vec![no]),
                    _ => Undo::LeaveOut(word.to_owned()),
                };
                all.push(Element { name: option.join(" "), on: option.clone(), off: Vec::new(), undo });
            }
        }
        if fuses {
            all.push(Element {
                name: format!("{FUSED} (-ffp-contract)"),
                on: vec!["-ffp-contract=fast".to_owned()],
                off: Vec::new(),
                undo: Undo::Add(vec![NO_CONTRACTION.to_owned()]),
            });
        }
        Self { common: common.into_iter().flatten().cloned().collect(), all, bad: bad.to_vec() }
    }

    /// The options with these elements as in the build that gives another answer.
    pub fn options(&self, on: &[usize]) -> Vec<String> {
        let chosen = (0..).zip(&self.all).flat_map(|(number, one)| match on.contains(&number) {
            true => &one.on,
            false => &one.off,
        });
        self.common.iter().chain(chosen).cloned().collect()
    }

    /// The options of that build, with these elements turned off.
    pub fn without(&self, off: &[usize]) -> Vec<String> {
        let undone: Vec<&Undo> = off.iter().filter_map(|one| Some(&self.all.get(*one)?.undo)).collect();
        let is_out = |option: &Vec<String>| {
            undone.iter().any(|undo| matches!(undo, Undo::LeaveOut(word) if *word == option[0]))
        };
        let kept = grouped(&self.bad).into_iter().filter(|option| !is_out(option)).flatten();
        let added = undone.iter().flat_map(|undo| match undo {
            Undo::Add(options) => options.clone(),
            Undo::LeaveOut(_) => Vec::new(),
        });
        kept.chain(added).collect()
    }

    /// Of a set that changes the answer together, the one that costs least to turn off: what reorders or fuses, before an instruction
    /// set or a level that makes it possible.
    pub fn cheapest(&self, set: &[usize]) -> Option<usize> {
        let is_wide = |number: &usize| {
            let name = &self.all[*number].name;
            name.starts_with("-O") || INSTRUCTIONS.iter().any(|beginning| name.starts_with(beginning))
        };
        set.iter().copied().find(|one| !is_wide(one)).or_else(|| set.first().copied())
    }
}

/// Options with their values.
fn grouped(words: &[String]) -> Vec<Vec<String>> {
    let mut all: Vec<Vec<String>> = Vec::new();
    let mut wants_value = false;
    for word in words {
        match all.last_mut() {
            Some(last) if wants_value => {
                last.push(word.clone());
                wants_value = false;
            }
            _ => {
                wants_value = takes_value(word) || word == "--param";
                all.push(vec![word.clone()]);
            }
        }
    }
    all
}

/// `-fx` for `-fno-x`, and the reverse.
fn negated(option: &str) -> Option<String> {
    let rest = option.strip_prefix("-f")?;
    if rest.contains('=') {
        return None;
    }
    Some(match rest.strip_prefix("no-") {
        Some(plain) => format!("-f{plain}"),
        None => format!("-fno-{rest}"),
    })
}

fn element(on: &[&str], undo: &str) -> Element {
    Element {
        name: on[0].to_owned(),
        on: on.iter().map(|option| (*option).to_owned()).collect(),
        off: Vec::new(),
        undo: Undo::Add(vec![undo.to_owned()]),
    }
}

/// The parts of `-ffast-math`.
fn fast(family: Family) -> Vec<Element> {
    let mut all = unsafe_math(family);
    all.push(element(&["-ffinite-math-only"], "-fno-finite-math-only"));
    all.push(element(&["-fno-math-errno"], "-fmath-errno"));
    if family == Family::Gcc {
        all.push(element(&["-fcx-limited-range"], "-fno-cx-limited-range"));
    }
    all
}

/// The parts of `-funsafe-math-optimizations`. Sums are reordered only where signs of zeros and traps do not count.
fn unsafe_math(family: Family) -> Vec<Element> {
    let mut all = match family {
        // What the option allows beside its parts.
        Family::Gcc => vec![element(
            &[
                "-funsafe-math-optimizations",
                "-fno-associative-math",
                "-fno-reciprocal-math",
                "-fsigned-zeros",
                "-ftrapping-math",
            ],
            "-fno-unsafe-math-optimizations",
        )],
        Family::Clang | Family::Intel => vec![element(&["-fapprox-func"], "-fno-approx-func")],
    };
    all.push(element(&["-fno-signed-zeros"], "-fsigned-zeros"));
    all.push(element(&["-fno-trapping-math"], "-ftrapping-math"));
    all.push(element(&["-freciprocal-math"], "-fno-reciprocal-math"));
    let reorders = ["-fassociative-math", "-fno-signed-zeros", "-fno-trapping-math"];
    all.push(element(&reorders, "-fno-associative-math"));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    fn of(good: &str, bad: &str, family: Family) -> Elements {
        Elements::of(&words(good), &words(bad), family, true)
    }

    fn number(elements: &Elements, beginning: &str) -> usize {
        elements.all.iter().position(|one| one.name.starts_with(beginning)).unwrap()
    }

    #[test]
    fn fast_math_is_taken_apart() {
        let elements = of("-O2", "-Ofast -march=native", Family::Gcc);
        let names: Vec<&str> = elements.all.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names[..2], ["-O3", "-funsafe-math-optimizations"]);
        assert_eq!(elements.options(&[]), ["-O2"]);
        let sums = number(&elements, "-fassociative");
        assert_eq!(
            elements.options(&[sums]).join(" "),
            "-O2 -fassociative-math -fno-signed-zeros -fno-trapping-math"
        );
        assert_eq!(elements.without(&[sums]).join(" "), "-Ofast -march=native -fno-associative-math");
    }

    #[test]
    fn fused_operations_are_an_element_beside_their_instructions() {
        let elements = of("-O2", "-O2 -march=native", Family::Gcc);
        let (native, fused) = (number(&elements, "-march"), number(&elements, "fused"));
        assert_eq!(elements.options(&[native]).join(" "), "-O2 -march=native -ffp-contract=off");
        let both = elements.options(&[native, fused]).join(" ");
        assert_eq!(both, "-O2 -march=native -ffp-contract=off -ffp-contract=fast");
        assert_eq!(elements.cheapest(&[native, fused]), Some(fused));
        assert_eq!(elements.without(&[fused]).join(" "), "-O2 -march=native -ffp-contract=off");
        assert_eq!(elements.without(&[native]).join(" "), "-O2");
        let strict = Elements::of(&words("-O2"), &words("-O2 -mfma"), Family::Gcc, false);
        assert_eq!(strict.options(&[0]).join(" "), "-O2 -mfma", "GCC does not fuse in ISO C");
    }

    #[test]
    fn what_only_the_right_build_has_is_an_element_too() {
        let elements = of("-O2 -ffp-contract=off", "-O3 -march=haswell", Family::Gcc);
        let off = number(&elements, "fused multiplications and additions (no -ffp-contract=off)");
        assert_eq!(elements.options(&[]).join(" "), "-ffp-contract=off -O2");
        let rest: Vec<usize> = (0..elements.all.len()).filter(|one| *one != off).collect();
        assert_eq!(elements.options(&rest).join(" "), "-ffp-contract=off -O3 -march=haswell");
        assert_eq!(elements.without(&[off]).join(" "), "-O3 -march=haswell -ffp-contract=off");
    }

    #[test]
    fn options_keep_their_values() {
        let elements = of("", "--param vect-epilogues-nomask=0 -fno-math-errno", Family::Gcc);
        assert_eq!(elements.options(&[0]).join(" "), "--param vect-epilogues-nomask=0");
        assert_eq!(elements.without(&[0]).join(" "), "-fno-math-errno");
        assert_eq!(elements.without(&[1]).last().unwrap(), "-fmath-errno");
    }
}
