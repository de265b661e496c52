//! A TAGE predictor of conditional branches: a table of counters by address, and tagged tables by address and ever longer
//! histories of outcomes; the longest history that has an entry for a branch predicts it.
//!
//! A. Seznec, P. Michaud, "A case for (partially) TAgged GEometric history length branch prediction", Journal of
//! Instruction-Level Parallelism 8, 2006, with two refinements of A. Seznec, "A 256 Kbits L-TAGE branch predictor", JILP 9,
//! 2007: an entry that has not proved itself is updated together with the prediction that it would replace, and nothing is
//! allocated where the entry was right and only its youth made the other prediction win. The lengths are those that the first
//! paper gives for seven tagged tables. The predictors of real cores are secret; those of AMD since Zen 2 are TAGE (AMD,
//! *Software Optimization Guide* for family 17h models 30h and greater, 56305). Left out: a loop predictor, which counts the
//! iterations of loops that are longer than the history (so the exit of such a loop is a miss), a statistical corrector, and
//! indirect jumps.

/// Bits of the index of the counters by address.
const BASE_BITS: u32 = 13;
/// Bits of the index of a tagged table.
const INDEX_BITS: u32 = 10;
/// Bits of a tag. With 3 of a counter and 2 of usefulness an entry has 16.
const TAG_BITS: u32 = 11;
/// Outcomes of which the tagged tables use the history (Seznec and Michaud, section 4.1: 8 components, a ratio of 1.72).
const LENGTHS: [usize; 7] = [5, 9, 15, 25, 44, 76, 130];
/// The longest of them.
pub const LONGEST: usize = LENGTHS[LENGTHS.len() - 1];
/// Tagged tables.
pub const TABLES: usize = LENGTHS.len();
/// Bits of all tables.
pub const BITS: u64 = (2 << BASE_BITS) + (TABLES as u64) * (16 << INDEX_BITS);

/// A counter of a tagged entry is from -4 to 3; it predicts taken from 0.
const COUNTER: (i8, i8) = (-4, 3);
/// Highest usefulness.
const USEFUL: u8 = 3;
/// Highest value of the counter of whether entries without a record are followed, in both directions.
const CHOICE: i8 = 7;
/// Outcomes between two agings of usefulness (Seznec and Michaud, section 3.2.2).
const AGING: u64 = 256 << 10;
/// Words of the history: room for the longest.
const WORDS: usize = LONGEST.div_ceil(64);
/// Bits of the path: the lowest bit of each branch's address.
const PATH_BITS: u32 = 16;

#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    tag: u16,
    counter: i8,
    useful: u8,
}

impl Entry {
    fn taken(self) -> bool {
        self.counter >= 0
    }

    /// It was allocated and has not proved itself.
    fn is_new(self) -> bool {
        self.useful == 0 && matches!(self.counter, -1 | 0)
    }
}

/// An entry's index, and its tag when it is the branch's.
#[derive(Clone, Copy, Debug)]
struct Place {
    at: usize,
    tag: u16,
}

/// The histories of all tables, each folded to some bits: the exclusive or of its pieces.
#[derive(Clone, Copy, Debug, Default)]
struct Folded<const FOLD: u32>([u32; TABLES]);

impl<const FOLD: u32> Folded<FOLD> {
    /// An outcome enters the histories, `oldest` leave them.
    #[inline]
    fn push(&mut self, newest: u32, oldest: &[u32; TABLES]) {
        for k in 0..TABLES {
            let mut value = self.0[k] << 1 | newest;
            value ^= oldest[k] << (LENGTHS[k] as u32 % FOLD);
            value ^= value >> FOLD;
            self.0[k] = value & ((1 << FOLD) - 1);
        }
    }
}

/// The predictor of one thread.
#[derive(Debug)]
pub struct Tage {
    base: Vec<u8>,
    /// All tables, one after the other.
    entries: Vec<Entry>,
    /// The last outcomes, the newest in the lowest bit of the first word.
    history: [u64; WORDS],
    index: Folded<INDEX_BITS>,
    tags: (Folded<TAG_BITS>, Folded<{ TAG_BITS - 1 }>),
    /// Outcomes since the history began, as far as it matters.
    known: usize,
    path: u32,
    /// Positive: a new entry's prediction is worse than the one that it replaces.
    distrust: i8,
    outcomes: u64,
    random: u32,
}

impl Tage {
    /// Empty tables and an empty history, both as they truly are.
    pub fn new() -> Self {
        Self {
            // Weakly not taken.
            base: vec![1; 1 << BASE_BITS],
            entries: vec![Entry::default(); TABLES << INDEX_BITS],
            history: [0; WORDS],
            index: Folded::default(),
            tags: Default::default(),
            known: LONGEST,
            path: 0,
            distrust: 0,
            outcomes: 0,
            random: 1,
        }
    }

    /// The outcomes before the next one are not known: tables take part again once the history that they need is.
    pub fn forget_history(&mut self) {
        self.known = 0;
    }

    /// The whole history is known.
    pub fn knows_history(&self) -> bool {
        self.known >= LONGEST
    }

    /// Where the tables hold a branch under the present history.
    #[inline]
    fn places(&self, address: u32) -> [Place; TABLES] {
        let mut places = [Place { at: 0, tag: 0 }; TABLES];
        for (k, place) in places.iter_mut().enumerate() {
            let path = self.path & ((1 << (LENGTHS[k] as u32).min(PATH_BITS)) - 1);
            let path = path ^ path >> INDEX_BITS;
            let index = address ^ address >> INDEX_BITS ^ self.index.0[k] ^ path;
            let tag = address >> 3 ^ address ^ self.tags.0.0[k] ^ self.tags.1.0[k] << 1;
            place.at = k << INDEX_BITS | (index & ((1 << INDEX_BITS) - 1)) as usize;
            // Tag 0 is that of an empty entry.
            place.tag = (tag & ((1 << TAG_BITS) - 1)).max(1) as u16;
        }
        places
    }

    /// Predicts the branch at `address`, then learns its outcome; whether the prediction was right.
    pub fn predict(&mut self, address: u64, taken: bool) -> bool {
        let address = (address ^ address >> 32) as u32;
        let usable = LENGTHS.iter().take_while(|&&length| length <= self.known).count();
        let places = self.places(address);
        // The entries with the longest and the second longest history.
        let (mut first, mut second) = (None, None);
        for (k, place) in places[..usable].iter().enumerate() {
            if self.entries[place.at].tag == place.tag {
                (first, second) = (Some(k), first);
            }
        }
        let at_base = ((address ^ address >> BASE_BITS) & ((1 << BASE_BITS) - 1)) as usize;
        let base = self.base[at_base] >= 2;
        let other = second.map_or(base, |k: usize| self.entries[places[k].at].taken());
        let Some(k) = first else {
            self.learn_base(at_base, taken);
            if base != taken {
                self.allocate(&places[..usable], taken);
            }
            self.push(address, taken);
            return base == taken;
        };
        let entry = self.entries[places[k].at];
        let predicted = if entry.is_new() && self.distrust >= 0 { other } else { entry.taken() };
        if entry.is_new() && entry.taken() != other {
            let step = if other == taken { 1 } else { -1 };
            self.distrust = (self.distrust + step).clamp(-CHOICE - 1, CHOICE);
        }
        if predicted != taken && !(entry.is_new() && entry.taken() == taken) {
            self.allocate(&places[k + 1..usable], taken);
        }
        if entry.useful == 0 {
            match second {
                Some(k) => count(&mut self.entries[places[k].at].counter, taken),
                None => self.learn_base(at_base, taken),
            }
        }
        let own = &mut self.entries[places[k].at];
        if entry.taken() != other {
            own.useful = if entry.taken() == taken {
                (own.useful + 1).min(USEFUL)
            } else {
                own.useful.saturating_sub(1)
            };
        }
        count(&mut own.counter, taken);
        self.push(address, taken);
        predicted == taken
    }

    fn learn_base(&mut self, at: usize, taken: bool) {
        let counter = &mut self.base[at];
        *counter = if taken { (*counter + 1).min(3) } else { counter.saturating_sub(1) };
    }

    /// A new entry for a mispredicted branch at one of these places: the first that is free is preferred to the second by two to
    /// one, that to the next in the same way. Where none is, all come nearer to it.
    fn allocate(&mut self, places: &[Place], taken: bool) {
        let mut chosen = None;
        for place in places {
            if self.entries[place.at].useful == 0 {
                chosen = Some(place);
                if !self.one_in_three() {
                    break;
                }
            }
        }
        match chosen {
            Some(&Place { at, tag }) => {
                self.entries[at] = Entry { tag, counter: if taken { 0 } else { -1 }, useful: 0 };
            }
            None => {
                for place in places {
                    let entry = &mut self.entries[place.at];
                    entry.useful = entry.useful.saturating_sub(1);
                }
            }
        }
    }

    /// From a generator with a fixed seed (G. Marsaglia, "Xorshift RNGs", Journal of Statistical Software 8, 2003).
    fn one_in_three(&mut self) -> bool {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 17;
        self.random ^= self.random << 5;
        self.random.is_multiple_of(3)
    }

    /// The outcome enters the histories.
    fn push(&mut self, address: u32, taken: bool) {
        let newest = u32::from(taken);
        let oldest =
            LENGTHS.map(|length| (self.history[(length - 1) / 64] >> ((length - 1) % 64)) as u32 & 1);
        self.index.push(newest, &oldest);
        self.tags.0.push(newest, &oldest);
        self.tags.1.push(newest, &oldest);
        let mut carried = u64::from(taken);
        for word in &mut self.history {
            (*word, carried) = (*word << 1 | carried, *word >> 63);
        }
        self.path = self.path << 1 | (address & 1);
        self.known = (self.known + 1).min(LONGEST);
        self.outcomes += 1;
        if self.outcomes.is_multiple_of(AGING) {
            // The higher and the lower bit in turn.
            let keep = if (self.outcomes / AGING).is_multiple_of(2) { 1 } else { 2 };
            for entry in &mut self.entries {
                entry.useful &= keep;
            }
        }
    }
}

fn count(counter: &mut i8, taken: bool) {
    *counter = (*counter + if taken { 1 } else { -1 }).clamp(COUNTER.0, COUNTER.1);
}

#[cfg(test)]
mod tests;
