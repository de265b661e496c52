//! Interning of code addresses and calling contexts, and the growing list of samples.
//!
//! A million samples must stay far below 200 MB: a sample is 32 bytes, and equal stacks are one node each (a
//! calling-context forest, as in the Firefox profiler's stack table). Nodes are interned from the outermost
//! frame inwards, so that every parent comes before its children.

use rustc_hash::FxHashMap;

use crate::recording::{Frame, Sample, StackNode};

/// Distinct frames and stacks.
#[derive(Debug, Default)]
pub struct Stacks {
    frames: Vec<Frame>,
    frame_index: FxHashMap<(u32, u64), u32>,
    nodes: Vec<StackNode>,
    node_index: FxHashMap<StackNode, u32>,
}

/// The value in the frame index for an unknown module.
const NO_MODULE: u32 = u32::MAX;

impl Stacks {
    /// The frame at `address` of `module`.
    pub fn frame(&mut self, module: Option<u32>, address: u64) -> u32 {
        let next = self.frames.len() as u32;
        *self.frame_index.entry((module.unwrap_or(NO_MODULE), address)).or_insert_with(|| {
            self.frames.push(Frame { module, address, symbol: None });
            next
        })
    }

    /// The node of a stack that is given innermost frame first. `None` for an empty stack.
    pub fn stack(&mut self, innermost_first: &[u32]) -> Option<u32> {
        let mut parent = None;
        for &frame in innermost_first.iter().rev() {
            let node = StackNode { parent, frame };
            let next = self.nodes.len() as u32;
            let index = *self.node_index.entry(node).or_insert_with(|| {
                self.nodes.push(node);
                next
            });
            parent = Some(index);
        }
        parent
    }

    /// The innermost frame of a stack.
    pub fn innermost(&self, stack: u32) -> Option<&Frame> {
        self.frames.get(self.nodes.get(stack as usize)?.frame as usize)
    }

    /// All frames, so that the caller can set names.
    pub fn frames_mut(&mut self) -> &mut [Frame] {
        &mut self.frames
    }

    /// Frames and nodes, in order of their indices.
    pub fn into_parts(self) -> (Vec<Frame>, Vec<StackNode>) {
        (self.frames, self.nodes)
    }
}

/// The samples of a run, bounded.
#[derive(Debug)]
pub struct Samples {
    kept: Vec<Sample>,
    limit: usize,
    /// Samples that came after the limit.
    pub refused: u64,
}

impl Samples {
    /// At most `limit` samples are kept.
    pub fn new(limit: usize) -> Self {
        Self { kept: Vec::new(), limit, refused: 0 }
    }

    /// Adds a sample.
    pub fn push(&mut self, sample: Sample) {
        if self.kept.len() < self.limit {
            self.kept.push(sample);
        } else {
            self.refused += 1;
        }
    }

    /// Number of samples kept.
    pub fn len(&self) -> usize {
        self.kept.len()
    }

    /// The samples by ascending time.
    pub fn into_sorted(mut self) -> Vec<Sample> {
        self.kept.sort_by_key(|sample| sample.time_ns);
        self.kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_stacks_are_one_node_and_parents_come_first() {
        let mut stacks = Stacks::default();
        let (main, work, leaf) =
            (stacks.frame(Some(0), 0x10), stacks.frame(Some(0), 0x20), stacks.frame(Some(1), 0x20));
        assert_ne!(work, leaf);
        assert_eq!(stacks.frame(Some(0), 0x20), work);
        let first = stacks.stack(&[leaf, work, main]);
        assert_eq!(stacks.stack(&[leaf, work, main]), first);
        let shorter = stacks.stack(&[work, main]);
        assert_eq!(stacks.stack(&[]), None);
        let (_, nodes) = stacks.into_parts();
        assert_eq!(nodes.len(), 3);
        assert_eq!(nodes[first.unwrap() as usize].parent, shorter);
        for (index, node) in nodes.iter().enumerate() {
            assert!(node.parent.is_none_or(|parent| (parent as usize) < index));
        }
    }

    #[test]
    fn an_unknown_module_is_not_module_zero() {
        let mut stacks = Stacks::default();
        assert_ne!(stacks.frame(None, 1), stacks.frame(Some(0), 1));
    }

    #[test]
    fn the_bound_holds_and_counts() {
        let mut samples = Samples::new(2);
        for time_ns in [30, 10, 20] {
            samples.push(Sample { time_ns, thread: 0, cpu: 0, stack: 0, weight_ns: 1, kernel: false });
        }
        assert_eq!((samples.len(), samples.refused), (2, 1));
        let kept = samples.into_sorted();
        assert_eq!(kept.iter().map(|sample| sample.time_ns).collect::<Vec<_>>(), [10, 30]);
    }

    #[test]
    fn a_million_samples_fit() {
        assert!(size_of::<Sample>() <= 32);
        assert!(size_of::<StackNode>() <= 12);
    }
}
