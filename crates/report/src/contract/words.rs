//! The page's words: for the names of the contract, phrases, and the columns of tables, all as the text views have them.

use super::names;
use crate::comparison::verdict;
use crate::dependence_words::{ink, parallel_words, verdict_words};
use crate::fields::{PageColumn, of_page};
use crate::loops::{PAGE, fields};
use crate::quantity::TimeUnit;
use crate::style::{Ink, TerminalStyle};
use crate::{comm, energy, phrases, reproduction, trials, tuning, vocabulary};
use loopwright_analysis::compare::Counted;
use loopwright_analysis::model::{EnergyDomain, Halted, WorkRow, repair};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

const HEAD: &str = "\
/**
 * Words of the text views: for the names of the contract, phrases whose gaps (`{}`) are filled in, columns of tables.
 *
 * Derived from `vocabulary.rs`, `phrases.rs` and the lists of fields in `crates/report/src`:
 * `LOOPWRIGHT_BLESS=1 cargo test -p loopwright-report contract` writes this file.
 */

";

/// The whole file.
pub(super) fn words() -> String {
    let definitions = super::schema::definitions();
    let mut out = Out { text: String::new(), types: Vec::new(), definitions: &definitions };
    out.names("Provenance", "PROVENANCES", vocabulary::provenance);
    out.names("LoopRole", "ROLES", vocabulary::role);
    out.names("Isa", "ISA_NAMES", vocabulary::isa);
    out.names("RooflineKind", "OPERATIONS", vocabulary::operations);
    out.names("RooflineKind", "RATE_UNITS", vocabulary::rate_unit);
    out.names("VectorVerdict", "VECTOR_VERDICTS", |each| verdict_words(each).0);
    out.names("VectorVerdict", "VECTOR_VERDICTS_IN_SHORT", |each| verdict_words(each).1);
    let tones = r#""good" | "caution" | "costly""#;
    out.typed("VectorVerdict", "VECTOR_TONES", tones, |each| match ink(each) {
        Ink::Good => "good",
        Ink::Costly => "costly",
        _ => "caution",
    });
    out.names("ParallelVerdict", "PARALLEL_VERDICTS", parallel_words);
    out.names("Verdict", "VERDICTS", |each| verdict(each).0);
    out.names("Counted", "COUNTED", Counted::words);
    out.names("Resource", "RESOURCES", vocabulary::resource);
    out.names("CauseKind", "CAUSES", loopwright_analysis::model::CauseKind::name);
    out.names("CauseKind", "CAUSES_IN_SHORT", vocabulary::cause_in_short);
    let families = r#""units" | "front-end" | "latency" | "bandwidth" | "mispredictions""#;
    out.typed("CauseKind", "CAUSE_FAMILIES", families, vocabulary::cause_family);
    out.names("SlotPart", "SLOT_PARTS", loopwright_analysis::model::SlotPart::name);
    out.names("Way", "WAYS_OF_CHANGE", trials::way);
    out.names("TrialClock", "CLOCKS", trials::clock);
    out.names("TriedOutcome", "TRIED_OUTCOMES", |each| trials::outcome(each).0);
    let tones = r#""good" | "caution" | "costly" | """#;
    out.typed("TriedOutcome", "TRIED_TONES", tones, |each| tone(trials::outcome(each).1));
    out.names("AnswerVerdict", "ANSWERS", |each| trials::judged(each).0);
    out.names("EnergyInterface", "ENERGY_INTERFACES", energy::interface);
    out.names("EnergyFault", "ENERGY_FAULTS", energy::fault);
    let domains = domains().map(|each| {
        let tagged = serde_json::to_value(each).expect("a value of the contract");
        (tagged["part"].as_str().expect("a tag").to_owned(), energy::domain(each).0)
    });
    out.types.push("EnergyDomain");
    out.record("ENERGY_DOMAINS", "EnergyDomain[\"part\"], string", domains.into());
    out.names("TuneAxis", "TUNE_AXES", tuning::axis);
    out.names("FloatSemantics", "FLOAT_SEMANTICS", tuning::semantics);
    out.typed("AnswerVerdict", "ANSWER_TONES", tones, |each| tone(trials::judged(each).1));
    let versions = repair::ALL.iter().map(|name| ((*name).to_owned(), reproduction::repaired(name)));
    out.record("REPAIRS", "string, string", versions.collect());
    out.tagged("SearchHalted", "SEARCH_HALTED", "because", &halted());
    let classes = WorkRow::default().mix.classes();
    let classes = classes.into_iter().map(|(name, _)| (name.to_owned(), vocabulary::executed_class(name)));
    out.record("INSTRUCTION_CLASSES", "string, string", classes.collect());
    for (name, (one, many)) in phrases::NOUNS {
        out.text.push_str(&format!("export const {name} = [{}, {}] as const;\n", json!(one), json!(many)));
    }
    out.text.push('\n');
    for (name, text) in phrases::ALL {
        out.text.push_str(&format!("export const {name} = {};\n", json!(text)));
    }
    out.text.push_str(&format!("export const COMM_SIZES = {} as const;\n", json!(comm::BINS)));
    let style = TerminalStyle::plain(0);
    columns(&mut out.text, "LOOP_COLUMNS", &of_page(&fields(TimeUnit::Seconds, &style), &PAGE));
    out.types.sort_unstable();
    out.types.dedup();
    format!("{HEAD}import type {{ {} }} from \"./generated\";\n\n{}", out.types.join(", "), out.text)
}

/// Why a search ended early, each reason once: the type of the page's list misses one that is left out here.
fn halted() -> [Halted; 6] {
    let gap = || "{}".to_owned();
    [
        Halted::Time,
        Halted::Stopped,
        Halted::NotBuilt { error: gap() },
        Halted::NotExchanged { reason: gap() },
        Halted::Vanished,
        Halted::NotTakenApart,
    ]
}

/// What counters cover, each once: as above.
fn domains() -> [EnergyDomain; 5] {
    let socket = 0;
    [
        EnergyDomain::Package { socket },
        EnergyDomain::Memory { socket },
        EnergyDomain::Cores { socket },
        EnergyDomain::Graphics { socket },
        EnergyDomain::Platform,
    ]
}

/// The page's colour for what the text paints so.
fn tone(ink: Ink) -> &'static str {
    match ink {
        Ink::Good => "good",
        Ink::Bad | Ink::Costly => "costly",
        Ink::Caution => "caution",
        _ => "",
    }
}

struct Out<'a> {
    text: String,
    /// Types of the contract that are named.
    types: Vec<&'static str>,
    definitions: &'a Map<String, Value>,
}

impl Out<'_> {
    /// Words for each name of a type of the contract.
    fn names<T: DeserializeOwned>(&mut self, of: &'static str, constant: &str, word: fn(T) -> &'static str) {
        self.typed(of, constant, "string", word);
    }

    /// The same of words that are themselves names.
    fn typed<T: DeserializeOwned>(
        &mut self,
        of: &'static str,
        constant: &str,
        kind: &str,
        word: fn(T) -> &'static str,
    ) {
        let names = names(&self.definitions[of]).unwrap_or_else(|| panic!("{of} is no enumeration of names"));
        let words = names.into_iter().map(|(name, _)| {
            let value = serde_json::from_value(Value::from(name.as_str())).expect("a name of the contract");
            (name, word(value))
        });
        self.types.push(of);
        self.record(constant, &format!("{of}, {kind}"), words.collect());
    }

    /// What each variant of a type of the contract says about itself, by its tag; gaps of its text are those of the given values.
    fn tagged<T: Serialize + ToString>(
        &mut self,
        of: &'static str,
        constant: &str,
        tag: &str,
        variants: &[T],
    ) {
        let texts: Vec<(String, String)> = variants
            .iter()
            .map(|variant| {
                let value = serde_json::to_value(variant).expect("a value of the contract");
                (value[tag].as_str().expect("a tag").to_owned(), variant.to_string())
            })
            .collect();
        let words = texts.iter().map(|(name, text)| (name.clone(), text.as_str())).collect();
        self.types.push(of);
        self.record(constant, &format!("{of}[{}], string", json!(tag)), words);
    }

    fn record(&mut self, constant: &str, kinds: &str, words: Vec<(String, &str)>) {
        self.text.push_str(&format!("export const {constant}: Record<{kinds}> = {{\n"));
        for (name, word) in words {
            let plain = name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
            let key = if plain { name } else { json!(name).to_string() };
            self.text.push_str(&format!("    {key}: {},\n", json!(word)));
        }
        self.text.push_str("};\n\n");
    }
}

/// The columns of a table, without their values.
fn columns(out: &mut String, constant: &str, all: &[(&str, PageColumn, &str)]) {
    out.push_str(&format!("\nexport const {constant} = [\n"));
    for (id, column, help) in all {
        let mut keys = vec![format!("id: {}, title: {}", json!(id), json!(column.title))];
        keys.push(format!("help: {}", json!(help)));
        if !column.from.is_empty() {
            keys.push(format!("from: {}", json!(column.from)));
        }
        keys.push(format!("width: {}, number: {}, usual: {}", column.width, column.number, column.usual));
        out.push_str(&format!("    {{ {} }},\n", keys.join(", ")));
    }
    out.push_str("] as const;\n");
}
