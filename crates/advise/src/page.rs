//! The page of a rule: the Markdown file beside its code, read when the code is compiled.
//!
//! A page opens with the rule's title (`# Title`) and has one section for each field of [`Doc`]. The ways to make the
//! change are sections named `How`, or `How: name` where a rule has several: words, then code before and after the
//! change (```` ```c before ````), and the lists `### Flags` and `### Environment`. A section that is missing or empty is
//! an error of compilation. Text is taken as written: a paragraph is one line.

use crate::recommendation::{Change, Flags, How, Setting};

/// The sections that every page has, in their order; those named `How` are before the last one.
pub const SECTIONS: [&str; 7] =
    ["Detects", "Why it costs", "Facts needed", "When it is wrong", "Example", "How to verify", "Sources"];

/// The page of a rule.
#[derive(Clone, Copy, Debug)]
pub struct Doc {
    /// What it finds, in one line.
    pub title: &'static str,
    /// The condition it finds.
    pub detects: &'static str,
    /// Why that condition costs time.
    pub why_it_costs: &'static str,
    /// The facts it reads, and what it asks for when they are missing.
    pub facts_needed: &'static str,
    /// When not to believe it.
    pub when_it_is_wrong: &'static str,
    /// A short example.
    pub example: &'static str,
    /// How to see that the change worked.
    pub how_to_verify: &'static str,
    /// Where the knowledge comes from, a list.
    sources: &'static str,
    /// The whole page.
    page: &'static str,
}

impl Doc {
    /// Reads a page.
    ///
    /// # Panics
    ///
    /// When a section is missing or empty; pages are constants, so this fails when the rule is compiled.
    pub const fn parse(page: &'static str) -> Self {
        Self {
            title: title(page),
            detects: section(page, SECTIONS[0]),
            why_it_costs: section(page, SECTIONS[1]),
            facts_needed: section(page, SECTIONS[2]),
            when_it_is_wrong: section(page, SECTIONS[3]),
            example: section(page, SECTIONS[4]),
            how_to_verify: section(page, SECTIONS[5]),
            sources: section(page, SECTIONS[6]),
            page,
        }
    }

    /// What the handbook prints: headings and texts.
    pub fn chapters(&self) -> [(&'static str, &'static str); 6] {
        [
            (SECTIONS[0], self.detects),
            (SECTIONS[1], self.why_it_costs),
            (SECTIONS[2], self.facts_needed),
            (SECTIONS[3], self.when_it_is_wrong),
            (SECTIONS[4], self.example),
            (SECTIONS[5], self.how_to_verify),
        ]
    }

    /// A section by its heading; for [`how!`].
    ///
    /// # Panics
    ///
    /// As [`Doc::parse`].
    pub const fn section(&self, heading: &str) -> &'static str {
        section(self.page, heading)
    }

    /// Where the knowledge comes from.
    pub fn sources(&self) -> impl Iterator<Item = &'static str> + use<> {
        items(self.sources)
    }
}

/// The way to make the change that a rule's page describes under `How`, or under `How: name`.
macro_rules! how {
    ($rule:ident) => {
        $crate::page::parse_how(const { $rule.doc.section("How") })
    };
    ($rule:ident, $name:literal) => {
        $crate::page::parse_how(const { $rule.doc.section(concat!("How: ", $name)) })
    };
}
pub(crate) use how;

/// Reads a section `How`.
pub fn parse_how(section: &str) -> How {
    let mut how = How::default();
    let mut lines = section.lines();
    let mut list = "";
    while let Some(line) = lines.next() {
        if let Some(opening) = line.strip_prefix("```") {
            let code: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            let (language, side) = opening.split_once(' ').unwrap_or((opening, ""));
            let change = if language == "fortran" { &mut how.fortran } else { &mut how.c };
            let change = change.get_or_insert_with(Change::default);
            let place = if side == "after" { &mut change.after } else { &mut change.before };
            *place = code.join("\n");
        } else if let Some(heading) = line.strip_prefix("### ") {
            list = heading;
        } else if let Some(item) = line.strip_prefix("- ") {
            let (name, text) = item.split_once(": ").unwrap_or((item, ""));
            if list == "Environment" {
                let (name, value) = name.split_once('=').unwrap_or((name, ""));
                let (name, value, meaning) = (name.to_owned(), value.to_owned(), text.to_owned());
                how.environment.push(Setting { name, value, meaning });
            } else {
                how.flags.push(Flags { compiler: name.to_owned(), flags: text.to_owned() });
            }
        } else if !line.is_empty() {
            how.text.push_str(line);
        }
    }
    how
}

/// The items of a Markdown list.
fn items(list: &'static str) -> impl Iterator<Item = &'static str> + use<> {
    list.lines().filter_map(|line| line.strip_prefix("- "))
}

/// The text of the first line, `# Title`.
const fn title(page: &str) -> &str {
    let bytes = page.as_bytes();
    assert!(bytes.len() > 2 && bytes[0] == b'#' && bytes[1] == b' ', "a page opens with `# Title`");
    between(page, 2, line_end(bytes, 2))
}

/// The text between `## heading` and the next heading of that depth, without the empty lines around it.
const fn section<'a>(page: &'a str, heading: &str) -> &'a str {
    let bytes = page.as_bytes();
    let (mut at, mut start) = (0, 0);
    while at < bytes.len() {
        let end = line_end(bytes, at);
        if is_heading(bytes, at) {
            if start > 0 {
                break;
            }
            if same(bytes, at + 3, end, heading.as_bytes()) {
                start = end;
            }
        }
        at = end + 1;
    }
    assert!(start > 0, "a page lacks a section");
    let mut end = if at < bytes.len() { at } else { bytes.len() };
    while start < end && bytes[start] == b'\n' {
        start += 1;
    }
    while end > start && bytes[end - 1] == b'\n' {
        end -= 1;
    }
    assert!(start < end, "a section of a page is empty");
    between(page, start, end)
}

/// The end of the line at `at`.
const fn line_end(bytes: &[u8], mut at: usize) -> usize {
    while at < bytes.len() && bytes[at] != b'\n' {
        at += 1;
    }
    at
}

const fn is_heading(bytes: &[u8], at: usize) -> bool {
    at + 3 < bytes.len() && bytes[at] == b'#' && bytes[at + 1] == b'#' && bytes[at + 2] == b' '
}

/// Whether `bytes[start..end]` is `text`.
const fn same(bytes: &[u8], start: usize, end: usize, text: &[u8]) -> bool {
    if end - start != text.len() {
        return false;
    }
    let mut at = 0;
    while at < text.len() {
        if bytes[start + at] != text[at] {
            return false;
        }
        at += 1;
    }
    true
}

const fn between(text: &str, start: usize, end: usize) -> &str {
    text.split_at(start).1.split_at(end - start).0
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "# A title\n\n## Detects\n\nÄ loop.\n\n## Why it costs\n\nTime.\n\n## Facts needed\n\nNone.\n\n\
        ## When it is wrong\n\nNever.\n\n## Example\n\n`x`\n\n## How to verify\n\nRun it.\n\n## How: other\n\nDo {that}.\n\n\
        ```c before\na;\n\nb;\n```\n\n```c after\nb(4);\n```\n\n### Flags\n\n- gcc, g++: -O3\n\n### Environment\n\n\
        - URL=https://x: a server: for files\n\n## Sources\n\n- One\n- Two: and a half\n";
    const DOC: Doc = Doc::parse(PAGE);

    #[test]
    fn a_page_is_read() {
        assert_eq!((DOC.title, DOC.detects, DOC.how_to_verify), ("A title", "Ä loop.", "Run it."));
        assert_eq!(DOC.sources().collect::<Vec<_>>(), ["One", "Two: and a half"]);
    }

    #[test]
    fn a_way_to_change_is_read_and_filled() {
        let how = parse_how(const { DOC.section("How: other") }).with("that", 4);
        let expected = How::new("Do 4.").c("a;\n\nb;", "b(4);").flags("gcc, g++", "-O3").environment(
            "URL",
            "https://x",
            "a server: for files",
        );
        assert_eq!(how, expected);
    }

    #[test]
    #[should_panic(expected = "lacks a section")]
    fn a_missing_section_is_an_error() {
        section(PAGE, "How");
    }

    #[test]
    #[should_panic(expected = "is empty")]
    fn an_empty_section_is_an_error() {
        section("# A\n\n## Detects\n\n## Example\n", "Detects");
    }
}
