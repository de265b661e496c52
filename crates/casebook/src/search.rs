//! Searches that lead to a stage: `tune` and `reproduce`, run on the stage before, and what they have to find.

use crate::advice::Workbench;
use crate::error::Error;
use crate::found_by::{FoundBy, named};
use crate::program::{Program, typed};
use crate::record::Search;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// Reads what the verb found from its JSON.
///
/// # Errors
/// What is wrong with the text.
pub fn judge(found_by: &FoundBy, command: String, text: &str) -> Result<Search, String> {
    let document: Value = serde_json::from_str(text).map_err(|e| e.to_string())?;
    let missing = || format!("there is no `{}` in it", found_by.key());
    let facts = document.get(found_by.key()).filter(|facts| facts.is_object()).ok_or_else(missing)?;
    let (found, gain) = match found_by {
        FoundBy::Tune { .. } => best(&facts["best"]),
        FoundBy::Reproduce { .. } => (culprits(facts), None),
    };
    let expected = found_by.expected();
    let hit = found.iter().any(|one| expected.contains(one));
    Ok(Search { verb: found_by.verb().to_owned(), command, found, gain, hit })
}

/// Options and settings of the best candidate with its measured gain; nothing where the gain was not confirmed.
fn best(best: &Value) -> (Vec<String>, Option<[f64; 2]>) {
    if best["outcome"] != "faster" {
        return (Vec::new(), None);
    }
    let mut found = Vec::new();
    for part in best["parts"].as_array().into_iter().flatten() {
        if let (Some(name), Some(value)) = (part["name"].as_str(), part["value"].as_str()) {
            found.push(format!("{name}={value}"));
        }
        let options = part["options"].as_array().into_iter().flatten().filter_map(Value::as_str);
        found.extend(options.chain(part["compiler"].as_str()).map(String::from));
    }
    let measured = |i: usize| best["measured"][i].as_f64();
    (found, measured(0).zip(measured(1)).map(|(low, high)| [low, high]))
}

/// Every function that changes the answer, with its source.
fn culprits(facts: &Value) -> Vec<String> {
    let list = |value: &'_ Value| value.as_array().cloned().unwrap_or_default();
    let mut found = Vec::new();
    for file in list(&facts["files"]) {
        let path = Path::new(file["file"].as_str().unwrap_or_default());
        let source = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        for function in list(&file["functions"]).iter().flat_map(list) {
            // C++ and Fortran: `dot(Vector const&, ..)`, `__blas_MOD_dot` become the name that the source has.
            let full = function["name"].as_str().unwrap_or_default();
            let name = full.split('(').next().unwrap_or(full);
            let name = name.split_once("_MOD_").map_or(name, |(_, name)| name);
            let one = named(&source, name);
            if !found.contains(&one) {
                found.push(one);
            }
        }
    }
    found
}

impl Workbench {
    /// Builds a stage by its `commands` under the workbench and runs the verb on it; experiments stay in `folder`.
    ///
    /// # Errors
    /// When the workbench fails or prints anything but a result; when `stop` is set.
    pub fn search(
        &self,
        found_by: &FoundBy,
        commands: &[String],
        program: &Program,
        folder: &Path,
        stop: &AtomicBool,
    ) -> Result<Search, Error> {
        let verb = found_by.verb();
        let start = self.start(&folder.join(format!("{verb}.lw")))?;
        let mut build = start.clone();
        build.extend(["build", "--", "sh", "-c"].map(String::from));
        build.push(commands.join(" && "));
        self.run(&build, &BTreeMap::new(), None, stop)?;
        // The time of the compared part is no part of the answer.
        let mut own: Vec<String> = found_by.with().to_vec();
        own.extend(["--ignore", "^seconds"].map(String::from));
        let mut search = start.clone();
        search.push(verb.to_owned());
        search.extend(own.iter().cloned());
        search.extend(["--".into(), program.executable.to_string_lossy().into_owned()]);
        search.extend(program.arguments.iter().cloned());
        // The verb copies the folder in which the program runs: that of the stage is small.
        self.run(&search, &program.environment, Some(folder), stop)?;
        let mut show = start;
        show.extend(["show", verb, "--json"].map(String::from));
        let text = self.run(&show, &BTreeMap::new(), None, stop)?;
        judge(found_by, shown(program, verb, &own), &text)
            .map_err(|cause| Error::Program { command: typed(&show), cause })
    }
}

/// The command as a user would type it in the program's folder.
fn shown(program: &Program, verb: &str, options: &[String]) -> String {
    let mut words = vec!["loopwright".to_owned(), verb.to_owned()];
    words.extend(options.iter().cloned());
    words.push("--".to_owned());
    words.extend(program.beside());
    program.variables() + &typed(&words)
}
