//! Collects the results of the analyses by loop and operand.

use crate::facts::{AccessKind, LoopPatterns, SitePattern};
use crate::shape::Shape;
use std::collections::{BTreeMap, HashMap};

/// Marks the name of an operand as that of a call: `CALL | call << 1` means the bytes that the call of that
/// index in [`Shape::calls`] writes, with the lowest bit set for those it reads.
pub const CALL: u32 = 1 << 31;

/// The facts of all chosen loops, while they are collected.
#[derive(Debug)]
pub struct Collector<'a> {
    /// The loops and operands of the trace.
    pub shape: &'a Shape,
    loops: BTreeMap<u32, Gathered>,
}

#[derive(Debug, Default)]
struct Gathered {
    facts: LoopPatterns,
    sites: HashMap<u32, u32>,
}

impl<'a> Collector<'a> {
    /// No facts yet.
    pub fn new(shape: &'a Shape) -> Self {
        Self { shape, loops: BTreeMap::new() }
    }

    fn gathered(&mut self, loop_: u32) -> &mut Gathered {
        let shape = self.shape;
        self.loops.entry(loop_).or_insert_with(|| {
            let at = shape.loops.get(loop_ as usize).cloned().unwrap_or_default();
            let facts = LoopPatterns {
                module: at.module,
                function: at.function,
                header: at.header,
                ..LoopPatterns::default()
            };
            Gathered { facts, sites: HashMap::new() }
        })
    }

    /// The facts of a loop (index in the shape).
    pub fn of(&mut self, loop_: u32) -> &mut LoopPatterns {
        &mut self.gathered(loop_).facts
    }

    /// Index of an operand (of the shape, or of a call: see [`CALL`]) in the facts of a loop; added when it is new.
    pub fn site(&mut self, loop_: u32, site: u32) -> u32 {
        let shape = self.shape;
        let gathered = self.gathered(loop_);
        let next = gathered.facts.sites.len() as u32;
        let index = *gathered.sites.entry(site).or_insert(next);
        if index == next && site & CALL != 0 {
            let at = shape.calls.get((site & !CALL) as usize >> 1).cloned().unwrap_or_default();
            gathered.facts.sites.push(SitePattern {
                module: at.module,
                address: at.address,
                operand: (site & 1) as u8,
                kind: if site & 1 == 1 { AccessKind::Load } else { AccessKind::Store },
                lanes: 1,
                ..SitePattern::default()
            });
        } else if index == next {
            let at = shape.sites.get(site as usize).cloned().unwrap_or_default();
            gathered.facts.sites.push(SitePattern {
                module: at.module,
                function: at.function,
                address: at.address,
                operand: at.operand,
                kind: at.kind,
                size: at.size,
                element: at.element,
                lanes: at.lanes,
                streaming: at.streaming,
                atomic: at.atomic,
                frame: at.frame,
                ..SitePattern::default()
            });
        }
        index
    }

    /// The facts of an operand in a loop.
    pub fn pattern(&mut self, loop_: u32, site: u32) -> &mut SitePattern {
        let index = self.site(loop_, site) as usize;
        &mut self.gathered(loop_).facts.sites[index]
    }

    /// All loops, in the order of the shape.
    pub fn finish(self) -> Vec<LoopPatterns> {
        self.loops.into_values().map(|g| g.facts).collect()
    }
}
