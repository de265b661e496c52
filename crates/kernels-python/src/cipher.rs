//! AES-CBC with HMAC: keys, sealing and opening.

use crate::buffer::{Buffer, at};
use crate::error::{Raised, Rejected};
use crate::isa::level;
use loopwright_kernels::Isa;
use loopwright_kernels::cipher as kernel;
use loopwright_kernels::cipher::{
    Aes128, Aes256, Cipher, CipherError, HmacSha1, HmacSha256, Mac, Message, Tag,
};
use loopwright_kernels::overlap::shared;
use pyo3::exceptions::{PyBufferError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyTuple};
use zeroize::Zeroize;

enum Pair {
    Aes128Sha1(kernel::CbcHmac<Aes128, HmacSha1>),
    Aes128Sha256(kernel::CbcHmac<Aes128, HmacSha256>),
    Aes256Sha1(kernel::CbcHmac<Aes256, HmacSha1>),
    Aes256Sha256(kernel::CbcHmac<Aes256, HmacSha256>),
}

/// Runs an expression for the keys of the chosen algorithms.
macro_rules! each {
    ($pair:expr, $keys:ident => $value:expr) => {
        match $pair {
            Pair::Aes128Sha1($keys) => $value,
            Pair::Aes128Sha256($keys) => $value,
            Pair::Aes256Sha1($keys) => $value,
            Pair::Aes256Sha256($keys) => $value,
        }
    };
}

/// The keys of a cipher and a MAC, erased when they are dropped.
#[pyclass(module = "loopwright.kernels", frozen)]
struct CbcHmac {
    pair: Pair,
    cipher: &'static str,
    mac: &'static str,
}

fn expanded<C: Cipher, M: Mac>(
    cipher_key: &[u8],
    mac_key: &[u8],
    tag_bytes: Option<usize>,
) -> Result<kernel::CbcHmac<C, M>, CipherError> {
    let keys = kernel::CbcHmac::new(cipher_key, mac_key)?;
    match tag_bytes {
        Some(bytes) => keys.with_tag_bytes(bytes),
        None => Ok(keys),
    }
}

/// An IV: 16 bytes.
fn vector(iv: &Bound<'_, PyAny>) -> Result<[u8; 16], Raised> {
    let iv = Buffer::readable(iv, "iv")?;
    iv.bytes().try_into().map_err(|_| {
        let text = format!("iv has {} bytes; pass 16 unpredictable ones", iv.length());
        Raised(PyValueError::new_err(text))
    })
}

/// Associated data, if there is any.
fn associated(aad: Option<&Bound<'_, PyAny>>) -> PyResult<Option<Buffer>> {
    aad.map(|aad| Buffer::readable(aad, "aad")).transpose()
}

fn bytes(buffer: &Option<Buffer>) -> &[u8] {
    buffer.as_ref().map_or(&[], Buffer::bytes)
}

/// Refuses data to be written that overlaps data to be read.
fn disjoint(data: &Buffer, other: Option<&Buffer>, name: &str) -> Result<(), Raised> {
    if other.is_some_and(|other| data.overlaps(other)) {
        let text = format!("data and {name} overlap in memory; pass memory of its own");
        return Err(Raised(PyBufferError::new_err(text)));
    }
    Ok(())
}

#[pymethods]
impl CbcHmac {
    #[new]
    #[pyo3(signature = (cipher_key, mac_key, *, mac = "sha256", tag_bytes = None))]
    fn new(
        cipher_key: &Bound<'_, PyAny>,
        mac_key: &Bound<'_, PyAny>,
        mac: &str,
        tag_bytes: Option<usize>,
    ) -> Result<Self, Raised> {
        let cipher_key = Buffer::readable(cipher_key, "cipher_key")?;
        let mac_key = Buffer::readable(mac_key, "mac_key")?;
        let (key, second) = (cipher_key.bytes(), mac_key.bytes());
        let (pair, cipher, mac) = match (key.len(), mac) {
            (16, "sha1") => (Pair::Aes128Sha1(expanded(key, second, tag_bytes)?), "aes-128-cbc", "sha1"),
            (16, "sha256") => {
                (Pair::Aes128Sha256(expanded(key, second, tag_bytes)?), "aes-128-cbc", "sha256")
            }
            (32, "sha1") => (Pair::Aes256Sha1(expanded(key, second, tag_bytes)?), "aes-256-cbc", "sha1"),
            (32, "sha256") => {
                (Pair::Aes256Sha256(expanded(key, second, tag_bytes)?), "aes-256-cbc", "sha256")
            }
            (16 | 32, _) => {
                let text = format!("{mac:?} is not a known MAC; use sha1 or sha256");
                return Err(Raised(PyValueError::new_err(text)));
            }
            (given, _) => {
                let text = format!("cipher_key has {given} bytes; pass 16 for AES-128 or 32 for AES-256");
                return Err(Raised(PyValueError::new_err(text)));
            }
        };
        Ok(CbcHmac { pair, cipher, mac })
    }

    #[getter]
    fn cipher(&self) -> &'static str {
        self.cipher
    }

    #[getter]
    fn mac(&self) -> &'static str {
        self.mac
    }

    #[getter]
    fn tag_bytes(&self) -> usize {
        each!(&self.pair, keys => keys.tag_bytes())
    }

    /// Encrypts data in place and returns its tag.
    #[pyo3(signature = (iv, data, aad = None, *, isa = None))]
    fn seal_in_place<'py>(
        &self,
        py: Python<'py>,
        iv: &Bound<'_, PyAny>,
        data: &Bound<'_, PyAny>,
        aad: Option<&Bound<'_, PyAny>>,
        isa: Option<&str>,
    ) -> Result<Bound<'py, PyBytes>, Raised> {
        let (isa, iv, aad) = (level(isa)?, vector(iv)?, associated(aad)?);
        let mut data = Buffer::writable(data, "data")?;
        disjoint(&data, aad.as_ref(), "aad")?;
        let (aad, data) = (bytes(&aad), data.bytes_mut());
        let tag = each!(&self.pair, keys => py.detach(|| keys.seal_in_place_with(isa, &iv, aad, data)))?;
        Ok(PyBytes::new(py, &tag))
    }

    /// Verifies the tag and decrypts data in place.
    #[pyo3(signature = (iv, data, tag, aad = None, *, isa = None))]
    fn open_in_place(
        &self,
        py: Python<'_>,
        iv: &Bound<'_, PyAny>,
        data: &Bound<'_, PyAny>,
        tag: &Bound<'_, PyAny>,
        aad: Option<&Bound<'_, PyAny>>,
        isa: Option<&str>,
    ) -> Result<(), Raised> {
        let (isa, iv, aad) = (level(isa)?, vector(iv)?, associated(aad)?);
        let tag = Buffer::readable(tag, "tag")?;
        let mut data = Buffer::writable(data, "data")?;
        disjoint(&data, aad.as_ref(), "aad")?;
        disjoint(&data, Some(&tag), "tag")?;
        let (aad, tag, data) = (bytes(&aad), tag.bytes(), data.bytes_mut());
        each!(&self.pair, keys => py.detach(|| keys.open_in_place_with(isa, &iv, aad, data, tag)))?;
        Ok(())
    }

    /// Pads and encrypts data into a new object; returns that and its tag.
    #[pyo3(signature = (iv, data, aad = None, *, isa = None))]
    fn seal_padded<'py>(
        &self,
        py: Python<'py>,
        iv: &Bound<'_, PyAny>,
        data: &Bound<'_, PyAny>,
        aad: Option<&Bound<'_, PyAny>>,
        isa: Option<&str>,
    ) -> Result<(Bound<'py, PyBytes>, Bound<'py, PyBytes>), Raised> {
        let (isa, iv, aad) = (level(isa)?, vector(iv)?, associated(aad)?);
        let data = Buffer::readable(data, "data")?;
        let (aad, data) = (bytes(&aad), data.bytes());
        // With room for the padding: a growing vector would leave a copy of the plaintext behind.
        let (sealed, tag) = each!(&self.pair, keys => py.detach(|| {
            let mut sealed = Vec::with_capacity(data.len() + 16);
            sealed.extend_from_slice(data);
            keys.seal_padded_with(isa, &iv, aad, &mut sealed).map(|tag| (sealed, tag))
        }))?;
        Ok((PyBytes::new(py, &sealed), PyBytes::new(py, &tag)))
    }

    /// Verifies the tag and decrypts data, which was padded, into a new object.
    #[pyo3(signature = (iv, data, tag, aad = None, *, isa = None))]
    fn open_padded<'py>(
        &self,
        py: Python<'py>,
        iv: &Bound<'_, PyAny>,
        data: &Bound<'_, PyAny>,
        tag: &Bound<'_, PyAny>,
        aad: Option<&Bound<'_, PyAny>>,
        isa: Option<&str>,
    ) -> Result<Bound<'py, PyBytes>, Raised> {
        let (isa, iv, aad) = (level(isa)?, vector(iv)?, associated(aad)?);
        let (tag, data) = (Buffer::readable(tag, "tag")?, Buffer::readable(data, "data")?);
        let (aad, tag, data) = (bytes(&aad), tag.bytes(), data.bytes());
        let mut opened = each!(&self.pair, keys => py.detach(|| {
            let mut opened = data.to_vec();
            keys.open_padded_with(isa, &iv, aad, &mut opened, tag).map(|()| opened)
        }))?;
        let plain = PyBytes::new(py, &opened);
        opened.as_mut_slice().zeroize();
        Ok(plain)
    }

    fn __repr__(&self) -> String {
        format!("<loopwright.kernels.CbcHmac of {} and {}>", self.cipher, self.mac)
    }
}

/// A message as Python passes it.
struct Given<'py> {
    keys: Bound<'py, CbcHmac>,
    iv: [u8; 16],
    data: Buffer,
    aad: Option<Buffer>,
}

impl<'py> Given<'py> {
    fn of(message: &Bound<'py, PyAny>) -> Result<Given<'py>, Raised> {
        let parts = message.cast::<PyTuple>().map_err(PyErr::from)?;
        if !(3..=4).contains(&parts.len()) {
            let text = format!("a tuple of {}; pass (keys, iv, data) or (keys, iv, data, aad)", parts.len());
            return Err(Raised(PyValueError::new_err(text)));
        }
        let keys = parts.get_item(0)?.cast_into::<CbcHmac>().map_err(PyErr::from)?;
        let (iv, data) = (vector(&parts.get_item(1)?)?, Buffer::writable(&parts.get_item(2)?, "data")?);
        let aad = (parts.len() > 3).then(|| parts.get_item(3)).transpose()?.filter(|aad| !aad.is_none());
        Ok(Given { keys, iv, data, aad: associated(aad.as_ref())? })
    }
}

#[pyfunction]
#[pyo3(signature = (messages, *, isa = None))]
fn seal_many<'py>(
    py: Python<'py>,
    messages: &Bound<'py, PyAny>,
    isa: Option<&str>,
) -> Result<Bound<'py, PyList>, Raised> {
    let isa = level(isa)?;
    let mut given = Vec::with_capacity(messages.len().unwrap_or(0));
    for (index, message) in messages.try_iter()?.enumerate() {
        given.push(Given::of(&message?).map_err(|Raised(error)| at(py, "messages", index, &error))?);
    }
    let writes: Vec<_> = given.iter().map(|message| message.data.extent()).collect();
    let reads: Vec<_> = given.iter().filter_map(|message| message.aad.as_ref()).map(Buffer::extent).collect();
    if let Some(index) = shared(&writes, &reads) {
        let text =
            format!("messages[{index}]: data overlaps other memory of the call; pass memory of its own");
        return Err(Raised(PyBufferError::new_err(text)));
    }
    let Some(first) = given.first() else { return Ok(PyList::empty(py)) };
    macro_rules! of {
        ($kind:ident) => {
            tags(py, isa, &mut given, |pair| match pair {
                Pair::$kind(keys) => Some(keys),
                _ => None,
            })?
        };
    }
    let tags = match first.keys.get().pair {
        Pair::Aes128Sha1(_) => of!(Aes128Sha1),
        Pair::Aes128Sha256(_) => of!(Aes128Sha256),
        Pair::Aes256Sha1(_) => of!(Aes256Sha1),
        Pair::Aes256Sha256(_) => of!(Aes256Sha256),
    };
    Ok(PyList::new(py, tags.iter().map(|tag| PyBytes::new(py, tag)))?)
}

/// Seals messages whose keys are those that `keys_of` takes; returns their tags.
fn tags<C: Cipher + Send, M: Mac + Send>(
    py: Python<'_>,
    isa: Isa,
    given: &mut [Given<'_>],
    keys_of: fn(&Pair) -> Option<&kernel::CbcHmac<C, M>>,
) -> Result<Vec<Tag>, Raised> {
    let mut messages = Vec::with_capacity(given.len());
    for (index, message) in given.iter_mut().enumerate() {
        let Given { keys, iv, data, aad } = message;
        let keys = keys_of(&keys.get().pair).ok_or_else(|| {
            Raised(PyValueError::new_err(format!(
                "the keys of messages[{index}] are of another cipher or MAC than the first's; seal it in another call"
            )))
        })?;
        messages.push(Message::new(keys, iv, bytes(aad), data.bytes_mut()));
    }
    py.detach(|| kernel::CbcHmac::seal_many_with(isa, &mut messages))?;
    Ok(messages.iter().filter_map(|message| message.tag().copied()).collect())
}

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(seal_many, module)?)?;
    module.add("Rejected", module.py().get_type::<Rejected>())?;
    module.add_class::<CbcHmac>()
}
