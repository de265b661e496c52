//! One message on its way: which bytes are encrypted and which are hashed when.
//!
//! The MAC's input is the associated data, the IV, the ciphertext, and the length of the associated data. Its blocks of 64
//! bytes do not fall together with the 64 bytes that a step encrypts, and a step can only hash what earlier ones have
//! encrypted. So a message goes through these stages, each of which all messages of a call go through together:
//!
//! 1. whole blocks of associated data and IV are hashed;
//! 2. as many AES blocks are encrypted alone as leave a multiple of 64 bytes, and as the next block to hash needs;
//! 3. the first block that holds ciphertext is put together and hashed while the next 64 bytes are encrypted;
//! 4. the bulk: 64 bytes encrypted, one block hashed where it lies, per step;
//! 5. what remains is hashed with the length and the padding;
//! 6. the outer hash.

use super::keys::{self, BLOCK, Keys};
use super::lanes::{Engine, Lanes};
use super::schedule::{self, Kind, Work};
use std::marker::PhantomData;
use std::ptr;
use zeroize::Zeroize;

/// Bytes of the length of the associated data at the end of the MAC's input.
const LENGTH: usize = 8;

/// A message and how far it has come.
pub struct Job<'m> {
    keys: &'m Keys,
    aad: &'m [u8],
    iv: [u8; 16],
    data: *mut u8,
    len: usize,
    /// The message's bytes are the job's alone, or nobody's who writes.
    borrowed: PhantomData<&'m mut [u8]>,
    seals: bool,
    /// The hash's state; at the end the tag.
    state: [u32; 8],
    /// The last block of ciphertext.
    chain: [u8; 16],
    /// Bytes that are encrypted.
    encrypted: usize,
    /// Bytes of ciphertext that are hashed.
    hashed: usize,
    /// Steps of the bulk.
    steps: usize,
    /// Blocks to hash that lie nowhere in one piece.
    scratch: [u8; 3 * BLOCK],
    /// Bytes of associated data and IV at the beginning of `scratch` that are not hashed yet.
    pending: usize,
}

impl Drop for Job<'_> {
    fn drop(&mut self) {
        self.state.zeroize();
    }
}

impl<'m> Job<'m> {
    /// A message to encrypt in place; a multiple of 16 bytes.
    pub fn seal(keys: &'m Keys, iv: &[u8; 16], aad: &'m [u8], data: &'m mut [u8]) -> Job<'m> {
        Job::new(keys, iv, aad, data.as_mut_ptr(), data.len(), true)
    }

    /// A ciphertext whose tag is wanted.
    pub fn verify(keys: &'m Keys, iv: &[u8; 16], aad: &'m [u8], data: &'m [u8]) -> Job<'m> {
        Job::new(keys, iv, aad, data.as_ptr().cast_mut(), data.len(), false)
    }

    fn new(keys: &'m Keys, iv: &[u8; 16], aad: &'m [u8], data: *mut u8, len: usize, seals: bool) -> Job<'m> {
        Job {
            keys,
            aad,
            iv: *iv,
            data,
            len,
            borrowed: PhantomData,
            seals,
            state: keys.inner,
            chain: *iv,
            encrypted: if seals { 0 } else { len },
            hashed: 0,
            steps: 0,
            scratch: [0; 3 * BLOCK],
            pending: 0,
        }
    }

    /// The tag, in full, of a job that is done.
    pub fn tag(&self) -> [u8; 32] {
        keys::bytes_of(&self.state)
    }

    /// Stage 1: whole blocks of associated data, where they lie.
    fn associated(&mut self) -> (usize, *const u8) {
        let rest = &self.aad[self.aad.len() / BLOCK * BLOCK..];
        self.pending = rest.len() + 16;
        self.scratch[..rest.len()].copy_from_slice(rest);
        self.scratch[rest.len()..self.pending].copy_from_slice(&self.iv);
        (self.aad.len() / BLOCK, self.aad.as_ptr())
    }

    /// Stage 1: the block that associated data and IV fill, if they do.
    fn header(&mut self) -> (usize, *const u8) {
        (self.pending / BLOCK, self.scratch.as_ptr())
    }

    fn header_done(&mut self) {
        if self.pending >= BLOCK {
            self.scratch.copy_within(BLOCK..self.pending, 0);
            self.pending -= BLOCK;
        }
    }

    /// Stage 2: AES blocks to encrypt before a step can encrypt 64 bytes and hash a block.
    fn rows(&mut self) -> (usize, *const u8) {
        let odd = self.len / 16 % 4;
        // The first block takes so much ciphertext.
        let needed = BLOCK - self.pending;
        let rows = if 16 * odd >= needed || self.len < 16 * (odd + 4) { odd } else { odd + 4 };
        (rows, ptr::null())
    }

    /// Stage 3: the first block with ciphertext, in the scratch.
    fn first(&mut self) -> (usize, *const u8) {
        self.steps = match self.seals {
            true => (self.len - self.encrypted) / BLOCK,
            false => (self.pending + self.len) / BLOCK,
        };
        if self.steps == 0 {
            return (0, ptr::null());
        }
        // Where there are steps, so much is encrypted (stage 2), or so much there is.
        let needed = BLOCK - self.pending;
        let mut block = self.scratch;
        block[self.pending..BLOCK].copy_from_slice(&self.ciphertext()[..needed]);
        self.scratch = block;
        self.hashed = needed;
        self.pending = 0;
        self.steps -= 1;
        (1, self.scratch.as_ptr())
    }

    /// Stage 4.
    fn bulk(&mut self) -> (usize, *const u8) {
        let begin = self.data.wrapping_add(self.hashed);
        self.hashed += BLOCK * self.steps;
        (self.steps, begin)
    }

    /// Stage 5: what remains.
    fn tail(&mut self) -> (usize, *const u8) {
        let mut tail = [0; 3 * BLOCK];
        let mut used = self.pending;
        tail[..used].copy_from_slice(&self.scratch[..used]);
        let rest = &self.ciphertext()[self.hashed..];
        tail[used..used + rest.len()].copy_from_slice(rest);
        used += rest.len();
        // In bits, as RFC 7518 has it.
        let bits = (self.aad.len() as u64).wrapping_mul(8);
        tail[used..used + LENGTH].copy_from_slice(&bits.to_be_bytes());
        used += LENGTH;
        let total = (BLOCK + self.aad.len() + 16 + self.len + LENGTH) as u64;
        let end = keys::close(&mut tail, used, total);
        self.scratch = tail;
        (end / BLOCK, self.scratch.as_ptr())
    }

    /// Stage 6: the block of the outer hash.
    fn outer(&mut self) -> (usize, *const u8) {
        let bytes = self.keys.hash.bytes();
        let mut block = [0; 3 * BLOCK];
        block[..bytes].copy_from_slice(&keys::bytes_of(&self.state)[..bytes]);
        keys::close(&mut block, bytes, (BLOCK + bytes) as u64);
        self.scratch = block;
        self.state = self.keys.outer;
        (1, self.scratch.as_ptr())
    }

    /// The ciphertext, as far as it is one.
    fn ciphertext(&self) -> &[u8] {
        // SAFETY: the bytes are borrowed for the job's life; the engines, which write them, do not run meanwhile.
        unsafe { std::slice::from_raw_parts(self.data, self.len) }
    }
}

/// What a stage does for one job: how many steps, and where what they hash begins.
type Stage<'m> = fn(&mut Job<'m>) -> (usize, *const u8);

/// Takes all jobs through a stage. `works` has room for as many.
fn stage<'m>(
    lanes: &mut Lanes,
    engines: &'static [Engine],
    kind: Kind,
    jobs: &mut [Job<'m>],
    works: &mut [Work],
    stage: Stage<'m>,
) {
    let Some(rounds) = jobs.first().map(|job| job.keys.rounds) else { return };
    let mut any = false;
    for (owner, (job, work)) in jobs.iter_mut().zip(works.iter_mut()).enumerate() {
        let (steps, hash) = stage(job);
        any |= steps > 0;
        *work = Work {
            owner,
            steps,
            data: job.data.wrapping_add(job.encrypted),
            hash,
            keys: &job.keys.encrypt,
            state: job.state,
            chain: job.chain,
        };
        job.encrypted += match kind {
            Kind::Both => BLOCK * steps,
            Kind::Hash => 0,
            Kind::Rows => 16 * steps,
        };
    }
    if !any {
        return;
    }
    let works = &mut works[..jobs.len()];
    // SAFETY: a level's engines are handed out where it is available. Each stage's steps stay within what its pointers
    // are good for, as said there: `hash` points to whole blocks of the associated data, the scratch or the data, all of
    // which live on and are left alone meanwhile; no more is encrypted than the data that is the job's.
    unsafe { schedule::run(lanes, engines, kind, rounds, works) };
    for work in works {
        jobs[work.owner].state = work.state;
        jobs[work.owner].chain = work.chain;
        work.state.zeroize();
    }
}

/// Encrypts what is to be encrypted and computes the tags. The jobs have one number of rounds and one hash, and all seal
/// or all verify; `works` has room for as many.
pub fn finish(engines: &'static [Engine], jobs: &mut [Job], works: &mut [Work]) {
    let lanes = &mut Lanes::new();
    stage(lanes, engines, Kind::Hash, jobs, works, Job::associated);
    stage(lanes, engines, Kind::Hash, jobs, works, Job::header);
    jobs.iter_mut().for_each(Job::header_done);
    let both = if jobs.iter().any(|job| job.seals) { Kind::Both } else { Kind::Hash };
    if both == Kind::Both {
        stage(lanes, engines, Kind::Rows, jobs, works, Job::rows);
    }
    stage(lanes, engines, both, jobs, works, Job::first);
    stage(lanes, engines, both, jobs, works, Job::bulk);
    stage(lanes, engines, Kind::Hash, jobs, works, Job::tail);
    stage(lanes, engines, Kind::Hash, jobs, works, Job::outer);
}
