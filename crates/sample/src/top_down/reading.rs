//! What `perf stat -x ';'` writes, as typed readings.
//!
//! A line has, in this order: value, unit, event, time that the event was counted, percentage of the time that it was, and a
//! derived metric with its name (perf-stat(1), "CSV FORMAT"). Versions differ in everything else: lines of metrics alone
//! leave the first fields empty or shift them, names carry a percent sign, a prefix `tma_` or capitals, and since Linux 6.15
//! a verdict (`good`, `bad`) follows. So a metric is found by its name, and its value is the field before it. The
//! separator is no comma: events have commas in their names, and so have numbers where the locale says so.
//!
//! The text is untrusted: whatever it holds, parsing ends without a panic and with a bounded result.

use serde::{Deserialize, Serialize};

/// What separates fields; perf-stat(1) recommends it.
pub const SEPARATOR: char = ';';

/// perf writes a line for each event and metric, some dozens. More than this is not its output.
const MOST_LINES: usize = 2_000;
const MOST_READINGS: usize = 256;
/// Names that perf could not count are for a message.
const MOST_NAMES: usize = 8;
const LONGEST_NAME: usize = 80;

/// A part of the slots of a pipeline. Parts of the second level are within one of the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Part {
    /// Used by instructions that retired.
    Retiring,
    /// Lost to instructions that did not retire, and to recovery from them.
    BadSpeculation,
    /// Not filled by the front end.
    FrontEnd,
    /// Not accepted by the back end.
    BackEnd,
    /// Taken by the other hardware thread of the core (AMD).
    OtherThread,
    /// Of wrong speculation: mispredicted branches.
    Mispredicts,
    /// Of wrong speculation: other restarts of the pipeline.
    Restarts,
    /// Of the front end: cycles without any instruction.
    FetchLatency,
    /// Of the front end: too few instructions in a cycle.
    FetchBandwidth,
    /// Of the back end: it waits for memory.
    Memory,
    /// Of the back end: it waits for its own units.
    Core,
    /// Of what retired: instructions of several operations, or from microcode.
    Heavy,
    /// Of what retired: the others.
    Light,
}

/// What a reading counts in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// Slots.
    Slots,
    /// Per cent of the slots.
    Percent,
    /// Per cent or a fraction: early versions do not say which.
    Share,
}

/// One number.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reading {
    /// Of what.
    pub part: Part,
    /// The number.
    pub value: f64,
    /// Its unit.
    pub unit: Unit,
    /// Share of the time in which it was counted; less than 1 where counters took turns, or where the program ran on cores of
    /// another kind.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub counted: Option<f64>,
    /// The kind of cores, of processors that have several (`cpu_core`, `cpu_atom`).
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub cores: Option<String>,
}

/// Everything of a text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Written {
    /// What is known of slots.
    pub readings: Vec<Reading>,
    /// Events that had a value.
    pub events: usize,
    /// Events that this processor, or this machine, does not have.
    pub unsupported: Vec<String>,
    /// Events that never got a counter.
    pub uncounted: Vec<String>,
    /// Events were counted in user code only.
    pub user_only: bool,
    /// perf counted its usual events: it does so, without an error, where it does not know what it is asked for (seen with 6.1).
    pub usual: bool,
}

/// Reads what perf wrote.
pub fn parse(text: &[u8]) -> Written {
    let text = String::from_utf8_lossy(text);
    let mut written = Written::default();
    let mut context = Context::default();
    for line in text.lines().take(MOST_LINES) {
        let line = line.trim();
        if !line.is_empty() && !line.starts_with('#') {
            read_line(line, &mut context, &mut written);
        }
        if written.readings.len() >= MOST_READINGS {
            break;
        }
    }
    written
}

/// What lines of metrics alone inherit from the line before.
#[derive(Default)]
struct Context {
    cores: Option<String>,
    counted: Option<f64>,
}

fn read_line(line: &str, context: &mut Context, written: &mut Written) {
    let fields: Vec<&str> = line.split(SEPARATOR).map(str::trim).collect();
    let field = |index: usize| fields.get(index).copied().unwrap_or_default();
    let event = field(2);
    if event.contains(|c: char| c.is_alphabetic()) {
        let event = Event::of(event);
        context.cores = event.cores.map(str::to_owned);
        context.counted = number(field(4)).map(|percent| (percent / 100.0).clamp(0.0, 1.0));
        written.user_only |= event.user_only;
        // The first of the usual events, for one command and for all.
        written.usual |= matches!(event.name, "task-clock" | "cpu-clock");
        match (number(field(0)), field(0)) {
            (Some(value), _) => {
                written.events += 1;
                if let Some(part) = event_part(event.name) {
                    written.readings.push(context.reading(part, value, Unit::Slots));
                }
            }
            (None, "<not supported>") => note(&mut written.unsupported, event.name),
            (None, _) => note(&mut written.uncounted, event.name),
        }
    } else if field(0).is_empty()
        && let (Some(_), Some(percent)) = (number(field(1)), number(field(2)))
    {
        // Lines of a group of metrics have these two fields one place too early.
        context.counted = Some((percent / 100.0).clamp(0.0, 1.0));
    }
    for (index, name) in fields.iter().enumerate().skip(1) {
        if let Some(cores) = name.strip_suffix(')').and_then(|name| name.rsplit_once(" (cpu_")) {
            context.cores = Some(shortened(&format!("cpu_{}", cores.1)));
        }
        if index != 2
            && let Some((part, unit)) = metric(name)
            && let Some(value) = number(field(index - 1))
        {
            written.readings.push(context.reading(part, value, unit));
        }
    }
}

impl Context {
    fn reading(&self, part: Part, value: f64, unit: Unit) -> Reading {
        Reading { part, value, unit, counted: self.counted, cores: self.cores.clone() }
    }
}

/// `cpu_core/topdown-retiring/u`, `topdown-retiring:u`.
struct Event<'a> {
    name: &'a str,
    cores: Option<&'a str>,
    user_only: bool,
}

impl<'a> Event<'a> {
    fn of(text: &'a str) -> Self {
        let modified = |modifiers: &str| modifiers.contains('u') && !modifiers.contains('k');
        match text.split_once('/') {
            Some((unit, rest)) => {
                let (name, modifiers) = rest.split_once('/').unwrap_or((rest, ""));
                Self {
                    name,
                    cores: Some(unit).filter(|unit| unit.starts_with("cpu_") && unit.len() <= LONGEST_NAME),
                    user_only: modified(modifiers),
                }
            }
            None => {
                let (name, modifiers) = text.split_once(':').unwrap_or((text, ""));
                Self { name, cores: None, user_only: modified(modifiers) }
            }
        }
    }
}

/// The events that the kernel names alike for all processors that have them (`arch/x86/events/intel/core.c`).
fn event_part(name: &str) -> Option<Part> {
    Some(match name.to_ascii_lowercase().as_str() {
        "topdown-retiring" => Part::Retiring,
        "topdown-bad-spec" => Part::BadSpeculation,
        "topdown-fe-bound" => Part::FrontEnd,
        "topdown-be-bound" => Part::BackEnd,
        "topdown-heavy-ops" => Part::Heavy,
        "topdown-br-mispredict" => Part::Mispredicts,
        "topdown-fetch-lat" => Part::FetchLatency,
        "topdown-mem-bound" => Part::Memory,
        _ => return None,
    })
}

/// The metrics of perf's tables (`pmu-events/arch/`: Intel's begin with `tma_`, AMD's name the part of the pipeline, Arm's are in
/// "percent of slots") and of its own code until Linux 6.2 (`util/stat-shadow.c`).
fn metric(name: &str) -> Option<(Part, Unit)> {
    if name.len() > LONGEST_NAME {
        return None;
    }
    let lower = name.to_ascii_lowercase();
    let mut rest = lower.as_str();
    let mut unit = Unit::Share;
    for prefix in ["%", "percent of slots", "percent of"] {
        if let Some(after) = rest.strip_prefix(prefix) {
            (rest, unit) = (after.trim_start(), Unit::Percent);
            break;
        }
    }
    let words: Vec<&str> = rest.split(|c: char| c == '_' || c == '-' || c.is_whitespace()).collect();
    let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty() && *word != "tma").collect();
    let part = match words.as_slice() {
        ["retiring"] => Part::Retiring,
        ["bad", "speculation"] => Part::BadSpeculation,
        ["frontend", "bound"] => Part::FrontEnd,
        ["backend", "bound"] => Part::BackEnd,
        ["smt", "contention"] => Part::OtherThread,
        ["branch", "mispredict" | "mispredicts"] | ["bad", "speculation", "mispredicts"] => Part::Mispredicts,
        ["machine", "clears"] | ["bad", "speculation", "pipeline", "restarts"] => Part::Restarts,
        ["fetch", "latency"] | ["frontend", "bound", "latency"] => Part::FetchLatency,
        ["fetch", "bandwidth"] | ["frontend", "bound", "bandwidth"] => Part::FetchBandwidth,
        ["memory", "bound"] | ["backend", "bound", "memory"] => Part::Memory,
        ["core", "bound"] | ["backend", "bound", "cpu"] => Part::Core,
        ["heavy", "operations"] | ["retiring", "microcode"] => Part::Heavy,
        ["light", "operations"] | ["retiring", "fastpath"] => Part::Light,
        _ => return None,
    };
    Some((part, unit))
}

/// A number as perf prints it in any locale: the last of point and comma is the decimal one.
fn number(text: &str) -> Option<f64> {
    let plain = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | '-' | '+' | 'e' | 'E');
    if text.is_empty() || text.len() > LONGEST_NAME || !text.chars().all(plain) {
        return None;
    }
    let decimal = text.rfind([',', '.']);
    let digits: String = text
        .char_indices()
        .filter_map(|(at, c)| match c {
            ',' | '.' if Some(at) == decimal => Some('.'),
            ',' | '.' => None,
            c => Some(c),
        })
        .collect();
    digits.parse().ok().filter(|value: &f64| value.is_finite())
}

fn note(names: &mut Vec<String>, name: &str) {
    if names.len() < MOST_NAMES {
        names.push(shortened(name));
    }
}

fn shortened(name: &str) -> String {
    name.chars().take(LONGEST_NAME).collect()
}
