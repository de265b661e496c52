//! Other libraries, loaded when they are installed.
//!
//! No peer's code is part of this repository, and none is linked: a library that a variable names, or that
//! the system's loader finds, is opened at run time, and a missing one is left out with one line.

pub mod blas;
pub mod ipsec_mb;
pub mod isal;
pub mod mkl;
pub mod openssl;
pub mod openssl_cipher;
pub mod zfs;

use libloading::Library;
use std::ffi::OsString;
use std::rc::Rc;

/// The peers opened, missing and wrong.
#[derive(Debug, Default)]
pub struct Peers {
    left_out: Vec<String>,
    disagreements: Vec<String>,
}

impl Peers {
    /// No peer opened yet.
    pub fn new() -> Peers {
        Peers::default()
    }

    /// Notes why a peer is not measured; a repeated sentence is kept once.
    pub fn leave_out(&mut self, sentence: impl Into<String>) {
        let sentence = sentence.into();
        if !self.left_out.contains(&sentence) {
            self.left_out.push(sentence);
        }
    }

    /// Notes that a peer's result differs from the reference.
    pub fn disagree(&mut self, sentence: String) {
        self.disagreements.push(sentence);
    }

    /// Which peers' results differ, and where; one sentence each.
    pub fn disagreements(&self) -> &[String] {
        &self.disagreements
    }

    /// Opens the library of `peer`: the file that the environment's `variable` names, else the first of
    /// `names` (as the system's loader finds them). A missing library is noted.
    pub fn library(&mut self, peer: &str, variable: &str, names: &[&str]) -> Option<Rc<Library>> {
        let named = std::env::var_os(variable).filter(|value| !value.is_empty());
        let candidates: Vec<OsString> = match &named {
            Some(file) => vec![file.clone()],
            None => names.iter().map(OsString::from).collect(),
        };
        let mut cause = None;
        for candidate in candidates {
            // SAFETY: loading runs the library's constructors; the file is one that the user names for this, or
            // a library of the system under its well-known name.
            match unsafe { Library::new(&candidate) } {
                Ok(library) => return Some(Rc::new(library)),
                Err(error) => cause = cause.or(Some(error)),
            }
        }
        self.leave_out(match (named, cause) {
            (Some(_), Some(error)) => format!("{peer}: {variable} cannot be loaded: {error}"),
            _ => format!("{peer}: not installed; set {variable} to its shared library to compare with it"),
        });
        None
    }

    /// A function of a library, copied out of it; a missing one is noted.
    ///
    /// # Safety
    /// `F` must be the function's type, and the pointer must not be called once the last handle of `library` is gone.
    pub unsafe fn function<F: Copy>(&mut self, peer: &str, library: &Library, name: &str) -> Option<F> {
        // SAFETY: the caller guarantees the type.
        match unsafe { library.get::<F>(name) } {
            Ok(symbol) => Some(*symbol),
            Err(error) => {
                self.leave_out(format!("{peer}: its library lacks {name}: {error}"));
                None
            }
        }
    }

    /// What is not measured and why, one sentence each.
    pub fn left_out(self) -> Vec<String> {
        self.left_out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_absent_library_is_left_out_with_one_line() {
        let mut peers = Peers::new();
        for _ in 0..2 {
            assert!(
                peers.library("X", "LOOPWRIGHT_PEER_TEST_ABSENT", &["libabsent-for-sure.so.1"]).is_none()
            );
        }
        assert_eq!(
            peers.left_out(),
            ["X: not installed; set LOOPWRIGHT_PEER_TEST_ABSENT to its shared library to compare with it"]
        );
    }

    #[test]
    fn functions_are_found_or_left_out() {
        let mut peers = Peers::new();
        let library = peers.library("C", "LOOPWRIGHT_PEER_TEST_ABSENT", &["libm.so.6", "libc.so.6"]);
        let Some(library) = library else { panic!("no C library: {:?}", peers.left_out()) };
        type Cos = extern "C" fn(f64) -> f64;
        // SAFETY: `cos` is of that type by the C standard; the library outlives the call.
        let cos = unsafe { peers.function::<Cos>("C", &library, "cos") }.unwrap();
        assert_eq!(cos(0.0), 1.0);
        // SAFETY: never called.
        assert!(unsafe { peers.function::<Cos>("C", &library, "no_such_function") }.is_none());
        assert!(peers.left_out()[0].starts_with("C: its library lacks no_such_function"));
    }
}
