//! The documents are right: blocks marked ```` ```sh run ```` are run, and every other command line of the
//! tool names a verb and options that exist.
//!
//! The blocks of one document run one after the other in one folder that holds a copy of `demo/` and of `casebook/`
//! and nothing else.
//! ```` ```sh run exit=2 ```` expects that status.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A fenced block of a document.
struct Block {
    /// Line of its fence.
    line: usize,
    /// What follows the back-ticks.
    info: String,
    /// What it holds.
    text: String,
}

impl Block {
    /// The exit status to expect; `None` when it is not to be run.
    fn expected(&self) -> Option<i32> {
        let mut words = self.info.split_whitespace();
        (words.next() == Some("sh") && words.next() == Some("run"))
            .then(|| words.find_map(|w| w.strip_prefix("exit=")?.parse().ok()).unwrap_or(0))
    }

    fn is_shell(&self) -> bool {
        self.info.split_whitespace().next() == Some("sh")
    }
}

fn blocks(text: &str) -> Vec<Block> {
    let mut found = Vec::new();
    let mut open: Option<Block> = None;
    for (index, line) in text.lines().enumerate() {
        match (line.strip_prefix("```"), open.as_mut()) {
            (Some(info), None) => {
                open = Some(Block { line: index + 1, info: info.trim().to_owned(), text: String::new() });
            }
            (Some(_), Some(_)) => found.extend(open.take()),
            (None, Some(block)) => {
                block.text.push_str(line);
                block.text.push('\n');
            }
            (None, None) => {}
        }
    }
    found
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// README.md, CONTRIBUTING.md and what is in docs/, docs/casebook/ and demo/.
fn documents() -> Vec<PathBuf> {
    let mut found = Vec::new();
    for folder in ["", "docs", "docs/casebook", "demo"].map(|folder| root().join(folder)) {
        for entry in std::fs::read_dir(&folder).unwrap().flatten() {
            if entry.path().extension().is_some_and(|e| e == "md") {
                found.push(entry.path());
            }
        }
    }
    found.sort();
    found
}

/// `PATH` with the tool that was just built in front.
fn path_with_tool() -> OsString {
    let tool = Path::new(env!("CARGO_BIN_EXE_loopwright")).parent().unwrap().to_owned();
    let rest = std::env::var_os("PATH").unwrap_or_default();
    std::env::join_paths(std::iter::once(tool).chain(std::env::split_paths(&rest))).unwrap()
}

fn copy_folder(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().flatten() {
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_folder(&entry.path(), &target);
        } else if entry.path().extension().is_some() || entry.file_name() == "Makefile" {
            // A build's output (the program has no extension) is not part of a checkout.
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// The demo with an eighth of its time steps: its commands take as long as their own work. What is written of its loops does not
/// depend on the number.
fn shorten_the_demo(folder: &Path) {
    let source = folder.join("demo/lbm/main.c");
    let text = std::fs::read_to_string(&source).unwrap();
    let shorter = text.replace("int steps = 12000;", "int steps = 1500;");
    assert_ne!(shorter, text, "the demo's number of time steps is elsewhere");
    std::fs::write(source, shorter).unwrap();
}

#[test]
fn commands_that_readers_are_shown_work() {
    let mut run = 0;
    for document in documents() {
        let text = std::fs::read_to_string(&document).unwrap();
        let folder = tempfile::tempdir().unwrap();
        for name in ["demo", "casebook"] {
            copy_folder(&root().join(name), &folder.path().join(name));
        }
        shorten_the_demo(folder.path());
        for block in blocks(&text) {
            let Some(expected) = block.expected() else { continue };
            let output = Command::new("bash")
                .args(["-euo", "pipefail", "-c", &block.text])
                .current_dir(folder.path())
                .env("PATH", path_with_tool())
                .env_remove("LOOPWRIGHT_EXPERIMENT")
                .output()
                .unwrap();
            assert_eq!(
                output.status.code(),
                Some(expected),
                "{}:{}: this block fails:\n{}\n{}{}",
                document.display(),
                block.line,
                block.text,
                String::from_utf8_lossy(&output.stdout),
                String::from_utf8_lossy(&output.stderr)
            );
            run += 1;
        }
    }
    println!("{run} blocks ran");
    assert!(run >= 5, "only {run} blocks are marked to be run");
}

/// `loopwright ..` up to the `--` that ends its own options, without the shell's prefixes and suffixes.
fn own_words(line: &str) -> Option<Vec<&str>> {
    let words: Vec<&str> = line.split('#').next()?.split_whitespace().collect();
    let at = words.iter().position(|w| *w == "loopwright" || w.ends_with("/loopwright"))?;
    // `cp target/../loopwright` and the like: the tool is an argument there, unless a launcher runs it.
    let launchers = ["mpirun", "srun", "|", "&&"];
    if at > 0 && !words[..at].iter().any(|w| launchers.contains(w)) {
        return None;
    }
    let end = |w: &&&str| **w != "--" && !["|", ">", "&&", "||", ";"].contains(*w);
    Some(words[at + 1..].iter().take_while(end).copied().collect())
}

#[test]
fn command_lines_name_verbs_and_options_that_exist() {
    let mut seen = 0;
    for document in documents() {
        for block in blocks(&std::fs::read_to_string(&document).unwrap()).iter().filter(|b| b.is_shell()) {
            for words in block.text.lines().filter_map(own_words) {
                let Some(verb) =
                    words.iter().find(|w| !w.starts_with('-') && w.chars().all(|c| c.is_ascii_lowercase()))
                else {
                    continue;
                };
                // `case` has verbs of its own.
                let own = words.iter().skip_while(|w| *w != verb).nth(1).filter(|_| *verb == "case");
                let help = Command::new(env!("CARGO_BIN_EXE_loopwright"))
                    .arg(verb)
                    .args(own)
                    .arg("--help")
                    .output()
                    .unwrap();
                let place = format!("{}:{}", document.display(), block.line);
                assert!(help.status.success(), "{place}: `loopwright {verb}` does not exist");
                let help = String::from_utf8_lossy(&help.stdout).into_owned();
                for option in words.iter().filter(|w| w.starts_with("--")) {
                    let option = option.split('=').next().unwrap();
                    assert!(help.contains(option), "{place}: `loopwright {verb}` has no option {option}");
                }
                seen += 1;
            }
        }
    }
    assert!(seen >= 10, "only {seen} command lines found");
}

#[test]
fn blocks_and_command_lines_are_recognised() {
    let text = "a\n```sh run exit=2\nfalse\n```\n```text\nx\n```\n```sh\nmpirun -n 2 loopwright advise --rate 99 -- ./a --b\n```\n";
    let found = blocks(text);
    assert_eq!(found.len(), 3);
    assert_eq!(found[0].expected(), Some(2));
    assert_eq!(found[0].text, "false\n");
    assert_eq!(found[1].expected(), None);
    assert_eq!(own_words(&found[2].text).unwrap(), ["advise", "--rate", "99"]);
    assert_eq!(own_words("cp target/release/loopwright ~/bin"), None);
}
