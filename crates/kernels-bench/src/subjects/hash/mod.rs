//! Hashes of many messages: compared with ISA-L crypto's schedulers and with OpenSSL, message after message.

mod messages;

use super::{Operation, Subject, every_level};
use crate::bounds;
use crate::case::{Case, Clock, Extent, Role, Run, Variant, Work};
use crate::peers::{Peers, isal, openssl};
use crate::watched::only;
use loopwright_kernels::hash::{self, Algorithm, HashError, Md5, Sha1, Sha256, Sha512, reference};
use loopwright_kernels::processor::WideVectors;
use loopwright_kernels::{Extra, Isa, IsaError, Profile};
use messages::{Message, Shape, messages};
use std::ffi::CStr;
use std::hint::black_box;
use std::rc::Rc;

pub struct Hash;

/// A measured hash function.
trait Measured: Algorithm {
    const OPERATION: &'static str;
    const ISAL: isal::Function;
    const OPENSSL: &'static CStr;
    /// Vector instructions per block of every lane, with rotations and functions of three bits in one:
    /// rounds, words of later rounds, the sum with the state before, the transposition of pieces of 16 bytes
    /// that loads and stores have put in place.
    const INSTRUCTIONS: u64;
    /// Operations of a block that depend on each other, where that is the limit; else 0.
    const CHAIN: u64;
    fn reference(message: &[u8]) -> Self::Digest;
}

macro_rules! measured {
    ($($name:ident: $operation:literal $reference:ident $openssl:literal, word $word:literal, big $big:literal,
        status $status:literal, instructions $instructions:expr, chain $chain:expr;)+) => {
        $(impl Measured for $name {
            const OPERATION: &'static str = $operation;
            const ISAL: isal::Function =
                isal::Function { name: $operation, word: $word, big: $big, status: $status };
            const OPENSSL: &'static CStr = $openssl;
            const INSTRUCTIONS: u64 = $instructions;
            const CHAIN: u64 = $chain;
            fn reference(message: &[u8]) -> Self::Digest {
                reference::$reference(message)
            }
        })+
    };
}
measured! {
    Md5: "md5" md5 c"MD5", word 4, big false, status 128, instructions 64 * 6 + 4 + 32,
        chain 64 * 4;
    Sha1: "sha1" sha1 c"SHA1", word 4, big true, status 128, instructions 80 * 7 + 64 * 3 + 5 + 32 + 16,
        chain 0;
    Sha256: "sha256" sha256 c"SHA256", word 4, big true, status 128,
        instructions 64 * 17 + 48 * 11 + 8 + 32 + 16, chain 0;
    Sha512: "sha512" sha512 c"SHA512", word 8, big true, status 192,
        instructions 80 * 17 + 64 * 11 + 8 + 16 + 16, chain 0;
}

impl Subject for Hash {
    fn kernel(&self) -> &'static str {
        "hash"
    }

    fn about(&self) -> &'static str {
        "MD5, SHA-1, SHA-256 and SHA-512 of many messages at once"
    }

    fn operations(&self) -> Vec<Operation> {
        fn run<A: Measured>(isa: Option<Isa>) -> Result<(), IsaError> {
            // As many as the widest engine has lanes, with two or three blocks each.
            let messages = black_box([[0x5a; 130]; 32]);
            let mut digests = [A::Digest::default(); 32];
            let done = only(|| match isa {
                None => hash::hash_many::<A>(&messages, &mut digests),
                Some(isa) => hash::hash_many_with::<A>(isa, &messages, &mut digests),
            });
            black_box(digests);
            match done {
                Err(HashError::Isa(error)) => Err(error),
                // There are as many digests as messages.
                _ => Ok(()),
            }
        }
        vec![
            Operation { name: Md5::OPERATION, levels: every_level, run: run::<Md5> },
            Operation { name: Sha1::OPERATION, levels: every_level, run: run::<Sha1> },
            Operation { name: Sha256::OPERATION, levels: sha256_levels, run: run::<Sha256> },
            Operation { name: Sha512::OPERATION, levels: sha512_levels, run: run::<Sha512> },
        ]
    }

    fn cases(&self, extent: Extent) -> Vec<Case> {
        let mut cases = Vec::new();
        for shape in Shape::all(extent) {
            cases.push(case::<Md5>(shape));
            cases.push(case::<Sha1>(shape));
            cases.push(case::<Sha256>(shape));
            cases.push(case::<Sha512>(shape));
        }
        cases.sort_by(|a, b| a.operation.cmp(&b.operation));
        cases
    }
}

/// On processors with the SHA instructions, SHA-256 is faster with them than with vectors of 256 bits, and
/// with vectors of 512 bits only where these are executed as a whole. The SHA instructions belong to sse42.
fn sha256_levels(profile: &Profile) -> &'static [Isa] {
    match (profile.has(Extra::ShaNi), profile.wide) {
        (false, _) => &Isa::ALL,
        (true, WideVectors::Whole) => &[Isa::Scalar, Isa::Sse42, Isa::Avx512],
        (true, WideVectors::Halves) => &[Isa::Scalar, Isa::Sse42],
    }
}

/// On AMD's processors two messages in vectors of 128 bits take longer than one after the other in words:
/// they rotate a word in one instruction, and have as many ports for words as Intel's have for vectors.
fn sha512_levels(profile: &Profile) -> &'static [Isa] {
    match profile.wide {
        WideVectors::Whole => &Isa::ALL,
        WideVectors::Halves => &[Isa::Scalar, Isa::Avx2, Isa::Avx512],
    }
}

fn case<A: Measured>(shape: Shape) -> Case {
    let bytes = shape.lengths().iter().sum::<usize>() as u64;
    Case {
        operation: A::OPERATION.to_owned(),
        shape: shape.to_string(),
        work: Work::Bytes(bytes),
        working_set_bytes: bytes,
        clock: Clock::Thread,
        prepare: Box::new(move |peers| variants::<A>(shape, peers)),
    }
}

fn variants<A: Measured>(shape: Shape, peers: &mut Peers) -> Vec<Variant> {
    let messages = Rc::new(messages(shape));
    let expected: Rc<Vec<A::Digest>> = Rc::new(messages.iter().map(|m| A::reference(m.as_ref())).collect());
    let ours = |isa| Ours::<A> {
        isa,
        messages: messages.clone(),
        expected: expected.clone(),
        digests: vec![A::Digest::default(); expected.len()],
    };
    let mut variants = vec![Variant::new("auto", Role::Automatic, ours(None))];
    for isa in Isa::available() {
        variants.push(Variant::new(isa.name(), Role::Level(isa), ours(Some(isa))));
    }
    if let Some(hasher) = isal::Hasher::new(peers, A::ISAL, expected.len()) {
        let (messages, expected) = (messages.clone(), expected.clone());
        variants.push(Variant::new(isal::PEER, Role::Peer, Isal::<A> { hasher, messages, expected }));
    }
    if let Some(mut hasher) = openssl::Hasher::new(peers, A::OPENSSL) {
        let messages = messages.clone();
        let expected: Vec<Vec<u8>> = expected.iter().map(|digest| digest.as_ref().to_vec()).collect();
        variants.push(Variant::returning(openssl::PEER, Role::Peer, expected, move || {
            let digest = |message: &Message| hasher.digest(message.as_ref())[..A::DIGEST].to_vec();
            messages.iter().map(digest).collect()
        }));
    }
    // Vectors pay only with enough messages to fill them.
    let lanes = if A::BLOCK == 64 { 16 } else { 8 };
    if messages.len() >= lanes {
        let blocks: u64 = shape.lengths().iter().map(|&length| (length / A::BLOCK + 1) as u64).sum();
        // As additions of eight lanes of 64 bits.
        let additions = 8 * A::INSTRUCTIONS * blocks.div_ceil(lanes as u64);
        variants.push(Variant::bound("instructions", move || bounds::additions(additions)));
    }
    if A::CHAIN > 0 {
        let longest = shape.lengths().into_iter().max().unwrap_or(0);
        let operations = A::CHAIN * (longest / A::BLOCK + 1) as u64;
        variants.push(Variant::bound("chain", move || bounds::chain(operations)));
    }
    variants
}

/// This library's functions.
struct Ours<A: Algorithm> {
    isa: Option<Isa>,
    messages: Rc<Vec<Message>>,
    expected: Rc<Vec<A::Digest>>,
    digests: Vec<A::Digest>,
}

impl<A: Algorithm> Ours<A> {
    fn hash(&mut self) -> Result<(), HashError> {
        match self.isa {
            None => hash::hash_many::<A>(&self.messages, &mut self.digests),
            Some(isa) => hash::hash_many_with::<A>(isa, &self.messages, &mut self.digests),
        }
    }
}

impl<A: Algorithm> Run for Ours<A> {
    fn run(&mut self) {
        // `verify` has checked that there is no error.
        let _ = black_box(self.hash());
        black_box(&self.digests);
    }

    fn verify(&mut self) -> Result<(), String> {
        self.hash().map_err(|error| error.to_string())?;
        match self.digests.iter().zip(&*self.expected).position(|(found, expected)| found != expected) {
            None => Ok(()),
            Some(index) => Err(format!(
                "returned {:?} for message {index} where the reference returns {:?}",
                self.digests[index], self.expected[index]
            )),
        }
    }
}

/// ISA-L crypto's functions.
struct Isal<A: Algorithm> {
    hasher: isal::Hasher,
    messages: Rc<Vec<Message>>,
    expected: Rc<Vec<A::Digest>>,
}

impl<A: Algorithm> Run for Isal<A> {
    fn run(&mut self) {
        self.hasher.hash(&self.messages);
    }

    fn verify(&mut self) -> Result<(), String> {
        self.run();
        for (index, expected) in self.expected.iter().enumerate() {
            let found = self.hasher.digest(index);
            if found[..A::DIGEST] != *expected.as_ref() {
                return Err(format!(
                    "returned {found:02x?} for message {index} where the reference returns {expected:?}"
                ));
            }
        }
        Ok(())
    }
}
