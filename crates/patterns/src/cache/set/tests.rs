//! Each policy against a plain reference: a list per set, written after the policy's definition.

use super::*;
use proptest::prelude::*;

struct Reference {
    sets: u64,
    ways: usize,
    policy: Replacement,
    lists: Vec<Vec<Held>>,
    random: Xorshift,
    time: u64,
}

#[derive(Clone, Copy, Debug)]
struct Held {
    line: u64,
    changed: bool,
    filled: u64,
    used: u64,
    bit: bool,
    prediction: u8,
}

impl Reference {
    fn new(geometry: &CacheGeometry) -> Self {
        let sets = geometry.lines / u64::from(geometry.ways);
        Self {
            sets,
            ways: geometry.ways as usize,
            policy: geometry.policy,
            lists: vec![Vec::new(); sets as usize],
            random: Xorshift::default(),
            time: 0,
        }
    }

    /// `Some(None)`: filled in without an eviction; `None`: a hit.
    fn access(&mut self, line: u64, write: bool) -> Option<Option<Gone>> {
        self.time += 1;
        let (time, ways) = (self.time, self.ways);
        let list = &mut self.lists[(line % self.sets) as usize];
        if let Some(at) = list.iter().position(|h| h.line == line) {
            list[at].used = time;
            list[at].changed |= write;
            list[at].prediction = 0;
            Self::mark(list, ways, at);
            return None;
        }
        let held = Held { line, changed: write, filled: time, used: time, bit: false, prediction: 2 };
        if list.len() < ways {
            list.push(held);
            let at = list.len() - 1;
            Self::mark(list, ways, at);
            return Some(None);
        }
        let at = match self.policy {
            Replacement::Lru => (0..ways).min_by_key(|&w| list[w].used).unwrap(),
            Replacement::Fifo => (0..ways).min_by_key(|&w| list[w].filled).unwrap(),
            Replacement::Plru => Self::oldest_leaf(list),
            Replacement::Nru => list.iter().position(|h| !h.bit).unwrap_or(0),
            Replacement::Srrip => loop {
                if let Some(at) = list.iter().position(|h| h.prediction == 3) {
                    break at;
                }
                list.iter_mut().for_each(|h| h.prediction += 1);
            },
            Replacement::Random => self.random.below(ways),
        };
        let old = std::mem::replace(&mut list[at], held);
        Self::mark(list, ways, at);
        Some(Some(Gone { line: old.line, changed: old.changed }))
    }

    fn mark(list: &mut [Held], ways: usize, at: usize) {
        list[at].bit = true;
        if list.len() == ways && list.iter().all(|h| h.bit) {
            list.iter_mut().for_each(|h| h.bit = false);
            list[at].bit = true;
        }
    }

    /// The tree without bits: at every node the half that holds the youngest use is the younger one.
    fn oldest_leaf(list: &[Held]) -> usize {
        let mut range = 0..list.len();
        while range.len() > 1 {
            let middle = range.start + range.len() / 2;
            let youngest = |r: std::ops::Range<usize>| list[r].iter().map(|h| h.used).max();
            let lower_is_younger = youngest(range.start..middle) > youngest(middle..range.end);
            range = if lower_is_younger { middle..range.end } else { range.start..middle };
        }
        range.start
    }
}

fn geometry(sets: u64, ways: u32, policy: Replacement) -> CacheGeometry {
    CacheGeometry {
        name: "L1".to_owned(),
        lines: sets * u64::from(ways),
        line_bytes: 64,
        ways,
        policy,
        ..CacheGeometry::default()
    }
}

pub(super) const POLICIES: [Replacement; 6] = [
    Replacement::Lru,
    Replacement::Fifo,
    Replacement::Plru,
    Replacement::Nru,
    Replacement::Srrip,
    Replacement::Random,
];

fn compare(geometry: &CacheGeometry, accesses: &[(u64, bool)]) -> Result<(), TestCaseError> {
    let mut cache = Cache::new(geometry, true);
    let mut reference = Reference::new(geometry);
    for &(line, write) in accesses {
        let found = cache.touch(line, write);
        let got = if found { None } else { Some(cache.fill(line, write, true)) };
        prop_assert_eq!(got, reference.access(line, write), "line {} of {:?}", line, geometry);
        prop_assert!(cache.holds(line));
    }
    Ok(())
}

proptest! {
    #[test]
    fn every_policy_does_as_its_reference(
        sets in prop::sample::select(vec![1_u64, 2, 3, 4]),
        ways in prop::sample::select(vec![1_u32, 2, 4, 8]),
        accesses in prop::collection::vec((0_u64..60, any::<bool>()), 1..400),
    ) {
        for policy in POLICIES {
            compare(&geometry(sets, ways, policy), &accesses)?;
        }
    }

    /// Sets that are found through a map.
    #[test]
    fn many_ways_do_as_their_reference(
        sets in 1_u64..3,
        accesses in prop::collection::vec((0_u64..220, any::<bool>()), 1..1200),
    ) {
        for policy in POLICIES {
            compare(&geometry(sets, 64, policy), &accesses)?;
        }
    }

    /// Removed lines leave room for others, in both forms of LRU.
    #[test]
    fn removed_lines_leave_room(
        sets in 1_u64..3,
        ways in prop::sample::select(vec![4_u32, 40]),
        steps in prop::collection::vec((0_u64..120, 0_u8..4), 1..800),
    ) {
        let mut cache = Cache::new(&geometry(sets, ways, Replacement::Lru), true);
        // Oldest first.
        let mut lists: Vec<Vec<u64>> = vec![Vec::new(); sets as usize];
        for (line, what) in steps {
            let list = &mut lists[(line % sets) as usize];
            let at = list.iter().position(|&l| l == line);
            if what == 0 {
                prop_assert_eq!(cache.remove(line).is_some(), at.is_some());
                if let Some(at) = at {
                    list.remove(at);
                }
                continue;
            }
            prop_assert_eq!(cache.touch(line, false), at.is_some());
            match at {
                Some(at) => { list.remove(at); }
                None => {
                    let gone = cache.fill(line, false, true).map(|g| g.line);
                    let full = list.len() == ways as usize;
                    let expected = full.then(|| list.remove(0));
                    prop_assert_eq!(gone, expected);
                }
            }
            list.push(line);
        }
    }

    /// Every miss of a burst is a miss of the same policy that saw all accesses.
    #[test]
    fn a_burst_only_misses_what_was_not_there(
        sets in prop::sample::select(vec![1_u64, 2]),
        ways in prop::sample::select(vec![1_u32, 2, 4]),
        before in prop::collection::vec(0_u64..30, 0..200),
        burst in prop::collection::vec(0_u64..60, 1..600),
    ) {
        for policy in [Replacement::Lru, Replacement::Fifo, Replacement::Srrip] {
            let geometry = geometry(sets, ways, policy);
            let mut whole = Cache::new(&geometry, true);
            let mut part = Cache::new(&geometry, false);
            for &line in &before {
                if !whole.touch(line, false) {
                    whole.fill(line, false, true);
                }
                // Nothing remains from an earlier burst.
                if !part.touch(line, false) {
                    part.fill(line, false, true);
                }
            }
            part.forget();
            let mut seen = std::collections::HashSet::new();
            for &line in &burst {
                let was_there = whole.touch(line, false);
                if !was_there {
                    whole.fill(line, false, true);
                }
                if !part.touch(line, false) {
                    let first = seen.insert(line);
                    // With SRRIP and FIFO the order may differ until old lines are gone; first uses are sure.
                    if part.knows(line) && (first || policy == Replacement::Lru) {
                        prop_assert!(!was_there, "{:?} {} of {:?}", policy, line, burst);
                    }
                    part.fill(line, false, true);
                } else {
                    seen.insert(line);
                    if policy == Replacement::Lru {
                        prop_assert!(was_there, "LRU knows what it holds");
                    }
                }
            }
        }
    }
}

#[test]
fn an_lru_set_is_known_once_it_is_full() {
    let mut cache = Cache::new(&geometry(2, 3, Replacement::Lru), false);
    for (line, known) in [(0, false), (2, false), (4, false), (6, true)] {
        assert_eq!(cache.knows(line), known, "{line}");
        assert!(!cache.touch(line, false));
        cache.fill(line, false, true);
    }
    assert!(!cache.knows(1), "the other set has seen nothing");
    cache.forget();
    assert!(!cache.knows(0) && !cache.holds(6));
    // A line that perhaps was not requested does not show the contents.
    for line in [0, 2] {
        cache.fill(line, false, true);
    }
    cache.fill(4, false, false);
    assert!(!cache.knows(6));
}
