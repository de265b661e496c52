//! The command of the kernels: what it prints, what it calibrates, and which instructions each level executes.

mod calibrate;
mod command;
mod documented;
mod first_use;
mod levels;
mod registry;
