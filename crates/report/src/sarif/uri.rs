//! Files as SARIF names them: percent-encoded URIs, relative to the source root where they are below it (3.4, RFC 3986).

use super::log::{ArtifactLocation, PhysicalLocation, Region};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use std::path::Path;

/// The base that relative URIs refer to. Code hosts know this name as the checkout's folder.
pub(super) const SOURCE_ROOT: &str = "SRCROOT";

/// Everything but RFC 3986's unreserved characters and the separator of segments. Stricter than a path must be: a
/// colon in a first segment would read as a scheme, and hosts differ in what they do with the rest.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'/');

/// `/a/./b/../c` as `/a/c`. URIs are compared without dot segments (RFC 3986, 5.2.4), so they are taken out as readers
/// would, links or not. What climbs above a relative path's start stays.
fn without_dots(path: &str) -> String {
    let absolute = path.starts_with('/');
    let mut kept: Vec<&str> = Vec::new();
    for segment in path.split('/') {
        match segment {
            "" | "." => {}
            ".." if kept.last().is_some_and(|last| *last != "..") => {
                kept.pop();
            }
            ".." if absolute => {}
            segment => kept.push(segment),
        }
    }
    (if absolute { "/" } else { "" }).to_owned() + &kept.join("/")
}

fn encoded(path: &str) -> String {
    utf8_percent_encode(path, ENCODED).to_string()
}

/// The folder that [`SOURCE_ROOT`] represents; only absolute ones can be one.
#[derive(Clone, Debug, Default)]
pub(super) struct SourceRoot(Option<String>);

impl SourceRoot {
    pub(super) fn new(folder: Option<&Path>) -> Self {
        let folder = folder.and_then(Path::to_str).filter(|folder| folder.starts_with('/'));
        Self(folder.map(without_dots))
    }

    /// The root itself, for `originalUriBaseIds`: it ends in a slash (3.14.14).
    pub(super) fn location(&self) -> Option<ArtifactLocation> {
        let folder = self.0.as_deref()?;
        let slash = if folder == "/" { "" } else { "/" };
        Some(ArtifactLocation { uri: format!("file://{}{slash}", encoded(folder)), uri_base_id: None })
    }

    /// A file; nothing where the path names none.
    pub(super) fn artifact(&self, file: &str) -> Option<ArtifactLocation> {
        let path = without_dots(file);
        if path.is_empty() || path == "/" || file.ends_with('/') {
            return None;
        }
        let below = self.0.as_deref().and_then(|root| match root {
            "/" => path.strip_prefix('/'),
            root => path.strip_prefix(root)?.strip_prefix('/'),
        });
        Some(match below {
            Some(below) => ArtifactLocation { uri: encoded(below), uri_base_id: Some(SOURCE_ROOT) },
            None if path.starts_with('/') => {
                ArtifactLocation { uri: format!("file://{}", encoded(&path)), uri_base_id: None }
            }
            // Relative to a folder that the debug information does not name: readers resolve it as they can.
            None => ArtifactLocation { uri: encoded(&path), uri_base_id: None },
        })
    }

    /// A line of a file, with the column where DWARF or a compiler gives one.
    pub(super) fn line(&self, file: &str, line: u32, column: Option<u32>) -> Option<PhysicalLocation> {
        let region = (line > 0)
            .then(|| Region { start_line: line, start_column: column.filter(|&column| column > 0) });
        Some(PhysicalLocation { artifact_location: self.artifact(file)?, region })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(root: Option<&str>, file: &str) -> Option<(String, bool)> {
        let root = SourceRoot::new(root.map(Path::new));
        root.artifact(file).map(|at| (at.uri, at.uri_base_id.is_some()))
    }

    #[test]
    fn files_below_the_root_are_relative_to_it() {
        let root = Some("/home/ada/lbm/");
        assert_eq!(at(root, "/home/ada/lbm/src/a.c"), Some(("src/a.c".into(), true)));
        assert_eq!(at(root, "/home/ada/lbm/build/../src/./a.c"), Some(("src/a.c".into(), true)));
        assert_eq!(at(root, "/home/ada/lbm2/a.c"), Some(("file:///home/ada/lbm2/a.c".into(), false)));
        assert_eq!(at(None, "/home/ada/lbm/a.c"), Some(("file:///home/ada/lbm/a.c".into(), false)));
        assert_eq!(at(Some("/"), "/a.c"), Some(("a.c".into(), true)));
        assert_eq!(at(Some("relative"), "/a.c"), Some(("file:///a.c".into(), false)));
    }

    #[test]
    fn every_name_becomes_a_uri() {
        let root = Some("/src");
        assert_eq!(at(root, "/src/a b#c?d%41.c"), Some(("a%20b%23c%3Fd%2541.c".into(), true)));
        assert_eq!(at(root, "/src/c:x.c"), Some(("c%3Ax.c".into(), true)));
        assert_eq!(at(root, "/src/größe\n.c"), Some(("gr%C3%B6%C3%9Fe%0A.c".into(), true)));
        assert_eq!(at(root, "../../a.c"), Some(("../../a.c".into(), false)));
        assert_eq!(at(root, "/../../a.c"), Some(("file:///a.c".into(), false)));
        assert_eq!(at(root, "//host/a.c"), Some(("file:///host/a.c".into(), false)));
    }

    #[test]
    fn what_names_no_file_has_no_uri() {
        for name in ["", ".", "/", "/src/", "a/..", "/a/.."] {
            assert_eq!(at(None, name), None, "{name:?}");
        }
    }

    #[test]
    fn the_root_ends_in_a_slash() {
        let uri = |root: &str| SourceRoot::new(Some(Path::new(root))).location().map(|at| at.uri);
        assert_eq!(uri("/home/a b"), Some("file:///home/a%20b/".into()));
        assert_eq!(uri("/"), Some("file:///".into()));
        assert_eq!(uri("here"), None);
    }

    #[test]
    fn lines_and_columns_that_are_none_are_left_out() {
        let root = SourceRoot::default();
        assert_eq!(root.line("/a.c", 0, Some(3)).and_then(|at| at.region), None);
        let region = root.line("/a.c", 7, Some(0)).and_then(|at| at.region);
        assert_eq!(region, Some(Region { start_line: 7, start_column: None }));
    }
}
