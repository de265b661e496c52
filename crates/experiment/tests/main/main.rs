//! What is stored is read back: experiments of this and of older versions.

mod counts;
mod patterns;
mod store;
