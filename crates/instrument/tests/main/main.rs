//! Counts and traces of real programs, held against single steps, against closed forms and against what they do alone.

mod counting;
mod overhead;
