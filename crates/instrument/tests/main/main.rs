//! Counts and traces of real programs, compared with single steps, with closed forms and with what they do alone.

mod counting;
mod heap;
mod overhead;
mod swap;
