//! What the report's page shows beyond the analysis itself, computed here so that page and text never disagree.

pub mod comparison;
pub mod missing;
