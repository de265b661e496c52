//! The loops that are active in a thread, with what an analysis keeps for each.

use crate::event::Event;

/// An active loop.
#[derive(Clone, Debug, Default)]
pub struct Level<T> {
    /// Index in [`crate::shape::Shape::loops`].
    pub loop_: u32,
    /// Iterations of this entry that have begun.
    pub passes: u64,
    /// The entry was seen from its beginning.
    pub whole: bool,
    /// Stack pointer at entry.
    pub stack: u64,
    /// The data of the analysis.
    pub own: T,
}

impl<T> Level<T> {
    /// Iterations of this entry, once it is left.
    pub fn iterations(&self, tested: bool) -> u64 {
        self.passes - u64::from(tested && self.passes > 0)
    }
}

/// Active loops, outermost first.
#[derive(Clone, Debug)]
pub struct Nest<T> {
    levels: Vec<Level<T>>,
}

impl<T> Default for Nest<T> {
    fn default() -> Self {
        Self { levels: Vec::new() }
    }
}

/// The effect of an event on the nest.
#[derive(Debug)]
pub enum Change<T> {
    /// No change.
    None,
    /// All levels ended without their end being seen; outermost first.
    Cut(Vec<Level<T>>),
    /// A level was added as the innermost.
    Opened,
    /// An iteration of the innermost level began.
    Passed,
    /// The innermost level was left; the flag says that its last pass only tested.
    Closed(Level<T>, bool),
}

impl<T: Default> Nest<T> {
    /// Follows an event.
    pub fn follow(&mut self, event: &Event) -> Change<T> {
        match *event {
            Event::Gap => Change::Cut(std::mem::take(&mut self.levels)),
            Event::Enter { loop_, stack } => self.open(loop_, stack, true),
            Event::Join { loop_, stack } => self.open(loop_, stack, false),
            Event::Pass { loop_ } => match self.levels.last_mut().filter(|l| l.loop_ == loop_) {
                Some(level) => {
                    level.passes += 1;
                    Change::Passed
                }
                None => Change::None,
            },
            Event::Leave { loop_, tested } => match self.levels.pop_if(|l| l.loop_ == loop_) {
                Some(level) => Change::Closed(level, tested),
                None => Change::None,
            },
            Event::Access(_) | Event::Call { .. } => Change::None,
        }
    }

    fn open(&mut self, loop_: u32, stack: u64, whole: bool) -> Change<T> {
        self.levels.push(Level { loop_, passes: 0, whole, stack, own: T::default() });
        Change::Opened
    }

    /// Active loops, outermost first.
    pub fn levels(&self) -> &[Level<T>] {
        &self.levels
    }

    /// Active loops, mutable.
    pub fn levels_mut(&mut self) -> &mut [Level<T>] {
        &mut self.levels
    }

    /// Ends all levels, at the end of the stream; outermost first.
    pub fn take(&mut self) -> Vec<Level<T>> {
        std::mem::take(&mut self.levels)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_open_pass_and_close_in_order() {
        let mut nest: Nest<u32> = Nest::default();
        nest.follow(&Event::Gap);
        nest.follow(&Event::Enter { loop_: 3, stack: 64 });
        nest.follow(&Event::Pass { loop_: 3 });
        nest.follow(&Event::Join { loop_: 4, stack: 32 });
        assert!(matches!(nest.follow(&Event::Pass { loop_: 3 }), Change::None), "not the innermost");
        nest.follow(&Event::Pass { loop_: 4 });
        nest.follow(&Event::Pass { loop_: 4 });
        let Change::Closed(inner, true) = nest.follow(&Event::Leave { loop_: 4, tested: true }) else {
            panic!("the inner loop is not closed")
        };
        assert_eq!((inner.passes, inner.iterations(true), inner.whole), (2, 1, false));
        assert_eq!(nest.levels().len(), 1);
        assert!(matches!(nest.follow(&Event::Gap), Change::Cut(cut) if cut[0].loop_ == 3 && cut[0].whole));
    }
}
