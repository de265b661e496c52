//! What the analysis says of real programs: branches, iterations, patterns, variables and verdicts, compared with their source.

mod branches;
mod counted;
mod iterations;
mod patterns;
mod random_dependences;
mod variables;
mod verdicts;
