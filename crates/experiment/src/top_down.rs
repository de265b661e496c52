//! Runs under the processor's counters in the store.

use crate::pieces::{Pieces, Stored};
use crate::{Collected, Error};
use loopwright_sample::top_down::TopDown;

impl Collected for TopDown {
    const KIND: &'static str = "top-down";
    const FORM: u32 = 1;

    fn pack(&self, pieces: &mut Pieces) {
        pieces.json("run", 0, self);
    }

    fn unpack(stored: &Stored<'_>) -> Result<Self, Error> {
        let run: Self = stored.json("run")?;
        match run.readings.iter().all(|reading| reading.value.is_finite()) {
            true => Ok(run),
            false => Err(stored.damaged("run", "a reading is no number")),
        }
    }

    fn modules(&self) -> impl Iterator<Item = (&str, Option<&str>)> {
        std::iter::once((self.executable.as_str(), self.build_id.as_deref()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Experiment;
    use loopwright_sample::recording::{Recording, Target};
    use loopwright_sample::top_down::{Ask, Part, Reading, Unit};

    #[test]
    fn a_run_comes_back_as_it_was_and_belongs_to_the_survey() {
        let folder = tempfile::tempdir().unwrap();
        let mut experiment = Experiment::create_or_open(&folder.path().join("x.lw")).unwrap();
        let target = Target { command: vec!["./a".into()], ..Target::default() };
        let reading =
            Reading { part: Part::Memory, value: 12.5, unit: Unit::Percent, counted: Some(0.2), cores: None };
        let run = TopDown {
            executable: "/bin/a".into(),
            perf_version: "6.8.12".into(),
            asked: Ask::Metrics("PipelineL1".into()),
            readings: vec![reading],
            ..TopDown::default()
        };
        let survey = Recording { target: target.clone(), ..Recording::default() };
        experiment.add(&survey, Some(&target), None).unwrap();
        let id = experiment.add(&run, Some(&target), None).unwrap();
        assert_eq!(experiment.collected::<TopDown>(id).unwrap(), run);
        let state = experiment.latest().unwrap();
        assert_eq!((state.of::<TopDown>(), state.of::<Recording>().len()), (&[id][..], 1));
        let facts = crate::Facts::load(&experiment, &state).unwrap();
        assert_eq!(facts.top_down.iter().map(|run| &run.facts).collect::<Vec<_>>(), [&run]);
    }
}
