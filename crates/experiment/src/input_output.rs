//! Input and output in the store.

use crate::calls;
use crate::pieces::{Pieces, Stored};
use crate::{Collected, Error};
pub use loopwright_instrument::input_output::InputOutput;

impl Collected for InputOutput {
    const KIND: &'static str = "input-output";
    const FORM: u32 = 1;

    fn pack(&self, pieces: &mut Pieces) {
        pieces.json("run", 0, self);
    }

    fn unpack(stored: &Stored<'_>) -> Result<Self, Error> {
        let found: Self = stored.json("run")?;
        let of_files = found
            .files
            .iter()
            .flat_map(|f| [f.read_seconds, f.write_seconds, f.other_seconds, f.longest_seconds]);
        if calls::are_times(&found.run, found.sites.iter().map(|s| &s.called), of_files) {
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
    use loopwright_instrument::input_output::{FileName, FileUse, IoSite};

    fn found() -> InputOutput {
        InputOutput {
            sites: vec![IoSite {
                called: Called {
                    function: "write".into(),
                    calls: 3,
                    bytes: 24,
                    seconds: 0.5,
                    ..Called::default()
                },
                transfers: 3,
                moved: 24,
                ..IoSite::default()
            }],
            files: vec![FileUse {
                name: FileName::Path { path: "out.dat".into(), cut: false, in_folder: false },
                writes: 3,
                written_bytes: 24,
                ..FileUse::default()
            }],
            ..InputOutput::default()
        }
    }

    #[test]
    fn a_run_comes_back_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let mut experiment = crate::Experiment::create_or_open(&folder.path().join("x.lw")).unwrap();
        let run = experiment.add(&found(), Some(&Default::default()), None).unwrap();
        assert_eq!(experiment.collected::<InputOutput>(run).unwrap(), found());
        let facts = crate::Facts::load(&experiment, &experiment.latest().unwrap()).unwrap();
        assert_eq!(facts.input_output.len(), 1);
    }

    #[test]
    fn a_time_that_is_none_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let mut experiment = crate::Experiment::create_or_open(&folder.path().join("x.lw")).unwrap();
        let mut other = found();
        other.files[0].write_seconds = -1.0;
        let run = experiment.add(&other, Some(&Default::default()), None).unwrap();
        assert!(experiment.collected::<InputOutput>(run).is_err());
    }
}
