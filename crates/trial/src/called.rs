//! Which program the command starts: its first word, or one behind it that the first word starts (`env`, `taskset`, `mpirun`, a
//! script).
//!
//! A launcher is told from the program by the build: no command of it makes the launcher. What it starts is the first of the other
//! words that names a file which the build makes; where the same program is named again, as launchers of several ranks take it, all
//! its places are the same. Whether the launcher really starts that word is found out before anything is measured
//! ([`crate::session`]).

use crate::asked::{Asked, Error};
use crate::libtool::Started;
use crate::line::resolved;
use std::ffi::OsString;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// The program that is tried, and its places among the words of the command.
#[derive(Clone, Debug)]
pub(crate) struct Called {
    pub started: Started,
    /// Positions of its words; the first word alone where nothing else starts it.
    places: Vec<usize>,
}

impl Called {
    /// The first word of the command that names a program which the build made: `made` has its place in the build, which is another
    /// one where the program is a copy, and what makes it.
    pub fn find<T>(
        asked: &Asked,
        made: impl Fn(&Path) -> Result<Option<(PathBuf, T)>, Error>,
    ) -> Result<(Self, T), Error> {
        let named = asked.command.first().map_or("", String::as_str);
        let first = file(named, &asked.directory).map(Started::by);
        let first = first.ok_or_else(|| Error::NoProgram { program: named.to_owned() })?;
        if !is_script(&first.program)
            && let Some((program, maker)) = made(&first.program)?
        {
            return Ok((Self { started: Started { program, ..first }, places: vec![0] }, maker));
        }
        let others: Vec<(usize, Started)> = (1..)
            .zip(&asked.command[1..])
            .filter_map(|(at, word)| Some((at, Started::by(argument(word, &asked.directory)?))))
            .filter(|(_, started)| !is_script(&started.program))
            .collect();
        for (_, started) in &others {
            if let Some((program, maker)) = made(&started.program)? {
                let same = others.iter().filter(|(_, other)| other.program == started.program);
                let places = same.map(|(at, _)| *at).collect();
                return Ok((Self { started: Started { program, ..started.clone() }, places }, maker));
            }
        }
        let program = first.program.display().to_string();
        Err(if is_script(&first.program) {
            Error::Script { program }
        } else if asked.command.len() > 1 {
            Error::NeitherOfABuild { program }
        } else {
            Error::NotOfABuild { program }
        })
    }

    /// What starts the program, as the user names it; nothing where the command itself does.
    pub fn launcher<'a>(&self, asked: &'a Asked) -> Option<&'a str> {
        if self.places.contains(&0) { None } else { asked.command.first().map(String::as_str) }
    }

    /// The words of a command that runs `version`: what is executed, its own name, and the arguments.
    pub fn words(&self, asked: &Asked, version: &Path, working: &Path) -> (PathBuf, OsString, Vec<OsString>) {
        let word = |(at, word): (usize, &String)| match self.places.contains(&at) {
            true => version.as_os_str().to_owned(),
            false => OsString::from(word),
        };
        let arguments = asked.command.iter().enumerate().skip(1).map(word).collect();
        let own = asked.command[0].as_str();
        let executed = match self.launcher(asked) {
            None => version.to_path_buf(),
            Some(launcher) if launcher.contains('/') => working.join(launcher),
            Some(launcher) => PathBuf::from(launcher),
        };
        (executed, own.into(), arguments)
    }
}

/// The file that a command's first word names (execvp(3)).
fn file(word: &str, directory: &Path) -> Option<PathBuf> {
    let found = if word.contains('/') { Some(directory.join(word)) } else { in_path(word) };
    found.filter(|path| path.is_file()).map(|path| resolved(&path))
}

/// The file that an argument names: launchers look in the search path, some in the working folder as well.
fn argument(word: &str, directory: &Path) -> Option<PathBuf> {
    let beside = directory.join(word);
    let found = if word.is_empty() || word.starts_with('-') || beside.is_file() {
        Some(beside)
    } else {
        in_path(word)
    };
    found.filter(|path| path.is_file()).map(|path| resolved(&path))
}

fn in_path(word: &str) -> Option<PathBuf> {
    loopwright_launch::resolve(word.as_ref(), std::env::var_os("PATH").as_deref(), None).ok()
}

/// Whether the system starts it by another program (execve(2), *Interpreter scripts*).
fn is_script(program: &Path) -> bool {
    let mut begin = [0; 2];
    let read = std::fs::File::open(program).and_then(|mut file| file.read_exact(&mut begin));
    read.is_ok() && begin == *b"#!"
}
