//! CSV (RFC 4180) for spreadsheets and scripts: one header line, one row per loop, function, thread or
//! recommendation. Absent facts are empty fields; numbers are not rounded. Control characters in names
//! are escaped as in the tables, and no cell is a formula ([`cell`]).

use crate::access_patterns::Distribution;
use crate::names::printable;
use crate::vocabulary;
use loopwright_advise::Recommendation;
use loopwright_analysis::model::{Analysis, LoopFacts};
use std::borrow::Cow;

/// Rows as text.
///
/// # Errors
/// Only when a row cannot be written to memory.
fn table(header: &[&str], rows: impl Iterator<Item = Vec<String>>) -> Result<String, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(header)?;
    for row in rows {
        writer.write_record(row.iter().map(|text| cell(text).into_owned()))?;
    }
    let bytes = writer.into_inner().map_err(|error| csv::Error::from(error.into_error()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// A cell that a spreadsheet takes for what it is. It calculates whatever begins like a formula, and formulas can run programs
/// and send what is in other cells elsewhere; a name in a program may begin so. An apostrophe makes it text (OWASP, "CSV
/// Injection"); numbers stay numbers.
fn cell(text: &str) -> Cow<'_, str> {
    let formula = text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠']);
    if formula && text.parse::<f64>().is_err() { Cow::Owned(format!("'{text}")) } else { Cow::Borrowed(text) }
}

fn or_empty<T: ToString>(value: Option<T>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

fn name(text: &str) -> String {
    printable(text).into_owned()
}

fn names<T: serde::Serialize>(values: &[T]) -> String {
    values.iter().map(|value| vocabulary::contract_name(value)).collect::<Vec<_>>().join(" ")
}

/// The loops.
///
/// # Errors
/// Only when a row cannot be written to memory.
pub fn loops(analysis: &Analysis) -> Result<String, csv::Error> {
    let header = [
        "id",
        "group",
        "role",
        "module",
        "function",
        "file",
        "line",
        "column",
        "address",
        "parent",
        "depth",
        "self_seconds",
        "self_share",
        "total_seconds",
        "total_share",
        "samples",
        "threads",
        "vectorized",
        "isa",
        "bits",
        "length",
        "unroll",
        "packed_share",
        "gain",
        "efficiency",
        "types",
        "traits",
        "constant_trips",
        "instructions",
        "bytes_loaded_per_iteration",
        "bytes_stored_per_iteration",
        "why_not",
        "compilers",
        "entries",
        "iterations",
        "min_iterations",
        "median_iterations_low",
        "median_iterations_high",
        "mean_iterations",
        "max_iterations",
        "source_factor",
        "source_iterations",
        "source_share",
        "group_iterations",
        "source_entries",
        "source_mean",
        "executed_instructions",
        "flop",
        "flop_f32",
        "flop_f64",
        "flop_is_bound",
        "fma_share",
        "executed_packed_share",
        "int_ops",
        "bytes_loaded",
        "bytes_stored",
        "intensity",
        "roofline_kind",
        "gflops",
        "gintops",
        "gbytes_per_second",
        "bound",
        "ceiling",
        "headroom",
        "imbalance_seconds",
        "imbalance_share",
        "not_counted",
        "traced_iterations",
        "unit_share",
        "uniform_share",
        "constant_share",
        "variable_share",
        "frame_share",
        "utilisation",
        "footprint_bytes",
        "vector_verdict",
        "max_length",
        "parallel_verdict",
        "checked_iterations",
        "carried_dependences",
        "not_traced",
        // Columns that came later are last: scripts may go by position.
        "source_provenance",
    ];
    table(
        &header,
        analysis.loops.iter().map(|each| {
            let vector = each.vector.as_ref();
            let reasons: Vec<&str> = each.why_not.iter().map(|why| why.reason.as_str()).collect();
            let claims: Vec<String> = each
                .compilers
                .iter()
                .map(|claim| format!("{}={}", claim.compiler, claim.vectorized))
                .collect();
            let mut row = vec![
                each.id.to_string(),
                each.group.to_string(),
                vocabulary::role(each.role).to_owned(),
                name(&each.module),
                name(&each.function),
                each.file.as_deref().map_or_else(String::new, name),
                or_empty(each.line),
                or_empty(each.column),
                each.address.clone(),
                or_empty(each.parent),
                each.depth.to_string(),
                each.self_seconds.to_string(),
                each.self_share.to_string(),
                each.total_seconds.to_string(),
                each.total_share.to_string(),
                each.samples.to_string(),
                each.threads.to_string(),
                each.vectorized.to_string(),
                vector.map_or_else(String::new, |vector| vocabulary::contract_name(&vector.isa)),
                or_empty(vector.map(|vector| vector.bits)),
                or_empty(vector.map(|vector| vector.length)),
                or_empty(vector.map(|vector| vector.unroll)),
                or_empty(vector.map(|vector| vector.packed_share)),
                or_empty(vector.and_then(|vector| vector.gain)),
                or_empty(vector.and_then(|vector| vector.efficiency)),
                names(&each.types),
                names(&each.traits),
                or_empty(each.constant_trips),
                each.instructions.to_string(),
                each.bytes_loaded_per_iteration.to_string(),
                each.bytes_stored_per_iteration.to_string(),
                name(&reasons.join(" ")),
                name(&claims.join("; ")),
            ];
            row.extend(counted(each));
            row.extend(traced(each));
            let provenance = each.trip_count.as_ref().and_then(|trips| trips.source_provenance);
            row.push(or_empty(provenance.map(|how| vocabulary::contract_name(&how))));
            row
        }),
    )
}

/// The columns of a counting run.
fn counted(each: &LoopFacts) -> Vec<String> {
    let trips = each.trip_count.as_ref();
    let work = each.work.as_ref();
    let point = each.roofline.as_ref();
    let imbalance = each.by_thread.as_ref().and_then(|threads| threads.time_imbalance.as_ref());
    let median = trips.and_then(|trips| trips.median_range());
    vec![
        or_empty(trips.and_then(|trips| trips.entries)),
        or_empty(trips.map(|trips| trips.iterations)),
        or_empty(trips.and_then(|trips| trips.min)),
        or_empty(median.map(|median| median.0)),
        or_empty(median.map(|median| median.1)),
        or_empty(trips.and_then(|trips| trips.mean)),
        or_empty(trips.and_then(|trips| trips.max)),
        or_empty(trips.and_then(|trips| trips.source_factor)),
        or_empty(trips.and_then(|trips| trips.source_iterations)),
        or_empty(trips.and_then(|trips| trips.source_share)),
        or_empty(trips.and_then(|trips| trips.group_iterations)),
        or_empty(trips.and_then(|trips| trips.source_entries)),
        or_empty(trips.and_then(|trips| trips.source_mean)),
        or_empty(work.map(|work| work.instructions)),
        or_empty(work.map(|work| work.flop)),
        or_empty(work.map(|work| work.flop_f32)),
        or_empty(work.map(|work| work.flop_f64)),
        or_empty(work.map(|work| work.flop_is_bound)),
        or_empty(work.and_then(|work| work.fma_share)),
        or_empty(work.and_then(|work| work.executed_packed_share())),
        or_empty(work.map(|work| work.int_ops)),
        or_empty(work.map(|work| work.bytes_loaded)),
        or_empty(work.map(|work| work.bytes_stored)),
        or_empty(work.and_then(|work| work.intensity)),
        or_empty(point.map(|point| vocabulary::contract_name(&point.kind))),
        or_empty(point.and_then(|point| point.gflops)),
        or_empty(point.and_then(|point| point.gintops)),
        or_empty(point.and_then(|point| point.gbytes_per_second)),
        or_empty(point.and_then(|point| point.bound.as_ref())),
        or_empty(point.and_then(|point| point.ceiling)),
        or_empty(point.and_then(|point| point.headroom)),
        or_empty(imbalance.map(|imbalance| imbalance.excess)),
        or_empty(imbalance.map(|imbalance| imbalance.share)),
        each.not_counted.as_deref().map_or_else(String::new, name),
    ]
}

/// The columns of a tracing run.
fn traced(each: &LoopFacts) -> Vec<String> {
    let strides = Distribution::of(&each.access);
    let memory = each.memory.as_ref();
    let known = each.dependence.as_ref();
    vec![
        or_empty(memory.map(|memory| memory.traced_iterations)),
        or_empty(strides.map(|strides| strides.unit)),
        or_empty(strides.map(|strides| strides.uniform)),
        or_empty(strides.map(|strides| strides.constant)),
        or_empty(strides.map(|strides| strides.variable)),
        or_empty(strides.map(|strides| strides.frame)),
        or_empty(memory.and_then(|memory| memory.utilisation)),
        or_empty(memory.map(|memory| memory.footprint_bytes)),
        or_empty(known.map(|known| vocabulary::contract_name(&known.vector))),
        or_empty(known.and_then(|known| known.max_length)),
        or_empty(known.map(|known| vocabulary::contract_name(&known.parallel))),
        or_empty(known.map(|known| known.checked_iterations)),
        or_empty(known.map(|known| known.found.len())),
        each.not_traced.as_deref().map_or_else(String::new, name),
    ]
}

/// The functions.
///
/// # Errors
/// Only when a row cannot be written to memory.
pub fn functions(analysis: &Analysis) -> Result<String, csv::Error> {
    let header = [
        "function",
        "module",
        "file",
        "line",
        "self_seconds",
        "self_share",
        "total_seconds",
        "total_share",
        "samples",
        "calls",
        "executed_instructions",
        "flop",
        "int_ops",
        "bytes_loaded",
        "bytes_stored",
    ];
    table(
        &header,
        analysis.functions.iter().map(|each| {
            let work = each.work.as_ref();
            vec![
                name(&each.function),
                name(&each.module),
                each.file.as_deref().map_or_else(String::new, name),
                or_empty(each.line),
                each.self_seconds.to_string(),
                each.self_share.to_string(),
                each.total_seconds.to_string(),
                each.total_share.to_string(),
                each.samples.to_string(),
                or_empty(each.calls),
                or_empty(work.map(|work| work.instructions)),
                or_empty(work.map(|work| work.flop)),
                or_empty(work.map(|work| work.int_ops)),
                or_empty(work.map(|work| work.bytes_loaded)),
                or_empty(work.map(|work| work.bytes_stored)),
            ]
        }),
    )
}

/// The modules.
///
/// # Errors
/// Only when a row cannot be written to memory.
pub fn modules(analysis: &Analysis) -> Result<String, csv::Error> {
    let header = ["path", "self_seconds", "self_share", "has_symbols", "has_lines", "build_id"];
    table(
        &header,
        analysis.modules.iter().map(|each| {
            vec![
                name(&each.path),
                each.self_seconds.to_string(),
                each.self_share.to_string(),
                each.has_symbols.to_string(),
                each.has_lines.to_string(),
                or_empty(each.build_id.as_ref()),
            ]
        }),
    )
}

/// The threads.
///
/// # Errors
/// Only when a row cannot be written to memory.
pub fn threads(analysis: &Analysis) -> Result<String, csv::Error> {
    let header = ["rank", "pid", "tid", "name", "cpu_seconds", "cpu_share"];
    table(
        &header,
        analysis.threads.iter().map(|each| {
            vec![
                or_empty(each.rank),
                each.pid.to_string(),
                each.tid.to_string(),
                name(&each.name),
                each.cpu_seconds.to_string(),
                each.cpu_share.to_string(),
            ]
        }),
    )
}

/// The recommendations.
///
/// # Errors
/// Only when a row cannot be written to memory.
pub fn recommendations(recommendations: &[Recommendation]) -> Result<String, csv::Error> {
    let header = [
        "id",
        "title",
        "loop",
        "function",
        "place",
        "share",
        "loop_gain_low",
        "loop_gain_high",
        "program_gain_low",
        "program_gain_high",
        "confidence",
        "evidence",
        "how",
        "next",
        "case",
    ];
    table(
        &header,
        recommendations.iter().map(|each| {
            let of_loop: Option<(f64, f64)> = each.loop_gain.map(Into::into);
            let of_program: Option<(f64, f64)> = each.program_gain.map(Into::into);
            vec![
                each.id.clone(),
                name(&each.title),
                or_empty(each.loop_id),
                each.function.as_deref().map_or_else(String::new, name),
                each.place.as_deref().map_or_else(String::new, name),
                or_empty(each.share),
                or_empty(of_loop.map(|gain| gain.0)),
                or_empty(of_loop.map(|gain| gain.1)),
                or_empty(of_program.map(|gain| gain.0)),
                or_empty(of_program.map(|gain| gain.1)),
                vocabulary::contract_name(&each.confidence),
                name(&each.evidence.join("; ")),
                name(&each.how.text),
                each.next.as_deref().map_or_else(String::new, name),
                or_empty(each.case.as_ref()),
            ]
        }),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    fn rows(text: &str) -> Vec<csv::StringRecord> {
        csv::Reader::from_reader(text.as_bytes()).into_records().map(Result::unwrap).collect()
    }

    #[test]
    fn tables() {
        let analysis = fixture::analysis();
        insta::assert_snapshot!(
            "csv",
            [
                loops(&analysis).unwrap(),
                functions(&analysis).unwrap(),
                modules(&analysis).unwrap(),
                threads(&analysis).unwrap(),
                recommendations(&fixture::recommendations()).unwrap(),
            ]
            .join("\n")
        );
    }

    #[test]
    fn counted_loops_have_exact_numbers() {
        let text = loops(&fixture::counts::counted()).unwrap();
        let header: Vec<&str> = text.lines().next().unwrap().split(',').collect();
        let first = &rows(&text)[0];
        let field = |name: &str| &first[header.iter().position(|column| *column == name).unwrap()];
        assert_eq!(field("executed_instructions"), "30000000000");
        assert_eq!(
            (field("entries"), field("mean_iterations"), field("flop_is_bound")),
            ("51200000", "19", "false")
        );
        assert_eq!((field("roofline_kind"), field("bound")), ("flop", "scalar f64"));
    }

    #[test]
    fn hostile_names_stay_one_field_of_one_row() {
        let mut analysis = fixture::analysis();
        analysis.loops.truncate(1);
        analysis.loops[0].function = "f<a, \"b\">\r\n\u{1b}[2J,99".into();
        let text = loops(&analysis).unwrap();
        let rows = rows(&text);
        assert_eq!(rows.len(), 1);
        assert_eq!(&rows[0][4], "f<a, \"b\">\\r\\n\\e[2J,99");
    }

    #[test]
    fn no_name_is_a_formula_and_every_number_is_a_number() {
        let mut analysis = fixture::analysis();
        analysis.loops.truncate(1);
        let names = [
            "=1+1",
            "+1+1",
            "-2+3+cmd|' /C calc'!A0",
            "@SUM(A1)",
            "\t=1",
            "=HYPERLINK(\"http://x\",1)",
            "-[NSView draw]",
        ];
        for name in names {
            analysis.loops[0].function = name.into();
            analysis.loops[0].self_seconds = -3.5;
            let text = loops(&analysis).unwrap();
            let row = &rows(&text)[0];
            assert!(!row[4].starts_with(['=', '+', '-', '@', '\t']), "{}", &row[4]);
            assert!(row[4].ends_with(printable(name).as_ref()));
            assert_eq!(&row[11], "-3.5");
        }
        for number in ["-3.5", "+1", "-0", "-1e-7", "12", ""] {
            assert_eq!(cell(number), number);
        }
    }

    #[test]
    fn absent_facts_are_empty_fields() {
        let text = loops(&fixture::analysis()).unwrap();
        let last = rows(&text).pop().unwrap();
        assert_eq!((&last[5], &last[9], &last[18]), ("", "", ""));
    }
}
