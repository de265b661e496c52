//! The data of one operand in one loop.

use super::Place;
use super::lanes::Lanes;
use super::values::Values;
use crate::event::Access;
use crate::facts::{LevelStrides, SitePattern};
use crate::nest::Level;
use crate::shape::{Shape, Site};

const PAGE_BITS: u32 = 12;

/// Sums and the last accesses of an operand.
#[derive(Clone, Debug, Default)]
pub struct Operand {
    /// Index in the shape.
    pub site: u32,
    /// Operand size for alignment; 0 where it varies.
    aligned_to: u64,
    /// Bytes of an element, to find the operand's address from its first active element; 0 for gathers, whose
    /// lanes have separate addresses.
    element: u64,
    executions: u64,
    bytes: u64,
    misaligned: u64,
    line_splits: u64,
    page_splits: u64,
    low: u64,
    high: u64,
    example: u64,
    last_lane: u16,
    /// The current execution was counted as one that splits a line or a page.
    split: (bool, bool),
    /// By depth of the nest, outermost first.
    slots: Vec<Slot>,
    strides: Vec<Strides>,
    lanes: Option<Box<Lanes>>,
    relation: Relation,
}

/// The first access in the last iteration of a level that had one.
#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    entry: u64,
    pass: u64,
    address: u64,
    lane: u16,
    /// The level was the innermost one: the access counts for [`Relation`] when the iteration was seen to its end.
    begun: bool,
    /// Random number of the iteration.
    weight: u64,
    /// Index into [`Operand::strides`].
    strides: u32,
}

/// Strides over one loop.
#[derive(Clone, Debug, Default)]
struct Strides {
    loop_: u32,
    /// Least number of loops inside it that contain the operand.
    inside: usize,
    steps: u64,
    values: Values,
    ascending: u64,
    same_line: u64,
    same_page: u64,
}

/// Finds whether two operands always keep their distance.
///
/// Each iteration has a random number w. Over the iterations in which the operand was accessed, W = sum of w and H =
/// sum of w x address, modulo 2^64. Two operands with equal W were accessed in the same iterations, and they kept the
/// distance d in all of them when their H differ by d x W: by chance that happens once in about 2^60 cases. No list of
/// pairs is needed. The distance is taken in the iteration with the least w, whichever was known to be complete first:
/// that differs between operands when one is also accessed in iterations that do not count.
#[derive(Clone, Copy, Debug, Default)]
struct Relation {
    weights: u64,
    weighted: u64,
    /// The least w with its address.
    least: Option<(u64, u64)>,
}

impl Relation {
    fn add(&mut self, weight: u64, address: u64) {
        let least = Some((weight, address));
        self.absorb(Self { weights: weight, weighted: weight.wrapping_mul(address), least });
    }

    fn absorb(&mut self, other: Self) {
        self.weights = self.weights.wrapping_add(other.weights);
        self.weighted = self.weighted.wrapping_add(other.weighted);
        self.least = [self.least, other.least].into_iter().flatten().min();
    }
}

impl Operand {
    /// No access yet.
    pub fn new(index: u32, site: &Site) -> Self {
        let gather = site.lanes > 1;
        Self {
            site: index,
            aligned_to: u64::from(match (site.size, gather) {
                (0, _) => 0,
                (_, true) => site.element,
                (size, false) => size,
            }),
            element: if gather { 0 } else { u64::from(site.element) },
            lanes: gather.then(Box::default),
            low: u64::MAX,
            ..Self::default()
        }
    }

    /// Adds an access within `levels`, outermost first.
    #[inline]
    pub fn access(&mut self, access: &Access, levels: &[Level<Place>], line_bits: u32) {
        // The operand begins where its first element would be, also when that is switched off.
        let address = access.address.wrapping_sub(u64::from(access.lane) * self.element);
        let next = self.step(address, access.lane, levels, line_bits);
        if next || access.lane <= self.last_lane {
            self.begin(address, access.address);
        }
        self.last_lane = access.lane;
        self.bytes += u64::from(access.size);
        let last = access.address.saturating_add(u64::from(access.size.max(1) - 1));
        self.low = self.low.min(access.address);
        self.high = self.high.max(last.saturating_add(1));
        if self.aligned_to > 0 {
            if !self.split.0 && access.address >> line_bits != last >> line_bits {
                self.split.0 = true;
                self.line_splits += 1;
            }
            if !self.split.1 && access.address >> PAGE_BITS != last >> PAGE_BITS {
                self.split.1 = true;
                self.page_splits += 1;
            }
        }
        if let Some(lanes) = &mut self.lanes {
            lanes.add(access.address, access.size, line_bits);
        }
    }

    /// An execution begins.
    #[inline]
    fn begin(&mut self, address: u64, example: u64) {
        if self.executions == 0 {
            self.example = example;
        }
        self.executions += 1;
        self.split = (false, false);
        let misaligned = match self.aligned_to {
            0 => false,
            size if size.is_power_of_two() => address & (size - 1) != 0,
            size => !address.is_multiple_of(size),
        };
        self.misaligned += u64::from(misaligned);
        if let Some(lanes) = &mut self.lanes {
            lanes.end();
        }
    }

    /// Counts the strides over all loops of which a new iteration accesses the operand for the first time, from the
    /// innermost outwards; false when the innermost one's iteration had accessed it before.
    #[inline]
    fn step(&mut self, address: u64, lane: u16, levels: &[Level<Place>], line_bits: u32) -> bool {
        let Some(innermost) = levels.last() else { return false };
        let depth = levels.len() - 1;
        if let Some(slot) = self.slots.get(depth)
            && (slot.entry, slot.pass) == (innermost.own.entry, innermost.passes)
        {
            return false;
        }
        if self.slots.len() <= depth {
            self.slots.resize(depth + 1, Slot::default());
        }
        for (at, level) in levels.iter().enumerate().rev() {
            let slot = &mut self.slots[at];
            if (slot.entry, slot.pass) == (level.own.entry, level.passes) {
                break;
            }
            if std::mem::take(&mut slot.begun) {
                self.relation.add(slot.weight, slot.address);
            }
            if slot.entry == level.own.entry {
                if slot.pass + 1 == level.passes && slot.pass > 0 && slot.lane == lane {
                    self.strides[slot.strides as usize].add(slot.address, address, line_bits);
                }
            } else {
                slot.entry = level.own.entry;
                let known = self.strides.iter().position(|s| s.loop_ == level.loop_);
                slot.strides = known.unwrap_or(self.strides.len()) as u32;
                let inside = depth - at;
                match known {
                    Some(known) => self.strides[known].inside = self.strides[known].inside.min(inside),
                    None => {
                        self.strides.push(Strides { loop_: level.loop_, inside, ..Strides::default() });
                    }
                }
            }
            (slot.pass, slot.address, slot.lane) = (level.passes, address, lane);
        }
        // The beginning of an iteration that was already running when the burst began is not known.
        let slot = &mut self.slots[depth];
        (slot.begun, slot.weight) = (innermost.passes > 0, innermost.own.weight);
        true
    }

    /// The end of the current iterations was not seen: they do not count for distances.
    pub fn cut(&mut self, levels: &[Level<Place>]) {
        for (slot, level) in self.slots.iter_mut().zip(levels) {
            slot.begun &= (slot.entry, slot.pass) != (level.own.entry, level.passes);
        }
    }

    /// The stream is complete.
    pub fn end(&mut self) {
        for slot in self.slots.iter_mut().filter(|slot| slot.begun) {
            self.relation.add(slot.weight, slot.address);
            slot.begun = false;
        }
        if let Some(lanes) = &mut self.lanes {
            lanes.end();
        }
    }

    /// Adds the results of another thread; both are complete.
    pub fn absorb(&mut self, other: &Self) {
        if self.executions == 0 {
            self.example = other.example;
        }
        self.executions += other.executions;
        self.bytes += other.bytes;
        self.misaligned += other.misaligned;
        self.line_splits += other.line_splits;
        self.page_splits += other.page_splits;
        self.low = self.low.min(other.low);
        self.high = self.high.max(other.high);
        for strides in &other.strides {
            match self.strides.iter_mut().find(|s| s.loop_ == strides.loop_) {
                Some(known) => known.absorb(strides),
                None => self.strides.push(strides.clone()),
            }
        }
        if let (Some(lanes), Some(other)) = (&mut self.lanes, &other.lanes) {
            lanes.absorb(other);
        }
        self.relation.absorb(other.relation);
    }

    /// The values that operands with a constant distance share, and an address to take the distance from.
    pub fn relation(&self) -> Option<((u64, u64), u64)> {
        let (_, address) = self.relation.least?;
        let rest = self.relation.weighted.wrapping_sub(address.wrapping_mul(self.relation.weights));
        Some(((self.relation.weights, rest), address))
    }

    /// Writes the facts, except the distance to other operands.
    pub fn write(&self, shape: &Shape, into: &mut SitePattern) {
        into.executions = self.executions;
        into.bytes = self.bytes;
        into.misaligned = self.misaligned;
        into.line_splits = self.line_splits;
        into.page_splits = self.page_splits;
        into.low = if self.executions == 0 { 0 } else { self.low };
        into.high = self.high;
        into.example = self.example;
        into.lane_steps = self.lanes.as_ref().map(|lanes| lanes.facts());
        let mut strides: Vec<&Strides> = self.strides.iter().collect();
        strides.sort_by_key(|s| s.inside);
        into.strides = strides.into_iter().filter_map(|s| s.facts(shape)).collect();
    }
}

impl Strides {
    #[inline]
    fn add(&mut self, before: u64, now: u64, line_bits: u32) {
        let step = now.wrapping_sub(before) as i64;
        self.steps += 1;
        self.values.add(step, 1);
        self.ascending += u64::from(step > 0);
        self.same_line += u64::from(before >> line_bits == now >> line_bits);
        self.same_page += u64::from(before >> PAGE_BITS == now >> PAGE_BITS);
    }

    fn absorb(&mut self, other: &Self) {
        self.inside = self.inside.min(other.inside);
        self.steps += other.steps;
        self.values.absorb(&other.values);
        self.ascending += other.ascending;
        self.same_line += other.same_line;
        self.same_page += other.same_page;
    }

    fn facts(&self, shape: &Shape) -> Option<LevelStrides> {
        let at = shape.loops.get(self.loop_ as usize)?;
        let (values, others) = self.values.most_frequent();
        Some(LevelStrides {
            module: at.module,
            header: at.header,
            steps: self.steps,
            values,
            others,
            ascending: self.ascending,
            same_line: self.same_line,
            same_page: self.same_page,
        })
    }
}
