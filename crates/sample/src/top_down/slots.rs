//! Where the slots of the pipeline went, from the readings.

use super::reading::{Part, Reading, Unit};

/// Shares of the slots.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Slots {
    /// Used by instructions that retired.
    pub retiring: f64,
    /// Lost to wrong speculation.
    pub bad_speculation: f64,
    /// Not filled by the front end.
    pub front_end: f64,
    /// Not accepted by the back end.
    pub back_end: f64,
    /// Of the back end's: it waits for memory.
    pub memory: Option<f64>,
    /// Of the back end's: it waits for its own units.
    pub core: Option<f64>,
    /// Of wrong speculation's: mispredicted branches.
    pub mispredicts: Option<f64>,
    /// Taken by the other hardware thread of the core.
    pub other_thread: Option<f64>,
    /// The kind of cores, of processors that have several.
    pub cores: Option<String>,
    /// Least share of the time in which one of these was counted.
    pub counted: Option<f64>,
}

/// Metrics that take turns on the counters add up to 1 nearly, as the program does not do the same all the time. Outside of this
/// they contradict each other: perf 4.15 printed 151 % for one of four on a core whose other thread was in use
/// (github.com/andikleen/pmu-tools, issue 203).
const ADD_UP: std::ops::RangeInclusive<f64> = 0.75..=1.25;
/// Four percentages add up to about 100, four fractions to about 1.
const FRACTIONS_AT_MOST: f64 = 3.0;

/// The shares of the kind of cores on which the program was longest; none where a part is missing or they contradict.
pub fn of(readings: &[Reading]) -> Option<Slots> {
    let mut kinds: Vec<Option<&str>> = readings.iter().map(|reading| reading.cores.as_deref()).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let found = kinds.into_iter().filter_map(|kind| {
        let of_kind = |reading: &&Reading| reading.cores.as_deref() == kind;
        let (events, metrics): (Vec<&Reading>, Vec<&Reading>) =
            readings.iter().filter(of_kind).partition(|reading| reading.unit == Unit::Slots);
        // What was counted, before what was computed of it and printed in one digit.
        of_events(&events).or_else(|| of_metrics(&metrics))
    });
    found.max_by(|a, b| a.counted.unwrap_or(1.0).total_cmp(&b.counted.unwrap_or(1.0)))
}

/// The first reading of a part.
fn of_part<'a>(readings: &[&'a Reading], part: Part) -> Option<&'a Reading> {
    readings.iter().find(|reading| reading.part == part).copied()
}

/// The kernel scales its `topdown-*` events to slots; perf's own formulas divide by their sum (`tma_retiring` in
/// `pmu-events/arch/x86/icelake/icl-metrics.json`), as `slots` also counts cycles without a valid measurement.
fn of_events(readings: &[&Reading]) -> Option<Slots> {
    let value = |part| of_part(readings, part).map(|reading| reading.value.max(0.0));
    let first = [Part::Retiring, Part::BadSpeculation, Part::FrontEnd, Part::BackEnd];
    let [retiring, bad_speculation, front_end, back_end] = first.map(value);
    let all = retiring? + bad_speculation? + front_end? + back_end?;
    if !(all > 0.0 && all.is_finite()) {
        return None;
    }
    let share = |part: Part| value(part).map(|slots| slots / all);
    let back_end = back_end? / all;
    let memory = share(Part::Memory).map(|memory| memory.min(back_end));
    Some(Slots {
        retiring: retiring? / all,
        bad_speculation: bad_speculation? / all,
        front_end: front_end? / all,
        back_end,
        memory,
        core: memory.map(|memory| back_end - memory),
        mispredicts: share(Part::Mispredicts).map(|missed| missed.min(1.0)),
        other_thread: None,
        ..about(readings)
    })
}

fn of_metrics(readings: &[&Reading]) -> Option<Slots> {
    let value = |part| of_part(readings, part).map(|reading| reading.value);
    // Where only the second level was asked for, a part is the sum of its two.
    let whole = |part, a, b| value(part).or_else(|| Some(value(a)? + value(b)?));
    let retiring = whole(Part::Retiring, Part::Light, Part::Heavy)?;
    let bad_speculation = whole(Part::BadSpeculation, Part::Mispredicts, Part::Restarts)?;
    let front_end = whole(Part::FrontEnd, Part::FetchLatency, Part::FetchBandwidth)?;
    let back_end = whole(Part::BackEnd, Part::Memory, Part::Core)?;
    let all = retiring + bad_speculation + front_end + back_end + value(Part::OtherThread).unwrap_or(0.0);
    let said = readings.iter().any(|reading| reading.unit == Unit::Percent);
    let unit = if said || all > FRACTIONS_AT_MOST { 100.0 } else { 1.0 };
    // Small negative ones are errors of counters that took turns.
    let share = |value: f64| (value / unit).clamp(0.0, 1.0);
    if !ADD_UP.contains(&(all / unit)) {
        return None;
    }
    let back_end = share(back_end);
    let memory =
        value(Part::Memory).map(share).or_else(|| Some((back_end - share(value(Part::Core)?)).max(0.0)));
    let core = value(Part::Core).map(share).or_else(|| Some((back_end - memory?).max(0.0)));
    Some(Slots {
        retiring: share(retiring),
        bad_speculation: share(bad_speculation),
        front_end: share(front_end),
        back_end,
        memory,
        core,
        mispredicts: value(Part::Mispredicts).map(share),
        other_thread: value(Part::OtherThread).map(share),
        ..about(readings)
    })
}

/// What is said of all shares.
fn about(readings: &[&Reading]) -> Slots {
    let counted = readings.iter().filter_map(|reading| reading.counted).reduce(f64::min);
    let cores = readings.first().and_then(|reading| reading.cores.clone());
    Slots { counted, cores, ..Slots::default() }
}
