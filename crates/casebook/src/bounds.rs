//! Advice of the verbs that count calls: of `heap`, `io` and `comm`. Each gain is a bound, the time that was measured in the calls that
//! the change removes.
//!
//! The run in which calls were counted has the hooks' time in it, which is none of those calls: a share of it is too small. Where the
//! program was timed by itself, the bound is held against that time.

use crate::advisor::Verb;
use crate::amdahl::{PlaceGain, composed};
use crate::record::Fired;
use serde_json::Value;

/// The advice of such a verb.
#[derive(Debug)]
pub(crate) struct Bounds {
    /// In the order in which it is shown, each change once, with its gains over all places.
    pub(crate) fired: Vec<Fired>,
    /// There would be more if the network were measured.
    pub(crate) network_wanted: bool,
}

impl Bounds {
    /// Reads the output of `show VERB --json` about a program that takes `elapsed` seconds by itself, where that is known.
    ///
    /// # Errors
    /// What is wrong with the text.
    pub(crate) fn read(verb: Verb, text: &str, elapsed: Option<f64>) -> Result<Self, String> {
        let document: Value = serde_json::from_str(text).map_err(|e| e.to_string())?;
        let counted = &document[verb.name()];
        if !counted.is_object() {
            return Err(format!("there is no `{}` in it", verb.name()));
        }
        let mut all: Vec<(Fired, Vec<Option<PlaceGain>>)> = Vec::new();
        for one in counted["advice"].as_array().into_iter().flatten() {
            // A change with facts of its own is an object that has its kind beside them.
            let change = &one["change"];
            let id =
                change["kind"].as_str().or(change.as_str()).ok_or("a piece of advice has no `change`")?;
            let at = all.iter().position(|(fired, _)| fired.id == id).unwrap_or_else(|| {
                all.push((fired(id), Vec::new()));
                all.len() - 1
            });
            let Some((known, gains)) = all.get_mut(at) else { continue };
            let place = [one["function"].as_str(), one["place"].as_str()];
            let place = place.into_iter().flatten().collect::<Vec<_>>().join(", ");
            if !place.is_empty() && !known.places.contains(&place) {
                known.places.push(place);
            }
            gains.push(gain(one, elapsed).map(|program| PlaceGain { program, own: None, group: None }));
        }
        let fired = all.into_iter().map(|(fired, gains)| {
            // A place whose gain has no bound leaves none for all of them.
            let gains: Option<Vec<PlaceGain>> = gains.into_iter().collect();
            Fired { program_gain: gains.and_then(|gains| composed(&gains)), ..fired }
        });
        Ok(Self { fired: fired.collect(), network_wanted: counted["network_wanted"] == true })
    }
}

/// A change without its places. It is counted and not inferred, so that there is no confidence to state.
pub(crate) fn fired(id: &str) -> Fired {
    let mut title = id.replace('-', " ");
    if let Some(first) = title.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    Fired {
        id: id.to_owned(),
        title,
        confidence: String::new(),
        places: Vec::new(),
        program_gain: None,
        modelled: None,
        changes: Vec::new(),
    }
}

/// The program's gain: what is left of the run, at least and at most. None where nothing might be left.
fn gain(one: &Value, elapsed: Option<f64>) -> Option<[f64; 2]> {
    let range = |most: &str, both: &str| match one[most].as_f64() {
        Some(most) => Some([0.0, most]),
        None => Some([one[both][0].as_f64()?, one[both][1].as_f64()?]),
    };
    let shares = match elapsed {
        Some(elapsed) => range("at_most_seconds", "gain_seconds")?.map(|seconds| seconds / elapsed),
        None => range("at_most_share", "gain_share")?,
    };
    shares.iter().all(|share| (0.0..1.0).contains(share)).then(|| shares.map(|share| 1.0 / (1.0 - share)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_change_is_there_once_with_the_bound_of_all_its_places() {
        let text = r#"{"comm":{"network_wanted":true,"advice":[
            {"change":{"kind":"join-messages","bytes":8},"function":"MPI_Send","place":"a.c:3","gain_share":[0.0,0.5]},
            {"change":{"kind":"balance-work"},"function":"MPI_Allreduce","place":"a.c:9","gain_share":[0.2,1.0]},
            {"change":{"kind":"join-messages","bytes":8},"function":"MPI_Send","place":"b.c:5","gain_share":[0.0,0.25]}]}}"#;
        let found = Bounds::read(Verb::Comm, text, None).unwrap();
        assert!(found.network_wanted);
        let [join, balance] = found.fired.as_slice() else { panic!("{found:?}") };
        assert_eq!((join.id.as_str(), join.title.as_str()), ("join-messages", "Join messages"));
        assert_eq!(join.places, ["MPI_Send, a.c:3", "MPI_Send, b.c:5"]);
        let [low, high] = join.program_gain.unwrap();
        assert!(
            low == 1.0 && (high - 4.0).abs() < 1e-12,
            "a half and a quarter leave a quarter: {low} {high}"
        );
        assert_eq!(
            (balance.id.as_str(), balance.program_gain),
            ("balance-work", None),
            "nothing might be left"
        );
    }

    #[test]
    fn a_bound_of_the_heap_or_of_files_is_a_share_of_the_run() {
        let heap =
            r#"{"heap":{"advice":[{"change":{"kind":"keep-blocks","faults":9},"at_most_share":0.75}]}}"#;
        let found = Bounds::read(Verb::Heap, heap, None).unwrap();
        assert_eq!(
            (found.fired[0].id.as_str(), found.fired[0].program_gain),
            ("keep-blocks", Some([1.0, 4.0]))
        );
        assert!(!found.network_wanted && found.fired[0].places.is_empty());
        let io = r#"{"io":{"advice":[{"change":"buffer-writes","place":"out","at_most_share":0.5}]}}"#;
        let found = Bounds::read(Verb::Io, io, None).unwrap();
        assert_eq!(
            (found.fired[0].id.as_str(), found.fired[0].places.as_slice()),
            ("buffer-writes", &["out".to_owned()][..])
        );
        assert_eq!(Bounds::read(Verb::Io, r#"{"io":{}}"#, None).unwrap().fired, []);
    }

    #[test]
    fn seconds_are_held_against_the_program_by_itself() {
        let io = r#"{"io":{"advice":[{"change":"sync-less","place":"a.c:1","at_most_seconds":1.0,"at_most_share":0.25}]}}"#;
        let gain = |elapsed| Bounds::read(Verb::Io, io, elapsed).unwrap().fired[0].program_gain;
        assert_eq!(
            (gain(Some(2.0)), gain(Some(1.0))),
            (Some([1.0, 2.0]), None),
            "nothing might be left of 1 s"
        );
        assert_eq!(gain(None), Some([1.0, 4.0 / 3.0]));
        let comm = r#"{"comm":{"advice":[{"change":{"kind":"remove-barrier"},"gain_seconds":[0.5,1.5],"gain_share":[0.1,0.3]}]}}"#;
        let found = Bounds::read(Verb::Comm, comm, Some(2.0)).unwrap();
        assert_eq!(found.fired[0].program_gain, Some([4.0 / 3.0, 4.0]));
    }

    #[test]
    fn what_is_no_advice_is_refused() {
        for text in ["", "{}", "[]", r#"{"heap":{}}"#, r#"{"io":{"advice":[{}]}}"#] {
            assert!(Bounds::read(Verb::Io, text, None).is_err(), "{text}");
        }
    }
}
