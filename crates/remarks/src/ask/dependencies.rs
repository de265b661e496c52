//! The files that a compiler read for an answer, and whether the answer may be passed on.
//!
//! The source of a program may come from the same author as the program: `#include "/home/ada/.netrc"` produces an
//! error message that quotes it, or constants in a report. So the compiler lists the files it read (`-MD`), and an
//! answer counts only when all of them belong to the project, to an include folder or to the installed system.

use super::Foreign;
use loopwright_files::regular;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Most bytes of a list, which has a few thousand headers; a longer one is invalid.
const LARGEST_LIST: u64 = 16 << 20;

/// Writes the header that is read before everything else: it includes the headers of the command.
///
/// It also keeps GCC and clang from precompiled headers (`x.h.gch`, `x.h.pch` beside `x.h`), which they use
/// automatically for the first header, and which GCC maps into its memory unchecked.
pub(super) fn first_header(folder: &Path, headers: &[PathBuf]) -> io::Result<PathBuf> {
    let path = folder.join("first.h");
    let mut file = std::fs::File::create(&path)?;
    for header in headers {
        // Paths with quotes, backslashes and line ends were left out.
        writeln!(file, "#include \"{}\"", header.display())?;
    }
    Ok(path)
}

/// Whether everything in a list of dependencies may be read. A list that is missing or damaged permits nothing.
pub(super) fn all_permitted(list: &Path, own: &Path, foreign: &Foreign<'_>) -> bool {
    let Ok(bytes) = regular::read(list, LARGEST_LIST) else { return false };
    let Some(files) = prerequisites(&String::from_utf8_lossy(&bytes)) else { return false };
    let mut folders = foreign.allowed.folders.clone();
    folders.extend(super::environment::header_folders());
    files.iter().all(|file| {
        let path = foreign.directory.join(file);
        path.starts_with(own) || foreign.granted.includes(&path, &folders)
    })
}

/// Whether the text of a file, or a compiler's messages about it, may be passed on. A file that does not
/// exist has no text.
pub(super) fn may_be_quoted(file: &Path, foreign: &Foreign<'_>) -> bool {
    !file.exists() || foreign.granted.includes(file, &foreign.allowed.folders)
}

/// The files after the colon of a rule in Makefile syntax: blanks end a name unless a backslash precedes
/// them, `$$` is `$`.
fn prerequisites(text: &str) -> Option<Vec<String>> {
    let (_, rest) = text.split_once("read:")?;
    let mut files = Vec::new();
    let mut file = String::new();
    let mut characters = rest.chars().peekable();
    while let Some(character) = characters.next() {
        match (character, characters.peek()) {
            ('\\', Some(' ' | '#')) => file.extend(characters.next()),
            ('$', Some('$')) => file.extend(characters.next()),
            ('\\', Some('\n')) | (' ' | '\n' | '\t', _) => {
                if !file.is_empty() {
                    files.push(std::mem::take(&mut file));
                }
            }
            _ => file.push(character),
        }
    }
    if !file.is_empty() {
        files.push(file);
    }
    Some(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_read_as_make_reads_them() {
        let text = "read: a.c /x/first.h \\\n /a\\ b/c\\#.h \\\n  d$$.h\n";
        assert_eq!(prerequisites(text).expect("a rule"), ["a.c", "/x/first.h", "/a b/c#.h", "d$.h"]);
        assert_eq!(prerequisites(""), None);
    }
}
