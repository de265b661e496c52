//! Text tables, JSON and CSV of an analysed experiment.
