//! The loop that encrypts and hashes in one pass, written once for any number of messages side by side.
//!
//! A lane is one message. Per step every lane encrypts 64 bytes in CBC mode and compresses one block of its MAC's
//! input, which consists of what earlier steps encrypted: the two never wait for each other, so a processor that
//! executes out of order fills the waits of one with the other (function stitching: Gopal, Feghali, Guilford et al.,
//! "Fast Cryptographic Computation on Intel Architecture Processors via Function Stitching", Intel, 2010). It looks no
//! further ahead than a few hundred instructions, so the rounds of AES are spread evenly over those of the hash.
//!
//! The levels bring the two halves: something that chains AES ([`Chain`]) and something that compresses ([`Compress`]).

use std::mem::MaybeUninit;

/// Most lanes of any engine.
pub const MOST: usize = 16;

/// Round keys of AES-256, the most there are.
pub const ROUND_KEYS: usize = 15;

/// Round keys for encryption, first to last.
pub type RoundKeys = [[u8; 16]; ROUND_KEYS];

/// What the lanes work on. Between two calls of an engine everything is here.
///
/// Lanes of an engine that are not needed are copies of another one: they read and write the same bytes at the same
/// time, so that they do no harm.
#[repr(C, align(64))]
pub struct Lanes {
    /// Round keys by round, then lane, for engines whose vectors span lanes. Empty until such an engine is used.
    table: MaybeUninit<[[[u64; 2]; MOST]; ROUND_KEYS]>,
    /// States of the hash by word, then lane.
    pub state: [[u32; MOST]; 8],
    /// The last ciphertext block.
    pub chain: [[u8; 16]; MOST],
    /// Whose round keys are in the table.
    tabled: [*const RoundKeys; MOST],
    /// Whether the lane ever had a state.
    stateful: [bool; MOST],
    /// Round keys of each lane, for engines that take lanes one by one.
    pub keys: [*const RoundKeys; MOST],
    /// What is encrypted next, in place.
    pub data: [*mut u8; MOST],
    /// What is compressed next.
    pub hash: [*const u8; MOST],
    /// Rounds of the cipher, one less than it has round keys.
    rounds: usize,
}

impl Lanes {
    /// For a cipher of 10 or 14 rounds. No lane points anywhere yet.
    pub fn new(rounds: usize) -> Lanes {
        Lanes {
            table: MaybeUninit::uninit(),
            state: [[0; MOST]; 8],
            chain: [[0; 16]; MOST],
            tabled: [std::ptr::null(); MOST],
            stateful: [false; MOST],
            keys: [std::ptr::null(); MOST],
            data: [std::ptr::null_mut(); MOST],
            hash: [std::ptr::null(); MOST],
            rounds,
        }
    }

    /// A lane's state of the hash.
    pub fn state(&self, lane: usize) -> [u32; 8] {
        self.state.each_ref().map(|row| row[lane])
    }

    /// Gives a lane its state of the hash.
    pub fn set_state(&mut self, lane: usize, state: &[u32; 8]) {
        self.stateful[lane] = true;
        for (row, word) in self.state.iter_mut().zip(state) {
            row[lane] = *word;
        }
    }

    /// Makes a lane do what another does.
    ///
    /// # Safety
    /// With `in_table`, as for [`Lanes::set_keys`] with the other lane's keys.
    pub unsafe fn copy(&mut self, from: usize, to: usize, in_table: bool) {
        let state = self.state(from);
        self.set_state(to, &state);
        self.chain[to] = self.chain[from];
        self.data[to] = self.data[from];
        self.hash[to] = self.hash[from];
        // SAFETY: the caller vouches for the keys.
        unsafe { self.set_keys(to, self.keys[from], in_table) };
    }

    /// The round keys of all lanes for a round.
    pub fn row(&self, round: usize) -> *const [u64; 2] {
        // SAFETY: an element of an array, by its address only.
        unsafe { self.table.as_ptr().cast::<[[u64; 2]; MOST]>().add(round).cast() }
    }

    fn row_mut(&mut self, round: usize) -> *mut [u64; 2] {
        // SAFETY: an element of an array, by its address only.
        unsafe { self.table.as_mut_ptr().cast::<[[u64; 2]; MOST]>().add(round).cast() }
    }

    /// Gives a lane its round keys; `in_table` where the engine wants them side by side.
    ///
    /// # Safety
    /// With `in_table`, the keys must be there.
    pub unsafe fn set_keys(&mut self, lane: usize, keys: *const RoundKeys, in_table: bool) {
        if in_table && self.tabled[lane] != keys {
            self.tabled[lane] = keys;
            // SAFETY: the caller vouches for the keys.
            unsafe {
                match self.rounds {
                    10 => self.fill_table::<11>(lane, keys),
                    _ => self.fill_table::<ROUND_KEYS>(lane, keys),
                }
            }
        }
        self.keys[lane] = keys;
    }

    /// # Safety
    /// The keys must be there.
    #[inline(always)]
    unsafe fn fill_table<const KEYS: usize>(&mut self, lane: usize, keys: *const RoundKeys) {
        for round in 0..KEYS {
            // SAFETY: the caller vouches for the keys; the table has a place for every round and lane, of 16 bytes.
            unsafe {
                let key = keys.cast::<[u8; 16]>().add(round).read();
                self.row_mut(round).add(lane).cast::<[u8; 16]>().write(key);
            }
        }
    }
}

impl Drop for Lanes {
    fn drop(&mut self) {
        // What was never written is zero, and wiping all of it would take longer than a short message.
        let stateful = self.stateful.iter().rposition(|&stateful| stateful).map_or(0, |lane| lane + 1);
        for row in &mut self.state {
            row[..stateful].fill(0);
        }
        let tabled = self.tabled.iter().rposition(|keys| !keys.is_null()).map_or(0, |lane| lane + 1);
        for round in 0..=self.rounds {
            // SAFETY: a row has a place for every lane.
            unsafe { self.row_mut(round).write_bytes(0, tabled) };
        }
        // Whatever looks at the value now, which the compiler must allow for, finds zeros. Single volatile stores, as
        // `zeroize` makes them, take longer.
        std::hint::black_box(std::ptr::from_mut(self));
    }
}

/// A hash's compression function on one or more lanes.
pub trait Compress: Copy {
    /// One block of each lane.
    type Message: Copy;

    /// Into how many parts a compression is cut: 16 to 80.
    const PARTS: usize;

    /// The lanes' states.
    ///
    /// # Safety
    /// The processor must have the instructions of the implementation, here and in the other functions.
    unsafe fn begin(lanes: &Lanes, lane: usize) -> Self;

    /// The blocks `at` bytes after the lanes' hash pointers.
    ///
    /// # Safety
    /// As for `begin`, and 64 bytes must be readable there in each lane.
    unsafe fn load(lanes: &Lanes, lane: usize, at: usize) -> Self::Message;

    /// Part `P` of the rounds, in turn.
    ///
    /// # Safety
    /// As for `begin`.
    unsafe fn part<const P: usize>(&mut self, message: &mut Self::Message);

    /// Ends a block: adds the state from before it, which is `before` and what `lanes` hold, and puts the sum there.
    ///
    /// # Safety
    /// As for `begin`.
    unsafe fn add(&mut self, before: Self, lanes: &mut Lanes, lane: usize);

    /// Puts the states back.
    ///
    /// # Safety
    /// As for `begin`.
    unsafe fn end(self, lanes: &mut Lanes, lane: usize);
}

/// CBC encryption on the lanes of an engine.
pub trait Chain: Copy {
    /// Whether the round keys are taken from the lanes' table.
    const TABLE: bool;

    /// The lanes' last ciphertext blocks, for encryption in `rounds` rounds; with 0 none is to come.
    ///
    /// # Safety
    /// The processor must have the instructions of the implementation, here and in the other functions.
    unsafe fn begin(lanes: &Lanes, rounds: usize) -> Self;

    /// Begins to encrypt the block `at` bytes after each lane's data pointer: chains it and adds the first round key.
    ///
    /// # Safety
    /// As for `begin`, and 16 bytes must be readable there in each lane; the lanes' keys must have been set.
    unsafe fn first(&mut self, lanes: &Lanes, at: usize);

    /// A round between the first and the last.
    ///
    /// # Safety
    /// As for `begin`; the lanes' keys must have been set.
    unsafe fn round(&mut self, lanes: &Lanes, round: usize);

    /// The last of `rounds` rounds; the ciphertext takes the place of the block.
    ///
    /// # Safety
    /// As for `first`, and the bytes must be writable. All lanes have been read before one is written.
    unsafe fn last(&mut self, lanes: &Lanes, at: usize, rounds: usize);

    /// Puts the last ciphertext blocks back.
    ///
    /// # Safety
    /// As for `begin`.
    unsafe fn end(self, lanes: &mut Lanes);

    /// Event `NTH` of those that belong before part `P` of the hash's: see [`Event`]. What runs is decided before code is
    /// generated, for the events are many.
    ///
    /// # Safety
    /// As for `first` and `last`, with 64 bytes.
    #[inline(always)]
    unsafe fn event<H: Compress, K: Keep<Self>, const ROUNDS: usize, const P: usize, const NTH: usize>(
        &mut self,
        lanes: &Lanes,
        at: usize,
        kept: &mut K,
    ) {
        let at = at + const { 16 * Event::of(ROUNDS, H::PARTS, P, NTH).block };
        // SAFETY: the caller vouches for the instructions, the pointers and the keys.
        unsafe {
            if const { Event::of(ROUNDS, H::PARTS, P, NTH).is_first() } {
                self.first(lanes, at);
            }
            if const { Event::of(ROUNDS, H::PARTS, P, NTH).is_between(ROUNDS) } {
                self.round(lanes, const { Event::of(ROUNDS, H::PARTS, P, NTH).round });
            }
            if const { Event::of(ROUNDS, H::PARTS, P, NTH).is_last(ROUNDS) } {
                self.last(lanes, at, ROUNDS);
                kept.keep(at, self);
            }
        }
    }
}

/// What is done with the ciphertext beside storing it.
pub trait Keep<C> {
    /// Takes the row of blocks that `chain` has just encrypted, `at` bytes after the data pointers.
    ///
    /// # Safety
    /// As for [`Chain::begin`].
    unsafe fn keep(&mut self, at: usize, chain: &C);
}

/// Nothing.
impl<C> Keep<C> for () {
    #[inline(always)]
    unsafe fn keep(&mut self, _at: usize, _chain: &C) {}
}

/// A piece of encrypting four blocks: the beginning (round 0), or a round.
struct Event {
    block: usize,
    round: usize,
}

impl Event {
    /// No round.
    const NONE: usize = usize::MAX;

    /// Event `nth` of those before part `part` of `parts`, which are spread evenly.
    const fn of(rounds: usize, parts: usize, part: usize, nth: usize) -> Event {
        let events = 4 * (rounds + 1);
        let event = (part * events).div_ceil(parts) + nth;
        if rounds == 0 || part >= parts || event >= ((part + 1) * events).div_ceil(parts) {
            return Event { block: 0, round: Event::NONE };
        }
        Event { block: event / (rounds + 1), round: event % (rounds + 1) }
    }

    const fn is_first(&self) -> bool {
        self.round == 0
    }

    const fn is_between(&self, rounds: usize) -> bool {
        0 < self.round && self.round < rounds
    }

    const fn is_last(&self, rounds: usize) -> bool {
        0 < rounds && self.round == rounds
    }
}

/// Calls a macro with each number below 80, the most parts of any hash; a loop of so large a body would not be unrolled.
macro_rules! each_part {
    ($part:ident) => {
        each_part!($part; 0 1 2 3 4 5 6 7);
    };
    ($part:ident; $($tens:literal)*) => { $( each_part!(@ $part $tens; 0 1 2 3 4 5 6 7 8 9); )* };
    (@ $part:ident $tens:literal; $($ones:literal)*) => { $( $part!({ 10 * $tens + $ones }); )* };
}

/// `steps` times: 64 bytes of each lane's data encrypted (in `rounds` rounds, 10 or 14; none with 0), one block of each
/// lane's hash input compressed. The pointers stay where they are.
///
/// # Safety
/// The processor must have the instructions of `H` and `C`; every lane's hash pointer must be followed by 64 `steps`
/// readable bytes and, unless `rounds` is 0, its data pointer by as many writable ones, of which a step reads none for
/// the hash that are encrypted in the same step or later; its keys must have been set.
#[inline(always)]
pub unsafe fn both<H: Compress, C: Chain>(lanes: &mut Lanes, steps: usize, rounds: usize) {
    // SAFETY: the caller vouches for all of it.
    unsafe {
        match rounds {
            0 => stitched::<H, C, 0>(lanes, steps),
            10 => stitched::<H, C, 10>(lanes, steps),
            _ => stitched::<H, C, 14>(lanes, steps),
        }
    }
}

/// # Safety
/// As for [`both`].
#[inline(always)]
unsafe fn stitched<H: Compress, C: Chain, const ROUNDS: usize>(lanes: &mut Lanes, steps: usize) {
    // SAFETY: the caller vouches for the instructions, the pointers and the keys.
    unsafe {
        let mut hash = H::begin(lanes, 0);
        let mut chain = C::begin(lanes, ROUNDS);
        for step in 0..steps {
            let message = H::load(lanes, 0, 64 * step);
            one::<H, C, (), ROUNDS>(lanes, &mut hash, &mut chain, message, 64 * step, &mut ());
        }
        hash.end(lanes, 0);
        if ROUNDS != 0 {
            chain.end(lanes);
        }
    }
}

/// A step.
///
/// # Safety
/// As for [`both`].
#[inline(always)]
pub unsafe fn one<H: Compress, C: Chain, K: Keep<C>, const ROUNDS: usize>(
    lanes: &mut Lanes,
    hash: &mut H,
    chain: &mut C,
    mut message: H::Message,
    at: usize,
    kept: &mut K,
) {
    // SAFETY: the caller vouches for the instructions, the pointers and the keys.
    unsafe {
        let before = *hash;
        // Asked here, or else the compiler makes a function of each of the many that do not exist.
        macro_rules! event {
            ($p:expr, $nth:literal) => {
                if const { Event::of(ROUNDS, H::PARTS, $p, $nth).round != Event::NONE } {
                    chain.event::<H, K, ROUNDS, $p, $nth>(lanes, at, kept);
                }
            };
        }
        macro_rules! part {
            ($p:expr) => {
                if const { H::PARTS > $p } {
                    // No hash has so few parts that more belong before one.
                    event!($p, 0);
                    event!($p, 1);
                    event!($p, 2);
                    event!($p, 3);
                    hash.part::<$p>(&mut message);
                }
            };
        }
        each_part!(part);
        hash.add(before, lanes, 0);
    }
}

/// Encrypts `rows` blocks of each lane.
///
/// # Safety
/// As for [`both`], with 16 `rows` bytes of data and none to compress.
#[inline(always)]
pub unsafe fn rows<C: Chain>(lanes: &mut Lanes, rows: usize, rounds: usize) {
    // SAFETY: the caller vouches for the instructions, the pointers and the keys.
    unsafe {
        let mut chain = C::begin(lanes, rounds);
        for row in 0..rows {
            chain.first(lanes, 16 * row);
            for round in 1..10 {
                chain.round(lanes, round);
            }
            if rounds == 14 {
                for round in 10..14 {
                    chain.round(lanes, round);
                }
            }
            chain.last(lanes, 16 * row, rounds);
        }
        chain.end(lanes);
    }
}

/// `N` times a compression of single lanes.
#[derive(Clone, Copy)]
pub struct Several<H, const N: usize>([H; N]);

impl<H: Compress, const N: usize> Compress for Several<H, N> {
    type Message = [H::Message; N];
    const PARTS: usize = H::PARTS;

    #[inline(always)]
    unsafe fn begin(lanes: &Lanes, lane: usize) -> Self {
        // SAFETY: the caller vouches for the instructions.
        unsafe {
            let mut all = [H::begin(lanes, lane); N];
            for (n, one) in all.iter_mut().enumerate().skip(1) {
                *one = H::begin(lanes, lane + n);
            }
            Several(all)
        }
    }
    #[inline(always)]
    unsafe fn load(lanes: &Lanes, lane: usize, at: usize) -> Self::Message {
        // SAFETY: the caller vouches for the instructions and the pointers.
        unsafe {
            let mut all = [H::load(lanes, lane, at); N];
            for (n, one) in all.iter_mut().enumerate().skip(1) {
                *one = H::load(lanes, lane + n, at);
            }
            all
        }
    }
    #[inline(always)]
    unsafe fn part<const P: usize>(&mut self, message: &mut Self::Message) {
        for (one, message) in self.0.iter_mut().zip(message) {
            // SAFETY: the caller vouches for the instructions.
            unsafe { one.part::<P>(message) };
        }
    }
    #[inline(always)]
    unsafe fn add(&mut self, before: Self, lanes: &mut Lanes, lane: usize) {
        for (n, (one, before)) in self.0.iter_mut().zip(before.0).enumerate() {
            // SAFETY: the caller vouches for the instructions.
            unsafe { one.add(before, lanes, lane + n) };
        }
    }
    #[inline(always)]
    unsafe fn end(self, lanes: &mut Lanes, lane: usize) {
        for (n, one) in self.0.into_iter().enumerate() {
            // SAFETY: the caller vouches for the instructions.
            unsafe { one.end(lanes, lane + n) };
        }
    }
}

/// A pair of loops for a number of lanes.
#[derive(Clone, Copy)]
pub struct Engine {
    /// Its name, with the level's module.
    pub name: &'static str,
    /// Messages side by side.
    pub lanes: usize,
    /// From this number of messages on it is faster than engines with fewer lanes, where nothing is measured.
    pub from: usize,
    /// Whether it takes the round keys from the table.
    pub table: bool,
    /// [`both`].
    pub both: unsafe fn(&mut Lanes, usize, usize),
    /// [`rows`].
    pub rows: unsafe fn(&mut Lanes, usize, usize),
}

/// Makes the compiler align the function's frame to 64 bytes, and with it the vectors that it spills: without a local
/// value that wants it, it does not, and every one of 512 bits would straddle two lines of the cache.
macro_rules! align_frame {
    () => {
        let mut anchor = std::mem::MaybeUninit::<$crate::cipher::lanes::Line>::uninit();
        std::hint::black_box(anchor.as_mut_ptr());
    };
}
pub(super) use align_frame;

/// A line of the cache.
#[repr(align(64))]
pub struct Line(#[expect(dead_code, reason = "only its alignment counts")] [u8; 64]);

/// Defines an engine: its loops, compiled for the features, under a name of the level's own.
macro_rules! engine {
    ($name:ident, $($features:literal,)? $hash:ty, $chain:ty, $lanes:literal, from $from:literal $(, $clear:ident)?) => {
        $crate::cipher::lanes::engine!(@ $name, [lanes::both::<$hash, $chain>], $($features,)? $chain, $lanes, $from $(, $clear)?);
    };
    ($name:ident, $features:literal, $hash:ty, rows of $chain:ty, $lanes:literal, from $from:literal) => {
        $crate::cipher::lanes::engine!(@ $name, [ring::both::<$hash, $chain, $lanes>], $features, $chain, $lanes, $from);
    };
    (@ $name:ident, [$($both:tt)*], $($features:literal,)? $chain:ty, $lanes:literal, $from:literal $(, $clear:ident)?) => {
        pub const $name: $crate::cipher::lanes::Engine = {
            $(#[target_feature(enable = $features)])?
            unsafe fn both(lanes: &mut $crate::cipher::lanes::Lanes, steps: usize, rounds: usize) {
                // Where a caller left something in the upper halves of the vectors, two-operand forms would wait for it.
                // SAFETY: engines that clear are those of levels with AVX.
                $(unsafe { $crate::cipher::lanes::$clear() };)?
                $crate::cipher::lanes::align_frame!();
                // SAFETY: the caller vouches for the pointers, and calls this where the features are.
                unsafe { $crate::cipher::$($both)*(lanes, steps, rounds) }
            }
            $(#[target_feature(enable = $features)])?
            unsafe fn rows(lanes: &mut $crate::cipher::lanes::Lanes, rows: usize, rounds: usize) {
                // SAFETY: as above.
                $(unsafe { $crate::cipher::lanes::$clear() };)?
                // SAFETY: as above.
                unsafe { $crate::cipher::lanes::rows::<$chain>(lanes, rows, rounds) }
            }
            $crate::cipher::lanes::Engine {
                name: concat!(module_path!(), "::", stringify!($name)),
                lanes: $lanes,
                from: $from,
                table: <$chain as $crate::cipher::lanes::Chain>::TABLE,
                both,
                rows,
            }
        };
    };
}
pub(super) use engine;

/// An engine of a lower level, for a level with AVX.
#[cfg(target_arch = "x86_64")]
macro_rules! lower_engine {
    ($name:ident, $lower:path) => {
        pub const $name: $crate::cipher::lanes::Engine = {
            use $crate::cipher::lanes::{Engine, Lanes, clear_upper};
            // Where a caller left something in the upper halves of the vectors, two-operand forms would wait for it.
            unsafe fn both(lanes: &mut Lanes, steps: usize, rounds: usize) {
                // SAFETY: the caller's promises; the level has AVX and what the lower one has.
                unsafe {
                    clear_upper();
                    ($lower.both)(lanes, steps, rounds)
                }
            }
            unsafe fn rows(lanes: &mut Lanes, rows: usize, rounds: usize) {
                // SAFETY: as above.
                unsafe {
                    clear_upper();
                    ($lower.rows)(lanes, rows, rounds)
                }
            }
            Engine { name: concat!(module_path!(), "::", stringify!($name)), both, rows, ..$lower }
        };
    };
}
#[cfg(target_arch = "x86_64")]
pub(super) use lower_engine;

/// Clears the upper halves of the vectors.
///
/// # Safety
/// The processor must have AVX.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx")]
pub unsafe fn clear_upper() {
    std::arch::x86_64::_mm256_zeroupper();
}
