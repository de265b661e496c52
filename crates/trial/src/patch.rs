//! A set of changes as text: a unified diff of the edited sources, with the options and settings before it.
//!
//! `patch` and `git apply` skip the lines before the first `---`. Names are those under which the sources were compiled, relative to
//! the current folder where they are below it.

use loopwright_experiment::trials::Part;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

/// Lines around a change, as diff(1) prints them.
const CONTEXT: usize = 3;

/// The text. `read` gives the contents of a source.
///
/// # Errors
/// When a source has changed since the trial.
pub fn text(
    parts: &[Part],
    folder: &Path,
    read: impl Fn(&str) -> std::io::Result<String>,
) -> Result<String, String> {
    let mut out = String::new();
    let shown = |file: &str| {
        Path::new(file)
            .strip_prefix(folder)
            .map_or_else(|_| file.to_owned(), |path| path.display().to_string())
    };
    let mut edits: BTreeMap<&str, Vec<(usize, &str, &str)>> = BTreeMap::new();
    for part in parts {
        // Writing to a String cannot fail.
        let _ = match part {
            Part::Options { files, options } if files.is_empty() => {
                writeln!(out, "# options for the whole program: {}", options.join(" "))
            }
            Part::Options { files, options } => {
                let files: Vec<String> = files.iter().map(|file| shown(file)).collect();
                writeln!(out, "# options for {}: {}", files.join(", "), options.join(" "))
            }
            Part::Compiler { files, compiler, without } => {
                let files: Vec<String> = files.iter().map(|file| shown(file)).collect();
                let without = if without.is_empty() {
                    String::new()
                } else {
                    format!(" without {}", without.join(" "))
                };
                writeln!(out, "# compiler for {}: {compiler}{without}", files.join(", "))
            }
            Part::Profile { files } => {
                let files: Vec<String> = files.iter().map(|file| shown(file)).collect();
                let how = "-fprofile-generate, one run, then -fprofile-use";
                writeln!(out, "# profile for {}: {how}", files.join(", "))
            }
            Part::Link { options, without } => {
                let without = match without.is_empty() {
                    true => String::new(),
                    false => format!(" without {}", without.join(" ")),
                };
                writeln!(out, "# linker: {}{without}", options.join(" "))
            }
            Part::Variable { name, value } => writeln!(out, "# environment: {name}={value}"),
            Part::Edit { file, line, before, after } => {
                edits.entry(file).or_default().push((*line as usize, before, after));
                Ok(())
            }
        };
    }
    for (file, mut edits) in edits {
        edits.sort_unstable();
        let text = read(file).map_err(|cause| format!("{file} cannot be read: {cause}"))?;
        let name = shown(file);
        let _ =
            writeln!(out, "--- a/{}\n+++ b/{}", name.trim_start_matches('/'), name.trim_start_matches('/'));
        out.push_str(&hunks(file, &text, &edits)?);
    }
    Ok(out)
}

/// Edits that are close to each other share a hunk.
fn hunks(file: &str, text: &str, edits: &[(usize, &str, &str)]) -> Result<String, String> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let mut out = String::new();
    let mut moved = 0isize;
    let mut at = 0;
    while at < edits.len() {
        let length = |edit: &(usize, &str, &str)| edit.1.split_inclusive('\n').count();
        let mut last = at;
        while last + 1 < edits.len()
            && edits[last + 1].0 <= edits[last].0 + length(&edits[last]) + 2 * CONTEXT
        {
            last += 1;
        }
        let first = edits[at].0.saturating_sub(1).saturating_sub(CONTEXT);
        let end = (edits[last].0 - 1 + length(&edits[last]) + CONTEXT).min(lines.len());
        let mut body = String::new();
        let (mut next, mut new) = (first, 0usize);
        for (line, before, after) in &edits[at..=last] {
            let begin = line - 1;
            let old: Vec<&str> = before.split_inclusive('\n').collect();
            if lines.get(begin..begin + old.len()).is_none_or(|known| known != old) {
                return Err(format!("line {line} of {file} has changed since it was tried"));
            }
            for context in &lines[next..begin] {
                push(&mut body, ' ', context);
                new += 1;
            }
            let changed: Vec<&str> = after.split_inclusive('\n').collect();
            // What both have at the end is context.
            let kept = old.iter().rev().zip(changed.iter().rev()).take_while(|(a, b)| a == b).count();
            old[..old.len() - kept].iter().for_each(|line| push(&mut body, '-', line));
            changed[..changed.len() - kept].iter().for_each(|line| push(&mut body, '+', line));
            old[old.len() - kept..].iter().for_each(|line| push(&mut body, ' ', line));
            new += changed.len();
            next = begin + old.len();
        }
        for context in &lines[next..end] {
            push(&mut body, ' ', context);
            new += 1;
        }
        let count = end - first;
        let start = (first + 1).checked_add_signed(moved).unwrap_or(1);
        let _ = writeln!(out, "@@ -{},{count} +{start},{new} @@", first + 1);
        out.push_str(&body);
        moved += new as isize - count as isize;
        at = last + 1;
    }
    Ok(out)
}

fn push(out: &mut String, sign: char, line: &str) {
    out.push(sign);
    out.push_str(line);
    if !line.ends_with('\n') {
        out.push_str("\n\\ No newline at end of file\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};

    #[test]
    fn patch_applies_it() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.c");
        let text_before: String = (1..=30).map(|line| format!("line {line}\n")).collect();
        std::fs::write(&file, &text_before).unwrap();
        let name = file.to_string_lossy().into_owned();
        let edit = |line: u32, after: &str| Part::Edit {
            file: name.clone(),
            line,
            before: format!("line {line}\n"),
            after: after.to_owned(),
        };
        let parts = [
            Part::Options { files: vec![name.clone()], options: vec!["-O3".into()] },
            edit(5, "#pragma x\nline 5\n"),
            edit(9, "changed\n"),
            edit(30, "#pragma y\nline 30\n"),
            Part::Variable { name: "OMP_PROC_BIND".into(), value: "close".into() },
        ];
        let patch = text(&parts, folder.path(), |file| std::fs::read_to_string(file)).unwrap();
        assert!(
            patch.starts_with("# options for a.c: -O3\n# environment: OMP_PROC_BIND=close\n--- a/a.c\n"),
            "{patch}"
        );
        if Command::new("patch").arg("--version").stdout(Stdio::null()).status().is_err() {
            eprintln!("skipped: patch is not installed");
            return;
        }
        let patch_file = folder.path().join("x.patch");
        std::fs::write(&patch_file, &patch).unwrap();
        let done =
            Command::new("patch").args(["-s", "-p1", "-i", "x.patch"]).current_dir(folder.path()).status();
        assert!(done.unwrap().success(), "{patch}");
        let expected = text_before
            .replace("line 5\n", "#pragma x\nline 5\n")
            .replace("line 9\n", "changed\n")
            .replace("line 30\n", "#pragma y\nline 30\n");
        assert_eq!(std::fs::read_to_string(&file).unwrap(), expected);
        assert!(text(&parts, folder.path(), |_| Ok("other\n".into())).is_err());
    }
}
