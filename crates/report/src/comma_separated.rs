//! CSV (RFC 4180) for spreadsheets and scripts: one header line, one row per loop, function, thread or
//! recommendation. Absent facts are empty fields; numbers are not rounded. Control characters in names
//! are escaped as in the tables, and no cell is a formula. The fields are those of the tables ([`crate::fields`]).

use crate::fields::{Field, csv, name, name_or_empty, or_empty};
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
    csv(&fields(UNIT, &TerminalStyle::plain(0)), analysis.loops.iter().map(LoopRow::whole))
}

/// The functions; those that were inlined are part of these.
///
/// # Errors
/// Only when a row cannot be written to memory.
pub fn functions(analysis: &Analysis) -> Result<String, csv::Error> {
    csv(&function_fields(UNIT), analysis.functions.iter().map(FunctionRow::own))
}

/// The modules.
///
/// # Errors
/// Only when a row cannot be written to memory.
pub fn modules(analysis: &Analysis) -> Result<String, csv::Error> {
    csv(&module_fields(UNIT), &analysis.modules)
}

/// The threads.
///
/// # Errors
/// Only when a row cannot be written to memory.
pub fn threads(analysis: &Analysis) -> Result<String, csv::Error> {
    csv(&thread_fields(analysis, UNIT, 0.0, &TerminalStyle::plain(0)), &analysis.threads)
}

/// Messages between ranks: what `loopwright place --matrix` reads.
///
/// # Errors
/// Only when a row cannot be written to memory.
pub fn matrix(analysis: &Analysis) -> Result<String, csv::Error> {
    let field = Field::<&CommEdge>::new;
    let fields = vec![
        field("from").csv(|edge| edge.from.to_string()),
        field("to").csv(|edge| edge.to.to_string()),
        field("messages").csv(|edge| edge.messages.to_string()),
        field("bytes").csv(|edge| edge.bytes.to_string()),
    ];
    csv(&fields, analysis.comm.iter().flat_map(|comm| &comm.matrix))
}

/// Calls of MPI by place.
///
/// # Errors
/// Only when a row cannot be written to memory.
pub fn comm(analysis: &Analysis) -> Result<String, csv::Error> {
    let field = Field::<&CommSite>::new;
    let fields = vec![
        field("function").csv(|site| name(&site.function)),
        field("class").csv(|site| contract_name(&site.class)),
        field("caller").csv(|site| name(&site.caller)),
        field("module").csv(|site| name(&site.module)),
        field("place").csv(|site| name(&site.place)),
        field("loop").csv(|site| or_empty(site.loop_id)),
        field("calls").csv(|site| site.calls.to_string()),
        field("bytes").csv(|site| site.bytes.to_string()),
        field("calls_without_bytes").csv(|site| site.without_bytes.to_string()),
        field("seconds").csv(|site| site.seconds.to_string()),
        field("longest_seconds").csv(|site| site.longest_seconds.to_string()),
        field("sync_seconds").csv(|site| or_empty(site.sync_seconds)),
        field("sync_at_least").csv(|site| or_empty(site.sync_at_least)),
        field("imbalance_seconds").csv(|site| or_empty(site.imbalance.map(|one| one.excess))),
        field("imbalance_share").csv(|site| or_empty(site.imbalance.map(|one| one.share))),
        field("worst_rank").csv(|site| site.worst_rank.to_string()),
        field("best_rank").csv(|site| site.best_rank.to_string()),
        field("callers").csv(|site| site.callers.to_string()),
        field("below_16").csv(|site| site.bins[0].to_string()),
        field("below_256").csv(|site| site.bins[1].to_string()),
        field("below_4096").csv(|site| site.bins[2].to_string()),
        field("below_65536").csv(|site| site.bins[3].to_string()),
        field("below_1048576").csv(|site| site.bins[4].to_string()),
        field("larger").csv(|site| site.bins[5].to_string()),
    ];
    csv(&fields, analysis.comm.iter().flat_map(|comm| &comm.sites))
}

/// Input and output by file.
///
/// # Errors
/// Only when a row cannot be written to memory.
pub fn io(analysis: &Analysis) -> Result<String, csv::Error> {
    let field = Field::<&IoFile>::new;
    let fields = vec![
        field("target").csv(|file| contract_name(&file.target)),
        field("path").csv(|file| name(file.path.as_deref().unwrap_or_default())),
        field("ranks").csv(|file| file.ranks.to_string()),
        field("opens").csv(|file| file.opens.to_string()),
        field("reads").csv(|file| file.reads.to_string()),
        field("read_bytes").csv(|file| file.read_bytes.to_string()),
        field("read_seconds").csv(|file| file.read_seconds.to_string()),
        field("writes").csv(|file| file.writes.to_string()),
        field("written_bytes").csv(|file| file.written_bytes.to_string()),
        field("write_seconds").csv(|file| file.write_seconds.to_string()),
        field("other_seconds").csv(|file| file.other_seconds.to_string()),
        field("longest_seconds").csv(|file| file.longest_seconds.to_string()),
        field("mapped_bytes").csv(|file| file.mapped_bytes.to_string()),
        field("seeks").csv(|file| file.seeks.to_string()),
        field("syncs").csv(|file| file.syncs.to_string()),
        field("consecutive_share").csv(|file| or_empty(file.consecutive_share)),
        field("backward_share").csv(|file| or_empty(file.backward_share)),
        field("unaligned").csv(|file| file.unaligned.to_string()),
        field("switches").csv(|file| file.switches.to_string()),
        field("imbalance_share").csv(|file| or_empty(file.imbalance.map(|one| one.share))),
    ];
    csv(&fields, analysis.io.iter().flat_map(|io| &io.files))
}

/// Allocations by place.
///
/// # Errors
/// Only when a row cannot be written to memory.
pub fn heap(analysis: &Analysis) -> Result<String, csv::Error> {
    let field = Field::<&HeapPlace>::new;
    let fields = vec![
        field("function").csv(|place| name(&place.function)),
        field("caller").csv(|place| name(&place.caller)),
        field("module").csv(|place| name(&place.module)),
        field("place").csv(|place| name(&place.place)),
        field("loop").csv(|place| or_empty(place.loop_id)),
        field("calls").csv(|place| place.calls.to_string()),
        field("bytes").csv(|place| place.bytes.to_string()),
        field("live_bytes").csv(|place| place.live_bytes.to_string()),
        field("peak_bytes").csv(|place| place.peak_bytes.to_string()),
        field("callers").csv(|place| place.callers.to_string()),
        field("below_16").csv(|place| place.bins[0].to_string()),
        field("below_256").csv(|place| place.bins[1].to_string()),
        field("below_4096").csv(|place| place.bins[2].to_string()),
        field("below_65536").csv(|place| place.bins[3].to_string()),
        field("below_1048576").csv(|place| place.bins[4].to_string()),
        field("larger").csv(|place| place.bins[5].to_string()),
    ];
    csv(&fields, analysis.heap.iter().flat_map(|heap| &heap.places))
}

/// The recommendations.
///
/// # Errors
/// Only when a row cannot be written to memory.
pub fn recommendations(recommendations: &[Recommendation]) -> Result<String, csv::Error> {
    let field = Field::<&Recommendation>::new;
    let fields = vec![
        field("id").csv(|each| each.id.clone()),
        field("title").csv(|each| name(&each.title)),
        field("loop").csv(|each| or_empty(each.loop_id)),
        field("function").csv(|each| name_or_empty(each.function.as_deref())),
        field("place").csv(|each| name_or_empty(each.place.as_deref())),
        field("share").csv(|each| or_empty(each.share)),
        field("loop_gain_low").csv(|each| or_empty(each.loop_gain.map(|gain| <(f64, f64)>::from(gain).0))),
        field("loop_gain_high").csv(|each| or_empty(each.loop_gain.map(|gain| <(f64, f64)>::from(gain).1))),
        field("program_gain_low")
            .csv(|each| or_empty(each.program_gain.map(|gain| <(f64, f64)>::from(gain).0))),
        field("program_gain_high")
            .csv(|each| or_empty(each.program_gain.map(|gain| <(f64, f64)>::from(gain).1))),
        field("confidence").csv(|each| contract_name(&each.confidence)),
        field("evidence").csv(|each| {
            let sentences: Vec<String> = each.evidence.iter().map(ToString::to_string).collect();
            name(&sentences.join("; "))
        }),
        field("how").csv(|each| name(&each.how.text)),
        field("next").csv(|each| name_or_empty(each.next.as_deref())),
        field("case").csv(|each| or_empty(each.case.as_ref())),
        field("loop_gain_likely").csv(|each| or_empty(each.loop_gain.map(Gain::likely))),
        field("program_gain_likely").csv(|each| or_empty(each.program_gain.map(Gain::likely))),
    ];
    csv(&fields, recommendations)
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
