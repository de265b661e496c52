//! Streams of events for this crate's tests: written by hand, and random ones.

use crate::event::{Access, Event};
use crate::facts::AccessKind;
use crate::shape::{LoopShape, Shape, Site};
use proptest::prelude::*;

/// Writes streams of well nested loops.
#[derive(Debug, Default)]
pub struct Scribe {
    pub events: Vec<Event>,
}

impl Scribe {
    pub fn new() -> Self {
        Self { events: vec![Event::Gap] }
    }

    /// Enters a loop, runs `body` for each of `n` iterations and leaves it.
    pub fn run(&mut self, loop_: u32, n: u64, mut body: impl FnMut(&mut Self, u64)) {
        self.events.push(Event::Enter { loop_, stack: 0x7fff_0000 });
        for iteration in 0..n {
            self.events.push(Event::Pass { loop_ });
            body(self, iteration);
        }
        self.events.push(Event::Leave { loop_, tested: false });
    }

    pub fn access(&mut self, site: u32, address: u64, size: u32) {
        self.lane(site, address, size, 0);
    }

    pub fn lane(&mut self, site: u32, address: u64, size: u32, lane: u16) {
        self.events.push(Event::Access(Access { site, address, size, lane }));
    }
}

/// Five loops, three of them chosen; four plain operands, a masked one and a gather, which any loop may run.
pub fn shape() -> Shape {
    let loops = [(0x10, true), (0x20, false), (0x30, true), (0x40, true), (0x50, false)];
    let site = |(address, kind, size, element, lanes)| Site {
        address,
        kind,
        size,
        element,
        lanes,
        ..Site::default()
    };
    let sites = [
        (0x11, AccessKind::Load, 8, 8, 1),
        (0x12, AccessKind::Store, 8, 8, 1),
        (0x13, AccessKind::Update, 4, 4, 1),
        (0x14, AccessKind::Load, 16, 8, 1),
        (0x15, AccessKind::Load, 32, 8, 1),
        (0x16, AccessKind::Load, 32, 8, 4),
    ];
    Shape {
        loops: loops.map(|(header, chosen)| LoopShape { header, chosen, ..LoopShape::default() }).to_vec(),
        sites: sites.map(site).to_vec(),
        ..Shape::default()
    }
}

/// A random well nested stream over [`shape`] of about `length` events.
pub fn stream(length: usize) -> impl Strategy<Value = Vec<Event>> {
    prop::collection::vec((0u32..40, 0u32..1000), 0..length).prop_map(|codes| {
        let mut nest: Vec<u32> = Vec::new();
        let mut events = vec![Event::Gap];
        let mut walked = 0u64;
        for (what, detail) in codes {
            let inner = nest.last().copied();
            match (what, inner) {
                (0, _) => {
                    events.push(Event::Gap);
                    nest.clear();
                    for n in 0..detail % 4 {
                        let loop_ = (detail / 4 + n) % 5;
                        events.push(Event::Join { loop_, stack: 0x7fff_0000 });
                        nest.push(loop_);
                    }
                }
                (1..=5, _) | (_, None) if nest.len() < 5 => {
                    let loop_ = detail % 5;
                    events.push(Event::Enter { loop_, stack: 0x7fff_0000 });
                    events.push(Event::Pass { loop_ });
                    nest.push(loop_);
                }
                (6..=9, Some(loop_)) => {
                    events.push(Event::Leave { loop_, tested: detail % 2 == 0 });
                    nest.pop();
                }
                (10..=22, Some(loop_)) => events.push(Event::Pass { loop_ }),
                (_, Some(_)) => {
                    walked += 1;
                    let site = detail % 6;
                    // Steps, small jumps, neighbours: often regular, never far.
                    let address = 0x10000
                        + match detail % 5 {
                            0 => u64::from(detail) * 4,
                            1 => u64::from(detail % 64) * 8,
                            _ => walked * 8 + u64::from(site) * 0x400,
                        };
                    match site {
                        4 => {
                            let first = (detail % 3) as u16;
                            let size = 8 * (1 + detail % (4 - u32::from(first)));
                            let address = address + 8 * u64::from(first);
                            events.push(Event::Access(Access { site, address, size, lane: first }));
                        }
                        5 => {
                            for lane in (0..4u16).filter(|lane| detail >> (4 + lane) & 1 == 1) {
                                let address = address + u64::from(detail * u32::from(lane) % 97) * 8;
                                events.push(Event::Access(Access { site, address, size: 8, lane }));
                            }
                        }
                        _ => {
                            let size = [8, 8, 4, 16][site as usize];
                            events.push(Event::Access(Access { site, address, size, lane: 0 }));
                        }
                    }
                }
                _ => {}
            }
        }
        events
    })
}
