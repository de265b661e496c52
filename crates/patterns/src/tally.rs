//! How much of each chosen loop was seen: entries, iterations, bursts, calls of code that is not traced.

use crate::collect::Collector;
use crate::event::Event;
use crate::facts::UntracedCall;
use crate::nest::{Change, Nest};
use crate::shape::Shape;
use std::collections::BTreeMap;

/// Sums of one thread.
#[derive(Debug, Default)]
pub struct Tally {
    nest: Nest<()>,
    loops: BTreeMap<u32, Seen>,
    burst: u64,
    calls: BTreeMap<(u32, u32), u64>,
}

#[derive(Debug, Default)]
struct Seen {
    entries: u64,
    joined: u64,
    iterations: u64,
    bursts: u64,
    last_burst: u64,
}

impl Tally {
    /// Adds events of the thread.
    pub fn feed(&mut self, shape: &Shape, events: &[Event]) {
        for event in events {
            if let Event::Call { call, .. } = *event {
                for level in self.nest.levels() {
                    if shape.loops.get(level.loop_ as usize).is_some_and(|l| l.chosen) {
                        *self.calls.entry((level.loop_, call)).or_default() += 1;
                    }
                }
                continue;
            }
            match self.nest.follow(event) {
                Change::Cut(levels) => {
                    for level in levels {
                        // The last iteration may have been cut short; it has begun.
                        self.loops.entry(level.loop_).or_default().iterations += level.passes;
                    }
                    self.burst += 1;
                }
                Change::Opened => {
                    let Some(level) = self.nest.levels().last() else { continue };
                    let seen = self.loops.entry(level.loop_).or_default();
                    if level.whole {
                        seen.entries += 1;
                    } else {
                        seen.joined += 1;
                    }
                    if seen.last_burst != self.burst {
                        seen.last_burst = self.burst;
                        seen.bursts += 1;
                    }
                }
                Change::Closed(level, tested) => {
                    self.loops.entry(level.loop_).or_default().iterations += level.iterations(tested);
                }
                Change::None | Change::Passed => {}
            }
        }
    }

    /// Adds the sums to the facts.
    pub fn finish(mut self, into: &mut Collector) {
        let shape = into.shape;
        for level in self.nest.take() {
            self.loops.entry(level.loop_).or_default().iterations += level.passes;
        }
        for (loop_, seen) in self.loops {
            if shape.loops.get(loop_ as usize).is_some_and(|l| l.chosen) {
                let facts = into.of(loop_);
                facts.entries += seen.entries;
                facts.joined += seen.joined;
                facts.iterations += seen.iterations;
                facts.bursts += seen.bursts;
            }
        }
        for ((loop_, call), count) in self.calls {
            let Some(at) = shape.calls.get(call as usize) else { continue };
            let calls = &mut into.of(loop_).calls;
            match calls.iter_mut().find(|c| c.address == at.address && c.target == at.target) {
                Some(known) => known.count += count,
                None => calls.push(UntracedCall {
                    address: at.address,
                    target: at.target.clone(),
                    count,
                    modelled: false,
                }),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::{CallShape, LoopShape};

    #[test]
    fn entries_iterations_and_calls_add_up() {
        let shape = Shape {
            loops: vec![
                LoopShape { header: 0x10, chosen: true, ..LoopShape::default() },
                LoopShape { header: 0x20, chosen: false, parent: Some(0), ..LoopShape::default() },
            ],
            calls: vec![CallShape { address: 0x14, target: Some("f".to_owned()), ..CallShape::default() }],
            ..Shape::default()
        };
        let mut events = vec![Event::Gap];
        for n in [3, 2] {
            events.push(Event::Enter { loop_: 0, stack: 0 });
            for _ in 0..n {
                events.push(Event::Pass { loop_: 0 });
                events.push(Event::Call { call: 0, arguments: [0; 3] });
            }
            events.push(Event::Pass { loop_: 0 });
            events.push(Event::Leave { loop_: 0, tested: true });
        }
        events.extend([Event::Gap, Event::Join { loop_: 0, stack: 0 }, Event::Pass { loop_: 0 }]);
        let mut tally = Tally::default();
        tally.feed(&shape, &events);
        let mut all = Collector::new(&shape);
        tally.finish(&mut all);
        let loops = all.finish();
        assert_eq!(loops.len(), 1, "only the chosen one");
        let l = &loops[0];
        assert_eq!((l.entries, l.joined, l.iterations, l.bursts), (2, 1, 6, 2));
        assert_eq!((l.calls[0].count, l.calls[0].target.as_deref()), (5, Some("f")));
    }
}
