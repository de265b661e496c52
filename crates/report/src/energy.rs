//! `show energy`: joules of the run and of its loops, and of runs with other numbers of threads.

use crate::columns::{Cell, Column, Shorten, Table};
use crate::phrases::{
    COUNTER_BRIEF, COUNTER_FROZEN, COUNTER_JUMPED, COUNTER_LOST, ENERGY_BY_COUNTERS, ENERGY_BY_MODEL,
    ENERGY_BY_TIME, ENERGY_NOT_MINE, ENERGY_OF_RUN, ENERGY_UNKNOWN, LEAST_ENERGY, MODEL_CALIBRATED,
    MODEL_GIVEN, NO_ENERGY, OF_BOARD, OF_CORES, OF_GRAPHICS, OF_MEMORY, OF_SOCKET, SAME_THREADS, THREAD,
    filled,
};
use crate::prose::{heading, labelled, paragraph};
use crate::quantity::{energy as joules, many, percent, rate, ratio, share, time};
use crate::style::{Ink, TerminalStyle};
use loopwright_analysis::model::{
    Analysis, DomainEnergy, EnergyDomain, EnergyFacts, EnergyFault, EnergyInterface, EnergySource, LoopFacts,
    RunEnergy, ThreadsEnergy,
};

/// Columns of the label before a fact.
const LABEL: usize = 8;
/// Loops with a smaller share of the energy are not shown.
const SMALLEST_SHARE: f64 = 0.005;
/// Other programs are worth a word when the program has less of the machine's CPU time than this.
const ALMOST_ALONE: f64 = 0.95;

/// The view.
pub fn energy(analysis: &Analysis, style: &TerminalStyle) -> String {
    let Some(energy) = &analysis.energy else {
        return paragraph(style, 0, Ink::Plain, NO_ENERGY);
    };
    let mut out = heading(style, "Energy");
    if let Some(run) = &energy.run {
        out.push_str(&of_run(run, style));
    }
    out.push_str(&labelled(style, 0, "Source", LABEL, Ink::Plain, &source(&energy.source)));
    let is_counted = matches!(energy.source, EnergySource::Counters { .. });
    if let Some(part) = energy.run.as_ref().and_then(|run| run.share_of_busy).filter(|_| is_counted)
        && part < ALMOST_ALONE
    {
        let text = filled(ENERGY_NOT_MINE, [&share(part)]);
        out.push_str(&labelled(style, 0, "Note", LABEL, Ink::Caution, &text));
    }
    if let Some(run) = energy.run.as_ref().filter(|run| !run.domains.is_empty()) {
        out.push_str(&domains(run, style));
    }
    out.push_str(&loops(analysis, energy, style));
    out.push_str(&threads(energy, style));
    out
}

fn of_run(run: &RunEnergy, style: &TerminalStyle) -> String {
    let known = run.joules.zip(run.watts).zip(run.delay_product);
    let (text, ink) = match known {
        Some(((energy, watts), product)) => {
            let values = [&joules(energy), &time(run.seconds), &rate(watts), &rate(product)];
            (filled(ENERGY_OF_RUN, values.map(String::as_str)), Ink::Strong)
        }
        None => (ENERGY_UNKNOWN.to_owned(), Ink::Caution),
    };
    labelled(style, 0, "Run", LABEL, ink, &text)
}

/// How energy is known.
pub(crate) fn source(source: &EnergySource) -> String {
    match source {
        EnergySource::Counters { interface } => filled(ENERGY_BY_COUNTERS, [self::interface(*interface)]),
        EnergySource::Model { model, calibrated, worst } => {
            let from = match worst.filter(|_| *calibrated) {
                Some(worst) => filled(MODEL_CALIBRATED, [&share(worst)]),
                None => MODEL_GIVEN.to_owned(),
            };
            filled(ENERGY_BY_MODEL, [&rate(model.idle_watts), &rate(model.core_watts), &from])
        }
    }
}

/// An interface to the counters.
pub(crate) fn interface(interface: EnergyInterface) -> &'static str {
    match interface {
        EnergyInterface::Perf => "perf",
        EnergyInterface::Powercap => "powercap",
        EnergyInterface::Msr => "registers",
    }
}

/// Why a counter cannot be believed.
pub(crate) fn fault(fault: EnergyFault) -> &'static str {
    match fault {
        EnergyFault::Frozen => COUNTER_FROZEN,
        EnergyFault::Jumped => COUNTER_JUMPED,
        EnergyFault::Lost => COUNTER_LOST,
        EnergyFault::Brief => COUNTER_BRIEF,
    }
}

/// What a counter covers, with a gap for its socket, and that socket.
pub(crate) fn domain(domain: EnergyDomain) -> (&'static str, Option<u32>) {
    match domain {
        EnergyDomain::Package { socket } => (OF_SOCKET, Some(socket)),
        EnergyDomain::Memory { socket } => (OF_MEMORY, Some(socket)),
        EnergyDomain::Cores { socket } => (OF_CORES, Some(socket)),
        EnergyDomain::Graphics { socket } => (OF_GRAPHICS, Some(socket)),
        EnergyDomain::Platform => (OF_BOARD, None),
    }
}

/// The same with its socket.
fn covered(domain: EnergyDomain) -> String {
    match self::domain(domain) {
        (text, Some(socket)) => filled(text, [&socket.to_string()]),
        (text, None) => text.to_owned(),
    }
}

fn domains(run: &RunEnergy, style: &TerminalStyle) -> String {
    let table = Table::<&DomainEnergy>::new()
        .column(Column::left("Counter"), |each| Cell::plain(covered(each.domain)))
        .column(Column::right("Energy"), |each| match (each.joules, each.fault) {
            (Some(energy), _) => Cell::plain(joules(energy)),
            (None, Some(why)) => Cell::new(fault(why), Ink::Caution),
            (None, None) => Cell::empty(),
        })
        .column(Column::right("Power"), |each| {
            let watts = each.joules.filter(|_| run.seconds > 0.0).map(|energy| energy / run.seconds);
            watts.map_or_else(Cell::empty, |watts| Cell::plain(format!("{} W", rate(watts))))
        });
    format!("\n{}", table.render(run.domains.iter().collect::<Vec<_>>(), style, 0))
}

fn loops(analysis: &Analysis, energy: &EnergyFacts, style: &TerminalStyle) -> String {
    let found = |id| analysis.loops.iter().find(|one| one.id == id);
    let rows: Vec<(&LoopFacts, f64)> = energy
        .loops
        .iter()
        .filter_map(|one| Some((found(one.id)?, one.joules)))
        .filter(|(one, _)| one.self_share >= SMALLEST_SHARE)
        .collect();
    if rows.is_empty() {
        return String::new();
    }
    let table = Table::<(&LoopFacts, f64)>::new()
        .column(Column::right("Loop"), |(one, _)| Cell::new(one.id.to_string(), Ink::Strong))
        .column(Column::left("Where").shorten(Shorten::Start, 24), |(one, _)| Cell::plain(one.name()))
        .column(Column::left("Function").shorten(Shorten::End, 16).expendable(1), |(one, _)| {
            Cell::plain(&one.function)
        })
        .column(Column::right("Self %"), |(one, _)| Cell::plain(percent(one.self_share)))
        .column(Column::right("Energy"), |(_, energy)| Cell::new(joules(*energy), Ink::Strong));
    let mut out = heading(style, "Energy of loops");
    out.push_str(&table.render(rows, style, 0));
    out.push_str(&labelled(style, 0, "Note", LABEL, Ink::Dim, ENERGY_BY_TIME));
    out
}

fn threads(energy: &EnergyFacts, style: &TerminalStyle) -> String {
    if energy.threads.is_empty() {
        return String::new();
    }
    let first = energy.threads.first().map_or(0.0, |one| one.seconds);
    let best = |at: u32, best: Option<u32>| if best == Some(at) { Ink::Good } else { Ink::Plain };
    let table = Table::<(u32, &ThreadsEnergy)>::new()
        .column(Column::right("Threads"), |(_, one)| Cell::new(one.threads.to_string(), Ink::Strong))
        .column(Column::right("Runs").expendable(3), |(_, one)| Cell::plain(one.runs.to_string()))
        .column(Column::right("Time"), |(_, one)| Cell::plain(time(one.seconds)))
        .column(Column::right("Faster").expendable(2), |(_, one)| match one.seconds > 0.0 {
            true => Cell::plain(ratio(first / one.seconds, style)),
            false => Cell::empty(),
        })
        .column(Column::right("CPU time").expendable(4), |(_, one)| Cell::plain(time(one.cpu_seconds)))
        .column(Column::right("Energy"), |(at, one)| {
            let ink = best(*at, energy.least_energy);
            one.joules.map_or_else(Cell::empty, |energy| Cell::new(joules(energy), ink))
        })
        .column(Column::right("95 % interval").expendable(1), |(_, one)| {
            let range =
                |(low, high): (f64, f64)| Cell::new(format!("{}-{} J", rate(low), rate(high)), Ink::Dim);
            one.joules_interval.map_or_else(Cell::empty, range)
        })
        .column(Column::right("Power"), |(_, one)| {
            one.watts.map_or_else(Cell::empty, |watts| Cell::plain(format!("{} W", rate(watts))))
        })
        .column(Column::right("Energy x delay"), |(at, one)| {
            let ink = best(*at, energy.least_delay_product);
            let cell = |product| Cell::new(format!("{} J s", rate(product)), ink);
            one.delay_product.map_or_else(Cell::empty, cell)
        });
    let mut out = heading(style, "Energy by number of threads");
    out.push_str(&table.render((0..).zip(&energy.threads).collect::<Vec<_>>(), style, 0));
    let named = |at: Option<u32>| {
        let one = energy.threads.get(at? as usize)?;
        Some(many(u64::from(one.threads), THREAD))
    };
    if energy.same_threads {
        out.push_str(&labelled(style, 0, "Note", LABEL, Ink::Caution, SAME_THREADS));
    } else if let Some((energy, product)) = named(energy.least_energy).zip(named(energy.least_delay_product))
    {
        let text = filled(LEAST_ENERGY, [&energy, &product]);
        out.push_str(&labelled(style, 0, "Best", LABEL, Ink::Good, &text));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::assert_valid;
    use crate::fixture;
    use loopwright_analysis::model::LoopEnergy;
    use loopwright_experiment::energy::Model;

    fn with_threads(threads: u32, seconds: f64, energy: f64) -> ThreadsEnergy {
        ThreadsEnergy {
            threads,
            runs: 3,
            seconds,
            cpu_seconds: 4.0,
            joules: Some(energy),
            joules_interval: Some((energy * 0.98, energy * 1.02)),
            watts: Some(energy / seconds),
            delay_product: Some(energy * seconds),
        }
    }

    fn counted() -> EnergyFacts {
        let of = |domain, joules, fault| DomainEnergy { domain, joules, fault };
        EnergyFacts {
            source: EnergySource::Counters { interface: EnergyInterface::Powercap },
            run: Some(RunEnergy {
                seconds: 4.0,
                cpu_seconds: 7.0,
                joules: Some(312.0),
                watts: Some(78.0),
                delay_product: Some(1248.0),
                domains: vec![
                    of(EnergyDomain::Package { socket: 0 }, Some(300.0), None),
                    of(EnergyDomain::Memory { socket: 0 }, Some(12.0), None),
                    of(EnergyDomain::Cores { socket: 0 }, None, Some(EnergyFault::Frozen)),
                ],
                share_of_busy: Some(0.7),
            }),
            loops: fixture::analysis()
                .loops
                .iter()
                .map(|one| LoopEnergy { id: one.id, joules: 50.0 })
                .collect(),
            functions: Vec::new(),
            threads: vec![
                with_threads(1, 8.0, 500.0),
                with_threads(2, 4.0, 320.0),
                with_threads(4, 3.0, 400.0),
            ],
            least_energy: Some(1),
            least_delay_product: Some(2),
            same_threads: false,
        }
    }

    fn words(energy: EnergyFacts) -> String {
        let mut analysis = fixture::analysis();
        analysis.energy = Some(energy);
        for style in fixture::styles() {
            fixture::assert_fits(&super::energy(&analysis, &style), &style);
        }
        assert_valid("EnergyFacts", &serde_json::to_value(&analysis.energy).unwrap());
        let text = super::energy(&analysis, &TerminalStyle::plain(200));
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_run_its_counters_loops_and_threads_are_shown() {
        let text = words(counted());
        for part in [
            "312 J in 4.00 s: 78.0 W, energy-delay product 1248 J s",
            "read through powercap",
            "had 70 % of the CPU time",
            "memory of socket 0 12.0 J 3.00 W",
            "cores of socket 0 (a part of it) did not move",
            "50.0 J",
            "2 3 4.00 s 2.0x 4.00 s 320 J 314-326 J 80.0 W 1280 J s",
            "least energy with 2 threads, smallest energy-delay product with 4 threads",
        ] {
            assert!(text.contains(part), "{part} is missing in\n{text}");
        }
    }

    #[test]
    fn a_model_says_that_it_is_one_and_what_is_not_known_has_no_number() {
        let model = Model { idle_watts: 60.0, core_watts: 4.5 };
        let source = EnergySource::Model { model, calibrated: true, worst: Some(0.03) };
        let mut unknown = EnergyFacts { source, same_threads: true, ..counted() };
        unknown.run = Some(RunEnergy {
            joules: None,
            watts: None,
            delay_product: None,
            domains: Vec::new(),
            ..counted().run.unwrap()
        });
        let text = words(unknown);
        for part in [
            "a model, not measured: 60.0 W and 4.50 W more",
            "within 3.0 % of it",
            "not known",
            "elsewhere than OMP_NUM_THREADS",
        ] {
            assert!(text.contains(part), "{part} is missing in\n{text}");
        }
        assert!(!text.contains("CPU time that this machine used"), "a model is of the program alone: {text}");
        let none = energy(&fixture::analysis(), &TerminalStyle::plain(100));
        assert!(none.contains("loopwright energy"), "{none}");
    }
}
