//! Source texts: as kept with a run, else as they are on disk now.

use crate::state::Loaded;
use loopwright_report::NoText;
use std::cell::RefCell;
use std::collections::HashMap;
use std::fs::File;
use std::io::Read;
use std::rc::Rc;

/// Most that is read of a file: debug information may name anything.
const LARGEST: u64 = 16 << 20;

/// The texts of a state's sources, each read once.
pub struct Sources<'a> {
    loaded: &'a Loaded,
    runs: Vec<i64>,
    texts: RefCell<HashMap<String, Result<Rc<String>, NoText>>>,
}

impl<'a> Sources<'a> {
    pub fn new(loaded: &'a Loaded) -> Self {
        let state = &loaded.state;
        let runs = state.surveys.iter().chain(&state.counts).chain(&state.patterns).copied().collect();
        Self { loaded, runs, texts: RefCell::default() }
    }

    /// The text of a file.
    pub fn text(&self, file: &str) -> Result<Rc<String>, NoText> {
        let read = || {
            let kept = self.loaded.experiment.source(&self.runs, file).ok().flatten();
            kept.map_or_else(|| on_disk(file), Ok).map(Rc::new)
        };
        self.texts.borrow_mut().entry(file.to_owned()).or_insert_with(read).clone()
    }

    /// One of its lines.
    pub fn line(&self, file: &str, line: u32) -> Option<String> {
        let text = self.text(file).ok()?;
        text.lines().nth(line.checked_sub(1)? as usize).map(str::to_owned)
    }
}

/// What is no text in it is replaced. Only regular files are opened: reading from a device or a pipe may never end.
fn on_disk(file: &str) -> Result<String, NoText> {
    let unreadable = |cause: std::io::Error| NoText::Unreadable(cause.to_string());
    let data = std::fs::metadata(file).map_err(unreadable)?;
    if !data.is_file() {
        return Err(NoText::Unreadable("it is no regular file".to_owned()));
    }
    if data.len() > LARGEST {
        return Err(NoText::TooLarge { bytes: data.len(), largest: LARGEST });
    }
    let mut bytes = Vec::new();
    File::open(file).map_err(unreadable)?.take(LARGEST).read_to_end(&mut bytes).map_err(unreadable)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_regular_files_are_read_and_what_is_no_text_is_replaced() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.c");
        let name = path.to_str().expect("text");
        let cause = |file: &str| match on_disk(file) {
            Err(NoText::Unreadable(cause)) => cause,
            other => panic!("{other:?}"),
        };
        assert!(cause(name).contains("No such file"));
        std::fs::write(&path, b"int a;\xff\n").expect("writes");
        assert_eq!(on_disk(name), Ok("int a;\u{fffd}\n".to_owned()));
        assert!(cause("/dev/zero").contains("no regular file"));
        assert!(cause(folder.path().to_str().expect("text")).contains("no regular file"));
        File::create(&path).and_then(|file| file.set_len(LARGEST + 1)).expect("writes");
        assert_eq!(on_disk(name), Err(NoText::TooLarge { bytes: LARGEST + 1, largest: LARGEST }));
    }
}
