//! Samples per instruction, for source and assembly views.

use crate::resolve::function_at;
use loopwright_experiment::{CodeModule, Facts};
use std::collections::HashMap;

/// Self time in user code by address, for all described functions in all surveys.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hits {
    /// By number of the stored function: nanoseconds by instruction address. Functions without samples are absent.
    pub functions: HashMap<i64, HashMap<u64, u64>>,
    /// Sampled user time of the whole program.
    pub program_ns: u64,
}

impl Hits {
    /// Collects them.
    pub fn of(facts: &Facts) -> Self {
        let mut hits = Self::default();
        for survey in &facts.surveys {
            let recording = &survey.facts;
            let described: HashMap<u32, &CodeModule> =
                survey.code.iter().map(|module| (module.position, module)).collect();
            let mut by_frame = vec![0; recording.frames.len()];
            for sample in recording.samples.iter().filter(|sample| !sample.kernel) {
                hits.program_ns += u64::from(sample.weight_ns);
                let frame = recording.stacks[sample.stack as usize].frame as usize;
                by_frame[frame] += u64::from(sample.weight_ns);
            }
            for (frame, ns) in recording.frames.iter().zip(by_frame).filter(|(_, ns)| *ns > 0) {
                let module = frame.module.and_then(|module| described.get(&module));
                if let Some(stored) = module.and_then(|module| function_at(&module.functions, frame.address))
                {
                    *hits.functions.entry(stored.id).or_default().entry(frame.address).or_default() += ns;
                }
            }
        }
        hits
    }
}

/// The stored function and the static facts of the loop with this id.
pub fn find_loop(facts: &Facts, id: u32) -> Option<(i64, &loopwright_binary::facts::FunctionCode, usize)> {
    facts.code().flat_map(|module| module.functions.iter()).find_map(|stored| {
        let index = stored.loop_ids.iter().position(|&known| known == id)?;
        Some((stored.id, &stored.code, index))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::{function, module, recording, scalar_loop};
    use loopwright_experiment::Run;

    #[test]
    fn samples_are_summed_by_function_and_address() {
        let first = function(1, "first", (0x100, 0x200), vec![scalar_loop(0, (0x110, 0x120), 3)], 1);
        let second = function(2, "second", (0x200, 0x300), vec![], 2);
        // The caller's frame gets nothing; the address outside both belongs to no described function.
        let mut recording =
            recording(&[(&[0x210, 0x110], 3), (&[0x118], 2), (&[0x210], 4), (&[0x900], 5), (&[0x110], 1)]);
        recording.samples.last_mut().unwrap().kernel = true;
        let survey =
            Run { id: 1, facts: recording, code: vec![module(vec![first, second])], ..Run::default() };
        // Two ranks of the same program.
        let facts = Facts { surveys: vec![survey.clone(), survey], ..Facts::default() };
        let hits = Hits::of(&facts);
        assert_eq!(hits.program_ns, 28_000_000);
        assert_eq!(hits.functions.len(), 2);
        assert_eq!(hits.functions[&1], HashMap::from([(0x110, 6_000_000), (0x118, 4_000_000)]));
        assert_eq!(hits.functions[&2], HashMap::from([(0x210, 8_000_000)]));
    }
}
