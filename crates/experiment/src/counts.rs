//! Counting runs in the store: functions in chunks. A run of thousands of loops and hundreds of threads is large.

use crate::pieces::{Pieces, Stored};
use crate::{Collected, Error};
use loopwright_instrument::facts::{Counts, FunctionCounts, LoopCounts, ModuleCounts};

/// Functions in one stored chunk.
const CHUNK: usize = 256;

/// The position of a chunk of functions holds the module above these bits.
const CHUNK_BITS: u32 = 32;

impl Collected for Counts {
    const KIND: &'static str = "counts";
    /// 2: warnings and reasons by their fields.
    const FORM: u32 = 2;

    fn pack(&self, pieces: &mut Pieces) {
        let bare = |module: &ModuleCounts| ModuleCounts { functions: Vec::new(), ..module.clone() };
        pieces.json("run", 0, &Self { modules: self.modules.iter().map(bare).collect(), ..self.clone() });
        for (module, counted) in (0i64..).zip(&self.modules) {
            for (chunk, functions) in (0..).zip(counted.functions.chunks(CHUNK)) {
                pieces.json("functions", module << CHUNK_BITS | chunk, &functions);
            }
        }
    }

    fn unpack(stored: &Stored<'_>) -> Result<Self, Error> {
        let mut counts: Self = stored.json("run")?;
        stored.each("functions", |position, functions: Vec<FunctionCounts>| {
            let damaged = |why| Err(stored.damaged("functions", why));
            let known = counts.threads.len();
            if functions.iter().flat_map(threads).any(|thread| thread as usize >= known) {
                return damaged("a function names a thread that does not exist");
            }
            if functions.iter().flat_map(|f| &f.loops).any(|l| !is_plausible(l)) {
                return damaged("a loop's distribution of iterations has more entries than time allows");
            }
            let module = usize::try_from(position >> CHUNK_BITS).ok();
            match module.and_then(|module| counts.modules.get_mut(module)) {
                Some(module) => module.functions.extend(functions),
                None => return damaged("a function names a module that does not exist"),
            }
            Ok(())
        })?;
        // Whoever wrote the file may not have looked.
        loopwright_instrument::watchman::watch(&mut counts);
        Ok(counts)
    }

    fn modules(&self) -> impl Iterator<Item = (&str, Option<&str>)> {
        self.modules.iter().map(|module| (module.path.as_str(), module.build_id.as_deref()))
    }
}

/// More entries of one loop mean a corrupt file (two years at one entry a nanosecond), and sums over ranks could overflow.
const MOST_ENTRIES: u64 = 1 << 56;

fn is_plausible(counted: &LoopCounts) -> bool {
    let buckets = counted.trips.iter().flat_map(|trips| &trips.buckets);
    buckets.map(|bucket| bucket.2).try_fold(0u64, u64::checked_add).is_some_and(|sum| sum <= MOST_ENTRIES)
}

/// Every index into [`Counts::threads`] that a function holds.
fn threads(function: &FunctionCounts) -> impl Iterator<Item = u32> {
    let loops = function.loops.iter().flat_map(|l| &l.threads).map(|thread| thread.thread);
    function.threads.iter().map(|thread| thread.thread).chain(loops)
}
