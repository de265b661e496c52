//! What is stored is read back: experiments of this and of older versions.

mod counts;
mod parts;
mod patterns;
mod store;
mod synthetic;
