//! Finding the cases of a casebook.

use crate::case::{Case, FILE};
use crate::error::Error;
use std::path::Path;

/// Every case in `folder`, in the book's order.
///
/// # Errors
/// When the folder cannot be read or holds no case, or when a case cannot be read.
pub fn cases(folder: &Path) -> Result<Vec<Case>, Error> {
    let none = |cause: String| Error::NoCasebook { folder: folder.to_owned(), cause };
    let entries = std::fs::read_dir(folder).map_err(|e| none(e.to_string()))?;
    let mut cases = Vec::new();
    for entry in entries {
        let path = entry.map_err(|e| none(e.to_string()))?.path();
        if path.join(FILE).is_file() {
            cases.push(Case::read(&path)?);
        }
    }
    if cases.is_empty() {
        return Err(none(format!("no folder in it has a {FILE}")));
    }
    cases.sort_by(|a, b| (a.order, &a.name).cmp(&(b.order, &b.name)));
    Ok(cases)
}

/// The cases with these names, in the book's order; all without names.
///
/// # Errors
/// As [`cases`], and when a name is unknown.
pub fn named(folder: &Path, names: &[String]) -> Result<Vec<Case>, Error> {
    let mut cases = cases(folder)?;
    for name in names {
        if !cases.iter().any(|case| case.name == *name) {
            let known = cases.iter().map(|case| case.name.as_str()).collect::<Vec<_>>().join(", ");
            return Err(Error::UnknownCase { name: name.clone(), folder: folder.to_owned(), known });
        }
    }
    cases.retain(|case| names.is_empty() || names.contains(&case.name));
    Ok(cases)
}
