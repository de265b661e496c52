//! Calls of MPI in the store.

use crate::calls;
use crate::pieces::{Pieces, Stored};
use crate::{Collected, Error};
pub use loopwright_instrument::messages::Messages;

impl Collected for Messages {
    const KIND: &'static str = "communication";
    const FORM: u32 = 1;

    fn pack(&self, pieces: &mut Pieces) {
        pieces.json("run", 0, self);
    }

    fn unpack(stored: &Stored<'_>) -> Result<Self, Error> {
        let messages: Self = stored.json("run")?;
        match implausible(&messages) {
            Some(why) => Err(stored.damaged("run", why)),
            None => Ok(messages),
        }
    }

    fn modules(&self) -> impl Iterator<Item = (&str, Option<&str>)> {
        std::iter::empty()
    }
}

fn implausible(messages: &Messages) -> Option<&'static str> {
    let waiting = messages.sites.iter().map(|s| s.waiting_seconds);
    if !calls::are_times(&messages.run, messages.sites.iter().map(|s| &s.called), waiting) {
        return Some(calls::NO_TIME);
    }
    let outside = |rank: u32| messages.ranks.is_some_and(|ranks| rank >= ranks);
    if messages.rank.is_some_and(outside) || messages.peers.iter().any(|peer| outside(peer.rank)) {
        return Some("it names a rank that the job does not have");
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use loopwright_instrument::calls::Called;
    use loopwright_instrument::messages::{CallSite, Peer};

    fn messages() -> Messages {
        Messages {
            rank: Some(1),
            ranks: Some(4),
            sites: vec![CallSite {
                called: Called {
                    function: "MPI_Send".into(),
                    calls: 3,
                    bytes: 24,
                    seconds: 0.5,
                    ..Called::default()
                },
                ..CallSite::default()
            }],
            peers: vec![Peer { rank: 2, messages: 3, bytes: 24 }],
            ..Messages::default()
        }
    }

    #[test]
    fn a_run_comes_back_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let mut experiment = crate::Experiment::create_or_open(&folder.path().join("x.lw")).unwrap();
        let run = experiment.add(&messages(), Some(&Default::default()), None).unwrap();
        assert_eq!(experiment.collected::<Messages>(run).unwrap(), messages());
        let facts = crate::Facts::load(&experiment, &experiment.latest().unwrap()).unwrap();
        assert_eq!(facts.communication.len(), 1);
    }

    #[test]
    fn what_cannot_be_is_refused() {
        assert_eq!(implausible(&messages()), None);
        let mut other = messages();
        other.sites[0].called.seconds = f64::NAN;
        assert!(implausible(&other).is_some());
        let mut other = messages();
        other.peers[0].rank = 4;
        assert!(implausible(&other).is_some());
    }
}
