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
/// Room for the history: a power of two that holds the longest and the outcome that leaves it.
const ROOM: usize = 256;
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

/// A history of some outcomes, folded to some bits: the exclusive or of its pieces.
#[derive(Clone, Copy, Debug)]
struct Folded {
    value: u32,
    length: usize,
    bits: u32,
}

impl Folded {
    fn new(length: usize, bits: u32) -> Self {
        Self { value: 0, length, bits }
    }

    /// `newest` enters the history, `oldest` leaves it.
    #[inline]
    fn push(&mut self, newest: bool, oldest: bool) {
        let mut value = self.value << 1 | u32::from(newest);
        value ^= u32::from(oldest) << (self.length as u32 % self.bits);
        value ^= value >> self.bits;
        self.value = value & ((1 << self.bits) - 1);
    }
}

/// A tagged table.
#[derive(Debug)]
struct Table {
    entries: Vec<Entry>,
    length: usize,
    index: Folded,
    tags: [Folded; 2],
}

impl Table {
    fn new(length: usize) -> Self {
        Self {
            entries: vec![Entry::default(); 1 << INDEX_BITS],
            length,
            index: Folded::new(length, INDEX_BITS),
            tags: [Folded::new(length, TAG_BITS), Folded::new(length, TAG_BITS - 1)],
        }
    }

    /// Index and tag of a branch under the present history.
    #[inline]
    fn place(&self, address: u32, path: u32) -> (usize, u16) {
        let path = path & ((1 << (self.length as u32).min(PATH_BITS)) - 1);
        let path = path ^ path >> INDEX_BITS;
        let index = address ^ address >> INDEX_BITS ^ self.index.value ^ path;
        let tag = address >> 3 ^ address ^ self.tags[0].value ^ self.tags[1].value << 1;
        // Tag 0 is that of an empty entry.
        let tag = (tag & ((1 << TAG_BITS) - 1)).max(1);
        ((index & ((1 << INDEX_BITS) - 1)) as usize, tag as u16)
    }
}

/// The predictor of one thread.
#[derive(Debug)]
pub struct Tage {
    base: Vec<u8>,
    tables: [Table; TABLES],
    history: [bool; ROOM],
    newest: usize,
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
            tables: LENGTHS.map(Table::new),
            history: [false; ROOM],
            newest: 0,
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

    /// Predicts the branch at `address`, then learns its outcome; whether the prediction was right.
    pub fn predict(&mut self, address: u64, taken: bool) -> bool {
        let address = (address ^ address >> 32) as u32;
        let usable = LENGTHS.iter().take_while(|&&length| length <= self.known).count();
        let mut places = [(0, 0); TABLES];
        // The entries with the longest and the second longest history.
        let (mut first, mut second) = (None, None);
        for (k, table) in self.tables[..usable].iter().enumerate() {
            places[k] = table.place(address, self.path);
            if table.entries[places[k].0].tag == places[k].1 {
                (first, second) = (Some(k), first);
            }
        }
        let at_base = ((address ^ address >> BASE_BITS) & ((1 << BASE_BITS) - 1)) as usize;
        let base = self.base[at_base] >= 2;
        let other = second.map_or(base, |k: usize| self.tables[k].entries[places[k].0].taken());
        let Some(k) = first else {
            self.learn_base(at_base, taken);
            if base != taken {
                self.allocate(0, usable, &places, taken);
            }
            self.push(address, taken);
            return base == taken;
        };
        let entry = self.tables[k].entries[places[k].0];
        let predicted = if entry.is_new() && self.distrust >= 0 { other } else { entry.taken() };
        if entry.is_new() && entry.taken() != other {
            let step = if other == taken { 1 } else { -1 };
            self.distrust = (self.distrust + step).clamp(-CHOICE - 1, CHOICE);
        }
        if predicted != taken && !(entry.is_new() && entry.taken() == taken) {
            self.allocate(k + 1, usable, &places, taken);
        }
        if entry.useful == 0 {
            match second {
                Some(k) => count(&mut self.tables[k].entries[places[k].0].counter, taken),
                None => self.learn_base(at_base, taken),
            }
        }
        let own = &mut self.tables[k].entries[places[k].0];
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

    /// A new entry for a mispredicted branch in a table from `from` on: the first that has room is preferred to the second by
    /// two to one, that to the next in the same way.
    fn allocate(&mut self, from: usize, usable: usize, places: &[(usize, u16); TABLES], taken: bool) {
        let has_room = |this: &Self, k: usize| this.tables[k].entries[places[k].0].useful == 0;
        let mut chosen = None;
        for k in from..usable {
            if has_room(self, k) {
                chosen = Some(k);
                if !self.one_in_three() {
                    break;
                }
            }
        }
        match chosen {
            Some(k) => {
                let (at, tag) = places[k];
                self.tables[k].entries[at] = Entry { tag, counter: if taken { 0 } else { -1 }, useful: 0 };
            }
            None => {
                for (table, place) in self.tables.iter_mut().zip(places).take(usable).skip(from) {
                    let entry = &mut table.entries[place.0];
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
        for table in &mut self.tables {
            let oldest = self.history[(self.newest + 1 + ROOM - table.length) % ROOM];
            table.index.push(taken, oldest);
            table.tags[0].push(taken, oldest);
            table.tags[1].push(taken, oldest);
        }
        self.newest = (self.newest + 1) % ROOM;
        self.history[self.newest] = taken;
        self.path = self.path << 1 | (address & 1);
        self.known = (self.known + 1).min(LONGEST);
        self.outcomes += 1;
        if self.outcomes.is_multiple_of(AGING) {
            // The higher and the lower bit in turn.
            let keep = if (self.outcomes / AGING).is_multiple_of(2) { 1 } else { 2 };
            for entry in self.tables.iter_mut().flat_map(|table| &mut table.entries) {
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
