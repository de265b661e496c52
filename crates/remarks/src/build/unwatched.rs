//! The commands of a build whose compilers were called by absolute path: what its build system says that it runs.
//!
//! Ninja lists all its commands (`ninja -t commands`). Makefiles of CMake have each link command in
//! `CMakeFiles/TARGET.dir/link.txt`, and the compilations in `compile_commands.json`, if CMake was asked for it, else in `build.make`
//! beside, with the variables of `flags.make`.

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
        let is_known = !found.is_empty();
        let mut targets = Vec::new();
        targets_below(&place, 0, &mut targets);
        for (target, folder) in targets {
            if !is_known {
                found.extend(of_makefile(&target, &place));
            }
            found.extend(link(&target, &folder));
        }
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

/// The compilations in the makefile of a target, which run in the folder of the whole build.
fn of_makefile(target: &Path, place: &Path) -> Vec<Step> {
    let text = |name: &str| {
        let bytes = regular::read(&target.join(name), LARGEST).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    };
    let flags = text("flags.make");
    let variables: Vec<(String, &str)> = flags
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once('='))
        .map(|(name, value)| (format!("$({})", name.trim()), value.trim()))
        .collect();
    let recipes = text("build.make");
    let compiling = recipes.lines().filter(|line| line.starts_with('\t') && line.contains(" -c "));
    let expanded = compiling.map(|line| {
        let all = variables.iter().fold(line.to_owned(), |line, (name, value)| line.replace(name, value));
        all.replace("$$", "$")
    });
    // What is left to be expanded is not known here.
    expanded.filter(|line| !line.contains("$(")).flat_map(|line| of_line(line.trim(), place)).collect()
}

/// `FOLDER/CMakeFiles/TARGET.dir/link.txt`, to be run in `FOLDER`.
fn link(target: &Path, folder: &Path) -> Vec<Step> {
    let bytes = regular::read(&target.join("link.txt"), LARGEST).unwrap_or_default();
    String::from_utf8_lossy(&bytes).lines().flat_map(|line| of_line(line, folder)).collect()
}

/// CMake's folders of targets, each with the folder to which it belongs.
fn targets_below(folder: &Path, depth: usize, found: &mut Vec<(PathBuf, PathBuf)>) {
    let below = |folder: &Path| -> Vec<PathBuf> {
        let mut paths: Vec<PathBuf> =
            std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
        paths.sort();
        paths
    };
    found.extend(below(&folder.join("CMakeFiles")).into_iter().map(|target| (target, folder.to_path_buf())));
    for path in below(folder) {
        let is_own = path.file_name().is_some_and(|name| name == "CMakeFiles");
        if depth < DEEPEST && !is_own && std::fs::symlink_metadata(&path).is_ok_and(|data| data.is_dir()) {
            targets_below(&path, depth + 1, found);
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
    fn makefiles_of_cmake_say_what_they_compile() {
        let place = tempfile::tempdir().unwrap();
        let real = place.path().canonicalize().unwrap();
        let target = real.join("sub/CMakeFiles/prog.dir");
        std::fs::create_dir_all(&target).unwrap();
        let write = |name: &str, text: &str| std::fs::write(target.join(name), text).unwrap();
        write(
            "flags.make",
            "# compile C with /usr/bin/cc\nC_DEFINES = -DNAME=\\\"a\\\"\n\nC_INCLUDES = \n\nC_FLAGS = -O3 -DNDEBUG\n",
        );
        write(
            "build.make",
            "a.c.o: flags.make\n\t@echo \"Building\"\n\tcd /b/sub && /usr/bin/cc $(C_DEFINES) $(C_INCLUDES) $(C_FLAGS) -o a.c.o -c /p/a.c\n\t/usr/bin/cc $(UNKNOWN) -c b.c\n\tcd /b && cmake -E echo -c x\n",
        );
        write("link.txt", "/usr/bin/cc -O3 a.c.o -o prog\n");
        let steps = steps(&["make".into()], &real);
        let lines: Vec<String> = steps.iter().map(|step| step.arguments.join(" ")).collect();
        let wanted =
            ["/usr/bin/cc -DNAME=\"a\" -O3 -DNDEBUG -o a.c.o -c /p/a.c", "/usr/bin/cc -O3 a.c.o -o prog"];
        assert_eq!(lines, wanted);
        assert_eq!(steps[0].directory, Path::new("/b/sub"));
        assert_eq!(steps[1].directory, real.join("sub"));
    }

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
