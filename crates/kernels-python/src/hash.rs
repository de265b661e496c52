//! Hashes: of one message, of many at once, of messages in pieces.

use crate::buffer::Buffer;
use crate::error::Raised;
use crate::isa::level;
use loopwright_kernels::Isa;
use loopwright_kernels::hash as kernel;
use loopwright_kernels::hash::{Algorithm, Context, Done, Md5, Outcome, Scheduler, Sha1, Sha256, Sha512};
use loopwright_kernels::overlap::shared;
use pyo3::exceptions::{PyBufferError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};
use std::sync::{Mutex, PoisonError};

/// A hash function as a type, with access to its variant of [`AnyContext`].
trait Known: Algorithm {
    fn wrap(context: Context<Self>) -> AnyContext;
    /// Takes a context of this function out of its place.
    fn take(place: &mut Option<AnyContext>) -> Option<Context<Self>>;
}

macro_rules! known {
    ($($name:literal $algorithm:ident,)*) => {
        /// A context of any of the hash functions.
        #[derive(Clone)]
        enum AnyContext {
            $($algorithm(Context<$algorithm>),)*
        }

        $(impl Known for $algorithm {
            fn wrap(context: Context<Self>) -> AnyContext {
                AnyContext::$algorithm(context)
            }

            fn take(place: &mut Option<AnyContext>) -> Option<Context<Self>> {
                match place.take() {
                    Some(AnyContext::$algorithm(context)) => Some(context),
                    other => {
                        *place = other;
                        None
                    }
                }
            }
        })*

        impl AnyContext {
            fn new(name: &str, isa: Isa) -> Result<AnyContext, Raised> {
                match name {
                    $($name => Ok(AnyContext::$algorithm(Context::new_with(isa)?)),)*
                    _ => Err(unknown(name)),
                }
            }

            fn update(&mut self, piece: &[u8]) {
                match self {
                    $(AnyContext::$algorithm(context) => context.update(piece),)*
                }
            }

            fn digest(&self) -> Vec<u8> {
                match self {
                    $(AnyContext::$algorithm(context) => context.clone().finish().as_ref().to_vec(),)*
                }
            }

            /// The name, and the number of bytes of a digest and of a block.
            const fn facts(&self) -> (&'static str, usize, usize) {
                match self {
                    $(AnyContext::$algorithm(_) => {
                        ($name, <$algorithm as Algorithm>::DIGEST, <$algorithm as Algorithm>::BLOCK)
                    })*
                }
            }
        }

        /// Hashes pieces of messages of all hash functions, those of each function side by side.
        fn all_pieces(isa: Isa, works: &mut [Option<AnyContext>], pieces: &[&[u8]]) -> Result<(), kernel::HashError> {
            $(pieces_of::<$algorithm>(isa, works, pieces)?;)*
            Ok(())
        }
    };
}

/// Runs an expression with the type of a hash function.
macro_rules! with_type {
    ($given:expr, $type:ident => $value:expr) => {
        match $given {
            "md5" => {
                type $type = Md5;
                $value
            }
            "sha1" => {
                type $type = Sha1;
                $value
            }
            "sha256" => {
                type $type = Sha256;
                $value
            }
            "sha512" => {
                type $type = Sha512;
                $value
            }
            name => return Err(unknown(name)),
        }
    };
}

known! {
    "md5" Md5,
    "sha1" Sha1,
    "sha256" Sha256,
    "sha512" Sha512,
}

fn unknown(name: &str) -> Raised {
    let text = format!("{name:?} is not a known hash function; use one of: md5, sha1, sha256, sha512");
    Raised(PyValueError::new_err(text))
}

#[pyfunction]
#[pyo3(signature = (algorithm, data, *, isa = None))]
fn hash<'py>(
    py: Python<'py>,
    algorithm: &str,
    data: &Bound<'_, PyAny>,
    isa: Option<&str>,
) -> Result<Bound<'py, PyBytes>, Raised> {
    let isa = level(isa)?;
    let data = Buffer::readable(data, "data")?;
    with_type!(algorithm, A => {
        let digest = py.detach(|| kernel::hash_with::<A>(isa, data.bytes()))?;
        Ok(PyBytes::new(py, digest.as_ref()))
    })
}

#[pyfunction]
#[pyo3(signature = (algorithm, messages, *, out = None, isa = None))]
fn hash_many<'py>(
    py: Python<'py>,
    algorithm: &str,
    messages: &Bound<'_, PyAny>,
    out: Option<&Bound<'_, PyAny>>,
    isa: Option<&str>,
) -> Result<Option<Bound<'py, PyList>>, Raised> {
    let isa = level(isa)?;
    let messages = Buffer::each(messages, "messages")?;
    let mut out = out.map(|out| Buffer::writable(out, "out")).transpose()?;
    with_type!(algorithm, A => {
        if let Some(out) = &out {
            let (given, count, size) = (out.length(), messages.len(), A::DIGEST);
            if given != count.saturating_mul(size) {
                let text = format!("out has {given} bytes; pass {count} x {size}, {size} for each message's digest");
                return Err(Raised(PyValueError::new_err(text)));
            }
            let reads: Vec<_> = messages.iter().map(Buffer::extent).collect();
            if shared(&[out.extent()], &reads).is_some() {
                let text = "out and a message overlap in memory; pass a result of its own";
                return Err(Raised(PyBufferError::new_err(text)));
            }
        }
        let bytes: Vec<&[u8]> = messages.iter().map(Buffer::bytes).collect();
        let mut digests = vec![<A as Algorithm>::Digest::default(); bytes.len()];
        py.detach(|| kernel::hash_many_with::<A>(isa, &bytes, &mut digests))?;
        match &mut out {
            None => Ok(Some(PyList::new(py, digests.iter().map(|digest| PyBytes::new(py, digest.as_ref())))?)),
            Some(out) => {
                for (place, digest) in out.bytes_mut().chunks_exact_mut(A::DIGEST).zip(&digests) {
                    place.copy_from_slice(digest.as_ref());
                }
                Ok(None)
            }
        }
    })
}

/// A message in pieces, with hashlib's interface. Threads that use one wait for each other.
#[pyclass(module = "loopwright.kernels", frozen)]
struct Hash {
    name: &'static str,
    digest_size: usize,
    block_size: usize,
    /// `None` while `update_many` has it.
    context: Mutex<Option<AnyContext>>,
}

impl Hash {
    fn holding(context: AnyContext) -> Hash {
        let (name, digest_size, block_size) = context.facts();
        Hash { name, digest_size, block_size, context: Mutex::new(Some(context)) }
    }

    /// Works on the context while other threads of Python run.
    fn with<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut AnyContext) -> T + Send,
    ) -> Result<T, Raised> {
        py.detach(|| self.slot().as_mut().map(work)).ok_or_else(busy)
    }

    fn slot(&self) -> std::sync::MutexGuard<'_, Option<AnyContext>> {
        self.context.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn busy() -> Raised {
    let text = "update_many works on the message in another thread; go on when it has returned";
    Raised(PyValueError::new_err(text))
}

#[pymethods]
impl Hash {
    #[new]
    #[pyo3(signature = (algorithm, data = None, *, isa = None))]
    fn new(
        py: Python<'_>,
        algorithm: &str,
        data: Option<&Bound<'_, PyAny>>,
        isa: Option<&str>,
    ) -> Result<Self, Raised> {
        let made = Hash::holding(AnyContext::new(algorithm, level(isa)?)?);
        if let Some(data) = data {
            made.update(py, data)?;
        }
        Ok(made)
    }

    #[getter]
    fn name(&self) -> &'static str {
        self.name
    }

    #[getter]
    fn digest_size(&self) -> usize {
        self.digest_size
    }

    #[getter]
    fn block_size(&self) -> usize {
        self.block_size
    }

    /// Hashes one more piece.
    fn update(&self, py: Python<'_>, data: &Bound<'_, PyAny>) -> Result<(), Raised> {
        let data = Buffer::readable(data, "data")?;
        self.with(py, |context| context.update(data.bytes()))
    }

    /// The digest of the message so far, which may continue.
    fn digest<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyBytes>, Raised> {
        Ok(PyBytes::new(py, &self.with(py, |context| context.digest())?))
    }

    /// The digest in hexadecimal digits.
    fn hexdigest(&self, py: Python<'_>) -> Result<String, Raised> {
        let digest = self.with(py, |context| context.digest())?;
        Ok(digest.iter().map(|byte| format!("{byte:02x}")).collect())
    }

    /// A message that begins with the pieces that this one has so far.
    fn copy(&self, py: Python<'_>) -> Result<Hash, Raised> {
        Ok(Hash::holding(self.with(py, |context| context.clone())?))
    }

    fn __repr__(&self) -> String {
        format!("<{} loopwright.kernels.Hash>", self.name)
    }
}

#[pyfunction]
#[pyo3(signature = (hashes, pieces, *, isa = None))]
fn update_many(
    py: Python<'_>,
    hashes: Vec<PyRef<'_, Hash>>,
    pieces: &Bound<'_, PyAny>,
    isa: Option<&str>,
) -> Result<(), Raised> {
    let isa = level(isa)?;
    let pieces = Buffer::each(pieces, "pieces")?;
    if hashes.len() != pieces.len() {
        let (hashes, pieces) = (hashes.len(), pieces.len());
        let text = format!("{hashes} hashes take as many pieces, not {pieces}; pass one for each");
        return Err(Raised(PyValueError::new_err(text)));
    }
    let hashes: Vec<&Hash> = hashes.iter().map(|hash| &**hash).collect();
    let bytes: Vec<&[u8]> = pieces.iter().map(Buffer::bytes).collect();
    let missing = py.detach(|| {
        let mut works: Vec<Option<AnyContext>> = hashes.iter().map(|hash| hash.slot().take()).collect();
        let missing = works.iter().position(Option::is_none);
        let done = match missing {
            Some(_) => Ok(()),
            None => all_pieces(isa, &mut works, &bytes),
        };
        for (hash, work) in hashes.iter().zip(works) {
            // A context that was not taken here must be returned by the other thread.
            if work.is_some() {
                *hash.slot() = work;
            }
        }
        done.map(|()| missing)
    })?;
    let Some(index) = missing else { return Ok(()) };
    let text =
        format!("hashes[{index}] is given twice, or used by another thread; pass each once and wait for it");
    Err(Raised(PyValueError::new_err(text)))
}

/// Hashes the pieces of the messages of one hash function, side by side.
fn pieces_of<A: Known>(
    isa: Isa,
    works: &mut [Option<AnyContext>],
    pieces: &[&[u8]],
) -> Result<(), kernel::HashError> {
    let mut scheduler = Scheduler::<A, usize>::new_with(isa)?;
    for (index, (work, piece)) in works.iter_mut().zip(pieces).enumerate() {
        if let Some(context) = A::take(work) {
            scheduler.update(index, context, piece);
        }
    }
    scheduler.flush();
    while let Some(Done { tag, outcome }) = scheduler.completed() {
        if let Outcome::Hashed(context) = outcome {
            works[tag] = Some(A::wrap(context));
        }
    }
    Ok(())
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(hash, module)?)?;
    module.add_function(wrap_pyfunction!(hash_many, module)?)?;
    module.add_function(wrap_pyfunction!(update_many, module)?)?;
    module.add_class::<Hash>()
}
