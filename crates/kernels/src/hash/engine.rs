//! The ways to compress blocks, what each costs, and which ones a number of messages is given to.
//!
//! An [`Engine`] compresses the requested number of blocks of each of its lanes. Wide vectors do most per cycle when every
//! lane has a message, the SHA instructions when few have; a [`Plan`] covers any number of messages with the engines
//! that take the least time together.

#[cfg(target_arch = "x86_64")]
use super::avx2;
#[cfg(target_arch = "x86_64")]
use super::avx512;
use super::rows::{LIVE, SLOTS};
use super::scalar;
#[cfg(target_arch = "x86_64")]
use super::sse42;
#[cfg(target_arch = "x86_64")]
use super::sse42::sha_ni;
use crate::extra::Extra;
use crate::isa::{self, Isa};
use crate::processor::{Profile, WideVectors};
use crate::tuning::first_use::{self, Way};

/// Compresses blocks of messages into their states.
///
/// # Safety
/// The state has eight rows of [`SLOTS`] words; there are as many pointers as lanes, each to that many blocks. The
/// processor has the engine's level.
pub type Run<W> = unsafe fn(state: *mut W, rows: *const *const u8, blocks: usize);

/// One way to compress blocks.
#[derive(Clone, Copy, Debug)]
pub struct Engine<W> {
    /// Name, for tables of measurements.
    pub name: &'static str,
    /// Messages at once.
    pub lanes: usize,
    /// The time for a block of every lane; only the ratios matter. As shipped: cycles, where vectors of 512 bits are executed
    /// whole measured on Sapphire Rapids with messages of 16 KiB in the second-level cache, where in halves measured on Zen 3
    /// (SHA-1 of eight lanes) or derived from the instructions' published throughputs and from peers' figures. [`measured`]
    /// replaces them by this processor's.
    pub cost: u32,
    /// Whether it is an engine of a level with AVX.
    avx: bool,
    /// The code.
    run: Run<W>,
}

impl<W> Engine<W> {
    /// Compresses blocks.
    ///
    /// # Safety
    /// As for [`Run`].
    #[inline]
    pub(super) unsafe fn compress(&self, state: *mut W, rows: *const *const u8, blocks: usize) {
        if self.avx {
            isa::clear_upper_halves();
        }
        // SAFETY: the caller's duties are the same.
        unsafe { (self.run)(state, rows, blocks) }
    }
}

/// Blocks of each lane that are measured: together with those of all lanes they leave the first cache, as messages do.
const MEASURED_BLOCKS: usize = 16;

/// The unit of measured costs, so that ratios are kept: a sixteenth of a nanosecond.
const PER_NANOSECOND: f64 = 16.0;

/// The engines with what a block of every lane costs on this processor; as they are where nothing is to be measured.
/// `block` is the size of a block in bytes.
pub fn measured<W: Copy + Default + 'static>(
    name: &str,
    isa: Isa,
    block: usize,
    engines: Vec<Engine<W>>,
) -> Vec<Engine<W>> {
    let names: Vec<&'static str> = engines.iter().map(|engine| engine.name).collect();
    let table = format!("hash.{name}.{isa}");
    let bytes = MEASURED_BLOCKS * block;
    let costs = first_use::costs(&table, &names, || {
        let way = |engine: &Engine<W>| -> Way<'static> {
            let engine = *engine;
            let messages = vec![0x5a_u8; bytes * engine.lanes];
            let mut state = vec![W::default(); 8 * SLOTS];
            Box::new(move || {
                let mut rows = [messages.as_ptr(); LIVE];
                for (row, message) in rows.iter_mut().zip(messages.chunks_exact(bytes)) {
                    *row = message.as_ptr();
                }
                // SAFETY: eight rows of a state, a pointer to as many blocks for each lane; the engines are those of a level
                // that is available.
                unsafe { engine.compress(state.as_mut_ptr(), rows.as_ptr(), MEASURED_BLOCKS) };
            })
        };
        engines.iter().map(way).collect()
    });
    let Some(costs) = costs else { return engines };
    let priced = |(engine, cost): (Engine<W>, f64)| {
        // The conversion saturates; sums of LIVE costs must not overflow.
        let cost = (cost / MEASURED_BLOCKS as f64 * PER_NANOSECOND).min(f64::from(u32::MAX / 64)) as u32;
        Engine { cost: cost.max(1), ..engine }
    };
    engines.into_iter().zip(costs).map(priced).collect()
}

/// The engines of a level: rows of name, lanes, cycles (vectors of 512 bits whole, in halves), code. Each row is
/// compiled under the condition that its instructions are there.
macro_rules! engines {
    (
        $(#[$doc:meta])* $function:ident -> $word:ty
        { $($condition:expr => { $($name:literal, $lanes:literal, [$whole:literal, $halves:literal], $run:path;)+ })+ }
        portable { $($portable:tt)+ }
    ) => {
        $(#[$doc])*
        pub fn $function(isa: Isa) -> Vec<Engine<$word>> {
            let wide = Profile::active().wide;
            let cycles = |whole: u32, halves: u32| if wide == WideVectors::Whole { whole } else { halves };
            let avx = isa >= Isa::Avx2;
            let mut engines = Vec::new();
            engines!(@rows engines, avx, cycles, $word, $($portable)+);
            #[cfg(target_arch = "x86_64")]
            {
                let sha = Extra::ShaNi.is_available(isa);
                $(
                    if ($condition)(isa, sha) {
                        engines!(@rows engines, avx, cycles, $word, $($name, $lanes, [$whole, $halves], $run;)+);
                    }
                )+
            }
            #[cfg(not(target_arch = "x86_64"))]
            let _ = (isa, Extra::ShaNi);
            engines
        }
    };
    (@rows $engines:ident, $avx:ident, $cycles:ident, $word:ty, $($name:literal, $lanes:literal, [$whole:literal, $halves:literal], $run:path;)+) => {
        $($engines.push(Engine::<$word> {
            name: $name, lanes: $lanes, cost: $cycles($whole, $halves), avx: $avx, run: $run,
        });)+
    };
}

engines! {
    /// MD5.
    md5 -> u32 {
        |isa, _| isa >= Isa::Sse42 => {
            "4 lanes", 4, [400, 400], sse42::md5_4;
            "2 x 4 lanes", 8, [505, 520], sse42::md5_8;
        }
        |isa, _| isa >= Isa::Avx2 => {
            "8 lanes", 8, [400, 400], avx2::md5_8;
            "2 x 8 lanes", 16, [505, 520], avx2::md5_16;
        }
        |isa, _| isa >= Isa::Avx512 => {
            "8 lanes, ternary", 8, [262, 265], avx512::md5_8;
            "3 x 8 lanes, ternary", 24, [480, 360], avx512::md5_24;
            "16 lanes", 16, [275, 290], avx512::md5_16;
            "2 x 16 lanes", 32, [545, 440], avx512::md5_32;
        }
    }
    portable { "1 word", 1, [290, 290], scalar::md5; "2 words", 2, [320, 320], scalar::md5_2; }
}

engines! {
    /// SHA-1.
    sha1 -> u32 {
        |_, sha| sha => {
            "SHA instructions", 1, [117, 120], sha_ni::sha1_1;
            "SHA instructions x 2", 2, [203, 140], sha_ni::sha1_2;
            "SHA instructions x 3", 3, [335, 170], sha_ni::sha1_3;
            "SHA instructions x 4", 4, [462, 200], sha_ni::sha1_4;
        }
        |isa, _| isa >= Isa::Sse42 => { "4 lanes", 4, [500, 500], sse42::sha1_4; }
        |isa, _| isa >= Isa::Avx2 => {
            "1 word, BMI2", 1, [260, 260], avx2::sha1;
            "8 lanes", 8, [510, 600], avx2::sha1_8;
        }
        |isa, _| isa >= Isa::Avx512 => {
            "8 lanes, ternary", 8, [278, 300], avx512::sha1_8;
            "16 lanes", 16, [418, 500], avx512::sha1_16;
        }
        |isa, sha| isa >= Isa::Avx512 && sha => {
            "SHA instructions, ternary", 1, [95, 125], sha_ni::sha1_vector_1;
            "SHA instructions x 2, ternary", 2, [138, 150], sha_ni::sha1_vector_2;
            "SHA instructions x 3, ternary", 3, [198, 190], sha_ni::sha1_vector_3;
            "SHA instructions x 4, ternary", 4, [260, 240], sha_ni::sha1_vector_4;
        }
    }
    portable { "1 word", 1, [280, 300], scalar::sha1; }
}

engines! {
    /// SHA-256.
    sha256 -> u32 {
        |_, sha| sha => {
            "SHA instructions", 1, [131, 130], sha_ni::sha256_1;
            "SHA instructions x 2", 2, [196, 130], sha_ni::sha256_2;
            "SHA instructions x 3", 3, [288, 190], sha_ni::sha256_3;
        }
        |isa, _| isa >= Isa::Sse42 => { "4 lanes", 4, [1195, 1195], sse42::sha256_4; }
        |isa, _| isa >= Isa::Avx2 => {
            "1 word, BMI2", 1, [585, 560], avx2::sha256;
            "1 word, schedule ahead", 1, [475, 480], avx2::sha256_1;
            "8 lanes", 8, [1170, 1170], avx2::sha256_8;
        }
        |isa, _| isa >= Isa::Avx512 => {
            "8 lanes, ternary", 8, [605, 520], avx512::sha256_8;
            "16 lanes", 16, [865, 1030], avx512::sha256_16;
        }
    }
    portable { "1 word", 1, [680, 600], scalar::sha256; }
}

engines! {
    /// SHA-512.
    sha512 -> u64 {
        |isa, _| isa >= Isa::Sse42 => { "2 lanes", 2, [1450, 1450], sse42::sha512_2; }
        |isa, _| isa >= Isa::Avx2 => {
            "1 word, BMI2", 1, [722, 600], avx2::sha512;
            "1 word, schedule ahead", 1, [647, 560], avx2::sha512_1;
            "4 lanes", 4, [1420, 1420], avx2::sha512_4;
        }
        |isa, _| isa >= Isa::Avx512 => {
            "1 word, schedule ahead, ternary", 1, [583, 540], avx512::sha512_1;
            "4 lanes, ternary", 4, [752, 640], avx512::sha512_4;
            "8 lanes", 8, [1080, 1260], avx512::sha512_8;
        }
    }
    portable { "1 word", 1, [885, 700], scalar::sha512; }
}

/// Which engines compress the blocks of how many messages.
#[derive(Debug)]
pub struct Plan<W> {
    engines: Vec<Engine<W>>,
    /// The engine that takes the first of `n` messages, for every `n`; the rest is covered likewise.
    first: [u8; LIVE + 1],
    /// The time for a block of each of `n` messages, in the engines' unit.
    pub costs: [u32; LIVE + 1],
    /// How many messages at once do most per cycle.
    pub width: usize,
}

impl<W: Copy> Plan<W> {
    /// The plan for engines of which one at least has a single lane.
    pub fn new(engines: Vec<Engine<W>>) -> Plan<W> {
        let (mut first, mut costs) = ([0; LIVE + 1], [0; LIVE + 1]);
        for n in 1..=LIVE {
            costs[n] = u32::MAX;
            for (index, engine) in engines.iter().enumerate() {
                // Lanes without a message must still be within the slots, wherever the group begins.
                if engine.lanes.saturating_sub(n) > SLOTS - LIVE {
                    continue;
                }
                let all = engine.cost + costs[n - n.min(engine.lanes)];
                if all < costs[n] {
                    (first[n], costs[n]) = (index as u8, all);
                }
            }
        }
        // The fewest messages within 2 % of the best rate: more only wait longer.
        let rate = |n: usize| n as f64 / f64::from(costs[n]);
        let best = (1..=LIVE).map(rate).fold(0.0, f64::max);
        let width = (1..=LIVE).find(|&n| rate(n) >= 0.98 * best).unwrap_or(1);
        Plan { engines, first, costs, width }
    }

    /// Slots that the engines for `n` messages touch.
    pub fn covered(&self, n: usize) -> usize {
        let mut at = 0;
        while at < n {
            at += self.engine(n - at).lanes;
        }
        at
    }

    /// The engine that takes the first of `n` messages; `n` is between 1 and [`LIVE`].
    pub fn engine(&self, n: usize) -> &Engine<W> {
        &self.engines[usize::from(self.first[n])]
    }

    /// How many of `count` messages of about one length are in work at once: all, where that is sooner done than
    /// [`Plan::width`] after another.
    pub fn equal_width(&self, count: usize) -> usize {
        let in_turn = (count / self.width) as u64 * u64::from(self.costs[self.width]);
        match self.costs.get(count) {
            Some(&all) if u64::from(all) < in_turn + u64::from(self.costs[count % self.width]) => count,
            _ => self.width,
        }
    }

    /// How many messages at once finish messages of these lengths soonest, when a finished one is followed by the
    /// longest that waits. `blocks` is sorted, longest first.
    ///
    /// Lanes advance together, so that a long message among short ones goes at a lane's speed; a pair of the SHA
    /// instructions, say, may finish all of them sooner than sixteen lanes that run dry.
    pub fn best_width(&self, blocks: &[usize]) -> usize {
        let candidates = self.engines.iter().map(|engine| engine.lanes).chain([self.width, LIVE]);
        let mut best = (self.width, u64::MAX);
        for width in candidates {
            let mut lanes = [0usize; LIVE];
            let lanes = &mut lanes[..width.min(LIVE)];
            for &count in blocks {
                if let Some(shortest) = lanes.iter_mut().min() {
                    *shortest += count;
                }
            }
            lanes.sort_unstable_by(|a, b| b.cmp(a));
            let mut time = 0;
            for n in 1..=lanes.len() {
                let after = lanes.get(n).copied().unwrap_or(0);
                time += (lanes[n - 1] - after) as u64 * u64::from(self.costs[n]);
            }
            if time < best.1 {
                best = (width.min(LIVE), time);
            }
        }
        best.0
    }
}
