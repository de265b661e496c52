//! What one operation of each kind costs on this machine when it only waits for its own resource.
//!
//! A loop of operations and nothing else runs in this process; the least of several times is the cost, because whatever disturbs
//! a measurement makes it longer. Times are ticks of the time-stamp counter, as those of the program's loops.

use super::operation::{Encoding, LINE, Means, Part, STORED_LINES, WalkBytes, Walks, Word};
use crate::code::registers::gpr;
use crate::emit::encode;
use crate::emit::writer::Writer;
use iced_x86::{Code, Instruction, MemoryOperand, Register};
use loopwright_vocabulary::Resource;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Ticks of one operation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    pub resource: Resource,
    pub encoding: Encoding,
    pub ticks: f64,
}

/// The time-stamp counter.
pub fn ticks() -> u64 {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: reads a counter; this program runs on x86-64, where the instruction exists.
    return unsafe { std::arch::x86_64::_rdtsc() };
    #[cfg(not(target_arch = "x86_64"))]
    0
}

/// The encodings that this processor executes.
pub fn encodings() -> Vec<Encoding> {
    let mut all = vec![Encoding::Legacy];
    #[cfg(target_arch = "x86_64")]
    {
        if std::arch::is_x86_feature_detected!("avx") {
            all.extend([Encoding::Vex128, Encoding::Vex256]);
        }
        if std::arch::is_x86_feature_detected!("avx512f") {
            all.push(Encoding::Evex512);
        }
    }
    all
}

/// Costs of all kinds in all encodings; empty where no code can be mapped. Walks go through `memory`.
pub fn costs(bytes: WalkBytes, memory: &[AtomicU64]) -> Vec<Cost> {
    // Pages without a write are all the same one.
    for page in memory.iter().step_by(PAGE_WORDS) {
        page.store(1, Ordering::Relaxed);
    }
    let enough = memory.len() as u64 * 8 >= bytes.all();
    let bytes = if enough { bytes } else { WalkBytes::default() };
    let Some(page) = Page::new(bytes, memory) else { return Vec::new() };
    let mut found: Vec<Cost> = Vec::new();
    for round in 0..ROUNDS {
        if round > 0 {
            std::thread::sleep(BETWEEN_ROUNDS);
        }
        for (resource, encoding) in kinds().filter(|(resource, _)| round < WALKED || !resource.is_memory()) {
            let Some(ticks) = page.measure(resource, encoding) else { continue };
            match found.iter_mut().find(|c| (c.resource, c.encoding) == (resource, encoding)) {
                Some(known) => known.ticks = known.ticks.min(ticks),
                None => found.push(Cost { resource, encoding, ticks }),
            }
        }
    }
    found
}

/// All kinds of operations that this processor executes.
fn kinds() -> impl Iterator<Item = (Resource, Encoding)> {
    // Kinds that use no vector register are the same in all encodings.
    let encoded = |encoding| {
        Resource::ALL
            .into_iter()
            .filter(move |r| r.is_vector() || encoding == Encoding::Legacy)
            .map(move |r| (r, encoding))
    };
    encodings()
        .into_iter()
        .flat_map(encoded)
        .filter(|(resource, _)| *resource != Resource::Shift || rotates_apart())
}

/// The processor has BMI2, of which the rotation without flags is.
fn rotates_apart() -> bool {
    #[cfg(target_arch = "x86_64")]
    return std::arch::is_x86_feature_detected!("bmi2");
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// Operations in the measured loop: few jumps, as processors remember few targets in a stretch of code.
fn operations(resource: Resource) -> u32 {
    match resource {
        Resource::TakenBranches => 24,
        _ if resource.is_memory() => 8,
        _ => 96,
    }
}

/// Words of a page.
const PAGE_WORDS: usize = 512;

/// Iterations of a measurement: some ten microseconds.
const ITERATIONS: u64 = 400;
/// Measurements of a round, of which the least counts.
const REPEATED: u32 = 10;
/// The same for walks, each of which goes through all of its memory: the first brings it into the caches.
const WALKS: u32 = 2;
/// Rounds: a thread of another program on the same core makes all measurements of a few milliseconds too long.
const ROUNDS: u32 = 8;
/// Rounds with walks, which take most of the time.
const WALKED: u32 = 3;
/// Longer than the time that a scheduler gives to a thread at once where two share a processor (Linux: 3 ms at least).
const BETWEEN_ROUNDS: Duration = Duration::from_millis(10);

/// Memory that holds code: executable, never writable at the same time.
struct Page {
    at: NonNull<u8>,
    data: Box<Data>,
    bytes: WalkBytes,
}

/// In cache lines of its own, as the words of a thread's area are.
#[repr(align(64))]
struct Data([u64; 64]);

const BYTES: usize = 16 << 10;
/// Indices of words behind the lines that stores go to.
const LOADED: usize = 8 * STORED_LINES;
const ONE: usize = LOADED + 8;
const ZERO: usize = LOADED + 16;
/// That with the address of the memory to be walked through.
const BASE: usize = LOADED + 24;

impl Page {
    fn new(bytes: WalkBytes, memory: &[AtomicU64]) -> Option<Self> {
        // SAFETY: a fresh anonymous mapping, which overlaps nothing.
        let at = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                BYTES,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            )
        };
        let mut data = Box::new(Data([0; 64]));
        data.0[ONE] = 1f64.to_bits();
        data.0[BASE] = memory.as_ptr() as u64;
        (at != libc::MAP_FAILED).then(|| NonNull::new(at.cast())).flatten().map(|at| Self { at, data, bytes })
    }

    fn protect(&self, protection: i32) -> Option<()> {
        // SAFETY: changes the protection of our own mapping, which nothing else refers to.
        let result = unsafe { libc::mprotect(self.at.as_ptr().cast(), BYTES, protection) };
        (result == 0).then_some(())
    }

    /// `void f(iterations in rdi, data in rsi)`: uses registers that a callee may change.
    fn code(&self, resource: Resource, encoding: Encoding) -> Option<Vec<u8>> {
        let word = |word: Word| {
            let at = match word {
                Word::Stored(line) => 64 * line as i64,
                Word::Loaded => 8 * LOADED as i64,
                Word::One => 8 * ONE as i64,
                Word::Offset | Word::Counter => 8 * ZERO as i64,
                Word::Base => BASE as i64 * 8,
            };
            MemoryOperand::with_base_displ(Register::RSI, at)
        };
        let vector = Some((Register::XMM5, encoding));
        let walks = Walks { bytes: self.bytes, counter: Some(Register::RDI) };
        let means = Means { spare: Some(gpr(1)), source: Register::RSI, vector, word: &word, walks };
        let mut w = Writer::new();
        let again = w.label();
        w.align();
        w.place(again);
        means.write(&mut w, resource, Part::whole(operations(resource)));
        w.one(Code::Dec_rm64, Register::RDI);
        w.branch(Code::Jne_rel32_64, again.address());
        if encoding != Encoding::Legacy {
            w.plain(Code::VEX_Vzeroupper);
        }
        w.push(Instruction::with(Code::Retnq));
        w.finish();
        encode::encode(&w, self.at.as_ptr() as u64).ok().map(|e| e.bytes).filter(|b| b.len() <= BYTES)
    }

    #[cfg(target_arch = "x86_64")]
    fn measure(&self, resource: Resource, encoding: Encoding) -> Option<f64> {
        let code = self.code(resource, encoding)?;
        self.protect(libc::PROT_READ | libc::PROT_WRITE)?;
        // SAFETY: the mapping has BYTES bytes, at most that many are copied, and it is writable now.
        unsafe { std::ptr::copy_nonoverlapping(code.as_ptr(), self.at.as_ptr(), code.len()) };
        self.protect(libc::PROT_READ | libc::PROT_EXEC)?;
        // SAFETY: the bytes at this address are a complete function of this signature, executable now; it accesses
        // only the data behind its second argument, the memory to be walked through, whose length was checked and which
        // outlives this page, and registers that a callee may change.
        let run: extern "sysv64" fn(u64, *const u64) = unsafe { std::mem::transmute(self.at.as_ptr()) };
        let operations = u64::from(operations(resource));
        let (iterations, repeated) = if resource.is_memory() {
            (u64::from(self.bytes.of(resource)) / (operations * u64::from(LINE)), WALKS)
        } else {
            (ITERATIONS, REPEATED)
        };
        if iterations == 0 {
            return None;
        }
        let least = (0..repeated)
            .map(|_| {
                let begin = ticks();
                run(iterations, self.data.0.as_ptr());
                ticks().wrapping_sub(begin)
            })
            .min()?;
        Some(least as f64 / (iterations * operations) as f64)
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn measure(&self, _: Resource, _: Encoding) -> Option<f64> {
        None
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        // SAFETY: our own mapping, which nothing refers to any more.
        unsafe { libc::munmap(self.at.as_ptr().cast(), BYTES) };
    }
}

/// The rate of the time-stamp counter, by the system's clock.
pub fn ticks_per_second() -> f64 {
    /// Long enough for 0.1 %: both clocks are read within microseconds.
    const TIME: Duration = Duration::from_millis(20);
    let (begin, first) = (Instant::now(), ticks());
    std::thread::sleep(TIME);
    let (last, elapsed) = (ticks(), begin.elapsed());
    last.wrapping_sub(first) as f64 / elapsed.as_secs_f64()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_a_cost() {
        let bytes = WalkBytes { l2: 1 << 16, l3: 1 << 17, memory: 1 << 18 };
        let memory: Vec<AtomicU64> = (0..bytes.all() / 8).map(|_| AtomicU64::new(0)).collect();
        let found = costs(bytes, &memory);
        for (resource, encoding) in kinds() {
            let cost = found.iter().find(|c| c.resource == resource && c.encoding == encoding);
            assert!(cost.is_some_and(|c| c.ticks > 0.0), "{resource:?} {encoding:?}");
        }
    }

    #[test]
    fn without_memory_there_are_no_walks() {
        let bytes = WalkBytes { l2: 1 << 16, l3: 1 << 17, memory: 1 << 18 };
        assert!(costs(bytes, &[]).iter().all(|c| !c.resource.is_memory()));
    }
}
