//! Samples per instruction, for source and assembly views.

use crate::facts::Facts;
use std::collections::HashMap;

/// Self time in user code by address, for one described function in all surveys.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hits {
    /// Nanoseconds by instruction address.
    pub by_address: HashMap<u64, u64>,
    /// Sampled user time of the whole program.
    pub program_ns: u64,
}

/// Collects the hits of the function stored under `function`.
pub fn hits(facts: &Facts, function: i64) -> Hits {
    let mut hits = Hits::default();
    for survey in &facts.surveys {
        let found = survey.code.iter().find_map(|module| {
            let stored = module.functions.iter().find(|stored| stored.id == function)?;
            Some((module.position, &stored.code.function))
        });
        let recording = &survey.recording;
        for sample in recording.samples.iter().filter(|sample| !sample.kernel) {
            hits.program_ns += u64::from(sample.weight_ns);
            let Some((module, bounds)) = found else { continue };
            let frame = &recording.frames[recording.stacks[sample.stack as usize].frame as usize];
            let inside = |&(a, b): &(u64, u64)| (a..b).contains(&frame.address);
            if frame.module == Some(module)
                && (inside(&(bounds.address, bounds.end)) || bounds.parts.iter().any(inside))
            {
                *hits.by_address.entry(frame.address).or_default() += u64::from(sample.weight_ns);
            }
        }
    }
    hits
}

/// The stored function and the static facts of the loop with this id.
pub fn find_loop(facts: &Facts, id: u32) -> Option<(i64, &loopwright_binary::facts::FunctionCode, usize)> {
    facts.code().flat_map(|module| &module.functions).find_map(|stored| {
        let index = stored.loop_ids.iter().position(|&known| known == id)?;
        Some((stored.id, &stored.code, index))
    })
}
