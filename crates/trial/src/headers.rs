//! Loops in headers: which sources of the program include a header, and an edit of what they include.
//!
//! Compilers are asked what a source includes (`-M`). To edit a header for one source, all that it includes is written into one text
//! first, with macros left as they are: `-fdirectives-only` of GCC, `-frewrite-includes` of clang (their manuals, options of the
//! preprocessor). Its lines say which file they are from. A copy of the header beside it, found first, would not do: a header that
//! another one includes from its own folder is found there before all folders of options.

use loopwright_experiment::trials::Part;
use loopwright_remarks::remark::Family;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Folders whose headers belong to the system or to a compiler: a change of them is none of the program.
const OF_SYSTEM: [&str; 2] = ["/usr/include/", "/usr/lib/"];

/// Whether a header is one of the system.
pub(crate) fn is_of_system(header: &Path) -> bool {
    OF_SYSTEM.iter().any(|folder| header.starts_with(folder))
}

/// Options that make a compiler write a source with all that it includes.
pub(crate) fn flattening(family: Family) -> [&'static str; 2] {
    match family {
        Family::Clang => ["-E", "-frewrite-includes"],
        _ => ["-E", "-fdirectives-only"],
    }
}

/// Options that a compiler needs to compile such a text.
pub(crate) fn flattened(family: Family) -> &'static [&'static str] {
    match family {
        Family::Clang => &[],
        _ => &["-fpreprocessed", "-fdirectives-only"],
    }
}

/// The files that a rule of make depends on, as `-M` writes it.
pub(crate) fn prerequisites(rule: &str) -> Vec<String> {
    let joined = rule.replace("\\\r\n", " ").replace("\\\n", " ");
    let mut words = vec![String::new()];
    let mut characters = joined.chars().peekable();
    while let Some(c) = characters.next() {
        match c {
            '\\' if characters.peek().is_some_and(|next| " #\\".contains(*next)) => {
                words.last_mut().expect("never empty").extend(characters.next());
            }
            '$' if characters.peek() == Some(&'$') => {
                characters.next();
                words.last_mut().expect("never empty").push('$');
            }
            c if c.is_whitespace() => words.push(String::new()),
            c => words.last_mut().expect("never empty").push(c),
        }
    }
    words.retain(|word| !word.is_empty());
    let target = words.iter().position(|word| word.ends_with(':')).map_or(0, |at| at + 1);
    words.split_off(target.min(words.len()))
}

/// Applies edits of headers to a text that has all includes in it. `path` gives the file that a line of it names.
///
/// # Errors
/// When the lines of an edit are not in the text.
pub(crate) fn apply(text: &str, edits: &[&Part], path: impl Fn(&str) -> PathBuf) -> Result<String, String> {
    let mut known: BTreeMap<String, PathBuf> = BTreeMap::new();
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let mut place: Option<(String, u32)> = None;
    let mut out = String::with_capacity(text.len() + 256);
    let mut done = vec![false; edits.len()];
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        if let Some((number, file)) = marker(line) {
            if !known.contains_key(&file) {
                known.insert(file.clone(), path(&file));
            }
            place = Some((file, number));
            out.push_str(line);
            at += 1;
            continue;
        }
        let file = place.as_ref().and_then(|(file, number)| Some((known.get(file)?, *number)));
        let here = edits.iter().position(|part| match (part, file) {
            (Part::Edit { file, line, before, .. }, Some((path, number))) => {
                let length = before.split_inclusive('\n').count();
                Path::new(file) == path
                    && *line == number
                    && lines.get(at..at + length).is_some_and(|lines| lines.concat() == *before)
            }
            _ => false,
        });
        let count = match here.map(|index| (index, edits[index])) {
            Some((index, Part::Edit { before, after, .. })) => {
                done[index] = true;
                out.push_str(after);
                before.split_inclusive('\n').count()
            }
            _ => {
                out.push_str(line);
                1
            }
        };
        at += count;
        if let Some((_, number)) = &mut place {
            *number = number.saturating_add(u32::try_from(count).unwrap_or(u32::MAX));
        }
    }
    match edits.iter().zip(&done).find(|(_, done)| !**done) {
        Some((Part::Edit { file, line, .. }, _)) => {
            Err(format!("line {line} of {file} is not what the compiler reads there"))
        }
        _ => Ok(out),
    }
}

/// `# 12 "file" 1 3`: the next line is this one of that file.
fn marker(line: &str) -> Option<(u32, String)> {
    let rest = line.strip_prefix("# ").or_else(|| line.strip_prefix("#line "))?;
    let (number, rest) = rest.split_once(' ')?;
    let number = number.parse().ok()?;
    let mut file = String::new();
    let mut characters = rest.trim_start().strip_prefix('"')?.chars();
    loop {
        match characters.next()? {
            '"' => return Some((number, file)),
            '\\' => file.push(characters.next()?),
            c => file.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(file: &str, line: u32, before: &str, after: &str) -> Part {
        Part::Edit { file: file.into(), line, before: before.into(), after: after.into() }
    }

    #[test]
    fn rules_of_make_are_read() {
        let rule = "a.o: a.c /usr/include/stdio.h \\\n  sub/with\\ space.h \\\n money$$.h\n";
        assert_eq!(prerequisites(rule), ["a.c", "/usr/include/stdio.h", "sub/with space.h", "money$.h"]);
        assert!(prerequisites("").is_empty() && prerequisites("a.o:").is_empty());
    }

    #[test]
    fn an_edit_is_made_where_the_text_says_that_the_header_is() {
        let text =
            "# 1 \"a.c\"\nfor (;;)\n# 1 \"./h.h\" 1\nint x;\nfor (;;)\n  f();\n# 2 \"a.c\" 2\nfor (;;)\n";
        let path = |file: &str| Path::new("/p").join(file.trim_start_matches("./"));
        let part = edit("/p/h.h", 2, "for (;;)\n  f();\n", "#pragma x\nfor (;;)\n  f();\n");
        let done = apply(text, &[&part], path).unwrap();
        assert_eq!(done, text.replace("int x;\n", "int x;\n#pragma x\n"));
        let elsewhere = edit("/p/h.h", 3, "for (;;)\n", "");
        assert!(apply(text, &[&elsewhere], path).unwrap_err().contains("line 3 of /p/h.h"));
        for hostile in
            ["# 1", "# x \"a\"", "# 1 \"a\\", "# 99999999999 \"a\"\n", "#line 4294967295 \"h.h\"\n\n\n"]
        {
            let _ = apply(hostile, &[&part], path);
        }
    }
}
