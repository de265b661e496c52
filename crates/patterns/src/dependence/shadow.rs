//! The last accesses of each byte: the last write, and of the reads since, the last in each loop level's reach.
//!
//! Shadow memory is a table of pages of 4 KiB. A page keeps one word for each *granule* of 8 bytes and each
//! *plane*: plane 0 for the last write, the others for reads, latest first; planes are allocated when needed.
//! When an access does not fit the granules of its page (a `float`, a `char`, an unaligned vector), the page
//! is split into finer ones, down to single bytes, so that results are exact for every byte and arrays of
//! `double` stay cheap.

use rustc_hash::FxHashMap;

/// Bytes of a page.
pub const PAGE: u64 = 4096;
/// Granules of a fresh page are `1 << COARSEST` bytes.
const COARSEST: u32 = 3;
/// Most planes of a page: the last write and this number of reads less one.
pub const MOST_PLANES: usize = 12;
/// Entries of the table of recently used pages.
const RECENT: usize = 1 << 6;

/// An access, packed: time, operand, byte within the operand, exposure.
///
/// ```text
/// bits 28..64  clock        passes of chosen loops since the stream began
/// bits 11..28  site         operand, numbered within the thread
/// bits  5..11  offset       byte of the operand that the granule begins with
/// bit       4  long         an operand of more than 64 bytes: no offset
/// bits  0..4   exposure     outermost loop level for which this read (or a read before this write) was exposed
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word(pub u64);

/// The largest clock.
pub const LAST_CLOCK: u64 = (1 << 36) - 1;
/// Most operands that are distinguished.
pub const MOST_SITES: u32 = 1 << 17;
/// Exposed at no level.
pub const HIDDEN: u8 = 15;

impl Word {
    /// No access.
    pub const NONE: Self = Self(0);

    /// An access. `offset` is ignored for operands of more than 64 bytes.
    pub fn new(clock: u64, site: u32, offset: u32, long: bool, exposure: u8) -> Self {
        let offset = if long { 0 } else { u64::from(offset & 63) };
        Self(clock << 28 | u64::from(site) << 11 | offset << 5 | u64::from(long) << 4 | u64::from(exposure))
    }

    /// The time of the access.
    pub fn clock(self) -> u64 {
        self.0 >> 28
    }

    /// The number of the operand.
    pub fn site(self) -> u32 {
        (self.0 >> 11) as u32 & (MOST_SITES - 1)
    }

    /// First byte of the granule within the operand.
    pub fn offset(self) -> u32 {
        (self.0 >> 5) as u32 & 63
    }

    /// The operand has more than 64 bytes.
    pub fn long(self) -> bool {
        self.0 >> 4 & 1 == 1
    }

    /// Outermost level at which it was exposed.
    pub fn exposure(self) -> u8 {
        (self.0 & 15) as u8
    }

    /// The same access with another exposure.
    pub fn exposed(self, exposure: u8) -> Self {
        Self(self.0 & !15 | u64::from(exposure))
    }

    /// The same access, `bytes` further on in the operand.
    fn further(self, bytes: u32) -> Self {
        if self.0 == 0 || self.long() {
            return self;
        }
        Self(self.0 & !(63 << 5) | u64::from((self.offset() + bytes) & 63) << 5)
    }
}

/// History of the 4 KiB of one page.
#[derive(Debug)]
pub struct Page {
    number: u64,
    shift: u32,
    /// Time of the last access.
    pub last: u64,
    planes: Vec<Box<[u64]>>,
}

impl Page {
    fn new(number: u64) -> Self {
        Self { number, shift: COARSEST, last: 0, planes: Vec::new() }
    }

    fn granules(&self) -> usize {
        (PAGE >> self.shift) as usize
    }

    fn bytes(&self) -> u64 {
        size_of::<Self>() as u64 + (self.planes.len() * self.granules() * 8) as u64
    }

    /// Bytes of a granule.
    pub fn step(&self) -> u64 {
        1 << self.shift
    }

    /// Index of the granule at a byte of the page.
    pub fn granule(&self, byte: u64) -> usize {
        (byte >> self.shift) as usize
    }

    /// The word of a granule in a plane.
    pub fn get(&self, plane: usize, granule: usize) -> Word {
        self.planes.get(plane).map_or(Word::NONE, |words| Word(words[granule]))
    }

    /// Planes in use.
    pub fn planes(&self) -> usize {
        self.planes.len()
    }

    /// Sets a word; false when there are too many planes.
    pub fn set(&mut self, plane: usize, granule: usize, word: Word) -> bool {
        if plane >= MOST_PLANES {
            return false;
        }
        while self.planes.len() <= plane {
            self.planes.push(vec![0; self.granules()].into_boxed_slice());
        }
        self.planes[plane][granule] = word.0;
        true
    }

    fn split(&mut self, shift: u32) {
        let parts = 1usize << (self.shift - shift);
        for plane in &mut self.planes {
            let finer = plane
                .iter()
                .flat_map(|&word| (0..parts).map(move |part| Word(word).further((part << shift) as u32).0));
            *plane = finer.collect();
        }
        self.shift = shift;
    }

    /// Granules with an access since `clock`.
    fn live(&self, clock: u64) -> u64 {
        let recent = |g: &usize| self.planes.iter().any(|plane| Word(plane[*g]).clock() >= clock);
        (0..self.granules()).filter(recent).count() as u64
    }
}

/// The history of all bytes that a thread uses in chosen loops.
#[derive(Debug)]
pub struct Shadow {
    pages: Vec<Page>,
    by_number: FxHashMap<u64, u32>,
    recent: Vec<(u64, u32)>,
    bytes: u64,
}

impl Default for Shadow {
    fn default() -> Self {
        Self {
            pages: Vec::new(),
            by_number: FxHashMap::default(),
            recent: vec![(u64::MAX, 0); RECENT],
            bytes: 0,
        }
    }
}

impl Shadow {
    /// The page that holds `address`, with granules fine enough for an access of these bytes.
    pub fn page(&mut self, address: u64, size: u64) -> usize {
        let number = address / PAGE;
        let slot = (number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58) as usize;
        let at = if self.recent[slot].0 == number {
            self.recent[slot].1 as usize
        } else {
            let next = self.pages.len() as u32;
            let at = *self.by_number.entry(number).or_insert(next);
            if at == next {
                let page = Page::new(number);
                self.bytes += page.bytes() + 32;
                self.pages.push(page);
            }
            self.recent[slot] = (number, at);
            at as usize
        };
        let needed = (address | (address + size)).trailing_zeros().min(COARSEST);
        if needed < self.pages[at].shift {
            self.change(at, |page| page.split(needed));
        }
        at
    }

    /// The page at an index.
    #[cfg(test)]
    fn at(&self, page: usize) -> &Page {
        &self.pages[page]
    }

    /// Changes a page and updates the memory count.
    pub fn change<R>(&mut self, page: usize, change: impl FnOnce(&mut Page) -> R) -> R {
        let page = &mut self.pages[page];
        let before = page.bytes();
        let result = change(page);
        self.bytes = self.bytes + page.bytes() - before;
        result
    }

    /// Bytes that the whole history takes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Frees pages until `limit` is kept: first those without an access since `since` (nothing can depend on
    /// them any more), then, if that frees less than half, those used least recently. Returns how many places
    /// with a later access were dropped.
    pub fn shrink(&mut self, limit: u64, since: u64) -> u64 {
        self.pages.retain(|page| page.last >= since);
        let mut forgotten = 0;
        if self.pages.iter().map(Page::bytes).sum::<u64>() > limit / 2 {
            self.pages.sort_by_key(|page| std::cmp::Reverse(page.last));
            let mut kept = 0;
            let mut fits = |page: &Page| {
                kept += page.bytes();
                kept <= limit / 2
            };
            let count = self.pages.iter().map_while(|page| Some(page).filter(|p| fits(p))).count();
            forgotten = self.pages.drain(count..).map(|page| page.live(since)).sum();
        }
        self.by_number = (0..).zip(&self.pages).map(|(at, page)| (page.number, at)).collect();
        self.recent = vec![(u64::MAX, 0); RECENT];
        self.bytes = self.pages.iter().map(|page| page.bytes() + 32).sum();
        forgotten
    }

    /// Drops everything; returns how many places had an access since `since`.
    pub fn clear(&mut self, since: u64) -> u64 {
        let forgotten = self.pages.iter().map(|page| page.live(since)).sum();
        *self = Self::default();
        forgotten
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_hold_what_they_are_given() {
        let word = Word::new(LAST_CLOCK, MOST_SITES - 1, 63, false, 14);
        assert_eq!((word.clock(), word.site(), word.offset()), (LAST_CLOCK, MOST_SITES - 1, 63));
        assert_eq!((word.long(), word.exposure(), word.exposed(HIDDEN).exposure()), (false, 14, HIDDEN));
        assert_eq!(Word::new(7, 3, 40, true, 0).offset(), 0);
    }

    #[test]
    fn splitting_keeps_the_bytes_of_operands() {
        let mut shadow = Shadow::default();
        let page = shadow.page(0x1008, 8);
        shadow.change(page, |p| p.set(0, p.granule(8), Word::new(4, 2, 16, false, HIDDEN)));
        assert_eq!(shadow.page(0x1803, 1), page);
        let p = shadow.at(page);
        assert_eq!(p.step(), 1);
        let offsets: Vec<u32> = (8..16).map(|b| p.get(0, p.granule(b)).offset()).collect();
        assert_eq!(offsets, (16..24).collect::<Vec<u32>>());
        assert_eq!(p.get(0, p.granule(16)), Word::NONE);
    }

    #[test]
    fn dead_pages_go_first_and_cost_nothing() {
        let mut shadow = Shadow::default();
        for k in 0..10 {
            let page = shadow.page(k * PAGE, 8);
            shadow.change(page, |p| {
                p.last = k + 1;
                p.set(0, 0, Word::new(k + 1, 0, 0, false, HIDDEN))
            });
        }
        let each = shadow.bytes() / 10;
        assert_eq!(shadow.shrink(20 * each, 6), 0);
        assert_eq!(shadow.bytes(), 5 * each);
        assert_eq!(shadow.shrink(4 * each, 6), 3, "two of the five fit into half the limit");
        assert_eq!(shadow.bytes(), 2 * each);
    }
}
