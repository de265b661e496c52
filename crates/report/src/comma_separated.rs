//! CSV (RFC 4180) for spreadsheets and scripts: one header line, one row per loop, function, thread or
//! recommendation. Absent facts are empty fields; numbers are not rounded. Control characters in names
//! are escaped as in the tables, and no cell is a formula. The fields are those of the tables ([`crate::fields`]); those of facts that
//! no such table shows whole are here. Files for data frames have the same ones ([`crate::fleet`]).

use crate::fields::{Field, csv};
use crate::hotspots::{FunctionRow, function_fields, module_fields};
use crate::loops::{LoopRow, fields};
use crate::quantity::TimeUnit;
use crate::style::TerminalStyle;
use crate::threads::thread_fields;
use crate::vocabulary::contract_name;
use loopwright_advise::{Gain, Recommendation};
use loopwright_analysis::model::{Analysis, CommEdge, CommSite, HeapPlace, IoFile};

/// Seconds, as everywhere outside of texts.
const UNIT: TimeUnit = TimeUnit::Seconds;

/// The loops.
///
/// # Errors
/// Only when a row cannot be written to memory.
pub fn loops(analysis: &Analysis) -> Result<String, csv::Error> {
    csv(fields(UNIT, &TerminalStyle::plain(0)), analysis.loops.iter().map(LoopRow::whole))
}

/// The functions; those that were inlined are part of these.
///
/// # Errors
/// Only when a row cannot be written to memory.
pub fn functions(analysis: &Analysis) -> Result<String, csv::Error> {
    csv(function_fields(UNIT), analysis.functions.iter().map(FunctionRow::own))
}

/// The modules.
///
/// # Errors
/// Only when a row cannot be written to memory.
pub fn modules(analysis: &Analysis) -> Result<String, csv::Error> {
    csv(module_fields(UNIT), &analysis.modules)
}

/// The threads.
///
/// # Errors
/// Only when a row cannot be written to memory.
pub fn threads(analysis: &Analysis) -> Result<String, csv::Error> {
    csv(thread_fields(analysis, UNIT, 0.0, &TerminalStyle::plain(0)), &analysis.threads)
}

/// Messages between ranks: what `loopwright place --matrix` reads.
///
/// # Errors
/// Only when a row cannot be written to memory.
pub fn matrix(analysis: &Analysis) -> Result<String, csv::Error> {
    let field = Field::<&CommEdge>::new;
    let fields = vec![
        field("from").csv(|edge| edge.from),
        field("to").csv(|edge| edge.to),
        field("messages").csv(|edge| edge.messages),
        field("bytes").csv(|edge| edge.bytes),
    ];
    csv(fields, analysis.comm.iter().flat_map(|comm| &comm.matrix))
}

/// Calls of MPI by place.
///
/// # Errors
/// Only when a row cannot be written to memory.
pub fn comm(analysis: &Analysis) -> Result<String, csv::Error> {
    csv(comm_fields(), analysis.comm.iter().flat_map(|comm| &comm.sites))
}

/// The fields of calls of MPI.
pub(crate) fn comm_fields<'a, 'r>() -> Vec<Field<'a, &'r CommSite>> {
    let field = Field::<&'r CommSite>::new;
    vec![
        field("function").csv(|site| site.function.clone()),
        field("class").csv(|site| contract_name(&site.class)),
        field("caller").csv(|site| site.caller.clone()),
        field("module").csv(|site| site.module.clone()),
        field("place").csv(|site| site.place.clone()),
        field("loop").csv(|site| site.loop_id),
        field("calls").csv(|site| site.calls),
        field("bytes").csv(|site| site.bytes),
        field("calls_without_bytes").csv(|site| site.without_bytes),
        field("seconds").csv(|site| site.seconds),
        field("longest_seconds").csv(|site| site.longest_seconds),
        field("sync_seconds").csv(|site| site.sync_seconds),
        field("sync_at_least").csv(|site| site.sync_at_least),
        field("imbalance_seconds").csv(|site| site.imbalance.map(|one| one.excess)),
        field("imbalance_share").csv(|site| site.imbalance.map(|one| one.share)),
        field("worst_rank").csv(|site| site.worst_rank),
        field("best_rank").csv(|site| site.best_rank),
        field("callers").csv(|site| site.callers),
        field("below_16").csv(|site| site.bins[0]),
        field("below_256").csv(|site| site.bins[1]),
        field("below_4096").csv(|site| site.bins[2]),
        field("below_65536").csv(|site| site.bins[3]),
        field("below_1048576").csv(|site| site.bins[4]),
        field("larger").csv(|site| site.bins[5]),
    ]
}

/// Input and output by file.
///
/// # Errors
/// Only when a row cannot be written to memory.
pub fn io(analysis: &Analysis) -> Result<String, csv::Error> {
    csv(io_fields(), analysis.io.iter().flat_map(|io| &io.files))
}

/// The fields of files.
pub(crate) fn io_fields<'a, 'r>() -> Vec<Field<'a, &'r IoFile>> {
    let field = Field::<&'r IoFile>::new;
    vec![
        field("target").csv(|file| contract_name(&file.target)),
        field("path").csv(|file| file.path.clone()),
        field("ranks").csv(|file| file.ranks),
        field("opens").csv(|file| file.opens),
        field("reads").csv(|file| file.reads),
        field("read_bytes").csv(|file| file.read_bytes),
        field("read_seconds").csv(|file| file.read_seconds),
        field("writes").csv(|file| file.writes),
        field("written_bytes").csv(|file| file.written_bytes),
        field("write_seconds").csv(|file| file.write_seconds),
        field("other_seconds").csv(|file| file.other_seconds),
        field("longest_seconds").csv(|file| file.longest_seconds),
        field("mapped_bytes").csv(|file| file.mapped_bytes),
        field("seeks").csv(|file| file.seeks),
        field("syncs").csv(|file| file.syncs),
        field("consecutive_share").csv(|file| file.consecutive_share),
        field("backward_share").csv(|file| file.backward_share),
        field("unaligned").csv(|file| file.unaligned),
        field("switches").csv(|file| file.switches),
        field("imbalance_share").csv(|file| file.imbalance.map(|one| one.share)),
    ]
}

/// Allocations by place.
///
/// # Errors
/// Only when a row cannot be written to memory.
pub fn heap(analysis: &Analysis) -> Result<String, csv::Error> {
    csv(heap_fields(), analysis.heap.iter().flat_map(|heap| &heap.places))
}

/// The fields of allocations.
pub(crate) fn heap_fields<'a, 'r>() -> Vec<Field<'a, &'r HeapPlace>> {
    let field = Field::<&'r HeapPlace>::new;
    vec![
        field("function").csv(|place| place.function.clone()),
        field("caller").csv(|place| place.caller.clone()),
        field("module").csv(|place| place.module.clone()),
        field("place").csv(|place| place.place.clone()),
        field("loop").csv(|place| place.loop_id),
        field("calls").csv(|place| place.calls),
        field("bytes").csv(|place| place.bytes),
        field("live_bytes").csv(|place| place.live_bytes),
        field("peak_bytes").csv(|place| place.peak_bytes),
        field("callers").csv(|place| place.callers),
        field("below_16").csv(|place| place.bins[0]),
        field("below_256").csv(|place| place.bins[1]),
        field("below_4096").csv(|place| place.bins[2]),
        field("below_65536").csv(|place| place.bins[3]),
        field("below_1048576").csv(|place| place.bins[4]),
        field("larger").csv(|place| place.bins[5]),
    ]
}

/// The recommendations.
///
/// # Errors
/// Only when a row cannot be written to memory.
pub fn recommendations(recommendations: &[Recommendation]) -> Result<String, csv::Error> {
    csv(recommendation_fields(), recommendations)
}

/// The fields of recommendations.
pub(crate) fn recommendation_fields<'a, 'r>() -> Vec<Field<'a, &'r Recommendation>> {
    let field = Field::<&'r Recommendation>::new;
    vec![
        field("id").csv(|each| each.id.clone()),
        field("title").csv(|each| each.title.clone()),
        field("loop").csv(|each| each.loop_id),
        field("function").csv(|each| each.function.clone()),
        field("place").csv(|each| each.place.clone()),
        field("share").csv(|each| each.share),
        field("loop_gain_low").csv(|each| each.loop_gain.map(|gain| <(f64, f64)>::from(gain).0)),
        field("loop_gain_high").csv(|each| each.loop_gain.map(|gain| <(f64, f64)>::from(gain).1)),
        field("program_gain_low").csv(|each| each.program_gain.map(|gain| <(f64, f64)>::from(gain).0)),
        field("program_gain_high").csv(|each| each.program_gain.map(|gain| <(f64, f64)>::from(gain).1)),
        field("confidence").csv(|each| contract_name(&each.confidence)),
        field("evidence").csv(|each| {
            let sentences: Vec<String> = each.evidence.iter().map(ToString::to_string).collect();
            sentences.join("; ")
        }),
        field("how").csv(|each| each.how.text.clone()),
        field("next").csv(|each| each.next.clone()),
        field("case").csv(|each| each.case.as_ref().map(ToString::to_string)),
        field("loop_gain_likely").csv(|each| each.loop_gain.map(Gain::likely)),
        field("program_gain_likely").csv(|each| each.program_gain.map(Gain::likely)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;
    use crate::names::printable;

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
    }

    #[test]
    fn absent_facts_are_empty_fields() {
        let text = loops(&fixture::analysis()).unwrap();
        let last = rows(&text).pop().unwrap();
        assert_eq!((&last[5], &last[9], &last[18]), ("", "", ""));
    }
}
