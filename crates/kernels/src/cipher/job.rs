//! One message on its way: which bytes are encrypted and which are hashed when.
//!
//! The MAC's input is the associated data, the IV, the ciphertext, and the length of the associated data. Its blocks of 64
//! bytes do not fall together with the 64 bytes that a step encrypts, and a step can only hash what earlier ones have
//! encrypted. So a message goes through these stages, each of which all messages of a call go through together:
//!
//! 1. whole blocks of associated data and IV are hashed;
//! 2. as many AES blocks are encrypted alone as leave a multiple of 64 bytes, and as the next block to hash needs;
//! 3. the first block that holds ciphertext is put together and hashed while the next 64 bytes are encrypted;
//! 4. the bulk: 64 bytes encrypted, one block hashed in place, per step;
//! 5. what remains is hashed with the length and the padding;
//! 6. the outer hash.

use super::choice::Engines;
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
    /// The job has exclusive access to the message's bytes, or only readers share them.
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
    /// Blocks to hash that are contiguous nowhere. From the second block on zeros follow what is pending.
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
    #[inline(always)]
    pub fn seal(keys: &'m Keys, iv: &[u8; 16], aad: &'m [u8], data: &'m mut [u8]) -> Job<'m> {
        Job::new(keys, iv, aad, data.as_mut_ptr(), data.len(), true)
    }

    /// A ciphertext whose tag is wanted.
    pub fn verify(keys: &'m Keys, iv: &[u8; 16], aad: &'m [u8], data: &'m [u8]) -> Job<'m> {
        Job::new(keys, iv, aad, data.as_ptr().cast_mut(), data.len(), false)
    }

    // Inlined, for it would be copied from place to place.
    #[inline(always)]
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

    /// Stage 1: whole blocks of associated data, in place.
    fn associated(&mut self) -> (usize, *const u8) {
        let rest = &self.aad[self.aad.len() / BLOCK * BLOCK..];
        self.pending = rest.len() + 16;
        put(&mut self.scratch, rest);
        put(&mut self.scratch[rest.len()..], &self.iv);
        (self.aad.len() / BLOCK, self.aad.as_ptr())
    }

    /// Stage 1: the block that associated data and IV fill, if they do.
    fn header(&mut self) -> (usize, *const u8) {
        (self.pending / BLOCK, self.scratch.as_ptr())
    }

    /// Keeps of associated data and IV what is not hashed.
    fn header_done(&mut self) {
        if self.pending >= BLOCK {
            self.scratch.copy_within(BLOCK..2 * BLOCK, 0);
            self.scratch[BLOCK..2 * BLOCK].fill(0);
            self.pending -= BLOCK;
        }
    }

    /// Stage 2: AES blocks to encrypt before a step can encrypt 64 bytes and hash a block.
    fn rows(&mut self) -> (usize, *const u8) {
        self.header_done();
        let odd = self.len / 16 % 4;
        // The first block takes so much ciphertext.
        let needed = BLOCK - self.pending;
        let rows = if 16 * odd >= needed || self.len < 16 * (odd + 4) { odd } else { odd + 4 };
        (rows, ptr::null())
    }

    /// Stage 3: the first block with ciphertext, in the scratch.
    fn first(&mut self) -> (usize, *const u8) {
        self.header_done();
        self.steps = match self.seals {
            true => (self.len - self.encrypted) / BLOCK,
            false => (self.pending + self.len) / BLOCK,
        };
        if self.steps == 0 {
            return (0, ptr::null());
        }
        // Where there are steps, so much is encrypted (stage 2), or so much there is.
        let needed = BLOCK - self.pending;
        let ciphertext = self.ciphertext();
        put(&mut self.scratch[self.pending..], &ciphertext[..needed]);
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
        let rest = &self.ciphertext()[self.hashed..];
        let used = self.pending + rest.len();
        if self.pending == 0 {
            // The block that the stages before have hashed.
            self.scratch[..BLOCK].fill(0);
        }
        put(&mut self.scratch[self.pending..], rest);
        // In bits, as RFC 7518 has it.
        let bits = (self.aad.len() as u64).wrapping_mul(8);
        self.scratch[used..used + LENGTH].copy_from_slice(&bits.to_be_bytes());
        let total = (BLOCK + self.aad.len() + 16 + self.len + LENGTH) as u64;
        let end = keys::close(&mut self.scratch, used + LENGTH, total);
        (end / BLOCK, self.scratch.as_ptr())
    }

    /// Stage 6: the block of the outer hash.
    fn outer(&mut self) -> (usize, *const u8) {
        let bytes = self.keys.hash.bytes();
        // The words that SHA-1 has not are zero.
        self.scratch[..32].copy_from_slice(&keys::bytes_of(&self.state));
        self.scratch[32..BLOCK].fill(0);
        keys::close(&mut self.scratch, bytes, (BLOCK + bytes) as u64);
        self.state = self.keys.outer;
        (1, self.scratch.as_ptr())
    }

    /// The ciphertext, as far as it is one.
    fn ciphertext(&self) -> &'m [u8] {
        // SAFETY: the bytes are borrowed for 'm; no stage keeps the slice until an engine runs, which writes them.
        unsafe { std::slice::from_raw_parts(self.data, self.len) }
    }
}

/// Copies to the beginning. What comes here is short and mostly of whole AES blocks: each such length has moves of its own,
/// where a call would take longer than they do.
fn put(to: &mut [u8], from: &[u8]) {
    macro_rules! lengths {
        ($($length:literal)+) => {
            match from.len() {
                0 => {}
                $($length => to[..$length].copy_from_slice(&from[..$length]),)+
                other => to[..other].copy_from_slice(from),
            }
        };
    }
    lengths!(16 32 48 64 80 96 112);
}

/// Runs the stages before the outer hash: `$run(kind, stage)`, where a stage says for one job how many steps it takes, and where
/// what they hash begins. Each is compiled into the loop over the jobs: calls took 7 % of the time of messages of 64 bytes.
macro_rules! stages {
    ($seals:expr, $run:ident) => {
        let both = if $seals { Kind::Both } else { Kind::Hash };
        $run!(Kind::Hash, Job::associated);
        $run!(Kind::Hash, Job::header);
        if $seals {
            $run!(Kind::Rows, Job::rows);
        }
        $run!(both, Job::first);
        $run!(both, Job::bulk);
        $run!(Kind::Hash, Job::tail);
    };
}

impl Kind {
    /// Bytes that are encrypted in `steps` steps.
    fn encrypted(self, steps: usize) -> usize {
        match self {
            Kind::Both => BLOCK * steps,
            Kind::Hash => 0,
            Kind::Rows => 16 * steps,
        }
    }
}

/// Takes jobs of any lengths through a stage. `works` has room for as many.
fn stage<'m>(
    lanes: &mut Lanes,
    engines: &Engines,
    kind: Kind,
    jobs: &mut [Job<'m>],
    works: &mut [Work],
    stage: impl Fn(&mut Job<'m>) -> (usize, *const u8),
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
        job.encrypted += kind.encrypted(steps);
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

/// Takes jobs with the same numbers of steps, no more than the engine has lanes, through all stages. They stay in their
/// lanes, which for short messages saves as much time as the work itself takes.
fn together<'m>(lanes: &mut Lanes, engine: &Engine, jobs: &mut [Job<'m>]) {
    let Some((rounds, seals)) = jobs.first().map(|job| (job.keys.rounds, job.seals)) else { return };
    for (lane, job) in jobs.iter().enumerate() {
        lanes.set_state(lane, &job.state);
        lanes.chain[lane] = job.chain;
        if seals {
            // SAFETY: the job's keys are there.
            unsafe { lanes.set_keys(lane, &job.keys.encrypt, engine.table) };
        }
    }
    let used = jobs.len();
    let spare = used..engine.lanes;
    for lane in spare.clone() {
        // SAFETY: lane 0 has got its keys where they are used.
        unsafe { lanes.copy(0, lane, seals && engine.table) };
    }
    macro_rules! run {
        ($kind:expr, $stage:path) => {
            let kind: Kind = $kind;
            let mut common = 0;
            for (lane, job) in jobs.iter_mut().enumerate() {
                let (steps, hash) = $stage(job);
                lanes.data[lane] = job.data.wrapping_add(job.encrypted);
                lanes.hash[lane] = hash;
                job.encrypted += kind.encrypted(steps);
                common = steps;
            }
            if common > 0 {
                for lane in spare.clone() {
                    lanes.data[lane] = lanes.data[0];
                    lanes.hash[lane] = lanes.hash[0];
                }
                // SAFETY: as for `stage`, with the same number of steps for each job; every lane of the engine has its
                // pointers and, where something is encrypted, its keys, the spare ones those of lane 0.
                unsafe {
                    match kind {
                        Kind::Both => (engine.both)(lanes, common, rounds),
                        Kind::Hash => (engine.both)(lanes, common, 0),
                        Kind::Rows => (engine.rows)(lanes, common, rounds),
                    }
                }
            }
        };
    }
    stages!(seals, run);
    for (lane, job) in jobs.iter_mut().enumerate() {
        job.state = lanes.state(lane);
        lanes.hash[lane] = job.outer().1;
        lanes.set_state(lane, &job.state);
    }
    for lane in spare {
        // SAFETY: nothing is done with the keys but to note them.
        unsafe { lanes.copy(0, lane, false) };
    }
    // SAFETY: each job's scratch holds the block, and nothing is encrypted.
    unsafe { (engine.both)(lanes, 1, 0) };
    for (lane, job) in jobs.iter_mut().enumerate() {
        job.state = lanes.state(lane);
    }
}

/// Encrypts what is to be encrypted and computes the tags. The jobs have one number of rounds and one hash, and all seal
/// or all verify; `works` is memory to work in.
pub fn finish(engines: &Engines, jobs: &mut [Job], works: &mut Vec<Work>) {
    let Some(first) = jobs.first() else { return };
    let (seals, len, aad) = (first.seals, first.len, first.aad.len());
    let lanes = &mut Lanes::new(first.keys.rounds);
    if jobs.iter().all(|job| job.len == len && job.aad.len() == aad) {
        let mut rest = jobs;
        while !rest.is_empty() {
            let engine = engines.engine(rest.len());
            let (group, others) = rest.split_at_mut(engine.lanes.min(rest.len()));
            together(lanes, engine, group);
            rest = others;
        }
        return;
    }
    works.resize(jobs.len(), Work::NONE);
    macro_rules! run {
        ($kind:expr, $stage:path) => {
            stage(lanes, engines, $kind, jobs, works, $stage);
        };
    }
    stages!(seals, run);
    stage(lanes, engines, Kind::Hash, jobs, works, Job::outer);
}
