//! Machine operands as the lifting sees them: place in the source, stride over the traced loop, distance to others.

use super::{DOMINANT, share};
use crate::patterns::{Spot, Traced};
use loopwright_patterns::facts::{LevelStrides, SitePattern};

/// A memory operand of a machine instruction.
#[derive(Clone, Debug)]
pub(super) struct Operand<'a> {
    pub site: &'a SitePattern,
    /// Its index in the facts.
    pub index: u32,
    pub spot: Spot,
    /// Index into `site.strides` of the traced loop.
    pub level: Option<usize>,
    /// Its stride over the traced loop, where nearly all steps have it.
    pub stride: Option<i64>,
    /// Bytes of an element as written.
    pub element: u32,
    /// Operands with the same number always keep their distances; and the distance from the first of them.
    pub family: (u32, i64),
    /// First of the arrays that it goes through.
    pub array: Option<u32>,
}

/// The stride that nearly all steps have.
pub(in crate::patterns) fn dominant(level: &LevelStrides) -> Option<i64> {
    most_frequent(level, DOMINANT)
}

/// The most frequent step, when it is this share of all.
pub(in crate::patterns) fn most_frequent(level: &LevelStrides, least: f64) -> Option<i64> {
    let &(bytes, count) = level.values.first()?;
    (share(count, level.steps) >= least).then_some(bytes)
}

impl<'a> Operand<'a> {
    /// All operands of a loop.
    pub fn all(traced: &Traced<'a>) -> Vec<Self> {
        let seen = traced.seen;
        let one = |(site, index): (&'a SitePattern, u32)| {
            let own = |level: &LevelStrides| (level.module, level.header) == (seen.module, seen.header);
            let level = site.strides.iter().position(own);
            Self {
                site,
                index,
                spot: traced.spot(site.module, site.function, site.address),
                level,
                stride: level.and_then(|at| dominant(&site.strides[at])),
                element: site.element,
                family: site.offset.unwrap_or((index, 0)),
                array: (seen.footprint.arrays.iter().zip(0..))
                    .find(|(array, _)| array.sites.contains(&index))
                    .map(|(_, at)| at),
            }
        };
        seen.sites.iter().zip(0..).map(one).collect()
    }

    /// Strides over the traced loop.
    pub fn own(&self) -> Option<&'a LevelStrides> {
        self.level.map(|at| &self.site.strides[at])
    }

    /// Several elements at once, side by side: a whole vector register, whatever type the instruction names.
    pub fn is_packed(&self) -> bool {
        self.site.lanes <= 1 && (self.site.size > self.site.element || self.site.size >= 16)
    }

    /// Its place in the source distinguishes it from other operands of the line. GNU Fortran gives all operands of a statement
    /// one column.
    pub fn has_own_column(&self) -> bool {
        let file = self.spot.file.as_deref();
        let extension = file.and_then(|file| file.rsplit_once('.')).map_or("", |parts| parts.1);
        let extension = extension.to_ascii_lowercase();
        let fortran = ["for", "ftn", "f"].contains(&extension.as_str())
            || extension.strip_prefix('f').is_some_and(|digits| digits.parse::<u32>().is_ok());
        self.spot.column.is_some() && !fortran
    }

    /// A gather or scatter.
    pub fn is_gather(&self) -> bool {
        self.site.lanes > 1
    }

    /// Moves regularly with the traced loop, which is the innermost around it.
    pub fn is_regular(&self) -> bool {
        self.level == Some(0) && self.stride.is_some_and(|bytes| bytes != 0) && !self.is_gather()
    }

    /// What copies of one source operand have in common.
    pub fn key(&self) -> Key<'_> {
        Key {
            file: self.spot.file.as_deref(),
            function: (self.site.module, self.site.function),
            line: self.spot.line,
            column: self.spot.column,
            kind: self.site.kind as u8,
            element: self.element,
            lanes: self.site.lanes,
            stride: self.stride,
            array: self.array,
            level: self.level,
            flags: (self.site.streaming, self.site.atomic, self.site.frame),
        }
    }
}

/// What copies of one source operand have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key<'a> {
    file: Option<&'a str>,
    function: (u32, u64),
    line: Option<u32>,
    column: Option<u32>,
    kind: u8,
    element: u32,
    lanes: u32,
    stride: Option<i64>,
    array: Option<u32>,
    level: Option<usize>,
    flags: (bool, bool, bool),
}

impl Key<'_> {
    /// Without line and column.
    pub fn without_place(self) -> Self {
        Self { line: None, column: None, ..self }
    }
}
