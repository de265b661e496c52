//! The words of a command that is repeated: some are replaced, and none writes outside the scratch folder.

use crate::line::{Line, Work, resolved};
use loopwright_remarks::command::{language_of, module_folder};
use loopwright_vocabulary::Language;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Options with an argument of their own that name a file to write.
const WRITES: [&str; 8] = ["-MF", "-MT", "-MQ", "-MJ", "-aux-info", "-dumpbase", "-dumpdir", "-dumpbase-ext"];
/// Options that write beside the output, as one word.
const WRITES_WORD: [&str; 5] = ["-MD", "-MMD", "-MP", "-MG", "-MV"];
/// Beginnings of such options.
const WRITES_BEGINNING: [&str; 15] = [
    "-MF",
    "-MT",
    "-MQ",
    "-MJ",
    "-Wp,-M",
    "-save-temps",
    "--save-temps",
    "-fdump-",
    "-ftime-trace",
    "-fopt-info",
    "-fsave-optimization-record",
    "-foptimization-record",
    "-fcallgraph-info",
    "-fstack-usage",
    "-fprofile-note",
];
/// Parts of options of the linker that name a file to write.
const LINKER_WRITES: [&str; 4] = ["-Map", "--dependency-file", "--out-implib", "--cref"];

/// A thin archive has the paths of its members, which lead nowhere from the scratch folder; that of meson is one. It becomes one with the
/// members themselves, each of them (`q`): names without folders may be the same (ar(1), `T`, `--thin`).
const THIN_LETTER: char = 'T';
const THIN: &str = "--thin";

/// The arguments of a command with some words replaced, writing `output` and nothing else outside `folder`.
pub(crate) fn arguments(
    line: &Line,
    words: &BTreeMap<usize, PathBuf>,
    output: &Path,
    folder: &Path,
) -> Vec<String> {
    let shown = |path: &Path| path.to_string_lossy().into_owned();
    let given = &line.step.arguments;
    if line.work == Work::Archive {
        let name = resolved_word(given, &line.step.directory, &line.output);
        let word = |(at, word): (usize, &String)| match words.get(&at) {
            Some(new) => shown(new),
            None if Some(at) == name => shown(output),
            None => word.clone(),
        };
        let operation = given.iter().skip(1).position(|word| !word.starts_with("--")).map(|at| at + 1);
        let thin = given.iter().any(|word| word == THIN)
            || operation.is_some_and(|at| given[at].contains(THIN_LETTER));
        let words = given.iter().enumerate().skip(1).filter(|(_, word)| *word != THIN);
        let with_members = |(at, text): (usize, &String)| match thin && Some(at) == operation {
            true => text.replace(THIN_LETTER, "").replace('r', "q"),
            false => word((at, text)),
        };
        return words.map(with_members).collect();
    }
    let others: Vec<&String> = match line.work {
        // Another command of the same words compiles these.
        Work::Compile => given[1..].iter().filter(|word| is_other_source(line, word)).collect(),
        _ => Vec::new(),
    };
    let mut kept = Vec::new();
    let mut at = given.iter().enumerate().skip(1);
    while let Some((place, word)) = at.next() {
        if let Some(new) = words.get(&place) {
            kept.push(shown(new));
            continue;
        }
        match word.as_str() {
            "-o" => drop(at.next()),
            // A library that is made again is named by its path.
            "-l" if words.contains_key(&(place + 1)) => {
                kept.extend(words.get(&(place + 1)).map(|new| shown(new)));
                at.next();
            }
            "-Xlinker" => {
                let value = at.next().map(|(_, value)| value.clone()).unwrap_or_default();
                if !LINKER_WRITES.iter().any(|part| value.contains(part)) {
                    kept.extend([word.clone(), value]);
                }
            }
            "-J" => drop(at.next()),
            option if WRITES.contains(&option) => drop(at.next()),
            option if WRITES_WORD.contains(&option) => {}
            option if loopwright_remarks::command::takes_value(option) => {
                kept.push(word.clone());
                kept.extend(at.next().map(|(_, value)| value.clone()));
            }
            option if WRITES_BEGINNING.iter().any(|beginning| option.starts_with(beginning)) => {}
            option
                if option.starts_with("-Wl,") && LINKER_WRITES.iter().any(|part| option.contains(part)) => {}
            option if (option.starts_with("-o") || option.starts_with("-J")) && option.len() > 2 => {}
            _ if others.contains(&word) => {}
            _ => kept.push(word.clone()),
        }
    }
    let fortran = line.sources.iter().any(|source| language_of(&source.path) == Some(Language::Fortran));
    if fortran {
        // Modules are read where they are and written apart.
        kept.extend(["-J".to_owned(), shown(folder)]);
        kept.extend(["-I".to_owned(), module_folder(given).unwrap_or_else(|| ".".to_owned())]);
    }
    kept.extend(["-o".to_owned(), shown(output)]);
    kept
}

fn is_other_source(line: &Line, word: &str) -> bool {
    let own = line.sources.iter().any(|source| line.step.arguments[source.word] == word);
    !word.starts_with('-') && language_of(Path::new(word)).is_some() && !own
}

/// The position of the word that names `file`.
fn resolved_word(words: &[String], directory: &Path, file: &Path) -> Option<usize> {
    words.iter().skip(1).position(|word| resolved(&directory.join(word)) == file).map(|at| at + 1)
}
