//! Source texts: as kept with a run, else as they are on disk now, where they belong to the program.

use crate::state::Loaded;
use loopwright_files::regular;
use loopwright_files::sources::Granted;
use loopwright_report::NoText;
use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Most that is read of a file: debug information may name anything.
const LARGEST: u64 = 16 << 20;

/// The texts of a state's sources, each read once.
pub struct Sources<'a> {
    loaded: &'a Loaded,
    runs: Vec<i64>,
    granted: Granted,
    texts: RefCell<HashMap<String, Result<Rc<String>, NoText>>>,
}

impl<'a> Sources<'a> {
    /// Those of a state; `source_roots` are further folders whose sources may be read.
    pub fn new(loaded: &'a Loaded, source_roots: &[PathBuf]) -> Self {
        let state = &loaded.state;
        let runs = state.collections();
        let functions = loaded.facts.code().flat_map(|module| module.functions.iter());
        let units = functions.filter_map(|function| function.code.unit.as_ref());
        let granted = Granted::new(source_roots, units.map(|unit| Path::new(&unit.directory)));
        Self { loaded, runs, granted, texts: RefCell::default() }
    }

    /// The text of a file.
    pub fn text(&self, file: &str) -> Result<Rc<String>, NoText> {
        let read = || {
            let kept = self.loaded.experiment.source(&self.runs, file).ok().flatten();
            kept.map_or_else(|| on_disk(&self.granted, file), Ok).map(Rc::new)
        };
        self.texts.borrow_mut().entry(file.to_owned()).or_insert_with(read).clone()
    }

    /// One of its lines.
    pub fn line(&self, file: &str, line: u32) -> Option<String> {
        let text = self.text(file).ok()?;
        text.lines().nth(line.checked_sub(1)? as usize).map(str::to_owned)
    }
}

/// What is no text in it is replaced.
fn on_disk(granted: &Granted, file: &str) -> Result<String, NoText> {
    let real = granted.source(Path::new(file)).map_err(|refusal| NoText::Unreadable(refusal.to_string()))?;
    let unreadable = |cause: std::io::Error| NoText::Unreadable(cause.to_string());
    let bytes = std::fs::metadata(&real).map_err(unreadable)?.len();
    if bytes > LARGEST {
        return Err(NoText::TooLarge { bytes, largest: LARGEST });
    }
    let bytes = regular::read(&real, LARGEST).map_err(unreadable)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;

    #[test]
    fn only_sources_of_the_program_are_read_and_what_is_no_text_is_replaced() {
        let folder = tempfile::tempdir().expect("a folder");
        let granted = Granted::new(&[], [folder.path()]);
        let path = folder.path().join("a.c");
        let name = path.to_str().expect("text");
        let cause = |file: &str| match on_disk(&granted, file) {
            Err(NoText::Unreadable(cause)) => cause,
            other => panic!("{other:?}"),
        };
        assert!(cause(name).contains("No such file"));
        std::fs::write(&path, b"int a;\xff\n").expect("writes");
        assert_eq!(on_disk(&granted, name), Ok("int a;\u{fffd}\n".to_owned()));
        assert!(cause("/dev/zero").contains("not a regular file"));
        assert!(cause(folder.path().to_str().expect("text")).contains("not a regular file"));
        assert!(cause("/etc/passwd").contains("not that of a source"));
        let other = tempfile::tempdir().expect("a folder");
        let outside = other.path().join("b.c");
        std::fs::write(&outside, "int b;\n").expect("writes");
        assert!(cause(outside.to_str().expect("text")).contains("--source-root"));
        File::create(&path).and_then(|file| file.set_len(LARGEST + 1)).expect("writes");
        assert_eq!(on_disk(&granted, name), Err(NoText::TooLarge { bytes: LARGEST + 1, largest: LARGEST }));
    }
}
