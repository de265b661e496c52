//! The counts that a program expects: reads the lines that `testprograms/counting/expect.h` describes.

use std::collections::BTreeMap;

/// Everything that one program expects of a run.
#[derive(Debug, Default)]
pub struct Expected {
    /// By name of the function.
    pub functions: BTreeMap<String, ExpectedFunction>,
    /// By name of the mark.
    pub loops: BTreeMap<String, ExpectedLoop>,
    /// FLOP of each thread, ascending, by function and element type.
    pub threads: Vec<(String, String, Vec<u64>)>,
}

/// What is expected of a function.
#[derive(Debug, Default)]
pub struct ExpectedFunction {
    /// Entries.
    pub calls: u64,
    /// Fewest and most FLOP by element type.
    pub flop: BTreeMap<String, (u64, u64)>,
}

/// What is expected of a loop as written.
#[derive(Debug, Default)]
pub struct ExpectedLoop {
    pub entries: u64,
    /// Of these, entries without an iteration: a compiler may test before it enters.
    pub zero: u64,
    /// Iterations that ended in the middle: whether they count depends on where the compiler tests.
    pub breaks: u64,
    /// Iterations of all entries.
    pub iterations: u64,
    /// Fewest iterations of an entry that has any.
    pub min: Option<u64>,
    /// Most iterations of an entry.
    pub max: Option<u64>,
    /// Bytes loaded when each element is moved once.
    pub loaded: Option<u64>,
    /// Bytes stored likewise.
    pub stored: Option<u64>,
}

impl Expected {
    /// Adds the facts of these lines; a line of another form is an error in the program.
    pub fn read(&mut self, text: &str) {
        for line in text.lines() {
            let mut words = line.split_whitespace();
            let (Some(kind), Some(name)) = (words.next(), words.next()) else { panic!("not a fact: {line}") };
            let pairs: BTreeMap<&str, &str> =
                words.map(|w| w.split_once('=').unwrap_or_else(|| panic!("not a fact: {line}"))).collect();
            let number = |key: &str| {
                pairs.get(key).map(|v| v.parse::<u64>().unwrap_or_else(|_| panic!("no number: {line}")))
            };
            match kind {
                "function" => {
                    let flop = pairs.iter().filter(|(key, _)| **key != "calls").map(|(key, value)| {
                        let (low, high) = value.split_once("..").unwrap_or((value, value));
                        (key.to_string(), (low.parse().unwrap(), high.parse().unwrap()))
                    });
                    let function = ExpectedFunction { calls: number("calls").unwrap(), flop: flop.collect() };
                    let twice = self.functions.insert(name.to_owned(), function);
                    assert!(twice.is_none(), "{name} twice");
                }
                "loop" => {
                    let known = ["entries", "iterations", "zero", "breaks", "min", "max", "loaded", "stored"];
                    assert!(pairs.keys().all(|k| known.contains(k)), "unknown key: {line}");
                    let expected = ExpectedLoop {
                        entries: number("entries").unwrap(),
                        zero: number("zero").unwrap_or(0),
                        breaks: number("breaks").unwrap_or(0),
                        iterations: number("iterations").unwrap(),
                        min: number("min"),
                        max: number("max"),
                        loaded: number("loaded"),
                        stored: number("stored"),
                    };
                    assert!(self.loops.insert(name.to_owned(), expected).is_none(), "{name} twice");
                }
                "threads" => {
                    for (key, value) in pairs {
                        let parts = value.split(',').map(|v| v.parse().unwrap()).collect();
                        self.threads.push((name.to_owned(), key.to_owned(), parts));
                    }
                }
                _ => panic!("not a fact: {line}"),
            }
        }
    }

    /// Splits a run's standard error into the facts and the rest.
    pub fn split(stderr: &str) -> (String, String) {
        let (mut facts, mut rest) = (String::new(), String::new());
        for line in stderr.split_inclusive('\n') {
            match line.strip_prefix("expect ") {
                Some(fact) => facts += fact,
                None => rest += line,
            }
        }
        (facts, rest)
    }
}

/// The name that a fact uses: without the suffixes of clones and parts.
pub fn base_name(name: &str) -> &str {
    name.split(['.', '(']).next().unwrap_or(name)
}
