//! What the analysis says of real programs: iterations, patterns, variables and verdicts, compared with their source.

mod counted;
mod iterations;
mod patterns;
mod random_dependences;
mod variables;
mod verdicts;
