//! The C library: its header is current, and what is installed is used as its users would.

mod header;
mod install;
