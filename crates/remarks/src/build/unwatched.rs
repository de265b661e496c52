//! The commands of a build whose compilers were called by absolute path: what its build system says that it runs.
//!
//! Ninja lists all its commands (`ninja -t commands`). Makefiles of CMake have each link command in
//! `CMakeFiles/TARGET.dir/link.txt`, and the compilations are in `compile_commands.json`, if CMake was asked for it.

use super::step::Step;
use super::{is_watched, ninja};
use crate::command::database;
use loopwright_files::regular;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Most bytes of a link command: no command line is that long.
const LARGEST: u64 = 16 << 20;

/// Levels of folders below the build's own in which CMake's folders are looked for.
const DEEPEST: usize = 6;

/// The commands that make files, in the order in which the build system would run them.
pub(super) fn steps(command: &[String], place: &Path) -> Vec<Step> {
    let Ok(place) = place.canonicalize() else { return Vec::new() };
    let mut steps = if place.join("build.ninja").is_file() {
        of_ninja(command, &place)
    } else {
        let mut found = compilations(&place);
        links(&place, 0, &mut found);
        found
    };
    steps.retain(Step::counts);
    steps
}

fn of_ninja(command: &[String], place: &Path) -> Vec<Step> {
    let asked = Command::new(ninja(command)).arg("-C").arg(place).args(["-t", "commands"]).output();
    let text = asked.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    text.lines().flat_map(|line| of_line(line, place)).collect()
}

fn compilations(place: &Path) -> Vec<Step> {
    let known = database::find(place).and_then(|path| database::read(&path).ok()).unwrap_or_default();
    known.into_iter().map(|command| Step::now(command.directory, command.arguments)).collect()
}

/// `FOLDER/CMakeFiles/TARGET.dir/link.txt`, to be run in `FOLDER`.
fn links(folder: &Path, depth: usize, found: &mut Vec<Step>) {
    let below = |folder: &Path| -> Vec<PathBuf> {
        let mut paths: Vec<PathBuf> =
            std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
        paths.sort();
        paths
    };
    for target in below(&folder.join("CMakeFiles")) {
        if let Ok(bytes) = regular::read(&target.join("link.txt"), LARGEST) {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            found.extend(text.lines().flat_map(|line| of_line(line, folder)));
        }
    }
    for path in below(folder) {
        let is_own = path.file_name().is_some_and(|name| name == "CMakeFiles");
        if depth < DEEPEST && !is_own && std::fs::symlink_metadata(&path).is_ok_and(|data| data.is_dir()) {
            links(&path, depth + 1, found);
        }
    }
}

/// The commands of a shell line: words joined by `&&`, `cd` followed. A line that needs a shell for more is left out.
fn of_line(line: &str, place: &Path) -> Vec<Step> {
    let Some(words) = shlex::split(line) else { return Vec::new() };
    let mut folder = place.to_path_buf();
    let mut steps = Vec::new();
    for command in words.split(|word| word == "&&") {
        let shell = |word: &String| matches!(word.as_str(), "|" | "||" | ";" | ">" | "<" | "2>" | ">>" | "&");
        match command {
            [cd, to] if cd == "cd" => folder = folder.join(to),
            [program, ..] if !command.iter().any(shell) => {
                let name = program.rsplit('/').next().unwrap_or(program);
                if is_watched(name) {
                    steps.push(Step::now(folder.clone(), command.to_vec()));
                }
            }
            _ => {}
        }
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shell_lines_are_taken_apart() {
        let line = ": && /usr/bin/c++ -O2 a.o -o prog  liba.a && :";
        let steps = of_line(line, Path::new("/b"));
        assert_eq!(steps.len(), 1);
        assert_eq!(steps[0].arguments, ["/usr/bin/c++", "-O2", "a.o", "-o", "prog", "liba.a"]);
        let line =
            "cd /b/sub && cmake -E rm -f liba.a && /usr/bin/ar qc liba.a a.o && /usr/bin/ranlib liba.a";
        let steps = of_line(line, Path::new("/b"));
        assert_eq!((steps.len(), steps[0].directory.as_path()), (1, Path::new("/b/sub")));
        assert!(of_line("cc a.c -o a > log", Path::new("/b")).is_empty());
    }
}
