//! What compilers said about the lines of a file, as `show source` and the report print it under them.

use loopwright_remarks::index::of_file;
use loopwright_remarks::remark::{Outcome, Remark};
use std::collections::BTreeMap;

/// Each message once per line, those about vectorisation first.
pub(crate) fn remarks_by_line<'a>(remarks: &'a [Remark], file: &str) -> BTreeMap<u32, Vec<&'a Remark>> {
    let mut lines: BTreeMap<u32, Vec<&Remark>> = BTreeMap::new();
    for remark in of_file(remarks, file) {
        let here = lines.entry(remark.line).or_default();
        if !here.iter().any(|known| known.message == remark.message && known.compiler == remark.compiler) {
            here.push(remark);
        }
    }
    for here in lines.values_mut() {
        here.sort_by_key(|remark| (remark.outcome == Outcome::Note, remark.reason.is_none()));
    }
    lines
}
