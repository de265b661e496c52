//! The order of ranks that `place` proposes for a program, from what the program says that its ranks send.
//!
//! Ranks of a simulation are threads of one process, whose calls `comm` cannot count: the program counts its own messages, with
//! `--matrix FILE`, into a file as `loopwright show matrix --csv` writes it.

use crate::advice::Workbench;
use crate::bounds::fired;
use crate::error::Error;
use crate::program::{Program, typed};
use crate::record::{Advice, Fired};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Most time of the run that writes the matrix.
const LIMIT: Duration = Duration::from_secs(600);

impl Workbench {
    /// Runs a program for its matrix, and `place` with these options on that; matrix and order stay in `folder`.
    pub(crate) fn place(
        &self,
        program: &Program,
        options: &[String],
        folder: &Path,
        stop: &AtomicBool,
    ) -> Result<Advice, Error> {
        let matrix = folder.join("matrix.csv");
        let mut sending = program.clone();
        sending.arguments.extend(["--matrix".into(), matrix.to_string_lossy().into_owned()]);
        sending.run(LIMIT, stop)?;
        let words = |tool: &str, matrix: &Path, order: &Path| {
            let mut words = vec![tool.to_owned(), "place".into(), "--matrix".into()];
            words.push(matrix.to_string_lossy().into_owned());
            words.extend(options.iter().cloned());
            words.extend(["--output".into(), order.to_string_lossy().into_owned()]);
            words
        };
        let mut place = words(&self.executable.to_string_lossy(), &matrix, &folder.join("order"));
        place.extend(["--quiet", "--json"].map(String::from));
        let text = self.run(&place, &BTreeMap::new(), None, stop)?;
        let recommendations =
            proposed(&text).map_err(|cause| Error::Program { command: typed(&place), cause })?;
        let command = typed(&words("loopwright", Path::new("matrix.csv"), Path::new("order")));
        Ok(Advice { command, recommendations })
    }
}

/// The proposed order in the output of `place --json`; none where no order is better than the present one.
///
/// # Errors
/// What is wrong with the text.
pub fn proposed(text: &str) -> Result<Vec<Fired>, String> {
    let document: Value = serde_json::from_str(text).map_err(|e| e.to_string())?;
    let placement = &document["placement"];
    let candidates = placement["candidates"].as_array().ok_or("there is no `placement` in it")?;
    let Some(at) = placement["proposed"].as_u64() else { return Ok(Vec::new()) };
    let missing = "the proposed order is not among its `candidates`";
    let order = usize::try_from(at).ok().and_then(|at| candidates.get(at)).ok_or(missing)?;
    let name = order["order"].as_str().ok_or("the proposed order has no name")?;
    let tile: Vec<String> = order["tile"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_u64)
        .map(|n| n.to_string())
        .collect();
    let id = if tile.is_empty() { name.to_owned() } else { format!("{name}-{}", tile.join("x")) };
    // By the model communication between nodes gains as much; the program has other parts, too.
    let program_gain = order["gain"].as_f64().filter(|gain| *gain >= 1.0).map(|gain| [1.0, gain]);
    Ok(vec![Fired { program_gain, ..fired(&id) }])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_proposed_order_gains_at_most_what_communication_does() {
        let text = |proposed: &str| {
            format!(
                r#"{{"placement":{{"candidates":[{{"order":"block","gain":1.0}},
                {{"order":"tiles","tile":[4,2],"gain":1.5}},{{"order":"bisection"}}]{proposed}}}}}"#
            )
        };
        let found = proposed(&text(r#","proposed":1"#)).unwrap();
        let [tiles] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!((tiles.id.as_str(), tiles.title.as_str()), ("tiles-4x2", "Tiles 4x2"));
        assert_eq!(tiles.program_gain, Some([1.0, 1.5]));
        let without = proposed(&text(r#","proposed":2"#)).unwrap();
        assert_eq!((without[0].id.as_str(), without[0].program_gain), ("bisection", None));
        assert_eq!(proposed(&text("")).unwrap(), [], "no order is better");
    }

    #[test]
    fn what_is_no_placement_is_refused() {
        let beyond = r#"{"placement":{"candidates":[],"proposed":0}}"#;
        for text in
            ["", "{}", r#"{"placement":{}}"#, beyond, r#"{"placement":{"candidates":[{}],"proposed":0}}"#]
        {
            assert!(proposed(text).is_err(), "{text}");
        }
    }
}
