//! Programs that `rustc` makes without cargo: the user's own command again, with another output and more options.
//!
//! `rustc` compiles and links in one command and removes the objects between, so that the linker's command cannot be repeated. Crates
//! that the command names (`--extern`) stay as they are: of them only what is compiled into the program, generic and inlined
//! code, gets the options (The rustc book, *Command-line Arguments*).

use crate::change::all_options;
use crate::fault::{self, Fault};
use crate::line::resolved;
use crate::running::Limits;
use loopwright_experiment::trials::Part;
use loopwright_remarks::build::step::Step;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Options with a value that say what is written, where, or how messages look.
const LEFT_OUT: [&str; 5] = ["-o", "--out-dir", "--emit", "--error-format", "--json"];
/// Options of code generation that write beside the output.
const LEFT_OUT_CODEGEN: [&str; 3] = ["incremental", "save-temps", "extra-filename"];
/// Options whose value is the next word, where it is not behind a `=`.
const WITH_VALUE: [&str; 17] = [
    "-o",
    "-L",
    "-l",
    "-C",
    "-W",
    "-A",
    "-D",
    "-F",
    "-Z",
    "--cfg",
    "--check-cfg",
    "--crate-name",
    "--crate-type",
    "--edition",
    "--extern",
    "--target",
    "--codegen",
];

/// Builds versions of one program of rustc.
pub(crate) struct RustcShop<'a> {
    step: Step,
    folder: tempfile::TempDir,
    pub limits: Limits<'a>,
    made: BTreeMap<String, PathBuf>,
}

impl<'a> RustcShop<'a> {
    /// For the last command of rustc that makes the program.
    pub fn find(steps: &[Step], program: &Path, limits: Limits<'a>) -> std::io::Result<Option<Self>> {
        let makes = |step: &&Step| step.is_of_rustc() && output(step).is_some_and(|made| made == program);
        let Some(step) = steps.iter().rev().find(makes) else { return Ok(None) };
        let folder = tempfile::Builder::new().prefix("loopwright-build-").tempdir()?;
        Ok(Some(Self { step: step.clone(), folder, limits, made: BTreeMap::new() }))
    }

    /// Builds the program with these options.
    pub fn build(&mut self, parts: &[Part]) -> Result<PathBuf, Fault> {
        let options = all_options(parts);
        let key = options.join(" ");
        if let Some(made) = self.made.get(&key) {
            return Ok(made.clone());
        }
        let folder = self.folder.path().join(self.made.len().to_string());
        std::fs::create_dir_all(&folder)?;
        let made = folder.join("program");
        let messages = folder.join("messages");
        let mut command = Command::new(&self.step.arguments[0]);
        command.args(kept(&self.step.arguments[1..])).args(&options).arg("-o").arg(&made);
        command.current_dir(&self.step.directory);
        command.envs(self.step.environment.iter().map(|(name, value)| (name, value)));
        fault::compile(&mut command, "rustc", &messages, self.limits)?;
        if !made.is_file() {
            return Err(fault::not_built(&messages));
        }
        self.made.insert(key, made.clone());
        Ok(made)
    }
}

/// A word with its value, where it has one: `-C x`, `--emit=x`, `-Cx`.
struct Given<'a> {
    option: &'a str,
    value: Option<&'a str>,
    words: &'a [String],
}

/// The words of a command, options with their values.
fn given(arguments: &[String]) -> Vec<Given<'_>> {
    let mut all = Vec::new();
    let mut at = 0;
    while let Some(word) = arguments.get(at) {
        let takes = WITH_VALUE.contains(&word.as_str()) || LEFT_OUT.contains(&word.as_str());
        let (option, value, count) = if takes {
            (word.as_str(), arguments.get(at + 1).map(String::as_str), 2)
        } else if let Some((option, value)) = word.split_once('=').filter(|_| word.starts_with("--")) {
            (option, Some(value), 1)
        } else if let Some(value) = word.strip_prefix("-C").or_else(|| word.strip_prefix("-o")) {
            (&word[..2], Some(value), 1)
        } else {
            (word.as_str(), None, 1)
        };
        let end = (at + count).min(arguments.len());
        all.push(Given { option, value, words: &arguments[at..end] });
        at = end;
    }
    all
}

/// Whether an option of code generation has this name.
fn is_codegen(one: &Given, names: &[&str]) -> bool {
    let name = one.value.map(|value| value.split('=').next().unwrap_or(value));
    (one.option == "-C" || one.option == "--codegen") && name.is_some_and(|name| names.contains(&name))
}

/// The words that are repeated.
fn kept(arguments: &[String]) -> Vec<String> {
    let stays = |one: &Given| !LEFT_OUT.contains(&one.option) && !is_codegen(one, &LEFT_OUT_CODEGEN);
    given(arguments).iter().filter(|one| stays(one)).flat_map(|one| one.words).cloned().collect()
}

/// The program that a command makes; `None` where it makes a library.
fn output(step: &Step) -> Option<PathBuf> {
    let all = given(&step.arguments[1..]);
    let last = |option: &str| all.iter().rev().find(|one| one.option == option)?.value;
    let is_program = last("--crate-type").is_none_or(|kind| kind == "bin");
    let links = last("--emit").is_none_or(|kinds| kinds.split(',').any(|kind| kind.starts_with("link")));
    if !is_program || !links {
        return None;
    }
    let path = match last("-o") {
        Some(file) => PathBuf::from(file),
        None => {
            let source = all.iter().find(|one| one.value.is_none() && one.option.ends_with(".rs"))?.option;
            let stem = || Some(Path::new(source).file_stem()?.to_str()?.to_owned());
            let name = last("--crate-name").map(str::to_owned).or_else(stem)?;
            let extra = all.iter().rev().find(|one| is_codegen(one, &["extra-filename"]));
            let extra = extra.and_then(|one| one.value?.split_once('=')).map_or("", |(_, extra)| extra);
            Path::new(last("--out-dir").unwrap_or(".")).join(name + extra)
        }
    };
    Some(resolved(&step.directory.join(path)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(words: &str) -> Step {
        Step::now("/p".into(), words.split(' ').map(str::to_owned).collect())
    }

    #[test]
    fn the_program_of_a_command_is_found_as_rustc_names_it() {
        let of = |words: &str| output(&step(words)).map(|path| path.to_string_lossy().into_owned());
        assert_eq!(of("rustc -C opt-level=3 -g my-tool.rs -o bin/t"), Some("/p/bin/t".into()));
        assert_eq!(of("rustc -O src/my-tool.rs"), Some("/p/my-tool".into()));
        assert_eq!(
            of("rustc --crate-name a main.rs --out-dir out --emit=dep-info,link -Cextra-filename=-1f"),
            Some("/p/out/a-1f".into())
        );
        assert_eq!(of("rustc --crate-type lib a.rs"), None);
        assert_eq!(of("rustc --emit obj a.rs -o a.o"), None);
    }

    #[test]
    fn a_repeated_command_writes_one_file() {
        let words = "-C opt-level=3 -Cincremental=i --emit=link,asm --out-dir out -C extra-filename=-1 --extern f=libf.rlib \
                     -L dep a.rs";
        let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
        assert_eq!(kept(&words).join(" "), "-C opt-level=3 --extern f=libf.rlib -L dep a.rs");
    }
}
