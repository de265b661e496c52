//! Allocations in the store.

use crate::calls;
use crate::pieces::{Pieces, Stored};
use crate::{Collected, Error};
pub use loopwright_instrument::heap::HeapUse;

impl Collected for HeapUse {
    const KIND: &'static str = "heap";
    const FORM: u32 = 1;

    fn pack(&self, pieces: &mut Pieces) {
        pieces.json("run", 0, self);
    }

    fn unpack(stored: &Stored<'_>) -> Result<Self, Error> {
        let found: Self = stored.json("run")?;
        let others = [found.system_seconds];
        if calls::are_times(&found.run, found.sites.iter().map(|s| &s.called), others.into_iter()) {
            Ok(found)
        } else {
            Err(stored.damaged("run", calls::NO_TIME))
        }
    }

    fn modules(&self) -> impl Iterator<Item = (&str, Option<&str>)> {
        std::iter::empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use loopwright_instrument::calls::Called;
    use loopwright_instrument::heap::HeapSite;

    fn found() -> HeapUse {
        HeapUse {
            sites: vec![HeapSite {
                called: Called { function: "malloc".into(), calls: 3, bytes: 24, ..Called::default() },
                live_bytes: 8,
                peak_bytes: 24,
            }],
            faults: 12,
            ..HeapUse::default()
        }
    }

    #[test]
    fn a_run_comes_back_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let mut experiment = crate::Experiment::create_or_open(&folder.path().join("x.lw")).unwrap();
        let run = experiment.add(&found(), Some(&Default::default()), None).unwrap();
        assert_eq!(experiment.collected::<HeapUse>(run).unwrap(), found());
        let facts = crate::Facts::load(&experiment, &experiment.latest().unwrap()).unwrap();
        assert_eq!(facts.heap.len(), 1);
        let other = HeapUse { system_seconds: -1.0, ..found() };
        let run = experiment.add(&other, Some(&Default::default()), None).unwrap();
        assert!(experiment.collected::<HeapUse>(run).is_err());
    }
}
