//! Numbers for sets of operands: the users of a line are one number, whatever their count.

use rustc_hash::FxHashMap;

/// Most sets that are distinguished; a line that would need another keeps the one it has.
const MOST: usize = 4096;

/// Sets as they occurred; 0 is the empty one.
#[derive(Debug)]
pub struct Sets {
    members: Vec<Vec<u32>>,
    /// From a set and one more member to the set of both.
    next: FxHashMap<u64, u32>,
    known: std::collections::HashMap<Vec<u32>, u32>,
}

impl Default for Sets {
    fn default() -> Self {
        Self {
            members: vec![Vec::new()],
            next: FxHashMap::default(),
            known: [(Vec::new(), 0)].into_iter().collect(),
        }
    }
}

impl Sets {
    /// Sets so far.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// The members, ascending; empty for an unknown number.
    pub fn members(&self, set: u32) -> &[u32] {
        self.members.get(set as usize).map_or(&[], Vec::as_slice)
    }

    /// The set with one more member.
    #[inline]
    pub fn with(&mut self, set: u32, member: u32) -> u32 {
        let key = u64::from(set) << 32 | u64::from(member);
        match self.next.get(&key) {
            Some(&next) => next,
            None => self.add(set, member, key),
        }
    }

    fn add(&mut self, set: u32, member: u32, key: u64) -> u32 {
        let mut members = self.members(set).to_vec();
        if let Err(at) = members.binary_search(&member) {
            members.insert(at, member);
        }
        let next = match self.known.get(&members) {
            Some(&next) => next,
            // One operand alone must have a set, or its lines would be attributed to no operand.
            None if self.members.len() >= MOST && members.len() > 1 => set,
            None => {
                let next = self.members.len() as u32;
                self.known.insert(members.clone(), next);
                self.members.push(members);
                next
            }
        };
        self.next.insert(key, next);
        next
    }

    /// The set with all of these.
    pub fn with_all(&mut self, set: u32, members: &[u32]) -> u32 {
        members.iter().fold(set, |set, &member| self.with(set, member))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_members_does_not_matter() {
        let mut sets = Sets::default();
        let a = sets.with_all(0, &[3, 1, 2]);
        let b = sets.with_all(0, &[2, 3, 1, 1]);
        assert_eq!((a, sets.members(a)), (b, &[1, 2, 3][..]));
        assert_eq!(sets.with(a, 2), a);
        assert_ne!(sets.with(0, 2), a);
    }

    #[test]
    fn their_number_is_bounded() {
        let mut sets = Sets::default();
        for n in 0..3 * MOST as u32 {
            let one = sets.with(0, n);
            assert_eq!(sets.members(one), [n]);
            let two = sets.with(one, n + 1);
            assert!(sets.members(two).contains(&n));
        }
        assert!(sets.len() <= 4 * MOST);
    }
}
