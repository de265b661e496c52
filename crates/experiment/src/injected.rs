//! Runs with injected operations in the store. They describe no code: their loops are those of a survey or of counts.

use crate::pieces::{Pieces, Stored};
use crate::{Collected, Error};
use loopwright_instrument::injected::{Injected, InjectedLoop, Timing};

impl Collected for Injected {
    const KIND: &'static str = "bottlenecks";
    const FORM: u32 = 1;

    fn pack(&self, pieces: &mut Pieces) {
        pieces.json("run", 0, self);
    }

    fn unpack(stored: &Stored<'_>) -> Result<Self, Error> {
        let injected: Self = stored.json("run")?;
        match implausible(&injected) {
            Some(why) => Err(stored.damaged("run", why)),
            None => Ok(injected),
        }
    }

    fn modules(&self) -> impl Iterator<Item = (&str, Option<&str>)> {
        self.modules.iter().map(|module| (module.path.as_str(), module.build_id.as_deref()))
    }
}

fn implausible(injected: &Injected) -> Option<&'static str> {
    let time = |t: &Timing| [t.low, t.median, t.high].iter().all(|x| x.is_finite() && *x >= 0.0);
    let fits = |l: &InjectedLoop| {
        time(&l.plain)
            && l.versions.iter().all(|v| time(&v.ratio))
            && l.costs.iter().all(|c| c.ticks.is_finite() && c.ticks > 0.0)
    };
    if injected.loops.iter().any(|l| l.module as usize >= injected.modules.len()) {
        return Some("it names a module that it does not have");
    }
    if !injected.loops.iter().all(fits) || !injected.ticks_per_second.is_finite() {
        return Some("a time is no number");
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use loopwright_instrument::injected::VersionTiming;
    use loopwright_instrument::traced::TracedModule;
    use loopwright_vocabulary::Resource;

    fn injected() -> Injected {
        let ratio = Timing { low: 0.9, median: 1.0, high: 1.1, windows: 40 };
        Injected {
            modules: vec![TracedModule { path: "/bin/prog".into(), ..TracedModule::default() }],
            loops: vec![InjectedLoop {
                versions: vec![VersionTiming { resource: Resource::Loads, count: 3, ratio }],
                ..InjectedLoop::default()
            }],
            ..Injected::default()
        }
    }

    #[test]
    fn a_run_comes_back_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let mut experiment = crate::Experiment::create_or_open(&folder.path().join("x.lw")).unwrap();
        let run = experiment.add(&injected(), Some(&Default::default()), None).unwrap();
        assert_eq!(experiment.collected::<Injected>(run).unwrap(), injected());
    }

    #[test]
    fn what_cannot_be_is_refused() {
        assert_eq!(implausible(&injected()), None);
        let mut other = injected();
        other.loops[0].module = 1;
        assert!(implausible(&other).is_some());
        let mut other = injected();
        other.loops[0].versions[0].ratio.median = f64::NAN;
        assert!(implausible(&other).is_some());
    }
}
