//! Which chosen loops are active in a thread, and the index under which an analysis keeps its data of each.

use crate::event::Event;
use crate::nest::{Change, Nest};
use crate::shape::Shape;
use std::collections::BTreeMap;

/// The chosen loops of a thread: each gets a place when it first runs.
#[derive(Debug, Default)]
pub struct Active {
    nest: Nest<()>,
    places: BTreeMap<u32, u32>,
    /// Place, and the number of active levels that are this loop.
    now: Vec<(u32, u32)>,
}

/// The effect of an event on the chosen loops.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Turn {
    /// No change.
    None,
    /// The loop at this place was entered, or joined from outside.
    Begin(u32),
    /// The loop at this place was left.
    End(u32),
    /// The loops at these places ended without their end being seen.
    Cut(Vec<u32>),
}

impl Active {
    pub fn follow(&mut self, shape: &Shape, event: &Event) -> Turn {
        match self.nest.follow(event) {
            Change::Opened => {
                let Some(loop_) = self.nest.levels().last().map(|level| level.loop_) else {
                    return Turn::None;
                };
                if !shape.loops.get(loop_ as usize).is_some_and(|l| l.chosen) {
                    return Turn::None;
                }
                let place = self.place(loop_);
                match self.now.iter_mut().find(|active| active.0 == place) {
                    // A recursion entered it again.
                    Some(active) => active.1 += 1,
                    None => {
                        self.now.push((place, 1));
                        return Turn::Begin(place);
                    }
                }
                Turn::None
            }
            Change::Closed(level, _) => {
                let place = self.places.get(&level.loop_);
                let Some(at) = place.and_then(|p| self.now.iter().position(|active| active.0 == *p)) else {
                    return Turn::None;
                };
                self.now[at].1 -= 1;
                if self.now[at].1 > 0 {
                    return Turn::None;
                }
                Turn::End(self.now.remove(at).0)
            }
            Change::Cut(_) => Turn::Cut(self.now.drain(..).map(|active| active.0).collect()),
            Change::None | Change::Passed => Turn::None,
        }
    }

    /// The place of a loop; the next one when it is new.
    pub fn place(&mut self, loop_: u32) -> u32 {
        let next = self.places.len() as u32;
        *self.places.entry(loop_).or_insert(next)
    }

    /// Places of the active loops.
    pub fn now(&self) -> impl Iterator<Item = u32> {
        self.now.iter().map(|active| active.0)
    }

    /// All loops that ever ran with their places.
    pub fn places(&self) -> impl Iterator<Item = (u32, u32)> {
        self.places.iter().map(|(&loop_, &place)| (loop_, place))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::LoopShape;

    #[test]
    fn a_recursion_is_one_activity() {
        let shape = Shape {
            loops: vec![LoopShape { chosen: true, ..LoopShape::default() }, LoopShape::default()],
            ..Shape::default()
        };
        let mut active = Active::default();
        let mut turn = |event| active.follow(&shape, &event);
        let (enter, leave) =
            (|loop_| Event::Enter { loop_, stack: 0 }, |loop_| Event::Leave { loop_, tested: false });
        assert_eq!(turn(Event::Gap), Turn::Cut(vec![]));
        assert_eq!(turn(enter(1)), Turn::None);
        assert_eq!(turn(enter(0)), Turn::Begin(0));
        assert_eq!(turn(enter(0)), Turn::None);
        assert_eq!(turn(leave(0)), Turn::None);
        assert_eq!(turn(leave(0)), Turn::End(0));
        assert_eq!(turn(leave(1)), Turn::None);
        assert_eq!(turn(enter(0)), Turn::Begin(0));
        assert_eq!(turn(Event::Gap), Turn::Cut(vec![0]));
        assert_eq!(active.now().count(), 0);
    }
}
