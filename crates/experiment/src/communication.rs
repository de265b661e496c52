//! Calls of MPI in the store, with what the binaries say of the places that they come from.

use crate::pieces::{Pieces, Stored};
use crate::{Collected, Error};
use loopwright_binary::code::analyze_unlisted;
use loopwright_binary::facts::FunctionCode;
use loopwright_binary::image::{Image, Images};
use loopwright_instrument::messages::Caller;
pub use loopwright_instrument::messages::Messages;
use std::collections::BTreeMap;
use std::path::Path;

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
    let is_amount = |value: f64| value.is_finite() && value >= 0.0;
    let times = messages.sites.iter().flat_map(|s| [s.seconds, s.longest_seconds, s.waiting_seconds]);
    let own = [messages.elapsed_seconds, messages.setup_seconds, messages.waiting_seconds];
    if !times.chain(own).all(is_amount) {
        return Some("a time is no number that a run can have");
    }
    let outside = |rank: u32| messages.ranks.is_some_and(|ranks| rank >= ranks);
    if messages.rank.is_some_and(outside) || messages.peers.iter().any(|peer| outside(peer.rank)) {
        return Some("it names a rank that the job does not have");
    }
    None
}

/// Finds the functions, lines and loops that calls come from.
pub fn locate(messages: &mut Messages, images: &Images) {
    let mut known: BTreeMap<(String, u64), Option<FunctionCode>> = BTreeMap::new();
    for site in &mut messages.sites {
        let Ok(image) = images.open(Path::new(&site.module)) else { continue };
        // The return address is behind the call, and may be the first of another line or function.
        let Some(address) = site.address.checked_sub(1) else { continue };
        let Some(function) = image.function_at(address) else { continue };
        let entry = image.spans(function).next().map_or(address, |span| span.0);
        let code = known
            .entry((site.module.clone(), entry))
            .or_insert_with(|| analyze_unlisted(&image, function).ok());
        site.caller = Some(caller(&image, address, code.as_ref()));
    }
}

fn caller(image: &Image, address: u64, code: Option<&FunctionCode>) -> Caller {
    let place = image.locate(address);
    let loops = code.into_iter().flat_map(|code| &code.loops);
    let around = loops.filter(|l| l.ranges.iter().any(|range| (range.0..range.1).contains(&address)));
    let innermost = around.max_by_key(|l| l.depth);
    Caller {
        function: place.function.unwrap_or_default(),
        file: place.location.as_ref().map(|at| at.file.clone()),
        line: place.location.as_ref().map_or(0, |at| at.line),
        header: innermost.map(|l| l.header),
        of_loop: innermost.and_then(|l| l.location.as_ref()).map(|at| (at.file.clone(), at.line)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use loopwright_instrument::messages::{CallSite, Peer};

    fn messages() -> Messages {
        Messages {
            rank: Some(1),
            ranks: Some(4),
            sites: vec![CallSite {
                function: "MPI_Send".into(),
                calls: 3,
                bytes: 24,
                seconds: 0.5,
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
        other.sites[0].seconds = f64::NAN;
        assert!(implausible(&other).is_some());
        let mut other = messages();
        other.peers[0].rank = 4;
        assert!(implausible(&other).is_some());
    }
}
