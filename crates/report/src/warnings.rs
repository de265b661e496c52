//! Warnings of a state, above tables and below the first screen.

use crate::prose::labelled;
use crate::style::{Ink, TerminalStyle};
use loopwright_analysis::model::Warning;

/// Width of the label column.
const LABEL: usize = 8;

/// What limits the results, each with its way out.
pub(crate) fn warnings(warnings: &[Warning], most: usize, style: &TerminalStyle) -> String {
    let mut out = String::new();
    for warning in warnings.iter().take(most) {
        out.push_str(&labelled(style, 0, "Warning", LABEL, Ink::Caution, &warning.to_string()));
    }
    if warnings.len() > most {
        let text = format!("{} more: loopwright show loops lists them all", warnings.len() - most);
        out.push_str(&labelled(style, 0, "", LABEL, Ink::Caution, &text));
    }
    out
}
