//! The code that a run touched, by address: all that is needed to describe it later, once for all ranks of a job.

use crate::describe::Selected;
use loopwright_instrument::facts::Counts;
use loopwright_instrument::traced::Patterns;
use loopwright_sample::recording::{ModuleKind, Recording};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Addresses of one module that are to be described.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wanted {
    /// Index into the run's modules.
    pub position: u32,
    /// Path, as the run names it.
    pub path: String,
    /// Build id in hexadecimal, where there is one.
    pub build_id: Option<String>,
    /// What distinguishes builds: the build id, else size and time stamp of the file when the run ended; empty when the file
    /// could not be seen.
    pub identity: String,
    /// ELF addresses of all frames.
    #[serde(with = "steps")]
    pub all: BTreeSet<u64>,
    /// Those of innermost frames: their functions get a listing.
    #[serde(with = "steps")]
    pub leaves: BTreeSet<u64>,
    /// ELF addresses that bound the traced operands, whose variables are named.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub operands: Vec<(u64, u64)>,
}

impl Wanted {
    fn new(position: u32, path: &str, build_id: Option<&str>) -> Self {
        let identity = build_id.map_or_else(|| size_and_time(Path::new(path)), str::to_owned);
        let (path, build_id) = (path.to_owned(), build_id.map(str::to_owned));
        Self { position, path, build_id, identity, ..Self::default() }
    }

    /// The frames of samples.
    pub fn of_survey(recording: &Recording) -> Vec<Self> {
        let mut leaf = vec![false; recording.frames.len()];
        for sample in &recording.samples {
            leaf[recording.stacks[sample.stack as usize].frame as usize] = true;
        }
        let mut modules: BTreeMap<u32, Self> = BTreeMap::new();
        for (frame, leaf) in recording.frames.iter().zip(leaf) {
            let Some(position) = frame.module else { continue };
            let Some(module) = recording.modules.get(position as usize) else { continue };
            if !matches!(module.kind, ModuleKind::Main | ModuleKind::File) {
                continue;
            }
            let new = || Self::new(position, &module.path, module.build_id.as_deref());
            modules.entry(position).or_insert_with(new).touch(frame.address, leaf);
        }
        modules.into_values().collect()
    }

    /// Counted functions.
    pub fn of_counts(counts: &Counts, selected: &Selected) -> Vec<Self> {
        let modules = (0..).zip(counts.modules.iter().zip(&selected.functions));
        let modules = modules.filter(|(_, (module, _))| !module.functions.is_empty());
        modules
            .map(|(position, (module, functions))| {
                let mut wanted = Self::new(position, &module.path, module.build_id.as_deref());
                functions.iter().for_each(|&address| wanted.touch(address, true));
                wanted
            })
            .collect()
    }

    /// Functions in which loops or operands were traced, those of loops around them, too.
    pub fn of_patterns(patterns: &Patterns) -> Vec<Self> {
        let mut modules: BTreeMap<u32, Self> = BTreeMap::new();
        for (position, address) in patterns.loops.iter().flat_map(|traced| {
            let levels =
                traced.sites.iter().flat_map(|site| &site.strides).map(|level| (level.module, level.header));
            let carriers = traced.reuse.iter().flat_map(|reuse| &reuse.carriers);
            // A header of 0 represents no loop.
            let carriers = carriers.map(|carrier| (carrier.0, carrier.1)).filter(|(_, header)| *header != 0);
            traced.functions().chain(levels).chain(carriers)
        }) {
            let Some(module) = patterns.modules.get(position as usize) else { continue };
            let new = || Self {
                operands: operand_ranges(patterns, module.bias),
                ..Self::new(position, &module.path, module.build_id.as_deref())
            };
            modules.entry(position).or_insert_with(new).touch(address, true);
        }
        modules.into_values().collect()
    }

    fn touch(&mut self, address: u64, leaf: bool) {
        self.all.insert(address);
        if leaf {
            self.leaves.insert(address);
        }
    }

    /// Adds what another run wants of the same build.
    pub(crate) fn join(&mut self, other: &Self) {
        self.all.extend(&other.all);
        self.leaves.extend(&other.leaves);
        self.operands.extend(&other.operands);
        self.operands.sort_unstable();
        self.operands.dedup();
    }
}

/// ELF addresses that bound the traced operands, of a module at this place.
fn operand_ranges(patterns: &Patterns, bias: Option<u64>) -> Vec<(u64, u64)> {
    let Some(bias) = bias else { return Vec::new() };
    let sites = patterns.loops.iter().flat_map(|traced| &traced.sites).filter(|site| !site.frame);
    let ranges = sites.filter_map(|site| Some((site.low.checked_sub(bias)?, site.high.checked_sub(bias)?)));
    ranges.collect::<BTreeSet<_>>().into_iter().collect()
}

/// Without a build id, size and modification time distinguish builds.
pub(crate) fn size_and_time(path: &Path) -> String {
    std::fs::metadata(path).map_or_else(
        |_| String::new(),
        |data| {
            let changed = data.modified().ok().and_then(|t| t.duration_since(std::time::UNIX_EPOCH).ok());
            format!("{}-{}", data.len(), changed.map_or(0, |t| t.as_nanos()))
        },
    )
}

/// Addresses as steps from one to the next: a fraction of the digits.
mod steps {
    use serde::{Deserialize, Deserializer, Serializer};
    use std::collections::BTreeSet;

    pub fn serialize<S: Serializer>(addresses: &BTreeSet<u64>, serializer: S) -> Result<S::Ok, S::Error> {
        let mut last = 0;
        serializer.collect_seq(addresses.iter().map(|&address| {
            let step = address - last;
            last = address;
            step
        }))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<BTreeSet<u64>, D::Error> {
        let mut last = 0_u64;
        let steps = Vec::<u64>::deserialize(deserializer)?;
        // A file may hold any numbers.
        let address = |step| {
            last = last.wrapping_add(step);
            last
        };
        Ok(steps.into_iter().map(address).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_come_back_from_their_steps() {
        let mut wanted = Wanted { path: "/a".into(), ..Wanted::default() };
        for (address, leaf) in [(u64::MAX, true), (0, false), (0x40_1000, true)] {
            wanted.touch(address, leaf);
        }
        let text = serde_json::to_string(&wanted).unwrap();
        assert_eq!(serde_json::from_str::<Wanted>(&text).unwrap(), wanted);
        let hostile = text.replace("[0,", "[18446744073709551615,18446744073709551615,");
        assert!(serde_json::from_str::<Wanted>(&hostile).is_ok());
    }

    #[test]
    fn two_runs_want_the_union() {
        let mut one = Wanted { all: [1, 2].into(), leaves: [2].into(), ..Wanted::default() };
        one.join(&Wanted {
            all: [2, 3].into(),
            leaves: [3].into(),
            operands: vec![(1, 2)],
            ..Wanted::default()
        });
        assert_eq!((one.all, one.leaves, one.operands), ([1, 2, 3].into(), [2, 3].into(), vec![(1, 2)]));
    }
}
