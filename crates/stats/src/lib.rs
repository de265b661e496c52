//! Medians, spreads, bootstrap intervals and paired ratios.
