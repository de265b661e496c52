//! Sealing with our functions and the peers', on the same buffers: IV, data, and the eight bytes that end the
//! MAC's input.

use crate::buffers::Buffer;
use crate::case::{Role, Run, Variant};
use crate::peers::Peers;
use crate::peers::ipsec_mb::Multi;
use crate::peers::openssl_cipher;
use loopwright_kernels::Isa;
use loopwright_kernels::cipher::{CbcHmac, Cipher, Mac, Message};
use std::hint::black_box;
use std::rc::Rc;

const MAC_KEY: [u8; 20] = *b"a key for the MAC...";

/// The cipher's key of all variants.
pub fn cipher_key<C: Cipher, M: Mac>() -> Vec<u8> {
    (1..).take(CbcHmac::<C, M>::KEY_BYTES).collect()
}

/// The keys of all variants.
pub fn keys<C: Cipher, M: Mac>() -> Rc<CbcHmac<C, M>> {
    match CbcHmac::new(&cipher_key::<C, M>(), &MAC_KEY) {
        Ok(keys) => Rc::new(keys),
        Err(error) => unreachable!("the keys have their lengths: {error}"),
    }
}

/// One message's place. Places begin at different offsets of their pages: with equal offsets the lines that
/// sixteen lanes work on would compete for one set of the nearest cache.
struct Place {
    buffer: Buffer,
    begin: usize,
}

impl Place {
    fn bytes(&self) -> &[u8] {
        &self.buffer[self.begin..]
    }
}

impl AsMut<[u8]> for Place {
    fn as_mut(&mut self) -> &mut [u8] {
        &mut self.buffer[self.begin..]
    }
}

/// The messages.
pub struct Buffers(Vec<Place>);

/// Ciphertexts and tags.
#[derive(PartialEq)]
pub struct Sealed {
    data: Vec<Vec<u8>>,
    tags: Vec<Vec<u8>>,
}

impl Buffers {
    /// IV, random data and zeros.
    pub fn new(lengths: &[usize]) -> Buffers {
        let place = |(index, &length): (usize, &usize)| {
            let begin = index * 5 * 64 % 4096;
            let mut buffer = Buffer::random(begin + 16 + length + 8, index as u64);
            buffer[begin + 16 + length..].fill(0);
            Place { buffer, begin }
        };
        Buffers(lengths.iter().enumerate().map(place).collect())
    }

    /// The result of the portable level; the library's tests compare that with its reference.
    pub fn sealed<C: Cipher, M: Mac>(keys: &Rc<CbcHmac<C, M>>, lengths: &[usize]) -> Rc<Sealed> {
        let mut buffers = Buffers::new(lengths);
        let tags = seal(keys, &mut buffers, Some(Isa::Scalar));
        Rc::new(Sealed { data: buffers.data(), tags })
    }

    /// Each message's bytes.
    pub fn places(&mut self) -> impl Iterator<Item = &mut [u8]> {
        self.0.iter_mut().map(AsMut::as_mut)
    }

    fn data(&self) -> Vec<Vec<u8>> {
        let data = |place: &Place| place.bytes()[16..place.bytes().len() - 8].to_vec();
        self.0.iter().map(data).collect()
    }
}

fn seal<C: Cipher, M: Mac>(keys: &CbcHmac<C, M>, buffers: &mut Buffers, isa: Option<Isa>) -> Vec<Vec<u8>> {
    let isa = isa.unwrap_or_else(Isa::best);
    fn split(place: &mut Place) -> ([u8; 16], &mut [u8]) {
        let bytes = place.as_mut();
        let iv = std::array::from_fn(|index| bytes[index]);
        let end = bytes.len() - 8;
        (iv, &mut bytes[16..end])
    }
    if let [place] = &mut buffers.0[..] {
        let (iv, data) = split(place);
        let tag = keys.seal_in_place_with(isa, &iv, &[], data);
        return tag.iter().map(|tag| tag.to_vec()).collect();
    }
    let mut messages: Vec<_> = buffers
        .0
        .iter_mut()
        .map(|place| {
            let (iv, data) = split(place);
            Message::new(keys, &iv, &[], data)
        })
        .collect();
    if CbcHmac::seal_many_with(isa, &mut messages).is_err() {
        return Vec::new();
    }
    messages.iter().filter_map(|message| Some(message.tag()?.to_vec())).collect()
}

fn compare(found: &Sealed, expected: &Sealed) -> Result<(), String> {
    let differs = |a: &[Vec<u8>], b: &[Vec<u8>]| {
        (a.len() != b.len()).then_some(0).or_else(|| a.iter().zip(b).position(|(a, b)| a != b))
    };
    if let Some(message) = differs(&found.data, &expected.data) {
        return Err(format!("the ciphertext of message {message} differs"));
    }
    match differs(&found.tags, &expected.tags) {
        Some(message) => Err(format!("the tag of message {message} differs")),
        None => Ok(()),
    }
}

/// Our functions.
pub struct Ours<C, M> {
    keys: Rc<CbcHmac<C, M>>,
    lengths: Vec<usize>,
    buffers: Buffers,
    isa: Option<Isa>,
    expected: Rc<Sealed>,
}

impl<C, M> Ours<C, M> {
    /// At a level, or automatic.
    pub fn new(keys: Rc<CbcHmac<C, M>>, lengths: &[usize], isa: Option<Isa>, expected: Rc<Sealed>) -> Self {
        Ours { keys, lengths: lengths.to_vec(), buffers: Buffers::new(lengths), isa, expected }
    }
}

impl<C: Cipher, M: Mac> Run for Ours<C, M> {
    fn run(&mut self) {
        black_box(seal(&self.keys, &mut self.buffers, self.isa));
    }

    fn verify(&mut self) -> Result<(), String> {
        self.buffers = Buffers::new(&self.lengths);
        let tags = seal(&self.keys, &mut self.buffers, self.isa);
        compare(&Sealed { data: self.buffers.data(), tags }, &self.expected)
    }
}

/// A peer's function that seals all buffers; no tags where it computes other ones.
type Seal = Box<dyn FnMut(&mut [Place]) -> Option<Vec<[u8; 32]>>>;

/// Other libraries.
pub struct Theirs {
    seal: Seal,
    lengths: Vec<usize>,
    buffers: Buffers,
    expected: Rc<Sealed>,
}

impl Theirs {
    /// The installed ones.
    pub fn all<C: Cipher, M: Mac>(
        peers: &mut Peers,
        lengths: &[usize],
        sha256: bool,
        expected: &Rc<Sealed>,
    ) -> Vec<Variant> {
        let key = cipher_key::<C, M>();
        let mut variants = Vec::new();
        let mut add = |name: String, seal: Seal| {
            let (lengths, buffers) = (lengths.to_vec(), Buffers::new(lengths));
            let theirs = Theirs { seal, lengths, buffers, expected: expected.clone() };
            variants.push(Variant::new(name, Role::Peer, theirs));
        };
        let longest = lengths.iter().max().map_or(0, |length| 16 + length + 8);
        if let Some(mut multi) = Multi::open(peers, &key, &MAC_KEY, sha256, longest) {
            add(multi.name(), Box::new(move |places| Some(multi.seal(places))));
        }
        for stitched in [false, true] {
            if let Some(mut cipher) = openssl_cipher::Cipher::open(peers, &key, &MAC_KEY, sha256, stitched) {
                let seal = move |places: &mut [Place]| {
                    let tags = places.iter_mut().map(|place| cipher.seal(place.as_mut())).collect();
                    cipher.has_tags().then_some(tags)
                };
                let name = if stitched { "OpenSSL stitched" } else { "OpenSSL CBC, HMAC" };
                add(name.to_owned(), Box::new(seal));
            }
        }
        variants
    }
}

impl Run for Theirs {
    fn run(&mut self) {
        black_box((self.seal)(&mut self.buffers.0));
    }

    fn verify(&mut self) -> Result<(), String> {
        self.buffers = Buffers::new(&self.lengths);
        let tags = (self.seal)(&mut self.buffers.0);
        let bytes = self.expected.tags.first().map_or(0, Vec::len);
        let tags = match tags {
            Some(tags) => tags.iter().map(|tag| tag[..bytes].to_vec()).collect(),
            None => self.expected.tags.clone(),
        };
        compare(&Sealed { data: self.buffers.data(), tags }, &self.expected)
    }
}
